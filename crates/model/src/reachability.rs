//! Properties of reachable states: `EF p`, some state satisfies p, and `AG p`, all states do; and,
//! nested, `AG EF p`, from all states some state with p is reachable, and its negation `EF AG !p`.
//!
//! These are the only branching-time properties accepted: one or two modalities around a state
//! predicate. `AG p` is the linear-time property `G p`; `EF p` is the negation of `G !p`. Both are
//! reachability queries, which need no automaton. The nested ones are no linear-time properties.

use crate::predicate::{Predicate, Proposition};
use lariat_ltl::{Formula, Formulas, Node};

/// The quantifiers over reachable states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Modality {
    /// `EF p`: some reachable state satisfies p.
    Some,
    /// `AG p`: all reachable states satisfy p.
    All,
    /// `AG EF p`: from all reachable states a state with p is reachable.
    AllSome,
    /// `EF AG p`: from some reachable state only states with p are reachable.
    SomeAll,
}

impl Modality {
    /// Its keywords.
    pub fn name(self) -> &'static str {
        match self {
            Modality::Some => "EF",
            Modality::All => "AG",
            Modality::AllSome => "AG EF",
            Modality::SomeAll => "EF AG",
        }
    }

    /// Both modalities as one, the outer one first: `EF EF p` is `EF p`.
    pub fn around(self, inner: Modality) -> Option<Modality> {
        match (self, inner) {
            (Modality::Some, Modality::Some) => Some(Modality::Some),
            (Modality::All, Modality::All) => Some(Modality::All),
            (Modality::All, Modality::Some) => Some(Modality::AllSome),
            (Modality::Some, Modality::All) => Some(Modality::SomeAll),
            _ => None,
        }
    }

    /// Returns whether it consists of two different ones, so that it is no linear-time property.
    pub fn is_nested(self) -> bool {
        matches!(self, Modality::AllSome | Modality::SomeAll)
    }

    /// Returns whether a run shows that the property holds, as a witness; else a run shows that it
    /// is violated.
    pub fn is_witnessed(self) -> bool {
        matches!(self, Modality::Some | Modality::SomeAll)
    }
}

/// A property of reachable states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reachability {
    /// Its name or id.
    pub name: String,
    /// Whether it is `EF p`; otherwise it is `AG p`.
    pub exists: bool,
    /// The state predicate.
    pub predicate: Predicate,
    /// The property as text, with all parentheses.
    pub text: String,
}

impl Reachability {
    /// The deciding states: if one is reachable, `EF` is true or `AG` is false.
    pub fn wanted(&self) -> Predicate {
        if self.exists {
            self.predicate.clone()
        } else {
            negated(self.predicate.clone())
        }
    }

    /// The truth value, given whether [such a state](Reachability::wanted) is reachable.
    pub fn verdict(&self, reachable: bool) -> bool {
        reachable == self.exists
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
