//! The table of all statistics.
//!
//! Engines set figures under these names, reports print them and plots read them back from files of
//! results. [`Statistic`] has no other values, so every name that is set is in this table.

/// The name of a figure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Statistic {
    name: &'static str,
    repeats: Determinism,
    meaning: &'static str,
}

/// The condition under which a figure is deterministic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Determinism {
    /// On any number of threads.
    Always,
    /// If the search was exhaustive, or ran on one worker.
    Ended,
    /// On one worker; the order in which several workers reach a node matters.
    Worker,
    /// On one thread; several threads compute some results twice.
    Thread,
    /// Never: a time.
    Never,
}

impl Statistic {
    /// Returns the name, as reports print it.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns the condition under which the figure is deterministic.
    pub const fn repeats(self) -> Determinism {
        self.repeats
    }

    /// Returns a short description.
    pub const fn meaning(self) -> &'static str {
        self.meaning
    }
}

macro_rules! statistics {
    ($($constant:ident $name:literal $repeats:ident $meaning:literal;)*) => {
        impl Statistic {
            $(
                #[doc = $meaning]
                pub const $constant: Statistic = Statistic {
                    name: $name,
                    repeats: Determinism::$repeats,
                    meaning: $meaning,
                };
            )*

            /// All statistics, in the order of the table.
            pub const ALL: &[Statistic] = &[$(Statistic::$constant),*];
        }
    };
}

statistics! {
    AUTOMATON_KIND "automaton_kind" Always "The kind of automaton that was read.";
    AUTOMATON_STATES "automaton_states" Always "States of the automaton.";
    AUTOMATON_EDGES "automaton_edges" Always "Edges of the automaton.";
    AUTOMATON_MARKS "automaton_marks" Always "Acceptance marks of the automaton.";
    TESTING_TRANSITIONS "testing_transitions" Always "Transitions of a testing automaton, one per change.";
    PRODUCT_STATES "product_states" Ended "Nodes of the product that were explored.";
    PRODUCT_EDGES "product_edges" Worker "Edges of the product that were explored.";
    FULL_STATES "full_states" Ended "Nodes of the whole product.";
    FULL_EDGES "full_edges" Ended "Edges of the whole product.";
    STATES "states" Ended "Different system states in the explored product.";
    WORKERS "workers" Always "Workers of a parallel search, if several: other figures then depend on thread timing.";
    AMPLE_LOCATIONS "ample_locations" Always "Locations of processes at which the steps of the process suffice: partial-order reduction.";
    PACKED_BITS "packed_bits" Always "Bits of a packed state.";
    SYMMETRIES "symmetries" Always "Symmetries of the net: the logarithm of their number, to base 10.";
    SYMMETRIES_KEPT "symmetries_kept" Always "Symmetries that preserve the property: the logarithm of their number, to base 10.";
    DEPTH "depth" Worker "Maximal length of the search path.";
    AGGREGATES "aggregates" Worker "Nodes that hold sets of states.";
    INCLUSIONS "inclusions" Worker "Nodes that were skipped because another node includes them.";
    SYMBOLIC_OPERATIONS "symbolic_operations" Thread "Images, preimages, closures and selections that were computed.";
    DIVERGENCE_TESTS "divergence_tests" Thread "Sets that were tested for a cycle.";
    THREADS "threads" Always "Threads that built the product, searched near the initial states or raced variable orders, if several: counts of nodes and operations then depend on thread timing.";
    DIAGRAM_PEAK "diagram_peak" Thread "Maximal number of diagram nodes at one moment.";
    DIAGRAM_CREATED "diagram_created" Thread "Diagram nodes created.";
    CACHE_LOOKUPS "cache_lookups" Thread "Lookups in the operation cache.";
    CACHE_HITS "cache_hits" Thread "Lookups that were hits.";
    SCC_CHECKS "scc_checks" Worker "Saturated nodes that could close a fair cycle.";
    SCC_PREVENTED_BY_STRUCTURE "scc_prevented_by_structure" Worker "Searches ruled out by the effects of events on components.";
    SCC_PREVENTED_BY_AUTOMATON "scc_prevented_by_automaton" Worker "Searches ruled out because the automaton cannot accept there.";
    SCC_PREVENTED_BY_RECURRING "scc_prevented_by_recurring" Worker "Searches ruled out because no known state was met again.";
    SCC_PREVENTED_BY_ABSTRACTION "scc_prevented_by_abstraction" Worker "Searches ruled out because the values of the node have no cycle.";
    SCC_PREVENTED_BY_MARKS "scc_prevented_by_marks" Worker "Searches ruled out because a mark is missing.";
    SCC_SYMBOLIC_RUNS "scc_symbolic_runs" Worker "Searches that were run.";
    ROUNDS "rounds" Worker "Rounds with increasing caps on values.";
    PRODUCT_SECONDS "product_seconds" Never "Seconds of the saturation of the product.";
    SCC_SHARE "scc_share" Never "Share of the saturation time spent in searches.";
    REACH_SECONDS "reach_seconds" Never "Seconds until the reachable states were computed.";
    REACH_WORK "reach_work" Thread "Counted work until then, with that of abandoned variable orders.";
    STATES_SEEN "states_seen" Ended "States that were found.";
    EDGES_SEEN "edges_seen" Ended "Transitions between states that were found.";
    BYTES_PER_STATE "bytes_per_state" Thread "Bytes per state in the store.";
    NODES_FINAL "nodes_final" Worker "Diagram nodes of the reachable states.";
    NODES_PEAK "nodes_peak" Thread "Maximal number of diagram nodes at one moment.";
    NODES_CREATED "nodes_created" Thread "Diagram nodes created.";
    COLLECTIONS "collections" Thread "Garbage collections.";
    ORDERS_TRIED "orders_tried" Thread "Variable orders that were tried.";
    BYTES_PEAK "bytes_peak" Thread "Maximal number of bytes leased at one moment.";
    STATES_SENT "states_sent" Thread "States that a worker sent to other workers during exploration.";
    BYTES_SENT "bytes_sent" Thread "Bytes that a worker sent to other workers.";
    BYTES_HELD "bytes_held" Thread "Bytes held by the process of a worker after exploration.";
    CPU_SECONDS "cpu_seconds" Never "Processor time of a worker, in seconds.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = Statistic::ALL.iter().map(|s| s.name()).collect();
        assert_eq!(names.len(), Statistic::ALL.len());
        assert!(Statistic::ALL.iter().all(|s| s.meaning().ends_with('.')));
    }
}
