//! `--cross-check`: a second, unrelated engine is asked the same.

use lariat::{Agreement, Report, report};
use serde_json::{Value as Json, json};
use std::ffi::OsString;

/// What the second engine said.
pub(crate) struct Opinion {
    pub second: Report,
    pub agreement: Agreement,
    pub seconds: f64,
    /// The first engine, and what it said before it was taken back.
    pub first: (&'static str, &'static str),
}

impl Opinion {
    /// A line for a person.
    pub(crate) fn in_words(&self) -> String {
        let Opinion {
            second, seconds, ..
        } = self;
        let engine = second.engine;
        match (&self.agreement, &second.verdict) {
            (Agreement::Same, _) => {
                format!("cross-check: {engine} says the same ({seconds:.3} s)")
            }
            (Agreement::Open, lariat::Verdict::Unknown(reason)) => {
                format!("not cross-checked: {engine}: {reason}")
            }
            (Agreement::Open, verdict) => {
                format!(
                    "cross-check: {engine} says {} ({seconds:.3} s)",
                    report::word(verdict)
                )
            }
            (Agreement::Different, verdict) => {
                let (first, word) = self.first;
                format!(
                    "cross-check: {first} says {word}, {engine} says {} ({seconds:.3} s)",
                    report::word(verdict)
                )
            }
        }
    }

    /// Adds it to an answer.
    pub(crate) fn enter(&self, answer: &mut Json) {
        if let Some(object) = answer.as_object_mut() {
            let opinion = json!({
                "engine": self.second.engine,
                "verdict": report::word(&self.second.verdict),
                "agrees": match self.agreement {
                    Agreement::Same => Json::from(true),
                    Agreement::Different => false.into(),
                    Agreement::Open => Json::Null,
                },
                "seconds": self.seconds,
            });
            object.insert("cross_check".to_owned(), opinion);
        }
    }

    /// Says on stderr that two engines contradict each other, and how to see it again.
    pub(crate) fn complain(&self, property: &str) {
        let args: Vec<OsString> = std::env::args_os().collect();
        let ((first, word), second) = (self.first, &self.second);
        crate::complain(&format!(
            "two engines disagree about `{property}`, so one of them is wrong; please report it\n  {first} says {word}:\n    {}\n  {} says {}:\n    {}",
            repeating(&args, property, None),
            second.engine,
            report::word(&second.verdict),
            repeating(&args, property, Some(second.engine)),
        ));
    }
}

/// Options that say how a property is decided, with whether they have a value.
const HOW: [(&str, bool); 10] = [
    ("--engine", true),
    ("--automaton-kind", true),
    ("--emptiness", true),
    ("--published", false),
    ("--recurring", true),
    ("--reachable-first", false),
    ("--no-fallback", false),
    ("--reduce", false),
    ("--no-reduce", false),
    ("--without", true),
];

/// The command that asks this property again: as it was, or with another engine on the net as it was read.
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
    }
    words.join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
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
    fn commands_ask_the_same_again() {
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
