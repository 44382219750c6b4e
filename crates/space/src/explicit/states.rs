//! A worker's state table: the states found, by it or by several workers, and the state in *focus*.
//!
//! For the state in focus all derived data are available: values, packed form, hash, enabled
//! transitions, observed predicates that hold. The focus moves by the differences between states,
//! so that a step of a depth-first search, forwards or back, takes time linear in its changes, and
//! so does the move to the next state in the order of discovery. A successor is never
//! materialized: it is looked up by the cells in which it differs.

use super::enabled::EnabledSet;
use super::layout::{Field, PackedLayout};
use super::net::CompiledNet;
use super::observed::{CompiledPredicate, Tallies};
use super::overflow::OverflowVectors;
use super::prefetch::PrefetchHistory;
use super::quotient::TokenScratch;
use super::shared_store::SharedStore;
use super::sourced::SourcedStates;
use super::store::{ExplicitStateId, PackedView, StateStore};
use super::tree::CellChange;
use super::{Explicit, Observed, PrefetchBuffer};
use lariat_budget::{Budget, Stop};
use lariat_model::{State, Value, VarId};
use lariat_parallel::Outside;
use std::sync::Arc;

/// Lookups between two polls of the budget: well below a millisecond.
const STEPS_PER_CHECK: u32 = 1024;

/// The states found so far, as seen by one worker.
#[derive(Debug)]
pub struct StateTable {
    /// The states, if the system has a source; nothing else is stored then.
    pub(super) sourced: Option<SourcedStates>,
    pub(super) layout: Arc<PackedLayout>,
    pub(super) store: StateStore,
    pub(super) overflow_vectors: OverflowVectors,
    pub(super) focus: Focus,
    pub(super) scratch: SuccessorScratch,
    pub(super) ahead: PrefetchBuffer,
    pub(super) marked: TokenScratch,
    pub(super) prefetch_history: PrefetchHistory,
    budget: Budget,
    /// Steps since the last poll of the budget.
    steps: u32,
    /// The first variable that was assigned a value beyond its range.
    overflow: Option<VarId>,
    pub(super) cut_off: CutOff,
    is_sealed: bool,
}

/// The cut-off of successors by net transitions with more than `most` tokens in a place.
#[derive(Debug)]
pub(super) struct CutOff {
    most: Value,
    /// True if states all of whose values fit their fields may be cut off.
    in_words: bool,
    pub seen: Cut,
}

/// The state in focus: initially one whose cells are all 0, which need not exist.
#[derive(Debug)]
pub(super) struct Focus {
    pub id: Option<ExplicitStateId>,
    pub values: Vec<Value>,
    pub view: PackedView,
    /// Σ wᵢ·cᵢ over the cells.
    pub sum: u64,
    /// Absent for a net that is small enough to test each transition.
    enabled: Option<EnabledSet>,
    /// The variables that the last move changed, with their old values.
    pub changed: Vec<(u32, Value)>,
    /// Values of the tallies of observed predicates.
    pub tallies: Tallies,
    /// Bits of the observed predicates that hold, except for the stale ones.
    truth: u64,
    stale: u64,
}

impl Focus {
    #[inline]
    pub fn has(&self, net: &CompiledNet, t: u32) -> bool {
        match &self.enabled {
            Some(enabled) => enabled.has(t),
            None => net.lacks(t, &self.values).is_none(),
        }
    }

    /// First enabled transition from number `from` on.
    #[inline]
    pub fn find(&self, net: &CompiledNet, from: u32) -> Option<u32> {
        match &self.enabled {
            Some(enabled) => enabled.find(from),
            None => (from..net.len() as u32).find(|t| net.lacks(*t, &self.values).is_none()),
        }
    }

    pub fn count(&self) -> Option<usize> {
        self.enabled.as_ref().map(EnabledSet::count)
    }

    #[inline]
    pub fn list(&self, net: &CompiledNet, all: &mut Vec<u32>) {
        match &self.enabled {
            Some(enabled) => enabled.list(all),
            None => {
                let enabled = |t: &u32| net.lacks(*t, &self.values).is_none();
                all.extend((0..net.len() as u32).filter(enabled));
            }
        }
    }
}

/// Occurrence of cut-off successors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Cut {
    #[default]
    Never,
    Before,
    /// Since [`Explicit::next`] last tested it.
    Now,
}

/// Buffers for one successor.
#[derive(Debug, Default)]
pub(super) struct SuccessorScratch {
    /// Variables and their new values.
    pub assigned: Vec<(u32, Value)>,
    /// Cells in which the successor differs, in descending order, and the sum over all its cells.
    pub changes: Vec<CellChange>,
    pub sum: u64,
    /// Operand stack and undo log of compiled code.
    pub stack: Vec<Value>,
    pub undo: Vec<(u32, Value)>,
    /// Cells that differ between two states, and variables in them.
    cells: Vec<(u32, u32, u32)>,
    vars: Vec<u32>,
}

impl StateTable {
    pub(super) fn new(space: &Explicit<'_>, budget: &Budget) -> StateTable {
        let store = StateStore::new(&space.layout, budget);
        let overflow_vectors = OverflowVectors::new(space.layout.fields.len(), budget);
        StateTable::with_store(space, store, overflow_vectors, budget)
    }

    /// One table per worker, at least one; all share the states and their ids.
    pub(super) fn common(space: &Explicit<'_>, workers: usize, budget: &Budget) -> Vec<StateTable> {
        let common = SharedStore::new(&space.layout, budget);
        let overflow_vectors = OverflowVectors::new(space.layout.fields.len(), budget);
        let others = (1..workers).map(|_| (common.another(), overflow_vectors.another()));
        let others: Vec<_> = others.collect();
        let all = std::iter::once((common, overflow_vectors)).chain(others);
        let first = { space.system.source.as_ref() }.map(|s| SourcedStates::new(s, budget));
        all.map(|(mut common, overflow_vectors)| {
            common.rest();
            let store = StateStore::Shared(Box::new(common));
            StateTable {
                sourced: first.as_ref().map(SourcedStates::another),
                ..StateTable::with_store(space, store, overflow_vectors, budget)
            }
        })
        .collect()
    }

    fn with_store(
        space: &Explicit<'_>,
        store: StateStore,
        overflow_vectors: OverflowVectors,
        budget: &Budget,
    ) -> StateTable {
        let layout = space.layout.clone();
        let values: Vec<Value> = layout.fields.iter().map(|field| field.low).collect();
        let moves = &space.moves;
        let enabled = (moves.words.is_none()).then(|| EnabledSet::new(&moves.net, &values));
        StateTable {
            sourced: { space.system.source.as_ref() }.map(|s| SourcedStates::new(s, budget)),
            store,
            overflow_vectors,
            focus: Focus {
                id: None,
                view: PackedView::default(),
                sum: 0,
                tallies: space.observed.tallies(&values, enabled.as_ref()),
                enabled,
                values,
                changed: Vec::new(),
                truth: 0,
                stale: u64::MAX,
            },
            layout,
            scratch: SuccessorScratch::default(),
            ahead: PrefetchBuffer::default(),
            marked: TokenScratch::default(),
            prefetch_history: PrefetchHistory::default(),
            budget: budget.clone(),
            steps: 0,
            overflow: None,
            cut_off: CutOff {
                most: Value::MAX,
                in_words: false,
                seen: Cut::Never,
            },
            is_sealed: false,
        }
    }

    /// Leaves the shared section of the store until [`resume`](StateTable::resume); no other call
    /// is allowed in between. Each of [several workers](Explicit::workers) must rest while it has
    /// nothing to do or waits for another: a growing store waits for all workers in the shared
    /// section.
    pub fn rest(&mut self) {
        if let Some(shared) = self.store.shared() {
            shared.rest();
        }
    }

    /// Leaves the shared section, and returns the permission to wait for other threads.
    pub fn outside<'a>(&'a mut self, budget: &'a Budget) -> Outside<'a> {
        self.rest();
        Outside::of_thread(budget)
    }

    /// Enters the shared section again after a [rest](StateTable::rest).
    pub fn resume(&mut self) {
        if let Some(shared) = self.store.shared() {
            shared.resume();
        }
    }

    /// Yields to a worker that waits for exclusive access to the store. To be called regularly by a
    /// worker that makes no other call for a while.
    pub fn yield_to_writer(&mut self) {
        if let Some(shared) = self.store.shared() {
            shared.yield_to_writer();
        }
    }

    /// Starts collecting the states that this worker is the first to find, for
    /// [`take_new`](StateTable::take_new).
    pub(super) fn keep_new(&mut self) {
        if let Some(shared) = self.store.shared() {
            shared.keep_new();
        }
    }

    /// Appends the states collected since the last call.
    #[inline]
    pub(super) fn take_new(&mut self, new: &mut Vec<ExplicitStateId>) {
        if let Some(shared) = self.store.shared() {
            shared.take_new(new);
        }
    }

    /// Upper bound on the ids of the states found; [`is_known`](StateTable::is_known) identifies
    /// the gaps.
    pub fn end(&self) -> usize {
        match &self.sourced {
            Some(sourced) => sourced.len(),
            None => self.store.end(),
        }
    }

    /// Returns whether this is a state. With several workers, valid for the last remaining table.
    pub fn is_known(&self, state: ExplicitStateId) -> bool {
        match &self.sourced {
            Some(sourced) => state.index() < sourced.len(),
            None => self.store.is_known(state.0),
        }
    }

    /// Merges the flags of another worker on the same store: cut-off successors and overflows.
    pub fn learn(&mut self, other: &StateTable) {
        if other.was_cut() {
            self.cut_off.seen = Cut::Before;
        }
        if let Some(var) = other.overflow {
            self.overflows(var);
        }
    }

    /// Records that a variable was assigned a value beyond its range.
    pub(super) fn overflows(&mut self, var: VarId) {
        let known = self.overflow.get_or_insert(var);
        if self.store.is_common() {
            // The order of the workers is not deterministic: keeps the least variable.
            *known = var.min(*known);
        }
    }

    /// Number of states found; approximate while other workers are at work.
    pub fn len(&self) -> usize {
        match &self.sourced {
            Some(sourced) => sourced.len(),
            None => self.store.len(),
        }
    }

    /// Returns whether no state has been found.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Permits cutting off successors by net transitions with more than `most` tokens in a place:
    /// the states found remain valid, but are not all. For nets that may be unbounded.
    pub fn cut_above(&mut self, most: Value) {
        // The largest number with the bits of `most`.
        let bits = 64 - most.max(1).leading_zeros();
        self.cut_off.most = Value::MAX >> (63 - bits);
        let widest = self.layout.fields.iter().map(|field| field.width).max();
        self.cut_off.in_words = bits < u32::from(widest.unwrap_or(0));
    }

    /// Returns whether a successor has been cut off.
    pub fn was_cut(&self) -> bool {
        self.cut_off.seen != Cut::Never
    }

    /// Adds no states from now on: steps to unknown states are omitted.
    pub fn seal(&mut self) {
        self.is_sealed = true;
        if let Some(sourced) = &mut self.sourced {
            sourced.seal();
        }
    }

    /// The values of all variables in `state`.
    pub fn get(&self, state: ExplicitStateId) -> State {
        if let Some(sourced) = &self.sourced {
            return sourced.get(state);
        }
        if self.focus.id == Some(state) {
            return self.focus.values.as_slice().into();
        }
        let cells = self.store.get(state.0);
        let upper = self.overflow_vectors.get(cells[self.layout.cells]);
        let fields = self.layout.fields.iter().zip(0..);
        let value =
            |(field, var): (&Field, u32)| field.join(cells[field.cell as usize], upper(var));
        fields.map(value).collect()
    }

    /// Bits of one packed state.
    pub fn packed_bits(&self) -> usize {
        self.layout.bits()
    }

    /// The first variable that was assigned a value beyond its range, which was wrapped around.
    pub fn overflow(&self) -> Option<VarId> {
        self.overflow
    }

    /// Bytes held for states and their hash table.
    pub fn bytes(&self) -> u64 {
        let sourced = self.sourced.as_ref().map_or(0, SourcedStates::bytes);
        self.store.bytes() + self.overflow_vectors.bytes() + sourced as u64
    }

    /// Enters the shared section and initializes the view. To be called first; also allowed after a
    /// [rest](StateTable::rest).
    pub fn open(&mut self) -> Result<(), Stop> {
        self.resume();
        if self.focus.view.is_empty() {
            self.focus.view = self.store.zero(&self.layout)?;
        }
        Ok(())
    }

    /// Counts a step; polls the budget and yields to waiting workers from time to time.
    #[inline]
    pub(super) fn tick(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps >= STEPS_PER_CHECK {
            self.steps = 0;
            self.yield_to_writer();
            self.budget.check()?;
        }
        Ok(())
    }

    /// Moves the focus to `state`.
    #[inline]
    pub(super) fn load(&mut self, space: &Explicit<'_>, state: ExplicitStateId) {
        if self.focus.id == Some(state) {
            self.focus.changed.clear();
            return;
        }
        let (focus, layout) = (&mut self.focus, &*self.layout);
        let SuccessorScratch { cells, vars, .. } = &mut self.scratch;
        cells.clear();
        let changed = |cell, old, new| cells.push((cell, old, new));
        self.store.load(&mut focus.view, state.0, changed);
        vars.clear();
        for (cell, old, new) in cells.iter().copied() {
            focus.sum = focus.sum.wrapping_add(layout.weigh(cell, old, new));
            if cell == layout.overflow_id() {
                self.overflow_vectors.load(new, |var| vars.push(var));
                continue;
            }
            let mut bits = old ^ new;
            while bits != 0 {
                let var = layout.owners[cell as usize * 32 + bits.trailing_zeros() as usize];
                bits &= !layout.fields[var as usize].mask();
                vars.push(var);
            }
        }
        focus.changed.clear();
        for var in vars.iter().copied() {
            let field = layout.fields[var as usize];
            let upper = self.overflow_vectors.upper(var);
            let new = field.join(focus.view.cell(field.cell), upper);
            let old = std::mem::replace(&mut focus.values[var as usize], new);
            // A variable may be reported by its cell and by the overflow id.
            if old != new {
                focus.changed.push((var, old));
                focus.stale |= space.observed.readers(var);
                space.observed.change(&mut focus.tallies, var, old, new);
            }
        }
        focus.stale |= space.observed.volatile;
        let net = &space.moves.net;
        if let Some(enabled) = &mut focus.enabled {
            let mut flipped = |t, more| space.observed.flip(&mut focus.tallies, t, more);
            enabled.follow(net, &focus.values, &focus.changed, &mut flipped);
        }
        focus.id = Some(state);
    }

    /// The word of a state of a small net; `None` if it has to take the general path.
    #[inline]
    pub(super) fn word(&self, state: ExplicitStateId) -> Option<u64> {
        match &self.store {
            StateStore::Word(vectors, _) if !self.cut_off.in_words => {
                let (word, overflow_id) = vectors.word(state.0);
                (overflow_id == 0).then_some(word)
            }
            StateStore::Shared(common) if !self.cut_off.in_words => common.word(state.0),
            _ => None,
        }
    }

    /// Id of a state that is a word; `None` if it is unknown and the table is sealed.
    #[inline]
    pub(super) fn reach_word(&mut self, word: u64) -> Result<Option<ExplicitStateId>, Stop> {
        self.tick()?;
        if self.is_sealed {
            return Ok(self.find_word(word));
        }
        let id = match &mut self.store {
            StateStore::Word(vectors, _) => vectors.intern_word(word, 0)?.0,
            StateStore::Shared(common) => common.intern_word(word, 0)?,
            _ => unreachable!("only words are fired as words"),
        };
        Ok(Some(ExplicitStateId(id)))
    }

    /// Id of a state that is a word, if it is known.
    #[inline]
    pub(super) fn find_word(&self, word: u64) -> Option<ExplicitStateId> {
        let id = match &self.store {
            StateStore::Word(vectors, _) => vectors.find_word(word, 0),
            StateStore::Shared(common) => common.find_word(word, 0),
            _ => None,
        };
        id.map(ExplicitStateId)
    }

    /// Bits of the observed predicates that hold in the state in focus.
    pub(super) fn truth(
        &mut self,
        observed: &Observed<'_>,
        holds: impl Fn(&CompiledPredicate<'_>, &Focus) -> bool,
    ) -> u64 {
        let focus = &mut self.focus;
        for (bit, predicate) in &observed.predicates {
            if focus.stale & bit != 0 {
                if holds(predicate, focus) {
                    focus.truth |= bit
                } else {
                    focus.truth &= !bit
                }
            }
        }
        focus.stale = 0;
        focus.truth
    }

    /// Prepares the successor by transition `t`; false if it is cut off.
    #[inline]
    pub(super) fn fire(&mut self, space: &Explicit<'_>, t: u32) -> Result<bool, Stop> {
        let net = &space.moves.net;
        let focus = &self.focus;
        for put in net.puts(t) {
            let old = focus.values[put.var as usize];
            let new = old.wrapping_add(put.delta);
            if put.field.overflows(old, new) || new > self.cut_off.most {
                return self.fire_wide(space, net, t);
            }
        }
        let changes = &mut self.scratch.changes;
        changes.clear();
        // No carry: every new value fits its field.
        let cells = net.cells(t).iter();
        changes.extend(
            cells.map(|(cell, added)| (*cell, focus.view.cell(*cell).wrapping_add(*added))),
        );
        self.scratch.sum = focus.sum.wrapping_add(net.transitions[t as usize].weight);
        Ok(true)
    }

    /// [`fire`](StateTable::fire) where upper bits change, or a place has too many tokens.
    #[cold]
    fn fire_wide(&mut self, space: &Explicit<'_>, net: &CompiledNet, t: u32) -> Result<bool, Stop> {
        self.scratch.assigned.clear();
        for put in net.puts(t) {
            let old = self.focus.values[put.var as usize];
            let new = old.checked_add(put.delta).ok_or_else(|| {
                let name = &space.system.variable(VarId(put.var)).name;
                Stop::Bound(format!("`{name}` exceeds 2^63"))
            })?;
            if put.delta > 0 && new > self.cut_off.most {
                self.cut_off.seen = Cut::Now;
                return Ok(false);
            }
            self.scratch.assigned.push((put.var, new));
        }
        self.pack()?;
        Ok(true)
    }

    /// Prepares the successor with the assigned values.
    pub(super) fn pack(&mut self) -> Result<(), Stop> {
        let (focus, layout) = (&self.focus, &*self.layout);
        let SuccessorScratch {
            assigned, changes, ..
        } = &mut self.scratch;
        // By cells, in descending order; fields without bits are in none.
        let cell = |var: &u32| layout.fields[*var as usize].cell;
        assigned.sort_unstable_by_key(|(var, _)| std::cmp::Reverse(cell(var)));
        changes.clear();
        let mut overflow_vectors = false;
        for (var, new) in assigned.iter().copied() {
            let field = layout.fields[var as usize];
            overflow_vectors |= field.overflows(focus.values[var as usize], new);
            if field.width == 0 {
                continue;
            }
            if changes.last().is_none_or(|(cell, _)| *cell != field.cell) {
                changes.push((field.cell, focus.view.cell(field.cell)));
            }
            if let Some((_, cell)) = changes.last_mut() {
                *cell = *cell & !field.mask() | field.split(new).0;
            }
        }
        if overflow_vectors {
            let upper =
                |(var, new): &(u32, Value)| (*var, layout.fields[*var as usize].split(*new).1);
            let new = self.overflow_vectors.with(assigned.iter().map(upper))?;
            changes.insert(0, (layout.overflow_id(), new));
        }
        changes.retain(|(cell, new)| focus.view.cell(*cell) != *new);
        self.scratch.sum = changes.iter().fold(focus.sum, |sum, (cell, new)| {
            sum.wrapping_add(layout.weigh(*cell, focus.view.cell(*cell), *new))
        });
        Ok(())
    }

    #[inline]
    pub(super) fn next_hash(&self) -> u32 {
        let SuccessorScratch { changes, sum, .. } = &self.scratch;
        self.store.hash(&self.focus.view, changes, *sum)
    }

    /// Id of the prepared successor; `None` if it is unknown and the table is sealed.
    #[inline]
    pub(super) fn reach(&mut self) -> Result<Option<ExplicitStateId>, Stop> {
        if self.is_sealed {
            self.find()
        } else {
            self.intern().map(Some)
        }
    }

    #[cold]
    fn find(&mut self) -> Result<Option<ExplicitStateId>, Stop> {
        self.tick()?;
        let SuccessorScratch { changes, sum, .. } = &self.scratch;
        let found = self.store.find(&self.focus.view, changes, *sum);
        Ok(found.map(ExplicitStateId))
    }

    #[inline]
    pub(super) fn intern(&mut self) -> Result<ExplicitStateId, Stop> {
        self.tick()?;
        let SuccessorScratch { changes, sum, .. } = &self.scratch;
        if let (true, Some(id)) = (changes.is_empty(), self.focus.id) {
            return Ok(id);
        }
        let id = self.store.intern(&mut self.focus.view, changes, *sum)?;
        Ok(ExplicitStateId(id))
    }
}
