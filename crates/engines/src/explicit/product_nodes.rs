//! Nodes of products: pairs of a state and a state of the automaton.
//!
//! Where the automaton has few states, a pair *is* its number: the state's, with the automaton's in the lowest bits. Nothing has to be looked up, so that an
//! edge of the product waits for memory no more often than one of the system; numbers that nobody uses cost a search four bytes each, by one worker or by several. Larger automata would leave too many, and some
//! want nodes in the order of discovery: for those one worker keeps pairs by their contents. Several share those of larger automata without a table that would have to grow: a state has few pairs, which form a list that begins
//! at the state. A new one is written and then put before the others by one exchange; whoever was slower looks at what has come before its own.

use lariat_automata::StateId as Location;
use lariat_budget::{Budget, Lease, Stop};
use lariat_emptiness::NodeId;
use lariat_parallel::Segments;
use lariat_space::explicit::{Interner, StateId};
use std::ops::Range;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError};

/// Nodes that a worker numbers at a time.
const BLOCK: u32 = 256;

/// New pairs after which a worker tells how many there are.
const UNTOLD: usize = 256;

/// Automata of at most 2 to this many states have pairs that are numbers. With eight states a search keeps 33 bytes a state at worst, in place of 21 for each pair. It may be from 0 to 4; with 4 there are
/// twice as many bytes for nothing where few pairs of a state are found. (Kanban 5 with an automaton of 7 states: 1.50 s in place of 2.63, 157 MB in place of 125; slotted ring 7 with one of 5: 13.9 s and 808 MB in place of 23.8 s and 637 MB. With 2
/// both kept pairs by their contents.)
const MOST_BITS: u32 = 3;

/// The pairs found so far, by one worker or by several. A new one is a unit of work.
#[derive(Debug)]
pub(crate) struct ProductNodes {
    numbers: Numbers,
    /// How many were found, but for those that this worker was the first to find and has not told yet. It does so now and then: a number that all write is
    /// one that each waits for.
    told: Arc<AtomicUsize>,
    untold: usize,
    budget: Budget,
    is_sealed: bool,
}

#[derive(Debug)]
enum Numbers {
    Joined(Joined),
    JoinedCommon(Arc<SharedJoined>),
    /// In the order of discovery: the state in the first cell, the automaton's in the second.
    Own(Interner),
    /// With the numbers that this worker gives out next.
    Common(Arc<SharedPairs>, Range<u32>),
}

/// How pairs are numbers: so many bits are those of the automaton's state.
#[derive(Clone, Copy, Debug)]
struct Join(u32);

impl Join {
    /// For an automaton with this many states, if they are few.
    fn of(locations: usize) -> Option<Join> {
        let bits = locations.next_power_of_two().trailing_zeros();
        (bits <= MOST_BITS).then_some(Join(bits))
    }

    #[inline]
    fn get(self, node: u32) -> (StateId, Location) {
        let location = node & ((1 << self.0) - 1);
        (StateId(node >> self.0), Location(location))
    }

    /// The number of a pair, if it fits.
    #[inline]
    fn number(self, state: StateId, location: Location) -> Option<u32> {
        let number = u64::from(state.0) << self.0 | u64::from(location.0);
        u32::try_from(number).ok().filter(|n| *n < NodeId::END)
    }
}

/// Pairs that are numbers.
#[derive(Debug)]
struct Joined {
    join: Join,
    /// One bit for each pair: has it been found?
    found: Vec<u64>,
    bytes: Lease,
}

impl Joined {
    fn find(&self, state: StateId, location: Location) -> Option<u32> {
        let number = self.join.number(state, location)?;
        let word = self.found.get(number as usize / 64)?;
        (word >> (number % 64) & 1 == 1).then_some(number)
    }

    /// The number of a pair, and whether it is new.
    #[inline]
    fn intern(&mut self, state: StateId, location: Location) -> Result<(u32, bool), Stop> {
        let number = self.join.number(state, location).ok_or_else(too_many)?;
        let at = number as usize / 64;
        if at >= self.found.len() {
            self.grow(at)?;
        }
        let (word, bit) = (&mut self.found[at], 1 << (number % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        Ok((number, is_new))
    }

    #[cold]
    fn grow(&mut self, at: usize) -> Result<(), Stop> {
        let words = (at + 1).max(2 * self.found.len()).max(LEAST_WORDS);
        self.bytes.resize(words * size_of::<u64>())?;
        self.found.resize(words, 0);
        Ok(())
    }
}

/// The same for several workers.
#[derive(Debug)]
struct SharedJoined {
    join: Join,
    found: Segments<AtomicU64>,
    bytes: Mutex<Lease>,
}

impl SharedJoined {
    fn find(&self, state: StateId, location: Location) -> Option<u32> {
        let number = self.join.number(state, location)?;
        let word = self.found.get(number as usize / 64)?.load(Relaxed);
        (word >> (number % 64) & 1 == 1).then_some(number)
    }

    /// The number of a pair, and whether this worker is the first to find it.
    #[inline]
    fn intern(&self, state: StateId, location: Location) -> Result<(u32, bool), Stop> {
        let number = self.join.number(state, location).ok_or_else(too_many)?;
        let (at, bit) = (number as usize / 64, 1 << (number % 64));
        let word = match self.found.get(at) {
            Some(word) => word,
            None => {
                self.found
                    .reserve(at, |more| lease_more(&self.bytes, more))?;
                self.found.at(at)
            }
        };
        // Nothing is read by what the bit says: it only counts.
        let is_new = word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0;
        Ok((number, is_new))
    }
}

fn lease_more(bytes: &Mutex<Lease>, more: usize) -> Result<(), Stop> {
    let mut lease = bytes.lock().unwrap_or_else(PoisonError::into_inner);
    let held = lease.bytes() as usize;
    lease.resize(held + more)
}

/// The words that hold the first bits of pairs that are numbers.
const LEAST_WORDS: usize = 16;

fn too_many() -> Stop {
    Stop::Bound("more than four billion product states".to_owned())
}

/// The pairs of several workers.
#[derive(Debug)]
struct SharedPairs {
    /// For each state its last pair, plus one.
    last: Segments<AtomicU32>,
    pairs: Segments<Pair>,
    top: AtomicU32,
    bytes: Mutex<Lease>,
}

#[derive(Debug, Default)]
struct Pair {
    /// The state below, the automaton's above.
    both: AtomicU64,
    /// The pair of the same state that was found before, plus one.
    before: AtomicU32,
}

impl SharedPairs {
    fn lease(&self, more: usize) -> Result<(), Stop> {
        lease_more(&self.bytes, more)
    }

    fn get(&self, node: u32) -> (StateId, Location) {
        let both = self.pairs.at(node as usize).both.load(Relaxed);
        (StateId(both as u32), Location((both >> 32) as u32))
    }

    /// The pair with this location on the list that begins with `first`, looked for as far as `end`.
    fn on_list(&self, first: u32, end: u32, location: Location) -> Option<u32> {
        let mut at = first;
        while at != end {
            if self.get(at - 1).1 == location {
                return Some(at - 1);
            }
            at = self.pairs.at(at as usize - 1).before.load(Relaxed);
        }
        None
    }

    fn find(&self, state: StateId, location: Location) -> Option<u32> {
        let last = self.last.get(state.index())?.load(Acquire);
        self.on_list(last, 0, location)
    }

    /// Numbers for new pairs.
    fn block(&self) -> Result<Range<u32>, Stop> {
        let more = |top: u32| (top < NodeId::END - BLOCK).then(|| top + BLOCK);
        let start = self.top.fetch_update(Relaxed, Relaxed, more);
        let start = start.map_err(|_| too_many())?;
        let block = start..start + BLOCK;
        let places = block.start as usize..block.end as usize;
        self.pairs.reserve_all(places, |more| self.lease(more))?;
        Ok(block)
    }

    /// The number of a pair, and whether it is new.
    fn intern(
        &self,
        (state, location): (StateId, Location),
        block: &mut Range<u32>,
    ) -> Result<(u32, bool), Stop> {
        self.last.reserve(state.index(), |more| self.lease(more))?;
        let last = self.last.at(state.index());
        let (mut first, mut looked_at) = (last.load(Acquire), 0);
        loop {
            if let Some(known) = self.on_list(first, looked_at, location) {
                return Ok((known, false));
            }
            if block.start == block.end {
                *block = self.block()?;
            }
            let pair = self.pairs.at(block.start as usize);
            let both = u64::from(state.0) | u64::from(location.0) << 32;
            pair.both.store(both, Relaxed);
            pair.before.store(first, Relaxed);
            let put = last.compare_exchange(first, block.start + 1, AcqRel, Acquire);
            match put {
                Ok(_) => {
                    block.start += 1;
                    return Ok((block.start - 1, true));
                }
                Err(now) => (first, looked_at) = (now, first),
            }
        }
    }
}

impl ProductNodes {
    /// None yet, for an automaton with this many states.
    pub fn new(locations: usize, budget: &Budget) -> ProductNodes {
        let Some(join) = Join::of(locations) else {
            return ProductNodes::in_order(locations, budget);
        };
        let joined = Joined {
            join,
            found: Vec::new(),
            bytes: budget.lease(),
        };
        ProductNodes::of(Numbers::Joined(joined), budget)
    }

    /// The same with numbers that are dense, from 0, in the order of discovery.
    pub fn in_order(locations: usize, budget: &Budget) -> ProductNodes {
        let bits = u32::BITS - (locations as u32).leading_zeros();
        let own = Interner::new(4 + bits.div_ceil(8) as usize, budget);
        ProductNodes::of(Numbers::Own(own), budget)
    }

    /// An empty collection shared by `workers`, for an automaton with this many states.
    pub fn common(workers: usize, locations: usize, budget: &Budget) -> Vec<ProductNodes> {
        let bytes = Mutex::new(budget.lease());
        let told = Arc::default();
        let worker = |numbers| {
            let mut pairs = ProductNodes::of(numbers, budget);
            pairs.told = Arc::clone(&told);
            pairs
        };
        if let Some(join) = Join::of(locations) {
            let joined = Arc::new(SharedJoined {
                join,
                found: Segments::new(),
                bytes,
            });
            let numbers = |_| Numbers::JoinedCommon(joined.clone());
            return (0..workers).map(numbers).map(worker).collect();
        }
        let common = Arc::new(SharedPairs {
            last: Segments::new(),
            pairs: Segments::new(),
            top: AtomicU32::new(0),
            bytes,
        });
        let numbers = |_| Numbers::Common(common.clone(), 0..0);
        (0..workers).map(numbers).map(worker).collect()
    }

    fn of(numbers: Numbers, budget: &Budget) -> ProductNodes {
        ProductNodes {
            numbers,
            told: Arc::default(),
            untold: 0,
            budget: budget.clone(),
            is_sealed: false,
        }
    }

    /// From now on no pair is added.
    pub fn seal(&mut self) {
        self.is_sealed = true;
    }

    pub fn get(&self, node: NodeId) -> (StateId, Location) {
        match &self.numbers {
            Numbers::Joined(joined) => joined.join.get(node.0),
            Numbers::JoinedCommon(joined) => joined.join.get(node.0),
            Numbers::Own(cells) => {
                let mut cells = cells.get(node.0);
                let mut next = || cells.next().unwrap_or(0);
                (StateId(next()), Location(next()))
            }
            Numbers::Common(common, _) => common.get(node.0),
        }
    }

    /// The number of a pair; `None` if it is unknown and stays so.
    pub fn reach(&mut self, state: StateId, location: Location) -> Result<Option<NodeId>, Stop> {
        if !self.is_sealed {
            return self.intern(state, location).map(Some);
        }
        let found = match &self.numbers {
            Numbers::Joined(joined) => joined.find(state, location),
            Numbers::JoinedCommon(joined) => joined.find(state, location),
            Numbers::Own(cells) => cells.find(&[state.0, location.0]),
            Numbers::Common(common, _) => common.find(state, location),
        };
        Ok(found.map(NodeId))
    }

    pub fn intern(&mut self, state: StateId, location: Location) -> Result<NodeId, Stop> {
        let (id, new) = match &mut self.numbers {
            Numbers::Joined(joined) => joined.intern(state, location)?,
            Numbers::JoinedCommon(joined) => joined.intern(state, location)?,
            Numbers::Own(cells) => cells.intern(&[state.0, location.0])?,
            Numbers::Common(common, block) => common.intern((state, location), block)?,
        };
        if new {
            self.untold += 1;
            if self.untold == UNTOLD {
                self.tell();
            }
            self.budget.spend(1)?;
        }
        Ok(NodeId(id))
    }

    fn tell(&mut self) {
        let more = std::mem::take(&mut self.untold);
        self.told.fetch_add(more, Relaxed);
    }

    /// How many were found; by several workers, about so many as long as others are at work.
    pub fn len(&self) -> usize {
        self.told.load(Relaxed) + self.untold
    }
}

impl Drop for ProductNodes {
    fn drop(&mut self) {
        self.tell();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Whatever numbers pairs have, they are found again, and only those that were.
    #[test]
    fn pairs_come_back() {
        for locations in [1, 2, 3, 4, 5, 300] {
            let budget = Budget::unlimited();
            for mut pairs in [
                ProductNodes::new(locations, &budget),
                ProductNodes::in_order(locations, &budget),
            ] {
                let all = (0..5_000).map(|i| (StateId(i * 7 % 5_000), i as usize * 5 % locations));
                let all: Vec<_> = all.map(|(s, q)| (s, Location(q as u32))).collect();
                let nodes: Vec<_> = all.iter().map(|(s, q)| pairs.intern(*s, *q)).collect();
                assert_eq!(pairs.len(), all.len());
                pairs.seal();
                for ((s, q), node) in all.iter().zip(nodes) {
                    let node = node.unwrap();
                    assert_eq!(pairs.get(node), (*s, *q));
                    assert_eq!(pairs.reach(*s, *q), Ok(Some(node)));
                    let other = Location((q.0 + 1) % locations as u32);
                    assert_eq!(pairs.reach(*s, other) == Ok(None), other != *q);
                }
                assert_eq!(pairs.reach(StateId(u32::MAX), Location(0)), Ok(None));
            }
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        let mut pairs = ProductNodes::new(4, &Budget::unlimited());
        let refused = pairs.intern(StateId(1 << 30), Location(0));
        assert!(matches!(refused, Err(Stop::Bound(_))));
    }

    /// Workers that come by in different orders agree about every number.
    #[test]
    fn numbers_are_common() {
        numbers_are_common_with(20);
        numbers_are_common_with(3);
    }

    /// With an automaton that has one more state, which is in no pair.
    fn numbers_are_common_with(locations: u32) {
        let budget = Budget::bytes(50_000_000);
        let mut all = ProductNodes::common(4, locations as usize + 1, &budget);
        let found: Vec<HashMap<(u32, u32), NodeId>> = std::thread::scope(|scope| {
            let work = |(i, pairs): (u32, &mut ProductNodes)| {
                let mut found = HashMap::new();
                for k in 0..20_000u32 {
                    // A permutation, another one for each worker.
                    let k = (k * (2 * i + 7) + i) % 20_000;
                    let (state, location) = (k / 4 % 1000, (k % 4 * 5 + k / 4000) % locations);
                    let node = pairs.intern(StateId(state), Location(location)).unwrap();
                    found.insert((state, location), node);
                }
                found
            };
            let threads = (0..).zip(&mut all);
            let threads: Vec<_> = threads.map(|t| scope.spawn(move || work(t))).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        for other in &found {
            for (pair, node) in other {
                assert!(found.iter().all(|f| f.get(pair).is_none_or(|n| n == node)));
                let (state, location) = all[0].get(*node);
                assert_eq!((state.0, location.0), *pair);
            }
        }
        let mut different: Vec<(u32, u32)> = found.iter().flat_map(|f| f.keys().copied()).collect();
        different.sort_unstable();
        different.dedup();
        all.truncate(1);
        assert_eq!(all[0].len(), different.len());
        all[0].seal();
        assert_eq!(all[0].reach(StateId(0), Location(locations)), Ok(None));
        assert_eq!(all[0].reach(StateId(70_000), Location(0)), Ok(None));
        drop(all);
        assert_eq!(budget.bytes_used(), 0);
    }
}
