//! The portfolio: which engines are tried, in which order, and why.
//!
//! Most counterexamples are near the initial state, so a short explicit search comes first. It is
//! cut off after a count of product states, never by the clock: the same question is answered
//! by the same engines in every run. What an engine held is given back before the next one starts.

use crate::check::{Attempt, Query, Report};
use crate::engine::Choice;
use lariat_budget::{Budget, Stop};
use lariat_engines::{Lasso, Outcome};

/// Product states of the first, explicit search.
const FIRST_LOOK: u64 = 200_000;

/// An engine, how much it may create, and why it is tried.
struct Turn {
    choice: Choice,
    work: Option<u64>,
    why: &'static str,
}

fn turns() -> Vec<Turn> {
    vec![
        Turn {
            choice: Choice::Explicit,
            work: Some(FIRST_LOOK),
            why: "most counterexamples are near, and small models end here",
        },
        Turn {
            choice: Choice::SlapFst,
            work: None,
            why: "sets of states, full LTL with events; the product is small where the automaton waits",
        },
        Turn {
            choice: Choice::Explicit,
            work: None,
            why: "what sets cannot hold, single states may decide",
        },
    ]
}

/// Tries the engines in turn until one decides.
pub(crate) fn run(
    query: &Query<'_>,
    budget: &Budget,
    report: &mut Report,
) -> Result<Outcome<Lasso>, Stop> {
    let mut last = Err(Stop::Work(0));
    for Turn { choice, work, why } in turns() {
        let own = match work {
            Some(limit) => budget.clone().with_work(limit),
            None => budget.clone(),
        };
        last = query.run(choice, &own, report);
        let outcome = match &last {
            Ok(Outcome::Undecided(_)) => "undecided".to_owned(),
            Ok(_) => "decided".to_owned(),
            Err(Stop::Work(limit)) => format!("gave up: {limit} states"),
            Err(stop) => format!("gave up: {stop}"),
        };
        report.trail.push(Attempt {
            engine: choice.name(),
            outcome,
            why: why.to_owned(),
        });
        match last {
            // What only this engine could not do, another one may.
            Ok(Outcome::Undecided(_))
            | Err(Stop::Work(_) | Stop::Bound(_) | Stop::Unsupported(_)) => {}
            // Time, memory and Ctrl-C end the property, an answer ends the search.
            _ => return last,
        }
    }
    last
}
