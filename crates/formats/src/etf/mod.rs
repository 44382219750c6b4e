//! ETF, the enumerated table format: a transition relation in explicit, partitioned form.
//!
//! A state is a vector of slots. Each `trans` section is a group whose lines give, for some slots,
//! old and new values; the relation is the union of all lines of all groups. Numbers are positions
//! in the value list of the slot's sort, or plain values if the sort has none. `map` sections label
//! states; these are the atoms of formulas.
//!
//! The resulting [`System`] has a variable per slot and an event per group and label, with the
//! lines as its table.

mod lexer;
mod pattern;
mod sections;

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::numbering::number_equal_names;
use lariat_model::{
    Action, Definition, Domain, Event, EventId, InputError, Predicate, Row, State, System, Value,
    VarId, Variable,
};
use lexer::{EtfDiagnostic, EtfLexer, EtfResult, EtfToken};
use sections::{EtfFile, EtfValue, TransitionEntry, Typed};

/// An ETF model: the system and its state labels.
#[derive(Clone, PartialEq, Debug)]
pub struct Etf {
    /// The system.
    pub system: System,
    /// The state labels.
    pub maps: Vec<StateLabel>,
    /// Edge labels shared by several events, with these events, which are numbered.
    pub edge_labels: Vec<(String, Vec<EventId>)>,
}

/// A `map`: a label on states.
#[derive(Clone, PartialEq, Debug)]
pub struct StateLabel {
    /// The name of the map.
    pub name: String,
    /// The predicate that the label is true: equal to the value `true` of its sort, or if there is
    /// none, not the first value.
    pub truth: Predicate,
    /// By value of the label: the predicate that it has this value.
    pub values: Vec<(String, Predicate)>,
    /// The predicate that some line of the map matches; elsewhere the label has no value.
    pub known: Predicate,
}

impl Etf {
    /// Partial predicates about labels with their definedness predicates.
    pub fn partial(&self) -> Vec<(Predicate, Predicate)> {
        let mut partial = Vec::new();
        for map in &self.maps {
            if map.known == Predicate::Const(true) {
                continue;
            }
            let values = map.values.iter().map(|(_, truth)| truth);
            let truths = values.chain(std::iter::once(&map.truth));
            partial.extend(truths.map(|truth| (truth.clone(), map.known.clone())));
        }
        partial
    }

    /// Names for formulas besides those of variables and events: state labels, `label == value`,
    /// and edge labels shared by several events.
    pub fn definitions(&self) -> Vec<(String, Definition)> {
        let mut definitions = Vec::new();
        for map in &self.maps {
            definitions.push((map.name.clone(), Definition::Truth(map.truth.clone())));
            for (value, predicate) in &map.values {
                let name = format!("{} == {value}", map.name);
                definitions.push((name, Definition::Truth(predicate.clone())));
            }
        }
        for (label, events) in &self.edge_labels {
            definitions.push((label.clone(), Definition::Events(events.clone())));
        }
        definitions
    }
}

/// Limit on the value names of all domains together; further values are plain numbers.
const NAMES: usize = 1 << 20;

/// Returns whether the text begins like an ETF model.
pub fn looks_like_etf(text: &[u8]) -> bool {
    let mut lexer = EtfLexer::new(text);
    let mut word = || loop {
        match lexer.next() {
            Ok((EtfToken::Newline, _)) => {}
            Ok((EtfToken::Name(name), _)) => return name,
            _ => return String::new(),
        }
    };
    word() == "begin" && word() == "state"
}

/// Reads an ETF model. `origin` names the text in errors.
pub fn read(origin: &str, text: &[u8]) -> Result<Etf, InputError> {
    let report = |(span, message): EtfDiagnostic| InputError::at(origin, text, span, message);
    let file = sections::file(text).map_err(report)?;
    Builder::default().build(&file).map_err(report)
}

/// The value lists of sorts that have one.
#[derive(Default)]
struct Builder {
    sorts: FxHashMap<String, Sort>,
}

#[derive(Default)]
struct Sort {
    values: Vec<String>,
    positions: FxHashMap<String, i64>,
}

impl Sort {
    fn add(&mut self, value: &str) -> i64 {
        let next = self.values.len() as i64;
        let position = *self.positions.entry(value.to_owned()).or_insert(next);
        if position == next {
            self.values.push(value.to_owned());
        }
        position
    }
}

impl Builder {
    fn build(mut self, file: &EtfFile) -> EtfResult<Etf> {
        for (name, values, span) in &file.sorts {
            let sort = self.sorts.entry(name.clone()).or_default();
            if !sort.values.is_empty() {
                let message = format!("the sort `{name}` is already declared");
                return Err((span.clone(), message));
            }
            for value in values {
                sort.add(value);
            }
            if sort.values.len() < values.len() {
                let message = format!("a value of the sort `{name}` is repeated");
                return Err((span.clone(), message));
            }
        }
        let Some((init, init_span)) = &file.init else {
            return Err((0..0, "there is no `init` section".to_owned()));
        };
        // Evaluated first, since values that occur only in quotes extend their sort.
        let initial: State = init
            .iter()
            .zip(&file.state)
            .map(|(cell, slot)| self.value(cell, slot, init_span))
            .collect::<Result<_, _>>()?;
        let mut largest: Vec<Value> = initial.to_vec();
        for entry in file.groups.iter().flatten() {
            for &(slot, (from, to)) in &entry.slots {
                let slot = slot as usize;
                for value in [from, to] {
                    self.check(value, &file.state[slot], &entry.span)?;
                    largest[slot] = largest[slot].max(value);
                }
            }
        }
        let variables = self.variables(file, &largest)?;
        let mut events = Vec::new();
        for (k, group) in file.groups.iter().enumerate() {
            self.group(k, group, &file.edge, &mut events)?;
        }
        let edge_labels = number_equal_names(&mut events);
        let maps = self.maps(file)?;
        Ok(Etf {
            system: System {
                variables,
                events,
                initial: vec![initial],
                ..System::default()
            },
            maps,
            edge_labels,
        })
    }

    /// The position denoted by a cell in the sort of a slot or label.
    fn value(&mut self, cell: &EtfValue, typed: &Typed, span: &Range<usize>) -> EtfResult<Value> {
        match (cell, &typed.sort) {
            (EtfValue::Number(n), _) => {
                self.check(*n, typed, span)?;
                Ok(*n)
            }
            (EtfValue::Text(text), Some(sort)) => {
                Ok(self.sorts.entry(sort.clone()).or_default().add(text))
            }
            (EtfValue::Text(_), None) => {
                let message = "a value in quotes needs a slot with a sort".to_owned();
                Err((span.clone(), message))
            }
        }
    }

    /// Checks that the position exists in the sort.
    fn check(&self, n: Value, typed: &Typed, span: &Range<usize>) -> EtfResult<()> {
        let name = typed.sort.as_deref().unwrap_or_default();
        let count = self.sorts.get(name).map_or(0, |sort| sort.values.len());
        if count > 0 && n >= count as i64 {
            let message =
                format!("the sort `{name}` has {count} values, numbered from 0: there is no {n}");
            return Err((span.clone(), message));
        }
        Ok(())
    }

    fn variables(&self, file: &EtfFile, largest: &[Value]) -> EtfResult<Vec<Variable>> {
        let mut seen = FxHashMap::default();
        let mut variables = Vec::new();
        let mut names = 0;
        for (i, slot) in file.state.iter().enumerate() {
            let name = slot.name.clone().unwrap_or_else(|| format!("slot_{i}"));
            if seen.insert(name.clone(), i).is_some() {
                let message = format!("there is a slot `{name}` already");
                return Err((slot.span.clone(), message));
            }
            let sort = slot.sort.as_ref().and_then(|name| self.sorts.get(name));
            let domain = match sort {
                Some(sort) if !sort.values.is_empty() && names + sort.values.len() <= NAMES => {
                    names += sort.values.len();
                    Domain::Names(sort.values.clone())
                }
                _ => Domain::Range {
                    low: 0,
                    high: largest[i].max(1),
                },
            };
            variables.push(Variable { name, domain });
        }
        Ok(variables)
    }

    /// Adds one event per label of a group, named by the label if present.
    fn group(
        &mut self,
        k: usize,
        group: &[TransitionEntry],
        edge: &[Typed],
        events: &mut Vec<Event>,
    ) -> EtfResult<()> {
        let mut order: Vec<(String, Vec<&TransitionEntry>)> = Vec::new();
        let mut index: FxHashMap<String, usize> = FxHashMap::default();
        for entry in group {
            let mut label = Vec::new();
            for (cell, typed) in entry.rest.iter().zip(edge) {
                let value = self.value(cell, typed, &entry.span)?;
                label.push(self.text(value, typed));
            }
            let label = match &label[..] {
                [] => format!("group_{k}"),
                values => values.join(","),
            };
            let at = *index.entry(label.clone()).or_insert(order.len());
            if at == order.len() {
                order.push((label, Vec::new()));
            }
            order[at].1.push(entry);
        }
        let tables = order.into_iter();
        events.extend(tables.map(|(name, entries)| Event {
            name,
            action: relation(&entries),
        }));
        Ok(())
    }

    fn text(&self, value: Value, typed: &Typed) -> String {
        typed
            .sort
            .as_ref()
            .and_then(|sort| self.sorts.get(sort)?.values.get(value as usize).cloned())
            .unwrap_or_else(|| value.to_string())
    }

    fn maps(&mut self, file: &EtfFile) -> EtfResult<Vec<StateLabel>> {
        let mut maps: Vec<StateLabel> = Vec::new();
        let slots = file.state.iter();
        let mut taken: FxHashSet<String> = slots.filter_map(|slot| slot.name.clone()).collect();
        for section in &file.maps {
            let typed = &section.typed;
            let name = typed
                .name
                .clone()
                .unwrap_or_else(|| format!("map_{}", maps.len()));
            let mut rows: BTreeMap<Value, Vec<&[(u32, Value)]>> = BTreeMap::new();
            for entry in &section.entries {
                for &(slot, value) in &entry.slots {
                    self.check(value, &file.state[slot as usize], &entry.span)?;
                }
                let value = self.value(&entry.rest, typed, &entry.span)?;
                rows.entry(value).or_default().push(&entry.slots);
            }
            let named_true = rows.keys().copied();
            let is_named = |value: &Value| self.text(*value, typed).eq_ignore_ascii_case("true");
            let named_true = named_true.filter(is_named).min();
            let is_true = |value: Value| named_true.map_or(value != 0, |t| value == t);
            let lines = |wanted: &dyn Fn(Value) -> bool| {
                let rows = rows.iter().filter(|(value, _)| wanted(**value));
                pattern::matches(rows.flat_map(|(_, rows)| rows.iter().copied()).collect())
            };
            if !taken.insert(name.clone()) {
                let message = format!("`{name}` is already the name of a slot or a map");
                return Err((section.typed.span.clone(), message));
            }
            maps.push(StateLabel {
                name,
                truth: lines(&is_true),
                known: lines(&|_| true),
                values: rows
                    .into_iter()
                    .map(|(value, rows)| (self.text(value, typed), pattern::matches(rows)))
                    .collect(),
            });
        }
        Ok(maps)
    }
}

/// The table of some lines over the slots that occur in any of them.
fn relation(entries: &[&TransitionEntry]) -> Action {
    let mut slots: Vec<u32> = entries
        .iter()
        .flat_map(|entry| entry.slots.iter().map(|(slot, _)| *slot))
        .collect();
    slots.sort_unstable();
    slots.dedup();
    let row = |entry: &&TransitionEntry| -> Row {
        let mut cells = entry.slots.iter().peekable();
        slots
            .iter()
            .map(|slot| Some(cells.next_if(|(s, _)| s == slot)?.1))
            .collect()
    };
    Action::Table {
        rows: entries.iter().map(row).collect(),
        vars: slots.into_iter().map(VarId).collect(),
    }
}
