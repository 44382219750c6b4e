//! Techniques of `auto` that can be switched off, to measure their effect.

/// A technique of `auto`. Reductions are switched off by their [rules](lariat_reductions::Rule).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Technique {
    /// Random and directed walks.
    Walk,
    /// Facts proved by the state equation.
    Facts,
    /// Quotients by the symmetries of colours and of places.
    Symmetries,
    /// The component-wise engine.
    Saturation,
    /// Products of sets of states, and fixpoints.
    Sets,
}

impl Technique {
    /// All techniques.
    pub const ALL: [Technique; 5] = [
        Technique::Walk,
        Technique::Facts,
        Technique::Symmetries,
        Technique::Saturation,
        Technique::Sets,
    ];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Technique::Walk => "walk",
            Technique::Facts => "facts",
            Technique::Symmetries => "symmetries",
            Technique::Saturation => "saturation",
            Technique::Sets => "sets",
        }
    }

    /// A short description.
    pub fn about(self) -> &'static str {
        match self {
            Technique::Walk => {
                "random walks, and walks directed at the letters that the automaton needs (`auto`)"
            }
            Technique::Facts => {
                "facts about all reachable markings, from the state equation (`auto`)"
            }
            Technique::Symmetries => "quotients by symmetries of colours and places (`auto`)",
            Technique::Saturation => {
                "the engine `hyb`, which searches the product during saturation (`auto`)"
            }
            Technique::Sets => "engines on sets: sop, slap, slap-fst, el (`auto`)",
        }
    }
}

/// A set of techniques that are switched off; empty by default.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct LeftOut(u8);

impl LeftOut {
    /// The set of `techniques`.
    pub fn of(techniques: &[Technique]) -> LeftOut {
        let bits = techniques.iter().map(|technique| LeftOut::bit(*technique));
        LeftOut(bits.fold(0, |all, bit| all | bit))
    }

    /// Returns whether `technique` is switched off.
    pub fn contains(self, technique: Technique) -> bool {
        self.0 & LeftOut::bit(technique) != 0
    }

    fn bit(technique: Technique) -> u8 {
        1 << technique as u8
    }
}
