//! Progress on a terminal.

use crate::args::Volume;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use lariat::internals::{Observer, Progress};
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Delay before a line is drawn: short commands draw nothing.
const DELAY: Duration = Duration::from_millis(400);
/// Interval at which the line is redrawn.
const TICK: Duration = Duration::from_millis(200);

/// A progress line on stderr: drawn after [`DELAY`], erased when dropped, and never drawn if stderr
/// is not a terminal.
pub(crate) struct ProgressLine {
    bar: ProgressBar,
    volume: Volume,
    /// The thread that draws the line after the delay, and the sender whose drop ends it. `None` if
    /// the line is never drawn.
    timer: Option<(Sender<()>, JoinHandle<()>)>,
    /// The engine at work.
    engine: Mutex<Option<&'static str>>,
}

/// The progress lines of all concurrent checks.
pub(crate) struct ProgressLines {
    all: MultiProgress,
    volume: Volume,
}

impl ProgressLines {
    pub(crate) fn new(volume: Volume) -> ProgressLines {
        let all = MultiProgress::new();
        ProgressLines { all, volume }
    }

    /// Adds a line.
    pub(crate) fn add(&self) -> ProgressLine {
        ProgressLine::among(&self.all, self.volume)
    }

    /// Adds a line, as the observer of a property.
    pub(crate) fn add_boxed(&self) -> Box<dyn Observer> {
        Box::new(self.add())
    }

    /// Runs `print` while the lines are hidden.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.all.suspend(print)
    }
}

impl ProgressLine {
    /// A single line.
    pub(crate) fn new(volume: Volume) -> ProgressLine {
        ProgressLine::among(&MultiProgress::new(), volume)
    }

    fn among(all: &MultiProgress, volume: Volume) -> ProgressLine {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        let seen = volume != Volume::Silent && std::io::stderr().is_terminal();
        ProgressLine {
            timer: seen.then(|| timer(bar.clone(), all.clone())),
            bar,
            volume,
            engine: Mutex::new(None),
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if let Some((end, waiting)) = self.timer.take() {
            drop(end);
            // The thread returns soon, and does not panic.
            let _ = waiting.join();
        }
        self.bar.finish_and_clear();
    }
}

/// Spawns the thread that draws a line after [`DELAY`], unless the sender is dropped before.
fn timer(bar: ProgressBar, all: MultiProgress) -> (Sender<()>, JoinHandle<()>) {
    let (end, ended) = channel();
    let waiting = std::thread::spawn(move || {
        if ended.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) {
            all.add(bar).enable_steady_tick(TICK);
        }
    });
    (end, waiting)
}

impl Observer for ProgressLine {
    fn progress(&self, progress: Progress<'_>) {
        if self.timer.is_none() {
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
        if self.timer.is_some() {
            self.bar.set_message(name);
        }
    }

    fn remark(&self, remark: &str) {
        if self.volume == Volume::Remarks {
            self.bar.suspend(|| crate::remark(remark));
        }
    }
}

/// The engine and its phase.
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
