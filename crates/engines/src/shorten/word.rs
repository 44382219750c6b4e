//! Does the automaton accept the word of a run? Positions and automaton states are the nodes of a graph that is as long as the run, so
//! that this costs next to nothing even where the product cannot be explored.

use crate::alphabet::state_propositions;
use crate::problem::Problem;
use lariat_automata::{Automaton, Letter, StateId as Location};
use lariat_emptiness::{Counts, Edge, Graph, Marks, NodeId, Outcome, couvreur};
use lariat_model::{Lasso, State, Step};
use std::convert::Infallible;

/// Is the run of a lasso accepted?
pub(super) fn accepts(problem: &Problem<'_>, lasso: &Lasso) -> bool {
    let letter = |state: &State, step: &Step| {
        let atoms = state_propositions(problem.propositions);
        let holds = atoms.filter(|(_, predicate)| problem.system.holds(predicate, state));
        let alphabet = problem.alphabet();
        let event = alphabet.letter(alphabet.class(step.event));
        Letter(holds.fold(event.0, |letter, (bit, _)| letter | bit))
    };
    let steps: Vec<&Step> = lasso.prefix.iter().chain(&lasso.cycle).collect();
    let states = std::iter::once(&lasso.initial).chain(steps.iter().map(|step| &step.state));
    let word = Word {
        automaton: problem.automaton,
        letters: states
            .zip(&steps)
            .map(|(s, step)| letter(s, step))
            .collect(),
        entry: lasso.prefix.len(),
    };
    let nodes = word
        .letters
        .len()
        .saturating_mul(problem.automaton.states.len());
    let found = || couvreur(&word, &mut (), &mut Counts::default());
    nodes < u32::MAX as usize && matches!(found(), Ok(Outcome::Accepting(_)))
}

/// The automaton along a word that goes on at `entry` behind its last letter.
struct Word<'a> {
    automaton: &'a Automaton,
    letters: Vec<Letter>,
    entry: usize,
}

impl Word<'_> {
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
