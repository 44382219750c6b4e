//! Assignments beyond the range of a variable, as a condition on the source state of a step.
//!
//! A step of a program assigns in sequence. Let `σᵢ` map each variable to its value after the first
//! `i` assignments, as an expression over the source state; the step `g ▷ x₁ := e₁; …; xₙ := eₙ`
//! exceeds a range iff
//!
//! ```text
//! g ∧ ⋁ᵢ eᵢσᵢ₋₁ ∉ range(xᵢ),     σᵢ = σᵢ₋₁[xᵢ ↦ wrap(eᵢσᵢ₋₁)]
//! ```
//!
//! Intervals of the values leave out the assignments that cannot exceed their range, which are most.
//! An assignment to an array element whose index is not constant splits the values of all elements;
//! the size of the condition is limited.

use rustc_hash::FxHashMap;

use crate::expr::{BinaryOp, EvalError, Expr, LValue, UnaryOp};
use crate::predicate::{Comparison, Predicate};
use crate::system::{Action, Assignment, Domain, EventId, System, Value, VarId};

/// Limit on the nodes of the expressions that are built for one system.
const SIZE: usize = 1 << 16;
/// Limit on the elements of an array that an expression enumerates.
const ELEMENTS: u32 = 64;

/// The condition under which some enabled step assigns a value beyond its range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Overflow {
    /// No step does.
    Never,
    /// The condition, on the source state of the step. Where a step fails it is false.
    When(Predicate),
    /// The condition exceeds a limit.
    TooLarge,
}

impl System {
    /// The condition under which some enabled step assigns a value beyond its range.
    pub fn overflow(&self) -> Overflow {
        let mut conditions = Vec::new();
        let mut size = SIZE;
        for event in &self.events {
            let Action::Program { guard, effects } = &event.action else {
                continue;
            };
            let mut steps = Steps {
                system: self,
                values: FxHashMap::default(),
                size,
            };
            match steps.exceeds(effects) {
                None => return Overflow::TooLarge,
                Some(None) => {}
                Some(Some(exceeds)) => conditions.push(match guard {
                    Predicate::Expr(guard) => {
                        Predicate::Expr(binary(BinaryOp::And, guard.clone(), exceeds))
                    }
                    guard => Predicate::And(vec![guard.clone(), Predicate::Expr(exceeds)]),
                }),
            }
            size = steps.size;
        }
        if conditions.is_empty() {
            return Overflow::Never;
        }
        if let Some(fault) = self.fault {
            let sound = Predicate::compare(fault, Comparison::Eq, 0);
            let some = Predicate::Or(conditions);
            return Overflow::When(Predicate::And(vec![sound, some]));
        }
        Overflow::When(Predicate::Or(conditions))
    }

    /// The first assignment by which a step from `state` exceeds a range: the event, the variable
    /// and the value.
    pub fn exceeding_step(&self, state: &[Value]) -> Option<(EventId, VarId, Value)> {
        self.event_ids().find_map(|event| {
            let Action::Program { guard, effects } = &self.event(event).action else {
                return None;
            };
            if self.has_failed(state) || !self.holds(guard, state) {
                return None;
            }
            let exceeds = || -> Result<Option<(VarId, Value)>, EvalError> {
                let mut next = state.to_vec();
                for effect in effects {
                    let (var, value) = (effect.target.resolve(&next)?, effect.value.eval(&next)?);
                    let stored = self.wrap(var, value);
                    if stored != value {
                        return Ok(Some((var, value)));
                    }
                    next[var.index()] = stored;
                }
                Ok(None)
            };
            let (var, value) = exceeds().ok().flatten()?;
            Some((event, var, value))
        })
    }
}

/// The values of variables in the middle of a step.
struct Steps<'s> {
    system: &'s System,
    values: FxHashMap<VarId, Expr>,
    /// The number of nodes that may still be built.
    size: usize,
}

impl Steps<'_> {
    /// The condition that some assignment exceeds its range; `None` inside if none can, outside if
    /// a limit is exceeded.
    fn exceeds(&mut self, effects: &[Assignment]) -> Option<Option<Expr>> {
        let can_exceed = |effect: &Assignment| {
            let mut targets = Vec::new();
            effect.target.collect_writes(&mut targets);
            let (low, high) = bounds(self.system, &effect.value);
            targets.iter().any(|var| {
                range(self.system, *var).is_some_and(|(least, most)| low < least || high > most)
            })
        };
        let Some(last) = effects.iter().rposition(can_exceed) else {
            return Some(None);
        };
        let mut conditions: Option<Expr> = None;
        for effect in &effects[..=last] {
            let value = self.now(&effect.value)?;
            let first = match &effect.target {
                LValue::Var(var) => *var,
                LValue::Element { first, len, index } => {
                    let index = self.now(index)?;
                    let element = element(*first, *len, index);
                    self.keep_failure(&element, &mut conditions)?;
                    *first
                }
            };
            match self.outside(first, &value)? {
                Some(exceeding) => self.join(&mut conditions, exceeding)?,
                None => self.keep_failure(&value, &mut conditions)?,
            }
            self.assign(&effect.target, value)?;
        }
        Some(conditions)
    }

    /// Adds a condition that is never true, but has no value where `expr` has none.
    fn keep_failure(&mut self, expr: &Expr, conditions: &mut Option<Expr>) -> Option<()> {
        if !expr.can_fail() {
            return Some(());
        }
        self.spend(expr)?;
        let never = self.binary(BinaryOp::Mul, expr.clone(), Expr::Const(0))?;
        self.join(conditions, never)
    }

    fn join(&mut self, conditions: &mut Option<Expr>, next: Expr) -> Option<()> {
        *conditions = Some(match conditions.take() {
            None => next,
            Some(before) => self.binary(BinaryOp::Or, before, next)?,
        });
        Some(())
    }

    /// Stores a value.
    fn assign(&mut self, target: &LValue, value: Expr) -> Option<()> {
        match target {
            LValue::Var(var) => {
                let stored = self.wrapped(*var, value)?;
                self.values.insert(*var, stored);
            }
            LValue::Element { first, len, index } => {
                let index = self.now(index)?;
                let of_first = range(self.system, *first);
                let has_type = |var: VarId| range(self.system, var) == of_first;
                let mut cells = (first.0..first.0 + len).map(VarId);
                if *len > ELEMENTS || !cells.clone().all(has_type) {
                    return None;
                }
                let stored = self.wrapped(*first, value)?;
                let next: Option<Vec<(VarId, Expr)>> =
                    cells.try_fold(Vec::new(), |mut next, var| {
                        let old = self.now(&Expr::Var(var))?;
                        let new = self.select(&index, var.0 - first.0, stored.clone(), old)?;
                        next.push((var, new));
                        Some(next)
                    });
                self.values.extend(next?);
            }
        }
        Some(())
    }

    /// The condition that a value is outside the range of a variable; `None` inside if it never is.
    fn outside(&mut self, var: VarId, value: &Expr) -> Option<Option<Expr>> {
        let Some((least, most)) = range(self.system, var) else {
            return Some(None);
        };
        let (low, high) = bounds(self.system, value);
        let below = (low < least).then_some((BinaryOp::Lt, least));
        let above = (high > most).then_some((BinaryOp::Gt, most));
        let mut condition = None;
        for (op, limit) in [below, above].into_iter().flatten() {
            self.spend(value)?;
            let side = self.binary(op, value.clone(), Expr::Const(limit))?;
            condition = Some(match condition {
                None => side,
                Some(other) => self.binary(BinaryOp::Or, other, side)?,
            });
        }
        Some(condition)
    }

    /// The stored value.
    fn wrapped(&mut self, var: VarId, value: Expr) -> Option<Expr> {
        let Some((least, most)) = range(self.system, var) else {
            return Some(value);
        };
        let (low, high) = bounds(self.system, &value);
        if low >= least && high <= most {
            return Some(value);
        }
        let size = most.checked_sub(least)?.checked_add(1)?;
        let is_power = size.count_ones() == 1 && size <= 1 << 16;
        if is_power && least == 0 {
            return self.binary(BinaryOp::BitAnd, value, Expr::Const(most));
        }
        if is_power && least == -size / 2 {
            let bits = || Expr::Const(Value::from(32 - size.trailing_zeros()));
            let up = self.binary(BinaryOp::Shl, value, bits())?;
            return self.binary(BinaryOp::Shr, up, bits());
        }
        // least + (((value - least) % size + size) % size), if 32 bits hold all of it.
        let fits = |x: Value| i32::try_from(x).is_ok();
        if !fits(size.checked_mul(2)?)
            || !fits(low.checked_sub(least)?)
            || !fits(high.checked_sub(least)?)
        {
            return None;
        }
        let constant = |x| Expr::Const(x);
        let offset = self.binary(BinaryOp::Sub, value, constant(least))?;
        let rest = self.binary(BinaryOp::Rem, offset, constant(size))?;
        let positive = self.binary(BinaryOp::Add, rest, constant(size))?;
        let rest = self.binary(BinaryOp::Rem, positive, constant(size))?;
        self.binary(BinaryOp::Add, rest, constant(least))
    }

    /// `new` if `index` is `i`, else `old`.
    fn select(&mut self, index: &Expr, i: u32, new: Expr, old: Expr) -> Option<Expr> {
        let at = Value::from(i);
        if let Expr::Const(index) = index {
            return Some(if *index == at { new } else { old });
        }
        self.spend(index)?;
        self.spend(index)?;
        self.spend(&new)?;
        let here = self.binary(BinaryOp::Eq, index.clone(), Expr::Const(at))?;
        let elsewhere = self.binary(BinaryOp::Ne, index.clone(), Expr::Const(at))?;
        let here = self.binary(BinaryOp::Mul, here, new)?;
        let elsewhere = self.binary(BinaryOp::Mul, elsewhere, old)?;
        self.binary(BinaryOp::Add, here, elsewhere)
    }

    /// An expression of the program over the source state.
    fn now(&mut self, expr: &Expr) -> Option<Expr> {
        self.size = self.size.checked_sub(1)?;
        Some(match expr {
            Expr::Const(_) => expr.clone(),
            Expr::Var(var) => match self.values.get(var).cloned() {
                Some(value) => {
                    self.spend(&value)?;
                    value
                }
                None => expr.clone(),
            },
            Expr::Element { first, len, index } => {
                let index = self.now(index)?;
                let cells = (0..*len).map(|i| VarId(first.0 + i));
                let element = |index| element(*first, *len, index);
                if cells.clone().all(|cell| !self.values.contains_key(&cell)) {
                    return Some(element(index));
                }
                if *len > ELEMENTS {
                    return None;
                }
                // The element of the source state, times 0, fails if the index is out of range.
                self.spend(&index)?;
                let zero = Expr::Const(0);
                let mut sum = self.binary(BinaryOp::Mul, element(index.clone()), zero.clone())?;
                for (i, cell) in (0..).zip(cells) {
                    let value = self.now(&Expr::Var(cell))?;
                    let part = self.select(&index, i, value, zero.clone())?;
                    sum = self.binary(BinaryOp::Add, sum, part)?;
                }
                sum
            }
            Expr::Unary(op, x) => Expr::Unary(*op, Box::new(self.now(x)?)),
            Expr::Binary(op, x, y) => {
                let (x, y) = (self.now(x)?, self.now(y)?);
                binary(*op, x, y)
            }
        })
    }

    fn binary(&mut self, op: BinaryOp, x: Expr, y: Expr) -> Option<Expr> {
        self.size = self.size.checked_sub(1)?;
        Some(binary(op, x, y))
    }

    /// Accounts for a copy of an expression.
    fn spend(&mut self, expr: &Expr) -> Option<()> {
        fn nodes(expr: &Expr) -> usize {
            1 + match expr {
                Expr::Const(_) | Expr::Var(_) => 0,
                Expr::Element { index, .. } => nodes(index),
                Expr::Unary(_, x) => nodes(x),
                Expr::Binary(_, x, y) => nodes(x) + nodes(y),
            }
        }
        self.size = self.size.checked_sub(nodes(expr))?;
        Some(())
    }
}

fn element(first: VarId, len: u32, index: Expr) -> Expr {
    Expr::Element {
        first,
        len,
        index: Box::new(index),
    }
}

fn binary(op: BinaryOp, x: Expr, y: Expr) -> Expr {
    Expr::Binary(op, Box::new(x), Box::new(y))
}

/// The range of a variable whose assignments wrap around.
fn range(system: &System, var: VarId) -> Option<(Value, Value)> {
    match system.variable(var).domain {
        Domain::Range { low, high } => Some((low, high)),
        Domain::Count { .. } | Domain::Names(_) => None,
    }
}

const ANY: (Value, Value) = (i32::MIN as Value, i32::MAX as Value);

/// An interval that contains the values of an expression where it has one.
fn bounds(system: &System, expr: &Expr) -> (Value, Value) {
    let of = |expr: &Expr| bounds(system, expr);
    match expr {
        Expr::Const(value) => (*value, *value),
        Expr::Var(var) => match &system.variable(*var).domain {
            Domain::Range { low, high } => (*low, *high),
            Domain::Names(names) => (0, names.len() as Value),
            Domain::Count { bound } => {
                let most = bound.and_then(|bound| Value::try_from(bound).ok());
                (0, most.unwrap_or(Value::MAX))
            }
        },
        Expr::Element { first, len, .. } => {
            let cells = (first.0..first.0 + len).map(|i| of(&Expr::Var(VarId(i))));
            cells
                .reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
                .unwrap_or((0, 0))
        }
        Expr::Unary(UnaryOp::Not, _) => (0, 1),
        Expr::Unary(UnaryOp::Neg, x) => {
            let (low, high) = of(x);
            fit(-i128::from(high), -i128::from(low))
        }
        Expr::Unary(UnaryOp::Complement, x) => {
            let (low, high) = of(x);
            fit(i128::from(!high), i128::from(!low))
        }
        Expr::Binary(op, x, y) => of_binary(*op, of(x), of(y)),
    }
}

fn of_binary(op: BinaryOp, x: (Value, Value), y: (Value, Value)) -> (Value, Value) {
    let wide = |(low, high): (Value, Value)| (i128::from(low), i128::from(high));
    let ((a, b), (c, d)) = (wide(x), wide(y));
    let are_natural = x.0 >= 0 && y.0 >= 0;
    match op {
        BinaryOp::Add => fit(a + c, b + d),
        BinaryOp::AddWide => (x.0.saturating_add(y.0), x.1.saturating_add(y.1)),
        BinaryOp::Sub => fit(a - d, b - c),
        BinaryOp::Mul => {
            let corners = [a * c, a * d, b * c, b * d];
            let least = corners.iter().copied().fold(i128::MAX, i128::min);
            fit(least, corners.iter().copied().fold(i128::MIN, i128::max))
        }
        BinaryOp::Div if are_natural => (0, x.1),
        BinaryOp::Rem if are_natural => (0, x.1.min((y.1 - 1).max(0))),
        BinaryOp::BitAnd if are_natural => (0, x.1.min(y.1)),
        BinaryOp::BitAnd if x.0 >= 0 => (0, x.1),
        BinaryOp::BitAnd if y.0 >= 0 => (0, y.1),
        BinaryOp::BitOr | BinaryOp::BitXor if are_natural => fit(
            0,
            (b.max(d) + 1).cast_unsigned().next_power_of_two() as i128 - 1,
        ),
        BinaryOp::Shr if x.0 >= 0 => (0, x.1),
        BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Shl
        | BinaryOp::Shr => ANY,
        BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Implies => (0, 1),
    }
}

/// The interval, or all 32-bit values if a bound exceeds them, as arithmetic wraps around.
fn fit(low: i128, high: i128) -> (Value, Value) {
    match (i32::try_from(low), i32::try_from(high)) {
        (Ok(low), Ok(high)) => (low.into(), high.into()),
        _ => ANY,
    }
}
