//! The figures that an engine counts.

use crate::statistic::{Determinism, Statistic};
use std::fmt;

/// The value of a statistic.
#[derive(Clone, Debug, PartialEq)]
pub enum StatValue {
    /// A number of objects.
    Count(u64),
    /// A share or an average.
    Real(f64),
    /// A name, such as the kind of the automaton.
    Text(String),
}

impl fmt::Display for StatValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StatValue::Count(count) => count.fmt(f),
            StatValue::Real(real) => write!(f, "{real:.3}"),
            StatValue::Text(text) => text.fmt(f),
        }
    }
}

impl From<u64> for StatValue {
    fn from(count: u64) -> StatValue {
        StatValue::Count(count)
    }
}

impl From<usize> for StatValue {
    fn from(count: usize) -> StatValue {
        StatValue::Count(count as u64)
    }
}

impl From<f64> for StatValue {
    fn from(real: f64) -> StatValue {
        StatValue::Real(real)
    }
}

impl From<String> for StatValue {
    fn from(text: String) -> StatValue {
        StatValue::Text(text)
    }
}

/// The threads that ran beside the one that counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concurrency {
    /// No other thread, unless the figures say otherwise.
    Alone,
    /// Threads that may have worked on the same question.
    Helpers,
    /// Threads with other questions: shared caches may change figures, and which engine answers.
    Questions,
}

/// Statistics in the order in which they were first set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats(Vec<(Statistic, StatValue)>);

impl Stats {
    /// Sets `statistic`, replacing an earlier value.
    pub fn set(&mut self, statistic: Statistic, figure: impl Into<StatValue>) {
        let figure = figure.into();
        match self.0.iter_mut().find(|(known, _)| *known == statistic) {
            Some(slot) => slot.1 = figure,
            None => self.0.push((statistic, figure)),
        }
    }

    /// Returns the value of `statistic`, if it was set.
    pub fn get(&self, statistic: Statistic) -> Option<&StatValue> {
        let found = self.0.iter().find(|(known, _)| *known == statistic);
        found.map(|(_, figure)| figure)
    }

    /// Returns the names of the figures that depend on thread timing: none for a single thread.
    /// Times are omitted, since they never repeat.
    pub fn varying(&self, concurrency: Concurrency, came_to_its_end: bool) -> Vec<&'static str> {
        let searched_together = self.get(Statistic::WORKERS).is_some();
        let several = searched_together || self.get(Statistic::THREADS).is_some();
        let alike = concurrency == Concurrency::Questions;
        let varies = |statistic: &Statistic| match statistic.repeats() {
            Determinism::Always | Determinism::Never => false,
            Determinism::Ended => alike || searched_together && !came_to_its_end,
            Determinism::Worker => alike || searched_together,
            Determinism::Thread => several || concurrency != Concurrency::Alone,
        };
        let names = self.0.iter().map(|(statistic, _)| statistic);
        names.filter(|s| varies(s)).map(|s| s.name()).collect()
    }

    /// Returns all figures by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &StatValue)> {
        let figures = self.0.iter();
        figures.map(|(statistic, figure)| (statistic.name(), figure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_depend_on_threads_are_listed() {
        let mut stats = Stats::default();
        for statistic in [
            Statistic::AUTOMATON_STATES,
            Statistic::STATES,
            Statistic::PRODUCT_EDGES,
            Statistic::BYTES_PEAK,
            Statistic::REACH_SECONDS,
        ] {
            stats.set(statistic, 1_usize);
        }
        assert!(stats.varying(Concurrency::Alone, false).is_empty());
        assert_eq!(stats.varying(Concurrency::Helpers, false), ["bytes_peak"]);
        let all = ["states", "product_edges", "bytes_peak"];
        assert_eq!(stats.varying(Concurrency::Questions, true), all);
        stats.set(Statistic::WORKERS, 2_usize);
        assert_eq!(stats.varying(Concurrency::Alone, false), all);
        assert_eq!(stats.varying(Concurrency::Alone, true), all[1..]);
    }
}
