//! Evaluation of a formula on a lasso word, directly from the definition.
//!
//! A lasso word `u·vω` has finitely many different suffixes, one for each position of `u` and `v`,
//! so a formula denotes a set of positions. Let `succ` be the next position (the first of `v` after
//! the last one), and ⟦f⟧ the set of `f`:
//!
//! - ⟦X f⟧ = { i | succ(i) ∈ ⟦f⟧ }
//! - ⟦f U g⟧ = μZ. ⟦g⟧ ∪ (⟦f⟧ ∩ XZ), ⟦f M g⟧ = μZ. ⟦g⟧ ∩ (⟦f⟧ ∪ XZ), ⟦F g⟧ = ⟦true U g⟧
//! - ⟦f W g⟧ = νZ. ⟦g⟧ ∪ (⟦f⟧ ∩ XZ), ⟦f R g⟧ = νZ. ⟦g⟧ ∩ (⟦f⟧ ∪ XZ), ⟦G g⟧ = ⟦false R g⟧
//!
//! Fixpoints are computed by backward iteration from ∅ (μ) or from all positions (ν) until nothing
//! changes. Counterexamples are replayed with this module and automata are tested against it, so it
//! shares no code with either and is kept simple. Cost: O(subformulas × positions).

use rustc_hash::FxHashMap;

use crate::formula::{AtomId, Formula, Formulas, Node};

/// The truth values of all subformulas of a formula at every position of a lasso word.
#[derive(Clone, Debug)]
pub struct Truth {
    rows: FxHashMap<Formula, Vec<bool>>,
}

impl Truth {
    /// Returns whether `f` holds at `position` (of the prefix, then of the cycle). `None` if `f` is
    /// not a subformula of the evaluated one or the position is out of range.
    pub fn at(&self, f: Formula, position: usize) -> Option<bool> {
        self.rows.get(&f)?.get(position).copied()
    }
}

/// Returns whether `f` holds at the start of the lasso word in which `atom` is true at `position`
/// iff `letter(position, atom)`. Positions range over the prefix and then once over the cycle.
///
/// # Panics
///
/// If `cycle_len` is 0, because the word would be finite.
pub fn holds(
    formulas: &Formulas,
    f: Formula,
    prefix_len: usize,
    cycle_len: usize,
    letter: impl FnMut(usize, AtomId) -> bool,
) -> bool {
    truth(formulas, f, prefix_len, cycle_len, letter).at(f, 0) == Some(true)
}

/// Like [`holds`], for every subformula at every position.
///
/// # Panics
///
/// If `cycle_len` is 0.
pub fn truth(
    formulas: &Formulas,
    f: Formula,
    prefix_len: usize,
    cycle_len: usize,
    mut letter: impl FnMut(usize, AtomId) -> bool,
) -> Truth {
    assert!(cycle_len > 0, "a lasso word needs a cycle");
    let len = prefix_len + cycle_len;
    let succ = |i: usize| if i + 1 < len { i + 1 } else { prefix_len };
    let mut rows: FxHashMap<Formula, Vec<bool>> = FxHashMap::default();
    for g in formulas.subformulas(f) {
        let fixpoint = |start: bool, step: &dyn Fn(usize, bool) -> bool| {
            let mut row = vec![start; len];
            loop {
                let mut changed = false;
                for i in (0..len).rev() {
                    let value = step(i, row[succ(i)]);
                    changed |= row[i] != value;
                    row[i] = value;
                }
                if !changed {
                    return row;
                }
            }
        };
        let at = |h: &Formula, i: usize| rows[h][i];
        let each = |value: &dyn Fn(usize) -> bool| (0..len).map(value).collect();
        let row: Vec<bool> = match formulas.node(g) {
            Node::True => vec![true; len],
            Node::False => vec![false; len],
            Node::Atom(atom) => (0..len).map(|i| letter(i, *atom)).collect(),
            Node::Not(h) => each(&|i| !at(h, i)),
            Node::And(hs) => each(&|i| hs.iter().all(|h| at(h, i))),
            Node::Or(hs) => each(&|i| hs.iter().any(|h| at(h, i))),
            Node::Implies([h, k]) => each(&|i| !at(h, i) || at(k, i)),
            Node::Iff([h, k]) => each(&|i| at(h, i) == at(k, i)),
            Node::Xor([h, k]) => each(&|i| at(h, i) != at(k, i)),
            Node::Next(h) => each(&|i| at(h, succ(i))),
            Node::Finally(h) => fixpoint(false, &|i, next| at(h, i) || next),
            Node::Globally(h) => fixpoint(true, &|i, next| at(h, i) && next),
            Node::Until([h, k]) => fixpoint(false, &|i, next| at(k, i) || at(h, i) && next),
            Node::WeakUntil([h, k]) => fixpoint(true, &|i, next| at(k, i) || at(h, i) && next),
            Node::Release([h, k]) => fixpoint(true, &|i, next| at(k, i) && (at(h, i) || next)),
            Node::StrongRelease([h, k]) => {
                fixpoint(false, &|i, next| at(k, i) && (at(h, i) || next))
            }
        };
        rows.insert(g, row);
    }
    Truth { rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FreeVocabulary, parse};

    /// Each letter of the word is the set of its true atoms, `-` the empty set: `check("a;b;-", 1,
    /// …)` has the cycle `b;-`.
    fn check(word: &str, prefix: usize, formula: &str) -> bool {
        let mut s = Formulas::new();
        let f = parse(formula, &mut s, &mut FreeVocabulary).unwrap();
        let letters: Vec<&str> = word.split(';').collect();
        holds(&s, f, prefix, letters.len() - prefix, |i, atom| {
            letters[i].contains(s.atom_name(atom))
        })
    }

    #[test]
    fn operators_follow_their_definition() {
        assert!(check("a;a;b;-", 3, "a U b"));
        assert!(!check("a;-;b", 2, "a U b"));
        assert!(!check("a", 0, "a U b") && check("a", 0, "a W b"));
        // `a R b` requires `b` at the position of `a`; `a U b` does not require `a` at that of `b`.
        assert!(check("b;b;ab;-", 3, "a R b") && !check("b;b;a;-", 3, "a R b"));
        assert!(check("b", 0, "a R b") && !check("b", 0, "a M b"));
        assert!(check("-;a;b", 1, "GFa & GFb & !FGa & XXb & !Xb"));
        assert!(check("a;-", 1, "F G !a") && check("a;-", 0, "G F a"));
        assert!(check("a;b", 1, "(a xor b) & (a -> X b) & !(a <-> b)"));
    }

    #[test]
    fn every_subformula_is_evaluated() {
        let mut s = Formulas::new();
        let f = parse("G F a", &mut s, &mut FreeVocabulary).unwrap();
        let t = truth(&s, f, 1, 1, |i, _| i == 0);
        let a = s.subformulas(f)[0];
        assert_eq!(
            (t.at(a, 0), t.at(a, 1), t.at(a, 2)),
            (Some(true), Some(false), None)
        );
        assert_eq!(t.at(f, 0), Some(false));
        assert_eq!(t.at(Formulas::TRUE, 0), None);
    }
}
