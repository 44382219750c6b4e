//! Writer for PNML. Inhibitor, read and reset arcs are written with a `<type>`.

use rustc_hash::FxHashSet;
use std::fmt::Write;

use quick_xml::escape::escape;

use lariat_model::{Arc, Domain, Labels, System, Transition, Unit, VarId};

/// Writes a place/transition net; `None` if the system is no net. Reading the result yields the
/// same system, except that bounds of places are preserved only together with units.
pub fn write(system: &System) -> Option<String> {
    write_named(system, &Labels::default())
}

/// Writes a place/transition net, with the names of its nodes besides their ids.
pub fn write_named(system: &System, labels: &Labels) -> Option<String> {
    let [marking] = &system.initial[..] else {
        return None;
    };
    let is_net = system.fault.is_none()
        && (system.variables.iter()).all(|v| matches!(v.domain, Domain::Count { .. }));
    if !is_net {
        return None;
    }
    let mut out = String::new();
    let name = attribute(&system.name);
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">
  <net id=\"{name}\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">
    <page id=\"page\">"
    );
    for (variable, tokens) in system.variables.iter().zip(marking) {
        let marking = match tokens {
            0 => String::new(),
            tokens => format!("<initialMarking><text>{tokens}</text></initialMarking>"),
        };
        write_node(&mut out, "place", &variable.name, labels, &marking);
    }
    for event in &system.events {
        write_node(&mut out, "transition", &event.name, labels, "");
    }
    let mut count = 0;
    for event in &system.events {
        let Transition {
            arcs,
            inhibitors,
            resets,
        } = Transition::of(&event.action)?;
        let transition = attribute(&event.name);
        let mut arc = |place: VarId, out_of_place: bool, weight: i64, kind: &str| {
            if weight == 0 {
                return;
            }
            let place = attribute(&system.variable(place).name);
            let (source, target) = match out_of_place {
                true => (&place, &transition),
                false => (&transition, &place),
            };
            count += 1;
            let mut inside = match kind {
                "" => String::new(),
                kind => format!("<type value=\"{kind}\"/>"),
            };
            if weight != 1 {
                let _ = write!(inside, "<inscription><text>{weight}</text></inscription>");
            }
            let start = format!("<arc id=\"arc_{count}\" source=\"{source}\" target=\"{target}\"");
            let _ = match inside.is_empty() {
                true => writeln!(out, "      {start}/>"),
                false => writeln!(out, "      {start}>{inside}</arc>"),
            };
        };
        for Arc { var, need, delta } in arcs {
            let reset = resets.iter().find(|(reset, _)| *reset == var);
            // Tokens that an emptied place needs are not consumed by an arc of their own.
            let kind = if reset.is_some() { "read" } else { "" };
            arc(var, true, need, kind);
            if reset.is_none() {
                arc(var, false, need.checked_add(delta)?, "");
            }
        }
        for (var, bound) in inhibitors {
            if bound <= 0 {
                return None;
            }
            arc(var, true, bound, "inhibitor");
        }
        for (var, made) in resets {
            arc(var, true, 1, "reset");
            arc(var, false, made, "");
        }
    }
    write_units(system, &mut out);
    out.push_str("    </page>\n  </net>\n</pnml>\n");
    Some(out)
}

/// Writes a place or transition with its name and `content`.
fn write_node(out: &mut String, kind: &str, id: &str, labels: &Labels, content: &str) {
    let name = labels.name(id).map_or(String::new(), |name| {
        format!("<name><text>{}</text></name>", escape(&*name))
    });
    let id = attribute(id);
    let _ = if name.is_empty() && content.is_empty() {
        writeln!(out, "      <{kind} id=\"{id}\"/>")
    } else {
        writeln!(out, "      <{kind} id=\"{id}\">{name}{content}</{kind}>")
    };
}

fn write_units(system: &System, out: &mut String) {
    if system.units.is_empty() {
        return;
    }
    let safe = (system.variables.iter()).all(|v| v.domain == Domain::Count { bound: Some(1) });
    let units = system.units.len();
    let ids = unit_ids(system);
    let _ = writeln!(
        out,
        "      <toolspecific tool=\"nupn\" version=\"1.1\">
        <structure units=\"{units}\" root=\"{}\" safe=\"{safe}\">",
        ids[0]
    );
    for (i, unit) in system.units.iter().enumerate() {
        let places: Vec<String> = (unit.places.iter())
            .map(|p| attribute(&system.variable(*p).name))
            .collect();
        let subunits: Vec<String> = unit.subunits.iter().map(|u| ids[*u].clone()).collect();
        let _ = writeln!(
            out,
            "          <unit id=\"{}\"><places>{}</places><subunits>{}</subunits></unit>",
            ids[i],
            places.join(" "),
            subunits.join(" ")
        );
    }
    out.push_str("        </structure>\n      </toolspecific>\n");
}

/// The names of the units if they can be ids, otherwise their numbers.
fn unit_ids(system: &System) -> Vec<String> {
    let names: FxHashSet<&str> = system.units.iter().map(|unit| &*unit.name).collect();
    let is_word = |name: &&str| !name.is_empty() && !name.contains(char::is_whitespace);
    let are_ids = names.len() == system.units.len() && names.iter().all(is_word);
    let id = |(i, unit): (usize, &Unit)| {
        if are_ids {
            attribute(&unit.name)
        } else {
            format!("u{i}")
        }
    };
    system.units.iter().enumerate().map(id).collect()
}

/// Escapes a name as the value of an attribute, preserving line breaks and tabs.
fn attribute(name: &str) -> String {
    escape(name)
        .replace('\n', "&#10;")
        .replace('\r', "&#13;")
        .replace('\t', "&#9;")
}
