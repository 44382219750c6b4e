//! Paths of the product, found the way it is saturated.
//!
//! Layers of a breadth-first search are poor diagrams, and there may be thousands of them. Closed sets are good
//! ones and mostly known from the saturation. So a path at level `k` is searched by the number of its
//! firings at `k` alone, with everything below closed in between:
//!
//! ```text
//! Eᵢ = from[i]                        Cᵢ = N*_{>k}(Eᵢ)
//! E' = img_ε(Cᵢ) \ all C at i',      C' = N*_{>k}(E')              for ε with top k from i to i'
//! ```
//!
//! until some `C` meets the goal. The way back alternates: from the goal to a member of the `E` that its `C`
//! was closed from, which is the same question one level lower; from there over one firing to a member of the
//! `C` before.
//!
//! The path has the fewest firings at the highest level, not the fewest of all. Every step of it costs
//! at most one search a level, and most of these end at once.

use super::filters::{AnyMove, InnerMove};
use super::letters::{Kind, Letters};
use super::steps::{Hop, Place, Steps};
use crate::hybrid::walk::lost;
use lariat_dd::kernel::{ChainId, Halt, Kernel, NodeId};
use lariat_dd::saturation::Silent;
use lariat_model::EventId;
use rustc_hash::FxHashMap;

/// A suffix and the hops from it.
pub struct Walk {
    /// Where it starts.
    pub start: Vec<u32>,
    /// The hops.
    pub hops: Vec<Hop>,
}

impl Walk {
    /// Where it ends.
    pub fn end(&self) -> &[u32] {
        self.hops.last().map_or(&self.start, |hop| &hop.1)
    }

    /// The same one level higher, where the value stays.
    fn below(mut self, value: u32) -> Walk {
        self.start.insert(0, value);
        for hop in &mut self.hops {
            hop.1.insert(0, value);
        }
        self
    }
}

/// Where a path is to end. Nodes are rooted by whoever asks.
#[derive(Clone, Copy)]
pub enum Goal {
    /// In one of these.
    In(NodeId),
    /// In any state with this suffix, where what is above leaves the same residual.
    Ending(NodeId, Place),
}

/// States that were found together, below one value of the level.
struct Found {
    value: u32,
    entries: NodeId,
    closed: NodeId,
    /// From which others, and by what.
    by: Option<(usize, EventId, ChainId)>,
}

/// A vector of the node, which is not empty.
pub fn pick(kernel: &mut Kernel, mut node: NodeId) -> Result<Vec<u32>, Halt> {
    let mut vector = Vec::new();
    while node != NodeId::ONE {
        let edge = match node {
            NodeId::EMPTY => None,
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

/// Searches for paths by one kind of move.
pub struct Paths<'a> {
    /// The labels.
    pub letters: &'a mut Letters,
    /// The events.
    pub steps: &'a Steps,
    /// The moves.
    pub kind: Kind,
}

impl Paths<'_> {
    /// A path from one of `from` to the goal by events with their top at or below `top`, if there is one.
    pub fn path_below(
        &mut self,
        kernel: &mut Kernel,
        top: u32,
        from: NodeId,
        goal: Goal,
        at: Place,
    ) -> Result<Option<Walk>, Halt> {
        if at.level >= top {
            return self.path(kernel, from, goal, at);
        }
        let values: Vec<(u32, NodeId)> = kernel.edges(from).collect();
        for (value, child) in values {
            if let Some((goal, below)) = self.goal_below(kernel, goal, at, value)?
                && let Some(walk) = self.path_below(kernel, top, child, goal, below)?
            {
                return Ok(Some(walk.below(value)));
            }
        }
        Ok(None)
    }

    /// A path from one of `from`, which is rooted, to the goal, if there is one.
    pub fn path(
        &mut self,
        kernel: &mut Kernel,
        from: NodeId,
        goal: Goal,
        at: Place,
    ) -> Result<Option<Walk>, Halt> {
        let met = self.meets(kernel, from, goal, at)?;
        if !met.is_empty() {
            let (start, hops) = (pick(kernel, met)?, Vec::new());
            return Ok(Some(Walk { start, hops }));
        }
        if from.is_empty() || at.level == self.steps.automaton {
            return Ok(None);
        }
        let base = kernel.mark();
        let mut all: Vec<Found> = Vec::new();
        let mut known: FxHashMap<u32, NodeId> = FxHashMap::default();
        let values: Vec<(u32, NodeId)> = kernel.edges(from).collect();
        for (value, child) in values {
            let met = self.add(
                kernel,
                (&mut all, &mut known),
                (value, child, None),
                goal,
                at,
            )?;
            if let Some(end) = met {
                let walk = self.retrace(kernel, &all, end, at)?;
                kernel.release(base);
                return Ok(Some(walk));
            }
        }
        let mut next = 0;
        while next < all.len() {
            let (from, source) = (all[next].value, all[next].closed);
            let steps = self.steps;
            for &(chain, event) in steps.tops(at.level) {
                let mut nth = 0;
                while let Some(step) = kernel.nth_step(chain, at.level, from, nth)? {
                    nth += 1;
                    let Some(below) = Steps::read(kernel, self.letters, self.kind, at, step.to)?
                    else {
                        continue;
                    };
                    let (kind, rest) = (self.kind, step.rest);
                    let image = steps.image(kernel, self.letters, kind, rest, source, below)?;
                    let mark = kernel.mark();
                    kernel.push(0, image)?;
                    let before = known.get(&step.to).copied().unwrap_or(NodeId::EMPTY);
                    let fresh = kernel.difference(image, before)?;
                    kernel.release(mark);
                    if fresh.is_empty() {
                        continue;
                    }
                    kernel.push(0, fresh)?;
                    let found = (step.to, fresh, Some((next, event, rest)));
                    if let Some(end) = self.add(kernel, (&mut all, &mut known), found, goal, at)? {
                        let walk = self.retrace(kernel, &all, end, at)?;
                        kernel.release(base);
                        return Ok(Some(walk));
                    }
                }
            }
            next += 1;
        }
        kernel.release(base);
        Ok(None)
    }

    /// Closes what was found and keeps it; a member of the goal, if there is one in it.
    fn add(
        &mut self,
        kernel: &mut Kernel,
        (all, known): (&mut Vec<Found>, &mut FxHashMap<u32, NodeId>),
        (value, entries, by): (u32, NodeId, Option<(usize, EventId, ChainId)>),
        goal: Goal,
        at: Place,
    ) -> Result<Option<Vec<u32>>, Halt> {
        let residual = match self.letters.step(at.residual, at.level, value) {
            Ok(residual) => residual,
            Err(stop) => return Err(kernel.halt(stop)),
        };
        let below = Place {
            level: at.level + 1,
            residual,
        };
        let closed = self.closure(kernel, entries, below)?;
        kernel.push(0, closed)?;
        let before = known.get(&value).copied().unwrap_or(NodeId::EMPTY);
        let sum = kernel.union(before, closed)?;
        kernel.push(0, sum)?;
        known.insert(value, sum);
        all.push(Found {
            value,
            entries,
            closed,
            by,
        });
        let Some((goal, below)) = self.goal_below(kernel, goal, at, value)? else {
            return Ok(None);
        };
        let met = self.meets(kernel, closed, goal, below)?;
        match met.is_empty() {
            true => Ok(None),
            false => Ok(Some(pick(kernel, met)?)),
        }
    }

    /// The path to `end`, a member of what was found last.
    fn retrace(
        &mut self,
        kernel: &mut Kernel,
        all: &[Found],
        mut end: Vec<u32>,
        at: Place,
    ) -> Result<Walk, Halt> {
        let mut pieces: Vec<Vec<Hop>> = Vec::new();
        let mut last = all.len() - 1;
        loop {
            let Found {
                value, entries, by, ..
            } = all[last];
            let base = kernel.mark();
            let goal = kernel.chain_of(&end)?;
            kernel.push(0, goal)?;
            let residual = match self.letters.step(at.residual, at.level, value) {
                Ok(residual) => residual,
                Err(stop) => return Err(kernel.halt(stop)),
            };
            let below = Place {
                level: at.level + 1,
                residual,
            };
            let Some(walk) = self.path(kernel, entries, Goal::In(goal), below)? else {
                return Err(kernel.halt(lost()));
            };
            let walk = walk.below(value);
            pieces.push(walk.hops);
            let Some((before, event, rest)) = by else {
                kernel.release(base);
                let hops = pieces.into_iter().rev().flatten().collect();
                let start = walk.start;
                return Ok(Walk { start, hops });
            };
            let entry = kernel.chain_of(&walk.start[1..])?;
            kernel.push(0, entry)?;
            let pair = (all[before].closed, entry);
            let steps = self.steps;
            let sources = steps.source(kernel, self.letters, self.kind, rest, pair, below)?;
            end = pick(kernel, sources)?;
            kernel.release(base);
            pieces.push(vec![(event, walk.start)]);
            last = before;
        }
    }

    /// Everything that `node` leads to below the levels above.
    fn closure(&mut self, kernel: &mut Kernel, node: NodeId, at: Place) -> Result<NodeId, Halt> {
        let Place { level, residual } = at;
        let events = &self.steps.all;
        match self.kind {
            Kind::Any => {
                let mut filter = AnyMove(self.letters);
                kernel.saturate_below(node, level, events, &mut filter, residual, &mut Silent)
            }
            Kind::Inner | Kind::Marked(_) => {
                let mut filter = InnerMove(self.letters);
                kernel.saturate_below(node, level, events, &mut filter, residual, &mut Silent)
            }
        }
    }

    /// What the goal asks below `value`; `None` if it cannot be met there.
    fn goal_below(
        &mut self,
        kernel: &mut Kernel,
        goal: Goal,
        at: Place,
        value: u32,
    ) -> Result<Option<(Goal, Place)>, Halt> {
        let residual = match self.letters.step(at.residual, at.level, value) {
            Ok(residual) => residual,
            Err(stop) => return Err(kernel.halt(stop)),
        };
        let goal = match goal {
            Goal::In(set) => Goal::In(kernel.child(set, value)),
            // The suffix itself begins here.
            Goal::Ending(end, wanted) if wanted.level == at.level => {
                match wanted.residual == at.residual {
                    true => Goal::In(kernel.child(end, value)),
                    false => Goal::In(NodeId::EMPTY),
                }
            }
            ending => ending,
        };
        let level = at.level + 1;
        let possible = !matches!(goal, Goal::In(NodeId::EMPTY));
        Ok(possible.then_some((goal, Place { level, residual })))
    }

    /// The members of a node that are in the goal.
    fn meets(
        &mut self,
        kernel: &mut Kernel,
        node: NodeId,
        goal: Goal,
        at: Place,
    ) -> Result<NodeId, Halt> {
        let (end, wanted) = match goal {
            Goal::In(set) => return kernel.intersection(node, set),
            Goal::Ending(end, wanted) => (end, wanted),
        };
        if node.is_empty() {
            return Ok(node);
        }
        if at.level == wanted.level {
            return match at.residual == wanted.residual {
                true => kernel.intersection(node, end),
                false => Ok(NodeId::EMPTY),
            };
        }
        let key = [node.word(), end.word(), at.residual.0, 0, 0];
        let op = self.steps.ending;
        if let Some([known, _]) = kernel.cached(op, ChainId::END, key) {
            return Ok(NodeId::from_word(known));
        }
        let base = kernel.mark();
        kernel.push_edges(node)?;
        let mark = kernel.mark();
        for offset in 0..mark.above(base) {
            let Some((value, child)) = kernel.peek(base, offset) else {
                break;
            };
            if let Some((goal, below)) = self.goal_below(kernel, goal, at, value)? {
                let part = self.meets(kernel, child, goal, below)?;
                if !part.is_empty() {
                    kernel.push(value, part)?;
                }
            }
        }
        let result = kernel.make(mark)?;
        kernel.release(base);
        kernel.tick()?;
        kernel.remember(op, ChainId::END, key, [result.word(), 0]);
        Ok(result)
    }
}
