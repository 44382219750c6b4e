//! Programs and tables in flat form.
//!
//! Most events of a program start with a test `x = k` of a location, so events are sorted by such a
//! *gate*; one indexed jump on the value of `x` skips those whose gate is closed. A table is split
//! by the values of one of its columns, and each part gets its gate. The rest of a guard and the
//! right-hand sides become [code](super::code). Assignments are executed on the values of the state
//! in focus, and undone when the successor is packed.

use super::code::{Code, Range, part};
use super::guard_test::{Body, GuardTest, bodies, near, simple};
use super::states::{Focus, StateTable};
use lariat_budget::Stop;
use lariat_model::{
    BinaryOp, Chain, ChainEnds, Domain, EvalError, EventId, LValue, Predicate, System, Value, VarId,
};
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
enum Test {
    /// x ⋈ k
    Simple(BinaryOp, u32, Value),
    /// The value of the code is not 0.
    Code(Range),
    /// A guard that is not an expression: it cannot fail, and is interpreted.
    Predicate(Predicate),
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Var(u32),
    Element { first: u32, len: u32, index: Range },
}

#[derive(Clone, Copy, Debug)]
struct Assign {
    target: Target,
    value: Range,
}

/// One cell of a row: the variable must be `from` and becomes `to`.
#[derive(Clone, Copy, Debug)]
struct Cell {
    var: u32,
    from: Value,
    to: Value,
}

/// Continues at the entry of `jumps` for the value of `var` less `low`; at `end` if there is none.
#[derive(Clone, Copy, Debug)]
struct Jump {
    var: u32,
    low: Value,
    jumps: Range,
    end: u32,
}

/// Instructions that enumerate the successors of a state, in order.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Skips closed gates.
    Jump(Jump),
    Goto(u32),
    Program {
        event: EventId,
        tests: Range,
        assigns: Range,
    },
    /// Steps without interruption, by their position.
    Chain {
        event: EventId,
        chain: u32,
    },
    /// Rows, as ranges of cells.
    Table {
        event: EventId,
        rows: Range,
    },
}

/// The events with a gate `var = value`, and their steps.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    pub var: VarId,
    pub value: Value,
    pub steps: Range,
    pub events: Vec<EventId>,
}

#[derive(Debug)]
pub(super) struct Compiled {
    steps: Vec<Step>,
    jumps: Vec<u32>,
    /// Jump and end of each group of gated steps, in increasing order.
    groups: Vec<(u32, u32)>,
    /// Each gate with its steps.
    gates: Vec<(GuardTest, Range)>,
    code: Code,
    tests: Vec<Test>,
    assigns: Vec<Assign>,
    rows: Vec<Range>,
    cells: Vec<Cell>,
    chains: Vec<Chain>,
    /// For each event, its steps, each with its gate.
    entries: Vec<Vec<(Option<GuardTest>, u32)>>,
    /// The range of each variable that has one: assigned values outside wrap around.
    ranges: Vec<(Value, Value)>,
    fault: Option<VarId>,
}

impl Compiled {
    pub fn new(system: &System) -> Compiled {
        let range = |domain: &Domain| match domain {
            Domain::Range { low, high } => (*low, *high),
            _ => (Value::MIN, Value::MAX),
        };
        let mut compiled = Compiled {
            steps: Vec::new(),
            jumps: Vec::new(),
            groups: Vec::new(),
            gates: Vec::new(),
            code: Code::default(),
            tests: Vec::new(),
            assigns: Vec::new(),
            rows: Vec::new(),
            cells: Vec::new(),
            chains: Vec::new(),
            entries: vec![Vec::new(); system.events.len()],
            ranges: system.variables.iter().map(|v| range(&v.domain)).collect(),
            fault: system.fault,
        };
        let mut open = Vec::new();
        let mut gated: BTreeMap<u32, BTreeMap<Value, Vec<(EventId, Body)>>> = BTreeMap::new();
        for event in system.event_ids() {
            for (gate, body) in bodies(&system.event(event).action) {
                match gate {
                    None => open.push((event, body)),
                    Some((var, value)) => {
                        let values = gated.entry(var).or_default();
                        values.entry(value).or_default().push((event, body));
                    }
                }
            }
        }
        for (event, body) in open {
            compiled.body(None, event, body);
        }
        for (var, values) in gated {
            for group in near(values) {
                compiled.group(var, group);
            }
        }
        compiled
    }

    /// Compiles the events with a gate on `var`, behind one jump.
    fn group(&mut self, var: u32, group: Vec<(Value, Vec<(EventId, Body)>)>) {
        let low = group.first().map_or(0, |(value, _)| *value);
        let jump = self.steps.len();
        self.steps.push(Step::Goto(0));
        let mut starts = Vec::new();
        let mut exits = Vec::new();
        for (value, bodies) in group {
            starts.push((value, self.steps.len() as u32));
            for (event, body) in bodies {
                self.body(Some((var, value)), event, body);
            }
            let start = starts.last().map_or(0, |(_, start)| *start);
            let steps = (start, self.steps.len() as u32);
            self.gates.push(((var, value), steps));
            exits.push(self.steps.len());
            self.steps.push(Step::Goto(0));
        }
        let end = self.steps.len() as u32;
        self.groups.push((jump as u32, end));
        for at in exits {
            self.steps[at] = Step::Goto(end);
        }
        let first = self.jumps.len();
        for (value, at) in starts {
            self.jumps.resize(first + (value - low) as usize, end);
            self.jumps.push(at);
        }
        let jumps = (first as u32, self.jumps.len() as u32);
        self.steps[jump] = Step::Jump(Jump {
            var,
            low,
            jumps,
            end,
        });
    }

    fn body(&mut self, gate: Option<GuardTest>, event: EventId, body: Body) {
        self.entries[event.index()].push((gate, self.steps.len() as u32));
        match body {
            Body::Program(conjuncts, predicate, effects) => {
                let start = self.tests.len() as u32;
                self.tests
                    .extend(predicate.map(|p| Test::Predicate(p.clone())));
                for conjunct in conjuncts {
                    let test = match simple(conjunct) {
                        Some((op, var, k)) => Test::Simple(op, var, k),
                        None => Test::Code(self.code.add(conjunct)),
                    };
                    self.tests.push(test);
                }
                let tests = (start, self.tests.len() as u32);
                let start = self.assigns.len() as u32;
                for effect in effects {
                    let target = match &effect.target {
                        LValue::Var(var) => Target::Var(var.0),
                        LValue::Element { first, len, index } => Target::Element {
                            first: first.0,
                            len: *len,
                            index: self.code.add(index),
                        },
                    };
                    let value = self.code.add(&effect.value);
                    self.assigns.push(Assign { target, value });
                }
                self.steps.push(Step::Program {
                    event,
                    tests,
                    assigns: (start, self.assigns.len() as u32),
                });
            }
            Body::Chain(chain) => {
                self.chains.push(chain.clone());
                let chain = self.chains.len() as u32 - 1;
                self.steps.push(Step::Chain { event, chain });
            }
            Body::Table(vars, rows) => {
                let first = self.rows.len() as u32;
                for row in rows {
                    let start = self.cells.len() as u32;
                    let cells = vars.iter().zip(row.iter());
                    self.cells.extend(cells.filter_map(|(var, cell)| {
                        let (from, to) = (*cell)?;
                        let var = var.0;
                        Some(Cell { var, from, to })
                    }));
                    self.rows.push((start, self.cells.len() as u32));
                }
                self.steps.push(Step::Table {
                    event,
                    rows: (first, self.rows.len() as u32),
                });
            }
        }
    }

    #[inline]
    fn enabled(
        &self,
        tests: Range,
        values: &[Value],
        stack: &mut Vec<Value>,
        holds: impl Fn(&Predicate) -> bool,
    ) -> Result<bool, EvalError> {
        for test in part(&self.tests, tests) {
            let passed = match test {
                Test::Simple(op, var, k) => compare(*op, values[*var as usize], *k),
                Test::Code(code) => self.code.eval(*code, values, stack)? != 0,
                Test::Predicate(predicate) => holds(predicate),
            };
            if !passed {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Prepares the next successor of the state in focus, from step `at` on and before `end`;
    /// `holds` interprets predicates.
    pub fn next(
        &self,
        states: &mut StateTable,
        at: &mut u32,
        end: u32,
        choice: &mut u32,
        holds: impl Fn(&Predicate, &Focus) -> bool,
    ) -> Result<Option<EventId>, Stop> {
        while *at < end
            && let Some(step) = self.steps.get(*at as usize)
        {
            match *step {
                Step::Goto(to) => *at = to,
                Step::Jump(jump) => *at = self.jump(jump, &states.focus.values),
                Step::Program {
                    event,
                    tests,
                    assigns,
                } => {
                    *at += 1;
                    let focus = &states.focus;
                    let stack = &mut states.scratch.stack;
                    stack.clear();
                    let enabled = self.enabled(tests, &focus.values, stack, |p| holds(p, focus));
                    let is_prepared = match enabled {
                        Ok(enabled) => enabled && self.fire(states, assigns)?,
                        Err(_) => self.fail(states)?,
                    };
                    if is_prepared {
                        return Ok(Some(event));
                    }
                }
                Step::Chain { event, chain } => {
                    let ends = self.chain(chain, &states.focus.values);
                    let failed = ends.fails && self.fault.is_some();
                    if let Some(changes) = ends.ends.get(*choice as usize) {
                        *choice += 1;
                        let assigned = changes.iter().map(|(var, value)| (var.0, *value));
                        states.scratch.assigned.clear();
                        states.scratch.assigned.extend(assigned);
                        states.pack()?;
                        return Ok(Some(event));
                    }
                    if failed && *choice as usize == ends.ends.len() {
                        *choice += 1;
                        self.fail(states)?;
                        return Ok(Some(event));
                    }
                    *at += 1;
                    *choice = 0;
                }
                Step::Table { event, rows } => {
                    let all = part(&self.rows, rows);
                    let rest = all.get(*choice as usize..).unwrap_or_default();
                    let values = &states.focus.values;
                    let Some(skipped) = rest.iter().position(|r| self.matches(*r, values)) else {
                        *at += 1;
                        *choice = 0;
                        continue;
                    };
                    *choice += skipped as u32 + 1;
                    let row = rest[skipped];
                    self.apply(states, row)?;
                    return Ok(Some(event));
                }
            }
        }
        Ok(None)
    }

    /// A step at which an iteration may begin in every state: `at` itself, or the end of the gated
    /// group that contains it.
    pub fn entrance(&self, at: u32) -> u32 {
        let is_before = |group: &(u32, u32)| group.1 <= at;
        let group = self.groups.partition_point(is_before);
        match self.groups.get(group) {
            Some((jump, end)) if *jump < at => *end,
            _ => at,
        }
    }

    #[inline]
    fn jump(&self, jump: Jump, values: &[Value]) -> u32 {
        let offset = values[jump.var as usize].wrapping_sub(jump.low) as u64;
        usize::try_from(offset)
            .ok()
            .and_then(|offset| part(&self.jumps, jump.jumps).get(offset).copied())
            .unwrap_or(jump.end)
    }

    fn chain(&self, chain: u32, values: &[Value]) -> ChainEnds {
        let wrapped = |var: VarId, value: Value| {
            let (low, high) = self.ranges[var.index()];
            match (low..=high).contains(&value) {
                true => value,
                false => wrap(low, high, value),
            }
        };
        self.chains[chain as usize].ends(wrapped, |var| values[var.index()])
    }

    #[inline]
    fn matches(&self, row: Range, values: &[Value]) -> bool {
        let cells = part(&self.cells, row);
        cells.iter().all(|c| values[c.var as usize] == c.from)
    }

    /// Returns whether an enabled event satisfies `is_wanted`, which is called with the enabled
    /// events, some more than once, until it returns true.
    pub fn some(
        &self,
        values: &[Value],
        holds: impl Fn(&Predicate) -> bool,
        mut is_wanted: impl FnMut(EventId) -> bool,
    ) -> bool {
        let mut stack = Vec::new();
        let mut at = 0;
        while let Some(step) = self.steps.get(at as usize) {
            at += 1;
            match *step {
                Step::Goto(to) => at = to,
                Step::Jump(jump) => at = self.jump(jump, values),
                step @ (Step::Program { event, .. }
                | Step::Chain { event, .. }
                | Step::Table { event, .. }) => {
                    if self.can(step, values, &mut stack, &holds) && is_wanted(event) {
                        return true;
                    }
                }
            }
        }
        false
    }

    pub fn is_enabled(
        &self,
        event: EventId,
        values: &[Value],
        holds: impl Fn(&Predicate) -> bool,
    ) -> bool {
        let mut stack = Vec::new();
        self.entries[event.index()].iter().any(|(gate, at)| {
            gate.is_none_or(|(var, value)| values[var as usize] == value)
                && self.can(self.steps[*at as usize], values, &mut stack, &holds)
        })
    }

    /// All gates with their events.
    pub fn gates(&self) -> Vec<Gate> {
        let event = |step: &Step| match *step {
            Step::Goto(_) | Step::Jump(_) => None,
            Step::Program { event, .. } | Step::Chain { event, .. } | Step::Table { event, .. } => {
                Some(event)
            }
        };
        let gates = self.gates.iter();
        gates
            .map(|((var, value), steps)| Gate {
                var: VarId(*var),
                value: *value,
                steps: *steps,
                events: part(&self.steps, *steps).iter().filter_map(event).collect(),
            })
            .collect()
    }

    /// Returns whether step `at` behind an open gate is enabled.
    pub fn can_take(
        &self,
        at: u32,
        values: &[Value],
        stack: &mut Vec<Value>,
        holds: impl Fn(&Predicate) -> bool,
    ) -> bool {
        self.can(self.steps[at as usize], values, stack, &holds)
    }

    /// Returns whether a step behind an open gate is enabled.
    fn can(
        &self,
        step: Step,
        values: &[Value],
        stack: &mut Vec<Value>,
        holds: impl Fn(&Predicate) -> bool,
    ) -> bool {
        match step {
            Step::Goto(_) | Step::Jump(_) => false,
            Step::Program { tests, assigns, .. } => {
                stack.clear();
                match self.enabled(tests, values, stack, holds) {
                    Ok(enabled) => enabled && (self.fault.is_some() || self.ends(assigns, values)),
                    Err(_) => self.fault.is_some(),
                }
            }
            Step::Chain { chain, .. } => {
                let ends = self.chain(chain, values);
                !ends.ends.is_empty() || ends.fails && self.fault.is_some()
            }
            Step::Table { rows, .. } => {
                let mut rows = part(&self.rows, rows).iter();
                rows.any(|row| self.matches(*row, values))
            }
        }
    }

    /// Returns whether no assignment fails.
    fn ends(&self, assigns: Range, values: &[Value]) -> bool {
        let mut assigns = part(&self.assigns, assigns).iter();
        let is_total = |assign: &Assign| {
            matches!(assign.target, Target::Var(_)) && self.code.is_total(assign.value)
        };
        if assigns.clone().all(is_total) {
            return true;
        }
        let (mut next, mut stack) = (values.to_vec(), Vec::new());
        assigns.all(|assign| {
            let assigned = self.assign(assign, &next, &mut stack);
            assigned.map(|(var, value, _)| next[var] = value).is_ok()
        })
    }

    /// Prepares the successor by some assignments; false if one fails and the system has no fault
    /// variable.
    #[inline]
    fn fire(&self, states: &mut StateTable, assigns: Range) -> Result<bool, Stop> {
        let (values, scratch) = (&mut states.focus.values, &mut states.scratch);
        scratch.undo.clear();
        let (mut failed, mut overflow) = (false, None);
        for assign in part(&self.assigns, assigns) {
            let Ok((var, value, wrapped)) = self.assign(assign, values, &mut scratch.stack) else {
                failed = true;
                break;
            };
            if wrapped {
                overflow.get_or_insert(VarId(var as u32));
            }
            let old = std::mem::replace(&mut values[var], value);
            scratch.undo.push((var as u32, old));
        }
        scratch.assigned.clear();
        let changed = scratch.undo.iter();
        let became = changed.map(|(var, _)| (*var, values[*var as usize]));
        scratch.assigned.extend(became);
        for (var, old) in scratch.undo.iter().rev() {
            values[*var as usize] = *old;
        }
        if let Some(var) = overflow {
            states.overflows(var);
        }
        if failed {
            return self.fail(states);
        }
        states.pack()?;
        Ok(true)
    }

    /// Evaluates an assignment: the variable, its new value, and whether this was wrapped around.
    #[inline]
    fn assign(
        &self,
        assign: &Assign,
        next: &[Value],
        stack: &mut Vec<Value>,
    ) -> Result<(usize, Value, bool), EvalError> {
        let var = match assign.target {
            Target::Var(var) => var as usize,
            Target::Element { first, len, index } => {
                let i = self.code.eval(index, next, stack)?;
                if i < 0 || i >= Value::from(len) {
                    return Err(EvalError::Index);
                }
                first as usize + i as usize
            }
        };
        let value = self.code.eval(assign.value, next, stack)?;
        let (low, high) = self.ranges[var];
        Ok(if (low..=high).contains(&value) {
            (var, value, false)
        } else {
            (var, wrap(low, high, value), true)
        })
    }

    /// Prepares the state after a fault; false if the system has no fault variable.
    #[cold]
    fn fail(&self, states: &mut StateTable) -> Result<bool, Stop> {
        let Some(fault) = self.fault else {
            return Ok(false);
        };
        states.scratch.assigned.clear();
        states.scratch.assigned.push((fault.0, 1));
        states.pack()?;
        Ok(true)
    }

    fn apply(&self, states: &mut StateTable, row: Range) -> Result<(), Stop> {
        states.scratch.assigned.clear();
        let cells = part(&self.cells, row).iter();
        states.scratch.assigned.extend(cells.map(|c| (c.var, c.to)));
        states.pack()
    }
}

#[cold]
fn wrap(low: Value, high: Value, value: Value) -> Value {
    let size = i128::from(high) - i128::from(low) + 1;
    let offset = (i128::from(value) - i128::from(low)).rem_euclid(size);
    (i128::from(low) + offset) as Value
}

#[inline]
fn compare(op: BinaryOp, x: Value, k: Value) -> bool {
    match op {
        BinaryOp::Eq => x == k,
        BinaryOp::Ne => x != k,
        BinaryOp::Lt => x < k,
        BinaryOp::Le => x <= k,
        BinaryOp::Gt => x > k,
        _ => x >= k,
    }
}
