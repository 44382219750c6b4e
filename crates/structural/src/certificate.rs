//! Certificates: statements that prove a fact, checkable and printable.
//!
//! A certificate is a list of statements, each true of every run. Each follows from conditions on
//! single events, checked in exact integers by [`Statement::check`]:
//!
//! - *invariant* `w·m <= k`: true initially, and no event increases `w·m`;
//! - *empty* places: none is marked initially, and an event that adds to one takes from one of
//!   them;
//! - *ranking* `w >= 0`: no event increases `w·m`, and the listed events decrease it, so that they
//!   fire at most `w·m0` times;
//! - *draining* places: when the considered events no longer add to a place, those that take from it
//!   repeat no more, and are considered no more for the next place.
//!
//! Other statements ignore events that need an empty place, because these never fire.

use crate::draining::drains;
use crate::net::IncidenceNet;
use crate::skeleton::Skeleton;
use lariat_budget::Stop;
use lariat_model::{EventId, System, Value, VarId};
use std::fmt::Write as _;
use std::sync::Arc;

/// Limit on the places in the text of a draining sequence.
const SHOWN: usize = 8;

/// Places with their weights: sorted, no 0.
pub type PlaceWeights = Vec<(VarId, i128)>;

/// A statement about all runs of a net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// `weights·m <= most` in every reachable marking.
    Invariant {
        /// The coefficients.
        weights: PlaceWeights,
        /// The constant.
        most: i128,
    },
    /// These places are never marked.
    Empty(Vec<VarId>),
    /// The events `finite` decrease `weights·m`, and no event of `among` increases it.
    Ranking {
        /// Positive weights.
        weights: PlaceWeights,
        /// The events that can fire only finitely often; sorted.
        finite: Vec<EventId>,
        /// The events considered, usually all; sorted.
        among: Vec<EventId>,
    },
    /// Each place is filled by no event of `among` except those that take from an earlier place.
    Draining {
        /// The places in order.
        places: Vec<VarId>,
        /// The events that take from these places, which fire only finitely often; sorted.
        finite: Vec<EventId>,
        /// The events considered, usually all; sorted.
        among: Vec<EventId>,
    },
    /// This event needs no tokens, so it is always enabled.
    Always(EventId),
}

/// A proof of a fact; empty if the fact follows from the definitions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Certificate {
    /// The statements, all of which are needed.
    pub statements: Vec<Statement>,
    /// The skeleton that the statements are about; `None` if they are about the system itself.
    pub skeleton: Option<Arc<Skeleton>>,
}

impl Certificate {
    /// The statements of all reasons; `None` if one of them is unknown.
    pub(crate) fn of_all(
        reasons: impl IntoIterator<Item = Result<Option<Certificate>, Stop>>,
    ) -> Result<Option<Certificate>, Stop> {
        let mut all = Certificate::default();
        for reason in reasons {
            match reason? {
                Some(reason) => all.extend(reason),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// Adds the statements of another certificate, without duplicates.
    pub fn extend(&mut self, other: Certificate) {
        for statement in other.statements {
            if !self.statements.contains(&statement) {
                self.statements.push(statement);
            }
        }
        self.skeleton = self.skeleton.take().or(other.skeleton);
    }

    /// Returns whether every statement is true of this system.
    pub fn check(&self, system: &System) -> bool {
        let folded = |skeleton: &Arc<Skeleton>| skeleton.is_of(system);
        self.skeleton.as_ref().is_none_or(folded)
            && IncidenceNet::of(self.about(system)).is_some_and(|net| self.is_true_of(&net))
    }

    /// Returns whether every statement is true of this net.
    pub(crate) fn is_true_of(&self, net: &IncidenceNet) -> bool {
        self.statements.iter().all(|s| s.check(net) == Some(true))
    }

    /// The net that the statements are about.
    fn about<'s>(&'s self, system: &'s System) -> &'s System {
        self.skeleton.as_deref().map_or(system, Skeleton::net)
    }

    /// The statements as text, for example `2·p + q <= 3`.
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

/// The product `weights·values`; `None` on overflow.
pub(crate) fn dot(weights: &[(VarId, i128)], value: impl Fn(VarId) -> i128) -> Option<i128> {
    weights.iter().try_fold(0i128, |sum, (place, weight)| {
        sum.checked_add(weight.checked_mul(value(*place))?)
    })
}

/// The product `weights·effect`, both sorted by place; `None` on overflow.
pub(crate) fn gain(weights: &[(VarId, i128)], effect: &[(VarId, Value)]) -> Option<i128> {
    effect.iter().try_fold(0i128, |sum, (place, change)| {
        match weights.binary_search_by_key(place, |(p, _)| *p) {
            Ok(at) => sum.checked_add(weights[at].1.checked_mul(i128::from(*change))?),
            Err(_) => Some(sum),
        }
    })
}

/// The largest `weights·m0` over all initial markings.
pub(crate) fn at_start(net: &IncidenceNet, weights: &[(VarId, i128)]) -> Option<i128> {
    let at = |state: &lariat_model::State| dot(weights, |p| i128::from(state[p.index()]));
    let mut most = None;
    for state in &net.initial {
        most = most.max(Some(at(state)?));
    }
    most
}

impl Statement {
    /// Checks the statement for the net; `None` on overflow.
    pub(crate) fn check(&self, net: &IncidenceNet) -> Option<bool> {
        match self {
            Statement::Invariant { weights, most } => {
                for effect in &net.effects {
                    if gain(weights, effect)? > 0 {
                        return Some(false);
                    }
                }
                Some(at_start(net, weights)? <= *most)
            }
            // Compared with the siphon that was computed for the net.
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
            Statement::Draining {
                places,
                finite,
                among,
            } => Some(drains(net, places, finite, among)),
            Statement::Always(event) => Some(net.needs[event.index()].is_empty()),
        }
    }

    /// Returns whether it proves that at least one event fires finitely often.
    pub(crate) fn ranks_some(&self) -> bool {
        match self {
            Statement::Ranking { finite, .. } | Statement::Draining { finite, .. } => {
                !finite.is_empty()
            }
            _ => false,
        }
    }

    /// The statement as one line of text.
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
                let sum = sum(system, weights.iter().copied());
                let (finite, all) = (finite.len(), among.len());
                if finite == all {
                    format!("every step decreases {sum}")
                } else {
                    format!("{finite} of {all} events decrease {sum}, and none increases it")
                }
            }
            Statement::Draining {
                places,
                finite,
                among,
            } => {
                let (finite, all) = (finite.len(), among.len());
                let shown = names(&places[..places.len().min(SHOWN)]);
                let more = if places.len() > SHOWN { ", …" } else { "" };
                format!(
                    "{finite} of {all} events drain places that only such events fill: {shown}{more}"
                )
            }
            Statement::Always(event) => format!("always enabled: {}", system.event(*event).name),
        }
    }
}

/// `Σ left <= Σ right`, with positive weights on both sides.
fn inequality(system: &System, weights: &[(VarId, i128)], most: i128) -> String {
    let mut left = sum(system, weights.iter().filter(|(_, w)| *w > 0).copied());
    let negative = weights.iter().filter(|(_, w)| *w < 0);
    let mut right = sum(system, negative.map(|(p, w)| (*p, -w)));
    // The constant goes to the side where it is not negative.
    let (side, constant) = if right.is_empty() || most >= 0 {
        (&mut right, most)
    } else {
        (&mut left, -most)
    };
    if side.is_empty() {
        *side = constant.to_string();
    } else if constant != 0 {
        let _ = write!(side, " + {constant}");
    }
    if left.is_empty() {
        left.push('0');
    }
    format!("{left} <= {right}")
}

/// `2·p + q`; empty without weights.
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
    use lariat_model::Action;
    use lariat_testkit::nets::net;

    /// t0: 2 p0 → p1
    const T: &[(usize, Value, Value)] = &[(0, 2, 0), (1, 0, 1)];

    /// Three tokens on p0; t1 tests p1.
    fn system() -> System {
        net(&[3, 0], &[T, &[(1, 1, 1)]])
    }

    #[test]
    fn statements_are_checked_and_printed() {
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
        let one_of_two = "1 of 2 events decrease p0, and none increases it";
        for (statement, good, text) in [
            (invariant(&[(p, 1), (q, 2)], 3), true, "p0 + 2·p1 <= 3"),
            (invariant(&[(p, 1), (q, 2)], 2), false, "p0 + 2·p1 <= 2"),
            (invariant(&[(q, 1)], 9), false, "p1 <= 9"),
            (invariant(&[(p, -1), (q, -2)], -3), true, "3 <= p0 + 2·p1"),
            (invariant(&[(p, 1), (q, -1)], 3), true, "p0 <= p1 + 3"),
            (Statement::Empty(vec![q]), false, "never marked: p1"),
            (ranking(&[t]), true, one_of_two),
            (ranking(&[t, u]), false, "every step decreases p0"),
            (Statement::Always(u), false, "always enabled: t1"),
        ] {
            assert_eq!(statement.sentence(&system), text);
            assert_eq!(Certificate::from(statement).check(&system), good, "{text}");
        }
    }

    /// Each statement has exactly one defect.
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
        // `t` increases q: a weight of 1 is refused, and so is −1.
        wrong(ranking((q, 1), &[], &[t, u]), &plain);
        wrong(ranking((q, -1), &[t], &[t, u]), &plain);
        // An event outside `among`, or without an effect, may fire infinitely often.
        wrong(ranking((p, 1), &[t], &[u]), &plain);
        wrong(ranking((p, 1), &[u], &[u]), &plain);
        let drains = net(&[3, 0], &[T, &[(1, 1, 0)]]);
        wrong(ranking((p, 1), &[t, u], &[t, u]), &drains);
        // Every initial marking counts.
        let mut twice = plain.clone();
        twice.initial = vec![[3, 0].into(), [5, 0].into(), [0, 0].into()];
        for (most, good) in [(4, false), (5, true)] {
            let weights = vec![(p, 1), (q, 2)];
            let sum = Certificate::from(Statement::Invariant { weights, most });
            assert_eq!(sum.check(&twice), good);
        }
        // A third place is never marked, so that `u` never fires.
        let silent = net(&[3, 0, 0], &[T, &[(2, 1, 1)]]);
        let empty = |places: &[VarId]| Statement::Empty(places.to_vec());
        assert!(Certificate::from(empty(&[VarId(2)])).check(&silent));
        wrong(empty(&[p, VarId(2)]), &silent);
        assert!(Certificate::from(ranking((p, 1), &[t, u], &[t, u])).check(&silent));
    }

    #[test]
    fn overflow_is_not_true() {
        let (weights, most) = (vec![(VarId(0), i128::MAX)], i128::MAX);
        let huge = Statement::Invariant { weights, most };
        assert!(!Certificate::from(huge).check(&system()));
        // Sums of two largest numbers must not wrap around, in an effect or in the initial marking.
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
