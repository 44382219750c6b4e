//! Every contest model that is at hand is read, and its properties are understood.

use std::path::PathBuf;

use lariat_model::{Action, Properties, System, read};

/// The folder with `mcc/`, if it is there.
fn models() -> Option<PathBuf> {
    let folder = match std::env::var_os("LARIAT_MODELS") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models"),
    };
    let folder = folder.join("mcc");
    if !folder.is_dir() {
        eprintln!("skipped: no models in {}", folder.display());
        return None;
    }
    Some(folder)
}

/// Instance, is it a P/T net, [places, transitions, arcs].
fn index(folder: &std::path::Path) -> Vec<(String, bool, [usize; 3])> {
    let index = std::fs::read_to_string(folder.join("index.tsv")).unwrap();
    let lines = index.lines().skip(1);
    lines
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            let size = [2, 3, 4].map(|i| columns[i].parse().unwrap());
            (columns[0].to_owned(), columns[1] == "PT", size)
        })
        .collect()
}

/// Places, transitions, arcs as a file counts them: a pair of opposite arcs is two.
fn size(system: &System) -> [usize; 3] {
    let mut arcs = 0;
    for event in &system.events {
        let Action::Net(all) = &event.action else {
            panic!("not a net")
        };
        for arc in all {
            arcs += usize::from(arc.need > 0) + usize::from(arc.need + arc.delta > 0);
        }
    }
    [system.variables.len(), system.events.len(), arcs]
}

#[test]
fn nets_have_the_size_of_the_index() {
    let Some(folder) = models() else { return };
    for (instance, is_pt, want) in index(&folder) {
        let bytes = std::fs::read(folder.join(&instance).join("model.pnml")).unwrap();
        let model = read(&instance, &bytes).unwrap_or_else(|error| panic!("{error}"));
        let found = match &model.coloured {
            None => size(&model.system),
            Some(coloured) => [
                coloured.net.places.len(),
                coloured.net.transitions.len(),
                coloured.net.arc_count(),
            ],
        };
        assert_eq!(found, want, "{instance}");
        assert_eq!(model.coloured.is_none(), is_pt, "{instance}");
    }
}

#[test]
fn properties_bind() {
    let Some(folder) = models() else { return };
    for (instance, _, _) in index(&folder) {
        let bytes = std::fs::read(folder.join(&instance).join("model.pnml")).unwrap();
        let model = read(&instance, &bytes).unwrap_or_else(|error| panic!("{error}"));
        let names = model.names();
        for kind in ["LTLCardinality", "LTLFireability"] {
            let file = folder.join(&instance).join(format!("{kind}.xml"));
            let mut properties = Properties::new();
            properties
                .add_mcc(&names, &instance, &std::fs::read(file).unwrap())
                .unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(properties.list.len(), 16, "{instance}");
            // What is echoed is read back as the same formula over the same atoms.
            let atoms = properties.formulas.atom_count();
            for property in properties.list.clone() {
                properties
                    .add_formula(&names, &property.name, None, &property.text)
                    .unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(
                    properties.list.last().unwrap().formula,
                    property.formula,
                    "{}",
                    property.text
                );
            }
            assert_eq!(properties.formulas.atom_count(), atoms);
            assert_eq!(properties.propositions.len(), atoms);
        }
    }
}
