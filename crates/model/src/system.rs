//! The format-independent intermediate representation: variables, events, initial states.

use crate::expr::{Expr, LValue};
use crate::finding::Finding;
use crate::predicate::Predicate;
use crate::source::SourceRef;

/// The value of a variable. Token counts are non-negative and fit 63 bits; an engine with a smaller
/// range reports an overflow.
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

/// The values of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Domain {
    /// A count from 0 on; `bound` if the structure of the model implies one.
    Count {
        /// No reachable value is larger.
        bound: Option<u64>,
    },
    /// The integers from `low` to `high`; assignments wrap around.
    Range {
        /// The smallest value.
        low: Value,
        /// The largest value.
        high: Value,
    },
    /// Named values, numbered from 0.
    Names(Vec<String>),
}

/// A variable: a place, a program variable, a location.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Variable {
    /// The name in the model; unique in the system.
    pub name: String,
    /// Its values.
    pub domain: Domain,
}

/// The arcs between a Petri-net transition and one place.
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
pub struct Assignment {
    /// The assigned variable or array element.
    pub target: LValue,
    /// The value, computed after all earlier assignments.
    pub value: Expr,
}

/// One row of a table: per variable of the table the old and the new value; `None` neither reads
/// nor changes the variable.
pub type Row = Box<[Option<(Value, Value)>]>;

/// The transition relation of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Action {
    /// A Petri-net transition: at most one arc per variable, sorted by variable.
    Net(Vec<Arc>),
    /// A guarded sequence of assignments.
    ///
    /// A fault during evaluation (see [`crate::EvalError`]) leads to the source state with
    /// [`System::fault`] set, in which nothing is enabled.
    Program {
        /// The enabling condition.
        guard: Predicate,
        /// The assignments in order.
        effects: Vec<Assignment>,
    },
    /// A guarded step that continues without interruption.
    Chain(Box<Chain>),
    /// A relation over a few variables. If several rows match, the event is nondeterministic.
    Table {
        /// The variables of the columns.
        vars: Vec<VarId>,
        /// The relation.
        rows: Vec<Row>,
    },
}

/// A guarded step that other processes do not interrupt: its effects are followed by steps at
/// points, until it ends.
///
/// The event is enabled if and only if its guard holds, or fails to have a value. Intermediate
/// states are no states of the system. The event leads to every state in which some of its paths
/// ends. A path that fails, or an event without any path that ends, leads to the source state with
/// [`System::fault`] set.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Chain {
    /// The enabling condition.
    pub guard: Predicate,
    /// The assignments of the first step.
    pub effects: Vec<Assignment>,
    /// The points; the chain continues at the first.
    pub points: Vec<ChainPoint>,
}

/// A point at which a [`Chain`] continues.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ChainPoint {
    /// Which of the enabled steps are taken.
    pub choice: ChainChoice,
    /// The steps.
    pub steps: Vec<ChainStep>,
}

/// The steps that a chain takes at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ChainChoice {
    /// Every enabled step, as alternatives; without one the chain ends.
    Any,
    /// The first enabled step; without one the chain fails.
    First,
}

/// A step of a [`Chain`] behind the first.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ChainStep {
    /// The enabling condition.
    pub guard: Expr,
    /// The assignments in order.
    pub effects: Vec<Assignment>,
    /// The point at which the chain continues; `None` if it ends.
    pub next: Option<u32>,
}

/// An event: a transition of a net, a step of a process, a transition group.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// The name in the model; unique in the system.
    pub name: String,
    /// Its transition relation.
    pub action: Action,
}

/// A group of variables. In a unit-safe nested-unit Petri net at most one local place of each unit
/// is marked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Unit {
    /// The name in the file; empty if there is none.
    pub name: String,
    /// The local places of the unit.
    pub places: Vec<VarId>,
    /// Positions of its subunits in [`System::units`].
    pub subunits: Vec<usize>,
}

/// Treatment of runs that reach a state without enabled events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Deadlock {
    /// The run repeats the last state indefinitely; no event fires in these steps.
    #[default]
    Stutter,
    /// The run is ignored; only infinite runs are considered.
    Ignore,
}

impl Deadlock {
    /// All policies, the default first.
    pub const ALL: [Deadlock; 2] = [Deadlock::Stutter, Deadlock::Ignore];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Deadlock::Stutter => "stutter",
            Deadlock::Ignore => "ignore",
        }
    }

    /// A one-line description.
    pub fn about(self) -> &'static str {
        match self {
            Deadlock::Stutter => "the last state repeats indefinitely",
            Deadlock::Ignore => "only infinite runs count",
        }
    }
}

/// A model: variables, events that change them, and initial states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct System {
    /// The name of the model.
    pub name: String,
    /// All variables.
    pub variables: Vec<Variable>,
    /// All events.
    pub events: Vec<Event>,
    /// Initial states; a Petri net has exactly one.
    pub initial: Vec<State>,
    /// The variable that a fault sets to 1, if events can fail.
    pub fault: Option<VarId>,
    /// Groups of variables, the root first: the unit tree of a nested-unit Petri net, or the
    /// processes of a program; empty for other models.
    pub units: Vec<Unit>,
    /// Defects that the model declares: failed assertions, invalid end states.
    pub findings: Vec<Finding>,
    /// The program that computes states and steps, in place of the actions of the events.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub source: Option<SourceRef>,
}

impl System {
    /// Beginning of the names of variables that hold the values of atoms.
    pub const SHOWN_ATOM: &str = "(atom ";

    /// Returns whether reports and pages omit a variable: it belongs to a rendezvous of a program, or
    /// holds the value of an atom.
    pub fn is_auxiliary(&self, var: VarId) -> bool {
        let name = &self.variable(var).name;
        name.starts_with("(sent ") || name.starts_with(System::SHOWN_ATOM)
    }

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

    /// Approximate bytes of memory that the system takes.
    pub fn bytes(&self) -> usize {
        // An allocation takes more than its contents.
        const BLOCK: usize = 16;
        let variable = |variable: &Variable| {
            size_of::<Variable>() + BLOCK + variable.name.len() + size_of::<Value>()
        };
        let event = |event: &Event| {
            let action = match &event.action {
                Action::Net(arcs) => size_of_val(&arcs[..]),
                // Small ones compared to their number.
                Action::Program { .. } => 16 * size_of::<Expr>(),
                Action::Chain(chain) => {
                    let steps = chain.points.iter().map(|point| point.steps.len());
                    (steps.sum::<usize>() + 1) * 16 * size_of::<Expr>()
                }
                Action::Table { vars, rows } => {
                    let row = vars.len() * size_of::<Option<(Value, Value)>>();
                    rows.len() * (size_of::<Row>() + BLOCK + row)
                }
            };
            size_of::<Event>() + 2 * BLOCK + event.name.len() + action
        };
        self.variables.iter().map(variable).sum::<usize>()
            + self.events.iter().map(event).sum::<usize>()
    }

    /// Returns whether all events are transitions of a net.
    pub fn is_net(&self) -> bool {
        let is_transition = |event: &Event| matches!(event.action, Action::Net(_));
        self.events.iter().all(is_transition)
    }

    /// Returns whether all variables are places of a net; its transitions may have inhibitor and
    /// reset arcs.
    pub fn has_places_only(&self) -> bool {
        let is_place = |v: &Variable| matches!(v.domain, Domain::Count { .. });
        self.variables.iter().all(is_place)
    }

    /// Returns whether some transition of a net produces more tokens than it consumes. If none
    /// does, the total number of tokens never grows.
    pub fn makes_tokens(&self) -> bool {
        self.events.iter().any(|event| match &event.action {
            Action::Net(arcs) => arcs.iter().map(|arc| i128::from(arc.delta)).sum::<i128>() > 0,
            _ => false,
        })
    }
}

impl Action {
    /// The guard of a program or a chain.
    pub fn guard(&self) -> Option<&Predicate> {
        match self {
            Action::Program { guard, .. } => Some(guard),
            Action::Chain(chain) => Some(&chain.guard),
            Action::Net(_) | Action::Table { .. } => None,
        }
    }

    /// Returns whether it is a program or a chain: guards and assignments of expressions.
    pub fn is_program(&self) -> bool {
        self.guard().is_some()
    }

    /// The variables that decide whether it is enabled or what it assigns, sorted and distinct.
    pub fn reads(&self) -> Vec<VarId> {
        let mut vars = Vec::new();
        match self {
            // The new value of an output place depends on the old one even if enabledness does not.
            Action::Net(arcs) => vars.extend(arcs.iter().map(|a| a.var)),
            Action::Program { guard, effects } => {
                guard.collect_vars(&mut vars);
                for effect in effects {
                    effect.value.collect_vars(&mut vars);
                    effect.target.collect_reads(&mut vars);
                }
            }
            Action::Chain(chain) => {
                chain.guard.collect_vars(&mut vars);
                for effect in chain.assignments() {
                    effect.value.collect_vars(&mut vars);
                    effect.target.collect_reads(&mut vars);
                }
                for step in chain.points.iter().flat_map(|point| &point.steps) {
                    step.guard.collect_vars(&mut vars);
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

    /// The variables that it may change, sorted and distinct.
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
            Action::Chain(chain) => {
                for effect in chain.assignments() {
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

impl Chain {
    /// All assignments, of the first step and of those at points.
    pub fn assignments(&self) -> impl Iterator<Item = &Assignment> {
        let steps = self.points.iter().flat_map(|point| &point.steps);
        self.effects
            .iter()
            .chain(steps.flat_map(|step| &step.effects))
    }
}
