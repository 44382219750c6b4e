//! Checks whether a run is fair, by the reference semantics on its loop, and finds the position
//! that meets each constraint.
//!
//! Events and states recur on a lasso iff they occur in its loop. A covering run repeats the events
//! of its loop with more tokens in each round; whether a constraint is enabled at a position must
//! then be the same in all rounds (`settled.rs`).

use crate::settled::settled;
use lariat_budget::{Budget, Stop};
use lariat_model::{Constraint, Lasso, ReplayError, State, Strength, System};

/// How a run satisfies a fairness constraint; positions are counted from the initial state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FairnessEvidence {
    /// One of its events is taken from this position of the loop.
    Taken(usize),
    /// The constraint is weak, and not enabled at this position of the loop.
    Idle(usize),
    /// The constraint is enabled nowhere in the loop.
    Never,
}

/// How a lasso satisfies every constraint; the error describes a violated constraint.
pub fn met(
    system: &System,
    fairness: &[Constraint],
    lasso: &Lasso,
    budget: &Budget,
) -> Result<Vec<FairnessEvidence>, ReplayError> {
    let met = |constraint| {
        budget.check()?;
        Ok(of_constraint(system, constraint, lasso)?)
    };
    fairness.iter().map(met).collect()
}

/// The constraints that a lasso is not known to satisfy.
pub fn unmet<'c>(
    system: &System,
    fairness: &'c [Constraint],
    lasso: &Lasso,
    budget: &Budget,
) -> Result<Vec<&'c Constraint>, Stop> {
    let mut unmet = Vec::new();
    for constraint in fairness {
        budget.check()?;
        if of_constraint(system, constraint, lasso).is_err() {
            unmet.push(constraint);
        }
    }
    Ok(unmet)
}

fn of_constraint(
    system: &System,
    constraint: &Constraint,
    lasso: &Lasso,
) -> Result<FairnessEvidence, String> {
    let first = lasso.prefix.len();
    let taken = |event| constraint.taken.contains(&event);
    let mut steps = lasso.cycle.iter();
    if let Some(at) = steps.position(|step| step.event.is_some_and(taken)) {
        return Ok(FairnessEvidence::Taken(first + at));
    }
    let mut run = lasso.cycle_cursor();
    let mut idle = None;
    let mut always_idle = true;
    let mut position = first;
    while let Some((state, _)) = run.next() {
        match is_enabled(system, constraint, lasso, state) {
            Some(true) => always_idle = false,
            Some(false) => idle = idle.or(Some(position)),
            None => {
                return Err(format!(
                    "whether `{}` is enabled may change as tokens accumulate",
                    constraint.name
                ));
            }
        }
        position += 1;
    }
    match (constraint.strength, idle) {
        _ if always_idle => Ok(FairnessEvidence::Never),
        (Strength::Weak, Some(position)) => Ok(FairnessEvidence::Idle(position)),
        (strength, _) => Err(format!(
            "the loop is not fair: `{}` is enabled {}, and never taken",
            constraint.name,
            match strength {
                Strength::Weak => "continuously",
                Strength::Strong => "infinitely often",
            }
        )),
    }
}

/// Returns whether the constraint is enabled in a state of the loop in all rounds, if known.
fn is_enabled(
    system: &System,
    constraint: &Constraint,
    lasso: &Lasso,
    state: &State,
) -> Option<bool> {
    match &lasso.growth {
        None => Some(system.holds(&constraint.enabled, state)),
        Some(growth) => settled(system, &constraint.enabled, state, growth),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::{PropertyForm, Subject};
    use lariat_ltl::Formulas;
    use lariat_model::{Action, Arc, Deadlock, Domain, Event, EventId, Fairness, VarId, Variable};

    /// Arcs of a transition: place, tokens needed, tokens added.
    type Arcs = [(u32, i64, i64)];

    /// `go` moves a token from place 0 to place 1 and adds `grows` tokens to place 2; `release`
    /// moves it back, and `lose` removes it. `look` is always enabled, and `dump` if there are five
    /// tokens in place 2.
    fn turns(grows: i64) -> System {
        let place = |i: u32| Variable {
            name: format!("p{i}"),
            domain: Domain::Count { bound: None },
        };
        let arc = |&(var, need, delta): &(u32, i64, i64)| Arc {
            var: VarId(var),
            need,
            delta,
        };
        let event = |(name, arcs): (&str, &Arcs)| Event {
            name: name.to_owned(),
            action: Action::Net(arcs.iter().map(arc).collect()),
        };
        let events: [(&str, &Arcs); 5] = [
            ("go", &[(0, 1, -1), (1, 0, 1), (2, 0, grows)]),
            ("come", &[(0, 0, 1), (1, 1, -1)]),
            ("lose", &[(1, 1, -1)]),
            ("look", &[]),
            ("dump", &[(2, 5, -5)]),
        ];
        System {
            variables: (0..3).map(place).collect(),
            events: events.map(event).into(),
            initial: vec![[1, 0, 0].into()],
            ..System::default()
        }
    }

    /// `look`, then `go` and `release` infinitely often.
    fn rounds(grows: i64) -> Lasso {
        let step = |event, state: [i64; 3]| (Some(EventId(event)), state.into());
        Lasso {
            growth: (grows > 0).then(|| [0, 0, grows].into()),
            ..Lasso::through(
                [1, 0, 0].into(),
                [step(3, [1, 0, 0])],
                [step(0, [0, 1, grows]), step(1, [1, 0, grows])],
            )
        }
    }

    fn fair(strength: Strength, event: u32) -> Constraint {
        Constraint::of_events("it", strength, vec![EventId(event)])
    }

    #[test]
    fn constraints_are_evaluated_on_the_loop() {
        let (system, lasso) = (turns(0), rounds(0));
        let unlimited = Budget::unlimited();
        let how = |strength, event| {
            let met = met(&system, &[fair(strength, event)], &lasso, &unlimited);
            met.map_err(|error| error.to_string())
        };
        use Strength::{Strong, Weak};
        assert_eq!(how(Strong, 1), Ok(vec![FairnessEvidence::Taken(2)]));
        // `lose` is enabled only in place 1: fair if weak, unfair if strong.
        assert_eq!(how(Weak, 2), Ok(vec![FairnessEvidence::Idle(1)]));
        assert!(how(Strong, 2).is_err_and(|why| why.contains("infinitely often")));
        // `look` is taken in the prefix only.
        assert!(how(Weak, 3).is_err_and(|why| why.contains("continuously")));
        assert_eq!(how(Strong, 4), Ok(vec![FairnessEvidence::Never]));
        let both = [fair(Weak, 3), fair(Weak, 2)];
        assert_eq!(unmet(&system, &both, &lasso, &unlimited).unwrap().len(), 1);
    }

    #[test]
    fn a_constraint_enabled_in_some_round_is_not_idle() {
        let dump = [fair(Strength::Weak, 4)];
        let why = met(&turns(1), &dump, &rounds(1), &Budget::unlimited()).unwrap_err();
        let why = why.to_string();
        assert!(why.contains("may change"), "{why}");
    }

    /// The replay checks fairness, and a prefix does not show any.
    #[test]
    fn unfair_runs_are_not_evidence() {
        let system = turns(0);
        let formulas = Formulas::new();
        let subject = Subject::of_system(&system, &formulas, &[]);
        let replayed = |fairness: &[Constraint], lasso: Lasso| {
            let subject = subject.clone().assuming(Fairness {
                told: Vec::new(),
                constraints: fairness.to_vec(),
            });
            let property = PropertyForm::Formula(Formulas::FALSE);
            subject.replayed(property, Deadlock::Stutter, lasso, &Budget::unlimited())
        };
        let prefix_only = Lasso {
            cycle: Vec::new(),
            ..rounds(0)
        };
        let (taken, lost) = ([fair(Strength::Weak, 0)], [fair(Strength::Strong, 2)]);
        assert!(replayed(&[], rounds(0)).is_ok() && replayed(&[], prefix_only.clone()).is_ok());
        assert!(replayed(&taken, rounds(0)).is_ok());
        assert!(replayed(&lost, rounds(0)).is_err());
        let why = replayed(&taken, prefix_only).unwrap_err().to_string();
        assert!(why.contains("a fair continuation"), "{why}");
    }
}
