//! Set algebra on canonical partitions.
//!
//! ```text
//! Pᵢ × Sᵢ  op  Qⱼ × Tⱼ      on Pᵢ ∩ Qⱼ: Sᵢ op Tⱼ;     on the rest of a prime: its sub, or nothing
//! ```
//!
//! The resulting primes are disjoint; those with equal subs are united.
//!
//! Recursion is as deep as the hierarchy, which is logarithmic in the number of components. Cost:
//! the product of the numbers of primes; results are memoized.

use super::{HierNode, HierSet, Hierarchy, MEMO_BYTES};
use lariat_budget::Stop;
use rustc_hash::FxHashMap;

impl Hierarchy {
    /// Returns the set of the pairs `prime × sub`, for disjoint primes.
    pub(super) fn disjoint(
        &mut self,
        parts: impl IntoIterator<Item = (HierSet, HierSet)>,
    ) -> Result<HierSet, Stop> {
        let mut by_sub: FxHashMap<HierSet, HierSet> = FxHashMap::default();
        for (prime, sub) in parts {
            if prime.is_empty() || sub.is_empty() {
                continue;
            }
            let known = by_sub.get(&sub).copied().unwrap_or(HierSet::EMPTY);
            let prime = self.union(known, prime)?;
            by_sub.insert(sub, prime);
        }
        if by_sub.is_empty() {
            return Ok(HierSet::EMPTY);
        }
        let mut parts: Vec<(HierSet, HierSet)> = by_sub.into_iter().map(|(s, p)| (p, s)).collect();
        parts.sort_unstable();
        self.intern(HierNode::Pair(parts.into()))
    }

    /// Returns the members of either set.
    pub fn union(&mut self, a: HierSet, b: HierSet) -> Result<HierSet, Stop> {
        if a == b || b.is_empty() {
            return Ok(a);
        }
        if a.is_empty() {
            return Ok(b);
        }
        let key = (a.min(b), a.max(b));
        if let Some(known) = self.unions.get(&key) {
            return Ok(*known);
        }
        let leaf = self.local(a) | self.local(b);
        let found = if leaf != 0 {
            self.leaf(leaf)?
        } else {
            let (ours, theirs) = (self.parts(a), self.parts(b));
            let mut parts = Vec::new();
            let mut open: Vec<HierSet> = theirs.iter().map(|(prime, _)| *prime).collect();
            for (prime, sub) in &ours {
                let mut rest = *prime;
                for ((other, other_sub), open) in theirs.iter().zip(&mut open) {
                    let common = self.intersection(rest, *other)?;
                    if common.is_empty() {
                        continue;
                    }
                    rest = self.difference(rest, common)?;
                    *open = self.difference(*open, common)?;
                    parts.push((common, self.union(*sub, *other_sub)?));
                }
                parts.push((rest, *sub));
            }
            let rests = open.into_iter().zip(theirs.iter().map(|(_, sub)| *sub));
            parts.extend(rests);
            self.disjoint(parts)?
        };
        self.grow(MEMO_BYTES)?;
        self.unions.insert(key, found);
        Ok(found)
    }

    /// Returns the members of both sets.
    pub fn intersection(&mut self, a: HierSet, b: HierSet) -> Result<HierSet, Stop> {
        if a == b {
            return Ok(a);
        }
        if a.is_empty() || b.is_empty() {
            return Ok(HierSet::EMPTY);
        }
        let key = (a.min(b), a.max(b));
        if let Some(known) = self.intersections.get(&key) {
            return Ok(*known);
        }
        let leaf = self.local(a) & self.local(b);
        let found = if leaf != 0 {
            self.leaf(leaf)?
        } else {
            let (ours, theirs) = (self.parts(a), self.parts(b));
            let mut parts = Vec::new();
            for (prime, sub) in &ours {
                for (other, other_sub) in &theirs {
                    let common = self.intersection(*prime, *other)?;
                    if !common.is_empty() {
                        parts.push((common, self.intersection(*sub, *other_sub)?));
                    }
                }
            }
            self.disjoint(parts)?
        };
        self.grow(MEMO_BYTES)?;
        self.intersections.insert(key, found);
        Ok(found)
    }

    /// Returns the members of `a` that are not in `b`.
    pub fn difference(&mut self, a: HierSet, b: HierSet) -> Result<HierSet, Stop> {
        if a == b {
            return Ok(HierSet::EMPTY);
        }
        if a.is_empty() || b.is_empty() {
            return Ok(a);
        }
        if let Some(known) = self.differences.get(&(a, b)) {
            return Ok(*known);
        }
        let ours = self.local(a);
        let found = if ours != 0 {
            self.leaf(ours & !self.local(b))?
        } else {
            let (ours, theirs) = (self.parts(a), self.parts(b));
            let mut parts = Vec::new();
            for (prime, sub) in &ours {
                let mut rest = *prime;
                for (other, other_sub) in &theirs {
                    let common = self.intersection(rest, *other)?;
                    if !common.is_empty() {
                        rest = self.difference(rest, common)?;
                        parts.push((common, self.difference(*sub, *other_sub)?));
                    }
                }
                parts.push((rest, *sub));
            }
            self.disjoint(parts)?
        };
        self.grow(MEMO_BYTES)?;
        self.differences.insert((a, b), found);
        Ok(found)
    }
}
