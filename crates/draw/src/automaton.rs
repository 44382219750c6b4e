//! Automata as graphs.

use crate::graph::{DrawnGraph, GraphEdge, GraphNode, NodeShape};
use lariat_automata::testing::Testing;
use lariat_automata::{Automaton, Guard, Guards, Style, has_state_marks};
use lariat_emptiness::Marks;
use lariat_ltl::AtomId;

const READABLE: Style = Style {
    always: "1",
    never: "0",
    and: " & ",
    or: " | ",
    open: "",
    close: "",
};

/// The marks of an edge, as shown after its guard: ` {0,1}`.
fn marks_text(marks: Marks) -> String {
    let numbers: Vec<String> = marks.iter().map(|mark| mark.to_string()).collect();
    if numbers.is_empty() {
        String::new()
    } else {
        format!(" {{{}}}", numbers.join(","))
    }
}

fn guard_text(
    guards: &mut Guards,
    guard: Guard,
    atoms: &[AtomId],
    atom: &dyn Fn(AtomId) -> String,
) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = guards.write(guard, &READABLE, &mut text, |out, i| {
        out.write_str(&atom(atoms[i]))
    });
    text
}

fn node(number: usize, shape: NodeShape, initial: bool) -> GraphNode {
    GraphNode {
        lines: vec![number.to_string()],
        hint: String::new(),
        shape,
        initial,
        marked: false,
    }
}

/// A (generalized) Büchi automaton: double circles for one mark on states, else marks after guards.
pub fn automaton(a: &Automaton, atom: &dyn Fn(AtomId) -> String) -> DrawnGraph {
    let circles = a.mark_count == 1 && has_state_marks(a);
    let mut guards = a.guards.clone();
    let mut graph = DrawnGraph::default();
    for (q, edges) in a.states.iter().enumerate() {
        let accepting = circles && edges.iter().any(|t| !t.marks.is_empty());
        let shape = if accepting {
            NodeShape::Double
        } else {
            NodeShape::Circle
        };
        let initial = a.initial.iter().any(|state| state.index() == q);
        graph.nodes.push(node(q, shape, initial));
        for t in edges {
            let mut label = guard_text(&mut guards, t.guard, &a.atoms, atom);
            if !circles {
                label.push_str(&marks_text(t.marks));
            }
            graph.edges.push(GraphEdge::new(q, t.to.index(), label));
        }
    }
    graph
}

/// A testing automaton: dashed livelock states, changing atoms on edges, letters at initial states.
pub fn testing(t: &Testing, atom: &dyn Fn(AtomId) -> String) -> DrawnGraph {
    let mut guards = t.guards.clone();
    let mut graph = DrawnGraph::default();
    for (q, state) in t.states.iter().enumerate() {
        let shape = if state.livelock {
            NodeShape::Dashed
        } else {
            NodeShape::Circle
        };
        let mut node = node(q, shape, false);
        for (_, letters) in t.initial.iter().filter(|(state, _)| state.index() == q) {
            let letters = guard_text(&mut guards, *letters, &t.atoms, atom);
            node.initial = true;
            node.hint = format!("starts with {letters}");
            node.lines = vec![q.to_string(), format!("if {letters}")];
            node.shape = NodeShape::Box;
        }
        graph.nodes.push(node);
        for e in &state.changes {
            let mut label = format!("{{{}}}", guard_text(&mut guards, e.guard, &t.atoms, atom));
            label.push_str(&marks_text(e.marks));
            graph.edges.push(GraphEdge::new(q, e.to.index(), label));
        }
    }
    graph
}
