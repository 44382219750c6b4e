//! Rotated step order: an iteration may begin after the last step taken, and wraps around.
//!
//! A depth-first search that lists the steps of every state in one order takes the first ones
//! repeatedly, and closes its first cycles with them alone. An iteration that begins after the step
//! by which the search arrived takes the events round-robin, like a scheduler: `e₁ … eₙ` from the
//! initial state, and after `eᵢ` in the order `eᵢ₊₁ … eₙ e₁ … eᵢ`. Its paths tend to be fair. The
//! set of steps does not change.

use super::{Explicit, StepCursor};

/// Offset among the steps of a state at which an iteration begins; the first by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StepOffset(u32);

impl Explicit<'_> {
    /// The offset after the step that was found last.
    ///
    /// In a group of gated events of a program (`compile.rs`) it is the end of the group, so that
    /// the next group, usually another process, comes first.
    pub fn turn_behind(&self, cursor: &StepCursor) -> StepOffset {
        if self.system.source.is_some() {
            return StepOffset(cursor.at);
        }
        let transitions = self.moves.net.len() as u32;
        StepOffset(match cursor.at.checked_sub(transitions) {
            Some(at) => transitions + self.moves.compiled.entrance(at),
            None => cursor.at,
        })
    }
}

impl StepCursor {
    /// An iteration that begins at an offset.
    pub fn at_turn(turn: StepOffset) -> StepCursor {
        StepCursor {
            begin: turn.0,
            ..StepCursor::from(turn.0)
        }
    }

    /// An iteration over the steps from number `at` on.
    pub(super) fn from(at: u32) -> StepCursor {
        StepCursor {
            at,
            ..StepCursor::default()
        }
    }

    /// Returns whether no step has been listed yet.
    pub fn is_new(&self) -> bool {
        !self.moved && !self.done
    }

    /// Upper bound of the steps that are still to be listed.
    #[inline]
    pub(super) fn end(&self) -> u32 {
        match self.ample_end {
            _ if self.again => self.begin,
            0 => u32::MAX,
            end => end,
        }
    }

    /// At the end, wraps around to the steps before the beginning; false if that was done.
    #[inline]
    pub(super) fn goes_round(&mut self) -> bool {
        let more = self.begin > 0 && !self.again;
        if more {
            (self.at, self.choice, self.again) = (0, 0, true);
        }
        more
    }
}
