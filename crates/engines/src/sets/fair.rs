//! Fairness constraints on families: any number of weak and strong ones, without acceptance marks.
//!
//! `idle` are the states that do not enable a constraint; `takers(Z)` the members of `Z` with a
//! step inside of `Z` by an event that satisfies it. Besides the steps for marks, a fixpoint
//! iterates for every constraint
//!
//! ```text
//! weak     Z := members that reach  idle ∪ takers(Z)  inside of Z
//! strong   Z := (Z ∩ idle) ∪ members that reach  takers(Z)  inside of Z
//! ```
//!
//! or the mirror image in a forward fixpoint. Correctness: there is at least one mark, so every
//! member of the result has a successor in it. A terminal component of the result is a cycle and
//! contains all that its members reach, so it is fair. Members of fair cycles are never removed;
//! states on a path to one may be, if they enable a constraint that is not satisfied again.
//! (Y. Kesten, A. Pnueli, L. Raviv, *Algorithmic verification of linear temporal logic
//! specifications*, ICALP 1998, with events instead of states.)

use super::operators::SymbolicProblem;
use super::whole::{SetFamily, StepSelection, Whole};
use lariat_budget::Stop;
use lariat_model::{Constraint, Strength};
use lariat_space::symbolic::Set;

/// Returns the members of `family` that do not enable a constraint.
pub fn idle_in(
    sets: &mut SymbolicProblem<'_, '_>,
    constraint: &Constraint,
    family: &SetFamily,
) -> Result<SetFamily, Stop> {
    let idle = |set: &Set| {
        let enabled = sets.space.select(set, &constraint.enabled)?;
        sets.space.store().difference(set, &enabled)
    };
    family.iter().map(idle).collect()
}

impl Whole {
    /// Returns one iteration of the fixpoint for a constraint on `here`, or of its mirror image.
    pub fn restrict(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        constraint: &Constraint,
        here: &SetFamily,
        direction: Direction,
    ) -> Result<SetFamily, Stop> {
        let idle = idle_in(sets, constraint, here)?;
        let steps = StepSelection::By(&constraint.taken);
        let met = match direction {
            Direction::Backward => self.sources(sets, here, steps)?,
            Direction::Forward => self.targets(sets, here, steps)?,
        };
        let start = match constraint.strength {
            Strength::Weak => union(sets, &idle, &met)?,
            Strength::Strong => met,
        };
        let closed = match direction {
            Direction::Backward => self.back_within(sets, start, here)?,
            Direction::Forward => self.reach_within(sets, start, here)?,
        };
        match constraint.strength {
            Strength::Weak => Ok(closed),
            Strength::Strong => union(sets, &idle, &closed),
        }
    }
}

/// Direction of a fixpoint.
#[derive(Clone, Copy)]
pub enum Direction {
    Backward,
    Forward,
}

pub fn union(
    sets: &mut SymbolicProblem<'_, '_>,
    one: &SetFamily,
    other: &SetFamily,
) -> Result<SetFamily, Stop> {
    let pairs = one.iter().zip(other);
    pairs
        .map(|(one, other)| sets.space.store().union(one, other))
        .collect()
}
