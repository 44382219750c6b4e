//! Output of testing automata as pictures and as JSON.
//!
//! HOA and never claims have no change sets: write [`Ta::to_automaton`](super::Ta::to_automaton) or
//! [`Tgta::to_automaton`](super::Tgta::to_automaton) in these formats.

use super::Testing;
use crate::dot::{READABLE, escaped, marks_text, write_dot_head};
use crate::json::{cubes, list, text};
use lariat_ltl::AtomId;
use std::fmt::{self, Write};

/// Writes `t` in the DOT language. Livelock states are dashed; edges are labelled by the changing
/// atoms (`!p`: p keeps its value), initial arrows by the first letters.
pub fn write_testing_dot(
    t: &Testing,
    title: &str,
    mut atom: impl FnMut(AtomId) -> String,
    out: &mut dyn Write,
) -> fmt::Result {
    let mut guards = t.guards.clone();
    write_dot_head(title, out)?;
    let mut label = |guard, out: &mut dyn Write| {
        let mut label = String::new();
        guards.write(guard, &READABLE, &mut label, |out, i| {
            out.write_str(&atom(t.atoms[i]))
        })?;
        write!(out, "{}", escaped(&label))
    };
    for (k, (q, letters)) in t.initial.iter().enumerate() {
        write!(out, "  i{k} [shape=point, style=invis]; i{k} -> {}", q.0)?;
        write!(out, " [label=\"")?;
        label(*letters, out)?;
        writeln!(out, "\"];")?;
    }
    for (q, state) in t.states.iter().enumerate() {
        let style = if state.livelock {
            " [style=dashed]"
        } else {
            ""
        };
        writeln!(out, "  {q}{style};")?;
        for e in &state.changes {
            write!(out, "  {q} -> {} [label=\"{{", e.to.0)?;
            label(e.guard, out)?;
            write!(out, "}}")?;
            if !e.marks.is_empty() {
                write!(out, "\\n{}", marks_text(e.marks))?;
            }
            writeln!(out, "\"];")?;
        }
    }
    writeln!(out, "}}")
}

/// Writes `t` as one JSON object on one line.
///
/// `atoms`, `observed` (numbers of the atoms whose changes count), `marks`, `initial` (each a
/// `state` with its first `letters`), `states` (each with `livelock` and its `changes`: `changed`,
/// `marks`, `to`). Sets of letters and of changes are lists of cubes as in the JSON of ordinary
/// automata; in a set of changes the literal `i` means that atom `i - 1` changes.
pub fn write_testing_json(
    t: &Testing,
    title: &str,
    kind: &str,
    mut atom: impl FnMut(AtomId) -> String,
    out: &mut dyn Write,
) -> fmt::Result {
    let mut guards = t.guards.clone();
    write!(out, "{{\"schema\":1,\"name\":")?;
    text(title, out)?;
    write!(out, ",\"kind\":")?;
    text(kind, out)?;
    write!(out, ",\"atoms\":")?;
    list(t.atoms.iter(), out, |x, out| text(&atom(*x), out))?;
    write!(out, ",\"observed\":")?;
    let observed = (0..64).filter(|i| t.observed >> i & 1 == 1);
    list(observed, out, |i, out| write!(out, "{i}"))?;
    write!(out, ",\"marks\":{},\"initial\":", t.mark_count)?;
    list(t.initial.iter(), out, |(q, letters), out| {
        write!(out, "{{\"state\":{},\"letters\":", q.0)?;
        cubes(&mut guards, *letters, out)?;
        write!(out, "}}")
    })?;
    write!(out, ",\"states\":")?;
    list(t.states.iter(), out, |state, out| {
        write!(out, "{{\"livelock\":{},\"changes\":", state.livelock)?;
        list(state.changes.iter(), out, |e, out| {
            write!(out, "{{\"changed\":")?;
            cubes(&mut guards, e.guard, out)?;
            write!(out, ",\"marks\":")?;
            list(e.marks.iter(), out, |i, out| write!(out, "{i}"))?;
            write!(out, ",\"to\":{}}}", e.to.0)
        })?;
        write!(out, "}}")
    })?;
    write!(out, "}}")
}
