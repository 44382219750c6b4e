//! The same system some steps later: it begins where runs of the old one are after those steps.
//!
//! **Preserves** everything that is said of what comes after these steps: all of LTL with events, both deadlock policies. Whoever makes such a system
//! says what is left to be asked of it.
//! **Back**: the steps that led to where the run begins, then the run.

use super::{Astray, Lift};
use lariat_model::{Lasso, Proposition, State, Step, System};
use rustc_hash::FxHashMap;

/// How a state is reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beginning {
    /// An initial state.
    pub initial: State,
    /// The steps from there, of which the last leads to the state.
    pub steps: Vec<Step>,
}

impl Beginning {
    /// Where it leads to.
    pub fn end(&self) -> &State {
        self.steps.last().map_or(&self.initial, |step| &step.state)
    }
}

/// The way back to a system from the same some steps later.
#[derive(Clone, Debug)]
pub struct LaterLift {
    ways: FxHashMap<State, Beginning>,
}

/// The system that begins where these ways end. Of several to one state the first counts.
pub fn later(system: &System, ways: Vec<Beginning>) -> (System, LaterLift) {
    let mut now = System {
        initial: Vec::with_capacity(ways.len()),
        ..system.clone()
    };
    let mut by_end: FxHashMap<State, Beginning> = FxHashMap::default();
    for way in ways {
        let end = way.end().clone();
        by_end.entry(end).or_insert_with_key(|end| {
            now.initial.push(end.clone());
            way
        });
    }
    (now, LaterLift { ways: by_end })
}

impl Lift for LaterLift {
    fn forward(&self, proposition: &Proposition) -> Option<Proposition> {
        Some(proposition.clone())
    }

    fn back(&self, lasso: Lasso) -> Result<Lasso, Astray> {
        let Some(way) = self.ways.get(&lasso.initial) else {
            return Err(Astray::Defect(
                "nothing leads to where it starts".to_owned(),
            ));
        };
        Ok(Lasso {
            initial: way.initial.clone(),
            prefix: way.steps.iter().cloned().chain(lasso.prefix).collect(),
            ..lasso
        })
    }
}
