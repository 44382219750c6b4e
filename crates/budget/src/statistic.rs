//! The names of everything that is counted, in one place.
//!
//! Engines set figures under these names, reports print them and plots read them back from files of
//! results. A figure whose name is not in this table cannot be set: [`Statistic`] has no other values.

/// The name of a figure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Statistic {
    name: &'static str,
    repeats: Repeats,
    meaning: &'static str,
}

/// When a figure is the same in every run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Repeats {
    /// With any number of threads.
    Always,
    /// Where the search came to its end; else with one worker.
    Ended,
    /// With one worker: of several that search together, who comes by first matters.
    Worker,
    /// With one thread: what several compute together, some of them compute twice.
    Thread,
    /// Not at all: a time.
    Never,
}

impl Statistic {
    /// The name, as reports print it.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// When it is the same in every run.
    pub const fn repeats(self) -> Repeats {
        self.repeats
    }

    /// What is counted, in a few words.
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
                    repeats: Repeats::$repeats,
                    meaning: $meaning,
                };
            )*

            /// All of them, in the order of the table.
            pub const ALL: &[Statistic] = &[$(Statistic::$constant),*];
        }
    };
}

statistics! {
    AUTOMATON_KIND "automaton_kind" Always "The kind of automaton that was read.";
    AUTOMATON_STATES "automaton_states" Always "States of that automaton.";
    AUTOMATON_EDGES "automaton_edges" Always "Its edges.";
    AUTOMATON_MARKS "automaton_marks" Always "Its acceptance marks.";
    TESTING_TRANSITIONS "testing_transitions" Always "Transitions of a testing automaton, one for each change.";
    PRODUCT_STATES "product_states" Ended "Nodes of the product that were explored.";
    PRODUCT_EDGES "product_edges" Worker "Edges of the product that were explored.";
    FULL_STATES "full_states" Ended "Nodes of the whole product.";
    FULL_EDGES "full_edges" Ended "Edges of the whole product.";
    STATES "states" Ended "Different states of the system among them.";
    WORKERS "workers" Always "Workers that searched together, if there were several: other figures then depend on who came first.";
    PACKED_BITS "packed_bits" Always "Bits of a packed state.";
    SYMMETRIES "symmetries" Always "Symmetries of the net: the logarithm of their number, to base 10.";
    SYMMETRIES_KEPT "symmetries_kept" Always "The same of those that the property cannot tell apart.";
    DEPTH "depth" Worker "The longest path that the search held.";
    AGGREGATES "aggregates" Worker "Nodes that hold sets of states.";
    INCLUSIONS "inclusions" Worker "Nodes that were left out because another one includes them.";
    SYMBOLIC_OPERATIONS "symbolic_operations" Thread "Successors, predecessors, closures and parts of sets that were computed.";
    DIVERGENCE_TESTS "divergence_tests" Thread "Sets that were searched for a cycle.";
    THREADS "threads" Always "Threads that worked on the product, looked near the initial states beside it or searched for an order, if they were several: what diagrams and operations count then depends on who was faster.";
    DIAGRAM_PEAK "diagram_peak" Thread "The most diagram nodes at one moment.";
    DIAGRAM_CREATED "diagram_created" Thread "Diagram nodes created.";
    CACHE_LOOKUPS "cache_lookups" Thread "Questions to the operation cache.";
    CACHE_HITS "cache_hits" Thread "Questions that it could answer.";
    SCC_CHECKS "scc_checks" Worker "Saturated nodes that could have closed a fair cycle.";
    SCC_PREVENTED_BY_STRUCTURE "scc_prevented_by_structure" Worker "Searches ruled out by what events do to components.";
    SCC_PREVENTED_BY_AUTOMATON "scc_prevented_by_automaton" Worker "Searches ruled out because the automaton cannot accept there.";
    SCC_PREVENTED_BY_RECURRING "scc_prevented_by_recurring" Worker "Searches ruled out because no known state was met again.";
    SCC_PREVENTED_BY_ABSTRACTION "scc_prevented_by_abstraction" Worker "Searches ruled out because the values of the node have no cycle.";
    SCC_PREVENTED_BY_MARKS "scc_prevented_by_marks" Worker "Searches ruled out because a mark is missing.";
    SCC_SYMBOLIC_RUNS "scc_symbolic_runs" Worker "Searches that were carried out.";
    ROUNDS "rounds" Worker "Rounds with a growing cap on values.";
    PRODUCT_SECONDS "product_seconds" Never "Seconds of the saturation of the product.";
    SCC_SHARE "scc_share" Never "The share of them that searches took.";
    REACH_SECONDS "reach_seconds" Never "Seconds until the reachable states were found.";
    REACH_WORK "reach_work" Thread "Diagram nodes and steps until then, those of orders that were given up included.";
    STATES_SEEN "states_seen" Ended "States that were found.";
    EDGES_SEEN "edges_seen" Ended "Steps between them that were taken.";
    BYTES_PER_STATE "bytes_per_state" Thread "Bytes that a state takes in the store.";
    NODES_FINAL "nodes_final" Worker "Diagram nodes of the reachable states.";
    NODES_PEAK "nodes_peak" Thread "The most diagram nodes at one moment.";
    NODES_CREATED "nodes_created" Thread "Diagram nodes created.";
    COLLECTIONS "collections" Thread "Garbage collections.";
    ORDERS_TRIED "orders_tried" Thread "Variable orders that were tried.";
    BYTES_PEAK "bytes_peak" Thread "The most bytes that the stores held at one moment.";
    STATES_SENT "states_sent" Thread "States that a worker sent to the others while all were looked for.";
    BYTES_SENT "bytes_sent" Thread "Bytes that a worker sent to the others.";
    BYTES_HELD "bytes_held" Thread "Bytes that the process of a worker held when all states were found.";
    CPU_SECONDS "cpu_seconds" Never "Processor time of a worker, in seconds.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_stands_for_two_figures() {
        let names: BTreeSet<&str> = Statistic::ALL.iter().map(|s| s.name()).collect();
        assert_eq!(names.len(), Statistic::ALL.len());
        assert!(Statistic::ALL.iter().all(|s| s.meaning().ends_with('.')));
    }
}
