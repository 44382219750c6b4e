//! Nets in the languages of other tools, with one variable `p0`, `p1`, … per place.

use super::ModelLanguage;
use super::spell::SpeltFormula;
use lariat::internals::System;
use lariat::internals::ir::{Action, Arc};
use std::fmt::Write as _;

/// The largest number of tokens in a variable of the written models.
const MOST_TOKENS: i64 = 32_767;

/// Writes the net and the formula; `None` if the tool reads the model itself. The error is a phrase
/// that names an unsupported part.
pub(super) fn write(
    system: &System,
    formula: &SpeltFormula,
    language: ModelLanguage,
) -> Result<Option<String>, String> {
    let [marking] = &system.initial[..] else {
        return Err("several initial states".to_owned());
    };
    if !system.is_net() {
        return Err("programs".to_owned());
    }
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = match language {
        ModelLanguage::Pnml => return Ok(None),
        ModelLanguage::Promela => promela(system, marking, formula, &mut out),
        ModelLanguage::Smv => smv(system, marking, formula, &mut out),
    };
    Ok(Some(out))
}

fn arcs(system: &System) -> impl Iterator<Item = &[Arc]> {
    system.events.iter().map(|event| match &event.action {
        Action::Net(arcs) => &arcs[..],
        _ => &[],
    })
}

/// A process with one atomic guarded step per transition. SPIN repeats the last state of a run that
/// ends. If a place exceeds its type, the search ends without a verdict.
fn promela(
    system: &System,
    marking: &[i64],
    formula: &SpeltFormula,
    out: &mut String,
) -> std::fmt::Result {
    for (i, tokens) in marking.iter().enumerate() {
        writeln!(out, "short p{i} = {tokens};")?;
    }
    for (name, definition) in &formula.atoms {
        // In parentheses: two negations in a row are an operator.
        writeln!(out, "#define {name} ({definition})")?;
    }
    writeln!(out, "active proctype net() {{\nend: do")?;
    for arcs in arcs(system) {
        let needs = arcs.iter().filter(|arc| arc.need > 0);
        let needs: Vec<String> = needs
            .map(|arc| format!("p{} >= {}", arc.var.index(), arc.need))
            .collect();
        let guard = match needs.len() {
            0 => "true".to_owned(),
            _ => needs.join(" && "),
        };
        write!(out, ":: atomic {{ {guard} -> ")?;
        for arc in arcs.iter().filter(|arc| arc.delta > 0) {
            let (i, room) = (arc.var.index(), MOST_TOKENS - arc.delta);
            let stop = "c_code { printf(\"token overflow\\n\"); exit(1); }";
            write!(out, "if :: p{i} > {room} -> {stop} :: else fi; ")?;
        }
        for arc in arcs.iter().filter(|arc| arc.delta != 0) {
            let i = arc.var.index();
            write!(out, "p{i} = p{i} + ({}); ", arc.delta)?;
        }
        writeln!(out, "skip }}")?;
    }
    writeln!(out, "od }}\nltl property {{ {} }}", formula.text)
}

/// A module whose transition relation is the disjunction of the transitions and of a stutter step
/// where none is enabled.
fn smv(
    system: &System,
    marking: &[i64],
    formula: &SpeltFormula,
    out: &mut String,
) -> std::fmt::Result {
    writeln!(out, "MODULE main\nVAR")?;
    for i in 0..marking.len() {
        writeln!(out, "  p{i} : 0..{MOST_TOKENS};")?;
    }
    writeln!(out, "INIT")?;
    let initial = marking.iter().enumerate();
    let initial: Vec<String> = initial.map(|(i, n)| format!("p{i} = {n}")).collect();
    writeln!(out, "  {}\nTRANS", initial.join(" & "))?;
    let mut enabled = Vec::new();
    for arcs in arcs(system) {
        let mut parts: Vec<String> = Vec::new();
        for arc in arcs.iter().filter(|arc| arc.need > 0) {
            parts.push(format!("p{} >= {}", arc.var.index(), arc.need));
        }
        let guard = match parts.len() {
            0 => "TRUE".to_owned(),
            _ => parts.join(" & "),
        };
        enabled.push(format!("({guard})"));
        let mut step = vec![guard];
        for i in 0..marking.len() {
            let delta = arcs.iter().find(|arc| arc.var.index() == i);
            let delta = delta.map_or(0, |arc| arc.delta);
            step.push(format!("next(p{i}) = p{i} + ({delta})"));
        }
        writeln!(out, "  ({}) |", step.join(" & "))?;
    }
    let none = match enabled.len() {
        0 => "TRUE".to_owned(),
        _ => format!("!({})", enabled.join(" | ")),
    };
    let still: Vec<String> = (0..marking.len())
        .map(|i| format!("next(p{i}) = p{i}"))
        .collect();
    writeln!(out, "  ({none} & {});", still.join(" & "))?;
    writeln!(out, "LTLSPEC {}", formula.text)
}
