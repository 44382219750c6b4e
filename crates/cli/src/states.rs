//! `lariat states`: counts the state space.

use crate::args::{StatesArgs, Volume};
use crate::cluster::{Participation, take_part};
use crate::progress::{ProgressLine, grouped};
use crate::{Exit, Failure, input, out};
use lariat::internals::formats::ModelFormat;
use lariat::internals::ir::Finding;
use lariat::internals::space::symbolic::UBig;
use lariat::internals::{
    Concurrency, CountOptions, CountingMethod, OrderChoice, Pumping, RunContext, StateSpace, Stop,
    System, Workers, count_states, orbits, overflow_warning, stats_json,
};
use serde_json::json;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

pub(crate) fn run(mut args: StatesArgs) -> Result<Exit, Failure> {
    let threads = Some(args.threads);
    let asker = match take_part(&args.team, threads, &args.model, &mut args.limits)? {
        Participation::Break(exit) => return Ok(exit),
        Participation::Continue(asker) => asker,
    };
    if asker.is_some() && (args.engine != CountingMethod::Auto || args.symmetry) {
        return Err(Failure::new(
            "several processes count all single states; omit --engine, --symmetry or --hosts",
        ));
    }
    let args = &args;
    let order = match (&args.order, args.order_schedule) {
        (OrderChoice::Auto, Some(schedule)) => OrderChoice::Scheduled(schedule),
        (order, None) => order.clone(),
        (_, Some(_)) => {
            return Err(Failure::new(
                "--order-schedule configures the search for an order, so it needs --order auto",
            ));
        }
    };
    let (budget, dog) = input::command_budget(&args.limits);
    let start = Instant::now();
    let own: StatesArgs = args.clone();
    dog.last_words(move |stop| {
        // A failure to write is reported by the exit status of an undecided command.
        unread(&own, stop.clone(), start.elapsed()).unwrap_or(Exit::Undecided)
    });
    let model = match input::watched_model(&args.model, &budget) {
        Err(Failure::Undecided(stop)) => return unread(args, stop, start.elapsed()),
        model => model?,
    };
    let mut model = model;
    args.shown.apply(&mut model);
    let system = &model.system;
    let volume = if args.json {
        Volume::Silent
    } else {
        Volume::Progress
    };
    let line = ProgressLine::new(volume);
    let start = Instant::now();
    let findings = &system.findings;
    let claims: Vec<_> = findings.iter().map(Finding::holds).collect();
    let engine = args.engine;
    let modulo = if args.symmetry {
        match orbits(&model, RunContext::new(&budget, &line)) {
            Ok(modulo) => modulo,
            Err(stop) => return unread(args, stop, start.elapsed()),
        }
    } else {
        None
    };
    if args.symmetry && modulo.is_none() {
        crate::remark("no symmetries found: counting all states");
    }
    let workers = Workers::new(args.threads);
    let budget = budget.with_threads(args.threads);
    let mut found = match (modulo, asker) {
        (Some(found), _) => found,
        (None, Some(asker)) => asker.count(system, &claims, &budget, &line),
        (None, None) => {
            let options = CountOptions {
                method: engine,
                claims,
                order,
                workers,
            };
            count_states(system, &options, RunContext::new(&budget, &line))
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    drop(line);
    if found.orbits.is_some() && found.states.is_none() {
        crate::remark(
            "the symmetries do not preserve the initial marking, or the orbits are too large: their states are not counted",
        );
    }
    if model.format != ModelFormat::Pnml {
        // Only nets have tokens.
        found.max_tokens_in_place = None;
        found.max_tokens = None;
    }
    if let Some(var) = found.overflow {
        crate::warn(&overflow_warning(&system.variable(var).name));
    }
    let claims = findings.iter().zip(&found.failed);
    let failed: Vec<(&Finding, String)> = claims
        .filter(|(_, failed)| **failed != UBig::ZERO)
        .map(|(finding, failed)| (finding, failed.to_string()))
        .collect();
    if args.json {
        let file = args.model.display().to_string();
        let mut answer = json(&file, system, &found, &failed, seconds);
        if let Some(pumping) = &found.pumping {
            let ids = names(system, pumping).into_iter().flatten();
            let shown = ids.filter_map(|id| Some((model.labels.shown(&id)?.into_owned(), id)));
            for (name, id) in shown {
                answer["names"][id] = json!(name);
            }
        }
        dog.done();
        out::data(&format!("{answer}\n"))?;
    } else {
        dog.done();
        out::text(&text(&model.shown().system, &found, &failed, seconds))?;
    }
    Ok(found.stop.as_ref().map_or(Exit::Fine, Exit::of_stop))
}

/// Reports the state space of a model as unknown, of which nothing was explored.
fn unread(args: &StatesArgs, stop: Stop, time: Duration) -> Result<Exit, Failure> {
    let exit = Exit::of_stop(&stop);
    let mut found = StateSpace::default();
    found.stop = Some(stop);
    found.engine = "none";
    let (nothing, seconds) = (System::default(), time.as_secs_f64());
    if args.json {
        let file = args.model.display().to_string();
        let answer = json(&file, &nothing, &found, &[], seconds);
        out::data(&format!("{answer}\n"))?;
    } else {
        out::text(&text(&nothing, &found, &[], seconds))?;
    }
    Ok(exit)
}

fn names(system: &System, pumping: &Pumping) -> [Vec<String>; 3] {
    let event = |e: &lariat::internals::ir::EventId| system.event(*e).name.clone();
    let grows = pumping.grows.iter();
    [
        pumping.prefix.iter().map(event).collect(),
        pumping.pump.iter().map(event).collect(),
        grows.map(|v| system.variable(*v).name.clone()).collect(),
    ]
}

fn json(
    model: &str,
    system: &System,
    found: &StateSpace,
    failed: &[(&Finding, String)],
    seconds: f64,
) -> serde_json::Value {
    let mut object = json!({
        "schema": 1,
        "model": model,
        "states": found.states.as_ref().map(ToString::to_string),
        "edges": found.edges.as_ref().map(ToString::to_string),
        "max_tokens_in_place": found.max_tokens_in_place.map(|n| n.to_string()),
        "max_tokens": found.max_tokens.map(|n| n.to_string()),
        "deadlocks": found.deadlocks.as_ref().map(ToString::to_string),
        "bounded": found.bounded,
        "reason": found.stop.as_ref().map(ToString::to_string),
        "engine": found.engine,
        "order": found.order,
        "seconds": seconds,
        "stats": stats_json(&found.stats),
    });
    let has_ended = found.stop.is_none();
    let varying = found.stats.varying(Concurrency::Alone, has_ended);
    if !varying.is_empty() {
        object["varying"] = json!(varying);
    }
    if !found.workers.is_empty() {
        object["workers"] = found.workers.iter().map(stats_json).collect();
    }
    if let Some(orbits) = found.orbits {
        object["orbits"] = json!(orbits.to_string());
    }
    if let Some(var) = found.overflow {
        object["overflow"] = json!(system.variable(var).name);
    }
    for (finding, states) in failed {
        object["failed_assertions"][&finding.name] = json!(states);
    }
    if let Some(pumping) = &found.pumping {
        let [prefix, pump, grows] = names(system, pumping);
        object["pumping"] = json!({"prefix": prefix, "pump": pump, "grows": grows});
    }
    object
}

fn text(
    system: &System,
    found: &StateSpace,
    failed: &[(&Finding, String)],
    seconds: f64,
) -> String {
    let mut text = String::new();
    for (finding, states) in failed {
        let plural = if states == "1" { "" } else { "s" };
        let states = grouped(states);
        let _ = writeln!(text, "{finding} in {states} state{plural}");
    }
    if let Some(stop) = &found.stop {
        let _ = writeln!(text, "unknown: {stop}");
    }
    if let Some(pumping) = &found.pumping {
        let [prefix, pump, grows] = names(system, pumping);
        let _ = writeln!(text, "unbounded: the state space is infinite");
        let _ = writeln!(text, "{:>24}  {}", "after", prefix.join(" "));
        let _ = writeln!(text, "{:>24}  {}", "repeat", pump.join(" "));
        let _ = writeln!(text, "{:>24}  {}", "growing places", grows.join(" "));
    }
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut row = |what: &str, number: Option<String>| {
        rows.extend(number.map(|number| (what.to_owned(), grouped(number))));
    };
    row("orbits", found.orbits.map(|n| n.to_string()));
    row("states", found.states.as_ref().map(ToString::to_string));
    row("edges", found.edges.as_ref().map(ToString::to_string));
    let (dead, most) = (found.deadlocks.as_ref(), found.max_tokens_in_place);
    row("deadlocks", dead.map(ToString::to_string));
    row("most tokens in a place", most.map(|n| n.to_string()));
    row("most tokens", found.max_tokens.map(|n| n.to_string()));
    let engine = match &found.order {
        Some(order) => format!("{}, order {order}", found.engine),
        None => found.engine.to_owned(),
    };
    rows.push(("engine".to_owned(), engine));
    for (name, figure) in found.stats.iter() {
        rows.push((name.replace('_', " "), figure.to_string()));
    }
    rows.push(("time".to_owned(), format!("{seconds:.3} s")));
    for (what, number) in rows {
        let _ = writeln!(text, "{what:>24}  {number}");
    }
    text
}
