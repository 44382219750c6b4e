//! The typed coloured net: sorts, variables, places, transitions, terms.
//!
//! A colour of a sort is a number below the size of the sort. In an enumeration or a range it is
//! the position in the declared order; in a product it is the mixed-radix number of its components,
//! the first the most significant, so that colours are ordered lexicographically. A product of
//! products is the product of its *leaves*, the enumerations and ranges at the bottom; a dot, which
//! carries no information, has no leaf.
//!
//! The reader resolves and checks all parts of a net: ids are in range, terms have their declared
//! sort, tuples the arity of their product, and successors are applied to cyclic enumerations only.

use crate::predicate::Comparison;

/// A sort of a [`ColouredNet`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SortId(pub u32);

/// A variable of a [`ColouredNet`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ColourVariableId(pub u32);

/// A place of a [`ColouredNet`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PlaceId(pub u32);

/// A transition of a [`ColouredNet`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TransitionId(pub u32);

/// A colour: its position among the colours of its sort.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Colour(pub u64);

macro_rules! index {
    ($($id:ident)*) => {$(
        impl $id {
            /// The position in an array over all objects of this kind.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}
index!(SortId ColourVariableId PlaceId TransitionId);

/// The structure of a sort.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SortKind {
    /// The one colour of a token without colour.
    Dot,
    /// Named constants in their declared order; every declaration is a separate sort.
    Enumeration {
        /// The distinct names.
        constants: Vec<String>,
        /// True if the first constant is the successor of the last.
        cyclic: bool,
    },
    /// The integers from `first` to `last`.
    Range {
        /// The smallest.
        first: i64,
        /// The largest.
        last: i64,
    },
    /// Tuples.
    Product(Vec<SortId>),
}

/// A sort: a finite, ordered set of colours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sort {
    /// The name of its first declaration.
    pub name: String,
    /// Its structure.
    pub kind: SortKind,
    /// Number of colours, at least 1.
    pub size: u64,
    /// The leaves of a product from left to right, dots included; otherwise the sort itself.
    pub parts: Vec<SortId>,
}

/// A named class of constants of a sort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartitionElement {
    /// The name of the partition's element.
    pub name: String,
    /// The members, in the order of the sort.
    pub members: Vec<Colour>,
}

/// A partition of a sort into classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortPartition {
    /// Its name.
    pub name: String,
    /// The partitioned sort.
    pub sort: SortId,
    /// The classes.
    pub classes: Vec<PartitionElement>,
}

/// A variable over colours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColourVariable {
    /// The displayed name; unique in the net.
    pub name: String,
    /// The sort of its values.
    pub sort: SortId,
}

/// A multiset of colours of a sort, or a single colour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    /// The sort of the colours.
    pub sort: SortId,
    /// The expression.
    pub kind: TermKind,
}

/// The forms of multiset expressions. The first four, and tuples of them, are single colours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TermKind {
    /// The value of a variable.
    Variable(ColourVariableId),
    /// A colour.
    Constant(Colour),
    /// The next constant of a cyclic enumeration.
    Successor(Box<Term>),
    /// The previous constant of a cyclic enumeration.
    Predecessor(Box<Term>),
    /// One term per component of a product. For multisets: all combinations, with multiplied
    /// multiplicities.
    Tuple(Vec<Term>),
    /// Every colour once.
    All,
    /// The members of a class of a partition, each once.
    Members(Vec<Colour>),
    /// A multiple.
    Scaled(u64, Box<Term>),
    /// The sum; the empty multiset if there are no terms.
    Add(Vec<Term>),
    /// The first minus the others. Undefined if a multiplicity becomes negative; such a binding
    /// does not exist.
    Subtract(Vec<Term>),
}

/// The enabling condition of a binding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TransitionGuard {
    /// Conjunction; true if empty.
    And(Vec<TransitionGuard>),
    /// Disjunction; false if empty.
    Or(Vec<TransitionGuard>),
    /// Negation.
    Not(Box<TransitionGuard>),
    /// A comparison of two single colours of one sort by their positions.
    Compare(Comparison, Term, Term),
}

/// A place that holds coloured tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColouredPlace {
    /// Its id; unique in the net.
    pub name: String,
    /// The sort of its tokens.
    pub sort: SortId,
    /// The initial tokens, without variables; `None` for no tokens.
    pub initial: Option<Term>,
}

/// An arc between a transition and a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inscription {
    /// The place.
    pub place: PlaceId,
    /// The tokens taken or put.
    pub term: Term,
}

/// A transition, which fires under a binding of its variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColouredTransition {
    /// Its id; unique in the net.
    pub name: String,
    /// The condition on bindings.
    pub guard: TransitionGuard,
    /// The consumed tokens.
    pub inputs: Vec<Inscription>,
    /// The produced tokens.
    pub outputs: Vec<Inscription>,
    /// The variables of guard and arcs, in the order of their declaration. A binding assigns a
    /// colour to each.
    pub variables: Vec<ColourVariableId>,
}

/// A coloured net.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ColouredNet {
    /// The name of the net.
    pub name: String,
    /// All sorts, distinct.
    pub sorts: Vec<Sort>,
    /// The partitions of sorts.
    pub partitions: Vec<SortPartition>,
    /// All variables.
    pub variables: Vec<ColourVariable>,
    /// All places.
    pub places: Vec<ColouredPlace>,
    /// All transitions.
    pub transitions: Vec<ColouredTransition>,
}

impl Term {
    /// Returns whether the term is a single colour under every binding.
    pub fn is_colour(&self) -> bool {
        match &self.kind {
            TermKind::Variable(_) | TermKind::Constant(_) => true,
            TermKind::Successor(_) | TermKind::Predecessor(_) => true,
            TermKind::Tuple(parts) => parts.iter().all(Term::is_colour),
            _ => false,
        }
    }

    /// Adds every variable that occurs.
    pub fn collect_variables(&self, variables: &mut Vec<ColourVariableId>) {
        match &self.kind {
            TermKind::Variable(variable) => variables.push(*variable),
            TermKind::Constant(_) | TermKind::All | TermKind::Members(_) => {}
            TermKind::Successor(term) | TermKind::Predecessor(term) | TermKind::Scaled(_, term) => {
                term.collect_variables(variables)
            }
            TermKind::Tuple(terms) | TermKind::Add(terms) | TermKind::Subtract(terms) => {
                terms
                    .iter()
                    .for_each(|term| term.collect_variables(variables));
            }
        }
    }
}

impl TransitionGuard {
    /// Adds every variable that occurs.
    pub fn collect_variables(&self, variables: &mut Vec<ColourVariableId>) {
        match self {
            TransitionGuard::And(parts) | TransitionGuard::Or(parts) => {
                parts
                    .iter()
                    .for_each(|part| part.collect_variables(variables));
            }
            TransitionGuard::Not(guard) => guard.collect_variables(variables),
            TransitionGuard::Compare(_, left, right) => {
                left.collect_variables(variables);
                right.collect_variables(variables);
            }
        }
    }
}

impl ColouredNet {
    /// The sort with this id.
    pub fn sort(&self, sort: SortId) -> &Sort {
        &self.sorts[sort.index()]
    }

    /// The variable with this id.
    pub fn variable(&self, variable: ColourVariableId) -> &ColourVariable {
        &self.variables[variable.index()]
    }

    /// The place with this id.
    pub fn place(&self, place: PlaceId) -> &ColouredPlace {
        &self.places[place.index()]
    }

    /// The transition with this id.
    pub fn transition(&self, transition: TransitionId) -> &ColouredTransition {
        &self.transitions[transition.index()]
    }

    /// All places.
    pub fn place_ids(&self) -> impl Iterator<Item = PlaceId> + use<> {
        (0..self.places.len() as u32).map(PlaceId)
    }

    /// All transitions.
    pub fn transition_ids(&self) -> impl Iterator<Item = TransitionId> + use<> {
        (0..self.transitions.len() as u32).map(TransitionId)
    }

    /// The number of arcs.
    pub fn arc_count(&self) -> usize {
        let arcs = |t: &ColouredTransition| t.inputs.len() + t.outputs.len();
        self.transitions.iter().map(arcs).sum()
    }

    /// The number of colours of all places and of assignments to the variables of all transitions;
    /// an upper bound of the size of the unfolding.
    pub fn instance_count(&self) -> u64 {
        let places = self.places.iter().map(|place| self.sort(place.sort).size);
        let bindings = self.transitions.iter().map(|transition| {
            let sizes = transition
                .variables
                .iter()
                .map(|v| self.sort(self.variable(*v).sort).size);
            sizes.fold(1, u64::saturating_mul)
        });
        places.chain(bindings).fold(0, u64::saturating_add)
    }

    /// The colour of a product with these components.
    pub fn tuple(&self, sort: SortId, components: &[Colour]) -> Colour {
        let SortKind::Product(sorts) = &self.sort(sort).kind else {
            return components.first().copied().unwrap_or(Colour(0));
        };
        let index = sorts.iter().zip(components).fold(0, |index, (sort, part)| {
            index * self.sort(*sort).size + part.0
        });
        Colour(index)
    }
}
