//! Fairness constraints on runs, stated in terms of events and states instead of formulas.
//!
//! A constraint has an *enabledness*, a predicate, and events that *satisfy* it:
//!
//! ```text
//! weak    one of its events is taken infinitely often, or it is disabled infinitely often
//!         GF(taken ∨ ¬enabled)
//! strong  if it is enabled infinitely often, one of its events is taken infinitely often
//!         GF enabled → GF taken
//! ```
//!
//! An event, or a group of events such as the steps of a process or the bindings of a coloured
//! transition, is enabled if some event of the group is. The enabledness of a state predicate `p`
//! is `¬p`, satisfied by no event: weakly fair runs are those on which `p` holds infinitely often,
//! which is generalized Büchi fairness. Nothing is enabled in a deadlock, so runs that end in one
//! are always fair.
//!
//! A run is fair if it satisfies every constraint. A property holds under fairness if all fair runs
//! satisfy it.

use crate::labels::NodeKind;
use crate::names::{NameKind, Names};
use crate::predicate::{Predicate, Proposition};
use crate::system::EventId;
use lariat_ltl::{AtomError, RawAtom};

/// The strength of a constraint.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Strength {
    /// Not continuously enabled from some point on without being taken.
    Weak,
    /// Not enabled infinitely often without being taken infinitely often.
    Strong,
}

impl Strength {
    /// The keyword of the strength.
    pub fn name(self) -> &'static str {
        match self {
            Strength::Weak => "weak",
            Strength::Strong => "strong",
        }
    }
}

/// One fairness constraint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// Its subject as named by the user.
    pub name: String,
    /// Its strength.
    pub strength: Strength,
    /// The states in which it is enabled; none is a deadlock.
    pub enabled: Predicate,
    /// The events that satisfy it, sorted.
    pub taken: Vec<EventId>,
}

impl Constraint {
    /// Fairness of a group of events.
    pub fn of_events(
        name: impl Into<String>,
        strength: Strength,
        events: Vec<EventId>,
    ) -> Constraint {
        Constraint {
            name: name.into(),
            strength,
            enabled: Predicate::Enabled(events.clone()),
            taken: events,
        }
    }

    /// The constraint that a predicate holds infinitely often on runs that do not end in a
    /// deadlock.
    pub fn recurring(name: impl Into<String>, predicate: Predicate) -> Constraint {
        let neither = [predicate, Predicate::Deadlock].map(|p| Predicate::Not(Box::new(p)));
        Constraint {
            name: name.into(),
            strength: Strength::Weak,
            enabled: Predicate::And(neither.into()),
            taken: Vec::new(),
        }
    }

    /// The propositions observed by the constraint: its enabledness and its events.
    pub fn propositions(&self) -> [Proposition; 2] {
        [
            Proposition::State(self.enabled.clone()),
            Proposition::Fires(self.taken.clone()),
        ]
    }

    /// Translates the constraint to another system, given the translations of its
    /// [`propositions`](Constraint::propositions); `None` if these form no constraint.
    pub fn about(&self, [enabled, taken]: [Proposition; 2]) -> Option<Constraint> {
        let Proposition::State(enabled) = enabled else {
            return None;
        };
        let taken = match taken {
            Proposition::Fires(events) => events,
            // All events were removed.
            Proposition::State(Predicate::Const(false)) => Vec::new(),
            Proposition::State(_) => return None,
        };
        Some(Constraint {
            enabled,
            taken,
            ..self.clone()
        })
    }
}

/// A fairness assumption on runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fairness {
    /// The assumptions as written: `weak all`, `strong take_*`.
    pub told: Vec<String>,
    /// The constraints.
    pub constraints: Vec<Constraint>,
}

impl Fairness {
    /// Prefix of the names of processes.
    pub const PROCESS: &str = "process:";

    /// Returns whether nothing is assumed.
    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty()
    }

    /// The greatest strength of the constraints; `None` if nothing is assumed.
    pub fn strength(&self) -> Option<Strength> {
        self.constraints.iter().map(|c| c.strength).max()
    }

    /// The conjunction of both assumptions.
    #[must_use]
    pub fn and(mut self, other: &Fairness) -> Fairness {
        for told in &other.told {
            if !self.told.contains(told) {
                self.told.push(told.clone());
            }
        }
        self.extend(other.constraints.iter().cloned());
        self
    }

    fn extend(&mut self, constraints: impl IntoIterator<Item = Constraint>) {
        for constraint in constraints {
            if !self.constraints.contains(&constraint) {
                self.constraints.push(constraint);
            }
        }
    }

    /// Adds the constraints that `what` denotes: `all` events, an event or a group of events by
    /// name, a pattern of names with `*` and `?`, `process:P` or all `processes`, or a predicate in
    /// the syntax of quoted atoms.
    ///
    /// Duplicates are ignored.
    pub fn add(
        &mut self,
        names: &Names<'_>,
        strength: Strength,
        what: &str,
    ) -> Result<(), AtomError> {
        let what = what.trim();
        let unquoted = what
            .strip_prefix('"')
            .and_then(|what| what.strip_suffix('"'));
        let what = unquoted.unwrap_or(what);
        let found = parse(names, strength, what)?;
        let told = format!("{} {what}", strength.name());
        if !self.told.contains(&told) {
            self.told.push(told);
        }
        self.extend(found);
        Ok(())
    }
}

fn parse(names: &Names<'_>, strength: Strength, what: &str) -> Result<Vec<Constraint>, AtomError> {
    let system = names.system();
    let single =
        |event: EventId| Constraint::of_events(&*system.event(event).name, strength, vec![event]);
    if let Some(error) = names.ambiguity(what, NodeKind::Transition) {
        return Err(error);
    }
    if let Some(events) = names.events(what) {
        return Ok(vec![Constraint::of_events(what, strength, events)]);
    }
    if what == ALL {
        return Ok(system.event_ids().map(single).collect());
    }
    if what == PROCESSES || what == "process" {
        let processes: Vec<Constraint> = (names.groups(Fairness::PROCESS).into_iter())
            .map(|(name, events)| Constraint::of_events(name, strength, events.to_vec()))
            .collect();
        if processes.is_empty() {
            let error = AtomError::new("this model has no processes");
            return Err(error.help("only programs (DVE, Promela) have processes"));
        }
        return Ok(processes);
    }
    if let Some(process) = what.strip_prefix(Fairness::PROCESS) {
        let known: Vec<&str> = names
            .groups(Fairness::PROCESS)
            .into_iter()
            .map(|(name, _)| &name[Fairness::PROCESS.len()..])
            .collect();
        let help = if known.is_empty() {
            "only programs (DVE, Promela) have processes".to_owned()
        } else {
            format!("the processes are {}", known.join(", "))
        };
        return Err(AtomError::new(format!("no process is called `{process}`")).help(help));
    }
    let is_pattern = what.contains(['*', '?']);
    if is_pattern {
        let matching = matching(names, what)?;
        if !matching.is_empty() {
            return Ok(matching.into_iter().map(single).collect());
        }
    }
    let no_event = || AtomError::new(format!("`{what}` is no event of this model"));
    let nothing = |error: AtomError| match names.nearest(what, NameKind::Event)[..] {
        _ if is_pattern => AtomError::new(format!("no event name matches `{what}`")).help(HELP),
        [near, ..] => no_event().help(format!("did you mean `{near}`? {HELP}")),
        [] if !what.contains(['<', '>', '=', '!', '(']) => no_event().help(HELP),
        [] => AtomError {
            help: Some(error.help.unwrap_or_else(|| HELP.to_owned())),
            ..error
        },
    };
    let (text, proposition) = names.atom(RawAtom::Quoted(what)).map_err(nothing)?;
    if strength == Strength::Strong {
        let message = format!("strong fairness is about events, and `{text}` is about states");
        let help = "use weak fairness for a predicate that holds infinitely often";
        return Err(AtomError::new(message).help(help));
    }
    match proposition {
        Proposition::State(predicate) if names.known(&predicate).is_some() => {
            let error = AtomError::new(format!("`{text}` has no value in some states"));
            Err(error.help("fairness needs a predicate that is true or false in every state"))
        }
        Proposition::State(predicate) => Ok(vec![Constraint::recurring(text, predicate)]),
        Proposition::Fires(events) => Ok(vec![Constraint {
            enabled: Predicate::Not(Box::new(Predicate::Deadlock)),
            ..Constraint::of_events(text, strength, events)
        }]),
    }
}

/// The events whose ids match a pattern, or else those whose names do.
fn matching(names: &Names<'_>, pattern: &str) -> Result<Vec<EventId>, AtomError> {
    let system = names.system();
    let by_id = { system.event_ids() }
        .filter(|event| matches(pattern, &system.event(*event).name))
        .collect::<Vec<_>>();
    let by_name = { system.event_ids() }
        .filter(|event| { names.label(*event) }.is_some_and(|name| matches(pattern, &name)))
        .collect::<Vec<_>>();
    if by_id.is_empty() || by_name.is_empty() || by_id == by_name {
        return Ok(if by_id.is_empty() { by_name } else { by_id });
    }
    let message = format!("`{pattern}` matches ids of some transitions and names of others");
    Err(AtomError::new(message).help("name the transitions, or use a longer pattern"))
}

const ALL: &str = "all";
const PROCESSES: &str = "processes";
const HELP: &str = "expected `all`, an event, a pattern such as take_*, process:P, processes, or a predicate such as \"p >= 1\"";

/// Returns whether a name matches a pattern, in which `*` is any text and `?` any character.
fn matches(pattern: &str, name: &str) -> bool {
    let [pattern, name] = [pattern, name].map(|text| text.chars().collect::<Vec<char>>());
    let (mut p, mut n) = (0, 0);
    // Position of the last `*` and of the text after its current match.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match &mut star {
                Some((at, taken)) => {
                    *taken += 1;
                    (p, n) = (*at + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("take_*", "take_1", true),
            ("take_*", "take_", true),
            ("take_?", "take_12", false),
            ("*_1", "take_1_1", true),
            ("*", "", true),
            ("a*b*c", "aXbbYc", true),
            ("a*b", "ac", false),
            ("t(*)", "t(x=1,y=2)", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
