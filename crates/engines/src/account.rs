//! What an engine tells of its run besides the answer.

use crate::explicit::Claims;
use lariat_automata::Automaton;
use lariat_budget::{Statistic, Stats};
use lariat_emptiness::Counts;
use lariat_model::VarId;

/// What an engine tells of its run, also when it stops early.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// What was counted.
    pub stats: Stats,
    /// The order of the variables in the diagrams, by name; `None` for engines without diagrams.
    pub order: Option<String>,
    /// A variable that was assigned a value beyond its range, which wraps around.
    pub overflow: Option<VarId>,
    /// What is known of [the model's claims](crate::Problem::claims), if they were looked at.
    pub claims: Option<Claims>,
    /// What each worker has counted, where several divide the states.
    pub workers: Vec<Stats>,
}

impl Account {
    /// The figures of the automaton that is read.
    pub fn automaton(&mut self, automaton: &Automaton) {
        let stats = &mut self.stats;
        stats.set(Statistic::AUTOMATON_STATES, automaton.states.len());
        stats.set(Statistic::AUTOMATON_EDGES, automaton.edge_count());
        stats.set(Statistic::AUTOMATON_MARKS, u64::from(automaton.mark_count));
    }

    /// The figures of a search.
    pub(crate) fn search(&mut self, counts: &Counts) {
        self.stats.set(Statistic::PRODUCT_STATES, counts.nodes);
        self.stats.set(Statistic::PRODUCT_EDGES, counts.edges);
        self.stats.set(Statistic::DEPTH, counts.deepest);
    }
}
