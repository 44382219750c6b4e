//! The figures that an engine counts.

use crate::statistic::{Repeats, Statistic};
use std::fmt;

/// The value of a statistic.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// A number of objects.
    Count(u64),
    /// A share or an average.
    Real(f64),
    /// A name, such as the kind of the automaton.
    Text(String),
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figure::Count(count) => count.fmt(f),
            Figure::Real(real) => write!(f, "{real:.3}"),
            Figure::Text(text) => text.fmt(f),
        }
    }
}

impl From<u64> for Figure {
    fn from(count: u64) -> Figure {
        Figure::Count(count)
    }
}

impl From<usize> for Figure {
    fn from(count: usize) -> Figure {
        Figure::Count(count as u64)
    }
}

impl From<f64> for Figure {
    fn from(real: f64) -> Figure {
        Figure::Real(real)
    }
}

impl From<String> for Figure {
    fn from(text: String) -> Figure {
        Figure::Text(text)
    }
}

/// The threads that ran beside the one that counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Company {
    /// None, unless the figures say otherwise.
    Nobody,
    /// Threads that may have worked on the same question.
    Helpers,
    /// Threads with other questions: shared caches may change figures, and which engine answers.
    Questions,
}

/// Statistics in the order in which they were first set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats(Vec<(Statistic, Figure)>);

impl Stats {
    /// Sets `statistic`, replacing an earlier value.
    pub fn set(&mut self, statistic: Statistic, figure: impl Into<Figure>) {
        let figure = figure.into();
        match self.0.iter_mut().find(|(known, _)| *known == statistic) {
            Some(slot) => slot.1 = figure,
            None => self.0.push((statistic, figure)),
        }
    }

    /// Returns the value of `statistic`, if it was set.
    pub fn get(&self, statistic: Statistic) -> Option<&Figure> {
        let found = self.0.iter().find(|(known, _)| *known == statistic);
        found.map(|(_, figure)| figure)
    }

    /// Returns the names of the figures that depend on thread timing: none for a single thread.
    /// Times are omitted, since they never repeat.
    pub fn varying(&self, company: Company, came_to_its_end: bool) -> Vec<&'static str> {
        let searched_together = self.get(Statistic::WORKERS).is_some();
        let several = searched_together || self.get(Statistic::THREADS).is_some();
        let alike = company == Company::Questions;
        let varies = |statistic: &Statistic| match statistic.repeats() {
            Repeats::Always | Repeats::Never => false,
            Repeats::Ended => alike || searched_together && !came_to_its_end,
            Repeats::Worker => alike || searched_together,
            Repeats::Thread => several || company != Company::Nobody,
        };
        let names = self.0.iter().map(|(statistic, _)| statistic);
        names.filter(|s| varies(s)).map(|s| s.name()).collect()
    }

    /// Returns all figures by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Figure)> {
        self.0
            .iter()
            .map(|(statistic, figure)| (statistic.name(), figure))
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
        assert!(stats.varying(Company::Nobody, false).is_empty());
        assert_eq!(stats.varying(Company::Helpers, false), ["bytes_peak"]);
        let all = ["states", "product_edges", "bytes_peak"];
        assert_eq!(stats.varying(Company::Questions, true), all);
        stats.set(Statistic::WORKERS, 2_usize);
        assert_eq!(stats.varying(Company::Nobody, false), all);
        assert_eq!(stats.varying(Company::Nobody, true), all[1..]);
    }
}
