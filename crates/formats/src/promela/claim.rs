//! `never` claims as automata of the negated property.
//!
//! A claim takes one step per step of the system, so a node of its control graph is a state of the
//! automaton, and a step from it is an edge whose guard is evaluated in the source state. States at
//! `accept` labels are accepting. Reaching the closing bracket, or a failing assertion, is a
//! violation for all continuations: an accepting state with a loop. A run on which the claim cannot
//! move is not accepted. The steps of an atomic block are one step.

use rustc_hash::FxHashMap;

use super::ast::{ClaimAst, StatementKind};
use super::compile::{Compiler, Place, is_else};
use super::graph::{ElementId, ElementKind, Graph};
use super::lexer::Reading;
use super::terms::{TIMEOUT, all, any, mentions, not, number};
use crate::dve::{PropertyAutomaton, PropertyEdge, predicate};
use lariat_model::Expr as Ir;

/// Limit on the steps of an atomic block.
const STEPS: usize = 64;

/// The automaton of a claim.
pub(super) fn automaton(
    compiler: &Compiler<'_>,
    claim: &ClaimAst,
    graph: &Graph,
) -> Reading<PropertyAutomaton> {
    let nodes = graph.nodes();
    let numbers: FxHashMap<ElementId, usize> = nodes.iter().copied().zip(0..).collect();
    let sink = nodes.len();
    let mut edges = vec![edge(sink, sink, number(1))];
    let mut accepting = vec![sink];
    for (from, node) in nodes.iter().enumerate() {
        let labels = &graph.elements[*node].labels;
        if labels.iter().any(|label| label.starts_with("accept")) {
            accepting.push(from);
        }
        if *node == graph.end {
            edges.push(edge(from, sink, number(1)));
            accepting.push(from);
            continue;
        }
        for (guard, to) in steps(compiler, graph, *node, 0)? {
            if mentions(&guard, TIMEOUT) {
                let span = graph.elements[*node].span;
                return Err(span.error("`timeout` in a claim is not supported"));
            }
            let to = to.and_then(|to| numbers.get(&to)).copied().unwrap_or(sink);
            edges.push(edge(from, to, guard));
        }
    }
    accepting.sort_unstable();
    accepting.dedup();
    let mut states: Vec<String> = (0..nodes.len()).map(|i| format!("S{i}")).collect();
    states.push("violated".to_owned());
    Ok(PropertyAutomaton {
        name: claim
            .name
            .as_ref()
            .map_or("never".to_owned(), |name| name.text.to_string()),
        states,
        initial: 0,
        accepting,
        edges,
    })
}

fn edge(from: usize, to: usize, guard: Ir) -> PropertyEdge {
    PropertyEdge {
        from,
        to,
        text: match guard {
            Ir::Const(x) if x != 0 => "true".to_owned(),
            _ => format!("claim {from} -> {to}: {guard:?}"),
        },
        guard: predicate(guard),
    }
}

/// The steps from a node: conditions and targets; no target is a violation.
fn steps(
    compiler: &Compiler<'_>,
    graph: &Graph,
    node: ElementId,
    depth: usize,
) -> Reading<Vec<(Ir, Option<ElementId>)>> {
    let span = graph.elements[node].span;
    if depth > STEPS {
        return Err(span.error("the atomic sequence in this claim is too long"));
    }
    let place = Place::default();
    let leaves = graph.leaves(node);
    let mut guards = Vec::new();
    for leaf in &leaves {
        let element = &graph.elements[*leaf];
        let statement = match &element.kind {
            ElementKind::Jump(_) => None,
            ElementKind::Basic(statement) => Some(statement),
            _ => {
                return Err(element
                    .span
                    .error("this statement is not supported in a claim"));
            }
        };
        guards.push(match statement.map(|s| &s.kind) {
            None | Some(StatementKind::Nothing | StatementKind::Assert(_)) => number(1),
            Some(StatementKind::Condition(expr)) => compiler.expr(place, expr)?,
            Some(StatementKind::Else) => number(0),
            Some(_) => {
                return Err(element.span.error("a claim must not change the state"));
            }
        });
    }
    let none = not(any(guards.clone()));
    let mut found = Vec::new();
    for (leaf, guard) in leaves.iter().zip(guards) {
        let element = &graph.elements[*leaf];
        let guard = if is_else(&element.kind) {
            none.clone()
        } else {
            guard
        };
        let mut passing = guard.clone();
        if let ElementKind::Basic(statement) = &element.kind
            && let StatementKind::Assert(claim) = &statement.kind
        {
            let claim = compiler.expr(place, claim)?;
            found.push((all(vec![guard.clone(), not(claim.clone())]), None));
            passing = all(vec![guard, claim]);
        }
        let target = graph.target(*leaf);
        if graph.elements[target].is_inside {
            for (then, to) in steps(compiler, graph, target, depth + 1)? {
                found.push((all(vec![passing.clone(), then]), to));
            }
        } else {
            found.push((passing, Some(target)));
        }
    }
    found.retain(|(guard, _)| *guard != number(0));
    Ok(found)
}
