//! Stores for the states found: words, whole vectors for narrow states, or trees; used by one
//! worker, or shared by several (`shared_store.rs`).
//!
//! Lookups are relative to a [`PackedView`], the packed form of the caller's current state: a
//! successor is given by the cells in which it differs, and the view moves to another state by the
//! cells in which they differ.

use super::index::mix;
use super::layout::PackedLayout;
use super::plain::{VectorInterner, hash_of_word};
use super::shared_store::SharedStore;
use super::tree::{CellChange, TreeStore};
use lariat_budget::{Budget, Stop};

/// A state of one explicit space: dense, from 0, in the order of discovery. With [several
/// workers](super::Explicit::workers) there are gaps and no order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ExplicitStateId(pub u32);

impl ExplicitStateId {
    /// Index into an array over all states.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug)]
pub(super) enum StateStore {
    /// Words, whose first cell has this many bits.
    Word(VectorInterner, u32),
    Plain(VectorInterner),
    Tree(TreeStore),
    Shared(Box<SharedStore>),
}

/// Packed form of one state: its cells, after the inner nodes if the store is a tree.
#[derive(Debug, Default)]
pub(super) struct PackedView {
    pub nodes: Vec<u32>,
    first: usize,
}

impl PackedView {
    pub fn new(nodes: Vec<u32>, first: usize) -> PackedView {
        PackedView { nodes, first }
    }

    #[inline]
    pub fn cell(&self, cell: u32) -> u32 {
        self.nodes[self.first + cell as usize]
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The cells of the state that differs by `changes`, and any padding behind them.
    pub fn changed(&self, changes: &[CellChange]) -> Vec<u32> {
        let mut cells = self.nodes[self.first..].to_vec();
        for (cell, new) in changes {
            cells[*cell as usize] = *new;
        }
        cells
    }

    /// The word that differs by `changes`, whose first cell has `low` bits, and its overflow id.
    #[inline]
    pub fn word(&self, changes: &[CellChange], low: u32) -> (u64, u32) {
        let mut cells = [self.cell(0), self.cell(1), self.cell(2)];
        for (cell, new) in changes {
            cells[*cell as usize] = *new;
        }
        let [first, second, overflow_id] = cells;
        (u64::from(first) | u64::from(second) << low, overflow_id)
    }
}

/// The cells of a word, and its overflow id.
#[inline]
pub(super) fn cells(word: u64, overflow_id: u32, low: u32) -> [u32; 3] {
    let first = word & ((1 << low) - 1);
    [first as u32, (word >> low) as u32, overflow_id]
}

impl StateStore {
    pub fn new(layout: &PackedLayout, budget: &Budget) -> StateStore {
        let bytes = layout.bytes();
        match layout.word {
            Some(low) => StateStore::Word(VectorInterner::new(bytes, budget), low),
            None if layout.is_plain() => StateStore::Plain(VectorInterner::of_sums(bytes, budget)),
            None => StateStore::Tree(TreeStore::new(layout.cells + 1, budget)),
        }
    }

    /// A view of the state whose cells are all 0, which need not be in the store.
    pub fn zero(&mut self, layout: &PackedLayout) -> Result<PackedView, Stop> {
        Ok(match self {
            StateStore::Word(..) | StateStore::Plain(_) => {
                PackedView::new(vec![0; layout.cells + 1], 0)
            }
            StateStore::Tree(tree) => {
                let nodes = tree.zero()?;
                let first = nodes.len() / 2;
                PackedView::new(nodes, first)
            }
            StateStore::Shared(common) => common.zero()?,
        })
    }

    pub fn len(&self) -> usize {
        match self {
            StateStore::Word(vectors, _) | StateStore::Plain(vectors) => vectors.len(),
            StateStore::Tree(tree) => tree.len(),
            StateStore::Shared(common) => common.len(),
        }
    }

    pub fn is_common(&self) -> bool {
        matches!(self, StateStore::Shared(_))
    }

    /// The store if it is shared by several workers.
    #[inline]
    pub fn shared(&mut self) -> Option<&mut SharedStore> {
        match self {
            StateStore::Shared(common) => Some(common),
            _ => None,
        }
    }

    /// Upper bound on the ids of states.
    pub fn end(&self) -> usize {
        match self {
            StateStore::Shared(common) => common.end(),
            own => own.len(),
        }
    }

    pub fn is_known(&self, id: u32) -> bool {
        match self {
            StateStore::Shared(common) => common.is_known(id),
            own => (id as usize) < own.len(),
        }
    }

    pub fn bytes(&self) -> u64 {
        match self {
            StateStore::Word(vectors, _) | StateStore::Plain(vectors) => vectors.bytes(),
            StateStore::Tree(tree) => tree.bytes(),
            StateStore::Shared(common) => common.bytes(),
        }
    }

    /// Interns the state that differs from that of `view` by `changes`, in descending order of
    /// cells; `sum` is the weighted sum of all its cells.
    #[inline]
    pub fn intern(
        &mut self,
        view: &mut PackedView,
        changes: &[CellChange],
        sum: u64,
    ) -> Result<u32, Stop> {
        match self {
            StateStore::Word(vectors, low) => {
                let (word, overflow_id) = view.word(changes, *low);
                Ok(vectors.intern_word(word, overflow_id)?.0)
            }
            StateStore::Plain(vectors) => {
                let mut swap = |(cell, new): &CellChange| {
                    std::mem::replace(&mut view.nodes[*cell as usize], *new)
                };
                // Few cells change: they are replaced and restored.
                const FEW: usize = 8;
                let mut old = [0; FEW];
                if changes.len() > FEW {
                    return Ok(vectors.intern_sum(&view.changed(changes), sum)?.0);
                }
                for (old, change) in old.iter_mut().zip(changes) {
                    *old = swap(change);
                }
                let found = vectors.intern_sum(&view.nodes, sum);
                for (old, (cell, _)) in old.iter().zip(changes) {
                    view.nodes[*cell as usize] = *old;
                }
                Ok(found?.0)
            }
            StateStore::Tree(tree) => Ok(tree.intern(&view.nodes, changes, sum)?.0),
            StateStore::Shared(common) => common.intern(view, changes, sum),
        }
    }

    /// Id of that state, if it is in the store.
    pub fn find(&mut self, view: &PackedView, changes: &[CellChange], sum: u64) -> Option<u32> {
        match self {
            StateStore::Word(vectors, low) => {
                let (word, overflow_id) = view.word(changes, *low);
                vectors.find_word(word, overflow_id)
            }
            StateStore::Plain(vectors) => vectors.find_sum(&view.changed(changes), sum),
            StateStore::Tree(tree) => tree.find(&view.nodes, changes, sum),
            StateStore::Shared(common) => common.find(view, changes, sum),
        }
    }

    /// The word of that state and its overflow id, if states are words.
    #[inline]
    pub fn word(&self, view: &PackedView, changes: &[CellChange]) -> Option<(u64, u32)> {
        match self {
            StateStore::Word(_, low) => Some(view.word(changes, *low)),
            _ => None,
        }
    }

    #[inline]
    pub fn hash(&self, view: &PackedView, changes: &[CellChange], sum: u64) -> u32 {
        match self {
            StateStore::Word(_, low) => {
                let (word, overflow_id) = view.word(changes, *low);
                hash_of_word(word, overflow_id)
            }
            StateStore::Plain(_) | StateStore::Tree(_) => mix(sum),
            StateStore::Shared(common) => common.hash(view, changes, sum),
        }
    }

    /// Returns whether the table exceeds the cache, so that lookups wait for memory.
    #[inline]
    pub fn outgrows_cache(&self) -> bool {
        match self {
            StateStore::Word(vectors, _) | StateStore::Plain(vectors) => vectors.outgrows_cache(),
            StateStore::Tree(tree) => tree.outgrows_cache(),
            StateStore::Shared(common) => common.outgrows_cache(),
        }
    }

    /// Prefetches what lookups of these hashes read first.
    #[inline]
    pub fn prefetch(&self, hashes: &[u32]) {
        // A single lookup has no other to overlap with.
        if hashes.len() < 2 {
            return;
        }
        match self {
            StateStore::Word(vectors, _) | StateStore::Plain(vectors) => vectors.prefetch(hashes),
            StateStore::Tree(tree) => tree.prefetch(hashes),
            StateStore::Shared(common) => common.prefetch(hashes),
        }
    }

    /// All cells of a state, the overflow id last.
    pub fn get(&self, id: u32) -> Vec<u32> {
        match self {
            StateStore::Word(vectors, low) => {
                let (word, overflow_id) = vectors.word(id);
                cells(word, overflow_id, *low).to_vec()
            }
            StateStore::Plain(vectors) => vectors.get(id).collect(),
            StateStore::Tree(tree) => tree.get(id),
            StateStore::Shared(common) => common.get(id),
        }
    }

    /// Moves `view` to the state `id`; calls `changed` with each cell that differs, its old and its
    /// new value.
    #[inline]
    pub fn load(&self, view: &mut PackedView, id: u32, mut changed: impl FnMut(u32, u32, u32)) {
        match self {
            StateStore::Word(vectors, low) => {
                let (word, overflow_id) = vectors.word(id);
                let new = cells(word, overflow_id, *low);
                for (i, (cell, new)) in (0..).zip(view.nodes.iter_mut().zip(new)) {
                    if *cell != new {
                        changed(i, std::mem::replace(cell, new), new);
                    }
                }
            }
            StateStore::Plain(vectors) => vectors.turn(id, &mut view.nodes, changed),
            StateStore::Tree(tree) => tree.load(&mut view.nodes, id, changed),
            StateStore::Shared(common) => common.load(view, id, changed),
        }
    }
}
