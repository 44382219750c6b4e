//! The set algebra: union, intersection, difference, inclusion, projection.
//!
//! All are the usual recursions on pairs of nodes of the same level: the edges of both are merged
//! by value, equal values recur, the rest is taken over or dropped; `O(|A|·|B|)` steps at worst and
//! usually close to `|A| + |B|`.

use crate::cache::Op;
use crate::kernel::{Halt, Kernel, NodeId};
use crate::store::{Set, Store};
use lariat_budget::Stop;

impl Kernel {
    /// `a ∪ b`
    #[inline]
    pub fn union(&mut self, a: NodeId, b: NodeId) -> Result<NodeId, Halt> {
        if a == b || b.is_empty() {
            return Ok(a);
        }
        if a.is_empty() {
            return Ok(b);
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(result) = self.lookup(Op::Union, a, b.0) {
            return Ok(result);
        }
        self.union_unknown(a, b)
    }

    /// The union of `a < b`, which is not in the cache.
    fn union_unknown(&mut self, a: NodeId, b: NodeId) -> Result<NodeId, Halt> {
        let base = self.stack.len();
        self.push_edges(a)?;
        let middle = self.stack.len();
        self.push_edges(b)?;
        let end = self.stack.len();
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
                let child = self.union(x, y)?;
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
        self.store(Op::Union, a, b.0, result);
        Ok(result)
    }

    /// `a ∩ b`
    pub fn intersection(&mut self, a: NodeId, b: NodeId) -> Result<NodeId, Halt> {
        if a == b || a.is_empty() {
            return Ok(a);
        }
        if b.is_empty() {
            return Ok(b);
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(result) = self.lookup(Op::Intersection, a, b.0) {
            return Ok(result);
        }
        let base = self.stack.len();
        self.push_edges(a)?;
        let end = self.stack.len();
        for at in base..end {
            let (value, x) = self.stack[at];
            let y = self.pool.child(b, value);
            let child = self.intersection(x, y)?;
            if !child.is_empty() {
                self.push(value, child)?;
            }
        }
        let result = self.make_kept(end)?;
        self.stack.truncate(base);
        self.tick()?;
        self.store(Op::Intersection, a, b.0, result);
        Ok(result)
    }

    /// `a \ b`
    pub fn difference(&mut self, a: NodeId, b: NodeId) -> Result<NodeId, Halt> {
        if a == b || a.is_empty() {
            return Ok(NodeId::EMPTY);
        }
        if b.is_empty() {
            return Ok(a);
        }
        if let Some(result) = self.lookup(Op::Difference, a, b.0) {
            return Ok(result);
        }
        let base = self.stack.len();
        self.push_edges(a)?;
        let end = self.stack.len();
        for at in base..end {
            let (value, x) = self.stack[at];
            let y = self.pool.child(b, value);
            let child = self.difference(x, y)?;
            if !child.is_empty() {
                self.push(value, child)?;
            }
        }
        let result = self.make_kept(end)?;
        self.stack.truncate(base);
        self.tick()?;
        self.store(Op::Difference, a, b.0, result);
        Ok(result)
    }

    /// Is `a ⊆ b`? Makes no node.
    pub fn is_subset(&mut self, a: NodeId, b: NodeId) -> Result<bool, Halt> {
        if a == b || a.is_empty() {
            return Ok(true);
        }
        if b.is_empty() {
            return Ok(false);
        }
        if let Some(result) = self.lookup(Op::Subset, a, b.0) {
            return Ok(result == NodeId::ONE);
        }
        let base = self.stack.len();
        self.push_edges(a)?;
        let end = self.stack.len();
        let mut result = true;
        for at in base..end {
            let (value, x) = self.stack[at];
            let y = self.pool.child(b, value);
            if !self.is_subset(x, y)? {
                result = false;
                break;
            }
        }
        self.stack.truncate(base);
        self.tick()?;
        let word = if result { NodeId::ONE } else { NodeId::EMPTY };
        self.store(Op::Subset, a, b.0, word);
        Ok(result)
    }

    /// The only vector of the result is `values`.
    pub fn chain_of(&mut self, values: &[u32]) -> Result<NodeId, Halt> {
        let mut node = NodeId::ONE;
        for &value in values.iter().rev() {
            let mark = self.mark();
            self.push(value, node)?;
            node = self.make(mark)?;
        }
        Ok(node)
    }

    /// `node` on `level` with 0 on every level that is not kept.
    fn project(
        &mut self,
        node: NodeId,
        level: u32,
        keep: &[bool],
        scope: u32,
    ) -> Result<NodeId, Halt> {
        if node.0 <= 1 {
            return Ok(node);
        }
        if let Some(result) = self.lookup(Op::Project, node, scope) {
            return Ok(result);
        }
        let base = self.stack.len();
        self.push_edges(node)?;
        let end = self.stack.len();
        let result = if keep[level as usize] {
            for at in base..end {
                let (value, child) = self.stack[at];
                let child = self.project(child, level + 1, keep, scope)?;
                self.push(value, child)?;
            }
            self.make_kept(end)?
        } else {
            // The union so far stays on top of the stack.
            self.push(0, NodeId::EMPTY)?;
            for at in base..end {
                let child = self.project(self.stack[at].1, level + 1, keep, scope)?;
                self.push(0, child)?;
                let sum = self.union(self.stack[end].1, child)?;
                self.stack[end].1 = sum;
                self.stack.truncate(end + 1);
            }
            self.make_kept(end)?
        };
        self.stack.truncate(base);
        self.tick()?;
        self.store(Op::Project, node, scope, result);
        Ok(result)
    }
}

impl Store {
    /// ∅
    pub fn empty(&mut self) -> Set {
        self.wrap(NodeId::EMPTY)
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
        // Sets of doubling sizes, united like the digits of a counter.
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
        let (a, b) = (self.of(a), self.of(b));
        self.compute(|kernel| kernel.union(a, b))
    }

    /// `a ∩ b`
    pub fn intersection(&mut self, a: &Set, b: &Set) -> Result<Set, Stop> {
        let (a, b) = (self.of(a), self.of(b));
        self.compute(|kernel| kernel.intersection(a, b))
    }

    /// `a \ b`
    pub fn difference(&mut self, a: &Set, b: &Set) -> Result<Set, Stop> {
        let (a, b) = (self.of(a), self.of(b));
        self.compute(|kernel| kernel.difference(a, b))
    }

    /// Is `a ⊆ b`?
    pub fn is_subset(&mut self, a: &Set, b: &Set) -> Result<bool, Stop> {
        let (a, b) = (self.of(a), self.of(b));
        self.deep(|kernel| kernel.is_subset(a, b))
    }

    /// `{v with 0 on every level that is not kept | v ∈ set}`
    ///
    /// # Panics
    /// If `keep` has not one entry per level.
    pub fn project(&mut self, set: &Set, keep: &[bool]) -> Result<Set, Stop> {
        assert_eq!(keep.len(), self.levels(), "one entry per level");
        let node = self.of(set);
        let scope = self.kernel.scope();
        self.compute(|kernel| kernel.project(node, 0, keep, scope.word()))
    }
}
