//! Expressions.

use lariat_model::{BinaryOp, UnaryOp};

use super::super::ast::*;
use super::super::lexer::{Reading, Tok};
use super::{Parser, is_keyword};

/// Binary operators with their strengths.
const BINARY: [(&str, u8, BinaryOp); 18] = [
    ("||", 1, BinaryOp::Or),
    ("&&", 2, BinaryOp::And),
    ("|", 3, BinaryOp::BitOr),
    ("^", 4, BinaryOp::BitXor),
    ("&", 5, BinaryOp::BitAnd),
    ("==", 6, BinaryOp::Eq),
    ("!=", 6, BinaryOp::Ne),
    ("<=", 7, BinaryOp::Le),
    (">=", 7, BinaryOp::Ge),
    ("<", 7, BinaryOp::Lt),
    (">", 7, BinaryOp::Gt),
    ("<<", 8, BinaryOp::Shl),
    (">>", 8, BinaryOp::Shr),
    ("+", 9, BinaryOp::Add),
    ("-", 9, BinaryOp::Sub),
    ("*", 10, BinaryOp::Mul),
    ("/", 10, BinaryOp::Div),
    ("%", 10, BinaryOp::Rem),
];

/// The value of a constant expression.
pub(in super::super) fn constant(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Number(n) => Some(*n),
        ExprKind::Unary(op, x) => Some(op.apply(constant(x)?)),
        ExprKind::Binary(op, x, y) => op.apply(constant(x)?, constant(y)?).ok(),
        ExprKind::Conditional(c, x, y) => match constant(c)? {
            0 => constant(y),
            _ => constant(x),
        },
        _ => None,
    }
}

impl Parser {
    /// Parses an expression.
    pub(in super::super) fn expression(&mut self) -> Reading<Expr> {
        self.binary(0)
    }

    fn binary(&mut self, least: u8) -> Reading<Expr> {
        self.enter()?;
        let mut left = self.primary()?;
        loop {
            let token = self.peek();
            if self.in_body && token.breaks {
                break;
            }
            let Tok::Sign(sign) = token.tok else {
                break;
            };
            let Some((_, strength, op)) = BINARY.iter().find(|(s, ..)| *s == sign) else {
                break;
            };
            if *strength <= least {
                break;
            }
            self.at += 1;
            let right = self.binary(*strength)?;
            let span = left.span.to(right.span);
            left = Expr {
                kind: ExprKind::Binary(*op, Box::new(left), Box::new(right)),
                span,
            };
        }
        self.leave();
        Ok(left)
    }

    /// An operand, with its unary operators.
    pub(super) fn primary(&mut self) -> Reading<Expr> {
        let start = self.peek().span;
        self.enter()?;
        let kind = match self.peek().tok.clone() {
            Tok::Number(value) => {
                self.at += 1;
                ExprKind::Number(i64::from(value))
            }
            Tok::Sign("-") => self.unary(UnaryOp::Neg)?,
            Tok::Sign("~") => self.unary(UnaryOp::Complement)?,
            Tok::Sign("!") => self.unary(UnaryOp::Not)?,
            Tok::Sign("!!") => {
                let inner = Expr {
                    kind: self.unary(UnaryOp::Not)?,
                    span: self.since(start),
                };
                ExprKind::Unary(UnaryOp::Not, Box::new(inner))
            }
            Tok::Sign("(") => {
                self.at += 1;
                let body = std::mem::replace(&mut self.in_body, false);
                let inner = self.expression()?;
                let kind = match self.sign("->") {
                    false => inner.kind,
                    true => {
                        let yes = self.expression()?;
                        self.expect(":")?;
                        let no = self.expression()?;
                        ExprKind::Conditional(Box::new(inner), Box::new(yes), Box::new(no))
                    }
                };
                self.expect(")")?;
                self.in_body = body;
                kind
            }
            Tok::Name(name) => self.named(&name)?,
            _ => return Err(self.unexpected("an expression")),
        };
        self.leave();
        let span = self.since(start);
        Ok(Expr { kind, span })
    }

    fn unary(&mut self, op: UnaryOp) -> Reading<ExprKind> {
        self.at += 1;
        Ok(ExprKind::Unary(op, Box::new(self.primary()?)))
    }

    fn named(&mut self, name: &str) -> Reading<ExprKind> {
        let test = match name {
            "len" => Some(ChannelTest::Len),
            "empty" => Some(ChannelTest::Empty),
            "nempty" => Some(ChannelTest::NonEmpty),
            "full" => Some(ChannelTest::Full),
            "nfull" => Some(ChannelTest::NonFull),
            _ => None,
        };
        if let Some(test) = test {
            self.at += 1;
            self.expect("(")?;
            let channel = self.reference()?;
            self.expect(")")?;
            return Ok(ExprKind::Test(test, channel));
        }
        let known = match name {
            "true" | "skip" => Some(ExprKind::Number(1)),
            "false" => Some(ExprKind::Number(0)),
            "_pid" => Some(ExprKind::Pid),
            "_nr_pr" => Some(ExprKind::Processes),
            "timeout" => Some(ExprKind::Timeout),
            "np_" => Some(ExprKind::NonProgress),
            _ => None,
        };
        if let Some(kind) = known {
            self.at += 1;
            return Ok(kind);
        }
        match name {
            "run" => {
                self.at += 1;
                let process = self.ident("the name of a process")?;
                self.expect("(")?;
                let arguments = self.arguments(")")?;
                if self.peek().name() == Some("priority") {
                    return Err(self.unexpected("the end of the expression"));
                }
                return Ok(ExprKind::Run(process, arguments));
            }
            "enabled" | "pc_value" | "_last" | "_priority" | "STDIN" => {
                let message = format!("`{name}` is not supported");
                return Err(self.peek().span.error(message));
            }
            _ => {}
        }
        if !is_keyword(name) && self.lookup(name).is_none() {
            if let Some(value) = self.constants.get(name) {
                let value = *value;
                self.at += 1;
                return Ok(ExprKind::Number(value));
            }
            if let Some(remote) = self.remote()? {
                return Ok(remote);
            }
        }
        let reference = self.reference()?;
        let random = self.peek().is("??");
        if (random || self.peek().is("?")) && self.second().is("[") {
            self.at += 2;
            let arguments = self.receive_arguments("]")?;
            return Ok(ExprKind::Poll(Receive {
                channel: reference,
                arguments,
                random,
                copy: true,
            }));
        }
        Ok(ExprKind::Reference(reference))
    }

    /// `P@L`, `P[e]@L`, `P:v` or `P[e]:v`; `None` if no process is meant.
    fn remote(&mut self) -> Reading<Option<ExprKind>> {
        let start = self.at;
        let process = self.ident("a name")?;
        let mut index = None;
        if self.sign("[") {
            index = Some(Box::new(self.expression()?));
            self.expect("]")?;
        }
        if self.sign("@") {
            let label = self.ident("a label")?;
            return Ok(Some(ExprKind::At(process, index, label)));
        }
        if self.peek().is(":") && matches!(self.second().tok, Tok::Name(_)) {
            self.at += 1;
            let variable = self.ident("the name of a variable")?;
            let mut element = None;
            if self.sign("[") {
                element = Some(Box::new(self.expression()?));
                self.expect("]")?;
            }
            return Ok(Some(ExprKind::Remote(process, index, variable, element)));
        }
        self.at = start;
        Ok(None)
    }

    /// Expressions up to the closing bracket, which is consumed.
    pub(super) fn arguments(&mut self, close: &str) -> Reading<Vec<Expr>> {
        let mut arguments = Vec::new();
        let body = std::mem::replace(&mut self.in_body, false);
        while !self.sign(close) {
            arguments.push(self.expression()?);
            if !self.peek().is(close) {
                self.expect(",")?;
            }
        }
        self.in_body = body;
        Ok(arguments)
    }

    pub(super) fn lookup(&self, name: &str) -> Option<VarIndex> {
        let mut scopes = self.scopes.iter().rev();
        scopes.find_map(|scope| scope.get(name).copied())
    }

    /// A variable, an element or a field.
    pub(super) fn reference(&mut self) -> Reading<Reference> {
        let name = self.ident("a variable")?;
        let Some(variable) = self.lookup(&name.text) else {
            let message = format!("no variable is called `{}`", name.text);
            let names = self.scopes.iter().flat_map(|scope| scope.keys());
            let near = lariat_model::suggestion(&name.text, names.map(|n| &**n));
            let error = name.span.error(message);
            return Err(match near {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            });
        };
        let declared = &self.model.variables[variable];
        let (mut kind, mut len) = (declared.kind, declared.len);
        let mut reference = Reference {
            variable: Some(variable),
            index: None,
            fields: Vec::new(),
            kind,
            is_array: false,
            span: name.span,
        };
        reference.index = self.index(&mut len)?.map(Box::new);
        while self.peek().is(".") {
            self.at += 1;
            let field = self.ident("the name of a field")?;
            let Type::Struct(known) = kind else {
                return Err(field
                    .span
                    .error("this is no structure, so it has no fields"));
            };
            let fields = &self.model.structs[known].fields;
            let Some(i) = fields.iter().position(|f| f.name.text == field.text) else {
                let known = &self.model.structs[known].name.text;
                let message = format!("`{known}` has no field `{}`", field.text);
                return Err(field.span.error(message));
            };
            (kind, len) = (fields[i].kind, fields[i].len);
            let index = self.index(&mut len)?;
            reference.fields.push((i, index));
        }
        reference.kind = kind;
        reference.is_array = len.is_some();
        reference.span = self.since(name.span);
        Ok(reference)
    }

    /// An index, if there is one.
    fn index(&mut self, len: &mut Option<u32>) -> Reading<Option<Expr>> {
        if !self.sign("[") {
            return Ok(None);
        }
        let body = std::mem::replace(&mut self.in_body, false);
        let index = self.expression()?;
        self.in_body = body;
        self.expect("]")?;
        if len.take().is_none() {
            return Err(index.span.error("this is no array"));
        }
        Ok(Some(index))
    }
}
