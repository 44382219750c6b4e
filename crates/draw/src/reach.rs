//! Initial fragments of state spaces as graphs.
//!
//! States are found breadth-first with the reference semantics; the distance from the initial state
//! is the level. If a run is given, its states come first, followed by edges between shown states.

use crate::graph::{DrawnGraph, GraphEdge, GraphNode, NodeShape};
use crate::share::Poll;
use lariat_budget::{Budget, Stop};
use lariat_model::{Domain, State, System, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// A fragment of a state space.
#[derive(Clone, Debug)]
pub struct StateGraph {
    /// States and steps between them.
    pub graph: DrawnGraph,
    /// True if some states are omitted.
    pub cut: bool,
    /// The reason why the search for states was ended early, if it was.
    pub stop: Option<Stop>,
}

/// Default limit on the number of states.
pub const MOST: usize = 60;
/// Characters per line, and lines, of a state.
const LINE: usize = 26;
const LINES: usize = 5;

/// The states of a system, at most `most` of them; all states of `run` are shown and marked.
pub fn reach(system: &System, run: &[&State], most: usize, budget: &Budget) -> StateGraph {
    let mut found = Found {
        states: Vec::new(),
        numbers: FxHashMap::default(),
        most: most.max(run.len()),
    };
    let initial: Vec<&State> = system.initial.iter().collect();
    for state in if run.is_empty() { &initial } else { run } {
        found.add(state);
    }
    let marked = if run.is_empty() {
        0
    } else {
        found.states.len()
    };
    let mut cut = false;
    let mut graph = DrawnGraph::default();
    let mut poll = Poll::new(budget);
    let mut search = || {
        let mut next = 0;
        while next < found.states.len() {
            let state = found.states[next].clone();
            // States outside the run only get edges to states that are shown anyway.
            let is_outside = marked > 0 && next >= marked;
            for event in system.event_ids() {
                poll.spend(8)?;
                for to in system.successors(&state, event) {
                    let to = if is_outside {
                        found.numbers.get(&to).copied()
                    } else {
                        found.add(&to)
                    };
                    let Some(to) = to else {
                        cut = true;
                        continue;
                    };
                    let label = system.event(event).name.clone();
                    graph.edges.push(GraphEdge::new(next, to, label));
                }
            }
            next += 1;
        }
        Ok(())
    };
    let stop = search().err();
    let states = &found.states;
    mark_run(&mut graph, run, &found.numbers);
    let telling = telling(system, states);
    graph.nodes = states
        .iter()
        .enumerate()
        .map(|(i, state)| GraphNode {
            lines: lines(&words(system, state, &|var| telling[var.index()])),
            hint: words(system, state, &|_| true).join(" "),
            shape: NodeShape::Box,
            initial: system.initial.contains(state),
            marked: i < marked,
        })
        .collect();
    graph.levels = Some(levels(&graph));
    StateGraph {
        graph,
        cut: cut || stop.is_some(),
        stop,
    }
}

/// The states found so far, with their numbers.
struct Found {
    states: Vec<State>,
    numbers: FxHashMap<State, usize>,
    most: usize,
}

impl Found {
    /// The number of a state; `None` if there are enough others.
    fn add(&mut self, state: &State) -> Option<usize> {
        if let Some(known) = self.numbers.get(state) {
            return Some(*known);
        }
        if self.states.len() >= self.most {
            return None;
        }
        self.numbers.insert(state.clone(), self.states.len());
        self.states.push(state.clone());
        Some(self.states.len() - 1)
    }
}

/// Marks the edges that the run takes.
fn mark_run(graph: &mut DrawnGraph, run: &[&State], numbers: &FxHashMap<State, usize>) {
    let places: Vec<Option<&usize>> = run.iter().map(|state| numbers.get(*state)).collect();
    let steps = places
        .windows(2)
        .filter_map(|pair| Some((*pair[0]?, *pair[1]?)));
    let steps: FxHashSet<(usize, usize)> = steps.collect();
    for edge in &mut graph.edges {
        edge.marked |= steps.contains(&(edge.from, edge.to));
    }
}

/// The distance of every node from the initial ones; unreached nodes come last.
fn levels(graph: &DrawnGraph) -> Vec<usize> {
    let mut out = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        out[edge.from].push(edge.to);
    }
    let mut levels = vec![None; graph.nodes.len()];
    let mut queue: VecDeque<usize> = VecDeque::new();
    for (i, node) in graph.nodes.iter().enumerate() {
        if node.initial {
            levels[i] = Some(0);
            queue.push_back(i);
        }
    }
    while let Some(node) = queue.pop_front() {
        for to in &out[node] {
            if levels[*to].is_none() {
                levels[*to] = levels[node].map(|level: usize| level + 1);
                queue.push_back(*to);
            }
        }
    }
    let last = levels.iter().flatten().max().map_or(0, |level| level + 1);
    let levels = levels.into_iter();
    levels.map(|level| level.unwrap_or(last)).collect()
}

/// The value of a variable as text.
pub(crate) fn value_text(system: &System, var: VarId, value: Value) -> String {
    match &system.variable(var).domain {
        Domain::Names(names) => usize::try_from(value)
            .ok()
            .and_then(|i| names.get(i))
            .map_or_else(|| value.to_string(), String::clone),
        _ => value.to_string(),
    }
}

/// The values of a state without empty places.
pub(crate) fn shown<'a>(
    system: &'a System,
    state: &'a State,
) -> impl Iterator<Item = (VarId, &'a Value)> {
    system.var_ids().zip(state).filter(|(var, value)| {
        **value != 0 || !matches!(system.variable(*var).domain, Domain::Count { .. })
    })
}

/// A state in words: named values, which are locations, then marked places and other values.
fn words(system: &System, state: &State, wanted: &dyn Fn(VarId) -> bool) -> Vec<String> {
    let mut values: Vec<(VarId, &Value)> = shown(system, state)
        .filter(|(var, _)| wanted(*var))
        .collect();
    values.sort_by_key(|(var, _)| !matches!(system.variable(*var).domain, Domain::Names(_)));
    values
        .into_iter()
        .map(|(var, value)| {
            let name = &system.variable(var).name;
            match (&system.variable(var).domain, value) {
                (Domain::Count { .. }, 1) => name.clone(),
                (Domain::Count { .. }, n) => format!("{n}·{name}"),
                _ => format!("{name}={}", value_text(system, var, *value)),
            }
        })
        .collect()
}

/// For every variable whether it tells states apart; all of them if there is one state only.
fn telling(system: &System, states: &[State]) -> Vec<bool> {
    let mut telling = vec![states.len() == 1; system.variables.len()];
    for pair in states.windows(2) {
        for (var, (before, after)) in pair[0].iter().zip(&pair[1]).enumerate() {
            telling[var] |= before != after;
        }
    }
    telling
}

/// The words of a state in a few short lines.
fn lines(words: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    if words.is_empty() {
        return vec!["∅".to_owned()];
    }
    for (i, word) in words.iter().enumerate() {
        let full = lines.len() == LINES;
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < LINE => {
                line.push(' ');
                line.push_str(word);
            }
            _ if full => {
                lines.push(format!("and {} more", words.len() - i));
                break;
            }
            _ => lines.push(word.clone()),
        }
    }
    lines
}
