//! Fixed cases with automata that no translation produces.

use super::{Fixed, levels, local_event};
use crate::case::{Atom, Case};
use crate::formulas::Ltl;
use crate::kripke::Kripke;
use crate::oracle::{Buchi, BuchiEdge};
use Deadlock::Stutter;
use lariat_model::{Comparison, Deadlock, Predicate, Proposition, Value, VarId};

/// Returns all fixed cases with automata.
pub fn given() -> Vec<Fixed> {
    let mut all = vec![automaton_case(), toggles()];
    all.extend(several_starts());
    all.extend(parallel_edges());
    all
}

fn with(name: &'static str, case: Case, holds: bool, automaton: Buchi) -> Fixed {
    Fixed {
        name,
        case,
        holds,
        automaton: Some(automaton),
    }
}

/// Two initial states of the automaton for `F a`; one has no successors.
fn several_starts() -> Vec<Fixed> {
    let path = Kripke::new(3)
        .label("a", &[2])
        .steps("u", &[(0, 1), (1, 2), (2, 2)])
        .asks("G !a", Stutter);
    let starting = |initial: [usize; 2]| Buchi {
        marks: 1,
        initial: initial.to_vec(),
        edges: vec![
            BuchiEdge::new(1, 1, &[], 0),
            BuchiEdge::new(1, 2, &[(0, true)], 0),
            BuchiEdge::new(2, 2, &[], 1),
        ],
    };
    let cases = [
        ("start-behind-a-dead-one", [0, 1]),
        ("start-before-a-dead-one", [1, 0]),
    ];
    cases
        .map(|(name, initial)| with(name, path.clone(), false, starting(initial)))
        .into()
}

/// Two edges between the same states with different marks and disjoint guards.
fn parallel_edges() -> Vec<Fixed> {
    let still = |states: &[Value]| {
        Kripke::new(2)
            .label("a", states)
            .steps("u", &[(0, 0)])
            .asks("false", Stutter)
    };
    let parallel = || Buchi {
        marks: 1,
        initial: vec![0],
        edges: vec![
            BuchiEdge::new(0, 1, &[(0, true)], 1),
            BuchiEdge::new(0, 1, &[(0, false)], 0),
            BuchiEdge::new(1, 1, &[], 1),
        ],
    };
    vec![
        with("by-the-marked-edge", still(&[0]), false, parallel()),
        with("by-the-unmarked-edge", still(&[1]), false, parallel()),
    ]
}

/// Level 3 (`x`, where `a` is `x = 1`) moves once, level 2 (`y`) loops. The run is lost if the node
/// under `¬a` is marked as completed: its loop exists under `a` only.
fn automaton_case() -> Fixed {
    let events = [("e2", 1, (0, 0)), ("e3", 0, (0, 1))];
    let events = events.map(|(name, var, step)| local_event(name, var, &[step]));
    let mut case = levels(&[2, 1], events.into(), Stutter);
    case.atoms = vec![Atom {
        proposition: Proposition::State(Predicate::compare(VarId(0), Comparison::Eq, 1)),
        text: Some("\"x == 1\"".to_owned()),
    }];
    // The automaton accepts ¬a followed by a forever.
    case.formula = Ltl::parse("!(!a & X G a)", &["a"]);
    let edge = |from, to, a, marks| BuchiEdge::new(from, to, &[(0, a)], marks);
    let automaton = Buchi {
        marks: 1,
        initial: vec![0],
        // State 1 is accepting: its outgoing edges are marked.
        edges: vec![
            edge(0, 1, false, 0),
            edge(1, 2, false, 1),
            edge(1, 1, true, 1),
            edge(2, 2, true, 0),
        ],
    };
    with("revisited-under-another-label", case, false, automaton)
}

/// Two independent toggling variables, and an automaton that accepts everything: 0 –{0}→ 1, 0 –{1}→
/// 0, 1 → 0, 1 → 1. A letter that can be read once can be read twice, but by a different move.
fn toggles() -> Fixed {
    let toggle = |name, var| local_event(name, var, &[(0, 1), (1, 0)]);
    let events = vec![toggle("e0", 0), toggle("e1", 1)];
    let case = levels(&[2, 2], events, Stutter);
    let edge = |from, to, marks| BuchiEdge::new(from, to, &[], marks);
    let automaton = Buchi {
        marks: 2,
        initial: vec![0],
        edges: vec![edge(0, 1, 1), edge(0, 0, 2), edge(1, 0, 0), edge(1, 1, 0)],
    };
    with("idempotent-moves-are-not-identical", case, false, automaton)
}
