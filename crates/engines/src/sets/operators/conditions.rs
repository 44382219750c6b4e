//! Guards of the automaton as conditions on source states, per group of steps.

use super::SymbolicProblem;
use crate::alphabet::ClassId;
use lariat_automata::{Cube, Guard, Guards};
use lariat_budget::Stop;
use lariat_model::{EventId, Predicate, Proposition};
use lariat_space::symbolic::{Residual, Set, StepSet};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A condition on single states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// A predicate of the query.
    Predicate(Residual),
    /// A guard of state atoms without a residual predicate, evaluated anew on each set.
    Guard(Guard),
}

impl Condition {
    pub(super) const ALWAYS: Condition = Condition::Predicate(Residual::TRUE);
    pub(super) const NEVER: Condition = Condition::Predicate(Residual::FALSE);
}

/// A guard, as groups of steps with a condition each.
pub(super) struct GuardConditions {
    pub(super) groups: Vec<StepGroup>,
    /// The condition on stutter steps.
    pub(super) stutter: Condition,
}

/// Steps with a common condition on their sources.
pub(super) struct StepGroup {
    pub(super) source: Condition,
    pub(super) steps: StepSet,
}

#[derive(Default)]
pub(super) struct KnownSteps {
    by_classes: FxHashMap<Vec<ClassId>, StepSet>,
    /// Steps by some events of one class.
    by_events: FxHashMap<Vec<EventId>, StepSet>,
}

fn lock(steps: &Mutex<KnownSteps>) -> MutexGuard<'_, KnownSteps> {
    steps.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SymbolicProblem<'_, '_> {
    /// Returns the cofactor of `guard` for an event class with these letter bits.
    pub fn cofactor(&mut self, guard: Guard, bits: u64) -> Guard {
        let events = self.alphabet().event_atoms();
        if self.guards.support(guard) & events == 0 {
            return guard;
        }
        let class = self.guards.cube(Cube {
            positive: bits & events,
            negative: !bits & events,
        });
        let both = self.guards.and(guard, class);
        self.guards.exists(both, events)
    }

    fn atom(&mut self, i: usize) -> Result<Residual, Stop> {
        if let Some(&known) = self.memo.atoms.get(&i) {
            return Ok(known);
        }
        let residual = match self.scope.problem.propositions.get(i) {
            Some(Proposition::State(predicate)) => {
                self.query.compile(self.space.system(), predicate)?
            }
            _ => Residual::FALSE,
        };
        self.memo.atoms.insert(i, residual);
        Ok(residual)
    }

    /// Returns a guard of state atoms as a condition.
    pub fn condition(&mut self, guard: Guard) -> Result<Condition, Stop> {
        if let Some(known) = self.memo.conditions.get(&guard) {
            return Ok(known.clone());
        }
        let condition = match self.predicate(guard) {
            Ok(predicate) => Condition::Predicate(predicate),
            Err(Stop::Unsupported(_)) => Condition::Guard(guard),
            Err(stop) => return Err(stop),
        };
        self.memo.conditions.insert(guard, condition.clone());
        Ok(condition)
    }

    /// Compiles the shorter of the disjunctive and the conjunctive form of `guard`.
    fn predicate(&mut self, guard: Guard) -> Result<Residual, Stop> {
        let opposite = self.guards.not(guard);
        let (yes, no) = (self.guards.cubes(guard), self.guards.cubes(opposite));
        if yes.len() <= no.len() {
            return self.disjunction(&yes);
        }
        let other = self.disjunction(&no)?;
        Ok(self.query.not(other))
    }

    /// Returns the states of `set` that satisfy `guard`, a guard of state atoms.
    pub(super) fn select(&mut self, set: &Set, guard: Guard) -> Result<Set, Stop> {
        let propositions = self.scope.problem.propositions;
        let mut members = self.space.empty();
        for cube in self.guards.cubes(guard) {
            let mut all = Vec::new();
            for (i, proposition) in propositions.iter().enumerate() {
                if let Proposition::State(predicate) = proposition {
                    if cube.positive >> i & 1 == 1 {
                        all.push(predicate.clone());
                    }
                    if cube.negative >> i & 1 == 1 {
                        all.push(Predicate::Not(Box::new(predicate.clone())));
                    }
                }
            }
            let some = self.space.select(set, &Predicate::And(all))?;
            members = self.space.store().union(&members, &some)?;
        }
        Ok(members)
    }

    fn disjunction(&mut self, cubes: &[Cube]) -> Result<Residual, Stop> {
        let mut any = Residual::FALSE;
        for cube in cubes {
            let mut all = Residual::TRUE;
            for i in 0..Guards::MAX_ATOMS {
                let bit = 1 << i;
                if cube.positive & bit != 0 {
                    let atom = self.atom(i)?;
                    all = self.query.and(all, atom);
                }
                if cube.negative & bit != 0 {
                    let atom = self.atom(i)?;
                    let not = self.query.not(atom);
                    all = self.query.and(all, not);
                }
            }
            any = self.query.or(any, all);
        }
        Ok(any)
    }

    pub(super) fn letters(&mut self, guard: Guard) -> Result<Arc<GuardConditions>, Stop> {
        if let Some(known) = self.memo.letters.get(&guard) {
            return Ok(known.clone());
        }
        let mut stutter = Condition::NEVER;
        let mut sources: Vec<(Condition, Vec<ClassId>)> = Vec::new();
        let alphabet = self.alphabet();
        for class in alphabet.classes() {
            let cofactor = self.cofactor(guard, alphabet.letter(class).0);
            let source = self.condition(cofactor)?;
            if class == ClassId::UNNAMED {
                stutter = source.clone();
            }
            if source == Condition::NEVER || alphabet.events(class).is_empty() {
                continue;
            }
            match sources.iter_mut().find(|(known, _)| *known == source) {
                Some((_, classes)) => classes.push(class),
                None => sources.push((source, vec![class])),
            }
        }
        let mut groups = Vec::with_capacity(sources.len());
        for (source, classes) in sources {
            let steps = self.steps(classes);
            groups.push(StepGroup { source, steps });
        }
        let letters = Arc::new(GuardConditions { groups, stutter });
        self.memo.letters.insert(guard, letters.clone());
        Ok(letters)
    }

    fn steps(&mut self, classes: Vec<ClassId>) -> StepSet {
        let mut known = lock(&self.memo.steps);
        if let Some(steps) = known.by_classes.get(&classes) {
            return steps.clone();
        }
        let mut events: Vec<EventId> = Vec::new();
        for &class in &classes {
            let taken = |event: &&EventId| self.scope.restriction.takes(**event);
            events.extend(self.alphabet().events(class).iter().filter(taken));
        }
        events.sort_unstable();
        let steps = if events.len() == self.space.system().events.len() {
            self.space.all()
        } else {
            self.space.steps(&events)
        };
        known.by_classes.insert(classes, steps.clone());
        steps
    }

    /// Returns `guard` as conditions on the steps of some events.
    pub(super) fn groups_by(
        &mut self,
        guard: Guard,
        events: &[EventId],
    ) -> Result<Vec<StepGroup>, Stop> {
        let alphabet = self.alphabet();
        let mut groups = Vec::new();
        for class in alphabet.classes() {
            let taken = |event: &&EventId| {
                alphabet.class(Some(**event)) == class && self.scope.restriction.takes(**event)
            };
            let events: Vec<EventId> = events.iter().filter(taken).copied().collect();
            if events.is_empty() {
                continue;
            }
            let cofactor = self.cofactor(guard, alphabet.letter(class).0);
            let source = self.condition(cofactor)?;
            if source == Condition::NEVER {
                continue;
            }
            let mut known = lock(&self.memo.steps);
            let steps = match known.by_events.get(&events) {
                Some(steps) => steps.clone(),
                None => {
                    let steps = self.space.steps(&events);
                    known.by_events.insert(events, steps.clone());
                    steps
                }
            };
            groups.push(StepGroup { source, steps });
        }
        Ok(groups)
    }

    /// Returns the states of `set` that satisfy a condition.
    pub fn filter(&mut self, set: &Set, condition: &Condition) -> Result<Set, Stop> {
        match condition {
            Condition::Predicate(Residual::TRUE) => Ok(set.clone()),
            Condition::Predicate(Residual::FALSE) => Ok(self.space.empty()),
            Condition::Predicate(residual) => self.space.filter(set, &mut self.query, *residual),
            Condition::Guard(guard) => self.select(set, *guard),
        }
    }
}
