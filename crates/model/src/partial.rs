//! Partial atoms, which have no value in some states: `flag[i]` with `i` out of range, or a label
//! that its map does not define for a state.
//!
//! Engines evaluate such an atom to false, as [`System::holds`] does, which alone could hide a
//! mistake in a formula. So every atom has a definedness predicate:
//!
//! ```text
//! known(e) = (e || 1)      true iff e has a value, since a fault evaluates to false
//! ```
//!
//! A violation counts only if all atoms are defined along its run; `holds` counts only if they are
//! defined in all reachable states, a safety property that the façade checks. Otherwise the answer
//! is rejected and an offending state is reported.

use crate::expr::{BinaryOp, Expr};
use crate::predicate::Predicate;
use crate::system::{Domain, System, Value, VarId};

/// Limit on the variables by which a state is described.
const SHOWN: usize = 8;

impl Predicate {
    /// The states in which the predicate has a value; `None` if it always has.
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

    /// Explains why a value is missing in `state`, with the relevant variables; `self` is the
    /// [definedness predicate](Predicate::known). `None` if it is not missing.
    pub fn missing(&self, system: &System, state: &[Value]) -> Option<String> {
        if system.holds(self, state) {
            return None;
        }
        let mut vars = Vec::new();
        let why = match self.failing(state, &mut vars) {
            Some(why) => why,
            None => {
                self.collect_vars(&mut vars);
                "it is undefined".to_owned()
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

    /// The first fault, and the variables read up to it.
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
