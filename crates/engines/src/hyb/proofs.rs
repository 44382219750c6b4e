//! What may be switched off or done as the paper does it, to see what it is worth.

/// Which proofs of absence are tried.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Proofs {
    /// No firing led to a known state.
    pub recurring: bool,
    /// The values of the node have no cycle.
    pub abstraction: bool,
    /// What events do to components leaves no cycle at a level.
    pub structure: bool,
    /// Moves of the automaton outside of its accepting components are on no fair cycle. Without it all moves are taken for inner ones.
    pub automaton: bool,
    /// A label may be read once more in vain, see `still.rs`.
    pub still: bool,
}

impl Default for Proofs {
    fn default() -> Proofs {
        Proofs::without(&[])
    }
}

/// One of them, by name.
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
    /// All of them.
    pub const ALL: [Proof; 5] = [
        Proof::Recurring,
        Proof::Abstraction,
        Proof::Structure,
        Proof::Automaton,
        Proof::Still,
    ];

    /// Those that the paper does not have.
    pub const OURS: [Proof; 3] = [Proof::Structure, Proof::Automaton, Proof::Still];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Proof::Recurring => "recurring",
            Proof::Abstraction => "abstraction",
            Proof::Structure => "structure",
            Proof::Automaton => "automaton",
            Proof::Still => "still",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Proof::Recurring => "no firing at the level of a node led to a known state",
            Proof::Abstraction => "the values of a node have no cycle",
            Proof::Structure => "what events do to components leaves no cycle at a level",
            Proof::Automaton => "the automaton stays in no accepting component at a firing",
            Proof::Still => "a label that changes nothing when it is read again is not walked for",
        }
    }
}

impl Proofs {
    /// All but some.
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

    /// Those of these that the paper has.
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

/// What is kept of recurring states while a node is saturated, and what a symbolic search begins with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Recurring {
    /// The firings that led to one, see `fixpoint.rs`.
    #[default]
    Arcs,
    /// The states themselves, see `detect.rs`.
    Sets,
}

impl Recurring {
    /// Both of them.
    pub const ALL: [Recurring; 2] = [Recurring::Arcs, Recurring::Sets];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Recurring::Arcs => "arcs",
            Recurring::Sets => "sets",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Recurring::Arcs => "the firings that led to one: a search asks for their targets alone",
            Recurring::Sets => {
                "the states, collected in the relational product: a search filters sources and targets, as published"
            }
        }
    }
}
