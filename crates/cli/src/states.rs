//! `lariat states`.

use crate::args::States;
use crate::progress::{Line, grouped};
use crate::{Exit, Failure, input};
use lariat::space::explicit::{Count, Explicit, count};
use lariat::{Deadlock, Stop};
use serde_json::json;
use std::time::Instant;

pub(crate) fn run(args: &States) -> Result<Exit, Failure> {
    let system = input::system(&args.model)?;
    let (budget, _) = input::budget(&args.limits);
    let budget = input::for_property(&budget, &args.limits);
    let line = Line::new(args.json);
    let start = Instant::now();
    let space = Explicit::new(&system, Deadlock::Stutter);
    let found = count(&space, &budget, &line);
    let seconds = start.elapsed().as_secs_f64();
    drop(line);
    if args.json {
        println!(
            "{}",
            json(&args.model.display().to_string(), &found, seconds)
        );
    } else {
        print(&found, seconds);
    }
    Ok(match found.stop {
        None => Exit::Fine,
        Some(Stop::Interrupted) => Exit::Interrupted,
        Some(_) => Exit::Undecided,
    })
}

fn bytes_per_state(found: &Count) -> f64 {
    found.bytes as f64 / found.states.max(1) as f64
}

fn json(model: &str, found: &Count, seconds: f64) -> serde_json::Value {
    let known = |number: String| found.stop.is_none().then_some(number);
    json!({
        "schema": 1,
        "model": model,
        "states": known(found.states.to_string()),
        "edges": known(found.edges.to_string()),
        "max_tokens_in_place": known(found.max_tokens_in_place.to_string()),
        "max_tokens": known(found.max_tokens.to_string()),
        "deadlocks": known(found.deadlocks.to_string()),
        "bounded": found.stop.is_none().then_some(true),
        "reason": found.stop.as_ref().map(Stop::to_string),
        "engine": "explicit",
        "order": null,
        "seconds": seconds,
        "stats": {
            "states_seen": found.states,
            "edges_seen": found.edges,
            "packed_bits": found.packed_bits,
            "bytes_per_state": bytes_per_state(found),
            "bytes_peak": found.bytes,
        },
    })
}

fn print(found: &Count, seconds: f64) {
    if let Some(stop) = &found.stop {
        println!("unknown: {stop}; seen so far, at least:");
    }
    let rows = [
        ("states", grouped(found.states)),
        ("edges", grouped(found.edges)),
        ("deadlocks", grouped(found.deadlocks)),
        ("most tokens in a place", grouped(found.max_tokens_in_place)),
        ("most tokens", grouped(found.max_tokens)),
    ];
    for (what, number) in rows {
        println!("{what:>24}  {number}");
    }
    println!(
        "{:>24}  explicit: {} bits a state packed, {:.1} bytes a state stored, {} bytes in all",
        "engine",
        found.packed_bits,
        bytes_per_state(found),
        grouped(found.bytes),
    );
    println!("{:>24}  {seconds:.3} s", "time");
}
