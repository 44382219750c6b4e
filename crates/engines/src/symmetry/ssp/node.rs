//! Nodes and workers of the symbolic synchronized product.

use crate::alphabet::Alphabet;
use crate::explicit::labels::{Labels, labelled, limited};
use crate::problem::Problem;
use crate::symmetry::sym::Quotient;
use crate::symmetry::{Locals, QuotientGroups};
use lariat_automata::StateId as Location;
use lariat_budget::{Budget, Lease, Observer, Stop};
use lariat_emptiness::{Edge, NodeId};
use lariat_reductions::symmetry::{Canon, CanonScratch, Colours, Group, Symmetry};
use lariat_space::explicit::{Explicit, ExplicitStateId, StateTable};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The immutable part of the product.
pub(super) struct Ssp<'p> {
    pub(super) problem: &'p Problem<'p>,
    pub(super) closure: SetClosure,
    symmetry: &'p Symmetry<'p>,
    pub(super) colours: &'p Colours<'p>,
    pub(super) observer: &'p dyn Observer,
    pub(super) space: Explicit<'p>,
    pub(super) alphabet: Arc<Alphabet>,
    /// G_L of every edge of the automaton.
    pub(super) locals: Vec<Vec<Group>>,
    /// R_q of every automaton state.
    pub(super) futures: Vec<Group>,
}

/// The symmetries of a product, and the closure of its sets.
pub(super) struct SspGroup<'p> {
    pub symmetry: &'p Symmetry<'p>,
    pub colours: &'p Colours<'p>,
    pub closure: SetClosure,
}

/// The group under which the target of a step is closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SetClosure {
    /// R_d, if it contains K.
    Future,
    /// K, as published.
    Kept,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct GroupId(pub(super) u32);

/// A set of markings closed under a group, with an automaton state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct SetNode {
    pub(super) location: Location,
    pub(super) group: GroupId,
    /// Representatives, in increasing order.
    pub(super) members: Box<[ExplicitStateId]>,
}

/// The part of the product found by one worker.
pub(super) struct SspWorker<'p> {
    pub(super) states: StateTable,
    pub(super) labels: Labels,
    pub(super) groups: Vec<Canon<'p, 'p>>,
    group_ids: FxHashMap<Group, GroupId>,
    pub(super) nodes: Vec<SetNode>,
    ids: FxHashMap<SetNode, NodeId>,
    /// Class of each node: automaton state and representative modulo all symmetries.
    pub(super) classes: Vec<u32>,
    class_ids: FxHashMap<(Location, ExplicitStateId), u32>,
    /// Edges of expanded nodes.
    pub(super) edges: Vec<Option<Box<[Edge]>>>,
    pub(super) room: CanonScratch,
    pub(super) twins: CanonScratch,
    pub(super) budget: Budget,
    /// Bytes of the maps above.
    bytes: usize,
    own: Lease,
    pub(super) check: Lease,
}

impl SspWorker<'_> {
    /// Records more bytes; the lease grows in steps, ahead of the bytes in use.
    pub(super) fn grow(&mut self, bytes: usize) -> Result<(), Stop> {
        self.bytes += bytes;
        if self.bytes as u64 > self.own.bytes() {
            self.own.resize(self.bytes + self.bytes / 4 + (1 << 16))?;
        }
        Ok(())
    }
}

impl<'p> Ssp<'p> {
    pub fn new(
        problem: &'p Problem<'p>,
        group: SspGroup<'p>,
        observer: &'p dyn Observer,
    ) -> Ssp<'p> {
        let SspGroup {
            symmetry,
            colours,
            closure,
        } = group;
        let automaton = problem.automaton;
        let mut locals = Locals::new(problem, symmetry, colours);
        let futures = locals.futures();
        let of_state = |location: Location| -> Vec<Group> {
            let edges = automaton.transitions(location).iter();
            edges.map(|edge| locals.group(edge.guard)).collect()
        };
        Ssp {
            problem,
            closure,
            symmetry,
            colours,
            observer,
            space: labelled(problem),
            alphabet: problem.alphabet().clone(),
            locals: automaton.state_ids().map(of_state).collect(),
            futures,
        }
    }

    /// Creates the quotient in which runs are searched.
    pub fn quotient(&self) -> Quotient<'p> {
        let quotient_groups = QuotientGroups::of_groups(self.colours, &self.futures);
        Quotient::new(self.problem, self.symmetry, quotient_groups, self.observer)
    }

    pub fn worker(&self, budget: &Budget) -> SspWorker<'p> {
        let states = limited(self.problem, self.space.states(budget));
        let mut worker = SspWorker {
            states,
            labels: Labels::default(),
            groups: Vec::new(),
            group_ids: FxHashMap::default(),
            nodes: Vec::new(),
            ids: FxHashMap::default(),
            classes: Vec::new(),
            class_ids: FxHashMap::default(),
            edges: Vec::new(),
            room: CanonScratch::default(),
            twins: CanonScratch::default(),
            budget: budget.clone(),
            bytes: 0,
            own: budget.lease(),
            check: budget.lease(),
        };
        // The first group contains all symmetries.
        self.group(&mut worker, self.colours.group());
        worker
    }

    pub(super) fn group(&self, worker: &mut SspWorker<'p>, group: &Group) -> GroupId {
        if let Some(id) = worker.group_ids.get(group) {
            return *id;
        }
        let id = GroupId(worker.groups.len() as u32);
        worker.groups.push(Canon::new(self.colours, group.clone()));
        worker.group_ids.insert(group.clone(), id);
        id
    }

    /// Returns the representative of the image of a state.
    pub(super) fn image(
        &self,
        worker: &mut SspWorker<'p>,
        group: GroupId,
        state: ExplicitStateId,
        to: &[u32],
    ) -> Result<ExplicitStateId, Stop> {
        let (states, room) = (&mut worker.states, &mut worker.room);
        let canon = &worker.groups[group.0 as usize];
        let found = self.space.quotient(states, state, None, |tokens| {
            canon.image(room, tokens, to);
            canon.canon(room, tokens);
            true
        })?;
        // Nothing is fired, so no limit applies.
        Ok(found.unwrap_or(state))
    }

    /// Returns the representative of a state modulo a group.
    pub(super) fn representative(
        &self,
        worker: &mut SspWorker<'p>,
        group: &Group,
        state: ExplicitStateId,
    ) -> Result<ExplicitStateId, Stop> {
        let group = self.group(worker, group);
        let identity = self.colours.identity();
        self.image(worker, group, state, &identity)
    }

    pub(super) fn intern(
        &self,
        worker: &mut SspWorker<'p>,
        location: Location,
        group: GroupId,
        members: Vec<ExplicitStateId>,
    ) -> Result<NodeId, Stop> {
        let node = SetNode {
            location,
            group,
            members: members.into(),
        };
        if let Some(id) = worker.ids.get(&node) {
            return Ok(*id);
        }
        worker.budget.spend(1)?;
        worker.grow(2 * (size_of::<SetNode>() + 4 * node.members.len()) + 64)?;
        // All members are in one orbit of the full group.
        let orbit = match node.members.first() {
            Some(member) => self.representative(worker, self.colours.group(), *member)?,
            None => return Err(Stop::Internal("a node without markings".to_owned())),
        };
        let next = worker.class_ids.len() as u32;
        let class = *worker.class_ids.entry((location, orbit)).or_insert(next);
        let id = NodeId(worker.nodes.len() as u32);
        worker.classes.push(class);
        worker.nodes.push(node.clone());
        worker.edges.push(None);
        worker.ids.insert(node, id);
        Ok(id)
    }
}
