//! Engines on the quotients of coloured nets; `testkit::quotients` draws them.

use crate::symmetric::facade;
use lariat::internals::{EngineChoice, Plan};
use lariat_testkit::Subject;
use lariat_testkit::quotients::Asked;

/// Returns the subjects, which answer questions about the quotient and replay runs on the net.
pub fn subjects(asked: &Asked) -> Vec<Subject> {
    let engines = [
        ("auto", EngineChoice::default()),
        ("explicit", Plan::of("explicit").into()),
    ];
    let subject = |(name, engine): (&str, EngineChoice)| {
        facade(&format!("quotient-{name}"), engine, asked.model.clone())
    };
    engines.into_iter().map(subject).collect()
}
