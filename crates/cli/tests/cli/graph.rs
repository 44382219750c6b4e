//! The symbolic observation graph.

use crate::kit::{MUTEX, STARVATION, lariat};

#[test]
fn every_format() {
    let graph = |format: &str| {
        let args = format!("graph {MUTEX} --sog -f '{STARVATION}' --format {format}");
        lariat(args).exits(0)
    };
    graph("dot").prints("digraph sog").prints("waiting_1");
    let json = graph("json").answer();
    assert_eq!(json["atoms"].as_array().map(Vec::len), Some(2));
    let list = |name: &str| json[name].as_array().expect(name).clone();
    let (aggregates, edges) = (list("aggregates"), list("edges"));
    // Idle, waiting and critical, and two of them with a cycle inside.
    let states: Vec<Option<&str>> = aggregates.iter().map(|a| a["states"].as_str()).collect();
    assert_eq!(states.iter().flatten().count(), 3, "{states:?}");
    let head = format!("des (0, {}, {})", edges.len() + 1, aggregates.len() + 1);
    graph("aut").prints(&head);
}

#[test]
fn refusals() {
    lariat(format!("graph {MUTEX} -f '{STARVATION}'")).refuses("--sog");
    lariat(format!("graph {MUTEX} --sog -f 'G none'")).refuses("none");
    lariat(format!("graph {MUTEX} --sog --timeout 0s")).exits(3);
}
