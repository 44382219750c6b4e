//! The portfolio: which engines are tried, in which order, and why.
//!
//! Most counterexamples are near the initial state, so a short explicit search comes first. It is
//! cut off after a count of product states, never by the clock: the same question is answered
//! by the same engines in every run. Where that is not enough, nets go on as sets of states and programs as
//! single ones. What an engine held is given back before the next one starts.

use crate::check::{Attempt, Query, Report};
use crate::engine::Choice;
use crate::explored::Explored;
use lariat_budget::{Budget, Stop};
use lariat_engines::{Lasso, Outcome};
use lariat_model::{System, Value};

/// Product states of the first, explicit search.
const FIRST_LOOK: u64 = 200_000;

/// Diagram nodes of the search that saturates the product.
const LONG_LOOK: u64 = 20_000_000;

/// An engine, how much it may create, and why it is tried.
struct Turn {
    choice: Choice,
    work: Option<u64>,
    /// See [`lariat_engines::Problem::most_tokens`].
    most_tokens: Option<Value>,
    why: &'static str,
}

/// More tokens than this in a place, or than at the start, are not looked at when a net may be unbounded.
const FEW_TOKENS: Value = 3;

fn turns(system: &System) -> Vec<Turn> {
    if !system.is_net() {
        return vec![Turn {
            choice: Choice::Explicit,
            work: None,
            most_tokens: None,
            why: "steps of programs and tables are quick to take and slow to learn as relations of sets",
        }];
    }
    let mut turns = vec![Turn {
        choice: Choice::Explicit,
        work: Some(FIRST_LOOK),
        most_tokens: None,
        why: "most counterexamples are near, and small models end here",
    }];
    if system.makes_tokens() {
        let initial = system.initial.iter().flatten().copied().max().unwrap_or(0);
        turns.push(Turn {
            choice: Choice::Explicit,
            work: Some(FIRST_LOOK),
            most_tokens: Some(initial.max(FEW_TOKENS)),
            why: "the net may be unbounded, and a depth-first search would run away: first where there are few tokens",
        });
    }
    turns.push(Turn {
        choice: Choice::Hyb,
        work: Some(LONG_LOOK),
        most_tokens: None,
        why: "sets of states; cycles are found while the product grows, also where there is no end to it",
    });
    turns.push(Turn {
        choice: Choice::SlapFst,
        work: None,
        most_tokens: None,
        why: "sets of states, full LTL with events; the product is small where the automaton waits",
    });
    turns.push(Turn {
        choice: Choice::Explicit,
        work: None,
        most_tokens: None,
        why: "what sets cannot hold, single states may decide",
    });
    turns
}

/// Tries the engines in turn until one decides.
pub(crate) fn run(
    query: &Query<'_>,
    explored: &mut Explored<'_>,
    budget: &Budget,
    report: &mut Report,
) -> Result<Outcome<Lasso>, Stop> {
    let mut last = Err(Stop::Work(0));
    for turn in turns(query.subject.system) {
        let Turn {
            choice,
            most_tokens,
            why,
            ..
        } = turn;
        let own = match turn.work {
            Some(limit) => budget.clone().with_work(limit),
            None => budget.clone(),
        };
        if choice == Choice::Explicit && turn.work.is_none() {
            // Single states without limit may need all the room there is.
            explored.clear();
        }
        last = query.run(choice, most_tokens, explored, &own, report);
        let outcome = match &last {
            Ok(Outcome::Undecided(_)) => "undecided".to_owned(),
            Ok(_) => "decided".to_owned(),
            Err(Stop::Work(limit)) => format!("gave up: {limit} units of work"),
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
            // The states are known to take longer than the time that is left, which is not over.
            Err(Stop::Time) if budget.check().is_ok() => {}
            // Time, memory and Ctrl-C end the property, an answer ends the search.
            _ => return last,
        }
    }
    last
}
