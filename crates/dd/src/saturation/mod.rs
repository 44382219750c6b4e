//! Saturation: least fixpoints, node by node from the bottom.
//!
//! For a set of events `E` (a [`Subset`]) and a set `A`, the smallest `X ⊇ A` with
//!
//! | filter | equation |
//! | --- | --- |
//! | [`Unfiltered`] | `img(X) ⊆ X` |
//! | [`FromSource`] (FReach) | `img(X ∩ P) ⊆ X` |
//! | [`IntoTarget`] (ReachF) | `img(X) ∩ P ⊆ X` |
//! | [`IntoSet`] a set `C` | `img(X) ∩ C ⊆ X` |
//!
//! A node on level `k` is *saturated* if it is closed under the events whose top level is `k` or
//! below. `fix` saturates a node with saturated children by firing the events with top level `k`
//! until nothing changes; from a value `i` it fires again only if the child under `i` has changed.
//! `fire` computes the image below the top level and saturates the new nodes on the way up, so
//! every node that a fixpoint holds is saturated already. (Ciardo, Lüttgen, Siminiceanu:
//! Saturation: an efficient iteration strategy for symbolic state-space generation, TACAS 2001;
//! constrained: Zhao, Ciardo, ATVA 2009.)
//!
//! # An example
//!
//! Three levels `a`, `b`, `c`; the event `t` moves a token from `b` to `c`, and `u` one from `a` to
//! `b`. So `t` has its top on level 1 and `u` on level 0. Saturating `{(1, 1, 0)}`:
//!
//! ```text
//! c   {0}                              no event has its top here: saturated as it is
//! b   {1 ↦ {0}}                        t from 1 to 0: c + 1 fired on {0} gives {1}
//!     {0 ↦ {1}, 1 ↦ {0}}               saturated
//! a   {1 ↦ {0 ↦ {1}, 1 ↦ {0}}}         u from 1 to 0: b + 1 fired on the node below gives
//!         {1 ↦ {1}, 2 ↦ {0}}           a new node on level 1; t is fired from its values
//!         {0 ↦ {2}, 1 ↦ {1}, 2 ↦ {0}}  before it is returned
//!     {0 ↦ {0 ↦ {2}, 1 ↦ {1}, 2 ↦ {0}}, 1 ↦ {0 ↦ {1}, 1 ↦ {0}}}
//! ```
//!
//! Level `a` fires `u` once and never considers `t` again: the image of `u` is closed under `t`
//! already. A breadth-first search would fire both events from every intermediate set.
//!
//! ```
//! # use lariat_budget::Budget;
//! # use lariat_dd::{EventPart, Store};
//! # fn main() -> Result<(), lariat_budget::Stop> {
//! let mut store = Store::new(3, &Budget::unlimited())?;
//! let move_token = |level| {
//!     let take = EventPart::Delta { level, need: 1, delta: -1 };
//!     [take, EventPart::Delta { level: level + 1, need: 0, delta: 1 }]
//! };
//! let (t, u) = (store.event(&move_token(1))?, store.event(&move_token(0))?);
//! let events = store.subset(t.into_iter().chain(u));
//! let initial = store.singleton(&[1, 1, 0])?;
//! let reached = store.saturate(&events, &initial)?;
//! let states: Vec<Vec<u32>> = store.iter(&reached).collect();
//! assert_eq!(states, [[0, 0, 2], [0, 1, 1], [0, 2, 0], [1, 0, 1], [1, 1, 0]]);
//! # Ok(())
//! # }
//! ```
//!
//! # Filters
//!
//! Under a filter every node comes with a residual. Events with top level `k` keep the levels
//! above, so while a node is saturated its residual is the same before and after a step. Below the
//! top level of a fired event, source and target may differ: the residual of the source admits the
//! step or not, that of the target does too, or is the one under which the image is saturated.
//! Cache keys are therefore `(node, subset, residual)` for saturation and `(chain, node, subset,
//! residual of source, residual of target)` for firing. At the end of a chain firing continues
//! under a filter, because the levels below are saturated under the residual of the source and must
//! be under that of the target. If an automaton is the last level, its moves must also be made,
//! unless the residual is the same and [they change nothing](StepFilter::is_still).
//!
//! Filter and listener are type parameters, so plain saturation does not pay for them.

mod filter;
mod fire;
mod listener;
mod workbench;

pub use filter::{FromSource, IntoSet, IntoTarget, StepFilter, Unfiltered};
pub use listener::{Fired, Listener, Silent};
pub(crate) use workbench::Workbench;

use crate::event::{ChainAction, Subset};
use crate::kernel::{DdNode, Halt, Kernel, OPERATIONS, Residual};
use crate::predicate::LevelPredicate;
use crate::store::{Set, Store};
use fire::EventFront;
use lariat_budget::Stop;
use workbench::OpenNode;

/// The constants of one saturation.
struct Saturation<'a, F, L> {
    events: &'a Subset,
    filter: &'a mut F,
    listener: &'a mut L,
}

/// The node that [`Kernel::fix`] saturates: its level, its residual, and the actions with that top.
#[derive(Clone, Copy)]
struct NodeInWork<'a> {
    actions: &'a [ChainAction],
    level: u32,
    residual: Residual,
}

impl Kernel {
    /// Returns the closure of `node`, on level 0, under `events`; a listener may leave.
    pub fn saturate<F: StepFilter, L: Listener<F>>(
        &mut self,
        node: DdNode,
        events: &Subset,
        filter: &mut F,
        residual: Residual,
        listener: &mut L,
    ) -> Result<DdNode, Halt> {
        let mut run = Saturation {
            events,
            filter,
            listener,
        };
        self.closure(&mut run, node, 0, residual)
    }

    /// Returns the closure of `node`, on `level`, under the `events` with a top at or below it,
    /// without a listener; the listener of another saturation may call it.
    pub fn saturate_below<F: StepFilter>(
        &mut self,
        node: DdNode,
        level: u32,
        events: &Subset,
        filter: &mut F,
        residual: Residual,
    ) -> Result<DdNode, Halt> {
        let mut run = Saturation {
            events,
            filter,
            listener: &mut Silent,
        };
        self.closure(&mut run, node, level, residual)
    }

    /// Computes the closure of a node on `level`.
    fn closure<F: StepFilter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        node: DdNode,
        level: u32,
        residual: Residual,
    ) -> Result<DdNode, Halt> {
        if node.0 <= 1 || level >= run.events.depth(F::AUTOMATON) || idle::<F>(residual) {
            return Ok(node);
        }
        if let Some(result) = self.cached_closure(run, node, residual) {
            return Ok(result);
        }
        let base = self.stack.len();
        self.push_edges(node)?;
        let end = self.stack.len();
        for at in base..end {
            let (value, child) = self.stack[self.edge_index(at, base..end)];
            let rest = self.read(run, residual, level, value)?;
            let child = self.closure(run, child, level + 1, rest)?;
            let from = self.stack.len();
            self.push(value, child)?;
            self.restore_order(end, from);
        }
        let result = self.fix(run, level, end, residual)?;
        self.stack.truncate(base);
        self.tick()?;
        self.remember_closure(run, node, residual, result);
        Ok(result)
    }

    #[inline]
    fn cached_closure<F: StepFilter, L>(
        &mut self,
        run: &Saturation<'_, F, L>,
        node: DdNode,
        residual: Residual,
    ) -> Option<DdNode> {
        let subset = run.events.scope.id();
        if F::NONE {
            return self.cached(OPERATIONS.closure, (node, subset));
        }
        let key = (node, subset, run.filter.scope(), residual);
        self.cached(OPERATIONS.closure_under[variant::<F>()], key)
    }

    #[inline]
    fn remember_closure<F: StepFilter, L>(
        &mut self,
        run: &Saturation<'_, F, L>,
        node: DdNode,
        residual: Residual,
        result: DdNode,
    ) {
        let subset = run.events.scope.id();
        if F::NONE {
            return self.remember(OPERATIONS.closure, (node, subset), result);
        }
        let key = (node, subset, run.filter.scope(), residual);
        self.remember(OPERATIONS.closure_under[variant::<F>()], key, result);
    }

    /// Returns the residual below `level` if that level has `value`.
    #[inline]
    fn read<F: StepFilter, L>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
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

    /// Saturates the node with the edges above `base`, whose children are saturated; pops them.
    fn fix<F: StepFilter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        level: u32,
        base: usize,
        residual: Residual,
    ) -> Result<DdNode, Halt> {
        let before = self.make_kept(base)?;
        let events = run.events;
        let actions = events.at(level, F::AUTOMATON);
        if actions.is_empty() || before.is_empty() || idle::<F>(residual) {
            self.stack.truncate(base);
            return Ok(before);
        }
        if let Some(result) = self.cached_closure(run, before, residual) {
            self.stack.truncate(base);
            return Ok(result);
        }
        let mut open = match self.bench.begin(&self.stack[base..]) {
            Ok(open) => open,
            Err(stop) => return Err(self.halt(stop)),
        };
        // The edges are on the bench; the node itself is the cache key of the result.
        self.stack.truncate(base);
        self.push(0, before)?;
        run.listener.begun(level);
        let node = NodeInWork {
            actions,
            level,
            residual,
        };
        while let Some(from) = self.bench.next(&open) {
            self.fire_from(run, &mut open, node, from)?;
        }
        let most = self.bench.size(&open);
        self.reserve(most)?;
        self.bench.end(open, &mut self.stack);
        let result = self.make_kept(base + 1)?;
        self.stack.truncate(base + 1);
        self.push(0, result)?;
        run.listener
            .saturated(self, run.filter, level, residual, result)?;
        self.remember_closure(run, before, residual, result);
        if result != before {
            self.remember_closure(run, result, residual, result);
        }
        self.stack.truncate(base);
        Ok(result)
    }

    /// Fires the actions of `node` from the value `from` until the child under `from` is stable.
    #[inline]
    fn fire_from<F: StepFilter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        open: &mut OpenNode,
        node: NodeInWork<'_>,
        from: u32,
    ) -> Result<(), Halt> {
        let NodeInWork {
            actions,
            level,
            residual,
        } = node;
        let source = self.read(run, residual, level, from)?;
        if F::SOURCE && source == Residual::FALSE {
            return Ok(());
        }
        let mut child = self.bench.child(open, from);
        // When the child under `from` has changed, all actions are fired again.
        let mut at = 0;
        'actions: while let Some(&action) = actions.get(at) {
            at += 1;
            // Inlined by hand, since `next_step` is slower here.
            let (mut row, last) = match action {
                ChainAction::Delta { need, .. } => (0, (from >= need) as u32),
                ChainAction::Table { start, end } => self.tables.chains.rows_from(start, end, from),
            };
            while row < last {
                let (to, rest) = match action {
                    ChainAction::Delta { delta, rest, .. } => match self.shift(from, delta)? {
                        Some(to) => (to, rest),
                        None => break,
                    },
                    ChainAction::Table { .. } => {
                        let row = self.tables.chains.row(row);
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
                let firing = EventFront {
                    chain: rest,
                    node: child,
                    level: level + 1,
                    source,
                    target,
                };
                let image = self.fire(run, firing)?;
                if image.is_empty() {
                    continue;
                }
                let before = self.bench.child(open, to);
                let fired = Fired {
                    level,
                    from,
                    to,
                    rest,
                    source: child,
                    residuals: (source, target),
                    image,
                    before,
                };
                self.push(0, image)?;
                run.listener.fired(self, run.filter, fired)?;
                let sum = self.union(before, image)?;
                self.stack.pop();
                if sum == before {
                    continue;
                }
                if let Err(stop) = self.bench.set(open, to, sum, from) {
                    return Err(self.halt(stop));
                }
                if to == from {
                    child = sum;
                    at = 0;
                    continue 'actions;
                }
            }
        }
        Ok(())
    }
}

/// The index of the cached operations for `F`: the same residual means different things at the
/// source of a step, at its target, and as a node.
#[inline]
fn variant<F: StepFilter>() -> usize {
    F::SOURCE as usize | (F::TARGET as usize) << 1 | (F::NODES as usize) << 2
}

/// Returns whether `residual` admits no step.
#[inline]
fn idle<F: StepFilter>(residual: Residual) -> bool {
    (F::SOURCE || F::TARGET) && residual == Residual::FALSE
}

impl Store {
    /// The smallest `X ⊇ from` with `img(X) ⊆ X`.
    pub fn saturate(&mut self, events: &Subset, from: &Set) -> Result<Set, Stop> {
        let node = self.node_of(from);
        let (mut filter, mut listener) = (Unfiltered, Silent);
        self.compute(|kernel| {
            kernel.saturate(node, events, &mut filter, Residual::TRUE, &mut listener)
        })
    }

    /// FReach: the smallest `X ⊇ from` with `img(X ∩ P) ⊆ X`, where `residual` defines `P`.
    pub fn saturate_from<P: LevelPredicate>(
        &mut self,
        events: &Subset,
        from: &Set,
        predicate: &mut P,
        residual: Residual,
    ) -> Result<Set, Stop> {
        let node = self.node_of(from);
        let (mut filter, mut listener) = (FromSource(predicate), Silent);
        self.compute(|kernel| kernel.saturate(node, events, &mut filter, residual, &mut listener))
    }

    /// ReachF: the smallest `X ⊇ from` with `img(X) ∩ P ⊆ X`, where `residual` defines `P`.
    pub fn saturate_into<P: LevelPredicate>(
        &mut self,
        events: &Subset,
        from: &Set,
        predicate: &mut P,
        residual: Residual,
    ) -> Result<Set, Stop> {
        let node = self.node_of(from);
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
        let node = self.node_of(from);
        self.node_of(within);
        let (mut filter, mut listener) = (IntoSet::new(within), Silent);
        let residual = filter.residual();
        self.compute(|kernel| kernel.saturate(node, events, &mut filter, residual, &mut listener))
    }

    /// Saturation under any filter, with a listener; `None` if the listener left.
    pub fn saturate_with<F: StepFilter, L: Listener<F>>(
        &mut self,
        events: &Subset,
        from: &Set,
        filter: &mut F,
        residual: Residual,
        listener: &mut L,
    ) -> Result<Option<Set>, Stop> {
        let node = self.node_of(from);
        self.run(|kernel| kernel.saturate(node, events, filter, residual, listener))
    }
}
