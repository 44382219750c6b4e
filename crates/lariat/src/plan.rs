//! The plan of a run: which automaton, which engine, which check, which variant.
//!
//! The four are separate choices; a [`Preset`] names one of each, and flags change one at a time.
//! [`Plan::validate`] is the one place that knows which go together, [`Plan::needs`] what a plan must know of a
//! property. `auto` is no plan: it makes several (see `auto.rs`).

use lariat_engines::{
    AutomatonKind, BCZ, EL, EXPLICIT, Emptiness, Engine, EngineId, Fixpoint, HYB, Needs, OWCTY,
    Procedure, Proofs, Recurring, SLAP, SLAP_FST, SOG, SOP, SSP, SYM, Variant, WALK, Workers,
};
use lariat_model::Strength;
use std::fmt;

/// How a property is decided.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The preset from which it was derived.
    pub id: EngineId,
    /// How states are held and searched.
    pub engine: &'static Engine,
    /// In which form the automaton is read.
    pub automaton: AutomatonKind,
    /// The emptiness check; `None` where the engine searches no graph.
    pub emptiness: Option<Emptiness>,
    /// The switches of papers and measurements.
    pub variant: Variant,
}

/// A plan with a name.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The identity of the plan that it names.
    pub id: EngineId,
    /// What it is, in a few words.
    pub about: &'static str,
    engine: &'static Engine,
    automaton: AutomatonKind,
}

impl Preset {
    /// Every preset, in the order in which help lists them. A new engine adds its line here.
    pub const ALL: &[Preset] = &[
        preset(
            EngineId::Explicit,
            &EXPLICIT,
            "single states, packed; full LTL with events",
        ),
        preset(
            EngineId::Sym,
            &SYM,
            "single states modulo symmetries of a net; full LTL with events",
        ),
        preset(
            EngineId::Ssp,
            &SSP,
            "sets of states that symmetries keep; for formulas that name single colours of a coloured net",
        ),
        preset(
            EngineId::Walk,
            &WALK,
            "random walks: find violations of full LTL with events, also where a net grows, and never say `holds`",
        ),
        preset(
            EngineId::Sog,
            &SOG,
            "aggregates closed under what is not observed; stutter-invariant properties",
        ),
        preset(
            EngineId::Sop,
            &SOP,
            "the same, observing only what can still matter",
        ),
        preset(
            EngineId::Slap,
            &SLAP,
            "sets closed under self-loops of the automaton; full LTL with events",
        ),
        preset(
            EngineId::SlapFst,
            &SLAP_FST,
            "the same, with fixpoints where the automaton cannot leave",
        ),
        preset(
            EngineId::Bcz,
            &BCZ,
            "sets of equal label, no closure; full LTL with events",
        ),
        preset(
            EngineId::Owcty,
            &OWCTY,
            "a forward fixpoint on the whole product as sets; full LTL with events",
        ),
        preset(
            EngineId::El,
            &EL,
            "a backward fixpoint on the whole product as sets; full LTL with events",
        ),
        preset(
            EngineId::Hyb,
            &HYB,
            "the product by saturation, searched as it grows; full LTL with events, and on the fly",
        ),
        preset(
            EngineId::Ba,
            &EXPLICIT,
            "single states with a Büchi automaton; full LTL with events",
        )
        .reading(AutomatonKind::Ba),
        preset(
            EngineId::Ta,
            &EXPLICIT,
            "single states with a testing automaton; stutter-invariant properties of states",
        )
        .reading(AutomatonKind::Ta),
        preset(
            EngineId::Tgta,
            &EXPLICIT,
            "the same with a generalized testing automaton",
        )
        .reading(AutomatonKind::Tgta),
    ];

    /// The preset of that name.
    pub fn named(name: &str) -> Option<Preset> {
        Preset::ALL.iter().find(|p| p.id.name() == name).copied()
    }

    const fn reading(self, automaton: AutomatonKind) -> Preset {
        Preset { automaton, ..self }
    }

    /// The plan that it stands for.
    pub fn plan(self) -> Plan {
        let plan = Plan {
            id: self.id,
            engine: self.engine,
            automaton: self.automaton,
            emptiness: None,
            variant: Variant::default(),
        };
        plan.reading(self.automaton)
    }
}

const fn preset(id: EngineId, engine: &'static Engine, about: &'static str) -> Preset {
    Preset {
        id,
        about,
        engine,
        automaton: AutomatonKind::Tgba,
    }
}

/// Two plans are equal if they have the same axes.
impl PartialEq for Plan {
    fn eq(&self, other: &Plan) -> bool {
        let axes = |plan: &Plan| (plan.engine.id, plan.automaton, plan.emptiness, plan.variant);
        axes(self) == axes(other)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id.name())
    }
}

impl Plan {
    /// The plan that a preset stands for.
    ///
    /// # Panics
    ///
    /// If no preset has that name. Only for names in the program text; look a user's up with [`Preset::named`].
    pub fn of(preset: &str) -> Plan {
        match Preset::named(preset) {
            Some(preset) => preset.plan(),
            None => panic!("no preset is called {preset}"),
        }
    }

    /// The plan of an engine that no preset names, because it is made when the program runs: with the automaton that it reads first.
    pub fn of_engine(engine: &'static Engine) -> Plan {
        let plan = Plan {
            id: engine.id,
            engine,
            automaton: AutomatonKind::Tgba,
            emptiness: None,
            variant: Variant::default(),
        };
        plan.reading(
            engine
                .automata
                .first()
                .copied()
                .unwrap_or(AutomatonKind::Tgba),
        )
    }

    /// The same with another kind of automaton, and the check that is usual for it.
    pub fn reading(self, automaton: AutomatonKind) -> Plan {
        let emptiness = (self.engine.checks)(automaton).first().copied();
        Plan {
            automaton,
            emptiness,
            ..self
        }
    }

    /// The same with another emptiness check.
    pub fn checked_by(self, emptiness: Emptiness) -> Plan {
        Plan {
            emptiness: Some(emptiness),
            ..self
        }
    }

    /// The same with other switches. As published, products are searched by Couvreur's check: those by inclusion are another paper's; and `hyb`
    /// reads Büchi automata.
    pub fn as_variant(self, variant: Variant) -> Plan {
        let plain = (self.engine.checks)(self.automaton).contains(&Emptiness::Couvreur);
        let emptiness = if variant.published && plain {
            Some(Emptiness::Couvreur)
        } else {
            self.emptiness
        };
        let automaton = if variant.published && self.engine.id == EngineId::Hyb {
            AutomatonKind::Ba
        } else {
            self.automaton
        };
        Plan {
            variant,
            automaton,
            emptiness,
            ..self
        }
    }

    /// Can several workers search one product together?
    pub fn works_together(&self) -> bool {
        self.engine.id == EngineId::Explicit && !self.automaton.is_testing()
    }

    /// The same by so many workers.
    pub fn by(self, workers: Workers) -> Plan {
        let variant = Variant {
            workers,
            ..self.variant
        };
        Plan { variant, ..self }
    }

    /// What must be known of a property.
    pub fn needs(&self) -> Needs {
        match self.engine.needs {
            Needs::Nothing if self.automaton.is_testing() => Needs::Stuttering,
            needs => needs,
        }
    }

    /// Does it know fairness of this strength? If not, a sentence says so.
    pub fn accepts(&self, asked: Strength) -> Result<(), String> {
        let name = self.id;
        if self.variant.published {
            return Err(format!("`{name}` as it was published knows no fairness"));
        }
        match ((self.engine.fairness)(self.automaton), asked) {
            (Some(known), asked) if asked <= known => Ok(()),
            (Some(_), _) => Err(format!(
                "`{name}` knows weak fairness alone; `explicit`, `slap-fst`, `el` and `owcty` know strong fairness"
            )),
            (None, _) if self.automaton.is_testing() => Err(format!(
                "`{name}` reads changes of states, and fairness is about steps; `explicit` and most others know it"
            )),
            (None, _) if self.divides() => Err(format!(
                "`{name}` takes symmetric states for one, which constraints of fairness may tell apart; `explicit` and most others know them"
            )),
            (None, _) => Err(format!(
                "`{name}` knows no fairness; `explicit` and most others do"
            )),
        }
    }

    /// Are single states searched, of which the whole product can be counted?
    pub fn has_single_states(&self) -> bool {
        matches!(
            self.engine.procedure,
            Procedure::Single(_) | Procedure::Team(_)
        )
    }

    /// Does it work modulo symmetries?
    pub fn divides(&self) -> bool {
        matches!(self.engine.id, EngineId::Sym | EngineId::Ssp)
    }

    /// Does it look at every state if it is given the time? Others only find violations.
    pub fn is_complete(&self) -> bool {
        self.engine.id != EngineId::Walk
    }

    /// Do the choices go together? If not, a sentence says why.
    pub fn validate(&self) -> Result<(), String> {
        self.validate_automaton()?;
        self.validate_emptiness()?;
        self.validate_variant()
    }

    fn validate_automaton(&self) -> Result<(), String> {
        let (name, kind) = (self.id, self.automaton);
        if self.engine.automata.contains(&kind) {
            return Ok(());
        }
        Err(if kind.is_testing() {
            format!(
                "testing automata read changes of single states (`explicit`) or of aggregates (`sog`); `{name}` reads letters"
            )
        } else {
            format!(
                "`{name}` must know what each state of the automaton accepts, and a Büchi automaton has other states"
            )
        })
    }

    fn validate_emptiness(&self) -> Result<(), String> {
        let name = self.id;
        let Some(check) = self.emptiness else {
            return Ok(());
        };
        let checks = (self.engine.checks)(self.automaton);
        if checks.contains(&check) {
            return Ok(());
        }
        Err(match (checks, check) {
            (_, Emptiness::TwoPass) => {
                "two passes are for single states with a testing automaton (`--engine ta`); other products need one".to_owned()
            }
            ([], _) => {
                let what = match self.engine.procedure {
                    Procedure::Sets(_) => "is a fixpoint and searches no graph",
                    _ => "searches no graph",
                };
                format!("`{name}` {what}; it has no emptiness check to choose")
            }
            ([Emptiness::TwoPass], _) => {
                "single states with a testing automaton are searched in two passes; there is no other check".to_owned()
            }
            _ => format!("checks by inclusion compare sets of states; `{name}` has single ones"),
        })
    }

    fn validate_variant(&self) -> Result<(), String> {
        let (name, variant) = (self.id, self.variant);
        // Of testing automata the paper has products with single states.
        let has_published = if self.automaton.is_testing() {
            self.has_single_states()
        } else {
            self.engine.has_published
        };
        if variant.published && !has_published {
            return Err(format!("`{name}` has no published variant of its own"));
        }
        let component_wise = matches!(self.engine.procedure, Procedure::ComponentWise(_));
        if variant.published && component_wise && self.automaton != AutomatonKind::Ba {
            return Err(format!(
                "`{name}` as it was published reads Büchi automata; several marks are our own"
            ));
        }
        let on_sets = matches!(self.engine.procedure, Procedure::Sets(_));
        if variant.reachable_first && !on_sets {
            return Err(format!(
                "`{name}` has no use for the reachable states; engines on sets do"
            ));
        }
        if variant.doubts && (!on_sets || self.emptiness != Some(Emptiness::Aec)) {
            return Err("only `aec` on sets is ever left in doubt".to_owned());
        }
        if variant.workers != Workers::ONE && !self.works_together() {
            return Err(format!(
                "`{name}` searches with one worker; `explicit` and `ba` can with several"
            ));
        }
        if variant.proofs != Proofs::default() && !component_wise {
            return Err(format!("`{name}` has no proofs of absence to do without"));
        }
        if variant.recurring != Recurring::default() && !component_wise {
            return Err(format!("`{name}` keeps no recurring states; `hyb` does"));
        }
        let has_fixpoint = self.engine.id == EngineId::SlapFst;
        if variant.fixpoint != Fixpoint::default() && !has_fixpoint {
            return Err(format!("`{name}` has no fixpoint to choose"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroUsize;

    #[test]
    fn presets_are_legal_and_have_names_of_their_own() {
        for preset in Preset::ALL {
            assert_eq!(preset.plan().validate(), Ok(()), "{}", preset.id.name());
            assert_eq!(Preset::named(preset.id.name()).unwrap().about, preset.about);
        }
    }

    #[test]
    fn what_does_not_go_together_is_refused_with_a_sentence() {
        let refused = [
            Plan::of("slap").reading(AutomatonKind::Ta),
            Plan::of("sop").reading(AutomatonKind::Ba),
            Plan::of("explicit").checked_by(Emptiness::Iec),
            Plan::of("explicit").checked_by(Emptiness::TwoPass),
            Plan::of("ta").checked_by(Emptiness::Couvreur),
            Plan::of("slap").checked_by(Emptiness::TwoPass),
            Plan::of("hyb").checked_by(Emptiness::Couvreur),
            Plan::of("el").checked_by(Emptiness::Nsiec),
        ];
        for plan in refused {
            let refusal = plan.validate().unwrap_err();
            assert!(refusal.len() > 20, "{refusal}");
        }
        let published = Variant {
            published: true,
            ..Variant::default()
        };
        assert!(Plan::of("slap").as_variant(published).validate().is_ok());
        assert!(Plan::of("bcz").as_variant(published).validate().is_ok());
        let hyb = Plan::of("hyb").as_variant(published);
        assert_eq!((hyb.automaton, hyb.validate()), (AutomatonKind::Ba, Ok(())));
        assert!(hyb.reading(AutomatonKind::Tgba).validate().is_err());
        assert!(Plan::of("walk").as_variant(published).validate().is_err());
        let sets = Variant {
            recurring: Recurring::Sets,
            ..Variant::default()
        };
        assert_eq!(Plan::of("hyb").as_variant(sets).validate(), Ok(()));
        assert!(Plan::of("slap").as_variant(sets).validate().is_err());
        let check = Plan::of("slap").as_variant(published).emptiness;
        assert_eq!(check, Some(Emptiness::Couvreur));
        let on_changes = Plan::of("sog").reading(AutomatonKind::Tgta);
        assert!(on_changes.as_variant(published).validate().is_err());
    }

    #[test]
    fn several_workers_search_single_states() {
        let two = Workers::new(NonZeroUsize::MIN.saturating_add(1));
        for (preset, can) in [
            ("explicit", true),
            ("ba", true),
            ("ta", false),
            ("slap", false),
        ] {
            let plan = Plan::of(preset);
            assert_eq!(plan.works_together(), can);
            assert_eq!(plan.by(two).validate().is_ok(), can, "{preset}");
            assert_ne!(plan.by(two), plan);
        }
    }

    #[test]
    fn testing_automata_need_what_they_cannot_see() {
        assert_eq!(Plan::of("explicit").needs(), Needs::Nothing);
        assert_eq!(Plan::of("tgta").needs(), Needs::Stuttering);
        assert_eq!(Plan::of("hyb").needs(), Needs::Nothing);
        assert_eq!(Plan::of("sop").needs(), Needs::StateStuttering);
    }
}
