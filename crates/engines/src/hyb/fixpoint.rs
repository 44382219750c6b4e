//! Symbolic search for fair cycles with a new step in a saturated node.
//!
//! New steps are those by events with their top on the level of the node, restricted to candidate
//! arcs; every fair cycle with a new step has one on such an arc. With `N` for the inner steps in
//! the node, `N_m` for those with mark `m` and `N_new` for the new ones,
//!
//! ```text
//! Z₀ = N_new(B(n))        f(Z) = N_new(N*(N_m(… N*(N_1(N*(Z))))))        Zᵢ₊₁ = f(Zᵢ)
//! ```
//!
//! decreases to a fixpoint: the targets of new steps reached from fair cycles with a new step. Each
//! member is reached from another by a path with all marks, so going back indefinitely repeats a
//! member. It is empty iff there is no such cycle. All sets stay in the node, because the node is
//! closed. A fairness constraint is one more stage between the marks (`demands.rs`).
//!
//! The published algorithm alternately filters sources and targets of new steps and uses accepting
//! states. Targets alone suffice, and the chain of marks is needed for generalized acceptance. Each
//! `N*` is one saturation below the node, which shares its cache with all others.

use super::demands::{DemandId, Demands};
use super::filters::InnerMove;
use super::images::{Image, ImageContext, StepEnd};
use super::label_residuals::{LabelResiduals, MoveKind, Stability};
use super::search::ValueArc;
use super::steps::NodePosition;
use lariat_dd::kernel::{DdNode, Halt, Kernel};

/// The steps of which a cycle must have one.
pub enum NewSteps {
    /// Steps on the recurring ones of these arcs, with their top on the level of the node.
    On(Vec<ValueArc>),
    Any,
}

impl NewSteps {
    /// Computes `N_new` of a node.
    pub fn steps(
        &self,
        kernel: &mut Kernel,
        by: &mut ImageContext<'_>,
        node: DdNode,
        at: NodePosition,
    ) -> Result<DdNode, Halt> {
        match self {
            NewSteps::On(arcs) => along(kernel, by, arcs, node, (None, StepEnd::Target), at),
            NewSteps::Any => by.images(kernel, node, at),
        }
    }

    /// Computes the members of another node that new steps of a node reach, in one recursion.
    pub fn steps_into(
        &self,
        kernel: &mut Kernel,
        by: &mut ImageContext<'_>,
        node: DdNode,
        target: DdNode,
        at: NodePosition,
    ) -> Result<DdNode, Halt> {
        let into = (Some(target), StepEnd::Target);
        match self {
            NewSteps::On(arcs) => along(kernel, by, arcs, node, into, at),
            NewSteps::Any => by.images_into(kernel, node, target, at),
        }
    }

    /// Returns the sources in a node of new steps into another node.
    pub fn sources(
        &self,
        kernel: &mut Kernel,
        by: &mut ImageContext<'_>,
        node: DdNode,
        target: DdNode,
        at: NodePosition,
    ) -> Result<DdNode, Halt> {
        match self {
            NewSteps::On(arcs) => {
                let into = (Some(target), StepEnd::Source);
                along(kernel, by, arcs, node, into, at)
            }
            NewSteps::Any => by.sources(kernel, node, target, at),
        }
    }
}

/// Requirement on a cycle besides its new step.
#[derive(Clone, Copy)]
pub enum CycleObligation {
    /// A step with this mark.
    Mark(u32),
    /// A state that does not enable this constraint, or a step that meets it.
    Demand(DemandId),
}

/// Requirements on the cycles searched.
pub struct CycleQuery<'a> {
    pub new: &'a NewSteps,
    /// All fairness constraints of the problem.
    pub demands: &'a mut Demands,
    pub which: &'a [DemandId],
}

impl CycleQuery<'_> {
    /// Returns all marks and required constraints.
    pub fn stages(&self, labels: &LabelResiduals) -> Vec<CycleObligation> {
        let marks = labels.marks().iter().map(CycleObligation::Mark);
        marks
            .chain(self.which.iter().copied().map(CycleObligation::Demand))
            .collect()
    }

    /// Returns where paths through `node`, which is closed and rooted, meet a stage.
    pub fn entries(
        &mut self,
        kernel: &mut Kernel,
        by: &mut ImageContext<'_>,
        stage: CycleObligation,
        node: DdNode,
        at: NodePosition,
    ) -> Result<DdNode, Halt> {
        match stage {
            CycleObligation::Mark(mark) => by.with(MoveKind::Marked(mark)).images(kernel, node, at),
            CycleObligation::Demand(demand) => self.demands.met(kernel, by, demand, node, at),
        }
    }
}

/// Returns the targets of new steps reached from the wanted cycles in `node`, which is rooted.
pub fn fair(
    kernel: &mut Kernel,
    by: &mut ImageContext<'_>,
    wanted: &mut CycleQuery<'_>,
    node: DdNode,
    at: NodePosition,
) -> Result<DdNode, Halt> {
    let base = kernel.mark();
    let new = wanted.new;
    let mut here = new.steps(kernel, by, node, at)?;
    while !here.is_empty() {
        kernel.push(0, here)?;
        let mut ahead = closure(kernel, by, here, at)?;
        for stage in wanted.stages(by.labels) {
            if ahead.is_empty() {
                break;
            }
            kernel.push(0, ahead)?;
            let entries = wanted.entries(kernel, by, stage, ahead, at)?;
            if entries == ahead {
                continue;
            }
            kernel.push(0, entries)?;
            ahead = closure(kernel, by, entries, at)?;
        }
        kernel.push(0, ahead)?;
        let next = new.steps(kernel, by, ahead, at)?;
        kernel.release(base);
        if next == here {
            break;
        }
        here = next;
    }
    Ok(here)
}

/// Computes `N*` of a node.
pub fn closure(
    kernel: &mut Kernel,
    by: &mut ImageContext<'_>,
    node: DdNode,
    at: NodePosition,
) -> Result<DdNode, Halt> {
    let mut filter = InnerMove {
        labels: by.labels,
        still: Stability::Inner,
    };
    let (level, events) = (at.level, &by.steps.all);
    kernel.saturate_below(node, level, events, &mut filter, at.residual)
}

/// Computes an end of the steps on `arcs` from a node, into another if there is a target.
fn along(
    kernel: &mut Kernel,
    by: &mut ImageContext<'_>,
    arcs: &[ValueArc],
    node: DdNode,
    (target, end): (Option<DdNode>, StepEnd),
    at: NodePosition,
) -> Result<DdNode, Halt> {
    let base = kernel.mark();
    for arc in arcs.iter().filter(|arc| arc.recurring) {
        let child = kernel.child(node, arc.from);
        let into = target.map(|target| kernel.child(target, arc.to));
        if let Some(below) = by.read(kernel, at, arc.to)? {
            let value = match end {
                StepEnd::Source => arc.from,
                StepEnd::Target => arc.to,
            };
            let part = Image {
                chain: Some(arc.rest),
                node: child,
                target: into,
                end,
                at: below,
            };
            kernel.call_into(value, part, by)?;
        }
    }
    kernel.sort(base)?;
    kernel.make(base)
}
