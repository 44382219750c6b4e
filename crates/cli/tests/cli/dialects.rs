//! Nets with inhibitor and reset arcs: every engine, and every technique that must leave them alone.

use crate::kit::{Folder, lariat};

/// `t` is never enabled, because `p` stays marked; without its inhibitor arc it always is.
const INHIBITED: &str = "pl p (1)\npl r (2)\ntr t p?-1 r -> q\ntr u r -> r\n";

/// `t` empties `p`: without the reset arc, `p + q = 3` is an invariant, and `q` reaches 3.
const RESET: &str = r#"<pnml><net id="n"><page id="g">
<place id="p" initialMarking="3"/><place id="q"/><transition id="t"/>
<arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/>
<arc id="c" source="p" target="t" type="reset"/>
</page></net></pnml>"#;

const ENGINES: [&str; 12] = [
    "auto", "explicit", "sym", "ba", "slap", "slap-fst", "sog", "sop", "bcz", "owcty", "el", "hyb",
];

#[test]
fn every_engine_heeds_inhibitor_and_reset_arcs() {
    let folder = Folder::new();
    let inhibited = folder.file("inhibited.net", INHIBITED);
    let reset = folder.file("reset.pnml", RESET);
    for engine in ENGINES {
        for (model, formula, code) in [
            (&inhibited, "G \"q == 0\"", 0),
            (&inhibited, "F fires(t)", 1),
            (&inhibited, "G fireable(u)", 0),
            (&reset, "G \"p + q == 3\"", 1),
            (&reset, "G \"q <= 1\"", 0),
            (&reset, "F \"p == 0\"", 0),
        ] {
            let args = format!("check {model} -f '{formula}' --engine {engine} --json");
            let reduces = ["auto", "explicit", "slap-fst", "hyb"].contains(&engine);
            let reduce = if reduces { " --reduce" } else { "" };
            let answer = lariat(format!("{args}{reduce}")).exits(code).answer();
            assert_eq!(
                answer["passes"].as_array().map(Vec::len),
                Some(0),
                "{answer}"
            );
            assert_eq!(
                answer["facts"].as_array().map(Vec::len),
                Some(0),
                "{answer}"
            );
        }
    }
}

/// Beside the net in which an inhibitor arc keeps `q` empty, a part to which a rule would apply.
#[test]
fn no_reduction_rule_applies_beside_an_inhibitor_arc() {
    let folder = Folder::new();
    let parallel = "pl a (1)\npl b (1)\ntr d a b -> c\ntr e c -> a b\n";
    let chain = "pl a (1)\ntr d a -> b\ntr e b -> c\n";
    let ring = "pl a (1)\ntr d a -> b\ntr e b -> a\n";
    for (rule, part) in [
        ("dead-events", "tr d x -> y\n"),
        ("equal-events", "tr e r -> r\n"),
        ("constant-places", "pl c (1)\ntr d r c -> r c\n"),
        ("parallel-places", parallel),
        ("sink-places", "pl m (2)\ntr d m -> z\n"),
        ("implicit-places", parallel),
        (
            "equal-future",
            "pl a (1)\ntr d a -> b\ntr e a -> c\ntr f b -> k\ntr g c -> k\n",
        ),
        ("prefix-of-interest", ring),
        ("token-rings", ring),
        ("post-agglomeration", chain),
        ("pre-agglomeration", chain),
    ] {
        let net = folder.file(&format!("{rule}.net"), INHIBITED.to_owned() + part);
        let check = format!("check {net} -f 'G \"q == 0\"' --reduce --engine");
        for engine in ["explicit", "auto"] {
            let answer = lariat(format!("{check} {engine} --json")).exits(0).answer();
            assert_eq!(
                answer["passes"].as_array().map(Vec::len),
                Some(0),
                "{answer}"
            );
        }
    }
}

/// Two branches are alike but for an inhibitor arc, which blocks one of them.
#[test]
fn branches_with_different_conditions_are_not_symmetric() {
    let folder = Folder::new();
    let net = |w: &str, v: &str| {
        format!("pl a (1)\npl c (1)\ntr t a -> b\ntr u a -> b2\ntr w b{w} -> d\ntr v b2{v} -> d2\n")
    };
    for (name, text) in [("v.net", net("", " c?-1")), ("w.net", net(" c?-1", ""))] {
        let net = folder.file(name, text);
        for engine in ["sym", "auto"] {
            let check = format!("check {net} -f 'G \"d + d2 == 0\"' --engine {engine}");
            lariat(check).exits(1);
        }
    }
}

#[test]
fn techniques_for_plain_nets_leave_conditions_alone() {
    let folder = Folder::new();
    let twins = "pl p (1)\npl q (1)\ntr t p?-1 -> r\ntr u q?-1 -> r\n";
    let twins = folder.file("twins.net", twins);
    for model in [twins, folder.file("reset.pnml", RESET)] {
        let info = lariat(format!("info {model} --json")).exits(0).answer();
        assert_eq!(
            info["symmetries"].as_array().map(Vec::len),
            Some(0),
            "{info}"
        );
        assert_eq!(info["bounded_places"], 0, "{info}");
        // Bounds follow from all states.
        let ran = lariat(format!("ask {model} bounds --explain --json")).exits(0);
        for answer in ran.json() {
            assert_eq!(answer["engine"], "explicit", "{answer}");
        }
    }
    // Firing is not monotone: the place that `t` fills does not grow without limit.
    let growing = folder.file("growing.net", "tr t p?-3 -> p\n");
    let states = lariat(format!("states {growing} --json")).exits(0).answer();
    assert_eq!(states["states"], "4");
    lariat(format!("ask {growing} bounds"))
        .exits(0)
        .prints("p: 3");
    // Breadth-first search takes longer than a coverability tree would.
    let far = folder.file("far.net", "tr t p?-400000 -> p\n");
    lariat(format!("ask {far} bounds"))
        .exits(0)
        .prints("p: 400000");
    // Written nets are read back.
    let written = lariat(format!("reduce {growing}")).exits(0).out;
    let written = folder.file("written.pnml", written);
    let states = lariat(format!("states {written} --json")).exits(0).answer();
    assert_eq!(states["states"], "4");
}
