//! Throughput and memory of Couvreur's check on graphs computed from the node's number, so that the
//! graph itself costs almost nothing.
//!
//!     cargo bench -p lariat-emptiness --bench big -- [nodes]

use std::convert::Infallible;
use std::time::Instant;

use lariat_corpora::bench::arguments;
use lariat_emptiness::{Counts, Edge, Graph, Marks, NodeId, Outcome, couvreur, lasso};

/// `nodes` nodes with `out` edges each. An edge leads at most `back` nodes back and anywhere
/// forward: `back` = 0 makes every node a component, a large one makes them one.
struct Arithmetic {
    nodes: u64,
    out: u64,
    back: u64,
    accepting: bool,
}

#[derive(Default)]
struct Peak(usize);

impl Graph for Arithmetic {
    type Stop = Infallible;
    type Worker = Peak;
    type Cursor = u32;

    fn marks(&self) -> Marks {
        Marks::all(2)
    }

    fn initial(&self, _: &mut Peak, k: usize) -> Result<Option<NodeId>, Infallible> {
        Ok((k == 0).then_some(NodeId(0)))
    }

    fn next_edge(
        &self,
        _: &mut Peak,
        node: NodeId,
        cursor: &mut u32,
    ) -> Result<Option<Edge>, Infallible> {
        let k = u64::from(*cursor);
        if k == self.out {
            return Ok(None);
        }
        *cursor += 1;
        let n = u64::from(node.0);
        let mixed = (n * self.out + k).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let ahead = 1 + (mixed >> 4) % 1000;
        let to = match k {
            0 if self.back > 0 && mixed.is_multiple_of(16) => n.saturating_sub(mixed % self.back),
            _ => n + ahead,
        };
        if to >= self.nodes {
            return Ok((self.back > self.nodes).then_some(Edge {
                to: NodeId(0),
                marks: Marks::NONE,
            }));
        }
        let last = self.accepting && n + 2000 > self.nodes;
        Ok(Some(Edge {
            to: NodeId(to as u32),
            marks: Marks(if last { 2 } else { mixed % 2 }),
        }))
    }

    fn tick(&self, worker: &mut Peak, bytes: usize) -> Result<(), Infallible> {
        worker.0 = worker.0.max(bytes);
        Ok(())
    }
}

fn main() {
    let nodes = arguments().next().and_then(|n| n.parse().ok());
    let nodes: u64 = nodes.unwrap_or(10_000_000);
    for (name, back, accepting) in [
        ("acyclic", 0, false),
        ("small components", 50, false),
        ("one component", nodes + 1, false),
        ("accepting at the end", nodes + 1, true),
    ] {
        let graph = Arithmetic {
            nodes,
            out: 3,
            back,
            accepting,
        };
        let mut peak = Peak::default();
        let mut counts = Counts::default();
        let start = Instant::now();
        let outcome = match couvreur(&graph, &mut peak, &mut counts) {
            Ok(outcome) => outcome,
            Err(never) => match never {},
        };
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{name}: {} nodes, {} edges, depth {}, {seconds:.2} s, {:.1} M nodes/s, {:.1} bytes/node",
            counts.nodes,
            counts.edges,
            counts.deepest,
            counts.nodes as f64 / seconds / 1e6,
            peak.0 as f64 / counts.nodes as f64,
        );
        if let Outcome::Accepting(evidence) = outcome {
            let start = Instant::now();
            if let Ok(Some(lasso)) = lasso(&graph, &mut peak, &evidence) {
                println!(
                    "  found with prefix {} and a component of {}; lasso {} + {} in {:.2} s",
                    evidence.prefix.len(),
                    evidence.component.len(),
                    lasso.prefix.len(),
                    lasso.cycle.len(),
                    start.elapsed().as_secs_f64(),
                );
            }
        }
    }
}
