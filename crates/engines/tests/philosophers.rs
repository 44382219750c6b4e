//! Fifty and a hundred philosophers have 10^31 and 10^62 states: what no list of states can hold, the
//! engines on sets decide, holding properties included.

use lariat_automata::{Legal, translate};
use lariat_budget::{Budget, Quiet, Stats};
use lariat_engines::{Engine, Invariance, Outcome, Problem, el, owcty, slap, slap_fst};
use lariat_model::generate::{Family, generate};
use lariat_model::{Deadlock, Names, Properties};

fn decide(engine: Engine, philosophers: u32, formula: &str, deadlock: Deadlock) -> bool {
    let system = generate(Family::Philosophers, philosophers).unwrap();
    let mut properties = Properties::new();
    properties
        .add_formula(&Names::of(&system), "test", None, formula)
        .unwrap();
    let budget = Budget::unlimited();
    let negation = properties.formulas.not(properties.list[0].formula);
    let automaton = translate(&mut properties.formulas, negation, &Legal::any(), &budget).unwrap();
    let propositions: Vec<_> = automaton
        .atoms
        .iter()
        .map(|atom| properties.propositions[atom.index()].clone())
        .collect();
    let problem = Problem {
        system: &system,
        automaton: &automaton,
        propositions: &propositions,
        deadlock,
        invariance: Invariance::default(),
        most_tokens: None,
    };
    let mut stats = Stats::default();
    match engine(&problem, &budget, &Quiet, &mut stats) {
        Ok(Outcome::Empty) => true,
        Ok(Outcome::Accepting(lasso)) => {
            assert_eq!(
                lasso.cycle.last().map(|step| &step.state),
                Some(lasso.entry())
            );
            false
        }
        other => panic!("{other:?} with {stats:?}"),
    }
}

#[test]
fn many_philosophers() {
    let cases = [
        (r#"G !("HasLeft_2 = 1" & "HasRight_1 = 1")"#, true),
        ("F deadlock", false),
        (r#"G ("WaitsLeft_1 = 1" -> F "HasLeft_1 = 1")"#, false),
        (r#"G ("HasLeft_1 = 1" -> "Fork_1 = 0")"#, true),
    ];
    for (formula, holds) in cases {
        for (philosophers, engine) in [(50, slap as Engine), (50, el), (50, owcty), (100, slap_fst)]
        {
            let found = decide(engine, philosophers, formula, Deadlock::Stutter);
            assert_eq!(found, holds, "{formula} of {philosophers}");
        }
    }
}
