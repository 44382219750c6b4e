//! Fixed cases for defects that random tests rarely find.

use super::specs::*;
use lariat_differential::{subjects, symmetric};
use lariat_formats::LoadedModel;
use lariat_model::{Predicate, Proposition};
use lariat_testkit::case::{Atom, Case};
use lariat_testkit::oracle::{self, Buchi, BuchiEdge};
use lariat_testkit::symmetric::Spec;
use lariat_testkit::{Answer, Ltl};
use std::sync::Arc;

fn case(model: &LoadedModel, atoms: Vec<Proposition>, formula: Ltl) -> Case {
    let atoms = atoms.into_iter().map(Atom::unnamed);
    Case::new(model.system.clone(), atoms, formula)
}

/// Checks with all subjects, with and without the colours of the net, whether it has a run that
/// satisfies the formula over `a`, `b`, `c`.
#[track_caller]
fn check(found: bool, spec: Spec, formula: &str, atoms: impl Fn(&LoadedModel) -> Vec<Proposition>) {
    let coloured = spec.model();
    let negation = Ltl::parse(formula, &["a", "b", "c"]).negated();
    let case = case(&coloured, atoms(&coloured), negation);
    let expected = case.oracle();
    assert_eq!(expected.is_some(), found, "{formula}");
    let mut plain = coloured.clone();
    plain.coloured = None;
    for model in [Arc::new(coloured), Arc::new(plain)] {
        for subject in symmetric::subjects(&model) {
            if let Err(complaint) = subject.judge(&case, expected.as_ref()) {
                panic!("{} {complaint}\n{case}", subject.name());
            }
        }
    }
}

#[test]
fn letters_and_edges_of_representatives() {
    for colour in [1, 0] {
        // The letter tested on the representative only.
        check(true, walkers(2), "X a", |m| vec![at(m, 1, colour)]);
        // R from a state's own edges only.
        check(true, walkers(2), "X X a", |m| vec![at(m, 2, colour)]);
    }
    // The orbit of the initial marking.
    check(false, shuttle(), "a", |m| vec![at(m, 0, 1)]);
}

#[test]
fn orbits_of_targets_and_stabilisers() {
    let atoms = |m: &LoadedModel, colour| vec![at(m, 1, 0), at(m, 2, colour)];
    // The target's orbit under H, not H ∧ G_L.
    check(false, walkers(3), "X(a & X b)", |m| atoms(m, 1));
    // One colour twice.
    check(true, walkers(3), "X(a & X b)", |m| atoms(m, 0));
    // The stabiliser of the representative.
    check(true, walkers(3), "X(!a & X b)", |m| atoms(m, 2));
    check(true, walkers(3), "X(!a & X b)", |m| atoms(m, 1));
}

#[test]
fn marks_and_loops() {
    // One edge for each target: the other marks are lost.
    let both = |m: &LoadedModel| vec![fires(m, 0, &[]), fires(m, 1, &[])];
    check(true, both_loops(), "G F a & G F b", both);
    // Liveness modulo the whole group.
    check(false, shuttle(), "F G !a", |m| vec![fires(m, 0, &[0, 1])]);
    // Marks that the group does not keep.
    let both = |m: &LoadedModel| vec![fires(m, 0, &[0, 1]), fires(m, 0, &[1, 0])];
    check(true, shuttle(), "G F a & G F b", both);
    // One round of a loop that exchanges colours.
    check(true, shuttle(), "G a", |m| vec![tokens(m, 0, 1)]);
    // Equal modulo G taken for included.
    let atoms = |m: &LoadedModel| vec![at(m, 2, 1), tokens(m, 3, 1)];
    check(true, two_ways(), "F((!b M !a) & b)", atoms);
}

#[test]
fn constants_in_guards() {
    check(true, constant(1), "F a", |m| vec![tokens(m, 1, 1)]);
    // Taken twice.
    check(false, constant(1), "F a", |m| vec![tokens(m, 1, 2)]);
    check(false, constant(0), "F a", |m| vec![tokens(m, 1, 2)]);
}

#[test]
fn rotations() {
    // A circle taken for a set.
    let atoms = |m: &LoadedModel| {
        let enabled = Predicate::Enabled(events(m, 0));
        let enabled = Proposition::State(enabled);
        vec![tokens(m, 1, 2), tokens(m, 1, 3), enabled]
    };
    check(true, ring(), "F(a & !b & !c)", atoms);
    // Rotations that a guard does not keep.
    for colour in 0..3 {
        let atoms = |m: &LoadedModel| vec![at(m, 1, colour)];
        check(true, circle_of_walkers(), "X a", atoms);
    }
    // Rotations that do not keep the set.
    let atoms = |m: &LoadedModel| vec![at(m, 1, 0), at(m, 2, 0)];
    check(false, circle_of_walkers(), "X(!a & X b)", atoms);
    // Tied colours taken for twins, in their order and against it.
    for parts in [[X0, X1], [X1, X0]] {
        check(true, triangle(parts), "F a", |m| vec![tokens(m, 1, 1)]);
    }
}

#[test]
fn permuted_guards_and_exchanges() {
    // The propositions of a guard permuted, but not the guard.
    for formula in ["X(a & !b)", "X(!a & b)"] {
        let atoms = |m: &LoadedModel| vec![at(m, 1, 0), at(m, 1, 1)];
        check(true, walkers(2), formula, atoms);
    }
    // One transposition for all of two blocks: outside, and inside.
    let atoms = |m: &LoadedModel| vec![at(m, 1, 0), tokens(m, 1, 1)];
    check(false, leavers(3, 1), "X(!a & b & X a)", atoms);
    let atoms = |m: &LoadedModel| vec![at(m, 1, 0), tokens(m, 1, 2)];
    check(false, leavers(3, 2), "X(a & X(!a & b))", atoms);
    // Events of twins that the guard distinguishes.
    for colour in [0, 1] {
        check(true, walkers(2), "a", |m| vec![fires(m, 0, &[colour])]);
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
        let answer = subjects::run(plan, &case, &negation, Some(&symmetry));
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
                BuchiEdge::new(0, 1, &[(0, true)], 0),
                BuchiEdge::new(1, 3, &[], 0),
                BuchiEdge::new(3, 1, back, 0),
                BuchiEdge::new(1, 2, &[(1, true)], 0),
                BuchiEdge::new(2, 2, &[], 1),
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
            BuchiEdge::new(0, 1, &[(0, true)], 0),
            BuchiEdge::new(1, 3, &[], 0),
            BuchiEdge::new(3, 1, &[(1, false)], 0),
            BuchiEdge::new(1, 2, &[(2, true), (3, true)], 0),
            BuchiEdge::new(2, 2, &[], 1),
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
                BuchiEdge::new(1, 1, &[], 0),
                BuchiEdge::new(1, 1, &[(1, true)], 1),
                BuchiEdge::new(0, 2, &[], 0),
                BuchiEdge::new(2, 3, &[(0, true)], 0),
                BuchiEdge::new(3, 3, &[], 1),
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
            edges: marks.map(|marks| BuchiEdge::new(0, 0, &[], marks)).to_vec(),
        };
        check_automaton(&model, atoms(), &negation, found);
    }
}
