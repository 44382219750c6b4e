//! The syntax tree of a DVE model with unresolved names.

use super::lexer::Span;
use lariat_model::{BinaryOp, UnaryOp};

/// An occurrence of a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'t> {
    pub text: &'t str,
    pub span: Span,
}

/// An expression whose depth the parser limits.
#[derive(Debug)]
pub(super) struct ExprAst<'t> {
    pub span: Span,
    pub kind: ExprKind<'t>,
    pub depth: u32,
}

#[derive(Debug)]
pub(super) enum ExprKind<'t> {
    Number(i64),
    /// `x`, `x[i]`, `P->x`, `P->x[i]`
    Variable(Reference<'t>),
    /// `P.s`
    State(Name<'t>, Name<'t>),
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
    pub process: Option<Name<'t>>,
    pub name: Name<'t>,
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
    List(Vec<ExprAst<'t>>, Span),
}

#[derive(Debug)]
pub(super) struct VarDecl<'t> {
    pub constant: bool,
    pub kind: Type,
    pub name: Name<'t>,
    pub size: Option<ExprAst<'t>>,
    pub init: Option<Init<'t>>,
}

#[derive(Debug)]
pub(super) struct ChannelDecl<'t> {
    pub name: Name<'t>,
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
pub(super) struct Sync<'t> {
    /// The process that declares the channel, if named.
    pub process: Option<Name<'t>>,
    pub channel: Name<'t>,
    pub kind: SyncKind<'t>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct Assign<'t> {
    pub target: Reference<'t>,
    pub value: ExprAst<'t>,
}

#[derive(Debug)]
pub(super) struct Trans<'t> {
    pub from: Name<'t>,
    pub to: Name<'t>,
    pub guards: Vec<ExprAst<'t>>,
    pub sync: Option<Sync<'t>>,
    pub effects: Vec<Assign<'t>>,
}

#[derive(Debug)]
pub(super) struct ProcessAst<'t> {
    pub name: Name<'t>,
    pub decls: Vec<Decl<'t>>,
    pub states: Vec<Name<'t>>,
    pub init: Option<Name<'t>>,
    pub commit: Vec<Name<'t>>,
    pub accept: Vec<Name<'t>>,
    pub asserts: Vec<(Name<'t>, ExprAst<'t>)>,
    pub trans: Vec<Trans<'t>>,
}

#[derive(Debug)]
pub(super) struct ModelAst<'t> {
    pub decls: Vec<Decl<'t>>,
    pub processes: Vec<ProcessAst<'t>>,
    /// `system async property P`
    pub property: Option<Name<'t>>,
}
