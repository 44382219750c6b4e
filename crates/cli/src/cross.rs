//! The commands that repeat a cross-check whose engines contradict each other.

use lariat::internals::CrossCheck;
use std::ffi::OsString;

/// Reports on stderr that two engines contradict each other, and how to repeat it.
pub(crate) fn complain_of_contradiction(property: &str, check: &CrossCheck) {
    let args: Vec<OsString> = std::env::args_os().collect();
    let (first, second) = (check.first, check.second.engine);
    crate::complain(&format!(
        "two engines contradict each other about `{property}`, so one of them is wrong; please report it\n  {first} says {}:\n    {}\n  {second} says {}:\n    {}",
        check.first_verdict,
        repeating(&args, property, None),
        check.second.verdict.word(),
        repeating(&args, property, Some(second.name())),
    ));
}

/// Options that choose how a property is decided, and whether they have a value.
const HOW: [(&str, bool); 11] = [
    ("--engine", true),
    ("--automaton-kind", true),
    ("--emptiness", true),
    ("--published", false),
    ("--recurring", true),
    ("--reachable-first", false),
    ("--no-fallback", false),
    ("--reduce", false),
    ("--no-reduce", false),
    ("--no-por", false),
    ("--without", true),
];

/// The command that checks this property again: in the same way, or with another engine on the
/// original net.
pub(crate) fn repeating(args: &[OsString], property: &str, engine: Option<&str>) -> String {
    let mut left_out = vec![("--cross-check", false), ("--select", true)];
    if engine.is_some() {
        left_out.extend(HOW);
    }
    let mut words = Vec::new();
    let mut skip = false;
    for arg in args.iter().map(|arg| arg.to_string_lossy()) {
        if std::mem::take(&mut skip) {
            continue;
        }
        let named = left_out.iter().find(|(name, _)| {
            arg == *name
                || arg
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with('='))
        });
        match named {
            Some((name, has_value)) => skip = *has_value && arg == *name,
            None => words.push(quoted(&arg)),
        }
    }
    words.extend(["--select".to_owned(), quoted(property)]);
    if let Some(engine) = engine {
        words.extend(["--engine", engine, "--no-reduce"].map(str::to_owned));
        if engine == "explicit" {
            words.push("--no-por".to_owned());
        }
    }
    words.join(" ")
}

/// A word quoted for a shell.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_repeat_the_check() {
        let args = [
            "lariat",
            "check",
            "a net.pnml",
            "-f",
            "G !\"p >= 1\"",
            "--engine",
            "ba",
            "--cross-check",
            "--timeout=1s",
        ];
        let args: Vec<OsString> = args.map(OsString::from).into();
        assert_eq!(
            repeating(&args, "1", None),
            "lariat check 'a net.pnml' -f 'G !\"p >= 1\"' --engine ba --timeout=1s --select 1"
        );
        assert_eq!(
            repeating(&args, "it's", Some("slap-fst")),
            "lariat check 'a net.pnml' -f 'G !\"p >= 1\"' --timeout=1s --select 'it'\\''s' --engine slap-fst --no-reduce"
        );
    }
}
