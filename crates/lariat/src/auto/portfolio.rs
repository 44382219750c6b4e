//! One question and those who are asked about it, round by round.

use super::WORTH_SHARING;
use super::field::{Candidate, field, first_look, of_fairness};
use super::learn::{Learned, Smaller};
use super::schedule::Schedule;
use crate::check::{Attempt, Query, Report, Turn, Unliftable, once_more};
use crate::explored::Explored;
use crate::features::{Boundedness, Features};
use crate::plan::Plan;
use lariat_budget::Stop;
use lariat_engines::{Found, Outcome, Workers};

/// The engines that are left, and the question that they are asked.
pub(super) struct Portfolio<'a, 's> {
    pub query: Query<'a, 's>,
    /// The question in the form that facts have given it.
    pub learned: Option<Learned>,
    /// The reduced net and the question about it, as long as runs found there have a way back.
    pub reduced: Option<Smaller<'s>>,
    pub schedule: &'a Schedule,
    pub field: Vec<Candidate>,
    /// Whose turn it is in the next round, and which one that is.
    due: Vec<Candidate>,
    round: u32,
    /// Did an engine run out of memory?
    starved: bool,
}

/// How some turns ended.
pub(super) enum Turns {
    /// Nobody need try any more.
    Done(Found),
    /// Others may; this is what the last one said.
    Open(Found),
}

impl Turns {
    pub fn done(self) -> Option<Found> {
        match self {
            Turns::Done(found) => Some(found),
            Turns::Open(_) => None,
        }
    }
}

/// What came of one engine's turn.
pub(super) struct Tried {
    pub found: Found,
    /// The report as this engine leaves it, but for the trail.
    report: Report,
    /// The line of the trail.
    line: Attempt,
    /// What this means for the others.
    after: After,
}

/// What a turn means for those who come next.
#[derive(Clone, Copy)]
enum After {
    /// Nothing.
    Open,
    /// Runs of the reduced net have no way back: nobody works on it any more.
    Astray,
}

impl Tried {
    /// Is this an answer?
    pub fn is_decided(&self) -> bool {
        matches!(self.found, Ok(Outcome::Empty | Outcome::Accepting(_)))
    }
}

/// Many single states may need all the room there is: what was explored is given back before.
pub(super) fn needs_room(candidate: &Candidate, round: u32) -> bool {
    let plan = &candidate.plan;
    plan.has_single_states() && plan.is_complete() && round > 1
}

impl<'a, 's> Portfolio<'a, 's> {
    /// Nobody has been asked yet.
    pub fn new(query: Query<'a, 's>, schedule: &'a Schedule) -> Portfolio<'a, 's> {
        Portfolio {
            query,
            learned: None,
            reduced: None,
            schedule,
            field: Vec::new(),
            due: Vec::new(),
            round: 0,
            starved: false,
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

    /// Takes rounds until an engine decides or none is left.
    pub fn rounds(&mut self, explored: &mut Explored<'s>, report: &mut Report) -> Found {
        loop {
            if let Some(found) = self.next_round(explored, report).done() {
                return found;
            }
        }
    }

    /// The next round: the first turns, or all of the field with more work than before.
    pub fn next_round(&mut self, explored: &mut Explored<'s>, report: &mut Report) -> Turns {
        let candidates = std::mem::take(&mut self.due);
        let last = match self.turns(candidates, self.round, explored, report) {
            Turns::Open(last) => last,
            done => return done,
        };
        // Walks alone never come to an end.
        if !self.field.iter().any(|other| other.plan.is_complete()) {
            // More memory is what would have helped, whatever the last one lacked.
            return Turns::Done(if self.starved {
                Err(Stop::Memory)
            } else {
                last
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

    /// Some engines in the order of the list, of whom the first to decide answers. Those who can do no more leave the field.
    pub fn turns(
        &mut self,
        candidates: Vec<Candidate>,
        round: u32,
        explored: &mut Explored<'s>,
        report: &mut Report,
    ) -> Turns {
        let budget = self.query.budget;
        let at_once = self.at_once(&candidates, round, explored, report);
        let is_decided = at_once.iter().flatten().any(Tried::is_decided);
        let mut last = Err(Stop::Work(0));
        for (candidate, tried) in candidates.into_iter().zip(at_once) {
            let tried = match tried {
                Some(tried) => tried,
                None if is_decided => continue,
                None => self.attempt(&self.query, &candidate, round, explored, report),
            };
            // Whoever has an answer has it, whatever time or memory did to those before.
            let is_left = is_decided && !tried.is_decided();
            last = self.settle(tried, report);
            let leaves = match &last {
                _ if is_left => continue,
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
                let name = candidate.plan.name;
                self.field.retain(|other| other.plan.name != name);
            }
        }
        Turns::Open(last)
    }

    /// Enters what came of a turn.
    fn settle(&mut self, tried: Tried, report: &mut Report) -> Found {
        let mut trail = std::mem::take(&mut report.trail);
        trail.push(tried.line);
        *report = Report {
            trail,
            ..tried.report
        };
        match tried.after {
            After::Open => {}
            After::Astray => self.reduced = None,
        }
        tried.found
    }

    /// Do all workers there are search for it together?
    pub fn is_shared(&self, candidate: &Candidate) -> bool {
        let are_several = self.query.options.workers != Workers::ONE;
        are_several && candidate.plan.works_together() && candidate.work >= WORTH_SHARING
    }

    /// One engine, and what came of it. The question is that of the portfolio, under the query's budget.
    pub fn attempt(
        &self,
        query: &Query<'_, 's>,
        candidate: &Candidate,
        round: u32,
        explored: &mut Explored<'s>,
        before: &Report,
    ) -> Tried {
        let budget = query.budget;
        let begun = budget.elapsed();
        let plan = if self.is_shared(candidate) {
            candidate.plan.by(self.query.options.workers)
        } else {
            candidate.plan
        };
        if needs_room(candidate, round) {
            explored.clear();
        }
        let turn = Turn {
            plan,
            budget: budget.clone().with_work(candidate.work),
            most_tokens: candidate.most_tokens,
        };
        let mut report = Report {
            trail: Vec::new(),
            ..before.clone()
        };
        let (found, after) = self.run(query, &turn, explored, &mut report);
        let line = Attempt {
            engine: plan.name,
            outcome: match &found {
                Ok(Outcome::Undecided(_)) => "undecided".to_owned(),
                Ok(_) => "decided".to_owned(),
                Err(Stop::Work(limit)) => format!("gave up: {limit} units of work"),
                Err(stop) => format!("gave up: {stop}"),
            },
            why: match round {
                0 | 1 => candidate.why.clone(),
                _ => format!("once more, with {} times the work", self.schedule.growth),
            },
            work: turn.budget.work_spent(),
            time: budget.elapsed().saturating_sub(begun),
        };
        Tried {
            found,
            report,
            line,
            after,
        }
    }

    /// Runs one plan on the reduced net, from the time on when there is one. If a run has no way back from there, the net as it was read is searched
    /// in its place. Reductions do not keep symmetries: who divides by them is asked about the net as it was read.
    fn run(
        &self,
        query: &Query<'_, 's>,
        turn: &Turn,
        explored: &mut Explored<'s>,
        report: &mut Report,
    ) -> (Found, After) {
        let mut after = After::Open;
        if !turn.plan.divides()
            && let Some(found) = self.run_reduced(query, turn, explored, report)
        {
            match found {
                Ok(found) => return (found, after),
                Err(Unliftable(why)) => {
                    query.observer.remark(&once_more(&why));
                    report.passes.clear();
                    after = After::Astray;
                }
            }
        }
        let mut query = *query;
        if let Some(learned) = &self.learned {
            query.formulas = &learned.formulas;
            query.property = learned.property_for(&turn.plan);
        }
        let found = match query.run(turn, explored, report) {
            Ok(found) => {
                if matches!(found, Ok(Outcome::Empty | Outcome::Accepting(_))) {
                    // Whatever was removed before played no part.
                    report.passes.clear();
                }
                found
            }
            // Facts leave out what is constant, of which a covering run may not show that it is: others may find another run.
            Err(Unliftable(why)) => Err(Stop::Unsupported(why)),
        };
        (found, after)
    }

    /// Runs one plan on the reduced net, if there is one.
    fn run_reduced(
        &self,
        query: &Query<'_, 's>,
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
            ..*query
        };
        Some(query.run(turn, explored, report))
    }
}
