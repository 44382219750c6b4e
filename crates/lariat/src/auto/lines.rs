//! Several forms of one question side by side.
//!
//! The question as it is, about the usual reduced net, is one *line*. A formula with `X` may have two more, on nets whose steps are joined and that are much smaller therefore: what is left of it
//! some steps later (`progression.rs`), all of whose parts must hold, and the same question on a net of which one answer counts (`lengths.rs`). Lines take rounds in turn, so that none that
//! never ends keeps the others from the answer, and the first to decide has decided.

use super::learn::{self, Learned};
use super::lengths::{LENGTHS, in_words, is_worthwhile, shorter};
use super::portfolio::{Portfolio, Turns};
use super::progression::{Group, PROGRESSION, groups};
use super::schedule::Schedule;
use super::symmetries;
use super::technique::Technique;
use crate::check::{Attempt, Query, Report};
use crate::explored::Explored;
use crate::reduce::Joining;
use lariat_budget::Stop;
use lariat_engines::{Found, Outcome};
use std::time::Duration;

/// Questions all of which must be answered for an answer.
pub(super) struct Line<'a, 's> {
    open: Vec<Portfolio<'a, 's>>,
    kind: Kind,
    /// Has each part that is done no run that counts at all? If so, why.
    vacuous: Option<&'static str>,
    /// How many parts are done.
    done: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The question itself.
    Whole,
    /// What is left of it some steps later.
    Later,
    /// The question about a net of which one answer counts; it is a round behind.
    Half,
}

impl<'a, 's> Line<'a, 's> {
    /// The question itself.
    pub fn whole(portfolio: Portfolio<'a, 's>) -> Line<'a, 's> {
        Line::of(vec![portfolio], Kind::Whole)
    }

    fn of(open: Vec<Portfolio<'a, 's>>, kind: Kind) -> Line<'a, 's> {
        Line {
            open,
            kind,
            vacuous: None,
            done: 0,
        }
    }

    /// The rounds that are due in this turn of all lines.
    fn rounds(&mut self, turn: u32, explored: &mut Explored<'s>, report: &mut Report) -> Turns {
        let target = match self.kind {
            Kind::Half => turn.max(1),
            Kind::Whole | Kind::Later => turn + 1,
        };
        let mut last = Err(Stop::Work(0));
        let mut at = 0;
        while let Some(portfolio) = self.open.get_mut(at) {
            if portfolio.rounds() >= target {
                at += 1;
                continue;
            }
            match portfolio.next_round(explored, report) {
                Turns::Open(found) => last = found,
                Turns::Done(Ok(Outcome::Empty)) => {
                    let vacuous = report.vacuous.take();
                    self.vacuous = match self.done {
                        0 => vacuous,
                        _ => self.vacuous.and(vacuous),
                    };
                    self.done += 1;
                    self.open.remove(at);
                    if self.open.is_empty() {
                        report.vacuous = self.vacuous;
                        return Turns::Done(Ok(Outcome::Empty));
                    }
                }
                over_or_done => return over_or_done,
            }
        }
        Turns::Open(last)
    }
}

/// Takes rounds of all lines in turn until one decides or none is left. Who is `asked` may add one more.
pub(super) fn race<'a, 's>(
    mut lines: Vec<Line<'a, 's>>,
    asked: Option<&'a Asked<'a, 's>>,
    explored: &mut Explored<'s>,
    report: &mut Report,
) -> Found {
    let mut lacked = Err(Stop::Work(0));
    for turn in 0.. {
        if let Some(asked) = asked
            && turn == asked.schedule.lengths
        {
            let half = asked.half(explored, report)?;
            lines.splice(0..0, half);
        }
        let mut at = 0;
        while at < lines.len() {
            match lines[at].rounds(turn, explored, report) {
                Turns::Done(found) => return found,
                Turns::Open(_) => at += 1,
                Turns::Over(found) => {
                    // What the question as it is lacked is what the user should know.
                    if lines.remove(at).kind == Kind::Whole {
                        lacked = found;
                    }
                }
            }
        }
        if lines.is_empty() {
            break;
        }
        if let Some(asked) = asked
            && turn == 0
        {
            asked.divide(&mut lines, explored)?;
        }
    }
    lacked
}

/// The question, in the form that facts have given it, and how large the net is that reductions leave of it.
pub(super) struct Asked<'a, 's> {
    pub query: &'a Query<'a, 's>,
    pub schedule: &'a Schedule,
    pub learned: &'a Learned,
    pub usual: usize,
}

impl<'a, 's> Asked<'a, 's> {
    /// What is left of the question after the first steps; nothing if it has no such form.
    pub fn groups(&self, explored: &Explored<'s>) -> Result<Vec<Group<'s>>, Stop> {
        let found = groups(self.query, self.learned, explored)?;
        Ok(found.unwrap_or_default())
    }

    /// The line of what is left after the first steps, if all nets are much smaller then.
    pub fn later<'g>(
        &self,
        groups: &'g [Group<'s>],
        explored: &mut Explored<'s>,
        report: &mut Report,
    ) -> Result<Option<Line<'g, 's>>, Stop>
    where
        'a: 'g,
    {
        let begun = self.query.budget.elapsed();
        let mut smaller = Vec::with_capacity(groups.len());
        for group in groups {
            let query = self.about(group);
            let reduced = learn::reduce(&query, &group.learned, Joining::Invariant, explored)?;
            let Some(reduced) = reduced else {
                return Ok(None);
            };
            let size = learn::size(reduced.subject.system());
            if !is_worthwhile(size, self.usual, self.schedule) {
                return Ok(None);
            }
            smaller.push((group, query, reduced, size));
        }
        let Some(largest) = smaller.iter().map(|(.., size)| *size).max() else {
            return Ok(None);
        };
        let starts: usize = groups
            .iter()
            .map(|g| g.subject.system().initial.len())
            .sum();
        let outcome = format!(
            "{} left from {}, about {largest} places and transitions instead of {}",
            counted(groups.len(), "question"),
            counted(starts, "state"),
            self.usual
        );
        let why =
            "`X` is at the top only: what is left after the first steps does not mind repetitions";
        report
            .trail
            .push(self.attempt(PROGRESSION, outcome, why, begun));
        let mut open = Vec::with_capacity(smaller.len());
        for (group, query, reduced, _) in smaller {
            let Self { schedule, .. } = *self;
            let mut portfolio = Portfolio::new(query, schedule);
            let about = learn::about(&query, reduced, &group.learned, schedule, explored, report)?;
            portfolio.reduced = Some(about);
            portfolio.learned = Some(group.learned.clone());
            portfolio.choose(group.learned.boundedness, 0.0);
            open.push(portfolio);
        }
        Ok(Some(Line::of(open, Kind::Later)))
    }

    /// The query about a group.
    fn about<'g>(&self, group: &'g Group<'s>) -> Query<'g, 's>
    where
        'a: 'g,
    {
        Query {
            subject: &group.subject,
            formulas: &group.learned.formulas,
            property: group.learned.property(),
            ahead: group.ahead,
            ..*self.query
        }
    }

    /// The line of a net of which one answer counts, if there is one that is much smaller.
    fn half(
        &'a self,
        explored: &mut Explored<'s>,
        report: &mut Report,
    ) -> Result<Option<Line<'a, 's>>, Stop> {
        let Self {
            query,
            schedule,
            learned,
            usual,
        } = *self;
        if schedule.without.contains(Technique::Lengths) {
            return Ok(None);
        }
        let begun = query.budget.elapsed();
        let Some((reduced, counts)) = shorter(query, learned, usual, schedule, explored)? else {
            return Ok(None);
        };
        let smaller = learn::about(query, reduced, learned, schedule, explored, report)?;
        let outcome = in_words(&smaller, usual, counts);
        let why = "steps are joined although that makes runs shorter: violations mind it in one direction only";
        report
            .trail
            .push(self.attempt(LENGTHS, outcome, why, begun));
        let mut portfolio = Portfolio::new(*query, schedule);
        portfolio.reduced = Some(smaller);
        portfolio.half = Some(counts);
        portfolio.choose(learned.boundedness, 0.0);
        Ok(Some(Line::of(vec![portfolio], Kind::Half)))
    }

    /// Whoever divides by symmetries of places joins those who are asked about the whole question.
    fn divide(&self, lines: &mut [Line<'_, 's>], explored: &mut Explored<'s>) -> Result<(), Stop> {
        let whole = lines.iter_mut().find(|line| line.kind == Kind::Whole);
        let Some(portfolio) = whole.and_then(|line| line.open.first_mut()) else {
            return Ok(());
        };
        let (query, learned) = (self.query, Some(self.learned));
        let joins = symmetries::of_places(query, learned, self.schedule, explored)?;
        joins.into_iter().for_each(|joins| portfolio.join(joins));
        Ok(())
    }

    /// A line of the trail.
    fn attempt(
        &self,
        engine: &'static str,
        outcome: String,
        why: &str,
        begun: Duration,
    ) -> Attempt {
        Attempt {
            engine,
            outcome,
            why: why.to_owned(),
            work: 0,
            time: self.query.budget.elapsed().saturating_sub(begun),
        }
    }
}

/// So many of something.
fn counted(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
