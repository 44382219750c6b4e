//! A program as a relation, learned path by path.
//!
//! A program that is run from its guard to its last assignment reads some variables, one after the
//! other, and which it reads next depends on what it has read: the runs are the paths of a
//! decision tree. A path says what the variables on it must be and what some variables become, so
//! it is a row of a table over exactly these variables. All others are left alone, and an
//! assignment to a variable that was not read holds whatever that was.
//!
//! ```text
//! R = ⋃ { {(s, s[writes(π)]) | s agrees with reads(π)} | π a path }
//! ```
//!
//! A path is right wherever it applies, so to know more of them than are needed does no harm.
//! They are found over the values that every variable is known to have, by
//! running the program again and again with the next choice of values read. That visits combinations
//! that no state has, but it needs no look at the states, and it finds the values that are written
//! next. Where combinations are too many, the program is *wide*: then the states are projected on
//! the variables that it may look at, and it runs on each new short vector (as in Meijer,
//! Kant, Blom, van de Pol: Read, write and copy dependencies for symbolic model checking, HVC 2014);
//! and what it does in single states on a walk (`walk.rs`) is known ahead of the closures.
//!
//! Paths over the same levels with the same blind assignments share a table. Whatever ends early
//! leaves paths that are right behind, so it can be taken up again.

use super::layout::Layout;
use lariat_budget::{Budget, Stop};
use lariat_dd::{Event, EventPart, Set, Store};
use lariat_model::order::Level;
use lariat_model::{Action, Comparison, Effect, Fault, Predicate, System, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A program with more paths than this is wide.
const WIDE: usize = 256;

/// How many values that no state has may be expected of a variable.
const AHEAD: usize = 6;

/// The values that variables are known to have.
#[derive(Default)]
pub(super) struct Domains(Vec<KnownValues>);

/// The values that one variable is known to have.
#[derive(Clone, Default)]
struct KnownValues {
    /// In the order in which they were found.
    values: Vec<Value>,
    /// Each, and whether a state has it.
    occurs: FxHashMap<Value, bool>,
    occurring: usize,
}

impl Domains {
    pub(super) fn new(system: &System) -> Domains {
        Domains(vec![KnownValues::default(); system.variables.len()])
    }

    fn of(&self, var: VarId) -> &[Value] {
        &self.0[var.index()].values
    }

    /// Adds a value that a state has.
    pub(super) fn occurs(&mut self, var: VarId, value: Value) {
        let domain = &mut self.0[var.index()];
        let known = domain.occurs.insert(value, true);
        if known.is_none() {
            domain.values.push(value);
        }
        domain.occurring += usize::from(known != Some(true));
    }

    /// Adds a value that a path writes, unless too many such occur nowhere. True if it is new.
    pub(super) fn expect(&mut self, var: VarId, value: Value) -> bool {
        let domain = &mut self.0[var.index()];
        let room = domain.values.len() < AHEAD + domain.occurring * 3 / 2;
        let new = room && !domain.occurs.contains_key(&value);
        if new {
            domain.occurs.insert(value, false);
            domain.values.push(value);
        }
        new
    }
}

/// A program, as far as it is known.
pub(super) struct Program {
    /// The variables that it may read or write.
    vars: Vec<VarId>,
    /// How many values of each have been tried, if any.
    tried: Option<Vec<usize>>,
    wide: bool,
    /// If it is wide, the short vectors that it was run on, 0 elsewhere.
    seen: Option<Set>,
    tables: BTreeMap<Shape, Table>,
    events: Vec<Event>,
}

/// What paths have in common that share a table.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    /// The levels that they read, from the top.
    levels: Vec<Level>,
    /// The levels that they write without reading, and the stored values written.
    blind: Vec<(Level, u32)>,
    /// A variable that is assigned a value beyond its range.
    wraps: Option<VarId>,
}

impl Shape {
    /// Rows of this shape as parts of an event; blind assignments hold over all known values.
    fn parts(
        &self,
        system: &System,
        layout: &Layout,
        domains: &Domains,
        rows: &[Vec<(u32, u32)>],
    ) -> Result<Vec<EventPart>, Stop> {
        let mut parts = Vec::new();
        if !self.levels.is_empty() {
            parts.push(EventPart::Table {
                levels: self.levels.iter().map(|l| l.0).collect(),
                rows: rows.to_vec(),
            });
        }
        for (level, to) in &self.blind {
            let values = domains.of(layout.order().var(*level)).iter();
            let from = values.map(|value| layout.encode(system, *level, *value));
            let rows: Result<Vec<_>, Stop> = from.map(|f| Ok(vec![(f?, *to)])).collect();
            parts.push(EventPart::Table {
                levels: vec![level.0],
                rows: rows?,
            });
        }
        Ok(parts)
    }
}

/// Rows, and the events they have been made into.
///
/// Rows come a few at a time, and making an event takes as long as it has rows. So there are several
/// events, each with more than twice the rows of the next.
#[derive(Default)]
struct Table {
    rows: Vec<Vec<(u32, u32)>>,
    known: FxHashSet<Vec<(u32, u32)>>,
    /// The events, each with the first of its rows; they reach up to those of the next.
    events: Vec<(usize, Event)>,
    /// How many rows there are events of.
    made: usize,
    /// How many values lay under blind assignments when the events were made.
    under: usize,
}

impl Table {
    fn add(&mut self, row: Vec<(u32, u32)>) {
        if self.known.insert(row.clone()) {
            self.rows.push(row);
        }
    }

    /// Drops events that are to be made again; what is to be made starts at `made`.
    fn begin(&mut self, under: usize) {
        if self.under != under {
            self.events.clear();
            (self.made, self.under) = (0, under);
        }
        if self.made == self.rows.len() {
            return;
        }
        while let Some((start, _)) = self.events.last()
            && self.made - start < 2 * (self.rows.len() - self.made)
        {
            self.made = *start;
            self.events.pop();
        }
    }
}

/// One run of a program.
#[derive(Default)]
struct Path {
    /// What was read; the position is that of the value in its domain.
    reads: Vec<(VarId, Value, usize)>,
    writes: Vec<(VarId, Value)>,
    /// A variable that was assigned a value beyond its range.
    wraps: Option<VarId>,
}

impl Path {
    /// The value of a variable that was written or read before.
    fn known(&self, var: VarId) -> Option<Value> {
        let written = self.writes.iter().rev().find(|(v, _)| *v == var);
        let read = || self.reads.iter().find(|(v, ..)| *v == var);
        written
            .map(|(_, value)| *value)
            .or_else(|| read().map(|(_, value, _)| *value))
    }

    /// Goes on to the next value of the last variable that has one; false behind the last path.
    fn advance(&mut self, domains: &Domains) -> bool {
        while let Some((var, value, position)) = self.reads.last_mut() {
            *position += 1;
            if let Some(next) = domains.of(*var).get(*position) {
                *value = *next;
                return true;
            }
            self.reads.pop();
        }
        false
    }

    /// Runs the program. Variables that are not on the path yet are what `choose` says: a value and
    /// its position. False if the guard does not hold.
    fn run(
        &mut self,
        system: &System,
        (guard, effects): (&Predicate, &[Effect]),
        choose: impl Fn(VarId) -> (Value, usize),
    ) -> bool {
        self.writes.clear();
        self.wraps = None;
        match self.try_run(system, guard, effects, choose) {
            Ok(taken) => taken,
            Err(_) => {
                self.writes.clear();
                self.wraps = None;
                self.writes.extend(system.fault.map(|fault| (fault, 1)));
                system.fault.is_some()
            }
        }
    }

    fn try_run(
        &mut self,
        system: &System,
        guard: &Predicate,
        effects: &[Effect],
        choose: impl Fn(VarId) -> (Value, usize),
    ) -> Result<bool, Fault> {
        let read = |path: &mut Path, var: VarId| {
            path.known(var).unwrap_or_else(|| {
                let (value, position) = choose(var);
                path.reads.push((var, value, position));
                value
            })
        };
        if system.fault.is_some_and(|fault| read(self, fault) != 0) {
            return Ok(false);
        }
        let enabled = match guard {
            Predicate::Expr(expr) => expr.eval_with(&mut |var| read(self, var))? != 0,
            guard => holds(guard, &mut |var| read(self, var)),
        };
        if !enabled {
            return Ok(false);
        }
        for effect in effects {
            let var = effect.target.resolve_with(&mut |var| read(self, var))?;
            let value = effect.value.eval_with(&mut |var| read(self, var))?;
            let wrapped = system.wrap(var, value);
            if wrapped != value {
                self.wraps.get_or_insert(var);
            }
            let value = wrapped;
            match self.writes.iter_mut().find(|(v, _)| *v == var) {
                Some(write) => write.1 = value,
                None => self.writes.push((var, value)),
            }
        }
        Ok(true)
    }
}

/// Does a guard hold that is no expression?
fn holds(predicate: &Predicate, read: &mut impl FnMut(VarId) -> Value) -> bool {
    match predicate {
        Predicate::Const(value) => *value,
        Predicate::Linear(linear) => {
            let terms = linear.terms.iter();
            let sum = terms.map(|(var, c)| i128::from(*c) * i128::from(read(*var)));
            Comparison::holds(linear.comparison, sum.sum(), i128::from(linear.constant))
        }
        Predicate::Expr(expr) => expr.eval_with(read).is_ok_and(|x| x != 0),
        Predicate::Not(p) => !holds(p, read),
        Predicate::And(ps) => ps.iter().all(|p| holds(p, read)),
        Predicate::Or(ps) => ps.iter().any(|p| holds(p, read)),
        // Programs with such guards are refused.
        Predicate::Enabled(_) | Predicate::Deadlock => false,
    }
}

impl Program {
    pub(super) fn new(system: &System, action: &Action) -> Program {
        let mut vars = action.reads();
        vars.extend(action.writes());
        vars.extend(system.fault);
        vars.sort_unstable();
        vars.dedup();
        Program {
            vars,
            tried: None,
            wide: false,
            seen: None,
            tables: BTreeMap::new(),
            events: Vec::new(),
        }
    }

    pub(super) fn events(&self) -> &[Event] {
        &self.events
    }

    /// What each known path asks of the state: stored values by level, from the top.
    pub(super) fn conditions(&self) -> impl Iterator<Item = Vec<(Level, u32)>> {
        self.tables.iter().flat_map(|(shape, table)| {
            table.rows.iter().map(|row| {
                let froms = row.iter().map(|(from, _)| *from);
                shape.levels.iter().copied().zip(froms).collect()
            })
        })
    }

    /// The events in which a variable is assigned a value beyond its range, with the variable.
    pub(super) fn wrapping(&self) -> impl Iterator<Item = (VarId, Event)> {
        self.tables.iter().flat_map(|(shape, table)| {
            let events = table.events.iter().map(|(_, event)| *event);
            events.filter_map(|event| Some((shape.wraps?, event)))
        })
    }

    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> usize {
        let tables = self.tables.iter();
        let bytes = tables.map(|(shape, table)| {
            let levels = shape.levels.len() + shape.blind.len();
            (levels * 8 + 64) * (table.rows.len() + 1)
        });
        bytes.sum()
    }

    /// Finds the paths over all values in `domains`; what they write is added to `writes`.
    pub(super) fn explore(
        &mut self,
        system: &System,
        layout: &Layout,
        program: (&Predicate, &[Effect]),
        domains: &Domains,
        writes: &mut Vec<(VarId, Value)>,
    ) {
        let sizes: Vec<usize> = self.vars.iter().map(|v| domains.of(*v).len()).collect();
        if self.wide || sizes.contains(&0) || self.tried.as_ref() == Some(&sizes) {
            return;
        }
        let before = self.tried.replace(sizes);
        let old = |var: VarId, position: usize| match (&before, self.vars.binary_search(&var)) {
            (Some(before), Ok(i)) => position < before[i],
            _ => false,
        };
        let mut path = Path::default();
        let mut found = Vec::new();
        for runs in 0.. {
            if runs == WIDE {
                self.wide = true;
                break;
            }
            let taken = path.run(system, program, |var| (domains.of(var)[0], 0));
            let again = || path.reads.iter().all(|(var, _, at)| old(*var, *at));
            if taken && (before.is_none() || !again()) {
                match row(system, layout, &path) {
                    Ok(row) => found.push(row),
                    // Perhaps no state takes this path; the short vectors will tell.
                    Err(_) => {
                        self.wide = true;
                        break;
                    }
                }
                writes.extend_from_slice(&path.writes);
            }
            if !path.advance(domains) {
                break;
            }
        }
        for (shape, row) in found {
            self.tables.entry(shape).or_default().add(row);
        }
    }

    /// Runs a wide program on what it may see of the states of `set`.
    pub(super) fn look(
        &mut self,
        system: &System,
        layout: &Layout,
        program: (&Predicate, &[Effect]),
        store: &mut Store,
        set: &Set,
        budget: &Budget,
    ) -> Result<(), Stop> {
        if !self.wide {
            return Ok(());
        }
        let mut keep = vec![false; layout.levels()];
        for var in &self.vars {
            keep[layout.level(*var).index()] = true;
        }
        let seen = self.seen.clone().unwrap_or_else(|| store.empty());
        let short = store.project(set, &keep)?;
        let new = store.difference(&short, &seen)?;
        for stored in store.iter(&new) {
            budget.spend(1)?;
            let state = layout.decode_state(&stored);
            let mut path = Path::default();
            if path.run(system, program, |var| (state[var.index()], 0)) {
                let (shape, row) = row(system, layout, &path)?;
                self.tables.entry(shape).or_default().add(row);
            }
        }
        self.seen = Some(store.union(&seen, &new)?);
        Ok(())
    }

    /// Are its paths too many to be found from the values of its variables?
    pub(super) fn is_wide(&self) -> bool {
        self.wide
    }

    /// Runs a wide program in a state.
    pub(super) fn meet(
        &mut self,
        system: &System,
        layout: &Layout,
        program: (&Predicate, &[Effect]),
        state: &[Value],
    ) {
        let mut path = Path::default();
        if self.wide
            && path.run(system, program, |var| (state[var.index()], 0))
            // A value that cannot be stored is reported where a closure meets it.
            && let Ok((shape, row)) = row(system, layout, &path)
        {
            self.tables.entry(shape).or_default().add(row);
        }
    }

    /// What is known as events of another store with the same levels, and more below them if `below` says what the program does there.
    pub(super) fn copied(
        &self,
        system: &System,
        layout: &Layout,
        domains: &Domains,
        store: &mut Store,
        below: &[EventPart],
    ) -> Result<Vec<Event>, Stop> {
        let mut events = Vec::new();
        for (shape, table) in &self.tables {
            let mut parts = shape.parts(system, layout, domains, &table.rows)?;
            parts.extend_from_slice(below);
            events.extend(store.event(&parts)?);
        }
        Ok(events)
    }

    /// Makes the events of what has been found. True if one has changed.
    pub(super) fn make(
        &mut self,
        system: &System,
        layout: &Layout,
        domains: &Domains,
        store: &mut Store,
    ) -> Result<bool, Stop> {
        let mut news = false;
        for (shape, table) in &mut self.tables {
            let blind = shape.blind.iter();
            let under = blind.map(|(level, _)| domains.of(layout.order().var(*level)).len());
            table.begin(under.sum());
            if table.made == table.rows.len() {
                continue;
            }
            news = true;
            let parts = shape.parts(system, layout, domains, &table.rows[table.made..])?;
            let event = store.event(&parts)?;
            table.events.extend(event.map(|event| (table.made, event)));
            table.made = table.rows.len();
        }
        if news {
            let tables = self.tables.values();
            let events = tables.flat_map(|table| table.events.iter().map(|(_, event)| *event));
            self.events = events.collect();
        }
        Ok(news)
    }
}

/// A path as a row of the table that it belongs to.
fn row(system: &System, layout: &Layout, path: &Path) -> Result<(Shape, Vec<(u32, u32)>), Stop> {
    let mut reads = Vec::with_capacity(path.reads.len());
    for (var, value, _) in &path.reads {
        let level = layout.level(*var);
        let to = path.known(*var).unwrap_or(*value);
        let from = layout.encode(system, level, *value)?;
        reads.push((level, (from, layout.encode(system, level, to)?)));
    }
    reads.sort_unstable();
    let mut blind = Vec::new();
    for (var, value) in &path.writes {
        if !path.reads.iter().any(|(v, ..)| v == var) {
            let level = layout.level(*var);
            blind.push((level, layout.encode(system, level, *value)?));
        }
    }
    blind.sort_unstable();
    let (levels, row) = reads.into_iter().unzip();
    let wraps = path.wraps;
    Ok((
        Shape {
            levels,
            blind,
            wraps,
        },
        row,
    ))
}
