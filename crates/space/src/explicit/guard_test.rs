//! Gates: tests `x = k`, with which most events of a program or rows of a table begin.

use lariat_model::{Action, Assignment, BinaryOp, Chain, Expr, Predicate, Row, Value, VarId};
use std::collections::BTreeMap;

/// An event without its gate.
pub(super) enum Body<'s> {
    Program(Vec<&'s Expr>, Option<&'s Predicate>, &'s [Assignment]),
    Chain(&'s Chain),
    Table(&'s [VarId], Vec<&'s Row>),
}

/// A variable and its required value.
pub(super) type GuardTest = (u32, Value);

/// `x ⋈ k`
pub(super) fn simple(expr: &Expr) -> Option<(BinaryOp, u32, Value)> {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    match expr {
        Expr::Var(var) => Some((Ne, var.0, 0)),
        Expr::Binary(op @ (Eq | Ne | Lt | Le | Gt | Ge), x, y) => match (&**x, &**y) {
            (Expr::Var(var), Expr::Const(k)) => Some((*op, var.0, *k)),
            _ => None,
        },
        _ => None,
    }
}

fn gate(expr: &Expr) -> Option<GuardTest> {
    simple(expr)
        .filter(|(op, ..)| *op == BinaryOp::Eq)
        .map(|(_, var, k)| (var, k))
}

/// Splits an action by its gates. Net transitions yield nothing.
pub(super) fn bodies(action: &Action) -> Vec<(Option<GuardTest>, Body<'_>)> {
    match action {
        Action::Net(_) => Vec::new(),
        Action::Program { guard, effects } => {
            let mut conjuncts = Vec::new();
            let predicate = match guard {
                Predicate::Expr(expr) => {
                    flatten(expr, &mut conjuncts);
                    None
                }
                Predicate::Const(true) => None,
                guard => Some(guard),
            };
            // Conjuncts before the gate are evaluated first, and might fail: only the first can be
            // one.
            let gate = conjuncts.first().and_then(|first| gate(first));
            if gate.is_some() {
                conjuncts.remove(0);
            }
            vec![(gate, Body::Program(conjuncts, predicate, effects))]
        }
        Action::Chain(chain) => {
            let mut conjuncts = Vec::new();
            if let Predicate::Expr(guard) = &chain.guard {
                flatten(guard, &mut conjuncts);
            }
            vec![(
                conjuncts.first().and_then(|first| gate(first)),
                Body::Chain(chain),
            )]
        }
        Action::Table { vars, rows } => {
            // The column with the most distinct values.
            let full = |i: &usize| rows.iter().all(|row| row[*i].is_some());
            let values = |i: usize| {
                let mut parts: BTreeMap<Value, Vec<&Row>> = BTreeMap::new();
                for row in rows {
                    if let Some((from, _)) = row[i] {
                        parts.entry(from).or_default().push(row);
                    }
                }
                parts
            };
            let columns = (0..vars.len()).filter(full);
            match columns.max_by_key(|i| (values(*i).len(), std::cmp::Reverse(*i))) {
                None => vec![(None, Body::Table(vars, rows.iter().collect()))],
                Some(column) => values(column)
                    .into_iter()
                    .map(|(value, rows)| {
                        let gate = (vars[column].0, value);
                        (Some(gate), Body::Table(vars, rows))
                    })
                    .collect(),
            }
        }
    }
}

/// Collects the conjuncts of an expression in the order of evaluation.
fn flatten<'e>(expr: &'e Expr, conjuncts: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Binary(BinaryOp::And, x, y) => {
            flatten(x, conjuncts);
            flatten(y, conjuncts);
        }
        Expr::Const(k) if *k != 0 => {}
        expr => conjuncts.push(expr),
    }
}

/// Groups entries with nearby keys, so that a jump table over a group is not much longer than the
/// group.
pub(super) fn near<T>(entries: BTreeMap<Value, T>) -> Vec<Vec<(Value, T)>> {
    const GAP: u64 = 64;
    let mut groups: Vec<Vec<(Value, T)>> = Vec::new();
    for (value, entry) in entries {
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(|(v, _)| value.abs_diff(*v) <= GAP) => {
                group.push((value, entry));
            }
            _ => groups.push(vec![(value, entry)]),
        }
    }
    groups
}
