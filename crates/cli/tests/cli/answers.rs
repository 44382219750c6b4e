//! Good input: verdicts, exit codes, text and JSON.

use crate::kit::{
    EXCLUSION, Folder, LARGE_HOLDS, MUTEX, STARVATION, command, ended, large_net, lariat,
    lariat_reading, shipped,
};
use serde_json::Value as Json;
use std::collections::BTreeMap;

#[test]
fn examples_have_the_verdicts_of_their_comments() {
    for name in ["mutex", "philosophers", "producer-consumer"] {
        let formulas = format!("examples/{name}.ltl");
        let model = format!("examples/{name}.pnml");
        let text = shipped(&formulas);
        let ran = lariat(format!("check {model} -F {formulas} --json")).exits(1);
        let mut expected = BTreeMap::new();
        let mut comment = "";
        for line in text.lines() {
            if let Some((name, _)) = line.split_once(':').filter(|_| !line.starts_with('#')) {
                let is_violated = comment.contains("Violated");
                let verdict = if is_violated { "violated" } else { "holds" };
                expected.insert(name.to_owned(), verdict.to_owned());
            } else if line.starts_with('#') {
                comment = line;
            }
        }
        let got = ran.json().into_iter().map(|answer| {
            let text = |field: &str| answer[field].as_str().unwrap().to_owned();
            (text("property"), text("verdict"))
        });
        assert_eq!(got.collect::<BTreeMap<_, _>>(), expected, "{name}");
    }
}

#[test]
fn exit_codes() {
    let (holds, violated) = (format!("-f '{EXCLUSION}'"), format!("-f '{STARVATION}'"));
    for (rest, code) in [
        (holds.clone(), 0),
        (violated.clone(), 1),
        (format!("{holds} {violated} -f 'G F true'"), 1),
        (format!("{holds} -f 'G nobody'"), 2),
        (format!("{violated} -f 'G ('"), 2),
        (String::new(), 2),
        (format!("{holds} --timeout 0s"), 3),
        (format!("{holds} --engine magic"), 2),
        (format!("{holds} --timeout soon"), 2),
    ] {
        lariat(format!("check {MUTEX} {rest}")).exits(code);
    }
    lariat("").exits(2);
    lariat("--version").succeeds("lariat ");
}

#[test]
fn violated_takes_precedence_over_unknown() {
    let folder = Folder::new();
    let net = large_net(&folder);
    let args = format!("check {net} -f false -f '{LARGE_HOLDS}' --engine explicit --json");
    let ran = lariat(format!("{args} --memory 2M --threads 1")).exits(1);
    let verdicts: Vec<Json> = ran.json().iter().map(|a| a["verdict"].clone()).collect();
    assert_eq!(verdicts, ["violated", "unknown"]);
}

#[test]
fn text_has_the_verdict_then_the_lasso() {
    let both = format!("check {MUTEX} -f '{EXCLUSION}' -f '{STARVATION}'");
    let ran = lariat(format!("{both} --threads 1")).exits(1);
    let without_time = |line| str::split(line, "  [explicit").next().unwrap_or(line);
    let without_times: Vec<&str> = ran.out.lines().map(without_time).collect();
    let expected = "\
HOLDS     1: G(!(critical_1 & critical_2))
VIOLATED  2: G(waiting_1 -> F(critical_1))
  counterexample: 1 step, then a loop of 3 steps (replayed)
  with a = waiting_1
       b = critical_1
        a b  state, then changes           → event
     0  · ·  lock idle_1 idle_2            → ask_1
  ↻  1  a ·  −idle_1 +waiting_1            → ask_2
  ↻  2  a ·  −idle_2 +waiting_2            → enter_2
  ↻  3  a ·  −lock −waiting_2 +critical_2  → leave_2
    back to 1 (+lock +idle_2 −critical_2), repeated indefinitely";
    assert_eq!(without_times.join("\n"), expected);
    assert_eq!(ran.err, "");
}

#[test]
fn full_quiet_and_verbose() {
    lariat(format!("check {MUTEX} -f '{STARVATION}' --full"))
        .exits(1)
        .prints("  ↻  2  a ·  lock waiting_1 waiting_2  → enter_2\n");
    let quiet = lariat(format!("check {MUTEX} -f '{STARVATION}' -q")).exits(1);
    assert_eq!(quiet.out, "VIOLATED  1: G(waiting_1 -> F(critical_1))\n");
    lariat(format!("check {MUTEX} -f '{STARVATION}' -v"))
        .exits(1)
        .prints("product_states")
        .prints("auto: explicit");
    lariat(format!("check {MUTEX} -f '{STARVATION}' -q -v")).exits(2);
}

#[test]
fn colours_follow_the_option_and_the_environment() {
    let colourful = |args: &str, variable: Option<&str>| {
        let mut command = command(format!("check {MUTEX} -f '{STARVATION}' {args}"));
        if let Some(name) = variable {
            command.env(name, "1");
        }
        ended(&mut command).out.contains('\u{1b}')
    };
    assert!(!colourful("", None));
    assert!(colourful("--color always", None));
    assert!(!colourful("--color never", None));
    assert!(!colourful("", Some("NO_COLOR")));
    assert!(!colourful("--json --color always", None));
}

#[test]
fn json_has_the_documented_fields() {
    // With several threads, the field `varying` is added.
    let both = format!("check {MUTEX} -f '{EXCLUSION}' -f '{STARVATION}'");
    let ran = lariat(format!("{both} --json --threads 1")).exits(1);
    let answers = ran.json();
    let fields = "schema model property formula verdict reason engine deadlock fairness seconds phases \
                  stats passes auto facts counterexample";
    let fields: Vec<&str> = fields.split_whitespace().collect();
    for answer in &answers {
        let keys: Vec<&str> = answer.as_object().unwrap().keys().map(|k| &**k).collect();
        assert_eq!(keys, fields);
        assert_eq!(answer["schema"], 1);
        assert_eq!(answer["model"], MUTEX);
        assert_eq!(answer["reason"], Json::Null);
        assert_eq!(answer["engine"], "explicit");
        assert_eq!(answer["deadlock"], "stutter");
        assert!(answer["seconds"].is_f64());
        assert!(answer["stats"]["product_states"].is_u64());
        assert!(answer["stats"]["product_edges"].is_u64());
        assert!(answer["stats"]["bytes_peak"].is_u64());
        let attempt = &answer["auto"][0];
        assert_eq!(attempt["engine"], "explicit");
        assert_eq!(attempt["outcome"], "decided");
        assert!(attempt["why"].is_string());
    }
    assert_eq!(answers[0]["verdict"], "holds");
    assert_eq!(answers[0]["counterexample"], Json::Null);
    assert_eq!(answers[1]["property"], "2");
    assert_eq!(answers[1]["formula"], "G(waiting_1 -> F(critical_1))");
    assert_eq!(answers[1]["verdict"], "violated");
    let lasso = &answers[1]["counterexample"];
    assert_eq!(lasso["replayed"], true);
    let initial = serde_json::json!({"lock": 1, "idle_1": 1, "idle_2": 1});
    assert_eq!(lasso["initial"], initial);
    let prefix = lasso["prefix"].as_array().unwrap();
    let cycle = lasso["loop"].as_array().unwrap();
    let last = prefix.last();
    let before = last.map_or(&lasso["initial"], |step| &step["marking"]);
    assert_eq!(&cycle.last().unwrap()["marking"], before);
    assert_eq!(cycle[0]["fire"], "ask_2");

    let named = lariat(format!(
        "check {MUTEX} -f '{EXCLUSION}' --json --engine explicit"
    ));
    assert_eq!(named.exits(0).answer()["auto"], serde_json::json!([]));
}

/// Product and kind of automaton are selected independently, and report figures of the same names.
#[test]
fn automaton_kinds_count_the_same_figures() {
    let all = ["tgba", "ba", "ta", "tgta"];
    let both = format!("check {MUTEX} -f '{EXCLUSION}' -f 'F G !critical_1' --json");
    let rows = all.map(|kind| ("explicit", kind)).into_iter();
    let rows = rows.chain(all.map(|kind| ("sog", kind)));
    for (engine, kind) in rows.chain([("ta", "tgba"), ("slap", "ba")]) {
        let ran = lariat(format!("{both} --engine {engine} --automaton-kind {kind}"));
        for answer in ran.exits(1).json() {
            let holds = answer["property"] == "1";
            let verdict = if holds { "holds" } else { "violated" };
            assert_eq!(answer["verdict"], verdict, "{engine} {kind}");
            let stats = &answer["stats"];
            assert_eq!(stats["automaton_kind"], kind);
            let names =
                "automaton_states automaton_edges automaton_marks product_states product_edges";
            for name in names.split(' ') {
                assert!(stats[name].is_u64(), "{name} of {engine} with {kind}");
            }
        }
    }
    for kind in all {
        let whole = format!("--automaton-kind {kind} --whole-product");
        let ran = lariat(format!("{both} --engine explicit {whole}"));
        for answer in ran.exits(1).json() {
            let [full, explored] = ["full_states", "product_states"].map(|name| {
                let count = answer["stats"][name].as_u64();
                count.unwrap_or_else(|| panic!("no {name} of {kind}"))
            });
            // The two-pass check of testing automata may visit every state twice.
            if kind != "ta" {
                assert!(explored <= full, "{kind}: {explored} of {full}");
                assert!(answer["verdict"] != "holds" || explored == full, "{kind}");
            }
        }
    }
    let args = format!("check {MUTEX} -f '{EXCLUSION}'");
    lariat(format!("{args} --engine ta --emptiness two-pass")).exits(0);
}

/// Incompatible options are refused with the reason, before the search.
#[test]
fn incompatible_options_are_refused() {
    for (rest, sentence) in [
        ("--engine sog --whole-product", "single states"),
        ("--engine tgta --emptiness two-pass", "--engine ta"),
        (
            "--engine slap --automaton-kind tgta",
            "`slap` does not support testing automata",
        ),
        (
            "--engine sop --automaton-kind ba",
            "language of each automaton state",
        ),
        ("--automaton-kind ba", "`auto` chooses"),
        ("--engine ta --emptiness couvreur", "two-pass check"),
        (
            "--engine sog --automaton-kind ta --published",
            "no published variant",
        ),
        ("--engine walk --published", "no published variant"),
        (
            "--engine hyb --published --automaton-kind tgba",
            "reads Büchi automata",
        ),
        (
            "--engine slap --recurring sets",
            "stores no recurring states",
        ),
        ("--engine slap --fixpoint el", "no choice of fixpoint"),
        ("--recurring sets", "`auto` chooses the variant"),
    ] {
        let args = format!("check {MUTEX} -f '{EXCLUSION}' {rest}");
        lariat(args).refuses(sentence);
    }
    let args = format!("check {MUTEX} -f 'X critical_1' --engine sog --automaton-kind ta");
    lariat(args).exits(3).prints("stutter-invariant");
}

#[test]
fn deadlock_policies() {
    let args = "check examples/philosophers.pnml -f 'G !deadlock' --deadlock ignore --json";
    let answer = lariat(args).exits(0).answer();
    assert_eq!(answer["deadlock"], "ignore");
    assert!(answer.get("vacuous").is_none());
    let folder = Folder::new();
    let dead = folder.file("dead.pnml", DEAD);
    for formula in ["F q", "!F q"] {
        let args = format!("check {dead} -f '{formula}' --deadlock ignore --json");
        let answer = lariat(&args).exits(0).answer();
        assert_eq!(answer["verdict"], "holds");
        assert_eq!(answer["vacuous"], "no infinite run");
    }
    lariat(format!("check {dead} -f 'F q'")).exits(0);
    lariat(format!("check {dead} -f '!F q'")).exits(1);
}

const DEAD: &str = r#"<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">
<page id="g"><place id="p"><initialMarking><text>1</text></initialMarking></place><place id="q"/>
<transition id="t"/><arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/>
</page></net></pnml>"#;

#[test]
fn formulas_from_files_and_stdin() {
    let input = "# comment\nfirst: G !(critical_1 & critical_2) # behind\n\nG F true\n";
    let args = format!("check {MUTEX} -f '{STARVATION}' -F -");
    let ran = lariat_reading(format!("{args} --json --threads 1"), input).exits(1);
    let names: Vec<Json> = ran.json().iter().map(|a| a["property"].clone()).collect();
    assert_eq!(names, ["1", "first", "3"]);
    let ran = lariat_reading(format!("{args} --select first -q"), input).exits(0);
    assert_eq!(ran.out.lines().count(), 1);
    let args = format!("check {MUTEX} -f '{STARVATION}' --select second");
    lariat(&args).refuses("`second`");
}

#[test]
fn automata_of_negated_properties() {
    let folder = Folder::new();
    let written = |formula: &str, file: &str| {
        let hoa = lariat(format!("translate '{formula}'")).exits(0).out;
        let hoa = hoa.replace("\"a\"", "\"waiting_1\"");
        let hoa = hoa.replace("\"b\"", "\"critical_1 >= 1\"");
        folder.file(file, hoa.replace("\"c\"", "\"critical_2\""))
    };
    for (formula, code) in [
        ("!G(a -> Fb)", 1),
        ("F(b & c)", 0),
        ("false", 0),
        ("G(b -> true)", 1),
    ] {
        let path = written(formula, "negated.hoa");
        let ran = lariat(format!("check {MUTEX} --automaton {path} --json")).exits(code);
        let answer = &ran.answer();
        assert_eq!(answer["property"], "1");
        assert!(answer["formula"].as_str().unwrap().contains("negated.hoa"));
        assert_eq!(answer["counterexample"].is_null(), code == 0, "{formula}");
    }
    // Engines that skip unobserved events require a stutter-invariant automaton.
    for (formula, code) in [
        ("!G(a -> F b)", Some(1)),
        ("F(b & c)", Some(0)),
        ("F(a & X b)", None),
    ] {
        let path = written(formula, "stutter.hoa");
        for engine in ["sog", "sop", "ta", "tgta"] {
            let args = format!("check {MUTEX} --automaton {path} --engine {engine}");
            let ran = lariat(&args).exits(code.unwrap_or(3));
            if code.is_none() {
                ran.prints("stutter-invariant property");
            }
        }
    }
    let hoa = lariat("translate 'G F x'").out;
    let path = folder.file("unknown.hoa", hoa.replace("\"x\"", "\"critical_3\""));
    lariat(format!("check {MUTEX} --automaton {path}"))
        .refuses("critical_3")
        .reports("unknown.hoa:5:")
        .reports("did you mean");
    // A stream of automata is several properties, with their names.
    let named = |formula: &str, name: &str| {
        let path = written(formula, "part.hoa");
        let hoa = std::fs::read_to_string(path).unwrap();
        let lines = hoa.lines().filter(|line| !line.starts_with("name:"));
        let hoa: String = lines.map(|line| format!("{line}\n")).collect();
        hoa.replacen("HOA: v1\n", &format!("HOA: v1\n{name}"), 1)
    };
    let first = named("!G(a -> Fb)", "name: \"progress\"\n");
    let stream = first.clone() + &named("F(b & c)", "") + &named("G(b -> true)", "name: \"all\"\n");
    let ran = lariat_reading(
        format!("check {MUTEX} --automaton - --json --threads 1"),
        &stream,
    );
    let ran = ran.exits(1);
    let names: Vec<Json> = ran.json().iter().map(|a| a["property"].clone()).collect();
    assert_eq!(names, ["progress", "2", "all"]);
    let args = format!("check {MUTEX} --automaton - --select 2 -q");
    lariat_reading(args, &stream).exits(0);
    let path = folder.file("twice.hoa", first.clone() + &first);
    lariat(format!("check {MUTEX} --automaton {path}"))
        .refuses("a second property is called `progress`");
    let path = folder.file("second.hoa", first + "HOA: v1\nStart: 0\nAP: x\n");
    lariat(format!("check {MUTEX} --automaton {path}")).refuses("second.hoa:");
    let path = folder.file("broken.hoa", "HOA: v1\nStart: 0\nAP: x\n");
    lariat(format!("check {MUTEX} --automaton {path}")).refuses("broken.hoa:3:5");
}

#[test]
fn help_lists_engines_examples_and_exit_codes() {
    let help = lariat("check --help")
        .succeeds("Examples:")
        .prints("Exit codes:");
    assert!(help.out.contains("--threads"));
    for engine in [
        "explicit", "sym", "ssp", "slap-fst", "sog", "owcty", "tgta", "hyb",
    ] {
        assert!(help.out.contains(engine), "{engine}");
    }
    lariat("--help").succeeds("translate").prints("Exit codes:");
}
