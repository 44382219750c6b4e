//! Steps in turn: iterations that begin behind a step taken before, and go round.
//!
//! A depth-first search that lists the steps of every state in one order takes the first ones again and again, and closes its first cycles with them alone. One that goes on
//! behind the step by which it came gives every event its turn, as a scheduler does that goes round: `e₁ … eₙ` from the beginning, and behind `eᵢ` in the order
//! `eᵢ₊₁ … eₙ e₁ … eᵢ`. Its paths tend to be fair. Which steps there are is not changed.

use super::{Cursor, Explicit};

/// Where among the steps of a state an iteration begins; at the first by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Turn(u32);

impl Explicit<'_> {
    /// Whose turn it is behind the step that was found last.
    ///
    /// Of programs the gates are asked again (`compile.rs`), so that their turn is given to the next group of events, usually a process.
    pub fn turn_behind(&self, cursor: &Cursor) -> Turn {
        let transitions = self.moves.net.len() as u32;
        Turn(match cursor.at.checked_sub(transitions) {
            Some(at) => transitions + self.moves.compiled.entrance(at),
            None => cursor.at,
        })
    }
}

impl Cursor {
    /// An iteration that begins at a turn.
    pub fn at_turn(turn: Turn) -> Cursor {
        Cursor {
            at: turn.0,
            begin: turn.0,
            ..Cursor::default()
        }
    }

    /// Has no step been listed yet?
    pub fn is_new(&self) -> bool {
        !self.moved && !self.done
    }

    /// Where there is nothing more to list.
    #[inline]
    pub(super) fn end(&self) -> u32 {
        if self.again { self.begin } else { u32::MAX }
    }

    /// The end has come: goes on with what is before the beginning, if that was not done.
    #[inline]
    pub(super) fn goes_round(&mut self) -> bool {
        let more = self.begin > 0 && !self.again;
        if more {
            (self.at, self.choice, self.again) = (0, 0, true);
        }
        more
    }
}
