//! Fixpoints of steps: forward and backward closures, and divergent states.

use super::conditions::StepGroup;
use super::{Condition, SymbolicProblem};
use lariat_automata::Guard;
use lariat_budget::Stop;
use lariat_space::symbolic::{Residual, Set};

impl<'r, 's> SymbolicProblem<'r, 's> {
    /// Returns the least `X ⊇ set` with `post(X, guard) ⊆ X`.
    pub fn close(&mut self, set: &Set, guard: Guard) -> Result<Set, Stop> {
        if let Some(all) = self.scope.restriction.bounds() {
            let all = all.clone();
            return self.close_within(set, guard, &all);
        }
        self.operations += 1;
        let letters = self.letters(guard)?;
        self.round_robin(set, &letters.groups, |sets, set, group| {
            let space = &mut sets.space;
            let closed = match &group.source {
                Condition::Predicate(Residual::TRUE) => space.reach(set, &group.steps),
                Condition::Predicate(source) => {
                    space.freach(set, &group.steps, &mut sets.query, *source)
                }
                Condition::Guard(guard) => sets.until_stable(set, |sets, set| {
                    let sources = sets.select(set, *guard)?;
                    sets.space.freach_set(set, &group.steps, &sources)
                }),
            }?;
            sets.record_omissions(&closed, &group.steps)?;
            Ok(closed)
        })
    }

    /// Iterates a closure until a fixpoint, for conditions evaluated on the current set.
    fn until_stable(
        &mut self,
        set: &Set,
        mut closure: impl FnMut(&mut SymbolicProblem<'r, 's>, &Set) -> Result<Set, Stop>,
    ) -> Result<Set, Stop> {
        let mut closed = set.clone();
        loop {
            let next = closure(self, &closed)?;
            if next == closed {
                return Ok(closed);
            }
            closed = next;
        }
    }

    /// Returns the least `X ⊇ set` with `post(X, guard) ∩ target ⊆ X`. `guard` reads events only,
    /// `target` state atoms only.
    pub fn close_into(&mut self, set: &Set, guard: Guard, target: Guard) -> Result<Set, Stop> {
        debug_assert_eq!(
            self.guards.support(guard) & self.alphabet().state_atoms(),
            0
        );
        self.operations += 1;
        let letters = self.letters(guard)?;
        let target = self.condition(target)?;
        if let Some(all) = self.scope.restriction.bounds() {
            let all = all.clone();
            let inside = self.filter(&all, &target)?;
            let inside = self.space.store().union(&inside, set)?;
            return self.round_robin(set, &letters.groups, |sets, set, group| {
                sets.space.reach_within(set, &group.steps, &inside)
            });
        }
        self.round_robin(set, &letters.groups, |sets, set, group| {
            let closed = match &target {
                Condition::Predicate(Residual::TRUE) => sets.space.reach(set, &group.steps),
                Condition::Predicate(target) => {
                    sets.space
                        .reachf(set, &group.steps, &mut sets.query, *target)
                }
                Condition::Guard(guard) => sets.until_stable(set, |sets, set| {
                    let next = sets.space.image(set, &group.steps)?;
                    let more = sets.select(&next, *guard)?;
                    sets.space.store().union(set, &more)
                }),
            }?;
            sets.record_omissions(&closed, &group.steps)?;
            Ok(closed)
        })
    }

    /// Returns the least `X ⊇ set` with `post(X, guard) ∩ within ⊆ X`, for `set ⊆ within`.
    pub fn close_within(&mut self, set: &Set, guard: Guard, within: &Set) -> Result<Set, Stop> {
        self.operations += 1;
        let letters = self.letters(guard)?;
        self.round_robin(set, &letters.groups, |sets, set, group| {
            if group.source == Condition::ALWAYS {
                return sets.space.reach_within(set, &group.steps, within);
            }
            // Steps may leave `within`, but states outside are no sources.
            let sources = sets.filter(within, &group.source)?;
            let closed = sets.space.freach_set(set, &group.steps, &sources)?;
            sets.space.store().intersection(&closed, within)
        })
    }

    /// Returns the least `X ⊇ set` with `pre(X, guard) ∩ within ⊆ X`, for `set ⊆ within`.
    pub fn back_within(&mut self, set: &Set, guard: Guard, within: &Set) -> Result<Set, Stop> {
        self.operations += 1;
        let letters = self.letters(guard)?;
        self.round_robin(set, &letters.groups, |sets, set, group| {
            let sources = sets.filter(within, &group.source)?;
            let domain = sets.space.store().union(&sources, set)?;
            sets.space.back_within(set, &group.steps, &domain)
        })
    }

    /// Applies the closures of all groups round-robin until the set is closed under each.
    fn round_robin(
        &mut self,
        set: &Set,
        groups: &[StepGroup],
        mut closure: impl FnMut(&mut SymbolicProblem<'r, 's>, &Set, &StepGroup) -> Result<Set, Stop>,
    ) -> Result<Set, Stop> {
        let mut closed = set.clone();
        let (mut at, mut settled) = (0, 0);
        while settled < groups.len() && !closed.is_empty() {
            let next = closure(self, &closed, &groups[at])?;
            settled = if next == closed { settled + 1 } else { 1 };
            closed = next;
            at = (at + 1) % groups.len();
        }
        Ok(closed)
    }

    /// Returns the states of `set` with an infinite run in `set` by letters of `guard`; a stutter
    /// loop is one.
    pub fn divergent(&mut self, set: &Set, guard: Guard) -> Result<Set, Stop> {
        self.divergence_tests += 1;
        let mut here = set.clone();
        loop {
            let next = self.pre(&here, guard, &here)?;
            if next == here || next.is_empty() {
                return Ok(next);
            }
            here = next;
        }
    }
}
