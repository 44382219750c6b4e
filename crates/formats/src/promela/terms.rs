//! Small constructors of IR expressions, folding constants.

use lariat_model::{Assignment, BinaryOp, Expr, LValue, UnaryOp, Value, VarId};

/// Stands for `timeout` until the guards of all events are known.
pub(super) const TIMEOUT: VarId = VarId(u32::MAX);

pub(super) fn number(value: impl Into<Value>) -> Expr {
    Expr::Const(value.into())
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    match (&left, &right) {
        (Expr::Const(x), Expr::Const(y)) => {
            if let Ok(value) = op.apply(*x, *y) {
                return Expr::Const(value);
            }
        }
        (Expr::Const(0), _) if op == BinaryOp::Add => return right,
        (_, Expr::Const(0)) if op == BinaryOp::Add => return left,
        (Expr::Const(0), _) if op == BinaryOp::And => return left,
        (Expr::Const(x), _) if op == BinaryOp::Or && *x != 0 => return number(1),
        _ => {}
    }
    Expr::Binary(op, Box::new(left), Box::new(right))
}

pub(super) fn compare(op: BinaryOp, var: VarId, value: impl Into<Value>) -> Expr {
    Expr::Binary(op, Box::new(Expr::Var(var)), Box::new(number(value)))
}

pub(super) fn not(expr: Expr) -> Expr {
    match expr {
        Expr::Const(x) => number(x == 0),
        expr => Expr::Unary(UnaryOp::Not, Box::new(expr)),
    }
}

/// The conjunction as a balanced tree; true if there are no operands.
pub(super) fn all(operands: Vec<Expr>) -> Expr {
    let is_true = |e: &Expr| matches!(e, Expr::Const(x) if *x != 0);
    let operands: Vec<Expr> = operands.into_iter().filter(|e| !is_true(e)).collect();
    balanced(BinaryOp::And, operands).unwrap_or(number(1))
}

/// The disjunction as a balanced tree; false if there are no operands.
pub(super) fn any(operands: Vec<Expr>) -> Expr {
    let operands: Vec<Expr> = operands
        .into_iter()
        .filter(|e| *e != Expr::Const(0))
        .collect();
    balanced(BinaryOp::Or, operands).unwrap_or(number(0))
}

fn balanced(op: BinaryOp, mut operands: Vec<Expr>) -> Option<Expr> {
    while operands.len() > 1 {
        let mut pairs = Vec::with_capacity(operands.len().div_ceil(2));
        let mut rest = operands.into_iter();
        while let Some(left) = rest.next() {
            pairs.push(match rest.next() {
                Some(right) => binary(op, left, right),
                None => left,
            });
        }
        operands = pairs;
    }
    operands.pop()
}

pub(super) fn assign(var: VarId, value: Expr) -> Assignment {
    Assignment {
        target: LValue::Var(var),
        value,
    }
}

/// An expression whose evaluation always fails.
pub(super) fn failure() -> Expr {
    Expr::Binary(BinaryOp::Div, Box::new(number(1)), Box::new(number(0)))
}

/// The value that a variable from `low` to `high` has after it was assigned `value`.
pub(super) fn stored(low: Value, high: Value, value: Expr) -> Expr {
    if let Expr::Const(x) = value {
        return number(low + (x - low).rem_euclid(high - low + 1));
    }
    if low == Value::from(i32::MIN) {
        return value;
    }
    // The ranges are 0 to 2^n − 1 and −2^n to 2^n − 1.
    let masked = binary(BinaryOp::BitAnd, value, number(high - low));
    if low == 0 {
        return masked;
    }
    let flipped = binary(BinaryOp::BitXor, masked, number(-low));
    binary(BinaryOp::Sub, flipped, number(-low))
}

/// The value of a variable in place of each of its occurrences.
pub(super) fn substitute(expr: &mut Expr, var: VarId, value: &Expr) {
    match expr {
        Expr::Var(v) if *v == var => *expr = value.clone(),
        Expr::Const(_) | Expr::Var(_) => {}
        Expr::Element { index, .. } => substitute(index, var, value),
        Expr::Unary(_, x) => substitute(x, var, value),
        Expr::Binary(_, x, y) => {
            substitute(x, var, value);
            substitute(y, var, value);
        }
    }
}

pub(super) fn mentions(expr: &Expr, var: VarId) -> bool {
    let mut vars = Vec::new();
    expr.collect_vars(&mut vars);
    vars.contains(&var)
}

/// The number of nodes of an expression; an array counts by its length.
pub(super) fn size(expr: &Expr) -> u64 {
    1 + match expr {
        Expr::Const(_) | Expr::Var(_) => 0,
        Expr::Element { len, index, .. } => u64::from(*len / 16) + size(index),
        Expr::Unary(_, x) => size(x),
        Expr::Binary(_, x, y) => size(x) + size(y),
    }
}
