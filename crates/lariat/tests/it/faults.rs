//! Runs on several threads that are stopped at any poll, in one thread or in all: the verdict is
//! right or names the stop, all threads end, and the caches stay valid.

use crate::asking::{
    FORMULAS, about_philosophers, by, first_question, in_rounds, order, philosophers,
};
use lariat::internals::ask::{AnswerKind, AskOptions, EarnedAnswer, StateQuestion, ask};
use lariat::internals::formats::{LoadedModel, ModelFormat};
use lariat::internals::ir::{Predicate, System};
use lariat::internals::{
    Budget, CachePool, CheckOptions, Decision, EarnedVerdict, EngineChoice, Plan, Reason,
    RunContext, SpaceCache, Stop, Systems, ThreadPool, Variant, Workers, check_parallel,
    check_subject,
};
use lariat_budget::{FaultTarget, InjectedFault};
use lariat_corpora::{Random, each_case, which_ends};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

/// Engines with builder threads, and the engine with several workers.
const ENGINES: [&str; 6] = ["sog", "sop", "slap", "slap-fst", "bcz", "explicit"];

/// A fault near the beginning of a run, or further on.
fn random_fault(random: &mut Random) -> (Budget, Stop, FaultTarget) {
    let stops = [Stop::Time, Stop::Memory, Stop::Interrupted];
    let stop = random.one_of(&stops).clone();
    let victim = *random.one_of(&[FaultTarget::One, FaultTarget::All]);
    let reach = random.below(11_u32);
    let at = random.below(1_u64 << reach);
    let fault = InjectedFault::new(stop.clone(), at, victim);
    let threads = NonZeroUsize::new(random.between(2, 3)).unwrap();
    (Budget::faulty(fault).with_threads(threads), stop, victim)
}

fn options(engine: &str, budget: &Budget) -> CheckOptions {
    let threads = budget.threads();
    let variant = match engine {
        "explicit" => Variant {
            workers: Workers::new(threads),
            ..Variant::default()
        },
        // The search near the initial states has no builders.
        _ => Variant {
            reachable_first: true,
            ..Variant::default()
        },
    };
    CheckOptions {
        order: order("file-up"),
        ..by(Plan::of(engine).as_variant(variant))
    }
}

/// Returns whether the verdict is known, and asserts that it is right or names `stop`.
fn is_right(verdict: &EarnedVerdict, holds: bool, stop: &Stop) -> bool {
    match verdict {
        EarnedVerdict::Unknown(Reason::Stopped(met)) => {
            assert_eq!(met, stop);
            false
        }
        EarnedVerdict::Unknown(reason) => panic!("{reason}"),
        known => {
            assert_eq!(matches!(known, EarnedVerdict::Holds(_)), holds);
            true
        }
    }
}

#[test]
fn a_run_on_several_threads_stops_at_any_point() {
    let mut stopped = [0; ENGINES.len()];
    which_ends(|| {
        each_case(300, |random| {
            let which = random.below(ENGINES.len());
            let (formula, holds) = *random.one_of(&FORMULAS);
            let (system, properties) = about_philosophers(3, formula);
            let (subject, property) = first_question(&system, &properties);
            let (budget, stop, victim) = random_fault(random);
            let options = options(ENGINES[which], &budget);
            let systems = Systems::new();
            let mut explored = SpaceCache::new(&systems);
            let mut ask = || {
                let ctx = RunContext::quiet(&budget);
                let report = check_subject(&subject, property, &options, &mut explored, ctx);
                is_right(&report.verdict, holds, &stop)
            };
            if !ask() {
                stopped[which] += 1;
                // A property that ran out of memory is cached as too large.
                let passes = victim == FaultTarget::One && stop != Stop::Memory;
                assert!(ask() || !passes, "{}: {formula}", ENGINES[which]);
            }
            drop(explored);
            drop(systems);
            assert_eq!(budget.bytes_used(), 0);
        });
    });
    assert!(stopped.iter().all(|count| *count > 0), "{stopped:?}");
}

#[test]
fn parallel_engines_of_auto_stop_at_any_point() {
    let mut stopped = 0;
    which_ends(|| {
        each_case(150, |random| {
            let (formula, holds) = *random.one_of(&FORMULAS);
            let (system, properties) = about_philosophers(3, formula);
            let (subject, property) = first_question(&system, &properties);
            let (budget, stop, _) = random_fault(random);
            let seats = budget.threads().get() - 1;
            let idle = ThreadPool::new(seats);
            let budget = budget.with_thread_pool(&idle);
            let options = by(EngineChoice::Auto(in_rounds()));
            let systems = Systems::new();
            let mut explored = SpaceCache::new(&systems);
            let ctx = RunContext::quiet(&budget);
            let report = check_subject(&subject, property, &options, &mut explored, ctx);
            stopped += u32::from(!is_right(&report.verdict, holds, &stop));
            assert_eq!(idle.take_up_to(usize::MAX).len(), seats);
            drop(report);
            drop(explored);
            drop(systems);
            assert_eq!(budget.bytes_used(), 0);
        });
    });
    assert!(stopped > 0);
}

#[test]
fn properties_checked_in_parallel_stop_at_any_point() {
    let mut stopped = 0;
    which_ends(|| {
        each_case(60, |random| {
            let models: Vec<_> = FORMULAS
                .iter()
                .map(|(formula, holds)| (about_philosophers(3, formula), *holds))
                .collect();
            let (budget, stop, _) = random_fault(random);
            let engine = *random.one_of(&ENGINES);
            let one = budget.clone().with_threads(NonZeroUsize::MIN);
            let systems = Systems::new();
            let mut answered = Vec::new();
            let questions: Vec<_> = models.iter().collect();
            check_parallel(
                &questions,
                &ThreadPool::new(budget.threads().get()),
                &CachePool::new(&systems),
                |&question, _, cache, output| {
                    let ((system, properties), _) = question;
                    let (subject, property) = first_question(system, properties);
                    let options = options(engine, &one);
                    let ctx = RunContext::quiet(&one);
                    output.emit(check_subject(&subject, property, &options, cache, ctx));
                },
                |at, report: Decision| {
                    answered.push(at);
                    let holds = questions[at].1;
                    stopped += usize::from(!is_right(&report.verdict, holds, &stop));
                    ControlFlow::Continue(())
                },
            );
            answered.sort_unstable();
            assert_eq!(answered, [0, 1, 2, 3]);
            drop(systems);
            assert_eq!(budget.bytes_used(), 0);
        });
    });
    assert!(stopped > 0);
}

/// Questions about places, transitions and deadlocks of philosophers, with the answers.
fn questions(system: &System) -> Vec<(StateQuestion, AnswerKind)> {
    let mut all = vec![(
        StateQuestion::Reach(Predicate::Deadlock),
        AnswerKind::Reached,
    )];
    let most = |var| (StateQuestion::Most(vec![(var, 1)]), AnswerKind::Most);
    all.extend(system.var_ids().map(most));
    for event in system.event_ids() {
        let enabled = Predicate::Enabled(vec![event]);
        all.push((StateQuestion::Reach(enabled.clone()), AnswerKind::Reached));
        all.push((StateQuestion::Always(enabled), AnswerKind::Lost));
    }
    all
}

#[test]
fn questions_stop_at_any_point() {
    let model = LoadedModel::new(ModelFormat::Pnml, philosophers(3));
    let expected = questions(&model.system);
    let asked: Vec<_> = expected.iter().map(|(asked, _)| asked.clone()).collect();
    let mut open = 0;
    which_ends(|| {
        each_case(200, |random| {
            let (budget, stop, _) = random_fault(random);
            let systems = Systems::new();
            let mut explored = SpaceCache::new(&systems);
            let mut given = 0;
            let kinds = ask(
                &model,
                &asked,
                &AskOptions::default(),
                &mut explored,
                RunContext::quiet(&budget),
                &mut |_, reply| {
                    given += 1;
                    if let EarnedAnswer::Unknown { reason, .. } = reply.answer {
                        assert_eq!(reason, Reason::Stopped(stop.clone()));
                    }
                    ControlFlow::Continue(())
                },
            );
            assert_eq!(given, asked.len());
            for (kind, (question, wanted)) in kinds.iter().zip(&expected) {
                let is_open = *kind == AnswerKind::Unknown;
                open += u32::from(is_open);
                assert!(is_open || kind == wanted, "{question:?}: {kind:?}");
            }
            drop(explored);
            drop(systems);
            assert_eq!(budget.bytes_used(), 0);
        });
    });
    assert!(open > 0);
}
