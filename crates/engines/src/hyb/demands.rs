//! Weak fairness constraints as stages of the fixpoint.
//!
//! A cycle meets a weak constraint by one of its events, or by a state that does not enable it. On
//! a closed set `X` of the product, paths have met it in
//!
//! ```text
//! met(X) = (X ∩ idle) ∪ N_taken(X)
//! ```
//!
//! This needs neither automaton nor marks, so the number of constraints is not limited.
//!
//! The product is searched node by node, and many different vectors lead to a node. Events of a
//! constraint that change a level above the node are on no cycle of the node, but enabledness may
//! depend on levels above. So a node decides only the constraints whose enabledness depends on its
//! own and lower levels. Without a cycle that meets these there is none that meets all. If a cycle
//! meets them and other constraints are open, it is *suspected*, and the whole product is searched
//! in the end (`mod.rs`). Proofs of absence are about all cycles and so hold for fair ones.
//!
//! V. Molnár et al. (2016) have no constraints. Reading enabledness from above, like labels, would
//! split every saturation by it and lose the sharing of nodes.

use super::images::ImageContext;
use super::label_residuals::{MoveKind, compiled};
use super::steps::{NodePosition, ProductSteps};
use crate::problem::Problem;
use lariat_budget::{Budget, Stop};
use lariat_dd::kernel::{CacheScope, ChainId, DdNode, Halt, Kernel};
use lariat_dd::{LevelPredicate, Residual};
use lariat_model::{EventId, Predicate};
use lariat_space::symbolic::{LevelLayout, Residuals, Symbolic};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DemandId(pub u32);

/// A constraint on the levels of the product.
struct Demand {
    /// Residual of "not enabled" before any level is read.
    idle: Residual,
    /// The first level that `idle` depends on.
    top: u32,
    /// Its events, sorted by top level.
    events: Vec<(u32, ChainId)>,
    /// The events by identifier, sorted.
    taken: Vec<EventId>,
}

/// The constraints of a problem, all of them weak.
pub struct Demands {
    query: Residuals,
    list: Vec<Demand>,
}

impl Demands {
    /// Prepares the constraints of `problem` on the levels of `layout`; `space` provides the
    /// learned behaviour of programs.
    pub fn new(
        problem: &Problem<'_>,
        space: &Symbolic<'_>,
        layout: &LevelLayout,
        steps: &ProductSteps,
        scope: CacheScope,
        budget: &Budget,
    ) -> Result<Demands, Stop> {
        let mut query = Residuals::new(layout, scope, budget);
        let mut list = Vec::with_capacity(problem.fairness.len());
        for constraint in problem.fairness {
            let idle = Predicate::Not(Box::new(constraint.enabled.clone()));
            let idle = compiled(&mut query, problem, space, &idle)?;
            let mut events = Vec::new();
            for level in 0..steps.automaton {
                let own = steps.tops(level).iter();
                let own = own.filter(|(_, event)| constraint.taken.binary_search(event).is_ok());
                events.extend(own.map(|(chain, _)| (level, *chain)));
            }
            list.push(Demand {
                top: query.top(idle).0,
                idle,
                events,
                taken: constraint.taken.clone(),
            });
        }
        Ok(Demands { query, list })
    }

    pub fn all(&self) -> Vec<DemandId> {
        self.below(0)
    }

    /// Returns the constraints that a node on `level` decides.
    pub fn below(&self, level: u32) -> Vec<DemandId> {
        let ids = (0..).zip(&self.list);
        ids.filter(|(_, demand)| demand.top >= level)
            .map(|(i, _)| DemandId(i))
            .collect()
    }

    /// Returns the lowest level whose nodes decide all constraints.
    pub fn deciding(&self) -> u32 {
        let tops = self.list.iter().map(|demand| demand.top);
        tops.min().unwrap_or(u32::MAX)
    }

    pub fn is_met(&self, DemandId(demand): DemandId, event: EventId) -> bool {
        let taken = &self.list[demand as usize].taken;
        taken.binary_search(&event).is_ok()
    }

    /// Returns whether a vector of a node at `level`, which decides it, disables the constraint.
    pub fn is_idle(
        &mut self,
        DemandId(demand): DemandId,
        level: u32,
        vector: &[u32],
    ) -> Result<bool, Stop> {
        let mut residual = self.list[demand as usize].idle;
        for (level, value) in (level..).zip(vector) {
            match residual {
                Residual::TRUE | Residual::FALSE => break,
                _ => residual = LevelPredicate::step(&mut self.query, residual, level, *value)?,
            }
        }
        Ok(residual == Residual::TRUE)
    }

    /// Returns the members of a node on `level`, which decides it, that disable the constraint.
    pub fn idle(
        &mut self,
        kernel: &mut Kernel,
        demand: DemandId,
        node: DdNode,
        level: u32,
    ) -> Result<DdNode, Halt> {
        let root = self.list[demand.0 as usize].idle;
        kernel.select(node, level, &mut self.query, root)
    }

    /// Computes `met` of a closed node.
    pub fn met(
        &mut self,
        kernel: &mut Kernel,
        by: &mut ImageContext<'_>,
        demand: DemandId,
        node: DdNode,
        at: NodePosition,
    ) -> Result<DdNode, Halt> {
        let base = kernel.mark();
        let idle = self.idle(kernel, demand, node, at.level)?;
        kernel.push(0, idle)?;
        let taken = if idle == node {
            DdNode::EMPTY
        } else {
            self.by_events(by, demand).images(kernel, node, at)?
        };
        kernel.push(0, taken)?;
        let met = kernel.union(idle, taken)?;
        kernel.release(base);
        Ok(met)
    }

    /// Returns the context of inner steps by the events of the constraint.
    pub fn by_events<'a>(
        &'a self,
        by: &'a mut ImageContext<'_>,
        demand: DemandId,
    ) -> ImageContext<'a> {
        let events = &self.list[demand.0 as usize].events;
        ImageContext {
            only: Some((demand, events)),
            ..by.with(MoveKind::Inner)
        }
    }
}
