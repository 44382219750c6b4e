//! DetectSCC: is there a fair cycle with a new step in a saturated node? As published.
//!
//! Sources and targets of new steps are filtered in turn, beginning with the recurring states `R` of the node
//! (`recurring.rs`) as targets. With `N` for the steps in the node and `N_new` for those on candidate arcs,
//!
//! ```text
//! S⁺ = R      S⁻ = {v ∈ B(n) | N_new(v) ∩ R ≠ ∅}
//! repeat      F' = F ∩ N*(S⁺)     S⁻ = S⁻ ∩ N*(F')     S⁺ = S⁺ ∩ N_new(S⁻)      until nothing changes
//! ```
//!
//! There is a cycle iff something is left. At the end every target has a source before it, which comes from another target by way of `F`, so
//! what is left in S⁺ is a part of what [`fair`](super::fixpoint::fair) leaves, and lassos are found in the same way. Where recurring states are
//! not asked for, `R` is all of the node.
//!
//! Before that (*candidates*): the node needs recurring states and accepting ones; its abstraction a cycle; and the values on
//! that cycle must have some of both below them. Candidate arcs are all those of such cycles, recurring or not.
//!
//! V. Molnár, A. Vörös, D. Darvas, T. Bartha, I. Majzik, *Component-wise incremental LTL model checking*, Formal
//! Aspects of Computing 28 (2016), Algorithms 6 to 8 and Corollaries 1 to 3. What would make answers wrong is corrected:
//!
//! - the first label is read before the first step; the paper starts in the initial state of the automaton;
//! - events are fired from the growing node, not from the values that it begins with (line 11 of Algorithm 7), and from a value again
//!   only if what is below it has grown, or every state would recur in the last sweep;
//! - old states are those known under the value that is reached (line 12 of Algorithm 8 has the node to be made), and are part of
//!   the key under which recurring states are remembered; residual labels are part of all keys, those of the searched nodes included;
//! - S⁻ is a part of the node (line 3 of Algorithm 6): other sources may be out of reach;
//! - the abstraction has steps by events with their top at the node's level alone: Definition 12 has all of them, and each would be a loop;
//! - a cycle of the must-abstraction proves nothing in a product, whose events all move the automaton, and is not asked for.
//!
//! Acceptance is on edges here; those of a Büchi automaton leave accepting states, so that `F'` is passed by the next step instead of in
//! a state. Several marks, and constraints of fairness, are stages as in `fixpoint.rs`.

use super::fixpoint::{Wanted, closure};
use super::label_residuals::LabelResiduals;
use super::search::Arc;
use super::steps::{Position, Steps};
use lariat_dd::kernel::{Halt, Kernel, NodeId};
use lariat_emptiness::Marks;

/// What is left in S⁺, where `node` and its recurring states are rooted.
pub fn detect(
    kernel: &mut Kernel,
    labels: &mut LabelResiduals,
    steps: &Steps,
    wanted: &mut Wanted<'_>,
    (node, recurring): (NodeId, NodeId),
    at: Position,
) -> Result<NodeId, Halt> {
    let new = wanted.new;
    let base = kernel.mark();
    let mut sources = new.sources(kernel, labels, steps, (node, recurring), at)?;
    let mut targets = recurring;
    while !sources.is_empty() {
        kernel.push(0, sources)?;
        kernel.push(0, targets)?;
        let mut ahead = closure(kernel, labels, steps, targets, at)?;
        for stage in wanted.stages(labels) {
            kernel.push(0, ahead)?;
            let entries = wanted.entries(kernel, labels, steps, stage, (ahead, at))?;
            kernel.push(0, entries)?;
            ahead = closure(kernel, labels, steps, entries, at)?;
        }
        kernel.push(0, ahead)?;
        let fewer_sources = kernel.intersection(sources, ahead)?;
        kernel.push(0, fewer_sources)?;
        let reached = new.steps(kernel, labels, steps, fewer_sources, at)?;
        kernel.push(0, reached)?;
        let fewer_targets = kernel.intersection(targets, reached)?;
        kernel.release(base);
        if (fewer_sources, fewer_targets) == (sources, targets) {
            return Ok(targets);
        }
        (sources, targets) = (fewer_sources, fewer_targets);
    }
    kernel.release(base);
    Ok(NodeId::EMPTY)
}

/// Have the values on these arcs recurring states and accepting ones below them? Corollary 2.
pub fn is_realizable(
    kernel: &mut Kernel,
    labels: &LabelResiduals,
    steps: &Steps,
    arcs: &[Arc],
    (node, recurring): (NodeId, NodeId),
    level: u32,
) -> Result<bool, Halt> {
    let values = || arcs.iter().flat_map(|arc| [arc.from, arc.to]);
    if !values().any(|value| !kernel.child(recurring, value).is_empty()) {
        return Ok(false);
    }
    let wanted = labels.marks();
    let mut marks = Marks::NONE;
    for value in values() {
        if marks.contains(wanted) {
            break;
        }
        let child = kernel.child(node, value);
        marks = marks.union(steps.accepting(kernel, labels, child, level + 1)?);
    }
    Ok(marks.contains(wanted))
}
