//! The parser of Promela: tokens and units. Names of variables are resolved while parsing,
//! since they are declared before their use.

mod declaration;
mod expression;
mod loops;
mod statement;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ast::*;
use super::lexer::{Reading, Span, Tok, Token};

pub(super) use expression::constant;

/// Limit on nested statements and expressions.
const DEPTH: usize = 100;

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
