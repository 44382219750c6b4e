//! Drawing of labelled graphs.
//!
//! Edges between the same two nodes in one direction are drawn as one, with all their labels; a
//! self-loop is drawn above its node. If levels are given (a state space, by breadth-first search),
//! only edges to the next level take part in the layout; others are curves on top of it, without
//! reserved space for their labels. These are placed where they cover no node and no other label;
//! those that do not fit are counted in a footnote, and tooltips have the full text.

use crate::boxes::Box4;
use crate::graph::{DrawnGraph, NodeShape};
use crate::labels::Taken;
use crate::layered::{self, EdgeSize, NodeSize, Route};
use crate::paint::{head, unit};
use crate::share::{Poll, remark};
use crate::svg::{Anchor, Picture, Svg, TextStyle, fit, width, xy};
use crate::{Point, grid, stress};
use lariat_budget::{Budget, Stop};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Font size of texts in nodes and at edges.
const TEXT: f64 = 11.0;
const NAME: TextStyle<'_> = TextStyle::new(Anchor::Middle, TEXT, "class=\"name\" fill=\"#14171a\"");
const LABEL: TextStyle<'_> =
    TextStyle::new(Anchor::Middle, TEXT, "class=\"label\" fill=\"#14171a\"");
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
/// Bend of curves on top of the layout.
const BEND: f64 = 0.22;
/// Points per segment of a curve, for its extent and its label.
const SAMPLES: usize = 16;
/// Parts of a curve at which its label may be, in the order in which they are tried.
const PLACES: [f64; 9] = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];

/// All edges from one node to another.
#[derive(Default)]
struct Bundle {
    from: usize,
    to: usize,
    lines: Vec<String>,
    /// The number of edges with a label.
    labels: usize,
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

    /// The area of the label with the middle of its base at a point.
    fn area(&self, (x, y): Point) -> Box4 {
        let (w, h) = self.size();
        [x - w / 2.0, y - h, x + w / 2.0, y]
    }
}

/// A line of cubic curves with a head.
struct Curve {
    start: Point,
    segments: Vec<[Point; 3]>,
    tip: Point,
    /// The direction of the head.
    into: Point,
    dashed: bool,
}

impl Curve {
    fn samples(&self) -> Vec<Point> {
        let mut points = vec![self.start];
        let mut a = self.start;
        for [b, c, d] in &self.segments {
            for i in 1..=SAMPLES {
                let t = i as f64 / SAMPLES as f64;
                let s = 1.0 - t;
                let at = |a: f64, b: f64, c: f64, d: f64| {
                    s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
                };
                points.push((at(a.0, b.0, c.0, d.0), at(a.1, b.1, c.1, d.1)));
            }
            a = *d;
        }
        points
    }

    fn path(&self, shift: &dyn Fn(Point) -> Point) -> String {
        let mut path = format!("M{}", xy(shift(self.start)));
        for [b, c, d] in &self.segments {
            let _ = write!(
                path,
                "C{} {} {}",
                xy(shift(*b)),
                xy(shift(*c)),
                xy(shift(*d))
            );
        }
        path
    }
}

/// Positions of everything.
struct Arrangement {
    nodes: Vec<Point>,
    curves: Vec<Curve>,
    /// The middle of the base of every label that is shown.
    labels: Vec<Option<Point>>,
    /// The bounding box: left, top, right and bottom.
    frame: Box4,
    /// The reason why the layout is a simple one, if it is.
    stop: Option<Stop>,
}

/// A drawn graph.
pub(crate) struct PaintedGraph {
    pub svg: Svg,
    pub size: Point,
    /// Remarks that belong below the drawing.
    pub remarks: Vec<String>,
}

impl DrawnGraph {
    /// Draws the graph as a document.
    pub fn svg(&self, title: &str, budget: &Budget) -> Picture {
        let painted = self.paint(&|node| node, budget);
        let mut svg = painted.svg;
        svg.resize(painted.size, title);
        for remark in &painted.remarks {
            svg.footnote(remark);
        }
        svg.finish()
    }

    /// Draws the graph into another document. `number` gives the `data-node` of nodes.
    pub(crate) fn paint(&self, number: &dyn Fn(usize) -> usize, budget: &Budget) -> PaintedGraph {
        let bundles = self.bundles();
        let arranged = self.arrange(&bundles, budget);
        let [left, top, right, bottom] = arranged.frame;
        let shift = |(x, y): Point| (x - left + MARGIN, y - top + MARGIN);
        let mut svg = Svg::new(0.0, 0.0, "", "class=\"graph\"");
        for (bundle, curve) in bundles.iter().zip(&arranged.curves) {
            paint_edge(&mut svg, bundle, curve, &shift, number);
        }
        // After all lines, so that none crosses a label.
        for (bundle, label) in bundles.iter().zip(&arranged.labels) {
            if let Some(label) = label {
                paint_label(&mut svg, bundle, shift(*label));
            }
        }
        for (i, at) in arranged.nodes.iter().enumerate() {
            self.paint_node(&mut svg, i, shift(*at), number(i));
        }
        let mut remarks: Vec<String> = arranged.stop.iter().map(remark).collect();
        if arranged.curves.iter().any(|curve| curve.dashed) {
            remarks.push("dashed: to a state that is not farther from the start".to_owned());
        }
        let omitted = bundles.iter().zip(&arranged.labels);
        let omitted = omitted.filter(|(_, label)| label.is_none());
        let omitted: usize = omitted.map(|(bundle, _)| bundle.labels).sum();
        if omitted > 0 {
            let all: usize = bundles.iter().map(|bundle| bundle.labels).sum();
            let text = format!("{omitted} of {all} edge labels do not fit; tooltips show them");
            remarks.push(text);
        }
        PaintedGraph {
            svg,
            size: (right - left + 2.0 * MARGIN, bottom - top + 2.0 * MARGIN),
            remarks,
        }
    }

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
                bundle.labels += 1;
            }
        }
        let mut bundles: Vec<Bundle> = bundles.into_values().collect();
        for bundle in &mut bundles {
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

    /// Returns whether a bundle takes part in the layout.
    fn is_laid(&self, bundle: &Bundle) -> bool {
        let level = |node: usize| self.levels.as_ref().map(|levels| levels[node]);
        bundle.from != bundle.to
            && match (level(bundle.from), level(bundle.to)) {
                (Some(from), Some(to)) => to == from + 1,
                _ => true,
            }
    }

    /// Lays out nodes and lines, and places labels.
    fn arrange(&self, bundles: &[Bundle], budget: &Budget) -> Arrangement {
        let halves: Vec<Point> = (0..self.nodes.len()).map(|i| self.half(i)).collect();
        let sizes = self.sizes(bundles, &halves);
        let laid: Vec<EdgeSize> = bundles
            .iter()
            .filter(|bundle| self.is_laid(bundle))
            .map(|bundle| EdgeSize {
                from: bundle.from,
                to: bundle.to,
                label: bundle.size(),
            })
            .collect();
        let (nodes, routes, stop) =
            match layered::layout(&sizes, &laid, self.levels.as_deref(), budget) {
                Ok(layers) => (layers.nodes, layers.routes, None),
                Err(stop) => (self.simple_layout(&sizes, bundles), Vec::new(), Some(stop)),
            };
        let mut routes = routes.into_iter();
        let (mut curves, mut labels) = (Vec::new(), Vec::new());
        for bundle in bundles {
            let route = if self.is_laid(bundle) {
                routes.next()
            } else {
                None
            };
            let ends = [bundle.from, bundle.to].map(|i| (nodes[i], halves[i]));
            let (curve, label) = match route {
                _ if bundle.from == bundle.to => {
                    let ((x, y), (_, h)) = ends[0];
                    (self_loop((x, y - h)), Some((x, y - h - LOOP + 3.0)))
                }
                Some(route) => (
                    self.along(bundle, &route, ends.map(|end| end.1)),
                    Some(route.label),
                ),
                None => (self.across(bundle, ends, !self.is_laid(bundle)), None),
            };
            curves.push(curve);
            labels.push(label.filter(|_| !bundle.lines.is_empty()));
        }
        let mut arranged = Arrangement {
            nodes,
            curves,
            labels,
            frame: [0.0; 4],
            stop,
        };
        place_labels(bundles, &halves, &mut arranged, budget);
        arranged.frame = frame(bundles, &sizes, &arranged);
        arranged
    }

    fn sizes(&self, bundles: &[Bundle], halves: &[Point]) -> Vec<NodeSize> {
        let size = |(node, (w, h)): (_, &Point)| {
            let node: &crate::GraphNode = node;
            let entry = if node.initial { ENTRY } else { 0.0 };
            NodeSize {
                width: 2.0 * w + 2.0 * entry,
                above: *h,
                below: *h,
            }
        };
        let mut sizes: Vec<NodeSize> = self.nodes.iter().zip(halves).map(size).collect();
        for bundle in bundles.iter().filter(|bundle| bundle.from == bundle.to) {
            let (wide, high) = bundle.size();
            let size = &mut sizes[bundle.from];
            let entry = size.width - 2.0 * halves[bundle.from].0;
            size.width = (size.width - entry).max(wide) + entry;
            size.above += LOOP + high;
        }
        sizes
    }

    /// The layout for when the budget has ended: a grid, by levels if there are any.
    fn simple_layout(&self, sizes: &[NodeSize], bundles: &[Bundle]) -> Vec<Point> {
        let area = |size: &NodeSize| [size.width / 2.0, size.above, size.width / 2.0, size.below];
        let boxes: Vec<Box4> = sizes.iter().map(area).collect();
        let order = match &self.levels {
            Some(levels) => {
                let mut order: Vec<usize> = (0..sizes.len()).collect();
                order.sort_by_key(|node| levels[*node]);
                order
            }
            None => {
                let ends: Vec<_> = bundles.iter().map(|b| (b.from, b.to)).collect();
                grid::breadth_first(&stress::neighbours(sizes.len(), &ends))
            }
        };
        grid::layout(&boxes, &order)
    }

    /// The curve along the route of the layout.
    fn along(&self, bundle: &Bundle, route: &Route, halves: [Point; 2]) -> Curve {
        let way = &route.points;
        let (first, last) = (way[0], way[way.len() - 1]);
        let towards = |from: Point, to: Point| unit(to.0 - from.0, 0.6 * (to.1 - from.1));
        let out = towards(first, way[1]);
        let into = towards(way[way.len() - 2], last);
        let start = self.border(bundle.from, (first, halves[0]), out);
        let tip = self.border(bundle.to, (last, halves[1]), (-into.0, -into.1));
        let end = (tip.0 - 5.0 * into.0, tip.1 - 5.0 * into.1);
        let mut points = vec![start];
        points.extend(&way[1..way.len() - 1]);
        points.push(end);
        let count = points.len() - 1;
        let mut segments = Vec::with_capacity(count);
        for (i, pair) in points.windows(2).enumerate() {
            let (a, b) = (pair[0], pair[1]);
            let reach = (b.0 - a.0) / 2.0;
            let c = match i {
                0 => (a.0 + out.0 * reach.abs(), a.1 + out.1 * reach.abs()),
                _ => (a.0 + reach, a.1),
            };
            let d = if i + 1 == count {
                (b.0 - into.0 * reach.abs(), b.1 - into.1 * reach.abs())
            } else {
                (b.0 - reach, b.1)
            };
            segments.push([c, d, b]);
        }
        Curve {
            start,
            segments,
            tip,
            into,
            dashed: false,
        }
    }

    /// The curve of an edge that takes no part in the layout, between its ends (with half sizes).
    fn across(&self, bundle: &Bundle, ends: [(Point, Point); 2], dashed: bool) -> Curve {
        let [(a, _), (b, _)] = ends;
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let control = ((a.0 + b.0) / 2.0 + BEND * dy, (a.1 + b.1) / 2.0 - BEND * dx);
        let out = unit(control.0 - a.0, control.1 - a.1);
        let into = unit(b.0 - control.0, b.1 - control.1);
        let start = self.border(bundle.from, ends[0], out);
        let tip = self.border(bundle.to, ends[1], (-into.0, -into.1));
        let end = (tip.0 - 5.0 * into.0, tip.1 - 5.0 * into.1);
        // A quadratic curve as a cubic one.
        let towards = |p: Point| (p.0 + (control.0 - p.0) / 1.5, p.1 + (control.1 - p.1) / 1.5);
        Curve {
            start,
            segments: vec![[towards(start), towards(end), end]],
            tip,
            into,
            dashed,
        }
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

    /// The point where the border of a node (centre, half size) lies in a direction.
    fn border(&self, node: usize, ((x, y), (w, h)): (Point, Point), (dx, dy): Point) -> Point {
        let reach = match self.nodes[node].shape {
            NodeShape::Box => (w / dx.abs().max(1e-9)).min(h / dy.abs().max(1e-9)),
            _ => w,
        };
        let reach = reach + 1.0;
        (x + reach * dx, y + reach * dy)
    }
}

/// The curve of a self-loop above the top of its node.
fn self_loop((x, top): Point) -> Curve {
    let (end, high) = ((x + 8.0, top - 5.0), top - LOOP - 5.0);
    Curve {
        start: (x - 6.0, top + 1.5),
        segments: vec![[(x - 20.0, high), (x + 20.0, high), end]],
        tip: (x + 6.0, top + 1.0),
        into: unit(-0.35, 1.0),
        dashed: false,
    }
}

/// Places labels without reserved space on their curves, highlighted edges first.
fn place_labels(bundles: &[Bundle], halves: &[Point], arranged: &mut Arrangement, budget: &Budget) {
    let mut order: Vec<usize> = (0..bundles.len())
        .filter(|i| arranged.labels[*i].is_none() && !bundles[*i].lines.is_empty())
        .collect();
    if order.is_empty() || arranged.stop.is_some() {
        return;
    }
    order.sort_by_key(|i| !bundles[*i].marked);
    let mut poll = Poll::new(budget);
    let mut taken = Taken::default();
    for ((x, y), (w, h)) in arranged.nodes.iter().zip(halves) {
        taken.add([x - w, y - h, x + w, y + h]);
    }
    for (bundle, label) in bundles.iter().zip(&arranged.labels) {
        if let Some(label) = label {
            taken.add(bundle.area(*label));
        }
    }
    for i in order {
        if poll.spend(64).is_err() {
            return;
        }
        let points = arranged.curves[i].samples();
        let (_, high) = bundles[i].size();
        let base = |place: &f64| {
            let (x, y) = points[(place * (points.len() - 1) as f64) as usize];
            (x, y + high / 2.0)
        };
        let areas = PLACES.iter().map(|place| bundles[i].area(base(place)));
        let number = taken.place(areas);
        arranged.labels[i] = number.map(|number| base(&PLACES[number]));
    }
}

/// The bounding box of nodes, curves and labels.
fn frame(bundles: &[Bundle], sizes: &[NodeSize], arranged: &Arrangement) -> Box4 {
    let nodes = arranged.nodes.iter().zip(sizes).map(|((x, y), size)| {
        let half = size.width / 2.0;
        [x - half, y - size.above, x + half, y + size.below]
    });
    let labels = bundles.iter().zip(&arranged.labels);
    let labels = labels.filter_map(|(bundle, label)| Some(bundle.area((*label)?)));
    let curves = arranged.curves.iter().flat_map(Curve::samples);
    let curves = curves.map(|(x, y)| [x, y, x, y]);
    let join = |[x0, y0, x1, y1]: Box4, [left, top, right, bottom]: Box4| {
        [x0.min(left), y0.min(top), x1.max(right), y1.max(bottom)]
    };
    let areas = nodes.chain(labels).chain(curves);
    areas.reduce(join).unwrap_or([0.0; 4])
}

/// Draws the line of an edge and its head.
fn paint_edge(
    svg: &mut Svg,
    bundle: &Bundle,
    curve: &Curve,
    shift: &dyn Fn(Point) -> Point,
    number: &dyn Fn(usize) -> usize,
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
    let dashes = if curve.dashed {
        " stroke-dasharray=\"4 2\""
    } else {
        ""
    };
    let attributes = format!("class=\"arc\" fill=\"none\"{dashes}");
    svg.path(&curve.path(shift), &attributes);
    svg.path(
        &head(shift(curve.tip), curve.into),
        &format!("class=\"head\" fill=\"{colour}\" stroke=\"none\""),
    );
    svg.close();
}

/// Draws a label with the middle of its base at a point.
fn paint_label(svg: &mut Svg, bundle: &Bundle, (x, y): Point) {
    svg.open("class=\"edge-label\"");
    svg.hint(&bundle.hint);
    let count = bundle.lines.len() as f64;
    for (i, line) in bundle.lines.iter().enumerate() {
        let at = (x, y - 5.0 - LINE * (count - 1.0 - i as f64));
        svg.halo(at, LABEL, line);
    }
    svg.close();
}

/// The width of the widest line.
fn widest(lines: &[String]) -> f64 {
    let widths = lines
        .iter()
        .map(|line| width(&fit(line, TEXT, WIDEST), TEXT));
    widths.fold(0.0, f64::max)
}
