//! Set engines: products whose nodes hold sets of states as diagrams, and fixpoints.
//!
//! | file | content |
//! | --- | --- |
//! | `operators.rs` | the system on sets; guards as conditions on steps |
//! | `restrictions.rs` | restrictions of the system that are searched first |
//! | `event_slices.rs` | events of relaxed plans for the atoms of the property |
//! | `product.rs` | the product trait, and the graph that the emptiness checks search |
//! | `builders.rs` | threads that prefetch edges for the check |
//! | `walk.rs` | concrete lassos from abstract ones |
//! | `bcz.rs` | sets of equal label, without closure |
//! | `sog.rs` | aggregates closed under unobserved steps |
//! | `sog_testing.rs` | the same with testing automata |
//! | `sog_graph.rs` | the graph itself, as a result |
//! | `sop.rs` | the same, observing only atoms that can still matter |
//! | `slap.rs` | sets closed under the self-loops of the automaton |
//! | `slap_fst.rs` | SLAP with fixpoints in terminal components of the automaton |
//! | `whole.rs` | the product as one set per automaton state |
//! | `fixpoint.rs`, `el.rs`, `owcty.rs` | fixpoints on it, after a test of the deadlocks |
//! | `fair.rs` | fairness constraints of fixpoints |
//! | `witness.rs` | an accepting run for a fixpoint |
//!
//! Engines start from the initial states under a given variable order (`restrictions.rs`), and use
//! the reachable states if they are known. A product is passed to `search`, which runs any
//! emptiness check; a fixpoint to `solve`.

mod bcz;
mod builders;
mod el;
mod event_slices;
mod fair;
pub(crate) mod fixpoint;
pub(crate) mod operators;
mod owcty;
mod product;
mod restrictions;
mod slap;
mod slap_fst;
mod sog;
mod sog_graph;
mod sog_testing;
mod sop;
pub(crate) mod walk;
mod whole;
mod witness;

use crate::engine::{Emptiness, Found, Task, Variant};
use builders::{GroupPrefetcher, with_builders};
use lariat_automata::StateId;
use lariat_budget::{RunContext, Statistic, Stop};
use lariat_emptiness::{Counts, Evidence, Outcome, aec, breadth_first, couvreur, iec, nsiec};
use operators::SymbolicProblem;
use product::{Aggregates, SetProduct, SetWorker};
use std::sync::Arc;
use whole::Whole;
use witness::{ProductState, RunBuilder};

pub use bcz::BCZ;
pub use el::EL;
pub use fixpoint::Fixpoint;
pub use owcty::OWCTY;
pub use restrictions::{SetProcedure, decide, near, on_the_fly};
pub use slap::SLAP;
pub use slap_fst::SLAP_FST;
pub use sog::SOG;
pub use sog_graph::{ObservationGraph, ObservedAggregate, observation_graph};
pub use sop::SOP;

/// Searches a product for an accepting lasso, with builder threads if the budget allows.
fn search<P>(task: &mut Task<'_>, sets: &mut SymbolicProblem<'_, '_>, product: P) -> Found
where
    P: SetProduct + Clone + Send,
{
    let budget = task.budget;
    with_builders(&product.clone(), sets, budget, |sets, ahead| {
        search_with(task, sets, product, ahead)
    })
}

fn search_with<P: SetProduct>(
    task: &mut Task<'_>,
    sets: &mut SymbolicProblem<'_, '_>,
    product: P,
    ahead: Option<Arc<GroupPrefetcher>>,
) -> Found {
    let check = task.emptiness.unwrap_or(Emptiness::Nsiec);
    if let Some(ahead) = &ahead {
        let threads = 1 + ahead.builders();
        task.account.stats.set(Statistic::THREADS, threads);
    }
    let ctx = RunContext::new(task.budget, task.observer);
    let (graph, mut worker) = Aggregates::new(product, sets, ahead, ctx);
    let mut counts = Counts::default();
    let found = run_check(&graph, &mut worker, check, task.variant, &mut counts);
    let stats = &mut task.account.stats;
    stats.set(Statistic::AGGREGATES, worker.node_count());
    stats.set(Statistic::PRODUCT_STATES, counts.nodes);
    stats.set(Statistic::PRODUCT_EDGES, worker.edge_count());
    let hits = counts.dead_inclusions + counts.active_inclusions;
    stats.set(Statistic::INCLUSIONS, hits);
    found
}

fn run_check<'w, 'r, 's, P: SetProduct>(
    graph: &Aggregates<'_, 'w, 'r, 's, P>,
    worker: &mut SetWorker<'w, 'r, 's, P>,
    check: Emptiness,
    variant: Variant,
    counts: &mut Counts,
) -> Found {
    let found = match check {
        Emptiness::Couvreur => couvreur(graph, worker, counts)?,
        Emptiness::Nsiec => nsiec(graph, worker, counts)?,
        Emptiness::Iec => iec(graph, worker, counts)?,
        Emptiness::Layers => breadth_first(graph, worker, counts)?,
        Emptiness::Aec => aec(graph, worker, counts)?,
        Emptiness::TwoPass => {
            return Err(Stop::Unsupported(
                "the two-pass check requires single states and a testing automaton".to_owned(),
            ));
        }
    };
    // After an undecided check NSIEC may follow, which uses the builders, too.
    if !matches!(found, Outcome::Undecided(_)) {
        worker.dismiss_builders();
    }
    let mut lasso = |evidence: &Evidence| walk::concrete(graph, worker, evidence);
    match found {
        Outcome::Empty => Ok(Outcome::Empty),
        Outcome::Accepting(evidence) => match lasso(&evidence)? {
            Some(lasso) => Ok(Outcome::Accepting(lasso)),
            None => Err(walk::lost()),
        },
        Outcome::Undecided(evidence) => match lasso(&evidence)? {
            Some(lasso) => Ok(Outcome::Accepting(lasso)),
            None if variant.doubts => Ok(Outcome::Undecided(walk::first_state(worker.sets)?)),
            None => run_check(graph, worker, Emptiness::Nsiec, variant, counts),
        },
    }
}

/// Decides by a fixpoint on the whole product.
fn solve(sets: &mut SymbolicProblem<'_, '_>, fixpoint: Fixpoint) -> Found {
    let whole = Whole::with_fairness(sets);
    let initial = whole.initial(sets)?;
    let reached = whole.reach(sets, initial.clone())?;
    let lease = sets.space.budget().lease();
    let mut witness = RunBuilder {
        sets,
        whole: &whole,
        lease,
    };
    if let Some(lasso) = witness.accepted_prefix(&initial, &reached)? {
        return Ok(Outcome::Accepting(lasso));
    }
    let fair = fixpoint.fair(witness.sets, &whole, reached)?;
    if whole::is_empty(&fair.core) {
        return Ok(Outcome::Empty);
    }
    let ids = (0..).map(StateId);
    for (location, (initial, fair_here)) in ids.zip(initial.iter().zip(&fair.all)) {
        let space = &mut witness.sets.space;
        let starts = space.store().intersection(initial, fair_here)?;
        if let Some(state) = space.pick(&starts) {
            let first = ProductState { location, state };
            return witness.run(first, &fair).map(Outcome::Accepting);
        }
    }
    Err(walk::lost())
}
