//! `check --watch`: checks again when a file changes.
//!
//! Each check is a child process with the same arguments, so that it starts from nothing and can be
//! stopped at any time. The parent polls the files' modification times and sizes. A change during a
//! check stops the child. Ctrl-C reaches both processes: the child reports what it knows, then the
//! parent ends.

use crate::args::Check;
use crate::{Exit, Failure};
use lariat::Cancel;
use std::ffi::OsStr;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, SystemTime};

/// Interval at which the files and the child are polled.
const POLL: Duration = Duration::from_millis(100);
/// The time that a child has to end after Ctrl-C.
const GRACE: Duration = Duration::from_secs(5);

/// The modification time and the size of a file; `None` if it cannot be read.
type Version = Option<(Option<SystemTime>, u64)>;

/// Checks until Ctrl-C.
pub(crate) fn run(args: &Check) -> Result<Exit, Failure> {
    let files = files(args);
    if files.iter().any(|file| *file == Path::new("-")) {
        return Err(Failure::new(
            "stdin cannot be watched; give a file in place of `-`",
        ));
    }
    let cancel = Cancel::default();
    let switch = cancel.clone();
    ctrlc::set_handler(move || switch.press())
        .map_err(|error| Failure::new(format!("cannot watch for Ctrl-C: {error}")))?;
    loop {
        let checked = versions(&files);
        let mut child = start()?;
        let mut is_running = true;
        let changed = loop {
            if cancel.is_pressed() {
                end(&mut child, GRACE)?;
                return Ok(Exit::Interrupted);
            }
            std::thread::sleep(POLL);
            if is_running && child.try_wait()?.is_some() {
                is_running = false;
                crate::remark("watching for changes; Ctrl-C ends");
            }
            let now = versions(&files);
            if now != checked {
                break now;
            }
        };
        // A program may still be writing the file.
        let mut last = changed;
        loop {
            std::thread::sleep(POLL);
            let now = versions(&files);
            if now == last || cancel.is_pressed() {
                break;
            }
            last = now;
        }
        end(&mut child, Duration::ZERO)?;
        announce(args, &files, &checked, &last)?;
    }
}

/// The files whose change starts another check.
fn files(args: &Check) -> Vec<PathBuf> {
    let mut files = vec![args.model.clone()];
    for list in [&args.formula_files, &args.mcc, &args.automaton] {
        files.extend(list.iter().cloned());
    }
    files
}

fn versions(files: &[PathBuf]) -> Vec<Version> {
    let version = |file: &PathBuf| {
        let known = std::fs::metadata(file).ok()?;
        Some((known.modified().ok(), known.len()))
    };
    files.iter().map(version).collect()
}

/// Starts a check with the same arguments.
fn start() -> Result<Child, Failure> {
    let args = std::env::args_os().skip(1);
    let args = args.filter(|arg| arg != OsStr::new("--watch"));
    let started = std::env::current_exe().and_then(|exe| Command::new(exe).args(args).spawn());
    started.map_err(|error| Failure::new(format!("cannot start a check: {error}")))
}

/// Waits for the child, and kills it if it does not end in time.
fn end(child: &mut Child, grace: Duration) -> io::Result<()> {
    let mut waited = Duration::ZERO;
    while child.try_wait()?.is_none() {
        if waited >= grace {
            child.kill()?;
            child.wait()?;
            break;
        }
        std::thread::sleep(POLL);
        waited += POLL;
    }
    Ok(())
}

/// Reports the file that has changed; clears a terminal.
fn announce(
    args: &Check,
    files: &[PathBuf],
    before: &[Version],
    after: &[Version],
) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    if stdout.is_terminal() && !args.json {
        stdout.write_all(b"\x1b[2J\x1b[H")?;
        stdout.flush()?;
    }
    let changed = files.iter().zip(before.iter().zip(after));
    for (file, _) in changed.filter(|(_, (before, after))| before != after) {
        crate::remark(&format!("{} changed, checking again", file.display()));
    }
    Ok(())
}
