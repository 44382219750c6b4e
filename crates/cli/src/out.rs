//! Output on stdout.
//!
//! Every text is written at once and flushed, so that a script reads each answer as soon as it is
//! known. If the reader closes the pipe (`lariat … | head -1`), the command ends without a message
//! and with the exit code of an undecided command.
//!
//! Texts may quote an input. A terminal acts on nothing but line breaks, tabs and the styles that
//! this program uses; other control characters are written as escapes such as `\u{1b}`.

use crate::Failure;
use lariat::internals::ir::{escape, is_invisible};
use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::ControlFlow;

/// Writes text that may contain colours; they are stripped unless colours are enabled.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    write(&mut anstream::stdout().lock(), &harmless(text))
}

/// Writes data for another program, unchanged.
pub(crate) fn data(text: &str) -> Result<(), Failure> {
    write(&mut io::stdout().lock(), text)
}

/// Writes a line of data for another program, which may be long, part by part.
pub(crate) fn data_line(
    line: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let written = line(&mut out).and_then(|()| out.write_all(b"\n"));
    outcome(written.and_then(|()| out.flush()))
}

/// Whether a callback that prints continues: not after a failure.
pub(crate) fn flow(printed: &Result<(), Failure>) -> ControlFlow<()> {
    match printed {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

fn write(out: &mut dyn Write, text: &str) -> Result<(), Failure> {
    outcome(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

fn outcome(written: io::Result<()>) -> Result<(), Failure> {
    written.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::OutputClosed,
        _ => Failure::new(format!("cannot write the answer: {error}")),
    })
}

/// Writes a message to stderr. If that fails, the exit code still reports the result.
pub(crate) fn message(text: &str) {
    let _ = anstream::stderr().write_all(harmless(text).as_bytes());
}

/// The text with escapes in place of control characters, except line breaks, tabs and styles.
fn harmless(text: &str) -> Cow<'_, str> {
    let is_layout = |c: char| matches!(c, '\n' | '\t');
    if !text.contains(|c| is_invisible(c) && !is_layout(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split('\u{1b}');
    out.push_str(&escape(parts.next().unwrap_or_default(), is_layout));
    for part in parts {
        out.push_str(if starts_with_style(part) {
            "\u{1b}"
        } else {
            "\\u{1b}"
        });
        out.push_str(&escape(part, is_layout));
    }
    Cow::Owned(out)
}

/// Returns whether the text continues a style: bold, dim, a colour, or their end.
fn starts_with_style(text: &str) -> bool {
    let code = text.strip_prefix('[').and_then(|text| text.split_once('m'));
    matches!(
        code.map(|(code, _)| code.as_bytes()),
        Some([b'0' | b'1' | b'2'] | [b'3', b'1'..=b'6'])
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_styles_and_layout_reach_the_terminal() {
        for text in ["a\n\tb", "\u{1b}[1m\u{1b}[31mVIOLATED\u{1b}[0m ✗ ↻"] {
            assert_eq!(harmless(text), text);
        }
        assert_eq!(
            harmless("\u{1b}[2J\u{1b}[8mx\r"),
            "\\u{1b}[2J\\u{1b}[8mx\\u{d}"
        );
        assert_eq!(harmless("\u{1b}]0;title\u{7}"), "\\u{1b}]0;title\\u{7}");
        assert_eq!(harmless("a\u{202e}b\u{1b}"), "a\\u{202e}b\\u{1b}");
    }
}
