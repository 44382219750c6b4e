//! Who is asked, with how much work, and why.

use super::schedule::Schedule;
use super::technique::Technique;
use crate::features::Features;
use crate::plan::Plan;
use lariat_model::{Strength, Value};

/// A plan, how much it may create, and why it is tried.
#[derive(Clone)]
pub(super) struct Candidate {
    pub plan: Plan,
    pub work: u64,
    /// See [`lariat_engines::Problem::most_tokens`].
    pub most_tokens: Option<Value>,
    pub why: String,
}

impl Candidate {
    /// What it is, if that can be left out.
    pub fn technique(&self) -> Option<Technique> {
        match self.plan.name {
            "walk" => Some(Technique::Walk),
            "hyb" => Some(Technique::Saturation),
            "explicit" | "sym" => None,
            _ => Some(Technique::Sets),
        }
    }
}

pub(super) fn candidate(preset: &str, work: u64, why: impl Into<String>) -> Candidate {
    Candidate {
        plan: Plan::of(preset),
        work,
        most_tokens: None,
        why: why.into(),
    }
}

/// Before anything else is found out: small models end here, for less than facts about them would cost.
pub(super) fn glance(schedule: &Schedule) -> Candidate {
    candidate("explicit", schedule.glance, "small models end here")
}

/// Next, still before facts: what almost any run shows need not be searched for.
pub(super) fn stroll(schedule: &Schedule) -> Candidate {
    let why = "many violations show on almost any run";
    candidate("walk", schedule.walk, why)
}

/// Before the rounds.
pub(super) fn first_look(features: &Features, schedule: &Schedule) -> Vec<Candidate> {
    let look = schedule.first_look;
    if !features.net {
        return vec![candidate(
            "explicit",
            u64::MAX,
            "steps of programs and tables are quick to take and slow to learn as relations of sets",
        )];
    }
    let (engine, why) = if features.symmetries <= 0.0 {
        ("explicit", "most counterexamples are near")
    } else {
        (
            "sym",
            "most counterexamples are near, and many states differ by symmetries that the property cannot tell apart",
        )
    };
    let work = if features.symmetries >= schedule.many_symmetries {
        look.saturating_mul(schedule.symmetric_look)
    } else {
        look
    };
    let mut turns = vec![candidate(engine, work, why)];
    if features.grows {
        let low = candidate(
            engine,
            look,
            "the net may be unbounded, and a depth-first search would run away: first where there are few tokens",
        );
        turns.push(Candidate {
            most_tokens: Some(features.tokens.max(schedule.few_tokens)),
            ..low
        });
    }
    turns
}

/// Who takes part in the rounds, the most promising first, with the work of the first round.
pub(super) fn field(features: &Features, schedule: &Schedule) -> Vec<Candidate> {
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
    let saturation = candidate(
        "hyb",
        saturation_work,
        "sets of states; cycles are found while the product grows, also where there is no end to it",
    );
    let single = candidate(
        "explicit",
        look,
        "what sets cannot hold, single states may decide",
    );
    let sets = if features.stutters && features.is_local() {
        candidate(
            "sop",
            sets_work,
            format!(
                "a stutter-invariant property, and {visible} of {events} events are visible to its {observed} propositions: sets closed under the others"
            ),
        )
    } else {
        let reason = if features.stutters {
            "most events are visible"
        } else {
            "not known to be stutter-invariant"
        };
        let why = format!("{reason}: sets closed under self-loops of the automaton");
        candidate("slap", sets_work, why)
    };
    let fixpoints = candidate(
        "slap-fst",
        sets_work,
        if features.safety {
            "a safety property: what is to be found is a state, not a cycle"
        } else {
            "sets, with fixpoints where the automaton cannot leave"
        },
    );
    let walk = candidate(
        "walk",
        schedule.walk.saturating_mul(schedule.growth),
        "longer walks, directed at what the automaton waits for",
    );
    let mut field = if features.safety {
        vec![walk, saturation, fixpoints, single, sets]
    } else {
        vec![walk, saturation, single, sets, fixpoints]
    };
    if features.symmetries >= schedule.many_symmetries {
        // What is left of single states modulo so many symmetries is all there is to be searched.
        let why = "many symmetries: there are far fewer states than there seem to be";
        for turn in &mut field {
            if turn.plan.name == "explicit" {
                *turn = candidate("sym", look, why);
            }
        }
    }
    field
}

/// Leaves those in the field who know fairness of this strength, and adds one on sets who knows any, of any number of constraints.
pub(super) fn of_fairness(field: &mut Vec<Candidate>, asked: Strength, schedule: &Schedule) {
    field.retain(|candidate| candidate.plan.accepts(asked).is_ok());
    field.push(candidate(
        "el",
        schedule.first_look.saturating_mul(schedule.sets),
        "sets, with a fixpoint that knows every kind of fairness",
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A liveness property of one proposition that few events touch, free of `X`.
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
        field.iter().map(|candidate| candidate.plan.name).collect()
    }

    #[test]
    fn the_question_decides_who_takes_part() {
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
    fn symmetries_are_used_first_and_many_of_them_for_ever() {
        let few = Features {
            symmetries: 0.3,
            ..PLAIN
        };
        let look = |features: &Features| first_look(features, &Schedule::default())[0].plan.name;
        assert_eq!((look(&PLAIN), look(&few)), ("explicit", "sym"));
        assert!(engines(&few).contains(&"explicit"));
        let many = Features {
            symmetries: 5.0,
            ..PLAIN
        };
        assert_eq!(engines(&many), ["walk", "hyb", "sym", "sop", "slap-fst"]);
    }

    #[test]
    fn fairness_is_for_those_who_know_it() {
        let schedule = Schedule::default();
        let fair = |asked| {
            let mut field = field(&PLAIN, &schedule);
            of_fairness(&mut field, asked, &schedule);
            let names = field.iter().map(|candidate| candidate.plan.name);
            names.collect::<Vec<_>>()
        };
        assert_eq!(
            fair(Strength::Weak),
            ["walk", "hyb", "explicit", "sop", "slap-fst", "el"]
        );
        assert_eq!(fair(Strength::Strong), ["explicit", "slap-fst", "el"]);
    }

    #[test]
    fn nets_that_may_grow_are_looked_at_where_there_are_few_tokens() {
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
