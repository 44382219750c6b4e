//! The portfolio: which engines are tried, in which order, and why.
//!
//! Small models end in a glance at their states, and many violations in a few walks. Then it is asked what can be known of a net without any search
//! ([`lariat_facts`]): constant atoms, finite runs, automata without what no run does. For what is left of the property the net is made
//! smaller, and engines are asked about the smaller one. Most
//! counterexamples are near the initial state, so a short explicit search comes next. Where that is
//! not enough, programs go on as single states. Nets go on in *rounds*: every engine of the field
//! gets so much work, those most likely to finish first, and in the next round several times as much.
//! So no engine that never ends keeps others from the answer, and what is done again is a small part of the
//! whole. An engine that ran out of memory, or that cannot answer such questions, leaves the field.
//!
//! Who is in the field depends on the [features](crate::features) of the question. On nets of the contest `hyb`
//! decides most of all engines on sets. On generated ones (`campaigns/slap.toml`) `slap-fst` never
//! fails where formulas hold; where they are violated `sop` is best if the formula is stutter-invariant, and
//! `slap` if not.
//!
//! Work is counted, never the clock: the same question is answered by the same engines in every run. What an engine
//! held is given back before the next one starts, but for the reachable states, which are kept for the next property.

mod learn;
mod schedule;
mod technique;

pub use schedule::Schedule;
pub use technique::{LeftOut, Technique};

use crate::check::{Attempt, Query, Report, Turn, Unliftable, once_more};
use crate::explored::Explored;
use crate::features::{Boundedness, Features};
use crate::plan::Plan;
use crate::prepare::prepare;
use crate::subject::Subject;
use lariat_budget::Stop;
use lariat_engines::{Found, Outcome, Problem};
use lariat_model::{Strength, Value};
use learn::{FACTS, Learned, learn};

/// Product states from which on several workers search them together: for fewer it is not worth starting threads, and with one worker
/// everything repeats.
const WORTH_SHARING: u64 = 1_000_000;

/// A plan, how much it may create, and why it is tried.
#[derive(Clone)]
struct Candidate {
    plan: Plan,
    work: u64,
    /// See [`lariat_engines::Problem::most_tokens`].
    most_tokens: Option<Value>,
    why: String,
}

impl Candidate {
    /// What it is, if that can be left out.
    fn technique(&self) -> Option<Technique> {
        match self.plan.name {
            "walk" => Some(Technique::Walk),
            "hyb" => Some(Technique::Saturation),
            "explicit" | "sym" => None,
            _ => Some(Technique::Sets),
        }
    }
}

fn candidate(preset: &str, work: u64, why: impl Into<String>) -> Candidate {
    Candidate {
        plan: Plan::of(preset),
        work,
        most_tokens: None,
        why: why.into(),
    }
}

/// Before anything else is found out: small models end here, for less than facts about them would cost.
fn glance(schedule: &Schedule) -> Candidate {
    candidate("explicit", schedule.glance, "small models end here")
}

/// Next, still before facts: what almost any run shows need not be searched for.
fn stroll(schedule: &Schedule) -> Candidate {
    let why = "many violations show on almost any run";
    candidate("walk", schedule.walk, why)
}

/// Before the rounds.
fn first_look(features: &Features, schedule: &Schedule) -> Vec<Candidate> {
    let look = schedule.first_look;
    if !features.net {
        return vec![candidate(
            "explicit",
            u64::MAX,
            "steps of programs and tables are quick to take and slow to learn as relations of sets",
        )];
    }
    let (engine, why) = match features.symmetries > 0.0 {
        false => ("explicit", "most counterexamples are near"),
        true => (
            "sym",
            "most counterexamples are near, and many states differ by symmetries that the property cannot tell apart",
        ),
    };
    let work = match features.symmetries >= schedule.many_symmetries {
        true => look.saturating_mul(schedule.symmetric_look),
        false => look,
    };
    let mut turns = vec![candidate(engine, work, why)];
    if features.grows {
        let low = candidate(
            engine,
            look,
            "the net may be unbounded, and a depth-first search would run away: first where there are few tokens",
        );
        turns.push(Candidate {
            most_tokens: Some(features.tokens.max(schedule.few_tokens)),
            ..low
        });
    }
    turns
}

/// Who takes part in the rounds, the most promising first, with the work of the first round.
fn field(features: &Features, schedule: &Schedule) -> Vec<Candidate> {
    if !features.net {
        return Vec::new();
    }
    let Features {
        observed,
        visible,
        events,
        ..
    } = features;
    let look = schedule.first_look;
    let saturation_work = look.saturating_mul(schedule.saturation);
    let sets_work = look.saturating_mul(schedule.sets);
    let saturation = candidate(
        "hyb",
        saturation_work,
        "sets of states; cycles are found while the product grows, also where there is no end to it",
    );
    let single = candidate(
        "explicit",
        look,
        "what sets cannot hold, single states may decide",
    );
    let sets = if features.stutters && features.is_local() {
        candidate(
            "sop",
            sets_work,
            format!(
                "a stutter-invariant property, and {visible} of {events} events are visible to its {observed} propositions: sets closed under the others"
            ),
        )
    } else {
        let reason = match features.stutters {
            true => "most events are visible",
            false => "not known to be stutter-invariant",
        };
        let why = format!("{reason}: sets closed under self-loops of the automaton");
        candidate("slap", sets_work, why)
    };
    let fixpoints = candidate(
        "slap-fst",
        sets_work,
        match features.safety {
            true => "a safety property: what is to be found is a state, not a cycle",
            false => "sets, with fixpoints where the automaton cannot leave",
        },
    );
    let walk = candidate(
        "walk",
        schedule.walk.saturating_mul(schedule.growth),
        "longer walks, directed at what the automaton waits for",
    );
    let mut field = match features.safety {
        true => vec![walk, saturation, fixpoints, single, sets],
        false => vec![walk, saturation, single, sets, fixpoints],
    };
    if features.symmetries >= schedule.many_symmetries {
        // What is left of single states modulo so many symmetries is all there is to be searched.
        let why = "many symmetries: there are far fewer states than there seem to be";
        for turn in &mut field {
            if turn.plan.name == "explicit" {
                *turn = candidate("sym", look, why);
            }
        }
    }
    field
}

/// Leaves those in the field who know fairness of this strength, and adds one on sets who knows any, of any number of constraints.
fn of_fairness(field: &mut Vec<Candidate>, asked: Strength, schedule: &Schedule) {
    field.retain(|candidate| candidate.plan.accepts(asked).is_ok());
    field.push(candidate(
        "el",
        schedule.first_look.saturating_mul(schedule.sets),
        "sets, with a fixpoint that knows every kind of fairness",
    ));
}

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
    if !schedule.without.contains(Technique::Symmetries) {
        features.symmetries = symmetries_kept(query, &learned, explored)?;
    }
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

/// The symmetries of the net as it was read that the property cannot tell apart: the logarithm of their number.
fn symmetries_kept<'s>(
    query: &Query<'_, 's>,
    learned: &Learned,
    explored: &mut Explored<'s>,
) -> Result<f64, Stop> {
    if !query.subject.constraints().is_empty() {
        // Nobody who divides by symmetries knows fairness.
        return Ok(0.0);
    }
    if query.subject.coloured().is_none() {
        // Symmetries of places do not survive reductions, which are worth more on some nets and less on others.
        return Ok(0.0);
    }
    let symmetry = explored.symmetry(query.subject, query.budget)?;
    if symmetry.is_trivial() {
        return Ok(0.0);
    }
    let plan = Plan::of("sym");
    let (formulas, property) = (&learned.formulas, learned.property_for(&plan));
    let prepared = prepare(query.subject, formulas, property, &plan, query.budget)?;
    let problem = Problem::new(
        query.subject.system(),
        &prepared.automaton,
        &prepared.propositions,
        query.options.deadlock,
    );
    lariat_engines::symmetries_kept(&problem, &symmetry, query.budget)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A liveness property of one proposition that few events touch, free of `X`.
    const PLAIN: Features = Features {
        net: true,
        tokens: 1,
        grows: false,
        safety: false,
        stutters: true,
        observed: 1,
        visible: 2,
        events: 10,
        symmetries: 0.0,
    };

    fn engines(features: &Features) -> Vec<&'static str> {
        let field = field(features, &Schedule::default());
        field.iter().map(|candidate| candidate.plan.name).collect()
    }

    #[test]
    fn the_question_decides_who_takes_part() {
        assert_eq!(
            engines(&PLAIN),
            ["walk", "hyb", "explicit", "sop", "slap-fst"]
        );
        let visible = Features {
            visible: 9,
            ..PLAIN
        };
        assert_eq!(
            engines(&visible),
            ["walk", "hyb", "explicit", "slap", "slap-fst"]
        );
        let with_next = Features {
            stutters: false,
            safety: true,
            ..PLAIN
        };
        assert_eq!(
            engines(&with_next),
            ["walk", "hyb", "slap-fst", "explicit", "slap"]
        );
        let program = Features {
            net: false,
            ..PLAIN
        };
        assert!(field(&program, &Schedule::default()).is_empty());
        assert_eq!(first_look(&program, &Schedule::default()).len(), 1);
    }

    #[test]
    fn symmetries_are_used_first_and_many_of_them_for_ever() {
        let few = Features {
            symmetries: 0.3,
            ..PLAIN
        };
        let look = |features: &Features| first_look(features, &Schedule::default())[0].plan.name;
        assert_eq!((look(&PLAIN), look(&few)), ("explicit", "sym"));
        assert!(engines(&few).contains(&"explicit"));
        let many = Features {
            symmetries: 5.0,
            ..PLAIN
        };
        assert_eq!(engines(&many), ["walk", "hyb", "sym", "sop", "slap-fst"]);
    }

    #[test]
    fn fairness_is_for_those_who_know_it() {
        let schedule = Schedule::default();
        let fair = |asked| {
            let mut field = field(&PLAIN, &schedule);
            of_fairness(&mut field, asked, &schedule);
            let names = field.iter().map(|candidate| candidate.plan.name);
            names.collect::<Vec<_>>()
        };
        assert_eq!(
            fair(Strength::Weak),
            ["walk", "hyb", "explicit", "sop", "slap-fst", "el"]
        );
        assert_eq!(fair(Strength::Strong), ["explicit", "slap-fst", "el"]);
    }

    #[test]
    fn nets_that_may_grow_are_looked_at_where_there_are_few_tokens() {
        let most = |features: &Features| -> Vec<Option<Value>> {
            let turns = first_look(features, &Schedule::default());
            turns.iter().map(|turn| turn.most_tokens).collect()
        };
        assert_eq!(most(&PLAIN), [None]);
        let grows = Features {
            grows: true,
            tokens: 7,
            ..PLAIN
        };
        assert_eq!(most(&grows), [None, Some(7)]);
    }
}
