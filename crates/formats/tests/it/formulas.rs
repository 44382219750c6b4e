//! Formulas over the names of a model.

use crate::added;
use lariat_formats::{mcc, read_model};
use lariat_model::generate::{Family, generate};
use lariat_model::{
    Comparison, Definition, EventId, Linear, Names, Predicate, PropertyList, Proposition, System,
    VarId,
};

/// Places p q r a a-b a- 1 x:y P->x both, transitions t t2 "t(x=1)" both.
fn odd_net() -> System {
    let mut text = String::from("<pnml><net id='odd'><page>");
    for place in [
        "p", "q", "r", "a", "a-b", "-c", "1", "P-&gt;x", "both", "s[3]", "Fork_1", "G",
    ] {
        text.push_str(&format!("<place id='{place}'/>"));
    }
    for transition in ["t", "t-2", "t(x=1)", "u,v", "u"] {
        text.push_str(&format!("<transition id='{transition}'/>"));
    }
    text.push_str("</page></net></pnml>");
    let mut system = read_model("odd", text.as_bytes()).unwrap();
    // PNML has one namespace of ids; other formats have two.
    system.events[4].name = "both".to_owned();
    system
}

fn linear(terms: &[(u32, i64)], comparison: Comparison, constant: i64) -> Proposition {
    Proposition::State(Predicate::Linear(Linear {
        terms: terms.iter().map(|(v, c)| (VarId(*v), *c)).collect(),
        comparison,
        constant,
    }))
}

/// The printed formula and the meaning of its first atom.
fn bind(system: &System, text: &str) -> Result<(String, Proposition), String> {
    let mut properties = PropertyList::new();
    let names = Names::of(system);
    match properties.add_formula(&names, "formula", None, text) {
        Ok(()) => {
            let echo = properties.list[0].text.clone();
            // The printed formula has the same meaning.
            let formula = properties.list[0].formula;
            assert_eq!(added(&mut properties, &names, &echo), formula, "{echo}");
            Ok((echo, properties.propositions[0].clone()))
        }
        Err(error) => Err(error.to_string()),
    }
}

#[test]
// A table of atoms and their texts.
fn atoms_and_their_canonical_text() {
    let system = odd_net();
    use Comparison::{Eq, Ge, Le, Ne};
    let fires = |events: &[u32]| Proposition::Fires(events.iter().map(|e| EventId(*e)).collect());
    let fireable = |events: &[u32]| {
        let events = events.iter().map(|e| EventId(*e)).collect();
        Proposition::State(Predicate::Enabled(events))
    };
    for (text, echo, want) in [
        ("p", "p", linear(&[(0, 1)], Ge, 1)),
        ("\"p\"", "p", linear(&[(0, 1)], Ge, 1)),
        ("\"p >= 1\"", "p", linear(&[(0, 1)], Ge, 1)),
        ("\"0<p\"", "p", linear(&[(0, 1)], Ge, 1)),
        ("\"2*p > 1\"", "p", linear(&[(0, 1)], Ge, 1)),
        ("\"p >= 2\"", "\"p >= 2\"", linear(&[(0, 1)], Ge, 2)),
        ("\"2 = p\"", "\"p == 2\"", linear(&[(0, 1)], Eq, 2)),
        (
            "\"p != q\"",
            "\"p != q\"",
            linear(&[(0, 1), (1, -1)], Ne, 0),
        ),
        (
            "\"p + 2*q <= r\"",
            "\"p + 2*q <= r\"",
            linear(&[(0, 1), (1, 2), (2, -1)], Le, 0),
        ),
        (
            "\"p + 3 < q\"",
            "\"p + 4 <= q\"",
            linear(&[(0, 1), (1, -1)], Le, -4),
        ),
        ("\"- p <= -2\"", "\"p >= 2\"", linear(&[(0, 1)], Ge, 2)),
        (
            "\"p - p <= -2\"",
            "\"0 == 1\"",
            Proposition::State(Predicate::Const(false)),
        ),
        ("\"p + p == 3\"", "\"2*p == 3\"", linear(&[(0, 2)], Eq, 3)),
        (
            "\"tokens(p, q) < 3\"",
            "\"p + q <= 2\"",
            linear(&[(0, 1), (1, 1)], Le, 2),
        ),
        (
            "\"tokens(p,q, r ,a) < 3\"",
            "\"tokens(p, q, r, a) <= 2\"",
            linear(&[(0, 1), (1, 1), (2, 1), (3, 1)], Le, 2),
        ),
        (
            "\"2*tokens(p, p)>=8\"",
            "\"p >= 2\"",
            linear(&[(0, 1)], Ge, 2),
        ),
        ("\"a-b\"", "\"a-b >= 1\"", linear(&[(4, 1)], Ge, 1)),
        ("\"a-b >= 1\"", "\"a-b >= 1\"", linear(&[(4, 1)], Ge, 1)),
        (
            "\"a - p >= 1\"",
            "\"p + 1 <= a\"",
            linear(&[(0, 1), (3, -1)], Le, -1),
        ),
        (
            "\"a-p >= 1\"",
            "\"p + 1 <= a\"",
            linear(&[(0, 1), (3, -1)], Le, -1),
        ),
        (
            "\"-c >= 1\"",
            "\"tokens(-c) >= 1\"",
            linear(&[(5, 1)], Ge, 1),
        ),
        ("\"1\"", "\"tokens(1) >= 1\"", linear(&[(6, 1)], Ge, 1)),
        ("\"1 <= p\"", "p", linear(&[(0, 1)], Ge, 1)),
        ("\"P->x == 2\"", "\"P->x == 2\"", linear(&[(7, 1)], Eq, 2)),
        ("\"s[3] == 2\"", "\"s[3] == 2\"", linear(&[(9, 1)], Eq, 2)),
        ("\"both >= 1\"", "\"both >= 1\"", linear(&[(8, 1)], Ge, 1)),
        ("Fork_1", "\"Fork_1\"", linear(&[(10, 1)], Ge, 1)),
        ("t", "fires(t)", fires(&[0])),
        ("fires(t)", "fires(t)", fires(&[0])),
        ("\"t-2\"", "fires(t-2)", fires(&[1])),
        ("fires(t-2)", "fires(t-2)", fires(&[1])),
        ("fires(\"t-2\", t)", "fires(t, t-2)", fires(&[0, 1])),
        ("fires(t(x=1))", "fires(t(x=1))", fires(&[2])),
        ("fires(u,v)", "fires(u,v)", fires(&[3])),
        ("\"fires(t, t-2)\"", "fires(t, t-2)", fires(&[0, 1])),
        (
            "\"fireable( t-2 , t, t )\"",
            "fireable(t, t-2)",
            fireable(&[0, 1]),
        ),
        ("fireable(both)", "fireable(both)", fireable(&[4])),
        (
            "deadlock",
            "deadlock",
            Proposition::State(Predicate::Deadlock),
        ),
        (
            "\"deadlock\"",
            "deadlock",
            Proposition::State(Predicate::Deadlock),
        ),
    ] {
        let (text_echo, proposition) = bind(&system, text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(proposition, want, "{text}");
        assert_eq!(text_echo, echo, "{text}");
    }
}

/// The first line of a report, the column, and its help.
fn error(system: &System, text: &str) -> (String, usize, String) {
    let mut properties = PropertyList::new();
    let names = Names::of(system);
    let error = properties
        .add_formula(&names, "formula", None, text)
        .expect_err(text);
    let column = error.place.map_or(0, |place| place.column);
    (error.message, column, error.help.unwrap_or_default())
}

#[test]
fn invalid_atoms_are_reported() {
    let system = odd_net();
    for (text, message, column, help) in [
        (
            "G ork_1",
            "no place or transition is called `ork_1`",
            3,
            "did you mean \"Fork_1\"?",
        ),
        (
            "\"ork_1 >= 2\"",
            "no place is called `ork_1`",
            2,
            "did you mean \"Fork_1\"?",
        ),
        (
            "fires(tt)",
            "no transition is called `tt`",
            7,
            "did you mean \"t\"?",
        ),
        ("fires(p)", "`p` is a place, not a transition", 7, ""),
        ("\"p + t >= 2\"", "`t` is a transition, not a place", 6, ""),
        (
            "both",
            "`both` is both a place and a transition",
            1,
            "write \"both >= 1\" for the place is marked, fires(both) for the transition is taken, fireable(both) for it is enabled",
        ),
        ("\"p +\"", "expected a place, a number or tokens(…)", 5, ""),
        (
            "\"p + q\"",
            "expected a comparison: <, <=, >, >=, ==, != (or + or - and more to add up)",
            7,
            "",
        ),
        (
            "\"p >= 1 q\"",
            "expected the end of the comparison",
            9,
            "operators of formulas combine atoms, each in its own quotes: \"p >= 1\" U \"q >= 1\"",
        ),
        (
            "\"p >= 99999999999999999999\"",
            "the number is too large: expected one below 2^63",
            7,
            "",
        ),
        (
            "\"P->y == 2\"",
            "no place is called `P->y`",
            2,
            "did you mean \"P->x\"?",
        ),
        ("\"\"", "the quotes are empty: expected an atom", 1, ""),
        ("fires()", "expected the name of a transition", 7, ""),
        ("\"tokens(p, nix) > 1\"", "no place is called `nix`", 12, ""),
    ] {
        assert_eq!(
            error(&system, text),
            (message.to_owned(), column, help.to_owned()),
            "{text}"
        );
    }
}

#[test]
fn a_model_may_use_the_word_deadlock() {
    let text = "<pnml><net><page><place id='deadlock'/></page></net></pnml>";
    let system = read_model("net", text.as_bytes()).unwrap();
    let error = bind(&system, "deadlock").unwrap_err();
    assert!(error.contains("deadlock()"));
    let (echo, meaning) = bind(&system, "G deadlock()").unwrap();
    assert_eq!(echo, "G(deadlock())");
    assert_eq!(meaning, Proposition::State(Predicate::Deadlock));
    let (_, meaning) = bind(&system, "\"deadlock >= 1\"").unwrap();
    assert_eq!(meaning, linear(&[(0, 1)], Comparison::Ge, 1));
}

#[test]
fn other_formats_define_names() {
    let system = odd_net();
    let mut names = Names::of(&system);
    names.define("all", Definition::Sum(vec![VarId(0), VarId(1)]));
    names.define("any", Definition::Events(vec![EventId(0), EventId(1)]));
    let truth = Predicate::compare(VarId(2), Comparison::Eq, 7);
    names.define("P.critical", Definition::Truth(truth.clone()));
    let mut properties = PropertyList::new();
    added(&mut properties, &names, "\"all >= 2\" & any & P.critical");
    assert_eq!(
        properties.propositions,
        [
            linear(&[(0, 1), (1, 1)], Comparison::Ge, 2),
            Proposition::Fires(vec![EventId(0), EventId(1)]),
            Proposition::State(truth),
        ]
    );
}

#[test]
fn files_of_formulas() {
    let system = generate(Family::Philosophers, 2).unwrap();
    let names = Names::of(&system);
    let mut properties = PropertyList::new();
    added(&mut properties, &names, "F HasLeft_1");
    let file = b"# first\n\nlive-1: G F Fork_1  # comment\nG \"Fork_1 <= 1\"\r\n  fork : F \"Fork_1 >= 1\" #\nfires(takes_left_1) # x: y";
    properties
        .add_file(&names, "file", file)
        .unwrap_or_else(|error| panic!("{error}"));
    let list: Vec<(&str, &str)> = (properties.list.iter())
        .map(|p| (&*p.name, &*p.text))
        .collect();
    assert_eq!(
        list,
        [
            ("1", "F(HasLeft_1)"),
            ("live-1", "G(F(\"Fork_1\"))"),
            ("3", "G(\"Fork_1 <= 1\")"),
            ("fork", "F(\"Fork_1\")"),
            ("5", "fires(takes_left_1)"),
        ]
    );
    for (file, message, line, column) in [
        (
            "F Fork_1\nlive: G ork_1\n",
            "no place or transition is called `ork_1`",
            2,
            9,
        ),
        (
            "name:  # nothing",
            "expected a formula after the colon",
            1,
            1,
        ),
        (
            "of a program:\n#property G ork_1",
            "no place or transition is called `ork_1`",
            2,
            13,
        ),
        ("F (Fork_1", "", 1, 3),
    ] {
        let error = properties
            .add_file(&names, "file", file.as_bytes())
            .expect_err(file);
        let [error] = error.list() else {
            panic!("{error}")
        };
        let place = error.place.clone().unwrap();
        assert_eq!((place.line, place.column), (line, column), "{file}");
        assert!(
            message.is_empty() || error.message == message,
            "{}",
            error.message
        );
    }
}

fn mcc(formula: &str) -> Result<String, String> {
    let system = generate(Family::Philosophers, 2).unwrap();
    let mut properties = PropertyList::new();
    let text = format!(
        "<?xml version='1.0'?>\n<property-set xmlns='http://mcc.lip6.fr/'><property><id>x-00</id><description>d</description>\n<formula>{formula}</formula></property></property-set>"
    );
    let names = Names::of(&system);
    match mcc::read(&mut properties, &names, "LTL.xml", text.as_bytes()) {
        Ok(()) => Ok(properties.list[0].text.clone()),
        Err(error) => {
            let column = error.place.map_or(0, |p| p.column);
            Err(format!("{column}: {}", error.message))
        }
    }
}

/// Elements and attributes of contest properties are known, or errors.
#[test]
fn unknown_parts_of_contest_properties_are_refused() {
    let system = generate(Family::Philosophers, 2).unwrap();
    let names = Names::of(&system);
    let read = |property: &str| {
        let text = format!("<property-set>{property}</property-set>");
        let mut properties = PropertyList::new();
        mcc::read(&mut properties, &names, "LTL.xml", text.as_bytes())
    };
    let formula = "<formula><all-paths><true/></all-paths></formula>";
    let tags = "<description>d</description><tags><x/></tags>";
    assert!(read(&format!("<property><id>a</id>{tags}{formula}</property>")).is_ok());
    let next = "<formula><all-paths><next if-no-successor=\"true\" steps=\"1\"><true/></next></all-paths></formula>";
    for (property, message) in [
        (
            format!("<property><id>a</id><id>b</id>{formula}</property>"),
            "a second <id> in one property",
        ),
        (
            format!("<property><id></id>{formula}</property>"),
            "a property with an empty id",
        ),
        (
            format!("<property><id>a</id><fairness/>{formula}</property>"),
            "unknown element <fairness> of a property",
        ),
        (
            "<property><id>a</id><formula/></property>".to_owned(),
            "wrong operands of <formula/>: expected one formula",
        ),
        (
            format!("<property><id>a</id>{next}</property>"),
            "unknown attribute `if-no-successor` of <next>",
        ),
        (
            format!("<property kind=\"CTL\"><id>a</id>{formula}</property>"),
            "unknown attribute `kind` of <property>",
        ),
        (
            format!("<properties/><property><id>a</id>{formula}</property>"),
            "unknown element <properties> of <property-set>",
        ),
        (
            format!(
                "<property><id>a</id>{formula}</property><property><id>a</id>{formula}</property>"
            ),
            "a second property is called `a`",
        ),
    ] {
        let error = read(&property).unwrap_err();
        assert_eq!(error.message, message);
        assert!(error.place.is_some());
    }
}

#[test]
// A table of contest formulas and their meanings.
fn contest_formulas() {
    let fork = "<tokens-count><place>Fork_1</place></tokens-count>";
    let both = "<tokens-count><place>Fork_1</place><place>Fork_2</place></tokens-count>";
    let one = "<integer-constant>1</integer-constant>";
    let left = "<is-fireable><transition>takes_left_1</transition></is-fireable>";
    for (formula, want) in [
        (
            format!(
                "<all-paths><globally><integer-le>{one}{fork}</integer-le></globally></all-paths>"
            ),
            "G(\"Fork_1\")",
        ),
        (
            format!("<all-paths><integer-le>{fork}{both}</integer-le></all-paths>"),
            "\"Fork_2 >= 0\"",
        ),
        (
            format!("<integer-lt>{both}{one}</integer-lt>"),
            "\"Fork_1 + Fork_2 <= 0\"",
        ),
        (
            format!("<until><before>{left}</before><reach><true/></reach></until>"),
            "(fireable(takes_left_1) U 1)",
        ),
        (
            format!(
                "<next><negation><finally><conjunction>{left}<deadlock/></conjunction></finally></negation></next>"
            ),
            "X(!F(fireable(takes_left_1) & deadlock))",
        ),
        (
            format!("<disjunction>{left}<false/></disjunction>"),
            "fireable(takes_left_1)",
        ),
    ] {
        assert_eq!(mcc(&formula).as_deref(), Ok(want));
    }
    for (formula, want) in [
        (
            "".to_owned(),
            "1: wrong operands of <formula>: expected one formula",
        ),
        (
            "<all-paths/>".to_owned(),
            "10: wrong operands of <all-paths/>: expected one formula",
        ),
        (
            "<exists-path/>".to_owned(),
            "10: <exists-path> inside of a linear-time formula",
        ),
        (
            format!("<globally><all-paths>{left}</all-paths></globally>"),
            "20: <all-paths> inside of a linear-time formula",
        ),
        (
            format!("<integer-le>{fork}</integer-le>"),
            "10: wrong operands of <integer-le>: expected two numbers",
        ),
        (
            format!("<integer-le>{fork}{left}</integer-le>"),
            "10: wrong operands of <integer-le>: expected two numbers",
        ),
        (
            format!("<until><reach>{left}</reach><before>{left}</before></until>"),
            "17: <reach> cannot stand here",
        ),
        (
            format!("<until>{left}{left}</until>"),
            "17: <is-fireable> cannot stand here",
        ),
        (
            "<is-fireable><transition>nobody</transition></is-fireable>".to_owned(),
            "35: no transition is called `nobody`",
        ),
        (
            "<is-fireable/>".to_owned(),
            "10: wrong operands of <is-fireable/>: expected transitions",
        ),
        (
            "<tokens-count><integer-constant>1</integer-constant></tokens-count>".to_owned(),
            "24: <integer-constant> cannot stand here",
        ),
        (
            fork.to_owned(),
            "1: wrong operands of <formula>: expected one formula",
        ),
        (
            "<integer-constant>1e3</integer-constant>".to_owned(),
            "28: `1e3` is not a number below 2^63",
        ),
        (
            format!("<next steps='2'>{left}</next>"),
            "23: expected a single step",
        ),
        ("<wheel/>".to_owned(), "10: unknown operator <wheel>"),
        (
            "<negation>".repeat(5000),
            "9980: elements are nested more than 1000 deep here",
        ),
    ] {
        let shown = &formula[..formula.len().min(100)];
        assert_eq!(mcc(&formula), Err(want.to_owned()), "{shown}");
    }
    let deep = format!("{}<true/>{}", "<next>".repeat(900), "</next>".repeat(900));
    assert_eq!(mcc(&deep).as_deref(), Ok("1"));
}

#[test]
fn the_examples_are_accepted() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (name, formulas) in [("mutex", 4), ("producer-consumer", 5), ("philosophers", 3)] {
        let net = std::fs::read(folder.join(format!("{name}.pnml"))).unwrap();
        let system = read_model(name, &net).unwrap_or_else(|error| panic!("{error}"));
        let file = std::fs::read(folder.join(format!("{name}.ltl"))).unwrap();
        let mut properties = PropertyList::new();
        properties
            .add_file(&Names::of(&system), name, &file)
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(properties.list.len(), formulas, "{name}");
    }
}
