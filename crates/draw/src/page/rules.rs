//! The rules of a model as JSON, for simulation in a page.
//!
//! They mirror `lariat_model`: arcs, guards and effects, rows of tables, and predicates of atoms.
//! JavaScript's numbers are exact up to 2⁵³, so models with larger numbers have no rules here.

use lariat_model::{
    Action, Arc, Assignment, BinaryOp, Comparison, EventId, Expr, LValue, Predicate, Proposition,
    System, UnaryOp, Value,
};
use serde_json::{Value as Json, json};

/// Bound of the numbers that JavaScript represents exactly.
const EXACT: u64 = 1 << 53;
/// Limit on arcs, cells and effects; a page with more would load and step slowly.
const MOST: usize = 30_000;

/// The rules of all events, unless they are too many or too large.
pub(super) fn rules(system: &System) -> Option<Json> {
    if system.source.is_some() || !system.initial.iter().flatten().all(is_exact) {
        return None;
    }
    let mut left = MOST;
    let mut list = Vec::new();
    for event in &system.events {
        left = left.checked_sub(size(&event.action))?;
        list.push(action(&event.action)?);
    }
    Some(Json::Array(list))
}

/// Returns whether sums of two such values are exact as well.
fn is_exact(value: &Value) -> bool {
    value.unsigned_abs() < EXACT / 2
}

fn size(action: &Action) -> usize {
    match action {
        Action::Net(arcs) => 1 + arcs.len(),
        Action::Program { effects, .. } => 8 + 4 * effects.len(),
        Action::Chain(chain) => 8 + 4 * chain.assignments().count(),
        Action::Table { vars, rows } => 1 + vars.len() * rows.len(),
    }
}

fn action(action: &Action) -> Option<Json> {
    Some(match action {
        Action::Net(arcs) => {
            let mut numbers = arcs.iter().flat_map(|arc| [&arc.need, &arc.delta]);
            if !numbers.all(is_exact) {
                return None;
            }
            let arc = |arc: &Arc| json!([arc.var.0, arc.need, arc.delta]);
            json!(["n", arcs.iter().map(arc).collect::<Vec<_>>()])
        }
        Action::Program { guard, effects } => {
            let effect = |effect: &Assignment| json!([target(&effect.target), expr(&effect.value)]);
            let effects: Vec<Json> = effects.iter().map(effect).collect();
            json!(["p", predicate(guard), effects])
        }
        // The page shows no rules for steps that pass through several points.
        Action::Chain(_) => return None,
        Action::Table { vars, rows } => {
            let vars: Vec<u32> = vars.iter().map(|var| var.0).collect();
            json!(["t", vars, rows])
        }
    })
}

/// The predicate of an atom.
pub(super) fn proposition(proposition: &Proposition) -> Json {
    match proposition {
        Proposition::State(state) => predicate(state),
        Proposition::Fires(events) => json!(["f", numbers(events)]),
    }
}

fn numbers(events: &[EventId]) -> Vec<u32> {
    events.iter().map(|event| event.0).collect()
}

fn predicate(p: &Predicate) -> Json {
    let all = |list: &[Predicate]| list.iter().map(predicate).collect::<Vec<_>>();
    match p {
        Predicate::Const(value) => json!(["c", value]),
        Predicate::Linear(linear) => {
            let terms = linear.terms.iter().map(|(var, c)| json!([var.0, c]));
            json!([
                "l",
                terms.collect::<Vec<_>>(),
                comparison(linear.comparison),
                linear.constant
            ])
        }
        Predicate::Expr(e) => json!(["x", expr(e)]),
        Predicate::Enabled(events) => json!(["E", numbers(events)]),
        Predicate::Deadlock => json!(["D"]),
        Predicate::Not(p) => json!(["N", predicate(p)]),
        Predicate::And(ps) => json!(["A", all(ps)]),
        Predicate::Or(ps) => json!(["O", all(ps)]),
    }
}

fn comparison(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Eq => "==",
        Comparison::Ne => "!=",
        Comparison::Lt => "<",
        Comparison::Le => "<=",
        Comparison::Gt => ">",
        Comparison::Ge => ">=",
    }
}

fn target(target: &LValue) -> Json {
    match target {
        LValue::Var(var) => json!(["v", var.0]),
        LValue::Element { first, len, index } => json!(["e", first.0, len, expr(index)]),
    }
}

fn expr(e: &Expr) -> Json {
    match e {
        Expr::Const(value) => json!(value),
        Expr::Var(var) => json!(["v", var.0]),
        Expr::Element { first, len, index } => json!(["e", first.0, len, expr(index)]),
        Expr::Unary(op, x) => {
            let sign = match op {
                UnaryOp::Neg => "-",
                UnaryOp::Not => "!",
                UnaryOp::Complement => "~",
            };
            json!(["u", sign, expr(x)])
        }
        Expr::Binary(op, x, y) => json!(["b", operator(*op), expr(x), expr(y)]),
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::AddWide => "add",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Implies => "=>",
    }
}
