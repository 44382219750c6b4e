//! `lariat info`: sizes, bounds and symmetries of a model.

use crate::args::Info;
use crate::info_names::{atom_names, json, text};
use crate::progress::grouped;
use crate::{Exit, Failure, input, out};
use lariat::internals::Budget;
use lariat::internals::formats::{LoadedModel, ModelFormat};
use lariat::internals::ir::Transition;
use lariat::internals::reductions::symmetry::detect;
use lariat_structural::Facts;
use std::borrow::Cow;
use std::fmt::Write as _;

pub(crate) fn run(args: &Info) -> Result<Exit, Failure> {
    let (budget, dog) = input::command_budget(&args.limits);
    let model = match input::watched_model(&args.model, &budget) {
        Err(Failure::Undecided(stop)) if args.json => {
            let model = args.model.display().to_string();
            let answer =
                serde_json::json!({"schema": 1, "model": model, "reason": stop.to_string()});
            out::data(&format!("{answer}\n"))?;
            return Ok(Exit::of_stop(&stop));
        }
        model => model?,
    };
    let mut model = model;
    args.shown.apply(&mut model);
    if args.names {
        return names(args, &model, &budget);
    }
    // JSON identifies places and transitions by their ids.
    let model = if args.json {
        Cow::Borrowed(&model)
    } else {
        model.shown()
    };
    let facts = Sizes::of(&model, &budget);
    dog.done();
    if args.json {
        let file = args.model.display().to_string();
        out::data(&format!("{}\n", facts.json(&file, &model.system.name)))?;
    } else {
        out::text(&facts.text(&model.system.name))?;
    }
    Ok(Exit::Fine)
}

/// Lists the names that formulas may use.
fn names(args: &Info, model: &LoadedModel, budget: &Budget) -> Result<Exit, Failure> {
    // If the budget ends, fewer bounds are known.
    let bounds = Facts::of(&model.system).bounds(MOST_BOUNDS, budget);
    let list = atom_names(model, &bounds.unwrap_or_default());
    if args.json {
        let file = args.model.display().to_string();
        let mut object = Sizes::of(model, budget).json(&file, &model.system.name);
        object["names"] = json(&list).into();
        out::data(&format!("{object}\n"))?;
    } else {
        out::text(&text(&list))?;
    }
    Ok(Exit::Fine)
}

/// Limit on the linear programs that are solved for better bounds.
const MOST_BOUNDS: usize = 100;

struct Sizes {
    format: ModelFormat,
    variables: usize,
    events: usize,
    arcs: usize,
    /// Inhibitor arcs, and conditions that capacities became.
    inhibitors: usize,
    resets: usize,
    largest_weight: i64,
    initial_tokens: i128,
    bounded: usize,
    /// The largest of the bounds, if every place has one.
    most_tokens: Option<u64>,
    /// Places, transitions and arcs of the coloured net that was unfolded.
    coloured: Option<[usize; 3]>,
    /// The symmetries in words; `None` if they are unknown.
    symmetries: Option<Vec<String>>,
    constant: usize,
    units: usize,
    assertions: Vec<String>,
    property: Option<String>,
}

impl Sizes {
    fn of(model: &LoadedModel, budget: &Budget) -> Sizes {
        let system = &model.system;
        let (initial, coloured) = (system.initial.first(), model.coloured_net());
        let mut facts = Sizes {
            format: model.format,
            variables: system.variables.len(),
            events: system.events.len(),
            arcs: 0,
            inhibitors: 0,
            resets: 0,
            largest_weight: 0,
            initial_tokens: initial.map_or(0, |state| state.iter().copied().map(i128::from).sum()),
            bounded: 0,
            most_tokens: None,
            coloured: coloured
                .map(|net| [net.places.len(), net.transitions.len(), net.arc_count()]),
            symmetries: (model.format == ModelFormat::Pnml)
                .then(|| detect(system, model.coloured.as_deref(), budget).ok())
                .flatten()
                .map(|found| found.words(system, coloured)),
            constant: 0,
            units: system.units.len(),
            assertions: system.findings.iter().map(|f| f.name.clone()).collect(),
            property: model.property.as_ref().map(|p| p.name.clone()),
        };
        let is_net = model.format == ModelFormat::Pnml;
        let mut written = vec![false; system.variables.len()];
        for event in &system.events {
            if let Some(transition) = Transition::of(&event.action)
                && is_net
            {
                facts.inhibitors += transition.inhibitors.len();
                facts.resets += transition.resets.len();
                for arc in transition.arcs {
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
        facts.constant = written.iter().filter(|written| !**written).count();
        // If the budget ends, fewer bounds are known.
        let mut known = Facts::of(system);
        let bounds = known.bounds(MOST_BOUNDS, budget).unwrap_or_default();
        facts.bounded = bounds.iter().flatten().count();
        if facts.bounded == system.variables.len() {
            facts.most_tokens = bounds.into_iter().flatten().max();
        }
        facts
    }

    fn kind(&self) -> &'static str {
        match self.format {
            ModelFormat::Pnml if self.coloured.is_some() => "coloured Petri net",
            ModelFormat::Pnml => "place/transition net",
            ModelFormat::Dve => "program of processes (DVE)",
            ModelFormat::Promela => "program of processes (Promela)",
            ModelFormat::Etf => "tables of transitions (ETF)",
        }
    }

    fn json(&self, model: &str, name: &str) -> serde_json::Value {
        let mut facts = serde_json::json!({
            "schema": 1,
            "model": model,
            "name": name,
            "kind": self.kind(),
        });
        let more = match self.format {
            ModelFormat::Pnml => serde_json::json!({
                "places": self.variables,
                "transitions": self.events,
                "arcs": self.arcs,
                "largest_weight": self.largest_weight,
                "initial_tokens": self.initial_tokens.to_string(),
                "bounded_places": self.bounded,
                "constant_places": self.constant,
                "units": self.units,
            }),
            ModelFormat::Dve | ModelFormat::Promela | ModelFormat::Etf => serde_json::json!({
                "variables": self.variables,
                "events": self.events,
                "constant_variables": self.constant,
                "assertions": self.assertions,
                "property_process": self.property,
            }),
        };
        if let (Some(facts), serde_json::Value::Object(more)) = (facts.as_object_mut(), more) {
            facts.extend(more);
        }
        for (name, count) in [
            ("inhibitor_arcs", self.inhibitors),
            ("reset_arcs", self.resets),
        ] {
            if count > 0 {
                facts[name] = serde_json::json!(count);
            }
        }
        if let Some(most) = self.most_tokens {
            facts["bound"] = serde_json::json!(most);
        }
        if let Some([places, transitions, arcs]) = self.coloured {
            facts["coloured"] =
                serde_json::json!({"places": places, "transitions": transitions, "arcs": arcs});
        }
        if let Some(symmetries) = &self.symmetries {
            facts["symmetries"] = serde_json::json!(symmetries);
        }
        facts
    }

    fn text(&self, name: &str) -> String {
        let mut rows = Vec::new();
        match self.format {
            ModelFormat::Pnml => {
                let places = |count| format!("{} of the places", grouped(count));
                let size = |which: usize, unfolded: usize| match self.coloured {
                    Some(own) => format!("{}, unfolded {}", grouped(own[which]), grouped(unfolded)),
                    None => grouped(unfolded),
                };
                rows.extend([
                    ("places", size(0, self.variables)),
                    ("transitions", size(1, self.events)),
                    ("arcs", size(2, self.arcs)),
                    ("heaviest arc", grouped(self.largest_weight)),
                    ("initial tokens", grouped(self.initial_tokens)),
                    ("bounded by structure", places(self.bounded)),
                    ("never changed", places(self.constant)),
                ]);
                for (name, count) in [
                    ("inhibitor arcs", self.inhibitors),
                    ("reset arcs", self.resets),
                ] {
                    if count > 0 {
                        rows.push((name, grouped(count)));
                    }
                }
                if let Some(most) = self.most_tokens {
                    rows.push(("tokens in a place", format!("at most {}", grouped(most))));
                }
                if let Some(symmetries) = &self.symmetries {
                    let words = match &symmetries[..] {
                        [] => "none found".to_owned(),
                        words => words.join(", "),
                    };
                    rows.push(("symmetries", words));
                }
                if self.units > 0 {
                    rows.push(("nested units", grouped(self.units)));
                }
            }
            ModelFormat::Dve | ModelFormat::Promela | ModelFormat::Etf => {
                let constant = format!("{} of the variables", grouped(self.constant));
                rows.extend([
                    ("variables", grouped(self.variables)),
                    ("events", grouped(self.events)),
                    ("never changed", constant),
                ]);
                if !self.assertions.is_empty() {
                    rows.push(("assertions", self.assertions.join(", ")));
                }
                if let Some(property) = &self.property {
                    rows.push(("property process", property.clone()));
                }
            }
        }
        let title = if name.is_empty() { "model" } else { name };
        let mut text = format!("{title}: {}\n", self.kind());
        for (what, value) in rows {
            let _ = writeln!(text, "{what:>22}  {value}");
        }
        text
    }
}
