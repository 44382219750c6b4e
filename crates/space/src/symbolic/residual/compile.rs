//! Residuals of predicates and of event guards, before any level is read.

use super::{ResidualInterner, constant};
use lariat_budget::Stop;
use lariat_dd::Residual;
use lariat_model::order::Level;
use lariat_model::{
    Action, BinaryOp, Comparison, EventId, Expr, LValue, Linear, Predicate, System, UnaryOp, Value,
    VarId,
};

impl ResidualInterner {
    pub(super) fn compile(
        &mut self,
        system: &System,
        predicate: &Predicate,
    ) -> Result<Residual, Stop> {
        self.signed(system, predicate, false, true)
    }

    /// The residual of a predicate or of its negation. Guards of programs must not test which
    /// events are enabled.
    fn signed(
        &mut self,
        system: &System,
        predicate: &Predicate,
        negated: bool,
        may_test_events: bool,
    ) -> Result<Residual, Stop> {
        Ok(match predicate {
            Predicate::Const(value) => constant(*value != negated),
            Predicate::Linear(linear) => self.linear(linear, negated),
            Predicate::Expr(expr) => self.expr(expr, false, negated),
            Predicate::Not(p) => self.signed(system, p, !negated, may_test_events)?,
            Predicate::And(ps) | Predicate::Or(ps) => {
                let parts = ps.iter();
                let parts = parts.map(|p| self.signed(system, p, negated, may_test_events));
                let parts: Result<Vec<_>, Stop> = parts.collect();
                let is_and = matches!(predicate, Predicate::And(_));
                self.junction(is_and != negated, parts?)
            }
            Predicate::Enabled(_) | Predicate::Deadlock if !may_test_events => {
                return Err(Stop::Unsupported(
                    "a guard that tests which events are enabled".to_owned(),
                ));
            }
            Predicate::Enabled(events) => {
                self.some_enabled(system, events.iter().copied(), negated)?
            }
            Predicate::Deadlock => self.some_enabled(system, system.event_ids(), !negated)?,
        })
    }

    fn some_enabled(
        &mut self,
        system: &System,
        events: impl Iterator<Item = EventId>,
        negated: bool,
    ) -> Result<Residual, Stop> {
        let parts: Result<Vec<_>, Stop> = events.map(|e| self.enabled(system, e)).collect();
        let some = self.junction(false, parts?);
        Ok(if negated { self.not(some) } else { some })
    }

    fn linear(&mut self, linear: &Linear, negated: bool) -> Residual {
        let mut k = i128::from(linear.constant);
        let mut terms: Vec<(Level, i128)> = Vec::with_capacity(linear.terms.len());
        for (var, c) in &linear.terms {
            let level = self.layout.level(*var);
            k -= i128::from(*c) * i128::from(self.layout.low(level));
            terms.push((level, i128::from(*c)));
        }
        self.comparison(terms, linear.comparison, k, negated)
    }

    fn compared(&mut self, var: VarId, comparison: Comparison, constant: Value) -> Residual {
        let linear = Linear {
            terms: vec![(var, 1)],
            comparison,
            constant,
        };
        self.linear(&linear, false)
    }

    /// The residual of the condition that an expression is not 0; a fault evaluates to `on_fault`.
    ///
    /// Comparisons of variables become sums, which are clipped; conjunctions are split unless a
    /// fault could make a difference.
    fn expr(&mut self, expr: &Expr, on_fault: bool, negated: bool) -> Residual {
        match expr {
            Expr::Unary(UnaryOp::Not, x) if !may_fault(x) => self.expr(x, false, !negated),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), x, y)
                if !may_fault(x) && !may_fault(y) =>
            {
                let left_negated = negated != (*op == BinaryOp::Implies);
                let x = self.expr(x, false, left_negated);
                let y = self.expr(y, false, negated);
                self.junction((*op == BinaryOp::And) != negated, vec![x, y])
            }
            Expr::Binary(op, x, y) => {
                let comparison = match op {
                    BinaryOp::Eq => Comparison::Eq,
                    BinaryOp::Ne => Comparison::Ne,
                    BinaryOp::Lt => Comparison::Lt,
                    BinaryOp::Le => Comparison::Le,
                    BinaryOp::Gt => Comparison::Gt,
                    BinaryOp::Ge => Comparison::Ge,
                    _ => return self.opaque(expr, on_fault, negated),
                };
                let (mut terms, mut k) = (Vec::new(), 0);
                for (side, sign) in [(x, 1), (y, -1)] {
                    match **side {
                        Expr::Const(value) => k -= sign * i128::from(value),
                        Expr::Var(var) => {
                            let level = self.layout.level(var);
                            k -= sign * i128::from(self.layout.low(level));
                            terms.push((level, sign));
                        }
                        _ => return self.opaque(expr, on_fault, negated),
                    }
                }
                if let [a, b] = terms[..]
                    && a.0 == b.0
                {
                    terms.clear();
                }
                self.comparison(terms, comparison, k, negated)
            }
            _ => self.opaque(expr, on_fault, negated),
        }
    }

    fn opaque(&mut self, expr: &Expr, on_fault: bool, negated: bool) -> Residual {
        let expr = self.exprs.compile(&self.layout, expr);
        self.holds(expr, on_fault, negated)
    }

    /// The condition under which `event` is enabled.
    fn enabled(&mut self, system: &System, event: EventId) -> Result<Residual, Stop> {
        if let Some(known) = self.enabled.get(&event) {
            return Ok(*known);
        }
        let mut parts = Vec::new();
        if let Some(fault) = system.fault {
            parts.push(self.compared(fault, Comparison::Eq, 0));
        }
        match &system.event(event).action {
            Action::Net(arcs) => {
                for arc in arcs.iter().filter(|a| a.need > 0) {
                    parts.push(self.compared(arc.var, Comparison::Ge, arc.need));
                }
            }
            Action::Table { vars, rows } => {
                let mut some = Vec::with_capacity(rows.len());
                for row in rows {
                    let cells = vars.iter().zip(row).filter_map(|(var, cell)| {
                        let (from, _) = (*cell)?;
                        Some(self.compared(*var, Comparison::Eq, from))
                    });
                    let cells = cells.collect();
                    some.push(self.junction(true, cells));
                }
                parts.push(self.junction(false, some));
            }
            action @ (Action::Program { .. } | Action::Chain(_)) => {
                // A chain may have no end, which is a fault.
                let fails = match action {
                    Action::Program { effects, .. } => effects
                        .iter()
                        .any(|e| may_fault(&e.value) || matches!(e.target, LValue::Element { .. })),
                    _ => true,
                };
                let guard = action.guard().unwrap_or(&Predicate::Const(false));
                if fails && system.fault.is_none() {
                    return Err(Stop::Unsupported(format!(
                        "whether {} is enabled depends on whether it fails",
                        system.event(event).name
                    )));
                }
                parts.push(match guard {
                    // If the guard itself fails, the event leads to the fault.
                    Predicate::Expr(expr) => self.expr(expr, system.fault.is_some(), false),
                    guard => self.signed(system, guard, false, false)?,
                });
            }
        }
        let all = self.junction(true, parts);
        self.enabled.insert(event, all);
        Ok(all)
    }
}

/// Returns whether the evaluation may fail, conservatively.
fn may_fault(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Var(_) => false,
        Expr::Element { .. } => true,
        Expr::Unary(_, x) => may_fault(x),
        Expr::Binary(op, x, y) => match op {
            BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr => true,
            _ => may_fault(x) || may_fault(y),
        },
    }
}
