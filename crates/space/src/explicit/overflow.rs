//! Overflow vectors: the upper bits of values that exceed their fields.
//!
//! The upper bits of a state are one vector with two cells per variable, in a separate tree; equal
//! vectors have one id, and 0 is that of the zero vector. A vector holds the bits above the fields,
//! so that it changes only once in 2ʷ values, and there are far fewer vectors than states. As with
//! states, one vector is in focus, and others are looked up by the cells in which they differ.

use super::index::weight;
use super::tree::{CellChange, TreeNodes, TreeStore};
use lariat_budget::{Budget, Stop};
use lariat_parallel::Leaf;
use std::sync::Arc;

#[derive(Debug)]
struct Vectors {
    tree: TreeStore,
    /// Nodes of the zero vector; empty until there is another vector.
    zeros: TreeNodes,
}

#[derive(Debug)]
pub(super) struct OverflowVectors {
    /// Rarely accessed, so that a lock suffices.
    vectors: Arc<Leaf<Vectors>>,
    /// The vector in focus; `nodes` is empty until there is a vector other than 0.
    id: u32,
    nodes: TreeNodes,
    sum: u64,
    changes: Vec<CellChange>,
}

impl OverflowVectors {
    pub fn new(vars: usize, budget: &Budget) -> OverflowVectors {
        let vectors = Vectors {
            tree: TreeStore::new(2 * vars, budget),
            zeros: TreeNodes::default(),
        };
        OverflowVectors::on(Arc::new(Leaf::new(vectors)))
    }

    /// A handle of another worker to the same vectors.
    pub fn another(&self) -> OverflowVectors {
        OverflowVectors::on(self.vectors.clone())
    }

    fn on(vectors: Arc<Leaf<Vectors>>) -> OverflowVectors {
        OverflowVectors {
            vectors,
            id: 0,
            nodes: TreeNodes::default(),
            sum: 0,
            changes: Vec::new(),
        }
    }

    pub fn bytes(&self) -> u64 {
        self.vectors.with(|vectors| vectors.tree.bytes())
    }

    /// The upper bits of a variable in the vector in focus.
    #[inline]
    pub fn upper(&self, var: u32) -> u64 {
        match self.id {
            0 => 0,
            _ => join(&self.nodes[self.nodes.len() / 2..], var),
        }
    }

    /// The upper bits of all variables in a vector.
    pub fn get(&self, id: u32) -> impl Fn(u32) -> u64 + use<> {
        let cells = (id != 0).then(|| self.vectors.with(|vectors| vectors.tree.get(id)));
        move |var| cells.as_ref().map_or(0, |cells| join(cells, var))
    }

    /// Interns the vector in focus with other upper bits for some variables.
    #[cold]
    pub fn with(&mut self, upper: impl Iterator<Item = (u32, u64)>) -> Result<u32, Stop> {
        let vectors = self.vectors.clone();
        vectors.with(|vectors| self.intern(vectors, upper))
    }

    fn intern(
        &mut self,
        vectors: &mut Vectors,
        upper: impl Iterator<Item = (u32, u64)>,
    ) -> Result<u32, Stop> {
        if vectors.zeros.is_empty() {
            let zeros = vectors.tree.zero()?;
            vectors.tree.intern(&zeros, &[], 0)?;
            vectors.zeros = zeros;
        }
        if self.nodes.is_empty() {
            self.nodes.clone_from(&vectors.zeros);
        }
        let first = self.nodes.len() / 2;
        let cells = upper.flat_map(|(var, upper)| {
            [(2 * var + 1, (upper >> 32) as u32), (2 * var, upper as u32)]
        });
        self.changes.clear();
        let changed = |(cell, new): &CellChange| self.nodes[first + *cell as usize] != *new;
        self.changes.extend(cells.filter(changed));
        self.changes.sort_unstable_by(|a, b| b.cmp(a));
        self.changes.dedup();
        let sum = self.changes.iter().fold(self.sum, |sum, (cell, new)| {
            sum.wrapping_add(weigh(*cell, self.nodes[first + *cell as usize], *new))
        });
        Ok(vectors.tree.intern(&self.nodes, &self.changes, sum)?.0)
    }

    /// Moves the focus; calls `changed` with each variable that changes.
    #[cold]
    pub fn load(&mut self, id: u32, mut changed: impl FnMut(u32)) {
        let (nodes, sum) = (&mut self.nodes, &mut self.sum);
        self.vectors.with(|vectors| {
            if nodes.is_empty() {
                // Another worker has created this vector, and the zero vector.
                nodes.clone_from(&vectors.zeros);
            }
            vectors.tree.load(nodes, id, |cell, old, new| {
                *sum = sum.wrapping_add(weigh(cell, old, new));
                changed(cell / 2);
            });
        });
        self.id = id;
    }
}

fn join(cells: &[u32], var: u32) -> u64 {
    let cell = |i: u32| u64::from(cells[i as usize]);
    cell(2 * var) | cell(2 * var + 1) << 32
}

fn weigh(cell: u32, old: u32, new: u32) -> u64 {
    weight(cell.into()).wrapping_mul(u64::from(new).wrapping_sub(u64::from(old)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_vectors_have_one_id() {
        let mut overflow_vectors = OverflowVectors::new(9, &Budget::unlimited());
        let huge = u64::MAX >> 3;
        let a = overflow_vectors
            .with([(7, huge), (3, 2)].into_iter())
            .unwrap();
        let b = overflow_vectors.with([(3, 2)].into_iter()).unwrap();
        let mut changed = Vec::new();
        overflow_vectors.load(b, |var| changed.push(var));
        assert_eq!(changed, [3]);
        assert_eq!(overflow_vectors.with([(7, huge)].into_iter()), Ok(a));
        assert_eq!(overflow_vectors.with([(3, 0), (4, 0)].into_iter()), Ok(0));
        overflow_vectors.load(a, drop);
        assert_eq!(overflow_vectors.with([(7, 0)].into_iter()), Ok(b));
        let upper = [7, 3, 4].map(|var| overflow_vectors.upper(var));
        assert_eq!(upper, [huge, 2, 0]);
        assert_eq!([7, 3, 4].map(overflow_vectors.get(a)), upper);
        overflow_vectors.load(0, drop);
        assert_eq!([7, 3, 4].map(|var| overflow_vectors.upper(var)), [0; 3]);
    }

    #[test]
    fn vectors_are_leased() {
        let mut overflow_vectors = OverflowVectors::new(500, &Budget::bytes(100_000));
        let stop = (0..).find_map(|i| {
            let vector = overflow_vectors.with([(i % 500, u64::from(i))].into_iter());
            vector.map(|id| overflow_vectors.load(id, drop)).err()
        });
        assert_eq!(stop, Some(Stop::Memory));
    }
}
