//! FORCE: each event attracts its variables to its centre of gravity.
//!
//! One round computes the centre of gravity of each event and moves each variable to the mean of
//! its events; ranks become the next positions:
//!
//! ```text
//! cog(e) = mean of pos(v) over v ∈ e        pos'(v) = rank of mean of cog(e) over e ∋ v
//! ```
//!
//! Rounds are repeated while the sum of spans decreases, and the best sequence is returned. From
//! Aloul, Markov and Sakallah, FORCE: a fast and easy-to-implement variable-ordering heuristic,
//! GLSVLSI 2003. It finds a local optimum near its start, so it also refines other heuristics. A
//! round costs one pass over the arcs and a bucket sort of the positions; deviation: the number of
//! rounds is bounded by a constant instead of `c·log n`, because later rounds rarely improve the
//! result.

use super::hypergraph::Hypergraph;
use crate::system::VarId;

const ROUNDS: u32 = 60;
/// Number of rounds without improvement after which the iteration stops.
const PATIENCE: u32 = 6;

/// The best sequence found from `start`.
pub(super) fn force(graph: &Hypergraph, start: Vec<VarId>) -> Vec<VarId> {
    let n = start.len();
    let mut sequence: Vec<u32> = start.iter().map(|v| v.0).collect();
    let mut position = vec![0u32; n];
    let rank = |sequence: &[u32], position: &mut [u32]| {
        for (i, v) in sequence.iter().enumerate() {
            position[*v as usize] = i as u32;
        }
    };
    let mut best = (u64::MAX, Vec::new());
    let mut pull = vec![0f64; n];
    let mut stale = 0;
    for _ in 0..=ROUNDS {
        rank(&sequence, &mut position);
        pull.fill(0.0);
        // One pass over the arcs computes the spans of this sequence and the next positions.
        let mut spans = 0;
        for edge in graph.edges() {
            let (mut low, mut high, mut sum) = (u32::MAX, 0, 0);
            for v in edge {
                let at = position[*v as usize];
                (low, high, sum) = (low.min(at), high.max(at), sum + u64::from(at));
            }
            spans += u64::from(high.saturating_sub(low));
            let centre = sum as f64 / edge.len() as f64;
            for v in edge {
                pull[*v as usize] += centre;
            }
        }
        if spans < best.0 {
            best = (spans, sequence.clone());
            stale = 0;
        } else {
            stale += 1;
            if stale == PATIENCE {
                break;
            }
        }
        for (v, pull) in pull.iter_mut().enumerate() {
            match graph.incident(v as u32).len() {
                0 => *pull = f64::from(position[v]),
                events => *pull /= events as f64,
            }
        }
        sort(&mut sequence, &pull);
    }
    best.1.into_iter().map(VarId).collect()
}

/// Sorts variables by their pulls, which are positions. Stable, so that ties keep their order and
/// the result is deterministic.
fn sort(sequence: &mut [u32], pull: &[f64]) {
    let bucket = |v: u32| pull[v as usize] as usize;
    // Starts of the buckets; while filling, the next free positions; finally the ends.
    let mut ends = vec![0; sequence.len() + 1];
    for v in &*sequence {
        ends[bucket(*v) + 1] += 1;
    }
    for i in 1..ends.len() {
        ends[i] += ends[i - 1];
    }
    let before = sequence.to_vec();
    for v in before {
        let next = &mut ends[bucket(v)];
        sequence[*next] = v;
        *next += 1;
    }
    let mut start = 0;
    for end in ends {
        let bucket = &mut sequence[start..end];
        bucket.sort_by(|a, b| pull[*a as usize].total_cmp(&pull[*b as usize]));
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_sort_like_a_stable_sort() {
        for n in 1..60u32 {
            // With ties and shared buckets.
            let pull: Vec<f64> = (0..n).map(|v| f64::from(v * 29 % (3 * n)) / 3.0).collect();
            let mut sequence: Vec<u32> = (0..n).rev().collect();
            let mut expected = sequence.clone();
            expected.sort_by(|a, b| pull[*a as usize].total_cmp(&pull[*b as usize]));
            sort(&mut sequence, &pull);
            assert_eq!(sequence, expected);
        }
    }
}
