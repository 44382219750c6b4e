//! Formulas of the oracle: plain trees, converted to [`lariat_ltl::Formulas`] for engines.
//!
//! The trees are independent of crate `ltl`, so that a defect there (for example in a simplifying
//! constructor) is found. Atoms are indices into the propositions of a case.

use lariat_corpora::Random;
use lariat_ltl::{Formula, Formulas};
use std::fmt::Write;

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "named like the operators")]
pub enum Op1 {
    Not,
    Next,
    Finally,
    Globally,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "named like the operators")]
pub enum Op2 {
    And,
    Or,
    Implies,
    Iff,
    Xor,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
}

/// A formula.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Ltl {
    /// True or false.
    Const(bool),
    /// A proposition of the case.
    Atom(usize),
    /// An operator with one operand.
    Unary(Op1, Box<Ltl>),
    /// An operator with two operands.
    Binary(Op2, Box<Ltl>, Box<Ltl>),
}

impl Ltl {
    /// Returns `!self` without simplification.
    #[must_use]
    pub fn negated(&self) -> Ltl {
        Ltl::Unary(Op1::Not, Box::new(self.clone()))
    }

    /// Returns the operands.
    pub fn children(&self) -> Vec<&Ltl> {
        match self {
            Ltl::Const(_) | Ltl::Atom(_) => vec![],
            Ltl::Unary(_, f) => vec![f],
            Ltl::Binary(_, f, g) => vec![f, g],
        }
    }

    /// Returns the number of operators and atoms.
    pub fn size(&self) -> usize {
        1 + self.children().into_iter().map(Ltl::size).sum::<usize>()
    }

    /// Returns whether `X` occurs.
    pub fn uses_next(&self) -> bool {
        matches!(self, Ltl::Unary(Op1::Next, _)) || self.children().into_iter().any(Ltl::uses_next)
    }

    /// Returns whether this atom occurs.
    pub fn uses_atom(&self, atom: usize) -> bool {
        *self == Ltl::Atom(atom) || self.children().into_iter().any(|f| f.uses_atom(atom))
    }

    /// Generates a formula of this size over `atoms` propositions; a negated atom has size one.
    pub fn random(rng: &mut Random, atoms: usize, size: usize, with_next: bool) -> Ltl {
        if size <= 1 {
            return match rng.below(100) {
                0..8 => Ltl::Const(rng.percent(50)),
                8..40 => Ltl::Atom(rng.below(atoms)).negated(),
                _ => Ltl::Atom(rng.below(atoms)),
            };
        }
        if size == 2 || rng.percent(45) {
            let ops = [Op1::Finally, Op1::Globally, Op1::Not, Op1::Next, Op1::Next];
            let op = *rng.one_of(if with_next { &ops } else { &ops[..3] });
            return Ltl::Unary(op, Box::new(Ltl::random(rng, atoms, size - 1, with_next)));
        }
        let left = 1 + rng.below(size - 2);
        let op = *rng.one_of(&[
            Op2::And,
            Op2::And,
            Op2::Or,
            Op2::Or,
            Op2::Implies,
            Op2::Iff,
            Op2::Xor,
            Op2::Until,
            Op2::Until,
            Op2::Release,
            Op2::WeakUntil,
            Op2::StrongRelease,
        ]);
        let f = Ltl::random(rng, atoms, left, with_next);
        let g = Ltl::random(rng, atoms, size - 1 - left, with_next);
        Ltl::Binary(op, Box::new(f), Box::new(g))
    }

    /// Returns the text, fully parenthesised, with these names of atoms.
    pub fn text(&self, atoms: &[String]) -> String {
        let mut out = String::new();
        self.write(atoms, &mut out);
        out
    }

    fn write(&self, atoms: &[String], out: &mut String) {
        match self {
            Ltl::Const(value) => out.push_str(if *value { "true" } else { "false" }),
            Ltl::Atom(atom) => match atoms.get(*atom) {
                Some(name) => out.push_str(name),
                None => write!(out, "a{atom}").unwrap_or_default(),
            },
            Ltl::Unary(op, f) => {
                out.push_str(match op {
                    Op1::Not => "!",
                    Op1::Next => "X ",
                    Op1::Finally => "F ",
                    Op1::Globally => "G ",
                });
                f.write(atoms, out);
            }
            Ltl::Binary(op, f, g) => {
                out.push('(');
                f.write(atoms, out);
                out.push_str(match op {
                    Op2::And => " & ",
                    Op2::Or => " | ",
                    Op2::Implies => " -> ",
                    Op2::Iff => " <-> ",
                    Op2::Xor => " xor ",
                    Op2::Until => " U ",
                    Op2::Release => " R ",
                    Op2::WeakUntil => " W ",
                    Op2::StrongRelease => " M ",
                });
                g.write(atoms, out);
                out.push(')');
            }
        }
    }

    /// Adds the formula to a store of crate `ltl`, with the name `atoms[i]` for atom `i`.
    pub fn intern(&self, store: &mut Formulas, atoms: &[String]) -> Formula {
        match self {
            Ltl::Const(value) => store.constant(*value),
            Ltl::Atom(atom) => {
                let id = store.atom_id(&atoms[*atom]);
                store.atom(id)
            }
            Ltl::Unary(op, f) => {
                let f = f.intern(store, atoms);
                match op {
                    Op1::Not => store.not(f),
                    Op1::Next => store.next(f),
                    Op1::Finally => store.finally(f),
                    Op1::Globally => store.globally(f),
                }
            }
            Ltl::Binary(op, f, g) => {
                let (f, g) = (f.intern(store, atoms), g.intern(store, atoms));
                match op {
                    Op2::And => store.and([f, g]),
                    Op2::Or => store.or([f, g]),
                    Op2::Implies => store.implies(f, g),
                    Op2::Iff => store.iff(f, g),
                    Op2::Xor => store.xor(f, g),
                    Op2::Until => store.until(f, g),
                    Op2::Release => store.release(f, g),
                    Op2::WeakUntil => store.weak_until(f, g),
                    Op2::StrongRelease => store.strong_release(f, g),
                }
            }
        }
    }

    /// Parses a formula. Atoms consist of small letters, digits and `_`. `U R W M` bind tightest
    /// and to the right, then `&`, `|`, then `->` and `<->`.
    ///
    /// # Panics
    ///
    /// If the text is malformed or contains an atom that is not in `atoms`.
    pub fn parse(text: &str, atoms: &[&str]) -> Ltl {
        let spaced: String = text
            .chars()
            .map(|c| match c {
                '(' | ')' | '!' | '&' | '|' | 'X' | 'F' | 'G' | 'U' | 'R' | 'W' | 'M' => {
                    format!(" {c} ")
                }
                _ => c.to_string(),
            })
            .collect();
        let mut words: Vec<&str> = spaced.split_whitespace().rev().collect();
        let formula = binary(&mut words, atoms, 0, text);
        assert!(
            words.is_empty(),
            "unexpected text after the formula `{text}`"
        );
        formula
    }
}

fn binary(words: &mut Vec<&str>, atoms: &[&str], floor: usize, text: &str) -> Ltl {
    let mut left = unary(words, atoms, text);
    loop {
        let (op, level, right_level) = match words.last() {
            Some(&"->") => (Op2::Implies, 1, 1),
            Some(&"<->") => (Op2::Iff, 1, 1),
            Some(&"|") => (Op2::Or, 2, 3),
            Some(&"&") => (Op2::And, 3, 4),
            Some(&"U") => (Op2::Until, 4, 4),
            Some(&"R") => (Op2::Release, 4, 4),
            Some(&"W") => (Op2::WeakUntil, 4, 4),
            Some(&"M") => (Op2::StrongRelease, 4, 4),
            _ => return left,
        };
        if level < floor {
            return left;
        }
        words.pop();
        let right = binary(words, atoms, right_level, text);
        left = Ltl::Binary(op, Box::new(left), Box::new(right));
    }
}

fn unary(words: &mut Vec<&str>, atoms: &[&str], text: &str) -> Ltl {
    let op = match words.pop() {
        Some("(") => {
            let inner = binary(words, atoms, 0, text);
            assert_eq!(words.pop(), Some(")"), "missing parenthesis in `{text}`");
            return inner;
        }
        Some("true") => return Ltl::Const(true),
        Some("false") => return Ltl::Const(false),
        Some("!") => Op1::Not,
        Some("X") => Op1::Next,
        Some("F") => Op1::Finally,
        Some("G") => Op1::Globally,
        word => match atoms.iter().position(|a| Some(*a) == word) {
            Some(atom) => return Ltl::Atom(atom),
            None => panic!("unknown atom {word:?} in `{text}`"),
        },
    };
    Ltl::Unary(op, Box::new(unary(words, atoms, text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_can_be_parsed() {
        let names = ["a".to_owned(), "b".to_owned()];
        let mut rng = Random::new(7);
        for _ in 0..500 {
            let size = 1 + rng.below(10);
            let f = Ltl::random(&mut rng, 2, size, true);
            let text = f.text(&names);
            if !text.contains("xor") {
                assert_eq!(Ltl::parse(&text, &["a", "b"]), f, "{text}");
            }
        }
    }

    #[test]
    fn precedence_is_that_of_spot() {
        let names = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let read = |text: &str| Ltl::parse(text, &["a", "b", "c"]).text(&names);
        assert_eq!(read("a & b U c | Ga"), "((a & (b U c)) | G a)");
        assert_eq!(read("a U b U c"), "(a U (b U c))");
        assert_eq!(read("!a U b -> FGc -> a"), "((!a U b) -> (F G c -> a))");
    }

    #[test]
    fn random_formulas_have_the_given_size() {
        let mut rng = Random::new(1);
        for size in 3..=10 {
            let f = Ltl::random(&mut rng, 3, size, false);
            assert!(f.size() >= size && !f.uses_next());
        }
    }
}
