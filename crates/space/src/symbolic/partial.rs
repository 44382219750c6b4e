//! Expressions, partially evaluated level by level.
//!
//! An expression that has read the values of some levels is an expression over the remaining
//! ones: constants are folded and the rest is hash-consed, so that two paths that leave the
//! same question leave the same id. Operators compute what [`lariat_model::Expr::eval`] computes,
//! lazy logic and faults included: an expression is folded only when its value, or that it faults,
//! no longer depends on what is unread.

use super::layout::Layout;
use lariat_model::order::Level;
use lariat_model::{BinaryOp, Expr, UnaryOp, Value, VarId};
use rustc_hash::FxHashMap;

/// A partially evaluated expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct ExprId(u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Node {
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
    nodes: Vec<Node>,
    /// The first level that each expression reads.
    tops: Vec<Level>,
    ids: FxHashMap<Node, ExprId>,
    stepped: FxHashMap<(ExprId, u32, u32), ExprId>,
}

const NEVER: Level = Level(u32::MAX);

impl Exprs {
    /// How many things are held.
    pub(super) fn things(&self) -> usize {
        self.nodes.len() + self.stepped.len()
    }

    fn id(&mut self, node: Node) -> ExprId {
        if let Some(id) = self.ids.get(&node) {
            return *id;
        }
        let id = ExprId(self.nodes.len() as u32);
        let top = |e: &ExprId| self.tops[e.0 as usize];
        self.tops.push(match &node {
            Node::Const(_) | Node::Fault => NEVER,
            Node::Level(level) => *level,
            Node::Element(cells, index) => {
                cells.iter().chain([index]).map(top).min().unwrap_or(NEVER)
            }
            Node::Unary(_, x) => top(x),
            Node::Binary(_, x, y) => top(x).min(top(y)),
        });
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    /// The first level that the value still depends on.
    pub(super) fn top(&self, expr: ExprId) -> Level {
        self.tops[expr.0 as usize]
    }

    /// Whether the expression is known to be true: not 0 and not a fault.
    pub(super) fn known(&self, expr: ExprId) -> Option<bool> {
        match &self.nodes[expr.0 as usize] {
            Node::Const(value) => Some(*value != 0),
            Node::Fault => Some(false),
            _ => None,
        }
    }

    /// Has the expression been found to fault?
    pub(super) fn is_fault(&self, expr: ExprId) -> bool {
        self.nodes[expr.0 as usize] == Node::Fault
    }

    /// The expression before anything is read.
    pub(super) fn compile(&mut self, layout: &Layout, expr: &Expr) -> ExprId {
        match expr {
            Expr::Const(value) => self.id(Node::Const(*value)),
            Expr::Var(var) => self.id(Node::Level(layout.level(*var))),
            Expr::Element { first, len, index } => {
                let index = self.compile(layout, index);
                let cells = (first.0..first.0 + len)
                    .map(|v| self.id(Node::Level(layout.level(VarId(v)))))
                    .collect();
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
        match self.nodes[expr.0 as usize] {
            Node::Const(value) => Some(value),
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
                None => self.id(Node::Fault),
            },
            None => self.id(Node::Element(cells, index)),
        }
    }

    fn unary(&mut self, op: UnaryOp, x: ExprId) -> ExprId {
        if self.is_fault(x) {
            return x;
        }
        match self.constant(x) {
            Some(value) => {
                let folded = Expr::Unary(op, Box::new(Expr::Const(value))).eval(&[]);
                self.id(folded.map_or(Node::Fault, Node::Const))
            }
            None => self.id(Node::Unary(op, x)),
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
            _ => return self.id(Node::Binary(op, x, y)),
        };
        self.id(folded.map_or(Node::Fault, Node::Const))
    }

    /// What is left when the level `level` has the value `value`, stored as `stored`.
    pub(super) fn step(&mut self, expr: ExprId, level: Level, stored: u32, value: Value) -> ExprId {
        if self.top(expr) > level {
            return expr;
        }
        let key = (expr, level.0, stored);
        if let Some(known) = self.stepped.get(&key) {
            return *known;
        }
        let result = match self.nodes[expr.0 as usize].clone() {
            Node::Const(_) | Node::Fault => expr,
            Node::Level(_) => self.id(Node::Const(value)),
            Node::Element(cells, index) => {
                let index = self.step(index, level, stored, value);
                let cells = cells
                    .iter()
                    .map(|c| self.step(*c, level, stored, value))
                    .collect();
                self.element(cells, index)
            }
            Node::Unary(op, x) => {
                let x = self.step(x, level, stored, value);
                self.unary(op, x)
            }
            Node::Binary(op, x, y) => {
                let x = self.step(x, level, stored, value);
                let y = self.step(y, level, stored, value);
                self.binary(op, x, y)
            }
        };
        self.stepped.insert(key, result);
        result
    }
}
