//! Words, and checks of an automaton and its complement.

use lariat_automata::{Automaton, AutomatonProduct, LegalLetters, Letter, Word, translate};
use lariat_budget::Budget;
use lariat_ltl::{AtomId, Formula, Formulas, Random, holds};

/// The seed of this run: `LARIAT_SEED`, or the default. Printed for reproduction.
pub fn seed() -> u64 {
    lariat_corpora::seed(0x1a51a7)
}

/// The automata of a formula and of its negation.
pub fn both(formulas: &mut Formulas, f: Formula, legal: &LegalLetters) -> (Automaton, Automaton) {
    let not_f = formulas.not(f);
    let unlimited = Budget::unlimited();
    let a = translate(formulas, f, legal, &unlimited).unwrap();
    let b = translate(formulas, not_f, legal, &unlimited).unwrap();
    (a, b)
}

/// A random word over `atoms`, each letter made by `letter`.
pub fn random_word(random: &mut Random, letter: &mut dyn FnMut(&mut Random) -> Letter) -> Word {
    let (prefix, cycle) = (random.below(5), 1 + random.below(4));
    Word {
        prefix: (0..prefix).map(|_| letter(random)).collect(),
        cycle: (0..cycle).map(|_| letter(random)).collect(),
    }
}

/// Returns whether `f` holds on `word`, by evaluation alone.
pub fn satisfies(formulas: &Formulas, f: Formula, atoms: &[AtomId], word: &Word) -> bool {
    let letters: Vec<Letter> = word.prefix.iter().chain(&word.cycle).copied().collect();
    holds(
        formulas,
        f,
        word.prefix.len(),
        word.cycle.len(),
        |position, atom| {
            atoms
                .iter()
                .position(|&a| a == atom)
                .is_some_and(|i| letters[position].0 >> i & 1 == 1)
        },
    )
}

/// Converts a word over `atoms` to the atoms of `a`.
pub fn over(a: &Automaton, atoms: &[AtomId], word: &Word) -> Word {
    let translate = |letter: &Letter| {
        Letter(a.atoms.iter().enumerate().fold(0, |bits, (i, atom)| {
            let from = atoms.iter().position(|x| x == atom).unwrap();
            bits | (letter.0 >> from & 1) << i
        }))
    };
    Word {
        prefix: word.prefix.iter().map(translate).collect(),
        cycle: word.cycle.iter().map(translate).collect(),
    }
}

/// Panics if a word is accepted by both.
pub fn assert_disjoint(a: &Automaton, b: &Automaton, legal: &LegalLetters, what: &str) {
    let product = AutomatonProduct::new(a, b, legal, &Budget::unlimited()).unwrap();
    let word = product.common_word().unwrap();
    assert_eq!(word, None, "accepted by both automata of {what}");
}

/// A formula with automata of it and of its negation.
pub struct ComplementTest<'a> {
    pub formulas: &'a Formulas,
    pub f: Formula,
    pub a: &'a Automaton,
    pub b: &'a Automaton,
    pub text: &'a str,
}

impl ComplementTest<'_> {
    /// Checks that each of `count` random words is accepted by exactly one automaton, as evaluated.
    pub fn assert_words(
        &self,
        count: usize,
        random: &mut Random,
        letter: &mut dyn FnMut(&mut Random) -> Letter,
    ) {
        let &ComplementTest { f, a, b, text, .. } = self;
        let atoms = self.formulas.atoms_of(f);
        for _ in 0..count {
            let word = random_word(random, letter);
            let expected = satisfies(self.formulas, f, &atoms, &word);
            let (in_a, in_b) = (over(a, &atoms, &word), over(b, &atoms, &word));
            assert_eq!(a.accepts(&in_a), expected, "{text} on {word:?}");
            assert_eq!(b.accepts(&in_b), !expected, "!({text}) on {word:?}");
        }
    }
}
