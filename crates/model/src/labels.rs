//! Names of places and transitions besides their ids.
//!
//! Many editors generate ids (`P6`) and store the user's names separately. Formulas may use both.
//! An id denotes its node; a name denotes the node that has it. If both readings exist and differ,
//! or several nodes have the name, it is ambiguous, and [`Names`](crate::Names) refuses it.
//!
//! In output a name replaces the id if no other place (or transition) has it, and no node has it as
//! its id, so that a shown name can be used in a formula. In a coloured net a name applies to all
//! instances: `Waiting(1,2)` for `p1(1,2)`.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

/// The kinds of nodes of a net.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// A place.
    Place,
    /// A transition.
    Transition,
}

/// A node whose name differs from its id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The kind of the node.
    pub kind: NodeKind,
    /// The id.
    pub id: String,
    /// The name, with runs of blanks as single blanks.
    pub name: String,
}

impl Label {
    /// The label of a node; `None` if its name is empty or equals the id.
    pub fn new(kind: NodeKind, id: &str, name: &str) -> Option<Label> {
        let words: Vec<&str> = name.split_whitespace().collect();
        let name = words.join(" ");
        (!name.is_empty() && name != id).then(|| Label {
            kind,
            id: id.to_owned(),
            name,
        })
    }
}

/// The names of the nodes of a net, where they differ from the ids.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Labels {
    /// The ids of the places with a name.
    places: FxHashMap<String, Vec<String>>,
    /// The ids of the transitions with a name.
    transitions: FxHashMap<String, Vec<String>>,
    /// The name of every labelled id, and whether output uses it.
    names: FxHashMap<String, (String, bool)>,
    is_coloured: bool,
}

impl Labels {
    /// Prefix that makes a name an id: `id:P1`.
    pub const ID: &str = "id:";

    /// The names of a net; `is_id` tells the ids of all nodes.
    pub fn new(list: Vec<Label>, is_coloured: bool, is_id: impl Fn(&str) -> bool) -> Labels {
        let mut labels = Labels {
            is_coloured,
            ..Labels::default()
        };
        for Label { kind, id, name } in list {
            // `a(b)` could be the colour b of a place called `a`.
            if name.starts_with(Labels::ID) || (is_coloured && name.ends_with(')')) {
                continue;
            }
            let of_kind = match kind {
                NodeKind::Place => &mut labels.places,
                NodeKind::Transition => &mut labels.transitions,
            };
            let ids = of_kind.entry(name.clone()).or_default();
            // A node may have its name twice.
            if ids.last() != Some(&id) {
                ids.push(id.clone());
            }
            labels.names.insert(id, (name, false));
        }
        for (name, ids) in labels.places.iter().chain(&labels.transitions) {
            if let [only] = &ids[..]
                && !is_id(name)
                && let Some((last, is_shown)) = labels.names.get_mut(only)
                && last == name
            {
                *is_shown = true;
            }
        }
        labels
    }

    /// Returns whether every node is known by its id only.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Makes output use ids. Formulas may still use names.
    pub fn show_ids(&mut self) {
        for (_, is_shown) in self.names.values_mut() {
            *is_shown = false;
        }
    }

    /// Returns whether output uses a name.
    pub fn are_shown(&self) -> bool {
        self.names.values().any(|(_, is_shown)| *is_shown)
    }

    /// The name that output uses for an id, or for an instance of it in a coloured net.
    pub fn shown(&self, id: &str) -> Option<Cow<'_, str>> {
        self.named(id, |is_shown| is_shown)
    }

    /// A sentence in which the names that output uses replace the ids. A word is an id if a node
    /// has it, whatever its role in the sentence.
    pub fn in_sentence<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !self.are_shown() {
            return Cow::Borrowed(text);
        }
        let is_word = |c: char| c.is_alphanumeric() || "_.-".contains(c);
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(is_word) {
            let (before, from) = rest.split_at(start);
            let end = from.find(|c| !is_word(c)).unwrap_or(from.len());
            let (word, after) = from.split_at(end);
            out.push_str(before);
            out.push_str(self.shown(word).as_deref().unwrap_or(word));
            rest = after;
        }
        Cow::Owned(out + rest)
    }

    /// The name of an id, even if it is not unique.
    pub fn name(&self, id: &str) -> Option<Cow<'_, str>> {
        self.named(id, |_| true)
    }

    fn named(&self, id: &str, counts: impl Fn(bool) -> bool) -> Option<Cow<'_, str>> {
        let own = |id: &str| {
            let (name, is_shown) = self.names.get(id)?;
            counts(*is_shown).then_some(name.as_str())
        };
        if let Some(name) = own(id) {
            return Some(Cow::Borrowed(name));
        }
        let (base, instance) = self.split(id)?;
        Some(Cow::Owned(format!("{}{instance}", own(base)?)))
    }

    /// The ids of the nodes of a kind with this name, or their instances in a coloured net.
    pub(crate) fn ids<'l>(
        &'l self,
        kind: NodeKind,
        name: &'l str,
    ) -> impl Iterator<Item = Cow<'l, str>> {
        let of_kind = match kind {
            NodeKind::Place => &self.places,
            NodeKind::Transition => &self.transitions,
        };
        let own = of_kind.get(name).into_iter().flatten();
        let instances = self.split(name).into_iter().flat_map(|(base, instance)| {
            let ids = of_kind.get(base).into_iter().flatten();
            ids.map(move |id| Cow::Owned(format!("{id}{instance}")))
        });
        own.map(|id| Cow::Borrowed(id.as_str())).chain(instances)
    }

    /// All names.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.names.values().map(|(name, _)| name.as_str())
    }

    /// Splits the name of an instance in a coloured net: `p1`, `(1,2)`.
    fn split<'n>(&self, name: &'n str) -> Option<(&'n str, &'n str)> {
        let at = name.rfind('(')?;
        (self.is_coloured && name.ends_with(')')).then(|| name.split_at(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(kind: NodeKind, id: &str, name: &str) -> Label {
        Label::new(kind, id, name).expect("a name that is not the id")
    }

    #[test]
    fn unique_names_that_are_no_ids_are_shown() {
        use NodeKind::{Place, Transition};
        assert_eq!(Label::new(Place, "p", " p\n"), None);
        assert_eq!(Label::new(Place, "p", " "), None);
        let list = vec![
            label(Place, "p1", "wait"),
            label(Place, "p2", "twice"),
            label(Place, "p3", "twice"),
            label(Place, "p4", "t1"),
            label(Transition, "t1", "wait"),
            // Two names of one place: the last one counts in output.
            label(Place, "p5", "alone"),
            label(Place, "p5", "twice"),
            label(Place, "p6", "again"),
            label(Place, "p6", "again"),
        ];
        let mut labels = Labels::new(list, false, |id| id.len() == 2);
        assert_eq!(labels.shown("p1").as_deref(), Some("wait"));
        assert_eq!(labels.shown("t1").as_deref(), Some("wait"));
        assert_eq!(labels.shown("p6").as_deref(), Some("again"));
        for id in ["p2", "p3", "p4", "p5", "p1(1)"] {
            assert_eq!(labels.shown(id), None, "{id}");
        }
        assert_eq!(labels.ids(Place, "twice").count(), 3);
        assert_eq!(labels.ids(Place, "alone").count(), 1);
        assert_eq!(labels.ids(Transition, "twice").count(), 0);
        let sentence = "p1 + 2*p2 <= 1 because p11";
        assert_eq!(labels.in_sentence(sentence), "wait + 2*p2 <= 1 because p11");
        labels.show_ids();
        assert!(!labels.are_shown());
        assert_eq!(labels.ids(Place, "wait").count(), 1);
    }

    #[test]
    fn instances_of_coloured_nodes_have_the_name_of_the_node() {
        let list = vec![label(NodeKind::Place, "p1", "Waiting")];
        let labels = Labels::new(list, true, |id| id == "p1");
        assert_eq!(labels.shown("p1(1,2)").as_deref(), Some("Waiting(1,2)"));
        let ids: Vec<_> = labels.ids(NodeKind::Place, "Waiting(3)").collect();
        assert_eq!(ids, ["p1(3)"]);
    }
}
