//! W4 and W5: every node of a set keeps who reached it first.
//!
//! W4, for the loop: from the accepting nodes of what OWCTY leaves, inside of it. Every node there has an accepting ancestor, so each gets a parent. A
//! parent has its own before it becomes one, but for the accepting nodes that the wave begins with: so a cycle of parents goes through
//! one of these. W5, for the way to the loop: from the initial nodes, which have none. Eight bytes a node, and four for each that waits.

use crate::owcty::{OUT, Set};
use crate::post::Outbox;
use crate::product::{Nodes, OwnNode, Owned, Product, owner};
use crate::wave::{Hands, Part};
use crate::wire::garbled;
use lariat_budget::Stop;
use lariat_space::explicit::{Prospect, States};

/// Nodes that are expanded between two looks at the mail.
const STRETCH: usize = 4096;

/// A node of some worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Address {
    pub worker: u32,
    pub node: u32,
}

impl Address {
    /// Nobody.
    const NONE: Address = Address {
        worker: u32::MAX,
        node: 0,
    };
    /// Where a run begins.
    const ROOT: Address = Address {
        worker: u32::MAX,
        node: 1,
    };

    /// The place, unless there is none.
    pub fn get(self) -> Option<Address> {
        (self.worker != u32::MAX).then_some(self)
    }
}

/// The parent of each node.
pub(crate) struct Parents {
    pub of: Vec<Address>,
    todo: Vec<u32>,
}

/// Where a wave begins, and where it goes.
pub(crate) enum Within<'a> {
    /// From accepting nodes, inside this set.
    Set(&'a Set),
    /// From the initial nodes, everywhere.
    All,
}

/// The parents of all nodes that the worker owns, if every worker comes to its end.
pub(crate) fn parents(
    hands: &mut Hands<'_>,
    product: &Product<'_>,
    owned: &mut Owned,
    within: &Within<'_>,
) -> Result<Parents, Stop> {
    let begun = begin(product, owned, within);
    let agreed = hands.agree(begun.as_ref().map(drop).map_err(Clone::clone));
    let mut parents = begun?;
    agreed?;
    let mut part = Edges {
        product,
        owned,
        within,
        parents: &mut parents,
    };
    let done = hands.wave(&mut part);
    hands.agree(done)?;
    Ok(parents)
}

fn begin(product: &Product<'_>, owned: &mut Owned, within: &Within<'_>) -> Result<Parents, Stop> {
    let nodes = owned.len();
    // Beside the nine bytes of a set: a parent, a place in the list, and a byte of the walk that follows.
    owned.lease.resize(nodes.saturating_mul(9 + 13))?;
    let mut parents = Parents {
        of: vec![Address::NONE; nodes],
        todo: Vec::new(),
    };
    match within {
        Within::Set(set) => {
            let accepting = (0..nodes as u32).filter(|node| {
                let (_, location) = owned.get(OwnNode(*node));
                set.kept[*node as usize] != OUT && product.accepting[location as usize]
            });
            parents.todo.extend(accepting);
        }
        Within::All => product.initial(owned, |node| {
            // Initial nodes may be alike.
            if parents.of[node.index()] == Address::NONE {
                parents.of[node.index()] = Address::ROOT;
                parents.todo.push(node.0);
            }
        })?,
    }
    Ok(parents)
}

struct Edges<'a, 'q> {
    product: &'a Product<'q>,
    owned: &'a mut Owned,
    within: &'a Within<'a>,
    parents: &'a mut Parents,
}

/// An edge from `parent` leads to a node that the worker owns.
fn arrive(
    (product, within, parents): (&Product<'_>, &Within<'_>, &mut Parents),
    (states, nodes): (&mut States, &Nodes),
    (prospect, location): (Prospect, u32),
    parent: Address,
) {
    let Some(node) = nodes.known(states, prospect, location) else {
        return;
    };
    let is_within = match within {
        Within::Set(set) => set.kept[node.index()] != OUT,
        Within::All => true,
    };
    if is_within && parents.of[node.index()] == Address::NONE {
        parents.of[node.index()] = parent;
        // Who has begun the wave is in the list already.
        if !(matches!(within, Within::Set(_)) && product.accepting[location as usize]) {
            parents.todo.push(node.0);
        }
    }
}

impl Part for Edges<'_, '_> {
    fn receive(&mut self, from: usize, contents: &[u8]) -> Result<(), Stop> {
        let Edges {
            product,
            within,
            parents,
            ..
        } = self;
        self.owned
            .read(contents, 4, |states, nodes, target, behind| {
                let node = behind.try_into().map_err(|_| garbled("a parent"))?;
                let parent = Address {
                    worker: from as u32,
                    node: u32::from_le_bytes(node),
                };
                arrive((product, within, parents), (states, nodes), target, parent);
                Ok(())
            })
    }

    fn work(&mut self, out: &mut Outbox) -> Result<bool, Stop> {
        let Edges {
            product,
            owned,
            within,
            parents,
        } = self;
        for _ in 0..STRETCH {
            if out.is_full() {
                break;
            }
            let Some(node) = parents.todo.pop() else {
                break;
            };
            product.edges(owned, OwnNode(node), |states, nodes, _, target| {
                let to = owner(target.print, nodes.workers);
                if to == nodes.me {
                    let parent = Address {
                        worker: nodes.me as u32,
                        node,
                    };
                    let target = (target.prospect, target.location);
                    arrive((product, within, parents), (states, nodes), target, parent);
                } else {
                    out.put(to, |bytes| {
                        states.write(target.location, target.prospect, bytes);
                        bytes.extend_from_slice(&node.to_le_bytes());
                    });
                }
                Ok(())
            })?;
        }
        Ok(!self.parents.todo.is_empty())
    }
}
