//! Verdicts on DVE and ETF models against the published ones, with replayed lassos.
//!
//! The models are looked for in the folder that `LARIAT_MODELS` names, else beside the workspace; where
//! there are none the tests say so and pass. Models of more than `LARIAT_STATES` (10 000) states
//! are left out.

use lariat::model::{Model, Properties};
use lariat::{
    Budget, Explored, Options, Property, Quiet, Subject, Verdict, check, property_process,
};
use std::fs;
use std::path::{Path, PathBuf};

fn models() -> Option<PathBuf> {
    let folder = match std::env::var_os("LARIAT_MODELS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models"),
    };
    if !folder.is_dir() {
        eprintln!("skipped: there are no models in {}", folder.display());
        return None;
    }
    Some(folder)
}

/// The lines of a table, without its header.
fn table(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).expect("a table of models");
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect();
    text.lines().skip(1).map(cells).collect()
}

fn limit() -> u64 {
    std::env::var("LARIAT_STATES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(10_000)
}

fn read(path: &Path) -> Model {
    let bytes = fs::read(path).expect("a readable model");
    lariat::model::read(&path.display().to_string(), &bytes).unwrap_or_else(|e| panic!("{e}"))
}

fn properties(model: &Model, path: &Path) -> Properties {
    let mut properties = Properties::new();
    let bytes = fs::read(path).expect("a readable property file");
    properties
        .add_file(&model.names(), &path.display().to_string(), &bytes)
        .unwrap_or_else(|e| panic!("{e}"));
    properties
}

fn verdict(model: &Model, properties: &Properties, property: Property<'_>) -> &'static str {
    let subject = Subject {
        coloured: None,
        system: &model.system,
        formulas: &properties.formulas,
        propositions: &properties.propositions,
    };
    let report = check(
        &subject,
        property,
        &Options::default(),
        &mut Explored::new(&model.system),
        &Budget::bytes(2 << 30),
        &Quiet,
    );
    match report.verdict {
        Verdict::Holds(_) => "T",
        Verdict::Violated(_) => "F",
        Verdict::Unknown(reason) => panic!("{reason}"),
    }
}

#[test]
fn formulas_have_the_published_verdicts() {
    let Some(folder) = models() else { return };
    let verdicts = table(&folder.join("dve/verdicts.tsv"));
    let mut decided = 0;
    for line in table(&folder.join("dve/index.tsv")) {
        let (name, states) = (&line[0], line[4].parse::<u64>().expect("a number"));
        let file = folder.join(format!("dve/{name}.ltl"));
        if !file.is_file() {
            continue;
        }
        for kind in ["dve", "etf"] {
            let path = folder.join(format!("{kind}/{name}.{kind}"));
            if !path.is_file() {
                continue;
            }
            let model = read(&path);
            let properties = properties(&model, &file);
            let wanted = verdicts.iter().filter(|v| v[0] == *name);
            assert_eq!(properties.list.len(), wanted.clone().count(), "{name}");
            if states > limit() {
                continue;
            }
            for (property, want) in properties.list.iter().zip(wanted) {
                let found = verdict(&model, &properties, Property::Formula(property.formula));
                assert_eq!(found, want[3], "{}: {}", path.display(), property.text);
                decided += 1;
            }
        }
    }
    println!("{decided} verdicts");
    assert!(decided > 30);
}

#[test]
fn property_processes_have_the_published_verdicts() {
    let Some(folder) = models() else { return };
    let verdicts = table(&folder.join("dve/verdicts.tsv"));
    for entry in fs::read_dir(folder.join("dve/property-process")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let file = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let (name, id) = file.split_once(".prop").expect("a model and a property");
        let want = verdicts.iter().find(|v| v[0] == name && v[2] == id);
        let model = read(&path);
        let mut properties = Properties::new();
        let process = model.property.as_ref().expect("a property process");
        let automaton =
            property_process::automaton(process, &mut properties).expect("an automaton");
        let found = verdict(&model, &properties, Property::Never(&automaton));
        assert_eq!(found, want.expect("a verdict")[3], "{file}");
    }
}
