//! White-box tests of UFSCC. They are not in `ufscc.rs` because `tests/schedules` compiles that
//! file again with shuttle's threads.

use crate::graph::{Edge, Graph, Marks, NodeId};
use crate::pending_edges::PendingEdges;
use crate::ufscc::{UfsccShared, UfsccWorker};
use lariat_corpora::{Random, each_case};
use std::convert::Infallible;

/// Successor lists by node; `next_edge` yields the processor at random.
struct Listed(Vec<Vec<u32>>);

impl Graph for Listed {
    type Stop = Infallible;
    type Worker = Random;
    type Cursor = usize;

    fn marks(&self) -> Marks {
        Marks::all(1)
    }

    fn initial(&self, _: &mut Random, k: usize) -> Result<Option<NodeId>, Infallible> {
        Ok((k == 0).then_some(NodeId(0)))
    }

    fn next_edge(
        &self,
        random: &mut Random,
        node: NodeId,
        cursor: &mut usize,
    ) -> Result<Option<Edge>, Infallible> {
        if random.chance(1, 50) {
            std::thread::yield_now();
        }
        let to = self.0[node.index()].get(*cursor).copied();
        *cursor += 1;
        Ok(to.map(|to| Edge {
            to: NodeId(to),
            marks: Marks::NONE,
        }))
    }
}

fn reached(edges: &[Vec<u32>], from: u32) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut todo = vec![from];
    while let Some(node) = todo.pop() {
        if !std::mem::replace(&mut seen[node as usize], true) {
            todo.extend(&edges[node as usize]);
        }
    }
    seen
}

/// After an exhaustive search every reachable node is dead, and the sets are the components.
#[test]
fn sets_are_components() {
    each_case(600, |random| {
        let n = random.between(1, 60);
        let out = random.between(1, 3);
        let node = |random: &mut Random| {
            let edges = (0..random.between(0, out)).map(|_| random.below(n) as u32);
            edges.collect::<Vec<u32>>()
        };
        let graph = Listed((0..n).map(|_| node(random)).collect());
        let shared = UfsccShared::new();
        std::thread::scope(|scope| {
            for number in 0..1 + random.below(5) as u64 {
                let (graph, shared) = (&graph, &shared);
                let mut worker = Random::new(random.bits());
                scope.spawn(move || {
                    let worker = &mut worker;
                    let end = UfsccWorker::new(graph, worker, shared, number).run().0;
                    assert_eq!(end, Ok(None));
                });
            }
        });
        let all: Vec<Vec<bool>> = (0..n as u32).map(|v| reached(&graph.0, v)).collect();
        let sets = &shared.sets;
        let seen = sets.finished();
        assert_eq!(
            seen.len(),
            all[0].iter().filter(|is_reached| **is_reached).count()
        );
        for (a, NodeId(v)) in &seen {
            assert!(all[0][*v as usize] && sets.is_dead(*a));
            for (b, NodeId(w)) in &seen {
                let (v, w) = (*v as usize, *w as usize);
                assert_eq!(sets.same(*a, *b), all[v][w] && all[w][v], "{v} and {w}");
            }
        }
    });
}

#[test]
fn recorded_edges_are_read_back() {
    let kept = PendingEdges::new();
    let edge = |i: u32| Edge {
        to: NodeId(u32::MAX - 2 - i),
        marks: Marks(u64::from(u32::MAX - i)),
    };
    let lists: Vec<Vec<Edge>> = (0..3000).map(|n| (0..n % 7).map(edge).collect()).collect();
    let mut blocks = [0..0, 0..0];
    let mut bytes = 0;
    let mut write = |i: usize, list: &[Edge]| {
        let lease = |more| {
            bytes += more;
            Ok::<(), ()>(())
        };
        kept.write(list, &mut blocks[i % 2], lease).unwrap()
    };
    let places: Vec<Option<u32>> = (0..).zip(&lists).map(|(i, list)| write(i, list)).collect();
    for (place, list) in places.iter().zip(&lists) {
        let found: Vec<Edge> = kept.read(place.unwrap()).collect();
        assert_eq!(found, *list);
    }
    let wide = Edge {
        marks: Marks::one(32),
        ..edge(0)
    };
    assert_eq!(write(0, &[edge(1), wide]), None);
    assert_eq!(write(0, &vec![edge(0); 5000]), None);
    assert!(bytes >= 3000 * 4 * 8);
    assert_eq!(
        PendingEdges::new().write(&[edge(0)], &mut (0..0), |_| Err(())),
        Err(())
    );
}
