//! The store shared by several workers: one table, one id per state; lookups take no lock.
//!
//! As with one worker, narrow states are words or vectors of words, and wide states are trees. A
//! worker writes the contents into arrays that grow without moving
//! ([`Segments`](lariat_parallel::Segments)), then publishes the id in a hash table
//! ([`Slots`](lariat_parallel::Slots)) with release ordering; a thread that reads the id there with
//! acquire ordering sees the contents. If two workers insert the same new state, the
//! compare-and-exchange on the slot decides; the loser reuses its id.
//!
//! Ids are assigned in blocks, each with the right to as many slots: so the table never overfills,
//! and ids are dense up to the unused parts of blocks. Only the hash table moves when it grows,
//! with exclusive access ([`SharedHandle`]): the growing worker waits until all others have
//! yielded, which they do at their next lookup. A worker that does anything else for long must
//! [leave](SharedStore::rest) the shared section.
//!
//! Cost besides the states: 11 to 21 bytes per state, and one read of the gate per lookup.

mod tables;

use super::index::mix;
use super::layout::PackedLayout;
use super::plain::hash_of_word;
use super::store::{ExplicitStateId, PackedView, cells};
use super::tree::{self, CellChange, Root, TreeScratch};
use lariat_budget::{Budget, Stop};
use lariat_parallel::SharedHandle;
use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use tables::{Content, SharedTables, TableHandle};

/// A table with fewer slots fits into the cache and is not prefetched.
const LEAST_PREFETCHED: usize = 1 << 15;

const ROOT_WORDS: usize = size_of::<Root>() / size_of::<u64>();

#[derive(Clone, Copy)]
enum Form {
    /// One word, whose first cell has this many bits.
    Word(u32),
    /// Two cells per word.
    Vector,
    /// Trees with this many leaves.
    Tree(usize),
}

/// One worker's handle to a shared store.
pub(super) struct SharedStore {
    handle: TableHandle,
    form: Form,
    /// Cells of a state, without the overflow id.
    cells: usize,
    scratch: TreeScratch,
    /// Words of the vector that is looked up.
    words: Vec<u64>,
}

impl std::fmt::Debug for SharedStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedStore").finish_non_exhaustive()
    }
}

impl SharedStore {
    /// Creates a store, as the handle of its first worker.
    pub fn new(layout: &PackedLayout, budget: &Budget) -> SharedStore {
        let form = match layout.word {
            Some(low) => Form::Word(low),
            None if layout.is_plain() => Form::Vector,
            None => Form::Tree(tree::leaves(layout.cells + 1)),
        };
        SharedStore {
            handle: TableHandle {
                pass: SharedHandle::new(SharedTables::default(), SharedTables::default()),
                bytes: budget.shared_lease(),
                budget: budget.clone(),
                blocks: Default::default(),
                new: None,
            },
            form,
            cells: layout.cells,
            scratch: TreeScratch::default(),
            words: Vec::new(),
        }
    }

    /// A handle of another worker to the same store.
    pub fn another(&self) -> SharedStore {
        SharedStore {
            handle: self.handle.another(),
            form: self.form,
            cells: self.cells,
            scratch: TreeScratch::default(),
            words: Vec::new(),
        }
    }

    fn width(&self) -> usize {
        match self.form {
            Form::Word(_) => 1,
            Form::Tree(_) => ROOT_WORDS,
            Form::Vector => self.cells.div_ceil(2),
        }
    }

    /// Leaves the shared section; no other call is allowed until [`resume`](SharedStore::resume).
    pub fn rest(&mut self) {
        self.handle.pass.leave();
    }

    pub fn resume(&mut self) {
        self.handle.pass.enter();
    }

    pub fn yield_to_writer(&mut self) {
        self.handle.yield_to_writer();
    }

    /// Starts collecting the states that this worker is the first to insert.
    pub fn keep_new(&mut self) {
        self.handle.new = Some(Vec::new());
    }

    /// Moves the collected states to `new`.
    #[inline]
    pub fn take_new(&mut self, new: &mut Vec<ExplicitStateId>) {
        if let Some(kept) = &mut self.handle.new {
            new.append(kept);
        }
    }

    /// A view of the state whose cells are all 0, which need not be in the store. To be called
    /// first.
    pub fn zero(&mut self) -> Result<PackedView, Stop> {
        self.resume();
        let kinds: &[Content] = match self.form {
            Form::Tree(_) => &[Content::States, Content::Pairs],
            _ => &[Content::States],
        };
        for kind in kinds {
            if self.handle.pass.table(*kind).slots.capacity() == 0 {
                self.handle.grow(*kind)?;
            }
        }
        Ok(match self.form {
            Form::Tree(leaves) => {
                let nodes = tree::zero(&mut self.handle, leaves)?;
                PackedView::new(nodes, leaves)
            }
            _ => PackedView::new(vec![0; self.cells + 1], 0),
        })
    }

    /// Number of states: exact once all other handles are dropped.
    pub fn len(&self) -> usize {
        let table = self.handle.pass.table(Content::States);
        let spare = table.spares.load(Relaxed) as usize + self.own().len();
        (table.top.load(Relaxed) as usize).saturating_sub(spare)
    }

    fn own(&self) -> &Range<u32> {
        &self.handle.blocks[Content::States as usize]
    }

    pub fn end(&self) -> usize {
        self.handle.pass.table(Content::States).top.load(Acquire) as usize
    }

    /// Returns whether this is the id of a state. Valid once all other handles are dropped.
    pub fn is_known(&self, id: u32) -> bool {
        let table = self.handle.pass.table(Content::States);
        let is_spare = |spare: &mut Vec<Range<u32>>| spare.iter().any(|block| block.contains(&id));
        let is_free = self.own().contains(&id) || table.spare.with(is_spare);
        (id as usize) < self.end() && !is_free
    }

    pub fn bytes(&self) -> u64 {
        self.handle.bytes.bytes()
    }

    /// The word of a state, if states are words and this one has no overflow.
    #[inline]
    pub fn word(&self, id: u32) -> Option<u64> {
        match self.form {
            Form::Word(_) if self.handle.pass.overflow_id(id) == 0 => {
                Some(self.handle.pass.table(Content::States).word(id as usize))
            }
            _ => None,
        }
    }

    #[inline]
    pub fn intern_word(&mut self, word: u64, overflow_id: u32) -> Result<u32, Stop> {
        self.handle
            .intern(&[word], overflow_id, hash_of_word(word, overflow_id))
    }

    /// Id of a word that is in the store.
    pub fn find_word(&self, word: u64, overflow_id: u32) -> Option<u32> {
        let is = |tables: &SharedTables, id: u32| {
            tables.table(Content::States).word(id as usize) == word
                && tables.overflow_id(id) == overflow_id
        };
        self.handle
            .find(Content::States, hash_of_word(word, overflow_id), is)
    }

    #[inline]
    pub fn intern(
        &mut self,
        view: &PackedView,
        changes: &[CellChange],
        sum: u64,
    ) -> Result<u32, Stop> {
        match self.form {
            Form::Word(low) => {
                let (word, overflow_id) = view.word(changes, low);
                self.intern_word(word, overflow_id)
            }
            Form::Vector => {
                let overflow_id = self.pack(view, changes);
                self.handle.intern(&self.words, overflow_id, mix(sum))
            }
            Form::Tree(leaves) => self.intern_tree(leaves, view, changes, sum),
        }
    }

    fn intern_tree(
        &mut self,
        leaves: usize,
        view: &PackedView,
        changes: &[CellChange],
        sum: u64,
    ) -> Result<u32, Stop> {
        let (handle, scratch) = (&mut self.handle, &mut self.scratch);
        handle.yield_to_writer();
        let hash = mix(sum);
        scratch.climb(leaves, changes);
        if let Some(id) = find_tree(handle, scratch, hash, view, changes) {
            return Ok(id);
        }
        let root = scratch.make(handle, &view.nodes, changes)?;
        let id = handle.fresh(Content::States, ROOT_WORDS)?;
        let states = handle.pass.table(Content::States);
        for (i, half) in root.chunks_exact(2).enumerate() {
            let word = u64::from(half[0]) | u64::from(half[1]) << 32;
            let at = ROOT_WORDS * id as usize + i;
            states.words.at(at).store(word, Relaxed);
        }
        // Equal nodes have one id, so equal trees have one root.
        let is = |tables: &SharedTables, id: u32| root_of(tables, id) == root;
        Ok(handle.enter_state(hash, is))
    }

    /// Sets `words` to the state that differs from that of `view`; returns its overflow id.
    #[inline]
    fn pack(&mut self, view: &PackedView, changes: &[CellChange]) -> u32 {
        let cells = &view.nodes[..self.cells];
        let two = |cells: &[u32]| {
            let second = cells.get(1).copied().unwrap_or(0);
            u64::from(cells[0]) | u64::from(second) << 32
        };
        self.words.clear();
        self.words.extend(cells.chunks(2).map(two));
        let mut overflow_id = view.nodes[self.cells];
        for (cell, new) in changes {
            match self.words.get_mut(*cell as usize / 2) {
                Some(word) if (*cell as usize) < self.cells => {
                    let shift = cell % 2 * 32;
                    *word = *word & !(u64::from(u32::MAX) << shift) | u64::from(*new) << shift;
                }
                _ => overflow_id = *new,
            }
        }
        overflow_id
    }

    pub fn find(&mut self, view: &PackedView, changes: &[CellChange], sum: u64) -> Option<u32> {
        match self.form {
            Form::Word(low) => {
                let (word, overflow_id) = view.word(changes, low);
                self.find_word(word, overflow_id)
            }
            Form::Vector => {
                let overflow_id = self.pack(view, changes);
                let words = &self.words;
                let is = |tables: &SharedTables, id: u32| {
                    let states = tables.table(Content::States);
                    let mut at = (id as usize * words.len()..).zip(words);
                    at.all(|(at, word)| states.word(at) == *word)
                        && tables.overflow_id(id) == overflow_id
                };
                self.handle.find(Content::States, mix(sum), is)
            }
            Form::Tree(leaves) => {
                self.scratch.climb(leaves, changes);
                find_tree(&self.handle, &mut self.scratch, mix(sum), view, changes)
            }
        }
    }

    #[inline]
    pub fn hash(&self, view: &PackedView, changes: &[CellChange], sum: u64) -> u32 {
        match self.form {
            Form::Word(low) => {
                let (word, overflow_id) = view.word(changes, low);
                hash_of_word(word, overflow_id)
            }
            _ => mix(sum),
        }
    }

    #[inline]
    pub fn outgrows_cache(&self) -> bool {
        self.handle.pass.table(Content::States).slots.capacity() >= LEAST_PREFETCHED
    }

    #[inline]
    pub fn prefetch(&self, hashes: &[u32]) {
        if !self.outgrows_cache() {
            return;
        }
        let table = self.handle.pass.table(Content::States);
        let width = self.width();
        let first = |hash: &u32| table.slots.first(*hash);
        let slots = hashes.iter().map(|hash| first(hash).unwrap_or(0));
        black_box(slots.fold(0, |sum, slot| sum ^ slot));
        let word = |id: u32| table.word((id as usize - 1) * width);
        let found = hashes.iter().filter_map(first);
        black_box(found.fold(0, |sum, id| sum ^ word(id)));
    }

    pub fn get(&self, id: u32) -> Vec<u32> {
        let states = self.handle.pass.table(Content::States);
        match self.form {
            Form::Word(low) => {
                let overflow_id = self.handle.pass.overflow_id(id);
                cells(states.word(id as usize), overflow_id, low).to_vec()
            }
            Form::Vector => self.vector(id).collect(),
            Form::Tree(leaves) => tree::cells(&self.handle, leaves, root_of(&self.handle.pass, id)),
        }
    }

    /// The cells of a state stored as a vector, the overflow id last.
    #[inline]
    fn vector(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        let (tables, width) = (&*self.handle.pass, self.width());
        let cell = move |i: usize| {
            let states = tables.table(Content::States);
            let word = states.word(id as usize * width + i / 2);
            (word >> (i % 2 * 32)) as u32
        };
        let overflow_id = std::iter::once_with(move || tables.overflow_id(id));
        (0..self.cells).map(cell).chain(overflow_id)
    }

    #[inline]
    pub fn load(&self, view: &mut PackedView, id: u32, mut changed: impl FnMut(u32, u32, u32)) {
        let tables = &*self.handle.pass;
        let states = tables.table(Content::States);
        let mut turn = |i: usize, new: u32| {
            let old = std::mem::replace(&mut view.nodes[i], new);
            if old != new {
                changed(i as u32, old, new);
            }
        };
        match self.form {
            Form::Word(low) => {
                let new = cells(states.word(id as usize), tables.overflow_id(id), low);
                let new = new.into_iter().enumerate();
                new.for_each(|(i, new)| turn(i, new));
            }
            Form::Vector => self
                .vector(id)
                .enumerate()
                .for_each(|(i, new)| turn(i, new)),
            Form::Tree(leaves) => {
                let root = root_of(tables, id);
                tree::load(&self.handle, leaves, &mut view.nodes, root, &mut changed);
            }
        }
    }
}

/// Id of the tree that differs from that of `view` by `changes`, whose path is in `scratch`.
fn find_tree(
    handle: &TableHandle,
    scratch: &mut TreeScratch,
    hash: u32,
    view: &PackedView,
    changes: &[CellChange],
) -> Option<u32> {
    handle.find(Content::States, hash, |tables, id| {
        scratch.is(root_of(tables, id), handle, &view.nodes, changes)
    })
}

#[inline]
fn root_of(tables: &SharedTables, id: u32) -> Root {
    let states = tables.table(Content::States);
    let mut root = Root::default();
    for (i, half) in root.chunks_exact_mut(2).enumerate() {
        let word = states.word(ROOT_WORDS * id as usize + i);
        (half[0], half[1]) = (word as u32, (word >> 32) as u32);
    }
    root
}
