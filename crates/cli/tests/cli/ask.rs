//! Questions without a formula.

use crate::kit::{Folder, lariat};
use serde_json::Value as Json;

/// `make` adds to the unbounded `stock`, `sell` takes from it, and `stop` leads to a deadlock.
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
    let path = folder.file("shop.pnml", SHOP);
    (folder, path)
}

#[test]
fn text_shows_runs_and_certificates() {
    let (_folder, net) = shop();
    let ask = |args: &str| lariat(format!("ask {net} {args}")).exits(0);
    ask("deadlock")
        .prints("deadlock: yes, by a run of 1 step (replayed)")
        .prints("stop");
    ask("bounds stock")
        .prints("stock: unbounded")
        .prints("can be repeated indefinitely");
    ask("bounds open closed --explain")
        .prints("open: 1")
        .prints("closed: 1")
        .prints("because");
    ask("dead-transitions")
        .prints("ghost can never fire")
        .prints("1 of 4 transitions can never fire");
    ask("live")
        .prints("make can be lost")
        .prints("live: no, 0 of 4 transitions");
    ask("one-safe")
        .prints("stock can hold more than one token")
        .prints("one-safe: no");
    ask("stable").prints("never never changes");
    lariat(format!("ask {net} bounds stok"))
        .refuses("no place is called `stok`")
        .reports("stock");
    lariat(format!("ask {net} deadlock stock")).refuses("takes no names");
}

#[test]
fn json_has_the_same_answers() {
    let (_folder, net) = shop();
    let ran = lariat(format!("ask {net} bounds --json")).exits(0);
    let lines = ran.json();
    let of = |place: &str| lines.iter().find(|line| line["about"] == place).unwrap();
    assert_eq!(of("open")["answer"], "1");
    assert_eq!(of("never")["answer"], "0");
    let stock = of("stock");
    assert_eq!(stock["answer"], "unbounded");
    assert_eq!(stock["run"]["kind"], "covering");
    assert!(stock["run"]["growth"]["stock"].as_i64() > Some(0));
    assert_eq!(stock["run"]["replayed"], true);
}

/// `AG EF p` and `EF AG p` are no linear-time properties: `check` decides them as questions.
#[test]
fn check_decides_nested_modalities() {
    let mutex = |formula: &str| lariat(format!("check examples/mutex.pnml -f '{formula}'"));
    mutex("AG EF critical_1")
        .succeeds("HOLDS     1: AG EF(critical_1)  [ask,")
        .prints("no LTL: decided as the question whether p stays reachable");
    mutex("A G (E F (critical_1 & !critical_2))").succeeds("HOLDS");
    mutex("EF AG !critical_1")
        .exits(1)
        .prints("VIOLATED  1: EF AG(!critical_1)");
    mutex("EF EF critical_1").succeeds("HOLDS     1: EF(critical_1)");
    let meals = |args: &str| lariat(format!("check examples/philosophers.pnml {args}"));
    meals("-f 'AG EF !deadlock'")
        .exits(1)
        .prints("VIOLATED  1: AG EF(!deadlock)")
        .prints("after which p is unreachable (replayed)");
    meals("-f 'EF AG deadlock' --cross-check")
        .succeeds("HOLDS     1: EF AG(deadlock)")
        .prints("cross-check: ask agrees")
        .prints("after which p always holds (replayed)");
    let ran = meals("-f 'EF AG deadlock' --json").exits(0);
    let answer = &ran.answer();
    assert_eq!(
        (&answer["modality"], &answer["engine"]),
        (&"EF AG".into(), &"ask".into())
    );
    assert!(
        answer["witness"]["prefix"]
            .as_array()
            .is_some_and(|steps| !steps.is_empty())
    );
    mutex("AG EF G critical_1").refuses("expected a state formula after EF or AG");
    mutex("AG EF AG critical_1").refuses("is an operator of branching time");
    lariat("check examples/mutex.pnml -f 'AG EF lock' --weak-fair all").refuses("fair runs or not");
    lariat("check examples/mutex.pnml -f 'AG EF lock' --engine slap")
        .exits(3)
        .prints("only `auto` answers AG EF and EF AG");
    let program = "check examples/peterson.dve";
    lariat(format!("{program} -f 'AG EF deadlock'")).exits(1);
}

#[test]
fn check_decides_single_modalities() {
    let check = |formula: &str| lariat(format!("check examples/mutex.pnml -f '{formula}'"));
    check("EF critical_1")
        .succeeds("HOLDS     1: EF(critical_1)")
        .prints("decided as the negation of `G !p`");
    check("EF (critical_1 & critical_2)")
        .exits(1)
        .prints("VIOLATED");
    check("AG !(critical_1 & critical_2)").succeeds("HOLDS");
    check("A G !critical_1").exits(1).prints("VIOLATED");
    check("EF G critical_1").refuses("expected a state formula after EF or AG");
    let unfair = "check examples/mutex.pnml -f 'EF critical_1' --weak-fair all";
    lariat(unfair).refuses("fair runs or not");
    let ran = lariat("check examples/mutex.pnml -f 'EF critical_1' --json").exits(0);
    let answer = &ran.answer();
    assert_eq!(answer["verdict"], "holds");
    assert_eq!(answer["modality"], "EF");
    assert_eq!(answer["counterexample"], Json::Null);
    let steps = answer["witness"]["prefix"].as_array().unwrap();
    let last = steps.last().unwrap();
    assert_eq!(last["marking"]["critical_1"], 1);
}
