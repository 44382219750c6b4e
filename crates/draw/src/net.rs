//! Nets as they are drawn: places, transitions and arcs, and the choice of a part of a large net.
//!
//! A coloured net is drawn as written, one `p` for all `p(1,2)`, with terms on its arcs. Of a large
//! net the *neighbourhood* of some nodes is drawn: those that a property mentions and a run
//! changes, and then the nearest ones. A hub, a node with many neighbours, is shown but not
//! expanded, because everything is near to it.

use crate::svg::width;
use crate::{Point, boxes, grid, stress};
use lariat_budget::{Budget, Stop};
use lariat_formats::LoadedModel;
use lariat_model::coloured::{ColouredNet, SortKind, Term, TermKind};
use lariat_model::{System, Transition};
use std::collections::BTreeMap;

/// A node of a [`DrawnNet`]: places come first, then transitions, both in the order of the model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DrawnNodeId(pub u32);

impl DrawnNodeId {
    /// The index in an array over all nodes.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// A circle.
    Place,
    /// A bar.
    Transition,
}

/// A place or a transition.
#[derive(Clone, PartialEq, Debug)]
pub struct DrawnNode {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: NodeKind,
    /// Initial tokens; of a coloured place the sum.
    pub tokens: i64,
    /// The position in the file.
    pub position: Option<Point>,
}

impl DrawnNode {
    fn place(name: &str, tokens: i64) -> DrawnNode {
        DrawnNode {
            name: name.to_owned(),
            kind: NodeKind::Place,
            tokens,
            position: None,
        }
    }

    fn transition(name: &str) -> DrawnNode {
        DrawnNode {
            kind: NodeKind::Transition,
            ..DrawnNode::place(name, 0)
        }
    }
}

/// An arc.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetArc {
    /// The source.
    pub from: DrawnNodeId,
    /// The target.
    pub to: DrawnNodeId,
    /// The weight or term; empty for one token without colour, `○` or `< 2` for an inhibitor arc,
    /// `all` for a reset arc.
    pub label: String,
    /// True for a test arc, which has the same weight in both directions.
    pub tests: bool,
}

impl NetArc {
    fn new(from: DrawnNodeId, to: DrawnNodeId, label: String, tests: bool) -> NetArc {
        NetArc {
            from,
            to,
            label,
            tests,
        }
    }
}

/// A net as it is drawn.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DrawnNet {
    /// Places, then transitions.
    pub nodes: Vec<DrawnNode>,
    /// All arcs.
    pub arcs: Vec<NetArc>,
    /// The number of places among the nodes.
    pub places: usize,
}

/// Limit on the nodes of a net that is drawn as a whole.
pub const WHOLE: usize = 70;
/// Nodes of the smallest part of a large net.
pub const PART: usize = 60;
/// Number of neighbours above which a node is a hub.
const HUB: usize = 12;

impl DrawnNet {
    /// The net of a model, coloured if the model is; `None` if it is no net.
    pub fn of(model: &LoadedModel) -> Option<DrawnNet> {
        let mut net = match model.coloured_net() {
            Some(coloured) => of_coloured(coloured),
            None => of_system(&model.system)?,
        };
        for node in &mut net.nodes {
            node.position = model.positions.get(&node.name).copied();
        }
        Some(net)
    }

    /// The ends of all arcs.
    fn edges(&self) -> Vec<(usize, usize)> {
        let ends = |arc: &NetArc| (arc.from.index(), arc.to.index());
        self.arcs.iter().map(ends).collect()
    }

    /// The neighbours of every node, sorted.
    fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut near = stress::neighbours(self.nodes.len(), &self.edges());
        for near in &mut near {
            near.sort_unstable();
            near.dedup();
        }
        near
    }

    /// The `most` nodes nearest to `seeds`, sorted; see [`DrawnNet::nearest`].
    pub fn neighbourhood(
        &self,
        seeds: &[DrawnNodeId],
        first: &[DrawnNodeId],
        most: usize,
    ) -> Vec<DrawnNodeId> {
        let mut nodes = self.nearest(seeds, first, most);
        nodes.sort_unstable();
        nodes
    }

    /// The `most` nodes nearest to `seeds`, nearest first; among equally near ones those of `first`
    /// come first. Without seeds, `first` are the seeds; without either, the first node.
    pub fn nearest(
        &self,
        seeds: &[DrawnNodeId],
        first: &[DrawnNodeId],
        most: usize,
    ) -> Vec<DrawnNodeId> {
        let near = self.neighbours();
        let flags = |nodes: &[DrawnNodeId]| {
            let mut flags = vec![false; self.nodes.len()];
            for node in nodes {
                flags[node.index()] = true;
            }
            flags
        };
        let touched = flags(first);
        let zero = [DrawnNodeId(0)];
        let start: &[DrawnNodeId] = match (seeds, first) {
            ([], []) => &zero[..self.nodes.len().min(1)],
            ([], first) => first,
            (seeds, _) => seeds,
        };
        let is_start = flags(start);
        let mut chosen = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        let mut ring: Vec<usize> = start.iter().map(|node| node.index()).collect();
        let mut waiting: Vec<usize> = first.iter().map(|node| node.index()).collect();
        let (mut hubs, mut others) = (Vec::new(), 0..self.nodes.len());
        while order.len() < most && !ring.is_empty() {
            ring.sort_by_key(|node| (!touched[*node], near[*node].len() > HUB, *node));
            ring.dedup();
            let mut next = Vec::new();
            for node in ring {
                if order.len() < most && !std::mem::replace(&mut chosen[node], true) {
                    order.push(DrawnNodeId(node as u32));
                    if near[node].len() <= HUB || is_start[node] {
                        next.extend(near[node].iter().filter(|n| !chosen[**n]))
                    } else {
                        hubs.push(node)
                    }
                }
            }
            if next.is_empty() {
                // First an unconnected part of the run, then nodes beyond hubs, then any others.
                next = std::mem::take(&mut waiting);
                next.retain(|node| !chosen[*node]);
            }
            if next.is_empty() {
                let behind = hubs.drain(..).flat_map(|hub: usize| &near[hub]);
                next.extend(behind.filter(|node| !chosen[**node]));
            }
            if next.is_empty() {
                next.extend(others.find(|node| !chosen[*node]));
            }
            ring = next;
        }
        order
    }

    /// The part of the net with these sorted nodes, and the arcs between them.
    #[must_use]
    pub fn part(&self, nodes: &[DrawnNodeId]) -> DrawnNet {
        let mut new = vec![None; self.nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            new[node.index()] = Some(DrawnNodeId(i as u32));
        }
        let arcs = self.arcs.iter().filter_map(|arc| {
            let (from, to) = (new[arc.from.index()]?, new[arc.to.index()]?);
            Some(NetArc {
                from,
                to,
                ..arc.clone()
            })
        });
        let indices = nodes.iter().map(|node| node.index());
        DrawnNet {
            places: indices.clone().filter(|i| *i < self.places).count(),
            nodes: indices.map(|i| self.nodes[i].clone()).collect(),
            arcs: arcs.collect(),
        }
    }

    /// Positions without overlap: those of the file if all are distinct, otherwise by stress.
    pub(crate) fn layout(
        &self,
        boxes: &[boxes::Box4],
        budget: &Budget,
    ) -> Result<Vec<Point>, Stop> {
        let edges = self.edges();
        let length = self.length(boxes);
        if let Some(mut points) = self.given() {
            boxes::stretch(&mut points, boxes, &edges, length, budget)?;
            return Ok(points);
        }
        let near = stress::neighbours(self.nodes.len(), &edges);
        let groups = connected(&near);
        let mut points = vec![(0.0, 0.0); self.nodes.len()];
        let mut local = vec![0; self.nodes.len()];
        for group in &groups {
            for (i, node) in group.iter().enumerate() {
                local[*node] = i;
            }
            // Every edge is listed at both ends; it is taken at the smaller one.
            let ends = |a: &usize| {
                let later = near[*a].iter().filter(move |b| a < b);
                later.map(|b| (local[*a], local[*b])).collect::<Vec<_>>()
            };
            let edges: Vec<_> = group.iter().flat_map(ends).collect();
            let mut placed = stress::layout(group.len(), &edges, length, budget)?;
            let own: Vec<boxes::Box4> = group.iter().map(|node| boxes[*node]).collect();
            boxes::separate(&mut placed, &own, budget)?;
            for (node, point) in group.iter().zip(placed) {
                points[*node] = point;
            }
        }
        if groups.len() > 1 {
            boxes::pack(&groups, &mut points, boxes, 2.0 * length / 3.0);
        }
        Ok(points)
    }

    /// The layout for when the budget has ended: a grid.
    pub(crate) fn simple_layout(&self, boxes: &[boxes::Box4]) -> Vec<Point> {
        let near = stress::neighbours(self.nodes.len(), &self.edges());
        grid::layout(boxes, &grid::breadth_first(&near))
    }

    /// The target length of arcs: longer if there is more text.
    fn length(&self, boxes: &[boxes::Box4]) -> f64 {
        let names: f64 = boxes.iter().map(|b| b[0] + b[2]).sum();
        let names = names / boxes.len().max(1) as f64;
        let label = |arc: &NetArc| width(&arc.label, 10.0).min(MAX_LENGTH);
        let labels = self.arcs.iter().map(label).sum::<f64>() / self.arcs.len().max(1) as f64;
        (0.6 * names + labels + 34.0).clamp(MIN_LENGTH, MAX_LENGTH)
    }

    /// The positions of the file, if all nodes have one and no two are equal.
    fn given(&self) -> Option<Vec<Point>> {
        let points: Option<Vec<Point>> = self.nodes.iter().map(|node| node.position).collect();
        let points = points?;
        let mut sorted = points.clone();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let apart = |pair: &[Point]| pair[0] != pair[1];
        (!points.is_empty() && sorted.windows(2).all(apart)).then_some(points)
    }
}

/// Range of arc lengths: with short labels, and with long ones.
const MIN_LENGTH: f64 = 62.0;
const MAX_LENGTH: f64 = 120.0;

/// The connected components, each sorted.
fn connected(near: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut seen = vec![false; near.len()];
    let mut groups = Vec::new();
    for start in 0..near.len() {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut group = vec![start];
        let mut next = 0;
        while let Some(node) = group.get(next).copied() {
            next += 1;
            for other in &near[node] {
                if !std::mem::replace(&mut seen[*other], true) {
                    group.push(*other);
                }
            }
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}

fn of_system(system: &System) -> Option<DrawnNet> {
    if !system.has_places_only() {
        return None;
    }
    let initial = system.initial.first()?;
    let places = system.variables.iter().zip(initial);
    let mut nodes: Vec<DrawnNode> = places
        .map(|(variable, tokens)| DrawnNode::place(&variable.name, *tokens))
        .collect();
    let places = nodes.len();
    let mut arcs = Vec::new();
    for event in &system.events {
        let here = DrawnNodeId(nodes.len() as u32);
        nodes.push(DrawnNode::transition(&event.name));
        let Transition {
            arcs: list,
            inhibitors,
            resets,
        } = Transition::of(&event.action)?;
        let label = |weight: i64| match weight {
            1 => String::new(),
            _ => weight.to_string(),
        };
        for (var, bound) in inhibitors {
            let label = match bound {
                1 => "○".to_owned(),
                bound => format!("< {bound}"),
            };
            arcs.push(NetArc::new(DrawnNodeId(var.0), here, label, false));
        }
        for (var, made) in resets {
            let place = DrawnNodeId(var.0);
            arcs.push(NetArc::new(place, here, "all".to_owned(), false));
            if made > 0 {
                arcs.push(NetArc::new(here, place, label(made), false));
            }
        }
        for arc in list {
            let (place, made) = (DrawnNodeId(arc.var.0), arc.need + arc.delta);
            let tests = arc.need > 0 && made == arc.need;
            if arc.need > 0 {
                arcs.push(NetArc::new(place, here, label(arc.need), tests));
            }
            if made > 0 && !tests {
                arcs.push(NetArc::new(here, place, label(made), false));
            }
        }
    }
    Some(DrawnNet {
        nodes,
        arcs,
        places,
    })
}

fn of_coloured(net: &ColouredNet) -> DrawnNet {
    let marking = net.initial_marking().ok();
    let tokens = |i: usize| -> i64 {
        let place = marking.as_ref().and_then(|m| m.tokens.get(i));
        place.map_or(0, |tokens| {
            tokens.values().fold(0, |sum, n| sum.saturating_add(*n))
        })
    };
    let places = net.places.iter().enumerate();
    let mut nodes: Vec<DrawnNode> = places
        .map(|(i, place)| DrawnNode::place(&place.name, tokens(i)))
        .collect();
    let places = nodes.len();
    let mut arcs = Vec::new();
    for transition in &net.transitions {
        let here = DrawnNodeId(nodes.len() as u32);
        nodes.push(DrawnNode::transition(&transition.name));
        // Several arcs between the same two nodes are merged, with the sum of their terms.
        let (mut taken, mut made) = (BTreeMap::new(), BTreeMap::new());
        for (arcs, sums) in [
            (&transition.inputs, &mut taken),
            (&transition.outputs, &mut made),
        ] {
            for arc in arcs {
                let sum: &mut String = sums.entry(arc.place.0).or_default();
                if !sum.is_empty() {
                    sum.push_str(" + ");
                }
                sum.push_str(&term_text(net, &arc.term));
            }
        }
        for (place, label) in taken {
            let tests = made.get(&place) == Some(&label);
            if tests {
                made.remove(&place);
            }
            arcs.push(NetArc::new(DrawnNodeId(place), here, label, tests));
        }
        for (place, label) in made {
            arcs.push(NetArc::new(here, DrawnNodeId(place), label, false));
        }
    }
    DrawnNet {
        nodes,
        arcs,
        places,
    }
}

/// A term in usual notation: `x`, `2'(x, y)`, `x++`; of a place without colours the number.
fn term_text(net: &ColouredNet, term: &Term) -> String {
    let list = |terms: &[Term], between: &str| -> String {
        let parts: Vec<String> = terms.iter().map(|term| term_text(net, term)).collect();
        parts.join(between)
    };
    let is_dot = net.sort(term.sort).kind == SortKind::Dot;
    match &term.kind {
        TermKind::Constant(_) | TermKind::All if is_dot => String::new(),
        TermKind::Scaled(1, inner) => term_text(net, inner),
        TermKind::Scaled(n, inner) if is_dot && term_text(net, inner).is_empty() => n.to_string(),
        TermKind::Variable(variable) => net.variable(*variable).name.clone(),
        TermKind::Constant(colour) => net.colour_name(term.sort, *colour),
        TermKind::Successor(inner) => format!("{}++", term_text(net, inner)),
        TermKind::Predecessor(inner) => format!("{}−−", term_text(net, inner)),
        TermKind::Tuple(parts) => format!("({})", list(parts, ", ")),
        TermKind::All => "all".to_owned(),
        TermKind::Members(colours) => {
            let names = colours.iter().map(|c| net.colour_name(term.sort, *c));
            format!("{{{}}}", names.collect::<Vec<_>>().join(", "))
        }
        TermKind::Scaled(n, inner) => format!("{n}'{}", term_text(net, inner)),
        TermKind::Add(parts) => list(parts, " + "),
        TermKind::Subtract(parts) => list(parts, " − "),
    }
}
