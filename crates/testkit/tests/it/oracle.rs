//! Tests of the oracle on fixed cases and against a second brute-force check, and of its
//! interpreter against the reference semantics.

use lariat_model::{BinaryOp, Deadlock, Expr, Predicate, Proposition, System};
use lariat_testkit::harness::Campaign;
use lariat_testkit::oracle::Reachable;
use lariat_testkit::{Case, cases, interpret, lassos, oracle, tableau};

/// Direct evaluation confirms the lasso of a violated formula; no short lasso violates a formula
/// that holds. Together, this checks the tableau and the search.
#[test]
fn the_oracle_agrees_with_enumerated_lassos() {
    let campaign = Campaign::from_env(1500);
    let (mut holds, mut violated, mut vacuous) = (0, 0, 0);
    for seed in campaign.seeds() {
        let base = Case::random(seed);
        let all = Reachable::explore(&base.system, 400).unwrap();
        for case in base.variants() {
            let propositions = case.propositions();
            let graph = all.under(case.deadlock);
            let (system, formula) = (&case.system, &case.formula);
            match oracle::violation(system, &propositions, &graph, formula, &[]) {
                Some(lasso) => {
                    violated += 1;
                    let checked = case.check(&lasso);
                    assert_eq!(checked, Ok(()), "seed {seed}\n{case}\n{lasso:?}");
                }
                None => {
                    holds += 1;
                    let found =
                        lassos::short_violation(system, &propositions, &graph, formula, 9, 2000);
                    assert!(!found, "seed {seed}: a short lasso violates\n{case}");
                    vacuous += usize::from(!graph.has_infinite_run());
                }
            }
        }
    }
    // The generators must not degenerate: both answers are frequent, vacuity occurs.
    println!("{holds} hold ({vacuous} vacuously), {violated} violated");
    if campaign.cases >= 500 {
        assert!(holds > violated / 4 && violated > holds / 4 && vacuous > 0);
    }
}

/// A formula and its negation both hold only under `Ignore`, without infinite runs.
#[test]
fn both_hold_only_without_infinite_runs() {
    for seed in Campaign::from_env(300).seeds() {
        let case = Case::random(seed);
        let all = Reachable::explore(&case.system, 400).unwrap();
        let [a, b, c, d] = case.variants().map(|v| v.oracle().is_none());
        assert!(!(a && b), "seed {seed}\n{case}");
        let infinite = all.under(Deadlock::Ignore).has_infinite_run();
        assert_eq!(c && d, !infinite, "seed {seed}\n{case}");
    }
}

#[test]
fn the_interpreter_agrees_with_the_reference_semantics() {
    for seed in Campaign::from_env(1500).seeds() {
        let case = Case::random(seed);
        let system = &case.system;
        for state in &Reachable::explore(system, 400).unwrap().states {
            for event in system.event_ids() {
                let mut reference = system.successors(state, event);
                reference.sort();
                reference.dedup();
                let mut own = interpret::after(system, state, event);
                own.sort();
                assert_eq!(own, reference, "seed {seed}, {event:?}\n{case}");
            }
            let dead = interpret::satisfies(system, state, &Predicate::Deadlock);
            assert_eq!(dead, system.is_deadlock(state));
            for proposition in case.propositions() {
                if let Proposition::State(p) = proposition {
                    let own = interpret::satisfies(system, state, &p);
                    assert_eq!(own, system.holds(&p, state), "seed {seed}, {p:?}\n{case}");
                }
            }
        }
    }
}

#[test]
fn the_oracle_decides_the_fixed_cases() {
    for fixed in cases::all() {
        let found = fixed.case.oracle();
        let (name, case) = (fixed.name, &fixed.case);
        assert_eq!(found.is_none(), fixed.holds, "{name}\n{case}");
        if let Some(lasso) = found {
            assert_eq!(fixed.case.check(&lasso), Ok(()), "{}", fixed.name);
        }
        if let Some(automaton) = &fixed.automaton {
            let system = &fixed.case.system;
            let graph = case.graph();
            let run = oracle::accepted(system, &case.propositions(), &graph, automaton);
            assert_eq!(run.is_none(), fixed.holds, "{}", fixed.name);
        }
    }
}

/// The closure construction of the oracle agrees with the tableau.
#[test]
fn tableau_and_oracle_agree() {
    for seed in Campaign::from_env(1000).seeds() {
        let base = Case::random(seed);
        let all = Reachable::explore(&base.system, 1000).unwrap();
        for case in base.variants() {
            let Some(automaton) = tableau::buchi(&case.formula.negated(), 1000) else {
                continue;
            };
            let graph = all.under(case.deadlock);
            let run = oracle::accepted(&case.system, &case.propositions(), &graph, &automaton);
            let expected = case.oracle().is_some();
            assert_eq!(run.is_some(), expected, "seed {seed}\n{case}");
            if let Some(run) = run {
                assert_eq!(case.check(&run), Ok(()), "seed {seed}\n{case}");
            }
        }
    }
}

/// Results that do not fit into 32 bits.
#[test]
fn the_interpreter_truncates_like_the_reference_semantics() {
    let [least, most] = [i32::MIN, i32::MAX].map(i64::from);
    let values = [0, 1, -1, 3, 31, 32, 65_536, most, least, 1 << 40];
    let system = System::default();
    use BinaryOp::*;
    for op in [
        Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr, Lt, Eq,
    ] {
        for (x, y) in values.iter().flat_map(|x| values.map(|y| (*x, y))) {
            let operation = Expr::Binary(op, Box::new(Expr::Const(x)), Box::new(Expr::Const(y)));
            for wanted in [0, i64::from(i32::MIN), -2, 3] {
                let wanted_value = Box::new(Expr::Const(wanted));
                let p =
                    Predicate::Expr(Expr::Binary(Eq, Box::new(operation.clone()), wanted_value));
                let own = interpret::satisfies(&system, &[], &p);
                assert_eq!(own, system.holds(&p, &[]), "{x} {op:?} {y} = {wanted}");
            }
        }
    }
}
