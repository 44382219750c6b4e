//! DetectSCC, as published: search for a fair cycle with a new step in a saturated node.
//!
//! Sources and targets of new steps are filtered alternately, first the recurring states `R`
//! (`recurring.rs`). With `N` for the steps in the node and `N_new` for those on candidate arcs,
//!
//! ```text
//! S⁺ = R      S⁻ = {v ∈ B(n) | N_new(v) ∩ R ≠ ∅}
//! repeat      F' = F ∩ N*(S⁺)     S⁻ = S⁻ ∩ N*(F')     S⁺ = S⁺ ∩ N_new(S⁻)     until stable
//! ```
//!
//! The relational product computes `S⁺ ∩ N_new(S⁻)` at once, restricted to S⁺ while it descends.
//!
//! There is a cycle iff S⁺ is not empty. In the end every target is reached from a source, which is
//! reached from another target via `F`. So S⁺ is a subset of the result of
//! [`fair`](super::fixpoint::fair), and lassos are computed in the same way. If recurring states
//! are disabled, `R` is the whole node.
//!
//! *Candidates*: the node needs recurring and accepting states, its abstraction a cycle, and the
//! values on that cycle both kinds of states below them. All arcs of such cycles are candidates.
//!
//! V. Molnár, A. Vörös, D. Darvas, T. Bartha, I. Majzik, *Component-wise incremental LTL model
//! checking*, Formal Aspects of Computing 28 (2016), Algorithms 6 to 8 and Corollaries 1 to 3.
//! Corrections, without which answers would be wrong:
//!
//! - the first label is read before the first step; the paper starts in the initial state of the
//!   automaton;
//! - events are fired from the growing node, not from its initial values (line 11 of Algorithm 7),
//!   and again from a value only if the node below it has grown, or every state would recur in the
//!   last sweep;
//! - old states are those known under the target value (line 12 of Algorithm 8 uses the node under
//!   construction), and are part of the cache key of recurring states; residual labels are part of
//!   all keys, including those of the searched nodes;
//! - S⁻ is a subset of the node (line 3 of Algorithm 6): other sources may be unreachable;
//! - the abstraction has only steps by events with their top at the node's level: Definition 12 has
//!   all events, and lower ones would be self-loops;
//! - a cycle of the must-abstraction proves nothing in a product, all of whose events move the
//!   automaton, and is not used.
//!
//! Here acceptance is on edges. Those of a Büchi automaton leave accepting states, so `F'` is
//! passed by the next step instead of in a state. Several marks and constraints are stages as in
//! `fixpoint.rs`.

use super::fixpoint::{CycleQuery, closure};
use super::images::ImageContext;
use super::search::ValueArc;
use super::steps::NodePosition;
use lariat_dd::kernel::{DdNode, Halt, Kernel};
use lariat_emptiness::Marks;

/// Returns the final S⁺; `node` and its recurring states are rooted by the caller.
pub fn detect(
    kernel: &mut Kernel,
    by: &mut ImageContext<'_>,
    wanted: &mut CycleQuery<'_>,
    node: DdNode,
    recurring: DdNode,
    at: NodePosition,
) -> Result<DdNode, Halt> {
    let new = wanted.new;
    let base = kernel.mark();
    let mut sources = new.sources(kernel, by, node, recurring, at)?;
    let mut targets = recurring;
    while !sources.is_empty() {
        kernel.push(0, sources)?;
        kernel.push(0, targets)?;
        let mut ahead = closure(kernel, by, targets, at)?;
        for stage in wanted.stages(by.labels) {
            kernel.push(0, ahead)?;
            let entries = wanted.entries(kernel, by, stage, ahead, at)?;
            kernel.push(0, entries)?;
            ahead = closure(kernel, by, entries, at)?;
        }
        kernel.push(0, ahead)?;
        let fewer_sources = kernel.intersection(sources, ahead)?;
        kernel.push(0, fewer_sources)?;
        let fewer_targets = new.steps_into(kernel, by, fewer_sources, targets, at)?;
        kernel.release(base);
        if (fewer_sources, fewer_targets) == (sources, targets) {
            return Ok(targets);
        }
        (sources, targets) = (fewer_sources, fewer_targets);
    }
    kernel.release(base);
    Ok(DdNode::EMPTY)
}

/// Returns whether these arcs have recurring and accepting states below (Corollary 2).
pub fn is_realizable(
    kernel: &mut Kernel,
    by: &ImageContext<'_>,
    arcs: &[ValueArc],
    node: DdNode,
    recurring: DdNode,
    level: u32,
) -> Result<bool, Halt> {
    let values = || arcs.iter().flat_map(|arc| [arc.from, arc.to]);
    if !values().any(|value| !kernel.child(recurring, value).is_empty()) {
        return Ok(false);
    }
    let wanted = by.labels.marks();
    let mut marks = Marks::NONE;
    for value in values() {
        if marks.contains(wanted) {
            break;
        }
        let child = kernel.child(node, value);
        marks = marks.union(by.steps.accepting(kernel, by.labels, child, level + 1)?);
    }
    Ok(marks.contains(wanted))
}
