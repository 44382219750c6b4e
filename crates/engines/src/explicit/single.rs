//! Workers of products of single states, for any kind of automaton.
//!
//! A node is a pair of a state and an automaton state. Edges are listed step by step of the system.
//! The automaton's moves by a step depend only on the key `K`; they are computed once per key and
//! stored as a range of one list. Labels are interned, at four bytes per state.

use crate::explicit::fairness::{Constraints, EnabledCache, RoundRobin};
use crate::explicit::labels::{Label, Labels};
use crate::explicit::product_nodes::ProductNodes;
use crate::explicit::state_set::StateSet;
use lariat_automata::{Letter, StateId as Location};
use lariat_budget::{Budget, Lease, Observer, Progress, Stop};
use lariat_emptiness::{Edge, Marks, NodeId};
use lariat_model::{EventId, State};
use lariat_parallel::Outside;
use lariat_space::explicit::{self, Explicit, ExplicitStateId, StateTable, Successor};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// The part of a product found by one worker.
#[derive(Debug)]
pub struct ProductWorker<K> {
    pub(crate) states: StateTable,
    pub(crate) nodes: ProductNodes,
    labels: Labels,
    /// Fairness constraints enabled in each state.
    enabled: EnabledCache,
    /// Order of the steps of each node, if not that of the system.
    turns: Option<RoundRobin>,
    /// States all of whose steps were listed; maintained if there are claims.
    listed: StateSet,
    /// Moves of the automaton by key, as ranges of `moves`.
    choices: FxHashMap<K, MoveRange>,
    /// The last lookup: most steps of a node, and often those of the next one, have the same key.
    last: Option<(K, MoveRange)>,
    moves: Vec<(Marks, Location)>,
    budget: Budget,
    /// Bytes of the maps above.
    own: Lease,
    fair: Lease,
    check: Lease,
}

/// Moves of the automaton: a range of a worker's list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MoveRange {
    start: u32,
    end: u32,
}

impl MoveRange {
    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// Position in the iteration over the edges of a node.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProductCursor {
    pub(crate) space: explicit::StepCursor,
    /// The step of the system whose moves are being listed.
    step: Option<Successor>,
    moves: MoveRange,
}

impl ProductCursor {
    /// Continues with the moves of this step.
    pub(crate) fn list(&mut self, step: Successor, moves: MoveRange) {
        self.step = Some(step);
        self.moves = moves;
    }

    /// Returns the event of the edge listed last.
    pub(crate) fn event(&self) -> Option<EventId> {
        self.step.and_then(|(event, _)| event)
    }

    /// Returns whether this is the first call, for nodes with a single edge that is no step.
    pub(crate) fn once(&mut self, state: ExplicitStateId) -> bool {
        self.step.replace((None, state)).is_none()
    }
}

/// Returns whether a run that has reached `location` is evidence; `forever` may be empty.
pub(crate) fn is_forever(forever: &[bool], location: Location) -> bool {
    forever.get(location.index()) == Some(&true)
}

impl<K: Copy + Eq + Hash> ProductWorker<K> {
    /// Creates an empty worker of a product with an automaton of this many states.
    pub(crate) fn new(states: StateTable, locations: usize, budget: &Budget) -> ProductWorker<K> {
        ProductWorker::with_nodes(states, ProductNodes::new(locations, budget), budget)
    }

    pub(crate) fn with_nodes(
        states: StateTable,
        nodes: ProductNodes,
        budget: &Budget,
    ) -> ProductWorker<K> {
        ProductWorker {
            states,
            nodes,
            labels: Labels::default(),
            enabled: EnabledCache::default(),
            turns: None,
            listed: StateSet::default(),
            choices: FxHashMap::default(),
            last: None,
            moves: Vec::new(),
            budget: budget.clone(),
            own: budget.lease(),
            fair: budget.lease(),
            check: budget.lease(),
        }
    }

    /// Creates a worker with round-robin order of steps; several would need a common order.
    pub(crate) fn round_robin(states: StateTable, budget: &Budget) -> ProductWorker<K> {
        let nodes = ProductNodes::in_order(budget);
        let turns = Some(RoundRobin::new(budget));
        ProductWorker {
            turns,
            ..ProductWorker::with_nodes(states, nodes, budget)
        }
    }

    /// Moves a new `cursor` to the first step of `node` in round-robin order.
    pub(crate) fn begin(&self, node: NodeId, cursor: &mut ProductCursor) {
        if let Some(turns) = &self.turns
            && cursor.space.is_new()
        {
            cursor.space = explicit::StepCursor::at_turn(turns.first(node));
        }
    }

    /// Returns an initial node, if it is known or the product is not sealed. Its round-robin order
    /// is fixed before an edge can lead back to it.
    pub(crate) fn reach_initial(
        &mut self,
        state: ExplicitStateId,
        location: Location,
    ) -> Result<Option<NodeId>, Stop> {
        let node = self.nodes.reach(state, location)?;
        if let (Some(turns), Some(node)) = (&mut self.turns, node) {
            turns.reach(node, explicit::StepOffset::default)?;
        }
        Ok(node)
    }

    pub fn states(&self) -> &StateTable {
        &self.states
    }

    /// Records that all steps from `state` have been listed.
    pub(crate) fn set_listed(&mut self, state: ExplicitStateId) {
        self.listed.insert(state);
    }

    /// Merges the findings of another worker that shares the nodes of this one.
    pub(crate) fn merge(&mut self, other: &ProductWorker<K>) {
        self.states.learn(&other.states);
        self.listed.extend(&other.listed);
    }

    pub(crate) fn was_listed(&self, state: ExplicitStateId) -> bool {
        self.listed.contains(state)
    }

    pub(crate) fn check(&self) -> Result<(), Stop> {
        self.budget.check()
    }

    /// Leaves the shared table of states; returns the permission to wait for other workers.
    pub(crate) fn outside(&mut self) -> Outside<'_> {
        self.states.outside(&self.budget)
    }

    /// Freezes the product: edges to unknown nodes are omitted from now on.
    pub(crate) fn seal(&mut self) {
        self.states.seal();
        self.nodes.seal();
    }

    pub(crate) fn state(&mut self, node: NodeId) -> State {
        let (state, _) = self.nodes.get(node);
        self.states.get(state)
    }

    pub(crate) fn label(
        &mut self,
        space: &Explicit<'_>,
        state: ExplicitStateId,
    ) -> Result<Label, Stop> {
        // Maps are counted with their usual slack.
        let choices = self.choices.capacity() * (size_of::<(K, MoveRange)>() + 4);
        let beside = choices + self.moves.capacity() * 16;
        let grown = |bytes| self.own.resize(bytes + beside);
        self.labels.label(space, &mut self.states, state, grown)
    }

    /// Returns the fairness constraints enabled in `state`, as bits.
    pub(crate) fn enabled(
        &mut self,
        constraints: &Constraints<'_>,
        space: &Explicit<'_>,
        state: ExplicitStateId,
    ) -> Result<&[u64], Stop> {
        let (states, grown) = (&mut self.states, |bytes| self.fair.resize(bytes));
        self.enabled.bits(constraints, space, states, state, grown)
    }

    pub(crate) fn letter(&self, label: Label) -> Letter {
        self.labels.letter(label)
    }

    /// Returns the automaton's moves under `key`, computed by `moves` the first time.
    pub(crate) fn choices<I: Iterator<Item = (Marks, Location)>>(
        &mut self,
        key: K,
        moves: impl FnOnce(&Labels) -> I,
    ) -> MoveRange {
        if let Some((last, known)) = self.last
            && last == key
        {
            return known;
        }
        let known = *self.choices.entry(key).or_insert_with(|| {
            let start = self.moves.len() as u32;
            self.moves.extend(moves(&self.labels));
            let end = self.moves.len() as u32;
            MoveRange { start, end }
        });
        self.last = Some((key, known));
        known
    }

    pub(crate) fn moves(&self, moves: MoveRange) -> &[(Marks, Location)] {
        &self.moves[moves.start as usize..moves.end as usize]
    }

    /// Removes and returns the first move of a range.
    pub(crate) fn next_move(&self, moves: &mut MoveRange) -> Option<(Marks, Location)> {
        let first = self.moves(*moves).first().copied();
        moves.start += u32::from(first.is_some());
        first
    }

    /// Returns the next edge of the moves being listed, with its event.
    pub(crate) fn listed(
        &mut self,
        space: &Explicit<'_>,
        cursor: &mut ProductCursor,
    ) -> Result<Option<(Edge, Option<EventId>)>, Stop> {
        let Some((event, to)) = cursor.step else {
            return Ok(None);
        };
        while let Some((marks, target)) = self.next_move(&mut cursor.moves) {
            if let Some(to) = self.nodes.reach(to, target)? {
                if let Some(turns) = &mut self.turns {
                    turns.reach(to, || space.turn_behind(&cursor.space))?;
                }
                return Ok(Some((Edge { to, marks }, event)));
            }
        }
        Ok(None)
    }

    /// [`SweepGraph::tick`](lariat_emptiness::Graph::tick) of the product.
    /// Leases the bytes of the emptiness check. Waits for no other worker.
    pub(crate) fn lease(&mut self, bytes: usize) -> Result<(), Stop> {
        self.check.resize(bytes)
    }

    pub(crate) fn tick(&mut self, observer: &dyn Observer, bytes: usize) -> Result<(), Stop> {
        self.lease(bytes)?;
        self.budget.check()?;
        self.states.yield_to_writer();
        let figures = [
            (self.nodes.len() as u64, "product states"),
            (self.states.len() as u64, "states"),
        ];
        observer.progress(Progress::new("emptiness check", &figures));
        Ok(())
    }
}
