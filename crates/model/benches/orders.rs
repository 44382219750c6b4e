//! Run time and score of each ordering heuristic on a large net.
//!
//! `cargo bench -p lariat-model --bench orders [-- PHILOSOPHERS]`

use lariat_corpora::bench::arguments;
use lariat_model::order::{self, OrderName};
use lariat_model::{Action, Arc, Domain, Event, System, VarId, Variable};
use std::time::Instant;

/// Dining philosophers with six places each, listed by kind so that the file order is poor.
fn philosophers(n: u32) -> System {
    let kinds = ["fork", "idle", "wait_l", "has_l", "wait_r", "has_r"];
    let place = |kind: u32, i: u32| VarId(kind * n + i % n);
    let variables = kinds.iter().flat_map(|kind| {
        (0..n).map(move |i| Variable {
            name: format!("{kind}_{i}"),
            domain: Domain::Count { bound: None },
        })
    });
    let event = |name: String, moves: &[(VarId, i64)]| {
        let arc = |&(var, delta): &(VarId, i64)| Arc {
            var,
            need: (-delta).max(0),
            delta,
        };
        let mut arcs: Vec<Arc> = moves.iter().map(arc).collect();
        arcs.sort_by_key(|a| a.var);
        Event {
            name,
            action: Action::Net(arcs),
        }
    };
    let mut events = Vec::new();
    for i in 0..n {
        let [fork, idle, wait_l, has_l, wait_r, has_r] = [0, 1, 2, 3, 4, 5].map(|k| place(k, i));
        let other = place(0, i + 1);
        events.push(event(
            format!("hungry_{i}"),
            &[(idle, -1), (wait_l, 1), (wait_r, 1)],
        ));
        events.push(event(
            format!("left_{i}"),
            &[(wait_l, -1), (fork, -1), (has_l, 1)],
        ));
        events.push(event(
            format!("right_{i}"),
            &[(wait_r, -1), (other, -1), (has_r, 1)],
        ));
        events.push(event(
            format!("done_{i}"),
            &[(has_l, -1), (has_r, -1), (idle, 1), (fork, 1), (other, 1)],
        ));
    }
    System {
        name: format!("philosophers-{n}"),
        variables: variables.collect(),
        events,
        ..System::default()
    }
}

fn main() {
    let n = arguments()
        .next()
        .and_then(|n| n.parse().ok())
        .unwrap_or(5000);
    let system = philosophers(n);
    println!("{} places", system.variables.len());
    for name in OrderName::all() {
        let start = Instant::now();
        let Some(order) = order::named(&system, name) else {
            continue;
        };
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{:16} {seconds:8.3} s   score {:.6}",
            name.to_string(),
            order::score(&system, &order)
        );
    }
    let start = Instant::now();
    let all = order::candidates(&system);
    println!(
        "{:16} {:8.3} s",
        format!("all {}", all.len()),
        start.elapsed().as_secs_f64()
    );
}
