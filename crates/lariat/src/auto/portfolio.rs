//! One question and those who are asked about it, round by round.

use super::WORTH_SHARING;
use super::field::{Candidate, field, first_look, of_fairness};
use super::learn::{Learned, Smaller};
use super::schedule::Schedule;
use crate::check::{Attempt, Query, Report, Turn, Unliftable, once_more};
use crate::explored::Explored;
use crate::features::{Boundedness, Features};
use crate::plan::Plan;
use lariat_automata::Insensitive;
use lariat_budget::Stop;
use lariat_engines::{Found, Outcome};
use lariat_model::Lasso;

/// The engines that are left, and the question that they are asked.
pub(super) struct Portfolio<'a, 's> {
    pub query: Query<'a, 's>,
    /// The question in the form that facts have given it.
    pub learned: Option<Learned>,
    /// The reduced net and the question about it, as long as runs found there have a way back.
    pub reduced: Option<Smaller<'s>>,
    /// Which answers about the reduced net count, if that is not all; nobody is asked about another net then.
    pub half: Option<Insensitive>,
    pub schedule: &'a Schedule,
    pub field: Vec<Candidate>,
    /// Whose turn it is in the next round, and which one that is.
    due: Vec<Candidate>,
    round: u32,
    /// Did an engine run out of memory?
    starved: bool,
    /// Is there nothing more to be asked?
    ended: bool,
}

/// How some turns ended.
pub(super) enum Turns {
    /// Nobody need try any more.
    Done(Found),
    /// Others may; this is what the last one said.
    Open(Found),
    /// Nobody is left who may; the same.
    Over(Found),
}

impl Turns {
    pub fn done(self) -> Option<Found> {
        match self {
            Turns::Done(found) => Some(found),
            Turns::Open(_) | Turns::Over(_) => None,
        }
    }
}

impl<'a, 's> Portfolio<'a, 's> {
    /// Nobody has been asked yet.
    pub fn new(query: Query<'a, 's>, schedule: &'a Schedule) -> Portfolio<'a, 's> {
        Portfolio {
            query,
            learned: None,
            reduced: None,
            half: None,
            schedule,
            field: Vec::new(),
            due: Vec::new(),
            round: 0,
            starved: false,
            ended: false,
        }
    }

    /// Chooses who is asked, by the question and the net that is searched.
    pub fn choose(&mut self, known: Boundedness, symmetries: f64) {
        let (subject, formulas, property) = match (&self.reduced, &self.learned) {
            (Some(smaller), _) => {
                let learned = &smaller.learned;
                (&smaller.subject, &learned.formulas, learned.property())
            }
            (None, Some(learned)) => (self.query.subject, &learned.formulas, learned.property()),
            (None, None) => (self.query.subject, self.query.formulas, self.query.property),
        };
        let features = Features {
            symmetries,
            ..Features::of(subject, formulas, property, known)
        };
        let schedule = self.schedule;
        self.due = first_look(&features, schedule);
        self.field = field(&features, schedule);
        if features.net
            && let Some(asked) = self.query.subject.fairness().strength()
        {
            of_fairness(&mut self.field, asked, schedule);
        }
        let left_out = |technique| schedule.without.contains(technique);
        let kept = |turn: &Candidate| !turn.technique().is_some_and(left_out);
        self.field.retain(kept);
    }

    /// How many rounds there were.
    pub fn rounds(&self) -> u32 {
        self.round
    }

    /// The next round: the first turns, or all of the field with more work than before.
    pub fn next_round(&mut self, explored: &mut Explored<'s>, report: &mut Report) -> Turns {
        let candidates = std::mem::take(&mut self.due);
        let last = match self.turns(candidates, self.round, explored, report) {
            Turns::Open(last) => last,
            done => return done,
        };
        // Walks alone never come to an end.
        if self.ended || !self.field.iter().any(|other| other.plan.is_complete()) {
            // More memory is what would have helped, whatever the last one lacked.
            return Turns::Over(match self.starved {
                true => Err(Stop::Memory),
                false => last,
            });
        }
        // The first look was the first round of the explicit search.
        let looked = |plan: &Plan| plan.has_single_states() && plan.is_complete();
        let is_due = |other: &&Candidate| self.round > 0 || !looked(&other.plan);
        self.due = self.field.iter().filter(is_due).cloned().collect();
        for candidate in &mut self.field {
            candidate.work = candidate.work.saturating_mul(self.schedule.growth);
        }
        self.round += 1;
        Turns::Open(last)
    }

    /// Somebody joins the field, before all others.
    pub fn join(&mut self, candidate: Candidate) {
        let later = Candidate {
            work: candidate.work.saturating_mul(self.schedule.growth),
            ..candidate.clone()
        };
        self.due.insert(0, candidate);
        self.field.insert(0, later);
    }

    /// Some engines one after the other. Those who can do no more leave the field.
    pub fn turns(
        &mut self,
        candidates: Vec<Candidate>,
        round: u32,
        explored: &mut Explored<'s>,
        report: &mut Report,
    ) -> Turns {
        let budget = self.query.budget;
        let mut last = Err(Stop::Work(0));
        for candidate in candidates {
            if self.ended {
                break;
            }
            let name = candidate.plan.name;
            last = self.attempt(candidate, round, explored, report);
            let leaves = match &last {
                Err(Stop::Work(_)) => match budget.spend(0) {
                    Ok(()) => false,
                    Err(stop) => return Turns::Done(Err(stop)),
                },
                // What this engine could not do another one may.
                Ok(Outcome::Undecided(_)) => true,
                Err(Stop::Bound(_) | Stop::Unsupported(_) | Stop::Memory) => true,
                // The states are known to take longer than the time that is left, which is not over.
                Err(Stop::Time) if budget.check().is_ok() => true,
                _ => return Turns::Done(last),
            };
            self.starved |= matches!(last, Err(Stop::Memory));
            if leaves && round > 0 {
                self.field.retain(|other| other.plan.name != name);
            }
        }
        Turns::Open(last)
    }

    /// One engine, and what came of it in the trail.
    fn attempt(
        &mut self,
        candidate: Candidate,
        round: u32,
        explored: &mut Explored<'s>,
        report: &mut Report,
    ) -> Found {
        let budget = self.query.budget;
        let begun = budget.elapsed();
        let plan = match candidate.plan.works_together() && candidate.work >= WORTH_SHARING {
            true => candidate.plan.by(self.query.options.workers),
            false => candidate.plan,
        };
        if plan.has_single_states() && plan.is_complete() && round > 1 {
            // Many single states may need all the room there is.
            explored.clear();
        }
        let turn = Turn {
            plan,
            budget: budget.clone().with_work(candidate.work),
            most_tokens: candidate.most_tokens,
        };
        let found = self.run(&turn, explored, report);
        report.trail.push(Attempt {
            engine: plan.name,
            outcome: match &found {
                Ok(Outcome::Undecided(_)) => "undecided".to_owned(),
                Ok(_) => "decided".to_owned(),
                Err(Stop::Work(limit)) => format!("gave up: {limit} units of work"),
                Err(stop) => format!("gave up: {stop}"),
            },
            why: match round {
                0 | 1 => candidate.why,
                _ => format!("once more, with {} times the work", self.schedule.growth),
            },
            work: turn.budget.work_spent(),
            time: budget.elapsed().saturating_sub(begun),
        });
        found
    }

    /// Runs one plan on the reduced net, from the time on when there is one. If a run has no way back from there, nobody
    /// works on it any more. Reductions do not keep symmetries: who divides by them is asked about the net as it was read.
    fn run(&mut self, turn: &Turn, explored: &mut Explored<'s>, report: &mut Report) -> Found {
        if let Some(counts) = self.half {
            return self.run_half(counts, turn, explored, report);
        }
        if !turn.plan.divides()
            && let Some(found) = self.run_reduced(turn, explored, report)
        {
            match found {
                Ok(found) => return found,
                Err(Unliftable(why)) => {
                    self.query.observer.remark(&once_more(&why));
                    report.passes.clear();
                    self.reduced = None;
                }
            }
        }
        let mut query = self.query;
        if let Some(learned) = &self.learned {
            query.formulas = &learned.formulas;
            query.property = learned.property_for(&turn.plan);
        }
        match query.run(turn, explored, report) {
            Ok(found) => {
                if matches!(found, Ok(Outcome::Empty | Outcome::Accepting(_))) {
                    // Whatever was removed before played no part.
                    report.passes.clear();
                }
                found
            }
            // Facts leave out what is constant, of which a covering run may not show that it is: others may find another run.
            Err(Unliftable(why)) => Err(Stop::Unsupported(why)),
        }
    }

    /// Runs one plan on the reduced net, if there is one.
    fn run_reduced(
        &self,
        turn: &Turn,
        explored: &mut Explored<'s>,
        report: &mut Report,
    ) -> Option<Result<Found, Unliftable>> {
        let smaller = self.reduced.as_ref()?;
        report.passes.clone_from(&smaller.removed);
        let query = Query {
            subject: &smaller.subject,
            formulas: &smaller.learned.formulas,
            property: smaller.learned.property_for(&turn.plan),
            ..self.query
        };
        Some(query.run(turn, explored, report))
    }

    /// Runs one plan on a net of which only some answers count. With any other answer there is nothing more to be asked of it.
    fn run_half(
        &mut self,
        counts: Insensitive,
        turn: &Turn,
        explored: &mut Explored<'s>,
        report: &mut Report,
    ) -> Found {
        let Some(found) = self.run_reduced(turn, explored, report) else {
            return Err(Stop::Unsupported("there is no such net".to_owned()));
        };
        let says_nothing = match found {
            Ok(Ok(Outcome::Empty)) if !counts.to_shortening => {
                "runs with fewer repetitions satisfy the property, others may not".to_owned()
            }
            Ok(Ok(Outcome::Accepting(lasso)))
                if !counts.to_lengthening && !self.violates(&lasso) =>
            {
                "a run with fewer repetitions violates the property, and with all of them it does not"
                    .to_owned()
            }
            Ok(found) => return found,
            Err(Unliftable(why)) => why,
        };
        report.passes.clear();
        report.vacuous = None;
        self.ended = true;
        Err(Stop::Unsupported(says_nothing))
    }

    /// Does a run of the original violate the property as it was asked?
    fn violates(&self, lasso: &Lasso) -> bool {
        let Query {
            subject, property, ..
        } = self.query;
        let deadlock = self.query.options.deadlock;
        let replayed = subject.replayed(property, deadlock, lasso.clone());
        replayed.is_ok()
    }
}
