//! Each rule on nets that do and do not satisfy its condition.

mod conditions;
mod fused;

use super::*;
use lariat_budget::Budget;
use lariat_model::{
    Action, Arc, Comparison, Domain, Event, EventId, Predicate, RunRecorder, Step, Value, VarId,
    Variable,
};

/// Arcs of a transition: place, consumed, produced.
type Arcs = [(u32, Value, Value)];

/// A net with places `p0`, `p1`, … and transitions `t0`, `t1`, … with these (place, consumed,
/// produced).
fn net(marking: &[Value], transitions: &[&Arcs]) -> System {
    let event = |(i, arcs): (usize, &&Arcs)| {
        let arc = |&(place, take, give): &(u32, Value, Value)| Arc {
            var: VarId(place),
            need: take,
            delta: give - take,
        };
        let mut arcs: Vec<Arc> = arcs.iter().map(arc).collect();
        arcs.sort_by_key(|arc| arc.var);
        Event {
            name: format!("t{i}"),
            action: Action::Net(arcs),
        }
    };
    System {
        name: "net".to_owned(),
        variables: (0..marking.len())
            .map(|i| Variable {
                name: format!("p{i}"),
                domain: Domain::Count { bound: None },
            })
            .collect(),
        events: transitions.iter().enumerate().map(event).collect(),
        initial: vec![marking.into()],
        ..System::default()
    }
}

fn marked(place: u32) -> Proposition {
    Proposition::State(Predicate::compare(VarId(place), Comparison::Ge, 1))
}

fn fires(event: u32) -> Proposition {
    Proposition::Fires(vec![EventId(event)])
}

/// The reduction by these rules for a property with these atoms, stutter-invariant or not.
fn reduction<'s>(
    system: &'s System,
    rules: &[Rule],
    atoms: &[Proposition],
    stutters: bool,
) -> Option<Reduction<'s>> {
    let support = Support::of(system, atoms, stutters);
    let (rules, budget) = (Rules::only(rules), Budget::unlimited());
    reduce(system, &support, rules, &mut no_advice, &budget)
}

/// The places and events that remain after one rule; `None` if it does not apply.
fn left(system: &System, rule: Rule, atoms: &[Proposition]) -> Option<(Vec<String>, Vec<String>)> {
    let reduced = reduction(system, &[rule], atoms, true)?.system;
    Some((
        reduced.variables.into_iter().map(|v| v.name).collect(),
        reduced.events.into_iter().map(|e| e.name).collect(),
    ))
}

fn reduced<'s>(system: &'s System, rule: Rule, atoms: &[Proposition]) -> Reduction<'s> {
    reduction(system, &[rule], atoms, true).unwrap()
}

fn some(places: &[&str], events: &[&str]) -> Option<(Vec<String>, Vec<String>)> {
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Some((own(places), own(events)))
}

/// The run of a system over these events, then stuttering or with the last `cycle` events as loop.
fn run(system: &System, events: &[u32], cycle: usize) -> Lasso {
    let mut run = RunRecorder::new(system.initial[0].clone());
    for event in events {
        let next = system.successors(run.state(), EventId(*event)).pop();
        run.push(Some(EventId(*event)), &next.unwrap());
    }
    if cycle == 0 {
        run.stutter();
    }
    let entry = run.len() - cycle.max(1);
    run.into_lasso(entry)
}

fn events(steps: &[Step]) -> Vec<Option<u32>> {
    steps.iter().map(|step| step.event.map(|e| e.0)).collect()
}

const LOOP: &Arcs = &[(0, 1, 0), (1, 0, 1)];
const BACK: &Arcs = &[(1, 1, 0), (0, 0, 1)];
const THROUGH: &Arcs = &[(1, 1, 0), (2, 0, 1)];
const RETURN: &Arcs = &[(2, 1, 0), (0, 0, 1)];
/// Like `LOOP` and `BACK`, with p2 parallel to p0.
const LOOP_FROM_BOTH: &Arcs = &[(0, 1, 0), (1, 0, 1), (2, 1, 0)];
const BACK_TO_BOTH: &Arcs = &[(1, 1, 0), (0, 0, 1), (2, 0, 1)];
/// A consumer of p1 that waits for p2.
const NEEDS: &Arcs = &[(1, 1, 0), (2, 1, 0), (3, 0, 1)];

#[test]
fn dead_events_are_those_whose_preset_cannot_be_marked() {
    // t2 needs p2, which only t3 fills, which needs p2; t4 needs two tokens in p0, which regains
    // one.
    let net = net(
        &[1, 0, 0],
        &[
            LOOP,
            BACK,
            &[(2, 1, 0)],
            &[(2, 1, 2)],
            &[(0, 2, 0)],
            &[(2, 0, 0), (0, 1, 1)],
        ],
    );
    let all = ["p0", "p1", "p2"];
    // The rule does not detect that p0 never holds two tokens.
    let kept = some(&all, &["t0", "t1", "t4", "t5"]);
    assert_eq!(left(&net, Rule::DeadEvents, &[]), kept);
    let reduction = reduced(&net, Rule::DeadEvents, &[fires(3)]);
    let never = Proposition::State(Predicate::Const(false));
    assert_eq!(reduction.lift.forward(&fires(3)), Some(never));
    let removed = Removed {
        rule: Rule::DeadEvents,
        places: 0,
        events: 2,
    };
    assert_eq!(reduction.removed, [removed]);
}

#[test]
fn equal_events_are_merged_unless_atoms_distinguish_them() {
    let net = net(&[1, 0], &[LOOP, LOOP, BACK]);
    let rule = Rule::EqualEvents;
    assert_eq!(left(&net, rule, &[]), some(&["p0", "p1"], &["t0", "t2"]));
    assert_eq!(left(&net, rule, &[fires(1)]), None);
    let either = Proposition::Fires(vec![EventId(0), EventId(1)]);
    let kept = some(&["p0", "p1"], &["t0", "t2"]);
    assert_eq!(left(&net, rule, &[either]), kept);
}

#[test]
fn constant_places_are_removed_if_sufficiently_marked() {
    let enough = net(&[1, 0, 2], &[&[(0, 1, 0), (1, 0, 1), (2, 2, 2)], BACK]);
    let rule = Rule::ConstantPlaces;
    assert_eq!(left(&enough, rule, &[]), some(&["p0", "p1"], &["t0", "t1"]));
    assert_eq!(left(&enough, rule, &[marked(2)]), None);
    let few = net(&[1, 0, 1], &[&[(0, 1, 0), (1, 0, 1), (2, 2, 2)], BACK]);
    assert_eq!(left(&few, rule, &[]), None);
}

#[test]
fn parallel_places_determine_each_other() {
    let [both, back] = [LOOP_FROM_BOTH, BACK_TO_BOTH];
    let rule = Rule::ParallelPlaces;
    let more = net(&[1, 0, 2], &[both, back]);
    let kept = some(&["p0", "p1"], &["t0", "t1"]);
    assert_eq!(left(&more, rule, &[marked(0)]), kept);
    // The place with fewer tokens decides.
    let fewer = net(&[2, 0, 1], &[both, back]);
    assert_eq!(left(&fewer, rule, &[marked(0)]), None);
    assert_eq!(left(&fewer, rule, &[]), some(&["p1", "p2"], &["t0", "t1"]));
    // A transition needs more tokens of it than of the other.
    let heavy = net(&[1, 0, 1], &[both, back, &[(2, 1, 1)]]);
    assert_eq!(left(&heavy, rule, &[marked(0)]), None);
}

/// Places that remain if these weights of `p0`, `p1`, … are claimed to make `place` implicit.
fn left_if_claimed(
    system: &System,
    place: u32,
    weights: &[i128],
    atoms: &[Proposition],
) -> Option<Vec<String>> {
    let support = Support::of(system, atoms, false);
    let all = (0..).map(VarId).zip(weights.iter().copied());
    let claim = ImplicitPlace {
        place: VarId(place),
        scale: weights[place as usize],
        by: (all.filter(|(p, weight)| p.0 != place && *weight != 0)).collect(),
    };
    let rules = Rules::only(&[Rule::ImplicitPlaces]);
    let mut advice = |_: &System, _: &[VarId]| vec![claim.clone()];
    let reduced = reduce(system, &support, rules, &mut advice, &Budget::unlimited())?.system;
    Some(reduced.variables.into_iter().map(|v| v.name).collect())
}

#[test]
fn implicit_places_follow_from_weighted_sums() {
    // Two steps move a token from p0 through p1 to p2; p3 holds the sum of p0 and p1, and the last
    // step needs it.
    let last: &Arcs = &[(1, 1, 0), (2, 0, 1), (3, 1, 0)];
    let sum = net(&[1, 0, 0, 1], &[LOOP, last]);
    let kept = ["p0", "p1", "p2"].map(str::to_owned).to_vec();
    let weights = [1, 1, 0, 1];
    assert_eq!(left_if_claimed(&sum, 3, &weights, &[]), Some(kept.clone()));
    assert_eq!(left_if_claimed(&sum, 3, &[2, 2, 0, 2], &[]), Some(kept));
    assert_eq!(left_if_claimed(&sum, 3, &weights, &[marked(3)]), None);
    // A zero and a negative weight, and weights that do not cover the last step.
    assert_eq!(left_if_claimed(&sum, 3, &[1, 1, 0, 0], &[]), None);
    assert_eq!(left_if_claimed(&sum, 3, &[-1, 1, 0, 1], &[]), None);
    assert_eq!(left_if_claimed(&sum, 3, &[1, 0, 0, 1], &[]), None);
    assert_eq!(left_if_claimed(&sum, 3, &[i128::MAX, 2, 0, 1], &[]), None);
    let heavy: &Arcs = &[(1, 1, 0), (2, 0, 1), (3, 2, 1)];
    for system in [
        // Another transition takes from p3; one feeds p0 but not p3; p3 has fewer tokens initially.
        net(&[1, 0, 0, 1], &[LOOP, last, &[(3, 1, 0)]]),
        net(&[1, 0, 0, 1], &[LOOP, last, &[(0, 0, 1)]]),
        net(&[1, 0, 0, 0], &[LOOP, last]),
        // The last step needs two tokens there and takes one: p1 does not imply two.
        net(&[2, 0, 0, 2], &[LOOP, heavy]),
        // A test of p3 that needs neither p0 nor p1.
        net(&[1, 0, 0, 1], &[LOOP, last, &[(3, 1, 1)]]),
    ] {
        assert_eq!(left_if_claimed(&system, 3, &weights, &[]), None);
    }
    // Negative weights are rejected, although p0 + p1 is invariant.
    let fro = net(&[1, 0], &[LOOP, BACK]);
    assert_eq!(left_if_claimed(&fro, 0, &[1, -1], &[]), None);
    // A constant place needs no supporting places.
    let constant = net(&[1, 0, 0, 1], &[LOOP, BACK, &[(3, 1, 1)]]);
    assert!(left_if_claimed(&constant, 3, &[0, 0, 0, 1], &[]).is_some());
}

#[test]
fn one_of_two_mutually_implicit_places_remains() {
    let alike = net(&[1, 0, 1], &[LOOP_FROM_BOTH, BACK_TO_BOTH]);
    let claim = |place, by| ImplicitPlace {
        place: VarId(place),
        scale: 1,
        by: vec![(VarId(by), 1)],
    };
    let mut advice = |_: &System, _: &[VarId]| vec![claim(0, 2), claim(2, 0)];
    let support = Support::of(&alike, &[], false);
    let rules = Rules::only(&[Rule::ImplicitPlaces]);
    let reduced = reduce(&alike, &support, rules, &mut advice, &Budget::unlimited()).unwrap();
    let names: Vec<&str> = (reduced.system.variables.iter())
        .map(|v| v.name.as_str())
        .collect();
    assert_eq!(names, ["p1", "p2"]);
    // A place does not support itself.
    let mut advice = |_: &System, _: &[VarId]| vec![claim(0, 0), claim(1, 1), claim(2, 2)];
    assert!(reduce(&alike, &support, rules, &mut advice, &Budget::unlimited()).is_none());
}

#[test]
fn a_loop_that_fills_an_implicit_place_is_a_covering_run() {
    // p2 gains two tokens when p1 gains one, and loses one when p1 does.
    let fill: &Arcs = &[(0, 1, 0), (1, 0, 1), (2, 0, 2)];
    let empty: &Arcs = &[(1, 1, 0), (0, 0, 1), (2, 1, 0)];
    let grows = net(&[1, 0, 0], &[fill, empty]);
    let claim = ImplicitPlace {
        place: VarId(2),
        scale: 1,
        by: vec![(VarId(1), 1)],
    };
    let mut advice = |_: &System, _: &[VarId]| vec![claim.clone()];
    let support = Support::of(&grows, &[], false);
    let rules = Rules::only(&[Rule::ImplicitPlaces]);
    let reduction = reduce(&grows, &support, rules, &mut advice, &Budget::unlimited()).unwrap();
    let back = reduction
        .lift
        .back(run(&reduction.system, &[0, 1], 2), &Budget::unlimited());
    assert_eq!(back.unwrap().growth, Some([0, 0, 1].into()));
}

#[test]
fn sink_places_are_removed_and_loops_that_fill_them_lift_to_covering_runs() {
    let net = net(
        &[1, 0, 0],
        &[LOOP, &[(1, 1, 0), (0, 0, 1), (2, 0, 1)], &[(0, 1, 0)]],
    );
    let kept = some(&["p0", "p1"], &["t0", "t1", "t2"]);
    assert_eq!(left(&net, Rule::SinkPlaces, &[]), kept);
    assert_eq!(left(&net, Rule::SinkPlaces, &[marked(2)]), None);
    let reduction = reduced(&net, Rule::SinkPlaces, &[]);
    let grows = reduction
        .lift
        .back(run(&reduction.system, &[0, 1], 2), &Budget::unlimited());
    assert_eq!(grows.unwrap().growth, Some([0, 0, 1].into()));
    let ends = reduction
        .lift
        .back(run(&reduction.system, &[0, 1, 2], 0), &Budget::unlimited());
    let ends = ends.unwrap();
    assert_eq!(events(&ends.prefix), [Some(0), Some(1), Some(2)]);
    assert_eq!(*ends.entry(), [0, 0, 1]);
    assert_eq!(ends.cycle, [Step::stutter()]);
}

#[test]
fn consumers_that_follow_at_once_are_fused() {
    let ring = net(&[1, 0, 0], &[LOOP, THROUGH, RETURN]);
    let rule = Rule::PostAgglomeration;
    // p1 and t1 are removed; then p2 is removable too, since t2 is invisible but for p0.
    let kept = some(&["p0", "p2"], &["t2", "t0.t1"]);
    assert_eq!(left(&ring, rule, &[marked(0)]), kept);
    assert_eq!(left(&ring, rule, &[marked(0), marked(1), marked(2)]), None);
    assert_eq!(left(&ring, rule, &[marked(0), fires(2)]), None);
    let deadlock = Proposition::State(Predicate::Deadlock);
    assert_eq!(left(&ring, rule, &[marked(0), deadlock]), None);
    // A token initially, a second place in the preset, two tokens at once, a test.
    let needs: &Arcs = &[(1, 1, 0), (2, 0, 1), (3, 1, 1)];
    let two: &Arcs = &[(0, 1, 0), (1, 0, 2)];
    let test: &Arcs = &[(1, 1, 1), (2, 0, 1)];
    for system in [
        net(&[1, 1, 0], &[LOOP, THROUGH, RETURN]),
        net(&[1, 0, 0, 1], &[LOOP, needs, RETURN]),
        net(&[1, 0, 0], &[two, THROUGH, RETURN]),
        net(&[1, 0, 0], &[LOOP, THROUGH, RETURN, test]),
    ] {
        assert_eq!(left(&system, rule, &[marked(0)]), None, "{system:?}");
    }
    // Not known to be stutter-invariant.
    assert!(reduction(&ring, &[rule], &[marked(0)], false).is_none());
    let reduction = reduced(&ring, rule, &[marked(0)]);
    let lasso = reduction
        .lift
        .back(run(&reduction.system, &[1, 0], 2), &Budget::unlimited());
    assert_eq!(events(&lasso.unwrap().cycle), [Some(0), Some(1), Some(2)]);
}

#[test]
fn producers_that_can_be_delayed_are_fused() {
    // t0 moves a token from p0 to p1, where t1 also needs p2.
    let waiting = net(&[2, 0, 1, 0], &[LOOP, NEEDS]);
    let rule = Rule::PreAgglomeration;
    let atoms = [marked(3)];
    let kept = some(&["p0", "p2", "p3"], &["t0.t1"]);
    assert_eq!(left(&waiting, rule, &atoms), kept);
    assert_eq!(left(&waiting, rule, &[marked(0)]), None);
    assert_eq!(left(&waiting, rule, &[marked(1)]), None);
    let more: &Arcs = &[(0, 1, 0), (1, 0, 1), (2, 0, 1)];
    let test: &Arcs = &[(0, 1, 1), (1, 0, 1)];
    let source: &Arcs = &[(1, 0, 1)];
    for system in [
        // Another transition needs p0; t0 produces elsewhere; t0 takes nothing; p1 is marked.
        net(&[2, 0, 1, 0], &[LOOP, NEEDS, &[(0, 1, 0)]]),
        net(&[2, 0, 1, 0], &[more, NEEDS]),
        net(&[2, 0, 1, 0], &[source, NEEDS]),
        net(&[2, 1, 1, 0], &[LOOP, NEEDS]),
        // A producer that only tests p0 could fire infinitely often.
        net(&[2, 0, 1, 0], &[test, NEEDS]),
    ] {
        assert_eq!(left(&system, rule, &atoms), None, "{system:?}");
    }
    // At the end t0 is still pending.
    let reduction = reduced(&waiting, rule, &atoms);
    let lasso = reduction
        .lift
        .back(run(&reduction.system, &[0], 0), &Budget::unlimited());
    let lasso = lasso.unwrap();
    assert_eq!(events(&lasso.prefix), [Some(0), Some(1), Some(0)]);
    assert_eq!(events(&lasso.cycle), [None]);
}

#[test]
fn reductions_reach_a_fixed_point_within_counted_work() {
    let [on, home]: [&Arcs; 2] = [&[(2, 1, 0), (3, 0, 1)], &[(3, 1, 0), (0, 0, 1)]];
    let ring = net(&[1, 0, 0, 0], &[LOOP, THROUGH, on, home]);
    let support = Support::of(&ring, &[marked(0)], true);
    let whole = Budget::unlimited();
    let reduction = reduce(&ring, &support, Rules::all(), &mut no_advice, &whole).unwrap();
    assert_eq!(reduction.system.variables.len(), 2);
    assert_eq!(reduction.system.events.len(), 2);
    let few = Budget::unlimited().with_work(1);
    assert!(reduce(&ring, &support, Rules::all(), &mut no_advice, &few).is_none());
    assert!(reduce(&ring, &support, Rules::NONE, &mut no_advice, &whole).is_none());
}

/// Every two of many places are connected by moves, so that a list of all moves would be too long.
#[test]
fn rings_may_have_many_moves() {
    let size = 110u32;
    let pairs = (0..size).flat_map(|from| (0..size).map(move |to| (from, to)));
    let moves: Vec<[(u32, Value, Value); 2]> = pairs
        .filter(|(from, to)| from != to)
        .map(|(from, to)| [(from, 1, 0), (to, 0, 1)])
        .collect();
    let mut initial = vec![0; size as usize];
    initial[0] = 1;
    let moves: Vec<&Arcs> = moves.iter().map(|arcs| &arcs[..]).collect();
    let (places, events) = left(&net(&initial, &moves), Rule::TokenRings, &[]).unwrap();
    assert_eq!((places.len(), events.len()), (1, 1));
}
