//! Random and directed walks over the markings of a net.
//!
//! A walk evaluates all open questions in every marking. Walks start from the initial marking and
//! become longer over time. Every second one is *directed*: it picks an open question, draws some
//! enabled transitions and fires the one whose target is closest to an answer; one step in ten is
//! random. The distance of a predicate is the number of missing tokens, the sum over `and`, the
//! minimum over `or`; of a deadlock, the number of enabled transitions.
//!
//! A marking that covers an earlier one of the walk shows a *pumping* run: the steps between can be
//! repeated indefinitely (Karp and Miller, 1969). A sum to which they add has no maximum.
//!
//! Enabled transitions are maintained incrementally. Walks prove nothing.

use super::question_set::{QuestionSet, StateAnswer, StateView};
use super::{Finding, FindingSink, SearchEnd, StateQuestion, marked_net};
use crate::sums::{missing, sum};
use lariat_budget::{Budget, Lease, Stop};
use lariat_model::{Arc, EventId, Lasso, Predicate, RunRecorder, State, System, Value, VarId};
use lariat_random::Random;
use std::rc::Rc;

/// Steps of the first walks.
const SHORT: usize = 64;
/// Steps of the longest walks.
const LONG: usize = 20_000;
/// Number of walks after which they become half as long again.
const PATIENCE: usize = 8;
/// Transitions drawn per directed step.
const DRAWN: usize = 12;
/// One in this many steps of a directed walk is random.
const RANDOM_STEP: usize = 10;
/// Earlier markings compared with the current one.
const COMPARED: usize = 48;
/// Evaluated parts of predicates between two polls of the budget.
const POLL_INTERVAL: u64 = 65_536;
/// Steps of a reported run between two polls of the budget.
const POLLED_STEPS: usize = 256;
/// Limit on the steps of reported runs.
const MOST_STEPS: usize = 200_000;

/// Walks within the budget; runs depend only on the seed. Finds nothing if the system is no net.
pub fn wander(
    open_questions: &mut QuestionSet<'_>,
    seed: u64,
    budget: &Budget,
    sink: &mut FindingSink<'_>,
) -> SearchEnd {
    let counted = budget.clone().with_work(u64::MAX);
    let stop = walk_on(open_questions, seed, &counted, sink).err();
    SearchEnd {
        stop,
        work: counted.work_spent(),
    }
}

fn walk_on(
    open_questions: &mut QuestionSet<'_>,
    seed: u64,
    budget: &Budget,
    sink: &mut FindingSink<'_>,
) -> Result<(), Stop> {
    let system = open_questions.system();
    let Some(mut walker) = Walker::new(system) else {
        return Ok(());
    };
    let mut random = Random::new(seed);
    let mut records = Records::new(open_questions.len(), budget);
    let mut stop = None;
    let (mut walks, mut length) = (0usize, SHORT);
    while !open_questions.is_over() && stop.is_none() {
        let open: Vec<usize> = open_questions.open().collect();
        let aim = match walks % 2 {
            1 => random.pick(&open).copied(),
            _ => None,
        };
        let pumps =
            open_questions.asks(|q| matches!(q, StateQuestion::Most(_))) && walker.makes_tokens;
        let asked = aim.map(|q| open_questions.question(q).clone());
        let walk = Plan {
            aim: asked.as_ref(),
            weight: asked.as_ref().map_or(1, weight),
            length,
            pumps,
        };
        let mut met = Sightings::default();
        stop = walker
            .walk(&walk, open_questions, &mut random, &mut met, budget)
            .err();
        let run: Rc<[EventId]> = walker.taken.as_slice().into();
        for (q, what, at) in met.0 {
            let run = Rc::clone(&run);
            let mark = Mark { run, what, at };
            if matches!(mark.what, What::Met(StateAnswer::Record(_))) {
                records.keep(q, mark)?;
            } else {
                mark.report(system, q, budget, sink)?;
            }
        }
        walks += 1;
        if walks.is_power_of_two() {
            records.report(system, budget, sink)?;
        }
        if walks.is_multiple_of(PATIENCE) {
            length = (length + length / 2).min(LONG);
        }
        if run.is_empty() {
            // No transition is enabled initially.
            break;
        }
    }
    records.report(system, budget, sink)?;
    stop.map_or(Ok(()), Err)
}

/// The best known values of sums that were not reported, by question.
struct Records {
    marks: Vec<Option<Mark>>,
    lease: Lease,
    bytes: usize,
}

impl Records {
    fn new(questions: usize, budget: &Budget) -> Records {
        Records {
            marks: vec![None; questions],
            lease: budget.lease(),
            bytes: 0,
        }
    }

    fn keep(&mut self, q: usize, mark: Mark) -> Result<(), Stop> {
        // The first mark of a walk keeps its events.
        if Rc::strong_count(&mark.run) <= 2 {
            self.bytes += size_of_val(&*mark.run);
            self.lease.resize(self.bytes)?;
        }
        self.marks[q] = Some(mark);
        Ok(())
    }

    fn report(
        &mut self,
        system: &System,
        budget: &Budget,
        sink: &mut FindingSink<'_>,
    ) -> Result<(), Stop> {
        for (q, mark) in self.marks.iter_mut().enumerate() {
            if let Some(mark) = mark.take() {
                mark.report(system, q, budget, sink)?;
            }
        }
        self.bytes = 0;
        self.lease.resize(0)
    }
}

/// Findings of a walk, with their positions.
#[derive(Default)]
struct Sightings(Vec<(usize, What, usize)>);

impl Sightings {
    fn note(&mut self, here: &mut Vec<(usize, StateAnswer)>, at: usize) {
        let met = here.drain(..).map(|(q, what)| (q, What::Met(what), at));
        self.0.extend(met);
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum What {
    Met(StateAnswer),
    /// The steps since this position can be repeated, and add to the sum.
    Pumps(usize),
}

/// A finding with its walk and position.
#[derive(Clone, Debug)]
struct Mark {
    run: Rc<[EventId]>,
    what: What,
    at: usize,
}

impl Mark {
    /// Passes on the finding with its run.
    fn report(
        self,
        system: &System,
        q: usize,
        budget: &Budget,
        sink: &mut FindingSink<'_>,
    ) -> Result<(), Stop> {
        let [initial] = &system.initial[..] else {
            return Ok(());
        };
        if self.at > MOST_STEPS {
            return Ok(());
        }
        let entry = match self.what {
            What::Pumps(since) => since,
            What::Met(_) => self.at,
        };
        let mut run = RunRecorder::new(initial.clone());
        let mut before = None;
        for (at, event) in self.run[..self.at].iter().enumerate() {
            if at.is_multiple_of(POLLED_STEPS) {
                budget.check()?;
            }
            if at == entry {
                before = Some(run.state().clone());
            }
            let step = system.steps(run.state(), *event).pop();
            run.take(step.ok_or_else(|| Stop::Internal("a walk that is no run".to_owned()))?);
        }
        let growth = before.map(|before| {
            let pairs = run.state().iter().zip(&before);
            pairs.map(|(after, before)| after - before).collect()
        });
        let lasso = Lasso {
            growth,
            ..run.into_lasso(entry)
        };
        let finding = match self.what {
            What::Pumps(_) => Finding::Endless(lasso),
            What::Met(StateAnswer::Reached) => Finding::Reached(lasso),
            What::Met(StateAnswer::Lost) => Finding::Lost(lasso),
            What::Met(StateAnswer::Record(value)) => Finding::AtLeast(value, lasso),
        };
        sink(q, finding);
        Ok(())
    }
}

struct Plan<'q> {
    aim: Option<&'q StateQuestion>,
    /// Size of the question aimed at.
    weight: u64,
    length: usize,
    /// True if covering runs are searched.
    pumps: bool,
}

/// A marking with its enabled transitions.
struct Walker<'s> {
    arcs: Vec<&'s [Arc]>,
    /// By place: transitions that need tokens there, and how many.
    needed: Vec<Vec<(u32, Value)>>,
    initial: &'s State,
    makes_tokens: bool,
    marking: Vec<Value>,
    /// By transition: number of places that lack tokens.
    lacking: Vec<u32>,
    at_start: Vec<u32>,
    /// Enabled transitions, and by transition its position among them.
    enabled: Vec<u32>,
    place_of: Vec<u32>,
    taken: Vec<EventId>,
    /// Parts evaluated since the last poll, also by earlier walks, which may be short.
    evaluated: u64,
}

/// Position of a disabled transition.
const NOWHERE: u32 = u32::MAX;

impl<'s> Walker<'s> {
    fn new(system: &'s System) -> Option<Walker<'s>> {
        let (initial, arcs) = marked_net(system)?;
        let mut needed = vec![Vec::new(); system.variables.len()];
        let mut at_start = vec![0; arcs.len()];
        for (event, own) in (0u32..).zip(&arcs) {
            for arc in own.iter().filter(|arc| arc.need > 0) {
                needed[arc.var.index()].push((event, arc.need));
                at_start[event as usize] += u32::from(initial[arc.var.index()] < arc.need);
            }
        }
        let mut walker = Walker {
            place_of: vec![NOWHERE; arcs.len()],
            arcs,
            needed,
            initial,
            makes_tokens: system.makes_tokens(),
            marking: Vec::new(),
            lacking: Vec::new(),
            at_start,
            enabled: Vec::new(),
            taken: Vec::new(),
            evaluated: 0,
        };
        walker.restart();
        Some(walker)
    }

    fn restart(&mut self) {
        self.marking = self.initial.to_vec();
        self.lacking.clone_from(&self.at_start);
        self.taken.clear();
        self.enabled.clear();
        for event in 0..self.arcs.len() {
            self.place_of[event] = match self.lacking[event] {
                0 => {
                    self.enabled.push(event as u32);
                    self.enabled.len() as u32 - 1
                }
                _ => NOWHERE,
            };
        }
    }

    /// Adds to a place. Returns false on overflow.
    fn add(&mut self, var: VarId, delta: Value) -> bool {
        let before = self.marking[var.index()];
        let Some(after) = before.checked_add(delta) else {
            return false;
        };
        self.marking[var.index()] = after;
        for i in 0..self.needed[var.index()].len() {
            let (event, need) = self.needed[var.index()][i];
            if before >= need && after < need {
                self.lacking[event as usize] += 1;
                if self.lacking[event as usize] == 1 {
                    self.disable(event);
                }
            } else if before < need && after >= need {
                self.lacking[event as usize] -= 1;
                if self.lacking[event as usize] == 0 {
                    self.place_of[event as usize] = self.enabled.len() as u32;
                    self.enabled.push(event);
                }
            }
        }
        true
    }

    fn disable(&mut self, event: u32) {
        let at = std::mem::replace(&mut self.place_of[event as usize], NOWHERE) as usize;
        self.enabled.swap_remove(at);
        if let Some(moved) = self.enabled.get(at) {
            self.place_of[*moved as usize] = at as u32;
        }
    }

    /// Adds or subtracts the effect of a transition. Returns false, without changes, on overflow.
    fn change(&mut self, event: u32, back: bool) -> bool {
        let arcs = self.arcs[event as usize];
        for (i, arc) in arcs.iter().enumerate().filter(|(_, arc)| arc.delta != 0) {
            let delta = if back { -arc.delta } else { arc.delta };
            if !self.add(arc.var, delta) {
                for arc in &arcs[..i] {
                    self.add(arc.var, if back { arc.delta } else { -arc.delta });
                }
                return false;
            }
        }
        true
    }

    fn walk(
        &mut self,
        plan: &Plan<'_>,
        open_questions: &mut QuestionSet<'_>,
        random: &mut Random,
        met: &mut Sightings,
        budget: &Budget,
    ) -> Result<(), Stop> {
        self.restart();
        self.evaluated += self.arcs.len() as u64;
        let mut here = Vec::new();
        open_questions.visit_initial(self, &mut here);
        met.note(&mut here, 0);
        let mut history = History::default();
        history.keep(0, &self.marking);
        loop {
            if open_questions.is_over() || self.taken.len() >= plan.length {
                return Ok(());
            }
            if self.enabled.is_empty() {
                open_questions.visit_dead(self, &mut here);
                met.note(&mut here, self.taken.len());
                return Ok(());
            }
            let event = match plan.aim {
                Some(aim) if !random.chance(1, RANDOM_STEP) => self.nearest(aim, random),
                _ => *random.one_of(&self.enabled),
            };
            if !self.change(event, false) {
                return Ok(());
            }
            self.taken.push(EventId(event));
            budget.spend(1)?;
            self.evaluated += plan.weight * DRAWN as u64;
            if self.evaluated >= POLL_INTERVAL {
                self.evaluated = 0;
                budget.check()?;
            }
            if open_questions.is_touched(EventId(event)) {
                open_questions.visit(EventId(event), self, &mut here);
                met.note(&mut here, self.taken.len());
            }
            if plan.pumps {
                self.pump(open_questions, &mut history, met);
            }
        }
    }

    /// Returns the closest to an answer of some enabled transitions.
    fn nearest(&mut self, aim: &StateQuestion, random: &mut Random) -> u32 {
        let mut best = None;
        let all = self.enabled.len() <= DRAWN;
        let first = random.below(self.enabled.len());
        for i in 0..self.enabled.len().min(DRAWN) {
            let at = if all {
                (first + i) % self.enabled.len()
            } else {
                random.below(self.enabled.len())
            };
            let event = self.enabled[at];
            if !self.change(event, false) {
                continue;
            }
            let distance = self.far(aim);
            self.change(event, true);
            if best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, event));
            }
        }
        best.map_or(self.enabled[0], |(_, event)| event)
    }

    /// Returns the distance of the marking to an answer.
    fn far(&self, aim: &StateQuestion) -> i128 {
        match aim {
            StateQuestion::Reach(predicate) => self.distance(predicate, true),
            StateQuestion::Most(terms) => -sum(terms, &self.marking),
            // Smaller with few enabled transitions and where the predicate fails.
            StateQuestion::Always(predicate) => {
                self.enabled.len() as i128 - self.distance(predicate, true).min(1)
            }
        }
    }

    fn distance(&self, predicate: &Predicate, truth: bool) -> i128 {
        let all = |list: &[Predicate]| list.iter().map(|p| self.distance(p, truth)).sum();
        let some = |list: &[Predicate]| {
            let each = list.iter().map(|p| self.distance(p, truth));
            each.min().unwrap_or(FAR)
        };
        match predicate {
            Predicate::Const(value) if *value == truth => 0,
            Predicate::Const(_) | Predicate::Expr(_) => FAR,
            Predicate::Linear(linear) => missing(linear, truth, &self.marking),
            Predicate::Enabled(events) if truth => {
                let each = events.iter().map(|event| self.tokens_lacking(*event));
                each.min().unwrap_or(FAR)
            }
            Predicate::Enabled(events) => {
                let enabled = |e: &&EventId| self.lacking[e.index()] == 0;
                events.iter().filter(enabled).count() as i128
            }
            Predicate::Deadlock if truth => self.enabled.len() as i128,
            Predicate::Deadlock => i128::from(self.enabled.is_empty()),
            Predicate::Not(inner) => self.distance(inner, !truth),
            Predicate::And(list) if truth => all(list),
            Predicate::Or(list) if !truth => all(list),
            Predicate::And(list) | Predicate::Or(list) => some(list),
        }
    }

    fn satisfies(&self, predicate: &Predicate) -> bool {
        match predicate {
            Predicate::Const(value) => *value,
            Predicate::Linear(linear) => missing(linear, true, &self.marking) == 0,
            Predicate::Expr(expr) => expr.eval(&self.marking).is_ok_and(|x| x != 0),
            Predicate::Enabled(events) => events.iter().any(|e| self.lacking[e.index()] == 0),
            Predicate::Deadlock => self.enabled.is_empty(),
            Predicate::Not(inner) => !self.satisfies(inner),
            Predicate::And(list) => list.iter().all(|inner| self.satisfies(inner)),
            Predicate::Or(list) => list.iter().any(|inner| self.satisfies(inner)),
        }
    }

    fn tokens_lacking(&self, event: EventId) -> i128 {
        if self.lacking[event.index()] == 0 {
            return 0;
        }
        let lack = |arc: &Arc| i128::from((arc.need - self.marking[arc.var.index()]).max(0));
        self.arcs[event.index()].iter().map(lack).sum()
    }

    /// Compares the marking with earlier ones of the walk.
    fn pump(
        &self,
        open_questions: &mut QuestionSet<'_>,
        history: &mut History,
        met: &mut Sightings,
    ) {
        for (at, earlier) in &history.kept {
            let grows = |q: usize| match open_questions.question(q) {
                StateQuestion::Most(terms) => sum(terms, &self.marking) > sum(terms, earlier),
                _ => false,
            };
            let less = |(earlier, now): (&Value, &Value)| earlier > now;
            if earlier.iter().zip(&self.marking).any(less) {
                continue;
            }
            let endless: Vec<usize> = open_questions.open().filter(|q| grows(*q)).collect();
            for q in endless {
                open_questions.answered(q);
                met.0.push((q, What::Pumps(*at), self.taken.len()));
            }
        }
        history.keep(self.taken.len(), &self.marking);
    }
}

impl StateView for Walker<'_> {
    fn holds(&mut self, predicate: &Predicate) -> bool {
        self.satisfies(predicate)
    }

    fn sum(&mut self, terms: &[(VarId, Value)]) -> i128 {
        sum(terms, &self.marking)
    }
}

/// Returns the size of a question: terms, transitions, other atoms.
fn weight(question: &StateQuestion) -> u64 {
    fn parts(predicate: &Predicate) -> u64 {
        match predicate {
            Predicate::Const(_) | Predicate::Expr(_) | Predicate::Deadlock => 1,
            Predicate::Linear(linear) => linear.terms.len() as u64,
            Predicate::Enabled(events) => events.len() as u64,
            Predicate::Not(inner) => parts(inner),
            Predicate::And(list) | Predicate::Or(list) => list.iter().map(parts).sum(),
        }
    }
    match question {
        StateQuestion::Reach(predicate) | StateQuestion::Always(predicate) => {
            parts(predicate).max(1)
        }
        StateQuestion::Most(terms) => terms.len().max(1) as u64,
    }
}

/// Distance of an unattainable predicate.
const FAR: i128 = 1 << 40;

/// Earlier markings of a walk, sparser with increasing age.
#[derive(Default)]
struct History {
    kept: Vec<(usize, Vec<Value>)>,
}

impl History {
    fn keep(&mut self, at: usize, marking: &[Value]) {
        self.kept.push((at, marking.to_vec()));
        if self.kept.len() > COMPARED {
            // Removes every other one of the older half.
            let mut i = 0;
            let half = COMPARED / 2;
            self.kept.retain(|_| {
                i += 1;
                i > half || i % 2 == 1
            });
        }
    }
}
