//! Files of runs, written by `check --trace` and `simulate`.

use crate::{Failure, input};
use lariat::internals::{Budget, InputError};
use lariat_draw::run::RunError;
use serde_json::Value as Json;
use std::path::Path;

/// Reads the objects of a file that contain a run.
pub(crate) fn read(path: &Path, budget: &Budget) -> Result<Vec<Json>, Failure> {
    let (file, own) = (path.to_owned(), budget.clone());
    let bytes = input::supervised(budget, move || input::bytes(&file, &own))?;
    let origin = path.display().to_string();
    let mut objects = Vec::new();
    let mut stream = serde_json::Deserializer::from_slice(&bytes).into_iter::<Json>();
    loop {
        let at = stream.byte_offset();
        match stream.next() {
            None => break,
            Some(Ok(object)) => {
                if run(&object).is_some() {
                    objects.push(object);
                }
            }
            Some(Err(error)) => {
                let at = at.min(bytes.len().saturating_sub(1));
                let message = format!("this is not a trace: {error}");
                let error = InputError::at(origin, &bytes, at..at + 1, message);
                return Err(error
                    .help("expected JSON as `lariat check --trace` writes it")
                    .into());
            }
        }
    }
    if objects.is_empty() {
        Err(Failure::new(format!(
            "there is no run in {origin}\n  = help: expected JSON as `lariat check --trace` writes it for violated properties"
        )))
    } else {
        Ok(objects)
    }
}

/// The run in an object.
pub(crate) fn run(object: &Json) -> Option<&Json> {
    let evidence = |name: &str| object.get(name).filter(|run| run.is_object());
    evidence("counterexample").or_else(|| evidence("run"))
}

/// The failure to read a run of a model.
pub(crate) fn no_run(error: RunError) -> Failure {
    match error {
        RunError::Stop(stop) => Failure::Undecided(stop),
        RunError::Wrong(why) => {
            Failure::new(format!("the trace does not belong to this model: {why}"))
        }
    }
}
