//! What a model claims of itself, whatever is asked of it: assertions that hold, an error state that is not reached.
//!
//! A verdict about a program that has gone wrong may be a verdict about the mistake. A search that has seen a state can tell whether the
//! claims hold in it, so [`Problem::claims`](crate::Problem::claims) are looked at in every state that the explicit engine has found when it ends. These
//! need not be all: where the automaton can read nothing more, the search goes no further. If few are left, they are
//! explored for the claims alone; [`Claims::complete`] says whether that came to an end. Engines on sets tell it
//! of the states that they have met.

use crate::explicit::product::{ExplicitProduct, ExplicitWorker};
use lariat_budget::Stop;
use lariat_model::{EventId, Predicate};
use lariat_space::explicit::StateId;

/// States that are always looked at besides those of the search: some hundredths of a second.
const LEAST_MORE: usize = 20_000;
/// Of the states of the search, the part that may be looked at besides.
const PART: usize = 10;

/// States between two looks at the clock.
const TICK: usize = 1024;

/// What is known of the claims of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Claims {
    /// For each claim: does it fail in a state that is reached?
    pub failed: Vec<bool>,
    /// States that were looked at; `None` if all were, without counting them.
    pub states: Option<u64>,
    /// Were all states looked at?
    pub complete: bool,
}

/// Looks at the claims in all states that a search has found, which has come to its end if `may_go_on`.
pub(crate) fn look_at_claims(
    product: &ExplicitProduct<'_>,
    worker: &mut ExplicitWorker,
    claims: &[Predicate],
    may_go_on: bool,
) -> Option<Claims> {
    if claims.is_empty() {
        return None;
    }
    let found = worker.states.len();
    let mut more = if may_go_on {
        LEAST_MORE.max(found / PART)
    } else {
        0
    };
    let mut told = Claims {
        failed: vec![false; claims.len()],
        states: None,
        complete: true,
    };
    let mut steps = Vec::new();
    let (mut next, mut looked_at) = (0, 0);
    while next < worker.states.end() {
        if next % TICK == 0 && worker.check().is_err() {
            told.complete = false;
            break;
        }
        let state = StateId(next as u32);
        next += 1;
        if !worker.states.is_known(state) {
            continue;
        }
        looked_at += 1;
        for (claim, failed) in claims.iter().zip(&mut told.failed) {
            *failed = *failed || !product.space().holds(&mut worker.states, state, claim);
        }
        if !worker.was_listed(state) {
            let listed = more > 0 && explored(product, worker, state, &mut steps).is_ok();
            more = more.saturating_sub(1);
            told.complete &= listed;
        }
    }
    told.states = Some(looked_at);
    Some(told)
}

fn explored(
    product: &ExplicitProduct<'_>,
    worker: &mut ExplicitWorker,
    state: StateId,
    steps: &mut Vec<(EventId, StateId)>,
) -> Result<(), Stop> {
    steps.clear();
    worker.check()?;
    product.space().expand(&mut worker.states, state, steps)
}
