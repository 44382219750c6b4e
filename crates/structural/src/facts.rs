//! Cache of the facts about one net, each computed at its first query.

use crate::bounds::Answers;
use crate::cases::{LinearCase, LinearCases, is_contradiction};
use crate::certificate::{Certificate, Statement};
use crate::net::{IncidenceNet, MOST_NODES};
use crate::refute::refute;
use crate::repeat::Repeating;
use crate::resting::DeadMarkings;
use crate::samples::Samples;
use crate::skeleton::SkeletonFacts;
use lariat_budget::{Budget, Stop};
use lariat_model::{Domain, EventId, Predicate, Proposition, System, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Limits on the counted work of facts; a unit is about a thousand arithmetic operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FactLimits {
    /// Limit per linear program.
    pub question: u64,
    /// Limit for all programs of one [property](Facts::next_property).
    pub total: u64,
    /// Limit on places plus events; of larger nets only [skeletons](Facts::unfolded_from) are used.
    pub nodes: usize,
}

impl FactLimits {
    /// Number of places and events above which every linear program is too large.
    pub const NODES: usize = MOST_NODES;
}

impl Default for FactLimits {
    /// Limits that keep a program well below a second, and all programs of a property at about one.
    fn default() -> FactLimits {
        FactLimits {
            question: 20_000,
            total: 60_000,
            nodes: FactLimits::NODES,
        }
    }
}

/// An atom with the same value in every reachable marking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// The value of the atom.
    pub value: bool,
    /// The proof.
    pub certificate: Certificate,
}

/// Facts about one net: constants, bounds, dead events, termination, each with its certificate.
///
/// Facts speak only of the reachable markings, so they are valid for all of LTL, with `X` and
/// events, under both deadlock policies. The solver answers each question once, and each answer is
/// checked in exact integers. `None` means "not known", also for systems that are not nets and when
/// the [`FactLimits`] are reached. A [`Stop`] means that the *caller's* budget ran out.
#[derive(Clone, Debug)]
pub struct Facts {
    pub(crate) net: Option<IncidenceNet>,
    /// Facts about the skeleton of a coloured net that is itself too large.
    pub(crate) folded: Option<Box<SkeletonFacts>>,
    /// True once [`Facts::unfolded_from`] has tried to build a skeleton.
    pub(crate) skeleton_tried: bool,
    pub(crate) samples: Samples,
    /// The number of events.
    pub(crate) events: u32,
    /// Bounds that the model file declares.
    pub(crate) declared: Vec<Option<u64>>,
    /// True if every variable is a bounded count or has a finite domain.
    pub(crate) domains: bool,
    pub(crate) limits: FactLimits,
    work: SolverWork,
    excluded: FxHashMap<LinearCase, Option<Certificate>>,
    constants: FxHashMap<Proposition, Option<Constant>>,
    pub(crate) bounds: crate::bounds::BoundTable,
    pub(crate) repeating: Option<Repeating>,
    pub(crate) resting: Option<DeadMarkings>,
}

/// Linear programs solved so far, the units of work used, and those used by earlier properties.
#[derive(Clone, Copy, Debug, Default)]
struct SolverWork {
    questions: u64,
    spent: u64,
    before: u64,
}

impl Facts {
    /// Creates an empty cache with the default limits; runs a short random walk.
    pub fn of(system: &System) -> Facts {
        Facts::limited(system, FactLimits::default())
    }

    /// Creates an empty cache with the given limits; runs a short random walk.
    pub fn limited(system: &System, limits: FactLimits) -> Facts {
        let net = IncidenceNet::within(limits.nodes, system);
        let declared = |domain: &Domain| match domain {
            Domain::Count { bound } => *bound,
            Domain::Range { .. } | Domain::Names(_) => None,
        };
        let domains = system.variables.iter().map(|v| &v.domain);
        Facts {
            samples: net.as_ref().map(Samples::of).unwrap_or_default(),
            events: system.events.len() as u32,
            net,
            folded: None,
            skeleton_tried: false,
            declared: domains.clone().map(declared).collect(),
            domains: !domains.clone().any(|d| *d == Domain::Count { bound: None }),
            limits,
            work: SolverWork::default(),
            excluded: FxHashMap::default(),
            constants: FxHashMap::default(),
            bounds: crate::bounds::BoundTable::default(),
            repeating: None,
            resting: None,
        }
    }

    /// Shares the bounds that linear programs give with all [`Facts`] that use the same `answers`.
    #[must_use]
    pub fn sharing(mut self, answers: &Answers) -> Facts {
        self.bounds.answers = answers.clone();
        self
    }

    /// The number of linear programs solved so far, and the units of work that they used.
    pub fn effort(&self) -> (u64, u64) {
        let (questions, spent) = (self.folded.as_ref()).map_or((0, 0), |f| f.facts.effort());
        (self.work.questions + questions, self.work.spent + spent)
    }

    /// Starts another property: resets the work counted against the [limits](FactLimits).
    pub fn next_property(&mut self) {
        self.work.before = self.work.spent;
        if let Some(folded) = &mut self.folded {
            folded.facts.next_property();
        }
    }

    /// Work that the next linear program may use.
    pub(crate) fn allowance(&self) -> u64 {
        let here = self.work.spent - self.work.before;
        (self.limits.question).min(self.limits.total.saturating_sub(here))
    }

    /// Records a reachable marking of a walk or search; facts that it contradicts are not tried.
    pub fn saw(&mut self, state: &[Value]) {
        if self.net.is_some() && state.len() == self.declared.len() {
            self.samples.add(state);
        }
    }

    /// Returns the value of a proposition that is the same at every position of every run.
    pub fn constant(
        &mut self,
        proposition: &Proposition,
        budget: &Budget,
    ) -> Result<Option<Constant>, Stop> {
        if let Some(known) = self.constants.get(proposition) {
            return Ok(known.clone());
        }
        let constant = match proposition {
            _ if self.net.is_none() => self.constant_by_skeleton(proposition, budget)?,
            Proposition::State(predicate) => self.constant_predicate(predicate, budget)?,
            Proposition::Fires(events) => {
                let value = false;
                let reasons = events.iter().map(|event| self.dead(*event, budget));
                let found = Certificate::of_all(reasons)?;
                found.map(|certificate| Constant { value, certificate })
            }
        };
        self.constants.insert(proposition.clone(), constant.clone());
        Ok(constant)
    }

    fn constant_predicate(
        &mut self,
        predicate: &Predicate,
        budget: &Budget,
    ) -> Result<Option<Constant>, Stop> {
        let Some(net) = &self.net else {
            return Ok(None);
        };
        let Some(value) = constant_at_start(net, predicate) else {
            return Ok(None);
        };
        let cases = net.cases(predicate, !value);
        let Some(mut certificate) = self.refuted(&cases, budget)? else {
            return Ok(None);
        };
        let mut named = Vec::new();
        collect_events(predicate, &mut named);
        certificate.extend(self.silence(&named));
        Ok(Some(Constant { value, certificate }))
    }

    /// Proves that the event never fires.
    pub fn dead(&mut self, event: EventId, budget: &Budget) -> Result<Option<Certificate>, Stop> {
        let Some(net) = &self.net else {
            return Ok(None);
        };
        if net.silenced[event.index()] {
            return Ok(Some(self.silence(&[event])));
        }
        if self.samples.fired[event.index()] {
            return Ok(None);
        }
        let cases = LinearCases(vec![net.needed(event)]);
        self.refuted(&cases, budget)
    }

    /// Proves that no reachable marking and event have these truth values.
    ///
    /// Of `fires` it uses only that the event is enabled and that one event fires at a time.
    pub fn infeasible(
        &mut self,
        cube: &[(Proposition, bool)],
        budget: &Budget,
    ) -> Result<Option<Certificate>, Stop> {
        let Some(net) = &self.net else {
            return Ok(None);
        };
        let cases = net.cube(cube);
        let Some(mut certificate) = self.refuted(&cases, budget)? else {
            return Ok(None);
        };
        let mut named = Vec::new();
        for (proposition, _) in cube {
            match proposition {
                Proposition::State(predicate) => collect_events(predicate, &mut named),
                Proposition::Fires(events) => named.extend(events),
            }
        }
        certificate.extend(self.silence(&named));
        Ok(Some(certificate))
    }

    /// A certificate that the events among `events` with a never marked input place never fire.
    pub(crate) fn silence(&self, events: &[EventId]) -> Certificate {
        let Some(net) = &self.net else {
            return Certificate::default();
        };
        let needs = events.iter().flat_map(|event| &net.needs[event.index()]);
        let mut places: Vec<VarId> = needs
            .map(|(p, _)| *p)
            .filter(|p| net.empty[p.index()])
            .collect();
        places.sort_unstable();
        places.dedup();
        if places.is_empty() {
            Certificate::default()
        } else {
            Statement::Empty(places).into()
        }
    }

    /// A certificate that none of the cases has a reachable marking.
    pub(crate) fn refuted(
        &mut self,
        cases: &LinearCases,
        budget: &Budget,
    ) -> Result<Option<Certificate>, Stop> {
        if cases.0.iter().any(|case| self.samples.contain(case)) {
            return Ok(None);
        }
        let possible = cases.0.iter().filter(|case| !is_contradiction(case));
        Certificate::of_all(possible.map(|case| self.exclude(case, budget)))
    }

    /// An invariant that no marking of the case satisfies.
    fn exclude(&mut self, case: &LinearCase, budget: &Budget) -> Result<Option<Certificate>, Stop> {
        if self.samples.contain(case) {
            return Ok(None);
        }
        if let Some(known) = self.excluded.get(case) {
            return Ok(known.clone());
        }
        if self.allowance() == 0 {
            // Not cached: the next property starts with a fresh limit.
            return Ok(None);
        }
        let found = self.ask(budget, |net, most, budget| refute(net, case, most, budget))?;
        self.excluded.insert(case.clone(), found.clone());
        Ok(found)
    }

    /// Runs `question` with the allowance that is left; `None` if none is left.
    pub(crate) fn ask<T>(
        &mut self,
        budget: &Budget,
        question: impl FnOnce(&IncidenceNet, u64, &Budget) -> Result<Option<T>, Stop>,
    ) -> Result<Option<T>, Stop> {
        let most = self.allowance();
        let Some(net) = self.net.as_ref().filter(|_| most > 0) else {
            return Ok(None);
        };
        self.work.questions += 1;
        // Counts separately and without a limit.
        let account = budget.clone().with_work(u64::MAX);
        let answer = question(net, most, &account);
        self.work.spent += account.work_spent();
        answer
    }
}

/// Collects all events that a predicate names.
fn collect_events(predicate: &Predicate, events: &mut Vec<EventId>) {
    match predicate {
        Predicate::Enabled(named) => events.extend(named),
        Predicate::Not(inner) => collect_events(inner, events),
        Predicate::And(all) | Predicate::Or(all) => {
            all.iter().for_each(|p| collect_events(p, events));
        }
        Predicate::Const(_) | Predicate::Linear(_) | Predicate::Expr(_) | Predicate::Deadlock => {}
    }
}

impl IncidenceNet {
    /// Returns whether the predicate holds in `state`.
    pub(crate) fn holds(&self, predicate: &Predicate, state: &[Value]) -> bool {
        match predicate {
            Predicate::Const(value) => *value,
            Predicate::Linear(linear) => linear.holds(state),
            Predicate::Expr(expr) => expr.eval(state).is_ok_and(|x| x != 0),
            Predicate::Enabled(events) => events.iter().any(|e| self.enabled(state, *e)),
            Predicate::Deadlock => !self.events().any(|e| self.enabled(state, e)),
            Predicate::Not(p) => !self.holds(p, state),
            Predicate::And(ps) => ps.iter().all(|p| self.holds(p, state)),
            Predicate::Or(ps) => ps.iter().any(|p| self.holds(p, state)),
        }
    }

    /// The markings of a conjunction of literals, for any event that `fires` literals allow.
    pub(crate) fn cube(&self, cube: &[(Proposition, bool)]) -> LinearCases {
        let mut taken: Option<Vec<EventId>> = None;
        let mut cases = LinearCases::any();
        for (proposition, truth) in cube {
            match (proposition, truth) {
                (Proposition::State(predicate), truth) => {
                    cases = cases.and(self.cases(predicate, *truth));
                }
                (Proposition::Fires(events), true) => {
                    let named: FxHashSet<&EventId> = events.iter().collect();
                    let both = |other: Vec<EventId>| {
                        other.into_iter().filter(|e| named.contains(e)).collect()
                    };
                    taken = Some(taken.map_or_else(|| events.clone(), both));
                }
                (Proposition::Fires(_), false) => {}
            }
        }
        let Some(mut taken) = taken else {
            return cases;
        };
        for (proposition, truth) in cube {
            if let (Proposition::Fires(events), false) = (proposition, truth) {
                let named: FxHashSet<&EventId> = events.iter().collect();
                taken.retain(|e| !named.contains(e));
            }
        }
        cases.and(self.some_enabled(taken.into_iter()))
    }
}

/// The value of a predicate in all initial markings; `None` if they differ.
pub(crate) fn constant_at_start(net: &IncidenceNet, predicate: &Predicate) -> Option<bool> {
    let mut values = net.initial.iter().map(|state| net.holds(predicate, state));
    let value = values.next()?;
    values.all(|other| other == value).then_some(value)
}
