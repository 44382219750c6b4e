//! Properties of reachable states: `EF p`, some state is like this, and `AG p`, all are.
//!
//! These are the only branching-time properties that are read: a single modality around a property of states. `AG p` is the
//! linear-time property `G p`; `EF p` says that `G !p` does not hold. Whether a state of either kind is reachable is a question of its own,
//! which needs no automaton.

use crate::error::InputError;
use crate::mcc;
use crate::names::Names;
use crate::predicate::{Predicate, Proposition};
use crate::properties::Properties;
use crate::system::VarId;
use lariat_ltl::{Formula, Formulas, Node};

/// Which states are spoken of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Modality {
    /// `EF p`: some reachable state satisfies it.
    Some,
    /// `AG p`: all reachable states satisfy it.
    All,
}

impl Modality {
    /// As it is written.
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
    /// Which states are spoken of.
    pub modality: Modality,
    /// What is said of them.
    pub predicate: Predicate,
    /// The same as text, with all parentheses.
    pub text: String,
}

impl Reachability {
    /// The states that decide it: if one of them is reachable, `EF` is true, or `AG` is false.
    pub fn wanted(&self) -> Predicate {
        match self.modality {
            Modality::Some => self.predicate.clone(),
            Modality::All => negated(self.predicate.clone()),
        }
    }

    /// Is it true, if such a state [is reachable](Reachability::wanted) or not?
    pub fn verdict(&self, reachable: bool) -> bool {
        match self.modality {
            Modality::Some => reachable,
            Modality::All => !reachable,
        }
    }

    /// Reads a property file of the contest in which every formula is `EF p` or `AG p`.
    pub fn read_mcc(
        names: &Names<'_>,
        origin: &str,
        bytes: &[u8],
    ) -> Result<Vec<Reachability>, InputError> {
        let mut properties = Properties::new();
        let about_some = mcc::read_branching(&mut properties, names, origin, bytes)?;
        let mut list = Vec::with_capacity(about_some.len());
        for (property, some) in properties.list.iter().zip(about_some) {
            let modality = if some { Modality::Some } else { Modality::All };
            let found = of_formula(&properties, property.formula, modality);
            list.push(Reachability {
                name: property.name.clone(),
                modality,
                predicate: found.ok_or_else(|| {
                    let message = format!("{} is no property of reachable states", property.name);
                    InputError::new(origin, message)
                        .help("expected <exists-path><finally> or <all-paths><globally> around a property of states")
                })?,
                text: text(modality, &property.text),
            });
        }
        Ok(list)
    }
}

/// Reads a file of bounds of the contest: names, and the places whose tokens are summed up.
pub fn read_mcc_bounds(
    names: &Names<'_>,
    origin: &str,
    bytes: &[u8],
) -> Result<Vec<(String, Vec<VarId>)>, InputError> {
    mcc::read_bounds(names, origin, bytes)
}

fn text(modality: Modality, path: &str) -> String {
    match modality {
        Modality::Some => format!("E{path}"),
        Modality::All => format!("A{path}"),
    }
}

fn negated(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Not(inner) => *inner,
        predicate => Predicate::Not(Box::new(predicate)),
    }
}

/// What `F p` under `E`, or `G p` under `A`, says of states.
fn of_formula(properties: &Properties, formula: Formula, modality: Modality) -> Option<Predicate> {
    let inner = match (properties.formulas.node(formula), modality) {
        (Node::Finally(inner), Modality::Some) | (Node::Globally(inner), Modality::All) => *inner,
        // `F true` and the like.
        (Node::True | Node::False, _) => formula,
        _ => return None,
    };
    state_predicate(&properties.formulas, &properties.propositions, inner)
}

/// A formula without temporal operators as a predicate; `None` if it has one, or speaks of events.
pub fn state_predicate(
    formulas: &Formulas,
    propositions: &[Proposition],
    formula: Formula,
) -> Option<Predicate> {
    // Operands come before what is made of them.
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
