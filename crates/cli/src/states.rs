//! `lariat states`.

use crate::args::{EngineName, States};
use crate::progress::{Line, grouped};
use crate::{Exit, Failure, input, out};
use lariat::model::Format;
use lariat::space::explicit::{Count, Explicit, count};
use lariat::{Deadlock, Stop};
use serde_json::json;
use std::fmt::Write as _;
use std::time::Instant;

pub(crate) fn run(args: &States) -> Result<Exit, Failure> {
    let model = input::model(&args.model)?;
    let system = &model.system;
    // Only nets have tokens.
    let is_net = model.format == Format::Pnml;
    let (budget, _) = input::budget(&args.limits);
    let budget = input::for_property(&budget, &args.limits);
    let line = Line::new(args.json);
    let start = Instant::now();
    let space = match args.engine {
        EngineName::Auto | EngineName::Explicit => Explicit::new(system, Deadlock::Stutter),
    };
    let found = count(&space, &budget, &line);
    let seconds = start.elapsed().as_secs_f64();
    drop(line);
    if args.json {
        let file = args.model.display().to_string();
        out::data(&format!("{}\n", json(&file, &found, is_net, seconds)))?;
    } else {
        out::text(&text(&found, is_net, seconds))?;
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

fn json(model: &str, found: &Count, is_net: bool, seconds: f64) -> serde_json::Value {
    let known = |number: String| found.stop.is_none().then_some(number);
    json!({
        "schema": 1,
        "model": model,
        "states": known(found.states.to_string()),
        "edges": known(found.edges.to_string()),
        "max_tokens_in_place": known(found.max_tokens_in_place.to_string()).filter(|_| is_net),
        "max_tokens": known(found.max_tokens.to_string()).filter(|_| is_net),
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

fn text(found: &Count, is_net: bool, seconds: f64) -> String {
    let mut text = String::new();
    if let Some(stop) = &found.stop {
        let _ = writeln!(text, "unknown: {stop}; seen so far, at least:");
    }
    let mut rows = vec![
        ("states", grouped(found.states)),
        ("edges", grouped(found.edges)),
        ("deadlocks", grouped(found.deadlocks)),
    ];
    if is_net {
        let in_place = grouped(found.max_tokens_in_place);
        rows.push(("most tokens in a place", in_place));
        rows.push(("most tokens", grouped(found.max_tokens)));
    }
    let per_state = format!("{:.1}", bytes_per_state(found));
    rows.extend([
        ("engine", "explicit".to_owned()),
        ("bits a state, packed", grouped(found.packed_bits)),
        ("bytes a state, stored", per_state),
        ("bytes in all", grouped(found.bytes)),
        ("time", format!("{seconds:.3} s")),
    ]);
    for (what, number) in rows {
        let _ = writeln!(text, "{what:>24}  {number}");
    }
    text
}
