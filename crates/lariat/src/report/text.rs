//! Reports as text.
//!
//! A lasso is printed one row per position, as the semantics defines it: the atoms that are true
//! there, the state (only its changes), and the event taken from it. The rows of the loop are
//! marked, and so is the position after which every continuation violates the property.

use super::Report;
use crate::decision::Decision;
use crate::fair_run::FairnessEvidence;
use crate::trace::Trace;
use crate::verdict::EarnedVerdict;
use lariat_model::{Deadlock, Domain, EventId, EvidenceKind, Lasso, Step, System, Value, VarId};
use std::collections::HashSet;
use std::fmt::Write as _;

/// Limit on the marked places of a state and the changes of a step that are shown.
const SHOWN: usize = 12;

/// The run of a trace, one row per position; `full` prints whole states.
pub(crate) fn trace(trace: &Trace, full: bool) -> String {
    let mut out = String::new();
    lasso_text(&mut out, trace, full);
    met_text(&mut out, &trace.met, full);
    out
}

/// The run that is a counterexample, or a witness; empty without a run.
pub(crate) fn evidence_text(report: &Report, full: bool) -> String {
    let Some(run) = &report.run else {
        return String::new();
    };
    let shape = if report.is_witnessed() {
        format!("witness: {}", steps_text(run.len()))
    } else {
        format!("counterexample: {}", shape(&run.lasso))
    };
    format!("  {shape} (replayed)\n{}", trace(run, full))
}

/// Lists where a run meets the fairness constraints; of those that are never enabled, only the
/// number unless `full`.
fn met_text(out: &mut String, met: &[(String, FairnessEvidence)], full: bool) {
    let worth = |(_, met): &&(String, FairnessEvidence)| full || *met != FairnessEvidence::Never;
    let (shown, rest): (Vec<_>, Vec<_>) = met.iter().partition(|met| worth(met));
    let most = if full { usize::MAX } else { SHOWN };
    for (name, met) in shown.iter().take(most) {
        let _ = match met {
            FairnessEvidence::Taken(at) => writeln!(out, "  fair to {name}: taken at {at}"),
            FairnessEvidence::Idle(at) => writeln!(out, "  fair to {name}: not enabled at {at}"),
            FairnessEvidence::Never => writeln!(out, "  fair to {name}: not enabled in the loop"),
        };
    }
    let left = rest.len() + shown.len().saturating_sub(most);
    if left > 0 {
        let _ = writeln!(
            out,
            "  fair to {left} more, of which {} are not enabled in the loop",
            rest.len()
        );
    }
}

fn steps_text(n: usize) -> String {
    format!("{n} step{}", if n == 1 { "" } else { "s" })
}

/// The shape of a run, in one line.
fn shape(lasso: &Lasso) -> String {
    let steps = steps_text;
    let prefix = match lasso.prefix.len() {
        0 => String::new(),
        n => format!("{}, then ", steps(n)),
    };
    let cycle = steps(lasso.cycle.len());
    let decided = "after which every continuation violates the property";
    match (lasso.kind(), lasso.prefix.len()) {
        (EvidenceKind::Lasso, _) => format!("{prefix}a loop of {cycle}"),
        (EvidenceKind::Covering, _) => {
            format!("{prefix}rounds of {cycle} that can be repeated indefinitely")
        }
        (EvidenceKind::Prefix, 0) => format!("the initial state, {decided}"),
        (EvidenceKind::Prefix, n) => format!("{}, {decided}", steps(n)),
    }
}

/// Short names for the atoms of a property: letters, then letters with numbers, none of them a name
/// of the model.
fn legend(system: &System, atoms: usize) -> Vec<String> {
    let variables = system.variables.iter().map(|v| &*v.name);
    let names = variables.chain(system.events.iter().map(|e| &*e.name));
    let names: HashSet<&str> = names.collect();
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

/// Limit on the width of the state column; longer states push the event to the right.
const STATE_WIDTH: usize = 56;

fn lasso_text(out: &mut String, trace: &Trace, full: bool) {
    let (lasso, atoms, bad) = (&trace.lasso, &trace.atoms, trace.bad);
    let system = &trace.vocabulary.model.system;
    let legend = legend(system, atoms.len());
    for (i, (atom, short)) in atoms.iter().zip(&legend).enumerate() {
        let with = if i == 0 { "with" } else { "" };
        let name = trace.vocabulary.properties.formulas.atom_name(*atom);
        let _ = writeln!(out, "  {with:4} {short} = {name}");
    }
    let meaning = trace.meaning();
    let truth = |state: &[Value], event: Option<EventId>| {
        row(atoms.iter().zip(&legend).map(|(atom, name)| {
            if meaning.says(*atom, state, event) {
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
    // By position: the atoms that are true, and the event taken.
    let mut rows = Vec::with_capacity(lasso.len() + 1);
    let mut shown = vec![marking(system, &lasso.initial, full)];
    let mut run = lasso.cursor();
    while let Some((before, step)) = run.next() {
        rows.push((truth(before, step.event), event(step.event, before)));
        let failure = step.event.and_then(|event| system.failure(before, event));
        let changed = step_text(system, before, step);
        let after = run.state();
        shown.push(match (failure, full) {
            (Some(fault), _) if system.has_failed(after) => format!("{changed} ({fault})"),
            (_, true) => marking(system, after, true),
            (_, false) => changed,
        });
    }
    rows.push((truth(run.state(), None), "any continuation"));
    let is_prefix = lasso.kind() == EvidenceKind::Prefix;
    let back = if is_prefix {
        String::new()
    } else {
        shown.pop().unwrap_or_default()
    };
    let number_width = shown.len().to_string().len().max(2);
    let heading = if full { "state" } else { "state, then changes" };
    let widths = shown.iter().map(|text| text.chars().count());
    let state_width = widths
        .max()
        .unwrap_or(0)
        .max(heading.len())
        .min(STATE_WIDTH);
    let letters = row(legend.iter().cloned());
    let number = " ".repeat(number_width);
    let _ = writeln!(
        out,
        "    {number}  {letters}{heading:state_width$}  → event"
    );
    for (position, ((truth, taken), shown)) in rows.iter().zip(&shown).enumerate() {
        let mark = match position {
            _ if bad == Some(position) => '✗',
            _ if position < lasso.prefix.len() || is_prefix => ' ',
            _ => '↻',
        };
        let _ = writeln!(
            out,
            "  {mark} {position:>number_width$}  {truth}{shown:state_width$}  → {taken}",
        );
    }
    if !is_prefix {
        round_text(out, lasso, &back, system, full);
    }
    if bad.is_some() {
        out.push_str("  ✗ from here on every continuation violates the property\n");
    }
}

/// Writes how a run continues after the first round of its loop.
fn round_text(out: &mut String, lasso: &Lasso, back: &str, system: &System, full: bool) {
    let back = match back {
        "" => String::new(),
        changes => format!(" ({changes})"),
    };
    let entry = lasso.prefix.len();
    let more = lasso.growth.as_ref().map_or(String::new(), |growth| {
        format!("; each round adds {}", growth_text(system, growth, full))
    });
    let _ = writeln!(
        out,
        "    back to {entry}{back}, repeated indefinitely{more}"
    );
}

/// The columns of the atoms, with the separator to the next column.
fn row(columns: impl Iterator<Item = String>) -> String {
    let columns: Vec<String> = columns.collect();
    if columns.is_empty() {
        String::new()
    } else {
        columns.join(" ") + "  "
    }
}

/// The value of a variable as the user writes it.
pub(super) fn value_text(system: &System, var: VarId, value: Value) -> String {
    match &system.variable(var).domain {
        Domain::Names(names) => usize::try_from(value)
            .ok()
            .and_then(|i| names.get(i))
            .map_or_else(|| value.to_string(), String::clone),
        _ => value.to_string(),
    }
}

/// Returns whether a value is shown: places are shown only where they are marked.
pub(super) fn is_shown(system: &System, var: VarId, value: Value) -> bool {
    value != 0 || !matches!(system.variable(var).domain, Domain::Count { .. })
}

/// Returns whether it is the variable of the error state, which is shown by its name alone.
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

/// A whole state: marked places and all other variables; at most `SHOWN` of them unless `full`.
pub fn marking(system: &System, state: &[Value], full: bool) -> String {
    let is_left_out = |var, x| !is_shown(system, var, x) || (is_fault(system, var) && x == 0);
    let shown = system.var_ids().zip(state);
    let shown = shown.filter(|(var, x)| !is_left_out(*var, **x));
    let part = |(var, x): (VarId, &Value)| {
        let variable = system.variable(var);
        match (&variable.domain, x) {
            _ if is_fault(system, var) => variable.name.clone(),
            (Domain::Count { .. }, 1) => variable.name.clone(),
            _ => format!("{}={}", variable.name, value_text(system, var, *x)),
        }
    };
    join(shown.map(part).collect(), full)
}

/// The tokens that a round of a covering run adds, as in `+1 p +2 q`.
fn growth_text(system: &System, growth: &[Value], full: bool) -> String {
    let grows = system.var_ids().zip(growth).filter(|(_, more)| **more != 0);
    let parts = grows.map(|(var, more)| format!("{more:+} {}", system.variable(var).name));
    join(parts.collect(), full)
}

/// The differences between two states.
pub fn changes(system: &System, before: &[Value], after: &[Value]) -> String {
    step_text(system, before, &Step::between(None, before, after))
}

/// The changes of a step from the state `before`.
pub(crate) fn step_text(system: &System, before: &[Value], step: &Step) -> String {
    let parts = step.changes().iter().map(|(var, change)| {
        let name = &system.variable(*var).name;
        if is_fault(system, *var) {
            return name.clone();
        }
        match (&system.variable(*var).domain, *change) {
            (Domain::Count { .. }, 1) => format!("+{name}"),
            (Domain::Count { .. }, -1) => format!("−{name}"),
            (Domain::Count { .. }, d) if d > 0 => format!("+{d}·{name}"),
            (Domain::Count { .. }, d) => format!("−{}·{name}", d.unsigned_abs()),
            _ => {
                let before = before[var.index()];
                let [x, y] = [before, before.wrapping_add(*change)]
                    .map(|value| value_text(system, *var, value));
                format!("{name}: {x}→{y}")
            }
        }
    });
    join(parts.collect(), false)
}

/// A summary of how the verdict was found: engine, time, deadlock policy, and the reason for an
/// unknown or vacuous verdict.
pub fn summary(decision: &Decision, seconds: f64) -> String {
    let mut out = String::new();
    if let EarnedVerdict::Unknown(reason) = &decision.verdict {
        let _ = write!(out, "{reason}; ");
    }
    if let Some(why) = decision.vacuous {
        let _ = write!(out, "vacuously: {why}; ");
    }
    let deadlocks = match decision.deadlock {
        Deadlock::Stutter => "stutter",
        Deadlock::Ignore => "ignored",
    };
    let engine = decision.engine;
    let _ = write!(out, "{engine}, {seconds:.3} s, deadlocks {deadlocks}");
    if !decision.fairness.is_empty() {
        let _ = write!(out, ", fair: {}", decision.fairness.join(", "));
    }
    out
}
