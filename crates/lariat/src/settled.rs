//! Evaluates a predicate on `m`, `m + Δ`, `m + 2Δ`, … for the replay; independent of engines.
//!
//! A position of a covering run recurs in every round with `Δ ≥ 0` more tokens. A predicate is
//! *settled* there if it is known to have one truth value in all of these markings.
//!
//! - A sum `c·m + k·(c·Δ)` is monotonic in `k`. An inequality changes at most once, so it is
//!   settled if its value is the same for `k = 0` and in the limit. An equation is settled if the
//!   sum equals the constant for no `k`, or does not change.
//! - An enabled transition stays enabled. A disabled one becomes enabled, unless a place lacks
//!   tokens and gets none.
//! - Boolean combinations follow Kleene's logic: one settled false conjunct is enough.

use lariat_model::{Action, Comparison, EventId, Linear, Predicate, System, Value};

/// The truth value of the predicate in all of `m + k·growth`, if there is one.
pub(crate) fn settled(
    system: &System,
    predicate: &Predicate,
    m: &[Value],
    growth: &[Value],
) -> Option<bool> {
    let part = |p: &Predicate| settled(system, p, m, growth);
    match predicate {
        Predicate::Const(value) => Some(*value),
        Predicate::Linear(linear) => settled_sum(linear, m, growth),
        Predicate::Expr(expr) => {
            let mut vars = Vec::new();
            expr.collect_vars(&mut vars);
            let is_constant = vars.iter().all(|var| growth[var.index()] == 0);
            is_constant.then(|| system.holds(predicate, m))
        }
        Predicate::Enabled(events) => {
            let enabled = |event: &EventId| system.is_enabled(m, *event);
            let never = |event: &EventId| is_kept_off(system, *event, m, growth);
            if events.iter().any(enabled) {
                Some(true)
            } else {
                events.iter().all(never).then_some(false)
            }
        }
        Predicate::Deadlock => (!system.is_deadlock(m)).then_some(false),
        Predicate::Not(p) => part(p).map(|value| !value),
        Predicate::And(ps) => combined(ps.iter().map(part), false),
        Predicate::Or(ps) => combined(ps.iter().map(part), true),
    }
}

/// The value of a conjunction, which `false` decides, or of a disjunction, which `true` decides.
fn combined(mut parts: impl Iterator<Item = Option<bool>>, decides: bool) -> Option<bool> {
    let mut all_known = true;
    let decided = parts.any(|part| {
        all_known &= part.is_some();
        part == Some(decides)
    });
    if decided {
        Some(decides)
    } else {
        all_known.then_some(!decides)
    }
}

fn settled_sum(linear: &Linear, m: &[Value], growth: &[Value]) -> Option<bool> {
    let sum = |of: &[Value]| -> i128 {
        let terms = linear.terms.iter();
        terms
            .map(|(var, c)| i128::from(*c) * i128::from(of[var.index()]))
            .sum()
    };
    let (missing, slope) = (i128::from(linear.constant) - sum(m), sum(growth));
    let now = linear.comparison.holds(0, missing);
    if slope == 0 {
        return Some(now);
    }
    let settled = match linear.comparison {
        Comparison::Ge | Comparison::Gt => now == (slope > 0),
        Comparison::Le | Comparison::Lt => now == (slope < 0),
        // Not settled if the sum equals the constant in some round: it differs in the next.
        Comparison::Eq | Comparison::Ne => !(missing % slope == 0 && missing / slope >= 0),
    };
    settled.then_some(now)
}

/// Returns whether some place lacks tokens for the event and gets none.
fn is_kept_off(system: &System, event: EventId, m: &[Value], growth: &[Value]) -> bool {
    match &system.event(event).action {
        Action::Net(arcs) => arcs.iter().any(|arc| {
            let place = arc.var.index();
            m[place] < arc.need && growth[place] == 0
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_corpora::{Random, cases, seed};
    use lariat_model::{State, VarId};
    use lariat_testkit::{nets, predicates};

    /// Place 0 grows and place 1 does not; the events need tokens in place 0, in place 1, and none.
    #[test]
    fn predicates_that_added_tokens_may_change_are_not_settled() {
        let place = |name: &str| lariat_model::Variable {
            name: name.to_owned(),
            domain: lariat_model::Domain::Count { bound: None },
        };
        let event = |var: u32, need: Value| lariat_model::Event {
            name: format!("t{var}"),
            action: Action::Net(vec![lariat_model::Arc {
                var: VarId(var),
                need,
                delta: 0,
            }]),
        };
        let system = System {
            variables: ["p", "q"].map(place).into(),
            events: vec![event(0, 5), event(1, 1), event(0, 0)],
            ..System::default()
        };
        let dead = System {
            events: system.events[..2].to_vec(),
            ..system.clone()
        };
        let enabled = |events: &[u32]| {
            let events = events.iter().map(|e| EventId(*e)).collect();
            Predicate::Enabled(events)
        };
        let expression = |var: u32| Predicate::Expr(lariat_model::Expr::Var(VarId(var)));
        let at =
            |system: &System, predicate: &Predicate| settled(system, predicate, &[3, 0], &[1, 0]);
        for (predicate, value) in [
            (enabled(&[0]), None),
            (enabled(&[1]), Some(false)),
            (enabled(&[0, 1]), None),
            (enabled(&[1, 2]), Some(true)),
            (expression(0), None),
            (expression(1), Some(false)),
            (Predicate::Deadlock, Some(false)),
        ] {
            assert_eq!(at(&system, &predicate), value, "{predicate:?}");
        }
        assert_eq!(at(&dead, &Predicate::Deadlock), None);
    }

    /// Settled predicates keep their value in many rounds; other comparisons and enabledness
    /// change.
    #[test]
    fn settled_agrees_with_the_values_in_many_rounds() {
        let mut random = Random::new(seed(4_711));
        let (mut yes, mut no) = (0, 0);
        for case in 0..cases(3000) {
            let system = nets::any(&mut random);
            let places = system.variables.len();
            let draw = |random: &mut Random, most| -> State {
                (0..places).map(|_| random.between(0, most)).collect()
            };
            let (m, growth) = (draw(&mut random, 6), draw(&mut random, 2));
            let event = EventId(random.below(system.events.len() as u32));
            let simple = match random.below(3) {
                0 => Predicate::Enabled(vec![event]),
                _ => Predicate::Linear(predicates::linear(&mut random, places)),
            };
            let other = Predicate::compare(VarId(0), Comparison::Le, 2);
            let joined = Predicate::And(vec![
                Predicate::Not(Box::new(simple.clone())),
                Predicate::Or(vec![other, simple.clone()]),
            ]);
            let values = |predicate: &Predicate| -> Vec<bool> {
                let at = |k: Value| m.iter().zip(&growth).map(|(x, d)| x + k * d).collect();
                let at = |k| -> State { at(k) };
                (0..60).map(|k| system.holds(predicate, &at(k))).collect()
            };
            for predicate in [&simple, &joined] {
                let seen = values(predicate);
                let one = seen.iter().all(|value| *value == seen[0]);
                match settled(&system, predicate, &m, &growth) {
                    Some(value) => {
                        assert!(one && value == seen[0], "case {case}: {predicate:?}");
                        yes += 1;
                    }
                    None => {
                        assert!(!one || predicate == &joined, "case {case}: {predicate:?}");
                        no += 1;
                    }
                }
            }
        }
        let few = cases(3000) < 100;
        assert!(few || yes.min(no) > 50, "{yes} settled, {no} not");
    }
}
