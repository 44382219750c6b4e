//! Predicates as linear inequalities over markings.
//!
//! A predicate becomes a disjunction of *cases*, each a conjunction of rows `Σ c·m >= k`:
//!
//! ```text
//! enabled(ts)   ∨ over t of  ∧ over p of  m(p) >= need(t, p)
//! !enabled(t)   ∨ over p of  m(p) <= need(t, p) - 1
//! s = k         s >= k ∧ s <= k          s != k   s >= k+1 ∨ s <= k-1
//! ```
//!
//! The cases describe a *superset* of the markings that satisfy the predicate. If a disjunction
//! would get too long, or a predicate has no linear form, a conjunct is dropped. Excluding the
//! cases therefore excludes the predicate, but not the other way round.

use crate::net::IncidenceNet;
use lariat_model::{Comparison, EventId, Linear, Predicate, Value, VarId};

/// Limit on the rows of one case; further rows are dropped, which weakens the case.
const MOST_ROWS: usize = 400;

/// Limit on the cases of a disjunction.
const MOST_CASES: usize = 200;

/// The inequality `Σ c·m >= least`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LinearConstraint {
    /// The coefficients, sorted by place, no 0.
    pub terms: Vec<(VarId, i128)>,
    pub least: i128,
}

/// A conjunction of rows.
pub(crate) type LinearCase = Vec<LinearConstraint>;

/// A disjunction of cases; empty means false.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LinearCases(pub Vec<LinearCase>);

impl LinearConstraint {
    /// `place >= least`
    pub fn least(place: VarId, least: i128) -> LinearConstraint {
        let terms = vec![(place, 1)];
        LinearConstraint { terms, least }
    }

    /// `place <= most`
    pub fn most(place: VarId, most: i128) -> LinearConstraint {
        LinearConstraint {
            terms: vec![(place, -1)],
            least: -most,
        }
    }

    /// Returns whether the row holds in `state`; `None` if the sum overflows.
    pub fn holds(&self, state: &[Value]) -> Option<bool> {
        let sum = crate::certificate::dot(&self.terms, |p| i128::from(state[p.index()]))?;
        Some(sum >= self.least)
    }
}

/// Returns whether two rows about single places contradict each other.
pub(crate) fn is_contradiction(case: &LinearCase) -> bool {
    let single = |row: &LinearConstraint| match row.terms[..] {
        [(place, 1)] => Some((place, row.least)),
        _ => None,
    };
    let lowers: Vec<_> = case.iter().filter_map(single).collect();
    case.iter().any(|row| match row.terms[..] {
        [] => row.least > 0,
        [(place, -1)] => {
            let most = -row.least;
            most < 0 || lowers.iter().any(|(p, least)| *p == place && *least > most)
        }
        _ => false,
    })
}

impl LinearCases {
    /// The cases of `true`.
    pub fn any() -> LinearCases {
        LinearCases(vec![Vec::new()])
    }

    /// The cases of `false`.
    pub fn none() -> LinearCases {
        LinearCases(Vec::new())
    }

    /// The conjunction; only the shorter operand if there would be too many cases or rows.
    #[must_use]
    pub fn and(self, other: LinearCases) -> LinearCases {
        let (short, long) = if self.0.len() <= other.0.len() {
            (self, other)
        } else {
            (other, self)
        };
        if short.0.len().saturating_mul(long.0.len()) > MOST_CASES {
            return short;
        }
        let longest = |cases: &LinearCases| cases.0.iter().map(Vec::len).max().unwrap_or(0);
        if longest(&short) + longest(&long) > MOST_ROWS {
            return short;
        }
        let both = |a: &LinearCase, b: &LinearCase| {
            let mut case = a.clone();
            case.extend(b.iter().filter(|row| !a.contains(row)).cloned());
            case
        };
        let all = short.0.iter();
        let all = all.flat_map(|a| long.0.iter().map(move |b| both(a, b)));
        LinearCases(all.collect())
    }

    /// The disjunction; `true` if there would be too many cases.
    #[must_use]
    pub fn or(mut self, other: LinearCases) -> LinearCases {
        if self.0.len() + other.0.len() > MOST_CASES {
            return LinearCases::any();
        }
        self.0.extend(other.0);
        self
    }
}

impl IncidenceNet {
    /// Markings in which `predicate` has the value `truth`.
    pub fn cases(&self, predicate: &Predicate, truth: bool) -> LinearCases {
        match predicate {
            Predicate::Const(value) if *value == truth => LinearCases::any(),
            Predicate::Const(_) => LinearCases::none(),
            Predicate::Linear(linear) => compare(linear, truth),
            Predicate::Expr(_) => LinearCases::any(),
            Predicate::Enabled(events) if truth => self.some_enabled(events.iter().copied()),
            Predicate::Enabled(events) => self.none_enabled(events.iter().copied()),
            Predicate::Deadlock if truth => self.none_enabled(self.events()),
            Predicate::Deadlock => self.some_enabled(self.events()),
            Predicate::Not(inner) => self.cases(inner, !truth),
            Predicate::And(all) if truth => self.conjunction(all, truth),
            Predicate::Or(all) if !truth => self.conjunction(all, truth),
            Predicate::And(all) | Predicate::Or(all) => {
                let each = all.iter().map(|p| self.cases(p, truth));
                each.fold(LinearCases::none(), LinearCases::or)
            }
        }
    }

    fn conjunction(&self, all: &[Predicate], truth: bool) -> LinearCases {
        all.iter()
            .map(|p| self.cases(p, truth))
            .fold(LinearCases::any(), LinearCases::and)
    }

    /// Markings that enable at least one of the events.
    pub fn some_enabled(&self, events: impl Iterator<Item = EventId>) -> LinearCases {
        let mut cases: Vec<LinearCase> = Vec::new();
        for event in events.filter(|e| !self.silenced[e.index()]) {
            if cases.len() > MOST_CASES {
                return LinearCases::any();
            }
            let case = self.needed(event);
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
        LinearCases(cases)
    }

    /// The preset of the event as rows.
    pub fn needed(&self, event: EventId) -> LinearCase {
        let needs = self.needs[event.index()].iter();
        needs
            .map(|(place, need)| LinearConstraint::least(*place, i128::from(*need)))
            .collect()
    }

    /// Markings that enable none of the events. Small presets come first: their rows exclude most.
    fn none_enabled(&self, events: impl Iterator<Item = EventId>) -> LinearCases {
        let lack =
            |(place, need): &(VarId, Value)| LinearConstraint::most(*place, i128::from(*need) - 1);
        let mut lacks: Vec<Vec<LinearConstraint>> = events
            .filter(|e| !self.silenced[e.index()])
            .map(|e| self.needs[e.index()].iter().map(lack).collect())
            .collect();
        lacks.sort_by_key(Vec::len);
        let mut cases = LinearCases::any();
        for lacks in lacks {
            let open = |case: &&LinearCase| !lacks.iter().any(|row| case.contains(row));
            let open_cases = cases.0.iter().filter(open);
            let (opened, longest) =
                open_cases.fold((0, 0), |(n, most), case| (n + 1, case.len().max(most)));
            let kept = cases.0.len() - opened;
            if opened * lacks.len() + kept > MOST_CASES || longest >= MOST_ROWS {
                break;
            }
            let split = |case: LinearCase| {
                if !open(&&case) {
                    vec![case]
                } else {
                    (lacks.iter())
                        .map(|row| case.iter().chain([row]).cloned().collect())
                        .collect()
                }
            };
            cases = LinearCases(cases.0.into_iter().flat_map(split).collect());
        }
        cases
    }
}

fn compare(linear: &Linear, truth: bool) -> LinearCases {
    let scaled = |factor: i128, least: i128| {
        let terms = linear.terms.iter();
        let terms = terms.map(|(v, c)| (*v, factor * i128::from(*c))).collect();
        LinearCases(vec![vec![LinearConstraint { terms, least }]])
    };
    let constant = i128::from(linear.constant);
    let at_least = |least: i128| scaled(1, least);
    let at_most = |most: i128| scaled(-1, -most);
    match (linear.comparison, truth) {
        (Comparison::Ge, true) | (Comparison::Lt, false) => at_least(constant),
        (Comparison::Gt, true) | (Comparison::Le, false) => at_least(constant + 1),
        (Comparison::Le, true) | (Comparison::Gt, false) => at_most(constant),
        (Comparison::Lt, true) | (Comparison::Ge, false) => at_most(constant - 1),
        (Comparison::Eq, true) | (Comparison::Ne, false) => {
            at_least(constant).and(at_most(constant))
        }
        (Comparison::Ne, true) | (Comparison::Eq, false) => {
            at_least(constant + 1).or(at_most(constant - 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_testkit::nets;

    /// A conjunct of a disjunction that is too long may be the one that holds.
    #[test]
    fn long_disjunctions_become_true() {
        let arcs: Vec<_> = (0..MOST_CASES + 2).map(|place| [(place, 1, 0)]).collect();
        let events: Vec<&[_]> = arcs.iter().map(|arcs| &arcs[..]).collect();
        let system = nets::net(&[1; MOST_CASES + 2], &events);
        let net = IncidenceNet::of(&system).unwrap();
        let some = |events: usize| net.some_enabled(net.events().take(events));
        assert_eq!(some(MOST_CASES).0.len(), MOST_CASES);
        assert_eq!(some(MOST_CASES + 2), LinearCases::any());
        assert_eq!(some(MOST_CASES).or(some(1)), LinearCases::any());
        assert_eq!(some(MOST_CASES).and(some(2)), some(2));
        // Some of the disabled events are dropped.
        let none = net.none_enabled(net.events());
        let empty = vec![0; system.variables.len()];
        let holds = |case: &LinearCase| case.iter().all(|row| row.holds(&empty) == Some(true));
        assert!(none.0.iter().any(holds));
    }
}
