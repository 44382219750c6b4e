//! Diagrams in which atoms come first and the variables after them occur only positively.
//!
//! The moves of a tableau state and those of a set of states have this form. A walk over the atoms
//! of such a diagram yields the classes of letters. The residual of each class is the disjunction
//! of its minimal sets of variables: the edges.

use crate::guard::{Guard, Guards};
use lariat_budget::Stop;
use rustc_hash::{FxHashMap, FxHashSet};

impl Guards {
    /// The residuals of `f` after assigning the variables before `first`: each different residual
    /// (except `FALSE`) with the letters that lead to it, in diagram order.
    ///
    /// `count` is called for each residual before its letters are computed.
    pub(crate) fn leaves(
        &mut self,
        f: Guard,
        first: u32,
        count: &mut dyn FnMut() -> Result<(), Stop>,
    ) -> Result<Vec<(Guard, Guard)>, Stop> {
        self.check()?;
        let mut order = Vec::new();
        let mut seen = FxHashSet::default();
        self.collect_leaves(f, first, &mut seen, &mut order);
        let mut leaves = Vec::with_capacity(order.len());
        for leaf in order {
            count()?;
            let mut memo = FxHashMap::default();
            leaves.push((leaf, self.leading_to(f, leaf, first, &mut memo)));
        }
        self.check()?;
        Ok(leaves)
    }

    fn collect_leaves(
        &self,
        f: Guard,
        first: u32,
        seen: &mut FxHashSet<Guard>,
        order: &mut Vec<Guard>,
    ) {
        if f == Guards::FALSE || !seen.insert(f) {
            return;
        }
        let d = self.decision(f);
        if d.variable >= first {
            order.push(f);
        } else {
            self.collect_leaves(d.low, first, seen, order);
            self.collect_leaves(d.high, first, seen, order);
        }
    }

    fn leading_to(
        &mut self,
        f: Guard,
        leaf: Guard,
        first: u32,
        memo: &mut FxHashMap<Guard, Guard>,
    ) -> Guard {
        if f == leaf {
            return Guards::TRUE;
        }
        let d = self.decision(f);
        if d.variable >= first {
            return Guards::FALSE;
        }
        if let Some(&known) = memo.get(&f) {
            return known;
        }
        let low = self.leading_to(d.low, leaf, first, memo);
        let high = self.leading_to(d.high, leaf, first, memo);
        let result = self.make(d.variable, low, high);
        memo.insert(f, result);
        result
    }

    /// The minimal sets of variables that satisfy `f`, which has only positive occurrences.
    ///
    /// For such a function they are its prime implicants, and all are needed. There may be
    /// exponentially many: `count` is called for each before it is stored.
    pub(crate) fn minimal_sets(
        &self,
        f: Guard,
        count: &mut dyn FnMut() -> Result<(), Stop>,
    ) -> Result<Vec<Vec<u32>>, Stop> {
        Ok(match f {
            Guards::FALSE => Vec::new(),
            Guards::TRUE => vec![Vec::new()],
            _ => {
                let d = self.decision(f);
                let mut sets = self.minimal_sets(d.low, count)?;
                for mut set in self.minimal_sets(d.high, count)? {
                    if !self.accepts_set(d.low, &set) {
                        count()?;
                        set.push(d.variable);
                        sets.push(set);
                    }
                }
                sets
            }
        })
    }

    /// Returns whether `f` holds if exactly the variables of `set` are true.
    fn accepts_set(&self, mut f: Guard, set: &[u32]) -> bool {
        while f > Guards::TRUE {
            let d = self.decision(f);
            f = if set.contains(&d.variable) {
                d.high
            } else {
                d.low
            };
        }
        f == Guards::TRUE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_and_minimal_sets() {
        let mut s = Guards::new();
        let [a, x, y, z] = [0, 5, 6, 7].map(|i| s.variable(i));
        let (xy, yz) = (s.and(x, y), s.and(y, z));
        let either = s.or(xy, yz);
        let f = s.ite(a, either, x);
        let na = s.not(a);
        let mut leaves = s.leaves(f, 5, &mut || Ok(())).unwrap();
        leaves.sort();
        let mut expected = vec![(either, a), (x, na)];
        expected.sort();
        assert_eq!(leaves, expected);
        let mut sets = s.minimal_sets(either, &mut || Ok(())).unwrap();
        for set in &mut sets {
            set.sort();
        }
        sets.sort();
        assert_eq!(sets, [vec![5, 6], vec![6, 7]]);
        let absorbed = s.or(either, y);
        assert_eq!(s.minimal_sets(absorbed, &mut || Ok(())), Ok(vec![vec![6]]));
    }
}
