//! Queries of a set: its size, vectors and values.
//!
//! These only read. They walk the diagram level by level, all nodes of one level before those of
//! the next, so deep diagrams need no stack.

use std::fmt::Write;

use dashu_int::UBig;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::kernel::{DdNode, Look};
use crate::store::{Set, Store};
use crate::tables::StoreTables;

impl Store {
    /// Returns the nodes of `set`, level by level. The caller passes its own view of the tables: a
    /// second one could deadlock with a writer that waits for the first.
    pub(crate) fn by_level(&self, tables: &StoreTables, set: &Set) -> Vec<Vec<DdNode>> {
        let root = self.node_of(set);
        let mut levels = Vec::new();
        if root.is_empty() {
            return levels;
        }
        let mut level = vec![root];
        let mut seen = FxHashSet::default();
        for _ in 0..self.levels() {
            seen.clear();
            let mut below = Vec::new();
            for &node in &level {
                let children = tables.pool.edges(node).map(|edge| edge.1);
                below.extend(children.filter(|&child| seen.insert(child)));
            }
            levels.push(std::mem::replace(&mut level, below));
        }
        levels
    }

    /// Returns the number of nodes of `set`, not counting the terminals.
    pub fn node_count(&self, set: &Set) -> usize {
        let tables = self.kernel.read_tables();
        self.by_level(&tables, set).iter().map(Vec::len).sum()
    }

    /// Returns the exact number of vectors in `set`.
    pub fn count(&self, set: &Set) -> UBig {
        let tables = self.kernel.read_tables();
        let mut below = FxHashMap::default();
        below.insert(DdNode::ONE, UBig::ONE);
        for level in self.by_level(&tables, set).iter().rev() {
            let mut counts = FxHashMap::default();
            for &node in level {
                let mut sum = UBig::ZERO;
                for (_, child) in tables.pool.edges(node) {
                    if let Some(count) = below.get(&child) {
                        sum += count;
                    }
                }
                counts.insert(node, sum);
            }
            below = counts;
        }
        below.remove(&self.node_of(set)).unwrap_or(UBig::ZERO)
    }

    /// Returns whether `vector` is in `set`.
    pub fn contains(&self, set: &Set, vector: &[u32]) -> bool {
        let tables = self.kernel.read_tables();
        let mut node = self.node_of(set);
        for &value in vector {
            if node == DdNode::EMPTY || node == DdNode::ONE {
                return false;
            }
            node = tables.pool.child(node, value);
        }
        node == DdNode::ONE
    }

    /// Returns the smallest vector of `set` in lexicographic order.
    pub fn pick(&self, set: &Set) -> Option<Vec<u32>> {
        self.iter(set).next()
    }

    /// Returns the vectors of `set` in lexicographic order.
    pub fn iter(&self, set: &Set) -> Vectors<'_> {
        let node = self.node_of(set);
        Vectors {
            tables: self.kernel.read_tables(),
            path: Vec::new(),
            vector: Vec::new(),
            start: (!node.is_empty()).then_some(node),
        }
    }

    /// Returns the smallest and the largest value on every level; `None` for the empty set.
    pub fn ranges(&self, set: &Set) -> Option<Vec<(u32, u32)>> {
        if set.is_empty() {
            return None;
        }
        let tables = self.kernel.read_tables();
        let range = |level: &Vec<DdNode>| {
            let edges = level.iter().flat_map(|&node| tables.pool.edges(node));
            edges.fold((u32::MAX, 0), |(low, high), (value, _)| {
                (low.min(value), high.max(value))
            })
        };
        Some(self.by_level(&tables, set).iter().map(range).collect())
    }

    /// Returns the values that occur on every level, in increasing order.
    pub fn values(&self, set: &Set) -> Vec<Vec<u32>> {
        let tables = self.kernel.read_tables();
        let mut values = vec![Vec::new(); self.levels()];
        for (values, level) in values.iter_mut().zip(self.by_level(&tables, set)) {
            let edges = level.iter().flat_map(|&node| tables.pool.edges(node));
            values.extend(edges.map(|edge| edge.0));
            values.sort_unstable();
            values.dedup();
        }
        values
    }

    /// Returns the diagram of `set` in the DOT language, for debugging.
    pub fn dot(&self, set: &Set) -> String {
        let tables = self.kernel.read_tables();
        let mut text = String::from("digraph set {\n  node [shape=box];\n  1 [label=\"⊤\"];\n");
        for (level, nodes) in self.by_level(&tables, set).iter().enumerate() {
            for &node in nodes {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "  {} [label=\"{level}\"];", node.0);
                for (value, child) in tables.pool.edges(node) {
                    let (from, to) = (node.0, child.0);
                    let _ = writeln!(text, "  {from} -> {to} [label=\"{value}\"];");
                }
            }
        }
        text.push_str("}\n");
        text
    }
}

/// The vectors of a set in lexicographic order.
pub struct Vectors<'a> {
    tables: Look<'a>,
    /// Per level the node of the present vector, and the position of its next edge.
    path: Vec<(DdNode, usize)>,
    vector: Vec<u32>,
    start: Option<DdNode>,
}

impl Iterator for Vectors<'_> {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        if let Some(node) = self.start.take() {
            if node == DdNode::ONE {
                return Some(Vec::new());
            }
            self.path.push((node, 0));
        }
        loop {
            let level = self.path.len().checked_sub(1)?;
            self.vector.truncate(level);
            let (node, place) = self.path[level];
            let Some(((value, child), next)) = self.tables.pool.edge_from(node, place) else {
                self.path.pop();
                continue;
            };
            self.path[level].1 = next;
            self.vector.push(value);
            if child == DdNode::ONE {
                return Some(self.vector.clone());
            }
            self.path.push((child, 0));
        }
    }
}
