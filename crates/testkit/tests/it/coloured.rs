//! Tests of the unfolding of coloured nets against the naive one, and of replay.

use std::collections::BTreeSet;

use lariat_budget::Budget;
use lariat_formats::pnml::{self, Pnml};
use lariat_model::coloured::unfold;
use lariat_model::{Lasso, RunRecorder, State, System};
use lariat_testkit::harness::Campaign;
use lariat_testkit::{Random, coloured};

/// A marking by names of places.
type NamedMarking = Vec<(String, i64)>;

fn named(system: &System, state: &State) -> NamedMarking {
    let all = system.variables.iter().zip(state);
    let marked = all.filter(|(_, n)| **n != 0);
    let mut named: NamedMarking = marked.map(|(v, n)| (v.name.clone(), *n)).collect();
    named.sort();
    named
}

/// Returns the steps from each breadth-first layer, until there are `many` markings.
fn steps(system: &System, many: usize) -> Vec<BTreeSet<(NamedMarking, String, NamedMarking)>> {
    let mut known: BTreeSet<State> = system.initial.iter().cloned().collect();
    let mut layer: Vec<State> = system.initial.clone();
    let mut all = Vec::new();
    while !layer.is_empty() && known.len() < many && all.len() < 12 {
        let mut steps = BTreeSet::new();
        let mut next = Vec::new();
        for state in &layer {
            for event in system.event_ids() {
                for to in system.successors(state, event) {
                    let name = system.event(event).name.clone();
                    steps.insert((named(system, state), name, named(system, &to)));
                    if known.insert(to.clone()) {
                        next.push(to);
                    }
                }
            }
        }
        all.push(steps);
        layer = next;
    }
    all
}

/// Returns the lasso of a random walk that repeats a marking or ends in a dead one.
fn walk(rng: &mut Random, system: &System) -> Option<Lasso> {
    let mut run = RunRecorder::new(system.initial[0].clone());
    let mut states = vec![run.state().clone()];
    for _ in 0..30 {
        let now = run.state().clone();
        let events = system.event_ids();
        let enabled: Vec<_> = events
            .flat_map(|event| {
                let to = system.successors(&now, event).into_iter();
                to.map(move |state| (event, state))
            })
            .collect();
        if enabled.is_empty() {
            run.stutter();
        } else {
            let (event, state) = rng.one_of(&enabled);
            run.push(Some(*event), state);
        }
        if let Some(back) = states.iter().position(|state| state == run.state()) {
            return Some(run.into_lasso(back));
        }
        states.push(run.state().clone());
    }
    None
}

#[test]
fn unfolding_agrees_with_the_naive_one() {
    let campaign = Campaign::from_env(1000);
    let (mut moving, mut replayed, mut smaller) = (0, 0, 0);
    for seed in campaign.seeds() {
        let mut rng = Random::new(seed);
        let text = coloured::random(&mut rng);
        let net = match pnml::read("net", text.as_bytes()).map(|document| document.net) {
            Ok(Pnml::Coloured(net)) => net,
            Ok(Pnml::Plain(_)) => panic!("seed {seed}: not coloured"),
            Err(error) => panic!("seed {seed}: {error}\n{text}"),
        };
        let naive = coloured::unfold(&net);
        let unfolded = unfold(&net, &Budget::bytes(1 << 28))
            .unwrap_or_else(|stop| panic!("seed {seed}: {stop}\n{text}"));
        let system = &unfolded.system;
        let (found, wanted) = (steps(system, 200), steps(&naive, 200));
        assert_eq!(found, wanted, "seed {seed}\n{text}");
        moving += usize::from(found.len() > 1);
        smaller += usize::from(system.events.len() < naive.events.len());
        // Names and indices of unfolded places and transitions are consistent.
        for (var, variable) in system.var_ids().zip(&system.variables) {
            let (place, colour) = unfolded.unfolding.place_of(var);
            assert_eq!(
                net.instance_name(place, colour),
                variable.name,
                "seed {seed}"
            );
            assert_eq!(unfolded.unfolding.instance(place, colour), Some(var));
        }
        for (event, unfolded_event) in system.event_ids().zip(&system.events) {
            let (transition, binding) = unfolded.unfolding.binding(event);
            assert_eq!(
                net.binding_name(transition, binding),
                unfolded_event.name,
                "seed {seed}"
            );
        }
        if let Some(lasso) = walk(&mut rng, system) {
            replayed += 1;
            net.replay(system, &lasso, &Budget::unlimited())
                .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        }
    }
    println!(
        "{moving} nets with steps, {smaller} with fewer transitions, {replayed} runs replayed"
    );
}
