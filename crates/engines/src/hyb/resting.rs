//! Runs that end in a deadlock and stutter there.
//!
//! A stutter step changes only the automaton's state, so a fair cycle with one stays in a dead
//! state. It needs no event of the saturation: `(s, q)` is the end of an accepted run iff `s` is
//! dead and `q` accepts the infinite repetition of `λ(s)`, which is a predicate on labels.
//!
//! It is evaluated on the complete product, and a few times before on states known to be reachable:
//! while only levels from `k` on have been fired and there is one initial state, these are the
//! initial values above `k` with the suffixes of the saturated node on level `k`. Each costs time
//! linear in the levels.
//!
//! Runs that end in a deadlock are fair to events. Other conditions have to hold in the dead state.

use super::demands::Demands;
use super::filters::StutterAccepting;
use super::label_residuals::LabelResiduals;
use super::steps::ProductSteps;
use lariat_dd::LevelPredicate;
use lariat_dd::kernel::{DdNode, Halt, Kernel};

/// Limit on the number of evaluations during saturation.
const MOST_EVALUATIONS: u32 = 64;

/// Search for such runs during saturation.
pub struct DeadlockWatch {
    /// The initial values if there is one initial state and deadlocks stutter.
    pub initial: Option<Vec<u32>>,
}

impl DeadlockWatch {
    /// Returns the initial values above `level` with the members of `node` that accept the
    /// repetition of their label.
    pub fn quiet(
        &mut self,
        kernel: &mut Kernel,
        labels: &mut LabelResiduals,
        level: u32,
        node: DdNode,
    ) -> Result<DdNode, Halt> {
        let Some(initial) = &self.initial else {
            return Ok(DdNode::EMPTY);
        };
        if !level.is_multiple_of(labels.automaton / MOST_EVALUATIONS + 1) {
            return Ok(DdNode::EMPTY);
        }
        let mut residual = labels.resting;
        let mut resting = StutterAccepting(labels);
        let prefix = &initial[..level as usize];
        for (level, value) in (0..).zip(prefix) {
            let below = resting.step(residual, level, *value);
            residual = below.map_err(|stop| kernel.halt(stop))?;
        }
        let mut quiet = kernel.select(node, level, &mut resting, residual)?;
        let base = kernel.mark();
        for value in prefix.iter().rev() {
            if !quiet.is_empty() {
                kernel.push(*value, quiet)?;
            }
            quiet = kernel.make(base)?;
        }
        Ok(quiet)
    }
}

/// Returns the dead states of a node on level 0 in which no fairness constraint is enabled.
pub fn fair_ends(
    kernel: &mut Kernel,
    steps: &ProductSteps,
    demands: &mut Demands,
    quiet: DdNode,
) -> Result<DdNode, Halt> {
    if quiet.is_empty() {
        return Ok(quiet);
    }
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

/// Returns the ends of accepted runs in `node`, on level 0.
pub fn resting(
    kernel: &mut Kernel,
    labels: &mut LabelResiduals,
    steps: &ProductSteps,
    demands: &mut Demands,
    node: DdNode,
) -> Result<DdNode, Halt> {
    let root = labels.resting;
    let mut predicate = StutterAccepting(labels);
    let quiet = kernel.select(node, 0, &mut predicate, root)?;
    fair_ends(kernel, steps, demands, quiet)
}
