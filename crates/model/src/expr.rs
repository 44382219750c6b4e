//! Expressions of programs: integer arithmetic over variables and arrays.

use crate::system::{Value, VarId};

/// Why an expression has no value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// An array index outside of the array.
    Index,
    /// A division or remainder by zero.
    Division,
    /// A result beyond 63 bits.
    Overflow,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// Arithmetic negation.
    Neg,
    /// 1 if the operand is 0, else 0.
    Not,
    /// Bitwise complement.
    Complement,
}

/// Operators with two operands. Comparisons and the logical ones give 0 or 1; any value but 0 is
/// true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "named like the operators")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// Truncates towards zero, as in C.
    Div,
    /// The sign of the dividend, as in C.
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
    /// The right operand is not evaluated if the left is 0.
    And,
    /// The right operand is not evaluated if the left is not 0.
    Or,
    /// Likewise.
    Implies,
}

/// An expression over the variables of a [`crate::System`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A number.
    Const(Value),
    /// The value of a variable.
    Var(VarId),
    /// An element of an array that occupies `len` variables from `first` on.
    Element {
        /// Element 0.
        first: VarId,
        /// How many elements there are.
        len: u32,
        /// Which one.
        index: Box<Expr>,
    },
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// What can be assigned.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LValue {
    /// A variable.
    Var(VarId),
    /// An element of an array, as in [`Expr::Element`].
    Element {
        /// Element 0.
        first: VarId,
        /// How many elements there are.
        len: u32,
        /// Which one.
        index: Expr,
    },
}

fn element(first: VarId, len: u32, index: Value) -> Result<VarId, Fault> {
    match u32::try_from(index) {
        Ok(i) if i < len => Ok(VarId(first.0 + i)),
        _ => Err(Fault::Index),
    }
}

impl Expr {
    /// The value in a state.
    pub fn eval(&self, state: &[Value]) -> Result<Value, Fault> {
        Ok(match self {
            Expr::Const(value) => *value,
            Expr::Var(var) => state[var.index()],
            Expr::Element { first, len, index } => {
                state[element(*first, *len, index.eval(state)?)?.index()]
            }
            Expr::Unary(op, operand) => {
                let x = operand.eval(state)?;
                match op {
                    UnaryOp::Neg => x.checked_neg().ok_or(Fault::Overflow)?,
                    UnaryOp::Not => Value::from(x == 0),
                    UnaryOp::Complement => !x,
                }
            }
            Expr::Binary(op, left, right) => {
                let x = left.eval(state)?;
                match (op, x) {
                    (BinaryOp::And, 0) => return Ok(0),
                    (BinaryOp::Or, x) if x != 0 => return Ok(1),
                    (BinaryOp::Implies, 0) => return Ok(1),
                    _ => {}
                }
                op.apply(x, right.eval(state)?)?
            }
        })
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

impl BinaryOp {
    /// The operation on two values.
    pub fn apply(self, x: Value, y: Value) -> Result<Value, Fault> {
        let shift = |y: Value| u32::try_from(y).ok().filter(|y| *y < 32);
        match self {
            BinaryOp::Add => x.checked_add(y).ok_or(Fault::Overflow),
            BinaryOp::Sub => x.checked_sub(y).ok_or(Fault::Overflow),
            BinaryOp::Mul => x.checked_mul(y).ok_or(Fault::Overflow),
            BinaryOp::Div | BinaryOp::Rem if y == 0 => Err(Fault::Division),
            BinaryOp::Div => x.checked_div(y).ok_or(Fault::Overflow),
            BinaryOp::Rem => x.checked_rem(y).ok_or(Fault::Overflow),
            BinaryOp::BitAnd => Ok(x & y),
            BinaryOp::BitOr => Ok(x | y),
            BinaryOp::BitXor => Ok(x ^ y),
            BinaryOp::Shl => match shift(y) {
                Some(y) => x.checked_mul(1 << y).ok_or(Fault::Overflow),
                None => Err(Fault::Overflow),
            },
            BinaryOp::Shr => shift(y).map(|y| x >> y).ok_or(Fault::Overflow),
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
    /// The variable that is meant in a state.
    pub fn resolve(&self, state: &[Value]) -> Result<VarId, Fault> {
        match self {
            LValue::Var(var) => Ok(*var),
            LValue::Element { first, len, index } => element(*first, *len, index.eval(state)?),
        }
    }

    /// Adds the variables that decide which one is meant.
    pub fn collect_reads(&self, vars: &mut Vec<VarId>) {
        if let LValue::Element { index, .. } = self {
            index.collect_vars(vars);
        }
    }

    /// Adds the variables that may be meant.
    pub fn collect_writes(&self, vars: &mut Vec<VarId>) {
        match self {
            LValue::Var(var) => vars.push(*var),
            LValue::Element { first, len, .. } => vars.extend((first.0..first.0 + len).map(VarId)),
        }
    }
}
