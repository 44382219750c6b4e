//! The one trait under all products.

use std::fmt;

/// A set of acceptance marks, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Marks(pub u64);

impl Marks {
    /// No mark.
    pub const NONE: Marks = Marks(0);
    /// How many different marks there can be.
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

    /// Marks in either.
    #[must_use]
    pub fn union(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    /// Marks in both.
    #[must_use]
    pub fn intersection(self, other: Marks) -> Marks {
        Marks(self.0 & other.0)
    }

    /// Marks here that are not in `other`.
    #[must_use]
    pub fn minus(self, other: Marks) -> Marks {
        Marks(self.0 & !other.0)
    }

    /// Is every mark of `other` here?
    pub fn contains(self, other: Marks) -> bool {
        other.0 & !self.0 == 0
    }

    /// Is there no mark?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many marks there are.
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

/// A node of a [`Graph`]: numbers from 0, dense enough for an array over them; usually without gaps, in the order of discovery. They are
/// below [`NodeId::END`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    /// No node has this number or a larger one: checks need some for themselves, and several workers what is left of their blocks of numbers.
    pub const END: u32 = u32::MAX - (1 << 16);

    /// The position of this node in an array over all nodes.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An edge, seen from its source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// The target.
    pub to: NodeId,
    /// The acceptance marks on the edge.
    pub marks: Marks,
}

/// A graph that is built while it is searched.
///
/// It can *suspend*: a successor may cost a whole saturation, so [`next_edge`](Graph::next_edge)
/// yields one edge at a time and a [`Cursor`](Graph::Cursor) remembers where it was. It can
/// *fail*: every method returns a [`Stop`](Graph::Stop) when a budget is exhausted.
///
/// `self` is what all workers share and never changes behind a reference; everything
/// mutable — interned nodes, scratch space — is in the [`Worker`](Graph::Worker) context.
/// Edges are a function of the node: asking twice gives the same edges in the same order. For a check by several workers
/// nodes are common, too: one id is the same node to all of them.
pub trait Graph {
    /// Why the graph could not go on.
    type Stop;
    /// The mutable part that one worker owns.
    type Worker;
    /// Where an iteration over the edges of a node stands; the default is the beginning.
    type Cursor: Default;

    /// All acceptance marks: a cycle must collect every one of them.
    fn marks(&self) -> Marks;

    /// The `k`-th initial node, `None` behind the last. The same node may come twice.
    fn initial(&self, worker: &mut Self::Worker, k: usize) -> Result<Option<NodeId>, Self::Stop>;

    /// The next edge of `node`, `None` behind the last.
    fn next_edge(
        &self,
        worker: &mut Self::Worker,
        node: NodeId,
        cursor: &mut Self::Cursor,
    ) -> Result<Option<Edge>, Self::Stop>;

    /// Asked by a check every thousand edges or so, and before its arrays grow, with the bytes
    /// that they hold or are about to hold: a graph with a budget leases them and looks at
    /// the clock.
    fn tick(&self, _worker: &mut Self::Worker, _bytes: usize) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// The worker is done, or lost, while others may go on: it must not keep them from what they share.
    fn rest(&self, _worker: &mut Self::Worker) {}
}

/// A graph whose nodes are sets that can be compared.
///
/// Nodes of one [`class`](Ordered::class) (one automaton state, one kind of node) are
/// comparable. If `big` includes `small`, every accepting lasso from `small` has a
/// counterpart from `big`.
pub trait Ordered: Graph {
    /// Nodes of different classes are never compared.
    fn class(&self, worker: &Self::Worker, node: NodeId) -> u32;

    /// Is `small` a subset of `big`? Both are of one class.
    fn includes(
        &self,
        worker: &mut Self::Worker,
        big: NodeId,
        small: NodeId,
    ) -> Result<bool, Self::Stop>;

    /// A node that covers `whole` without `part`, `None` if nothing is left.
    ///
    /// It is of the same class and a subset of `whole`. It may be more than the difference, up
    /// to `whole` itself, where a graph closes its sets.
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
