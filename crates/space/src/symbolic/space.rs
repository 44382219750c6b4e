//! The space: sets of states of one system, and its steps as operations on them.
//!
//! ```text
//! img(S) = {t | s –e→ t, s ∈ S, e ∈ E}              pre(S) = {s | s –e→ t, t ∈ S, e ∈ E}
//! dead(S) = {s ∈ S | no event at all leaves s}
//! stutter(S) = dead(S) where deadlocks stutter, ∅ where they do not
//! ```
//!
//! A stutter step adds nothing to a closure, so it is never an event of a saturation; the states
//! that have one are determined only here ([`stuttering`](Symbolic::stuttering)), and engines add
//! it to their one-step operators under the letters that allow it. Every operation with events
//! takes a subset of them, [`StepSet`]; stuttering fires no event and belongs to none.
//!
//! Programs learn from the states to which they are applied (see `moves.rs`); every forward
//! operation makes them learn. Backward operations are exact within states that some forward
//! operation has seen, such as the reachable ones.

use super::figures::{self, SymbolicCounts};
use super::layout::LevelLayout;
use super::moves::{self, EventRelations};
use super::program::LearnedProgram;
use super::residual::Residuals;
use super::steps::StepSet;
use lariat_budget::{Budget, Stop};
use lariat_dd::saturation::{Listener, Unfiltered};
use lariat_dd::{EventPart, EventRelation, Residual, Set, Store, Subset};
use lariat_model::order::Order;
use lariat_model::{Deadlock, EventId, Predicate, State, System, Value, VarId};

/// Sets of states of a system under one variable order.
pub struct Symbolic<'a> {
    system: &'a System,
    layout: LevelLayout,
    store: Store,
    moves: EventRelations,
    all: StepSet,
    /// States from which programs have learned.
    known: Set,
    deadlock: Deadlock,
    /// Steps of a net to more tokens in a place are omitted.
    cap: Option<u32>,
    budget: Budget,
}

impl<'a> Symbolic<'a> {
    /// The space of `system` with its variables in `order`.
    pub fn new(
        system: &'a System,
        order: &Order,
        deadlock: Deadlock,
        budget: &Budget,
    ) -> Result<Symbolic<'a>, Stop> {
        Symbolic::with_cap(system, order, deadlock, None, budget)
    }

    /// A space of the same net without steps to more than `cap` tokens in a place, which makes it
    /// finite: see [`overflows`](Symbolic::overflows). It contains no sets.
    pub fn capped(&self, cap: u32, budget: &Budget) -> Result<Symbolic<'a>, Stop> {
        let order = self.layout.order();
        Symbolic::with_cap(self.system, order, self.deadlock, Some(cap), budget)
    }

    /// An empty copy of this space.
    pub fn anew(&self) -> Result<Symbolic<'a>, Stop> {
        let order = self.layout.order();
        Symbolic::with_cap(self.system, order, self.deadlock, self.cap, &self.budget)
    }

    /// A handle to the same space, with the same sets, for another thread; `None` for programs, of
    /// which every worker would learn separately.
    pub fn worker(&mut self) -> Result<Option<Symbolic<'a>>, Stop> {
        if self.learns() {
            return Ok(None);
        }
        let mut store = self.store.worker()?;
        // Equal events have equal ids.
        let moves = EventRelations::new(self.system, &self.layout, &mut store, &self.budget)?;
        Ok(Some(Symbolic {
            system: self.system,
            layout: self.layout.clone(),
            store,
            moves,
            all: self.all.clone(),
            known: self.known.clone(),
            deadlock: self.deadlock,
            cap: self.cap,
            budget: self.budget.clone(),
        }))
    }

    fn with_cap(
        system: &'a System,
        order: &Order,
        deadlock: Deadlock,
        cap: Option<u32>,
        budget: &Budget,
    ) -> Result<Symbolic<'a>, Stop> {
        if order.len() != system.variables.len() {
            return Err(Stop::Unsupported(
                "the order is not one of the variables of the system".to_owned(),
            ));
        }
        if system.source.is_some() {
            return Err(Stop::Unsupported(
                "sets of states need a model of variables and events; this one is a program"
                    .to_owned(),
            ));
        }
        let layout = LevelLayout::new(system, order);
        let mut store = Store::new(layout.levels(), budget)?.capped(cap.unwrap_or(u32::MAX));
        let moves = EventRelations::new(system, &layout, &mut store, budget)?;
        let known = store.empty();
        let all = StepSet::compile(&mut store, &moves, system.event_ids().collect());
        Ok(Symbolic {
            system,
            layout,
            store,
            moves,
            all,
            known,
            deadlock,
            cap,
            budget: budget.clone(),
        })
    }

    /// The system.
    pub fn system(&self) -> &'a System {
        self.system
    }

    /// Positions of the variables.
    pub fn layout(&self) -> &LevelLayout {
        &self.layout
    }

    /// The store of the sets, for the set algebra and for other operations.
    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Statistics of the store.
    pub fn store_figures(&self) -> lariat_dd::StoreFigures {
        self.store.figures()
    }

    /// Replaces the deadline and the limit of work.
    pub fn set_budget(&mut self, budget: &Budget) {
        self.store.set_budget(budget);
        self.budget = budget.clone();
    }

    /// Returns the limits of the operations.
    pub fn budget(&self) -> Budget {
        self.budget.clone()
    }

    pub(super) fn program(&self, event: EventId) -> Option<&LearnedProgram> {
        self.moves.program(event)
    }

    /// Returns whether states must be seen before events are applied to them, as programs require.
    pub fn learns(&self) -> bool {
        self.moves.learns()
    }

    /// All events in another store that has the levels of this space, and perhaps more below them:
    /// each with its event of the system, and with the part `below` on the levels below. Programs
    /// are copied as far as they are known.
    pub fn events_in(
        &self,
        store: &mut Store,
        below: impl Fn(EventId) -> Option<EventPart>,
    ) -> Result<Vec<(EventId, EventRelation)>, Stop> {
        let mut all = Vec::new();
        for event in self.system.event_ids() {
            let below = below(event);
            let (system, layout, below) = (self.system, &self.layout, below.as_slice());
            let copies = self.moves.copied(system, layout, store, event, below)?;
            all.extend(copies.into_iter().map(|copy| (event, copy)));
        }
        Ok(all)
    }

    // --- sets and states ----------------------------------------------------------------------

    /// The empty set.
    pub fn empty(&mut self) -> Set {
        self.store.empty()
    }

    /// The set of one state.
    pub fn singleton(&mut self, state: &[Value]) -> Result<Set, Stop> {
        let stored = self.layout.encode_state(self.system, state)?;
        self.store.singleton(&stored)
    }

    /// The initial states.
    pub fn initial(&mut self) -> Result<Set, Stop> {
        self.set_of(&self.system.initial)
    }

    /// The set of these states.
    pub(super) fn set_of<'s>(
        &mut self,
        states: impl IntoIterator<Item = &'s State>,
    ) -> Result<Set, Stop> {
        let mut set = self.store.empty();
        for state in states {
            let one = self.singleton(state)?;
            set = self.store.union(&set, &one)?;
        }
        Ok(set)
    }

    /// Any state of the set.
    pub fn pick(&mut self, set: &Set) -> Option<State> {
        let stored = self.store.pick(set)?;
        Some(self.layout.decode_state(&stored))
    }

    /// Returns whether the set contains the state.
    pub fn contains(&mut self, set: &Set, state: &[Value]) -> bool {
        match self.layout.encode_state(self.system, state) {
            Ok(stored) => self.store.contains(set, &stored),
            Err(_) => false,
        }
    }

    /// All states of a small set.
    pub fn states(&mut self, set: &Set) -> Vec<State> {
        let layout = &self.layout;
        let stored = self.store.iter(set);
        stored.map(|stored| layout.decode_state(&stored)).collect()
    }

    // --- steps --------------------------------------------------------------------------------

    /// All events.
    pub fn all(&self) -> StepSet {
        self.all.clone()
    }

    /// Compiles a subset of the events.
    pub fn steps(&mut self, events: &[EventId]) -> StepSet {
        StepSet::compile(&mut self.store, &self.moves, events.to_vec())
    }

    /// `steps`, compiled again if programs have learned since.
    fn fresh(&mut self, steps: &StepSet) -> StepSet {
        if steps.0.version == self.moves.version {
            return steps.clone();
        }
        if self.all.0.version != self.moves.version {
            let events = self.all.0.events.clone();
            self.all = StepSet::compile(&mut self.store, &self.moves, events);
        }
        if steps.0.events == self.all.0.events {
            return self.all.clone();
        }
        StepSet::compile(&mut self.store, &self.moves, steps.0.events.clone())
    }

    fn backward(&mut self, steps: &StepSet) -> Result<Subset, Stop> {
        let steps = self.fresh(steps);
        if let Some(known) = steps.0.backward.get() {
            return Ok(known.clone());
        }
        let chains = steps.0.events.iter().flat_map(|e| self.moves.events(*e));
        let made = self.store.inverse_subset(chains.copied())?;
        Ok(steps.0.backward.get_or_init(|| made).clone())
    }

    /// Number of tokens in a place above which steps are omitted, if there is one.
    pub fn cap(&self) -> Option<u32> {
        self.cap
    }

    /// Returns whether one of `steps` is omitted from a state of `set`, because it exceeds the cap.
    pub fn overflows(&mut self, set: &Set, steps: &StepSet) -> Result<bool, Stop> {
        let Some(cap) = self.cap else {
            return Ok(false);
        };
        // Most sets have so few tokens that no step exceeds the cap.
        let Some(ranges) = self.store.ranges(set) else {
            return Ok(false);
        };
        let most: Vec<u32> = ranges.into_iter().map(|(_, most)| most).collect();
        let (system, layout) = (self.system, &self.layout);
        if !moves::may_escape(system, layout, &steps.0.events, cap, &most) {
            return Ok(false);
        }
        let escaping = match steps.0.escaping.get() {
            Some(known) => known.clone(),
            None => {
                let events = &steps.0.events;
                let made = moves::escaping(system, layout, &mut self.store, events, cap)?;
                steps.0.escaping.get_or_init(|| made).clone()
            }
        };
        Ok(self.store.dead(&escaping, set)? != *set)
    }

    /// The states from which programs have learned so far.
    pub fn learned(&self) -> &Set {
        &self.known
    }

    /// Lets programs learn from `set`; returns whether anything was new.
    fn learn(&mut self, set: &Set) -> Result<bool, Stop> {
        if !self.moves.learns() || self.store.is_subset(set, &self.known)? {
            return Ok(false);
        }
        let (system, layout, store) = (self.system, &self.layout, &mut self.store);
        let news = self.moves.learn(system, layout, store, set, &self.budget)?;
        self.known = self.store.union(&self.known, set)?;
        Ok(news)
    }

    /// `img(set)` under `steps`.
    pub fn image(&mut self, set: &Set, steps: &StepSet) -> Result<Set, Stop> {
        self.learn(set)?;
        let steps = self.fresh(steps);
        self.store.image(&steps.0.forward, set)
    }

    /// `pre(set) ∩ within` under `steps`.
    pub fn pre_image(&mut self, set: &Set, steps: &StepSet, within: &Set) -> Result<Set, Stop> {
        self.learn(within)?;
        let backward = self.backward(steps)?;
        self.store.pre_image(&backward, set, within)
    }

    /// The states of `set` in which one of `steps` is enabled.
    pub fn enabled(&mut self, set: &Set, steps: &StepSet) -> Result<Set, Stop> {
        self.learn(set)?;
        let steps = self.fresh(steps);
        self.store.enabled(&steps.0.forward, set)
    }

    /// The states of `set` in which no event at all is enabled.
    pub fn dead(&mut self, set: &Set) -> Result<Set, Stop> {
        self.learn(set)?;
        let all = self.fresh(&self.all.clone());
        self.store.dead(&all.0.forward, set)
    }

    /// The states of `set` with a stutter loop: the dead ones where deadlocks stutter.
    pub fn stuttering(&mut self, set: &Set) -> Result<Set, Stop> {
        if self.has_stutter_loops() {
            self.dead(set)
        } else {
            Ok(self.store.empty())
        }
    }

    /// Returns whether `state` has a stutter loop.
    pub fn stutters(&self, state: &[Value]) -> bool {
        self.has_stutter_loops() && self.system.is_deadlock(state)
    }

    /// Returns whether dead states have a stutter loop, so that every state starts an infinite run.
    pub fn has_stutter_loops(&self) -> bool {
        self.deadlock == Deadlock::Stutter
    }

    // --- closures -----------------------------------------------------------------------------

    /// Repeats a closure until programs learn nothing new from it.
    fn close(
        &mut self,
        from: &Set,
        steps: &StepSet,
        mut closure: impl FnMut(&mut Store, &Subset, &Set) -> Result<Set, Stop>,
    ) -> Result<Set, Stop> {
        let mut set = from.clone();
        loop {
            let steps = self.fresh(steps);
            set = closure(&mut self.store, &steps.0.forward, &set)?;
            if !self.learn(&set)? {
                return Ok(set);
            }
        }
    }

    /// The least `X ⊇ from` with `img(X) ⊆ X`.
    pub fn reach(&mut self, from: &Set, steps: &StepSet) -> Result<Set, Stop> {
        self.close(from, steps, |store, steps, from| {
            store.saturate(steps, from)
        })
    }

    /// [`reach`](Symbolic::reach) with a listener; `None` if the listener ended it.
    pub(super) fn reach_with_listener<L: Listener<Unfiltered>>(
        &mut self,
        from: &Set,
        steps: &StepSet,
        listener: &mut L,
    ) -> Result<Option<Set>, Stop> {
        let mut set = from.clone();
        loop {
            let steps = self.fresh(steps);
            let events = &steps.0.forward;
            let all = Residual::TRUE;
            let closed = self
                .store
                .saturate_with(events, &set, &mut Unfiltered, all, listener)?;
            let Some(closed) = closed else {
                return Ok(None);
            };
            set = closed;
            if !self.learn(&set)? {
                return Ok(Some(set));
            }
        }
    }

    /// FReach: the least `X ⊇ from` with `img(X ∩ source) ⊆ X`.
    ///
    /// It is `from ∪ I ∪ img(I)`, where `I` are the sources that are reachable through sources. The
    /// states after the last step are not sources, so they need no saturation: added one at a time
    /// while the closure grows, they may cost many times the nodes that they cost at once at the
    /// end.
    pub fn freach(
        &mut self,
        from: &Set,
        steps: &StepSet,
        query: &mut Residuals,
        source: Residual,
    ) -> Result<Set, Stop> {
        let first = self.store.select(from, query, source)?;
        let inside = self.reachf(&first, steps, query, source)?;
        self.and_one_step(from, &inside, steps)
    }

    /// `from ∪ inside ∪ img(inside)`
    fn and_one_step(&mut self, from: &Set, inside: &Set, steps: &StepSet) -> Result<Set, Stop> {
        let behind = self.image(inside, steps)?;
        let closed = self.store.union(inside, &behind)?;
        self.store.union(from, &closed)
    }

    /// ReachF: the least `X ⊇ from` with `img(X) ∩ target ⊆ X`.
    pub fn reachf(
        &mut self,
        from: &Set,
        steps: &StepSet,
        query: &mut Residuals,
        target: Residual,
    ) -> Result<Set, Stop> {
        self.close(from, steps, |store, steps, from| {
            store.saturate_into(steps, from, query, target)
        })
    }

    /// FReach with the set of admitted sources: the least `X ⊇ from` with `img(X ∩ source) ⊆ X`.
    pub fn freach_set(&mut self, from: &Set, steps: &StepSet, source: &Set) -> Result<Set, Stop> {
        let first = self.store.intersection(from, source)?;
        let inside = self.reach_within(&first, steps, source)?;
        self.and_one_step(from, &inside, steps)
    }

    /// Constrained saturation: the least `X ⊇ from` with `img(X) ∩ within ⊆ X`.
    pub fn reach_within(&mut self, from: &Set, steps: &StepSet, within: &Set) -> Result<Set, Stop> {
        self.close(from, steps, |store, steps, from| {
            store.saturate_within(steps, from, within)
        })
    }

    /// Backward saturation: the least `X ⊇ from` with `pre(X) ∩ within ⊆ X`.
    pub fn back_within(&mut self, from: &Set, steps: &StepSet, within: &Set) -> Result<Set, Stop> {
        self.learn(within)?;
        let backward = self.backward(steps)?;
        self.store.saturate_within(&backward, from, within)
    }

    // --- predicates ---------------------------------------------------------------------------

    /// A scope for predicates: the residuals of one query share cached results.
    pub fn query(&mut self) -> Residuals {
        Residuals::new(&self.layout, self.store.scope(), &self.budget)
    }

    /// The states of `set` that satisfy a predicate of a query.
    pub fn filter(
        &mut self,
        set: &Set,
        query: &mut Residuals,
        residual: Residual,
    ) -> Result<Set, Stop> {
        self.store.select(set, query, residual)
    }

    /// The states of `set` that satisfy `predicate`.
    ///
    /// Tests of enabled events are set operations, everything else is residuals.
    pub fn select(&mut self, set: &Set, predicate: &Predicate) -> Result<Set, Stop> {
        let mut query = self.query();
        self.select_in(set, predicate, &mut query)
    }

    fn select_in(
        &mut self,
        set: &Set,
        predicate: &Predicate,
        query: &mut Residuals,
    ) -> Result<Set, Stop> {
        if !predicate.reads_events() {
            let residual = query.compile(self.system, predicate)?;
            return self.store.select(set, query, residual);
        }
        match predicate {
            Predicate::Deadlock => self.dead(set),
            Predicate::Enabled(events) => {
                let steps = self.steps(events);
                self.enabled(set, &steps)
            }
            Predicate::Not(p) => {
                let others = self.select_in(set, p, query)?;
                self.store.difference(set, &others)
            }
            Predicate::And(ps) => {
                let mut left = set.clone();
                for p in ps {
                    left = self.select_in(&left, p, query)?;
                }
                Ok(left)
            }
            Predicate::Or(ps) => {
                let (mut found, mut left) = (self.store.empty(), set.clone());
                for p in ps {
                    let more = self.select_in(&left, p, query)?;
                    found = self.store.union(&found, &more)?;
                    left = self.store.difference(&left, &more)?;
                }
                Ok(found)
            }
            Predicate::Const(_) | Predicate::Linear(_) | Predicate::Expr(_) => Ok(set.clone()),
        }
    }

    /// A variable that some step from `set` assigns a value beyond its range, which wraps around.
    pub fn overflow(&mut self, set: &Set) -> Result<Option<VarId>, Stop> {
        self.learn(set)?;
        let events = self.system.event_ids();
        let programs = events.filter_map(|event| self.moves.program(event));
        let wrapping: Vec<_> = programs.flat_map(|program| program.wrapping()).collect();
        for (var, event) in wrapping {
            if !self.store.enabled_of(event, set)?.is_empty() {
                return Ok(Some(var));
            }
        }
        Ok(None)
    }

    // --- figures ------------------------------------------------------------------------------

    /// Computes the statistics of `set`, with its steps on request.
    pub fn census(&mut self, set: &Set, with_edges: bool) -> Result<SymbolicCounts, Stop> {
        if with_edges {
            self.learn(set)?;
        }
        figures::census(
            self.system,
            &self.layout,
            with_edges.then_some(&self.moves),
            &mut self.store,
            set,
            &self.budget,
        )
    }
}
