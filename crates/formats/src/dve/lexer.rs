//! The lexer of DVE: names, keywords, numbers, operators; comments as in C.

use std::ops::Range;

/// A range of bytes in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct ByteSpan {
    pub start: u32,
    pub end: u32,
}

impl ByteSpan {
    pub(super) fn to(self, end: ByteSpan) -> ByteSpan {
        ByteSpan {
            start: self.start,
            end: end.end,
        }
    }

    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) fn error(self, message: impl Into<String>) -> DveDiagnostic {
        DveDiagnostic {
            span: self,
            message: message.into(),
            help: None,
        }
    }
}

/// An error with its location and advice, converted to [`lariat_model::InputError`] for a file and
/// to [`lariat_ltl::AtomError`] for an atom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct DveDiagnostic {
    pub span: ByteSpan,
    pub message: String,
    pub help: Option<String>,
}

/// The result of reading a part of a program.
pub(super) type DveResult<T> = Result<T, DveDiagnostic>;

impl DveDiagnostic {
    pub(super) fn help(mut self, help: Option<String>) -> DveDiagnostic {
        self.help = help;
        self
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DveToken<'t> {
    /// A name that is not a keyword.
    Name(&'t str),
    /// A keyword or an operator.
    Word(&'static str),
    Number(i64),
    End,
}

/// Words that cannot be names.
pub const KEYWORDS: [&str; 23] = [
    "const", "byte", "int", "channel", "process", "state", "init", "commit", "accept", "assert",
    "trans", "guard", "sync", "effect", "system", "async", "property", "true", "false", "and",
    "or", "not", "imply",
];

/// Operators and punctuation, longer ones first.
const SIGNS: [&str; 34] = [
    "->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "{", "}", "[", "]", "(", ")", ",", ";",
    ":", ".", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "?", "@",
];

/// Splits a text into tokens. The last one is [`DveToken::End`].
pub(super) fn tokens(text: &[u8]) -> DveResult<Vec<(DveToken<'_>, ByteSpan)>> {
    if u32::try_from(text.len()).is_err() {
        return Err(ByteSpan::default().error("a text of 4 GiB or more cannot be read"));
    }
    let span = |start: usize, end: usize| ByteSpan {
        start: start as u32,
        end: end as u32,
    };
    let mut tokens = Vec::new();
    let mut at = if text.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..];
        let run = |belongs: fn(&u8) -> bool| {
            at + rest.iter().position(|b| !belongs(b)).unwrap_or(rest.len())
        };
        if byte.is_ascii_whitespace() {
            at += 1;
        } else if rest.starts_with(b"//") {
            at = run(|b| *b != b'\n');
        } else if rest.starts_with(b"/*") {
            let Some(close) = rest[2..].windows(2).position(|w| w == b"*/") else {
                return Err(span(at, at + 2)
                    .error("this comment is never closed")
                    .help(Some("write `*/` where it ends".to_owned())));
            };
            at += close + 4;
        } else if byte.is_ascii_alphabetic() || byte == b'_' {
            let end = run(|b| b.is_ascii_alphanumeric() || *b == b'_');
            // The bytes are ASCII.
            let word = std::str::from_utf8(&text[at..end]).unwrap_or_default();
            let token = KEYWORDS
                .iter()
                .find(|k| **k == word)
                .map_or(DveToken::Name(word), |k| DveToken::Word(k));
            tokens.push((token, span(at, end)));
            at = end;
        } else if byte.is_ascii_digit() {
            let end = run(u8::is_ascii_digit);
            let value = std::str::from_utf8(&text[at..end])
                .ok()
                .and_then(|digits| digits.parse::<i32>().ok());
            let Some(value) = value else {
                return Err(span(at, end).error(format!("a number may be at most {}", i32::MAX)));
            };
            tokens.push((DveToken::Number(i64::from(value)), span(at, end)));
            at = end;
        } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(s.as_bytes())) {
            tokens.push((DveToken::Word(sign), span(at, at + sign.len())));
            at += sign.len();
        } else {
            let end = 1 + rest[1..]
                .iter()
                .position(|b| b & 0xc0 != 0x80)
                .unwrap_or(rest.len() - 1);
            let message = format!(
                "unexpected character `{}`",
                String::from_utf8_lossy(&rest[..end]).escape_debug()
            );
            return Err(span(at, at + end).error(message));
        }
    }
    tokens.push((DveToken::End, span(text.len(), text.len())));
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_recognised() {
        let text = b"a->b{guard x<=10&&not y;} // end\n/* and * / */ P_0.s";
        let words: Vec<DveToken> = tokens(text).unwrap().into_iter().map(|(t, _)| t).collect();
        let (n, w) = (DveToken::Name, DveToken::Word);
        let want = [
            n("a"),
            w("->"),
            n("b"),
            w("{"),
            w("guard"),
            n("x"),
            w("<="),
            DveToken::Number(10),
            w("&&"),
            w("not"),
            n("y"),
            w(";"),
            w("}"),
            n("P_0"),
            w("."),
            n("s"),
            DveToken::End,
        ];
        assert_eq!(words, want);
    }

    #[test]
    fn malformed_tokens_are_reported() {
        assert_eq!(tokens("x = ü;".as_bytes()).unwrap_err().span.range(), 4..6);
        assert!(tokens(b"99999999999").is_err());
        assert!(tokens(b"a /* b").is_err());
        assert!(tokens(b"\xff\xff").is_err());
    }
}
