//! Walks directed by the state equation.

use crate::asking::{by, check, event, system};
use lariat::internals::{Budget, EarnedVerdict, Plan, System};

const POSITIONS: u32 = 12;
/// Wrong turns at each position.
const WRONG: u32 = 9;

/// A combination lock: at every position one turn leads to the next, and all others lead back to
/// the first and are counted, so that no state recurs after a wrong turn. From the last position
/// the lock can be closed.
fn lock() -> System {
    let digits = (0..=POSITIONS).map(|i| format!("d{i}"));
    let names = digits.chain((0..WRONG).map(|i| format!("wrong{i}")));
    let names: Vec<String> = names.collect();
    let places: Vec<&str> = names.iter().map(String::as_str).collect();
    let turn = |from: u32, to: u32, counted: Option<u32>| {
        let mut arcs = if from == to {
            vec![(from, 1, 0)]
        } else {
            vec![(from, 1, -1), (to, 0, 1)]
        };
        arcs.extend(counted.map(|wrong| (POSITIONS + 1 + wrong, 0, 1)));
        arcs.sort_unstable();
        event(&format!("t{from}_{to}_{counted:?}"), &arcs)
    };
    let mut events = vec![turn(POSITIONS, 0, None)];
    for from in 0..POSITIONS {
        events.extend((0..WRONG).map(|wrong| turn(from, 0, Some(wrong))));
        events.push(turn(from, from + 1, None));
    }
    let mut marking = vec![0; places.len()];
    marking[0] = 1;
    system(&places, events, &marking)
}

fn walked(formula: &str, steps: u64) -> EarnedVerdict {
    let budget = Budget::unlimited().with_work(steps);
    check(&lock(), formula, &by(Plan::of("walk")), &budget).verdict
}

/// Random walks, walks by missing tokens, and searches around a walk exceed the limit.
#[test]
fn the_state_equation_directs_walks_to_a_letter_and_back() {
    for formula in [r#"G !"d12 >= 1""#, r#"F G !"d12 >= 1""#] {
        let short = walked(formula, 20_000);
        assert!(matches!(short, EarnedVerdict::Unknown(_)), "{formula}");
        let found = walked(formula, 100_000);
        let EarnedVerdict::Violated(found) = found else {
            panic!("{formula}: {found:?}");
        };
        let steps = found.lasso().steps().count();
        assert!(steps <= POSITIONS as usize + 1, "{formula}: {steps} steps");
    }
}
