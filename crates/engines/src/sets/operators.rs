//! Operators of all set engines: images, pre-images and closures by the letters of a guard.
//!
//! A letter is (state, event taken from it). Events that make the same `fires` atoms true form one
//! *class*; class 0 makes none true and is also the class of a stutter step. The cofactor `f|c` of
//! a guard `f` for a class `c` is a condition on the source state alone. So
//!
//! ```text
//! post(S, f) = ⋃ c: img_c({s ∈ S | s ⊨ f|c})  ∪  {s ∈ S | s stutters, s ⊨ f|0}
//! ```
//!
//! Classes with equal `f|c` share one image; without `fires` atoms there is one class and one
//! image. Closures omit stutter steps, which add no states; those by several distinct `f|c` are
//! iterated round-robin until a fixpoint.
//!
//! A condition on states is a residual predicate, evaluated inside the diagram operations. Some
//! conditions have no residual (whether a program that may fail is enabled). They are evaluated on
//! the current set, and closures are iterated until no further state satisfies them.
//!
//! **On the fly.** The reachable states are not required; if they are known, stuttering states are
//! computed once. Steps may be omitted: by a cap of the space steps to more tokens, by a
//! [`Restriction`] steps out of it. Every run found is still a run of the system. `left_out`
//! records omitted steps: a search that then finds no run proves nothing.

mod closures;
mod concrete;
mod conditions;

pub use conditions::Condition;

use crate::alphabet::Alphabet;
use crate::problem::Problem;
use conditions::{GuardConditions, KnownSteps, StepGroup};
use lariat_automata::{Automaton, Guard, Guards, Letter, StateId, accepting_forever};
use lariat_budget::{Budget, Stop};
use lariat_model::{Constraint, EventId};
use lariat_space::symbolic::{Residual, Residuals, Set, StepSet, Symbolic};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// A problem on sets of states: operators by guards, with memoized conditions. Used by one thread.
pub struct SymbolicProblem<'r, 's> {
    scope: SetScope<'r>,
    pub space: &'r mut Symbolic<'s>,
    /// The residuals of all predicates of the problem.
    pub query: Residuals,
    /// The guards of the automaton and those that engines add.
    pub guards: Guards,
    memo: GuardMemo,
    /// True if engines use the published constructions.
    pub published: bool,
    /// True if an operator omitted a step because of the cap of the space.
    pub left_out: bool,
    /// The number of images, pre-images, closures and partitions computed.
    pub operations: u64,
    pub divergence_tests: u64,
}

/// The part of a problem on sets that another thread takes over, to be combined with its own space.
pub struct SymbolicSeed<'r> {
    scope: SetScope<'r>,
    query: Residuals,
    guards: Guards,
    memo: GuardMemo,
    published: bool,
}

/// The problem, its restriction, and what is derived from both.
#[derive(Clone)]
struct SetScope<'r> {
    problem: &'r Problem<'r>,
    automaton: Arc<Automaton>,
    restriction: Restriction,
    /// The states of the territory with a stutter loop, computed on first use.
    stuttering: Option<Set>,
    /// By automaton state: the letters after which every continuation is accepted. Empty if finite
    /// prefixes are no evidence.
    evidence: Vec<Guard>,
}

/// Memo tables of conditions and steps.
#[derive(Clone, Default)]
struct GuardMemo {
    atoms: FxHashMap<usize, Residual>,
    conditions: FxHashMap<Guard, Condition>,
    letters: FxHashMap<Guard, Arc<GuardConditions>>,
    /// Shared by all builders: equal steps are keys of the shared operation cache.
    steps: Arc<Mutex<KnownSteps>>,
}

impl<'r> SymbolicSeed<'r> {
    /// Returns the problem in `space`, a worker on the diagram store of the original space.
    pub fn sets<'w, 's>(self, space: &'w mut Symbolic<'s>) -> SymbolicProblem<'w, 's>
    where
        'r: 'w,
    {
        SymbolicProblem {
            scope: self.scope,
            space,
            query: self.query,
            guards: self.guards,
            memo: self.memo,
            published: self.published,
            left_out: false,
            operations: 0,
            divergence_tests: 0,
        }
    }
}

/// Restriction of the states and steps, or knowledge of the reachable states.
#[derive(Clone, Debug)]
pub enum Restriction {
    /// No restriction.
    Open,
    /// No restriction; the reachable states are known.
    Reachable(Set),
    /// Steps that leave these states are omitted.
    Within(Set),
    /// As `NearRegion`; only steps by these events, sorted, are taken. Stutter loops are omitted,
    /// because finding dead states would involve every event.
    Events(Set, Arc<[EventId]>),
}

impl Restriction {
    fn known(&self) -> Option<&Set> {
        match self {
            Restriction::Reachable(all) => Some(all),
            Restriction::Open | Restriction::Within(_) | Restriction::Events(..) => self.bounds(),
        }
    }

    /// Returns the states that steps must not leave, if steps are restricted.
    fn bounds(&self) -> Option<&Set> {
        match self {
            Restriction::Open | Restriction::Reachable(_) => None,
            Restriction::Within(all) | Restriction::Events(all, _) => Some(all),
        }
    }

    fn takes(&self, event: EventId) -> bool {
        match self {
            Restriction::Open | Restriction::Reachable(_) | Restriction::Within(_) => true,
            Restriction::Events(_, events) => events.binary_search(&event).is_ok(),
        }
    }
}

impl<'r, 's> SymbolicProblem<'r, 's> {
    /// Creates the operators of `problem` in a space of its system.
    pub fn new(
        problem: &'r Problem<'r>,
        space: &'r mut Symbolic<'s>,
        restriction: Restriction,
        budget: &Budget,
    ) -> SymbolicProblem<'r, 's> {
        space.set_budget(budget);
        let query = space.query();
        let scope = SetScope {
            problem,
            automaton: Arc::new(problem.automaton.clone()),
            restriction,
            stuttering: None,
            evidence: Vec::new(),
        };
        let mut sets = SymbolicProblem {
            scope,
            space,
            query,
            guards: problem.automaton.guards.clone(),
            memo: GuardMemo::default(),
            published: false,
            left_out: false,
            operations: 0,
            divergence_tests: 0,
        };
        if problem.takes_prefixes() {
            sets.scope.evidence = sets.evidence_guards();
        }
        sets
    }

    /// Returns the part that another thread takes over, under leases of `budget`. Existing guards
    /// have the same meaning for both.
    pub fn seed(&mut self, budget: &Budget) -> SymbolicSeed<'r> {
        let empty = self.space.query();
        let query = std::mem::replace(&mut self.query, empty);
        let (mine, theirs) = query.worker(budget.lease(), budget.lease());
        self.query = mine;
        SymbolicSeed {
            scope: self.scope.clone(),
            query: theirs,
            guards: self.guards.clone(),
            memo: self.memo.clone(),
            published: self.published,
        }
    }

    /// Computes `evidence`: letters after which, by any event, the automaton accepts everything.
    fn evidence_guards(&mut self) -> Vec<Guard> {
        let automaton = self.automaton();
        let forever = accepting_forever(&automaton);
        let events = self.alphabet().event_atoms();
        let mut guards = Vec::with_capacity(forever.len());
        for q in automaton.state_ids() {
            if forever[q.index()] {
                guards.push(Guards::TRUE);
                continue;
            }
            let mut deciding = Guards::FALSE;
            let edges = automaton.transitions(q).iter();
            for t in edges.filter(|t| forever[t.to.index()]) {
                deciding = self.guards.or(deciding, t.guard);
            }
            let open = self.guards.not(deciding);
            let open = self.guards.exists(open, events);
            guards.push(self.guards.not(open));
        }
        guards
    }

    pub fn automaton(&self) -> Arc<Automaton> {
        self.scope.automaton.clone()
    }

    pub fn alphabet(&self) -> &'r Alphabet {
        self.scope.problem.alphabet()
    }

    /// Returns the states of `set` in which automaton state `q` accepts every continuation.
    pub fn evidence(&mut self, q: StateId, set: &Set) -> Result<Set, Stop> {
        match self.scope.evidence.get(q.index()) {
            Some(&deciding) if deciding != Guards::FALSE => {
                let condition = self.condition(deciding)?;
                self.filter(set, &condition)
            }
            _ => Ok(self.space.empty()),
        }
    }

    /// Returns whether steps may be omitted, so that live states may have no successor.
    pub fn is_partial(&self) -> bool {
        self.scope.restriction.bounds().is_some() || self.space.cap().is_some()
    }

    /// Returns whether the automaton depends on the events taken.
    pub fn reads_events(&self) -> bool {
        self.scope.problem.reads_events()
    }

    /// Returns the fairness constraints that a run must satisfy.
    pub fn fairness(&self) -> &'r [Constraint] {
        self.scope.problem.fairness
    }

    /// Returns the states of `set` that satisfy `condition` and have a stutter loop in the space.
    fn stuttering_if(&mut self, set: &Set, condition: &Condition) -> Result<Set, Stop> {
        let scope = &mut self.scope;
        let is_corridor = matches!(scope.restriction, Restriction::Events(..));
        if *condition == Condition::NEVER || is_corridor {
            return Ok(self.space.empty());
        }
        let here = match (&scope.stuttering, scope.restriction.known()) {
            (Some(known), _) => self.space.store().intersection(set, known)?,
            (None, Some(all)) => {
                let found = self.space.stuttering(all)?;
                let found = scope.stuttering.insert(found);
                self.space.store().intersection(set, found)?
            }
            (None, None) => self.space.stuttering(set)?,
        };
        self.filter(&here, condition)
    }

    /// Returns the image of `sources`, without omitted steps.
    fn image(&mut self, sources: &Set, steps: &StepSet) -> Result<Set, Stop> {
        let image = self.space.image(sources, steps)?;
        match self.scope.restriction.bounds() {
            Some(all) => self.space.store().intersection(&image, all),
            None => {
                self.record_omissions(sources, steps)?;
                Ok(image)
            }
        }
    }

    /// Records whether the cap omits steps from `sources`. Steps omitted by a territory need no
    /// record: a search in one is incomplete anyway.
    fn record_omissions(&mut self, sources: &Set, steps: &StepSet) -> Result<(), Stop> {
        self.left_out = self.left_out || self.space.overflows(sources, steps)?;
        Ok(())
    }

    /// Returns the states of `set` with a stutter step by a letter of `guard`.
    pub fn stuttering(&mut self, set: &Set, guard: Guard) -> Result<Set, Stop> {
        let letters = self.letters(guard)?;
        self.stuttering_if(set, &letters.stutter)
    }

    /// Returns the successors of `set` by letters of `guard`.
    pub fn post(&mut self, set: &Set, guard: Guard) -> Result<Set, Stop> {
        let letters = self.letters(guard)?;
        let still = self.stuttering_if(set, &letters.stutter)?;
        let next = self.image_of_groups(set, &letters.groups)?;
        self.space.store().union(&still, &next)
    }

    /// Returns the successors of `set` by letters of `guard` and one of `events`.
    pub fn post_by(&mut self, set: &Set, guard: Guard, events: &[EventId]) -> Result<Set, Stop> {
        let groups = self.groups_by(guard, events)?;
        self.image_of_groups(set, &groups)
    }

    /// Returns the image of `set` by the steps of `groups`.
    fn image_of_groups(&mut self, set: &Set, groups: &[StepGroup]) -> Result<Set, Stop> {
        self.operations += 1;
        let mut next = self.space.empty();
        for group in groups {
            let sources = self.filter(set, &group.source)?;
            if !sources.is_empty() {
                let image = self.image(&sources, &group.steps)?;
                next = self.space.store().union(&next, &image)?;
            }
        }
        Ok(next)
    }

    /// Returns the predecessors of `set` in `within` by letters of `guard`.
    pub fn pre(&mut self, set: &Set, guard: Guard, within: &Set) -> Result<Set, Stop> {
        let letters = self.letters(guard)?;
        let inside = self.space.store().intersection(set, within)?;
        let still = self.stuttering_if(&inside, &letters.stutter)?;
        let before = self.pre_image_of_groups(set, &letters.groups, within)?;
        self.space.store().union(&still, &before)
    }

    /// Returns the predecessors of `set` in `within` by letters of `guard` and one of `events`.
    pub fn pre_by(
        &mut self,
        set: &Set,
        guard: Guard,
        events: &[EventId],
        within: &Set,
    ) -> Result<Set, Stop> {
        let groups = self.groups_by(guard, events)?;
        self.pre_image_of_groups(set, &groups, within)
    }

    /// Returns the predecessors of `set` in `within` by the steps of `groups`.
    fn pre_image_of_groups(
        &mut self,
        set: &Set,
        groups: &[StepGroup],
        within: &Set,
    ) -> Result<Set, Stop> {
        self.operations += 1;
        let mut before = self.space.empty();
        for group in groups {
            let sources = self.filter(within, &group.source)?;
            if !sources.is_empty() {
                let image = self.space.pre_image(set, &group.steps, &sources)?;
                before = self.space.store().union(&before, &image)?;
            }
        }
        Ok(before)
    }

    /// Partitions `set` by the state atoms of `mask`; returns nonempty parts with their letters.
    pub fn parts(&mut self, set: &Set, mask: u64) -> Result<Vec<(Letter, Set)>, Stop> {
        self.operations += 1;
        let mut parts = vec![(Letter(0), set.clone())];
        let observed = mask & self.alphabet().state_atoms();
        for i in (0..Guards::MAX_ATOMS).filter(|i| observed >> i & 1 == 1) {
            let atom = self.guards.atom(i);
            let condition = self.condition(atom)?;
            let mut finer = Vec::with_capacity(parts.len());
            for (letter, part) in parts {
                let yes = self.filter(&part, &condition)?;
                let no = self.space.store().difference(&part, &yes)?;
                finer.push((letter, no));
                finer.push((Letter(letter.0 | 1 << i), yes));
            }
            finer.retain(|(_, part)| !part.is_empty());
            parts = finer;
        }
        parts.retain(|(_, part)| !part.is_empty());
        Ok(parts)
    }
}
