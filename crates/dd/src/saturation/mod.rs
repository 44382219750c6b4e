//! Saturation: least fixpoints, node by node from the bottom.
//!
//! For a set of events `E` (a [`Subset`]) and a set `A`, the smallest `X ⊇ A` with
//!
//! | filter | equation |
//! | --- | --- |
//! | [`Unfiltered`] | `img(X) ⊆ X` |
//! | [`FromSource`] (FReach) | `img(X ∩ P) ⊆ X` |
//! | [`IntoTarget`] (ReachF) | `img(X) ∩ P ⊆ X` |
//! | [`Within`] a set `C` | `img(X) ∩ C ⊆ X` |
//!
//! A node on level `k` is *saturated* if it is closed under the events whose top level is `k` or
//! below. `fix` saturates a node whose children are saturated, by firing the
//! events with top level `k` until nothing changes: from value `i` to `i'` again only when the
//! child under `i` has changed. `fire` computes the image below the top level and
//! saturates what it makes on the way up, so every node that a fixpoint ever holds is saturated
//! already. (Ciardo, Lüttgen, Siminiceanu: Saturation: an efficient iteration strategy for
//! symbolic state-space generation, TACAS 2001; constrained: Zhao, Ciardo, ATVA 2009.)
//!
//! Under a filter there is a residual beside every node. Events with top level `k` leave the levels
//! above alone, so while a node is saturated its residual is the same before and after a
//! step. Below the top level of an event that is fired, source and target may differ: the residual
//! of the source decides whether the step is taken, that of the target does too, or says
//! under what the image is to be saturated. Cache keys are therefore `(node, subset, residual)`
//! for saturation and `(chain, node, subset, residual of source, residual of target)` for firing.
//! A chain that has come to its end still walks on under a filter, because the levels it
//! leaves alone are saturated under the residual of the source and must be under that of the
//! target. Where an automaton is the last level, they must also be walked for its moves, unless the residual
//! is the same and [these change nothing](Filter::is_still).
//!
//! Filter and listener are type parameters, so that a plain saturation pays for neither.

mod bench;
mod filter;
mod fire;
mod listener;

pub(crate) use bench::Workbench;
pub use filter::{Filter, FromSource, IntoTarget, Unfiltered, Within};
pub use listener::{Fired, Listener, Silent};

use crate::cache::Op;
use crate::event::{Action, ChainId, Subset, Top};
use crate::kernel::{Halt, Kernel, NodeId, Residual};
use crate::predicate::Predicate;
use crate::store::{Set, Store};
use fire::Place;
use lariat_budget::Stop;

/// What stays the same during one saturation.
struct Run<'a, F, L> {
    events: &'a Subset,
    filter: &'a mut F,
    listener: &'a mut L,
}

impl Kernel {
    /// The closure of `node`, on level 0, under `events`; a listener may leave.
    pub fn saturate<F: Filter, L: Listener<F>>(
        &mut self,
        node: NodeId,
        events: &Subset,
        filter: &mut F,
        residual: Residual,
        listener: &mut L,
    ) -> Result<NodeId, Halt> {
        let mut run = Run {
            events,
            filter,
            listener,
        };
        self.closed = self.levels;
        self.closure(&mut run, node, 0, residual)
    }

    /// The closure of `node`, on `level`, under those of `events` with a top at or below it:
    /// also while another saturation is under way, for listeners.
    pub fn saturate_below<F: Filter, L: Listener<F>>(
        &mut self,
        node: NodeId,
        level: u32,
        events: &Subset,
        filter: &mut F,
        residual: Residual,
        listener: &mut L,
    ) -> Result<NodeId, Halt> {
        let mut run = Run {
            events,
            filter,
            listener,
        };
        let closed = self.closed;
        let result = self.closure(&mut run, node, level, residual);
        self.closed = closed;
        result
    }

    /// The closure of any node on `level`.
    fn closure<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Run<'_, F, L>,
        node: NodeId,
        level: u32,
        residual: Residual,
    ) -> Result<NodeId, Halt> {
        if node.0 <= 1 || level >= run.events.depth(F::AUTOMATON) || idle::<F>(residual) {
            return Ok(node);
        }
        if let Some(result) = self.closure_known(run, node, residual) {
            self.closed = self.closed.min(level);
            return Ok(result);
        }
        let base = self.stack.len();
        self.push_edges(node)?;
        let end = self.stack.len();
        for at in base..end {
            let (value, child) = self.stack[at];
            let rest = self.read(run, residual, level, value)?;
            let child = self.closure(run, child, level + 1, rest)?;
            self.push(value, child)?;
        }
        let result = self.fix(run, level, end, residual)?;
        self.stack.truncate(base);
        self.tick()?;
        self.closed = self.closed.min(level);
        self.closure_is(run, node, residual, result);
        Ok(result)
    }

    #[inline]
    fn closure_known<F: Filter, L>(
        &mut self,
        run: &Run<'_, F, L>,
        node: NodeId,
        residual: Residual,
    ) -> Option<NodeId> {
        let subset = run.events.scope.word();
        if F::NONE {
            return self.lookup(Op::Saturate, node, subset);
        }
        let key = [node.0, subset, run.filter.scope(), residual.0, 0];
        let op = self.ops.saturate[kind::<F>()];
        self.cached(op, ChainId::END, key)
            .map(|[result, _]| NodeId(result))
    }

    #[inline]
    fn closure_is<F: Filter, L>(
        &mut self,
        run: &Run<'_, F, L>,
        node: NodeId,
        residual: Residual,
        result: NodeId,
    ) {
        let subset = run.events.scope.word();
        if F::NONE {
            return self.store(Op::Saturate, node, subset, result);
        }
        let key = [node.0, subset, run.filter.scope(), residual.0, 0];
        let op = self.ops.saturate[kind::<F>()];
        self.remember(op, ChainId::END, key, [result.0, 0]);
    }

    /// What `residual` asks below `level` where that level has `value`.
    #[inline]
    fn read<F: Filter, L>(
        &mut self,
        run: &mut Run<'_, F, L>,
        residual: Residual,
        level: u32,
        value: u32,
    ) -> Result<Residual, Halt> {
        if F::NONE
            || residual == Residual::FALSE
            || (residual == Residual::TRUE && !F::AUTOMATON && !F::NODES)
        {
            return Ok(residual);
        }
        match run.filter.step(self, residual, level, value) {
            Ok(rest) => Ok(rest),
            Err(stop) => Err(self.halt(stop)),
        }
    }

    /// Saturates the node on `level` whose edges lie above `base`, with saturated children; pops
    /// them.
    fn fix<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Run<'_, F, L>,
        level: u32,
        base: usize,
        residual: Residual,
    ) -> Result<NodeId, Halt> {
        let events = run.events;
        let tops = events.at(level, F::AUTOMATON);
        let before = self.make_kept(base)?;
        if tops.is_empty() || before.is_empty() || idle::<F>(residual) {
            self.stack.truncate(base);
            return Ok(before);
        }
        if let Some(result) = self.closure_known(run, before, residual) {
            self.stack.truncate(base);
            return Ok(result);
        }
        let mut piece = match self.bench.begin(&self.stack[base..]) {
            Ok(piece) => piece,
            Err(stop) => return Err(self.halt(stop)),
        };
        // The edges are on the bench; the node itself is needed as a key at the end.
        self.stack.truncate(base);
        self.push(0, before)?;
        run.listener.begun(level);
        while let Some(from) = self.bench.next(&piece) {
            let source = self.read(run, residual, level, from)?;
            if F::SOURCE && source == Residual::FALSE {
                continue;
            }
            let mut child = self.bench.child(&piece, from);
            // From the start again whenever the child under `from` itself has changed.
            let mut at = 0;
            'events: while let Some(&Top { action, .. }) = tops.get(at) {
                at += 1;
                let (mut row, last) = match action {
                    Action::Delta { need, .. } => (0, (from >= need) as u32),
                    Action::Table { start, end } => self.chains.rows_from(start, end, from),
                };
                while row < last {
                    let (to, rest) = match action {
                        Action::Delta { delta, rest, .. } => (self.shift(from, delta)?, rest),
                        Action::Table { .. } => {
                            let row = self.chains.row(row);
                            (row.to, row.rest)
                        }
                    };
                    row += 1;
                    let target = if to == from {
                        source
                    } else {
                        self.read(run, residual, level, to)?
                    };
                    self.tick()?;
                    let below = Place {
                        chain: rest,
                        node: child,
                        level: level + 1,
                        source,
                        target,
                    };
                    let image = self.fire(run, below)?;
                    if image.is_empty() {
                        continue;
                    }
                    let known = self.bench.child(&piece, to);
                    self.push(0, image)?;
                    run.listener.fired(
                        self,
                        run.filter,
                        Fired {
                            level,
                            from,
                            to,
                            rest,
                            source: child,
                            residuals: (source, target),
                            image,
                            before: known,
                        },
                    )?;
                    let sum = self.union(known, image)?;
                    self.stack.pop();
                    if sum != known {
                        if let Err(stop) = self.bench.set(&mut piece, to, sum, from) {
                            return Err(self.halt(stop));
                        }
                        if to == from {
                            child = sum;
                            at = 0;
                            continue 'events;
                        }
                    }
                }
            }
        }
        let most = self.bench.size(&piece);
        self.reserve(most)?;
        self.bench.end(piece, &mut self.stack);
        let result = self.make_kept(base + 1)?;
        self.stack.truncate(base + 1);
        self.push(0, result)?;
        run.listener
            .saturated(self, run.filter, level, residual, result)?;
        self.closure_is(run, before, residual, result);
        if result != before {
            self.closure_is(run, result, residual, result);
        }
        self.stack.truncate(base);
        Ok(result)
    }
}

/// The same residual means different things to different kinds of filters.
#[inline]
pub(crate) fn kind<F: Filter>() -> usize {
    F::SOURCE as usize | (F::TARGET as usize) << 1 | (F::NODES as usize) << 2
}

/// Can no step be taken under this residual?
#[inline]
fn idle<F: Filter>(residual: Residual) -> bool {
    (F::SOURCE || F::TARGET) && residual == Residual::FALSE
}

impl Store {
    /// The smallest `X ⊇ from` with `img(X) ⊆ X`.
    pub fn saturate(&mut self, events: &Subset, from: &Set) -> Result<Set, Stop> {
        let node = self.of(from);
        let (mut filter, mut listener) = (Unfiltered, Silent);
        self.compute(|kernel| {
            kernel.saturate(node, events, &mut filter, Residual::TRUE, &mut listener)
        })
    }

    /// The smallest `X ⊇ from` with `img(X ∩ P) ⊆ X`, where `residual` says what `P` is: steps
    /// are taken from states that satisfy it (FReach).
    pub fn saturate_from<P: Predicate>(
        &mut self,
        events: &Subset,
        from: &Set,
        predicate: &mut P,
        residual: Residual,
    ) -> Result<Set, Stop> {
        let node = self.of(from);
        let (mut filter, mut listener) = (FromSource(predicate), Silent);
        self.compute(|kernel| kernel.saturate(node, events, &mut filter, residual, &mut listener))
    }

    /// The smallest `X ⊇ from` with `img(X) ∩ P ⊆ X`, where `residual` says what `P` is: steps
    /// are taken into states that satisfy it (ReachF).
    pub fn saturate_into<P: Predicate>(
        &mut self,
        events: &Subset,
        from: &Set,
        predicate: &mut P,
        residual: Residual,
    ) -> Result<Set, Stop> {
        let node = self.of(from);
        let (mut filter, mut listener) = (IntoTarget(predicate), Silent);
        self.compute(|kernel| kernel.saturate(node, events, &mut filter, residual, &mut listener))
    }

    /// The smallest `X ⊇ from` with `img(X) ∩ within ⊆ X`.
    ///
    /// With the [inverse events](Store::inverse_subset) this is backward saturation.
    pub fn saturate_within(
        &mut self,
        events: &Subset,
        from: &Set,
        within: &Set,
    ) -> Result<Set, Stop> {
        let node = self.of(from);
        self.of(within);
        let (mut filter, mut listener) = (Within::new(within), Silent);
        let residual = filter.residual();
        self.compute(|kernel| kernel.saturate(node, events, &mut filter, residual, &mut listener))
    }

    /// Saturation under any filter, with a listener; `None` if the listener left.
    pub fn saturate_with<F: Filter, L: Listener<F>>(
        &mut self,
        events: &Subset,
        from: &Set,
        filter: &mut F,
        residual: Residual,
        listener: &mut L,
    ) -> Result<Option<Set>, Stop> {
        let node = self.of(from);
        self.run(|kernel| kernel.saturate(node, events, filter, residual, listener))
    }
}
