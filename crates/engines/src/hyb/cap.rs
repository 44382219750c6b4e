//! Rounds with a cap on values, for nets that may be unbounded.
//!
//! Saturation closes one node after another and would not terminate at the first infinite one. So a
//! net is explored in rounds without steps to values above a cap:
//!
//! ```text
//! N_c = {(s, s') ∈ N | s'(p) ≤ c for all p}        X_c = N_c*(initial)
//! ```
//!
//! A fair cycle or dead state in `X_c` is one of the net. If there is none and `N(X_c) ⊆ X_c`,
//! there is none at all; otherwise the next round doubles the cap. Whether a step was omitted is
//! evaluated on `X_c` in the end, because saturation also meets larger values where an event cannot
//! fire. Most bounded nets never exceed the largest initial value and need one round.

use super::steps::ProductSteps;
use lariat_dd::kernel::{ChainId, DdNode, Halt, Kernel};
use lariat_model::{System, Value};

/// Lower bound on the first cap; larger initial values raise it.
const FEW: Value = 3;

/// Returns the cap of the first round: none if the values are bounded.
pub fn first_cap(system: &System) -> u32 {
    if !system.is_net() || !system.makes_tokens() {
        return u32::MAX;
    }
    let initial = system.initial.iter().flatten().copied().max();
    u32::try_from(initial.unwrap_or(0).max(FEW)).unwrap_or(u32::MAX)
}

/// Returns whether an event of the net leads from `node`, on level 0, to a value above `cap`.
pub fn overflows(
    kernel: &mut Kernel,
    steps: &ProductSteps,
    cap: u32,
    node: DdNode,
) -> Result<bool, Halt> {
    // Only events that exceed the cap from the cap itself can do so.
    let mut able = vec![Vec::new(); steps.automaton as usize + 1];
    for (able, level) in able.iter_mut().zip(0..) {
        for &(chain, _) in steps.tops(level) {
            let mut rest = chain;
            while let Some(level) = kernel.first_level(rest) {
                let mut from_cap = kernel.steps(rest, level, cap);
                let Some(step) = kernel.next_step(&mut from_cap)? else {
                    break;
                };
                if step.to > cap {
                    able.push(chain);
                    break;
                }
                rest = step.rest;
            }
        }
    }
    let last = able.iter().rposition(|chains| !chains.is_empty());
    able.truncate(last.map_or(0, |last| last + 1));
    let overflow = Overflow { steps, cap, able };
    overflow.below(kernel, node, 0)
}

struct Overflow<'a> {
    steps: &'a ProductSteps,
    cap: u32,
    /// By top level: the events that may exceed the cap.
    able: Vec<Vec<ChainId>>,
}

/// An event of which the levels above `level` have been fired.
#[derive(Clone, Copy)]
struct PartialFiring {
    chain: ChainId,
    level: u32,
    /// True if a value above exceeds the cap.
    exceeds: bool,
}

impl Overflow<'_> {
    /// As [`overflows`], on any level.
    fn below(&self, kernel: &mut Kernel, node: DdNode, level: u32) -> Result<bool, Halt> {
        let Some(chains) = self.able.get(level as usize) else {
            return Ok(false);
        };
        kernel.remembered(self.steps.nodes.overflows, (node,), |kernel| {
            kernel.any_edge(node, |kernel, edge| {
                let mut found = self.below(kernel, edge.1, level + 1)?;
                for &chain in chains {
                    let rest = PartialFiring {
                        chain,
                        level,
                        exceeds: false,
                    };
                    found = found || self.along(kernel, rest, edge)?;
                }
                Ok(found)
            })
        })
    }

    /// As [`overflows`], for one edge and the rest of an event.
    fn along(
        &self,
        kernel: &mut Kernel,
        rest: PartialFiring,
        (value, child): (u32, DdNode),
    ) -> Result<bool, Halt> {
        let mut able = kernel.steps(rest.chain, rest.level, value);
        while let Some(step) = kernel.next_step(&mut able)? {
            let below = PartialFiring {
                chain: step.rest,
                level: rest.level + 1,
                exceeds: rest.exceeds || step.to > self.cap,
            };
            if self.by(kernel, below, child)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// As [`overflows`], for the rest of an event.
    fn by(&self, kernel: &mut Kernel, rest: PartialFiring, node: DdNode) -> Result<bool, Halt> {
        if rest.chain == ChainId::END {
            return Ok(rest.exceeds);
        }
        let key = (rest.chain, node, rest.exceeds);
        kernel.remembered(self.steps.nodes.overflows_by, key, |kernel| {
            kernel.any_edge(node, |kernel, edge| self.along(kernel, rest, edge))
        })
    }
}
