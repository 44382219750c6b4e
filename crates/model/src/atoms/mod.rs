//! Atoms of formulas: from their text to a [`Proposition`], and back to one canonical text.
//!
//! ```text
//! atom    := name | deadlock | fires(name, …) | fireable(name, …) | sum ⋈ sum
//!          | assert(name) | overflow
//! sum     := [-] term { (+ | -) term }
//! term    := [number *] (name | tokens(name, …)) | number
//! ⋈       := < | <= | > | >= | == | = | !=
//! ```
//!
//! Names are taken literally and may contain any characters: `P-start`, `slot[3]`, `a->b`. Where a
//! name is expected, the *longest* name of the model that the text continues with is taken, unless
//! it ends inside a word; so `a-b` is the place `a-b` if it exists and otherwise `a` minus `b`, and
//! blanks around the minus make no difference. A text that is a name as a whole denotes that name;
//! inside `fires( )` and `fireable( )` names may also be quoted. Digits are a number unless a
//! longer name starts with them; a place called `1` can be written `tokens(1)`.
//!
//! Syntactically equivalent texts such as `"p >= 1"`, `"0 < p"`, `p` have the same canonical text
//! and denote one atom: all variables are moved to the left, `<` and `>` become `<=` and `>=`,
//! common divisors are removed, and the first coefficient is made positive.

mod canonical;
mod comparison;

use std::ops::Range;

use lariat_ltl::{AtomError, RawAtom};

use crate::finding::OVERFLOW;
use crate::labels::NodeKind;
use crate::names::{NameKind, Names};
use crate::nearest::suggestion;
use crate::predicate::{Predicate, Proposition};
use crate::system::{EventId, Value, VarId};

/// A resolved atom: its canonical text and its meaning.
pub type ParsedAtom = (String, Proposition);

/// A sum of variables and a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokenSum {
    /// The variables, possibly repeated.
    pub vars: Vec<VarId>,
    /// The constant.
    pub constant: Value,
}

const FUNCTIONS: [&str; 3] = ["fires", "fireable", "tokens"];
/// The function of an assertion.
const ASSERT: &str = "assert";

impl Names<'_> {
    /// Returns whether `word(…)` is an atom.
    pub fn is_function(&self, word: &str) -> bool {
        FUNCTIONS.contains(&word)
            || (word == "deadlock" && self.contains(word))
            || (word == ASSERT && !self.system().findings.is_empty())
    }

    /// The finding with this atom, unless the text is a name of the model.
    fn finding(&self, text: &str) -> Option<ParsedAtom> {
        let declared = self.system().findings.iter();
        let mut declared = declared.filter(|finding| finding.atom() == text);
        let found = declared.next().cloned();
        let found = found.or_else(|| match text {
            OVERFLOW => self.system().overflow_finding(),
            _ => None,
        })?;
        Some((found.atom(), Proposition::State(found.truth())))
    }

    fn assertion(&self, name: &str) -> Result<ParsedAtom, AtomError> {
        let name = name.trim();
        let found = self.finding(&format!("{ASSERT}({name})"));
        found.ok_or_else(|| {
            let error = AtomError::new(format!("no assertion is called `{name}`"));
            let findings = self.system().findings.iter();
            let claims = findings.filter(|finding| finding.is_claim());
            match suggestion(name, claims.map(|finding| &*finding.name)) {
                Some(nearest) => error.help(nearest),
                None => error,
            }
        })
    }

    /// Resolves an atom; returns its canonical text, which uses ids, and its meaning.
    ///
    /// If nodes have names besides their ids, the text must not have another meaning by ids alone,
    /// such as `"a-b >= 1"` where `a` and `b` are ids and another place is called `a-b`.
    pub fn atom(&self, atom: RawAtom<'_>) -> Result<ParsedAtom, AtomError> {
        let parsed = self.parsed(atom)?;
        if !self.has_labels() {
            return Ok(parsed);
        }
        match self.by_ids().parsed(atom) {
            Ok(by_ids) if by_ids.1 != parsed.1 => {
                let (ids, labels) = (by_ids.0, parsed.0);
                let message = format!("the atom is `{ids}` by ids and `{labels}` by names");
                Err(AtomError::new(message).help("write the ids of the places or transitions"))
            }
            _ => Ok(parsed),
        }
    }

    fn parsed(&self, atom: RawAtom<'_>) -> Result<ParsedAtom, AtomError> {
        match atom {
            RawAtom::Word(word) => match self.operators_before_id(word) {
                Some(error) => Err(error),
                None => self.word(word),
            },
            RawAtom::Quoted(text) => self.quoted(text),
            RawAtom::Call(function, arguments) => self.call(function, arguments),
        }
    }

    /// The error for a bare `GFa` that is the name of a node and also `G F a` for an id `a`.
    fn operators_before_id(&self, word: &str) -> Option<AtomError> {
        if !self.has_labels() || self.is_id(word, NameKind::Any) {
            return None;
        }
        let rest = word.trim_start_matches(['G', 'F', 'X']);
        let before = word.len() - rest.len();
        // Operators may end before the last such letter.
        let split = (1..=before).find(|at| {
            let id = &word[*at..];
            self.is_id(id, NameKind::Any) || ["true", "false", "deadlock"].contains(&id)
        })?;
        let operators: Vec<String> = word[..split].chars().map(String::from).collect();
        let (operators, id) = (operators.join(" "), &word[split..]);
        let message = format!("`{word}` is a name and also `{operators} {id}`");
        Some(AtomError::new(message).help(format!(
            "write \"{word}\" for the name, {operators} {id} for the formula"
        )))
    }

    fn word(&self, word: &str) -> Result<ParsedAtom, AtomError> {
        for kind in [NodeKind::Place, NodeKind::Transition] {
            if let Some(error) = self.ambiguity(word, kind) {
                return Err(error);
            }
        }
        let truth = self.truth(word);
        let events = self.events(word);
        match (truth, events) {
            (Some(_), Some(_)) => {
                let message = format!("`{word}` is both a place and a transition");
                Err(AtomError::new(message).help(format!(
                    "write \"{word} >= 1\" for the place is marked, fires({word}) for the transition is taken, fireable({word}) for it is enabled"
                )))
            }
            (Some(_), None) | (None, Some(_)) if word == "deadlock" => {
                let message = "`deadlock` is a name of this model and the keyword for deadlocks";
                Err(AtomError::new(message).help(
                    "write deadlock() for the state, \"tokens(deadlock) >= 1\" for the place, fires(deadlock) for the transition",
                ))
            }
            (Some(Predicate::Linear(linear)), None) if self.defined_truth(word).is_none() => {
                Ok(self.predicate(linear))
            }
            (Some(truth), None) => Ok((word.to_owned(), Proposition::State(truth))),
            (None, Some(events)) => Ok(self.fires(events)),
            (None, None) if word == "deadlock" => Ok(self.deadlock()),
            (None, None) => self.finding(word).ok_or_else(|| match self.expressions {
                Some(scope) if scope.is_array(word) => match scope.atom(word) {
                    Err(error) => error,
                    Ok(_) => self.unknown(word, NameKind::Any, None),
                },
                _ => self.unknown(word, NameKind::Any, None),
            }),
        }
    }

    fn quoted(&self, text: &str) -> Result<ParsedAtom, AtomError> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(AtomError::new("the quotes are empty: expected an atom"));
        }
        if trimmed == "deadlock" || self.contains(trimmed) {
            return self.word(trimmed);
        }
        if let Some(finding) = self.finding(trimmed) {
            return Ok(finding);
        }
        let inner = trimmed.strip_suffix(')');
        for function in ["fires", "fireable", "deadlock", ASSERT] {
            if function == ASSERT && !self.is_function(ASSERT) {
                continue;
            }
            let Some(arguments) = inner
                .and_then(|call| call.strip_prefix(function))
                .and_then(|rest| rest.trim_start().strip_prefix('('))
            else {
                continue;
            };
            // `fires(a) >= fires(b)` also starts and ends like a call; parsing the list reports the
            // error.
            let at = blanks(text) + trimmed.len() - 1 - arguments.len();
            let called = self.call(function, arguments);
            return called.map_err(|error| shifted(error, at));
        }
        if let Some(scope) = self.expressions {
            // Names as in traces, `P.x` for a variable of P, are no expressions.
            return match scope.atom(text) {
                Ok((text, predicate)) => Ok((text, Proposition::State(predicate))),
                Err(error) => self.comparison(text).map_err(|_| error),
            };
        }
        self.comparison(text)
    }

    fn call(&self, function: &str, arguments: &str) -> Result<ParsedAtom, AtomError> {
        match function {
            "fires" => Ok(self.fires(self.event_list(arguments)?)),
            "fireable" => Ok(self.fireable(self.event_list(arguments)?)),
            "deadlock" if arguments.trim().is_empty() => Ok(self.deadlock()),
            ASSERT => self.assertion(arguments),
            "tokens" => {
                let error = AtomError::new("a number of tokens must be compared with something");
                Err(error.help(format!(
                    "put the whole comparison into quotes: \"tokens({}) >= 1\"",
                    arguments.trim()
                )))
            }
            _ => Err(AtomError::new(format!("`{function}` is no function"))
                .help("expected fires, fireable or tokens")),
        }
    }

    fn event_list(&self, arguments: &str) -> Result<Vec<EventId>, AtomError> {
        let mut events = Vec::new();
        self.list(arguments, NameKind::Event, |name| {
            events.extend(self.events(name).unwrap_or_default());
        })?;
        Ok(events)
    }

    /// Parses a comma-separated list of names, each as long as possible.
    fn list(
        &self,
        text: &str,
        sort: NameKind,
        mut each: impl FnMut(&str),
    ) -> Result<(), AtomError> {
        let mut at = 0;
        loop {
            at += blanks(&text[at..]);
            let rest = &text[at..];
            let ends = |rest: &str| {
                let rest = rest.trim_start();
                rest.is_empty() || rest.starts_with(',')
            };
            let Some((name, len)) = self.listed(rest, sort, ends) else {
                let end = rest.find(',').unwrap_or(rest.len());
                let word = rest[..end].trim_end();
                if word.is_empty() {
                    let what = match sort {
                        NameKind::Event => "expected the name of a transition",
                        _ => "expected the name of a place",
                    };
                    return Err(AtomError::new(what).at(at..at + end.max(1)));
                }
                return Err(self.unknown(word, sort, Some(at..at + word.len())));
            };
            let kind = match sort {
                NameKind::Event => NodeKind::Transition,
                NameKind::Number | NameKind::Any => NodeKind::Place,
            };
            if let Some(error) = self.ambiguity(name, kind) {
                return Err(error.at(at..at + len));
            }
            each(name);
            at += len;
            at += blanks(&text[at..]);
            if at == text.len() {
                return Ok(());
            }
            at += 1;
        }
    }

    /// The name that `text` starts with, optionally quoted, and the length of its spelling.
    fn listed<'t>(
        &self,
        text: &'t str,
        sort: NameKind,
        ends: impl Fn(&str) -> bool,
    ) -> Option<(&'t str, usize)> {
        if let Some(len) = self.longest_prefix(text, sort, &ends) {
            return Some((&text[..len], len));
        }
        let quoted = text.strip_prefix('"')?;
        let (name, rest) = quoted.split_once('"')?;
        (self.is(name, sort) && ends(rest)).then_some((name, name.len() + 2))
    }

    fn unknown(&self, word: &str, sort: NameKind, span: Option<Range<usize>>) -> AtomError {
        let net = self.system().has_places_only();
        let other = match sort {
            NameKind::Event if self.is(word, NameKind::Number) && net => {
                Some("a place, not a transition")
            }
            NameKind::Number if self.is(word, NameKind::Event) && net => {
                Some("a transition, not a place")
            }
            NameKind::Event if self.is(word, NameKind::Number) => Some("a variable, not an event"),
            NameKind::Number if self.is(word, NameKind::Event) => Some("an event, not a variable"),
            _ => None,
        };
        let error = |message: String, help| AtomError {
            message,
            help,
            span: span.clone(),
        };
        if let Some(other) = other {
            return error(format!("`{word}` is {other}"), None);
        }
        let split = word.strip_suffix(')').and_then(|w| w.rsplit_once('('));
        if let Some((name, inside)) = split
            && let Some((message, help)) = self.misfit(name, inside)
        {
            return error(message, Some(help));
        }
        let what = match (sort, net) {
            (NameKind::Number, true) => "place",
            (NameKind::Event, true) => "transition",
            (NameKind::Any, true) => "place or transition",
            (NameKind::Number, false) => "variable",
            (NameKind::Event, false) => "event",
            (NameKind::Any, false) => "variable, state or event",
        };
        let near = self.nearest(word, sort);
        let near: Vec<String> = near.iter().map(|name| format!("\"{name}\"")).collect();
        let help = match &near[..] {
            [] => None,
            [only] => Some(format!("did you mean {only}?")),
            [first @ .., last] => Some(format!("did you mean {} or {last}?", first.join(", "))),
        };
        error(format!("no {what} is called `{word}`"), help)
    }
}

/// An error about a part of a text that starts at `by`.
fn shifted(mut error: AtomError, by: usize) -> AtomError {
    error.span = error.span.map(|s| s.start + by..s.end + by);
    error
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start().len()
}
