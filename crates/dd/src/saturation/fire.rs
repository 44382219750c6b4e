//! Firing: the image of a node under the rest of an event, saturated on the way up.
//!
//! Most nodes of a safe net have a single edge, and below it most events are disabled. An event
//! therefore *slides* down single edges, whose nodes are adjacent in memory, and only if it turns
//! out to be enabled are images looked up, created and saturated. On nets with many tokens the
//! images of such nodes are mostly cached, so the cache is checked first; two counters tell which
//! is the case. Nodes with several edges are fired edge by edge and always cached.
//!
//! An example: the rest of an event is `v₄ ≥ 1: v₄ − 1, v₅ + 1`, fired on a node of level 2.
//!
//! ```text
//! level    2  3  4  5                                2  3  4  5
//! node     0  1  0  0                                0  1  1  0
//! slide    ↓  ↓  ✗                                   ↓  ↓  ↓  ↓  ⊤
//! image    ∅: three nodes were read,                 0  1  0  1   created and saturated from
//!          none created or looked up                              level 5 up, one cache entry
//! ```
//!
//! Where the edges branch, say on level 4, the slide *lands*: that node is fired edge by edge, and
//! the single edges above it are put on top of its image.

use super::{Listener, Saturation, StepFilter, variant};
use crate::event::{ChainAction, ChainId};
use crate::kernel::{DdNode, Halt, Kernel, OPERATIONS, Residual};

/// The state of an event on its way down: remaining chain, node, level, and residuals.
#[derive(Clone, Copy)]
pub(super) struct EventFront {
    pub chain: ChainId,
    pub node: DdNode,
    pub level: u32,
    pub source: Residual,
    pub target: Residual,
}

/// The next step of an [`EventFront`] down a single edge.
enum Slide {
    /// To the child; the edge of the image has this value.
    Down(u32, EventFront),
    /// No single edge: from here the image is computed edge by edge.
    Landed,
    /// The event is disabled.
    Blocked,
}

impl Kernel {
    /// Returns the saturated image of the node at `firing` under the chain there.
    ///
    /// Most images are cached, so everything up to the lookup is inlined, and the rest is a call.
    #[inline(always)]
    pub(super) fn fire<F: StepFilter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        firing: EventFront,
    ) -> Result<DdNode, Halt> {
        let EventFront {
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
            return Ok(DdNode::EMPTY);
        }
        if node == DdNode::ONE {
            return Ok(node);
        }
        let source = tracked_source::<F>(source, target);
        let firing = EventFront { source, ..firing };
        if self.is_finished(run, firing) {
            return Ok(node);
        }
        if chain == ChainId::END
            && source == Residual::TRUE
            && !F::AUTOMATON
            && (!F::TARGET || (target == Residual::TRUE && !F::NODES))
        {
            // The node is saturated under the residual of its source.
            return self.closure(run, node, level, target);
        }
        // If most images are cached, the lookup comes first.
        let single = self.tables.pool.is_single(node);
        let look = !single || self.slides.known > self.slides.blocked;
        if look && let Some(result) = self.cached_image(run, firing) {
            self.slides.known += single as u64;
            return Ok(result);
        }
        if single {
            self.slide(run, firing, look)
        } else {
            self.compute_and_remember_image(run, firing)
        }
    }

    /// Returns whether the image is the node itself.
    #[inline]
    fn is_finished<F: StepFilter, L>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        firing: EventFront,
    ) -> bool {
        let EventFront { source, target, .. } = firing;
        firing.chain == ChainId::END
            && (F::NONE
                || (F::AUTOMATON && source == target && run.filter.is_still(target))
                || (!F::AUTOMATON
                    && F::SOURCE
                    && source == Residual::TRUE
                    && target == Residual::TRUE))
    }

    /// Returns the image of a node with a single edge. The slide reads a few adjacent nodes to test
    /// whether the event is enabled. Where it mostly is not, the cache has not been `looked` up.
    #[inline(never)]
    fn slide<F: StepFilter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        top: EventFront,
        looked: bool,
    ) -> Result<DdNode, Halt> {
        let mut firing = top;
        loop {
            match self.slide_on(run, firing)? {
                Slide::Down(_, next) => firing = next,
                Slide::Landed => break,
                Slide::Blocked => {
                    self.slides.blocked += 1;
                    self.tick()?;
                    return Ok(DdNode::EMPTY);
                }
            }
        }
        if !looked && let Some(result) = self.cached_image(run, top) {
            self.slides.known += 1;
            return Ok(result);
        }
        if firing.level == top.level {
            return self.compute_and_remember_image(run, top);
        }
        self.tick()?;
        let mut image = self.fire(run, firing)?;
        if image.is_empty() {
            // The node that was fired has a cached result now.
            return Ok(image);
        }
        let base = self.slides.trail.len();
        firing = top;
        while let Slide::Down(to, next) = self.slide_on(run, firing)? {
            self.slides.trail.push((to, firing.target));
            firing = next;
        }
        while self.slides.trail.len() > base
            && let Some((to, target)) = self.slides.trail.pop()
        {
            firing.level -= 1;
            let edges = self.stack.len();
            self.push(to, image)?;
            image = self.fix(run, firing.level, edges, target)?;
        }
        self.remember_image(run, top, image);
        Ok(image)
    }

    /// Moves an event down a single edge.
    #[inline]
    fn slide_on<F: StepFilter, L>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        firing: EventFront,
    ) -> Result<Slide, Halt> {
        let EventFront { node, level, .. } = firing;
        if node == DdNode::ONE
            || (F::AUTOMATON && level + 1 == self.levels)
            || self.is_finished(run, firing)
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
        let next = EventFront {
            chain,
            node: child,
            level: level + 1,
            source: tracked_source::<F>(source, target),
            target,
        };
        Ok(Slide::Down(to, next))
    }

    /// Computes and caches an image.
    #[inline(never)]
    fn compute_and_remember_image<F: StepFilter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        firing: EventFront,
    ) -> Result<DdNode, Halt> {
        let image = self.compute_image(run, firing)?;
        self.remember_image(run, firing, image);
        Ok(image)
    }

    /// Computes an image edge by edge.
    fn compute_image<F: StepFilter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        firing: EventFront,
    ) -> Result<DdNode, Halt> {
        let EventFront { level, target, .. } = firing;
        let action = self.action_at(firing.chain, level);
        let moves = F::AUTOMATON && level + 1 == self.levels;
        let base = self.stack.len();
        self.push_edges(firing.node)?;
        let end = self.stack.len();
        for at in base..end {
            let (value, child) = self.stack[self.edge_index(at, base..end)];
            let from = self.stack.len();
            if moves {
                self.push_moves(run, target, value)?;
                self.restore_order(end, from);
                continue;
            }
            let source = self.read(run, firing.source, level, value)?;
            if F::SOURCE && source == Residual::FALSE {
                continue;
            }
            let below = EventFront {
                node: child,
                source,
                ..firing
            };
            // Inlined by hand, since `next_step` is slower here.
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
            self.restore_order(end, from);
        }
        // Edges of deltas are sorted, as their sources are.
        if moves || matches!(action, ChainAction::Table { .. }) {
            self.sort_and_merge(end)?;
        }
        let result = self.fix(run, level, end, target)?;
        self.stack.truncate(base);
        self.tick()?;
        Ok(result)
    }

    /// Fires `chain` one level below `firing` and pushes the image as an edge under `to`.
    #[inline(always)]
    fn fire_into<F: StepFilter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        firing: EventFront,
        chain: ChainId,
        to: u32,
    ) -> Result<(), Halt> {
        let below = EventFront {
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
    fn push_moves<F: StepFilter, L>(
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
            self.push(to, DdNode::ONE)?;
        }
        Ok(())
    }

    #[inline]
    fn cached_image<F: StepFilter, L>(
        &mut self,
        run: &Saturation<'_, F, L>,
        firing: EventFront,
    ) -> Option<DdNode> {
        let EventFront { chain, node, .. } = firing;
        let subset = run.events.scope.id();
        if F::NONE {
            return self.cached(OPERATIONS.fire, (chain, node, subset));
        }
        let (filter, source, target) = (run.filter.scope(), firing.source, firing.target);
        let key = (chain, node, subset, filter, source, target);
        self.cached(OPERATIONS.fire_under[variant::<F>()], key)
    }

    #[inline]
    fn remember_image<F: StepFilter, L>(
        &mut self,
        run: &Saturation<'_, F, L>,
        firing: EventFront,
        result: DdNode,
    ) {
        let EventFront { chain, node, .. } = firing;
        let subset = run.events.scope.id();
        if F::NONE {
            return self.remember(OPERATIONS.fire, (chain, node, subset), result);
        }
        let (filter, source, target) = (run.filter.scope(), firing.source, firing.target);
        let key = (chain, node, subset, filter, source, target);
        self.remember(OPERATIONS.fire_under[variant::<F>()], key, result);
    }
}

/// The residual of the source as tracked: `TRUE` without a source filter, except for an automaton
/// while it equals that of the target.
#[inline]
fn tracked_source<F: StepFilter>(source: Residual, target: Residual) -> Residual {
    match source {
        _ if F::SOURCE => source,
        _ if !F::AUTOMATON => Residual::TRUE,
        _ if source == target => target,
        _ => Residual::FALSE,
    }
}
