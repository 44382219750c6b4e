//! One worker's handle to the shared tables, and its blocks of ids.

use super::super::store::ExplicitStateId;
use super::super::tree::{PairStore, scatter};
use lariat_budget::{Budget, SharedLease, Stop};
use lariat_parallel::{Leaf, Segments, SharedHandle, Slots};
use std::ops::Range;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

const BLOCK: u32 = 256;
/// Slots of the first table: enough for several blocks.
const LEAST_SLOTS: usize = 1 << 12;

/// Kinds of items that are found by their contents: states, and inner nodes of trees.
#[derive(Clone, Copy)]
pub(super) enum Content {
    States,
    Pairs,
}

#[derive(Default)]
pub(super) struct SharedTables {
    tables: [WordTable; 2],
    /// Overflow ids of the states, where one is not 0.
    pub overflow_vectors: Segments<AtomicU32>,
    pub has_overflow: AtomicBool,
}

/// Items of a fixed number of words, found by their contents and by their ids.
#[derive(Default)]
pub(super) struct WordTable {
    /// Ids plus one.
    pub slots: Slots,
    pub words: Segments<AtomicU64>,
    /// Upper bound on the ids handed out.
    pub top: AtomicU32,
    /// Unused parts of the blocks of dropped handles; `spares` is their total length.
    pub spare: Leaf<Vec<Range<u32>>>,
    pub spares: AtomicU32,
}

impl WordTable {
    #[inline]
    pub fn word(&self, at: usize) -> u64 {
        self.words.at(at).load(Relaxed)
    }

    pub fn give_back(&self, block: Range<u32>) {
        if !block.is_empty() {
            self.spares.fetch_add(block.len() as u32, Relaxed);
            self.spare.with(|spare| spare.push(block));
        }
    }

    /// Returns whether the slots suffice for another block.
    pub fn has_room(&self) -> bool {
        u64::from(self.top.load(Acquire)) + u64::from(BLOCK)
            <= Slots::room(self.slots.capacity()) as u64
    }
}

impl SharedTables {
    #[inline]
    pub fn table(&self, content: Content) -> &WordTable {
        &self.tables[content as usize]
    }

    #[inline]
    pub fn overflow_id(&self, id: u32) -> u32 {
        if !self.has_overflow.load(Relaxed) {
            return 0;
        }
        let overflow_id = self.overflow_vectors.get(id as usize);
        overflow_id.map_or(0, |overflow_id| overflow_id.load(Relaxed))
    }
}

/// One worker's handle to the tables, and its blocks of ids.
pub(super) struct TableHandle {
    pub pass: SharedHandle<SharedTables>,
    /// Lease on the bytes of all tables.
    pub bytes: SharedLease,
    pub budget: Budget,
    pub blocks: [Range<u32>; 2],
    /// States that this worker was the first to insert, if they are collected.
    pub new: Option<Vec<ExplicitStateId>>,
}

impl Drop for TableHandle {
    fn drop(&mut self) {
        self.pass.enter();
        for content in [Content::States, Content::Pairs] {
            let block = std::mem::take(&mut self.blocks[content as usize]);
            self.pass.table(content).give_back(block);
        }
    }
}

impl TableHandle {
    pub fn another(&self) -> TableHandle {
        TableHandle {
            pass: self.pass.another(),
            bytes: self.bytes.clone(),
            budget: self.budget.clone(),
            blocks: Default::default(),
            new: None,
        }
    }

    /// Yields to a worker that waits for exclusive access.
    #[inline]
    pub fn yield_to_writer(&mut self) {
        if self.pass.is_wanted() {
            self.pass.yield_to_writer();
        }
    }

    #[inline]
    pub fn find(
        &self,
        content: Content,
        hash: u32,
        mut is: impl FnMut(&SharedTables, u32) -> bool,
    ) -> Option<u32> {
        let tables = &*self.pass;
        let slots = &tables.table(content).slots;
        let found = slots.find(hash, |id| is(tables, id - 1));
        found.map(|id| id - 1)
    }

    /// The next id of the worker's block: free until [`enter`](TableHandle::enter) publishes an
    /// item under it.
    #[inline]
    pub fn fresh(&mut self, content: Content, width: usize) -> Result<u32, Stop> {
        if self.blocks[content as usize].is_empty() {
            self.refill(content, width)?;
        }
        Ok(self.blocks[content as usize].start)
    }

    /// Takes another block of ids and allocates its words.
    #[cold]
    pub fn refill(&mut self, content: Content, width: usize) -> Result<(), Stop> {
        loop {
            let table = self.pass.table(content);
            if let Some(block) = table.spare.with(Vec::pop) {
                table.spares.fetch_sub(block.len() as u32, Relaxed);
                self.blocks[content as usize] = block;
                return Ok(());
            }
            let room = Slots::room(table.slots.capacity());
            let more = |top: u32| {
                let end = top.checked_add(BLOCK)?;
                (end as usize <= room).then_some(end)
            };
            let Ok(start) = table.top.fetch_update(AcqRel, Acquire, more) else {
                self.grow(content)?;
                continue;
            };
            let block = start..start + BLOCK;
            let words = block.start as usize * width..block.end as usize * width;
            if let Err(stop) = table.words.reserve_all(words, |more| self.bytes.take(more)) {
                table.give_back(block);
                return Err(stop);
            }
            self.blocks[content as usize] = block;
            return Ok(());
        }
    }

    /// Grows the table with exclusive access, unless another worker has grown it meanwhile.
    #[cold]
    pub fn grow(&mut self, content: Content) -> Result<(), Stop> {
        let bytes = self.bytes.clone();
        let helpers = self.pass.passes();
        self.pass.with_exclusive(&self.budget, |tables| {
            let table = &mut tables.tables[content as usize];
            if table.has_room() {
                return Ok(());
            }
            let old = table.slots.capacity();
            let new = LEAST_SLOTS.max(2 * old);
            if new as u64 > 1 << 32 {
                return Err(Stop::Bound("more than three billion states".to_owned()));
            }
            // Both tables exist during the copy.
            bytes.take(new * size_of::<u64>())?;
            table.slots.grow(new, helpers);
            bytes.give(old * size_of::<u64>());
            Ok(())
        })?
    }

    /// Publishes the item written under the worker's fresh id, unless an equal one is published;
    /// returns its id, and whether it is new. Of several workers that insert equal items, the
    /// compare-and-exchange on the slot selects one.
    #[inline]
    pub fn enter(
        &mut self,
        content: Content,
        hash: u32,
        mut is: impl FnMut(&SharedTables, u32) -> bool,
    ) -> (u32, bool) {
        let tables = &*self.pass;
        let block = &mut self.blocks[content as usize];
        let id = block.start;
        let slots = &tables.table(content).slots;
        match slots.claim(hash, id + 1, |other| is(tables, other - 1)) {
            Some(other) => (other - 1, false),
            None => {
                block.start += 1;
                (id, true)
            }
        }
    }

    /// Interns the state with these words and this overflow id.
    #[inline]
    pub fn intern(&mut self, words: &[u64], overflow_id: u32, hash: u32) -> Result<u32, Stop> {
        self.yield_to_writer();
        let width = words.len();
        let is = |tables: &SharedTables, id: u32| {
            let states = tables.table(Content::States);
            let found = match words {
                [word] => states.word(id as usize) == *word,
                words => (0..width).all(|i| states.word(id as usize * width + i) == words[i]),
            };
            found && tables.overflow_id(id) == overflow_id
        };
        if let Some(id) = self.find(Content::States, hash, is) {
            return Ok(id);
        }
        let id = self.fresh(Content::States, width)?;
        let tables = &*self.pass;
        let states = tables.table(Content::States);
        for (at, word) in (id as usize * width..).zip(words) {
            states.words.at(at).store(*word, Relaxed);
        }
        if overflow_id != 0 || tables.has_overflow.load(Relaxed) {
            let overflow_vectors = &tables.overflow_vectors;
            overflow_vectors.reserve(id as usize, |more| self.bytes.take(more))?;
            overflow_vectors.at(id as usize).store(overflow_id, Relaxed);
            tables.has_overflow.store(true, Relaxed);
        }
        Ok(self.enter_state(hash, is))
    }

    #[inline]
    pub fn enter_state(&mut self, hash: u32, is: impl FnMut(&SharedTables, u32) -> bool) -> u32 {
        let (id, is_new) = self.enter(Content::States, hash, is);
        if is_new && let Some(new) = &mut self.new {
            new.push(ExplicitStateId(id));
        }
        id
    }
}

impl PairStore for TableHandle {
    #[inline]
    fn get(&self, id: u32) -> u64 {
        self.pass.table(Content::Pairs).word(id as usize)
    }

    #[inline]
    fn intern(&mut self, pair: u64) -> Result<u32, Stop> {
        let hash = scatter(pair);
        let is =
            |tables: &SharedTables, id: u32| tables.table(Content::Pairs).word(id as usize) == pair;
        if let Some(id) = self.find(Content::Pairs, hash, is) {
            return Ok(id);
        }
        let id = self.fresh(Content::Pairs, 1)?;
        let pairs = self.pass.table(Content::Pairs);
        pairs.words.at(id as usize).store(pair, Relaxed);
        Ok(self.enter(Content::Pairs, hash, is).0)
    }
}
