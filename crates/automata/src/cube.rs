//! Conversion of guards to cubes, for output formats.

use crate::guard::{Guard, GuardDecision, Guards};
use std::fmt;

/// A conjunction of literals: the letters that have all of `positive` and none of `negative`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Cube {
    /// Atoms that must hold, as bits.
    pub positive: u64,
    /// Atoms that must not hold, as bits.
    pub negative: u64,
}

impl Guards {
    /// The letters of a cube.
    pub fn cube(&mut self, cube: Cube) -> Guard {
        let mut result = Guards::TRUE;
        for i in (0..Guards::MAX_ATOMS as u32).rev() {
            let bit = 1 << i;
            if cube.positive & bit != 0 {
                result = self.make(i, Guards::FALSE, result);
            }
            if cube.negative & bit != 0 {
                result = if cube.positive & bit != 0 {
                    Guards::FALSE
                } else {
                    self.make(i, result, Guards::FALSE)
                };
            }
        }
        result
    }

    /// Irredundant cubes whose union is `f` (Minato and Morreale).
    pub fn cubes(&mut self, f: Guard) -> Vec<Cube> {
        let mut cubes = Vec::new();
        self.irredundant(f, f, Cube::default(), &mut cubes);
        cubes
    }

    /// Covers `lower` by cubes within `upper`, below `path`; returns the covered letters.
    fn irredundant(
        &mut self,
        lower: Guard,
        upper: Guard,
        path: Cube,
        cubes: &mut Vec<Cube>,
    ) -> Guard {
        if lower == Guards::FALSE {
            return Guards::FALSE;
        }
        if upper == Guards::TRUE {
            cubes.push(path);
            return Guards::TRUE;
        }
        let (dl, du) = (self.decision(lower), self.decision(upper));
        let variable = dl.variable.min(du.variable);
        let sides = |g: Guard, d: GuardDecision| {
            if d.variable == variable {
                (d.low, d.high)
            } else {
                (g, g)
            }
        };
        let ((l0, l1), (u0, u1)) = (sides(lower, dl), sides(upper, du));
        let bit = 1 << variable;
        let (mut path0, mut path1) = (path, path);
        path0.negative |= bit;
        path1.positive |= bit;
        let only0 = self.minus(l0, u1);
        let c0 = self.irredundant(only0, u0, path0, cubes);
        let only1 = self.minus(l1, u0);
        let c1 = self.irredundant(only1, u1, path1, cubes);
        let (rest0, rest1) = (self.minus(l0, c0), self.minus(l1, c1));
        let rest = self.or(rest0, rest1);
        let both = self.and(u0, u1);
        let shared = self.irredundant(rest, both, path, cubes);
        let split = self.make(variable, c0, c1);
        self.or(split, shared)
    }

    /// Writes `f` as a disjunction of cubes; `atom` writes an atom.
    pub fn write(
        &mut self,
        f: Guard,
        style: &Style,
        out: &mut dyn fmt::Write,
        mut atom: impl FnMut(&mut dyn fmt::Write, usize) -> fmt::Result,
    ) -> fmt::Result {
        match f {
            Guards::FALSE => return out.write_str(style.never),
            Guards::TRUE => return out.write_str(style.always),
            _ => {}
        }
        for (k, cube) in self.cubes(f).into_iter().enumerate() {
            if k > 0 {
                out.write_str(style.or)?;
            }
            out.write_str(style.open)?;
            let mut first = true;
            for i in 0..Guards::MAX_ATOMS {
                let bit = 1 << i;
                if (cube.positive | cube.negative) & bit == 0 {
                    continue;
                }
                if !first {
                    out.write_str(style.and)?;
                }
                first = false;
                if cube.negative & bit != 0 {
                    out.write_str("!")?;
                }
                atom(out, i)?;
            }
            out.write_str(style.close)?;
        }
        Ok(())
    }
}

/// Spelling of connectives in [`Guards::write`].
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// For every letter.
    pub always: &'static str,
    /// For no letter.
    pub never: &'static str,
    /// Between literals.
    pub and: &'static str,
    /// Between cubes.
    pub or: &'static str,
    /// Before a cube.
    pub open: &'static str,
    /// After a cube.
    pub close: &'static str,
}
