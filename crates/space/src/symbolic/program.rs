//! A program as a relation, learned path by path.
//!
//! A run of a program from its guard to its last assignment reads some variables in sequence, and
//! which one it reads next depends on the values read: the runs are the paths of a decision tree. A
//! path fixes the values of its variables and assigns some, so it is a row of a table over exactly
//! these variables. All others are unchanged, and an assignment to a variable that was not read
//! applies to any value of it.
//!
//! ```text
//! R = ⋃ { {(s, s[writes(π)]) | s agrees with reads(π)} | π a path }
//! ```
//!
//! A path is valid wherever it applies, so superfluous paths are harmless. Paths are found over the
//! known values of every variable, by repeating the program with the next choice of values. That
//! visits combinations that no state has, but it needs no access to the states, and it finds the
//! values that are written next. If combinations are too many, the program is *wide*: then the
//! states are projected on the variables that it may access, and it runs on each new short vector
//! (as in Meijer, Kant, Blom, van de Pol: Read, write and copy dependencies for symbolic model
//! checking, HVC 2014); and its paths in the single states of a walk (`walk.rs`) are known before
//! closures need them.
//!
//! Paths over the same levels with the same blind assignments share a table. An exploration that is
//! stopped leaves valid paths, so it can be resumed.

use super::layout::LevelLayout;
use lariat_budget::{Budget, Stop};
use lariat_dd::{EventPart, EventRelation, Set, Store};
use lariat_model::order::Level;
use lariat_model::{
    Action, Assignment, Chain, Comparison, EvalError, EventId, Predicate, System, Value, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A program with more paths is wide.
const WIDE: usize = 256;

/// Limit on the values per variable that are expected although no state has them.
const AHEAD: usize = 6;

/// The source of a program: a guard and effects, in their system.
#[derive(Clone, Copy)]
pub(super) struct GuardedCommand<'s> {
    system: &'s System,
    guard: &'s Predicate,
    effects: &'s [Assignment],
    /// The chain that the guard and the effects begin.
    chain: Option<&'s Chain>,
}

impl<'s> GuardedCommand<'s> {
    /// The source of an event that is a program.
    pub(super) fn of(system: &'s System, event: EventId) -> Option<GuardedCommand<'s>> {
        match &system.event(event).action {
            Action::Program { guard, effects } => Some(GuardedCommand {
                system,
                guard,
                effects,
                chain: None,
            }),
            Action::Chain(chain) => Some(GuardedCommand {
                system,
                guard: &chain.guard,
                effects: &chain.effects,
                chain: Some(chain),
            }),
            _ => None,
        }
    }
}

#[derive(Default)]
pub(super) struct Domains(Vec<KnownValues>);

/// The known values of one variable.
#[derive(Clone, Default)]
struct KnownValues {
    /// In the order of discovery.
    values: Vec<Value>,
    /// For each value, whether a state has it.
    occurs: FxHashMap<Value, bool>,
    occurring: usize,
}

impl Domains {
    pub(super) fn new(system: &System) -> Domains {
        Domains(vec![KnownValues::default(); system.variables.len()])
    }

    fn values_of(&self, var: VarId) -> &[Value] {
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

    /// Adds a value that a path writes, unless too many known values occur in no state. Returns
    /// whether it is new.
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
pub(super) struct LearnedProgram {
    /// Variables that it may read or write.
    vars: Vec<VarId>,
    /// Number of values tried of each, if any.
    tried: Option<Vec<usize>>,
    wide: bool,
    /// Of a wide program, the short vectors on which it has run, 0 at other levels.
    seen: Option<Set>,
    tables: BTreeMap<Shape, Table>,
    events: Vec<EventRelation>,
}

/// Common properties of the paths in a table.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    /// Levels read, from the top.
    levels: Vec<Level>,
    /// Levels written without being read, and the stored values written.
    blind: Vec<(Level, u32)>,
    /// A variable that is assigned a value beyond its range.
    wraps: Option<VarId>,
}

impl Shape {
    /// Rows of this shape as parts of an event; blind assignments apply to all known values.
    fn parts(
        &self,
        system: &System,
        layout: &LevelLayout,
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
            let values = domains.values_of(layout.order().var(*level)).iter();
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

/// Rows, and the events built from them.
///
/// Rows are found a few at a time, and building an event takes time linear in its rows. So there
/// are several events, each with more than twice the rows of the next.
#[derive(Default)]
struct Table {
    rows: Vec<Vec<(u32, u32)>>,
    known: FxHashSet<Vec<(u32, u32)>>,
    /// The events, each with the index of its first row; they extend to the first row of the next.
    events: Vec<(usize, EventRelation)>,
    /// Number of rows covered by events.
    made: usize,
    /// Number of values under blind assignments when the events were built.
    under: usize,
}

impl Table {
    fn add(&mut self, row: Vec<(u32, u32)>) {
        if self.known.insert(row.clone()) {
            self.rows.push(row);
        }
    }

    /// Drops events that are to be rebuilt; the rows to be built start at `made`.
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

#[derive(Default)]
struct Path {
    /// Variables read, with their values and the positions of these in the domains.
    reads: Vec<(VarId, Value, usize)>,
    writes: Vec<(VarId, Value)>,
    /// A variable that was assigned a value beyond its range.
    wraps: Option<VarId>,
}

impl Path {
    /// The value of a variable that was written or read.
    fn known(&self, var: VarId) -> Option<Value> {
        let written = self.writes.iter().rev().find(|(v, _)| *v == var);
        let read = || self.reads.iter().find(|(v, ..)| *v == var);
        written
            .map(|(_, value)| *value)
            .or_else(|| read().map(|(_, value, _)| *value))
    }

    /// Moves to the next value of the last variable that has one; false after the last path.
    fn advance(&mut self, domains: &Domains) -> bool {
        while let Some((var, value, position)) = self.reads.last_mut() {
            *position += 1;
            if let Some(next) = domains.values_of(*var).get(*position) {
                *value = *next;
                return true;
            }
            self.reads.pop();
        }
        false
    }

    /// Runs the program. `choose` returns the value and its position of a variable that is not on
    /// the path yet. Returns what it writes, several times for a chain with alternatives; nothing
    /// if the guard does not hold.
    fn run(
        &mut self,
        command: GuardedCommand<'_>,
        choose: impl Fn(VarId) -> (Value, usize),
    ) -> Vec<Vec<(VarId, Value)>> {
        self.writes.clear();
        self.wraps = None;
        let failure = command.system.fault.map(|fault| vec![(fault, 1)]);
        if let Some(chain) = command.chain {
            let (ends, fails) = self.run_chain(command.system, chain, choose);
            return ends.into_iter().chain(failure.filter(|_| fails)).collect();
        }
        match self.try_run(command, choose) {
            Ok(true) => vec![std::mem::take(&mut self.writes)],
            Ok(false) => Vec::new(),
            Err(_) => {
                self.wraps = None;
                failure.into_iter().collect()
            }
        }
    }

    /// The ends of a chain, and whether it fails.
    fn run_chain(
        &mut self,
        system: &System,
        chain: &Chain,
        choose: impl Fn(VarId) -> (Value, usize),
    ) -> (Vec<Vec<(VarId, Value)>>, bool) {
        let mut read = |var: VarId| {
            self.known(var).unwrap_or_else(|| {
                let (value, position) = choose(var);
                self.reads.push((var, value, position));
                value
            })
        };
        if system.fault.is_some_and(|fault| read(fault) != 0) {
            return (Vec::new(), false);
        }
        let found = chain.ends(|var, value| system.wrap(var, value), read);
        (found.ends, found.fails)
    }

    fn try_run(
        &mut self,
        command: GuardedCommand<'_>,
        choose: impl Fn(VarId) -> (Value, usize),
    ) -> Result<bool, EvalError> {
        let GuardedCommand {
            system,
            guard,
            effects,
            ..
        } = command;
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
            match self.writes.iter_mut().find(|(v, _)| *v == var) {
                Some(write) => write.1 = wrapped,
                None => self.writes.push((var, wrapped)),
            }
        }
        Ok(true)
    }
}

/// Returns whether a guard that is not an expression holds.
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
        // Programs with such guards are rejected.
        Predicate::Enabled(_) | Predicate::Deadlock => false,
    }
}

impl LearnedProgram {
    pub(super) fn new(system: &System, action: &Action) -> LearnedProgram {
        let mut vars = action.reads();
        vars.extend(action.writes());
        vars.extend(system.fault);
        vars.sort_unstable();
        vars.dedup();
        LearnedProgram {
            vars,
            tried: None,
            wide: false,
            seen: None,
            tables: BTreeMap::new(),
            events: Vec::new(),
        }
    }

    pub(super) fn events(&self) -> &[EventRelation] {
        &self.events
    }

    /// Condition of each known path: stored values by level, from the top.
    pub(super) fn conditions(&self) -> impl Iterator<Item = Vec<(Level, u32)>> {
        self.tables.iter().flat_map(|(shape, table)| {
            table.rows.iter().map(|row| {
                let froms = row.iter().map(|(from, _)| *from);
                shape.levels.iter().copied().zip(froms).collect()
            })
        })
    }

    /// The events that assign a variable a value beyond its range, with the variable.
    pub(super) fn wrapping(&self) -> impl Iterator<Item = (VarId, EventRelation)> {
        self.tables.iter().flat_map(|(shape, table)| {
            let events = table.events.iter().map(|(_, event)| *event);
            events.filter_map(|event| Some((shape.wraps?, event)))
        })
    }

    pub(super) fn bytes(&self) -> usize {
        let tables = self.tables.iter();
        let bytes = tables.map(|(shape, table)| {
            let levels = shape.levels.len() + shape.blind.len();
            (levels * 8 + 64) * (table.rows.len() + 1)
        });
        bytes.sum()
    }

    /// Finds the paths over all values in `domains`; appends the values that they write to
    /// `writes`.
    pub(super) fn explore(
        &mut self,
        command: GuardedCommand<'_>,
        layout: &LevelLayout,
        domains: &Domains,
        writes: &mut Vec<(VarId, Value)>,
    ) {
        let sizes = self.vars.iter().map(|v| domains.values_of(*v).len());
        let sizes: Vec<usize> = sizes.collect();
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
            let ends = path.run(command, |var| (domains.values_of(var)[0], 0));
            let again = path.reads.iter().all(|(var, _, at)| old(*var, *at));
            for end in ends {
                if before.is_some() && again {
                    break;
                }
                path.writes = end;
                match row(command.system, layout, &path) {
                    Ok(row) => found.push(row),
                    // Perhaps no state takes this path; the short vectors decide.
                    Err(_) => self.wide = true,
                }
                writes.extend_from_slice(&path.writes);
            }
            if self.wide {
                break;
            }
            path.writes.clear();
            if !path.advance(domains) {
                break;
            }
        }
        for (shape, row) in found {
            self.tables.entry(shape).or_default().add(row);
        }
    }

    /// Runs a wide program on the projections of the states of `set`.
    pub(super) fn look(
        &mut self,
        command: GuardedCommand<'_>,
        layout: &LevelLayout,
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
            for end in path.run(command, |var| (state[var.index()], 0)) {
                path.writes = end;
                let (shape, row) = row(command.system, layout, &path)?;
                self.tables.entry(shape).or_default().add(row);
            }
        }
        self.seen = Some(store.union(&seen, &new)?);
        Ok(())
    }

    /// Returns whether it has too many paths to find them from the values of its variables.
    pub(super) fn is_wide(&self) -> bool {
        self.wide
    }

    pub(super) fn meet(
        &mut self,
        command: GuardedCommand<'_>,
        layout: &LevelLayout,
        state: &[Value],
    ) {
        if !self.wide {
            return;
        }
        let mut path = Path::default();
        for end in path.run(command, |var| (state[var.index()], 0)) {
            path.writes = end;
            // A value that cannot be stored is reported when a closure reaches it.
            if let Ok((shape, row)) = row(command.system, layout, &path) {
                self.tables.entry(shape).or_default().add(row);
            }
        }
    }

    /// The known paths as events of another store with the same levels, with the parts `below` on
    /// further levels below them.
    pub(super) fn copied(
        &self,
        system: &System,
        layout: &LevelLayout,
        domains: &Domains,
        store: &mut Store,
        below: &[EventPart],
    ) -> Result<Vec<EventRelation>, Stop> {
        let mut events = Vec::new();
        for (shape, table) in &self.tables {
            let mut parts = shape.parts(system, layout, domains, &table.rows)?;
            parts.extend_from_slice(below);
            events.extend(store.event(&parts)?);
        }
        Ok(events)
    }

    /// Builds the events of new rows; returns whether one has changed.
    pub(super) fn make(
        &mut self,
        system: &System,
        layout: &LevelLayout,
        domains: &Domains,
        store: &mut Store,
    ) -> Result<bool, Stop> {
        let mut news = false;
        for (shape, table) in &mut self.tables {
            let blind = shape.blind.iter();
            let under = blind.map(|(level, _)| domains.values_of(layout.order().var(*level)).len());
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

/// A path as a row, and the shape of its table.
fn row(
    system: &System,
    layout: &LevelLayout,
    path: &Path,
) -> Result<(Shape, Vec<(u32, u32)>), Stop> {
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
    let shape = Shape {
        levels,
        blind,
        wraps: path.wraps,
    };
    Ok((shape, row))
}
