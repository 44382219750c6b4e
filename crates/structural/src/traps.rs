//! Traps as cuts: what the state equation allows and no run can do.
//!
//! A *trap* is a set `S` of places such that every event that takes a token from `S` leaves one in `S`. Once marked it stays marked. So if it is
//! marked at the start,
//!
//! ```text
//! Σ over p in S of m(p)  >=  1
//! ```
//!
//! holds in every reachable marking, and is no consequence of the state equation: it may be one more row of every case that is to be refuted (J. Esparza, S. Melzer,
//! *Verification of safety properties using integer programming: beyond the state equation*, FMSD 2000). Which traps are worth a row is
//! asked of a marking that the state equation allows. The certificate form of [`crate::refute`] has none to show where it fails, so a second program is
//! solved, for the fewest firings that lead from the start to the case ([`firings`]). The greatest trap among the
//! places that these leave empty is a fixpoint: take all of them, and as long as some event takes from the set and leaves nothing there, drop the places that it takes
//! from. If it is marked at the start, its row excludes that marking, and the same is asked again with it. When no marking is left, the
//! invariant is asked for, with a weight for each trap.
//!
//! Of the firings and the marking nothing is believed: the traps and the invariant are checked in integers. Our deviation: the traps are found one
//! by one for a marking that was found, where the paper asks one program for a trap and a marking together.
//!
//! The second program is about the whole net, where that of an invariant is about what matters to the case. So traps are asked for only where the answer counts by
//! itself (atoms, letters and dead events, not what single events can do in a component of an automaton), and for a small share of all that is spent.
//!
//! Nets with several starts have no cuts: a relaxed marking belongs to one start, a trap would have to be marked at all.

use crate::Facts;
use crate::cases::{Case, Cases, Row};
use crate::certificate::Certificate;
use crate::net::Net;
use crate::parikh::firings;
use crate::refute::refute;
use lariat_budget::{Budget, Stop};
use lariat_model::{EventId, State, VarId};
use rustc_hash::FxHashMap;

/// Rows that are added to one case: each is another program, and a case may have as many traps as it has places.
const MOST_CUTS: usize = 10;

/// What traps may cost, as a part of all that was spent on the net: they are needed rarely.
const SHARE: u64 = 20;

/// Units that traps may cost in any case, so that nets about which little has to be asked have theirs: about a hundredth of a second.
const FREE: u64 = 500;

/// Arcs and nodes for each unit that is left: a program about more of them would come to its end after a few pivots.
const NODES_PER_UNIT: u64 = 16;

/// Fewer tokens than this are the solver's noise.
const NOISE: f64 = 1e-6;

/// What was asked of traps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cuts {
    known: FxHashMap<Case, Option<Certificate>>,
    spent: u64,
}

impl Facts {
    /// A certificate that no case has a reachable marking, with traps where invariants do not suffice.
    pub(crate) fn refuted_with_traps(
        &mut self,
        cases: &Cases,
        budget: &Budget,
    ) -> Result<Option<Certificate>, Stop> {
        self.refuted_by(cases, |facts, case| {
            let plain = facts.exclude(case, budget)?;
            match plain {
                Some(_) => Ok(plain),
                None => facts.cut(case, budget),
            }
        })
    }

    /// Asks for traps that exclude the case, within their share.
    fn cut(&mut self, case: &Case, budget: &Budget) -> Result<Option<Certificate>, Stop> {
        if let Some(known) = self.cuts.known.get(case) {
            return Ok(known.clone());
        }
        let (_, spent) = self.effort();
        let share = (FREE + spent / SHARE).saturating_sub(self.cuts.spent);
        let size = self.net.as_ref().map_or(0, size);
        if self.allowance() == 0 || size / NODES_PER_UNIT > share {
            // Another time there may be more.
            return Ok(None);
        }
        let found = self.ask(budget, |net, most, budget| {
            by_traps(net, case, most.min(share), budget)
        })?;
        let (_, now) = self.effort();
        self.cuts.spent += now - spent;
        self.cuts.known.insert(case.clone(), found.clone());
        Ok(found)
    }
}

/// Places, effects and what these change.
fn size(net: &Net) -> u64 {
    let changes: usize = net.effects.iter().map(Vec::len).sum();
    (net.places + net.effects.len() + changes) as u64
}

/// An invariant and marked traps that no marking of the case satisfies; `None` if none are known. The budget has an account of its own, of
/// which `most` may be spent.
fn by_traps(
    net: &Net,
    case: &Case,
    most: u64,
    budget: &Budget,
) -> Result<Option<Certificate>, Stop> {
    let [start] = &net.initial[..] else {
        return Ok(None);
    };
    let left = || most.saturating_sub(budget.work_spent());
    let mut rows = case.clone();
    let mut traps: Vec<Vec<VarId>> = Vec::new();
    while traps.len() < MOST_CUTS {
        let Some(times) = firings(net, &rows, start, left(), budget)? else {
            break;
        };
        let trap = greatest_trap(net, empty_places(net, start, &times));
        if !trap.iter().any(|place| start[place.index()] > 0) {
            return Ok(None);
        }
        rows.push(Row::marked(&trap));
        traps.push(trap);
    }
    if traps.is_empty() || left() == 0 {
        Ok(None)
    } else {
        refute(net, case, &traps, left(), budget)
    }
}

/// For every place whether it is empty after each effect happened so many times.
fn empty_places(net: &Net, start: &State, times: &[f64]) -> Vec<bool> {
    let mut tokens: Vec<f64> = start.iter().map(|tokens| *tokens as f64).collect();
    for (effect, times) in net.effects.iter().zip(times) {
        for (place, change) in effect {
            tokens[place.index()] += *change as f64 * times;
        }
    }
    tokens.into_iter().map(|tokens| tokens < NOISE).collect()
}

/// The greatest trap among these places, sorted.
fn greatest_trap(net: &Net, mut inside: Vec<bool>) -> Vec<VarId> {
    // For every event how many places of the set it leaves marked, and by whom each place is left marked.
    let mut left = vec![0usize; net.needs.len()];
    let mut leaving: Vec<Vec<EventId>> = vec![Vec::new(); net.places];
    let mut todo = Vec::new();
    for event in net.events() {
        let mut taken = net.effect(event).iter().filter(|(_, change)| *change < 0);
        if !taken.any(|(place, _)| inside[place.index()]) {
            continue;
        }
        for place in net.leaves(event).filter(|place| inside[place.index()]) {
            left[event.index()] += 1;
            leaving[place.index()].push(event);
        }
        if left[event.index()] == 0 {
            todo.push(event);
        }
    }
    while let Some(event) = todo.pop() {
        let taken = net.effect(event).iter().filter(|(_, change)| *change < 0);
        for (place, _) in taken {
            if !std::mem::replace(&mut inside[place.index()], false) {
                continue;
            }
            for other in &leaving[place.index()] {
                left[other.index()] -= 1;
                if left[other.index()] == 0 {
                    todo.push(*other);
                }
            }
        }
    }
    let places = (0..net.places).filter(|place| inside[*place]);
    places.map(|place| VarId(place as u32)).collect()
}
