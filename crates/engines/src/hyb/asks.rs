//! Predicates on nodes, evaluated before nodes are searched.
//!
//! Most evaluations end with the first witness:
//!
//! ```text
//! lives(n)      ⇔  some automaton state of n has inner moves under some label
//! ret_ε(n, t)   ⇔  img_ε(n) ∩ t ≠ ∅ by inner moves             without t: img_ε(n) ≠ ∅
//! marks(n, c)   =  marks of inner moves into automaton states of n by their labels
//! accepting(n)  =  marks of inner moves from automaton states of n by any labels
//! ```
//!
//! `lives` depends on the node alone and is cached for all residuals and events. Where it is false,
//! as in most of the product of a property that holds, nothing else is evaluated.

use super::images::ImageContext;
use super::label_residuals::{LabelResiduals, MoveKind};
use super::steps::{NodePosition, ProductSteps};
use lariat_dd::Residual;
use lariat_dd::kernel::{ChainId, DdNode, Halt, Kernel};
use lariat_emptiness::Marks;

/// In chains of nodes with a single edge, results are cached at multiples of this level.
const RUNG: u32 = 4;

impl ProductSteps {
    /// Returns whether `node`, on `level`, has an automaton state with inner moves under some
    /// label. Other nodes are on no fair cycle.
    pub fn lives(
        &self,
        kernel: &mut Kernel,
        labels: &LabelResiduals,
        mut node: DdNode,
        mut level: u32,
    ) -> Result<bool, Halt> {
        // Following a single edge is cheaper than a cache lookup.
        while level < self.automaton {
            let mut edges = kernel.edges(node);
            match (edges.next(), edges.next()) {
                (Some((_, child)), None) if !level.is_multiple_of(RUNG) => node = child,
                _ => break,
            }
            level += 1;
        }
        if level == self.automaton {
            return Ok(kernel
                .edges(node)
                .any(|(q, _)| labels.inner_marks(q).is_some()));
        }
        kernel.remembered(self.nodes.lives, (node,), |kernel| {
            kernel.any_edge(node, |kernel, (_, child)| {
                self.lives(kernel, labels, child, level + 1)
            })
        })
    }

    /// Returns the marks of all inner moves into automaton states of `node` by their labels; no
    /// step inside of the node carries others.
    pub fn marks(
        &self,
        kernel: &mut Kernel,
        labels: &mut LabelResiduals,
        node: DdNode,
        at: NodePosition,
    ) -> Result<Marks, Halt> {
        if at.level == self.automaton {
            let mut marks = Marks::NONE;
            for (q, _) in kernel.edges(node) {
                match labels.marks_into(at.residual, q) {
                    Ok(into) => marks = marks.union(into),
                    Err(stop) => return Err(kernel.halt(stop)),
                }
            }
            return Ok(marks);
        }
        let marks = kernel.remembered(self.nodes.marks, (node, at.residual), |kernel| {
            let wanted = labels.marks();
            let mut marks = Marks::NONE;
            // Stops when all marks are found.
            kernel.any_edge(node, |kernel, (value, child)| {
                if let Some(below) = ProductSteps::read(kernel, labels, MoveKind::Inner, at, value)?
                {
                    marks = marks.union(self.marks(kernel, labels, child, below)?);
                }
                Ok(marks.contains(wanted))
            })?;
            Ok(marks.0)
        })?;
        Ok(Marks(marks))
    }

    /// Returns the marks of all inner moves from automaton states of `node`, on `level`, under any
    /// label: for a Büchi automaton the mark of its accepting states.
    pub fn accepting(
        &self,
        kernel: &mut Kernel,
        labels: &LabelResiduals,
        node: DdNode,
        level: u32,
    ) -> Result<Marks, Halt> {
        if level == self.automaton {
            let marks = kernel
                .edges(node)
                .filter_map(|(q, _)| labels.inner_marks(q));
            return Ok(marks.fold(Marks::NONE, Marks::union));
        }
        let marks = kernel.remembered(self.nodes.accepting, (node,), |kernel| {
            let wanted = labels.marks();
            let mut marks = Marks::NONE;
            kernel.any_edge(node, |kernel, (_, child)| {
                marks = marks.union(self.accepting(kernel, labels, child, level + 1)?);
                Ok(marks.contains(wanted))
            })?;
            Ok(marks.0)
        })?;
        Ok(Marks(marks))
    }
}

impl ImageContext<'_> {
    /// `ret`: returns whether an inner move with `chain` leads from `node` into `target`, or
    /// anywhere if there is no target. The context is one of inner moves.
    pub fn returns(
        &mut self,
        kernel: &mut Kernel,
        chain: ChainId,
        node: DdNode,
        target: Option<DdNode>,
        at: NodePosition,
    ) -> Result<bool, Halt> {
        if at.level == self.steps.automaton {
            return inner_move(kernel, self.labels, node, target, at.residual);
        }
        // `target` is never empty, so the empty node stands for "anywhere".
        let key = (chain, node, target.unwrap_or(DdNode::EMPTY), at.residual);
        kernel.remembered(self.steps.nodes.returns, key, |kernel| {
            kernel.any_edge(node, |kernel, (value, child)| {
                let mut steps = kernel.steps(chain, at.level, value);
                while let Some(step) = kernel.next_step(&mut steps)? {
                    let into = target.map(|target| kernel.child(target, step.to));
                    if into.is_some_and(DdNode::is_empty) {
                        continue;
                    }
                    if let Some(below) = self.read(kernel, at, step.to)?
                        && self.returns(kernel, step.rest, child, into, below)?
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            })
        })
    }
}

/// Returns whether an inner move leads from a state of a node into another node, or anywhere.
fn inner_move(
    kernel: &mut Kernel,
    labels: &mut LabelResiduals,
    node: DdNode,
    target: Option<DdNode>,
    residual: Residual,
) -> Result<bool, Halt> {
    for (q, _) in kernel.edges(node) {
        let leads = labels.any_move(MoveKind::Inner, residual, q, |next| {
            target.is_none_or(|target| !kernel.child(target, next).is_empty())
        });
        match leads {
            Ok(false) => {}
            Ok(true) => return Ok(true),
            Err(stop) => return Err(kernel.halt(stop)),
        }
    }
    Ok(false)
}
