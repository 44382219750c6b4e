//! NSIEC, IEC and AEC on graphs of sets that are built so that their rules are used.

use std::cell::Cell;

use crate::explicit::{Explicit, Limit, Stopped};
use crate::kit::{check_evidence, check_lasso};
use crate::powerset::{Fault, Powerset, Store, members};
use lariat_corpora::{Random, each_case};
use lariat_emptiness::{
    Counts, Decomposed, Evidence, Graph, GraphLasso, Marks, NodeId, Outcome, aec, couvreur, iec,
    lasso, nsiec,
};

type Check = fn(&Powerset, &mut Store, &mut Counts) -> Result<Outcome<Evidence>, Stopped>;

const CHECKS: [Check; 4] = [couvreur, nsiec, iec, aec];

/// Runs one check without limits.
fn run(check: Check, graph: &Powerset) -> (Outcome<Evidence>, Store, Counts) {
    let mut store = Store::new(Limit::none());
    let mut counts = Counts::default();
    let outcome = check(graph, &mut store, &mut counts).unwrap();
    (outcome, store, counts)
}

/// Maps an abstract lasso back to one of `base` by walking backwards: from a member of a target,
/// through the whole of the part, to a member of the source. Panics if there is none.
fn concrete(graph: &Powerset, store: &mut Store, evidence: &Evidence, lasso: &GraphLasso) {
    let decomposed = Decomposed::new(graph, evidence);
    // (source set, marks, target set) of each edge.
    let mut steps = |from: NodeId, path: &[lariat_emptiness::Edge]| {
        let mut at = from;
        let mut steps: Vec<(u64, Marks, u64)> = Vec::new();
        for &edge in path {
            let origin = decomposed.origin(store, at, edge).unwrap();
            let origin = origin.expect("an edge of the graph");
            assert_eq!(origin.marks, edge.marks);
            let whole = store.sets[origin.to.index()];
            let part = store.sets[edge.to.index()];
            assert_eq!(part & !whole, 0, "a part lies in its whole");
            steps.push((store.sets[at.index()], edge.marks, part));
            at = edge.to;
        }
        steps
    };
    let prefix = steps(lasso.initial, &lasso.prefix);
    let cycle = steps(lasso.entry(), &lasso.cycle);
    let back = |steps: &[(u64, Marks, u64)], end: usize| {
        let mut at = end;
        for &(source, marks, target) in steps.iter().rev() {
            assert!(target >> at & 1 == 1);
            at = members(source)
                .find(|&s| graph.base.edges[s].contains(&(at, marks)))
                .expect("every member of a target has a predecessor");
        }
        at
    };
    let entry = cycle[0].0;
    let mut seen = Vec::new();
    let mut state = members(entry).next().expect("no node is empty");
    while !seen.contains(&state) {
        seen.push(state);
        state = back(&cycle, state);
    }
    let start = back(&prefix, state);
    assert!(graph.base.initial.contains(&start));
}

#[test]
fn agree_with_the_naive_answer() {
    let used = Cell::new([0u32; 4]);
    let undecided = Cell::new([0u32; 2]);
    let only_in_parts = Cell::new(0);
    each_case(6_000, |random| {
        let graph = Powerset::random(random);
        let right = graph.base.accepts();
        for (i, check) in CHECKS.into_iter().enumerate() {
            let (outcome, mut store, counts) = run(check, &graph);
            let (dead, active) = (counts.dead_inclusions, counts.active_inclusions);
            let mut now = used.get();
            now[i] += u32::from([0, dead, active, active][i] > 0);
            used.set(now);
            match outcome {
                Outcome::Empty => assert!(!right, "check {i}"),
                Outcome::Accepting(evidence) => {
                    assert!(right, "check {i}");
                    assert!(i == 2 || evidence.parts.is_empty());
                    let decomposed = Decomposed::new(&graph, &evidence);
                    check_evidence(&decomposed, &mut store, &evidence);
                    if lasso(&graph, &mut store, &evidence).unwrap().is_none() {
                        assert_eq!(i, 2, "only IEC adds edges");
                        only_in_parts.set(only_in_parts.get() + 1);
                    }
                    let lasso = lasso(&decomposed, &mut store, &evidence).unwrap();
                    let lasso = lasso.expect("components of these checks accept");
                    check_lasso(&decomposed, &mut store, &lasso);
                    concrete(&graph, &mut store, &evidence, &lasso);
                }
                Outcome::Undecided(evidence) => {
                    assert_eq!(i, 3, "only AEC is undecided");
                    let mut now = undecided.get();
                    now[usize::from(right)] += 1;
                    undecided.set(now);
                    check_evidence(&graph, &mut store, &evidence);
                    // Only graph edges are used: every lasso found is one of the graph.
                    if let Some(lasso) = lasso(&graph, &mut store, &evidence).unwrap() {
                        assert!(right);
                        check_lasso(&graph, &mut store, &lasso);
                        concrete(&graph, &mut store, &evidence, &lasso);
                    }
                }
            }
        }
    });
    let runs = used.get();
    println!("inclusions used by {runs:?} runs of Couvreur, NSIEC, IEC, AEC");
    println!("{} lassos need IEC's parts", only_in_parts.get());
    println!("AEC undecided: {:?} empty, accepting", undecided.get());
    if std::env::var_os("LARIAT_CASES").is_none() {
        assert!(runs[1..].iter().all(|&n| n > 300));
        assert!(only_in_parts.get() > 0);
    }
}

/// Seeded faults: a reversed order or a lost difference must give wrong answers.
#[test]
fn seeded_faults_are_detected() {
    for (fault, check) in [
        (Fault::Reversed, nsiec as Check),
        (Fault::OneClass, nsiec),
        (Fault::NoRest, iec),
        (Fault::Reversed, iec),
        (Fault::Reversed, aec),
    ] {
        let wrong = (0..4_000)
            .filter(|&seed| {
                let mut graph = Powerset::random(&mut Random::new(seed));
                graph.fault = fault;
                match run(check, &graph).0 {
                    Outcome::Empty => graph.base.accepts(),
                    Outcome::Accepting(_) => !graph.base.accepts(),
                    Outcome::Undecided(_) => false,
                }
            })
            .count();
        println!("{fault:?}: {wrong} wrong answers");
        assert!(wrong > 0, "{fault:?}");
    }
}

/// At whatever step the budget ends, the result is the correct answer or a stop.
#[test]
fn stopping_is_never_an_answer() {
    each_case(150, |random| {
        let graph = Powerset::random(random);
        for check in CHECKS {
            let right = run(check, &graph).0;
            for steps in 0.. {
                let store = &mut Store::new(Limit(steps));
                match check(&graph, store, &mut Counts::default()) {
                    Err(Stopped) => {}
                    Ok(answer) => {
                        assert_eq!(answer, right);
                        break;
                    }
                }
            }
        }
    });
}

/// A graph of sets over one class, from its explicit base.
fn one_class(marks: u32, initial: &[u64], edges: &[&[(usize, u64)]]) -> Powerset {
    let n = edges.len();
    let nodes: Vec<usize> = initial.iter().flat_map(|set| members(*set)).collect();
    Powerset {
        base: Explicit::new(marks, &nodes, edges),
        classes: 1,
        group: vec![0; n],
        initial: initial.to_vec(),
        sticky: 0,
        twins: false,
        fault: Fault::None,
    }
}

/// An initial node included in a dead one is not entered.
#[test]
fn included_initial_nodes_are_skipped() {
    let graph = one_class(1, &[0b011, 0b010], &[&[(2, 0)], &[(2, 0)], &[]]);
    let (outcome, _, counts) = run(nsiec, &graph);
    assert_eq!(outcome, Outcome::Empty);
    assert_eq!((counts.nodes, counts.dead_inclusions), (2, 1));
}

/// Of a dead component the maximal nodes are stored, here `{0,1}` of `{0,1} ⇄ {1}`.
#[test]
fn maximal_dead_nodes_are_stored() {
    let graph = one_class(2, &[0b11, 0b01], &[&[(1, 0)], &[(0, 1), (1, 1)]]);
    let (outcome, _, counts) = run(nsiec, &graph);
    assert_eq!(outcome, Outcome::Empty);
    assert_eq!((counts.nodes, counts.dead_inclusions), (2, 1));
}

/// AEC is undecided for `{0} → {0,1} ⊇ {1}`, where no edge leads back to 0, but not where the
/// component accepts by graph edges although another one was closed by a redirected edge.
#[test]
fn aec_is_undecided_only_for_redirected_edges() {
    // {0,1} -1→ {1}: redirected to a self-loop of {0,1}; 1 has no successor.
    let spurious = one_class(1, &[0b11], &[&[(1, 1)], &[]]);
    assert!(matches!(run(aec, &spurious).0, Outcome::Undecided(_)));
    assert_eq!(run(nsiec, &spurious).0, Outcome::Empty);
    assert_eq!(run(iec, &spurious).0, Outcome::Empty);
    // Without the mark this component is retired; then 2 accepts.
    let both = one_class(1, &[0b011, 0b100], &[&[(1, 0)], &[], &[(2, 1)]]);
    match run(aec, &both).0 {
        Outcome::Accepting(evidence) => assert_eq!(evidence.component.len(), 1),
        other => panic!("{other:?}"),
    }
}

/// If a node has the same set as an active one, the difference is empty: the edge is redirected.
#[test]
fn iec_redirects_edges_to_equal_sets() {
    // The first edge of {0} leads to {1}, the second, with the mark, to a twin of {0}.
    let mut graph = one_class(1, &[0b01], &[&[(1, 0), (0, 1)], &[]]);
    graph.twins = true;
    let (outcome, mut store, counts) = run(iec, &graph);
    let Outcome::Accepting(evidence) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!((counts.nodes, evidence.parts.len()), (2, 1));
    let decomposed = Decomposed::new(&graph, &evidence);
    let lasso = lasso(&decomposed, &mut store, &evidence).unwrap().unwrap();
    assert_eq!(lasso.cycle.len(), 1);
    concrete(&graph, &mut store, &evidence, &lasso);
}

/// A difference as large as the whole makes IEC enter the whole; splitting would not terminate.
#[test]
fn iec_enters_nodes_whose_difference_does_not_shrink() {
    let mut graph = one_class(1, &[0b001], &[&[(0, 0), (1, 0)], &[(2, 0)], &[]]);
    graph.sticky = u64::MAX;
    let (outcome, _, counts) = run(iec, &graph);
    assert_eq!(outcome, Outcome::Empty);
    assert!(counts.active_inclusions > 0);
    assert!(graph.marks() == Marks::all(1) && !graph.base.accepts());
}
