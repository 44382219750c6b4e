//! Answers to questions as text and as JSON.

use super::{EarnedAnswer, EarnedReply, Proof, Witness};
use crate::report::rows::{RunLayout, folded, write_line};
use crate::report::run_json;
use crate::report::text::{cut_text, marking, step_text};
use lariat_formats::LoadedModel;
use lariat_model::{Lasso, System};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write as _;
use std::io;

/// The answer in a word: `yes`, `no`, a number, `unbounded` or `unknown`. For `reach` and `always`
/// it answers the question as asked.
pub fn word(answer: &EarnedAnswer) -> String {
    match answer {
        EarnedAnswer::Reached(_) | EarnedAnswer::Always(_) => "yes".to_owned(),
        EarnedAnswer::Never(_) | EarnedAnswer::Lost(..) => "no".to_owned(),
        EarnedAnswer::Most { value, .. } => value.to_string(),
        EarnedAnswer::Endless(_) => "unbounded".to_owned(),
        EarnedAnswer::Unknown {
            reason,
            at_least,
            at_most,
        } => {
            let mut out = format!("unknown: {reason}");
            if let Some((value, _)) = at_least {
                let _ = write!(out, "; at least {value}");
            }
            if let Some((value, _)) = at_most {
                let _ = write!(out, "; at most {value}");
            }
            out
        }
    }
}

/// The run that shows an answer, if there is one.
pub fn run(answer: &EarnedAnswer) -> Option<&Witness> {
    match answer {
        EarnedAnswer::Reached(run) | EarnedAnswer::Endless(run) | EarnedAnswer::Lost(run, _) => {
            Some(run)
        }
        EarnedAnswer::Most { witness, .. } => Some(witness),
        EarnedAnswer::Unknown { at_least, .. } => at_least.as_ref().map(|(_, run)| run),
        EarnedAnswer::Never(_) | EarnedAnswer::Always(_) => None,
    }
}

/// The proof of an answer, if it needs more than a run.
pub fn proof(answer: &EarnedAnswer) -> Option<&Proof> {
    match answer {
        EarnedAnswer::Never(proof) | EarnedAnswer::Always(proof) | EarnedAnswer::Lost(_, proof) => {
            Some(proof)
        }
        EarnedAnswer::Most { proof, .. } => Some(proof),
        EarnedAnswer::Unknown { at_most, .. } => at_most.as_ref().map(|(_, proof)| proof),
        EarnedAnswer::Reached(_) | EarnedAnswer::Endless(_) => None,
    }
}

/// The statements of a certificate as sentences; empty for a search.
pub fn reasons(system: &System, proof: &Proof) -> Vec<String> {
    match proof {
        Proof::Searched(_) => Vec::new(),
        Proof::Certificate(certificate) => certificate.sentences(system),
    }
}

/// A run, one state per line with its changes; all states with all variables if `full`.
pub fn run_text(system: &System, run: &Lasso, layout: &RunLayout) -> String {
    let mut out = String::new();
    let full = layout.full;
    let mut line = |head: &str, text: &str| write_line(&mut out, head, text, layout.width);
    line("    start  ", &marking(system, &run.initial, full));
    let total = run.len();
    let hidden = folded(0..total, None, layout);
    let mut states = run.cursor();
    for i in 0..total {
        let Some((before, step)) = states.next() else {
            break;
        };
        if i == hidden.start && !hidden.is_empty() {
            let (count, advice) = (hidden.len(), layout.advice("them"));
            line("           ", &format!("… {count} more steps{advice}"));
        }
        if !hidden.contains(&i) {
            let name = step
                .event
                .map_or("nothing", |event| &*system.event(event).name);
            let mark = if i < run.prefix.len() { ' ' } else { '↻' };
            let changed = step_text(system, before, step);
            let shown = if full {
                marking(system, states.state(), true)
            } else {
                changed
            };
            line(
                &format!("  {mark} {:>5}  ", i + 1),
                &format!("{name}  {shown}"),
            );
        }
    }
    if let Some(growth) = &run.growth {
        let adds = marking(system, growth, full);
        let text = "the steps marked ↻ can be repeated indefinitely; each round adds";
        line("    ", &format!("{text} {adds}"));
    }
    cut_text(&mut out, "    ", system, run, layout);
    out
}

/// The parts of a line besides the answer.
#[derive(Clone, Copy, Debug)]
pub struct LineHead<'a> {
    /// The file of the model.
    pub file: &'a str,
    /// The kind of question.
    pub ask: &'a str,
    /// The subject of the question.
    pub about: &'a str,
    /// The time since the start.
    pub seconds: f64,
    /// Omits the run: the limits have ended, and runs may be long.
    pub is_late: bool,
}

/// Writes an answer as one JSON object, schema 1, without the end of the line.
pub fn write_json(
    out: &mut dyn io::Write,
    model: &LoadedModel,
    head: LineHead<'_>,
    reply: &EarnedReply,
) -> io::Result<()> {
    let LineHead { about, seconds, .. } = head;
    let (answer, system) = (&reply.answer, &model.system);
    let number = |value: &i128| Json::from(value.to_string());
    let (mut at_least, mut at_most, mut reason) = (Json::Null, Json::Null, Json::Null);
    let word = match answer {
        EarnedAnswer::Unknown {
            reason: why,
            at_least: low,
            at_most: high,
        } => {
            reason = why.to_string().into();
            at_least = low.as_ref().map_or(Json::Null, |(value, _)| number(value));
            at_most = high.as_ref().map_or(Json::Null, |(value, _)| number(value));
            "unknown".to_owned()
        }
        EarnedAnswer::Most { value, .. } => {
            (at_least, at_most) = (number(value), number(value));
            word(answer)
        }
        answer => word(answer),
    };
    let run = run(answer).filter(|_| !head.is_late);
    let run = run.map(|run| run.run(system));
    let mut object = json!({
        "schema": 1,
        "model": head.file,
        "ask": head.ask,
        "about": about,
        "answer": word,
        "reason": reason,
        "at_least": at_least,
        "at_most": at_most,
        "engine": reply.asker.name(),
        "seconds": seconds,
        "certificate": proof(answer).map(|proof| reasons(system, proof)).filter(|r| !r.is_empty()),
        "run": run.as_ref().map(|run| run_json::head(system, run, None)),
    });
    let mut names = match &run {
        Some(run) if model.labels.are_shown() => run_json::names_of_run(&model.labels, system, run),
        _ => Map::new(),
    };
    if let Some(name) = model.labels.shown(about) {
        names.insert(about.to_owned(), name.into());
    }
    if !names.is_empty() {
        object["names"] = names.into();
    }
    let run = run.as_ref().map(|run| (system, run));
    run_json::write_line(out, &object, "run", run)
}
