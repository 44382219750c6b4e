//! The progress line of process 0: states, states per second, and waiting states per worker.

use lariat_budget::{Observer, Progress};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Interval of progress reports.
const OFTEN: Duration = Duration::from_millis(200);

/// Time span over which states per second are averaged; processes report twice per second.
const SPAN: Duration = Duration::from_secs(3);

/// Labels for the number of waiting states of each worker.
const AT: [&str; 8] = [
    "waiting at 0",
    "at 1",
    "at 2",
    "at 3",
    "at 4",
    "at 5",
    "at 6",
    "at 7",
];

/// The numbers of found and waiting states of each worker, by process.
pub(crate) type Gauges = Vec<Vec<(u64, u64)>>;

/// Reports progress at intervals.
pub(crate) struct ProgressReporter {
    /// Times and numbers of states, at most [`SPAN`] old except for the first.
    seen: VecDeque<(Instant, u64)>,
}

impl ProgressReporter {
    pub fn new(now: Instant) -> ProgressReporter {
        ProgressReporter {
            seen: VecDeque::from([(now, 0)]),
        }
    }

    /// Returns whether the next report is due.
    pub fn is_due(&self, now: Instant) -> bool {
        let last = self.seen.back();
        last.is_none_or(|(then, _)| now.saturating_duration_since(*then) >= OFTEN)
    }

    /// Reports the progress to the observer.
    pub fn report(&mut self, now: Instant, gauges: &Gauges, observer: &dyn Observer) {
        let workers = || gauges.iter().flatten();
        let states = workers().map(|(states, _)| states).sum();
        let rate = self.per_second(now, states);
        let mut figures = vec![(states, "states"), (rate, "states/s")];
        let queues = || workers().map(|(_, queue)| *queue);
        if workers().count() <= AT.len() {
            figures.extend(queues().zip(AT));
        } else {
            // A summary if there are too many workers for one line.
            let [least, most] = [queues().min(), queues().max()].map(Option::unwrap_or_default);
            figures.push((least, "waiting at the least busy worker"));
            figures.push((most, "at the busiest"));
        }
        observer.progress(Progress::new("exploring", &figures));
    }

    /// Records the number of states and returns the states per second.
    fn per_second(&mut self, now: Instant, states: u64) -> u64 {
        self.seen.push_back((now, states));
        let since = |then: &Instant| now.saturating_duration_since(*then);
        let is_old = |(then, _): &(Instant, u64)| since(then) >= SPAN;
        while self.seen.get(1).is_some_and(is_old) {
            self.seen.pop_front();
        }
        self.seen.front().map_or(0, |(then, before)| {
            let seconds = since(then).as_secs_f64().max(1e-3);
            (states.saturating_sub(*before) as f64 / seconds) as u64
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Lines(Mutex<Vec<String>>);

    impl Observer for Lines {
        fn progress(&self, progress: Progress<'_>) {
            let figures = progress.figures.iter();
            let figures: Vec<String> = figures.map(|(n, what)| format!("{n} {what}")).collect();
            self.0.lock().unwrap().push(figures.join(", "));
        }
    }

    #[test]
    fn a_progress_line_has_states_rate_and_queues() {
        let (lines, start) = (Lines::default(), Instant::now());
        let mut teller = ProgressReporter::new(start);
        assert!(!teller.is_due(start) && teller.is_due(start + OFTEN));
        for seconds in 1..=10 {
            // Fast at first, then slower.
            let states = 100 * seconds.min(5) + 10 * (seconds.max(5) - 5);
            let gauges = vec![vec![(states, 7), (0, 8)], vec![(states, 9), (0, 0)]];
            teller.report(start + Duration::from_secs(seconds), &gauges, &lines);
        }
        let many = vec![vec![(1, 3); 5], vec![(1, 4); 5]];
        teller.report(start + Duration::from_secs(11), &many, &lines);
        let lines = lines.0.into_inner().unwrap();
        let queues = "7 waiting at 0, 8 at 1, 9 at 2, 0 at 3";
        assert_eq!(lines[0], format!("200 states, 200 states/s, {queues}"));
        assert_eq!(lines[9], format!("1100 states, 20 states/s, {queues}"));
        let queues = "3 waiting at the least busy worker, 4 at the busiest";
        assert_eq!(lines[10], format!("10 states, 0 states/s, {queues}"));
    }
}
