//! Walks directed by the state equation.

use lariat::internals::{
    Budget, CheckOptions, EarnedVerdict, EngineChoice, Plan, PropertyForm, RunContext, SpaceCache,
    Subject, Systems, check_subject,
};
use lariat_model::{Action, Arc, Domain, Event, Names, PropertyList, System, VarId, Variable};

const POSITIONS: u32 = 12;
/// Wrong turns at each position.
const WRONG: u32 = 9;

/// A combination lock: at every position one turn leads to the next, and all others lead back to
/// the first and are counted, so that no state recurs after a wrong turn. From the last position
/// the lock can be closed.
fn lock() -> System {
    let names = (0..=POSITIONS)
        .map(|i| format!("d{i}"))
        .chain((0..WRONG).map(|i| format!("wrong{i}")));
    let variables: Vec<Variable> = names
        .map(|name| Variable {
            name,
            domain: Domain::Count { bound: None },
        })
        .collect();
    let turn = |from: u32, to: u32, counted: Option<u32>| {
        let mut arcs: Vec<Arc> = [(from, 1, -1), (to, 0, 1)]
            .into_iter()
            .filter(|_| from != to)
            .chain((from == to).then_some((from, 1, 0)))
            .chain(counted.map(|wrong| (POSITIONS + 1 + wrong, 0, 1)))
            .map(|(place, need, delta)| Arc {
                var: VarId(place),
                need,
                delta,
            })
            .collect();
        arcs.sort_by_key(|arc| arc.var);
        Event {
            name: format!("t{from}_{to}_{counted:?}"),
            action: Action::Net(arcs),
        }
    };
    let mut events = vec![turn(POSITIONS, 0, None)];
    for from in 0..POSITIONS {
        events.extend((0..WRONG).map(|wrong| turn(from, 0, Some(wrong))));
        events.push(turn(from, from + 1, None));
    }
    let tokens = |place: usize| i64::from(place == 0);
    System {
        initial: vec![(0..variables.len()).map(tokens).collect()],
        variables,
        events,
        ..System::default()
    }
}

fn walked(formula: &str, steps: u64) -> EarnedVerdict {
    let system = lock();
    let mut properties = PropertyList::new();
    properties
        .add_formula(&Names::of(&system), "test", None, formula)
        .unwrap();
    let options = CheckOptions {
        engine: EngineChoice::Plan(Plan::of("walk")),
        ..CheckOptions::default()
    };
    let report = check_subject(
        &Subject::of_system(&system, &properties.formulas, &properties.propositions),
        PropertyForm::Formula(properties.list[0].formula),
        &options,
        &mut SpaceCache::new(&Systems::new()),
        RunContext::quiet(&Budget::unlimited().with_work(steps)),
    );
    report.verdict
}

/// Random walks, walks by missing tokens, and searches around a walk exceed the limit.
#[test]
fn the_state_equation_directs_walks_to_a_letter_and_back() {
    for formula in [r#"G !"d12 >= 1""#, r#"F G !"d12 >= 1""#] {
        assert!(
            matches!(walked(formula, 20_000), EarnedVerdict::Unknown(_)),
            "{formula}"
        );
        let found = walked(formula, 100_000);
        let EarnedVerdict::Violated(found) = found else {
            panic!("{formula}: {found:?}");
        };
        let steps = found.lasso().steps().count();
        assert!(steps <= POSITIONS as usize + 1, "{formula}: {steps} steps");
    }
}
