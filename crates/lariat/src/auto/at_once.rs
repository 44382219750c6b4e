//! Turns of one round on several threads.
//!
//! A turn has a fixed amount of counted work, and what comes of it does not depend on the other turns of its round. So where threads are idle they are taken at once:
//!
//! ```text
//! the round          walk, hyb, explicit, sop, slap-fst        the list
//! who asks           hyb → sop → slap-fst                      sets: what one has found out serves the next
//! idle threads       walk, explicit                            single states: nothing is shared; who asks joins when it is done
//! ```
//!
//! *Who answers.* Of those who decide, the first of the list: who comes later is stopped, and who comes earlier goes on until its work is done. That is what one
//! thread would answer, and it does not depend on who is quicker; only where a limit of time ends the round, an answer that is there counts. The trail has the lines of those up to the
//! one that answers, in the order of the list.
//!
//! *Memory* is one account. Whoever runs out of it while others hold some is asked again when they are done.
//!
//! Workers that search single states together use all threads, and have a turn of their own afterwards.

use super::field::Candidate;
use super::portfolio::{Portfolio, Tried, needs_room};
use crate::check::{Query, Report};
use crate::explored::Explored;
use lariat_budget::{Abort, Observer, Stop};
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, scope};

/// Stack of a thread that takes turns: that of a main thread, several times.
const STACK: usize = 64 << 20;

/// Passes remarks on, and nothing of how a turn goes: what is told of that is told by whoever asks.
struct Aside<'a>(&'a dyn Observer);

impl Observer for Aside<'_> {
    fn remark(&self, text: &str) {
        self.0.remark(text);
    }
}

impl<'s> Portfolio<'_, 's> {
    /// Takes turns of a round at once where threads are idle. What came of each, in the order of the list; nothing of those who are still to be asked.
    pub(super) fn at_once(
        &self,
        candidates: &[Candidate],
        round: u32,
        explored: &mut Explored<'s>,
        before: &Report,
    ) -> Vec<Option<Tried>> {
        let may_begin = |at: &usize| !self.is_shared(&candidates[*at]);
        let is_single = |at: &usize| candidates[*at].plan.has_single_states();
        let (single, sets): (Vec<usize>, Vec<usize>) =
            (0..candidates.len()).filter(may_begin).partition(is_single);
        let chains = single.len() + usize::from(!sets.is_empty());
        let seats = match round {
            // The first look is short, and often enough.
            0 => Vec::new(),
            _ => self
                .query
                .budget
                .idle()
                .take_up_to(chains.saturating_sub(1)),
        };
        let outcomes: Vec<OnceLock<Tried>> = candidates.iter().map(|_| OnceLock::new()).collect();
        if seats.is_empty() {
            return outcomes.into_iter().map(OnceLock::into_inner).collect();
        }
        let aborts: Vec<Abort> = candidates.iter().map(|_| Abort::default()).collect();
        let ask = |at: usize, explored: &mut Explored<'s>, observer: &dyn Observer| {
            if aborts[at].reason().is_some() {
                return;
            }
            let alone = self.query.budget.clone().with_threads(NonZeroUsize::MIN);
            let budget = &alone.with_abort(&aborts[at]);
            let query = Query {
                budget,
                observer,
                ..self.query
            };
            let tried = self.attempt(&query, &candidates[at], round, explored, before);
            if tried.is_decided() {
                let later = &aborts[at + 1..];
                later.iter().for_each(|a| a.because(Stop::Interrupted));
            }
            // Nobody else has this turn.
            let _ = outcomes[at].set(tried);
        };
        let next = AtomicUsize::new(0);
        let single_states = |mut explored: Explored<'s>, observer: &dyn Observer| {
            while let Some(at) = single.get(next.fetch_add(1, Ordering::Relaxed)) {
                ask(*at, &mut explored, observer);
            }
        };
        scope(|scope| {
            for seat in seats {
                let theirs = explored.another();
                let work = || {
                    let _seat = seat;
                    single_states(theirs, &Aside(self.query.observer));
                };
                // Where there is no thread to be had, who asks does the work.
                let thread = Builder::new().name("turn".to_owned()).stack_size(STACK);
                let _ = thread.spawn_scoped(scope, work);
            }
            for (at, candidate) in candidates.iter().enumerate() {
                // Those on sets find what they would find on one thread.
                if needs_room(candidate, round) {
                    explored.clear();
                }
                if sets.contains(&at) {
                    ask(at, explored, self.query.observer);
                }
            }
            single_states(explored.another(), self.query.observer);
        });
        let starved = |tried: &Tried| matches!(tried.found, Err(Stop::Memory));
        let outcomes = outcomes.into_iter().map(OnceLock::into_inner);
        outcomes
            .map(|o| o.filter(|tried| !starved(tried)))
            .collect()
    }
}
