//! Runs the engines of one round on several threads.
//!
//! A run has a fixed amount of counted work, and its result does not depend on the other runs of
//! its round. Where threads are idle, runs are executed in parallel:
//!
//! ```text
//! the round             walk, hyb, explicit, sop, slap-fst   the list
//! the calling thread    hyb → sop → slap-fst   sets: each reuses the states of the one before
//! idle threads          walk, explicit         single states; the caller joins them at the end
//! ```
//!
//! The first engine of the list that decides answers: later runs are cancelled, earlier ones
//! continue until their work is done. The answer is that of one thread and independent of timing,
//! unless the time limit ends the round. The trail lists the runs up to the one that answers, in
//! the order of the list.
//!
//! Memory is one account. A run that exhausts it while others hold memory is repeated after them.
//!
//! Workers that search single states together use all threads, and run afterwards.

use super::field::EngineRun;
use super::schedule_state::{RunResult, ScheduleState, needs_memory};
use crate::cache::SpaceCache;
use crate::query::Query;
use lariat_budget::{Abort, Observer, RunContext, Stop};
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, scope};

const STACK: usize = 64 << 20;

/// Forwards remarks, but no progress: progress is that of the calling thread.
struct RemarkObserver<'a>(&'a dyn Observer);

impl Observer for RemarkObserver<'_> {
    fn remark(&self, text: &str) {
        self.0.remark(text);
    }
}

impl<'s> ScheduleState<'_, 's> {
    /// Executes runs of a round in parallel if threads are idle. Returns the results in the order
    /// of the list; `None` for runs that are still to be executed.
    pub(super) fn run_round_parallel(
        &self,
        runs: &[EngineRun],
        round: u32,
        cache: &mut SpaceCache<'s>,
    ) -> Vec<Option<RunResult>> {
        let may_start = |at: &usize| !self.is_shared(&runs[*at]);
        let is_single = |at: &usize| runs[*at].plan.has_single_states();
        let (single, sets): (Vec<usize>, Vec<usize>) =
            (0..runs.len()).filter(may_start).partition(is_single);
        let chains = single.len() + usize::from(!sets.is_empty());
        let budget = self.query.budget();
        let permits = match round {
            // The first look is short, and often enough.
            0 => Vec::new(),
            _ => budget.thread_pool().take_up_to(chains.saturating_sub(1)),
        };
        let results: Vec<OnceLock<RunResult>> = runs.iter().map(|_| OnceLock::new()).collect();
        if permits.is_empty() {
            return results.into_iter().map(OnceLock::into_inner).collect();
        }
        let aborts: Vec<Abort> = runs.iter().map(|_| Abort::default()).collect();
        let execute = |at: usize, cache: &mut SpaceCache<'s>, observer: &dyn Observer| {
            if aborts[at].reason().is_some() {
                return;
            }
            let alone = budget.clone().with_threads(NonZeroUsize::MIN);
            let budget = &alone.with_abort(&aborts[at]);
            let query = Query {
                ctx: RunContext { budget, observer },
                ..self.query
            };
            let result = self.run(&query, &runs[at], round, cache);
            if result.outcome.is_decided() {
                let later = &aborts[at + 1..];
                later.iter().for_each(|a| a.because(Stop::Interrupted));
            }
            let _ = results[at].set(result);
        };
        let next = AtomicUsize::new(0);
        let single_states = |mut cache: SpaceCache<'s>, observer: &dyn Observer| {
            while let Some(at) = single.get(next.fetch_add(1, Ordering::Relaxed)) {
                execute(*at, &mut cache, observer);
            }
        };
        let observer = self.query.ctx.observer;
        scope(|scope| {
            for permit in permits {
                let cache = cache.for_another_thread();
                let work = || {
                    let _permit = permit;
                    single_states(cache, &RemarkObserver(observer));
                };
                // If no thread can be started, the calling thread does the work.
                let thread = Builder::new().name("engine".to_owned()).stack_size(STACK);
                let _ = thread.spawn_scoped(scope, work);
            }
            for (at, run) in runs.iter().enumerate() {
                // Engines on sets find the same state of the cache as on one thread.
                if needs_memory(run, round) {
                    cache.clear();
                }
                if sets.contains(&at) {
                    execute(at, cache, observer);
                }
            }
            single_states(cache.for_another_thread(), observer);
        });
        let out_of_memory = |r: &RunResult| matches!(r.outcome.found, Err(Stop::Memory));
        let results = results.into_iter().map(OnceLock::into_inner);
        results.map(|r| r.filter(|r| !out_of_memory(r))).collect()
    }
}
