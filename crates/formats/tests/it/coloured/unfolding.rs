//! Unfoldings of markings, bindings and guards.

use super::kit::{
    ALL, COLD, DOT, G, N, R, X, Y, all, arc, check, equal, net, num, op, place, times, transition,
    unfolded,
};

#[test]
fn initial_markings() {
    for (sort, term, marked) in [
        ("dot", times(3, DOT), "3 p"),
        ("dot", DOT.to_owned(), "p"),
        ("dot", all("dot"), "p"),
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
        ("fin", all("fin"), "p(1) p(2)"),
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
    let system = unfolded(&net(&place("p", "pair", &all("pair")))).system;
    assert_eq!(system.variables.len(), 12);
    assert_eq!(system.variables[4].name, "p(g,1)");
}

#[test]
fn instances_that_can_never_occur_are_omitted() {
    // Successors are cyclic; b is reached through g.
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
    // q(g) and q(b) are never marked, so u fires with r alone and s never.
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
    // A set is taken as a whole, and a variable that occurs in outputs only takes all values.
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
    // A binding with an undefined difference does not exist: x = r is the only one.
    check(
        &[
            place("p", "col", ALL),
            transition("t", ""),
            arc("p", "t", &op("subtract", &[R, X])),
        ],
        "p(r) p(g) p(b)",
        &["t(x=r):  -> "],
    );
    // A binding with an undefined input or output term produces nothing.
    let none = op("subtract", &[R, X]);
    let [takes, puts] = [arc("q", "t", &none), arc("t", "q", &none)];
    for without in [takes, puts] {
        check(
            &[
                place("p", "col", ALL),
                place("q", "col", ""),
                place("s", "col", ""),
                transition("t", ""),
                transition("u", ""),
                arc("p", "t", X),
                without,
                arc("t", "s", X),
                arc("s", "u", Y),
            ],
            "p(r) p(g) p(b)",
            &["t(x=r): p(r) -> s(r)", "u(y=r): s(r) -> "],
        );
    }
    // A set with one colour that is never marked disables the binding, whichever arc takes it.
    check(
        &[
            place("p", "col", R),
            place("q", "col", R),
            place("s", "col", ""),
            transition("t", ""),
            transition("u", ""),
            arc("p", "t", X),
            arc("q", "t", ALL),
            arc("t", "s", X),
            arc("s", "u", Y),
        ],
        "p(r) q(r)",
        &[],
    );
    // One colour for two transitions.
    check(
        &[
            place("p", "col", R),
            transition("t", ""),
            transition("u", ""),
            arc("p", "t", X),
            arc("p", "u", Y),
        ],
        "p(r)",
        &["t(x=r): p(r) -> ", "u(y=r): p(r) -> "],
    );
    // The tokens that t takes arrive in q after those in p, or vice versa.
    for (early, late) in [("p", "q"), ("q", "p")] {
        let there = |name: &str| place(name, "col", if name == early { R } else { "" });
        let system = unfolded(&net(&[
            place("s", "col", G),
            there("p"),
            there("q"),
            transition("t", ""),
            transition("u", ""),
            arc("p", "t", X),
            arc("q", "t", Y),
            arc("s", "u", X),
            arc("u", late, X),
        ]
        .concat()))
        .system;
        assert_eq!(system.events.len(), 2);
    }
    // Parallel arcs add up; a read arc is a need without change.
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
    let pair = op("tuple", &[X, Y]);
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
        (op("and", &[&compare("inequality"), &equal(X, R)]), "rg rb"),
        (op("or", &[&op("and", &[&equal(X, R), &equal(Y, G)])]), "rg"),
        (
            op("or", &[&equal(X, R), &equal(Y, G), &equal(X, R)]),
            "rr rg rb gg bg",
        ),
        (op("not", &[&compare("lessthan")]), "rr gr gg br bg bb"),
        (
            op("imply", &[&equal(X, R), &equal(Y, R)]),
            "rr gr gg gb br bg bb",
        ),
        ("<booleanconstant value=\"false\"/>".to_owned(), ""),
        (equal(&pair, &op("tuple", &[R, G])), "rg"),
        (
            op("inequality", &[&pair, &op("tuple", &[X, X])]),
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
        let names: Vec<&str> = system.events.iter().map(|e| &*e.name).collect();
        let found = names.join(" ").replace("t(x=", "").replace(",y=", "");
        assert_eq!(found.replace(')', ""), bindings, "{guard}");
    }
    for (guard, bindings) in [
        (n("greaterthan", 2), &["t(n=3)", "t(n=4)"][..]),
        (n("equality", 1), &["t(n=1)"]),
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
