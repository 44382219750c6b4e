//! The names that formulas may use, their meanings, and suggestions for misspelt ones.
//!
//! Every variable and event of a [`System`] is known by its name. Formats in which one name denotes
//! several of them (a coloured place or transition) or a predicate (a program's location) add it
//! with [`Names::define`]. Definitions hide nothing: a name may have one meaning as a number and
//! another as an event.
//!
//! Nodes of a net may have names besides their ids ([`Labels`]). A name that denotes several nodes,
//! or is also the id of another node, is *ambiguous*: the name has no meaning, and its use in an
//! atom is an error.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use lariat_ltl::AtomError;
use rustc_hash::FxHashMap;

use crate::coloured::UnfoldedNames;
use crate::labels::{Labels, NodeKind};
use crate::predicate::{Comparison, Linear, Predicate};
use crate::system::{Domain, EventId, System, VarId};

/// A meaning of a name besides the variable and event of that name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Definition {
    /// The sum of these variables, sorted.
    Sum(Vec<VarId>),
    /// Any of these events, sorted.
    Events(Vec<EventId>),
    /// A state predicate.
    Truth(Predicate),
}

/// Parser for expressions of a modelling language as atoms of formulas.
pub trait Expressions: fmt::Debug + Send + Sync {
    /// Returns whether this is the name of an array, which has no value without an index.
    fn is_array(&self, name: &str) -> bool;

    /// Parses an expression; returns its canonical text and the predicate that it is not 0.
    fn atom(&self, text: &str) -> Result<(String, Predicate), AtomError>;

    /// Translates a formula as users of the modelling language write it to one with quoted atoms;
    /// `None` if the language has no formulas.
    fn formula(&self, _text: &str) -> Option<Result<String, AtomError>> {
        None
    }
}

/// The kinds of meanings that a context accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NameKind {
    Number,
    Event,
    Any,
}

/// All names of a system.
#[derive(Clone, Debug)]
pub struct Names<'s> {
    system: &'s System,
    variables: Arc<FxHashMap<&'s str, VarId>>,
    events: Arc<FxHashMap<&'s str, EventId>>,
    defined: FxHashMap<String, Vec<Definition>>,
    /// Parser for expressions, if the model's language has more than comparisons of sums.
    pub(crate) expressions: Option<&'s dyn Expressions>,
    /// Partial predicates and their definedness predicates.
    partial: FxHashMap<Predicate, Predicate>,
    /// Names of unfolded places and transitions with their colours and bindings.
    pub(crate) colours: Option<UnfoldedNames<'s>>,
    /// Names of nodes besides their ids, if there are any.
    labels: Option<&'s Labels>,
    /// Lengths of the names in bytes, longest first.
    lengths: Vec<usize>,
}

impl<'s> Names<'s> {
    /// The names of all variables and events.
    pub fn of(system: &'s System) -> Names<'s> {
        let variables: FxHashMap<&str, VarId> = system
            .var_ids()
            .map(|var| (&*system.variable(var).name, var))
            .collect();
        let events: FxHashMap<&str, EventId> = system
            .event_ids()
            .map(|event| (&*system.event(event).name, event))
            .collect();
        let names = variables.keys().chain(events.keys());
        let mut lengths: Vec<usize> = names.map(|name| name.len()).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.dedup();
        Names {
            system,
            variables: Arc::new(variables),
            events: Arc::new(events),
            defined: FxHashMap::default(),
            expressions: None,
            partial: FxHashMap::default(),
            colours: None,
            labels: None,
            lengths,
        }
    }

    /// Adds a parser for quoted atoms as expressions of a program.
    #[must_use]
    pub fn with_expressions(mut self, expressions: &'s dyn Expressions) -> Names<'s> {
        self.expressions = Some(expressions);
        self
    }

    /// Adds the names of the coloured net that the system was unfolded from.
    #[must_use]
    pub fn with_colours(mut self, colours: UnfoldedNames<'s>) -> Names<'s> {
        self.lengths.extend(colours.ids().map(str::len));
        self.sort_lengths();
        self.colours = Some(colours);
        self
    }

    /// Adds the names of nodes besides their ids. Call it after [`Names::with_colours`].
    #[must_use]
    pub fn with_labels(mut self, labels: &'s Labels) -> Names<'s> {
        if labels.is_empty() {
            return self;
        }
        let prefixed = self.lengths.iter().map(|len| len + Labels::ID.len());
        self.lengths = (self.lengths.iter().copied().chain(prefixed))
            .chain(labels.all().map(str::len))
            .collect();
        self.sort_lengths();
        self.labels = Some(labels);
        self
    }

    /// A copy without the names of nodes besides their ids.
    #[must_use]
    pub fn by_ids(&self) -> Names<'s> {
        Names {
            labels: None,
            ..self.clone()
        }
    }

    /// Returns whether nodes have names besides their ids.
    pub(crate) fn has_labels(&self) -> bool {
        self.labels.is_some()
    }

    /// The name of an event besides its id, even if it is not unique.
    pub(crate) fn label(&self, event: EventId) -> Option<Cow<'_, str>> {
        self.labels?.name(&self.system.event(event).name)
    }

    /// The error message and advice for `name(inside)`, where `name` denotes a coloured node that
    /// has no such colour or binding.
    pub(crate) fn misfit(&self, name: &str, inside: &str) -> Option<(String, String)> {
        let colours = self.colours.as_ref()?;
        let labelled = self.labels.into_iter().flat_map(|labels| {
            let places = labels.ids(NodeKind::Place, name);
            places.chain(labels.ids(NodeKind::Transition, name))
        });
        let mut ids = std::iter::once(Cow::Borrowed(name)).chain(labelled);
        ids.find_map(|id| colours.misfit(&id, name, inside))
    }

    fn sort_lengths(&mut self) {
        self.lengths.sort_unstable_by(|a, b| b.cmp(a));
        self.lengths.dedup();
    }

    /// Adds a meaning to a name.
    pub fn define(&mut self, name: impl Into<String>, meaning: Definition) {
        let name = name.into();
        if let Err(at) = self.lengths.binary_search_by(|l| name.len().cmp(l)) {
            self.lengths.insert(at, name.len());
        }
        self.defined.entry(name).or_default().push(meaning);
    }

    /// Declares `truth` partial and defined where `known` holds.
    pub fn define_partial(&mut self, truth: Predicate, known: Predicate) {
        let known = match self.partial.remove(&truth) {
            Some(other) if other != known => Predicate::And(vec![other, known]),
            _ => known,
        };
        self.partial.insert(truth, known);
    }

    /// The states in which a predicate has a value; `None` if it always has.
    pub fn known(&self, truth: &Predicate) -> Option<Predicate> {
        match self.partial.get(truth) {
            Some(known) => Some(known.clone()),
            None => truth.known(),
        }
    }

    /// The system whose names these are.
    pub fn system(&self) -> &'s System {
        self.system
    }

    /// The variables whose sum `name` denotes; `None` also if it is ambiguous.
    pub fn number(&self, name: &str) -> Option<Vec<VarId>> {
        self.denoted(name, NodeKind::Place, Names::number_by_id)
    }

    /// The events that `name` denotes; `None` also if it is ambiguous.
    pub fn events(&self, name: &str) -> Option<Vec<EventId>> {
        self.denoted(name, NodeKind::Transition, Names::events_by_id)
    }

    fn denoted<T>(
        &self,
        name: &str,
        kind: NodeKind,
        by_id: impl Fn(&Names<'s>, &str) -> Option<T>,
    ) -> Option<T> {
        if self.labels.is_none() {
            return by_id(self, name);
        }
        match &self.ids(name, kind)[..] {
            [only] => by_id(self, only),
            _ => None,
        }
    }

    /// The ids that a name may denote: those of the nodes with this name, the name itself if it is
    /// an id, and ID for `id:ID`.
    fn ids<'n>(&'n self, name: &'n str, kind: NodeKind) -> Vec<Cow<'n, str>> {
        let Some(labels) = self.labels else {
            return Vec::new();
        };
        let sort = match kind {
            NodeKind::Place => NameKind::Number,
            NodeKind::Transition => NameKind::Event,
        };
        let prefixed = name.strip_prefix(Labels::ID);
        let own = [Some(name), prefixed].into_iter().flatten();
        let own = own.filter(|id| self.is_id(id, sort));
        own.map(Cow::Borrowed)
            .chain(labels.ids(kind, name).filter(|id| self.is_id(id, sort)))
            .collect()
    }

    /// The error for a name that denotes several nodes of a kind.
    pub fn ambiguity(&self, name: &str, kind: NodeKind) -> Option<AtomError> {
        /// Limit on the ids that are listed.
        const LISTED: usize = 4;
        let ids = self.ids(name, kind);
        if ids.len() < 2 {
            return None;
        }
        let what = match kind {
            NodeKind::Place => "place",
            NodeKind::Transition => "transition",
        };
        let is_id = ids.iter().any(|id| *id == name);
        let also = if is_id {
            format!("both the id of a {what} and the name of another")
        } else {
            format!("the name of {} {what}s", ids.len())
        };
        let spelt = |id: &Cow<'_, str>| match *id == name {
            true => format!("\"{}{name}\"", Labels::ID),
            false => format!("\"{id}\""),
        };
        let mut listed: Vec<String> = ids.iter().take(LISTED).map(spelt).collect();
        if ids.len() > LISTED {
            listed.push("…".to_owned());
        }
        let error = AtomError::new(format!("`{name}` is {also}"));
        Some(error.help(format!("write the id: {}", listed.join(" or "))))
    }

    /// The variables of the place or variable with this id.
    fn number_by_id(&self, name: &str) -> Option<Vec<VarId>> {
        let own = self.variables.get(name).map(|v| vec![*v]);
        let defined = || {
            self.meanings(name).find_map(|meaning| match meaning {
                Definition::Sum(vars) => Some(vars.clone()),
                _ => None,
            })
        };
        let coloured = || self.colours.as_ref()?.number(name);
        own.or_else(defined).or_else(coloured)
    }

    /// The events of the transition or event with this id.
    fn events_by_id(&self, name: &str) -> Option<Vec<EventId>> {
        let own = self.events.get(name).map(|e| vec![*e]);
        let defined = || {
            self.meanings(name).find_map(|meaning| match meaning {
                Definition::Events(events) => Some(events.clone()),
                _ => None,
            })
        };
        let coloured = || self.colours.as_ref()?.events(name);
        own.or_else(defined).or_else(coloured)
    }

    /// Groups of events with this name prefix, by name.
    pub(crate) fn groups(&self, beginning: &str) -> Vec<(&str, &[EventId])> {
        let mut groups = Vec::new();
        for (name, meanings) in &self.defined {
            if !name.starts_with(beginning) {
                continue;
            }
            for meaning in meanings {
                if let Definition::Events(events) = meaning {
                    groups.push((&**name, &**events));
                }
            }
        }
        groups.sort_unstable();
        groups
    }

    /// The predicate that `name` alone denotes: a place is marked, a variable is not 0.
    pub fn truth(&self, name: &str) -> Option<Predicate> {
        self.defined_truth(name)
            .or_else(|| self.number(name).map(|vars| self.nonzero(&vars)))
    }

    /// The predicate that `name` was defined as.
    pub(crate) fn defined_truth(&self, name: &str) -> Option<Predicate> {
        self.meanings(name).find_map(|meaning| match meaning {
            Definition::Truth(predicate) => Some(predicate.clone()),
            _ => None,
        })
    }

    /// The predicate that the sum of the variables is not 0; for counts, at least 1.
    pub(crate) fn nonzero(&self, vars: &[VarId]) -> Predicate {
        let counts = vars
            .iter()
            .all(|v| matches!(self.system.variable(*v).domain, Domain::Count { .. }));
        Predicate::Linear(Linear {
            terms: vars.iter().map(|v| (*v, 1)).collect(),
            comparison: if counts {
                Comparison::Ge
            } else {
                Comparison::Ne
            },
            constant: i64::from(counts),
        })
    }

    /// Returns whether the name has any meaning.
    pub fn contains(&self, name: &str) -> bool {
        self.is(name, NameKind::Any)
    }

    pub(crate) fn is(&self, name: &str, sort: NameKind) -> bool {
        let labelled = |kind| !self.ids(name, kind).is_empty();
        self.is_id(name, sort)
            || self.has_labels()
                && match sort {
                    NameKind::Number => labelled(NodeKind::Place),
                    NameKind::Event => labelled(NodeKind::Transition),
                    NameKind::Any => labelled(NodeKind::Place) || labelled(NodeKind::Transition),
                }
    }

    /// Returns whether the name has a meaning of this kind, apart from names of nodes besides ids.
    pub(crate) fn is_id(&self, name: &str, sort: NameKind) -> bool {
        let defined = |wanted: fn(&Definition) -> bool| self.meanings(name).any(wanted);
        let coloured = |wanted: fn(&UnfoldedNames<'_>, &str) -> bool| {
            self.colours
                .as_ref()
                .is_some_and(|names| wanted(names, name))
        };
        match sort {
            NameKind::Number => {
                self.variables.contains_key(name)
                    || defined(|m| matches!(m, Definition::Sum(_)))
                    || coloured(|names, name| names.is_place(name))
            }
            NameKind::Event => {
                self.events.contains_key(name)
                    || defined(|m| matches!(m, Definition::Events(_)))
                    || coloured(|names, name| names.is_transition(name))
            }
            NameKind::Any => {
                self.variables.contains_key(name)
                    || self.events.contains_key(name)
                    || self.defined.contains_key(name)
                    || self.expressions.is_some_and(|scope| scope.is_array(name))
                    || coloured(|names, name| names.is_place(name) || names.is_transition(name))
            }
        }
    }

    fn meanings(&self, name: &str) -> impl Iterator<Item = &Definition> {
        self.defined.get(name).into_iter().flatten()
    }

    /// The length in bytes of the longest name of this sort that is a prefix of `text` such that
    /// `ends` accepts the rest.
    pub(crate) fn longest_prefix(
        &self,
        text: &str,
        sort: NameKind,
        ends: impl Fn(&str) -> bool,
    ) -> Option<usize> {
        let fits = |len: &usize| {
            text.split_at_checked(*len)
                .is_some_and(|(name, rest)| self.is(name, sort) && ends(rest))
        };
        let listed = self
            .lengths
            .iter()
            .copied()
            .find(|len| *len > 0 && fits(len));
        if self.colours.is_none() {
            return listed;
        }
        /// Limit on the closing parentheses tried as the end of a name of a colour or binding.
        const PARENTHESES: usize = 8;
        let closed = text.match_indices(')').map(|(at, _)| at + 1);
        let coloured = closed.take(PARENTHESES).filter(fits).max();
        coloured.max(listed)
    }

    /// Up to three names similar to a misspelt one, nearest first.
    pub(crate) fn nearest(&self, wrong: &str, sort: NameKind) -> Vec<&str> {
        /// Limit on the length of names compared.
        const LONGEST: usize = 200;
        let wrong: Vec<char> = wrong.chars().take(LONGEST + 1).collect();
        if wrong.len() > LONGEST {
            return Vec::new();
        }
        let limit = (wrong.len() / 3).clamp(1, 6);
        let base = self.variables.keys().chain(self.events.keys()).copied();
        let defined = self.defined.keys().map(|name| &**name);
        let coloured = self.colours.iter().flat_map(|names| names.ids());
        let labels = self.labels.iter().flat_map(|labels| labels.all());
        let mut near: Vec<(usize, &str)> = base
            .chain(defined)
            .chain(coloured)
            .chain(labels)
            .filter(|name| self.is(name, sort))
            .filter_map(|name| Some((distance(&wrong, name, limit)?, name)))
            .collect();
        near.sort_unstable();
        near.dedup();
        near.truncate(3);
        near.into_iter().map(|(_, name)| name).collect()
    }
}

/// The edit distance of two words: insertions, deletions, replacements and swaps of neighbours,
/// ignoring case; `None` if it exceeds `limit`.
pub(crate) fn distance(wrong: &[char], name: &str, limit: usize) -> Option<usize> {
    if name.len() > 4 * (wrong.len() + limit) {
        return None;
    }
    let name: Vec<char> = name.chars().collect();
    if name.len().abs_diff(wrong.len()) > limit {
        return None;
    }
    let same = |a: char, b: char| a == b || a.eq_ignore_ascii_case(&b);
    // Rows i - 1 and i of the table: distances of the first i letters to all prefixes of the name.
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=name.len()).collect();
    for (i, a) in wrong.iter().enumerate() {
        let mut next = Vec::with_capacity(row.len());
        next.push(i + 1);
        for (j, b) in name.iter().enumerate() {
            let changed = row[j] + usize::from(!same(*a, *b));
            let mut least = changed.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && same(*a, name[j - 1]) && same(wrong[i - 1], *b) {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        // A swap refers to the row before the last.
        if next.iter().chain(&row).all(|d| *d > limit) {
            return None;
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|d| *d <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let d = |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), b, 3);
        assert_eq!(d("ork_1", "Fork_1"), Some(1));
        assert_eq!(d("fork_1", "Fork_1"), Some(0));
        assert_eq!(d("kitten", "sitting"), Some(3));
        assert_eq!(d("wrok", "work"), Some(1));
        assert_eq!(d("a", "bcdef"), None);
        assert_eq!(d("", ""), Some(0));
    }
}
