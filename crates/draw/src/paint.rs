//! Drawing of nets: shapes, names, tokens, arcs.
//!
//! Arcs are straight. Two opposite arcs between the same nodes are bent apart, and an arc that
//! would pass through a third node is bent around it if a moderate bend suffices. Names are placed
//! at the side of their node where they cover the fewest arcs. Classes let the page change colours;
//! plain attributes make the file complete without it.

use crate::Point;
use crate::boxes::Box4;
use crate::labels::Taken;
use crate::net::{DrawnNet, DrawnNodeId, NetArc, NodeKind};
use crate::share::{Poll, remark};
use crate::svg::{Anchor, Picture, SIZE, Svg, TextStyle, fit, n, width, xy};
use lariat_budget::{Budget, Stop};
use std::fmt::Write as _;

/// Radius of a place.
pub(crate) const RADIUS: f64 = 15.0;
/// Half the width and height of a transition.
const BAR: (f64, f64) = (11.0, 11.0);
/// Font size of names.
const NAME: f64 = 10.5;
/// Limit on the width of names; longer ones are cut in the middle.
const WIDEST: f64 = 104.0;
/// Limit on the width of arc inscriptions.
const WIDEST_LABEL: f64 = 90.0;
/// Margin of the drawing.
const MARGIN: f64 = 14.0;
/// Distance from the border of a node to the base lines of the name below and above it.
const BELOW: f64 = 12.0;
const ABOVE: f64 = 5.0;
/// Bend of opposite arcs.
const BEND: f64 = 0.16;
/// Bends around other nodes, in the order in which they are tried.
const BENDS: [f64; 7] = [0.0, BEND, -BEND, 0.28, -0.28, 0.4, -0.4];
/// Distance between an arc and a node that it passes.
const BESIDE: f64 = 3.0;

/// A net with a position for every node.
#[derive(Clone, Debug)]
pub struct NetPicture {
    /// The net.
    pub net: DrawnNet,
    /// The positions of its nodes.
    pub points: Vec<Point>,
    /// The reason why the layout is a simple one, if it is.
    pub stop: Option<Stop>,
}

impl NetPicture {
    /// Lays out a net; if the budget ends, as a grid.
    pub fn whole(net: DrawnNet, budget: &Budget) -> NetPicture {
        let boxes: Vec<Box4> = net
            .nodes
            .iter()
            .map(|node| node_box(node.kind, &node.name))
            .collect();
        let (mut points, stop) = match net.layout(&boxes, budget) {
            Ok(points) => (points, None),
            Err(stop) => (net.simple_layout(&boxes), Some(stop)),
        };
        let (mut left, mut top) = (f64::MAX, f64::MAX);
        for (point, area) in points.iter().zip(&boxes) {
            (left, top) = (left.min(point.0 - area[0]), top.min(point.1 - area[1]));
        }
        for point in &mut points {
            // Rounding to pixels makes the file shorter; the distances allow for it.
            *point = (
                (point.0 - left + MARGIN).round(),
                (point.1 - top + MARGIN).round(),
            );
        }
        NetPicture { net, points, stop }
    }

    /// The size of the drawing.
    pub fn size(&self) -> (f64, f64) {
        let (mut right, mut bottom) = (2.0 * MARGIN, 2.0 * MARGIN);
        for (node, point) in self.net.nodes.iter().zip(&self.points) {
            let area = node_box(node.kind, &node.name);
            right = f64::max(right, point.0 + area[2] + MARGIN);
            bottom = f64::max(bottom, point.1 + area[3] + MARGIN);
        }
        (right.ceil(), bottom.ceil())
    }

    /// Draws the net as a document.
    pub fn svg(&self, title: &str, budget: &Budget) -> Picture {
        let (width, height) = self.size();
        let mut svg = Svg::new(width, height, title, "class=\"net\"");
        for remark in self.paint(&mut svg, &|node| node.0, budget) {
            svg.footnote(&remark);
        }
        svg.finish()
    }

    /// Draws the net; `number` gives the `data-node` of nodes. Returns remarks that belong below
    /// the drawing: it is a simple one, or inscriptions are omitted.
    pub(crate) fn paint(
        &self,
        svg: &mut Svg,
        number: &dyn Fn(DrawnNodeId) -> u32,
        budget: &Budget,
    ) -> Vec<String> {
        let mut poll = Poll::new(budget);
        let mut stop = self.stop.clone();
        let mut note = |end: Result<(), Stop>| stop = stop.take().or(end.err());
        let mut lines = self.lines();
        if self.stop.is_none() {
            note(self.bend(&mut lines, &mut poll));
        }
        let mut sides = vec![Side::Below; self.net.nodes.len()];
        if self.stop.is_none() {
            note(self.choose_sides(&lines, &mut sides, &mut poll));
        }
        let labels = self.labels(&lines, &sides, &mut poll);
        svg.open("class=\"arcs\" fill=\"none\" stroke=\"#59636e\" stroke-width=\"1.1\"");
        let mut omitted = 0;
        for ((arc, line), label) in self.net.arcs.iter().zip(&lines).zip(&labels) {
            let (from, to) = (number(arc.from), number(arc.to));
            let attributes = format!("class=\"arc\" data-from=\"{from}\" data-to=\"{to}\"");
            if label.text.is_empty() || label.at.is_some() {
                svg.path(&line.path, &attributes);
            } else {
                omitted += 1;
                svg.open("class=\"hinted\"");
                svg.hint(&arc.label);
                svg.path(&line.path, &attributes);
                svg.close();
            }
        }
        svg.close();
        svg.open("class=\"heads\" fill=\"#59636e\"");
        for (line, arc) in lines.iter().zip(&self.net.arcs) {
            let (from, to) = (number(arc.from), number(arc.to));
            let attributes = format!("class=\"head\" data-from=\"{from}\" data-to=\"{to}\"");
            svg.path(&head(line.end, line.end_direction), &attributes);
            if arc.tests {
                svg.path(&head(line.start, line.start_direction), &attributes);
            }
        }
        svg.close();
        self.paint_nodes(svg, &sides, number);
        svg.open("class=\"inscriptions\" fill=\"#31383f\"");
        for (arc, label) in self.net.arcs.iter().zip(&labels) {
            if let Some((x, y)) = label.at {
                svg.open("class=\"inscription\"");
                svg.hint(&arc.label);
                let style = TextStyle::new(Anchor::Middle, NAME - 1.0, "");
                svg.halo((x, y + 3.0), style, &label.text);
                svg.close();
            }
        }
        svg.close();
        let mut remarks: Vec<String> = stop.iter().map(remark).collect();
        if omitted > 0 {
            let all = labels.iter().filter(|label| !label.text.is_empty()).count();
            let text = format!("{omitted} of {all} inscriptions do not fit; tooltips show them");
            remarks.push(text);
        }
        remarks
    }

    /// The texts of arcs: each at the first position along its arc where it covers no node, no name
    /// and no other text. Without time only the middle is tried.
    fn labels(&self, lines: &[Line], sides: &[Side], poll: &mut Poll<'_>) -> Vec<ArcLabel> {
        let (w, h) = self.size();
        let mut taken = Taken::default();
        let names = self.name_widths();
        for (i, side) in sides.iter().enumerate() {
            taken.add(self.shape(i));
            taken.add(side.area(self.net.nodes[i].kind, self.points[i], names[i]));
        }
        let place = |(line, arc): (&Line, &NetArc)| {
            let text = fit(&arc.label, NAME - 1.0, WIDEST_LABEL);
            let half = width(&text, NAME - 1.0) / 2.0;
            let area = |t: &f64| -> Box4 {
                let (x, y) = line.at(*t);
                [x - half, y - 0.5 * NAME, x + half, y + 0.53 * NAME]
            };
            let is_late = self.stop.is_some() || poll.spend(LABEL_PLACES.len()).is_err();
            let places = &LABEL_PLACES[..if is_late { 1 } else { LABEL_PLACES.len() }];
            let fits = |t: &&f64| {
                let [left, top, right, bottom] = area(t);
                let inside = left >= 0.0 && top >= 0.0 && right <= w && bottom <= h;
                inside && !text.is_empty() && taken.is_free(area(t))
            };
            let place = places.iter().find(fits);
            if let Some(t) = place {
                taken.add(area(t));
            }
            let at = place.map(|t| line.at(*t));
            ArcLabel { text, at }
        };
        lines.iter().zip(&self.net.arcs).map(place).collect()
    }

    fn paint_nodes(&self, svg: &mut Svg, sides: &[Side], number: &dyn Fn(DrawnNodeId) -> u32) {
        for (i, (node, at)) in self.net.nodes.iter().zip(&self.points).enumerate() {
            let id = number(DrawnNodeId(i as u32));
            let (x, y) = *at;
            let class = match node.kind {
                NodeKind::Place => "place",
                NodeKind::Transition => "transition",
            };
            svg.open(&format!(
                "class=\"node {class}\" data-node=\"{id}\" data-x=\"{}\" data-y=\"{}\"",
                n(x),
                n(y)
            ));
            svg.hint(&node.name);
            let look = "fill=\"#fff\" stroke=\"#14171a\" stroke-width=\"1.3\" class=\"shape\"";
            match node.kind {
                NodeKind::Place => svg.circle(*at, RADIUS, look),
                NodeKind::Transition => {
                    let (w, h) = BAR;
                    let area = [x - w, y - h, 2.0 * w, 2.0 * h];
                    svg.rect(area, &format!("rx=\"2\" {look}"));
                }
            }
            svg.open("class=\"tokens\" fill=\"#14171a\"");
            if node.kind == NodeKind::Place {
                tokens(svg, *at, node.tokens);
            }
            svg.close();
            let name = fit(&node.name, NAME, WIDEST);
            let (place, anchor) = sides[i].at(node.kind, *at);
            let style = TextStyle::new(anchor, NAME, "class=\"name\" fill=\"#14171a\"");
            svg.halo(place, style, &name);
            svg.close();
        }
    }

    /// For every arc whether there is an opposite one.
    fn both_ways(&self) -> Vec<bool> {
        let mut pairs: Vec<(DrawnNodeId, DrawnNodeId)> =
            self.net.arcs.iter().map(|a| (a.from, a.to)).collect();
        pairs.sort_unstable();
        let back = |arc: &NetArc| pairs.binary_search(&(arc.to, arc.from)).is_ok();
        self.net.arcs.iter().map(back).collect()
    }

    /// The lines of all arcs: straight, or bent if there is an opposite one. In a grid all are bent,
    /// since straight ones would pass through nodes.
    fn lines(&self) -> Vec<Line> {
        let bend = |both_ways: bool| {
            if both_ways || self.stop.is_some() {
                BEND
            } else {
                0.0
            }
        };
        let arcs = self.net.arcs.iter().zip(self.both_ways());
        arcs.map(|(arc, both)| self.line(arc, bend(both))).collect()
    }

    /// Bends arcs around third nodes.
    fn bend(&self, lines: &mut [Line], poll: &mut Poll<'_>) -> Result<(), Stop> {
        if self.net.nodes.len() > MOST_CHOICES {
            return Ok(());
        }
        let (width, height) = self.size();
        let is_inside = |(x, y): Point| (0.0..=width).contains(&x) && (0.0..=height).contains(&y);
        let both_ways = self.both_ways();
        for ((arc, line), _) in (self.net.arcs.iter().zip(lines).zip(both_ways)).filter(|x| !x.1) {
            let others =
                (0..self.points.len()).filter(|i| *i != arc.from.index() && *i != arc.to.index());
            let is_clear = |line: &Line| {
                let touches = |i: usize| {
                    let (x, y) = self.points[i];
                    let near = |at: Point| (at.0 - x).hypot(at.1 - y) < RADIUS + BESIDE;
                    line.meets([x, y, x, y], RADIUS + BESIDE) && line.points().any(near)
                };
                line.points().all(is_inside) && !others.clone().any(touches)
            };
            for bend in BENDS {
                poll.spend(self.points.len())?;
                let bent = self.line(arc, bend);
                if is_clear(&bent) {
                    *line = bent;
                    break;
                }
            }
        }
        Ok(())
    }

    /// The line of an arc from border to border.
    fn line(&self, arc: &NetArc, bend: f64) -> Line {
        let (a, b) = (self.points[arc.from.index()], self.points[arc.to.index()]);
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let control = ((a.0 + b.0) / 2.0 - bend * dy, (a.1 + b.1) / 2.0 + bend * dx);
        let kind = |node: DrawnNodeId| self.net.nodes[node.index()].kind;
        let start_direction = unit(a.0 - control.0, a.1 - control.1);
        let end_direction = unit(b.0 - control.0, b.1 - control.1);
        let start = border(kind(arc.from), a, start_direction);
        let end = border(kind(arc.to), b, end_direction);
        // The line ends inside the head, so that a thick line does not cover the tip.
        let inside = |tip: Point, (dx, dy): Point| (tip.0 - 5.0 * dx, tip.1 - 5.0 * dy);
        let shaft = inside(end, end_direction);
        let from = if arc.tests {
            inside(start, start_direction)
        } else {
            start
        };
        let path = if bend != 0.0 {
            format!("M{}Q{} {}", xy(from), xy(control), xy(shaft))
        } else {
            format!("M{}L{}", xy(from), xy(shaft))
        };
        Line {
            path,
            start,
            end,
            start_direction,
            end_direction,
            control,
        }
    }

    /// The box around a node.
    fn shape(&self, i: usize) -> Box4 {
        let (x, y) = self.points[i];
        [x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS]
    }

    /// The widths of all names.
    fn name_widths(&self) -> Vec<f64> {
        let nodes = self.net.nodes.iter();
        nodes
            .map(|node| width(&fit(&node.name, NAME, WIDEST), NAME))
            .collect()
    }

    /// Chooses the side of every name that covers least. At any moment no two names overlap.
    fn choose_sides(
        &self,
        lines: &[Line],
        sides: &mut [Side],
        poll: &mut Poll<'_>,
    ) -> Result<(), Stop> {
        let n = self.net.nodes.len();
        if n > MOST_CHOICES {
            return Ok(());
        }
        let (w, h) = self.size();
        let names = self.name_widths();
        let name_area = |i: usize, side: Side| -> Box4 {
            side.area(self.net.nodes[i].kind, self.points[i], names[i])
        };
        for i in 0..n {
            let cost = |side: Side| -> usize {
                let area = name_area(i, side);
                let inside = area[0] >= 0.0 && area[1] >= 0.0 && area[2] <= w && area[3] <= h;
                let covers =
                    |j: &usize| meet(area, self.shape(*j)) || meet(area, name_area(*j, sides[*j]));
                let covered = (0..n).filter(|j| *j != i).filter(covers).count();
                let arcs = lines.iter().filter(|line| passes(line, area)).count();
                1000 * (covered + usize::from(!inside)) + 4 * arcs + side as usize
            };
            poll.spend(Side::ALL.len() * (n + lines.len()))?;
            let best = Side::ALL.into_iter().min_by_key(|side| cost(*side));
            sides[i] = best.unwrap_or(Side::Below);
        }
        Ok(())
    }
}

/// Limit on the nodes for which name positions are searched, which takes nodes × (nodes + arcs).
const MOST_CHOICES: usize = 700;
/// Positions along an arc at which its text may be, in the order in which they are tried.
const LABEL_PLACES: [f64; 13] = [
    0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.45, 0.55, 0.35, 0.65, 0.26, 0.74,
];

/// The text of an arc, and the position of its middle if it fits.
struct ArcLabel {
    text: String,
    at: Option<Point>,
}

/// The side of a node at which its name is placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Below,
    Above,
    Right,
    Left,
}

impl Side {
    const ALL: [Side; 4] = [Side::Below, Side::Above, Side::Right, Side::Left];

    fn at(self, kind: NodeKind, (x, y): Point) -> (Point, Anchor) {
        let half = match kind {
            NodeKind::Place => RADIUS,
            NodeKind::Transition => BAR.1,
        };
        match self {
            Side::Below => ((x, y + half + BELOW), Anchor::Middle),
            Side::Above => ((x, y - half - ABOVE), Anchor::Middle),
            Side::Right => ((x + half + 4.0, y + 4.0), Anchor::Start),
            Side::Left => ((x - half - 4.0, y + 4.0), Anchor::End),
        }
    }

    fn area(self, kind: NodeKind, point: Point, wide: f64) -> Box4 {
        let ((x, y), anchor) = self.at(kind, point);
        let left = x - anchor.share() * wide;
        let right = left + wide;
        [left - 1.0, y - 0.85 * NAME, right + 1.0, y + 0.3 * NAME]
    }
}

struct Line {
    path: String,
    start: Point,
    end: Point,
    /// Unit vectors towards the nodes.
    start_direction: Point,
    end_direction: Point,
    /// Control point of the quadratic curve; on the line if that is straight.
    control: Point,
}

impl Line {
    /// The point at parameter `t` of the curve.
    fn at(&self, t: f64) -> Point {
        let (a, c, b) = (self.start, self.control, self.end);
        let (u, v, w) = ((1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t);
        (u * a.0 + v * c.0 + w * b.0, u * a.1 + v * c.1 + w * b.1)
    }

    /// Returns whether the curve may come this near to a box; false only if it does not.
    fn meets(&self, area: Box4, near: f64) -> bool {
        let (a, b, c) = (self.start, self.end, self.control);
        a.0.min(b.0).min(c.0) <= area[2] + near
            && a.0.max(b.0).max(c.0) >= area[0] - near
            && a.1.min(b.1).min(c.1) <= area[3] + near
            && a.1.max(b.1).max(c.1) >= area[1] - near
    }

    /// Points along the curve, closer together than the size of a node.
    fn points(&self) -> impl Iterator<Item = Point> + '_ {
        let length = (self.end.0 - self.start.0).hypot(self.end.1 - self.start.1);
        let steps = (length / RADIUS).ceil().clamp(12.0, 200.0);
        (0..=steps as u32).map(move |i| self.at(f64::from(i) / steps))
    }
}

/// The box of a node with its name below.
fn node_box(kind: NodeKind, name: &str) -> Box4 {
    let (half, tall) = match kind {
        NodeKind::Place => (RADIUS, RADIUS),
        NodeKind::Transition => BAR,
    };
    let wide = half.max(width(&fit(name, NAME, WIDEST), NAME) / 2.0) + 4.0;
    [wide, tall + 4.0, wide, tall + BELOW + 6.0]
}

/// The vector of length 1 in this direction.
pub(crate) fn unit(dx: f64, dy: f64) -> Point {
    let length = dx.hypot(dy).max(1e-9);
    (dx / length, dy / length)
}

/// Escapes a text for a quoted string of Graphviz.
pub(crate) fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// The point where a line from this direction meets the border of a node.
fn border(kind: NodeKind, (x, y): Point, (dx, dy): Point) -> Point {
    let back = match kind {
        NodeKind::Place => RADIUS + 1.0,
        NodeKind::Transition => {
            let (w, h) = (BAR.0 + 1.0, BAR.1 + 1.0);
            (w / dx.abs().max(1e-9)).min(h / dy.abs().max(1e-9))
        }
    };
    (x - back * dx, y - back * dy)
}

/// The path of an arrow head with its tip at this position.
pub(crate) fn head((x, y): Point, (dx, dy): Point) -> String {
    let (back, side) = (8.0, 3.4);
    let (bx, by) = (x - back * dx, y - back * dy);
    let left = (bx - side * dy, by + side * dx);
    let right = (bx + side * dy, by - side * dx);
    format!("M{}L{}L{}Z", xy((x, y)), xy(left), xy(right))
}

fn meet(a: Box4, b: Box4) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Returns whether a line passes through a box.
fn passes(line: &Line, area: Box4) -> bool {
    let inside = |(x, y): Point| area[0] <= x && x <= area[2] && area[1] <= y && y <= area[3];
    line.meets(area, 0.0) && line.points().any(inside)
}

/// Positions of up to five tokens, as on a die; the page has the same table.
const DIE: [&[Point]; 6] = [
    &[],
    &[(0.0, 0.0)],
    &[(-4.5, 0.0), (4.5, 0.0)],
    &[(0.0, -5.0), (-5.0, 4.0), (5.0, 4.0)],
    &[(-4.5, -4.5), (4.5, -4.5), (-4.5, 4.5), (4.5, 4.5)],
    &[
        (-6.0, -6.0),
        (6.0, -6.0),
        (0.0, 0.0),
        (-6.0, 6.0),
        (6.0, 6.0),
    ],
];

/// Draws a few dots, or a number.
fn tokens(svg: &mut Svg, (x, y): Point, count: i64) {
    match usize::try_from(count).ok().and_then(|count| DIE.get(count)) {
        Some(dots) => {
            for (dx, dy) in *dots {
                svg.circle((x + dx, y + dy), 3.1, "");
            }
        }
        None => {
            let text = count.to_string();
            let size = if text.len() > 3 { 8.0 } else { SIZE };
            let text = fit(&text, size, 2.0 * RADIUS + 6.0);
            let style = TextStyle::new(Anchor::Middle, size, "");
            svg.mark((x, y + 0.36 * size), style, &text);
        }
    }
}

impl NetPicture {
    /// The drawing in Graphviz format, with positions (for `neato -n`).
    pub fn dot(&self, title: &str) -> String {
        let quoted = |text: &str| quoted(text).replace('\n', " ");
        let (_, height) = self.size();
        let mut out = format!("digraph {{\n  label=\"{}\"; labelloc=t;\n", quoted(title));
        for (i, (node, (x, y))) in self.net.nodes.iter().zip(&self.points).enumerate() {
            let name = quoted(&node.name);
            let at = format!("pos=\"{},{}\"", n(*x), n(height - y));
            let shape = match node.kind {
                NodeKind::Place => "circle, width=0.4",
                NodeKind::Transition => "box, width=0.3, height=0.3",
            };
            let tokens = match node.tokens {
                1.. => node.tokens.to_string(),
                _ => String::new(),
            };
            let _ = writeln!(
                out,
                "  n{i} [shape={shape}, fixedsize=true, label=\"{tokens}\", xlabel=\"{name}\", {at}];"
            );
        }
        for arc in &self.net.arcs {
            let both = if arc.tests { ", dir=both" } else { "" };
            let (from, to, label) = (arc.from.0, arc.to.0, quoted(&arc.label));
            let _ = writeln!(out, "  n{from} -> n{to} [label=\"{label}\"{both}];");
        }
        out.push_str("}\n");
        out
    }
}
