//! `lariat graph`: the symbolic observation graph of a model.

use crate::args::{GraphArgs, GraphFormat};
use crate::view::write;
use crate::{Exit, Failure, input, out};
use lariat::internals::ir::{Errors, PropertyList};
use lariat::internals::{ObservationGraph, RunContext, observed};
use std::fmt::Write as _;

pub(crate) fn run(args: &GraphArgs) -> Result<Exit, Failure> {
    let (budget, dog) = input::command_budget(&args.limits);
    let model = input::watched_model(&args.model, &budget)?;
    let mut properties = PropertyList::new();
    let mut errors = Errors::default();
    for text in &args.formulas {
        errors.note(properties.add_formula(&model.names(), "formula", None, text));
    }
    errors.into_result()?;
    let propositions = &properties.propositions;
    let ctx = RunContext::quiet(&budget);
    let graph = observed(&model.system, propositions, &args.order, args.deadlock, ctx)
        .map_err(Failure::Undecided)?;
    let atoms: Vec<String> = (0..propositions.len() as u32)
        .map(|atom| {
            let atom = lariat::internals::ltl::AtomId(atom);
            properties.formulas.atom_name(atom).to_owned()
        })
        .collect();
    dog.done();
    let format = args.format.unwrap_or_else(|| {
        let extension = args.output.as_ref().and_then(|path| path.extension());
        match extension.and_then(|extension| extension.to_str()) {
            Some("json") => GraphFormat::Json,
            Some("aut") => GraphFormat::Aut,
            _ => GraphFormat::Dot,
        }
    });
    let text = match format {
        GraphFormat::Dot => dot(&graph, &atoms),
        GraphFormat::Json => json(&graph, &atoms),
        GraphFormat::Aut => aut(&graph, &atoms),
    };
    let Some(path) = &args.output else {
        out::data(&text)?;
        return Ok(Exit::Fine);
    };
    write(path, &text)?;
    let (aggregates, edges) = (graph.aggregates.len(), graph.edges.len());
    out::text(&format!("{aggregates} aggregates, {edges} edges\n"))?;
    Ok(Exit::Fine)
}

/// The atoms of a label, in words.
fn words(label: u64, atoms: &[String]) -> String {
    let holds = |(i, _): &(usize, &String)| label >> i & 1 == 1;
    let names = atoms.iter().enumerate().filter(holds);
    let names: Vec<&str> = names.map(|(_, name)| name.as_str()).collect();
    match names.len() {
        0 => "-".to_owned(),
        _ => names.join(", "),
    }
}

fn escaped(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = text.chars().map(plain).collect();
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

// Writing to a string does not fail.

fn dot(graph: &ObservationGraph, atoms: &[String]) -> String {
    let mut out = "digraph sog {\n  node [shape=box];\n".to_owned();
    for (i, aggregate) in graph.aggregates.iter().enumerate() {
        let label = escaped(&words(aggregate.label, atoms));
        let (size, style) = match &aggregate.states {
            Some(states) => (format!("{states} states"), ""),
            None => ("divergent".to_owned(), ", style=dashed"),
        };
        let _ = writeln!(out, "  {i} [label=\"{label}\\n{size}\"{style}];");
    }
    for i in &graph.initial {
        let _ = writeln!(out, "  start{i} [shape=point];\n  start{i} -> {i};");
    }
    for (from, to) in &graph.edges {
        let _ = writeln!(out, "  {from} -> {to};");
    }
    out + "}\n"
}

fn json(graph: &ObservationGraph, atoms: &[String]) -> String {
    let aggregates = graph.aggregates.iter().map(|aggregate| {
        let holds: Vec<usize> = (0..atoms.len())
            .filter(|i| aggregate.label >> i & 1 == 1)
            .collect();
        serde_json::json!({
            "holds": holds,
            "states": aggregate.states.as_ref().map(ToString::to_string),
        })
    });
    let value = serde_json::json!({
        "schema": 1,
        "atoms": atoms,
        "aggregates": aggregates.collect::<Vec<_>>(),
        "initial": graph.initial,
        "edges": graph.edges,
    });
    format!("{value}\n")
}

/// The format of CADP: state 0 leads to the initial aggregates, edges are labelled by the atoms of
/// their target.
fn aut(graph: &ObservationGraph, atoms: &[String]) -> String {
    let edges = graph.edges.len() + graph.initial.len();
    let mut out = format!("des (0, {edges}, {})\n", graph.aggregates.len() + 1);
    let initial = graph.initial.iter().map(|to| (0, *to));
    let rest = graph.edges.iter().map(|(from, to)| (from + 1, *to));
    for (from, to) in initial.chain(rest) {
        let label = escaped(&words(graph.aggregates[to].label, atoms));
        let _ = writeln!(out, "({from}, \"{label}\", {})", to + 1);
    }
    out
}
