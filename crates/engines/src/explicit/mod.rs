//! The explicit engine: a product of single states with an emptiness check on its graph.
//!
//! Decides full LTL with events on every system whose states fit into memory, and finds most
//! counterexamples after a small part of them. With testing automata it decides stutter-invariant
//! properties of states; see [`testing_automata`].
//!
//! | automaton | product | check |
//! | --- | --- | --- |
//! | TGBA, BA | [`ExplicitProduct`] | Couvreur, with covering runs where a net may grow |
//! | | | UFSCC, by strength, for several workers; Streett pairs if fairness is not in marks |
//! | TA | [`testing_automata::TestingProduct`] | two passes |
//! | TGTA | the same | Couvreur |
//!
//! *As published* it is the synchronous product and Couvreur's check alone, with one worker.

mod claims;
pub(crate) mod covering;
pub(crate) mod fairness;
pub(crate) mod labels;
mod partial_order;
mod prefix;
pub mod product;
mod product_nodes;
pub(crate) mod single;
mod size;
mod state_set;
pub(crate) mod steps;

pub use claims::Claims;
pub use fairness::FairnessAutomaton;
pub use size::{Size, product_size};

use crate::account::Account;
use crate::engine::{AutomatonKind, Emptiness, Engine, Found, Needs, Procedure, Task};
use crate::engine_id::EngineId;
use crate::testing_automata;
use claims::evaluate_claims;
use covering::OnPath;
use lariat_budget::{Budget, Statistic, Stop};
use lariat_emptiness::{
    Counts, GraphLasso, LassoHint, Outcome, PathOutcome, StrengthHint, couvreur, couvreur_asking,
    lasso, streett, ufscc, ufscc_by_strength,
};
use lariat_model::{Lasso, Strength};
use lariat_space::explicit::StateTable;
use prefix::{MOST_NODES, nearest};
use product::{ExplicitProduct, ExplicitWorker};
use steps::{SingleStateProduct, concrete, concrete_fair};

/// The explicit engine.
pub const EXPLICIT: Engine = Engine {
    id: EngineId::Explicit,
    automata: &AutomatonKind::ALL,
    checks: |kind| match kind {
        AutomatonKind::Ta => &[Emptiness::TwoPass],
        _ => &[Emptiness::Couvreur],
    },
    needs: Needs::Nothing,
    fairness: |kind| match kind {
        AutomatonKind::Tgba => Some(Strength::Strong),
        AutomatonKind::Ba => Some(Strength::Weak),
        AutomatonKind::Ta | AutomatonKind::Tgta => None,
    },
    has_published: true,
    procedure: Procedure::Single(|task| match task.automaton {
        AutomatonKind::Tgba | AutomatonKind::Ba => synchronous(task),
        AutomatonKind::Ta => testing_automata::ta(task),
        AutomatonKind::Tgta => testing_automata::tgta(task),
    }),
};

/// Checks the synchronous product by Couvreur's algorithm, by UFSCC with several workers or where
/// there are no components, or by the sequential check for Streett pairs.
pub(crate) fn synchronous(task: &mut Task<'_>) -> Found {
    let mut product = ExplicitProduct::new(task.problem, task.observer);
    if !task.variant.published {
        product = product.reduced(task.budget)?;
        let locations = product.space().ample_locations();
        if locations > 0 {
            task.account
                .stats
                .set(Statistic::AMPLE_LOCATIONS, locations);
        }
    }
    let several = if product.has_fairness_in_marks() {
        task.variant.workers.count().get()
    } else {
        1
    };
    let mut workers = match several {
        1 => vec![product.worker(task.budget)],
        several => product.workers(several, task.budget),
    };
    let mut counts = Counts::default();
    // Steps of a program are expensive. The first worker of a search by strength needs no search
    // nearby before, and one worker gains if there are no components.
    let is_program = task.problem.system.source.is_some() && !task.variant.published;
    let at_once = is_program
        && product.has_fairness_in_marks()
        && (several > 1 && product.has_transient() || product.has_no_components());
    if !at_once
        && let Some(beginning) = nearby_prefix(task, &product, &mut workers[0], &mut counts)?
    {
        record_search(task.account, &counts, workers[0].states());
        record_peak(task);
        return Ok(Outcome::Accepting(beginning));
    }
    if several > 1 || at_once {
        let found = if product.has_transient() {
            let found = ufscc_by_strength(&product, &mut workers, &mut counts);
            found.map(|found| found.map(ParallelHint::ByStrength))
        } else {
            let found = ufscc(&product, &mut workers, &mut counts);
            found.map(|found| found.map(ParallelHint::Whole))
        };
        let mut worker = merge_workers(workers);
        record_search(task.account, &counts, worker.states());
        if several > 1 {
            task.account.stats.set(Statistic::WORKERS, several);
        }
        let lasso =
            |product: &ExplicitProduct<'_>, worker: &mut ExplicitWorker, hint: &ParallelHint| {
                let evidence = match hint {
                    ParallelHint::Whole(hint) => hint.evidence(product, worker)?,
                    ParallelHint::ByStrength(hint) => hint.evidence(product, worker)?,
                };
                lasso(product, worker, &evidence)
            };
        let found =
            found.and_then(|found| conclude(&product, &mut worker, found, task.budget, lasso));
        return check_claims(task, &product, worker, found);
    }
    let mut worker = merge_workers(workers);
    let found = if product.has_fairness_in_marks() {
        let mut on_path = if task.variant.published {
            None
        } else {
            OnPath::new(task.problem, &product)
        };
        let found = match &mut on_path {
            Some(question) => couvreur_asking(&product, &mut worker, &mut counts, question),
            None => couvreur(&product, &mut worker, &mut counts)
                .map(|found| found.map(PathOutcome::Component)),
        };
        record_search(task.account, &counts, worker.states());
        let found = found.and_then(|found| {
            conclude(&product, &mut worker, found, task.budget, lasso_of_sighting)
        });
        let growth = on_path.and_then(OnPath::growth);
        found.map(|found| found.map(|lasso| Lasso { growth, ..lasso }))
    } else {
        let found = streett(&product, &mut worker, &mut counts);
        record_search(task.account, &counts, worker.states());
        found.and_then(|found| match found {
            Outcome::Accepting(found) => {
                concrete_fair(&product, &mut worker, &found, task.budget).map(Outcome::Accepting)
            }
            other => Ok(other.map(|_| unreachable!("the check for pairs is exact"))),
        })
    };
    check_claims(task, &product, worker, found)
}

/// Result of several workers.
enum ParallelHint {
    Whole(LassoHint),
    ByStrength(StrengthHint),
}

/// Returns the lasso in the component or along the path that a search has reported.
fn lasso_of_sighting(
    product: &ExplicitProduct<'_>,
    worker: &mut ExplicitWorker,
    seen: &PathOutcome,
) -> Result<Option<GraphLasso>, Stop> {
    match seen {
        PathOutcome::Component(evidence) => lasso(product, worker, evidence),
        PathOutcome::Rounds(rounds) => Ok(Some(rounds.clone())),
    }
}

/// Returns the first worker, with the findings of all.
fn merge_workers(mut workers: Vec<ExplicitWorker>) -> ExplicitWorker {
    let mut last = workers.swap_remove(0);
    for other in workers {
        last.merge(&other);
    }
    last.states.resume();
    last
}

/// Evaluates the model's claims and checks whether states were omitted.
fn check_claims(
    task: &mut Task<'_>,
    product: &ExplicitProduct<'_>,
    mut worker: ExplicitWorker,
    found: Found,
) -> Found {
    let is_over = matches!(found, Ok(Outcome::Empty));
    if found.is_ok() {
        let claims = task.problem.claims;
        task.account.claims = evaluate_claims(product, &mut worker, claims, is_over);
        task.account.overflow = worker.states.overflow();
    }
    let found = complete(found?, worker.states());
    record_peak(task);
    found
}

/// Fails if there may be a run through states that were omitted.
pub(crate) fn complete(found: Outcome<Lasso>, states: &StateTable) -> Found {
    match found {
        Outcome::Empty if states.was_cut() => Err(Stop::Bound(
            "states beyond the limit on tokens, or the boundary of the model, were omitted"
                .to_owned(),
        )),
        found => Ok(found),
    }
}

/// Searches near the initial nodes for an accepted prefix, if a depth-first search may diverge.
pub(crate) fn nearby_prefix<P: SingleStateProduct>(
    task: &Task<'_>,
    product: &P,
    worker: &mut P::Worker,
    counts: &mut Counts,
) -> Result<Option<Lasso>, Stop> {
    let system = task.problem.system;
    let may_diverge = system.makes_tokens() || system.source.is_some();
    if task.variant.published || !may_diverge {
        return Ok(None);
    }
    match nearest(product, worker, MOST_NODES, counts)? {
        Some(found) => concrete(product, worker, &found, task.budget).map(Some),
        None => Ok(None),
    }
}

/// Records the statistics of a search on single states.
pub(crate) fn record_search(account: &mut Account, counts: &Counts, states: &StateTable) {
    account.search(counts);
    account.stats.set(Statistic::STATES, states.len());
    let bits = states.packed_bits();
    account.stats.set(Statistic::PACKED_BITS, bits);
    account.overflow = states.overflow();
}

/// Records the statistics that are final only after the lasso was computed.
pub(crate) fn record_peak(task: &mut Task<'_>) {
    let bytes = task.budget.bytes_peak();
    task.account.stats.set(Statistic::BYTES_PEAK, bytes);
}

/// Turns the evidence of an exact check into a run of the system.
pub(crate) fn conclude<P: SingleStateProduct, E>(
    product: &P,
    worker: &mut P::Worker,
    found: Outcome<E>,
    budget: &Budget,
    lasso: impl FnOnce(&P, &mut P::Worker, &E) -> Result<Option<GraphLasso>, Stop>,
) -> Found {
    let inexact = |what: &str| Stop::Internal(format!("an exact check returned {what}"));
    match found {
        Outcome::Empty => Ok(Outcome::Empty),
        Outcome::Accepting(evidence) => {
            // The budget of the search may be used up; in the sealed product a lasso costs no work.
            product.seal(worker);
            let found = lasso(product, worker, &evidence)?;
            let found = found.ok_or_else(|| inexact("a component without a lasso"))?;
            concrete(product, worker, &found, budget).map(Outcome::Accepting)
        }
        Outcome::Undecided(_) => Err(inexact("an inexact result")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;
    use crate::testing::net;
    use lariat_automata::Automaton;
    use lariat_budget::{Budget, Quiet};
    use lariat_model::{Deadlock, System};

    const LENGTH: u32 = 50;

    /// A token moves from place to place up to the last, where it stays. It may get lost at every
    /// place, and at the first it may also jump to the last.
    fn detour() -> System {
        let last = LENGTH - 1;
        let steps = (0..last).flat_map(|i| [[i, i + 1], [i, LENGTH + i]]);
        let steps: Vec<[u32; 2]> = steps.chain([[0, last], [last, last]]).collect();
        let transitions: Vec<_> = steps.iter().map(|ends| ends.split_at(1)).collect();
        let mut tokens = [0; 2 * LENGTH as usize];
        tokens[0] = 1;
        net(&tokens, &transitions)
    }

    /// The work of the search is used up when its lasso is shortened.
    #[test]
    fn a_lasso_is_shortened_in_the_sealed_product() {
        let (system, anything) = (detour(), Automaton::universal());
        let problem = Problem::new(&system, &anything, &[], Deadlock::Ignore);
        let mut account = Account::default();
        let found = synchronous(&mut Task {
            problem: &problem,
            automaton: AutomatonKind::Tgba,
            emptiness: Some(Emptiness::Couvreur),
            variant: Default::default(),
            budget: &Budget::unlimited().with_work(u64::from(LENGTH)),
            observer: &Quiet,
            account: &mut account,
        });
        let Ok(Outcome::Accepting(lasso)) = found else {
            panic!("{found:?}");
        };
        assert_eq!((lasso.prefix.len(), lasso.cycle.len()), (1, 1));
    }
}
