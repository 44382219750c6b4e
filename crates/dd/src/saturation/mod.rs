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
//! below. `fix` saturates a node whose children are saturated by firing the events with top
//! level `k` until nothing changes; from a value `i` it fires again only when the child under `i` has
//! changed. `fire` computes the image below the top level and saturates what it makes on the way up,
//! so that every node a fixpoint ever holds is saturated already. (Ciardo, Lüttgen, Siminiceanu:
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
//! a   {1 ↦ {0 ↦ {1}, 1 ↦ {0}}}         u from 1 to 0: b + 1 is fired on the node below, edge by edge:
//!         {1 ↦ {1}, 2 ↦ {0}}           a new node on level 1, so t is fired from its values before
//!         {0 ↦ {2}, 1 ↦ {1}, 2 ↦ {0}}  it is returned
//!     {0 ↦ {0 ↦ {2}, 1 ↦ {1}, 2 ↦ {0}}, 1 ↦ {0 ↦ {1}, 1 ↦ {0}}}
//! ```
//!
//! Level `a` fires `u` once and never looks at `t` again: what `u` brings is closed under `t` already.
//! A breadth-first search would fire both events from every set it passes on the way.
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

mod filter;
mod fire;
mod listener;
mod workbench;

pub use filter::{Filter, FromSource, IntoTarget, Unfiltered, Within};
pub use listener::{Fired, Listener, Silent};
pub(crate) use workbench::Workbench;

use crate::event::{ChainAction, Subset};
use crate::kernel::{Halt, Kernel, NodeId, OPERATIONS, Residual};
use crate::predicate::Predicate;
use crate::store::{Set, Store};
use fire::Firing;
use lariat_budget::Stop;
use workbench::OpenNode;

/// What stays the same during one saturation.
struct Saturation<'a, F, L> {
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
        let mut run = Saturation {
            events,
            filter,
            listener,
        };
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
        let mut run = Saturation {
            events,
            filter,
            listener,
        };
        self.closure(&mut run, node, level, residual)
    }

    /// The closure of any node on `level`.
    fn closure<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        node: NodeId,
        level: u32,
        residual: Residual,
    ) -> Result<NodeId, Halt> {
        if node.0 <= 1 || level >= run.events.depth(F::AUTOMATON) || idle::<F>(residual) {
            return Ok(node);
        }
        if let Some(result) = self.closure_known(run, node, residual) {
            return Ok(result);
        }
        let base = self.stack.len();
        self.push_edges(node)?;
        let end = self.stack.len();
        for at in base..end {
            let (value, child) = self.stack[self.turn(at, base..end)];
            let rest = self.read(run, residual, level, value)?;
            let child = self.closure(run, child, level + 1, rest)?;
            let from = self.stack.len();
            self.push(value, child)?;
            self.arrange(end, from);
        }
        let result = self.fix(run, level, end, residual)?;
        self.stack.truncate(base);
        self.tick()?;
        self.closure_is(run, node, residual, result);
        Ok(result)
    }

    #[inline]
    fn closure_known<F: Filter, L>(
        &mut self,
        run: &Saturation<'_, F, L>,
        node: NodeId,
        residual: Residual,
    ) -> Option<NodeId> {
        let subset = run.events.scope.id();
        if F::NONE {
            return self.cached(OPERATIONS.closure, (node, subset));
        }
        let key = (node, subset, run.filter.scope(), residual);
        self.cached(OPERATIONS.closure_under[variant::<F>()], key)
    }

    #[inline]
    fn closure_is<F: Filter, L>(
        &mut self,
        run: &Saturation<'_, F, L>,
        node: NodeId,
        residual: Residual,
        result: NodeId,
    ) {
        let subset = run.events.scope.id();
        if F::NONE {
            return self.remember(OPERATIONS.closure, (node, subset), result);
        }
        let key = (node, subset, run.filter.scope(), residual);
        self.remember(OPERATIONS.closure_under[variant::<F>()], key, result);
    }

    /// What `residual` asks below `level` where that level has `value`.
    #[inline]
    fn read<F: Filter, L>(
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

    /// Saturates the node on `level` whose edges lie above `base`, with saturated children; pops
    /// them.
    fn fix<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        level: u32,
        base: usize,
        residual: Residual,
    ) -> Result<NodeId, Halt> {
        let before = self.make_kept(base)?;
        let events = run.events;
        let actions = events.at(level, F::AUTOMATON);
        if actions.is_empty() || before.is_empty() || idle::<F>(residual) {
            self.stack.truncate(base);
            return Ok(before);
        }
        if let Some(result) = self.closure_known(run, before, residual) {
            self.stack.truncate(base);
            return Ok(result);
        }
        let mut open = match self.bench.begin(&self.stack[base..]) {
            Ok(open) => open,
            Err(stop) => return Err(self.halt(stop)),
        };
        // The edges are on the bench; the node itself is needed as a key at the end.
        self.stack.truncate(base);
        self.push(0, before)?;
        run.listener.begun(level);
        while let Some(from) = self.bench.next(&open) {
            self.fire_from(run, &mut open, actions, (level, residual), from)?;
        }
        let most = self.bench.size(&open);
        self.reserve(most)?;
        self.bench.end(open, &mut self.stack);
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

    /// Fires `actions`, those with top level `level`, from the value `from` of the open node, until the child
    /// under `from` changes no more.
    #[inline]
    fn fire_from<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        open: &mut OpenNode,
        actions: &[ChainAction],
        (level, residual): (u32, Residual),
        from: u32,
    ) -> Result<(), Halt> {
        let source = self.read(run, residual, level, from)?;
        if F::SOURCE && source == Residual::FALSE {
            return Ok(());
        }
        let mut child = self.bench.child(open, from);
        // From the first action again whenever the child under `from` itself has changed.
        let mut at = 0;
        'actions: while let Some(&action) = actions.get(at) {
            at += 1;
            // Written out, since `next_step` costs some percent here.
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
                let firing = Firing {
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

/// Which of the operations under a filter are those of `F`: the same residual means different things
/// at the source of a step, at its target, and as a node.
#[inline]
fn variant<F: Filter>() -> usize {
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
