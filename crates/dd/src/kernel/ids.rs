//! The operands of recursive operations: nodes, scopes and residuals.

/// A node of a diagram: the set of suffixes below it. Equal sets have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DdNode(pub(crate) u32);

impl DdNode {
    /// The empty set, on every level.
    pub const EMPTY: DdNode = DdNode(0);
    /// The set of the empty suffix: the terminal below the last level.
    pub const ONE: DdNode = DdNode(1);

    /// Returns whether this is the empty set.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a [`CacheScope`](crate::CacheScope), for cache keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CacheScopeId(pub(crate) u32);

impl CacheScopeId {
    /// No particular scope: entries under it live as long as their nodes.
    pub const ALWAYS: CacheScopeId = CacheScopeId(0);
}

/// The remaining condition of a predicate after some levels have been read. Numbers are valid only
/// within the scope of that predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Residual(pub u32);

impl Residual {
    /// The unsatisfiable residual.
    pub const FALSE: Residual = Residual(0);
    /// The residual that all suffixes satisfy.
    pub const TRUE: Residual = Residual(1);
}
