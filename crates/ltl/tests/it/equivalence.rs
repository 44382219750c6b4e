//! Normal forms, progression, simplification, classes and implications against evaluation on random
//! lasso words.

use lariat_corpora::{cases, formulas, seed};
use lariat_ltl::{
    AtomId, Formula, Formulas, FreeVocabulary, OperatorWeights, Random, Simplifier, Syntax,
    classes, is_nnf, nnf, parse, print, progress, random_formula, simplify, truth,
};

/// Default first seed.
const SEED: u64 = 20_261_115;

/// A lasso word over at most 32 atoms; a letter is a set of bits.
struct Word {
    letters: Vec<u32>,
    prefix: usize,
}

impl Word {
    fn random(random: &mut Random) -> Word {
        let prefix = random.below(4);
        let len = prefix + random.between(1, 4);
        Word {
            letters: (0..len).map(|_| random.bits() as u32).collect(),
            prefix,
        }
    }

    /// The truth value of `f` at every position.
    fn row(&self, s: &Formulas, f: Formula) -> Vec<bool> {
        let letter = |i: usize, a: AtomId| self.letters[i] >> a.0 & 1 == 1;
        let cycle = self.letters.len() - self.prefix;
        let truth = truth(s, f, self.prefix, cycle, letter);
        let at = |i| truth.at(f, i) == Some(true);
        (0..self.letters.len()).map(at).collect()
    }

    fn satisfies(&self, s: &Formulas, f: Formula) -> bool {
        self.row(s, f)[0]
    }
}

fn draw(s: &mut Formulas, random: &mut Random) -> Formula {
    let names = ["a", "b", "c"];
    let atoms: Vec<_> = names[..random.between(1, 3)]
        .iter()
        .map(|name| s.atom_id(name))
        .collect();
    let weights = if random.coin() {
        OperatorWeights::ALL
    } else {
        OperatorWeights::X_FREE
    };
    let size = random.between(1, 16);
    random_formula(s, &atoms, size, &weights, random)
}

#[test]
fn normal_forms_preserve_the_language() {
    let mut random = Random::new(seed(SEED));
    let mut s = Formulas::new();
    let mut simplifier = Simplifier::new();
    for case in 0..cases(8_000) {
        if case % 500 == 0 {
            (s, simplifier) = (Formulas::new(), Simplifier::new());
        }
        let f = draw(&mut s, &mut random);
        let forms = [
            (nnf(&mut s, f, false), false),
            (nnf(&mut s, f, true), true),
            (simplifier.simplify(&mut s, f), false),
        ];
        for _ in 0..30 {
            let word = Word::random(&mut random);
            let expected = word.satisfies(&s, f);
            for (g, negated) in forms {
                assert!(is_nnf(&s, g));
                assert!(
                    word.satisfies(&s, g) == (expected != negated),
                    "case {case}: {} became {} on {:?}, cycle from {}",
                    print(&s, f, Syntax::Spot),
                    print(&s, g, Syntax::Spot),
                    word.letters,
                    word.prefix,
                );
            }
        }
    }
}

/// The progression holds from the next position on iff the formula holds now.
#[test]
fn progression_consumes_one_letter() {
    let mut random = Random::new(seed(SEED));
    for case in 0..cases(2_000) {
        let mut s = Formulas::new();
        let f = draw(&mut s, &mut random);
        for _ in 0..10 {
            let mut word = Word::random(&mut random);
            // Unrolls the cycle once, so that there is a first letter to remove.
            word.letters.extend_from_within(word.prefix..);
            word.prefix = word.letters.len() - (word.letters.len() - word.prefix) / 2;
            let expected = word.satisfies(&s, f);
            let first = word.letters[0];
            let left = progress(&mut s, f, |atom| first >> atom.0 & 1 == 1);
            let rest = Word {
                letters: word.letters[1..].to_vec(),
                prefix: word.prefix - 1,
            };
            assert!(
                rest.satisfies(&s, left) == expected,
                "case {case}: {} leaves {} on {:?}, cycle from {}",
                print(&s, f, Syntax::Spot),
                print(&s, left, Syntax::Spot),
                word.letters,
                word.prefix,
            );
        }
    }
}

#[test]
fn implications_are_sound() {
    let mut random = Random::new(seed(SEED));
    let mut proven = 0;
    for case in 0..cases(20_000) {
        let mut s = Formulas::new();
        let mut simplifier = Simplifier::new();
        let (f, g) = (draw(&mut s, &mut random), draw(&mut s, &mut random));
        let (f, g) = (nnf(&mut s, f, false), nnf(&mut s, g, false));
        if simplifier.implies(&mut s, f, g) {
            proven += 1;
            for _ in 0..30 {
                let word = Word::random(&mut random);
                assert!(
                    !word.satisfies(&s, f) || word.satisfies(&s, g),
                    "case {case}: {} -> {}",
                    print(&s, f, Syntax::Spot),
                    print(&s, g, Syntax::Spot)
                );
            }
        }
    }
    assert!(proven > 100, "only {proven} implications were proven");
}

#[test]
fn eventual_and_universal_classes_are_sound() {
    let mut random = Random::new(seed(SEED));
    for _ in 0..cases(20_000) {
        let mut s = Formulas::new();
        let f = draw(&mut s, &mut random);
        let class = classes(&s, f);
        let word = Word::random(&mut random);
        // Along the word, a pure eventuality may change only to false and a universal formula only
        // to true; on the cycle neither changes.
        let text = print(&s, f, Syntax::Spot);
        if class.eventual {
            let row = word.row(&s, f);
            assert!(row.windows(2).all(|w| w[0] || !w[1]), "{text}");
        }
        if class.universal {
            let row = word.row(&s, f);
            assert!(row.windows(2).all(|w| !w[0] || w[1]), "{text}");
        }
    }
}

#[test]
fn formulas_without_next_are_stutter_invariant() {
    let mut random = Random::new(seed(SEED));
    for _ in 0..cases(5_000) {
        let mut s = Formulas::new();
        let f = draw(&mut s, &mut random);
        if !classes(&s, f).x_free {
            continue;
        }
        let word = Word::random(&mut random);
        let at = random.below(word.letters.len());
        let mut letters = word.letters.clone();
        letters.insert(at, letters[at]);
        let longer = Word {
            letters,
            prefix: word.prefix + usize::from(at < word.prefix),
        };
        assert_eq!(word.satisfies(&s, f), longer.satisfies(&s, f));
    }
}

#[test]
fn simplifications() {
    for (text, want) in [
        // Constants.
        ("a U 1", "1"),
        ("a U 0", "0"),
        ("0 U a", "a"),
        ("1 U a", "F a"),
        ("0 R a", "G a"),
        ("a W 0", "G a"),
        ("a M 1", "F a"),
        ("a R 0 | 1 W a", "1"),
        ("a & !a", "0"),
        ("Fa | G!a", "1"),
        // Distribution.
        ("Xa & Xb", "X(a & b)"),
        ("Fa | Fb", "F(a | b)"),
        ("Ga & Gb", "G(a & b)"),
        ("GFa | GFb", "GF(a | b)"),
        ("FGa & FGb", "FG(a & b)"),
        ("(a U b) & (c U b)", "(a & c) U b"),
        ("(a U b) | (a U c)", "a U (b | c)"),
        ("(a R b) & (a R c)", "a R (b & c)"),
        ("Xa U Xb", "X(a U b)"),
        ("Fb & (a W b)", "a U b"),
        ("Ga | (a U b)", "a W b"),
        ("Fa & (a R b)", "a M b"),
        // Eventual and universal.
        ("FGFa", "GFa"),
        ("a U GFb", "GFb"),
        ("X GFa", "GFa"),
        ("GFXa", "GFa"),
        ("F(a U b)", "F b"),
        ("G(a R b)", "G b"),
        ("G(a U b)", "G(a | b) & GFb"),
        ("G(a & Fb)", "Ga & GFb"),
        ("GF(a & Fb)", "GFa & GFb"),
        ("FG(a & Xb)", "FG(a & b)"),
        ("G(a | GFb)", "Ga | GFb"),
        ("Ga W b", "Ga | b"),
        ("Xa & GFb", "X(a & GFb)"),
        ("G((b U c) | Xa)", "G((b U c) | Xa)"),
        ("G(a W b) & G(c M a)", "G a & GFc"),
        // Implication.
        ("a U (a U b)", "a U b"),
        ("(a U b) U b", "a U b"),
        ("a & (a | b)", "a"),
        ("a & Fa", "a"),
        ("a U (b U a)", "b U a"),
        ("(a & b) U b", "b"),
        ("a U (a & b)", "b M a"),
        ("(a | b) U b", "a U b"),
        ("a U (b | Ga)", "a W b"),
        ("!a U a", "F a"),
        ("a W !a", "1"),
        // Context: facts that hold now, and always.
        ("a & (!a | b)", "a & b"),
        ("a & (a R b)", "a & b"),
        ("!a & (a U b)", "!a & b"),
        ("a | (a U b)", "a | b"),
        ("Ga & F(a & b)", "Ga & Fb"),
        ("G(a & (b U (a & c)))", "G(a & (b | c)) & GFc"),
        // Merged disjunctions.
        ("FGa | GFb", "GF(b | Ga)"),
        ("Fa | FGb", "F(a | Gb)"),
        ("Fa | (GFb & GFc)", "F(a | (GFb & GFc))"),
        // Steps.
        ("Xa U b", "b | X(b M a)"),
        ("Fa & G(!a | Gb)", "!a U (a & Gb)"),
        ("a & XGa", "G a"),
        ("a | XFa", "F a"),
        ("b | (a & X(a U b))", "a U b"),
        ("b & (a | X(a R b))", "a R b"),
    ] {
        let mut s = Formulas::new();
        let [f, g] = [text, want].map(|text| parse(text, &mut s, &mut FreeVocabulary).unwrap());
        let got = simplify(&mut s, f);
        let shown = print(&s, got, Syntax::Spot);
        assert_eq!(got, g, "{text} became {shown}, not {want}");
    }
}

#[test]
fn large_formulas_are_simplified_quickly() {
    let mut s = Formulas::new();
    let wide: Vec<String> = (0..3000).map(|i| format!("(p{i} U q{i})")).collect();
    let nested = (0..600).fold("a".to_owned(), |f, i| format!("(p{i} U X {f})"));
    let iffs: Vec<String> = (0..14).map(|i| format!("GFp{i}")).collect();
    for text in [
        wide.join(" & "),
        nested,
        "X".repeat(900) + "a & " + &"X".repeat(950) + "b",
        iffs.join(" <-> "),
    ] {
        let f = parse(&text, &mut s, &mut FreeVocabulary).unwrap();
        let g = simplify(&mut s, f);
        assert!(is_nnf(&s, g));
    }
    let mut random = Random::new(seed(SEED));
    let atoms: Vec<_> = (0..10).map(|i| s.atom_id(&format!("p{i}"))).collect();
    for _ in 0..20 {
        let f = random_formula(&mut s, &atoms, 400, &OperatorWeights::ALL, &mut random);
        let g = simplify(&mut s, f);
        assert!(is_nnf(&s, g));
    }
}

#[test]
fn simplification_preserves_the_corpus() {
    let mut random = Random::new(seed(SEED));
    for line in formulas().unwrap_or_default() {
        let text = &line[0];
        let mut s = Formulas::new();
        let f = parse(text, &mut s, &mut FreeVocabulary).unwrap();
        let not_f = s.not(f);
        let simple = [simplify(&mut s, f), simplify(&mut s, not_f)];
        for _ in 0..100 {
            let word = Word::random(&mut random);
            let expected = word.satisfies(&s, f);
            assert_eq!(word.satisfies(&s, simple[0]), expected, "{text}");
            assert_ne!(word.satisfies(&s, simple[1]), expected, "{text}");
        }
    }
}
