//! Models of the contest: every place/transition net of its collection with at most a million
//! states, all its formulas, against the verdicts that the contest's tools agreed on.

use crate::kit::{Tally, examine, instances};
use lariat::internals::{Budget, CheckOptions};
use lariat_corpora::models;
use std::sync::Mutex;
use std::time::Duration;

/// Time limit per formula; a formula without a verdict by then is listed, and is no failure.
const TIME: Duration = Duration::from_secs(10);
const MEMORY: u64 = 4 << 30;
const MOST_STATES: u64 = 1_000_000;

#[test]
fn verdicts_of_the_contest() {
    let Some(folder) = models("mcc") else { return };
    let mut jobs = Vec::new();
    for instance in instances(&folder, "PT") {
        if let Some(states @ ..=MOST_STATES) = instance.states {
            for examination in ["LTLCardinality", "LTLFireability"] {
                jobs.push((states, instance.name.clone(), examination));
            }
        }
    }
    // The largest are taken first, so that all threads end at about the same time.
    jobs.sort();
    let count = jobs.len();
    let (jobs, tallies) = (Mutex::new(jobs), Mutex::new(Vec::<Tally>::new()));
    let budget = Budget::bytes(MEMORY);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let job = jobs.lock().unwrap().pop();
                    let Some((_, instance, examination)) = job else {
                        break;
                    };
                    let options = CheckOptions::default();
                    let tally = examine(&folder, &instance, examination, &options, &budget, TIME);
                    tallies.lock().unwrap().push(tally);
                }
            });
        }
    });
    let mut all = Tally::default();
    for tally in tallies.into_inner().unwrap() {
        all.add(tally);
    }
    report(&all, count);
    let [holds, violated, undecided, _] = all.counts();
    let answered = holds + violated + undecided;
    assert_eq!(answered, 16 * count, "every examination has 16 formulas");
}

/// Prints the verdicts on some examinations; panics if one is wrong.
pub fn report(all: &Tally, examinations: usize) {
    for undecided in &all.undecided {
        eprintln!("undecided {undecided}");
    }
    let [holds, violated, undecided, wrong] = all.counts();
    eprintln!(
        "{examinations} examinations: {holds} hold, {violated} are violated, \
         {undecided} undecided, {wrong} wrong"
    );
    assert!(all.wrong.is_empty(), "wrong:\n{}", all.wrong.join("\n"));
}
