//! Questions about reachable states against brute force, on random nets and programs.
//!
//! A case is a model with questions. If brute force can explore all states, every answer must agree
//! with it, and complete engines must answer. Otherwise answers must not be contradicted by the
//! states near the initial one. The interpreter of crate `testkit` replays all witnesses.

use lariat::internals::ask::examination::{Examination, places, total, transitions};
use lariat::internals::ask::{
    AskOptions, AskSchedule, EarnedAnswer, EarnedReply, QuestionEngine, StateQuestion, StopRule,
    ask,
};
use lariat::internals::{RunContext, SpaceCache, Systems};
use lariat_budget::Budget;
use lariat_formats::{LoadedModel, ModelFormat, read};
use lariat_model::{Predicate, State, System};
use lariat_testkit::oracle::Reachable;
use lariat_testkit::questions::{follow, is_reached, most, nearest, stays_reachable, value};
use lariat_testkit::{Random, coloured, guarded, nets, predicates, programs, reducible};
use std::ops::ControlFlow;

/// Limit on the states of brute force.
const CUT: usize = 3000;
/// Number of states near the initial one, for models with more than `CUT` states.
const NEAR: usize = 600;
/// Work limit of a subject that need not answer.
const WORK: u64 = 40_000;
/// Work limit of a subject that must answer, far above the need of small models.
const WORK_FOR_ANSWER: u64 = 100 * WORK;

/// A model with questions.
pub struct Case {
    /// The family of the model.
    pub family: &'static str,
    /// The model.
    pub model: LoadedModel,
    /// The questions.
    pub questions: Vec<StateQuestion>,
}

/// Options of the engines under test.
pub struct Subject {
    /// The name in reports.
    pub name: &'static str,
    options: AskOptions,
    /// True if it must answer all questions about a small model.
    complete: bool,
}

/// Counters of a campaign.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    /// Models.
    pub models: u64,
    /// Models with more than `CUT` states.
    pub endless: u64,
    /// Coloured nets.
    pub coloured: u64,
    /// Models with a deadlock.
    pub dead: u64,
    /// Answers that were compared with brute force or replayed.
    pub answers: u64,
    /// Replayed runs.
    pub runs: u64,
    /// Sums without a maximum.
    pub unbounded: u64,
    /// Unanswered questions.
    pub open: u64,
}

impl Case {
    /// Generates a model with questions.
    pub fn random(seed: u64) -> Case {
        let mut rng = Random::new(seed);
        let net = |system: System| LoadedModel::new(ModelFormat::Pnml, system);
        let (family, model) = match rng.below(8) {
            0..=2 => ("net", net(nets::random(&mut rng, 400))),
            3 => ("any net", net(nets::any(&mut rng))),
            4 => ("growing net", net(nets::growing(&mut rng))),
            5 | 6 => ("coloured net", coloured_model(&mut rng)),
            _ => {
                let system = programs::random(&mut rng, 200);
                ("program", LoadedModel::new(ModelFormat::Dve, system))
            }
        };
        let questions = questions(&mut rng, &model);
        Case {
            family,
            model,
            questions,
        }
    }

    /// Generates a net with inhibitor, reset and read arcs.
    pub fn guarded(seed: u64) -> Case {
        let mut rng = Random::new(seed);
        let net = match rng.below(3) {
            0 => nets::any(&mut rng),
            _ => nets::random(&mut rng, 400),
        };
        let system = guarded::added(&mut rng, net);
        let model = LoadedModel::new(ModelFormat::Pnml, system);
        let questions = questions(&mut rng, &model);
        Case {
            family: "guarded net",
            model,
            questions,
        }
    }

    /// Generates a net on which reduction rules apply, or almost, with few questions.
    pub fn reducible(seed: u64) -> Case {
        let mut rng = Random::new(seed);
        let net = nets::any(&mut rng);
        let system = reducible::added(&mut rng, net);
        let mut questions = vec![StateQuestion::Reach(Predicate::Deadlock)];
        let predicate = predicates::any(&mut rng, &system, 1);
        let var = *rng.one_of(&system.var_ids().collect::<Vec<_>>());
        match rng.below(4) {
            0 => questions.push(StateQuestion::Reach(predicate)),
            1 => questions = vec![StateQuestion::Always(predicate)],
            2 => questions.push(StateQuestion::Most(vec![(var, 1)])),
            _ => {}
        }
        Case {
            family: "reducible net",
            model: LoadedModel::new(ModelFormat::Pnml, system),
            questions,
        }
    }
}

/// Generates a coloured net that can be read: some have too many bindings.
fn coloured_model(rng: &mut Random) -> LoadedModel {
    loop {
        let text = coloured::random(rng);
        if let Ok(model) = read("random", text.as_bytes()) {
            return model;
        }
    }
}

fn questions(rng: &mut Random, model: &LoadedModel) -> Vec<StateQuestion> {
    let system = &model.system;
    let mut questions = vec![StateQuestion::Reach(Predicate::Deadlock)];
    let bare = system.events.is_empty() || system.variables.is_empty();
    let predicate = |rng: &mut Random| {
        if bare {
            Predicate::Const(rng.coin())
        } else {
            predicates::any(rng, system, 2)
        }
    };
    for _ in 0..4 {
        questions.push(StateQuestion::Reach(predicate(rng)));
    }
    questions.push(StateQuestion::Always(predicate(rng)));
    for (_, vars) in places(model) {
        questions.push(StateQuestion::Most(total(&vars)));
    }
    let weighted = system.var_ids().map(|var| (var, rng.between(-1, 2)));
    questions.push(StateQuestion::Most(
        weighted.filter(|(_, w)| *w != 0).collect(),
    ));
    let all = [
        Examination::OneSafe,
        Examination::Stable,
        Examination::QuasiLive,
        Examination::Live,
    ];
    for examination in all {
        questions.extend(examination.questions(model).into_iter().map(|(_, q)| q));
    }
    debug_assert!(transitions(model).len() <= questions.len());
    questions
}

/// Returns the subjects: `auto`, `auto` with small limits to reach its rounds, and each engine.
pub fn subjects() -> Vec<Subject> {
    let quick = AskSchedule {
        walk: 3000,
        first_look: 4000,
        tree: 500,
        ..AskSchedule::default()
    };
    let only = |name: &'static str, asker: QuestionEngine, complete: bool| Subject {
        name,
        complete,
        options: AskOptions {
            askers: vec![asker],
            schedule: quick,
            reduce: false,
            ..AskOptions::default()
        },
    };
    let rounds = AskSchedule {
        glance: 1,
        walk: 1,
        first_look: 100,
        tree: 50,
        ..AskSchedule::default()
    };
    let reduced = |name: &'static str, askers: Vec<QuestionEngine>, complete: bool| Subject {
        name,
        complete,
        options: AskOptions {
            askers,
            schedule: rounds,
            ..AskOptions::default()
        },
    };
    vec![
        Subject {
            name: "auto",
            options: AskOptions {
                schedule: quick,
                ..AskOptions::default()
            },
            complete: true,
        },
        reduced("auto-rounds", QuestionEngine::ALL.to_vec(), true),
        reduced("explicit-reduced", vec![QuestionEngine::Explicit], true),
        reduced("symbolic-reduced", vec![QuestionEngine::Sets], true),
        reduced("walk-reduced", vec![QuestionEngine::Walk], false),
        only("explicit", QuestionEngine::Explicit, true),
        only("symbolic", QuestionEngine::Sets, true),
        only("walk", QuestionEngine::Walk, false),
        only("facts", QuestionEngine::Facts, false),
        only("karp-miller", QuestionEngine::KarpMiller, false),
    ]
}

impl Subject {
    /// Returns its answers within a work limit.
    pub fn answers(&self, case: &Case, work: u64) -> Vec<EarnedReply> {
        let systems = Systems::new();
        let mut explored = SpaceCache::new(&systems);
        let budget = Budget::bytes(256 << 20).with_work(work);
        let (model, questions, ctx) = (&case.model, &case.questions, RunContext::quiet(&budget));
        let mut replies: Vec<Option<EarnedReply>> = vec![None; questions.len()];
        let mut on = |q: usize, reply: EarnedReply| {
            replies[q] = Some(reply);
            ControlFlow::Continue(())
        };
        ask(model, questions, &self.options, &mut explored, ctx, &mut on);
        replies.into_iter().flatten().collect()
    }
}

/// Runs all subjects; the error describes the first wrong answer.
pub fn judge(case: &Case, subjects: &[Subject], tally: &mut Tally) -> Result<(), String> {
    let system = &case.model.system;
    let graph = Reachable::explore(system, CUT);
    let near = match &graph {
        Some(graph) => graph.states.clone(),
        None => nearest(system, NEAR),
    };
    tally.models += 1;
    tally.endless += u64::from(graph.is_none());
    tally.coloured += u64::from(case.model.coloured.is_some());
    let dead = |graph: &Reachable| is_reached(system, graph, &Predicate::Deadlock);
    tally.dead += u64::from(graph.as_ref().is_some_and(dead));
    for subject in subjects {
        let must_answer = subject.complete && graph.is_some();
        let replies = subject.answers(case, if must_answer { WORK_FOR_ANSWER } else { WORK });
        for (question, reply) in case.questions.iter().zip(&replies) {
            let graph = graph.as_ref();
            let judged = judge_answer(system, graph, &near, question, &reply.answer, tally);
            let report = |what: &str| {
                format!(
                    "{}: {what}\n  question {question:?}\n  answer {:?} by {}\n  of a {}: {system:?}",
                    subject.name,
                    reply.answer,
                    reply.asker.name(),
                    case.family
                )
            };
            match judged {
                Err(what) => return Err(report(&what)),
                Ok(true) => tally.answers += 1,
                Ok(false) => {
                    tally.open += 1;
                    let EarnedAnswer::Unknown { reason, .. } = &reply.answer else {
                        continue;
                    };
                    if let lariat::internals::Reason::Internal(what) = reason {
                        return Err(report(what));
                    }
                    if must_answer {
                        return Err(report("no answer"));
                    }
                }
            }
        }
    }
    examinations(case, graph.as_ref())
}

/// Compares an answer with brute force; returns false if the question is unanswered.
fn judge_answer(
    system: &System,
    graph: Option<&Reachable>,
    near: &[State],
    question: &StateQuestion,
    answer: &EarnedAnswer,
    tally: &mut Tally,
) -> Result<bool, String> {
    let wrong = |is: bool, what: &str| if is { Err(what.to_owned()) } else { Ok(true) };
    let mut end = |witness: &lariat::internals::ask::Witness| -> Result<State, String> {
        tally.runs += 1;
        let rounds = follow(system, &witness.run(system))?;
        rounds.into_iter().next().ok_or_else(|| "no run".to_owned())
    };
    let satisfies = |state: &State, predicate: &Predicate| {
        lariat_testkit::interpret::satisfies(system, state, predicate)
    };
    match (question, answer) {
        (StateQuestion::Reach(predicate), EarnedAnswer::Reached(run)) => {
            let end = end(run)?;
            wrong(!satisfies(&end, predicate), "the run ends in another state")
        }
        (StateQuestion::Reach(predicate), EarnedAnswer::Never(_)) => {
            let met = near.iter().any(|state| satisfies(state, predicate));
            wrong(met, "there is such a state")
        }
        (
            StateQuestion::Most(terms),
            EarnedAnswer::Most {
                value: most,
                witness,
                ..
            },
        ) => {
            let end = end(witness)?;
            let more = near.iter().any(|state| value(terms, state) > *most);
            wrong(value(terms, &end) != *most, "the run has another value")?;
            wrong(more, "there is a larger value")
        }
        (StateQuestion::Most(terms), EarnedAnswer::Endless(run)) => {
            tally.unbounded += 1;
            tally.runs += 1;
            let rounds = follow(system, &run.run(system))?;
            let grows = rounds
                .windows(2)
                .all(|pair| value(terms, &pair[0]) < value(terms, &pair[1]));
            wrong(graph.is_some(), "the states are finitely many")?;
            wrong(
                !grows || rounds.len() < 3,
                "the rounds do not increase the sum",
            )
        }
        (StateQuestion::Always(predicate), EarnedAnswer::Always(_)) => {
            let no = graph.is_some_and(|graph| !stays_reachable(system, graph, predicate));
            wrong(no, "it does not always stay reachable")
        }
        (StateQuestion::Always(predicate), EarnedAnswer::Lost(run, _)) => {
            let end = end(run)?;
            let from = System {
                initial: vec![end],
                ..system.clone()
            };
            let ahead = nearest(&from, CUT);
            let met = ahead.iter().any(|state| satisfies(state, predicate));
            wrong(met, "it can be reached from there")
        }
        (
            StateQuestion::Most(terms),
            EarnedAnswer::Unknown {
                at_least, at_most, ..
            },
        ) => {
            if let Some((low, run)) = at_least {
                let end = end(run)?;
                wrong(value(terms, &end) != *low, "the run has another value")?;
            }
            if let Some((high, _)) = at_most {
                let over = near.iter().any(|state| value(terms, state) > *high);
                wrong(over, "the bound is exceeded")?;
            }
            Ok(false)
        }
        (_, EarnedAnswer::Unknown { .. }) => Ok(false),
        _ => Err("the answer is of another kind".to_owned()),
    }
}

/// Compares the verdicts of all examinations with brute force.
fn examinations(case: &Case, graph: Option<&Reachable>) -> Result<(), String> {
    let Some(graph) = graph else {
        return Ok(());
    };
    let (model, system) = (&case.model, &case.model.system);
    let reach = |q: &StateQuestion| match q {
        StateQuestion::Reach(predicate) => is_reached(system, graph, predicate),
        StateQuestion::Always(predicate) => stays_reachable(system, graph, predicate),
        StateQuestion::Most(terms) => most(graph, terms) > 0,
    };
    for examination in [
        Examination::Deadlock,
        Examination::OneSafe,
        Examination::Stable,
        Examination::QuasiLive,
        Examination::Live,
    ] {
        let asked: Vec<StateQuestion> = (examination.questions(model).into_iter())
            .map(|(_, question)| question)
            .collect();
        let expected = match examination {
            Examination::Deadlock => asked.iter().any(reach),
            Examination::OneSafe => !asked.iter().any(reach),
            Examination::Stable => !asked.iter().all(reach),
            Examination::QuasiLive | Examination::Live => asked.iter().all(reach),
        };
        let systems = Systems::new();
        let mut explored = SpaceCache::new(&systems);
        let options = AskOptions {
            ends: examination.ends(),
            ..AskOptions::default()
        };
        let budget = Budget::bytes(256 << 20).with_work(WORK);
        let mut decides = |_: usize, reply: EarnedReply| examination.decides(reply.answer.kind());
        let ctx = RunContext::quiet(&budget);
        let replies = ask(model, &asked, &options, &mut explored, ctx, &mut decides);
        let verdict = examination.verdict(&replies);
        if verdict != Some(expected) {
            return Err(format!(
                "{examination:?} is {expected}, but the verdict is {verdict:?} for a {}: {system:?}",
                case.family
            ));
        }
        debug_assert!(options.ends == StopRule::WithAll || replies.len() == asked.len());
    }
    Ok(())
}
