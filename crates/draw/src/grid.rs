//! A simple layout in linear time, for when the budget ends: a grid in breadth-first order.
//!
//! Nodes fill columns from top to bottom, in the order of their distance from the first node, so
//! that neighbours are in the same column or in a near one. Columns are as wide as their widest
//! node, rows as high as the highest. Nothing overlaps.

use crate::Point;
use crate::boxes::Box4;
use std::collections::VecDeque;

/// Distance of two columns and of two rows.
const GAP: f64 = 34.0;
/// Width of the drawing relative to its height.
const ASPECT: f64 = 1.6;

/// Positions of nodes with these boxes, in this order.
pub(crate) fn layout(boxes: &[Box4], order: &[usize]) -> Vec<Point> {
    let n = boxes.len().max(1) as f64;
    let mean = boxes.iter().map(|b| b[0] + b[2] + GAP).sum::<f64>() / n;
    let above = boxes.iter().map(|b| b[1]).fold(0.0, f64::max);
    let below = boxes.iter().map(|b| b[3]).fold(0.0, f64::max);
    let high = above + below + GAP;
    let rows = (n * mean / high / ASPECT).sqrt().ceil().max(1.0) as usize;
    let mut points = vec![(0.0, 0.0); boxes.len()];
    let mut left = 0.0;
    for (k, column) in order.chunks(rows).enumerate() {
        let before = column.iter().map(|i| boxes[*i][0]).fold(0.0, f64::max);
        let after = column.iter().map(|i| boxes[*i][2]).fold(0.0, f64::max);
        // Every other column is half a row lower, so that fewer arcs are horizontal.
        let top = if k % 2 == 0 {
            above
        } else {
            above + high / 2.0
        };
        for (row, node) in column.iter().enumerate() {
            points[*node] = (left + before, top + high * row as f64);
        }
        left += before + after + GAP;
    }
    points
}

/// All nodes in breadth-first order, from the first node of each component.
pub(crate) fn breadth_first(near: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; near.len()];
    let mut order = Vec::with_capacity(near.len());
    let mut queue = VecDeque::new();
    for start in 0..near.len() {
        queue.push_back(start);
        while let Some(node) = queue.pop_front() {
            if !std::mem::replace(&mut seen[node], true) {
                order.push(node);
                queue.extend(near[node].iter().filter(|next| !seen[**next]));
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_overlaps_and_neighbours_are_near() {
        let wide = |i: usize| 10.0 + (i * 7 % 40) as f64;
        let boxes: Vec<Box4> = (0..1000).map(|i| [wide(i), 12.0, wide(i), 30.0]).collect();
        let near: Vec<Vec<usize>> = (0..1000).map(|i| vec![(i + 1) % 1000]).collect();
        let points = layout(&boxes, &breadth_first(&near));
        for (i, (p, a)) in points.iter().zip(&boxes).enumerate() {
            for (q, b) in points.iter().zip(&boxes).take(i) {
                let apart = (p.0 - q.0).abs() >= a[0] + b[0] || (p.1 - q.1).abs() >= a[1] + b[3];
                assert!(apart, "{p:?} {q:?}");
            }
        }
        let length = |pair: &[Point]| (pair[0].0 - pair[1].0).abs();
        assert!(points.windows(2).all(|pair| length(pair) < 150.0));
    }
}
