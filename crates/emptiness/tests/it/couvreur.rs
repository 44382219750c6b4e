//! Couvreur's check and the constructed lassos against the naive answer.

use crate::explicit::{Explicit, Limit, SMALL_GRAPHS, Stopped};
use crate::kit::{check_evidence, check_lasso};
use lariat_corpora::{Random, each_case};
use lariat_emptiness::{
    Counts, Edge, Graph, Marks, NodeId, Outcome, breadth_first, couvreur, lasso,
};

fn counted(graph: &Explicit, worker: &mut Limit) -> Result<Outcome<()>, Stopped> {
    let mut counts = Counts::default();
    let outcome = couvreur(graph, worker, &mut counts)?;
    Ok(outcome.map(|_| ()))
}

#[test]
fn agrees_with_the_naive_answer() {
    each_case(20_000, |random| {
        let graph = Explicit::random(random);
        let worker = &mut Limit::none();
        let mut counts = Counts::default();
        match couvreur(&graph, worker, &mut counts).unwrap() {
            Outcome::Accepting(evidence) => {
                assert!(graph.accepts());
                check_evidence(&graph, worker, &evidence);
                let lasso = lasso(&graph, worker, &evidence).unwrap();
                let lasso = lasso.expect("Couvreur's components accept");
                check_lasso(&graph, worker, &lasso);
                assert!(lasso.prefix.len() <= evidence.prefix.len() + evidence.component.len());
            }
            Outcome::Empty => {
                assert!(!graph.accepts());
                let reachable = graph.reach(&graph.initial, 0);
                let nodes = reachable.iter().filter(|&&r| r).count();
                assert_eq!(counts.nodes, nodes as u64);
            }
            Outcome::Undecided(_) => panic!("Couvreur's check decides"),
        }
    });
}

/// The breadth-first check has the same answers; its evidence is a component of the graph.
#[test]
fn breadth_first_agrees_with_the_naive_answer() {
    each_case(20_000, |random| {
        let graph = Explicit::random(random);
        let worker = &mut Limit::none();
        let mut counts = Counts::default();
        match breadth_first(&graph, worker, &mut counts).unwrap() {
            Outcome::Accepting(evidence) => {
                assert!(graph.accepts());
                check_evidence(&graph, worker, &evidence);
                let lasso = lasso(&graph, worker, &evidence).unwrap();
                check_lasso(&graph, worker, &lasso.expect("the components accept"));
            }
            Outcome::Empty => {
                assert!(!graph.accepts());
                let reachable = graph.reach(&graph.initial, 0);
                let nodes = reachable.iter().filter(|&&r| r).count();
                assert_eq!(counts.nodes, nodes as u64);
            }
            Outcome::Undecided(_) => panic!("the check decides"),
        }
    });
}

#[test]
fn stopping_breadth_first_is_never_an_answer() {
    each_case(400, |random| {
        let graph = Explicit::random(random);
        let check = |worker: &mut Limit| {
            breadth_first(&graph, worker, &mut Counts::default()).map(|found| found.map(|_| ()))
        };
        let right = check(&mut Limit::none()).unwrap();
        for steps in 0..200 {
            if let Ok(answer) = check(&mut Limit(steps)) {
                assert_eq!(answer, right);
            }
        }
    });
}

/// At whatever step the budget ends, the result is the correct answer or a stop.
#[test]
fn stopping_is_never_an_answer() {
    each_case(400, |random| {
        let graph = Explicit::random(random);
        let right = counted(&graph, &mut Limit::none()).unwrap();
        let complete = (0..)
            .find(|&steps| match counted(&graph, &mut Limit(steps)) {
                Ok(answer) => {
                    assert_eq!(answer, right);
                    true
                }
                Err(Stopped) => false,
            })
            .unwrap();
        assert_eq!(counted(&graph, &mut Limit(complete + 1)), Ok(right));
    });
}

/// Once the cycle is walked, an exhausted budget skips the shortening but returns the lasso.
#[test]
fn a_found_lasso_survives_an_exhausted_budget() {
    let mut survived = 0;
    for seed in 0..300 {
        let graph = Explicit::random(&mut Random::new(seed));
        let counts = &mut Counts::default();
        let outcome = couvreur(&graph, &mut Limit::none(), counts).unwrap();
        let Outcome::Accepting(evidence) = outcome else {
            continue;
        };
        let best = lasso(&graph, &mut Limit::none(), &evidence).unwrap();
        for steps in 0..200 {
            if let Ok(found) = lasso(&graph, &mut Limit(steps), &evidence) {
                survived += u32::from(found != best);
                check_lasso(&graph, &mut Limit::none(), &found.unwrap());
            }
        }
    }
    assert!(survived > 0, "the budget never ended the shortening");
}

#[test]
fn self_loops_and_no_marks() {
    for (marks, initial, edges, accepts) in SMALL_GRAPHS {
        let graph = Explicit::new(marks, initial, edges);
        let found = counted(&graph, &mut Limit::none()).unwrap();
        assert_eq!(found == Outcome::Accepting(()), accepts, "{graph:?}");
    }
}

/// A chain with a loop at its end, computed.
struct Chain(u32);

impl Graph for Chain {
    type Stop = std::convert::Infallible;
    type Worker = ();
    type Cursor = bool;

    fn marks(&self) -> Marks {
        Marks::all(1)
    }

    fn initial(&self, _: &mut (), k: usize) -> Result<Option<NodeId>, Self::Stop> {
        Ok((k == 0).then_some(NodeId(0)))
    }

    fn next_edge(
        &self,
        _: &mut (),
        node: NodeId,
        cursor: &mut bool,
    ) -> Result<Option<Edge>, Self::Stop> {
        if std::mem::replace(cursor, true) {
            return Ok(None);
        }
        let last = node.0 + 1 == self.0;
        Ok(Some(Edge {
            to: if last { NodeId(0) } else { NodeId(node.0 + 1) },
            marks: Marks(u64::from(last)),
        }))
    }
}

#[test]
fn deep_paths_do_not_overflow() {
    let counts = &mut Counts::default();
    let graph = Chain(1_000_000);
    match couvreur(&graph, &mut (), counts).unwrap() {
        Outcome::Accepting(evidence) => {
            assert_eq!(evidence.component.len(), 1_000_000);
            let lasso = lasso(&graph, &mut (), &evidence).unwrap().unwrap();
            assert_eq!(lasso.cycle.len(), 1_000_000);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(counts.deepest, 1_000_000);
}
