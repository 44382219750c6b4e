//! `hyb` on programs, on the fly: with what their steps are near the initial states, before all states are explored to know everything.
//!
//! The component-wise engine builds its product in one closure, by relations that it is given. Those of a program are learned from states
//! (`space/symbolic/program.rs`), and what has been learned is right wherever it applies. So there are rounds,
//!
//! ```text
//! B_d = states within d steps of the initial ones, d = 4, 8, 16 …     the engine with what was learned in B_d
//! ```
//!
//! and a run found in one is a run of the program; that there is none means nothing. A state whose steps were not learned looks dead, so stutter
//! loops are left out; and where events are enabled is not known, so that questions about that wait for all states. Which event is taken is no such question: the
//! engine sees it of the steps that it has.

use crate::explored::{Explored, Ground};
use crate::on_sets::look;
use lariat_budget::Stop;
use lariat_emptiness::Outcome;
use lariat_engines::{Found, Problem, Task};
use lariat_model::{Action, Deadlock, Event, Lasso, Proposition, System};
use lariat_space::symbolic::{OrderChoice, Symbolic, asks_for_events};

/// Work of all rounds together: a quarter of a second.
const ROUNDS: u64 = 1_000_000;

/// Steps from the initial states in the first round; in each further one twice as many.
const FIRST_DEPTH: u32 = 4;

/// Work that finding an order may cost before anything else is known.
const ORDER: u64 = 50_000;

/// Asks a component-wise engine with what is learned near the initial states; `None` if that shows nothing, or nothing has to be learned.
pub(crate) fn while_learning<'s>(
    decide: fn(&mut Task<'_>, &Symbolic<'_>) -> Found,
    task: &mut Task<'_>,
    system: &'s System,
    order: &OrderChoice,
    explored: &mut Explored<'s>,
) -> Result<Option<Outcome<Lasso>>, Stop> {
    let is_program = |event: &Event| matches!(event.action, Action::Program { .. });
    if !system.events.iter().any(is_program) || asks_what_is_enabled(task.problem) {
        return Ok(None);
    }
    let (deadlock, budget) = (task.problem.deadlock, task.budget);
    let order = match explored.ground(system, order, deadlock, ORDER, budget, task.observer)? {
        Ground::States(_) => return Ok(None),
        Ground::Order { space, name } => {
            task.account.order = Some(name.to_owned());
            space.layout().order().clone()
        }
    };
    let limited = budget.clone().with_work(ROUNDS);
    let mut space = Symbolic::new(system, &order, Deadlock::Ignore, &limited)?;
    let found = rounds(decide, &mut task.under(&limited), &mut space);
    look(&mut space, task);
    match found {
        // Was it the rounds' share that ran out, or a limit around it?
        Err(Stop::Work(_)) => budget.spend(0).map(|()| None),
        found => found,
    }
}

fn rounds(
    decide: fn(&mut Task<'_>, &Symbolic<'_>) -> Found,
    task: &mut Task<'_>,
    space: &mut Symbolic<'_>,
) -> Result<Option<Outcome<Lasso>>, Stop> {
    let all = space.all();
    let mut ball = space.initial()?;
    let (mut radius, mut next) = (0, FIRST_DEPTH);
    loop {
        while radius < next {
            let image = space.image(&ball, &all)?;
            let larger = space.store().union(&ball, &image)?;
            if larger == ball {
                return Ok(None);
            }
            ball = larger;
            radius += 1;
        }
        if let found @ Outcome::Accepting(_) = decide(task, space)? {
            return Ok(Some(found));
        }
        next = next.saturating_mul(2);
    }
}

fn asks_what_is_enabled(problem: &Problem<'_>) -> bool {
    let asks = |proposition: &Proposition| match proposition {
        Proposition::Fires(_) => false,
        Proposition::State(predicate) => asks_for_events(predicate),
    };
    !problem.fairness.is_empty() || problem.propositions.iter().any(asks)
}
