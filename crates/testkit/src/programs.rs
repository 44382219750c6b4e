//! Random systems beyond nets: programs, tables, and systems with all kinds of events.
//!
//! Programs have ranges that wrap (some below zero), arrays, and expressions that may fault, with
//! and without a fault variable. Tables are nondeterministic, with rows that only test and cells
//! that neither read nor write. There may be several initial states.

use crate::nets::{transition, worthwhile};
use crate::predicates::{expression, guard};
use lariat_corpora::Random;
use lariat_model::{
    Action, Assignment, Domain, Event, Expr, LValue, Row, State, System, Value, VarId, Variable,
};

/// Generates a system with at most `cut` reachable states.
pub fn random(rng: &mut Random, cut: usize) -> System {
    let family = *rng.one_of(&[PROGRAMS, TABLES, MIXTURE]);
    worthwhile(rng, cut, |rng| mixture(rng, &family))
}

/// Generates a system of any size, often with few steps, for tests of single steps. Tables may also
/// write places, so that it may be unbounded.
pub fn any(rng: &mut Random) -> System {
    let family = *rng.one_of(&[PROGRAMS, TABLES, MIXTURE, FREE]);
    mixture(rng, &family)
}

/// Probabilities of the kinds of events.
#[derive(Clone, Copy)]
struct Family {
    name: &'static str,
    /// Percentage of programs.
    programs: usize,
    /// Percentage of tables. The other events are transitions of a net.
    tables: usize,
    /// True if tables also read and write places.
    places_in_tables: bool,
}

const PROGRAMS: Family = Family {
    name: "programs",
    programs: 100,
    tables: 0,
    places_in_tables: false,
};

const TABLES: Family = Family {
    name: "tables",
    programs: 0,
    tables: 100,
    ..PROGRAMS
};

const MIXTURE: Family = Family {
    name: "mixture",
    programs: 40,
    tables: 40,
    ..PROGRAMS
};

const FREE: Family = Family {
    name: "free",
    places_in_tables: true,
    ..MIXTURE
};

/// Generates variables `v0…` with ranges or names. If there may be net transitions, they move
/// tokens between places `c0` and `c1`.
fn mixture(rng: &mut Random, family: &Family) -> System {
    let (programs, tables) = (family.programs, family.tables);
    let mut system = System {
        name: family.name.to_owned(),
        ..System::default()
    };
    let variable = |name: String, domain| Variable { name, domain };
    let vars = 2 + rng.below(3);
    for v in 0..vars {
        let low = if rng.percent(25) { -1 } else { 0 };
        let domain = match rng.below(4) {
            0 => Domain::Names((0..2 + rng.below(2)).map(|i| format!("n{i}")).collect()),
            _ => Domain::Range {
                low,
                high: low + rng.between(1, 3),
            },
        };
        system.variables.push(variable(format!("v{v}"), domain));
    }
    let tokens = rng.between(1, 2);
    if programs + tables < 100 {
        for p in 0..2 {
            let bound = (!family.places_in_tables && rng.coin()).then_some(tokens as u64);
            let domain = Domain::Count { bound };
            system.variables.push(variable(format!("c{p}"), domain));
        }
    }
    let all = system.variables.len();
    if programs > 0 && rng.percent(40) {
        system.fault = Some(VarId(all as u32));
        let domain = Domain::Range { low: 0, high: 1 };
        system.variables.push(variable("fault".to_owned(), domain));
    }
    for e in 0..2 + rng.below(5) {
        let kind = rng.below(100);
        let action = if kind < programs {
            program(rng, &system, vars, all)
        } else if kind < programs + tables {
            let width = if family.places_in_tables { all } else { vars };
            table(rng, &system, width)
        } else {
            let places = [vars, vars + 1];
            let to = usize::from(rng.percent(50));
            transition(&[(places[1 - to], 1, 0), (places[to], 0, 1)])
        };
        let name = format!("e{e}");
        system.events.push(Event { name, action });
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

fn any_value(rng: &mut Random, system: &System, var: usize) -> Value {
    match &system.variables[var].domain {
        Domain::Range { low, high } => rng.between(*low, *high),
        Domain::Names(names) => rng.below(names.len()) as Value,
        Domain::Count { .. } => rng.between(0, 2),
    }
}

fn program(rng: &mut Random, system: &System, vars: usize, all: usize) -> Action {
    let guard = guard(rng, all, 1);
    let mut effects = Vec::new();
    for _ in 0..1 + rng.below(2) {
        let target = rng.below(vars);
        // Only ranges wrap: a name is assigned a constant, and is not part of an assigned array.
        let ranged = |v: usize| matches!(system.variables[v].domain, Domain::Range { .. });
        let run = (target..vars).take_while(|v| ranged(*v)).count();
        let first = VarId(target as u32);
        let (target, value) = if run == 0 {
            let value = Expr::Const(any_value(rng, system, target));
            (LValue::Var(first), value)
        } else if rng.percent(20) {
            let len = 1 + rng.below(run) as u32;
            let index = expression(rng, all, 1);
            let element = LValue::Element { first, len, index };
            (element, expression(rng, all, 1))
        } else {
            (LValue::Var(first), expression(rng, all, 2))
        };
        effects.push(Assignment { target, value });
    }
    Action::Program { guard, effects }
}

fn table(rng: &mut Random, system: &System, vars: usize) -> Action {
    let mut chosen: Vec<usize> = (0..vars).filter(|_| rng.percent(60)).collect();
    if chosen.is_empty() {
        chosen.push(rng.below(vars));
    }
    let row = |rng: &mut Random| -> Row {
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
