//! Size of the whole product of a problem, including parts that a check does not explore.
//!
//! For measurement: papers compare whole products as well as their explored parts.

use crate::engine::AutomatonKind;
use crate::explicit::product::ExplicitProduct;
use crate::problem::Problem;
use crate::testing_automata::{Construction, TestingProduct, only_states};
use lariat_budget::{RunContext, Stop};
use lariat_emptiness::{Graph, NodeId};

/// The size of a whole product.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Reachable nodes.
    pub nodes: usize,
    /// Edges between them.
    pub edges: u64,
}

/// Returns the size of the product that the explicit engine searches with this kind of automaton.
pub fn product_size(
    problem: &Problem<'_>,
    kind: AutomatonKind,
    construction: Construction,
    ctx: RunContext<'_>,
) -> Result<Size, Stop> {
    if kind.is_testing() {
        only_states(problem)?;
    }
    let mut whole = problem.clone();
    whole.prefixes = false;
    let problem = &whole;
    match kind {
        AutomatonKind::Tgba => synchronous(problem, ctx),
        AutomatonKind::Ba => {
            let automaton = problem.degeneralized(ctx.budget)?;
            synchronous(&problem.with_automaton(&automaton), ctx)
        }
        AutomatonKind::Ta => {
            let automaton = construction.ta(problem.automaton, ctx.budget)?;
            let product = TestingProduct::two_pass(problem, &automaton, ctx.observer);
            size(&product, &mut product.worker(ctx.budget))
        }
        AutomatonKind::Tgta => {
            let automaton = construction.tgta(problem.automaton, ctx.budget)?;
            let product = TestingProduct::generalized(problem, &automaton, ctx.observer);
            size(&product, &mut product.worker(ctx.budget))
        }
    }
}

fn synchronous(problem: &Problem<'_>, ctx: RunContext<'_>) -> Result<Size, Stop> {
    let product = ExplicitProduct::new(problem, ctx.observer);
    size(&product, &mut product.worker(ctx.budget))
}

fn size<G: Graph>(graph: &G, worker: &mut G::Worker) -> Result<Size, G::Stop> {
    let (mut found, mut edges, mut k) = (Discovered::default(), 0u64, 0);
    while let Some(node) = graph.initial(worker, k)? {
        found.add(node);
        k += 1;
    }
    let mut at = 0;
    while let Some(node) = found.nodes.get(at).copied() {
        let mut cursor = G::Cursor::default();
        while let Some(edge) = graph.next_edge(worker, node, &mut cursor)? {
            found.add(edge.to);
            edges += 1;
            if edges.is_multiple_of(1024) {
                graph.tick(worker, found.bytes())?;
            }
        }
        at += 1;
    }
    let nodes = found.nodes.len();
    Ok(Size { nodes, edges })
}

/// Nodes in the order of discovery, with one bit per node.
#[derive(Default)]
struct Discovered {
    nodes: Vec<NodeId>,
    bits: Vec<u64>,
}

impl Discovered {
    fn add(&mut self, node: NodeId) {
        let (word, bit) = (node.index() / 64, 1 << (node.index() % 64));
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        if self.bits[word] & bit == 0 {
            self.bits[word] |= bit;
            self.nodes.push(node);
        }
    }

    fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<NodeId>() + self.bits.capacity() * size_of::<u64>()
    }
}
