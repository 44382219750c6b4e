//! Why a fact is true: statements that can be checked, and read.
//!
//! A certificate is a list of statements, each true of every run. What makes each of them true is a
//! property of single events, checked in exact integers by [`Statement::check`]:
//!
//! - *invariant* `w·m <= k`: true at the start, and no event adds to `w·m`;
//! - *empty* places: none is marked at the start, and who puts a token on one takes a token from one;
//! - *ranking* `w >= 0`: no event adds to `w·m`, and those listed take from it, so that they fire at most `w·m0` times.
//!
//! Events that need an empty place are not looked at by the other statements.

use crate::net::Net;
use crate::skeleton::Skeleton;
use lariat_model::{EventId, System, Value, VarId};
use std::fmt::Write as _;
use std::sync::Arc;

/// Places with their weights: sorted, no 0.
pub type Weights = Vec<(VarId, i128)>;

/// One reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// `weights·m <= most` in every reachable marking.
    Invariant {
        /// The left side.
        weights: Weights,
        /// The right side.
        most: i128,
    },
    /// These places are never marked.
    Empty(Vec<VarId>),
    /// These events, which are among all that can be looked at, take from `weights·m`, to which none adds.
    Ranking {
        /// Not negative.
        weights: Weights,
        /// The events that can fire only finitely often; sorted.
        finite: Vec<EventId>,
        /// The events that were looked at; sorted. Usually all.
        among: Vec<EventId>,
    },
    /// This event needs nothing, so it is always enabled.
    Always(EventId),
}

/// Why a fact is true; nothing but the definitions if it is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Certificate {
    /// The reasons.
    pub statements: Vec<Statement>,
    /// The net that they speak of, if it is the system without its colours.
    pub skeleton: Option<Arc<Skeleton>>,
}

impl Certificate {
    /// Adds the reasons of another one that are not known yet.
    pub fn extend(&mut self, other: Certificate) {
        for statement in other.statements {
            if !self.statements.contains(&statement) {
                self.statements.push(statement);
            }
        }
        self.skeleton = self.skeleton.take().or(other.skeleton);
    }

    /// Is every statement true of this system?
    pub fn check(&self, system: &System) -> bool {
        let folded = |skeleton: &Arc<Skeleton>| skeleton.is_of(system);
        self.skeleton.as_ref().is_none_or(folded)
            && Net::of(self.about(system)).is_some_and(|net| self.is_true_of(&net))
    }

    /// Is every statement true of this net?
    pub(crate) fn is_true_of(&self, net: &Net) -> bool {
        self.statements.iter().all(|s| s.check(net) == Some(true))
    }

    /// The net that the statements speak of.
    fn about<'s>(&'s self, system: &'s System) -> &'s System {
        self.skeleton.as_deref().map_or(system, Skeleton::net)
    }

    /// The reasons as sentences, `2·p + q <= 3`.
    pub fn sentences(&self, system: &System) -> Vec<String> {
        let system = self.about(system);
        self.statements.iter().map(|s| s.sentence(system)).collect()
    }
}

impl From<Statement> for Certificate {
    fn from(statement: Statement) -> Certificate {
        Certificate {
            statements: vec![statement],
            skeleton: None,
        }
    }
}

/// `weights·values`, `None` if it leaves 128 bits.
pub(crate) fn dot(weights: &[(VarId, i128)], value: impl Fn(VarId) -> i128) -> Option<i128> {
    weights.iter().try_fold(0i128, |sum, (place, weight)| {
        sum.checked_add(weight.checked_mul(value(*place))?)
    })
}

/// `weights·effect`; both are sorted by place.
pub(crate) fn gain(weights: &[(VarId, i128)], effect: &[(VarId, Value)]) -> Option<i128> {
    effect.iter().try_fold(0i128, |sum, (place, change)| {
        match weights.binary_search_by_key(place, |(p, _)| *p) {
            Ok(at) => sum.checked_add(weights[at].1.checked_mul(i128::from(*change))?),
            Err(_) => Some(sum),
        }
    })
}

/// The largest `weights·m0` over all initial markings.
pub(crate) fn at_start(net: &Net, weights: &[(VarId, i128)]) -> Option<i128> {
    let at = |state: &lariat_model::State| dot(weights, |p| i128::from(state[p.index()]));
    let mut most = None;
    for state in &net.initial {
        most = most.max(Some(at(state)?));
    }
    most
}

impl Statement {
    /// Is it true of the net? `None` where numbers are too large to tell.
    pub(crate) fn check(&self, net: &Net) -> Option<bool> {
        match self {
            Statement::Invariant { weights, most } => {
                for effect in &net.effects {
                    if gain(weights, effect)? > 0 {
                        return Some(false);
                    }
                }
                Some(at_start(net, weights)? <= *most)
            }
            // Found by the same fixpoint that makes the net.
            Statement::Empty(places) => Some(places.iter().all(|p| net.empty[p.index()])),
            Statement::Ranking {
                weights,
                finite,
                among,
            } => {
                let mut good = weights.iter().all(|(_, weight)| *weight > 0);
                for event in among {
                    let Some(column) = net.column(*event) else {
                        good &= net.silenced[event.index()] || finite.binary_search(event).is_err();
                        continue;
                    };
                    let gain = gain(weights, &net.effects[column])?;
                    good &= gain < 0 || gain == 0 && finite.binary_search(event).is_err();
                }
                Some(good && finite.iter().all(|e| among.binary_search(e).is_ok()))
            }
            Statement::Always(event) => Some(net.needs[event.index()].is_empty()),
        }
    }

    /// Is it a ranking by which some event fires finitely often?
    pub(crate) fn ranks_some(&self) -> bool {
        matches!(self, Statement::Ranking { finite, .. } if !finite.is_empty())
    }

    /// The statement in a line.
    pub fn sentence(&self, system: &System) -> String {
        let name = |place: &VarId| system.variable(*place).name.clone();
        let names = |places: &[VarId]| places.iter().map(name).collect::<Vec<_>>().join(", ");
        match self {
            Statement::Invariant { weights, most } => inequality(system, weights, *most),
            Statement::Empty(places) => format!("never marked: {}", names(places)),
            Statement::Ranking {
                weights,
                finite,
                among,
            } => {
                let sum = sum(system, weights.iter().map(|(p, w)| (*p, *w)));
                if finite.len() == among.len() {
                    format!("every step takes from {sum}")
                } else {
                    format!(
                        "{} of {} events take from {sum}, and none adds to it",
                        finite.len(),
                        among.len()
                    )
                }
            }
            Statement::Always(event) => format!("always enabled: {}", system.event(*event).name),
        }
    }
}

/// `Σ left <= Σ right`, all weights positive.
fn inequality(system: &System, weights: &[(VarId, i128)], most: i128) -> String {
    let mut left = sum(system, weights.iter().filter(|(_, w)| *w > 0).copied());
    let mut right = sum(
        system,
        weights
            .iter()
            .filter(|(_, w)| *w < 0)
            .map(|(p, w)| (*p, -w)),
    );
    // The constant goes to the side where it is not negative.
    let (side, constant) = if right.is_empty() || most >= 0 {
        (&mut right, most)
    } else {
        (&mut left, -most)
    };
    match side.is_empty() {
        true => *side = constant.to_string(),
        false if constant != 0 => {
            let _ = write!(side, " + {constant}");
        }
        false => {}
    }
    if left.is_empty() {
        left.push('0');
    }
    format!("{left} <= {right}")
}

/// `2·p + q`; nothing if there is nothing.
fn sum(system: &System, weights: impl Iterator<Item = (VarId, i128)>) -> String {
    let mut text = String::new();
    for (place, weight) in weights {
        if !text.is_empty() {
            text.push_str(" + ");
        }
        if weight != 1 {
            let _ = write!(text, "{weight}·");
        }
        text.push_str(&system.variable(place).name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_model::{Action, Arc, Domain, Event, Variable};

    /// `t`: 2 p → q, with one token on p; `u` tests q.
    fn system() -> System {
        let place = |name: &str| Variable {
            name: name.to_owned(),
            domain: Domain::Count { bound: None },
        };
        let arc = |var, need, delta| Arc {
            var: VarId(var),
            need,
            delta,
        };
        let event = |name: &str, arcs| Event {
            name: name.to_owned(),
            action: Action::Net(arcs),
        };
        System {
            variables: vec![place("p"), place("q")],
            events: vec![
                event("t", vec![arc(0, 2, -2), arc(1, 0, 1)]),
                event("u", vec![arc(1, 1, 0)]),
            ],
            initial: vec![[3, 0].into()],
            ..System::default()
        }
    }

    #[test]
    fn statements_are_checked_and_read_well() {
        let system = system();
        let (p, q) = (VarId(0), VarId(1));
        let invariant = |weights: &[(VarId, i128)], most| Statement::Invariant {
            weights: weights.to_vec(),
            most,
        };
        let (t, u) = (EventId(0), EventId(1));
        let ranking = |finite: &[EventId]| Statement::Ranking {
            weights: vec![(p, 1)],
            finite: finite.to_vec(),
            among: vec![t, u],
        };
        for (statement, good, text) in [
            (invariant(&[(p, 1), (q, 2)], 3), true, "p + 2·q <= 3"),
            (invariant(&[(p, 1), (q, 2)], 2), false, "p + 2·q <= 2"),
            (invariant(&[(q, 1)], 9), false, "q <= 9"),
            (invariant(&[(p, -1), (q, -2)], -3), true, "3 <= p + 2·q"),
            (invariant(&[(p, 1), (q, -1)], 3), true, "p <= q + 3"),
            (Statement::Empty(vec![q]), false, "never marked: q"),
            (
                ranking(&[t]),
                true,
                "1 of 2 events take from p, and none adds to it",
            ),
            (ranking(&[t, u]), false, "every step takes from p"),
            (Statement::Always(u), false, "always enabled: u"),
        ] {
            assert_eq!(statement.sentence(&system), text);
            assert_eq!(Certificate::from(statement).check(&system), good, "{text}");
        }
    }

    /// Each ranking, invariant or list of empty places is wrong in one way only.
    #[test]
    fn wrong_statements_are_refused() {
        let (p, q, t, u) = (VarId(0), VarId(1), EventId(0), EventId(1));
        let ranking = |weight, finite: &[EventId], among: &[EventId]| Statement::Ranking {
            weights: vec![weight],
            finite: finite.to_vec(),
            among: among.to_vec(),
        };
        let plain = system();
        let wrong = |statement: Statement, system: &System| {
            let certificate = Certificate::from(statement);
            assert!(!certificate.check(system), "{certificate:?}");
        };
        // `t` adds to q: that is no weight, and turned round it has no end.
        wrong(ranking((q, 1), &[], &[t, u]), &plain);
        wrong(ranking((q, -1), &[t], &[t, u]), &plain);
        // Who was not looked at, or changes nothing, may go on.
        wrong(ranking((p, 1), &[t], &[u]), &plain);
        wrong(ranking((p, 1), &[u], &[u]), &plain);
        let mut drains = plain.clone();
        let drain = Arc {
            var: q,
            need: 1,
            delta: -1,
        };
        drains.events[1].action = Action::Net(vec![drain]);
        wrong(ranking((p, 1), &[t, u], &[t, u]), &drains);
        // Each start counts.
        let mut twice = plain.clone();
        twice.initial = vec![[3, 0].into(), [5, 0].into(), [0, 0].into()];
        for (most, good) in [(4, false), (5, true)] {
            let weights = vec![(p, 1), (q, 2)];
            let sum = Certificate::from(Statement::Invariant { weights, most });
            assert_eq!(sum.check(&twice), good);
        }
        // With a third place, which is never marked, so that `u` never fires.
        let mut silent = plain.clone();
        silent.variables.push(plain.variables[0].clone());
        silent.initial = vec![[3, 0, 0].into()];
        let need = Arc {
            var: VarId(2),
            need: 1,
            delta: 0,
        };
        silent.events[1].action = Action::Net(vec![need]);
        let empty = |places: &[VarId]| Statement::Empty(places.to_vec());
        assert!(Certificate::from(empty(&[VarId(2)])).check(&silent));
        wrong(empty(&[p, VarId(2)]), &silent);
        assert!(Certificate::from(ranking((p, 1), &[t, u], &[t, u])).check(&silent));
    }

    #[test]
    fn too_large_is_not_true() {
        let weights = vec![(VarId(0), i128::MAX)];
        let huge = Statement::Invariant {
            weights,
            most: i128::MAX,
        };
        assert!(!Certificate::from(huge).check(&system()));
        // Two of the largest number are −2, if nobody looks: what an event adds to places without tokens, and what is there at the start.
        let sum = |place: VarId| {
            let weights = vec![(place, i128::MAX)];
            Certificate::from(Statement::Invariant { weights, most: 0 })
        };
        let mut system = system();
        let Action::Net(arcs) = &mut system.events[0].action else {
            panic!("a net");
        };
        (arcs[0].delta, arcs[1].delta) = (-1, 2);
        assert!(!sum(VarId(1)).check(&system));
        system.initial = vec![[2, 0].into()];
        assert!(!sum(VarId(0)).check(&system));
    }
}
