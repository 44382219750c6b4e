//! The canonical text of an atom, which parses to the same atom.

use super::comparison::{LinearSum, is_word, normal};
use super::{ParsedAtom, TokenSum};
use crate::names::{NameKind, Names};
use crate::predicate::{Comparison, Linear, Predicate, Proposition};
use crate::system::{Domain, EventId, Value, VarId};

impl Names<'_> {
    /// `Σ left ⋈ Σ right` as an atom, for formulas that do not come as text.
    pub fn compare_sums(
        &self,
        left: TokenSum,
        comparison: Comparison,
        right: TokenSum,
    ) -> Option<ParsedAtom> {
        let sum = |sum: TokenSum| LinearSum {
            terms: sum.vars.into_iter().map(|v| (v, 1)).collect(),
            constant: sum.constant.into(),
        };
        normal(sum(left), comparison, sum(right)).map(|linear| self.predicate(linear))
    }

    /// The canonical text of a proposition about a net; `None` if it has no names.
    pub fn spelt(&self, proposition: &Proposition) -> Option<String> {
        match proposition {
            Proposition::State(Predicate::Linear(linear)) => Some(self.linear_text(linear)),
            Proposition::State(Predicate::Enabled(events)) => {
                Some(self.event_text("fireable", events))
            }
            Proposition::Fires(events) => Some(self.event_text("fires", events)),
            Proposition::State(_) => None,
        }
    }

    /// The atom that nothing is enabled.
    pub fn deadlock(&self) -> ParsedAtom {
        let text = if self.contains("deadlock") {
            "deadlock()"
        } else {
            "deadlock"
        };
        (text.to_owned(), Proposition::State(Predicate::Deadlock))
    }

    /// The atom that one of the events is taken.
    pub(super) fn fires(&self, events: Vec<EventId>) -> ParsedAtom {
        self.about_events("fires", events, Proposition::Fires)
    }

    /// The atom that one of the events is enabled.
    pub fn fireable(&self, events: Vec<EventId>) -> ParsedAtom {
        let enabled = |events| Proposition::State(Predicate::Enabled(events));
        self.about_events("fireable", events, enabled)
    }

    fn about_events(
        &self,
        function: &str,
        mut events: Vec<EventId>,
        meaning: impl Fn(Vec<EventId>) -> Proposition,
    ) -> ParsedAtom {
        events.sort_unstable();
        events.dedup();
        if events.is_empty() {
            return constant(false);
        }
        (self.event_text(function, &events), meaning(events))
    }

    fn event_text(&self, function: &str, events: &[EventId]) -> String {
        let mut names: Vec<&str> = Vec::with_capacity(events.len());
        let mut at = 0;
        while let Some(event) = events.get(at) {
            // A transition stands for all its bindings.
            let whole = self
                .colours
                .as_ref()
                .and_then(|c| c.transition_from(*event));
            let (name, len) = match whole {
                Some((name, len)) if is_run(events.get(at..at + len), |e| e.0) => (name, len),
                _ => (&*self.system().event(*event).name, 1),
            };
            names.push(name);
            at += len;
        }
        format!("{function}({})", names.join(", "))
    }

    pub(super) fn predicate(&self, linear: Linear) -> ParsedAtom {
        if linear.terms.is_empty() {
            return constant(linear.comparison.holds(0, linear.constant));
        }
        self.linear(linear)
    }

    pub(super) fn linear(&self, linear: Linear) -> ParsedAtom {
        let text = self.linear_text(&linear);
        (text, Proposition::State(Predicate::Linear(linear)))
    }

    fn linear_text(&self, linear: &Linear) -> String {
        let counts = |(var, _): &(VarId, Value)| {
            matches!(self.system().variable(*var).domain, Domain::Count { .. })
        };
        let terms = self.spelt_terms(&linear.terms);
        if let [(name, 1)] = terms[..]
            && linear.comparison == Comparison::Ge
            && linear.constant == 1
            && linear.terms.iter().all(counts)
            && is_bare(name)
            && !self.is(name, NameKind::Event)
        {
            return name.to_owned();
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for &(name, c) in &terms {
            if c > 0 { &mut left } else { &mut right }.push((name, c.unsigned_abs()));
        }
        // The constant is written on the side where it is not negative, unless the other would be
        // empty.
        let constant = linear.constant;
        let plus = |text: String, more: Value| match more {
            0 => text,
            more => format!("{text} + {}", more.unsigned_abs()),
        };
        let (left_text, right_text) = if right.is_empty() {
            (sum_text(&left), constant.to_string())
        } else {
            let (on_left, on_right) = (constant.min(0), constant.max(0));
            (
                plus(sum_text(&left), on_left),
                plus(sum_text(&right), on_right),
            )
        };
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

    /// Names of the terms; a place stands for all its colours with equal coefficients.
    fn spelt_terms(&self, terms: &[(VarId, Value)]) -> Vec<(&str, Value)> {
        let mut spelt = Vec::with_capacity(terms.len());
        let mut at = 0;
        while let Some((var, factor)) = terms.get(at) {
            let whole = self.colours.as_ref().and_then(|c| c.place_from(*var));
            let same = |terms: &[(VarId, Value)]| terms.iter().all(|(_, c)| c == factor);
            let (name, len) = match whole {
                Some((name, len))
                    if is_run(terms.get(at..at + len), |(var, _)| var.0)
                        && terms.get(at..at + len).is_some_and(same) =>
                {
                    (name, len)
                }
                _ => (&*self.system().variable(*var).name, 1),
            };
            spelt.push((name, *factor));
            at += len;
        }
        spelt
    }
}

/// Returns whether the (sorted) slice exists and its numbers are consecutive.
fn is_run<T>(things: Option<&[T]>, number: impl Fn(&T) -> u32) -> bool {
    things.is_some_and(|things| match things {
        [first, .., last] => number(last) - number(first) == things.len() as u32 - 1,
        _ => true,
    })
}

/// A sum as text; many terms with coefficient 1 are written as one `tokens(…)`.
fn sum_text(terms: &[(&str, u64)]) -> String {
    if terms.len() > 3 && terms.iter().all(|(_, c)| *c == 1) {
        let names: Vec<&str> = terms.iter().map(|(name, _)| *name).collect();
        return format!("tokens({})", names.join(", "));
    }
    let term = |&(name, c): &(&str, u64)| {
        // Names that could be read as a number or an operator are wrapped.
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

fn constant(value: bool) -> ParsedAtom {
    let text = if value { "0 == 0" } else { "0 == 1" };
    (text.to_owned(), Proposition::State(Predicate::Const(value)))
}

/// Returns whether the name can stand unquoted in a formula without another meaning.
fn is_bare(name: &str) -> bool {
    let constant = ["true", "false", "0", "1", "deadlock"].contains(&name);
    !constant && !name.is_empty() && name.chars().all(|c| is_word(c) || c == '.')
}
