//! Fewer events with the same effect: a run of a net, shortened by the state equation.
//!
//! A search wanders: its loop takes several processes around where one would do, and its prefix does things and undoes them again. No detour of
//! this kind comes back to the same marking, because others have moved meanwhile, so that no search around the run finds it. The state
//! equation does not look at the order. It is asked for
//!
//! ```text
//! a loop      the fewest events z with  C·z = 0  and a given event among them
//! a prefix    the fewest events y with  m0 + C·y >= what the loop needs,  and the same tokens where atoms look
//! ```
//!
//! among the events of the run, and for loops among all events of a small net ([`lariat_structural::fewest`]). The events are then fired as they become
//! enabled, in the order of the run. That may fail, for the equation knows nothing of the way; then nothing is gained. A loop is tried from
//! every marking of the run, the first one first. Whether the automaton accepts is asked of every run before it is believed (`word.rs`).
//!
//! Cost: some linear programs, and looks at events as in `early.rs`; both are counted.

use super::early::looks_at_state;
use super::slice::{Direction, Kept, Seen, arcs, fire, fired, sliced};
use super::word::{Reading, is_evidence};
use crate::problem::Problem;
use lariat_budget::Budget;
use lariat_model::{EventId, EvidenceKind, Lasso, State, Step, System, Value, VarId};
use lariat_structural::{Change, Times, fewest};
use rustc_hash::{FxHashMap, FxHashSet};

/// Runs of no more steps than this are short enough.
const SHORT: usize = 12;
/// Loops that are tried. An event that is in one of them is not asked for another.
const MOST_LOOPS: usize = 24;
/// Nets with at most so many events are asked for loops that are not in the run.
const MOST_EVENTS: usize = 2000;
/// Looks at events, or at positions of a word, that are spent on trying: some hundredths of a second.
const MOST_LOOKS: usize = 1 << 22;
/// Product states that take about as long as a unit of the solver's work.
const STATES_PER_UNIT: u64 = 4;
/// Units of work beyond which no linear program is worth while.
const MOST_UNITS: u64 = 20_000;
/// Entries of a linear program that take about as long as a unit to be set up: the solver counts what comes behind. A net of 1 500 events was asked
/// hundreds of times in vain, at some hundredths of a second each, when only pivots were counted.
const ENTRIES_PER_UNIT: usize = 4;

/// Units of the solver's work for an effort of so many product states.
pub(super) fn units(effort: u64) -> u64 {
    (effort / STATES_PER_UNIT).min(MOST_UNITS)
}

/// A shorter run with the same kind of evidence, if one is found for so many units of work.
pub(super) fn fewer(
    problem: &Problem<'_>,
    lasso: &Lasso,
    units: u64,
    budget: &Budget,
) -> Option<Lasso> {
    if lasso.steps().count() <= SHORT || lasso.kind() == EvidenceKind::Covering {
        return None;
    }
    let mut equation = Equation {
        problem,
        seen: Seen::of(problem),
        budget,
        units,
        looks: 0,
    };
    let before = lasso.steps().count();
    let mut best = lasso.clone();
    if lasso.kind() == EvidenceKind::Lasso
        && let Some(lasso) = equation.smaller_loop(&best)
    {
        best = lasso;
    }
    if let Some(lasso) = equation.smaller_prefix(&best) {
        best = lasso;
    }
    (best.steps().count() < before).then_some(best)
}

/// The events of some steps; `None` if one is no transition of a net, or a stutter step.
fn events(system: &System, steps: &[Step]) -> Option<Vec<EventId>> {
    let net = |event: &EventId| arcs(system, *event).is_some();
    steps.iter().map(|step| step.event.filter(net)).collect()
}

/// How often each event occurs, in the order of its first occurrence.
fn counted(events: &[EventId]) -> Vec<(EventId, u32)> {
    let mut at: FxHashMap<EventId, usize> = FxHashMap::default();
    let mut counts: Vec<(EventId, u32)> = Vec::new();
    for event in events {
        let i = *at.entry(*event).or_insert_with(|| {
            counts.push((*event, 0));
            counts.len() - 1
        });
        counts[i].1 += 1;
    }
    counts
}

struct Equation<'a, 'p> {
    problem: &'a Problem<'p>,
    /// What atoms see; `None` if that is everything.
    seen: Option<Seen>,
    budget: &'a Budget,
    /// Units of work that are left for the solver.
    units: u64,
    looks: usize,
}

impl Equation<'_, '_> {
    fn fewest(&mut self, events: &[Times], changes: &[Change]) -> Option<Vec<(EventId, u64)>> {
        let entries = |times: &Times| arcs(self.problem.system, times.event).map_or(0, <[_]>::len);
        let entries: usize = events.iter().map(entries).sum();
        self.units = (self.units).saturating_sub((entries / ENTRIES_PER_UNIT) as u64);
        if self.units == 0 {
            return None;
        }
        let own = self.budget.clone().with_work(u64::MAX);
        let found = fewest(self.problem.system, events, changes, self.units, &own);
        self.units = self.units.saturating_sub(own.work_spent().max(1));
        found.ok()?
    }

    fn is_over(&self) -> bool {
        self.looks > MOST_LOOKS || self.budget.check().is_err()
    }

    /// A run with a loop of fewer events, begun at one of the markings of this one.
    fn smaller_loop(&mut self, lasso: &Lasso) -> Option<Lasso> {
        let system = self.problem.system;
        let prefix = events(system, &lasso.prefix)?;
        // The loop of a run to a deadlock has no events.
        let cycle = events(system, &lasso.cycle).unwrap_or_default();
        let mut run = prefix;
        run.extend(&cycle);
        let mut best: Option<Lasso> = None;
        let mut length = lasso.steps().count();
        for wanted in self.loops(&run, &cycle) {
            if wanted.len() >= length || self.is_over() {
                continue;
            }
            if let Some(found) = self.begun(&lasso.initial, &run, &wanted, length) {
                length = found.steps().count();
                best = Some(found);
            }
        }
        best
    }

    /// Small T-invariants, each as a list of events in the order of the run: among the events of the loop, then among all.
    fn loops(&mut self, run: &[EventId], cycle: &[EventId]) -> Vec<Vec<EventId>> {
        let system = self.problem.system;
        let mut loops: Vec<Vec<EventId>> = Vec::new();
        let inside: Vec<Times> = (counted(cycle).into_iter())
            .map(|(event, most)| Times {
                event,
                least: 0,
                most,
            })
            .collect();
        self.invariants(&inside, &mut loops);
        if system.events.len() <= MOST_EVENTS {
            // Events of the run first: those can be fired.
            let mut all: Vec<EventId> = counted(run).into_iter().map(|(event, _)| event).collect();
            let known: FxHashSet<EventId> = all.iter().copied().collect();
            all.extend(system.event_ids().filter(|event| !known.contains(event)));
            let anywhere: Vec<Times> = (all.into_iter())
                .map(|event| Times {
                    event,
                    least: 0,
                    most: run.len() as u32,
                })
                .collect();
            self.invariants(&anywhere, &mut loops);
        }
        loops.sort_by_key(Vec::len);
        loops.dedup();
        loops
    }

    /// For each event, as far as that goes, a small T-invariant that contains it.
    fn invariants(&mut self, events: &[Times], loops: &mut Vec<Vec<EventId>>) {
        let changes: Vec<Change> = (0..self.problem.system.variables.len() as u32)
            .map(|place| Change {
                place: VarId(place),
                least: 0,
                most: Some(0),
            })
            .collect();
        let mut found_here = 0;
        let mut covered: FxHashSet<EventId> = Default::default();
        let mut own = events.to_vec();
        for i in 0..events.len() {
            if covered.contains(&events[i].event) || events[i].most == 0 {
                continue;
            }
            if found_here >= MOST_LOOPS || self.units == 0 || self.is_over() {
                break;
            }
            own[i].least = 1;
            let found = self.fewest(&own, &changes);
            own[i].least = 0;
            let Some(found) = found else { continue };
            found_here += 1;
            covered.extend(found.iter().map(|(event, _)| *event));
            let mut list = Vec::new();
            for (event, count) in found {
                list.extend(std::iter::repeat_n(event, count as usize));
            }
            loops.push(list);
        }
    }

    /// The first marking of the run from which the events can be fired in a loop that is evidence, shorter than `length`.
    fn begun(
        &mut self,
        initial: &State,
        run: &[EventId],
        wanted: &[EventId],
        length: usize,
    ) -> Option<Lasso> {
        let (problem, system) = (self.problem, self.problem.system);
        let steps = fired(system, initial, run)?;
        let mut reading = Reading::new(problem);
        let mut here = initial;
        for i in 0..=steps.len() {
            if self.is_over() {
                return None;
            }
            if let Some(order) = self.in_some_order(&mut here.to_vec(), wanted, |_| false) {
                let cycle = fired(system, here, &order)?;
                self.looks += cycle.len().saturating_mul(looks_at_state(problem));
                if reading.goes_round(here, &cycle) {
                    let found = Lasso {
                        initial: initial.clone(),
                        prefix: steps[..i].to_vec(),
                        cycle,
                        growth: None,
                    };
                    let cut = sliced(problem, &found, Kept::Parts);
                    let cut = cut.filter(|cut| is_evidence(problem, cut));
                    let found = cut.unwrap_or(found);
                    if found.steps().count() < length {
                        return Some(found);
                    }
                    self.looks += i.saturating_mul(looks_at_state(problem));
                }
            }
            if let Some(step) = steps.get(i) {
                self.looks += looks_at_state(problem);
                reading.read(here, step);
                here = &step.state;
            }
        }
        None
    }

    /// A run to the same loop, or to the same tokens where atoms look, with fewer events.
    fn smaller_prefix(&mut self, lasso: &Lasso) -> Option<Lasso> {
        let system = self.problem.system;
        let prefix = events(system, &lasso.prefix)?;
        let cycle = events(system, &lasso.cycle);
        // Free of what happens on the way; or with everything that atoms see.
        let free = self.prefix_of(lasso, &prefix, cycle.as_deref(), |_| false);
        if free.is_some() {
            return free;
        }
        let seen = self.seen.take()?;
        let found = self.prefix_of(lasso, &prefix, cycle.as_deref(), |event| {
            seen.is_seen(system, event)
        });
        self.seen = Some(seen);
        found
    }

    /// A prefix with fewer events, in which those that are `fixed` occur as often as before and in the same order.
    fn prefix_of(
        &mut self,
        lasso: &Lasso,
        prefix: &[EventId],
        cycle: Option<&[EventId]>,
        fixed: impl Fn(EventId) -> bool,
    ) -> Option<Lasso> {
        let system = self.problem.system;
        let times: Vec<Times> = (counted(prefix).into_iter())
            .map(|(event, most)| Times {
                event,
                least: if fixed(event) { most } else { 0 },
                most,
            })
            .collect();
        let changes = self.changes(lasso, cycle);
        let found = self.fewest(&times, &changes)?;
        let mut left: FxHashMap<EventId, u64> = found.into_iter().collect();
        let wanted: Vec<EventId> = (prefix.iter().copied())
            .filter(|event| match left.get_mut(event) {
                Some(0) | None => false,
                Some(count) => {
                    *count -= 1;
                    true
                }
            })
            .collect();
        if wanted.len() >= prefix.len() {
            return None;
        }
        let mut values = lasso.initial.to_vec();
        let order = self.in_some_order(&mut values, &wanted, &fixed)?;
        let prefix = fired(system, &lasso.initial, &order)?;
        let cycle = match cycle {
            Some(cycle) => fired(system, &values, cycle)?,
            None => lasso.cycle.clone(),
        };
        let found = Lasso {
            initial: lasso.initial.clone(),
            prefix,
            cycle,
            growth: None,
        };
        is_evidence(self.problem, &found).then_some(found)
    }

    /// What a prefix has to add to each place: the same where atoms look or where a deadlock is told, elsewhere what the loop needs.
    fn changes(&self, lasso: &Lasso, cycle: Option<&[EventId]>) -> Vec<Change> {
        let system = self.problem.system;
        let end = lasso
            .prefix
            .last()
            .map_or(&lasso.initial, |step| &step.state);
        let mut needed: Vec<Value> = vec![0; system.variables.len()];
        for event in cycle.unwrap_or_default().iter().rev() {
            for arc in arcs(system, *event).unwrap_or_default() {
                let place = &mut needed[arc.var.index()];
                *place = place.saturating_sub(arc.delta).max(arc.need);
            }
        }
        let all = cycle.is_none();
        (0..system.variables.len())
            .map(|i| {
                let (first, last) = (lasso.initial[i], end[i]);
                let looked_at = |seen: &Seen| seen.places[i];
                let same = all || self.seen.as_ref().is_none_or(looked_at);
                let least = if same { last } else { needed[i] };
                Change {
                    place: VarId(i as u32),
                    least: least.saturating_sub(first),
                    most: same.then_some(last.saturating_sub(first)),
                }
            })
            .collect()
    }

    /// An order in which all of the events can be fired, which leaves `values` behind it. Those that are `fixed` keep theirs.
    fn in_some_order(
        &mut self,
        values: &mut [Value],
        events: &[EventId],
        fixed: impl Fn(EventId) -> bool,
    ) -> Option<Vec<EventId>> {
        let system = self.problem.system;
        let mut waiting = events.to_vec();
        let mut order = Vec::with_capacity(events.len());
        while !waiting.is_empty() {
            let before = waiting.len();
            self.looks += before + 1;
            let mut held = false;
            waiting.retain(|event| {
                let mut arcs = arcs(system, *event).unwrap_or_default().iter();
                let enabled = arcs.all(|arc| values[arc.var.index()] >= arc.need);
                let ordered = fixed(*event);
                if !enabled || (ordered && held) {
                    held |= ordered;
                    return true;
                }
                fire(system, values, *event, Direction::Forth);
                order.push(*event);
                false
            });
            if waiting.len() == before || self.looks > MOST_LOOKS {
                return None;
            }
        }
        Some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::super::slice::testing::{asks, events, net, random_net, run, walk};
    use super::*;
    use lariat_automata::Automaton;
    use lariat_corpora::{cases, seed};
    use lariat_ltl::Random;
    use lariat_model::Deadlock;

    const EFFORT: u64 = 30_000;

    fn shorter(system: &System, asked: u32, lasso: &Lasso) -> Option<Lasso> {
        let (automaton, asked) = (Automaton::universal(), asks(asked));
        let problem = Problem::new(system, &automaton, &asked, Deadlock::Ignore);
        fewer(&problem, lasso, units(EFFORT), &Budget::unlimited())
    }

    /// Two processes and one lock: a loop in which both had it four times is no better than one with a single process.
    #[test]
    fn one_of_several_rounds_is_enough() {
        let mut system = net(
            5,
            &[
                (&[0, 4], &[1]),
                (&[1], &[0, 4]),
                (&[2, 4], &[3]),
                (&[3], &[2, 4]),
            ],
        );
        system.initial = vec![vec![1, 0, 1, 0, 1].into()];
        let rounds: Vec<u32> = [0, 1, 2, 3].repeat(4);
        let found = shorter(&system, 3, &run(&system, &[0, 1], &rounds)).unwrap();
        assert_eq!((found.prefix.len(), found.cycle.len()), (0, 2));
        assert_eq!(found.cycle[1].state, system.initial[0]);
    }

    /// There and back again, while a counter next to it goes on, so that no state comes twice.
    #[test]
    fn what_is_undone_need_not_be_done() {
        let parts: [(&[u32], &[u32]); 4] =
            [(&[0], &[1, 3]), (&[1], &[0]), (&[1], &[2]), (&[2], &[2])];
        let mut system = net(4, &parts);
        system.initial = vec![vec![1, 0, 0, 0].into()];
        let mut there: Vec<u32> = [0, 1].repeat(8);
        there.extend([0, 2]);
        let found = shorter(&system, 2, &run(&system, &there, &[3])).unwrap();
        assert_eq!(events(&found.prefix), [0, 2]);
        assert_eq!(events(&found.cycle), [3]);
    }

    /// On random nets: whatever comes out is a shorter run, and its loop a loop.
    #[test]
    fn what_is_found_is_a_shorter_run() {
        let mut random = Random::new(seed(1_989));
        let (mut met, mut shortened) = (0, 0);
        for case in 0..cases(2_000) {
            let system = random_net(&mut random);
            let Some(mut lasso) = walk(&system, &mut random) else {
                continue;
            };
            // Long enough to be looked at.
            let round = lasso.cycle.clone();
            while lasso.steps().count() <= SHORT {
                lasso.cycle.extend_from_slice(&round);
            }
            met += 1;
            let asked = random.below(system.variables.len()) as u32;
            let Some(found) = shorter(&system, asked, &lasso) else {
                continue;
            };
            shortened += 1;
            assert!(found.steps().count() < lasso.steps().count(), "case {case}");
            let fire = |start: &State, steps: &[Step]| {
                let events: Option<Vec<EventId>> = steps.iter().map(|step| step.event).collect();
                fired(&system, start, &events?)
            };
            assert_eq!(
                fire(&found.initial, &found.prefix).as_ref(),
                Some(&found.prefix),
                "case {case}"
            );
            assert_eq!(
                fire(found.entry(), &found.cycle).as_ref(),
                Some(&found.cycle),
                "case {case}"
            );
            assert_eq!(
                found.cycle.last().map(|step| &step.state),
                Some(found.entry()),
                "case {case}"
            );
        }
        assert!(
            met > cases(2_000) / 10 && shortened > met / 2,
            "{met} {shortened}"
        );
    }
}
