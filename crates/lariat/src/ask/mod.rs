//! Questions about reachable states.
//!
//! A [`StateQuestion`] asks whether a predicate is reachable, for the maximum of a sum, or whether
//! a predicate stays reachable. All questions about one model are answered together, because they
//! share the same work: a walk evaluates every question in each marking, and facts and reachable
//! states are those of the net. [`ask`] proceeds from cheap to complete methods,
//!
//! ```text
//! the nearest states → walks → facts → reductions → rounds of walks, trees, sweeps and sets
//! ```
//!
//! with counted work, so that runs are deterministic. Findings of engines are checked: a run is
//! lifted through all reductions and replayed on the original model, a certificate is checked
//! again, and `never`, `at most` and `always` need a complete search (`answer.rs`). Everything else
//! is [`EarnedAnswer::Unknown`].

mod answer;
pub mod examination;
mod facts;
mod formula;
pub mod report;
mod schedule;
mod stage;

pub use answer::{AnswerKind, EarnedAnswer, Proof, Witness};
pub use lariat_engines::questions::{QuestionEngine, StateQuestion, StopRule};
pub use schedule::AskSchedule;

use crate::cache::{SpaceCache, SpaceKey};
use crate::verdict::Reason;
use answer::{Shows, searched, sum, witness};
use facts::About as Facts;
use lariat_budget::{Budget, Lease, RunContext, Stop};
use lariat_engines::questions::{
    Finding, FindingSink, QuestionSet, SearchEnd, by_sets, karp_miller, sweep, wander,
};
use lariat_formats::LoadedModel;
use lariat_model::{Deadlock, Lasso, ReplayError};
use lariat_space::symbolic::OrderChoice;
use stage::Stage;
use std::ops::ControlFlow;

/// Options of [`ask`].
#[derive(Clone, Debug)]
pub struct AskOptions {
    /// When [`ask`] stops.
    pub ends: StopRule,
    /// The work limits of the methods.
    pub schedule: AskSchedule,
    /// The engines to use; all by default.
    pub askers: Vec<QuestionEngine>,
    /// Whether reductions are applied.
    pub reduce: bool,
}

impl Default for AskOptions {
    fn default() -> AskOptions {
        AskOptions {
            ends: StopRule::WithAll,
            schedule: AskSchedule::default(),
            askers: QuestionEngine::ALL.to_vec(),
            reduce: true,
        }
    }
}

/// An answer, and the engine that found it.
#[derive(Clone, Debug, PartialEq)]
pub struct EarnedReply {
    /// The answer.
    pub answer: EarnedAnswer,
    /// The engine that found it.
    pub asker: QuestionEngine,
}

/// Receives each reply, with the position of its question, as soon as it is known; a break ends the
/// call of [`ask`]. The runs of all replies together may be too large to keep.
pub type ReplyCallback<'t> = dyn FnMut(usize, EarnedReply) -> ControlFlow<()> + 't;

/// Answers questions about the reachable states of `model`; returns the kind of each answer.
/// `on_reply` receives each reply as soon as it is known, and unknown answers last.
pub fn ask<'s>(
    model: &'s LoadedModel,
    questions: &[StateQuestion],
    options: &AskOptions,
    cache: &mut SpaceCache<'s>,
    ctx: RunContext<'_>,
    on_reply: &mut ReplyCallback<'_>,
) -> Vec<AnswerKind> {
    let mut session = AskSession {
        model,
        cases: questions.iter().map(OpenQuestion::new).collect(),
        options,
        ctx,
        on_reply,
        done: false,
        defect: None,
        held: 0,
        lease: ctx.budget.lease(),
    };
    let stop = session.run(cache).err();
    session.conclude(stop)
}

/// A question with its bounds and its reply.
struct OpenQuestion<'q> {
    question: &'q StateQuestion,
    /// An equivalent question on reachable states, simplified by facts.
    folded: Option<StateQuestion>,
    /// The kind of the answer that was given.
    answered: Option<AnswerKind>,
    /// The best known bounds of a sum.
    low: Option<(i128, Witness)>,
    high: Option<(i128, Proof)>,
    asker: QuestionEngine,
}

impl<'q> OpenQuestion<'q> {
    fn new(question: &'q StateQuestion) -> OpenQuestion<'q> {
        OpenQuestion {
            question,
            folded: None,
            answered: None,
            low: None,
            high: None,
            asker: QuestionEngine::Explicit,
        }
    }
}

/// The state of one call of [`ask`].
struct AskSession<'a, 's> {
    model: &'s LoadedModel,
    cases: Vec<OpenQuestion<'a>>,
    options: &'a AskOptions,
    ctx: RunContext<'a>,
    on_reply: &'a mut ReplyCallback<'a>,
    /// Whether [`AskOptions::ends`] or the callback ended the session.
    done: bool,
    defect: Option<String>,
    /// Bytes of the runs that are kept for the bounds of sums.
    held: usize,
    lease: Lease,
}

impl<'s> AskSession<'_, 's> {
    fn may(&self, asker: QuestionEngine) -> bool {
        self.options.askers.contains(&asker)
    }

    fn is_over(&self) -> bool {
        self.done || self.cases.iter().all(|case| case.answered.is_some())
    }

    fn open(&self) -> Vec<usize> {
        let open = |q: &usize| self.cases[*q].answered.is_none();
        (0..self.cases.len()).filter(open).collect()
    }

    /// Runs the schedule. The error is the stop, if questions are still open.
    fn run(&mut self, cache: &mut SpaceCache<'s>) -> Result<(), Stop> {
        let schedule = self.options.schedule;
        let system = &self.model.system;
        self.at_start()?;
        // Invariants are the cheapest source of bounds.
        self.facts(cache, Facts::Sums, schedule.facts)?;
        let whole = Stage::whole(system, &self.cases, &self.open());
        self.sweep(&whole, schedule.glance)?;
        let whole = Stage::whole(system, &self.cases, &self.open());
        self.wander(&whole, schedule.walk, 0)?;
        self.facts(cache, Facts::Predicates, schedule.facts)?;
        if self.is_over() {
            return Ok(());
        }
        let (mut look, mut tree) = (schedule.first_look, schedule.tree);
        for round in 1.. {
            let mut stops = self.together(cache, look, tree, round)?;
            let alone = self.open().len();
            if !self.is_over() && alone <= schedule.alone {
                let share = look / alone as u64;
                stops.extend(self.one_by_one(cache, share)?);
                stops.extend(self.formulas(share)?);
            }
            if self.is_over() {
                return Ok(());
            }
            let more_work = |stop: &Stop| matches!(stop, Stop::Work(_));
            // Another round needs an engine that more work can help.
            if look == u64::MAX || !stops.iter().any(more_work) {
                let none = || Stop::Bound("no engine can continue".to_owned());
                return Err(stops.pop().unwrap_or_else(none));
            }
            look = look.saturating_mul(schedule.growth);
            tree = tree.saturating_mul(schedule.growth);
        }
        Ok(())
    }

    /// Runs all engines on the net reduced for all open questions. Returns why engines stopped.
    fn together(
        &mut self,
        cache: &mut SpaceCache<'s>,
        look: u64,
        tree: u64,
        round: u64,
    ) -> Result<Vec<Stop>, Stop> {
        self.ctx.budget.check()?;
        // An exhausted outer limit ends the session.
        self.ctx.budget.spend(0)?;
        let whole = Stage::whole(&self.model.system, &self.cases, &self.open());
        let stage = self.reduced(whole, cache)?;
        let sets = look.saturating_mul(self.options.schedule.sets);
        // Walks are never complete, so their stop is no reason for another round.
        self.wander(&stage, look / 2, round)?;
        let stops = [
            self.tree(&stage, tree)?,
            self.sweep(&stage, look)?,
            self.sets(&stage, sets, cache)?,
        ];
        Ok(stops.into_iter().flatten().collect())
    }

    /// Runs engines for each open question on a net reduced for that question, if it has fewer
    /// places than the net reduced for all.
    fn one_by_one(&mut self, cache: &mut SpaceCache<'s>, look: u64) -> Result<Vec<Stop>, Stop> {
        let open = self.open();
        let mut stops = Vec::new();
        let whole = Stage::whole(&self.model.system, &self.cases, &open);
        let all = self.reduced(whole, cache)?.system.variables.len();
        for q in open {
            if self.is_over() || !self.options.reduce {
                break;
            }
            let one = Stage::whole(&self.model.system, &self.cases, &[q]);
            let stage = self.reduced(one, cache)?;
            if stage.system.variables.len() < all {
                let sets = look.saturating_mul(self.options.schedule.sets);
                self.wander(&stage, look, q as u64)?;
                stops.extend(self.sweep(&stage, look)?);
                stops.extend(self.sets(&stage, sets, cache)?);
            }
        }
        Ok(stops)
    }

    fn reduced(&self, stage: Stage<'s>, cache: &SpaceCache<'s>) -> Result<Stage<'s>, Stop> {
        if self.options.reduce {
            stage.reduced(cache.systems(), self.ctx.budget)
        } else {
            Ok(stage)
        }
    }

    fn sweep(&mut self, stage: &Stage<'s>, work: u64) -> Result<Option<Stop>, Stop> {
        self.search(stage, QuestionEngine::Explicit, work, sweep)
    }

    fn wander(&mut self, stage: &Stage<'s>, work: u64, seed: u64) -> Result<Option<Stop>, Stop> {
        self.search(stage, QuestionEngine::Walk, work, |board, limited, sink| {
            wander(board, seed, limited, sink)
        })
    }

    fn tree(&mut self, stage: &Stage<'s>, work: u64) -> Result<Option<Stop>, Stop> {
        // If no event adds tokens, the tree is the state graph, and `sweep` explores it faster.
        if !stage.system.makes_tokens() {
            return Ok(None);
        }
        self.search(stage, QuestionEngine::KarpMiller, work, karp_miller)
    }

    fn sets(
        &mut self,
        stage: &Stage<'s>,
        work: u64,
        cache: &mut SpaceCache<'s>,
    ) -> Result<Option<Stop>, Stop> {
        let ctx = self.ctx;
        self.search(stage, QuestionEngine::Sets, work, |board, limited, sink| {
            let key = SpaceKey::new(&OrderChoice::Auto, Deadlock::Stutter);
            match cache.states(stage.system, &key, ctx.with_budget(limited)) {
                Ok(states) => by_sets(board, &mut states.reached, limited, sink),
                Err(stop) => SearchEnd {
                    stop: Some(stop),
                    ..SearchEnd::default()
                },
            }
        })
    }

    /// Searches for answers with one engine, if it may be used and questions are open. Checks and
    /// records its findings. Returns why the engine stopped; the error is a stop that ends the
    /// session.
    fn search(
        &mut self,
        stage: &Stage<'s>,
        asker: QuestionEngine,
        work: u64,
        search: impl FnOnce(&mut QuestionSet<'s>, &Budget, &mut FindingSink<'_>) -> SearchEnd,
    ) -> Result<Option<Stop>, Stop> {
        if !self.may(asker) || self.is_over() {
            return Ok(None);
        }
        self.ctx.observer.engine(asker.name());
        let limited = self.ctx.budget.clone().with_work(work);
        let mut board = self.board(stage);
        if board.is_over() {
            return Ok(None);
        }
        let mut taken = Ok(());
        let mut sink = |i: usize, finding: Finding| {
            let (q, _) = stage.asked[i];
            if taken.is_ok() && !self.is_over() {
                taken = self.take_checked(stage, q, finding, asker);
            }
        };
        let end = search(&mut board, &limited, &mut sink);
        taken?;
        match end.stop {
            Some(stop @ (Stop::Time | Stop::Interrupted | Stop::Internal(_))) => Err(stop),
            stop => Ok(stop),
        }
    }

    /// Takes a finding. A finding whose check fails is a defect, which is reported at the end.
    fn take_checked(
        &mut self,
        stage: &Stage<'s>,
        q: usize,
        finding: Finding,
        asker: QuestionEngine,
    ) -> Result<(), Stop> {
        match self.take(stage, q, finding, asker) {
            Ok(()) => Ok(()),
            Err(ReplayError::Stopped(stop)) => Err(stop),
            Err(ReplayError::Defect(what)) => {
                self.defect.get_or_insert(what);
                Ok(())
            }
        }
    }

    /// The questions of a stage, closed if they are answered, with the bounds known so far.
    fn board(&self, stage: &Stage<'s>) -> QuestionSet<'s> {
        let mut board = stage.board(self.options.ends);
        for (i, (q, _)) in stage.asked.iter().enumerate() {
            let case = &self.cases[*q];
            if case.answered.is_some() {
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

    fn take(
        &mut self,
        stage: &Stage<'s>,
        q: usize,
        finding: Finding,
        asker: QuestionEngine,
    ) -> Result<(), ReplayError> {
        let (model, budget) = (self.model, self.ctx.budget);
        let question = self.cases[q].question;
        if self.cases[q].answered.is_some() {
            return Ok(());
        }
        let earn = |run: Lasso, shows: Shows<'_>| -> Result<Option<Witness>, ReplayError> {
            match stage.back(run, question, budget)? {
                Some(run) => witness(model, run, shows, budget).map(Some),
                // The run is too long to lift and is dropped.
                None => Ok(None),
            }
        };
        let answer = match finding {
            Finding::Reached(run) => earn(run, Shows::End(question, 0))?.map(EarnedAnswer::Reached),
            Finding::Never => Some(EarnedAnswer::Never(searched())),
            Finding::Always => Some(EarnedAnswer::Always(searched())),
            Finding::Lost(run) => {
                let lost = earn(run, Shows::End(question, 0))?;
                lost.map(|run| EarnedAnswer::Lost(run, searched()))
            }
            Finding::Endless(run) => match question {
                StateQuestion::Most(terms) => {
                    earn(run, Shows::Growth(terms))?.map(EarnedAnswer::Endless)
                }
                _ => Err("an unbounded sum for a question without a sum".to_owned())?,
            },
            Finding::AtLeast(value, run) => {
                if let Some(run) = earn(run, Shows::End(question, value))? {
                    self.at_least(q, value, run, asker)?;
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

    fn at_least(
        &mut self,
        q: usize,
        value: i128,
        run: Witness,
        asker: QuestionEngine,
    ) -> Result<(), Stop> {
        let case = &mut self.cases[q];
        if case.low.as_ref().is_none_or(|(low, _)| *low < value) {
            let before = case.low.as_ref().map_or(0, |(_, run)| run.bytes());
            self.held = self.held - before + run.bytes();
            self.lease.resize(self.held)?;
            case.low = Some((value, run));
            case.asker = asker;
        }
        Ok(())
    }

    fn at_most(&mut self, q: usize, value: i128, proof: Proof, asker: QuestionEngine) {
        let case = &mut self.cases[q];
        if case.high.as_ref().is_none_or(|(high, _)| value < *high) {
            case.high = Some((value, proof));
            case.asker = asker;
        }
    }

    /// Answers the question for a sum if its bounds are equal.
    fn meet(&mut self, q: usize) {
        let case = &mut self.cases[q];
        let (Some((low, _)), Some((high, _))) = (&case.low, &case.high) else {
            return;
        };
        if low > high {
            self.defect = Some("a reached value exceeds a proved bound".to_owned());
        } else if low == high
            && let (Some((value, witness)), Some((_, proof))) = (case.low.take(), case.high.take())
        {
            self.held -= witness.bytes();
            let answer = EarnedAnswer::Most {
                value,
                witness,
                proof,
            };
            let asker = case.asker;
            self.reply(q, answer, asker);
        }
    }

    fn reply(&mut self, q: usize, answer: EarnedAnswer, asker: QuestionEngine) {
        if self.cases[q].answered.is_some() {
            return;
        }
        let kind = answer.kind();
        let is_run = matches!(
            kind,
            AnswerKind::Reached | AnswerKind::Lost | AnswerKind::Endless
        );
        self.done |= is_run && self.options.ends == StopRule::WithTheFirstRun;
        self.cases[q].answered = Some(kind);
        self.done |= (self.on_reply)(q, EarnedReply { answer, asker }).is_break();
    }

    /// Replies to the remaining questions with `unknown`.
    fn conclude(mut self, stop: Option<Stop>) -> Vec<AnswerKind> {
        let reason = match (self.defect.take(), stop) {
            (Some(what), _) | (None, Some(Stop::Internal(what))) => Reason::Internal(what),
            (None, Some(stop)) => Reason::Stopped(stop),
            (None, None) => Reason::Inconclusive("answers to other questions sufficed".to_owned()),
        };
        let mut kinds = Vec::with_capacity(self.cases.len());
        for (q, case) in self.cases.into_iter().enumerate() {
            kinds.push(case.answered.unwrap_or(AnswerKind::Unknown));
            if case.answered.is_none() {
                let answer = EarnedAnswer::Unknown {
                    reason: reason.clone(),
                    at_least: case.low,
                    at_most: case.high,
                };
                let asker = case.asker;
                let _ = (self.on_reply)(q, EarnedReply { answer, asker });
            }
        }
        kinds
    }

    /// Records the values of sums in the initial states, with runs without steps as witnesses.
    fn at_start(&mut self) -> Result<(), Stop> {
        let system = &self.model.system;
        for q in self.open() {
            let StateQuestion::Most(terms) = self.cases[q].question else {
                continue;
            };
            self.ctx.budget.check()?;
            let Some(start) =
                (0..system.initial.len()).max_by_key(|start| sum(terms, &system.initial[*start]))
            else {
                continue;
            };
            let value = sum(terms, &system.initial[start]);
            self.at_least(q, value, Witness::standing(start), QuestionEngine::Explicit)?;
        }
        Ok(())
    }
}
