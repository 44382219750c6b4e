//! Reports as text.
//!
//! A lasso is printed one row per position, as the semantics defines it: the atoms that are true
//! there, the state (only its changes), and the event taken from it. The rows of the loop are
//! marked, and so is the position after which every continuation violates the property.

use super::Report;
use super::events::{event_text, is_in_channel};
use super::rows::{RunLayout, TableLine, folded, write_line, write_rows};
use crate::decision::Decision;
use crate::fair_run::FairnessEvidence;
use crate::trace::Trace;
use crate::verdict::EarnedVerdict;
use lariat_model::{
    Deadlock, Domain, EventId, EvidenceKind, Lasso, Modality, Step, System, Value, VarId,
};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::Range;

/// Limit on the marked places of a state and the changes of a step that are shown.
const SHOWN: usize = 12;

/// The run of a trace, one row per position.
pub(crate) fn trace(trace: &Trace, layout: &RunLayout) -> String {
    let mut out = String::new();
    lasso_text(&mut out, trace, layout);
    met_text(&mut out, trace, layout.full);
    out
}

/// The run that is a counterexample, or a witness; empty without a run.
pub(crate) fn evidence_text(report: &Report, layout: &RunLayout) -> String {
    let Some(run) = &report.run else {
        return String::new();
    };
    let length = steps_text(run.len());
    let shape = match report.modality {
        Some(Modality::Some) => format!("witness: {length}"),
        Some(Modality::SomeAll) => format!("witness: {length}, after which p always holds"),
        Some(Modality::AllSome) => {
            format!("counterexample: {length}, after which p is unreachable")
        }
        Some(Modality::All) | None => format!("counterexample: {}", shape(&run.lasso)),
    };
    let mut out = String::new();
    write_line(&mut out, "  ", &format!("{shape} (replayed)"), layout.width);
    out + &trace(run, layout)
}

/// Lists where a run meets the fairness constraints; of those that are never enabled, only the
/// number unless `full`.
fn met_text(out: &mut String, trace: &Trace, full: bool) {
    let (met, labels) = (&trace.met, &trace.vocabulary.model.labels);
    let worth = |(_, met): &&(String, FairnessEvidence)| full || *met != FairnessEvidence::Never;
    let (shown, rest): (Vec<_>, Vec<_>) = met.iter().partition(|met| worth(met));
    let most = if full { usize::MAX } else { SHOWN };
    for (name, met) in shown.iter().take(most) {
        let name = labels.shown(name).unwrap_or(Cow::Borrowed(name));
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

fn lasso_text(out: &mut String, trace: &Trace, layout: &RunLayout) {
    let (lasso, full) = (&trace.lasso, layout.full);
    let system = &trace.vocabulary.shown_model().system;
    let legend = legend(system, trace.atoms.len());
    legend_text(out, trace, &legend, layout);
    let is_prefix = lasso.kind() == EvidenceKind::Prefix;
    let total = lasso.len() + usize::from(is_prefix);
    let entry = lasso.prefix.len().min(total);
    let folds = [0..entry, entry..total].map(|part| folded(part, trace.bad, layout));
    let mut shown = states_text(trace, full, &folds);
    // The state that closes the loop.
    let back = shown.pop_if(|_| !is_prefix).unwrap_or_default().1;
    let heading = if full { "state" } else { "state, then changes" };
    let heading = [legend.join(" "), heading.to_owned(), "event".to_owned()];
    let mut lines = vec![TableLine::Row {
        margin: String::new(),
        cells: heading,
    }];
    for (position, row) in step_rows(trace, &legend, shown) {
        if let Some(fold) = folds.iter().find(|fold| fold.end == position)
            && !fold.is_empty()
        {
            let (count, advice) = (fold.len(), layout.advice("them"));
            let plural = if count == 1 { "step" } else { "steps" };
            let remark = format!("    … {count} more {plural}{advice}");
            lines.push(TableLine::Remark(remark));
        }
        lines.push(row);
    }
    write_rows(out, &lines, layout.width);
    if !is_prefix {
        round_text(out, lasso, &back, system, layout);
    }
    if trace.bad.is_some() {
        let text = "from here on every continuation violates the property";
        write_line(out, "  ✗ ", text, layout.width);
    }
    cut_text(out, "  ", system, lasso, layout);
}

/// Announces that rows omit values, if some do.
pub(crate) fn cut_text(
    out: &mut String,
    head: &str,
    system: &System,
    lasso: &Lasso,
    layout: &RunLayout,
) {
    if !layout.full && has_cut(system, lasso) {
        let advice = layout.advice("whole states");
        let text = format!("some rows omit values, as `… and N more`{advice}");
        write_line(out, head, &text, layout.width);
    }
}

/// The positions of a run, one line each.
pub(super) fn steps(trace: &Trace) -> Vec<String> {
    let mut shown = states_text(trace, false, &[]);
    if trace.lasso.kind() != EvidenceKind::Prefix {
        // The state that closes the loop.
        shown.pop();
    }
    let rows = step_rows(trace, &[], shown).into_iter();
    let lines = rows.filter_map(|(_, row)| match row {
        TableLine::Row { margin, cells } => {
            let [_, state, event] = cells;
            Some(format!("{} {state} → {event}", margin.trim_start()))
        }
        TableLine::Remark(_) => None,
    });
    lines.collect()
}

/// Writes the atoms with their short names.
fn legend_text(out: &mut String, trace: &Trace, legend: &[String], layout: &RunLayout) {
    for (i, (atom, short)) in trace.atoms.iter().zip(legend).enumerate() {
        let with = if i == 0 { "with" } else { "" };
        let name = trace.vocabulary.shown_formulas().atom_name(*atom);
        let head = format!("  {with:4} {short} = ");
        write_line(out, &head, name, layout.width);
    }
}

/// The initial state, then the changes of each step, or whole states if `full`. The contents of
/// channels are shown in whole states only. Positions in `folds` are left out: runs may be long.
fn states_text(trace: &Trace, full: bool, folds: &[Range<usize>]) -> Vec<(usize, String)> {
    let (model, lasso) = (trace.vocabulary.shown_model(), &trace.lasso);
    let system = &model.system;
    let keep = |var: VarId| full || !is_in_channel(model, var);
    let mut shown = vec![(0, marking_of(system, &lasso.initial, full, keep))];
    let mut run = lasso.cursor();
    let mut position = 0;
    while let Some((before, step)) = run.next() {
        position += 1;
        if folds.iter().any(|fold| fold.contains(&position)) {
            continue;
        }
        let failure = step.event.and_then(|event| system.failure(before, event));
        let changed = step_text_of(system, before, step, keep);
        let after = run.state();
        let text = match (failure, full) {
            (Some(fault), _) if system.has_failed(after) => format!("{changed} ({fault})"),
            (_, true) => marking(system, after, true),
            (_, false) => changed,
        };
        shown.push((position, text));
    }
    shown
}

/// A row per position that is shown: the mark, the position, the true atoms, the state, and the
/// event.
fn step_rows(
    trace: &Trace,
    legend: &[String],
    shown: Vec<(usize, String)>,
) -> Vec<(usize, TableLine)> {
    let (lasso, atoms) = (&trace.lasso, &trace.atoms);
    let model = trace.vocabulary.shown_model();
    let system = &model.system;
    let meaning = trace.meaning();
    let truth = |state: &[Value], event: Option<EventId>| {
        let columns = atoms.iter().zip(legend).map(|(atom, name)| {
            if meaning.says(*atom, state, event) {
                name.clone()
            } else {
                "·".repeat(name.len())
            }
        });
        columns.collect::<Vec<_>>().join(" ")
    };
    let event = |event: Option<EventId>, state: &[Value]| match event {
        Some(event) => event_text(model, event, state),
        None if system.has_failed(state) => "nothing: error".into(),
        None => "nothing: deadlock".into(),
    };
    let last = shown.last().map_or(0, |(position, _)| *position);
    let width = (last + 1).to_string().len().max(2);
    let (mut positions, mut run) = (0.., lasso.cursor());
    let rows = shown.into_iter().map(|(position, shown)| {
        let step = loop {
            let step = run.next().map(|(_, step)| step);
            if positions.next() == Some(position) {
                break step;
            }
        };
        let state = run.source();
        let mark = match position {
            _ if trace.bad == Some(position) => '✗',
            _ if position < lasso.prefix.len() || lasso.kind() == EvidenceKind::Prefix => ' ',
            _ => '↻',
        };
        let taken = step.map_or("any continuation".into(), |step| event(step.event, state));
        let truth = truth(state, step.and_then(|step| step.event));
        let row = TableLine::Row {
            margin: format!("  {mark} {position:>width$}"),
            cells: [truth, shown, taken.into_owned()],
        };
        (position, row)
    });
    rows.collect()
}

/// Returns whether a row of the run omits values.
fn has_cut(system: &System, lasso: &Lasso) -> bool {
    let initial = shown_values(system, &lasso.initial).count();
    let mut changed = lasso.steps().map(|step| step.changes().len());
    changed.any(is_cut) || is_cut(initial)
}

/// Writes how a run continues after the first round of its loop.
fn round_text(out: &mut String, lasso: &Lasso, back: &str, system: &System, layout: &RunLayout) {
    let back = match back {
        "" => String::new(),
        changes => format!(" ({changes})"),
    };
    let entry = lasso.prefix.len();
    let more = lasso.growth.as_ref().map_or(String::new(), |growth| {
        format!(
            "; each round adds {}",
            growth_text(system, growth, layout.full)
        )
    });
    let text = format!("back to {entry}{back}, repeated indefinitely{more}");
    write_line(out, "    ", &text, layout.width);
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
    let is_count = || matches!(system.variable(var).domain, Domain::Count { .. });
    (value != 0 || !is_count()) && !system.is_auxiliary(var)
}

/// Returns whether it is the variable of the error state, which is shown by its name alone.
fn is_fault(system: &System, var: VarId) -> bool {
    system.fault == Some(var)
}

fn join(parts: Vec<String>, full: bool) -> String {
    if full || !is_cut(parts.len()) {
        return parts.join(" ");
    }
    let more = parts.len() - SHOWN;
    format!("{} … and {more} more", parts[..SHOWN].join(" "))
}

/// Returns whether only some of this number of parts are shown.
fn is_cut(parts: usize) -> bool {
    parts > SHOWN + 1
}

/// The variables of a state that are shown, with their values.
fn shown_values<'a>(
    system: &'a System,
    state: &'a [Value],
) -> impl Iterator<Item = (VarId, &'a Value)> {
    let all = system.var_ids().zip(state);
    all.filter(|(var, x)| is_shown(system, *var, **x) && (!is_fault(system, *var) || **x != 0))
}

/// A whole state: marked places and all other variables; at most `SHOWN` of them unless `full`.
pub fn marking(system: &System, state: &[Value], full: bool) -> String {
    marking_of(system, state, full, |_| true)
}

/// A state as [`marking`] shows it, restricted to the variables to `keep`.
fn marking_of(
    system: &System,
    state: &[Value],
    full: bool,
    keep: impl Fn(VarId) -> bool,
) -> String {
    let part = |(var, x): (VarId, &Value)| {
        let variable = system.variable(var);
        match (&variable.domain, x) {
            _ if is_fault(system, var) => variable.name.clone(),
            (Domain::Count { .. }, 1) => variable.name.clone(),
            _ => format!("{}={}", variable.name, value_text(system, var, *x)),
        }
    };
    let values = shown_values(system, state).filter(|(var, _)| keep(*var));
    join(values.map(part).collect(), full)
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
    step_text_of(system, before, step, |_| true)
}

/// The changes of a step to the variables to `keep`.
fn step_text_of(
    system: &System,
    before: &[Value],
    step: &Step,
    keep: impl Fn(VarId) -> bool,
) -> String {
    let kept = step
        .changes()
        .iter()
        .filter(|(var, _)| keep(*var) && !system.is_auxiliary(*var));
    let parts = kept.map(|(var, change)| {
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
