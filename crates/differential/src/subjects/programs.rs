//! Subjects that get the system of a case as a program: a [`Model`] that interprets it.
//!
//! The interpreter is that of the oracle, so the engines see neither variables nor events. Half of the
//! cases pack their states.

use super::asking::PATIENCE;
use lariat::modelling::{Checker, Model, Report};
use lariat::{EngineId, Verdict};
use lariat_model::{EventId, Lasso, Predicate, Proposition, State, Strength, System, Value};
use lariat_testkit::{Answer, Case, Subject, interpret};
use std::num::NonZeroUsize;
use std::time::Duration;

/// A system as a program.
struct Interpreted {
    system: System,
    packs: bool,
}

impl Model for Interpreted {
    type State = State;
    type Action = (EventId, State);

    fn initial(&self) -> Vec<State> {
        self.system.initial.clone()
    }

    fn actions(&self, state: &State, actions: &mut Vec<(EventId, State)>) {
        actions.extend(interpret::steps(&self.system, state));
    }

    fn next(&self, _: &State, (_, target): &(EventId, State)) -> Option<State> {
        Some(target.clone())
    }

    fn pack(&self, state: &State, bytes: &mut Vec<u8>) -> bool {
        for value in state.iter() {
            // Most values are small; the others follow a sign that is none of them.
            match u8::try_from(*value) {
                Ok(value) if value < u8::MAX => bytes.push(value),
                _ => {
                    bytes.push(u8::MAX);
                    bytes.extend(value.to_le_bytes());
                }
            }
        }
        self.packs
    }

    fn unpack(&self, mut bytes: &[u8]) -> Option<State> {
        let mut values = Vec::new();
        while let Some((first, rest)) = bytes.split_first() {
            bytes = rest;
            let value = match *first {
                u8::MAX => {
                    let (value, rest) = bytes.split_first_chunk()?;
                    bytes = rest;
                    Value::from_le_bytes(*value)
                }
                small => small.into(),
            };
            values.push(value);
        }
        Some(values.into())
    }
}

/// Returns the engines on single states as checkers of programs, for cases with and without
/// fairness.
pub fn programs() -> Vec<Subject> {
    let of = |engine: EngineId, threads: usize| {
        let name = match threads {
            1 => format!("program-{engine}"),
            _ => format!("program-{engine}-{threads}-threads"),
        };
        let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
        let ask = move |case: &Case| answer(case, engine, threads);
        Subject::new(&name, ask).only(is_supported)
    };
    // Starting threads, and walks until their time is over, take longer than small cases.
    let some = |case: &Case| is_supported(case) && case.formula.size() % 4 == 1;
    let testing =
        |case: &Case| case.formula.uses_next() || case.uses_events() || !case.fairness.is_empty();
    let strong = |case: &Case| case.fairness.iter().any(|c| c.strength == Strength::Strong);
    vec![
        of(EngineId::Explicit, 1),
        of(EngineId::Explicit, 2).only(some),
        of(EngineId::Ba, 1).may_refuse(strong),
        of(EngineId::Ba, 3).only(some).may_refuse(strong),
        of(EngineId::Ta, 1).may_refuse(testing),
        of(EngineId::Tgta, 1).may_refuse(testing),
        of(EngineId::Walk, 1).only(some).may_give_up(),
    ]
}

/// Returns whether all constraints are fairness of events.
fn is_supported(case: &Case) -> bool {
    { case.fairness.iter() }
        .all(|c| matches!(&c.enabled, Predicate::Enabled(events) if *events == c.taken))
}

/// Time limit of random walks, which never end by themselves if a property holds.
const WALK: Duration = Duration::from_millis(20);

fn answer(case: &Case, engine: EngineId, threads: NonZeroUsize) -> Answer {
    let timeout = match engine {
        EngineId::Walk => WALK,
        _ => PATIENCE,
    };
    let model = Interpreted {
        system: case.system.clone(),
        packs: case.formula.size().is_multiple_of(2),
    };
    let mut checker = Checker::new(model)
        .engine(engine)
        .threads(threads)
        .deadlock(case.deadlock)
        .timeout(timeout);
    let names: Vec<String> = (0..case.atoms.len()).map(|i| format!("<{i}>")).collect();
    for (name, atom) in names.iter().zip(&case.atoms) {
        checker = match atom.proposition.clone() {
            Proposition::State(predicate) => {
                let system = case.system.clone();
                checker.atom(name, move |state: &State| {
                    interpret::satisfies(&system, state, &predicate)
                })
            }
            Proposition::Fires(events) => {
                checker.action_atom(name, move |_, (event, _)| events.contains(event))
            }
        };
    }
    for (i, constraint) in case.fairness.iter().enumerate() {
        let (class, events) = (format!("class {i}"), constraint.taken.clone());
        let taken = move |_: &State, (event, _): &(EventId, State)| events.contains(event);
        checker = match constraint.strength {
            Strength::Weak => checker.weak_fairness(&class, taken),
            Strength::Strong => checker.strong_fairness(&class, taken),
        };
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    match checker.check(&case.formula.text(&quoted)) {
        Ok(report) => judged(case, &report),
        Err(error) => Answer::Unknown(match error {
            lariat::Error::Options(why) => why,
            error => format!("internal: {error}"),
        }),
    }
}

fn judged(case: &Case, report: &Report<Interpreted>) -> Answer {
    match (report.verdict(), report.trace()) {
        (Verdict::Holds, _) => {
            if report.to_json().get("vacuous").is_some() == case.has_fair_run() {
                return Answer::Unknown("internal: wrong about the existence of runs".to_owned());
            }
            Answer::Holds
        }
        (Verdict::Violated(_), Some(trace)) => {
            let states: Vec<&State> = trace.states().collect();
            let step = |(i, step): (usize, &lariat::modelling::TraceStep<Interpreted>)| {
                let event = step.action.as_ref().map(|(event, _)| *event);
                (event, states[i + 1].clone())
            };
            let mut steps = trace.steps().enumerate().map(step);
            let entry = trace.loop_start().unwrap_or(trace.len());
            let prefix: Vec<_> = steps.by_ref().take(entry).collect();
            Answer::Violated(Lasso::through(states[0].clone(), prefix, steps))
        }
        (Verdict::Violated(_), None) => Answer::Unknown("internal: no trace".to_owned()),
        (Verdict::Unknown(reason), _) => Answer::Unknown(reason.to_string()),
    }
}
