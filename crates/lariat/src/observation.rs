//! The symbolic observation graph of a model, for drawings and other tools.

use crate::cache::{SpaceCache, SpaceKey};
use lariat_automata::{Automaton, Guards, StateId, Transition};
use lariat_budget::{RunContext, Stop};
use lariat_emptiness::Marks;
use lariat_engines::sets::{ObservationGraph, observation_graph};
use lariat_engines::{Invariance, Problem};
use lariat_ltl::AtomId;
use lariat_model::{Deadlock, Proposition, System};
use lariat_reductions::Systems;
use lariat_space::symbolic::OrderChoice;

/// Work for finding a variable order.
const ORDER_WORK: u64 = 2_000_000;

/// Computes the observation graph of `system` for these atoms; exact with atoms about events.
pub fn observed(
    system: &System,
    propositions: &[Proposition],
    order: &OrderChoice,
    deadlock: Deadlock,
    ctx: RunContext<'_>,
) -> Result<ObservationGraph, Stop> {
    let most = Guards::MAX_ATOMS;
    if propositions.len() > most {
        return Err(Stop::Unsupported(format!("more than {most} atoms")));
    }
    let automaton = observer(propositions.len());
    let problem = Problem::new(system, &automaton, propositions, deadlock).knowing(Invariance {
        letters: true,
        ..Invariance::default()
    });
    let systems = Systems::new();
    let mut cache = SpaceCache::new(&systems);
    let key = SpaceKey::new(order, deadlock);
    let ordered = cache.ordered(system, &key, ORDER_WORK, ctx)?;
    let mut space = ordered.space.anew()?;
    observation_graph(&problem, &mut space, problem.reads_events(), ctx)
}

/// Returns an automaton that accepts every word and observes these atoms.
fn observer(atoms: usize) -> Automaton {
    let mut guards = Guards::new();
    let mut edges = Vec::new();
    let mut add = |guard| {
        edges.push(Transition {
            guard,
            marks: Marks::NONE,
            to: StateId(0),
        });
    };
    for atom in 0..atoms {
        let holds = guards.atom(atom);
        add(holds);
        add(guards.not(holds));
    }
    if atoms == 0 {
        add(Guards::TRUE);
    }
    Automaton {
        atoms: (0..atoms as u32).map(AtomId).collect(),
        guards,
        mark_count: 0,
        initial: vec![StateId(0)],
        states: vec![edges],
    }
}
