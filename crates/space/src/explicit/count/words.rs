//! Counting the states of small nets, which are words, with several workers.
//!
//! Counting only needs to know whether a state is new, not its id. So the set of states is a hash
//! set of words ([`WordSet`]), of which a lookup reads one cache line; with ids it would read a
//! slot and then the word, and both tables together would exceed the cache twice as soon.
//!
//! A state with a value that exceeds its field is no word. Few nets have such states; counting then
//! restarts with the general store (`shared_store.rs`).
//!
//! Cost: 10⅔ to 21⅓ bytes per state.

use super::super::Explicit;
use super::super::index::mix;
use super::super::layout::{Field, PackedLayout};
use super::super::words::Words;
use super::ExplicitCounts;
use super::together::{CountSearch, WorkerHalt};
use lariat_budget::{Budget, SharedLease, Stop};
use lariat_model::{Domain, Value, Variable};
use lariat_parallel::{Outside, SharedHandle, Slots, WordSet};
use std::hint::black_box;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

/// A bit that no state uses and every member of the set has, so that no member is 0.
const MEMBER: u64 = 1 << 63;
const PERMITS: usize = 256;
const LEAST_SLOTS: usize = 1 << 12;
/// A table with fewer slots fits into the cache and is not prefetched.
const LEAST_TOUCHED: usize = 1 << 15;
/// States between two polls of the budget: well below a millisecond.
const STATES_PER_CHECK: u32 = 128;

/// One of several counting workers.
pub(super) struct WordSearch<'a> {
    space: &'a Explicit<'a>,
    words: &'a Words,
    members: Members,
    tally: Tally,
    found: Vec<u64>,
    /// Hashes and words of the successors of a state.
    ahead: Vec<(u32, u64)>,
    budget: Budget,
    looked_at: u32,
}

impl<'a> WordSearch<'a> {
    /// Searches for `workers` threads, at least one; `None` if states are not words.
    pub fn for_workers(
        space: &'a Explicit<'a>,
        workers: usize,
        budget: &Budget,
    ) -> Option<Vec<WordSearch<'a>>> {
        let words = space.moves.words.as_ref()?;
        let tally = Tally::new(space)?;
        let first = Members::new(budget);
        let others: Vec<Members> = (1..workers).map(|_| first.another()).collect();
        let all = std::iter::once(first).chain(others);
        let search = |members| WordSearch {
            space,
            words,
            members,
            tally: tally.clone(),
            found: Vec::new(),
            ahead: Vec::new(),
            budget: budget.clone(),
            looked_at: 0,
        };
        Some(all.map(search).collect())
    }

    /// Adds the figures of this worker to `count`.
    pub fn add_to(&self, count: &mut ExplicitCounts) {
        self.tally.add_to(count);
        count.states += self.members.found;
        count.bytes = self.members.bytes.bytes();
        count.packed_bits = self.space.layout.bits() as u64;
    }

    fn add(&mut self, hash: u32, word: u64) -> Result<(), Stop> {
        if self.members.add(hash, word)? {
            self.found.push(word);
        }
        Ok(())
    }
}

impl CountSearch for WordSearch<'_> {
    type State = u64;

    fn open(&mut self) -> Result<(), Stop> {
        self.members.pass.enter();
        Ok(())
    }

    fn rest(&mut self) -> Outside<'_> {
        self.members.pass.outside(&self.members.budget)
    }

    fn start(&mut self) -> Result<(), WorkerHalt> {
        for initial in &self.space.system().initial {
            let word = word_of(initial, &self.space.layout).ok_or(WorkerHalt::Outgrown)?;
            self.add(mix(word), word)?;
        }
        Ok(())
    }

    #[inline]
    fn look(&mut self, word: u64, count: &mut ExplicitCounts) -> Result<(), WorkerHalt> {
        self.looked_at += 1;
        if self.looked_at >= STATES_PER_CHECK {
            self.looked_at = 0;
            self.budget.check()?;
        }
        if self.members.pass.is_wanted() {
            self.members.pass.yield_to_writer();
        }
        self.tally.observe(self.words, word);
        self.ahead.clear();
        let mut at = 0;
        while let Some(t) = self.words.find(word, at) {
            at = t + 1;
            let to = self.words.fire(word, t).ok_or(WorkerHalt::Outgrown)?;
            self.ahead.push((mix(to), to));
        }
        count.edges += self.ahead.len() as u64;
        count.deadlocks += u64::from(self.ahead.is_empty());
        self.members.prefetch(&self.ahead);
        for i in 0..self.ahead.len() {
            let (hash, to) = self.ahead[i];
            self.add(hash, to)?;
        }
        Ok(())
    }

    fn found(&mut self) -> &mut Vec<u64> {
        &mut self.found
    }

    fn states(&self) -> u64 {
        self.members.pass.granted.load(Relaxed) as u64
    }
}

/// The word of a state, if all values fit their fields.
fn word_of(state: &[Value], layout: &PackedLayout) -> Option<u64> {
    let low = layout.word?;
    let mut word = 0;
    for (value, field) in state.iter().zip(&layout.fields) {
        let (body, upper) = field.split(*value);
        if upper != 0 {
            return None;
        }
        word |= u64::from(body >> field.shift) << field.shift_in_word(low);
    }
    Some(word)
}

#[derive(Default)]
struct Shared {
    set: WordSet,
    granted: AtomicUsize,
}

impl Shared {
    fn room(&self) -> usize {
        Slots::room(self.set.capacity())
    }
}

/// One worker's handle to the set of states.
struct Members {
    pass: SharedHandle<Shared>,
    bytes: SharedLease,
    budget: Budget,
    permits: usize,
    /// Number of states that this worker was the first to insert.
    found: u64,
}

impl Members {
    fn new(budget: &Budget) -> Members {
        Members {
            pass: SharedHandle::new(Shared::default(), Shared::default()),
            bytes: budget.shared_lease(),
            budget: budget.clone(),
            permits: 0,
            found: 0,
        }
    }

    fn another(&self) -> Members {
        Members {
            pass: self.pass.another(),
            bytes: self.bytes.clone(),
            budget: self.budget.clone(),
            permits: 0,
            found: 0,
        }
    }

    /// Adds a word; returns whether it is new.
    #[inline]
    fn add(&mut self, hash: u32, word: u64) -> Result<bool, Stop> {
        if self.permits == 0 {
            self.refill()?;
        }
        let is_new = self.pass.set.add(hash, word | MEMBER);
        self.permits -= usize::from(is_new);
        self.found += u64::from(is_new);
        Ok(is_new)
    }

    #[inline]
    fn prefetch(&self, words: &[(u32, u64)]) {
        let set = &self.pass.set;
        if set.capacity() >= LEAST_TOUCHED {
            let first = |sum: u64, (hash, _): &(u32, u64)| sum ^ set.first(*hash);
            black_box(words.iter().fold(0, first));
        }
    }

    #[cold]
    fn refill(&mut self) -> Result<(), Stop> {
        loop {
            let room = self.pass.room();
            let more = |granted: usize| {
                let granted = granted + PERMITS;
                (granted <= room).then_some(granted)
            };
            let granted = self.pass.granted.fetch_update(AcqRel, Acquire, more);
            if granted.is_ok() {
                self.permits = PERMITS;
                return Ok(());
            }
            let bytes = &self.bytes;
            self.pass
                .with_exclusive(&self.budget, |shared| grow(shared, bytes))??;
        }
    }
}

/// Grows the table with exclusive access, unless another worker has grown it meanwhile.
fn grow(shared: &mut Shared, bytes: &SharedLease) -> Result<(), Stop> {
    if *shared.granted.get_mut() + PERMITS <= shared.room() {
        return Ok(());
    }
    let old = shared.set.capacity();
    let new = LEAST_SLOTS.max(2 * old);
    // Both tables exist during the copy.
    bytes.take(new * size_of::<u64>())?;
    shared.set.grow(new, |word| mix(word & !MEMBER));
    bytes.give(old * size_of::<u64>());
    Ok(())
}

/// Maxima of the token counts.
#[derive(Clone)]
struct Tally {
    /// Fields of the places.
    fields: Vec<Field>,
    /// Bits of the first cell.
    low: u32,
    /// Maximum of each field, as a word.
    peak: u64,
    /// The `i`-th has the bits of weight 2ⁱ of all fields.
    bits: Vec<u64>,
    /// Maximal sum of all fields.
    most: u64,
}

impl Tally {
    fn new(space: &Explicit<'_>) -> Option<Tally> {
        let low = space.layout.word?;
        let is_count = |var: &Variable| matches!(var.domain, Domain::Count { .. });
        let variables = space.system().variables.iter();
        let fields = space.layout.fields.iter().zip(variables);
        let fields = fields.filter(|(_, var)| is_count(var));
        let fields: Vec<Field> = fields.map(|(field, _)| *field).collect();
        let mut bits = Vec::new();
        for field in &fields {
            let width = usize::from(field.width);
            bits.resize(width.max(bits.len()), 0);
            for (bits, i) in bits[..width].iter_mut().zip(0..) {
                *bits |= 1 << (field.shift_in_word(low) + i);
            }
        }
        Some(Tally {
            fields,
            low,
            peak: 0,
            bits,
            most: 0,
        })
    }

    #[inline]
    fn observe(&mut self, words: &Words, word: u64) {
        if !words.covers(self.peak, word) {
            self.raise(word);
        }
        let ones = |(bits, i): (&u64, u32)| u64::from((word & bits).count_ones()) << i;
        let tokens = self.bits.iter().zip(0..).map(ones).sum();
        self.most = self.most.max(tokens);
    }

    #[cold]
    fn raise(&mut self, word: u64) {
        for field in &self.fields {
            let mask = u64::from(field.mask() >> field.shift) << field.shift_in_word(self.low);
            let most = (self.peak & mask).max(word & mask);
            self.peak = self.peak & !mask | most;
        }
    }

    /// Adds the maxima to `count`, with the lower bounds that the fields omit.
    fn add_to(&self, count: &mut ExplicitCounts) {
        let least = |field: &Field| field.low.max(0) as u64;
        let most = |field: &Field| {
            let raw =
                self.peak >> field.shift_in_word(self.low) & u64::from(field.mask() >> field.shift);
            least(field) + raw
        };
        let in_place = self.fields.iter().map(most).max().unwrap_or(0);
        count.max_tokens_in_place = count.max_tokens_in_place.max(in_place);
        let besides: u128 = self.fields.iter().map(|f| u128::from(least(f))).sum();
        count.max_tokens = count.max_tokens.max(besides + u128::from(self.most));
    }
}
