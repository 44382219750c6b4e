//! Runs of the system along lassos of products of single states.

use crate::runs::plain_run;
use lariat_budget::Stop;
use lariat_emptiness::{Edge, FairLasso, Graph, GraphLasso, NodeId, NumberedEdge};
use lariat_model::{EventId, Lasso, State, Step, Value};

/// A product whose nodes hold single states.
pub(crate) trait SingleStateProduct: Graph<Stop = Stop> {
    /// Returns the next edge of `node` and the event that it takes.
    fn next_step(
        &self,
        worker: &mut Self::Worker,
        node: NodeId,
        cursor: &mut Self::Cursor,
    ) -> Result<Option<(Edge, Option<EventId>)>, Stop>;

    fn state(&self, worker: &mut Self::Worker, node: NodeId) -> State;

    /// Freezes the product: edges to unknown nodes are omitted. Traversing it again then takes no
    /// counted work and no memory for states.
    fn seal(&self, worker: &mut Self::Worker);

    /// Returns whether [`accepts_forever`](SingleStateProduct::accepts_forever) may hold for some
    /// node.
    fn takes_prefixes(&self) -> bool;

    /// Returns whether a run that reaches `node` is evidence. The only edge of such a node is a
    /// self-loop that is no step of the system.
    fn accepts_forever(&self, worker: &Self::Worker, node: NodeId) -> bool;
}

/// Bytes of the longest run that is reported; another engine may find a shorter one.
pub(crate) const MOST_BYTES: usize = 1 << 28;

/// Returns the run of the system along a lasso of the product, unless it is too long.
pub(crate) fn concrete<P: SingleStateProduct>(
    product: &P,
    worker: &mut P::Worker,
    found: &GraphLasso,
) -> Result<Lasso, Stop> {
    let initial = product.state(worker, found.initial);
    check_length(&initial, found.prefix.len() + found.cycle.len())?;
    let cycle = if product.accepts_forever(worker, found.entry()) {
        Vec::new()
    } else {
        steps(product, worker, found.entry(), &found.cycle)?
    };
    Ok(plain_run(
        initial,
        steps(product, worker, found.initial, &found.prefix)?,
        cycle,
    ))
}

/// Fails if a run of this length is too long to be reported.
fn check_length(state: &State, length: usize) -> Result<(), Stop> {
    let each = state.len() * size_of::<Value>() + size_of::<Step>();
    if length.saturating_mul(each) > MOST_BYTES {
        return Err(Stop::Bound(format!(
            "a violating run of {length} steps was found, too long to report"
        )));
    }
    Ok(())
}

/// Returns the run of the system along a fair lasso of the product, unless it is too long.
pub(crate) fn concrete_fair<P: SingleStateProduct>(
    product: &P,
    worker: &mut P::Worker,
    found: &FairLasso,
) -> Result<Lasso, Stop> {
    let initial = product.state(worker, found.initial);
    check_length(&initial, found.prefix.len() + found.cycle.len())?;
    let last = found.prefix.last();
    let entry = last.map_or(found.initial, |last| last.edge.to);
    Ok(plain_run(
        initial,
        numbered_steps(product, worker, found.initial, &found.prefix)?,
        numbered_steps(product, worker, entry, &found.cycle)?,
    ))
}

/// Returns the steps along a path of the product whose edges are given by their numbers.
fn numbered_steps<P: SingleStateProduct>(
    product: &P,
    worker: &mut P::Worker,
    mut from: NodeId,
    path: &[NumberedEdge],
) -> Result<Vec<Step>, Stop> {
    let mut steps = Vec::with_capacity(path.len());
    for NumberedEdge { edge, number } in path {
        let mut cursor = P::Cursor::default();
        let mut event = None;
        for _ in 0..=*number {
            event = product
                .next_step(worker, from, &mut cursor)?
                .and_then(|(_, event)| event);
        }
        steps.push(Step {
            event,
            state: product.state(worker, edge.to),
        });
        from = edge.to;
    }
    Ok(steps)
}

/// Returns the steps along a path of the product.
pub(crate) fn steps<P: SingleStateProduct>(
    product: &P,
    worker: &mut P::Worker,
    mut from: NodeId,
    path: &[Edge],
) -> Result<Vec<Step>, Stop> {
    let mut steps = Vec::with_capacity(path.len());
    for edge in path {
        let mut cursor = P::Cursor::default();
        while let Some((found, event)) = product.next_step(worker, from, &mut cursor)? {
            if found == *edge {
                steps.push(Step {
                    event,
                    state: product.state(worker, edge.to),
                });
                break;
            }
        }
        from = edge.to;
    }
    Ok(steps)
}
