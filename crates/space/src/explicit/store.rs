//! Stores for the states found: words, whole vectors for narrow states, or trees; used by one
//! worker, or shared by several (`common.rs`).
//!
//! Lookups are relative to a [`View`], the packed form of the caller's current state: a successor
//! is given by the cells in which it differs, and the view moves to another state by the cells in
//! which they differ.

use super::common::Common;
use super::index::mix;
use super::layout::Layout;
use super::plain::{Interner, hash_of_word};
use super::tree::{Change, Tree};
use lariat_budget::{Budget, Stop};

/// A state of one explicit space: dense, from 0, in the order of discovery. With [several
/// workers](super::Explicit::workers) there are gaps and no order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(pub u32);

impl StateId {
    /// Index into an array over all states.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug)]
pub(super) enum Store {
    /// Words, whose first cell has this many bits.
    Word(Interner, u32),
    Plain(Interner),
    Tree(Tree),
    Common(Box<Common>),
}

/// Packed form of one state: its cells, after the inner nodes if the store is a tree.
#[derive(Debug, Default)]
pub(super) struct View {
    pub nodes: Vec<u32>,
    first: usize,
}

impl View {
    pub fn new(nodes: Vec<u32>, first: usize) -> View {
        View { nodes, first }
    }

    #[inline]
    pub fn cell(&self, cell: u32) -> u32 {
        self.nodes[self.first + cell as usize]
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The word that differs by `changes`, whose first cell has `low` bits, and its overflow id.
    #[inline]
    pub fn word(&self, changes: &[Change], low: u32) -> (u64, u32) {
        let mut cells = [self.cell(0), self.cell(1), self.cell(2)];
        for (cell, new) in changes {
            cells[*cell as usize] = *new;
        }
        let [first, second, escape] = cells;
        (u64::from(first) | u64::from(second) << low, escape)
    }
}

/// The cells of a word, and its overflow id.
#[inline]
pub(super) fn cells(word: u64, escape: u32, low: u32) -> [u32; 3] {
    let first = word & ((1 << low) - 1);
    [first as u32, (word >> low) as u32, escape]
}

impl Store {
    pub fn new(layout: &Layout, budget: &Budget) -> Store {
        let bytes = layout.bytes();
        match layout.word {
            Some(low) => Store::Word(Interner::new(bytes, budget), low),
            None if layout.is_plain() => Store::Plain(Interner::of_sums(bytes, budget)),
            None => Store::Tree(Tree::new(layout.cells + 1, budget)),
        }
    }

    /// A view of the state whose cells are all 0, which need not be in the store.
    pub fn zero(&mut self, layout: &Layout) -> Result<View, Stop> {
        Ok(match self {
            Store::Word(..) | Store::Plain(_) => View {
                nodes: vec![0; layout.cells + 1],
                first: 0,
            },
            Store::Tree(tree) => {
                let nodes = tree.zero()?;
                let first = nodes.len() / 2;
                View { nodes, first }
            }
            Store::Common(common) => common.zero()?,
        })
    }

    pub fn len(&self) -> usize {
        match self {
            Store::Word(vectors, _) | Store::Plain(vectors) => vectors.len(),
            Store::Tree(tree) => tree.len(),
            Store::Common(common) => common.len(),
        }
    }

    pub fn is_common(&self) -> bool {
        matches!(self, Store::Common(_))
    }

    pub fn rest(&mut self) {
        if let Store::Common(common) = self {
            common.rest();
        }
    }

    pub fn resume(&mut self) {
        if let Store::Common(common) = self {
            common.resume();
        }
    }

    pub fn make_way(&mut self) {
        if let Store::Common(common) = self {
            common.make_way();
        }
    }

    pub fn keep_new(&mut self) {
        if let Store::Common(common) = self {
            common.keep_new();
        }
    }

    #[inline]
    pub fn take_new(&mut self, new: &mut Vec<StateId>) {
        if let Store::Common(common) = self {
            common.take_new(new);
        }
    }

    /// Upper bound on the ids of states.
    pub fn end(&self) -> usize {
        match self {
            Store::Common(common) => common.end(),
            own => own.len(),
        }
    }

    pub fn is_known(&self, id: u32) -> bool {
        match self {
            Store::Common(common) => common.is_known(id),
            own => (id as usize) < own.len(),
        }
    }

    pub fn bytes(&self) -> u64 {
        match self {
            Store::Word(vectors, _) | Store::Plain(vectors) => vectors.bytes(),
            Store::Tree(tree) => tree.bytes(),
            Store::Common(common) => common.bytes(),
        }
    }

    /// Interns the state that differs from that of `view` by `changes`, in descending order of
    /// cells; `sum` is the weighted sum of all its cells.
    #[inline]
    pub fn intern(&mut self, view: &mut View, changes: &[Change], sum: u64) -> Result<u32, Stop> {
        match self {
            Store::Word(vectors, low) => {
                let (word, escape) = view.word(changes, *low);
                Ok(vectors.intern_word(word, escape)?.0)
            }
            Store::Plain(vectors) => {
                let mut swap =
                    |(cell, new): &Change| std::mem::replace(&mut view.nodes[*cell as usize], *new);
                // Few cells change: they are replaced and restored.
                const FEW: usize = 8;
                let mut old = [0; FEW];
                if changes.len() > FEW {
                    let mut vector = view.nodes.clone();
                    for (cell, new) in changes {
                        vector[*cell as usize] = *new;
                    }
                    return Ok(vectors.intern_sum(&vector, sum)?.0);
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
            Store::Tree(tree) => Ok(tree.intern(&view.nodes, changes, sum)?.0),
            Store::Common(common) => common.intern(view, changes, sum),
        }
    }

    /// Id of that state, if it is in the store.
    pub fn find(&mut self, view: &View, changes: &[Change], sum: u64) -> Option<u32> {
        match self {
            Store::Word(vectors, low) => {
                let (word, escape) = view.word(changes, *low);
                vectors.find_word(word, escape)
            }
            Store::Plain(vectors) => {
                let mut vector = view.nodes.clone();
                for (cell, new) in changes {
                    vector[*cell as usize] = *new;
                }
                vectors.find_sum(&vector, sum)
            }
            Store::Tree(tree) => tree.find(&view.nodes, changes, sum),
            Store::Common(common) => common.find(view, changes, sum),
        }
    }

    /// The word of that state and its overflow id, if states are words.
    #[inline]
    pub fn word(&self, view: &View, changes: &[Change]) -> Option<(u64, u32)> {
        match self {
            Store::Word(_, low) => Some(view.word(changes, *low)),
            Store::Plain(_) | Store::Tree(_) | Store::Common(_) => None,
        }
    }

    #[inline]
    pub fn hash(&self, view: &View, changes: &[Change], sum: u64) -> u32 {
        match self {
            Store::Word(_, low) => {
                let (word, escape) = view.word(changes, *low);
                hash_of_word(word, escape)
            }
            Store::Plain(_) | Store::Tree(_) => mix(sum),
            Store::Common(common) => common.hash(view, changes, sum),
        }
    }

    /// Returns whether the table exceeds the cache, so that lookups wait for memory.
    #[inline]
    pub fn outgrows_cache(&self) -> bool {
        match self {
            Store::Word(vectors, _) | Store::Plain(vectors) => vectors.outgrows_cache(),
            Store::Tree(tree) => tree.outgrows_cache(),
            Store::Common(common) => common.outgrows_cache(),
        }
    }

    /// Prefetches what lookups of these hashes read first.
    #[inline]
    pub fn touch(&self, hashes: &[u32]) {
        // A single lookup has no other to overlap with.
        if hashes.len() < 2 {
            return;
        }
        match self {
            Store::Word(vectors, _) | Store::Plain(vectors) => vectors.touch(hashes),
            Store::Tree(tree) => tree.touch(hashes),
            Store::Common(common) => common.touch(hashes),
        }
    }

    /// All cells of a state, the overflow id last.
    pub fn get(&self, id: u32) -> Vec<u32> {
        match self {
            Store::Word(vectors, low) => {
                let (word, escape) = vectors.word(id);
                cells(word, escape, *low).to_vec()
            }
            Store::Plain(vectors) => vectors.get(id).collect(),
            Store::Tree(tree) => tree.get(id),
            Store::Common(common) => common.get(id),
        }
    }

    /// Moves `view` to the state `id`; calls `changed` with each cell that differs, its old and its
    /// new value.
    #[inline]
    pub fn load(&self, view: &mut View, id: u32, mut changed: impl FnMut(u32, u32, u32)) {
        match self {
            Store::Word(vectors, low) => {
                let (word, escape) = vectors.word(id);
                let new = cells(word, escape, *low);
                for (i, (cell, new)) in (0..).zip(view.nodes.iter_mut().zip(new)) {
                    if *cell != new {
                        changed(i, std::mem::replace(cell, new), new);
                    }
                }
            }
            Store::Plain(vectors) => vectors.turn(id, &mut view.nodes, changed),
            Store::Tree(tree) => tree.load(&mut view.nodes, id, changed),
            Store::Common(common) => common.load(view, id, changed),
        }
    }
}
