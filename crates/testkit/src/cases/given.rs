//! Fixed cases about automata that no translation makes.

use super::{Fixed, levels, local};
use crate::case::{Atom, Case};
use crate::formulas::Ltl;
use crate::kripke::Kripke;
use crate::oracle::{Buchi, BuchiEdge};
use Deadlock::Stutter;
use lariat_model::{Comparison, Deadlock, Predicate, Proposition, Value, VarId};

/// All of them.
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

fn edge(from: usize, guard: &[(usize, bool)], marks: u64, to: usize) -> BuchiEdge {
    BuchiEdge {
        from,
        guard: guard.to_vec(),
        marks,
        to,
    }
}

/// Two initial states of the automaton, one of which leads nowhere: `F a` by the other.
fn several_starts() -> Vec<Fixed> {
    let way = Kripke::new(3)
        .label("a", &[2])
        .steps("u", &[(0, 1), (1, 2), (2, 2)])
        .asks("G !a", Stutter);
    let starting = |initial: [usize; 2]| Buchi {
        marks: 1,
        initial: initial.to_vec(),
        edges: vec![
            edge(1, &[], 0, 1),
            edge(1, &[(0, true)], 0, 2),
            edge(2, &[], 1, 2),
        ],
    };
    vec![
        with(
            "start-behind-a-dead-one",
            way.clone(),
            false,
            starting([0, 1]),
        ),
        with("start-before-a-dead-one", way, false, starting([1, 0])),
    ]
}

/// Two edges between the same states, with different marks: each letter has but one of them.
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
            edge(0, &[(0, true)], 1, 1),
            edge(0, &[(0, false)], 0, 1),
            edge(1, &[], 1, 1),
        ],
    };
    vec![
        with("by-the-marked-edge", still(&[0]), false, parallel()),
        with("by-the-edge-beside-it", still(&[1]), false, parallel()),
    ]
}

/// Level 3 (`x`, `a` where it is 1) may move once, level 2 (`y`) loops. The automaton's run is lost if the
/// node under `¬a` is taken for finished: its loop exists under `a` only.
fn automaton_case() -> Fixed {
    let mut case = levels(
        &[2, 1],
        vec![
            ("e2", vec![1], local(&[(0, 0)])),
            ("e3", vec![0], local(&[(0, 1)])),
        ],
        Stutter,
    );
    case.atoms = vec![Atom {
        proposition: Proposition::State(Predicate::compare(VarId(0), Comparison::Eq, 1)),
        text: Some("\"x == 1\"".to_owned()),
    }];
    // ¬a, then a for ever: that is what the automaton accepts.
    case.formula = Ltl::parse("!(!a & X G a)", &["a"]);
    let edge = |from, a, marks, to| BuchiEdge {
        from,
        guard: vec![(0, a)],
        marks,
        to,
    };
    Fixed {
        name: "looked-at-again-under-another-label",
        case,
        holds: false,
        automaton: Some(Buchi {
            marks: 1,
            initial: vec![0],
            // Being in state 1 is accepting: marks on the edges that leave it.
            edges: vec![
                edge(0, false, 0, 1),
                edge(1, false, 1, 2),
                edge(1, true, 1, 1),
                edge(2, true, 0, 2),
            ],
        }),
    }
}

/// Two variables that toggle by themselves, and an automaton that accepts everything: 0 –{0}→ 1, 0 –{1}→ 0, 1 → 0, 1 → 1. Reading the same
/// letter twice is possible wherever reading it once is, and yet another move.
fn toggles() -> Fixed {
    let toggle = || local(&[(0, 1), (1, 0)]);
    let case = levels(
        &[2, 2],
        vec![("e0", vec![0], toggle()), ("e1", vec![1], toggle())],
        Stutter,
    );
    let edge = |from, marks, to| BuchiEdge {
        from,
        guard: Vec::new(),
        marks,
        to,
    };
    Fixed {
        name: "idempotent-moves-are-not-identical",
        case,
        holds: false,
        automaton: Some(Buchi {
            marks: 2,
            initial: vec![0],
            edges: vec![edge(0, 1, 1), edge(0, 2, 0), edge(1, 0, 0), edge(1, 0, 1)],
        }),
    }
}
