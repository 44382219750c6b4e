//! JSON output, for scripts.
//!
//! One object: `atoms` (texts), `marks` (their number), `initial` (state numbers), `states` (each a
//! list of edges with `guard`, `marks`, `to`). A guard is a list of cubes, each a list of literals:
//! atom number `i` is `i + 1`, negated `-(i + 1)`, as in DIMACS; the empty cube is always true.

use crate::automaton::Automaton;
use crate::guard::{Guard, Guards};
use lariat_ltl::AtomId;
use std::fmt::{self, Write};

/// Writes `a` as one JSON object on one line.
pub fn write_json(
    a: &Automaton,
    title: &str,
    mut atom: impl FnMut(AtomId) -> String,
    out: &mut dyn Write,
) -> fmt::Result {
    let mut guards = a.guards.clone();
    write!(out, "{{\"schema\":1,\"name\":")?;
    text(title, out)?;
    write!(out, ",\"atoms\":")?;
    list(a.atoms.iter(), out, |x, out| text(&atom(*x), out))?;
    write!(out, ",\"marks\":{},\"initial\":", a.mark_count)?;
    list(a.initial.iter(), out, |q, out| write!(out, "{}", q.0))?;
    write!(
        out,
        ",\"deterministic\":{},\"states\":",
        a.is_deterministic()
    )?;
    list(a.states.iter(), out, |edges, out| {
        list(edges.iter(), out, |t, out| {
            write!(out, "{{\"guard\":")?;
            cubes(&mut guards, t.guard, out)?;
            write!(out, ",\"marks\":")?;
            list(t.marks.iter(), out, |i, out| write!(out, "{i}"))?;
            write!(out, ",\"to\":{}}}", t.to.0)
        })
    })?;
    write!(out, "}}")
}

/// Writes a guard as a list of cubes.
pub(crate) fn cubes(guards: &mut Guards, guard: Guard, out: &mut dyn Write) -> fmt::Result {
    list(guards.cubes(guard).into_iter(), out, |cube, out| {
        let literals = (0..64i32).filter_map(|i| {
            if cube.positive >> i & 1 == 1 {
                Some(i + 1)
            } else if cube.negative >> i & 1 == 1 {
                Some(-(i + 1))
            } else {
                None
            }
        });
        list(literals, out, |literal, out| write!(out, "{literal}"))
    })
}

pub(crate) fn list<T>(
    items: impl Iterator<Item = T>,
    out: &mut dyn Write,
    mut item: impl FnMut(T, &mut dyn Write) -> fmt::Result,
) -> fmt::Result {
    out.write_char('[')?;
    for (k, x) in items.enumerate() {
        if k > 0 {
            out.write_char(',')?;
        }
        item(x, out)?;
    }
    out.write_char(']')
}

pub(crate) fn text(text: &str, out: &mut dyn Write) -> fmt::Result {
    out.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(out, "\\{c}")?,
            c if c < ' ' => write!(out, "\\u{:04x}", c as u32)?,
            c => out.write_char(c)?,
        }
    }
    out.write_char('"')
}
