//! Strongly connected components of explicit graphs (Tarjan, SIAM J. Comput. 1972), iteratively.

use crate::automaton::{Automaton, StateId};
use lariat_emptiness::Marks;

/// The components of a graph.
pub struct Components {
    /// The component of every node. Components are numbered in reverse topological order: a
    /// component's number is larger than those of all components reachable from it.
    pub of: Vec<u32>,
    /// Number of components.
    pub count: usize,
}

/// The components of the graph on `0..nodes` where `successor(n, k)` is the `k`-th successor of
/// `n`.
pub fn components(nodes: usize, successor: impl Fn(usize, usize) -> Option<usize>) -> Components {
    const UNSEEN: u32 = u32::MAX;
    let mut of = vec![UNSEEN; nodes];
    let mut low = vec![UNSEEN; nodes];
    let mut count = 0;
    let mut clock = 0;
    let mut open = Vec::new();
    let mut path: Vec<(usize, usize, u32)> = Vec::new();
    for root in 0..nodes {
        if low[root] != UNSEEN {
            continue;
        }
        low[root] = clock;
        path.push((root, 0, clock));
        open.push(root);
        clock += 1;
        while let Some((node, k, number)) = path.last_mut() {
            let node = *node;
            match successor(node, *k) {
                Some(next) => {
                    *k += 1;
                    if low[next] == UNSEEN {
                        low[next] = clock;
                        path.push((next, 0, clock));
                        open.push(next);
                        clock += 1;
                    } else if of[next] == UNSEEN {
                        low[node] = low[node].min(low[next]);
                    }
                }
                None => {
                    let number = *number;
                    path.pop();
                    if low[node] == number {
                        while let Some(member) = open.pop() {
                            of[member] = count as u32;
                            if member == node {
                                break;
                            }
                        }
                        count += 1;
                    }
                    if let Some(&(parent, _, _)) = path.last() {
                        low[parent] = low[parent].min(low[node]);
                    }
                }
            }
        }
    }
    Components { of, count }
}

/// The components of a graph whose edges carry marks, and for each whether its inner edges carry
/// all marks `all`; false without inner edges.
pub(crate) fn accepting_components(
    edges: &[Vec<(usize, Marks)>],
    all: Marks,
) -> (Components, Vec<bool>) {
    let scc = components(edges.len(), |n, k| edges[n].get(k).map(|e| e.0));
    let mut marks: Vec<Option<Marks>> = vec![None; scc.count];
    for (n, out) in edges.iter().enumerate() {
        for &(to, m) in out.iter().filter(|(to, _)| scc.of[*to] == scc.of[n]) {
            let slot = &mut marks[scc.of[to] as usize];
            *slot = Some(slot.unwrap_or(Marks::NONE).union(m));
        }
    }
    let accepting = marks.iter().map(|m| m.is_some_and(|m| m.contains(all)));
    let accepting = accepting.collect();
    (scc, accepting)
}

/// The components of an automaton with the marks on their edges.
pub struct AutomatonComponents {
    /// The component of every state, numbered as in [`Components`].
    pub of: Vec<u32>,
    /// For every component the marks on its inner edges, `None` if it has no inner edge.
    pub marks: Vec<Option<Marks>>,
    /// For every component, whether no edge leaves it.
    pub terminal: Vec<bool>,
    /// The marks that an accepting component carries.
    all: Marks,
}

impl AutomatonComponents {
    /// Returns whether the component has an accepting cycle.
    pub fn accepting(&self, component: u32) -> bool {
        self.marks[component as usize].is_some_and(|m| m.contains(self.all))
    }

    /// Returns whether the edge is inside an accepting component.
    pub fn is_inner(&self, from: StateId, to: StateId) -> bool {
        let component = self.of[from.index()];
        self.of[to.index()] == component && self.accepting(component)
    }

    /// Returns whether no edge leaves the component of `state`.
    pub fn is_terminal(&self, state: StateId) -> bool {
        self.terminal[self.of[state.index()] as usize]
    }
}

/// The components of `a`.
pub fn automaton_components(a: &Automaton) -> AutomatonComponents {
    let found = components(a.states.len(), |n, k| {
        a.states[n].get(k).map(|t| t.to.index())
    });
    let mut marks = vec![None; found.count];
    let mut terminal = vec![true; found.count];
    for (n, edges) in a.states.iter().enumerate() {
        let component = found.of[n];
        for t in edges {
            if component == found.of[t.to.index()] {
                let slot: &mut Option<Marks> = &mut marks[component as usize];
                *slot = Some(slot.unwrap_or(Marks::NONE).union(t.marks));
            } else {
                terminal[component as usize] = false;
            }
        }
    }
    AutomatonComponents {
        of: found.of,
        marks,
        terminal,
        all: a.all_marks(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_in_reverse_topological_order() {
        let edges: [&[usize]; 6] = [&[1, 2], &[0], &[3], &[4], &[3], &[5, 0]];
        let c = components(6, |n, k| edges[n].get(k).copied());
        assert_eq!(c.count, 4);
        assert_eq!(c.of[0], c.of[1]);
        assert_eq!(c.of[3], c.of[4]);
        assert!(c.of[5] > c.of[0] && c.of[0] > c.of[2] && c.of[2] > c.of[3]);
    }
}
