//! Runs in JSON.
//!
//! The object of a long run takes a hundred times the memory of its text. Lines of output are
//! therefore written from an object without the steps, which are written one by one where they
//! belong; [`lasso_json`] makes the whole object.

use super::text::{is_shown, value_text};
use lariat_model::{Domain, Labels, Lasso, RunCursor, System, Value, VarId};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;
use std::io;

/// Limit on the values in the markings of a run: longer runs list the changes of each step.
const MOST_VALUES: usize = 1 << 20;

/// The keys of the steps, in the order of the run.
const STEPS: [&str; 2] = ["prefix", "loop"];

/// A run as JSON: each step with the marking after it, or with the new values of the variables
/// that it changes if the markings would be too many.
pub(crate) fn lasso_json(system: &System, lasso: &Lasso, bad: Option<usize>) -> Json {
    let mut object = head(system, lasso, bad);
    insert_steps(&mut object, system, lasso);
    object
}

/// The object of a run without its steps.
pub(crate) fn head(system: &System, lasso: &Lasso, bad: Option<usize>) -> Json {
    let mut object = json!({
        "kind": lasso.kind().name(),
        "initial": marking_json(system, &lasso.initial),
        "prefix": [],
        "loop": [],
        "replayed": true,
    });
    if let Some(growth) = &lasso.growth {
        object["growth"] = marking_json(system, growth);
    }
    if let Some(bad) = bad {
        object["bad"] = bad.into();
    }
    object
}

/// Inserts the steps of a run into its object.
pub(crate) fn insert_steps(object: &mut Json, system: &System, lasso: &Lasso) {
    let mut steps = RunSteps::new(system, lasso);
    for (key, count) in STEPS.into_iter().zip(counts(lasso)) {
        object[key] = steps.by_ref().take(count).collect();
    }
}

fn counts(lasso: &Lasso) -> [usize; 2] {
    [lasso.prefix.len(), lasso.cycle.len()]
}

/// The steps of a run as JSON, in order.
struct RunSteps<'a> {
    system: &'a System,
    run: RunCursor<'a>,
    in_changes: bool,
}

impl<'a> RunSteps<'a> {
    fn new(system: &'a System, lasso: &'a Lasso) -> RunSteps<'a> {
        RunSteps {
            system,
            run: lasso.cursor(),
            in_changes: has_many_values(system, lasso),
        }
    }
}

/// Returns whether the markings of a run show more than [`MOST_VALUES`] values.
fn has_many_values(system: &System, lasso: &Lasso) -> bool {
    let shows = |var: VarId, state: &[Value]| is_shown(system, var, state[var.index()]);
    let initial = system.var_ids().map(|var| shows(var, &lasso.initial));
    let mut shown: Vec<bool> = initial.collect();
    let mut now = shown.iter().filter(|shown| **shown).count();
    let mut sum = 0;
    let mut run = lasso.cursor();
    while let Some((step, state)) = run.take() {
        for (var, _) in step.changes() {
            let after = shows(*var, state);
            let before = std::mem::replace(&mut shown[var.index()], after);
            now = now + usize::from(after) - usize::from(before);
        }
        sum += now;
        if sum > MOST_VALUES {
            return true;
        }
    }
    false
}

impl Iterator for RunSteps<'_> {
    type Item = Json;

    fn next(&mut self) -> Option<Json> {
        let system = self.system;
        let (step, state) = self.run.take()?;
        let fire = step.event.map(|event| &system.event(event).name);
        Some(if self.in_changes {
            let changed = step.changes().iter();
            let changed = changed.map(|(var, _)| (*var, state[var.index()]));
            json!({ "fire": fire, "changes": values_json(system, changed) })
        } else {
            json!({ "fire": fire, "marking": marking_json(system, state) })
        })
    }
}

/// Writes an object as text. The run under `key`, if there is one, has no steps in the object, and
/// those of `lasso` in the text.
pub(crate) fn write_line(
    out: &mut dyn io::Write,
    object: &Json,
    key: &str,
    run: Option<(&System, &Lasso)>,
) -> io::Result<()> {
    write_object(out, object, |out, name, value| {
        match run.filter(|_| name == key && value.is_object()) {
            Some((system, lasso)) => write_run(out, value, system, lasso),
            None => write!(out, "{value}"),
        }
    })
}

/// A text that is written into memory, where writing does not fail.
pub(crate) fn in_memory(write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    let _ = write(&mut out);
    String::from_utf8(out).unwrap_or_default()
}

fn write_run(
    out: &mut dyn io::Write,
    object: &Json,
    system: &System,
    lasso: &Lasso,
) -> io::Result<()> {
    let mut steps = RunSteps::new(system, lasso);
    let counts = counts(lasso);
    write_object(out, object, |out, name, value| {
        let Some(part) = STEPS.iter().position(|key| *key == name) else {
            return write!(out, "{value}");
        };
        out.write_all(b"[")?;
        for (i, step) in steps.by_ref().take(counts[part]).enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(out, "{comma}{step}")?;
        }
        out.write_all(b"]")
    })
}

/// Writes an object whose values are written by `write`, in the order of the object.
fn write_object(
    out: &mut dyn io::Write,
    object: &Json,
    mut write: impl FnMut(&mut dyn io::Write, &str, &Json) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(b"{")?;
    for (i, (name, value)) in object.as_object().into_iter().flatten().enumerate() {
        let comma = if i > 0 { "," } else { "" };
        write!(out, "{comma}{}:", Json::from(name.as_str()))?;
        write(out, name, value)?;
    }
    out.write_all(b"}")
}

/// The names of the ids in a run, where text shows names.
pub(crate) fn names_of_run(labels: &Labels, system: &System, lasso: &Lasso) -> Map<String, Json> {
    let (mut vars, mut events) = (BTreeSet::new(), BTreeSet::new());
    for marking in std::iter::once(&lasso.initial).chain(&lasso.growth) {
        let pairs = system.var_ids().zip(marking.iter());
        vars.extend(pairs.filter_map(|(var, x)| is_shown(system, var, *x).then_some(var)));
    }
    for step in lasso.steps() {
        vars.extend(step.changes().iter().map(|(var, _)| *var));
        events.extend(step.event);
    }
    let vars = vars.into_iter().map(|var| &system.variable(var).name);
    let ids = vars.chain(events.into_iter().map(|event| &system.event(event).name));
    ids.filter_map(|id| Some((id.clone(), Json::from(labels.shown(id)?))))
        .collect()
}

/// The value of a variable: a number, or the name of a value.
pub(crate) fn value_json(system: &System, var: VarId, value: Value) -> Json {
    match system.variable(var).domain {
        Domain::Names(_) => Json::from(value_text(system, var, value)),
        _ => Json::from(value),
    }
}

fn marking_json(system: &System, state: &[Value]) -> Json {
    let all = system.var_ids().zip(state.iter().copied());
    values_json(system, all.filter(|(var, x)| is_shown(system, *var, *x)))
}

fn values_json(system: &System, values: impl Iterator<Item = (VarId, Value)>) -> Json {
    let pairs = values.map(|(var, x)| {
        let name = system.variable(var).name.clone();
        (name, value_json(system, var, x))
    });
    Json::Object(pairs.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_model::{RunRecorder, Variable};

    /// One token that spreads over many places: the markings would have more values than the first.
    #[test]
    fn long_runs_list_changes() {
        const PLACES: usize = 1100;
        let variable = |i: usize| Variable {
            name: format!("p{i}"),
            domain: Domain::Count { bound: None },
        };
        let system = System {
            variables: (0..PLACES).map(variable).collect(),
            ..System::default()
        };
        for (steps, is_long) in [(10, false), (1000, true)] {
            let mut state = vec![0; PLACES];
            state[0] = 1;
            let mut run = RunRecorder::new(state.clone().into());
            state.fill(1);
            for k in 0..steps {
                state[0] = k % 2;
                run.push(None, &state);
            }
            let json = lasso_json(&system, &run.into_lasso(0), None);
            let last = json["loop"].as_array().and_then(|steps| steps.last());
            let has = |key: &str| last.is_some_and(|step| step.get(key).is_some());
            assert_eq!((has("changes"), has("marking")), (is_long, !is_long));
        }
    }
}
