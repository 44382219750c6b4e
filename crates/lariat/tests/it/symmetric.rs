//! Nets of many equal processes: when `auto` uses symmetries, and which; walks on such nets.

use lariat::internals::formats::read;
use lariat::internals::ir::PropertyList;
use lariat::internals::{
    Budget, CheckOptions, Decision, EarnedVerdict, EngineChoice, LeftOut, Plan, PropertyForm,
    ReductionChoice, Rules, RunContext, Schedule, SpaceCache, Subject, Systems, Technique,
    check_subject,
};
use std::fmt::Write;

/// Decides a formula without reductions, with so little work that symmetries matter.
fn decide(net: &str, formula: &str, schedule: Schedule) -> Decision {
    let model = read("net", net.as_bytes()).expect("a net");
    let mut properties = PropertyList::new();
    properties
        .add_formula(&model.names(), "test", None, formula)
        .expect(formula);
    check_subject(
        &Subject::new(&model, &properties),
        PropertyForm::Formula(properties.list[0].formula),
        &CheckOptions {
            engine: EngineChoice::Auto(schedule),
            reduce: ReductionChoice::Only(Rules::NONE),
            ..CheckOptions::default()
        },
        &mut SpaceCache::new(&Systems::new()),
        RunContext::quiet(&Budget::unlimited()),
    )
}

/// Processes with separate places, which rest, wait for a lock and work.
fn processes(count: usize) -> String {
    let mut net = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="lock"><initialMarking><text>1</text></initialMarking></place>"#
        .to_owned();
    let mut arcs = 0;
    for i in 0..count {
        let rest = "<initialMarking><text>1</text></initialMarking>";
        for (place, marking) in [("rest", rest), ("wait", ""), ("work", "")] {
            write!(net, r#"<place id="{place}{i}">{marking}</place>"#).unwrap();
        }
        let steps = [
            ("ask", vec![format!("rest{i}")], vec![format!("wait{i}")]),
            (
                "get",
                vec![format!("wait{i}"), "lock".into()],
                vec![format!("work{i}")],
            ),
            (
                "end",
                vec![format!("work{i}")],
                vec![format!("rest{i}"), "lock".into()],
            ),
        ];
        for (step, from, to) in steps {
            write!(net, r#"<transition id="{step}{i}"/>"#).unwrap();
            let step = format!("{step}{i}");
            let from = from.iter().map(|place| (place, &step));
            for (source, target) in from.chain(to.iter().map(|place| (&step, place))) {
                arcs += 1;
                write!(
                    net,
                    r#"<arc id="a{arcs}" source="{source}" target="{target}"/>"#
                )
                .unwrap();
            }
        }
    }
    net + "</page></net></pnml>"
}

fn engines(report: &Decision) -> Vec<&str> {
    let attempts = report.trail.iter();
    attempts.map(|attempt| attempt.engine.name()).collect()
}

/// Modulo symmetries the net has few markings.
#[test]
fn symmetries_of_places_are_computed_if_the_first_search_does_not_decide() {
    let schedule = Schedule {
        glance: 20,
        walk: 20,
        first_look: 120,
        // Facts would decide these nets.
        without: LeftOut::of(&[Technique::Facts]),
        ..Schedule::default()
    };
    let formula = r#"G F "lock = 1""#;
    let report = decide(&processes(6), formula, schedule);
    assert!(matches!(report.verdict, EarnedVerdict::Holds(_)));
    assert_eq!(report.engine.name(), "sym", "{:?}", engines(&report));
    // An atom of one process preserves the symmetries of the others; three processes have too few.
    let one = r#"G F ("lock = 1" | "work0 = 1")"#;
    let report = decide(&processes(6), one, schedule);
    assert!(engines(&report).contains(&"sym"));
    let report = decide(&processes(3), one, schedule);
    assert!(!engines(&report).contains(&"sym"));
}

/// A walk samples the enabled events if there are very many.
#[test]
fn walks_with_more_than_a_thousand_enabled_events() {
    let model = read("net", processes(1200).as_bytes()).expect("a net");
    let mut properties = PropertyList::new();
    let formula = r#"G ("lock = 1" | "wait7 = 0")"#;
    properties
        .add_formula(&model.names(), "test", None, formula)
        .expect(formula);
    let report = check_subject(
        &Subject::new(&model, &properties),
        PropertyForm::Formula(properties.list[0].formula),
        &CheckOptions {
            engine: EngineChoice::Plan(Plan::of("walk")),
            ..CheckOptions::default()
        },
        &mut SpaceCache::new(&Systems::new()),
        RunContext::quiet(&Budget::unlimited()),
    );
    assert!(matches!(report.verdict, EarnedVerdict::Violated(_)));
}

/// The quotient by colours is searched before facts are derived.
#[test]
fn symmetries_of_colours_come_before_facts() {
    let net = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../campaigns/symmetry/clients-5.pnml"
    );
    let net = std::fs::read_to_string(net).expect("clients-5.pnml");
    let schedule = Schedule {
        glance: 200,
        ..Schedule::default()
    };
    let report = decide(&net, r#"G(F(("Idle >= 1" | X("Request >= 1"))))"#, schedule);
    assert!(matches!(report.verdict, EarnedVerdict::Holds(_)));
    assert_eq!(engines(&report), ["explicit", "walk", "sym"]);
}
