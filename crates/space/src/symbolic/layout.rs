//! Positions of variables and offsets of values in a diagram.
//!
//! Level `l` holds the variable `order.var(l)`; its value `x` is stored as `x − low(l)`, which is
//! nonnegative and must fit 32 bits. `low` is the least value that the domain, an initial state or
//! a table names, and 0 where tokens are consumed.

use lariat_budget::Stop;
use lariat_model::order::{Level, Order};
use lariat_model::{Action, Domain, State, System, Value, VarId};

/// A variable order with the offsets of the stored values.
#[derive(Clone, Debug)]
pub struct LevelLayout {
    order: Order,
    /// Per level, the value that is stored as 0.
    low: Box<[Value]>,
    /// Per level, the largest stored value that can occur; `None` if it is unknown.
    high: Box<[Option<u64>]>,
}

impl LevelLayout {
    /// The layout of `system` under `order`, which must be an order of its variables.
    pub fn new(system: &System, order: &Order) -> LevelLayout {
        let mut low: Vec<Value> = Vec::with_capacity(order.len());
        let mut high: Vec<Option<Value>> = Vec::with_capacity(order.len());
        for var in order.vars() {
            let (lo, hi) = match &system.variable(*var).domain {
                Domain::Count { bound } => (0, bound.and_then(|b| Value::try_from(b).ok())),
                Domain::Range { low, high } => (*low, Some(*high)),
                Domain::Names(names) => (0, Some(names.len() as Value - 1)),
            };
            low.push(lo);
            high.push(hi);
        }
        let mut widen = |var: VarId, value: Value| {
            let l = order.level(var).index();
            low[l] = low[l].min(value);
            high[l] = high[l].map(|h| h.max(value));
        };
        for state in &system.initial {
            for (var, value) in system.var_ids().zip(state) {
                widen(var, *value);
            }
        }
        let mut unknown = Vec::new();
        for event in &system.events {
            match &event.action {
                Action::Table { vars, rows } => {
                    let cells = rows.iter().flat_map(|row| vars.iter().zip(row));
                    for (var, cell) in cells {
                        if let Some((from, to)) = cell {
                            widen(*var, *from);
                            widen(*var, *to);
                        }
                    }
                }
                Action::Net(arcs) => {
                    for arc in arcs.iter().filter(|a| a.delta != 0) {
                        widen(arc.var, 0);
                        if !matches!(system.variable(arc.var).domain, Domain::Count { .. }) {
                            unknown.push(arc.var);
                        }
                    }
                }
                // Only assignments to ranges wrap around.
                Action::Program { .. } | Action::Chain(_) => {
                    unknown.extend(event.action.writes().into_iter().filter(|var| {
                        !matches!(system.variable(*var).domain, Domain::Range { .. })
                    }))
                }
            }
        }
        if let Some(fault) = system.fault {
            widen(fault, 0);
            widen(fault, 1);
        }
        for var in unknown {
            high[order.level(var).index()] = None;
        }
        let high = high
            .iter()
            .zip(&low)
            .map(|(high, low)| high.map(|h| h.abs_diff(*low)))
            .collect();
        LevelLayout {
            order: order.clone(),
            low: low.into(),
            high,
        }
    }

    /// The order.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// The number of levels.
    pub fn levels(&self) -> usize {
        self.order.len()
    }

    /// The level of a variable.
    pub fn level(&self, var: VarId) -> Level {
        self.order.level(var)
    }

    /// The value that is stored as 0 at a level.
    pub fn low(&self, level: Level) -> Value {
        self.low[level.index()]
    }

    /// The largest stored value that can occur at a level; `None` if it is unknown.
    pub fn high(&self, level: Level) -> Option<u64> {
        self.high[level.index()]
    }

    /// Encodes a value.
    pub fn encode(&self, system: &System, level: Level, value: Value) -> Result<u32, Stop> {
        value
            .checked_sub(self.low(level))
            .and_then(|v| u32::try_from(v).ok())
            .filter(|v| *v < u32::MAX)
            .ok_or_else(|| {
                let name = &system.variable(self.order.var(level)).name;
                Stop::Bound(format!("{name} = {value} is beyond 32 bits"))
            })
    }

    /// Decodes a stored value.
    pub fn decode(&self, level: Level, stored: u32) -> Value {
        self.low(level).saturating_add(Value::from(stored))
    }

    /// Encodes a state, the top level first.
    pub fn encode_state(&self, system: &System, state: &[Value]) -> Result<Vec<u32>, Stop> {
        (0..self.levels() as u32)
            .map(|l| {
                let level = Level(l);
                self.encode(system, level, state[self.order.var(level).index()])
            })
            .collect()
    }

    /// Decodes a state, the top level first.
    pub fn decode_state(&self, stored: &[u32]) -> State {
        let mut state = vec![0; stored.len()];
        for (l, value) in stored.iter().enumerate() {
            let level = Level(l as u32);
            state[self.order.var(level).index()] = self.decode(level, *value);
        }
        state.into()
    }
}
