//! Checks properties in growing time slices, as the Model Checking Contest requires.
//!
//! The time that is left is divided over the open properties in rounds: every round gives each open
//! property a slice, and the next round's slice is four times as long. So an easy property never
//! waits for a hard one, and at most a third of the time goes to searches that are repeated.
//! Towards the end a slice is a fair share of the time left, but at least twice what the property
//! had before. Rounds end when the time does not allow another one.
//!
//! The properties of a round are checked in parallel; a fair share is one of all threads.

use crate::check_parallel::{CheckOutput, check_parallel};
use crate::checker::{CheckTask, Checker};
use crate::error::Error;
use crate::properties::Properties;
use crate::query::Query;
use crate::recurrence::Methods;
use crate::report::Report;
use lariat_budget::{RunContext, Stop, ThreadPool};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const FIRST_SLICE: Duration = Duration::from_secs(2);
const GROWTH: u32 = 4;
/// A shorter slice ends before anything begins.
const SHORTEST: Duration = Duration::from_millis(5);

/// A property without a verdict.
struct OpenProperty<'c> {
    task: CheckTask<'c>,
    /// The longest time that it was given; [`Duration::MAX`] if more does not help.
    had: Duration,
    report: Option<Box<Report>>,
}

enum SliceResult {
    /// There was no time for the property.
    Skipped,
    /// It was checked for so long.
    Checked(Box<Report>, Duration),
}

impl<'m> Checker<'m> {
    /// Checks properties within the time limit for all of them together. Calls `on_report` with
    /// each verdict as soon as it is known, and at the end with an unknown verdict for each open
    /// property that was checked. Traces are not shortened. Returns the names of the properties
    /// that were never checked.
    pub fn check_in_slices(
        &self,
        properties: &Properties<'m>,
        mut on_report: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Vec<String>, Error> {
        let mut session = self.session(properties, properties.asked())?;
        let idle = ThreadPool::new(self.thread_count().get());
        session.budget = self.for_property(&session.budget).with_thread_pool(&idle);
        let total = session.budget.clone();
        let left = || {
            total
                .time_left()
                .unwrap_or(Duration::from_secs(u32::MAX.into()))
        };
        let had = Duration::ZERO;
        let mut open: Vec<OpenProperty<'_>> = { session.tasks().into_iter() }
            .map(|task| OpenProperty {
                task,
                had,
                report: None,
            })
            .collect();
        let mut slice = FIRST_SLICE;
        let mut flow = ControlFlow::Continue(());
        loop {
            let threads = (open.len() as u32).min(self.thread_count().get() as u32);
            let waiting = AtomicU32::new(open.len() as u32);
            let check = |open: &OpenProperty<'_>,
                         may_repeat,
                         cache: &mut _,
                         output: &mut CheckOutput<'_, _>| {
                // A property that is repeated for lack of memory was counted before.
                let less = |waiting: u32| Some(waiting.saturating_sub(1));
                let waiting = waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
                let waiting = waiting.unwrap_or_else(|waiting| waiting);
                let share = share(slice, left() * threads, waiting, open.had);
                let Some(share) = share.filter(|_| total.check() != Err(Stop::Interrupted)) else {
                    return output.emit(SliceResult::Skipped);
                };
                let share = share.min(left());
                let property = open.task.property;
                let budget = total.clone().with_deadline(share);
                let fairness = property.fairness.clone().and(&session.fairness);
                let subject = session.subject.clone().assuming(fairness);
                let options = property.options(&session.options);
                let observer = self.observer();
                let ctx = RunContext::new(&budget, &*observer);
                let query = Query::new(&subject, property.form(), &property.atoms, &options, ctx);
                let decision = if property.is_nested() {
                    let methods = Methods::all();
                    query
                        .stays_reachable(self.model().loaded(), &methods, cache)
                        .0
                } else {
                    let mut decision = query.decide(cache);
                    query.check_partial_atoms(&mut decision, cache);
                    decision
                };
                if may_repeat && decision.is_out_of_memory() {
                    return output.out_of_memory();
                }
                let vocabulary = Arc::clone(&session.vocabulary);
                let report = Report::new(vocabulary, property, decision, session.concurrency);
                output.emit(SliceResult::Checked(Box::new(report), share));
            };
            let mut results: Vec<Option<SliceResult>> = open.iter().map(|_| None).collect();
            check_parallel(&open, &idle, self.caches(), check, |at, result| {
                match result {
                    SliceResult::Checked(report, _) if report.holds().is_some() => {
                        flow = on_report(*report);
                        results[at] = None;
                    }
                    result => results[at] = Some(result),
                }
                flow
            });
            let was_checked = |r: &Option<SliceResult>| !matches!(r, Some(SliceResult::Skipped));
            let progressed = results.iter().any(was_checked);
            open = { open.into_iter().zip(results) }
                .filter_map(|(open, result)| open.after(result?))
                .collect();
            if flow.is_break() || !progressed {
                break;
            }
            slice *= GROWTH;
        }
        let mut never = Vec::new();
        for open in open {
            match open.report {
                Some(report) if flow.is_continue() => flow = on_report(*report),
                Some(_) => {}
                None => never.push(open.task.property.name().to_owned()),
            }
        }
        Ok(never)
    }
}

impl OpenProperty<'_> {
    /// The property after a slice that did not decide it.
    fn after(self, result: SliceResult) -> Option<Self> {
        match result {
            SliceResult::Skipped => Some(self),
            SliceResult::Checked(report, share) => Some(OpenProperty {
                had: if report.needs_time() {
                    share
                } else {
                    Duration::MAX
                },
                report: Some(report),
                ..self
            }),
        }
    }
}

/// The time for the next of `waiting` properties, which had `had` before, if it is worth another
/// try: a slice, or twice `had`; in the last round a fair share of the time left.
fn share(slice: Duration, left: Duration, waiting: u32, had: Duration) -> Option<Duration> {
    let fair = left / waiting.max(1);
    let next = slice.max(had.saturating_mul(2));
    let share = if fair < next.saturating_mul(3) {
        fair
    } else {
        next
    };
    (share > had && share >= SHORTEST).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A contest in which no property is ever decided.
    #[test]
    fn open_properties_use_the_time() {
        for (formulas, seconds) in [(16, 24), (16, 3600), (1, 60), (3, 5), (16, 1)] {
            let total = Duration::from_secs(seconds);
            let mut left = total;
            let mut had = vec![Duration::ZERO; formulas];
            let mut slice = FIRST_SLICE;
            loop {
                let mut tried = false;
                for (i, had) in had.iter_mut().enumerate() {
                    let waiting = (formulas - i) as u32;
                    if let Some(share) = share(slice, left, waiting, *had) {
                        assert!(share > *had);
                        (*had, left, tried) = (share, left - share, true);
                    }
                }
                if !tried {
                    break;
                }
                slice *= GROWTH;
            }
            assert!(
                left < total / 10 + SHORTEST,
                "{formulas} {seconds}: {left:?}"
            );
            assert!(had.iter().all(|had| !had.is_zero()));
        }
        // A hard property among easy ones gets the time that they leave.
        let second = Duration::from_secs(1);
        let slice = FIRST_SLICE * GROWTH;
        assert_eq!(share(slice, 14 * second, 1, second), Some(14 * second));
        assert_eq!(share(slice, 60 * second, 1, second), Some(slice));
        assert_eq!(share(FIRST_SLICE, second, 1, second), None);
        assert_eq!(share(FIRST_SLICE, 9 * second, 1, Duration::MAX), None);
    }
}
