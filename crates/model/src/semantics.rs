//! The reference semantics of events and predicates.
//!
//! A direct interpreter of the IR, kept as simple as possible: engines compile their own, faster
//! form, and every counterexample they find is replayed with this one.

use crate::chain::Changes;
use crate::expr::EvalError;
use crate::lasso::Step;
use crate::predicate::{Linear, Predicate};
use crate::system::{Action, Arc, Assignment, Domain, EventId, State, System, Value, VarId};

impl System {
    /// The states that `event` leads to from `state`; none if it is not enabled there.
    pub fn successors(&self, state: &[Value], event: EventId) -> Vec<State> {
        if self.has_failed(state) {
            return Vec::new();
        }
        if self.source.is_some() {
            return self.source_successors(state, event);
        }
        match &self.event(event).action {
            Action::Net(arcs) if can_fire(arcs, state) => {
                let mut next: State = state.into();
                for arc in arcs {
                    next[arc.var.index()] += arc.delta;
                }
                vec![next]
            }
            Action::Net(_) => Vec::new(),
            Action::Program { guard, effects } => {
                match (self.run(guard, effects, state), self.fault) {
                    (Ok(next), _) => next.into_iter().collect(),
                    (Err(_), Some(fault)) => {
                        let mut next: State = state.into();
                        next[fault.index()] = 1;
                        vec![next]
                    }
                    (Err(_), None) => Vec::new(),
                }
            }
            Action::Chain(chain) => {
                let found = chain.ends(|var, x| self.wrap(var, x), |var| state[var.index()]);
                let changed = |changes: &Changes| {
                    let mut next: State = state.into();
                    for (var, value) in changes {
                        next[var.index()] = *value;
                    }
                    next
                };
                let failed = self
                    .fault
                    .filter(|_| found.fails)
                    .map(|fault| vec![(fault, 1)]);
                found.ends.iter().chain(&failed).map(changed).collect()
            }
            Action::Table { vars, rows } => rows
                .iter()
                .filter_map(|row| {
                    let mut next: State = state.into();
                    for (var, cell) in vars.iter().zip(row) {
                        if let Some((from, to)) = cell {
                            if next[var.index()] != *from {
                                return None;
                            }
                            next[var.index()] = *to;
                        }
                    }
                    Some(next)
                })
                .collect(),
        }
    }

    /// The steps by `event` from `state`; none if it is not enabled there. The cost for a transition
    /// of a net is the number of its arcs.
    pub fn steps(&self, state: &[Value], event: EventId) -> Vec<Step> {
        match &self.event(event).action {
            Action::Net(arcs) if self.is_enabled(state, event) => {
                vec![Step::by(event, arcs.iter().map(|arc| (arc.var, arc.delta)))]
            }
            Action::Net(_) => Vec::new(),
            _ => {
                let successors = self.successors(state, event).into_iter();
                let step = |next: State| Step::between(Some(event), state, &next);
                successors.map(step).collect()
            }
        }
    }

    /// Executes a program step; `None` if its guard does not hold.
    fn run(
        &self,
        guard: &Predicate,
        effects: &[Assignment],
        state: &[Value],
    ) -> Result<Option<State>, EvalError> {
        let enabled = match guard {
            Predicate::Expr(expr) => expr.eval(state)? != 0,
            guard => self.holds(guard, state),
        };
        if !enabled {
            return Ok(None);
        }
        let mut next: State = state.into();
        for effect in effects {
            let var = effect.target.resolve(&next)?;
            next[var.index()] = self.wrap(var, effect.value.eval(&next)?);
        }
        Ok(Some(next))
    }

    /// The fault by which `event` leads from `state` to the error state.
    pub fn failure(&self, state: &[Value], event: EventId) -> Option<EvalError> {
        match &self.event(event).action {
            Action::Program { guard, effects } => self.run(guard, effects, state).err(),
            Action::Chain(chain) => self.run(&chain.guard, &chain.effects, state).err(),
            _ => None,
        }
    }

    /// Returns whether this is the error state, in which nothing is enabled.
    pub fn has_failed(&self, state: &[Value]) -> bool {
        self.fault.is_some_and(|fault| state[fault.index()] != 0)
    }

    /// Returns whether `event` is enabled in `state`.
    pub fn is_enabled(&self, state: &[Value], event: EventId) -> bool {
        match &self.event(event).action {
            // Avoids copying the state, which dominates for nets with many places.
            Action::Net(arcs) => !self.has_failed(state) && can_fire(arcs, state),
            _ if self.source.is_some() => {
                let steps = self.source_steps(state);
                steps.iter().any(|step| step.event == event)
            }
            _ => !self.successors(state, event).is_empty(),
        }
    }

    /// Returns whether no event is enabled in `state`.
    pub fn is_deadlock(&self, state: &[Value]) -> bool {
        if self.source.is_some() {
            return self.source_steps(state).is_empty();
        }
        self.event_ids().all(|event| !self.is_enabled(state, event))
    }

    /// Returns whether the predicate holds in `state`.
    pub fn holds(&self, predicate: &Predicate, state: &[Value]) -> bool {
        match predicate {
            Predicate::Const(value) => *value,
            Predicate::Linear(linear) => linear.holds(state),
            Predicate::Expr(expr) => expr.eval(state).is_ok_and(|x| x != 0),
            Predicate::Enabled(events) => events.iter().any(|e| self.is_enabled(state, *e)),
            Predicate::Deadlock => self.is_deadlock(state),
            Predicate::Not(p) => !self.holds(p, state),
            Predicate::And(ps) => ps.iter().all(|p| self.holds(p, state)),
            Predicate::Or(ps) => ps.iter().any(|p| self.holds(p, state)),
        }
    }

    /// The value stored when `value` is assigned to `var`: ranges wrap around.
    pub fn wrap(&self, var: VarId, value: Value) -> Value {
        match self.variable(var).domain {
            Domain::Range { low, high } if !(low..=high).contains(&value) => {
                let size = i128::from(high) - i128::from(low) + 1;
                let offset = (i128::from(value) - i128::from(low)).rem_euclid(size);
                (i128::from(low) + offset) as Value
            }
            _ => value,
        }
    }
}

/// Returns whether enough tokens are present. A transition whose counts would exceed 63 bits is
/// treated as disabled; no engine reaches such states.
fn can_fire(arcs: &[Arc], state: &[Value]) -> bool {
    arcs.iter().all(|arc| {
        let tokens = state[arc.var.index()];
        tokens >= arc.need && tokens.checked_add(arc.delta).is_some()
    })
}

impl Linear {
    /// Returns whether the comparison holds in `state`. Sums are exact.
    pub fn holds(&self, state: &[Value]) -> bool {
        let sum: i128 = self
            .terms
            .iter()
            .map(|(var, c)| i128::from(*c) * i128::from(state[var.index()]))
            .sum();
        self.comparison.holds(sum, i128::from(self.constant))
    }
}
