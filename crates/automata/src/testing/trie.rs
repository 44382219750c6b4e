//! Functions from letters to sets of classes, as shared decision diagrams.
//!
//! The edges of a pair (q, k) of a state and a letter are those of (q, k') with every letter
//! flipped by k ⊕ k'. With hash-consed diagrams, functions are compared by their ids and flipped by
//! a memoised walk, whereas lists of edges would be as long as there are letters.

use rustc_hash::FxHashMap;

/// A function from letters to sets of classes. Equal ids denote equal functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Trie(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct TrieNode {
    /// The decision bit, or the number of bits for a leaf.
    bit: u32,
    low: Trie,
    /// For a leaf the same as `low`: the number of its set.
    high: Trie,
}

/// A store of functions on letters of a fixed number of bits.
pub(super) struct Tries {
    bits: u32,
    nodes: Vec<TrieNode>,
    unique: FxHashMap<TrieNode, Trie>,
    sets: Vec<Vec<u32>>,
    set_ids: FxHashMap<Vec<u32>, Trie>,
    unions: FxHashMap<(Trie, Trie), Trie>,
    flips: FxHashMap<(Trie, usize), Trie>,
}

impl Tries {
    pub fn new(bits: u32) -> Tries {
        Tries {
            bits,
            nodes: Vec::new(),
            unique: FxHashMap::default(),
            sets: Vec::new(),
            set_ids: FxHashMap::default(),
            unions: FxHashMap::default(),
            flips: FxHashMap::default(),
        }
    }

    /// The function that maps letter `i` to `sets[i]`, with one set per letter.
    pub fn function(&mut self, sets: Vec<Vec<u32>>) -> Trie {
        let mut level: Vec<Trie> = sets.into_iter().map(|s| self.leaf(s)).collect();
        // Letter numbers are read from the highest bit down, so the lowest bit is joined first.
        for bit in 0..self.bits {
            level = level
                .chunks_exact(2)
                .map(|c| self.make(self.bits - 1 - bit, c[0], c[1]))
                .collect();
        }
        level[0]
    }

    /// Approximate size in bytes.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * 12
            + self.unique.capacity() * 20
            + self.unions.capacity() * 16
            + self.flips.capacity() * 24
            + self.sets.len() * 64
    }

    /// The pointwise union of two functions.
    pub fn union(&mut self, a: Trie, b: Trie) -> Trie {
        if a == b {
            return a;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let (na, nb) = (self.node(a), self.node(b));
        let bit = na.bit.min(nb.bit);
        let result = if bit == self.bits {
            let mut set = self.sets[na.low.0 as usize].clone();
            set.extend_from_slice(&self.sets[nb.low.0 as usize]);
            self.leaf(set)
        } else {
            let (a0, a1) = sides(a, na, bit);
            let (b0, b1) = sides(b, nb, bit);
            let low = self.union(a0, b0);
            let high = self.union(a1, b1);
            self.make(bit, low, high)
        };
        self.unions.insert(key, result);
        result
    }

    /// The function that maps `letter ^ by` to the value of `f` at `letter`.
    pub fn flip(&mut self, f: Trie, by: usize) -> Trie {
        let node = self.node(f);
        // Only the bits from the decision bit to the last are relevant.
        let by = by & ((1 << (self.bits - node.bit)) - 1);
        if by == 0 {
            return f;
        }
        if let Some(&known) = self.flips.get(&(f, by)) {
            return known;
        }
        let low = self.flip(node.low, by);
        let high = self.flip(node.high, by);
        let swap = by >> (self.bits - 1 - node.bit) & 1 == 1;
        let (low, high) = if swap { (high, low) } else { (low, high) };
        let result = self.make(node.bit, low, high);
        self.flips.insert((f, by), result);
        result
    }

    /// The function `f` except that letter 0 is mapped to the empty set.
    pub fn without_zero(&mut self, f: Trie) -> Trie {
        self.without_zero_from(f, 0)
    }

    fn without_zero_from(&mut self, f: Trie, bit: u32) -> Trie {
        if bit == self.bits {
            return self.leaf(Vec::new());
        }
        let (low, high) = sides(f, self.node(f), bit);
        let low = self.without_zero_from(low, bit + 1);
        self.make(bit, low, high)
    }

    /// Calls `visit` for every path: the mask of decision bits, their values, and the set of the
    /// leaf.
    pub fn paths(&self, f: Trie, visit: &mut impl FnMut(usize, usize, &[u32])) {
        self.paths_from(f, 0, 0, visit);
    }

    fn paths_from(
        &self,
        f: Trie,
        asked: usize,
        values: usize,
        visit: &mut impl FnMut(usize, usize, &[u32]),
    ) {
        let node = self.node(f);
        if node.bit == self.bits {
            return visit(asked, values, &self.sets[node.low.0 as usize]);
        }
        let bit = 1 << (self.bits - 1 - node.bit);
        self.paths_from(node.low, asked | bit, values, visit);
        self.paths_from(node.high, asked | bit, values | bit, visit);
    }

    fn node(&self, f: Trie) -> TrieNode {
        self.nodes[f.0 as usize]
    }

    fn make(&mut self, bit: u32, low: Trie, high: Trie) -> Trie {
        if low == high {
            return low;
        }
        self.intern(TrieNode { bit, low, high })
    }

    fn leaf(&mut self, mut set: Vec<u32>) -> Trie {
        set.sort_unstable();
        set.dedup();
        if let Some(&known) = self.set_ids.get(&set) {
            return known;
        }
        let number = Trie(self.sets.len() as u32);
        self.sets.push(set.clone());
        let leaf = self.intern(TrieNode {
            bit: self.bits,
            low: number,
            high: number,
        });
        self.set_ids.insert(set, leaf);
        leaf
    }

    fn intern(&mut self, node: TrieNode) -> Trie {
        *self.unique.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            Trie(self.nodes.len() as u32 - 1)
        })
    }
}

fn sides(f: Trie, node: TrieNode, bit: u32) -> (Trie, Trie) {
    if node.bit == bit {
        (node.low, node.high)
    } else {
        (f, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(tries: &Tries, f: Trie, letters: usize) -> Vec<Vec<u32>> {
        let mut table = vec![Vec::new(); letters];
        tries.paths(f, &mut |asked, values, set| {
            for (letter, slot) in table.iter_mut().enumerate() {
                if letter & asked == values {
                    *slot = set.to_vec();
                }
            }
        });
        table
    }

    #[test]
    fn functions_are_flipped_united_and_compared() {
        let mut tries = Tries::new(3);
        let sets: Vec<Vec<u32>> = (0..8).map(|i| vec![i / 3, i % 2]).collect();
        let f = tries.function(sets.clone());
        let sorted = |mut s: Vec<u32>| {
            s.sort_unstable();
            s.dedup();
            s
        };
        let expect: Vec<Vec<u32>> = sets.into_iter().map(sorted).collect();
        assert_eq!(table(&tries, f, 8), expect);
        for by in 0..8 {
            let g = tries.flip(f, by);
            let flipped = table(&tries, g, 8);
            for letter in 0..8 {
                assert_eq!(flipped[letter ^ by], expect[letter]);
            }
            assert_eq!(tries.flip(g, by), f);
            let both = tries.union(f, g);
            let united = table(&tries, both, 8);
            for letter in 0..8 {
                let all = [&expect[letter][..], &flipped[letter][..]].concat();
                assert_eq!(united[letter], sorted(all));
            }
        }
        let open = tries.without_zero(f);
        let rest = table(&tries, open, 8);
        assert!(rest[0].is_empty() && rest[1..] == expect[1..]);
    }
}
