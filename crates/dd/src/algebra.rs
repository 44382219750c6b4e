//! The set algebra: union, intersection, difference, inclusion, projection.
//!
//! All are the usual recursions on pairs of nodes of the same level: the edges of both are merged
//! by value, equal values recur, the others are kept or dropped; `O(|A|·|B|)` steps in the worst
//! case and usually about `|A| + |B|`. Walks of a single operand are [calls](crate::kernel::Call).

use crate::kernel::{CacheScopeId, Call, DdNode, Halt, Kernel, OPERATIONS, Opening, StackMark};
use crate::store::{Set, Store};
use lariat_budget::Stop;

impl Kernel {
    /// `a ∪ b`
    #[inline(always)]
    pub fn union(&mut self, a: DdNode, b: DdNode) -> Result<DdNode, Halt> {
        if a == b || b.is_empty() {
            return Ok(a);
        }
        if a.is_empty() {
            return Ok(b);
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(result) = self.cached(OPERATIONS.union, (a, b)) {
            return Ok(result);
        }
        self.compute_union(a, b)
    }

    /// Computes the union of `a < b`.
    #[inline(never)]
    fn compute_union(&mut self, a: DdNode, b: DdNode) -> Result<DdNode, Halt> {
        let base = self.stack.len();
        self.push_edges(a)?;
        let middle = self.stack.len();
        self.push_edges(b)?;
        let end = self.stack.len();
        if self.options.backwards {
            self.merge_backwards(base, middle)?;
        }
        let (mut i, mut j) = (base, middle);
        while i < middle && j < end {
            let ((v, x), (w, y)) = (self.stack[i], self.stack[j]);
            if v < w {
                self.push(v, x)?;
                i += 1;
            } else if w < v {
                self.push(w, y)?;
                j += 1;
            } else {
                let child = if self.options.backwards {
                    x
                } else {
                    self.union(x, y)?
                };
                self.push(v, child)?;
                i += 1;
                j += 1;
            }
        }
        let rest = if i < middle { i..middle } else { j..end };
        for at in rest {
            let (value, child) = self.stack[at];
            self.push(value, child)?;
        }
        let result = self.make_kept(end)?;
        self.stack.truncate(base);
        self.tick()?;
        self.remember(OPERATIONS.union, (a, b), result);
        Ok(result)
    }

    /// Replaces the edges from `base` to `middle` on the stack that have a value in common with
    /// those above by unions, from the last to the first.
    fn merge_backwards(&mut self, base: usize, middle: usize) -> Result<(), Halt> {
        let (mut i, mut j) = (middle, self.stack.len());
        while i > base && j > middle {
            let ((v, x), (w, y)) = (self.stack[i - 1], self.stack[j - 1]);
            if v == w {
                self.stack[i - 1].1 = self.union(x, y)?;
            }
            i -= usize::from(v >= w);
            j -= usize::from(w >= v);
        }
        Ok(())
    }

    /// `a ∩ b`
    pub fn intersection(&mut self, a: DdNode, b: DdNode) -> Result<DdNode, Halt> {
        self.call(Intersection::new(a, b), &mut ())
    }

    /// `a \ b`
    pub fn difference(&mut self, a: DdNode, b: DdNode) -> Result<DdNode, Halt> {
        self.call(Difference(a, b), &mut ())
    }

    /// Returns whether `a ⊆ b`. Creates no node.
    pub fn is_subset(&mut self, a: DdNode, b: DdNode) -> Result<bool, Halt> {
        if a == b || a.is_empty() {
            return Ok(true);
        }
        if b.is_empty() {
            return Ok(false);
        }
        self.remembered(OPERATIONS.is_subset, (a, b), |kernel| {
            let outside = kernel.any_edge(a, |kernel, (value, x)| {
                let y = kernel.child(b, value);
                Ok(!kernel.is_subset(x, y)?)
            })?;
            Ok(!outside)
        })
    }

    /// Returns the set whose only vector is `values`.
    pub fn chain_of(&mut self, values: &[u32]) -> Result<DdNode, Halt> {
        let mut node = DdNode::ONE;
        for &value in values.iter().rev() {
            let mark = self.mark();
            self.push(value, node)?;
            node = self.make(mark)?;
        }
        Ok(node)
    }
}

/// `a ∩ b`, normalised to `a ≤ b`.
#[derive(Clone, Copy)]
struct Intersection(DdNode, DdNode);

impl Intersection {
    fn new(a: DdNode, b: DdNode) -> Intersection {
        Intersection(a.min(b), a.max(b))
    }
}

impl Call<()> for Intersection {
    type Key = (DdNode, DdNode);

    #[inline]
    fn open(self, _: &mut Kernel, _: &mut ()) -> Result<Opening<Self::Key>, Halt> {
        // The empty set has the smallest id.
        let Intersection(a, b) = self;
        Ok(if a == b || a.is_empty() {
            Opening::AtOnce(a)
        } else {
            Opening::Walk {
                node: a,
                operation: OPERATIONS.intersection,
                key: (a, b),
            }
        })
    }

    #[inline]
    fn edge(
        self,
        kernel: &mut Kernel,
        context: &mut (),
        (value, child): (u32, DdNode),
    ) -> Result<(), Halt> {
        let other = kernel.child(self.1, value);
        kernel.call_into(value, Intersection::new(child, other), context)
    }
}

/// `a \ b`
#[derive(Clone, Copy)]
struct Difference(DdNode, DdNode);

impl Call<()> for Difference {
    type Key = (DdNode, DdNode);

    #[inline]
    fn open(self, _: &mut Kernel, _: &mut ()) -> Result<Opening<Self::Key>, Halt> {
        let Difference(a, b) = self;
        Ok(if a == b {
            Opening::AtOnce(DdNode::EMPTY)
        } else if a.is_empty() || b.is_empty() {
            Opening::AtOnce(a)
        } else {
            Opening::Walk {
                node: a,
                operation: OPERATIONS.difference,
                key: (a, b),
            }
        })
    }

    #[inline]
    fn edge(
        self,
        kernel: &mut Kernel,
        context: &mut (),
        (value, child): (u32, DdNode),
    ) -> Result<(), Halt> {
        let other = kernel.child(self.1, value);
        kernel.call_into(value, Difference(child, other), context)
    }
}

/// The levels that a projection keeps, and the scope of its results.
struct Kept<'a> {
    levels: &'a [bool],
    scope: CacheScopeId,
}

/// A node on a level, to be projected to 0 on every level that is not kept.
#[derive(Clone, Copy)]
struct Project(DdNode, u32);

impl Call<Kept<'_>> for Project {
    type Key = (DdNode, CacheScopeId);

    fn open(self, _: &mut Kernel, kept: &mut Kept<'_>) -> Result<Opening<Self::Key>, Halt> {
        let Project(node, _) = self;
        Ok(match node {
            DdNode::EMPTY | DdNode::ONE => Opening::AtOnce(node),
            _ => Opening::Walk {
                node,
                operation: OPERATIONS.project,
                key: (node, kept.scope),
            },
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        kept: &mut Kept<'_>,
        (value, child): (u32, DdNode),
    ) -> Result<(), Halt> {
        let Project(_, level) = self;
        let value = if kept.levels[level as usize] {
            value
        } else {
            0
        };
        kernel.call_into(value, Project(child, level + 1), kept)
    }

    fn close(
        self,
        kernel: &mut Kernel,
        _: &mut Kept<'_>,
        edges: StackMark,
    ) -> Result<DdNode, Halt> {
        kernel.sort(edges)?;
        kernel.make(edges)
    }
}

impl Store {
    /// ∅
    pub fn empty(&mut self) -> Set {
        self.wrap(DdNode::EMPTY)
    }

    /// `{vector}`
    ///
    /// # Panics
    /// If the vector has not one value per level.
    pub fn singleton(&mut self, vector: &[u32]) -> Result<Set, Stop> {
        assert_eq!(vector.len(), self.levels(), "one value per level");
        self.compute(|kernel| kernel.chain_of(vector))
    }

    /// The set of all `vectors`.
    ///
    /// # Panics
    /// If a vector has not one value per level.
    pub fn from_vectors<V: AsRef<[u32]>>(
        &mut self,
        vectors: impl IntoIterator<Item = V>,
    ) -> Result<Set, Stop> {
        // Sets of doubling sizes, united like the digits of a binary counter.
        let mut digits: Vec<Option<Set>> = Vec::new();
        for vector in vectors {
            let mut carry = self.singleton(vector.as_ref())?;
            let mut at = 0;
            while let Some(digit) = digits.get_mut(at).and_then(Option::take) {
                carry = self.union(&carry, &digit)?;
                at += 1;
            }
            if at == digits.len() {
                digits.push(None);
            }
            digits[at] = Some(carry);
        }
        let mut sum = self.empty();
        for digit in digits.into_iter().flatten() {
            sum = self.union(&sum, &digit)?;
        }
        Ok(sum)
    }

    /// `a ∪ b`
    pub fn union(&mut self, a: &Set, b: &Set) -> Result<Set, Stop> {
        let (a, b) = (self.node_of(a), self.node_of(b));
        self.compute(|kernel| kernel.union(a, b))
    }

    /// `a ∩ b`
    pub fn intersection(&mut self, a: &Set, b: &Set) -> Result<Set, Stop> {
        let (a, b) = (self.node_of(a), self.node_of(b));
        self.compute(|kernel| kernel.intersection(a, b))
    }

    /// `a \ b`
    pub fn difference(&mut self, a: &Set, b: &Set) -> Result<Set, Stop> {
        let (a, b) = (self.node_of(a), self.node_of(b));
        self.compute(|kernel| kernel.difference(a, b))
    }

    /// Returns whether `a ⊆ b`.
    pub fn is_subset(&mut self, a: &Set, b: &Set) -> Result<bool, Stop> {
        let (a, b) = (self.node_of(a), self.node_of(b));
        self.deep(|kernel| kernel.is_subset(a, b))
    }

    /// `{v with 0 on every level that is not kept | v ∈ set}`
    ///
    /// # Panics
    /// If `keep` has not one entry per level.
    pub fn project(&mut self, set: &Set, keep: &[bool]) -> Result<Set, Stop> {
        assert_eq!(keep.len(), self.levels(), "one entry per level");
        let node = self.node_of(set);
        let scope = self.scope();
        let mut kept = Kept {
            levels: keep,
            scope: scope.id(),
        };
        self.compute(|kernel| kernel.call(Project(node, 0), &mut kept))
    }
}
