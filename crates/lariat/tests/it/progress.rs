//! Observers are notified of each engine that starts.

use crate::asking::{about_philosophers, by, first_question};
use lariat::internals::{
    Budget, Cancel, Decision, EarnedVerdict, EngineChoice, Observer, Reason, RunContext, Schedule,
    SpaceCache, Stop, Systems, check_subject,
};
use std::sync::Mutex;

#[derive(Default)]
struct Listener(Mutex<Vec<&'static str>>);

impl Observer for Listener {
    fn engine(&self, name: &'static str) {
        self.0.lock().unwrap().push(name);
    }
}

/// Cancels the check when the engine of this name starts.
struct Interrupter(&'static str, Cancel);

impl Observer for Interrupter {
    fn engine(&self, name: &'static str) {
        if name == self.0 {
            self.1.press();
        }
    }
}

/// A question that the first searches are too short to decide, so that several engines run.
fn checked(budget: &Budget, observer: &dyn Observer) -> Decision {
    let formula = r#"G ("HasLeft_1 = 1" -> F ("Thinking_1 = 1" | deadlock))"#;
    let (system, properties) = about_philosophers(5, formula);
    let (subject, property) = first_question(&system, &properties);
    let schedule = Schedule {
        glance: 10,
        first_look: 10,
        ..Schedule::default()
    };
    check_subject(
        &subject,
        property,
        &by(EngineChoice::Auto(schedule)),
        &mut SpaceCache::new(&Systems::new()),
        RunContext::new(budget, observer),
    )
}

#[test]
fn observers_are_notified_of_every_engine_of_auto() {
    let listener = Listener::default();
    let report = checked(&Budget::unlimited(), &listener);
    let attempts = report.trail.iter();
    let tried: Vec<&str> = attempts.map(|attempt| attempt.engine.name()).collect();
    assert!(tried.len() > 1, "{tried:?}");
    assert_eq!(*listener.0.lock().unwrap(), tried);
}

/// An interrupted decision names the engine that was running.
#[test]
fn the_interrupted_engine_is_reported() {
    let report = checked(&Budget::unlimited(), &Listener::default());
    for attempt in &report.trail {
        let cancel = Cancel::default();
        let budget = Budget::unlimited().with_cancel(cancel.clone());
        let report = checked(&budget, &Interrupter(attempt.engine.name(), cancel));
        let interrupted = EarnedVerdict::Unknown(Reason::Stopped(Stop::Interrupted));
        assert_eq!(report.verdict, interrupted, "{}", attempt.engine.name());
        assert_eq!(report.engine.name(), attempt.engine.name());
    }
}
