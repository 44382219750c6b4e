//! Hierarchical set decision diagrams: sets whose edges are labelled with sets of a lower level.
//!
//! A set over a *pair* of parts is a partition of its left projection. With primes `Pᵢ` (sets over
//! the left part) and subs `Sᵢ` (sets over the right part),
//!
//! ```text
//! set = P₁ × S₁ ∪ … ∪ Pₖ × Sₖ      Pᵢ ≠ ∅ pairwise disjoint,  Sᵢ ≠ ∅ pairwise different
//! ```
//!
//! This form is canonical: equal sets are equal ids. A leaf is a set of local states of a component.
//! Ids say nothing about positions, so parts with equal sets share them: a chain of equal components
//! that is halved again and again needs a few nodes per power of two (`chain.rs`).
//!
//! | file | contents |
//! | --- | --- |
//! | `algebra.rs` | union, intersection, difference; partitions |
//! | `chain.rs` | chains and rings of equal components; saturation through the hierarchy |
//!
//! A. Hamez, Y. Thierry-Mieg, F. Kordon, *Hierarchical set decision diagrams and automatic
//! saturation*, Petri Nets 2008, have any number of parts and homomorphisms; A. Duret-Lutz, K. Klai,
//! D. Poitrenaud, Y. Thierry-Mieg, CoRR abs/1106.5700, §5.1, use them. Here a part is divided into
//! two, and events are relations of neighbours.

mod algebra;
mod chain;

pub use chain::{Chain, Component, Link, LocalRelation};

use crate::UBig;
use lariat_budget::{Budget, Lease, Stop};
use rustc_hash::FxHashMap;

/// Largest number of local states of a component.
pub const MOST_LOCAL_STATES: u32 = 64;

/// Bytes of a memoized result, with the empty slots of its table.
const MEMO_BYTES: usize = 32;

/// A set, by its number in the store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HierSet(u32);

impl HierSet {
    /// The empty set, over any shape.
    pub const EMPTY: HierSet = HierSet(0);

    /// Returns whether the set has no members.
    pub fn is_empty(self) -> bool {
        self == HierSet::EMPTY
    }
}

/// The content of a set.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum HierNode {
    /// The empty set.
    Empty,
    /// Local states, as bits.
    Leaf(u64),
    /// Primes with their subs, sorted by prime.
    Pair(Box<[(HierSet, HierSet)]>),
}

/// A store of sets.
#[derive(Debug)]
pub struct Hierarchy {
    nodes: Vec<HierNode>,
    ids: FxHashMap<HierNode, HierSet>,
    unions: FxHashMap<(HierSet, HierSet), HierSet>,
    intersections: FxHashMap<(HierSet, HierSet), HierSet>,
    differences: FxHashMap<(HierSet, HierSet), HierSet>,
    budget: Budget,
    /// Bytes of the tables.
    bytes: usize,
    lease: Lease,
}

impl Hierarchy {
    /// Creates an empty store under a budget.
    pub fn new(budget: &Budget) -> Hierarchy {
        Hierarchy {
            nodes: vec![HierNode::Empty],
            ids: FxHashMap::default(),
            unions: FxHashMap::default(),
            intersections: FxHashMap::default(),
            differences: FxHashMap::default(),
            budget: budget.clone(),
            bytes: 0,
            lease: budget.lease(),
        }
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Polls the budget and records more bytes; the lease grows in steps, ahead of the bytes in use.
    fn grow(&mut self, bytes: usize) -> Result<(), Stop> {
        self.budget.spend(1)?;
        self.bytes += bytes;
        if self.bytes as u64 > self.lease.bytes() {
            self.lease.resize(self.bytes + self.bytes / 4 + (1 << 16))?;
        }
        Ok(())
    }

    /// Polls the budget.
    fn poll(&self) -> Result<(), Stop> {
        self.budget.check()
    }

    fn intern(&mut self, node: HierNode) -> Result<HierSet, Stop> {
        if let Some(known) = self.ids.get(&node) {
            return Ok(*known);
        }
        let edges = match &node {
            HierNode::Pair(parts) => parts.len(),
            HierNode::Empty | HierNode::Leaf(_) => 0,
        };
        self.grow(2 * (size_of::<HierNode>() + edges * size_of::<(HierSet, HierSet)>()) + 16)?;
        if self.nodes.len() >= u32::MAX as usize {
            return Err(Stop::Memory);
        }
        let id = HierSet(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        Ok(id)
    }

    /// Returns the set of these local states, as bits.
    pub fn leaf(&mut self, states: u64) -> Result<HierSet, Stop> {
        match states {
            0 => Ok(HierSet::EMPTY),
            states => self.intern(HierNode::Leaf(states)),
        }
    }

    /// Returns `left × right`.
    pub fn pair(&mut self, left: HierSet, right: HierSet) -> Result<HierSet, Stop> {
        if left.is_empty() || right.is_empty() {
            return Ok(HierSet::EMPTY);
        }
        self.intern(HierNode::Pair([(left, right)].into()))
    }

    /// Returns the primes and subs of a set of pairs; none for another set.
    fn parts(&self, set: HierSet) -> Box<[(HierSet, HierSet)]> {
        match &self.nodes[set.0 as usize] {
            HierNode::Pair(parts) => parts.clone(),
            HierNode::Empty | HierNode::Leaf(_) => Box::default(),
        }
    }

    /// Returns the local states of a leaf; none for another set.
    fn local(&self, set: HierSet) -> u64 {
        match &self.nodes[set.0 as usize] {
            HierNode::Leaf(states) => *states,
            HierNode::Empty | HierNode::Pair(_) => 0,
        }
    }

    /// Returns the number of members.
    pub fn count(&self, set: HierSet) -> Result<UBig, Stop> {
        // A set refers to sets with smaller ids only.
        let mut below: FxHashMap<HierSet, UBig> = FxHashMap::default();
        let mut todo = vec![set];
        while let Some(&at) = todo.last() {
            self.poll()?;
            if below.contains_key(&at) {
                todo.pop();
                continue;
            }
            let parts = self.parts(at);
            let open = parts.iter().flat_map(|(p, s)| [*p, *s]);
            let open: Vec<HierSet> = open.filter(|part| !below.contains_key(part)).collect();
            if !open.is_empty() {
                todo.extend(open);
                continue;
            }
            let local = UBig::from(self.local(at).count_ones());
            let products = parts.iter().map(|(p, s)| &below[p] * &below[s]);
            let count = products.fold(local, |sum, product| sum + product);
            below.insert(at, count);
            todo.pop();
        }
        Ok(below.remove(&set).unwrap_or_default())
    }
}
