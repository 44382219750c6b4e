//! The portfolio: which engines are tried, in which order, and why.
//!
//! Most counterexamples are near the initial state, so a short explicit search comes first. Where that is
//! not enough, programs go on as single states. Nets go on in *rounds*: every engine of the field
//! gets so much work, those most likely to finish first, and in the next round several times as much.
//! So no engine that never ends keeps others from the answer, and what is done again is a small part of the
//! whole. An engine that ran out of memory, or that cannot answer such questions, leaves the field.
//!
//! Who is in the field depends on the [features](crate::features) of the question. On nets of the contest `hyb`
//! decides most of all engines on sets. On generated ones (`campaigns/slap.toml`) `slap-fst` never
//! fails where formulas hold; where they are violated `sop` is best if the formula is stutter-invariant, and
//! `slap` if not.
//!
//! Work is counted, never the clock: the same question is answered by the same engines in every run. What an engine
//! held is given back before the next one starts, but for the reachable states, which are kept for the next property.

use crate::check::{Attempt, Query, Report};
use crate::engine::Choice;
use crate::explored::Explored;
use crate::features::Features;
use lariat_budget::Stop;
use lariat_engines::{Lasso, Outcome};
use lariat_model::Value;

/// More tokens than this in a place, or than at the start, are not looked at when a net may be unbounded.
const FEW_TOKENS: Value = 3;

/// What the first round allows beside a product state of the first look, so that all take about as long: units of work in
/// the saturation of a product, and in diagrams that hold states and aggregates.
const SATURATION: u64 = 3;
const SETS: u64 = 2;

/// How much more work there is in a round than in the one before.
const GROWTH: u64 = 8;

/// An engine, how much it may create, and why it is tried.
#[derive(Clone)]
struct Turn {
    choice: Choice,
    work: u64,
    /// See [`lariat_engines::Problem::most_tokens`].
    most_tokens: Option<Value>,
    why: String,
}

fn turn(choice: Choice, work: u64, why: impl Into<String>) -> Turn {
    Turn {
        choice,
        work,
        most_tokens: None,
        why: why.into(),
    }
}

/// Before the rounds.
fn first_turns(features: &Features, look: u64) -> Vec<Turn> {
    if !features.net {
        return vec![turn(
            Choice::Explicit,
            u64::MAX,
            "steps of programs and tables are quick to take and slow to learn as relations of sets",
        )];
    }
    let mut turns = vec![turn(
        Choice::Explicit,
        look,
        "most counterexamples are near, and small models end here",
    )];
    if features.grows {
        let low = turn(
            Choice::Explicit,
            look,
            "the net may be unbounded, and a depth-first search would run away: first where there are few tokens",
        );
        turns.push(Turn {
            most_tokens: Some(features.tokens.max(FEW_TOKENS)),
            ..low
        });
    }
    turns
}

/// Who takes part in the rounds, the most promising first, with the work of the first round.
fn field(features: &Features, look: u64) -> Vec<Turn> {
    if !features.net {
        return Vec::new();
    }
    let Features {
        observed,
        visible,
        events,
        ..
    } = features;
    let saturation = turn(
        Choice::Hyb,
        look.saturating_mul(SATURATION),
        "sets of states; cycles are found while the product grows, also where there is no end to it",
    );
    let single = turn(
        Choice::Explicit,
        look,
        "what sets cannot hold, single states may decide",
    );
    let sets = if features.stutters && features.is_local() {
        turn(
            Choice::Sop,
            look.saturating_mul(SETS),
            format!(
                "a stutter-invariant property, and {visible} of {events} events are visible to its {observed} propositions: sets closed under the others"
            ),
        )
    } else {
        let reason = match features.stutters {
            true => "most events are visible",
            false => "not known to be stutter-invariant",
        };
        let why = format!("{reason}: sets closed under self-loops of the automaton");
        turn(Choice::Slap, look.saturating_mul(SETS), why)
    };
    let fixpoints = turn(
        Choice::SlapFst,
        look.saturating_mul(SETS),
        match features.safety {
            true => "a safety property: what is to be found is a state, not a cycle",
            false => "sets, with fixpoints where the automaton cannot leave",
        },
    );
    let mut field = match features.safety {
        true => vec![saturation, fixpoints, single, sets],
        false => vec![saturation, single, sets, fixpoints],
    };
    if features.names_events {
        field.retain(|turn| turn.choice != Choice::Hyb);
    }
    field
}

/// Tries the engines in turn until one decides.
pub(crate) fn run(
    query: &Query<'_>,
    explored: &mut Explored<'_>,
    report: &mut Report,
) -> Result<Outcome<Lasso>, Stop> {
    let budget = query.budget;
    let features = Features::of(query.subject, query.property);
    let look = query.options.tuning.first_look;
    let mut field = field(&features, look);
    let mut turns = first_turns(&features, look);
    let mut round = 0;
    let mut starved = false;
    loop {
        let mut last = Err(Stop::Work(0));
        for turn in turns {
            let choice = turn.choice;
            last = attempt(query, explored, report, turn, round);
            let leaves = match &last {
                Err(Stop::Work(_)) => {
                    budget.spend(0)?;
                    false
                }
                // What this engine could not do another one may.
                Ok(Outcome::Undecided(_)) => true,
                Err(Stop::Bound(_) | Stop::Unsupported(_) | Stop::Memory) => true,
                // The states are known to take longer than the time that is left, which is not over.
                Err(Stop::Time) if budget.check().is_ok() => true,
                _ => return last,
            };
            starved |= matches!(last, Err(Stop::Memory));
            if leaves && round > 0 {
                field.retain(|turn| turn.choice != choice);
            }
        }
        if field.is_empty() {
            // More memory is what would have helped, whatever the last one lacked.
            return if starved { Err(Stop::Memory) } else { last };
        }
        // The first look was the first round of the explicit search.
        let is_due = |turn: &&Turn| round > 0 || turn.choice != Choice::Explicit;
        turns = field.iter().filter(is_due).cloned().collect();
        for turn in &mut field {
            turn.work = turn.work.saturating_mul(GROWTH);
        }
        round += 1;
    }
}

/// One engine, and what came of it in the trail.
fn attempt(
    query: &Query<'_>,
    explored: &mut Explored<'_>,
    report: &mut Report,
    turn: Turn,
    round: u32,
) -> Result<Outcome<Lasso>, Stop> {
    let budget = query.budget;
    let begun = budget.elapsed();
    match turn.choice {
        // Many single states may need all the room there is.
        Choice::Explicit if round > 1 => explored.clear(),
        // An order serves all properties; what finding it costs is not this engine's. It
        // meets again what may have gone wrong.
        Choice::Hyb => {
            let (order, deadlock) = (&query.options.tuning.order, query.options.deadlock);
            let _ = explored.order(order, deadlock, budget);
        }
        _ => {}
    }
    let own = budget.clone().with_work(turn.work);
    let found = query.run(turn.choice, turn.most_tokens, explored, &own, report);
    report.trail.push(Attempt {
        engine: turn.choice.name(),
        outcome: match &found {
            Ok(Outcome::Undecided(_)) => "undecided".to_owned(),
            Ok(_) => "decided".to_owned(),
            Err(Stop::Work(limit)) => format!("gave up: {limit} units of work"),
            Err(stop) => format!("gave up: {stop}"),
        },
        why: match round {
            0 | 1 => turn.why,
            _ => format!("once more, with {GROWTH} times the work"),
        },
        work: own.work_spent(),
        time: budget.elapsed().saturating_sub(begun),
    });
    found
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
        names_events: false,
        observed: 1,
        visible: 2,
        events: 10,
    };

    fn engines(features: &Features) -> Vec<Choice> {
        field(features, 1).iter().map(|turn| turn.choice).collect()
    }

    #[test]
    fn the_question_decides_who_takes_part() {
        use Choice::{Explicit, Hyb, Slap, SlapFst, Sop};
        assert_eq!(engines(&PLAIN), [Hyb, Explicit, Sop, SlapFst]);
        let visible = Features {
            visible: 9,
            ..PLAIN
        };
        assert_eq!(engines(&visible), [Hyb, Explicit, Slap, SlapFst]);
        let with_next = Features {
            stutters: false,
            safety: true,
            ..PLAIN
        };
        assert_eq!(engines(&with_next), [Hyb, SlapFst, Explicit, Slap]);
        let events = Features {
            names_events: true,
            ..PLAIN
        };
        assert_eq!(engines(&events), [Explicit, Sop, SlapFst]);
        let program = Features {
            net: false,
            ..PLAIN
        };
        assert!(field(&program, 1).is_empty());
        assert_eq!(first_turns(&program, 1).len(), 1);
    }

    #[test]
    fn nets_that_may_grow_are_looked_at_where_there_are_few_tokens() {
        let most = |features: &Features| -> Vec<Option<Value>> {
            let turns = first_turns(features, 1);
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
