//! Event chains as other crates walk them.

use super::{Halt, Kernel};
use crate::event::{Action, ChainId, Link, Step};
use lariat_budget::Stop;

impl Kernel {
    /// What the first action of `chain` does to `value` on `level`: nothing on the levels
    /// above its own, where the value stays and the chain remains.
    pub fn steps(&mut self, chain: ChainId, level: u32, value: u32) -> Result<Vec<Step>, Halt> {
        let Link {
            level: own, action, ..
        } = self.chains.link(chain);
        if level < own {
            return Ok(vec![Step {
                to: value,
                rest: chain,
            }]);
        }
        Ok(match action {
            Action::Delta { need, delta, rest } if value >= need => vec![Step {
                to: self.shift(value, delta)?,
                rest,
            }],
            Action::Delta { .. } => Vec::new(),
            Action::Table { start, end } => {
                let (first, last) = self.chains.rows_from(start, end, value);
                let step = |at| {
                    let row = self.chains.row(at);
                    Step {
                        to: row.to,
                        rest: row.rest,
                    }
                };
                (first..last).map(step).collect()
            }
        })
    }

    /// `value + delta`, which is never negative where guards hold.
    #[inline]
    pub(crate) fn shift(&mut self, value: u32, delta: i64) -> Result<u32, Halt> {
        match u32::try_from(value as i64 + delta) {
            Ok(to) => Ok(to),
            Err(_) => Err(self.halt(Stop::Bound(format!(
                "a value beyond {} in a diagram",
                u32::MAX
            )))),
        }
    }
}
