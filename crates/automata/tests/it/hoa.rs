//! HOA output and input, against an independent parser, and with malformed input.

use crate::common::{assert_disjoint, drawn, parsed, satisfies, seed, translated};
use hoars::{AbstractLabelExpression, HoaRepresentation, LabelExpression};
use lariat_automata::{
    Automaton, LegalLetters, Letter, Placement, StateId, Word, degeneralize, disjoint, read_hoa,
    translate, write_dot, write_hoa, write_json, write_never,
};
use lariat_budget::Budget;
use lariat_emptiness::Marks;
use lariat_ltl::{Formula, Formulas, FreeVocabulary, Random, parse};

fn hoa(a: &Automaton, formulas: &Formulas) -> String {
    let mut out = String::new();
    let name = |x| formulas.atom_name(x).to_owned();
    write_hoa(a, "a \"name\" with \\", name, &mut out).unwrap();
    out
}

fn read(text: &str, formulas: &mut Formulas) -> Result<Automaton, String> {
    read_hoa(text, &mut |name| Ok(formulas.atom_id(name)))
        .map(|hoa| hoa.automaton)
        .map_err(|e| {
            assert!(
                e.span.start <= e.span.end && e.span.end <= text.len(),
                "{e:?}"
            );
            e.message
        })
}

fn automata(mut check: impl FnMut(&mut Formulas, Formula, Automaton)) {
    let mut random = Random::new(seed());
    for _ in 0..100 {
        let mut formulas = Formulas::new();
        let atoms = ["p", "q >= \"2\"", "r"].map(|n| formulas.atom_id(n));
        let size = 3 + random.below(10);
        let f = drawn(&mut formulas, &atoms, size, &mut random);
        let a = translated(&mut formulas, f);
        let b = degeneralize(&a, Placement::States);
        check(&mut formulas, f, a);
        check(&mut formulas, f, b);
    }
}

#[test]
fn written_automata_are_read_back() {
    automata(|formulas, f, a| {
        let text = hoa(&a, formulas);
        let b = read(&text, formulas).unwrap();
        assert_eq!(b.edge_count(), a.edge_count());
        assert_eq!(b.mark_count, a.mark_count);
        let not_f = formulas.not(f);
        let not_a = translated(formulas, not_f);
        assert_disjoint(&b, &not_a, &LegalLetters::any(), &text);
        assert_eq!(hoa(&b, formulas).len(), text.len());
    });
}

fn holds(label: &AbstractLabelExpression, letter: Letter) -> bool {
    match label {
        AbstractLabelExpression::Boolean(value) => *value,
        AbstractLabelExpression::Integer(i) => letter.0 >> i & 1 == 1,
        AbstractLabelExpression::Negated(inner) => !holds(inner, letter),
        AbstractLabelExpression::Conjunction(all) => all.iter().all(|x| holds(x, letter)),
        AbstractLabelExpression::Disjunction(any) => any.iter().any(|x| holds(x, letter)),
    }
}

#[test]
fn an_independent_parser_reads_the_same_automaton() {
    automata(|_, _, a| {
        // That parser supports neither automata without initial state nor quotes inside of names.
        if a.initial.is_empty() {
            return;
        }
        let mut text = String::new();
        write_hoa(&a, "name", |x| format!("x{}", x.0), &mut text).unwrap();
        let other =
            HoaRepresentation::try_from(&text[..]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(other.num_states(), Some(a.states.len()));
        assert_eq!(other.aps().len(), a.atoms.len());
        assert_eq!(other.start().len(), a.initial.len());
        for state in other.body().iter() {
            let ours = a.transitions(StateId(state.id()));
            assert_eq!(state.edges().len(), ours.len(), "{text}");
            for (edge, t) in state.edges().iter().zip(ours) {
                assert_eq!(edge.target(), Some(t.to.0));
                for letter in (0..1 << a.atoms.len()).map(Letter) {
                    let theirs = match &edge.label().0 {
                        LabelExpression::Abstract(label) => holds(label, letter),
                        LabelExpression::Expression(_) => unreachable!("labels are not compiled"),
                    };
                    assert_eq!(theirs, a.guards.accepts(t.guard, letter), "{text}");
                }
            }
        }
    });
}

#[test]
fn alternative_spellings() {
    let mut formulas = Formulas::new();
    // Marks and labels on states, an alias, a comment, sparse states, two initial states.
    let text = r#"HOA: v1 /* a /* nested */ comment */
        States: 900
        Start: 7 Start: 3
        AP: 2 "a" "b"
        Alias: @both 0 & 1
        acc-name: generalized-Buchi 2
        Acceptance: 3 (Inf(0)) & Inf(2)
        tool: "another" "1.0"
        properties: state-acc colored
        --BODY--
        State: [@both | !(!0 | 1)] 7 "first" {0}
          3
        State: 3 {1 2}
          [t] 7
          [!0] 3 {0}
        --END-- HOA: v1 and so on"#;
    let a = read(text, &mut formulas).unwrap();
    assert_eq!((a.initial.len(), a.mark_count, a.edge_count()), (2, 2, 3));
    let f = parse("a", &mut formulas, &mut FreeVocabulary).unwrap();
    assert_eq!(formulas.atoms_of(f)[0], a.atoms[0]);
    let first = a.transitions(a.initial[0])[0];
    assert_eq!(a.guards.support(first.guard), 0b01, "simply a");

    let implicit = r#"HOA: v1 Start: 0 AP: 1 "a" Acceptance: 0 t --BODY--
        State: 0 1 0 State: 1 1 1 --END--"#;
    let a = read(implicit, &mut formulas).unwrap();
    assert_eq!(a.edge_count(), 3);
    let nothing = "HOA: v1 Start: 0 Acceptance: 0 f --BODY-- State: 0 [t] 0 --END--";
    assert!(read(nothing, &mut formulas).unwrap().initial.is_empty());
}

/// Marks may be on a state and on its edges at the same time.
#[test]
fn edges_inherit_the_marks_of_their_state() {
    let text =
        "HOA: v1 Start: 0 Acceptance: 2 Inf(0) & Inf(1) --BODY-- State: 0 {0} [t] 0 {1} --END--";
    let a = read(text, &mut Formulas::new()).unwrap();
    assert_eq!(a.states[0][0].marks, Marks::all(2));
}

/// The acceptance condition uses only the second and the fourth of four sets.
#[test]
fn unused_acceptance_sets_leave_no_gaps() {
    let text = r#"HOA: v1 Start: 0 AP: 1 "a" Acceptance: 4 Inf(1) & Inf(3) --BODY--
        State: 0 [0] 0 {0 1} [!0] 0 {2 3} --END--"#;
    let a = read(text, &mut Formulas::new()).unwrap();
    assert_eq!(a.mark_count, 2);
    let mut marks: Vec<Marks> = a.states[0].iter().map(|t| t.marks).collect();
    marks.sort_unstable();
    assert_eq!(marks, [Marks::one(0), Marks::one(1)]);
}

/// The translation creates one initial state, files may have several.
#[test]
fn every_initial_state_is_written() {
    let mut formulas = Formulas::new();
    let text =
        "HOA: v1 Start: 0 Start: 1 Acceptance: 0 t --BODY-- State: 0 [t] 0 State: 1 [t] 1 --END--";
    let a = read(text, &mut formulas).unwrap();
    let again = read(&hoa(&a, &formulas), &mut formulas).unwrap();
    assert_eq!(again.initial, [StateId(0), StateId(1)]);
}

/// Co-Büchi acceptance, alone and combined with Büchi: the language equals that of the formula.
#[test]
fn co_buchi_acceptance_is_supported() {
    let automaton = |acceptance: &str, body: &str| {
        format!(
            "HOA: v1 Start: 0 AP: 2 \"a\" \"b\" Acceptance: {acceptance} --BODY-- {body} --END--"
        )
    };
    // Letters without `a` are taken finitely often.
    let one = "State: 0 [0] 0 [!0] 0 {0}";
    let with_b = "State: 0 [0&1] 0 {1} [0&!1] 0 [!0] 0 {0}";
    // Weak: after `a` there are no co-Büchi edges.
    let weak = "State: 0 [!0] 0 {0} [0] 1 State: 1 [t] 1";
    for (text, formula) in [
        (automaton("1 Fin(0)", one), "F G a"),
        (automaton("2 Fin(0) & Inf(1)", with_b), "F G a & G F b"),
        (automaton("1 Fin(0)", weak), "F a"),
        (automaton("2 Fin(0) & Fin(1)", with_b), "F G (a & !b)"),
        (automaton("1 Fin(0) & Inf(0)", one), "false"),
    ] {
        let mut formulas = Formulas::new();
        let a = read(&text, &mut formulas).unwrap();
        for (formula, common) in [
            (formula.to_owned(), formula != "false"),
            (format!("!({formula})"), false),
        ] {
            let f = parse(&formula, &mut formulas, &mut FreeVocabulary).unwrap();
            let budget = Budget::unlimited();
            let b = translate(&mut formulas, f, &LegalLetters::any(), &budget).unwrap();
            let apart = disjoint(&a, &b, &LegalLetters::any(), &budget).unwrap();
            assert_eq!(apart, !common, "{text} and {formula}");
        }
        // Converse inclusion, on samples: words of the formula are accepted.
        let f = parse(formula, &mut formulas, &mut FreeVocabulary).unwrap();
        let mut random = Random::new(7);
        for _ in 0..200 {
            let mut letters =
                |n: usize| -> Vec<Letter> { (0..n).map(|_| Letter(random.below(4u64))).collect() };
            let word = Word {
                prefix: letters(3),
                cycle: letters(2),
            };
            let holds = satisfies(&formulas, f, &a.atoms, &word);
            assert_eq!(a.accepts(&word), holds, "{text}: {word:?}");
        }
    }
}

#[test]
fn unsupported_input_is_rejected() {
    let mut formulas = Formulas::new();
    let mut rejected = |header: &str, body: &str, why: &str| {
        let text = format!("HOA: v1 AP: 1 \"a\" {header} --BODY-- {body} --END--");
        let message = read(&text, &mut formulas).unwrap_err();
        assert!(message.contains(why), "{text}: {message}");
    };
    let state = "State: 0 [t] 0";
    rejected("Acceptance: 2 Fin(0)|Inf(1)", state, "autfilt --gba");
    rejected("Acceptance: 2 Inf(0)|Inf(1)", state, "generalized Büchi");
    rejected("Acceptance: 1 Inf(!0)", state, "generalized Büchi");
    rejected("Acceptance: 1 Fin(!0)", state, "generalized Büchi");
    rejected("Acceptance: 65 Inf(0)", state, "at most 64");
    rejected("Acceptance: 1 Inf(1)", state, "no such acceptance set");
    rejected("Start: 0", state, "no `Acceptance:`");
    rejected("Acceptance: 0 t Start: 0&1", state, "alternating");
    rejected(
        "Acceptance: 0 t",
        "State: 0 [1] 0",
        "no atomic proposition 1",
    );
    rejected("Acceptance: 0 t", "State: 0 [@x] 0", "not defined");
    rejected("Acceptance: 0 t", "State: 0 [(0] 0", "expected `)`");
    rejected("Acceptance: 0 t", "State: 0 0 0 0", "letters");
    rejected("Acceptance: 0 t", "State: 0 State: 0", "defined twice");
    rejected("Acceptance: 0 t States: 1", "State: 0 [t] 1", "no state 1");
    rejected("Acceptance: 0 t Fancy: 1", state, "not supported");
    let marked = "State: 0 [t] 0 {1}";
    rejected(
        "Acceptance: 1 Inf(0)",
        marked,
        "no acceptance set 1, only 1",
    );
    let marked = "State: 0 {0} [t] 0";
    rejected("Acceptance: 0 t", marked, "no acceptance set 0, only 0");
    let open = "State: 0 [t] 1";
    rejected(
        "Acceptance: 0 t States: 2 Start: 0",
        open,
        "state 1 is not defined",
    );
    rejected("Acceptance: 0 t Start: 7", state, "state 7 is not defined");
    rejected(
        "Acceptance: 0 t",
        "State: 0 [t] 0 --END-- [t] 0",
        "after the automaton",
    );
    rejected("Acceptance: 99999999999999999999 t", state, "too large");
    let deep = format!("State: 0 [{}", "(!".repeat(200_000));
    rejected("Acceptance: 0 t", &deep, "expected");
    for text in [
        "",
        "HOA:",
        "HOA: v2",
        "never { }",
        "HOA: v1 --BODY--",
        "\u{0}",
    ] {
        read(text, &mut Formulas::new()).unwrap_err();
    }
}

#[test]
fn mutated_input_never_panics() {
    let mut random = Random::new(seed());
    let (mut formulas, f) = parsed("G(p -> X(q U r)) & G F p");
    let a = translated(&mut formulas, f);
    let text = hoa(&a, &formulas);
    let pieces = [
        "[",
        "]",
        "{",
        "}",
        "(",
        "!",
        "&",
        "|",
        "@x",
        "0",
        "64",
        "999999999999",
        "\"",
        "State:",
        "Start: 5",
        "--END--",
        "--ABORT--",
        "/*",
        "*/",
        "é",
        "AP: 3",
        "Inf(0)",
        "t",
        "f",
        " ",
    ];
    let mut accepted = 0;
    for _ in 0..5000 {
        let mut mutant: Vec<char> = text.chars().collect();
        for _ in 0..1 + random.below(4) {
            let at = random.below(mutant.len());
            match random.below(3) {
                0 => {
                    let until = (at + 1 + random.below(20)).min(mutant.len());
                    mutant.drain(at..until);
                }
                1 => {
                    let piece = pieces[random.below(pieces.len())];
                    mutant.splice(at..at, piece.chars());
                }
                _ => mutant.truncate(at.max(1)),
            }
            if mutant.is_empty() {
                mutant.push(' ');
            }
        }
        let mutant: String = mutant.into_iter().collect();
        accepted += usize::from(read(&mutant, &mut formulas.clone()).is_ok());
    }
    println!("{accepted} of 5000 mutants are still automata");
}

#[test]
fn never_claims_pictures_and_json() {
    let (mut formulas, f) = parsed("!G(p -> F q)");
    let a = translated(&mut formulas, f);
    let name = |x| formulas.atom_name(x).to_owned();
    let mut never = String::new();
    write_never(&a, "!G(p -> F q) */", name, &mut never).unwrap();
    assert!(never.starts_with("never { /* !G(p -> F q) * / */\nT0_init:\n"));
    assert!(
        never.contains(":: ((p) && !(q)) -> goto accept_S1"),
        "{never}"
    );
    let mut dot = String::new();
    write_dot(&a, "\"quoted\"", name, &mut dot).unwrap();
    assert!(
        dot.contains("label=\"\\\"quoted\\\"\"") && dot.contains("p & !q"),
        "{dot}"
    );
    let mut json = String::new();
    write_json(&a, "x", name, &mut json).unwrap();
    assert!(
        json.starts_with("{\"schema\":1,\"name\":\"x\",\"atoms\":[\"p\",\"q\"],\"marks\":1,"),
        "{json}"
    );

    let f = parse("false", &mut formulas, &mut FreeVocabulary).unwrap();
    let empty = translated(&mut formulas, f);
    let mut never = String::new();
    write_never(&empty, "", |_| String::new(), &mut never).unwrap();
    assert!(never.contains("false;"));
}
