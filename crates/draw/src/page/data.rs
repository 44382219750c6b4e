//! The data of the page as JSON: names of the model, its runs step by step, and reports.
//!
//! Steps contain only the changes of a state, so that long runs of large nets stay small. Missing
//! entries of a report are not shown, and entries of unknown form are shown as they are.

use super::truth::AtomMeanings;
use super::{PageEntry, PageSubject, rules};
use crate::net::DrawnNet;
use crate::processes::Process;
use crate::run::{DrawnRun, RunKind};
use crate::share::Poll;
use crate::why::Explanation;
use lariat_budget::{Budget, Stop};
use lariat_formats::LoadedModel;
use lariat_model::{Domain, EventId, State, System, Value, VarId};
use rustc_hash::FxHashSet;
use serde_json::{Value as Json, json};

/// Limit on the number of lanes.
const LANES: usize = 40;

/// A number that JavaScript reads exactly.
fn number(value: Value) -> Json {
    if value.unsigned_abs() < 1 << 53 {
        json!(value)
    } else {
        json!(value.to_string())
    }
}

/// A step of a run.
pub(super) struct ShownStep {
    /// The fired event; `None` for a stutter step.
    pub event: Option<EventId>,
    /// The variables that it changes, with their new values.
    pub changes: Vec<(VarId, Value)>,
}

/// An entry with the steps of its run.
pub(super) struct ShownEntry<'a> {
    pub entry: &'a PageEntry,
    /// The run, if it is shown.
    pub run: Option<&'a DrawnRun>,
    /// Its steps.
    pub steps: Vec<ShownStep>,
    /// The reason why there is a run that is not shown.
    pub stop: Option<Stop>,
}

impl<'a> ShownEntry<'a> {
    pub fn new(entry: &'a PageEntry, budget: &Budget) -> ShownEntry<'a> {
        let (run, steps, stop) = match entry.run.as_ref().map(|run| (run, steps(run, budget))) {
            Some((run, Ok(steps))) => (Some(run), steps, None),
            Some((_, Err(stop))) => (None, Vec::new(), Some(stop)),
            None => (None, Vec::new(), entry.unread.clone()),
        };
        ShownEntry {
            entry,
            run,
            steps,
            stop,
        }
    }
}

fn steps(run: &DrawnRun, budget: &Budget) -> Result<Vec<ShownStep>, Stop> {
    let mut poll = Poll::new(budget);
    let step = |(event, pair): (&Option<EventId>, &[State])| {
        poll.spend(pair[0].len())?;
        let values = pair[0].iter().zip(&pair[1]).enumerate();
        let changed = values.filter(|(_, (before, after))| before != after);
        let changes = changed.map(|(var, (_, after))| (VarId(var as u32), *after));
        Ok(ShownStep {
            event: *event,
            changes: changes.collect(),
        })
    };
    run.events
        .iter()
        .zip(run.states.windows(2))
        .map(step)
        .collect()
}

/// The complete data.
pub(super) fn data(
    subject: &PageSubject<'_>,
    net: Option<&DrawnNet>,
    processes: &[Process],
    entries: &[ShownEntry<'_>],
    budget: &Budget,
) -> Json {
    let PageSubject { name, model, .. } = *subject;
    let system = &model.system;
    let kind = |domain: &Domain| match domain {
        Domain::Count { .. } => json!(0),
        Domain::Range { low, high } => json!({"r": [low, high]}),
        Domain::Names(names) => json!({"n": names}),
    };
    let vars = system.variables.iter();
    let vars: Vec<Json> = vars.map(|v| json!([v.name, kind(&v.domain)])).collect();
    let events: Vec<&str> = system.events.iter().map(|event| &*event.name).collect();
    let rules = rules::rules(system).filter(|_| !system.events.is_empty());
    let mut base = 0;
    let list: Vec<Json> = processes
        .iter()
        .map(|process| {
            let here = base;
            base += process.graph.nodes.len();
            json!({"var": process.location.0, "base": here})
        })
        .collect();
    let coloured = model.coloured.as_deref();
    let colours = coloured.map(|coloured| {
        let colour = |var: VarId| {
            let (place, colour) = coloured.unfolding.place_of(var);
            let sort = coloured.net.place(place).sort;
            let is_dot = coloured.net.sort(sort).size == 1;
            let name = (!is_dot).then(|| coloured.net.colour_name(sort, colour));
            json!([place.0, name.unwrap_or_default()])
        };
        system.var_ids().map(colour).collect::<Vec<_>>()
    });
    let event_nodes = coloured.map(|coloured| {
        let places = coloured.net.places.len() as u32;
        let node = |event: EventId| places + coloured.unfolding.binding(event).0.0;
        system.event_ids().map(node).collect::<Vec<_>>()
    });
    let hidden = system.var_ids().filter(|var| system.is_auxiliary(*var));
    json!({
        "model": name,
        "title": title(subject),
        "about": about(model, net, &title(subject)),
        "vars": vars,
        "events": events,
        "fault": system.fault.map(|fault| fault.0),
        "places": net.map_or(0, |net| net.places),
        "nodes": net.map_or(0, |net| net.nodes.len()),
        "colours": colours,
        "eventNodes": event_nodes,
        "processes": list,
        "hidden": hidden.map(|var| var.0).collect::<Vec<_>>(),
        "lanes": lanes(model, processes, entries),
        "messages": messages(model),
        "runs": entries.iter().map(|entry| run_json(subject, entry, rules.is_some(), budget)).collect::<Vec<_>>(),
        "rules": rules,
    })
}

/// The name of the model's file without folders; of a file called `model` also that of the model.
pub(super) fn title(subject: &PageSubject<'_>) -> String {
    let path = subject.name;
    let file = path.rsplit(['/', '\\']).find(|part| !part.is_empty());
    let file = file.unwrap_or(path);
    match &*subject.model.system.name {
        name if file.starts_with("model.") && !name.is_empty() => format!("{name} ({file})"),
        _ => file.to_owned(),
    }
}

/// The name and the size of the model in words.
fn about(model: &LoadedModel, net: Option<&DrawnNet>, title: &str) -> String {
    let System {
        variables,
        events,
        name,
        ..
    } = &model.system;
    let (parts, moves) = match net {
        Some(net) => (
            several(net.places, "place"),
            several(net.nodes.len() - net.places, "transition"),
        ),
        None => (
            several(variables.len(), "variable"),
            several(events.len(), "event"),
        ),
    };
    match name.as_str() {
        name if name.is_empty() || title.starts_with(name) => format!("{parts}, {moves}"),
        name => format!("{name} · {parts}, {moves}"),
    }
}

/// Returns the count and the noun, in plural if necessary.
fn several(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The lanes of the time line: processes, units that change, and other variables of a program.
fn lanes(model: &LoadedModel, processes: &[Process], entries: &[ShownEntry<'_>]) -> Vec<Json> {
    let system = &model.system;
    if system.has_places_only() && !system.events.is_empty() {
        let changes = entries.iter().flat_map(|entry| &entry.steps);
        let changes = changes.flat_map(|step| &step.changes);
        let moved: FxHashSet<VarId> = changes.map(|(var, _)| *var).collect();
        let units = system.units.iter().enumerate();
        let moving =
            units.filter(|(_, unit)| unit.places.iter().any(|place| moved.contains(place)));
        let lane = |(i, unit): (usize, &lariat_model::Unit)| {
            let places: Vec<u32> = unit.places.iter().map(|place| place.0).collect();
            let name = match &*unit.name {
                "" => format!("unit {i}"),
                name => name.to_owned(),
            };
            json!({"name": name, "places": places})
        };
        return moving.take(LANES).map(lane).collect();
    }
    let locations: Vec<VarId> = processes.iter().map(|process| process.location).collect();
    let lane = |var: VarId, always: bool| json!({"name": system.variable(var).name, "var": var.0, "always": always});
    let first = locations.iter().take(LANES);
    let mut lanes: Vec<Json> = first.map(|var| lane(*var, true)).collect();
    let others = system.var_ids().filter(|var| !locations.contains(var));
    let others = others.filter(|var| !system.is_auxiliary(*var));
    let talks = |var: VarId| {
        let mut messages = model.messages.iter();
        messages.any(|message| [message.sender, message.receiver].contains(&Some(var)))
    };
    lanes.extend(others.take(LANES).map(|var| lane(var, talks(var))));
    lanes
}

/// The messages that events send or receive, by event.
fn messages(model: &LoadedModel) -> Json {
    let one = |message: &lariat_formats::dve::Message| {
        let [sender, receiver] = [message.sender, message.receiver].map(|var| var.map(|var| var.0));
        let ends = json!([message.channel, sender, receiver]);
        (message.event.0.to_string(), ends)
    };
    Json::Object(model.messages.iter().map(one).collect())
}

/// The variables of a state that are not 0.
fn sparse(state: &[Value]) -> Vec<Json> {
    let some = state.iter().enumerate().filter(|(_, value)| **value != 0);
    some.map(|(var, value)| json!([var, number(*value)]))
        .collect()
}

/// The data of an entry; without its run if the budget ends.
fn run_json(
    subject: &PageSubject<'_>,
    shown: &ShownEntry<'_>,
    live: bool,
    budget: &Budget,
) -> Json {
    match try_run_json(subject, shown, live, budget) {
        Ok(json) => json,
        Err(stop) => {
            let bare = ShownEntry {
                entry: &PageEntry {
                    report: shown.entry.report.clone(),
                    ..PageEntry::default()
                },
                run: None,
                steps: Vec::new(),
                stop: Some(stop),
            };
            // Nothing is polled without a run and a formula.
            try_run_json(subject, &bare, live, budget).unwrap_or_default()
        }
    }
}

fn try_run_json(
    subject: &PageSubject<'_>,
    shown: &ShownEntry<'_>,
    live: bool,
    budget: &Budget,
) -> Result<Json, Stop> {
    let PageSubject {
        model,
        formulas,
        propositions,
        ..
    } = *subject;
    let system = &model.system;
    let entry = shown.entry;
    let nothing: State = vec![0; system.variables.len()].into();
    let start = system.initial.first().cloned().unwrap_or(nothing);
    let still = DrawnRun::at(start);
    let run = shown.run.unwrap_or(&still);
    let meaning = AtomMeanings {
        system,
        formulas,
        propositions,
        budget,
    };
    let (mut parts, mut tokens, mut why) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(f) = entry.formula {
        let (rows, because) = meaning.rows(run, f)?;
        if let Some(run) = shown.run {
            why = because;
            if why.is_empty() && run.kind == RunKind::Prefix {
                let at = run.bad.unwrap_or(run.events.len());
                let text = "from here on no continuation satisfies the property".to_owned();
                why.push(Explanation { at, text });
            }
        }
        (parts, tokens) = meaning.parts(f, &rows, live);
    }
    for atom in &entry.atoms {
        if entry.formula.is_none() {
            let proposition = propositions.get(atom.index());
            let rule = proposition.filter(|_| live).map(rules::proposition);
            parts.push(json!({
                "text": formulas.atom_name(*atom),
                "row": meaning.atom_row(run, *atom)?,
                "atom": true,
                "rule": rule,
            }));
        }
    }
    let step = |(step, after): (&ShownStep, &State)| {
        let values = step
            .event
            .map_or(String::new(), |event| sent(model, event, after));
        let event = step.event.map(|event| event.0);
        let changes = step.changes.iter();
        let changes: Vec<Json> = changes.map(|(var, x)| json!([var.0, number(*x)])).collect();
        json!([event, changes, values])
    };
    let steps = shown.steps.iter().zip(run.states.iter().skip(1)).map(step);
    let report = &entry.report;
    let text = |name: &str| report.get(name).and_then(Json::as_str);
    let mut notes = notes(report, run, system);
    if let Some(stop) = &shown.stop {
        notes.insert(
            0,
            format!("The run is not shown ({stop}): the limits left too little for this page."),
        );
    }
    Ok(json!({
        "property": text("property"),
        "formula": text("formula"),
        "verdict": text("verdict"),
        "summary": summary(report),
        "story": shown.run.map(|run| story(run, report)),
        "shown": shown.run.is_some(),
        "kind": if report.is_null() { "free" } else { run.kind.name() },
        "prefix": run.prefix,
        "infinite": run.is_infinite(),
        "bad": run.bad,
        "initial": sparse(&run.states[0]),
        "steps": steps.collect::<Vec<_>>(),
        "growth": run.growth.as_deref().map(sparse),
        "subs": parts,
        "tokens": tokens,
        "why": why.iter().map(|because| json!({"at": because.at, "text": because.text})).collect::<Vec<_>>(),
        "notes": notes,
        "fairness": fairness(report),
    }))
}

/// The values that an event has put into a channel's buffer.
fn sent(model: &LoadedModel, event: EventId, after: &State) -> String {
    let Some(message) = model.messages.iter().find(|message| message.event == event) else {
        return String::new();
    };
    if message.receiver.is_some() {
        return String::new();
    }
    let values = model.system.variables.iter().zip(after);
    let length = format!("{}.len", message.channel);
    let Some((_, length)) = values.clone().find(|(v, _)| v.name == length) else {
        return String::new();
    };
    let cell = format!("{}[{}]", message.channel, length - 1);
    let parts = values.filter(|(v, _)| v.name.starts_with(&cell));
    let parts: Vec<String> = parts.map(|(_, value)| value.to_string()).collect();
    parts.join(",")
}

/// Engine, time and deadlock policy, if the report has them.
fn summary(report: &Json) -> String {
    let text = |name: &str| report.get(name).and_then(Json::as_str);
    let mut parts = Vec::new();
    if let Some(reason) = text("reason") {
        parts.push(reason.to_owned());
    }
    parts.extend(text("engine").map(str::to_owned));
    if let Some(seconds) = report.get("seconds").and_then(Json::as_f64) {
        parts.push(format!("{seconds:.3} s"));
    }
    match text("deadlock") {
        Some("ignore") => parts.push("deadlocks ignored".to_owned()),
        Some(policy) => parts.push(format!("deadlocks {policy}")),
        None => {}
    }
    parts.join(", ")
}

/// The kind of the run in a sentence.
fn story(run: &DrawnRun, report: &Json) -> String {
    let steps = |n: usize| several(n, "step");
    let cycle = steps(run.events.len() - run.prefix);
    let prefix = match run.prefix {
        0 => String::new(),
        n => format!("{}, then ", steps(n)),
    };
    let mut story = match run.kind {
        RunKind::Lasso => format!("The run: {prefix}a loop of {cycle}, repeated infinitely often."),
        RunKind::Covering => format!(
            "The run: {prefix}rounds of {cycle}, repeated infinitely often, each of which adds tokens."
        ),
        RunKind::Prefix if run.events.is_empty() => {
            "The run: every continuation of the initial state violates the property.".to_owned()
        }
        RunKind::Prefix => format!(
            "The run: {}, after which every continuation violates the property.",
            steps(run.events.len())
        ),
        RunKind::Finite => format!("A run of {}.", steps(run.events.len())),
    };
    if report.pointer("/counterexample/replayed") == Some(&Json::Bool(true)) {
        story.push_str(" Replayed on the model: ok.");
    }
    if run.bad.is_some() && run.kind != RunKind::Prefix {
        story.push_str(" After ✗ every continuation violates the property.");
    }
    story
}

/// Further remarks: growth, assumed fairness, vacuity, facts.
fn notes(report: &Json, run: &DrawnRun, system: &System) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(growth) = &run.growth {
        let grows = system.var_ids().zip(growth).filter(|(_, more)| **more != 0);
        let parts = grows.map(|(var, more)| format!("{more:+} {}", system.variable(var).name));
        let parts: Vec<String> = parts.take(20).collect();
        notes.push(format!("Each round adds {}.", parts.join(", ")));
    }
    let list = |name: &str| {
        report
            .get(name)
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
    };
    let assumed: Vec<&str> = list("fairness").filter_map(Json::as_str).collect();
    if !assumed.is_empty() {
        notes.push(format!("Assumed fair: {}.", assumed.join(", ")));
    }
    if let Some(why) = report.get("vacuous").and_then(Json::as_str) {
        notes.push(format!("It holds vacuously: {why}."));
    }
    for fact in list("facts") {
        notes.extend(fact.get("says").and_then(Json::as_str).map(str::to_owned));
    }
    notes
}

/// Limit on the fairness constraints that are shown.
const CONSTRAINTS: usize = 24;

/// The positions where the run satisfies each assumed fairness constraint.
fn fairness(report: &Json) -> Vec<Json> {
    let list = report.pointer("/counterexample/fair");
    let list = list.and_then(Json::as_array).into_iter().flatten();
    let met = |one: &Json| {
        let text = |name: &str| one.get(name).and_then(Json::as_str);
        let name = match (text("constraint"), text("met")) {
            (Some(constraint), Some(met)) => format!("{constraint}: {met}"),
            (Some(constraint), None) => constraint.to_owned(),
            _ => one.to_string(),
        };
        let at: Vec<u64> = one.get("at").and_then(Json::as_u64).into_iter().collect();
        json!({"name": name, "met": at})
    };
    list.take(CONSTRAINTS).map(met).collect()
}
