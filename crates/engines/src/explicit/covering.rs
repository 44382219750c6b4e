//! Covering runs: infinite runs of a growing net that repeat no state.
//!
//! ```text
//! m1 –w→ m2 = m1 + Δ,  Δ ≥ 0     so that m1 + k·Δ –w→ m1 + (k+1)·Δ for every k
//! ```
//!
//! (R. Karp and R. Miller, *Parallel program schemata*, 1969.) Suppose the automaton is in the same
//! state at both ends, all marks occur in between, and each proposition is *settled* at each
//! position `m` of `w`, i.e. has the same value in all `m + k·Δ`. Then every round of `w` has the
//! letters of the first, and the automaton accepts. On a net without cycles there is no other
//! evidence. Sound for full LTL with events; `w` fires, so both deadlock policies agree. If the
//! automaton accepts every continuation, the rounds only show that the run continues.
//!
//! `walk` queries it at each step, the depth-first search along its path ([`OnPath`]). `Δ` is
//! summed backwards from the end. Most runs cover nothing, so most backward searches are short. A
//! diverging search has an ever longer path on which coverings persist. Hence it is queried a few
//! times whenever its path has doubled: the number of queries is logarithmic in the depth.

use crate::acceptance_map::AcceptanceMap;
use crate::explicit::product::{ExplicitProduct, ExplicitWorker};
use crate::explicit::single::ProductCursor;
use crate::problem::Problem;
use lariat_budget::Stop;
use lariat_emptiness::{Graph, Marks, NodeId, PathOracle, SearchPath};
use lariat_model::{
    Action, Arc, Comparison, Domain, EventId, Linear, Predicate, Proposition, State, System, Value,
};

/// Steps of the shortest backward search.
const SHORT: usize = 16;
/// Steps of the longest backward search.
const LONG: usize = 400;
/// Candidates per backward search whose propositions are evaluated; later ones mostly fail, too.
const CANDIDATES: usize = 4;
/// Length of the path at the first query. Diverging searches soon reach it, small nets rarely.
const FIRST: usize = 256;
/// Queries before the path has to double: the automaton may be in the wrong state, or the round may
/// be longer than the backward search.
const QUESTIONS: usize = 8;

/// Returns the number of steps of a backward search, given the number of searches so far. Every
/// second one is at least twice as long as the others.
pub(crate) fn steps_back(searches: usize) -> usize {
    (SHORT << searches.trailing_zeros().min(8)).min(LONG)
}

/// Searches for a covering run at the end of a run.
pub(crate) struct Covering<'a> {
    system: &'a System,
    marks: Marks,
    predicates: Vec<&'a Predicate>,
    /// Change of each place by the steps that the last search visited.
    delta: Vec<Value>,
    changed: Vec<usize>,
}

/// Step of a run, visited backwards from its end.
#[derive(Clone, Copy)]
pub(crate) struct StepBack {
    pub from: NodeId,
    pub event: Option<EventId>,
    pub marks: Marks,
}

/// A suffix of a run that can be repeated infinitely often with the same letters.
pub(crate) struct Covered {
    pub steps: usize,
    /// Tokens added by each repetition.
    pub growth: State,
}

impl<'a> Covering<'a> {
    /// Returns a search if the problem is about a net that may grow.
    pub fn new(problem: &'a Problem<'_>, product: &ExplicitProduct<'_>) -> Option<Covering<'a>> {
        let system = problem.system;
        let free = |domain: &Domain| matches!(domain, Domain::Count { bound: None });
        let may_grow = system.is_net()
            && system.fault.is_none()
            && system.variables.iter().any(|var| free(&var.domain))
            && system.makes_tokens();
        let propositions = problem.propositions.iter().chain(&problem.unread);
        let predicate = |proposition: &'a Proposition| match proposition {
            Proposition::State(predicate) => Some(predicate),
            Proposition::Fires(_) => None,
        };
        let enabled = problem.fairness.iter().map(|c| &c.enabled);
        may_grow.then(|| Covering {
            system,
            marks: product.marks(),
            predicates: propositions.filter_map(predicate).chain(enabled).collect(),
            delta: vec![0; system.variables.len()],
            changed: Vec::new(),
        })
    }

    /// Returns the suffix with which a run that ends in `end` covers one of its earlier nodes.
    /// `back` yields the last steps of the run, the last one first.
    pub fn covers(
        &mut self,
        product: &ExplicitProduct<'_>,
        worker: &mut ExplicitWorker,
        acceptance: &AcceptanceMap,
        end: NodeId,
        back: impl Iterator<Item = StepBack> + Clone,
    ) -> Option<Covered> {
        for place in self.changed.drain(..) {
            self.delta[place] = 0;
        }
        let (_, location) = worker.nodes.get(end);
        // Numbers of places with fewer and with more tokens at the end.
        let (mut less, mut more) = (0, 0);
        let mut missing = self.marks;
        let mut candidates = 0;
        for (before, step) in back.clone().enumerate() {
            let (_, here) = worker.nodes.get(step.from);
            if !acceptance.is_together(here, location) {
                // This component of the automaton cannot be entered again.
                break;
            }
            missing = missing.minus(step.marks);
            for arc in arcs(self.system, step.event) {
                let place = arc.var.index();
                let old = self.delta[place];
                let new = old.wrapping_add(arc.delta);
                self.delta[place] = new;
                less = less + usize::from(new < 0) - usize::from(old < 0);
                more = more + usize::from(new > 0) - usize::from(old > 0);
                self.changed.push(place);
            }
            if here != location || less > 0 || more == 0 || !missing.is_empty() {
                continue;
            }
            let round = back.clone().take(before + 1);
            if acceptance.is_forever(location) || self.is_settled(product, worker, round) {
                return Some(Covered {
                    steps: before + 1,
                    growth: self.delta.as_slice().into(),
                });
            }
            candidates += 1;
            if candidates == CANDIDATES {
                break;
            }
        }
        None
    }

    /// Returns whether every proposition is settled at the source of every step of the round.
    fn is_settled(
        &self,
        product: &ExplicitProduct<'_>,
        worker: &mut ExplicitWorker,
        mut round: impl Iterator<Item = StepBack>,
    ) -> bool {
        round.all(|step| {
            let (state, _) = worker.nodes.get(step.from);
            let values = product.values(worker, state);
            let settled = |p: &&Predicate| self.value(p, values).is_some();
            self.predicates.iter().all(settled)
        })
    }

    /// Returns the value of the predicate in all `m + k·delta`; `None` if it may change.
    fn value(&self, predicate: &Predicate, m: &[Value]) -> Option<bool> {
        match predicate {
            Predicate::Const(value) => Some(*value),
            Predicate::Linear(linear) => self.comparison(linear, m),
            Predicate::Enabled(events) => {
                let lacking = |event: &EventId| {
                    let arcs = arcs(self.system, Some(*event)).iter();
                    arcs.filter(|arc| m[arc.var.index()] < arc.need)
                };
                let stays = |arc: &Arc| self.delta[arc.var.index()] == 0;
                if events.iter().any(|event| lacking(event).next().is_none()) {
                    Some(true)
                } else {
                    let lacks_for_ever = |event| lacking(event).any(stays);
                    events.iter().all(lacks_for_ever).then_some(false)
                }
            }
            // Each position of the round has a successor.
            Predicate::Deadlock => Some(false),
            Predicate::Expr(expr) => {
                let mut vars = Vec::new();
                expr.collect_vars(&mut vars);
                let rests = vars.iter().all(|var| self.delta[var.index()] == 0);
                rests.then(|| self.system.holds(predicate, m))
            }
            Predicate::Not(p) => self.value(p, m).map(|value| !value),
            Predicate::And(ps) | Predicate::Or(ps) => {
                // The value of a part that decides the whole.
                let decisive = matches!(predicate, Predicate::Or(_));
                let values: Vec<Option<bool>> = ps.iter().map(|p| self.value(p, m)).collect();
                if values.contains(&Some(decisive)) {
                    Some(decisive)
                } else {
                    (!values.contains(&None)).then_some(!decisive)
                }
            }
        }
    }

    /// The value of a comparison if its sum is constant or moves away from the threshold.
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

fn arcs(system: &System, event: Option<EventId>) -> &[Arc] {
    match event.map(|event| &system.event(event).action) {
        Some(Action::Net(arcs)) => arcs,
        _ => &[],
    }
}

/// Covering runs on the path of a depth-first search of the product.
pub(crate) struct OnPath<'a> {
    covering: Covering<'a>,
    acceptance: AcceptanceMap,
    /// Shortest path on which the search queries.
    doubled: usize,
    asked: usize,
    /// Tokens added by each round, once a covering run was found.
    growth: Option<State>,
}

impl<'a> OnPath<'a> {
    /// Returns the query if the problem is about a net that may grow.
    pub fn new(problem: &'a Problem<'_>, product: &ExplicitProduct<'_>) -> Option<OnPath<'a>> {
        Some(OnPath {
            covering: Covering::new(problem, product)?,
            acceptance: AcceptanceMap::new(problem),
            doubled: FIRST,
            asked: 0,
            growth: None,
        })
    }

    pub fn growth(self) -> Option<State> {
        self.growth
    }
}

impl PathOracle<ExplicitProduct<'_>> for OnPath<'_> {
    fn least_length(&self) -> usize {
        self.doubled
    }

    fn repeats_from(
        &mut self,
        product: &ExplicitProduct<'_>,
        worker: &mut ExplicitWorker,
        path: SearchPath<'_, ProductCursor>,
    ) -> Result<Option<usize>, Stop> {
        self.asked += 1;
        if self.asked.is_multiple_of(QUESTIONS) {
            self.doubled = 2 * path.edges();
        }
        let end = path.node(path.edges());
        let (_, location) = worker.nodes.get(end);
        if !self.acceptance.is_accepting(location) {
            return Ok(None);
        }
        let back = (0..path.edges()).rev().map(|position| {
            let (edge, cursor) = path.edge(position);
            StepBack {
                from: path.node(position),
                event: cursor.event(),
                marks: edge.marks,
            }
        });
        let back = back.take(steps_back(self.asked));
        let found = self
            .covering
            .covers(product, worker, &self.acceptance, end, back);
        Ok(found.map(|covered| {
            self.growth = Some(covered.growth);
            path.edges() - covered.steps
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{AutomatonKind, Engine, Found, Procedure, Task};
    use crate::explicit::EXPLICIT;
    use crate::testing::net;
    use crate::walk::WALK;
    use lariat_automata::{Automaton, Guards, StateId, Transition};
    use lariat_budget::{Budget, Quiet};
    use lariat_emptiness::Outcome;
    use lariat_ltl::AtomId;
    use lariat_model::{Constraint, Deadlock, Strength, VarId};

    /// Searches by walks for runs without a weakly fair event.
    fn without(system: &System, event: EventId) -> Found {
        let mut automaton = Automaton::universal();
        let taken = automaton.guards.atom(0);
        automaton.atoms = vec![AtomId(0)];
        automaton.states[0][0].guard = automaton.guards.minus(Guards::TRUE, taken);
        let fairness = [Constraint::of_events("fair", Strength::Weak, vec![event])];
        let fires = [Proposition::Fires(vec![event])];
        let problem = Problem::new(system, &automaton, &fires, Deadlock::Ignore);
        ask(&WALK, &problem.assuming(&fairness), 500)
    }

    fn ask(engine: &Engine, problem: &Problem<'_>, work: u64) -> Found {
        let Procedure::Single(procedure) = engine.procedure else {
            panic!("covering runs are for single states");
        };
        procedure(&mut Task {
            problem,
            automaton: AutomatonKind::Tgba,
            emptiness: None,
            variant: Default::default(),
            budget: &Budget::unlimited().with_work(work),
            observer: &Quiet,
            account: &mut Default::default(),
        })
    }

    /// Searches for runs that alternate the first two transitions; the first carries the mark.
    fn in_turn(engine: &Engine, system: &System) -> Found {
        let mut guards = Guards::new();
        let mut edge = |event, marks, to| Transition {
            guard: guards.atom(event),
            marks,
            to: StateId(to),
        };
        let states = vec![
            vec![edge(0, Marks::one(0), 1)],
            vec![edge(1, Marks::NONE, 0)],
        ];
        let automaton = Automaton {
            atoms: vec![AtomId(0), AtomId(1)],
            guards,
            mark_count: 1,
            initial: vec![StateId(0)],
            states,
        };
        let fires = [0, 1].map(|event| Proposition::Fires(vec![EventId(event)]));
        let problem = Problem::new(system, &automaton, &fires, Deadlock::Ignore);
        ask(engine, &problem, 5_000)
    }

    /// Place 0 has three tokens and gains more, place 1 stays empty. One transition needs more
    /// tokens, one a token that never comes, and one needs nothing.
    #[test]
    fn settled_predicates_keep_their_value_under_growth() {
        use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
        let system = net(
            &[0, 0],
            &[(&[0, 0, 0, 0, 0], &[]), (&[1], &[]), (&[], &[0])],
        );
        let covering = Covering {
            system: &system,
            marks: Marks::NONE,
            predicates: Vec::new(),
            delta: vec![1, 0],
            changed: Vec::new(),
        };
        let sum = |place, factor, comparison, constant| {
            Predicate::Linear(Linear {
                terms: vec![(VarId(place), factor)],
                comparison,
                constant,
            })
        };
        let more = |constant| sum(0, 1, Ge, constant);
        let token = || sum(1, 1, Ge, 1);
        let enabled = |events: &[u32]| {
            let events = events.iter().map(|e| EventId(*e)).collect();
            Predicate::Enabled(events)
        };
        let expression = |var: u32| Predicate::Expr(lariat_model::Expr::Var(VarId(var)));
        for (predicate, value) in [
            (more(2), Some(true)),
            (more(4), None),
            (sum(0, 1, Gt, 3), None),
            (sum(0, 1, Le, 3), None),
            (sum(0, 1, Lt, 3), Some(false)),
            (sum(0, 1, Eq, 2), Some(false)),
            (sum(0, 1, Eq, 3), None),
            (sum(0, 1, Eq, 5), None),
            (sum(0, 1, Ne, 2), Some(true)),
            (sum(0, 1, Ne, 3), None),
            // The negated sums.
            (sum(0, -1, Ge, -3), None),
            (sum(0, -1, Ge, -2), Some(false)),
            (sum(0, -1, Le, -4), None),
            (sum(0, -1, Le, -3), Some(true)),
            (sum(0, -1, Eq, -3), None),
            (sum(0, -1, Eq, -2), Some(false)),
            (token(), Some(false)),
            (sum(1, 1, Eq, 0), Some(true)),
            (enabled(&[0]), None),
            (enabled(&[1]), Some(false)),
            (enabled(&[0, 1]), None),
            (enabled(&[1, 2]), Some(true)),
            (expression(0), None),
            (expression(1), Some(false)),
            (Predicate::Not(Box::new(more(2))), Some(false)),
            (Predicate::And(vec![more(2), more(4)]), None),
            (Predicate::And(vec![token(), more(4)]), Some(false)),
            (Predicate::And(vec![more(2), more(1)]), Some(true)),
            (Predicate::Or(vec![more(2), more(4)]), Some(true)),
            (Predicate::Or(vec![token(), more(4)]), None),
            (Predicate::Or(vec![token(), token()]), Some(false)),
        ] {
            assert_eq!(covering.value(&predicate, &[3, 0]), value, "{predicate:?}");
        }
    }

    /// The last transition needs five tokens, which are missing at first: its disabledness is not
    /// settled on a run that keeps adding tokens.
    #[test]
    fn fair_transitions_that_growth_enables_are_not_settled() {
        let turns = |needs: &[u32]| {
            let transitions: &[(&[u32], &[u32])] = &[(&[0], &[1, 2]), (&[1], &[0]), (needs, &[])];
            net(&[1, 0, 0, 0], transitions)
        };
        let growing = without(&turns(&[2, 2, 2, 2, 2]), EventId(2));
        assert!(!matches!(growing, Ok(Outcome::Accepting(_))), "{growing:?}");
        let lacking = without(&turns(&[2, 3]), EventId(2));
        assert!(matches!(lacking, Ok(Outcome::Accepting(_))), "{lacking:?}");
    }

    /// A round returns to the same automaton state.
    #[test]
    fn rounds_return_to_the_automaton_state() {
        let turns = net(&[1, 0, 0], &[(&[0], &[1, 2]), (&[1], &[0])]);
        // The second transition never follows, although each step of the first adds a token.
        let stuck = net(&[0, 0], &[(&[], &[0]), (&[1], &[])]);
        for engine in [&WALK, &EXPLICIT] {
            let found = in_turn(engine, &turns);
            let Ok(Outcome::Accepting(run)) = found else {
                panic!("{}: {found:?}", engine.id);
            };
            assert!(run.comes_round() && run.growth.is_some(), "{run:?}");
            let found = in_turn(engine, &stuck);
            assert!(!matches!(found, Ok(Outcome::Accepting(_))), "{found:?}");
        }
    }

    /// Each step adds a token. If that is a fault, the run ends after the first step.
    #[test]
    fn systems_with_faults_have_no_rounds() {
        let mut system = net(&[0, 0], &[(&[], &[0]), (&[1], &[])]);
        let grows = without(&system, EventId(1));
        assert!(matches!(grows, Ok(Outcome::Accepting(_))), "{grows:?}");
        system.fault = Some(VarId(0));
        let fails = without(&system, EventId(1));
        assert!(!matches!(fails, Ok(Outcome::Accepting(_))), "{fails:?}");
    }
}
