//! Linear comparisons: grammar and normal form.

use std::ops::Range;

use lariat_ltl::AtomError;

use super::{ParsedAtom, blanks, shifted};
use crate::labels::NodeKind;
use crate::names::{NameKind, Names};
use crate::predicate::{Comparison, Linear};
use crate::system::{Value, VarId};

/// A sum of variables and a constant before it is checked to fit 64 bits.
#[derive(Default)]
pub(super) struct LinearSum {
    pub terms: Vec<(VarId, i128)>,
    pub constant: i128,
}

const OPERATORS: [(&str, Comparison); 7] = [
    ("<=", Comparison::Le),
    (">=", Comparison::Ge),
    ("==", Comparison::Eq),
    ("!=", Comparison::Ne),
    ("<", Comparison::Lt),
    (">", Comparison::Gt),
    ("=", Comparison::Eq),
];

impl Names<'_> {
    pub(super) fn comparison(&self, text: &str) -> Result<ParsedAtom, AtomError> {
        let mut at = 0;
        let left = self.sum(text, &mut at)?;
        let Some((operator, comparison)) =
            OPERATORS.iter().find(|(op, _)| text[at..].starts_with(op))
        else {
            let message =
                "expected a comparison: <, <=, >, >=, ==, != (or + or - and more to add up)";
            return Err(AtomError::new(message).at(first_char(text, at)));
        };
        at += operator.len();
        let right = self.sum(text, &mut at)?;
        if at < text.len() {
            let error = AtomError::new("expected the end of the comparison").at(at..text.len());
            return Err(error.help(
                "operators of formulas combine atoms, each in its own quotes: \"p >= 1\" U \"q >= 1\"",
            ));
        }
        match normal(left, *comparison, right) {
            Some(linear) => Ok(self.predicate(linear)),
            None => {
                let message = "the numbers are too large: expected them below 2^63";
                Err(AtomError::new(message))
            }
        }
    }

    fn sum(&self, text: &str, at: &mut usize) -> Result<LinearSum, AtomError> {
        let mut sum = LinearSum::default();
        let mut sign = 1;
        *at += blanks(&text[*at..]);
        // A name may itself start with a minus.
        if text[*at..].starts_with('-') && self.name_here(&text[*at..]).is_none() {
            sign = -1;
            *at += 1;
        }
        loop {
            self.term(text, at, sign, &mut sum)?;
            *at += blanks(&text[*at..]);
            sign = match text[*at..].bytes().next() {
                Some(b'+') => 1,
                Some(b'-') => -1,
                _ => return Ok(sum),
            };
            *at += 1;
        }
    }

    fn term(
        &self,
        text: &str,
        at: &mut usize,
        sign: i128,
        sum: &mut LinearSum,
    ) -> Result<(), AtomError> {
        *at += blanks(&text[*at..]);
        let mut factor = sign;
        if let Some((number, len)) = self.number_here(&text[*at..]) {
            factor *= number.ok_or_else(|| {
                let message = "the number is too large: expected one below 2^63";
                AtomError::new(message).at(*at..*at + len)
            })?;
            *at += len;
            let rest = &text[*at..];
            let Some(behind) = rest.trim_start().strip_prefix('*') else {
                sum.constant += factor;
                return Ok(());
            };
            *at = text.len() - behind.len();
            *at += blanks(behind);
        }
        let rest = &text[*at..];
        let mut vars = Vec::new();
        if let Some(len) = self.name_here(rest) {
            if let Some(error) = self.no_such_colour(rest, len, *at) {
                return Err(error);
            }
            if let Some(error) = self.ambiguity(&rest[..len], NodeKind::Place) {
                return Err(error.at(*at..*at + len));
            }
            vars = self.number(&rest[..len]).unwrap_or_default();
            *at += len;
        } else if let Some((arguments, len)) = tokens_call(rest) {
            let from = *at + len - 1 - arguments.len();
            self.list(arguments, NameKind::Number, |name| {
                vars.extend(self.number(name).unwrap_or_default());
            })
            .map_err(|error| shifted(error, from))?;
            *at += len;
        } else {
            let len = unknown_word(rest);
            if len == 0 {
                let message = "expected a place, a number or tokens(…)";
                return Err(AtomError::new(message).at(first_char(text, *at)));
            }
            return Err(self.unknown(&rest[..len], NameKind::Number, Some(*at..*at + len)));
        }
        sum.terms.extend(vars.into_iter().map(|v| (v, factor)));
        Ok(())
    }

    /// The error for `p(9)` where the coloured place `p` has no such colour; `len` is the length of
    /// its id at `at`.
    fn no_such_colour(&self, text: &str, len: usize, at: usize) -> Option<AtomError> {
        let inside = text[len..].trim_start().strip_prefix('(')?;
        let (inside, _) = inside.split_once(')')?;
        let (message, help) = self.misfit(&text[..len], inside)?;
        let end = inside.as_ptr() as usize - text.as_ptr() as usize + inside.len() + 1;
        Some(AtomError::new(message).help(help).at(at..at + end))
    }

    /// The length of the longest name of a number at the start of `text`.
    fn name_here(&self, text: &str) -> Option<usize> {
        self.longest_prefix(text, NameKind::Number, |rest| {
            let last = text[..text.len() - rest.len()].chars().next_back();
            let next = rest.chars().next();
            // Not inside a word.
            !(last.is_some_and(is_word) && next.is_some_and(is_word))
        })
    }

    /// A number at the start of `text`, `None` inside if it is too large, and its length.
    fn number_here(&self, text: &str) -> Option<(Option<i128>, usize)> {
        let len = text.bytes().take_while(u8::is_ascii_digit).count();
        if len == 0 || self.name_here(text).is_some_and(|name| name > len) {
            return None;
        }
        if text[len..].chars().next().is_some_and(is_word) {
            return None;
        }
        Some((text[..len].parse::<Value>().ok().map(i128::from), len))
    }
}

/// The span of the character at this position, or of the end.
fn first_char(text: &str, at: usize) -> Range<usize> {
    at..at + text[at..].chars().next().map_or(1, char::len_utf8)
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `tokens(…)` at the start of `text`: the arguments, and the total length. Parentheses in names
/// are balanced.
fn tokens_call(text: &str) -> Option<(&str, usize)> {
    let inner = text
        .strip_prefix("tokens")?
        .trim_start()
        .strip_prefix('(')?;
    let mut depth = 1usize;
    for (i, c) in inner.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&inner[..i], text.len() - inner.len() + i + 1));
        }
    }
    None
}

/// Length of an unknown name at the start of `text`: up to a blank or an operator, but including
/// arrows.
fn unknown_word(text: &str) -> usize {
    let mut previous = ' ';
    for (i, c) in text.char_indices() {
        let arrow = c == '>' && previous == '-';
        if c.is_whitespace() || (!arrow && "<>=!+*,()".contains(c)) {
            return i;
        }
        previous = c;
    }
    text.len()
}

/// `left ⋈ right` with all variables on the left; `None` if a number exceeds 64 bits.
pub(super) fn normal(left: LinearSum, comparison: Comparison, right: LinearSum) -> Option<Linear> {
    let mut terms = left.terms;
    terms.extend(right.terms.into_iter().map(|(v, c)| (v, -c)));
    terms.sort_by_key(|(v, _)| *v);
    let mut summed: Vec<(VarId, i128)> = Vec::with_capacity(terms.len());
    for (var, c) in terms {
        match summed.last_mut() {
            Some((last, sum)) if *last == var => *sum += c,
            _ => summed.push((var, c)),
        }
    }
    summed.retain(|(_, c)| *c != 0);
    let mut constant = right.constant - left.constant;
    let mut comparison = comparison;
    if summed.first().is_some_and(|(_, c)| *c < 0) {
        for (_, c) in &mut summed {
            *c = -*c;
        }
        constant = -constant;
        comparison = comparison.mirrored();
    }
    match comparison {
        Comparison::Lt => (comparison, constant) = (Comparison::Le, constant - 1),
        Comparison::Gt => (comparison, constant) = (Comparison::Ge, constant + 1),
        _ => {}
    }
    let divisor = summed.iter().fold(0, |d, (_, c)| gcd(d, *c));
    if divisor > 1 {
        match comparison {
            Comparison::Le => constant = constant.div_euclid(divisor),
            Comparison::Ge => constant = -(-constant).div_euclid(divisor),
            _ if constant % divisor != 0 => {
                // Never equal: leave unchanged.
                return linear(summed, comparison, constant);
            }
            _ => constant /= divisor,
        }
        for (_, c) in &mut summed {
            *c /= divisor;
        }
    }
    linear(summed, comparison, constant)
}

fn linear(terms: Vec<(VarId, i128)>, comparison: Comparison, constant: i128) -> Option<Linear> {
    let terms: Option<Vec<(VarId, Value)>> = terms
        .into_iter()
        .map(|(v, c)| Some((v, Value::try_from(c).ok()?)))
        .collect();
    Some(Linear {
        terms: terms?,
        comparison,
        constant: Value::try_from(constant).ok()?,
    })
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
