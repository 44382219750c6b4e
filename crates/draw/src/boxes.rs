//! Overlap removal: the last step of layouts that ignore the sizes of nodes.
//!
//! Two overlapping boxes are pushed apart along the axis that needs the smaller move, each by half,
//! until nothing overlaps. If that does not end, all positions are scaled up and pushing starts
//! again. Positions from a file are scaled first, so that their shape is preserved.

use crate::Point;
use crate::share::Poll;
use lariat_budget::{Budget, Stop};

/// Extent of a node to the left, top, right and bottom of its position.
pub(crate) type Box4 = [f64; 4];

/// Rounds of pushing between two enlargements.
const ROUNDS: usize = 60;
/// Limit on the number of enlargements.
const GROWTHS: usize = 40;
/// Factor of an enlargement.
const GROWTH: f64 = 1.12;
/// Limit on scaling a file's positions beyond the usual arc length, for nodes that almost coincide.
const STRETCH: f64 = 3.0;

/// Moves nodes until their boxes do not overlap.
pub(crate) fn separate(points: &mut [Point], boxes: &[Box4], budget: &Budget) -> Result<(), Stop> {
    let mut poll = Poll::new(budget);
    for _ in 0..GROWTHS {
        for _ in 0..ROUNDS {
            if !push(points, boxes, &mut poll)? {
                return Ok(());
            }
        }
        for point in points.iter_mut() {
            *point = (point.0 * GROWTH, point.1 * GROWTH);
        }
    }
    Ok(())
}

/// One round of pushing; returns whether any boxes overlapped.
fn push(points: &mut [Point], boxes: &[Box4], poll: &mut Poll<'_>) -> Result<bool, Stop> {
    poll.spend(points.len())?;
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|a, b| (points[*a].0 - boxes[*a][0]).total_cmp(&(points[*b].0 - boxes[*b][0])));
    let mut moved = false;
    let widest = boxes.iter().map(|b| b[0] + b[2]).fold(0.0, f64::max);
    for (k, i) in order.iter().enumerate() {
        for j in &order[k + 1..] {
            poll.spend(1)?;
            let (p, q, a, b) = (points[*i], points[*j], boxes[*i], boxes[*j]);
            // Nodes may have moved since sorting: only a large distance ends the search.
            if q.0 - b[0] > p.0 + a[2] + widest {
                break;
            }
            let x = (p.0 + a[2]).min(q.0 + b[2]) - (p.0 - a[0]).max(q.0 - b[0]);
            let y = (p.1 + a[3]).min(q.1 + b[3]) - (p.1 - a[1]).max(q.1 - b[1]);
            if x <= 1e-6 || y <= 1e-6 {
                continue;
            }
            moved = true;
            let half = (x.min(y) + 0.1) / 2.0;
            let along = |from: f64, to: f64| if from <= to { half } else { -half };
            let (dx, dy) = if x < y {
                (along(p.0, q.0), 0.0)
            } else {
                (0.0, along(p.1, q.1))
            };
            points[*i] = (p.0 - dx, p.1 - dy);
            points[*j] = (q.0 + dx, q.1 + dy);
        }
    }
    Ok(moved)
}

/// Scales positions to neighbours about `length` apart and boxes that fit, then [`separate`]s them.
pub(crate) fn stretch(
    points: &mut [Point],
    boxes: &[Box4],
    edges: &[(usize, usize)],
    length: f64,
    budget: &Budget,
) -> Result<(), Stop> {
    let mut poll = Poll::new(budget);
    let mut lengths: Vec<f64> = edges
        .iter()
        .map(|(a, b)| (points[*a].0 - points[*b].0).hypot(points[*a].1 - points[*b].1))
        .collect();
    lengths.sort_by(f64::total_cmp);
    // The lower quartile: labels must fit on short arcs, but a few very short ones must not decide.
    let short = lengths.get(lengths.len() / 4).copied().unwrap_or(0.0);
    let usual = if short > 1e-9 { length / short } else { 1.0 };
    let mut factor = usual;
    for (i, (p, a)) in points.iter().zip(boxes).enumerate() {
        poll.spend(i)?;
        for (q, b) in points.iter().zip(boxes).take(i) {
            let wide = if p.0 <= q.0 { a[2] + b[0] } else { a[0] + b[2] };
            let high = if p.1 <= q.1 { a[3] + b[1] } else { a[1] + b[3] };
            let x = wide / (p.0 - q.0).abs().max(1e-9);
            let y = high / (p.1 - q.1).abs().max(1e-9);
            factor = factor.max(x.min(y).min(STRETCH * usual));
        }
    }
    for point in points.iter_mut() {
        *point = (point.0 * factor, point.1 * factor);
    }
    separate(points, boxes, budget)
}

/// Arranges separately laid out groups in rows, about 1.5 times as wide as high in total.
pub(crate) fn pack(groups: &[Vec<usize>], points: &mut [Point], boxes: &[Box4], gap: f64) {
    let extent = |group: &[usize], points: &[Point]| -> Box4 {
        let nothing = [f64::MAX, f64::MAX, f64::MIN, f64::MIN];
        group.iter().fold(nothing, |[x0, y0, x1, y1], i| {
            let ((x, y), [left, up, right, down]) = (points[*i], boxes[*i]);
            let (x0, y0) = (x0.min(x - left), y0.min(y - up));
            [x0, y0, x1.max(x + right), y1.max(y + down)]
        })
    };
    let extents: Vec<Box4> = groups.iter().map(|g| extent(g, points)).collect();
    let area = |e: &Box4| (e[2] - e[0] + gap) * (e[3] - e[1] + gap);
    let area: f64 = extents.iter().map(area).sum();
    let widest = extents.iter().map(|e| e[2] - e[0]).fold(0.0, f64::max);
    let width = (area * 1.5).sqrt().max(widest);
    let mut order: Vec<usize> = (0..groups.len()).collect();
    let height = |k: &usize| extents[*k][3] - extents[*k][1];
    order.sort_by(|a, b| height(b).total_cmp(&height(a)));
    let (mut x, mut y, mut row) = (0.0, 0.0, 0.0_f64);
    for k in order {
        let e = extents[k];
        let (w, h) = (e[2] - e[0], e[3] - e[1]);
        if x > 0.0 && x + w > width {
            (x, y, row) = (0.0, y + row + gap, 0.0);
        }
        for i in &groups[k] {
            points[*i] = (points[*i].0 - e[0] + x, points[*i].1 - e[1] + y);
        }
        x += w + gap;
        row = row.max(h);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_random::Random;

    fn overlap(points: &[Point], boxes: &[Box4]) -> bool {
        let meets = |i: usize, j: usize| {
            let (p, q, a, b) = (points[i], points[j], boxes[i], boxes[j]);
            (p.0 + a[2]).min(q.0 + b[2]) - (p.0 - a[0]).max(q.0 - b[0]) > 1e-6
                && (p.1 + a[3]).min(q.1 + b[3]) - (p.1 - a[1]).max(q.1 - b[1]) > 1e-6
        };
        (0..points.len()).any(|i| (0..i).any(|j| meets(i, j)))
    }

    #[test]
    fn overlapping_boxes_are_separated() {
        let mut random = Random::new(3);
        let budget = Budget::unlimited();
        for n in [2, 10, 60, 200] {
            let mut number = |most: u32| f64::from(random.below(most));
            let points: Vec<Point> = (0..n).map(|_| (number(300), number(300))).collect();
            let boxes: Vec<Box4> = (0..n)
                .map(|_| [10.0 + number(40), 12.0, 10.0 + number(40), 30.0])
                .collect();
            let mut pushed = points.clone();
            separate(&mut pushed, &boxes, &budget).unwrap();
            assert!(!overlap(&pushed, &boxes), "{n}");
            let mut stretched = points;
            stretch(&mut stretched, &boxes, &[(0, 1)], 60.0, &budget).unwrap();
            assert!(!overlap(&stretched, &boxes), "{n}");
        }
    }

    #[test]
    fn equal_positions_are_separated() {
        let mut points = vec![(5.0, 5.0); 30];
        let boxes = vec![[20.0, 10.0, 20.0, 10.0]; 30];
        separate(&mut points, &boxes, &Budget::unlimited()).unwrap();
        assert!(!overlap(&points, &boxes));
    }
}
