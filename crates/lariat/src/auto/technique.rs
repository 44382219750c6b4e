//! What `auto` can do without, so that what each is worth can be measured.

/// A technique of `auto`. Reductions are left out one by one, by their [rules](lariat_reductions::Rule).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Technique {
    /// Random and directed walks.
    Walk,
    /// What the state equation proves.
    Facts,
    /// Quotients by the symmetries of colours and of places.
    Symmetries,
    /// The component-wise engine.
    Saturation,
    /// Products of sets of states, and fixpoints.
    Sets,
}

impl Technique {
    /// All of them.
    pub const ALL: [Technique; 5] = [
        Technique::Walk,
        Technique::Facts,
        Technique::Symmetries,
        Technique::Saturation,
        Technique::Sets,
    ];

    /// The name by which it is left out.
    pub fn name(self) -> &'static str {
        match self {
            Technique::Walk => "walk",
            Technique::Facts => "facts",
            Technique::Symmetries => "symmetries",
            Technique::Saturation => "saturation",
            Technique::Sets => "sets",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Technique::Walk => "`auto` walks at random, and towards what the automaton waits for",
            Technique::Facts => {
                "`auto` asks the state equation what holds of every reachable marking"
            }
            Technique::Symmetries => {
                "`auto` takes states for one that differ by symmetries of colours or places"
            }
            Technique::Saturation => {
                "`auto` lets hyb look for cycles while the product is saturated"
            }
            Technique::Sets => "`auto` lets engines on sets search (sop, slap, slap-fst, el)",
        }
    }
}

/// Techniques that are left out; none by default.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct LeftOut(u8);

impl LeftOut {
    /// These.
    pub fn of(techniques: &[Technique]) -> LeftOut {
        let bits = techniques.iter().map(|technique| LeftOut::bit(*technique));
        LeftOut(bits.fold(0, |all, bit| all | bit))
    }

    /// Is it left out?
    pub fn contains(self, technique: Technique) -> bool {
        self.0 & LeftOut::bit(technique) != 0
    }

    fn bit(technique: Technique) -> u8 {
        1 << technique as u8
    }
}
