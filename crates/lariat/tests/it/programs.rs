//! Verdicts on DVE and ETF models against the published ones, with replayed lassos.
//!
//! The models are read from the folder `LARIAT_MODELS`, else from beside the workspace; without
//! them the tests pass. Models of more than `LARIAT_STATES` (10 000) states are skipped.

use crate::asking::{by, check_anew};
use lariat::internals::formats::LoadedModel;
use lariat::internals::ir::PropertyList;
use lariat::internals::{
    Budget, EarnedVerdict, EngineChoice, Plan, PropertyForm, Subject, process_automaton,
};
use lariat_corpora::{models, number, table};
use std::fs;
use std::path::Path;

fn limit() -> u64 {
    number("LARIAT_STATES", 10_000)
}

fn read(path: &Path) -> LoadedModel {
    let bytes = fs::read(path).expect("a readable model");
    lariat::internals::formats::read(&path.display().to_string(), &bytes)
        .unwrap_or_else(|e| panic!("{e}"))
}

fn properties(model: &LoadedModel, path: &Path) -> PropertyList {
    let mut properties = PropertyList::new();
    let bytes = fs::read(path).expect("a readable property file");
    properties
        .add_file(&model.names(), &path.display().to_string(), &bytes)
        .unwrap_or_else(|e| panic!("{e}"));
    properties
}

fn verdict(
    model: &LoadedModel,
    properties: &PropertyList,
    property: PropertyForm<'_>,
    engine: EngineChoice,
) -> &'static str {
    let subject = Subject::new(model, properties);
    let report = check_anew(&subject, property, &by(engine), &Budget::bytes(2 << 30));
    match report.verdict {
        EarnedVerdict::Holds(_) => "T",
        EarnedVerdict::Violated(_) => "F",
        EarnedVerdict::Unknown(reason) => panic!("{reason}"),
    }
}

/// The engines for a model with this number of states; those on sets only for small models.
fn engines(states: u64) -> Vec<EngineChoice> {
    let mut engines = vec![EngineChoice::default()];
    if states <= limit() / 5 {
        engines.extend(["slap-fst", "owcty"].map(|name| EngineChoice::Plan(Plan::of(name))));
    }
    engines
}

#[test]
fn formulas_have_the_published_verdicts() {
    let Some(folder) = models("dve") else { return };
    let verdicts = table(&folder.join("verdicts.tsv"));
    let mut decided = 0;
    for line in table(&folder.join("index.tsv")) {
        let (name, states) = (&line[0], line[4].parse::<u64>().expect("a number"));
        let file = folder.join(format!("{name}.ltl"));
        if !file.is_file() {
            continue;
        }
        for kind in ["dve", "etf"] {
            let path = models(kind).map(|folder| folder.join(format!("{name}.{kind}")));
            let Some(path) = path.filter(|path| path.is_file()) else {
                continue;
            };
            let model = read(&path);
            let properties = properties(&model, &file);
            let wanted = verdicts.iter().filter(|v| v[0] == *name);
            assert_eq!(properties.list.len(), wanted.clone().count(), "{name}");
            if states > limit() {
                continue;
            }
            for (property, want) in properties.list.iter().zip(wanted) {
                for engine in engines(states) {
                    let question = PropertyForm::Formula(property.formula);
                    let (path, name) = (path.display(), engine.name());
                    let found = verdict(&model, &properties, question, engine);
                    assert_eq!(found, want[3], "{path}: {}, {name}", property.text);
                    decided += 1;
                }
            }
        }
    }
    println!("{decided} verdicts");
    assert!(decided > 30);
}

#[test]
fn property_processes_have_the_published_verdicts() {
    let Some(folder) = models("dve") else { return };
    let verdicts = table(&folder.join("verdicts.tsv"));
    for entry in fs::read_dir(folder.join("property-process")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let file = path.file_stem().unwrap_or_default().to_string_lossy();
        let (name, id) = file.split_once(".prop").expect("a model and a property");
        let want = verdicts.iter().find(|v| v[0] == name && v[2] == id);
        let model = read(&path);
        let mut properties = PropertyList::new();
        let process = model.property.as_ref().expect("a property process");
        let automaton = process_automaton(process, &mut properties).expect("an automaton");
        let never = PropertyForm::Never(&automaton);
        let found = verdict(&model, &properties, never, EngineChoice::default());
        assert_eq!(found, want.expect("a verdict")[3], "{file}");
    }
}
