//! Progress on a terminal.

use crate::args::Volume;
use indicatif::{ProgressBar, ProgressStyle};
use lariat::{Observer, Progress};
use std::fmt::Write as _;
use std::time::Duration;

/// A line on stderr that says what is being done, gone when dropped; hidden where stderr is no terminal.
pub(crate) struct Line {
    bar: ProgressBar,
    volume: Volume,
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
        Line { bar, volume }
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
        let mut message = progress.phase.to_owned();
        for (i, (number, what)) in progress.figures.iter().enumerate() {
            let separator = if i == 0 { ": " } else { ", " };
            let _ = write!(message, "{separator}{} {what}", grouped(*number));
        }
        self.bar.set_message(message);
    }

    fn remark(&self, remark: &str) {
        if self.volume == Volume::Remarks {
            self.bar.suspend(|| crate::remark(remark));
        }
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
