//! The lexer of ETF. Line ends are tokens, as they matter in some sections.

use lariat_model::visible;
use std::ops::Range;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum EtfToken {
    /// A name with escapes resolved.
    Name(String),
    /// A value in quotes, or as pairs of hexadecimal digits.
    Value(String),
    Number(i64),
    Star,
    Slash,
    Colon,
    Newline,
    End,
}

/// A lexer that produces one token at a time.
pub(super) struct EtfLexer<'t> {
    text: &'t [u8],
    at: usize,
}

/// An error with its location.
pub(super) type EtfDiagnostic = (Range<usize>, String);

/// The result of reading a part of a table.
pub(super) type EtfResult<T> = Result<T, EtfDiagnostic>;

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.' || byte == b'-' || byte >= 0x80
}

impl<'t> EtfLexer<'t> {
    pub(super) fn new(text: &'t [u8]) -> EtfLexer<'t> {
        let at = if text.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        EtfLexer { text, at }
    }

    /// The next token with its location.
    pub(super) fn next(&mut self) -> EtfResult<(EtfToken, Range<usize>)> {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\x0c')) {
            self.at += 1;
        }
        let start = self.at;
        let Some(&byte) = self.text.get(start) else {
            return Ok((EtfToken::End, start..start));
        };
        self.at += 1;
        let token = match byte {
            b'\n' => EtfToken::Newline,
            b'*' => EtfToken::Star,
            b'/' => EtfToken::Slash,
            b':' => EtfToken::Colon,
            b'"' => self.quoted(start)?,
            b'#' => self.hexadecimal(start)?,
            b'\\' => self.name(start)?,
            byte if in_name(byte) => self.name(start)?,
            _ => {
                let message = format!("unexpected character `{}`", (byte as char).escape_debug());
                return Err((start..start + 1, message));
            }
        };
        Ok((token, start..self.at))
    }

    fn quoted(&mut self, start: usize) -> EtfResult<EtfToken> {
        let mut value = Vec::new();
        loop {
            match self.text.get(self.at) {
                None | Some(b'\n') => {
                    let message = "this value is never closed: expected `\"`".to_owned();
                    return Err((start..self.at, message));
                }
                Some(b'"') => break,
                Some(b'\\') if matches!(self.text.get(self.at + 1), Some(b'"' | b'\\')) => {
                    self.at += 1;
                    value.push(self.text[self.at]);
                }
                Some(byte) => value.push(*byte),
            }
            self.at += 1;
        }
        self.at += 1;
        Ok(EtfToken::Value(printable(&value)))
    }

    fn hexadecimal(&mut self, start: usize) -> EtfResult<EtfToken> {
        let digits = self.text[self.at..]
            .iter()
            .take_while(|b| b.is_ascii_hexdigit())
            .count();
        let end = self.at + digits;
        if digits % 2 == 1 || self.text.get(end) != Some(&b'#') {
            let message = "expected pairs of hexadecimal digits and `#`".to_owned();
            return Err((start..end, message));
        }
        let digit = |b: u8| (b as char).to_digit(16).unwrap_or(0) as u8;
        let bytes: Vec<u8> = self.text[self.at..end]
            .chunks_exact(2)
            .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
            .collect();
        self.at = end + 1;
        Ok(EtfToken::Value(printable(&bytes)))
    }

    /// A name, or a number if it consists of digits only.
    fn name(&mut self, start: usize) -> EtfResult<EtfToken> {
        self.at = start;
        let mut name = Vec::new();
        while let Some(&byte) = self.text.get(self.at) {
            match (byte, self.text.get(self.at + 1)) {
                (b'\\', Some(escaped)) if *escaped != b'\n' => {
                    name.push(*escaped);
                    self.at += 2;
                }
                (byte, _) if in_name(byte) => {
                    name.push(byte);
                    self.at += 1;
                }
                _ => break,
            }
        }
        if name.is_empty() {
            let message = "expected a character after the backslash".to_owned();
            return Err((start..start + 1, message));
        }
        let digits = &self.text[start..self.at];
        if !digits.iter().all(u8::is_ascii_digit) {
            return Ok(EtfToken::Name(printable(&name)));
        }
        match std::str::from_utf8(digits).unwrap_or_default().parse() {
            Ok(number) => Ok(EtfToken::Number(number)),
            Err(_) => Err((start..self.at, "this number is too large".to_owned())),
        }
    }
}

/// The bytes as text in [visible form](visible), or as `#…#` if they are not UTF-8.
fn printable(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => visible(text).into_owned(),
        Err(_) => {
            let digits: String = bytes.iter().map(|b| format!("{b:02X}")).collect();
            format!("#{digits}#")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_recognised() {
        let mut lexer = EtfLexer::new(b"P\\.x\\[0\\]:byte 12/3 * \"a\\\"b\" #6162# #FF#\nend");
        let mut words = Vec::new();
        loop {
            match lexer.next().unwrap().0 {
                EtfToken::End => break,
                word => words.push(word),
            }
        }
        let name = |s: &str| EtfToken::Name(s.to_owned());
        let value = |s: &str| EtfToken::Value(s.to_owned());
        let want = [
            name("P.x[0]"),
            EtfToken::Colon,
            name("byte"),
            EtfToken::Number(12),
            EtfToken::Slash,
            EtfToken::Number(3),
            EtfToken::Star,
            value("a\"b"),
            value("ab"),
            value("#FF#"),
            EtfToken::Newline,
            name("end"),
        ];
        assert_eq!(words, want);
        for bad in ["\"abc", "#123#", "(", "99999999999999999999", "\\\n"] {
            assert!(EtfLexer::new(bad.as_bytes()).next().is_err());
        }
    }
}
