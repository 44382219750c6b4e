//! `lariat info`.

use crate::args::Info;
use crate::progress::grouped;
use crate::{Exit, Failure, input, out};
use lariat::System;
use lariat::model::{Action, Domain};
use serde_json::json;
use std::fmt::Write as _;

pub(crate) fn run(args: &Info) -> Result<Exit, Failure> {
    let system = input::system(&args.model)?;
    let facts = Facts::of(&system);
    if args.json {
        let model = args.model.display().to_string();
        out::data(&format!("{}\n", facts.json(&model, &system.name)))?;
    } else {
        out::text(&facts.text(&system.name))?;
    }
    Ok(Exit::Fine)
}

struct Facts {
    kind: &'static str,
    places: usize,
    transitions: usize,
    arcs: usize,
    largest_weight: i64,
    initial_tokens: i128,
    bounded_places: usize,
    constant_places: usize,
    units: usize,
}

impl Facts {
    fn of(system: &System) -> Facts {
        let mut facts = Facts {
            kind: "place/transition net",
            places: system.variables.len(),
            transitions: system.events.len(),
            arcs: 0,
            largest_weight: 0,
            initial_tokens: system
                .initial
                .first()
                .map_or(0, |state| state.iter().copied().map(i128::from).sum()),
            bounded_places: 0,
            constant_places: 0,
            units: system.units.len(),
        };
        let mut written = vec![false; system.variables.len()];
        for event in &system.events {
            if let Action::Net(arcs) = &event.action {
                for arc in arcs {
                    let weights = [arc.need, arc.need + arc.delta];
                    facts.arcs += weights.iter().filter(|w| **w > 0).count();
                    let heaviest = weights[0].max(weights[1]);
                    facts.largest_weight = facts.largest_weight.max(heaviest);
                }
            }
            for var in event.action.writes() {
                written[var.index()] = true;
            }
        }
        for (variable, written) in system.variables.iter().zip(written) {
            facts.constant_places += usize::from(!written);
            let bounded = matches!(variable.domain, Domain::Count { bound: Some(_) });
            facts.bounded_places += usize::from(bounded);
        }
        facts
    }

    fn json(&self, model: &str, name: &str) -> serde_json::Value {
        json!({
            "schema": 1,
            "model": model,
            "name": name,
            "kind": self.kind,
            "places": self.places,
            "transitions": self.transitions,
            "arcs": self.arcs,
            "largest_weight": self.largest_weight,
            "initial_tokens": self.initial_tokens.to_string(),
            "bounded_places": self.bounded_places,
            "constant_places": self.constant_places,
            "units": self.units,
        })
    }

    fn text(&self, name: &str) -> String {
        let places = |count| format!("{} of the places", grouped(count));
        let mut rows = vec![
            ("places", grouped(self.places)),
            ("transitions", grouped(self.transitions)),
            ("arcs", grouped(self.arcs)),
            ("heaviest arc", grouped(self.largest_weight)),
            ("initial tokens", grouped(self.initial_tokens)),
            ("bounded by structure", places(self.bounded_places)),
            ("never changed", places(self.constant_places)),
        ];
        if self.units > 0 {
            rows.push(("nested units", grouped(self.units)));
        }
        let mut text = format!("{name}: {}\n", self.kind);
        for (what, value) in rows {
            let _ = writeln!(text, "{what:>22}  {value}");
        }
        text
    }
}
