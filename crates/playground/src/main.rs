//! Lariat in a web page: reads a model and formulas as one JSON object on stdin, and writes the
//! verdicts and the page of the runs as one JSON object on stdout.
//!
//! The browser runs this program compiled for `wasm32-wasip1` (see `web/`), which needs no `unsafe`:
//! the page provides stdin, stdout and a clock. There are no threads and no files, so one thread
//! reads, checks and draws.

#![forbid(unsafe_code)]

use lariat::internals::ShownModel;
use lariat::internals::formats::{LoadError, load};
use lariat::{Budget, Checker, Model, Properties, Property, Report};
use lariat_draw::page::{PageEntry, PageSubject, page};
use lariat_draw::run::NameIndex;
use serde_json::{Value as Json, json};
use std::io::Read as _;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// Limit on the memory, in bytes: addresses have 32 bits.
const MEMORY: u64 = 1 << 30;
/// Limit on the time per step: reading, each property, drawing.
const TIME: Duration = Duration::from_secs(20);

fn main() {
    let mut request = String::new();
    let read = std::io::stdin().lock().read_to_string(&mut request);
    let answer = match read.map_err(|error| error.to_string()) {
        Ok(_) => answer(&request),
        Err(error) => Err(error),
    };
    println!("{}", answer.unwrap_or_else(|error| json!({"error": error})));
}

/// A first model with its formulas.
fn example(name: &str) -> Result<Json, String> {
    let (model, formulas) = match name {
        "net" => (
            include_str!("../../cli/src/init/request.pnml"),
            include_str!("../../cli/src/init/request.net.ltl"),
        ),
        "program" => (
            include_str!("../../cli/src/init/request.dve"),
            include_str!("../../cli/src/init/request.program.ltl"),
        ),
        _ => return Err(format!("there is no example `{name}`")),
    };
    Ok(json!({"model": model, "formulas": formulas}))
}

/// The verdicts and the page, or the message of the first error.
fn answer(request: &str) -> Result<Json, String> {
    let request: Json = serde_json::from_str(request).map_err(|error| error.to_string())?;
    if let Some(name) = request["example"].as_str() {
        return example(name);
    }
    let text = |key: &str| {
        request[key]
            .as_str()
            .ok_or_else(|| format!("there is no `{key}`"))
    };
    let (source, formulas) = (text("model")?, text("formulas")?);
    let budget = || Budget::bytes(MEMORY).with_deadline(TIME);

    let loaded = match load("model", source.as_bytes(), &budget()) {
        Ok(loaded) => loaded,
        Err(LoadError::Input(error)) => return Err(error.to_string()),
        Err(stop @ LoadError::Stop(_)) => return Err(stop.to_string()),
    };
    let model = Model::from_loaded("model", Arc::new(loaded));
    let mut properties = Properties::new(&model);
    let added = properties.add_file("formulas", formulas.as_bytes());
    added.map_err(|errors| errors.to_string())?;
    if properties.is_empty() {
        return Err("there is no formula".to_owned());
    }
    let checker = Checker::new(&model).memory(MEMORY).timeout(TIME);
    let mut reports = Vec::new();
    let checked = checker.check_all(&properties, |report| {
        reports.push(report);
        ControlFlow::Continue(())
    });
    checked.map_err(|error| error.to_string())?;

    let verdicts: Vec<Json> = { reports.iter() }
        .map(|report| json!({"holds": report.holds(), "text": report.to_string()}))
        .collect();
    let page = draw(&model, &properties, &reports, &budget());
    Ok(json!({"verdicts": verdicts, "page": page}))
}

/// The page of the runs, those of violated properties first.
fn draw(model: &Model, properties: &Properties<'_>, reports: &[Report], budget: &Budget) -> String {
    let index = NameIndex::new(&model.loaded().system);
    let entry = |report: &Report| {
        let property = properties
            .iter()
            .find(|property| property.name() == report.name());
        let mut json = report.to_json();
        json["formula"] = report.shown_formula().into();
        let run = ["counterexample", "run"]
            .iter()
            .find_map(|name| json[*name].is_object().then(|| &json[*name]));
        PageEntry {
            run: run.and_then(|run| index.run(run, budget).ok()),
            formula: property.and_then(Property::formula_along_runs),
            report: json,
            ..PageEntry::default()
        }
    };
    let mut entries: Vec<PageEntry> = reports.iter().map(entry).collect();
    entries.sort_by_key(|entry| entry.run.is_none());
    let bound = properties.bound();
    let shown = ShownModel::of(model.loaded(), bound);
    let subject = PageSubject {
        name: model.name(),
        model: shown.as_ref().map_or(model.loaded(), |shown| &shown.model),
        formulas: shown
            .as_ref()
            .map_or(&bound.formulas, |shown| &shown.formulas),
        propositions: &bound.propositions,
    };
    page(&subject, &entries, budget)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(model: &str, formulas: &str) -> Result<Json, String> {
        answer(&json!({"model": model, "formulas": formulas}).to_string())
    }

    #[test]
    fn verdicts_and_the_page_of_a_run() {
        let net = include_str!("../../../examples/mutex.pnml");
        let formulas = include_str!("../../../examples/mutex.ltl");
        let answer = ask(net, formulas).expect("an answer");
        let verdicts = answer["verdicts"].as_array().expect("a list");
        let holds: Vec<_> = verdicts
            .iter()
            .map(|verdict| verdict["holds"].as_bool())
            .collect();
        assert_eq!(holds, [Some(true), Some(false), Some(true), Some(true)]);
        let page = answer["page"].as_str().expect("a page");
        assert!(page.starts_with("<!") && page.contains("no-starvation"));
    }

    #[test]
    fn mistakes_are_reported() {
        for (model, formulas, message) in [
            ("", "F p", "the file is empty"),
            (
                "process P { state s; init s; } system async;",
                "F P.t",
                "did you mean \"P.s\"?",
            ),
            (
                "process P { state s; init s; } system async;",
                "# none",
                "there is no formula",
            ),
        ] {
            let error = ask(model, formulas).expect_err(message);
            assert!(error.contains(message), "{error}");
        }
        assert!(answer("{}").is_err() && answer("[").is_err());
    }

    #[test]
    fn examples_are_checked() {
        for name in ["net", "program"] {
            let given = answer(&json!({"example": name}).to_string()).expect(name);
            let verdicts = answer(&given.to_string()).expect(name)["verdicts"].clone();
            let holds: Vec<_> = verdicts
                .as_array()
                .expect("a list")
                .iter()
                .map(|v| v["holds"].clone())
                .collect();
            assert!(
                holds.contains(&json!(true)) && holds.contains(&json!(false)),
                "{holds:?}"
            );
        }
        assert!(answer(r#"{"example": "x"}"#).is_err());
    }
}
