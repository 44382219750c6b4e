//! The check for Streett pairs against the naive answer: all sets of nodes.

use crate::explicit::{Explicit, Limit, Stopped};
use crate::kit::is_initial;
use lariat_corpora::{Random, each_case};
use lariat_emptiness::{
    Counts, Edge, FairLasso, Graph, Marks, NodeId, NumberedEdge, Outcome, PairSet, Streett,
    couvreur, streett,
};

/// An explicitly stored graph with pairs.
#[derive(Debug)]
struct Pairs {
    graph: Explicit,
    pairs: usize,
    /// By node.
    enabled: Vec<u64>,
    /// By node and edge.
    met: Vec<Vec<u64>>,
}

impl Pairs {
    fn random(random: &mut Random, nodes: usize) -> Pairs {
        let mut graph = Explicit::random(random);
        graph.edges.truncate(nodes);
        let n = graph.edges.len();
        for (to, _) in graph.edges.iter_mut().flatten() {
            *to %= n;
        }
        for node in &mut graph.initial {
            *node %= n;
        }
        let pairs = random.between(0, 4);
        let percent = random.between(5, 70);
        let mut some = |percent| -> u64 {
            (0..pairs)
                .filter(|_| random.percent(percent))
                .fold(0, |bits, i| bits | 1 << i)
        };
        let enabled = (0..n).map(|_| some(percent)).collect();
        let met = graph.edges.iter();
        let met = met
            .map(|edges| edges.iter().map(|_| some(15)).collect())
            .collect();
        Pairs {
            graph,
            pairs,
            enabled,
            met,
        }
    }

    /// Naive answer: searches a set of reachable nodes that is strongly connected and fair as a
    /// whole. The nodes of every fair cycle form one.
    fn accepts(&self) -> bool {
        let n = self.graph.edges.len();
        let reachable = self.graph.reach(&self.graph.initial, 0);
        (1u32..1 << n).any(|set| {
            let has = |node: usize| set >> node & 1 == 1;
            if (0..n).any(|node| has(node) && !reachable[node]) {
                return false;
            }
            let (mut enabled, mut met, mut marks) = (0, 0, Marks::NONE);
            let mut inner = Explicit {
                edges: vec![Vec::new(); n],
                ..self.graph.clone()
            };
            for node in (0..n).filter(|node| has(*node)) {
                enabled |= self.enabled[node];
                for (edge, pairs) in self.graph.edges[node].iter().zip(&self.met[node]) {
                    if has(edge.0) {
                        inner.edges[node].push(*edge);
                        met |= pairs;
                        marks = marks.union(edge.1);
                    }
                }
            }
            let connected = (0..n).filter(|node| has(*node)).all(|node| {
                let reached = inner.reach(&[node], 1);
                (0..n)
                    .filter(|other| has(*other))
                    .all(|other| reached[other])
            });
            connected && enabled & !met == 0 && marks.contains(self.graph.marks)
        })
    }

    fn check(&self, lasso: &FairLasso) {
        assert!(is_initial(&self.graph, &mut Limit::none(), lasso.initial));
        let entry = self.follow(lasso.initial, &lasso.prefix).0;
        assert!(!lasso.cycle.is_empty());
        let (end, enabled, met, marks) = self.follow(entry, &lasso.cycle);
        assert_eq!(end, entry);
        assert_eq!(enabled & !met, 0, "{lasso:?}");
        assert!(marks.contains(self.graph.marks));
    }

    fn add(&self, bits: u64, set: &mut PairSet) {
        let pairs = (0..self.pairs).filter(|i| bits >> i & 1 == 1);
        pairs.for_each(|i| set.insert(i));
    }

    fn follow(&self, from: NodeId, path: &[NumberedEdge]) -> (NodeId, u64, u64, Marks) {
        let (mut at, mut enabled, mut met, mut marks) = (from, 0, 0, Marks::NONE);
        for NumberedEdge { edge, number } in path {
            let number = *number as usize;
            let (to, own) = self.graph.edges[at.index()][number];
            assert_eq!((NodeId(to as u32), own), (edge.to, edge.marks));
            enabled |= self.enabled[at.index()];
            met |= self.met[at.index()][number];
            marks = marks.union(own);
            at = edge.to;
        }
        (at, enabled, met, marks)
    }
}

impl Graph for Pairs {
    type Stop = Stopped;
    type Worker = Limit;
    type Cursor = usize;

    fn marks(&self) -> Marks {
        self.graph.marks()
    }

    fn initial(&self, worker: &mut Limit, k: usize) -> Result<Option<NodeId>, Stopped> {
        self.graph.initial(worker, k)
    }

    fn next_edge(
        &self,
        worker: &mut Limit,
        node: NodeId,
        cursor: &mut usize,
    ) -> Result<Option<Edge>, Stopped> {
        self.graph.next_edge(worker, node, cursor)
    }
}

impl Streett for Pairs {
    fn pairs(&self) -> usize {
        self.pairs
    }

    fn enabled(&self, worker: &mut Limit, node: NodeId, set: &mut PairSet) -> Result<(), Stopped> {
        worker.spend()?;
        self.add(self.enabled[node.index()], set);
        Ok(())
    }

    fn next_meeting(
        &self,
        worker: &mut Limit,
        node: NodeId,
        cursor: &mut usize,
        met: &mut PairSet,
    ) -> Result<Option<Edge>, Stopped> {
        let number = *cursor;
        let edge = self.graph.next_edge(worker, node, cursor)?;
        if edge.is_some() {
            self.add(self.met[node.index()][number], met);
        }
        Ok(edge)
    }
}

#[test]
fn agrees_with_the_naive_answer() {
    let mut answers = [0; 2];
    each_case(6_000, |random| {
        let graph = Pairs::random(random, 9);
        match streett(&graph, &mut Limit::none(), &mut Counts::default()).unwrap() {
            Outcome::Accepting(lasso) => {
                answers[1] += 1;
                graph.check(&lasso);
                assert!(graph.accepts(), "{graph:?}");
            }
            Outcome::Empty => {
                answers[0] += 1;
                assert!(!graph.accepts(), "{graph:?}");
            }
            Outcome::Undecided(_) => panic!("the check decides"),
        }
    });
    println!("{answers:?}");
}

/// Without pairs the check equals Couvreur's; pairs that every node enables act as marks.
#[test]
fn pairs_that_are_always_enabled_are_marks() {
    each_case(3_000, |random| {
        let mut graph = Pairs::random(random, 24);
        graph.enabled.fill((1 << graph.pairs) - 1);
        let with_pairs = streett(&graph, &mut Limit::none(), &mut Counts::default()).unwrap();
        let own = graph.graph.marks.len();
        let mut marked = graph.graph.clone();
        marked.marks = Marks::all(own + graph.pairs as u32);
        for (edges, met) in marked.edges.iter_mut().zip(&graph.met) {
            for ((_, marks), pairs) in edges.iter_mut().zip(met) {
                *marks = marks.union(Marks(pairs << own));
            }
        }
        let counts = &mut Counts::default();
        let with_marks = couvreur(&marked, &mut Limit::none(), counts).unwrap();
        assert_eq!(with_pairs.map(|_| ()), with_marks.map(|_| ()), "{graph:?}");
    });
}

/// At whatever step the budget ends, the result is the correct answer or a stop.
#[test]
fn stopping_is_never_an_answer() {
    each_case(200, |random| {
        let graph = Pairs::random(random, 12);
        let answer = |limit: u64| {
            let counts = &mut Counts::default();
            Ok::<_, Stopped>(streett(&graph, &mut Limit(limit), counts)?.map(|_| ()))
        };
        let right = answer(u64::MAX).unwrap();
        for limit in 0..400 {
            if let Ok(found) = answer(limit) {
                assert_eq!(found, right);
            }
        }
    });
}
