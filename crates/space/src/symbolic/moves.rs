//! The events of a system as events of a diagram store.
//!
//! A net transition becomes guards and deltas. A table becomes one table event per pattern of cells
//! that its rows leave blank. If the system has a fault variable, every event also requires that it
//! is not set.
//!
//! A program is a set of tables that are *learned* (`program.rs`): domains are never enumerated, so
//! wide ones cost only the values that occur. `Symbolic` lets programs
//! [learn](EventRelations::learn) from a set before it applies them to it.
//!
//! Closures restart whenever something is learned. So values that are written are assumed to occur,
//! for a number of rounds that doubles; most programs are completely known once they have learned
//! from the initial states. Wide programs, of which too many combinations of values exist, also
//! learn from single states (`walk.rs`).

use super::layout::LevelLayout;
use super::program::{Domains, GuardedCommand, LearnedProgram};
use super::walk::StateWalk;
use lariat_budget::{Budget, Lease, Stop};
use lariat_dd::{EventPart, EventRelation, Set, Store, Subset};
use lariat_model::order::Level;
use lariat_model::{Action, Arc, EventId, Predicate, Row, System, Value, VarId};
use std::collections::BTreeMap;

/// Look-ahead rounds at the first learning.
const FIRST_ROUNDS: u32 = 16;

/// The events of the system in the diagram store.
pub(super) struct EventRelations {
    moves: Vec<EventForm>,
    domains: Domains,
    /// Look-ahead rounds at the next learning.
    look_ahead: u32,
    /// Single states from which wide programs learn besides the states of closures.
    walk: StateWalk,
    lease: Lease,
    /// Incremented whenever a program learns.
    pub(super) version: u32,
}

enum EventForm {
    Fixed(Vec<EventRelation>),
    Learned(LearnedProgram),
}

impl EventRelations {
    pub(super) fn new(
        system: &System,
        layout: &LevelLayout,
        store: &mut Store,
        budget: &Budget,
    ) -> Result<EventRelations, Stop> {
        let mut moves = Vec::with_capacity(system.events.len());
        for event in &system.events {
            moves.push(match &event.action {
                Action::Net(arcs) => EventForm::Fixed(net(system, layout, store, arcs, &[])?),
                Action::Table { vars, rows } => {
                    EventForm::Fixed(table(system, layout, store, vars, rows, &[])?)
                }
                action if action.guard().is_some_and(Predicate::reads_events) => {
                    return Err(Stop::Unsupported(format!(
                        "the guard of {} tests which events are enabled",
                        event.name
                    )));
                }
                action => EventForm::Learned(LearnedProgram::new(system, action)),
            });
        }
        Ok(EventRelations {
            moves,
            domains: Domains::new(system),
            look_ahead: FIRST_ROUNDS,
            walk: StateWalk::default(),
            lease: budget.lease(),
            version: 0,
        })
    }

    /// Returns whether programs must learn before events are applied.
    pub(super) fn learns(&self) -> bool {
        self.moves
            .iter()
            .any(|m| matches!(m, EventForm::Learned(_)))
    }

    /// The events of the store for an event of the system.
    pub(super) fn events(&self, event: EventId) -> &[EventRelation] {
        match &self.moves[event.index()] {
            EventForm::Fixed(events) => events,
            EventForm::Learned(program) => program.events(),
        }
    }

    /// The events of `event` in another store with the same levels, with the parts `below` on
    /// further levels below them. Programs are copied as far as they are known.
    pub(super) fn copied(
        &self,
        system: &System,
        layout: &LevelLayout,
        store: &mut Store,
        event: EventId,
        below: &[EventPart],
    ) -> Result<Vec<EventRelation>, Stop> {
        match (&self.moves[event.index()], &system.event(event).action) {
            (EventForm::Learned(program), _) => {
                program.copied(system, layout, &self.domains, store, below)
            }
            (_, Action::Net(arcs)) => net(system, layout, store, arcs, below),
            (_, Action::Table { vars, rows }) => table(system, layout, store, vars, rows, below),
            (EventForm::Fixed(_), Action::Program { .. } | Action::Chain(_)) => Ok(Vec::new()),
        }
    }

    /// A program, as far as it is known; `None` for other events.
    pub(super) fn program(&self, event: EventId) -> Option<&LearnedProgram> {
        match &self.moves[event.index()] {
            EventForm::Fixed(_) => None,
            EventForm::Learned(program) => Some(program),
        }
    }

    /// Lets programs learn from the states of `set`; returns whether anything was new.
    pub(super) fn learn(
        &mut self,
        system: &System,
        layout: &LevelLayout,
        store: &mut Store,
        set: &Set,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        for (level, values) in store.values(set).into_iter().enumerate() {
            let level = Level(level as u32);
            for stored in values {
                let value = layout.decode(level, stored);
                self.domains.occurs(layout.order().var(level), value);
            }
        }
        self.walk(system, layout, store.figures().created, budget)?;
        let mut programs: Vec<_> = programs(system, &mut self.moves).collect();
        let mut writes = Vec::new();
        for round in 0.. {
            for (program, command) in &mut programs {
                program.explore(*command, layout, &self.domains, &mut writes);
            }
            budget.check()?;
            let mut news = false;
            for (var, value) in writes.drain(..) {
                if round < self.look_ahead {
                    news |= self.domains.expect(var, value);
                }
            }
            if !news {
                break;
            }
        }
        self.look_ahead = self.look_ahead.saturating_mul(2);
        let mut news = false;
        for (program, command) in &mut programs {
            program.look(*command, layout, store, set, budget)?;
            if program.make(system, layout, &self.domains, store)? {
                self.version += 1;
                news = true;
            }
        }
        let bytes = programs.iter().map(|(program, _)| program.bytes()).sum();
        self.lease.resize(bytes)?;
        Ok(news)
    }

    /// Lets wide programs learn from single states, in proportion to the nodes created.
    fn walk(
        &mut self,
        system: &System,
        layout: &LevelLayout,
        nodes: u64,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let wide =
            |entry: &EventForm| matches!(entry, EventForm::Learned(program) if program.is_wide());
        if !self.moves.iter().any(wide) {
            return Ok(());
        }
        let (moves, domains) = (&mut self.moves, &mut self.domains);
        self.walk.resume(system, nodes, budget, |state, steps| {
            for (var, value) in system.var_ids().zip(state) {
                domains.occurs(var, *value);
            }
            for (event, _) in steps {
                if let EventForm::Learned(program) = &mut moves[event.index()]
                    && let Some(command) = GuardedCommand::of(system, *event)
                {
                    program.meet(command, layout, state);
                }
            }
        })
    }
}

type Coded<'m, 's> = (&'m mut LearnedProgram, GuardedCommand<'s>);

fn programs<'m, 's>(
    system: &'s System,
    moves: &'m mut [EventForm],
) -> impl Iterator<Item = Coded<'m, 's>> {
    let events = system.event_ids().zip(moves);
    events.filter_map(|(event, entry)| match entry {
        EventForm::Learned(program) => Some((program, GuardedCommand::of(system, event)?)),
        EventForm::Fixed(_) => None,
    })
}

/// The condition that no fault has occurred.
fn sound(system: &System, layout: &LevelLayout) -> Result<Option<EventPart>, Stop> {
    let Some(fault) = system.fault else {
        return Ok(None);
    };
    let level = layout.level(fault);
    let zero = layout.encode(system, level, 0)?;
    Ok(Some(EventPart::Table {
        levels: vec![level.0],
        rows: vec![vec![(zero, zero)]],
    }))
}

/// A net transition, with the parts `below` on levels below those of the system.
fn net(
    system: &System,
    layout: &LevelLayout,
    store: &mut Store,
    arcs: &[Arc],
    below: &[EventPart],
) -> Result<Vec<EventRelation>, Stop> {
    let mut parts = Vec::with_capacity(arcs.len() + 1);
    for arc in arcs {
        let level = layout.level(arc.var);
        let need = arc.need.saturating_sub(layout.low(level)).max(0);
        let Ok(need) = u32::try_from(need) else {
            // No state that a diagram can hold has that many tokens; a state with more than that is
            // reported when it arises.
            return Ok(Vec::new());
        };
        parts.push(EventPart::Delta {
            level: level.0,
            need,
            delta: arc.delta,
        });
    }
    parts.extend(sound(system, layout)?);
    parts.extend_from_slice(below);
    Ok(store.event(&parts)?.into_iter().collect())
}

/// Returns whether one of these transitions may put more than `cap` tokens into a place, given the
/// largest number at each level.
pub(super) fn may_escape(
    system: &System,
    layout: &LevelLayout,
    events: &[EventId],
    cap: u32,
    most: &[u32],
) -> bool {
    let rises = |arc: &Arc| {
        let here = Value::from(most[layout.level(arc.var).index()]);
        arc.delta > 0 && here + arc.delta > Value::from(cap)
    };
    let action = |event: &EventId| &system.event(*event).action;
    (events.iter().map(action)).any(|action| match action {
        Action::Net(arcs) => arcs.iter().any(rises),
        Action::Program { .. } | Action::Chain(_) | Action::Table { .. } => false,
    })
}

/// Events that are enabled where a transition of a net would put more than `cap` tokens into a
/// place: one for each place that it fills. They are tested, never fired.
pub(super) fn escaping(
    system: &System,
    layout: &LevelLayout,
    store: &mut Store,
    events: &[EventId],
    cap: u32,
) -> Result<Subset, Stop> {
    let mut all = Vec::new();
    for event in events {
        let Action::Net(arcs) = &system.event(*event).action else {
            continue;
        };
        for (filled, arc) in arcs.iter().enumerate().filter(|(_, arc)| arc.delta > 0) {
            let mut arcs = arcs.clone();
            // The cap bounds stored values.
            let low = layout.low(layout.level(arc.var));
            let least = (Value::from(cap) - arc.delta).max(-1) + 1 + low;
            arcs[filled].need = arc.need.max(least);
            all.extend(net(system, layout, store, &arcs, &[])?);
        }
    }
    Ok(store.subset(all))
}

/// A table, with the parts `below` for each row on levels below those of the system.
fn table(
    system: &System,
    layout: &LevelLayout,
    store: &mut Store,
    vars: &[VarId],
    rows: &[Row],
    below: &[EventPart],
) -> Result<Vec<EventRelation>, Stop> {
    // Rows by the cells that they fill.
    let mut groups: BTreeMap<Vec<bool>, Vec<Vec<(u32, u32)>>> = BTreeMap::new();
    for row in rows {
        let filled: Vec<bool> = row.iter().map(Option::is_some).collect();
        let mut cells = Vec::with_capacity(vars.len());
        for (var, cell) in vars.iter().zip(row) {
            if let Some((from, to)) = cell {
                let level = layout.level(*var);
                let encode = |value| layout.encode(system, level, value);
                cells.push((encode(*from)?, encode(*to)?));
            }
        }
        groups.entry(filled).or_default().push(cells);
    }
    let mut events = Vec::new();
    for (filled, rows) in groups {
        let filled = vars.iter().zip(&filled).filter(|(_, filled)| **filled);
        let levels: Vec<u32> = filled.map(|(var, _)| layout.level(*var).0).collect();
        let mut parts = below.to_vec();
        parts.extend(sound(system, layout)?);
        if !levels.is_empty() {
            parts.push(EventPart::Table { levels, rows });
        }
        events.extend(store.event(&parts)?);
    }
    Ok(events)
}
