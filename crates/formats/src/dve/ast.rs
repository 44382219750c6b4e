//! The syntax tree of a DVE model with unresolved names.

use super::lexer::{ByteSpan, DveDiagnostic};
use lariat_model::{BinaryOp, UnaryOp};

/// An occurrence of a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identifier<'t> {
    pub text: &'t str,
    pub span: ByteSpan,
}

impl Identifier<'_> {
    pub fn error(self, message: impl Into<String>) -> DveDiagnostic {
        self.span.error(message)
    }

    /// The error about a second declaration.
    pub fn twice(self) -> DveDiagnostic {
        self.error(format!("`{}` is already declared", self.text))
    }
}

/// An expression whose depth the parser limits.
#[derive(Debug)]
pub(super) struct ExprAst<'t> {
    pub span: ByteSpan,
    pub kind: ExprKind<'t>,
    pub depth: u32,
}

#[derive(Debug)]
pub(super) enum ExprKind<'t> {
    Number(i64),
    /// `x`, `x[i]`, `P->x`, `P->x[i]`
    Variable(Reference<'t>),
    /// `P.s`
    State(Identifier<'t>, Identifier<'t>),
    Unary(UnaryOp, Box<ExprAst<'t>>),
    Binary(BinaryOp, Box<ExprAst<'t>>, Box<ExprAst<'t>>),
    /// `a && b && c`, and likewise for every associative operator: often long, so stored flat.
    Chain(BinaryOp, Vec<ExprAst<'t>>),
    /// `a - b + c`: the terms, with `true` for subtracted ones.
    Sum(Vec<(bool, ExprAst<'t>)>),
}

#[derive(Debug)]
pub(super) struct Reference<'t> {
    /// `P->`
    pub process: Option<Identifier<'t>>,
    pub name: Identifier<'t>,
    pub index: Option<Box<ExprAst<'t>>>,
}

/// The type of a variable or a field of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    /// 0..255
    Byte,
    /// Signed, 16 bits.
    Int,
}

#[derive(Debug)]
pub(super) enum Init<'t> {
    Single(ExprAst<'t>),
    List(Vec<ExprAst<'t>>, ByteSpan),
}

#[derive(Debug)]
pub(super) struct VarDecl<'t> {
    pub constant: bool,
    pub kind: Type,
    pub name: Identifier<'t>,
    pub size: Option<ExprAst<'t>>,
    pub init: Option<Init<'t>>,
}

#[derive(Debug)]
pub(super) struct ChannelDecl<'t> {
    pub name: Identifier<'t>,
    /// `None` if untyped.
    pub fields: Option<Vec<Type>>,
    pub capacity: Option<ExprAst<'t>>,
}

#[derive(Debug)]
pub(super) enum Decl<'t> {
    Var(VarDecl<'t>),
    Channel(ChannelDecl<'t>),
}

#[derive(Debug)]
pub(super) enum SyncKind<'t> {
    Send(Vec<ExprAst<'t>>),
    Receive(Vec<Reference<'t>>),
}

#[derive(Debug)]
pub(super) struct SyncLabel<'t> {
    /// The process that declares the channel, if named.
    pub process: Option<Identifier<'t>>,
    pub channel: Identifier<'t>,
    pub kind: SyncKind<'t>,
    pub span: ByteSpan,
}

#[derive(Debug)]
pub(super) struct Assign<'t> {
    pub target: Reference<'t>,
    pub value: ExprAst<'t>,
}

#[derive(Debug)]
pub(super) struct Trans<'t> {
    pub from: Identifier<'t>,
    pub to: Identifier<'t>,
    pub guards: Vec<ExprAst<'t>>,
    pub sync: Option<SyncLabel<'t>>,
    pub effects: Vec<Assign<'t>>,
}

#[derive(Debug)]
pub(super) struct ProcessAst<'t> {
    pub name: Identifier<'t>,
    /// From the name to the closing brace.
    pub span: ByteSpan,
    pub decls: Vec<Decl<'t>>,
    pub states: Vec<Identifier<'t>>,
    pub init: Option<Identifier<'t>>,
    pub commit: Vec<Identifier<'t>>,
    pub accept: Vec<Identifier<'t>>,
    pub asserts: Vec<(Identifier<'t>, ExprAst<'t>)>,
    pub trans: Vec<Trans<'t>>,
}

#[derive(Debug)]
pub(super) struct ModelAst<'t> {
    pub decls: Vec<Decl<'t>>,
    pub processes: Vec<ProcessAst<'t>>,
    /// `system async property P`
    pub property: Option<Identifier<'t>>,
}
