//! Statistics and side results of an engine's run.

use crate::explicit::Claims;
use lariat_automata::Automaton;
use lariat_budget::{Statistic, Stats};
use lariat_emptiness::Counts;
use lariat_model::VarId;

/// Statistics and side results of a run, also filled in if the run stops early.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Counters.
    pub stats: Stats,
    /// The order of the variables in the diagrams, by name; `None` for engines without diagrams.
    pub order: Option<String>,
    /// A variable that was assigned a value beyond its range, which wraps around.
    pub overflow: Option<VarId>,
    /// Result for [the model's claims](crate::Problem::claims), if they were checked.
    pub claims: Option<Claims>,
    /// Counters of each worker, for engines that partition the states among workers.
    pub workers: Vec<Stats>,
}

impl Account {
    /// Records the size of the automaton that the engine reads.
    pub fn automaton(&mut self, automaton: &Automaton) {
        let stats = &mut self.stats;
        stats.set(Statistic::AUTOMATON_STATES, automaton.states.len());
        stats.set(Statistic::AUTOMATON_EDGES, automaton.edge_count());
        stats.set(Statistic::AUTOMATON_MARKS, u64::from(automaton.mark_count));
    }

    /// Records the counters of an emptiness check.
    pub(crate) fn search(&mut self, counts: &Counts) {
        self.stats.set(Statistic::PRODUCT_STATES, counts.nodes);
        self.stats.set(Statistic::PRODUCT_EDGES, counts.edges);
        self.stats.set(Statistic::DEPTH, counts.deepest);
    }
}
