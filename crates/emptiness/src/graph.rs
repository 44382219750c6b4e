//! The graph trait that all products implement.

use std::fmt;

/// A set of acceptance marks, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Marks(pub u64);

impl Marks {
    /// No mark.
    pub const NONE: Marks = Marks(0);
    /// Maximum number of marks.
    pub const MAX: u32 = 64;

    /// The marks `0..n`. `n` is at most [`Marks::MAX`].
    pub fn all(n: u32) -> Marks {
        assert!(n <= Marks::MAX, "at most {} acceptance marks", Marks::MAX);
        if n == 64 {
            Marks(u64::MAX)
        } else {
            Marks((1 << n) - 1)
        }
    }

    /// The single mark `i`.
    pub fn one(i: u32) -> Marks {
        assert!(i < Marks::MAX);
        Marks(1 << i)
    }

    /// Union of both sets.
    #[must_use]
    pub fn union(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    /// Intersection of both sets.
    #[must_use]
    pub fn intersection(self, other: Marks) -> Marks {
        Marks(self.0 & other.0)
    }

    /// Marks that are not in `other`.
    #[must_use]
    pub fn minus(self, other: Marks) -> Marks {
        Marks(self.0 & !other.0)
    }

    /// Returns whether every mark of `other` is in this set.
    pub fn contains(self, other: Marks) -> bool {
        other.0 & !self.0 == 0
    }

    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of marks.
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The marks in increasing order.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let i = rest.trailing_zeros();
                rest &= rest - 1;
                i
            })
        })
    }
}

impl fmt::Debug for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// A node of a [`Graph`]. Ids are dense enough to index an array, usually without gaps and in the
/// order of discovery, and below [`NodeId::END`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Exclusive upper bound of ids. Checks use larger values as sentinels, and concurrent workers
    /// may leave gaps at the end of their id blocks.
    pub const END: u32 = u32::MAX - (1 << 16);

    /// Index of this node in an array over all nodes.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An outgoing edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// The target.
    pub to: NodeId,
    /// The acceptance marks on the edge.
    pub marks: Marks,
}

/// A graph that is built while it is searched.
///
/// Iteration can be *suspended*: one successor may cost a whole saturation, so
/// [`next_edge`](Graph::next_edge) yields one edge at a time and a [`Cursor`](Graph::Cursor) stores
/// the position. Every method can *fail* with a [`Stop`](Graph::Stop) when a budget is exhausted.
///
/// `self` is shared by all workers and immutable; all mutable state (interned nodes, scratch space)
/// is in the [`Worker`](Graph::Worker) context. Edges are a function of the node: repeated
/// iteration yields the same edges in the same order. For a multi-threaded check, all workers share
/// the same node ids.
pub trait Graph {
    /// Reason why the graph could not continue.
    type Stop;
    /// Mutable context of one worker.
    type Worker;
    /// Position in the iteration over the edges of a node; the default is the start.
    type Cursor: Default;

    /// All acceptance marks: a cycle must collect every one of them.
    fn marks(&self) -> Marks;

    /// The `k`-th initial node, `None` after the last. Nodes may repeat.
    fn initial(&self, worker: &mut Self::Worker, k: usize) -> Result<Option<NodeId>, Self::Stop>;

    /// The next edge of `node`, `None` after the last.
    fn next_edge(
        &self,
        worker: &mut Self::Worker,
        node: NodeId,
        cursor: &mut Self::Cursor,
    ) -> Result<Option<Edge>, Self::Stop>;

    /// Called by a check before shared structures grow, with the bytes that the worker holds or is
    /// about to hold. A graph with a budget leases them. The caller may hold a lock that other
    /// workers need, so this function must not wait for another worker.
    fn lease(&self, _worker: &mut Self::Worker, _bytes: usize) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Called by a check about every thousand edges, and before its own arrays grow, with the bytes
    /// that they hold or are about to hold. A graph with a budget leases them and polls the
    /// deadline. No lock is held, so a worker may wait for others here.
    fn tick(&self, _worker: &mut Self::Worker, _bytes: usize) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Called when the worker has finished or failed while other workers may continue: it must
    /// release everything that blocks them.
    fn rest(&self, _worker: &mut Self::Worker) {}
}

/// A graph whose nodes are sets ordered by inclusion.
///
/// Nodes of one [`class`](Ordered::class) (one automaton state, one kind of node) are comparable.
/// If `big` includes `small`, every accepting lasso from `small` has a counterpart from `big`.
pub trait Ordered: Graph {
    /// Comparison class: nodes of different classes are never compared.
    fn class(&self, worker: &Self::Worker, node: NodeId) -> u32;

    /// Returns whether `small` is a subset of `big`. Both must have the same class.
    fn includes(
        &self,
        worker: &mut Self::Worker,
        big: NodeId,
        small: NodeId,
    ) -> Result<bool, Self::Stop>;

    /// A node that covers `whole` without `part`, or `None` if the difference is empty.
    ///
    /// It has the class of `whole` and is a subset of it. Where the graph closes its sets it may
    /// exceed the difference, up to `whole` itself.
    fn minus(
        &self,
        worker: &mut Self::Worker,
        whole: NodeId,
        part: NodeId,
    ) -> Result<Option<NodeId>, Self::Stop>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_sets() {
        assert_eq!(Marks::all(0), Marks::NONE);
        assert_eq!(Marks::all(64).len(), 64);
        let m = Marks::one(1).union(Marks::one(5));
        assert_eq!(m.iter().collect::<Vec<_>>(), [1, 5]);
        assert!(Marks::all(6).contains(m) && !m.contains(Marks::all(6)));
        assert_eq!(m.minus(Marks::one(1)), Marks::one(5));
    }
}
