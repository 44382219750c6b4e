//! Does the automaton accept the word of a run, or whatever begins like it, and is the run fair? Positions and automaton states are the nodes of a graph that is as long as the run, so
//! that this costs next to nothing even where the product cannot be explored.

use crate::alphabet::state_propositions;
use crate::problem::Problem;
use lariat_automata::{Automaton, Letter, StateId as Location, accepting_forever};
use lariat_emptiness::{Counts, Edge, Graph, Marks, NodeId, Outcome, couvreur};
use lariat_model::{Constraint, EvidenceKind, Lasso, State, Step, Strength};
use std::convert::Infallible;

/// Is a run accepted and fair, or accepted whatever follows if it begins like this?
pub(super) fn is_evidence(problem: &Problem<'_>, lasso: &Lasso) -> bool {
    let word = Word::of(problem, lasso);
    match lasso.kind() {
        EvidenceKind::Prefix => problem.takes_prefixes() && word.decides(),
        EvidenceKind::Lasso => word.is_accepted() && is_fair(problem, lasso),
        EvidenceKind::Covering => word.is_accepted() && problem.fairness.is_empty(),
    }
}

/// Does the loop of a lasso meet all constraints?
fn is_fair(problem: &Problem<'_>, lasso: &Lasso) -> bool {
    let enabled = |constraint: &Constraint, step: &Step| {
        // The states of the loop are those behind its steps: the last of them is the first one.
        problem.system.holds(&constraint.enabled, &step.state)
    };
    problem.fairness.iter().all(|constraint| {
        let taken = |event| constraint.taken.contains(&event);
        let mut steps = lasso.cycle.iter();
        steps.clone().any(|step| step.event.is_some_and(taken))
            || match constraint.strength {
                Strength::Weak => steps.any(|step| !enabled(constraint, step)),
                Strength::Strong => !steps.any(|step| enabled(constraint, step)),
            }
    })
}

/// The automaton along a word that goes on at `entry` behind its last letter.
struct Word<'a> {
    automaton: &'a Automaton,
    letters: Vec<Letter>,
    entry: usize,
}

impl<'a> Word<'a> {
    fn of(problem: &Problem<'a>, lasso: &Lasso) -> Word<'a> {
        let letter = |state: &State, step: &Step| {
            let atoms = state_propositions(problem.propositions);
            let holds = atoms.filter(|(_, predicate)| problem.system.holds(predicate, state));
            let alphabet = problem.alphabet();
            let event = alphabet.letter(alphabet.class(step.event));
            Letter(holds.fold(event.0, |letter, (bit, _)| letter | bit))
        };
        let steps: Vec<&Step> = lasso.prefix.iter().chain(&lasso.cycle).collect();
        let states = std::iter::once(&lasso.initial).chain(steps.iter().map(|step| &step.state));
        Word {
            automaton: problem.automaton,
            letters: states
                .zip(&steps)
                .map(|(s, step)| letter(s, step))
                .collect(),
            entry: lasso.prefix.len(),
        }
    }

    fn is_accepted(&self) -> bool {
        let nodes = self
            .letters
            .len()
            .saturating_mul(self.automaton.states.len());
        let found = || couvreur(self, &mut (), &mut Counts::default());
        nodes < u32::MAX as usize && matches!(found(), Ok(Outcome::Accepting(_)))
    }

    /// Can the automaton, behind the last letter, be where it accepts whatever follows?
    fn decides(&self) -> bool {
        let forever = accepting_forever(self.automaton);
        let mut here = vec![false; forever.len()];
        for location in &self.automaton.initial {
            here[location.index()] = true;
        }
        for letter in &self.letters {
            let mut next = vec![false; forever.len()];
            for location in self.automaton.state_ids().filter(|l| here[l.index()]) {
                for t in self.automaton.reading(location, *letter) {
                    next[t.to.index()] = true;
                }
            }
            here = next;
        }
        here.iter()
            .zip(&forever)
            .any(|(here, forever)| *here && *forever)
    }

    fn node(&self, position: usize, location: Location) -> NodeId {
        NodeId((position * self.automaton.states.len() + location.index()) as u32)
    }
}

impl Graph for Word<'_> {
    type Stop = Infallible;
    type Worker = ();
    type Cursor = usize;

    fn marks(&self) -> Marks {
        self.automaton.all_marks()
    }

    fn initial(&self, (): &mut (), k: usize) -> Result<Option<NodeId>, Infallible> {
        let location = self.automaton.initial.get(k);
        Ok(location.map(|location| self.node(0, *location)))
    }

    fn next_edge(
        &self,
        (): &mut (),
        node: NodeId,
        cursor: &mut usize,
    ) -> Result<Option<Edge>, Infallible> {
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
}
