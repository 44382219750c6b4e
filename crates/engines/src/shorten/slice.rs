//! Slicing of runs of a net: removes events that are irrelevant to the property.
//!
//! Most events of a counterexample belong to unrelated parts of the net. The prefix is traversed
//! backwards, as in program slicing (M. Weiser, *Program slicing*, 1981), with the tokens *needed*
//! by the remaining run, at first those of the loop:
//!
//! ```text
//! needed before e   =   max(•e, needed − (e• − •e))     if e is kept
//!                       needed                          if not
//! ```
//!
//! An event is kept if it changes a place that some atom reads, if some atom names it, or if tokens
//! would be missing without it. The run has the needed tokens at every position, so the kept events
//! can be fired from the start. Parts of the loop that share no place with observed events are
//! removed as a whole, because each has effect zero. The rounds of a covering run are not changed:
//! observed places keep their tokens, so settled propositions stay settled.
//!
//! Slicing removes letters and changes none. That proves neither acceptance nor fairness: the
//! caller checks both (`word.rs`). Nets only. Runs that end in a deadlock are not sliced, because
//! the last state would not be dead. Cost: linear in the run.

use crate::problem::Problem;
use lariat_budget::Budget;
use lariat_model::{
    Action, Arc, EventId, EvidenceKind, Lasso, Predicate, Proposition, RunRecorder, State, Step,
    System, Value,
};

/// Slicing of the loop of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopSlicing {
    /// Keep the observed parts.
    Parts,
    Whole,
}

/// Returns the run without irrelevant events; `None` if none can be removed.
pub(super) fn sliced(
    problem: &Problem<'_>,
    lasso: &Lasso,
    of_the_loop: LoopSlicing,
    budget: &Budget,
) -> Option<Lasso> {
    let system = problem.system;
    let covers = lasso.kind() == EvidenceKind::Covering;
    let mut observed = problem.propositions.to_vec();
    if covers {
        // The atoms of the property that the automaton does not read.
        observed.extend_from_slice(&problem.unread);
    }
    let seen = Seen::new(system, &observed)?;
    let mut prefix = transitions(system, &lasso.prefix)?;
    let mut cycle = transitions(system, &lasso.cycle)?;
    let before = prefix.len() + cycle.len();
    let whole = cycle.clone();
    if !covers && of_the_loop == LoopSlicing::Parts {
        cycle = seen.part_of_loop(system, &cycle);
    }
    if fired(system, &lasso.entry(), &cycle).is_none() {
        cycle = whole;
    }
    // Removing events changes the markings in between, which may make further events irrelevant.
    loop {
        let kept = seen.part_of_prefix(system, &lasso.initial, &prefix, &cycle);
        if kept.len() == prefix.len() || budget.check().is_err() {
            break;
        }
        prefix = kept;
    }
    if prefix.len() + cycle.len() == before {
        return None;
    }
    let mut run = RunRecorder::new(lasso.initial.clone());
    fire_all(system, &mut run, &prefix)?;
    fire_all(system, &mut run, &cycle)?;
    Some(Lasso {
        growth: lasso.growth.clone(),
        ..run.into_lasso(prefix.len())
    })
}

pub(super) fn arcs(system: &System, event: EventId) -> Option<&[Arc]> {
    match &system.event(event).action {
        Action::Net(arcs) => Some(arcs),
        _ => None,
    }
}

/// Returns the events of steps; `None` if one is no transition of a net.
pub(super) fn transitions(system: &System, steps: &[Step]) -> Option<Vec<EventId>> {
    let net = |event: &EventId| arcs(system, *event).is_some();
    steps.iter().map(|step| step.event.filter(net)).collect()
}

fn changes(system: &System, event: EventId) -> impl Iterator<Item = &Arc> {
    let arcs = arcs(system, event).unwrap_or_default().iter();
    arcs.filter(|arc| arc.delta != 0)
}

/// Fires a sequence of events; `None` if it cannot be fired.
pub(super) fn fired(system: &System, start: &[Value], events: &[EventId]) -> Option<Vec<Step>> {
    let mut run = RunRecorder::new(start.into());
    fire_all(system, &mut run, events)?;
    Some(run.into_steps())
}

/// Extends the run by these events; `None` if one is not enabled.
fn fire_all(system: &System, run: &mut RunRecorder, events: &[EventId]) -> Option<()> {
    for event in events {
        run.take(system.steps(run.state(), *event).pop()?);
    }
    Some(())
}

#[derive(Clone, Copy)]
pub(super) enum FiringDirection {
    Forth,
    Back,
}

/// Adds or subtracts the effect of an event. Does not check that it is enabled.
pub(super) fn fire(
    system: &System,
    values: &mut [Value],
    event: EventId,
    direction: FiringDirection,
) {
    for arc in arcs(system, event).unwrap_or_default() {
        let value = &mut values[arc.var.index()];
        // Wraps silently: results other than those of the original run are fired again by `fired`.
        *value = match direction {
            FiringDirection::Forth => value.wrapping_add(arc.delta),
            FiringDirection::Back => value.wrapping_sub(arc.delta),
        };
    }
}

/// Places and events observed by the atoms of a problem.
struct Seen {
    places: Vec<bool>,
    events: Vec<bool>,
}

impl Seen {
    /// Returns `None` if everything may be observed.
    fn new(system: &System, propositions: &[Proposition]) -> Option<Seen> {
        let mut seen = Seen {
            places: vec![false; system.variables.len()],
            events: vec![false; system.events.len()],
        };
        for proposition in propositions {
            match proposition {
                Proposition::Fires(events) => {
                    events.iter().for_each(|e| seen.events[e.index()] = true);
                }
                Proposition::State(predicate) => seen.read(system, predicate)?,
            }
        }
        Some(seen)
    }

    /// Adds the places that a predicate depends on; `None` if it may depend on all.
    fn read(&mut self, system: &System, predicate: &Predicate) -> Option<()> {
        match predicate {
            Predicate::Deadlock => return None,
            Predicate::Enabled(events) => {
                for event in events {
                    let needs = arcs(system, *event)?.iter().filter(|arc| arc.need > 0);
                    needs.for_each(|arc| self.places[arc.var.index()] = true);
                }
            }
            Predicate::Not(p) => self.read(system, p)?,
            Predicate::And(ps) | Predicate::Or(ps) => {
                for p in ps {
                    self.read(system, p)?;
                }
            }
            Predicate::Const(_) | Predicate::Linear(_) | Predicate::Expr(_) => {
                let mut vars = Vec::new();
                predicate.collect_vars(&mut vars);
                vars.iter().for_each(|var| self.places[var.index()] = true);
            }
        }
        Some(())
    }

    fn is_observed(&self, system: &System, event: EventId) -> bool {
        let mut changes = changes(system, event);
        self.events[event.index()] || changes.any(|arc| self.places[arc.var.index()])
    }

    /// Returns the events of a prefix that are needed before `cycle`.
    fn part_of_prefix(
        &self,
        system: &System,
        initial: &State,
        prefix: &[EventId],
        cycle: &[EventId],
    ) -> Vec<EventId> {
        let mut needed: Vec<Value> = vec![0; system.variables.len()];
        let keep = |needed: &mut Vec<Value>, event: EventId| {
            for arc in arcs(system, event).unwrap_or_default() {
                let place = &mut needed[arc.var.index()];
                *place = place.saturating_sub(arc.delta).max(arc.need);
            }
        };
        for event in cycle.iter().rev() {
            keep(&mut needed, *event);
        }
        let mut kept = Vec::new();
        let mut values = initial.to_vec();
        for event in prefix {
            fire(system, &mut values, *event, FiringDirection::Forth);
        }
        for event in prefix.iter().rev() {
            fire(system, &mut values, *event, FiringDirection::Back);
            let lacks = |arc: &Arc| values[arc.var.index()] < needed[arc.var.index()];
            if self.is_observed(system, *event) || changes(system, *event).any(lacks) {
                kept.push(*event);
                keep(&mut needed, *event);
            }
        }
        kept.reverse();
        kept
    }

    /// Returns the observed parts of a loop, or the smallest part if none is. Events of different
    /// parts change no common place.
    fn part_of_loop(&self, system: &System, cycle: &[EventId]) -> Vec<EventId> {
        // Union-find: `first` leads to the first event of a part; `by_place` has one per place.
        let mut by_place = vec![usize::MAX; system.variables.len()];
        let mut first: Vec<usize> = (0..cycle.len()).collect();
        let root = |first: &[usize], mut i: usize| {
            while first[i] != i {
                i = first[i];
            }
            i
        };
        for (i, event) in cycle.iter().enumerate() {
            for arc in changes(system, *event) {
                let other = std::mem::replace(&mut by_place[arc.var.index()], i);
                if other != usize::MAX {
                    let (a, b) = (root(&first, i), root(&first, other));
                    first[a.max(b)] = a.min(b);
                }
            }
        }
        let roots: Vec<usize> = (0..cycle.len()).map(|i| root(&first, i)).collect();
        let mut sizes = vec![0; cycle.len()];
        let mut is_observed = vec![false; cycle.len()];
        for (event, root) in cycle.iter().zip(&roots) {
            sizes[*root] += 1;
            is_observed[*root] |= self.is_observed(system, *event);
        }
        if !is_observed.contains(&true)
            && let Some(least) = roots.iter().min_by_key(|root| sizes[**root])
        {
            is_observed[*least] = true;
        }
        let parts = cycle.iter().zip(&roots);
        let kept = parts.filter(|(_, root)| is_observed[**root]);
        kept.map(|(event, _)| *event).collect()
    }
}

/// Small nets and their runs, shared by the tests of all shortening steps.
#[cfg(test)]
pub(super) mod testing {
    use super::*;
    pub(in super::super) use crate::testing::net;
    use lariat_ltl::Random;
    use lariat_model::{Comparison, VarId};

    pub(in super::super) fn asks(place: u32) -> Vec<Proposition> {
        let marked = Predicate::compare(VarId(place), Comparison::Ge, 1);
        vec![Proposition::State(marked)]
    }

    pub(in super::super) fn run(system: &System, prefix: &[u32], cycle: &[u32]) -> Lasso {
        let events = |ids: &[u32]| -> Vec<EventId> { ids.iter().map(|i| EventId(*i)).collect() };
        let mut run = RunRecorder::new(system.initial[0].clone());
        fire_all(system, &mut run, &events(prefix)).unwrap();
        fire_all(system, &mut run, &events(cycle)).unwrap();
        run.into_lasso(prefix.len())
    }

    pub(super) fn random_net(random: &mut Random) -> System {
        let places = random.between(2, 7) as u32;
        let side = |random: &mut Random| -> Vec<u32> {
            let count = random.between(0, 2);
            (0..count).map(|_| random.below(places)).collect()
        };
        let parts: Vec<(Vec<u32>, Vec<u32>)> = (0..random.between(1, 8))
            .map(|_| (side(random), side(random)))
            .collect();
        let parts: Vec<(&[u32], &[u32])> = parts.iter().map(|(a, b)| (&a[..], &b[..])).collect();
        let tokens = (0..places).map(|_| random.below(3) as Value);
        net(&tokens.collect::<Vec<_>>(), &parts)
    }

    /// Random run until a state repeats.
    pub(super) fn walk(system: &System, random: &mut Random) -> Option<Lasso> {
        let mut run = RunRecorder::new(system.initial[0].clone());
        let mut states = vec![run.state().clone()];
        for _ in 0..40 {
            let enabled = |event: &EventId| system.is_enabled(run.state(), *event);
            let all: Vec<EventId> = system.event_ids().filter(enabled).collect();
            fire_all(system, &mut run, &[*random.pick(&all)?])?;
            if let Some(entry) = states.iter().position(|state| state == run.state()) {
                return Some(run.into_lasso(entry));
            }
            states.push(run.state().clone());
        }
        None
    }

    pub(in super::super) fn events(steps: &[Step]) -> Vec<u32> {
        let id = |step: &Step| step.event.map(|event| event.0);
        steps.iter().filter_map(id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{asks, events, net, random_net, run, walk};
    use super::*;
    use lariat_automata::Automaton;
    use lariat_corpora::{cases, seed};
    use lariat_ltl::Random;
    use lariat_model::Deadlock;

    #[test]
    fn unobserved_components_are_removed() {
        // Two components: 0 → 1 → 2 ⟲ and 3 → 4 ⇄ 5.
        let system = net(
            &[1, 0, 0, 1, 0, 0],
            &[
                (&[0], &[1]),
                (&[1], &[2]),
                (&[2], &[2]),
                (&[3], &[4]),
                (&[4], &[5]),
                (&[5], &[4]),
            ],
        );
        let automaton = Automaton::universal();
        let of = |place| {
            let asked = asks(place);
            let problem = Problem::new(&system, &automaton, &asked, Deadlock::Ignore);
            let lasso = run(&system, &[3, 0, 4, 5, 1, 4], &[5, 4, 2]);
            let sliced =
                sliced(&problem, &lasso, LoopSlicing::Parts, &Budget::unlimited()).unwrap();
            (events(&sliced.prefix), events(&sliced.cycle))
        };
        assert_eq!(of(1), (vec![0, 1], vec![2]));
        assert_eq!(of(5), (vec![3, 4, 5, 4], vec![5, 4]));
    }

    /// The rounds, which add tokens elsewhere, are kept, but not their events in the prefix.
    #[test]
    fn the_prefix_of_a_covering_run_is_sliced() {
        let system = net(&[1, 0, 0, 0], &[(&[0], &[1]), (&[1], &[2]), (&[], &[3])]);
        let (automaton, asked) = (Automaton::universal(), asks(2));
        let problem = Problem::new(&system, &automaton, &asked, Deadlock::Ignore);
        let mut lasso = run(&system, &[2, 0, 2, 2, 1, 2], &[2]);
        lasso.growth = Some(vec![0, 0, 0, 1].into());
        let sliced = sliced(&problem, &lasso, LoopSlicing::Parts, &Budget::unlimited()).unwrap();
        assert_eq!(sliced.kind(), EvidenceKind::Covering);
        assert_eq!(events(&sliced.prefix), [0, 1]);
        assert_eq!(events(&sliced.cycle), [2]);
    }

    /// On random nets a slice is a run with the same sequence of observed values.
    #[test]
    fn slices_are_runs_with_the_same_observations() {
        let mut random = Random::new(seed(4_711));
        let (mut met, mut shorter) = (0, 0);
        for case in 0..cases(2_000) {
            let system = random_net(&mut random);
            let places = system.variables.len() as u32;
            let Some(lasso) = walk(&system, &mut random) else {
                continue;
            };
            met += 1;
            let asked = asks(random.below(places));
            let automaton = Automaton::universal();
            let problem = Problem::new(&system, &automaton, &asked, Deadlock::Ignore);
            let Some(sliced) = sliced(&problem, &lasso, LoopSlicing::Parts, &Budget::unlimited())
            else {
                continue;
            };
            shorter += 1;
            let Proposition::State(predicate) = &asked[0] else {
                unreachable!()
            };
            assert!(!sliced.cycle.is_empty(), "case {case}");
            assert!(sliced.comes_round(), "case {case}");
            let observed = |lasso: &Lasso| {
                let states = lasso.states();
                let holds = states.iter().map(|s| system.holds(predicate, s));
                let mut observed: Vec<bool> = holds.collect();
                observed.dedup();
                observed
            };
            assert_eq!(observed(&sliced), observed(&lasso), "case {case}");
        }
        assert!(
            met > cases(2_000) / 10 && shorter > met / 10,
            "{met} {shorter}"
        );
    }
}
