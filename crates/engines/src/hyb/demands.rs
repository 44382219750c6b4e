//! Weak constraints of fairness as stages of a fixpoint.
//!
//! A cycle meets a weak constraint by an event that does, or by a state that does not enable it. On a closed set `X` of the product,
//!
//! ```text
//! met(X) = (X ∩ idle) ∪ N_taken(X)
//! ```
//!
//! is where paths that have come so far have met it. No automaton is needed for that, and no mark: constraints may be as many as one likes.
//!
//! The product is searched node by node, and what is above a node is not known: many vectors lead to it. Events of a constraint that change something above
//! are on no cycle of the node. But whether it is enabled may depend on what is above. So a node decides the constraints whose enabledness is a question to it and to what is
//! below, and leaves the others open: without cycles that meet the former there are none that meet all. A cycle that meets them *is suspected* where
//! others are left open, and then all of the product is asked at its end, where nothing is above (`mod.rs`). All proofs of absence are about cycles of any kind, and
//! hold for fair ones.
//!
//! V. Molnár et al. (2016) have no constraints. To read enabledness from above, as labels are, would split every saturation by it, and cost what the sharing of nodes gains.

use super::images::{Between, By, End, Image};
use super::label_residuals::{LabelResiduals, MoveKind, compiled};
use super::steps::{Position, Steps};
use crate::problem::Problem;
use lariat_budget::{Lease, Stop};
use lariat_dd::kernel::{
    Call, ChainId, Halt, Kernel, KeyPart, Meaning, NodeId, Opening, Scope, StackMark,
};
use lariat_dd::{Predicate, Residual};
use lariat_model::{EventId, Predicate as StatePredicate};
use lariat_space::symbolic::{Layout, Residuals, Symbolic};

/// One of the constraints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DemandId(u32);

impl KeyPart for DemandId {
    const MEANING: Meaning = Meaning::Number;

    #[inline]
    fn to_word(self) -> u32 {
        self.0
    }
}

/// A constraint on the levels of the product.
struct Demand {
    /// Where it is not enabled, before anything is read.
    idle: Residual,
    /// The first level that this depends on.
    top: u32,
    /// Its events, by their top levels.
    events: Vec<(u32, ChainId)>,
    /// The same by name, sorted.
    taken: Vec<EventId>,
}

/// The constraints of a problem, all of them weak.
pub struct Demands {
    query: Residuals,
    list: Vec<Demand>,
}

impl Demands {
    /// Prepares the constraints of `problem` on the levels of `layout`; what is known of programs is known by `space`.
    pub fn new(
        problem: &Problem<'_>,
        (space, layout): (&Symbolic<'_>, &Layout),
        steps: &Steps,
        scope: Scope,
        lease: Lease,
    ) -> Result<Demands, Stop> {
        let mut query = Residuals::new(layout, scope, lease);
        let mut list = Vec::with_capacity(problem.fairness.len());
        for constraint in problem.fairness {
            let idle = StatePredicate::Not(Box::new(constraint.enabled.clone()));
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

    /// All of them.
    pub fn all(&self) -> Vec<DemandId> {
        self.below(0)
    }

    /// Those that a node on `level` decides, whatever is above.
    pub fn below(&self, level: u32) -> Vec<DemandId> {
        let ids = (0..).zip(&self.list);
        ids.filter(|(_, demand)| demand.top >= level)
            .map(|(i, _)| DemandId(i))
            .collect()
    }

    /// The lowest level whose nodes decide all of them.
    pub fn deciding(&self) -> u32 {
        let tops = self.list.iter().map(|demand| demand.top);
        tops.min().unwrap_or(u32::MAX)
    }

    /// Does the event meet the constraint?
    pub fn is_met(&self, DemandId(demand): DemandId, event: EventId) -> bool {
        let taken = &self.list[demand as usize].taken;
        taken.binary_search(&event).is_ok()
    }

    /// Is the constraint not enabled in a vector of a node at `level`, which decides it?
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
                _ => residual = Predicate::step(&mut self.query, residual, level, *value)?,
            }
        }
        Ok(residual == Residual::TRUE)
    }

    /// The members of a node on `level`, which decides it, in which the constraint is not enabled.
    pub fn idle(
        &mut self,
        kernel: &mut Kernel,
        demand: DemandId,
        node: NodeId,
        level: u32,
    ) -> Result<NodeId, Halt> {
        let root = self.list[demand.0 as usize].idle;
        kernel.select(node, level, &mut self.query, root)
    }

    /// `met`
    pub fn met(
        &mut self,
        kernel: &mut Kernel,
        labels: &mut LabelResiduals,
        steps: &Steps,
        demand: DemandId,
        (node, at): (NodeId, Position),
    ) -> Result<NodeId, Halt> {
        let base = kernel.mark();
        let idle = self.idle(kernel, demand, node, at.level)?;
        kernel.push(0, idle)?;
        let taken = if idle == node {
            NodeId::EMPTY
        } else {
            let mut by = self.by(labels, steps, demand);
            kernel.call(Taken { node, at }, &mut by)?
        };
        kernel.push(0, taken)?;
        let met = kernel.union(idle, taken)?;
        kernel.release(base);
        Ok(met)
    }

    /// The members of a node from which an inner step by an event of the constraint leads into another node.
    pub fn takers(
        &self,
        kernel: &mut Kernel,
        labels: &mut LabelResiduals,
        steps: &Steps,
        demand: DemandId,
        (node, target): (NodeId, NodeId),
        at: Position,
    ) -> Result<NodeId, Halt> {
        let mut by = self.by(labels, steps, demand);
        kernel.call(Takers { node, target, at }, &mut by)
    }

    fn by<'a>(
        &'a self,
        labels: &'a mut LabelResiduals,
        steps: &'a Steps,
        demand: DemandId,
    ) -> ByEvents<'a> {
        ByEvents {
            by: By::new(steps, labels, MoveKind::Inner),
            demand,
            events: &self.list[demand.0 as usize].events,
        }
    }
}

/// What stays the same in images and sources by the events of a constraint.
struct ByEvents<'a> {
    by: By<'a>,
    demand: DemandId,
    events: &'a [(u32, ChainId)],
}

impl<'a> ByEvents<'a> {
    /// Has none of the events its top on this level or below?
    fn is_over(&self, level: u32) -> bool {
        self.events.last().is_none_or(|(last, _)| *last < level)
    }

    /// The events with this top level.
    fn tops(&self, level: u32) -> impl Iterator<Item = ChainId> + use<'a> {
        let first = self.events.partition_point(|(top, _)| *top < level);
        let own = self.events[first..].iter();
        own.take_while(move |(top, _)| *top == level)
            .map(|(_, chain)| *chain)
    }
}

/// `N_taken`
#[derive(Clone, Copy)]
struct Taken {
    node: NodeId,
    at: Position,
}

impl Call<ByEvents<'_>> for Taken {
    type Key = (NodeId, Residual, DemandId);

    fn open(self, _: &mut Kernel, by: &mut ByEvents<'_>) -> Result<Opening<Self::Key>, Halt> {
        let Taken { node, at } = self;
        if node.is_empty() || by.is_over(at.level) {
            return Ok(Opening::AtOnce(NodeId::EMPTY));
        }
        Ok(Opening::Walk {
            node,
            operation: by.by.steps.taken,
            key: (node, at.residual, by.demand),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        by: &mut ByEvents<'_>,
        (value, child): (u32, NodeId),
    ) -> Result<(), Halt> {
        let Taken { node, at } = self;
        if let Some(at) = by.by.read(kernel, at, value)? {
            kernel.call_into(value, Taken { node: child, at }, by)?;
        }
        for chain in by.tops(at.level) {
            Image { chain, node, at }.edge(kernel, &mut by.by, (value, child))?;
        }
        Ok(())
    }

    fn close(
        self,
        kernel: &mut Kernel,
        _: &mut ByEvents<'_>,
        edges: StackMark,
    ) -> Result<NodeId, Halt> {
        kernel.sort(edges)?;
        kernel.make(edges)
    }
}

/// The sources of `N_taken` that lead into `target`.
#[derive(Clone, Copy)]
struct Takers {
    node: NodeId,
    target: NodeId,
    at: Position,
}

impl Call<ByEvents<'_>> for Takers {
    type Key = (NodeId, NodeId, Residual, DemandId);

    fn open(self, _: &mut Kernel, by: &mut ByEvents<'_>) -> Result<Opening<Self::Key>, Halt> {
        let Takers { node, target, at } = self;
        if node.is_empty() || target.is_empty() || by.is_over(at.level) {
            return Ok(Opening::AtOnce(NodeId::EMPTY));
        }
        Ok(Opening::Walk {
            node,
            operation: by.by.steps.takers,
            key: (node, target, at.residual, by.demand),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        by: &mut ByEvents<'_>,
        (value, child): (u32, NodeId),
    ) -> Result<(), Halt> {
        let Takers { node, target, at } = self;
        let same = kernel.child(target, value);
        if !same.is_empty()
            && let Some(at) = by.by.read(kernel, at, value)?
        {
            let below = Takers {
                node: child,
                target: same,
                at,
            };
            kernel.call_into(value, below, by)?;
        }
        for chain in by.tops(at.level) {
            let by_event = Between {
                end: End::Source,
                chain,
                node,
                target,
                at,
            };
            by_event.edge(kernel, &mut by.by, (value, child))?;
        }
        Ok(())
    }

    fn close(
        self,
        kernel: &mut Kernel,
        _: &mut ByEvents<'_>,
        edges: StackMark,
    ) -> Result<NodeId, Halt> {
        kernel.sort(edges)?;
        kernel.make(edges)
    }
}
