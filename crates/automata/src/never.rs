//! Never claims for SPIN.
//!
//! A claim is a Büchi automaton with marks on states, written as labelled loops of guarded `goto`s.
//! SPIN starts in the first state and accepts runs that visit states whose label begins with
//! `accept` infinitely often. It also accepts when a claim terminates, so claims written here never
//! terminate.

use crate::automaton::{Automaton, Transition};
use crate::cube::Style;
use crate::degeneralize::{Placement, degeneralize};
use lariat_ltl::AtomId;
use std::fmt::{self, Write};

const CONDITIONS: Style = Style {
    always: "true",
    never: "false",
    and: " && ",
    or: " || ",
    open: "(",
    close: ")",
};

/// Writes `a`, degeneralized, as a never claim. `title` becomes a comment; `atom` writes an atom as
/// a Promela expression.
pub fn write_never(
    a: &Automaton,
    title: &str,
    mut atom: impl FnMut(AtomId) -> String,
    out: &mut dyn Write,
) -> fmt::Result {
    let b = degeneralize(a, Placement::States);
    let mut guards = b.guards.clone();
    // A comment must not contain `*/`.
    writeln!(out, "never {{ /* {} */", title.replace("*/", "* /"))?;
    if b.initial.is_empty() {
        // A claim without moves.
        writeln!(out, "T0_init:\n\tfalse;\n}}")?;
        return Ok(());
    }
    let accepting = |edges: &[Transition]| edges.iter().any(|t| !t.marks.is_empty());
    let single = if let [only] = b.initial[..] {
        Some(only.index())
    } else {
        None
    };
    let label = |q: usize| {
        let kind = if accepting(&b.states[q]) {
            "accept"
        } else {
            "T0"
        };
        if single == Some(q) {
            format!("{kind}_init")
        } else {
            format!("{kind}_S{q}")
        }
    };
    let mut branches = |edges: &[Transition], out: &mut dyn Write| -> fmt::Result {
        writeln!(out, "\tdo")?;
        for t in edges {
            write!(out, "\t:: ")?;
            guards.write(t.guard, &CONDITIONS, out, |out, i| {
                write!(out, "({})", atom(b.atoms[i]))
            })?;
            writeln!(out, " -> goto {}", label(t.to.index()))?;
        }
        writeln!(out, "\tod;")
    };
    let mut order: Vec<usize> = (0..b.states.len()).collect();
    match single {
        Some(first) => order.sort_by_key(|&q| (q != first, q)),
        None => {
            // Several initial states: an additional first state has the edges of all.
            let edges: Vec<Transition> = b
                .initial
                .iter()
                .flat_map(|&q| b.transitions(q).iter().copied())
                .collect();
            writeln!(out, "T0_init:")?;
            branches(&edges, out)?;
        }
    }
    for q in order {
        let edges = &b.states[q];
        writeln!(out, "{}:", label(q))?;
        branches(edges, out)?;
    }
    writeln!(out, "}}")
}
