//! Reading files within the limits, and the budgets of commands.
//!
//! A file may be a pipe without a writer, an endless device, or larger than the memory. A reader
//! thread therefore reads and parses, while the main thread polls the budget (deadline and Ctrl-C).
//! The reader leases memory from the budget before it allocates. If the budget ends first, the
//! reader thread is abandoned, and ends with the process, which only reports the reason.

use crate::Failure;
use crate::args::LimitArgs;
use crate::watchdog::Watchdog;
use lariat::internals::formats::{self, LoadError, LoadedModel};
use lariat::internals::{Budget, Cancel, InputError, Stop, default_memory};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Interval at which the main thread polls the budget while the reader thread runs.
const WATCH: Duration = Duration::from_millis(10);
/// Stack of the reader thread: parsers recurse, to a limited depth.
const STACK: usize = 64 << 20;
/// Initial capacity for a file; it doubles.
const FIRST_CAPACITY: usize = 1 << 12;
/// Time to read property files after a limit or a signal.
const GRACE: Duration = Duration::from_millis(500);
/// Limit on the bytes per read.
const CHUNK: usize = 1 << 18;

/// Runs `work` on a reader thread until it is done or the budget ends. Resumes a panic of `work`.
pub(crate) fn supervised<T: Send + 'static>(
    budget: &Budget,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    supervised_for(budget, Duration::ZERO, work)
}

/// Reads property files on a reader thread. Their names are needed to report properties as
/// unknown, so `work` has some time after a limit or a signal: its budget ends later.
pub(crate) fn supervised_texts<T: Send + 'static>(
    budget: &Budget,
    timeout: Option<Duration>,
    work: impl FnOnce(&Budget) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let mut own = budget.clone().with_cancel(Cancel::default());
    let mut outer = budget.clone();
    if let Some(time) = timeout {
        own = own.with_deadline(time.saturating_add(GRACE));
        outer = outer.with_deadline(time);
    }
    supervised_for(&outer, GRACE, move || work(&own))
}

/// Runs `work` on a reader thread until it is done or `grace` has passed since the budget ended.
fn supervised_for<T: Send + 'static>(
    budget: &Budget,
    grace: Duration,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (send, receive) = sync_channel(1);
    let reader = std::thread::Builder::new()
        .name("reader".to_owned())
        .stack_size(STACK)
        .spawn(move || {
            // Fails if the budget has ended: the receiver is gone.
            let _ = send.send(work());
        })
        .map_err(|error| Failure::new(format!("cannot start a thread: {error}")))?;
    let mut ended = None;
    loop {
        match receive.recv_timeout(WATCH) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Timeout) => {
                if let Err(stop) = budget.check()
                    && ended.get_or_insert_with(Instant::now).elapsed() >= grace
                {
                    return Err(Failure::Undecided(stop));
                }
            }
            Err(RecvTimeoutError::Disconnected) => match reader.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => return Err(Failure::new("the reader thread ended without a result")),
            },
        }
    }
}

/// Reads a file; `-` is stdin. May block: for [`supervised`] work only.
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

/// Reads to the end. A NUL byte is an error: no format contains one.
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
            // Growing copies: both buffers exist for a moment.
            let kept = (2 * all.capacity()).max(FIRST_CAPACITY);
            lease
                .resize(all.capacity() + kept)
                .map_err(Failure::Undecided)?;
            all.try_reserve_exact(kept - all.len())
                .map_err(|_| Failure::Undecided(Stop::Memory))?;
            lease.resize(kept).map_err(Failure::Undecided)?;
        }
        let before = all.len();
        let chunk = (all.capacity() - before).min(CHUNK);
        all.resize(before + chunk, 0);
        let read = file.read(&mut all[before..]);
        all.truncate(before + *read.as_ref().unwrap_or(&0));
        let read = match read {
            // A signal: the next poll of the budget handles it.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(&failed)?,
        };
        if read == 0 {
            return Ok(all);
        }
        let utf_16 = all.starts_with(b"\xff\xfe") || all.starts_with(b"\xfe\xff");
        if let Some(at) = all[before..].iter().position(|byte| *byte == 0) {
            if utf_16 {
                // Every parser refuses UTF-16 by its first bytes.
                return Ok(all);
            }
            let at = before + at;
            let origin = path.display().to_string();
            let error = InputError::at(
                origin,
                &all,
                at..at + 1,
                "a NUL byte: this is not a text file",
            );
            return Err(error.into());
        }
    }
}

/// Loads the model in a file; a coloured net is unfolded within the budget. May block: for
/// [`supervised`] work only.
fn model(path: &Path, budget: &Budget, load: Load) -> Result<LoadedModel, Failure> {
    let bytes = bytes(path, budget)?;
    let origin = path.display().to_string();
    load(&origin, &bytes, budget).map_err(|error| match error {
        LoadError::Input(error) => Failure::Input(error.to_string()),
        LoadError::Stop(stop) => Failure::Undecided(stop),
    })
}

/// A function that reads a model from text.
type Load = fn(&str, &[u8], &Budget) -> Result<LoadedModel, LoadError>;

/// Copies of a system's memory in a process: the system, and the tables of names and of compiled
/// events besides it.
const COPIES: usize = 2;

/// Loads the model in a file within the budget, and prints the warnings of its parser. Its memory is
/// leased for the rest of the process.
pub(crate) fn watched_model(path: &Path, budget: &Budget) -> Result<LoadedModel, Failure> {
    watched(path, budget, formats::load)
}

/// As [`watched_model`], for formulas that name no colours: a coloured net that is too large to
/// unfold is replaced by its quotient.
pub(crate) fn watched_quotient(path: &Path, budget: &Budget) -> Result<LoadedModel, Failure> {
    watched(path, budget, formats::load_quotient)
}

fn watched(path: &Path, budget: &Budget, load: Load) -> Result<LoadedModel, Failure> {
    let (path, own) = (path.to_owned(), budget.clone());
    let model = supervised(budget, move || model(&path, &own, load))?;
    let mut lease = budget.lease();
    let bytes = model.system.bytes().saturating_mul(COPIES);
    lease.resize(bytes).map_err(Failure::Undecided)?;
    // The model lives as long as the process.
    std::mem::forget(lease);
    for warning in &model.warnings {
        crate::warn(&warning.to_string());
    }
    Ok(model)
}

/// The memory limit of the process.
pub(crate) fn memory(limits: &LimitArgs) -> u64 {
    limits.memory.map_or_else(default_memory, |bytes| bytes.0)
}

/// The budget of an interactive command, without a handler: Ctrl-C ends the process at once.
pub(crate) fn plain_budget(limits: &LimitArgs) -> Budget {
    for_property(&Budget::bytes(memory(limits)), limits)
}

/// What a command that may take long runs under.
pub(crate) struct Limits {
    /// The budget of the process, with its memory limit.
    pub budget: Budget,
    /// The switch that the first Ctrl-C presses.
    pub cancel: Cancel,
    /// The thread that ends the process if it does not end by itself.
    pub dog: Watchdog,
}

/// The limits of the process. The first Ctrl-C or SIGTERM presses the switch, the second one makes
/// the watchdog report at once, and the third ends the process.
pub(crate) fn limits(limits: &LimitArgs) -> Limits {
    let cancel = Cancel::default();
    let budget = Budget::bytes(memory(limits)).with_cancel(cancel.clone());
    let dog = Watchdog::start(&cancel, &budget);
    let (switch, late) = (cancel.clone(), dog.clone());
    let mut signals = 0;
    // Without a handler Ctrl-C kills the process, which is acceptable.
    let _ = ctrlc::set_handler(move || {
        signals += 1;
        match signals {
            1 => switch.press(),
            2 => late.hurry(),
            _ => std::process::exit(130),
        }
    });
    Limits {
        budget,
        cancel,
        dog,
    }
}

/// The limits of a command that does one thing, with its deadline.
pub(crate) fn command_limits(args: &LimitArgs) -> Limits {
    let limits = limits(args);
    limits
        .dog
        .watch("the command", args.timeout.map(|time| time.0));
    Limits {
        budget: for_property(&limits.budget, args),
        ..limits
    }
}

/// Minimum time for a page or a picture, even if the limits have ended: it then has a simple layout.
pub(crate) const PAGE_GRACE: Duration = Duration::from_millis(250);

/// The budget for making a page or a picture when `left` remains of the time limit. After Ctrl-C,
/// it has the minimum time.
pub(crate) fn for_page(budget: &Budget, left: Option<Duration>) -> Budget {
    match left {
        _ if budget.check() == Err(Stop::Interrupted) => {
            let uncancelled = budget.clone().with_cancel(Cancel::default());
            uncancelled.with_deadline(PAGE_GRACE)
        }
        Some(left) => budget.clone().with_deadline(left.max(PAGE_GRACE)),
        None => budget.clone(),
    }
}

/// The budget of a command that does one thing.
pub(crate) fn command_budget(args: &LimitArgs) -> (Budget, Watchdog) {
    let Limits { budget, dog, .. } = command_limits(args);
    (budget, dog)
}

/// The budget of one property.
pub(crate) fn for_property(budget: &Budget, limits: &LimitArgs) -> Budget {
    match limits.timeout {
        Some(time) => budget.clone().with_deadline(time.0),
        None => budget.clone(),
    }
}
