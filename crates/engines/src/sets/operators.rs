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

mod closures;
mod concrete;
mod conditions;

pub use conditions::Condition;

use crate::alphabet::Alphabet;
use crate::problem::Problem;
use conditions::{Group, KnownSteps, Letters};
use lariat_automata::{Automaton, Guard, Guards, Letter, StateId, accepting_forever};
use lariat_budget::{Budget, Stop};
use lariat_model::{Constraint, EventId, System};
use lariat_space::symbolic::{Residual, Residuals, Set, Steps, Symbolic};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

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

/// What is known of where the states are.
#[derive(Clone, Debug)]
pub enum Territory {
    /// Nothing.
    Open,
    /// These are all states that can be reached.
    Reachable(Set),
    /// Steps that lead out of these states are left out.
    Within(Set),
    /// And so are steps by other events than these, which are sorted, and stutter loops: to know the dead states every event must be asked for.
    Corridor(Set, Arc<[EventId]>),
}

impl Territory {
    /// The states that include all that will be met, if they are known.
    fn known(&self) -> Option<&Set> {
        match self {
            Territory::Reachable(all) => Some(all),
            Territory::Open | Territory::Within(_) | Territory::Corridor(..) => self.bounds(),
        }
    }

    /// The states that no step leads out of because it is left out.
    fn bounds(&self) -> Option<&Set> {
        match self {
            Territory::Open | Territory::Reachable(_) => None,
            Territory::Within(all) | Territory::Corridor(all, _) => Some(all),
        }
    }

    /// Are steps by `event` taken?
    fn takes(&self, event: EventId) -> bool {
        match self {
            Territory::Open | Territory::Reachable(_) | Territory::Within(_) => true,
            Territory::Corridor(_, events) => events.binary_search(&event).is_ok(),
        }
    }
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
        self.territory.bounds().is_some() || self.space.cap().is_some()
    }

    /// Does the automaton ask which events are taken?
    pub fn reads_events(&self) -> bool {
        self.problem.reads_events()
    }

    /// Which runs count.
    pub fn fairness(&self) -> &'r [Constraint] {
        self.problem.fairness
    }

    /// The states of `set` that satisfy `condition` and have a stutter loop; the space knows which do.
    fn still(&mut self, set: &Set, condition: &Condition) -> Result<Set, Stop> {
        let is_corridor = matches!(self.territory, Territory::Corridor(..));
        if *condition == Condition::NEVER || is_corridor {
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
        match self.territory.bounds() {
            Some(all) => self.space.store().intersection(&image, all),
            None => {
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
        let letters = self.letters(guard)?;
        let still = self.still(set, &letters.still)?;
        let next = self.along(set, &letters.groups)?;
        self.space.store().union(&still, &next)
    }

    /// Where a step by a letter of `guard` that takes one of `events` leads from `set`.
    pub fn post_by(&mut self, set: &Set, guard: Guard, events: &[EventId]) -> Result<Set, Stop> {
        let groups = self.groups_by(guard, events)?;
        self.along(set, &groups)
    }

    /// Where steps of `groups` lead from `set`.
    fn along(&mut self, set: &Set, groups: &[Group]) -> Result<Set, Stop> {
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

    /// The states of `within` from which a step by a letter of `guard` leads into `set`.
    pub fn pre(&mut self, set: &Set, guard: Guard, within: &Set) -> Result<Set, Stop> {
        let letters = self.letters(guard)?;
        let inside = self.space.store().intersection(set, within)?;
        let still = self.still(&inside, &letters.still)?;
        let before = self.against(set, &letters.groups, within)?;
        self.space.store().union(&still, &before)
    }

    /// The states of `within` from which a step by a letter of `guard` that takes one of `events` leads into `set`.
    pub fn pre_by(
        &mut self,
        set: &Set,
        guard: Guard,
        events: &[EventId],
        within: &Set,
    ) -> Result<Set, Stop> {
        let groups = self.groups_by(guard, events)?;
        self.against(set, &groups, within)
    }

    /// The states of `within` from which steps of `groups` lead into `set`.
    fn against(&mut self, set: &Set, groups: &[Group], within: &Set) -> Result<Set, Stop> {
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
}
