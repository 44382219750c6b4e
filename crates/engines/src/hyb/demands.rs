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

use super::images::{EventImage, EventSteps, ImageContext, StepEnd};
use super::label_residuals::{MoveKind, compiled};
use super::steps::{NodePosition, ProductSteps};
use crate::problem::Problem;
use lariat_budget::{Lease, Stop};
use lariat_dd::kernel::{
    CacheScope, Call, ChainId, DdNode, Halt, Kernel, KeyPart, Opening, StackMark, WordKind,
};
use lariat_dd::{LevelPredicate, Residual};
use lariat_model::{EventId, Predicate};
use lariat_space::symbolic::{LevelLayout, Residuals, Symbolic};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DemandId(u32);

impl KeyPart for DemandId {
    const MEANING: WordKind = WordKind::Number;

    #[inline]
    fn to_word(self) -> u32 {
        self.0
    }
}

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
        lease: Lease,
    ) -> Result<Demands, Stop> {
        let mut query = Residuals::new(layout, scope, lease);
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
            kernel.call(Taken { node, at }, &mut self.events(by, demand))?
        };
        kernel.push(0, taken)?;
        let met = kernel.union(idle, taken)?;
        kernel.release(base);
        Ok(met)
    }

    /// Returns the sources of inner steps by events of the constraint from a node into another.
    pub fn takers(
        &self,
        kernel: &mut Kernel,
        by: &mut ImageContext<'_>,
        demand: DemandId,
        takers: Takers,
    ) -> Result<DdNode, Halt> {
        kernel.call(takers, &mut self.events(by, demand))
    }

    fn events<'a>(&'a self, by: &'a mut ImageContext<'_>, demand: DemandId) -> ByEvents<'a> {
        ByEvents {
            by: by.with(MoveKind::Inner),
            demand,
            events: &self.list[demand.0 as usize].events,
        }
    }
}

/// Context of images and sources by the events of a constraint.
struct ByEvents<'a> {
    by: ImageContext<'a>,
    demand: DemandId,
    events: &'a [(u32, ChainId)],
}

impl<'a> ByEvents<'a> {
    /// Returns whether no event has its top on this level or below.
    fn is_over(&self, level: u32) -> bool {
        self.events.last().is_none_or(|(last, _)| *last < level)
    }

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
    node: DdNode,
    at: NodePosition,
}

impl Call<ByEvents<'_>> for Taken {
    type Key = (DdNode, Residual, DemandId);

    fn open(self, _: &mut Kernel, by: &mut ByEvents<'_>) -> Result<Opening<Self::Key>, Halt> {
        let Taken { node, at } = self;
        if node.is_empty() || by.is_over(at.level) {
            return Ok(Opening::AtOnce(DdNode::EMPTY));
        }
        Ok(Opening::Walk {
            node,
            operation: by.by.steps.images.taken,
            key: (node, at.residual, by.demand),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        by: &mut ByEvents<'_>,
        (value, child): (u32, DdNode),
    ) -> Result<(), Halt> {
        let Taken { node, at } = self;
        if let Some(at) = by.by.read(kernel, at, value)? {
            kernel.call_into(value, Taken { node: child, at }, by)?;
        }
        for chain in by.tops(at.level) {
            EventImage { chain, node, at }.edge(kernel, &mut by.by, (value, child))?;
        }
        Ok(())
    }

    fn close(
        self,
        kernel: &mut Kernel,
        _: &mut ByEvents<'_>,
        edges: StackMark,
    ) -> Result<DdNode, Halt> {
        kernel.sort(edges)?;
        kernel.make(edges)
    }
}

/// The sources of `N_taken` that lead into `target`.
#[derive(Clone, Copy)]
pub struct Takers {
    pub node: DdNode,
    pub target: DdNode,
    pub at: NodePosition,
}

impl Call<ByEvents<'_>> for Takers {
    type Key = (DdNode, DdNode, Residual, DemandId);

    fn open(self, _: &mut Kernel, by: &mut ByEvents<'_>) -> Result<Opening<Self::Key>, Halt> {
        let Takers { node, target, at } = self;
        if node.is_empty() || target.is_empty() || by.is_over(at.level) {
            return Ok(Opening::AtOnce(DdNode::EMPTY));
        }
        Ok(Opening::Walk {
            node,
            operation: by.by.steps.images.takers,
            key: (node, target, at.residual, by.demand),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        by: &mut ByEvents<'_>,
        (value, child): (u32, DdNode),
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
            let by_event = EventSteps {
                end: StepEnd::Source,
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
    ) -> Result<DdNode, Halt> {
        kernel.sort(edges)?;
        kernel.make(edges)
    }
}
