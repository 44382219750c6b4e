//! Streams of automata: one text with several automata, each from `HOA:` on.

use super::lexer::{HoaLexer, HoaToken};
use std::ops::Range;

/// The byte ranges of the automata in a text: at least one, and together all of the text. A range
/// need not be an automaton; [`read_hoa`](super::read_hoa) reports that.
pub fn hoa_stream(text: &str) -> Vec<Range<usize>> {
    let mut lexer = HoaLexer::new(text);
    let mut starts = Vec::new();
    // A text that has no tokens is one part, which the parser refuses.
    while let Ok(Some((token, span))) = lexer.next() {
        if token == HoaToken::Header("HOA") {
            starts.push(span.start);
        }
    }
    if starts.is_empty() {
        starts.push(0);
    }
    starts[0] = 0;
    let ends = starts.iter().copied().skip(1).chain([text.len()]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| start..end)
        .collect()
}
