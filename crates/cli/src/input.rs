//! Reading files, and the limits of the machine.

use crate::Failure;
use crate::args::Limits;
use lariat::model::{self, LoadError, Model};
use lariat::{Budget, Cancel};
use std::io::Read as _;
use std::path::Path;

/// The contents of a file; `-` is stdin.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    read.map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))
}

/// The model in a file; a coloured net is unfolded within the budget. What the reader had to decide
/// is told on stderr.
pub(crate) fn model(path: &Path, budget: &Budget) -> Result<Model, Failure> {
    let bytes = bytes(path)?;
    let origin = path.display().to_string();
    let model = model::load(&origin, &bytes, budget).map_err(|error| match error {
        LoadError::Input(error) => Failure::Input(error.to_string()),
        LoadError::Stop(stop) => Failure::Undecided(stop),
    })?;
    for warning in &model.warnings {
        crate::warn(&warning.to_string());
    }
    Ok(model)
}

/// Three quarters of the memory that this process may use, as far as the system tells.
fn default_memory() -> u64 {
    let number = |path: &str, find: fn(&str) -> Option<u64>| {
        std::fs::read_to_string(path).ok().as_deref().and_then(find)
    };
    let machine = number("/proc/meminfo", |text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kilobytes << 10)
    });
    let group = number("/sys/fs/cgroup/memory.max", |text| text.trim().parse().ok());
    let known = machine.into_iter().chain(group).min().unwrap_or(4 << 30);
    known / 4 * 3
}

/// The budget of the process: its memory, and a switch that Ctrl-C presses.
///
/// A second Ctrl-C ends the process at once.
pub(crate) fn budget(limits: &Limits) -> (Budget, Cancel) {
    let memory = limits.memory.map_or_else(default_memory, |bytes| bytes.0);
    let cancel = Cancel::default();
    let switch = cancel.clone();
    // Without a handler Ctrl-C just kills, which is no reason not to start.
    let _ = ctrlc::set_handler(move || {
        if switch.is_pressed() {
            std::process::exit(130);
        }
        switch.press();
    });
    (Budget::bytes(memory).with_cancel(cancel.clone()), cancel)
}

/// The budget of one property.
pub(crate) fn for_property(budget: &Budget, limits: &Limits) -> Budget {
    match limits.timeout {
        Some(time) => budget.clone().with_deadline(time.0),
        None => budget.clone(),
    }
}
