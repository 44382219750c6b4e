//! A small notation for nets: sorts, terms, and their unfoldings as text.

use lariat_budget::Budget;
use lariat_formats::pnml::Pnml;
use lariat_formats::{LoadedModel, pnml, read};
use lariat_model::coloured::{ColouredNet, Unfolded, unfold};
use lariat_model::{Action, System};

/// Sorts: dot, a cyclic enumeration, a range, products, a partition; with a forward reference.
pub(crate) const DECLARATIONS: &str = r#"<declaration><structure><declarations>
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

/// A net with the declarations after the page.
pub(crate) fn net(page: &str) -> String {
    format!(
        "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/symmetricnet\"><page id=\"g\">\n{page}\n</page>\n{DECLARATIONS}</net></pnml>"
    )
}

pub(crate) fn place(id: &str, sort: &str, initial: &str) -> String {
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

pub(crate) fn transition(id: &str, condition: &str) -> String {
    match condition {
        "" => format!("<transition id=\"{id}\"/>\n"),
        _ => format!(
            "<transition id=\"{id}\"><condition><structure>{condition}</structure></condition></transition>\n"
        ),
    }
}

pub(crate) fn arc(source: &str, target: &str, term: &str) -> String {
    format!(
        "<arc source=\"{source}\" target=\"{target}\"><hlinscription><structure>{term}</structure></hlinscription></arc>\n"
    )
}

pub(crate) fn op(name: &str, terms: &[&str]) -> String {
    let terms: Vec<String> = terms
        .iter()
        .map(|t| format!("<subterm>{t}</subterm>"))
        .collect();
    format!("<{name}>{}</{name}>", terms.concat())
}

pub(crate) fn times(n: u32, term: &str) -> String {
    let count = format!("<numberconstant value=\"{n}\"><positive/></numberconstant>");
    op("numberof", &[&count, term])
}

pub(crate) fn all(sort: &str) -> String {
    format!("<all><usersort declaration=\"{sort}\"/></all>")
}

pub(crate) fn equal(left: &str, right: &str) -> String {
    op("equality", &[left, right])
}

pub(crate) fn num(n: i64) -> String {
    format!(
        "<finiteintrangeconstant value=\"{n}\"><finiteintrange start=\"1\" end=\"4\"/></finiteintrangeconstant>"
    )
}

pub(crate) const X: &str = "<variable refvariable=\"vx\"/>";
pub(crate) const Y: &str = "<variable refvariable=\"vy\"/>";
pub(crate) const N: &str = "<variable refvariable=\"vn\"/>";
pub(crate) const R: &str = "<useroperator declaration=\"c_r\"/>";
pub(crate) const G: &str = "<useroperator declaration=\"c_g\"/>";
pub(crate) const COLD: &str = "<useroperator declaration=\"cold\"/>";
pub(crate) const ALL: &str = "<all><usersort declaration=\"col\"/></all>";
pub(crate) const DOT: &str = "<dotconstant/>";

pub(crate) fn coloured(text: &str) -> ColouredNet {
    match pnml::read("net", text.as_bytes()).map(|document| document.net) {
        Ok(Pnml::Coloured(net)) => net,
        Ok(Pnml::Plain(_)) => panic!("not coloured"),
        Err(error) => panic!("{error}"),
    }
}

pub(crate) fn unfolded(text: &str) -> Unfolded {
    unfold(&coloured(text), &Budget::bytes(1 << 26)).unwrap()
}

pub(crate) fn model(text: &str) -> LoadedModel {
    read("net", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

/// `p(r)=2 q` for the initial marking, `t(x=r): 2 p(r) -> q` for each event.
pub(crate) fn shown(system: &System) -> (String, Vec<String>) {
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

pub(crate) fn check(page: &[String], marked: &str, events: &[&str]) {
    let system = unfolded(&net(&page.concat())).system;
    let (found_marked, found_events) = shown(&system);
    assert_eq!(found_marked, marked);
    assert_eq!(found_events, events);
}
