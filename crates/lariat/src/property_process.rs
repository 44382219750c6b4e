//! A property process as an automaton of the negated property.
//!
//! The process takes one of its edges with every step of the system; the guard is evaluated in the
//! source of the step, which is what an automaton does with letters. Acceptance moves from states to
//! edges: an accepting state is visited for ever iff edges that leave it are taken for ever.

use lariat_automata::{Automaton, Guards, StateId, Transition};
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_formats::dve::PropertyAutomaton;
use lariat_model::Properties;

/// How many different guards an automaton can read.
const ATOMS: usize = 64;

/// The automaton, its guards bound as atoms of `properties`.
pub fn automaton(
    process: &PropertyAutomaton,
    properties: &mut Properties,
) -> Result<Automaton, Stop> {
    let mut atoms = Vec::new();
    let mut guards = Guards::new();
    let mut states = vec![Vec::new(); process.states.len()];
    for edge in &process.edges {
        let guard = if edge.text == "true" {
            Guards::TRUE
        } else {
            let atom = properties
                .add_predicate(&edge.text, edge.guard.clone())
                .map_err(|error| Stop::Unsupported(error.message))?;
            let i = atoms.iter().position(|a| *a == atom).unwrap_or_else(|| {
                atoms.push(atom);
                atoms.len() - 1
            });
            if i >= ATOMS {
                let message = format!("the property process has more than {ATOMS} guards");
                return Err(Stop::Unsupported(message));
            }
            guards.atom(i)
        };
        let marks = if process.accepting.contains(&edge.from) {
            Marks::one(0)
        } else {
            Marks::NONE
        };
        states[edge.from].push(Transition {
            guard,
            marks,
            to: StateId(edge.to as u32),
        });
    }
    Ok(Automaton {
        atoms,
        guards,
        mark_count: 1,
        initial: vec![StateId(process.initial as u32)],
        states,
    })
}
