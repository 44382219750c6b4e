//! What a person and a script are told about a property.
//!
//! A lasso is shown one row a position, as the semantics has it: which atoms of the formula are
//! true there, the state (only what changed), and the event taken from it. The rows of the loop are
//! marked, and so is the position after which a safety property is violated whatever follows.

use crate::check::Report;
use crate::fair_run::Met;
use crate::replay::Letters;
use crate::verdict::Verdict;
use lariat_budget::{Company, Figure, Stats};
use lariat_ltl::{AtomId, Formulas};
use lariat_model::{
    Deadlock, Domain, EventId, EvidenceKind, Lasso, Proposition, Step, System, Value, VarId,
};
use serde_json::{Map, Value as Json, json};
use std::collections::HashSet;
use std::fmt::Write as _;

/// What a report speaks of: names for everything in it.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The model file, or what else it is called.
    pub model: &'a str,
    /// The name of the property.
    pub property: &'a str,
    /// The property as text, fully parenthesised.
    pub formula: &'a str,
    /// The model in whose terms lassos are told.
    pub system: &'a System,
    /// The store that knows the atoms.
    pub formulas: &'a Formulas,
    /// What the atoms mean, by their ids.
    pub propositions: &'a [Proposition],
    /// The atoms of this property, in the order in which they are shown.
    pub atoms: &'a [AtomId],
    /// How long it took.
    pub seconds: f64,
    /// Who else was at work meanwhile.
    pub company: Company,
}

/// Marked places shown of an initial state, changes of a step, unless everything is wanted.
const SHOWN: usize = 12;

/// `holds`, `violated` or `unknown`.
pub fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Holds(_) => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Unknown(_) => "unknown",
    }
}

/// How the verdict was found and what it is about, in a few words: engine, time, deadlock policy, and
/// the reason why nothing is known or why what is known says little.
pub fn summary(report: &Report, context: &Context<'_>) -> String {
    let mut out = String::new();
    if let Verdict::Unknown(reason) = &report.verdict {
        let _ = write!(out, "{reason}; ");
    }
    if let Some(why) = report.vacuous {
        let _ = write!(out, "vacuously: {why}; ");
    }
    let deadlocks = match report.deadlock {
        Deadlock::Stutter => "stutter",
        Deadlock::Ignore => "ignored",
    };
    let _ = write!(
        out,
        "{}, {:.3} s, deadlocks {deadlocks}",
        report.engine, context.seconds
    );
    if !report.fairness.is_empty() {
        let _ = write!(out, ", fair: {}", report.fairness.join(", "));
    }
    out
}

/// The lasso of a violated property for a person, empty for other verdicts. `full` prints whole states.
pub fn text(report: &Report, context: &Context<'_>, full: bool) -> String {
    let mut out = String::new();
    if let Verdict::Violated(replayed) = &report.verdict {
        let lasso = replayed.lasso();
        let _ = writeln!(out, "  by {} (replayed: ok)", evidence(lasso));
        lasso_text(&mut out, (lasso, report.bad), context, full);
        met_text(&mut out, &report.met, full);
    }
    out
}

/// Where a run meets the constraints of fairness. Those that are enabled nowhere in the loop are only counted, unless everything is wanted.
fn met_text(out: &mut String, met: &[(String, Met)], full: bool) {
    let worth = |(_, met): &&(String, Met)| full || *met != Met::Never;
    let (told, rest): (Vec<_>, Vec<_>) = met.iter().partition(|met| worth(met));
    let most = if full { usize::MAX } else { SHOWN };
    for (name, met) in told.iter().take(most) {
        let _ = match met {
            Met::Taken(at) => writeln!(out, "  fair to {name}: taken at {at}"),
            Met::Idle(at) => writeln!(out, "  fair to {name}: not enabled at {at}"),
            Met::Never => writeln!(out, "  fair to {name}: not enabled in the loop"),
        };
    }
    let left = rest.len() + told.len().saturating_sub(most);
    if left > 0 {
        let _ = writeln!(
            out,
            "  fair to {left} more, of which {} are not enabled in the loop",
            rest.len()
        );
    }
}

/// What shows that a property is violated, in a line.
fn evidence(lasso: &Lasso) -> String {
    let steps = |n: usize| format!("{n} step{}", if n == 1 { "" } else { "s" });
    let prefix = match lasso.prefix.len() {
        0 => String::new(),
        n => format!("{}, then ", steps(n)),
    };
    let cycle = steps(lasso.cycle.len());
    match (lasso.kind(), lasso.prefix.len()) {
        (EvidenceKind::Lasso, _) => format!("this run: {prefix}a loop of {cycle} for ever"),
        (EvidenceKind::Covering, _) => format!("this run: {prefix}rounds of {cycle} for ever"),
        (EvidenceKind::Prefix, 0) => "the initial state, whatever follows".to_owned(),
        (EvidenceKind::Prefix, n) => format!("this run: {}, whatever follows", steps(n)),
    }
}

/// Short names for the atoms of a property: letters, then letters with numbers, none of them a name of the
/// model, which would seem to be meant.
fn legend(system: &System, atoms: usize) -> Vec<String> {
    let variables = system.variables.iter().map(|v| &*v.name);
    let names: HashSet<&str> = variables
        .chain(system.events.iter().map(|e| &*e.name))
        .collect();
    let short = |i: usize| {
        let letter = char::from(b'a' + (i % 26) as u8);
        match i / 26 {
            0 => letter.to_string(),
            n => format!("{letter}{n}"),
        }
    };
    let free = (0..).map(short).filter(|name| !names.contains(&**name));
    free.take(atoms).collect()
}

/// The widest column of states; longer ones push what follows to the right.
const STATE_WIDTH: usize = 56;

fn lasso_text(
    out: &mut String,
    (lasso, bad): (&Lasso, Option<usize>),
    context: &Context<'_>,
    full: bool,
) {
    let Context {
        system,
        formulas,
        atoms,
        ..
    } = *context;
    let legend = legend(system, atoms.len());
    for (i, (atom, short)) in atoms.iter().zip(&legend).enumerate() {
        let with = if i == 0 { "with" } else { "" };
        let name = formulas.atom_name(*atom);
        let _ = writeln!(out, "  {with:4} {short} = {name}");
    }
    let letters = Letters::new(system, context.propositions, lasso);
    let truth = |state: &[Value], event: Option<EventId>| {
        row(atoms.iter().zip(&legend).map(|(atom, name)| {
            if letters.says(*atom, state, event) {
                name.clone()
            } else {
                "·".repeat(name.len())
            }
        }))
    };
    let event = |event: Option<EventId>, state: &[Value]| match event {
        Some(event) => system.event(event).name.as_str(),
        None if system.has_failed(state) => "nothing: error",
        None => "nothing: deadlock",
    };
    let states: Vec<&[Value]> = std::iter::once(&lasso.initial)
        .chain(lasso.steps().map(|step| &step.state))
        .map(|state| &**state)
        .collect();
    let mut shown = vec![marking(system, &lasso.initial, full)];
    shown.extend(states.windows(2).zip(lasso.steps()).map(|(pair, step)| {
        let failure = step.event.and_then(|event| system.failure(pair[0], event));
        match (failure, full) {
            (Some(fault), _) if system.has_failed(pair[1]) => {
                format!("{} ({fault})", changes(system, pair[0], pair[1]))
            }
            (_, true) => marking(system, pair[1], true),
            (_, false) => changes(system, pair[0], pair[1]),
        }
    }));
    let is_prefix = lasso.kind() == EvidenceKind::Prefix;
    let back = if is_prefix {
        String::new()
    } else {
        shown.pop().unwrap_or_default()
    };
    let number_width = shown.len().to_string().len().max(2);
    let heading = if full {
        "state"
    } else {
        "state, then what changes"
    };
    let widths = shown.iter().map(|text| text.chars().count());
    let state_width = widths
        .chain([heading.len()])
        .max()
        .unwrap_or(0)
        .min(STATE_WIDTH);
    let letters = row(legend.iter().cloned());
    let _ = writeln!(
        out,
        "    {:>number_width$}  {letters}{heading:state_width$}  → what is taken",
        ""
    );
    let mut steps = lasso.steps();
    for (position, (state, shown)) in states.iter().zip(&shown).enumerate() {
        let mark = match position {
            _ if bad == Some(position) => '✗',
            _ if position < lasso.prefix.len() || is_prefix => ' ',
            _ => '↻',
        };
        let step = steps.next();
        let taken = step.map_or("whatever follows", |step| event(step.event, state));
        let truth = truth(state, step.and_then(|step| step.event));
        let _ = writeln!(
            out,
            "  {mark} {position:>number_width$}  {truth}{shown:state_width$}  → {taken}",
        );
    }
    if !is_prefix {
        round_text(out, lasso, &back, context.system, full);
    }
    if bad.is_some() {
        let _ = writeln!(out, "  ✗ the property is violated here, whatever follows");
    }
}

/// How a run goes on behind the first round of its loop.
fn round_text(out: &mut String, lasso: &Lasso, back: &str, system: &System, full: bool) {
    let back = match back {
        "" => String::new(),
        changes => format!(" ({changes})"),
    };
    let entry = lasso.prefix.len();
    let more = lasso.growth.as_ref().map_or(String::new(), |growth| {
        format!("; each round adds {}", growth_text(system, growth, full))
    });
    let _ = writeln!(out, "    back to {entry}{back}, and so on for ever{more}");
}

/// The columns of the atoms, with what separates them from the next column.
fn row(columns: impl Iterator<Item = String>) -> String {
    let columns: Vec<String> = columns.collect();
    if columns.is_empty() {
        String::new()
    } else {
        columns.join(" ") + "  "
    }
}

/// The value of a variable as the user knows it.
fn value(system: &System, var: VarId, value: Value) -> String {
    match &system.variable(var).domain {
        Domain::Names(names) => usize::try_from(value)
            .ok()
            .and_then(|i| names.get(i))
            .map_or_else(|| value.to_string(), String::clone),
        _ => value.to_string(),
    }
}

/// Is it worth telling? Places are told only where they are marked.
fn told(system: &System, var: VarId, value: Value) -> bool {
    value != 0 || !matches!(system.variable(var).domain, Domain::Count { .. })
}

/// Is it the variable of the error state, which is told by its name alone?
fn is_fault(system: &System, var: VarId) -> bool {
    system.fault == Some(var)
}

fn join(parts: Vec<String>, full: bool) -> String {
    let more = parts.len().saturating_sub(SHOWN);
    if full || more < 2 {
        return parts.join(" ");
    }
    format!("{} … and {more} more", parts[..SHOWN].join(" "))
}

/// A whole state: marked places, all other variables; not all of many unless `full`.
pub fn marking(system: &System, state: &[Value], full: bool) -> String {
    let parts = system
        .var_ids()
        .zip(state)
        .filter(|(var, x)| told(system, *var, **x) && !(is_fault(system, *var) && **x == 0))
        .map(|(var, x)| match (&system.variable(var).domain, x) {
            _ if is_fault(system, var) => system.variable(var).name.clone(),
            (Domain::Count { .. }, 1) => system.variable(var).name.clone(),
            _ => format!("{}={}", system.variable(var).name, value(system, var, *x)),
        })
        .collect();
    join(parts, full)
}

/// What a round of a covering run adds, as in `+1 p +2 q`.
fn growth_text(system: &System, growth: &[Value], full: bool) -> String {
    let grows = system.var_ids().zip(growth).filter(|(_, more)| **more != 0);
    let parts = grows.map(|(var, more)| format!("{more:+} {}", system.variable(var).name));
    join(parts.collect(), full)
}

/// What is different in `after`.
pub fn changes(system: &System, before: &[Value], after: &[Value]) -> String {
    let parts = system
        .var_ids()
        .zip(before.iter().zip(after))
        .filter(|(_, (x, y))| x != y)
        .map(|(var, (x, y))| {
            let name = &system.variable(var).name;
            if is_fault(system, var) {
                return name.clone();
            }
            match (&system.variable(var).domain, y.wrapping_sub(*x)) {
                (Domain::Count { .. }, 1) => format!("+{name}"),
                (Domain::Count { .. }, -1) => format!("−{name}"),
                (Domain::Count { .. }, d) if d > 0 => format!("+{d}·{name}"),
                (Domain::Count { .. }, d) => format!("−{}·{name}", d.unsigned_abs()),
                _ => format!(
                    "{name}: {}→{}",
                    value(system, var, *x),
                    value(system, var, *y)
                ),
            }
        })
        .collect();
    join(parts, false)
}

/// The report as one JSON object, schema 1.
pub fn json(report: &Report, context: &Context<'_>) -> Json {
    let mut object = json!({
        "schema": 1,
        "model": context.model,
        "property": context.property,
        "formula": context.formula,
        "verdict": word(&report.verdict),
        "reason": match &report.verdict {
            Verdict::Unknown(reason) => Json::from(reason.to_string()),
            _ => Json::Null,
        },
        "engine": report.engine,
        "deadlock": report.deadlock.name(),
        "fairness": report.fairness,
        "seconds": context.seconds,
        "stats": account(report),
        "passes": report.passes.iter().map(|removed| json!({
            "name": removed.rule.name(),
            "removed_places": removed.places,
            "removed_events": removed.events,
        })).collect::<Vec<_>>(),
        "auto": report.trail.iter().map(|attempt| json!({
            "engine": attempt.engine,
            "outcome": attempt.outcome,
            "why": attempt.why,
            "work": attempt.work,
            "seconds": attempt.time.as_secs_f64(),
        })).collect::<Vec<_>>(),
        "facts": report.facts.iter().map(|fact| json!({
            "says": fact.says,
            "because": fact.because,
        })).collect::<Vec<_>>(),
        "counterexample": match &report.verdict {
            Verdict::Violated(replayed) => lasso_json(context.system, replayed.lasso(), report.bad),
            _ => Json::Null,
        },
    });
    if !report.met.is_empty() {
        object["counterexample"]["fair"] = report.met.iter().map(met_json).collect();
    }
    if !report.account.workers.is_empty() {
        object["workers"] = report.account.workers.iter().map(stats).collect();
    }
    let has_ended = matches!(report.verdict, Verdict::Holds(_));
    let varying = report.account.stats.varying(context.company, has_ended);
    if !varying.is_empty() {
        object["varying"] = varying.into();
    }
    if let (Some(why), Some(object)) = (report.vacuous, object.as_object_mut()) {
        object.insert("vacuous".to_owned(), why.into());
    }
    object
}

/// How a run meets a constraint of fairness.
fn met_json((name, met): &(String, Met)) -> Json {
    let (how, at) = match met {
        Met::Taken(at) => ("taken", Some(at)),
        Met::Idle(at) => ("not enabled", Some(at)),
        Met::Never => ("never enabled", None),
    };
    json!({ "constraint": name, "met": how, "at": at })
}

/// What an engine told of its run, as a JSON object: its figures, the variable order and a variable that overflows.
fn account(report: &Report) -> Json {
    let mut object = stats(&report.account.stats);
    let texts = [
        ("order", &report.account.order),
        ("overflow", &report.overflow),
    ];
    if let Some(object) = object.as_object_mut() {
        for (name, text) in texts {
            if let Some(text) = text {
                object.insert(name.to_owned(), text.as_str().into());
            }
        }
    }
    object
}

/// Figures as a JSON object.
pub fn stats(stats: &Stats) -> Json {
    let pairs = stats.iter().map(|(name, figure)| {
        let figure = match figure {
            Figure::Count(n) => Json::from(*n),
            Figure::Real(x) => Json::from(*x),
            Figure::Text(text) => Json::from(text.as_str()),
        };
        (name.to_owned(), figure)
    });
    Json::Object(pairs.collect())
}

pub(crate) fn lasso_json(system: &System, lasso: &Lasso, bad: Option<usize>) -> Json {
    let steps = |steps: &[Step]| -> Vec<Json> {
        let step = |step: &Step| {
            json!({
                "fire": step.event.map(|event| &system.event(event).name),
                "marking": marking_json(system, &step.state),
            })
        };
        steps.iter().map(step).collect()
    };
    let mut object = json!({
        "kind": lasso.kind().name(),
        "initial": marking_json(system, &lasso.initial),
        "prefix": steps(&lasso.prefix),
        "loop": steps(&lasso.cycle),
        "replayed": true,
    });
    if let Some(growth) = &lasso.growth {
        object["growth"] = marking_json(system, growth);
    }
    if let (Some(bad), Some(object)) = (bad, object.as_object_mut()) {
        object.insert("bad".to_owned(), bad.into());
    }
    object
}

fn marking_json(system: &System, state: &[Value]) -> Json {
    let told = system
        .var_ids()
        .zip(state)
        .filter(|(var, x)| told(system, *var, **x));
    let pairs = told.map(|(var, x)| {
        let variable = system.variable(var);
        let shown = match &variable.domain {
            Domain::Names(_) => Json::from(value(system, var, *x)),
            _ => Json::from(*x),
        };
        (variable.name.clone(), shown)
    });
    Json::Object(pairs.collect::<Map<_, _>>())
}
