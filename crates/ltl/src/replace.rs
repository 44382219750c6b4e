//! Substitution of subformulas.

use rustc_hash::FxHashMap;

use crate::formula::{Formula, Formulas, Node};

/// `f` with every subformula for which `with` returns a replacement replaced; other subformulas are
/// rebuilt from their new operands.
pub fn replace(
    formulas: &mut Formulas,
    f: Formula,
    mut with: impl FnMut(&mut Formulas, Formula) -> Option<Formula>,
) -> Formula {
    let mut new: FxHashMap<Formula, Formula> = FxHashMap::default();
    for g in formulas.subformulas(f) {
        let result = match with(formulas, g) {
            Some(result) => result,
            None => {
                let node = formulas.node(g).clone();
                rebuild(formulas, g, &node, |h| new[&h])
            }
        };
        new.insert(g, result);
    }
    new[&f]
}

/// The value of `f` on a word that repeats one letter indefinitely, as a formula without temporal
/// operators.
pub fn on_one_letter(formulas: &mut Formulas, f: Formula) -> Formula {
    let mut new: FxHashMap<Formula, Formula> = FxHashMap::default();
    for g in formulas.subformulas(f) {
        let result = match formulas.node(g).clone() {
            Node::Next(h) | Node::Finally(h) | Node::Globally(h) => new[&h],
            // f U g requires g immediately; f R g requires g now, and then always.
            Node::Until([_, h]) | Node::Release([_, h]) => new[&h],
            Node::WeakUntil([g, h]) => formulas.or([new[&g], new[&h]]),
            Node::StrongRelease([g, h]) => formulas.and([new[&g], new[&h]]),
            other => rebuild(formulas, g, &other, |h| new[&h]),
        };
        new.insert(g, result);
    }
    new[&f]
}

/// `f`, whose node is `node`, with other operands.
pub(crate) fn rebuild(
    s: &mut Formulas,
    f: Formula,
    node: &Node,
    with: impl Fn(Formula) -> Formula,
) -> Formula {
    match *node {
        Node::True | Node::False | Node::Atom(_) => f,
        Node::Not(g) => s.not(with(g)),
        Node::And(ref gs) => s.and(gs.iter().map(|g| with(*g))),
        Node::Or(ref gs) => s.or(gs.iter().map(|g| with(*g))),
        Node::Implies([g, h]) => s.implies(with(g), with(h)),
        Node::Iff([g, h]) => s.iff(with(g), with(h)),
        Node::Xor([g, h]) => s.xor(with(g), with(h)),
        Node::Next(g) => s.next(with(g)),
        Node::Finally(g) => s.finally(with(g)),
        Node::Globally(g) => s.globally(with(g)),
        Node::Until([g, h]) => s.until(with(g), with(h)),
        Node::Release([g, h]) => s.release(with(g), with(h)),
        Node::WeakUntil([g, h]) => s.weak_until(with(g), with(h)),
        Node::StrongRelease([g, h]) => s.strong_release(with(g), with(h)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        FreeVocabulary, OperatorWeights, Random, Syntax, holds, parse, print, random_formula,
        simplify,
    };

    #[test]
    fn constants_fold() {
        let mut s = Formulas::new();
        let f = parse("G(a -> F b) & (c U X a)", &mut s, &mut FreeVocabulary).unwrap();
        let a = s.atom_id("a");
        for (constant, expected) in [(Formulas::FALSE, "0"), (Formulas::TRUE, "GFb")] {
            let replaced = replace(&mut s, f, |s, g| {
                (*s.node(g) == Node::Atom(a)).then_some(constant)
            });
            let replaced = simplify(&mut s, replaced);
            assert_eq!(print(&s, replaced, Syntax::Spot), expected);
        }
    }

    #[test]
    fn one_letter_is_evaluated() {
        let mut random = Random::new(7);
        for _ in 0..500 {
            let mut s = Formulas::new();
            let atoms = ["a", "b"].map(|name| s.atom_id(name));
            let f = random_formula(&mut s, &atoms, 8, &OperatorWeights::ALL, &mut random);
            let flat = on_one_letter(&mut s, f);
            for letter in 0..4u32 {
                let value = |f| holds(&s, f, 0, 1, |_, atom| letter >> atom.index() & 1 == 1);
                assert_eq!(value(f), value(flat), "{}", print(&s, f, Syntax::Spot));
            }
        }
    }
}
