//! Shared test helpers: explicit graphs, random graphs, the naive answer.

use lariat_corpora::Random;
use lariat_emptiness::{Edge, Evidence, Graph, GraphLasso, Marks, NodeId};

/// A subset of the marks `0..n`.
pub fn marks(random: &mut Random, n: u32, percent: usize) -> Marks {
    (0..n)
        .filter(|_| random.percent(percent))
        .fold(Marks::NONE, |m, i| m.union(Marks::one(i)))
}

/// An explicitly stored graph.
#[derive(Clone, Debug)]
pub struct Explicit {
    pub marks: Marks,
    pub initial: Vec<usize>,
    pub edges: Vec<Vec<(usize, Marks)>>,
}

impl Explicit {
    /// A random graph: few nodes, several initial ones, self-loops, parallel edges, sinks.
    pub fn random(random: &mut Random) -> Explicit {
        let n = random.between(1, 24);
        let marks = random.below(4) as u32;
        let (out, chance) = (random.between(0, 3), random.between(5, 50));
        Explicit {
            marks: Marks::all(marks),
            initial: (0..random.between(0, 3)).map(|_| random.below(n)).collect(),
            edges: (0..n)
                .map(|_| {
                    (0..random.between(0, out))
                        .map(|_| (random.below(n), self::marks(random, marks, chance)))
                        .collect()
                })
                .collect(),
        }
    }

    /// The nodes reachable from `from` by at least `least` (0 or 1) edges.
    pub fn reach(&self, from: &[usize], least: usize) -> Vec<bool> {
        let mut seen = vec![false; self.edges.len()];
        let mut todo: Vec<usize> = match least {
            0 => from.to_vec(),
            _ => from
                .iter()
                .flat_map(|&n| self.edges[n].iter().map(|e| e.0))
                .collect(),
        };
        while let Some(n) = todo.pop() {
            if !std::mem::replace(&mut seen[n], true) {
                todo.extend(self.edges[n].iter().map(|e| e.0));
            }
        }
        seen
    }

    /// The naive answer: for each reachable node, the marks on all edges between nodes that it
    /// reaches and that reach it.
    pub fn accepts(&self) -> bool {
        let from: Vec<Vec<bool>> = (0..self.edges.len()).map(|n| self.reach(&[n], 1)).collect();
        let reachable = self.reach(&self.initial, 0);
        (0..self.edges.len()).any(|n| {
            let with = |m: usize| from[n][m] && from[m][n];
            reachable[n]
                && from[n][n]
                && (0..self.edges.len())
                    .filter(|&m| with(m))
                    .flat_map(|m| &self.edges[m])
                    .filter(|e| with(e.0))
                    .fold(Marks::NONE, |marks, e| marks.union(e.1))
                    .contains(self.marks)
        })
    }
}

/// A budget that ends after a number of queries.
pub struct Limit(pub u64);

impl Limit {
    pub fn none() -> Limit {
        Limit(u64::MAX)
    }

    pub fn spend(&mut self) -> Result<(), Stopped> {
        self.0 = self.0.checked_sub(1).ok_or(Stopped)?;
        Ok(())
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct Stopped;

impl Graph for Explicit {
    type Stop = Stopped;
    type Worker = Limit;
    type Cursor = usize;

    fn marks(&self) -> Marks {
        self.marks
    }

    fn initial(&self, worker: &mut Limit, k: usize) -> Result<Option<NodeId>, Stopped> {
        worker.spend()?;
        Ok(self.initial.get(k).map(|&n| NodeId(n as u32)))
    }

    fn next_edge(
        &self,
        worker: &mut Limit,
        node: NodeId,
        cursor: &mut usize,
    ) -> Result<Option<Edge>, Stopped> {
        worker.spend()?;
        let edge = self.edges[node.index()].get(*cursor);
        *cursor += 1;
        Ok(edge.map(|&(to, marks)| Edge {
            to: NodeId(to as u32),
            marks,
        }))
    }

    fn tick(&self, worker: &mut Limit, _: usize) -> Result<(), Stopped> {
        worker.spend()
    }
}

/// Checks that every edge of `path` exists, starting at `from`; returns its end.
pub fn follow<G: Graph>(graph: &G, worker: &mut G::Worker, from: NodeId, path: &[Edge]) -> NodeId
where
    G::Stop: std::fmt::Debug,
{
    let mut at = from;
    for &edge in path {
        let mut cursor = G::Cursor::default();
        loop {
            match graph.next_edge(worker, at, &mut cursor).unwrap() {
                Some(e) if e == edge => break,
                Some(_) => {}
                None => panic!("no edge {edge:?} from {at:?}"),
            }
        }
        at = edge.to;
    }
    at
}

/// Returns whether `node` is initial.
pub fn is_initial<G: Graph>(graph: &G, worker: &mut G::Worker, node: NodeId) -> bool
where
    G::Stop: std::fmt::Debug,
{
    (0..)
        .map_while(|k| graph.initial(worker, k).unwrap())
        .any(|n| n == node)
}

/// Panics unless the prefix of `evidence` leads into its component.
pub fn check_evidence<G: Graph>(graph: &G, worker: &mut G::Worker, evidence: &Evidence)
where
    G::Stop: std::fmt::Debug,
{
    assert!(is_initial(graph, worker, evidence.initial));
    let entry = follow(graph, worker, evidence.initial, &evidence.prefix);
    assert!(evidence.component.contains(&entry));
    assert!(
        evidence
            .component
            .iter()
            .all(|n| n.index() < evidence.known)
    );
}

/// Panics unless `lasso` is an accepting lasso of `graph`.
pub fn check_lasso<G: Graph>(graph: &G, worker: &mut G::Worker, lasso: &GraphLasso)
where
    G::Stop: std::fmt::Debug,
{
    assert!(is_initial(graph, worker, lasso.initial));
    let entry = follow(graph, worker, lasso.initial, &lasso.prefix);
    assert_eq!(entry, lasso.entry());
    assert!(!lasso.cycle.is_empty());
    assert_eq!(follow(graph, worker, entry, &lasso.cycle), entry);
    let marks = lasso
        .cycle
        .iter()
        .fold(Marks::NONE, |m, e| m.union(e.marks));
    assert!(marks.contains(graph.marks()));
}
