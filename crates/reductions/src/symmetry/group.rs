//! Permutation groups of a shape that is easy to compare: blocks and rotations.
//!
//! An element is a colour in a role. A group has one part per role: all permutations inside the
//! blocks of a partition (a Young subgroup), or rotations `x ↦ x + jk` where `k` divides the number
//! of colours. Groups of this shape have meets, by common refinement and least common multiple, so
//! that `H ≤ K` iff `H ∧ K = H`.

/// The image of every element.
pub type Permutation = Vec<u32>;

/// The action of a group on the colours of one role.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RoleGroup {
    /// All permutations inside blocks: for each colour the smallest of its block.
    Blocks(Box<[u32]>),
    /// Rotations by multiples of `step`, which divides `colours`; trivial if they are equal.
    Rotations {
        /// Number of colours.
        colours: u32,
        /// The smallest rotation.
        step: u32,
    },
}

/// A group: one part per role. The elements of the roles are numbered consecutively.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Group {
    parts: Box<[RoleGroup]>,
}

/// A transposition or rotation to be tested for membership in a group.
pub struct Generator<'a> {
    /// The image of every element.
    pub to: &'a [u32],
    /// The elements that are not fixed.
    pub moved: &'a [u32],
}

impl RoleGroup {
    /// Number of colours.
    pub fn colours(&self) -> u32 {
        match self {
            RoleGroup::Blocks(least) => least.len() as u32,
            RoleGroup::Rotations { colours, .. } => *colours,
        }
    }

    /// Returns whether only the identity belongs to the group.
    pub fn is_trivial(&self) -> bool {
        match self {
            RoleGroup::Blocks(least) => least.iter().zip(0..).all(|(least, c)| *least == c),
            RoleGroup::Rotations { colours, step } => colours == step,
        }
    }

    /// The blocks with several members; none for rotations.
    pub fn blocks(&self) -> Vec<Vec<u32>> {
        let RoleGroup::Blocks(least) = self else {
            return Vec::new();
        };
        let mut blocks: Vec<Vec<u32>> = vec![Vec::new(); least.len()];
        for (colour, least) in (0..).zip(least) {
            blocks[*least as usize].push(colour);
        }
        blocks.retain(|block| block.len() > 1);
        blocks
    }

    fn meet(&self, other: &RoleGroup) -> RoleGroup {
        match (self, other) {
            (RoleGroup::Blocks(a), RoleGroup::Blocks(b)) => {
                let pairs: Vec<(u32, u32)> = a.iter().copied().zip(b.iter().copied()).collect();
                let least = |pair| pairs.iter().position(|p| p == pair).unwrap_or(0) as u32;
                RoleGroup::Blocks(pairs.iter().map(least).collect())
            }
            (RoleGroup::Rotations { colours, step: a }, RoleGroup::Rotations { step: b, .. }) => {
                RoleGroup::Rotations {
                    colours: *colours,
                    step: a / gcd(*a, *b) * b,
                }
            }
            // Subgroups of one symmetry group have parts of the same kind.
            (a, _) => RoleGroup::trivial(a),
        }
    }

    fn trivial(part: &RoleGroup) -> RoleGroup {
        match part {
            RoleGroup::Blocks(least) => RoleGroup::Blocks((0..least.len() as u32).collect()),
            RoleGroup::Rotations { colours, .. } => RoleGroup::Rotations {
                colours: *colours,
                step: *colours,
            },
        }
    }

    /// Logarithm to base 10 of the number of permutations.
    fn magnitude(&self) -> f64 {
        match self {
            RoleGroup::Blocks(_) => {
                let blocks = self.blocks().into_iter();
                let factors = blocks.flat_map(|block| 2..=block.len());
                factors.map(|factor| (factor as f64).log10()).sum()
            }
            RoleGroup::Rotations { colours, step } => f64::from(colours / step).log10(),
        }
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Group {
    pub(super) fn new(parts: Vec<RoleGroup>) -> Group {
        Group {
            parts: parts.into(),
        }
    }

    /// The full symmetric groups of roles with these numbers of colours.
    pub(super) fn full(colours: impl Iterator<Item = u32>) -> Group {
        let part = |colours| RoleGroup::Blocks(vec![0; colours as usize].into());
        Group::new(colours.map(part).collect())
    }

    /// The parts by role.
    pub fn parts(&self) -> &[RoleGroup] {
        &self.parts
    }

    /// Returns whether only the identity belongs to the group.
    pub fn is_trivial(&self) -> bool {
        self.parts.iter().all(RoleGroup::is_trivial)
    }

    /// Logarithm to base 10 of the number of permutations.
    pub fn magnitude(&self) -> f64 {
        // Starts at 0.0, since an empty sum would be −0.
        let parts = self.parts.iter().map(RoleGroup::magnitude);
        parts.fold(0.0, std::ops::Add::add)
    }

    /// The intersection (meet) of two groups.
    #[must_use]
    pub fn meet(&self, other: &Group) -> Group {
        let parts = self.parts.iter().zip(&other.parts);
        Group::new(parts.map(|(a, b)| a.meet(b)).collect())
    }

    /// Returns whether the group is a subgroup of `other`.
    pub fn is_within(&self, other: &Group) -> bool {
        self.meet(other) == *self
    }

    /// The largest subgroup of this shape all of whose generators pass a test. The passing
    /// permutations must form a group: then `c ~ d` iff their transposition passes is an
    /// equivalence, and it suffices to compare each colour with one per block.
    pub fn coarsest<E>(
        &self,
        mut keeps: impl FnMut(Generator<'_>) -> Result<bool, E>,
    ) -> Result<Group, E> {
        let elements: u32 = self.parts.iter().map(RoleGroup::colours).sum();
        let mut to: Permutation = (0..elements).collect();
        let mut parts = Vec::with_capacity(self.parts.len());
        let mut first = 0;
        for part in &self.parts {
            parts.push(match part {
                RoleGroup::Blocks(least) => {
                    RoleGroup::Blocks(coarsest_blocks(first, least, &mut to, &mut keeps)?)
                }
                RoleGroup::Rotations { colours, step } => {
                    let step = least_rotation(first, *colours, *step, &mut to, &mut keeps)?;
                    RoleGroup::Rotations {
                        colours: *colours,
                        step,
                    }
                }
            });
            first += part.colours();
        }
        Ok(Group::new(parts))
    }
}

fn coarsest_blocks<E>(
    first: u32,
    within: &[u32],
    to: &mut Permutation,
    keeps: &mut impl FnMut(Generator<'_>) -> Result<bool, E>,
) -> Result<Box<[u32]>, E> {
    let mut least: Vec<u32> = Vec::with_capacity(within.len());
    // A representative colour of each block so far.
    let mut heads: Vec<u32> = Vec::new();
    for colour in 0..within.len() as u32 {
        let mut joined = colour;
        for head in heads.iter().copied() {
            if within[head as usize] != within[colour as usize] {
                continue;
            }
            let moved = [first + head, first + colour];
            to.swap(moved[0] as usize, moved[1] as usize);
            let kept = keeps(Generator { to, moved: &moved });
            to.swap(moved[0] as usize, moved[1] as usize);
            if kept? {
                joined = head;
                break;
            }
        }
        if joined == colour {
            heads.push(colour);
        }
        least.push(joined);
    }
    Ok(least.into())
}

/// The smallest rotation by a multiple of `step` that passes.
pub(super) fn least_rotation<E>(
    first: u32,
    colours: u32,
    step: u32,
    to: &mut Permutation,
    keeps: &mut impl FnMut(Generator<'_>) -> Result<bool, E>,
) -> Result<u32, E> {
    let moved: Vec<u32> = (first..first + colours).collect();
    let candidates =
        (step..colours).filter(|s| colours.is_multiple_of(*s) && s.is_multiple_of(step));
    for candidate in candidates {
        for colour in 0..colours {
            to[(first + colour) as usize] = first + (colour + candidate) % colours;
        }
        let kept = keeps(Generator { to, moved: &moved });
        for element in &moved {
            to[*element as usize] = *element;
        }
        if kept? {
            return Ok(candidate);
        }
    }
    Ok(colours)
}

/// The composition: `first`, then `second`.
pub fn after(second: &[u32], first: &[u32]) -> Permutation {
    first.iter().map(|e| second[*e as usize]).collect()
}

/// The inverse permutation.
pub fn inverse(permutation: &[u32]) -> Permutation {
    let mut back = vec![0; permutation.len()];
    for (from, to) in (0..).zip(permutation) {
        back[*to as usize] = from;
    }
    back
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(least: &[u32]) -> RoleGroup {
        RoleGroup::Blocks(least.into())
    }

    fn rotations(colours: u32, step: u32) -> RoleGroup {
        RoleGroup::Rotations { colours, step }
    }

    #[test]
    fn groups_meet_part_by_part() {
        let a = Group::new(vec![blocks(&[0, 0, 0, 3]), rotations(12, 2)]);
        let b = Group::new(vec![blocks(&[0, 1, 1, 1]), rotations(12, 3)]);
        let both = Group::new(vec![blocks(&[0, 1, 1, 3]), rotations(12, 6)]);
        assert_eq!(a.meet(&b), both);
        assert!(both.is_within(&a) && both.is_within(&b) && !a.is_within(&b));
        assert!(!both.is_trivial());
        assert_eq!(both.parts()[0].blocks(), [[1, 2]]);
        let order = 10f64.powf(both.magnitude());
        assert!((order - 4.0).abs() < 1e-9, "{order}");
        assert!(Group::new(Vec::new()).magnitude().is_sign_positive());
    }

    #[test]
    fn the_coarsest_group_has_the_generators_that_pass() {
        let all = Group::new(vec![blocks(&[0; 5]), rotations(6, 1)]);
        // Elements 1 and 3 are fixed, and rotations preserve the parity.
        let found = all.coarsest(|g| -> Result<bool, ()> {
            let parity =
                |e: &u32| *e < 5 || (g.to[*e as usize] - e.min(&g.to[*e as usize])) % 2 == 0;
            Ok(g.to[1] == 1 && g.to[3] == 3 && g.moved.iter().all(parity))
        });
        let expected = Group::new(vec![blocks(&[0, 1, 0, 3, 0]), rotations(6, 2)]);
        assert_eq!(found, Ok(expected));
    }

    #[test]
    fn permutations_have_inverses() {
        let p = vec![2, 0, 1, 3];
        assert_eq!(after(&inverse(&p), &p), [0, 1, 2, 3]);
        assert_eq!(after(&p, &p), [1, 2, 0, 3]);
    }
}
