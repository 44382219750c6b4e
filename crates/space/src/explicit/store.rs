//! The states found so far: words, whole vectors if they are narrow, else trees; of one worker, or common to several (`common.rs`).
//!
//! A store is asked relative to a [`View`], the packed form of a state that its owner keeps: a successor is looked up by
//! the cells in which it differs, and the view goes on to another state by the cells in which they differ.

use super::common::Common;
use super::index::mix;
use super::layout::Layout;
use super::plain::{Interner, hash_of_word};
use super::tree::{Change, Tree};
use lariat_budget::{Budget, Stop};

/// A state of one explicit space: dense, from 0, in the order of discovery; with [several workers](super::Explicit::workers) dense but for
/// gaps, in no order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(pub u32);

impl StateId {
    /// The position of this state in an array over all states.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug)]
pub(super) enum Store {
    /// Words, whose first cell has so many bits.
    Word(Interner, u32),
    Plain(Interner),
    Tree(Tree),
    Common(Box<Common>),
}

/// The packed form of one state: its cells, behind what the store needs besides.
#[derive(Debug, Default)]
pub(super) struct View {
    pub nodes: Vec<u32>,
    /// Where the cells begin.
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

    /// Has it not been made yet?
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The word that differs by `changes`, of which the first cell has `low` bits, and the escape.
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

/// The cells of a word, and the escape.
#[inline]
pub(super) fn cells((word, escape): (u64, u32), low: u32) -> [u32; 3] {
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

    /// See [`Common::rest`].
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

    /// See [`Common::keep_new`].
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

    /// No id is as large as this.
    pub fn end(&self) -> usize {
        match self {
            Store::Common(common) => common.end(),
            own => own.len(),
        }
    }

    /// Is this the id of a state?
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

    /// The id of the state that differs from that of `view` by `changes`, sorted by cell downwards; `sum` is over
    /// all its cells.
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
                // Few cells change, and are soon changed back.
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

    /// The id of that state if it is known already.
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

    /// That state, if states are words: the word, and the escape.
    #[inline]
    pub fn word(&self, view: &View, changes: &[Change]) -> Option<(u64, u32)> {
        match self {
            Store::Word(_, low) => Some(view.word(changes, *low)),
            Store::Plain(_) | Store::Tree(_) | Store::Common(_) => None,
        }
    }

    /// The hash of that state.
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

    /// Is there so much that lookups wait for memory?
    #[inline]
    pub fn outgrows_cache(&self) -> bool {
        match self {
            Store::Word(vectors, _) | Store::Plain(vectors) => vectors.outgrows_cache(),
            Store::Tree(tree) => tree.outgrows_cache(),
            Store::Common(common) => common.outgrows_cache(),
        }
    }

    /// Brings what lookups of these hashes read first into the cache.
    #[inline]
    pub fn touch(&self, hashes: &[u32]) {
        // One lookup has none to be under way with.
        if hashes.len() < 2 {
            return;
        }
        match self {
            Store::Word(vectors, _) | Store::Plain(vectors) => vectors.touch(hashes),
            Store::Tree(tree) => tree.touch(hashes),
            Store::Common(common) => common.touch(hashes),
        }
    }

    /// All cells of a state.
    pub fn get(&self, id: u32) -> Vec<u32> {
        match self {
            Store::Word(vectors, low) => cells(vectors.word(id), *low).to_vec(),
            Store::Plain(vectors) => vectors.get(id).collect(),
            Store::Tree(tree) => tree.get(id),
            Store::Common(common) => common.get(id),
        }
    }

    /// Turns `view` to the state `id`, and tells the cells that differ, each with its old and its new value.
    #[inline]
    pub fn load(&self, view: &mut View, id: u32, mut changed: impl FnMut(u32, u32, u32)) {
        match self {
            Store::Word(vectors, low) => {
                let new = cells(vectors.word(id), *low);
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
