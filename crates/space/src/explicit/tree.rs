//! Tree compression: the store for wide states.
//!
//! The cells of a state are the leaves of a binary tree. An inner node is the pair of the ids of
//! its children, found by its contents (hash consing), and a state is a *root*, the ids of four
//! nodes. (Pairs directly below a single root pair would be new for nearly every state.) States
//! that differ in a few cells share all nodes except on the paths to these: a new state usually
//! costs its root and one or two nodes. (S. Blom, B. Lisser, J. van de Pol, M. Weber, *A database
//! approach to distributed state-space generation*, 2007; A. Laarman, J. van de Pol, M. Weber,
//! *Parallel recursive state compression for free*, 2011.)
//! Deviation: a state is not looked up by interning its nodes from the leaves upwards, but by a
//! hash of all its cells, which a step changes by a constant. A candidate is compared from the root
//! down along the changed paths, by reads only. Nodes are interned only for new states.
//!
//! Nodes are numbered as in a heap: the root names 4 to 7, the children of n are 2n and 2n + 1, and
//! cell i is leaf N + i of N = 2ᵏ ≥ 4. In descending order, the changed leaves and all their
//! ancestors have children before parents, and the children in the order of their parents, so that
//! one running index finds them.
//!
//! The [`TreeNodes`] of the current state belong to the caller; the tree is append-only, and ids
//! are stable.

use super::chunks::Chunks;
use super::index::{HashIndex, mix};
use lariat_budget::{Budget, Stop};

/// The nodes of one state, by their heap numbers.
pub(super) type TreeNodes = Vec<u32>;

/// A cell and its new value.
pub(super) type CellChange = (u32, u32);

/// Number of the first node that a root names.
pub(super) const TOP: u32 = 4;

/// A state: its nodes from [`TOP`] on.
pub(super) type Root = [u32; TOP as usize];

#[derive(Debug)]
pub(super) struct TreeStore {
    leaves: usize,
    roots: Chunks<Root>,
    hashes: Chunks<u32>,
    index: HashIndex,
    pairs: Pairs,
    scratch: TreeScratch,
}

/// A table of inner nodes by their contents and by their ids.
pub(super) trait PairStore {
    fn get(&self, id: u32) -> u64;

    fn intern(&mut self, pair: u64) -> Result<u32, Stop>;
}

/// The nodes that a step changes, children first, and their new values.
#[derive(Debug, Default)]
pub(super) struct TreeScratch {
    path: Vec<u32>,
    values: Vec<u32>,
}

impl TreeStore {
    pub fn new(cells: usize, budget: &Budget) -> TreeStore {
        TreeStore {
            leaves: leaves(cells),
            roots: Chunks::new(budget),
            hashes: Chunks::new(budget),
            index: HashIndex::new(budget),
            pairs: Pairs::new(budget),
            scratch: TreeScratch::default(),
        }
    }

    pub fn len(&self) -> usize {
        self.roots.len()
    }

    pub fn bytes(&self) -> u64 {
        self.roots.bytes() + self.hashes.bytes() + self.index.bytes() + self.pairs.bytes()
    }

    /// The nodes of the state whose cells are all 0.
    pub fn zero(&mut self) -> Result<TreeNodes, Stop> {
        zero(&mut self.pairs, self.leaves)
    }

    /// Interns the state that differs from that of `nodes` by `changes`, in descending order of
    /// cells; returns its id and whether it is new. `sum` is the weighted sum of all its cells.
    #[inline]
    pub fn intern(
        &mut self,
        nodes: &TreeNodes,
        changes: &[CellChange],
        sum: u64,
    ) -> Result<(u32, bool), Stop> {
        let hashes = &self.hashes;
        self.index.reserve(self.roots.len(), |id| hashes.get(id))?;
        self.scratch.climb(self.leaves, changes);
        let hash = mix(sum);
        let (roots, pairs, scratch) = (&self.roots, &self.pairs, &mut self.scratch);
        let is = |id| scratch.is(roots.get(id), pairs, nodes, changes);
        match self.index.find(hash, is) {
            Ok(id) => Ok((id, false)),
            Err(slot) => {
                let root = self.scratch.make(&mut self.pairs, nodes, changes)?;
                let id = self.roots.len() as u32;
                // Both are extended, or neither.
                self.roots.reserve()?;
                self.hashes.push(hash)?;
                self.roots.push(root)?;
                self.index.put(slot, hash, id);
                Ok((id, true))
            }
        }
    }

    pub fn find(&mut self, nodes: &TreeNodes, changes: &[CellChange], sum: u64) -> Option<u32> {
        self.scratch.climb(self.leaves, changes);
        let (roots, pairs, scratch) = (&self.roots, &self.pairs, &mut self.scratch);
        let is = |id| scratch.is(roots.get(id), pairs, nodes, changes);
        self.index.look_up(mix(sum), is)
    }

    #[inline]
    pub fn outgrows_cache(&self) -> bool {
        self.index.outgrows_cache()
    }

    #[inline]
    pub fn prefetch(&self, hashes: &[u32]) {
        self.index
            .prefetch(hashes, |id| self.roots.get(id)[0].into());
    }

    /// Moves `nodes` to a state; calls `changed` with each cell that differs.
    #[inline]
    pub fn load(&self, nodes: &mut TreeNodes, id: u32, mut changed: impl FnMut(u32, u32, u32)) {
        load(
            &self.pairs,
            self.leaves,
            nodes,
            self.roots.get(id),
            &mut changed,
        );
    }

    pub fn get(&self, id: u32) -> Vec<u32> {
        cells(&self.pairs, self.leaves, self.roots.get(id))
    }
}

/// Number of leaves of a tree for `cells` cells.
pub(super) fn leaves(cells: usize) -> usize {
    cells.next_power_of_two().max(TOP as usize)
}

/// The ancestors of a leaf, itself included, that a root names, or whose parent a root names.
pub(super) fn near_root(leaf: u32) -> impl Iterator<Item = u32> {
    let above = std::iter::successors(Some(leaf), |node| Some(node / 2));
    above
        .take_while(|node| *node >= TOP)
        .filter(|node| *node < 4 * TOP)
}

/// The nodes of the state whose cells are all 0.
pub(super) fn zero(pairs: &mut impl PairStore, leaves: usize) -> Result<TreeNodes, Stop> {
    let mut nodes = vec![0; 2 * leaves];
    let (mut start, mut id) = (leaves / 2, 0);
    while start >= TOP as usize {
        id = pairs.intern(pair(id, id))?;
        nodes[start..2 * start].fill(id);
        start /= 2;
    }
    Ok(nodes)
}

/// All cells of the state with this root.
pub(super) fn cells(pairs: &impl PairStore, leaves: usize, root: Root) -> Vec<u32> {
    let mut level = root.to_vec();
    while level.len() < leaves {
        let both = |id: u32| children(TOP, pairs.get(id)).map(|(_, child)| child);
        level = level.into_iter().flat_map(both).collect();
    }
    level
}

/// Moves `nodes` to the state with this root, descending only where they differ; calls `changed`
/// with each cell that differs.
#[inline]
pub(super) fn load(
    pairs: &impl PairStore,
    leaves: usize,
    nodes: &mut TreeNodes,
    root: Root,
    changed: &mut impl FnMut(u32, u32, u32),
) {
    for (node, new) in (TOP..).zip(root) {
        turn(pairs, leaves, nodes, node, new, changed);
    }
}

/// [`load`] below one node.
#[inline]
fn turn(
    pairs: &impl PairStore,
    leaves: usize,
    nodes: &mut TreeNodes,
    node: u32,
    new: u32,
    changed: &mut impl FnMut(u32, u32, u32),
) {
    let old = std::mem::replace(&mut nodes[node as usize], new);
    if old == new {
        return;
    }
    match (node as usize).checked_sub(leaves) {
        Some(cell) => changed(cell as u32, old, new),
        None => descend(pairs, leaves, nodes, node, pairs.get(new), changed),
    }
}

fn descend(
    pairs: &impl PairStore,
    leaves: usize,
    nodes: &mut TreeNodes,
    node: u32,
    pair: u64,
    changed: &mut impl FnMut(u32, u32, u32),
) {
    for (child, new) in children(node, pair) {
        turn(pairs, leaves, nodes, child, new, changed);
    }
}

impl TreeScratch {
    /// Sets the path to the leaves of `changes` and all their ancestors.
    #[inline]
    pub fn climb(&mut self, leaves: usize, changes: &[CellChange]) {
        let path = &mut self.path;
        path.clear();
        path.extend(changes.iter().map(|(cell, _)| leaves as u32 + cell));
        let mut at = 0;
        let mut last = 0;
        while let Some(node) = path.get(at) {
            let parent = node / 2;
            if parent != last && parent >= TOP {
                path.push(parent);
                last = parent;
            }
            at += 1;
        }
        self.values.resize(path.len(), 0);
    }

    /// Returns whether the state with this root is that of `nodes` after `changes`.
    #[inline]
    pub fn is(
        &mut self,
        root: Root,
        pairs: &impl PairStore,
        nodes: &TreeNodes,
        changes: &[CellChange],
    ) -> bool {
        let (path, values) = (&self.path[..], &mut self.values[..]);
        // From here on, the members of the path have received their values from their parents.
        let mut next = path.len();
        let mut agrees = |values: &mut [u32], (node, value): (u32, u32)| {
            if next > 0 && path[next - 1] == node {
                next -= 1;
                values[next] = value;
                return true;
            }
            nodes[node as usize] == value
        };
        if !(TOP..).zip(root).all(|named| agrees(values, named)) {
            return false;
        }
        for at in (changes.len()..path.len()).rev() {
            let pair = pairs.get(values[at]);
            let [left, right] = children(path[at], pair);
            if !(agrees(values, left) && agrees(values, right)) {
                return false;
            }
        }
        let mut leaves = changes.iter().zip(values);
        leaves.all(|((_, new), found)| new == found)
    }

    /// Interns the nodes along the path and returns the root.
    #[inline]
    pub fn make(
        &mut self,
        pairs: &mut impl PairStore,
        nodes: &TreeNodes,
        changes: &[CellChange],
    ) -> Result<Root, Stop> {
        let (path, values) = (&self.path[..], &mut self.values[..]);
        for (value, (_, new)) in values.iter_mut().zip(changes) {
            *value = *new;
        }
        let mut next = 0;
        let mut value_of = |values: &[u32], node: u32| {
            if path.get(next) == Some(&node) {
                next += 1;
                return values[next - 1];
            }
            nodes[node as usize]
        };
        for at in changes.len()..path.len() {
            let right = value_of(values, 2 * path[at] + 1);
            let left = value_of(values, 2 * path[at]);
            values[at] = pairs.intern(pair(left, right))?;
        }
        let mut root = Root::default();
        for i in (0..root.len()).rev() {
            root[i] = value_of(values, TOP + i as u32);
        }
        Ok(root)
    }
}

#[inline]
fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

#[inline]
fn children(node: u32, pair: u64) -> [(u32, u32); 2] {
    [(2 * node, (pair >> 32) as u32), (2 * node + 1, pair as u32)]
}

/// The inner nodes of one worker: pairs, by their contents and by dense ids.
#[derive(Debug)]
struct Pairs {
    pairs: Chunks<u64>,
    index: HashIndex,
}

impl Pairs {
    fn new(budget: &Budget) -> Pairs {
        Pairs {
            pairs: Chunks::new(budget),
            index: HashIndex::new(budget),
        }
    }

    fn bytes(&self) -> u64 {
        self.pairs.bytes() + self.index.bytes()
    }
}

impl PairStore for Pairs {
    #[inline]
    fn get(&self, id: u32) -> u64 {
        self.pairs.get(id)
    }

    #[inline]
    fn intern(&mut self, pair: u64) -> Result<u32, Stop> {
        let pairs = &mut self.pairs;
        self.index
            .reserve(pairs.len(), |id| scatter(pairs.get(id)))?;
        let hash = scatter(pair);
        match self.index.find(hash, |id| pairs.get(id) == pair) {
            Ok(id) => Ok(id),
            Err(slot) => {
                let id = pairs.len() as u32;
                pairs.push(pair)?;
                self.index.put(slot, hash, id);
                Ok(id)
            }
        }
    }
}

/// Hash of a pair: both halves are small numbers, so they are spread before they are mixed.
#[inline]
pub(super) fn scatter(pair: u64) -> u32 {
    mix(pair.wrapping_mul(0xD6E8_FEB8_6659_FD93))
}

#[cfg(test)]
mod tests {
    use super::super::plain::weights;
    use super::*;
    use lariat_corpora::{Random, seed};
    use std::collections::HashMap;

    fn sum(cells: &[u32]) -> u64 {
        let terms = weights(cells.len()).into_iter().zip(cells);
        terms.fold(0, |s, (w, c)| s.wrapping_add(w.wrapping_mul(u64::from(*c))))
    }

    fn load(tree: &TreeStore, nodes: &mut TreeNodes, id: u32, cells: &mut [u32]) {
        tree.load(nodes, id, |cell, old, new| {
            assert_eq!(cells[cell as usize], old);
            cells[cell as usize] = new;
        });
    }

    /// Random steps from random states, compared with a map of whole vectors.
    #[test]
    fn a_tree_is_a_map_of_vectors() {
        let mut random = Random::new(seed(5_150));
        for cells in [1, 2, 3, 5, 8, 33, 100] {
            let mut tree = TreeStore::new(cells, &Budget::unlimited());
            let mut nodes = tree.zero().unwrap();
            let mut current = vec![0; cells];
            let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
            for _ in 0..5000 {
                let mut next = current.clone();
                for _ in 0..random.below(4) {
                    next[random.below(cells)] = random.below(4);
                }
                let changes: Vec<CellChange> = (0..cells)
                    .rev()
                    .filter(|i| next[*i] != current[*i])
                    .map(|i| (i as u32, next[i]))
                    .collect();
                let len = known.len() as u32;
                let expected = *known.entry(next.clone()).or_insert(len);
                let found = tree.intern(&nodes, &changes, sum(&next)).unwrap();
                assert_eq!(found, (expected, expected == len));
                let to = random.below(known.len() as u32);
                load(&tree, &mut nodes, to, &mut current);
                assert_eq!(known[&current], to);
            }
            assert_eq!(tree.len(), known.len());
        }
    }

    #[test]
    fn a_refused_lease_keeps_the_states() {
        let budget = Budget::bytes(400_000);
        let mut tree = TreeStore::new(64, &budget);
        let nodes = tree.zero().unwrap();
        let state = |i: u32| {
            let mut cells = vec![0; 64];
            (cells[i as usize % 60], cells[60]) = (1, i);
            let changes = [(60, i), (i % 60, 1)];
            (changes, sum(&cells))
        };
        let mut i = 1;
        while let Ok((id, new)) = tree.intern(&nodes, &state(i).0, state(i).1) {
            assert_eq!((id, new), (i - 1, true));
            i += 1;
        }
        assert!(i > 1000);
        for _ in 0..3 {
            let refused = tree.intern(&nodes, &state(i).0, state(i).1);
            assert_eq!(refused, Err(Stop::Memory));
        }
        let mut cells = vec![0; 64];
        let mut nodes = nodes;
        for j in 1..i {
            load(&tree, &mut nodes, j - 1, &mut cells);
            assert_eq!((cells[60], cells[j as usize % 60]), (j, 1));
        }
    }
}
