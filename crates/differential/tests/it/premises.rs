//! Premises of a property that are passed to engines as fairness: these engines agree with one that
//! encodes the premises in the automaton.

use lariat::internals::Plan;
use lariat_differential::subjects;
use lariat_model::{Deadlock, Strength};
use lariat_testkit::{Answer, Campaign, Case, Random, fairness};

/// More conditions than the translation encodes in the automaton.
const CONDITIONS: usize = 6;

/// Generates `(GF b1 & … ) -> f`, where each condition is that an event is disabled or taken.
fn with_premises(seed: u64) -> Case {
    let mut case = Case::random(seed);
    let mut rng = Random::new(seed.rotate_left(17));
    let mut constraints = Vec::new();
    while constraints.len() < CONDITIONS {
        constraints.extend(fairness::random(&mut rng, &case.system));
    }
    for constraint in &mut constraints {
        constraint.strength = Strength::Weak;
    }
    case.fairness = constraints;
    subjects::with_premises(case)
}

#[test]
fn premises_are_equivalent_to_fairness() {
    let (mut violated, mut held) = (0, 0);
    let facade = |name: &str| subjects::facade(name, Plan::of(name).into());
    let encodes = facade("ba");
    let fair = ["explicit", "slap-fst", "el", "owcty", "hyb"].map(facade);
    for seed in Campaign::from_env(40).seeds() {
        let mut case = with_premises(seed);
        for deadlock in [Deadlock::Stutter, Deadlock::Ignore] {
            case.deadlock = deadlock;
            let wanted = matches!(encodes.answer(&case), Answer::Holds);
            if wanted {
                held += 1
            } else {
                violated += 1
            }
            for engine in fair.iter().filter(|engine| engine.supports(&case)) {
                let answer = engine.answer(&case);
                let name = engine.name();
                match &answer {
                    Answer::Holds => assert!(wanted, "{name}, seed {seed}, {deadlock:?}"),
                    Answer::Violated(_) => {
                        assert!(!wanted, "{name}, seed {seed}, {deadlock:?}: {answer:?}");
                    }
                    Answer::Unknown(reason) => panic!("{name}, seed {seed}: {reason}"),
                }
            }
        }
    }
    assert!(violated.min(held) > 0, "{violated} violated, {held} held");
}
