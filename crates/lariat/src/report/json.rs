//! Reports as JSON, schema 1.

use super::{Report, ReportVocabulary, run_json};
use crate::cross_check::Agreement;
use crate::decision::Decision;
use crate::fair_run::FairnessEvidence;
use crate::trace::Trace;
use crate::verdict::EarnedVerdict;
use lariat_budget::{StatValue, Stats};
use lariat_ltl::{Strengthening, Syntax, print};
use lariat_model::{EventId, Predicate, Proposition};
use serde_json::{Map, Value as Json, json};
use std::io;

/// The report as one JSON object.
pub(crate) fn report_json(report: &Report) -> Json {
    let mut object = head(report);
    if let Some(run) = &report.run {
        let key = run_key(&object);
        run_json::insert_steps(&mut object[key], run.system(), run.lasso());
    }
    object
}

/// Writes the report as one line, without its end.
pub(crate) fn write_line(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let object = head(report);
    let run = report.run.as_ref();
    let run = run.map(|run| (run.system(), run.lasso()));
    run_json::write_line(out, &object, run_key(&object), run)
}

/// The key of the run: a run that shows a formula of the form `EF p` is a witness.
fn run_key(object: &Json) -> &'static str {
    if object["witness"].is_object() {
        "witness"
    } else {
        "counterexample"
    }
}

/// The report as one JSON object, without the steps of its run.
pub(crate) fn head(report: &Report) -> Json {
    let mut object = decision_json(report);
    if let Some(modality) = report.modality {
        object["modality"] = modality.name().into();
        if modality.is_witnessed() {
            object["verdict"] = match object["verdict"].as_str() {
                Some("holds") => "violated",
                Some("violated") => "holds",
                _ => "unknown",
            }
            .into();
            object["witness"] = object["counterexample"].take();
        }
    }
    if let Some(advice) = report.advice() {
        object["advice"] = json!({"explored": advice.explored, "try": advice.options});
    }
    let names = names_json(report);
    if !names.is_empty() {
        object["names"] = names.into();
    }
    if let Some(finding) = &report.finding {
        object["finding"] = json!({"kind": finding.kind.name(), "line": finding.line});
    }
    if let Some(faults) = &report.faults {
        object["mistakes"] = json!({
            "failed_assertions": faults.failed_assertions(),
            "error_state": faults.error_state(),
            "overflow": faults.overflow(),
            "states": faults.incomplete_after(),
            "complete": faults.incomplete_after().is_none(),
        });
    }
    if !report.vacuity.is_empty() {
        let text = |f| print(&report.vocabulary.properties.formulas, f, Syntax::Full);
        let part = |part: &Strengthening| {
            json!({
                "part": text(part.part),
                "may_be": part.by,
                "never": part.never.map(text),
            })
        };
        object["vacuity"] = report.vacuity.iter().map(part).collect();
    }
    if let Some(check) = &report.cross_check {
        object["cross_check"] = json!({
            "engine": check.second.engine.name(),
            "verdict": check.second.verdict.word(),
            "agrees": match check.agreement {
                Agreement::Same => Json::from(true),
                Agreement::Different => false.into(),
                Agreement::Open => Json::Null,
            },
            "seconds": check.seconds,
        });
    }
    object
}

/// The names of the ids in the formula and in the run of a report, where text shows names.
fn names_json(report: &Report) -> Map<String, Json> {
    let ReportVocabulary {
        model, properties, ..
    } = &*report.vocabulary;
    let mut names = Map::new();
    if !model.labels.are_shown() {
        return names;
    }
    if let Some(run) = &report.run {
        names.extend(run_json::names_of_run(
            &model.labels,
            run.system(),
            run.lasso(),
        ));
    }
    let (mut vars, mut events) = (Vec::new(), Vec::new());
    for atom in &*report.atoms {
        match properties.propositions.get(atom.index()) {
            Some(Proposition::State(Predicate::Enabled(some)) | Proposition::Fires(some)) => {
                events.extend(some);
            }
            Some(Proposition::State(Predicate::Linear(linear))) => {
                vars.extend(linear.terms.iter().map(|(var, _)| *var));
            }
            _ => {}
        }
    }
    let vars = vars
        .into_iter()
        .map(|var| &*model.system.variable(var).name);
    let events = { events.into_iter() }.map(|event: &EventId| &*model.system.event(*event).name);
    for id in vars.chain(events) {
        // A formula names a coloured node without its colour.
        let node = id.split_once('(').map(|(node, _)| node);
        let node = node.filter(|_| model.coloured.is_some());
        names.extend([Some(id), node].into_iter().flatten().filter_map(|id| {
            let name = model.labels.shown(id)?;
            Some((id.to_owned(), Json::from(name)))
        }));
    }
    names
}

/// The fields that every report has, and those of the decision.
fn decision_json(report: &Report) -> Json {
    let decision = &report.decision;
    let mut object = json!({
        "schema": 1,
        "model": report.vocabulary.model_name,
        "property": report.name,
        "formula": report.formula,
        "verdict": decision.verdict.word(),
        "reason": match &decision.verdict {
            EarnedVerdict::Unknown(reason) => Json::from(reason.to_string()),
            _ => Json::Null,
        },
        "engine": decision.engine.name(),
        "deadlock": decision.deadlock.name(),
        "fairness": decision.fairness,
        "seconds": report.seconds,
        "phases": phases(report),
        "stats": account(decision),
        "passes": decision.passes.iter().map(|removed| json!({
            "name": removed.rule.name(),
            "removed_places": removed.places,
            "removed_events": removed.events,
        })).collect::<Vec<_>>(),
        "auto": decision.trail.iter().map(|attempt| json!({
            "engine": attempt.engine.name(),
            "outcome": attempt.outcome,
            "why": attempt.why,
            "work": attempt.work,
            "seconds": attempt.time.as_secs_f64(),
        })).collect::<Vec<_>>(),
        "facts": decision.facts.iter().map(|fact| json!({
            "says": fact.statement,
            "because": fact.reasons,
        })).collect::<Vec<_>>(),
        "counterexample": report.run.as_ref().map(Trace::head_json),
    });
    if !decision.met.is_empty() {
        object["counterexample"]["fair"] = decision.met.iter().map(met_json).collect();
    }
    if !decision.account.workers.is_empty() {
        object["workers"] = decision.account.workers.iter().map(stats).collect();
    }
    let has_ended = matches!(decision.verdict, EarnedVerdict::Holds(_));
    let varying = decision
        .account
        .stats
        .varying(report.concurrency, has_ended);
    if !varying.is_empty() {
        object["varying"] = varying.into();
    }
    if let Some(why) = decision.vacuous {
        object["vacuous"] = why.into();
    }
    object
}

/// The phases with their seconds.
fn phases(report: &Report) -> Json {
    let times = report.phases.times().into_iter();
    let rows =
        times.map(|(phase, time)| json!({ "name": phase.name(), "seconds": time.as_secs_f64() }));
    rows.collect()
}

/// How a run meets a constraint of fairness.
fn met_json((name, met): &(String, FairnessEvidence)) -> Json {
    let (how, at) = match met {
        FairnessEvidence::Taken(at) => ("taken", Some(at)),
        FairnessEvidence::Idle(at) => ("not enabled", Some(at)),
        FairnessEvidence::Never => ("never enabled", None),
    };
    json!({ "constraint": name, "met": how, "at": at })
}

/// The statistics of an engine, the variable order and a variable that overflows.
fn account(decision: &Decision) -> Json {
    let mut object = stats(&decision.account.stats);
    if let Some(order) = &decision.account.order {
        object["order"] = order.as_str().into();
    }
    if let Some(variable) = &decision.overflow {
        object["overflow"] = variable.as_str().into();
    }
    object
}

/// Figures as a JSON object.
pub fn stats(stats: &Stats) -> Json {
    let pairs = stats.iter().map(|(name, figure)| {
        let figure = match figure {
            StatValue::Count(n) => Json::from(*n),
            StatValue::Real(x) => Json::from(*x),
            StatValue::Text(text) => Json::from(text.as_str()),
        };
        (name.to_owned(), figure)
    });
    Json::Object(pairs.collect())
}
