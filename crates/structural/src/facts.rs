//! Everything that is known of one net, found when it is first asked for.

use crate::bounds::Answers;
use crate::cases::{Case, Cases, is_contradiction};
use crate::certificate::{Certificate, Statement};
use crate::net::{MOST_NODES, Net};
use crate::refute::refute;
use crate::repeat::Repeating;
use crate::resting::Resting;
use crate::samples::Samples;
use crate::skeleton::Folded;
use lariat_budget::{Budget, Stop};
use lariat_model::{Domain, EventId, Predicate, Proposition, System, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Counted work that facts may cost; a unit is about a thousand steps of arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// For one linear program.
    pub question: u64,
    /// For all of them together, anew for every [property](Facts::next_property).
    pub total: u64,
    /// Places and events together of nets that are asked about; of larger ones only their [skeletons](Facts::unfolded_from) are.
    pub nodes: usize,
}

impl Limits {
    /// What every linear program is too large beyond.
    pub const NODES: usize = MOST_NODES;
}

impl Default for Limits {
    /// A question takes about a third of a second at most, all of a property about one. What was asked for one property serves the
    /// others, so little is left to ask after the first few.
    fn default() -> Limits {
        Limits {
            question: 20_000,
            total: 60_000,
            nodes: Limits::NODES,
        }
    }
}

/// An atom that is the same in every reachable marking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// Its value.
    pub value: bool,
    /// Why.
    pub certificate: Certificate,
}

/// What is known of a net: constants, bounds, dead events, termination, each with its certificate.
///
/// Facts speak of the reachable markings alone, so they are right for all of LTL, with `X` and events, under both
/// policies for deadlocks. Every question is asked of the solver once; every answer was checked in exact
/// integers. `None` is "not known", and so is everything about systems that are not nets. A [`Stop`] is passed on when
/// the *caller's* budget runs out; reaching the [`Limits`] is "not known".
#[derive(Clone, Debug)]
pub struct Facts {
    pub(crate) net: Option<Net>,
    /// What is known without colours.
    pub(crate) folded: Option<Box<Folded>>,
    /// Has a skeleton been looked for?
    pub(crate) colours_told: bool,
    pub(crate) samples: Samples,
    /// How many events there are.
    pub(crate) events: u32,
    /// Bounds that the model's file guarantees.
    pub(crate) declared: Vec<Option<u64>>,
    /// Has every variable that is no count a domain?
    pub(crate) domains: bool,
    pub(crate) limits: Limits,
    questions: u64,
    spent: u64,
    /// What was spent on earlier properties.
    before: u64,
    excluded: FxHashMap<Case, Option<Certificate>>,
    constants: FxHashMap<Proposition, Option<Constant>>,
    pub(crate) bounds: crate::bounds::Known,
    pub(crate) repeating: Option<Repeating>,
    pub(crate) resting: Option<Resting>,
}

impl Facts {
    /// Nothing is asked yet; a short walk is made.
    pub fn of(system: &System) -> Facts {
        Facts::limited(system, Limits::default())
    }

    /// The same with limits of one's own.
    pub fn limited(system: &System, limits: Limits) -> Facts {
        let net = Net::within(limits.nodes, system);
        let declared = |domain: &Domain| match domain {
            Domain::Count { bound } => *bound,
            Domain::Range { .. } | Domain::Names(_) => None,
        };
        Facts {
            samples: net.as_ref().map(Samples::of).unwrap_or_default(),
            events: system.events.len() as u32,
            net,
            folded: None,
            colours_told: false,
            declared: system
                .variables
                .iter()
                .map(|v| declared(&v.domain))
                .collect(),
            domains: !system
                .variables
                .iter()
                .any(|v| v.domain == Domain::Count { bound: None }),
            limits,
            questions: 0,
            spent: 0,
            before: 0,
            excluded: FxHashMap::default(),
            constants: FxHashMap::default(),
            bounds: crate::bounds::Known::default(),
            repeating: None,
            resting: None,
        }
    }

    /// The same, sharing what programs say of the net with all who have these answers.
    #[must_use]
    pub fn sharing(mut self, answers: &Answers) -> Facts {
        self.bounds.answers = answers.clone();
        self
    }

    /// How many linear programs were solved, and the units of work that they took.
    pub fn effort(&self) -> (u64, u64) {
        let (questions, spent) = (self.folded.as_ref()).map_or((0, 0), |f| f.facts.effort());
        (self.questions + questions, self.spent + spent)
    }

    /// From now on questions are about another property, for which the [limits](Limits) count anew.
    pub fn next_property(&mut self) {
        self.before = self.spent;
        if let Some(folded) = &mut self.folded {
            folded.facts.next_property();
        }
    }

    /// What may be spent on the next question.
    pub(crate) fn allowance(&self) -> u64 {
        let here = self.spent - self.before;
        (self.limits.question).min(self.limits.total.saturating_sub(here))
    }

    /// Tells of a reachable marking, from a walk or a search: what it shows is never asked of the solver.
    pub fn saw(&mut self, state: &[Value]) {
        if self.net.is_some() && state.len() == self.declared.len() {
            self.samples.add(state);
        }
    }

    /// The same truth value at every position of every run?
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
                self.none_fires(events, budget)?
                    .map(|certificate| Constant {
                        value: false,
                        certificate,
                    })
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
        let mut values = net.initial.iter().map(|state| net.holds(predicate, state));
        let value = values.next().unwrap_or(false);
        if values.any(|other| other != value) {
            return Ok(None);
        }
        let cases = net.cases(predicate, !value);
        let Some(mut certificate) = self.refuted(&cases, budget)? else {
            return Ok(None);
        };
        let mut named = Vec::new();
        collect_events(predicate, &mut named);
        certificate.extend(self.silence(&named));
        Ok(Some(Constant { value, certificate }))
    }

    fn none_fires(
        &mut self,
        events: &[EventId],
        budget: &Budget,
    ) -> Result<Option<Certificate>, Stop> {
        let mut all = Certificate::default();
        for event in events {
            match self.dead(*event, budget)? {
                Some(certificate) => all.extend(certificate),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    /// Can the event never fire?
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
        let cases = Cases(vec![net.needed(event)]);
        self.refuted(&cases, budget)
    }

    /// Are there no reachable marking and event with these truth values?
    ///
    /// Of `fires` only that it needs its events to be enabled, and that no two events are taken at once, is used.
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

    /// Why those of the events that need places which are never marked never fire.
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

    /// A certificate that no case has a reachable marking.
    pub(crate) fn refuted(
        &mut self,
        cases: &Cases,
        budget: &Budget,
    ) -> Result<Option<Certificate>, Stop> {
        if cases.0.iter().any(|case| self.samples.contain(case)) {
            return Ok(None);
        }
        let mut certificate = Certificate::default();
        for case in cases.0.iter().filter(|case| !is_contradiction(case)) {
            match self.exclude(case, budget)? {
                Some(reason) => certificate.extend(reason),
                None => return Ok(None),
            }
        }
        Ok(Some(certificate))
    }

    /// An invariant that no marking of the case satisfies.
    fn exclude(&mut self, case: &Case, budget: &Budget) -> Result<Option<Certificate>, Stop> {
        if self.samples.contain(case) {
            return Ok(None);
        }
        if let Some(known) = self.excluded.get(case) {
            return Ok(known.clone());
        }
        if self.allowance() == 0 {
            // Another property may ask.
            return Ok(None);
        }
        let found = self.ask(budget, |net, most, budget| refute(net, case, most, budget))?;
        self.excluded.insert(case.clone(), found.clone());
        Ok(found)
    }

    /// Asks the solver, within the limits.
    pub(crate) fn ask<T>(
        &mut self,
        budget: &Budget,
        question: impl FnOnce(&Net, u64, &Budget) -> Result<Option<T>, Stop>,
    ) -> Result<Option<T>, Stop> {
        let most = self.allowance();
        let Some(net) = self.net.as_ref().filter(|_| most > 0) else {
            return Ok(None);
        };
        self.questions += 1;
        let account = counting(budget);
        let answer = question(net, most, &account);
        self.spent += account.work_spent();
        answer
    }
}

/// The budget with an account of its own, which is never used up.
fn counting(budget: &Budget) -> Budget {
    budget.clone().with_work(u64::MAX)
}

/// Adds all events that a predicate names.
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

impl Net {
    /// Does the predicate hold in `state`?
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

    /// The markings of a conjunction of literals, whatever event is taken there.
    pub(crate) fn cube(&self, cube: &[(Proposition, bool)]) -> Cases {
        let mut taken: Option<Vec<EventId>> = None;
        let mut cases = Cases::any();
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
