//! The identity of an engine.

use std::fmt;

/// An engine, or another source of answers, by identity.
///
/// `ba`, `ta` and `tgta` are the explicit engine with another kind of automaton; they have
/// identities of their own because users select them by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum EngineId {
    /// The schedule of several engines.
    Auto,
    /// Structural facts about the net, without a search.
    Facts,
    /// Single states with a TGBA.
    Explicit,
    /// Single states with a Büchi automaton.
    Ba,
    /// Single states with a testing automaton.
    Ta,
    /// Single states with a generalized testing automaton.
    Tgta,
    /// Single states modulo symmetries.
    Sym,
    /// The symbolic synchronized product.
    Ssp,
    /// Random walks.
    Walk,
    /// Symbolic observation graph.
    Sog,
    /// Symbolic observation product.
    Sop,
    /// Self-loop aggregation product.
    Slap,
    /// Self-loop aggregation product with fully symbolic terminal states.
    SlapFst,
    /// The product of Biere, Clarke and Zhu.
    Bcz,
    /// One-way-catch-them-young.
    Owcty,
    /// Emerson–Lei.
    El,
    /// Saturation with component-wise SCC search.
    Hyb,
    /// Questions about reachable states.
    Ask,
    /// Single states distributed over several processes.
    Distributed,
}

impl EngineId {
    /// The name used on the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            EngineId::Auto => "auto",
            EngineId::Facts => "facts",
            EngineId::Explicit => "explicit",
            EngineId::Ba => "ba",
            EngineId::Ta => "ta",
            EngineId::Tgta => "tgta",
            EngineId::Sym => "sym",
            EngineId::Ssp => "ssp",
            EngineId::Walk => "walk",
            EngineId::Sog => "sog",
            EngineId::Sop => "sop",
            EngineId::Slap => "slap",
            EngineId::SlapFst => "slap-fst",
            EngineId::Bcz => "bcz",
            EngineId::Owcty => "owcty",
            EngineId::El => "el",
            EngineId::Hyb => "hyb",
            EngineId::Ask => "ask",
            EngineId::Distributed => "distributed",
        }
    }
}

impl fmt::Display for EngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
