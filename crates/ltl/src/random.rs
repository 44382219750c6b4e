//! Random formulas.

use crate::formula::{AtomId, Formula, Formulas};
use lariat_random::Random;

/// Relative frequencies of operators in random formulas; zero excludes an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "named like the operators")]
pub struct OperatorWeights {
    pub not: usize,
    pub and: usize,
    pub or: usize,
    pub implies: usize,
    pub iff: usize,
    pub xor: usize,
    pub next: usize,
    pub finally: usize,
    pub globally: usize,
    pub until: usize,
    pub release: usize,
    pub weak_until: usize,
    pub strong_release: usize,
    /// `true` or `false` instead of an atom; an atom has weight 10.
    pub constant: usize,
}

impl OperatorWeights {
    /// All operators, with higher weights for common ones.
    pub const ALL: OperatorWeights = OperatorWeights {
        not: 3,
        and: 3,
        or: 3,
        implies: 1,
        iff: 1,
        xor: 1,
        next: 3,
        finally: 2,
        globally: 2,
        until: 3,
        release: 2,
        weak_until: 1,
        strong_release: 1,
        constant: 1,
    };

    /// The same without `X`.
    pub const X_FREE: OperatorWeights = OperatorWeights {
        next: 0,
        ..OperatorWeights::ALL
    };
}

/// A random formula of about `size` operators and atoms over some of `atoms`.
///
/// The size is split at random between the operands of a binary operator. Normalisation by the
/// constructors (`!!f`, `f & f`) may make the formula smaller. Without atoms the leaves are
/// constants.
pub fn random_formula(
    formulas: &mut Formulas,
    atoms: &[AtomId],
    size: usize,
    weights: &OperatorWeights,
    random: &mut Random,
) -> Formula {
    let w = weights;
    let unary = [w.not, w.next, w.finally, w.globally];
    let binary = [
        w.and,
        w.or,
        w.implies,
        w.iff,
        w.xor,
        w.until,
        w.release,
        w.weak_until,
        w.strong_release,
    ];
    // Nodes are planned from the root down (a task is the requested size) and built from the leaves
    // up.
    enum Task {
        Make(usize),
        Build(usize),
    }
    let mut tasks = vec![Task::Make(size)];
    let mut built: Vec<Formula> = Vec::new();
    while let Some(task) = tasks.pop() {
        match task {
            Task::Make(size) => {
                // Operators are numbered consecutively: unary first, then binary.
                let choices: &[usize] = match size {
                    0 | 1 => &[],
                    2 => &unary,
                    _ => &[unary.as_slice(), binary.as_slice()].concat(),
                };
                match draw(choices, random) {
                    None => {
                        let atom = random.pick(atoms).copied();
                        built.push(match atom {
                            Some(atom) if !random.chance(w.constant, w.constant + 10) => {
                                formulas.atom(atom)
                            }
                            _ => formulas.constant(random.coin()),
                        });
                    }
                    Some(op) => {
                        tasks.push(Task::Build(op));
                        if op < unary.len() {
                            tasks.push(Task::Make(size - 1));
                        } else {
                            let left = random.between(1, size - 2);
                            tasks.push(Task::Make(left));
                            tasks.push(Task::Make(size - 1 - left));
                        }
                    }
                }
            }
            Task::Build(op) => {
                let Some(f) = built.pop() else { continue };
                let g = if op < unary.len() { None } else { built.pop() };
                built.push(match (op, g) {
                    (0, _) => formulas.not(f),
                    (1, _) => formulas.next(f),
                    (2, _) => formulas.finally(f),
                    (3, _) => formulas.globally(f),
                    (4, Some(g)) => formulas.and([f, g]),
                    (5, Some(g)) => formulas.or([f, g]),
                    (6, Some(g)) => formulas.implies(f, g),
                    (7, Some(g)) => formulas.iff(f, g),
                    (8, Some(g)) => formulas.xor(f, g),
                    (9, Some(g)) => formulas.until(f, g),
                    (10, Some(g)) => formulas.release(f, g),
                    (11, Some(g)) => formulas.weak_until(f, g),
                    (_, Some(g)) => formulas.strong_release(f, g),
                    (_, None) => f,
                });
            }
        }
    }
    built.pop().unwrap_or(Formulas::TRUE)
}

/// Draws an index by weight; `None` if all weights are 0.
fn draw(weights: &[usize], random: &mut Random) -> Option<usize> {
    let total: usize = weights.iter().sum();
    let mut at = random.below(total);
    weights.iter().position(|&weight| {
        let here = at < weight;
        at = at.wrapping_sub(weight);
        here
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Node;

    #[test]
    fn the_same_seed_gives_the_same_formula() {
        let make = |seed| {
            let mut s = Formulas::new();
            let atoms = [s.atom_id("a"), s.atom_id("b")];
            let f = random_formula(
                &mut s,
                &atoms,
                12,
                &OperatorWeights::ALL,
                &mut Random::new(seed),
            );
            crate::print(&s, f, crate::Syntax::Spot)
        };
        assert_eq!(make(1), make(1));
        assert_ne!(make(1), make(2));
    }

    #[test]
    fn weights_of_zero_are_never_drawn() {
        let mut s = Formulas::new();
        let atoms = [s.atom_id("a")];
        let mut random = Random::new(7);
        for _ in 0..200 {
            let f = random_formula(&mut s, &atoms, 15, &OperatorWeights::X_FREE, &mut random);
            let has_next = s
                .subformulas(f)
                .iter()
                .any(|g| matches!(s.node(*g), Node::Next(_)));
            assert!(!has_next);
        }
    }
}
