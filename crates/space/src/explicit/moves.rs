//! Events and predicates in the form that the explicit space runs.
//!
//! The arcs of all Petri-net transitions lie in one array, the consuming ones of each
//! transition first, so that most disabled transitions are told from their first arc. Such a
//! transition acts on the packed source; programs and tables act on its values.

use super::States;
use super::store::StateId;
use lariat_budget::Stop;
use lariat_model::{
    Action, Arc, Comparison, Effect, EventId, Fault, Linear, Predicate, Row, System, Value,
};

#[derive(Debug)]
pub(super) struct Moves<'s> {
    system: &'s System,
    arcs: Vec<Arc>,
    /// Where the arcs of an event end; those of events that are no net transitions are empty.
    ends: Vec<u32>,
}

impl<'s> Moves<'s> {
    pub fn new(system: &'s System) -> Moves<'s> {
        let mut arcs: Vec<Arc> = Vec::new();
        let ends = system
            .events
            .iter()
            .map(|event| {
                if let Action::Net(all) = &event.action {
                    arcs.extend(all.iter().filter(|arc| arc.need > 0));
                    arcs.extend(all.iter().filter(|arc| arc.need <= 0 && arc.delta != 0));
                }
                arcs.len() as u32
            })
            .collect();
        Moves { system, arcs, ends }
    }

    pub fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    fn arcs(&self, event: EventId) -> &[Arc] {
        let i = event.index();
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.arcs[start as usize..self.ends[i] as usize]
    }

    fn has_fault(&self, values: &[Value]) -> bool {
        self.system
            .fault
            .is_some_and(|fault| values[fault.index()] != 0)
    }

    /// Takes the next choice of `event` from the loaded state, `None` if there is none left.
    #[inline]
    pub fn fire(
        &self,
        states: &mut States,
        event: EventId,
        choice: &mut u32,
    ) -> Result<Option<StateId>, Stop> {
        match &self.system.event(event).action {
            Action::Net(_) => {
                let arcs = self.arcs(event);
                if *choice > 0 || arcs.iter().any(|a| states.values[a.var.index()] < a.need) {
                    return Ok(None);
                }
                *choice = 1;
                self.fire_net(states, arcs).map(Some)
            }
            action => self.fire_other(states, action, choice),
        }
    }

    #[inline]
    fn fire_net(&self, states: &mut States, arcs: &[Arc]) -> Result<StateId, Stop> {
        let words = &mut states.scratch.words;
        words.clear();
        words.extend_from_slice(&states.words);
        for arc in arcs {
            let field = states.layout.fields[arc.var.index()];
            match states.values[arc.var.index()].checked_add(arc.delta) {
                Some(value) if field.fits(value) => {
                    // No carry: the new value fits the field.
                    let word = &mut words[field.word as usize];
                    *word = word.wrapping_add((arc.delta as u64) << field.shift);
                }
                _ => return self.fire_net_wide(states, arcs),
            }
        }
        states.intern_words()
    }

    /// The same by way of the values, for a value that its field cannot hold.
    #[cold]
    fn fire_net_wide(&self, states: &mut States, arcs: &[Arc]) -> Result<StateId, Stop> {
        let values = &mut states.scratch.values;
        values.clear();
        values.extend_from_slice(&states.values);
        for arc in arcs {
            let slot = &mut values[arc.var.index()];
            *slot = slot.checked_add(arc.delta).ok_or_else(|| {
                let name = &self.system.variable(arc.var).name;
                Stop::Bound(format!("`{name}` exceeds 2^63"))
            })?;
        }
        states.intern_values()
    }

    fn fire_other(
        &self,
        states: &mut States,
        action: &Action,
        choice: &mut u32,
    ) -> Result<Option<StateId>, Stop> {
        if self.has_fault(&states.values) {
            return Ok(None);
        }
        let next = &mut states.scratch.values;
        next.clear();
        next.extend_from_slice(&states.values);
        match action {
            Action::Program { guard, effects } => {
                if *choice > 0 {
                    return Ok(None);
                }
                *choice = 1;
                let ran = self.run(guard, effects, &states.values, next);
                match (ran, self.system.fault) {
                    (Ok(true), _) => {}
                    (Ok(false), _) | (Err(_), None) => return Ok(None),
                    (Err(_), Some(fault)) => {
                        let next = &mut states.scratch.values;
                        next.copy_from_slice(&states.values);
                        next[fault.index()] = 1;
                    }
                }
            }
            Action::Table { vars, rows } => {
                let matching = |row: &&Row| {
                    vars.iter().zip(row.iter()).all(|(var, cell)| {
                        cell.is_none_or(|(from, _)| states.values[var.index()] == from)
                    })
                };
                let rest = rows.iter().skip(*choice as usize);
                let Some((skipped, row)) = rest.enumerate().find(|(_, row)| matching(row)) else {
                    return Ok(None);
                };
                *choice += skipped as u32 + 1;
                for (var, cell) in vars.iter().zip(row) {
                    if let Some((_, to)) = cell {
                        next[var.index()] = *to;
                    }
                }
            }
            Action::Net(_) => unreachable!("net transitions are fired on the packed state"),
        }
        states.intern_values().map(Some)
    }

    /// Runs a program from `values` on `next`, a copy of them; false if its guard is.
    ///
    /// Unlike in a predicate, a fault in a guard is not the same as false.
    fn run(
        &self,
        guard: &Predicate,
        effects: &[Effect],
        values: &[Value],
        next: &mut [Value],
    ) -> Result<bool, Fault> {
        let enabled = match guard {
            Predicate::Expr(expr) => expr.eval(values)? != 0,
            guard => self.holds(guard, values),
        };
        if enabled {
            for effect in effects {
                let var = effect.target.resolve(next)?;
                next[var.index()] = self.system.wrap(var, effect.value.eval(next)?);
            }
        }
        Ok(enabled)
    }

    pub fn is_enabled(&self, event: EventId, values: &[Value]) -> bool {
        match &self.system.event(event).action {
            Action::Net(_) => self
                .arcs(event)
                .iter()
                .all(|arc| values[arc.var.index()] >= arc.need),
            _ if self.has_fault(values) => false,
            Action::Program { guard, effects } => {
                let mut next = values.to_vec();
                let ran = self.run(guard, effects, values, &mut next);
                // A fault leads to the fault state if there is one, else nowhere.
                ran.unwrap_or(self.system.fault.is_some())
            }
            Action::Table { vars, rows } => rows.iter().any(|row| {
                vars.iter()
                    .zip(row)
                    .all(|(var, cell)| cell.is_none_or(|(from, _)| values[var.index()] == from))
            }),
        }
    }

    pub fn holds(&self, predicate: &Predicate, values: &[Value]) -> bool {
        match predicate {
            Predicate::Const(value) => *value,
            Predicate::Linear(linear) => linear_holds(linear, values),
            Predicate::Expr(expr) => expr.eval(values).is_ok_and(|x| x != 0),
            Predicate::Enabled(events) => events.iter().any(|e| self.is_enabled(*e, values)),
            Predicate::Deadlock => self
                .system
                .event_ids()
                .all(|event| !self.is_enabled(event, values)),
            Predicate::Not(p) => !self.holds(p, values),
            Predicate::And(ps) => ps.iter().all(|p| self.holds(p, values)),
            Predicate::Or(ps) => ps.iter().any(|p| self.holds(p, values)),
        }
    }
}

fn linear_holds(linear: &Linear, values: &[Value]) -> bool {
    // One place against a constant is by far the most common atom.
    if let [(var, 1)] = linear.terms[..] {
        return linear
            .comparison
            .holds(values[var.index()], linear.constant);
    }
    let sum: i128 = linear
        .terms
        .iter()
        .map(|(var, c)| i128::from(*c) * i128::from(values[var.index()]))
        .sum();
    Comparison::holds(linear.comparison, sum, i128::from(linear.constant))
}
