//! Values of a formula at the first position of every run.
//!
//! The initial marking gives the first letter, apart from atoms about the event taken. With three
//! values, bottom-up, for the subformulas at position 0:
//!
//! > `F f` is true if `f` is, `G f` is false if `f` is, `f U g` is true if `g` is and false if both
//! > are; `X f` is open
//!
//! and likewise for the other operators. In the Boolean part of the formula, which is read at
//! position 0, subformulas with a value are replaced by it. Operands of temporal operators stay.
//! The result agrees with the formula on every run, with `X` and events.

use crate::facts::constant_at_start;
use crate::net::IncidenceNet;
use lariat_ltl::{Formula, Formulas, Node};
use lariat_model::Proposition;
use rustc_hash::FxHashMap;

/// A formula with the same value on every run of the net.
pub(crate) fn at_start(
    net: &IncidenceNet,
    formulas: &mut Formulas,
    formula: Formula,
    propositions: &[Proposition],
) -> Formula {
    let mut now: FxHashMap<Formula, Formula> = FxHashMap::default();
    for part in formulas.subformulas(formula) {
        let node = formulas.node(part).clone();
        let value = |f: &Formula| now.get(f).copied().unwrap_or(*f);
        let is = |f: &Formula, constant: Formula| value(f) == constant;
        let (yes, no) = (Formulas::TRUE, Formulas::FALSE);
        let result = match &node {
            Node::Atom(atom) => match propositions.get(atom.index()) {
                Some(Proposition::State(predicate)) => {
                    constant_at_start(net, predicate).map_or(part, |value| formulas.constant(value))
                }
                _ => part,
            },
            Node::Not(f) => {
                let f = value(f);
                formulas.not(f)
            }
            Node::And(parts) => {
                let parts: Vec<Formula> = parts.iter().map(value).collect();
                formulas.and(parts)
            }
            Node::Or(parts) => {
                let parts: Vec<Formula> = parts.iter().map(value).collect();
                formulas.or(parts)
            }
            Node::Finally(f) if is(f, yes) => yes,
            Node::Globally(f) if is(f, no) => no,
            Node::Until([_, g]) | Node::WeakUntil([_, g]) if is(g, yes) => yes,
            Node::Until([f, g]) | Node::WeakUntil([f, g]) if is(f, no) && is(g, no) => no,
            Node::Release([_, g]) | Node::StrongRelease([_, g]) if is(g, no) => no,
            Node::Release([f, g]) | Node::StrongRelease([f, g]) if is(f, yes) && is(g, yes) => yes,
            _ => part,
        };
        now.insert(part, result);
    }
    now.get(&formula).copied().unwrap_or(formula)
}
