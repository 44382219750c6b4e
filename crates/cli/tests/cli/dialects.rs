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
    // Written nets are read back.
    let written = lariat(format!("reduce {growing}")).exits(0).out;
    let written = folder.file("written.pnml", written);
    let states = lariat(format!("states {written} --json")).exits(0).answer();
    assert_eq!(states["states"], "4");
}
