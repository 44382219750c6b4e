//! Questions about reachable states, answered for good.
//!
//! A [`Question`] is a predicate to be reached, a sum whose maximum is wanted, or a predicate that must stay reachable. All questions about
//! one model are asked together, because what answers one answers others: a walk looks at every marking for all of them, facts and
//! reachable states are those of the net. [`ask`] goes from what is cheap to what is complete,
//!
//! ```text
//! a glance at the nearest states → walks → facts → reductions → rounds of walks, trees, sweeps and sets
//! ```
//!
//! with counted work, so that runs repeat. Engines find, and nobody believes them: a run is lifted back over all reductions and
//! replayed on what the user wrote, a certificate is checked again, and `never`, `at most` and `always` need a search that says it was
//! complete (`answer.rs`). Everything else is [`Answer::Unknown`].

mod answer;
pub mod examination;
mod facts;
mod formula;
pub mod report;
mod schedule;
mod stage;

pub use answer::{Answer, Proof, Witness};
pub use lariat_engines::questions::{Asker, Ends, Question};
pub use schedule::AskSchedule;

use crate::explored::Explored;
use crate::verdict::Reason;
use answer::{Shows, searched, sum, witness};
use facts::About as Facts;
use lariat_budget::{Budget, Observer, Stop};
use lariat_engines::questions::{Finding, Search, by_sets, karp_miller, sweep, wander};
use lariat_formats::Model;
use lariat_model::{Deadlock, Lasso, State};
use lariat_space::symbolic::OrderChoice;
use stage::Stage;

/// How to ask.
#[derive(Clone, Debug)]
pub struct AskOptions {
    /// When enough is known.
    pub ends: Ends,
    /// How much work is given to whom.
    pub schedule: AskSchedule,
    /// The engines that may be asked; all by default.
    pub askers: Vec<Asker>,
    /// Are reductions made?
    pub reduce: bool,
}

impl Default for AskOptions {
    fn default() -> AskOptions {
        AskOptions {
            ends: Ends::WithAll,
            schedule: AskSchedule::default(),
            askers: Asker::ALL.to_vec(),
            reduce: true,
        }
    }
}

/// An answer, and whom it is owed to.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// The engine that found it.
    pub asker: Asker,
}

/// Hears of answers as soon as they are known; says whether to go on.
pub type Teller<'t> = dyn FnMut(usize, &Reply) -> Go + 't;

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Go {
    /// More answers are wanted.
    On,
    /// What is known is enough.
    Home,
}

/// Answers questions about the reachable states of `model`; replies are in the order of the questions. `tell` hears of each as soon as it is
/// known, and of the unknown ones at last.
pub fn ask<'s>(
    model: &'s Model,
    questions: &[Question],
    options: &AskOptions,
    explored: &mut Explored<'s>,
    (budget, observer): (&Budget, &dyn Observer),
    tell: &mut Teller<'_>,
) -> Vec<Reply> {
    let mut desk = Desk {
        model,
        cases: questions.iter().map(Case::new).collect(),
        options,
        budget,
        observer,
        tell,
        done: false,
        defect: None,
    };
    let stop = desk.auto(explored).err();
    desk.leave(stop)
}

/// A question and what is known of it.
struct Case<'q> {
    question: &'q Question,
    /// The same question, as far as reachable states go.
    folded: Option<Question>,
    reply: Option<Reply>,
    /// Of a sum.
    low: Option<(i128, Witness)>,
    high: Option<(i128, Proof)>,
    asker: Asker,
}

impl<'q> Case<'q> {
    fn new(question: &'q Question) -> Case<'q> {
        Case {
            question,
            folded: None,
            reply: None,
            low: None,
            high: None,
            asker: Asker::Explicit,
        }
    }
}

/// Where questions are answered.
struct Desk<'a, 's> {
    model: &'s Model,
    cases: Vec<Case<'a>>,
    options: &'a AskOptions,
    budget: &'a Budget,
    observer: &'a dyn Observer,
    tell: &'a mut Teller<'a>,
    /// Is enough known?
    done: bool,
    /// Something that must not happen.
    defect: Option<String>,
}

impl<'s> Desk<'_, 's> {
    fn may(&self, asker: Asker) -> bool {
        self.options.askers.contains(&asker)
    }

    fn is_over(&self) -> bool {
        self.done || self.cases.iter().all(|case| case.reply.is_some())
    }

    fn open(&self) -> Vec<usize> {
        let open = |q: &usize| self.cases[*q].reply.is_none();
        (0..self.cases.len()).filter(open).collect()
    }

    /// The schedule. Ends with what stopped it, if something is still open.
    fn auto(&mut self, explored: &mut Explored<'s>) -> Result<(), Stop> {
        let schedule = self.options.schedule;
        let system = &self.model.system;
        self.at_start();
        // A bound is best told by an invariant, and whoever knows it need not look further.
        self.facts(explored, Facts::Sums, schedule.facts)?;
        let whole = Stage::whole(system, &self.cases, &self.open());
        self.sweep(&whole, schedule.glance)?;
        let whole = Stage::whole(system, &self.cases, &self.open());
        self.wander(&whole, schedule.walk, 0)?;
        self.facts(explored, Facts::States, schedule.facts)?;
        if self.is_over() {
            return Ok(());
        }
        let (mut look, mut tree) = (schedule.first_look, schedule.tree);
        for round in 1.. {
            let mut stops = self.together(explored, (look, tree), round)?;
            let alone = self.open().len();
            if !self.is_over() && alone <= schedule.alone {
                let share = look / alone as u64;
                stops.extend(self.one_by_one(explored, share)?);
                stops.extend(self.formulas(share)?);
            }
            if self.is_over() {
                return Ok(());
            }
            let more_work = |stop: &Stop| matches!(stop, Stop::Work(_));
            // Whoever asks for more than there is does not work at all.
            if look == u64::MAX || !stops.iter().any(more_work) {
                let none = || Stop::Bound("no engine can go on".to_owned());
                return Err(stops.pop().unwrap_or_else(none));
            }
            look = look.saturating_mul(schedule.growth);
            tree = tree.saturating_mul(schedule.growth);
        }
        Ok(())
    }

    /// All open questions on one net, made smaller for all of them. Says why engines stopped.
    fn together(
        &mut self,
        explored: &mut Explored<'s>,
        (look, tree): (u64, u64),
        round: u64,
    ) -> Result<Vec<Stop>, Stop> {
        self.budget.check()?;
        // A limit around all of this ends it.
        self.budget.spend(0)?;
        let whole = Stage::whole(&self.model.system, &self.cases, &self.open());
        let stage = self.reduced(whole, explored)?;
        let sets = look.saturating_mul(self.options.schedule.sets);
        // Walks could go on for ever: they are no reason for another round.
        self.wander(&stage, look / 2, round)?;
        let stops = [
            self.tree(&stage, tree)?,
            self.sweep(&stage, look)?,
            self.sets(&stage, sets, explored)?,
        ];
        Ok(stops.into_iter().flatten().collect())
    }

    /// Each open question on a net that is made smaller for it alone, where that is smaller than for all together.
    fn one_by_one(&mut self, explored: &mut Explored<'s>, look: u64) -> Result<Vec<Stop>, Stop> {
        let open = self.open();
        let mut stops = Vec::new();
        let whole = Stage::whole(&self.model.system, &self.cases, &open);
        let all = self.reduced(whole, explored)?.system.variables.len();
        for q in open {
            if self.is_over() || !self.options.reduce {
                break;
            }
            let one = Stage::whole(&self.model.system, &self.cases, &[q]);
            let stage = self.reduced(one, explored)?;
            if stage.system.variables.len() < all {
                let sets = look.saturating_mul(self.options.schedule.sets);
                self.wander(&stage, look, q as u64)?;
                stops.extend(self.sweep(&stage, look)?);
                stops.extend(self.sets(&stage, sets, explored)?);
            }
        }
        Ok(stops)
    }

    /// The same questions about a net that is smaller, if reductions are made.
    fn reduced(&self, stage: Stage<'s>, explored: &Explored<'s>) -> Result<Stage<'s>, Stop> {
        if self.options.reduce {
            stage.reduced(explored.systems(), self.budget)
        } else {
            Ok(stage)
        }
    }

    fn sweep(&mut self, stage: &Stage<'s>, work: u64) -> Result<Option<Stop>, Stop> {
        if !self.may(Asker::Explicit) || self.is_over() {
            return Ok(None);
        }
        self.observer.engine(Asker::Explicit.name());
        let limited = self.budget.clone().with_work(work);
        let mut board = self.board(stage);
        if board.is_over() {
            return Ok(None);
        }
        let search = sweep(&mut board, &limited);
        self.settle(stage, search, Asker::Explicit)
    }

    fn wander(&mut self, stage: &Stage<'s>, work: u64, seed: u64) -> Result<Option<Stop>, Stop> {
        if !self.may(Asker::Walk) || self.is_over() {
            return Ok(None);
        }
        self.observer.engine(Asker::Walk.name());
        let limited = self.budget.clone().with_work(work);
        let mut board = self.board(stage);
        if board.is_over() {
            return Ok(None);
        }
        let search = wander(&mut board, seed, &limited);
        self.settle(stage, search, Asker::Walk)
    }

    fn tree(&mut self, stage: &Stage<'s>, work: u64) -> Result<Option<Stop>, Stop> {
        // Where no tokens are made the tree is the graph, and sweeping that is quicker.
        let may = self.may(Asker::KarpMiller) && stage.system.makes_tokens();
        if !may || self.is_over() {
            return Ok(None);
        }
        self.observer.engine(Asker::KarpMiller.name());
        let limited = self.budget.clone().with_work(work);
        let mut board = self.board(stage);
        if board.is_over() {
            return Ok(None);
        }
        let search = karp_miller(&mut board, &limited);
        self.settle(stage, search, Asker::KarpMiller)
    }

    fn sets(
        &mut self,
        stage: &Stage<'s>,
        work: u64,
        explored: &mut Explored<'s>,
    ) -> Result<Option<Stop>, Stop> {
        if !self.may(Asker::Sets) || self.is_over() {
            return Ok(None);
        }
        self.observer.engine(Asker::Sets.name());
        let limited = self.budget.clone().with_work(work);
        let mut board = self.board(stage);
        if board.is_over() {
            return Ok(None);
        }
        let order = OrderChoice::Auto;
        let deadlock = Deadlock::Stutter;
        let search = match explored.states(stage.system, &order, deadlock, &limited, self.observer)
        {
            Ok(states) => by_sets(&mut board, &mut states.reached, &limited),
            Err(stop) => Search {
                stop: Some(stop),
                ..Search::default()
            },
        };
        self.settle(stage, search, Asker::Sets)
    }

    /// The board of a stage's questions that are still open.
    fn board(&self, stage: &Stage<'s>) -> lariat_engines::questions::QuestionSet<'s> {
        let mut board = stage.board(self.options.ends);
        for (i, (q, _)) in stage.asked.iter().enumerate() {
            let case = &self.cases[*q];
            if case.reply.is_some() {
                board.close(i);
            }
            if let Some((value, _)) = &case.low {
                board.raise(i, *value);
            }
            if let Some((value, _)) = &case.high {
                board.cap(i, *value);
            }
        }
        board
    }

    /// Takes what an engine has found, after a replay. Ends if somebody wants it to; otherwise says why the engine stopped.
    fn settle(
        &mut self,
        stage: &Stage<'s>,
        search: Search,
        asker: Asker,
    ) -> Result<Option<Stop>, Stop> {
        for (i, finding) in search.findings {
            let (q, _) = stage.asked[i];
            if let Err(what) = self.take(stage, q, finding, asker) {
                self.defect.get_or_insert(what);
            }
        }
        match search.stop {
            Some(stop @ (Stop::Time | Stop::Interrupted | Stop::Internal(_))) => Err(stop),
            stop => Ok(stop),
        }
    }

    fn take(
        &mut self,
        stage: &Stage<'s>,
        q: usize,
        finding: Finding,
        asker: Asker,
    ) -> Result<(), String> {
        let model = self.model;
        let question = self.cases[q].question;
        if self.cases[q].reply.is_some() {
            return Ok(());
        }
        let earn = |run: Lasso, shows: Shows<'_>| -> Result<Option<Witness>, String> {
            match stage.back(run, question)? {
                Some(run) => witness(model, run, shows).map(Some),
                // Too long to be told: as if it had not been found.
                None => Ok(None),
            }
        };
        let answer = match finding {
            Finding::Reached(run) => earn(run, Shows::End(question, 0))?.map(Answer::Reached),
            Finding::Never => Some(Answer::Never(searched())),
            Finding::Always => Some(Answer::Always(searched())),
            Finding::Lost(run) => {
                let lost = earn(run, Shows::End(question, 0))?;
                lost.map(|run| Answer::Lost(run, searched()))
            }
            Finding::Endless(run) => match question {
                Question::Most(terms) => earn(run, Shows::Growth(terms))?.map(Answer::Endless),
                _ => return Err("growth where none was asked for".to_owned()),
            },
            Finding::AtLeast(value, run) => {
                if let Some(run) = earn(run, Shows::End(question, value))? {
                    self.at_least(q, value, run, asker);
                }
                None
            }
            Finding::AtMost(value) => {
                self.at_most(q, value, searched(), asker);
                None
            }
        };
        match answer {
            Some(answer) => self.reply(q, answer, asker),
            None => self.meet(q),
        }
        Ok(())
    }

    fn at_least(&mut self, q: usize, value: i128, run: Witness, asker: Asker) {
        let case = &mut self.cases[q];
        if case.low.as_ref().is_none_or(|(low, _)| *low < value) {
            case.low = Some((value, run));
            case.asker = asker;
        }
    }

    fn at_most(&mut self, q: usize, value: i128, proof: Proof, asker: Asker) {
        let case = &mut self.cases[q];
        if case.high.as_ref().is_none_or(|(high, _)| value < *high) {
            case.high = Some((value, proof));
            case.asker = asker;
        }
    }

    /// A sum is known when its bounds meet.
    fn meet(&mut self, q: usize) {
        let case = &self.cases[q];
        let (Some((low, witness)), Some((high, proof))) = (&case.low, &case.high) else {
            return;
        };
        if low == high {
            let answer = Answer::Most {
                value: *low,
                witness: witness.clone(),
                proof: proof.clone(),
            };
            self.reply(q, answer, case.asker);
        } else if low > high {
            self.defect = Some("a value beyond a bound that was proved".to_owned());
        }
    }

    fn reply(&mut self, q: usize, answer: Answer, asker: Asker) {
        if self.cases[q].reply.is_some() {
            return;
        }
        let is_run = matches!(
            answer,
            Answer::Reached(_) | Answer::Lost(..) | Answer::Endless(_)
        );
        self.done |= is_run && self.options.ends == Ends::WithTheFirstRun;
        let reply = Reply { answer, asker };
        self.done |= (self.tell)(q, &reply) == Go::Home;
        self.cases[q].reply = Some(reply);
    }

    /// What is left is unknown.
    fn leave(mut self, stop: Option<Stop>) -> Vec<Reply> {
        let reason = match (self.defect.take(), stop) {
            (Some(what), _) | (None, Some(Stop::Internal(what))) => Reason::Internal(what),
            (None, Some(stop)) => Reason::Stopped(stop),
            (None, None) => Reason::Inconclusive("others have answered what was asked".to_owned()),
        };
        let mut replies = Vec::new();
        for (q, case) in self.cases.into_iter().enumerate() {
            let reply = case.reply.unwrap_or_else(|| {
                let reply = Reply {
                    answer: Answer::Unknown {
                        reason: reason.clone(),
                        at_least: case.low,
                        at_most: case.high,
                    },
                    asker: case.asker,
                };
                (self.tell)(q, &reply);
                reply
            });
            replies.push(reply);
        }
        replies
    }

    /// The value of a sum at the start: a run without steps.
    fn at_start(&mut self) {
        let system = &self.model.system;
        for q in self.open() {
            let Question::Most(terms) = self.cases[q].question else {
                continue;
            };
            let Some(initial) = (system.initial.iter()).max_by_key(|state| sum(terms, state))
            else {
                continue;
            };
            let value = sum(terms, initial);
            let run = standing(initial.clone());
            let shows = Shows::End(self.cases[q].question, value);
            if let Ok(run) = witness(self.model, run, shows) {
                self.at_least(q, value, run, Asker::Explicit);
            }
        }
    }
}

/// A run without steps.
fn standing(initial: State) -> Lasso {
    Lasso {
        initial,
        prefix: Vec::new(),
        cycle: Vec::new(),
        growth: None,
    }
}
