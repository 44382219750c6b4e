//! Questions without a formula.

use crate::kit::{Folder, lariat};
use serde_json::Value as Json;

/// A net in which `make` fills `stock`, which nobody bounds, `sell` empties it, and `stop` ends everything.
const SHOP: &str = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="shop" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">
<place id="open"><initialMarking><text>1</text></initialMarking></place>
<place id="stock"/><place id="closed"/><place id="never"/>
<transition id="make"/><transition id="sell"/><transition id="stop"/><transition id="ghost"/>
<arc id="a" source="open" target="make"/><arc id="b" source="make" target="open"/>
<arc id="c" source="make" target="stock"/><arc id="d" source="stock" target="sell"/>
<arc id="e" source="open" target="stop"/><arc id="f" source="stop" target="closed"/>
<arc id="g" source="never" target="ghost"/>
</page></net></pnml>"#;

fn shop() -> (Folder, String) {
    let folder = Folder::new();
    folder.file("shop.pnml", SHOP);
    let path = format!("{}/shop.pnml", folder.path());
    (folder, path)
}

#[test]
fn people_are_told_runs_and_reasons() {
    let (_folder, net) = shop();
    let ask = |args: &[&str]| {
        let all: Vec<&str> = ["ask", &net]
            .into_iter()
            .chain(args.iter().copied())
            .collect();
        lariat(&all).exits(0)
    };
    ask(&["deadlock"])
        .says("deadlock: yes, by a run of 1 step (replayed)")
        .says("stop");
    ask(&["bounds", "stock"])
        .says("stock: unbounded")
        .says("can be repeated indefinitely");
    let bounds = ask(&["bounds", "open", "closed", "--explain"]);
    bounds.says("open: 1").says("closed: 1").says("because");
    ask(&["dead-transitions"])
        .says("ghost can never fire")
        .says("1 of 4 transitions can never fire");
    ask(&["live"])
        .says("make can be lost")
        .says("live: no, 0 of 4 transitions");
    ask(&["one-safe"])
        .says("stock can hold more than one token")
        .says("one-safe: no");
    ask(&["stable"]).says("never never changes");
    lariat(&["ask", &net, "bounds", "stok"])
        .exits(2)
        .complains("no place is called `stok`")
        .complains("stock");
    lariat(&["ask", &net, "deadlock", "stock"])
        .exits(2)
        .complains("takes no names");
}

#[test]
fn scripts_are_told_the_same() {
    let (_folder, net) = shop();
    let ran = lariat(&["ask", &net, "bounds", "--json"]).exits(0);
    let lines: Vec<Json> = (ran.out.lines())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |place: &str| lines.iter().find(|line| line["about"] == place).unwrap();
    assert_eq!(of("open")["answer"], "1");
    assert_eq!(of("never")["answer"], "0");
    let stock = of("stock");
    assert_eq!(stock["answer"], "unbounded");
    assert_eq!(stock["run"]["kind"], "covering");
    assert!(stock["run"]["growth"]["stock"].as_i64() > Some(0));
    assert_eq!(stock["run"]["replayed"], true);
}

#[test]
fn single_modalities_are_properties_of_check() {
    let check = |formula: &str| lariat(&["check", "examples/mutex.pnml", "-f", formula]);
    check("EF critical_1")
        .exits(0)
        .says("HOLDS     1: EF(critical_1)")
        .says("decided as the negation of `G !p`");
    check("EF (critical_1 & critical_2)")
        .exits(1)
        .says("VIOLATED");
    check("AG !(critical_1 & critical_2)")
        .exits(0)
        .says("HOLDS");
    check("A G !critical_1").exits(1).says("VIOLATED");
    check("EF G critical_1").exits(2).complains("about states");
    let unfair = [
        "check",
        "examples/mutex.pnml",
        "-f",
        "EF critical_1",
        "--weak-fair",
        "all",
    ];
    lariat(&unfair).exits(2).complains("fair runs or not");
    let ran = lariat(&[
        "check",
        "examples/mutex.pnml",
        "-f",
        "EF critical_1",
        "--json",
    ])
    .exits(0);
    let answer: Json = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(answer["verdict"], "holds");
    assert_eq!(answer["modality"], "EF");
    assert_eq!(answer["counterexample"], Json::Null);
    let last = answer["witness"]["prefix"]
        .as_array()
        .unwrap()
        .last()
        .unwrap();
    assert_eq!(last["marking"]["critical_1"], 1);
}
