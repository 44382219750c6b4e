//! For each condition of each rule a net that violates only this condition.

use super::*;
use crate::net::ReducibleTransition;
use crate::trace_lift::EventExpansion;
use lariat_model::{Expr, Linear, State, Unit};

#[test]
fn nested_predicates_belong_to_the_support() {
    let not = |p: Predicate| Predicate::Not(Box::new(p));
    let state = |place| Predicate::compare(VarId(place), Comparison::Ge, 1);
    let filling = net(&[1, 0, 0], &[LOOP, BACK, &[(0, 1, 1), (2, 0, 1)]]);
    let rule = Rule::SinkPlaces;
    for predicate in [
        not(state(2)),
        Predicate::And(vec![state(0), state(2)]),
        Predicate::Or(vec![state(0), not(state(2))]),
    ] {
        assert_eq!(left(&filling, rule, &[Proposition::State(predicate)]), None);
    }
    // The preset of t3 is read, even if t3 returns the tokens.
    let fireable = Proposition::State(Predicate::Enabled(vec![EventId(3)]));
    let tests: [&Arcs; 2] = [&[(2, 1, 1)], &[(2, 1, 0), (0, 0, 1)]];
    for test in tests {
        let ring = net(&[1, 0, 0], &[LOOP, THROUGH, RETURN, test]);
        let rule = Rule::PostAgglomeration;
        assert_eq!(left(&ring, rule, std::slice::from_ref(&fireable)), None);
    }
}

#[test]
fn dead_events_never_have_a_marked_preset() {
    // Exactly enough; t1 needs p1, which can be filled, and p2, which cannot; p3 gets its first
    // token from t0.
    let weighted = net(
        &[2, 0, 0, 0],
        &[
            &[(0, 2, 0), (1, 0, 1), (3, 0, 1)],
            &[(1, 1, 0), (2, 1, 0)],
            &[(3, 1, 0)],
        ],
    );
    let kept = some(&["p0", "p1", "p2", "p3"], &["t0", "t2"]);
    assert_eq!(left(&weighted, Rule::DeadEvents, &[]), kept);
}

#[test]
fn equal_events_have_equal_weights() {
    let same = &[(0, 1, 0), (1, 0, 1)];
    let more = &[(0, 2, 1), (1, 0, 1)];
    let gives = &[(0, 1, 0), (1, 0, 2)];
    let rule = Rule::EqualEvents;
    assert_eq!(left(&net(&[2, 0], &[same, more, gives]), rule, &[]), None);
}

#[test]
fn a_tested_place_is_no_sink() {
    let fill: &Arcs = &[(0, 1, 1), (2, 0, 1)];
    let tested = net(&[1, 0, 0], &[LOOP, BACK, fill, &[(2, 1, 1)]]);
    assert_eq!(left(&tested, Rule::SinkPlaces, &[]), None);
}

#[test]
fn parallel_places_change_by_equal_amounts() {
    // p2 changes by two where p0 changes by one.
    let twice = net(
        &[1, 0, 2],
        &[
            &[(0, 1, 0), (1, 0, 1), (2, 2, 0)],
            &[(1, 1, 0), (0, 0, 1), (2, 0, 2)],
        ],
    );
    assert_eq!(left(&twice, Rule::ParallelPlaces, &[marked(0)]), None);
    // One of two mutually parallel places remains.
    let twins = net(&[1, 0, 1], &[LOOP_FROM_BOTH, BACK_TO_BOTH]);
    let kept = some(&["p1", "p2"], &["t0", "t1"]);
    assert_eq!(left(&twins, Rule::ParallelPlaces, &[]), kept);
}

#[test]
fn one_place_remains() {
    let still = net(&[1], &[&[(0, 1, 1)]]);
    assert_eq!(left(&still, Rule::ConstantPlaces, &[]), None);
    let source = net(&[0], &[&[(0, 0, 1)]]);
    assert_eq!(left(&source, Rule::SinkPlaces, &[]), None);
}

/// A passage carries single tokens and has producers and consumers.
#[test]
fn passages_carry_single_tokens() {
    let pair: &Arcs = &[(1, 2, 0), (2, 0, 1)];
    let doubling: &Arcs = &[(1, 1, 2)];
    let nets = [
        net(&[2, 0, 0], &[LOOP, pair, RETURN]),
        net(&[2, 0, 0], &[LOOP, &[(1, 2, 1), (2, 0, 1)], RETURN]),
        net(&[1, 0, 0], &[LOOP, THROUGH, RETURN, doubling]),
        // Without consumers, fusion would remove the producers.
        net(&[1, 0, 0], &[LOOP, RETURN]),
    ];
    let (post, pre) = (Rule::PostAgglomeration, Rule::PreAgglomeration);
    for system in &nets {
        for (rule, seen) in [(post, 0), (post, 2), (pre, 2)] {
            assert_eq!(left(system, rule, &[marked(seen)]), None, "{system:?}");
        }
    }
}

#[test]
fn every_consumer_must_follow_at_once() {
    let rule = Rule::PostAgglomeration;
    let demanding: &Arcs = &[(1, 1, 0), (3, 1, 1), (2, 0, 1)];
    let one_of_two = net(&[1, 0, 0, 1], &[LOOP, THROUGH, demanding, RETURN]);
    assert_eq!(left(&one_of_two, rule, &[marked(0)]), None);
    // Visibility includes produced tokens.
    let ring = net(&[1, 0, 0], &[LOOP, THROUGH, RETURN]);
    assert_eq!(left(&ring, rule, &[marked(0), marked(2)]), None);
}

#[test]
fn every_producer_must_be_delayable() {
    let rule = Rule::PreAgglomeration;
    // A transition tests p0; a second producer of p1 produces elsewhere too.
    let watched = net(&[2, 0, 1, 0], &[LOOP, NEEDS, &[(0, 1, 1), (3, 0, 1)]]);
    assert_eq!(left(&watched, rule, &[marked(3)]), None);
    let generous: &Arcs = &[(4, 1, 0), (1, 0, 1), (3, 0, 1)];
    let second = net(&[2, 0, 1, 0, 1], &[LOOP, NEEDS, generous]);
    assert_eq!(left(&second, rule, &[marked(2)]), None);
    // Not known to be stutter-invariant.
    let waiting = net(&[2, 0, 1, 0], &[LOOP, NEEDS]);
    assert!(reduction(&waiting, &[rule], &[marked(3)], false).is_none());
    // The joint event needs what its second part needs.
    let joint = reduced(&waiting, rule, &[marked(3)]).system;
    let empty: State = [2, 0, 0].into();
    assert!(joint.is_enabled(&joint.initial[0], EventId(0)));
    assert!(!joint.is_enabled(&empty, EventId(0)));
}

/// Tokens move from p0 through p1 and p2 to a consumer that can fire only once.
#[test]
fn pending_events_fire_from_the_last_level_until_a_deadlock() {
    let needs: &Arcs = &[(2, 1, 0), (3, 1, 0), (4, 0, 1)];
    let chain = net(&[4, 0, 0, 1, 0], &[LOOP, THROUGH, needs]);
    let reduction = reduced(&chain, Rule::PreAgglomeration, &[marked(4)]);
    assert_eq!(reduction.system.events.len(), 1);
    let lifted = reduction
        .lift
        .back(run(&reduction.system, &[0], 0), &Budget::unlimited());
    let lifted = lifted.unwrap();
    let taken: Vec<u32> = events(&lifted.prefix).into_iter().flatten().collect();
    assert_eq!(taken, [0, 1, 2, 0, 1, 0, 1, 0, 1]);
    assert!(chain.is_deadlock(&lifted.end()));
}

#[test]
fn translated_atoms_are_equivalent() {
    // t2 is dead and t3 needs two tokens of p0 and one of p1; p2 is a sink.
    let needs: &Arcs = &[(0, 2, 0), (1, 1, 1)];
    let system = net(&[1, 0, 0], &[LOOP, BACK_TO_BOTH, &[(0, 3, 0)], needs]);
    let place = |place, least| Predicate::compare(VarId(place), Comparison::Ge, least);
    let enabled = |events: &[u32]| {
        let events = events.iter().map(|e| EventId(*e)).collect();
        Proposition::State(Predicate::Enabled(events))
    };
    let reduction = reduced(&system, Rule::SinkPlaces, &[enabled(&[2, 3])]);
    let [two, three] = [place(0, 3), Predicate::And(vec![place(0, 2), place(1, 1)])];
    let now = |atom| reduction.lift.forward(&atom);
    assert_eq!(now(enabled(&[2])), Some(Proposition::State(two.clone())));
    let either = Predicate::Or(vec![two, three]);
    assert_eq!(now(enabled(&[2, 3])), Some(Proposition::State(either)));
    // Removed events are dropped from atoms, and the others renumbered.
    let ring = net(&[1, 0, 0], &[LOOP, &[(2, 1, 0)], BACK]);
    let fewer = reduced(&ring, Rule::DeadEvents, &[]);
    let both = Proposition::Fires(vec![EventId(1), EventId(2)]);
    assert_eq!(fewer.lift.forward(&both), Some(fires(1)));
}

/// The remains of a net with further initial markings after one rule.
fn left_from(
    mut system: System,
    others: &[&[Value]],
    rule: Rule,
    atoms: &[Proposition],
) -> Option<(Vec<String>, Vec<String>)> {
    let others = others.iter().map(|marking| State::from(*marking));
    system.initial.extend(others);
    left(&system, rule, atoms)
}

/// A rule applies only if its condition holds of all initial markings.
#[test]
fn conditions_quantify_over_all_initial_markings() {
    let enough = || net(&[1, 0, 2], &[&[(0, 1, 0), (1, 0, 1), (2, 2, 2)], BACK]);
    let rule = Rule::ConstantPlaces;
    let kept = some(&["p0", "p1"], &["t0", "t1"]);
    assert_eq!(left_from(enough(), &[&[0, 1, 3]], rule, &[]), kept);
    assert_eq!(left_from(enough(), &[&[0, 1, 1]], rule, &[]), None);

    let dead = || net(&[1, 0, 0], &[LOOP, BACK, &[(2, 1, 0)]]);
    let rule = Rule::DeadEvents;
    let kept = some(&["p0", "p1", "p2"], &["t0", "t1"]);
    assert_eq!(left_from(dead(), &[&[0, 1, 0]], rule, &[]), kept);
    assert_eq!(left_from(dead(), &[&[0, 0, 1]], rule, &[]), None);

    let parallel = || net(&[1, 0, 1], &[LOOP_FROM_BOTH, BACK_TO_BOTH]);
    let rule = Rule::ParallelPlaces;
    let kept = some(&["p0", "p1"], &["t0", "t1"]);
    let atoms = [marked(0)];
    assert_eq!(left_from(parallel(), &[&[0, 1, 0]], rule, &atoms), kept);
    assert_eq!(left_from(parallel(), &[&[1, 1, 0]], rule, &atoms), None);

    let passage = || {
        let through: &Arcs = &[(0, 1, 0), (2, 0, 1)];
        net(&[1, 0, 0], &[through, &[(2, 1, 0), (1, 0, 1)], BACK])
    };
    for rule in [Rule::PostAgglomeration, Rule::PreAgglomeration] {
        let joined = left_from(passage(), &[&[0, 1, 0]], rule, &[]);
        assert!(joined.is_some_and(|(places, _)| !places.contains(&"p2".to_owned())));
        let marked = left_from(passage(), &[&[0, 0, 1]], rule, &[]);
        assert!(marked.is_none_or(|(places, _)| places.contains(&"p2".to_owned())));
    }
}

/// A lifted run starts in its own initial marking, even if the smaller net identifies several.
#[test]
fn lifted_runs_keep_their_initial_marking() {
    let mut system = net(&[1, 0, 0], &[LOOP, BACK, &[(1, 1, 1), (2, 0, 1)]]);
    system.initial.push([0, 1, 5].into());
    system.initial.push([0, 1, 7].into());
    let reduction = reduced(&system, Rule::SinkPlaces, &[marked(0)]);
    let starts: Vec<&[Value]> = reduction.system.initial.iter().map(|m| &m[..]).collect();
    assert_eq!(starts, [[1, 0], [0, 1]]);
    for (start, event, original) in [(0, 0, [1, 0, 0]), (1, 1, [0, 1, 5])] {
        let mut from = reduction.system.clone();
        from.initial.swap(0, start);
        let lasso = run(&from, &[event, 1 - event], 2);
        let back = reduction.lift.back(lasso, &Budget::unlimited()).unwrap();
        assert_eq!(&back.initial[..], original);
        assert!(back.comes_round());
    }
    let mut elsewhere = run(&reduction.system, &[0, 1], 2);
    elsewhere.initial = [1, 1].into();
    let back = reduction.lift.back(elsewhere, &Budget::unlimited());
    assert!(matches!(back, Err(LiftError::Defect(_))));
}

#[test]
fn every_part_of_every_atom_belongs_to_the_support() {
    // Two atoms that name one event each.
    let twice = net(&[1, 0], &[LOOP, LOOP, BACK]);
    let rule = Rule::EqualEvents;
    assert_eq!(left(&twice, rule, &[fires(0), fires(1)]), None);
    // The second term of a sum.
    let filling = net(&[1, 0, 0], &[LOOP, BACK, &[(0, 1, 1), (2, 0, 1)]]);
    let sum = Predicate::Linear(Linear {
        terms: vec![(VarId(0), 1), (VarId(2), 1)],
        comparison: Comparison::Ge,
        constant: 1,
    });
    let atoms = [Proposition::State(sum)];
    assert_eq!(left(&filling, Rule::SinkPlaces, &atoms), None);
    // The second of several events.
    let ring = net(&[1, 0, 0], &[LOOP, THROUGH, RETURN]);
    let fireable = Predicate::Enabled(vec![EventId(0), EventId(2)]);
    let atoms = [Proposition::State(fireable)];
    assert_eq!(left(&ring, Rule::PostAgglomeration, &atoms), None);
}

#[test]
fn every_producer_can_enable_a_consumer() {
    let rule = Rule::DeadEvents;
    // From one place to the next, and into a place that was marked before.
    let chain = net(&[1, 0, 0], &[LOOP, THROUGH, &[(2, 1, 0)]]);
    assert_eq!(left(&chain, rule, &[]), None);
    let more = net(&[1], &[&[(0, 1, 2)], &[(0, 2, 0)]]);
    assert_eq!(left(&more, rule, &[]), None);
    // Returned tokens do not increase the number.
    let same = net(&[1], &[&[(0, 1, 1)], &[(0, 2, 0)]]);
    assert_eq!(left(&same, rule, &[]), some(&["p0"], &["t0"]));
}

#[test]
fn every_adjacent_transition_is_checked() {
    let first: &Arcs = &[(0, 1, 0), (1, 0, 1), (2, 1, 1)];
    let second: &Arcs = &[(1, 1, 0), (0, 0, 1), (2, 2, 2)];
    let few = net(&[1, 0, 1], &[first, second]);
    assert_eq!(left(&few, Rule::ConstantPlaces, &[]), None);
    let filled: &Arcs = &[(1, 1, 0), (0, 0, 1), (2, 0, 1)];
    let drained = net(&[1, 0, 1], &[first, filled, &[(2, 1, 0)]]);
    for rule in [Rule::ConstantPlaces, Rule::SinkPlaces] {
        assert_eq!(left(&drained, rule, &[]), None);
    }
}

#[test]
fn parallel_places_are_changed_by_the_same_events() {
    let [both, back] = [LOOP_FROM_BOTH, BACK_TO_BOTH];
    let rule = Rule::ParallelPlaces;
    // A transition changes only p0, or only p2, which holds more tokens.
    let fills = net(&[1, 0, 1], &[both, back, &[(0, 0, 1)]]);
    assert_eq!(left(&fills, rule, &[marked(0)]), None);
    let takes = net(&[1, 0, 3], &[both, back, &[(2, 1, 0)]]);
    assert_eq!(left(&takes, rule, &[marked(0)]), None);
    // p0 always holds less, and its consumers need more in p2; t1 needs nothing.
    let less = net(&[0, 0, 1], &[&[(0, 1, 0), (1, 0, 1), (2, 2, 1)], back]);
    let kept = some(&["p1", "p2"], &["t0", "t1"]);
    assert_eq!(left(&less, rule, &[marked(2)]), kept);
}

#[test]
fn the_last_place_is_no_passage() {
    let pump = net(&[0], &[&[(0, 0, 1)], &[(0, 1, 0)]]);
    assert_eq!(left(&pump, Rule::PostAgglomeration, &[]), None);
}

#[test]
fn delayed_producers_return_nothing_and_have_no_rivals() {
    let rule = Rule::PreAgglomeration;
    let atoms = [marked(3)];
    // t0 needs two tokens and takes one; t0 takes from p0 and from p4, where another transition
    // takes too.
    let part: &Arcs = &[(0, 2, 1), (1, 0, 1)];
    let keeps = net(&[2, 0, 1, 0], &[part, NEEDS]);
    assert_eq!(left(&keeps, rule, &atoms), None);
    let two: &Arcs = &[(0, 1, 0), (4, 1, 0), (1, 0, 1)];
    let rival = net(&[1, 0, 1, 0, 1], &[two, NEEDS, &[(4, 1, 0)]]);
    assert_eq!(left(&rival, rule, &atoms), None);
}

#[test]
fn every_producer_is_pending() {
    let other: &Arcs = &[(4, 1, 0), (1, 0, 1)];
    let system = net(&[2, 0, 1, 0, 1], &[LOOP, NEEDS, other]);
    let reduction = reduced(&system, Rule::PreAgglomeration, &[marked(3)]);
    let back = reduction
        .lift
        .back(run(&reduction.system, &[0], 0), &Budget::unlimited());
    let taken = events(&back.unwrap().prefix);
    assert_eq!(taken, [0, 1, 0, 2].map(Some));
}

/// Numbers of places and events that remain after two rules.
fn left_by_both(system: &System, rules: [Rule; 2], atoms: &[Proposition]) -> (usize, usize) {
    let now = reduction(system, &rules, atoms, true).unwrap().system;
    (now.variables.len(), now.events.len())
}

/// Removing equal events permits as many joint ones.
#[test]
fn fusion_never_exceeds_the_limits_on_pairs_and_events() {
    let rules = [Rule::EqualEvents, Rule::PostAgglomeration];
    let atoms = [marked(0)];
    let with = |producers: Value, consumers: Value, equal: usize| {
        let gives = (1..=producers).map(|i| vec![(0, i, 0), (1, 0, 1)]);
        let takes = (1..=consumers).map(|i| vec![(1, 1, 0), (2, 0, i)]);
        let same = std::iter::repeat_n(vec![(0, 1, 1)], equal);
        let all: Vec<Vec<(u32, Value, Value)>> = gives.chain(takes).chain(same).collect();
        let all: Vec<&Arcs> = all.iter().map(|arcs| &arcs[..]).collect();
        left_by_both(&net(&[9, 0, 0], &all), rules, &atoms)
    };
    assert_eq!(with(2, 3, 4), (2, 7));
    assert_eq!(with(4, 8, 40), (2, 33));
    assert_eq!(with(3, 11, 40), (3, 15));
    // Fusion would give ten events: allowed from a start with ten, refused from nine.
    assert_eq!(with(3, 3, 4), (2, 10));
    assert_eq!(with(3, 3, 3), (3, 7));
}

#[test]
fn fusion_is_refused_if_weights_overflow() {
    let rule = Rule::PostAgglomeration;
    let with = |first: &Arcs| {
        let system = net(&[1, 0, 0], &[first, THROUGH, LOOP]);
        left(&system, rule, &[marked(0)])
    };
    assert!(with(&[(0, 1, 0), (1, 0, 1), (2, 0, 1)]).is_some());
    // The sum or the required number overflows.
    assert_eq!(with(&[(0, 1, 0), (1, 0, 1), (2, 0, Value::MAX)]), None);
    let all = Value::MAX;
    assert_eq!(with(&[(0, 1, 0), (1, 0, 1), (2, all, all)]), None);
}

#[test]
fn only_nets_are_reduced() {
    let support = |system: &System| Support::of(system, &[], true);
    let budget = Budget::unlimited();
    let is_reduced = |system: &System| {
        let all = Rules::all();
        reduce(system, &support(system), all, &mut no_advice, &budget).is_some()
    };
    let dead = net(&[1, 0, 0], &[LOOP, BACK, &[(2, 1, 0)]]);
    assert!(is_reduced(&dead));
    let mut fails = dead.clone();
    fails.fault = Some(VarId(2));
    assert!(!is_reduced(&fails));
    let mut nowhere = dead.clone();
    nowhere.initial.clear();
    assert!(!is_reduced(&nowhere));
    let mut program = dead;
    let (vars, rows) = (vec![VarId(0)], vec![[Some((1, 2))].into()]);
    program.events[0].action = Action::Table { vars, rows };
    assert!(!is_reduced(&program));
}

#[test]
fn units_and_arrays_refer_to_remaining_places() {
    let uses: &Arcs = &[(0, 1, 0), (2, 0, 1), (1, 1, 1)];
    let mut system = net(&[1, 2, 0], &[uses, RETURN]);
    system.units.push(Unit {
        places: vec![VarId(1), VarId(2)],
        ..Unit::default()
    });
    let reduction = reduced(&system, Rule::ConstantPlaces, &[]);
    assert_eq!(reduction.system.units[0].places, [VarId(1)]);
    // The element in the middle was removed.
    let element = |first, len| {
        let index = Box::new(Expr::Const(0));
        let first = VarId(first);
        Proposition::State(Predicate::Expr(Expr::Element { first, len, index }))
    };
    assert_eq!(reduction.lift.forward(&element(0, 3)), None);
    assert_eq!(reduction.lift.forward(&element(2, 1)), Some(element(1, 1)));
}

/// The first part produces tokens for the second and consumes tokens of the second.
#[test]
fn a_joint_event_needs_what_its_first_part_does_not_produce() {
    let system = net(
        &[0, 0, 0, 0],
        &[
            &[(0, 0, 2), (1, 1, 0), (2, 2, 2), (3, 1, 0)],
            &[(0, 3, 0), (1, 0, 1), (2, 1, 0), (3, 2, 1)],
        ],
    );
    let [first, second] = [0, 1].map(|id| {
        let Action::Net(arcs) = &system.events[id].action else {
            panic!("no net")
        };
        ReducibleTransition {
            arcs: arcs.clone(),
            way: EventExpansion::take(EventId(id as u32)),
        }
    });
    let both = first.then(&second).unwrap();
    let arcs = both.arcs.iter().map(|a| (a.var.0, a.need, a.delta));
    let expected = [(0, 1, -1), (1, 1, 0), (2, 2, -1), (3, 3, -2)];
    assert_eq!(arcs.collect::<Vec<_>>(), expected);
    assert_eq!(both.way.shown(), [EventId(0), EventId(1)]);
}

#[test]
fn a_run_that_ends_before_the_original_is_rejected() {
    let system = net(&[1, 0, 0], &[LOOP, BACK, &[(0, 1, 1), (2, 0, 1)]]);
    let reduction = reduced(&system, Rule::SinkPlaces, &[]);
    let back = reduction
        .lift
        .back(run(&reduction.system, &[0], 0), &Budget::unlimited());
    assert!(matches!(back, Err(LiftError::Defect(_))));
}
