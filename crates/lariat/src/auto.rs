//! The portfolio: which engines are tried, in which order, and why.
//!
//! Small models end in a glance at their states, and many violations in a few walks. Then it is asked what can be known of a net without any search
//! ([`lariat_facts`]): constant atoms, finite runs, automata without what no run does. For what is left of the property the net is made
//! smaller, and engines are asked about the smaller one. Most
//! counterexamples are near the initial state, so a short explicit search comes next. Where that is
//! not enough, programs go on as single states. Nets go on in *rounds*: every engine of the field
//! gets so much work, those most likely to finish first, and in the next round several times as much.
//! So no engine that never ends keeps others from the answer, and what is done again is a small part of the
//! whole. An engine that ran out of memory, or that cannot answer such questions, leaves the field. Symmetries have turns of their own (`symmetries.rs`).
//!
//! Who is in the field depends on the [features](crate::features) of the question. On nets of the contest `hyb`
//! decides most of all engines on sets. On generated ones (`campaigns/slap.toml`) `slap-fst` never
//! fails where formulas hold; where they are violated `sop` is best if the formula is stutter-invariant, and
//! `slap` if not.
//!
//! Work is counted, never the clock: the same question is answered by the same engines in every run. What an engine
//! held is given back before the next one starts, but for the reachable states, which are kept for the next property.

mod field;
mod learn;
mod schedule;
mod symmetries;
mod technique;

pub use schedule::Schedule;
pub use technique::{LeftOut, Technique};

use crate::check::{Attempt, Query, Report, Turn, Unliftable, once_more};
use crate::explored::Explored;
use crate::features::{Boundedness, Features};
use crate::plan::Plan;
use crate::subject::Subject;
use field::{Candidate, field, first_look, glance, of_fairness, stroll};
use lariat_budget::Stop;
use lariat_engines::{Found, Outcome};
use learn::{FACTS, Learned, learn};
use symmetries::Origin;

/// Product states from which on several workers search them together: for fewer it is not worth starting threads, and with one worker
/// everything repeats.
const WORTH_SHARING: u64 = 1_000_000;

/// Tries the engines in turn until one decides.
pub(crate) fn run<'s>(
    query: &Query<'_, 's>,
    schedule: &Schedule,
    explored: &mut Explored<'s>,
    report: &mut Report,
) -> Found {
    let open = Boundedness::Open;
    let features = Features::of(query.subject, query.formulas, query.property, open);
    let mut portfolio = Portfolio {
        query: *query,
        learned: None,
        reduced: None,
        schedule,
        field: Vec::new(),
        starved: false,
    };
    if !features.net {
        portfolio.field = field(&features, schedule);
        return portfolio.rounds(first_look(&features, schedule), explored, report);
    }
    let mut begin = vec![glance(schedule)];
    if !schedule.without.contains(Technique::Walk) {
        begin.push(stroll(schedule));
    }
    if let Some(found) = portfolio.turns(begin, 0, explored, report).done() {
        return found;
    }
    let begin = symmetries::glance(query, schedule, explored)?;
    if let Some(found) = portfolio.turns(begin, 0, explored, report).done() {
        return found;
    }
    let learned = match schedule.without.contains(Technique::Facts) {
        true => learn::nothing(query)?,
        false => learn(query, explored, report)?,
    };
    if learned.leaves_nothing() {
        return decided_by_facts(query, &learned, explored, report);
    }
    let reduced = learn::reduce(query, &learned, schedule, explored, report)?;
    if let Some((subject, smaller)) = &reduced
        && smaller.leaves_nothing()
    {
        let query = Query { subject, ..*query };
        return decided_by_facts(&query, smaller, explored, report);
    }
    let (subject, left) = match &reduced {
        Some((subject, smaller)) => (subject, smaller),
        None => (query.subject, &learned),
    };
    let known = learned.boundedness;
    let mut features = Features::of(subject, &left.formulas, left.property(), known);
    features.symmetries =
        symmetries::kept(query, Some(&learned), Origin::Colours, schedule, explored)?;
    portfolio.reduced = reduced;
    portfolio.learned = Some(learned);
    portfolio.field = field(&features, schedule);
    if let Some(asked) = query.subject.fairness().strength() {
        of_fairness(&mut portfolio.field, asked, schedule);
    }
    let kept = |turn: &Candidate| {
        !turn
            .technique()
            .is_some_and(|t| schedule.without.contains(t))
    };
    portfolio.field.retain(kept);
    portfolio.rounds(first_look(&features, schedule), explored, report)
}

/// The end of a question of which facts have left nothing: the empty automaton is searched as any other, which takes no time and
/// asks what is to be asked of every answer.
fn decided_by_facts<'s>(
    query: &Query<'_, 's>,
    learned: &Learned,
    explored: &mut Explored<'s>,
    report: &mut Report,
) -> Found {
    let plan = Plan::of("explicit");
    let query = Query {
        formulas: &learned.formulas,
        property: learned.property_for(&plan),
        ..*query
    };
    let found = query.run(&Turn::whole(plan, query.budget), explored, report);
    report.engine = FACTS;
    found.unwrap_or_else(|Unliftable(why)| Err(Stop::Internal(why)))
}

/// The engines that are left, and the question that they are asked.
struct Portfolio<'a, 's> {
    query: Query<'a, 's>,
    /// The question in the form that facts have given it.
    learned: Option<Learned>,
    /// The reduced net and the question about it, as long as runs found there have a way back.
    reduced: Option<(Subject<'s>, Learned)>,
    schedule: &'a Schedule,
    field: Vec<Candidate>,
    /// Did an engine run out of memory?
    starved: bool,
}

/// How some turns ended.
enum Turns {
    /// Nobody need try any more.
    Done(Found),
    /// Others may; this is what the last one said.
    Open(Found),
}

impl Turns {
    fn done(self) -> Option<Found> {
        match self {
            Turns::Done(found) => Some(found),
            Turns::Open(_) => None,
        }
    }
}

impl<'s> Portfolio<'_, 's> {
    /// The first turns, then rounds until somebody decides or nobody is left.
    fn rounds(
        mut self,
        first: Vec<Candidate>,
        explored: &mut Explored<'s>,
        report: &mut Report,
    ) -> Found {
        let mut candidates = first;
        let mut round = 0;
        loop {
            let last = match self.turns(candidates, round, explored, report) {
                Turns::Done(found) => return found,
                Turns::Open(last) => last,
            };
            // Walks alone never come to an end.
            if !self.field.iter().any(|other| other.plan.is_complete()) {
                // More memory is what would have helped, whatever the last one lacked.
                return if self.starved {
                    Err(Stop::Memory)
                } else {
                    last
                };
            }
            // The first look was the first round of the explicit search.
            let looked = |plan: &Plan| plan.has_single_states() && plan.is_complete();
            let is_due = |other: &&Candidate| round > 0 || !looked(&other.plan);
            candidates = self.field.iter().filter(is_due).cloned().collect();
            if round == 0 {
                let learned = self.learned.as_ref();
                let joins = symmetries::of_places(&self.query, learned, self.schedule, explored)?;
                candidates.splice(0..0, joins.clone());
                self.field.splice(0..0, joins);
            }
            for candidate in &mut self.field {
                candidate.work = candidate.work.saturating_mul(self.schedule.growth);
            }
            round += 1;
        }
    }

    /// Some engines one after the other. Those who can do no more leave the field.
    fn turns(
        &mut self,
        candidates: Vec<Candidate>,
        round: u32,
        explored: &mut Explored<'s>,
        report: &mut Report,
    ) -> Turns {
        let budget = self.query.budget;
        let mut last = Err(Stop::Work(0));
        for candidate in candidates {
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
        let reduced = self.reduced.as_ref().filter(|_| !turn.plan.divides());
        if let Some((subject, learned)) = reduced {
            let query = Query {
                subject,
                formulas: &learned.formulas,
                property: learned.property_for(&turn.plan),
                ..self.query
            };
            match query.run(turn, explored, report) {
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
}
