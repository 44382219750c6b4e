//! The neutral IR: variables, events, initial states.

use crate::expr::{Expr, LValue};
use crate::predicate::Predicate;

/// The value of a variable. Counts of tokens are never negative and fit 63 bits; an
/// engine that can hold less says so when it meets more.
pub type Value = i64;

/// A value for every variable.
pub type State = Box<[Value]>;

/// A variable of a [`System`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct VarId(pub u32);

/// An event of a [`System`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EventId(pub u32);

impl VarId {
    /// The position of this variable in a [`State`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl EventId {
    /// The position of this event in an array over all events.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What values a variable can take.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Domain {
    /// A count, from 0, open-ended; `bound` if the structure of the model guarantees one.
    Count {
        /// No reachable value is larger.
        bound: Option<u64>,
    },
    /// The integers from `low` to `high`. An assignment outside wraps around.
    Range {
        /// The smallest value.
        low: Value,
        /// The largest value.
        high: Value,
    },
    /// Named values: `0` is the first name, and so on.
    Names(Vec<String>),
}

/// A variable: a place, a program variable, a location.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Variable {
    /// As the user knows it; unique in the system.
    pub name: String,
    /// Its values.
    pub domain: Domain,
}

/// How a Petri-net transition touches one place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Arc {
    /// The place.
    pub var: VarId,
    /// The transition needs at least this many tokens there …
    pub need: Value,
    /// … and changes their number by this; `need + delta >= 0`.
    pub delta: Value,
}

/// One assignment of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Effect {
    /// What is assigned.
    pub target: LValue,
    /// The value, computed after all earlier assignments.
    pub value: Expr,
}

/// One line of a table: for each variable of the table, what it must be and what it
/// becomes; `None` neither reads nor changes it.
pub type Row = Box<[Option<(Value, Value)>]>;

/// What an event does.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Action {
    /// A Petri-net transition: at most one arc a variable, sorted by variable.
    Net(Vec<Arc>),
    /// Enabled where the guard holds; then the effects, one after the other.
    ///
    /// A fault while computing either (see [`crate::Fault`]) leads to the source state with
    /// [`System::fault`] set; nothing is enabled there.
    Program {
        /// When it may be taken.
        guard: Predicate,
        /// What it assigns.
        effects: Vec<Effect>,
    },
    /// A relation over a few variables. Several rows may match: the event is nondeterministic.
    Table {
        /// The variables that the rows speak of.
        vars: Vec<VarId>,
        /// The relation.
        rows: Vec<Row>,
    },
}

/// An event: a transition of a net, a step of a process, a transition group.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// As the user knows it; unique in the system.
    pub name: String,
    /// What it does.
    pub action: Action,
}

/// Variables that belong together. In a unit of a nested-unit Petri net at most one of its own places is
/// marked at a time, if the net is unit-safe.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Unit {
    /// The places that belong to the unit itself.
    pub places: Vec<VarId>,
    /// Positions of its subunits in [`System::units`].
    pub subunits: Vec<usize>,
}

/// What happens to a run that reaches a state without enabled events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Deadlock {
    /// It goes on by repeating that state for ever; no event fires in these steps.
    #[default]
    Stutter,
    /// It does not count: only infinite runs are looked at.
    Ignore,
}

impl Deadlock {
    /// All policies, the usual one first.
    pub const ALL: [Deadlock; 2] = [Deadlock::Stutter, Deadlock::Ignore];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Deadlock::Stutter => "stutter",
            Deadlock::Ignore => "ignore",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Deadlock::Stutter => "the last state repeats for ever",
            Deadlock::Ignore => "only infinite runs count",
        }
    }
}

/// A model: variables, events that change them, and where it starts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct System {
    /// The model's own name.
    pub name: String,
    /// All variables.
    pub variables: Vec<Variable>,
    /// All events.
    pub events: Vec<Event>,
    /// Where runs start; a Petri net has one such state.
    pub initial: Vec<State>,
    /// The variable that a fault sets to 1, if events can fail.
    pub fault: Option<VarId>,
    /// What belongs together, the root first: the unit tree of a nested-unit Petri net, or the processes of
    /// a program; empty for other models.
    pub units: Vec<Unit>,
}

impl System {
    /// All variables.
    pub fn var_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.variables.len() as u32).map(VarId)
    }

    /// All events.
    pub fn event_ids(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.events.len() as u32).map(EventId)
    }

    /// The variable with this id.
    pub fn variable(&self, var: VarId) -> &Variable {
        &self.variables[var.index()]
    }

    /// The event with this id.
    pub fn event(&self, event: EventId) -> &Event {
        &self.events[event.index()]
    }

    /// Are all events transitions of a net?
    pub fn is_net(&self) -> bool {
        let net = |event: &Event| matches!(event.action, Action::Net(_));
        self.events.iter().all(net)
    }

    /// Does some transition of a net put out more tokens than it takes? Where none does, their number never grows.
    pub fn makes_tokens(&self) -> bool {
        self.events.iter().any(|event| match &event.action {
            Action::Net(arcs) => arcs.iter().map(|arc| i128::from(arc.delta)).sum::<i128>() > 0,
            _ => false,
        })
    }
}

impl Action {
    /// The variables that decide whether it is enabled or what it assigns, sorted, each once.
    pub fn reads(&self) -> Vec<VarId> {
        let mut vars = Vec::new();
        match self {
            // A transition that only produces does not depend on the place, but its new value does.
            Action::Net(arcs) => vars.extend(arcs.iter().map(|a| a.var)),
            Action::Program { guard, effects } => {
                guard.collect_vars(&mut vars);
                for effect in effects {
                    effect.value.collect_vars(&mut vars);
                    effect.target.collect_reads(&mut vars);
                }
            }
            Action::Table { vars: all, rows } => vars.extend(
                all.iter()
                    .enumerate()
                    .filter(|(i, _)| rows.iter().any(|row| row[*i].is_some()))
                    .map(|(_, v)| *v),
            ),
        }
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// The variables that it may change, sorted, each once.
    pub fn writes(&self) -> Vec<VarId> {
        let mut vars = Vec::new();
        match self {
            Action::Net(arcs) => {
                vars.extend(arcs.iter().filter(|a| a.delta != 0).map(|a| a.var));
            }
            Action::Program { effects, .. } => {
                for effect in effects {
                    effect.target.collect_writes(&mut vars);
                }
            }
            Action::Table { vars: all, rows } => vars.extend(
                all.iter()
                    .enumerate()
                    .filter(|(i, _)| {
                        rows.iter()
                            .any(|row| row[*i].is_some_and(|(from, to)| from != to))
                    })
                    .map(|(_, v)| *v),
            ),
        }
        vars.sort_unstable();
        vars.dedup();
        vars
    }
}
