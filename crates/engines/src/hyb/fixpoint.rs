//! Is there a fair cycle with a new step in a saturated node?
//!
//! New are the steps by events with their top on the level of the node, and of these only those on candidate
//! arcs: on every fair cycle with a new step there is one on such an arc. With `N` for the inner
//! steps in the node, `N_m` for those with mark `m` and `N_new` for the new ones,
//!
//! ```text
//! Z₀ = N_new(B(n))        f(Z) = N_new(N*(N_m(… N*(N_1(N*(Z))))))        Zᵢ₊₁ = f(Zᵢ)
//! ```
//!
//! goes down until nothing changes. What is left is what fair cycles with a new step reach by new
//! steps: every member comes from another by a path that carries all marks, so going back for ever
//! repeats. It is empty iff there is no such cycle. Everything stays in the node, because it begins
//! there and the node is closed. A constraint of fairness is one more stage between the marks (`demands.rs`).
//!
//! The published algorithm filters sources and targets of new steps in turn and asks for accepting
//! states; sets of targets alone are enough, and the chain of marks is what generalized acceptance
//! adds. Each `N*` is one saturation below the node, which shares its cache with all others.

use super::demands::{DemandId, Demands};
use super::filters::InnerMove;
use super::label_residuals::{LabelResiduals, MoveKind};
use super::search::Arc;
use super::steps::{Position, Steps};
use lariat_dd::kernel::{Halt, Kernel, NodeId};
use lariat_dd::saturation::Silent;

/// The steps that a cycle must have one of.
pub enum New {
    /// Those on recurring ones of these arcs, with their top on the level of the node.
    On(Vec<Arc>),
    /// Any.
    Any,
}

impl New {
    /// `N_new`
    pub fn steps(
        &self,
        kernel: &mut Kernel,
        labels: &mut LabelResiduals,
        steps: &Steps,
        node: NodeId,
        at: Position,
    ) -> Result<NodeId, Halt> {
        match self {
            New::On(arcs) => along(kernel, labels, steps, arcs, node, at),
            New::Any => steps.images(kernel, labels, MoveKind::Inner, node, at),
        }
    }

    /// The members of a node from which a new step leads into another node.
    pub fn sources(
        &self,
        kernel: &mut Kernel,
        labels: &mut LabelResiduals,
        steps: &Steps,
        pair: (NodeId, NodeId),
        at: Position,
    ) -> Result<NodeId, Halt> {
        match self {
            New::On(arcs) => sources_along(kernel, labels, steps, arcs, pair, at),
            New::Any => steps.sources(kernel, labels, MoveKind::Inner, pair, at),
        }
    }
}

/// What a cycle must have beside its new step.
#[derive(Clone, Copy)]
pub enum Stage {
    /// A step with this mark.
    Mark(u32),
    /// A state that does not enable this constraint, or a step that meets it.
    Demand(DemandId),
}

/// The cycles that are wanted.
pub struct Wanted<'a> {
    /// Their new steps.
    pub new: &'a New,
    /// The constraints of fairness.
    pub demands: &'a mut Demands,
    /// Those of them that count.
    pub which: &'a [DemandId],
}

impl Wanted<'_> {
    /// What they must have.
    pub fn stages(&self, labels: &LabelResiduals) -> Vec<Stage> {
        let marks = labels.marks().iter().map(Stage::Mark);
        marks
            .chain(self.which.iter().copied().map(Stage::Demand))
            .collect()
    }

    /// Where paths that have been through `node`, which is closed and rooted, have what a stage asks for.
    pub fn entries(
        &mut self,
        kernel: &mut Kernel,
        labels: &mut LabelResiduals,
        steps: &Steps,
        stage: Stage,
        (node, at): (NodeId, Position),
    ) -> Result<NodeId, Halt> {
        match stage {
            Stage::Mark(mark) => steps.images(kernel, labels, MoveKind::Marked(mark), node, at),
            Stage::Demand(demand) => self.demands.met(kernel, labels, steps, demand, (node, at)),
        }
    }
}

/// What the cycles that are wanted reach by their new steps, from `node`, which is rooted.
pub fn fair(
    kernel: &mut Kernel,
    labels: &mut LabelResiduals,
    steps: &Steps,
    wanted: &mut Wanted<'_>,
    node: NodeId,
    at: Position,
) -> Result<NodeId, Halt> {
    let base = kernel.mark();
    let new = wanted.new;
    let mut here = new.steps(kernel, labels, steps, node, at)?;
    while !here.is_empty() {
        kernel.push(0, here)?;
        let mut ahead = closure(kernel, labels, steps, here, at)?;
        for stage in wanted.stages(labels) {
            if ahead.is_empty() {
                break;
            }
            kernel.push(0, ahead)?;
            let entries = wanted.entries(kernel, labels, steps, stage, (ahead, at))?;
            if entries == ahead {
                continue;
            }
            kernel.push(0, entries)?;
            ahead = closure(kernel, labels, steps, entries, at)?;
        }
        kernel.push(0, ahead)?;
        let next = new.steps(kernel, labels, steps, ahead, at)?;
        kernel.release(base);
        if next == here {
            break;
        }
        here = next;
    }
    Ok(here)
}

/// `N*`
pub fn closure(
    kernel: &mut Kernel,
    labels: &mut LabelResiduals,
    steps: &Steps,
    node: NodeId,
    at: Position,
) -> Result<NodeId, Halt> {
    let (events, mut filter) = (&steps.all, InnerMove(labels));
    kernel.saturate_below(
        node,
        at.level,
        events,
        &mut filter,
        at.residual,
        &mut Silent,
    )
}

/// What is left below the level of a node where a step along `arc` has led; nothing where no inner move is left.
fn below(
    kernel: &mut Kernel,
    labels: &mut LabelResiduals,
    arc: &Arc,
    at: Position,
) -> Result<Option<Position>, Halt> {
    Steps::read(kernel, labels, MoveKind::Inner, at, arc.to)
}

/// `N_new` on arcs.
fn along(
    kernel: &mut Kernel,
    labels: &mut LabelResiduals,
    steps: &Steps,
    arcs: &[Arc],
    node: NodeId,
    at: Position,
) -> Result<NodeId, Halt> {
    let base = kernel.mark();
    for arc in arcs.iter().filter(|arc| arc.recurring) {
        let child = kernel.child(node, arc.from);
        if let Some(below) = below(kernel, labels, arc, at)? {
            let image = steps.image(kernel, labels, MoveKind::Inner, arc.rest, child, below)?;
            if !image.is_empty() {
                kernel.push(arc.to, image)?;
            }
        }
    }
    kernel.sort(base)?;
    kernel.make(base)
}

/// The members of a node from which a step on one of `arcs` leads into another node.
fn sources_along(
    kernel: &mut Kernel,
    labels: &mut LabelResiduals,
    steps: &Steps,
    arcs: &[Arc],
    (node, target): (NodeId, NodeId),
    at: Position,
) -> Result<NodeId, Halt> {
    let base = kernel.mark();
    for arc in arcs.iter().filter(|arc| arc.recurring) {
        let pair = (kernel.child(node, arc.from), kernel.child(target, arc.to));
        if let Some(below) = below(kernel, labels, arc, at)? {
            let part = steps.source(kernel, labels, MoveKind::Inner, arc.rest, pair, below)?;
            if !part.is_empty() {
                kernel.push(arc.from, part)?;
            }
        }
    }
    kernel.sort(base)?;
    kernel.make(base)
}
