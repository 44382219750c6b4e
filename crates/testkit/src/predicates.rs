//! Random expressions and predicates over the variables of a system.

use lariat_corpora::Random;
use lariat_model::{
    BinaryOp, Comparison, EventId, Expr, Linear, Predicate, System, UnaryOp, VarId,
};

/// Generates a predicate of any kind with at most `depth` nested connectives.
pub fn any(rng: &mut Random, system: &System, depth: usize) -> Predicate {
    let vars = system.variables.len();
    let several = |rng: &mut Random| {
        (0..rng.below(4))
            .map(|_| any(rng, system, depth - 1))
            .collect()
    };
    match rng.below(if depth == 0 { 7 } else { 10 }) {
        0 => Predicate::Const(rng.coin()),
        1 => Predicate::Linear(linear(rng, vars)),
        2 | 3 => Predicate::Linear(weighted(rng, vars)),
        4 => Predicate::Expr(expression(rng, vars, 2)),
        5 => {
            let events = 0..rng.below(3);
            let event = |_| EventId(rng.below(system.events.len()) as u32);
            Predicate::Enabled(events.map(event).collect())
        }
        6 => Predicate::Deadlock,
        7 => Predicate::Not(Box::new(any(rng, system, depth - 1))),
        8 => Predicate::And(several(rng)),
        _ => Predicate::Or(several(rng)),
    }
}

/// Generates `Σ cᵢ·xᵢ ⋈ k` over the first `vars` variables with `cᵢ` and `k` of either sign. Not
/// all can be written in a formula, unlike those of [`linear`].
fn weighted(rng: &mut Random, vars: usize) -> Linear {
    let mut terms = Vec::new();
    for v in 0..vars as u32 {
        let coefficient = rng.between(-2, 2);
        if coefficient != 0 && rng.coin() {
            terms.push((VarId(v), coefficient));
        }
    }
    Linear {
        terms,
        constant: rng.between(-2, 4),
        ..linear(rng, vars)
    }
}

/// Generates an expression over the first `vars` variables.
pub fn expression(rng: &mut Random, vars: usize, depth: usize) -> Expr {
    if depth == 0 || rng.percent(30) {
        return if rng.percent(60) {
            Expr::Var(VarId(rng.below(vars) as u32))
        } else {
            Expr::Const(rng.between(-1, 3))
        };
    }
    match rng.below(10) {
        0 => Expr::Unary(
            *rng.one_of(&[UnaryOp::Neg, UnaryOp::Not, UnaryOp::Complement]),
            Box::new(expression(rng, vars, depth - 1)),
        ),
        1 => {
            let first = rng.below(vars);
            Expr::Element {
                first: VarId(first as u32),
                len: 1 + rng.below(vars - first) as u32,
                index: Box::new(expression(rng, vars, depth - 1)),
            }
        }
        _ => {
            use BinaryOp::*;
            let op = *rng.one_of(&[
                Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr, Eq, Ne, Lt, Le, Gt, Ge,
                And, Or, Implies, Add, Sub, Eq, Ne, Lt,
            ]);
            let left = expression(rng, vars, depth - 1);
            let right = expression(rng, vars, depth - 1);
            Expr::Binary(op, Box::new(left), Box::new(right))
        }
    }
}

/// Generates a Boolean combination of comparisons of one or two variables.
pub fn guard(rng: &mut Random, vars: usize, depth: usize) -> Predicate {
    match rng.below(if depth == 0 { 6 } else { 9 }) {
        0..3 => Predicate::Linear(linear(rng, vars)),
        3..5 => Predicate::Expr(expression(rng, vars, 2)),
        5 => Predicate::Const(rng.percent(80)),
        6 => Predicate::Not(Box::new(guard(rng, vars, depth - 1))),
        7 => Predicate::And((0..2).map(|_| guard(rng, vars, depth - 1)).collect()),
        _ => Predicate::Or((0..2).map(|_| guard(rng, vars, depth - 1)).collect()),
    }
}

/// Generates `Σ cᵢ·xᵢ ⋈ k` over one or two of the first `vars` variables.
pub fn linear(rng: &mut Random, vars: usize) -> Linear {
    let comparison = *rng.one_of(&[
        Comparison::Eq,
        Comparison::Ne,
        Comparison::Lt,
        Comparison::Le,
        Comparison::Gt,
        Comparison::Ge,
        Comparison::Ge,
    ]);
    let first = rng.below(vars);
    let mut terms = vec![(VarId(first as u32), if rng.percent(15) { 2 } else { 1 })];
    let mut constant = rng.between(0, 2);
    if rng.percent(35) && vars > 1 {
        let second = (first + 1 + rng.below(vars - 1)) % vars;
        let coefficient = *rng.one_of(&[1, 1, -1]);
        terms.push((VarId(second as u32), coefficient));
        if coefficient < 0 {
            constant = 0;
        }
        terms.sort_unstable();
    }
    Linear {
        terms,
        comparison,
        constant,
    }
}
