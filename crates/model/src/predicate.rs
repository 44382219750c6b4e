//! Predicates: what formula atoms and guards say of a state.

use crate::expr::Expr;
use crate::system::{EventId, Value, VarId};

/// How two numbers compare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(missing_docs, reason = "named like the operators")]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Comparison {
    /// Does `x ⋈ y` hold?
    pub fn holds<T: Ord>(self, x: T, y: T) -> bool {
        match self {
            Comparison::Eq => x == y,
            Comparison::Ne => x != y,
            Comparison::Lt => x < y,
            Comparison::Le => x <= y,
            Comparison::Gt => x > y,
            Comparison::Ge => x >= y,
        }
    }

    /// What holds wherever this does not.
    #[must_use]
    pub fn negated(self) -> Comparison {
        match self {
            Comparison::Eq => Comparison::Ne,
            Comparison::Ne => Comparison::Eq,
            Comparison::Lt => Comparison::Ge,
            Comparison::Le => Comparison::Gt,
            Comparison::Gt => Comparison::Le,
            Comparison::Ge => Comparison::Lt,
        }
    }
}

/// `Σ cᵢ·xᵢ ⋈ constant`: each variable at most once, no coefficient 0, sorted by variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Linear {
    /// Variables with their coefficients.
    pub terms: Vec<(VarId, Value)>,
    /// The comparison.
    pub comparison: Comparison,
    /// The right-hand side.
    pub constant: Value,
}

/// A property of a single state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Predicate {
    /// Always or never.
    Const(bool),
    /// A comparison of a sum.
    Linear(Linear),
    /// An expression that is not 0; a fault counts as false.
    Expr(Expr),
    /// Some of these events is enabled.
    Enabled(Vec<EventId>),
    /// No event is enabled.
    Deadlock,
    /// The opposite.
    Not(Box<Predicate>),
    /// All of them.
    And(Vec<Predicate>),
    /// Some of them.
    Or(Vec<Predicate>),
}

impl Predicate {
    /// `var ⋈ constant`
    pub fn compare(var: VarId, comparison: Comparison, constant: Value) -> Predicate {
        Predicate::Linear(Linear {
            terms: vec![(var, 1)],
            comparison,
            constant,
        })
    }

    /// Adds every variable that is named; those behind [`Predicate::Enabled`] and
    /// [`Predicate::Deadlock`] belong to the events.
    pub fn collect_vars(&self, vars: &mut Vec<VarId>) {
        match self {
            Predicate::Const(_) | Predicate::Enabled(_) | Predicate::Deadlock => {}
            Predicate::Linear(linear) => vars.extend(linear.terms.iter().map(|(v, _)| *v)),
            Predicate::Expr(expr) => expr.collect_vars(vars),
            Predicate::Not(p) => p.collect_vars(vars),
            Predicate::And(ps) | Predicate::Or(ps) => {
                for p in ps {
                    p.collect_vars(vars);
                }
            }
        }
    }
}

/// What an atom of a formula says of a position of a run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Proposition {
    /// Of the state at the position.
    State(Predicate),
    /// One of these events, sorted, is taken from it. False at a stutter step.
    Fires(Vec<EventId>),
}
