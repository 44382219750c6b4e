//! From text to tokens, one at a time.
//!
//! What a word is depends on where it stands: where an operand is expected, `U` may be a name and
//! `GFa` three tokens; after an operand, `U` is until. The parser therefore says which it expects.
//!
//! Where an operand is expected, a maximal run of letters, digits, `_` and `.` is
//!
//! 1. a constant (`true`, `false`, `1`, `0`); an error if the model has such a name, too;
//! 2. a name, if the model has it — unless it is one of `G`, `F`, `X` and stands before an operand,
//!    where a name would be a mistake anyway;
//! 3. a string of the operators `G`, `F`, `X`, if what remains is a name or nothing;
//! 4. an unknown name.

use std::ops::Range;

use crate::parse::{MAX_DEPTH, ParseError};
use crate::vocabulary::Vocabulary;

/// Operators before their operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prefix {
    Not,
    Next,
    Finally,
    Globally,
}

/// Operators between their operands.
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

/// What can start or continue an operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Operand {
    Constant(bool),
    Word,
    /// The text between the quotes, escapes resolved.
    Quoted(String),
    /// How long the name is; where the arguments are.
    Call(usize, Range<usize>),
    Prefix(Prefix),
    Open,
}

/// What can follow an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Follow {
    Infix(Infix),
    Close,
    End,
}

pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// So many operators of a word that was split (`GFa`) are still to come.
    operators: usize,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
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

fn infix(c: char) -> Option<Infix> {
    match c {
        'U' => Some(Infix::Until),
        'R' | 'V' => Some(Infix::Release),
        'W' => Some(Infix::WeakUntil),
        'M' => Some(Infix::StrongRelease),
        _ => None,
    }
}

/// Longer spellings before their prefixes.
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

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Lexer<'a> {
        Lexer {
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

    /// The end of the word that starts here.
    fn word_end(&self) -> usize {
        let rest = self.rest();
        self.at + rest.find(|c| !is_word(c)).unwrap_or(rest.len())
    }

    /// What stands at the place where something else was expected, for the message.
    fn found(&self, start: usize) -> (Range<usize>, String) {
        let rest = &self.text[start..];
        let len = match rest.chars().next() {
            None => return (start..start, "the formula ends here".to_owned()),
            Some(c) if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            Some(c) => [">=", "<=", "==", "!="]
                .iter()
                .find(|op| rest.starts_with(**op))
                .map_or(c.len_utf8(), |op| op.len()),
        };
        (start..start + len, format!("found `{}`", &rest[..len]))
    }

    /// Reads what stands where an operand is expected. Gives its span, too.
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
                let (span, found) = self.found(start);
                Err(ParseError {
                    message: format!("expected a formula, {found}"),
                    help: self.help_compare(&span),
                    span,
                })
            }
        }
    }

    fn quoted(&mut self) -> Result<(Operand, Range<usize>), ParseError> {
        let start = self.at;
        let mut name = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at = start + i + 1;
                    return Ok((Operand::Quoted(name), start..self.at));
                }
                '\\' => name.extend(chars.next().map(|(_, c)| c)),
                c => name.push(c),
            }
        }
        Err(ParseError {
            span: start..self.text.len(),
            message: "the quote is never closed".to_owned(),
            help: Some("end the atom with `\"`".to_owned()),
        })
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
                    return Err(ParseError {
                        span: start..end,
                        message: format!(
                            "`{word}` is a constant, and the model has this name, too"
                        ),
                        help: Some(format!(
                            "write \"{word}\" in quotes for the model's, {} for the constant",
                            match word {
                                "true" => "1",
                                "false" => "0",
                                "1" => "true",
                                _ => "false",
                            }
                        )),
                    });
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
            return Err(ParseError {
                span: start..end,
                message: format!("expected a formula, found the operator `{word}`"),
                help: Some(format!("`{word}` stands between two formulas")),
            });
        }
        self.at = end;
        Ok((Operand::Word, start..end))
    }

    /// How many operators stand at the start of this rest of a word, which ends at `end`? `None`
    /// unless a name, or nothing, follows them.
    fn operators_of(&self, word: &str, end: usize, vocabulary: &dyn Vocabulary) -> Option<usize> {
        // Nobody means thousands of them, and looking up as many long names would take its time.
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

    /// Can what stands at `at` only be an operand?
    fn operand_follows(&self, at: usize) -> bool {
        let rest = self.text[at..].trim_start();
        let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        match (&rest[..len], rest.chars().next()) {
            ("", c) => {
                matches!(c, Some('(' | '"' | '!' | '~'))
                    || rest.starts_with("[]")
                    || rest.starts_with("<>")
            }
            ("xor", _) => false,
            (word, Some(c)) => !(word.len() == 1 && infix(c).is_some()),
            (_, None) => false,
        }
    }

    /// The span between the parentheses that open at `at`, and the end of the closing one.
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
        Err(ParseError {
            span: open..open + 1,
            message: "this parenthesis is never closed".to_owned(),
            help: Some("add `)`".to_owned()),
        })
    }

    /// Reads what stands after an operand.
    pub(crate) fn follow(
        &mut self,
        vocabulary: &dyn Vocabulary,
    ) -> Result<(Follow, Range<usize>), ParseError> {
        self.skip_space();
        let start = self.at;
        // The longest spelling wins: `<->` is not `<`, `&&` is not `&`.
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
                if word == "xor" {
                    self.at = end;
                    return Ok((Follow::Infix(Infix::Xor), start..end));
                }
                // `a UFb`: nothing else can be meant, for a name cannot stand here.
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
        let (span, found) = self.found(start);
        Err(ParseError {
            message: format!("expected an operator or the end of the formula, {found}"),
            help: self.help_compare(&span),
            span,
        })
    }

    /// Advice where a bare comparison, sum or odd name seems to be meant.
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
            format!("an atom that is more than a word stands in quotes: \"{atom}\"")
        } else {
            "an atom that is more than a word stands in quotes".to_owned()
        })
    }
}

/// What stands in front of the first operator of formulas, each comparison being an atom of its own: of
/// `p >= 1 U q` the comparison.
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
