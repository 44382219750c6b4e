//! Statistics of a set of states: the numbers of states, steps and tokens.
//!
//! The diagram of the set is laid out level by level, and every figure is one sweep from the bottom
//! up: a vector with a number for every node of the current level is replaced by the vector of the
//! level above.
//!
//! Steps are counted without computing the sets in which events are enabled. The guard of an event
//! is a chain of conditions on levels (`≥ need`, `= value`, and a table has one chain per row); for
//! the chain `g` and a node `n` of level `l`,
//!
//! ```text
//! #(n, g) = number of suffixes below n that satisfy g
//!         = Σ { #(child, rest(g)) | edges (v, child) of n, v satisfies g here }   if g tests l
//!         = Σ { #(child, g) | edges of n }                                       otherwise
//! edges(n) = Σ { edges(child) | edges of n } + Σ { #(n, g) | g begins at l }
//! ```
//!
//! Equal ends of guards are shared. The cost is the number of edges of the diagram between the top
//! and the bottom of each guard. Numbers are 128 bits wide where the number of states permits, and
//! arbitrarily large otherwise.

use super::layout::LevelLayout;
use super::moves::EventRelations;
use lariat_budget::{Budget, Lease, Stop};
use lariat_dd::kernel::DdNode;
use lariat_dd::{Set, Store, UBig};
use lariat_model::order::Level;
use lariat_model::{Action, Domain, System, Value, VarId};
use rustc_hash::FxHashMap;

/// Statistics of a set of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicCounts {
    /// Number of states.
    pub states: UBig,
    /// Number of steps: pairs of a state and an event (or a matching row of its table). `None` if
    /// they were not requested.
    pub edges: Option<UBig>,
    /// Maximal number of tokens in one place.
    pub max_tokens_in_place: u64,
    /// Maximal number of tokens in all places together.
    pub max_tokens: u128,
    /// Nodes of the diagram.
    pub nodes: u64,
}

/// Computes the statistics of `set`; its steps, which take longest, are counted if `moves` is
/// given.
pub(super) fn census(
    system: &System,
    layout: &LevelLayout,
    moves: Option<&EventRelations>,
    store: &mut Store,
    set: &Set,
    budget: &Budget,
) -> Result<SymbolicCounts, Stop> {
    let mut diagram = Diagram::default();
    let mut meter = Meter {
        budget,
        lease: budget.lease(),
        kept: 0,
    };
    let root = set.node();
    let mut outcome = Ok(());
    store.run(|kernel| {
        let mut here = if root.is_empty() { vec![] } else { vec![root] };
        for level in 0..kernel.levels() {
            let mut below: FxHashMap<DdNode, u32> = FxHashMap::default();
            let mut next = Vec::new();
            let mut rows = Rows::default();
            for (at, node) in here.iter().enumerate() {
                for (value, child) in kernel.edges(*node) {
                    let id = *below.entry(child).or_insert_with(|| {
                        next.push(child);
                        next.len() as u32 - 1
                    });
                    rows.edges.push((value, id));
                }
                rows.ends.push(rows.edges.len() as u32);
                if at % POLL_INTERVAL == 0 {
                    outcome = meter.holds(rows.bytes() + next.len() * NODE_BYTES);
                    if outcome.is_err() {
                        return Ok(DdNode::EMPTY);
                    }
                }
            }
            here = next;
            meter.kept += rows.bytes();
            diagram.levels.push(rows);
            if level % 64 == 0 {
                outcome = meter.holds(here.len() * NODE_BYTES);
                if outcome.is_err() {
                    break;
                }
            }
        }
        Ok(DdNode::EMPTY)
    })?;
    outcome?;
    meter.holds(0)?;
    let (max_tokens_in_place, max_tokens) = diagram.tokens(system, layout, &mut meter)?;
    let states = diagram.states(&mut meter)?;
    let edges = if let Some(moves) = moves {
        let guards = Guards::new(system, layout, moves)?;
        // Upper bound on all partial counts.
        let most = &states * UBig::from(guards.count() + 1);
        Some(if u128::try_from(most).is_ok() {
            UBig::from(diagram.steps::<u128>(&guards, &mut meter)?)
        } else {
            diagram.steps::<UBig>(&guards, &mut meter)?
        })
    } else {
        None
    };
    Ok(SymbolicCounts {
        states,
        edges,
        max_tokens_in_place,
        max_tokens,
        nodes: diagram.levels.iter().map(|l| l.ends.len() as u64).sum(),
    })
}

/// Nodes of one level between two polls of the budget.
const POLL_INTERVAL: usize = 1 << 14;

/// Bytes of a node while its level is laid out: in the list, and in the index with its slack.
const NODE_BYTES: usize = 32;

struct Meter<'a> {
    budget: &'a Budget,
    lease: Lease,
    /// Bytes of the levels laid out.
    kept: usize,
}

impl Meter<'_> {
    /// Polls the budget, and leases `bytes` besides the levels laid out.
    fn holds(&mut self, bytes: usize) -> Result<(), Stop> {
        self.lease.resize(self.kept + bytes)?;
        self.budget.check()
    }
}

/// The edges of the nodes of a level, node by node.
#[derive(Default)]
struct Rows {
    ends: Vec<u32>,
    edges: Vec<(u32, u32)>,
}

impl Rows {
    fn bytes(&self) -> usize {
        self.edges.len() * size_of::<(u32, u32)>() + self.ends.len() * size_of::<u32>()
    }

    fn nodes(&self) -> impl Iterator<Item = &[(u32, u32)]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.edges[start as usize..*end as usize])
    }
}

#[derive(Default)]
struct Diagram {
    levels: Vec<Rows>,
}

trait Number: Clone + Send + From<u8> + for<'a> std::ops::AddAssign<&'a Self> {
    /// Bytes, including those on the heap.
    fn bytes(&self) -> usize;

    /// Returns whether no sum has exceeded the type.
    fn is_exact(&self) -> bool {
        true
    }
}
impl Number for u128 {
    fn bytes(&self) -> usize {
        size_of::<u128>()
    }
}
/// A number that stays at its maximum when a sum exceeds it.
#[derive(Clone, Copy, PartialEq)]
struct Capped(u128);

impl From<u8> for Capped {
    fn from(number: u8) -> Capped {
        Capped(number.into())
    }
}
impl std::ops::AddAssign<&Capped> for Capped {
    fn add_assign(&mut self, other: &Capped) {
        self.0 = self.0.saturating_add(other.0);
    }
}
impl Number for Capped {
    fn bytes(&self) -> usize {
        size_of::<Capped>()
    }

    fn is_exact(&self) -> bool {
        self.0 < u128::MAX
    }
}
impl Number for UBig {
    fn bytes(&self) -> usize {
        size_of::<UBig>() + size_of_val(self.as_words())
    }
}

/// For each node, the sum of the numbers of the targets of the edges that `admits` accepts; `held`
/// are the bytes of other numbers that exist at the same time.
fn lift<N: Number>(
    rows: &Rows,
    below: &[N],
    admits: impl Fn(u32) -> bool,
    held: usize,
    meter: &mut Meter<'_>,
) -> Result<Vec<N>, Stop> {
    let mut sums = Vec::with_capacity(rows.ends.len());
    let mut bytes = 0;
    for (at, edges) in rows.nodes().enumerate() {
        let mut sum = N::from(0);
        for (value, child) in edges {
            if admits(*value) {
                sum += &below[*child as usize];
            }
        }
        bytes += sum.bytes();
        sums.push(sum);
        if at % POLL_INTERVAL == 0 {
            meter.holds(held + bytes)?;
        }
    }
    Ok(sums)
}

fn bytes_of<N: Number>(numbers: &[N]) -> usize {
    numbers.iter().map(N::bytes).sum()
}

fn total<N: Number>(numbers: &[N]) -> N {
    numbers.iter().fold(N::from(0), |mut sum, number| {
        sum += number;
        sum
    })
}

impl Diagram {
    fn states(&self, meter: &mut Meter<'_>) -> Result<UBig, Stop> {
        if let Some(Capped(states)) = self.count(meter)? {
            return Ok(states.into());
        }
        Ok(self.count(meter)?.unwrap_or_default())
    }

    /// Counts the states; `None` if the number exceeds the type.
    fn count<N: Number>(&self, meter: &mut Meter<'_>) -> Result<Option<N>, Stop> {
        let mut below = vec![N::from(1u8)];
        for rows in self.levels.iter().rev() {
            below = lift(rows, &below, |_| true, bytes_of(&below), meter)?;
            // Each number counts a part of all states.
            if !below.iter().all(N::is_exact) {
                return Ok(None);
            }
        }
        Ok(Some(total(&below)).filter(N::is_exact))
    }

    fn tokens(
        &self,
        system: &System,
        layout: &LevelLayout,
        meter: &mut Meter<'_>,
    ) -> Result<(u64, u128), Stop> {
        let mut in_place = 0;
        let mut below = vec![0u128];
        for (level, rows) in self.levels.iter().enumerate().rev() {
            let level = Level(level as u32);
            let var = system.variable(layout.order().var(level));
            let counts = matches!(var.domain, Domain::Count { .. });
            let weight = |stored: u32| match u64::try_from(layout.decode(level, stored)) {
                Ok(value) if counts => value,
                _ => 0,
            };
            meter.holds((below.len() + rows.ends.len()) * size_of::<u128>())?;
            let mut most = Vec::with_capacity(rows.ends.len());
            for edges in rows.nodes() {
                let best = edges.iter().map(|(stored, child)| {
                    in_place = in_place.max(weight(*stored));
                    u128::from(weight(*stored)) + below[*child as usize]
                });
                most.push(best.max().unwrap_or(0));
            }
            below = most;
        }
        Ok((in_place, below.first().copied().unwrap_or(0)))
    }

    fn steps<N: Number>(&self, guards: &Guards, meter: &mut Meter<'_>) -> Result<N, Stop> {
        // The vector at the current level of every guard in which a higher one ends, with its
        // remaining uses.
        let mut active: FxHashMap<GuardId, (u32, Vec<N>)> = FxHashMap::default();
        active.insert(GuardId::END, (guards.uses[0], vec![N::from(1)]));
        let mut steps = vec![N::from(0)];
        for (level, rows) in self.levels.iter().enumerate().rev() {
            let kept = active.values().map(|(_, numbers)| bytes_of(numbers));
            let mut held = kept.sum::<usize>() + bytes_of(&steps);
            steps = lift(rows, &steps, |_| true, held, meter)?;
            held += bytes_of(&steps);
            let mut begun: Vec<(GuardId, Vec<N>)> = Vec::new();
            for &id in &guards.at_level[level] {
                let guard = guards.all[id.0 as usize];
                let Some((uses, below)) = active.get_mut(&guard.rest) else {
                    continue;
                };
                let admits = |value| guard.condition.admits(value);
                let here = lift(rows, below, admits, held, meter)?;
                held += bytes_of(&here);
                *uses -= 1;
                if *uses == 0 {
                    active.remove(&guard.rest);
                }
                let first = guards.events[id.0 as usize];
                for (sum, number) in steps.iter_mut().zip(&here) {
                    for _ in 0..first {
                        *sum += number;
                    }
                }
                begun.push((id, here));
            }
            for (_, numbers) in active.values_mut() {
                *numbers = lift(rows, numbers, |_| true, held, meter)?;
            }
            for (id, numbers) in begun {
                let uses = guards.uses[id.0 as usize];
                if uses > 0 {
                    active.insert(id, (uses, numbers));
                }
            }
        }
        let mut sum = total(&steps);
        if let Some((_, states)) = active.get(&GuardId::END) {
            for _ in 0..guards.events[0] {
                sum += &total(states);
            }
        }
        Ok(sum)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct GuardId(u32);

impl GuardId {
    const END: GuardId = GuardId(0);
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Condition {
    AtLeast(u32),
    Is(u32),
}

impl Condition {
    fn admits(self, value: u32) -> bool {
        match self {
            Condition::AtLeast(need) => value >= need,
            Condition::Is(wanted) => value == wanted,
        }
    }
}

/// A condition on a level, and the guard that remains below it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Guard {
    level: u32,
    condition: Condition,
    rest: GuardId,
}

/// The guards of all events, with shared ends.
struct Guards {
    all: Vec<Guard>,
    ids: FxHashMap<Guard, GuardId>,
    /// Number of guards that end in each; one more for the guard without conditions.
    uses: Vec<u32>,
    /// Number of events (rows) of which each is the whole guard.
    events: Vec<u32>,
    at_level: Vec<Vec<GuardId>>,
}

impl Guards {
    fn new(system: &System, layout: &LevelLayout, moves: &EventRelations) -> Result<Guards, Stop> {
        let end = Guard {
            level: u32::MAX,
            condition: Condition::AtLeast(0),
            rest: GuardId::END,
        };
        let mut guards = Guards {
            all: vec![end],
            ids: FxHashMap::default(),
            uses: vec![1],
            events: vec![0],
            at_level: vec![Vec::new(); layout.levels()],
        };
        let is = |var: VarId, value: Value| -> Result<(u32, Condition), Stop> {
            let level = layout.level(var);
            let stored = layout.encode(system, level, value)?;
            Ok((level.0, Condition::Is(stored)))
        };
        let sound = system.fault.map(|fault| is(fault, 0)).transpose()?;
        let mut conditions = Vec::new();
        for id in system.event_ids() {
            match &system.event(id).action {
                Action::Net(arcs) => {
                    for arc in arcs {
                        let level = layout.level(arc.var);
                        let need = arc.need.max(0).saturating_sub(layout.low(level));
                        match u32::try_from(need.max(0)) {
                            Ok(0) => {}
                            Ok(need) => conditions.push((level.0, Condition::AtLeast(need))),
                            // No state that a diagram can hold has that many.
                            Err(_) => conditions.push((level.0, Condition::Is(u32::MAX))),
                        }
                    }
                    conditions.extend(sound);
                    guards.event(&mut conditions);
                }
                Action::Table { vars, rows } => {
                    for row in rows {
                        for (var, cell) in vars.iter().zip(row) {
                            if let Some((from, _)) = cell {
                                conditions.push(is(*var, *from)?);
                            }
                        }
                        conditions.extend(sound);
                        guards.event(&mut conditions);
                    }
                }
                Action::Program { .. } | Action::Chain(_) => {
                    for path in moves.program(id).into_iter().flat_map(|p| p.conditions()) {
                        let path = path.into_iter();
                        conditions.extend(path.map(|(level, v)| (level.0, Condition::Is(v))));
                        guards.event(&mut conditions);
                    }
                }
            }
        }
        Ok(guards)
    }

    fn count(&self) -> u32 {
        self.events.iter().sum()
    }

    /// Adds the guard of an event or row with these conditions, which are taken.
    fn event(&mut self, conditions: &mut Vec<(u32, Condition)>) {
        conditions.sort_unstable_by_key(|(level, _)| *level);
        let mut guard = GuardId::END;
        for (level, condition) in conditions.drain(..).rev() {
            let link = Guard {
                level,
                condition,
                rest: guard,
            };
            guard = match self.ids.get(&link) {
                Some(id) => *id,
                None => {
                    let id = GuardId(self.all.len() as u32);
                    self.uses[guard.0 as usize] += 1;
                    self.all.push(link);
                    self.uses.push(0);
                    self.events.push(0);
                    self.ids.insert(link, id);
                    self.at_level[level as usize].push(id);
                    id
                }
            };
        }
        self.events[guard.0 as usize] += 1;
    }
}
