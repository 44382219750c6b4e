//! Tokens of formulas, produced one at a time.
//!
//! Tokenization depends on the context: where an operand is expected, `U` may be a name and `GFa`
//! three tokens; after an operand, `U` is until. The parser therefore calls either
//! [`operand`](LtlLexer::operand) or [`follow`](LtlLexer::follow).
//!
//! Where an operand is expected, a maximal run of letters, digits, `_` and `.` is
//!
//! 1. a constant (`true`, `false`, `1`, `0`); an error if the model declares this name;
//! 2. a name, if the model declares it, unless it is `G`, `F` or `X` and an operand follows, where
//!    a name would be an error anyway;
//! 3. a sequence of the operators `G`, `F`, `X`, if the rest is a name or empty;
//! 4. `always`, `eventually` or `next`, if the model does not declare it or an operand follows;
//! 5. an unknown name.
//!
//! Operators of other logics (branching time, past, bounds, PSL) have errors that name the logic
//! (`foreign.rs`).

use std::ops::Range;

use crate::foreign;
use crate::parse::{MAX_DEPTH, ParseError, never_closed};
use crate::vocabulary::Vocabulary;

/// Prefix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prefix {
    Not,
    Next,
    Finally,
    Globally,
}

/// Binary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Infix {
    Implies,
    Iff,
    Or,
    Xor,
    And,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
}

/// Tokens that can start or continue an operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Operand {
    Constant(bool),
    Word,
    /// The text between the quotes, escapes resolved.
    Quoted(String),
    /// Length of the function name, and span of the arguments.
    Call(usize, Range<usize>),
    Prefix(Prefix),
    Open,
}

/// Tokens that can follow an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Follow {
    Infix(Infix),
    Close,
    End,
}

pub(crate) struct LtlLexer<'a> {
    text: &'a str,
    at: usize,
    /// Number of pending operators of a word that was split (`GFa`).
    operators: usize,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

/// The text between the quotes at the start of `text`, escapes resolved, and the length of both
/// together; `None` if the quote is never closed.
pub fn unquoted(text: &str) -> Option<(String, usize)> {
    let mut inside = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => return Some((inside, i + 1)),
            '\\' => inside.extend(chars.next().map(|(_, c)| c)),
            c => inside.push(c),
        }
    }
    None
}

fn constant(word: &str) -> Option<bool> {
    match word {
        "1" => Some(true),
        "0" => Some(false),
        _ if word.eq_ignore_ascii_case("true") => Some(true),
        _ if word.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

fn prefix(c: char) -> Option<Prefix> {
    match c {
        'G' => Some(Prefix::Globally),
        'F' => Some(Prefix::Finally),
        'X' => Some(Prefix::Next),
        _ => None,
    }
}

/// Operators that are written as words.
fn synonym(word: &str) -> Option<Prefix> {
    match word {
        "always" => Some(Prefix::Globally),
        "eventually" => Some(Prefix::Finally),
        "next" => Some(Prefix::Next),
        _ => None,
    }
}

fn infix(c: char) -> Option<Infix> {
    match c {
        'U' => Some(Infix::Until),
        'R' | 'V' => Some(Infix::Release),
        'W' => Some(Infix::WeakUntil),
        'M' => Some(Infix::StrongRelease),
        _ => None,
    }
}

/// Spellings, longer ones before their prefixes.
const PREFIXES: [(&str, Prefix); 5] = [
    ("[]", Prefix::Globally),
    ("<>", Prefix::Finally),
    ("()", Prefix::Next),
    ("!", Prefix::Not),
    ("~", Prefix::Not),
];

const INFIXES: [(&str, Infix); 13] = [
    ("<->", Infix::Iff),
    ("<=>", Infix::Iff),
    ("<-->", Infix::Iff),
    ("-->", Infix::Implies),
    ("->", Infix::Implies),
    ("=>", Infix::Implies),
    ("&&", Infix::And),
    ("&", Infix::And),
    ("/\\", Infix::And),
    ("||", Infix::Or),
    ("|", Infix::Or),
    ("\\/", Infix::Or),
    ("^", Infix::Xor),
];

impl<'a> LtlLexer<'a> {
    pub(crate) fn new(text: &'a str) -> LtlLexer<'a> {
        LtlLexer {
            text,
            at: 0,
            operators: 0,
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// End of the word that starts at the current position.
    fn word_end(&self) -> usize {
        let rest = self.rest();
        self.at + rest.find(|c| !is_word(c)).unwrap_or(rest.len())
    }

    /// The error about the token at the current position.
    fn unexpected(&self, expected: &str) -> ParseError {
        let rest = self.rest();
        let len = match rest.chars().next() {
            None => 0,
            Some(c) if is_word(c) => self.word_end() - self.at,
            Some(c) => [">=", "<=", "==", "!="]
                .iter()
                .find(|op| rest.starts_with(**op))
                .map_or(c.len_utf8(), |op| op.len()),
        };
        let found = match &rest[..len] {
            "" => "the formula ends here".to_owned(),
            token => format!("found `{token}`"),
        };
        let span = self.at..self.at + len;
        ParseError {
            help: self.help_compare(&span),
            ..ParseError::new(span, format!("expected {expected}, {found}"))
        }
    }

    /// Reads a token where an operand is expected; also returns its span.
    pub(crate) fn operand(
        &mut self,
        vocabulary: &dyn Vocabulary,
    ) -> Result<(Operand, Range<usize>), ParseError> {
        self.skip_space();
        let start = self.at;
        for (spelling, op) in PREFIXES {
            if self.rest().starts_with(spelling) {
                self.at += spelling.len();
                return Ok((Operand::Prefix(op), start..self.at));
            }
        }
        match self.rest().chars().next() {
            Some('(') => {
                self.at += 1;
                Ok((Operand::Open, start..self.at))
            }
            Some('"') => self.quoted(),
            Some(c) if is_word(c) => self.word(vocabulary),
            _ => {
                Err(foreign::sign(self.text, start).unwrap_or_else(|| self.unexpected("a formula")))
            }
        }
    }

    fn quoted(&mut self) -> Result<(Operand, Range<usize>), ParseError> {
        let start = self.at;
        let Some((name, len)) = unquoted(self.rest()) else {
            let span = start..self.text.len();
            let error = ParseError::new(span, "the quote is never closed");
            return Err(error.help("end the atom with `\"`"));
        };
        self.at += len;
        Ok((Operand::Quoted(name), start..self.at))
    }

    fn word(&mut self, vocabulary: &dyn Vocabulary) -> Result<(Operand, Range<usize>), ParseError> {
        let start = self.at;
        if self.operators > 0
            && let Some(op) = self.rest().chars().next().and_then(prefix)
        {
            self.operators -= 1;
            self.at += 1;
            return Ok((Operand::Prefix(op), start..self.at));
        }
        let end = self.word_end();
        let word = &self.text[start..end];
        if let Some(value) = constant(word) {
            if vocabulary.is_name(word) {
                if matches!(word, "true" | "false" | "0" | "1") {
                    let message = format!("`{word}` is both a constant and a name of the model");
                    let other = match word {
                        "true" => "1",
                        "false" => "0",
                        "1" => "true",
                        _ => "false",
                    };
                    return Err(ParseError::new(start..end, message).help(format!(
                        "write \"{word}\" in quotes for the name, {other} for the constant"
                    )));
                }
            } else {
                self.at = end;
                return Ok((Operand::Constant(value), start..end));
            }
        }
        if let Some((arguments, close)) = self.arguments(end, vocabulary.is_function(word))? {
            self.at = close;
            return Ok((Operand::Call(end - start, arguments), start..close));
        }
        if let Some(op) = synonym(word)
            && (!vocabulary.is_name(word) || self.operand_follows(end))
        {
            self.at = end;
            return Ok((Operand::Prefix(op), start..end));
        }
        if let Some(error) = foreign::word(word, start..end)
            && !vocabulary.is_name(word)
            && self.operand_follows(end)
        {
            return Err(error);
        }
        let lone = word.len() == 1;
        let operator = word.chars().next().and_then(prefix);
        let is_name =
            vocabulary.is_name(word) && !(lone && operator.is_some() && self.operand_follows(end));
        if !is_name
            && let Some(op) = operator
            && let Some(more) = self.operators_of(&word[1..], end, vocabulary)
        {
            self.operators = more;
            self.at += 1;
            return Ok((Operand::Prefix(op), start..self.at));
        }
        if !is_name && (lone && word.chars().next().and_then(infix).is_some() || word == "xor") {
            let message = format!("expected a formula, found the operator `{word}`");
            let help = format!("`{word}` is a binary operator");
            return Err(ParseError::new(start..end, message).help(help));
        }
        self.at = end;
        Ok((Operand::Word, start..end))
    }

    /// Number of operators at the start of this rest of a word, which ends at `end`. `None` unless
    /// a name, or nothing, follows them.
    fn operators_of(&self, word: &str, end: usize, vocabulary: &dyn Vocabulary) -> Option<usize> {
        // Bounded, because each iteration looks up a long name.
        for operators in 0..=MAX_DEPTH.min(word.len()) {
            let rest = &word[operators..];
            if vocabulary.is_name(rest)
                || rest.len() > 1 && constant(rest).is_some()
                || vocabulary.is_function(rest) && self.opens(end)
            {
                return Some(operators);
            }
            match rest.chars().next() {
                None => return Some(operators),
                Some(c) => prefix(c)?,
            };
        }
        None
    }

    fn opens(&self, at: usize) -> bool {
        self.text[at..].trim_start().starts_with('(')
    }

    /// Returns whether the token at `at` can only start an operand.
    fn operand_follows(&self, at: usize) -> bool {
        let rest = self.text[at..].trim_start();
        let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        match (&rest[..len], rest.chars().next()) {
            ("", c) => {
                matches!(c, Some('(' | '"' | '!' | '~'))
                    || rest.starts_with("[]")
                    || rest.starts_with("<>")
            }
            ("xor" | "until", _) => false,
            (word, Some(c)) => !(word.len() == 1 && infix(c).is_some()),
            (_, None) => false,
        }
    }

    /// Span between the parentheses that open at `at`, and end of the closing one.
    fn arguments(
        &self,
        at: usize,
        is_function: bool,
    ) -> Result<Option<(Range<usize>, usize)>, ParseError> {
        if !is_function || !self.opens(at) {
            return Ok(None);
        }
        let open = self.text.len() - self.text[at..].trim_start().len();
        let mut depth = 0usize;
        for (i, c) in self.text[open..].char_indices() {
            match c {
                '(' => depth += 1,
                ')' if depth == 1 => return Ok(Some((open + 1..open + i, open + i + 1))),
                ')' => depth -= 1,
                _ => {}
            }
        }
        Err(never_closed(open..open + 1))
    }

    /// Reads a token after an operand; also returns its span.
    pub(crate) fn follow(
        &mut self,
        vocabulary: &dyn Vocabulary,
    ) -> Result<(Follow, Range<usize>), ParseError> {
        self.skip_space();
        let start = self.at;
        // The longest spelling wins: `<->` over `<`, `&&` over `&`.
        let spelled = INFIXES
            .iter()
            .filter(|(spelling, _)| self.rest().starts_with(spelling))
            .max_by_key(|(spelling, _)| spelling.len());
        if let Some((spelling, op)) = spelled {
            self.at += spelling.len();
            return Ok((Follow::Infix(*op), start..self.at));
        }
        match self.rest().chars().next() {
            None => return Ok((Follow::End, start..start)),
            Some(')') => {
                self.at += 1;
                return Ok((Follow::Close, start..self.at));
            }
            Some(c) if is_word(c) => {
                let end = self.word_end();
                let word = &self.text[start..end];
                let spelt = match word {
                    "xor" => Some(Infix::Xor),
                    "until" => Some(Infix::Until),
                    _ => None,
                };
                if let Some(op) = spelt {
                    self.at = end;
                    return Ok((Follow::Infix(op), start..end));
                }
                if let Some(error) = foreign::infix(word, start..end) {
                    return Err(error);
                }
                // `a UFb` is unambiguous, because a name cannot follow an operand.
                if let Some(op) = infix(c)
                    && (word.len() == 1
                        || !vocabulary.is_declared(word)
                            && self.operators_of(&word[1..], end, vocabulary).is_some())
                {
                    self.at += 1;
                    return Ok((Follow::Infix(op), start..self.at));
                }
            }
            Some(_) => {}
        }
        if let Some(error) = foreign::sign(self.text, start) {
            return Err(error);
        }
        Err(self.unexpected("an operator or the end of the formula"))
    }

    /// Advice for an unquoted comparison, sum or name with special characters.
    fn help_compare(&self, span: &Range<usize>) -> Option<String> {
        let what = &self.text[span.clone()];
        if !what.starts_with([
            '<', '>', '=', '!', '+', '-', '*', '/', '%', '#', '@', ':', '$', '[', '?',
        ]) {
            return None;
        }
        let reach = |c: char| is_word(c) || "<>=!+-*/%#@:$[]? ".contains(c);
        let before = self.text[..span.start].trim_end();
        let from = before.rfind(|c: char| !is_word(c)).map_or(0, |i| {
            i + before[i..].chars().next().map_or(1, char::len_utf8)
        });
        let after = &self.text[span.end..];
        let to = span.end + after.find(|c| !reach(c)).unwrap_or(after.len());
        let atom = before_operator(self.text[from..to].trim());
        Some(if atom.chars().count() <= 60 {
            format!("put atoms that are not a single word in quotes: \"{atom}\"")
        } else {
            "put atoms that are not a single word in quotes".to_owned()
        })
    }
}

/// The text before the first temporal or Boolean operator word: of `p >= 1 U q` the comparison.
fn before_operator(text: &str) -> &str {
    let words = text.split(' ');
    let mut end = 0;
    for word in words {
        let ends = matches!(
            word,
            "U" | "R" | "W" | "M" | "V" | "G" | "F" | "X" | "xor" | "->" | "<->" | "<=>" | "=>"
        );
        if ends && end > 0 {
            return text[..end - 1].trim_end();
        }
        end += word.len() + 1;
    }
    text
}
