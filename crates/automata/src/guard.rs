//! Guards: reduced ordered binary decision diagrams over the atoms of one automaton.
//!
//! A diagram represents a set of letters, and equal sets have equal ids (Bryant, IEEE ToC 1986).
//! All operations are memoised; their recursion depth is bounded by the number of variables. A
//! store only grows; the translation uses a separate store and copies the few guards that survive.
//!
//! Inside this crate a store may have more variables than a letter has atoms: the tableau adds one
//! for each obligation on the next position and for each promise, and minimisation one for each
//! state. They follow the atoms in the order, so the subdiagrams below the atoms are the residuals
//! of classes of letters ([`Guards::leaves`]).

use crate::automaton::{StateId, Transition};
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_ltl::AtomId;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// A letter: bit `i` is the truth of the automaton's atom `i`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Letter(pub u64);

/// A set of letters; an index into a [`Guards`] store. Equal ids denote equal sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Guard(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct GuardDecision {
    pub variable: u32,
    pub low: Guard,
    pub high: Guard,
}

/// A store of guards.
#[derive(Clone, Debug)]
pub struct Guards {
    nodes: Vec<GuardDecision>,
    unique: FxHashMap<GuardDecision, Guard>,
    ite: FxHashMap<(Guard, Guard, Guard), Guard>,
    /// Maximum number of nodes.
    most: usize,
}

impl Default for Guards {
    fn default() -> Guards {
        let leaf = |g| GuardDecision {
            variable: u32::MAX,
            low: g,
            high: g,
        };
        Guards {
            nodes: vec![leaf(Guards::FALSE), leaf(Guards::TRUE)],
            unique: FxHashMap::default(),
            ite: FxHashMap::default(),
            most: u32::MAX as usize,
        }
    }
}

impl Guards {
    /// No letter.
    pub const FALSE: Guard = Guard(0);
    /// Every letter.
    pub const TRUE: Guard = Guard(1);
    /// Maximum number of atoms of a letter.
    pub const MAX_ATOMS: usize = 64;

    /// An empty store.
    pub fn new() -> Guards {
        Guards::default()
    }

    /// An empty store with a limit of `most` nodes. Results of a full store are undefined: the
    /// caller must call [`check`](Guards::check) before using them.
    pub(crate) fn limited(most: usize) -> Guards {
        Guards {
            most,
            ..Guards::default()
        }
    }

    /// Returns [`Stop::Memory`] if the store is full.
    pub(crate) fn check(&self) -> Result<(), Stop> {
        if self.nodes.len() < self.most {
            Ok(())
        } else {
            Err(Stop::Memory)
        }
    }

    pub(crate) fn decision(&self, g: Guard) -> GuardDecision {
        self.nodes[g.0 as usize]
    }

    pub(crate) fn make(&mut self, variable: u32, low: Guard, high: Guard) -> Guard {
        if low == high {
            return low;
        }
        let decision = GuardDecision {
            variable,
            low,
            high,
        };
        *self.unique.entry(decision).or_insert_with(|| {
            self.nodes.push(decision);
            Guard(self.nodes.len() as u32 - 1)
        })
    }

    /// The letters in which atom `i` holds.
    pub fn atom(&mut self, i: usize) -> Guard {
        assert!(i < Guards::MAX_ATOMS);
        self.variable(i)
    }

    /// The letters in which atom `i` has this truth value.
    pub(crate) fn literal(&mut self, i: usize, truth: bool) -> Guard {
        let atom = self.atom(i);
        if truth { atom } else { self.not(atom) }
    }

    /// The diagram of one variable, which need not be an atom.
    pub(crate) fn variable(&mut self, i: usize) -> Guard {
        self.make(i as u32, Guards::FALSE, Guards::TRUE)
    }

    /// Returns [`Stop::Unsupported`] if a formula has more atoms than a letter.
    pub(crate) fn check_atoms(atoms: &[AtomId]) -> Result<(), Stop> {
        let (count, most) = (atoms.len(), Guards::MAX_ATOMS);
        if count <= most {
            return Ok(());
        }
        let message = format!("the formula has {count} atoms, automata read at most {most}");
        Err(Stop::Unsupported(message))
    }

    /// Number of diagram nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always false: a store contains the constants.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Approximate size in bytes.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * 12 + self.unique.capacity() * 20 + self.ite.capacity() * 20
    }

    /// `(f & g) | (!f & h)`
    pub fn ite(&mut self, f: Guard, g: Guard, h: Guard) -> Guard {
        match (f, g, h) {
            (Guards::TRUE, _, _) => return g,
            (Guards::FALSE, _, _) => return h,
            (_, Guards::TRUE, Guards::FALSE) => return f,
            _ if g == h => return g,
            // Full: return at once; the result is undefined.
            _ if self.nodes.len() >= self.most => return Guards::FALSE,
            _ => {}
        }
        if let Some(&known) = self.ite.get(&(f, g, h)) {
            return known;
        }
        let [df, dg, dh] = [f, g, h].map(|x| self.decision(x));
        let variable = df.variable.min(dg.variable).min(dh.variable);
        let side = |x: Guard, d: GuardDecision, high: bool| {
            if d.variable != variable {
                x
            } else if high {
                d.high
            } else {
                d.low
            }
        };
        let low = self.ite(side(f, df, false), side(g, dg, false), side(h, dh, false));
        let high = self.ite(side(f, df, true), side(g, dg, true), side(h, dh, true));
        let result = self.make(variable, low, high);
        self.ite.insert((f, g, h), result);
        result
    }

    /// Letters not in `f`.
    pub fn not(&mut self, f: Guard) -> Guard {
        self.ite(f, Guards::FALSE, Guards::TRUE)
    }

    /// Letters in both.
    pub fn and(&mut self, f: Guard, g: Guard) -> Guard {
        self.ite(f, g, Guards::FALSE)
    }

    /// Letters in either.
    pub fn or(&mut self, f: Guard, g: Guard) -> Guard {
        self.ite(f, Guards::TRUE, g)
    }

    /// Returns whether every letter of `f` is in `g`.
    pub fn implies(&mut self, f: Guard, g: Guard) -> bool {
        self.ite(f, g, Guards::TRUE) == Guards::TRUE
    }

    /// Returns whether the letter is in `f`.
    pub fn accepts(&self, mut f: Guard, letter: Letter) -> bool {
        while f > Guards::TRUE {
            let d = self.decision(f);
            f = if letter.0 >> d.variable & 1 == 1 {
                d.high
            } else {
                d.low
            };
        }
        f == Guards::TRUE
    }

    /// The atoms that `f` depends on, as bits.
    pub fn support(&self, f: Guard) -> u64 {
        let mut seen = vec![f];
        let mut todo = vec![f];
        let mut support = 0;
        while let Some(g) = todo.pop() {
            if g <= Guards::TRUE {
                continue;
            }
            let d = self.decision(g);
            support |= 1 << d.variable;
            for next in [d.low, d.high] {
                if !seen.contains(&next) {
                    seen.push(next);
                    todo.push(next);
                }
            }
        }
        support
    }

    /// For a guard that is not constant: its first atom, and the cofactors for false and true.
    pub fn split(&self, f: Guard) -> Option<(usize, Guard, Guard)> {
        (f > Guards::TRUE).then(|| {
            let d = self.decision(f);
            (d.variable as usize, d.low, d.high)
        })
    }
}

impl Guards {
    /// Existential quantification of the atoms in `mask`.
    pub fn exists(&mut self, f: Guard, mask: u64) -> Guard {
        let mut memo = FxHashMap::default();
        self.exists_memo(f, mask, &mut memo)
    }

    fn exists_memo(&mut self, f: Guard, mask: u64, memo: &mut FxHashMap<Guard, Guard>) -> Guard {
        if f <= Guards::TRUE {
            return f;
        }
        if let Some(&known) = memo.get(&f) {
            return known;
        }
        let d = self.decision(f);
        let low = self.exists_memo(d.low, mask, memo);
        let high = self.exists_memo(d.high, mask, memo);
        let result = if d.variable < 64 && mask >> d.variable & 1 == 1 {
            self.or(low, high)
        } else {
            self.make(d.variable, low, high)
        };
        memo.insert(f, result);
        result
    }

    /// A guard that agrees with `f` on all letters of `care` and depends on few atoms (Coudert and
    /// Madre's restriction). `care` must not be empty.
    pub fn restrict(&mut self, f: Guard, care: Guard) -> Guard {
        if f <= Guards::TRUE || care <= Guards::TRUE {
            return f;
        }
        if f == care {
            return Guards::TRUE;
        }
        let (df, dc) = (self.decision(f), self.decision(care));
        if dc.variable < df.variable {
            let either = self.or(dc.low, dc.high);
            return self.restrict(f, either);
        }
        let (low, high) = if dc.variable == df.variable {
            (dc.low, dc.high)
        } else {
            (care, care)
        };
        if low == Guards::FALSE {
            return self.restrict(df.high, high);
        }
        if high == Guards::FALSE {
            return self.restrict(df.low, low);
        }
        let low = self.restrict(df.low, low);
        let high = self.restrict(df.high, high);
        self.make(df.variable, low, high)
    }

    /// Letters of `f` that are not in `g`.
    pub fn minus(&mut self, f: Guard, g: Guard) -> Guard {
        self.ite(g, Guards::FALSE, f)
    }

    /// One letter of `f`, with few atoms; `None` if `f` is empty.
    pub fn some_letter(&self, mut f: Guard) -> Option<Letter> {
        let mut letter = 0;
        while f > Guards::TRUE {
            let d = self.decision(f);
            f = if d.low == Guards::FALSE {
                letter |= 1 << d.variable;
                d.high
            } else {
                d.low
            };
        }
        (f == Guards::TRUE).then_some(Letter(letter))
    }

    /// Copies the guard `f` of another store, renaming atom `i` to `atoms[i]`.
    ///
    /// Variables beyond the last of `atoms` must not occur in `f`.
    pub fn import(&mut self, other: &Guards, f: Guard, atoms: &[usize]) -> Guard {
        let mut memo = FxHashMap::default();
        self.import_memo(other, f, atoms, &mut memo)
    }

    fn import_memo(
        &mut self,
        other: &Guards,
        f: Guard,
        atoms: &[usize],
        memo: &mut FxHashMap<Guard, Guard>,
    ) -> Guard {
        if f <= Guards::TRUE {
            return f;
        }
        if let Some(&known) = memo.get(&f) {
            return known;
        }
        let d = other.decision(f);
        let low = self.import_memo(other, d.low, atoms, memo);
        let high = self.import_memo(other, d.high, atoms, memo);
        let v = self.variable(atoms[d.variable as usize]);
        let result = self.ite(v, high, low);
        memo.insert(f, result);
        result
    }
}

/// For each key the union of its guards.
pub(crate) struct GuardMap<K>(FxHashMap<K, Guard>);

impl<K: Copy + Hash + Ord> GuardMap<K> {
    pub fn new() -> GuardMap<K> {
        GuardMap(FxHashMap::default())
    }

    pub fn add(&mut self, key: K, guard: Guard, guards: &mut Guards) {
        let slot = self.0.entry(key).or_insert(Guards::FALSE);
        *slot = guards.or(*slot, guard);
    }

    /// The keys in increasing order with their guards, except empty ones.
    pub fn sorted(self) -> Vec<(K, Guard)> {
        let mut all: Vec<(K, Guard)> = self.0.into_iter().collect();
        all.retain(|(_, guard)| *guard != Guards::FALSE);
        all.sort_unstable_by_key(|(key, _)| *key);
        all
    }
}

impl GuardMap<(StateId, Marks)> {
    /// One edge for each target and marks.
    pub fn edges(self) -> Vec<Transition> {
        let edge = |((to, marks), guard)| Transition { guard, marks, to };
        self.sorted().into_iter().map(edge).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::Cube;

    /// All 256 functions of three atoms.
    fn all_functions(s: &mut Guards) -> Vec<Guard> {
        (0..256u32)
            .map(|table| {
                let mut f = Guards::FALSE;
                for letter in (0..8u64).filter(|l| table >> l & 1 == 1) {
                    let cube = s.cube(Cube {
                        positive: letter,
                        negative: !letter & 7,
                    });
                    f = s.or(f, cube);
                }
                f
            })
            .collect()
    }

    fn table(s: &Guards, f: Guard) -> u32 {
        (0..8)
            .filter(|&l| s.accepts(f, Letter(l)))
            .fold(0, |t, l| t | 1 << l)
    }

    #[test]
    fn unary_operations_on_all_functions_of_three_atoms() {
        let mut s = Guards::new();
        for (t, f) in all_functions(&mut s).into_iter().enumerate() {
            let t = t as u32;
            assert_eq!(table(&s, f), t);
            let not = s.not(f);
            assert_eq!(table(&s, not), !t & 0xff);
            let ex = s.exists(f, 0b010);
            assert_eq!(table(&s, ex), t | (t & 0x33) << 2 | (t & 0xcc) >> 2);
            let mut union = Guards::FALSE;
            let cubes = s.cubes(f);
            for &c in &cubes {
                let c = s.cube(c);
                union = s.or(union, c);
            }
            assert_eq!(union, f);
            for skip in 0..cubes.len() {
                let mut rest = Guards::FALSE;
                for (i, &c) in cubes.iter().enumerate() {
                    if i != skip {
                        let c = s.cube(c);
                        rest = s.or(rest, c);
                    }
                }
                assert_ne!(rest, f, "irredundant");
            }
            assert_eq!(s.some_letter(f).is_some(), t != 0);
            if let Some(letter) = s.some_letter(f) {
                assert!(s.accepts(f, letter));
            }
            let mut other = Guards::new();
            let renamed = other.import(&s, f, &[2, 1, 0]);
            let back = s.import(&other, renamed, &[2, 1, 0]);
            assert_eq!(back, f);
        }
    }

    #[test]
    fn binary_operations_on_all_pairs_of_functions() {
        let mut s = Guards::new();
        let all = all_functions(&mut s);
        for (t, &f) in all.iter().enumerate() {
            for (u, &g) in all.iter().enumerate() {
                let and = s.and(f, g);
                assert_eq!(and, all[t & u]);
                let or = s.or(f, g);
                assert_eq!(or, all[t | u]);
                let minus = s.minus(f, g);
                assert_eq!(minus, all[t & !u]);
                if u != 0 {
                    let simple = s.restrict(f, g);
                    assert_eq!(s.and(simple, g), and);
                }
            }
        }
    }

    #[test]
    fn operations_are_set_operations() {
        let mut s = Guards::new();
        let v: Vec<Guard> = (0..3).map(|i| s.atom(i)).collect();
        let ab = s.and(v[0], v[1]);
        let f = s.or(ab, v[2]);
        for letter in (0..8).map(Letter) {
            let bit = |i: usize| letter.0 >> i & 1 == 1;
            assert_eq!(s.accepts(f, letter), bit(0) && bit(1) || bit(2));
        }
        let (na, nb) = (s.not(v[0]), s.not(v[1]));
        let either = s.or(na, nb);
        assert_eq!(s.not(either), ab, "canonical");
        assert_eq!(s.support(f), 0b111);
        assert!(s.implies(ab, f) && !s.implies(f, ab));
    }
}
