//! The short table at the end of a campaign: what became of the jobs of each engine.

use crate::record::{Outcome, Record};
use std::collections::HashMap;

/// One engine's figures, over all its records.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tally {
    /// The preset's name; an engine of the same name may also count states.
    pub engine: String,
    /// Does it count states?
    pub counts_states: bool,
    /// How many jobs ended in each way.
    pub outcomes: HashMap<Outcome, usize>,
    /// Answers that contradict known ones.
    pub wrong: usize,
    /// Seconds of the processor, over all jobs.
    pub cpu: f64,
}

impl Tally {
    /// How many jobs ended in this way.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.outcomes.get(&outcome).copied().unwrap_or(0)
    }
}

/// The engines of some records with their figures, in the order of the first record of each.
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
