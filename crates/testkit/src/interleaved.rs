//! Random processes that mostly take local steps, as partial-order reduction expects them.
//!
//! Each process has a location, with which the guards of its events begin, and a variable; some are
//! shared. Some events break the pattern: they test other locations, assign variables of other
//! processes, synchronise two processes, fail, continue as a chain, or test their location last.

use lariat_corpora::Random;
use lariat_model::{
    Action, Assignment, BinaryOp, Chain, ChainChoice, ChainPoint, ChainStep, Comparison, Domain,
    Event, Expr, LValue, Predicate, Proposition, State, System, Value, VarId, Variable,
};

use crate::case::Atom;
use crate::nets::worthwhile;

/// Generates a system with at most `cut` reachable states.
pub fn random(rng: &mut Random, cut: usize) -> System {
    worthwhile(rng, cut, processes)
}

/// Generates an atom about few variables, or about deadlocks.
pub fn atom(rng: &mut Random, system: &System) -> Atom {
    let vars = system.variables.len() as u32;
    let compare = |rng: &mut Random| {
        let comparison = *rng.one_of(&[Comparison::Eq, Comparison::Ne, Comparison::Ge]);
        Predicate::compare(VarId(rng.below(vars)), comparison, rng.between(0, 2))
    };
    let predicate = match rng.below(20) {
        0 => Predicate::Deadlock,
        1..5 => Predicate::And(vec![Predicate::Deadlock, compare(rng)]),
        5..9 => Predicate::And(vec![compare(rng), compare(rng)]),
        9..11 => Predicate::Or(vec![compare(rng), compare(rng)]),
        _ => compare(rng),
    };
    Atom::unnamed(Proposition::State(predicate))
}

/// The variables of the processes: locations, private variables, shared ones.
struct Layout {
    processes: u32,
    locations: Value,
    shared: u32,
}

impl Layout {
    fn location(&self, process: u32) -> VarId {
        VarId(process)
    }

    fn private(&self, process: u32) -> VarId {
        VarId(self.processes + process)
    }

    /// Usually the variable of the process.
    fn variable(&self, rng: &mut Random, process: u32) -> VarId {
        match rng.below(20) {
            0 => self.private(rng.below(self.processes)),
            1..4 => VarId(2 * self.processes + rng.below(self.shared)),
            _ => self.private(process),
        }
    }
}

fn processes(rng: &mut Random) -> System {
    let layout = Layout {
        processes: 2 + rng.below(2),
        locations: rng.between(2, 4),
        shared: 1 + rng.below(2),
    };
    let mut system = System {
        name: "interleaved".to_owned(),
        ..System::default()
    };
    let range = |high: Value| Domain::Range { low: 0, high };
    let mut variable = |name: String, domain| system.variables.push(Variable { name, domain });
    for p in 0..layout.processes {
        variable(format!("l{p}"), range(layout.locations - 1));
    }
    for p in 0..layout.processes {
        variable(format!("x{p}"), range(2));
    }
    for s in 0..layout.shared {
        variable(format!("s{s}"), range(2));
    }
    if rng.percent(40) {
        variable("fault".to_owned(), range(1));
        system.fault = Some(VarId(2 * layout.processes + layout.shared));
    }
    for process in 0..layout.processes {
        for _ in 0..layout.locations + rng.between(0, 2) {
            let name = format!("e{}", system.events.len());
            let action = event(rng, &layout, process);
            system.events.push(Event { name, action });
        }
    }
    let state: State = vec![0; system.variables.len()].into();
    system.initial.push(state);
    system
}

fn event(rng: &mut Random, layout: &Layout, process: u32) -> Action {
    let at = |rng: &mut Random| rng.between(0, layout.locations - 1);
    let own = layout.location(process);
    let mut guard = vec![compare(BinaryOp::Eq, own, at(rng))];
    if rng.percent(40) {
        guard.push(condition(rng, layout, process));
    }
    let mut effects: Vec<Assignment> = (0..rng.below(2))
        .map(|_| assignment(rng, layout, process))
        .collect();
    if rng.percent(90) {
        effects.push(assign(own, Expr::Const(at(rng))));
    }
    let partner = layout.location(rng.below(layout.processes));
    if partner != own && rng.percent(15) {
        let place = rng.below(2_usize);
        guard.insert(place, compare(BinaryOp::Eq, partner, at(rng)));
        effects.push(assign(partner, Expr::Const(at(rng))));
    }
    if rng.percent(4) {
        guard.reverse();
    }
    let guard = Predicate::Expr(all(guard));
    if rng.percent(85) {
        return Action::Program { guard, effects };
    }
    let steps = (0..1 + rng.below(2)).map(|_| ChainStep {
        guard: condition(rng, layout, process),
        effects: vec![
            assignment(rng, layout, process),
            assign(own, Expr::Const(at(rng))),
        ],
        next: None,
    });
    let point = ChainPoint {
        steps: steps.collect(),
        choice: *rng.one_of(&[ChainChoice::Any, ChainChoice::Any, ChainChoice::First]),
    };
    Action::Chain(Box::new(Chain {
        guard,
        effects,
        points: vec![point],
    }))
}

/// A condition on a variable, or on the location of any process.
fn condition(rng: &mut Random, layout: &Layout, process: u32) -> Expr {
    let op = *rng.one_of(&[BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt]);
    let var = match rng.below(8) {
        0 => layout.location(rng.below(layout.processes)),
        _ => layout.variable(rng, process),
    };
    let condition = compare(op, var, rng.between(0, 2));
    match rng.below(12) {
        0 => {
            let other = compare(BinaryOp::Eq, layout.variable(rng, process), 1);
            Expr::Binary(BinaryOp::Or, Box::new(condition), Box::new(other))
        }
        _ => condition,
    }
}

fn assignment(rng: &mut Random, layout: &Layout, process: u32) -> Assignment {
    let target = layout.variable(rng, process);
    let operand = Box::new(Expr::Var(layout.variable(rng, process)));
    let value = match rng.below(10) {
        0 => Expr::Binary(BinaryOp::Div, Box::new(Expr::Const(2)), operand),
        1..4 => Expr::Binary(BinaryOp::Add, operand, Box::new(Expr::Const(1))),
        4 => *operand,
        _ => Expr::Const(rng.between(0, 2)),
    };
    assign(target, value)
}

fn assign(target: VarId, value: Expr) -> Assignment {
    Assignment {
        target: LValue::Var(target),
        value,
    }
}

fn compare(op: BinaryOp, var: VarId, value: Value) -> Expr {
    Expr::Binary(op, Box::new(Expr::Var(var)), Box::new(Expr::Const(value)))
}

fn all(conditions: Vec<Expr>) -> Expr {
    let both = |x, y| Expr::Binary(BinaryOp::And, Box::new(x), Box::new(y));
    conditions
        .into_iter()
        .reduce(both)
        .unwrap_or(Expr::Const(1))
}
