//! Implicit places.

use crate::explorer::explore;
use crate::nets;
use lariat_budget::Budget;
use lariat_model::{Action, System, Value, VarId};
use lariat_reductions::ImplicitPlace;
use lariat_structural::Facts;
use lariat_testkit::Random;

const CUT: usize = 400;
const CASES: usize = 1500;

fn implicit(system: &System) -> Vec<ImplicitPlace> {
    let places: Vec<VarId> = system.var_ids().collect();
    let budget = Budget::unlimited();
    Facts::of(system).implicit(&places, &budget).unwrap()
}

/// A token cycles p0, p1, p2; p3 holds as much as p0 and p1 together, and leaving p1 needs p3.
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
    let expected = ImplicitPlace {
        place: VarId(3),
        scale: 1,
        by: vec![(VarId(0), 1), (VarId(1), 1)],
    };
    assert_eq!(implicit(&line(1)), [expected]);
    // With fewer tokens p3 disables the event on its own.
    assert_eq!(implicit(&line(0)), []);
}

#[test]
fn an_implicit_place_does_not_imply_later_ones() {
    let both: &[(usize, Value, Value)] = &[(0, 1, 0), (1, 0, 1), (2, 1, 0)];
    let back: &[(usize, Value, Value)] = &[(1, 1, 0), (0, 0, 1), (2, 0, 1)];
    let found = implicit(&nets::net(&[1, 0, 1], &[both, back]));
    let names: Vec<u32> = found.iter().map(|found| found.place.0).collect();
    assert_eq!(names, [0]);
}

/// A walk sees p1 alone disable the first event, so the solver is not used.
#[test]
fn a_place_that_was_seen_to_disable_needs_no_program() {
    let system = nets::net(
        &[1, 1, 0, 0],
        &[
            &[(0, 1, 0), (1, 1, 0), (2, 0, 1)],
            &[(2, 1, 0), (0, 0, 1), (3, 0, 1)],
            &[(3, 1, 0), (1, 0, 1)],
        ],
    );
    let mut facts = Facts::of(&system);
    let found = facts.implicit(&[VarId(1)], &Budget::unlimited());
    assert_eq!((found, facts.effort()), (Ok(Vec::new()), (0, 0)));
}

/// No event of an explored marking lacks tokens only in implicit places.
#[test]
fn implicit_places_never_disable_alone() {
    let first = lariat_corpora::seed(1);
    let mut found = 0;
    for seed in (first..).take(lariat_corpora::cases(CASES)) {
        let system = nets::random(&mut Random::new(seed));
        let places = implicit(&system);
        found += places.len();
        let is_implicit = |place: VarId| places.iter().any(|found| found.place == place);
        for state in explore(&system, CUT).states {
            for event in &system.events {
                let Action::Net(arcs) = &event.action else {
                    continue;
                };
                let mut lacking = arcs.iter().filter(|a| state[a.var.index()] < a.need);
                let decides = lacking.clone().count() > 0 && lacking.all(|a| is_implicit(a.var));
                assert!(
                    !decides,
                    "LARIAT_SEED={seed} LARIAT_CASES=1\n{places:?}\n{system:?}"
                );
            }
        }
    }
    println!("{found} places");
    assert!(lariat_corpora::cases(CASES) < CASES || found > 300);
}
