//! Names in visible form.
//!
//! A name in a file may contain characters on which a terminal acts (`ESC [2J` clears it), a line
//! break that forges a line of output, or marks that reverse the direction of text. Readers replace
//! them by escapes such as `\u{1b}`, in names of models and in the names by which properties refer
//! to them, so no output contains them.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns whether a character is replaced: control characters, line separators, and marks of the
/// direction of text.
pub fn is_invisible(c: char) -> bool {
    let marks_direction = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || marks_direction || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Returns a name with escapes in place of invisible characters.
pub fn visible<'n>(name: impl Into<Cow<'n, str>>) -> Cow<'n, str> {
    let name = name.into();
    if name.contains(is_invisible) {
        Cow::Owned(escape(&name, |_| false))
    } else {
        name
    }
}

/// Returns the text with escapes in place of invisible characters, except those to `keep`.
pub fn escape(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_invisible(c) && !keep(c) {
            let _ = write!(out, "{}", c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_become_escapes() {
        for (name, shown) in [
            ("plain_1 é 状態", "plain_1 é 状態"),
            ("\u{1b}[2Jx", "\\u{1b}[2Jx"),
            ("a\nHOLDS", "a\\u{a}HOLDS"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("a\u{202e}b\u{2066}", "a\\u{202e}b\\u{2066}"),
            ("del\u{7f}\0", "del\\u{7f}\\u{0}"),
        ] {
            assert_eq!(visible(name), shown);
        }
    }
}
