//! Nets as other tools write them: each is read with the meaning in `expected.tsv`, or refused there
//! with its line.

use lariat_formats::{LoadedModel, read};
use lariat_model::{Domain, Transition, VarId};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// `p=1 q(name)=0; t: p>=1 q<2, p-1 q:=0; safe p`
fn summary(model: &LoadedModel) -> String {
    let system = &model.system;
    let shown = |id: &str| match model.labels.name(id) {
        Some(name) => format!("{id}({name})"),
        None => id.to_owned(),
    };
    let id = |var: VarId| &system.variable(var).name;
    let tokens = system.variables.iter().zip(&system.initial[0]);
    let places: Vec<String> = tokens
        .map(|(place, tokens)| format!("{}={tokens}", shown(&place.name)))
        .collect();
    let mut parts = vec![places.join(" ")];
    for event in &system.events {
        let transition = Transition::of(&event.action).expect("a transition");
        let (mut conditions, mut changes) = (Vec::new(), Vec::new());
        for arc in &transition.arcs {
            if arc.need > 0 {
                conditions.push(format!("{}>={}", id(arc.var), arc.need));
            }
            if arc.delta != 0 {
                changes.push(format!("{}{:+}", id(arc.var), arc.delta));
            }
        }
        let inhibitors = transition.inhibitors.iter();
        conditions.extend(inhibitors.map(|(var, bound)| format!("{}<{bound}", id(*var))));
        let resets = transition.resets.iter();
        changes.extend(resets.map(|(var, made)| format!("{}:={made}", id(*var))));
        let mut text = format!("{}:", shown(&event.name));
        if !conditions.is_empty() {
            let _ = write!(text, " {}", conditions.join(" "));
        }
        if !changes.is_empty() {
            let comma = if conditions.is_empty() { "" } else { "," };
            let _ = write!(text, "{comma} {}", changes.join(" "));
        }
        parts.push(text);
    }
    let is_safe = |domain: &Domain| *domain == Domain::Count { bound: Some(1) };
    let safe = system.variables.iter().filter(|v| is_safe(&v.domain));
    let safe: Vec<&str> = safe.map(|v| &*v.name).collect();
    if !safe.is_empty() && !system.units.is_empty() {
        parts.push(format!("safe {}", safe.join(" ")));
    }
    parts.join("; ")
}

#[test]
fn dialects_are_read_as_expected_or_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dialects");
    let table = fs::read_to_string(folder.join("expected.tsv")).expect("a table");
    let mut differences = Vec::new();
    let mut listed = 0;
    for row in table.lines().skip(1) {
        let (file, want) = row.split_once('\t').expect("two columns");
        let bytes = fs::read(folder.join(file)).expect("a file of the table");
        let found = match read(file, &bytes) {
            Ok(model) => summary(&model),
            Err(error) => {
                let line = error.place.as_ref().map_or(0, |place| place.line);
                format!("error {line}: {}", error.message)
            }
        };
        let is_as_wanted = match want.strip_prefix("error ") {
            Some(_) => found.starts_with(want),
            None => found == want,
        };
        if !is_as_wanted {
            differences.push(format!("{file}\n  want {want}\n  got  {found}"));
        }
        listed += 1;
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let files = fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(files, listed + 1, "every file is in the table");
    assert!(listed >= 60, "{listed}");
}
