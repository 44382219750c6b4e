//! The Informal Trace Format of Apalache (its ADR 015), one file per violated property.

use lariat::{Report, Trace};
use serde_json::{Map, Value as Json, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file of a property: `path` itself if it is the only one, else with the property's name
/// before the extensions: `run.itf.json`, `run.exclusion.itf.json`.
pub(super) fn path(path: &Path, names: &[&str], position: usize) -> PathBuf {
    if names.len() == 1 {
        return path.to_owned();
    }
    let file_name = |name: &str| -> String {
        let is_plain = |c: char| c.is_alphanumeric() || "-_".contains(c);
        name.chars()
            .map(|c| if is_plain(c) { c } else { '_' })
            .collect()
    };
    let mut name = file_name(names[position]);
    let before = names[..position].iter();
    let equal = before.filter(|other| file_name(other) == name).count();
    if equal > 0 {
        // Names that differ only in special characters.
        name = format!("{name}~{equal}");
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    // A dot at the start is no extension.
    let mut dots = file.char_indices().skip(1).filter(|(_, c)| *c == '.');
    let at = dots.next().map_or(file.len(), |(at, _)| at);
    path.with_file_name(format!("{}.{name}{}", &file[..at], &file[at..]))
}

/// Writes a run, one state per line. Each state has all variables (of a net, the places that are
/// marked somewhere), and the event taken from it as `event` of its `#meta`.
///
/// The last state of a lasso is the one before the loop closes. A run after which every
/// continuation violates the property has no `loop`, nor has a run whose rounds add tokens.
pub(super) fn write(
    out: &mut dyn Write,
    model: &str,
    report: &Report,
    run: &Trace,
) -> io::Result<()> {
    let shown = run.shown();
    let variables: Vec<&str> = shown.variables().collect();
    let meta = json!({
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "source": model,
        "description": format!("{}: {}", report.name(), report.shown_formula()),
        "status": "violation",
    });
    let vars = json!(variables);
    write!(out, "{{\"#meta\":{meta},\n\"vars\":{vars},\n")?;
    if let Some(start) = shown.loop_start() {
        writeln!(out, "\"loop\":{start},")?;
    }
    out.write_all(b"\"states\":[")?;
    for (index, state) in shown.states().enumerate() {
        let mut object = Map::new();
        for (name, value) in variables.iter().zip(state.values) {
            let value = match &value {
                Json::Number(number) => number.as_i64().map_or(value.clone(), integer),
                _ => value,
            };
            object.insert((*name).to_owned(), value);
        }
        let mut meta = json!({"index": index});
        if let Some(event) = state.event {
            meta["event"] = event.into();
        }
        // Last: a variable cannot replace it.
        object.insert("#meta".to_owned(), meta);
        let separator = if index == 0 { "\n" } else { ",\n" };
        write!(out, "{separator}{}", Json::Object(object))?;
    }
    out.write_all(b"\n]}\n")
}

/// An integer; large ones are no JSON numbers in ITF.
fn integer(value: i64) -> Json {
    if value.unsigned_abs() < 1 << 53 {
        json!(value)
    } else {
        json!({"#bigint": value.to_string()})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_properties() {
        let name = |file: &str, names: &[&str], position| {
            path(Path::new(file), names, position).display().to_string()
        };
        assert_eq!(name("out/run.itf.json", &["p"], 0), "out/run.itf.json");
        assert_eq!(
            name("out/run.itf.json", &["p", "q"], 1),
            "out/run.q.itf.json"
        );
        assert_eq!(name("run", &["a/b", "a:b"], 1), "run.a_b~1");
        assert_eq!(name(".run.json", &["1", "2"], 0), ".run.1.json");
        assert_eq!(name("é.json", &["1", "2"], 0), "é.1.json");
    }

    #[test]
    fn large_numbers_are_texts() {
        assert_eq!(integer(7), json!(7));
        assert_eq!(integer(i64::MIN)["#bigint"], "-9223372036854775808");
    }
}
