//! Roles: uses of a sort whose colours are permuted together.
//!
//! A *slot* is an occurrence of a colour: a leaf of a place's sort, or of a transition's variable.
//! Slots are joined where an arc carries a variable to a place and where a guard compares two
//! variables. The connected components are the roles; a permutation of colours acts on all slots of
//! a role. One sort may have several independent roles: "machine 1" in one part of a net may be
//! unrelated to "machine 1" in another, and two ranges of equal size are one sort.
//!
//! Joining only decides which permutations are *tried*; symmetries are verified on the unfolded
//! net.

use lariat_model::coloured::{
    ColouredNet, SortId, SortKind, Term, TermKind, TransitionGuard, TransitionId,
};

/// Limit on the colours of a sort whose permutations are tried, since the number of tests is
/// quadratic.
const MOST_COLOURS: u64 = 2048;

/// A leaf of a sort other than the dot sort, and its position in colours of the whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Leaf {
    pub sort: SortId,
    /// Distance in colours of the whole between consecutive colours of the leaf.
    pub stride: u64,
    pub size: u64,
    /// Index among the leaves.
    pub position: usize,
}

impl Leaf {
    /// Projects a colour of the whole to the leaf.
    pub fn colour(&self, whole: u64) -> u64 {
        whole / self.stride % self.size
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RoleLeaf {
    pub leaf: Leaf,
    pub role: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Roles {
    /// The sort of each role.
    pub sorts: Vec<SortId>,
    /// The slots of each place.
    pub places: Vec<Vec<RoleLeaf>>,
    /// The slots of each variable of each transition.
    pub transitions: Vec<Vec<Vec<RoleLeaf>>>,
}

/// The leaves of a sort; `None` for those that are never permuted.
fn leaves(net: &ColouredNet, sort: SortId) -> Vec<Option<Leaf>> {
    let sort = net.sort(sort);
    let mut stride = sort.size;
    let leaf = |(position, part): (usize, &SortId)| {
        stride = stride.checked_div(net.sort(*part).size)?;
        let named = !matches!(net.sort(*part).kind, SortKind::Dot | SortKind::Product(_));
        let size = net.sort(*part).size;
        (named && (2..=MOST_COLOURS).contains(&size)).then_some(Leaf {
            sort: *part,
            stride,
            size,
            position,
        })
    };
    sort.parts.iter().enumerate().map(leaf).collect()
}

/// Union–find structure of slots.
struct Union {
    parents: Vec<usize>,
    sorts: Vec<SortId>,
}

impl Union {
    fn add(&mut self, sort: SortId) -> usize {
        self.parents.push(self.parents.len());
        self.sorts.push(sort);
        self.parents.len() - 1
    }

    fn root(&mut self, slot: usize) -> usize {
        let mut at = slot;
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        if self.sorts[a] == self.sorts[b] {
            let (a, b) = (self.root(a), self.root(b));
            self.parents[a.max(b)] = a.min(b);
        }
    }

    fn join_all(&mut self, slots: impl IntoIterator<Item = usize>) {
        let mut slots = slots.into_iter();
        if let Some(first) = slots.next() {
            slots.for_each(|slot| self.join(first, slot));
        }
    }
}

/// The slot numbers of one transition's variables by leaf; `None` if the leaf is no slot.
type Variables<'a> = &'a [(lariat_model::coloured::ColourVariableId, Vec<Option<usize>>)];

/// By leaf of a term: the slots of the variables in it.
fn slots_in(net: &ColouredNet, term: &Term, variables: Variables<'_>) -> Vec<Vec<usize>> {
    let width = net.sort(term.sort).parts.len();
    match &term.kind {
        TermKind::Variable(variable) => {
            let slots = variables.iter().find(|(v, _)| v == variable);
            slots.map_or(vec![Vec::new(); width], |(_, slots)| {
                slots.iter().map(|s| s.iter().copied().collect()).collect()
            })
        }
        TermKind::Constant(_) | TermKind::All | TermKind::Members(_) => vec![Vec::new(); width],
        TermKind::Successor(inner) | TermKind::Predecessor(inner) | TermKind::Scaled(_, inner) => {
            slots_in(net, inner, variables)
        }
        TermKind::Tuple(parts) => {
            let parts = parts.iter();
            parts.flat_map(|p| slots_in(net, p, variables)).collect()
        }
        TermKind::Add(terms) | TermKind::Subtract(terms) => {
            let mut all = vec![Vec::new(); width];
            for term in terms {
                let inner = slots_in(net, term, variables);
                all.iter_mut().zip(inner).for_each(|(all, s)| all.extend(s));
            }
            all
        }
    }
}

fn join_guard(
    net: &ColouredNet,
    guard: &TransitionGuard,
    variables: Variables<'_>,
    union: &mut Union,
) {
    match guard {
        TransitionGuard::And(parts) | TransitionGuard::Or(parts) => {
            parts
                .iter()
                .for_each(|g| join_guard(net, g, variables, union));
        }
        TransitionGuard::Not(inner) => join_guard(net, inner, variables, union),
        TransitionGuard::Compare(_, left, right) => {
            let left = slots_in(net, left, variables);
            let right = slots_in(net, right, variables);
            for (left, right) in left.into_iter().zip(right) {
                union.join_all(left.into_iter().chain(right));
            }
        }
    }
}

impl Roles {
    /// The finest roles of a net.
    pub fn of(net: &ColouredNet) -> Roles {
        let mut union = Union {
            parents: Vec::new(),
            sorts: Vec::new(),
        };
        let numbered = |union: &mut Union, sort: SortId| -> Vec<Option<(usize, Leaf)>> {
            let leaves = leaves(net, sort).into_iter();
            leaves
                .map(|leaf| leaf.map(|leaf| (union.add(leaf.sort), leaf)))
                .collect()
        };
        let places: Vec<_> = (net.places.iter().map(|p| numbered(&mut union, p.sort))).collect();
        let mut transitions = Vec::with_capacity(net.transitions.len());
        for transition in &net.transitions {
            let own = transition.variables.iter();
            let own: Vec<_> = own
                .map(|v| (*v, numbered(&mut union, net.variable(*v).sort)))
                .collect();
            let slots: Vec<_> = own
                .iter()
                .map(|(v, leaves)| (*v, leaves.iter().map(|l| l.map(|(s, _)| s)).collect()))
                .collect();
            join_guard(net, &transition.guard, &slots, &mut union);
            for arc in transition.inputs.iter().chain(&transition.outputs) {
                let found = slots_in(net, &arc.term, &slots);
                for (leaf, found) in places[arc.place.index()].iter().zip(found) {
                    if let Some((slot, _)) = leaf {
                        union.join_all([*slot].into_iter().chain(found));
                    }
                }
            }
            transitions.push(own);
        }
        // Roles are numbered in order of places; roles that occur in no place are useless.
        let mut roles = Roles::default();
        let mut numbers = vec![None; union.parents.len()];
        for (slot, leaf) in places.iter().flatten().flatten() {
            let root = union.root(*slot);
            numbers[root].get_or_insert_with(|| {
                roles.sorts.push(leaf.sort);
                roles.sorts.len() - 1
            });
        }
        let mut in_roles = |leaves: &[Option<(usize, Leaf)>]| -> Vec<RoleLeaf> {
            let slot = |(slot, leaf): &(usize, Leaf)| {
                let role = numbers[union.root(*slot)]?;
                Some(RoleLeaf { leaf: *leaf, role })
            };
            leaves.iter().flatten().filter_map(slot).collect()
        };
        roles.places = places.iter().map(|leaves| in_roles(leaves)).collect();
        roles.transitions = transitions
            .iter()
            .map(|own| own.iter().map(|(_, leaves)| in_roles(leaves)).collect())
            .collect();
        roles
    }

    /// Merges and renumbers roles: by role its new number, `None` to drop it.
    pub fn renumbered(&self, numbers: &[Option<usize>]) -> Roles {
        let slots = |slots: &Vec<RoleLeaf>| -> Vec<RoleLeaf> {
            let slot = |slot: &RoleLeaf| numbers[slot.role].map(|role| RoleLeaf { role, ..*slot });
            slots.iter().filter_map(slot).collect()
        };
        let count = numbers.iter().flatten().max().map_or(0, |most| most + 1);
        let sort = |role: usize| {
            let first = numbers.iter().position(|number| *number == Some(role));
            first.map_or(SortId(0), |first| self.sorts[first])
        };
        Roles {
            sorts: (0..count).map(sort).collect(),
            places: self.places.iter().map(slots).collect(),
            transitions: (self.transitions.iter())
                .map(|own| own.iter().map(slots).collect())
                .collect(),
        }
    }

    /// The slots of a transition, each with its variable.
    pub fn of_transition(
        &self,
        transition: TransitionId,
    ) -> impl Iterator<Item = (usize, &RoleLeaf)> {
        let variables = self.transitions[transition.index()].iter().enumerate();
        variables.flat_map(|(variable, slots)| slots.iter().map(move |slot| (variable, slot)))
    }
}
