//! Paths of the product, by saturation.
//!
//! Breadth-first layers have large diagrams, and there may be thousands. Closed sets have small
//! ones and are mostly cached by the saturation. So a path at level `k` is searched by the number
//! of its firings at `k`, with everything below closed in between:
//!
//! ```text
//! Eᵢ = from[i]                        Cᵢ = N*_{>k}(Eᵢ)
//! E' = img_ε(Cᵢ) \ all C at i',      C' = N*_{>k}(E')              for ε with top k from i to i'
//! ```
//!
//! until some `C` meets the goal. The path is traced back alternately: from the goal to a member of
//! the `E` whose closure is its `C`, which is the same problem one level lower; then over one
//! firing to a member of the previous `C`.
//!
//! Most levels have no firing. For a single goal `g` the search descends along `g` as far as the
//! closure of the remaining node contains the goal, found by binary search, and begins there. So a
//! path of `h` hops over `K` levels costs about `h · K · log K` besides the closures. Hops store
//! only the levels that they change.
//!
//! The path has the fewest firings at the highest level, not the fewest overall.

use super::filters::AnyMove;
use super::fixpoint;
use super::images::{Image, ImageContext, StepEnd};
use super::label_residuals::{MoveKind, Stability};
use super::steps::{Hop, NodePosition};
use crate::sets::walk::lost;
use lariat_dd::Residual;
use lariat_dd::kernel::{Call, ChainId, DdNode, Halt, Kernel, Opening};
use lariat_model::EventId;
use rustc_hash::FxHashMap;

/// A suffix and the hops from it.
pub struct Walk {
    pub level: u32,
    pub start: Vec<u32>,
    pub hops: Vec<Hop>,
}

impl Walk {
    /// Calls `each` with every event and its target suffix; returns the end of the walk.
    pub fn follow(&self, mut each: impl FnMut(EventId, &[u32])) -> Vec<u32> {
        let mut suffix = self.start.clone();
        for hop in &self.hops {
            hop.apply(self.level, &mut suffix);
            each(hop.event, &suffix);
        }
        suffix
    }

    pub fn end(&self) -> Vec<u32> {
        self.follow(|_, _| {})
    }
}

/// End of a path. Its nodes are rooted by the caller.
#[derive(Clone, Copy)]
pub enum PathGoal<'g> {
    /// This vector.
    At(&'g [u32]),
    /// Any member of this node.
    In(DdNode),
    /// Any state with such a suffix, if the levels above leave the same residual.
    Ending(DdNode, NodePosition),
}

/// States found together, below one value of the level.
struct Discovery {
    value: u32,
    entries: DdNode,
    closed: DdNode,
    /// Index of the predecessor, and the firing.
    by: Option<(usize, EventId, ChainId)>,
}

/// All discoveries, and by value the union of their closed sets.
#[derive(Default)]
struct Discoveries {
    all: Vec<Discovery>,
    known: FxHashMap<u32, DdNode>,
}

/// All discoveries, and the end of the path in the last one.
type Trail = (Vec<Discovery>, Vec<u32>);

pub fn contains(kernel: &Kernel, mut node: DdNode, vector: &[u32]) -> bool {
    for value in vector {
        node = kernel.child(node, *value);
        if node.is_empty() {
            return false;
        }
    }
    node == DdNode::ONE
}

/// Returns a vector of the node, which is not empty.
pub fn pick(kernel: &mut Kernel, mut node: DdNode) -> Result<Vec<u32>, Halt> {
    let mut vector = Vec::new();
    while node != DdNode::ONE {
        let edge = match node {
            DdNode::EMPTY => None,
            _ => kernel.edges(node).next(),
        };
        match edge {
            Some((value, child)) => {
                vector.push(value);
                node = child;
            }
            None => return Err(kernel.halt(lost())),
        }
    }
    Ok(vector)
}

impl ImageContext<'_> {
    /// Finds a path from one of `from` to the goal by events with their top at or below `top`.
    pub fn path_below(
        &mut self,
        kernel: &mut Kernel,
        top: u32,
        from: DdNode,
        goal: PathGoal<'_>,
        at: NodePosition,
    ) -> Result<Option<Walk>, Halt> {
        if at.level >= top {
            return self.path(kernel, from, goal, at);
        }
        let values: Vec<(u32, DdNode)> = kernel.edges(from).collect();
        for (value, child) in values {
            if let Some((goal, below)) = self.goal_below(kernel, goal, at, value)?
                && let Some(mut walk) = self.path_below(kernel, top, child, goal, below)?
            {
                walk.level = at.level;
                walk.start.insert(0, value);
                return Ok(Some(walk));
            }
        }
        Ok(None)
    }

    /// Finds a path from one of `from`, which is rooted by the caller, to the goal.
    fn path(
        &mut self,
        kernel: &mut Kernel,
        from: DdNode,
        goal: PathGoal<'_>,
        at: NodePosition,
    ) -> Result<Option<Walk>, Halt> {
        if let Some(start) = self.member(kernel, from, goal, at)? {
            return Ok(Some(Walk {
                level: at.level,
                start,
                hops: Vec::new(),
            }));
        }
        if from.is_empty() || at.level == self.steps.automaton {
            return Ok(None);
        }
        let base = kernel.mark();
        let walk = match self.search(kernel, from, goal, at)? {
            Some((all, end)) => Some(self.retrace(kernel, &all, end, at)?),
            None => None,
        };
        kernel.release(base);
        Ok(walk)
    }

    /// Returns a path to `end`, which is reachable from `from`; the caller has rooted `from`.
    pub fn path_to(
        &mut self,
        kernel: &mut Kernel,
        from: DdNode,
        end: &[u32],
        at: NodePosition,
    ) -> Result<Walk, Halt> {
        // Sub-nodes of `from` along `end`, by level.
        let mut ways = vec![(from, at)];
        let (mut node, mut place) = (from, at);
        for &value in end {
            node = kernel.child(node, value);
            if node == DdNode::ONE {
                return Ok(Walk {
                    level: at.level,
                    start: end.to_vec(),
                    hops: Vec::new(),
                });
            }
            if node.is_empty() {
                break;
            }
            place = self.below(kernel, place, value)?;
            ways.push((node, place));
        }
        // Exponential and binary search for the lowest level whose closure contains `end`.
        let (mut low, mut high, mut step) = (0, ways.len(), 1);
        while low + 1 < high {
            let middle = if low + step < high {
                low + step
            } else {
                low.midpoint(high)
            };
            let (node, place) = ways[middle];
            let closed = self.closure(kernel, node, place)?;
            if contains(kernel, closed, &end[middle..]) {
                (low, step) = (middle, 2 * step);
            } else {
                high = middle;
            }
        }
        let (node, place) = ways[low];
        // The search below may come here again, once per level.
        drop(ways);
        match self.path(kernel, node, PathGoal::At(&end[low..]), place)? {
            Some(walk) => {
                let mut start = end[..low].to_vec();
                start.extend(walk.start);
                Ok(Walk {
                    level: at.level,
                    start,
                    hops: walk.hops,
                })
            }
            None => Err(kernel.halt(lost())),
        }
    }

    /// Searches for the goal by the number of firings on the level of `from`. Returns all
    /// discoveries, rooted, and a member of the goal in the last one.
    fn search(
        &mut self,
        kernel: &mut Kernel,
        from: DdNode,
        goal: PathGoal<'_>,
        at: NodePosition,
    ) -> Result<Option<Trail>, Halt> {
        let mut found = Discoveries::default();
        let values: Vec<(u32, DdNode)> = kernel.edges(from).collect();
        for (value, child) in values {
            let first = Discovery {
                value,
                entries: child,
                closed: DdNode::EMPTY,
                by: None,
            };
            if let Some(end) = self.add(kernel, &mut found, first, goal, at)? {
                return Ok(Some((found.all, end)));
            }
        }
        let mut next = 0;
        while next < found.all.len() {
            let (from, source) = (found.all[next].value, found.all[next].closed);
            let steps = self.steps;
            for &(chain, event) in steps.tops(at.level) {
                let mut outcomes = kernel.steps(chain, at.level, from);
                while let Some(step) = kernel.next_step(&mut outcomes)? {
                    let Some(below) = self.read(kernel, at, step.to)? else {
                        continue;
                    };
                    let image = Image {
                        chain: Some(step.rest),
                        node: source,
                        target: None,
                        end: StepEnd::Target,
                        at: below,
                    };
                    let image = kernel.call(image, self)?;
                    let mark = kernel.mark();
                    kernel.push(0, image)?;
                    let before = found.known.get(&step.to).copied().unwrap_or(DdNode::EMPTY);
                    let fresh = kernel.difference(image, before)?;
                    kernel.release(mark);
                    if fresh.is_empty() {
                        continue;
                    }
                    kernel.push(0, fresh)?;
                    let more = Discovery {
                        value: step.to,
                        entries: fresh,
                        closed: DdNode::EMPTY,
                        by: Some((next, event, step.rest)),
                    };
                    if let Some(end) = self.add(kernel, &mut found, more, goal, at)? {
                        return Ok(Some((found.all, end)));
                    }
                }
            }
            next += 1;
        }
        Ok(None)
    }

    /// Closes and records a discovery; returns a member of the goal in it.
    fn add(
        &mut self,
        kernel: &mut Kernel,
        found: &mut Discoveries,
        mut discovery: Discovery,
        goal: PathGoal<'_>,
        at: NodePosition,
    ) -> Result<Option<Vec<u32>>, Halt> {
        let value = discovery.value;
        let below = self.below(kernel, at, value)?;
        let closed = self.closure(kernel, discovery.entries, below)?;
        discovery.closed = closed;
        kernel.push(0, closed)?;
        let before = found.known.get(&value).copied().unwrap_or(DdNode::EMPTY);
        let sum = kernel.union(before, closed)?;
        kernel.push(0, sum)?;
        found.known.insert(value, sum);
        found.all.push(discovery);
        match self.goal_below(kernel, goal, at, value)? {
            Some((goal, below)) => self.member(kernel, closed, goal, below),
            None => Ok(None),
        }
    }

    /// Returns the path to `end`, a member of the last discovery.
    fn retrace(
        &mut self,
        kernel: &mut Kernel,
        all: &[Discovery],
        mut end: Vec<u32>,
        at: NodePosition,
    ) -> Result<Walk, Halt> {
        let mut pieces: Vec<Vec<Hop>> = Vec::new();
        let mut last = all.len() - 1;
        loop {
            let Discovery {
                value, entries, by, ..
            } = all[last];
            let below = self.below(kernel, at, value)?;
            let walk = self.path_to(kernel, entries, &end, below)?;
            pieces.push(walk.hops);
            let mut suffix = vec![value];
            suffix.extend(&walk.start);
            let Some((before, event, rest)) = by else {
                let hops = pieces.into_iter().rev().flatten().collect();
                return Ok(Walk {
                    level: at.level,
                    start: suffix,
                    hops,
                });
            };
            let base = kernel.mark();
            let entry = kernel.chain_of(&walk.start)?;
            kernel.push(0, entry)?;
            let sources = Image {
                chain: Some(rest),
                node: all[before].closed,
                target: Some(entry),
                end: StepEnd::Source,
                at: below,
            };
            let sources = kernel.call(sources, self)?;
            end = pick(kernel, sources)?;
            kernel.release(base);
            let mut source = vec![all[before].value];
            source.extend(&end);
            pieces.push(vec![Hop::new(event, at.level, &source, &suffix)]);
            last = before;
        }
    }

    fn below(
        &mut self,
        kernel: &mut Kernel,
        at: NodePosition,
        value: u32,
    ) -> Result<NodePosition, Halt> {
        let residual = self.labels.step(at.residual, at.level, value);
        Ok(NodePosition {
            level: at.level + 1,
            residual: residual.map_err(|stop| kernel.halt(stop))?,
        })
    }

    /// Returns the closure of `node` under the current kind of moves.
    fn closure(
        &mut self,
        kernel: &mut Kernel,
        node: DdNode,
        at: NodePosition,
    ) -> Result<DdNode, Halt> {
        if self.kind != MoveKind::Any {
            return fixpoint::closure(kernel, self, node, at);
        }
        let mut filter = AnyMove {
            labels: self.labels,
            still: Stability::Any,
        };
        let (level, events) = (at.level, &self.steps.all);
        kernel.saturate_below(node, level, events, &mut filter, at.residual)
    }

    /// Returns the goal below `value`; `None` if it cannot be met there.
    fn goal_below<'g>(
        &mut self,
        kernel: &mut Kernel,
        goal: PathGoal<'g>,
        at: NodePosition,
        value: u32,
    ) -> Result<Option<(PathGoal<'g>, NodePosition)>, Halt> {
        let below = self.below(kernel, at, value)?;
        let goal = match goal {
            PathGoal::At([first, rest @ ..]) if *first == value => PathGoal::At(rest),
            PathGoal::At(_) => PathGoal::In(DdNode::EMPTY),
            PathGoal::In(set) => PathGoal::In(kernel.child(set, value)),
            // The suffix begins here.
            PathGoal::Ending(end, wanted) if wanted.level == at.level => {
                if wanted.residual == at.residual {
                    PathGoal::In(kernel.child(end, value))
                } else {
                    PathGoal::In(DdNode::EMPTY)
                }
            }
            ending => ending,
        };
        let possible = !matches!(goal, PathGoal::In(DdNode::EMPTY));
        Ok(possible.then_some((goal, below)))
    }

    /// Returns a member of a node that meets the goal.
    fn member(
        &mut self,
        kernel: &mut Kernel,
        node: DdNode,
        goal: PathGoal<'_>,
        at: NodePosition,
    ) -> Result<Option<Vec<u32>>, Halt> {
        let met = match goal {
            PathGoal::At(end) => return Ok(contains(kernel, node, end).then(|| end.to_vec())),
            PathGoal::In(set) => kernel.intersection(node, set)?,
            PathGoal::Ending(end, wanted) => {
                let ending = Ending {
                    node,
                    at,
                    end,
                    wanted,
                };
                kernel.call(ending, self)?
            }
        };
        if met.is_empty() {
            return Ok(None);
        }
        pick(kernel, met).map(Some)
    }
}

/// Members of a node with a suffix in `end`, if the levels above leave the wanted residual.
#[derive(Clone, Copy)]
struct Ending {
    node: DdNode,
    at: NodePosition,
    end: DdNode,
    wanted: NodePosition,
}

impl Call<ImageContext<'_>> for Ending {
    type Key = (DdNode, DdNode, Residual, Residual);

    fn open(
        self,
        kernel: &mut Kernel,
        paths: &mut ImageContext<'_>,
    ) -> Result<Opening<Self::Key>, Halt> {
        let Ending {
            node,
            at,
            end,
            wanted,
        } = self;
        if node.is_empty() {
            return Ok(Opening::AtOnce(node));
        }
        if at.level == wanted.level {
            return Ok(Opening::AtOnce(if at.residual == wanted.residual {
                kernel.intersection(node, end)?
            } else {
                DdNode::EMPTY
            }));
        }
        Ok(Opening::Walk {
            node,
            operation: paths.steps.nodes.ending,
            key: (node, end, at.residual, wanted.residual),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        paths: &mut ImageContext<'_>,
        (value, child): (u32, DdNode),
    ) -> Result<(), Halt> {
        let below = Ending {
            node: child,
            at: paths.below(kernel, self.at, value)?,
            ..self
        };
        kernel.call_into(value, below, paths)
    }
}
