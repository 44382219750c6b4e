//! What all engines on sets share: a system as sets, and letters as conditions on its steps.
//!
//! A letter is (state, event taken from it). Events that make the same `fires` atoms true form one
//! *class*; class 0 makes none true and is also the class of a stutter step. A guard `f` of the
//! automaton, once the class is known, asks for the state alone: `f|c`. So
//!
//! ```text
//! post(S, f) = ⋃ c: img_c({s ∈ S | s ⊨ f|c})  ∪  {s ∈ S | s stutters, s ⊨ f|0}
//! ```
//!
//! Classes with equal `f|c` are applied together; without `fires` atoms there is one class and
//! everything is one image. Closures leave stutter steps out, which add nothing to them; where
//! several `f|c` differ, the closures by each are repeated in turn until nothing changes.
//!
//! A condition on states is a residual predicate that is pushed into the diagram operations.
//! A few questions have none (whether a program that may fail is enabled): these are asked of the sets at hand, and
//! closures go on for as long as that lets more states through.
//!
//! **On the fly.** Nothing here needs the reachable states; where they are known, what stutters is asked of them once. The ground may leave steps out:
//! a space with a cap those to more tokens, a [`Territory`] those out of it. Sets are smaller then, and every run found is one of the system all the
//! same; `left_out` says whether there was such a step, so that finding nothing proves nothing.

use crate::alphabet::{Alphabet, ClassId};
use crate::problem::Problem;
use lariat_automata::{Automaton, Cube, Guard, Guards, Letter, StateId, accepting_forever};
use lariat_budget::{Budget, Stop};
use lariat_model::{Constraint, EventId, Predicate, Proposition, State, Step, System};
use lariat_space::symbolic::{Residual, Residuals, Set, Steps, Symbolic};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// The sets of one problem, with everything that was prepared for its guards.
pub struct Sets<'r, 's> {
    problem: &'r Problem<'r>,
    system: &'s System,
    automaton: Arc<Automaton>,
    alphabet: Arc<Alphabet>,
    /// The system as sets.
    pub space: &'r mut Symbolic<'s>,
    territory: Territory,
    /// The states of the territory with a stutter loop, once they were needed.
    stuttering: Option<Set>,
    /// Was a step left out?
    pub left_out: bool,
    /// For each automaton state, the states of the system with whose letter it accepts whatever follows, if the beginning of a run is evidence.
    evidence: Vec<Guard>,
    /// The scope of all predicates of the problem.
    pub query: Residuals,
    /// The automaton's guards; an engine may add its own.
    pub guards: Guards,
    atoms: FxHashMap<usize, Residual>,
    conditions: FxHashMap<Guard, Condition>,
    letters: FxHashMap<Guard, Arc<Letters>>,
    /// Common to the sets of all builders: what is computed with the same steps is found again.
    steps: Arc<Mutex<KnownSteps>>,
    /// Are constructions asked for as they were published?
    pub published: bool,
    /// How often a set was asked for its successors, predecessors, a closure or a part.
    pub operations: u64,
    /// How often a set was searched for a cycle.
    pub divergence_tests: u64,
}

/// Steps that have been made.
#[derive(Default)]
struct KnownSteps {
    of_classes: FxHashMap<Vec<ClassId>, Steps>,
    /// The steps of some events of one class.
    of_events: FxHashMap<Vec<EventId>, Steps>,
}

/// The sets of a problem for another worker, before it has a space.
pub struct Beside<'r> {
    problem: &'r Problem<'r>,
    automaton: Arc<Automaton>,
    territory: Territory,
    stuttering: Option<Set>,
    evidence: Vec<Guard>,
    query: Residuals,
    guards: Guards,
    atoms: FxHashMap<usize, Residual>,
    conditions: FxHashMap<Guard, Condition>,
    letters: FxHashMap<Guard, Arc<Letters>>,
    steps: Arc<Mutex<KnownSteps>>,
    published: bool,
}

impl<'r> Beside<'r> {
    /// The sets in `space`, a worker of the one that they were begun in.
    pub fn sets<'w, 's>(self, space: &'w mut Symbolic<'s>) -> Sets<'w, 's>
    where
        'r: 'w,
    {
        Sets {
            problem: self.problem,
            system: space.system(),
            automaton: self.automaton,
            alphabet: self.problem.alphabet().clone(),
            space,
            territory: self.territory,
            stuttering: self.stuttering,
            left_out: false,
            evidence: self.evidence,
            query: self.query,
            guards: self.guards,
            atoms: self.atoms,
            conditions: self.conditions,
            letters: self.letters,
            steps: self.steps,
            published: self.published,
            operations: 0,
            divergence_tests: 0,
        }
    }
}

/// What a state is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// A predicate of the query.
    Predicate(Residual),
    /// A guard of state atoms that has no predicate: every set is asked by itself.
    Asked(Guard),
}

/// What is known of where the states are.
#[derive(Clone, Debug)]
pub enum Territory {
    /// Nothing.
    Open,
    /// These are all states that can be reached.
    Reachable(Set),
    /// Steps that lead out of these states are left out.
    Within(Set),
}

impl Territory {
    /// The states that include all that will be met, if they are known.
    fn known(&self) -> Option<&Set> {
        match self {
            Territory::Open => None,
            Territory::Reachable(all) | Territory::Within(all) => Some(all),
        }
    }
}

impl Condition {
    const ALWAYS: Condition = Condition::Predicate(Residual::TRUE);
    const NEVER: Condition = Condition::Predicate(Residual::FALSE);
}

fn known(steps: &Mutex<KnownSteps>) -> MutexGuard<'_, KnownSteps> {
    match steps.lock() {
        Ok(known) => known,
        Err(poisoned) => poisoned.into_inner(),
    }
}

/// A guard as conditions on steps.
struct Letters {
    groups: Vec<Group>,
    /// What a state must satisfy to stutter under the guard.
    still: Condition,
}

/// Steps whose sources are asked the same.
struct Group {
    source: Condition,
    steps: Steps,
}

impl<'r, 's> Sets<'r, 's> {
    /// Prepares the sets of `problem` in a space of its system.
    pub fn new(
        problem: &'r Problem<'r>,
        space: &'r mut Symbolic<'s>,
        territory: Territory,
        budget: &Budget,
    ) -> Sets<'r, 's> {
        space.set_budget(budget);
        let query = space.query();
        let mut sets = Sets {
            problem,
            system: space.system(),
            automaton: Arc::new(problem.automaton.clone()),
            alphabet: problem.alphabet().clone(),
            space,
            territory,
            stuttering: None,
            left_out: false,
            evidence: Vec::new(),
            query,
            guards: problem.automaton.guards.clone(),
            atoms: FxHashMap::default(),
            conditions: FxHashMap::default(),
            letters: FxHashMap::default(),
            steps: Arc::default(),
            published: false,
            operations: 0,
            divergence_tests: 0,
        };
        if problem.takes_prefixes() {
            sets.evidence = sets.deciding();
        }
        sets
    }

    /// The same sets for another worker, under leases of `budget`. Guards that there are now mean the same to both.
    pub fn beside(&mut self, budget: &Budget) -> Beside<'r> {
        let empty = self.space.query();
        let query = std::mem::replace(&mut self.query, empty);
        let (mine, theirs) = query.worker(budget.lease(), budget.lease());
        self.query = mine;
        Beside {
            problem: self.problem,
            automaton: self.automaton.clone(),
            territory: self.territory.clone(),
            stuttering: self.stuttering.clone(),
            evidence: self.evidence.clone(),
            query: theirs,
            guards: self.guards.clone(),
            atoms: self.atoms.clone(),
            conditions: self.conditions.clone(),
            letters: self.letters.clone(),
            steps: self.steps.clone(),
            published: self.published,
        }
    }

    /// See `evidence`: letters that lead to where everything is accepted, whatever event is taken.
    fn deciding(&mut self) -> Vec<Guard> {
        let automaton = self.automaton();
        let forever = accepting_forever(&automaton);
        let events = self.alphabet.event_atoms();
        let mut guards = Vec::with_capacity(forever.len());
        for q in automaton.state_ids() {
            if forever[q.index()] {
                guards.push(Guards::TRUE);
                continue;
            }
            let mut deciding = Guards::FALSE;
            for t in automaton
                .transitions(q)
                .iter()
                .filter(|t| forever[t.to.index()])
            {
                deciding = self.guards.or(deciding, t.guard);
            }
            let open = self.guards.not(deciding);
            let open = self.guards.exists(open, events);
            guards.push(self.guards.not(open));
        }
        guards
    }

    /// The automaton.
    pub fn automaton(&self) -> Arc<Automaton> {
        self.automaton.clone()
    }

    /// The letters that it reads.
    pub fn alphabet(&self) -> &Arc<Alphabet> {
        &self.alphabet
    }

    /// The states of `set` with which a run that leads the automaton to `q` is evidence, whatever follows.
    pub fn evidence(&mut self, q: StateId, set: &Set) -> Result<Set, Stop> {
        match self.evidence.get(q.index()) {
            Some(&deciding) if deciding != Guards::FALSE => {
                let condition = self.condition(deciding)?;
                self.filter(set, &condition)
            }
            _ => Ok(self.space.empty()),
        }
    }

    /// May steps be left out, so that a state which is not dead need not have a successor?
    pub fn is_partial(&self) -> bool {
        matches!(self.territory, Territory::Within(_)) || self.space.cap().is_some()
    }

    /// Does the automaton ask which events are taken?
    pub fn reads_events(&self) -> bool {
        self.problem.reads_events()
    }

    /// Which runs count.
    pub fn fairness(&self) -> &'r [Constraint] {
        self.problem.fairness
    }

    // --- guards -------------------------------------------------------------------------------

    /// The guard that is left of `guard` when the event is one of a class with these letter bits.
    pub fn under(&mut self, guard: Guard, bits: u64) -> Guard {
        let events = self.alphabet.event_atoms();
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

    /// The predicate of state atom `i`.
    fn atom(&mut self, i: usize) -> Result<Residual, Stop> {
        if let Some(&known) = self.atoms.get(&i) {
            return Ok(known);
        }
        let residual = match self.problem.propositions.get(i) {
            Some(Proposition::State(predicate)) => self.query.compile(self.system, predicate)?,
            _ => Residual::FALSE,
        };
        self.atoms.insert(i, residual);
        Ok(residual)
    }

    /// A guard that asks for states alone, as a condition.
    pub fn condition(&mut self, guard: Guard) -> Result<Condition, Stop> {
        if let Some(known) = self.conditions.get(&guard) {
            return Ok(known.clone());
        }
        let condition = match self.predicate(guard) {
            Ok(predicate) => Condition::Predicate(predicate),
            Err(Stop::Unsupported(_)) => Condition::Asked(guard),
            Err(stop) => return Err(stop),
        };
        self.conditions.insert(guard, condition.clone());
        Ok(condition)
    }

    /// The shorter of the disjunctive and the conjunctive form of `guard`.
    fn predicate(&mut self, guard: Guard) -> Result<Residual, Stop> {
        let opposite = self.guards.not(guard);
        let (yes, no) = (self.guards.cubes(guard), self.guards.cubes(opposite));
        if yes.len() <= no.len() {
            return self.disjunction(&yes);
        }
        let other = self.disjunction(&no)?;
        Ok(self.query.not(other))
    }

    /// The states of `set` that satisfy `guard`.
    fn members(&mut self, set: &Set, guard: Guard) -> Result<Set, Stop> {
        let propositions = self.problem.propositions;
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

    fn letters(&mut self, guard: Guard) -> Result<Arc<Letters>, Stop> {
        if let Some(known) = self.letters.get(&guard) {
            return Ok(known.clone());
        }
        let mut still = Condition::NEVER;
        let mut sources: Vec<(Condition, Vec<ClassId>)> = Vec::new();
        let alphabet = self.alphabet.clone();
        for class in alphabet.classes() {
            let rest = self.under(guard, alphabet.letter(class).0);
            let source = self.condition(rest)?;
            if class == ClassId::UNNAMED {
                still = source.clone();
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
            groups.push(Group { source, steps });
        }
        let letters = Arc::new(Letters { groups, still });
        self.letters.insert(guard, letters.clone());
        Ok(letters)
    }

    /// The steps of some classes.
    fn steps(&mut self, classes: Vec<ClassId>) -> Steps {
        let mut known = known(&self.steps);
        if let Some(steps) = known.of_classes.get(&classes) {
            return steps.clone();
        }
        let mut events: Vec<EventId> = Vec::new();
        for &class in &classes {
            events.extend(self.alphabet.events(class));
        }
        events.sort_unstable();
        let steps = if events.len() == self.system.events.len() {
            self.space.all()
        } else {
            self.space.steps(&events)
        };
        known.of_classes.insert(classes, steps.clone());
        steps
    }

    // --- sets ---------------------------------------------------------------------------------

    /// The states of `set` that satisfy a condition.
    pub fn filter(&mut self, set: &Set, condition: &Condition) -> Result<Set, Stop> {
        match condition {
            Condition::Predicate(Residual::TRUE) => Ok(set.clone()),
            Condition::Predicate(Residual::FALSE) => Ok(self.space.empty()),
            Condition::Predicate(residual) => self.space.filter(set, &mut self.query, *residual),
            Condition::Asked(guard) => self.members(set, *guard),
        }
    }

    /// The states of `set` that satisfy `condition` and have a stutter loop; the space knows which do.
    fn still(&mut self, set: &Set, condition: &Condition) -> Result<Set, Stop> {
        if *condition == Condition::NEVER {
            return Ok(self.space.empty());
        }
        let here = match (&self.stuttering, self.territory.known()) {
            (Some(known), _) => self.space.store().intersection(set, known)?,
            (None, Some(all)) => {
                let found = self.space.stuttering(all)?;
                let found = self.stuttering.insert(found);
                self.space.store().intersection(set, found)?
            }
            (None, None) => self.space.stuttering(set)?,
        };
        self.filter(&here, condition)
    }

    /// Where `steps` lead from `sources`, as far as the ground has these steps.
    fn image(&mut self, sources: &Set, steps: &Steps) -> Result<Set, Stop> {
        let image = self.space.image(sources, steps)?;
        match &self.territory {
            Territory::Within(all) => self.space.store().intersection(&image, all),
            Territory::Open | Territory::Reachable(_) => {
                self.watch(sources, steps)?;
                Ok(image)
            }
        }
    }

    /// Takes note if the space leaves out steps from `sources`. What a territory leaves out is known beforehand.
    fn watch(&mut self, sources: &Set, steps: &Steps) -> Result<(), Stop> {
        self.left_out = self.left_out || self.space.escapes(sources, steps)?;
        Ok(())
    }

    /// The states of `set` that stutter by a letter of `guard`.
    pub fn resting(&mut self, set: &Set, guard: Guard) -> Result<Set, Stop> {
        let letters = self.letters(guard)?;
        self.still(set, &letters.still)
    }

    /// Where a step by a letter of `guard` leads from `set`.
    pub fn post(&mut self, set: &Set, guard: Guard) -> Result<Set, Stop> {
        self.operations += 1;
        let letters = self.letters(guard)?;
        let mut next = self.still(set, &letters.still)?;
        for group in &letters.groups {
            let sources = self.filter(set, &group.source)?;
            if !sources.is_empty() {
                let image = self.image(&sources, &group.steps)?;
                next = self.space.store().union(&next, &image)?;
            }
        }
        Ok(next)
    }

    /// The states of `within` from which a step by a letter of `guard` leads into `set`.
    pub fn pre(&mut self, set: &Set, guard: Guard, within: &Set) -> Result<Set, Stop> {
        self.operations += 1;
        let letters = self.letters(guard)?;
        let inside = self.space.store().intersection(set, within)?;
        let mut before = self.still(&inside, &letters.still)?;
        for group in &letters.groups {
            let sources = self.filter(within, &group.source)?;
            if !sources.is_empty() {
                let image = self.space.pre_image(set, &group.steps, &sources)?;
                before = self.space.store().union(&before, &image)?;
            }
        }
        Ok(before)
    }

    /// A guard as conditions on the steps of some events.
    fn groups_by(&mut self, guard: Guard, events: &[EventId]) -> Result<Vec<Group>, Stop> {
        let alphabet = self.alphabet.clone();
        let mut groups = Vec::new();
        for class in alphabet.classes() {
            let of_class = |event: &&EventId| alphabet.class(Some(**event)) == class;
            let events: Vec<EventId> = events.iter().filter(of_class).copied().collect();
            if events.is_empty() {
                continue;
            }
            let rest = self.under(guard, alphabet.letter(class).0);
            let source = self.condition(rest)?;
            if source == Condition::NEVER {
                continue;
            }
            let mut known = known(&self.steps);
            let steps = match known.of_events.get(&events) {
                Some(steps) => steps.clone(),
                None => {
                    let steps = self.space.steps(&events);
                    known.of_events.insert(events, steps.clone());
                    steps
                }
            };
            groups.push(Group { source, steps });
        }
        Ok(groups)
    }

    /// Where a step by a letter of `guard` that takes one of `events` leads from `set`.
    pub fn post_by(&mut self, set: &Set, guard: Guard, events: &[EventId]) -> Result<Set, Stop> {
        self.operations += 1;
        let mut next = self.space.empty();
        for group in self.groups_by(guard, events)? {
            let sources = self.filter(set, &group.source)?;
            let image = self.image(&sources, &group.steps)?;
            next = self.space.store().union(&next, &image)?;
        }
        Ok(next)
    }

    /// The states of `within` from which a step by a letter of `guard` that takes one of `events` leads into `set`.
    pub fn pre_by(
        &mut self,
        set: &Set,
        guard: Guard,
        events: &[EventId],
        within: &Set,
    ) -> Result<Set, Stop> {
        self.operations += 1;
        let mut before = self.space.empty();
        for group in self.groups_by(guard, events)? {
            let sources = self.filter(within, &group.source)?;
            let image = self.space.pre_image(set, &group.steps, &sources)?;
            before = self.space.store().union(&before, &image)?;
        }
        Ok(before)
    }

    /// The least `X ⊇ set` with `post(X, guard) ⊆ X`.
    pub fn close(&mut self, set: &Set, guard: Guard) -> Result<Set, Stop> {
        if let Territory::Within(all) = &self.territory {
            let all = all.clone();
            return self.close_within(set, guard, &all);
        }
        self.operations += 1;
        let letters = self.letters(guard)?;
        self.in_turn(set, &letters.groups, |sets, set, group| {
            let space = &mut sets.space;
            let closed = match &group.source {
                Condition::Predicate(Residual::TRUE) => space.reach(set, &group.steps),
                Condition::Predicate(source) => {
                    space.freach(set, &group.steps, &mut sets.query, *source)
                }
                Condition::Asked(guard) => sets.growing(set, |sets, set| {
                    let sources = sets.members(set, *guard)?;
                    sets.space.freach_set(set, &group.steps, &sources)
                }),
            }?;
            sets.watch(&closed, &group.steps)?;
            Ok(closed)
        })
    }

    /// Repeats a closure among the states that pass a condition, until no more of its states pass.
    fn growing(
        &mut self,
        set: &Set,
        mut closure: impl FnMut(&mut Sets<'r, 's>, &Set) -> Result<Set, Stop>,
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

    /// The least `X ⊇ set` that is closed under steps by letters of `guard`, which asks for events
    /// alone, into states that satisfy `target`, which asks for states alone.
    pub fn close_into(&mut self, set: &Set, guard: Guard, target: Guard) -> Result<Set, Stop> {
        debug_assert_eq!(self.guards.support(guard) & self.alphabet.state_atoms(), 0);
        self.operations += 1;
        let letters = self.letters(guard)?;
        let target = self.condition(target)?;
        if let Territory::Within(all) = &self.territory {
            let all = all.clone();
            let inside = self.filter(&all, &target)?;
            let inside = self.space.store().union(&inside, set)?;
            return self.in_turn(set, &letters.groups, |sets, set, group| {
                sets.space.reach_within(set, &group.steps, &inside)
            });
        }
        self.in_turn(set, &letters.groups, |sets, set, group| {
            let closed = match &target {
                Condition::Predicate(Residual::TRUE) => sets.space.reach(set, &group.steps),
                Condition::Predicate(target) => {
                    sets.space
                        .reachf(set, &group.steps, &mut sets.query, *target)
                }
                Condition::Asked(guard) => sets.growing(set, |sets, set| {
                    let next = sets.space.image(set, &group.steps)?;
                    let more = sets.members(&next, *guard)?;
                    sets.space.store().union(set, &more)
                }),
            }?;
            sets.watch(&closed, &group.steps)?;
            Ok(closed)
        })
    }

    /// The least `X ⊇ set` with `post(X ∩ within, guard) ∩ within ⊆ X`; `set` is inside of `within`.
    pub fn close_within(&mut self, set: &Set, guard: Guard, within: &Set) -> Result<Set, Stop> {
        self.operations += 1;
        let letters = self.letters(guard)?;
        self.in_turn(set, &letters.groups, |sets, set, group| {
            if group.source == Condition::ALWAYS {
                return sets.space.reach_within(set, &group.steps, within);
            }
            // Steps may leave `within`, but what is outside is no source of further ones.
            let sources = sets.filter(within, &group.source)?;
            let closed = sets.space.freach_set(set, &group.steps, &sources)?;
            sets.space.store().intersection(&closed, within)
        })
    }

    /// The least `X ⊇ set` with `pre(X, guard) ∩ within ⊆ X`; `set` is inside of `within`.
    pub fn back_within(&mut self, set: &Set, guard: Guard, within: &Set) -> Result<Set, Stop> {
        self.operations += 1;
        let letters = self.letters(guard)?;
        self.in_turn(set, &letters.groups, |sets, set, group| {
            let sources = sets.filter(within, &group.source)?;
            let domain = sets.space.store().union(&sources, set)?;
            sets.space.back_within(set, &group.steps, &domain)
        })
    }

    /// Repeats the closures of all groups until each is closed.
    fn in_turn(
        &mut self,
        set: &Set,
        groups: &[Group],
        mut closure: impl FnMut(&mut Sets<'r, 's>, &Set, &Group) -> Result<Set, Stop>,
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

    /// The states of `set` from which steps by letters of `guard` can stay in `set` for ever; a
    /// state that stutters can.
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

    /// The parts of `set` whose states agree on the state atoms of `mask`, each with its letter;
    /// no part is empty.
    pub fn parts(&mut self, set: &Set, mask: u64) -> Result<Vec<(Letter, Set)>, Stop> {
        self.operations += 1;
        let mut parts = vec![(Letter(0), set.clone())];
        let observed = mask & self.alphabet.state_atoms();
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

    // --- single states ------------------------------------------------------------------------

    /// The state atoms that are true in `state`, as bits of a letter.
    pub fn label(&self, state: &State) -> u64 {
        self.problem.label(state).0
    }

    /// A step from `state` by a letter of `guard` into `targets` that takes one of `events`, if there is one.
    pub fn step_by(
        &mut self,
        state: &State,
        guard: Guard,
        events: &[EventId],
        targets: &Set,
    ) -> Option<Step> {
        let system = self.system;
        let label = self.label(state);
        for &event in events {
            let class = self.alphabet.class(Some(event));
            let letter = Letter(label | self.alphabet.letter(class).0);
            if !self.guards.accepts(guard, letter) {
                continue;
            }
            for next in system.successors(state, event) {
                if self.space.contains(targets, &next) {
                    return Some(Step {
                        event: Some(event),
                        state: next,
                    });
                }
            }
        }
        None
    }

    /// A step from `state` by a letter of `guard` into `targets`, if there is one.
    pub fn step_into(&mut self, state: &State, guard: Guard, targets: &Set) -> Option<Step> {
        let system = self.system;
        let label = self.label(state);
        let alphabet = self.alphabet.clone();
        for class in alphabet.classes() {
            let letter = Letter(label | alphabet.letter(class).0);
            if !self.guards.accepts(guard, letter) {
                continue;
            }
            for &event in alphabet.events(class) {
                for next in system.successors(state, event) {
                    if self.space.contains(targets, &next) {
                        return Some(Step {
                            event: Some(event),
                            state: next,
                        });
                    }
                }
            }
        }
        let stutters = self.guards.accepts(guard, Letter(label))
            && self.space.stutters(state)
            && self.space.contains(targets, state);
        stutters.then(|| Step {
            event: None,
            state: state.clone(),
        })
    }
}
