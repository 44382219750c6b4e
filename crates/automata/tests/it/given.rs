//! Given automata with shapes that the translation does not produce: several initial states,
//! equivalent marks, parallel edges.

use lariat_automata::testing::{Ta, Tgta};
use lariat_automata::{
    Automaton, Cube, Guards, LegalLetters, Letter, StateId, Transition, Word, disjoint, reduce,
    stutter_invariant_language,
};
use lariat_budget::Budget;
use lariat_emptiness::Marks;
use lariat_ltl::AtomId;

/// Atoms that must be true and atoms that must be false, as bits.
type Reads = (u64, u64);
const ANY: Reads = (0, 0);
const P: Reads = (1, 0);
const NOT_P: Reads = (0, 1);

/// An automaton over two atoms with these initial states and edges (source, letters, marks,
/// target).
fn given(marks: u32, initial: &[u32], edges: &[(u32, Reads, u64, u32)]) -> Automaton {
    let mut guards = Guards::new();
    let size = edges.iter().map(|edge| edge.0.max(edge.3) + 1).max();
    let mut states = vec![Vec::new(); size.unwrap_or(0) as usize];
    for &(from, (positive, negative), marks, to) in edges {
        states[from as usize].push(Transition {
            guard: guards.cube(Cube { positive, negative }),
            marks: Marks(marks),
            to: StateId(to),
        });
    }
    Automaton {
        atoms: vec![AtomId(0), AtomId(1)],
        guards,
        mark_count: marks,
        initial: initial.iter().copied().map(StateId).collect(),
        states,
    }
}

fn word(prefix: &[u64], cycle: &[u64]) -> Word {
    let letters = |bits: &[u64]| bits.iter().copied().map(Letter).collect();
    Word {
        prefix: letters(prefix),
        cycle: letters(cycle),
    }
}

/// `p` at first, or `q` forever: no edge leads to the first initial state, so its past is included
/// in that of the other.
fn two_beginnings() -> Automaton {
    given(
        0,
        &[0, 1],
        &[(0, P, 0, 2), (1, (2, 0), 0, 1), (2, ANY, 0, 2)],
    )
}

#[test]
fn every_initial_state_counts() {
    let mut a = two_beginnings();
    assert!(!a.is_deterministic());
    reduce(&mut a, Guards::TRUE, &Budget::unlimited()).unwrap();
    for (accepted, word) in [
        (true, word(&[1], &[0])),
        (true, word(&[], &[2])),
        (false, word(&[2], &[0])),
    ] {
        assert_eq!(a.accepts(&word), accepted, "{word:?}");
    }
}

/// Two marks on the same edges are equivalent; one of them is needed.
#[test]
fn one_of_equal_marks_is_kept() {
    let mut a = given(2, &[0], &[(0, P, 3, 0), (0, NOT_P, 0, 0)]);
    reduce(&mut a, Guards::TRUE, &Budget::unlimited()).unwrap();
    assert_eq!(a.mark_count, 1);
    assert!(a.accepts(&word(&[], &[0, 1])) && !a.accepts(&word(&[1], &[0])));
}

#[test]
fn products_read_legal_letters_only() {
    let [a, b] = [P, (2, 0)].map(|reads| given(0, &[0], &[(0, reads, 0, 0)]));
    let common = word(&[], &[3]);
    assert!(a.accepts(&common) && b.accepts(&common));
    for (legal, apart) in [
        (LegalLetters::any(), false),
        (LegalLetters::at_most_one(a.atoms.clone()), true),
    ] {
        assert_eq!(disjoint(&a, &b, &legal, &Budget::unlimited()), Ok(apart));
    }
}

/// Of two loops in one state only the second carries the mark.
#[test]
fn products_take_the_edges_with_the_marks() {
    let a = given(1, &[0], &[(0, NOT_P, 0, 0), (0, P, 1, 0)]);
    let b = given(0, &[0], &[(0, ANY, 0, 0)]);
    let (any, unlimited) = (LegalLetters::any(), Budget::unlimited());
    assert_eq!(disjoint(&a, &b, &any, &unlimited), Ok(false));
    assert_eq!(disjoint(&b, &a, &any, &unlimited), Ok(false));
}

/// At most two `p`, then none: a third can be read, but leads to a state that accepts nothing.
#[test]
fn a_repeated_letter_must_lead_to_a_simulating_state() {
    let a = given(
        1,
        &[0],
        &[
            (0, P, 0, 1),
            (0, P, 0, 2),
            (0, NOT_P, 0, 3),
            (1, P, 0, 2),
            (1, NOT_P, 0, 3),
            (2, P, 0, 4),
            (2, NOT_P, 0, 3),
            (3, NOT_P, 1, 3),
            (4, P, 0, 4),
        ],
    );
    assert!(a.accepts(&word(&[1, 1], &[0])) && !a.accepts(&word(&[1, 1, 1], &[0])));
    let known = stutter_invariant_language(&a, &LegalLetters::any(), &Budget::unlimited());
    assert_eq!(known, Ok(false));
}

/// Checks both kinds of testing automata, reduced and published, on words.
fn test(a: &Automaton, words: &[(bool, Word)]) {
    let unlimited = Budget::unlimited();
    let ta = [Ta::new, Ta::published].map(|new| new(a, &unlimited).unwrap().to_automaton());
    let tgta = [Tgta::new, Tgta::published].map(|new| new(a, &unlimited).unwrap().to_automaton());
    for (accepted, word) in words {
        assert_eq!(a.accepts(word), *accepted, "{word:?}");
        for testing in ta.iter().chain(&tgta) {
            assert_eq!(testing.accepts(word), *accepted, "{word:?}");
        }
    }
}

/// `!p` at first, then `p` forever: both states read one letter only, and the second can be entered
/// because its letter differs.
#[test]
fn a_state_that_reads_another_letter_can_be_entered() {
    let a = given(1, &[0], &[(0, NOT_P, 0, 0), (0, NOT_P, 0, 1), (1, P, 1, 1)]);
    let words = [
        (true, word(&[0], &[1])),
        (true, word(&[0, 0], &[1])),
        (false, word(&[], &[1])),
        (false, word(&[], &[0])),
    ];
    test(&a, &words);
}

/// Both recur, one mark at a time: parallel edges for one letter that differ in their marks.
#[test]
fn marks_of_parallel_edges_are_not_merged() {
    let a = given(2, &[0], &[(0, ANY, 0, 0), (0, P, 1, 0), (0, (2, 0), 2, 0)]);
    let words = [
        (true, word(&[], &[1, 2])),
        (true, word(&[], &[3, 0])),
        (true, word(&[0], &[3])),
        (false, word(&[], &[1])),
        (false, word(&[3], &[2, 0])),
    ];
    test(&a, &words);
}

/// `q` recurs, or `p` settles; every edge of the waiting state carries one of the marks and not the
/// other.
#[test]
fn stuttering_without_all_marks_does_not_accept() {
    let a = given(
        2,
        &[0],
        &[
            (0, (2, 0), 3, 0),
            (0, (0, 2), 1, 0),
            (0, P, 0, 1),
            (1, P, 3, 1),
        ],
    );
    let words = [
        (true, word(&[0], &[1])),
        (true, word(&[], &[2, 0])),
        (false, word(&[], &[1, 1, 0])),
        (false, word(&[], &[1, 0])),
        (false, word(&[], &[0])),
    ];
    test(&a, &words);
}

/// `q` without `p` forever is read from the second initial state.
#[test]
fn products_begin_in_every_pair_of_initial_states() {
    let quiet = given(0, &[0], &[(0, (2, 1), 0, 0)]);
    let (any, unlimited) = (LegalLetters::any(), Budget::unlimited());
    for (a, b) in [(quiet.clone(), two_beginnings()), (two_beginnings(), quiet)] {
        assert_eq!(disjoint(&a, &b, &any, &unlimited), Ok(false));
    }
}

/// `p` forever from some point on. The first state reads only `p` and collects the mark while
/// nothing changes, the second may go anywhere and only reaches such a state: their changes are
/// equal, but a run that visits the second repeatedly has collected no mark.
#[test]
fn pairs_are_distinguished_by_what_stuttering_collects() {
    let a = given(
        1,
        &[0, 1],
        &[
            (0, P, 1, 0),
            (0, P, 0, 1),
            (1, ANY, 0, 1),
            (1, P, 1, 2),
            (2, P, 1, 2),
        ],
    );
    let unlimited = Budget::unlimited();
    for t in [
        Tgta::new(&a, &unlimited).unwrap().to_automaton(),
        Ta::new(&a, &unlimited).unwrap().to_automaton(),
    ] {
        for (prefix, cycle) in [
            (&[][..], &[1][..]),
            (&[0, 1, 0], &[1, 1]),
            (&[], &[1, 1, 0]),
            (&[1], &[0, 1]),
            (&[1], &[0]),
        ] {
            let word = word(prefix, cycle);
            assert_eq!(t.accepts(&word), a.accepts(&word), "{word:?}");
        }
    }
}

/// Changes of `q` are irrelevant, because no guard depends on it.
#[test]
fn changes_of_unused_atoms_are_ignored() {
    let a = given(1, &[0], &[(0, P, 1, 0), (0, NOT_P, 0, 0)]);
    let unlimited = Budget::unlimited();
    for t in [
        Tgta::new(&a, &unlimited).unwrap().0,
        Ta::new(&a, &unlimited).unwrap().0,
    ] {
        assert_eq!(t.change(Letter(0b00), Letter(0b10)), Letter(0));
        assert_eq!(t.change(Letter(0b11), Letter(0b00)), Letter(1));
    }
}
