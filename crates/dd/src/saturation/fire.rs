//! Firing: the image of a node under what is left of an event, saturated on the way up.
//!
//! Most nodes of a safe net have a single edge, and below it most events are not possible. An event
//! therefore *slides* down single edges, whose nodes lie side by side in memory, and only if it turns
//! out to be possible is anything looked up, made and saturated. On nets with many tokens the images
//! of such nodes are mostly in the cache, and there it is asked first; two counters tell which is the
//! case. Nodes with several edges are fired edge by edge and always remembered.
//!
//! An example: `v₄ ≥ 1: v₄ − 1, v₅ + 1` is left of an event, and it is fired on a node of level 2.
//!
//! ```text
//! level    2  3  4  5                                2  3  4  5
//! node     0  1  0  0                                0  1  1  0
//! slide    ↓  ↓  ✗                                   ↓  ↓  ↓  ↓  ⊤
//! image    ∅: three nodes were read,                 0  1  0  1   made and saturated from level 5 up,
//!          none made and none looked up                           one entry in the cache, for level 2
//! ```
//!
//! Where the edges branch, say on level 4, the slide *lands*: that node is fired edge by edge, and the
//! single edges above it are put on top of its image.

use super::{Filter, Listener, Saturation, variant};
use crate::event::{ChainAction, ChainId};
use crate::kernel::{Halt, Kernel, NodeId, OPERATIONS, Residual};

/// An event on its way down: what is left of it, where it is, and what the filter asks there.
#[derive(Clone, Copy)]
pub(super) struct Firing {
    pub chain: ChainId,
    pub node: NodeId,
    pub level: u32,
    pub source: Residual,
    pub target: Residual,
}

/// How a [`Firing`] goes on down a single edge.
enum Slide {
    /// To the next node; the edge of the image has this value.
    Down(u32, Firing),
    /// Not by a single edge: from here the image is computed edge by edge.
    Landed,
    /// Not at all: the event is not possible.
    Blocked,
}

impl Kernel {
    /// The saturated image of the node at `firing` under the chain there.
    ///
    /// Most images are known. So everything up to the look at the cache takes place where the image is asked for, and only what is to be computed is a call.
    #[inline(always)]
    pub(super) fn fire<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        firing: Firing,
    ) -> Result<NodeId, Halt> {
        let Firing {
            chain,
            node,
            level,
            source,
            target,
        } = firing;
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
        let firing = Firing { source, ..firing };
        if self.is_over(run, firing) {
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
        let single = self.tables.pool.is_single(node);
        let look = !single || self.slides_known > self.slides_blocked;
        if look && let Some(result) = self.image_known(run, firing) {
            self.slides_known += single as u64;
            return Ok(result);
        }
        if single {
            self.slide(run, firing, look)
        } else {
            self.fire_remembered(run, firing)
        }
    }

    /// Is nothing left to do at `firing`?
    #[inline]
    fn is_over<F: Filter, L>(&mut self, run: &mut Saturation<'_, F, L>, firing: Firing) -> bool {
        let Firing { source, target, .. } = firing;
        firing.chain == ChainId::END
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
    #[inline(never)]
    fn slide<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        top: Firing,
        looked: bool,
    ) -> Result<NodeId, Halt> {
        let mut firing = top;
        loop {
            match self.slide_on(run, firing)? {
                Slide::Down(_, next) => firing = next,
                Slide::Landed => break,
                Slide::Blocked => {
                    self.slides_blocked += 1;
                    self.tick()?;
                    return Ok(NodeId::EMPTY);
                }
            }
        }
        if !looked && let Some(result) = self.image_known(run, top) {
            self.slides_known += 1;
            return Ok(result);
        }
        if firing.level == top.level {
            return self.fire_remembered(run, top);
        }
        self.tick()?;
        let mut image = self.fire(run, firing)?;
        if image.is_empty() {
            // Below this is known now.
            return Ok(image);
        }
        let base = self.trail.len();
        firing = top;
        while let Slide::Down(to, next) = self.slide_on(run, firing)? {
            self.trail.push((to, firing.target));
            firing = next;
        }
        while self.trail.len() > base
            && let Some((to, target)) = self.trail.pop()
        {
            firing.level -= 1;
            let edges = self.stack.len();
            self.push(to, image)?;
            image = self.fix(run, firing.level, edges, target)?;
        }
        self.image_is(run, top, image);
        Ok(image)
    }

    /// How an event goes on where there is a single edge.
    #[inline]
    fn slide_on<F: Filter, L>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        firing: Firing,
    ) -> Result<Slide, Halt> {
        let Firing { node, level, .. } = firing;
        if node == NodeId::ONE
            || (F::AUTOMATON && level + 1 == self.levels)
            || self.is_over(run, firing)
        {
            return Ok(Slide::Landed);
        }
        let Some((value, child)) = self.tables.pool.single(node) else {
            return Ok(Slide::Landed);
        };
        let link = self.tables.chains.link(firing.chain);
        let (to, chain) = match link.action {
            _ if level < link.level => (value, firing.chain),
            ChainAction::Delta { need, .. } if value < need => return Ok(Slide::Blocked),
            ChainAction::Delta { delta, rest, .. } => match self.shift(value, delta)? {
                Some(to) => (to, rest),
                None => return Ok(Slide::Blocked),
            },
            ChainAction::Table { .. } => return Ok(Slide::Landed),
        };
        let source = self.read(run, firing.source, level, value)?;
        let target = self.read(run, firing.target, level, to)?;
        if (F::SOURCE && source == Residual::FALSE) || (F::TARGET && target == Residual::FALSE) {
            return Ok(Slide::Blocked);
        }
        let next = Firing {
            chain,
            node: child,
            level: level + 1,
            source: followed::<F>(source, target),
            target,
        };
        Ok(Slide::Down(to, next))
    }

    /// The image that is not in the cache, which remembers it.
    #[inline(never)]
    fn fire_remembered<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        firing: Firing,
    ) -> Result<NodeId, Halt> {
        let image = self.fire_unknown(run, firing)?;
        self.image_is(run, firing, image);
        Ok(image)
    }

    /// The image, edge by edge.
    fn fire_unknown<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        firing: Firing,
    ) -> Result<NodeId, Halt> {
        let Firing { level, target, .. } = firing;
        let action = self.action_at(firing.chain, level);
        let moves = F::AUTOMATON && level + 1 == self.levels;
        let base = self.stack.len();
        self.push_edges(firing.node)?;
        let end = self.stack.len();
        for at in base..end {
            let (value, child) = self.stack[self.turn(at, base..end)];
            let from = self.stack.len();
            if moves {
                self.automaton(run, target, value)?;
                self.arrange(end, from);
                continue;
            }
            let source = self.read(run, firing.source, level, value)?;
            if F::SOURCE && source == Residual::FALSE {
                continue;
            }
            let below = Firing {
                node: child,
                source,
                ..firing
            };
            // Written out, since `next_step` costs some percent here.
            match action {
                ChainAction::Delta { need, delta, rest } => {
                    if value >= need
                        && let Some(to) = self.shift(value, delta)?
                    {
                        self.fire_into(run, below, rest, to)?;
                    }
                }
                ChainAction::Table { start, end } => {
                    let (first, last) = self.tables.chains.rows_from(start, end, value);
                    for row in first..last {
                        let row = self.tables.chains.row(row);
                        self.fire_into(run, below, row.rest, row.to)?;
                    }
                }
            }
            self.arrange(end, from);
        }
        // The edges of deltas come in the order of their sources.
        if moves || matches!(action, ChainAction::Table { .. }) {
            self.tidy(end)?;
        }
        let result = self.fix(run, level, end, target)?;
        self.stack.truncate(base);
        self.tick()?;
        Ok(result)
    }

    /// Fires `chain` one level below `firing` and pushes what is reached as an edge under `to`.
    #[inline(always)]
    fn fire_into<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        firing: Firing,
        chain: ChainId,
        to: u32,
    ) -> Result<(), Halt> {
        let below = Firing {
            chain,
            level: firing.level + 1,
            target: self.read(run, firing.target, firing.level, to)?,
            ..firing
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
        run: &mut Saturation<'_, F, L>,
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
    fn image_known<F: Filter, L>(
        &mut self,
        run: &Saturation<'_, F, L>,
        firing: Firing,
    ) -> Option<NodeId> {
        let Firing { chain, node, .. } = firing;
        let subset = run.events.scope.id();
        if F::NONE {
            return self.cached(OPERATIONS.fire, (chain, node, subset));
        }
        let (filter, source, target) = (run.filter.scope(), firing.source, firing.target);
        let key = (chain, node, subset, filter, source, target);
        self.cached(OPERATIONS.fire_under[variant::<F>()], key)
    }

    #[inline]
    fn image_is<F: Filter, L>(
        &mut self,
        run: &Saturation<'_, F, L>,
        firing: Firing,
        result: NodeId,
    ) {
        let Firing { chain, node, .. } = firing;
        let subset = run.events.scope.id();
        if F::NONE {
            return self.remember(OPERATIONS.fire, (chain, node, subset), result);
        }
        let (filter, source, target) = (run.filter.scope(), firing.source, firing.target);
        let key = (chain, node, subset, filter, source, target);
        self.remember(OPERATIONS.fire_under[variant::<F>()], key, result);
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
