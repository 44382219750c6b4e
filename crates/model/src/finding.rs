//! Findings: defects of a model that do not depend on a property.
//!
//! A reader declares the conditions that its language calls defects: failed assertions, invalid end
//! states. Two more follow from the system itself: the error state, and assignments beyond the
//! range of a variable ([`System::overflow`]). A finding is a condition on states; it is present if
//! a reachable state satisfies the condition.

use std::fmt;

use crate::overflow::Overflow;
use crate::predicate::{Comparison, Predicate};
use crate::system::System;

/// The kinds of findings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FindingKind {
    /// An assertion fails.
    Assertion,
    /// No event is enabled, and some process is not in a final state.
    EndState,
    /// The error state: an index, a divisor or a shift was out of range.
    Fault,
    /// A step assigns a value beyond the range of the variable, which wraps around.
    Overflow,
}

impl FindingKind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Assertion => "assertion",
            FindingKind::EndState => "end state",
            FindingKind::Fault => "fault",
            FindingKind::Overflow => "overflow",
        }
    }
}

/// A condition on states that is a defect of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// The name in the model, unique for the kind: `P.a` for an assertion in state a of P, the
    /// variable of the error state.
    pub name: String,
    /// The line of the declaration, from 1, if it has one.
    pub line: Option<u32>,
    /// The condition under which the finding is present.
    pub bad: Predicate,
}

/// The name of the finding and atom for overflow.
pub const OVERFLOW: &str = "overflow";

impl Finding {
    /// The name of the property that the finding is absent.
    pub fn property_name(&self) -> String {
        match self.kind {
            FindingKind::Assertion => format!("assert {}", self.name),
            FindingKind::EndState | FindingKind::Fault | FindingKind::Overflow => self.name.clone(),
        }
    }

    /// The text of the atom for the finding, without quotes.
    pub fn atom(&self) -> String {
        match self.kind {
            FindingKind::Assertion => format!("assert({})", self.name),
            FindingKind::EndState | FindingKind::Fault | FindingKind::Overflow => self.name.clone(),
        }
    }

    /// Returns whether the atom is true where the finding is absent, as an assertion is.
    pub fn is_claim(&self) -> bool {
        self.kind == FindingKind::Assertion
    }

    /// The condition under which the finding is absent.
    pub fn holds(&self) -> Predicate {
        match &self.bad {
            Predicate::Not(holds) => (**holds).clone(),
            bad => Predicate::Not(Box::new(bad.clone())),
        }
    }

    /// The meaning of the atom.
    pub fn truth(&self) -> Predicate {
        if self.is_claim() {
            self.holds()
        } else {
            self.bad.clone()
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            FindingKind::Assertion => write!(f, "assertion {} fails", self.name),
            FindingKind::EndState => f.write_str(&self.name),
            FindingKind::Fault => f.write_str("an index, a divisor or a shift is out of range"),
            FindingKind::Overflow => {
                f.write_str("a step assigns a value beyond the range of its variable")
            }
        }
    }
}

impl System {
    /// The declared findings, and last the error state if it exists.
    pub fn declared_findings(&self) -> Vec<Finding> {
        let fault = self.fault.map(|var| Finding {
            kind: FindingKind::Fault,
            name: self.variable(var).name.clone(),
            line: None,
            bad: Predicate::compare(var, Comparison::Ne, 0),
        });
        self.findings.iter().cloned().chain(fault).collect()
    }

    /// The finding that a value exceeds its range, if the condition can be expressed.
    pub fn overflow_finding(&self) -> Option<Finding> {
        match self.overflow() {
            Overflow::When(bad) => Some(Finding {
                kind: FindingKind::Overflow,
                name: OVERFLOW.to_owned(),
                line: None,
                bad,
            }),
            Overflow::Never | Overflow::TooLarge => None,
        }
    }
}
