//! The lexer of Promela: names, numbers, strings, operators and line ends.
//!
//! Line ends are tokens until the preprocessor has finished: directives end there, and SPIN
//! inserts a missing `;` at some of them. Comments are blanks, also when they span lines.

use std::ops::Range;
use std::sync::Arc;

/// A range of bytes in one of the files of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Span {
    /// Position in the list of files.
    pub file: u32,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// From the start of this span to the end of another one, if both are in one file.
    pub fn to(self, end: Span) -> Span {
        if self.file != end.file || end.end < self.start {
            return self;
        }
        Span {
            end: end.end,
            ..self
        }
    }

    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub fn error(self, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            span: self,
            message: message.into(),
            help: None,
        }
    }
}

/// An error with its location and advice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Diagnostic {
    pub span: Span,
    pub message: String,
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

/// The result of reading a part of a model.
pub(super) type Reading<T> = Result<T, Diagnostic>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Tok {
    /// A name or a keyword.
    Name(Arc<str>),
    Number(i32),
    Text(Arc<str>),
    /// An operator or a bracket.
    Sign(&'static str),
    Newline,
    End,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub tok: Tok,
    pub span: Span,
    /// Whether SPIN inserts a `;` before this token if it is part of a body.
    pub breaks: bool,
}

impl Token {
    pub fn new(tok: Tok, span: Span) -> Token {
        Token {
            tok,
            span,
            breaks: false,
        }
    }

    pub fn is(&self, sign: &str) -> bool {
        matches!(self.tok, Tok::Sign(s) if s == sign)
    }

    pub fn name(&self) -> Option<&str> {
        match &self.tok {
            Tok::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// Operators and punctuation, longer ones first.
const SIGNS: [&str; 48] = [
    "<->", "->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "++", "--", "..", "::", "##",
    "!!", "??", "<>", "{", "}", "[", "]", "(", ")", ",", ";", ":", ".", "=", "<", ">", "+", "-",
    "*", "/", "%", "&", "|", "^", "~", "!", "?", "@", "#", "\\", "$", "'", "`",
];

/// Splits a file into tokens; the last one is [`Tok::End`], and [`Tok::Newline`] precedes it.
pub(super) fn tokens(text: &[u8], file: u32) -> Reading<Vec<Token>> {
    let span = |start: usize, end: usize| Span {
        file,
        start: start as u32,
        end: end as u32,
    };
    if u32::try_from(text.len()).is_err() {
        return Err(Span::default().error("a text of 4 GiB or more cannot be read"));
    }
    let mut tokens = Vec::new();
    let mut at = 3 * usize::from(text.starts_with(b"\xef\xbb\xbf"));
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..];
        let run = |belongs: fn(&u8) -> bool| {
            at + rest.iter().position(|b| !belongs(b)).unwrap_or(rest.len())
        };
        let (tok, end) = if byte == b'\n' {
            (Tok::Newline, at + 1)
        } else if byte.is_ascii_whitespace() || byte == 0x0b {
            at += 1;
            continue;
        } else if let Some(len) = continuation(rest) {
            at += len;
            continue;
        } else if rest.starts_with(b"*/") {
            // SPIN skips a comment's end without a start: comments are often nested by mistake.
            at += 2;
            continue;
        } else if rest.starts_with(b"//") {
            at = run(|b| *b != b'\n');
            continue;
        } else if rest.starts_with(b"/*") {
            let Some(close) = rest[2..].windows(2).position(|w| w == b"*/") else {
                let open = span(at, at + 2);
                return Err(open
                    .error("this comment is never closed")
                    .help("write `*/` where it ends"));
            };
            at += close + 4;
            continue;
        } else if byte.is_ascii_alphabetic() || byte == b'_' {
            let end = run(|b| b.is_ascii_alphanumeric() || *b == b'_');
            (Tok::Name(word(&text[at..end])), end)
        } else if byte.is_ascii_digit() {
            let end = run(|b| b.is_ascii_alphanumeric() || *b == b'_');
            (number(&text[at..end], span(at, end))?, end)
        } else if byte == b'"' {
            let end = quoted(text, at)
                .ok_or_else(|| span(at, at + 1).error("this string is not closed on its line"))?;
            (Tok::Text(word(&text[at + 1..end - 1])), end)
        } else if byte == b'\'' {
            let (value, len) = character(rest).ok_or_else(|| {
                span(at, at + 1).error("expected a character constant such as 'a'")
            })?;
            (Tok::Number(value), at + len)
        } else {
            let sign = SIGNS.iter().find(|s| rest.starts_with(s.as_bytes()));
            let Some(sign) = sign else {
                let seen = char::from(byte);
                let message = match byte.is_ascii_graphic() {
                    true => format!("`{seen}` has no meaning here"),
                    false => format!("the byte 0x{byte:02x} has no meaning outside comments"),
                };
                return Err(span(at, at + 1).error(message));
            };
            (Tok::Sign(sign), at + sign.len())
        };
        tokens.push(Token::new(tok, span(at, end)));
        at = end;
    }
    tokens.push(Token::new(Tok::Newline, span(text.len(), text.len())));
    tokens.push(Token::new(Tok::End, span(text.len(), text.len())));
    Ok(tokens)
}

/// The length of a line continuation: a backslash at the end of a line.
fn continuation(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'\\', b'\n', ..] => Some(2),
        [b'\\', b'\r', b'\n', ..] => Some(3),
        _ => None,
    }
}

fn word(bytes: &[u8]) -> Arc<str> {
    String::from_utf8_lossy(bytes).into()
}

fn number(digits: &[u8], span: Span) -> Reading<Tok> {
    if !digits.iter().all(u8::is_ascii_digit) {
        let message = "this is no number: constants are decimal integers";
        return Err(span.error(message));
    }
    let value = word(digits).parse::<i32>();
    value.map(Tok::Number).map_err(|_| {
        let message = format!(
            "the number does not fit 32 bits: the largest is {}",
            i32::MAX
        );
        span.error(message)
    })
}

/// The end of the string that begins at `at`, behind its closing quote.
fn quoted(text: &[u8], at: usize) -> Option<usize> {
    let mut end = at + 1;
    loop {
        match text.get(end)? {
            b'\n' => return None,
            b'"' => return Some(end + 1),
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
}

fn character(rest: &[u8]) -> Option<(i32, usize)> {
    match rest {
        [b'\'', b'\\', c, b'\'', ..] => {
            let value = match c {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'0' => 0,
                b'\\' | b'\'' | b'"' => *c,
                _ => return None,
            };
            Some((i32::from(value), 4))
        }
        [b'\'', c, b'\'', ..] if *c != b'\n' && *c != b'\'' => Some((i32::from(*c), 3)),
        _ => None,
    }
}
