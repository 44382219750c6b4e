//! Builder threads that prefetch edges: the product is the same, and a stop ends all threads.

use crate::asking::{FORMULAS, by, check, order, philosophers};
use lariat::internals::{
    Budget, Cancel, CheckOptions, Decision, EarnedVerdict, OrderChoice, Plan, Reason, StatValue,
    Statistic, Stop, Variant,
};
use lariat_corpora::each_case;
use std::num::NonZeroUsize;
use std::time::Duration;

const ENGINES: [&str; 5] = ["sog", "sop", "slap", "slap-fst", "bcz"];

/// How an engine starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Begin {
    /// With all reachable states, so that only the check remains.
    States,
    /// With a search near the initial states, in parallel with the order race and the check.
    Look,
}

fn ask(engine: &str, begin: Begin, count: u32, formula: &str, budget: &Budget) -> Decision {
    let variant = Variant {
        reachable_first: begin == Begin::States,
        ..Variant::default()
    };
    let options = CheckOptions {
        order: match begin {
            Begin::States => order("file-up"),
            Begin::Look => OrderChoice::Auto,
        },
        ..by(Plan::of(engine).as_variant(variant))
    };
    check(&philosophers(count), formula, &options, budget)
}

fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

/// The verdict with its run, and the statistics of the check.
fn essence(report: &Decision) -> String {
    let verdict = match &report.verdict {
        EarnedVerdict::Holds(_) => "holds".to_owned(),
        EarnedVerdict::Violated(replayed) => format!("{:?}", replayed.lasso()),
        EarnedVerdict::Unknown(reason) => panic!("{reason}"),
    };
    let counted = [
        Statistic::AGGREGATES,
        Statistic::PRODUCT_STATES,
        Statistic::PRODUCT_EDGES,
        Statistic::INCLUSIONS,
    ]
    .map(|statistic| report.account.stats.get(statistic));
    format!("{verdict} {counted:?}")
}

#[test]
fn the_product_does_not_depend_on_the_number_of_threads() {
    for engine in ENGINES {
        for (formula, holds) in FORMULAS {
            let alone = ask(engine, Begin::States, 4, formula, &Budget::unlimited());
            assert!(alone.account.stats.get(Statistic::THREADS).is_none());
            let found = matches!(alone.verdict, EarnedVerdict::Holds(_));
            assert_eq!(found, holds, "{engine}: {formula}");
            for count in [2, 3] {
                let budget = Budget::unlimited().with_threads(threads(count));
                let report = ask(engine, Begin::States, 4, formula, &budget);
                assert_eq!(essence(&report), essence(&alone), "{engine}: {formula}");
                let counted = report.account.stats.get(Statistic::THREADS);
                let expected = StatValue::from(count);
                assert_eq!(counted, Some(&expected), "{engine}: {formula}");
            }
        }
    }
}

/// The near search covers all states of four philosophers, and a part of those of twelve.
#[test]
fn a_parallel_near_search_has_the_result_of_a_sequential_one() {
    for engine in ENGINES {
        for (philosophers, formula) in [
            (4, FORMULAS[0].0),
            (4, FORMULAS[2].0),
            (12, FORMULAS[1].0),
            (12, FORMULAS[2].0),
            (12, FORMULAS[3].0),
        ] {
            let unlimited = Budget::unlimited();
            let alone = ask(engine, Begin::Look, philosophers, formula, &unlimited);
            for count in [2, 3] {
                let budget = Budget::unlimited().with_threads(threads(count));
                let report = ask(engine, Begin::Look, philosophers, formula, &budget);
                assert_eq!(essence(&report), essence(&alone), "{engine}: {formula}");
                let (own, expected) = (report.account.order, &alone.account.order);
                assert_eq!(own, *expected, "{engine}: {formula}");
            }
        }
    }
}

/// A stop at any point: the verdict is right or names the stop, and all threads end.
#[test]
fn a_stop_ends_all_threads() {
    let mut ended = [0; 3];
    each_case(90, |random| {
        let engine = *random.one_of(&ENGINES);
        let begin = *random.one_of(&[Begin::States, Begin::Look]);
        let (formula, holds) = *random.one_of(&FORMULAS);
        let cancel = Cancel::default();
        let pause = Duration::from_micros(random.below(6_000_u64));
        let count = 2 + random.below(2_usize);
        let which = random.below(3_usize);
        let expected = [Stop::Memory, Stop::Time, Stop::Interrupted][which].clone();
        let budget = match which {
            0 => Budget::bytes(200_000 + random.below(1_500_000_u64)),
            1 => Budget::unlimited().with_deadline(pause),
            _ => Budget::unlimited().with_cancel(cancel.clone()),
        };
        let report = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(pause);
                cancel.press();
            });
            let budget = budget.clone().with_threads(threads(count));
            ask(engine, begin, 4, formula, &budget)
        });
        match &report.verdict {
            EarnedVerdict::Holds(_) => assert!(holds),
            EarnedVerdict::Violated(_) => assert!(!holds),
            EarnedVerdict::Unknown(Reason::Stopped(stop)) => {
                assert_eq!(*stop, expected, "{engine}, {begin:?}: {formula}");
                ended[which] += 1;
            }
            EarnedVerdict::Unknown(reason) => panic!("{engine}, {begin:?}: {formula}: {reason}"),
        }
        drop(report);
        assert_eq!(budget.bytes_used(), 0);
    });
    assert!(ended.iter().all(|count| *count > 0), "{ended:?}");
}
