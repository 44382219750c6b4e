//! Words, and checks of an automaton and its complement.

use lariat_automata::{Automaton, LegalLetters, Letter, Word, disjoint, translate};
use lariat_budget::Budget;
use lariat_ltl::{
    AtomId, Formula, Formulas, FreeVocabulary, OperatorWeights, Random, holds, parse,
    random_formula,
};

/// The seed of this run: `LARIAT_SEED`, or the default. Printed for reproduction.
pub fn seed() -> u64 {
    lariat_corpora::seed(0x1a51a7)
}

/// A formula in a new store.
pub fn parsed(text: &str) -> (Formulas, Formula) {
    let mut formulas = Formulas::new();
    let f = parse(text, &mut formulas, &mut FreeVocabulary).unwrap();
    (formulas, f)
}

/// A random formula with all operators.
pub fn drawn(
    formulas: &mut Formulas,
    atoms: &[AtomId],
    size: usize,
    random: &mut Random,
) -> Formula {
    random_formula(formulas, atoms, size, &OperatorWeights::ALL, random)
}

/// The automaton of a formula, on all letters.
pub fn translated(formulas: &mut Formulas, f: Formula) -> Automaton {
    translate(formulas, f, &LegalLetters::any(), &Budget::unlimited()).unwrap()
}

/// The automata of a formula and of its negation.
pub fn both(formulas: &mut Formulas, f: Formula, legal: &LegalLetters) -> (Automaton, Automaton) {
    let not_f = formulas.not(f);
    let unlimited = Budget::unlimited();
    let a = translate(formulas, f, legal, &unlimited).unwrap();
    let b = translate(formulas, not_f, legal, &unlimited).unwrap();
    (a, b)
}

/// A random word, each letter made by `letter`.
pub fn random_word(random: &mut Random, mut letter: impl FnMut(&mut Random) -> Letter) -> Word {
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
            let bit = atoms.iter().position(|&a| a == atom);
            bit.is_some_and(|i| letters[position].0 >> i & 1 == 1)
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

/// Panics if some word is accepted by both.
pub fn assert_disjoint(a: &Automaton, b: &Automaton, legal: &LegalLetters, what: &str) {
    let apart = disjoint(a, b, legal, &Budget::unlimited());
    assert_eq!(
        apart,
        Ok(true),
        "some word is accepted by both automata of {what}"
    );
}

/// Panics unless each of `words` is accepted by exactly one of the automata of `f` and of its
/// negation, as evaluated.
pub fn assert_words(
    formulas: &Formulas,
    f: Formula,
    [a, b]: [&Automaton; 2],
    text: &str,
    words: impl Iterator<Item = Word>,
) {
    let atoms = formulas.atoms_of(f);
    for word in words {
        let expected = satisfies(formulas, f, &atoms, &word);
        let (in_a, in_b) = (over(a, &atoms, &word), over(b, &atoms, &word));
        assert_eq!(a.accepts(&in_a), expected, "{text} on {word:?}");
        assert_eq!(b.accepts(&in_b), !expected, "!({text}) on {word:?}");
    }
}
