//! The engines of the rounds, with the work of each and the reason for its choice.

use super::schedule::Schedule;
use super::technique::Technique;
use crate::features::Features;
use crate::plan::Plan;
use lariat_engines::EngineId;
use lariat_model::{Strength, Value};

/// A plan with its work limit, and the reason for running it.
#[derive(Clone)]
pub(super) struct EngineRun {
    pub plan: Plan,
    pub work: u64,
    /// The token limit per place; see [`lariat_engines::Problem::most_tokens`].
    pub most_tokens: Option<Value>,
    pub why: String,
}

impl EngineRun {
    /// The technique of the engine, if it can be switched off.
    pub fn technique(&self) -> Option<Technique> {
        match self.plan.id {
            EngineId::Walk => Some(Technique::Walk),
            EngineId::Hyb => Some(Technique::Saturation),
            EngineId::Explicit | EngineId::Sym => None,
            _ => Some(Technique::Sets),
        }
    }
}

pub(super) fn engine_run(preset: &str, work: u64, why: impl Into<String>) -> EngineRun {
    EngineRun {
        plan: Plan::of(preset),
        work,
        most_tokens: None,
        why: why.into(),
    }
}

/// The first search. It decides small models with less work than facts about them would take.
pub(super) fn glance(schedule: &Schedule) -> EngineRun {
    engine_run("explicit", schedule.glance, "small models end here")
}

/// The walk after the first search, before facts: many violations show on almost any run.
pub(super) fn early_walk(schedule: &Schedule) -> EngineRun {
    let why = "many violations show on almost any run";
    engine_run("walk", schedule.walk, why)
}

/// The searches before the rounds.
pub(super) fn first_look(features: &Features, schedule: &Schedule) -> Vec<EngineRun> {
    let look = schedule.first_look;
    if !features.net {
        return vec![engine_run(
            "explicit",
            u64::MAX,
            "programs and tables are fast to execute, and slow to learn as relations on sets",
        )];
    }
    let (engine, why) = if features.symmetries <= 0.0 {
        (
            "explicit",
            "most counterexamples are near the initial state",
        )
    } else {
        (
            "sym",
            "most counterexamples are near the initial state, and many states are equal modulo symmetries of the property",
        )
    };
    let work = if features.symmetries >= schedule.many_symmetries {
        look.saturating_mul(schedule.symmetric_look)
    } else {
        look
    };
    let mut turns = vec![engine_run(engine, work, why)];
    if features.grows {
        let low = engine_run(
            engine,
            look,
            "the net may be unbounded, where a depth-first search may not terminate: first the states with few tokens",
        );
        turns.push(EngineRun {
            most_tokens: Some(features.tokens.max(schedule.few_tokens)),
            ..low
        });
    }
    turns
}

/// The engines of the rounds, the most promising first, with the work of the first round.
pub(super) fn field(features: &Features, schedule: &Schedule) -> Vec<EngineRun> {
    if !features.net {
        return Vec::new();
    }
    let Features {
        observed,
        visible,
        events,
        ..
    } = features;
    let look = schedule.first_look;
    let saturation_work = look.saturating_mul(schedule.saturation);
    let sets_work = look.saturating_mul(schedule.sets);
    let saturation = engine_run(
        "hyb",
        saturation_work,
        "sets of states; cycles are found while the product is built, also in unbounded nets",
    );
    let single = engine_run(
        "explicit",
        look,
        "single states may decide the property where sets take too much memory",
    );
    let sets = if features.stutters && features.is_local() {
        engine_run(
            "sop",
            sets_work,
            format!(
                "a stutter-invariant property, and {visible} of {events} events are visible to its {observed} propositions: sets closed under invisible events"
            ),
        )
    } else {
        let reason = if features.stutters {
            "most events are visible"
        } else {
            "not known to be stutter-invariant"
        };
        let why = format!("{reason}: sets closed under self-loops of the automaton");
        engine_run("slap", sets_work, why)
    };
    let fixpoints = engine_run(
        "slap-fst",
        sets_work,
        if features.safety {
            "a safety property: a violation is a reachable state, not a cycle"
        } else {
            "sets, with fixpoints in components that the automaton cannot leave"
        },
    );
    let walk = engine_run(
        "walk",
        schedule.walk.saturating_mul(schedule.growth),
        "longer walks, directed at the letters that the automaton needs",
    );
    let mut field = if features.safety {
        vec![walk, saturation, fixpoints, single, sets]
    } else {
        vec![walk, saturation, single, sets, fixpoints]
    };
    if features.symmetries >= schedule.many_symmetries {
        // The quotient by many symmetries is small: its search replaces that of single states.
        let why = "many symmetries: the quotient may be far smaller";
        for turn in &mut field {
            if turn.plan.id == EngineId::Explicit {
                *turn = engine_run("sym", look, why);
            }
        }
    }
    field
}

/// Removes engines that do not support fairness of this strength, and adds an engine on sets that
/// supports any number of constraints of any strength.
pub(super) fn add_fair_engines(field: &mut Vec<EngineRun>, asked: Strength, schedule: &Schedule) {
    field.retain(|run| run.plan.accepts(asked).is_ok());
    field.push(engine_run(
        "el",
        schedule.first_look.saturating_mul(schedule.sets),
        "sets, with a fixpoint that supports weak and strong fairness",
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A liveness property without `X` of one proposition, to which few events are visible.
    const PLAIN: Features = Features {
        net: true,
        tokens: 1,
        grows: false,
        safety: false,
        stutters: true,
        observed: 1,
        visible: 2,
        events: 10,
        symmetries: 0.0,
    };

    fn engines(features: &Features) -> Vec<&'static str> {
        let field = field(features, &Schedule::default());
        field.iter().map(|run| run.plan.id.name()).collect()
    }

    #[test]
    fn the_field_depends_on_the_features() {
        assert_eq!(
            engines(&PLAIN),
            ["walk", "hyb", "explicit", "sop", "slap-fst"]
        );
        let visible = Features {
            visible: 9,
            ..PLAIN
        };
        assert_eq!(
            engines(&visible),
            ["walk", "hyb", "explicit", "slap", "slap-fst"]
        );
        let with_next = Features {
            stutters: false,
            safety: true,
            ..PLAIN
        };
        assert_eq!(
            engines(&with_next),
            ["walk", "hyb", "slap-fst", "explicit", "slap"]
        );
        let program = Features {
            net: false,
            ..PLAIN
        };
        assert!(field(&program, &Schedule::default()).is_empty());
        assert_eq!(first_look(&program, &Schedule::default()).len(), 1);
    }

    #[test]
    fn symmetries_are_used_first_and_many_in_all_rounds() {
        let few = Features {
            symmetries: 0.3,
            ..PLAIN
        };
        let look =
            |features: &Features| first_look(features, &Schedule::default())[0].plan.id.name();
        assert_eq!((look(&PLAIN), look(&few)), ("explicit", "sym"));
        assert!(engines(&few).contains(&"explicit"));
        let many = Features {
            symmetries: 5.0,
            ..PLAIN
        };
        assert_eq!(engines(&many), ["walk", "hyb", "sym", "sop", "slap-fst"]);
    }

    #[test]
    fn engines_that_do_not_support_fairness_are_removed() {
        let schedule = Schedule::default();
        let fair = |asked| {
            let mut field = field(&PLAIN, &schedule);
            add_fair_engines(&mut field, asked, &schedule);
            let names = field.iter().map(|run| run.plan.id.name());
            names.collect::<Vec<_>>()
        };
        assert_eq!(
            fair(Strength::Weak),
            ["walk", "hyb", "explicit", "sop", "slap-fst", "el"]
        );
        assert_eq!(fair(Strength::Strong), ["explicit", "slap-fst", "el"]);
    }

    #[test]
    fn possibly_unbounded_nets_are_first_searched_with_few_tokens() {
        let most = |features: &Features| -> Vec<Option<Value>> {
            let turns = first_look(features, &Schedule::default());
            turns.iter().map(|turn| turn.most_tokens).collect()
        };
        assert_eq!(most(&PLAIN), [None]);
        let grows = Features {
            grows: true,
            tokens: 7,
            ..PLAIN
        };
        assert_eq!(most(&grows), [None, Some(7)]);
    }
}
