//! Events that can fire infinitely often in one run, by ranking functions.
//!
//! By Dickson's lemma an infinite run has two positions `i < j` with `m(i) <= m(j)`, arbitrarily
//! late and with every event that fires infinitely often in between. The firing counts between them
//! are a vector `x >= 0` with `C·x >= 0`, a *repetitive* vector. So an event in no repetitive
//! vector fires finitely often in every run. One program finds all of these events, and by Farkas'
//! lemma a certificate: a weight `w >= 0` that no event increases and that these events decrease:
//!
//! ```text
//! maximise Σ v(t)   where   w·C(t) + v(t) <= 0,   w >= 0,   0 <= v <= 1
//! ```
//!
//! Events that drain places are removed before ([`crate::draining`]). The bound on `v` makes the optimum cover all of them. If every event decreases the weight, all
//! runs are finite (the net *terminates*). [`crate::cycles`] also applies this to sets of events.

use crate::Facts;
use crate::certificate::{Certificate, Statement};
use crate::draining::draining;
use crate::net::IncidenceNet;
use crate::rational::proportional;
use crate::solver::LinearProgram;
use lariat_budget::{Budget, Stop};
use lariat_model::{EventId, VarId};

/// Limit on the events that are tested one by one for being dead.
const MOST_CANDIDATES: usize = 128;

/// The events that may fire infinitely often in one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repeating {
    /// The events not known to fire finitely often in every run; sorted.
    pub events: Vec<EventId>,
    /// The proof that all other events do.
    pub certificate: Certificate,
}

impl Facts {
    /// The events that can repeat; all events if nothing is known.
    pub fn repeating(&mut self, budget: &Budget) -> Result<Repeating, Stop> {
        if let Some(known) = &self.repeating {
            return Ok(known.clone());
        }
        let all: Vec<EventId> = (0..self.events).map(EventId).collect();
        let found = match self.net {
            Some(_) => self.repeating_among(all, budget, |facts, event, budget| {
                facts.dead(event, budget)
            })?,
            None => Repeating {
                events: all,
                certificate: Certificate::default(),
            },
        };
        self.repeating = Some(found.clone());
        Ok(found)
    }

    /// Proves that every run is finite; each then ends in a dead marking.
    pub fn terminates(&mut self, budget: &Budget) -> Result<Option<Certificate>, Stop> {
        if self.net.is_none() {
            return self.terminates_by_skeleton(budget);
        }
        let found = self.repeating(budget)?;
        Ok(found.events.is_empty().then_some(found.certificate))
    }

    /// For each place whether it *settles*: no event that can repeat changes it, so that in every
    /// run every predicate over such places has a constant value from some position on.
    pub fn settled(&mut self, budget: &Budget) -> Result<Vec<bool>, Stop> {
        let events = self.repeating(budget)?.events;
        let Some(net) = &self.net else {
            return Ok(vec![false; self.declared.len()]);
        };
        let mut settled = vec![true; net.places];
        for column in events.iter().filter_map(|event| net.column(*event)) {
            for (place, _) in &net.effects[column] {
                settled[place.index()] = false;
            }
        }
        Ok(settled)
    }

    /// The events that can fire infinitely often in runs that finally fire only events of `among`.
    ///
    /// `never` proves that an event cannot fire in such a suffix. Removing it may leave others
    /// without a repetitive vector, so both tests alternate.
    pub(crate) fn repeating_among(
        &mut self,
        mut among: Vec<EventId>,
        budget: &Budget,
        mut never: impl FnMut(&mut Facts, EventId, &Budget) -> Result<Option<Certificate>, Stop>,
    ) -> Result<Repeating, Stop> {
        let mut certificate = Certificate::default();
        loop {
            self.drain(&mut among, &mut certificate);
            if among.is_empty() {
                break;
            }
            let found = self.ask(budget, |net, most, budget| {
                ranking(net, &among, most, budget)
            })?;
            if let Some(Statement::Ranking { finite, .. }) = &found {
                among.retain(|event| finite.binary_search(event).is_err());
            }
            let ranking = found.filter(Statement::ranks_some);
            certificate.extend(ranking.map(Certificate::from).unwrap_or_default());
            if among.is_empty() || among.len() > MOST_CANDIDATES {
                break;
            }
            let before = among.len();
            let mut kept = Vec::with_capacity(before);
            for event in among {
                match never(self, event, budget)? {
                    Some(reason) => certificate.extend(reason),
                    None => kept.push(event),
                }
            }
            among = kept;
            if among.is_empty() || among.len() == before {
                break;
            }
        }
        Ok(Repeating {
            events: among,
            certificate,
        })
    }

    /// Removes events that drain places, which needs no linear program.
    fn drain(&self, among: &mut Vec<EventId>, certificate: &mut Certificate) {
        let Some(net) = &self.net else {
            return;
        };
        let found = draining(net, among);
        if found.ranks_some()
            && found.check(net) == Some(true)
            && let Statement::Draining { finite, .. } = &found
        {
            among.retain(|event| finite.binary_search(event).is_err());
            certificate.extend(found.into());
        }
    }
}

/// A ranking of the sorted events `among`, possibly with none finite; `None` if nothing is known.
pub(crate) fn ranking(
    net: &IncidenceNet,
    among: &[EventId],
    most: u64,
    budget: &Budget,
) -> Result<Option<Statement>, Stop> {
    let mut asked = vec![false; net.effects.len()];
    for column in among.iter().filter_map(|event| net.column(*event)) {
        asked[column] = true;
    }
    let effects: Vec<usize> = (0..asked.len()).filter(|e| asked[*e]).collect();
    let useful = useful_places(net, &effects, &asked);
    let mut program = LinearProgram::new(budget);
    let mut column = vec![None; net.places];
    let mut places = Vec::new();
    for place in (0..net.places).filter(|p| useful[*p]) {
        column[place] = Some(program.column(0.0, f64::INFINITY));
        places.push(VarId(place as u32));
    }
    for effect in &effects {
        let changes = net.effects[*effect].iter();
        let mut row: Vec<(usize, f64)> = changes
            .filter_map(|(place, change)| Some((column[place.index()]?, *change as f64)))
            .collect();
        if row.iter().any(|(_, change)| *change < 0.0) {
            row.push((program.column(-1.0, 1.0), 1.0));
            program.row(row, 0.0)?;
        }
    }
    if places.is_empty() {
        return Ok(None);
    }
    let Some(values) = program.minimise(most)? else {
        return Ok(None);
    };
    Ok(exact(net, among, &places, &values[..places.len()]))
}

/// Places that can have a weight: each effect that increases one decreases another of them.
fn useful_places(net: &IncidenceNet, effects: &[usize], asked: &[bool]) -> Vec<bool> {
    let mut useful = vec![false; net.places];
    for (place, _) in effects.iter().flat_map(|e| &net.effects[*e]) {
        useful[place.index()] = true;
    }
    let mut todo = effects.to_vec();
    while let Some(effect) = todo.pop() {
        let mut changes = net.effects[effect].iter();
        let gained = changes.clone().filter(|(_, change)| *change > 0);
        if changes.any(|(p, change)| *change < 0 && useful[p.index()]) {
            continue;
        }
        for (place, _) in gained {
            if std::mem::replace(&mut useful[place.index()], false) {
                let takers = net.changes[place.index()].iter();
                let takers = takers.filter(|(e, change)| *change < 0 && asked[*e]);
                todo.extend(takers.map(|(e, _)| *e));
            }
        }
    }
    useful
}

fn exact(
    net: &IncidenceNet,
    among: &[EventId],
    places: &[VarId],
    values: &[f64],
) -> Option<Statement> {
    let weights = proportional(values)?;
    let weights: Vec<(VarId, i128)> = (places.iter().copied().zip(weights))
        .filter(|(_, weight)| *weight > 0)
        .collect();
    let mut finite = Vec::new();
    for event in among {
        let takes = match net.column(*event) {
            Some(column) => crate::certificate::gain(&weights, &net.effects[column])? < 0,
            None => net.silenced[event.index()],
        };
        if takes {
            finite.push(*event);
        }
    }
    let ranking = Statement::Ranking {
        weights,
        finite,
        among: among.to_vec(),
    };
    ranking.check(net)?.then_some(ranking)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_testkit::nets;

    /// The ranking from weights of p0 and p1, for p0 → p1 and an event that returns `back` tokens.
    fn ranked(back: i64, values: [f64; 2]) -> Option<Vec<EventId>> {
        let places = [VarId(0), VarId(1)];
        let events: [&[_]; 2] = [&[(0, 1, 0), (1, 0, 1)], &[(0, 0, back), (1, 2, 0)]];
        let system = nets::net(&[3, 0], &events);
        let net = IncidenceNet::of(&system).unwrap();
        let found = exact(&net, &[EventId(0), EventId(1)], &places, &values);
        found.map(|statement| match statement {
            Statement::Ranking { finite, .. } => finite,
            _ => Vec::new(),
        })
    }

    /// Values of the solver are checked.
    #[test]
    fn rankings_are_checked() {
        assert_eq!(ranked(1, [1.0, 1.0]), Some(vec![EventId(1)]));
        assert_eq!(ranked(1, [3.0, 2.0]), Some(vec![EventId(0), EventId(1)]));
        // The first event decreases p0, and the second increases it.
        assert_eq!(ranked(1, [1.0, 0.0]), None);
        // No event decreases p0 + p1.
        assert_eq!(ranked(2, [1.0, 1.0]), Some(vec![]));
        assert_eq!(ranked(2, [3.0, 2.0]), None);
        // Negative weights are dropped.
        assert_eq!(ranked(1, [-1.0, -2.0]), Some(vec![]));
    }
}
