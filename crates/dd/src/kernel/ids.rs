//! What recursive operations speak of: nodes, scopes and residuals.

/// A node of a diagram: the set of suffixes below it. Equal sets have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The empty set, on every level.
    pub const EMPTY: NodeId = NodeId(0);
    /// The set of the empty suffix: what lies below the last level.
    pub const ONE: NodeId = NodeId(1);

    /// Is this the empty set?
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a [`Scope`](crate::Scope), for cache keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub(crate) u32);

impl ScopeId {
    /// No scope in particular: entries under it stay for as long as their nodes do.
    pub const ALWAYS: ScopeId = ScopeId(0);
}

/// What a predicate still asks after some levels have been read; the numbers mean
/// something only within the scope of the predicate that gave them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Residual(pub u32);

impl Residual {
    /// Nothing satisfies it any more.
    pub const FALSE: Residual = Residual(0);
    /// Everything satisfies it from here on.
    pub const TRUE: Residual = Residual(1);
}
