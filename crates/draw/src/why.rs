//! Explanation of a formula's value on a run, in sentences.
//!
//! The explanation descends from the whole formula to the parts that decide its value: from a `G`
//! to the first position where it fails, from an implication to its right side, from a conjunction
//! to a false part. Each sentence is about one position.

use lariat_ltl::{Formula, Formulas, Node, Syntax, print};

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
/// Limit on the parts of a disjunction that a sentence names.
const NAMED: usize = 5;
/// Limit on the characters of a formula in a sentence.
const LONGEST: usize = 160;

/// A run with the values of a formula's parts along it.
pub struct Why<'a> {
    /// The store of the formula.
    pub formulas: &'a Formulas,
    /// The value of a part at a position, if it is the same for every continuation of the run.
    pub value: &'a dyn Fn(Formula, usize) -> Option<bool>,
    /// The start of the loop, if there is one.
    pub cycle: Option<usize>,
    /// The number of positions.
    pub positions: usize,
}

impl Why<'_> {
    /// Explains the value of `f` at the start; empty if it depends on the continuation.
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

    fn next(&self, at: usize) -> Option<usize> {
        if at + 1 < self.positions {
            Some(at + 1)
        } else {
            self.cycle
        }
    }

    fn holds(&self, f: Formula, at: usize) -> bool {
        (self.value)(f, at) == Some(true)
    }

    fn fails(&self, f: Formula, at: usize) -> bool {
        (self.value)(f, at) == Some(false)
    }

    /// The first position from `at` on that satisfies `wanted`.
    fn first(&self, at: usize, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let mut position = at;
        for _ in 0..self.positions {
            if wanted(position) {
                return Some(position);
            }
            position = self.next(position)?;
        }
        None
    }

    fn text(&self, f: Formula) -> String {
        let text = print(self.formulas, f, Syntax::Full);
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    /// Adds a sentence about `f` at a position; returns the part and position to explain next.
    fn step(&self, f: Formula, at: usize, list: &mut Vec<Explanation>) -> Option<(Formula, usize)> {
        let value = (self.value)(f, at)?;
        let mut say = |at: usize, text: String| list.push(Explanation { at, text });
        match (self.formulas.node(f), value) {
            (Node::Not(h), _) => return Some((*h, at)),
            (Node::Next(h), _) => return Some((*h, self.next(at)?)),
            (Node::Globally(h), false) => {
                let fails = self.first(at, |i| self.fails(*h, i))?;
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
                say(at, format!("{} holds", self.text(*h)));
                return Some((*k, at));
            }
            (Node::And(parts), false) | (Node::Or(parts), true) => {
                let decides = |part: &&Formula| (self.value)(**part, at) == Some(value);
                return Some((*parts.iter().find(decides)?, at));
            }
            (Node::Until([h, k]) | Node::WeakUntil([h, k]), false) => {
                let (h_text, k_text) = (self.text(*h), self.text(*k));
                match self.first(at, |i| self.fails(*h, i) && self.fails(*k, i)) {
                    Some(ends) => {
                        let text = if ends == at {
                            format!("neither {h_text} nor {k_text} holds")
                        } else {
                            format!("{h_text} stops holding, and {k_text} has not held")
                        };
                        say(ends, text);
                        // The reason why a part with parts of its own fails comes next.
                        let is_atom = self.formulas.node(*h).children().is_empty();
                        return (!is_atom).then_some((*h, ends));
                    }
                    None => say(at, format!("{k_text} never holds from here on")),
                }
            }
            (Node::Release([h, k]) | Node::StrongRelease([h, k]), false) => {
                let (h_text, k_text) = (self.text(*h), self.text(*k));
                match self.first(at, |i| self.fails(*k, i)) {
                    Some(ends) => {
                        let stops = format!("{k_text} stops holding");
                        say(ends, format!("{stops}, and {h_text} has not held before"));
                    }
                    None => say(at, format!("{h_text} never holds from here on")),
                }
            }
            (Node::Or(parts), false) => {
                let named = parts.iter().take(NAMED).map(|part| self.text(*part));
                let mut named: Vec<String> = named.collect();
                if let Some(more) = parts.len().checked_sub(NAMED).filter(|more| *more > 0) {
                    named.push(format!("{more} more parts"));
                }
                let last = named.pop()?;
                let all = match &named[..] {
                    [one] => format!("neither {one} nor {last}"),
                    _ => format!("none of {} and {last}", named.join(", ")),
                };
                say(at, format!("{all} holds"));
            }
            (_, true) => say(at, format!("{} holds", self.text(f))),
            (_, false) => say(at, format!("{} does not hold", self.text(f))),
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
            value: &|f, i| truth.at(f, i),
            cycle: Some(prefix),
            positions,
        };
        let list = why.explain(f).into_iter();
        list.map(|because| (because.at, because.text)).collect()
    }

    #[test]
    fn the_deciding_position_is_found() {
        let a = "a holds";
        let never = "b never holds from here on";
        for (word, prefix, formula, expected) in [
            ("-;a;-;-", 2, "G(a -> F b)", &[(1, a), (1, never)][..]),
            ("-;ab;-", 2, "G !(a & b)", &[(1, "(a & b) holds")]),
            (
                "a;-;b",
                2,
                "a U b",
                &[(1, "a stops holding, and b has not held")],
            ),
            (
                "a;-;-",
                2,
                "G a U b",
                &[(0, "neither G(a) nor b holds"), (1, "a does not hold")],
            ),
            ("a;-", 1, "X a", &[(1, "a does not hold")]),
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

    /// On a finite run only values that hold for every continuation are explained.
    #[test]
    fn a_finite_run_is_explained_by_definite_values() {
        let mut formulas = Formulas::new();
        let f = parse("G (a -> b)", &mut formulas, &mut FreeVocabulary).unwrap();
        let implies = formulas.subformulas(f)[2];
        let explain = |known: [Option<bool>; 2]| {
            let value = |g: Formula, i: usize| match formulas.node(g) {
                Node::Globally(_) => known[0].and(known[1]).or(Some(false)).filter(|v| !v),
                Node::Implies(_) => known[i],
                Node::Atom(atom) => Some(formulas.atom_name(*atom) == "a"),
                _ => None,
            };
            let why = Why {
                formulas: &formulas,
                value: &value,
                cycle: None,
                positions: 2,
            };
            let list = why.explain(f).into_iter();
            list.map(|because| (because.at, because.text))
                .collect::<Vec<_>>()
        };
        assert!(matches!(formulas.node(implies), Node::Implies(_)));
        let told = explain([None, Some(false)]);
        let expected = [(1, "a holds"), (1, "b does not hold")];
        assert_eq!(told, expected.map(|(at, text)| (at, text.to_owned())));
        assert_eq!(explain([None, None]), []);
    }

    /// Long formulas are abbreviated.
    #[test]
    fn sentences_stay_short() {
        let atoms: Vec<String> = (0..30).map(|i| format!("atom_number_{i}")).collect();
        let found = why("-;-", 1, &format!("G ({})", atoms.join(" | ")));
        let (_, text) = &found[0];
        assert!(
            text.ends_with("atom_number_4 and 25 more parts holds"),
            "{text}"
        );
        let found = why("-;-", 1, &format!("G ({})", atoms.join(" & ")));
        assert!(found[0].1.chars().count() < 200, "{found:?}");
    }
}
