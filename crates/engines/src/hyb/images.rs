//! Images and sources in the product, as recursive [calls](lariat_dd::kernel::Call).
//!
//! See [`steps`](super::steps) for the equations. Sources need no inverse events: one recursion
//! descends source and target together and returns either end of the steps between them. Results
//! are cached under `(chain, n, t, c, kind of steps)`.

use super::demands::DemandId;
use super::label_residuals::{LabelResiduals, MoveKind};
use super::steps::{NodePosition, ProductSteps};
use lariat_dd::Residual;
use lariat_dd::kernel::{
    Call, ChainId, ChainStep, DdNode, Halt, Kernel, KeyPart, Opening, StackMark, WordKind,
};
use lariat_emptiness::Marks;

/// Context of an image or source: events, labels, and the kind of moves.
pub struct ImageContext<'a> {
    pub steps: &'a ProductSteps,
    pub labels: &'a mut LabelResiduals,
    pub kind: MoveKind,
    /// A fairness constraint and its events with their top levels, sorted: other events are not
    /// fired.
    pub only: Option<(DemandId, &'a [(u32, ChainId)])>,
}

impl<'a> ImageContext<'a> {
    pub fn new(
        steps: &'a ProductSteps,
        labels: &'a mut LabelResiduals,
        kind: MoveKind,
    ) -> ImageContext<'a> {
        ImageContext {
            steps,
            labels,
            kind,
            only: None,
        }
    }

    /// Returns the position below `value`, see [`ProductSteps::read`].
    pub fn read(
        &mut self,
        kernel: &mut Kernel,
        at: NodePosition,
        value: u32,
    ) -> Result<Option<NodePosition>, Halt> {
        ProductSteps::read(kernel, self.labels, self.kind, at, value)
    }

    /// Returns the context with another kind of moves.
    pub fn with(&mut self, kind: MoveKind) -> ImageContext<'_> {
        ImageContext::new(self.steps, self.labels, kind)
    }

    /// Computes `img` under the events with their top at or below the level of the node.
    pub fn images(
        &mut self,
        kernel: &mut Kernel,
        node: DdNode,
        at: NodePosition,
    ) -> Result<DdNode, Halt> {
        kernel.call(Image::all(node, None, at), self)
    }

    /// Computes `img ∩ target` under the events with their top at or below the level of the node.
    pub fn images_into(
        &mut self,
        kernel: &mut Kernel,
        node: DdNode,
        target: DdNode,
        at: NodePosition,
    ) -> Result<DdNode, Halt> {
        let into = Image {
            end: StepEnd::Target,
            ..Image::all(node, Some(target), at)
        };
        kernel.call(into, self)
    }

    /// Computes `src` under the events with their top at or below the level of the node.
    pub fn sources(
        &mut self,
        kernel: &mut Kernel,
        node: DdNode,
        target: DdNode,
        at: NodePosition,
    ) -> Result<DdNode, Halt> {
        kernel.call(Image::all(node, Some(target), at), self)
    }

    /// Returns whether no event has its top on this level or below.
    fn is_over(&self, level: u32) -> bool {
        let is_below = |(_, events): (_, &[(u32, ChainId)])| {
            events.last().is_none_or(|(last, _)| *last < level)
        };
        level == self.steps.automaton || self.only.is_some_and(is_below)
    }

    /// Returns the events with their top on this level.
    fn tops(&self, level: u32) -> impl Iterator<Item = ChainId> + use<'a> {
        let (all, only) = match self.only {
            None => (self.steps.tops(level), &[][..]),
            Some((_, events)) => {
                let first = events.partition_point(|(top, _)| *top < level);
                (&[][..], &events[first..])
            }
        };
        let only = only.iter().take_while(move |(top, _)| *top == level);
        let all = all.iter().map(|(chain, _)| *chain);
        all.chain(only.map(|(_, chain)| *chain))
    }
}

/// Selection of steps, as part of a cache key.
#[derive(Clone, Copy)]
pub enum StepKind {
    Moves(MoveKind),
    /// Inner moves by the events of a constraint.
    Meeting(DemandId),
}

impl KeyPart for StepKind {
    const MEANING: WordKind = WordKind::Number;

    #[inline]
    fn to_word(self) -> u32 {
        match self {
            StepKind::Moves(MoveKind::Any) => 0,
            StepKind::Moves(MoveKind::Inner) => 1,
            StepKind::Moves(MoveKind::Marked(mark)) => 2 + mark,
            StepKind::Meeting(DemandId(demand)) => 2 + Marks::MAX + demand,
        }
    }
}

/// The end of steps that is returned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StepEnd {
    Source,
    Target,
}

/// One end of the steps from a node.
#[derive(Clone, Copy)]
pub struct Image {
    /// The rest of an event; `None` for all events with their top at or below the level of the
    /// node.
    pub chain: Option<ChainId>,
    pub node: DdNode,
    /// The node into which the steps lead; `None` if they may lead anywhere.
    pub target: Option<DdNode>,
    pub end: StepEnd,
    pub at: NodePosition,
}

impl Image {
    /// Returns `img`, or `src` if there is a target.
    fn all(node: DdNode, target: Option<DdNode>, at: NodePosition) -> Image {
        Image {
            chain: None,
            node,
            target,
            end: match target {
                Some(_) => StepEnd::Source,
                None => StepEnd::Target,
            },
            at,
        }
    }

    /// Fires the rest of an event along one edge of the node.
    fn fire(
        self,
        kernel: &mut Kernel,
        by: &mut ImageContext<'_>,
        chain: ChainId,
        (value, child): (u32, DdNode),
    ) -> Result<(), Halt> {
        let mut steps = kernel.steps(chain, self.at.level, value);
        while let Some(ChainStep { to, rest }) = kernel.next_step(&mut steps)? {
            let target = self.target.map(|target| kernel.child(target, to));
            if target.is_some_and(DdNode::is_empty) {
                continue;
            }
            if let Some(at) = by.read(kernel, self.at, to)? {
                let below = Image {
                    chain: Some(rest),
                    node: child,
                    target,
                    at,
                    ..self
                };
                let own = match self.end {
                    StepEnd::Source => value,
                    StepEnd::Target => to,
                };
                kernel.call_into(own, below, by)?;
            }
        }
        Ok(())
    }

    /// Returns one end of the automaton's moves, on its level.
    fn moves(self, kernel: &mut Kernel, by: &mut ImageContext<'_>) -> Result<DdNode, Halt> {
        let mut found = Vec::new();
        for (q, _) in kernel.edges(self.node) {
            let residual = self.at.residual;
            let looked = by.labels.any_move(by.kind, residual, q, |next| {
                let into = self.target.map(|target| kernel.child(target, next));
                if into.is_some_and(DdNode::is_empty) {
                    return false;
                }
                found.push(match self.end {
                    StepEnd::Source => q,
                    StepEnd::Target => next,
                });
                self.end == StepEnd::Source
            });
            if let Err(stop) = looked {
                return Err(kernel.halt(stop));
            }
        }
        found.sort_unstable();
        found.dedup();
        let mark = kernel.mark();
        for q in found {
            kernel.push(q, DdNode::ONE)?;
        }
        kernel.make(mark)
    }
}

impl Call<ImageContext<'_>> for Image {
    type Key = (ChainId, DdNode, DdNode, Residual, StepKind);

    fn open(
        self,
        kernel: &mut Kernel,
        by: &mut ImageContext<'_>,
    ) -> Result<Opening<Self::Key>, Halt> {
        let Image { node, target, .. } = self;
        if node.is_empty() || target.is_some_and(DdNode::is_empty) {
            return Ok(Opening::AtOnce(DdNode::EMPTY));
        }
        let moves = StepKind::Moves(by.kind);
        let (chain, kind) = match (self.chain, by.only) {
            (Some(_), _) if self.at.level == by.steps.automaton => {
                return self.moves(kernel, by).map(Opening::AtOnce);
            }
            (Some(chain), _) => (chain, moves),
            (None, _) if by.is_over(self.at.level) => return Ok(Opening::AtOnce(DdNode::EMPTY)),
            (None, only) => (
                ChainId::END,
                only.map_or(moves, |(demand, _)| StepKind::Meeting(demand)),
            ),
        };
        let caches = &by.steps.nodes;
        // No target is empty, so the empty node stands for "anywhere".
        let target = target.unwrap_or(DdNode::EMPTY);
        Ok(Opening::Walk {
            node,
            operation: match (self.chain, self.end) {
                (Some(_), StepEnd::Source) => caches.sources_by,
                (Some(_), StepEnd::Target) => caches.targets_by,
                (None, StepEnd::Source) => caches.sources,
                (None, StepEnd::Target) => caches.targets,
            },
            key: (chain, node, target, self.at.residual, kind),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        by: &mut ImageContext<'_>,
        (value, child): (u32, DdNode),
    ) -> Result<(), Halt> {
        if let Some(chain) = self.chain {
            return self.fire(kernel, by, chain, (value, child));
        }
        let target = self.target.map(|target| kernel.child(target, value));
        if !target.is_some_and(DdNode::is_empty)
            && let Some(at) = by.read(kernel, self.at, value)?
        {
            let below = Image {
                node: child,
                target,
                at,
                ..self
            };
            kernel.call_into(value, below, by)?;
        }
        for chain in by.tops(self.at.level) {
            self.fire(kernel, by, chain, (value, child))?;
        }
        Ok(())
    }

    fn close(
        self,
        kernel: &mut Kernel,
        _: &mut ImageContext<'_>,
        edges: StackMark,
    ) -> Result<DdNode, Halt> {
        kernel.sort(edges)?;
        kernel.make(edges)
    }
}
