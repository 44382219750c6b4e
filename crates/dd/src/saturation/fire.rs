//! Firing: the image of a node under what is left of an event, saturated on the way up.
//!
//! Most nodes of a safe net have a single edge, and below it most events are not possible. An event
//! therefore *slides* down single edges, which lie side by side, and only where it ends up possible is
//! anything looked up, made and saturated. Where the images of such nodes mostly are in the
//! cache (nets with many tokens), it is asked first; two counters tell. Other nodes are
//! fired edge by edge and always remembered.

use super::{Filter, Listener, Run, kind};
use crate::cache::Op;
use crate::event::{Action, ChainId};
use crate::kernel::{Halt, Kernel, NodeId, Residual};

/// An event on its way down: what is left of it, where it is, and what the filter asks there.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub chain: ChainId,
    pub node: NodeId,
    pub level: u32,
    pub source: Residual,
    pub target: Residual,
}

/// How it goes on from a [`Place`].
enum Way {
    /// By a single edge, which becomes one under this value.
    Down(u32, Place),
    /// Not by a single edge.
    Open,
    /// Not at all.
    Shut,
}

impl Kernel {
    /// The saturated image of the node at `place` under the chain there.
    #[inline]
    pub(super) fn fire<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Run<'_, F, L>,
        place: Place,
    ) -> Result<NodeId, Halt> {
        let Place {
            chain,
            node,
            level,
            source,
            target,
        } = place;
        if F::NONE && chain == ChainId::END {
            return Ok(node);
        }
        if (F::SOURCE && source == Residual::FALSE) || (F::TARGET && target == Residual::FALSE) {
            return Ok(NodeId::EMPTY);
        }
        if node == NodeId::ONE {
            return Ok(node);
        }
        let source = followed::<F>(source, target);
        let place = Place { source, ..place };
        if self.is_over(run, place) {
            return Ok(node);
        }
        if chain == ChainId::END
            && source == Residual::TRUE
            && !F::AUTOMATON
            && (!F::TARGET || (target == Residual::TRUE && !F::NODES))
        {
            // What is below is saturated under the residual of its source.
            return self.closure(run, node, level, target);
        }
        // Where most images are known, a look at the cache comes first.
        let single = self.pool.single(node).is_some();
        let look = !single || self.known > self.shut;
        if look && let Some(result) = self.image_known(run, place) {
            self.known += single as u64;
            return Ok(result);
        }
        if single {
            self.slide(run, place, look)
        } else {
            self.fire_remembered(run, place)
        }
    }

    /// Is nothing left to do at `place`?
    #[inline]
    fn is_over<F: Filter, L>(&mut self, run: &mut Run<'_, F, L>, place: Place) -> bool {
        let Place { source, target, .. } = place;
        place.chain == ChainId::END
            && (F::NONE
                || (F::AUTOMATON && source == target && run.filter.is_still(target))
                || (!F::AUTOMATON
                    && F::SOURCE
                    && source == Residual::TRUE
                    && target == Residual::TRUE))
    }

    /// The image of a node with a single edge. Down single edges it shows whether the event is
    /// possible, at the price of a few nodes that lie side by side; where mostly it is not,
    /// the cache need not be `looked` at before.
    fn slide<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Run<'_, F, L>,
        top: Place,
        looked: bool,
    ) -> Result<NodeId, Halt> {
        let mut place = top;
        loop {
            match self.way(run, place)? {
                Way::Down(_, next) => place = next,
                Way::Open => break,
                Way::Shut => {
                    self.shut += 1;
                    self.tick()?;
                    return Ok(NodeId::EMPTY);
                }
            }
        }
        if !looked && let Some(result) = self.image_known(run, top) {
            self.known += 1;
            return Ok(result);
        }
        if place.level == top.level {
            return self.fire_remembered(run, top);
        }
        self.tick()?;
        let mut image = self.fire(run, place)?;
        if image.is_empty() {
            // Below this is known now.
            return Ok(image);
        }
        let base = self.trail.len();
        place = top;
        while let Way::Down(to, next) = self.way(run, place)? {
            self.trail.push((to, place.target));
            place = next;
        }
        while self.trail.len() > base
            && let Some((to, target)) = self.trail.pop()
        {
            place.level -= 1;
            let edges = self.stack.len();
            self.push(to, image)?;
            image = self.fix(run, place.level, edges, target)?;
        }
        self.image_is(run, top, image);
        Ok(image)
    }

    /// How an event goes on where there is a single edge.
    #[inline]
    fn way<F: Filter, L>(&mut self, run: &mut Run<'_, F, L>, place: Place) -> Result<Way, Halt> {
        let Place { node, level, .. } = place;
        if node == NodeId::ONE
            || (F::AUTOMATON && level + 1 == self.levels)
            || self.is_over(run, place)
        {
            return Ok(Way::Open);
        }
        let Some((value, child)) = self.pool.single(node) else {
            return Ok(Way::Open);
        };
        let link = self.chains.link(place.chain);
        let (to, chain) = match link.action {
            _ if level < link.level => (value, place.chain),
            Action::Delta { need, .. } if value < need => return Ok(Way::Shut),
            Action::Delta { delta, rest, .. } => (self.shift(value, delta)?, rest),
            Action::Table { .. } => return Ok(Way::Open),
        };
        let source = self.read(run, place.source, level, value)?;
        let target = self.read(run, place.target, level, to)?;
        if (F::SOURCE && source == Residual::FALSE) || (F::TARGET && target == Residual::FALSE) {
            return Ok(Way::Shut);
        }
        let next = Place {
            chain,
            node: child,
            level: level + 1,
            source: followed::<F>(source, target),
            target,
        };
        Ok(Way::Down(to, next))
    }

    /// The image that is not in the cache, which remembers it.
    fn fire_remembered<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Run<'_, F, L>,
        place: Place,
    ) -> Result<NodeId, Halt> {
        let image = self.fire_unknown(run, place)?;
        self.image_is(run, place, image);
        Ok(image)
    }

    /// The image, edge by edge.
    fn fire_unknown<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Run<'_, F, L>,
        place: Place,
    ) -> Result<NodeId, Halt> {
        let Place { level, target, .. } = place;
        let link = self.chains.link(place.chain);
        let base = self.stack.len();
        self.push_edges(place.node)?;
        let end = self.stack.len();
        let mut sorted = true;
        for at in base..end {
            let (value, child) = self.stack[at];
            if F::AUTOMATON && level + 1 == self.levels {
                self.automaton(run, target, value)?;
                sorted = false;
                continue;
            }
            let source = self.read(run, place.source, level, value)?;
            if F::SOURCE && source == Residual::FALSE {
                continue;
            }
            let below = Place {
                node: child,
                source,
                ..place
            };
            if level < link.level {
                self.fire_into(run, below, place.chain, value)?;
                continue;
            }
            match link.action {
                Action::Delta { need, delta, rest } => {
                    if value >= need {
                        let to = self.shift(value, delta)?;
                        self.fire_into(run, below, rest, to)?;
                    }
                }
                Action::Table { start, end } => {
                    sorted = false;
                    let (first, last) = self.chains.rows_from(start, end, value);
                    for row in first..last {
                        let row = self.chains.row(row);
                        self.fire_into(run, below, row.rest, row.to)?;
                    }
                }
            }
        }
        if !sorted {
            self.tidy(end)?;
        }
        let result = self.fix(run, level, end, target)?;
        self.stack.truncate(base);
        self.tick()?;
        Ok(result)
    }

    /// Fires `chain` one level below `place` and pushes what is reached as an edge under `to`.
    #[inline]
    fn fire_into<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Run<'_, F, L>,
        place: Place,
        chain: ChainId,
        to: u32,
    ) -> Result<(), Halt> {
        let below = Place {
            chain,
            level: place.level + 1,
            target: self.read(run, place.target, place.level, to)?,
            ..place
        };
        let image = self.fire(run, below)?;
        if !image.is_empty() {
            self.push(to, image)?;
        }
        Ok(())
    }

    /// Pushes the moves of the automaton from the state `from`.
    fn automaton<F: Filter, L>(
        &mut self,
        run: &mut Run<'_, F, L>,
        target: Residual,
        from: u32,
    ) -> Result<(), Halt> {
        let mut moves = Vec::new();
        if let Err(stop) = run.filter.moves(self, target, from, &mut moves) {
            return Err(self.halt(stop));
        }
        for to in moves {
            self.push(to, NodeId::ONE)?;
        }
        Ok(())
    }

    #[inline]
    fn image_known<F: Filter, L>(&mut self, run: &Run<'_, F, L>, place: Place) -> Option<NodeId> {
        let Place { chain, node, .. } = place;
        let subset = run.events.scope.word();
        if F::NONE {
            return self.cache.get(Op::Fire.word(chain.0), node.0, subset);
        }
        let (source, target) = (place.source.0, place.target.0);
        let key = [node.0, subset, run.filter.scope(), source, target];
        self.cached(self.ops.fire[kind::<F>()], chain, key)
            .map(|[result, _]| NodeId(result))
    }

    #[inline]
    fn image_is<F: Filter, L>(&mut self, run: &Run<'_, F, L>, place: Place, result: NodeId) {
        let Place { chain, node, .. } = place;
        let subset = run.events.scope.word();
        if F::NONE {
            return self
                .cache
                .put(Op::Fire.word(chain.0), node.0, subset, result);
        }
        let (source, target) = (place.source.0, place.target.0);
        let key = [node.0, subset, run.filter.scope(), source, target];
        self.remember(self.ops.fire[kind::<F>()], chain, key, [result.0, 0]);
    }
}

/// Without a source filter the residual of the source is not followed, but for an automaton as
/// long as it is that of the target.
#[inline]
fn followed<F: Filter>(source: Residual, target: Residual) -> Residual {
    match source {
        _ if F::SOURCE => source,
        _ if !F::AUTOMATON => Residual::TRUE,
        _ if source == target => target,
        _ => Residual::FALSE,
    }
}
