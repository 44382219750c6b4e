//! Properties of reachable states: `EF p`, some state satisfies p, and `AG p`, all states do.
//!
//! These are the only branching-time properties accepted: a single modality around a state
//! predicate. `AG p` is the linear-time property `G p`; `EF p` is the negation of `G !p`. Both are
//! reachability queries, which need no automaton.

use crate::predicate::{Predicate, Proposition};
use lariat_ltl::{Formula, Formulas, Node};

/// The quantifier over reachable states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Modality {
    /// `EF p`: some reachable state satisfies p.
    Some,
    /// `AG p`: all reachable states satisfy p.
    All,
}

impl Modality {
    /// Its keyword.
    pub fn name(self) -> &'static str {
        match self {
            Modality::Some => "EF",
            Modality::All => "AG",
        }
    }
}

/// A property of reachable states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reachability {
    /// Its name or id.
    pub name: String,
    /// The quantifier.
    pub modality: Modality,
    /// The state predicate.
    pub predicate: Predicate,
    /// The property as text, with all parentheses.
    pub text: String,
}

impl Reachability {
    /// The deciding states: if one is reachable, `EF` is true or `AG` is false.
    pub fn wanted(&self) -> Predicate {
        match self.modality {
            Modality::Some => self.predicate.clone(),
            Modality::All => negated(self.predicate.clone()),
        }
    }

    /// The truth value, given whether [such a state](Reachability::wanted) is reachable.
    pub fn verdict(&self, reachable: bool) -> bool {
        match self.modality {
            Modality::Some => reachable,
            Modality::All => !reachable,
        }
    }
}

fn negated(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Not(inner) => *inner,
        predicate => Predicate::Not(Box::new(predicate)),
    }
}

/// Converts a formula without temporal operators and events to a predicate; `None` otherwise.
pub fn state_predicate(
    formulas: &Formulas,
    propositions: &[Proposition],
    formula: Formula,
) -> Option<Predicate> {
    // Operands have smaller ids than the formulas made of them.
    let mut known: rustc_hash::FxHashMap<Formula, Predicate> = rustc_hash::FxHashMap::default();
    let mut parts = formulas.subformulas(formula);
    parts.sort_unstable();
    for part in parts {
        let of = |f: &Formula| known.get(f).cloned();
        let all = |fs: &[Formula]| fs.iter().map(of).collect::<Option<Vec<_>>>();
        let predicate = match formulas.node(part) {
            Node::True => Predicate::Const(true),
            Node::False => Predicate::Const(false),
            Node::Atom(atom) => match propositions.get(atom.index())? {
                Proposition::State(predicate) => predicate.clone(),
                Proposition::Fires(_) => return None,
            },
            Node::Not(f) => negated(of(f)?),
            Node::And(fs) => Predicate::And(all(fs)?),
            Node::Or(fs) => Predicate::Or(all(fs)?),
            Node::Implies([f, g]) => Predicate::Or(vec![negated(of(f)?), of(g)?]),
            Node::Iff([f, g]) => same(of(f)?, of(g)?),
            Node::Xor([f, g]) => negated(same(of(f)?, of(g)?)),
            _ => return None,
        };
        known.insert(part, predicate);
    }
    known.remove(&formula)
}

fn same(f: Predicate, g: Predicate) -> Predicate {
    Predicate::Or(vec![
        Predicate::And(vec![f.clone(), g.clone()]),
        Predicate::And(vec![negated(f), negated(g)]),
    ])
}
