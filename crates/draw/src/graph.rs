//! Labelled graphs: automata, processes, state spaces.
//!
//! A graph is laid out in layers, from left to right (`graph_paint.rs`), or written in Graphviz
//! format.

use crate::paint::quoted;
use std::fmt::Write as _;

/// The shape of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeShape {
    /// A circle.
    Circle,
    /// A double circle: an accepting state.
    Double,
    /// A dashed circle: a livelock state of a testing automaton.
    Dashed,
    /// A box with rounded corners.
    Box,
}

/// A node of a [`DrawnGraph`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphNode {
    /// The text, line by line.
    pub lines: Vec<String>,
    /// The tooltip with the full text.
    pub hint: String,
    /// The shape.
    pub shape: NodeShape,
    /// True for an initial node.
    pub initial: bool,
    /// True if the node is highlighted.
    pub marked: bool,
}

/// A directed edge of a [`DrawnGraph`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphEdge {
    /// The source, as an index of the nodes.
    pub from: usize,
    /// The target.
    pub to: usize,
    /// The text.
    pub label: String,
    /// True if the edge is highlighted.
    pub marked: bool,
}

impl GraphEdge {
    /// Creates an edge that is not highlighted.
    pub fn new(from: usize, to: usize, label: String) -> GraphEdge {
        GraphEdge {
            from,
            to,
            label,
            marked: false,
        }
    }
}

/// A labelled graph with optional levels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DrawnGraph {
    /// The nodes.
    pub nodes: Vec<GraphNode>,
    /// The edges; those with equal ends are drawn as one.
    pub edges: Vec<GraphEdge>,
    /// The levels of the nodes, if they are fixed.
    pub levels: Option<Vec<usize>>,
}

impl DrawnGraph {
    /// The graph in Graphviz format.
    pub fn dot(&self, title: &str) -> String {
        let quoted = |text: &str| quoted(text).replace('\n', "\\n");
        let marks = |marked| if marked { ", color=\"#c2410c\"" } else { "" };
        let title = quoted(title);
        let mut out = format!("digraph {{\n  rankdir=LR; label=\"{title}\"; labelloc=t;\n");
        for (i, node) in self.nodes.iter().enumerate() {
            let shape = match node.shape {
                NodeShape::Circle => "shape=circle",
                NodeShape::Double => "shape=doublecircle",
                NodeShape::Dashed => "shape=circle, style=dashed",
                NodeShape::Box => "shape=box, style=rounded",
            };
            let marked = marks(node.marked);
            let label = quoted(&node.lines.join("\n"));
            let _ = writeln!(out, "  {i} [{shape}, label=\"{label}\"{marked}];");
            if node.initial {
                let _ = writeln!(out, "  i{i} [shape=point, style=invis]; i{i} -> {i};");
            }
        }
        for edge in &self.edges {
            let (from, to, marked) = (edge.from, edge.to, marks(edge.marked));
            let label = quoted(&edge.label);
            let _ = writeln!(out, "  {from} -> {to} [label=\"{label}\"{marked}];");
        }
        out.push_str("}\n");
        out
    }
}
