//! Weighted event span: a static ranking of orders.
//!
//! An event at levels `top(e) … bottom(e)` makes saturation rebuild the nodes between them, and a
//! higher top affects more of the diagram. Siminiceanu and Ciardo (New metrics for static variable
//! ordering in decision diagrams, TACAS 2006) weigh both:
//!
//! ```text
//! WES(order) = Σ_e  span(e)/n · 2·height(top(e))/n   /  #events
//! ```
//!
//! where `span` is the number of levels covered and `height` counts from the bottom. Unlike the sum
//! of spans it distinguishes an order from its reverse. Cost: linear in the number of arcs.

use super::Order;
use super::hypergraph::Hypergraph;
use crate::system::VarId;

/// The score; smaller is better.
pub(super) fn weighted_event_span(graph: &Hypergraph, order: &Order) -> f64 {
    let n = graph.variables() as f64;
    let sum: f64 = graph
        .edges()
        .map(|edge| {
            let levels = edge.iter().map(|v| order.level(VarId(*v)).0);
            let (top, bottom) = levels.fold((u32::MAX, 0), |(lo, hi), l| (lo.min(l), hi.max(l)));
            let span = f64::from(bottom - top + 1) / n;
            let height = (n - f64::from(top)) / n;
            2.0 * span * height
        })
        .sum();
    sum / graph.edge_count().max(1) as f64
}
