//! Vacuity detection: stronger formulas to be checked when a formula holds.
//!
//! A subformula with one polarity is replaced by the constant that makes the formula strongest:
//! `false` if the polarity is positive, `true` if it is negative. If a model satisfies the stronger
//! formula, the subformula is irrelevant, and the formula holds *vacuously* (I. Beer, S. Ben-David,
//! C. Eisner and Y. Rodeh, *Efficient detection of vacuity in temporal model checking*, FMSD 2001).
//! `G(a -> F b)` with `false` for `F b` states that `a` never holds.
//!
//! All occurrences of a subformula are replaced together. Subformulas with both polarities are
//! omitted, and so are those whose replacement leaves an unsatisfiable formula.

use crate::formula::{Formula, Formulas, Node};
use crate::replace::replace;
use crate::simplify::simplify;
use rustc_hash::FxHashMap;

/// A formula that is at least as strong as the original one, with the replacement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strengthening {
    /// The stronger formula.
    pub formula: Formula,
    /// The subformula that was replaced.
    pub part: Formula,
    /// The constant that replaces it.
    pub by: bool,
    /// If the original formula is a conjunct `G(condition -> part)`: the condition, which never
    /// holds if the stronger formula does.
    pub never: Option<Formula>,
}

/// Polarities of the occurrences of a subformula.
#[derive(Clone, Copy, Default)]
struct Polarity {
    positive: bool,
    negative: bool,
}

/// Stronger formulas to be checked when `f` holds, larger subformulas first, without duplicates.
pub fn strengthenings(formulas: &mut Formulas, f: Formula) -> Vec<Strengthening> {
    let parts = formulas.subformulas(f);
    let signs = polarities(formulas, f, &parts);
    let whole = simplify(formulas, f);
    let promises = promises(formulas, f);
    let mut found: Vec<Strengthening> = Vec::new();
    // Subformulas precede the formulas that contain them.
    for part in parts.iter().rev().copied().filter(|part| *part != f) {
        let Polarity { positive, negative } = signs[&part];
        if positive == negative || part == Formulas::TRUE || part == Formulas::FALSE {
            continue;
        }
        let by = negative;
        let constant = formulas.constant(by);
        let stronger = replace(formulas, f, |_, g| (g == part).then_some(constant));
        let stronger = simplify(formulas, stronger);
        let known = found.iter().any(|other| other.formula == stronger);
        if known || stronger == Formulas::FALSE || stronger == whole {
            continue;
        }
        let never = promises.get(&part).copied().filter(|_| !by);
        found.push(Strengthening {
            formula: stronger,
            part,
            by,
            never,
        });
    }
    found
}

/// For each conjunct `G(condition -> promise)`, the promise with its condition.
fn promises(formulas: &Formulas, f: Formula) -> FxHashMap<Formula, Formula> {
    let conjuncts = match formulas.node(f) {
        Node::And(parts) => parts.to_vec(),
        _ => vec![f],
    };
    let promise = |conjunct: Formula| match formulas.node(conjunct) {
        Node::Globally(inner) => match formulas.node(*inner) {
            Node::Implies([condition, promise]) => Some((*promise, *condition)),
            _ => None,
        },
        _ => None,
    };
    conjuncts.into_iter().filter_map(promise).collect()
}

fn polarities(formulas: &Formulas, f: Formula, parts: &[Formula]) -> FxHashMap<Formula, Polarity> {
    let mut signs: FxHashMap<Formula, Polarity> = FxHashMap::default();
    let mut occurs = |h: Formula, positive: bool, negative: bool| {
        let sign: &mut Polarity = signs.entry(h).or_default();
        sign.positive |= positive;
        sign.negative |= negative;
        *sign
    };
    occurs(f, true, false);
    for g in parts.iter().rev() {
        let Polarity { positive, negative } = occurs(*g, false, false);
        match formulas.node(*g) {
            Node::Not(h) => {
                occurs(*h, negative, positive);
            }
            Node::Implies([h, k]) => {
                occurs(*h, negative, positive);
                occurs(*k, positive, negative);
            }
            Node::Iff(hs) | Node::Xor(hs) => {
                for h in hs {
                    occurs(*h, true, true);
                }
            }
            node => {
                for h in node.children() {
                    occurs(*h, positive, negative);
                }
            }
        }
    }
    signs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        FreeVocabulary, OperatorWeights, Random, Syntax, holds, parse, print, random_formula,
    };

    fn texts(text: &str) -> Vec<String> {
        let mut formulas = Formulas::new();
        let f = parse(text, &mut formulas, &mut FreeVocabulary).unwrap();
        let all = strengthenings(&mut formulas, f);
        let spot = |f| print(&formulas, f, Syntax::Spot);
        all.iter()
            .map(|s| match s.never {
                Some(never) => format!("{}: never {}", spot(s.formula), spot(never)),
                None => format!("{}: {} for {}", spot(s.formula), s.by, spot(s.part)),
            })
            .collect()
    }

    #[test]
    fn parts_are_replaced_by_the_strongest_constant() {
        let mut found = texts("G(a -> F b)");
        found.sort();
        assert_eq!(found, ["G!a: never a", "GFb: true for a"]);
        // The formula has no other subformula.
        assert_eq!(texts("G a"), Vec::<String>::new());
        // Both polarities.
        assert_eq!(texts("G(a <-> b)"), Vec::<String>::new());
    }

    /// Every strengthening implies the original formula.
    #[test]
    fn strengthenings_imply_the_formula() {
        let mut random = Random::new(5);
        for case in 0..300 {
            let mut formulas = Formulas::new();
            let atoms = ["a", "b", "c"].map(|name| formulas.atom_id(name));
            let f = random_formula(&mut formulas, &atoms, 9, &OperatorWeights::ALL, &mut random);
            for stronger in strengthenings(&mut formulas, f) {
                for _ in 0..20 {
                    let letters: Vec<u64> = (0..5).map(|_| random.bits()).collect();
                    let says = |i: usize, atom: crate::AtomId| letters[i] >> atom.index() & 1 == 1;
                    let strong = holds(&formulas, stronger.formula, 2, 3, says);
                    let weak = holds(&formulas, f, 2, 3, says);
                    assert!(
                        weak || !strong,
                        "case {case}: {}",
                        print(&formulas, f, Syntax::Spot)
                    );
                }
            }
        }
    }
}
