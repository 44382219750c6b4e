//! Parser of formulas.
//!
//! The grammar accepts the spellings of Spot and SPIN with Spot's precedences. From loosest to
//! tightest:
//!
//! | operators | associate |
//! | --- | --- |
//! | `->` `=>` `<->` `<=>` | to the right |
//! | `\|\|` `\|` `\/` | – |
//! | `xor` `^` | to the left |
//! | `&&` `&` `/\` | – |
//! | `U` `R` `V` `W` `M` | to the right |
//! | `!` `~` `X` `()` `F` `<>` `G` `[]` | prefix |
//!
//! Operator-precedence parsing with an explicit stack (Dijkstra's shunting yard): operators stay on
//! the stack until one that binds no tighter arrives. A run of `&` or of `|` is one operator with
//! many operands, so that a conjunction of n formulas creates one node, not n. Formulas nested
//! deeper than [`MAX_DEPTH`] are rejected, so that functions on parsed formulas may recurse.

use std::fmt;
use std::ops::Range;

use crate::formula::{Formula, Formulas};
use crate::lexer::{Follow, Infix, LtlLexer, Operand, Prefix};
use crate::vocabulary::{RawAtom, Vocabulary};

/// Maximum nesting depth of a formula and size of the parser stack.
pub const MAX_DEPTH: usize = 2000;

/// Reason why a text is not a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Byte range of the error. Empty at the end if something is missing there.
    pub span: Range<usize>,
    /// Description of the error.
    pub message: String,
    /// Suggested correction.
    pub help: Option<String>,
}

impl ParseError {
    /// An error without a correction.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> ParseError {
        ParseError {
            span,
            message: message.into(),
            help: None,
        }
    }

    /// Adds a correction to the error.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> ParseError {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

/// An operator or open parenthesis on the stack.
enum Waiting {
    Open,
    Prefix(Prefix),
    /// With the number of operands so far.
    Infix(Infix, usize),
}

struct Parser<'a> {
    formulas: &'a mut Formulas,
    /// With their spans.
    waiting: Vec<(Waiting, Range<usize>)>,
    /// With their depths.
    operands: Vec<(Formula, usize)>,
}

fn precedence(op: Infix) -> u8 {
    match op {
        Infix::Implies | Infix::Iff => 1,
        Infix::Or => 2,
        Infix::Xor => 3,
        Infix::And => 4,
        Infix::Until | Infix::Release | Infix::WeakUntil | Infix::StrongRelease => 5,
    }
}

/// Parses a formula, resolving names with `vocabulary`.
pub fn parse(
    text: &str,
    formulas: &mut Formulas,
    vocabulary: &mut dyn Vocabulary,
) -> Result<Formula, ParseError> {
    let mut lexer = LtlLexer::new(text);
    let mut parser = Parser {
        formulas,
        waiting: Vec::new(),
        operands: Vec::new(),
    };
    loop {
        let (operand, span) = lexer.operand(vocabulary)?;
        let raw;
        let (atom, inner) = match operand {
            Operand::Open => {
                parser.push(Waiting::Open, span)?;
                continue;
            }
            Operand::Prefix(op) => {
                parser.push(Waiting::Prefix(op), span)?;
                continue;
            }
            Operand::Constant(value) => {
                let f = parser.formulas.constant(value);
                parser.operands.push((f, 1));
                (None, 0)
            }
            Operand::Word => (Some(RawAtom::Word(&text[span.clone()])), span.start),
            Operand::Quoted(name) => {
                raw = name;
                (Some(RawAtom::Quoted(&raw)), span.start + 1)
            }
            Operand::Call(name, arguments) => {
                let name = &text[span.start..span.start + name];
                let literal = &text[arguments.clone()];
                let skipped = literal.len() - literal.trim_start().len();
                (
                    Some(RawAtom::Call(name, literal.trim())),
                    arguments.start + skipped,
                )
            }
        };
        if let Some(atom) = atom {
            let name = vocabulary.resolve(atom).map_err(|error| ParseError {
                span: part_of(text, &span, inner, atom, error.span),
                message: error.message,
                help: error.help,
            })?;
            let id = parser.formulas.atom_id(&name);
            let f = parser.formulas.atom(id);
            parser.operands.push((f, 1));
        }
        loop {
            let (follow, span) = lexer.follow(vocabulary)?;
            match follow {
                Follow::Infix(op) => {
                    parser.infix(op, span)?;
                    break;
                }
                Follow::Close => parser.close(span)?,
                Follow::End => return parser.end(span),
            }
        }
    }
}

impl Parser<'_> {
    fn push(&mut self, what: Waiting, span: Range<usize>) -> Result<(), ParseError> {
        if self.waiting.len() >= MAX_DEPTH {
            return Err(too_deep(span));
        }
        self.waiting.push((what, span));
        Ok(())
    }

    fn infix(&mut self, op: Infix, span: Range<usize>) -> Result<(), ParseError> {
        loop {
            match self.waiting.last_mut() {
                Some((Waiting::Infix(left, operands), _))
                    if *left == op && matches!(op, Infix::And | Infix::Or) =>
                {
                    *operands += 1;
                    return Ok(());
                }
                Some((Waiting::Infix(left, _), _))
                    if precedence(*left) > precedence(op)
                        || (*left, op) == (Infix::Xor, Infix::Xor) => {}
                Some((Waiting::Prefix(_), _)) => {}
                _ => return self.push(Waiting::Infix(op, 2), span),
            }
            self.reduce()?;
        }
    }

    fn close(&mut self, span: Range<usize>) -> Result<(), ParseError> {
        loop {
            match self.waiting.last() {
                Some((Waiting::Open, _)) => {
                    self.waiting.pop();
                    return Ok(());
                }
                Some(_) => self.reduce()?,
                None => {
                    return Err(ParseError::new(span, "this parenthesis was never opened")
                        .help("remove it, or add `(`"));
                }
            }
        }
    }

    fn end(&mut self, span: Range<usize>) -> Result<Formula, ParseError> {
        while let Some((what, open)) = self.waiting.last() {
            if let Waiting::Open = what {
                return Err(never_closed(open.clone()));
            }
            self.reduce()?;
        }
        match self.operands.pop() {
            Some((f, _)) => Ok(f),
            None => Err(ParseError::new(span, "expected a formula")),
        }
    }

    /// Applies the top operator of the stack to its operands, which are complete.
    fn reduce(&mut self) -> Result<(), ParseError> {
        let Some((what, span)) = self.waiting.pop() else {
            return Ok(());
        };
        let count = match what {
            Waiting::Open => return Ok(()),
            Waiting::Prefix(_) => 1,
            Waiting::Infix(_, operands) => operands,
        };
        let first = self.operands.len().saturating_sub(count);
        let operands: Vec<(Formula, usize)> = self.operands.drain(first..).collect();
        let depth = 1 + operands.iter().map(|o| o.1).max().unwrap_or(0);
        if depth > MAX_DEPTH {
            return Err(too_deep(span));
        }
        let s = &mut *self.formulas;
        let f = match (what, &operands[..]) {
            (Waiting::Prefix(op), &[(f, _)]) => match op {
                Prefix::Not => s.not(f),
                Prefix::Next => s.next(f),
                Prefix::Finally => s.finally(f),
                Prefix::Globally => s.globally(f),
            },
            (Waiting::Infix(Infix::And, _), all) => s.and(all.iter().map(|o| o.0)),
            (Waiting::Infix(Infix::Or, _), all) => s.or(all.iter().map(|o| o.0)),
            (Waiting::Infix(op, _), &[(f, _), (g, _)]) => match op {
                Infix::And => s.and([f, g]),
                Infix::Or => s.or([f, g]),
                Infix::Implies => s.implies(f, g),
                Infix::Iff => s.iff(f, g),
                Infix::Xor => s.xor(f, g),
                Infix::Until => s.until(f, g),
                Infix::Release => s.release(f, g),
                Infix::WeakUntil => s.weak_until(f, g),
                Infix::StrongRelease => s.strong_release(f, g),
            },
            // The lexer alternates operands and operators, so every operator finds its operands.
            _ => unreachable!("an operator without operands"),
        };
        self.operands.push((f, depth));
        Ok(())
    }
}

/// Span of the wrong part of an atom in the text; `inner` is the start of the atom's own text.
fn part_of(
    text: &str,
    span: &Range<usize>,
    inner: usize,
    atom: RawAtom<'_>,
    part: Option<Range<usize>>,
) -> Range<usize> {
    let part = match (part, atom) {
        // Escapes shift the positions after them.
        (Some(_), RawAtom::Quoted(name)) if name.len() + 2 != span.len() => None,
        (part, _) => part,
    };
    part.map(|part| inner.saturating_add(part.start)..inner.saturating_add(part.end))
        .filter(|part| part.end <= span.end && text.get(part.clone()).is_some())
        .unwrap_or_else(|| span.clone())
}

fn too_deep(span: Range<usize>) -> ParseError {
    let message = format!("the formula is nested deeper than {MAX_DEPTH} levels");
    ParseError::new(span, message)
}

pub(crate) fn never_closed(span: Range<usize>) -> ParseError {
    ParseError::new(span, "this parenthesis is never closed").help("add `)`")
}
