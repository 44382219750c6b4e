//! Progression: the formula that remains after one letter.
//!
//! A word `a·w` satisfies `f` iff `w` satisfies the progression of `f` by `a` (Bacchus and Kabanza,
//! *Using temporal logics to express search control knowledge for planning*, AIJ 2000). Every
//! operator is unfolded once, as in `f U g = g | (f & X(f U g))`; atoms become constants and the
//! operands of `X` remain. If `false` remains after a finite word, no continuation satisfies the
//! formula. The converse does not hold: the result may be unsatisfiable without being the constant.

use crate::formula::{AtomId, Formula, Formulas, Node};
use rustc_hash::FxHashMap;

/// The formula that must hold from the next position on for `f` to hold at a position where an atom
/// is true iff `letter` returns true.
pub fn progress(formulas: &mut Formulas, f: Formula, letter: impl Fn(AtomId) -> bool) -> Formula {
    let s = formulas;
    let mut after: FxHashMap<Formula, Formula> = FxHashMap::default();
    for g in s.subformulas(f) {
        let rest = |h: &Formula| after[h];
        let result = match s.node(g).clone() {
            Node::True | Node::False => g,
            Node::Atom(atom) => s.constant(letter(atom)),
            Node::Not(h) => s.not(rest(&h)),
            Node::And(hs) => s.and(hs.iter().map(rest)),
            Node::Or(hs) => s.or(hs.iter().map(rest)),
            Node::Implies([h, k]) => {
                let not_h = s.not(rest(&h));
                s.or([not_h, rest(&k)])
            }
            Node::Iff([h, k]) => equivalence(s, rest(&h), rest(&k)),
            Node::Xor([h, k]) => {
                let equal = equivalence(s, rest(&h), rest(&k));
                s.not(equal)
            }
            Node::Next(h) => h,
            Node::Finally(h) => s.or([rest(&h), g]),
            Node::Globally(h) => s.and([rest(&h), g]),
            Node::Until([h, k]) | Node::WeakUntil([h, k]) => {
                let later = s.and([rest(&h), g]);
                s.or([rest(&k), later])
            }
            Node::Release([h, k]) | Node::StrongRelease([h, k]) => {
                let later = s.or([rest(&h), g]);
                s.and([rest(&k), later])
            }
        };
        after.insert(g, result);
    }
    after[&f]
}

/// `f <-> g` with constants folded.
fn equivalence(s: &mut Formulas, f: Formula, g: Formula) -> Formula {
    let (not_f, not_g) = (s.not(f), s.not(g));
    let both = s.and([f, g]);
    let neither = s.and([not_f, not_g]);
    s.or([both, neither])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_prefix_leaves_false() {
        let mut s = Formulas::new();
        let bad = s.atom_id("bad");
        let f = {
            let bad = s.atom(bad);
            let good = s.not(bad);
            s.globally(good)
        };
        let same = progress(&mut s, f, |_| false);
        assert_eq!(same, f);
        assert_eq!(progress(&mut s, f, |_| true), Formulas::FALSE);
    }
}
