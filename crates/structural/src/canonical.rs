//! Canonical form of predicates that are equivalent on a net.
//!
//! - `s <= k` is `!(s >= k+1)`, `s != k` is `!(s == k)`, and so on: only `>=` and `==` remain;
//! - `s == 0` is `!(s >= 1)` if no coefficient is negative, because counts are not;
//! - `enabled(ts)` is the disjunction over its events of their presets, without those that contain
//!   another preset or a never marked place.
//!
//! Predicates with equal forms agree in every marking without tokens in never marked places.

use crate::net::IncidenceNet;
use lariat_model::{Comparison, EventId, Linear, Predicate, Value, VarId};

/// Limit on the parts of a predicate, because parts are compared in pairs. Larger ones are kept.
const MOST_PARTS: usize = 300;

/// The number of events, comparisons and connectives of a predicate.
fn parts(predicate: &Predicate) -> usize {
    match predicate {
        Predicate::Enabled(events) => events.len(),
        Predicate::Not(inner) => parts(inner),
        Predicate::And(all) | Predicate::Or(all) => all.iter().map(parts).sum(),
        _ => 1,
    }
}

/// A predicate in canonical form; `false` means its negation.
pub(crate) type Signed = (Predicate, bool);

impl IncidenceNet {
    /// The canonical form of `predicate`.
    pub fn canonical(&self, predicate: &Predicate) -> Signed {
        if parts(predicate) > MOST_PARTS {
            return (predicate.clone(), true);
        }
        match predicate {
            Predicate::Const(value) => (Predicate::Const(true), *value),
            Predicate::Linear(linear) => compare(linear),
            Predicate::Enabled(events) => self.fireable(events),
            Predicate::Not(inner) => {
                let (form, sign) = self.canonical(inner);
                (form, !sign)
            }
            Predicate::And(all) => join(all.iter().map(|p| self.canonical(p)), false),
            Predicate::Or(all) => join(all.iter().map(|p| self.canonical(p)), true),
            Predicate::Expr(_) | Predicate::Deadlock => (predicate.clone(), true),
        }
    }

    fn fireable(&self, events: &[EventId]) -> Signed {
        let possible = events.iter().filter(|e| !self.silenced[e.index()]);
        let mut needs: Vec<&Vec<(VarId, Value)>> =
            possible.map(|e| &self.needs[e.index()]).collect();
        needs.sort_unstable();
        needs.dedup();
        // A preset that exceeds another is implied by it.
        let exceeds = |more: &[(VarId, Value)], less: &[(VarId, Value)]| {
            let has = |(p, n): &(VarId, Value)| more.iter().any(|(q, m)| p == q && m >= n);
            more != less && less.iter().all(has)
        };
        let is_minimal = |more: &&&Vec<_>| !needs.iter().any(|less| exceeds(more, less));
        let alternatives = needs.iter().filter(is_minimal).map(|needs| {
            let row = |(p, n): &(VarId, Value)| Predicate::compare(*p, Comparison::Ge, *n);
            join(needs.iter().map(|need| (row(need), true)), false)
        });
        join(alternatives, true)
    }
}

/// The disjunction of some forms if `any`, else their conjunction.
fn join(forms: impl Iterator<Item = Signed>, any: bool) -> Signed {
    let mut parts: Vec<Predicate> = Vec::new();
    for (form, sign) in forms {
        if form == Predicate::Const(true) {
            if sign == any {
                return (Predicate::Const(true), any);
            } else {
                continue;
            }
        }
        let part = if sign {
            form
        } else {
            Predicate::Not(Box::new(form))
        };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    match (parts.len(), parts.pop()) {
        (_, None) => (Predicate::Const(true), !any),
        (1, Some(Predicate::Not(inner))) => (*inner, false),
        (1, Some(part)) => (part, true),
        (_, Some(part)) => {
            parts.push(part);
            if any {
                (Predicate::Or(parts), true)
            } else {
                (Predicate::And(parts), true)
            }
        }
    }
}

fn compare(linear: &Linear) -> Signed {
    let with = |comparison, constant: Option<Value>, sign| {
        // On overflow of the constant the predicate is kept as it is.
        let Some(constant) = constant else {
            return (Predicate::Linear(linear.clone()), true);
        };
        let mut form = linear.clone();
        (form.comparison, form.constant) = (comparison, constant);
        (Predicate::Linear(form), sign)
    };
    let constant = linear.constant;
    let (comparison, sign) = match linear.comparison {
        Comparison::Ge => return with(Comparison::Ge, Some(constant), true),
        Comparison::Lt => return with(Comparison::Ge, Some(constant), false),
        Comparison::Gt => return with(Comparison::Ge, constant.checked_add(1), true),
        Comparison::Le => return with(Comparison::Ge, constant.checked_add(1), false),
        Comparison::Eq => (Comparison::Eq, true),
        Comparison::Ne => (Comparison::Eq, false),
    };
    if constant == 0 && linear.terms.iter().all(|(_, c)| *c > 0) {
        return with(Comparison::Ge, Some(1), !sign);
    }
    with(comparison, Some(constant), sign)
}
