//! Progress on a terminal.

use crate::args::Volume;
use indicatif::{ProgressBar, ProgressStyle};
use lariat::{Observer, Progress};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A line on stderr that says what is being done, gone when dropped; hidden where stderr is no terminal.
pub(crate) struct Line {
    bar: ProgressBar,
    volume: Volume,
    /// Who works.
    engine: Mutex<Option<&'static str>>,
}

impl Line {
    pub(crate) fn new(volume: Volume) -> Line {
        let bar = match volume {
            Volume::Silent => ProgressBar::hidden(),
            Volume::Progress | Volume::Remarks => ProgressBar::new_spinner(),
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Line {
            bar,
            volume,
            engine: Mutex::new(None),
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Line {
    fn progress(&self, progress: Progress<'_>) {
        if self.bar.is_hidden() {
            return;
        }
        let engine = *self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        let mut message = message(engine, progress.phase);
        for (i, (number, what)) in progress.figures.iter().enumerate() {
            let separator = if i == 0 { ": " } else { ", " };
            let _ = write!(message, "{separator}{} {what}", grouped(*number));
        }
        self.bar.set_message(message);
    }

    fn engine(&self, name: &'static str) {
        let mut engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        *engine = Some(name);
        if !self.bar.is_hidden() {
            self.bar.set_message(name);
        }
    }

    fn remark(&self, remark: &str) {
        if self.volume == Volume::Remarks {
            self.bar.suspend(|| crate::remark(remark));
        }
    }
}

/// What is being done, and by whom.
fn message(engine: Option<&str>, phase: &str) -> String {
    match engine {
        Some(engine) => format!("{engine}, {phase}"),
        None => phase.to_owned(),
    }
}

/// A number with its digits in groups of three.
pub(crate) fn grouped(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}
