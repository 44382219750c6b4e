//! Where tests and benchmark programs find what is not part of the project, and how they are set.
//!
//! Models are looked for in the folder `LARIAT_MODELS`, formulas in `LARIAT_LTL`, or else in `shared` beside the
//! workspace. Where there are none the caller goes without, and it is said so. `LARIAT_SEED` and
//! `LARIAT_CASES` choose the first seed and the number of cases, `LARIAT_STATES` the largest models.
//! Random cases are run by [`each_case`].

#![forbid(unsafe_code)]

pub mod bench;

pub use lariat_random::Random;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The folder with models of a kind: `mcc`, `dve` or `etf`.
pub fn models(kind: &str) -> Option<PathBuf> {
    existing(folder("LARIAT_MODELS", "models").join(kind))
}

/// The table of formulas, a line each, its header left out.
pub fn formulas() -> Option<Vec<Vec<String>>> {
    existing(folder("LARIAT_LTL", "ltl").join("corpus.tsv")).map(|path| table(&path))
}

fn folder(variable: &str, name: &str) -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    std::env::var_os(variable).map_or_else(|| beside().join(name), PathBuf::from)
}

fn existing(path: PathBuf) -> Option<PathBuf> {
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: there is no {}", path.display());
    None
}

/// The cells of a table, its header left out.
///
/// # Panics
///
/// If it cannot be read.
pub fn table(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect();
    text.lines().skip(1).map(cells).collect()
}

/// A setting of the environment, or else the default.
///
/// # Panics
///
/// If it is not a number: better than a run with other settings than those asked for.
pub fn number(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{variable} is not a number: {text}")),
        Err(_) => default,
    }
}

/// The first seed; said, so that a run can be repeated.
pub fn seed(default: u64) -> u64 {
    let seed = number("LARIAT_SEED", default);
    println!("LARIAT_SEED={seed}");
    seed
}

/// The number of cases. Miri is a few hundred times slower, so there two must do.
pub fn cases(default: usize) -> usize {
    let default = if cfg!(miri) { default.min(2) } else { default };
    number("LARIAT_CASES", default as u64) as usize
}

/// Runs `case` as often as [`cases`] says, each time on the stream of the next seed. A case that
/// panics says how it is repeated.
pub fn each_case(default: usize, mut case: impl FnMut(&mut Random)) {
    /// Speaks only if it is dropped while a panic unwinds.
    struct Replay(u64);

    impl Drop for Replay {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("failed; replay with LARIAT_SEED={} LARIAT_CASES=1", self.0);
            }
        }
    }

    let first = seed(1);
    for seed in (0..cases(default) as u64).map(|i| first.wrapping_add(i)) {
        let _replay = Replay(seed);
        case(&mut Random::new(seed));
    }
}

/// How long a test may take in which nobody waits for ever.
const PATIENCE: Duration = Duration::from_secs(120);

/// Ends the process if `work` does not end: for tests in which threads might wait for each other.
pub fn which_ends<T>(work: impl FnOnce() -> T) -> T {
    let (working, over) = channel::<()>();
    let watch = std::thread::spawn(move || {
        if over.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            eprintln!("somebody waits for ever");
            std::process::abort();
        }
    });
    let result = work();
    drop(working);
    let _ = watch.join();
    result
}
