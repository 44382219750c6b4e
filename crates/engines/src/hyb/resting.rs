//! Runs that end in a deadlock and stutter there.
//!
//! A deadlock's stutter step changes the automaton's state alone, so a fair cycle with such a step stays in
//! one dead state. It needs no event of the saturation: the pair `(s, q)` is the end of an accepting
//! run iff `s` is dead and `q` accepts `λ(s)` repeated for ever, and the second question is one of
//! labels.
//!
//! It is asked of the whole product at the end, and on the way of what is known to be reachable: while only
//! levels from `k` on have been fired and there is one initial state, these are the suffixes of the saturated node on
//! level `k` below the initial values. Every look costs as much as there are levels, so there are a few at most.
//!
//! Runs that end in a deadlock are fair to events. A condition that must recur has to hold there.

use super::demands::Demands;
use super::filters::Resting;
use super::label_residuals::LabelResiduals;
use super::steps::Steps;
use lariat_dd::Predicate;
use lariat_dd::kernel::{Halt, Kernel, NodeId};

/// Looks on the way.
const LOOKS: u32 = 64;

/// What to look for on the way.
pub struct Watch {
    /// The initial values if there is one initial state and deadlocks stutter.
    pub initial: Option<Vec<u32>>,
}

impl Watch {
    /// The ends of accepting runs among the initial values above `level` with the suffixes of `node`.
    pub fn look(
        &mut self,
        kernel: &mut Kernel,
        labels: &mut LabelResiduals,
        (steps, demands): (&Steps, &mut Demands),
        level: u32,
        node: NodeId,
    ) -> Result<NodeId, Halt> {
        let Some(initial) = &self.initial else {
            return Ok(NodeId::EMPTY);
        };
        if !level.is_multiple_of(steps.automaton / LOOKS + 1) {
            return Ok(NodeId::EMPTY);
        }
        let mut residual = labels.resting();
        let mut resting = Resting(labels);
        let prefix = &initial[..level as usize];
        for (level, value) in prefix.iter().enumerate() {
            residual = match resting.step(residual, level as u32, *value) {
                Ok(residual) => residual,
                Err(stop) => return Err(kernel.halt(stop)),
            };
        }
        let mut quiet = kernel.select(node, level, &mut resting, residual)?;
        let base = kernel.mark();
        for value in prefix.iter().rev() {
            if !quiet.is_empty() {
                kernel.push(*value, quiet)?;
            }
            quiet = kernel.make(base)?;
        }
        let ends = fair_ends(kernel, steps, demands, quiet)?;
        kernel.release(base);
        Ok(ends)
    }
}

/// The dead states of a node on level 0 in which no constraint of fairness is enabled.
fn fair_ends(
    kernel: &mut Kernel,
    steps: &Steps,
    demands: &mut Demands,
    quiet: NodeId,
) -> Result<NodeId, Halt> {
    let base = kernel.mark();
    kernel.push(0, quiet)?;
    let mut ends = kernel.dead(&steps.alive, quiet, 0)?;
    for demand in demands.all() {
        kernel.push(0, ends)?;
        ends = demands.idle(kernel, demand, ends, 0)?;
    }
    kernel.release(base);
    Ok(ends)
}

/// The ends of accepting runs in `node`, on level 0.
pub fn resting(
    kernel: &mut Kernel,
    labels: &mut LabelResiduals,
    (steps, demands): (&Steps, &mut Demands),
    node: NodeId,
) -> Result<NodeId, Halt> {
    let root = labels.resting();
    let mut predicate = Resting(labels);
    let quiet = kernel.select(node, 0, &mut predicate, root)?;
    fair_ends(kernel, steps, demands, quiet)
}
