//! Tokens of HOA.

use super::read::{HoaError, HoaResult};
use lariat_ltl::unquoted;
use std::ops::Range;

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum HoaToken<'a> {
    /// `name:` at the start of an item.
    Header(&'a str),
    /// A bare word, including `t` and `f`.
    Word(&'a str),
    /// `@name`
    Alias(&'a str),
    Number(u64),
    Text(String),
    /// One of `! & | ( ) [ ] { }`.
    Sign(char),
    Body,
    End,
    Abort,
}

pub(super) struct HoaLexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> HoaLexer<'a> {
    pub fn new(text: &'a str) -> HoaLexer<'a> {
        HoaLexer { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) -> HoaResult<()> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if !self.rest().starts_with("/*") {
                return Ok(());
            }
            // Comments nest.
            let start = self.at;
            let mut depth = 0usize;
            loop {
                let rest = self.rest();
                if rest.starts_with("/*") {
                    depth += 1;
                    self.at += 2;
                } else if rest.starts_with("*/") {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        break;
                    }
                } else if let Some(c) = rest.chars().next() {
                    self.at += c.len_utf8();
                } else {
                    let span = start..start + 2;
                    return Err(HoaError::new(span, "this comment is never closed"));
                }
            }
        }
    }

    /// The next token with its span; `None` at the end of the text.
    pub fn next(&mut self) -> HoaResult<Option<(HoaToken<'a>, Range<usize>)>> {
        self.skip_blanks()?;
        let start = self.at;
        let rest = self.rest();
        let Some(c) = rest.chars().next() else {
            return Ok(None);
        };
        let token = match c {
            '!' | '&' | '|' | '(' | ')' | '[' | ']' | '{' | '}' => {
                self.at += 1;
                HoaToken::Sign(c)
            }
            '"' => {
                let (text, len) = unquoted(rest).ok_or_else(|| {
                    HoaError::new(start..start + 1, "this string is never closed")
                })?;
                self.at += len;
                HoaToken::Text(text)
            }
            '-' => {
                let marker = [
                    ("--BODY--", HoaToken::Body),
                    ("--END--", HoaToken::End),
                    ("--ABORT--", HoaToken::Abort),
                ]
                .into_iter()
                .find(|(word, _)| rest.starts_with(word));
                let Some((word, token)) = marker else {
                    return Err(HoaError::new(start..start + 1, "unexpected `-`"));
                };
                self.at += word.len();
                token
            }
            '0'..='9' => {
                let digits = run(rest, |c| c.is_ascii_digit());
                self.at += digits.len();
                let number = digits
                    .parse()
                    .map_err(|_| HoaError::new(start..self.at, "this number is too large"))?;
                HoaToken::Number(number)
            }
            '@' => {
                let name = run(&rest[1..], is_name);
                self.at += 1 + name.len();
                HoaToken::Alias(name)
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let name = run(rest, is_name);
                self.at += name.len();
                if self.rest().starts_with(':') {
                    self.at += 1;
                    HoaToken::Header(name)
                } else {
                    HoaToken::Word(name)
                }
            }
            c => {
                let message = format!("unexpected character `{}`", c.escape_default());
                return Err(HoaError::new(start..start + c.len_utf8(), message));
            }
        };
        Ok(Some((token, start..self.at)))
    }
}

fn run(text: &str, mut wanted: impl FnMut(char) -> bool) -> &str {
    let end = text.find(|c| !wanted(c)).unwrap_or(text.len());
    &text[..end]
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '.'
}
