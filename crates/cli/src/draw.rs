//! `lariat draw`: pictures of nets, processes and state spaces.

use crate::args::Draw;
use crate::view::write;
use crate::{Exit, Failure, input, out, traces};
use lariat::internals::Budget;
use lariat::internals::formats::LoadedModel;
use lariat::internals::ir::{State, suggestion};
use lariat_draw::net::{DrawnNet, DrawnNode, DrawnNodeId, PART, WHOLE};
use lariat_draw::run::NameIndex;
use lariat_draw::{
    DrawnGraph, GraphEdge, GraphNode, MOST, NetPicture, NodeShape, Process, StateGraph, processes,
    reach,
};
use std::path::Path;

/// The format of the picture.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Medium {
    Svg,
    Dot,
}

/// The form of the picture, and the budget for its layout.
struct Form<'a> {
    title: &'a str,
    medium: Medium,
    budget: Budget,
}

pub(crate) fn run(args: &Draw) -> Result<Exit, Failure> {
    let medium = medium(args.output.as_deref())?;
    let (budget, dog) = input::command_budget(&args.limits);
    let mut model = input::watched_model(&args.model, &budget)?;
    args.shown.apply(&mut model);
    let title = args.model.file_name().unwrap_or(args.model.as_os_str());
    let title = title.to_string_lossy();
    let form = Form {
        title: &title,
        medium,
        budget: input::for_page(&budget, budget.time_left()),
    };
    let text = if args.reach {
        states(args, &model, &form, &budget)?
    } else {
        structure(args, &model, &form)?
    };
    match &args.output {
        Some(path) => write(path, &text)?,
        None => {
            dog.done();
            out::data(&text)?
        }
    }
    Ok(Exit::Fine)
}

fn medium(output: Option<&Path>) -> Result<Medium, Failure> {
    let Some(path) = output else {
        return Ok(Medium::Svg);
    };
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(Medium::Svg),
        Some("dot" | "gv") => Ok(Medium::Dot),
        other => Err(other
            .and_then(|extension| converted(path, extension))
            .unwrap_or_else(|| {
                Failure::new(format!(
                    "`{}` has no known extension\n  = help: use a name that ends in .svg or .dot",
                    path.display()
                ))
            })),
    }
}

/// The failure for a format that other programs make from an SVG.
fn converted(path: &Path, extension: &str) -> Option<Failure> {
    let (svg, file) = (path.with_extension("svg"), path.display());
    let svg = svg.display();
    let command = match &*extension.to_ascii_lowercase() {
        "png" => format!("resvg {svg} {file}"),
        "pdf" => format!("rsvg-convert -f pdf -o {file} {svg}"),
        _ => return None,
    };
    Some(Failure::new(format!(
        "lariat draws SVG, not {}\n  = help: use `-o {svg}`, and convert it: `{command}`",
        extension.to_ascii_uppercase()
    )))
}

/// Draws the net, or the processes.
fn structure(args: &Draw, model: &LoadedModel, form: &Form<'_>) -> Result<String, Failure> {
    let Some(net) = DrawnNet::of(&model.shown()) else {
        let list = processes(model);
        if list.is_empty() {
            return Err(Failure::new(
                "there is nothing to draw: this model is neither a net nor made of processes\n  = help: `--reach` draws its states",
            ));
        }
        if let Some(name) = args.around.first() {
            return Err(Failure::new(format!(
                "cannot draw around `{name}`: this model is not a net"
            )));
        }
        let graph = side_by_side(model, &list);
        return Ok(form.graph(&graph));
    };
    let net = chosen(args, net, model)?;
    let picture = NetPicture::whole(net, &form.budget);
    Ok(match form.medium {
        Medium::Svg => picture.svg(form.title, &form.budget).text,
        Medium::Dot => picture.dot(form.title),
    })
}

/// The requested part of the net, or a part of readable size.
fn chosen(args: &Draw, net: DrawnNet, model: &LoadedModel) -> Result<DrawnNet, Failure> {
    let mut seeds = Vec::new();
    // Nodes in the same order, with their ids.
    let ids = DrawnNet::of(model).filter(|_| !args.around.is_empty());
    let ids = ids.map_or(Vec::new(), |net| net.nodes);
    for name in &args.around {
        let named = |nodes: &[DrawnNode]| nodes.iter().position(|node| node.name == *name);
        let place = named(&ids).or_else(|| named(&net.nodes));
        let place = place.ok_or_else(|| {
            let names = net.nodes.iter().chain(&ids).map(|node| node.name.as_str());
            let help = suggestion(name, names);
            let help = help.map_or(String::new(), |help| format!("\n  = help: {help}"));
            Failure::new(format!("no place or transition is called `{name}`{help}"))
        })?;
        seeds.push(DrawnNodeId(place as u32));
    }
    let all = net.nodes.len();
    let most = match (args.nodes, seeds.is_empty()) {
        (Some(most), _) => most.get(),
        (None, false) => PART,
        (None, true) if all <= WHOLE => all,
        (None, true) => PART,
    };
    if most >= all {
        return Ok(net);
    }
    let part = net.part(&net.neighbourhood(&seeds, &[], most));
    crate::remark(&format!(
        "{} of {all} places and transitions are drawn; see --around and --nodes",
        part.nodes.len()
    ));
    Ok(part)
}

/// All processes in one graph, each location named with its process where there are several.
fn side_by_side(model: &LoadedModel, list: &[Process]) -> DrawnGraph {
    let mut all = DrawnGraph::default();
    for process in list {
        let first = all.nodes.len();
        let name = &model.system.variable(process.location).name;
        let node = |node: &GraphNode| GraphNode {
            lines: vec![format!("{name}.{}", node.lines.join(" "))],
            shape: NodeShape::Box,
            ..node.clone()
        };
        let edge = |edge: &GraphEdge| GraphEdge {
            from: edge.from + first,
            to: edge.to + first,
            ..edge.clone()
        };
        all.nodes.extend(process.graph.nodes.iter().map(node));
        all.edges.extend(process.graph.edges.iter().map(edge));
    }
    all
}

/// Draws the state space.
fn states(
    args: &Draw,
    model: &LoadedModel,
    form: &Form<'_>,
    budget: &Budget,
) -> Result<String, Failure> {
    let most = args.nodes.map_or(MOST, |most| most.get());
    let mut run = None;
    if let Some(path) = &args.trace {
        let objects = traces::read(path, budget)?;
        let first = objects.first().and_then(traces::run);
        let index = NameIndex::new(&model.system);
        let read = first.map(|first| index.run(first, budget)).transpose();
        run = read.map_err(traces::no_run)?;
    }
    let states: Vec<&State> = run.iter().flat_map(|run| &run.states).collect();
    let StateGraph { graph, cut, stop } = reach(&model.shown().system, &states, most, &form.budget);
    if let Some(stop) = stop {
        crate::warn(&format!(
            "{stop}: the search for states ended after {}",
            graph.nodes.len()
        ));
    } else if cut && states.is_empty() {
        crate::remark(&format!(
            "there are more states than the {} that are drawn; see --nodes and --trace",
            graph.nodes.len()
        ));
    }
    Ok(form.graph(&graph))
}

impl Form<'_> {
    fn graph(&self, graph: &DrawnGraph) -> String {
        match self.medium {
            Medium::Svg => graph.svg(self.title, &self.budget).text,
            Medium::Dot => graph.dot(self.title),
        }
    }
}
