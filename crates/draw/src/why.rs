//! Explanation of a formula's value on a run, in sentences.
//!
//! The explanation descends from the whole formula to the parts that decide its value: from a `G`
//! to the first position where it fails, from an implication to its right side, from a conjunction
//! to a false part. Each sentence is about one position.

use lariat_ltl::{Formula, Formulas, Node, Syntax, Truth, print};

/// A sentence about a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The position.
    pub at: usize,
    /// The sentence.
    pub text: String,
}

/// Limit on the sentences of an explanation.
const MOST: usize = 8;

/// A run with the values of a formula's parts along it.
pub struct Why<'a> {
    /// The store of the formula.
    pub formulas: &'a Formulas,
    /// The values of its parts.
    pub truth: &'a Truth,
    /// The start of the loop.
    pub prefix: usize,
    /// The number of positions.
    pub positions: usize,
}

impl Why<'_> {
    /// Explains the value of `f` at the start.
    pub fn explain(&self, f: Formula) -> Vec<Explanation> {
        let mut list = Vec::new();
        let (mut f, mut at) = (f, 0);
        while list.len() < MOST {
            match self.step(f, at, &mut list) {
                Some((next, position)) => (f, at) = (next, position),
                None => break,
            }
        }
        list
    }

    fn next(&self, at: usize) -> usize {
        if at + 1 < self.positions {
            at + 1
        } else {
            self.prefix
        }
    }

    fn holds(&self, f: Formula, at: usize) -> bool {
        self.truth.at(f, at) == Some(true)
    }

    /// The first position from `at` on that satisfies `wanted`.
    fn first(&self, at: usize, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let mut position = at;
        for _ in 0..self.positions {
            if wanted(position) {
                return Some(position);
            }
            position = self.next(position);
        }
        None
    }

    fn text(&self, f: Formula) -> String {
        print(self.formulas, f, Syntax::Full)
    }

    /// Adds a sentence about `f` at a position; returns the part and position to explain next.
    fn step(&self, f: Formula, at: usize, list: &mut Vec<Explanation>) -> Option<(Formula, usize)> {
        let value = self.holds(f, at);
        let mut say = |at: usize, text: String| list.push(Explanation { at, text });
        match (self.formulas.node(f), value) {
            (Node::Not(h), _) => return Some((*h, at)),
            (Node::Next(h), _) => return Some((*h, self.next(at))),
            (Node::Globally(h), false) => {
                let fails = self.first(at, |i| !self.holds(*h, i))?;
                return Some((*h, fails));
            }
            (Node::Globally(h), true) => say(
                at,
                format!("{} holds at all positions from here on", self.text(*h)),
            ),
            (Node::Finally(h), true) => {
                let comes = self.first(at, |i| self.holds(*h, i))?;
                return Some((*h, comes));
            }
            (Node::Finally(h), false) => {
                say(at, format!("{} never holds from here on", self.text(*h)))
            }
            (Node::Implies([h, k]), false) => {
                say(at, format!("{} holds here", self.text(*h)));
                return Some((*k, at));
            }
            (Node::And(parts), false) | (Node::Or(parts), true) => {
                let decides = parts.iter().find(|part| self.holds(**part, at) == value)?;
                return Some((*decides, at));
            }
            (Node::Until([h, k]) | Node::WeakUntil([h, k]), false) => {
                let (h_text, k_text) = (self.text(*h), self.text(*k));
                match self.first(at, |i| !self.holds(*h, i) && !self.holds(*k, i)) {
                    Some(ends) => {
                        let text =
                            format!("{h_text} stops holding here, and {k_text} has not held");
                        say(ends, text);
                    }
                    None => say(at, format!("{k_text} never holds from here on")),
                }
            }
            (Node::Release([h, k]) | Node::StrongRelease([h, k]), false) => {
                let (h_text, k_text) = (self.text(*h), self.text(*k));
                match self.first(at, |i| !self.holds(*k, i)) {
                    Some(ends) => {
                        let stops = format!("{k_text} stops holding here");
                        say(ends, format!("{stops}, and {h_text} has not held before"));
                    }
                    None => say(at, format!("{h_text} never holds from here on")),
                }
            }
            (Node::Or(parts), false) => {
                let parts: Vec<String> = parts.iter().map(|part| self.text(*part)).collect();
                say(at, format!("none of {} holds here", parts.join(", ")));
            }
            (_, true) => say(at, format!("{} holds here", self.text(f))),
            (_, false) => say(at, format!("{} does not hold here", self.text(f))),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ltl::{FreeVocabulary, parse, truth};

    /// The explanation for a word such as `"a;b;-"`, whose loop starts at `prefix`.
    fn why(word: &str, prefix: usize, formula: &str) -> Vec<(usize, String)> {
        let mut formulas = Formulas::new();
        let f = parse(formula, &mut formulas, &mut FreeVocabulary).unwrap();
        let letters: Vec<&str> = word.split(';').collect();
        let positions = letters.len();
        let truth = truth(&formulas, f, prefix, positions - prefix, |i, atom| {
            letters[i].contains(formulas.atom_name(atom))
        });
        let why = Why {
            formulas: &formulas,
            truth: &truth,
            prefix,
            positions,
        };
        let list = why.explain(f).into_iter();
        list.map(|because| (because.at, because.text)).collect()
    }

    #[test]
    fn the_deciding_position_is_found() {
        let a = "a holds here";
        let never = "b never holds from here on";
        for (word, prefix, formula, expected) in [
            ("-;a;-;-", 2, "G(a -> F b)", &[(1, a), (1, never)][..]),
            ("-;ab;-", 2, "G !(a & b)", &[(1, "(a & b) holds here")]),
            (
                "a;-;b",
                2,
                "a U b",
                &[(1, "a stops holding here, and b has not held")],
            ),
            ("a;-", 1, "X a", &[(1, "a does not hold here")]),
            (
                "a;a",
                1,
                "!G a",
                &[(0, "a holds at all positions from here on")],
            ),
        ] {
            let found = why(word, prefix, formula);
            let found: Vec<_> = found
                .iter()
                .map(|(at, text)| (*at, text.as_str()))
                .collect();
            assert_eq!(found, expected, "{formula}");
        }
    }
}
