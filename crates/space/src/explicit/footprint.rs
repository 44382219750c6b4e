//! The variables on which an event depends while one variable is known to have one of few values.
//!
//! Guards of programs compare locations with constants. If `p` is known, many of them are decided:
//! the event cannot happen, or a condition does not depend on `p` after all. With `V` the known
//! values of `p`, a condition `c` is *decided* if it has the same value, without failing, for every
//! value of `p` in `V` and all values of the other variables.
//!
//! ```text
//! reads(e)  = { x | x occurs in a condition of e that is not decided, or in an assignment }
//! writes(e) = { x | e may assign x }
//! ```
//!
//! The continuation of a chain counts only as far as no decided guard is in its way.

use lariat_model::{Action, Assignment, BinaryOp, Chain, Expr, Linear, Predicate, Value, VarId};

/// A variable with the values that it may have.
#[derive(Clone, Copy)]
pub(super) struct KnownVariable<'v> {
    pub var: VarId,
    pub values: &'v [Value],
}

/// The variables that an event may read and write.
#[derive(Debug, Default)]
pub(super) struct Footprint {
    pub reads: Vec<VarId>,
    pub writes: Vec<VarId>,
}

impl Footprint {
    /// The footprint of an event while `known` holds.
    pub fn of(action: &Action, known: KnownVariable<'_>) -> Footprint {
        let mut footprint = Footprint::default();
        match action {
            Action::Net(_) | Action::Table { .. } => {
                footprint.reads = action.reads();
                footprint.writes = action.writes();
            }
            Action::Program { guard, effects } => {
                footprint.condition(guard, known);
                footprint.assignments(effects);
            }
            Action::Chain(chain) => {
                footprint.condition(&chain.guard, known);
                footprint.chain(chain, known);
            }
        }
        footprint
    }

    fn assignments(&mut self, effects: &[Assignment]) {
        for effect in effects {
            effect.value.collect_vars(&mut self.reads);
            effect.target.collect_reads(&mut self.reads);
            effect.target.collect_writes(&mut self.writes);
        }
    }

    fn condition(&mut self, guard: &Predicate, known: KnownVariable<'_>) {
        match guard {
            Predicate::Expr(expr) => self.conjuncts(expr, known),
            guard if known.decides(guard).is_some() => {}
            guard => guard.collect_vars(&mut self.reads),
        }
    }

    /// Adds the variables of the conjuncts that are not decided.
    fn conjuncts(&mut self, expr: &Expr, known: KnownVariable<'_>) {
        match expr {
            Expr::Binary(BinaryOp::And, x, y) => {
                self.conjuncts(x, known);
                self.conjuncts(y, known);
            }
            expr if known.value(expr).is_some() => {}
            expr => expr.collect_vars(&mut self.reads),
        }
    }

    /// Adds the part of a chain that can be reached. If this part assigns the known variable, it
    /// is incomplete, but contains that assignment.
    fn chain(&mut self, chain: &Chain, known: KnownVariable<'_>) {
        self.assignments(&chain.effects);
        let mut seen = vec![false; chain.points.len()];
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let Some(point) = chain.points.get(at as usize) else {
                continue;
            };
            if std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            for step in &point.steps {
                if known.value(&step.guard) == Some(0) {
                    continue;
                }
                self.conjuncts(&step.guard, known);
                self.assignments(&step.effects);
                open.extend(step.next);
            }
        }
    }
}

impl KnownVariable<'_> {
    /// The value that the expression has without failing, if it is the same for all values.
    pub fn value(self, expr: &Expr) -> Option<Value> {
        same(
            self.values
                .iter()
                .map(|value| value_at(expr, self.var, *value)),
        )
    }

    /// The truth of the predicate, if it is the same for all values.
    pub fn decides(self, predicate: &Predicate) -> Option<bool> {
        same(
            self.values
                .iter()
                .map(|value| truth_at(predicate, self.var, *value)),
        )
    }
}

/// The common value of all options.
fn same<T: PartialEq>(mut options: impl Iterator<Item = Option<T>>) -> Option<T> {
    let first = options.next()??;
    options
        .all(|option| option.as_ref() == Some(&first))
        .then_some(first)
}

/// Returns whether no state with `var = value` satisfies the guard, or fails to have a value for
/// it.
pub(super) fn excludes(guard: &Predicate, var: VarId, value: Value) -> bool {
    truth_at(guard, var, value) == Some(false)
}

/// The value of the expression in every state with `var = value`; `None` if it may differ or fail.
fn value_at(expr: &Expr, var: VarId, value: Value) -> Option<Value> {
    let at = |expr: &Expr| value_at(expr, var, value);
    match expr {
        Expr::Const(k) => Some(*k),
        Expr::Var(x) => (*x == var).then_some(value),
        Expr::Element { first, len, index } => {
            let index = u32::try_from(at(index)?).ok()?;
            (index < *len && first.0 + index == var.0).then_some(value)
        }
        Expr::Unary(op, x) => Some(op.apply(at(x)?)),
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), x, y) => {
            // The left operand that decides alone, and the right one that does.
            let (left, right, result) = match op {
                BinaryOp::And => (false, false, 0),
                BinaryOp::Or => (true, true, 1),
                _ => (false, true, 1),
            };
            match at(x).map(|x| x != 0) {
                Some(x) if x == left => Some(result),
                Some(_) => Some(Value::from(at(y)? != 0)),
                None => (at(y).map(|y| y != 0) == Some(right) && !x.can_fail()).then_some(result),
            }
        }
        Expr::Binary(op, x, y) => op.apply(at(x)?, at(y)?).ok(),
    }
}

/// The truth of the predicate in every state with `var = value`; `None` if it may differ. An
/// expression that fails is false, except in guards.
fn truth_at(predicate: &Predicate, var: VarId, value: Value) -> Option<bool> {
    let at = |predicate: &Predicate| truth_at(predicate, var, value);
    match predicate {
        Predicate::Const(truth) => Some(*truth),
        Predicate::Linear(linear) => linear_at(linear, var, value),
        Predicate::Expr(expr) => value_at(expr, var, value).map(|x| x != 0),
        Predicate::Enabled(_) | Predicate::Deadlock => None,
        Predicate::Not(p) => at(p).map(|truth| !truth),
        Predicate::And(ps) if ps.iter().any(|p| at(p) == Some(false)) => Some(false),
        Predicate::And(ps) => ps.iter().all(|p| at(p) == Some(true)).then_some(true),
        Predicate::Or(ps) if ps.iter().any(|p| at(p) == Some(true)) => Some(true),
        Predicate::Or(ps) => ps.iter().all(|p| at(p) == Some(false)).then_some(false),
    }
}

fn linear_at(linear: &Linear, var: VarId, value: Value) -> Option<bool> {
    match linear.terms[..] {
        [(x, c)] if x == var => {
            let sum = i128::from(c) * i128::from(value);
            Some(linear.comparison.holds(sum, i128::from(linear.constant)))
        }
        _ => None,
    }
}
