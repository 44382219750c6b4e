//! `info`, `states` and `reduce`.

use crate::kit::{Folder, MUTEX, lariat};
use serde_json::Value as Json;

#[test]
fn states_and_info() {
    lariat(&["states", MUTEX])
        .exits(0)
        .prints("states  8")
        .prints("bytes per state");
    let folder = Folder::new();
    for (family, size, states, edges) in [
        ("philosophers", "2", "18", None),
        ("philosophers", "3", "76", None),
        ("kanban", "2", "4600", Some("28120")),
        ("fms", "2", "3444", None),
        ("peterson", "2", "20754", None),
        ("slotted-ring", "3", "504", None),
    ] {
        let path = format!("{}/{family}-{size}.pnml", folder.path());
        lariat(&["generate", family, size, "-o", &path]).exits(0);
        let answer = lariat(&["states", &path, "--json", "--engine", "explicit"])
            .exits(0)
            .json()
            .remove(0);
        assert_eq!(answer["states"], states, "{family} {size}");
        let symbolic = lariat(&["states", &path, "--json", "--engine", "symbolic"]).exits(0);
        for figure in ["states", "edges", "max_tokens", "deadlocks"] {
            assert_eq!(
                symbolic.json()[0][figure],
                answer[figure],
                "{family} {figure}"
            );
        }
        if let Some(edges) = edges {
            assert_eq!(answer["edges"], edges, "{family} {size}");
        }
        assert_eq!(answer["reason"], Json::Null);
        assert_eq!(answer["bounded"], true);
        let keys: Vec<&str> = answer.as_object().unwrap().keys().map(|k| &**k).collect();
        let fields = "schema model states edges max_tokens_in_place max_tokens deadlocks bounded \
                      reason engine order seconds stats";
        assert_eq!(keys, fields.split_whitespace().collect::<Vec<_>>());
    }
    lariat(&["generate", "kanban", "0"]).exits(2);
    lariat(&["generate", "kanbam", "1"]).exits(2);
    let info = lariat(&["info", MUTEX, "--json"]).exits(0).json().remove(0);
    assert_eq!(info["places"], 7);
    assert_eq!(info["transitions"], 6);
    assert_eq!(info["bounded_places"], 7);
    assert_eq!(info["bound"], 1);
    lariat(&["info", MUTEX])
        .exits(0)
        .prints("places  7")
        .prints("bounded by structure  7 of the places")
        .prints("tokens in a place  at most 1");
}

/// Symmetries are listed, used for counting, and used by engines.
#[test]
fn symmetries_of_a_coloured_net() {
    let clients = "campaigns/symmetry/clients-3.pnml";
    lariat(&["info", clients])
        .exits(0)
        .prints("symmetries  all 3 clients interchangeable");
    let info = lariat(&["info", clients, "--json"])
        .exits(0)
        .json()
        .remove(0);
    assert_eq!(info["symmetries"][0], "all 3 clients interchangeable");
    let states = |more: &[&str]| {
        let arguments = [&["states", clients, "--json"], more].concat();
        lariat(&arguments).exits(0).json().remove(0)
    };
    let (plain, modulo) = (states(&[]), states(&["--symmetry"]));
    assert_eq!(plain["orbits"], Json::Null);
    for figure in ["states", "deadlocks", "max_tokens"] {
        assert_eq!(modulo[figure], plain[figure], "{figure}");
    }
    let number = |json: &Json| -> u64 { json.as_str().unwrap().parse().unwrap() };
    assert!(number(&modulo["orbits"]) * 3 < number(&plain["states"]));
    for engine in ["sym", "ssp"] {
        let property = "G !\"Busy(2) >= 1\"";
        let arguments = ["check", clients, "-f", property, "--engine", engine];
        lariat(&arguments).exits(1).prints("Busy(2)");
        let reduced = [&arguments[..], &["--reduce"]].concat();
        lariat(&reduced).exits(2).reports("symmetries");
    }
}

/// Symmetries of nets without colours, and of a net without symmetries.
#[test]
fn symmetries_of_places_and_transitions() {
    lariat(&["info", MUTEX])
        .exits(0)
        .prints("symmetries  2 permutations of places and transitions, ")
        .prints("critical_1, critical_2 change places");
    let counted = lariat(&["states", MUTEX, "--symmetry", "--json"]);
    let counted = counted.exits(0).json().remove(0);
    assert_eq!(
        (&counted["orbits"], &counted["states"]),
        (&"5".into(), &"8".into())
    );
    // A formula that names the first process breaks the symmetry.
    for (property, kept) in [
        ("G !\"critical_1 + critical_2 >= 1\"", true),
        ("G !critical_1", false),
    ] {
        let arguments = ["check", MUTEX, "-f", property, "--engine", "sym", "--json"];
        let answer = lariat(&arguments).exits(1).json().remove(0);
        let left = answer["stats"]["symmetries_kept"].as_f64().unwrap();
        assert_eq!(left > 0.0, kept, "{property}");
    }
    let folder = Folder::new();
    let net = "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\"><place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"/></page></net></pnml>";
    let net = folder.file("one.pnml", net);
    lariat(&["info", &net])
        .exits(0)
        .prints("symmetries  none found");
    lariat(&["states", &net, "--symmetry"])
        .exits(0)
        .reports("no symmetries found");
}

/// `info` shows the sizes of a coloured net and of its unfolding.
#[test]
fn info_of_a_coloured_net() {
    let folder = Folder::new();
    let net = r#"<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet">
<declaration><structure><declarations>
<namedsort id="c" name="C"><cyclicenumeration><feconstant id="c1" name="1"/><feconstant id="c2" name="2"/></cyclicenumeration></namedsort>
<variabledecl id="x" name="x"><usersort declaration="c"/></variabledecl>
</declarations></structure></declaration>
<page id="g"><place id="p"><type><structure><usersort declaration="c"/></structure></type>
<hlinitialMarking><structure><all><usersort declaration="c"/></all></structure></hlinitialMarking></place>
<place id="q"><type><structure><usersort declaration="c"/></structure></type></place><transition id="t"/>
<arc id="a" source="p" target="t"><hlinscription><structure><variable refvariable="x"/></structure></hlinscription></arc>
<arc id="b" source="t" target="q"><hlinscription><structure><variable refvariable="x"/></structure></hlinscription></arc>
</page></net></pnml>"#;
    let file = folder.file("coloured.pnml", net);
    lariat(&["info", &file])
        .exits(0)
        .prints("coloured Petri net")
        .prints("places  2, unfolded 4")
        .prints("bounded by structure  4 of the places");
    let info = lariat(&["info", &file, "--json"]).exits(0).json().remove(0);
    assert_eq!(info["coloured"]["places"], 2);
    assert_eq!(info["places"], 4);
}

/// A ring of four places with one token, and the place `idle`, which is always empty.
const RING: &str = r#"<?xml version="1.0"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
  <net id="ring" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">
    <place id="a"><initialMarking><text>1</text></initialMarking></place>
    <place id="b"/><place id="c"/><place id="d"/><place id="idle"/>
    <transition id="ab"/><transition id="bc"/><transition id="cd"/><transition id="da"/><transition id="never"/>
    <arc id="1" source="a" target="ab"/><arc id="2" source="ab" target="b"/>
    <arc id="3" source="b" target="bc"/><arc id="4" source="bc" target="c"/>
    <arc id="5" source="c" target="cd"/><arc id="6" source="cd" target="d"/>
    <arc id="7" source="d" target="da"/><arc id="8" source="da" target="a"/>
    <arc id="9" source="idle" target="never"/><arc id="10" source="never" target="a"/>
  </page></net>
</pnml>
"#;

#[test]
fn reductions_are_listed_and_counterexamples_lifted() {
    let folder = Folder::new();
    let ring = folder.file("ring.pnml", RING);
    let args = ["check", &ring, "-f", "F G a", "--json"];
    // `auto` decides such a small net before the reductions.
    let reduced = ["--engine", "slap", "--reduce"];
    let answer = lariat(&[&args[..], &reduced].concat());
    let answer = answer.exits(1).json().remove(0);
    let rules: Vec<&str> = (answer["passes"].as_array().unwrap().iter())
        .map(|pass| pass["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        rules,
        ["dead-events", "constant-places", "post-agglomeration"]
    );
    assert_eq!(
        answer["counterexample"]["loop"].as_array().unwrap().len(),
        4
    );

    let ran = lariat(&[&args[..4], &reduced, &["-v"]].concat()).exits(1);
    let ran = ran.prints("reduced: dead-events: 1 transition less");
    ran.prints("reduced: constant-places: 1 place less");
    let unreduced = |more: &[&str]| {
        let answer = lariat(&[&args[..], more].concat())
            .exits(1)
            .json()
            .remove(0);
        assert_eq!(answer["passes"].as_array().unwrap().len(), 0, "{more:?}");
    };
    unreduced(&["--no-reduce"]);
    unreduced(&["--engine", "slap"]);
    let all = "dead-events,equal-events,constant-places,parallel-places,sink-places,implicit-places,equal-future,prefix-of-interest,token-rings,post-agglomeration,pre-agglomeration";
    unreduced(&["--without", all]);
    let without = ["--engine", "slap", "--reduce", "--without", "dead-events"];
    lariat(&[&args[..], &without].concat())
        .exits(1)
        .prints("post-agglomeration");
    lariat(&[&args[..], &["--engine", "slap", "--without", "dead-events"]].concat())
        .exits(2)
        .reports("see --reduce");
    // `X` and `deadlock` prevent agglomeration.
    for formula in ["X X a", "F deadlock"] {
        let answer = lariat(&["check", &ring, "-f", formula, "--json"]);
        assert!(!answer.out.contains("agglomeration"), "{formula}");
    }
}

#[test]
fn reduced_nets_are_written() {
    let folder = Folder::new();
    let ring = folder.file("ring.pnml", RING);
    let small = format!("{}/small.pnml", folder.path());
    lariat(&["reduce", &ring, "-f", "G F a", "-o", &small])
        .exits(0)
        .prints("places 5 -> 2, transitions 5 -> 2");
    lariat(&["check", &small, "-f", "G F a"]).exits(0);
    lariat(&["reduce", &ring, "-o", &small])
        .exits(0)
        .prints("places 5 -> 4, transitions 5 -> 4");
    let without = ["--without", "dead-events", "--without", "equal-future"];
    lariat(&[&["reduce", &ring], &without[..]].concat())
        .exits(0)
        .prints("<transition id=\"never\"/>");
    lariat(&["reduce", &ring, "-f", "G nobody"]).exits(2);
    let light = "process L { state a; init a; trans a -> a {}; } system async;";
    let program = folder.file("light.dve", light);
    lariat(&["reduce", &program])
        .exits(2)
        .reports("only nets can be reduced");
}
