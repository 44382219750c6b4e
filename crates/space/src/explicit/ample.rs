//! Partial-order reduction: locations at which the steps of one process suffice.
//!
//! Steps of different processes that share no data lead to the same state in either order. In a
//! state whose process `p` is at an *ample* location, only the steps of `p` are taken. `T(p, ℓ)` are
//! the events whose guard begins with the test `p = ℓ`; `(p, ℓ)` is ample if
//!
//! ```text
//! C1  an event outside T(p, ℓ) that can happen while p = ℓ
//!     writes nothing that T(p, ℓ) reads or writes, and reads nothing that it writes
//! C2  T(p, ℓ) does not change the truth of a visible predicate
//! C3  the edges ℓ → ℓ' of ample locations, for the values ℓ' that T(p, ℓ) assigns to p, have no
//!     cycle, and T(p, ℓ) assigns no other variable that has an ample location
//! C4  no event of T(p, ℓ) fails
//! ```
//!
//! and the set of a state is that of the first `(p, ℓ)` in a fixed order that is ample and has an
//! enabled event, else all enabled events.
//!
//! *Soundness.* While no event of `T(p, ℓ)` happens, `p = ℓ` holds and, by C1, its events stay
//! enabled or disabled and commute with all others: the set is persistent. By C2 its events are
//! invisible, and C3 excludes cycles on which every state has an ample set: on such a cycle each
//! ample variable would change by its own edges only. So the reduced graph is stutter-equivalent to
//! the full graph. The set depends on nothing but the state, hence the product with any automaton
//! may be explored by any search. An event outside that fails stops the system, which disables
//! `T(p, ℓ)`: the same failure after a step of `T(p, ℓ)` leads to a state that differs in invisible
//! variables only; C4 lets no ample step hide another event in this way. A deadlock without failure
//! is reached by permuting the steps that lead to it, because `T(p, ℓ)` would still be enabled.
//!
//! R. Kurshan, V. Levin, M. Minea, D. Peled, H. Yenigün, *Static partial order reduction*, TACAS
//! 1998. Deviations: independence is decided per location, with the conditions that it decides
//! ([footprints](super::footprint)); visible steps exclude their location, not their process. Sets
//! that depend on the automaton are wrong in a product: S. Siegel, *What's wrong with on-the-fly
//! partial order reduction*, CAV 2019.

use super::code::Range;
use super::compile::Gate;
use super::footprint::{Footprint, KnownVariable, excludes};
use lariat_budget::{Budget, Stop};
use lariat_model::{
    Action, Assignment, Chain, ChainChoice, Domain, EventId, Expr, LValue, Predicate, System,
    Value, VarId,
};
use std::collections::BTreeSet;

/// Limit on the ways through the chain of an ample event.
const WAYS: u64 = 1 << 10;

/// The ample locations of a system, each with its steps.
#[derive(Debug)]
pub(super) struct AmpleSets {
    /// By variable, the locations in increasing order.
    processes: Vec<(VarId, Vec<(Value, Range)>)>,
}

/// A location that satisfies C1, C2 and C4.
struct Candidate {
    gate: Gate,
    /// The values that its events assign to the variable.
    targets: Vec<Value>,
    writes: Vec<VarId>,
}

/// A system with its events by the variables that they mention.
struct Analysis<'a> {
    system: &'a System,
    visible: &'a [&'a Predicate],
    readers: Vec<Vec<EventId>>,
    writers: Vec<Vec<EventId>>,
    budget: &'a Budget,
}

impl AmpleSets {
    /// Finds the ample locations; `gates` are all tests with their steps and events. `None` if there
    /// is none.
    pub fn new(
        system: &System,
        gates: Vec<Gate>,
        visible: &[&Predicate],
        budget: &Budget,
    ) -> Result<Option<AmpleSets>, Stop> {
        let analysis = Analysis::new(system, visible, budget)?;
        let mut candidates = Vec::new();
        for gate in gates {
            candidates.extend(analysis.candidate(gate)?);
        }
        let vars: BTreeSet<VarId> = candidates.iter().map(|c| c.gate.var).collect();
        let is_alone = |c: &Candidate| {
            c.writes
                .iter()
                .all(|w| *w == c.gate.var || !vars.contains(w))
        };
        candidates.retain(is_alone);
        let mut processes = Vec::new();
        for var in vars {
            let own = candidates.iter().filter(|c| c.gate.var == var);
            let mut locations = without_cycles(own.collect(), budget)?;
            locations.sort_unstable();
            if !locations.is_empty() {
                processes.push((var, locations));
            }
        }
        Ok((!processes.is_empty()).then_some(AmpleSets { processes }))
    }

    /// The steps that suffice in a state, if not all are needed; `can` tells which are enabled.
    #[inline]
    pub fn steps(&self, values: &[Value], mut can: impl FnMut(u32) -> bool) -> Option<Range> {
        self.processes.iter().find_map(|(var, locations)| {
            let here = values[var.index()];
            let at = locations.binary_search_by_key(&here, |(value, _)| *value);
            let (_, steps) = locations[at.ok()?];
            (steps.0..steps.1).any(&mut can).then_some(steps)
        })
    }

    /// The number of ample locations.
    pub fn len(&self) -> usize {
        self.processes
            .iter()
            .map(|(_, locations)| locations.len())
            .sum()
    }
}

/// Locations of one variable without those that close a cycle, each with its steps.
fn without_cycles(mut rest: Vec<&Candidate>, budget: &Budget) -> Result<Vec<(Value, Range)>, Stop> {
    let mut kept = Vec::new();
    while !rest.is_empty() {
        budget.check()?;
        let open: BTreeSet<Value> = rest.iter().map(|c| c.gate.value).collect();
        let before = rest.len();
        // Locations from which no cycle can be closed.
        rest.retain(|c| {
            let is_done = c.targets.iter().all(|target| !open.contains(target));
            if is_done {
                kept.push((c.gate.value, c.gate.steps));
            }
            !is_done
        });
        // Every cycle has an edge that does not lead to a larger value.
        let closes = |c: &&Candidate| {
            let mut targets = c.targets.iter();
            targets.any(|target| *target <= c.gate.value && open.contains(target))
        };
        if rest.len() == before
            && let Some(at) = rest.iter().rposition(closes)
        {
            rest.remove(at);
        }
    }
    Ok(kept)
}

impl<'a> Analysis<'a> {
    fn new(
        system: &'a System,
        visible: &'a [&'a Predicate],
        budget: &'a Budget,
    ) -> Result<Analysis<'a>, Stop> {
        let mut readers = vec![Vec::new(); system.variables.len()];
        let mut writers = readers.clone();
        for event in system.event_ids() {
            budget.check()?;
            let action = &system.event(event).action;
            for var in action.reads() {
                readers[var.index()].push(event);
            }
            for var in action.writes() {
                writers[var.index()].push(event);
            }
        }
        Ok(Analysis {
            system,
            visible,
            readers,
            writers,
            budget,
        })
    }

    /// The location of a gate, if C1, C2 and C4 hold.
    fn candidate(&self, gate: Gate) -> Result<Option<Candidate>, Stop> {
        let mut targets = Vec::new();
        let (mut touched, mut writes) = (Vec::new(), Vec::new());
        for event in &gate.events {
            self.budget.check()?;
            let action = &self.system.event(*event).action;
            let Some(to) = self.targets(action, &gate).filter(|_| never_fails(action)) else {
                return Ok(None);
            };
            targets.extend(to);
            touched.extend(action.reads());
            writes.extend(action.writes());
        }
        writes.sort_unstable();
        writes.dedup();
        touched.extend(&writes);
        touched.sort_unstable();
        touched.dedup();
        let mut values = targets.clone();
        values.push(gate.value);
        let known = KnownVariable {
            var: gate.var,
            values: &values,
        };
        let is_faulty = self
            .system
            .fault
            .is_some_and(|fault| touched.contains(&fault));
        if is_faulty
            || self.is_visible(&writes, known)
            || self.has_conflict(&gate, &touched, &writes, known)?
        {
            return Ok(None);
        }
        Ok(Some(Candidate {
            gate,
            targets,
            writes,
        }))
    }

    /// The values that an event behind a gate may assign to the variable of the gate, with the
    /// value itself if it may stay. `None` if they are not known.
    fn targets(&self, action: &Action, gate: &Gate) -> Option<Vec<Value>> {
        let in_domain = |value: Value| match &self.system.variable(gate.var).domain {
            Domain::Range { low, high } => (*low..=*high).contains(&value),
            _ => true,
        };
        let (first, rest): (&[Assignment], Vec<&Assignment>) = match action {
            Action::Program { effects, .. } => (effects, effects.iter().collect()),
            Action::Chain(chain) => (&chain.effects, chain.assignments().collect()),
            Action::Net(_) | Action::Table { .. } => return None,
        };
        let is_assigned = |effect: &Assignment| effect.target == LValue::Var(gate.var);
        let mut targets = Vec::new();
        if !first.iter().any(is_assigned) {
            targets.push(gate.value);
        }
        let mut written = Vec::new();
        for effect in rest {
            written.clear();
            effect.target.collect_writes(&mut written);
            if !written.contains(&gate.var) {
                continue;
            }
            match (&effect.target, &effect.value) {
                (LValue::Var(_), Expr::Const(value)) if in_domain(*value) => targets.push(*value),
                _ => return None,
            }
        }
        Some(targets)
    }

    /// Returns whether the events may change the truth of a visible predicate.
    fn is_visible(&self, writes: &[VarId], known: KnownVariable<'_>) -> bool {
        let mut vars = Vec::new();
        self.visible.iter().any(|predicate| {
            vars.clear();
            predicate.collect_vars(&mut vars);
            vars.iter().any(|var| writes.contains(var)) && known.decides(predicate).is_none()
        })
    }

    /// Returns whether C1 fails.
    fn has_conflict(
        &self,
        gate: &Gate,
        touched: &[VarId],
        writes: &[VarId],
        known: KnownVariable<'_>,
    ) -> Result<bool, Stop> {
        let written = touched.iter().flat_map(|var| &self.writers[var.index()]);
        let read = writes.iter().flat_map(|var| &self.readers[var.index()]);
        let mut others: Vec<EventId> = written.chain(read).copied().collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|event| !gate.events.contains(event));
        for event in others {
            self.budget.check()?;
            let action = &self.system.event(event).action;
            let is_excluded = |guard| excludes(guard, gate.var, gate.value);
            if action.guard().is_some_and(is_excluded) {
                continue;
            }
            let other = Footprint::of(action, known);
            let has = |vars: &[VarId], all: &[VarId]| vars.iter().any(|v| all.contains(v));
            if has(&other.writes, touched) || has(&other.reads, writes) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns whether the event certainly has a successor wherever its guard holds.
fn never_fails(action: &Action) -> bool {
    let can_fail = |guard: &Predicate| match guard {
        Predicate::Expr(guard) => guard.can_fail(),
        Predicate::Const(_) | Predicate::Linear(_) => false,
        _ => true,
    };
    match action {
        Action::Program { guard, effects } => !can_fail(guard) && are_total(effects),
        Action::Chain(chain) => !can_fail(&chain.guard) && are_total(&chain.effects) && ends(chain),
        Action::Net(_) | Action::Table { .. } => false,
    }
}

fn are_total(effects: &[Assignment]) -> bool {
    effects.iter().all(|effect| {
        let can_fail = match &effect.target {
            LValue::Var(_) => false,
            LValue::Element { first, len, index } => Expr::Element {
                first: *first,
                len: *len,
                index: Box::new(index.clone()),
            }
            .can_fail(),
        };
        !can_fail && !effect.value.can_fail()
    })
}

/// Returns whether each of the few ways through a chain ends.
fn ends(chain: &Chain) -> bool {
    // By point, the ways from it; steps lead to later points only.
    let mut ways = vec![0; chain.points.len() + 1];
    for (at, point) in chain.points.iter().enumerate().rev() {
        let mut here: u64 = 1;
        for step in &point.steps {
            let is_later = |next: u32| next as usize > at && (next as usize) < chain.points.len();
            if step.guard.can_fail() || !are_total(&step.effects) {
                return false;
            }
            match step.next {
                Some(next) if is_later(next) => here += ways[next as usize],
                Some(_) => return false,
                None => here += 1,
            }
        }
        if point.choice == ChainChoice::First || here > WAYS {
            return false;
        }
        ways[at] = here;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::{Explicit, ExplicitStateId, StepCursor};
    use super::*;
    use lariat_model::{BinaryOp, Comparison, Deadlock, Event, Variable};

    fn compare(var: u32, value: Value) -> Expr {
        let (x, k) = (Expr::Var(VarId(var)), Expr::Const(value));
        Expr::Binary(BinaryOp::Eq, Box::new(x), Box::new(k))
    }

    fn assign(var: u32, value: Expr) -> Assignment {
        Assignment {
            target: LValue::Var(VarId(var)),
            value,
        }
    }

    /// A step with tests and assignments of variables.
    fn step(tests: &[(u32, Value)], effects: Vec<Assignment>) -> Action {
        let all = |x, y| Expr::Binary(BinaryOp::And, Box::new(x), Box::new(y));
        let tests = tests.iter().map(|(var, value)| compare(*var, *value));
        Action::Program {
            guard: Predicate::Expr(tests.reduce(all).unwrap_or(Expr::Const(1))),
            effects,
        }
    }

    fn moves(var: u32, from: Value, to: Value) -> Action {
        step(&[(var, from)], vec![assign(var, Expr::Const(to))])
    }

    fn system(variables: usize, actions: Vec<Action>) -> System {
        let variable = |i: usize| Variable {
            name: format!("x{i}"),
            domain: Domain::Range { low: 0, high: 3 },
        };
        let event = |(i, action)| Event {
            name: format!("e{i}"),
            action,
        };
        System {
            variables: (0..variables).map(variable).collect(),
            events: actions.into_iter().enumerate().map(event).collect(),
            initial: vec![vec![0; variables].into()],
            ..System::default()
        }
    }

    /// The numbers of ample locations and of states of the reduced graph.
    fn reduced(system: &System, visible: &[&Predicate]) -> (usize, usize) {
        let budget = Budget::unlimited();
        let space = Explicit::new(system, Deadlock::Stutter);
        let space = space.reduced(visible, &budget).unwrap();
        let mut states = space.states(&budget);
        space.initial(&mut states, 0).unwrap();
        let mut next = 0;
        while next < states.len() as u32 {
            let mut cursor = StepCursor::default();
            let from = ExplicitStateId(next);
            while space
                .next(&mut states, from, &mut cursor)
                .unwrap()
                .is_some()
            {}
            next += 1;
        }
        (space.ample_locations(), states.len())
    }

    /// Two processes with two steps each.
    fn two() -> Vec<Action> {
        let steps = [0, 1].map(|p| [moves(p, 0, 1), moves(p, 1, 2)]);
        steps.into_iter().flatten().collect()
    }

    #[test]
    fn independent_steps_happen_in_one_order() {
        assert_eq!(reduced(&system(2, two()), &[]), (4, 5));
    }

    #[test]
    fn each_condition_excludes_locations() {
        let add = |to: u32, x: u32| {
            let (x, one) = (Box::new(Expr::Var(VarId(x))), Box::new(Expr::Const(1)));
            assign(to, Expr::Binary(BinaryOp::Add, x, one))
        };
        // C1: both write x2, or one reads it.
        let with = |first: Vec<Assignment>, second: Vec<Assignment>| {
            let steps = [
                step(&[(0, 0)], first),
                step(&[(1, 0)], second),
                moves(1, 1, 2),
            ];
            reduced(&system(4, steps.into()), &[]).0
        };
        let go = |p: u32| assign(p, Expr::Const(1));
        assert_eq!(with(vec![go(0), add(2, 2)], vec![go(1), add(3, 3)]), 3);
        assert_eq!(with(vec![go(0), add(2, 2)], vec![go(1), add(2, 2)]), 1);
        assert_eq!(with(vec![go(0), add(2, 2)], vec![go(1), add(3, 2)]), 1);
        // C2: a visible location; steps that neither leave nor reach it are invisible.
        let at = |value| Predicate::compare(VarId(0), Comparison::Eq, value);
        assert_eq!(reduced(&system(2, two()), &[&at(2)]).0, 3);
        assert_eq!(reduced(&system(2, two()), &[&at(1)]).0, 2);
        // C3: a step without effect, and the step that closes a cycle.
        assert_eq!(with(vec![add(2, 2)], vec![go(1)]), 2);
        let round = [vec![moves(0, 2, 0)], two()].concat();
        assert_eq!(reduced(&system(2, round), &[]).0, 4);
        // C4
        let one = Box::new(Expr::Const(1));
        let fails = Expr::Binary(BinaryOp::Div, one, Box::new(Expr::Var(VarId(2))));
        assert_eq!(with(vec![go(0), assign(2, fails)], vec![go(1)]), 2);
    }

    /// Each of two processes is ample by itself, but they move each other in a cycle, in which the
    /// third would be forgotten.
    #[test]
    fn processes_that_move_each_other_are_not_ample() {
        let both = |tests, x, y| {
            step(
                tests,
                vec![assign(0, Expr::Const(x)), assign(1, Expr::Const(y))],
            )
        };
        let steps = vec![
            both(&[(0, 0), (1, 0)], 1, 1),
            both(&[(1, 1), (0, 1)], 0, 0),
            moves(2, 0, 1),
        ];
        assert_eq!(reduced(&system(3, steps), &[]), (1, 3));
    }

    #[test]
    fn other_locations_do_not_matter() {
        // The first process waits at x1 = 2, which the first step of the second does not reach.
        let steps = [
            vec![step(&[(0, 0), (1, 2)], vec![assign(0, Expr::Const(1))])],
            two(),
        ]
        .concat();
        let steps = steps.into_iter().filter(|s| *s != moves(0, 0, 1)).collect();
        assert_eq!(reduced(&system(2, steps), &[]).0, 3);
    }
}
