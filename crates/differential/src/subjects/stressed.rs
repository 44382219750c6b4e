//! Engines on many threads, on any number of processors, of which half are stopped at some point: by
//! the time limit, for lack of memory, or by a cancellation, in one thread or in all.
//!
//! With the feature `stress` threads also pause at random where they synchronize, diagram stores
//! collect garbage all the time, and all tables start tiny.

use super::asking::{DECIDE, PATIENCE, by_translation, facade_with_idle_threads, run_under};
use super::{rounds, stutter_invariant};
use lariat::internals::{CheckOptions, EngineChoice, Needs, Plan, Variant, Workers};
use lariat_budget::{Budget, FaultTarget, InjectedFault, Stop};
use lariat_testkit::Subject;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers of threads, from a few to far more than there are processors.
const THREADS: [usize; 4] = [4, 8, 16, 32];

/// All engines that use several threads, with each number of threads.
pub fn stressed() -> Vec<Subject> {
    let mut subjects = Vec::new();
    for count in THREADS {
        let threads = NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN);
        let explicit = Plan::of("explicit").by(Workers::new(threads));
        let reachable_first = Variant {
            reachable_first: true,
            ..Variant::default()
        };
        let mut plans = vec![("explicit", explicit)];
        for preset in ["sog", "sop", "slap", "slap-fst", "bcz"] {
            plans.push((preset, Plan::of(preset).as_variant(reachable_first)));
        }
        for (name, plan) in plans {
            subjects.push(on_threads(
                &format!("{name}-{count}-threads"),
                plan,
                threads,
            ));
        }
        let options = CheckOptions {
            engine: EngineChoice::Auto(rounds()),
            workers: Workers::new(threads),
            ..CheckOptions::default()
        };
        let name = format!("auto-{count}-threads");
        subjects.push(facade_with_idle_threads(&name, options, count - 1));
    }
    subjects
}

fn on_threads(name: &str, plan: Plan, threads: NonZeroUsize) -> Subject {
    let subject = by_translation(name, move |case, negation| {
        let budget = next_budget().with_threads(threads);
        run_under(DECIDE, &budget, plan, case, negation, None)
    });
    let subject = subject.may_give_up();
    match plan.needs() {
        Needs::Nothing => subject,
        _ => subject.only(stutter_invariant),
    }
}

/// Returns a budget that stops every second run, at a point that varies from run to run.
fn next_budget() -> Budget {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let mixed = (run / 2).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
    let stop = match mixed % 3 {
        0 => Stop::Time,
        1 => Stop::Memory,
        _ => Stop::Interrupted,
    };
    let victim = if mixed % 5 < 2 {
        FaultTarget::One
    } else {
        FaultTarget::All
    };
    let budget = if run.is_multiple_of(2) {
        Budget::unlimited()
    } else {
        // Mostly near the beginning.
        let at = (mixed >> 8) % (1 << (mixed % 11));
        Budget::faulty(InjectedFault::new(stop, at, victim))
    };
    budget.with_deadline(PATIENCE)
}
