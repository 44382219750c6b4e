//! Nodes of the symbolic synchronized product: what they are, how they are made, split and compared.

use crate::alphabet::Alphabet;
use crate::labels::{Labels, labelled};
use crate::problem::Problem;
use crate::sym::Quotient;
use crate::symmetry::{Locals, Modulo};
use lariat_automata::{Letter, StateId as Location};
use lariat_budget::{Budget, Lease, Observer, Progress, Stop};
use lariat_emptiness::{Edge, Graph, Marks, NodeId, Ordered};
use lariat_model::EventId;
use lariat_model::symmetry::{
    Canon, Colours, Generator, Group, Part, Permutation, Room, Symmetry, Tokens,
};
use lariat_space::explicit::{Cursor as Steps, Explicit, StateId, States};
use rustc_hash::FxHashMap;
use std::convert::Infallible;
use std::sync::Arc;

/// The immutable part of the product.
pub(super) struct Ssp<'p> {
    problem: &'p Problem<'p>,
    symmetry: &'p Symmetry<'p>,
    colours: &'p Colours<'p>,
    observer: &'p dyn Observer,
    space: Explicit<'p>,
    alphabet: Arc<Alphabet>,
    /// G_L of every edge of the automaton.
    locals: Vec<Vec<Group>>,
    /// R_q.
    futures: Vec<Group>,
}

/// A group, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct GroupId(u32);

/// A set of markings closed under a group, with a state of the automaton.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct SetNode {
    location: Location,
    group: GroupId,
    /// Representatives, in increasing order.
    members: Box<[StateId]>,
}

/// What one worker has found of it.
pub(super) struct Worker<'p> {
    states: States,
    labels: Labels,
    groups: Vec<Canon<'p, 'p>>,
    group_ids: FxHashMap<Group, GroupId>,
    nodes: Vec<SetNode>,
    ids: FxHashMap<SetNode, NodeId>,
    /// The class of each node, and the classes: a state of the automaton and a representative modulo all symmetries.
    classes: Vec<u32>,
    class_ids: FxHashMap<(Location, StateId), u32>,
    /// The edges of nodes that were asked for.
    edges: Vec<Option<Box<[Edge]>>>,
    room: Room,
    twins: Room,
    budget: Budget,
    /// Bytes of the maps above, and of the arrays of the check that runs.
    own: Lease,
    bytes: usize,
    check: Lease,
}

impl Worker<'_> {
    /// The states found so far.
    pub fn states(&self) -> &States {
        &self.states
    }

    /// How many nodes were made.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn grow(&mut self, bytes: usize) -> Result<(), Stop> {
        self.bytes += bytes;
        if self.bytes as u64 > self.own.bytes() {
            self.own.resize(self.bytes + self.bytes / 4 + (1 << 16))?;
        }
        Ok(())
    }
}

/// The transposition of two elements.
fn exchange(to: &mut Permutation, a: u32, b: u32) {
    to.swap(a as usize, b as usize);
}

impl<'p> Ssp<'p> {
    /// Prepares the product; nothing is explored yet.
    pub fn new(
        problem: &'p Problem<'p>,
        (symmetry, colours): (&'p Symmetry<'p>, &'p Colours<'p>),
        locals: &mut Locals<'_>,
        futures: &[Group],
        observer: &'p dyn Observer,
    ) -> Ssp<'p> {
        let automaton = problem.automaton;
        let of_state = |location: Location| -> Vec<Group> {
            let edges = automaton.transitions(location).iter();
            edges.map(|edge| locals.group(edge.guard)).collect()
        };
        Ssp {
            problem,
            symmetry,
            colours,
            observer,
            space: labelled(problem),
            alphabet: problem.alphabet().clone(),
            locals: automaton.state_ids().map(of_state).collect(),
            futures: futures.to_vec(),
        }
    }

    /// The quotient in which runs are looked for.
    pub fn quotient(&self) -> Quotient<'p> {
        let modulo = Modulo::of_groups(self.colours, &self.futures);
        Quotient::new(self.problem, self.symmetry, modulo, self.observer)
    }

    /// A worker that has found nothing yet.
    pub fn worker(&self, budget: &Budget) -> Worker<'p> {
        let mut states = self.space.states(budget);
        if let Some(most) = self.problem.most_tokens {
            states.cut_above(most);
        }
        let mut worker = Worker {
            states,
            labels: Labels::default(),
            groups: Vec::new(),
            group_ids: FxHashMap::default(),
            nodes: Vec::new(),
            ids: FxHashMap::default(),
            classes: Vec::new(),
            class_ids: FxHashMap::default(),
            edges: Vec::new(),
            room: Room::default(),
            twins: Room::default(),
            budget: budget.clone(),
            own: budget.lease(),
            bytes: 0,
            check: budget.lease(),
        };
        // All symmetries are the first group.
        self.group(&mut worker, self.colours.group());
        worker
    }

    fn group(&self, worker: &mut Worker<'p>, group: &Group) -> GroupId {
        if let Some(id) = worker.group_ids.get(group) {
            return *id;
        }
        let id = GroupId(worker.groups.len() as u32);
        worker.groups.push(Canon::new(self.colours, group.clone()));
        worker.group_ids.insert(group.clone(), id);
        id
    }

    /// The representative of the image of a state.
    fn image(
        &self,
        worker: &mut Worker<'p>,
        group: GroupId,
        state: StateId,
        to: &[u32],
    ) -> Result<StateId, Stop> {
        let Worker {
            states,
            groups,
            room,
            ..
        } = worker;
        let canon = &groups[group.0 as usize];
        let found = self.space.modulo(states, state, None, |tokens| {
            canon.image(room, tokens, to);
            canon.canon(room, tokens);
            true
        })?;
        // Nothing is fired, so nothing is cut off.
        Ok(found.unwrap_or(state))
    }

    /// The representative of a state modulo a group.
    pub(super) fn representative(
        &self,
        worker: &mut Worker<'p>,
        group: &Group,
        state: StateId,
    ) -> Result<StateId, Stop> {
        let group = self.group(worker, group);
        let identity = self.colours.identity();
        self.image(worker, group, state, &identity)
    }

    /// One state of each `fine`-orbit of `coarse·state`, where `fine ≤ coarse`: transpositions across the blocks of `fine` and rotations lead from
    /// each such orbit to its neighbours.
    fn split(
        &self,
        worker: &mut Worker<'p>,
        coarse: &Group,
        state: StateId,
        fine: &Group,
    ) -> Result<Vec<StateId>, Stop> {
        let id = self.group(worker, fine);
        let mut found = vec![self.representative(worker, fine, state)?];
        if coarse == fine {
            return Ok(found);
        }
        let moves = self.across(coarse, fine);
        let mut known: FxHashMap<StateId, ()> = found.iter().map(|s| (*s, ())).collect();
        let mut at = 0;
        while at < found.len() {
            for to in &moves {
                let image = self.image(worker, id, found[at], to)?;
                if known.insert(image, ()).is_none() {
                    found.push(image);
                }
            }
            worker.budget.check()?;
            at += 1;
        }
        Ok(found)
    }

    /// Permutations that generate `coarse` together with `fine`: all transpositions across blocks, and rotations.
    fn across(&self, coarse: &Group, fine: &Group) -> Vec<Permutation> {
        let mut all = Vec::new();
        let mut first = 0;
        for (coarse, fine) in coarse.parts().iter().zip(fine.parts()) {
            let colours = coarse.colours();
            match (coarse, fine) {
                (Part::Blocks(coarse), Part::Blocks(fine)) => {
                    for a in 0..colours {
                        for b in 0..a {
                            let (i, j) = (a as usize, b as usize);
                            if coarse[i] == coarse[j] && fine[i] != fine[j] {
                                let mut to = self.colours.identity();
                                exchange(&mut to, first + a, first + b);
                                all.push(to);
                            }
                        }
                    }
                }
                (Part::Rotations { step, .. }, fine) if coarse != fine => {
                    let mut to = self.colours.identity();
                    for colour in 0..colours {
                        to[(first + colour) as usize] = first + (colour + step) % colours;
                    }
                    all.push(to);
                }
                _ => {}
            }
            first += colours;
        }
        all
    }

    /// The node of the set `group·members` with the largest group that keeps it.
    fn settle(
        &self,
        worker: &mut Worker<'p>,
        location: Location,
        group: &Group,
        members: &[StateId],
    ) -> Result<NodeId, Stop> {
        let id = self.group(worker, group);
        let mut own = Vec::with_capacity(members.len());
        for member in members {
            own.push(self.representative(worker, group, *member)?);
        }
        own.sort_unstable();
        own.dedup();
        let all = self.colours.group();
        let mut known: FxHashMap<(u32, u32), bool> = FxHashMap::default();
        let kept =
            all.coarsest(|generator| self.keeps(worker, id, group, &own, &mut known, generator))?;
        let kept_id = self.group(worker, &kept);
        if kept_id != id {
            for member in &mut own {
                *member = self.representative(worker, &kept, *member)?;
            }
            own.sort_unstable();
            own.dedup();
        }
        self.intern(worker, location, kept_id, own)
    }

    /// Does a generator keep `group·members`? What is true of a transposition is true of all between the same two blocks.
    fn keeps(
        &self,
        worker: &mut Worker<'p>,
        id: GroupId,
        group: &Group,
        members: &[StateId],
        known: &mut FxHashMap<(u32, u32), bool>,
        Generator { to, moved }: Generator<'_>,
    ) -> Result<bool, Stop> {
        let blocks = match moved {
            [a, b] => self.blocks(group, *a, *b),
            _ => None,
        };
        let Some((ours, theirs)) = blocks else {
            // A rotation commutes with the group.
            for member in members {
                let image = self.image(worker, id, *member, to)?;
                if members.binary_search(&image).is_err() {
                    return Ok(false);
                }
            }
            return Ok(true);
        };
        let pair = (ours[0].min(theirs[0]), ours[0].max(theirs[0]));
        if pair.0 == pair.1 {
            return Ok(true);
        }
        if let Some(known) = known.get(&pair) {
            return Ok(*known);
        }
        let mut kept = true;
        let mut to = self.colours.identity();
        'all: for a in &ours {
            for b in &theirs {
                exchange(&mut to, *a, *b);
                for member in members {
                    let image = self.image(worker, id, *member, &to)?;
                    if members.binary_search(&image).is_err() {
                        kept = false;
                        break 'all;
                    }
                }
                exchange(&mut to, *a, *b);
            }
        }
        known.insert(pair, kept);
        Ok(kept)
    }

    /// The blocks of two elements of one role; `None` if the role rotates.
    fn blocks(&self, group: &Group, a: u32, b: u32) -> Option<(Vec<u32>, Vec<u32>)> {
        let mut first = 0;
        for part in group.parts() {
            let colours = part.colours();
            if a < first + colours {
                let Part::Blocks(least) = part else {
                    return None;
                };
                let block = |element: u32| -> Vec<u32> {
                    let mine = least[(element - first) as usize];
                    let members = (0..colours).filter(|c| least[*c as usize] == mine);
                    members.map(|colour| first + colour).collect()
                };
                return Some((block(a), block(b)));
            }
            first += colours;
        }
        None
    }

    fn intern(
        &self,
        worker: &mut Worker<'p>,
        location: Location,
        group: GroupId,
        members: Vec<StateId>,
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
        // All of the set is in one orbit modulo all symmetries.
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

    /// The node of a step's target: closed under R_d where that keeps it an orbit.
    fn close(
        &self,
        worker: &mut Worker<'p>,
        location: Location,
        group: &Group,
        state: StateId,
    ) -> Result<NodeId, Stop> {
        let future = &self.futures[location.index()];
        let group = if group.is_within(future) {
            future
        } else {
            group
        };
        self.settle(worker, location, group, &[state])
    }

    /// All edges of a node.
    fn expand(&self, worker: &mut Worker<'p>, id: NodeId) -> Result<Box<[Edge]>, Stop> {
        let node = worker.nodes[id.index()].clone();
        let group = worker.groups[node.group.0 as usize].group().clone();
        let automaton = self.problem.automaton;
        let mut edges: Vec<Edge> = Vec::new();
        let transitions = automaton.transitions(node.location).iter();
        for (transition, local) in transitions.zip(&self.locals[node.location.index()]) {
            let fine = group.meet(local);
            let fine_id = self.group(worker, &fine);
            for member in &node.members {
                for state in self.split(worker, &group, *member, &fine)? {
                    let reads = |letter| automaton.guards.accepts(transition.guard, letter);
                    for target in self.steps(worker, state, fine_id, reads)? {
                        let to = self.close(worker, transition.to, &fine, target)?;
                        let edge = Edge {
                            to,
                            marks: transition.marks,
                        };
                        if !edges.contains(&edge) {
                            edges.push(edge);
                        }
                    }
                }
            }
        }
        Ok(edges.into())
    }

    /// Where the steps from a state lead whose letters are read, one of those that differ by twins.
    fn steps(
        &self,
        worker: &mut Worker<'p>,
        state: StateId,
        group: GroupId,
        reads: impl Fn(Letter) -> bool,
    ) -> Result<Vec<StateId>, Stop> {
        let label = {
            let Worker { labels, states, .. } = worker;
            let label = labels.of(&self.space, states, state, |_| Ok(()))?;
            labels.letter(label)
        };
        let Worker {
            states,
            groups,
            twins,
            ..
        } = worker;
        let canon = &groups[group.0 as usize];
        self.space.with_values(states, state, |tokens, values| {
            canon.find_twins(twins, tokens, |var| values[var.index()]);
        });
        let mut targets = Vec::new();
        let mut cursor = Steps::default();
        while let Some(event) = self.space.next_event(states, state, &mut cursor)? {
            let class = self.alphabet.class(event);
            let letter = Letter(label.0 | self.alphabet.letter(class).0);
            let is_first = |event: EventId| canon.is_first(twins, event);
            if reads(letter) && event.is_none_or(is_first) {
                targets.extend(self.space.modulo(states, state, event, |_| false)?);
            }
        }
        Ok(targets)
    }

    /// The markings of a node, one for each orbit modulo a group, with its state of the automaton.
    pub(super) fn markings(
        &self,
        worker: &mut Worker<'p>,
        node: NodeId,
    ) -> Result<(Location, Vec<Tokens>), Stop> {
        let node = worker.nodes[node.index()].clone();
        let group = worker.groups[node.group.0 as usize].group().clone();
        let fine = group.meet(&self.futures[node.location.index()]);
        let mut all = Vec::new();
        for member in &node.members {
            for state in self.split(worker, &group, *member, &fine)? {
                all.push(self.space.tokens(&mut worker.states, state).clone());
            }
        }
        Ok((node.location, all))
    }

    /// The parts of `small`, modulo what both groups have in common, each with whether `big` has it.
    fn parts(
        &self,
        worker: &mut Worker<'p>,
        big: NodeId,
        small: NodeId,
    ) -> Result<(Group, Vec<(StateId, bool)>), Stop> {
        let [big, small] = [big, small].map(|node| worker.nodes[node.index()].clone());
        let group = |node: &SetNode| worker.groups[node.group.0 as usize].group().clone();
        let (coarse, own) = (group(&big), group(&small));
        let common = own.meet(&coarse);
        let mut parts = Vec::new();
        for member in &small.members {
            for state in self.split(worker, &own, *member, &common)? {
                let there = self.representative(worker, &coarse, state)?;
                parts.push((state, big.members.binary_search(&there).is_ok()));
            }
        }
        Ok((common, parts))
    }
}

impl<'p> Graph for Ssp<'p> {
    type Stop = Stop;
    type Worker = Worker<'p>;
    type Cursor = usize;

    fn marks(&self) -> Marks {
        self.problem.automaton.all_marks()
    }

    fn initial(&self, worker: &mut Worker<'p>, k: usize) -> Result<Option<NodeId>, Stop> {
        let locations = &self.problem.automaton.initial;
        if locations.is_empty() {
            return Ok(None);
        }
        let Some(state) = self
            .space
            .initial(&mut worker.states, k / locations.len())?
        else {
            return Ok(None);
        };
        let marking = self.problem.system.initial[k / locations.len()].clone();
        let keeps = |generator: Generator<'_>| -> Result<bool, Infallible> {
            Ok(self.colours.image_of_state(&marking, generator.to) == marking)
        };
        let Ok(group) = self.colours.group().coarsest(keeps);
        let location = locations[k % locations.len()];
        self.close(worker, location, &group, state).map(Some)
    }

    fn next_edge(
        &self,
        worker: &mut Worker<'p>,
        node: NodeId,
        cursor: &mut usize,
    ) -> Result<Option<Edge>, Stop> {
        if worker.edges[node.index()].is_none() {
            let edges = self.expand(worker, node)?;
            worker.grow(size_of_val(&*edges))?;
            worker.edges[node.index()] = Some(edges);
        }
        let edges = worker.edges[node.index()].as_deref().unwrap_or_default();
        let edge = edges.get(*cursor).copied();
        *cursor += 1;
        Ok(edge)
    }

    fn tick(&self, worker: &mut Worker<'p>, bytes: usize) -> Result<(), Stop> {
        worker.check.resize(bytes)?;
        worker.budget.check()?;
        let figures = [
            (worker.nodes.len() as u64, "nodes"),
            (worker.states.len() as u64, "states"),
        ];
        self.observer.progress(Progress {
            phase: "emptiness check",
            figures: &figures,
        });
        Ok(())
    }
}

impl<'p> Ordered for Ssp<'p> {
    fn class(&self, worker: &Worker<'p>, node: NodeId) -> u32 {
        worker.classes[node.index()]
    }

    fn includes(&self, worker: &mut Worker<'p>, big: NodeId, small: NodeId) -> Result<bool, Stop> {
        let (_, parts) = self.parts(worker, big, small)?;
        Ok(parts.iter().all(|(_, there)| *there))
    }

    fn minus(
        &self,
        worker: &mut Worker<'p>,
        whole: NodeId,
        part: NodeId,
    ) -> Result<Option<NodeId>, Stop> {
        let (common, parts) = self.parts(worker, part, whole)?;
        let rest = parts.into_iter().filter(|(_, there)| !there);
        let rest: Vec<StateId> = rest.map(|(state, _)| state).collect();
        if rest.is_empty() {
            return Ok(None);
        }
        let location = worker.nodes[whole.index()].location;
        self.settle(worker, location, &common, &rest).map(Some)
    }
}
