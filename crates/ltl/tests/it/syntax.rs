//! Parsing and printing of formulas: precedences, ambiguous words, messages, round trips, malformed
//! input.

use lariat_corpora::{formulas, seed};
use lariat_ltl::{
    AtomError, Formulas, FreeVocabulary, MAX_DEPTH, OperatorWeights, ParseError, Random, RawAtom,
    Syntax, Vocabulary, parse, print, random_formula,
};

/// A model with the given places and the functions of Petri nets.
struct Model(&'static [&'static str]);

impl Vocabulary for Model {
    fn is_name(&self, word: &str) -> bool {
        self.0.contains(&word)
    }

    fn is_function(&self, word: &str) -> bool {
        ["fires", "fireable", "tokens"].contains(&word)
    }

    fn resolve(&mut self, atom: RawAtom<'_>) -> Result<String, AtomError> {
        match atom {
            RawAtom::Word(word) if !self.is_name(word) => {
                Err(AtomError::new(format!("unknown {word}")).at(0..1))
            }
            RawAtom::Word(word) | RawAtom::Quoted(word) => Ok(word.to_owned()),
            RawAtom::Call(_, "") => Err(AtomError::new("nothing")),
            RawAtom::Call(word, arguments) => Ok(format!("{word}({arguments})")),
        }
    }
}

fn free(text: &str) -> Result<String, ParseError> {
    let mut s = Formulas::new();
    parse(text, &mut s, &mut FreeVocabulary).map(|f| print(&s, f, Syntax::Full))
}

fn with(names: &'static [&'static str], text: &str) -> Result<String, ParseError> {
    let mut s = Formulas::new();
    parse(text, &mut s, &mut Model(names)).map(|f| print(&s, f, Syntax::Full))
}

/// Checks that both texts are parsed as one formula.
#[track_caller]
fn same(text: &str, meant: &str) {
    let mut s = Formulas::new();
    let f = parse(text, &mut s, &mut FreeVocabulary).unwrap();
    let g = parse(meant, &mut s, &mut FreeVocabulary).unwrap();
    assert_eq!(f, g, "{text} is {}", print(&s, f, Syntax::Full));
}

#[test]
fn precedences_are_those_of_spot() {
    for (text, meant) in [
        ("a -> b -> c", "a -> (b -> c)"),
        ("a <-> b <-> c", "a <-> (b <-> c)"),
        ("a -> b <-> c", "a -> (b <-> c)"),
        ("a <-> b -> c", "a <-> (b -> c)"),
        ("a | b -> c | d", "(a | b) -> (c | d)"),
        ("a | b xor c", "a | (b xor c)"),
        ("a xor b | c", "(a xor b) | c"),
        ("a xor b xor c", "(a xor b) xor c"),
        ("a & b xor c & d", "(a & b) xor (c & d)"),
        ("a | b & c | d", "a | (b & c) | d"),
        ("a & b | c & d", "(a & b) | (c & d)"),
        ("a U b & c", "(a U b) & c"),
        ("a & b U c", "a & (b U c)"),
        ("a U b U c", "a U (b U c)"),
        ("a U b R c W d M e", "a U (b R (c W (d M e)))"),
        ("a U b -> c", "(a U b) -> c"),
        ("!a U b", "(!a) U b"),
        ("G a U b", "(G a) U b"),
        ("a U F b U c", "a U ((F b) U c)"),
        ("F a & b", "(F a) & b"),
        ("X a -> b", "(X a) -> b"),
        ("! a & b", "(!a) & b"),
        ("G F a -> G F b", "(G(F(a))) -> (G(F(b)))"),
    ] {
        same(text, meant);
    }
}

#[test]
fn alternative_spellings() {
    for (text, meant) in [
        ("[]<>a", "G F a"),
        ("() a", "X a"),
        ("()a", "Xa"),
        ("a V b", "a R b"),
        ("~a", "!a"),
        ("a && b & c /\\ d", "a & b & c & d"),
        ("a || b | c \\/ d", "a | b | c | d"),
        ("a => b", "a -> b"),
        ("a --> b", "a -> b"),
        ("a <=> b", "a <-> b"),
        ("a <--> b", "a <-> b"),
        ("a ^ b", "a xor b"),
        ("true U false", "1 U 0"),
        ("TRUE U False", "1 U 0"),
        ("X(a)", "X a"),
        ("F(a)&G(b)", "F a & G b"),
        ("a->b", "a -> b"),
        ("\"a\"U\"b\"", "a U b"),
        ("\n\ta\r\n&\u{a0}b ", "a & b"),
    ] {
        same(text, meant);
    }
}

#[test]
fn words_follow_spots_rules() {
    for (text, meant) in [
        ("GFa", "G F a"),
        ("XXa", "X X a"),
        ("GFXG(a)", "G F X G a"),
        ("GF\"a\"", "G F a"),
        ("GF!a", "G F !a"),
        ("Ga U Fb", "(G a) U (F b)"),
        ("GF0", "G \"F0\""),
        ("F1", "\"F1\""),
        ("Gtrue_a", "G \"true_a\""),
        ("Ftrue U a", "(F true) U a"),
        ("aUb", "\"aUb\""),
        ("Ua", "\"Ua\""),
        ("(a)Ub", "a U b"),
        ("\"a\"UFXb", "a U F X b"),
        ("a.b_1", "\"a.b_1\""),
        ("_x & .y", "\"_x\" & \".y\""),
    ] {
        same(text, meant);
    }
    assert_eq!(free("G p0Uq").unwrap(), "G(p0Uq)");
}

#[test]
fn words_declared_by_a_model() {
    let check = |names, text, want: &str| assert_eq!(with(names, text).as_deref(), Ok(want));
    check(&["Fork_1"], "Fork_1", "\"Fork_1\"");
    check(&["Fork_1"], "GFFork_1", "G(F(\"Fork_1\"))");
    check(&["a"], "GFa", "G(F(a))");
    check(&["Fa", "a"], "GFa", "G(\"Fa\")");
    check(&["GFa", "a"], "GFa", "\"GFa\"");
    check(&["a"], "X(a)", "X(a)");
    check(&["a"], "GF(a)", "G(F(a))");
    check(&["a", "b"], "a UFb", "(a U F(b))");
    check(&["a"], "Gtrue U a", "(1 U a)");
    // One-letter names are names where only a name is possible.
    check(&["G", "F", "U"], "G U F", "(\"G\" U \"F\")");
    check(&["G", "F", "U"], "G F & U", "(G(\"F\") & \"U\")");
    check(
        &["G", "F", "U"],
        "G G -> F(F) U U",
        "(G(\"G\") -> (F(\"F\") U \"U\"))",
    );
    check(&["xor", "a"], "xor xor a", "(\"xor\" xor a)");
    // Names that start with a digit.
    check(&["1st", "0"], "1st & \"0\"", "(\"1st\" & \"0\")");
}

#[test]
fn calls_take_their_arguments_literally() {
    let check = |text, want: &str| assert_eq!(with(&["a"], text).as_deref(), Ok(want));
    check("fires(t)", "fires(t)");
    check("G(fires( t(x=1) ) -> F a)", "G(fires(t(x=1)) -> F(a))");
    check("fireable(t1, t->2) & a", "(fireable(t1, t->2) & a)");
    check("Gfires(GFa)", "G(fires(GFa))");
    check("fires (t) U tokens(p, q)", "(fires(t) U tokens(p, q))");
    check("\"fires(t)\"", "fires(t)");
    check("\"fires(t) & x(u)\"", "\"fires(t) & x(u)\"");
}

#[track_caller]
fn rejected(
    result: Result<String, ParseError>,
    span: std::ops::Range<usize>,
    message: &str,
    help: &str,
) {
    let error = result.unwrap_err();
    let found_help = error.help.as_deref().unwrap_or("");
    assert_eq!(
        (error.span, &*error.message, found_help),
        (span, message, help)
    );
}

#[test]
// One table of texts and messages.
fn messages_have_spans() {
    let operator = "expected an operator or the end of the formula, found";
    let quotes = "put atoms that are not a single word in quotes:";
    for (text, span, found, atom) in [
        ("G p >= 2 & q", 4..6, ">=", "p >= 2"),
        ("p<3", 1..2, "<", "p<3"),
        ("p >= 1 U q", 2..4, ">=", "p >= 1"),
        ("p >= 1 -> F q", 2..4, ">=", "p >= 1"),
        ("p >= 1 R q >= 2", 2..4, ">=", "p >= 1"),
        ("(p + q == 2)", 3..4, "+", "p + q == 2"),
        ("F P-start_1", 3..4, "-", "P-start_1"),
    ] {
        let (message, help) = (
            format!("{operator} `{found}`"),
            format!("{quotes} \"{atom}\""),
        );
        rejected(free(text), span, &message, &help);
    }
    rejected(free("a b"), 2..3, &format!("{operator} `b`"), "");
    rejected(free("a é"), 2..4, &format!("{operator} `é`"), "");
    for (text, at) in [("", 0..0), ("a U ", 4..4)] {
        rejected(
            free(text),
            at,
            "expected a formula, the formula ends here",
            "",
        );
    }
    rejected(free("a & )"), 4..5, "expected a formula, found `)`", "");
    rejected(
        free("(a"),
        0..1,
        "this parenthesis is never closed",
        "add `)`",
    );
    rejected(
        free("a)"),
        1..2,
        "this parenthesis was never opened",
        "remove it, or add `(`",
    );
    rejected(
        free("\"a & b"),
        0..6,
        "the quote is never closed",
        "end the atom with `\"`",
    );
    rejected(
        free("U a"),
        0..1,
        "expected a formula, found the operator `U`",
        "`U` is a binary operator",
    );
    rejected(
        free("1st"),
        0..3,
        "`1st` is not a name",
        "put it in quotes: \"1st\"",
    );
    rejected(with(&[], "G Fork_1"), 2..3, "unknown Fork_1", "");
    rejected(
        with(&[], "fires(t"),
        5..6,
        "this parenthesis is never closed",
        "add `)`",
    );
    rejected(with(&[], "a"), 0..1, "unknown a", "");
    rejected(with(&[], "G fires( )"), 2..10, "nothing", "");
    rejected(
        with(&["a", "Ub"], "a Ub"),
        2..4,
        &format!("{operator} `Ub`"),
        "",
    );
    rejected(
        with(&["1"], "G 1"),
        2..3,
        "`1` is both a constant and a name of the model",
        "write \"1\" in quotes for the name, true for the constant",
    );
}

#[test]
fn depth_is_limited_and_width_is_not() {
    for deep in [
        "(".repeat(100_000),
        "!".repeat(100_000) + "a",
        "X ".repeat(100_000) + "a",
        "X".repeat(MAX_DEPTH) + "a",
        "a U ".repeat(100_000) + "a",
        "(a & (b | ".repeat(50_000),
        "a".to_owned() + &" xor a".repeat(100_000),
    ] {
        let message = free(&deep).unwrap_err().message;
        assert!(message.contains("nested deeper"), "{message}");
    }
    assert!(free(&"G".repeat(1_000_000)).is_err());
    let depth = MAX_DEPTH - 1;
    let text = "X ".repeat(depth) + "a";
    assert_eq!(free(&text).unwrap().matches('X').count(), depth);
    let mut s = Formulas::new();
    let wide: Vec<String> = (0..50_000).map(|i| format!("p{i}")).collect();
    let f = parse(&wide.join(" & "), &mut s, &mut FreeVocabulary).unwrap();
    assert_eq!(s.node(f).children().len(), 50_000);
    assert!(s.len() < 50_010);
}

#[test]
fn spin_syntax_uses_only_its_operators() {
    let mut s = Formulas::new();
    let mut spin = |text| {
        let f = parse(text, &mut s, &mut FreeVocabulary).unwrap();
        print(&s, f, Syntax::Spin)
    };
    assert_eq!(spin("G(a -> Fb) & (a R b)"), "([](a -> <>(b)) && (a V b))");
    assert_eq!(spin("a W b"), "(b V (a || b))");
    assert_eq!(spin("a M b | 1 U 0"), "((b U (a && b)) || (true U false))");
    assert_eq!(spin("X(a xor b)"), "X(!(a <-> b))");
}

/// Default first seed.
const SEED: u64 = 20_261_115;

const NAMES: [&str; 12] = [
    "a",
    "p0",
    "F1",
    "Ua",
    "x.y",
    "Fork_1",
    "p >= 2",
    "say \"hi\" \\",
    "xor",
    "true",
    "é",
    "",
];

#[test]
fn printed_formulas_are_read_back() {
    let mut random = Random::new(seed(SEED));
    for _ in 0..3000 {
        let mut s = Formulas::new();
        let atoms = NAMES.map(|name| s.atom_id(name));
        let size = random.between(1, 30);
        let f = random_formula(&mut s, &atoms, size, &OperatorWeights::ALL, &mut random);
        for syntax in [Syntax::Spot, Syntax::Full] {
            let text = print(&s, f, syntax);
            let again = parse(&text, &mut s, &mut FreeVocabulary);
            assert_eq!(again, Ok(f), "{text}");
        }
        let text = print(&s, f, Syntax::Full);
        let model = &mut Model(&["a", "p0", "F1", "Ua", "x.y", "G", "Ga", "U"]);
        let again = parse(&text, &mut s, model);
        assert_eq!(again, Ok(f), "{text}");
    }
}

#[test]
fn malformed_input_is_rejected_without_panic() {
    let bits = [
        "G", "F", "X", "U", "(", ")", "\"", "\\", "&", "|", "-", ">", "<", "=", "[", "]", "fires",
        "a", " ", "é", "\u{0}", "1", "true", "xor", "é\"", "^", "~", "/", ",", "Ü_", "\n",
    ];
    let mut random = Random::new(seed(SEED));
    for _ in 0..20_000 {
        let mut s = Formulas::new();
        let atoms = NAMES.map(|name| s.atom_id(name));
        let f = random_formula(&mut s, &atoms, 10, &OperatorWeights::ALL, &mut random);
        let mut text: Vec<char> = print(&s, f, Syntax::Spot).chars().collect();
        for _ in 0..random.between(1, 4) {
            let at = random.below(text.len() + 1);
            match random.below(3) {
                0 if at < text.len() => drop(text.remove(at)),
                1 => text.truncate(at),
                _ => drop(text.splice(at..at, random.pick(&bits).unwrap().chars())),
            }
        }
        let text = String::from_iter(text);
        for result in [
            parse(&text, &mut s, &mut FreeVocabulary),
            parse(&text, &mut s, &mut Model(&["a", "G", "U", "é", "1"])),
        ] {
            if let Err(error) = result {
                assert!(text.get(error.span.clone()).is_some(), "{text:?} {error:?}");
            }
        }
    }
}

#[test]
fn the_corpus_is_parsed() {
    for line in formulas().unwrap_or_default() {
        let text = &line[0];
        let mut s = Formulas::new();
        let f = parse(text, &mut s, &mut FreeVocabulary).unwrap();
        let again = print(&s, f, Syntax::Spot);
        assert_eq!(parse(&again, &mut s, &mut FreeVocabulary), Ok(f));
    }
}

#[test]
fn words_are_operators_where_a_name_would_be_an_error() {
    for (text, same) in [
        ("always (p -> eventually q)", "G(p -> F q)"),
        ("p until next q", "p U X q"),
        ("always eventually p", "G F p"),
        ("always & p", "\"always\" & p"),
        ("next U p", "\"next\" U p"),
        ("p U until", "p U \"until\""),
    ] {
        let mut s = Formulas::new();
        let read = |text: &str, s: &mut Formulas| parse(text, s, &mut FreeVocabulary);
        let expected = read(same, &mut s);
        assert!(expected.is_ok(), "{same}");
        assert_eq!(read(text, &mut s), expected, "{text}");
    }
    // Declared names win where they are possible.
    let mut s = Formulas::new();
    let model = &mut Model(&["always", "p"]);
    assert!(parse("always & p", &mut s, model).is_ok());
    assert!(parse("always p", &mut s, model).is_ok());
}

#[test]
fn operators_of_other_logics_have_their_own_messages() {
    for (text, message) in [
        ("G (p -> EF p)", "`EF` is an operator of branching time"),
        ("AG AF p", "`AG` is an operator of branching time"),
        ("A (p U p)", "`A` is an operator of branching time"),
        (
            "F[0,5] p",
            "bounded operators such as `F[0,5]` are not supported",
        ),
        (
            "G F [<=3] p",
            "bounded operators such as `F[<=3]` are not supported",
        ),
        (
            "p U[1,2] p",
            "bounded operators such as `U[1,2]` are not supported",
        ),
        (
            "<>[0,5] p",
            "bounded operators such as `>[0,5]` are not supported",
        ),
        ("G (p -> O p)", "`O` is an operator of the past"),
        ("once p", "`once` is an operator of the past"),
        ("p S p", "`S` is an operator of the past"),
        ("p since p", "`since` is an operator of the past"),
        (
            "{p; p} |-> p",
            "`{` begins a regular expression of PSL, which is not supported",
        ),
    ] {
        let mut s = Formulas::new();
        let error = parse(text, &mut s, &mut Model(&["p"])).unwrap_err();
        assert_eq!(error.message, message, "{text}");
        assert!(
            error.help.is_some() && text.get(error.span.clone()).is_some(),
            "{text}"
        );
    }
}
