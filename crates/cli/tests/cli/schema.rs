//! JSON output conforms to `docs/schema.json`; completions and manual pages.

use crate::kit::{Folder, GROWING, MUTEX, lariat, lariat_reading, shipped};
use serde_json::Value as Json;

/// Validates `value` by the keywords of JSON Schema that our file uses; other keywords are errors.
fn validate(root: &Json, schema: &Json, value: &Json) -> Result<(), String> {
    let rules = schema.as_object().ok_or("a schema is an object")?;
    for (rule, wanted) in rules {
        let list = || wanted.as_array().map(Vec::as_slice).unwrap_or_default();
        let fits = |schema: &&Json| validate(root, schema, value).is_ok();
        let ok = match rule.as_str() {
            "$schema" | "title" | "description" | "$defs" => true,
            "$ref" => {
                let name = wanted.as_str().and_then(|r| r.strip_prefix("#/$defs/"));
                validate(root, &root["$defs"][name.ok_or("a reference")?], value)?;
                true
            }
            "const" => value == wanted,
            "enum" => list().contains(value),
            "oneOf" => list().iter().filter(fits).count() == 1,
            "anyOf" => list().iter().any(|schema| fits(&schema)),
            "type" => {
                let is = |kind: &Json| match kind.as_str() {
                    Some("null") => value.is_null(),
                    Some("string") => value.is_string(),
                    Some("boolean") => value.is_boolean(),
                    Some("number") => value.is_number(),
                    Some("integer") => value.is_i64() || value.is_u64(),
                    Some("array") => value.is_array(),
                    Some("object") => value.is_object(),
                    _ => false,
                };
                is(wanted) || list().iter().any(is)
            }
            // Alternatives of literal prefixes, or digits only.
            "pattern" => value.as_str().is_none_or(|text| {
                let pattern = wanted.as_str().unwrap_or_default();
                if pattern == "^[0-9]+$" {
                    return !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
                }
                let inner = pattern.strip_prefix("^(").and_then(|p| p.strip_suffix(')'));
                let mut starts = inner.unwrap_or("?").split('|');
                starts.any(|start| text.starts_with(start))
            }),
            "minItems" => value
                .as_array()
                .is_none_or(|items| items.len() as u64 >= wanted.as_u64().unwrap_or(0)),
            "maxItems" => value
                .as_array()
                .is_none_or(|items| items.len() as u64 <= wanted.as_u64().unwrap_or(u64::MAX)),
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    validate(root, wanted, item)?;
                }
                true
            }
            "required" => {
                let has = |name: &Json| value.get(name.as_str().unwrap_or_default()).is_some();
                !value.is_object() || list().iter().all(has)
            }
            "properties" => {
                for (name, schema) in wanted.as_object().into_iter().flatten() {
                    if let Some(value) = value.get(name) {
                        validate(root, schema, value).map_err(|e| format!("{name}: {e}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    if rules
                        .get("properties")
                        .is_some_and(|p| p.get(name).is_some())
                    {
                        continue;
                    }
                    match wanted {
                        Json::Bool(false) => return Err(format!("unexpected `{name}`")),
                        schema => validate(root, schema, value)?,
                    }
                }
                true
            }
            unknown => return Err(format!("unknown keyword `{unknown}` in the schema")),
        };
        if !ok {
            return Err(format!("`{rule}`: {wanted} does not allow {value}"));
        }
    }
    Ok(())
}

fn schema() -> Json {
    serde_json::from_str(&shipped("docs/schema.json")).expect("the schema is JSON")
}

/// Checks that `value` conforms to a definition of the schema.
#[track_caller]
pub fn follows(definition: &str, value: &Json) {
    let root = schema();
    if let Err(why) = validate(&root, &root["$defs"][definition], value) {
        panic!("{definition}: {why}\n{value}");
    }
}

// One table of commands and definitions.
#[test]
fn outputs_follow_the_schema() {
    let root = schema();
    let folder = Folder::new();
    let program = folder.file(
        "p.dve",
        "byte x = 255; process P { state a, b; init a; assert b: x == 3; trans a -> b { effect x = x + 1; }; } system async;",
    );
    let grows = folder.file("grows.pnml", GROWING);
    let trace = format!("{}/trace.jsonl", folder.path());
    let check = format!("check {MUTEX} -f 'G lock' -f true --json");
    for (definition, args) in [
        ("check", format!("{check} --trace {trace}")),
        ("check", format!("{check} --timeout 0")),
        ("check", format!("{check} --engine slap")),
        (
            "check",
            format!("check {program} -f 'F \"P.b\"' -f 'G \"P.a\"' --json"),
        ),
        (
            "check",
            format!("check {grows} -f 'G !p' --json --timeout 1s"),
        ),
        (
            "check",
            format!("check {grows} -f 'G !p' --json --engine walk"),
        ),
        (
            "check",
            format!("check {program} -f 'G F true' --json --deadlock ignore"),
        ),
        ("check", format!("check {MUTEX} -f 'EF lock' --json")),
        ("check", format!("check {MUTEX} -f 'AG EF lock' --json")),
        ("ask", format!("ask {MUTEX} deadlock --json")),
        ("ask", format!("ask {MUTEX} live --json")),
        ("ask", format!("ask {MUTEX} stable --json")),
        ("ask", format!("ask {grows} bounds --json")),
        ("ask", format!("ask {program} deadlock --json")),
        ("states", format!("states {MUTEX} --json")),
        ("states", format!("states {program} --json")),
        ("states", format!("states {grows} --json")),
        ("states", format!("states {MUTEX} --json --timeout 0")),
        ("info", format!("info {MUTEX} --json")),
        ("info", format!("info {program} --json")),
        ("info", format!("info {MUTEX} --json --names")),
        ("info", format!("info {program} --json --names")),
        (
            "info",
            "info examples/printers.pnml --json --names".to_owned(),
        ),
        ("unread", format!("info {MUTEX} --json --memory 1")),
        (
            "automaton",
            "translate 'G (a -> F b)' --format json".to_owned(),
        ),
        (
            "automaton",
            "translate 'G F a' --to ba --format json".to_owned(),
        ),
        (
            "testing_automaton",
            "translate 'G F a' --to ta --format json".to_owned(),
        ),
        (
            "testing_automaton",
            "translate 'F a' --to tgta --format json".to_owned(),
        ),
    ] {
        let answers = lariat(&args).json();
        assert!(!answers.is_empty(), "{args:?}");
        for answer in answers {
            let wanted = &root["$defs"][definition];
            let fits =
                validate(&root, wanted, &answer).and_then(|()| validate(&root, &root, &answer));
            fits.unwrap_or_else(|why| panic!("{args:?}: {why}\n{answer}"));
        }
    }
    for line in std::fs::read_to_string(&trace).expect("the trace").lines() {
        let answer = serde_json::from_str(line).expect(line);
        let fits = validate(&root, &root["$defs"]["check"], &answer);
        fits.unwrap_or_else(|why| panic!("{why}"));
    }
    let saved = format!("{}/run.json", folder.path());
    lariat_reading(format!("simulate {MUTEX}"), &format!("r 3\nw {saved}\n")).exits(0);
    let text = std::fs::read_to_string(&saved).expect("the run");
    let run = serde_json::from_str(&text).expect("JSON");
    let fits =
        validate(&root, &root["$defs"]["run"], &run).and_then(|()| validate(&root, &root, &run));
    fits.unwrap_or_else(|why| panic!("{why}"));
    // The validator finds errors.
    let wrong = serde_json::json!({"schema": 1, "model": "m", "reason": "time", "more": 1});
    assert!(validate(&root, &root, &wrong).is_err());
}

#[test]
fn completions_and_manual_pages() {
    for shell in ["bash", "zsh", "fish", "elvish"] {
        let ran = lariat(format!("completions {shell}")).exits(0);
        let ran = ran.prints("lariat").prints("automaton-kind");
        // Completions for elvish list no values.
        assert!(shell == "elvish" || ran.out.contains("slap-fst"), "{shell}");
    }
    lariat("completions dos").exits(2);
    let folder = Folder::new();
    let pages = format!("{}/man", folder.path());
    lariat(format!("manual {pages}")).exits(0);
    let page = |name: &str| std::fs::read_to_string(format!("{pages}/{name}"));
    for (name, text) in [
        ("lariat.1", "lariat\\-check"),
        ("lariat-check.1", "automaton\\-kind"),
    ] {
        assert!(page(name).expect("a page").contains(text), "{name}");
    }
    assert!(page("lariat-bench-worker.1").is_err());
    let file = folder.file("file", "");
    lariat(format!("manual {file}")).refuses("cannot write");
}
