//! Prefix of interest: what comes after everything that matters may as well not come.
//!
//! Let `K` be places such that whoever has an arc at one of them needs nothing outside of `K`. What happens in `K` does not depend on the rest
//! `R`, which is fed by it at most. If no atom reads `R`, it is never seen. Left out are the transitions of `R`: those that need something, and all of whose
//! arcs are at places of `R`.
//! (Y. Thierry-Mieg, *Structural reductions revisited*, 2020, keeps the *prefix of interest* so.)
//!
//! But it is seen whether a run ends. So `R` must not go on for ever by itself: there is no cycle of places and transitions in it. Then each of its
//! transitions takes tokens and gives back only such as are nearer to the end, of which there are finitely many. Therefore
//! - an infinite run of the net has infinitely many steps of those that stay, and without the others it is a run of what is left;
//! - where a run of the net is dead, so is what is left; and where what is left is dead, the others can be taken until the net is dead, since they enable none
//!   of those that stay.
//!
//! **Condition**: no atom reads a place of `R`; from `R` no way leads back to `R` where it began, none leads to a place that an atom reads, and nobody needs tokens of `R`
//! who has an arc at a place that stays. `R` is the largest such set; transitions that need nothing stay, whatever they feed, and so does one place.
//! **Preserves** stutter-invariant properties of states (see [`Support::allows_agglomeration`](super::Support::allows_agglomeration)) under both deadlock
//! policies. Constraints of fairness name events, so that there is nothing of this rule with them.
//! **Back**: the same events, which may fill places of `R`; and at a dead end the others, those before others first, until none is enabled. They are noted as
//! *pending*.

use super::net::{Net, Position};
use lariat_budget::Stop;
use lariat_model::{Arc, VarId};

/// Removes what comes after all that matters.
pub(super) fn apply(net: &mut Net<'_>) -> Result<(), Stop> {
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
    let needs = |at: &Position| {
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

/// Places from which every way ends, and none leads to what is read.
struct Ends {
    /// By place: is it one of them?
    is_end: Vec<bool>,
    /// By event: how many of the places that it feeds are none of them.
    open: Vec<usize>,
    /// Events that feed none but them, those behind others first.
    last_first: Vec<Position>,
}

impl Ends {
    fn of(net: &Net<'_>) -> Result<Ends, Stop> {
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

/// Are there tokens at the end of the arc that the transition has put there?
fn feeds(arc: &Arc) -> bool {
    arc.need + arc.delta > 0
}
