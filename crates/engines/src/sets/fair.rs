//! Fairness constraints on families: any number of them, weak and strong, without marks.
//!
//! `idle` are the states that do not enable a constraint, `takers(Z)` the members of `Z` from which an event that meets it leads on in `Z`. Beside
//! the steps for marks, a fixpoint repeats for every constraint
//!
//! ```text
//! weak     Z := members that reach  idle ∪ takers(Z)  inside of Z
//! strong   Z := (Z ∩ idle) ∪ members that reach  takers(Z)  inside of Z
//! ```
//!
//! and the mirror image where it goes forward. Every member of the result has a successor in it, since there is a mark at least; a component
//! of it that cannot be left is a cycle, contains what its members reach, and so is fair. Members of fair cycles of `Z` are never removed; those on the
//! way to one may be, if they enable what is met no more. (Y. Kesten, A. Pnueli, L. Raviv, *Algorithmic verification of linear temporal logic specifications*,
//! ICALP 1998, with events in the place of states.)

use super::operators::Sets;
use super::whole::{Family, Whole};
use lariat_budget::Stop;
use lariat_model::{Constraint, EventId, Predicate, Strength};
use lariat_space::symbolic::Set;

/// A constraint in terms of sets.
#[derive(Clone)]
pub struct Demand {
    /// How much it demands.
    pub strength: Strength,
    /// In which states it is enabled.
    pub enabled: Predicate,
    /// The events that meet it.
    pub events: Vec<EventId>,
}

impl Demand {
    /// A constraint of a problem.
    pub fn new(constraint: &Constraint) -> Demand {
        Demand {
            strength: constraint.strength,
            enabled: constraint.enabled.clone(),
            events: constraint.taken.clone(),
        }
    }

    /// The members of `family` that do not enable it.
    pub fn idle_in(&self, sets: &mut Sets<'_, '_>, family: &Family) -> Result<Family, Stop> {
        let idle = |set: &Set| {
            let enabled = sets.space.select(set, &self.enabled)?;
            sets.space.store().difference(set, &enabled)
        };
        family.iter().map(idle).collect()
    }

    /// One step of a backward fixpoint.
    pub fn backward(
        &self,
        sets: &mut Sets<'_, '_>,
        whole: &Whole,
        here: &Family,
    ) -> Result<Family, Stop> {
        let idle = self.idle_in(sets, here)?;
        let takers = whole.takers(sets, &self.events, here)?;
        match self.strength {
            Strength::Weak => {
                let goal = union(sets, &idle, &takers)?;
                whole.back_within(sets, goal, here)
            }
            Strength::Strong => {
                let back = whole.back_within(sets, takers, here)?;
                union(sets, &idle, &back)
            }
        }
    }

    /// One step of a forward fixpoint.
    pub fn forward(
        &self,
        sets: &mut Sets<'_, '_>,
        whole: &Whole,
        here: &Family,
    ) -> Result<Family, Stop> {
        let idle = self.idle_in(sets, here)?;
        let taken = whole.taken(sets, &self.events, here)?;
        match self.strength {
            Strength::Weak => {
                let start = union(sets, &idle, &taken)?;
                whole.reach_within(sets, start, here)
            }
            Strength::Strong => {
                let reached = whole.reach_within(sets, taken, here)?;
                union(sets, &idle, &reached)
            }
        }
    }
}

/// The members of either.
pub fn union(sets: &mut Sets<'_, '_>, one: &Family, other: &Family) -> Result<Family, Stop> {
    let pairs = one.iter().zip(other);
    pairs
        .map(|(one, other)| sets.space.store().union(one, other))
        .collect()
}

impl Whole {
    /// The sources of edges inside of `family` that take one of `events`.
    pub fn takers(
        &self,
        sets: &mut Sets<'_, '_>,
        events: &[EventId],
        family: &Family,
    ) -> Result<Family, Stop> {
        let mut sources = self.empty(sets);
        for by in &self.edges {
            let (q, d) = (by.from.index(), by.to.index());
            if family[q].is_empty() || family[d].is_empty() {
                continue;
            }
            let some = sets.pre_by(&family[d], by.guard, events, &family[q])?;
            sources[q] = sets.space.store().union(&sources[q], &some)?;
        }
        Ok(sources)
    }

    /// The targets of edges inside of `family` that take one of `events`.
    pub fn taken(
        &self,
        sets: &mut Sets<'_, '_>,
        events: &[EventId],
        family: &Family,
    ) -> Result<Family, Stop> {
        let mut targets = self.empty(sets);
        for by in &self.edges {
            let (q, d) = (by.from.index(), by.to.index());
            if family[q].is_empty() || family[d].is_empty() {
                continue;
            }
            let next = sets.post_by(&family[q], by.guard, events)?;
            let some = sets.space.store().intersection(&next, &family[d])?;
            targets[d] = sets.space.store().union(&targets[d], &some)?;
        }
        Ok(targets)
    }
}
