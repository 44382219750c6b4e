//! Progress on a terminal.

use crate::args::Volume;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
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

/// A line for everybody who works at the same time.
pub(crate) struct Lines {
    all: MultiProgress,
    volume: Volume,
}

impl Lines {
    pub(crate) fn new(volume: Volume) -> Lines {
        let all = MultiProgress::new();
        if volume == Volume::Silent {
            all.set_draw_target(ProgressDrawTarget::hidden());
        }
        Lines { all, volume }
    }

    /// One more line.
    pub(crate) fn add(&self) -> Line {
        let bar = self.all.add(ProgressBar::new_spinner());
        Line::of(bar, self.volume)
    }

    /// Does something that prints, while no line is in the way.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.all.suspend(print)
    }
}

impl Line {
    pub(crate) fn new(volume: Volume) -> Line {
        let bar = match volume {
            Volume::Silent => ProgressBar::hidden(),
            Volume::Progress | Volume::Remarks => ProgressBar::new_spinner(),
        };
        Line::of(bar, volume)
    }

    fn of(bar: ProgressBar, volume: Volume) -> Line {
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
