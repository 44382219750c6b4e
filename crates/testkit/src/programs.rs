//! Random systems beyond nets: programs, tables, and all kinds of events side by side.
//!
//! Programs have ranges that wrap (some below zero), arrays, expressions that may fault, with
//! and without a fault variable. Tables are nondeterministic, have rows that only test and cells that neither read nor
//! write, and several initial states.

use crate::nets::{transition, worthwhile};
use crate::rng::Rng;
use lariat_model::{
    Action, BinaryOp, Comparison, Domain, Effect, Event, Expr, LValue, Linear, Predicate, Row,
    State, System, UnaryOp, Value, VarId, Variable,
};

/// A random system with at most `cut` reachable states.
pub fn random(rng: &mut Rng, cut: usize) -> System {
    let family = rng.below(3);
    worthwhile(rng, cut, |rng| match family {
        0 => mixture(rng, "programs", 100, 0),
        1 => mixture(rng, "tables", 0, 100),
        _ => mixture(rng, "mixture", 40, 40),
    })
}

/// Variables `v0…` with ranges or names, and, if not everything is a program or a table, places
/// `c0 + c1 = const` that net transitions move tokens between.
fn mixture(rng: &mut Rng, name: &str, programs: usize, tables: usize) -> System {
    let mut system = System {
        name: name.to_owned(),
        ..System::default()
    };
    let vars = 2 + rng.below(3);
    for v in 0..vars {
        let low = if rng.chance(25) { -1 } else { 0 };
        let domain = match rng.below(4) {
            0 => Domain::Names((0..2 + rng.below(2)).map(|i| format!("n{i}")).collect()),
            _ => Domain::Range {
                low,
                high: low + rng.between(1, 3),
            },
        };
        system.variables.push(Variable {
            name: format!("v{v}"),
            domain,
        });
    }
    let tokens = rng.between(1, 2);
    if programs + tables < 100 {
        for p in 0..2 {
            system.variables.push(Variable {
                name: format!("c{p}"),
                domain: Domain::Count {
                    bound: rng.chance(50).then_some(tokens as u64),
                },
            });
        }
    }
    let all = system.variables.len();
    if programs > 0 && rng.chance(40) {
        system.fault = Some(VarId(all as u32));
        system.variables.push(Variable {
            name: "fault".to_owned(),
            domain: Domain::Range { low: 0, high: 1 },
        });
    }
    for e in 0..2 + rng.below(5) {
        let kind = rng.below(100);
        let action = if kind < programs {
            program(rng, &system, vars, all)
        } else if kind < programs + tables {
            table(rng, &system, vars)
        } else {
            let (from, to) = if rng.chance(50) {
                (vars, vars + 1)
            } else {
                (vars + 1, vars)
            };
            transition(&[(from, 1, 0), (to, 0, 1)])
        };
        system.events.push(Event {
            name: format!("e{e}"),
            action,
        });
    }
    for _ in 0..1 + rng.below(3) * rng.below(2) {
        let mut state: Vec<Value> = (0..vars).map(|v| any_value(rng, &system, v)).collect();
        if all > vars {
            state.extend([tokens, 0]);
        }
        state.resize(system.variables.len(), 0);
        let state: State = state.into();
        if !system.initial.contains(&state) {
            system.initial.push(state);
        }
    }
    system
}

fn any_value(rng: &mut Rng, system: &System, var: usize) -> Value {
    match &system.variables[var].domain {
        Domain::Range { low, high } => rng.between(*low, *high),
        Domain::Names(names) => rng.below(names.len()) as Value,
        Domain::Count { .. } => rng.between(0, 2),
    }
}

/// An expression over the first `vars` variables.
pub(crate) fn expression(rng: &mut Rng, vars: usize, depth: usize) -> Expr {
    if depth == 0 || rng.chance(30) {
        return match rng.chance(60) {
            true => Expr::Var(VarId(rng.below(vars) as u32)),
            false => Expr::Const(rng.between(-1, 3)),
        };
    }
    match rng.below(10) {
        0 => Expr::Unary(
            *rng.pick(&[UnaryOp::Neg, UnaryOp::Not, UnaryOp::Complement]),
            Box::new(expression(rng, vars, depth - 1)),
        ),
        1 => {
            let first = rng.below(vars);
            Expr::Element {
                first: VarId(first as u32),
                len: 1 + rng.below(vars - first) as u32,
                index: Box::new(expression(rng, vars, depth - 1)),
            }
        }
        _ => {
            use BinaryOp::*;
            let op = *rng.pick(&[
                Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr, Eq, Ne, Lt, Le, Gt, Ge,
                And, Or, Implies, Add, Sub, Eq, Ne, Lt,
            ]);
            let left = expression(rng, vars, depth - 1);
            let right = expression(rng, vars, depth - 1);
            Expr::Binary(op, Box::new(left), Box::new(right))
        }
    }
}

/// A comparison of one or two variables, or something made of such.
fn guard(rng: &mut Rng, vars: usize, depth: usize) -> Predicate {
    match rng.below(if depth == 0 { 6 } else { 9 }) {
        0..3 => Predicate::Linear(linear(rng, vars)),
        3..5 => Predicate::Expr(expression(rng, vars, 2)),
        5 => Predicate::Const(rng.chance(80)),
        6 => Predicate::Not(Box::new(guard(rng, vars, depth - 1))),
        7 => Predicate::And((0..2).map(|_| guard(rng, vars, depth - 1)).collect()),
        _ => Predicate::Or((0..2).map(|_| guard(rng, vars, depth - 1)).collect()),
    }
}

/// `Σ cᵢ·xᵢ ⋈ k` over one or two of the first `vars` variables.
pub(crate) fn linear(rng: &mut Rng, vars: usize) -> Linear {
    let comparison = *rng.pick(&[
        Comparison::Eq,
        Comparison::Ne,
        Comparison::Lt,
        Comparison::Le,
        Comparison::Gt,
        Comparison::Ge,
        Comparison::Ge,
    ]);
    let first = rng.below(vars);
    let mut terms = vec![(VarId(first as u32), if rng.chance(15) { 2 } else { 1 })];
    let mut constant = rng.between(0, 2);
    if rng.chance(35) && vars > 1 {
        let second = (first + 1 + rng.below(vars - 1)) % vars;
        let coefficient = *rng.pick(&[1, 1, -1]);
        terms.push((VarId(second as u32), coefficient));
        if coefficient < 0 {
            constant = 0;
        }
        terms.sort_unstable();
    }
    Linear {
        terms,
        comparison,
        constant,
    }
}

fn program(rng: &mut Rng, system: &System, vars: usize, all: usize) -> Action {
    let guard = guard(rng, all, 1);
    let mut effects = Vec::new();
    for _ in 0..1 + rng.below(2) {
        let target = rng.below(vars);
        // Only ranges wrap: a name is assigned by a constant, and is no part of an assigned array.
        let ranged = |v: usize| matches!(system.variables[v].domain, Domain::Range { .. });
        let run = (target..vars).take_while(|v| ranged(*v)).count();
        effects.push(if run == 0 {
            Effect {
                target: LValue::Var(VarId(target as u32)),
                value: Expr::Const(any_value(rng, system, target)),
            }
        } else if rng.chance(20) {
            Effect {
                target: LValue::Element {
                    first: VarId(target as u32),
                    len: 1 + rng.below(run) as u32,
                    index: expression(rng, all, 1),
                },
                value: expression(rng, all, 1),
            }
        } else {
            Effect {
                target: LValue::Var(VarId(target as u32)),
                value: expression(rng, all, 2),
            }
        });
    }
    Action::Program { guard, effects }
}

fn table(rng: &mut Rng, system: &System, vars: usize) -> Action {
    let mut chosen: Vec<usize> = (0..vars).filter(|_| rng.chance(60)).collect();
    if chosen.is_empty() {
        chosen.push(rng.below(vars));
    }
    let row = |rng: &mut Rng| -> Row {
        chosen
            .iter()
            .map(|&v| {
                let from = any_value(rng, system, v);
                match rng.below(5) {
                    0 => None,
                    1 => Some((from, from)),
                    _ => Some((from, any_value(rng, system, v))),
                }
            })
            .collect()
    };
    let rows = (0..1 + rng.below(4)).map(|_| row(rng)).collect();
    Action::Table {
        vars: chosen.iter().map(|v| VarId(*v as u32)).collect(),
        rows,
    }
}
