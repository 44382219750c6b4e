//! Where tests and benchmark programs find what is not part of the project, and how they are set.
//!
//! Models are looked for in the folder `LARIAT_MODELS`, formulas in `LARIAT_LTL`, or else in `shared` beside the
//! workspace. Where there are none the caller goes without, and it is said so. `LARIAT_SEED` and
//! `LARIAT_CASES` choose the first seed and the number of cases, `LARIAT_STATES` the largest models.

#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

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

/// The number of cases.
pub fn cases(default: usize) -> usize {
    number("LARIAT_CASES", default as u64) as usize
}
