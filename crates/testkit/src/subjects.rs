//! Everything that the harness puts to the test. A new engine joins by one line in [`all`].

use crate::case::Case;
use crate::harness::{Answer, Subject};
use crate::oracle::Buchi;
use crate::tableau;
use lariat_automata::{Automaton, Guards, Legal, StateId, Transition, translate};
use lariat_budget::{Budget, Quiet, Stats};
use lariat_emptiness::Marks;
use lariat_engines::{Engine, Outcome, Problem, explicit};
use lariat_ltl::{AtomId, Formulas};
use lariat_model::Proposition;
use std::time::Duration;

/// All subjects.
pub fn all() -> Vec<Subject> {
    vec![
        engine("explicit", explicit),
        translated("explicit-translated", explicit),
    ]
}

/// Longer than this no small case takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Automata beyond this many edges are not worth a test's time.
const MOST_EDGES: usize = 3000;

/// An engine on the plain tableau's automaton of the negated formula, so that no translation or reduction stands
/// between a difference and its cause.
pub fn engine(name: &str, engine: Engine) -> Subject {
    Subject::new(name, move |case| {
        match tableau::buchi(&case.formula.negated(), MOST_EDGES) {
            Some(negation) => run(engine, case, &automaton(&negation, case.atoms.len())),
            None => Answer::Unknown("internal: not supported".to_owned()),
        }
    })
    .only(|case| tableau::buchi(&case.formula.negated(), MOST_EDGES).is_some())
}

/// An engine on the automaton that the project's own translation makes.
pub fn translated(name: &str, engine: Engine) -> Subject {
    Subject::new(name, move |case| {
        let mut formulas = Formulas::new();
        let names = case.atom_names();
        // Atom i of the store is to be atom i of the case, also where the formula leaves some out.
        for name in &names {
            formulas.atom_id(name);
        }
        let formula = case.formula.negated().intern(&mut formulas, &names);
        let budget = Budget::unlimited().with_deadline(PATIENCE);
        match translate(&mut formulas, formula, &legal(case), &budget) {
            Ok(negation) => run(engine, case, &negation),
            Err(stop) => Answer::Unknown(stop.to_string()),
        }
    })
}

/// Which combinations of event atoms occur: those of every single event, and none.
fn legal(case: &Case) -> Legal {
    let mut events = Vec::new();
    let mut combinations = vec![Vec::new(); case.system.events.len() + 1];
    for (i, atom) in case.atoms.iter().enumerate() {
        if let Proposition::Fires(fired) = &atom.proposition {
            let id = AtomId(i as u32);
            events.push(id);
            for event in fired {
                combinations[event.index()].push(id);
            }
        }
    }
    Legal::events(events, combinations)
}

/// The answer of an engine to a case, given an automaton of the negated formula over the case's atoms.
///
/// Atom `i` of the automaton is the case's atom `automaton.atoms[i]`.
pub fn run(engine: Engine, case: &Case, negation: &Automaton) -> Answer {
    let propositions: Vec<_> = negation
        .atoms
        .iter()
        .map(|atom| case.atoms[atom.index()].proposition.clone())
        .collect();
    let problem = Problem {
        system: &case.system,
        automaton: negation,
        propositions: &propositions,
        deadlock: case.deadlock,
    };
    let budget = Budget::unlimited().with_deadline(PATIENCE);
    match engine(&problem, &budget, &Quiet, &mut Stats::default()) {
        Ok(Outcome::Empty) => Answer::Holds,
        Ok(Outcome::Accepting(lasso)) => Answer::Violated(lasso),
        Ok(Outcome::Undecided(_)) => Answer::Unknown("inconclusive".to_owned()),
        Err(stop) => Answer::Unknown(stop.to_string()),
    }
}

/// The same automaton in the project's own type, over the atoms `0..atoms`.
pub fn automaton(buchi: &Buchi, atoms: usize) -> Automaton {
    let ends = buchi.edges.iter().flat_map(|e| [e.from, e.to]);
    let size = ends.chain(buchi.initial.iter().copied()).max();
    let mut guards = Guards::new();
    let mut states = vec![Vec::new(); size.map_or(0, |s| s + 1)];
    for edge in &buchi.edges {
        let mut guard = Guards::TRUE;
        for &(atom, value) in &edge.guard {
            let literal = match value {
                true => guards.atom(atom),
                false => {
                    let atom = guards.atom(atom);
                    guards.not(atom)
                }
            };
            guard = guards.and(guard, literal);
        }
        states[edge.from].push(Transition {
            guard,
            marks: Marks(edge.marks),
            to: StateId(edge.to as u32),
        });
    }
    Automaton {
        atoms: (0..atoms as u32).map(AtomId).collect(),
        guards,
        mark_count: buchi.marks,
        initial: buchi.initial.iter().map(|q| StateId(*q as u32)).collect(),
        states,
    }
}
