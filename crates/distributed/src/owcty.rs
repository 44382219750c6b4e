//! W2 and W3: One Way Catch Them Young, on a Büchi automaton with marks on states.
//!
//! ```text
//! S := all nodes
//! loop   W2  S := nodes reachable inside S from its accepting nodes; in-degrees inside S
//!        W3  S := S without nodes of in-degree 0, again and again
//!        until |S| = 0: no accepted run;  or |S| as in the last round: every node of S has an
//!              accepting ancestor and a predecessor in S
//! ```
//!
//! (I. Černá and R. Pelánek, *Distributed explicit fair cycle detection*, SPIN 2003; J. Barnat, L.
//! Brim and P. Ročkai, *A time-optimal on-the-fly parallel algorithm for model checking of weak LTL
//! properties*, ICFEM 2009.) If the automaton is *weak*, a cycle has only accepting nodes or none:
//! S starts as the accepting nodes, W2 only counts in-degrees, and one round decides.
//!
//! A node that becomes marked sends each of its edges once, and each edge increments an in-degree;
//! a dropped node sends the same edges again to decrement them. Parallel edges count as often as
//! they are enumerated, which is the same both times. Nine bytes per node at most.

use crate::post::Outbox;
use crate::product::{Arrival, DistributedProduct, OwnNode, Owned, WorkerNodes, owner};
use crate::shared::Gauge;
use crate::wave::{STRETCH, WaveContext, WavePart};
use lariat_budget::Stop;
use lariat_space::explicit::StateTable;

/// The set S at one worker, with in-degrees.
pub(crate) struct NodeSubset {
    /// For each node: [`OUT`], [`IN`] or [`MARKED`].
    pub kept: Vec<u8>,
    degree: Vec<u32>,
    todo: Vec<u32>,
}

pub(crate) const OUT: u8 = 0;
const IN: u8 = 1;
const MARKED: u8 = 2;

impl NodeSubset {
    /// The nodes whose location satisfies `is_in`.
    pub fn new(owned: &mut Owned, is_in: impl Fn(u32) -> bool) -> Result<NodeSubset, Stop> {
        let nodes = owned.len();
        // Bytes of the three arrays; in the worst case every node waits.
        owned.lease.resize(nodes.saturating_mul(9))?;
        let kept = (0..nodes as u32).map(|node| {
            if is_in(owned.get(OwnNode(node)).1) {
                IN
            } else {
                OUT
            }
        });
        Ok(NodeSubset {
            kept: kept.collect(),
            degree: vec![0; nodes],
            todo: Vec::new(),
        })
    }

    pub fn len(&self) -> u64 {
        self.kept.iter().filter(|kept| **kept != OUT).count() as u64
    }
}

/// Computes the fixpoint, or one round if the automaton is weak, and its size at all workers.
pub(crate) fn fixpoint(
    context: &mut WaveContext<'_>,
    product: &DistributedProduct<'_>,
    owned: &mut Owned,
    gauge: &Gauge,
    edges: &mut u64,
) -> Result<(NodeSubset, u64), Stop> {
    let made = NodeSubset::new(owned, |location| {
        !product.is_weak || product.accepting[location as usize]
    });
    let agreed = context.agree(made.as_ref().map(NodeSubset::len).map_err(Clone::clone));
    let mut set = made?;
    let mut before = agreed?.into_iter().sum::<u64>();
    while before > 0 {
        let mut left = 0;
        for step in [Step::Mark, Step::Drop] {
            step.prepare(product, owned, &mut set);
            let mut part = Edges {
                step,
                product,
                owned,
                set: &mut set,
                gauge,
                edges,
            };
            let done = context.wave(&mut part);
            left = context.agree(done.map(|()| set.len()))?.into_iter().sum();
        }
        if product.is_weak || left == before {
            return Ok((set, left));
        }
        before = left;
    }
    Ok((set, 0))
}

/// The kind of a wave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// W2.
    Mark,
    /// W3.
    Drop,
}

impl Step {
    /// Initialises the nodes from which the wave starts.
    fn prepare(self, product: &DistributedProduct<'_>, owned: &Owned, set: &mut NodeSubset) {
        let NodeSubset { kept, degree, todo } = set;
        match self {
            Step::Mark => {
                degree.fill(0);
                for (node, kept) in (0..).zip(kept.iter_mut()) {
                    if *kept != OUT {
                        let (_, location) = owned.get(OwnNode(node));
                        *kept = IN;
                        if product.accepting[location as usize] {
                            *kept = MARKED;
                            todo.push(node);
                        }
                    }
                }
            }
            Step::Drop => {
                for (node, kept) in (0..).zip(kept.iter_mut()) {
                    if *kept == MARKED && degree[node as usize] > 0 {
                        continue;
                    }
                    if *kept == MARKED {
                        todo.push(node);
                    }
                    *kept = OUT;
                }
            }
        }
    }
}

/// One worker's part of either wave.
struct Edges<'a, 'q> {
    step: Step,
    product: &'a DistributedProduct<'q>,
    owned: &'a mut Owned,
    set: &'a mut NodeSubset,
    gauge: &'a Gauge,
    edges: &'a mut u64,
}

impl NodeSubset {
    /// Processes an edge to a node that the worker owns.
    fn arrive(
        &mut self,
        step: Step,
        states: &mut StateTable,
        nodes: &WorkerNodes,
        arrival: Arrival,
    ) {
        let Some(node) = nodes.known(states, arrival) else {
            return;
        };
        let (kept, degree) = (&mut self.kept[node.index()], &mut self.degree[node.index()]);
        match (step, *kept) {
            (_, OUT) => {}
            (Step::Mark, kept_before) => {
                *degree += 1;
                if kept_before == IN {
                    *kept = MARKED;
                    self.todo.push(node.0);
                }
            }
            (Step::Drop, _) => {
                *degree = degree.saturating_sub(1);
                if *degree == 0 {
                    *kept = OUT;
                    self.todo.push(node.0);
                }
            }
        }
    }
}

impl WavePart for Edges<'_, '_> {
    fn receive(&mut self, _: usize, contents: &[u8]) -> Result<(), Stop> {
        let Edges { step, set, .. } = self;
        self.owned.read(contents, 0, |states, nodes, arrival, _| {
            set.arrive(*step, states, nodes, arrival);
            Ok(())
        })
    }

    fn work(&mut self, out: &mut Outbox) -> Result<bool, Stop> {
        let Edges {
            step,
            product,
            owned,
            set,
            edges,
            ..
        } = self;
        for _ in 0..STRETCH {
            if out.is_full() {
                break;
            }
            let Some(node) = set.todo.pop() else {
                break;
            };
            product.edges(owned, OwnNode(node), |states, nodes, _, target| {
                **edges += 1;
                let to = owner(target.print, nodes.workers);
                if to == nodes.me {
                    set.arrive(*step, states, nodes, target.arrival);
                } else {
                    out.put(to, |bytes| {
                        target.arrival.write(states, bytes);
                    });
                }
                Ok(())
            })?;
        }
        let waiting = self.set.todo.len() as u64;
        self.gauge.set(self.owned.states.len() as u64, waiting);
        Ok(waiting > 0)
    }
}
