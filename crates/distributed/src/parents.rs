//! W4 and W5: the parent of each node, by which it was reached first.
//!
//! W4, for the loop: from the accepting nodes that OWCTY leaves, inside that set. Every node there
//! has an accepting ancestor, so each gets a parent. A node has a parent before it becomes one,
//! except for the accepting nodes where the wave starts, so each cycle of parents contains one of
//! these. W5, for the prefix: from the initial nodes, without parents. At most 12 bytes per node.

use crate::owcty::{NodeSubset, OUT};
use crate::post::Outbox;
use crate::product::{Arrival, DistributedProduct, OwnNode, Owned, WorkerNodes, owner};
use crate::wave::{STRETCH, WaveContext, WavePart};
use crate::wire::invalid;
use lariat_budget::Stop;
use lariat_space::explicit::StateTable;

/// A node of some worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Address {
    pub worker: u32,
    pub node: u32,
}

impl Address {
    const NONE: Address = Address {
        worker: u32::MAX,
        node: 0,
    };
    /// Marks an initial node.
    const ROOT: Address = Address {
        worker: u32::MAX,
        node: 1,
    };

    pub fn get(self) -> Option<Address> {
        (self.worker != u32::MAX).then_some(self)
    }
}

pub(crate) struct Parents {
    pub of: Vec<Address>,
    todo: Vec<u32>,
}

/// The start and the range of the wave.
pub(crate) enum SearchRegion<'a> {
    /// From accepting nodes, inside this set.
    Set(&'a NodeSubset),
    /// From the initial nodes, without a restriction.
    All,
}

/// Computes the parents of all nodes that the worker owns; fails if any worker fails.
pub(crate) fn parents(
    context: &mut WaveContext<'_>,
    product: &DistributedProduct<'_>,
    owned: &mut Owned,
    within: &SearchRegion<'_>,
) -> Result<Parents, Stop> {
    let begun = begin(product, owned, within);
    let agreed = context.agree(begun.as_ref().map(drop).map_err(Clone::clone));
    let mut parents = begun?;
    agreed?;
    let edges = ParentTargets {
        product,
        within,
        parents: &mut parents,
    };
    let mut part = Edges { edges, owned };
    let done = context.wave(&mut part);
    context.agree(done)?;
    Ok(parents)
}

fn begin(
    product: &DistributedProduct<'_>,
    owned: &mut Owned,
    within: &SearchRegion<'_>,
) -> Result<Parents, Stop> {
    let nodes = owned.len();
    // Beside the nine bytes of a set: a parent, a list entry, and a byte for the walk that follows.
    owned.lease.resize(nodes.saturating_mul(9 + 13))?;
    let mut parents = Parents {
        of: vec![Address::NONE; nodes],
        todo: Vec::new(),
    };
    match within {
        SearchRegion::Set(set) => {
            let accepting = (0..nodes as u32).filter(|node| {
                let (_, location) = owned.get(OwnNode(*node));
                set.kept[*node as usize] != OUT && product.accepting[location as usize]
            });
            parents.todo.extend(accepting);
        }
        SearchRegion::All => product.initial(owned, |node| {
            // Initial nodes may coincide.
            if parents.of[node.index()] == Address::NONE {
                parents.of[node.index()] = Address::ROOT;
                parents.todo.push(node.0);
            }
        })?,
    }
    Ok(parents)
}

struct Edges<'a, 'q> {
    edges: ParentTargets<'a, 'q>,
    owned: &'a mut Owned,
}

/// The data for edges that lead to own nodes.
struct ParentTargets<'a, 'q> {
    product: &'a DistributedProduct<'q>,
    within: &'a SearchRegion<'a>,
    parents: &'a mut Parents,
}

impl ParentTargets<'_, '_> {
    /// Records the source of an edge to an own node, unless the node has a parent.
    fn arrive(
        &mut self,
        states: &mut StateTable,
        nodes: &WorkerNodes,
        arrival: Arrival,
        parent: Address,
    ) {
        let Some(node) = nodes.known(states, arrival) else {
            return;
        };
        let is_within = match self.within {
            SearchRegion::Set(set) => set.kept[node.index()] != OUT,
            SearchRegion::All => true,
        };
        if is_within && self.parents.of[node.index()] == Address::NONE {
            self.parents.of[node.index()] = parent;
            // A starting node is in the list already.
            let is_accepting = self.product.accepting[arrival.location as usize];
            if !(matches!(self.within, SearchRegion::Set(_)) && is_accepting) {
                self.parents.todo.push(node.0);
            }
        }
    }
}

impl WavePart for Edges<'_, '_> {
    fn receive(&mut self, from: usize, contents: &[u8]) -> Result<(), Stop> {
        let Edges { edges, owned } = self;
        owned.read(contents, 4, |states, nodes, arrival, behind| {
            let node = behind.try_into().map_err(|_| invalid("a parent"))?;
            let parent = Address {
                worker: from as u32,
                node: u32::from_le_bytes(node),
            };
            edges.arrive(states, nodes, arrival, parent);
            Ok(())
        })
    }

    fn work(&mut self, out: &mut Outbox) -> Result<bool, Stop> {
        let Edges { edges, owned } = self;
        let product = edges.product;
        for _ in 0..STRETCH {
            if out.is_full() {
                break;
            }
            let Some(node) = edges.parents.todo.pop() else {
                break;
            };
            product.edges(owned, OwnNode(node), |states, nodes, _, target| {
                let to = owner(target.print, nodes.workers);
                if to == nodes.me {
                    let parent = Address {
                        worker: nodes.me as u32,
                        node,
                    };
                    edges.arrive(states, nodes, target.arrival, parent);
                } else {
                    out.put(to, |bytes| {
                        target.arrival.write(states, bytes);
                        bytes.extend_from_slice(&node.to_le_bytes());
                    });
                }
                Ok(())
            })?;
        }
        Ok(!self.edges.parents.todo.is_empty())
    }
}
