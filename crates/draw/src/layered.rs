//! Layered layout of automata and state spaces.
//!
//! The algorithm of Sugiyama, Tagawa and Toda (*Methods for visual understanding of hierarchical
//! system structures*, IEEE TSMC 1981), from left to right:
//!
//! 1. edges that close a cycle are reversed;
//! 2. every node gets a *rank*, by longest paths, and every edge spans at least two, so that its
//!    label has a rank of its own;
//! 3. long edges become chains of dummies, one per rank;
//! 4. ranks are ordered by the barycentres of their neighbours, in alternating sweeps, and the
//!    order with the fewest crossings is kept;
//! 5. within its rank every node moves as near to its neighbours as order and distances allow. This
//!    is least squares under `y(i+1) − y(i) ≥ gap(i)`, which isotonic regression (pool adjacent
//!    violators) solves exactly and in linear time.
//!
//! Existing layout crates add nested graphs and ports, which a few dozen states do not need, and
//! panic on some graphs. Cost: sweeps × edges × log.

use crate::Point;
use crate::share::Poll;
use lariat_budget::{Budget, Stop};

/// The size of a node: its width along the ranks, and its extent above and below the centre.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeSize {
    pub width: f64,
    pub above: f64,
    pub below: f64,
}

/// An edge between two different nodes, with the size of its label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeSize {
    pub from: usize,
    pub to: usize,
    pub label: (f64, f64),
}

impl EdgeSize {
    /// The ends from left to right.
    fn ends(&self, reversed: bool) -> (usize, usize) {
        if reversed {
            (self.to, self.from)
        } else {
            (self.from, self.to)
        }
    }
}

/// The polyline of an edge from centre to centre, and the middle of its label's base.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub points: Vec<Point>,
    pub label: Point,
}

/// Positions of all nodes, and routes of all edges.
pub(crate) struct Layers {
    pub nodes: Vec<Point>,
    pub routes: Vec<Route>,
}

/// Sweeps of the ordering, which rarely changes after a dozen.
const SWEEPS: usize = 24;
/// Sweeps of the coordinates.
const SETTLING: usize = 16;
/// Distance of neighbours in a rank: of nodes, and of dummies.
const NODE_GAP: f64 = 22.0;
const DUMMY_GAP: f64 = 9.0;
/// Distance of two ranks.
const RANK_GAP: f64 = 26.0;
/// Weight of the link between two dummies, relative to 1 for a node and an edge: straight edges.
const STRAIGHT: f64 = 6.0;
/// Weight of the link between a node and a reversed edge: forward edges are straight instead.
const BACK: f64 = 0.1;

/// Memory per cell, with its links, positions and orders.
const CELL_BYTES: usize = 256;

/// A cell of a rank: a node or a dummy.
#[derive(Clone, Copy, Debug)]
struct Cell {
    size: NodeSize,
    is_node: bool,
    /// True for a dummy of a reversed edge.
    leads_back: bool,
}

/// Nodes and dummies with the links between adjacent ranks.
struct Chains {
    cells: Vec<Cell>,
    rank: Vec<usize>,
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
    /// The cells of every edge, first to last, and the one with the label.
    ways: Vec<(Vec<usize>, usize)>,
}

/// Lays out a graph. `levels`, if given, are the ranks; edges must then lead to a larger one.
pub(crate) fn layout(
    nodes: &[NodeSize],
    edges: &[EdgeSize],
    levels: Option<&[usize]>,
    budget: &Budget,
) -> Result<Layers, Stop> {
    let mut poll = Poll::new(budget);
    let reversed = match levels {
        Some(_) => vec![false; edges.len()],
        None => closing(nodes.len(), edges),
    };
    let ranks = match levels {
        Some(levels) => levels.iter().map(|level| 2 * level).collect(),
        None => ranks(nodes.len(), edges, &reversed),
    };
    // Long edges have a dummy per rank: there may be many more dummies than edges.
    let spans = edges.iter().map(|e| ranks[e.from].abs_diff(ranks[e.to]));
    let cells = nodes.len() + spans.sum::<usize>();
    let mut lease = budget.lease();
    lease.resize(cells.saturating_mul(CELL_BYTES))?;
    let chains = Chains::new(nodes, edges, &reversed, &ranks, &mut poll)?;
    let layers = order(&chains, &mut poll)?;
    let across = settle(&chains, &layers, &mut poll)?;
    let along = columns(&chains, &layers);
    let at = |cell: usize| (along[chains.rank[cell]], across[cell]);
    let route = |(k, (way, label)): (usize, &(Vec<usize>, usize))| {
        // The route is horizontal below its label.
        let mut points: Vec<Point> = Vec::with_capacity(way.len() + 1);
        for cell in way {
            let ((x, y), Cell { size, is_node, .. }) = (at(*cell), &chains.cells[*cell]);
            if !is_node && size.width > 0.0 {
                points.extend([(x - size.width / 2.0, y), (x + size.width / 2.0, y)])
            } else {
                points.push((x, y))
            }
        }
        if reversed[k] {
            points.reverse();
        }
        let label = at(*label);
        Route { points, label }
    };
    Ok(Layers {
        nodes: (0..nodes.len()).map(at).collect(),
        routes: chains.ways.iter().enumerate().map(route).collect(),
    })
}

/// For each edge whether it closes a cycle of a depth-first search.
fn closing(n: usize, edges: &[EdgeSize]) -> Vec<bool> {
    let mut out = vec![Vec::new(); n];
    for (k, edge) in edges.iter().enumerate() {
        out[edge.from].push(k);
    }
    let mut reversed = vec![false; edges.len()];
    let (mut seen, mut open) = (vec![false; n], vec![false; n]);
    for start in 0..n {
        if seen[start] {
            continue;
        }
        let mut stack = vec![(start, 0)];
        (seen[start], open[start]) = (true, true);
        while let Some((node, next)) = stack.last_mut() {
            match out[*node].get(*next) {
                Some(k) => {
                    *next += 1;
                    let to = edges[*k].to;
                    reversed[*k] = open[to];
                    if !seen[to] {
                        (seen[to], open[to]) = (true, true);
                        stack.push((to, 0));
                    }
                }
                None => {
                    open[*node] = false;
                    stack.pop();
                }
            }
        }
    }
    reversed
}

/// Ranks by longest paths; then sources move as near to their successors as possible.
fn ranks(n: usize, edges: &[EdgeSize], reversed: &[bool]) -> Vec<usize> {
    let (mut out, mut missing) = (vec![Vec::new(); n], vec![0; n]);
    for (edge, reversed) in edges.iter().zip(reversed) {
        let (from, to) = edge.ends(*reversed);
        out[from].push(to);
        missing[to] += 1;
    }
    let is_source: Vec<bool> = missing.iter().map(|m| *m == 0).collect();
    let mut rank = vec![0_usize; n];
    let mut ready: Vec<usize> = (0..n).filter(|i| is_source[*i]).collect();
    while let Some(node) = ready.pop() {
        for to in &out[node] {
            rank[*to] = rank[*to].max(rank[node] + 2);
            missing[*to] -= 1;
            if missing[*to] == 0 {
                ready.push(*to);
            }
        }
    }
    // The first node stays leftmost, where reading starts.
    for node in (1..n).filter(|i| is_source[*i]) {
        if let Some(nearest) = out[node].iter().map(|to| rank[*to]).min() {
            rank[node] = nearest.saturating_sub(2);
        }
    }
    rank
}

impl Chains {
    fn new(
        nodes: &[NodeSize],
        edges: &[EdgeSize],
        reversed: &[bool],
        ranks: &[usize],
        poll: &mut Poll<'_>,
    ) -> Result<Chains, Stop> {
        let cell = |size: &NodeSize| Cell {
            size: *size,
            is_node: true,
            leads_back: false,
        };
        let mut chains = Chains {
            cells: nodes.iter().map(cell).collect(),
            rank: ranks.to_vec(),
            before: vec![Vec::new(); nodes.len()],
            after: vec![Vec::new(); nodes.len()],
            ways: Vec::with_capacity(edges.len()),
        };
        for (edge, reversed) in edges.iter().zip(reversed) {
            let (from, to) = edge.ends(*reversed);
            let (low, high) = (ranks[from], ranks[to].max(ranks[from] + 1));
            let middle = low + (high - low) / 2;
            poll.spend(8 * (high - low))?;
            let (mut way, mut label) = (vec![from], from);
            for rank in low + 1..high {
                let dummy = chains.cells.len();
                let (mut width, mut above) = (0.0, 0.0);
                if rank == middle {
                    (label, (width, above)) = (dummy, edge.label);
                }
                let below = 0.0;
                chains.cells.push(Cell {
                    size: NodeSize {
                        width,
                        above,
                        below,
                    },
                    is_node: false,
                    leads_back: *reversed,
                });
                chains.rank.push(rank);
                chains.before.push(Vec::new());
                chains.after.push(Vec::new());
                way.push(dummy);
            }
            way.push(to);
            for pair in way.windows(2) {
                chains.after[pair[0]].push(pair[1]);
                chains.before[pair[1]].push(pair[0]);
            }
            chains.ways.push((way, label));
        }
        Ok(chains)
    }
}

/// The order of every rank: the best of several barycentre sweeps.
fn order(chains: &Chains, poll: &mut Poll<'_>) -> Result<Vec<Vec<usize>>, Stop> {
    let count = chains.rank.iter().max().map_or(0, |most| most + 1);
    let mut layers = vec![Vec::new(); count];
    // The initial order is breadth-first, which places connected cells together.
    let mut seen = vec![false; chains.cells.len()];
    for start in 0..chains.cells.len() {
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(cell) = queue.pop_front() {
            if !std::mem::replace(&mut seen[cell], true) {
                layers[chains.rank[cell]].push(cell);
                queue.extend(chains.after[cell].iter().chain(&chains.before[cell]));
            }
        }
    }
    let mut place = vec![0; chains.cells.len()];
    let number = |layer: &[usize], place: &mut [usize]| {
        for (i, cell) in layer.iter().enumerate() {
            place[*cell] = i;
        }
    };
    for layer in &layers {
        number(layer, &mut place);
    }
    let mut best = (crossings(chains, &layers, &place, poll)?, layers.clone());
    for sweep in 0..SWEEPS {
        let forth = sweep % 2 == 0;
        let near = if forth { &chains.before } else { &chains.after };
        for step in 0..count {
            let layer = if forth { step } else { count - 1 - step };
            poll.spend(4 * layers[layer].len())?;
            let key = |cell: &usize| match &near[*cell][..] {
                [] => place[*cell] as f64,
                near => near.iter().map(|c| place[*c] as f64).sum::<f64>() / near.len() as f64,
            };
            let cells = layers[layer].iter();
            let mut sorted: Vec<(f64, usize)> = cells.map(|cell| (key(cell), *cell)).collect();
            sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
            layers[layer] = sorted.into_iter().map(|(_, cell)| cell).collect();
            number(&layers[layer], &mut place);
        }
        let crossed = crossings(chains, &layers, &place, poll)?;
        if crossed < best.0 {
            best = (crossed, layers.clone());
        }
    }
    Ok(best.1)
}

/// The number of crossing links, over all adjacent ranks.
fn crossings(
    chains: &Chains,
    layers: &[Vec<usize>],
    place: &[usize],
    poll: &mut Poll<'_>,
) -> Result<usize, Stop> {
    let mut count = 0;
    for layer in layers {
        let mut ends: Vec<(usize, usize)> = Vec::new();
        for cell in layer {
            let after = chains.after[*cell].iter();
            ends.extend(after.map(|to| (place[*cell], place[*to])));
        }
        ends.sort_unstable();
        // Counts inversions of the second ends, by insertion into a sorted list.
        let mut sorted: Vec<usize> = Vec::with_capacity(ends.len());
        for (_, to) in ends {
            let at = sorted.partition_point(|other| *other <= to);
            count += sorted.len() - at;
            poll.spend(1 + (sorted.len() - at) / 8)?;
            sorted.insert(at, to);
        }
    }
    Ok(count)
}

/// The distance between the centres of two adjacent cells.
fn gap(a: &Cell, b: &Cell) -> f64 {
    let gap = if a.is_node || b.is_node {
        NODE_GAP
    } else {
        DUMMY_GAP
    };
    a.size.below + gap + b.size.above
}

/// Positions across the ranks.
fn settle(chains: &Chains, layers: &[Vec<usize>], poll: &mut Poll<'_>) -> Result<Vec<f64>, Stop> {
    let mut y = vec![0.0; chains.cells.len()];
    for layer in layers {
        let mut at = 0.0;
        for (i, cell) in layer.iter().enumerate() {
            if i > 0 {
                at += gap(&chains.cells[layer[i - 1]], &chains.cells[*cell]);
            }
            y[*cell] = at;
        }
        for cell in layer {
            y[*cell] -= at / 2.0;
        }
    }
    for sweep in 0..SETTLING {
        for step in 0..layers.len() {
            let layer = match sweep % 2 {
                0 => &layers[step],
                _ => &layers[layers.len() - 1 - step],
            };
            poll.spend(8 * layer.len())?;
            let wishes: Vec<(f64, f64)> = layer
                .iter()
                .map(|cell| {
                    let near = || chains.before[*cell].iter().chain(&chains.after[*cell]);
                    let here = &chains.cells[*cell];
                    let pull = |other: &usize| {
                        let there = &chains.cells[*other];
                        match (here.is_node, there.is_node) {
                            (false, false) => STRAIGHT,
                            _ if here.leads_back || there.leads_back => BACK,
                            _ => 1.0,
                        }
                    };
                    let weight: f64 = near().map(pull).sum();
                    if weight > 0.0 {
                        let sum: f64 = near().map(|c| pull(c) * y[*c]).sum();
                        (sum / weight, weight)
                    } else {
                        (y[*cell], BACK)
                    }
                })
                .collect();
            let gap = |pair: &[usize]| gap(&chains.cells[pair[0]], &chains.cells[pair[1]]);
            let gaps: Vec<f64> = layer.windows(2).map(gap).collect();
            for (cell, at) in layer.iter().zip(spread(&wishes, &gaps)) {
                y[*cell] = at;
            }
        }
    }
    Ok(y)
}

/// The positions nearest to the wishes (position, weight) that keep the gaps: isotonic regression.
fn spread(wishes: &[(f64, f64)], gaps: &[f64]) -> Vec<f64> {
    let mut offset = 0.0;
    // Blocks of equal value: value, weight, length.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::with_capacity(wishes.len());
    let mut offsets = Vec::with_capacity(wishes.len());
    for (i, (wish, weight)) in wishes.iter().enumerate() {
        if i > 0 {
            offset += gaps[i - 1];
        }
        offsets.push(offset);
        blocks.push((wish - offset, *weight, 1));
        while let [.., before, last] = &blocks[..] {
            if before.0 <= last.0 {
                break;
            }
            let weight = before.1 + last.1;
            let value = (before.0 * before.1 + last.0 * last.1) / weight;
            let merged = (value, weight, before.2 + last.2);
            blocks.truncate(blocks.len() - 2);
            blocks.push(merged);
        }
    }
    let values = |(value, _, length)| std::iter::repeat_n(value, length);
    let values = blocks.into_iter().flat_map(values).zip(offsets);
    values.map(|(value, offset)| value + offset).collect()
}

/// Positions of the ranks, spaced by their widest cells.
fn columns(chains: &Chains, layers: &[Vec<usize>]) -> Vec<f64> {
    let mut x = Vec::with_capacity(layers.len());
    let (mut at, mut half) = (0.0, 0.0);
    for (i, layer) in layers.iter().enumerate() {
        let widths = layer.iter().map(|cell| chains.cells[*cell].size.width);
        let width = widths.fold(0.0, f64::max);
        if i > 0 {
            at += half + RANK_GAP + width / 2.0;
        }
        half = width / 2.0;
        x.push(at);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: NodeSize = NodeSize {
        width: 30.0,
        above: 15.0,
        below: 15.0,
    };

    fn edges(pairs: &[(usize, usize)]) -> Vec<EdgeSize> {
        let edge = |(from, to): &(usize, usize)| EdgeSize {
            from: *from,
            to: *to,
            label: (20.0, 10.0),
        };
        pairs.iter().map(edge).collect()
    }

    fn layout(nodes: &[NodeSize], edges: &[EdgeSize]) -> Layers {
        super::layout(nodes, edges, None, &Budget::unlimited()).unwrap()
    }

    #[test]
    fn edges_lead_right_unless_they_close_a_cycle() {
        let pairs = [(0, 1), (1, 2), (2, 0), (0, 3), (3, 2)];
        let layers = layout(&[NODE; 4], &edges(&pairs));
        let x = |i: usize| layers.nodes[i].0;
        assert!(x(0) < x(1) && x(1) < x(2) && x(0) < x(3) && x(3) < x(2));
        // Routes start and end at their nodes, also those of reversed edges.
        for (route, (from, to)) in layers.routes.iter().zip(pairs) {
            assert_eq!(route.points.first(), Some(&layers.nodes[from]));
            assert_eq!(route.points.last(), Some(&layers.nodes[to]));
        }
    }

    #[test]
    fn a_chain_is_straight() {
        let layers = layout(&[NODE; 5], &edges(&[(0, 1), (1, 2), (2, 3), (3, 4)]));
        assert!(layers.nodes.iter().all(|(_, y)| y.abs() < 1e-6));
    }

    #[test]
    fn gaps_are_kept_and_wishes_met_if_possible() {
        assert_eq!(spread(&[(0.0, 1.0), (100.0, 1.0)], &[10.0]), [0.0, 100.0]);
        assert_eq!(spread(&[(5.0, 1.0), (5.0, 1.0)], &[10.0]), [0.0, 10.0]);
        assert_eq!(spread(&[], &[]), [] as [f64; 0]);
    }

    #[test]
    fn a_tree_has_no_crossings() {
        let pairs: Vec<_> = (1..31).map(|i| ((i - 1) / 2, i)).collect();
        let layers = layout(&[NODE; 31], &edges(&pairs));
        let budget = Budget::unlimited();
        let crossed = crate::stress::crossings(&layers.nodes, &pairs, &mut Poll::new(&budget));
        assert_eq!(crossed, Ok(0));
    }
}
