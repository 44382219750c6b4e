//! Progression: what a formula leaves to be done after a letter.
//!
//! A word `a·w` satisfies `f` iff `w` satisfies the progression of `f` by `a` (Bacchus and Kabanza, *Using temporal logics to express
//! search control knowledge for planning*, AIJ 2000). With every operator unfolded once, as in `f U g = g | (f & X(f U g))`, atoms become
//! constants and what is under `X` remains. Where `false` remains after a finite word, no continuation satisfies the formula.
//! The converse does not hold: what remains may be unsatisfiable without being the constant.

use crate::formula::{AtomId, Formula, Formulas, Node};
use rustc_hash::FxHashMap;

/// What must hold from the next position on if `f` is to hold at one whose letter makes an atom true iff `letter` says so.
pub fn progress(formulas: &mut Formulas, f: Formula, letter: impl Fn(AtomId) -> bool) -> Formula {
    let s = formulas;
    let mut left: FxHashMap<Formula, Formula> = FxHashMap::default();
    for g in s.subformulas(f) {
        let of = |h: &Formula| left[h];
        let result = match s.node(g).clone() {
            Node::True | Node::False => g,
            Node::Atom(atom) => s.constant(letter(atom)),
            Node::Not(h) => s.not(of(&h)),
            Node::And(hs) => s.and(hs.iter().map(of)),
            Node::Or(hs) => s.or(hs.iter().map(of)),
            Node::Implies([h, k]) => {
                let not_h = s.not(of(&h));
                s.or([not_h, of(&k)])
            }
            Node::Iff([h, k]) => alike(s, of(&h), of(&k)),
            Node::Xor([h, k]) => {
                let alike = alike(s, of(&h), of(&k));
                s.not(alike)
            }
            Node::Next(h) => h,
            Node::Finally(h) => s.or([of(&h), g]),
            Node::Globally(h) => s.and([of(&h), g]),
            Node::Until([h, k]) | Node::WeakUntil([h, k]) => {
                let later = s.and([of(&h), g]);
                s.or([of(&k), later])
            }
            Node::Release([h, k]) | Node::StrongRelease([h, k]) => {
                let later = s.or([of(&h), g]);
                s.and([of(&k), later])
            }
        };
        left.insert(g, result);
    }
    left[&f]
}

/// `f <-> g` with constants folded.
fn alike(s: &mut Formulas, f: Formula, g: Formula) -> Formula {
    let (not_f, not_g) = (s.not(f), s.not(g));
    let both = s.and([f, g]);
    let neither = s.and([not_f, not_g]);
    s.or([both, neither])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_prefix_leaves_nothing_to_hope_for() {
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
