//! Random systems and predicates for the tests of this folder.

use lariat_model::{
    Action, Arc, BinaryOp, Comparison, Domain, Effect, Event, EventId, Expr, LValue, Linear,
    Predicate, System, UnaryOp, Value, VarId, Variable,
};

/// A small generator of pseudo-random numbers (xorshift).
pub(crate) struct Random(u64);

impl Random {
    /// From the environment variable `LARIAT_SEED`, else always the same.
    pub(crate) fn seeded() -> Random {
        Random(lariat_corpora::seed(20_261_115) | 1)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % n.max(1) as u64) as usize
    }

    pub(crate) fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn between(&mut self, low: Value, high: Value) -> Value {
        low + self.below((high - low + 1) as usize) as Value
    }
}

/// How many cases a campaign runs: scaled by `LARIAT_CASES` (in percent).
pub(crate) fn cases(usual: usize) -> usize {
    usual * lariat_corpora::cases(100) / 100
}

fn variable(i: usize, domain: Domain) -> Variable {
    Variable {
        name: format!("v{i}"),
        domain,
    }
}

/// A net with a few places whose transitions seldom make tokens.
pub(crate) fn random_net(random: &mut Random) -> System {
    let places = 1 + random.below(7);
    let mut system = System {
        variables: (0..places)
            .map(|i| variable(i, Domain::Count { bound: None }))
            .collect(),
        initial: vec![(0..places).map(|_| random.between(0, 3) / 2).collect()],
        ..System::default()
    };
    for t in 0..1 + random.below(8) {
        let mut change = vec![(0, 0); places];
        let ins = random.below(4);
        for _ in 0..ins {
            change[random.below(places)].0 += 1;
        }
        let more = usize::from(random.chance(10));
        let outs = random.below(ins + 1 + more);
        for _ in 0..outs {
            change[random.below(places)].1 += 1;
        }
        let arcs = change
            .iter()
            .enumerate()
            .filter(|(_, c)| **c != (0, 0))
            .map(|(p, (need, out))| Arc {
                var: VarId(p as u32),
                need: *need,
                delta: out - need,
            })
            .collect();
        system.events.push(Event {
            name: format!("t{t}"),
            action: Action::Net(arcs),
        });
    }
    system
}

/// A system with nets, tables and programs over small ranges, with or without a fault variable.
pub(crate) fn random_system(random: &mut Random) -> System {
    if random.chance(3) {
        return random_net(random);
    }
    let n = 2 + random.below(4);
    let mut system = System::default();
    for i in 0..n {
        let domain = match random.below(4) {
            0 => Domain::Count { bound: None },
            1 => Domain::Names(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]),
            _ => {
                let low = random.between(-1, 1);
                Domain::Range {
                    low,
                    high: low + random.between(1, 3),
                }
            }
        };
        system.variables.push(variable(i, domain));
    }
    if random.chance(2) {
        system.fault = Some(VarId(n as u32));
        let domain = Domain::Range { low: 0, high: 1 };
        system.variables.push(variable(n, domain));
    }
    for _ in 0..1 + random.below(2) {
        let mut state: Vec<Value> = (0..n).map(|i| random_value(random, &system, i)).collect();
        if system.fault.is_some() {
            state.push(0);
        }
        system.initial.push(state.into());
    }
    for e in 0..1 + random.below(5) {
        let action = match random.below(3) {
            0 => random_table(random, &system, n),
            1 => {
                let counts: Vec<VarId> = (0..n as u32)
                    .map(VarId)
                    .filter(|v| matches!(system.variable(*v).domain, Domain::Count { .. }))
                    .collect();
                let arcs = counts.iter().map(|var| {
                    let need = random.between(0, 1);
                    Arc {
                        var: *var,
                        need,
                        delta: -random.between(0, need),
                    }
                });
                Action::Net(arcs.collect())
            }
            _ => random_program(random, &system, n),
        };
        system.events.push(Event {
            name: format!("e{e}"),
            action,
        });
    }
    system
}

fn random_value(random: &mut Random, system: &System, var: usize) -> Value {
    match &system.variables[var].domain {
        Domain::Count { .. } => random.between(0, 3),
        Domain::Range { low, high } => random.between(*low, *high),
        Domain::Names(names) => random.below(names.len()) as Value,
    }
}

fn random_table(random: &mut Random, system: &System, n: usize) -> Action {
    let vars: Vec<VarId> = (0..n as u32)
        .map(VarId)
        .filter(|_| random.chance(2))
        .collect();
    let rows = (0..random.below(6))
        .map(|_| {
            vars.iter()
                .map(|v| {
                    (!random.chance(4)).then(|| {
                        (
                            random_value(random, system, v.index()),
                            random_value(random, system, v.index()),
                        )
                    })
                })
                .collect()
        })
        .collect();
    Action::Table { vars, rows }
}

fn random_program(random: &mut Random, system: &System, n: usize) -> Action {
    // Only ranges wrap, so only they are assigned.
    let targets: Vec<VarId> = (0..n as u32)
        .map(VarId)
        .filter(|v| matches!(system.variable(*v).domain, Domain::Range { .. }))
        .collect();
    let guard = if random.chance(2) {
        Predicate::Expr(random_expr(random, n, 2))
    } else {
        Predicate::Linear(random_linear(random, n))
    };
    let mut effects = Vec::new();
    for _ in 0..random.below(3) {
        let Some(var) = targets.get(random.below(targets.len())) else {
            break;
        };
        let next = VarId(var.0 + 1);
        let target = if random.chance(4) && targets.contains(&next) {
            LValue::Element {
                first: *var,
                len: 2,
                index: random_expr(random, n, 1),
            }
        } else {
            LValue::Var(*var)
        };
        effects.push(Effect {
            target,
            value: random_expr(random, n, 2),
        });
    }
    Action::Program { guard, effects }
}

fn random_linear(random: &mut Random, n: usize) -> Linear {
    let comparisons = [
        Comparison::Eq,
        Comparison::Ne,
        Comparison::Lt,
        Comparison::Le,
        Comparison::Gt,
        Comparison::Ge,
    ];
    let mut terms = Vec::new();
    for v in 0..n as u32 {
        let c = random.between(-2, 2);
        if c != 0 && random.chance(2) {
            terms.push((VarId(v), c));
        }
    }
    Linear {
        terms,
        comparison: comparisons[random.below(6)],
        constant: random.between(-2, 4),
    }
}

fn random_expr(random: &mut Random, n: usize, depth: usize) -> Expr {
    use BinaryOp::*;
    let ops = [
        Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr, Eq, Ne, Lt, Le, Gt, Ge, And, Or,
        Implies, Eq, Ne, Lt, Le, Gt, Ge, And, Or,
    ];
    match random.below(if depth == 0 { 2 } else { 7 }) {
        0 => Expr::Const(random.between(-1, 3)),
        1 => Expr::Var(VarId(random.below(n) as u32)),
        2 => {
            let len = 1 + random.below(n.min(3));
            Expr::Element {
                first: VarId(random.below(n - len + 1) as u32),
                len: len as u32,
                index: Box::new(random_expr(random, n, depth - 1)),
            }
        }
        3 => {
            let op = [UnaryOp::Neg, UnaryOp::Not, UnaryOp::Complement][random.below(3)];
            Expr::Unary(op, Box::new(random_expr(random, n, depth - 1)))
        }
        _ => Expr::Binary(
            ops[random.below(ops.len())],
            Box::new(random_expr(random, n, depth - 1)),
            Box::new(random_expr(random, n, depth - 1)),
        ),
    }
}

/// Any kind of predicate over the system.
pub(crate) fn random_predicate(random: &mut Random, system: &System, depth: usize) -> Predicate {
    let n = system.variables.len();
    let several = |random: &mut Random| {
        (0..random.below(4))
            .map(|_| random_predicate(random, system, depth - 1))
            .collect()
    };
    match random.below(if depth == 0 { 6 } else { 9 }) {
        0 => Predicate::Const(random.chance(2)),
        1 | 2 => Predicate::Linear(random_linear(random, n)),
        3 => Predicate::Expr(random_expr(random, n, 2)),
        4 => Predicate::Enabled(
            (0..random.below(3))
                .map(|_| EventId(random.below(system.events.len()) as u32))
                .collect(),
        ),
        5 => Predicate::Deadlock,
        6 => Predicate::Not(Box::new(random_predicate(random, system, depth - 1))),
        7 => Predicate::And(several(random)),
        _ => Predicate::Or(several(random)),
    }
}
