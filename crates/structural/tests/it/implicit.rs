//! Places of which others tell that there is enough in them.

use crate::explorer::explore;
use crate::nets;
use crate::rng::Rng;
use lariat_budget::Budget;
use lariat_model::{Action, System, Value, VarId};
use lariat_reductions::Told;
use lariat_structural::Facts;

const CUT: usize = 400;
const CASES: usize = 1500;

fn told(system: &System) -> Vec<Told> {
    let places: Vec<VarId> = system.var_ids().collect();
    let budget = Budget::unlimited();
    Facts::of(system).implicit(&places, &budget).unwrap()
}

/// A token goes from p0 over p1 to p2 and back; p3 has what is in p0 and p1 together, and p1 is left only with p3.
fn line(tokens: Value) -> System {
    nets::net(
        &[1, 0, 0, tokens],
        &[
            &[(0, 1, 0), (1, 0, 1)],
            &[(1, 1, 0), (2, 0, 1), (3, 1, 0)],
            &[(2, 1, 0), (0, 0, 1), (3, 0, 1)],
        ],
    )
}

#[test]
fn a_sum_of_two_places_is_found() {
    let expected = Told {
        place: VarId(3),
        scale: 1,
        by: vec![(VarId(0), 1), (VarId(1), 1)],
    };
    assert_eq!(told(&line(1)), [expected]);
    // With fewer tokens it decides.
    assert_eq!(told(&line(0)), []);
}

#[test]
fn who_is_told_of_tells_nothing_of_later_ones() {
    let both: &[(usize, Value, Value)] = &[(0, 1, 0), (1, 0, 1), (2, 1, 0)];
    let back: &[(usize, Value, Value)] = &[(1, 1, 0), (0, 0, 1), (2, 0, 1)];
    let found = told(&nets::net(&[1, 0, 1], &[both, back]));
    let names: Vec<u32> = found.iter().map(|told| told.place.0).collect();
    assert_eq!(names, [0]);
}

/// The first event waits for p1 alone after a round: that was seen, and nothing has to be asked.
#[test]
fn who_was_seen_to_decide_is_not_asked_about() {
    let system = nets::net(
        &[1, 1, 0, 0],
        &[
            &[(0, 1, 0), (1, 1, 0), (2, 0, 1)],
            &[(2, 1, 0), (0, 0, 1), (3, 0, 1)],
            &[(3, 1, 0), (1, 0, 1)],
        ],
    );
    let mut facts = Facts::of(&system);
    let told = facts.implicit(&[VarId(1)], &Budget::unlimited());
    assert_eq!((told, facts.effort()), (Ok(Vec::new()), (0, 0)));
}

/// No event of an explored marking lacks tokens in places that are told of and in none besides.
#[test]
fn places_that_are_told_of_never_decide() {
    let first = lariat_corpora::seed(1);
    let mut found = 0;
    for seed in (first..).take(lariat_corpora::cases(CASES)) {
        let system = nets::random(&mut Rng::new(seed));
        let told = told(&system);
        found += told.len();
        let is_told = |place: VarId| told.iter().any(|told| told.place == place);
        for state in explore(&system, CUT).states {
            for event in &system.events {
                let Action::Net(arcs) = &event.action else {
                    continue;
                };
                let mut lacking = arcs.iter().filter(|a| state[a.var.index()] < a.need);
                let decides = lacking.clone().count() > 0 && lacking.all(|a| is_told(a.var));
                assert!(
                    !decides,
                    "LARIAT_SEED={seed} LARIAT_CASES=1\n{told:?}\n{system:?}"
                );
            }
        }
    }
    println!("{found} places");
    assert!(lariat_corpora::cases(CASES) < CASES || found > 300);
}
