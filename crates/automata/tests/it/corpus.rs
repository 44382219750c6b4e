//! Languages and sizes on the corpus of formulas, where available.

use crate::common::{assert_disjoint, assert_words, both, parsed, random_word, satisfies, seed};
use lariat_automata::{Automaton, LegalLetters, Letter, Word, stutter_invariant};
use lariat_budget::Budget;
use lariat_ltl::{AtomId, Formula, Formulas, Random};

/// A formula of the corpus with its table row.
pub struct Entry {
    text: String,
    column: Vec<String>,
    pub formulas: Formulas,
    pub f: Formula,
}

impl Entry {
    fn flag(&self, i: usize) -> bool {
        self.column[i] == "1"
    }

    fn number(&self, i: usize) -> usize {
        self.column[i].parse().unwrap()
    }
}

pub fn corpus() -> Vec<Entry> {
    lariat_corpora::formulas()
        .unwrap_or_default()
        .into_iter()
        .map(|column| {
            let (formulas, f) = parsed(&column[0]);
            Entry {
                text: column[0].clone(),
                column,
                formulas,
                f,
            }
        })
        .collect()
}

#[test]
fn languages_and_sizes() {
    let mut random = Random::new(seed());
    let (mut ours, mut theirs) = ([0; 2], [0; 2]);
    for mut entry in corpus() {
        let (a, b) = both(&mut entry.formulas, entry.f, &LegalLetters::any());
        assert_disjoint(&a, &b, &LegalLetters::any(), &entry.text);
        let atoms = entry.formulas.atoms_of(entry.f);
        let mask = (1u64 << atoms.len()) - 1;
        let words = (0..1000).map(|_| random_word(&mut random, |r| Letter(r.bits() & mask)));
        assert_words(&entry.formulas, entry.f, [&a, &b], &entry.text, words);
        let (satisfiable, valid) = (!a.states.is_empty(), b.states.is_empty());
        let expected = (entry.flag(8), entry.flag(9));
        assert_eq!((satisfiable, valid), expected, "{}", entry.text);
        assert_witness(&entry, &a, &b, &atoms);
        // The reference counts the empty automaton as one state.
        ours[0] += a.states.len().max(1) + b.states.len().max(1);
        ours[1] += a.edge_count() + b.edge_count();
        theirs[0] += entry.number(2) + entry.number(10);
        theirs[1] += entry.number(3) + entry.number(11);
    }
    println!("states and edges: ours {ours:?}, the reference's {theirs:?}");
    assert!(
        100 * ours[0] <= 110 * theirs[0],
        "states: {ours:?} against {theirs:?}"
    );
    assert!(
        100 * ours[1] <= 115 * theirs[1],
        "edges: {ours:?} against {theirs:?}"
    );
}

#[test]
fn stutter_invariance() {
    for mut entry in corpus() {
        let invariant = stutter_invariant(
            &mut entry.formulas,
            entry.f,
            &LegalLetters::any(),
            &Budget::unlimited(),
        );
        assert_eq!(invariant, Ok(entry.flag(7)), "{}", entry.text);
    }
}

fn assert_witness(entry: &Entry, a: &Automaton, b: &Automaton, atoms: &[AtomId]) {
    let text = entry.column.get(13).map_or("", String::as_str);
    if text.is_empty() || text == "-" {
        return;
    }
    let (prefix, rest) = text.split_once("cycle{").unwrap();
    let letters = |text: &str| -> Vec<Letter> {
        text.split(';')
            .map(str::trim)
            .filter(|letter| !letter.is_empty())
            .map(|letter| {
                let mut bits = 0;
                for literal in letter.split('&').map(str::trim) {
                    if literal != "1" && !literal.starts_with('!') {
                        let i = atoms
                            .iter()
                            .position(|&x| entry.formulas.atom_name(x) == literal);
                        bits |= i.map_or(0, |i| 1 << i);
                    }
                }
                Letter(bits)
            })
            .collect()
    };
    let word = Word {
        prefix: letters(prefix),
        cycle: letters(rest.trim_end_matches('}')),
    };
    let (formulas, text) = (&entry.formulas, &entry.text);
    assert!(satisfies(formulas, entry.f, atoms, &word), "{text}");
    assert_words(formulas, entry.f, [a, b], text, std::iter::once(word));
}
