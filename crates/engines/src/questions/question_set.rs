//! Open questions about one system, indexed by the events that can answer them.
//!
//! A question about states reads some variables. If `s –e→ t` and `e` writes none of them, its
//! value in `t` is that in `s`. So a search evaluates after a step by `e` only
//!
//! ```text
//! touched(e) = { q open | reads(q) ∩ writes(e) ≠ ∅ }
//! ```
//!
//! which is short even with a question per place and transition. Closed questions are removed. The sets
//! are not stored, because together they are quadratic if all events write one variable: stored
//! are `writes(e)`, and the readers of each variable.

use super::StateQuestion;
use lariat_model::{Action, EventId, Predicate, System, Value, VarId};
use rustc_hash::FxHashSet;

/// Stop criterion of a set of questions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopRule {
    /// When every question is answered.
    WithAll,
    /// With the first run that answers a question, e.g. whether any place can hold two tokens.
    WithTheFirstRun,
}

/// Open questions about one system.
pub struct QuestionSet<'s> {
    system: &'s System,
    questions: Vec<StateQuestion>,
    open: Vec<bool>,
    /// By question: the largest value of a sum found so far.
    records: Vec<Option<i128>>,
    /// By question: an upper bound of a sum. The question is closed when it is attained.
    caps: Vec<Option<i128>>,
    /// By event: the variables that a step by it can change.
    writes: Vec<Box<[VarId]>>,
    /// By variable: the questions that read it.
    readers: Vec<Vec<u32>>,
    /// By question: the last [visit](QuestionSet::visit) that evaluated it.
    evaluated: Vec<u64>,
    visits: u64,
    /// Open questions that only a dead state answers.
    by_dead: Vec<u32>,
    ends: StopRule,
    over: bool,
}

/// Answer of a state to a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StateAnswer {
    /// The predicate holds.
    Reached,
    /// The largest value of the sum so far.
    Record(i128),
    /// The state is dead and the predicate fails.
    Lost,
}

/// A state in the representation of an engine.
pub(super) trait StateView {
    fn holds(&mut self, predicate: &Predicate) -> bool;
    fn sum(&mut self, terms: &[(VarId, Value)]) -> i128;
}

impl<'s> QuestionSet<'s> {
    /// Creates a set in which all questions are open.
    pub fn new(
        system: &'s System,
        questions: Vec<StateQuestion>,
        ends: StopRule,
    ) -> QuestionSet<'s> {
        let questions: Vec<StateQuestion> = (questions.into_iter())
            .map(|question| match question {
                StateQuestion::Reach(predicate) => StateQuestion::Reach(sparse(system, predicate)),
                StateQuestion::Always(predicate) => {
                    StateQuestion::Always(sparse(system, predicate))
                }
                most => most,
            })
            .collect();
        let mut open_questions = QuestionSet {
            system,
            open: vec![true; questions.len()],
            records: vec![None; questions.len()],
            caps: vec![None; questions.len()],
            evaluated: vec![0; questions.len()],
            visits: 0,
            questions,
            writes: Vec::with_capacity(system.events.len()),
            readers: vec![Vec::new(); system.variables.len()],
            by_dead: Vec::new(),
            ends,
            over: false,
        };
        open_questions.index();
        open_questions
    }

    /// Closes a question that was answered elsewhere.
    pub fn close(&mut self, question: usize) {
        self.open[question] = false;
    }

    /// Records a value that a sum is known to attain.
    pub fn raise(&mut self, question: usize, value: i128) {
        let record = &mut self.records[question];
        *record = (*record).max(Some(value));
    }

    /// Records an upper bound of a sum.
    pub fn cap(&mut self, question: usize, value: i128) {
        self.caps[question] = Some(value);
    }

    /// Returns the system of the questions.
    pub fn system(&self) -> &'s System {
        self.system
    }

    /// Returns the number of questions, open or not.
    pub fn len(&self) -> usize {
        self.questions.len()
    }

    /// Returns whether there are no questions.
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    /// Returns a question by its position.
    pub fn question(&self, question: usize) -> &StateQuestion {
        &self.questions[question]
    }

    /// Iterates over the positions of open questions.
    pub fn open(&self) -> impl Iterator<Item = usize> + use<'_, 's> {
        (0..self.open.len()).filter(|q| self.open[*q])
    }

    /// Returns whether the question is open.
    pub fn is_open(&self, question: usize) -> bool {
        self.open[question]
    }

    /// Returns the largest known value of a sum.
    pub fn record(&self, question: usize) -> Option<i128> {
        self.records[question]
    }

    /// Returns whether the stop criterion is met.
    pub fn is_over(&self) -> bool {
        self.over || !self.open.contains(&true)
    }

    /// Returns whether some question of this kind is open.
    pub(super) fn asks(&self, kind: fn(&StateQuestion) -> bool) -> bool {
        self.open().any(|q| kind(&self.questions[q]))
    }

    fn index(&mut self) {
        for q in 0..self.questions.len() {
            let reads = match &self.questions[q] {
                StateQuestion::Reach(Predicate::Deadlock) | StateQuestion::Always(_) => {
                    self.by_dead.push(q as u32);
                    continue;
                }
                StateQuestion::Reach(predicate) => reads(self.system, predicate),
                StateQuestion::Most(terms) => terms.iter().map(|(var, _)| *var).collect(),
            };
            for var in reads {
                self.readers[var.index()].push(q as u32);
            }
        }
        for event in self.system.event_ids() {
            let action = &self.system.event(event).action;
            let mut writes = action.writes();
            if action.is_program() {
                writes.extend(self.system.fault);
            }
            writes.retain(|var| !self.readers[var.index()].is_empty());
            writes.sort_unstable();
            writes.dedup();
            self.writes.push(writes.into());
        }
    }

    /// Returns whether a step by the event can answer a question.
    pub(super) fn is_touched(&mut self, event: EventId) -> bool {
        let open = &self.open;
        let mut is_touched = false;
        for var in &self.writes[event.index()] {
            let readers = &mut self.readers[var.index()];
            readers.retain(|q| open[*q as usize]);
            is_touched |= !readers.is_empty();
        }
        is_touched
    }

    /// Evaluates all questions in a state whose predecessor was not evaluated.
    pub(super) fn visit_initial(
        &mut self,
        state: &mut impl StateView,
        met: &mut Vec<(usize, StateAnswer)>,
    ) {
        for q in 0..self.questions.len() {
            self.evaluate(q, state, met);
        }
    }

    /// Evaluates the questions that a step by the event can answer in its target.
    pub(super) fn visit(
        &mut self,
        event: EventId,
        state: &mut impl StateView,
        met: &mut Vec<(usize, StateAnswer)>,
    ) {
        let first = met.len();
        self.visits += 1;
        for i in 0..self.writes[event.index()].len() {
            let var = self.writes[event.index()][i].index();
            let readers = std::mem::take(&mut self.readers[var]);
            for q in readers.iter().map(|q| *q as usize) {
                if std::mem::replace(&mut self.evaluated[q], self.visits) != self.visits {
                    self.evaluate(q, state, met);
                }
            }
            self.readers[var] = readers;
        }
        met[first..].sort_unstable_by_key(|(q, _)| *q);
    }

    fn evaluate(
        &mut self,
        q: usize,
        state: &mut impl StateView,
        met: &mut Vec<(usize, StateAnswer)>,
    ) {
        if !self.open[q] {
            return;
        }
        match &self.questions[q] {
            // Evaluated by `visit_dead`, when a state has no steps.
            StateQuestion::Reach(Predicate::Deadlock) | StateQuestion::Always(_) => {}
            StateQuestion::Reach(predicate) => {
                if state.holds(predicate) {
                    self.answered(q);
                    met.push((q, StateAnswer::Reached));
                }
            }
            StateQuestion::Most(terms) => {
                let value = state.sum(terms);
                if self.records[q].is_none_or(|record| record < value) {
                    self.records[q] = Some(value);
                    self.open[q] = self.caps[q].is_none_or(|cap| value < cap);
                    met.push((q, StateAnswer::Record(value)));
                }
            }
        }
    }

    /// Evaluates questions in a dead state.
    pub(super) fn visit_dead(
        &mut self,
        state: &mut impl StateView,
        met: &mut Vec<(usize, StateAnswer)>,
    ) {
        let by_dead = std::mem::take(&mut self.by_dead);
        for q in by_dead.iter().map(|q| *q as usize) {
            let found = match &self.questions[q] {
                _ if !self.open[q] => continue,
                StateQuestion::Always(predicate) => {
                    if state.holds(predicate) {
                        continue;
                    } else {
                        StateAnswer::Lost
                    }
                }
                _ => StateAnswer::Reached,
            };
            self.answered(q);
            met.push((q, found));
        }
        self.by_dead = by_dead;
        let open = &self.open;
        self.by_dead.retain(|q| open[*q as usize]);
    }

    /// Returns whether a dead state can answer an open question.
    pub(super) fn needs_dead(&self) -> bool {
        self.by_dead.iter().any(|q| self.open[*q as usize])
    }

    /// Closes a question that a run has answered.
    pub(super) fn answered(&mut self, q: usize) {
        self.open[q] = false;
        self.over |= self.ends == StopRule::WithTheFirstRun;
    }
}

/// Keeps one event per set of needs: bindings of a coloured transition often share theirs.
fn sparse(system: &System, predicate: Predicate) -> Predicate {
    let each = |list: Vec<Predicate>| list.into_iter().map(|p| sparse(system, p)).collect();
    match predicate {
        Predicate::Enabled(mut events) => {
            let mut seen: FxHashSet<Vec<(VarId, Value)>> = FxHashSet::default();
            events.retain(|event| match &system.event(*event).action {
                Action::Net(arcs) => {
                    let needed = arcs.iter().filter(|arc| arc.need > 0);
                    seen.insert(needed.map(|arc| (arc.var, arc.need)).collect())
                }
                _ => true,
            });
            Predicate::Enabled(events)
        }
        Predicate::Not(inner) => Predicate::Not(Box::new(sparse(system, *inner))),
        Predicate::And(list) => Predicate::And(each(list)),
        Predicate::Or(list) => Predicate::Or(each(list)),
        plain => plain,
    }
}

/// Returns the variables that a predicate depends on.
pub(super) fn reads(system: &System, predicate: &Predicate) -> Vec<VarId> {
    let mut vars = Vec::new();
    collect(system, predicate, &mut vars);
    vars.sort_unstable();
    vars.dedup();
    vars
}

fn collect(system: &System, predicate: &Predicate, vars: &mut Vec<VarId>) {
    match predicate {
        Predicate::Const(_) | Predicate::Linear(_) | Predicate::Expr(_) => {
            predicate.collect_vars(vars);
        }
        Predicate::Enabled(events) => {
            vars.extend(system.fault);
            for event in events {
                match &system.event(*event).action {
                    Action::Net(arcs) => {
                        let needed = arcs.iter().filter(|arc| arc.need > 0);
                        vars.extend(needed.map(|arc| arc.var));
                    }
                    action => vars.extend(action.reads()),
                }
            }
        }
        Predicate::Deadlock => vars.extend(system.var_ids()),
        Predicate::Not(inner) => collect(system, inner, vars),
        Predicate::And(all) | Predicate::Or(all) => {
            all.iter().for_each(|inner| collect(system, inner, vars));
        }
    }
}
