//! Lifts a run of a reduced net: executes the [`EventExpansion`] of each of its events on the
//! original net.
//!
//! States are computed with the semantics of the original; states of the reduced run are not used.
//! At a deadlock of the reduced net the original fires the *pending* events until it is deadlocked
//! too.
//!
//! If places were fused, a loop of the reduced net may return with the same number of tokens
//! distributed differently over the fused places. The loop is then repeated: choices depend only on
//! the state, so that eventually a state recurs. (The state after round `n` is compared with the
//! one after the last power of two before `n`, as in R. P. Brent, *An improved Monte Carlo
//! factorization algorithm*, 1980.)

use super::trace_lift::{EventExpansion, LiftHalt, LiftedRun, tokens};
use super::{Lift, LiftError};
use lariat_budget::Budget;
use lariat_model::{
    Action, Comparison, EventId, Expr, Lasso, Linear, Predicate, Proposition, State, Step, System,
    Value, VarId,
};
use rustc_hash::FxHashSet;

/// The lift of a net reduced by rules.
#[derive(Clone, Debug)]
pub struct ReductionLift<'s> {
    /// The net before the reduction.
    pub(super) original: &'s System,
    /// By place of the original: its new id, if it remains with its meaning.
    pub(super) places: Vec<Option<VarId>>,
    /// Fused places of the original, with the id of the place that replaces them if it remains.
    pub(super) fused: Vec<(Option<VarId>, Vec<VarId>)>,
    /// By event of the reduced net: the events of the original that it represents.
    pub(super) ways: Vec<EventExpansion>,
    /// Events to fire at a deadlock; the last level is fired first.
    pub(super) pending: Vec<Vec<EventExpansion>>,
}

impl Lift for ReductionLift<'_> {
    fn forward(&self, proposition: &Proposition) -> Option<Proposition> {
        match proposition {
            Proposition::State(predicate) => self.predicate(predicate).map(Proposition::State),
            Proposition::Fires(events) => {
                let all = (0..).map(EventId).zip(&self.ways);
                let now: Vec<EventId> = all
                    .filter(|(_, way)| way.mentions(events))
                    .map(|(id, _)| id)
                    .collect();
                Some(if now.is_empty() {
                    Proposition::State(Predicate::Const(false))
                } else {
                    Proposition::Fires(now)
                })
            }
        }
    }

    fn back(&self, lasso: Lasso, budget: &Budget) -> Result<Lasso, LiftError> {
        let mut run = LiftedRun::new(self.original, self.start(&lasso.initial)?, budget);
        let stutters = |steps: &[Step]| steps.iter().any(|step| step.event.is_none());
        self.follow(&mut run, &lasso.prefix)?;
        if stutters(&lasso.prefix) || stutters(&lasso.cycle) {
            return self.dead_end(run);
        }
        self.loops(run, &lasso)
    }
}

impl<'s> ReductionLift<'s> {
    /// Returns an initial marking of the original that the rules mapped to `reduced`.
    fn start(&self, reduced: &State) -> Result<&'s State, LiftError> {
        let agrees = |now: &Option<VarId>, tokens: Value| {
            now.is_none_or(|var| reduced.get(var.index()) == Some(&tokens))
        };
        let maps_to = |marking: &&State| {
            let mut unfused = self.places.iter().zip(&marking[..]);
            let mut fused = self.fused.iter();
            unfused.all(|(now, here)| agrees(now, *here))
                && fused.all(|(now, members)| agrees(now, tokens(marking, members)))
        };
        let none = || LiftError::Defect("the run does not start in an initial marking".to_owned());
        let mut initial = self.original.initial.iter();
        initial.find(maps_to).ok_or_else(none)
    }

    /// Executes these steps of the reduced net up to the first stuttering step.
    fn follow(&self, run: &mut LiftedRun<'_, 's>, steps: &[Step]) -> Result<(), LiftError> {
        for event in steps.iter().map_while(|step| step.event) {
            let none = || LiftError::Defect(format!("event {} is not in the net", event.0));
            let way = self.ways.get(event.index()).ok_or_else(none)?;
            run.follow(way).map_err(|halt| match halt {
                LiftHalt::Blocked => {
                    let names = way.shown().into_iter();
                    let names: Vec<&str> = names
                        .map(|event| self.original.event(event).name.as_str())
                        .collect();
                    LiftError::Defect(format!("`{}` is not enabled", names.join(".")))
                }
                LiftHalt::TooLong => too_long(),
                LiftHalt::Stopped(stop) => LiftError::Stopped(stop),
            })?;
        }
        Ok(())
    }

    /// Repeats the loop of the reduced net until it closes in the original.
    fn loops(&self, mut run: LiftedRun<'_, 's>, lasso: &Lasso) -> Result<Lasso, LiftError> {
        let (mut entry, mut rounds, mut power) = (run.run.len(), 0, 1);
        let mut before = run.state().clone();
        let growth = loop {
            self.follow(&mut run, &lasso.cycle)?;
            rounds += 1;
            let after = run.state();
            if let Some(added) = self.added(rounds, lasso.growth.as_ref(), &before, after)? {
                break added.iter().any(|tokens| *tokens != 0).then_some(added);
            }
            if rounds == power {
                (entry, before) = (run.run.len(), after.clone());
                (rounds, power) = (0, 2 * power);
            }
        };
        Ok(Lasso {
            growth,
            ..run.run.into_lasso(entry)
        })
    }

    /// Fires the pending events at the end of a finite run, then stutters.
    fn dead_end(&self, mut run: LiftedRun<'_, 's>) -> Result<Lasso, LiftError> {
        for way in self.pending.iter().rev().flatten() {
            loop {
                match run.follow(way) {
                    Ok(()) => {}
                    Err(LiftHalt::Blocked) => break,
                    Err(LiftHalt::TooLong) => return Err(too_long()),
                    Err(LiftHalt::Stopped(stop)) => return Err(LiftError::Stopped(stop)),
                }
            }
        }
        if !self.original.is_deadlock(run.state()) {
            return Err(LiftError::Defect(
                "the reduced net is deadlocked but the original is not".to_owned(),
            ));
        }
        let entry = run.run.len();
        run.run.stutter();
        Ok(run.run.into_lasso(entry))
    }

    /// Tokens that `rounds` rounds of the loop add in the original; `None` if tokens moved between
    /// fused places.
    ///
    /// Remaining places get what the reduced loop adds. Removed places may get any number of
    /// tokens, since they never decide enabledness; beside fused places they may also lose some
    /// before the loop closes.
    fn added(
        &self,
        rounds: u32,
        reduced: Option<&State>,
        before: &State,
        after: &State,
    ) -> Result<Option<State>, LiftError> {
        let added: State = before.iter().zip(after).map(|(x, y)| y - x).collect();
        let fits = |added: i128, kept: &Option<VarId>| match (kept, reduced) {
            (Some(var), Some(growth)) => {
                added == i128::from(rounds) * i128::from(growth[var.index()])
            }
            (Some(_), None) => added == 0,
            (None, _) => true,
        };
        let number = |place: &VarId| i128::from(added[place.index()]);
        let mut unfused = self.original.var_ids().zip(&self.places);
        let mut fused = self.fused.iter();
        let all_fit = unfused.all(|(var, kept)| fits(number(&var), kept))
            && fused.all(|(kept, members)| fits(members.iter().map(number).sum(), kept));
        let closes = added.iter().all(|tokens| *tokens >= 0);
        if !all_fit || !closes && self.fused.is_empty() {
            return Err(LiftError::Defect(
                "the loop does not close in the original".to_owned(),
            ));
        }
        Ok(closes.then_some(added))
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

    /// The predicate that the preset of an event of the original is marked; the event may have been
    /// removed.
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

/// The error for a run that exists but exceeds the limits.
fn too_long() -> LiftError {
    LiftError::Unliftable("the run of the original net is too long to report".to_owned())
}
