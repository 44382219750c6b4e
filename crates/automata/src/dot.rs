//! Graphviz output.

use crate::automaton::Automaton;
use crate::cube::Style;
use crate::degeneralize::has_state_marks;
use lariat_emptiness::Marks;
use lariat_ltl::AtomId;
use std::fmt::{self, Write};

pub(crate) const READABLE: Style = Style {
    always: "1",
    never: "0",
    and: " & ",
    or: " | ",
    open: "",
    close: "",
};

/// Writes `a` in the DOT language. The accepting states of a Büchi automaton with marks on states
/// have double circles; otherwise marks are listed below the label of an edge.
pub fn write_dot(
    a: &Automaton,
    title: &str,
    mut atom: impl FnMut(AtomId) -> String,
    out: &mut dyn Write,
) -> fmt::Result {
    let circles = a.mark_count == 1 && has_state_marks(a);
    let mut guards = a.guards.clone();
    write_dot_head(title, out)?;
    for (k, q) in a.initial.iter().enumerate() {
        writeln!(out, "  i{k} [shape=point, style=invis]; i{k} -> {};", q.0)?;
    }
    for (q, edges) in a.states.iter().enumerate() {
        let accepting = circles && edges.iter().any(|t| !t.marks.is_empty());
        let shape = if accepting {
            " [shape=doublecircle]"
        } else {
            ""
        };
        writeln!(out, "  {q}{shape};")?;
        for t in edges {
            let mut label = String::new();
            guards.write(t.guard, &READABLE, &mut label, |out, i| {
                out.write_str(&atom(a.atoms[i]))
            })?;
            write!(out, "  {q} -> {} [label=\"{}", t.to.0, escaped(&label))?;
            if !circles && !t.marks.is_empty() {
                write!(out, "\\n{}", marks_text(t.marks))?;
            }
            writeln!(out, "\"];")?;
        }
    }
    writeln!(out, "}}")
}

pub(crate) fn write_dot_head(title: &str, out: &mut dyn Write) -> fmt::Result {
    let title = escaped(title);
    writeln!(out, "digraph {{")?;
    writeln!(out, "  rankdir=LR; label=\"{title}\"; labelloc=t;")?;
    writeln!(out, "  node [shape=circle];")
}

pub(crate) fn marks_text(marks: Marks) -> String {
    let numbers: Vec<String> = marks.iter().map(|i| i.to_string()).collect();
    format!("{{{}}}", numbers.join(","))
}

pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', " ")
}
