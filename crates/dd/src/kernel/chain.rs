//! What the actions of events do to values.

use super::{Halt, Kernel};
use crate::event::{ChainAction, ChainId, ChainStep};
use lariat_budget::Stop;

/// The steps that one action can take from one value, to be gone through with
/// [`Kernel::next_step`] or [`Kernel::next_rest`].
#[derive(Clone, Copy, Debug)]
pub struct ChainSteps {
    action: ChainAction,
    from: u32,
    /// The next row of the table and the last but one; a guard and delta is like a row.
    next: u32,
    end: u32,
}

impl Kernel {
    /// The level of the first action of `chain`, `None` if nothing is left to do.
    #[inline]
    pub fn first_level(&self, chain: ChainId) -> Option<u32> {
        (chain != ChainId::END).then(|| self.tables.chains.link(chain).level)
    }

    /// The steps of the first action of `chain` where `level` has the value `from`. On the levels
    /// above its own there is one, which leaves the value as it is and keeps the chain.
    #[inline]
    pub fn steps(&self, chain: ChainId, level: u32, from: u32) -> ChainSteps {
        self.steps_of(self.action_at(chain, level), from)
    }

    /// What `chain` does on `level`, which is not below its first action.
    #[inline]
    pub(crate) fn action_at(&self, chain: ChainId, level: u32) -> ChainAction {
        let link = self.tables.chains.link(chain);
        if level < link.level {
            ChainAction::pass(chain)
        } else {
            link.action
        }
    }

    /// The steps of `action` from the value `from`.
    #[inline]
    pub(crate) fn steps_of(&self, action: ChainAction, from: u32) -> ChainSteps {
        let (next, end) = match action {
            ChainAction::Delta { need, .. } => (0, (from >= need).into()),
            ChainAction::Table { start, end } => self.tables.chains.rows_from(start, end, from),
        };
        ChainSteps {
            action,
            from,
            next,
            end,
        }
    }

    /// The next of `steps`, if there is one.
    #[inline]
    pub fn next_step(&mut self, steps: &mut ChainSteps) -> Result<Option<ChainStep>, Halt> {
        if steps.next == steps.end {
            return Ok(None);
        }
        steps.next += 1;
        Ok(match steps.action {
            ChainAction::Delta { delta, rest, .. } => self
                .shift(steps.from, delta)?
                .map(|to| ChainStep { to, rest }),
            ChainAction::Table { .. } => {
                let row = self.tables.chains.row(steps.next - 1);
                Some(ChainStep {
                    to: row.to,
                    rest: row.rest,
                })
            }
        })
    }

    /// What remains to be done below after the next of `steps`, whatever it does to the value.
    #[inline]
    pub fn next_rest(&self, steps: &mut ChainSteps) -> Option<ChainId> {
        if steps.next == steps.end {
            return None;
        }
        steps.next += 1;
        Some(match steps.action {
            ChainAction::Delta { rest, .. } => rest,
            ChainAction::Table { .. } => self.tables.chains.row(steps.next - 1).rest,
        })
    }

    /// `value + delta`, which is never negative where guards hold; `None` if it is above the store's cap.
    #[inline]
    pub(crate) fn shift(&mut self, value: u32, delta: i64) -> Result<Option<u32>, Halt> {
        match u32::try_from(value as i64 + delta) {
            Ok(to) => Ok((to <= self.cap).then_some(to)),
            Err(_) if self.cap < u32::MAX => Ok(None),
            Err(_) => Err(self.halt(Stop::Bound(format!(
                "a value beyond {} in a diagram",
                u32::MAX
            )))),
        }
    }
}
