//! Runs of the system for accepting components whose nodes are sets.
//!
//! The quotient has an accepting lasso inside of
//!
//! ```text
//! {(q, canon(R_q, x)) | (q, O) a node of the prefix or of the component, x ∈ O}
//! ```
//!
//! because every marking of a node has a predecessor in the node before, so a cycle of sets
//! contains a cycle of markings. The quotient is searched again, restricted to this set, and its
//! lasso is unrolled. Decomposed nodes are added, because concrete cycles may pass them.

use super::node::{Ssp, SspWorker};
use crate::engine::Task;
use crate::symmetry::sym::{self, Quotient};
use lariat_budget::Stop;
use lariat_emptiness::{Counts, Edge, Evidence, Graph, Marks, NodeId, Outcome, couvreur, lasso};
use lariat_model::Lasso;
use std::collections::HashSet;

/// The quotient restricted to some nodes.
struct Restricted<'a, 'p> {
    quotient: &'a Quotient<'p>,
    allowed: HashSet<NodeId>,
}

impl Graph for Restricted<'_, '_> {
    type Stop = Stop;
    type Worker = sym::QuotientWorker;
    type Cursor = sym::QuotientCursor;

    fn marks(&self) -> Marks {
        self.quotient.marks()
    }

    fn initial(&self, worker: &mut sym::QuotientWorker, k: usize) -> Result<Option<NodeId>, Stop> {
        self.quotient.initial(worker, k)
    }

    fn next_edge(
        &self,
        worker: &mut sym::QuotientWorker,
        node: NodeId,
        cursor: &mut sym::QuotientCursor,
    ) -> Result<Option<Edge>, Stop> {
        while let Some(edge) = self.quotient.next_edge(worker, node, cursor)? {
            if self.allowed.contains(&edge.to) {
                return Ok(Some(edge));
            }
        }
        Ok(None)
    }

    fn tick(&self, worker: &mut sym::QuotientWorker, bytes: usize) -> Result<(), Stop> {
        self.quotient.tick(worker, bytes)
    }
}

/// Searches the whole quotient for a run that an exact check has shown to exist.
pub(super) fn anywhere<'p>(task: &Task<'p>, product: &Ssp<'p>) -> Result<Lasso, Stop> {
    let quotient = product.quotient();
    let mut single = quotient.worker(task.budget);
    let lost = || Stop::Internal("a component without a lasso".to_owned());
    match couvreur(&quotient, &mut single, &mut Counts::default())? {
        Outcome::Accepting(evidence) => {
            let found = lasso(&quotient, &mut single, &evidence)?.ok_or_else(lost)?;
            quotient.unroll(&mut single, &found, task.budget)
        }
        _ => Err(lost()),
    }
}

/// Returns a run of the system for the evidence of a check; `None` if there is none in it.
pub(super) fn concrete<'p>(
    task: &Task<'p>,
    product: &Ssp<'p>,
    worker: &mut SspWorker<'p>,
    evidence: &Evidence,
) -> Result<Option<Lasso>, Stop> {
    let mut nodes: HashSet<NodeId> = evidence.component.iter().copied().collect();
    nodes.insert(evidence.initial);
    nodes.extend(evidence.prefix.iter().map(|edge| edge.to));
    let parts = evidence.parts.iter();
    nodes.extend(parts.flat_map(|part| [part.whole, part.part]));
    let quotient = product.quotient();
    let mut single = quotient.worker(task.budget);
    let mut allowed = HashSet::new();
    for node in nodes {
        let (location, markings) = product.markings(worker, node)?;
        for marking in markings {
            allowed.insert(quotient.node(&mut single, marking, location)?);
        }
    }
    let restricted = Restricted {
        quotient: &quotient,
        allowed,
    };
    let found = couvreur(&restricted, &mut single, &mut Counts::default())?;
    let Outcome::Accepting(evidence) = found else {
        return Ok(None);
    };
    let found = lasso(&restricted, &mut single, &evidence)?;
    let run = found.map(|found| quotient.unroll(&mut single, &found, task.budget));
    run.transpose()
}
