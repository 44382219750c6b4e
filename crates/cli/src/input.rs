//! Reading files within the limits, and the limits of the machine.
//!
//! A file may be a pipe that nobody writes to, a device that never ends, or larger than the memory; so
//! whatever a command reads is read by a thread of its own, while the main one watches the clock and
//! Ctrl-C. Bytes are leased from the budget before they are kept. A thread that is given up ends with
//! the process, which has nothing more to do than to say so.

use crate::Failure;
use crate::args::Limits;
use lariat::internals::formats::{self, LoadError, LoadedModel};
use lariat::internals::{Budget, Cancel, InputError, Stop, default_memory};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How often the main thread looks at the clock and at Ctrl-C while another one reads.
const WATCH: Duration = Duration::from_millis(10);
/// Readers recurse on what they read, to a limited depth; this is plenty for all of them.
const STACK: usize = 64 << 20;
/// The room for a file at first; it doubles.
const FIRST_ROOM: usize = 1 << 12;
/// The most that is read at a time.
const CHUNK: usize = 1 << 18;

/// Runs `work`, which reads something, until it ends or the budget does.
pub(crate) fn supervised<T: Send + 'static>(
    budget: &Budget,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (send, receive) = sync_channel(1);
    let reader = std::thread::Builder::new()
        .name("reader".to_owned())
        .stack_size(STACK)
        .spawn(move || {
            // Nobody listens if the budget has ended.
            let _ = send.send(work());
        })
        .map_err(|error| Failure::new(format!("cannot start a thread: {error}")))?;
    loop {
        match receive.recv_timeout(WATCH) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Timeout) => budget.check().map_err(Failure::Undecided)?,
            Err(RecvTimeoutError::Disconnected) => match reader.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => return Err(Failure::new("the reader ended without a word")),
            },
        }
    }
}

/// The contents of a file; `-` is stdin. To be called by a [`supervised`] thread: this may block.
pub(crate) fn bytes(path: &Path, budget: &Budget) -> Result<Vec<u8>, Failure> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::OutOfMemory => Failure::Undecided(Stop::Memory),
        _ => Failure::new(format!("cannot read {}: {error}", path.display())),
    };
    if path.as_os_str() == "-" {
        return text(&mut io::stdin().lock(), path, budget, failed);
    }
    let mut file = File::open(path).map_err(failed)?;
    text(&mut file, path, budget, failed)
}

/// Reads to the end, or to what shows that this is no text: no format has a NUL in it.
fn text(
    file: &mut impl Read,
    path: &Path,
    budget: &Budget,
    failed: impl Fn(io::Error) -> Failure,
) -> Result<Vec<u8>, Failure> {
    let mut lease = budget.lease();
    let mut all: Vec<u8> = Vec::new();
    loop {
        budget.check().map_err(Failure::Undecided)?;
        if all.capacity() == all.len() {
            // Growing copies: for a moment there are both.
            let kept = (2 * all.capacity()).max(FIRST_ROOM);
            lease
                .resize(all.capacity() + kept)
                .map_err(Failure::Undecided)?;
            all.try_reserve_exact(kept - all.len())
                .map_err(|_| Failure::Undecided(Stop::Memory))?;
            lease.resize(kept).map_err(Failure::Undecided)?;
        }
        let before = all.len();
        let room = (all.capacity() - before).min(CHUNK);
        all.resize(before + room, 0);
        let read = file.read(&mut all[before..]);
        all.truncate(before + *read.as_ref().unwrap_or(&0));
        let read = match read {
            // A signal came; the budget knows what it means.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(&failed)?,
        };
        if read == 0 {
            return Ok(all);
        }
        let utf_16 = all.starts_with(b"\xff\xfe") || all.starts_with(b"\xfe\xff");
        if let Some(at) = all[before..].iter().position(|byte| *byte == 0) {
            if utf_16 {
                // Every reader refuses it by its first bytes.
                return Ok(all);
            }
            let at = before + at;
            let origin = path.display().to_string();
            let error = InputError::at(origin, &all, at..at + 1, "a NUL byte: this is no text");
            return Err(error.into());
        }
    }
}

/// The model in a file; a coloured net is unfolded within the budget. To be called by a
/// [`supervised`] thread.
pub(crate) fn model(path: &Path, budget: &Budget) -> Result<LoadedModel, Failure> {
    let bytes = bytes(path, budget)?;
    let origin = path.display().to_string();
    formats::load(&origin, &bytes, budget).map_err(|error| match error {
        LoadError::Input(error) => Failure::Input(error.to_string()),
        LoadError::Stop(stop) => Failure::Undecided(stop),
    })
}

/// The model in a file, read within the budget. What the reader had to decide is told on stderr.
pub(crate) fn watched_model(path: &Path, budget: &Budget) -> Result<LoadedModel, Failure> {
    let (path, own) = (path.to_owned(), budget.clone());
    let model = supervised(budget, move || model(&path, &own))?;
    for warning in &model.warnings {
        crate::warn(&warning.to_string());
    }
    Ok(model)
}

/// The memory that a process may use.
pub(crate) fn memory(limits: &Limits) -> u64 {
    limits.memory.map_or_else(default_memory, |bytes| bytes.0)
}

/// The budget of a command that people talk to: Ctrl-C ends it at once.
pub(crate) fn plain_budget(limits: &Limits) -> Budget {
    for_property(&Budget::bytes(memory(limits)), limits)
}

/// The budget of the process: its memory, and a switch that Ctrl-C presses.
///
/// A second Ctrl-C ends the process at once.
pub(crate) fn budget(limits: &Limits) -> (Budget, Cancel) {
    let memory = memory(limits);
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

/// Files of properties are read even if the time is over: without them nobody would know what is
/// unknown.
const GRACE: Duration = Duration::from_millis(500);

/// The budget of reading the files of properties.
pub(crate) fn for_texts(budget: &Budget, timeout: Option<Duration>) -> Budget {
    match timeout {
        Some(time) => budget.clone().with_deadline(time.max(GRACE)),
        None => budget.clone(),
    }
}

/// The budget of one property.
pub(crate) fn for_property(budget: &Budget, limits: &Limits) -> Budget {
    match limits.timeout {
        Some(time) => budget.clone().with_deadline(time.0),
        None => budget.clone(),
    }
}
