//! Edges that others list ahead of the search that will ask for them.
//!
//! A breadth-first search expands nodes in the order in which it has found them, so that whoever is idle can list the edges of those that wait. The search takes them in when it
//! comes there, and lists what nobody has begun: what it knows, and where it ends, is what it would be without helpers. Only the numbers of nodes are others.
//!
//! ```text
//! order:    … expanded | the search's own batch | batches on the board, the search takes the oldest and helpers the newest | waiting …
//! ```

use super::search::Link;
use crate::steps::Steps;
use crate::sync::{Sync, Worker};
use lariat_budget::{Budget, Lease, Stop};
use lariat_emptiness::{Graph, NodeId};
use lariat_parallel::Board;
use std::sync::{Arc, OnceLock};

/// Are helpers called for anything? So that tests see some, whose products are small.
const FOR_LITTLE: bool = cfg!(any(debug_assertions, feature = "company-always"));

/// Nodes whose edges are listed together: some ten microseconds' work, many times what it costs to hand them over.
pub(super) const BATCH: usize = if FOR_LITTLE { 2 } else { 64 };

/// Batches that are begun or on the board at once.
pub(super) const LEAD: usize = 16;

/// So many nodes have to wait before a thread is begun for them: a millisecond's work.
pub(super) const MANY: usize = if FOR_LITTLE { 1 } else { 1 << 10 };

/// Nodes that wait to be expanded, and their edges.
pub(super) struct Batch {
    /// Where they are in the order of the search.
    pub(super) first: usize,
    pub(super) nodes: Vec<NodeId>,
    /// `None` if something ran out.
    pub(super) listed: OnceLock<Option<Listed>>,
}

/// The edges of a batch.
pub(super) struct Listed {
    links: Vec<Link>,
    /// For each node where its edges end.
    ends: Vec<usize>,
    bytes: Lease,
}

impl Listed {
    /// The edges of each node.
    pub(super) fn each(&self) -> impl Iterator<Item = &[Link]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.links[*start..*end])
    }
}

/// The edges of a node, appended to `links`.
pub(super) fn list(
    product: &Sync<'_>,
    worker: &mut Worker,
    from: NodeId,
    links: &mut Vec<Link>,
) -> Result<(), Stop> {
    let mut cursor = <Sync<'_> as Graph>::Cursor::default();
    while let Some((edge, event)) = product.next_step(worker, from, &mut cursor)? {
        links.push(Link {
            from,
            to: edge.to,
            marks: edge.marks,
            event,
        });
    }
    Ok(())
}

/// Batches for whoever is idle.
pub(super) struct Desk<'a, 'p> {
    product: &'a Sync<'p>,
    budget: &'a Budget,
    board: Board<Arc<Batch>>,
}

/// Sends helpers home when it is dropped.
pub(super) struct Closing<'d, 'a, 'p>(pub(super) &'d Desk<'a, 'p>);

impl Drop for Closing<'_, '_, '_> {
    fn drop(&mut self) {
        self.0.board.close();
    }
}

/// Somebody is at a batch. If it panics, nobody waits for it.
struct Begun<'d>(&'d Board<Arc<Batch>>, &'d Batch);

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        let Begun(board, batch) = self;
        let _ = batch.listed.set(None);
        board.tell();
    }
}

impl<'a, 'p> Desk<'a, 'p> {
    pub(super) fn new(product: &'a Sync<'p>, budget: &'a Budget) -> Desk<'a, 'p> {
        Desk {
            product,
            budget,
            board: Board::new(),
        }
    }

    pub(super) fn offer(&self, batch: Arc<Batch>) {
        self.board.offer(batch);
    }

    /// Takes a batch back. False if somebody has begun it.
    pub(super) fn withdraw(&self, batch: &Arc<Batch>) -> bool {
        let taken = self.board.withdraw(|other| Arc::ptr_eq(other, batch));
        taken.is_some()
    }

    /// The edges of a batch that somebody has begun; `None` if something ran out. Other batches are worked at meanwhile.
    pub(super) fn wait<'b>(&self, batch: &'b Batch, worker: &mut Worker) -> Option<&'b Listed> {
        loop {
            if let Some(listed) = batch.listed.get() {
                return listed.as_ref();
            }
            // Whoever needs the tables alone must not wait for who waits.
            worker.states.rest();
            let has_come = || batch.listed.get().is_some();
            let other = self.board.meanwhile(has_come, |_| true);
            worker.states.resume();
            if let Some(other) = other {
                self.work(&other, worker);
            }
        }
    }

    /// What a helper does until it is sent home.
    pub(super) fn help(&self, mut worker: Worker) {
        while let Some(batch) = self.board.next() {
            self.work(&batch, &mut worker);
            worker.states.rest();
        }
    }

    fn work(&self, batch: &Batch, worker: &mut Worker) {
        let _begun = Begun(&self.board, batch);
        let listed = self.listed(&batch.nodes, worker);
        // Nobody else has this batch.
        let _ = batch.listed.set(listed.ok());
    }

    fn listed(&self, nodes: &[NodeId], worker: &mut Worker) -> Result<Listed, Stop> {
        worker.states.open()?;
        let mut listed = Listed {
            links: Vec::new(),
            ends: Vec::with_capacity(nodes.len()),
            bytes: self.budget.lease(),
        };
        for node in nodes {
            list(self.product, worker, *node, &mut listed.links)?;
            listed.ends.push(listed.links.len());
            let bytes = listed.links.capacity() * size_of::<Link>();
            listed.bytes.resize(bytes)?;
        }
        Ok(listed)
    }
}
