//! `lariat info --names`: everything that can be an atom, with types and ranges.

use lariat::internals::formats::{LoadedModel, ModelFormat};
use lariat::internals::ir::coloured::{Colour, ColouredNet, SortId};
use lariat::internals::ir::{Definition, Domain, Fairness};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Limit on the values of a type that are listed.
const LISTED: usize = 12;

/// A name that formulas may use.
pub(crate) struct AtomName {
    name: String,
    /// The id of a place or transition, if it differs from the name.
    id: Option<String>,
    kind: &'static str,
    values: Values,
}

/// The values that a name has.
enum Values {
    /// True or false, for a reason that the kind tells.
    None,
    /// A number of tokens, with the bound if it is known.
    Tokens(Option<u64>),
    Range(i64, i64),
    OneOf(Vec<String>),
    /// The colours of a place, or the variables of a transition with theirs.
    Colours(String),
    /// The number of events that it stands for.
    Events(usize),
}

impl AtomName {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The id of a place or transition, if it differs from the name.
    pub(crate) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    pub(crate) fn kind(&self) -> &'static str {
        self.kind
    }

    /// Kind, id and values in words.
    pub(crate) fn describe(&self) -> String {
        let id = { self.id.as_ref() }.map_or(String::new(), |id| format!(" ({id})"));
        let values = match &self.values {
            Values::None | Values::Tokens(None) => String::new(),
            Values::Tokens(Some(bound)) => format!(", at most {bound}"),
            Values::Range(low, high) => format!(", {low} to {high}"),
            Values::OneOf(names) if names.len() > LISTED => {
                let listed = names[..LISTED].join(", ");
                format!(": {listed}, … ({} values)", names.len())
            }
            Values::OneOf(names) => format!(": {}", names.join(", ")),
            Values::Colours(colours) => format!(": {colours}"),
            Values::Events(1) => ", 1 event".to_owned(),
            Values::Events(count) => format!(", {count} events"),
        };
        format!("{}{id}{values}", self.kind)
    }
}

/// All names of the model, in its order. `bounds` are those of the variables, where known.
pub(crate) fn atom_names(model: &LoadedModel, bounds: &[Option<u64>]) -> Vec<AtomName> {
    match model.coloured_net() {
        Some(net) => of_coloured(model, net, bounds),
        None if model.format == ModelFormat::Pnml => of_net(model, bounds),
        None => of_program(model),
    }
}

/// A place or transition, by its shown name.
fn node(model: &LoadedModel, id: &str, kind: &'static str, values: Values) -> AtomName {
    let shown = model.labels.shown(id);
    AtomName {
        id: shown.is_some().then(|| id.to_owned()),
        name: shown.map_or_else(|| id.to_owned(), |name| name.into_owned()),
        kind,
        values,
    }
}

fn of_net(model: &LoadedModel, bounds: &[Option<u64>]) -> Vec<AtomName> {
    let system = &model.system;
    let places = system.variables.iter().enumerate().map(|(i, variable)| {
        let bound = bounds.get(i).copied().flatten();
        node(model, &variable.name, "place", Values::Tokens(bound))
    });
    let transitions = system.events.iter();
    let transitions = transitions.map(|event| node(model, &event.name, "transition", Values::None));
    places.chain(transitions).collect()
}

fn of_coloured(model: &LoadedModel, net: &ColouredNet, bounds: &[Option<u64>]) -> Vec<AtomName> {
    let names = model.names().by_ids();
    let places = net.places.iter().map(|place| {
        let vars = names.number(&place.name).unwrap_or_default();
        let total = { vars.iter() }
            .map(|var| bounds.get(var.index()).copied().flatten())
            .try_fold(0u64, |sum, bound| sum.checked_add(bound?));
        let values = match colours(net, place.sort) {
            None => Values::Tokens(total),
            Some(colours) => Values::Colours(colours),
        };
        node(model, &place.name, "place", values)
    });
    let transitions = net.transitions.iter().map(|transition| {
        let variables = transition.variables.iter().filter_map(|variable| {
            let variable = net.variable(*variable);
            Some(format!(
                "{} = {}",
                variable.name,
                colours(net, variable.sort)?
            ))
        });
        let variables: Vec<String> = variables.collect();
        let values = match variables.is_empty() {
            true => Values::None,
            false => Values::Colours(variables.join("; ")),
        };
        node(model, &transition.name, "transition", values)
    });
    places.chain(transitions).collect()
}

/// The colours of a sort in words; `None` for tokens without colours.
fn colours(net: &ColouredNet, sort: SortId) -> Option<String> {
    let size = net.sort(sort).size;
    if size == 1 && net.colour_name(sort, Colour(0)) == "dot" {
        return None;
    }
    let shown = size.min(LISTED as u64);
    let mut names: Vec<String> = (0..shown)
        .map(|colour| net.colour_name(sort, Colour(colour)))
        .map(|name| {
            if name.contains(',') {
                format!("({name})")
            } else {
                name
            }
        })
        .collect();
    if size > shown {
        names.push(format!("… ({size} colours)"));
    }
    Some(names.join(", "))
}

fn of_program(model: &LoadedModel) -> Vec<AtomName> {
    let system = &model.system;
    let channels: BTreeSet<&str> = model.messages.iter().map(|m| &*m.channel).collect();
    let definitions = model.definitions().iter();
    let defined: BTreeSet<&str> = definitions.map(|(name, _)| name.as_str()).collect();
    let entry = |name: &str, kind, values| AtomName {
        name: name.to_owned(),
        id: None,
        kind,
        values,
    };
    let (mut list, mut listed) = (Vec::new(), BTreeSet::new());
    for variable in &system.variables {
        let name = variable.name.as_str();
        // Auxiliary variables of a rendezvous have no value.
        if name.starts_with("(sent ") {
            continue;
        }
        let base = name.split(['[', '.', ' ']).next().unwrap_or(name);
        let states = match &variable.domain {
            Domain::Names(states) => { states.iter() }
                .map(|state| format!("{name}.{state}"))
                .filter(|state| defined.contains(state.as_str()))
                .collect(),
            _ => Vec::new(),
        };
        let kind = match states.is_empty() {
            false => "process",
            true if channels.contains(base) => "channel",
            true => "variable",
        };
        let values = match &variable.domain {
            Domain::Count { bound } => Values::Tokens(*bound),
            Domain::Range { low, high } => Values::Range(*low, *high),
            Domain::Names(names) => Values::OneOf(names.clone()),
        };
        list.push(entry(name, kind, values));
        listed.extend(states.iter().cloned());
        list.extend({ states.iter() }.map(|state| entry(state, "state", Values::None)));
    }
    // The error state is a variable.
    let claims = system.findings.iter().cloned();
    for finding in claims.chain(system.overflow_finding()) {
        list.push(entry(&finding.atom(), finding.kind.name(), Values::None));
    }
    let is_etf = model.format == ModelFormat::Etf;
    for (name, meaning) in model.definitions() {
        let (kind, values) = match meaning {
            // `P->x` is another spelling of the variable `P.x`.
            Definition::Sum(_) => continue,
            Definition::Truth(_) if listed.contains(name) => continue,
            Definition::Truth(_) if is_etf => ("map", Values::None),
            Definition::Truth(_) => ("state", Values::None),
            Definition::Events(events) if name.starts_with(Fairness::PROCESS) => {
                ("steps of a process", Values::Events(events.len()))
            }
            Definition::Events(events) => ("events", Values::Events(events.len())),
        };
        list.push(entry(name, kind, values));
    }
    let events = system.events.iter();
    list.extend(events.map(|event| entry(&event.name, "event", Values::None)));
    list
}

/// The names as a table.
pub(crate) fn text(names: &[AtomName]) -> String {
    let width = names.iter().map(|name| name.name.chars().count()).max();
    let width = width.unwrap_or(0).min(40);
    let mut out = String::new();
    for entry in names {
        let _ = writeln!(out, "  {:width$}  {}", entry.name, entry.describe());
    }
    out + "A place or variable: p, \"p >= 2\"; a transition or event: fires(t), fireable(t); also: deadlock.\n"
}

/// The names as JSON.
pub(crate) fn json(names: &[AtomName]) -> Vec<Json> {
    let one = |name: &AtomName| {
        let mut object = json!({"name": name.name, "kind": name.kind});
        if let Some(id) = &name.id {
            object["id"] = id.as_str().into();
        }
        match &name.values {
            Values::None => {}
            Values::Tokens(bound) => object["bound"] = json!(bound),
            Values::Range(low, high) => {
                object["low"] = json!(low);
                object["high"] = json!(high);
            }
            Values::OneOf(names) => object["values"] = json!(names),
            Values::Colours(colours) => object["colours"] = colours.as_str().into(),
            Values::Events(count) => object["events"] = json!(count),
        }
        object
    };
    names.iter().map(one).collect()
}
