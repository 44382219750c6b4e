//! Recursive-descent parser for DVE.

mod expression;

pub(super) use expression::{BINARY, expression, operator};

use super::ast::*;
use super::lexer::{ByteSpan, DveDiagnostic, DveResult, DveToken, tokens};

pub(super) fn model(text: &[u8]) -> DveResult<ModelAst<'_>> {
    let mut p = Parser::new(text)?;
    let model = p.model()?;
    match p.peek() {
        DveToken::End => Ok(model),
        _ => Err(p.unexpected("the end of the file after the `system` line")),
    }
}

struct Parser<'t> {
    tokens: Vec<(DveToken<'t>, ByteSpan)>,
    at: usize,
    nesting: u32,
}

impl<'t> Parser<'t> {
    fn new(text: &'t [u8]) -> DveResult<Parser<'t>> {
        Ok(Parser {
            tokens: tokens(text)?,
            at: 0,
            nesting: 0,
        })
    }

    /// A token; after the last one, the last one, which is [`DveToken::End`].
    fn token(&self, at: usize) -> (DveToken<'t>, ByteSpan) {
        self.tokens[at.min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> DveToken<'t> {
        self.token(self.at).0
    }

    fn span(&self) -> ByteSpan {
        self.token(self.at).1
    }

    /// The span of the last token consumed.
    fn behind(&self) -> ByteSpan {
        self.token(self.at.saturating_sub(1)).1
    }

    fn take(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), DveToken::Word(w) if w == word);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, word: &'static str, what_for: &str) -> DveResult<ByteSpan> {
        let span = self.span();
        if self.take(word) {
            Ok(span)
        } else {
            Err(self.unexpected(&format!("`{word}` {what_for}")))
        }
    }

    fn unexpected(&self, expected: &str) -> DveDiagnostic {
        let found = match self.peek() {
            DveToken::Name(name) => format!("`{name}`"),
            DveToken::Word(word) => format!("`{word}`"),
            DveToken::Number(n) => format!("`{n}`"),
            DveToken::End => "the end of the text".to_owned(),
        };
        let span = self.span();
        span.error(format!("expected {expected}, found {found}"))
    }

    fn name(&mut self, what: &str) -> DveResult<Identifier<'t>> {
        let span = self.span();
        match self.peek() {
            DveToken::Name(text) => {
                self.at += 1;
                Ok(Identifier { text, span })
            }
            DveToken::Word(word) if word.as_bytes()[0].is_ascii_alphabetic() => {
                let help = format!("`{word}` is a keyword and cannot be used as a name");
                Err(self.unexpected(what).help(Some(help)))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// `item ("," item)*`
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> DveResult<T>) -> DveResult<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.take(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// `(item | "{" item ("," item)* "}")?`, before a semicolon
    fn none_or_some<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> DveResult<T>,
    ) -> DveResult<Vec<T>> {
        if self.peek() == DveToken::Word(";") {
            return Ok(Vec::new());
        }
        if !self.take("{") {
            return Ok(vec![item(self)?]);
        }
        let items = self.list(item)?;
        self.expect("}", "after the list")?;
        Ok(items)
    }

    fn model(&mut self) -> DveResult<ModelAst<'t>> {
        let mut model = ModelAst {
            decls: self.decls()?,
            processes: Vec::new(),
            property: None,
        };
        loop {
            if self.take("process") {
                let process = self.process()?;
                model.processes.push(process);
            } else if self.starts_declaration() {
                model.decls.extend(self.decls()?);
            } else if self.take("system") {
                break;
            } else {
                let help = match self.peek() {
                    DveToken::Name("bool" | "input") => {
                        Some("declare variables as `byte` or `int`")
                    }
                    _ => None,
                };
                return Err(self
                    .unexpected("a declaration, `process` or `system`")
                    .help(help.map(str::to_owned)));
            }
        }
        let span = self.span();
        if self.take("sync") {
            return Err(span.error("synchronous systems (`system sync`) are not supported"));
        }
        self.expect("async", "after `system`")?;
        if self.take("property") {
            model.property = Some(self.name("the name of the property process")?);
        }
        self.expect(";", "at the end of the `system` line")?;
        Ok(model)
    }

    fn starts_declaration(&self) -> bool {
        matches!(
            self.peek(),
            DveToken::Word("const" | "byte" | "int" | "channel")
        )
    }

    fn decls(&mut self) -> DveResult<Vec<Decl<'t>>> {
        let mut decls = Vec::new();
        while self.starts_declaration() {
            if self.take("channel") {
                let fields = if self.take("{") {
                    let fields = self.list(Self::type_name)?;
                    self.expect("}", "after the types of a channel")?;
                    Some(fields)
                } else {
                    None
                };
                let channels = self.list(|p| {
                    Ok(ChannelDecl {
                        name: p.name("the name of a channel")?,
                        fields: fields.clone(),
                        capacity: p.subscript()?,
                    })
                })?;
                decls.extend(channels.into_iter().map(Decl::Channel));
            } else {
                let constant = self.take("const");
                let kind = self.type_name()?;
                let vars = self.list(|p| {
                    Ok(VarDecl {
                        constant,
                        kind,
                        name: p.name("the name of a variable")?,
                        size: p.subscript()?,
                        init: p.initialiser()?,
                    })
                })?;
                decls.extend(vars.into_iter().map(Decl::Var));
            }
            self.expect(";", "at the end of the declaration")?;
        }
        Ok(decls)
    }

    fn type_name(&mut self) -> DveResult<Type> {
        if self.take("byte") {
            Ok(Type::Byte)
        } else if self.take("int") {
            Ok(Type::Int)
        } else {
            Err(self.unexpected("`byte` or `int`"))
        }
    }

    /// `["[" expr "]"]`
    fn subscript(&mut self) -> DveResult<Option<ExprAst<'t>>> {
        if !self.take("[") {
            return Ok(None);
        }
        let expr = self.expr()?;
        self.expect("]", "after the expression")?;
        Ok(Some(expr))
    }

    fn initialiser(&mut self) -> DveResult<Option<Init<'t>>> {
        if !self.take("=") {
            return Ok(None);
        }
        let open = self.span();
        if !self.take("{") {
            return Ok(Some(Init::Single(self.expr()?)));
        }
        let values = self.list(Self::expr)?;
        let close = self.expect("}", "after the initial values")?;
        Ok(Some(Init::List(values, open.to(close))))
    }

    fn process(&mut self) -> DveResult<ProcessAst<'t>> {
        let name = self.name("the name of a process")?;
        if self.peek() == DveToken::Word("(") {
            let message = "process templates with parameters are not supported";
            return Err(self.span().error(message));
        }
        self.expect("{", "before the body of the process")?;
        let mut process = ProcessAst {
            name,
            span: name.span,
            decls: self.decls()?,
            states: Vec::new(),
            init: None,
            commit: Vec::new(),
            accept: Vec::new(),
            asserts: Vec::new(),
            trans: Vec::new(),
        };
        let state = |p: &mut Self| p.name("the name of a state");
        loop {
            let span = self.span();
            if self.take("state") {
                process.states.extend(self.list(state)?);
            } else if self.take("init") {
                if process.init.is_some() {
                    let message = "a process has one initial state, and it was given already";
                    return Err(span.error(message));
                }
                process.init = Some(state(self)?);
            } else if self.take("commit") {
                process.commit.extend(self.list(state)?);
            } else if self.take("accept") {
                process.accept.extend(self.list(state)?);
            } else if self.take("assert") {
                let asserts = self.list(|p| {
                    let at = state(p)?;
                    p.expect(":", "between the state and what is asserted there")?;
                    Ok((at, p.expr()?))
                })?;
                process.asserts.extend(asserts);
            } else if self.take("trans") {
                process.trans.extend(self.list(Self::trans)?);
            } else if self.starts_declaration() {
                let decls = self.decls()?;
                process.decls.extend(decls);
                continue;
            } else if self.take("}") {
                process.span = name.span.to(span);
                return Ok(process);
            } else {
                return Err(self
                    .unexpected("`state`, `init`, `commit`, `accept`, `assert`, `trans` or `}`"));
            }
            self.expect(";", "at the end of the list")?;
        }
    }

    fn trans(&mut self) -> DveResult<Trans<'t>> {
        let from = self.name("the state that a transition leaves")?;
        self.expect("->", "between the states of a transition")?;
        let to = self.name("the state that a transition leads to")?;
        self.expect("{", "before the body of the transition")?;
        let mut trans = Trans {
            from,
            to,
            guards: Vec::new(),
            sync: None,
            effects: Vec::new(),
        };
        if self.take("guard") {
            trans.guards = self.list(Self::expr)?;
            self.expect(";", "at the end of the guard")?;
        }
        if self.take("sync") {
            trans.sync = Some(self.sync()?);
            self.expect(";", "at the end of the synchronisation")?;
        }
        if self.take("effect") {
            trans.effects = self.list(|p| {
                let target = p.target()?;
                p.expect("=", "between a variable and its new value")?;
                Ok(Assign {
                    target,
                    value: p.expr()?,
                })
            })?;
            self.expect(";", "at the end of the effects")?;
        }
        if self.take("}") {
            return Ok(trans);
        }
        let mut complaint = self.unexpected("`guard`, `sync`, `effect` (in this order) or `}`");
        if matches!(self.peek(), DveToken::Word("guard" | "sync" | "effect")) {
            complaint.help = Some(
                "each part of a transition occurs once: first `guard`, then `sync`, then `effect`"
                    .to_owned(),
            );
        }
        Err(complaint)
    }

    fn sync(&mut self) -> DveResult<SyncLabel<'t>> {
        let first = self.name("the name of a channel")?;
        let (process, channel) = if self.take("->") {
            (Some(first), self.name("the name of a channel")?)
        } else {
            (None, first)
        };
        let kind = if self.take("!") {
            SyncKind::Send(self.none_or_some(Self::expr)?)
        } else if self.take("?") {
            SyncKind::Receive(self.none_or_some(Self::target)?)
        } else {
            return Err(self.unexpected("`!` to send or `?` to receive"));
        };
        Ok(SyncLabel {
            process,
            channel,
            kind,
            span: first.span.to(self.behind()),
        })
    }

    /// An assignable reference: `x`, `x[i]`.
    fn target(&mut self) -> DveResult<Reference<'t>> {
        let name = self.name("a variable")?;
        if self.peek() == DveToken::Word("->") {
            let message = "the variables of another process can only be read";
            return Err(name.span.to(self.span()).error(message));
        }
        Ok(Reference {
            process: None,
            name,
            index: self.subscript()?.map(Box::new),
        })
    }
}
