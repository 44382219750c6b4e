//! SARIF 2.1.0 (OASIS, 2020): a rule per property, a result per property that does not hold.
//!
//! A violated property is an error, with the run as a code flow; an undecided one is a warning.

use super::{Case, CaseResult};
use serde_json::{Value as Json, json};

/// Limit on the steps of a code flow.
const STEPS: usize = 200;

pub(super) fn text(model: &str, cases: &[Case]) -> String {
    let rules = cases.iter().map(|case| {
        json!({
            "id": case.name,
            "shortDescription": {"text": case.formula},
        })
    });
    let results = cases.iter().enumerate();
    let results = results.filter_map(|(index, case)| result(model, index, case));
    let all = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "lariat",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<_>>(),
            }},
            "artifacts": [{"location": location(model)}],
            "results": results.collect::<Vec<_>>(),
            "columnKind": "unicodeCodePoints",
        }],
    });
    format!("{all:#}\n")
}

/// The result for a property, unless it holds.
fn result(model: &str, index: usize, case: &Case) -> Option<Json> {
    let Case { name, formula, .. } = case;
    let outcome = case.outcome.as_ref();
    let (level, message) = match outcome.map(|outcome| &outcome.result) {
        Some(CaseResult::Holds) => return None,
        Some(CaseResult::Violated) => ("error", format!("{name} is violated: {formula}")),
        Some(CaseResult::Unknown(reason)) => (
            "warning",
            format!("{name} is undecided: {formula}: {reason}"),
        ),
        Some(CaseResult::Internal(what)) => (
            "warning",
            format!("{name} is undecided: internal error: {what}"),
        ),
        None => (
            "warning",
            format!("{name} is undecided: the check has not ended"),
        ),
    };
    let steps = outcome.map_or(&[][..], |outcome| &outcome.steps);
    let at = |text: &str| {
        json!({"location": {
            "physicalLocation": {"artifactLocation": location(model)},
            "message": {"text": text},
        }})
    };
    let mut locations: Vec<Json> = steps.iter().take(STEPS).map(|step| at(step)).collect();
    if steps.len() > STEPS {
        locations.push(at(&format!("… {} more steps", steps.len() - STEPS)));
    }
    let mut result = json!({
        "ruleId": name,
        "ruleIndex": index,
        "level": level,
        "message": {"text": message},
        "locations": [{"physicalLocation": {"artifactLocation": location(model)}}],
    });
    if !locations.is_empty() {
        result["codeFlows"] = json!([{"threadFlows": [{"locations": locations}]}]);
    }
    Some(result)
}

/// The location of a file, as a URI reference.
fn location(path: &str) -> Json {
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            b'\\' => uri.push('/'),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    json!({"uri": uri})
}
