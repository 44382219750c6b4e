//! The parser of Promela: units and declarations. Names of variables are resolved while parsing,
//! since they are declared before their use.

mod expression;
mod statement;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ast::*;
use super::lexer::{Reading, Span, Tok, Token};

pub(super) use expression::constant;

/// Limit on nested statements and expressions.
const DEPTH: usize = 100;
/// Limit on the elements of an array.
const ELEMENTS: i64 = 1 << 16;

/// An `inline`: its parameters and the tokens between its braces.
#[derive(Clone)]
struct Inline {
    parameters: Vec<Arc<str>>,
    body: Vec<Token>,
}

#[derive(Clone)]
pub(super) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    pub model: ModelAst,
    /// Visible variables, the innermost scope last; the first is global.
    scopes: Vec<FxHashMap<Arc<str>, VarIndex>>,
    constants: FxHashMap<Arc<str>, i64>,
    inlines: FxHashMap<Arc<str>, Inline>,
    /// Inlines that are being expanded.
    active: Vec<Arc<str>>,
    /// The process that is being read, its position.
    process: Option<usize>,
    /// The variables of this process.
    locals: Vec<VarIndex>,
    in_body: bool,
    depth: usize,
}

/// Words that begin a unit which is not supported.
const REFUSED: [(&str, &str); 10] = [
    ("c_code", "embedded C code"),
    ("c_decl", "embedded C code"),
    ("c_state", "embedded C code"),
    ("c_track", "embedded C code"),
    ("c_expr", "embedded C code"),
    ("trace", "trace assertions"),
    ("notrace", "trace assertions"),
    ("priority", "process priorities"),
    ("set_priority", "process priorities"),
    ("get_priority", "process priorities"),
];

impl Parser {
    pub fn new(tokens: Vec<Token>) -> Parser {
        let mut model = ModelAst::default();
        model.mtypes.push(("".into(), Vec::new()));
        Parser {
            tokens,
            at: 0,
            model,
            scopes: vec![FxHashMap::default()],
            constants: FxHashMap::default(),
            inlines: FxHashMap::default(),
            active: Vec::new(),
            process: None,
            locals: Vec::new(),
            in_body: false,
            depth: 0,
        }
    }

    /// Parses a whole model.
    pub fn parse(&mut self) -> Reading<()> {
        while self.peek().tok != Tok::End {
            self.unit()?;
        }
        // Formulas are parsed with the names of the model only.
        self.tokens.truncate(0);
        Ok(())
    }

    /// Parses an expression over global names.
    pub fn whole_expression(&mut self, mut tokens: Vec<Token>) -> Reading<Expr> {
        let end = tokens.last().map_or(Span::default(), |t| t.span);
        tokens.push(Token::new(Tok::End, end));
        self.tokens = tokens;
        self.at = 0;
        let expr = self.expression()?;
        match self.peek().tok {
            Tok::End => Ok(expr),
            _ => Err(self.unexpected("an operator or the end of the expression")),
        }
    }

    /// Returns whether a word is a global variable, a process or a symbol.
    pub fn knows(&self, word: &str) -> bool {
        let mut processes = self.model.processes.iter();
        self.lookup(word).is_some()
            || self.constants.contains_key(word)
            || matches!(word, "np_" | "timeout" | "_nr_pr")
            || processes.any(|process| *process.name.text == *word)
    }

    /// Returns whether a word is a global array.
    pub fn is_array(&self, word: &str) -> bool {
        let found = self.lookup(word).map(|index| &self.model.variables[index]);
        found.is_some_and(|variable| variable.len.is_some())
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn second(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    /// The end of the last token.
    fn last_span(&self) -> Span {
        let last = self.at.saturating_sub(1).min(self.tokens.len() - 1);
        self.tokens[last].span
    }

    fn since(&self, start: Span) -> Span {
        start.to(self.last_span())
    }

    fn sign(&mut self, sign: &str) -> bool {
        let found = self.peek().is(sign);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.peek().name() == Some(word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Reading<()> {
        if self.sign(sign) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{sign}`")))
    }

    fn unexpected(&self, expected: &str) -> super::lexer::Diagnostic {
        let token = self.peek();
        let seen = match &token.tok {
            Tok::End => "the end of the text".to_owned(),
            Tok::Name(name) => format!("`{name}`"),
            Tok::Number(n) => format!("`{n}`"),
            Tok::Text(_) => "a string".to_owned(),
            Tok::Sign(sign) => format!("`{sign}`"),
            Tok::Newline => "the end of the line".to_owned(),
        };
        if let Some(name) = token.name()
            && let Some((_, construct)) = REFUSED.iter().find(|(word, _)| *word == name)
        {
            let message = format!("{construct} (`{name}`) is not supported");
            return token.span.error(message);
        }
        token
            .span
            .error(format!("expected {expected}, found {seen}"))
    }

    fn ident(&mut self, what: &str) -> Reading<Ident> {
        match &self.peek().tok {
            Tok::Name(name) if !is_keyword(name) => {
                let text = name.clone();
                let span = self.advance().span;
                Ok(Ident { text, span })
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn enter(&mut self) -> Reading<()> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.peek().span.error("this is nested too deeply"));
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    fn unit(&mut self) -> Reading<()> {
        if self.sign(";") {
            return Ok(());
        }
        let start = self.peek().span;
        let Some(word) = self.peek().name().map(str::to_owned) else {
            return Err(self.unexpected("a declaration or a process"));
        };
        match &*word {
            "active" | "proctype" | "D_proctype" => self.proctype(),
            "init" => {
                self.at += 1;
                let name = Ident {
                    text: ":init:".into(),
                    span: start,
                };
                self.process_body(name, 1, Vec::new())
            }
            "never" => {
                self.at += 1;
                let name = match self.peek().is("{") {
                    true => None,
                    false => Some(self.ident("a name or `{`")?),
                };
                self.process = Some(usize::MAX);
                let body = self.body()?;
                self.process = None;
                let span = self.since(start);
                self.model.claims.push(ClaimAst { name, body, span });
                Ok(())
            }
            "ltl" => self.ltl(),
            "inline" => self.inline(),
            "typedef" => self.typedef(),
            "mtype" if self.is_mtype_list() => self.mtype_list(),
            word if REFUSED.iter().any(|(refused, _)| *refused == word) => {
                Err(self.unexpected("a declaration"))
            }
            _ => self.declarations(false),
        }
    }

    fn proctype(&mut self) -> Reading<()> {
        let mut active = 0;
        if self.word("active") {
            active = 1;
            if self.sign("[") {
                let count = self.expression()?;
                let value = constant(&count);
                let valid = value.filter(|n| (0..=255).contains(n));
                let Some(n) = valid else {
                    let message = "expected a constant number of processes, at most 255";
                    return Err(count.span.error(message));
                };
                active = n as u32;
                self.expect("]")?;
            }
        }
        if !self.word("proctype") && !self.word("D_proctype") {
            return Err(self.unexpected("`proctype`"));
        }
        let name = self.ident("the name of the process")?;
        if self
            .model
            .processes
            .iter()
            .any(|p| p.name.text == name.text)
        {
            let message = format!("there is already a process `{}`", name.text);
            return Err(name.span.error(message));
        }
        self.expect("(")?;
        self.scopes.push(FxHashMap::default());
        self.process = Some(self.model.processes.len());
        while !self.sign(")") {
            if self.sign(";") {
                continue;
            }
            self.declarations(false)?;
            if !self.peek().is(";") && !self.peek().is(")") {
                return Err(self.unexpected("`;` or `)` after a parameter"));
            }
        }
        let parameters = self.locals.clone();
        for parameter in &parameters {
            let variable = &self.model.variables[*parameter];
            if variable.len.is_some() || !matches!(variable.initial, Initial::None) {
                let message = "a parameter is no array and has no initial value";
                return Err(variable.name.span.error(message));
            }
        }
        self.process_body(name, active, parameters)
    }

    /// The rest of a process after its parameters.
    fn process_body(&mut self, name: Ident, active: u32, parameters: Vec<VarIndex>) -> Reading<()> {
        if parameters.is_empty() && &*name.text == ":init:" {
            self.scopes.push(FxHashMap::default());
            self.process = Some(self.model.processes.len());
        }
        let provided = match self.word("provided") {
            false => None,
            true => {
                self.expect("(")?;
                let condition = self.expression()?;
                self.expect(")")?;
                Some(condition)
            }
        };
        let body = self.body()?;
        self.scopes.pop();
        self.process = None;
        self.model.processes.push(ProcessAst {
            name,
            parameters,
            variables: std::mem::take(&mut self.locals),
            active,
            provided,
            body,
            end: self.last_span(),
        });
        Ok(())
    }

    fn ltl(&mut self) -> Reading<()> {
        let start = self.advance().span;
        let name = match self.peek().is("{") {
            true => None,
            false => Some(self.ident("a name or `{`")?),
        };
        self.expect("{")?;
        let mut formula = Vec::new();
        while !self.peek().is("}") {
            if self.peek().tok == Tok::End {
                return Err(start.error("this formula has no `}`"));
            }
            formula.push(self.advance());
        }
        self.at += 1;
        let span = self.since(start);
        self.model.formulas.push(LtlAst {
            name,
            formula,
            span,
        });
        Ok(())
    }

    fn inline(&mut self) -> Reading<()> {
        self.at += 1;
        let name = self.ident("the name of the inline")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.sign(")") {
            parameters.push(self.ident("the name of a parameter or `)`")?.text);
            if !self.peek().is(")") {
                self.expect(",")?;
            }
        }
        let open = self.peek().span;
        self.expect("{")?;
        let first = self.at;
        let mut depth = 1;
        while depth > 0 {
            match &self.peek().tok {
                Tok::Sign("{") => depth += 1,
                Tok::Sign("}") => depth -= 1,
                Tok::End => return Err(open.error("this brace is not closed")),
                _ => {}
            }
            self.at += 1;
        }
        let body = self.tokens[first..self.at - 1].to_vec();
        self.inlines.insert(name.text, Inline { parameters, body });
        Ok(())
    }

    fn typedef(&mut self) -> Reading<()> {
        self.at += 1;
        let name = self.ident("the name of the type")?;
        self.expect("{")?;
        let first = self.model.variables.len();
        let outer = std::mem::take(&mut self.model.globals);
        self.scopes.push(FxHashMap::default());
        while !self.sign("}") {
            if self.sign(";") || self.sign(",") {
                continue;
            }
            self.declarations(false)?;
        }
        self.scopes.pop();
        self.model.globals = outer;
        let fields = self.model.variables.split_off(first);
        if fields.is_empty() {
            return Err(name.span.error("a structure without fields"));
        }
        self.model.structs.push(StructAst { name, fields });
        Ok(())
    }

    fn is_mtype_list(&self) -> bool {
        let behind = match self.second().is(":") {
            true => 3,
            false => 1,
        };
        let token = self.tokens.get(self.at + behind);
        token.is_some_and(|t| t.is("=") || t.is("{"))
    }

    fn mtype_list(&mut self) -> Reading<()> {
        self.at += 1;
        let list = self.mtype_name()?;
        self.sign("=");
        self.expect("{")?;
        let mut names = Vec::new();
        while !self.sign("}") {
            names.push(self.ident("the name of a symbol")?);
            if !self.peek().is("}") && !self.sign(",") && self.peek().name().is_none() {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
        // Symbols are numbered from the end of the list; a further list continues above.
        let below = self.model.mtypes[list].1.len() as i64;
        for (i, name) in names.into_iter().rev().enumerate() {
            let value = below + i as i64 + 1;
            if value > 255 {
                return Err(name.span.error("an mtype has at most 255 symbols"));
            }
            self.constants.insert(name.text.clone(), value);
            self.model.mtypes[list].1.push((name, value));
        }
        Ok(())
    }

    /// The list that `mtype` or `mtype:name` denotes, behind the keyword.
    fn mtype_name(&mut self) -> Reading<usize> {
        if !self.sign(":") {
            return Ok(0);
        }
        let name = self.ident("the name of an mtype")?.text;
        let lists = &mut self.model.mtypes;
        let known = lists.iter().position(|(list, _)| *list == name);
        Ok(known.unwrap_or_else(|| {
            lists.push((name, Vec::new()));
            lists.len() - 1
        }))
    }

    /// Returns whether a declaration of variables begins here.
    fn at_declaration(&self) -> bool {
        let Some(word) = self.peek().name() else {
            return false;
        };
        let is_type = |word: &str| {
            basic(word).is_some()
                || matches!(word, "unsigned" | "mtype" | "chan")
                || self.structure(word).is_some()
        };
        matches!(word, "hidden" | "show" | "local")
            || is_type(word) && !self.second().is(":") | (word == "mtype")
    }

    fn structure(&self, word: &str) -> Option<usize> {
        let mut structs = self.model.structs.iter();
        structs.position(|known| *known.name.text == *word)
    }

    /// A type; `None` if there is none here.
    fn kind(&mut self) -> Reading<Option<Type>> {
        let Some(word) = self.peek().name().map(str::to_owned) else {
            return Ok(None);
        };
        let kind = match &*word {
            "unsigned" => Type::Range(0, 0),
            "chan" => Type::Chan,
            "mtype" => {
                self.at += 1;
                return Ok(Some(Type::Mtype(self.mtype_name()?)));
            }
            word => match (basic(word), self.structure(word)) {
                (Some(kind), _) => kind,
                (_, Some(known)) => Type::Struct(known),
                _ => return Ok(None),
            },
        };
        self.at += 1;
        Ok(Some(kind))
    }

    /// `byte a, b[3] = 1` up to the separator; returns the declared variables.
    fn declare(&mut self, is_assigned: bool) -> Reading<Vec<VarIndex>> {
        while matches!(self.peek().name(), Some("hidden" | "show" | "local")) {
            self.at += 1;
        }
        let is_unsigned = self.peek().name() == Some("unsigned");
        let Some(kind) = self.kind()? else {
            let expected = match self.process {
                None => "a declaration, `proctype`, `init`, `ltl` or another unit",
                Some(_) => "a type",
            };
            return Err(self.unexpected(expected));
        };
        let mut declared = Vec::new();
        loop {
            let name = self.ident("the name of a variable")?;
            let mut kind = kind;
            if is_unsigned {
                kind = self.width(&name)?;
            }
            let mut len = None;
            if self.sign("[") {
                let size = self.expression()?;
                let value = constant(&size).filter(|n| (1..=ELEMENTS).contains(n));
                let Some(n) = value else {
                    let message = "expected a constant number of elements, at least 1";
                    return Err(size.span.error(message));
                };
                len = Some(n as u32);
                self.expect("]")?;
            }
            let initial = self.initial(kind)?;
            let index = self.model.variables.len();
            let scope = self.scopes.last_mut();
            let known = scope.and_then(|scope| scope.insert(name.text.clone(), index));
            if known.is_some() {
                let message = format!("`{}` is already declared", name.text);
                return Err(name.span.error(message));
            }
            match self.process {
                None => self.model.globals.push(index),
                Some(_) => self.locals.push(index),
            }
            self.model.variables.push(VariableAst {
                name,
                kind,
                len,
                initial,
                is_assigned,
            });
            declared.push(index);
            // In a list of parameters or fields a type may follow the comma.
            if !self.peek().is(",") {
                return Ok(declared);
            }
            self.at += 1;
        }
    }

    fn declarations(&mut self, is_assigned: bool) -> Reading<()> {
        self.declare(is_assigned).map(|_| ())
    }

    /// The number of bits of an unsigned variable.
    fn width(&mut self, name: &Ident) -> Reading<Type> {
        if !self.sign(":") {
            let message = format!("expected the width of `{}` in bits", name.text);
            let help = format!("write `unsigned {} : 3`", name.text);
            return Err(name.span.error(message).help(help));
        }
        let width = self.primary()?;
        match constant(&width).filter(|n| (1..=31).contains(n)) {
            Some(bits) => Ok(Type::Range(0, (1 << bits) - 1)),
            None => Err(width.span.error("expected a width of 1 to 31 bits")),
        }
    }

    fn initial(&mut self, kind: Type) -> Reading<Initial> {
        if !self.sign("=") {
            return Ok(Initial::None);
        }
        if kind == Type::Chan && self.peek().is("[") {
            return self.channel();
        }
        if matches!(kind, Type::Struct(_)) {
            let message = "a structure has no initial value: assign its fields";
            return Err(self.peek().span.error(message));
        }
        if !self.sign("{") {
            return Ok(Initial::Value(self.expression()?));
        }
        let mut values = Vec::new();
        while !self.sign("}") {
            values.push(self.expression()?);
            if !self.peek().is("}") {
                self.expect(",")?;
            }
        }
        Ok(Initial::Values(values))
    }

    /// `[n] of { types }`
    fn channel(&mut self) -> Reading<Initial> {
        self.expect("[")?;
        let size = self.expression()?;
        let Some(capacity) = constant(&size).filter(|n| (0..=255).contains(n)) else {
            return Err(size.span.error("expected a constant capacity, at most 255"));
        };
        self.expect("]")?;
        if !self.word("of") {
            return Err(self.unexpected("`of`"));
        }
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.sign("}") {
            let span = self.peek().span;
            match self.kind()? {
                Some(Type::Range(0, 0)) => {
                    let width = match self.sign(":") {
                        true => constant(&self.primary()?),
                        false => None,
                    };
                    match width.filter(|n| (1..=31).contains(n)) {
                        Some(bits) => fields.push(Type::Range(0, (1 << bits) - 1)),
                        None => return Err(span.error("expected a width of 1 to 31 bits")),
                    }
                }
                Some(kind) => fields.push(kind),
                None => return Err(self.unexpected("the type of a field")),
            }
            if !self.peek().is("}") {
                self.expect(",")?;
            }
        }
        Ok(Initial::Channel(capacity as u32, fields))
    }
}

/// A basic type by its name.
fn basic(word: &str) -> Option<Type> {
    Some(match word {
        "bit" | "bool" => Type::Range(0, 1),
        "byte" | "pid" => Type::Range(0, 255),
        "short" => Type::Range(-32_768, 32_767),
        "int" => Type::Range(i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => return None,
    })
}

/// Words that cannot be names.
pub const KEYWORDS: [&str; 65] = [
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_decl",
    "c_expr",
    "c_state",
    "c_track",
    "chan",
    "d_step",
    "D_proctype",
    "do",
    "else",
    "empty",
    "enabled",
    "eval",
    "false",
    "fi",
    "for",
    "full",
    "goto",
    "hidden",
    "if",
    "in",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "return",
    "run",
    "select",
    "short",
    "show",
    "skip",
    "timeout",
    "trace",
    "true",
    "typedef",
    "unless",
    "unsigned",
    "xr",
    "xs",
    "_",
    "_pid",
];

pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}
