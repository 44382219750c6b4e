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
use super::whole::{ProductSteps, SetFamily, Whole};
use lariat_budget::Stop;
use lariat_model::{Constraint, EventId, Predicate, Strength};
use lariat_space::symbolic::Set;

/// A fairness constraint on families.
#[derive(Clone)]
pub struct Demand {
    pub strength: Strength,
    /// The states that enable it.
    pub enabled: Predicate,
    /// The events that satisfy it.
    pub events: Vec<EventId>,
}

impl Demand {
    pub fn new(constraint: &Constraint) -> Demand {
        Demand {
            strength: constraint.strength,
            enabled: constraint.enabled.clone(),
            events: constraint.taken.clone(),
        }
    }

    /// Returns the members of `family` that do not enable the constraint.
    pub fn idle_in(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        family: &SetFamily,
    ) -> Result<SetFamily, Stop> {
        let idle = |set: &Set| {
            let enabled = sets.space.select(set, &self.enabled)?;
            sets.space.store().difference(set, &enabled)
        };
        family.iter().map(idle).collect()
    }

    /// Returns one iteration of the fixpoint on `here`, or of its mirror image.
    pub fn restrict(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        whole: &Whole,
        here: &SetFamily,
        direction: Direction,
    ) -> Result<SetFamily, Stop> {
        let idle = self.idle_in(sets, here)?;
        let steps = ProductSteps::By(&self.events);
        let met = match direction {
            Direction::Backward => whole.sources(sets, here, steps)?,
            Direction::Forward => whole.targets(sets, here, steps)?,
        };
        let start = match self.strength {
            Strength::Weak => union(sets, &idle, &met)?,
            Strength::Strong => met,
        };
        let closed = match direction {
            Direction::Backward => whole.back_within(sets, start, here)?,
            Direction::Forward => whole.reach_within(sets, start, here)?,
        };
        match self.strength {
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
