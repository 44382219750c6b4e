//! Is a run fair? Asked of the loop alone, with the reference semantics, and answered with the place where each constraint is met.
//!
//! What happens infinitely often on a lasso is what happens in its loop. A covering run repeats the events of its loop with more tokens each
//! time; whether a constraint is enabled at a position must then be the same in all rounds (`settled.rs`).

use crate::settled::settled;
use lariat_model::{Constraint, Lasso, State, Strength, System};

/// How a run satisfies a fairness constraint. Positions are counted from the beginning of the run, as those of its states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Met {
    /// One of its events is taken at this position of the loop.
    Taken(usize),
    /// It is weak, and not enabled at this position of the loop.
    Idle(usize),
    /// It is enabled nowhere in the loop.
    Never,
}

/// How a lasso satisfies every constraint; the error says which it does not.
pub fn met(system: &System, fairness: &[Constraint], lasso: &Lasso) -> Result<Vec<Met>, String> {
    fairness
        .iter()
        .map(|constraint| of_constraint(system, constraint, lasso))
        .collect()
}

/// The constraints that a lasso does not satisfy, or not for certain.
pub fn unmet<'c>(
    system: &System,
    fairness: &'c [Constraint],
    lasso: &Lasso,
) -> Vec<&'c Constraint> {
    let is_unmet = |constraint: &&Constraint| of_constraint(system, constraint, lasso).is_err();
    fairness.iter().filter(is_unmet).collect()
}

fn of_constraint(system: &System, constraint: &Constraint, lasso: &Lasso) -> Result<Met, String> {
    let first = lasso.prefix.len();
    let taken = |event| constraint.taken.contains(&event);
    if let Some(at) = lasso
        .cycle
        .iter()
        .position(|step| step.event.is_some_and(taken))
    {
        return Ok(Met::Taken(first + at));
    }
    let sources = std::iter::once(lasso.entry()).chain(lasso.cycle.iter().map(|step| &step.state));
    let mut idle = None;
    let mut always_idle = true;
    for (position, state) in sources.take(lasso.cycle.len()).enumerate() {
        match is_enabled(system, constraint, lasso, state) {
            Some(true) => always_idle = false,
            Some(false) => idle = idle.or(Some(first + position)),
            None => {
                return Err(format!(
                    "whether `{}` is enabled may change when tokens are added",
                    constraint.name
                ));
            }
        }
    }
    match (constraint.strength, idle) {
        _ if always_idle => Ok(Met::Never),
        (Strength::Weak, Some(position)) => Ok(Met::Idle(position)),
        (strength, _) => Err(format!(
            "the loop is not fair: `{}` is enabled {}, and it is never taken",
            constraint.name,
            match strength {
                Strength::Weak => "all the time",
                Strength::Strong => "again and again",
            }
        )),
    }
}

/// Is the constraint enabled in a state of the loop, in all rounds? `None` if that cannot be said.
fn is_enabled(
    system: &System,
    constraint: &Constraint,
    lasso: &Lasso,
    state: &State,
) -> Option<bool> {
    match &lasso.growth {
        None => Some(system.holds(&constraint.enabled, state)),
        Some(growth) => settled(system, &constraint.enabled, state, growth),
    }
}
