//! The way back from a reduced net: go the [`Way`] that each of its events stands for.
//!
//! States are computed with the original's own semantics; what the reduced net says of them is not used. At a dead end of the reduced net
//! the original may still take steps that were pending, and does, until it is dead as well.
//!
//! Where places have become one, a loop of the reduced net may come back with the same tokens in other places of the original. It is gone round again
//! then: choices depend on nothing but the state, so that sooner or later a state comes back. (The state after round `n` is compared with that after the
//! last power of two before `n`, as R. P. Brent does in *An improved Monte Carlo factorization algorithm*, 1980.)

use super::way::{Halt, Run, Way, tokens};
use super::{Astray, Lift};
use lariat_model::{
    Action, Comparison, EventId, Expr, Lasso, Linear, Predicate, Proposition, State, Step, System,
    Value, VarId,
};
use rustc_hash::FxHashSet;

/// The way back from a net that rules have made smaller.
#[derive(Clone, Debug)]
pub struct ReductionLift<'s> {
    /// The net before.
    pub(super) original: &'s System,
    /// By place of the original: its new id, if it is still there and means what it did.
    pub(super) places: Vec<Option<VarId>>,
    /// Places of the original that have become one, and which, if that is still there.
    pub(super) fused: Vec<(Option<VarId>, Vec<VarId>)>,
    /// By event of the reduced net: what it stands for.
    pub(super) ways: Vec<Way>,
    /// What may still be taken at a dead end, the last level at the end.
    pub(super) pending: Vec<Vec<Way>>,
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

    fn back(&self, lasso: Lasso) -> Result<Lasso, Astray> {
        let mut run = Run::new(self.original, self.start(&lasso.initial)?);
        let ends = |steps: &[Step]| steps.iter().any(|step| step.event.is_none());
        self.follow(&mut run, &lasso.prefix)?;
        if ends(&lasso.prefix) || ends(&lasso.cycle) {
            return self.dead_end(run);
        }
        self.loops(run, &lasso)
    }
}

/// Values in all states of a run beyond which its loop is not gone round once more: some 250 MB.
const MOST_VALUES: usize = 1 << 25;

impl<'s> ReductionLift<'s> {
    /// An initial marking of the original that has become this one.
    fn start(&self, reduced: &State) -> Result<&'s State, Astray> {
        let is_there = |now: &Option<VarId>, tokens: Value| {
            now.is_none_or(|var| reduced.get(var.index()) == Some(&tokens))
        };
        let has_become = |marking: &&State| {
            let mut alone = self.places.iter().zip(&marking[..]);
            let mut fused = self.fused.iter();
            alone.all(|(now, here)| is_there(now, *here))
                && fused.all(|(now, members)| is_there(now, tokens(marking, members)))
        };
        let none = || Astray::Defect("the run starts in no initial marking".to_owned());
        let mut initial = self.original.initial.iter();
        initial.find(has_become).ok_or_else(none)
    }

    /// Goes along these steps of the reduced net, up to the one from which on nothing happens any more.
    fn follow(&self, run: &mut Run<'s>, steps: &[Step]) -> Result<(), Astray> {
        for event in steps.iter().map_while(|step| step.event) {
            let none = || Astray::Defect(format!("event {} is none of the net", event.0));
            let way = self.ways.get(event.index()).ok_or_else(none)?;
            run.follow(way).map_err(|halt| match halt {
                Halt::Blocked => {
                    let names = way.shown().into_iter();
                    let names: Vec<&str> = names
                        .map(|event| self.original.event(event).name.as_str())
                        .collect();
                    Astray::Defect(format!("`{}` is not enabled", names.join(".")))
                }
                Halt::TooLong => too_long(),
            })?;
        }
        Ok(())
    }

    /// Goes round the loop of the reduced net until that is one of the original.
    fn loops(&self, mut run: Run<'s>, lasso: &Lasso) -> Result<Lasso, Astray> {
        let (mut entry, mut rounds, mut most) = (run.steps.len(), 0, 1);
        let mut before = run.state().clone();
        let growth = loop {
            self.follow(&mut run, &lasso.cycle)?;
            rounds += 1;
            let after = run.state();
            if let Some(added) = self.added(rounds, lasso.growth.as_ref(), &before, after)? {
                break added.iter().any(|tokens| *tokens != 0).then_some(added);
            }
            if run.steps.len() * after.len() > MOST_VALUES {
                return Err(too_long());
            }
            if rounds == most {
                (entry, before) = (run.steps.len(), after.clone());
                (rounds, most) = (0, 2 * most);
            }
        };
        let cycle = run.steps.split_off(entry);
        Ok(Lasso {
            initial: run.initial.clone(),
            prefix: run.steps,
            cycle,
            growth,
        })
    }

    /// The run ends here: takes what is pending, then stutters.
    fn dead_end(&self, mut run: Run<'s>) -> Result<Lasso, Astray> {
        for way in self.pending.iter().rev().flatten() {
            loop {
                match run.follow(way) {
                    Ok(()) => {}
                    Err(Halt::Blocked) => break,
                    Err(Halt::TooLong) => return Err(too_long()),
                }
            }
        }
        if !self.original.is_deadlock(run.state()) {
            return Err(Astray::Defect(
                "the reduced net is dead and the original is not".to_owned(),
            ));
        }
        let stutter = Step {
            event: None,
            state: run.state().clone(),
        };
        Ok(Lasso {
            initial: run.initial.clone(),
            prefix: run.steps,
            cycle: vec![stutter],
            growth: None,
        })
    }

    /// What so many rounds add in the original: what they add in the reduced net, and any number of tokens in places that were left
    /// out. These decide nothing, or the rule would have kept them. `None` if tokens have gone from one place to another with which it has become one; places that
    /// were left out because they change as these do may have fewer then, too.
    fn added(
        &self,
        rounds: u32,
        reduced: Option<&State>,
        before: &State,
        after: &State,
    ) -> Result<Option<State>, Astray> {
        let added: State = before.iter().zip(after).map(|(x, y)| y - x).collect();
        let fits = |added: i128, kept: &Option<VarId>| match (kept, reduced) {
            (Some(var), Some(growth)) => {
                added == i128::from(rounds) * i128::from(growth[var.index()])
            }
            (Some(_), None) => added == 0,
            (None, _) => true,
        };
        let number = |place: &VarId| i128::from(added[place.index()]);
        let mut alone = self.original.var_ids().zip(&self.places);
        let mut fused = self.fused.iter();
        let all_fit = alone.all(|(var, kept)| fits(number(&var), kept))
            && fused.all(|(kept, members)| fits(members.iter().map(number).sum(), kept));
        let comes_round = added.iter().all(|tokens| *tokens >= 0);
        if !all_fit || !comes_round && self.fused.is_empty() {
            return Err(Astray::Defect(
                "the loop does not close in the original".to_owned(),
            ));
        }
        Ok(comes_round.then_some(added))
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

/// There is a run, but who would read it?
fn too_long() -> Astray {
    Astray::Unliftable("the run of the net as it was read is too long to be told".to_owned())
}
