//! The store of several workers: one table, one id for each state, and nobody waits for a lock to look one up.
//!
//! States are words or vectors of words if they are narrow, and trees if they are wide, as with one worker. What they consist of is
//! written into arrays that grow without moving ([`Segments`]), and then their id into a table that is found by hash ([`Slots`]):
//! whoever finds an id there finds the state written. Two workers that come to a new state at once write it twice; the slot decides,
//! and the other one takes its id for something else.
//!
//! Ids are handed out in blocks, which are also the right to as many slots: so the table never overfills, and ids are dense but for
//! what is left of the blocks. Only the table has to move when it grows. That is a meeting at a gate ([`Pass`]), where one
//! worker has everything alone; the others make way when they next look something up. Who does anything else for
//! long must [go out](Common::rest).
//!
//! Cost beside the states: 11 to 21 bytes each, and a look at the gate for every lookup.

mod desk;

use super::index::mix;
use super::layout::Layout;
use super::plain::hash_of_word;
use super::store::{StateId, View, cells};
use super::tree::{self, Change, Root, Scratch};
use desk::{Content, Desk, Tables};
use lariat_budget::{Budget, Stop};
use lariat_parallel::Pass;
use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// A table of fewer slots is in the cache anyway.
const LEAST_TOUCHED: usize = 1 << 15;

/// Words of a state that is a tree.
const ROOT_WORDS: usize = size_of::<Root>() / size_of::<u64>();

/// How states are kept.
#[derive(Clone, Copy)]
enum Form {
    /// As a word, whose first cell has so many bits.
    Word(u32),
    /// Two cells a word.
    Vector,
    /// As trees with so many leaves.
    Tree(usize),
}

/// One worker's part of a store that several share.
pub(super) struct Common {
    desk: Desk,
    form: Form,
    /// Cells of a state, without the escape.
    cells: usize,
    scratch: Scratch,
    /// The words of a vector that is looked up.
    words: Vec<u64>,
}

impl std::fmt::Debug for Common {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Common").finish_non_exhaustive()
    }
}

impl Common {
    /// The store of a first worker.
    pub fn new(layout: &Layout, budget: &Budget) -> Common {
        let form = match layout.word {
            Some(low) => Form::Word(low),
            None if layout.is_plain() => Form::Vector,
            None => Form::Tree(tree::leaves(layout.cells + 1)),
        };
        Common {
            desk: Desk {
                pass: Pass::new(Tables::default(), Tables::default()),
                bytes: Arc::new(Mutex::new(budget.lease())),
                blocks: Default::default(),
                new: None,
            },
            form,
            cells: layout.cells,
            scratch: Scratch::default(),
            words: Vec::new(),
        }
    }

    /// The same store for another worker.
    pub fn another(&self) -> Common {
        Common {
            desk: self.desk.another(),
            form: self.form,
            cells: self.cells,
            scratch: Scratch::default(),
            words: Vec::new(),
        }
    }

    /// Words of a state.
    fn width(&self) -> usize {
        match self.form {
            Form::Word(_) => 1,
            Form::Tree(_) => ROOT_WORDS,
            Form::Vector => self.cells.div_ceil(2),
        }
    }

    /// The worker has nothing to do for now; until it [resumes](Common::resume) it must ask for nothing.
    pub fn rest(&mut self) {
        self.desk.pass.leave();
    }

    pub fn resume(&mut self) {
        self.desk.pass.enter();
    }

    #[inline]
    pub fn make_way(&mut self) {
        self.desk.make_way();
    }

    /// From now on the states that this worker is the first to find are kept.
    pub fn keep_new(&mut self) {
        self.desk.new = Some(Vec::new());
    }

    /// Appends those that were kept.
    #[inline]
    pub fn take_new(&mut self, new: &mut Vec<StateId>) {
        if let Some(kept) = &mut self.desk.new {
            new.append(kept);
        }
    }

    /// A view of the state whose cells are all 0, which need not be in the store. To be asked for first.
    pub fn zero(&mut self) -> Result<View, Stop> {
        self.resume();
        let kinds: &[Content] = match self.form {
            Form::Tree(_) => &[Content::States, Content::Pairs],
            _ => &[Content::States],
        };
        for kind in kinds {
            if self.desk.pass.of(*kind).slots.capacity() == 0 {
                self.desk.grow(*kind)?;
            }
        }
        Ok(match self.form {
            Form::Tree(leaves) => {
                let nodes = tree::zero(&mut self.desk, leaves)?;
                View::new(nodes, leaves)
            }
            _ => View::new(vec![0; self.cells + 1], 0),
        })
    }

    /// How many states there are: exact as soon as all other workers are gone.
    pub fn len(&self) -> usize {
        let table = self.desk.pass.of(Content::States);
        let spare = table.spares.load(Relaxed) as usize + self.own().len();
        (table.top.load(Relaxed) as usize).saturating_sub(spare)
    }

    fn own(&self) -> &Range<u32> {
        &self.desk.blocks[Content::States as usize]
    }

    /// No id is as large as this.
    pub fn end(&self) -> usize {
        self.desk.pass.of(Content::States).top.load(Acquire) as usize
    }

    /// Is this the id of a state? Only to be asked when all other workers are gone.
    pub fn is_known(&self, id: u32) -> bool {
        let table = self.desk.pass.of(Content::States);
        let spare = table.spare();
        let is_free = self.own().contains(&id) || spare.iter().any(|block| block.contains(&id));
        (id as usize) < self.end() && !is_free
    }

    pub fn bytes(&self) -> u64 {
        let lease = self.desk.bytes.lock();
        lease.unwrap_or_else(PoisonError::into_inner).bytes()
    }

    /// The word that a state is, if it is one that nothing has escaped from.
    #[inline]
    pub fn word(&self, id: u32) -> Option<u64> {
        match self.form {
            Form::Word(_) if self.desk.pass.escape(id) == 0 => {
                Some(self.desk.pass.of(Content::States).word(id as usize))
            }
            _ => None,
        }
    }

    #[inline]
    pub fn intern_word(&mut self, word: u64, escape: u32) -> Result<u32, Stop> {
        self.desk
            .intern(&[word], escape, hash_of_word(word, escape))
    }

    /// The id of a word that is known already.
    pub fn find_word(&self, word: u64, escape: u32) -> Option<u32> {
        let is = |tables: &Tables, id: u32| {
            tables.of(Content::States).word(id as usize) == word && tables.escape(id) == escape
        };
        self.desk
            .find(Content::States, hash_of_word(word, escape), is)
    }

    /// The id of the state that differs from that of `view` by `changes`, sorted by cell downwards; `sum` is over
    /// all its cells.
    #[inline]
    pub fn intern(&mut self, view: &View, changes: &[Change], sum: u64) -> Result<u32, Stop> {
        match self.form {
            Form::Word(low) => {
                let (word, escape) = view.word(changes, low);
                self.intern_word(word, escape)
            }
            Form::Vector => {
                let escape = self.pack(view, changes);
                self.desk.intern(&self.words, escape, mix(sum))
            }
            Form::Tree(leaves) => self.intern_tree(leaves, view, changes, sum),
        }
    }

    fn intern_tree(
        &mut self,
        leaves: usize,
        view: &View,
        changes: &[Change],
        sum: u64,
    ) -> Result<u32, Stop> {
        let Common { desk, scratch, .. } = self;
        desk.make_way();
        let hash = mix(sum);
        scratch.climb(leaves, changes);
        if let Some(id) = find_tree(desk, scratch, hash, view, changes) {
            return Ok(id);
        }
        let root = scratch.make(desk, &view.nodes, changes)?;
        let id = desk.fresh(Content::States, ROOT_WORDS)?;
        let states = desk.pass.of(Content::States);
        for (i, half) in root.chunks_exact(2).enumerate() {
            let word = u64::from(half[0]) | u64::from(half[1]) << 32;
            let at = ROOT_WORDS * id as usize + i;
            states.words.at(at).store(word, Relaxed);
        }
        // Equal nodes have one id, and equal trees one root.
        let is = |tables: &Tables, id: u32| root_of(tables, id) == root;
        Ok(desk.enter_state(hash, is))
    }

    /// The words of the state that differs from that of `view`, and its escape.
    #[inline]
    fn pack(&mut self, view: &View, changes: &[Change]) -> u32 {
        let cells = &view.nodes[..self.cells];
        let two = |cells: &[u32]| {
            let second = cells.get(1).copied().unwrap_or(0);
            u64::from(cells[0]) | u64::from(second) << 32
        };
        self.words.clear();
        self.words.extend(cells.chunks(2).map(two));
        let mut escape = view.nodes[self.cells];
        for (cell, new) in changes {
            match self.words.get_mut(*cell as usize / 2) {
                Some(word) if (*cell as usize) < self.cells => {
                    let shift = cell % 2 * 32;
                    *word = *word & !(u64::from(u32::MAX) << shift) | u64::from(*new) << shift;
                }
                _ => escape = *new,
            }
        }
        escape
    }

    /// The id of that state if it is known already.
    pub fn find(&mut self, view: &View, changes: &[Change], sum: u64) -> Option<u32> {
        match self.form {
            Form::Word(low) => {
                let (word, escape) = view.word(changes, low);
                self.find_word(word, escape)
            }
            Form::Vector => {
                let escape = self.pack(view, changes);
                let words = &self.words;
                let is = |tables: &Tables, id: u32| {
                    let states = tables.of(Content::States);
                    let mut at = (id as usize * words.len()..).zip(words);
                    at.all(|(at, word)| states.word(at) == *word) && tables.escape(id) == escape
                };
                self.desk.find(Content::States, mix(sum), is)
            }
            Form::Tree(leaves) => {
                self.scratch.climb(leaves, changes);
                let Common { desk, scratch, .. } = self;
                find_tree(desk, scratch, mix(sum), view, changes)
            }
        }
    }

    /// The hash of that state.
    #[inline]
    pub fn hash(&self, view: &View, changes: &[Change], sum: u64) -> u32 {
        match self.form {
            Form::Word(low) => {
                let (word, escape) = view.word(changes, low);
                hash_of_word(word, escape)
            }
            _ => mix(sum),
        }
    }

    /// Is there so much that lookups wait for memory?
    #[inline]
    pub fn outgrows_cache(&self) -> bool {
        self.desk.pass.of(Content::States).slots.capacity() >= LEAST_TOUCHED
    }

    /// Brings what lookups of these hashes read first into the cache.
    #[inline]
    pub fn touch(&self, hashes: &[u32]) {
        if !self.outgrows_cache() {
            return;
        }
        let table = self.desk.pass.of(Content::States);
        let width = self.width();
        let first = |hash: &u32| table.slots.first(*hash);
        black_box(
            hashes
                .iter()
                .fold(0, |sum, hash| sum ^ first(hash).unwrap_or(0)),
        );
        let word = |id: u32| table.word((id as usize - 1) * width);
        let found = hashes.iter().filter_map(first);
        black_box(found.fold(0, |sum, id| sum ^ word(id)));
    }

    /// All cells of a state.
    pub fn get(&self, id: u32) -> Vec<u32> {
        let states = self.desk.pass.of(Content::States);
        match self.form {
            Form::Word(low) => {
                let word = (states.word(id as usize), self.desk.pass.escape(id));
                cells(word, low).to_vec()
            }
            Form::Vector => self.vector(id).collect(),
            Form::Tree(leaves) => tree::cells(&self.desk, leaves, root_of(&self.desk.pass, id)),
        }
    }

    /// The cells of a vector, the escape last.
    #[inline]
    fn vector(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        let (tables, width) = (&*self.desk.pass, self.width());
        let cell = move |i: usize| {
            let word = tables.of(Content::States).word(id as usize * width + i / 2);
            (word >> (i % 2 * 32)) as u32
        };
        let escape = std::iter::once_with(move || tables.escape(id));
        (0..self.cells).map(cell).chain(escape)
    }

    /// Turns `view` to the state `id`, and tells the cells that differ, each with its old and its new value.
    #[inline]
    pub fn load(&self, view: &mut View, id: u32, mut changed: impl FnMut(u32, u32, u32)) {
        let tables = &*self.desk.pass;
        let states = tables.of(Content::States);
        let mut turn = |i: usize, new: u32| {
            let old = std::mem::replace(&mut view.nodes[i], new);
            if old != new {
                changed(i as u32, old, new);
            }
        };
        match self.form {
            Form::Word(low) => {
                let word = (states.word(id as usize), tables.escape(id));
                let new = cells(word, low).into_iter().enumerate();
                new.for_each(|(i, new)| turn(i, new));
            }
            Form::Vector => self
                .vector(id)
                .enumerate()
                .for_each(|(i, new)| turn(i, new)),
            Form::Tree(leaves) => {
                let root = root_of(tables, id);
                tree::load(&self.desk, leaves, &mut view.nodes, root, &mut changed);
            }
        }
    }
}

/// The id of the tree that differs from that of `view` by `changes`, to which `scratch` has climbed.
fn find_tree(
    desk: &Desk,
    scratch: &mut Scratch,
    hash: u32,
    view: &View,
    changes: &[Change],
) -> Option<u32> {
    desk.find(Content::States, hash, |tables, id| {
        scratch.is(root_of(tables, id), desk, &view.nodes, changes)
    })
}

/// The root of the tree that a state is.
#[inline]
fn root_of(tables: &Tables, id: u32) -> Root {
    let states = tables.of(Content::States);
    let mut root = Root::default();
    for (i, half) in root.chunks_exact_mut(2).enumerate() {
        let word = states.word(ROOT_WORDS * id as usize + i);
        (half[0], half[1]) = (word as u32, (word >> 32) as u32);
    }
    root
}
