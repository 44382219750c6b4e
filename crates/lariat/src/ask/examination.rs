//! Examinations: sets of questions about a whole model, and their combined verdicts.
//!
//! | examination | questions | true if |
//! | --- | --- | --- |
//! | deadlock | `reach deadlock`, once | it is reachable |
//! | one-safe | per place: `reach p >= 2` | none is reachable |
//! | stable | per place: `reach p != m0(p)` | at least one is unreachable |
//! | quasi-live | per transition: `reach fireable(t)` | all are reachable |
//! | live | per transition: `always fireable(t)` | all are always reachable |
//!
//! For a coloured net the marking of a place is its number of tokens of all colours, and a
//! transition is enabled if one of its bindings is.

use super::answer::sum;
use super::{AnswerKind, StateQuestion, StopRule};
use lariat_formats::LoadedModel;
use lariat_model::{Comparison, EventId, Linear, Predicate, Value, VarId};
use std::ops::ControlFlow;

/// A property of a whole model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Examination {
    /// A deadlock is reachable.
    Deadlock,
    /// No place ever contains two tokens.
    OneSafe,
    /// Some place has the same number of tokens in all reachable markings.
    Stable,
    /// Every transition can fire at least once.
    QuasiLive,
    /// Every transition can fire again from every reachable marking.
    Live,
}

/// The places of the file: names, and the variables whose sum is the marking.
pub fn places(model: &LoadedModel) -> Vec<(String, Vec<VarId>)> {
    let system = &model.system;
    match model.coloured_net() {
        None => (system.var_ids())
            .map(|var| (system.variable(var).name.clone(), vec![var]))
            .collect(),
        Some(net) => {
            let names = model.names().by_ids();
            let place = |id: &String| (id.clone(), names.number(id).unwrap_or_default());
            net.places.iter().map(|p| place(&p.name)).collect()
        }
    }
}

/// The transitions of the file: names, and the events of their bindings.
pub fn transitions(model: &LoadedModel) -> Vec<(String, Vec<EventId>)> {
    let system = &model.system;
    match model.coloured_net() {
        None => (system.event_ids())
            .map(|event| (system.event(event).name.clone(), vec![event]))
            .collect(),
        Some(net) => {
            let names = model.names().by_ids();
            let events = |id: &String| (id.clone(), names.events(id).unwrap_or_default());
            net.transitions.iter().map(|t| events(&t.name)).collect()
        }
    }
}

/// The terms of `Σ vars`.
pub fn total(vars: &[VarId]) -> Vec<(VarId, Value)> {
    let mut terms: Vec<(VarId, Value)> = Vec::new();
    let mut vars = vars.to_vec();
    vars.sort_unstable();
    for var in vars {
        match terms.last_mut() {
            Some((last, weight)) if *last == var => *weight += 1,
            _ => terms.push((var, 1)),
        }
    }
    terms
}

fn compare(vars: &[VarId], comparison: Comparison, constant: Value) -> Predicate {
    Predicate::Linear(Linear {
        terms: total(vars),
        comparison,
        constant,
    })
}

/// The predicate that one of the events is enabled.
pub fn fireable(events: &[EventId]) -> Predicate {
    if events.is_empty() {
        Predicate::Const(false)
    } else {
        Predicate::Enabled(events.to_vec())
    }
}

impl Examination {
    /// The questions, each with the name of its place or transition.
    pub fn questions(self, model: &LoadedModel) -> Vec<(String, StateQuestion)> {
        let of_places = |question: &dyn Fn(&[VarId]) -> Predicate| {
            let all = places(model).into_iter();
            all.map(|(name, vars)| (name, StateQuestion::Reach(question(&vars))))
                .collect()
        };
        let of_transitions = |question: &dyn Fn(Predicate) -> StateQuestion| {
            let all = transitions(model).into_iter();
            all.map(|(name, events)| (name, question(fireable(&events))))
                .collect()
        };
        match self {
            Examination::Deadlock => {
                let name = "deadlock".to_owned();
                vec![(name, StateQuestion::Reach(Predicate::Deadlock))]
            }
            Examination::OneSafe => of_places(&|vars| compare(vars, Comparison::Ge, 2)),
            Examination::Stable => of_places(&|vars| changed(model, vars)),
            Examination::QuasiLive => of_transitions(&StateQuestion::Reach),
            Examination::Live => of_transitions(&StateQuestion::Always),
        }
    }

    /// When [`ask`](super::ask) may stop.
    pub fn ends(self) -> StopRule {
        match self {
            Examination::OneSafe | Examination::Live | Examination::Deadlock => {
                StopRule::WithTheFirstRun
            }
            Examination::Stable | Examination::QuasiLive => StopRule::WithAll,
        }
    }

    /// Breaks if this answer decides the examination.
    pub fn decides(self, answer: AnswerKind) -> ControlFlow<()> {
        let decided = match self {
            Examination::Deadlock => answer != AnswerKind::Unknown,
            Examination::OneSafe => answer == AnswerKind::Reached,
            Examination::Stable | Examination::QuasiLive => answer == AnswerKind::Never,
            Examination::Live => answer == AnswerKind::Lost,
        };
        if decided {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Returns whether the examination is true; `None` if the answers do not decide it.
    pub fn verdict(self, answers: &[AnswerKind]) -> Option<bool> {
        let some = |kind| answers.contains(&kind);
        let all = |kind| answers.iter().all(|answer| *answer == kind);
        let (one, rest): (bool, bool) = match self {
            Examination::Deadlock => (some(AnswerKind::Reached), all(AnswerKind::Never)),
            Examination::OneSafe => (all(AnswerKind::Never), some(AnswerKind::Reached)),
            Examination::Stable => (some(AnswerKind::Never), all(AnswerKind::Reached)),
            Examination::QuasiLive => (all(AnswerKind::Reached), some(AnswerKind::Never)),
            Examination::Live => (all(AnswerKind::Always), some(AnswerKind::Lost)),
        };
        match (one, rest) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            // A net without places or transitions is not stable; the other examinations are true.
            (true, true) => Some(self != Examination::Stable),
            (false, false) => None,
        }
    }
}

/// The predicate that the number of tokens differs from the initial one.
fn changed(model: &LoadedModel, vars: &[VarId]) -> Predicate {
    let initial = &model.system.initial;
    let tokens = |state: &lariat_model::State| sum(&total(vars), state);
    let first = initial.first().map_or(0, tokens);
    match Value::try_from(first) {
        Ok(constant) if initial.iter().all(|state| tokens(state) == first) => {
            compare(vars, Comparison::Ne, constant)
        }
        _ => Predicate::Const(true),
    }
}
