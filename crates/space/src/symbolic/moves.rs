//! The events of a system as events of a diagram store.
//!
//! A transition of a net becomes guards and deltas. A table becomes one table event for each pattern
//! of cells that its rows leave blank. Where the system has a fault variable, every
//! event also asks that it is not set.
//!
//! A program is a table too, over the levels it reads or may write, but one that is *learned*:
//! the states that have been seen are projected on these levels, and for each new short vector
//! the reference interpreter says what the program does there. Domains are never enumerated, so wide
//! ones cost only what occurs. Whoever applies learned events to a set must have them
//! [learn](Moves::learn) from it first.

use super::layout::Layout;
use lariat_budget::Stop;
use lariat_dd::{Event, Part, Set, Store};
use lariat_model::order::Level;
use lariat_model::{Action, Arc, EventId, Predicate, Row, System, VarId};
use std::collections::BTreeMap;

/// What each event of the system is in the diagram store.
pub(super) struct Moves {
    moves: Vec<Move>,
    /// How often something was learned.
    pub(super) version: u32,
}

enum Move {
    Fixed(Vec<Event>),
    Learned(Learned),
}

/// A program, as far as it is known.
pub(super) struct Learned {
    /// The levels that it reads or may write, from the top.
    pub(super) levels: Vec<Level>,
    /// What each known vector over these levels becomes; vectors where nothing happens are left out.
    pub(super) rows: Vec<Vec<(u32, u32)>>,
    /// The known vectors, 0 elsewhere.
    seen: Set,
    event: Option<Event>,
}

impl Moves {
    pub(super) fn new(system: &System, layout: &Layout, store: &mut Store) -> Result<Moves, Stop> {
        let mut moves = Vec::with_capacity(system.events.len());
        for event in &system.events {
            moves.push(match &event.action {
                Action::Net(arcs) => Move::Fixed(net(system, layout, store, arcs)?),
                Action::Table { vars, rows } => {
                    Move::Fixed(table(system, layout, store, vars, rows)?)
                }
                action @ Action::Program { guard, .. } => {
                    if asks_what_is_enabled(guard) {
                        return Err(Stop::Unsupported(format!(
                            "the guard of {} asks what is enabled",
                            event.name
                        )));
                    }
                    let mut vars = action.reads();
                    vars.extend(action.writes());
                    vars.extend(system.fault);
                    let mut levels: Vec<Level> = vars.iter().map(|v| layout.level(*v)).collect();
                    levels.sort_unstable();
                    levels.dedup();
                    Move::Learned(Learned {
                        levels,
                        rows: Vec::new(),
                        seen: store.empty(),
                        event: None,
                    })
                }
            });
        }
        Ok(Moves { moves, version: 0 })
    }

    /// Must something be learned before events are applied?
    pub(super) fn learns(&self) -> bool {
        self.moves.iter().any(|m| matches!(m, Move::Learned(_)))
    }

    /// The events of the store that an event of the system is.
    pub(super) fn events(&self, event: EventId) -> &[Event] {
        match &self.moves[event.index()] {
            Move::Fixed(events) => events,
            Move::Learned(learned) => learned.event.as_slice(),
        }
    }

    /// The same events in another store with the same levels, and perhaps more below them: each
    /// with the event of the system that it is. Programs are copied as far as they are known.
    pub(super) fn copied(
        &self,
        system: &System,
        layout: &Layout,
        store: &mut Store,
    ) -> Result<Vec<(EventId, Event)>, Stop> {
        let mut all = Vec::new();
        for (event, entry) in system.event_ids().zip(&self.moves) {
            let made = match (entry, &system.event(event).action) {
                (Move::Learned(learned), _) => learned.event_in(store)?.into_iter().collect(),
                (_, Action::Net(arcs)) => net(system, layout, store, arcs)?,
                (_, Action::Table { vars, rows }) => table(system, layout, store, vars, rows)?,
                (Move::Fixed(_), Action::Program { .. }) => Vec::new(),
            };
            all.extend(made.into_iter().map(|made| (event, made)));
        }
        Ok(all)
    }

    /// What is known of a program.
    pub(super) fn learned(&self, event: EventId) -> Option<&Learned> {
        match &self.moves[event.index()] {
            Move::Fixed(_) => None,
            Move::Learned(learned) => Some(learned),
        }
    }

    /// Learns what programs do in the states of `set`. True if anything was new.
    pub(super) fn learn(
        &mut self,
        system: &System,
        layout: &Layout,
        store: &mut Store,
        set: &Set,
    ) -> Result<bool, Stop> {
        let mut news = false;
        for (event, entry) in system.event_ids().zip(&mut self.moves) {
            if let Move::Learned(learned) = entry {
                news |= learned.learn(system, layout, store, event, set)?;
            }
        }
        self.version += u32::from(news);
        Ok(news)
    }
}

impl Learned {
    fn learn(
        &mut self,
        system: &System,
        layout: &Layout,
        store: &mut Store,
        event: EventId,
        set: &Set,
    ) -> Result<bool, Stop> {
        let mut keep = vec![false; layout.levels()];
        for level in &self.levels {
            keep[level.index()] = true;
        }
        let short = store.project(set, &keep)?;
        let new = store.difference(&short, &self.seen)?;
        if new.is_empty() {
            return Ok(false);
        }
        let mut failure = None;
        let before = self.rows.len();
        for stored in store.iter(&new) {
            // Levels that the program does not look at may hold anything.
            let state = layout.decode_state(&stored);
            for next in system.successors(&state, event) {
                let row: Result<Vec<(u32, u32)>, Stop> = self
                    .levels
                    .iter()
                    .map(|level| {
                        let value = next[layout.order().var(*level).index()];
                        let to = layout.encode(system, *level, value)?;
                        Ok((stored[level.index()], to))
                    })
                    .collect();
                match row {
                    Ok(row) => self.rows.push(row),
                    Err(stop) => failure = Some(stop),
                }
            }
            if failure.is_some() {
                break;
            }
        }
        if let Some(stop) = failure {
            return Err(stop);
        }
        self.seen = store.union(&self.seen, &new)?;
        if self.rows.len() > before {
            self.event = self.event_in(store)?;
        }
        Ok(self.rows.len() > before)
    }

    /// What is known, as an event of a store.
    fn event_in(&self, store: &mut Store) -> Result<Option<Event>, Stop> {
        store.event(&[Part::Table {
            levels: self.levels.iter().map(|l| l.0).collect(),
            rows: self.rows.clone(),
        }])
    }
}

fn asks_what_is_enabled(guard: &Predicate) -> bool {
    match guard {
        Predicate::Enabled(_) | Predicate::Deadlock => true,
        Predicate::Const(_) | Predicate::Linear(_) | Predicate::Expr(_) => false,
        Predicate::Not(p) => asks_what_is_enabled(p),
        Predicate::And(ps) | Predicate::Or(ps) => ps.iter().any(asks_what_is_enabled),
    }
}

/// The condition that no fault has happened.
fn sound(system: &System, layout: &Layout) -> Result<Option<Part>, Stop> {
    let Some(fault) = system.fault else {
        return Ok(None);
    };
    let level = layout.level(fault);
    let zero = layout.encode(system, level, 0)?;
    Ok(Some(Part::Table {
        levels: vec![level.0],
        rows: vec![vec![(zero, zero)]],
    }))
}

fn net(
    system: &System,
    layout: &Layout,
    store: &mut Store,
    arcs: &[Arc],
) -> Result<Vec<Event>, Stop> {
    let mut parts = Vec::with_capacity(arcs.len() + 1);
    for arc in arcs {
        let level = layout.level(arc.var);
        let need = arc.need.saturating_sub(layout.low(level)).max(0);
        let Ok(need) = u32::try_from(need) else {
            // No state that a diagram can hold has so many tokens; one that has more than
            // it can hold is reported when it arises.
            return Ok(Vec::new());
        };
        parts.push(Part::Delta {
            level: level.0,
            need,
            delta: arc.delta,
        });
    }
    parts.extend(sound(system, layout)?);
    Ok(store.event(&parts)?.into_iter().collect())
}

fn table(
    system: &System,
    layout: &Layout,
    store: &mut Store,
    vars: &[VarId],
    rows: &[Row],
) -> Result<Vec<Event>, Stop> {
    // Rows by the cells they fill.
    let mut groups: BTreeMap<Vec<bool>, Vec<Vec<(u32, u32)>>> = BTreeMap::new();
    for row in rows {
        let filled: Vec<bool> = row.iter().map(Option::is_some).collect();
        let mut cells = Vec::with_capacity(vars.len());
        for (var, cell) in vars.iter().zip(row) {
            if let Some((from, to)) = cell {
                let level = layout.level(*var);
                cells.push((
                    layout.encode(system, level, *from)?,
                    layout.encode(system, level, *to)?,
                ));
            }
        }
        groups.entry(filled).or_default().push(cells);
    }
    let mut events = Vec::new();
    for (filled, rows) in groups {
        let levels: Vec<u32> = vars
            .iter()
            .zip(&filled)
            .filter(|(_, filled)| **filled)
            .map(|(var, _)| layout.level(*var).0)
            .collect();
        let mut parts: Vec<Part> = sound(system, layout)?.into_iter().collect();
        if !levels.is_empty() {
            parts.push(Part::Table { levels, rows });
        }
        events.extend(store.event(&parts)?);
    }
    Ok(events)
}
