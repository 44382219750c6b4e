//! The short table at the end of a campaign: outcomes of the jobs per engine.

use crate::record::{JobOutcome, Record};
use std::collections::HashMap;

/// Totals of one engine over all its records.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tally {
    /// The preset's name. Presets that count states may share it and have a separate tally.
    pub engine: String,
    /// True if the preset counts states.
    pub counts_states: bool,
    /// Number of jobs per outcome.
    pub outcomes: HashMap<JobOutcome, usize>,
    /// Number of answers that contradict known ones.
    pub wrong: usize,
    /// Seconds of processor time over all jobs.
    pub cpu: f64,
}

impl Tally {
    /// Returns the number of jobs with this outcome.
    pub fn count(&self, outcome: JobOutcome) -> usize {
        self.outcomes.get(&outcome).copied().unwrap_or(0)
    }
}

/// Sums up `records` per engine, in the order of each engine's first record.
pub fn tallies(records: &[Record]) -> Vec<Tally> {
    let mut tallies: Vec<Tally> = Vec::new();
    for record in records {
        let counts_states = record.property.is_empty();
        let at = tallies
            .iter()
            .position(|t| t.engine == record.engine && t.counts_states == counts_states);
        let at = at.unwrap_or_else(|| {
            tallies.push(Tally {
                engine: record.engine.clone(),
                counts_states,
                ..Tally::default()
            });
            tallies.len() - 1
        });
        let tally = &mut tallies[at];
        *tally.outcomes.entry(record.outcome).or_default() += 1;
        tally.wrong += usize::from(record.is_wrong());
        tally.cpu += record.cpu;
    }
    tallies
}
