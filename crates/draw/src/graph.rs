//! Labelled graphs: automata, processes, state spaces.
//!
//! A graph is laid out in layers, from left to right. Edges between the same two nodes in one
//! direction are drawn as one, with all their labels; a self-loop is drawn above its node. If
//! levels are given (a state space, by breadth-first search), only edges to the next level take
//! part in the layout; others are drawn as curves on top of it, with tooltips.

use crate::Point;
use crate::layered::{self, EdgeSize, NodeSize};
use crate::paint::{head, quoted, unit};
use crate::svg::{Anchor, Picture, Svg, TextStyle, fit, width, xy};
use std::collections::BTreeMap;
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
    /// True if labels of edges are shown as tooltips only.
    pub quiet: bool,
}

/// Font size of texts in nodes and at edges.
const TEXT: f64 = 11.0;
const NAME: TextStyle<'_> = TextStyle::new(Anchor::Middle, TEXT, "class=\"name\" fill=\"#14171a\"");
const LABEL: TextStyle<'_> =
    TextStyle::new(Anchor::Middle, TEXT, "class=\"label\" fill=\"#14171a\"");
/// Attributes of the line of an edge, which has the colour of its group.
const ARC: &str = "class=\"arc\" fill=\"none\"";
/// Distance of lines.
const LINE: f64 = 13.0;
/// Radius of a circle with a short text.
const CIRCLE: f64 = 15.0;
/// Limit on the width of a line.
const WIDEST: f64 = 190.0;
/// Lines of an edge's label; further ones are counted.
const LINES: usize = 6;
/// Height of a self-loop above its node.
const LOOP: f64 = 22.0;
/// Margin of the drawing.
const MARGIN: f64 = 14.0;
/// Length of the arrow at an initial node.
const ENTRY: f64 = 22.0;

/// All edges from one node to another.
#[derive(Default)]
struct Bundle {
    from: usize,
    to: usize,
    lines: Vec<String>,
    hint: String,
    marked: bool,
}

impl Bundle {
    fn size(&self) -> (f64, f64) {
        match self.lines.len() {
            0 => (0.0, 0.0),
            lines => (widest(&self.lines) + 8.0, LINE * lines as f64 + 4.0),
        }
    }
}

impl DrawnGraph {
    fn bundles(&self) -> Vec<Bundle> {
        let mut bundles: BTreeMap<(usize, usize), Bundle> = BTreeMap::new();
        for edge in &self.edges {
            let key = (edge.from, edge.to);
            let bundle = bundles.entry(key).or_insert(Bundle {
                from: edge.from,
                to: edge.to,
                ..Bundle::default()
            });
            bundle.marked |= edge.marked;
            if !edge.label.is_empty() {
                if !bundle.hint.is_empty() {
                    bundle.hint.push('\n');
                }
                bundle.hint.push_str(&edge.label);
                bundle.lines.push(fit(&edge.label, TEXT, WIDEST));
            }
        }
        let mut bundles: Vec<Bundle> = bundles.into_values().collect();
        for bundle in &mut bundles {
            if self.quiet {
                bundle.lines.clear();
            }
            let more = bundle.lines.len().saturating_sub(LINES);
            if more > 1 {
                bundle.lines.truncate(LINES);
                bundle.lines.push(format!("and {more} more"));
            }
        }
        bundles
    }

    /// Half the width and half the height of a node.
    fn half(&self, node: usize) -> Point {
        let node = &self.nodes[node];
        let wide = widest(&node.lines);
        match node.shape {
            NodeShape::Box => (
                (wide / 2.0 + 7.0).max(14.0),
                (LINE * node.lines.len() as f64 / 2.0 + 5.0).max(12.0),
            ),
            _ => {
                let radius = CIRCLE.max(wide / 2.0 + 5.0);
                (radius, radius)
            }
        }
    }

    /// Draws the graph as a document.
    pub fn svg(&self, title: &str) -> Picture {
        let (mut svg, size) = self.paint(&|node| node);
        svg.resize(size, title);
        svg.finish()
    }

    /// Draws the graph into another document. `number` gives the `data-node` of nodes.
    pub(crate) fn paint(&self, number: &dyn Fn(usize) -> usize) -> (Svg, Point) {
        let bundles = self.bundles();
        let mut loops: Vec<Option<&Bundle>> = vec![None; self.nodes.len()];
        let (mut laid, mut free) = (Vec::new(), Vec::new());
        for bundle in &bundles {
            let level = |node: usize| self.levels.as_ref().map(|levels| levels[node]);
            let down = match (level(bundle.from), level(bundle.to)) {
                (Some(from), Some(to)) => to == from + 1,
                _ => true,
            };
            if bundle.from == bundle.to {
                loops[bundle.from] = Some(bundle);
            } else if down {
                laid.push(bundle);
            } else {
                free.push(bundle);
            }
        }
        let sizes: Vec<NodeSize> = (0..self.nodes.len())
            .map(|i| {
                let (w, h) = self.half(i);
                let above = |bundle: &Bundle| (LOOP + bundle.size().1, bundle.size().0);
                let (over, across) = loops[i].map_or((0.0, 0.0), above);
                let entry = if self.nodes[i].initial { ENTRY } else { 0.0 };
                NodeSize {
                    width: (2.0 * w).max(across) + 2.0 * entry,
                    above: h + over,
                    below: h,
                }
            })
            .collect();
        let edge = |bundle: &&Bundle| EdgeSize {
            from: bundle.from,
            to: bundle.to,
            label: bundle.size(),
        };
        let edges: Vec<EdgeSize> = laid.iter().map(edge).collect();
        let layers = layered::layout(&sizes, &edges, self.levels.as_deref());
        let frame = self.frame(&layers, &sizes, &laid);
        let (left, top) = (frame[0] - MARGIN, frame[1] - MARGIN);
        let shift = |(x, y): Point| (x - left, y - top);
        let points: Vec<Point> = layers.nodes.iter().map(|p| shift(*p)).collect();
        let mut svg = Svg::new(0.0, 0.0, "", "class=\"graph\"");
        for (bundle, route) in laid.iter().zip(&layers.routes) {
            let path: Vec<Point> = route.points.iter().map(|p| shift(*p)).collect();
            self.paint_route(&mut svg, bundle, &path, shift(route.label), number);
        }
        for bundle in &free {
            self.paint_curve(&mut svg, bundle, &points, number);
        }
        for (i, bundle) in loops.iter().enumerate() {
            if let Some(bundle) = bundle {
                self.paint_loop(&mut svg, bundle, points[i], number);
            }
        }
        for (i, at) in points.iter().enumerate() {
            self.paint_node(&mut svg, i, *at, number(i));
        }
        (svg, (frame[2] - left + MARGIN, frame[3] - top + MARGIN))
    }

    /// The bounding box: left, top, right and bottom.
    fn frame(&self, layers: &layered::Layers, sizes: &[NodeSize], laid: &[&Bundle]) -> [f64; 4] {
        let mut areas = vec![[0.0; 4]];
        for ((x, y), size) in layers.nodes.iter().zip(sizes) {
            let half = size.width / 2.0;
            areas.push([x - half, y - size.above, x + half, y + size.below]);
        }
        for (bundle, route) in laid.iter().zip(&layers.routes) {
            let ((w, h), (x, y)) = (bundle.size(), route.label);
            areas.push([x - w / 2.0, y - h, x + w / 2.0, y]);
        }
        let frame = areas.into_iter().fold([0.0_f64; 4], |f, a| {
            let ([x0, y0, x1, y1], [left, top, right, bottom]) = (f, a);
            [x0.min(left), y0.min(top), x1.max(right), y1.max(bottom)]
        });
        if self.levels.is_none() {
            return frame;
        }
        // Curves may extend beyond the nodes.
        let w = 0.02 * (frame[2] - frame[0]);
        let h = 0.12 * (frame[3] - frame[1]) + 10.0;
        [frame[0] - w, frame[1] - h, frame[2] + w, frame[3] + h]
    }

    /// Opens the group of an edge, and draws its line (a path with attributes) and its head.
    fn paint_edge(
        svg: &mut Svg,
        bundle: &Bundle,
        number: &dyn Fn(usize) -> usize,
        (path, attributes): (&str, &str),
        head: &str,
    ) {
        let (class, colour, wide) = if bundle.marked {
            ("edge marked", "#c2410c", "2.2")
        } else {
            ("edge", "#59636e", "1.1")
        };
        svg.open(&format!(
            "class=\"{class}\" data-from=\"{}\" data-to=\"{}\" stroke=\"{colour}\" stroke-width=\"{wide}\"",
            number(bundle.from),
            number(bundle.to)
        ));
        if !bundle.hint.is_empty() {
            svg.hint(&bundle.hint);
        }
        svg.path(path, attributes);
        svg.path(
            head,
            &format!("class=\"head\" fill=\"{colour}\" stroke=\"none\""),
        );
    }

    fn paint_label(svg: &mut Svg, bundle: &Bundle, (x, y): Point) {
        let count = bundle.lines.len() as f64;
        for (i, line) in bundle.lines.iter().enumerate() {
            let at = (x, y - 5.0 - LINE * (count - 1.0 - i as f64));
            svg.halo(at, LABEL, line);
        }
    }

    fn paint_route(
        &self,
        svg: &mut Svg,
        bundle: &Bundle,
        way: &[Point],
        label: Point,
        number: &dyn Fn(usize) -> usize,
    ) {
        let (first, last) = (way[0], way[way.len() - 1]);
        let towards = |from: Point, to: Point| unit(to.0 - from.0, 0.6 * (to.1 - from.1));
        let out = towards(first, way[1]);
        let into = towards(way[way.len() - 2], last);
        let start = self.border(bundle.from, first, out);
        let tip = self.border(bundle.to, last, (-into.0, -into.1));
        let end = (tip.0 - 5.0 * into.0, tip.1 - 5.0 * into.1);
        let mut points = vec![start];
        points.extend(&way[1..way.len() - 1]);
        points.push(end);
        let mut path = format!("M{}", xy(start));
        let segments = points.len() - 1;
        for (i, pair) in points.windows(2).enumerate() {
            let (a, b) = (pair[0], pair[1]);
            let reach = (b.0 - a.0) / 2.0;
            let c = match i {
                0 => (a.0 + out.0 * reach.abs(), a.1 + out.1 * reach.abs()),
                _ => (a.0 + reach, a.1),
            };
            let d = if i + 1 == segments {
                (b.0 - into.0 * reach.abs(), b.1 - into.1 * reach.abs())
            } else {
                (b.0 - reach, b.1)
            };
            let _ = write!(path, "C{} {} {}", xy(c), xy(d), xy(b));
        }
        DrawnGraph::paint_edge(svg, bundle, number, (&path, ARC), &head(tip, into));
        DrawnGraph::paint_label(svg, bundle, label);
        svg.close();
    }

    fn paint_curve(
        &self,
        svg: &mut Svg,
        bundle: &Bundle,
        points: &[Point],
        number: &dyn Fn(usize) -> usize,
    ) {
        let (a, b) = (points[bundle.from], points[bundle.to]);
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let bend = 0.22;
        let control = ((a.0 + b.0) / 2.0 + bend * dy, (a.1 + b.1) / 2.0 - bend * dx);
        let out = unit(control.0 - a.0, control.1 - a.1);
        let into = unit(b.0 - control.0, b.1 - control.1);
        let start = self.border(bundle.from, a, out);
        let tip = self.border(bundle.to, b, (-into.0, -into.1));
        let end = (tip.0 - 5.0 * into.0, tip.1 - 5.0 * into.1);
        let path = format!("M{}Q{} {}", xy(start), xy(control), xy(end));
        let dashed = format!("{ARC} stroke-dasharray=\"4 2\"");
        DrawnGraph::paint_edge(svg, bundle, number, (&path, &dashed), &head(tip, into));
        svg.close();
    }

    fn paint_loop(
        &self,
        svg: &mut Svg,
        bundle: &Bundle,
        (x, y): Point,
        number: &dyn Fn(usize) -> usize,
    ) {
        let (_, h) = self.half(bundle.from);
        let top = y - h;
        let (start, end) = (xy((x - 6.0, top + 1.5)), xy((x + 8.0, top - 5.0)));
        let high = top - LOOP - 5.0;
        let (left, right) = (xy((x - 20.0, high)), xy((x + 20.0, high)));
        let path = format!("M{start}C{left} {right} {end}");
        let tip = head((x + 6.0, top + 1.0), unit(-0.35, 1.0));
        DrawnGraph::paint_edge(svg, bundle, number, (&path, ARC), &tip);
        DrawnGraph::paint_label(svg, bundle, (x, top - LOOP + 3.0));
        svg.close();
    }

    fn paint_node(&self, svg: &mut Svg, i: usize, at: Point, number: usize) {
        let node = &self.nodes[i];
        let (w, h) = self.half(i);
        let (x, y) = at;
        if node.initial {
            let tip = (x - w - 1.0, y);
            let path = format!("M{}L{}", xy((tip.0 - ENTRY, y)), xy((tip.0 - 5.0, y)));
            let grey = "class=\"arc\" stroke=\"#59636e\" stroke-width=\"1.1\" fill=\"none\"";
            svg.path(&path, grey);
            svg.path(&head(tip, (1.0, 0.0)), "class=\"head\" fill=\"#59636e\"");
        }
        let marked = if node.marked { " marked" } else { "" };
        svg.open(&format!(
            "class=\"node state{marked}\" data-node=\"{number}\""
        ));
        if !node.hint.is_empty() {
            svg.hint(&node.hint);
        }
        let ground = if node.marked { "#ffedd5" } else { "#fff" };
        let mut look =
            format!("class=\"shape\" fill=\"{ground}\" stroke=\"#14171a\" stroke-width=\"1.3\"");
        if node.shape == NodeShape::Dashed {
            look.push_str(" stroke-dasharray=\"4 3\"");
        }
        match node.shape {
            NodeShape::Box => {
                let area = [x - w, y - h, 2.0 * w, 2.0 * h];
                svg.rect(area, &format!("rx=\"7\" {look}"));
            }
            _ => svg.circle(at, w, &look),
        }
        if node.shape == NodeShape::Double {
            let look = "class=\"inner\" fill=\"none\" stroke=\"#14171a\" stroke-width=\"1\"";
            svg.circle(at, w - 3.5, look);
        }
        let count = node.lines.len() as f64;
        for (k, line) in node.lines.iter().enumerate() {
            let base = y + 4.0 + LINE * (k as f64 - (count - 1.0) / 2.0);
            let line = fit(line, TEXT, WIDEST);
            svg.text((x, base), NAME, &line);
        }
        svg.close();
    }

    /// The point where the border of a node lies in a direction.
    fn border(&self, node: usize, (x, y): Point, (dx, dy): Point) -> Point {
        let (w, h) = self.half(node);
        let reach = match self.nodes[node].shape {
            NodeShape::Box => (w / dx.abs().max(1e-9)).min(h / dy.abs().max(1e-9)),
            _ => w,
        };
        let reach = reach + 1.0;
        (x + reach * dx, y + reach * dy)
    }

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

/// The width of the widest line.
fn widest(lines: &[String]) -> f64 {
    let widths = lines
        .iter()
        .map(|line| width(&fit(line, TEXT, WIDEST), TEXT));
    widths.fold(0.0, f64::max)
}
