//! Covering runs: where a net grows, a walk need not come back to where it was.
//!
//! ```text
//! m1 –w→ m2 = m1 + Δ,  Δ ≥ 0     so that m1 + k·Δ –w→ m1 + (k+1)·Δ for every k
//! ```
//!
//! (R. Karp and R. Miller, *Parallel program schemata*, 1969.) If the automaton is in the same state at both ends, all marks are in between, and each
//! proposition is *settled* at each position `m` of `w`, that is, says the same of all `m + k·Δ`, then every round of `w`
//! has the letters of the first and the automaton accepts. On a net without any cycle this is the only evidence
//! there is. Sound for full LTL with events; `w` fires, so both deadlock policies agree. Where the automaton accepts whatever follows, letters do not matter: the
//! rounds only show that something does follow.
//!
//! `Δ` is summed up backwards from the end of the walk, one step after the other. Most walks cover nothing, so
//! that looks back are short and seldom long.

use super::chart::Chart;
use super::trail::Trail;
use crate::problem::Problem;
use crate::sync::{Sync, Worker};
use lariat_model::{
    Action, Arc, Comparison, EventId, Linear, Predicate, Proposition, State, System, Value,
};

/// Steps of the shortest look back.
const SHORT: usize = 16;
/// Steps of the longest look back.
const LONG: usize = 400;
/// Candidates whose propositions are looked at in one look back: those that follow mostly fail like the first ones.
const CANDIDATES: usize = 4;

/// Looks for covering runs at the end of a walk.
pub(super) struct Covering<'a> {
    system: &'a System,
    predicates: Vec<&'a Predicate>,
    /// What the steps looked at change; 0 everywhere between two looks.
    delta: Vec<Value>,
    changed: Vec<usize>,
}

impl<'a> Covering<'a> {
    /// For a problem about a net that may grow.
    pub fn new(problem: &'a Problem<'_>) -> Option<Covering<'a>> {
        let system = problem.system;
        let grows = system.is_net() && system.fault.is_none() && system.makes_tokens();
        let propositions = problem.propositions.iter().chain(&problem.unread);
        let predicate = |proposition: &'a Proposition| match proposition {
            Proposition::State(predicate) => Some(predicate),
            Proposition::Fires(_) => None,
        };
        grows.then(|| Covering {
            system,
            predicates: (propositions.filter_map(predicate))
                .chain(
                    problem
                        .fairness
                        .iter()
                        .map(|constraint| &constraint.enabled),
                )
                .collect(),
            delta: vec![0; system.variables.len()],
            changed: Vec::new(),
        })
    }

    /// A position of the walk that its end covers, so that all steps from there can be repeated for ever with the same
    /// letters, and what they add each time.
    pub fn covers(
        &mut self,
        product: &Sync<'_>,
        worker: &mut Worker,
        trail: &Trail,
        chart: &Chart,
    ) -> Option<(usize, State)> {
        let found = self.look_back(product, worker, trail, chart);
        for place in self.changed.drain(..) {
            self.delta[place] = 0;
        }
        found
    }

    fn look_back(
        &mut self,
        product: &Sync<'_>,
        worker: &mut Worker,
        trail: &Trail,
        chart: &Chart,
    ) -> Option<(usize, State)> {
        let end = trail.len();
        // Every second look is twice as long as those between.
        let steps = SHORT << end.trailing_zeros().min(8);
        let first = end.saturating_sub(steps.min(LONG));
        let (_, location) = worker.nodes.get(trail.end());
        // Places that have fewer tokens at the end, and such that have more.
        let (mut less, mut more) = (0, 0);
        let mut candidates = 0;
        for position in (first..end).rev() {
            for arc in arcs(self.system, trail.event(position)) {
                let place = arc.var.index();
                let old = self.delta[place];
                let new = old.wrapping_add(arc.delta);
                self.delta[place] = new;
                less = less + usize::from(new < 0) - usize::from(old < 0);
                more = more + usize::from(new > 0) - usize::from(old > 0);
                self.changed.push(place);
            }
            let same = worker.nodes.get(trail.node(position)).1 == location;
            if !same || less > 0 || more == 0 || !trail.has_all_since(position) {
                continue;
            }
            if chart.is_forever(location) || self.is_settled(product, worker, trail, position) {
                return Some((position, self.delta.as_slice().into()));
            }
            candidates += 1;
            if candidates == CANDIDATES {
                break;
            }
        }
        None
    }

    /// Is every proposition settled at every position from `first` on?
    fn is_settled(
        &self,
        product: &Sync<'_>,
        worker: &mut Worker,
        trail: &Trail,
        first: usize,
    ) -> bool {
        (first..trail.len()).rev().all(|position| {
            let (state, _) = worker.nodes.get(trail.node(position));
            let values = product.values(worker, state);
            let settled = |p: &&Predicate| self.value(p, values).is_some();
            self.predicates.iter().all(settled)
        })
    }

    /// What the predicate says of `m` and, however often `delta` is added, goes on to say; `None` if that may change.
    fn value(&self, predicate: &Predicate, m: &[Value]) -> Option<bool> {
        match predicate {
            Predicate::Const(value) => Some(*value),
            Predicate::Linear(linear) => self.comparison(linear, m),
            Predicate::Enabled(events) => {
                let lacks = |event: &EventId| {
                    let mut arcs = arcs(self.system, Some(*event)).iter();
                    arcs.any(|arc| m[arc.var.index()] < arc.need)
                };
                let lacks_for_ever = |event: &EventId| {
                    let mut arcs = arcs(self.system, Some(*event)).iter();
                    arcs.any(|arc| {
                        m[arc.var.index()] < arc.need && self.delta[arc.var.index()] == 0
                    })
                };
                match events.iter().all(lacks) {
                    false => Some(true),
                    true => events.iter().all(lacks_for_ever).then_some(false),
                }
            }
            // Something is taken from every position.
            Predicate::Deadlock => Some(false),
            Predicate::Expr(expr) => {
                let mut vars = Vec::new();
                expr.collect_vars(&mut vars);
                let rests = vars.iter().all(|var| self.delta[var.index()] == 0);
                rests.then(|| self.system.holds(predicate, m))
            }
            Predicate::Not(p) => self.value(p, m).map(|value| !value),
            Predicate::And(ps) => {
                let values: Vec<Option<bool>> = ps.iter().map(|p| self.value(p, m)).collect();
                match values.contains(&Some(false)) {
                    true => Some(false),
                    false => (!values.contains(&None)).then_some(true),
                }
            }
            Predicate::Or(ps) => {
                let values: Vec<Option<bool>> = ps.iter().map(|p| self.value(p, m)).collect();
                match values.contains(&Some(true)) {
                    true => Some(true),
                    false => (!values.contains(&None)).then_some(false),
                }
            }
        }
    }

    /// The same of a comparison: settled if its sum does not move, or moves to where the truth stays as it is.
    fn comparison(&self, linear: &Linear, m: &[Value]) -> Option<bool> {
        let (mut sum, mut slope) = (0_i128, 0_i128);
        for (var, factor) in &linear.terms {
            sum += i128::from(*factor) * i128::from(m[var.index()]);
            slope += i128::from(*factor) * i128::from(self.delta[var.index()]);
        }
        let constant = i128::from(linear.constant);
        let holds = linear.comparison.holds(sum, constant);
        let (rises, falls) = (slope > 0, slope < 0);
        let moves_away = (rises && sum > constant) || (falls && sum < constant);
        let changes = match linear.comparison {
            Comparison::Ge | Comparison::Gt => (holds && falls) || (!holds && rises),
            Comparison::Le | Comparison::Lt => (holds && rises) || (!holds && falls),
            Comparison::Eq | Comparison::Ne => (rises || falls) && !moves_away,
        };
        (!changes).then_some(holds)
    }
}

/// The arcs of a transition.
fn arcs(system: &System, event: Option<EventId>) -> &[Arc] {
    match event.map(|event| &system.event(event).action) {
        Some(Action::Net(arcs)) => arcs,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{AutomatonKind, Found, Procedure, Task};
    use crate::walk::WALK;
    use lariat_automata::{Automaton, Guards};
    use lariat_budget::{Budget, Quiet};
    use lariat_emptiness::Outcome;
    use lariat_ltl::AtomId;
    use lariat_model::{Constraint, Deadlock, Strength};

    /// A walk that looks for runs without an event that is fair.
    fn without(system: &System, event: EventId) -> Found {
        let mut automaton = Automaton::universal();
        let taken = automaton.guards.atom(0);
        automaton.atoms = vec![AtomId(0)];
        automaton.states[0][0].guard = automaton.guards.minus(Guards::TRUE, taken);
        let fairness = [Constraint::of_events("it", Strength::Weak, vec![event])];
        let fires = [Proposition::Fires(vec![event])];
        let problem = Problem::new(system, &automaton, &fires, Deadlock::Ignore);
        let Procedure::Single(walk) = WALK.procedure else {
            panic!("walks are on single states");
        };
        walk(&mut Task {
            problem: &problem.assuming(&fairness),
            automaton: AutomatonKind::Tgba,
            emptiness: None,
            variant: Default::default(),
            budget: &Budget::unlimited().with_work(500),
            observer: &Quiet,
            account: &mut Default::default(),
        })
    }

    /// The last transition needs five tokens, which are not there at first: that it is not enabled says nothing of a run that adds tokens for ever.
    #[test]
    fn fair_transitions_that_growth_enables_are_not_settled() {
        let turns = |needs: &[u32]| System {
            initial: vec![vec![1, 0, 0, 0].into()],
            ..crate::testing::net(4, &[(&[0], &[1, 2]), (&[1], &[0]), (needs, &[])])
        };
        let growing = without(&turns(&[2, 2, 2, 2, 2]), EventId(2));
        assert!(!matches!(growing, Ok(Outcome::Accepting(_))), "{growing:?}");
        let lacking = without(&turns(&[2, 3]), EventId(2));
        assert!(matches!(lacking, Ok(Outcome::Accepting(_))), "{lacking:?}");
    }
}
