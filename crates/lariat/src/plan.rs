//! Plans: the choice of automaton, engine, emptiness check and variant.
//!
//! The four are chosen separately; a [`Preset`] names one of each, and flags change one at a time.
//! [`Plan::validate`] checks that they are compatible, and [`Plan::needs`] returns the invariance
//! properties that a plan requires. `auto` is not a plan: it runs several.

use lariat_engines::{
    AbsenceProofs, AutomatonKind, BCZ, EL, EL_COMPOSED, EXPLICIT, Emptiness, Engine, EngineId,
    Fixpoint, HYB, Needs, OWCTY, OWCTY_COMPOSED, Procedure, Recurring, SLAP, SLAP_FST, SOG, SOP,
    SSP, SYM, Variant, WALK, Workers,
};
use lariat_model::Strength;
use std::fmt;

/// How a property is decided.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The preset from which it was derived.
    pub id: EngineId,
    /// The representation of states, and the search.
    pub engine: &'static Engine,
    /// The kind of automaton that the engine reads.
    pub automaton: AutomatonKind,
    /// The emptiness check; `None` if the engine searches no graph.
    pub emptiness: Option<Emptiness>,
    /// Switches for comparisons with the literature and for measurements.
    pub variant: Variant,
}

/// A plan with a name.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The identity of the plan that it names.
    pub id: EngineId,
    /// A short description.
    pub about: &'static str,
    engine: &'static Engine,
    automaton: AutomatonKind,
}

impl Preset {
    /// Every preset, in the order in which help lists them. A new engine adds an entry here.
    pub const ALL: &[Preset] = &[
        preset(&EXPLICIT, "single states, packed; full LTL with events"),
        preset(
            &SYM,
            "single states modulo symmetries of a net; full LTL with events",
        ),
        preset(
            &SSP,
            "sets of states that symmetries preserve; for formulas that name single colours of a coloured net",
        ),
        preset(
            &WALK,
            "random walks: find violations of full LTL with events, also in unbounded nets; never answer `holds`",
        ),
        preset(
            &SOG,
            "aggregates closed under unobserved events; stutter-invariant properties",
        ),
        preset(&SOP, "as `sog`, observing only atoms that can still matter"),
        preset(
            &SLAP,
            "sets closed under self-loops of the automaton; full LTL with events",
        ),
        preset(
            &SLAP_FST,
            "as `slap`, with fixpoints in components that the automaton cannot leave",
        ),
        preset(
            &BCZ,
            "sets of equal label, no closure; full LTL with events",
        ),
        preset(
            &OWCTY,
            "a forward fixpoint on the whole product as sets; full LTL with events",
        ),
        preset(
            &EL,
            "a backward fixpoint on the whole product as sets; full LTL with events",
        ),
        preset(
            &HYB,
            "the product by saturation, searched on the fly; full LTL with events",
        ),
        preset(
            &EXPLICIT,
            "single states with a Büchi automaton; full LTL with events",
        )
        .reading(EngineId::Ba, AutomatonKind::Ba),
        preset(
            &EXPLICIT,
            "single states with a testing automaton; stutter-invariant properties of states",
        )
        .reading(EngineId::Ta, AutomatonKind::Ta),
        preset(&EXPLICIT, "as `ta`, with a generalized testing automaton")
            .reading(EngineId::Tgta, AutomatonKind::Tgta),
    ];

    /// The preset with this name.
    pub fn named(name: &str) -> Option<Preset> {
        Preset::ALL.iter().find(|p| p.id.name() == name).copied()
    }

    /// The preset `id` of the same engine with another kind of automaton.
    const fn reading(self, id: EngineId, automaton: AutomatonKind) -> Preset {
        Preset {
            id,
            automaton,
            ..self
        }
    }

    /// The plan of the preset.
    pub fn plan(self) -> Plan {
        Plan::new(self.id, self.engine, self.automaton)
    }
}

/// The preset with the name of its engine.
const fn preset(engine: &'static Engine, about: &'static str) -> Preset {
    Preset {
        id: engine.id,
        about,
        engine,
        automaton: AutomatonKind::Tgba,
    }
}

/// Plans are equal if engine, automaton, check and variant are; the preset's name does not matter.
impl PartialEq for Plan {
    fn eq(&self, other: &Plan) -> bool {
        let choices = |plan: &Plan| (plan.engine.id, plan.automaton, plan.emptiness, plan.variant);
        choices(self) == choices(other)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id.name())
    }
}

impl Plan {
    /// The plan of a preset.
    ///
    /// # Panics
    ///
    /// If no preset has that name. Names from the user are looked up with [`Preset::named`].
    pub fn of(preset: &str) -> Plan {
        match Preset::named(preset) {
            Some(preset) => preset.plan(),
            None => panic!("no preset is called {preset}"),
        }
    }

    /// The plan of an engine without a preset, with the first kind of automaton that it reads.
    pub fn of_engine(engine: &'static Engine) -> Plan {
        let first = engine.automata.first().copied();
        Plan::new(engine.id, engine, first.unwrap_or(AutomatonKind::Tgba))
    }

    /// The plan with the default check and variant.
    fn new(id: EngineId, engine: &'static Engine, automaton: AutomatonKind) -> Plan {
        Plan {
            id,
            engine,
            automaton,
            emptiness: (engine.checks)(automaton).first().copied(),
            variant: Variant::default(),
        }
    }

    /// The plan with another kind of automaton and its default check.
    pub fn reading(self, automaton: AutomatonKind) -> Plan {
        let emptiness = (self.engine.checks)(automaton).first().copied();
        Plan {
            automaton,
            emptiness,
            ..self
        }
    }

    /// The plan with another emptiness check.
    pub fn checked_by(self, emptiness: Emptiness) -> Plan {
        Plan {
            emptiness: Some(emptiness),
            ..self
        }
    }

    /// The plan with another variant. Published variants check products with Couvreur's algorithm
    /// (inclusion checks are from other papers), and `hyb` reads Büchi automata.
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
        // The published fixpoints search a product of another form.
        let engine = match self.engine.id {
            EngineId::El if variant.published => &EL_COMPOSED,
            EngineId::Owcty if variant.published => &OWCTY_COMPOSED,
            _ => self.engine,
        };
        Plan {
            engine,
            variant,
            automaton,
            emptiness,
            ..self
        }
    }

    /// Returns whether several workers can search one product together.
    pub fn works_together(&self) -> bool {
        self.engine.id == EngineId::Explicit
            && !self.automaton.is_testing()
            && !self.variant.published
    }

    /// Returns whether the engine may omit orders of independent steps.
    pub fn omits_orders(&self) -> bool {
        self.works_together()
    }

    /// Returns whether the engine calls programs that compute the steps of a model.
    pub fn calls_programs(&self) -> bool {
        matches!(self.engine.id, EngineId::Explicit | EngineId::Walk)
    }

    /// The plan with this number of workers.
    pub fn by(self, workers: Workers) -> Plan {
        let variant = Variant {
            workers,
            ..self.variant
        };
        Plan { variant, ..self }
    }

    /// The invariance properties that the plan requires.
    pub fn needs(&self) -> Needs {
        match self.engine.needs {
            Needs::Nothing if self.automaton.is_testing() => Needs::Stuttering,
            needs => needs,
        }
    }

    /// Checks that the plan supports fairness of this strength; the error is for the user.
    pub fn accepts(&self, asked: Strength) -> Result<(), String> {
        let name = self.id;
        if self.variant.published {
            return Err(format!(
                "the published variant of `{name}` does not support fairness"
            ));
        }
        match ((self.engine.fairness)(self.automaton), asked) {
            (Some(known), asked) if asked <= known => Ok(()),
            (Some(_), _) => Err(format!(
                "`{name}` supports only weak fairness; `explicit`, `slap-fst`, `el` and `owcty` support strong fairness"
            )),
            (None, _) if self.automaton.is_testing() => Err(format!(
                "`{name}` reads changes of states and does not support fairness, which is about steps; `explicit` and most other engines do"
            )),
            (None, _) if self.divides() => Err(format!(
                "`{name}` identifies symmetric states, which fairness constraints may distinguish; `explicit` and most other engines support fairness"
            )),
            (None, _) => Err(format!(
                "`{name}` does not support fairness; `explicit` and most other engines do"
            )),
        }
    }

    /// Returns whether the engine searches single states, whose whole product can be counted.
    pub fn has_single_states(&self) -> bool {
        matches!(
            self.engine.procedure,
            Procedure::Single(_) | Procedure::Team(_)
        )
    }

    /// Returns whether the engine uses symmetries.
    pub fn divides(&self) -> bool {
        matches!(self.engine.id, EngineId::Sym | EngineId::Ssp)
    }

    /// Returns whether the engine can answer `holds`. Others only find violations.
    pub fn is_complete(&self) -> bool {
        self.engine.id != EngineId::Walk
    }

    /// Checks that the choices are compatible; the error is a sentence for the user.
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
            format!("`{name}` does not support testing automata; `explicit` and `sog` do")
        } else {
            format!(
                "`{name}` needs the language of each automaton state, and does not support Büchi automata"
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
                "the two-pass check is for single states with a testing automaton (`--engine ta`)"
                    .to_owned()
            }
            ([], _) => {
                let method = match self.engine.procedure {
                    Procedure::Sets(_) | Procedure::Hyb(_) if self.engine.id != EngineId::Hyb => {
                        "computes a fixpoint"
                    }
                    _ => "searches no graph",
                };
                format!("`{name}` {method} and has no emptiness check to choose")
            }
            ([Emptiness::TwoPass], _) => format!("`{name}` supports only the two-pass check"),
            _ => {
                format!("inclusion checks compare sets of states; `{name}` searches single states")
            }
        })
    }

    fn validate_variant(&self) -> Result<(), String> {
        let (name, variant) = (self.id, self.variant);
        // The published products with testing automata have single states.
        let has_published = if self.automaton.is_testing() {
            self.has_single_states()
        } else {
            self.engine.has_published
        };
        if variant.published && !has_published {
            return Err(format!("`{name}` has no published variant"));
        }
        let component_wise = self.engine.id == EngineId::Hyb;
        if variant.published && component_wise && self.automaton != AutomatonKind::Ba {
            return Err(format!(
                "the published variant of `{name}` reads Büchi automata (`--automaton-kind ba`)"
            ));
        }
        let on_sets = matches!(self.engine.procedure, Procedure::Sets(_));
        if variant.reachable_first && !on_sets {
            return Err(format!(
                "`{name}` does not start with the reachable states; only engines on sets do"
            ));
        }
        let of_sets = on_sets || self.engine.id == EngineId::Ssp;
        if variant.doubts && (!of_sets || self.emptiness != Some(Emptiness::Aec)) {
            return Err("only the emptiness check `aec` can be inconclusive".to_owned());
        }
        if variant.workers != Workers::ONE && !self.works_together() {
            return Err(format!(
                "`{name}` searches with one worker; `explicit` and `ba` support several"
            ));
        }
        if variant.proofs != AbsenceProofs::default() && !component_wise {
            return Err(format!("`{name}` uses no proofs of absence; `hyb` does"));
        }
        if variant.recurring != Recurring::default() && !component_wise {
            return Err(format!("`{name}` stores no recurring states; `hyb` does"));
        }
        let has_fixpoint = self.engine.id == EngineId::SlapFst;
        if variant.fixpoint != Fixpoint::default() && !has_fixpoint {
            return Err(format!(
                "`{name}` has no choice of fixpoint; `slap-fst` does"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroUsize;

    #[test]
    fn presets_are_valid_and_have_distinct_names() {
        for preset in Preset::ALL {
            assert_eq!(preset.plan().validate(), Ok(()), "{}", preset.id.name());
            assert_eq!(Preset::named(preset.id.name()).unwrap().about, preset.about);
        }
    }

    #[test]
    fn incompatible_choices_are_refused_with_a_sentence() {
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
    fn only_single_states_support_several_workers() {
        let two = Workers::new(NonZeroUsize::MIN.saturating_add(1));
        let presets = ["explicit", "ba", "ta", "slap"];
        for (preset, can) in presets.into_iter().zip([true, true, false, false]) {
            let plan = Plan::of(preset);
            assert_eq!(plan.works_together(), can);
            assert_eq!(plan.by(two).validate().is_ok(), can, "{preset}");
            assert_ne!(plan.by(two), plan);
        }
    }

    #[test]
    fn needs_depend_on_engine_and_automaton() {
        assert_eq!(Plan::of("explicit").needs(), Needs::Nothing);
        assert_eq!(Plan::of("tgta").needs(), Needs::Stuttering);
        assert_eq!(Plan::of("hyb").needs(), Needs::Nothing);
        assert_eq!(Plan::of("sop").needs(), Needs::StateStuttering);
    }
}
