//! Node numbers of products: pairs of a state and an automaton state, of one or several workers.
//!
//! | variant | used for | number of a pair | storage |
//! | --- | --- | --- | --- |
//! | `Joined` | small automata | the state's, automaton state in the low bits | 1 bit |
//! | `Listed` | large automata; dense order | drawn in blocks per worker | list per state |
//!
//! A joined number needs no lookup, so an edge of the product misses the cache no more often than
//! one of the system. An unused number costs a check four bytes, which limits the size of the
//! automaton. The lists avoid a concurrent hash table: a state has few pairs. The listed numbers of
//! a single worker are dense, in the order of discovery.
//!
//! Concurrency: each worker owns a [`ProductNodes`] and calls it from its own thread. Bits are set
//! by `fetch_or` and are only counted, so relaxed order suffices. A list grows by compare-and-swap
//! of its head: Release publishes the new pair, Acquire reads it. A worker that loses the race
//! searches the pairs added before its own and retries. Segments grow under a leaf lock. A worker that stops leaves no pair unfinished.

use lariat_automata::StateId as Location;
use lariat_budget::{Budget, SharedLease, Stop};
use lariat_emptiness::NodeId;
use lariat_parallel::Segments;
use lariat_space::explicit::ExplicitStateId;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};

/// Node numbers that a worker draws at a time.
const BLOCK: u32 = 256;

/// New pairs after which a worker adds its count to the shared one.
const REPORT_INTERVAL: usize = 256;

/// Limit on the bits of the automaton state in joined numbers, from 0 to 4. More bits waste memory
/// where few pairs of each state are found.
const MOST_BITS: u32 = 3;

/// The pairs found so far by one or several workers. A new pair costs one unit of work.
#[derive(Debug)]
pub(crate) struct ProductNodes {
    numbers: Numbers,
    /// Number of pairs reported by all workers, in batches to avoid contention.
    reported: Arc<AtomicUsize>,
    unreported: usize,
    budget: Budget,
    is_sealed: bool,
}

#[derive(Clone, Debug)]
enum Numbers {
    Joined(Arc<Joined>),
    /// With the numbers that this worker assigns next.
    Listed(Arc<PairLists>, Range<u32>),
}

/// Number of low bits that hold the automaton state.
#[derive(Clone, Copy, Debug)]
struct Join(u32);

impl Join {
    /// Returns the encoding for this number of automaton states, if it is small enough.
    fn for_locations(locations: usize) -> Option<Join> {
        let bits = locations.next_power_of_two().trailing_zeros();
        (bits <= MOST_BITS).then_some(Join(bits))
    }

    #[inline]
    fn get(self, node: u32) -> (ExplicitStateId, Location) {
        let location = node & ((1 << self.0) - 1);
        (ExplicitStateId(node >> self.0), Location(location))
    }

    /// Returns the number of a pair, if it fits into 32 bits.
    #[inline]
    fn number(self, state: ExplicitStateId, location: Location) -> Option<u32> {
        let number = u64::from(state.0) << self.0 | u64::from(location.0);
        u32::try_from(number).ok().filter(|n| *n < NodeId::END)
    }
}

/// Bits by joined number: set if the pair was found.
#[derive(Debug)]
struct Joined {
    join: Join,
    found: Segments<AtomicU64>,
    bytes: SharedLease,
}

impl Joined {
    fn find(&self, state: ExplicitStateId, location: Location) -> Option<u32> {
        let number = self.join.number(state, location)?;
        let word = self.found.get(number as usize / 64)?.load(Relaxed);
        (word >> (number % 64) & 1 == 1).then_some(number)
    }

    /// Returns the number of a pair and whether this worker is the first to find it.
    #[inline]
    fn intern(&self, state: ExplicitStateId, location: Location) -> Result<(u32, bool), Stop> {
        let number = self.join.number(state, location).ok_or_else(too_many)?;
        let (at, bit) = (number as usize / 64, 1 << (number % 64));
        let word = match self.found.get(at) {
            Some(word) => word,
            None => {
                self.found.reserve(at, |more| self.bytes.take(more))?;
                self.found.at(at)
            }
        };
        // No data is published through the bit, so relaxed order suffices.
        let is_new = word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0;
        Ok((number, is_new))
    }
}

fn too_many() -> Stop {
    Stop::Bound("more than four billion product states".to_owned())
}

/// A list of pairs per state.
#[derive(Debug)]
struct PairLists {
    /// By state: its last pair plus one, the head of a list.
    last: Segments<AtomicU32>,
    pairs: Segments<Pair>,
    top: AtomicU32,
    bytes: SharedLease,
}

#[derive(Debug, Default)]
struct Pair {
    /// State in the low half, automaton state in the high half.
    both: AtomicU64,
    /// Pair of the same state added before, plus one; 0 ends the list.
    before: AtomicU32,
}

impl PairLists {
    fn get(&self, node: u32) -> (ExplicitStateId, Location) {
        let both = self.pairs.at(node as usize).both.load(Relaxed);
        (ExplicitStateId(both as u32), Location((both >> 32) as u32))
    }

    /// Searches the list from `first` up to, but excluding, `end` for a pair with this location.
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

    fn find(&self, state: ExplicitStateId, location: Location) -> Option<u32> {
        let last = self.last.get(state.index())?.load(Acquire);
        self.on_list(last, 0, location)
    }

    /// Draws numbers for new pairs.
    fn block(&self) -> Result<Range<u32>, Stop> {
        let more = |top: u32| (top < NodeId::END - BLOCK).then(|| top + BLOCK);
        let start = self.top.fetch_update(Relaxed, Relaxed, more);
        let start = start.map_err(|_| too_many())?;
        let block = start..start + BLOCK;
        let places = block.start as usize..block.end as usize;
        self.pairs
            .reserve_all(places, |more| self.bytes.take(more))?;
        Ok(block)
    }

    fn intern(
        &self,
        state: ExplicitStateId,
        location: Location,
        block: &mut Range<u32>,
    ) -> Result<(u32, bool), Stop> {
        self.last
            .reserve(state.index(), |more| self.bytes.take(more))?;
        let last = self.last.at(state.index());
        let (mut first, mut searched) = (last.load(Acquire), 0);
        loop {
            if let Some(known) = self.on_list(first, searched, location) {
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
                Err(now) => (first, searched) = (now, first),
            }
        }
    }
}

impl Numbers {
    /// Returns the form for an automaton with this many states.
    fn new(locations: usize, budget: &Budget) -> Numbers {
        let Some(join) = Join::for_locations(locations) else {
            return Numbers::listed(budget);
        };
        Numbers::Joined(Arc::new(Joined {
            join,
            found: Segments::new(),
            bytes: budget.shared_lease(),
        }))
    }

    fn listed(budget: &Budget) -> Numbers {
        let lists = PairLists {
            last: Segments::new(),
            pairs: Segments::new(),
            top: AtomicU32::new(0),
            bytes: budget.shared_lease(),
        };
        Numbers::Listed(Arc::new(lists), 0..0)
    }
}

impl ProductNodes {
    /// Creates an empty collection for one worker and an automaton with this many states.
    pub fn new(locations: usize, budget: &Budget) -> ProductNodes {
        ProductNodes::with_numbers(Numbers::new(locations, budget), budget)
    }

    /// Creates a collection with dense numbers, from 0 in the order of discovery.
    pub fn in_order(budget: &Budget) -> ProductNodes {
        ProductNodes::with_numbers(Numbers::listed(budget), budget)
    }

    /// Creates an empty collection shared by `workers`, for an automaton with this many states.
    pub fn shared(workers: usize, locations: usize, budget: &Budget) -> Vec<ProductNodes> {
        let numbers = Numbers::new(locations, budget);
        let reported = Arc::default();
        let worker = |_| {
            let mut nodes = ProductNodes::with_numbers(numbers.clone(), budget);
            nodes.reported = Arc::clone(&reported);
            nodes
        };
        (0..workers).map(worker).collect()
    }

    fn with_numbers(numbers: Numbers, budget: &Budget) -> ProductNodes {
        ProductNodes {
            numbers,
            reported: Arc::default(),
            unreported: 0,
            budget: budget.clone(),
            is_sealed: false,
        }
    }

    /// Freezes the collection: no pair is added from now on.
    pub fn seal(&mut self) {
        self.is_sealed = true;
    }

    pub fn get(&self, node: NodeId) -> (ExplicitStateId, Location) {
        match &self.numbers {
            Numbers::Joined(joined) => joined.join.get(node.0),
            Numbers::Listed(lists, _) => lists.get(node.0),
        }
    }

    /// Returns the number of a pair; `None` if it is unknown and the collection is sealed.
    pub fn reach(
        &mut self,
        state: ExplicitStateId,
        location: Location,
    ) -> Result<Option<NodeId>, Stop> {
        if !self.is_sealed {
            return self.intern(state, location).map(Some);
        }
        let found = match &self.numbers {
            Numbers::Joined(joined) => joined.find(state, location),
            Numbers::Listed(lists, _) => lists.find(state, location),
        };
        Ok(found.map(NodeId))
    }

    pub fn intern(&mut self, state: ExplicitStateId, location: Location) -> Result<NodeId, Stop> {
        let (id, new) = match &mut self.numbers {
            Numbers::Joined(joined) => joined.intern(state, location)?,
            Numbers::Listed(lists, block) => lists.intern(state, location, block)?,
        };
        if new {
            self.unreported += 1;
            if self.unreported == REPORT_INTERVAL {
                self.report();
            }
            self.budget.spend(1)?;
        }
        Ok(NodeId(id))
    }

    fn report(&mut self) {
        let more = std::mem::take(&mut self.unreported);
        self.reported.fetch_add(more, Relaxed);
    }

    /// Returns the number of pairs; approximate while other workers are running.
    pub fn len(&self) -> usize {
        self.reported.load(Relaxed) + self.unreported
    }
}

impl Drop for ProductNodes {
    fn drop(&mut self) {
        self.report();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// In every variant, interned pairs keep their numbers and no others are found.
    #[test]
    fn pairs_keep_their_numbers() {
        for locations in [1, 2, 3, 4, 5, 300] {
            let budget = Budget::unlimited();
            for mut pairs in [
                ProductNodes::new(locations, &budget),
                ProductNodes::in_order(&budget),
            ] {
                let all = (0..5_000)
                    .map(|i| (ExplicitStateId(i * 7 % 5_000), i as usize * 5 % locations));
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
                assert_eq!(
                    pairs.reach(ExplicitStateId(u32::MAX), Location(0)),
                    Ok(None)
                );
            }
        }
    }

    #[test]
    fn numbers_beyond_32_bits_are_refused() {
        let mut pairs = ProductNodes::new(4, &Budget::unlimited());
        let refused = pairs.intern(ExplicitStateId(1 << 30), Location(0));
        assert!(matches!(refused, Err(Stop::Bound(_))));
    }

    /// Workers that intern the same pairs in different orders agree about every number.
    #[test]
    fn shared_numbers_agree() {
        check_shared_numbers(20);
        check_shared_numbers(3);
    }

    /// The automaton has one more state, which occurs in no pair.
    fn check_shared_numbers(locations: u32) {
        let budget = Budget::bytes(50_000_000);
        let mut all = ProductNodes::shared(4, locations as usize + 1, &budget);
        let found: Vec<HashMap<(u32, u32), NodeId>> = std::thread::scope(|scope| {
            let work = |(i, pairs): (u32, &mut ProductNodes)| {
                let mut found = HashMap::new();
                for k in 0..20_000u32 {
                    // A different permutation per worker.
                    let k = (k * (2 * i + 7) + i) % 20_000;
                    let (state, location) = (k / 4 % 1000, (k % 4 * 5 + k / 4000) % locations);
                    let node = pairs
                        .intern(ExplicitStateId(state), Location(location))
                        .unwrap();
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
        assert_eq!(
            all[0].reach(ExplicitStateId(0), Location(locations)),
            Ok(None)
        );
        assert_eq!(all[0].reach(ExplicitStateId(70_000), Location(0)), Ok(None));
        drop(all);
        assert_eq!(budget.bytes_used(), 0);
    }
}
