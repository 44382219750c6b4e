//! Engines of `auto` in parallel: the answering engine is the same as on one thread.

use crate::asking::{by, check, holds, in_rounds, philosophers};
use lariat::internals::{
    Attempt, Budget, Concurrency, Decision, EarnedVerdict, EngineChoice, EngineId, LeftOut, Reason,
    Schedule, StatValue, Stop, Technique, ThreadPool,
};
use lariat_corpora::which_ends;
use std::time::Duration;

fn decide(count: u32, formula: &str, schedule: Schedule, budget: &Budget, idle: usize) -> Decision {
    let idle = ThreadPool::new(idle);
    let budget = budget.clone().with_thread_pool(&idle);
    let options = by(EngineChoice::Auto(schedule));
    check(&philosophers(count), formula, &options, &budget)
}

fn trail(report: &Decision) -> Vec<(&'static str, String, u64)> {
    let line = |a: &Attempt| (a.engine.name(), a.outcome.clone(), a.work);
    report.trail.iter().map(line).collect()
}

/// The statistics of the engine, except times and those that depend on concurrent threads.
fn figures(report: &Decision) -> Vec<(&'static str, StatValue)> {
    let stats = &report.account.stats;
    let varying = stats.varying(Concurrency::Helpers, true);
    let is_time = |figure: &StatValue| matches!(figure, StatValue::Real(_));
    let repeats = stats
        .iter()
        .filter(|(name, figure)| !varying.contains(name) && !is_time(figure));
    repeats
        .map(|(name, figure)| (name, figure.clone()))
        .collect()
}

/// Formulas about four philosophers that different engines decide, in different rounds.
const FORMULAS: [&str; 6] = [
    r#"G !("HasLeft_2 = 1" & "HasRight_1 = 1")"#,
    "F deadlock",
    r#"G ("WaitsLeft_1 = 1" -> F "HasLeft_1 = 1")"#,
    r#"G ("HasLeft_1 = 1" -> "Fork_1 = 0")"#,
    r#"G F "HasLeft_1 = 1" -> G F "Fork_1 = 1""#,
    r#"X X G ("HasLeft_1 = 1" -> X ("Fork_1 = 0" | "Fork_2 = 0"))"#,
];

#[test]
fn the_answering_engine_does_not_depend_on_threads() {
    let mut engines = Vec::new();
    which_ends(|| {
        for formula in FORMULAS {
            let unlimited = Budget::unlimited();
            let one = decide(4, formula, in_rounds(), &unlimited, 0);
            engines.push(one.engine);
            for idle in [1, 2, 3, 1, 2, 3] {
                let several = decide(4, formula, in_rounds(), &unlimited, idle);
                assert_eq!(several.engine, one.engine, "{formula}");
                assert_eq!(trail(&several), trail(&one), "{formula}");
                assert_eq!(figures(&several), figures(&one), "{formula}");
                match (&one.verdict, &several.verdict) {
                    (EarnedVerdict::Holds(_), EarnedVerdict::Holds(_)) => {}
                    (EarnedVerdict::Violated(a), EarnedVerdict::Violated(b)) => {
                        assert_eq!(a.lasso(), b.lasso(), "{formula}");
                    }
                    verdicts => panic!("{formula}: {verdicts:?}"),
                }
            }
        }
    });
    // An engine on single states, and one on sets.
    engines.sort_unstable();
    engines.dedup();
    assert!(engines.len() > 1, "{engines:?}");
}

#[test]
fn a_verdict_found_within_the_time_limit_counts() {
    // The walks, which precede `hyb`, do not terminate; `hyb` decides in parallel.
    let schedule = Schedule {
        growth: 1 << 50,
        saturation: 100_000,
        without: LeftOut::of(&[Technique::Facts]),
        ..in_rounds()
    };
    let within = |millis| Budget::unlimited().with_deadline(Duration::from_millis(millis));
    which_ends(|| {
        let alone = decide(3, FORMULAS[0], schedule, &within(200), 0);
        let EarnedVerdict::Unknown(Reason::Stopped(stop)) = &alone.verdict else {
            panic!("{:?}", alone.verdict)
        };
        assert_eq!(*stop, Stop::Time);
        let beside = decide(3, FORMULAS[0], schedule, &within(1000), 1);
        assert_eq!((holds(&beside), beside.engine), (true, EngineId::Hyb));
    });
}
