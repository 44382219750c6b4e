//! Layout of nets by stress minimisation with stochastic gradient descent.
//!
//! Distances in the drawing should equal distances in the graph. With `d` the number of arcs
//! between two nodes and `w = 1/d²`, the *stress* of a drawing is
//!
//! ```text
//! Σ w(i,j) · (|x(i) − x(j)| − ℓ·d(i,j))²        over all pairs i < j
//! ```
//!
//! Gradient descent on one pair at a time, in random order and with exponentially decreasing steps,
//! converges in about thirty rounds (Zheng, Pawar, Goodman: *Graph drawing by stochastic gradient
//! descent*, IEEE TVCG 2019). The result depends on the start, so several fixed seeds are tried.
//! The drawing with the fewest crossings wins, with a penalty for arcs through other nodes, and is
//! rotated to the horizontal. Cost: rounds × n² per start, and counting its crossings. The first
//! start may take half of the time left; further ones are tried until that half has passed.

use crate::share::{Poll, part};
use crate::{Point, SEEDS};
use lariat_budget::{Budget, Stop};
use lariat_random::Random;
use std::collections::VecDeque;

/// Rounds of the descent; the paper recommends fifteen for appearance and thirty for convergence.
const ROUNDS: i32 = 30;
/// The last step, relative to the error of a pair's distance.
const LAST_STEP: f64 = 0.02;
/// Limit on pairs times starts: large graphs get fewer starts.
const PAIRS: usize = 2_000_000;
/// Limit on the pairs of arcs whose crossings are counted; larger drawings are compared by stress.
const CROSSINGS: usize = 4_000_000;

/// Weight of an arc through a node, relative to a crossing: it is more misleading.
const THROUGH: usize = 3;
/// Distance from the centre of a node within which an arc seems to pass through it.
const NEAR: f64 = 20.0;

/// A position for each of `n` connected nodes, with neighbours about `length` apart.
pub(crate) fn layout(
    n: usize,
    edges: &[(usize, usize)],
    length: f64,
    budget: &Budget,
) -> Result<Vec<Point>, Stop> {
    if n <= 1 {
        return Ok(vec![(0.0, 0.0); n]);
    }
    let half = part(budget, 0.5);
    let pairs = n * (n - 1) / 2;
    let mut lease = budget.lease();
    let bytes = n * n * size_of::<f64>() + pairs * size_of::<(u32, u32)>();
    lease.resize(bytes)?;
    let distances = distances(n, edges, &half)?;
    let starts = (PAIRS / pairs).clamp(1, SEEDS);
    let mut best: Option<((usize, f64), Vec<Point>)> = None;
    for seed in 0..starts {
        match attempt(n, edges, &distances, (seed as u64, NEAR / length), &half) {
            Ok(drawn) if best.as_ref().is_none_or(|best| drawn.0 < best.0) => best = Some(drawn),
            Err(stop) if best.is_none() => return Err(stop),
            Err(_) => break,
            Ok(_) => {}
        }
    }
    let mut points = best.map(|(_, points)| points).unwrap_or_default();
    rotate(&mut points);
    for (x, y) in &mut points {
        (*x, *y) = (*x * length, *y * length);
    }
    Ok(points)
}

/// The drawing from one seed, with its cost: crossings, then stress.
fn attempt(
    n: usize,
    edges: &[(usize, usize)],
    distances: &[f64],
    (seed, near): (u64, f64),
    budget: &Budget,
) -> Result<((usize, f64), Vec<Point>), Stop> {
    let mut poll = Poll::new(budget);
    let points = descend(n, distances, &mut Random::new(seed), &mut poll)?;
    let bad = if edges.len() * edges.len() <= CROSSINGS {
        crossings(&points, edges, &mut poll)? + THROUGH * passes(&points, edges, near, &mut poll)?
    } else {
        0
    };
    Ok(((bad, stress(&points, distances, &mut poll)?), points))
}

/// The neighbours of every node, once per edge.
pub(crate) fn neighbours(n: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut near = vec![Vec::new(); n];
    for (a, b) in edges {
        near[*a].push(*b);
        near[*b].push(*a);
    }
    near
}

/// The distances between all nodes, row by row; unconnected nodes have distance `n`.
fn distances(n: usize, edges: &[(usize, usize)], budget: &Budget) -> Result<Vec<f64>, Stop> {
    let near = neighbours(n, edges);
    let mut poll = Poll::new(budget);
    let mut all = Vec::with_capacity(n * n);
    let mut queue = VecDeque::new();
    for start in 0..n {
        poll.spend(n + edges.len())?;
        all.resize((start + 1) * n, n as f64);
        let row = &mut all[start * n..];
        row[start] = 0.0;
        queue.push_back(start);
        while let Some(node) = queue.pop_front() {
            for next in &near[node] {
                if *next != start && row[*next] == n as f64 {
                    row[*next] = row[node] + 1.0;
                    queue.push_back(*next);
                }
            }
        }
    }
    Ok(all)
}

fn descend(
    n: usize,
    distances: &[f64],
    random: &mut Random,
    poll: &mut Poll<'_>,
) -> Result<Vec<Point>, Stop> {
    let unit = |random: &mut Random| random.below(1_000_000_u32) as f64 / 1e6;
    let side = (n as f64).sqrt();
    let mut points: Vec<Point> = (0..n)
        .map(|_| (side * unit(random), side * unit(random)))
        .collect();
    let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(n * (n - 1) / 2);
    for i in 0..n as u32 {
        poll.spend(i as usize / 8)?;
        pairs.extend((0..i).map(|j| (i, j)));
    }
    let farthest = distances.iter().copied().fold(1.0, f64::max);
    // Steps are relative to the weights: from the inverse of the smallest to a part of the largest.
    let (first, last) = (farthest * farthest, LAST_STEP);
    let decay = (last / first).ln() / f64::from(ROUNDS - 1);
    for round in 0..ROUNDS {
        let step = first * (decay * f64::from(round)).exp();
        for last in (1..pairs.len()).rev() {
            poll.spend(1)?;
            pairs.swap(last, random.below(last + 1));
        }
        for (i, j) in &pairs {
            poll.spend(1)?;
            let (i, j) = (*i as usize, *j as usize);
            let d = distances[i * n + j];
            let mu = (step / (d * d)).min(1.0);
            let (dx, dy) = (points[i].0 - points[j].0, points[i].1 - points[j].1);
            let length = dx.hypot(dy).max(1e-9);
            let move_by = mu * (length - d) / 2.0 / length;
            points[i].0 -= move_by * dx;
            points[i].1 -= move_by * dy;
            points[j].0 += move_by * dx;
            points[j].1 += move_by * dy;
        }
    }
    Ok(points)
}

fn stress(points: &[Point], distances: &[f64], poll: &mut Poll<'_>) -> Result<f64, Stop> {
    let n = points.len();
    let mut sum = 0.0;
    for i in 0..n {
        poll.spend(i)?;
        for j in 0..i {
            let d = distances[i * n + j];
            let length = (points[i].0 - points[j].0).hypot(points[i].1 - points[j].1);
            sum += ((length - d) / d).powi(2);
        }
    }
    Ok(sum)
}

/// The number of crossing pairs of straight edges, except those that share an end.
pub(crate) fn crossings(
    points: &[Point],
    edges: &[(usize, usize)],
    poll: &mut Poll<'_>,
) -> Result<usize, Stop> {
    let side = |a: Point, b: Point, c: Point| (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
    let mut count = 0;
    for (i, (a, b)) in edges.iter().enumerate() {
        poll.spend(i)?;
        let (p, q) = (points[*a], points[*b]);
        for (c, d) in &edges[..i] {
            if a == c || a == d || b == c || b == d {
                continue;
            }
            let (r, s) = (points[*c], points[*d]);
            let apart = p.0.max(q.0) < r.0.min(s.0)
                || r.0.max(s.0) < p.0.min(q.0)
                || p.1.max(q.1) < r.1.min(s.1)
                || r.1.max(s.1) < p.1.min(q.1);
            if !apart && side(p, q, r) * side(p, q, s) < 0.0 && side(r, s, p) * side(r, s, q) < 0.0
            {
                count += 1;
            }
        }
    }
    Ok(count)
}

/// The number of edges that pass within `near` of another node.
fn passes(
    points: &[Point],
    edges: &[(usize, usize)],
    near: f64,
    poll: &mut Poll<'_>,
) -> Result<usize, Stop> {
    let through = |(a, b): &(usize, usize)| {
        poll.spend(points.len())?;
        let (p, q) = (points[*a], points[*b]);
        let (dx, dy) = (q.0 - p.0, q.1 - p.1);
        let length = dx.hypot(dy).max(1e-9);
        let (ux, uy) = (dx / length, dy / length);
        let hit = |(i, r): &(usize, &Point)| {
            let (x, y) = (r.0 - p.0, r.1 - p.1);
            let along = x * ux + y * uy;
            i != a && i != b && along > 0.0 && along < length && (y * ux - x * uy).abs() < near
        };
        Ok(points.iter().enumerate().filter(hit).count())
    };
    edges.iter().map(through).sum()
}

/// Rotates a drawing so that its longest extent is horizontal, with the first node on the left.
fn rotate(points: &mut [Point]) {
    let n = points.len() as f64;
    let (mx, my) = points
        .iter()
        .fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in points.iter() {
        let (dx, dy) = (x - mx, y - my);
        (xx, xy, yy) = (xx + dx * dx, xy + dx * dy, yy + dy * dy);
    }
    let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
    let (mut cos, mut sin) = (angle.cos(), angle.sin());
    let first = points[0];
    if (first.0 - mx) * cos + (first.1 - my) * sin > 0.0 {
        (cos, sin) = (-cos, -sin);
    }
    for (x, y) in points {
        let (dx, dy) = (*x - mx, *y - my);
        (*x, *y) = (dx * cos + dy * sin, dy * cos - dx * sin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_near_and_a_ring_does_not_cross_itself() {
        let n = 24;
        let ring: Vec<_> = (0..n).map(|i| (i, (i + 1) % n)).collect();
        let budget = Budget::unlimited();
        let points = layout(n, &ring, 50.0, &budget).unwrap();
        assert_eq!(crossings(&points, &ring, &mut Poll::new(&budget)), Ok(0));
        for (a, b) in &ring {
            let length = (points[*a].0 - points[*b].0).hypot(points[*a].1 - points[*b].1);
            assert!((25.0..=90.0).contains(&length), "{length}");
        }
    }

    #[test]
    fn the_same_graph_is_drawn_the_same_way() {
        let path: Vec<_> = (0..9).map(|i| (i, i + 1)).collect();
        let layout = || layout(10, &path, 1.0, &Budget::unlimited()).unwrap();
        let points = layout();
        assert_eq!(points, layout());
        // The first node of a path is left, and the path is horizontal.
        let (low, high) = (points[0].0, points[9].0);
        assert!(low < high && points.iter().all(|(_, y)| y.abs() < high - low));
    }
}
