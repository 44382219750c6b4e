//! Concrete lassos.
//!
//! *The cycle* lies in the node, for any values of the levels above. The fixpoint is a set `Z` each
//! member of which is reached from a member by inner steps with all marks and a final new step.
//! From some `z ∈ Z` the path is traversed backwards to such a `z'`, in saturated sets and from
//! single states:
//!
//! ```text
//! X₀ = N*(Z)   X_m = N*(N_m(X_m₋₁))      z ← y ∈ X_last ⇠ N_last(…) ← … ⇠ X₀ ∋ z' ∈ Z
//! ```
//!
//! Fairness constraints are stages like marks, but those already met by the later part of the path
//! are skipped. If `z` leads to `z'` by inner steps, a shortest path closes the cycle. Otherwise
//! `z'` is in a component before that of `z`, and the traversal continues from there, finitely
//! often.
//!
//! *The prefix* leads to any state that ends in the cycle and whose upper levels leave the same
//! residual; saturation has met one. Only events with their top at or below the highest level begun
//! have been fired, so no others are needed.

use super::demands::{DemandId, Demands};
use super::fixpoint::{CycleObligation, CycleQuery, closure};
use super::images::ImageContext;
use super::label_residuals::{LabelResiduals, MoveKind};
use super::path::{PathGoal, Walk, contains, pick};
use super::steps::{Hop, NodePosition, ProductSteps};
use crate::sets::walk::lost;
use lariat_dd::kernel::{DdNode, Halt, Kernel};
use lariat_model::EventId;

/// Context of the construction of a lasso.
pub struct HybWalk<'a> {
    pub labels: &'a mut LabelResiduals,
    pub steps: &'a ProductSteps,
    /// Upper bound on the top level of events in the prefix.
    pub top: u32,
}

impl HybWalk<'_> {
    /// Returns a wanted cycle in the node at `at`, given the result of
    /// [`fair`](super::fixpoint::fair), which is rooted by the caller.
    pub fn cycle(
        &mut self,
        kernel: &mut Kernel,
        wanted: &mut CycleQuery<'_>,
        reached: DdNode,
        at: NodePosition,
    ) -> Result<Walk, Halt> {
        let base = kernel.mark();
        let mut by = self.by(MoveKind::Inner);
        let mut all = closure(kernel, &mut by, reached, at)?;
        kernel.push(0, all)?;
        let mut stages = Stages {
            first: reached,
            next: Vec::new(),
            last: all,
        };
        for stage in wanted.stages(by.labels) {
            let entries = wanted.entries(kernel, &mut by, stage, all, at)?;
            kernel.push(0, entries)?;
            let before = all;
            all = closure(kernel, &mut by, entries, at)?;
            kernel.push(0, all)?;
            stages.next.push((stage, before, entries));
            stages.last = all;
        }
        let mut end = pick(kernel, reached)?;
        loop {
            let round = self.round(kernel, wanted, &stages, &end, at)?;
            if round.start == end {
                kernel.release(base);
                return Ok(round);
            }
            // Close the round if `end` leads back to its start.
            let here = kernel.chain_of(&end)?;
            kernel.push(0, here)?;
            let ahead = closure(kernel, &mut self.by(MoveKind::Inner), here, at)?;
            kernel.push(0, ahead)?;
            if contains(kernel, ahead, &round.start) {
                let mut by = self.by(MoveKind::Inner);
                let mut back = by.path_to(kernel, here, &round.start, at)?;
                back.hops.extend(round.hops);
                kernel.release(base);
                return Ok(back);
            }
            end = round.start;
        }
    }

    /// Returns a path from a member of the first entries through all stages to `end`.
    fn round(
        &mut self,
        kernel: &mut Kernel,
        wanted: &mut CycleQuery<'_>,
        stages: &Stages,
        end: &[u32],
        at: NodePosition,
    ) -> Result<Walk, Halt> {
        let base = kernel.mark();
        let mut trail = Trail::default();
        let goal = kernel.chain_of(end)?;
        kernel.push(0, goal)?;
        let mut by = self.by(MoveKind::Inner);
        let new = wanted.new;
        let sources = new.sources(kernel, &mut by, stages.last, goal, at)?;
        let mut here = pick(kernel, sources)?;
        let any = |_: EventId| true;
        trail.hop(&here, by.step_into(kernel, &here, goal, at, any)?);
        for &(stage, before, entries) in stages.next.iter().rev() {
            // Stages decrease, so constraints met by the later part of the path stay met.
            if let CycleObligation::Demand(demand) = stage
                && trail.meets(kernel, wanted.demands, demand, &here, at.level)?
            {
                continue;
            }
            let walk = self
                .by(MoveKind::Inner)
                .path_to(kernel, entries, &here, at)?;
            here = walk.start.clone();
            trail.walk(walk);
            let goal = kernel.chain_of(&here)?;
            kernel.push(0, goal)?;
            let (from, hop) = match stage {
                CycleObligation::Mark(mark) => {
                    let mut by = self.by(MoveKind::Marked(mark));
                    let sources = by.sources(kernel, before, goal, at)?;
                    let from = pick(kernel, sources)?;
                    let hop = by.step_into(kernel, &from, goal, at, any)?;
                    (from, hop)
                }
                CycleObligation::Demand(demand) => {
                    let demands = &mut *wanted.demands;
                    if idle(kernel, demands, demand, &here, at.level)? {
                        continue;
                    }
                    let mut by = self.by(MoveKind::Inner);
                    let mut by_events = demands.by_events(&mut by, demand);
                    let sources = by_events.sources(kernel, before, goal, at)?;
                    let from = pick(kernel, sources)?;
                    let of_demand = |event| demands.is_met(demand, event);
                    let hop = by.step_into(kernel, &from, goal, at, of_demand)?;
                    (from, hop)
                }
            };
            here = from;
            trail.hop(&here, hop);
        }
        let walk = self
            .by(MoveKind::Inner)
            .path_to(kernel, stages.first, &here, at)?;
        let start = walk.start.clone();
        trail.walk(walk);
        kernel.release(base);
        Ok(Walk {
            level: at.level,
            start,
            hops: trail.pieces.into_iter().rev().flatten().collect(),
        })
    }

    /// Returns a path of the product from one of `initial` to `goal`.
    pub fn prefix(
        &mut self,
        kernel: &mut Kernel,
        initial: DdNode,
        goal: PathGoal<'_>,
    ) -> Result<Walk, Halt> {
        let at = NodePosition {
            level: 0,
            residual: self.labels.root,
        };
        let top = self.top;
        let mut by = self.by(MoveKind::Any);
        let walk = by.path_below(kernel, top, initial, goal, at)?;
        walk.ok_or_else(|| kernel.halt(lost()))
    }

    fn by(&mut self, kind: MoveKind) -> ImageContext<'_> {
        ImageContext::new(self.steps, self.labels, kind)
    }
}

/// The stages of a cycle.
struct Stages {
    /// The fixpoint.
    first: DdNode,
    /// Each with the closed set before it and its entries.
    next: Vec<(CycleObligation, DdNode, DdNode)>,
    /// The closed set after the last stage.
    last: DdNode,
}

/// The suffix of a path found so far: its pieces, the last first.
#[derive(Default)]
struct Trail {
    pieces: Vec<Vec<Hop>>,
    vectors: Vec<Vec<u32>>,
}

impl Trail {
    fn hop(&mut self, from: &[u32], hop: Hop) {
        self.pieces.push(vec![hop]);
        self.vectors.push(from.to_vec());
    }

    fn walk(&mut self, walk: Walk) {
        self.vectors.push(walk.start.clone());
        walk.follow(|_, vector| self.vectors.push(vector.to_vec()));
        self.pieces.push(walk.hops);
    }

    fn meets(
        &self,
        kernel: &mut Kernel,
        demands: &mut Demands,
        demand: DemandId,
        here: &[u32],
        level: u32,
    ) -> Result<bool, Halt> {
        let mut hops = self.pieces.iter().flatten();
        if hops.any(|hop| demands.is_met(demand, hop.event)) {
            return Ok(true);
        }
        let passed = self.vectors.iter().map(Vec::as_slice);
        for vector in std::iter::once(here).chain(passed) {
            if idle(kernel, demands, demand, vector, level)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns whether a fairness constraint is disabled in a vector.
fn idle(
    kernel: &mut Kernel,
    demands: &mut Demands,
    demand: DemandId,
    vector: &[u32],
    level: u32,
) -> Result<bool, Halt> {
    demands
        .is_idle(demand, level, vector)
        .map_err(|stop| kernel.halt(stop))
}
