//! Rotated step order: from every offset, an iteration lists the same steps, and those of a net
//! cyclically.

use lariat_budget::Budget;
use lariat_corpora::each_case;
use lariat_model::{Deadlock, System};
use lariat_space::explicit::{Explicit, ExplicitStateId, StateTable, StepCursor, Successor};
use lariat_testkit::{nets, programs};

/// States visited per system.
const STATES: usize = 40;

#[test]
fn steps_of_nets_are_cyclic() {
    each_case(300, |random| look(&nets::any(random), true));
}

#[test]
fn steps_of_programs_and_tables_are_complete() {
    each_case(600, |random| look(&programs::any(random), false));
}

fn steps(
    space: &Explicit<'_>,
    states: &mut StateTable,
    from: ExplicitStateId,
    mut cursor: StepCursor,
) -> Vec<Successor> {
    let next = || space.next(states, from, &mut cursor).unwrap();
    std::iter::from_fn(next).collect()
}

fn look(system: &System, is_net: bool) {
    let space = Explicit::new(system, Deadlock::Stutter);
    let mut states = space.states(&Budget::unlimited());
    space.initial(&mut states, 0).unwrap().unwrap();
    let mut from = ExplicitStateId(0);
    while from.index() < states.len().min(STATES) {
        let wanted = steps(&space, &mut states, from, StepCursor::default());
        let mut cursor = StepCursor::default();
        for taken in 0..=wanted.len() {
            let begin = StepCursor::at_turn(space.turn_behind(&cursor));
            assert!(begin.is_new());
            let mut found = steps(&space, &mut states, from, begin);
            let mut round = wanted.clone();
            if is_net {
                round.rotate_left(taken % wanted.len().max(1));
            } else {
                round.sort();
                found.sort();
            }
            assert_eq!(found, round, "after {taken} steps: {system:#?}");
            space.next(&mut states, from, &mut cursor).unwrap();
        }
        let mut enabled = Vec::new();
        space.enabled_events(&mut states, from, |event| enabled.push(event));
        enabled.sort_unstable();
        enabled.dedup();
        let values = states.get(from);
        let events = system.event_ids();
        let wanted: Vec<_> = events.filter(|e| system.is_enabled(&values, *e)).collect();
        assert_eq!(enabled, wanted, "in {values:?}: {system:#?}");
        from = ExplicitStateId(from.0 + 1);
    }
}
