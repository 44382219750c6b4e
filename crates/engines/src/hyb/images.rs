//! Images and sources in the product, as recursive [calls](lariat_dd::kernel::Call).
//!
//! See [`steps`](super::steps) for the equations. Sources need no inverse events: one recursion
//! descends source and target together and returns either end of the steps between them. Results
//! are cached under `(chain, n, c, kind of move)`, and `t` if there is one.

use super::label_residuals::{LabelResiduals, MoveKind};
use super::steps::{NodePosition, ProductSteps};
use lariat_dd::Residual;
use lariat_dd::kernel::{Call, ChainId, ChainStep, DdNode, Halt, Kernel, Opening, StackMark};

/// Context of an image or source: events, labels, and the kind of moves.
pub struct ImageContext<'a> {
    pub steps: &'a ProductSteps,
    pub labels: &'a mut LabelResiduals,
    pub kind: MoveKind,
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

    /// Computes `img_ε` for the rest `chain` of an event.
    pub fn image(
        &mut self,
        kernel: &mut Kernel,
        chain: ChainId,
        node: DdNode,
        at: NodePosition,
    ) -> Result<DdNode, Halt> {
        kernel.call(EventImage { chain, node, at }, self)
    }

    /// Computes `img` under the events with their top at or below the level of the node.
    pub fn images(
        &mut self,
        kernel: &mut Kernel,
        node: DdNode,
        at: NodePosition,
    ) -> Result<DdNode, Halt> {
        kernel.call(StepImage { node, at }, self)
    }

    /// Computes one end of the steps by the rest `chain` of an event from a node into another.
    pub fn between(&mut self, kernel: &mut Kernel, between: EventSteps) -> Result<DdNode, Halt> {
        kernel.call(between, self)
    }

    /// Computes `src` under the events with their top at or below the level of the node.
    pub fn sources(
        &mut self,
        kernel: &mut Kernel,
        node: DdNode,
        target: DdNode,
        at: NodePosition,
    ) -> Result<DdNode, Halt> {
        kernel.call(StepPreimage { node, target, at }, self)
    }
}

/// `img_ε`
#[derive(Clone, Copy)]
pub struct EventImage {
    pub chain: ChainId,
    pub node: DdNode,
    pub at: NodePosition,
}

impl Call<ImageContext<'_>> for EventImage {
    type Key = (ChainId, DdNode, Residual, MoveKind);

    fn open(
        self,
        kernel: &mut Kernel,
        by: &mut ImageContext<'_>,
    ) -> Result<Opening<Self::Key>, Halt> {
        let EventImage { chain, node, at } = self;
        if node.is_empty() {
            return Ok(Opening::AtOnce(node));
        }
        if at.level == by.steps.automaton {
            let moved = moved(kernel, by, node, at.residual)?;
            return Ok(Opening::AtOnce(moved));
        }
        Ok(Opening::Walk {
            node,
            operation: by.steps.images.image,
            key: (chain, node, at.residual, by.kind),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        by: &mut ImageContext<'_>,
        (value, child): (u32, DdNode),
    ) -> Result<(), Halt> {
        let mut steps = kernel.steps(self.chain, self.at.level, value);
        while let Some(ChainStep { to, rest }) = kernel.next_step(&mut steps)? {
            if let Some(at) = by.read(kernel, self.at, to)? {
                let below = EventImage {
                    chain: rest,
                    node: child,
                    at,
                };
                kernel.call_into(to, below, by)?;
            }
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

/// `img`
#[derive(Clone, Copy)]
pub struct StepImage {
    pub node: DdNode,
    pub at: NodePosition,
}

impl Call<ImageContext<'_>> for StepImage {
    type Key = (DdNode, Residual, MoveKind);

    fn open(self, _: &mut Kernel, by: &mut ImageContext<'_>) -> Result<Opening<Self::Key>, Halt> {
        let StepImage { node, at } = self;
        if node.is_empty() || at.level == by.steps.automaton {
            return Ok(Opening::AtOnce(DdNode::EMPTY));
        }
        Ok(Opening::Walk {
            node,
            operation: by.steps.images.images,
            key: (node, at.residual, by.kind),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        by: &mut ImageContext<'_>,
        (value, child): (u32, DdNode),
    ) -> Result<(), Halt> {
        if let Some(at) = by.read(kernel, self.at, value)? {
            kernel.call_into(value, StepImage { node: child, at }, by)?;
        }
        let StepImage { node, at } = self;
        for &(chain, _) in by.steps.tops(at.level) {
            EventImage { chain, node, at }.edge(kernel, by, (value, child))?;
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

/// The end of the steps between two nodes that is returned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StepEnd {
    /// `src_ε(n, t)`: their sources.
    Source,
    /// `img_ε(n) ∩ t`: their targets.
    Target,
}

/// One end of the steps of an event from a node into another.
#[derive(Clone, Copy)]
pub struct EventSteps {
    pub chain: ChainId,
    pub node: DdNode,
    pub target: DdNode,
    pub end: StepEnd,
    pub at: NodePosition,
}

impl Call<ImageContext<'_>> for EventSteps {
    type Key = (ChainId, DdNode, DdNode, Residual, MoveKind);

    fn open(
        self,
        kernel: &mut Kernel,
        by: &mut ImageContext<'_>,
    ) -> Result<Opening<Self::Key>, Halt> {
        let EventSteps {
            chain,
            node,
            target,
            end,
            at,
        } = self;
        if node.is_empty() || target.is_empty() {
            return Ok(Opening::AtOnce(DdNode::EMPTY));
        }
        if at.level == by.steps.automaton {
            let moves = moves_between(kernel, by, node, target, end, at.residual)?;
            return Ok(Opening::AtOnce(moves));
        }
        Ok(Opening::Walk {
            node,
            operation: match end {
                StepEnd::Source => by.steps.images.source,
                StepEnd::Target => by.steps.images.target,
            },
            key: (chain, node, target, at.residual, by.kind),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        by: &mut ImageContext<'_>,
        (value, child): (u32, DdNode),
    ) -> Result<(), Halt> {
        let mut steps = kernel.steps(self.chain, self.at.level, value);
        while let Some(ChainStep { to, rest }) = kernel.next_step(&mut steps)? {
            let target = kernel.child(self.target, to);
            if target.is_empty() {
                continue;
            }
            if let Some(at) = by.read(kernel, self.at, to)? {
                let below = EventSteps {
                    chain: rest,
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

/// `src`
#[derive(Clone, Copy)]
pub struct StepPreimage {
    pub node: DdNode,
    pub target: DdNode,
    pub at: NodePosition,
}

impl Call<ImageContext<'_>> for StepPreimage {
    type Key = (DdNode, DdNode, Residual, MoveKind);

    fn open(self, _: &mut Kernel, by: &mut ImageContext<'_>) -> Result<Opening<Self::Key>, Halt> {
        let StepPreimage { node, target, at } = self;
        if node.is_empty() || target.is_empty() || at.level == by.steps.automaton {
            return Ok(Opening::AtOnce(DdNode::EMPTY));
        }
        Ok(Opening::Walk {
            node,
            operation: by.steps.images.sources,
            key: (node, target, at.residual, by.kind),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        by: &mut ImageContext<'_>,
        (value, child): (u32, DdNode),
    ) -> Result<(), Halt> {
        let StepPreimage { node, target, at } = self;
        let same = kernel.child(target, value);
        if !same.is_empty()
            && let Some(at) = by.read(kernel, at, value)?
        {
            let below = StepPreimage {
                node: child,
                target: same,
                at,
            };
            kernel.call_into(value, below, by)?;
        }
        for &(chain, _) in by.steps.tops(at.level) {
            let by_event = EventSteps {
                chain,
                node,
                target,
                end: StepEnd::Source,
                at,
            };
            by_event.edge(kernel, by, (value, child))?;
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

/// Returns the targets of the automaton's moves from the states of `node`.
fn moved(
    kernel: &mut Kernel,
    by: &mut ImageContext<'_>,
    node: DdNode,
    residual: Residual,
) -> Result<DdNode, Halt> {
    let mut to = Vec::new();
    for (q, _) in kernel.edges(node) {
        let pushed = by.labels.any_move(by.kind, residual, q, |next| {
            to.push(next);
            false
        });
        if let Err(stop) = pushed {
            return Err(kernel.halt(stop));
        }
    }
    states(kernel, to)
}

/// Returns one end of the automaton's moves from the states of a node into those of another.
fn moves_between(
    kernel: &mut Kernel,
    by: &mut ImageContext<'_>,
    node: DdNode,
    target: DdNode,
    end: StepEnd,
    residual: Residual,
) -> Result<DdNode, Halt> {
    let mut found = Vec::new();
    for (q, _) in kernel.edges(node) {
        let looked = by.labels.any_move(by.kind, residual, q, |next| {
            if kernel.child(target, next).is_empty() {
                return false;
            }
            found.push(match end {
                StepEnd::Source => q,
                StepEnd::Target => next,
            });
            end == StepEnd::Source
        });
        if let Err(stop) = looked {
            return Err(kernel.halt(stop));
        }
    }
    states(kernel, found)
}

/// Returns a node on the automaton's level.
fn states(kernel: &mut Kernel, mut states: Vec<u32>) -> Result<DdNode, Halt> {
    states.sort_unstable();
    states.dedup();
    let mark = kernel.mark();
    for q in states {
        kernel.push(q, DdNode::ONE)?;
    }
    kernel.make(mark)
}
