//! Hash-consed formulas.
//!
//! Constructors normalise only constants, idempotence, double negation, order and nesting of `&`
//! and `|`, so that a printed formula resembles the input. Further rewriting is in `simplify`.

use rustc_hash::{FxHashMap, FxHashSet};

/// An atomic proposition: an index into the atoms of a [`Formulas`] store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AtomId(pub u32);

impl AtomId {
    /// Index of this atom in an array over all atoms.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A formula of one particular [`Formulas`] store. Equal ids are equal formulas.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Formula(u32);

impl Formula {
    /// Index of this formula in an array over all formulas of its store. Operands have smaller
    /// indices than the formulas that contain them.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The top-level operator of a formula with its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// `true`
    True,
    /// `false`
    False,
    /// An atomic proposition.
    Atom(AtomId),
    /// `!f`
    Not(Formula),
    /// `f & g & …`: at least two, sorted, no two equal, none of them an `And`.
    And(Box<[Formula]>),
    /// `f | g | …`: the same invariants.
    Or(Box<[Formula]>),
    /// `f -> g`
    Implies([Formula; 2]),
    /// `f <-> g`
    Iff([Formula; 2]),
    /// `f xor g`
    Xor([Formula; 2]),
    /// `X f`: at the next position.
    Next(Formula),
    /// `F f`: now or later.
    Finally(Formula),
    /// `G f`: now and always.
    Globally(Formula),
    /// `f U g`: `g` now or later, `f` until just before.
    Until([Formula; 2]),
    /// `f R g`: `g` up to and including the first `f`; indefinitely if there is none.
    Release([Formula; 2]),
    /// `f W g`: `f U g` or `G f`.
    WeakUntil([Formula; 2]),
    /// `f M g`: `f R g` and `F f`.
    StrongRelease([Formula; 2]),
}

impl Node {
    /// The operands, left to right.
    pub fn children(&self) -> &[Formula] {
        use std::slice::from_ref;
        match self {
            Node::True | Node::False | Node::Atom(_) => &[],
            Node::Not(f) | Node::Next(f) | Node::Finally(f) | Node::Globally(f) => from_ref(f),
            Node::And(fs) | Node::Or(fs) => fs,
            Node::Implies(fg)
            | Node::Iff(fg)
            | Node::Xor(fg)
            | Node::Until(fg)
            | Node::Release(fg)
            | Node::WeakUntil(fg)
            | Node::StrongRelease(fg) => fg,
        }
    }
}

/// A store of hash-consed formulas and atoms.
#[derive(Clone, Debug)]
pub struct Formulas {
    nodes: Vec<Node>,
    ids: FxHashMap<Node, Formula>,
    atoms: Vec<String>,
    atom_ids: FxHashMap<String, AtomId>,
}

impl Default for Formulas {
    fn default() -> Formulas {
        let mut store = Formulas {
            nodes: Vec::new(),
            ids: FxHashMap::default(),
            atoms: Vec::new(),
            atom_ids: FxHashMap::default(),
        };
        assert_eq!(store.intern(Node::False), Formulas::FALSE);
        assert_eq!(store.intern(Node::True), Formulas::TRUE);
        store
    }
}

impl Formulas {
    /// `false` in every store.
    pub const FALSE: Formula = Formula(0);
    /// `true` in every store.
    pub const TRUE: Formula = Formula(1);

    /// An empty store.
    pub fn new() -> Formulas {
        Formulas::default()
    }

    fn intern(&mut self, node: Node) -> Formula {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = Formula(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    /// The top-level node of `f`.
    pub fn node(&self, f: Formula) -> &Node {
        &self.nodes[f.0 as usize]
    }

    /// All subformulas of `f` including `f`, each once, operands before the formulas that contain
    /// them.
    ///
    /// Every pass over a formula is a loop over this list; no pass recurses, however deep a formula
    /// is.
    pub fn subformulas(&self, f: Formula) -> Vec<Formula> {
        let mut seen = FxHashSet::default();
        seen.insert(f);
        let mut all = vec![f];
        let mut next = 0;
        while let Some(&g) = all.get(next) {
            next += 1;
            for &child in self.node(g).children() {
                if seen.insert(child) {
                    all.push(child);
                }
            }
        }
        all.sort_unstable();
        all
    }

    /// The atoms that occur in `f`, sorted, each once.
    pub fn atoms_of(&self, f: Formula) -> Vec<AtomId> {
        let mut atoms: Vec<AtomId> = self
            .subformulas(f)
            .into_iter()
            .filter_map(|g| match self.node(g) {
                Node::Atom(atom) => Some(*atom),
                _ => None,
            })
            .collect();
        atoms.sort_unstable();
        atoms
    }

    /// Number of different formulas in the store.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always false: a store contains the constants.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The atom with this name, created if missing.
    pub fn atom_id(&mut self, name: &str) -> AtomId {
        if let Some(&id) = self.atom_ids.get(name) {
            return id;
        }
        let id = AtomId(self.atoms.len() as u32);
        self.atoms.push(name.to_owned());
        self.atom_ids.insert(name.to_owned(), id);
        id
    }

    /// The name of the atom.
    pub fn atom_name(&self, atom: AtomId) -> &str {
        &self.atoms[atom.index()]
    }

    /// A copy of the store with other names of its atoms; all ids are equal.
    #[must_use]
    pub fn renamed(&self, name: impl Fn(AtomId) -> String) -> Formulas {
        let ids = (0..self.atoms.len() as u32).map(AtomId);
        let atoms: Vec<String> = ids.clone().map(name).collect();
        Formulas {
            atom_ids: atoms.iter().cloned().zip(ids).collect(),
            atoms,
            ..self.clone()
        }
    }

    /// Number of atoms; their ids are `0..atom_count`.
    pub fn atom_count(&self) -> usize {
        self.atoms.len()
    }

    /// The formula that consists of one atom.
    pub fn atom(&mut self, atom: AtomId) -> Formula {
        debug_assert!(atom.index() < self.atoms.len());
        self.intern(Node::Atom(atom))
    }

    /// `true` or `false`.
    pub fn constant(&self, value: bool) -> Formula {
        if value {
            Formulas::TRUE
        } else {
            Formulas::FALSE
        }
    }

    /// `!f`
    pub fn not(&mut self, f: Formula) -> Formula {
        match *self.node(f) {
            Node::True => Formulas::FALSE,
            Node::False => Formulas::TRUE,
            Node::Not(g) => g,
            _ => self.intern(Node::Not(f)),
        }
    }

    /// The conjunction of all `fs`; `true` of none.
    pub fn and(&mut self, fs: impl IntoIterator<Item = Formula>) -> Formula {
        let mut all = Vec::new();
        for f in fs {
            match self.node(f) {
                Node::True => {}
                Node::False => return Formulas::FALSE,
                Node::And(inner) => all.extend_from_slice(inner),
                _ => all.push(f),
            }
        }
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [] => Formulas::TRUE,
            [f] => f,
            _ => self.intern(Node::And(all.into())),
        }
    }

    /// The disjunction of all `fs`; `false` of none.
    pub fn or(&mut self, fs: impl IntoIterator<Item = Formula>) -> Formula {
        let mut all = Vec::new();
        for f in fs {
            match self.node(f) {
                Node::False => {}
                Node::True => return Formulas::TRUE,
                Node::Or(inner) => all.extend_from_slice(inner),
                _ => all.push(f),
            }
        }
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [] => Formulas::FALSE,
            [f] => f,
            _ => self.intern(Node::Or(all.into())),
        }
    }

    /// `f -> g`
    pub fn implies(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::Implies([f, g]))
    }

    /// `f <-> g`
    pub fn iff(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::Iff([f, g]))
    }

    /// `f xor g`
    pub fn xor(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::Xor([f, g]))
    }

    /// `X f`
    pub fn next(&mut self, f: Formula) -> Formula {
        match self.node(f) {
            Node::True | Node::False => f,
            _ => self.intern(Node::Next(f)),
        }
    }

    /// `F f`
    pub fn finally(&mut self, f: Formula) -> Formula {
        match self.node(f) {
            Node::True | Node::False | Node::Finally(_) => f,
            _ => self.intern(Node::Finally(f)),
        }
    }

    /// `G f`
    pub fn globally(&mut self, f: Formula) -> Formula {
        match self.node(f) {
            Node::True | Node::False | Node::Globally(_) => f,
            _ => self.intern(Node::Globally(f)),
        }
    }

    /// `f U g`
    pub fn until(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::Until([f, g]))
    }

    /// `f R g`
    pub fn release(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::Release([f, g]))
    }

    /// `f W g`
    pub fn weak_until(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::WeakUntil([f, g]))
    }

    /// `f M g`
    pub fn strong_release(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::StrongRelease([f, g]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_formulas_are_equal_ids() {
        let mut s = Formulas::new();
        let (a, b) = (s.atom_id("a"), s.atom_id("b"));
        let (a, b) = (s.atom(a), s.atom(b));
        let ab = s.and([a, b]);
        assert_eq!(ab, s.and([b, a, b, Formulas::TRUE]));
        let nested = s.and([a, ab]);
        assert_eq!(nested, ab);
        let n = s.not(ab);
        assert_eq!(s.not(n), ab);
        assert_eq!(s.or([]), Formulas::FALSE);
        assert_eq!(s.node(ab).children(), [a, b]);
    }
}
