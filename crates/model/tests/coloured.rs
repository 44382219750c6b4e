//! Coloured nets: every construct, what they unfold to, how they are spoken of, and what is refused.

use std::time::Duration;

use lariat_budget::{Budget, Stop};
use lariat_model::coloured::{Colour, ColouredNet, TransitionId, Unfolded, unfold};
use lariat_model::pnml::{self, Pnml};
use lariat_model::{Action, Lasso, Model, Properties, Proposition, Step, System, read};

/// Sorts: dot, a cyclic enumeration, a range, products, a partition; with a forward reference.
const DECLARATIONS: &str = r#"<declaration><structure><declarations>
<namedsort id="pair" name="Pair"><productsort><usersort declaration="col"/><usersort declaration="num"/></productsort></namedsort>
<namedsort id="dot" name="Dot"><dot/></namedsort>
<namedsort id="col" name="Col"><cyclicenumeration><feconstant id="c_r" name="r"/><feconstant id="c_g" name="g"/><feconstant id="c_b" name="b"/></cyclicenumeration></namedsort>
<namedsort id="fin" name="Fin"><finiteenumeration><feconstant id="f1" name="1"/><feconstant id="f2" name="2"/></finiteenumeration></namedsort>
<namedsort id="num" name="Num"><finiteintrange start="1" end="4"/></namedsort>
<partition id="parts" name="Parts"><usersort declaration="col"/>
 <partitionelement id="warm" name="warm"><useroperator declaration="c_r"/></partitionelement>
 <partitionelement id="cold" name="cold"><useroperator declaration="c_b"/><useroperator declaration="c_g"/></partitionelement></partition>
<variabledecl id="vx" name="x"><usersort declaration="col"/></variabledecl>
<variabledecl id="vy" name="y"><usersort declaration="col"/></variabledecl>
<variabledecl id="vn" name="n"><usersort declaration="num"/></variabledecl>
</declarations></structure></declaration>"#;

/// A net with the declarations behind the page.
fn net(page: &str) -> String {
    format!(
        "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/symmetricnet\"><page id=\"g\">\n{page}\n</page>\n{DECLARATIONS}</net></pnml>"
    )
}

fn place(id: &str, sort: &str, initial: &str) -> String {
    let initial = match initial {
        "" => String::new(),
        term => format!(
            "<hlinitialMarking><text>a comment</text><structure>{term}</structure></hlinitialMarking>"
        ),
    };
    format!(
        "<place id=\"{id}\"><type><structure><usersort declaration=\"{sort}\"/></structure></type>{initial}</place>\n"
    )
}

fn transition(id: &str, condition: &str) -> String {
    match condition {
        "" => format!("<transition id=\"{id}\"/>\n"),
        _ => format!(
            "<transition id=\"{id}\"><condition><structure>{condition}</structure></condition></transition>\n"
        ),
    }
}

fn arc(source: &str, target: &str, term: &str) -> String {
    format!(
        "<arc source=\"{source}\" target=\"{target}\"><hlinscription><structure>{term}</structure></hlinscription></arc>\n"
    )
}

fn op(name: &str, terms: &[&str]) -> String {
    let terms: Vec<String> = terms
        .iter()
        .map(|t| format!("<subterm>{t}</subterm>"))
        .collect();
    format!("<{name}>{}</{name}>", terms.concat())
}

fn times(n: u32, term: &str) -> String {
    op(
        "numberof",
        &[
            &format!("<numberconstant value=\"{n}\"><positive/></numberconstant>"),
            term,
        ],
    )
}

fn num(n: i64) -> String {
    format!(
        "<finiteintrangeconstant value=\"{n}\"><finiteintrange start=\"1\" end=\"4\"/></finiteintrangeconstant>"
    )
}

const X: &str = "<variable refvariable=\"vx\"/>";
const Y: &str = "<variable refvariable=\"vy\"/>";
const N: &str = "<variable refvariable=\"vn\"/>";
const R: &str = "<useroperator declaration=\"c_r\"/>";
const G: &str = "<useroperator declaration=\"c_g\"/>";
const COLD: &str = "<useroperator declaration=\"cold\"/>";
const ALL: &str = "<all><usersort declaration=\"col\"/></all>";
const DOT: &str = "<dotconstant/>";

fn coloured(text: &str) -> ColouredNet {
    match pnml::read("net", text.as_bytes()) {
        Ok(Pnml::Coloured(net)) => net,
        Ok(Pnml::Plain(_)) => panic!("not coloured"),
        Err(error) => panic!("{error}"),
    }
}

fn unfolded(text: &str) -> Unfolded {
    unfold(&coloured(text), &Budget::bytes(1 << 26)).unwrap()
}

fn model(text: &str) -> Model {
    read("net", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

/// `p(r)=2 q` for the initial marking, `t(x=r): 2 p(r) -> q` for each event.
fn shown(system: &System) -> (String, Vec<String>) {
    let count = |n: i64, name: &str| match n {
        1 => name.to_owned(),
        _ => format!("{n} {name}"),
    };
    let variables = system.variables.iter().zip(&system.initial[0]);
    let marked: Vec<String> = variables
        .filter(|(_, n)| **n > 0)
        .map(|(v, n)| count(*n, &v.name))
        .collect();
    let events = system.events.iter().map(|event| {
        let Action::Net(arcs) = &event.action else {
            panic!("not a net")
        };
        let side = |tokens: &dyn Fn(&lariat_model::Arc) -> i64| {
            let some = arcs.iter().filter(|arc| tokens(arc) > 0);
            let names = some.map(|arc| count(tokens(arc), &system.variable(arc.var).name));
            names.collect::<Vec<_>>().join(" + ")
        };
        let (take, put) = (side(&|arc| arc.need), side(&|arc| arc.need + arc.delta));
        format!("{}: {take} -> {put}", event.name)
    });
    (marked.join(" "), events.collect())
}

fn check(page: &[String], marked: &str, events: &[&str]) {
    let system = unfolded(&net(&page.concat())).system;
    let (found_marked, found_events) = shown(&system);
    assert_eq!(found_marked, marked);
    assert_eq!(found_events, events);
}

#[test]
fn initial_markings() {
    for (sort, term, marked) in [
        ("dot", times(3, DOT), "3 p"),
        ("dot", DOT.to_owned(), "p"),
        (
            "dot",
            "<all><usersort declaration=\"dot\"/></all>".to_owned(),
            "p",
        ),
        ("col", ALL.to_owned(), "p(r) p(g) p(b)"),
        ("col", times(2, R), "2 p(r)"),
        ("col", COLD.to_owned(), "p(g) p(b)"),
        ("col", op("add", &[R]), "p(r)"),
        ("col", op("add", &[&op("add", &[R, G]), R]), "2 p(r) p(g)"),
        ("col", op("subtract", &[ALL, R, G]), "p(b)"),
        ("col", op("tuple", &[ALL]), "p(r) p(g) p(b)"),
        (
            "col",
            op("successor", &["<useroperator declaration=\"c_b\"/>"]),
            "p(r)",
        ),
        ("col", op("predecessor", &[R]), "p(b)"),
        (
            "col",
            "<empty><usersort declaration=\"col\"/></empty>".to_owned(),
            "",
        ),
        ("num", num(3), "p(3)"),
        (
            "fin",
            "<all><usersort declaration=\"fin\"/></all>".to_owned(),
            "p(1) p(2)",
        ),
        ("pair", op("tuple", &[R, &num(2)]), "p(r,2)"),
        ("pair", op("tuple", &[COLD, &num(2)]), "p(g,2) p(b,2)"),
        (
            "pair",
            times(2, &op("tuple", &[&op("add", &[R, &times(2, G)]), &num(1)])),
            "2 p(r,1) 4 p(g,1)",
        ),
        (
            "pair",
            op("tuple", &[&op("subtract", &[ALL, R]), &num(4)]),
            "p(g,4) p(b,4)",
        ),
    ] {
        check(&[place("p", sort, &term)], marked, &[]);
    }
    let all = unfolded(&net(&place(
        "p",
        "pair",
        "<all><usersort declaration=\"pair\"/></all>",
    )));
    assert_eq!(all.system.variables.len(), 12);
    assert_eq!(all.system.variables[4].name, "p(g,1)");
}

#[test]
fn bindings_and_what_can_never_happen() {
    // Successors go round; b is reached through g.
    check(
        &[
            place("p", "col", R),
            transition("t", ""),
            arc("p", "t", X),
            arc("t", "p", &op("successor", &[X])),
        ],
        "p(r)",
        &[
            "t(x=r): p(r) -> p(g)",
            "t(x=g): p(g) -> p(b)",
            "t(x=b): p(b) -> p(r)",
        ],
    );
    // Nothing ever marks q(g) or q(b), so u fires with r alone and s never.
    check(
        &[
            place("p", "col", R),
            place("q", "col", ""),
            transition("t", ""),
            transition("u", ""),
            transition("s", ""),
            arc("p", "t", X),
            arc("t", "q", X),
            arc("q", "u", Y),
            arc("q", "s", G),
        ],
        "p(r)",
        &["t(x=r): p(r) -> q(r)", "u(y=r): q(r) -> "],
    );
    // A set is taken whole or not at all, and a variable of outputs alone takes all values.
    check(
        &[
            place("p", "col", R),
            place("q", "num", ""),
            transition("make", ""),
            transition("all", ""),
            arc("p", "make", R),
            arc("make", "p", COLD),
            arc("p", "all", &op("subtract", &[ALL, R])),
            arc("all", "q", N),
        ],
        "p(r)",
        &[
            "make: p(r) -> p(g) + p(b)",
            "all(n=1): p(g) + p(b) -> q(1)",
            "all(n=2): p(g) + p(b) -> q(2)",
            "all(n=3): p(g) + p(b) -> q(3)",
            "all(n=4): p(g) + p(b) -> q(4)",
        ],
    );
    // Where a difference has no value there is no binding: x = r is the only one.
    check(
        &[
            place("p", "col", ALL),
            transition("t", ""),
            arc("p", "t", &op("subtract", &[R, X])),
        ],
        "p(r) p(g) p(b)",
        &["t(x=r):  -> "],
    );
    // Arcs between the same nodes add up; a read arc is need without change.
    check(
        &[
            place("p", "dot", &times(5, DOT)),
            transition("t", ""),
            arc("p", "t", DOT),
            arc("p", "t", &times(2, DOT)),
            "<arc source=\"t\" target=\"p\"/>".to_owned(),
        ],
        "5 p",
        &["t: 3 p -> p"],
    );
}

#[test]
fn guards() {
    let compare = |name: &str| op(name, &[X, Y]);
    let n = |name: &str, k| op(name, &[N, &num(k)]);
    for (guard, bindings) in [
        (compare("equality"), "rr gg bb"),
        (compare("inequality"), "rg rb gr gb br bg"),
        (compare("lessthan"), "rg rb gb"),
        (compare("lessthanorequal"), "rr rg rb gg gb bb"),
        (compare("greaterthan"), "gr br bg"),
        (compare("greaterthanorequal"), "rr gr gg br bg bb"),
        (op("equality", &[&op("successor", &[X]), Y]), "rg gb br"),
        (
            op(
                "equality",
                &[X, &op("predecessor", &[&op("predecessor", &[Y])])],
            ),
            "rb gr bg",
        ),
        (
            op("and", &[&compare("inequality"), &op("equality", &[X, R])]),
            "rg rb",
        ),
        (
            op(
                "or",
                &[&op(
                    "and",
                    &[&op("equality", &[X, R]), &op("equality", &[Y, G])],
                )],
            ),
            "rg",
        ),
        (
            op(
                "or",
                &[
                    &op("equality", &[X, R]),
                    &op("equality", &[Y, G]),
                    &op("equality", &[X, R]),
                ],
            ),
            "rr rg rb gg bg",
        ),
        (op("not", &[&compare("lessthan")]), "rr gr gg br bg bb"),
        (
            op(
                "imply",
                &[&op("equality", &[X, R]), &op("equality", &[Y, R])],
            ),
            "rr gr gg gb br bg bb",
        ),
        ("<booleanconstant value=\"false\"/>".to_owned(), ""),
        (
            op("equality", &[&op("tuple", &[X, Y]), &op("tuple", &[R, G])]),
            "rg",
        ),
        (
            op(
                "inequality",
                &[&op("tuple", &[X, Y]), &op("tuple", &[X, X])],
            ),
            "rg rb gr gb br bg",
        ),
    ] {
        let page = [
            place("p", "col", ALL),
            place("q", "col", ALL),
            transition("t", &guard),
            arc("p", "t", X),
            arc("q", "t", Y),
        ];
        let system = unfolded(&net(&page.concat())).system;
        let found: Vec<String> = system
            .events
            .iter()
            .map(|e| {
                e.name
                    .replace("t(x=", "")
                    .replace(",y=", "")
                    .replace(')', "")
            })
            .collect();
        assert_eq!(found.join(" "), bindings, "{guard}");
    }
    for (guard, bindings) in [
        (n("greaterthan", 2), vec!["t(n=3)", "t(n=4)"]),
        (n("equality", 1), vec!["t(n=1)"]),
    ] {
        let page = [
            place("p", "dot", DOT),
            transition("t", &guard),
            arc("p", "t", DOT),
        ];
        let system = unfolded(&net(&page.concat())).system;
        let found: Vec<&str> = system.events.iter().map(|e| &*e.name).collect();
        assert_eq!(found, bindings);
    }
}

/// p: all colours; move(x, n): p(x) → q(x, n) if x is not b; back.
fn moving() -> String {
    let guard = op("inequality", &[X, "<useroperator declaration=\"c_b\"/>"]);
    net(&[
        place("p", "col", &op("subtract", &[ALL, G])),
        place("q", "pair", ""),
        transition(
            "move",
            &op("and", &[&guard, &op("lessthan", &[N, &num(3)])]),
        ),
        transition("dead", ""),
        arc("p", "move", X),
        arc("move", "q", &op("tuple", &[X, N])),
        arc("q", "dead", &op("tuple", &[G, N])),
    ]
    .concat())
}

#[test]
fn formulas_speak_of_colours() {
    let model = model(&moving());
    assert_eq!(
        shown(&model.system).1,
        [
            "move(x=r,n=1): p(r) -> q(r,1)",
            "move(x=r,n=2): p(r) -> q(r,2)"
        ]
    );
    let names = model.names();
    for (text, echo) in [
        ("p", "p"),
        ("\"p >= 2\"", "\"p >= 2\""),
        ("\"p(r) + p(b) >= 2\"", "\"p >= 2\""),
        ("\"p(r)\"", "\"p(r) >= 1\""),
        ("\"p( b ) >= 2\"", "\"p(b) >= 2\""),
        ("\"p(g) >= 1\"", "\"0 == 1\""),
        ("\"p(g) + q(r, 1) >= 1\"", "\"q(r,1) >= 1\""),
        ("\"q + p <= q(r,2)\"", "\"p + q(r,1) <= 0\""),
        ("\"tokens(p, q(r,1)) < 3\"", "\"p + q(r,1) <= 2\""),
        ("move", "\"fires(move)\""),
        ("fires(move)", "\"fires(move)\""),
        ("fires(move(x=r))", "\"fires(move)\""),
        ("fires(move(n=2))", "\"fires(move(x=r,n=2))\""),
        ("fireable(move(n=2,x=r))", "\"fireable(move(x=r,n=2))\""),
        (
            "\"fireable(move(x=g), move(n=1))\"",
            "\"fireable(move(x=r,n=1))\"",
        ),
        ("fireable(dead)", "\"0 == 1\""),
        ("fires(move(n=4))", "\"0 == 1\""),
        ("dead", "\"0 == 1\""),
    ] {
        let mut properties = Properties::new();
        properties
            .add_formula(&names, "formula", None, text)
            .unwrap_or_else(|error| panic!("{error}"));
        let found = properties.list[0].text.clone();
        assert_eq!(found.trim_matches('"'), echo.trim_matches('"'), "{text}");
        properties
            .add_formula(&names, "echo", None, &found)
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            properties.list[0].formula, properties.list[1].formula,
            "{text}"
        );
    }
    for (text, message) in [
        ("\"p(z)\"", "expected a comparison"),
        ("\"q(r) >= 1\"", "expected a comparison"),
        ("fires(move(z=1))", "no transition is called `move(z=1)`"),
        ("fires(p)", "`p` is a place, not a transition"),
        ("qq", "no place or transition is called `qq`"),
    ] {
        let mut properties = Properties::new();
        let error = properties.add_formula(&names, "formula", None, text);
        let error = error.unwrap_err();
        assert!(error.message.starts_with(message), "{error}");
    }
    let mut properties = Properties::new();
    properties
        .add_formula(&names, "f", None, "fires(move)")
        .unwrap();
    let Proposition::Fires(events) = &properties.propositions[0] else {
        panic!("no event")
    };
    assert_eq!(events.len(), 2);
}

#[test]
fn runs_are_replayed_on_the_coloured_net() {
    let text = net(&[
        place("p", "col", R),
        transition("t", ""),
        arc("p", "t", X),
        arc("t", "p", &op("successor", &[X])),
    ]
    .concat());
    let net = coloured(&text);
    let Unfolded { system, unfolding } = unfold(&net, &Budget::unlimited()).unwrap();
    let mut state = system.initial[0].clone();
    let mut cycle = Vec::new();
    for event in system.event_ids() {
        state = system.successors(&state, event).remove(0);
        cycle.push(Step {
            event: Some(event),
            state: state.clone(),
        });
    }
    let lasso = Lasso {
        initial: system.initial[0].clone(),
        prefix: Vec::new(),
        cycle,
    };
    net.replay(&system, &lasso).unwrap();
    let (transition, binding) = unfolding.binding(lasso.cycle[1].event.unwrap());
    assert_eq!((transition, binding), (TransitionId(0), &[Colour(1)][..]));

    let mut wrong = lasso.clone();
    wrong.cycle[1].state = wrong.cycle[0].state.clone();
    assert!(
        net.replay(&system, &wrong)
            .unwrap_err()
            .contains("after 2 steps")
    );
    let mut wrong = lasso.clone();
    wrong.cycle.swap(0, 1);
    assert!(
        net.replay(&system, &wrong)
            .unwrap_err()
            .contains("needs more tokens")
    );
    let mut wrong = lasso.clone();
    wrong.cycle[0].event = None;
    assert!(
        net.replay(&system, &wrong)
            .unwrap_err()
            .contains("waits where")
    );
    let mut wrong = lasso;
    wrong.cycle.pop();
    assert!(
        net.replay(&system, &wrong)
            .unwrap_err()
            .contains("does not close")
    );
}

#[test]
fn errors_say_where() {
    let sorts = |declarations: &str| {
        format!(
            "<pnml><net type=\"symmetricnet\"><declaration><structure><declarations>\n{declarations}</declarations></structure></declaration></net></pnml>"
        )
    };
    let term = |sort: &str, term: &str| net(&place("p", sort, term));
    let guard = |guard: &str| net(&transition("t", guard));
    for (text, message) in [
        (
            sorts(
                "<namedsort id='a'><usersort declaration='b'/></namedsort><namedsort id='b'><productsort><usersort declaration='a'/><usersort declaration='a'/></productsort></namedsort>",
            ),
            "the sort `a` is declared in terms of itself",
        ),
        (
            sorts(
                "<namedsort id='a'><usersort declaration='bb'/></namedsort><namedsort id='b'><dot/></namedsort>",
            ),
            "no sort is called `bb`",
        ),
        (
            sorts("<namedsort id='a'><dot/></namedsort><namedsort id='a'><dot/></namedsort>"),
            "`a` is declared twice",
        ),
        (
            sorts("<namedsort id='a'><finiteintrange start='3' end='1'/></namedsort>"),
            "there is no number from 3 to 1",
        ),
        (
            sorts(
                "<namedsort id='a'><finiteintrange start='0' end='4611686018427387904'/></namedsort>",
            ),
            "the range has 4611686018427387905 colours: expected at most 2^31",
        ),
        (
            sorts("<namedsort id='a'><finiteintrange start='x' end='4'/></namedsort>"),
            "`start` is not a number of 64 bits: expected one",
        ),
        (
            sorts(
                "<namedsort id='a'><finiteintrange start='1' end='2000000000'/></namedsort><namedsort id='b'><productsort><usersort declaration='a'/><usersort declaration='a'/><usersort declaration='a'/></productsort></namedsort>",
            ),
            "the product has 2^62 colours or more",
        ),
        (
            sorts("<namedsort id='a'><cyclicenumeration/></namedsort>"),
            "<cyclicenumeration> of 0: expected at least one element inside",
        ),
        (
            sorts(
                "<namedsort id='a'><cyclicenumeration><feconstant id='c'/><feconstant id='c'/></cyclicenumeration></namedsort>",
            ),
            "`c` is declared twice",
        ),
        (
            sorts("<namedsort id='a'><real/></namedsort>"),
            "unknown sort <real>",
        ),
        (
            sorts("<namedoperator id='a'/>"),
            "unknown declaration <namedoperator>",
        ),
        (
            sorts("<variabledecl id='x'><usersort declaration='a'/></variabledecl>"),
            "no sort is called `a`",
        ),
        (
            term("col", &num(1)),
            "this is of sort `Num`: expected `Col`",
        ),
        (
            term("num", "<finiteintrangeconstant value=\"7\"/>"),
            "7 is not in the range 1..4",
        ),
        (term("pair", R), "this is of sort `Col`: expected `Pair`"),
        (
            term("pair", &op("tuple", &[R, R])),
            "this is of sort `Col`: expected `Num`",
        ),
        (
            term("pair", &op("tuple", &[R, R, R])),
            "a tuple of 3: expected a colour of `Pair`, which has 2 components",
        ),
        (
            term("col", X),
            "the variable `x` in an initial marking: expected constants",
        ),
        (
            term("col", "<useroperator declaration=\"c_q\"/>"),
            "no constant is called `c_q`",
        ),
        (
            term("col", "<variable refvariable=\"x\"/>"),
            "no variable is called `x`",
        ),
        (
            term("col", "<variable/>"),
            "<variable> without the attribute `refvariable`",
        ),
        (
            term("col", "<scalarproduct/>"),
            "unknown term <scalarproduct>",
        ),
        (
            term("num", &op("successor", &[&num(1)])),
            "the sort `Num` is no cyclic enumeration, so its colours have no <successor>",
        ),
        (
            term("col", &op("successor", &[ALL])),
            "<all> where one colour is expected",
        ),
        (
            term("col", &op("numberof", &[R, R])),
            "<useroperator> where a number is expected: numberconstant",
        ),
        (
            term(
                "col",
                &op("numberof", &["<numberconstant value=\"-1\"/>", R]),
            ),
            "the number is negative",
        ),
        (
            term("col", "<add/>"),
            "<add> of 0: expected at least one element inside",
        ),
        (
            term("col", "<add><subterm/></add>"),
            "a <subterm> of 0 ends here: expected one term",
        ),
        (
            term("col", &format!("{R}{R}")),
            "<useroperator> behind the end of the term",
        ),
        (
            term(
                "col",
                &format!(
                    "{}{R}{}",
                    "<add><subterm>".repeat(300),
                    "</subterm></add>".repeat(300)
                ),
            ),
            "terms are nested more than 200 deep here",
        ),
        (
            guard(&op("equality", &[X, &num(1)])),
            "this is of sort `Num`: expected `Col`",
        ),
        (
            guard(&op("equality", &[ALL, X])),
            "<all> where one colour is expected",
        ),
        (
            guard(&op("equality", &[X])),
            "<equality> of 1: expected two elements inside",
        ),
        (
            guard(&op(
                "lessthan",
                &[&op("tuple", &[X, Y]), &op("tuple", &[X, Y])],
            )),
            "<lessthan> of tuples",
        ),
        (guard(X), "unknown condition <variable>"),
        (net("<place id=\"p\"/>"), "the place `p` has no sort"),
        (
            net(&[
                place("p", "col", ""),
                transition("t", ""),
                "<arc source=\"p\" target=\"t\"/>".to_owned(),
            ]
            .concat()),
            "an arc without an inscription: expected a term of sort `Col`",
        ),
        (
            net(&arc("a", "b", X)),
            "the arc starts at `a`, which is no place or transition",
        ),
        (
            net(&[place("p", "col", ""), place("p(1)", "col", "")].concat()),
            "the id `p(1)` looks like a colour of another place or a binding of another transition",
        ),
        (
            net("<place id=\"p\"><initialMarking/></place>"),
            "<initialMarking> belongs to place/transition nets, and this one says it is coloured",
        ),
    ] {
        let error = pnml::read("net", text.as_bytes()).map(|_| ()).unwrap_err();
        assert_eq!(error.message, message, "{error}");
        let place = error.place.unwrap();
        assert!(place.line >= 2 && !place.excerpt.is_empty(), "{place:?}");
    }
    // One report in full.
    let error = pnml::read(
        "net",
        term("col", "<useroperator declaration=\"c_q\"/>").as_bytes(),
    )
    .unwrap_err();
    let want = "no constant is called `c_q`\n --> net:2:158\n";
    assert!(error.to_string().starts_with(want), "{error}");
    assert_eq!(error.help.as_deref(), Some("did you mean `c_b`?"));
}

#[test]
fn out_of_reach_is_a_stop() {
    let wide = |n: u32| {
        format!("<pnml><net type=\"symmetricnet\"><declaration><structure><declarations>
<namedsort id=\"a\"><finiteintrange start=\"1\" end=\"{n}\"/></namedsort>
<namedsort id=\"aa\"><productsort><usersort declaration=\"a\"/><usersort declaration=\"a\"/></productsort></namedsort>
<variabledecl id=\"x\"><usersort declaration=\"a\"/></variabledecl><variabledecl id=\"y\"><usersort declaration=\"a\"/></variabledecl>
</declarations></structure></declaration><page id=\"g\">{}{}{}{}{}</page></net></pnml>",
        place("p", "a", "<all><usersort declaration=\"a\"/></all>"),
        place("q", "aa", ""),
        transition("t", ""),
        arc("p", "t", "<variable refvariable=\"x\"/>"),
        arc("t", "q", &op("tuple", &["<variable refvariable=\"x\"/>", "<variable refvariable=\"y\"/>"])))
    };
    let net = coloured(&wide(100_000));
    assert_eq!(unfold(&net, &Budget::bytes(1 << 24)), Err(Stop::Memory));
    let late = Budget::bytes(1 << 30).with_deadline(Duration::from_millis(30));
    assert_eq!(unfold(&net, &late), Err(Stop::Time));
    assert_eq!(
        unfold(&coloured(&wide(30)), &Budget::bytes(1 << 24))
            .unwrap()
            .system
            .events
            .len(),
        900
    );
    // A marking of 4·10^18 tokens.
    let all = wide(2_000_000_000).replace("declaration=\"a\"/></structure></type><hlinitial", "declaration=\"aa\"/></structure></type><hlinitial").replace("<all><usersort declaration=\"a\"/>", "<all><usersort declaration=\"aa\"/>").replace("<arc source=\"p\" target=\"t\">", "<arc source=\"q\" target=\"t\">").replace("<hlinscription><structure><variable refvariable=\"x\"/>", "<hlinscription><structure><tuple><variable refvariable=\"x\"/><variable refvariable=\"y\"/></tuple>");
    assert_eq!(
        unfold(&coloured(&all), &Budget::bytes(1 << 24)),
        Err(Stop::Memory)
    );
}
