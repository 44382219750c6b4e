//! What an engine counted.

use crate::statistic::Statistic;
use std::fmt;

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// A number of things.
    Count(u64),
    /// A share or an average.
    Real(f64),
    /// A name, such as the kind of automaton that was read.
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

/// Figures in the order in which they were first set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats(Vec<(Statistic, Figure)>);

impl Stats {
    /// Sets `statistic`, replacing an earlier figure of that name.
    pub fn set(&mut self, statistic: Statistic, figure: impl Into<Figure>) {
        let figure = figure.into();
        match self.0.iter_mut().find(|(known, _)| *known == statistic) {
            Some(slot) => slot.1 = figure,
            None => self.0.push((statistic, figure)),
        }
    }

    /// The figure of `statistic`, if it was set.
    pub fn get(&self, statistic: Statistic) -> Option<&Figure> {
        let found = self.0.iter().find(|(known, _)| *known == statistic);
        found.map(|(_, figure)| figure)
    }

    /// All figures by their names.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Figure)> {
        self.0
            .iter()
            .map(|(statistic, figure)| (statistic.name(), figure))
    }
}
