//! Fixed cases for defects that random tests rarely find.

use super::specs::*;
use lariat_differential::{subjects, symmetric};
use lariat_formats::LoadedModel;
use lariat_model::{Deadlock, Predicate, Proposition};
use lariat_testkit::case::{Atom, Case};
use lariat_testkit::oracle::{self, Buchi, BuchiEdge};
use lariat_testkit::symmetric::{Firing, Part, Spec};
use lariat_testkit::{Answer, Ltl};
use std::sync::Arc;

/// The problem whether a net has a run that satisfies a formula.
struct Fixed {
    name: &'static str,
    spec: Spec,
    atoms: fn(&LoadedModel) -> Vec<Proposition>,
    /// A formula over `a`, `b`, `c`.
    formula: &'static str,
    found: bool,
}

fn fixed(
    name: &'static str,
    spec: Spec,
    atoms: fn(&LoadedModel) -> Vec<Proposition>,
    formula: &'static str,
    found: bool,
) -> Fixed {
    Fixed {
        name,
        spec,
        atoms,
        formula,
        found,
    }
}

/// The table of cases; each name describes the defect that the case finds.
fn fixed_cases() -> Vec<Fixed> {
    let ring = Spec {
        classes: vec![(4, true)],
        places: vec![vec![0], vec![0]],
        transitions: vec![Firing {
            variables: vec![0],
            takes: vec![(0, vec![X0]), (0, vec![Part::Successor(0)])],
            puts: vec![(1, vec![X0]), (0, vec![Part::Successor(0)])],
            ..Firing::default()
        }],
        initial: (0..4).map(|c| (0, vec![c], 1)).collect(),
    };
    let both_loops = Spec {
        classes: vec![(2, false)],
        places: vec![Vec::new(), vec![0]],
        transitions: vec![
            Firing {
                takes: vec![(0, Vec::new())],
                puts: vec![(0, Vec::new())],
                ..Firing::default()
            };
            2
        ],
        initial: vec![(0, Vec::new(), 1), (1, vec![0], 1), (1, vec![1], 1)],
    };
    let equal_modulo = Spec {
        classes: vec![(2, false)],
        places: vec![vec![0], vec![0], vec![0], Vec::new()],
        transitions: vec![
            Firing {
                variables: vec![0],
                takes: vec![(0, vec![X0])],
                puts: vec![(2, vec![X0]), (3, Vec::new())],
                ..Firing::default()
            },
            Firing {
                variables: vec![0],
                takes: vec![(2, vec![X0])],
                puts: vec![(2, vec![X0])],
                ..Firing::default()
            },
            Firing {
                variables: vec![0],
                takes: vec![(0, vec![X0]), (3, Vec::new())],
                puts: vec![(2, vec![X0])],
                ..Firing::default()
            },
        ],
        initial: vec![(0, vec![0], 1), (0, vec![1], 1), (3, Vec::new(), 1)],
    };
    vec![
        fixed(
            "the letter tested on the representative only (1)",
            walkers(2),
            |m| vec![at(m, 1, 1)],
            "X a",
            true,
        ),
        fixed(
            "the letter tested on the representative only (0)",
            walkers(2),
            |m| vec![at(m, 1, 0)],
            "X a",
            true,
        ),
        fixed(
            "R from a state's own edges only (1)",
            walkers(2),
            |m| vec![at(m, 2, 1)],
            "X X a",
            true,
        ),
        fixed(
            "R from a state's own edges only (0)",
            walkers(2),
            |m| vec![at(m, 2, 0)],
            "X X a",
            true,
        ),
        fixed(
            "the target's orbit under H, not H ∧ G_L",
            walkers(3),
            |m| vec![at(m, 1, 0), at(m, 2, 1)],
            "X(a & X b)",
            false,
        ),
        fixed(
            "the same colour twice",
            walkers(3),
            |m| vec![at(m, 1, 0), at(m, 2, 0)],
            "X(a & X b)",
            true,
        ),
        fixed(
            "the stabiliser of the representative (2)",
            walkers(3),
            |m| vec![at(m, 1, 0), at(m, 2, 2)],
            "X(!a & X b)",
            true,
        ),
        fixed(
            "the stabiliser of the representative (1)",
            walkers(3),
            |m| vec![at(m, 1, 0), at(m, 2, 1)],
            "X(!a & X b)",
            true,
        ),
        fixed(
            "the orbit of the initial marking",
            shuttle(),
            |m| vec![at(m, 0, 1)],
            "a",
            false,
        ),
        fixed(
            "one edge for each target: the other marks are lost",
            both_loops,
            |m| vec![fires(m, 0, &[]), fires(m, 1, &[])],
            "G F a & G F b",
            true,
        ),
        fixed(
            "a circle taken for a set",
            ring,
            |m| {
                let enabled = Predicate::Enabled(events(m, 0));
                vec![
                    tokens(m, 1, 2),
                    tokens(m, 1, 3),
                    Proposition::State(enabled),
                ]
            },
            "F(a & !b & !c)",
            true,
        ),
        fixed(
            "a constant in a guard (1)",
            constant(1),
            |m| vec![tokens(m, 1, 1)],
            "F a",
            true,
        ),
        fixed(
            "a constant in a guard, taken twice (1)",
            constant(1),
            |m| vec![tokens(m, 1, 2)],
            "F a",
            false,
        ),
        fixed(
            "a constant in a guard, taken twice (0)",
            constant(0),
            |m| vec![tokens(m, 1, 2)],
            "F a",
            false,
        ),
        fixed(
            "liveness modulo the whole group",
            shuttle(),
            |m| vec![fires(m, 0, &[0, 1])],
            "F G !a",
            false,
        ),
        fixed(
            "marks that the group does not keep",
            shuttle(),
            |m| vec![fires(m, 0, &[0, 1]), fires(m, 0, &[1, 0])],
            "G F a & G F b",
            true,
        ),
        fixed(
            "equal modulo G taken for included",
            equal_modulo,
            |m| vec![at(m, 2, 1), tokens(m, 3, 1)],
            "F((!b M !a) & b)",
            true,
        ),
        fixed(
            "the propositions of a guard permuted, but not the guard (0)",
            walkers(2),
            |m| vec![at(m, 1, 0), at(m, 1, 1)],
            "X(a & !b)",
            true,
        ),
        fixed(
            "the propositions of a guard permuted, but not the guard (1)",
            walkers(2),
            |m| vec![at(m, 1, 0), at(m, 1, 1)],
            "X(!a & b)",
            true,
        ),
        fixed(
            "rotations that a guard does not keep (0)",
            circle_of_walkers(),
            |m| vec![at(m, 1, 0)],
            "X a",
            true,
        ),
        fixed(
            "rotations that a guard does not keep (1)",
            circle_of_walkers(),
            |m| vec![at(m, 1, 1)],
            "X a",
            true,
        ),
        fixed(
            "rotations that a guard does not keep (2)",
            circle_of_walkers(),
            |m| vec![at(m, 1, 2)],
            "X a",
            true,
        ),
        fixed(
            "rotations that do not keep the set",
            circle_of_walkers(),
            |m| vec![at(m, 1, 0), at(m, 2, 0)],
            "X(!a & X b)",
            false,
        ),
        fixed(
            "one transposition for all of two blocks: outside",
            leavers(3, 1),
            |m| vec![at(m, 1, 0), tokens(m, 1, 1)],
            "X(!a & b & X a)",
            false,
        ),
        fixed(
            "one transposition for all of two blocks: inside",
            leavers(3, 2),
            |m| vec![at(m, 1, 0), tokens(m, 1, 2)],
            "X(a & X(!a & b))",
            false,
        ),
        fixed(
            "events of twins that the guard distinguishes (0)",
            walkers(2),
            |m| vec![fires(m, 0, &[0])],
            "a",
            true,
        ),
        fixed(
            "events of twins that the guard distinguishes (1)",
            walkers(2),
            |m| vec![fires(m, 0, &[1])],
            "a",
            true,
        ),
        fixed(
            "one round of a loop that exchanges colours",
            shuttle(),
            |m| vec![tokens(m, 0, 1)],
            "G a",
            true,
        ),
        fixed(
            "tied colours taken for twins, in their order",
            triangle([X0, X1]),
            |m| vec![tokens(m, 1, 1)],
            "F a",
            true,
        ),
        fixed(
            "tied colours taken for twins, against their order",
            triangle([X1, X0]),
            |m| vec![tokens(m, 1, 1)],
            "F a",
            true,
        ),
    ]
}

fn case(model: &LoadedModel, atoms: Vec<Proposition>, formula: Ltl) -> Case {
    let atom = |proposition| Atom {
        proposition,
        text: None,
    };
    Case {
        fairness: Vec::new(),
        system: model.system.clone(),
        atoms: atoms.into_iter().map(atom).collect(),
        formula,
        deadlock: Deadlock::Stutter,
    }
}

/// Checks a fixed case with all subjects, with and without its colours.
fn check_case(name: &str) {
    let mut all = fixed_cases().into_iter();
    let fixed = all.find(|fixed| fixed.name == name);
    let fixed = fixed.unwrap_or_else(|| panic!("no case has the name `{name}`"));
    let coloured = fixed.spec.model();
    let formula = Ltl::parse(fixed.formula, &["a", "b", "c"]);
    let case = case(&coloured, (fixed.atoms)(&coloured), formula.negated());
    let expected = case.oracle();
    assert_eq!(expected.is_some(), fixed.found, "{name}");
    let mut plain = coloured.clone();
    plain.coloured = None;
    for model in [Arc::new(coloured), Arc::new(plain)] {
        for subject in symmetric::subjects(&model) {
            if let Err(complaint) = subject.judge(&case, expected.as_ref()) {
                panic!("{name}: {} {complaint}\n{case}", subject.name());
            }
        }
    }
}

macro_rules! tests {
    ($($test:ident: $name:literal,)*) => {
        $(#[test]
        fn $test() {
            check_case($name);
        })*

        #[test]
        fn every_fixed_case_has_a_test() {
            let tested = [$($name),*];
            for fixed in fixed_cases() {
                assert!(tested.contains(&fixed.name), "{}", fixed.name);
            }
        }
    };
}

tests! {
    letter_of_the_representative_1: "the letter tested on the representative only (1)",
    letter_of_the_representative_0: "the letter tested on the representative only (0)",
    own_edges_1: "R from a state's own edges only (1)",
    own_edges_0: "R from a state's own edges only (0)",
    target_under_h: "the target's orbit under H, not H ∧ G_L",
    same_colour_twice: "the same colour twice",
    stabiliser_of_the_representative_2: "the stabiliser of the representative (2)",
    stabiliser_of_the_representative_1: "the stabiliser of the representative (1)",
    orbit_of_the_initial_marking: "the orbit of the initial marking",
    one_edge_for_each_target: "one edge for each target: the other marks are lost",
    circle: "a circle taken for a set",
    constant_1: "a constant in a guard (1)",
    constant_twice_1: "a constant in a guard, taken twice (1)",
    constant_twice_0: "a constant in a guard, taken twice (0)",
    liveness: "liveness modulo the whole group",
    marks: "marks that the group does not keep",
    equal_modulo: "equal modulo G taken for included",
    guard_permuted_0: "the propositions of a guard permuted, but not the guard (0)",
    guard_permuted_1: "the propositions of a guard permuted, but not the guard (1)",
    rotations_of_a_guard_0: "rotations that a guard does not keep (0)",
    rotations_of_a_guard_1: "rotations that a guard does not keep (1)",
    rotations_of_a_guard_2: "rotations that a guard does not keep (2)",
    rotations_of_a_set: "rotations that do not keep the set",
    one_exchange_outside: "one transposition for all of two blocks: outside",
    one_exchange_inside: "one transposition for all of two blocks: inside",
    events_of_twins_0: "events of twins that the guard distinguishes (0)",
    events_of_twins_1: "events of twins that the guard distinguishes (1)",
    one_round: "one round of a loop that exchanges colours",
    tied_in_order: "tied colours taken for twins, in their order",
    tied_against_order: "tied colours taken for twins, against their order",
}

fn edge(from: usize, to: usize, guard: &[(usize, bool)], marks: u64) -> BuchiEdge {
    BuchiEdge {
        from,
        to,
        guard: guard.to_vec(),
        marks,
    }
}

/// Checks with all plans whether the net has a run that the automaton accepts.
fn check_automaton(model: &LoadedModel, atoms: Vec<Proposition>, negation: &Buchi, found: bool) {
    let symmetry = symmetric::symmetry(model);
    let count = atoms.len();
    let case = case(model, atoms, Ltl::parse("a | !a", &["a", "b"]));
    let (propositions, graph) = (case.propositions(), case.graph());
    let expected = oracle::accepted(&case.system, &propositions, &graph, negation);
    assert_eq!(expected.is_some(), found);
    let negation = subjects::automaton(negation, count);
    for (name, plan) in symmetric::plans() {
        let answer = subjects::run_with_symmetry(plan, &case, &negation, Some(&symmetry));
        let right = match answer {
            Answer::Holds => !found,
            Answer::Violated(_) => found,
            Answer::Unknown(why) => panic!("{name}: {why}"),
        };
        assert!(right, "{name}");
    }
}

/// The remainder of a split node is explored, and the part alone does not decide.
#[test]
fn remainders_are_explored() {
    let model = mutex().model();
    for (back, found) in [(&[][..], true), (&[(0, true)][..], false)] {
        let atoms = vec![fires(&model, 0, &[0]), at(&model, 1, 1)];
        let negation = Buchi {
            initial: vec![0],
            marks: 1,
            edges: vec![
                edge(0, 1, &[(0, true)], 0),
                edge(1, 3, &[], 0),
                edge(3, 1, back, 0),
                edge(1, 2, &[(1, true)], 0),
                edge(2, 2, &[], 1),
            ],
        };
        check_automaton(&model, atoms, &negation, found);
    }
}

/// Some pairs of five processes enter first, later all pairs without the last process. Permutations
/// that keep the first pairs, or one of the remainder, move the last process.
#[test]
fn remainders_are_exact() {
    let model = couples().model();
    let couples = || (0..5).flat_map(|y| (0..y).map(move |x| [x, y]));
    let enters = |some: fn(&[u64; 2]) -> bool| {
        let both = couples().filter(some).flat_map(|[x, y]| [[x, y], [y, x]]);
        let events = both.map(|couple| match fires(&model, 0, &couple) {
            Proposition::Fires(events) => events,
            Proposition::State(_) => Vec::new(),
        });
        let mut events = events.collect::<Vec<_>>().concat();
        events.sort_unstable();
        Proposition::Fires(events)
    };
    let negation = Buchi {
        initial: vec![0],
        marks: 1,
        edges: vec![
            edge(0, 1, &[(0, true)], 0),
            edge(1, 3, &[], 0),
            edge(3, 1, &[(1, false)], 0),
            edge(1, 2, &[(2, true), (3, true)], 0),
            edge(2, 2, &[], 1),
        ],
    };
    let initial_pairs: [fn(&[u64; 2]) -> bool; 2] =
        [|[_, y]| *y == 1, |[x, y]| *x < 2 && (2..4).contains(y)];
    for first in initial_pairs {
        for [x, y] in couples() {
            let inside = [at(&model, 1, x), at(&model, 1, y)];
            let atoms = [enters(first), enters(|[_, y]| *y == 4)]
                .into_iter()
                .chain(inside);
            check_automaton(&model, atoms.collect(), &negation, y < 4);
        }
    }
}

/// Twins of a marking in one state of the automaton must not be reused in other states.
#[test]
fn twins_depend_on_the_state_of_the_automaton() {
    let mut spec = leavers(3, 1);
    // Without the self-loop transition there are no intermediate markings.
    spec.transitions.remove(0);
    let model = spec.model();
    for colour in 0..3 {
        let atoms = vec![at(&model, 1, colour), tokens(&model, 1, 2)];
        let negation = Buchi {
            initial: vec![1, 0],
            marks: 1,
            edges: vec![
                // Never accepts, which is not obvious from the structure.
                edge(1, 1, &[], 0),
                edge(1, 1, &[(1, true)], 1),
                edge(0, 2, &[], 0),
                edge(2, 3, &[(0, true)], 0),
                edge(3, 3, &[], 1),
            ],
        };
        check_automaton(&model, atoms, &negation, true);
    }
}

/// Parallel edges of the automaton with the same guard but different marks alternate in a run.
#[test]
fn parallel_edges_keep_their_marks() {
    let model = mutex().model();
    let atoms = || vec![fires(&model, 0, &[0]), at(&model, 1, 1)];
    for (marks, found) in [([1, 2], true), ([1, 1], false)] {
        let negation = Buchi {
            initial: vec![0],
            marks: 2,
            edges: marks.map(|marks| edge(0, 0, &[], marks)).to_vec(),
        };
        check_automaton(&model, atoms(), &negation, found);
    }
}
