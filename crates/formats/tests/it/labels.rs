//! Names of places and transitions besides their ids: formulas by names mean those by ids, or are
//! refused.

use std::fmt::Write as _;

use lariat_corpora::{Random, cases, seed};
use lariat_formats::{LoadedModel, pnml, read};
use lariat_ltl::RawAtom;
use lariat_model::{Names, NodeKind, PropertyList, Proposition};

/// A net with these nodes, as pairs of an id and a name.
fn net(places: &[(String, String)], transitions: &[(String, String)]) -> LoadedModel {
    let mut nodes = String::new();
    for (kind, list) in [("place", places), ("transition", transitions)] {
        for (id, name) in list {
            let name = name.replace('&', "&amp;").replace('<', "&lt;");
            let _ = write!(
                nodes,
                "<{kind} id=\"{id}\"><name><text>{name}</text></name></{kind}>"
            );
        }
    }
    let text = format!("<pnml><net type=\"ptnet\"><page id=\"g\">{nodes}</page></net></pnml>");
    read("net", text.as_bytes()).expect("a net")
}

/// Nodes whose names are often ids of other nodes, names of several, or look like formulas.
fn nodes(random: &mut Random, prefix: char) -> Vec<(String, String)> {
    let count = random.between(1, 5);
    let ids: Vec<String> = (0..count).map(|i| format!("{prefix}{i}")).collect();
    let name = |random: &mut Random| {
        let [a, b] = [random.one_of(&ids).clone(), random.one_of(&ids).clone()];
        match random.below(9) {
            0 | 1 => a,
            2 => format!("{a} + {b}"),
            3 => format!("{a}-{b}"),
            4 => format!("GF{a}"),
            5 => format!("{a}, {b}"),
            6 => format!("{a} >= 1"),
            7 => format!("wait {}", random.below(3)),
            _ => "twice".to_owned(),
        }
    };
    ids.iter().map(|id| (id.clone(), name(random))).collect()
}

/// The atom of a quoted text.
fn atom(names: &Names<'_>, text: &str) -> Option<(String, Proposition)> {
    names.atom(RawAtom::Quoted(text)).ok()
}

#[test]
fn names_denote_their_node_or_are_refused() {
    let mut random = Random::new(seed(17));
    let mut accepted = 0;
    for _ in 0..cases(300) {
        let (places, transitions) = (nodes(&mut random, 'p'), nodes(&mut random, 't'));
        let model = net(&places, &transitions);
        let (names, shown) = (model.names(), model.shown());
        let ids = names.by_ids();
        for (i, (id, name)) in places.iter().enumerate() {
            // An id keeps its meaning, unless another place has it as its name.
            let is_taken = places.iter().any(|(other, name)| other != id && name == id);
            assert_eq!(names.number(id).is_none(), is_taken, "{places:?} {id}");
            assert_eq!(names.ambiguity(id, NodeKind::Place).is_some(), is_taken);
            let prefixed = names.number(&format!("id:{id}"));
            assert_eq!(
                prefixed,
                if places.iter().all(|(id, name)| id == name)
                    && transitions.iter().all(|(id, name)| id == name)
                {
                    None
                } else {
                    ids.number(id)
                }
            );
            // A name that has a meaning denotes its place.
            if let Some(vars) = names.number(name) {
                let is_id = places.iter().any(|(id, _)| id == name);
                assert!(
                    is_id || vars == ids.number(id).expect("a place"),
                    "{places:?}"
                );
            }
            // A shown name can be used in a formula.
            let label = &shown.system.variables[i].name;
            assert_eq!(
                names.number(label).is_some(),
                names.ambiguity(label, NodeKind::Place).is_none()
            );
            if label != id {
                assert_eq!(names.number(label), ids.number(id), "{places:?} {label}");
            }
            for text in [
                format!("{name} >= 2"),
                format!("tokens({name}) >= 2"),
                format!("{name} + {id} <= 3"),
            ] {
                for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
                    // Broken texts are errors, not panics.
                    let _ = atom(&names, &text[..end]);
                    let _ = names.atom(RawAtom::Call("tokens", &text[end..]));
                }
                let Some((canonical, by_name)) = atom(&names, &text) else {
                    continue;
                };
                accepted += 1;
                // The text has no other meaning by ids, and its canonical text has the same one.
                assert!(
                    atom(&ids, &text).is_none_or(|(_, by_id)| by_id == by_name),
                    "{places:?} {text}"
                );
                assert_eq!(atom(&ids, &canonical), Some((canonical.clone(), by_name)));
            }
        }
        for (id, name) in &transitions {
            if let Some((canonical, by_name)) = atom(&names, &format!("fires({name})")) {
                assert_eq!(atom(&ids, &canonical).expect("an atom").1, by_name);
                let is_id = transitions.iter().any(|(id, _)| id == name);
                let own = Proposition::Fires(ids.events(id).expect("a transition"));
                assert!(is_id || by_name == own, "{transitions:?} {name}");
            }
        }
        // A formula over names is the formula over ids, or is refused.
        for (id, name) in places.iter().chain(&transitions) {
            let mut properties = PropertyList::new();
            let by_id = properties.add_formula(&ids, "formula", Some("id"), &format!("G F {id}"));
            by_id.expect("a formula over ids");
            let text = format!("G F \"{name}\"");
            if properties
                .add_formula(&names, "formula", Some("name"), &text)
                .is_ok()
            {
                let [by_id, by_name] = &properties.list[..] else {
                    panic!("two formulas")
                };
                let is_id = places.iter().chain(&transitions).any(|(id, _)| id == name);
                assert!(is_id || by_id.formula == by_name.formula, "{text}");
            }
        }
    }
    assert!(accepted > 0);
}

#[test]
fn names_are_read_in_all_spellings() {
    for (written, name) in [
        ("<name><text> two\n  words </text></name>", "two words"),
        ("<name><value>old</value></name>", "old"),
        ("<name>bare</name>", "bare"),
        (
            "<name><graphics><offset x=\"1\" y=\"2\"/></graphics><text>a&lt;b</text></name>",
            "a<b",
        ),
        ("<name><text><![CDATA[c d]]></text></name>", "c d"),
        ("<name><text>m<b>ark</b>up</text></name>", "markup"),
        ("<name><text>p</text></name>", "p"),
        ("<name/>", "p"),
        (
            "<name><toolspecific><text>no</text></toolspecific></name>",
            "p",
        ),
    ] {
        let net = format!(
            "<pnml><net type=\"ptnet\"><page id=\"g\"><place id=\"p\">{written}</place></page></net></pnml>"
        );
        let model = read("net", net.as_bytes()).expect("a net");
        assert_eq!(model.shown().system.variables[0].name, name, "{written}");
    }
}

#[test]
fn names_survive_writing() {
    let pair = |id: &str, name: &str| (id.to_owned(), name.to_owned());
    let model = net(
        &[pair("p1", "wait <1> & \"x\""), pair("p2", "p2")],
        &[pair("t1", "go")],
    );
    let text = pnml::write_named(&model.system, &model.labels).expect("a net");
    let again = read("net", text.as_bytes()).expect("a net");
    assert_eq!(again.labels, model.labels);
    assert_eq!(again.system.variables, model.system.variables);
    assert_eq!(model.shown().system.variables[0].name, "wait <1> & \"x\"");
}
