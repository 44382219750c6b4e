//! Statements and sequences. Calls of inlines are replaced by the statements of the inline.

use std::sync::Arc;

use lariat_model::BinaryOp;
use rustc_hash::FxHashMap;

use super::super::ast::*;
use super::super::lexer::{Reading, Span, Tok, Token};
use super::expression::constant;
use super::{Inline, Parser, is_keyword};

/// Limit on the tokens of all calls of inlines together.
const INLINED: usize = 1 << 20;

impl Parser {
    /// The block of a process; variables declared at its beginning get their values when the
    /// process is created.
    pub(super) fn body(&mut self) -> Reading<Sequence> {
        self.expect("{")?;
        self.in_body = true;
        let mut steps = Sequence::default();
        self.scopes.push(FxHashMap::default());
        while self.at_declaration() || self.peek().is(";") {
            if !self.sign(";") {
                self.declarations(false)?;
            }
        }
        self.steps(&mut steps, &["}"])?;
        self.scopes.pop();
        self.in_body = false;
        self.expect("}")?;
        Ok(steps)
    }

    /// A block in a scope of its own.
    pub(super) fn block(&mut self) -> Reading<Sequence> {
        self.expect("{")?;
        let body = std::mem::replace(&mut self.in_body, true);
        let mut steps = Sequence::default();
        self.scopes.push(FxHashMap::default());
        self.steps(&mut steps, &["}"])?;
        self.scopes.pop();
        self.expect("}")?;
        self.in_body = body;
        Ok(steps)
    }

    /// Steps up to one of the closing tokens, which stays.
    fn steps(&mut self, steps: &mut Sequence, close: &[&str]) -> Reading<()> {
        self.enter()?;
        let start = self.peek().span;
        let mut separated = true;
        loop {
            let token = self.peek();
            let breaks = token.breaks;
            match &token.tok {
                Tok::Sign(";" | "->") => {
                    separated = true;
                    self.at += 1;
                    continue;
                }
                Tok::Sign(sign) if close.contains(sign) => break,
                Tok::Name(name) if close.contains(&&**name) => break,
                _ => {}
            }
            if !separated && !breaks {
                return Err(self.unexpected("`;` or `->` between statements"));
            }
            separated = self.step(steps)?;
        }
        if steps.0.is_empty() && self.process.is_some() && close != ["}", ""] {
            let message = "expected a statement before the end of this sequence";
            return Err(start.error(message));
        }
        self.leave();
        Ok(())
    }

    /// One step; returns whether no separator needs to follow.
    fn step(&mut self, steps: &mut Sequence) -> Reading<bool> {
        if matches!(self.peek().name(), Some("xr" | "xs")) {
            self.at += 1;
            self.reference()?;
            while self.sign(",") {
                self.reference()?;
            }
            return Ok(false);
        }
        if self.at_declaration() {
            for index in self.declare(true)? {
                self.assigned(index, steps)?;
            }
            return Ok(false);
        }
        let mut labels = Vec::new();
        while let Some(name) = self.peek().name()
            && self.second().is(":")
            && !is_keyword(name)
        {
            labels.push(self.ident("a label")?);
            self.at += 1;
            // A label just before the end labels an empty statement.
            if self.peek().is("}") {
                let span = self.last_span();
                let kind = StatementKind::Nothing;
                let statement = Statement { kind, span };
                steps.0.push(Step { labels, statement });
                return Ok(true);
            }
        }
        let first = steps.0.len();
        self.statement(steps)?;
        if self.peek().name() == Some("unless") {
            self.unless(steps, first)?;
        }
        if let Some(step) = steps.0.get_mut(first) {
            labels.append(&mut step.labels);
            step.labels = labels;
        }
        let last = &self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)];
        Ok(last.is("}") || last.name() == Some("else"))
    }

    /// A declaration behind a statement assigns the initial value when control passes it.
    fn assigned(&mut self, index: VarIndex, steps: &mut Sequence) -> Reading<()> {
        let variable = &self.model.variables[index];
        let span = variable.name.span;
        let value = match &variable.initial {
            Initial::None => number(0, span),
            Initial::Value(value) => value.clone(),
            Initial::Values(_) => {
                let message =
                    "a list of initial values is supported at the start of a process only";
                return Err(span.error(message));
            }
            // The channel exists from the creation of the process on.
            Initial::Channel(..) => return Ok(()),
        };
        if matches!(variable.kind, Type::Struct(_)) {
            return Ok(());
        }
        let index_of = variable.len.map(|_| Box::new(number(0, span)));
        let target = Reference {
            variable: Some(index),
            index: index_of,
            fields: Vec::new(),
            kind: variable.kind,
            is_array: false,
            span,
        };
        let kind = StatementKind::Assign(target, value);
        steps.0.push(plain(kind, span));
        Ok(())
    }

    fn unless(&mut self, steps: &mut Sequence, first: usize) -> Reading<()> {
        let start = steps.0.get(first).map(|step| step.statement.span);
        self.at += 1;
        let main = Sequence(steps.0.split_off(first));
        let mut escape = Sequence::default();
        if self.peek().is("{") {
            escape = self.block()?;
        } else {
            self.statement(&mut escape)?;
        }
        let span = self.since(start.unwrap_or_default());
        let kind = StatementKind::Unless(main, escape);
        steps.0.push(plain(kind, span));
        Ok(())
    }

    fn statement(&mut self, steps: &mut Sequence) -> Reading<()> {
        let start = self.peek().span;
        let word = self.peek().name().map(str::to_owned);
        let block = |kind| move |body| StatementKind::Block(kind, body);
        let kind = match word.as_deref() {
            Some("if" | "do") => self.selection()?,
            Some("atomic") => {
                self.at += 1;
                self.block().map(block(BlockKind::Atomic))?
            }
            Some("d_step") => {
                self.at += 1;
                self.block().map(block(BlockKind::Deterministic))?
            }
            None if self.peek().is("{") => self.block().map(block(BlockKind::Plain))?,
            Some("for") => return self.for_loop(steps),
            Some("select") => return self.select(steps),
            Some("else") => {
                self.at += 1;
                StatementKind::Else
            }
            Some("break") => {
                self.at += 1;
                StatementKind::Break
            }
            Some("goto") => {
                self.at += 1;
                StatementKind::Goto(self.ident("a label")?)
            }
            Some("assert") => {
                self.at += 1;
                StatementKind::Assert(self.expression()?)
            }
            Some("printf" | "printm") => self.print()?,
            Some("return" | "c_code" | "c_expr") => {
                let message = format!("`{}` is not supported", word.unwrap_or_default());
                return Err(start.error(message));
            }
            Some("skip") if !self.second().is("-") => {
                self.at += 1;
                StatementKind::Nothing
            }
            Some(name) if self.second().is("(") && self.inlines.contains_key(name) => {
                return self.call(name, steps);
            }
            _ => self.simple()?,
        };
        let span = self.since(start);
        steps.0.push(plain(kind, span));
        Ok(())
    }

    /// `if … fi` or `do … od`
    fn selection(&mut self) -> Reading<StatementKind> {
        let start = self.peek().span;
        let is_loop = self.advance().name() == Some("do");
        let end = if is_loop { "od" } else { "fi" };
        let mut options = Vec::new();
        while self.sign("::") {
            let mut option = Sequence::default();
            self.scopes.push(FxHashMap::default());
            self.steps(&mut option, &["::", end])?;
            self.scopes.pop();
            options.push(option);
        }
        if !self.word(end) {
            return Err(self.unexpected(&format!("`::` or `{end}`")));
        }
        if options.is_empty() {
            return Err(start.error("this has no options"));
        }
        Ok(match is_loop {
            true => StatementKind::Do(options),
            false => StatementKind::If(options),
        })
    }

    /// `printf` has no effect on the model, so its arguments are skipped.
    fn print(&mut self) -> Reading<StatementKind> {
        self.at += 1;
        let open = self.peek().span;
        self.expect("(")?;
        let mut depth = 1;
        while depth > 0 {
            let token = self.advance();
            match token.tok {
                Tok::Sign("(") => depth += 1,
                Tok::Sign(")") => depth -= 1,
                Tok::End => return Err(open.error("this bracket is not closed")),
                _ => {}
            }
        }
        Ok(StatementKind::Nothing)
    }

    /// An assignment, a channel operation, or an expression.
    fn simple(&mut self) -> Reading<StatementKind> {
        let (start, depth) = (self.at, self.depth);
        let is_name = self
            .peek()
            .name()
            .is_some_and(|name| !is_keyword(name) || name == "_");
        if is_name && self.peek().name().and_then(|n| self.lookup(n)).is_some() {
            let target = self.reference()?;
            let sign = match self.peek() {
                token if token.breaks => "",
                token => match token.tok {
                    Tok::Sign(sign) => sign,
                    _ => "",
                },
            };
            let one = |op, target: Reference| {
                let span = target.span;
                let old = Expr {
                    kind: ExprKind::Reference(target.clone()),
                    span,
                };
                StatementKind::Assign(target, binary(op, old, number(1, span)))
            };
            match sign {
                "=" => {
                    self.at += 1;
                    return Ok(StatementKind::Assign(target, self.expression()?));
                }
                "++" => {
                    self.at += 1;
                    return Ok(one(BinaryOp::Add, target));
                }
                "--" => {
                    self.at += 1;
                    return Ok(one(BinaryOp::Sub, target));
                }
                "!" | "!!" => {
                    self.at += 1;
                    let values = self.send_arguments()?;
                    return Ok(StatementKind::Send(Send {
                        channel: target,
                        values,
                        sorted: sign == "!!",
                    }));
                }
                "?" | "??" if !self.second().is("[") => {
                    self.at += 1;
                    let copy = self.sign("<");
                    let arguments = self.receive_arguments(if copy { ">" } else { "" })?;
                    return Ok(StatementKind::Receive(Receive {
                        channel: target,
                        arguments,
                        random: sign == "??",
                        copy,
                    }));
                }
                _ => (self.at, self.depth) = (start, depth),
            }
        } else if self.peek().name() == Some("_") && self.second().is("=") {
            self.at += 2;
            self.expression()?;
            return Ok(StatementKind::Nothing);
        }
        Ok(StatementKind::Condition(self.expression()?))
    }

    /// `e, e` or `e(e, e)`
    fn send_arguments(&mut self) -> Reading<Vec<Expr>> {
        let mut values = Vec::new();
        loop {
            // `m(a, b)` is `m, a, b`; any other use of the bracket is part of an expression.
            let message = self.peek().name().filter(|name| !is_keyword(name));
            if let Some(name) = message
                && self.second().is("(")
            {
                let name = name.to_owned();
                values.push(self.message_name(&name)?);
                self.expect("(")?;
                values.extend(self.arguments(")")?);
            } else {
                values.push(self.expression()?);
            }
            if !self.sign(",") {
                return Ok(values);
            }
        }
    }

    /// The symbol or variable before a bracket.
    fn message_name(&mut self, name: &str) -> Reading<Expr> {
        let span = self.peek().span;
        match self.constants.get(name) {
            Some(value) if self.lookup(name).is_none() => {
                let value = *value;
                self.at += 1;
                Ok(number(value, span))
            }
            _ => {
                let reference = self.reference()?;
                let kind = ExprKind::Reference(reference);
                Ok(Expr { kind, span })
            }
        }
    }

    /// Arguments of a receive up to the closing token, which is consumed; none is "".
    pub(super) fn receive_arguments(&mut self, close: &str) -> Reading<Vec<Argument>> {
        let mut arguments = Vec::new();
        loop {
            arguments.push(self.receive_argument()?);
            // `m(a, b)` is `m, a, b`.
            if self.peek().is("(") && !self.peek().breaks {
                self.at += 1;
                arguments.extend(self.receive_arguments(")")?);
            }
            if self.sign(",") {
                continue;
            }
            if !close.is_empty() {
                self.expect(close)?;
            }
            return Ok(arguments);
        }
    }

    fn receive_argument(&mut self) -> Reading<Argument> {
        let span = self.peek().span;
        let value = |value| Ok(Argument::Value(number(value, span)));
        match self.peek().tok.clone() {
            Tok::Number(n) => {
                self.at += 1;
                value(i64::from(n))
            }
            Tok::Sign("-") => {
                self.at += 1;
                let operand = self.primary()?;
                match constant(&operand) {
                    Some(n) => value(n.wrapping_neg()),
                    None => Err(operand.span.error("expected a number")),
                }
            }
            Tok::Name(name) => match &*name {
                "_" => {
                    self.at += 1;
                    Ok(Argument::Target(None))
                }
                "true" | "false" | "skip" => {
                    self.at += 1;
                    value(i64::from(&*name != "false"))
                }
                "eval" => {
                    self.at += 1;
                    self.expect("(")?;
                    let inner = self.expression()?;
                    self.expect(")")?;
                    Ok(Argument::Value(inner))
                }
                name => match self.constants.get(name) {
                    Some(n) if self.lookup(name).is_none() => {
                        let n = *n;
                        self.at += 1;
                        value(n)
                    }
                    _ => Ok(Argument::Target(Some(self.reference()?))),
                },
            },
            _ => Err(self.unexpected("a variable, a constant, `_` or `eval(…)`")),
        }
    }

    /// Replaces the call of an inline by its body, in a scope of its own.
    fn call(&mut self, name: &str, steps: &mut Sequence) -> Reading<()> {
        let call = self.advance().span;
        let Some((name, inline)) = self.inlines.get_key_value(name) else {
            return Ok(());
        };
        let (name, Inline { parameters, body }) = (name.clone(), inline.clone());
        if self.active.contains(&name) {
            return Err(call.error(format!("the inline `{name}` calls itself")));
        }
        let arguments = self.call_arguments(call)?;
        if arguments.len() != parameters.len() {
            let message = format!(
                "the inline `{name}` takes {} arguments, not {}",
                parameters.len(),
                arguments.len()
            );
            return Err(call.error(message));
        }
        let replaced = replace(&body, &parameters, &arguments);
        if replaced.len() + self.tokens.len() > INLINED {
            return Err(call.error("the inlines expand to too much text"));
        }
        let mut tokens = replaced;
        tokens.push(Token::new(Tok::End, call));
        self.active.push(name);
        self.enter()?;
        let outer = std::mem::replace(&mut self.tokens, tokens);
        let at = std::mem::replace(&mut self.at, 0);
        self.scopes.push(FxHashMap::default());
        let mut separated = true;
        while self.peek().tok != Tok::End {
            if self.sign(";") || self.sign("->") {
                separated = true;
                continue;
            }
            if !separated && !self.peek().breaks {
                return Err(self.unexpected("`;` or `->` between statements"));
            }
            separated = self.step(steps)?;
        }
        self.scopes.pop();
        self.tokens = outer;
        self.at = at;
        self.leave();
        self.active.pop();
        Ok(())
    }

    /// The arguments of a call as tokens.
    fn call_arguments(&mut self, call: Span) -> Reading<Vec<Vec<Token>>> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        let mut argument = Vec::new();
        let mut depth = 0_usize;
        loop {
            let token = self.advance();
            match token.tok {
                Tok::Sign(")") if depth == 0 => {
                    if !argument.is_empty() || !arguments.is_empty() {
                        arguments.push(argument);
                    }
                    return Ok(arguments);
                }
                Tok::Sign(",") if depth == 0 => {
                    arguments.push(std::mem::take(&mut argument));
                    continue;
                }
                Tok::Sign("(" | "[" | "{") => depth += 1,
                Tok::Sign(")" | "]" | "}") => depth = depth.saturating_sub(1),
                Tok::End => return Err(call.error("the arguments of this call have no end")),
                _ => {}
            }
            argument.push(token);
        }
    }
}

/// The body of an inline with arguments in place of its parameters.
fn replace(body: &[Token], parameters: &[Arc<str>], arguments: &[Vec<Token>]) -> Vec<Token> {
    let mut replaced = Vec::new();
    for token in body {
        let place = token
            .name()
            .and_then(|name| parameters.iter().position(|parameter| **parameter == *name));
        let Some(argument) = place.and_then(|i| arguments.get(i)) else {
            replaced.push(token.clone());
            continue;
        };
        let first = replaced.len();
        replaced.extend(argument.iter().cloned());
        for token in &mut replaced[first..] {
            token.breaks = false;
        }
        if let Some(first) = replaced.get_mut(first) {
            first.breaks = token.breaks;
        }
    }
    replaced
}

pub(super) fn plain(kind: StatementKind, span: Span) -> Step {
    Step {
        labels: Vec::new(),
        statement: Statement { kind, span },
    }
}

pub(super) fn number(value: i64, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Number(value),
        span,
    }
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let span = left.span;
    Expr {
        kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
        span,
    }
}
