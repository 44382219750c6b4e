//! Equal futures, token rings and the prefix of interest: nets that violate one condition each, and
//! lifted runs.

use super::*;

/// Number of places that remain after one rule without stutter invariance.
fn left_with_next(system: &System, rule: Rule, atoms: &[Proposition]) -> Option<usize> {
    let reduction = reduction(system, &[rule], atoms, false)?;
    Some(reduction.system.variables.len())
}

/// The lift of the run of the reduced net over these events; the last `cycle` are its loop.
fn lifted(reduction: &Reduction<'_>, events: &[u32], cycle: usize) -> Lasso {
    let run = run(&reduction.system, events, cycle);
    reduction.lift.back(run, &Budget::unlimited()).unwrap()
}

fn taken(steps: &[Step]) -> Vec<u32> {
    events(steps).into_iter().flatten().collect()
}

const DEADLOCK: Proposition = Proposition::State(Predicate::Deadlock);

/// Tokens move from p0 to p1 or p2, from there to p3, and back.
const LEFT: &Arcs = &[(0, 1, 0), (1, 0, 1)];
const RIGHT: &Arcs = &[(0, 1, 0), (2, 0, 1)];
const FROM_LEFT: &Arcs = &[(1, 1, 0), (3, 0, 1)];
const FROM_RIGHT: &Arcs = &[(2, 1, 0), (3, 0, 1)];
const HOME: &Arcs = &[(3, 1, 0), (0, 0, 1)];

#[test]
fn places_with_equal_future_are_fused() {
    let both = net(&[1, 1, 1, 0], &[LEFT, RIGHT, FROM_LEFT, FROM_RIGHT, HOME]);
    let rule = Rule::EqualFuture;
    let kept = some(&["p0", "p1+p2", "p3"], &["t0", "t1", "t2", "t4"]);
    assert_eq!(left(&both, rule, &[marked(0), marked(3)]), kept);
    assert_eq!(left_with_next(&both, rule, &[DEADLOCK]), Some(3));
    let system = reduced(&both, rule, &[]).system;
    assert_eq!(*system.initial[0], [1, 2, 0]);
    // An atom reads one of the places, or names one of the twins.
    for atom in [marked(1), marked(2), fires(2), fires(3)] {
        assert_eq!(left(&both, rule, &[atom]), None);
    }
    let either = Proposition::Fires(vec![EventId(2), EventId(3)]);
    let reduction = reduced(&both, rule, std::slice::from_ref(&either));
    assert_eq!(reduction.lift.forward(&either), Some(fires(2)));
    // p1 has no counterpart any more.
    assert_eq!(reduction.lift.forward(&marked(1)), None);
    assert_eq!(reduction.lift.forward(&marked(3)), Some(marked(2)));
}

#[test]
fn twins_differ_only_in_the_place() {
    let rule = Rule::EqualFuture;
    let with = |from_left: &Arcs, from_right: &Arcs, more: &Arcs| {
        let all = [LEFT, RIGHT, from_left, from_right, HOME, more];
        left(&net(&[2, 1, 1, 0], &all), rule, &[])
    };
    let nothing: &Arcs = &[(0, 1, 1)];
    assert!(with(FROM_LEFT, FROM_RIGHT, nothing).is_some());
    // Two tokens, which may be in different places.
    let two: [&Arcs; 2] = [&[(1, 2, 0), (3, 0, 1)], &[(2, 2, 0), (3, 0, 1)]];
    assert_eq!(with(two[0], two[1], nothing), None);
    // A twin produces more, needs another place, or returns the token.
    for other in [
        &[(2, 1, 0), (3, 0, 2)][..],
        &[(2, 1, 0), (3, 0, 1), (0, 1, 1)],
        &[(2, 1, 1), (3, 0, 1)],
    ] {
        assert_eq!(with(FROM_LEFT, other, nothing), None);
    }
    // A consumer of the first or second place has no twin, or needs both.
    for more in [&[(1, 1, 0)][..], &[(2, 1, 0)], &[(1, 1, 0), (2, 1, 0)]] {
        assert_eq!(with(FROM_LEFT, FROM_RIGHT, more), None);
    }
    // Sinks are not fused.
    let fill: [&Arcs; 2] = [&[(0, 1, 1), (1, 0, 1)], &[(0, 1, 1), (2, 0, 1)]];
    let sinks = net(&[1, 0, 0], &fill);
    assert_eq!(left(&sinks, rule, &[]), None);
    // The sum of tokens overflows.
    let all = [LEFT, RIGHT, FROM_LEFT, FROM_RIGHT, HOME];
    let many = net(&[0, Value::MAX, 1, 0], &all);
    assert_eq!(left(&many, rule, &[]), None);
}

#[test]
fn the_lift_fires_the_enabled_twin() {
    let both = net(&[1, 0, 0, 0], &[LEFT, RIGHT, FROM_LEFT, FROM_RIGHT, HOME]);
    let reduction = reduced(&both, Rule::EqualFuture, &[]);
    // t0, t1, either of t2 and t3, t4
    let lasso = lifted(&reduction, &[0, 2, 3, 1, 2, 3], 6);
    assert_eq!(taken(&lasso.cycle), [0, 2, 4, 1, 3, 4]);
}

/// Tokens arrive in p2 and are first taken from p1.
#[test]
fn a_loop_is_repeated_until_the_tokens_return() {
    let drift = net(&[1, 2, 0, 0], &[RIGHT, FROM_LEFT, FROM_RIGHT, HOME]);
    let reduction = reduced(&drift, Rule::EqualFuture, &[]);
    let lasso = lifted(&reduction, &[0, 1, 2], 3);
    assert!(lasso.comes_round() && lasso.growth.is_none());
    assert_eq!(taken(&lasso.prefix), [0, 1, 3, 0, 1, 3, 0, 2, 3]);
    assert_eq!(taken(&lasso.cycle), [0, 2, 3]);
    // Likewise if each round adds a token to one of the places.
    let grows: &Arcs = &[(0, 1, 0), (2, 0, 2)];
    let growing = net(&[1, 1, 0, 0], &[grows, FROM_LEFT, FROM_RIGHT, HOME]);
    let reduction = reduced(&growing, Rule::EqualFuture, &[]);
    let mut round = run(&reduction.system, &[0, 1, 2], 3);
    round.growth = Some([0, 1, 0].into());
    let lasso = reduction
        .lift
        .back(round.clone(), &Budget::unlimited())
        .unwrap();
    assert!(lasso.comes_round());
    assert_eq!(lasso.growth, Some([0, 0, 1, 0].into()));
    assert_eq!(taken(&lasso.cycle), [0, 2, 3]);
    // Any other growth is rejected.
    for wrong in [Some([0, 2, 0].into()), Some([1, 1, 0].into()), None] {
        round.growth = wrong;
        let back = reduction.lift.back(round.clone(), &Budget::unlimited());
        assert!(matches!(back, Err(LiftError::Defect(_))), "{back:?}");
    }
}

/// p1, p2 and p3 are a ring; t3 fills p1, and t4 takes one token of p2 and one of p3.
fn ring() -> [&'static Arcs; 5] {
    [
        &[(1, 1, 0), (2, 0, 1)],
        &[(2, 1, 0), (3, 0, 1)],
        &[(3, 1, 0), (1, 0, 1)],
        &[(0, 1, 0), (1, 0, 1)],
        &[(2, 1, 0), (3, 1, 0), (0, 0, 2)],
    ]
}

#[test]
fn rings_are_fused() {
    let system = net(&[1, 1, 0, 0], &ring());
    let rule = Rule::TokenRings;
    // A self-loop remains.
    let kept = some(&["p0", "p1+p2+p3"], &["t0", "t3", "t4"]);
    assert_eq!(left(&system, rule, &[marked(0), DEADLOCK]), kept);
    let now = reduced(&system, rule, &[]).system;
    assert_eq!(*now.initial[0], [1, 1]);
    let arcs = |event: usize| match &now.events[event].action {
        Action::Net(arcs) => arcs.iter().map(|a| (a.var.0, a.need, a.delta)).collect(),
        _ => Vec::new(),
    };
    assert_eq!(arcs(0), [(1, 1, 0)]);
    assert_eq!(arcs(2), [(0, 0, 2), (1, 2, -2)]);
    // Atoms read a place of the ring or name events; the property is not stutter-invariant.
    for atom in [marked(1), marked(2), marked(3), fires(4)] {
        assert_eq!(left(&system, rule, &[atom]), None);
    }
    assert_eq!(left_with_next(&system, rule, &[marked(0)]), None);
}

#[test]
fn rings_are_strongly_connected_components_of_simple_moves() {
    let rule = Rule::TokenRings;
    let with = |last: &Arcs| {
        let [first, second, _, fill, take] = ring();
        let system = net(&[2, 1, 0, 0, 1], &[first, second, last, fill, take]);
        left(&system, rule, &[marked(0)])
    };
    assert!(with(ring()[2]).is_some());
    for other in [
        // Not back to p1.
        &[(3, 1, 0), (0, 0, 1)][..],
        // Several tokens are needed, lost, produced or left behind, or another place is involved.
        &[(3, 2, 1), (1, 0, 1)],
        &[(3, 2, 0), (1, 0, 1)],
        &[(3, 1, 0), (1, 0, 2)],
        &[(3, 1, 1), (1, 0, 1)],
        &[(3, 1, 0), (1, 1, 2)],
        &[(3, 1, 0), (1, 0, 1), (0, 1, 1)],
        &[(3, 1, 0), (1, 0, 1), (0, 0, 1)],
        &[(3, 1, 0), (1, 0, 1), (4, 1, 1)],
    ] {
        assert_eq!(with(other), None, "{other:?}");
    }
    // A move needs a token in its target.
    let [_, second, last, ..] = ring();
    let hesitant = net(&[0, 2, 0, 0], &[&[(1, 1, 0), (2, 1, 2)], second, last]);
    assert_eq!(left(&hesitant, rule, &[]), None);
    let many = net(&[0, Value::MAX, 1, 0], &ring());
    assert_eq!(left(&many, rule, &[]), None);
}

#[test]
fn the_lift_moves_tokens_to_where_they_are_needed() {
    let system = net(&[1, 1, 0, 0], &ring());
    let reduction = reduced(&system, Rule::TokenRings, &[marked(0)]);
    // Both tokens are in p1; one is needed in p2 and one in p3; then only moves follow.
    let lasso = lifted(&reduction, &[1, 2, 1, 0, 0], 2);
    assert_eq!(taken(&lasso.prefix)[..5], [3, 0, 0, 1, 4]);
    assert!(lasso.comes_round());
    // The whole loop consists of moves.
    assert!(taken(&lasso.cycle).iter().all(|event| *event < 3));
    let round = lifted(&reduction, &[1, 2, 1, 1, 2, 1], 3);
    assert!(round.comes_round() && round.growth.is_none());
    // Without tokens the ring is disabled.
    let [.., take] = ring();
    let end: &Arcs = &[(2, 1, 0), (0, 0, 1)];
    let ending = net(&[0, 1, 0, 0], &[&ring()[..3], &[take, end]].concat());
    let reduction = reduced(&ending, Rule::TokenRings, &[marked(0)]);
    let lasso = lifted(&reduction, &[2], 0);
    assert_eq!(taken(&lasso.prefix), [0, 4]);
    assert!(ending.is_deadlock(&lasso.entry()));
}

/// A token circulates through p1, p2 and p3, and each round of the reduced net adds a token to p0;
/// three rounds close the loop.
#[test]
fn repeated_rounds_multiply_the_growth() {
    let [first, second, last, ..] = ring();
    let system = net(&[0, 1, 0, 0], &[first, second, last, &[(0, 0, 1)]]);
    let reduction = reduced(&system, Rule::TokenRings, &[marked(0)]);
    let mut round = run(&reduction.system, &[1, 0], 2);
    round.growth = Some([1, 0].into());
    let lasso = reduction.lift.back(round, &Budget::unlimited()).unwrap();
    assert!(lasso.comes_round());
    assert_eq!(lasso.growth, Some([3, 0, 0, 0].into()));
    assert_eq!(taken(&lasso.cycle).len(), 6);
}

/// A token alternates between p0 and p1; p2 and p3 are their complements.
#[test]
fn removed_parallel_places_return_with_the_ring() {
    let there: &Arcs = &[(0, 1, 0), (1, 0, 1), (2, 0, 1), (3, 1, 0)];
    let back: &Arcs = &[(0, 0, 1), (1, 1, 0), (2, 1, 0), (3, 0, 1)];
    let system = net(&[1, 0, 0, 1], &[there, back]);
    let rules = [Rule::ParallelPlaces, Rule::TokenRings];
    let reduction = reduction(&system, &rules, &[], true).unwrap();
    assert_eq!(reduction.system.variables.len(), 1);
    let lasso = lifted(&reduction, &[0], 1);
    assert!(lasso.comes_round());
    assert_eq!(taken(&lasso.cycle), [1, 0]);
}

/// p0 and p1 alternate; t1 puts a token into p2, from where it moves to p3 and vanishes.
fn tail() -> [&'static Arcs; 4] {
    [
        LOOP,
        &[(1, 1, 0), (0, 0, 1), (2, 0, 1)],
        &[(2, 1, 0), (3, 0, 2)],
        &[(3, 1, 0)],
    ]
}

#[test]
fn the_part_behind_the_prefix_of_interest_is_removed() {
    let system = net(&[1, 0, 0, 0], &tail());
    let rule = Rule::PrefixOfInterest;
    let kept = some(&["p0", "p1"], &["t0", "t1"]);
    assert_eq!(left(&system, rule, &[marked(0)]), kept);
    // Everything that leads to an observed place remains, also within the tail.
    assert_eq!(left(&system, rule, &[marked(3)]), None);
    let filling = net(&[1, 0, 0, 0], &tail()[..3]);
    assert_eq!(left(&filling, rule, &[marked(3)]), None);
    let half = some(&["p0", "p1", "p2"], &["t0", "t1", "t2"]);
    assert_eq!(left(&system, rule, &[marked(2)]), half);
    for atom in [DEADLOCK, fires(0)] {
        assert_eq!(left(&system, rule, &[marked(0), atom]), None);
    }
    assert_eq!(left_with_next(&system, rule, &[marked(0)]), None);
    // A loop of the reduced net fills the rest.
    let reduction = reduced(&system, rule, &[marked(0)]);
    let lasso = lifted(&reduction, &[0, 1], 2);
    assert_eq!(taken(&lasso.cycle), [0, 1]);
    assert_eq!(lasso.growth, Some([0, 0, 1, 0].into()));
}

#[test]
fn cyclic_and_observed_parts_remain() {
    let rule = Rule::PrefixOfInterest;
    let with = |more: &Arcs| {
        let [turn, back, further, end] = tail();
        let system = net(&[1, 0, 0, 0, 0], &[turn, back, further, end, more]);
        left(&system, rule, &[marked(0)]).map(|(places, _)| places.len())
    };
    // p4 has no arcs and is removed with the others.
    assert_eq!(with(&[(3, 1, 0), (4, 0, 1)]), Some(2));
    // From p3 to p2, to p0, and back to p3; p3 is tested, or needed together with p0.
    for more in [
        &[(3, 1, 0), (2, 0, 1)][..],
        &[(3, 1, 0), (0, 0, 1)],
        &[(3, 1, 1)],
        &[(3, 1, 0), (0, 1, 1)],
        &[(3, 1, 0), (0, 1, 0)],
    ] {
        assert_eq!(with(more), Some(4), "{more:?}");
    }
    // A transition that needs p2 and feeds a remaining place keeps p2, but not p3.
    assert_eq!(with(&[(2, 1, 0), (0, 0, 1)]), Some(3));
    // A transition with empty preset can fire infinitely often.
    let source = net(&[1, 0, 0], &[&[(0, 1, 0)], &[(1, 0, 1)], &[(1, 1, 0)]]);
    let kept = some(&["p0"], &["t0", "t1"]);
    assert_eq!(left(&source, rule, &[marked(0)]), kept);
    // One place remains, with all that leads to it.
    let chain = net(&[1, 0, 0], &[LOOP, &[(1, 1, 0), (2, 0, 1)]]);
    assert_eq!(left(&chain, rule, &[]), some(&["p0"], &["t0"]));
}

#[test]
fn at_a_deadlock_the_rest_fires_in_topological_order() {
    // t0 deadlocks the reduced net; t1 and t2 empty the rest, and t2 fires first.
    let system = net(
        &[1, 0, 0, 0],
        &[
            &[(0, 1, 0), (1, 0, 2)],
            &[(2, 1, 0), (3, 0, 1)],
            &[(1, 1, 0), (2, 0, 2)],
        ],
    );
    let reduction = reduced(&system, Rule::PrefixOfInterest, &[marked(0)]);
    assert_eq!(reduction.system.variables.len(), 1);
    let lasso = lifted(&reduction, &[0], 0);
    assert_eq!(taken(&lasso.prefix), [0, 2, 2, 1, 1, 1, 1]);
    assert_eq!(events(&lasso.cycle), [None]);
    assert!(system.is_deadlock(&lasso.entry()));
}
