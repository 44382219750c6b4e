//! Atoms that may have no value: `flag[i]` while `i` is beyond the array, a label that no line of its map
//! gives to a state.
//!
//! Engines take such an atom for false, as [`System::holds`] does; left at that, a slip in a formula
//! would hold silently. So every atom knows where it has a value, as another predicate:
//!
//! ```text
//! known(e) = (e || 1)      an expression has a value wherever this one is true: a fault is false
//! ```
//!
//! A violation counts if all atoms have values all along its run; `holds` counts if they have values in all
//! states that are reached, which is a safety property like any other (the façade asks it). Whatever
//! else is found is no answer, and the state that shows it is named.

use crate::expr::{BinaryOp, Expr};
use crate::predicate::Predicate;
use crate::system::{Domain, System, Value, VarId};

/// A state is told by at most this many of its variables.
const SHOWN: usize = 8;

impl Predicate {
    /// Where it has a value; `None` if that is everywhere.
    pub fn known(&self) -> Option<Predicate> {
        match self {
            Predicate::Expr(expr) if expr.can_fail() => {
                let anything = Box::new(Expr::Const(1));
                let whole = Box::new(expr.clone());
                Some(Predicate::Expr(Expr::Binary(BinaryOp::Or, whole, anything)))
            }
            Predicate::Not(p) => p.known(),
            Predicate::And(ps) | Predicate::Or(ps) => {
                let parts: Vec<Predicate> = ps.iter().filter_map(Predicate::known).collect();
                (!parts.is_empty()).then_some(Predicate::And(parts))
            }
            _ => None,
        }
    }

    /// Why a value is missing in `state`, in words with the variables that matter; `self` says where it is
    /// [known](Predicate::known). `None` if it is not missing.
    pub fn missing(&self, system: &System, state: &[Value]) -> Option<String> {
        if system.holds(self, state) {
            return None;
        }
        let mut vars = Vec::new();
        let why = match self.failing(state, &mut vars) {
            Some(why) => why,
            None => {
                self.collect_vars(&mut vars);
                "nothing says what it is".to_owned()
            }
        };
        vars.sort_unstable();
        vars.dedup();
        let mut shown: Vec<String> = vars
            .iter()
            .take(SHOWN)
            .map(|var| value(system, *var, state))
            .collect();
        if vars.len() > SHOWN {
            shown.push("…".to_owned());
        }
        Some(match &shown[..] {
            [] => why,
            shown => format!("{why} where {}", shown.join(", ")),
        })
    }

    /// The fault of the first part that has one, and the variables that were read until then.
    fn failing(&self, state: &[Value], vars: &mut Vec<VarId>) -> Option<String> {
        match self {
            Predicate::Expr(expr) => {
                let mut read = |var: VarId| {
                    vars.push(var);
                    state[var.index()]
                };
                Some(expr.eval_with(&mut read).err()?.to_string())
            }
            Predicate::And(ps) => ps.iter().find_map(|p| {
                vars.clear();
                p.failing(state, vars)
            }),
            _ => None,
        }
    }
}

/// `i = 7`
fn value(system: &System, var: VarId, state: &[Value]) -> String {
    let variable = system.variable(var);
    let x = state[var.index()];
    match &variable.domain {
        Domain::Names(names) => match usize::try_from(x).ok().and_then(|x| names.get(x)) {
            Some(name) => format!("{} = {name}", variable.name),
            None => format!("{} = {x}", variable.name),
        },
        _ => format!("{} = {x}", variable.name),
    }
}
