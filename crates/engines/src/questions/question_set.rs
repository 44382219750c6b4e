//! The board: questions about one system that are open, and which of them a step can answer.
//!
//! A question about states reads some variables. If `s –e→ t` and `e` writes none of them, its truth in `t` is that in `s`; so whoever
//! has looked at the initial states needs to look, behind a step by `e`, only at
//!
//! ```text
//! touched(e) = { q open | reads(q) ∩ writes(e) ≠ ∅ }
//! ```
//!
//! which is short even where there is a question for every place and every transition. Lists shrink as questions are closed.

use super::Question;
use lariat_model::{Action, EventId, Predicate, System, Value, VarId};
use rustc_hash::FxHashSet;

/// When enough is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ends {
    /// When every question is answered.
    WithAll,
    /// With the first run that answers one: questions that are asked together, such as whether some place ever holds two tokens.
    WithTheFirstRun,
}

/// Open questions about one system.
pub struct QuestionSet<'s> {
    system: &'s System,
    questions: Vec<Question>,
    open: Vec<bool>,
    /// The largest value of a sum that was met, by question.
    records: Vec<Option<i128>>,
    /// What a sum is known never to exceed, by question: where it is met there is nothing more to look for.
    caps: Vec<Option<i128>>,
    /// Questions that a step by an event can answer.
    touched: Vec<Vec<u32>>,
    /// Open questions that only a dead state answers.
    resting: Vec<u32>,
    ends: Ends,
    over: bool,
}

/// What a state says of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Met {
    /// It is such a state.
    Reached,
    /// The sum is larger than ever.
    Record(i128),
    /// It is dead, and no such state.
    Lost,
}

/// A state, as an engine sees it.
pub(super) trait Sight {
    /// Does the predicate hold there?
    fn holds(&mut self, predicate: &Predicate) -> bool;
    /// The value of a sum.
    fn sum(&mut self, terms: &[(VarId, Value)]) -> i128;
}

impl<'s> QuestionSet<'s> {
    /// All questions are open.
    pub fn new(system: &'s System, questions: Vec<Question>, ends: Ends) -> QuestionSet<'s> {
        let questions: Vec<Question> = (questions.into_iter())
            .map(|question| match question {
                Question::Reach(predicate) => Question::Reach(sparse(system, predicate)),
                Question::Always(predicate) => Question::Always(sparse(system, predicate)),
                most => most,
            })
            .collect();
        let mut open_questions = QuestionSet {
            system,
            open: vec![true; questions.len()],
            records: vec![None; questions.len()],
            caps: vec![None; questions.len()],
            questions,
            touched: vec![Vec::new(); system.events.len()],
            resting: Vec::new(),
            ends,
            over: false,
        };
        open_questions.index();
        open_questions
    }

    /// Questions that somebody else has answered are closed; what is known of sums are their records.
    pub fn close(&mut self, question: usize) {
        self.open[question] = false;
    }

    /// A sum is known to reach this value: less is no news.
    pub fn raise(&mut self, question: usize, value: i128) {
        let record = &mut self.records[question];
        *record = (*record).max(Some(value));
    }

    /// A sum is known never to exceed this value.
    pub fn cap(&mut self, question: usize, value: i128) {
        self.caps[question] = Some(value);
    }

    /// The system that the questions are about.
    pub fn system(&self) -> &'s System {
        self.system
    }

    /// How many questions there are, open or not.
    pub fn len(&self) -> usize {
        self.questions.len()
    }

    /// Are there no questions at all?
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    /// A question by its position.
    pub fn question(&self, question: usize) -> &Question {
        &self.questions[question]
    }

    /// The questions that are open, by their positions.
    pub fn open(&self) -> impl Iterator<Item = usize> + use<'_, 's> {
        (0..self.open.len()).filter(|q| self.open[*q])
    }

    /// Is the question open?
    pub fn is_open(&self, question: usize) -> bool {
        self.open[question]
    }

    /// The largest value of a sum that is known.
    pub fn record(&self, question: usize) -> Option<i128> {
        self.records[question]
    }

    /// Is there nothing more to ask?
    pub fn is_over(&self) -> bool {
        self.over || !self.open.contains(&true)
    }

    /// Is some question of this kind open?
    pub(super) fn asks(&self, kind: fn(&Question) -> bool) -> bool {
        self.open().any(|q| kind(&self.questions[q]))
    }

    fn index(&mut self) {
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); self.system.variables.len()];
        for q in 0..self.questions.len() {
            let reads = match &self.questions[q] {
                Question::Reach(Predicate::Deadlock) | Question::Always(_) => {
                    self.resting.push(q as u32);
                    continue;
                }
                Question::Reach(predicate) => reads(self.system, predicate),
                Question::Most(terms) => terms.iter().map(|(var, _)| *var).collect(),
            };
            for var in reads {
                readers[var.index()].push(q as u32);
            }
        }
        for (event, touched) in self.system.event_ids().zip(&mut self.touched) {
            let action = &self.system.event(event).action;
            let mut writes = action.writes();
            if matches!(action, Action::Program { .. }) {
                writes.extend(self.system.fault);
            }
            touched.extend(writes.iter().flat_map(|var| &readers[var.index()]));
            touched.sort_unstable();
            touched.dedup();
        }
    }

    /// Can a step by the event answer anything?
    pub(super) fn is_touched(&mut self, event: EventId) -> bool {
        let (open, touched) = (&self.open, &mut self.touched[event.index()]);
        touched.retain(|q| open[*q as usize]);
        !touched.is_empty()
    }

    /// Looks at an initial state, or at any state without having looked at the one before it.
    pub(super) fn begin(&mut self, state: &mut impl Sight, met: &mut Vec<(usize, Met)>) {
        for q in 0..self.questions.len() {
            self.look(q, state, met);
        }
    }

    /// Looks at the state behind a step.
    pub(super) fn arrive(
        &mut self,
        event: EventId,
        state: &mut impl Sight,
        met: &mut Vec<(usize, Met)>,
    ) {
        let touched = std::mem::take(&mut self.touched[event.index()]);
        for q in &touched {
            self.look(*q as usize, state, met);
        }
        self.touched[event.index()] = touched;
    }

    fn look(&mut self, q: usize, state: &mut impl Sight, met: &mut Vec<(usize, Met)>) {
        if !self.open[q] {
            return;
        }
        match &self.questions[q] {
            // Whether a state is dead is known to those who look for its steps.
            Question::Reach(Predicate::Deadlock) | Question::Always(_) => {}
            Question::Reach(predicate) => {
                if state.holds(predicate) {
                    self.answered(q);
                    met.push((q, Met::Reached));
                }
            }
            Question::Most(terms) => {
                let value = state.sum(terms);
                if self.records[q].is_none_or(|record| record < value) {
                    self.records[q] = Some(value);
                    self.open[q] = self.caps[q].is_none_or(|cap| value < cap);
                    met.push((q, Met::Record(value)));
                }
            }
        }
    }

    /// Looks at a dead state.
    pub(super) fn rest(&mut self, state: &mut impl Sight, met: &mut Vec<(usize, Met)>) {
        let resting = std::mem::take(&mut self.resting);
        for q in resting.iter().map(|q| *q as usize) {
            let found = match &self.questions[q] {
                _ if !self.open[q] => continue,
                Question::Always(predicate) => {
                    if state.holds(predicate) {
                        continue;
                    } else {
                        Met::Lost
                    }
                }
                _ => Met::Reached,
            };
            self.answered(q);
            met.push((q, found));
        }
        self.resting = resting;
        let open = &self.open;
        self.resting.retain(|q| open[*q as usize]);
    }

    /// Does a dead state still answer anything?
    pub(super) fn waits_for_rest(&self) -> bool {
        self.resting.iter().any(|q| self.open[*q as usize])
    }

    /// A run that answers the question was found.
    pub(super) fn answered(&mut self, q: usize) {
        self.open[q] = false;
        self.over |= self.ends == Ends::WithTheFirstRun;
    }
}

/// The predicate with one event for all that need the same: bindings of a coloured transition often do.
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

/// The value of a sum.
pub(super) fn sum(terms: &[(VarId, Value)], state: &[Value]) -> i128 {
    let term =
        |(var, weight): &(VarId, Value)| i128::from(*weight) * i128::from(state[var.index()]);
    terms.iter().map(term).sum()
}

/// The variables that decide whether a predicate holds.
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
