//! The straight path for small nets, whose states fit into one machine word.
//!
//! All fields of a state side by side are a word `w`. A transition needs some tokens and leaves some, field by field, as
//! words `n` and `g`:
//!
//! ```text
//! enabled   iff   w − n borrows across no border of a field
//! leads to        w − n + g, if that carries across no border
//! ```
//!
//! The borrows and carries of `z = x ± y` are the bits of `x ^ y ^ z`, so that each test is three instructions for all
//! places together (L. Lamport, *Multiple byte processing with full-word instructions*, 1975). Looking at every transition in this way is
//! cheaper than keeping track of which are enabled, as long as there are few. A successor that does not fit, or a state that did
//! not (`escapes.rs`), takes the general path.

use super::layout::Layout;
use lariat_model::{Action, Arc, System};

/// The highest bit, which no state has.
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
    /// The bits behind the fields, and the highest.
    borders: u64,
}

impl Words {
    /// The transitions of a net whose states are words.
    pub fn new<'s>(arcs: impl Iterator<Item = &'s [Arc]>, layout: &Layout) -> Option<Words> {
        let low = layout.word?;
        let mut borders = TOP;
        for field in layout.fields.iter().filter(|field| field.width > 0) {
            borders |= 1 << (field.shift_in_word(low) + u32::from(field.width));
        }
        let moves = arcs.map(|arcs| Move::new(arcs, layout, low)).collect();
        Some(Words { moves, borders })
    }

    /// The first transition from number `from` on that is enabled in a state.
    #[inline]
    pub fn find(&self, word: u64, from: u32) -> Option<u32> {
        let rest = self.moves.get(from as usize..)?;
        let enabled = |m: &Move| self.covers(word, m.needs);
        Some(from + rest.iter().position(enabled)? as u32)
    }

    /// Has a word in every field at least as much as another?
    #[inline]
    pub fn covers(&self, word: u64, other: u64) -> bool {
        (word ^ other ^ word.wrapping_sub(other)) & self.borders == 0
    }

    /// Where a transition that is enabled leads, if the values there fit their fields.
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
    fn new(arcs: &[Arc], layout: &Layout, low: u32) -> Move {
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
                // More than any field holds: a borrow into the highest bit.
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

/// Are all events transitions of a net, few enough to look at each of them in every state?
pub(super) fn is_small_net(system: &System) -> bool {
    let net = |action: &Action| matches!(action, Action::Net(_));
    system.events.len() <= MOST_TRANSITIONS && system.events.iter().all(|e| net(&e.action))
}

/// Looking at so many transitions costs about as much as keeping track of what is enabled.
const MOST_TRANSITIONS: usize = 128;
