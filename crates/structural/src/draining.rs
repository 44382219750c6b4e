//! Events that can fire finitely often, because they drain places.
//!
//! Let `R` be the events that may repeat. A place that no event of `R` adds to only loses tokens
//! from some position on, so the events of `R` that take from it repeat no more and leave `R`.
//! Further places may then qualify:
//!
//! ```text
//! while some p has no t in R with C(p,t) > 0:   R := R \ {t | C(p,t) < 0}
//! ```
//!
//! This is linear in the arcs and right for all nets. The certificate is the sequence of places, a
//! lexicographic ranking, whose weights as a linear one may be exponential. The remaining events are left to
//! [`crate::repeat`].

use crate::certificate::Statement;
use crate::net::IncidenceNet;
use lariat_model::{EventId, VarId};

/// The places that drain one after the other, with the sorted events of `among` that leave.
pub(crate) fn draining(net: &IncidenceNet, among: &[EventId]) -> Statement {
    let mut left = columns(net, among);
    let mut fillers = vec![0u32; net.places];
    for (_, changes) in net
        .effects
        .iter()
        .enumerate()
        .filter(|(effect, _)| left[*effect])
    {
        for (place, _) in changes.iter().filter(|(_, change)| *change > 0) {
            fillers[place.index()] += 1;
        }
    }
    let mut dry: Vec<usize> = (0..net.places)
        .filter(|place| fillers[*place] == 0)
        .collect();
    let mut places = Vec::new();
    while let Some(place) = dry.pop() {
        let mut drains = false;
        for (effect, change) in &net.changes[place] {
            if *change >= 0 || !std::mem::replace(&mut left[*effect], false) {
                continue;
            }
            drains = true;
            for (filled, _) in net.effects[*effect]
                .iter()
                .filter(|(_, change)| *change > 0)
            {
                let fillers = &mut fillers[filled.index()];
                *fillers -= 1;
                if *fillers == 0 {
                    dry.push(filled.index());
                }
            }
        }
        if drains {
            places.push(VarId(place as u32));
        }
    }
    let finite = among
        .iter()
        .copied()
        .filter(|event| leaves(net, *event, &left))
        .collect();
    Statement::Draining {
        places,
        finite,
        among: among.to_vec(),
    }
}

/// Returns whether the events `finite` leave `among` as the places drain in this order.
pub(crate) fn drains(
    net: &IncidenceNet,
    places: &[VarId],
    finite: &[EventId],
    among: &[EventId],
) -> bool {
    let mut left = columns(net, among);
    for place in places {
        let changes = &net.changes[place.index()];
        if changes
            .iter()
            .any(|(effect, change)| left[*effect] && *change > 0)
        {
            return false;
        }
        changes
            .iter()
            .filter(|(_, change)| *change < 0)
            .for_each(|(effect, _)| left[*effect] = false);
    }
    let is_finite =
        |event: &EventId| among.binary_search(event).is_ok() && leaves(net, *event, &left);
    finite.iter().all(is_finite)
}

/// By effect: whether an event of `among` has it.
fn columns(net: &IncidenceNet, among: &[EventId]) -> Vec<bool> {
    let mut asked = vec![false; net.effects.len()];
    for column in among.iter().filter_map(|event| net.column(*event)) {
        asked[column] = true;
    }
    asked
}

/// Returns whether an event cannot repeat if only the effects in `left` can. An event without effect
/// can, unless it never fires.
fn leaves(net: &IncidenceNet, event: EventId, left: &[bool]) -> bool {
    match net.column(event) {
        Some(column) => !left[column],
        None => net.silenced[event.index()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::Certificate;
    use lariat_testkit::nets::net;

    fn found(events: &[&[(usize, i64, i64)]], initial: &[i64]) -> (Vec<VarId>, Vec<EventId>) {
        let system = net(initial, events);
        let net = IncidenceNet::of(&system).expect("a net");
        let all: Vec<EventId> = net.events().collect();
        let statement = draining(&net, &all);
        assert!(Certificate::from(statement.clone()).check(&system));
        let Statement::Draining { places, finite, .. } = statement else {
            panic!("another statement");
        };
        (places, finite)
    }

    /// p0 → 3 p1, p1 → 3 p2, p2 → : each place drains after the one before.
    #[test]
    fn places_drain_one_after_the_other() {
        let (places, finite) = found(
            &[
                &[(0, 1, 0), (1, 0, 3)],
                &[(1, 1, 0), (2, 0, 3)],
                &[(2, 1, 0)],
            ],
            &[2, 0, 0],
        );
        assert_eq!(places, [0, 1, 2].map(VarId));
        assert_eq!(finite, [0, 1, 2].map(EventId));
    }

    #[test]
    fn places_that_are_filled_do_not_drain() {
        // p0 ⇄ p1 repeats, and so does a test of p2, which nothing changes.
        let (places, finite) = found(
            &[
                &[(0, 1, 0), (1, 0, 1)],
                &[(1, 1, 0), (0, 0, 1)],
                &[(2, 1, 1)],
            ],
            &[1, 0, 1],
        );
        assert!(places.is_empty() && finite.is_empty());
    }

    #[test]
    fn wrong_sequences_are_refused() {
        let system = net(
            &[2, 0],
            &[&[(0, 1, 0), (1, 0, 3)], &[(1, 1, 0)], &[(0, 1, 1)]],
        );
        let (p, q, t, u, v) = (VarId(0), VarId(1), EventId(0), EventId(1), EventId(2));
        let good = |places: &[VarId], finite: &[EventId], among: &[EventId]| {
            Certificate::from(Statement::Draining {
                places: places.to_vec(),
                finite: finite.to_vec(),
                among: among.to_vec(),
            })
            .check(&system)
        };
        assert!(good(&[p, q], &[t, u], &[t, u, v]));
        assert!(good(&[q], &[u], &[u, v]));
        // q is filled while `t` is left; `u` leaves with q only; `v` takes nothing away.
        assert!(!good(&[q, p], &[t, u], &[t, u, v]));
        assert!(!good(&[p], &[t, u], &[t, u, v]));
        assert!(!good(&[p, q], &[t, u, v], &[t, u, v]));
        // An event outside of `among` was not considered.
        assert!(!good(&[q], &[t, u], &[u, v]));
    }
}
