//! The syntax tree of a model. Names of variables are resolved; processes and labels are not, since
//! they may be declared later.

use std::sync::Arc;

use lariat_model::{BinaryOp, UnaryOp};

use super::lexer::Span;

/// A variable of the model, as a position in [`ModelAst::variables`].
pub(super) type VarIndex = usize;

#[derive(Clone, Debug)]
pub(super) struct Ident {
    pub text: Arc<str>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    /// Integers from a smallest to a largest value; assignments wrap around.
    Range(i64, i64),
    /// A symbol of the named list at this position, or of the plain one.
    Mtype(usize),
    Chan,
    /// A structure, as a position in [`ModelAst::structs`].
    Struct(usize),
}

#[derive(Clone, Debug)]
pub(super) enum Initial {
    None,
    Value(Expr),
    Values(Vec<Expr>),
    /// Channels with this capacity and these fields.
    Channel(u32, Vec<Type>),
}

#[derive(Clone, Debug)]
pub(super) struct VariableAst {
    pub name: Ident,
    pub kind: Type,
    /// The number of elements of an array.
    pub len: Option<u32>,
    pub initial: Initial,
    /// Whether the initial value is assigned when control passes the declaration.
    pub is_assigned: bool,
}

#[derive(Clone, Debug)]
pub(super) struct StructAst {
    pub name: Ident,
    pub fields: Vec<VariableAst>,
}

/// A variable, an element or a field: `a[i].f`.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub variable: Option<VarIndex>,
    pub index: Option<Box<Expr>>,
    /// Fields of structures, as positions, with their indices.
    pub fields: Vec<(usize, Option<Expr>)>,
    /// The type of the whole.
    pub kind: Type,
    /// Whether it denotes a whole array.
    pub is_array: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ChannelTest {
    Len,
    Empty,
    NonEmpty,
    Full,
    NonFull,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Number(i64),
    Reference(Reference),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Test(ChannelTest, Reference),
    /// Whether a receive could be executed.
    Poll(Receive),
    Run(Ident, Vec<Expr>),
    Pid,
    Processes,
    Timeout,
    /// `P[pid]@L`
    At(Ident, Option<Box<Expr>>, Ident),
    /// `P[pid]:v`
    Remote(Ident, Option<Box<Expr>>, Ident, Option<Box<Expr>>),
    /// No process is at a progress label.
    NonProgress,
}

#[derive(Clone, Debug)]
pub(super) enum Argument {
    /// A variable to be assigned; `None` for `_`.
    Target(Option<Reference>),
    /// A value that must be received.
    Value(Expr),
}

#[derive(Clone, Debug)]
pub(super) struct Receive {
    pub channel: Reference,
    pub arguments: Vec<Argument>,
    /// Whether any message of the buffer may match.
    pub random: bool,
    /// Whether the message stays.
    pub copy: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Send {
    pub channel: Reference,
    pub values: Vec<Expr>,
    pub sorted: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockKind {
    Plain,
    Atomic,
    Deterministic,
}

#[derive(Clone, Debug)]
pub(super) enum StatementKind {
    Condition(Expr),
    Assign(Reference, Expr),
    Else,
    /// A step without effect: `skip`, `printf`.
    Nothing,
    Break,
    Goto(Ident),
    Assert(Expr),
    Send(Send),
    Receive(Receive),
    If(Vec<Sequence>),
    Do(Vec<Sequence>),
    Block(BlockKind, Sequence),
    Unless(Sequence, Sequence),
    /// One step per value between two constants.
    Select(Reference, i64, i64),
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub labels: Vec<Ident>,
    pub statement: Statement,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Sequence(pub Vec<Step>);

#[derive(Clone, Debug)]
pub(super) struct ProcessAst {
    pub name: Ident,
    pub parameters: Vec<VarIndex>,
    /// All variables in the order of their declarations, parameters first.
    pub variables: Vec<VarIndex>,
    /// The number of instances at the start.
    pub active: u32,
    pub provided: Option<Expr>,
    pub body: Sequence,
    pub end: Span,
}

/// An `ltl` block, as a range of the text between its braces.
#[derive(Clone, Debug)]
pub(super) struct LtlAst {
    pub name: Option<Ident>,
    /// The formula as tokens.
    pub formula: Vec<super::lexer::Token>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct ClaimAst {
    pub name: Option<Ident>,
    pub body: Sequence,
    pub span: Span,
}

/// Symbols with their values.
pub(super) type Symbols = Vec<(Ident, i64)>;

#[derive(Clone, Debug, Default)]
pub(super) struct ModelAst {
    pub variables: Vec<VariableAst>,
    pub structs: Vec<StructAst>,
    /// Symbols of `mtype` declarations with their values, the plain list first.
    pub mtypes: Vec<(Arc<str>, Symbols)>,
    pub globals: Vec<VarIndex>,
    pub processes: Vec<ProcessAst>,
    pub formulas: Vec<LtlAst>,
    pub claims: Vec<ClaimAst>,
}

impl Sequence {
    /// Adds the labels that conditions mention as `P@L`.
    pub fn labels(&self, labels: &mut rustc_hash::FxHashSet<Arc<str>>) {
        for step in &self.0 {
            match &step.statement.kind {
                StatementKind::Condition(expr) | StatementKind::Assert(expr) => expr.labels(labels),
                StatementKind::If(options) | StatementKind::Do(options) => {
                    for option in options {
                        option.labels(labels);
                    }
                }
                StatementKind::Block(_, body) => body.labels(labels),
                StatementKind::Unless(main, escape) => {
                    main.labels(labels);
                    escape.labels(labels);
                }
                _ => {}
            }
        }
    }
}

impl Expr {
    fn labels(&self, labels: &mut rustc_hash::FxHashSet<Arc<str>>) {
        match &self.kind {
            ExprKind::At(_, _, label) => {
                labels.insert(label.text.clone());
            }
            ExprKind::Unary(_, x) => x.labels(labels),
            ExprKind::Binary(_, x, y) => {
                x.labels(labels);
                y.labels(labels);
            }
            _ => {}
        }
    }
}
