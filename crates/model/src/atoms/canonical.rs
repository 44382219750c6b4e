//! One text for each atom, which is read back as the same atom.

use super::Atom;
use super::comparison::{Sum, is_word, normal};
use crate::names::{Names, Sort};
use crate::predicate::{Comparison, Linear, Predicate, Proposition};
use crate::system::{Domain, EventId, Value, VarId};

impl Names<'_> {
    /// `Σ left ⋈ Σ right` as an atom, for formulas that do not come as text.
    pub(crate) fn compare_sums(
        &self,
        left: (Vec<VarId>, Value),
        comparison: Comparison,
        right: (Vec<VarId>, Value),
    ) -> Option<Atom> {
        let sum = |(vars, constant): (Vec<VarId>, Value)| Sum {
            terms: vars.into_iter().map(|v| (v, 1)).collect(),
            constant: constant.into(),
        };
        normal(sum(left), comparison, sum(right)).map(|linear| self.predicate(linear))
    }

    /// Nothing is enabled.
    pub(crate) fn deadlock(&self) -> Atom {
        let text = if self.contains("deadlock") {
            "deadlock()"
        } else {
            "deadlock"
        };
        (text.to_owned(), Proposition::State(Predicate::Deadlock))
    }

    /// One of the events is taken.
    pub(super) fn fires(&self, mut events: Vec<EventId>) -> Atom {
        events.sort_unstable();
        events.dedup();
        (
            self.event_text("fires", &events),
            Proposition::Fires(events),
        )
    }

    /// One of the events is enabled.
    pub(crate) fn fireable(&self, mut events: Vec<EventId>) -> Atom {
        events.sort_unstable();
        events.dedup();
        let text = self.event_text("fireable", &events);
        (text, Proposition::State(Predicate::Enabled(events)))
    }

    fn event_text(&self, function: &str, events: &[EventId]) -> String {
        let names: Vec<&str> = events
            .iter()
            .map(|e| &*self.system().event(*e).name)
            .collect();
        format!("{function}({})", names.join(", "))
    }

    pub(super) fn predicate(&self, linear: Linear) -> Atom {
        if linear.terms.is_empty() {
            let value = linear.comparison.holds(0, linear.constant);
            let text = if value { "0 == 0" } else { "0 == 1" };
            return (text.to_owned(), Proposition::State(Predicate::Const(value)));
        }
        self.linear(linear)
    }

    pub(super) fn linear(&self, linear: Linear) -> Atom {
        let text = self.linear_text(&linear);
        (text, Proposition::State(Predicate::Linear(linear)))
    }

    fn linear_text(&self, linear: &Linear) -> String {
        let name = |var: VarId| &*self.system().variable(var).name;
        if let [(var, 1)] = linear.terms[..]
            && linear.comparison == Comparison::Ge
            && linear.constant == 1
            && matches!(self.system().variable(var).domain, Domain::Count { .. })
            && is_bare(name(var))
            && !self.is(name(var), Sort::Event)
        {
            return name(var).to_owned();
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for &(var, c) in &linear.terms {
            if c > 0 { &mut left } else { &mut right }.push((var, c.unsigned_abs()));
        }
        // The constant goes where it is not negative, unless the other side would be empty.
        let constant = linear.constant;
        let left_constant = if constant < 0 && !right.is_empty() {
            constant.unsigned_abs()
        } else {
            0
        };
        let mut right_text = self.sum_text(&right);
        if right.is_empty() {
            right_text = constant.to_string();
        } else if constant > 0 {
            right_text = format!("{right_text} + {constant}");
        }
        let mut left_text = self.sum_text(&left);
        if left_constant > 0 {
            left_text = format!("{left_text} + {left_constant}");
        }
        let operator = match linear.comparison {
            Comparison::Eq => "==",
            Comparison::Ne => "!=",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
        };
        format!("{left_text} {operator} {right_text}")
    }

    /// Terms added up; several with coefficient 1 in one `tokens(…)` when there are many.
    fn sum_text(&self, terms: &[(VarId, u64)]) -> String {
        let name = |var: VarId| &*self.system().variable(var).name;
        if terms.len() > 3 && terms.iter().all(|(_, c)| *c == 1) {
            let names: Vec<&str> = terms.iter().map(|(v, _)| name(*v)).collect();
            return format!("tokens({})", names.join(", "));
        }
        let term = |&(var, c): &(VarId, u64)| {
            let name = name(var);
            // What would be read as a number or an operator is spelt so that it cannot be.
            let plain = name.starts_with(|c: char| !c.is_ascii_digit() && c != '-')
                && !name.contains(char::is_whitespace);
            let spelt = if plain {
                name.to_owned()
            } else {
                format!("tokens({name})")
            };
            if c == 1 {
                spelt
            } else {
                format!("{c}*{spelt}")
            }
        };
        let terms: Vec<String> = terms.iter().map(term).collect();
        terms.join(" + ")
    }
}

/// Can this name stand in a formula without quotes, and mean nothing else?
fn is_bare(name: &str) -> bool {
    let constant = ["true", "false", "0", "1", "deadlock"].contains(&name);
    !constant && !name.is_empty() && name.chars().all(|c| is_word(c) || c == '.')
}
