//! Options of the engine: proofs of absence and the form of recurring states.

/// Options of a search.
#[derive(Clone, Copy)]
pub(super) struct HybOptions {
    pub proofs: Proofs,
    pub recurring: Recurring,
}

/// Enabled proofs of absence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Proofs {
    /// No firing led to a known state.
    pub recurring: bool,
    /// The values of the node have no cycle.
    pub abstraction: bool,
    /// The effects of events exclude cycles at a level.
    pub structure: bool,
    /// Moves outside of accepting components are on no fair cycle. Else all moves are inner.
    pub automaton: bool,
    /// A label need not be read again, see `still.rs`.
    pub still: bool,
}

impl Default for Proofs {
    fn default() -> Proofs {
        Proofs::without(&[])
    }
}

/// Name of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Proof {
    /// [`Proofs::recurring`].
    Recurring,
    /// [`Proofs::abstraction`].
    Abstraction,
    /// [`Proofs::structure`].
    Structure,
    /// [`Proofs::automaton`].
    Automaton,
    /// [`Proofs::still`].
    Still,
}

impl Proof {
    /// All proofs.
    pub const ALL: [Proof; 5] = [
        Proof::Recurring,
        Proof::Abstraction,
        Proof::Structure,
        Proof::Automaton,
        Proof::Still,
    ];

    /// Proofs that are not in the paper.
    pub const OURS: [Proof; 3] = [Proof::Structure, Proof::Automaton, Proof::Still];

    /// Returns the name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Proof::Recurring => "recurring",
            Proof::Abstraction => "abstraction",
            Proof::Structure => "structure",
            Proof::Automaton => "automaton",
            Proof::Still => "still",
        }
    }

    /// Returns a one-line description.
    pub fn about(self) -> &'static str {
        match self {
            Proof::Recurring => "no firing at the level of a node led to a known state",
            Proof::Abstraction => "the values of a node have no cycle",
            Proof::Structure => "the effects of events exclude cycles at a level",
            Proof::Automaton => "the automaton is in no accepting component at a firing",
            Proof::Still => "a label is not read again if that has no effect",
        }
    }
}

impl Proofs {
    /// Enables all proofs except some.
    pub fn without(left_out: &[Proof]) -> Proofs {
        let tried = |proof| !left_out.contains(&proof);
        Proofs {
            recurring: tried(Proof::Recurring),
            abstraction: tried(Proof::Abstraction),
            structure: tried(Proof::Structure),
            automaton: tried(Proof::Automaton),
            still: tried(Proof::Still),
        }
    }

    /// Returns the enabled proofs that are in the paper.
    pub fn published(self) -> Proofs {
        let paper = Proofs::without(&Proof::OURS);
        Proofs {
            recurring: self.recurring && paper.recurring,
            abstraction: self.abstraction && paper.abstraction,
            structure: self.structure && paper.structure,
            automaton: self.automaton && paper.automaton,
            still: self.still && paper.still,
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
