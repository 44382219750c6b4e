//! The fast path for small nets, whose states fit into one machine word.
//!
//! The fields of a state, concatenated, are a word `w`. A transition needs some tokens and leaves
//! some, field by field, as words `n` and `g`:
//!
//! ```text
//! enabled   iff   w − n borrows across no border of a field
//! leads to        w − n + g, if that carries across no border
//! ```
//!
//! The borrows and carries of `z = x ± y` are the bits of `x ^ y ^ z`, so that each test takes
//! three instructions for all places together (L. Lamport, *Multiple byte processing with full-word
//! instructions*, 1975). With few transitions, testing each of them is cheaper than maintaining the
//! set of enabled ones. States and successors with values that exceed their fields (`overflow.rs`)
//! take the general path.

use super::layout::PackedLayout;
use lariat_model::{Action, Arc, System};

/// The highest bit, which no state uses.
const TOP: u64 = 1 << 63;

#[derive(Clone, Copy, Debug)]
struct Move {
    needs: u64,
    leaves: u64,
}

/// The transitions of a net, in the order of `net.rs`.
#[derive(Debug)]
pub(super) struct Words {
    moves: Vec<Move>,
    /// The bits above the fields, and the highest bit.
    borders: u64,
}

impl Words {
    /// Compiles the transitions of a net; `None` if its states are not words.
    pub fn new<'s>(arcs: impl Iterator<Item = &'s [Arc]>, layout: &PackedLayout) -> Option<Words> {
        let low = layout.word?;
        let mut borders = TOP;
        for field in layout.fields.iter().filter(|field| field.width > 0) {
            borders |= 1 << (field.shift_in_word(low) + u32::from(field.width));
        }
        let moves = arcs.map(|arcs| Move::new(arcs, layout, low)).collect();
        Some(Words { moves, borders })
    }

    /// First transition from number `from` on that is enabled in a state.
    #[inline]
    pub fn find(&self, word: u64, from: u32) -> Option<u32> {
        let rest = self.moves.get(from as usize..)?;
        let enabled = |m: &Move| self.covers(word, m.needs);
        Some(from + rest.iter().position(enabled)? as u32)
    }

    /// Returns whether every field of `word` is at least that of `other`.
    #[inline]
    pub fn covers(&self, word: u64, other: u64) -> bool {
        (word ^ other ^ word.wrapping_sub(other)) & self.borders == 0
    }

    /// Target of an enabled transition, if all values fit their fields.
    #[inline]
    pub fn fire(&self, word: u64, t: u32) -> Option<u64> {
        let Move { needs, leaves } = self.moves[t as usize];
        let rest = word.wrapping_sub(needs);
        let to = rest.wrapping_add(leaves);
        let carries = (rest ^ leaves ^ to) & self.borders | to & TOP;
        (carries == 0).then_some(to)
    }
}

impl Move {
    fn new(arcs: &[Arc], layout: &PackedLayout, low: u32) -> Move {
        let mut made = Move {
            needs: 0,
            leaves: 0,
        };
        for arc in arcs {
            let field = layout.fields[arc.var.index()];
            let shift = field.shift_in_word(low);
            let fits = |tokens: i64| tokens >> field.width == 0;
            let needs = arc.need.saturating_sub(field.low).max(0);
            if !fits(needs) {
                // More than any field holds: the subtraction borrows into the highest bit.
                made.needs = TOP - 1;
                return made;
            }
            if field.width == 0 {
                continue;
            }
            made.needs |= (needs as u64) << shift;
            match needs.checked_add(arc.delta) {
                Some(leaves) if fits(leaves) => made.leaves |= (leaves as u64) << shift,
                _ => made.leaves |= TOP,
            }
        }
        made
    }
}

/// Returns whether all events are net transitions, few enough to test each of them in every state.
pub(super) fn is_small_net(system: &System) -> bool {
    let net = |action: &Action| matches!(action, Action::Net(_));
    system.events.len() <= MOST_TRANSITIONS && system.events.iter().all(|e| net(&e.action))
}

/// With more transitions, maintaining the set of enabled ones is cheaper.
const MOST_TRANSITIONS: usize = 128;
