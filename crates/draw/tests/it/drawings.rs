//! Drawings are well-formed, and no two of their texts overlap.

use lariat_automata::{LegalLetters, Placement, buchi, translate};
use lariat_budget::Budget;
use lariat_corpora::{each_case, models};
use lariat_draw::net::{DrawnNet, DrawnNodeId, PART};
use lariat_draw::svg::{Anchor, Picture, SIZE, Svg, TextStyle};
use lariat_draw::{NetPicture, automaton, processes, reach};
use lariat_formats::{LoadedModel, ModelFormat, read};
use lariat_ltl::{Formulas, FreeVocabulary, parse};
use lariat_model::generate::{Family, generate};

pub fn well_formed(text: &str) {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut depth = 0;
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Eof => break,
            Event::Start(tag) => {
                assert!(tag.attributes().all(|a| a.is_ok()));
                depth += 1;
            }
            Event::Empty(tag) => assert!(tag.attributes().all(|a| a.is_ok())),
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
}

#[test]
fn names_are_escaped() {
    let mut svg = Svg::new(200.0, 50.0, "a<b>\"&'\u{0}\u{1b}", "");
    let style = TextStyle::new(Anchor::Start, SIZE, "");
    svg.text((10.0, 20.0), style, "</text><script>");
    svg.path_with_hint("M0 0", "]]>&\u{ffff}");
    let picture = svg.finish();
    well_formed(&picture.text);
    assert!(!picture.text.contains("<script"));
}

fn unlimited() -> Budget {
    Budget::unlimited()
}

#[track_caller]
fn check(picture: &Picture) {
    well_formed(&picture.text);
    assert_eq!(picture.clash(), None, "{}", picture.text);
}

fn drawn(model: &LoadedModel) -> Option<Picture> {
    let net = DrawnNet::of(model)?;
    let part = net.part(&net.neighbourhood(&[], &[], PART));
    Some(NetPicture::whole(part, &unlimited()).svg("a net", &unlimited()))
}

#[test]
fn random_nets_are_legible() {
    each_case(60, |random| {
        let model = if random.coin() {
            LoadedModel::new(ModelFormat::Pnml, lariat_testkit::nets::any(random))
        } else {
            let text = lariat_testkit::coloured::random(random);
            read("coloured", text.as_bytes()).expect("a coloured net")
        };
        check(&drawn(&model).expect("a net"));
    });
}

#[test]
fn classic_nets_are_legible() {
    for (family, size) in [
        (Family::Philosophers, 4),
        (Family::SlottedRing, 3),
        (Family::Kanban, 1),
        (Family::Fms, 2),
        (Family::Peterson, 2),
    ] {
        let system = generate(family, size).expect("a net");
        check(&drawn(&LoadedModel::new(ModelFormat::Pnml, system)).expect("a net"));
    }
}

#[test]
fn contest_nets_are_legible() {
    let Some(folder) = models("mcc") else {
        return;
    };
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(|entry| entry.path());
    let mut count = 0;
    for entry in entries {
        let Ok(bytes) = std::fs::read(entry.path().join("model.pnml")) else {
            continue;
        };
        // Larger ones take long to unfold, and their parts look similar.
        if bytes.len() > 300_000 {
            continue;
        }
        let budget = Budget::bytes(1 << 28);
        if let Ok(model) = lariat_formats::load("net", &bytes, &budget) {
            check(&drawn(&model).expect("a net"));
            count += 1;
        }
    }
    eprintln!("{count} nets drawn");
}

/// A hub is expanded only if the part has space left.
#[test]
fn a_part_has_the_requested_size() {
    let system = generate(Family::Philosophers, 12).expect("a net");
    let net = DrawnNet::of(&LoadedModel::new(ModelFormat::Pnml, system)).expect("a net");
    for most in [1, 7, PART, net.nodes.len(), net.nodes.len() + 9] {
        let part = net.neighbourhood(&[], &[], most);
        assert_eq!(part.len(), most.min(net.nodes.len()));
    }
    // A star: the hub in the middle, places around it.
    let arcs: String = (0..40)
        .map(|i| format!("<place id=\"p{i}\"/><arc id=\"a{i}\" source=\"p{i}\" target=\"t\"/>"))
        .collect();
    let text = format!(
        "<pnml><net type=\"ptnet\"><page id=\"g\"><transition id=\"t\"/>{arcs}</page></net></pnml>"
    );
    let net = DrawnNet::of(&read("net", text.as_bytes()).expect("a net")).expect("a net");
    assert_eq!(net.neighbourhood(&[], &[], 20).len(), 20);
    let two = net.neighbourhood(&[DrawnNodeId(3)], &[], 2);
    assert_eq!(two, [DrawnNodeId(3), DrawnNodeId(40)]);
}

/// Positions of a file are used unless two nodes coincide or a position is invalid.
#[test]
fn valid_positions_of_a_file_are_used() {
    let model = |second: &str| {
        let text = format!(
            "<pnml><net type=\"ptnet\"><page id=\"g\">
             <place id=\"p\"><graphics><position x=\"10\" y=\"20\"/></graphics></place>
             <transition id=\"t\"><graphics><position x=\"{second}\" y=\"20\"/></graphics></transition>
             <place id=\"q\"><graphics><position x=\"90\" y=\"20\"/></graphics></place>
             <arc id=\"a\" source=\"p\" target=\"t\"/><arc id=\"b\" source=\"t\" target=\"q\"/></page></net></pnml>"
        );
        read("net", text.as_bytes()).expect("a net")
    };
    let given = NetPicture::whole(DrawnNet::of(&model("50")).expect("a net"), &unlimited());
    let points = given.points;
    let [p, q, t] = points[..] else {
        panic!("{points:?}")
    };
    assert!(p.0 < t.0 && t.0 < q.0, "{points:?}");
    assert!(p.1 == t.1 && t.1 == q.1, "{points:?}");
    assert!((t.0 - p.0 - (q.0 - t.0)).abs() <= 2.0, "{points:?}");
    for useless in ["10", "NaN", "1e300", "far"] {
        check(&drawn(&model(useless)).expect("a net"));
    }
}

#[test]
fn automata_are_legible() {
    let budget = Budget::bytes(1 << 28);
    for text in [
        "G (a -> F b)",
        "G F a & G F b",
        "(a U b) | X X G c",
        "!(G (a -> F (b & X c)))",
        "F G (a | X b)",
    ] {
        let mut formulas = Formulas::new();
        let f = parse(text, &mut formulas, &mut FreeVocabulary).expect("a formula");
        let letters = LegalLetters::any();
        let tgba = translate(&mut formulas, f, &letters, &budget).expect("an automaton");
        let ba = buchi(&tgba, Placement::States, &letters, &budget).expect("an automaton");
        let name = |atom| formulas.atom_name(atom).to_owned();
        for drawn in [tgba, ba] {
            check(&automaton(&drawn, &name).svg(text, &unlimited()));
        }
    }
}

#[test]
fn processes_and_states_are_legible() {
    let examples = [
        ("crossing.dve", 23),
        ("alternating-bit.dve", 60),
        ("mutex.pnml", 8),
    ];
    for (name, states) in examples {
        let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
        let model = read(name, &std::fs::read(path).expect("a file")).expect("a model");
        for process in processes(&model) {
            check(&process.graph.svg(name, &unlimited()));
        }
        let reached = reach(&model.system, &[], 60, &unlimited());
        assert_eq!(reached.graph.nodes.len(), states, "{name}");
        assert_eq!(reached.cut, states == 60);
        check(&reached.graph.svg(name, &unlimited()));
    }
}

/// Labels of edges are shown where they fit, and the others are counted.
#[test]
fn event_names_are_shown_where_they_fit() {
    for (name, most_omitted) in [
        ("mutex.pnml", 0),
        ("crossing.dve", 3),
        ("philosophers.pnml", 30),
        ("alternating-bit.dve", 30),
    ] {
        let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
        let model = read(name, &std::fs::read(path).expect("a file")).expect("a model");
        let graph = reach(&model.system, &[], 60, &unlimited()).graph;
        let all = graph.edges.len();
        let picture = graph.svg(name, &unlimited());
        check(&picture);
        let shown = picture.text.matches("class=\"label\"").count();
        let note = format!("{} of {all} edge labels do not fit", all - shown);
        assert_eq!(picture.text.contains(&note), shown < all, "{name}: {note}");
        assert!(all - shown <= most_omitted, "{name}: {note}");
    }
}

/// States are told apart by what differs, locations first.
#[test]
fn states_show_what_differs() {
    let text = include_bytes!("../../../../examples/alternating-bit.dve");
    let model = read("bit", text).expect("a program");
    let graph = reach(&model.system, &[], 60, &unlimited()).graph;
    let first = graph.nodes[0].lines.join(" ");
    assert!(first.starts_with("Sender=send Receiver=listen"), "{first}");
    assert!(graph.nodes[0].hint.len() > first.len());
}

/// An event that only tests a process is not its step; an internal event is.
#[test]
fn processes_have_their_own_steps_only() {
    let text = include_bytes!("../../../../examples/crossing.dve");
    let model = read("crossing", text).expect("a model");
    let of = |name: &str| {
        let mut list = processes(&model).into_iter();
        let found = list.find(|p| model.system.variable(p.location).name == name);
        let graph = found.expect("a process").graph;
        let edge = |e: &lariat_draw::GraphEdge| {
            let [from, to] = [e.from, e.to].map(|node| &graph.nodes[node].lines[0]);
            format!("{from}->{to} {}", e.label)
        };
        graph.edges.iter().map(edge).collect::<Vec<_>>()
    };
    assert_eq!(of("Gate"), ["up->down lower?", "down->up raise?"]);
    let steps = "away->coming near!, coming->crossing [Gate.down], crossing->away gone!";
    assert_eq!(of("Train_1").join(", "), steps);
    assert!(of("Controller").contains(&"closed->closed near?".to_owned()));
}

/// An arc must not seem to end at a node that it passes.
#[test]
fn arcs_go_around_other_nodes() {
    let text = b"<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\">
        <place id=\"p\"/><place id=\"between\"/><transition id=\"t\"/>
        <arc id=\"a\" source=\"p\" target=\"t\"/></page></net></pnml>";
    let model = read("three.pnml", text).expect("a net");
    let mut picture = NetPicture::whole(DrawnNet::of(&model).expect("a net"), &unlimited());
    let mut arc = |between: (f64, f64)| {
        for (node, point) in picture.net.nodes.iter().zip(&mut picture.points) {
            *point = match &*node.name {
                "p" => (60.0, 100.0),
                "t" => (260.0, 100.0),
                _ => between,
            };
        }
        let svg = picture.svg("three nodes", &unlimited());
        check(&svg);
        let (_, rest) = svg.text.split_once("class=\"arcs\"").expect("arcs");
        let (arcs, _) = rest.split_once("</g>").expect("an end");
        arcs.contains('Q')
    };
    assert!(arc((160.0, 100.0)));
    assert!(arc((160.0, 112.0)));
    assert!(!arc((160.0, 160.0)));
}

/// The inscriptions of two arcs that cross in the middle do not overlap.
#[test]
fn inscriptions_do_not_overlap() {
    let weight = "<inscription><text>7</text></inscription>";
    let text = format!(
        "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\">
        <place id=\"p\"/><place id=\"q\"/><transition id=\"t\"/><transition id=\"u\"/>
        <arc id=\"a\" source=\"p\" target=\"t\">{weight}</arc><arc id=\"b\" source=\"q\" target=\"u\">{weight}</arc></page></net></pnml>"
    );
    let model = read("cross.pnml", text.as_bytes()).expect("a net");
    let mut picture = NetPicture::whole(DrawnNet::of(&model).expect("a net"), &unlimited());
    for (node, point) in picture.net.nodes.iter().zip(&mut picture.points) {
        *point = match &*node.name {
            "p" => (60.0, 60.0),
            "t" => (260.0, 260.0),
            "q" => (60.0, 260.0),
            _ => (260.0, 60.0),
        };
    }
    let svg = picture.svg("a cross", &unlimited());
    let (_, rest) = (svg.text.split_once("class=\"inscriptions\"")).expect("inscriptions");
    let place = |text: &str| {
        let attribute = |name: &str| {
            let (_, value) = text.split_once(name)?;
            Some(value.split_once('"')?.0.to_owned())
        };
        [attribute("x=\"").expect("x"), attribute("y=\"").expect("y")]
    };
    let parts = rest.split("class=\"inscription\"").skip(1);
    let places: Vec<[String; 2]> = parts.map(place).collect();
    assert_eq!(places.len(), 2);
    assert_ne!(places[0], places[1]);
}
