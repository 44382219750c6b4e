//! Chains and rings of equal components, by recursive halving.
//!
//! A chain of `n` components is a pair of chains of `⌈n/2⌉` and `⌊n/2⌋`, so there are at most two
//! lengths per level, and parts of equal length share all results. Events change one component, or a
//! component and its right neighbour:
//!
//! ```text
//! saturate(n, Z)    repeat  Z := ⋃ saturate(⌈n/2⌉, Pᵢ) × saturate(⌊n/2⌋, Sᵢ)
//!                           for every link (a, b):   Z := Z ∪ ⋃ last(a, Pᵢ) × first(b, Sᵢ)
//!                   until stable
//! ```
//!
//! `last(a, ·)` applies a local relation to the last component of a part, `first(b, ·)` to the first.
//! In a ring the links also lead from the last component to the first. A fixpoint of a part is
//! computed once per set, wherever the part is: time grows with the logarithm of the length where
//! parts have equal sets.

use super::{HierSet, Hierarchy, MEMO_BYTES, MOST_LOCAL_STATES};
use lariat_budget::Stop;
use rustc_hash::FxHashMap;

/// A relation on the local states of a component: per state its successors, as bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalRelation(pub Vec<u64>);

impl LocalRelation {
    fn image(&self, states: u64) -> u64 {
        let bits = (0..MOST_LOCAL_STATES as usize).filter(|i| states >> i & 1 == 1);
        let images = bits.filter_map(|state| self.0.get(state));
        images.fold(0, |all, image| all | image)
    }
}

/// A component: its initial state and the events that change only it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// Initial local states, as bits.
    pub initial: u64,
    /// The local events.
    pub events: Vec<LocalRelation>,
}

/// An event of a component and its right neighbour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// The change of the component.
    pub left: LocalRelation,
    /// The change of its neighbour.
    pub right: LocalRelation,
}

/// The components that a local relation is applied to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum End {
    First,
    Last,
}

/// A chain of equal components.
#[derive(Debug)]
pub struct Chain<'a> {
    component: &'a Component,
    links: &'a [Link],
    saturated: FxHashMap<(u32, HierSet), HierSet>,
    applied: FxHashMap<(HierSet, usize, End), HierSet>,
}

impl<'a> Chain<'a> {
    /// Creates a chain of such components.
    pub fn new(component: &'a Component, links: &'a [Link]) -> Chain<'a> {
        Chain {
            component,
            links,
            saturated: FxHashMap::default(),
            applied: FxHashMap::default(),
        }
    }

    /// Returns the initial states of a chain of `length` components, at least one.
    pub fn initial(&self, store: &mut Hierarchy, length: u32) -> Result<HierSet, Stop> {
        // Two lengths per level: `n` and `n + 1` halve to three, two of them equal.
        let mut known: FxHashMap<u32, HierSet> = FxHashMap::default();
        known.insert(1, store.leaf(self.component.initial)?);
        let mut todo = vec![length.max(1)];
        while let Some(&at) = todo.last() {
            store.poll()?;
            let (left, right) = halves(at);
            match (known.get(&left), known.get(&right)) {
                _ if known.contains_key(&at) => {
                    todo.pop();
                }
                (Some(&left), Some(&right)) => {
                    known.insert(at, store.pair(left, right)?);
                }
                _ => todo.extend([left, right]),
            }
        }
        Ok(known.remove(&length.max(1)).unwrap_or(HierSet::EMPTY))
    }

    /// Returns the states that a ring of `length` components reaches, at least two.
    pub fn reach_in_ring(&mut self, store: &mut Hierarchy, length: u32) -> Result<HierSet, Stop> {
        let mut here = self.initial(store, length)?;
        loop {
            store.poll()?;
            let before = here;
            here = self.saturate(store, length, here)?;
            for link in 0..self.links.len() {
                let last = self.apply(store, link, End::Last, here)?;
                let both = self.apply(store, link, End::First, last)?;
                here = store.union(here, both)?;
            }
            if here == before {
                return Ok(here);
            }
        }
    }

    /// Returns the states that a chain of `length` components reaches from a set.
    pub fn saturate(
        &mut self,
        store: &mut Hierarchy,
        length: u32,
        set: HierSet,
    ) -> Result<HierSet, Stop> {
        if set.is_empty() {
            return Ok(set);
        }
        if let Some(known) = self.saturated.get(&(length, set)) {
            return Ok(*known);
        }
        let found = if length <= 1 {
            self.saturate_component(store, set)?
        } else {
            self.saturate_pair(store, length, set)?
        };
        store.grow(2 * MEMO_BYTES)?;
        self.saturated.insert((length, set), found);
        self.saturated.insert((length, found), found);
        Ok(found)
    }

    fn saturate_component(&self, store: &mut Hierarchy, set: HierSet) -> Result<HierSet, Stop> {
        let mut states = store.local(set);
        loop {
            store.poll()?;
            let images = self
                .component
                .events
                .iter()
                .map(|event| event.image(states));
            let more = images.fold(states, |all, image| all | image);
            if more == states {
                return store.leaf(states);
            }
            states = more;
        }
    }

    fn saturate_pair(
        &mut self,
        store: &mut Hierarchy,
        length: u32,
        set: HierSet,
    ) -> Result<HierSet, Stop> {
        let (left, right) = halves(length);
        let mut here = set;
        loop {
            store.poll()?;
            let before = here;
            for (prime, sub) in store.parts(here) {
                let prime = self.saturate(store, left, prime)?;
                let sub = self.saturate(store, right, sub)?;
                let both = store.pair(prime, sub)?;
                here = store.union(here, both)?;
            }
            for link in 0..self.links.len() {
                for (prime, sub) in store.parts(here) {
                    let prime = self.apply(store, link, End::Last, prime)?;
                    let sub = self.apply(store, link, End::First, sub)?;
                    let both = store.pair(prime, sub)?;
                    here = store.union(here, both)?;
                }
            }
            if here == before {
                return Ok(here);
            }
        }
    }

    /// Applies a side of a link to the component at an end of a part.
    fn apply(
        &mut self,
        store: &mut Hierarchy,
        link: usize,
        end: End,
        set: HierSet,
    ) -> Result<HierSet, Stop> {
        if set.is_empty() {
            return Ok(set);
        }
        if let Some(known) = self.applied.get(&(set, link, end)) {
            return Ok(*known);
        }
        let local = store.local(set);
        let found = if local != 0 {
            let relation = match end {
                End::First => &self.links[link].right,
                End::Last => &self.links[link].left,
            };
            store.leaf(relation.image(local))?
        } else {
            let mut all = HierSet::EMPTY;
            for (prime, sub) in store.parts(set) {
                let (prime, sub) = match end {
                    End::First => (self.apply(store, link, end, prime)?, sub),
                    End::Last => (prime, self.apply(store, link, end, sub)?),
                };
                // Images of disjoint primes may overlap.
                let part = store.pair(prime, sub)?;
                all = store.union(all, part)?;
            }
            all
        };
        store.grow(MEMO_BYTES)?;
        self.applied.insert((set, link, end), found);
        Ok(found)
    }
}

fn halves(length: u32) -> (u32, u32) {
    (length.div_ceil(2), length / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UBig;
    use lariat_budget::Budget;

    /// A philosopher with the fork to the left: bits of the local state are fork, waits left, has
    /// left, waits right, has right; thinking if none of the last four.
    fn philosophers() -> (Component, Vec<Link>) {
        let state =
            |fork: bool, left: u8, right: u8| usize::from(fork) + 2 * (3 * left + right) as usize;
        // 0: none, 1: waits, 2: has.
        let mut hungry = vec![0; 18];
        let mut takes_left = vec![0; 18];
        let mut takes_right = vec![0; 18];
        let mut puts_back = vec![0; 18];
        let mut loses_fork = vec![0; 18];
        let mut gains_fork = vec![0; 18];
        for left in 0..3 {
            for right in 0..3 {
                for fork in [false, true] {
                    let at = state(fork, left, right);
                    if (left, right) == (0, 0) {
                        hungry[at] = 1 << state(fork, 1, 1);
                    }
                    if left == 1 && fork {
                        takes_left[at] = 1 << state(false, 2, right);
                    }
                    if right == 1 {
                        takes_right[at] = 1 << state(fork, left, 2);
                    }
                    if (left, right) == (2, 2) && !fork {
                        puts_back[at] = 1 << state(true, 0, 0);
                    }
                    if fork {
                        loses_fork[at] = 1 << state(false, left, right);
                    } else {
                        gains_fork[at] = 1 << state(true, left, right);
                    }
                }
            }
        }
        let component = Component {
            initial: 1 << state(true, 0, 0),
            events: vec![LocalRelation(hungry), LocalRelation(takes_left)],
        };
        let link = |left, right| Link {
            left: LocalRelation(left),
            right: LocalRelation(right),
        };
        let links = vec![link(takes_right, loses_fork), link(puts_back, gains_fork)];
        (component, links)
    }

    /// The number of markings of `n` philosophers: the Lucas number of 3n, by doubling.
    fn lucas(n: u32) -> UBig {
        // Pairs of Fibonacci numbers F(k), F(k + 1); L(k) = 2 F(k + 1) - F(k).
        let k = 3 * u64::from(n);
        let (mut a, mut b) = (UBig::ZERO, UBig::ONE);
        for bit in (0..64).rev() {
            let twice = &b * 2u32 - &a;
            let c = &a * &twice;
            let d = &a * &a + &b * &b;
            (a, b) = if k >> bit & 1 == 1 {
                (d.clone(), c + d)
            } else {
                (c, d)
            };
        }
        b * 2u32 - a
    }

    fn reached(n: u32) -> (UBig, usize) {
        let (component, links) = philosophers();
        let mut store = Hierarchy::new(&Budget::unlimited());
        let mut chain = Chain::new(&component, &links);
        let found = chain.reach_in_ring(&mut store, n).expect("no limit");
        (store.count(found).expect("no limit"), store.nodes())
    }

    #[test]
    fn philosophers_are_counted() {
        for n in [2, 3, 4, 5, 6, 7, 8, 13, 31, 32, 33, 100] {
            assert_eq!(reached(n).0, lucas(n), "{n}");
        }
    }

    /// Nodes grow with the logarithm of the number of components.
    #[test]
    fn a_million_philosophers_need_few_nodes() {
        let (count, nodes) = reached(1_000_000);
        assert_eq!(count, lucas(1_000_000));
        let (_, fewer) = reached(1_000);
        println!("{nodes} nodes for a million, {fewer} for a thousand");
        assert!(nodes < 4 * fewer, "{nodes} and {fewer}");
    }

    #[test]
    fn limits_are_respected() {
        let (component, links) = philosophers();
        let budget = Budget::unlimited().with_work(50);
        let mut store = Hierarchy::new(&budget);
        let found = Chain::new(&component, &links).reach_in_ring(&mut store, 100);
        assert!(matches!(found, Err(Stop::Work(_))), "{found:?}");
    }
}
