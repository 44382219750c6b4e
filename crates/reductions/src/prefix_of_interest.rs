//! Prefix of interest: removes the acyclic part of the net behind everything that the property
//! observes.
//!
//! Let `K` be places such that each transition with an arc at `K` needs tokens of `K` only. The
//! behaviour of `K` does not depend on the rest `R`, which `K` at most feeds. If no atom reads `R`,
//! it is invisible. The rule removes the transitions of `R`: those that need something and have all
//! arcs in `R`. (Y. Thierry-Mieg, *Structural reductions revisited*, 2020, *prefix of interest*.)
//!
//! Termination of a run remains visible, so `R` must not run indefinitely: its graph of places and
//! transitions is acyclic. Then each transition of `R` takes tokens and returns only finitely many,
//! in places nearer to the end. Therefore
//! - an infinite run of the net has infinitely many remaining steps, which are a run of the reduced
//!   net;
//! - a deadlock of the net is one of the reduced net; and from a deadlock of the reduced net, `R`
//!   can fire until the net is deadlocked, as it enables no remaining transition.
//!
//! **Condition**: no atom reads a place of `R`; no path from `R` returns to its start or leads to a
//! place that an atom reads; no transition with an arc at a remaining place needs tokens of `R`.
//! `R` is the largest such set; transitions with empty preset always remain, as does one place.
//! **Preserves** stutter-invariant state properties (see
//! [`Support::allows_agglomeration`](super::Support::allows_agglomeration)) under both deadlock
//! policies. Fairness constraints name events and disable the rule.
//! **Lift**: the same events, which may put tokens into `R`; at a deadlock the transitions of `R`
//! in topological order until none is enabled, recorded as *pending*.

use super::net::{EventIndex, ReducibleNet};
use lariat_budget::Stop;
use lariat_model::{Arc, VarId};

pub(super) fn apply(net: &mut ReducibleNet<'_>) -> Result<(), Stop> {
    let mut ends = Ends::of(net)?;
    if ends.is_end.iter().all(|is_end| !is_end) {
        return Ok(());
    }
    let mut stay: Vec<VarId> = net.place_ids();
    if let Some(one) = stay.first()
        && stay.iter().all(|place| ends.is_end[place.index()])
    {
        ends.is_end[one.index()] = false;
    }
    stay.retain(|place| !ends.is_end[place.index()]);
    let mut stays = vec![false; ends.open.len()];
    while let Some(place) = stay.pop() {
        for (at, transition, _) in net.touching(place) {
            net.spend(transition.arcs.len())?;
            if std::mem::replace(&mut stays[at.index()], true) {
                continue;
            }
            for arc in transition.arcs.iter().filter(|arc| arc.need > 0) {
                if std::mem::replace(&mut ends.is_end[arc.var.index()], false) {
                    stay.push(arc.var);
                }
            }
        }
    }
    let needs = |at: &EventIndex| {
        let transition = net.transition(*at);
        transition.is_some_and(|transition| transition.arcs.iter().any(|arc| arc.need > 0))
    };
    let mut gone = ends.last_first;
    gone.retain(|at| !stays[at.index()] && needs(at));
    let ways = gone.iter().rev().filter_map(|at| net.transition(*at));
    let ways: Vec<_> = ways.map(|transition| transition.way.clone()).collect();
    if !ways.is_empty() {
        net.pending.push(ways);
    }
    gone.into_iter().for_each(|at| net.remove(at));
    for place in net.place_ids() {
        if ends.is_end[place.index()] {
            net.remove_place(place);
        }
    }
    Ok(())
}

/// Places from which every path ends without reaching a place that an atom reads.
struct Ends {
    /// By place: true if it is such a place.
    is_end: Vec<bool>,
    /// By event: the number of places it feeds that are not such places.
    open: Vec<usize>,
    /// Events that feed only such places, in reverse topological order.
    last_first: Vec<EventIndex>,
}

impl Ends {
    fn of(net: &ReducibleNet<'_>) -> Result<Ends, Stop> {
        let mut open = Vec::new();
        let mut last_first = Vec::new();
        let mut ready = Vec::new();
        for (at, transition) in net.transitions() {
            net.spend(transition.arcs.len())?;
            open.resize(at.index(), 0);
            open.push(transition.arcs.iter().filter(|arc| feeds(arc)).count());
            if open[at.index()] == 0 {
                last_first.push(at);
            }
        }
        let places = net.place_ids();
        let most = places.last().map_or(0, |place| place.index() + 1);
        let mut is_end = vec![false; most];
        let mut consumers = vec![0; most];
        for place in places {
            let touching = net.touching(place);
            consumers[place.index()] = touching.filter(|(.., arc)| arc.need > 0).count();
            if consumers[place.index()] == 0 && !net.support.reads(place) {
                ready.push(place);
            }
        }
        let mut done = 0;
        loop {
            if let Some(place) = ready.pop() {
                is_end[place.index()] = true;
                for (at, _, _) in net.touching(place).filter(|(.., arc)| feeds(arc)) {
                    open[at.index()] -= 1;
                    if open[at.index()] == 0 {
                        last_first.push(at);
                    }
                }
            } else if let Some(at) = last_first.get(done) {
                done += 1;
                let arcs = net.transition(*at).map_or(&[][..], |t| &t.arcs);
                for arc in arcs.iter().filter(|arc| arc.need > 0) {
                    let left = &mut consumers[arc.var.index()];
                    *left -= 1;
                    if *left == 0 && !net.support.reads(arc.var) {
                        ready.push(arc.var);
                    }
                }
            } else {
                break;
            }
        }
        Ok(Ends {
            is_end,
            open,
            last_first,
        })
    }
}

/// Returns whether firing puts tokens at the end of the arc.
fn feeds(arc: &Arc) -> bool {
    arc.need + arc.delta > 0
}
