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

/// What is done sooner than this is done before anybody wonders.
const PATIENCE: Duration = Duration::from_millis(400);
/// How often the line is drawn.
const TICK: Duration = Duration::from_millis(200);

/// A line on stderr that says what is being done: drawn after a while, gone when dropped, and never there where stderr is no terminal.
pub(crate) struct Line {
    bar: ProgressBar,
    volume: Volume,
    /// Waits until the line is to be drawn, or for the end. There is none if it never is.
    curtain: Option<(Sender<()>, JoinHandle<()>)>,
    /// Who works.
    engine: Mutex<Option<&'static str>>,
}

/// The lines of all who work at the same time.
pub(crate) struct Lines {
    all: MultiProgress,
    volume: Volume,
}

impl Lines {
    pub(crate) fn new(volume: Volume) -> Lines {
        let all = MultiProgress::new();
        Lines { all, volume }
    }

    /// One more line.
    pub(crate) fn add(&self) -> Line {
        Line::among(&self.all, self.volume)
    }

    /// One more line, as the observer of a property.
    pub(crate) fn add_boxed(&self) -> Box<dyn Observer> {
        Box::new(self.add())
    }

    /// Does something that prints, while no line is in the way.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.all.suspend(print)
    }
}

impl Line {
    /// A line of its own.
    pub(crate) fn new(volume: Volume) -> Line {
        Line::among(&MultiProgress::new(), volume)
    }

    fn among(all: &MultiProgress, volume: Volume) -> Line {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        let seen = volume != Volume::Silent && std::io::stderr().is_terminal();
        Line {
            curtain: seen.then(|| curtain(bar.clone(), all.clone())),
            bar,
            volume,
            engine: Mutex::new(None),
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some((end, waiting)) = self.curtain.take() {
            drop(end);
            // It draws the line or does nothing, and cannot fail.
            let _ = waiting.join();
        }
        self.bar.finish_and_clear();
    }
}

/// Begins to draw a line when it has been there for a while.
fn curtain(bar: ProgressBar, all: MultiProgress) -> (Sender<()>, JoinHandle<()>) {
    let (end, ended) = channel();
    let waiting = std::thread::spawn(move || {
        if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            all.add(bar).enable_steady_tick(TICK);
        }
    });
    (end, waiting)
}

impl Observer for Line {
    fn progress(&self, progress: Progress<'_>) {
        if self.curtain.is_none() {
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
        if self.curtain.is_some() {
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
