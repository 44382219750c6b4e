//! Syntactic classes of formulas.
//!
//! The hierarchy of Manna and Pnueli as far as the syntax shows it (Černá and Pelánek: *Relating
//! hierarchy of temporal properties to model checking*, MFCS 2003), and the pure eventualities and
//! purely universal formulas of Etessami and Holzmann (*Optimizing Büchi automata*, CONCUR 2000).
//! The classification is sound but incomplete: only a flag that is set is a fact about the
//! language.
//!
//! - f is a *pure eventuality* iff w ⊨ f implies u·w ⊨ f for every finite u; then f = F f.
//! - f is *purely universal* iff u·w ⊨ f implies w ⊨ f; then f = G f.
//!
//! Negation exchanges safety and guarantee, recurrence and persistence, eventual and universal. The
//! other classes are computed bottom-up from the operands, in one loop.

use rustc_hash::FxHashMap;

use crate::formula::{Formula, Formulas, Node};

/// Classes of a formula's language that its syntax proves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Classes {
    /// No temporal operators.
    pub boolean: bool,
    /// Every violation has a finite bad prefix.
    pub safety: bool,
    /// Every satisfying word has a finite good prefix.
    pub guarantee: bool,
    /// A Boolean combination of safety and guarantee; a weak deterministic automaton exists.
    pub obligation: bool,
    /// A deterministic Büchi automaton exists.
    pub recurrence: bool,
    /// The negation has a deterministic Büchi automaton.
    pub persistence: bool,
    /// A pure eventuality: closed under prepending finite words.
    pub eventual: bool,
    /// Purely universal: closed under removing finite prefixes.
    pub universal: bool,
    /// No `X`, hence closed under stuttering.
    pub x_free: bool,
}

impl Classes {
    const CONSTANT: Classes = Classes {
        boolean: true,
        safety: true,
        guarantee: true,
        obligation: true,
        recurrence: true,
        persistence: true,
        eventual: true,
        universal: true,
        x_free: true,
    };

    const ATOM: Classes = Classes {
        eventual: false,
        universal: false,
        ..Classes::CONSTANT
    };

    fn not(self) -> Classes {
        Classes {
            safety: self.guarantee,
            guarantee: self.safety,
            recurrence: self.persistence,
            persistence: self.recurrence,
            eventual: self.universal,
            universal: self.eventual,
            ..self
        }
    }

    /// Intersection of both; sound for `&` and `|`.
    fn meet(self, other: Classes) -> Classes {
        Classes {
            boolean: self.boolean && other.boolean,
            safety: self.safety && other.safety,
            guarantee: self.guarantee && other.guarantee,
            obligation: self.obligation && other.obligation,
            recurrence: self.recurrence && other.recurrence,
            persistence: self.persistence && other.persistence,
            eventual: self.eventual && other.eventual,
            universal: self.universal && other.universal,
            x_free: self.x_free && other.x_free,
        }
    }
}

/// The classes of `node`, given those of its operands.
pub(crate) fn classify(node: &Node, class: impl Fn(Formula) -> Classes) -> Classes {
    match node {
        Node::True | Node::False => Classes::CONSTANT,
        Node::Atom(_) => Classes::ATOM,
        Node::Not(f) => class(*f).not(),
        Node::And(fs) | Node::Or(fs) => fs
            .iter()
            .map(|f| class(*f))
            .fold(Classes::CONSTANT, Classes::meet),
        Node::Implies([f, g]) => class(*f).not().meet(class(*g)),
        Node::Iff([f, g]) | Node::Xor([f, g]) => {
            let both = class(*f).meet(class(*g));
            both.meet(both.not())
        }
        Node::Next(f) => Classes {
            boolean: false,
            x_free: false,
            ..class(*f)
        },
        Node::Finally(f) => until(Classes::CONSTANT, class(*f), true),
        Node::Globally(f) => until(Classes::CONSTANT, class(*f).not(), true).not(),
        Node::Until([f, g]) => until(class(*f), class(*g), *f == Formulas::TRUE),
        // ¬(f R g) = ¬f U ¬g
        Node::Release([f, g]) => {
            until(class(*f).not(), class(*g).not(), *f == Formulas::FALSE).not()
        }
        // ¬(f W g) = ¬f M ¬g
        Node::WeakUntil([f, g]) => {
            strong_release(class(*f).not(), class(*g).not(), *g == Formulas::FALSE).not()
        }
        Node::StrongRelease([f, g]) => strong_release(class(*f), class(*g), *g == Formulas::TRUE),
    }
}

/// `f U g`. `finally` means that it is `F g`, which is always eventual.
fn until(f: Classes, g: Classes, finally: bool) -> Classes {
    let both = f.meet(g);
    Classes {
        boolean: false,
        safety: false,
        obligation: f.obligation && g.guarantee,
        recurrence: f.recurrence && g.guarantee,
        eventual: g.eventual || finally,
        ..both
    }
}

/// `f M g`. `finally` means that it is `F f`.
fn strong_release(f: Classes, g: Classes, finally: bool) -> Classes {
    let both = f.meet(g);
    Classes {
        boolean: false,
        safety: false,
        obligation: f.guarantee && g.obligation,
        recurrence: f.guarantee && g.recurrence,
        eventual: both.eventual || finally,
        ..both
    }
}

/// The classes of `f`.
pub fn classes(formulas: &Formulas, f: Formula) -> Classes {
    let mut known: FxHashMap<Formula, Classes> = FxHashMap::default();
    let mut last = Classes::CONSTANT;
    for g in formulas.subformulas(f) {
        last = classify(formulas.node(g), |h| known[&h]);
        known.insert(g, last);
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FreeVocabulary, parse};

    fn classes_of(formula: &str) -> Classes {
        let mut s = Formulas::new();
        let f = parse(formula, &mut s, &mut FreeVocabulary).unwrap();
        classes(&s, f)
    }

    /// B(oolean) S(afety) G(uarantee) O(bligation) R(ecurrence) P(ersistence) e(ventual)
    /// u(niversal) x(-free)
    fn check(formula: &str, want: &str) {
        let c = classes_of(formula);
        let flags = [
            (c.boolean, 'B'),
            (c.safety, 'S'),
            (c.guarantee, 'G'),
            (c.obligation, 'O'),
            (c.recurrence, 'R'),
            (c.persistence, 'P'),
            (c.eventual, 'e'),
            (c.universal, 'u'),
            (c.x_free, 'x'),
        ];
        let got: String = flags.iter().filter(|f| f.0).map(|f| f.1).collect();
        assert_eq!(got, want, "{formula}");
    }

    #[test]
    fn the_hierarchy() {
        check("a & !b", "BSGORPx");
        check("G a", "SORPux");
        check("X F a", "GORPe");
        check("G a | F b", "ORPx");
        check("G F a", "Reux");
        check("F G a", "Peux");
        check("G F a & F G b", "eux");
        check("a U b", "GORPx");
        check("a W b", "SORPx");
        check("!(a U b)", "SORPx");
        check("a R b", "SORPx");
        check("a M b", "GORPx");
        check("a U G b", "Px");
        check("G(a -> F b)", "Rux");
        check("G a <-> F b", "ORPx");
        check("G a -> G b", "ORPx");
        check("F a -> G b", "SORPux");
    }
}
