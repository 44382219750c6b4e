//! The execution of a [`Chain`]: all its paths, as assignments to the variables that they change.

use std::collections::HashSet;

use crate::expr::EvalError;
use crate::predicate::{Linear, Predicate};
use crate::system::{Assignment, Chain, ChainChoice, Value, VarId};

/// Limit on the steps of all paths together; a longer chain counts as endless.
const STEPS: usize = 1 << 20;

/// The variables that a path has changed, sorted, with their values.
pub type Changes = Vec<(VarId, Value)>;

/// The ends of the paths of a chain from a state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChainEnds {
    /// Whether the guard holds, or fails to have a value.
    pub is_enabled: bool,
    /// The changes of each path that ends, without duplicates.
    pub ends: Vec<Changes>,
    /// Whether a path fails, or no path ends.
    pub fails: bool,
}

/// A path: the changes on top of the source state.
struct Path<'r, R, W> {
    read: &'r mut R,
    wrap: &'r W,
    changes: Changes,
}

impl<R: FnMut(VarId) -> Value, W: Fn(VarId, Value) -> Value> Path<'_, R, W> {
    fn value(&mut self, var: VarId) -> Value {
        match self.changes.binary_search_by_key(&var, |(v, _)| *v) {
            Ok(i) => self.changes[i].1,
            Err(_) => (self.read)(var),
        }
    }

    fn assign(&mut self, effects: &[Assignment]) -> Result<(), EvalError> {
        for effect in effects {
            let var = effect.target.resolve_with(&mut |var| self.value(var))?;
            let value = effect.value.eval_with(&mut |var| self.value(var))?;
            let value = (self.wrap)(var, value);
            match self.changes.binary_search_by_key(&var, |(v, _)| *v) {
                Ok(i) => self.changes[i].1 = value,
                Err(i) => self.changes.insert(i, (var, value)),
            }
        }
        Ok(())
    }
}

impl Chain {
    /// Executes the chain; `read` gives the values of variables in the source state, and `wrap` the
    /// value that a variable has after an assignment. A guard that is no expression must not ask for
    /// events.
    pub fn ends(
        &self,
        wrap: impl Fn(VarId, Value) -> Value,
        mut read: impl FnMut(VarId) -> Value,
    ) -> ChainEnds {
        let mut found = ChainEnds::default();
        let enabled = match &self.guard {
            Predicate::Expr(guard) => guard.eval_with(&mut read).map(|x| x != 0),
            guard => Ok(holds(guard, &mut read)),
        };
        if enabled == Ok(false) {
            return found;
        }
        found.is_enabled = true;
        let mut path = Path {
            read: &mut read,
            wrap: &wrap,
            changes: Vec::new(),
        };
        if enabled.is_err() || path.assign(&self.effects).is_err() {
            found.fails = true;
            return found;
        }
        let mut open = vec![(0, path.changes)];
        let mut seen: HashSet<(u32, Changes)> = HashSet::new();
        let mut steps = 0_usize;
        while let Some((at, changes)) = open.pop() {
            let Some(point) = self.points.get(at as usize) else {
                end(&mut found.ends, changes);
                continue;
            };
            steps += 1;
            if steps > STEPS {
                found.fails = true;
                break;
            }
            let mut moved = false;
            let mut next = Vec::new();
            for step in &point.steps {
                let mut path = Path {
                    read: &mut read,
                    wrap: &wrap,
                    changes: changes.clone(),
                };
                let enabled = step.guard.eval_with(&mut |var| path.value(var));
                if enabled == Ok(0) {
                    continue;
                }
                moved = true;
                if enabled.is_err() || path.assign(&step.effects).is_err() {
                    found.fails = true;
                } else if let Some(to) = step.next {
                    let state = (to, path.changes);
                    if seen.insert(state.clone()) {
                        next.push(state);
                    }
                } else {
                    end(&mut found.ends, path.changes);
                }
                if point.choice == ChainChoice::First {
                    break;
                }
            }
            open.extend(next.into_iter().rev());
            match point.choice {
                _ if moved => {}
                ChainChoice::Any => end(&mut found.ends, changes),
                ChainChoice::First => found.fails = true,
            }
        }
        found.fails |= found.ends.is_empty();
        found
    }
}

fn end(ends: &mut Vec<Changes>, changes: Changes) {
    if !ends.contains(&changes) {
        ends.push(changes);
    }
}

/// Returns whether a guard that is not an expression holds.
fn holds(predicate: &Predicate, read: &mut impl FnMut(VarId) -> Value) -> bool {
    match predicate {
        Predicate::Const(value) => *value,
        Predicate::Linear(Linear {
            terms,
            comparison,
            constant,
        }) => {
            let terms = terms.iter();
            let sum = terms.map(|(var, c)| i128::from(*c) * i128::from(read(*var)));
            comparison.holds(sum.sum(), i128::from(*constant))
        }
        Predicate::Expr(expr) => expr.eval_with(read).is_ok_and(|x| x != 0),
        Predicate::Not(p) => !holds(p, read),
        Predicate::And(ps) => ps.iter().all(|p| holds(p, read)),
        Predicate::Or(ps) => ps.iter().any(|p| holds(p, read)),
        Predicate::Enabled(_) | Predicate::Deadlock => false,
    }
}
