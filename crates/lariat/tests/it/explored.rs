//! Properties that share reachable states have the same verdicts, and the store does not grow.

use crate::asking::{by, philosophers};
use lariat::internals::ir::{Names, PropertyList};
use lariat::internals::ltl::{AtomId, Formula};
use lariat::internals::ltl::{OperatorWeights, Random, random_formula};
use lariat::internals::{
    Budget, EarnedVerdict, Plan, PropertyForm, RunContext, SpaceCache, Subject, System, Systems,
    check_subject,
};

const SETS: [&str; 7] = ["sog", "sop", "slap", "slap-fst", "bcz", "owcty", "el"];

fn sixty(system: &System) -> (PropertyList, Vec<Formula>) {
    let mut random = Random::new(lariat_corpora::seed(1));
    let names = Names::of(system);
    let mut properties = PropertyList::new();
    let mut atoms: Vec<AtomId> = Vec::new();
    for _ in 0..5 {
        let place = random.below(system.variables.len());
        let text = &system.variables[place].name;
        atoms.push(properties.add_atom(&names, text).unwrap());
    }
    let event = random.below(system.events.len());
    let text = format!("fires({})", system.events[event].name);
    atoms.push(properties.add_atom(&names, &text).unwrap());
    let formulas = (0..60)
        .map(|i| {
            let weights = if i % 2 == 0 {
                OperatorWeights::ALL
            } else {
                OperatorWeights::X_FREE
            };
            random_formula(&mut properties.formulas, &atoms, 9, &weights, &mut random)
        })
        .collect();
    (properties, formulas)
}

fn word(verdict: &EarnedVerdict) -> Option<bool> {
    match verdict {
        EarnedVerdict::Holds(_) => Some(true),
        EarnedVerdict::Violated(_) => Some(false),
        EarnedVerdict::Unknown(_) => None,
    }
}

#[test]
fn formulas_share_the_states_and_release_their_nodes() {
    let system = philosophers(6);
    let (properties, formulas) = sixty(&system);
    let subject = Subject::of_system(&system, &properties.formulas, &properties.propositions);
    let systems = Systems::new();
    // Each run fits into this limit; the nodes of all runs together do not.
    let budget = Budget::bytes(24 << 20);
    let mut explored = SpaceCache::new(&systems);
    let mut decide = |engine: &str, formula: Formula| {
        let (property, options) = (PropertyForm::Formula(formula), by(Plan::of(engine)));
        let ctx = RunContext::quiet(&budget);
        check_subject(&subject, property, &options, &mut explored, ctx)
    };
    let mut decided = 0;
    let mut held = Vec::new();
    for formula in formulas {
        let expected = word(&decide("explicit", formula).verdict);
        for engine in SETS {
            let report = decide(engine, formula);
            match word(&report.verdict) {
                // `sog` and `sop` do not support every formula.
                None => assert!(matches!(engine, "sog" | "sop"), "{report:?}"),
                answer => assert_eq!(answer, expected, "{}", engine),
            }
            decided += usize::from(word(&report.verdict).is_some());
        }
        held.push(budget.bytes_used());
    }
    println!("{decided} verdicts; bytes held after each formula: {held:?}");
    let most = |held: &[u64]| held.iter().copied().max().unwrap_or(0);
    assert!(most(&held[30..]) <= 2 * most(&held[..30]));
}
