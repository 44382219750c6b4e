//! The effects of event actions on values.

use super::{Halt, Kernel};
use crate::event::{ChainAction, ChainId, ChainStep};
use lariat_budget::Stop;

/// The steps of an action from a value, for [`Kernel::next_step`] or [`Kernel::next_rest`].
#[derive(Clone, Copy, Debug)]
pub struct ChainSteps {
    action: ChainAction,
    from: u32,
    /// The next and the last row of the table (exclusive); a guard with delta counts as one row.
    next: u32,
    end: u32,
}

impl Kernel {
    /// Returns the level of the first action of `chain`, `None` at the end of the chain.
    #[inline]
    pub fn first_level(&self, chain: ChainId) -> Option<u32> {
        (chain != ChainId::END).then(|| self.tables.chains.link(chain).level)
    }

    /// Returns the steps of the first action of `chain` if `level` has the value `from`. On levels
    /// above that action there is one step, which keeps value and chain.
    #[inline]
    pub fn steps(&self, chain: ChainId, level: u32, from: u32) -> ChainSteps {
        self.steps_of(self.action_at(chain, level), from)
    }

    /// Returns the action of `chain` on `level`, which is not below its first action.
    #[inline]
    pub(crate) fn action_at(&self, chain: ChainId, level: u32) -> ChainAction {
        let link = self.tables.chains.link(chain);
        if level < link.level {
            ChainAction::pass(chain)
        } else {
            link.action
        }
    }

    /// Returns the steps of `action` from the value `from`.
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

    /// Returns the next of `steps`, if there is one.
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

    /// Returns the rest of the chain after the next of `steps`, without computing the value.
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

    /// Returns `value + delta`, not negative if the guard holds; `None` above the cap.
    #[inline]
    pub(crate) fn shift(&mut self, value: u32, delta: i64) -> Result<Option<u32>, Halt> {
        match u32::try_from(value as i64 + delta) {
            Ok(to) => Ok((to <= self.options.cap).then_some(to)),
            Err(_) if self.options.cap < u32::MAX => Ok(None),
            Err(_) => Err(self.halt(Stop::Bound(format!(
                "a value beyond {} in a diagram",
                u32::MAX
            )))),
        }
    }
}
