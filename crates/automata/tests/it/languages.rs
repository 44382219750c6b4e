//! Languages of selected and random formulas, through every construction.

use crate::common::{
    assert_disjoint, assert_words, both, drawn, over, parsed, random_word, satisfies, seed,
    translated,
};
use lariat_automata::{
    Automaton, Guards, LegalLetters, Letter, Placement, Word, buchi, degeneralize, has_state_marks,
    silent_step_invariant, state_based, stutter_invariant, translate, translate_labelled,
};
use lariat_budget::{Budget, Stop};
use lariat_ltl::{AtomId, Formula, Formulas, FreeVocabulary, Random, parse};
use std::time::Duration;

/// Formulas that are difficult for some construction.
const SHIPPED: &[&str] = &[
    "true",
    "false",
    "p",
    "X p",
    "G F p",
    "F G p",
    "G(p -> F q)",
    "!(G F p -> G F q)",
    "(p U q) R (X r W s)",
    "G(p -> (q U (G r | G s)))",
    "F(p & X F(q & X F r))",
    "p M (q W (r M s))",
    "G(p <-> X !p)",
    "G F(p <-> X X p)",
    "(G F p & G F q) | F G r",
    "((p U q) U r) U s",
    "G((p & !q) -> (!q W (!q & r)))",
    "F p & F !p & G(p -> X(!p R q))",
    "(p xor F q) <-> G(r M s)",
    "X(p W X q) -> (F r M G s)",
    "G(p | X G q) & G(r | X G !q)",
    "(p R F q) & (!p U G r)",
    "G F(p & X(!p U q)) | F(r & G X r)",
];

fn cases() -> usize {
    lariat_corpora::cases(400)
}

fn any_letter(atoms: usize) -> impl Fn(&mut Random) -> Letter {
    move |random| Letter(random.bits() & ((1 << atoms) - 1))
}

/// Runs `check` on the selected formulas and on random ones.
fn for_formulas(
    random_count: usize,
    mut check: impl FnMut(&mut Formulas, Formula, &str, &mut Random),
) {
    let mut random = Random::new(seed());
    for text in SHIPPED {
        let (mut formulas, f) = parsed(text);
        check(&mut formulas, f, text, &mut random);
    }
    for case in 0..random_count {
        let mut formulas = Formulas::new();
        let atoms: Vec<AtomId> = ["p", "q", "r"].map(|n| formulas.atom_id(n)).to_vec();
        let size = 3 + random.below(12);
        let f = drawn(&mut formulas, &atoms, size, &mut random);
        let text = format!("random formula {case}: {:?}", formulas.node(f));
        check(&mut formulas, f, &text, &mut random);
    }
}

#[test]
fn a_formula_and_its_negation_partition_the_words() {
    for_formulas(cases(), |formulas, f, text, random| {
        let (a, b) = both(formulas, f, &LegalLetters::any());
        assert_disjoint(&a, &b, &LegalLetters::any(), text);
        let count = formulas.atoms_of(f).len();
        let words = (0..200).map(|_| random_word(random, any_letter(count)));
        assert_words(formulas, f, [&a, &b], text, words);
    });
}

#[test]
fn degeneralization_preserves_the_language() {
    for_formulas(cases() / 2, |formulas, f, text, random| {
        let unlimited = Budget::unlimited();
        let a = translated(formulas, f);
        let not_f = formulas.not(f);
        let not_a = translated(formulas, not_f);
        let any = LegalLetters::any();
        let edges = degeneralize(&a, Placement::Edges);
        let states = degeneralize(&a, Placement::States);
        let split = state_based(&a);
        let small_edges = buchi(&a, Placement::Edges, &any, &unlimited).unwrap();
        let small_states = buchi(&a, Placement::States, &any, &unlimited).unwrap();
        assert!(has_state_marks(&small_states), "{text}");
        for b in [&edges, &states, &small_edges, &small_states] {
            assert_eq!(b.mark_count, 1, "{text}");
        }
        assert!(
            has_state_marks(&states) && has_state_marks(&split),
            "{text}"
        );
        let atoms = formulas.atoms_of(f);
        for b in [&edges, &states, &split, &small_edges, &small_states] {
            assert_disjoint(b, &not_a, &LegalLetters::any(), text);
            for _ in 0..50 {
                let word = random_word(random, any_letter(atoms.len()));
                let expected = satisfies(formulas, f, &atoms, &word);
                assert_eq!(
                    b.accepts(&over(b, &atoms, &word)),
                    expected,
                    "{text}: {word:?}"
                );
            }
        }
    });
}

/// Checks that each state of the labelled automaton has the language of its formula, on some words.
fn assert_labels(formulas: &mut Formulas, f: Formula, text: &str, random: &mut Random) {
    let (any, unlimited) = (LegalLetters::any(), Budget::unlimited());
    let labelled = translate_labelled(formulas, f, &any, &unlimited).unwrap();
    let a = labelled.automaton;
    assert_eq!(a.states.len(), labelled.formulas.len());
    for (q, &label) in a.state_ids().zip(&labelled.formulas) {
        for _ in 0..20 {
            let word = random_word(random, any_letter(a.atoms.len()));
            let expected = satisfies(formulas, label, &a.atoms, &word);
            assert_eq!(a.accepts_from(&[q], &word), expected, "{text}: {q:?}");
        }
    }
}

#[test]
fn labels_are_the_languages_of_states() {
    for_formulas(cases() / 4, assert_labels);
}

#[test]
fn impossible_combinations_of_events_are_excluded() {
    let mut random = Random::new(seed());
    for case in 0..cases() / 2 {
        let mut formulas = Formulas::new();
        let [p, a, b, c] =
            ["p", "fires(a)", "fires(b)", "fires(a, c)"].map(|n| formulas.atom_id(n));
        // The event of the last atom is `a` or one that the other atoms do not name.
        let combinations = vec![vec![], vec![a, c], vec![b], vec![c]];
        let legal = LegalLetters::events(vec![a, b, c], combinations.clone());
        let size = 3 + random.below(10);
        let f = drawn(&mut formulas, &[p, a, b, c], size, &mut random);
        let what = format!("case {case}");
        let (yes, no) = both(&mut formulas, f, &legal);
        assert_disjoint(&yes, &no, &legal, &what);
        let atoms = formulas.atoms_of(f);
        let letter = |random: &mut Random| {
            let events = &combinations[random.below(combinations.len())];
            let state = random.coin();
            Letter(atoms.iter().enumerate().fold(0, |bits, (i, x)| {
                let holds = if *x == p { state } else { events.contains(x) };
                bits | u64::from(holds) << i
            }))
        };
        let words = (0..100).map(|_| random_word(&mut random, &letter));
        assert_words(&formulas, f, [&yes, &no], &what, words);
    }
    // Two simultaneous events are impossible, and the automaton excludes them.
    let (mut formulas, f) = parsed("F(a & b)");
    let events = formulas.atoms_of(f);
    let legal = LegalLetters::at_most_one(events);
    let empty = translate(&mut formulas, f, &legal, &Budget::unlimited()).unwrap();
    assert!(empty.initial.is_empty());
}

/// Repeats each letter of the word up to three times, at random.
fn stuttered(word: &Word, random: &mut Random) -> Word {
    let mut twice = |letters: &[Letter]| {
        letters
            .iter()
            .flat_map(|&l| std::iter::repeat_n(l, 1 + random.below(3)))
            .collect()
    };
    Word {
        prefix: twice(&word.prefix),
        cycle: twice(&word.cycle),
    }
}

#[test]
fn stutter_invariant_formulas_ignore_stuttering() {
    let mut found = [0; 2];
    for_formulas(cases() / 2, |formulas, f, text, random| {
        let invariant =
            stutter_invariant(formulas, f, &LegalLetters::any(), &Budget::unlimited()).unwrap();
        found[usize::from(invariant)] += 1;
        let atoms = formulas.atoms_of(f);
        let seen = (0..300).any(|_| {
            let word = random_word(random, any_letter(atoms.len()));
            let other = stuttered(&word, random);
            satisfies(formulas, f, &atoms, &word) != satisfies(formulas, f, &atoms, &other)
        });
        assert!(!(invariant && seen), "{text}");
    });
    println!("{} of {} invariant", found[1], found[0] + found[1]);
}

#[test]
fn silent_steps_before_events() {
    let invariant = |text: &str| {
        let mut formulas = Formulas::new();
        let [a, b] = ["a", "b"].map(|n| formulas.atom_id(n));
        let f = parse(text, &mut formulas, &mut FreeVocabulary).unwrap();
        let legal = LegalLetters::at_most_one(vec![a, b]);
        silent_step_invariant(&mut formulas, f, &legal, &Budget::unlimited()).unwrap()
    };
    for safe in [
        "F a",
        "G !a",
        "G(a -> F p)",
        "p U (p & a)",
        "G(a -> F b)",
        "G p",
    ] {
        assert!(invariant(safe), "{safe}");
    }
    for unsafe_ in ["a", "!a", "a U p", "p U a", "G F !a", "X p"] {
        assert!(!invariant(unsafe_), "{unsafe_}");
    }
}

#[test]
fn limits_are_returned_as_stops() {
    let wide: Vec<String> = (0..65).map(|i| format!("p{i}")).collect();
    let (mut formulas, f) = parsed(&wide.join(" & "));
    let result = translate(&mut formulas, f, &LegalLetters::any(), &Budget::unlimited());
    assert!(matches!(result, Err(Stop::Unsupported(_))));

    // Exponentially many ways to fulfil or postpone twelve promises: the work limit ends it.
    let busy = |n: usize| {
        let parts: Vec<String> = (0..n).map(|i| format!("G(p{i} -> F X q{i})")).collect();
        parts.join(" & ")
    };
    let f = parse(&busy(12), &mut formulas, &mut FreeVocabulary).unwrap();
    let budget = Budget::unlimited().with_work(200);
    let result = translate(&mut formulas, f, &LegalLetters::any(), &budget);
    assert!(matches!(result, Err(Stop::Work(_))), "{result:?}");

    // With more promises the moves of the first state exceed the node limit.
    let f = parse(&busy(30), &mut formulas, &mut FreeVocabulary).unwrap();
    let result = translate(&mut formulas, f, &LegalLetters::any(), &Budget::unlimited());
    assert!(matches!(result, Err(Stop::Memory)), "{result:?}");
}

#[test]
fn deep_formulas_do_not_overflow() {
    let mut formulas = Formulas::new();
    let p = formulas.atom_id("p");
    let mut f = formulas.atom(p);
    for _ in 0..500 {
        f = formulas.next(f);
    }
    let a: Automaton = translated(&mut formulas, f);
    assert_eq!(a.states.len(), 502);
    assert!(a.states.iter().flatten().all(|t| t.guard != Guards::FALSE));
}

#[test]
fn very_many_obligations_do_not_overflow() {
    let (mut formulas, f) = parsed("G p | F q");
    let mut parts = Vec::new();
    let mut part = f;
    for _ in 0..1900 {
        part = formulas.next(part);
        parts.push(part);
    }
    let f = formulas.and(parts);
    let budget = Budget::unlimited().with_work(5);
    let result = translate(&mut formulas, f, &LegalLetters::any(), &budget);
    assert!(matches!(result, Err(Stop::Work(_))), "{result:?}");
}

/// Postponing `q U r` is postponing `r`, independently of `q`: here `q` and `q U r` both recur, and
/// never hold together.
#[test]
fn promises_have_separate_marks() {
    let mut formulas = Formulas::new();
    let atoms = ["p", "q", "r", "s"].map(|name| formulas.atom_id(name));
    let text = "G(p -> ((q U r) M s)) & G F q";
    let f = parse(text, &mut formulas, &mut FreeVocabulary).unwrap();
    let word = Word {
        prefix: Vec::new(),
        cycle: [0b1101, 0b1011, 0b1001].map(Letter).to_vec(),
    };
    assert!(satisfies(&formulas, f, &atoms, &word));
    let (a, b) = both(&mut formulas, f, &LegalLetters::any());
    assert!(a.accepts(&over(&a, &atoms, &word)));
    assert!(!b.accepts(&over(&b, &atoms, &word)));
}

/// A safety property, whose automaton has no marks, combined with many recurring or settling
/// conditions.
#[test]
fn the_rest_beside_many_conditions_is_checked() {
    let mut formulas = Formulas::new();
    let atoms = ["a", "b", "p0", "p1", "p2", "p3", "p4"].map(|name| formulas.atom_id(name));
    let recurring = "G(F p0 & F p1 & F p2 & F p3 & F p4 & (a -> X b))";
    let settling = "F G p0 | F G p1 | F G p2 | F G p3 | F G p4 | G a";
    let always = |letter: u64| Word {
        prefix: Vec::new(),
        cycle: vec![Letter(letter)],
    };
    for (text, letter, expected) in [
        (recurring, 0b1111111, true),
        (recurring, 0b1111101, false),
        (recurring, 0b0111111, false),
        (settling, 0b0000001, true),
        (settling, 0b0000010, false),
        (settling, 0b0000100, true),
    ] {
        let f = parse(text, &mut formulas, &mut FreeVocabulary).unwrap();
        let (a, b) = both(&mut formulas, f, &LegalLetters::any());
        for (automaton, expected) in [(a, expected), (b, !expected)] {
            let accepted = automaton.accepts(&over(&automaton, &atoms, &always(letter)));
            assert_eq!(accepted, expected, "{text}: {letter:b}");
        }
    }
}

/// An atom or its negation.
fn literal(formulas: &mut Formulas, random: &mut Random, atom: AtomId) -> Formula {
    let atom = formulas.atom(atom);
    if random.coin() {
        atom
    } else {
        formulas.not(atom)
    }
}

/// A random formula with many recurring conditions, or its negation with many settling ones. Each
/// condition has a separate atom, so simplification cannot remove implied ones.
fn many_conditions(formulas: &mut Formulas, random: &mut Random) -> Formula {
    let mut atoms: Vec<AtomId> = ["p", "q", "r"].map(|n| formulas.atom_id(n)).to_vec();
    let size = 1 + random.below(6);
    let mut parts = vec![drawn(formulas, &atoms, size, random)];
    for i in 0..5 + random.below(3) {
        let own = formulas.atom_id(&format!("own{i}"));
        let mut literals = vec![literal(formulas, random, own)];
        for _ in 0..random.below(3) {
            let other = atoms[random.below(atoms.len())];
            literals.push(literal(formulas, random, other));
        }
        let condition = if random.coin() {
            formulas.or(literals)
        } else {
            formulas.and(literals)
        };
        atoms.push(own);
        let sometime = formulas.finally(condition);
        parts.push(formulas.globally(sometime));
    }
    formulas.and(parts)
}

#[test]
fn many_recurring_or_settling_conditions() {
    let mut random = Random::new(seed());
    let any = LegalLetters::any();
    for case in 0..cases() / 8 {
        let mut formulas = Formulas::new();
        let f = many_conditions(&mut formulas, &mut random);
        let text = format!("case {case}");
        let (a, b) = both(&mut formulas, f, &any);
        assert_disjoint(&a, &b, &any, &text);
        let letter = any_letter(formulas.atoms_of(f).len());
        let words = (0..200).map(|_| random_word(&mut random, &letter));
        assert_words(&formulas, f, [&a, &b], &text, words);
        let not_f = formulas.not(f);
        for g in [f, not_f] {
            assert_labels(&mut formulas, g, &text, &mut random);
        }
    }
}

/// Parts without common atoms, each needed in both polarities. Their tableaux are small, but their
/// states have edges to many ordered classes, which distinguishing sets of classes would make
/// exponential.
#[test]
fn chains_of_parity_do_not_explode() {
    let any = LegalLetters::any();
    let mut random = Random::new(seed());
    for (text, states, edges) in [
        ("((a U X a) xor (b U X b)) xor (c U X c)", 22, 60),
        ("((!a W X !a) xor (!b W X !b)) xor (!c W X !c)", 22, 60),
        (
            "(a U X a) <-> ((b W X b) <-> ((c R X c) <-> (d M X d)))",
            46,
            176,
        ),
        ("F(((a U X a) xor (b U X b)) xor (c U X c))", 51, 140),
    ] {
        let (mut formulas, f) = parsed(text);
        let not_f = formulas.not(f);
        let automata = [f, not_f].map(|g| {
            let budget = Budget::unlimited().with_deadline(Duration::from_secs(30));
            let a = translate(&mut formulas, g, &any, &budget).unwrap();
            let size = (a.states.len(), a.edge_count());
            assert!(size.0 <= states && size.1 <= edges, "{text}: {size:?}");
            a
        });
        let [a, b] = &automata;
        assert_disjoint(a, b, &any, text);
        let letter = any_letter(formulas.atoms_of(f).len());
        let words = (0..500).map(|_| random_word(&mut random, &letter));
        assert_words(&formulas, f, [a, b], text, words);
    }
}

/// A random tree of `xor`, `<->` and some other connectives over small temporal formulas.
fn parity(formulas: &mut Formulas, random: &mut Random) -> Formula {
    let atoms: Vec<AtomId> = ["p", "q", "r", "s"].map(|n| formulas.atom_id(n)).to_vec();
    let mut parts: Vec<Formula> = (0..2 + random.below(3))
        .map(|_| {
            let size = 2 + random.below(4);
            drawn(formulas, &atoms, size, random)
        })
        .collect();
    while parts.len() > 1 {
        let [f, g] = [0; 2].map(|_| parts.swap_remove(random.below(parts.len())));
        parts.push(match random.below(6) {
            0 | 1 => formulas.xor(f, g),
            2 | 3 => formulas.iff(f, g),
            4 => formulas.and([f, g]),
            _ => formulas.or([f, g]),
        });
    }
    parts[0]
}

#[test]
fn nested_parity_of_random_formulas() {
    let mut random = Random::new(seed());
    let any = LegalLetters::any();
    for case in 0..cases() / 2 {
        let mut formulas = Formulas::new();
        let f = parity(&mut formulas, &mut random);
        let text = format!("case {case}");
        let (a, b) = both(&mut formulas, f, &any);
        assert_disjoint(&a, &b, &any, &text);
        let letter = any_letter(formulas.atoms_of(f).len());
        let words = (0..100).map(|_| random_word(&mut random, &letter));
        assert_words(&formulas, f, [&a, &b], &text, words);
        let small = buchi(&a, Placement::Edges, &any, &Budget::unlimited()).unwrap();
        assert_disjoint(&small, &b, &any, &text);
        let words = (0..50).map(|_| random_word(&mut random, &letter));
        assert_words(&formulas, f, [&small, &b], &text, words);
    }
}

/// Fifty recurring conditions need one state with an edge for each; fifty settling ones need a
/// state for each.
#[test]
fn automata_of_many_conditions_are_linear() {
    for n in [14, 20, 50] {
        let conditions: Vec<String> = (0..n).map(|i| format!("G F p{i}")).collect();
        let conjunction = conditions.join(" & ");
        let (mut formulas, f) = parsed(&conjunction);
        let (a, b) = both(&mut formulas, f, &LegalLetters::any());
        assert_eq!((a.states.len(), a.edge_count()), (1, n + 1));
        assert_eq!((b.states.len(), b.edge_count()), (n + 1, 2 * n + 1));
        let text = format!("({conjunction}) -> G(a -> F b)");
        let f = parse(&text, &mut formulas, &mut FreeVocabulary).unwrap();
        let (a, b) = both(&mut formulas, f, &LegalLetters::any());
        assert!(a.states.len() <= n + 3, "{}", a.states.len());
        assert!(b.states.len() <= 3 && b.edge_count() <= 2 * (n + 3));
    }
    // Exceeding the maximum number of marks is an error.
    let conditions: Vec<String> = (0..65)
        .map(|i| format!("G F (p{} & q{})", i % 50, i % 13))
        .collect();
    let (mut formulas, f) = parsed(&conditions.join(" & "));
    let result = translate(&mut formulas, f, &LegalLetters::any(), &Budget::unlimited());
    assert!(matches!(result, Err(Stop::Unsupported(_))), "{result:?}");
}
