//! JUnit XML: one test case per property.
//!
//! A violated property is a failure with its counterexample. An undecided property is an error: a
//! build must not pass because a limit was reached.

use super::{Case, CaseResult};
use std::fmt::Write as _;

pub(super) fn text(model: &str, cases: &[Case]) -> String {
    let (mut failures, mut errors, mut seconds) = (0, 0, 0.0);
    let mut body = String::new();
    for case in cases {
        let time = case.outcome.as_ref().map_or(0.0, |outcome| outcome.seconds);
        seconds += time;
        let _ = write!(
            body,
            "    <testcase name=\"{}\" classname=\"{}\" time=\"{time:.3}\">",
            escape(&case.name),
            escape(model),
        );
        let formula = &case.formula;
        let mut problem = |element: &str, kind: &str, message: &str, text: &str| {
            let (message, text) = (escape(message), escape(text));
            let _ = write!(
                body,
                "\n      <{element} type=\"{kind}\" message=\"{message}\">{text}</{element}>\n    "
            );
        };
        match &case.outcome {
            None => {
                errors += 1;
                let message = format!("unknown: {formula}: the check has not ended");
                problem("error", "unknown", &message, "");
            }
            Some(outcome) => match &outcome.result {
                CaseResult::Holds => {}
                CaseResult::Violated => {
                    failures += 1;
                    let message = format!("violated: {formula}");
                    problem("failure", "violated", &message, &outcome.text);
                }
                CaseResult::Unknown(reason) => {
                    errors += 1;
                    let message = format!("unknown: {formula}: {reason}");
                    problem("error", "unknown", &message, &outcome.text);
                }
                CaseResult::Internal(what) => {
                    errors += 1;
                    let message = format!("internal error: {formula}: {what}");
                    problem("error", "internal", &message, &outcome.text);
                }
            },
        }
        body.push_str("</testcase>\n");
    }
    let count = cases.len();
    let counts = format!(
        "tests=\"{count}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\" time=\"{seconds:.3}\""
    );
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lariat\" {counts}>\n  <testsuite name=\"{}\" {counts}>\n{body}  </testsuite>\n</testsuites>\n",
        escape(model)
    )
}

/// Escapes text for an element or an attribute, and replaces characters that XML 1.0 excludes.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
