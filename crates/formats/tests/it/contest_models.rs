//! All locally available contest models are read, and their properties are bound.

use crate::added;
use lariat_corpora::{models, table};
use lariat_formats::{mcc, read};
use lariat_model::{Action, PropertyList, System};

/// Instance, whether it is a P/T net, [places, transitions, arcs].
fn index(folder: &std::path::Path) -> Vec<(String, bool, [usize; 3])> {
    table(&folder.join("index.tsv"))
        .into_iter()
        .map(|columns| {
            let size = [2, 3, 4].map(|i| columns[i].parse().unwrap());
            (columns[0].clone(), columns[1] == "PT", size)
        })
        .collect()
}

/// Places, transitions, arcs as counted in files: a pair of opposite arcs is two.
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
fn net_sizes_match_the_index() {
    let Some(folder) = models("mcc") else { return };
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
fn contest_properties_are_bound() {
    let Some(folder) = models("mcc") else { return };
    for (instance, _, _) in index(&folder) {
        let bytes = std::fs::read(folder.join(&instance).join("model.pnml")).unwrap();
        let model = read(&instance, &bytes).unwrap_or_else(|error| panic!("{error}"));
        let names = model.names();
        for kind in ["LTLCardinality", "LTLFireability"] {
            let file = folder.join(&instance).join(format!("{kind}.xml"));
            let mut properties = PropertyList::new();
            let text = std::fs::read(file).unwrap();
            mcc::read(&mut properties, &names, &instance, &text)
                .unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(properties.list.len(), 16, "{instance}");
            // The printed formula parses to the same formula over the same atoms.
            let atoms = properties.formulas.atom_count();
            for property in properties.list.clone() {
                let again = added(&mut properties, &names, &property.text);
                assert_eq!(again, property.formula, "{}", property.text);
            }
            assert_eq!(properties.formulas.atom_count(), atoms);
            assert_eq!(properties.propositions.len(), atoms);
        }
    }
}
