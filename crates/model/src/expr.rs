//! Expressions of programs: integer arithmetic over variables and arrays.
//!
//! Arithmetic follows C, as in the modelling languages: results are 32-bit signed and wrap around;
//! `/` and `%` truncate. Token counts may be larger and are compared by [`crate::Linear`] only.

use std::fmt;

use crate::system::{Value, VarId};

/// Reason why an expression has no value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvalError {
    /// An array index out of bounds.
    Index,
    /// A division or remainder by zero.
    Division,
    /// A shift by a negative amount or by more than 31 bits.
    Shift,
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EvalError::Index => "an index is out of range",
            EvalError::Division => "a divisor is 0",
            EvalError::Shift => "a shift is by less than 0 or more than 31 bits",
        })
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UnaryOp {
    /// Arithmetic negation.
    Neg,
    /// 1 if the operand is 0, else 0.
    Not,
    /// Bitwise complement.
    Complement,
}

/// Operators with two operands. Comparisons and logical operators return 0 or 1; any value but 0 is
/// true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(missing_docs, reason = "named like the operators")]
pub enum BinaryOp {
    Add,
    /// Adds without the limit of 32 bits: for token counts, whose sums fit 63 bits.
    AddWide,
    Sub,
    Mul,
    /// Truncates towards zero, as in C.
    Div,
    /// Has the sign of the dividend, as in C.
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Does not evaluate the right operand if the left is 0.
    And,
    /// Does not evaluate the right operand if the left is not 0.
    Or,
    /// Does not evaluate the right operand if the left is 0.
    Implies,
}

/// An expression over the variables of a [`crate::System`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Expr {
    /// A number.
    Const(Value),
    /// The value of a variable.
    Var(VarId),
    /// An element of an array that occupies `len` variables starting at `first`.
    Element {
        /// Element 0.
        first: VarId,
        /// Number of elements.
        len: u32,
        /// The index.
        index: Box<Expr>,
    },
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// An assignable location.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LValue {
    /// A variable.
    Var(VarId),
    /// An element of an array, as in [`Expr::Element`].
    Element {
        /// Element 0.
        first: VarId,
        /// Number of elements.
        len: u32,
        /// The index.
        index: Expr,
    },
}

fn element(first: VarId, len: u32, index: Value) -> Result<VarId, EvalError> {
    match u32::try_from(index) {
        Ok(i) if i < len => Ok(VarId(first.0 + i)),
        _ => Err(EvalError::Index),
    }
}

impl Expr {
    /// Evaluates the expression in a state.
    pub fn eval(&self, state: &[Value]) -> Result<Value, EvalError> {
        self.eval_with(&mut |var: VarId| state[var.index()])
    }

    /// Evaluates the expression, calling `read` only for the variables that are needed.
    pub fn eval_with(&self, read: &mut impl FnMut(VarId) -> Value) -> Result<Value, EvalError> {
        Ok(match self {
            Expr::Const(value) => *value,
            Expr::Var(var) => read(*var),
            Expr::Element { first, len, index } => {
                let index = index.eval_with(read)?;
                read(element(*first, *len, index)?)
            }
            Expr::Unary(op, operand) => {
                let x = operand.eval_with(read)?;
                op.apply(x)
            }
            Expr::Binary(op, left, right) => {
                let x = left.eval_with(read)?;
                match (op, x) {
                    (BinaryOp::And, 0) => return Ok(0),
                    (BinaryOp::Or, x) if x != 0 => return Ok(1),
                    (BinaryOp::Implies, 0) => return Ok(1),
                    _ => {}
                }
                op.apply(x, right.eval_with(read)?)?
            }
        })
    }

    /// Returns whether evaluation may fail in some state (see [`EvalError`]); an overapproximation.
    pub fn can_fail(&self) -> bool {
        match self {
            Expr::Const(_) | Expr::Var(_) => false,
            Expr::Element { len, index, .. } => match **index {
                Expr::Const(i) => !(0..Value::from(*len)).contains(&i),
                _ => true,
            },
            Expr::Unary(_, x) => x.can_fail(),
            Expr::Binary(op, x, y) => {
                let here = match (op, &**y) {
                    (BinaryOp::Div | BinaryOp::Rem, Expr::Const(y)) => *y == 0,
                    (BinaryOp::Shl | BinaryOp::Shr, Expr::Const(y)) => !(0..32).contains(y),
                    (BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr, _) => true,
                    _ => false,
                };
                here || x.can_fail() || y.can_fail()
            }
        }
    }

    /// Adds every variable that the value may depend on.
    pub fn collect_vars(&self, vars: &mut Vec<VarId>) {
        match self {
            Expr::Const(_) => {}
            Expr::Var(var) => vars.push(*var),
            Expr::Element { first, len, index } => {
                vars.extend((first.0..first.0 + len).map(VarId));
                index.collect_vars(vars);
            }
            Expr::Unary(_, operand) => operand.collect_vars(vars),
            Expr::Binary(_, left, right) => {
                left.collect_vars(vars);
                right.collect_vars(vars);
            }
        }
    }
}

fn narrow(x: Value) -> Value {
    Value::from(x as i32)
}

impl UnaryOp {
    /// Applies the operator.
    #[inline]
    pub fn apply(self, x: Value) -> Value {
        match self {
            UnaryOp::Neg => narrow(x.wrapping_neg()),
            UnaryOp::Not => Value::from(x == 0),
            UnaryOp::Complement => narrow(!x),
        }
    }
}

impl BinaryOp {
    /// Applies the operator.
    #[inline]
    pub fn apply(self, x: Value, y: Value) -> Result<Value, EvalError> {
        let amount = |y: Value| u32::try_from(y).ok().filter(|y| *y < 32);
        match self {
            BinaryOp::Add => Ok(narrow(x.wrapping_add(y))),
            BinaryOp::AddWide => Ok(x.saturating_add(y)),
            BinaryOp::Sub => Ok(narrow(x.wrapping_sub(y))),
            BinaryOp::Mul => Ok(narrow(x.wrapping_mul(y))),
            BinaryOp::Div | BinaryOp::Rem if y == 0 => Err(EvalError::Division),
            BinaryOp::Div => Ok(narrow(x.wrapping_div(y))),
            BinaryOp::Rem => Ok(narrow(x.wrapping_rem(y))),
            BinaryOp::BitAnd => Ok(narrow(x & y)),
            BinaryOp::BitOr => Ok(narrow(x | y)),
            BinaryOp::BitXor => Ok(narrow(x ^ y)),
            BinaryOp::Shl => amount(y)
                .map(|y| narrow(x.wrapping_shl(y)))
                .ok_or(EvalError::Shift),
            BinaryOp::Shr => amount(y).map(|y| narrow(x >> y)).ok_or(EvalError::Shift),
            BinaryOp::Eq => Ok(Value::from(x == y)),
            BinaryOp::Ne => Ok(Value::from(x != y)),
            BinaryOp::Lt => Ok(Value::from(x < y)),
            BinaryOp::Le => Ok(Value::from(x <= y)),
            BinaryOp::Gt => Ok(Value::from(x > y)),
            BinaryOp::Ge => Ok(Value::from(x >= y)),
            BinaryOp::And => Ok(Value::from(x != 0 && y != 0)),
            BinaryOp::Or => Ok(Value::from(x != 0 || y != 0)),
            BinaryOp::Implies => Ok(Value::from(x == 0 || y != 0)),
        }
    }
}

impl LValue {
    /// The assigned variable in a state.
    pub fn resolve(&self, state: &[Value]) -> Result<VarId, EvalError> {
        self.resolve_with(&mut |var: VarId| state[var.index()])
    }

    /// The assigned variable, with `read` giving the values of variables.
    pub fn resolve_with(&self, read: &mut impl FnMut(VarId) -> Value) -> Result<VarId, EvalError> {
        match self {
            LValue::Var(var) => Ok(*var),
            LValue::Element { first, len, index } => element(*first, *len, index.eval_with(read)?),
        }
    }

    /// Adds the variables that determine the assigned variable.
    pub fn collect_reads(&self, vars: &mut Vec<VarId>) {
        if let LValue::Element { index, .. } = self {
            index.collect_vars(vars);
        }
    }

    /// Adds the variables that may be assigned.
    pub fn collect_writes(&self, vars: &mut Vec<VarId>) {
        match self {
            LValue::Var(var) => vars.push(*var),
            LValue::Element { first, len, .. } => vars.extend((first.0..first.0 + len).map(VarId)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_wraps_at_32_bits() {
        let (min, max) = (Value::from(i32::MIN), Value::from(i32::MAX));
        for (op, x, y, want) in [
            (BinaryOp::Add, max, 1, Ok(min)),
            (BinaryOp::Sub, min, 1, Ok(max)),
            (BinaryOp::Mul, 65536, 65536, Ok(0)),
            (BinaryOp::Div, min, -1, Ok(min)),
            (BinaryOp::Rem, min, -1, Ok(0)),
            (BinaryOp::Div, -7, 2, Ok(-3)),
            (BinaryOp::Rem, -7, 2, Ok(-1)),
            (BinaryOp::Div, 1, 0, Err(EvalError::Division)),
            (BinaryOp::Rem, 1, 0, Err(EvalError::Division)),
            (BinaryOp::Shl, 1, 31, Ok(min)),
            (BinaryOp::Shl, 1, 32, Err(EvalError::Shift)),
            (BinaryOp::Shr, -8, 1, Ok(-4)),
            (BinaryOp::Shr, 1, -1, Err(EvalError::Shift)),
            (BinaryOp::BitXor, 6, 3, Ok(5)),
        ] {
            assert_eq!(op.apply(x, y), want, "{op:?} {x} {y}");
        }
        let negated = Expr::Unary(UnaryOp::Neg, Box::new(Expr::Const(min)));
        assert_eq!(negated.eval(&[]), Ok(min));
    }

    #[test]
    fn logical_operators_short_circuit() {
        let bad = || {
            Box::new(Expr::Binary(
                BinaryOp::Div,
                Box::new(Expr::Const(1)),
                Box::new(Expr::Const(0)),
            ))
        };
        let eval = |op, x| Expr::Binary(op, Box::new(Expr::Const(x)), bad()).eval(&[]);
        assert_eq!(eval(BinaryOp::And, 0), Ok(0));
        assert_eq!(eval(BinaryOp::Or, 3), Ok(1));
        assert_eq!(eval(BinaryOp::Implies, 0), Ok(1));
        assert_eq!(eval(BinaryOp::And, 1), Err(EvalError::Division));
    }
}
