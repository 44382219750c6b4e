//! The names of a model, for formulas: expressions of Promela over the states of the system.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use lariat_ltl::AtomError;
use lariat_model::{Expressions, Predicate};

use super::compile::{Compiler, Place};
use super::formula::{atom_error, text_of, translated};
use super::graph::Graph;
use super::layout::Layout;
use super::lexer::{Reading, Tok, Token, tokens};
use super::parser::Parser;
use super::points::Points;
use super::preprocess::Preprocessor;

/// The names of a Promela model.
#[derive(Clone)]
pub struct Scope {
    pub(super) parser: Parser,
    pub(super) preprocessor: Preprocessor,
    pub(super) graphs: Vec<Graph>,
    pub(super) layout: Layout,
    pub(super) points: Points,
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

impl Scope {
    /// The tokens of a text after the macros of the model were replaced.
    fn tokens(&self, text: &str) -> Reading<Vec<Token>> {
        let mut found = tokens(text.as_bytes(), 0)?;
        found.retain(|t| !matches!(t.tok, Tok::Newline | Tok::End));
        self.preprocessor.expanded(&found)
    }

    /// Returns whether a word is a global variable, a process or a constant.
    fn is_name(&self, word: &str) -> bool {
        self.parser.knows(word)
    }

    /// The predicate that an expression is not 0.
    pub(super) fn predicate(&self, tokens: Vec<Token>) -> Reading<Predicate> {
        let mut parser = self.parser.clone();
        let model = std::mem::take(&mut parser.model);
        parser.model = model.clone();
        let expr = parser.whole_expression(tokens)?;
        let compiler = Compiler {
            model: &model,
            graphs: &self.graphs,
            layout: Cow::Borrowed(&self.layout),
            points: Cow::Borrowed(&self.points),
            is_bounded: true,
            receivers: Vec::new(),
            scratch: Vec::new(),
            needed: Cell::new(0),
            work: Cell::new(0),
        };
        let expr = compiler.expr(Place::default(), &expr)?;
        Ok(crate::dve::predicate(expr))
    }

    /// A formula as users of SPIN write it, in the syntax of the checker.
    pub(super) fn formula_of(&self, tokens: &[Token]) -> Reading<String> {
        translated(tokens, &|word| self.is_name(word))
    }
}

impl Expressions for Scope {
    fn is_array(&self, name: &str) -> bool {
        self.parser.is_array(name)
    }

    fn atom(&self, text: &str) -> Result<(String, Predicate), AtomError> {
        let tokens = self.tokens(text).map_err(atom_error)?;
        let canonical = text_of(&tokens);
        let predicate = self.predicate(tokens).map_err(atom_error)?;
        Ok((canonical, predicate))
    }

    fn formula(&self, text: &str) -> Option<Result<String, AtomError>> {
        let found = self
            .tokens(text)
            .and_then(|tokens| self.formula_of(&tokens));
        Some(found.map_err(atom_error))
    }
}
