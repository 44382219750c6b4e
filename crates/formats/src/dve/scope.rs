//! The names of a DVE model and the resolution of expressions.
//!
//! A local name hides a global one. Other processes are accessed by `P.s` (1 if P is in state s,
//! else 0) and `P->x`. The table is kept after the model is read, as atoms of formulas are
//! expressions over it.

use rustc_hash::FxHashMap;

use super::ast::{ExprAst, ExprKind, Identifier, Reference, Type};
use super::lexer::{DveDiagnostic, DveResult};
use lariat_model::suggestion;
use lariat_model::{BinaryOp, Expr, LValue, Value, VarId};

/// The meaning of a declared name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    Constant(Value),
    Variable {
        first: VarId,
        /// `None` for a scalar.
        len: Option<u32>,
        kind: Type,
        constant: bool,
    },
    /// A position in the list of channels.
    Channel(usize),
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ProcessScope {
    pub name: String,
    /// `None` for a property process, which is not part of the system.
    pub location: Option<VarId>,
    pub states: FxHashMap<String, u32>,
    pub locals: FxHashMap<String, Symbol>,
}

/// All names of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SymbolTable {
    pub(super) globals: FxHashMap<String, Symbol>,
    pub(super) processes: Vec<ProcessScope>,
    pub(super) process_index: FxHashMap<String, usize>,
}

/// `left op right`, evaluated if both are constant.
pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    if let (Expr::Const(x), Expr::Const(y)) = (&left, &right)
        && let Ok(value) = op.apply(*x, *y)
    {
        return Expr::Const(value);
    }
    Expr::Binary(op, Box::new(left), Box::new(right))
}

/// `e₁ op … op eₙ` as a balanced tree that preserves the order of operands.
pub(super) fn balanced(op: BinaryOp, mut operands: Vec<Expr>) -> Option<Expr> {
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

impl SymbolTable {
    /// Returns whether the model declares the name globally.
    pub(super) fn is_taken(&self, name: &str) -> bool {
        self.globals.contains_key(name) || self.process_index.contains_key(name)
    }

    /// Adds the name of the fault variable, for formulas only: the model is already translated.
    pub(super) fn add_fault(&mut self, name: &str, var: VarId) {
        let symbol = Symbol::Variable {
            first: var,
            len: None,
            kind: Type::Byte,
            constant: true,
        };
        self.globals.insert(name.to_owned(), symbol);
    }

    /// The meaning of a name inside `process`.
    pub(super) fn lookup(&self, process: Option<usize>, name: &str) -> Option<Symbol> {
        process
            .and_then(|p| self.processes.get(p)?.locals.get(name))
            .or_else(|| self.globals.get(name))
            .copied()
    }

    pub(super) fn process(&self, name: Identifier) -> DveResult<&ProcessScope> {
        match self.process_index.get(name.text) {
            Some(&p) => Ok(&self.processes[p]),
            None => {
                let names = self.process_index.keys().map(String::as_str);
                Err(name
                    .error(format!("no process is called `{}`", name.text))
                    .help(suggestion(name.text, names)))
            }
        }
    }

    fn undeclared(&self, process: Option<usize>, name: Identifier) -> DveDiagnostic {
        let locals = process
            .and_then(|p| self.processes.get(p))
            .into_iter()
            .flat_map(|p| p.locals.keys());
        let names = locals.chain(self.globals.keys()).map(String::as_str);
        let help = if self.process_index.contains_key(name.text) {
            let p = name.text;
            Some(format!(
                "`{p}` is a process: `{p}.s` tests its state, `{p}->x` reads its variable"
            ))
        } else {
            suggestion(name.text, names)
        };
        name.error(format!("no variable or constant is called `{}`", name.text))
            .help(help)
    }

    /// The symbol of a reference that is read or written inside `process`.
    pub(super) fn symbol(&self, process: Option<usize>, r: &Reference) -> DveResult<Symbol> {
        let symbol = match r.process {
            None => self
                .lookup(process, r.name.text)
                .ok_or_else(|| self.undeclared(process, r.name))?,
            Some(owner) => {
                let owner = self.process(owner)?;
                *owner.locals.get(r.name.text).ok_or_else(|| {
                    let message =
                        format!("process `{}` has no variable `{}`", owner.name, r.name.text);
                    let names = owner.locals.keys().map(String::as_str);
                    let help = if owner.states.contains_key(r.name.text) {
                        Some(format!(
                            "a state is tested with a dot: `{}.{}`",
                            owner.name, r.name.text
                        ))
                    } else {
                        suggestion(r.name.text, names)
                    };
                    r.name.error(message).help(help)
                })?
            }
        };
        if let Symbol::Channel(_) = symbol {
            let message = format!("`{}` is a channel and has no value", r.name.text);
            return Err(r.name.error(message));
        }
        Ok(symbol)
    }

    /// The variable or array element of a reference. An array without an index denotes its first
    /// element.
    fn place(
        &self,
        process: Option<usize>,
        r: &Reference,
        first: VarId,
        len: Option<u32>,
    ) -> DveResult<LValue> {
        match (len, &r.index) {
            (_, None) => Ok(LValue::Var(first)),
            (None, Some(index)) => Err(not_an_array(r.name, index)),
            (Some(len), Some(index)) => Ok(match self.expr(process, index)? {
                Expr::Const(i) if (0..Value::from(len)).contains(&i) => {
                    LValue::Var(VarId(first.0 + i as u32))
                }
                index => LValue::Element { first, len, index },
            }),
        }
    }

    /// The target of an assignment inside `process`, and its type.
    pub(super) fn target(&self, process: usize, r: &Reference) -> DveResult<(LValue, Type)> {
        match self.symbol(Some(process), r)? {
            Symbol::Variable {
                first,
                len,
                kind,
                constant: false,
            } => Ok((self.place(Some(process), r, first, len)?, kind)),
            _ => {
                let message = format!("`{}` is a constant and cannot be assigned", r.name.text);
                Err(r.name.error(message))
            }
        }
    }

    /// `P.s`
    pub(super) fn in_state(&self, process: Identifier, state: Identifier) -> DveResult<Expr> {
        let process = match self.process(process) {
            Ok(process) => process,
            Err(e) if self.globals.contains_key(process.text) => {
                let message = format!("`{}` is not a process", process.text);
                return Err(DveDiagnostic { message, ..e });
            }
            Err(e) => return Err(e),
        };
        let Some(location) = process.location else {
            let message = format!(
                "`{}` is the property process: its state is no part of the system",
                process.name
            );
            return Err(state.error(message));
        };
        let position = self.state(process, state)?;
        Ok(binary(
            BinaryOp::Eq,
            Expr::Var(location),
            Expr::Const(Value::from(position)),
        ))
    }

    /// The position of a state among those of its process.
    pub(super) fn state(&self, process: &ProcessScope, state: Identifier) -> DveResult<u32> {
        process.states.get(state.text).copied().ok_or_else(|| {
            let message = format!("process `{}` has no state `{}`", process.name, state.text);
            let names = process.states.keys().map(String::as_str);
            let help = if process.locals.contains_key(state.text) {
                Some(format!(
                    "a variable is read with an arrow: `{}->{}`",
                    process.name, state.text
                ))
            } else {
                match (suggestion(state.text, names), states_of(process)) {
                    (Some(nearest), Some(all)) => Some(format!("{nearest} {all}")),
                    (nearest, all) => nearest.or(all),
                }
            };
            state.error(message).help(help)
        })
    }

    /// Resolves an expression inside `process`, or in global scope.
    pub(super) fn expr(&self, process: Option<usize>, ast: &ExprAst) -> DveResult<Expr> {
        Ok(match &ast.kind {
            ExprKind::Number(n) => Expr::Const(*n),
            ExprKind::State(process, state) => self.in_state(*process, *state)?,
            ExprKind::Variable(r) => match self.symbol(process, r)? {
                Symbol::Constant(value) => match &r.index {
                    None => Expr::Const(value),
                    Some(index) => return Err(not_an_array(r.name, index)),
                },
                Symbol::Variable { first, len, .. } => match self.place(process, r, first, len)? {
                    LValue::Var(var) => Expr::Var(var),
                    LValue::Element { first, len, index } => Expr::Element {
                        first,
                        len,
                        index: Box::new(index),
                    },
                },
                // `symbol` rejects channels.
                Symbol::Channel(_) => Expr::Const(0),
            },
            ExprKind::Unary(op, operand) => {
                let operand = self.expr(process, operand)?;
                let constant = matches!(operand, Expr::Const(_));
                let whole = Expr::Unary(*op, Box::new(operand));
                match constant.then(|| whole.eval(&[])) {
                    Some(Ok(value)) => Expr::Const(value),
                    _ => whole,
                }
            }
            ExprKind::Binary(op, left, right) => {
                binary(*op, self.expr(process, left)?, self.expr(process, right)?)
            }
            ExprKind::Chain(op, operands) => {
                let operands = self.exprs(process, operands)?;
                balanced(*op, operands).unwrap_or(Expr::Const(0))
            }
            ExprKind::Sum(terms) => {
                let (mut plus, mut minus) = (Vec::new(), Vec::new());
                for (negative, term) in terms {
                    let side = if *negative { &mut minus } else { &mut plus };
                    side.push(self.expr(process, term)?);
                }
                let plus = balanced(BinaryOp::Add, plus).unwrap_or(Expr::Const(0));
                match balanced(BinaryOp::Add, minus) {
                    Some(minus) => binary(BinaryOp::Sub, plus, minus),
                    None => plus,
                }
            }
        })
    }

    pub(super) fn exprs(&self, process: Option<usize>, asts: &[ExprAst]) -> DveResult<Vec<Expr>> {
        asts.iter().map(|ast| self.expr(process, ast)).collect()
    }

    /// Declares a name of `process`, or a global one.
    pub(super) fn declare(
        &mut self,
        process: Option<usize>,
        name: Identifier,
        symbol: Symbol,
    ) -> DveResult<()> {
        if process.is_none() && self.process_index.contains_key(name.text) {
            return Err(name.twice());
        }
        let table = match process.and_then(|p| self.processes.get_mut(p)) {
            Some(process) => &mut process.locals,
            None => &mut self.globals,
        };
        match table.insert(name.text.to_owned(), symbol) {
            None => Ok(()),
            Some(_) => Err(name.twice()),
        }
    }
}

/// A list of the states of a process in file order, truncated to a readable length.
fn states_of(process: &ProcessScope) -> Option<String> {
    const SHOWN: usize = 20;
    let mut states: Vec<(&u32, &str)> = process.states.iter().map(|(s, i)| (i, &**s)).collect();
    states.sort_unstable();
    let more = if states.len() > SHOWN { ", …" } else { "" };
    let names: Vec<&str> = states.into_iter().take(SHOWN).map(|(_, s)| s).collect();
    (!names.is_empty()).then(|| format!("its states are {}{more}", names.join(", ")))
}

fn not_an_array(name: Identifier, index: &ExprAst) -> DveDiagnostic {
    let indexed = name.span.to(index.span);
    indexed.error(format!("`{}` is not an array", name.text))
}

/// Approximate memory and evaluation cost of an expression: its nodes and its dependencies.
pub(super) fn size(expr: &Expr) -> u64 {
    1 + match expr {
        Expr::Const(_) | Expr::Var(_) => 0,
        // An array reference depends on all elements.
        Expr::Element { len, index, .. } => u64::from(*len / 16) + size(index),
        Expr::Unary(_, x) => size(x),
        Expr::Binary(_, x, y) => size(x) + size(y),
    }
}
