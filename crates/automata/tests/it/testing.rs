//! Testing automata: languages of stutter-invariant formulas, sizes, output.

use crate::common::{assert_disjoint, assert_words, both, parsed, random_word, seed, translated};
use lariat_automata::testing::{Ta, Testing, Tgta, write_testing_dot, write_testing_json};
use lariat_automata::{Automaton, LegalLetters, Letter, Word, stutter_invariant};
use lariat_budget::{Budget, Stop};
use lariat_ltl::{
    AtomId, Formula, Formulas, FreeVocabulary, OperatorWeights, Random, parse, random_formula,
};

/// Stutter-invariant formulas, some of them with `X`.
const SHIPPED: &[&str] = &[
    "true",
    "false",
    "p",
    "G p",
    "G !p",
    "F p",
    "G F p",
    "F G p",
    "p U G q",
    "G F p & G F q",
    "!(G F p & G F q & G F r -> G(p -> F q))",
    "G(p -> (q U (G r | G !r)))",
    "F(p & F(q & F r))",
    "F(p & X !p)",
    "p U (p & X(!p & q))",
    "!a & !b & (X(b & X G !b) | ((!a & !b) U ((a & b) U G !b)) | ((!a & !b) U ((!a & b) U G !b)))",
];

fn tgta(a: &Automaton) -> Tgta {
    Tgta::new(a, &Budget::unlimited()).unwrap()
}

fn ta(a: &Automaton) -> Ta {
    Ta::new(a, &Budget::unlimited()).unwrap()
}

fn check(formulas: &mut Formulas, f: Formula, text: &str, random: &mut Random) {
    let (a, b) = both(formulas, f, &LegalLetters::any());
    let atoms = formulas.atoms_of(f).len();
    let letter = |random: &mut Random| Letter(random.bits() & ((1 << atoms) - 1));
    let generalized = [tgta(&a).to_automaton(), tgta(&b).to_automaton()];
    let buchi = [ta(&a).to_automaton(), ta(&b).to_automaton()];
    let unlimited = Budget::unlimited();
    let published = [&a, &b].map(|a| Tgta::published(a, &unlimited).unwrap().to_automaton());
    let published_buchi = [&a, &b].map(|a| Ta::published(a, &unlimited).unwrap().to_automaton());
    for [x, y] in [&generalized, &buchi, &published, &published_buchi] {
        assert_disjoint(x, &b, &LegalLetters::any(), text);
        assert_disjoint(y, &a, &LegalLetters::any(), text);
        let words = (0..60).map(|_| random_word(random, letter));
        assert_words(formulas, f, [x, y], text, words);
    }
}

/// The reduced automata apply more reductions than the published ones.
#[test]
fn published_automata_are_not_smaller() {
    let unlimited = Budget::unlimited();
    let mut larger = 0;
    for text in SHIPPED {
        let (mut formulas, f) = parsed(text);
        let (a, _) = both(&mut formulas, f, &LegalLetters::any());
        let size = |testing: &Testing| testing.states.len();
        let pairs = [
            (
                size(&tgta(&a).0),
                size(&Tgta::published(&a, &unlimited).unwrap().0),
            ),
            (
                size(&ta(&a).0),
                size(&Ta::published(&a, &unlimited).unwrap().0),
            ),
        ];
        for (ours, published) in pairs {
            // The reduced automaton may have an additional sink.
            assert!(ours <= published + 1, "{text}: {ours} and {published}");
            larger += u32::from(ours < published);
        }
    }
    assert!(larger > 0);
}

/// Every change is accepted, but not the absence of changes: the prefix is not yet evidence.
#[test]
fn staying_indefinitely_is_a_continuation() {
    let (mut formulas, f) = parsed("(p & F !p) | (!p & F p)");
    let (a, _) = both(&mut formulas, f, &LegalLetters::any());
    for testing in [ta(&a).0, tgta(&a).0] {
        let forever = testing.accepting_forever();
        assert!(forever.contains(&true), "{forever:?}");
        let mut initial = testing.initial.iter();
        assert!(initial.all(|(q, _)| !forever[q.index()]), "{forever:?}");
    }
}

#[test]
fn both_kinds_preserve_the_language() {
    let mut random = Random::new(seed());
    for text in SHIPPED {
        let (mut formulas, f) = parsed(text);
        let invariant =
            stutter_invariant(&mut formulas, f, &LegalLetters::any(), &Budget::unlimited());
        assert_eq!(invariant, Ok(true), "{text}");
        check(&mut formulas, f, text, &mut random);
    }
    let mut invariant_with_next = 0;
    for case in 0..lariat_corpora::cases(400) {
        let mut formulas = Formulas::new();
        let atoms: Vec<AtomId> = ["p", "q", "r"].map(|n| formulas.atom_id(n)).to_vec();
        let with_next = random.chance(1, 3);
        let weights = if with_next {
            &OperatorWeights::ALL
        } else {
            &OperatorWeights::X_FREE
        };
        let size = 3 + random.below(12);
        let f = random_formula(&mut formulas, &atoms, size, weights, &mut random);
        let unlimited = Budget::unlimited();
        if with_next
            && stutter_invariant(&mut formulas, f, &LegalLetters::any(), &unlimited) != Ok(true)
        {
            continue;
        }
        invariant_with_next += usize::from(with_next);
        let text = format!("random formula {case}: {:?}", formulas.node(f));
        check(&mut formulas, f, &text, &mut random);
    }
    println!("{invariant_with_next} invariant formulas with X");
}

/// An automaton without marks: staying where no letter can be read must not accept.
#[test]
fn without_marks_not_every_loop_accepts() {
    let (mut formulas, f) = parsed("G p");
    let (a, _) = both(&mut formulas, f, &LegalLetters::any());
    assert_eq!(a.mark_count, 0);
    let word = |letter| Word {
        prefix: vec![],
        cycle: vec![Letter(letter)],
    };
    for t in [tgta(&a).to_automaton(), ta(&a).to_automaton()] {
        assert!(t.accepts(&word(1)) && !t.accepts(&word(0)));
    }
}

/// The word that never changes is accepted, which requires livelock states.
#[test]
fn everything_accepts_the_word_that_never_changes() {
    let (mut formulas, f) = parsed("true");
    let (a, _) = both(&mut formulas, f, &LegalLetters::any());
    for Testing {
        states, initial, ..
    } in [tgta(&a).0, ta(&a).0]
    {
        assert_eq!((states.len(), initial.len()), (1, 1));
        assert!(states[0].livelock && states[0].changes.is_empty());
    }
}

#[test]
fn small_formulas_have_small_automata() {
    let sizes = |text: &str| {
        let (mut formulas, f) = parsed(text);
        let (a, _) = both(&mut formulas, f, &LegalLetters::any());
        (tgta(&a).0.states.len(), ta(&a).0.states.len())
    };
    // p changes forever, or is finally true.
    assert_eq!(sizes("G F p"), (2, 2));
    assert_eq!(sizes("F p"), (2, 2));
    let (generalized, buchi) = sizes("G F p & G F q");
    assert!(generalized <= 4 && buchi <= 11, "{generalized} {buchi}");
    let (generalized, buchi) = sizes("p U G q");
    assert!(generalized <= 7 && buchi <= 8, "{generalized} {buchi}");
}

#[test]
fn too_many_atoms_are_rejected() {
    let mut formulas = Formulas::new();
    let text: Vec<String> = (0..20).map(|i| format!("p{i}")).collect();
    let text = format!("G({})", text.join(" | "));
    let f = parse(&text, &mut formulas, &mut FreeVocabulary).unwrap();
    let unlimited = Budget::unlimited();
    let a = translated(&mut formulas, f);
    let refusal = Tgta::new(&a, &unlimited);
    assert!(matches!(refusal, Err(Stop::Unsupported(_))));
    let refusal = Ta::new(&a, &unlimited);
    assert!(matches!(refusal, Err(Stop::Unsupported(_))));
}

#[test]
fn output_names_changes() {
    let (mut formulas, f) = parsed("F p");
    let (a, _) = both(&mut formulas, f, &LegalLetters::any());
    let t = tgta(&a).0;
    let mut dot = String::new();
    write_testing_dot(&t, "F p", |_| "p".to_owned(), &mut dot).unwrap();
    assert!(dot.contains("[label=\"{p}\"]"), "{dot}");
    assert!(dot.contains("style=dashed"), "{dot}");
    let mut json = String::new();
    write_testing_json(&t, "F p", "tgta", |_| "p".to_owned(), &mut json).unwrap();
    assert!(json.starts_with(r#"{"schema":1,"name":"F p","kind":"tgta","atoms":["p"]"#));
    assert!(json.contains(r#""changed":[[1]]"#), "{json}");
}
