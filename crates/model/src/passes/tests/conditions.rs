//! For each condition of each rule a net on which it alone says no.

use super::*;

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
    // The joint event needs what the second of them does.
    let waiting = net(&[2, 0, 1, 0], &[LOOP, wants]);
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

/// The same system later: its runs come back behind the steps that led to where they start.
#[test]
fn steps_are_put_in_front_of_later_runs() {
    let system = net(&[1, 0], &[LOOP, BACK]);
    let first = run(&system, &[0, 1], 2).cycle;
    let way = Beginning {
        initial: system.initial[0].clone(),
        steps: first[..1].to_vec(),
    };
    let (now, lift) = later(&system, vec![way.clone(), way.clone()]);
    assert_eq!(now.initial, [way.end().clone()]);
    assert_eq!(lift.forward(&fires(1)), Some(fires(1)));
    let lasso = lift.back(run(&now, &[1, 0], 2)).unwrap();
    assert_eq!(lasso.initial, system.initial[0]);
    assert_eq!(events(&lasso.prefix), [Some(0)]);
    assert_eq!(events(&lasso.cycle), [Some(1), Some(0)]);
    assert_eq!(lasso.after(1), Some(run(&now, &[1, 0], 2)));
    assert_eq!(lasso.after(2), None);
    assert!(lift.back(run(&system, &[0, 1], 2)).is_err());
}
