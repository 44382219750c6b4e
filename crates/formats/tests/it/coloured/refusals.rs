//! Errors with their locations, and limits.

use super::kit::{ALL, R, X, Y, arc, coloured, net, num, op, place, transition};
use lariat_budget::{Budget, Stop};
use lariat_formats::pnml;
use lariat_model::coloured::unfold;
use std::time::Duration;

#[test]
// A table of errors and messages.
fn errors_have_locations() {
    let sorts = |declarations: &str| {
        format!(
            "<pnml><net type=\"symmetricnet\"><declaration><structure><declarations>\n{declarations}</declarations></structure></declaration></net></pnml>"
        )
    };
    let term = |sort: &str, term: &str| net(&place("p", sort, term));
    let guard = |guard: &str| net(&transition("t", guard));
    let negative = "<numberconstant value=\"-1\"/>";
    let (open, close) = ("<add><subterm>", "</subterm></add>");
    let deep = format!("{}{R}{}", open.repeat(300), close.repeat(300));
    let pair = op("tuple", &[X, Y]);
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
            term("col", &op("numberof", &[negative, R])),
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
            "<useroperator> after the end of the term",
        ),
        (
            term("col", &deep),
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
            guard(&op("lessthan", &[&pair, &pair])),
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
    // One complete report.
    let text = term("col", "<useroperator declaration=\"c_q\"/>");
    let error = pnml::read("net", text.as_bytes()).unwrap_err();
    let want = "no constant is called `c_q`\n --> net:2:158\n";
    assert!(error.to_string().starts_with(want), "{error}");
    assert_eq!(error.help.as_deref(), Some("did you mean `c_b`?"));
}

#[test]
fn exceeding_the_budget_is_a_stop() {
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
    let small = unfold(&coloured(&wide(30)), &Budget::bytes(1 << 24)).unwrap();
    assert_eq!(small.system.events.len(), 900);
    // A marking of 4·10^18 tokens.
    let all = wide(2_000_000_000).replace("declaration=\"a\"/></structure></type><hlinitial", "declaration=\"aa\"/></structure></type><hlinitial").replace("<all><usersort declaration=\"a\"/>", "<all><usersort declaration=\"aa\"/>").replace("<arc source=\"p\" target=\"t\">", "<arc source=\"q\" target=\"t\">").replace("<hlinscription><structure><variable refvariable=\"x\"/>", "<hlinscription><structure><tuple><variable refvariable=\"x\"/><variable refvariable=\"y\"/></tuple>");
    let unfolded = unfold(&coloured(&all), &Budget::bytes(1 << 24));
    assert_eq!(unfolded, Err(Stop::Memory));
}
