//! Claims of a model about its states: assertions, and error states that are not reached.
//!
//! A verdict about a faulty program may only reflect the fault. So
//! [`Problem::claims`](crate::Problem::claims) are evaluated in every state that the explicit
//! engine has found when it ends. These need not be all states: the search does not continue where
//! the automaton can read nothing. If few states are unexplored, they are explored for the claims
//! alone; [`Claims::complete`] says whether this was exhaustive. Set engines evaluate claims on
//! their states.

use crate::explicit::product::{ExplicitProduct, ExplicitWorker};
use crate::explicit::state_set::StateSet;
use lariat_model::Predicate;
use lariat_space::explicit::ExplicitStateId;

/// Additional states that may always be explored.
const LEAST_EXTRA: usize = 20_000;
/// Additional states that may be explored, as a divisor of the states found by the search.
const EXTRA_DIVISOR: usize = 10;

/// States between two polls of the budget.
const TICK: u64 = 1024;

/// Result of evaluating the claims of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Claims {
    /// By claim: true if it fails in a reachable state.
    pub failed: Vec<bool>,
    /// Number of states evaluated; `None` if all were, without counting them.
    pub states: Option<u64>,
    /// True if all states were evaluated.
    pub complete: bool,
}

/// Evaluates the claims in all states found by a search, and in further states if the search `was_ended`
/// without a run. After a search that was not, the product is sealed, and the steps of a state may
/// have been listed in part.
pub(crate) fn evaluate_claims(
    product: &ExplicitProduct<'_>,
    worker: &mut ExplicitWorker,
    claims: &[Predicate],
    was_ended: bool,
) -> Option<Claims> {
    if claims.is_empty() {
        return None;
    }
    let found = worker.states.len();
    let mut more = if was_ended {
        LEAST_EXTRA.max(found / EXTRA_DIVISOR)
    } else {
        0
    };
    let mut result = Claims {
        failed: vec![false; claims.len()],
        states: None,
        complete: was_ended,
    };
    // An automaton without initial states leaves those of the system unvisited.
    for k in 0..product.space().system().initial.len() {
        let initial = product.space().initial(&mut worker.states, k);
        result.complete &= matches!(initial, Ok(Some(_)));
    }
    let (mut visited, mut steps) = (StateSet::default(), Vec::new());
    // A store of several workers has gaps, which states found from here on may fill.
    let mut behind: Vec<ExplicitStateId> = Vec::new();
    let (mut next, mut evaluated) = (0, 0);
    while !behind.is_empty() || next < worker.states.end() {
        let state = behind.pop().unwrap_or_else(|| {
            next += 1;
            ExplicitStateId(next as u32 - 1)
        });
        if !worker.states.is_known(state) || !visited.insert(state) {
            continue;
        }
        if evaluated % TICK == 0 && worker.check().is_err() {
            result.complete = false;
            break;
        }
        evaluated += 1;
        for (claim, failed) in claims.iter().zip(&mut result.failed) {
            *failed = *failed || !product.space().holds(&mut worker.states, state, claim);
        }
        if !worker.was_listed(state) {
            steps.clear();
            let may_go_on = more > 0 && worker.check().is_ok();
            let mut expand = || {
                product
                    .space()
                    .expand(&mut worker.states, state, &mut steps)
            };
            result.complete &= may_go_on && expand().is_ok();
            more = more.saturating_sub(1);
            let targets = steps.iter().map(|(_, to)| *to);
            behind.extend(targets.filter(|to| to.index() < next));
        }
    }
    result.states = Some(evaluated);
    Some(result)
}
