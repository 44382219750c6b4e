//! The lists of functions from `main` to the verdict in ARCHITECTURE.md.
//!
//! Every function exists in its file, and its body names the next one; at most 14 functions per
//! engine.

use std::fs;
use std::path::Path;

/// The longest list that a reader has to follow.
const MOST: usize = 14;

struct Hop {
    number: usize,
    name: String,
    file: String,
    /// Whether it is called through a function pointer.
    by_pointer: bool,
}

fn hop(line: &str) -> Option<Hop> {
    let (number, rest) = line.split_once(". ")?;
    let number = number.parse().ok()?;
    let (by_pointer, rest) = match rest.strip_prefix("⇢ ") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let mut parts = rest.split('`');
    let (_, name, _, file) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    Some(Hop {
        number,
        name: name.to_owned(),
        file: file.to_owned(),
        by_pointer,
    })
}

/// The bodies of all functions of this name in a file.
fn bodies(file: &str, name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let starts = [format!("fn {name}("), format!("fn {name}<")];
    let at = starts.iter().flat_map(|start| text.match_indices(&**start));
    at.map(|(at, _)| {
        let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let indent = text[line..].len() - text[line..].trim_start().len();
        let end = format!("\n{}}}\n", " ".repeat(indent));
        let end = text[at..].find(&end).map_or(text.len(), |end| at + end);
        text[at..end].to_owned()
    })
    .collect()
}

#[test]
fn the_lists_of_the_architecture_are_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let text = fs::read_to_string(path).unwrap();
    let mut engines = 0;
    let mut common: Vec<Hop> = Vec::new();
    let lists: Vec<&str> = text.split("`check --engine ").skip(1).collect();
    for list in lists {
        let list = list.split("\n## ").next().unwrap_or_default();
        let own: Vec<Hop> = list.lines().filter_map(hop).collect();
        let first = own.first().map_or(1, |hop| hop.number);
        let shared = common.iter().take(first - 1);
        let all: Vec<&Hop> = shared.chain(&own).collect();
        assert!(all.len() <= MOST, "{} functions", all.len());
        for (i, hop) in all.iter().enumerate() {
            assert_eq!(hop.number, i + 1, "{}", hop.name);
            let found = bodies(&hop.file, &hop.name);
            assert!(!found.is_empty(), "{} is not in {}", hop.name, hop.file);
            let Some(next) = all.get(i + 1) else {
                break;
            };
            // The last function is called by `conclude` when the search returns.
            let is_last = i + 2 == all.len();
            let calls = |body: &String| body.contains(&next.name);
            assert!(
                next.by_pointer || is_last || found.iter().any(calls),
                "{} in {} does not call {}",
                hop.name,
                hop.file,
                next.name
            );
        }
        engines += 1;
        if common.is_empty() {
            common = own;
        }
    }
    assert_eq!(engines, 4);
    for (caller, call) in [("decide", "self.conclude("), ("conclude", "::earn(")] {
        let bodies = bodies("lariat/src/check_one.rs", caller);
        assert!(bodies.iter().any(|body| body.contains(call)), "{caller}");
    }
}
