//! The symbolic observation graph as a result: its aggregates, their labels and edges.
//!
//! It is the product of [`sog`](super::sog) with an automaton of one state that reads every letter:
//! for each atom it has a loop for its truth and one for its falsehood, so that the atom is observed.
//! The graph depends on the atoms alone, so one graph serves all formulas over the same atoms.
//!
//! C. A. Abid, K. Klai, J. Arias, H. Ouni, *SOG-based multi-core LTL model checking*, ISPA 2020,
//! Def. 4; A. Duret-Lutz, K. Klai, D. Poitrenaud, Y. Thierry-Mieg, *Combining explicit and symbolic
//! approaches for better on-the-fly LTL model checking*, CoRR abs/1106.5700, Def. 5.

use super::operators::{Restriction, SymbolicProblem};
use super::product::{Aggregates, SetWorker};
use super::sop::{Grain, Shape, Sop};
use crate::problem::Problem;
use lariat_budget::{RunContext, Stop};
use lariat_emptiness::{Graph, NodeId};
use lariat_space::symbolic::{Symbolic, UBig};

/// A symbolic observation graph.
#[derive(Clone, Debug, Default)]
pub struct ObservationGraph {
    /// The aggregates, in the order of discovery.
    pub aggregates: Vec<ObservedAggregate>,
    /// The initial aggregates.
    pub initial: Vec<usize>,
    /// Pairs of source and target.
    pub edges: Vec<(usize, usize)>,
}

/// An aggregate.
#[derive(Clone, Debug)]
pub struct ObservedAggregate {
    /// The observed state atoms that hold in its states, as bits.
    pub label: u64,
    /// The number of its states; none for an aggregate that represents an infinite silent run.
    pub states: Option<UBig>,
}

/// Computes the graph of a problem whose automaton has one state and observes all atoms. With `refined`, aggregates are
/// divided into entry sets and interiors, which is exact for events.
pub fn observation_graph(
    problem: &Problem<'_>,
    space: &mut Symbolic<'_>,
    refined: bool,
    ctx: RunContext<'_>,
) -> Result<ObservationGraph, Stop> {
    let mut sets = SymbolicProblem::new(problem, space, Restriction::Open, ctx.budget);
    let grain = if refined {
        Grain::Refined
    } else {
        Grain::Closed
    };
    let product = Sop::new(&sets, grain, |_| false);
    let (graph, mut worker) = Aggregates::new(product, &mut sets, None, ctx);
    let mut found = ObservationGraph::default();
    let mut k = 0;
    while let Some(node) = graph.initial(&mut worker, k)? {
        if !found.initial.contains(&node.index()) {
            found.initial.push(node.index());
        }
        k += 1;
    }
    let mut next = 0;
    while next < worker.node_count() {
        let node = NodeId(next as u32);
        let mut cursor = 0;
        let first = found.edges.len();
        while let Some(edge) = graph.next_edge(&mut worker, node, &mut cursor)? {
            let pair = (next, edge.to.index());
            if !found.edges[first..].contains(&pair) {
                found.edges.push(pair);
            }
        }
        found.aggregates.push(aggregate(&mut worker, node)?);
        next += 1;
    }
    if sets.left_out {
        return Err(Stop::Bound(
            "states with more tokens were omitted".to_owned(),
        ));
    }
    Ok(found)
}

fn aggregate(
    worker: &mut SetWorker<'_, '_, '_, Sop>,
    node: NodeId,
) -> Result<ObservedAggregate, Stop> {
    let node = worker.node(node).clone();
    let (shape, label) = worker.product.observed(&node);
    let states = (shape != Shape::Divergent).then(|| worker.sets.space.store().count(&node.set));
    Ok(ObservedAggregate { label, states })
}
