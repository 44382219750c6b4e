//! The page: a self-contained HTML file that shows runs of a model.
//!
//! It contains the style, the script, the drawing of the net or the processes, and the runs as
//! JSON. Positions are computed here; the page only draws. A Content-Security-Policy in the page
//! allows only its own script and style (named by their digests) and forbids all traffic, so that
//! names of a model are never executed. In JSON `<` is escaped, so that no name ends the script.

mod data;
mod rules;
mod sha256;
mod truth;

use crate::net::{DrawnNet, DrawnNodeId, PART, WHOLE};
use crate::paint::NetPicture;
use crate::processes::{Process, processes};
use crate::run::DrawnRun;
use crate::share::part;
use crate::svg::{Svg, escape, n};
use data::{ShownEntry, data, title};
use lariat_budget::{Budget, Stop};
use lariat_formats::LoadedModel;
use lariat_ltl::{AtomId, Formula, Formulas};
use lariat_model::{EventId, Predicate, Proposition, System, VarId};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::fmt::Write as _;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// All scripts in one function, so that their names are not visible as globals.
const SCRIPT: &str = concat!(
    "'use strict';\n(() => {\n",
    include_str!("run.js"),
    include_str!("rules.js"),
    include_str!("hand.js"),
    include_str!("panels.js"),
    include_str!("time.js"),
    include_str!("picture.js"),
    include_str!("page.js"),
    "})();\n"
);

/// Nodes around which the smallest part of a large net is chosen.
const CENTRE: usize = 40;
/// Nodes of the larger parts of a large net, after [`PART`], each about three times the previous.
const LARGER: [usize; 2] = [160, 420];

/// A property or a run, as it is shown on a page.
#[derive(Clone, Debug, Default)]
pub struct PageEntry {
    /// The report in JSON: `property`, `formula`, `verdict` and so on, as far as known.
    pub report: Json,
    /// The run, if there is one.
    pub run: Option<DrawnRun>,
    /// The reason why the run could not be read within the limits, if it could not.
    pub unread: Option<Stop>,
    /// The formula, if the property is one.
    pub formula: Option<Formula>,
    /// The atoms of a property that is no formula.
    pub atoms: Vec<AtomId>,
}

/// The model that a page shows, with the atoms of its properties.
#[derive(Clone, Copy, Debug)]
pub struct PageSubject<'a> {
    /// The name of the model.
    pub name: &'a str,
    /// The model.
    pub model: &'a LoadedModel,
    /// The store of the formulas.
    pub formulas: &'a Formulas,
    /// The meanings of atoms, by their ids.
    pub propositions: &'a [Proposition],
}

/// Returns whether a page can simulate the model, whose rules must be small enough to be included.
pub fn can_be_run(system: &System) -> bool {
    rules::rules(system).is_some()
}

/// Renders the page. Half of the budget's time is for the runs, half for the drawings; a run for
/// which it does not suffice is not shown, and drawings get a simple layout. The page says so.
pub fn page(subject: &PageSubject<'_>, properties: &[PageEntry], budget: &Budget) -> String {
    let PageSubject { model, .. } = *subject;
    let net =
        DrawnNet::of(model).filter(|net| !net.nodes.is_empty() && !model.system.events.is_empty());
    let processes = processes(model);
    let share = part(budget, 0.5);
    let read = |entry| ShownEntry::new(entry, &share);
    let entries: Vec<ShownEntry<'_>> = properties.iter().map(read).collect();
    let data = data(subject, net.as_ref(), &processes, &entries, &share);
    let views = match &net {
        Some(net) => net_views(subject, net, &entries, budget),
        None => program_view(model, &processes, budget),
    };
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        sha256::digest(SCRIPT),
        sha256::digest(STYLE)
    );
    fill(&[
        ("policy", &policy),
        ("title", &escape(&format!("{} – lariat", title(subject)))),
        ("style", STYLE),
        ("views", &views),
        ("data", &data.to_string().replace('<', "\\u003c")),
        ("script", SCRIPT),
    ])
}

/// Fills the gaps of the template, in their order; inserted text is not searched for gaps.
fn fill(gaps: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(
        TEMPLATE.len() + gaps.iter().map(|(_, text)| text.len()).sum::<usize>(),
    );
    let mut rest = TEMPLATE;
    for (name, text) in gaps {
        let gap = format!("{{{{{name}}}}}");
        let (before, after) = rest.split_once(&gap).unwrap_or((rest, ""));
        out.push_str(before);
        out.push_str(text);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Drawings of the net, from the smallest part to the largest.
fn net_views(
    subject: &PageSubject<'_>,
    net: &DrawnNet,
    entries: &[ShownEntry<'_>],
    budget: &Budget,
) -> String {
    let all = net.nodes.len();
    let [medium, largest] = LARGER;
    let mut sizes = vec![PART, medium, largest];
    sizes.retain(|size| *size < all && all > WHOLE);
    if all <= largest {
        sizes.push(all);
    }
    let (seeds, first) = interesting(subject, net, entries);
    let nearest = net.nearest(&seeds, &first, sizes.iter().copied().max().unwrap_or(0));
    let mut out = String::new();
    for (i, size) in sizes.iter().enumerate() {
        // The smallest part is seen first; a larger one takes longer.
        let share = part(budget, 1.0 / (sizes.len() - i) as f64);
        let mut nodes = nearest[..*size].to_vec();
        nodes.sort_unstable();
        let picture = NetPicture::whole(net.part(&nodes), &share);
        let (width, height) = picture.size();
        let mut svg = Svg::new(0.0, 0.0, "", "");
        let remarks = picture.paint(&mut svg, &|node| nodes[node.index()].0, &share);
        let hidden = if i == 0 { "" } else { " hidden" };
        let note = match &remarks[..] {
            [] => String::new(),
            remarks => format!(" data-remark=\"{}\"", escape(&remarks.join("; "))),
        };
        let _ = write!(
            out,
            "<svg class=\"view\" role=\"img\" aria-label=\"The net\" viewBox=\"0 0 {} {}\"{note}{hidden}>\n{}</svg>\n",
            n(width),
            n(height),
            svg.fragment()
        );
    }
    out
}

/// The nodes around which a part of the net is drawn, and all nodes that runs change. The first are
/// those that a property mentions or its run changes, from the first property on, until there are
/// enough.
fn interesting(
    subject: &PageSubject<'_>,
    net: &DrawnNet,
    entries: &[ShownEntry<'_>],
) -> (Vec<DrawnNodeId>, Vec<DrawnNodeId>) {
    let PageSubject {
        model,
        formulas,
        propositions,
        ..
    } = *subject;
    let places = net.places as u32;
    let place = |var: VarId| match &model.coloured {
        Some(coloured) => DrawnNodeId(coloured.unfolding.place_of(var).0.0),
        None => DrawnNodeId(var.0),
    };
    let transition = |event: EventId| match &model.coloured {
        Some(coloured) => DrawnNodeId(places + coloured.unfolding.binding(event).0.0),
        None => DrawnNodeId(places + event.0),
    };
    let (mut centre, mut touched) = (BTreeSet::new(), BTreeSet::new());
    for ShownEntry { entry, steps, .. } in entries {
        let of_formula = entry
            .formula
            .map(|f| formulas.atoms_of(f))
            .unwrap_or_default();
        let mut seeds = BTreeSet::new();
        for atom in of_formula.iter().chain(&entry.atoms) {
            match propositions.get(atom.index()) {
                Some(Proposition::State(predicate)) => {
                    let mut vars = Vec::new();
                    predicate.collect_vars(&mut vars);
                    seeds.extend(vars.into_iter().map(place));
                    enabled_in(predicate, &mut |event| {
                        seeds.insert(transition(event));
                    });
                }
                Some(Proposition::Fires(events)) => {
                    seeds.extend(events.iter().map(|e| transition(*e)))
                }
                None => {}
            }
        }
        // The last steps come first: they show the violation.
        let mut of_run = Vec::new();
        for step in steps.iter().rev() {
            of_run.extend(step.event.map(transition));
            of_run.extend(step.changes.iter().map(|(var, _)| place(*var)));
        }
        for node in seeds.into_iter().chain(of_run.iter().copied()) {
            if centre.len() < CENTRE {
                centre.insert(node);
            }
        }
        touched.extend(of_run);
    }
    (centre.into_iter().collect(), touched.into_iter().collect())
}

/// Visits the events whose enabledness a predicate tests.
fn enabled_in(predicate: &Predicate, found: &mut dyn FnMut(EventId)) {
    match predicate {
        Predicate::Enabled(events) => events.iter().for_each(|event| found(*event)),
        Predicate::Not(p) => enabled_in(p, found),
        Predicate::And(ps) | Predicate::Or(ps) => ps.iter().for_each(|p| enabled_in(p, found)),
        _ => {}
    }
}

/// Drawings of the processes, side by side.
fn program_view(model: &LoadedModel, processes: &[Process], budget: &Budget) -> String {
    if processes.is_empty() {
        return String::new();
    }
    let mut out = String::from("<div class=\"programs\">\n");
    let mut base = 0;
    for (i, process) in processes.iter().enumerate() {
        let share = part(budget, 1.0 / (processes.len() - i) as f64);
        let name = escape(&model.system.variable(process.location).name);
        let painted = process.graph.paint(&|node| base + node, &share);
        let (w, h) = (n(painted.size.0.ceil()), n(painted.size.1.ceil()));
        let remark = match &painted.remarks[..] {
            [] => String::new(),
            remarks => format!("<p class=\"remark\">{}</p>", escape(&remarks.join("; "))),
        };
        let _ = write!(
            out,
            "<figure data-process=\"{base}\"><figcaption>{name} <b></b></figcaption>\
             <svg class=\"process\" role=\"img\" aria-label=\"{name}\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\n{}</svg>{remark}</figure>\n",
            painted.svg.fragment()
        );
        base += process.graph.nodes.len();
    }
    out.push_str("</div>\n");
    out
}
