//! Net transitions, compiled for packed states.
//!
//! Transitions are numbered in the order in which they are tried: by one of their input places, the
//! one with the fewest consumers. Firing a transition adds to some cells of a packed state, which
//! adds a constant to its hash.

use super::code::{Range, part};
use super::layout::{Field, PackedLayout};
use lariat_model::{Action, Arc, EventId, System, Value};

#[derive(Clone, Copy, Debug)]
pub(super) struct PackedTransition {
    pub event: EventId,
    takes: Range,
    puts: Range,
    cells: Range,
    /// Contribution to the hash of a state.
    pub weight: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Take {
    pub var: u32,
    pub need: Value,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Put {
    pub var: u32,
    pub delta: Value,
    pub field: Field,
}

/// A transition that takes from a place, and the required number of tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Consumer {
    pub transition: u32,
    pub need: Value,
}

#[derive(Debug)]
pub(super) struct CompiledNet {
    pub transitions: Vec<PackedTransition>,
    /// The number of each event that is a transition.
    numbers: Vec<Option<u32>>,
    takes: Vec<Take>,
    puts: Vec<Put>,
    /// Cells in descending order, and the numbers added to them.
    cells: Vec<(u32, u32)>,
    consumers: Vec<Consumer>,
    /// Index of the first consumer of each place.
    starts: Vec<u32>,
}

impl CompiledNet {
    /// Compiles these transitions, which are in the order in which they are tried.
    pub fn new(
        system: &System,
        order: Vec<(EventId, &[Arc])>,
        layout: &PackedLayout,
    ) -> CompiledNet {
        let mut net = CompiledNet {
            transitions: Vec::with_capacity(order.len()),
            numbers: vec![None; system.events.len()],
            takes: Vec::new(),
            puts: Vec::new(),
            cells: Vec::new(),
            consumers: Vec::new(),
            starts: Vec::new(),
        };
        for (event, arcs) in order {
            net.numbers[event.index()] = Some(net.transitions.len() as u32);
            net.add(event, arcs, layout);
        }
        let mut consumers: Vec<(u32, Consumer)> = Vec::new();
        for (transition, t) in (0..).zip(&net.transitions) {
            let takes = part(&net.takes, t.takes).iter();
            consumers.extend(takes.map(|&Take { var, need }| (var, Consumer { transition, need })));
        }
        consumers.sort_by_key(|(var, _)| *var);
        let start = |var: usize| consumers.partition_point(|(v, _)| (*v as usize) < var) as u32;
        net.starts = (0..=system.variables.len()).map(start).collect();
        net.consumers = consumers.into_iter().map(|(_, c)| c).collect();
        net
    }

    fn add(&mut self, event: EventId, arcs: &[Arc], layout: &PackedLayout) {
        let starts = (self.takes.len(), self.puts.len(), self.cells.len());
        let mut weight = 0u64;
        for arc in arcs {
            let var = arc.var.0;
            if arc.need > 0 {
                let need = arc.need;
                self.takes.push(Take { var, need });
            }
            if arc.delta != 0 {
                let (delta, field) = (arc.delta, layout.fields[arc.var.index()]);
                self.puts.push(Put { var, delta, field });
            }
        }
        self.puts[starts.1..].sort_by_key(|put| std::cmp::Reverse(put.field.cell));
        // A field without bits is in no cell; it holds a single value, so nothing is added to it.
        let puts = self.puts[starts.1..].iter();
        for Put { delta, field, .. } in puts.filter(|put| put.field.width > 0) {
            // Exact if all new values fit their fields; not used otherwise.
            let added = (*delta as u64) << field.shift;
            let cell_weight = layout.weights[field.cell as usize];
            weight = weight.wrapping_add(cell_weight.wrapping_mul(added));
            match self.cells[starts.2..].last_mut() {
                Some((cell, sum)) if *cell == field.cell => *sum = sum.wrapping_add(added as u32),
                _ => self.cells.push((field.cell, added as u32)),
            }
        }
        self.transitions.push(PackedTransition {
            event,
            takes: (starts.0 as u32, self.takes.len() as u32),
            puts: (starts.1 as u32, self.puts.len() as u32),
            cells: (starts.2 as u32, self.cells.len() as u32),
            weight,
        });
    }

    pub fn len(&self) -> usize {
        self.transitions.len()
    }

    /// The number of an event that is a transition.
    #[inline]
    pub fn number(&self, event: EventId) -> Option<u32> {
        self.numbers[event.index()]
    }

    #[inline]
    pub fn puts(&self, t: u32) -> &[Put] {
        part(&self.puts, self.transitions[t as usize].puts)
    }

    #[inline]
    pub fn cells(&self, t: u32) -> &[(u32, u32)] {
        part(&self.cells, self.transitions[t as usize].cells)
    }

    #[inline]
    pub fn consumers(&self, var: u32) -> &[Consumer] {
        let range = (self.starts[var as usize], self.starts[var as usize + 1]);
        part(&self.consumers, range)
    }

    /// A place with too few tokens for `t`; `None` if `t` is enabled.
    #[inline]
    pub fn lacks(&self, t: u32, values: &[Value]) -> Option<u32> {
        let takes = part(&self.takes, self.transitions[t as usize].takes);
        let lacks = |take: &&Take| values[take.var as usize] < take.need;
        takes.iter().find(lacks).map(|take| take.var)
    }
}

/// All transitions in the order in which they are tried.
pub(super) fn order(system: &System) -> Vec<(EventId, &[Arc])> {
    let net = |event: EventId| match &system.event(event).action {
        Action::Net(arcs) => Some((event, &arcs[..])),
        _ => None,
    };
    let mut order: Vec<(EventId, &[Arc])> = system.event_ids().filter_map(net).collect();
    let mut consumers = vec![0u32; system.variables.len()];
    for arc in order.iter().flat_map(|(_, arcs)| *arcs) {
        consumers[arc.var.index()] += u32::from(arc.need > 0);
    }
    order.sort_by_cached_key(|(_, arcs)| {
        let takes = arcs.iter().filter(|arc| arc.need > 0);
        let least = takes.min_by_key(|a| (consumers[a.var.index()], a.var));
        least.map_or((0, Value::MIN), |arc| (arc.var.0, arc.need))
    });
    order
}
