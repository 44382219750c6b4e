//! The processes of a program, each as a graph of its locations.
//!
//! Systems do not record processes, so they are recognised: a process is a variable with named
//! values of which guards require one value (`ℓ = a`, as a conjunct) and effects assign another.

use crate::graph::{DrawnGraph, GraphEdge, GraphNode, NodeShape};
use lariat_formats::LoadedModel;
use lariat_formats::dve::{EventSide, Message};
use lariat_model::{
    Action, Assignment, BinaryOp, Domain, Event, Expr, LValue, Predicate, Value, VarId,
};

/// A process.
#[derive(Clone, Debug)]
pub struct Process {
    /// The variable that holds its location, named like the process.
    pub location: VarId,
    /// The locations, in the order of their values, and the steps between them.
    pub graph: DrawnGraph,
}

/// The processes of a model; empty if it is no program.
pub fn processes(model: &LoadedModel) -> Vec<Process> {
    let system = &model.system;
    let is_program = |event: &Event| event.action.is_program();
    if !system.events.iter().any(is_program) {
        return Vec::new();
    }
    let vars = system.var_ids().filter(|var| Some(*var) != system.fault);
    vars.filter_map(|var| process(model, var)).collect()
}

fn process(model: &LoadedModel, location: VarId) -> Option<Process> {
    let system = &model.system;
    let variable = system.variable(location);
    let Domain::Names(names) = &variable.domain else {
        return None;
    };
    let initial = |i: usize| {
        let mut states = system.initial.iter();
        states.any(|state| usize::try_from(state[location.index()]) == Ok(i))
    };
    let node = |(i, name): (usize, &String)| GraphNode {
        lines: vec![name.clone()],
        hint: format!("{}.{name}", variable.name),
        shape: NodeShape::Box,
        initial: initial(i),
        marked: false,
    };
    let mut graph = DrawnGraph {
        nodes: names.iter().enumerate().map(node).collect(),
        ..DrawnGraph::default()
    };
    for event in system.event_ids() {
        let Action::Program {
            guard: Predicate::Expr(guard),
            effects,
        } = &system.event(event).action
        else {
            continue;
        };
        let Some(from) = required(guard, location) else {
            continue;
        };
        let value = |effect: &Assignment| match (&effect.target, &effect.value) {
            (LValue::Var(var), Expr::Const(value)) if *var == location => Some(*value),
            _ => None,
        };
        let assigned = effects.iter().rev().find_map(value);
        // An event that only tests the process, in another one's guard, is not its step.
        let name = &system.event(event).name;
        let own = name.starts_with(&format!("{}:", variable.name))
            || name.contains(&format!("!{}:", variable.name));
        if assigned.is_none() && !own {
            continue;
        }
        let message = model.messages.iter().find(|message| message.event == event);
        let sides =
            |message: &&Message| [message.sender, message.receiver].contains(&Some(location));
        let label = message.filter(sides).map_or(String::new(), |message| {
            let sends = message.sender == Some(location);
            format!("{}{}", message.channel, if sends { '!' } else { '?' })
        });
        let mut own = model.sides.get(event.index()).into_iter().flatten();
        let own = own.find(|side| side.process == location);
        let label = own.map_or(label, side_text);
        let place = |value: Value| usize::try_from(value).ok().filter(|i| *i < names.len());
        if let (Some(from), Some(to)) = (place(from), place(assigned.unwrap_or(from))) {
            let edge = GraphEdge::new(from, to, label);
            if !graph.edges.contains(&edge) {
                graph.edges.push(edge);
            }
        }
    }
    Some(Process { location, graph })
}

/// The guard and the synchronisation of a transition, shortened.
fn side_text(side: &EventSide) -> String {
    /// Limit on the characters of each part.
    const SHOWN: usize = 24;
    let short = |text: &str| match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    let guard = match &*side.guard {
        "" => String::new(),
        guard => format!("[{}]", short(guard)),
    };
    let sync = short(&side.sync);
    let space = if guard.is_empty() || sync.is_empty() {
        ""
    } else {
        " "
    };
    format!("{guard}{space}{sync}")
}

/// The value that a conjunct of the guard requires of the variable.
fn required(guard: &Expr, var: VarId) -> Option<Value> {
    match guard {
        Expr::Binary(BinaryOp::And, left, right) => {
            required(left, var).or_else(|| required(right, var))
        }
        Expr::Binary(BinaryOp::Eq, left, right) => match (&**left, &**right) {
            (Expr::Var(v), Expr::Const(value)) if *v == var => Some(*value),
            _ => None,
        },
        _ => None,
    }
}
