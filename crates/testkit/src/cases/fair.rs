//! Fixed cases about fair runs.

use super::{Fixed, fixed, programs};
use crate::case::Case;
use crate::kripke::Kripke;
use Deadlock::Stutter;
use lariat_model::{Comparison, Constraint, Deadlock, EventId, Predicate, Strength, Value, VarId};

/// Returns all fixed cases about fair runs.
pub fn fair() -> Vec<Fixed> {
    [
        weak_and_strong(),
        ends(),
        copies(),
        programs::fair_programs(),
    ]
    .concat()
}

fn assuming(fairness: Vec<Constraint>, case: Case) -> Case {
    Case { fairness, ..case }
}

fn taken(strength: Strength, event: u32) -> Constraint {
    Constraint::of_events(format!("e{event}"), strength, vec![EventId(event)])
}

/// The assumption that the state does not stay `value` forever.
fn left(value: Value) -> Constraint {
    Constraint {
        name: "left".to_owned(),
        strength: Strength::Weak,
        enabled: Predicate::compare(VarId(0), Comparison::Eq, value),
        taken: Vec::new(),
    }
}

/// An exit enabled in every other state (for strong fairness) or in all (for weak fairness).
fn weak_and_strong() -> Vec<Fixed> {
    use Strength::{Strong, Weak};
    let alternating = Kripke::new(3)
        .label("a", &[2])
        .steps("u", &[(0, 1), (1, 0)])
        .steps("out", &[(0, 2)])
        .steps("v", &[(2, 2)]);
    let always = Kripke::new(3)
        .label("a", &[2])
        .steps("u", &[(0, 1), (1, 0)])
        .steps("out", &[(0, 2), (1, 2)])
        .steps("v", &[(2, 2)]);
    let asks = |system: &Kripke, fairness| assuming(fairness, system.asks("F a", Stutter));
    let strong = vec![taken(Strong, 1)];
    let weak = vec![taken(Weak, 1)];
    // With an assumption without effect, which selects the search for strong fairness.
    let both = vec![taken(Weak, 1), taken(Strong, 2)];
    let with_both = "weakly-fair-alternating-with-a-strong-one";
    let always_with_both = "weakly-fair-always-with-a-strong-one";
    vec![
        fixed(
            "strongly-fair-alternating",
            asks(&alternating, strong),
            true,
        ),
        fixed(
            "weakly-fair-alternating",
            asks(&alternating, weak.clone()),
            false,
        ),
        fixed(with_both, asks(&alternating, both.clone()), false),
        fixed("weakly-fair-always", asks(&always, weak), true),
        fixed(always_with_both, asks(&always, both), true),
    ]
}

/// States from which every continuation violates the property but is unfair: a dead end and a loop.
fn ends() -> Vec<Fixed> {
    let dead = Kripke::new(2)
        .label("a", &[1])
        .steps("u", &[(0, 0)])
        .steps("out", &[(0, 1)]);
    let alive = dead.clone().steps("v", &[(1, 1)]);
    let asks = |system: &Kripke, value| assuming(vec![left(value)], system.asks("G !a", Stutter));
    vec![
        fixed("unfair-dead-end", asks(&dead, 1), true),
        fixed("fair-dead-end", asks(&dead, 0), false),
        fixed("unfair-loop", asks(&alive, 1), true),
        fixed("fair-loop", asks(&alive, 0), false),
    ]
}

/// An event counts as taken regardless of the next event.
fn copies() -> Vec<Fixed> {
    let both = Kripke::new(1)
        .steps("t", &[(0, 0)])
        .steps("o", &[(0, 0)])
        .event("o");
    let in_turn = "!G ((o -> X !o) & (!o -> X o))";
    let weakly = |event| {
        let fairness = vec![taken(Strength::Weak, event)];
        assuming(fairness, both.asks(in_turn, Stutter))
    };
    vec![
        fixed("taken-before-another", weakly(0), false),
        fixed("taken-after-another", weakly(1), false),
    ]
}
