//! Semantics of a [`System`], from the data types of the IR alone.
//!
//! A second implementation, to be compared with `model::semantics`: arithmetic is done in 128 bits
//! and truncated at the end, an event is enabled if it has a successor, faults are `None`.

use lariat_model::{
    Action, Assignment, BinaryOp, Chain, ChainChoice, Comparison, Domain, EventId, Expr, LValue,
    Predicate, Proposition, State, System, UnaryOp, Value,
};

/// Returns the value of an expression; `None` for a fault.
fn value(expr: &Expr, state: &[Value]) -> Option<i128> {
    let wide = match expr {
        Expr::Const(c) => i128::from(*c),
        Expr::Var(v) => i128::from(state[v.index()]),
        Expr::Element { first, len, index } => {
            i128::from(state[slot(first.index(), *len, value(index, state)?)?])
        }
        Expr::Unary(UnaryOp::Neg, x) => -value(x, state)?,
        Expr::Unary(UnaryOp::Not, x) => i128::from(value(x, state)? == 0),
        Expr::Unary(UnaryOp::Complement, x) => -value(x, state)? - 1,
        Expr::Binary(op, x, y) => {
            let x = value(x, state)?;
            // Short-circuit evaluation hides faults of the right operand.
            match op {
                BinaryOp::And if x == 0 => return Some(0),
                BinaryOp::Or if x != 0 => return Some(1),
                BinaryOp::Implies if x == 0 => return Some(1),
                _ => {}
            }
            let y = value(y, state)?;
            match op {
                BinaryOp::AddWide => return Some(x + y),
                BinaryOp::Add => x + y,
                BinaryOp::Sub => x - y,
                BinaryOp::Mul => x * y,
                BinaryOp::Div => x.checked_div(y)?,
                BinaryOp::Rem => x - x.checked_div(y)? * y,
                BinaryOp::BitAnd => x & y,
                BinaryOp::BitOr => x | y,
                BinaryOp::BitXor => x ^ y,
                BinaryOp::Shl if (0..32).contains(&y) => x << y,
                BinaryOp::Shr if (0..32).contains(&y) => x >> y,
                BinaryOp::Shl | BinaryOp::Shr => return None,
                BinaryOp::Eq => i128::from(x == y),
                BinaryOp::Ne => i128::from(x != y),
                BinaryOp::Lt => i128::from(x < y),
                BinaryOp::Le => i128::from(x <= y),
                BinaryOp::Gt => i128::from(x > y),
                BinaryOp::Ge => i128::from(x >= y),
                BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => i128::from(y != 0),
            }
        }
    };
    match expr {
        Expr::Unary(..) | Expr::Binary(..) => Some(truncate(wide)),
        Expr::Const(_) | Expr::Var(_) | Expr::Element { .. } => Some(wide),
    }
}

/// Truncates a result to 32 bits.
fn truncate(wide: i128) -> i128 {
    let half = 1 << 31;
    (wide + half).rem_euclid(2 * half) - half
}

fn slot(first: usize, len: u32, index: i128) -> Option<usize> {
    (0..i128::from(len))
        .contains(&index)
        .then(|| first + index as usize)
}

/// Returns all steps from `state`: pairs of an event and a successor.
pub fn steps(system: &System, state: &[Value]) -> Vec<(EventId, State)> {
    system
        .event_ids()
        .flat_map(|e| after(system, state, e).into_iter().map(move |s| (e, s)))
        .collect()
}

/// Returns the successors of `state` by `event`, without duplicates.
pub fn after(system: &System, state: &[Value], event: EventId) -> Vec<State> {
    if system.fault.is_some_and(|f| state[f.index()] != 0) {
        return vec![];
    }
    let mut found: Vec<State> = Vec::new();
    match &system.events[event.index()].action {
        Action::Net(arcs) => {
            if arcs.iter().all(|a| state[a.var.index()] >= a.need) {
                let mut next: State = state.into();
                for a in arcs {
                    next[a.var.index()] += a.delta;
                }
                found.push(next);
            }
        }
        Action::Table { vars, rows } => {
            for row in rows {
                let matches = |(i, cell): (usize, &Option<(Value, Value)>)| {
                    cell.is_none_or(|(from, _)| state[vars[i].index()] == from)
                };
                if row.iter().enumerate().all(matches) {
                    let mut next: State = state.into();
                    for (i, cell) in row.iter().enumerate() {
                        if let Some((_, to)) = cell {
                            next[vars[i].index()] = *to;
                        }
                    }
                    if !found.contains(&next) {
                        found.push(next);
                    }
                }
            }
        }
        Action::Chain(chain) => found = chained(system, chain, state),
        Action::Program { guard, effects } => {
            let guard = match guard {
                Predicate::Expr(e) => value(e, state).map(|x| x != 0),
                other => Some(satisfies(system, state, other)),
            };
            let mut next: State = state.into();
            let mut ok = guard;
            for effect in effects {
                if ok != Some(true) {
                    break;
                }
                let target = match &effect.target {
                    LValue::Var(v) => Some(v.index()),
                    LValue::Element { first, len, index } => {
                        value(index, &next).and_then(|i| slot(first.index(), *len, i))
                    }
                };
                match (target, value(&effect.value, &next)) {
                    (Some(t), Some(x)) => {
                        next[t] = into_domain(&system.variables[t].domain, x);
                    }
                    _ => ok = None,
                }
            }
            match (ok, system.fault) {
                (Some(true), _) => found.push(next),
                (None, Some(fault)) => {
                    let mut next: State = state.into();
                    next[fault.index()] = 1;
                    found.push(next);
                }
                _ => {}
            }
        }
    }
    found
}

/// The successors of `state` by a chain: a search of pairs of a point and a state.
fn chained(system: &System, chain: &Chain, state: &[Value]) -> Vec<State> {
    let apply = |effects: &[Assignment], from: &[Value]| -> Option<State> {
        let mut next: State = from.into();
        for effect in effects {
            let target = match &effect.target {
                LValue::Var(v) => v.index(),
                LValue::Element { first, len, index } => {
                    slot(first.index(), *len, value(index, &next)?)?
                }
            };
            let x = value(&effect.value, &next)?;
            next[target] = into_domain(&system.variables[target].domain, x);
        }
        Some(next)
    };
    let truth = |guard: &Predicate| match guard {
        Predicate::Expr(e) => value(e, state).map(|x| x != 0),
        other => Some(satisfies(system, state, other)),
    };
    if truth(&chain.guard) == Some(false) {
        return vec![];
    }
    let (mut ends, mut failed) = (Vec::new(), truth(&chain.guard).is_none());
    let mut known: Vec<(Option<u32>, State)> = Vec::new();
    match apply(&chain.effects, state) {
        Some(first) if !failed => known.push((Some(0), first)),
        _ => failed = true,
    }
    let mut i = 0;
    while i < known.len() {
        let (at, here) = known[i].clone();
        i += 1;
        let Some(at) = at else {
            ends.push(here);
            continue;
        };
        let point = &chain.points[at as usize];
        let mut enabled = point
            .steps
            .iter()
            .filter(|s| value(&s.guard, &here) != Some(0));
        let taken: Vec<_> = match point.choice {
            ChainChoice::Any => enabled.collect(),
            ChainChoice::First => enabled.next().into_iter().collect(),
        };
        if taken.is_empty() {
            match point.choice {
                ChainChoice::Any => known.push((None, here)),
                ChainChoice::First => failed = true,
            }
            continue;
        }
        for step in taken {
            let sound = value(&step.guard, &here).is_some();
            match apply(&step.effects, &here).filter(|_| sound) {
                Some(next) if !known.contains(&(step.next, next.clone())) => {
                    known.push((step.next, next));
                }
                Some(_) => {}
                None => failed = true,
            }
        }
    }
    ends.sort();
    ends.dedup();
    if let Some(fault) = system.fault.filter(|_| failed || ends.is_empty()) {
        let mut next: State = state.into();
        next[fault.index()] = 1;
        ends.push(next);
    }
    ends
}

fn into_domain(domain: &Domain, x: i128) -> Value {
    let wrapped = match domain {
        Domain::Range { low, high } => {
            let (low, high) = (i128::from(*low), i128::from(*high));
            low + (x - low).rem_euclid(high - low + 1)
        }
        Domain::Count { .. } | Domain::Names(_) => x,
    };
    wrapped as Value
}

/// Returns whether the comparison holds.
pub(crate) fn compare<T: PartialOrd>(comparison: Comparison, left: T, right: T) -> bool {
    match comparison {
        Comparison::Eq => left == right,
        Comparison::Ne => left != right,
        Comparison::Lt => left < right,
        Comparison::Le => left <= right,
        Comparison::Gt => left > right,
        Comparison::Ge => left >= right,
    }
}

/// Returns whether `state` satisfies the predicate.
pub fn satisfies(system: &System, state: &[Value], predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Const(b) => *b,
        Predicate::Linear(linear) => {
            let mut difference = -i128::from(linear.constant);
            for (v, c) in &linear.terms {
                difference += i128::from(*c) * i128::from(state[v.index()]);
            }
            compare(linear.comparison, difference, 0)
        }
        Predicate::Expr(e) => value(e, state).unwrap_or(0) != 0,
        Predicate::Enabled(events) => events.iter().any(|e| !after(system, state, *e).is_empty()),
        Predicate::Deadlock => steps(system, state).is_empty(),
        Predicate::Not(p) => !satisfies(system, state, p),
        Predicate::And(ps) => !ps.iter().any(|p| !satisfies(system, state, p)),
        Predicate::Or(ps) => !ps.iter().all(|p| !satisfies(system, state, p)),
    }
}

/// Returns the letter of a step: bit `i` is `propositions[i]` for its source and event.
pub fn letter(
    system: &System,
    propositions: &[Proposition],
    state: &[Value],
    event: Option<EventId>,
) -> u64 {
    let mut letter = 0;
    for (i, proposition) in propositions.iter().enumerate() {
        let holds = match proposition {
            Proposition::State(p) => satisfies(system, state, p),
            Proposition::Fires(events) => event.is_some_and(|e| events.contains(&e)),
        };
        letter |= u64::from(holds) << i;
    }
    letter
}
