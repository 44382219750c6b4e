//! The book: every command in it runs, and says what the book says; every link leads somewhere.
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

/// What `[…](here)` leads to.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(link, _)| link)
}

/// A command and the lines that it prints, `…` for any.
struct Example<'t> {
    command: &'t str,
    says: Vec<&'t str>,
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
                    says: Vec::new(),
                }),
                None => found.last_mut().expect("a command").says.push(line),
            },
            _ => {}
        }
    }
    found
}

/// Does the output have these lines? `…` stands for any number of lines, and at the end of one for the rest of it. Times differ.
fn fits(says: &[&str], out: &[&str]) -> bool {
    let plain = |line: &str| -> String {
        let words = line.split(' ').map(|word| match word.parse::<f64>() {
            Ok(_) if word.contains('.') => "0.000",
            _ => word,
        });
        words.collect::<Vec<_>>().join(" ")
    };
    match (says, out) {
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
fn every_command_of_the_book_says_what_the_book_says() {
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
        for Example { command, says } in examples(&text) {
            let output = Command::new("sh")
                .args(["-c", command])
                .current_dir(work.path())
                .env("PATH", &path)
                .env_remove("LARIAT_MODELS")
                .output()
                .expect("a shell");
            let (out, err) = (
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr),
            );
            let all: Vec<&str> = out.lines().chain(err.lines()).collect();
            assert!(
                fits(&says, &all),
                "{name}: `{command}` says\n{out}{err}\nand not\n{}",
                says.join("\n")
            );
            let fine = match output.status.code() {
                Some(0) => true,
                Some(1) => out.contains("VIOLATED"),
                Some(2) => says.iter().any(|line| line.contains("= help")),
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
fn every_link_of_the_book_leads_somewhere() {
    let mut pages = chapters();
    let readme = std::fs::read_to_string(root().join("README.md")).expect("a README");
    pages.push(("../README.md".to_owned(), readme));
    for (name, text) in pages {
        let page = root().join("docs").join(&name);
        for link in links(&text).filter(|link| !link.contains("://") && !link.starts_with('#')) {
            let file = link.split('#').next().unwrap_or(link);
            let to = page.parent().expect("a folder").join(file);
            assert!(to.exists(), "{name}: {link} leads nowhere");
        }
    }
}
