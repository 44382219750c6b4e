//! `docs/papers.md`: the files, options, tests and campaigns that its tables name exist.

use crate::kit::{lariat, shipped};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Texts in backticks in the rows of tables.
fn named(page: &str) -> Vec<&str> {
    let rows = page.lines().filter(|line| line.starts_with('|'));
    rows.flat_map(|row| row.split('`').skip(1).step_by(2))
        .collect()
}

/// Help of every subcommand that has options of the page.
fn help() -> String {
    let subcommands = ["check", "states", "translate", "plot", "bench"];
    let texts = subcommands.map(|name| lariat(format!("{name} --help")).exits(0).out);
    texts.concat()
}

#[test]
fn everything_named_exists() {
    let page = shipped("docs/papers.md");
    let help = help();
    let crates = root().join("crates");
    let mut counts = [0; 3];
    for name in named(&page) {
        if let Some((file, test)) = name.split_once("::") {
            let text = std::fs::read_to_string(crates.join(file));
            let text = text.unwrap_or_else(|_| panic!("no file {file}"));
            assert!(text.contains(&format!("fn {test}()")), "no test {name}");
            counts[0] += 1;
        } else if name.ends_with(".toml") {
            assert!(root().join("campaigns").join(name).exists(), "no {name}");
            counts[1] += 1;
        } else if name.contains('/') {
            assert!(crates.join(name).exists(), "no {name}");
        } else if name.starts_with("--") {
            for word in name.split([' ', ',']).filter(|word| !is_number(word)) {
                assert!(help.contains(word), "no option or value {word} of {name}");
            }
            counts[2] += 1;
        }
    }
    let [tests, campaigns, options] = counts;
    assert!(tests > 40 && campaigns > 10 && options > 30, "{counts:?}");
}

fn is_number(word: &str) -> bool {
    word.parse::<u32>().is_ok()
}

/// The page accounts for all numbered definitions of each paper.
#[test]
fn errata_are_numbered() {
    let page = shipped("docs/papers.md");
    for number in 1..=22 {
        assert!(page.contains(&format!("| E-{number} |")), "E-{number}");
    }
}
