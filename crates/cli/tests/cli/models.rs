//! `info`, `states` and `reduce`.

use crate::kit::{Folder, MUTEX, lariat};
use serde_json::Value as Json;

#[test]
fn states_and_info() {
    lariat(format!("states {MUTEX}"))
        .succeeds("states  8")
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
        lariat(format!("generate {family} {size} -o {path}")).exits(0);
        let count = |engine: &str| {
            lariat(format!("states {path} --json --engine {engine}"))
                .exits(0)
                .answer()
        };
        let answer = count("explicit");
        assert_eq!(answer["states"], states, "{family} {size}");
        let symbolic = count("symbolic");
        for figure in ["states", "edges", "max_tokens", "deadlocks"] {
            assert_eq!(symbolic[figure], answer[figure], "{family} {figure}");
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
    lariat("generate kanban 0").exits(2);
    lariat("generate kanbam 1").exits(2);
    let info = lariat(format!("info {MUTEX} --json")).exits(0).answer();
    assert_eq!(info["places"], 7);
    assert_eq!(info["transitions"], 6);
    assert_eq!(info["bounded_places"], 7);
    assert_eq!(info["bound"], 1);
    lariat(format!("info {MUTEX}"))
        .succeeds("places  7")
        .prints("bounded by structure  7 of the places")
        .prints("tokens in a place  at most 1");
}

/// Symmetries are listed, used for counting, and used by engines.
#[test]
fn symmetries_of_a_coloured_net() {
    let clients = "campaigns/symmetry/clients-3.pnml";
    lariat(format!("info {clients}")).succeeds("symmetries  all 3 clients interchangeable");
    let info = lariat(format!("info {clients} --json")).exits(0).answer();
    assert_eq!(info["symmetries"][0], "all 3 clients interchangeable");
    let states = |more: &str| {
        let arguments = format!("states {clients} --json {more}");
        lariat(arguments).exits(0).answer()
    };
    let (plain, modulo) = (states(""), states("--symmetry"));
    assert_eq!(plain["orbits"], Json::Null);
    for figure in ["states", "deadlocks", "max_tokens"] {
        assert_eq!(modulo[figure], plain[figure], "{figure}");
    }
    let number = |json: &Json| -> u64 { json.as_str().unwrap().parse().unwrap() };
    assert!(number(&modulo["orbits"]) * 3 < number(&plain["states"]));
    for engine in ["sym", "ssp"] {
        let property = "G !\"Busy(2) >= 1\"";
        let arguments = format!("check {clients} -f '{property}' --engine {engine}");
        lariat(&arguments).exits(1).prints("Busy(2)");
        let reduced = format!("{arguments} --reduce");
        lariat(&reduced).refuses("symmetries");
    }
}

/// Symmetries of nets without colours, and of a net without symmetries.
#[test]
fn symmetries_of_places_and_transitions() {
    lariat(format!("info {MUTEX}"))
        .succeeds("symmetries  2 permutations of places and transitions, ")
        .prints("critical_1, critical_2 change places");
    let counted = lariat(format!("states {MUTEX} --symmetry --json"));
    let counted = counted.exits(0).answer();
    assert_eq!(counted["orbits"], "5");
    assert_eq!(counted["states"], "8");
    // A formula that names the first process breaks the symmetry.
    for (property, kept) in [
        ("G !\"critical_1 + critical_2 >= 1\"", true),
        ("G !critical_1", false),
    ] {
        let arguments = format!("check {MUTEX} -f '{property}' --engine sym --json");
        let answer = lariat(&arguments).exits(1).answer();
        let left = answer["stats"]["symmetries_kept"].as_f64().unwrap();
        assert_eq!(left > 0.0, kept, "{property}");
    }
    let folder = Folder::new();
    let net = "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\"><place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"/></page></net></pnml>";
    let net = folder.file("one.pnml", net);
    lariat(format!("info {net}")).succeeds("symmetries  none found");
    lariat(format!("states {net} --symmetry"))
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
    lariat(format!("info {file}"))
        .succeeds("coloured Petri net")
        .prints("places  2, unfolded 4")
        .prints("bounded by structure  4 of the places");
    let info = lariat(format!("info {file} --json")).exits(0).answer();
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
    let args = format!("check {ring} -f 'F G a' --json");
    // `auto` decides such a small net before the reductions.
    let reduced = "--engine slap --reduce";
    let answer = lariat(format!("{args} {reduced}"));
    let answer = answer.exits(1).answer();
    let passes = answer["passes"].as_array().unwrap().iter();
    let rules: Vec<&str> = passes.map(|pass| pass["name"].as_str().unwrap()).collect();
    let expected = ["dead-events", "constant-places", "post-agglomeration"];
    assert_eq!(rules, expected);
    let cycle = answer["counterexample"]["loop"].as_array();
    assert_eq!(cycle.unwrap().len(), 4);

    let ran = lariat(format!("check {ring} -f 'F G a' {reduced} -v")).exits(1);
    let ran = ran.prints("reduced: dead-events: 1 transition less");
    ran.prints("reduced: constant-places: 1 place less");
    let all = "dead-events,equal-events,constant-places,parallel-places,sink-places,implicit-places,equal-future,prefix-of-interest,token-rings,post-agglomeration,pre-agglomeration";
    let without_all = format!("--without {all}");
    for more in ["--no-reduce", "--engine slap", &without_all] {
        let answer = lariat(format!("{args} {more}")).exits(1).answer();
        assert_eq!(answer["passes"].as_array().unwrap().len(), 0, "{more}");
    }
    let without = "--engine slap --reduce --without dead-events";
    lariat(format!("{args} {without}"))
        .exits(1)
        .prints("post-agglomeration");
    lariat(format!("{args} --engine slap --without dead-events")).refuses("see --reduce");
    // `X` and `deadlock` prevent agglomeration.
    for formula in ["X X a", "F deadlock"] {
        let answer = lariat(format!("check {ring} -f '{formula}' --json"));
        assert!(!answer.out.contains("agglomeration"), "{formula}");
    }
}

#[test]
fn reduced_nets_are_written() {
    let folder = Folder::new();
    let ring = folder.file("ring.pnml", RING);
    let small = format!("{}/small.pnml", folder.path());
    lariat(format!("reduce {ring} -f 'G F a' -o {small}"))
        .succeeds("places 5 -> 2, transitions 5 -> 2");
    lariat(format!("check {small} -f 'G F a'")).exits(0);
    lariat(format!("reduce {ring} -o {small}")).succeeds("places 5 -> 4, transitions 5 -> 4");
    let without = "--without dead-events --without equal-future";
    lariat(format!("reduce {ring} {without}")).succeeds("<transition id=\"never\"/>");
    lariat(format!("reduce {ring} -f 'G nobody'")).exits(2);
    let light = "process L { state a; init a; trans a -> a {}; } system async;";
    let program = folder.file("light.dve", light);
    lariat(format!("reduce {program}")).refuses("only nets can be reduced");
}
