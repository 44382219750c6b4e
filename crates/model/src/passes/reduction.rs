//! The way back from a reduced net: fire what each of its events stands for.
//!
//! States are computed with the original's own semantics; what the reduced net says of them is not used. At a dead end of the reduced net
//! the original may still take steps that were pending, and does, until it is dead as well.

use super::{Astray, Lift};
use crate::Expr;
use crate::lasso::{Lasso, Step};
use crate::predicate::{Comparison, Linear, Predicate, Proposition};
use crate::system::{Action, EventId, State, System, Value, VarId};
use rustc_hash::FxHashSet;

/// The way back from a net that rules have made smaller.
#[derive(Clone, Debug)]
pub struct ReductionLift<'s> {
    /// The net before.
    pub(super) original: &'s System,
    /// By place of the original: its new id, if it is still there.
    pub(super) places: Vec<Option<VarId>>,
    /// By event of the reduced net: what it stands for.
    pub(super) paths: Vec<Vec<EventId>>,
    /// Paths that may still be taken at a dead end, the last level at the end.
    pub(super) pending: Vec<Vec<Vec<EventId>>>,
}

impl Lift for ReductionLift<'_> {
    fn forward(&self, proposition: &Proposition) -> Option<Proposition> {
        match proposition {
            Proposition::State(predicate) => self.predicate(predicate).map(Proposition::State),
            Proposition::Fires(events) => {
                let named =
                    |path: &Vec<EventId>| path.iter().any(|e| events.binary_search(e).is_ok());
                let all = (0..).map(EventId).zip(&self.paths);
                let now: Vec<EventId> = all
                    .filter(|(_, path)| named(path))
                    .map(|(id, _)| id)
                    .collect();
                Some(match now.is_empty() {
                    true => Proposition::State(Predicate::Const(false)),
                    false => Proposition::Fires(now),
                })
            }
        }
    }

    fn back(&self, lasso: Lasso) -> Result<Lasso, Astray> {
        let initial = self.start(&lasso.initial)?;
        let mut prefix = Run {
            system: self.original,
            state: initial.clone(),
            steps: Vec::new(),
        };
        for step in &lasso.prefix {
            match step.event {
                Some(event) => prefix.take(self.path(event)?)?,
                // From here on nothing happens any more.
                None => return self.dead_end(initial, prefix),
            }
        }
        let entry = prefix.state.clone();
        let mut cycle = Run {
            state: entry.clone(),
            steps: Vec::new(),
            ..prefix
        };
        for step in &lasso.cycle {
            match step.event {
                Some(event) => cycle.take(self.path(event)?)?,
                None => return self.dead_end(initial, prefix),
            }
        }
        let growth = self.growth(lasso.growth.as_ref(), &entry, &cycle.state)?;
        Ok(Lasso {
            initial,
            prefix: prefix.steps,
            cycle: cycle.steps,
            growth,
        })
    }
}

impl ReductionLift<'_> {
    /// An initial marking of the original that has become this one.
    fn start(&self, reduced: &State) -> Result<State, Astray> {
        let kept = |(now, tokens): (&Option<VarId>, &Value)| {
            now.is_none_or(|var| reduced.get(var.index()) == Some(tokens))
        };
        let mut initial = self.original.initial.iter();
        let found = initial.find(|marking| self.places.iter().zip(&marking[..]).all(kept));
        let none = || Astray::Defect("the run starts in no initial marking".to_owned());
        found.cloned().ok_or_else(none)
    }

    fn path(&self, event: EventId) -> Result<&[EventId], Astray> {
        let path = self.paths.get(event.index()).map(|path| &path[..]);
        path.ok_or_else(|| Astray::Defect(format!("event {} is none of the net", event.0)))
    }

    /// The run ends here: takes what is pending, then stutters.
    fn dead_end(&self, initial: State, mut run: Run<'_>) -> Result<Lasso, Astray> {
        for level in self.pending.iter().rev() {
            for path in level {
                while run.can(path) {
                    if run.steps.len() >= MOST_STEPS {
                        return Err(Astray::Unliftable(
                            "the run to the deadlock is too long to be told".to_owned(),
                        ));
                    }
                    run.take(path)?;
                }
            }
        }
        if !self.original.is_deadlock(&run.state) {
            return Err(Astray::Defect(
                "the reduced net is dead and the original is not".to_owned(),
            ));
        }
        let stutter = Step {
            event: None,
            state: run.state,
        };
        Ok(Lasso {
            initial,
            prefix: run.steps,
            cycle: vec![stutter],
            growth: None,
        })
    }

    /// What a round adds in the original, if anything: what it adds in the reduced net, and any number of tokens in places that were left
    /// out. These decide nothing, or the rule would have kept them.
    fn growth(
        &self,
        reduced: Option<&State>,
        before: &State,
        after: &State,
    ) -> Result<Option<State>, Astray> {
        let added: State = before.iter().zip(after).map(|(x, y)| y - x).collect();
        let expected = |var: VarId| reduced.map_or(0, |growth| growth[var.index()]);
        let fits = |(added, kept): (&Value, &Option<VarId>)| match kept {
            Some(var) => *added == expected(*var),
            None => *added >= 0,
        };
        if !added.iter().zip(&self.places).all(fits) {
            return Err(Astray::Defect(
                "the loop does not close in the original".to_owned(),
            ));
        }
        Ok(added.iter().any(|tokens| *tokens != 0).then_some(added))
    }

    fn predicate(&self, predicate: &Predicate) -> Option<Predicate> {
        let all = |list: &[Predicate]| -> Option<Vec<Predicate>> {
            list.iter().map(|inner| self.predicate(inner)).collect()
        };
        Some(match predicate {
            Predicate::Const(value) => Predicate::Const(*value),
            Predicate::Linear(linear) => {
                let term = |(var, weight): &(VarId, i64)| Some((self.place(*var)?, *weight));
                let terms: Option<Vec<_>> = linear.terms.iter().map(term).collect();
                Predicate::Linear(Linear {
                    terms: terms?,
                    ..*linear
                })
            }
            Predicate::Expr(expr) => Predicate::Expr(self.expression(expr)?),
            Predicate::Enabled(events) => {
                let mut seen = FxHashSet::default();
                let mut presets = Vec::new();
                for event in events {
                    let preset = self.preset(*event)?;
                    if seen.insert(preset.clone()) {
                        presets.push(preset);
                    }
                }
                match presets.len() {
                    1 => presets.swap_remove(0),
                    _ => Predicate::Or(presets),
                }
            }
            Predicate::Deadlock => Predicate::Deadlock,
            Predicate::Not(inner) => Predicate::Not(Box::new(self.predicate(inner)?)),
            Predicate::And(list) => Predicate::And(all(list)?),
            Predicate::Or(list) => Predicate::Or(all(list)?),
        })
    }

    /// That there is enough for an event of the original, which need not be there any more.
    fn preset(&self, event: EventId) -> Option<Predicate> {
        let Action::Net(arcs) = &self.original.event(event).action else {
            return None;
        };
        let needed = arcs.iter().filter(|arc| arc.need > 0);
        let enough = needed.map(|arc| {
            let place = self.place(arc.var)?;
            Some(Predicate::compare(place, Comparison::Ge, arc.need))
        });
        let mut enough = enough.collect::<Option<Vec<Predicate>>>()?;
        Some(match enough.len() {
            1 => enough.swap_remove(0),
            _ => Predicate::And(enough),
        })
    }

    fn place(&self, var: VarId) -> Option<VarId> {
        self.places[var.index()]
    }

    fn expression(&self, expr: &Expr) -> Option<Expr> {
        Some(match expr {
            Expr::Const(value) => Expr::Const(*value),
            Expr::Var(var) => Expr::Var(self.place(*var)?),
            Expr::Element { first, len, index } => {
                let start = self.place(*first)?;
                let stays = |i: u32| self.place(VarId(first.0 + i)) == Some(VarId(start.0 + i));
                if !(0..*len).all(stays) {
                    return None;
                }
                Expr::Element {
                    first: start,
                    len: *len,
                    index: Box::new(self.expression(index)?),
                }
            }
            Expr::Unary(op, operand) => Expr::Unary(*op, Box::new(self.expression(operand)?)),
            Expr::Binary(op, left, right) => Expr::Binary(
                *op,
                Box::new(self.expression(left)?),
                Box::new(self.expression(right)?),
            ),
        })
    }
}

/// Steps to a deadlock beyond which a run is not told.
const MOST_STEPS: usize = 1_000_000;

/// A run of the original as it is made.
#[derive(Clone)]
struct Run<'s> {
    system: &'s System,
    state: State,
    steps: Vec<Step>,
}

impl Run<'_> {
    fn next(&self, state: &State, event: EventId) -> Option<State> {
        self.system.successors(state, event).pop()
    }

    /// Can all of these be taken, one after the other?
    fn can(&self, path: &[EventId]) -> bool {
        let mut state = self.state.clone();
        path.iter().all(|event| match self.next(&state, *event) {
            Some(next) => {
                state = next;
                true
            }
            None => false,
        })
    }

    fn take(&mut self, path: &[EventId]) -> Result<(), Astray> {
        for event in path {
            let Some(state) = self.next(&self.state, *event) else {
                let name = &self.system.event(*event).name;
                return Err(Astray::Defect(format!("`{name}` is not enabled")));
            };
            self.state = state.clone();
            self.steps.push(Step {
                event: Some(*event),
                state,
            });
        }
        Ok(())
    }
}
