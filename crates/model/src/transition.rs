//! Transitions of nets with inhibitor and reset arcs, as guarded assignments.
//!
//! With `W⁻, W⁺` the weights of ordinary arcs, `R` of read arcs, `I` of inhibitor arcs, and `Z` the
//! places that the transition empties:
//!
//! ```text
//! enabled:  m(p) ≥ max(W⁻(p), R(p))  and  m(p) < I(p)
//! firing:   m'(p) = W⁺(p) if p ∈ Z,  else m(p) − W⁻(p) + W⁺(p)
//! ```
//!
//! A transition without inhibitor and reset arcs is an [`Action::Net`]; any other is an
//! [`Action::Program`]. So every reduction, structural fact, symmetry and covering run, which apply
//! to systems of [`Action::Net`] only ([`System::is_net`](crate::System::is_net)), leaves such nets
//! alone: the state equation and monotonicity do not hold for them.

use crate::expr::{BinaryOp, Expr, LValue};
use crate::predicate::Predicate;
use crate::system::{Action, Arc, Assignment, Value, VarId};

/// Limit on the weights and tokens of nets with inhibitor and reset arcs, so that sums stay exact.
pub const MOST_GUARDED: Value = i32::MAX as Value;

/// A transition of a net.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Transition {
    /// Needed tokens and changes, sorted by place; the change of an emptied place is ignored.
    pub arcs: Vec<Arc>,
    /// Places that must hold less than this, sorted.
    pub inhibitors: Vec<(VarId, Value)>,
    /// Places that are emptied, and the tokens put there afterwards, sorted.
    pub resets: Vec<(VarId, Value)>,
}

impl Transition {
    /// The action of the transition.
    pub fn into_action(self) -> Action {
        if self.inhibitors.is_empty() && self.resets.is_empty() {
            return Action::Net(self.arcs);
        }
        let compare = |op, var: VarId, bound: Value| {
            let (var, bound) = (Box::new(Expr::Var(var)), Box::new(Expr::Const(bound)));
            Expr::Binary(op, var, bound)
        };
        let needed = self.arcs.iter().filter(|arc| arc.need > 0);
        let needed = needed.map(|arc| compare(BinaryOp::Ge, arc.var, arc.need));
        let inhibitors = self.inhibitors.iter();
        let inhibitors = inhibitors.map(|(var, bound)| compare(BinaryOp::Lt, *var, *bound));
        let guard = needed
            .chain(inhibitors)
            .reduce(|x, y| Expr::Binary(BinaryOp::And, Box::new(x), Box::new(y)))
            .unwrap_or(Expr::Const(1));
        let is_reset = |var: VarId| self.resets.iter().any(|(reset, _)| *reset == var);
        let changes = self.arcs.iter();
        let changes = changes.filter(|arc| arc.delta != 0 && !is_reset(arc.var));
        let changes = changes.map(|arc| Assignment {
            target: LValue::Var(arc.var),
            value: compare(BinaryOp::AddWide, arc.var, arc.delta),
        });
        let resets = self.resets.iter().map(|(var, made)| Assignment {
            target: LValue::Var(*var),
            value: Expr::Const(*made),
        });
        Action::Program {
            guard: Predicate::Expr(guard),
            effects: changes.chain(resets).collect(),
        }
    }

    /// The transition that an action was made of; `None` for other programs, and tables.
    pub fn of(action: &Action) -> Option<Transition> {
        let (guard, effects) = match action {
            Action::Net(arcs) => {
                return Some(Transition {
                    arcs: arcs.clone(),
                    ..Transition::default()
                });
            }
            Action::Program {
                guard: Predicate::Expr(guard),
                effects,
            } => (guard, effects),
            Action::Program { .. } | Action::Chain(_) | Action::Table { .. } => return None,
        };
        let mut transition = Transition::default();
        transition.conditions(guard)?;
        for Assignment { target, value } in effects {
            let LValue::Var(var) = *target else {
                return None;
            };
            match value {
                Expr::Const(made) => transition.resets.push((var, *made)),
                Expr::Binary(BinaryOp::AddWide, from, delta) => match (&**from, &**delta) {
                    (Expr::Var(from), Expr::Const(delta)) if *from == var => {
                        transition.arc(var).delta = *delta;
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
        transition.arcs.sort_unstable_by_key(|arc| arc.var);
        transition.inhibitors.sort_unstable();
        transition.resets.sort_unstable();
        Some(transition)
    }

    fn conditions(&mut self, guard: &Expr) -> Option<()> {
        let mut open = vec![guard];
        while let Some(guard) = open.pop() {
            match guard {
                Expr::Const(1) => {}
                Expr::Binary(BinaryOp::And, x, y) => open.extend([&**x, &**y]),
                Expr::Binary(op, x, y) => match (op, &**x, &**y) {
                    (BinaryOp::Ge, Expr::Var(var), Expr::Const(need)) => {
                        self.arc(*var).need = *need;
                    }
                    (BinaryOp::Lt, Expr::Var(var), Expr::Const(bound)) => {
                        self.inhibitors.push((*var, *bound));
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
        Some(())
    }

    fn arc(&mut self, var: VarId) -> &mut Arc {
        let at = self.arcs.iter().position(|arc| arc.var == var);
        let at = at.unwrap_or_else(|| {
            let (need, delta) = (0, 0);
            self.arcs.push(Arc { var, need, delta });
            self.arcs.len() - 1
        });
        &mut self.arcs[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_recognised() {
        let arc = |var, need, delta| Arc {
            var: VarId(var),
            need,
            delta,
        };
        let transition = Transition {
            arcs: vec![arc(0, 2, -1), arc(1, 1, 0), arc(2, 0, 3), arc(4, 1, 0)],
            inhibitors: vec![(VarId(0), 4), (VarId(3), 1)],
            resets: vec![(VarId(4), 0), (VarId(5), 2)],
        };
        let action = transition.clone().into_action();
        assert!(matches!(action, Action::Program { .. }));
        assert_eq!(Transition::of(&action), Some(transition.clone()));
        let plain = Transition {
            arcs: transition.arcs,
            ..Transition::default()
        };
        let action = plain.clone().into_action();
        assert_eq!(action, Action::Net(plain.arcs.clone()));
        assert_eq!(Transition::of(&action), Some(plain));
        let free = Transition {
            resets: vec![(VarId(0), 0)],
            ..Transition::default()
        };
        assert_eq!(Transition::of(&free.clone().into_action()), Some(free));
    }
}
