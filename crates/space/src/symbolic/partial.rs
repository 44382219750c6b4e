//! Expressions, partially evaluated level by level.
//!
//! After the values of some levels are read, an expression is an expression over the remaining
//! ones: constants are folded and the rest is hash-consed, so that two paths that leave equal
//! expressions leave the same id. Operators compute what [`lariat_model::Expr::eval`] computes,
//! including lazy logic and faults: an expression is folded only when its value, or its fault, does
//! not depend on unread levels.

use super::layout::LevelLayout;
use lariat_model::order::Level;
use lariat_model::{BinaryOp, Expr, UnaryOp, Value, VarId};
use rustc_hash::FxHashMap;

/// A partially evaluated expression; [`residual`](super::residual) steps those of predicates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct ExprId(u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum ExprForm {
    Const(Value),
    Fault,
    Level(Level),
    Element(Box<[ExprId]>, ExprId),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
}

/// All expressions of one query.
#[derive(Debug, Default)]
pub(super) struct Exprs {
    forms: Vec<ExprForm>,
    /// First level that each expression reads.
    tops: Vec<Level>,
    ids: FxHashMap<ExprForm, ExprId>,
    stepped: FxHashMap<(ExprId, u32, u32), ExprId>,
}

/// Below all levels.
pub(super) const NEVER: Level = Level(u32::MAX);

impl Exprs {
    pub(super) fn entries(&self) -> usize {
        self.forms.len() + self.stepped.len()
    }

    fn id(&mut self, form: ExprForm) -> ExprId {
        if let Some(id) = self.ids.get(&form) {
            return *id;
        }
        let id = ExprId(self.forms.len() as u32);
        let top = |e: &ExprId| self.tops[e.0 as usize];
        self.tops.push(match &form {
            ExprForm::Const(_) | ExprForm::Fault => NEVER,
            ExprForm::Level(level) => *level,
            ExprForm::Element(cells, index) => {
                cells.iter().chain([index]).map(top).min().unwrap_or(NEVER)
            }
            ExprForm::Unary(_, x) => top(x),
            ExprForm::Binary(_, x, y) => top(x).min(top(y)),
        });
        self.forms.push(form.clone());
        self.ids.insert(form, id);
        id
    }

    /// First level on which the value depends.
    pub(super) fn top(&self, expr: ExprId) -> Level {
        self.tops[expr.0 as usize]
    }

    /// Returns whether the expression is true, that is not 0 and no fault; `None` if undecided.
    pub(super) fn known(&self, expr: ExprId) -> Option<bool> {
        match &self.forms[expr.0 as usize] {
            ExprForm::Const(value) => Some(*value != 0),
            ExprForm::Fault => Some(false),
            _ => None,
        }
    }

    pub(super) fn is_fault(&self, expr: ExprId) -> bool {
        self.forms[expr.0 as usize] == ExprForm::Fault
    }

    /// The expression before any level is read.
    pub(super) fn compile(&mut self, layout: &LevelLayout, expr: &Expr) -> ExprId {
        match expr {
            Expr::Const(value) => self.id(ExprForm::Const(*value)),
            Expr::Var(var) => self.id(ExprForm::Level(layout.level(*var))),
            Expr::Element { first, len, index } => {
                let index = self.compile(layout, index);
                let vars = (first.0..first.0 + len).map(VarId);
                let cells = vars.map(|var| self.id(ExprForm::Level(layout.level(var))));
                let cells = cells.collect();
                self.element(cells, index)
            }
            Expr::Unary(op, x) => {
                let x = self.compile(layout, x);
                self.unary(*op, x)
            }
            Expr::Binary(op, x, y) => {
                let x = self.compile(layout, x);
                let y = self.compile(layout, y);
                self.binary(*op, x, y)
            }
        }
    }

    fn constant(&self, expr: ExprId) -> Option<Value> {
        match self.forms[expr.0 as usize] {
            ExprForm::Const(value) => Some(value),
            _ => None,
        }
    }

    fn element(&mut self, cells: Box<[ExprId]>, index: ExprId) -> ExprId {
        if self.is_fault(index) {
            return index;
        }
        match self.constant(index) {
            Some(i) => match usize::try_from(i).ok().and_then(|i| cells.get(i)) {
                Some(cell) => *cell,
                None => self.id(ExprForm::Fault),
            },
            None => self.id(ExprForm::Element(cells, index)),
        }
    }

    fn unary(&mut self, op: UnaryOp, x: ExprId) -> ExprId {
        if self.is_fault(x) {
            return x;
        }
        match self.constant(x) {
            Some(value) => {
                let folded = Expr::Unary(op, Box::new(Expr::Const(value))).eval(&[]);
                self.id(folded.map_or(ExprForm::Fault, ExprForm::Const))
            }
            None => self.id(ExprForm::Unary(op, x)),
        }
    }

    fn binary(&mut self, op: BinaryOp, x: ExprId, y: ExprId) -> ExprId {
        if self.is_fault(x) {
            return x;
        }
        let lazy = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Implies);
        if !lazy && self.is_fault(y) {
            return y;
        }
        let folded = match (op, self.constant(x), self.constant(y)) {
            (BinaryOp::And, Some(0), _) => Ok(0),
            (BinaryOp::Implies, Some(0), _) => Ok(1),
            (BinaryOp::Or, Some(x), _) if x != 0 => Ok(1),
            (_, Some(_), _) if lazy && self.is_fault(y) => return y,
            (_, Some(x), Some(y)) => op.apply(x, y),
            _ => return self.id(ExprForm::Binary(op, x, y)),
        };
        self.id(folded.map_or(ExprForm::Fault, ExprForm::Const))
    }

    /// The expression after `level` was read as `value`, which is stored as `stored`.
    pub(super) fn step(&mut self, expr: ExprId, level: Level, stored: u32, value: Value) -> ExprId {
        if self.top(expr) > level {
            return expr;
        }
        let key = (expr, level.0, stored);
        if let Some(known) = self.stepped.get(&key) {
            return *known;
        }
        let result = match self.forms[expr.0 as usize].clone() {
            ExprForm::Const(_) | ExprForm::Fault => expr,
            ExprForm::Level(_) => self.id(ExprForm::Const(value)),
            ExprForm::Element(cells, index) => {
                let index = self.step(index, level, stored, value);
                let cells = cells.iter().map(|c| self.step(*c, level, stored, value));
                let cells = cells.collect();
                self.element(cells, index)
            }
            ExprForm::Unary(op, x) => {
                let x = self.step(x, level, stored, value);
                self.unary(op, x)
            }
            ExprForm::Binary(op, x, y) => {
                let x = self.step(x, level, stored, value);
                let y = self.step(y, level, stored, value);
                self.binary(op, x, y)
            }
        };
        self.stepped.insert(key, result);
        result
    }
}
