//! A filter that ends in the moves of an automaton on the last level.

use std::collections::BTreeSet;

use lariat_budget::Stop;
use lariat_dd::kernel::{CacheScopeId, Kernel};
use lariat_dd::saturation::{Silent, StepFilter};
use lariat_dd::{CacheScope, EventPart, EventRelation, Residual};

use crate::explicit::{Vectors, apply, closure, get, parts, put, store, vectors};
use lariat_corpora::{Random, each_case};

/// The automaton reads whether the sum of the components of the target is odd.
struct Parity {
    scope: CacheScope,
    components: usize,
    /// `(from, odd, to)`
    edges: BTreeSet<(u32, bool, u32)>,
}

const EVEN: Residual = Residual(2);

impl StepFilter for Parity {
    const SOURCE: bool = false;
    const TARGET: bool = true;
    const AUTOMATON: bool = true;

    fn scope(&self) -> CacheScopeId {
        self.scope.id()
    }

    fn step(
        &mut self,
        _: &Kernel,
        residual: Residual,
        level: u32,
        value: u32,
    ) -> Result<Residual, Stop> {
        let odd = if (level as usize) < self.components {
            value % 2
        } else {
            0
        };
        Ok(Residual(residual.0 ^ odd))
    }

    fn moves(
        &mut self,
        _: &Kernel,
        residual: Residual,
        from: u32,
        to: &mut Vec<u32>,
    ) -> Result<(), Stop> {
        let odd = residual != EVEN;
        let edges = self
            .edges
            .iter()
            .filter(|edge| (edge.0, edge.1) == (from, odd));
        to.extend(edges.map(|edge| edge.2));
        Ok(())
    }
}

fn product(random: &mut Random, always: bool) {
    let components = 1 + random.below(4_usize);
    let states = 1 + random.below(4);
    let edge = |random: &mut Random| {
        (
            random.below(states),
            random.percent(50),
            random.below(states),
        )
    };
    let edges: BTreeSet<_> = (0..2 + random.below(8)).map(|_| edge(random)).collect();
    let explicit: Vec<Vec<EventPart>> = (0..1 + random.below(4))
        .map(|_| parts(random, components, 3, true))
        .collect();
    let initial = vectors(random, components, 3, 2);
    if closure(&explicit, &initial, |_, _| true).is_none() {
        return;
    }
    let initial: Vectors = initial.into_iter().map(|v| [v, vec![0]].concat()).collect();

    // Explicitly: a step of the components, then one of the automaton.
    let mut reached = initial.clone();
    let mut todo: Vec<Vec<u32>> = initial.iter().cloned().collect();
    while let Some(source) = todo.pop() {
        for target in explicit.iter().flat_map(|event| apply(event, &source)) {
            let odd = target[..components].iter().sum::<u32>() % 2 == 1;
            for edge in edges
                .iter()
                .filter(|e| (e.0, e.1) == (source[components], odd))
            {
                let mut target = target.clone();
                target[components] = edge.2;
                if reached.insert(target.clone()) {
                    todo.push(target);
                }
            }
        }
    }

    let mut store = store(components + 1);
    store.go_backwards(random.percent(50));
    store.collect_always(always);
    let events: Vec<EventRelation> = explicit
        .iter()
        .map(|parts| store.event(parts).unwrap().expect("tables have rows"))
        .collect();
    let subset = store.subset(events);
    let from = put(&mut store, &initial);
    let mut filter = Parity {
        scope: store.scope(),
        components,
        edges,
    };
    let result = store.saturate_with(&subset, &from, &mut filter, EVEN, &mut Silent);
    assert_eq!(get(&store, &result.unwrap().unwrap()), reached);
}

#[test]
fn random_products() {
    each_case(1500, |random| product(random, false));
}

#[test]
fn random_products_with_a_collection_before_every_node() {
    each_case(300, |random| product(random, true));
}
