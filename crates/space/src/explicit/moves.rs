//! Events and predicates in the form that the explicit space runs.
//!
//! Net transitions are grouped by one of their input places, the one that the fewest
//! transitions take from. The first of a group knows the least that any of them needs there: one
//! look at an unmarked place passes over the whole group. Such a transition acts on the packed
//! source; programs and tables act on its values.

use super::compile::Compiled;
use super::{Cut, States};
use lariat_budget::Stop;
use lariat_model::{Action, Arc, Comparison, EventId, Linear, Predicate, System, Value};

#[derive(Debug)]
pub(super) struct Moves<'s> {
    system: &'s System,
    /// All net transitions, in the order in which they are tried.
    entries: Vec<Entry>,
    /// All other events; they are tried after these.
    compiled: Compiled,
    /// The arcs of all net transitions; those of one that consume come first.
    arcs: Vec<Arc>,
    /// The arcs of each event, by its id.
    ranges: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    event: EventId,
    /// With fewer than `need` in `var`, go on at entry `or_else`.
    var: u32,
    need: Value,
    or_else: u32,
    /// Its arcs.
    arcs: (u32, u32),
}

impl<'s> Moves<'s> {
    pub fn new(system: &'s System) -> Moves<'s> {
        let mut consumers = vec![0u32; system.variables.len()];
        for event in &system.events {
            if let Action::Net(arcs) = &event.action {
                for arc in arcs.iter().filter(|arc| arc.need > 0) {
                    consumers[arc.var.index()] += 1;
                }
            }
        }
        let (mut arcs, mut ranges) = (Vec::new(), Vec::new());
        let mut entries = Vec::new();
        for event in system.event_ids() {
            let start = arcs.len() as u32;
            if let Action::Net(all) = &system.event(event).action {
                let gate = all
                    .iter()
                    .filter(|arc| arc.need > 0)
                    .min_by_key(|arc| (consumers[arc.var.index()], arc.var));
                arcs.extend(all.iter().filter(|arc| arc.need > 0));
                arcs.extend(all.iter().filter(|arc| arc.need <= 0 && arc.delta != 0));
                entries.push(Entry {
                    event,
                    var: gate.map_or(0, |gate| gate.var.0),
                    need: gate.map_or(Value::MIN, |gate| gate.need),
                    or_else: 0,
                    arcs: (start, arcs.len() as u32),
                });
            }
            ranges.push((start, arcs.len() as u32));
        }
        // The least need comes first in its group, so its gate is the group's.
        entries.sort_by_key(|entry| (entry.var, entry.need));
        let mut end = entries.len();
        for i in (0..entries.len()).rev() {
            if entries
                .get(i + 1)
                .is_some_and(|next| next.var != entries[i].var)
            {
                end = i + 1;
            }
            entries[i].or_else = end as u32;
        }
        Moves {
            system,
            compiled: Compiled::new(system),
            entries,
            arcs,
            ranges,
        }
    }

    fn arcs(&self, (start, end): (u32, u32)) -> &[Arc] {
        &self.arcs[start as usize..end as usize]
    }

    fn has_fault(&self, values: &[Value]) -> bool {
        self.system
            .fault
            .is_some_and(|fault| values[fault.index()] != 0)
    }

    /// The next step from the loaded state: `choice` of the event at entry `at`. The successor is
    /// left packed in the scratch space.
    #[inline]
    pub fn next(
        &self,
        states: &mut States,
        at: &mut u32,
        choice: &mut u32,
    ) -> Result<Option<EventId>, Stop> {
        if self.has_fault(&states.values) {
            return Ok(None);
        }
        while let Some(entry) = self.entries.get(*at as usize) {
            if states
                .values
                .get(entry.var as usize)
                .is_some_and(|v| *v < entry.need)
            {
                *at = entry.or_else;
                continue;
            }
            *at += 1;
            let arcs = self.arcs(entry.arcs);
            if arcs.iter().all(|a| states.values[a.var.index()] >= a.need)
                && self.fire_net(states, arcs)?
            {
                return Ok(Some(entry.event));
            }
        }
        let mut rest = *at - self.entries.len() as u32;
        let holds = |p: &Predicate, values: &[Value]| self.holds(p, values);
        let found = self.compiled.next(states, &mut rest, choice, holds);
        *at = rest + self.entries.len() as u32;
        found
    }

    /// False if the successor is cut off.
    #[inline]
    fn fire_net(&self, states: &mut States, arcs: &[Arc]) -> Result<bool, Stop> {
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
        Ok(true)
    }

    /// The same by way of the values, for a value that its field cannot hold.
    #[cold]
    fn fire_net_wide(&self, states: &mut States, arcs: &[Arc]) -> Result<bool, Stop> {
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
        if let Some(most) = states.most
            && arcs.iter().any(|arc| values[arc.var.index()] > most)
        {
            states.cut = Cut::Now;
            return Ok(false);
        }
        states.pack_values()?;
        Ok(true)
    }

    pub fn is_enabled(&self, event: EventId, values: &[Value]) -> bool {
        match &self.system.event(event).action {
            Action::Net(_) => !self.has_fault(values) && self.net_is_enabled(event, values),
            _ => {
                !self.has_fault(values)
                    && self
                        .compiled
                        .is_enabled(event, values, |p| self.holds(p, values))
            }
        }
    }

    fn net_is_enabled(&self, event: EventId, values: &[Value]) -> bool {
        let arcs = self.arcs(self.ranges[event.index()]);
        arcs.iter().all(|arc| values[arc.var.index()] >= arc.need)
    }

    fn is_deadlock(&self, values: &[Value]) -> bool {
        let net = || {
            let mut entries = self.entries.iter();
            entries.any(|entry| self.net_is_enabled(entry.event, values))
        };
        let other = || self.compiled.some(values, |p| self.holds(p, values));
        self.has_fault(values) || !(net() || other())
    }

    pub fn holds(&self, predicate: &Predicate, values: &[Value]) -> bool {
        match predicate {
            Predicate::Const(value) => *value,
            Predicate::Linear(linear) => linear_holds(linear, values),
            Predicate::Expr(expr) => expr.eval(values).is_ok_and(|x| x != 0),
            Predicate::Enabled(events) => events.iter().any(|e| self.is_enabled(*e, values)),
            Predicate::Deadlock => self.is_deadlock(values),
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
