//! Events: relations on state vectors, level by level, as interned chains.
//!
//! An event reads and changes a few levels and keeps the others. It is stored as a *chain*: at its
//! top level an action, and for every outcome of the action the remaining chain for the levels
//! below. There are two kinds of action:
//!
//! - *guard and delta*: `{(v, v + delta) | v ≥ need}`, one outcome, for any value — transitions of
//!   Petri nets are chains of these, without tables;
//! - *table*: rows `(from, to, rest)`. Rows may have different rests, so a table over several
//!   levels is exact even if its columns depend on each other; it is the trie of its rows with
//!   equal subtries shared.
//!
//! Chains are interned, so events with equal ends share them, and thereby cache entries.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::kernel::{CHAIN_BITS, CacheScope};
use lariat_budget::{Lease, Stop};

/// A chain of actions; equal chains have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChainId(pub(crate) u32);

impl ChainId {
    /// The empty chain.
    pub const END: ChainId = ChainId(0);
}

/// A relation on the vectors of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventRelation(pub(crate) ChainId);

impl EventRelation {
    /// Returns the chain of the event, from its top level down.
    pub fn chain(self) -> ChainId {
        self.0
    }
}

/// A part of an event; the parts of one event concern different levels and happen together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventPart {
    /// From `v ≥ need` to `v + delta`; a need below `-delta` is raised to it.
    Delta {
        /// The level concerned.
        level: u32,
        /// The least value at which the event is possible.
        need: u32,
        /// The summand.
        delta: i64,
    },
    /// From `from` to `to` for one of the rows.
    Table {
        /// The levels concerned, in the order of the columns of the rows.
        levels: Vec<u32>,
        /// The rows, each with one `(from, to)` pair per level.
        rows: Vec<Vec<(u32, u32)>>,
    },
}

/// One row of a table action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TableRow {
    pub from: u32,
    pub to: u32,
    pub rest: ChainId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ChainAction {
    Delta {
        need: u32,
        delta: i64,
        rest: ChainId,
    },
    /// A range of the table of rows.
    Table { start: u32, end: u32 },
}

impl ChainAction {
    /// Returns the action that keeps any value; `rest` remains.
    #[inline]
    pub fn pass(rest: ChainId) -> ChainAction {
        ChainAction::Delta {
            need: 0,
            delta: 0,
            rest,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ChainLink {
    pub level: u32,
    pub action: ChainAction,
    /// True if the chain changes nothing.
    pub idle: bool,
}

/// An effect of a chain on a value: the new value and the chain for the levels below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainStep {
    /// The new value.
    pub to: u32,
    /// The remaining chain below.
    pub rest: ChainId,
}

/// All chains of a store.
pub(crate) struct Chains {
    links: Vec<ChainLink>,
    rows: Vec<TableRow>,
    deltas: FxHashMap<(u32, u32, i64, ChainId), ChainId>,
    tables: FxHashMap<(u32, Box<[TableRow]>), ChainId>,
    inverses: FxHashMap<ChainId, Option<ChainId>>,
    lease: Lease,
}

/// Upper estimates of the bytes of an interned link or row with its hash table entries.
const LINK_BYTES: usize = 96;
const ROW_BYTES: usize = 48;

impl Chains {
    pub fn new(lease: Lease) -> Chains {
        Chains {
            links: vec![ChainLink {
                level: u32::MAX,
                action: ChainAction::Table { start: 0, end: 0 },
                idle: true,
            }],
            rows: Vec::new(),
            deltas: FxHashMap::default(),
            tables: FxHashMap::default(),
            inverses: FxHashMap::default(),
            lease,
        }
    }

    /// Returns the first link of `chain`; for [`ChainId::END`] one below all levels.
    #[inline]
    pub fn link(&self, chain: ChainId) -> ChainLink {
        self.links[chain.0 as usize]
    }

    #[inline]
    pub fn row(&self, at: u32) -> TableRow {
        self.rows[at as usize]
    }

    /// Returns the rows of a table with this `from`, as a range.
    #[inline]
    pub fn rows_from(&self, start: u32, end: u32, from: u32) -> (u32, u32) {
        let rows = &self.rows[start as usize..end as usize];
        let first = rows.partition_point(|row| row.from < from);
        let rest = rows[first..].iter();
        let count = rest.take_while(|row| row.from == from).count();
        (start + first as u32, start + (first + count) as u32)
    }

    fn push(
        &mut self,
        level: u32,
        action: ChainAction,
        rows: usize,
        idle: bool,
    ) -> Result<ChainId, Stop> {
        let bytes = (self.links.len() + 1) * LINK_BYTES + (self.rows.len() + rows) * ROW_BYTES;
        self.lease.resize(bytes)?;
        let id = self.links.len();
        if id >= 1 << CHAIN_BITS {
            return Err(Stop::Bound("too many different event suffixes".to_owned()));
        }
        self.links.push(ChainLink {
            level,
            action,
            idle,
        });
        Ok(ChainId(id as u32))
    }

    fn delta(&mut self, level: u32, need: u32, delta: i64, rest: ChainId) -> Result<ChainId, Stop> {
        if let Some(&chain) = self.deltas.get(&(level, need, delta, rest)) {
            return Ok(chain);
        }
        let idle = delta == 0 && self.link(rest).idle;
        let chain = self.push(level, ChainAction::Delta { need, delta, rest }, 0, idle)?;
        self.deltas.insert((level, need, delta, rest), chain);
        Ok(chain)
    }

    /// Interns a table; `None` if there are no rows: the event is impossible.
    fn table(&mut self, level: u32, mut rows: Vec<TableRow>) -> Result<Option<ChainId>, Stop> {
        rows.sort_unstable();
        rows.dedup();
        if rows.is_empty() {
            return Ok(None);
        }
        let key = (level, rows.into_boxed_slice());
        if let Some(&chain) = self.tables.get(&key) {
            return Ok(Some(chain));
        }
        let start = self.rows.len();
        let end = start + key.1.len();
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else {
            return Err(Stop::Bound("too many rows in tables".to_owned()));
        };
        let keeps = |row: &TableRow| row.from == row.to && self.link(row.rest).idle;
        let idle = key.1.iter().all(keeps);
        let chain = self.push(level, ChainAction::Table { start, end }, key.1.len(), idle)?;
        self.rows.extend_from_slice(&key.1);
        self.tables.insert(key, chain);
        Ok(Some(chain))
    }

    /// Interns the conjunction of `parts`; `None` if it is impossible.
    pub fn event(&mut self, levels: u32, parts: &[EventPart]) -> Result<Option<ChainId>, Stop> {
        let mut columns: Vec<(u32, EventColumn)> = Vec::with_capacity(parts.len());
        let mut alive: Vec<Vec<u32>> = Vec::new();
        let mut tables: Vec<&[Vec<(u32, u32)>]> = Vec::new();
        for part in parts {
            match part {
                &EventPart::Delta { level, need, delta } => {
                    let least = delta.checked_neg().filter(|&least| least > 0).unwrap_or(0);
                    if delta == i64::MIN || least > u32::MAX as i64 {
                        return Ok(None);
                    }
                    let need = need.max(least as u32);
                    columns.push((level, EventColumn::Delta { need, delta }));
                }
                EventPart::Table {
                    levels: of_table,
                    rows,
                } => {
                    let table = tables.len();
                    if rows.is_empty() {
                        return Ok(None);
                    }
                    assert!(
                        rows.iter().all(|row| row.len() == of_table.len()),
                        "a row of a table has a pair for every level of the table"
                    );
                    for (column, &level) in of_table.iter().enumerate() {
                        columns.push((level, EventColumn::Table { table, column }));
                    }
                    alive.push((0..rows.len() as u32).collect());
                    tables.push(rows);
                }
            }
        }
        columns.sort_by_key(|&(level, _)| level);
        assert!(
            columns.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "the parts of an event concern different levels"
        );
        assert!(
            columns.last().is_none_or(|&(level, _)| level < levels),
            "an event concerns the levels of its store"
        );
        self.build(&columns, &tables, &mut alive)
    }

    /// Interns the chain for `columns`, given the rows of each table that are still possible.
    fn build(
        &mut self,
        columns: &[(u32, EventColumn)],
        tables: &[&[Vec<(u32, u32)>]],
        alive: &mut Vec<Vec<u32>>,
    ) -> Result<Option<ChainId>, Stop> {
        // Leading deltas do not branch: they are interned from the last to the first.
        let is_table =
            |(_, column): &(u32, EventColumn)| matches!(column, EventColumn::Table { .. });
        let deltas = columns.iter().position(is_table).unwrap_or(columns.len());
        let mut chain = match columns.get(deltas) {
            Some(&(level, EventColumn::Table { table, column })) => {
                let mut groups: Vec<((u32, u32), u32)> = alive[table]
                    .iter()
                    .map(|&row| (tables[table][row as usize][column], row))
                    .collect();
                groups.sort_unstable();
                let mut rows = Vec::new();
                for group in groups.chunk_by(|a, b| a.0 == b.0) {
                    let rest = group.iter().map(|&(_, row)| row).collect();
                    let before = std::mem::replace(&mut alive[table], rest);
                    let rest = self.build(&columns[deltas + 1..], tables, alive);
                    alive[table] = before;
                    let (from, to) = group[0].0;
                    if let Some(rest) = rest? {
                        rows.push(TableRow { from, to, rest });
                    }
                }
                match self.table(level, rows)? {
                    Some(chain) => chain,
                    None => return Ok(None),
                }
            }
            _ => ChainId::END,
        };
        for &(level, column) in columns[..deltas].iter().rev() {
            if let EventColumn::Delta { need, delta } = column {
                // A guard that always holds and changes nothing is omitted.
                if need > 0 || delta != 0 {
                    chain = self.delta(level, need, delta, chain)?;
                }
            }
        }
        Ok(Some(chain))
    }

    /// Interns the inverse relation; `None` if it is empty.
    ///
    /// Rests are inverted before the chains they belong to, so no recursion is needed.
    pub fn invert(&mut self, chain: ChainId) -> Result<Option<ChainId>, Stop> {
        let mut todo = vec![chain];
        while let Some(&chain) = todo.last() {
            if self.inverses.contains_key(&chain) {
                todo.pop();
                continue;
            }
            let known = todo.len();
            match self.link(chain).action {
                _ if chain == ChainId::END => {}
                ChainAction::Delta { rest, .. } => todo.push(rest),
                ChainAction::Table { start, end } => {
                    todo.extend((start..end).map(|at| self.row(at).rest));
                }
            }
            let is_known = |rest| self.inverses.contains_key(rest);
            if todo[known..].iter().all(is_known) {
                let inverse = self.invert_link(chain)?;
                self.inverses.insert(chain, inverse);
                todo.truncate(known - 1);
            }
        }
        Ok(self.inverses[&chain])
    }

    /// Interns the inverse of `chain`, given those of its rests.
    fn invert_link(&mut self, chain: ChainId) -> Result<Option<ChainId>, Stop> {
        if chain == ChainId::END {
            return Ok(Some(chain));
        }
        let ChainLink { level, action, .. } = self.link(chain);
        match action {
            ChainAction::Delta { need, delta, rest } => {
                match (u32::try_from(need as i64 + delta), self.inverses[&rest]) {
                    (Ok(need), Some(rest)) => Ok(Some(self.delta(level, need, -delta, rest)?)),
                    _ => Ok(None),
                }
            }
            ChainAction::Table { start, end } => {
                let rows = (start..end).filter_map(|at| {
                    let TableRow { from, to, rest } = self.row(at);
                    let rest = self.inverses[&rest]?;
                    let (from, to) = (to, from);
                    Some(TableRow { from, to, rest })
                });
                let rows = rows.collect();
                self.table(level, rows)
            }
        }
    }
}

#[derive(Clone, Copy)]
enum EventColumn {
    Delta { need: u32, delta: i64 },
    Table { table: usize, column: usize },
}

/// A set of events, grouped by top level, with a scope.
///
/// Create one per fixpoint problem and keep it until the problem is solved: saturations under the
/// same subset share their cache entries, which are dropped with the last handle.
#[derive(Clone, Debug)]
pub struct Subset {
    pub(crate) scope: CacheScope,
    /// By top level, and per level those that change something first.
    tops: Arc<[ChainAction]>,
    /// Per level the start of its events in `tops`, and the start of its pure guards, which a
    /// fixpoint need not fire, but which matter for enabledness. One more entry at the end.
    starts: Arc<[(u32, u32)]>,
    /// True if an event is possible everywhere and changes nothing.
    pub(crate) idle: bool,
    /// One more than the lowest top level of an event that changes something, and of any event.
    depths: (u32, u32),
}

impl Subset {
    pub(crate) fn new(
        scope: CacheScope,
        levels: u32,
        chains: &Chains,
        mut events: Vec<ChainId>,
    ) -> Subset {
        let mut seen = FxHashSet::default();
        events.retain(|&chain| seen.insert(chain));
        let idle = seen.contains(&ChainId::END);
        // An event that concerns no level is a guard of the first.
        let link = |chain: ChainId| match chain {
            ChainId::END => ChainLink {
                level: 0,
                action: ChainAction::pass(ChainId::END),
                idle: true,
            },
            _ => chains.link(chain),
        };
        let mut links: Vec<ChainLink> = events.into_iter().map(link).collect();
        links.retain(|link| link.level < levels);
        // The order within a level is that of firing.
        links.sort_by_key(|link| (link.level, link.idle));
        let mut starts = Vec::with_capacity(levels as usize + 1);
        let mut at = 0;
        for level in 0..=levels {
            let of_level = links[at..].iter().take_while(|link| link.level == level);
            let (count, active) = of_level.fold((0, 0), |(count, active), link| {
                (count + 1, active + !link.idle as usize)
            });
            starts.push((at as u32, (at + active) as u32));
            at += count;
        }
        let below = |link: &ChainLink| link.level + 1;
        let active = links.iter().rfind(|link| !link.idle);
        Subset {
            scope,
            starts: starts.into(),
            idle,
            depths: (active.map_or(0, below), links.last().map_or(0, below)),
            tops: links.iter().map(|link| link.action).collect(),
        }
    }

    /// Returns the events with this top level that change something, or all of them.
    #[inline]
    pub(crate) fn at(&self, level: u32, all: bool) -> &[ChainAction] {
        let level = level as usize;
        let (start, looking) = self.starts[level];
        let end = if all {
            self.starts[level + 1].0
        } else {
            looking
        };
        &self.tops[start as usize..end as usize]
    }

    /// Returns one more than the lowest top level of those events.
    #[inline]
    pub(crate) fn depth(&self, all: bool) -> u32 {
        if all { self.depths.1 } else { self.depths.0 }
    }
}
