//! Shared test helpers: validation of evidence and lassos.

use lariat_emptiness::{
    Counts, Edge, Evidence, Graph, GraphLasso, Marks, NodeId, Outcome, couvreur, lasso,
};

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
    let mut initial = (0..).map_while(|k| graph.initial(worker, k).unwrap());
    initial.any(|n| n == node)
}

/// Panics unless the prefix of `evidence` leads into its component.
pub fn check_evidence<G: Graph>(graph: &G, worker: &mut G::Worker, evidence: &Evidence)
where
    G::Stop: std::fmt::Debug,
{
    assert!(is_initial(graph, worker, evidence.initial));
    let entry = follow(graph, worker, evidence.initial, &evidence.prefix);
    assert!(evidence.component.contains(&entry));
    let mut nodes = evidence.component.iter();
    assert!(nodes.all(|n| n.index() < evidence.known));
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
    let cycle = lasso.cycle.iter();
    let marks = cycle.fold(Marks::NONE, |m, e| m.union(e.marks));
    assert!(marks.contains(graph.marks()));
}

/// Checks the answer of a search with several workers, whose evidence `evidence` computes.
pub fn check_against_couvreur<G: Graph, H>(
    graph: &G,
    worker: &mut G::Worker,
    found: &Outcome<H>,
    evidence: impl FnOnce(&H, &mut G::Worker) -> Evidence,
) where
    G::Stop: std::fmt::Debug,
{
    let right = couvreur(graph, worker, &mut Counts::default()).unwrap();
    match found {
        Outcome::Empty => assert_eq!(right, Outcome::Empty),
        Outcome::Accepting(hint) => {
            assert!(matches!(right, Outcome::Accepting(_)));
            let evidence = evidence(hint, worker);
            check_evidence(graph, worker, &evidence);
            let lasso = lasso(graph, worker, &evidence).unwrap().unwrap();
            check_lasso(graph, worker, &lasso);
        }
        Outcome::Undecided(_) => panic!("UFSCC decides"),
    }
}
