//! Heuristic distance of a state to the letters that the automaton waits for.
//!
//! The automaton waits for a letter that leads closer to an accepting component or, inside of one,
//! carries a missing mark. The distance of a state to a letter is the number of missing tokens: the
//! sum over conjunctions, the minimum over alternatives. It is weighted by the distance to
//! acceptance in the automaton. (P. G. Jensen, J. Srba, N. J. Ulrik and S. M. Virenfeldt guide
//! depth-first search like this: *Automata-driven partial order reduction and guided search for LTL
//! model checking*, VMCAI 2022.)

use crate::acceptance_map::AcceptanceMap;
use crate::problem::Problem;
use crate::sums::missing;
use lariat_automata::{Automaton, Cube, StateId as Location};
use lariat_emptiness::Marks;
use lariat_model::{Action, Arc, EventId, Predicate, Proposition, System, Value};

/// Limit on the cubes per guard; guards with more cubes give little direction.
const MOST_CUBES: usize = 32;
/// Limit on the total size of propositions. Larger ones, about whole places of coloured nets, make
/// a step so slow that undirected walks are better.
const MOST_READ: usize = 4096;
const FAR: u64 = 1 << 40;

/// Letters that the automaton waits for, by state.
pub(super) struct WalkGoals<'a> {
    system: &'a System,
    propositions: &'a [Proposition],
    waits: Vec<Vec<Wait>>,
    weights: Vec<u64>,
}

/// A useful edge: closer to acceptance, or with marks.
struct Wait {
    cubes: Vec<Cube>,
    nearer: bool,
    marks: Marks,
}

impl<'a> WalkGoals<'a> {
    pub fn new(problem: &'a Problem<'_>, acceptance: &AcceptanceMap) -> WalkGoals<'a> {
        let automaton = problem.automaton;
        WalkGoals {
            system: problem.system,
            propositions: problem.propositions,
            waits: waits(automaton, acceptance),
            weights: (automaton.state_ids())
                .map(|q| u64::from(acceptance.rank(q)) + 1)
                .collect(),
        }
    }

    /// Returns whether distances are cheap to compute.
    pub fn is_cheap(&self) -> bool {
        let read = |proposition: &Proposition| match proposition {
            Proposition::State(predicate) => size(predicate),
            Proposition::Fires(events) => events.len(),
        };
        self.propositions.iter().map(read).sum::<usize>() <= MOST_READ
    }

    /// Returns the distance to a letter that the automaton waits for; 0 if there is none.
    pub fn distance(&self, m: &[Value], location: Location, missing: Marks) -> u64 {
        let cubes = self.cubes(location, missing);
        let nearest = cubes.map(|cube| self.to_cube(cube, m)).min();
        // Ranks also count if a letter is already available.
        let nearest = nearest.map_or(0, |distance| distance + 1);
        nearest.saturating_mul(self.weights[location.index()])
    }

    /// Returns the letters that the automaton waits for at `location` while marks are missing.
    pub fn cubes(&self, location: Location, missing: Marks) -> impl Iterator<Item = Cube> {
        let useful =
            move |wait: &&Wait| wait.nearer || !wait.marks.intersection(missing).is_empty();
        let waits = self.waits[location.index()].iter().filter(useful);
        waits.flat_map(|wait| wait.cubes.iter().copied())
    }

    fn to_cube(&self, cube: Cube, m: &[Value]) -> u64 {
        let atoms = self.propositions.iter().enumerate();
        let wanted = atoms.filter_map(|(i, proposition)| {
            let (positive, negative) = (cube.positive >> i & 1 == 1, cube.negative >> i & 1 == 1);
            (positive || negative).then(|| match proposition {
                Proposition::State(predicate) => to_value(self.system, predicate, m, positive),
                Proposition::Fires(events) if positive => to_enabled(self.system, events, m),
                Proposition::Fires(_) => 0,
            })
        });
        wanted.sum::<u64>().min(FAR)
    }
}

fn waits(automaton: &Automaton, acceptance: &AcceptanceMap) -> Vec<Vec<Wait>> {
    let mut guards = automaton.guards.clone();
    let mut all = Vec::with_capacity(automaton.states.len());
    for q in automaton.state_ids() {
        let mut waits = Vec::new();
        for edge in automaton.transitions(q) {
            let nearer = acceptance.rank(edge.to) < acceptance.rank(q);
            let inside = acceptance.is_accepting(q) && acceptance.is_together(q, edge.to);
            if nearer || inside && !edge.marks.is_empty() {
                let mut cubes = guards.cubes(edge.guard);
                cubes.truncate(MOST_CUBES);
                let marks = if inside { edge.marks } else { Marks::NONE };
                waits.push(Wait {
                    cubes,
                    nearer,
                    marks,
                });
            }
        }
        all.push(waits);
    }
    all
}

/// Returns the number of variables or events that a predicate reads.
fn size(predicate: &Predicate) -> usize {
    match predicate {
        Predicate::Const(_) | Predicate::Deadlock => 0,
        Predicate::Expr(_) => 1,
        Predicate::Linear(linear) => linear.terms.len(),
        Predicate::Enabled(events) => events.len(),
        Predicate::Not(p) => size(p),
        Predicate::And(ps) | Predicate::Or(ps) => ps.iter().map(size).sum(),
    }
}

/// Returns the distance of a predicate to the wanted truth value.
fn to_value(system: &System, predicate: &Predicate, m: &[Value], wanted: bool) -> u64 {
    let part = |p: &Predicate| to_value(system, p, m, wanted);
    match (predicate, wanted) {
        (Predicate::Const(value), _) if *value == wanted => 0,
        (Predicate::Const(_), _) => FAR,
        (Predicate::Linear(linear), _) => missing(linear, wanted, m).min(i128::from(FAR)) as u64,
        (Predicate::Enabled(events), true) => to_enabled(system, events, m),
        (Predicate::Enabled(events), false) => {
            let distances = events.iter().map(|event| to_disabled(system, *event, m));
            distances.sum::<u64>().min(FAR)
        }
        (Predicate::Expr(_), _) => u64::from(system.holds(predicate, m) != wanted),
        // Unknown: a deadlock depends on all places.
        (Predicate::Deadlock, _) => 0,
        (Predicate::Not(p), _) => to_value(system, p, m, !wanted),
        (Predicate::And(ps), true) | (Predicate::Or(ps), false) => {
            ps.iter().map(part).sum::<u64>().min(FAR)
        }
        (Predicate::And(ps), false) | (Predicate::Or(ps), true) => {
            ps.iter().map(part).min().unwrap_or(FAR)
        }
    }
}

/// Returns the minimum number of tokens missing for one of the events.
fn to_enabled(system: &System, events: &[EventId], m: &[Value]) -> u64 {
    let missing = |event: &EventId| match &system.event(*event).action {
        Action::Net(arcs) => {
            let lacks = |arc: &Arc| arc.need.saturating_sub(m[arc.var.index()]);
            let lacks = arcs
                .iter()
                .map(|arc| lacks(arc).clamp(0, FAR as Value) as u64);
            lacks.sum::<u64>().min(FAR)
        }
        _ => u64::from(!system.is_enabled(m, *event)),
    };
    events.iter().map(missing).min().unwrap_or(FAR)
}

/// Returns the minimum number of tokens to remove until the event is disabled.
fn to_disabled(system: &System, event: EventId, m: &[Value]) -> u64 {
    let Action::Net(arcs) = &system.event(event).action else {
        return u64::from(system.is_enabled(m, event));
    };
    let needs = arcs.iter().filter(|arc| arc.need > 0);
    let more = needs.map(|arc| m[arc.var.index()].saturating_sub(arc.need));
    let least = more.min().map(|more| more.saturating_add(1));
    least.map_or(FAR, |tokens| tokens.clamp(0, FAR as Value) as u64)
}
