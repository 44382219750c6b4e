//! A structural bound on the number of processes: which processes may occupy which slot.
//!
//! The *population* is the stack of living processes. It is explored with everything else
//! forgotten: a process that creates no others may end whenever its end is reachable; of a process
//! that creates others, its location and those local variables are kept whose values follow from
//! constants (loop counters, parameters). Unknown conditions count as true and as false, so every
//! reachable population is found. If there are too many populations or processes, every slot may be
//! occupied by every process that is created anywhere, up to SPIN's limit of 255.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

use super::ast::*;
use super::graph::{ElementId, ElementKind, Graph};
use lariat_model::BinaryOp;

/// SPIN's limit on living processes.
pub(super) const PROCESSES: usize = 255;
/// Limit on the populations that are explored.
const POPULATIONS: usize = 20_000;
/// Limit on the abstract states of processes.
const STATES: usize = 20_000;

/// The processes that may occupy each slot, and those that do in the beginning.
pub(super) struct Population {
    pub occupants: Vec<Vec<usize>>,
    pub initial: Vec<usize>,
    /// Whether every created process has a slot.
    pub is_bounded: bool,
}

impl Population {
    /// At most this number of slots, with an error where a run needs another one.
    pub fn first(&self, slots: usize) -> Population {
        let mut occupants = self.occupants.clone();
        occupants.truncate(slots.max(self.initial.len()));
        Population {
            occupants,
            initial: self.initial.clone(),
            is_bounded: false,
        }
    }
}

type Values = Vec<Option<i64>>;

/// The abstract state of a process that creates others.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Creator {
    process: usize,
    node: ElementId,
    values: Values,
}

/// A living process.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Member {
    Other(usize),
    /// A creator by its number, and whether it keeps the turn.
    Creator(usize, bool),
}

/// The next actions of a creator, after steps that create no process.
struct Future {
    /// Created processes with their parameters, and the state behind.
    runs: Vec<(usize, Values, Creator)>,
    ends: bool,
    /// Whether it may have to wait before.
    waits: bool,
}

struct Explorer<'m> {
    model: &'m ModelAst,
    graphs: &'m [Graph],
    creates: Vec<bool>,
    ends: Vec<bool>,
    /// Known variables by process.
    tracked: Vec<Vec<VarIndex>>,
    numbers: FxHashMap<Creator, usize>,
    states: Vec<Creator>,
    futures: FxHashMap<usize, Future>,
    work: usize,
}

pub(super) fn population(model: &ModelAst, graphs: &[Graph]) -> Population {
    let count = |(i, p): (usize, &ProcessAst)| std::iter::repeat_n(i, p.active as usize);
    let processes = model.processes.iter().enumerate();
    let initial: Vec<usize> = processes.flat_map(count).collect();
    let mut explorer = Explorer::new(model, graphs);
    match explorer.explore(&initial) {
        Some(occupants) => Population {
            occupants,
            initial,
            is_bounded: true,
        },
        None => {
            let created = explorer.created();
            let mut occupants: Vec<Vec<usize>> = initial.iter().map(|p| vec![*p]).collect();
            occupants.resize(PROCESSES.max(initial.len()), Vec::new());
            for slot in occupants.iter_mut().skip(1) {
                slot.extend(&created);
                slot.sort_unstable();
                slot.dedup();
            }
            Population {
                occupants,
                initial,
                is_bounded: false,
            }
        }
    }
}

/// The process that a statement creates, with its arguments.
pub(super) fn run_of(statement: &Statement) -> Option<(&Ident, &[Expr])> {
    let expr = match &statement.kind {
        StatementKind::Condition(expr) => expr,
        StatementKind::Assign(_, expr) => expr,
        _ => return None,
    };
    match &expr.kind {
        ExprKind::Run(name, arguments) => Some((name, arguments)),
        _ => None,
    }
}

impl<'m> Explorer<'m> {
    fn new(model: &'m ModelAst, graphs: &'m [Graph]) -> Explorer<'m> {
        let basic = |graph: &Graph| -> Vec<Statement> {
            let kinds = graph.elements.iter().map(|e| &e.kind);
            let statements = kinds.filter_map(|kind| match kind {
                ElementKind::Basic(statement) => Some(statement.clone()),
                _ => None,
            });
            statements.collect()
        };
        let creates = graphs
            .iter()
            .map(|g| basic(g).iter().any(|s| run_of(s).is_some()));
        let ends = graphs.iter().map(|g| g.nodes().contains(&g.end));
        let mut explorer = Explorer {
            model,
            graphs,
            creates: creates.collect(),
            ends: ends.collect(),
            tracked: Vec::new(),
            numbers: FxHashMap::default(),
            states: Vec::new(),
            futures: FxHashMap::default(),
            work: 0,
        };
        explorer.tracked = (0..graphs.len()).map(|p| explorer.tracked_by(p)).collect();
        explorer
    }

    /// Scalar local variables, and global ones that only this process assigns, if it is alone.
    fn tracked_by(&self, process: usize) -> Vec<VarIndex> {
        if !self.creates[process] {
            return Vec::new();
        }
        let scalar = |index: &VarIndex| {
            let variable = &self.model.variables[*index];
            variable.len.is_none() && matches!(variable.kind, Type::Range(..) | Type::Mtype(_))
        };
        let ast = &self.model.processes[process];
        let mut tracked: Vec<VarIndex> = ast.variables.iter().copied().filter(scalar).collect();
        let is_run = |name: &str| {
            let all = self.graphs.iter().flat_map(|graph| &graph.elements);
            all.into_iter().any(|e| match &e.kind {
                ElementKind::Basic(statement) => {
                    run_of(statement).is_some_and(|(run, _)| *run.text == *name)
                }
                _ => false,
            })
        };
        if ast.active == 1 && !is_run(&ast.name.text) {
            let others = self
                .graphs
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != process);
            let written: FxHashSet<VarIndex> = others.flat_map(|(_, g)| written(g)).collect();
            let globals = self.model.globals.iter().copied();
            tracked.extend(globals.filter(|g| scalar(g) && !written.contains(g)));
        }
        tracked
    }

    /// All processes that some process creates.
    fn created(&self) -> Vec<usize> {
        let mut created = Vec::new();
        for element in self.graphs.iter().flat_map(|graph| &graph.elements) {
            if let ElementKind::Basic(statement) = &element.kind
                && let Some((name, _)) = run_of(statement)
            {
                created.extend(self.process(name));
            }
        }
        created.sort_unstable();
        created.dedup();
        created
    }

    fn process(&self, name: &Ident) -> Option<usize> {
        let mut processes = self.model.processes.iter();
        processes.position(|p| p.name.text == name.text)
    }

    fn number(&mut self, state: Creator) -> usize {
        if let Some(number) = self.numbers.get(&state) {
            return *number;
        }
        self.states.push(state.clone());
        self.numbers.insert(state, self.states.len() - 1);
        self.states.len() - 1
    }

    fn member(&mut self, process: usize, parameters: &[Option<i64>]) -> Member {
        if !self.creates[process] {
            return Member::Other(process);
        }
        let ast = &self.model.processes[process];
        let tracked = self.tracked[process].clone();
        let mut values: Values = Vec::new();
        for index in &tracked {
            let variable = &self.model.variables[*index];
            let position = ast.parameters.iter().position(|p| p == index);
            let value = match (position, &variable.initial) {
                (Some(i), _) => parameters.get(i).copied().unwrap_or(Some(0)),
                (None, Initial::Value(value)) if !variable.is_assigned => {
                    let known = tracked.iter().copied().zip(values.iter().copied());
                    eval(value, &known.collect())
                }
                _ => Some(0),
            };
            values.push(value.map(|v| wrapped(variable.kind, v)));
        }
        let node = self.graphs[process].start;
        let number = self.number(Creator {
            process,
            node,
            values,
        });
        Member::Creator(number, false)
    }

    /// The occupants of the slots; `None` if there are too many populations or processes.
    fn explore(&mut self, initial: &[usize]) -> Option<Vec<Vec<usize>>> {
        let first: Vec<Member> = initial.iter().map(|p| self.member(*p, &[])).collect();
        let mut occupants: Vec<Vec<usize>> = Vec::new();
        let mut seen: FxHashSet<Vec<Member>> = [first.clone()].into_iter().collect();
        let mut open = VecDeque::from([first]);
        while let Some(members) = open.pop_front() {
            if members.len() > PROCESSES || seen.len() > POPULATIONS {
                return None;
            }
            for (slot, member) in members.iter().enumerate() {
                let process = match member {
                    Member::Other(process) => *process,
                    Member::Creator(number, _) => self.states[*number].process,
                };
                if occupants.len() <= slot {
                    occupants.push(Vec::new());
                }
                if !occupants[slot].contains(&process) {
                    occupants[slot].push(process);
                }
            }
            for next in self.successors(&members)? {
                if seen.insert(next.clone()) {
                    open.push_back(next);
                }
            }
        }
        for slot in &mut occupants {
            slot.sort_unstable();
        }
        Some(occupants)
    }

    fn successors(&mut self, members: &[Member]) -> Option<Vec<Vec<Member>>> {
        let mut next = Vec::new();
        let holder = members
            .iter()
            .position(|m| matches!(m, Member::Creator(_, true)));
        for (slot, member) in members.iter().enumerate() {
            let Member::Creator(number, _) = *member else {
                continue;
            };
            self.look(number)?;
            let future = &self.futures[&number];
            if holder.is_some_and(|h| h != slot && !self.waits(members, h)) {
                continue;
            }
            let runs: Vec<_> = future
                .runs
                .iter()
                .map(|(p, v, s)| (*p, v.clone(), s.clone()))
                .collect();
            for (process, parameters, after) in runs {
                let inside = self.graphs[after.process].elements[after.node].is_inside;
                let mut members: Vec<Member> = members.iter().map(|m| m.released()).collect();
                members[slot] = Member::Creator(self.number(after), inside);
                let child = self.member(process, &parameters);
                members.push(child);
                next.push(members);
            }
        }
        let stays = holder.is_some_and(|h| !self.waits(members, h));
        let ends = match members.last() {
            Some(Member::Other(process)) => self.ends[*process],
            Some(Member::Creator(number, _)) => {
                self.look(*number)?;
                self.futures[number].ends
            }
            None => false,
        };
        if ends && !stays {
            let mut members: Vec<Member> = members.iter().map(|m| m.released()).collect();
            members.pop();
            next.push(members);
        }
        Some(next)
    }

    fn waits(&self, members: &[Member], holder: usize) -> bool {
        match members[holder] {
            Member::Creator(number, _) => self.futures.get(&number).is_none_or(|f| f.waits),
            Member::Other(_) => true,
        }
    }

    /// Finds what a creator may do next.
    fn look(&mut self, number: usize) -> Option<()> {
        if self.futures.contains_key(&number) {
            return Some(());
        }
        let start = self.states[number].clone();
        let mut future = Future {
            runs: Vec::new(),
            ends: false,
            waits: false,
        };
        let mut seen: FxHashSet<Creator> = [start.clone()].into_iter().collect();
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            self.work += 1;
            if self.work > STATES {
                return None;
            }
            self.step(&state, &mut future, &mut |next| {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            });
        }
        self.futures.insert(number, future);
        Some(())
    }

    /// The steps of a creator.
    fn step(&self, state: &Creator, future: &mut Future, add: &mut dyn FnMut(Creator)) {
        let graph = &self.graphs[state.process];
        let tracked = &self.tracked[state.process];
        let known: Known = tracked
            .iter()
            .copied()
            .zip(state.values.iter().copied())
            .collect();
        // Where the turn may be lost.
        future.waits |= !graph.elements[state.node].is_inside;
        let mut leaves = graph.leaves(state.node);
        let mut escapes: Vec<ElementId> = Vec::new();
        for leaf in &leaves {
            escapes.extend(&graph.elements[*leaf].escapes);
        }
        leaves.extend(escapes.iter().flat_map(|escape| graph.leaves(*escape)));
        let verdicts: Vec<Option<bool>> = leaves
            .iter()
            .map(|leaf| executable(&graph.elements[*leaf].kind, &known))
            .collect();
        let some = verdicts.contains(&Some(true));
        future.waits |= !some
            && !leaves
                .iter()
                .any(|leaf| is_else(&graph.elements[*leaf].kind));
        for (leaf, verdict) in leaves.iter().zip(&verdicts) {
            let element = &graph.elements[*leaf];
            if *verdict == Some(false) || some && is_else(&element.kind) {
                continue;
            }
            let node = match element.kind {
                ElementKind::Deterministic(first) => graph.rest(first),
                ElementKind::End => {
                    future.ends = true;
                    continue;
                }
                _ => graph.target(*leaf),
            };
            let mut next = Creator {
                process: state.process,
                node,
                values: state.values.clone(),
            };
            for (target, value) in assigned(&element.kind) {
                let Some(i) = tracked.iter().position(|t| *t == target) else {
                    continue;
                };
                let kind = self.model.variables[target].kind;
                let value = value.and_then(|v| eval(&v, &known));
                next.values[i] = value.map(|v| wrapped(kind, v));
            }
            let run = match &element.kind {
                ElementKind::Basic(statement) => run_of(statement),
                _ => None,
            };
            match run.and_then(|(name, arguments)| Some((self.process(name)?, arguments))) {
                Some((process, arguments)) => {
                    let values = arguments.iter().map(|a| eval(a, &known)).collect();
                    future.runs.push((process, values, next));
                }
                None => add(next),
            }
        }
    }
}

impl Member {
    /// The member after another one has moved.
    fn released(self) -> Member {
        match self {
            Member::Creator(number, _) => Member::Creator(number, false),
            other => other,
        }
    }
}

type Known = FxHashMap<VarIndex, Option<i64>>;

fn is_else(kind: &ElementKind) -> bool {
    matches!(kind, ElementKind::Basic(s) if matches!(s.kind, StatementKind::Else))
}

/// Whether a step is executable, as far as this is known.
fn executable(kind: &ElementKind, known: &Known) -> Option<bool> {
    let ElementKind::Basic(statement) = kind else {
        return match kind {
            ElementKind::Deterministic(_) => None,
            _ => Some(true),
        };
    };
    match &statement.kind {
        StatementKind::Condition(expr) if !matches!(expr.kind, ExprKind::Run(..)) => {
            eval(expr, known).map(|v| v != 0)
        }
        StatementKind::Else | StatementKind::Send(_) | StatementKind::Receive(_) => None,
        _ => Some(true),
    }
}

/// The scalar variables that a step assigns, with their values if these are expressions.
fn assigned(kind: &ElementKind) -> Vec<(VarIndex, Option<Expr>)> {
    match kind {
        ElementKind::Value(target, value) => {
            let span = target.span;
            let kind = ExprKind::Number(*value);
            let value = Expr { kind, span };
            target
                .variable
                .map(|v| (v, Some(value)))
                .into_iter()
                .collect()
        }
        ElementKind::Basic(statement) => match &statement.kind {
            StatementKind::Assign(target, value) => target
                .variable
                .map(|v| (v, Some(value.clone())))
                .into_iter()
                .collect(),
            StatementKind::Receive(receive) => {
                let targets = receive.arguments.iter().filter_map(|a| match a {
                    Argument::Target(Some(target)) => target.variable,
                    _ => None,
                });
                targets.map(|v| (v, None)).collect()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// All variables that a process assigns.
fn written(graph: &Graph) -> Vec<VarIndex> {
    let all = graph.elements.iter().flat_map(|e| assigned(&e.kind));
    all.map(|(variable, _)| variable).collect()
}

fn wrapped(kind: Type, value: i64) -> i64 {
    let (low, high) = match kind {
        Type::Range(low, high) => (low, high),
        _ => (0, 255),
    };
    low + (value - low).rem_euclid(high - low + 1)
}

/// The value of an expression, if it follows from the known variables.
fn eval(expr: &Expr, known: &Known) -> Option<i64> {
    match &expr.kind {
        ExprKind::Number(n) => Some(*n),
        ExprKind::Reference(r) if r.index.is_none() && r.fields.is_empty() => {
            known.get(&r.variable?).copied().flatten()
        }
        ExprKind::Unary(op, x) => Some(op.apply(eval(x, known)?)),
        ExprKind::Binary(op, x, y) => {
            let (x, y) = (eval(x, known), eval(y, known));
            match (op, x, y) {
                (BinaryOp::And, Some(0), _) | (BinaryOp::And, _, Some(0)) => Some(0),
                (BinaryOp::Or, Some(v), _) | (BinaryOp::Or, _, Some(v)) if v != 0 => Some(1),
                _ => op.apply(x?, y?).ok(),
            }
        }
        ExprKind::Conditional(c, x, y) => match eval(c, known)? {
            0 => eval(y, known),
            _ => eval(x, known),
        },
        _ => None,
    }
}
