//! Guards: reduced ordered binary decision diagrams over the atoms of one automaton.

use rustc_hash::FxHashMap;

/// A letter: bit `i` is the truth of the automaton's atom `i`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Letter(pub u64);

/// A set of letters; an index into a [`Guards`] store. Equal ids are equal sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Guard(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Decision {
    variable: u32,
    low: Guard,
    high: Guard,
}

/// The store of guards.
#[derive(Clone, Debug)]
pub struct Guards {
    nodes: Vec<Decision>,
    unique: FxHashMap<Decision, Guard>,
    ite: FxHashMap<(Guard, Guard, Guard), Guard>,
}

impl Default for Guards {
    fn default() -> Guards {
        let leaf = |g| Decision {
            variable: u32::MAX,
            low: g,
            high: g,
        };
        Guards {
            nodes: vec![leaf(Guards::FALSE), leaf(Guards::TRUE)],
            unique: FxHashMap::default(),
            ite: FxHashMap::default(),
        }
    }
}

impl Guards {
    /// No letter.
    pub const FALSE: Guard = Guard(0);
    /// Every letter.
    pub const TRUE: Guard = Guard(1);
    /// How many atoms a letter can hold.
    pub const MAX_ATOMS: usize = 64;

    /// An empty store.
    pub fn new() -> Guards {
        Guards::default()
    }

    fn decision(&self, g: Guard) -> Decision {
        self.nodes[g.0 as usize]
    }

    fn make(&mut self, variable: u32, low: Guard, high: Guard) -> Guard {
        if low == high {
            return low;
        }
        let decision = Decision {
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
        self.make(i as u32, Guards::FALSE, Guards::TRUE)
    }

    /// `(f & g) | (!f & h)`
    pub fn ite(&mut self, f: Guard, g: Guard, h: Guard) -> Guard {
        match (f, g, h) {
            (Guards::TRUE, _, _) => return g,
            (Guards::FALSE, _, _) => return h,
            (_, Guards::TRUE, Guards::FALSE) => return f,
            _ if g == h => return g,
            _ => {}
        }
        if let Some(&known) = self.ite.get(&(f, g, h)) {
            return known;
        }
        let [df, dg, dh] = [f, g, h].map(|x| self.decision(x));
        let variable = df.variable.min(dg.variable).min(dh.variable);
        let side = |x: Guard, d: Decision, high: bool| match (d.variable == variable, high) {
            (false, _) => x,
            (true, false) => d.low,
            (true, true) => d.high,
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

    /// Is every letter of `f` in `g`?
    pub fn implies(&mut self, f: Guard, g: Guard) -> bool {
        self.ite(f, g, Guards::TRUE) == Guards::TRUE
    }

    /// Is the letter in `f`?
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

    /// For a guard that is no constant: the atom it asks first, and what is left when that
    /// atom is false and when it is true.
    pub fn split(&self, f: Guard) -> Option<(usize, Guard, Guard)> {
        (f > Guards::TRUE).then(|| {
            let d = self.decision(f);
            (d.variable as usize, d.low, d.high)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_those_of_sets() {
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
