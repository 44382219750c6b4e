//! Unusual but valid PNML, and invalid PNML.

use lariat_formats::{mcc, pnml, read_model};
use lariat_model::generate::{Family, generate};
use lariat_model::{Action, Arc, Domain, PropertyList, System, VarId, visible};

const HEAD: &str = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">"#;
const TAIL: &str = "</page></net></pnml>";

fn net(body: &str) -> String {
    format!("{HEAD}\n{body}\n{TAIL}")
}

fn read(text: &str) -> System {
    read_model("net", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

fn arcs(system: &System, event: usize) -> &[Arc] {
    match &system.events[event].action {
        Action::Net(arcs) => arcs,
        _ => panic!("not a net"),
    }
}

#[test]
fn order_blanks_and_decoration_are_irrelevant() {
    let system = read(
        r#"<?xml version="1.0" encoding="utf-8"?>
<!-- a comment first --><!DOCTYPE pnml>
<pnml><net type ="http://www.pnml.org/version-2009/grammar/ptnet" id='net1'>
 <toolspecific tool="Tina" version="3"><places>nonsense</places><structure/></toolspecific>
 <page id="p">
  <arc source="p.1" target="t-1" id="a1"><graphics><line/></graphics>
   <inscription><graphics><offset x="1"/></graphics><text>
     2 </text></inscription></arc>
  <transition id="t-1"><name><text>go</text></name></transition>
  <place id="p.1"><name><graphics/><text>ignored</text></name>
   <initialMarking><text>4294967297</text><graphics/></initialMarking></place>
  <page id="inner"><place id="q&amp;r"><initialMarking><text><![CDATA[7]]></text></initialMarking></place>
   <arc source="t-1" target="q&#38;r"/><arc target="q&amp;r" source="t-1"/>
   <arc source="t-1" target="p.1"/></page>
 </page>
 <name><text>The net</text></name>
</net></pnml>
"#,
    );
    assert_eq!(system.name, "The net");
    let names: Vec<&str> = system.variables.iter().map(|v| &*v.name).collect();
    assert_eq!(names, ["p.1", "q&r"]);
    assert_eq!(*system.initial[0], [4_294_967_297, 7]);
    let want = [
        Arc {
            var: VarId(0),
            need: 2,
            delta: -1,
        },
        Arc {
            var: VarId(1),
            need: 0,
            delta: 2,
        },
    ];
    assert_eq!(arcs(&system, 0), want);
}

#[test]
fn latin_1_and_byte_order_marks() {
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>{}",
        net(r#"<place id="caf~"/>"#)
    );
    let bytes: Vec<u8> = text
        .bytes()
        .map(|b| if b == b'~' { 0xe9 } else { b })
        .collect();
    assert_eq!(read_model("net", &bytes).unwrap().variables[0].name, "café");
    let marked = [b"\xef\xbb\xbf", net(r#"<place id="p"/>"#).as_bytes()].concat();
    assert_eq!(read_model("net", &marked).unwrap().variables.len(), 1);
}

#[test]
fn reference_nodes_are_aliases() {
    let system = read(&net(
        r#"<referencePlace id="r2" ref="r1"/><referencePlace id="r1" ref="p"/>
           <place id="p"/><transition id="t"/><arc source="t" target="r2"/>"#,
    ));
    assert_eq!(system.variables.len(), 1);
    assert_eq!(arcs(&system, 0)[0].var, VarId(0));
}

#[test]
fn units_are_kept() {
    let system = read(&net(
        r#"<place id="p0"/><place id="p1"><initialMarking><text>1</text></initialMarking></place><place id="p2"/>
<toolspecific tool="nupn" version="1.1"><size places="3" transitions="0" arcs="0"/>
<structure units="3" root="top" safe="true">
<unit id="a"><places>p0
 p2</places><subunits/></unit>
<unit id="top"><places/><subunits>a b</subunits></unit>
<unit id="b"><places>p1</places><subunits></subunits></unit>
</structure></toolspecific>"#,
    ));
    assert_eq!(system.units.len(), 3);
    assert_eq!(system.units[0].subunits, [1, 2]);
    let names: Vec<&str> = system.units.iter().map(|unit| &*unit.name).collect();
    assert_eq!(names, ["top", "a", "b"]);
    assert_eq!(system.units[1].places, [VarId(0), VarId(2)]);
    assert_eq!(system.variables[2].domain, Domain::Count { bound: Some(1) });
    let written = pnml::write(&system).unwrap();
    assert_eq!(read(&written), system);
}

#[test]
fn written_nets_are_read_back() {
    for family in Family::ALL {
        let system = generate(family, 2).unwrap();
        assert_eq!(read(&pnml::write(&system).unwrap()), system);
    }
    let mut odd = generate(Family::Kanban, 1).unwrap();
    odd.variables[0].name = "a < \"b\"\n& 'c'\t".to_owned();
    let text = pnml::write(&odd).unwrap();
    odd.variables[0].name = visible(&*odd.variables[0].name).into_owned();
    assert_eq!(read(&text), odd);
}

/// Names on which a terminal acts, or that forge a line of output, are readable and resolve.
#[test]
fn names_are_read_in_visible_form() {
    let text = net("<place id=\"p&#27;[2J\"><name><text>x\u{202e}y</text></name><initialMarking><text>1</text></initialMarking></place>
<transition id=\"t&#10;HOLDS all\"/><arc source=\"p&#27;[2J\" target=\"t&#10;HOLDS all\"/>
<toolspecific tool=\"nupn\"><structure root=\"u\" safe=\"true\"><unit id=\"u\"><places>p\u{1b}[2J</places></unit></structure></toolspecific>");
    let model = lariat_formats::read("net", text.as_bytes()).unwrap();
    let system = &model.system;
    assert_eq!(system.variables[0].name, "p\\u{1b}[2J");
    assert_eq!(system.events[0].name, "t\\u{a}HOLDS all");
    assert_eq!(system.units[0].places, [VarId(0)]);
    assert_eq!(model.shown().system.variables[0].name, "x\\u{202e}y");
    let property = "<property-set><property><id>one&#10;two</id><formula>\
        <is-fireable><transition>t&#10;HOLDS all</transition></is-fireable></formula></property></property-set>";
    let mut list = PropertyList::new();
    mcc::read(&mut list, &model.names(), "f", property.as_bytes()).unwrap();
    assert_eq!(list.list[0].name, "one\\u{a}two");
}

/// Message and location of the error in a text.
fn error(text: &str) -> String {
    match read_model("net.pnml", text.as_bytes()) {
        Ok(_) => panic!("was read: {text}"),
        Err(error) => {
            let place = error
                .place
                .as_ref()
                .map_or(String::new(), |p| format!("{}:{}: ", p.line, p.column));
            format!("{place}{}", error.message)
        }
    }
}

#[test]
fn errors_have_messages_and_locations() {
    let place = |marking: &str| {
        net(&format!(
            "<place id=\"p\"><initialMarking><text>{marking}</text></initialMarking></place>"
        ))
    };
    let nupn = |structure: &str| {
        net(&format!(
            "<place id=\"p\"/>\n<toolspecific tool=\"nupn\">{structure}</toolspecific>"
        ))
    };
    let nodes = r#"<place id="p"/><place id="q"/><transition id="t"/><transition id="u"/>"#;
    let arc = |arc: &str| net(&format!("{nodes}\n{arc}"));
    for (text, want) in [
        (String::new(), "the file is empty: expected a model"),
        (" \n\t".to_owned(), "the file is empty: expected a model"),
        ("mdp x;".to_owned(), "1:1: this is no model in a known format"),
        ("<pnml/>".to_owned(), "there is no <net> in this PNML document"),
        ("<!-- -->".to_owned(), "the file is empty: expected a PNML document"),
        ("<html></html>".to_owned(), "1:1: <html> is not a PNML document: expected <pnml>"),
        ("<pnml>".to_owned(), "1:7: the file ends inside 1 open element: expected their closing tags"),
        ("<pnml><net></pnml>".to_owned(), "1:12: malformed XML: expected `</net>`, but `</pnml>` was found"),
        ("<pnml></pnml><pnml/>".to_owned(), "1:14: a second root element: expected the end of the file"),
        ("<pnml><net type=\"x/symmetricnet\"><place id=\"p\"/></net></pnml>".to_owned(), "1:34: the place `p` has no sort"),
        ("<pnml><net type=\"x/timednet\"/></pnml>".to_owned(), "1:18: unknown type of net `x/timednet`"),
        ("<pnml><net/><net/></pnml>".to_owned(), "1:13: a second <net>: expected one net a file"),
        (place("-1"), "2:37: `-1` is negative: expected a number of tokens, 0 or more"),
        (place("many"), "2:37: `many` is not a number: expected a number of tokens"),
        (place(""), "2:37: `` is not a number: expected a number of tokens"),
        (place("9223372036854775808"), "2:37: `9223372036854775808` is too large: expected a number of tokens below 2^63"),
        (place("&bomb;"), "2:37: unknown entity `&bomb;`"),
        (net("<place/>"), "2:1: <place> without the attribute `id`"),
        (net("<place id=\"\"/>"), "2:1: <place> with an empty id"),
        (net("<place id=\"x\"/>\n<transition id=\"x\"/>"), "3:17: the id `x` is used twice"),
        (net("<place id=\"x\" id=\"y\"/>"), "2:1: malformed XML: duplicated attribute"),
        (net("<place id=\"x\"><hlinitialMarking/></place>"), "2:15: <hlinitialMarking> belongs to coloured nets, and this one says it is a place/transition net"),
        (net("<wheel/>"), "2:1: unknown element <wheel>"),
        (net("3"), "2:1: text where an element is expected"),
        (
            net("<place id=\"p\"> 3 </place>"),
            "2:16: text where an element is expected",
        ),
        (arc("<arc source=\"p\" target=\"nowhere\"/>"), "3:1: the arc leads to `nowhere`, which is no place or transition"),
        (arc("<arc source=\"nowhere\" target=\"t\"/>"), "3:1: the arc starts at `nowhere`, which is no place or transition"),
        (arc("<arc source=\"p\" target=\"q\"/>"), "3:1: the arc joins two places, `p` and `q`: expected a place and a transition"),
        (arc("<arc source=\"t\" target=\"u\"/>"), "3:1: the arc joins two transitions, `t` and `u`: expected a place and a transition"),
        (arc("<arc source=\"p\"/>"), "3:1: <arc> without the attribute `target`"),
        (arc("<arc source=\"p\" target=\"t\"><type value=\"transport\"/></arc>"), "3:28: arcs of type `transport` are not supported"),
        (arc("<arc source=\"p\" target=\"t\"><inscription><text>1.5</text></inscription></arc>"), "3:47: `1.5` is not a number: expected a weight"),
        (arc(&"<arc source=\"p\" target=\"t\"><inscription><text>9000000000000000000</text></inscription></arc>\n".repeat(2)), "4:1: the weights of the arcs between these two nodes add up to more than 2^63"),
        (net("<referencePlace id=\"a\" ref=\"b\"/><referencePlace id=\"b\" ref=\"a\"/><transition id=\"t\"/>\n<arc source=\"a\" target=\"t\"/>"), "3:1: the arc starts at `a`, which is no place or transition"),
        (nupn("<structure root=\"r\"/>"), "3:27: nupn section: the root unit is missing"),
        (nupn("<structure root=\"r\"><unit id=\"r\"><places>x</places></unit></structure>"), "3:47: nupn section: `x` is no place"),
        (nupn("<structure root=\"r\"><unit id=\"r\"><subunits>r</subunits></unit></structure>"), "3:27: nupn section: the units are not a tree"),
        (nupn("<structure root=\"r\"><unit id=\"r\"/><unit id=\"a\"><subunits>b</subunits></unit><unit id=\"b\"><subunits>a</subunits></unit></structure>"), "3:27: nupn section: the units are not a tree"),
        (net("<place id=\"p\"><initialMarking><text>2</text></initialMarking></place>\n<toolspecific tool=\"nupn\"><structure root=\"r\" safe=\"true\"><unit id=\"r\"/></structure></toolspecific>"), "3:27: the nupn section says that the net is safe, and `p` starts with 2 tokens"),
        (format!("{HEAD}{}", "<page>".repeat(100_000)), "1:6125: elements are nested more than 1000 deep here"),
    ] {
        assert_eq!(error(&text), want);
    }
}

#[test]
fn a_report_shows_the_line() {
    let text = net("<place id=\"p\"/>\n  <arc source=\"p\" target=\"t\"/>");
    let report = read_model("net.pnml", text.as_bytes()).unwrap_err();
    let want = "the arc leads to `t`, which is no place or transition
 --> net.pnml:3:3
   |
 3 |   <arc source=\"p\" target=\"t\"/>
   |   ^^^^";
    assert_eq!(report.to_string(), want);
}

#[test]
fn invalid_utf_8_is_located() {
    let bytes = b"<pnml>\n<net id=\"\xe9\"/></pnml>";
    let error = read_model("net", bytes).unwrap_err();
    assert_eq!(error.message, "this is not UTF-8");
    assert_eq!(error.place.unwrap().line, 2);
    assert!(read_model("net", b"\xff\xfe<\0p\0").is_err());
}

#[test]
fn numeric_coordinates_are_kept() {
    let text = net(
        "<place id=\"p\"><name><text>p</text><graphics><offset x=\"1\" y=\"1\"/></graphics></name>
           <graphics><position x=\"12.5\" y=\"-3\"/><dimension x=\"9\" y=\"9\"/></graphics></place>
         <place id=\"q\"><graphics><position x=\"left\" y=\"0\"/></graphics></place>
         <place id=\"r\"><graphics><position x=\"inf\" y=\"0\"/></graphics></place>
         <transition id=\"t\"><graphics><position x=\"7\" y=\"8\"/></graphics></transition>",
    );
    let document = pnml::read("net", text.as_bytes()).unwrap();
    let mut positions: Vec<_> = document.positions.into_iter().collect();
    positions.sort_by(|a, b| a.0.cmp(&b.0));
    let want = [("p".to_owned(), (12.5, -3.0)), ("t".to_owned(), (7.0, 8.0))];
    assert_eq!(positions, want);
}

/// Some contest nets contain a `$` after a declaration, which other tools skip.
#[test]
fn stray_text_is_skipped_with_one_warning() {
    let plain = net(
        "<place id=\"p\">$<initialMarking><text>2</text></initialMarking></place>\n  dirt &amp; dust\n<transition id=\"t\"/>$",
    );
    let pnml::Document { net, warnings, .. } = pnml::read("net", plain.as_bytes()).unwrap();
    let pnml::Pnml::Plain(system) = net else {
        panic!("not plain")
    };
    assert_eq!((&*system.initial[0], system.events.len()), (&[2][..], 1));
    let [warning] = &warnings[..] else {
        panic!("{warnings:?}")
    };
    let place = warning.place.as_deref().unwrap();
    assert_eq!((place.line, place.column), (2, 15));
    assert!(
        warning
            .help
            .as_deref()
            .is_some_and(|help| help.contains("5 places")),
        "{warning}"
    );

    let coloured = "<pnml><net type=\"symmetricnet\"><page><place id=\"p\"><type><structure><usersort declaration=\"c\"/></structure></type></place></page><declaration><structure><declarations><namedsort id=\"c\" name=\"C\"><cyclicenumeration><feconstant id=\"c1\" name=\"1\"/></cyclicenumeration>$</namedsort></declarations></structure></declaration></net></pnml>";
    let model = lariat_formats::read("net", coloured.as_bytes()).unwrap();
    assert_eq!(model.coloured_net().unwrap().places.len(), 1);
    let [warning] = &model.warnings[..] else {
        panic!("{:?}", model.warnings)
    };
    assert_eq!(warning.place.as_deref().unwrap().marked.len(), 1);
    assert_eq!(warning.help, None);
    // Where a value is expected, text is significant.
    let bad = coloured.replace("<feconstant", "7<feconstant");
    assert!(lariat_formats::read("net", bad.as_bytes()).is_err());
}
