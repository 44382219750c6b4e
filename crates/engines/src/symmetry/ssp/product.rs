//! The symbolic synchronized product as a graph of sets; guards split sets.

use super::node::{GroupId, SetClosure, Ssp, SspWorker};
use lariat_automata::{Letter, StateId as Location};
use lariat_budget::{Progress, Stop};
use lariat_emptiness::{Edge, Graph, Marks, NodeId, Ordered};
use lariat_model::EventId;
use lariat_reductions::symmetry::{Generator, Group};
use lariat_space::explicit::{ExplicitStateId, StepCursor};
use std::convert::Infallible;

impl<'p> Ssp<'p> {
    /// Returns the node of a step's target, closed under R_d if R_d contains the group and the
    /// variant allows it.
    fn close(
        &self,
        worker: &mut SspWorker<'p>,
        location: Location,
        group: &Group,
        state: ExplicitStateId,
    ) -> Result<NodeId, Stop> {
        let future = &self.futures[location.index()];
        let widens = self.closure == SetClosure::Future && group.is_within(future);
        let group = if widens { future } else { group };
        self.settle(worker, location, group, &[state])
    }

    fn expand(&self, worker: &mut SspWorker<'p>, id: NodeId) -> Result<Box<[Edge]>, Stop> {
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

    /// Returns the targets of the steps from a state that are read; one per class of twins.
    fn steps(
        &self,
        worker: &mut SspWorker<'p>,
        state: ExplicitStateId,
        group: GroupId,
        reads: impl Fn(Letter) -> bool,
    ) -> Result<Vec<ExplicitStateId>, Stop> {
        let SspWorker {
            states,
            labels,
            groups,
            twins,
            ..
        } = worker;
        let label = labels.label(&self.space, states, state, |_| Ok(()))?;
        let label = labels.letter(label);
        let canon = &groups[group.0 as usize];
        self.space.with_values(states, state, |tokens, values| {
            canon.find_twins(twins, tokens, |var| values[var.index()]);
        });
        let mut targets = Vec::new();
        let mut cursor = StepCursor::default();
        while let Some(event) = self.space.next_event(states, state, &mut cursor)? {
            let class = self.alphabet.class(event);
            let letter = Letter(label.0 | self.alphabet.letter(class).0);
            let is_first = |event: EventId| canon.is_first(twins, event);
            if reads(letter) && event.is_none_or(is_first) {
                targets.extend(self.space.quotient(states, state, event, |_| false)?);
            }
        }
        Ok(targets)
    }
}

impl<'p> Graph for Ssp<'p> {
    type Stop = Stop;
    type Worker = SspWorker<'p>;
    type Cursor = usize;

    fn marks(&self) -> Marks {
        self.problem.automaton.all_marks()
    }

    fn initial(&self, worker: &mut SspWorker<'p>, k: usize) -> Result<Option<NodeId>, Stop> {
        let locations = &self.problem.automaton.initial;
        if locations.is_empty() {
            return Ok(None);
        }
        let (i, location) = (k / locations.len(), locations[k % locations.len()]);
        let Some(state) = self.space.initial(&mut worker.states, i)? else {
            return Ok(None);
        };
        let marking = self.problem.system.initial[i].clone();
        let keeps = |generator: Generator<'_>| -> Result<bool, Infallible> {
            Ok(self.colours.image_of_state(&marking, generator.to) == marking)
        };
        let Ok(group) = self.colours.group().coarsest(keeps);
        self.close(worker, location, &group, state).map(Some)
    }

    fn next_edge(
        &self,
        worker: &mut SspWorker<'p>,
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

    fn tick(&self, worker: &mut SspWorker<'p>, bytes: usize) -> Result<(), Stop> {
        worker.check.resize(bytes)?;
        worker.budget.check()?;
        let figures = [
            (worker.nodes.len() as u64, "nodes"),
            (worker.states.len() as u64, "states"),
        ];
        self.observer
            .progress(Progress::new("emptiness check", &figures));
        Ok(())
    }
}

impl<'p> Ordered for Ssp<'p> {
    fn class(&self, worker: &SspWorker<'p>, node: NodeId) -> u32 {
        worker.classes[node.index()]
    }

    fn includes(
        &self,
        worker: &mut SspWorker<'p>,
        big: NodeId,
        small: NodeId,
    ) -> Result<bool, Stop> {
        let (_, parts) = self.parts(worker, big, small)?;
        Ok(parts.iter().all(|(_, there)| *there))
    }

    fn minus(
        &self,
        worker: &mut SspWorker<'p>,
        whole: NodeId,
        part: NodeId,
    ) -> Result<Option<NodeId>, Stop> {
        let (common, parts) = self.parts(worker, part, whole)?;
        let rest = parts.into_iter().filter(|(_, there)| !there);
        let rest: Vec<ExplicitStateId> = rest.map(|(state, _)| state).collect();
        if rest.is_empty() {
            return Ok(None);
        }
        let location = worker.nodes[whole.index()].location;
        self.settle(worker, location, &common, &rest).map(Some)
    }
}
