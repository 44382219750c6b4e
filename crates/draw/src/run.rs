//! Runs in JSON form, read back.
//!
//! `check --trace` and `simulate` write names of places, variables and events; this module restores
//! the sequence of states. A counterexample has the kind `lasso`, `covering` or `prefix`; other
//! runs are finite. Unknown names are errors, and [`DrawnRun::astray`] checks every step.

use crate::reach::{shown, value_text};
use crate::share::Poll;
use lariat_budget::{Budget, Stop};
use lariat_model::{
    Action, Deadlock, Domain, Event, EventId, State, System, Value, VarId, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value as Json};
use std::fmt;

/// The kind of evidence that a run gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunKind {
    /// It ends in a loop.
    Lasso,
    /// It ends in rounds, each of which adds tokens.
    Covering,
    /// Every continuation violates the property.
    Prefix,
    /// A finite run without further claims.
    Finite,
}

impl RunKind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            RunKind::Lasso => "lasso",
            RunKind::Covering => "covering",
            RunKind::Prefix => "prefix",
            RunKind::Finite => "run",
        }
    }
}

/// A run of a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DrawnRun {
    /// The kind of the run.
    pub kind: RunKind,
    /// The states, one more than there are steps.
    pub states: Vec<State>,
    /// The event fired in every state but the last; `None` for a stutter step.
    pub events: Vec<Option<EventId>>,
    /// The number of steps before the loop; of all steps if there is none.
    pub prefix: usize,
    /// The tokens that each round adds.
    pub growth: Option<State>,
    /// The position after which every continuation violates the property.
    pub bad: Option<usize>,
}

impl DrawnRun {
    /// A run of no steps.
    pub fn at(state: State) -> DrawnRun {
        DrawnRun {
            kind: RunKind::Finite,
            states: vec![state],
            events: Vec::new(),
            prefix: 0,
            growth: None,
            bad: None,
        }
    }

    /// Returns whether the run is infinite.
    pub fn is_infinite(&self) -> bool {
        self.prefix < self.events.len()
    }

    /// The number of positions, with one round of the loop.
    pub fn positions(&self) -> usize {
        if self.is_infinite() {
            self.events.len()
        } else {
            self.states.len()
        }
    }

    /// The first step that is impossible, counted from 1; the last if the loop is not closed.
    pub fn astray(
        &self,
        system: &System,
        deadlock: Deadlock,
        budget: &Budget,
    ) -> Result<Option<usize>, Stop> {
        let mut poll = Poll::new(budget);
        for (i, (pair, event)) in self.states.windows(2).zip(&self.events).enumerate() {
            poll.spend(pair[0].len())?;
            let possible = match event {
                Some(event) => system.successors(&pair[0], *event).contains(&pair[1]),
                None if deadlock != Deadlock::Stutter => false,
                None => pair[0] == pair[1] && system.is_deadlock(&pair[0]),
            };
            if !possible {
                return Ok(Some(i + 1));
            }
        }
        let Some(entry) = self.states.get(self.prefix) else {
            return Ok(None);
        };
        let zero = vec![0; entry.len()];
        let growth = self.growth.as_deref().unwrap_or(&zero);
        let closes = match self.states.last() {
            Some(end) if self.is_infinite() => (entry.iter().zip(growth).zip(end))
                .all(|((before, more), after)| before.checked_add(*more) == Some(*after)),
            _ => true,
        };
        Ok((!closes).then_some(self.events.len()))
    }
}

/// The reason why no run was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunError {
    /// The object is not a run of the system; the text says why.
    Wrong(String),
    /// The budget ended.
    Stop(Stop),
}

impl From<String> for RunError {
    fn from(why: String) -> RunError {
        RunError::Wrong(why)
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Wrong(why) => f.write_str(why),
            RunError::Stop(stop) => write!(f, "{stop}"),
        }
    }
}

impl std::error::Error for RunError {}

/// The names of a system as a lookup table.
#[derive(Clone, Debug)]
pub struct NameIndex<'s> {
    system: &'s System,
    variables: FxHashMap<&'s str, VarId>,
    events: FxHashMap<&'s str, EventId>,
}

impl<'s> NameIndex<'s> {
    /// Indexes all names of the system.
    pub fn new(system: &'s System) -> NameIndex<'s> {
        let variables = system.var_ids().map(|v| (&*system.variable(v).name, v));
        let events = system.event_ids().map(|e| (&*system.event(e).name, e));
        NameIndex {
            system,
            variables: variables.collect(),
            events: events.collect(),
        }
    }

    /// The bytes of a state of a run.
    pub fn state_bytes(&self) -> usize {
        self.system.variables.len() * size_of::<Value>() + size_of::<State>()
    }

    /// Reads a run: an object with `initial`, `prefix` and optionally `loop`.
    pub fn run(&self, json: &Json, budget: &Budget) -> Result<DrawnRun, RunError> {
        let mut poll = Poll::new(budget);
        let initial = json.get("initial");
        let initial = initial.ok_or_else(|| "it has no `initial` state".to_owned())?;
        let mut run = DrawnRun::at(self.state(initial)?);
        let steps = |name: &str| match json.get(name) {
            None | Some(Json::Null) => Ok(&[][..]),
            Some(Json::Array(steps)) => Ok(&steps[..]),
            Some(_) => Err(format!("`{name}` is not a list of steps")),
        };
        let (prefix, cycle) = (steps("prefix")?, steps("loop")?);
        for step in prefix.iter().chain(cycle) {
            // The state is copied by blocks, its entries are parsed.
            let entries = step.get("marking").or_else(|| step.get("changes"));
            let entries = entries.and_then(Json::as_object);
            let entries = entries.map_or(0, Map::len);
            poll.spend(16 * entries + self.system.variables.len() / 8)
                .map_err(RunError::Stop)?;
            let event = match step.get("fire") {
                None | Some(Json::Null) => None,
                Some(Json::String(name)) => Some(self.event(name)?),
                Some(other) => {
                    return Err(format!("`fire` is {other}: expected a name or null").into());
                }
            };
            let state = match (step.get("marking"), step.get("changes"), run.states.last()) {
                (Some(marking), _, _) => self.state(marking)?,
                (None, Some(changes), Some(before)) => self.assign(before.clone(), changes)?,
                _ => return Err("a step has no `marking`".to_owned().into()),
            };
            run.events.push(event);
            run.states.push(state);
        }
        run.prefix = prefix.len();
        let bad = json.get("bad").and_then(Json::as_u64);
        run.bad = bad.map(|bad| bad as usize);
        run.kind = match json.get("kind").and_then(Json::as_str) {
            Some("prefix") => RunKind::Prefix,
            _ if cycle.is_empty() => RunKind::Finite,
            Some("covering") => RunKind::Covering,
            _ => RunKind::Lasso,
        };
        if let Some(growth) = json.get("growth").filter(|growth| growth.is_object()) {
            run.growth = Some(self.state(growth)?);
        }
        Ok(run)
    }

    fn event(&self, name: &str) -> Result<EventId, String> {
        let known = self.events.get(name).copied();
        known.ok_or_else(|| format!("the model has no event `{name}`"))
    }

    /// A state from the named variables; the others are 0.
    fn state(&self, json: &Json) -> Result<State, String> {
        self.assign(vec![0; self.system.variables.len()].into(), json)
    }

    /// The state with new values of the named variables.
    fn assign(&self, mut state: State, json: &Json) -> Result<State, String> {
        let object = json.as_object().ok_or("a state is an object")?;
        for (name, value) in object {
            let var = self.variables.get(&**name);
            let var = *var.ok_or_else(|| format!("the model has no place or variable `{name}`"))?;
            let position = |text: &String| match &self.system.variable(var).domain {
                Domain::Names(names) => names.iter().position(|known| known == text),
                _ => None,
            };
            let number = match value {
                Json::Number(number) => number.as_i64(),
                Json::String(text) => position(text).map(|i| i as Value),
                _ => None,
            };
            state[var.index()] = number.ok_or_else(|| format!("`{name}` cannot be {value}"))?;
        }
        Ok(state)
    }
}

/// Writes a run in the form that [`NameIndex::run`] reads.
pub fn write(system: &System, run: &DrawnRun) -> Json {
    let marking = |state: &State| -> Json {
        let pairs = shown(system, state).map(|(var, value)| {
            let variable = system.variable(var);
            let json = match &variable.domain {
                Domain::Names(_) => Json::from(value_text(system, var, *value)),
                _ => Json::from(*value),
            };
            (variable.name.clone(), json)
        });
        Json::Object(pairs.collect::<Map<_, _>>())
    };
    let step = |(event, state): (&Option<EventId>, &State)| {
        serde_json::json!({
            "fire": event.map(|event| &system.event(event).name),
            "marking": marking(state),
        })
    };
    let steps: Vec<Json> = run.events.iter().zip(&run.states[1..]).map(step).collect();
    let (prefix, cycle) = steps.split_at(run.prefix.min(steps.len()));
    serde_json::json!({
        "kind": run.kind.name(),
        "initial": marking(&run.states[0]),
        "prefix": prefix,
        "loop": cycle,
    })
}

/// A system with the names that runs mention, for runs without a model; its events have no effect.
pub fn system_of(runs: &[&Json]) -> System {
    let mut system = System::default();
    let mut known: FxHashMap<&String, usize> = FxHashMap::default();
    let mut events: FxHashSet<&str> = FxHashSet::default();
    for run in runs {
        let steps = |name: &str| run.get(name).and_then(Json::as_array).into_iter().flatten();
        let steps = || steps("prefix").chain(steps("loop"));
        let markings = steps().filter_map(|step| step.get("marking"));
        let markings = run.get("initial").into_iter().chain(markings);
        for (name, value) in markings.filter_map(Json::as_object).flatten() {
            let at = *known.entry(name).or_insert_with(|| {
                let (name, domain) = (name.clone(), Domain::Count { bound: None });
                system.variables.push(Variable { name, domain });
                system.variables.len() - 1
            });
            let Some(text) = value.as_str() else {
                continue;
            };
            let domain = &mut system.variables[at].domain;
            match domain {
                Domain::Names(names) if names.iter().any(|name| name == text) => {}
                Domain::Names(names) => names.push(text.to_owned()),
                _ => *domain = Domain::Names(vec![text.to_owned()]),
            }
        }
        for name in steps().filter_map(|step| step.get("fire")?.as_str()) {
            if events.insert(name) {
                let (vars, rows) = (Vec::new(), Vec::new());
                let (name, action) = (name.to_owned(), Action::Table { vars, rows });
                system.events.push(Event { name, action });
            }
        }
    }
    system
}
