//! Negation normal form.
//!
//! Negations are moved to the atoms; `->`, `<->` and `xor` are expanded:
//!
//! - ¬(f U g) = ¬f R ¬g, ¬(f W g) = ¬f M ¬g, ¬F f = G ¬f, ¬X f = X ¬f, and vice versa
//! - f ↔ g = (f ∧ g) ∨ (¬f ∧ ¬g), f xor g = (f ∧ ¬g) ∨ (¬f ∧ g)
//!
//! The result consists of true, false, atoms, negated atoms, `&`, `|`, `X`, `F`, `G`, `U`, `R`, `W`
//! and `M`. All six fixpoint operators are kept: `F` and `G` because the simplifier and the
//! translator have more rules for them than for `true U` and `false R`, `W` and `M` because `g R (f
//! ∨ g)` would duplicate `g`.
//!
//! A subformula is needed in at most two polarities, so the result has at most twice as many
//! hash-consed subformulas (and a constant number more for each `<->`), although its textual form
//! may be exponentially longer.

use rustc_hash::FxHashMap;

use crate::formula::{Formula, Formulas, Node};

/// The negation normal form of `f`; of `!f` if `negated`.
pub fn nnf(formulas: &mut Formulas, f: Formula, negated: bool) -> Formula {
    let all = formulas.subformulas(f);
    // needed[f][p]: f (p = 0) or its negation (p = 1) is part of the result. Parents come first.
    let mut needed: FxHashMap<Formula, [bool; 2]> = FxHashMap::default();
    needed.entry(f).or_default()[usize::from(negated)] = true;
    for &g in all.iter().rev() {
        let [plain, inverse] = needed.get(&g).copied().unwrap_or_default();
        let node = formulas.node(g);
        let same = [plain, inverse];
        let swapped = [inverse, plain];
        let both = [true, true];
        for (position, &h) in node.children().iter().enumerate() {
            let wanted = match node {
                Node::Not(_) => swapped,
                Node::Implies(_) if position == 0 => swapped,
                Node::Iff(_) | Node::Xor(_) => both,
                _ => same,
            };
            let slot = needed.entry(h).or_default();
            slot[0] |= wanted[0];
            slot[1] |= wanted[1];
        }
    }
    let mut done: FxHashMap<(Formula, bool), Formula> = FxHashMap::default();
    for &g in &all {
        let wanted = needed.get(&g).copied().unwrap_or_default();
        for negated in [false, true] {
            if wanted[usize::from(negated)] {
                let result = convert(formulas, g, negated, &done);
                done.insert((g, negated), result);
            }
        }
    }
    done[&(f, negated)]
}

/// Converts one node; the required operands are in `done`.
fn convert(
    s: &mut Formulas,
    f: Formula,
    negated: bool,
    done: &FxHashMap<(Formula, bool), Formula>,
) -> Formula {
    let get = |g: Formula, negated: bool| done[&(g, negated)];
    match (s.node(f).clone(), negated) {
        (Node::True, _) => s.constant(!negated),
        (Node::False, _) => s.constant(negated),
        (Node::Atom(_), false) => f,
        (Node::Atom(_), true) => s.not(f),
        (Node::Not(g), _) => get(g, !negated),
        (Node::And(gs), false) | (Node::Or(gs), true) => s.and(gs.iter().map(|g| get(*g, negated))),
        (Node::Or(gs), false) | (Node::And(gs), true) => s.or(gs.iter().map(|g| get(*g, negated))),
        (Node::Implies([g, h]), false) => s.or([get(g, true), get(h, false)]),
        (Node::Implies([g, h]), true) => s.and([get(g, false), get(h, true)]),
        (Node::Iff([g, h]), false) | (Node::Xor([g, h]), true) => {
            let yes = s.and([get(g, false), get(h, false)]);
            let no = s.and([get(g, true), get(h, true)]);
            s.or([yes, no])
        }
        (Node::Xor([g, h]), false) | (Node::Iff([g, h]), true) => {
            let left = s.and([get(g, false), get(h, true)]);
            let right = s.and([get(g, true), get(h, false)]);
            s.or([left, right])
        }
        (Node::Next(g), _) => s.next(get(g, negated)),
        (Node::Finally(g), false) | (Node::Globally(g), true) => s.finally(get(g, negated)),
        (Node::Globally(g), false) | (Node::Finally(g), true) => s.globally(get(g, negated)),
        (Node::Until([g, h]), false) | (Node::Release([g, h]), true) => {
            s.until(get(g, negated), get(h, negated))
        }
        (Node::Release([g, h]), false) | (Node::Until([g, h]), true) => {
            s.release(get(g, negated), get(h, negated))
        }
        (Node::WeakUntil([g, h]), false) | (Node::StrongRelease([g, h]), true) => {
            s.weak_until(get(g, negated), get(h, negated))
        }
        (Node::StrongRelease([g, h]), false) | (Node::WeakUntil([g, h]), true) => {
            s.strong_release(get(g, negated), get(h, negated))
        }
    }
}

/// Returns whether `f` is in negation normal form.
pub fn is_nnf(formulas: &Formulas, f: Formula) -> bool {
    let is_allowed = |g: &Formula| match formulas.node(*g) {
        Node::Not(h) => matches!(formulas.node(*h), Node::Atom(_)),
        Node::Implies(_) | Node::Iff(_) | Node::Xor(_) => false,
        _ => true,
    };
    formulas.subformulas(f).iter().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FreeVocabulary, Syntax, parse, print};

    fn check(formula: &str, want: &str) {
        let mut s = Formulas::new();
        let f = parse(formula, &mut s, &mut FreeVocabulary).unwrap();
        let got = nnf(&mut s, f, false);
        assert!(is_nnf(&s, got));
        assert_eq!(print(&s, got, Syntax::Spot), want);
    }

    #[test]
    fn duals() {
        check("!(a U Xb)", "!a R X!b");
        check("!(a R b)", "!a U !b");
        check("!(a W b)", "!a M !b");
        check("!(a M b)", "!a W !b");
        check("!G(a -> Fb)", "F(a & G!b)");
        check("!(a & (b | 1))", "!a");
    }

    #[test]
    fn equivalences_are_expanded() {
        check("a <-> b", "(a & b) | (!a & !b)");
        check("a xor b", "(a & !b) | (b & !a)");
        check("!(a <-> b)", "(a & !b) | (b & !a)");
    }

    #[test]
    fn nested_equivalences_stay_small() {
        let mut s = Formulas::new();
        let parts: Vec<String> = (0..60).map(|i| format!("G p{i}")).collect();
        let f = parse(&parts.join(" <-> "), &mut s, &mut FreeVocabulary).unwrap();
        let got = nnf(&mut s, f, true);
        assert!(s.subformulas(got).len() < 1000);
    }
}
