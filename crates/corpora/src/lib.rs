//! External models and formulas, and settings, of tests and benchmark programs.
//!
//! Models are in the folder `LARIAT_MODELS`, formulas in `LARIAT_LTL`; the default is the folder
//! `shared` next to the workspace. Missing files are reported and skipped. `LARIAT_SEED` and
//! `LARIAT_CASES` set the first seed and the number of cases, `LARIAT_STATES` the size of the
//! largest models. Random cases are run by [`each_case`].

#![forbid(unsafe_code)]

pub mod bench;

pub use lariat_random::Random;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Returns the folder with models of a kind: `mcc`, `dve` or `etf`.
pub fn models(kind: &str) -> Option<PathBuf> {
    existing(folder("LARIAT_MODELS", "models").join(kind))
}

/// Returns the table of formulas, one per line, without its header.
pub fn formulas() -> Option<Vec<Vec<String>>> {
    existing(folder("LARIAT_LTL", "ltl").join("corpus.tsv")).map(|path| table(&path))
}

fn folder(variable: &str, name: &str) -> PathBuf {
    let shared = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    std::env::var_os(variable).map_or_else(|| shared().join(name), PathBuf::from)
}

fn existing(path: PathBuf) -> Option<PathBuf> {
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is missing", path.display());
    None
}

/// Reads the cells of a table without its header.
///
/// # Panics
///
/// If it cannot be read.
pub fn table(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect();
    text.lines().skip(1).map(cells).collect()
}

/// Returns a number from the environment, or the default.
///
/// # Panics
///
/// If it is not a number, so that no test runs with unintended settings.
pub fn number(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{variable} is not a number: {text}")),
        Err(_) => default,
    }
}

/// Returns the first seed and prints it, so that a run can be repeated.
pub fn seed(default: u64) -> u64 {
    let seed = number("LARIAT_SEED", default);
    println!("LARIAT_SEED={seed}");
    seed
}

/// Returns the number of cases, at most two by default under Miri, which is slow.
pub fn cases(default: usize) -> usize {
    let default = if cfg!(miri) { default.min(2) } else { default };
    number("LARIAT_CASES", default as u64) as usize
}

/// Runs `case` once per seed, [`cases`] times. After a panic, prints the settings that replay it.
pub fn each_case(default: usize, mut case: impl FnMut(&mut Random)) {
    /// Prints the settings if dropped during a panic.
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

/// Time limit of [`which_ends`].
const DEADLINE: Duration = Duration::from_secs(120);

/// Runs `work`, and aborts the process if it does not return: for tests that might deadlock.
pub fn which_ends<T>(work: impl FnOnce() -> T) -> T {
    let (working, over) = channel::<()>();
    let watch = std::thread::spawn(move || {
        if over.recv_timeout(DEADLINE) == Err(RecvTimeoutError::Timeout) {
            eprintln!("a test has not ended in time: deadlock?");
            std::process::abort();
        }
    });
    let result = work();
    drop(working);
    let _ = watch.join();
    result
}
