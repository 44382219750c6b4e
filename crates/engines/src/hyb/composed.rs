//! OWCTY and EL with the automaton composed into the diagram, as published.
//!
//! The tool of the paper composes the automaton with the system into one system and searches its
//! states as one set. Here this is the product of [`hyb`](super), whose lowest level is the state of
//! the automaton. One saturation computes its reachable states `all`, and one fixpoint searches it
//! at the root. With `N` for its steps and `N_m` for those with mark `m`,
//!
//! ```text
//! OWCTY  Z := all    repeat  for every m: Z := N*(N_m(Z))                        until stable
//!                            Z := N(Z) until stable
//! EL     Z := all    repeat  for every m: Z := {z ∈ Z | z leads inside of Z to a step of Z with m}
//!                                                                                until stable
//! ```
//!
//! `all` is closed under steps, and so is every `Z` of OWCTY: no set has to be intersected with the
//! one before. `el.rs` and `owcty.rs` in [`sets`](crate::sets) have one set per automaton state.
//!
//! A. Duret-Lutz, K. Klai, D. Poitrenaud, Y. Thierry-Mieg, *Combining explicit and symbolic
//! approaches for better on-the-fly LTL model checking*, CoRR abs/1106.5700, §5.1; the fixpoints are
//! those of Fisler et al. (TACAS 2001) and of Emerson and Lei (LICS 1986). Deviations: the label of
//! the target is read, stutter steps of deadlocks are tested separately (`resting.rs`), and the
//! backward closure of EL is breadth-first.
//!
//! Cost: all reachable states of the product at once; a closure per mark and iteration.

use super::filters::AnyMove;
use super::fixpoint::{CycleQuery, NewSteps, closure, fair};
use super::images::ImageContext;
use super::label_residuals::{MoveKind, Stability};
use super::steps::NodePosition;
use super::{CycleSearch, Figures, Product, enter, search_product};
use crate::engine::{AutomatonKind, Engine, Needs, Procedure};
use crate::engine_id::EngineId;
use crate::sets::fixpoint::Fixpoint;
use lariat_budget::{RunContext, Stop};
use lariat_dd::Set;
use lariat_dd::kernel::{DdNode, Halt, Kernel};
use lariat_dd::saturation::Silent;
use lariat_emptiness::{Marks, Outcome};
use lariat_model::Lasso;

/// OWCTY as published.
pub const OWCTY_COMPOSED: Engine = Engine {
    id: EngineId::Owcty,
    automata: &[AutomatonKind::Tgba, AutomatonKind::Ba],
    checks: |_| &[],
    needs: Needs::Nothing,
    fairness: |_| None,
    has_published: true,
    procedure: Procedure::Hyb(|task, space| {
        search_product(task, space, CycleSearch::Whole(Fixpoint::Owcty))
    }),
};

/// EL as published.
pub const EL_COMPOSED: Engine = Engine {
    id: EngineId::El,
    procedure: Procedure::Hyb(|task, space| {
        search_product(task, space, CycleSearch::Whole(Fixpoint::El))
    }),
    ..OWCTY_COMPOSED
};

impl Product<'_> {
    /// Computes the product and searches it by a fixpoint; `None` if no run was found but steps were
    /// omitted.
    pub(super) fn decide_whole(
        &mut self,
        fixpoint: Fixpoint,
        ctx: RunContext<'_>,
        figures: &mut Figures,
    ) -> Result<Option<Outcome<Lasso>>, Stop> {
        let start = ctx.budget.elapsed();
        let root = self.labels.root;
        let mut moves = AnyMove {
            labels: &mut self.labels,
            still: Stability::Images,
        };
        let events = &self.steps.all;
        let all = self
            .store
            .saturate_with(events, &self.initial, &mut moves, root, &mut Silent)?;
        figures.time += ctx.budget.elapsed() - start;
        let all = all.ok_or_else(|| Stop::Internal("a silent listener left".to_owned()))?;
        // Every event may have fired.
        let top = 0;
        if let Some(ends) = self.deadlock_ends(&all)? {
            enter(ctx.observer, "lasso");
            return self.resting_in(top, &ends).map(Some);
        }
        if let Some(reached) = self.whole_cycles(&all, fixpoint)? {
            enter(ctx.observer, "lasso");
            let found = self.cycle(self.root(), &NewSteps::Any, &[], &reached, top);
            return found.map(Some);
        }
        self.conclude_empty(&all)
    }

    /// Returns targets of steps reached from fair cycles, if there are any.
    fn whole_cycles(&mut self, all: &Set, fixpoint: Fixpoint) -> Result<Option<Set>, Stop> {
        let (at, marks) = (self.root(), self.labels.marks());
        let mut by = ImageContext::new(&self.steps, &mut self.labels, MoveKind::Inner);
        let mut wanted = CycleQuery {
            new: &NewSteps::Any,
            demands: &mut self.demands,
            which: &[],
        };
        let node = all.node();
        let reached = self.store.run(|kernel| match fixpoint {
            Fixpoint::Owcty => owcty(kernel, &mut by, marks, node, at),
            Fixpoint::El => {
                let fair_states = el(kernel, &mut by, marks, node, at)?;
                if fair_states.is_empty() {
                    return Ok(fair_states);
                }
                // The set for the lasso, which EL does not compute.
                fair(kernel, &mut by, &mut wanted, node, at)
            }
        })?;
        Ok(reached.filter(|reached| !reached.is_empty()))
    }
}

/// Returns the hull of the fair cycles of `node`, which is closed and rooted by the caller. A hull
/// is the image of itself, and of itself through every mark.
fn owcty(
    kernel: &mut Kernel,
    by: &mut ImageContext<'_>,
    marks: Marks,
    node: DdNode,
    at: NodePosition,
) -> Result<DdNode, Halt> {
    let base = kernel.mark();
    let mut here = node;
    loop {
        let before = here;
        kernel.push(0, before)?;
        for mark in marks.iter() {
            let entries = by.with(MoveKind::Marked(mark)).images(kernel, here, at)?;
            kernel.push(0, entries)?;
            here = closure(kernel, by, entries, at)?;
            kernel.push(0, here)?;
        }
        loop {
            let trimmed = by.images(kernel, here, at)?;
            if trimmed == here {
                break;
            }
            here = trimmed;
            kernel.push(0, here)?;
        }
        // No node is created before the next push.
        kernel.release(base);
        if here == before || here.is_empty() {
            return Ok(here);
        }
    }
}

/// Returns the states of `node` with a fair run inside of it; `node` is rooted by the caller.
fn el(
    kernel: &mut Kernel,
    by: &mut ImageContext<'_>,
    marks: Marks,
    node: DdNode,
    at: NodePosition,
) -> Result<DdNode, Halt> {
    let mut kinds: Vec<MoveKind> = marks.iter().map(MoveKind::Marked).collect();
    if kinds.is_empty() {
        kinds.push(MoveKind::Inner);
    }
    let base = kernel.mark();
    let mut here = node;
    loop {
        let before = here;
        kernel.push(0, before)?;
        for &kind in &kinds {
            let mut goal = by.with(kind).sources(kernel, here, here, at)?;
            kernel.push(0, goal)?;
            loop {
                let sources = by.sources(kernel, here, goal, at)?;
                kernel.push(0, sources)?;
                let more = kernel.union(goal, sources)?;
                if more == goal {
                    break;
                }
                goal = more;
                kernel.push(0, goal)?;
            }
            here = goal;
        }
        kernel.release(base);
        if here == before || here.is_empty() {
            return Ok(here);
        }
    }
}
