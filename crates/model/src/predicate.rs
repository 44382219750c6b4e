//! State predicates, used as formula atoms and guards.

use crate::expr::Expr;
use crate::system::{EventId, Value, VarId};

/// A comparison operator on numbers.
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
    /// Returns whether `x ⋈ y` holds.
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

    /// The complementary operator.
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

    /// The operator for exchanged operands.
    #[must_use]
    pub fn mirrored(self) -> Comparison {
        match self {
            Comparison::Lt => Comparison::Gt,
            Comparison::Le => Comparison::Ge,
            Comparison::Gt => Comparison::Lt,
            Comparison::Ge => Comparison::Le,
            same => same,
        }
    }
}

/// `Σ cᵢ·xᵢ ⋈ constant`: distinct variables, sorted, with non-zero coefficients.
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
    /// A constant.
    Const(bool),
    /// A comparison of a linear sum.
    Linear(Linear),
    /// An expression that is not 0; a fault counts as false.
    Expr(Expr),
    /// At least one of these events is enabled.
    Enabled(Vec<EventId>),
    /// No event is enabled.
    Deadlock,
    /// Negation.
    Not(Box<Predicate>),
    /// Conjunction.
    And(Vec<Predicate>),
    /// Disjunction.
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

    /// Adds every variable that occurs explicitly; not those that [`Predicate::Enabled`] and
    /// [`Predicate::Deadlock`] depend on through events.
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

    /// Returns whether the truth depends on which events are enabled.
    pub fn reads_events(&self) -> bool {
        match self {
            Predicate::Enabled(_) | Predicate::Deadlock => true,
            Predicate::Const(_) | Predicate::Linear(_) | Predicate::Expr(_) => false,
            Predicate::Not(p) => p.reads_events(),
            Predicate::And(ps) | Predicate::Or(ps) => ps.iter().any(Predicate::reads_events),
        }
    }
}

/// The meaning of a formula atom at a position of a run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Proposition {
    /// A predicate on the state at the position.
    State(Predicate),
    /// One of these events, which are sorted, is taken next. False at a stuttering step.
    Fires(Vec<EventId>),
}
