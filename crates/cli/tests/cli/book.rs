//! The book: its commands print the quoted output, and its links resolve.
#![cfg(unix)]

use crate::kit::Folder;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The chapters, in the order of the summary.
fn chapters() -> Vec<(String, String)> {
    let docs = root().join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).expect("a summary");
    let names: Vec<String> = links(&summary).map(str::to_owned).collect();
    assert!(names.len() > 5, "{names:?}");
    let text = |name: &String| {
        std::fs::read_to_string(docs.join(name)).unwrap_or_else(|_| panic!("no {name}"))
    };
    names
        .iter()
        .map(|name| (name.clone(), text(name)))
        .collect()
}

/// Targets of the links `[…](target)`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(link, _)| link)
}

/// A command and the lines that it prints; `…` stands for any lines.
struct Example<'t> {
    command: &'t str,
    output: Vec<&'t str>,
}

/// The examples in blocks marked `console`.
fn examples(text: &str) -> Vec<Example<'_>> {
    let mut found: Vec<Example<'_>> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match line.strip_prefix("$ ") {
                Some(command) => found.push(Example {
                    command,
                    output: Vec::new(),
                }),
                None => found.last_mut().expect("a command").output.push(line),
            },
            _ => {}
        }
    }
    found
}

/// Verdicts of several properties, sorted by name: several threads print them in the order of
/// completion. Other output is not changed.
fn by_name<'l>(lines: &[&'l str]) -> Vec<&'l str> {
    let words = ["HOLDS ", "VIOLATED ", "UNKNOWN ", "FORMULA "];
    let is_verdict = |line: &&str| words.iter().any(|word| line.starts_with(word));
    let mut lines = lines.to_vec();
    if lines.iter().all(is_verdict) {
        lines.sort_by_key(|line| line.split_whitespace().nth(1));
    }
    lines
}

/// Returns whether the output `out` consists of the lines `quoted`: `…` stands for any number of
/// lines, or for the rest of a line. Times are ignored.
fn fits(quoted: &[&str], out: &[&str]) -> bool {
    let plain = |line: &str| -> String {
        let words = line.split(' ').map(|word| match word.parse::<f64>() {
            Ok(_) if word.contains('.') => "0.000",
            _ => word,
        });
        words.collect::<Vec<_>>().join(" ")
    };
    match (quoted, out) {
        ([], out) => out.is_empty(),
        (["…", rest @ ..], out) => (0..=out.len()).any(|skip| fits(rest, &out[skip..])),
        ([_, ..], []) => false,
        ([line, rest @ ..], [first, others @ ..]) => {
            let same = match line.strip_suffix('…') {
                Some(start) => plain(first).starts_with(plain(start).trim_end()),
                None => plain(first) == plain(line),
            };
            same && fits(rest, others)
        }
    }
}

#[test]
fn commands_of_the_book_print_the_quoted_output() {
    let program = Path::new(env!("CARGO_BIN_EXE_lariat"));
    let folder = program.parent().expect("a folder").display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let mut count = 0;
    for (name, text) in chapters() {
        let work = Folder::new();
        for shared in ["examples", "campaigns"] {
            let to = Path::new(&work.path()).join(shared);
            std::os::unix::fs::symlink(root().join(shared), to).expect("a link");
        }
        for Example {
            command,
            output: quoted,
        } in examples(&text)
        {
            let output = Command::new("sh")
                .args(["-c", command])
                .current_dir(work.path())
                .env("PATH", &path)
                .env_remove("LARIAT_MODELS")
                .env_remove("COLUMNS")
                .output()
                .expect("a shell");
            let (out, err) = (
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr),
            );
            let all: Vec<&str> = out.lines().chain(err.lines()).collect();
            assert!(
                fits(&by_name(&quoted), &by_name(&all)),
                "{name}: `{command}` prints\n{out}{err}\nand not\n{}",
                quoted.join("\n")
            );
            let fine = match output.status.code() {
                Some(0) => true,
                Some(1) => out.contains("VIOLATED"),
                Some(2) => quoted.iter().any(|line| line.contains("= help")),
                _ => false,
            };
            assert!(
                fine,
                "{name}: `{command}` ends with {:?}:\n{out}{err}",
                output.status
            );
            count += 1;
        }
    }
    assert!(count > 20, "only {count} commands");
}

#[test]
fn links_of_the_book_resolve() {
    let mut pages = chapters();
    let readme = std::fs::read_to_string(root().join("README.md")).expect("a README");
    pages.push(("../README.md".to_owned(), readme));
    for (name, text) in pages {
        let page = root().join("docs").join(&name);
        for link in links(&text).filter(|link| !link.contains("://") && !link.starts_with('#')) {
            let file = link.split('#').next().unwrap_or(link);
            let to = page.parent().expect("a folder").join(file);
            assert!(to.exists(), "{name}: {link} does not exist");
        }
    }
}
