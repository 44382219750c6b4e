//! Runs of the system along lassos of products of single states.

use lariat_budget::{Budget, Stop};
use lariat_emptiness::{Edge, FairLasso, Graph, GraphLasso, NodeId, NumberedEdge};
use lariat_model::{EventId, Lasso, RunRecorder, State};

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

/// Limit on the steps of a run that is reported; another engine may find a shorter one.
pub(crate) const MOST_STEPS: usize = 10_000_000;
/// Steps between two polls of the budget.
const POLL_INTERVAL: usize = 256;

/// The error for a run that exists but exceeds the limit.
pub(crate) fn too_long(steps: usize) -> Stop {
    Stop::Bound(format!(
        "a violating run of {steps} steps was found, too long to report"
    ))
}

/// Fails if a run of this length is too long to be reported.
fn check_length(length: usize) -> Result<(), Stop> {
    if length > MOST_STEPS {
        return Err(too_long(length));
    }
    Ok(())
}

/// Returns the run of the system along a lasso of the product, unless it is too long.
pub(crate) fn concrete<P: SingleStateProduct>(
    product: &P,
    worker: &mut P::Worker,
    found: &GraphLasso,
    budget: &Budget,
) -> Result<Lasso, Stop> {
    let length = found.prefix.len() + found.cycle.len();
    check_length(length)?;
    let start = RunRecorder::new(product.state(worker, found.initial)).leased(budget);
    let mut run = ProductRun::new(product, worker, start);
    run.follow(found.initial, &found.prefix)?;
    let entry = run.run.len();
    if !product.accepts_forever(run.worker, found.entry()) {
        run.follow(found.entry(), &found.cycle)?;
    }
    Ok(run.run.into_lasso(entry))
}

/// Returns the run of the system along a fair lasso of the product, unless it is too long.
pub(crate) fn concrete_fair<P: SingleStateProduct>(
    product: &P,
    worker: &mut P::Worker,
    found: &FairLasso,
    budget: &Budget,
) -> Result<Lasso, Stop> {
    let length = found.prefix.len() + found.cycle.len();
    check_length(length)?;
    let start = RunRecorder::new(product.state(worker, found.initial)).leased(budget);
    let last = found.prefix.last();
    let entry = last.map_or(found.initial, |last| last.edge.to);
    let mut run = ProductRun::new(product, worker, start);
    run.follow_numbers(found.initial, &found.prefix)?;
    run.follow_numbers(entry, &found.cycle)?;
    Ok(run.run.into_lasso(found.prefix.len()))
}

/// The run of the system along a path of the product.
pub(crate) struct ProductRun<'a, P: SingleStateProduct> {
    product: &'a P,
    worker: &'a mut P::Worker,
    pub run: RunRecorder,
}

impl<'a, P: SingleStateProduct> ProductRun<'a, P> {
    /// Continues a run.
    pub fn new(product: &'a P, worker: &'a mut P::Worker, run: RunRecorder) -> ProductRun<'a, P> {
        ProductRun {
            product,
            worker,
            run,
        }
    }

    fn push(&mut self, event: Option<EventId>, to: NodeId) -> Result<(), Stop> {
        if self.run.len().is_multiple_of(POLL_INTERVAL) {
            self.product.tick(self.worker, 0)?;
            self.run.settle()?;
        }
        let state = self.product.state(self.worker, to);
        self.run.push(event, &state);
        Ok(())
    }

    /// Follows a path of the product.
    pub fn follow(&mut self, mut from: NodeId, path: &[Edge]) -> Result<(), Stop> {
        for edge in path {
            let mut cursor = P::Cursor::default();
            while let Some((found, event)) =
                self.product.next_step(self.worker, from, &mut cursor)?
            {
                if found == *edge {
                    self.push(event, edge.to)?;
                    break;
                }
            }
            from = edge.to;
        }
        Ok(())
    }

    /// Follows a path of the product whose edges are given by their numbers.
    fn follow_numbers(&mut self, mut from: NodeId, path: &[NumberedEdge]) -> Result<(), Stop> {
        for NumberedEdge { edge, number } in path {
            let mut cursor = P::Cursor::default();
            let mut event = None;
            for _ in 0..=*number {
                let step = self.product.next_step(self.worker, from, &mut cursor)?;
                event = step.and_then(|(_, event)| event);
            }
            self.push(event, edge.to)?;
            from = edge.to;
        }
        Ok(())
    }
}
