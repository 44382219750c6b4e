//! Expressions compiled for a machine with one accumulator.
//!
//! An operand that is a constant or a variable is part of its instruction, so that the stack is
//! used only where both operands are composed.

use lariat_model::{BinaryOp, EvalError, Expr, UnaryOp, Value};

/// A range of indices into a vector.
pub(super) type Range = (u32, u32);

pub(super) fn part<T>(all: &[T], range: Range) -> &[T] {
    &all[range.0 as usize..range.1 as usize]
}

/// An instruction; `a` is the accumulator.
#[derive(Clone, Copy, Debug)]
enum Op {
    /// a := k
    Const(Value),
    /// a := x
    Load(u32),
    /// a := x[a]
    Element { first: u32, len: u32 },
    /// a := ∘ a
    Unary(UnaryOp),
    /// a := a ∘ k
    WithConst(BinaryOp, Value),
    /// a := a ∘ x
    WithVar(BinaryOp, u32),
    /// Puts a on the stack.
    Push,
    /// a := top ∘ a
    Pop(BinaryOp),
    /// If (a ≠ 0) = `when`: a := `then`, and skip `count` instructions.
    Skip { when: bool, then: bool, count: u32 },
    /// a := (a ≠ 0)
    Truth,
}

/// The code of many expressions, concatenated.
#[derive(Debug, Default)]
pub(super) struct Code(Vec<Op>);

impl Code {
    /// Appends the code of an expression.
    pub fn add(&mut self, expr: &Expr) -> Range {
        let start = self.0.len() as u32;
        self.emit(expr);
        (start, self.0.len() as u32)
    }

    /// Emits code that leaves the value in the accumulator.
    fn emit(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(k) => self.0.push(Op::Const(*k)),
            Expr::Var(var) => self.0.push(Op::Load(var.0)),
            Expr::Element { first, len, index } => {
                self.emit(index);
                let (first, len) = (first.0, *len);
                self.0.push(Op::Element { first, len });
            }
            Expr::Unary(op, x) => {
                self.emit(x);
                self.0.push(Op::Unary(*op));
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), x, y) => {
                self.emit(x);
                let at = self.0.len();
                self.0.push(Op::Truth);
                self.emit(y);
                self.0.push(Op::Truth);
                self.0[at] = Op::Skip {
                    when: *op == BinaryOp::Or,
                    then: *op != BinaryOp::And,
                    count: (self.0.len() - at - 1) as u32,
                };
            }
            Expr::Binary(op, x, y) => {
                self.emit(x);
                match **y {
                    Expr::Const(k) => self.0.push(Op::WithConst(*op, k)),
                    Expr::Var(var) => self.0.push(Op::WithVar(*op, var.0)),
                    _ => {
                        self.0.push(Op::Push);
                        self.emit(y);
                        self.0.push(Op::Pop(*op));
                    }
                }
            }
        }
    }

    /// Runs the code of an expression.
    #[inline]
    pub fn eval(
        &self,
        range: Range,
        values: &[Value],
        stack: &mut Vec<Value>,
    ) -> Result<Value, EvalError> {
        let code = part(&self.0, range);
        let mut a = 0;
        let mut at = 0;
        while let Some(op) = code.get(at) {
            at += 1;
            match *op {
                Op::Const(k) => a = k,
                Op::Load(var) => a = values[var as usize],
                Op::Element { first, len } => {
                    if a < 0 || a >= Value::from(len) {
                        return Err(EvalError::Index);
                    }
                    a = values[first as usize + a as usize];
                }
                Op::Unary(op) => a = op.apply(a),
                Op::WithConst(op, k) => a = op.apply(a, k)?,
                Op::WithVar(op, var) => a = op.apply(a, values[var as usize])?,
                Op::Push => stack.push(a),
                Op::Pop(op) => a = op.apply(stack.pop().unwrap_or(0), a)?,
                Op::Skip { when, then, count } => {
                    if (a != 0) == when {
                        a = Value::from(then);
                        at += count as usize;
                    }
                }
                Op::Truth => a = Value::from(a != 0),
            }
        }
        Ok(a)
    }

    /// Returns whether an expression cannot fail in any state.
    pub fn is_total(&self, range: Range) -> bool {
        use BinaryOp::{Div, Rem, Shl, Shr};
        let fails = |op: BinaryOp| matches!(op, Div | Rem | Shl | Shr);
        let total = |op: &Op| match op {
            Op::Element { .. } => false,
            Op::WithConst(op, _) | Op::WithVar(op, _) | Op::Pop(op) => !fails(*op),
            _ => true,
        };
        part(&self.0, range).iter().all(total)
    }
}
