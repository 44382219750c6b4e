//! Simplified formulas agree with the original on every run.

use crate::automata::{accepts, of_atoms};
use crate::explorer::explore;
use crate::nets;
use lariat_automata::{LegalLetters, translate};
use lariat_budget::Budget;
use lariat_ltl::{
    AtomId, Formulas, FreeVocabulary, OperatorWeights, Syntax, parse, print, random_formula,
};
use lariat_model::generate::{Family, generate};
use lariat_model::{Comparison, Deadlock, EventId, Linear, Predicate, Proposition, System, VarId};
use lariat_structural::Facts;
use lariat_testkit::Random;

const CUT: usize = 120;
const CASES: usize = 1000;

#[test]
fn simplified_formulas_agree_on_all_runs() {
    let first = lariat_corpora::seed(1);
    let budget = Budget::unlimited();
    let (mut folded, mut merged, mut ended) = (0, 0, 0);
    for seed in (first..).take(lariat_corpora::cases(CASES)) {
        let mut rng = Random::new(seed);
        let system = nets::random(&mut rng);
        let explored = explore(&system, CUT);
        let context = format!("LARIAT_SEED={seed} LARIAT_CASES=1\n{system:?}");
        let mut facts = Facts::of(&system);
        for deadlock in [Deadlock::Stutter, Deadlock::Ignore] {
            let mut s = Formulas::new();
            let atoms: Vec<AtomId> = ["a", "b", "c"].map(|a| s.atom_id(a)).into();
            let mut meaning = [0; 3].map(|_| nets::proposition(&mut rng, &system));
            if let Proposition::State(same) = &meaning[0]
                && rng.percent(30)
            {
                meaning[1] = Proposition::State(Predicate::Not(Box::new(same.clone())));
            }
            let size = 3 + rng.below(7);
            let f = random_formula(&mut s, &atoms, size, &OperatorWeights::ALL, &mut rng);
            let f = match rng.below(4) {
                0 => {
                    let sometime = s.finally(f);
                    s.globally(sometime)
                }
                1 => {
                    let always = s.globally(f);
                    s.finally(always)
                }
                _ => f,
            };
            let simple = facts.simplify(&mut s, f, &meaning, deadlock, &budget);
            let simple = simple.unwrap();
            folded += simple.constants.len();
            merged += simple.same.len();
            ended += usize::from(simple.finite_runs);
            let differ = s.xor(f, simple.formula);
            let automaton = translate(&mut s, differ, &LegalLetters::any(), &budget).unwrap();
            let own = of_atoms(&automaton, &meaning);
            let texts = [f, simple.formula].map(|f| print(&s, f, Syntax::Spot));
            assert!(
                !accepts(&system, &explored, &automaton, &own, deadlock),
                "{deadlock:?} {texts:?}\n{context}\n{meaning:?}\n{simple:?}"
            );
        }
    }
    println!("{folded} constants, {merged} merged, {ended} ended");
    if lariat_corpora::cases(CASES) >= CASES {
        assert!(folded > 500 && merged > 50 && ended > 20);
    }
}

#[test]
fn equal_atoms_are_recognised() {
    let system = generate(Family::Philosophers, 2).unwrap();
    let mut s = Formulas::new();
    let mut simplified = |text: &str| {
        let f = parse(text, &mut s, &mut FreeVocabulary).unwrap();
        let thinking = VarId(1);
        let meaning = [
            Proposition::State(Predicate::compare(thinking, Comparison::Ge, 1)),
            Proposition::State(Predicate::Enabled(vec![EventId(0)])),
            Proposition::State(Predicate::compare(thinking, Comparison::Eq, 0)),
            Proposition::State(Predicate::compare(thinking, Comparison::Ge, 2)),
        ];
        let budget = Budget::unlimited();
        let mut facts = Facts::of(&system);
        let simple = facts.simplify(&mut s, f, &meaning, Deadlock::Stutter, &budget);
        print(&s, simple.unwrap().formula, Syntax::Spot)
    };
    // a: thinking, b: getting hungry is possible, c: not thinking, d: thinking twice.
    assert_eq!(simplified("G(a <-> b) & (a | !a) & (c | c) & (d | d)"), "0");
    assert_eq!(simplified("G(a <-> b)"), "1");
    assert_eq!(
        simplified("G(a xor (b U c)) | F(a & a)"),
        simplified("G(a xor (a U !a)) | F a")
    );
}

/// Returns whether facts prove the two atoms equal.
fn are_the_same(system: &System, a: Proposition, b: Proposition) -> bool {
    let mut s = Formulas::new();
    let f = parse("G(a <-> b)", &mut s, &mut FreeVocabulary).unwrap();
    let (mut facts, budget) = (Facts::of(system), Budget::unlimited());
    let simple = facts.simplify(&mut s, f, &[a, b], Deadlock::Stutter, &budget);
    simple.unwrap().formula == Formulas::TRUE
}

/// Only the events with the least needs matter for a disjunction of enabled events.
#[test]
fn enabledness_depends_on_the_least_needs() {
    let test: [&[_]; 3] = [&[(0, 1, 1)], &[(0, 2, 2)], &[(0, 1, 1), (1, 1, 1)]];
    let change: [&[_]; 3] = [&[(0, 0, 1)], &[(0, 1, 0)], &[(1, 1, 0)]];
    let system = nets::net(&[1, 1], &[test, change].concat());
    let enabled = |events: &[u32]| {
        let events = events.iter().map(|e| EventId(*e)).collect();
        Proposition::State(Predicate::Enabled(events))
    };
    let least = |tokens| Proposition::State(Predicate::compare(VarId(0), Comparison::Ge, tokens));
    let same = |a, b| are_the_same(&system, a, b);
    assert!(same(enabled(&[0, 1, 2]), least(1)) && same(enabled(&[1]), least(2)));
    assert!(!same(enabled(&[0, 1, 2]), least(2)) && !same(enabled(&[1]), least(1)));
    assert!(!same(enabled(&[0]), enabled(&[2])) && !same(enabled(&[2]), least(1)));
}

/// Both places are filled and emptied freely, so only predicates equal in all markings are equal.
#[test]
fn comparisons_have_one_form() {
    use Comparison::{Eq, Ge, Gt, Le};
    let system = nets::net(
        &[1, 1],
        &[&[(0, 0, 1)], &[(0, 1, 0)], &[(1, 0, 1)], &[(1, 1, 0)]],
    );
    let sum = |factor, comparison, constant| {
        Predicate::Linear(Linear {
            terms: vec![(VarId(0), 1), (VarId(1), factor)],
            comparison,
            constant,
        })
    };
    let same = |a, b| are_the_same(&system, Proposition::State(a), Proposition::State(b));
    assert!(same(sum(1, Gt, 1), sum(1, Ge, 2)) && !same(sum(1, Gt, 1), sum(1, Ge, 1)));
    // A sum of at most 0 is 0, unless a coefficient is negative.
    assert!(same(sum(1, Eq, 0), sum(1, Le, 0)) && !same(sum(-1, Eq, 0), sum(-1, Le, 0)));
    // Neutral and absorbing constants of conjunctions and disjunctions.
    let with = |value| vec![Predicate::Const(value), sum(1, Ge, 2)];
    assert!(same(Predicate::And(with(true)), sum(1, Ge, 2)));
    assert!(same(Predicate::Or(with(false)), sum(1, Ge, 2)));
    assert!(same(Predicate::And(with(false)), Predicate::Const(false)));
    assert!(same(Predicate::Or(with(true)), Predicate::Const(true)));
}
