//! Nets of many equal processes: when `auto` uses symmetries, and which; walks on such nets.

use crate::asking::{by, check_anew, one_property};
use lariat::internals::formats::read;
use lariat::internals::{
    Budget, CheckOptions, Decision, EarnedVerdict, EngineChoice, LeftOut, Plan, PropertyForm,
    ReductionChoice, Rules, Schedule, Subject, Technique,
};
use std::fmt::Write;

fn checked(net: &str, formula: &str, options: &CheckOptions) -> Decision {
    let model = read("net", net.as_bytes()).expect("a net");
    let properties = one_property(&model.names(), formula);
    let property = PropertyForm::Formula(properties.list[0].formula);
    let subject = Subject::new(&model, &properties);
    check_anew(&subject, property, options, &Budget::unlimited())
}

/// Decides a formula without reductions, with so little work that symmetries matter.
fn decide(net: &str, formula: &str, schedule: Schedule) -> Decision {
    let options = CheckOptions {
        reduce: ReductionChoice::Only(Rules::NONE),
        ..by(EngineChoice::Auto(schedule))
    };
    checked(net, formula, &options)
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
        let [rest, wait, work] = ["rest", "wait", "work"].map(|place| format!("{place}{i}"));
        let lock = "lock".to_owned();
        let steps = [
            ("ask", vec![&rest], vec![&wait]),
            ("get", vec![&wait, &lock], vec![&work]),
            ("end", vec![&work], vec![&rest, &lock]),
        ];
        for (step, from, to) in steps {
            write!(net, r#"<transition id="{step}{i}"/>"#).unwrap();
            let step = format!("{step}{i}");
            let from = from.into_iter().map(|place| (place, &step));
            for (source, target) in from.chain(to.into_iter().map(|place| (&step, place))) {
                arcs += 1;
                let ends = format!(r#"source="{source}" target="{target}""#);
                write!(net, r#"<arc id="a{arcs}" {ends}/>"#).unwrap();
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
    let formula = r#"G ("lock = 1" | "wait7 = 0")"#;
    let report = checked(&processes(1200), formula, &by(Plan::of("walk")));
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
