//! Acceptance and fairness of single runs.
//!
//! Positions and automaton states are the nodes of a graph as long as the run, so the check is
//! cheap even if the product cannot be explored.

use crate::problem::Problem;
use lariat_automata::{Automaton, Letter, StateId as Location, accepting_forever};
use lariat_budget::{Budget, Stop};
use lariat_emptiness::{Counts, Edge, Graph, Marks, NodeId, Outcome, couvreur};
use lariat_model::{EvidenceKind, Lasso, RunCursor, Step, Strength, Value};

/// Returns whether a run is accepted and fair, or a prefix all of whose continuations are.
pub(super) fn is_evidence(problem: &Problem<'_>, lasso: &Lasso, budget: &Budget) -> bool {
    let word = Word::new(problem, lasso, budget);
    match lasso.kind() {
        EvidenceKind::Prefix => problem.takes_prefixes() && word.decides(),
        EvidenceKind::Lasso => word.is_accepted() && is_fair(problem, lasso.cycle_cursor()),
        EvidenceKind::Covering => word.is_accepted() && problem.fairness.is_empty(),
    }
}

/// States of the automaton after reading the beginning of a run.
pub(super) struct AutomatonRun<'a, 'p> {
    problem: &'a Problem<'p>,
    here: Vec<Location>,
    /// States from which every continuation is accepted, if prefixes are evidence.
    forever: Option<Vec<bool>>,
}

impl<'a, 'p> AutomatonRun<'a, 'p> {
    pub(super) fn new(problem: &'a Problem<'p>) -> AutomatonRun<'a, 'p> {
        let prefixes = problem.takes_prefixes();
        AutomatonRun {
            problem,
            here: problem.automaton.initial.clone(),
            forever: prefixes.then(|| accepting_forever(problem.automaton)),
        }
    }

    pub(super) fn read(&mut self, state: &[Value], step: &Step) {
        let letter = letter(self.problem, state, step);
        self.here = read(self.problem.automaton, &self.here, letter);
    }

    /// Returns whether repeating `cycle` from `state` is accepted and fair; for an empty cycle,
    /// whether every continuation is accepted.
    pub(super) fn accepts_loop(&self, state: &[Value], cycle: &[Step], budget: &Budget) -> bool {
        if cycle.is_empty() {
            let forever = self.forever.as_deref().unwrap_or_default();
            let accepts = |location: &Location| forever.get(location.index()) == Some(&true);
            return self.here.iter().any(accepts);
        }
        let word = Word {
            automaton: self.problem.automaton,
            initial: self.here.clone(),
            letters: letters(self.problem, RunCursor::over(state.into(), cycle)),
            entry: 0,
            budget,
        };
        word.is_accepted() && is_fair(self.problem, RunCursor::over(state.into(), cycle))
    }
}

fn letter(problem: &Problem<'_>, state: &[Value], step: &Step) -> Letter {
    let alphabet = problem.alphabet();
    let event = alphabet.letter(alphabet.class(step.event));
    Letter(problem.label(state).0 | event.0)
}

/// The letters along the steps of the cursor.
fn letters(problem: &Problem<'_>, mut run: RunCursor<'_>) -> Vec<Letter> {
    let mut letters = Vec::new();
    while let Some((state, step)) = run.next() {
        letters.push(letter(problem, state, step));
    }
    letters
}

fn read(automaton: &Automaton, here: &[Location], letter: Letter) -> Vec<Location> {
    let mut next: Vec<Location> = (here.iter())
        .flat_map(|location| automaton.reading(*location, letter))
        .map(|t| t.to)
        .collect();
    next.sort_unstable();
    next.dedup();
    next
}

fn is_fair(problem: &Problem<'_>, cycle: RunCursor<'_>) -> bool {
    problem.fairness.iter().all(|constraint| {
        let mut run = cycle.clone();
        let (mut always, mut never) = (true, true);
        while let Some((step, state)) = run.take() {
            if step
                .event
                .is_some_and(|event| constraint.taken.contains(&event))
            {
                return true;
            }
            let enabled = problem.system.holds(&constraint.enabled, state);
            (always, never) = (always && enabled, never && !enabled);
        }
        match constraint.strength {
            Strength::Weak => !always,
            Strength::Strong => never,
        }
    })
}

/// The automaton along a word that continues at `entry` after its last letter.
struct Word<'a> {
    automaton: &'a Automaton,
    initial: Vec<Location>,
    letters: Vec<Letter>,
    entry: usize,
    budget: &'a Budget,
}

impl<'a> Word<'a> {
    fn new(problem: &Problem<'a>, lasso: &Lasso, budget: &'a Budget) -> Word<'a> {
        Word {
            automaton: problem.automaton,
            initial: problem.automaton.initial.clone(),
            letters: letters(problem, lasso.cursor()),
            entry: lasso.prefix.len(),
            budget,
        }
    }

    fn is_accepted(&self) -> bool {
        let locations = self.automaton.states.len();
        let nodes = self.letters.len().saturating_mul(locations);
        let found = || couvreur(self, &mut (), &mut Counts::default());
        nodes < u32::MAX as usize && matches!(found(), Ok(Outcome::Accepting(_)))
    }

    /// Returns whether the automaton may end in a state from which it accepts every continuation.
    fn decides(&self) -> bool {
        let forever = accepting_forever(self.automaton);
        let letters = self.letters.iter();
        let here = letters.fold(self.initial.clone(), |here, letter| {
            read(self.automaton, &here, *letter)
        });
        here.iter().any(|location| forever[location.index()])
    }

    fn node(&self, position: usize, location: Location) -> NodeId {
        NodeId((position * self.automaton.states.len() + location.index()) as u32)
    }
}

impl Graph for Word<'_> {
    type Stop = Stop;
    type Worker = ();
    type Cursor = usize;

    fn marks(&self) -> Marks {
        self.automaton.all_marks()
    }

    fn initial(&self, (): &mut (), k: usize) -> Result<Option<NodeId>, Stop> {
        let location = self.initial.get(k);
        Ok(location.map(|location| self.node(0, *location)))
    }

    fn next_edge(
        &self,
        (): &mut (),
        node: NodeId,
        cursor: &mut usize,
    ) -> Result<Option<Edge>, Stop> {
        let locations = self.automaton.states.len();
        let (position, location) = (node.index() / locations, node.index() % locations);
        let next = match position + 1 {
            end if end == self.letters.len() => self.entry,
            next => next,
        };
        let letter = self.letters[position];
        let mut reading = self.automaton.reading(Location(location as u32), letter);
        let taken = reading.nth(*cursor);
        *cursor += 1;
        Ok(taken.map(|t| Edge {
            to: self.node(next, t.to),
            marks: t.marks,
        }))
    }

    fn tick(&self, (): &mut (), _bytes: usize) -> Result<(), Stop> {
        self.budget.check()
    }
}
