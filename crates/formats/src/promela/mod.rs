//! Promela: processes with shared variables and channels, the language of SPIN.
//!
//! The states of the [`System`] are those of SPIN without partial-order reduction and statement
//! merging: one after every basic statement, none inside atomic sequences and `d_step`s except where
//! the process has to wait. See `graph.rs` for control, `compile.rs` for the steps, `chain.rs` for
//! sequences without interruption, and `layout.rs` for the state vector.
//!
//! Differences from SPIN: an index out of range, a division by 0, a blocking statement inside a
//! `d_step`, an endless atomic sequence and the 256th process lead to an error state without
//! successors ([`System::fault`]); a failing assertion inside an atomic sequence ends the sequence
//! before it; `hidden` variables are part of the state.

mod ast;
mod chain;
mod channels;
mod claim;
mod compile;
mod declarations;
mod events;
mod expr;
mod formula;
mod graph;
mod layout;
mod lexer;
mod parser;
mod points;
mod population;
mod preprocess;
mod scope;
mod steps;
mod terms;

pub(crate) use declarations::declarations;
pub use parser::KEYWORDS;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::dve::{Message, PropertyAutomaton};
use crate::numbering::number_equal_names;
use ast::ModelAst;
use compile::{Compiler, Place};
use events::{Events, Origin};
use graph::Graph;
use lariat_model::{
    Comparison, Definition, Domain, EventId, Fairness, Finding, FindingKind, InputError, LValue,
    Predicate, State, System, Unit, Value, VarId, Variable,
};
use layout::Layout;
use lexer::{Diagnostic, Reading, Span, Tok, Token};
use parser::Parser;
use points::Points;
use population::{Population, population};
use preprocess::{Preprocessor, Source};
pub use scope::Scope;

/// The property of `pan -a`: its name and its formula. Runs that end have no cycle.
pub const ACCEPTANCE_CYCLE: (&str, &str) = ("acceptance cycle", "F G !accept_ || F deadlock");
/// The property of `pan -l`.
pub const NON_PROGRESS_CYCLE: (&str, &str) = ("non-progress cycle", "G F !np_ || F deadlock");

/// A Promela model: the system and further declarations of the file.
#[derive(Clone, Debug)]
pub struct Promela {
    /// The system.
    pub system: System,
    /// Channel operations of the events.
    pub messages: Vec<Message>,
    /// The names, for formulas.
    pub scope: Scope,
    /// The `ltl` blocks: names and formulas in the syntax of the checker.
    pub formulas: Vec<(String, String)>,
    /// The `never` claim.
    pub claim: Option<PropertyAutomaton>,
    /// Names of groups of events: the steps of each process.
    pub definitions: Vec<(String, Definition)>,
    /// Warnings about input that was interpreted.
    pub warnings: Vec<InputError>,
}

/// Reads a Promela model. `origin` names the text in errors; files that it includes are looked for
/// beside it.
pub fn read(origin: &str, text: &[u8]) -> Result<Promela, InputError> {
    let mut preprocessor = Preprocessor::new();
    let tokens = preprocessor.run(origin, text);
    let files = &preprocessor.files;
    let report = |error: Diagnostic| in_files(files, error);
    let tokens = tokens.map_err(report)?;
    let mut parser = Parser::new(tokens);
    parser.parse().map_err(report)?;
    let files = preprocessor.files.clone();
    let report = |error: Diagnostic| in_files(&files, error);
    translate(parser, preprocessor).map_err(report)
}

fn in_files(files: &[Source], error: Diagnostic) -> InputError {
    let Diagnostic {
        span,
        message,
        help,
    } = error;
    let mut error = match files.get(span.file as usize) {
        Some(file) => InputError::at(&*file.name, &file.text, span.range(), message),
        None => InputError::new("", message),
    };
    error.help = help;
    error
}

/// The labels that formulas and claims mention.
fn referred(model: &ModelAst) -> FxHashSet<Arc<str>> {
    let mut labels = FxHashSet::default();
    for formula in &model.formulas {
        for pair in formula.formula.windows(2) {
            if let [
                at,
                Token {
                    tok: Tok::Name(name),
                    ..
                },
            ] = pair
                && at.is("@")
            {
                labels.insert(name.clone());
            }
        }
    }
    for claim in &model.claims {
        claim.body.labels(&mut labels);
    }
    labels
}

/// Translates a model. If no structural bound on its processes is found, few process numbers are
/// tried first: they suffice if the whole state space, when it is small, never needs another one.
fn translate(parser: Parser, preprocessor: Preprocessor) -> Reading<Promela> {
    let model = &parser.model;
    if model.processes.iter().all(|p| p.active == 0) {
        let message = "the model has no process: expected `init` or an `active proctype`";
        return Err(Span::default().error(message));
    }
    let graphs = graphs(model)?;
    let population = population(model, &graphs);
    if !population.is_bounded {
        let few = population.first(FEW_PROCESSES);
        if let Ok(read) = populated(parser.clone(), preprocessor.clone(), &graphs, &few)
            && never_fails(&read.system)
        {
            return Ok(read);
        }
    }
    populated(parser, preprocessor, &graphs, &population)
}

/// Process numbers that are tried where no structural bound is found.
const FEW_PROCESSES: usize = 24;
/// Limits on the state space that confirms them: states, and events that are tried.
const CONFIRMED_STATES: usize = 1 << 14;
const CONFIRMED_EVENTS: usize = 1 << 23;

/// Returns whether all reachable states, if they are few, are without an error.
fn never_fails(system: &System) -> bool {
    let mut open: Vec<State> = system.initial.clone();
    let mut seen: FxHashSet<State> = open.iter().cloned().collect();
    let mut tried = 0;
    while let Some(state) = open.pop() {
        tried += system.events.len();
        if seen.len() > CONFIRMED_STATES || tried > CONFIRMED_EVENTS || system.has_failed(&state) {
            return false;
        }
        for event in system.event_ids() {
            for next in system.successors(&state, event) {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    true
}

fn graphs(model: &ModelAst) -> Reading<Vec<Graph>> {
    let referred = referred(model);
    let graph = |p: &ast::ProcessAst| Graph::of(&p.body, p.end, &referred);
    model.processes.iter().map(graph).collect()
}

/// The system whose slots are those of a population.
fn populated(
    parser: Parser,
    preprocessor: Preprocessor,
    graphs: &[Graph],
    population: &Population,
) -> Reading<Promela> {
    let (model, files) = (&parser.model, &preprocessor.files[..]);
    let mut layout = Layout::default();
    layout.globals(model)?;
    let line = |span: Span| line_of(files, span);
    layout.slots(model, graphs, &population.occupants, &line)?;
    let points = Points::of(model, graphs);
    let mut compiler = Compiler {
        model,
        graphs,
        layout: Cow::Owned(layout),
        points: Cow::Owned(points),
        is_bounded: population.is_bounded,
        receivers: Vec::new(),
        scratch: Vec::new(),
        needed: Cell::new(0),
        work: Cell::new(0),
    };
    compiler.find_receivers();
    initial_state(&mut compiler, &population.initial)?;
    let describe = |origin: &Origin| described(model, files, origin);
    let mut events = Events::of(&compiler, &describe)?;
    if compiler.needed.get() > 0 {
        for i in 0..compiler.needed.get() {
            let domain = Domain::Range {
                low: Value::from(i32::MIN),
                high: Value::from(i32::MAX),
            };
            let var = compiler.layout.to_mut().variable(
                format!("(sent {i})"),
                domain,
                Span::default(),
            )?;
            compiler.scratch.push(var);
        }
        events = Events::of(&compiler, &describe)?;
    }
    let messages = messages(&compiler, &events);
    let mut findings = findings(&compiler, files, &events);
    let claim = claim(&compiler)?;
    let mut definitions = processes(&compiler, &events);
    for (name, condition) in [
        ("accept_", compiler.at_labels("accept")),
        ("np_", compiler.non_progress()),
    ] {
        let meaning = Definition::Truth(crate::dve::predicate(condition));
        definitions.push((name.to_owned(), meaning));
    }
    let shared = number_equal_names(&mut events.events).into_iter();
    definitions.extend(shared.map(|(name, events)| (name, Definition::Events(events))));
    let (mut layout, points) = (compiler.layout.into_owned(), compiler.points.into_owned());
    let fault = events.can_fail.then(|| {
        let mut name = "fault".to_owned();
        while layout.variables.iter().any(|v| v.name == name) {
            name.push('_');
        }
        let var = VarId(layout.variables.len() as u32);
        let domain = Domain::Names(vec!["no".to_owned(), "yes".to_owned()]);
        layout.variables.push(Variable { name, domain });
        layout.initial.push(0);
        var
    });
    // The error state is no end.
    if let (Some(fault), Some(end)) = (fault, findings.last_mut())
        && let Predicate::And(parts) = &mut end.bad
    {
        parts.push(Predicate::compare(fault, Comparison::Eq, 0));
    }
    let units = units(&layout);
    let system = System {
        name: String::new(),
        variables: layout.variables.clone(),
        events: events.events,
        initial: vec![layout.initial.clone().into()],
        fault,
        units,
        findings,
        source: None,
    };
    let scope = Scope {
        graphs: graphs.to_vec(),
        parser,
        preprocessor,
        layout,
        points,
    };
    Ok(Promela {
        formulas: formulas(&scope)?,
        system,
        messages,
        scope,
        claim,
        definitions,
        warnings: Vec::new(),
    })
}

/// The `ltl` blocks in the syntax of the checker.
fn formulas(scope: &Scope) -> Reading<Vec<(String, String)>> {
    let mut formulas = Vec::new();
    for (i, formula) in scope.parser.model.formulas.iter().enumerate() {
        let name = match &formula.name {
            Some(name) => name.text.to_string(),
            None => format!("ltl_{i}"),
        };
        if formula.formula.is_empty() {
            return Err(formula.span.error("expected a formula between the braces"));
        }
        formulas.push((name, scope.formula_of(&formula.formula)?));
    }
    Ok(formulas)
}

/// The automaton of the `never` claim.
fn claim(compiler: &Compiler<'_>) -> Reading<Option<PropertyAutomaton>> {
    if let [_, second, ..] = &compiler.model.claims[..] {
        let message = "a second `never` claim is not supported";
        return Err(second.span.error(message));
    }
    let Some(claim) = compiler.model.claims.first() else {
        return Ok(None);
    };
    let graph = Graph::of(&claim.body, claim.span, &referred(compiler.model))?;
    claim::automaton(compiler, claim, &graph).map(Some)
}

/// The steps of each process under the name `process:P[n]`. A rendezvous belongs to its sender: for
/// fairness, a process that waits for a message is not enabled.
fn processes(compiler: &Compiler<'_>, events: &Events) -> Vec<(String, Definition)> {
    let mut steps: BTreeMap<String, Vec<EventId>> = BTreeMap::new();
    for (origin, id) in events.origins.iter().zip((0..).map(EventId)) {
        let process = &compiler.model.processes[origin.process].name.text;
        let name = format!("{}{process}[{}]", Fairness::PROCESS, origin.slot);
        steps.entry(name).or_default().push(id);
    }
    steps
        .into_iter()
        .map(|(name, events)| (name, Definition::Events(events)))
        .collect()
}

/// The values of global variables and of the processes that exist in the beginning.
fn initial_state(compiler: &mut Compiler<'_>, initial: &[usize]) -> Reading<()> {
    let mut effects = Vec::new();
    for index in &compiler.model.globals {
        let variable = &compiler.model.variables[*index];
        for leaf in &compiler.layout.globals[index] {
            if let Some(value) = layout::initial_of(compiler.model, variable, leaf) {
                let place = Place::default();
                let assigned = compiler.initial_values(place, leaf.first, leaf.len(), value)?;
                effects.push((variable.name.span, assigned));
            }
        }
    }
    for (slot, process) in initial.iter().enumerate() {
        let occupants = &compiler.layout.slots[slot].occupants;
        let occupant = occupants.iter().position(|o| o.process == *process);
        let there = Place {
            slot: Some(slot),
            occupant: occupant.unwrap_or_default(),
        };
        let span = compiler.model.processes[*process].name.span;
        effects.push((span, compiler.birth(there, &[])?));
    }
    for (span, assigned) in effects {
        for effect in assigned {
            let LValue::Var(var) = effect.target else {
                continue;
            };
            let value = effect.value.eval(&compiler.layout.initial);
            let value =
                value.map_err(|fault| span.error(format!("the initial value fails: {fault}")))?;
            let value = compiler.stored(var, value);
            compiler.layout.to_mut().initial[var.index()] = value;
        }
    }
    Ok(())
}

/// The line of a position, from 1.
fn line_of(files: &[Source], span: Span) -> usize {
    let text = files.get(span.file as usize).map(|file| &*file.text);
    let before = text.and_then(|text| text.get(..span.start as usize));
    1 + before.map_or(0, |text| text.iter().filter(|b| **b == b'\n').count())
}

/// The text of a statement on one line.
fn text_of(files: &[Source], span: Span) -> String {
    const MOST: usize = 60;
    let text = files
        .get(span.file as usize)
        .and_then(|file| file.text.get(span.range()));
    let text = String::from_utf8_lossy(text.unwrap_or_default());
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

fn described(model: &ModelAst, files: &[Source], origin: &Origin) -> String {
    let name = |process: usize| &model.processes[process].name.text;
    let process = name(origin.process);
    let line = line_of(files, origin.span);
    let text = match origin.ends {
        true => "ends".to_owned(),
        false => text_of(files, origin.span),
    };
    let own = format!("{process}[{}]:{line} {text}", origin.slot);
    match &origin.partner {
        None => own,
        Some((slot, process, span)) => {
            let (line, text) = (line_of(files, *span), text_of(files, *span));
            format!("{own}, {}[{slot}]:{line} {text}", name(*process))
        }
    }
}

fn messages(compiler: &Compiler<'_>, events: &Events) -> Vec<Message> {
    let mut messages = Vec::new();
    for (origin, id) in events.origins.iter().zip((0..).map(EventId)) {
        let Some(channel) = origin.channel else {
            continue;
        };
        let location = |slot: usize| compiler.layout.slots[slot].location;
        let channel = compiler.layout.channels[channel - 1].name.clone();
        let (sender, receiver) = match &origin.partner {
            Some((slot, ..)) => (Some(location(origin.slot)), Some(location(*slot))),
            None if origin.receives => (None, Some(location(origin.slot))),
            None => (Some(location(origin.slot)), None),
        };
        messages.push(Message {
            event: id,
            channel,
            sender,
            receiver,
            // The name of the event is the statement.
            values: Vec::new(),
        });
    }
    messages
}

/// The assertions, and the states in which no process can move although some has not ended.
fn findings(compiler: &Compiler<'_>, files: &[Source], events: &Events) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for claim in &events.claims {
        let process = &compiler.model.processes[claim.process].name.text;
        let line = line_of(files, claim.span);
        let name = format!("{process}[{}]:{line}", claim.slot);
        let bad = Predicate::Expr(claim.fails.clone());
        // An assertion is executed by several steps if it can be reached at several nodes.
        match findings.iter_mut().find(|f| f.name == name) {
            Some(known) => {
                let old = std::mem::replace(&mut known.bad, Predicate::Const(false));
                known.bad = Predicate::Or(vec![old, bad]);
            }
            None => findings.push(Finding {
                kind: FindingKind::Assertion,
                name,
                line: u32::try_from(line).ok(),
                bad,
            }),
        }
    }
    let ended = Predicate::Not(Box::new(valid_end(compiler)));
    findings.push(Finding {
        kind: FindingKind::EndState,
        name: "invalid end state".to_owned(),
        line: None,
        bad: Predicate::And(vec![Predicate::Deadlock, ended]),
    });
    findings
}

/// All processes have ended or are at an `end` label.
fn valid_end(compiler: &Compiler<'_>) -> Predicate {
    let mut parts = Vec::new();
    for slot in &compiler.layout.slots {
        let mut places = vec![Predicate::compare(slot.location, Comparison::Eq, 0)];
        for occupant in &slot.occupants {
            let graph = &compiler.graphs[occupant.process];
            for (node, location) in &occupant.locations {
                let mut labels = graph.elements[*node].labels.iter();
                if *node == graph.end || labels.any(|label| label.starts_with("end")) {
                    places.push(Predicate::compare(slot.location, Comparison::Eq, *location));
                }
            }
        }
        parts.push(Predicate::Or(places));
    }
    Predicate::And(parts)
}

/// The location and the variables of a slot are a unit, and every other variable is one.
fn units(layout: &Layout) -> Vec<Unit> {
    let mut units = vec![Unit::default()];
    let mut is_local = vec![false; layout.variables.len()];
    let unit = |places: Vec<VarId>| Unit {
        places,
        ..Unit::default()
    };
    for slot in &layout.slots {
        let own = slot.occupants.iter().flat_map(|o| o.own.iter().copied());
        let places: Vec<VarId> = [slot.location].into_iter().chain(own).collect();
        for place in &places {
            is_local[place.index()] = true;
        }
        units.push(unit(places));
    }
    let global = (0..is_local.len()).filter(|var| !is_local[*var]);
    units.extend(global.map(|var| unit(vec![VarId(var as u32)])));
    units[0].subunits = (1..units.len()).collect();
    units
}

/// Returns whether the text begins like a Promela model: in the first words, or with a word that
/// only Promela has at the start of a line.
pub fn looks_like_promela(text: &[u8]) -> bool {
    let head = &text[..text.len().min(1 << 16)];
    let tokens = match lexer::tokens(head, 0) {
        Ok(tokens) => tokens,
        Err(error) => match lexer::tokens(&head[..error.span.start as usize], 0) {
            Ok(tokens) => tokens,
            Err(_) => return false,
        },
    };
    let mut at_start = true;
    for (i, token) in tokens.iter().enumerate() {
        let next = tokens.get(i + 1);
        let is_next = |sign: &str| next.is_some_and(|t| t.is(sign));
        if let Some(name) = token.name()
            && at_start
        {
            match name {
                "proctype" | "active" | "inline" | "typedef" | "mtype" | "ltl" | "chan"
                | "hidden" | "never" => return true,
                "init" if is_next("{") => return true,
                // DVE.
                "process" | "system" => return false,
                _ => {}
            }
        }
        at_start = matches!(token.tok, Tok::Newline) || token.is(";") || token.is("}");
    }
    false
}
