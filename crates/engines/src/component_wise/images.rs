//! Images and sources in the product, as recursive [calls](lariat_dd::kernel::Call).
//!
//! The equations are in [`steps`](super::steps). Sources need no inverse events: source and target
//! are walked down together. Results are remembered under `(chain, n, c, kind of move)`, with `t`
//! where there is one.

use super::letters::{Letters, MoveKind};
use super::steps::{Position, Steps};
use lariat_dd::Residual;
use lariat_dd::kernel::{Call, ChainId, ChainStep, Halt, Kernel, NodeId, Opening, StackMark};

/// What stays the same in one image or source: the events, the labels, and which moves count.
pub struct By<'a> {
    pub steps: &'a Steps,
    pub letters: &'a mut Letters,
    pub kind: MoveKind,
}

impl<'a> By<'a> {
    pub fn new(steps: &'a Steps, letters: &'a mut Letters, kind: MoveKind) -> By<'a> {
        By {
            steps,
            letters,
            kind,
        }
    }

    /// What is left to be read below `value`, see [`Steps::read`].
    pub fn read(
        &mut self,
        kernel: &mut Kernel,
        at: Position,
        value: u32,
    ) -> Result<Option<Position>, Halt> {
        Steps::read(kernel, self.letters, self.kind, at, value)
    }
}

/// `img_ε`
#[derive(Clone, Copy)]
pub struct Image {
    pub chain: ChainId,
    pub node: NodeId,
    pub at: Position,
}

impl Call<By<'_>> for Image {
    type Key = (ChainId, NodeId, Residual, MoveKind);

    fn open(self, kernel: &mut Kernel, by: &mut By<'_>) -> Result<Opening<Self::Key>, Halt> {
        let Image { chain, node, at } = self;
        if node.is_empty() {
            return Ok(Opening::AtOnce(node));
        }
        if at.level == by.steps.automaton {
            let moved = moved(kernel, by.letters, by.kind, node, at.residual)?;
            return Ok(Opening::AtOnce(moved));
        }
        Ok(Opening::Walk {
            node,
            operation: by.steps.image,
            key: (chain, node, at.residual, by.kind),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        by: &mut By<'_>,
        (value, child): (u32, NodeId),
    ) -> Result<(), Halt> {
        let mut steps = kernel.steps(self.chain, self.at.level, value);
        while let Some(ChainStep { to, rest }) = kernel.next_step(&mut steps)? {
            if let Some(at) = by.read(kernel, self.at, to)? {
                let below = Image {
                    chain: rest,
                    node: child,
                    at,
                };
                kernel.call_into(to, below, by)?;
            }
        }
        Ok(())
    }

    fn close(self, kernel: &mut Kernel, _: &mut By<'_>, edges: StackMark) -> Result<NodeId, Halt> {
        kernel.sort(edges)?;
        kernel.make(edges)
    }
}

/// `img`
#[derive(Clone, Copy)]
pub struct Images {
    pub node: NodeId,
    pub at: Position,
}

impl Call<By<'_>> for Images {
    type Key = (NodeId, Residual, MoveKind);

    fn open(self, _: &mut Kernel, by: &mut By<'_>) -> Result<Opening<Self::Key>, Halt> {
        let Images { node, at } = self;
        if node.is_empty() || at.level == by.steps.automaton {
            return Ok(Opening::AtOnce(NodeId::EMPTY));
        }
        Ok(Opening::Walk {
            node,
            operation: by.steps.images,
            key: (node, at.residual, by.kind),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        by: &mut By<'_>,
        (value, child): (u32, NodeId),
    ) -> Result<(), Halt> {
        if let Some(at) = by.read(kernel, self.at, value)? {
            kernel.call_into(value, Images { node: child, at }, by)?;
        }
        let Images { node, at } = self;
        for &(chain, _) in by.steps.tops(at.level) {
            Image { chain, node, at }.edge(kernel, by, (value, child))?;
        }
        Ok(())
    }

    fn close(self, kernel: &mut Kernel, _: &mut By<'_>, edges: StackMark) -> Result<NodeId, Halt> {
        kernel.sort(edges)?;
        kernel.make(edges)
    }
}

/// `src_ε`
#[derive(Clone, Copy)]
pub struct Source {
    pub chain: ChainId,
    pub node: NodeId,
    pub target: NodeId,
    pub at: Position,
}

impl Call<By<'_>> for Source {
    type Key = (ChainId, NodeId, NodeId, Residual, MoveKind);

    fn open(self, kernel: &mut Kernel, by: &mut By<'_>) -> Result<Opening<Self::Key>, Halt> {
        let Source {
            chain,
            node,
            target,
            at,
        } = self;
        if node.is_empty() || target.is_empty() {
            return Ok(Opening::AtOnce(NodeId::EMPTY));
        }
        if at.level == by.steps.automaton {
            let pair = (node, target);
            let leading = leading(kernel, by.letters, by.kind, pair, at.residual)?;
            return Ok(Opening::AtOnce(leading));
        }
        Ok(Opening::Walk {
            node,
            operation: by.steps.source,
            key: (chain, node, target, at.residual, by.kind),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        by: &mut By<'_>,
        (value, child): (u32, NodeId),
    ) -> Result<(), Halt> {
        let mut steps = kernel.steps(self.chain, self.at.level, value);
        while let Some(ChainStep { to, rest }) = kernel.next_step(&mut steps)? {
            let target = kernel.child(self.target, to);
            if target.is_empty() {
                continue;
            }
            if let Some(at) = by.read(kernel, self.at, to)? {
                let below = Source {
                    chain: rest,
                    node: child,
                    target,
                    at,
                };
                kernel.call_into(value, below, by)?;
            }
        }
        Ok(())
    }

    fn close(self, kernel: &mut Kernel, _: &mut By<'_>, edges: StackMark) -> Result<NodeId, Halt> {
        kernel.sort(edges)?;
        kernel.make(edges)
    }
}

/// `src`
#[derive(Clone, Copy)]
pub struct Sources {
    pub node: NodeId,
    pub target: NodeId,
    pub at: Position,
}

impl Call<By<'_>> for Sources {
    type Key = (NodeId, NodeId, Residual, MoveKind);

    fn open(self, _: &mut Kernel, by: &mut By<'_>) -> Result<Opening<Self::Key>, Halt> {
        let Sources { node, target, at } = self;
        if node.is_empty() || target.is_empty() || at.level == by.steps.automaton {
            return Ok(Opening::AtOnce(NodeId::EMPTY));
        }
        Ok(Opening::Walk {
            node,
            operation: by.steps.sources,
            key: (node, target, at.residual, by.kind),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        by: &mut By<'_>,
        (value, child): (u32, NodeId),
    ) -> Result<(), Halt> {
        let Sources { node, target, at } = self;
        let same = kernel.child(target, value);
        if !same.is_empty()
            && let Some(at) = by.read(kernel, at, value)?
        {
            let below = Sources {
                node: child,
                target: same,
                at,
            };
            kernel.call_into(value, below, by)?;
        }
        for &(chain, _) in by.steps.tops(at.level) {
            let by_event = Source {
                chain,
                node,
                target,
                at,
            };
            by_event.edge(kernel, by, (value, child))?;
        }
        Ok(())
    }

    fn close(self, kernel: &mut Kernel, _: &mut By<'_>, edges: StackMark) -> Result<NodeId, Halt> {
        kernel.sort(edges)?;
        kernel.make(edges)
    }
}

/// The automaton's moves from the states of `node`.
pub(super) fn moved(
    kernel: &mut Kernel,
    letters: &mut Letters,
    kind: MoveKind,
    node: NodeId,
    residual: Residual,
) -> Result<NodeId, Halt> {
    let states: Vec<u32> = kernel.edges(node).map(|(q, _)| q).collect();
    let mut to = Vec::new();
    for q in states {
        let pushed = letters.any_move(kind, residual, q, |next| {
            to.push(next);
            false
        });
        if let Err(stop) = pushed {
            return Err(kernel.halt(stop));
        }
    }
    to.sort_unstable();
    to.dedup();
    let mark = kernel.mark();
    for q in to {
        kernel.push(q, NodeId::ONE)?;
    }
    kernel.make(mark)
}

/// The states of a node from which a move leads into another.
fn leading(
    kernel: &mut Kernel,
    letters: &mut Letters,
    kind: MoveKind,
    (node, target): (NodeId, NodeId),
    residual: Residual,
) -> Result<NodeId, Halt> {
    let states: Vec<u32> = kernel.edges(node).map(|(q, _)| q).collect();
    let mark = kernel.mark();
    for q in states {
        let leads = letters.any_move(kind, residual, q, |next| {
            !kernel.child(target, next).is_empty()
        });
        match leads {
            Ok(true) => kernel.push(q, NodeId::ONE)?,
            Ok(false) => {}
            Err(stop) => return Err(kernel.halt(stop)),
        }
    }
    kernel.make(mark)
}
