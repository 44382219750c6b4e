//! Each rule on a net that shows its condition.

mod conditions;
mod fused;

use super::*;
use lariat_budget::Budget;
use lariat_model::{
    Action, Arc, Comparison, Domain, Event, EventId, Predicate, State, Step, Value, VarId, Variable,
};

/// Arcs of a transition: place, consumed, produced.
type Arcs = [(u32, Value, Value)];

/// A net with places `p0`, `p1`, … and the transitions `t0`, `t1`, …, each with its (place, consumed, produced).
fn net(marking: &[Value], transitions: &[&[(u32, Value, Value)]]) -> System {
    let event = |(i, arcs): (usize, &&[(u32, Value, Value)])| {
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

/// The names of places and events that one rule leaves; `None` if it finds nothing.
fn left(system: &System, rule: Rule, atoms: &[Proposition]) -> Option<(Vec<String>, Vec<String>)> {
    let support = Support::of(system, atoms, true);
    let rules = Rules::only(&[rule]);
    let reduced = reduce(
        system,
        &support,
        rules,
        &mut no_advice,
        &Budget::unlimited(),
    )?
    .system;
    Some((
        reduced.variables.into_iter().map(|v| v.name).collect(),
        reduced.events.into_iter().map(|e| e.name).collect(),
    ))
}

/// What one rule makes of a net.
fn reduced<'s>(system: &'s System, rule: Rule, atoms: &[Proposition]) -> Reduction<'s> {
    let support = Support::of(system, atoms, true);
    let rules = Rules::only(&[rule]);
    reduce(
        system,
        &support,
        rules,
        &mut no_advice,
        &Budget::unlimited(),
    )
    .unwrap()
}

fn some(places: &[&str], events: &[&str]) -> Option<(Vec<String>, Vec<String>)> {
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Some((own(places), own(events)))
}

/// The run of the reduced net that takes these events, then stutters or loops over the last `cycle` of them.
fn run(system: &System, events: &[u32], cycle: usize) -> Lasso {
    let mut state = system.initial[0].clone();
    let mut steps: Vec<Step> = Vec::new();
    for event in events {
        let event = EventId(*event);
        state = system.successors(&state, event).pop().unwrap();
        steps.push(Step {
            event: Some(event),
            state: state.clone(),
        });
    }
    let cycle = match cycle {
        0 => vec![Step { event: None, state }],
        n => steps.split_off(steps.len() - n),
    };
    Lasso {
        initial: system.initial[0].clone(),
        prefix: steps,
        cycle,
        growth: None,
    }
}

fn events(steps: &[Step]) -> Vec<Option<u32>> {
    steps.iter().map(|step| step.event.map(|e| e.0)).collect()
}

const LOOP: &[(u32, Value, Value)] = &[(0, 1, 0), (1, 0, 1)];
const BACK: &[(u32, Value, Value)] = &[(1, 1, 0), (0, 0, 1)];

#[test]
fn dead_events_are_found_by_what_can_be_marked() {
    // t2 needs p2, which only t3 fills, which needs p2; t4 needs two tokens in p0, which gets one back.
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
    // That more than one token never comes together in p0 is not seen by this rule.
    let kept = some(&all, &["t0", "t1", "t4", "t5"]);
    assert_eq!(left(&net, Rule::DeadEvents, &[]), kept);
    let support = Support::of(&net, &[fires(3)], true);
    let rules = Rules::only(&[Rule::DeadEvents]);
    let budget = Budget::unlimited();
    let reduction = reduce(&net, &support, rules, &mut no_advice, &budget).unwrap();
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
fn equal_events_are_one_unless_atoms_tell_them_apart() {
    let net = net(&[1, 0], &[LOOP, LOOP, BACK]);
    let rule = Rule::EqualEvents;
    assert_eq!(left(&net, rule, &[]), some(&["p0", "p1"], &["t0", "t2"]));
    assert_eq!(left(&net, rule, &[fires(1)]), None);
    let either = Proposition::Fires(vec![EventId(0), EventId(1)]);
    let kept = some(&["p0", "p1"], &["t0", "t2"]);
    assert_eq!(left(&net, rule, &[either]), kept);
}

#[test]
fn constant_places_are_those_with_enough() {
    let enough = net(&[1, 0, 2], &[&[(0, 1, 0), (1, 0, 1), (2, 2, 2)], BACK]);
    let rule = Rule::ConstantPlaces;
    assert_eq!(left(&enough, rule, &[]), some(&["p0", "p1"], &["t0", "t1"]));
    assert_eq!(left(&enough, rule, &[marked(2)]), None);
    let few = net(&[1, 0, 1], &[&[(0, 1, 0), (1, 0, 1), (2, 2, 2)], BACK]);
    assert_eq!(left(&few, rule, &[]), None);
}

#[test]
fn parallel_places_tell_each_other() {
    let both: &[(u32, Value, Value)] = &[(0, 1, 0), (1, 0, 1), (2, 1, 0)];
    let back: &[(u32, Value, Value)] = &[(1, 1, 0), (0, 0, 1), (2, 0, 1)];
    let rule = Rule::ParallelPlaces;
    let more = net(&[1, 0, 2], &[both, back]);
    assert_eq!(
        left(&more, rule, &[marked(0)]),
        some(&["p0", "p1"], &["t0", "t1"])
    );
    // The one with fewer tokens decides.
    let fewer = net(&[2, 0, 1], &[both, back]);
    assert_eq!(left(&fewer, rule, &[marked(0)]), None);
    assert_eq!(left(&fewer, rule, &[]), some(&["p1", "p2"], &["t0", "t1"]));
    // Somebody needs more of it than of the other.
    let heavy = net(&[1, 0, 1], &[both, back, &[(2, 1, 1)]]);
    assert_eq!(left(&heavy, rule, &[marked(0)]), None);
}

/// What is left if these weights of `p0`, `p1`, … are said to tell of a place; the weight of that place is its own.
fn left_if_told(
    system: &System,
    place: u32,
    weights: &[i128],
    atoms: &[Proposition],
) -> Option<Vec<String>> {
    let support = Support::of(system, atoms, false);
    let all = (0..).map(VarId).zip(weights.iter().copied());
    let told = Told {
        place: VarId(place),
        scale: weights[place as usize],
        by: (all.filter(|(p, weight)| p.0 != place && *weight != 0)).collect(),
    };
    let rules = Rules::only(&[Rule::ImplicitPlaces]);
    let mut advice = |_: &System, _: &[VarId]| vec![told.clone()];
    let reduced = reduce(system, &support, rules, &mut advice, &Budget::unlimited())?.system;
    Some(reduced.variables.into_iter().map(|v| v.name).collect())
}

#[test]
fn implicit_places_are_told_by_sums_of_others() {
    // Two steps take a token from p0 over p1 to p2, and p3 has what is in p0 and p1 together; the last step needs it.
    let first: &[(u32, Value, Value)] = &[(0, 1, 0), (1, 0, 1)];
    let last: &[(u32, Value, Value)] = &[(1, 1, 0), (2, 0, 1), (3, 1, 0)];
    let sum = net(&[1, 0, 0, 1], &[first, last]);
    let kept = ["p0", "p1", "p2"].map(str::to_owned).to_vec();
    let weights = [1, 1, 0, 1];
    assert_eq!(left_if_told(&sum, 3, &weights, &[]), Some(kept.clone()));
    assert_eq!(left_if_told(&sum, 3, &[2, 2, 0, 2], &[]), Some(kept));
    assert_eq!(left_if_told(&sum, 3, &weights, &[marked(3)]), None);
    // Weights that are none, and one that says nothing of the last step.
    assert_eq!(left_if_told(&sum, 3, &[1, 1, 0, 0], &[]), None);
    assert_eq!(left_if_told(&sum, 3, &[-1, 1, 0, 1], &[]), None);
    assert_eq!(left_if_told(&sum, 3, &[1, 0, 0, 1], &[]), None);
    assert_eq!(left_if_told(&sum, 3, &[i128::MAX, 2, 0, 1], &[]), None);
    // Somebody else takes from p3; somebody puts into p0 what does not come to p3; there is less in p3 at the start.
    let thief = net(&[1, 0, 0, 1], &[first, last, &[(3, 1, 0)]]);
    assert_eq!(left_if_told(&thief, 3, &weights, &[]), None);
    let source = net(&[1, 0, 0, 1], &[first, last, &[(0, 0, 1)]]);
    assert_eq!(left_if_told(&source, 3, &weights, &[]), None);
    let fewer = net(&[1, 0, 0, 0], &[first, last]);
    assert_eq!(left_if_told(&fewer, 3, &weights, &[]), None);
    // The last step wants two tokens there and takes one: those of p1 do not tell that there are two.
    let wants: &[(u32, Value, Value)] = &[(1, 1, 0), (2, 0, 1), (3, 2, 1)];
    let heavy = net(&[2, 0, 0, 2], &[first, wants]);
    assert_eq!(left_if_told(&heavy, 3, &weights, &[]), None);
    // A test that p0 and p1 do not have to pass.
    let test = net(&[1, 0, 0, 1], &[first, last, &[(3, 1, 1)]]);
    assert_eq!(left_if_told(&test, 3, &weights, &[]), None);
    // What goes to and fro is always in one of two places, which says nothing of the first: weights are not negative.
    let fro = net(&[1, 0], &[LOOP, BACK]);
    assert_eq!(left_if_told(&fro, 0, &[1, -1], &[]), None);
    // Nobody tells of a place that nobody has to be told of: it is constant.
    let constant = net(&[1, 0, 0, 1], &[LOOP, BACK, &[(3, 1, 1)]]);
    assert!(left_if_told(&constant, 3, &[0, 0, 0, 1], &[]).is_some());
}

#[test]
fn of_places_that_tell_of_each_other_one_stays() {
    let both: &[(u32, Value, Value)] = &[(0, 1, 0), (1, 0, 1), (2, 1, 0)];
    let back: &[(u32, Value, Value)] = &[(1, 1, 0), (0, 0, 1), (2, 0, 1)];
    let alike = net(&[1, 0, 1], &[both, back]);
    let told = |place, by| Told {
        place: VarId(place),
        scale: 1,
        by: vec![(VarId(by), 1)],
    };
    let mut advice = |_: &System, _: &[VarId]| vec![told(0, 2), told(2, 0)];
    let support = Support::of(&alike, &[], false);
    let rules = Rules::only(&[Rule::ImplicitPlaces]);
    let reduced = reduce(&alike, &support, rules, &mut advice, &Budget::unlimited()).unwrap();
    let names: Vec<&str> = (reduced.system.variables.iter())
        .map(|v| v.name.as_str())
        .collect();
    assert_eq!(names, ["p1", "p2"]);
    // Nor does a place tell of itself.
    let mut advice = |_: &System, _: &[VarId]| vec![told(0, 0), told(1, 1), told(2, 2)];
    assert!(reduce(&alike, &support, rules, &mut advice, &Budget::unlimited()).is_none());
}

#[test]
fn a_loop_that_fills_an_implicit_place_is_a_covering_run() {
    // p2 gets two tokens where p1 gets one, and who takes one from p1 takes one from p2.
    let fill: &[(u32, Value, Value)] = &[(0, 1, 0), (1, 0, 1), (2, 0, 2)];
    let empty: &[(u32, Value, Value)] = &[(1, 1, 0), (0, 0, 1), (2, 1, 0)];
    let grows = net(&[1, 0, 0], &[fill, empty]);
    let told = Told {
        place: VarId(2),
        scale: 1,
        by: vec![(VarId(1), 1)],
    };
    let mut advice = |_: &System, _: &[VarId]| vec![told.clone()];
    let support = Support::of(&grows, &[], false);
    let rules = Rules::only(&[Rule::ImplicitPlaces]);
    let reduction = reduce(&grows, &support, rules, &mut advice, &Budget::unlimited()).unwrap();
    let back = reduction.lift.back(run(&reduction.system, &[0, 1], 2));
    assert_eq!(back.unwrap().growth, Some([0, 0, 1].into()));
}

#[test]
fn sink_places_go_and_loops_that_fill_them_come_back_as_covering_runs() {
    let net = net(
        &[1, 0, 0],
        &[LOOP, &[(1, 1, 0), (0, 0, 1), (2, 0, 1)], &[(0, 1, 0)]],
    );
    let kept = some(&["p0", "p1"], &["t0", "t1", "t2"]);
    assert_eq!(left(&net, Rule::SinkPlaces, &[]), kept);
    assert_eq!(left(&net, Rule::SinkPlaces, &[marked(2)]), None);
    let support = Support::of(&net, &[], true);
    let rules = Rules::only(&[Rule::SinkPlaces]);
    let reduction = reduce(&net, &support, rules, &mut no_advice, &Budget::unlimited()).unwrap();
    let grows = reduction.lift.back(run(&reduction.system, &[0, 1], 2));
    assert_eq!(grows.unwrap().growth, Some([0, 0, 1].into()));
    let ends = reduction.lift.back(run(&reduction.system, &[0, 1, 2], 0));
    let ends = ends.unwrap();
    assert_eq!(events(&ends.prefix), [Some(0), Some(1), Some(2)]);
    let last: State = [0, 0, 1].into();
    assert_eq!(
        ends.cycle,
        [Step {
            event: None,
            state: last
        }]
    );
}

#[test]
fn consumers_that_follow_at_once_are_joined() {
    let through: &[(u32, Value, Value)] = &[(1, 1, 0), (2, 0, 1)];
    let back: &[(u32, Value, Value)] = &[(2, 1, 0), (0, 0, 1)];
    let ring = net(&[1, 0, 0], &[LOOP, through, back]);
    let rule = Rule::PostAgglomeration;
    // p1 and t1 go; then p2 may go, too, since t2 is invisible but for p0.
    assert_eq!(
        left(&ring, rule, &[marked(0)]),
        some(&["p0", "p2"], &["t2", "t0.t1"])
    );
    assert_eq!(left(&ring, rule, &[marked(0), marked(1), marked(2)]), None);
    assert_eq!(left(&ring, rule, &[marked(0), fires(2)]), None);
    let deadlock = Proposition::State(Predicate::Deadlock);
    assert_eq!(left(&ring, rule, &[marked(0), deadlock]), None);
    // A token at the start, a second place in the preset, two tokens at once, a test.
    let marking = net(&[1, 1, 0], &[LOOP, through, back]);
    assert_eq!(left(&marking, rule, &[marked(0)]), None);
    let wants: &[(u32, Value, Value)] = &[(1, 1, 0), (2, 0, 1), (3, 1, 1)];
    assert_eq!(
        left(
            &net(&[1, 0, 0, 1], &[LOOP, wants, back]),
            rule,
            &[marked(0)]
        ),
        None
    );
    let two: &[(u32, Value, Value)] = &[(0, 1, 0), (1, 0, 2)];
    assert_eq!(
        left(&net(&[1, 0, 0], &[two, through, back]), rule, &[marked(0)]),
        None
    );
    let test: &[(u32, Value, Value)] = &[(1, 1, 1), (2, 0, 1)];
    assert_eq!(
        left(
            &net(&[1, 0, 0], &[LOOP, through, back, test]),
            rule,
            &[marked(0)]
        ),
        None
    );
    // Not known to be stutter-invariant.
    let support = Support::of(&ring, &[marked(0)], false);
    let rules = Rules::only(&[rule]);
    assert!(reduce(&ring, &support, rules, &mut no_advice, &Budget::unlimited()).is_none());

    let support = Support::of(&ring, &[marked(0)], true);
    let reduction = reduce(&ring, &support, rules, &mut no_advice, &Budget::unlimited()).unwrap();
    let lasso = reduction
        .lift
        .back(run(&reduction.system, &[1, 0], 2))
        .unwrap();
    assert_eq!(events(&lasso.cycle), [Some(0), Some(1), Some(2)]);
}

#[test]
fn producers_that_can_wait_are_joined() {
    // t0 takes p0 to p1, where t1 also wants p2.
    let wants: &[(u32, Value, Value)] = &[(1, 1, 0), (2, 1, 0), (3, 0, 1)];
    let waiting = net(&[2, 0, 1, 0], &[LOOP, wants]);
    let rule = Rule::PreAgglomeration;
    let atoms = [marked(3)];
    assert_eq!(
        left(&waiting, rule, &atoms),
        some(&["p0", "p2", "p3"], &["t0.t1"])
    );
    assert_eq!(left(&waiting, rule, &[marked(0)]), None);
    assert_eq!(left(&waiting, rule, &[marked(1)]), None);
    // Somebody else wants p0; t0 puts out something else; t0 takes nothing; p1 is marked.
    let rival = net(&[2, 0, 1, 0], &[LOOP, wants, &[(0, 1, 0)]]);
    assert_eq!(left(&rival, rule, &atoms), None);
    let more: &[(u32, Value, Value)] = &[(0, 1, 0), (1, 0, 1), (2, 0, 1)];
    assert_eq!(
        left(&net(&[2, 0, 1, 0], &[more, wants]), rule, &atoms),
        None
    );
    // What only tests p0 could go on for ever.
    let test: &[(u32, Value, Value)] = &[(0, 1, 1), (1, 0, 1)];
    assert_eq!(
        left(&net(&[2, 0, 1, 0], &[test, wants]), rule, &atoms),
        None
    );
    let source: &[(u32, Value, Value)] = &[(1, 0, 1)];
    assert_eq!(
        left(&net(&[2, 0, 1, 0], &[source, wants]), rule, &atoms),
        None
    );
    assert_eq!(
        left(&net(&[2, 1, 1, 0], &[LOOP, wants]), rule, &atoms),
        None
    );

    // At the end t0 is still pending.
    let support = Support::of(&waiting, &atoms, true);
    let rules = Rules::only(&[rule]);
    let reduction = reduce(
        &waiting,
        &support,
        rules,
        &mut no_advice,
        &Budget::unlimited(),
    )
    .unwrap();
    let lasso = reduction
        .lift
        .back(run(&reduction.system, &[0], 0))
        .unwrap();
    assert_eq!(events(&lasso.prefix), [Some(0), Some(1), Some(0)]);
    assert_eq!(events(&lasso.cycle), [None]);
}

#[test]
fn reductions_go_on_until_nothing_is_left_and_within_counted_work() {
    let ring = net(
        &[1, 0, 0, 0],
        &[
            LOOP,
            &[(1, 1, 0), (2, 0, 1)],
            &[(2, 1, 0), (3, 0, 1)],
            &[(3, 1, 0), (0, 0, 1)],
        ],
    );
    let support = Support::of(&ring, &[marked(0)], true);
    let whole = Budget::unlimited();
    let reduction = reduce(&ring, &support, Rules::all(), &mut no_advice, &whole).unwrap();
    assert_eq!(reduction.system.variables.len(), 2);
    assert_eq!(reduction.system.events.len(), 2);
    let few = Budget::unlimited().with_work(1);
    assert!(reduce(&ring, &support, Rules::all(), &mut no_advice, &few).is_none());
    assert!(reduce(&ring, &support, Rules::NONE, &mut no_advice, &whole).is_none());
}
