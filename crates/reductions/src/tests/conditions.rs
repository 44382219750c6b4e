//! For each condition of each rule a net on which it alone says no.

use super::*;
use crate::net::Transition;
use crate::trace_lift::Way;
use lariat_model::{Expr, Linear, Unit};

const THROUGH: &Arcs = &[(1, 1, 0), (2, 0, 1)];
const RETURN: &Arcs = &[(2, 1, 0), (0, 0, 1)];

#[test]
fn atoms_are_looked_into() {
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
    // What decides whether t3 is enabled is read, also where t3 puts it back.
    let fireable = Proposition::State(Predicate::Enabled(vec![EventId(3)]));
    let tests: [&Arcs; 2] = [&[(2, 1, 1)], &[(2, 1, 0), (0, 0, 1)]];
    for test in tests {
        let ring = net(&[1, 0, 0], &[LOOP, THROUGH, RETURN, test]);
        let rule = Rule::PostAgglomeration;
        assert_eq!(left(&ring, rule, std::slice::from_ref(&fireable)), None);
    }
}

#[test]
fn dead_events_lack_something_for_ever() {
    // Exactly enough; t1 wants p1, which can be filled, and p2, which cannot; p3 gets its first token from t0.
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
fn equal_events_need_the_same() {
    let same = &[(0, 1, 0), (1, 0, 1)];
    let more = &[(0, 2, 1), (1, 0, 1)];
    let gives = &[(0, 1, 0), (1, 0, 2)];
    let rule = Rule::EqualEvents;
    assert_eq!(left(&net(&[2, 0], &[same, more, gives]), rule, &[]), None);
}

#[test]
fn a_place_that_is_tested_is_no_sink() {
    let tested = net(
        &[1, 0, 0],
        &[LOOP, BACK, &[(0, 1, 1), (2, 0, 1)], &[(2, 1, 1)]],
    );
    assert_eq!(left(&tested, Rule::SinkPlaces, &[]), None);
}

#[test]
fn parallel_places_change_by_the_same() {
    // p2 gets and loses two where p0 gets and loses one.
    let twice = net(
        &[1, 0, 2],
        &[
            &[(0, 1, 0), (1, 0, 1), (2, 2, 0)],
            &[(1, 1, 0), (0, 0, 1), (2, 0, 2)],
        ],
    );
    assert_eq!(left(&twice, Rule::ParallelPlaces, &[marked(0)]), None);
    // Of two that tell each other one stays.
    let twins = net(
        &[1, 0, 1],
        &[
            &[(0, 1, 0), (1, 0, 1), (2, 1, 0)],
            &[(1, 1, 0), (0, 0, 1), (2, 0, 1)],
        ],
    );
    let kept = some(&["p1", "p2"], &["t0", "t1"]);
    assert_eq!(left(&twins, Rule::ParallelPlaces, &[]), kept);
}

#[test]
fn one_place_stays() {
    let still = net(&[1], &[&[(0, 1, 1)]]);
    assert_eq!(left(&still, Rule::ConstantPlaces, &[]), None);
    assert_eq!(
        left(&net(&[0], &[&[(0, 0, 1)]]), Rule::SinkPlaces, &[]),
        None
    );
}

/// Tokens pass through p1 one by one, and somebody takes them.
#[test]
fn passages_are_for_single_tokens() {
    let pair: &Arcs = &[(1, 2, 0), (2, 0, 1)];
    let doubling: &Arcs = &[(1, 1, 2)];
    let nets = [
        net(&[2, 0, 0], &[LOOP, pair, RETURN]),
        net(&[2, 0, 0], &[LOOP, &[(1, 2, 1), (2, 0, 1)], RETURN]),
        net(&[1, 0, 0], &[LOOP, THROUGH, RETURN, doubling]),
        // Nobody takes: joining would leave out who gives.
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
    let picky: &Arcs = &[(1, 1, 0), (3, 1, 1), (2, 0, 1)];
    let one_of_two = net(&[1, 0, 0, 1], &[LOOP, THROUGH, picky, RETURN]);
    assert_eq!(left(&one_of_two, rule, &[marked(0)]), None);
    // Tokens that come are seen as tokens that go are.
    let ring = net(&[1, 0, 0], &[LOOP, THROUGH, RETURN]);
    assert_eq!(left(&ring, rule, &[marked(0), marked(2)]), None);
}

#[test]
fn every_producer_must_be_able_to_wait() {
    let rule = Rule::PreAgglomeration;
    let wants: &Arcs = &[(1, 1, 0), (2, 1, 0), (3, 0, 1)];
    // Somebody looks at p0; a second producer of p1 gives something else, too.
    let watched = net(&[2, 0, 1, 0], &[LOOP, wants, &[(0, 1, 1), (3, 0, 1)]]);
    assert_eq!(left(&watched, rule, &[marked(3)]), None);
    let generous: &Arcs = &[(4, 1, 0), (1, 0, 1), (3, 0, 1)];
    let second = net(&[2, 0, 1, 0, 1], &[LOOP, wants, generous]);
    assert_eq!(left(&second, rule, &[marked(2)]), None);
    // Not known to be stutter-invariant.
    let waiting = net(&[2, 0, 1, 0], &[LOOP, wants]);
    let support = Support::of(&waiting, &[marked(3)], false);
    let (rules, budget) = (Rules::only(&[rule]), Budget::unlimited());
    assert!(reduce(&waiting, &support, rules, &mut no_advice, &budget).is_none());
    // The joint event needs what the second of them does.
    let joint = reduced(&waiting, rule, &[marked(3)]).system;
    let empty: State = [2, 0, 0].into();
    assert!(joint.is_enabled(&joint.initial[0], EventId(0)));
    assert!(!joint.is_enabled(&empty, EventId(0)));
}

/// A token goes from p0 through p1 and p2 to where somebody waits who has one only.
#[test]
fn what_is_pending_is_taken_from_the_last_level_on_until_nothing_is_left() {
    let wants: &Arcs = &[(2, 1, 0), (3, 1, 0), (4, 0, 1)];
    let chain = net(&[4, 0, 0, 1, 0], &[LOOP, THROUGH, wants]);
    let reduction = reduced(&chain, Rule::PreAgglomeration, &[marked(4)]);
    assert_eq!(reduction.system.events.len(), 1);
    let told = reduction
        .lift
        .back(run(&reduction.system, &[0], 0))
        .unwrap();
    let taken: Vec<u32> = events(&told.prefix).into_iter().flatten().collect();
    assert_eq!(taken, [0, 1, 2, 0, 1, 0, 1, 0, 1]);
    assert!(chain.is_deadlock(&told.cycle[0].state));
}

#[test]
fn atoms_mean_the_same_in_what_is_left() {
    // t2 is dead and t3 needs two tokens of p0 and one of p1; p2 is a sink.
    let system = net(
        &[1, 0, 0],
        &[
            LOOP,
            &[(1, 1, 0), (0, 0, 1), (2, 0, 1)],
            &[(0, 3, 0)],
            &[(0, 2, 0), (1, 1, 1)],
        ],
    );
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
    // Events that are gone are named no more, and the others by their new numbers.
    let ring = net(&[1, 0, 0], &[LOOP, &[(2, 1, 0)], BACK]);
    let fewer = reduced(&ring, Rule::DeadEvents, &[]);
    let both = Proposition::Fires(vec![EventId(1), EventId(2)]);
    assert_eq!(fewer.lift.forward(&both), Some(fires(1)));
}

/// What one rule leaves of a net with further initial markings.
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

/// A rule is applied if its condition is true of all initial markings; of one is not enough.
#[test]
fn conditions_are_those_of_all_initial_markings() {
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

    let both: &[(u32, Value, Value)] = &[(0, 1, 0), (1, 0, 1), (2, 1, 0)];
    let back: &[(u32, Value, Value)] = &[(1, 1, 0), (0, 0, 1), (2, 0, 1)];
    let parallel = || net(&[1, 0, 1], &[both, back]);
    let rule = Rule::ParallelPlaces;
    let kept = some(&["p0", "p1"], &["t0", "t1"]);
    let atoms = [marked(0)];
    assert_eq!(left_from(parallel(), &[&[0, 1, 0]], rule, &atoms), kept);
    assert_eq!(left_from(parallel(), &[&[1, 1, 0]], rule, &atoms), None);

    let passage = || {
        let through: &[(u32, Value, Value)] = &[(0, 1, 0), (2, 0, 1)];
        net(&[1, 0, 0], &[through, &[(2, 1, 0), (1, 0, 1)], BACK])
    };
    for rule in [Rule::PostAgglomeration, Rule::PreAgglomeration] {
        let joined = left_from(passage(), &[&[0, 1, 0]], rule, &[]);
        assert!(joined.is_some_and(|(places, _)| !places.contains(&"p2".to_owned())));
        let marked = left_from(passage(), &[&[0, 0, 1]], rule, &[]);
        assert!(marked.is_none_or(|(places, _)| places.contains(&"p2".to_owned())));
    }
}

/// A run comes back to the marking that it started from, also if others look the same in the smaller net.
#[test]
fn runs_start_where_they_did() {
    let mut system = net(&[1, 0, 0], &[LOOP, BACK, &[(1, 1, 1), (2, 0, 1)]]);
    system.initial.push([0, 1, 5].into());
    system.initial.push([0, 1, 7].into());
    let support = Support::of(&system, &[marked(0)], true);
    let rules = Rules::only(&[Rule::SinkPlaces]);
    let budget = Budget::unlimited();
    let reduction = reduce(&system, &support, rules, &mut no_advice, &budget).unwrap();
    let starts: Vec<&[Value]> = reduction.system.initial.iter().map(|m| &m[..]).collect();
    assert_eq!(starts, [[1, 0], [0, 1]]);
    for (start, event, original) in [(0, 0, [1, 0, 0]), (1, 1, [0, 1, 5])] {
        let mut from = reduction.system.clone();
        from.initial.swap(0, start);
        let lasso = run(&from, &[event, 1 - event], 2);
        let back = reduction.lift.back(lasso).unwrap();
        assert_eq!(&back.initial[..], original);
        assert!(back.comes_round());
    }
    let mut elsewhere = run(&reduction.system, &[0, 1], 2);
    elsewhere.initial = [1, 1].into();
    let back = reduction.lift.back(elsewhere);
    assert!(matches!(back, Err(Astray::Defect(_))));
}

#[test]
fn every_part_of_every_atom_counts() {
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
fn tokens_come_from_whoever_can_give_them() {
    let rule = Rule::DeadEvents;
    // From one place to the next, and where there was one before.
    let chain = net(&[1, 0, 0], &[LOOP, THROUGH, &[(2, 1, 0)]]);
    assert_eq!(left(&chain, rule, &[]), None);
    let more = net(&[1], &[&[(0, 1, 2)], &[(0, 2, 0)]]);
    assert_eq!(left(&more, rule, &[]), None);
    // What is given back is no more than there was.
    let same = net(&[1], &[&[(0, 1, 1)], &[(0, 2, 0)]]);
    assert_eq!(left(&same, rule, &[]), some(&["p0"], &["t0"]));
}

#[test]
fn everybody_who_touches_a_place_is_asked() {
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
    let both: &Arcs = &[(0, 1, 0), (1, 0, 1), (2, 1, 0)];
    let back: &Arcs = &[(1, 1, 0), (0, 0, 1), (2, 0, 1)];
    let rule = Rule::ParallelPlaces;
    // Somebody puts tokens into the one alone, or takes them from the other, in which there are more.
    let fills = net(&[1, 0, 1], &[both, back, &[(0, 0, 1)]]);
    assert_eq!(left(&fills, rule, &[marked(0)]), None);
    let takes = net(&[1, 0, 3], &[both, back, &[(2, 1, 0)]]);
    assert_eq!(left(&takes, rule, &[marked(0)]), None);
    // There is always less in p0, and whoever needs something there needs more in p2; t1 needs nothing.
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
fn producers_that_wait_put_nothing_back_and_have_no_rival_anywhere() {
    let rule = Rule::PreAgglomeration;
    let wants: &Arcs = &[(1, 1, 0), (2, 1, 0), (3, 0, 1)];
    let atoms = [marked(3)];
    // t0 needs two tokens and takes one; t0 takes from p0 and from p4, where somebody else takes, too.
    let part: &Arcs = &[(0, 2, 1), (1, 0, 1)];
    let keeps = net(&[2, 0, 1, 0], &[part, wants]);
    assert_eq!(left(&keeps, rule, &atoms), None);
    let two: &Arcs = &[(0, 1, 0), (4, 1, 0), (1, 0, 1)];
    let rival = net(&[1, 0, 1, 0, 1], &[two, wants, &[(4, 1, 0)]]);
    assert_eq!(left(&rival, rule, &atoms), None);
}

#[test]
fn every_producer_is_pending() {
    let wants: &Arcs = &[(1, 1, 0), (2, 1, 0), (3, 0, 1)];
    let other: &Arcs = &[(4, 1, 0), (1, 0, 1)];
    let system = net(&[2, 0, 1, 0, 1], &[LOOP, wants, other]);
    let reduction = reduced(&system, Rule::PreAgglomeration, &[marked(3)]);
    let back = reduction.lift.back(run(&reduction.system, &[0], 0));
    let taken = events(&back.unwrap().prefix);
    assert_eq!(taken, [0, 1, 0, 2].map(Some));
}

/// What two rules leave: places and events.
fn left_by_both(system: &System, rules: [Rule; 2], atoms: &[Proposition]) -> (usize, usize) {
    let support = Support::of(system, atoms, true);
    let budget = Budget::unlimited();
    let rules = Rules::only(&rules);
    let reduction = reduce(system, &support, rules, &mut no_advice, &budget).unwrap();
    let now = reduction.system;
    (now.variables.len(), now.events.len())
}

/// Events that are all equal make room for as many joint ones.
#[test]
fn few_pairs_are_joined_and_never_to_more_events_than_there_were() {
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
    // Nine joint events and one more, instead of six and so many more.
    assert_eq!(with(3, 3, 4), (2, 10));
    assert_eq!(with(3, 3, 3), (3, 7));
}

#[test]
fn joint_events_have_weights_that_can_be_counted() {
    let through: &Arcs = &[(1, 1, 0), (2, 0, 1)];
    let rule = Rule::PostAgglomeration;
    let with = |first: &Arcs| {
        left(
            &net(&[1, 0, 0], &[first, through, LOOP]),
            rule,
            &[marked(0)],
        )
    };
    assert!(with(&[(0, 1, 0), (1, 0, 1), (2, 0, 1)]).is_some());
    // Too many come in sum, or beside those that must be there.
    assert_eq!(with(&[(0, 1, 0), (1, 0, 1), (2, 0, Value::MAX)]), None);
    let all = Value::MAX;
    assert_eq!(with(&[(0, 1, 0), (1, 0, 1), (2, all, all)]), None);
}

#[test]
fn what_is_no_net_stays_as_it_is() {
    let support = |system: &System| Support::of(system, &[], true);
    let budget = Budget::unlimited();
    let made = |system: &System| {
        let all = Rules::all();
        reduce(system, &support(system), all, &mut no_advice, &budget).is_some()
    };
    let dead = net(&[1, 0, 0], &[LOOP, BACK, &[(2, 1, 0)]]);
    assert!(made(&dead));
    let mut fails = dead.clone();
    fails.fault = Some(VarId(2));
    assert!(!made(&fails));
    let mut nowhere = dead.clone();
    nowhere.initial.clear();
    assert!(!made(&nowhere));
    let mut program = dead;
    let (vars, rows) = (vec![VarId(0)], vec![[Some((1, 2))].into()]);
    program.events[0].action = Action::Table { vars, rows };
    assert!(!made(&program));
}

#[test]
fn units_and_arrays_are_those_of_places_that_stay() {
    let mut system = net(
        &[1, 2, 0],
        &[&[(0, 1, 0), (2, 0, 1), (1, 1, 1)], &[(2, 1, 0), (0, 0, 1)]],
    );
    system.units.push(Unit {
        places: vec![VarId(1), VarId(2)],
        subunits: Vec::new(),
    });
    let reduction = reduced(&system, Rule::ConstantPlaces, &[]);
    assert_eq!(reduction.system.units[0].places, [VarId(1)]);
    // The element in the middle is gone.
    let element = |first, len| {
        let index = Box::new(Expr::Const(0));
        let first = VarId(first);
        Proposition::State(Predicate::Expr(Expr::Element { first, len, index }))
    };
    assert_eq!(reduction.lift.forward(&element(0, 3)), None);
    assert_eq!(reduction.lift.forward(&element(2, 1)), Some(element(1, 1)));
}

/// The first gives what the second needs, takes what the second gives, and needs what the second takes.
#[test]
fn a_joint_event_needs_what_the_first_does_not_give() {
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
        Transition {
            arcs: arcs.clone(),
            way: Way::take(EventId(id as u32)),
        }
    });
    let both = first.then(&second).unwrap();
    let arcs = both.arcs.iter().map(|a| (a.var.0, a.need, a.delta));
    let expected = [(0, 1, -1), (1, 1, 0), (2, 2, -1), (3, 3, -2)];
    assert_eq!(arcs.collect::<Vec<_>>(), expected);
    assert_eq!(both.way.shown(), [EventId(0), EventId(1)]);
}

#[test]
fn a_run_ends_where_the_original_does() {
    let system = net(&[1, 0, 0], &[LOOP, BACK, &[(0, 1, 1), (2, 0, 1)]]);
    let reduction = reduced(&system, Rule::SinkPlaces, &[]);
    let back = reduction.lift.back(run(&reduction.system, &[0], 0));
    assert!(matches!(back, Err(Astray::Defect(_))));
}
