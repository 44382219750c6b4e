//! Options of the engine: proofs of absence and the form of recurring states.

/// Options of a search.
#[derive(Clone, Copy)]
pub(super) struct HybOptions {
    pub proofs: AbsenceProofs,
    pub recurring: Recurring,
}

/// Enabled proofs of absence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AbsenceProofs {
    /// No firing led to a known state.
    pub recurring: bool,
    /// The values of the node have no cycle.
    pub abstraction: bool,
    /// The effects of events exclude cycles at a level.
    pub structure: bool,
    /// Moves outside of accepting components are on no fair cycle. Else all moves are inner.
    pub automaton: bool,
    /// A label need not be read again, see `stability.rs`.
    pub still: bool,
}

impl Default for AbsenceProofs {
    fn default() -> AbsenceProofs {
        AbsenceProofs::without(&[])
    }
}

/// Name of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AbsenceProof {
    /// [`AbsenceProofs::recurring`].
    Recurring,
    /// [`AbsenceProofs::abstraction`].
    Abstraction,
    /// [`AbsenceProofs::structure`].
    Structure,
    /// [`AbsenceProofs::automaton`].
    Automaton,
    /// [`AbsenceProofs::still`].
    Still,
}

impl AbsenceProof {
    /// All proofs.
    pub const ALL: [AbsenceProof; 5] = [
        AbsenceProof::Recurring,
        AbsenceProof::Abstraction,
        AbsenceProof::Structure,
        AbsenceProof::Automaton,
        AbsenceProof::Still,
    ];

    /// Proofs that are not in the paper.
    pub const OURS: [AbsenceProof; 3] = [
        AbsenceProof::Structure,
        AbsenceProof::Automaton,
        AbsenceProof::Still,
    ];

    /// Returns the name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            AbsenceProof::Recurring => "recurring",
            AbsenceProof::Abstraction => "abstraction",
            AbsenceProof::Structure => "structure",
            AbsenceProof::Automaton => "automaton",
            AbsenceProof::Still => "still",
        }
    }

    /// Returns a one-line description.
    pub fn about(self) -> &'static str {
        match self {
            AbsenceProof::Recurring => "no firing at the level of a node led to a known state",
            AbsenceProof::Abstraction => "the values of a node have no cycle",
            AbsenceProof::Structure => "the effects of events exclude cycles at a level",
            AbsenceProof::Automaton => "the automaton is in no accepting component at a firing",
            AbsenceProof::Still => "a label is not read again if that has no effect",
        }
    }
}

impl AbsenceProofs {
    /// Enables all proofs except some.
    pub fn without(left_out: &[AbsenceProof]) -> AbsenceProofs {
        let tried = |proof| !left_out.contains(&proof);
        AbsenceProofs {
            recurring: tried(AbsenceProof::Recurring),
            abstraction: tried(AbsenceProof::Abstraction),
            structure: tried(AbsenceProof::Structure),
            automaton: tried(AbsenceProof::Automaton),
            still: tried(AbsenceProof::Still),
        }
    }

    /// Returns the enabled proofs that are in the paper.
    pub fn published(self) -> AbsenceProofs {
        AbsenceProofs {
            structure: false,
            automaton: false,
            still: false,
            ..self
        }
    }
}

/// Form in which recurring states are stored during saturation; determines the symbolic search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Recurring {
    /// The firings that led to such states, see `fixpoint.rs`.
    #[default]
    Arcs,
    /// The sets of states, see `detect.rs`.
    Sets,
}

impl Recurring {
    /// Both forms.
    pub const ALL: [Recurring; 2] = [Recurring::Arcs, Recurring::Sets];

    /// Returns the name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Recurring::Arcs => "arcs",
            Recurring::Sets => "sets",
        }
    }

    /// Returns a one-line description.
    pub fn about(self) -> &'static str {
        match self {
            Recurring::Arcs => {
                "the firings that led to recurring states: a search computes only their targets"
            }
            Recurring::Sets => {
                "sets of states from the relational product: a search filters sources and targets, as published"
            }
        }
    }
}
