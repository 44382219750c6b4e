//! Bounded search for a cycle: Couvreur's check on the neighbourhood of a node of a walk.
//!
//! Once the automaton is in an accepting component, only a cycle is missing, and a walk seldom
//! closes one by chance. The check explores the product from here inside the component, in an order
//! drawn from the seed, and gives up after [`MOST_NODES`]. Nodes with many ways use a random subset
//! of them; the next search uses another.

use super::ways;
use crate::acceptance_map::AcceptanceMap;
use crate::explicit::product::{ExplicitProduct, ExplicitWorker};
use crate::explicit::single::MoveRange;
use lariat_automata::StateId as Location;
use lariat_budget::{Budget, Stop};
use lariat_emptiness::{Counts, Edge, Graph, GraphLasso, Marks, NodeId, Outcome, couvreur, lasso};
use lariat_random::Random;
use lariat_space::explicit::{ExplicitStateId, StepChoice};
use rustc_hash::FxHashMap;

/// Limit on nodes, about the cost of a walk of as many steps. Longer cycles are seldom found.
const MOST_NODES: usize = 3000;
/// Limit on the ways per node.
const MOST_WAYS: usize = 32;

/// The neighbourhood of a node, as a graph.
pub(super) struct Neighbourhood<'a, 'p> {
    pub product: &'a ExplicitProduct<'p>,
    pub acceptance: &'a AcceptanceMap,
    pub budget: &'a Budget,
    pub start: NodeId,
    /// The component of the automaton that the search does not leave, if it is restricted.
    pub within: Option<u32>,
    pub seed: u64,
}

/// The explored nodes, renumbered so that other nodes cost no memory.
pub(super) struct NearNodes<'w> {
    worker: &'w mut ExplicitWorker,
    numbers: FxHashMap<NodeId, NodeId>,
    nodes: Vec<NodeId>,
    most: usize,
}

/// End of a search without a cycle.
pub(super) enum NearHalt {
    /// The limit on nodes.
    Enough,
    Stop(Stop),
}

impl From<Stop> for NearHalt {
    fn from(stop: Stop) -> NearHalt {
        NearHalt::Stop(stop)
    }
}

#[derive(Default)]
pub(super) struct NearCursor {
    /// Remaining ways; `None` before they are listed.
    ways: Option<Vec<StepChoice>>,
    /// Target and marks of the last way's step, and the remaining moves of the automaton.
    to: Option<(ExplicitStateId, Marks)>,
    moves: MoveRange,
}

impl Neighbourhood<'_, '_> {
    /// Returns an accepting lasso of the product that begins at the start, if one is found.
    pub fn search(
        &self,
        worker: &mut ExplicitWorker,
        counts: &mut Counts,
    ) -> Result<Option<GraphLasso>, Stop> {
        let mut seen = NearNodes {
            worker,
            numbers: FxHashMap::default(),
            nodes: Vec::new(),
            most: MOST_NODES,
        };
        let mut found = Counts::default();
        let evidence = couvreur(self, &mut seen, &mut found);
        counts.nodes += found.nodes;
        counts.edges += found.edges;
        let lasso = match evidence {
            Ok(Outcome::Accepting(evidence)) => {
                // Computing the lasso may touch further nodes.
                seen.most = usize::MAX;
                lasso(self, &mut seen, &evidence)
            }
            Ok(_) => Ok(None),
            Err(halt) => Err(halt),
        };
        let edge = |edge: &Edge| Edge {
            to: seen.nodes[edge.to.index()],
            marks: edge.marks,
        };
        match lasso {
            Ok(lasso) => Ok(lasso.map(|lasso| GraphLasso {
                initial: self.start,
                prefix: lasso.prefix.iter().map(edge).collect(),
                cycle: lasso.cycle.iter().map(edge).collect(),
            })),
            Err(NearHalt::Enough) => Ok(None),
            Err(NearHalt::Stop(stop)) => Err(stop),
        }
    }

    fn goes_to(&self, location: Location) -> bool {
        self.within
            .is_none_or(|component| self.acceptance.component(location) == component)
    }

    /// Returns the ways of a node, in the order of the search.
    fn ways(&self, worker: &mut ExplicitWorker, node: NodeId) -> Result<Vec<StepChoice>, Stop> {
        let mut ways = Vec::new();
        let mut random = Random::new(self.seed ^ u64::from(node.0));
        ways::list(self.product, worker, node, &mut random, &mut ways)?;
        for i in 0..ways.len().min(MOST_WAYS) {
            let other = random.between(i, ways.len() - 1);
            ways.swap(i, other);
        }
        ways.truncate(MOST_WAYS);
        ways.shrink_to_fit();
        Ok(ways)
    }

    fn number(&self, seen: &mut NearNodes<'_>, node: NodeId) -> Result<NodeId, NearHalt> {
        if let Some(number) = seen.numbers.get(&node) {
            return Ok(*number);
        }
        if seen.nodes.len() >= seen.most {
            return Err(NearHalt::Enough);
        }
        self.budget.spend(1)?;
        let number = NodeId(seen.nodes.len() as u32);
        seen.nodes.push(node);
        seen.numbers.insert(node, number);
        Ok(number)
    }
}

impl<'w> Graph for Neighbourhood<'w, '_> {
    type Stop = NearHalt;
    type Worker = NearNodes<'w>;
    type Cursor = NearCursor;

    fn marks(&self) -> Marks {
        self.product.marks()
    }

    fn initial(&self, seen: &mut NearNodes<'w>, k: usize) -> Result<Option<NodeId>, NearHalt> {
        match k {
            0 => self.number(seen, self.start).map(Some),
            _ => Ok(None),
        }
    }

    fn next_edge(
        &self,
        seen: &mut NearNodes<'w>,
        node: NodeId,
        cursor: &mut NearCursor,
    ) -> Result<Option<Edge>, NearHalt> {
        let node = seen.nodes[node.index()];
        let ways = match &mut cursor.ways {
            Some(ways) => ways,
            ways => ways.insert(self.ways(seen.worker, node)?),
        };
        loop {
            while let (Some((state, fair)), Some((marks, location))) =
                (cursor.to, seen.worker.next_move(&mut cursor.moves))
            {
                if self.goes_to(location) {
                    let to = seen.worker.nodes.intern(state, location)?;
                    let to = self.number(seen, to)?;
                    let marks = marks.union(fair);
                    return Ok(Some(Edge { to, marks }));
                }
            }
            let Some(way) = ways.pop() else {
                return Ok(None);
            };
            if let Some(((event, to), moves)) = self.product.take(seen.worker, node, way)? {
                let (from, _) = seen.worker.nodes.get(node);
                let fair = self.product.fair_marks(seen.worker, from, event)?;
                (cursor.to, cursor.moves) = (Some((to, fair)), moves);
            }
        }
    }

    fn tick(&self, seen: &mut NearNodes<'w>, bytes: usize) -> Result<(), NearHalt> {
        Ok(self.product.tick(seen.worker, bytes)?)
    }
}
