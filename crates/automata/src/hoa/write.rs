//! HOA output.

use crate::automaton::Automaton;
use crate::cube::Style;
use crate::degeneralize::has_state_marks;
use lariat_emptiness::Marks;
use lariat_ltl::{AtomId, quoted};
use std::fmt::{self, Write};

const LABELS: Style = Style {
    always: "t",
    never: "f",
    and: "&",
    or: " | ",
    open: "",
    close: "",
};

/// Writes `a` as HOA. `name` is the title, often the formula; `atom` writes an atom.
///
/// Marks are on states if all edges of each state agree, and on edges otherwise.
pub fn write_hoa(
    a: &Automaton,
    name: &str,
    mut atom: impl FnMut(AtomId) -> String,
    out: &mut dyn Write,
) -> fmt::Result {
    writeln!(out, "HOA: v1")?;
    writeln!(out, "name: {}", quoted(name))?;
    writeln!(out, "States: {}", a.states.len())?;
    for q in &a.initial {
        writeln!(out, "Start: {}", q.0)?;
    }
    write!(out, "AP: {}", a.atoms.len())?;
    for &x in &a.atoms {
        write!(out, " {}", quoted(&atom(x)))?;
    }
    writeln!(out)?;
    match a.mark_count {
        0 => writeln!(out, "acc-name: all\nAcceptance: 0 t")?,
        1 => writeln!(out, "acc-name: Buchi\nAcceptance: 1 Inf(0)")?,
        n => {
            write!(out, "acc-name: generalized-Buchi {n}\nAcceptance: {n} ")?;
            for i in 0..n {
                let and = if i == 0 { "" } else { "&" };
                write!(out, "{and}Inf({i})")?;
            }
            writeln!(out)?;
        }
    }
    let on_states = has_state_marks(a);
    let kind = if on_states { "state-acc" } else { "trans-acc" };
    write!(out, "properties: trans-labels explicit-labels {kind}")?;
    if a.is_deterministic() {
        write!(out, " deterministic")?;
    }
    writeln!(out, "\n--BODY--")?;
    let mut guards = a.guards.clone();
    for (q, edges) in a.states.iter().enumerate() {
        write!(out, "State: {q}")?;
        if let Some(t) = edges.first().filter(|_| on_states) {
            marks(t.marks, out)?;
        }
        writeln!(out)?;
        for t in edges {
            write!(out, "[")?;
            guards.write(t.guard, &LABELS, out, |out, i| write!(out, "{i}"))?;
            write!(out, "] {}", t.to.0)?;
            if !on_states {
                marks(t.marks, out)?;
            }
            writeln!(out)?;
        }
    }
    writeln!(out, "--END--")
}

fn marks(marks: Marks, out: &mut dyn Write) -> fmt::Result {
    if marks.is_empty() {
        return Ok(());
    }
    for (k, i) in marks.iter().enumerate() {
        let before = if k == 0 { " {" } else { " " };
        write!(out, "{before}{i}")?;
    }
    write!(out, "}}")
}
