//! Single steps of the product, on nodes of any level.
//!
//! A node on level `k` under a residual `c` is a set of suffixes, and the events with their top at or below
//! `k` are its steps; what is above stays as it is. For one chain and for all events:
//!
//! ```text
//! img_ε(n, c) = {i' ↦ img_rest(n[i], c[i']) | (i, i', rest) of ε};    at the bottom the moves under c
//! img(n, c)   = {i ↦ img(n[i], c[i])} ∪ {i' ↦ img_rest(n[i], c[i'])}   over events with this top
//! src(n, t)   = {v ∈ n | img({v}) ∩ t ≠ ∅}
//! ```
//!
//! Sources need no inverse events: source and target are walked down together. Results are
//! remembered under `(chain, n, c, kind of move)`, with `t` where there is one.

use super::letters::{Letters, MoveKind};
use lariat_budget::Stop;
use lariat_dd::kernel::{ChainId, Halt, Kernel, NodeId, WideOp, Word};
use lariat_dd::{Event, Residual, Store, Subset};
use lariat_model::EventId;

/// The events of a problem, ready for steps.
pub struct Steps {
    /// The level of the automaton, below all components.
    pub automaton: u32,
    /// All events.
    pub all: Subset,
    /// By top level.
    tops: Vec<Vec<(ChainId, EventId)>>,
    image: WideOp,
    images: WideOp,
    source: WideOp,
    sources: WideOp,
    pub(super) returns: WideOp,
    /// Which pairs of node and residual were searched.
    pub searched: WideOp,
    /// States with a given end.
    pub ending: WideOp,
    pub(super) marks: WideOp,
    pub(super) lives: WideOp,
    /// Nodes from which a cap is exceeded.
    pub escapes: WideOp,
}

/// A node on some level with what is left to be read.
#[derive(Clone, Copy)]
pub struct Position {
    /// The level.
    pub level: u32,
    /// What the levels above have left of the labels.
    pub residual: Residual,
}

/// An event and where it leads: what is above `level` stays.
#[derive(Clone)]
pub struct Hop {
    /// The event.
    pub event: EventId,
    /// Where the suffix begins.
    pub level: u32,
    /// What is there.
    pub suffix: Vec<u32>,
}

impl Steps {
    /// Prepares the steps of `events` on a store whose last level is the automaton.
    pub fn new(store: &mut Store, events: &[(EventId, Event)]) -> Result<Steps, Stop> {
        let automaton = store.levels() as u32 - 1;
        let all = store.subset(events.iter().map(|(_, event)| *event));
        let mut tops = vec![Vec::new(); automaton as usize + 1];
        let mut ops = Vec::new();
        store.run(|kernel| {
            for (id, event) in events {
                let chain = event.chain();
                let level = kernel.first_level(chain).unwrap_or(0);
                tops[level as usize].push((chain, *id));
            }
            use Word::{Node, Plain};
            for (target, results) in [
                (Plain, Node),
                (Plain, Node),
                (Node, Node),
                (Node, Node),
                (Node, Plain),
                (Plain, Plain),
                (Node, Node),
                (Plain, Plain),
                (Plain, Plain),
                (Plain, Plain),
            ] {
                let key = [Node, target, Plain, Plain, Plain];
                ops.push(kernel.operation(key, [results, Plain]));
            }
            Ok(NodeId::EMPTY)
        })?;
        let [
            image,
            images,
            source,
            sources,
            returns,
            searched,
            ending,
            marks,
            lives,
            escapes,
        ] = ops[..]
        else {
            return Err(Stop::Internal("operations of a diagram".to_owned()));
        };
        Ok(Steps {
            automaton,
            all,
            tops,
            image,
            images,
            source,
            sources,
            returns,
            searched,
            ending,
            marks,
            lives,
            escapes,
        })
    }

    /// The events with this top level.
    pub fn tops(&self, level: u32) -> &[(ChainId, EventId)] {
        &self.tops[level as usize]
    }

    /// What `residual` leaves where `level` has `value`; nothing where no wanted move is left.
    #[inline]
    pub fn read(
        kernel: &mut Kernel,
        letters: &mut Letters,
        kind: MoveKind,
        at: Position,
        value: u32,
    ) -> Result<Option<Position>, Halt> {
        let residual = match letters.step(at.residual, at.level, value) {
            Ok(residual) => residual,
            Err(stop) => return Err(kernel.halt(stop)),
        };
        let over =
            residual == Residual::FALSE || (kind != MoveKind::Any && letters.is_idle(residual));
        Ok((!over).then_some(Position {
            level: at.level + 1,
            residual,
        }))
    }

    /// `img_ε` for the event that `chain` is the rest of.
    pub fn image(
        &self,
        kernel: &mut Kernel,
        letters: &mut Letters,
        kind: MoveKind,
        chain: ChainId,
        node: NodeId,
        at: Position,
    ) -> Result<NodeId, Halt> {
        if node.is_empty() {
            return Ok(node);
        }
        if at.level == self.automaton {
            return moved(kernel, letters, kind, node, at.residual);
        }
        let key = [node.word(), 0, at.residual.0, kind.word(), 0];
        if let Some([known, _]) = kernel.cached(self.image, chain, key) {
            return Ok(NodeId::from_word(known));
        }
        let base = kernel.mark();
        kernel.push_edges(node)?;
        let end = kernel.mark();
        for offset in 0..end.above(base) {
            if let Some((value, child)) = kernel.peek(base, offset) {
                self.image_into(kernel, letters, kind, chain, (value, child), at)?;
            }
        }
        kernel.sort(end)?;
        let result = kernel.make(end)?;
        kernel.release(base);
        kernel.tick()?;
        kernel.remember(self.image, chain, key, [result.word(), 0]);
        Ok(result)
    }

    /// Pushes what `chain` reaches from one edge of a node.
    fn image_into(
        &self,
        kernel: &mut Kernel,
        letters: &mut Letters,
        kind: MoveKind,
        chain: ChainId,
        (value, child): (u32, NodeId),
        at: Position,
    ) -> Result<(), Halt> {
        let mut nth = 0;
        while let Some(step) = kernel.nth_step(chain, at.level, value, nth)? {
            nth += 1;
            if let Some(below) = Steps::read(kernel, letters, kind, at, step.to)? {
                let image = self.image(kernel, letters, kind, step.rest, child, below)?;
                if !image.is_empty() {
                    kernel.push(step.to, image)?;
                }
            }
        }
        Ok(())
    }

    /// `img` under the events with their top at or below the level of the node.
    pub fn images(
        &self,
        kernel: &mut Kernel,
        letters: &mut Letters,
        kind: MoveKind,
        node: NodeId,
        at: Position,
    ) -> Result<NodeId, Halt> {
        if node.is_empty() || at.level == self.automaton {
            return Ok(NodeId::EMPTY);
        }
        let key = [node.word(), 0, at.residual.0, kind.word(), 0];
        if let Some([known, _]) = kernel.cached(self.images, ChainId::END, key) {
            return Ok(NodeId::from_word(known));
        }
        let base = kernel.mark();
        kernel.push_edges(node)?;
        let end = kernel.mark();
        for offset in 0..end.above(base) {
            let Some((value, child)) = kernel.peek(base, offset) else {
                break;
            };
            if let Some(below) = Steps::read(kernel, letters, kind, at, value)? {
                let image = self.images(kernel, letters, kind, child, below)?;
                if !image.is_empty() {
                    kernel.push(value, image)?;
                }
            }
            for &(chain, _) in self.tops(at.level) {
                self.image_into(kernel, letters, kind, chain, (value, child), at)?;
            }
        }
        kernel.sort(end)?;
        let result = kernel.make(end)?;
        kernel.release(base);
        kernel.tick()?;
        kernel.remember(self.images, ChainId::END, key, [result.word(), 0]);
        Ok(result)
    }

    /// `src` for the event that `chain` is the rest of.
    pub fn source(
        &self,
        kernel: &mut Kernel,
        letters: &mut Letters,
        kind: MoveKind,
        chain: ChainId,
        (node, target): (NodeId, NodeId),
        at: Position,
    ) -> Result<NodeId, Halt> {
        if node.is_empty() || target.is_empty() {
            return Ok(NodeId::EMPTY);
        }
        if at.level == self.automaton {
            return leading(kernel, letters, kind, (node, target), at.residual);
        }
        let key = [node.word(), target.word(), at.residual.0, kind.word(), 0];
        if let Some([known, _]) = kernel.cached(self.source, chain, key) {
            return Ok(NodeId::from_word(known));
        }
        let base = kernel.mark();
        kernel.push_edges(node)?;
        let end = kernel.mark();
        for offset in 0..end.above(base) {
            if let Some(edge) = kernel.peek(base, offset) {
                self.source_into(kernel, letters, kind, chain, (edge, target), at)?;
            }
        }
        kernel.sort(end)?;
        let result = kernel.make(end)?;
        kernel.release(base);
        kernel.tick()?;
        kernel.remember(self.source, chain, key, [result.word(), 0]);
        Ok(result)
    }

    /// Pushes the part of one edge of a node from which `chain` leads into `target`.
    fn source_into(
        &self,
        kernel: &mut Kernel,
        letters: &mut Letters,
        kind: MoveKind,
        chain: ChainId,
        ((value, child), target): ((u32, NodeId), NodeId),
        at: Position,
    ) -> Result<(), Halt> {
        let mut nth = 0;
        while let Some(step) = kernel.nth_step(chain, at.level, value, nth)? {
            nth += 1;
            let into = kernel.child(target, step.to);
            if into.is_empty() {
                continue;
            }
            if let Some(below) = Steps::read(kernel, letters, kind, at, step.to)? {
                let pair = (child, into);
                let part = self.source(kernel, letters, kind, step.rest, pair, below)?;
                if !part.is_empty() {
                    kernel.push(value, part)?;
                }
            }
        }
        Ok(())
    }

    /// `src` under the events with their top at or below the level of the node.
    pub fn sources(
        &self,
        kernel: &mut Kernel,
        letters: &mut Letters,
        kind: MoveKind,
        (node, target): (NodeId, NodeId),
        at: Position,
    ) -> Result<NodeId, Halt> {
        if node.is_empty() || target.is_empty() || at.level == self.automaton {
            return Ok(NodeId::EMPTY);
        }
        let key = [node.word(), target.word(), at.residual.0, kind.word(), 0];
        if let Some([known, _]) = kernel.cached(self.sources, ChainId::END, key) {
            return Ok(NodeId::from_word(known));
        }
        let base = kernel.mark();
        kernel.push_edges(node)?;
        let end = kernel.mark();
        for offset in 0..end.above(base) {
            let Some((value, child)) = kernel.peek(base, offset) else {
                break;
            };
            let same = kernel.child(target, value);
            if !same.is_empty()
                && let Some(below) = Steps::read(kernel, letters, kind, at, value)?
            {
                let part = self.sources(kernel, letters, kind, (child, same), below)?;
                if !part.is_empty() {
                    kernel.push(value, part)?;
                }
            }
            for &(chain, _) in self.tops(at.level) {
                let edge = ((value, child), target);
                self.source_into(kernel, letters, kind, chain, edge, at)?;
            }
        }
        kernel.sort(end)?;
        let result = kernel.make(end)?;
        kernel.release(base);
        kernel.tick()?;
        kernel.remember(self.sources, ChainId::END, key, [result.word(), 0]);
        Ok(result)
    }

    /// A step from a single suffix into `target`.
    pub fn step_into(
        &self,
        kernel: &mut Kernel,
        letters: &mut Letters,
        kind: MoveKind,
        (from, target): (&[u32], NodeId),
        at: Position,
    ) -> Result<Option<Hop>, Halt> {
        // Above the top level of an event its target is where its source is.
        let (mut target, mut place) = (target, at);
        for (offset, &value) in from.iter().enumerate() {
            if place.level == self.automaton || target.is_empty() {
                break;
            }
            for &(chain, event) in self.tops(place.level) {
                let mut suffix = Vec::new();
                let vectors = (&from[offset..], target, &mut suffix);
                if follow(self.automaton, kernel, letters, kind, chain, vectors, place)? {
                    let level = place.level;
                    return Ok(Some(Hop {
                        event,
                        level,
                        suffix,
                    }));
                }
            }
            target = kernel.child(target, value);
            match Steps::read(kernel, letters, kind, place, value)? {
                Some(below) => place = below,
                None => break,
            }
        }
        Ok(None)
    }
}

/// The automaton's moves from the states of `node`.
fn moved(
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

/// Follows `chain` from a single suffix into `target`; appends where it leads.
fn follow(
    automaton: u32,
    kernel: &mut Kernel,
    letters: &mut Letters,
    kind: MoveKind,
    chain: ChainId,
    (from, target, to): (&[u32], NodeId, &mut Vec<u32>),
    at: Position,
) -> Result<bool, Halt> {
    let [value, from @ ..] = from else {
        return Ok(false);
    };
    if at.level == automaton {
        let mut next = 0;
        let found = letters.any_move(kind, at.residual, *value, |q| {
            next = q;
            !kernel.child(target, q).is_empty()
        });
        return match found {
            Ok(true) => {
                to.push(next);
                Ok(true)
            }
            Ok(false) => Ok(false),
            Err(stop) => Err(kernel.halt(stop)),
        };
    }
    let mut nth = 0;
    while let Some(step) = kernel.nth_step(chain, at.level, *value, nth)? {
        nth += 1;
        let into = kernel.child(target, step.to);
        if into.is_empty() {
            continue;
        }
        if let Some(below) = Steps::read(kernel, letters, kind, at, step.to)? {
            to.push(step.to);
            let rest = (from, into, &mut *to);
            if follow(automaton, kernel, letters, kind, step.rest, rest, below)? {
                return Ok(true);
            }
            to.pop();
        }
    }
    Ok(false)
}
