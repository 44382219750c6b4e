//! Examinations: questions about a model as a whole, and what their answers say together.
//!
//! | examination | asks of each | is true if |
//! | --- | --- | --- |
//! | deadlock | `reach deadlock`, once | it is reached |
//! | one-safe | place: `reach p >= 2` | none is reached |
//! | stable | place: `reach p != m0(p)` | some is never reached |
//! | quasi-live | transition: `reach fireable(t)` | all are reached |
//! | live | transition: `always fireable(t)` | all are always reachable |
//!
//! Of a coloured net, a place is the number of its tokens of all colours, and a transition any of its bindings: what its user sees.

use super::answer::sum;
use super::{EarnedAnswer, EarnedReply, Ends, StateQuestion};
use lariat_formats::Model as LoadedModel;
use lariat_model::{Comparison, EventId, Linear, Predicate, Value, VarId};
use std::ops::ControlFlow;

/// What is asked of a model as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Examination {
    /// Can nothing happen any more, somewhere?
    Deadlock,
    /// Does no place ever hold two tokens?
    OneSafe,
    /// Is there a place whose tokens stay as they are?
    Stable,
    /// Can every transition fire at least once?
    QuasiLive,
    /// Can every transition fire again, whatever has happened?
    Live,
}

/// Places as the user knows them: names, and the variables whose sum they are.
pub fn places(model: &LoadedModel) -> Vec<(String, Vec<VarId>)> {
    let system = &model.system;
    match model.coloured_net() {
        None => (system.var_ids())
            .map(|var| (system.variable(var).name.clone(), vec![var]))
            .collect(),
        Some(net) => {
            let names = model.names();
            let place = |id: &String| (id.clone(), names.number(id).unwrap_or_default());
            net.places.iter().map(|p| place(&p.name)).collect()
        }
    }
}

/// Transitions as the user knows them: names, and the events that they are.
pub fn transitions(model: &LoadedModel) -> Vec<(String, Vec<EventId>)> {
    let system = &model.system;
    match model.coloured_net() {
        None => (system.event_ids())
            .map(|event| (system.event(event).name.clone(), vec![event]))
            .collect(),
        Some(net) => {
            let names = model.names();
            let events = |id: &String| (id.clone(), names.events(id).unwrap_or_default());
            net.transitions.iter().map(|t| events(&t.name)).collect()
        }
    }
}

/// `Σ vars`
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

/// The predicate of a transition that can fire.
pub fn fireable(events: &[EventId]) -> Predicate {
    if events.is_empty() {
        Predicate::Const(false)
    } else {
        Predicate::Enabled(events.to_vec())
    }
}

impl Examination {
    /// Its questions, each with the name of what it is about.
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

    /// When its questions are answered well enough to stop.
    pub fn ends(self) -> Ends {
        match self {
            Examination::OneSafe | Examination::Live | Examination::Deadlock => {
                Ends::WithTheFirstRun
            }
            Examination::Stable | Examination::QuasiLive => Ends::WithAll,
        }
    }

    /// Does one answer decide the whole?
    pub fn decides(self, reply: &EarnedReply) -> ControlFlow<()> {
        let home = match self {
            Examination::Deadlock => reply.answer.is_known(),
            Examination::OneSafe => matches!(reply.answer, EarnedAnswer::Reached(_)),
            Examination::Stable | Examination::QuasiLive => {
                matches!(reply.answer, EarnedAnswer::Never(_))
            }
            Examination::Live => matches!(reply.answer, EarnedAnswer::Lost(..)),
        };
        if home {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Is it true, as far as the answers say?
    pub fn verdict(self, replies: &[EarnedReply]) -> Option<bool> {
        let some = |is: fn(&EarnedAnswer) -> bool| replies.iter().any(|reply| is(&reply.answer));
        let all = |is: fn(&EarnedAnswer) -> bool| replies.iter().all(|reply| is(&reply.answer));
        let reached = |answer: &EarnedAnswer| matches!(answer, EarnedAnswer::Reached(_));
        let never = |answer: &EarnedAnswer| matches!(answer, EarnedAnswer::Never(_));
        let always = |answer: &EarnedAnswer| matches!(answer, EarnedAnswer::Always(_));
        let lost = |answer: &EarnedAnswer| matches!(answer, EarnedAnswer::Lost(..));
        let (one, rest): (bool, bool) = match self {
            Examination::Deadlock => (some(reached), all(never)),
            Examination::OneSafe => (all(never), some(reached)),
            Examination::Stable => (some(never), all(reached)),
            Examination::QuasiLive => (all(reached), some(never)),
            Examination::Live => (all(always), some(lost)),
        };
        match (one, rest) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            // A net without places or transitions: nothing is stable, everything is live.
            (true, true) => Some(self != Examination::Stable),
            (false, false) => None,
        }
    }
}

/// The number of tokens is not what it was at the start.
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
