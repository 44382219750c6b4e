//! Good input: verdicts, exit codes, text and JSON.

use crate::kit::{
    Folder, LARGE_HOLDS, command, ended, every_engine, large_net, lariat, lariat_reading,
};
use serde_json::Value as Json;
use std::collections::BTreeMap;

const MUTEX: &str = "examples/mutex.pnml";
const STARVATION: &str = "G (waiting_1 -> F critical_1)";
const EXCLUSION: &str = "G !(critical_1 & critical_2)";

#[test]
fn the_examples_are_as_their_comments_say() {
    for name in ["mutex", "philosophers", "producer-consumer"] {
        let formulas = format!("examples/{name}.ltl");
        let model = format!("examples/{name}.pnml");
        let path = format!("{}/../../{formulas}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let ran = lariat(&["check", &model, "-F", &formulas, "--json"]).exits(1);
        let mut expected = BTreeMap::new();
        let mut comment = "";
        for line in text.lines() {
            if let Some((name, _)) = line.split_once(':').filter(|_| !line.starts_with('#')) {
                let verdict = if comment.contains("Violated") {
                    "violated"
                } else {
                    "holds"
                };
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
fn the_position_that_violates_a_safety_property_is_marked() {
    let args = ["check", MUTEX, "-f", "G !critical_1", "--shortest"];
    let ran = lariat(&args).exits(1);
    ran.says("✗").says("whatever follows");
    let answer = &lariat(&[&args[..], &["--json"]].concat()).exits(1).json()[0];
    let run = &answer["counterexample"];
    let bad = run["bad"].as_u64().unwrap() as usize;
    let steps = [&run["prefix"], &run["loop"]].map(|steps| steps.as_array().unwrap().clone());
    let state = &steps.concat()[bad - 1]["marking"];
    assert_eq!(state["critical_1"], 1, "{run}");
}

#[test]
fn exit_codes() {
    for (formulas, code) in [
        (&[EXCLUSION][..], 0),
        (&[STARVATION], 1),
        (&[EXCLUSION, STARVATION, "G F true"], 1),
        (&[EXCLUSION, "G nobody"], 2),
        (&[STARVATION, "G ("], 2),
        (&[], 2),
    ] {
        let mut args = vec!["check", MUTEX];
        for formula in formulas {
            args.extend(["-f", formula]);
        }
        lariat(&args).exits(code);
    }
    lariat(&["check", MUTEX, "-f", EXCLUSION, "--timeout", "0s"]).exits(3);
    lariat(&[]).exits(2);
    lariat(&["check", MUTEX, "-f", EXCLUSION, "--engine", "magic"]).exits(2);
    lariat(&["check", MUTEX, "-f", EXCLUSION, "--timeout", "soon"]).exits(2);
    lariat(&["--version"]).exits(0).says("lariat ");
}

#[test]
fn a_violated_property_outweighs_an_undecided_one() {
    let folder = Folder::new();
    let net = large_net(&folder);
    let args = [
        "check",
        &net,
        "-f",
        "false",
        "-f",
        LARGE_HOLDS,
        "--engine",
        "explicit",
        "--memory",
        "2M",
        "--json",
    ];
    let ran = lariat(&args).exits(1);
    let verdicts: Vec<Json> = ran.json().iter().map(|a| a["verdict"].clone()).collect();
    assert_eq!(verdicts, ["violated", "unknown"]);
}

#[test]
fn text_is_verdict_first_then_the_lasso() {
    let ran = lariat(&["check", MUTEX, "-f", EXCLUSION, "-f", STARVATION]).exits(1);
    let without_times: Vec<&str> = ran
        .out
        .lines()
        .map(|line| line.split("  [explicit").next().unwrap_or(line))
        .collect();
    let expected = "\
HOLDS     1: G(!(critical_1 & critical_2))
VIOLATED  2: G(waiting_1 -> F(critical_1))
  by this run: 1 step, then a loop of 3 steps for ever (replayed: ok)
  with a = waiting_1
       b = critical_1
        a b  state, then what changes      → what is taken
     0  · ·  lock idle_1 idle_2            → ask_1
  ↻  1  a ·  −idle_1 +waiting_1            → ask_2
  ↻  2  a ·  −idle_2 +waiting_2            → enter_2
  ↻  3  a ·  −lock −waiting_2 +critical_2  → leave_2
    back to 1 (+lock +idle_2 −critical_2), and so on for ever";
    assert_eq!(without_times.join("\n"), expected);
    assert_eq!(ran.err, "");
}

#[test]
fn full_quiet_and_verbose() {
    lariat(&["check", MUTEX, "-f", STARVATION, "--full"])
        .exits(1)
        .says("  ↻  2  a ·  lock waiting_1 waiting_2  → enter_2\n");
    let quiet = lariat(&["check", MUTEX, "-f", STARVATION, "-q"]).exits(1);
    assert_eq!(quiet.out, "VIOLATED  1: G(waiting_1 -> F(critical_1))\n");
    lariat(&["check", MUTEX, "-f", STARVATION, "-v"])
        .exits(1)
        .says("product_states")
        .says("auto: explicit");
    lariat(&["check", MUTEX, "-f", STARVATION, "-q", "-v"]).exits(2);
}

#[test]
fn colours_only_where_they_are_wanted() {
    let colourful = |args: &[&str], variable: Option<&str>| {
        let mut command = command(&["check", MUTEX, "-f", STARVATION]);
        command.args(args);
        if let Some(name) = variable {
            command.env(name, "1");
        }
        ended(&mut command).out.contains('\u{1b}')
    };
    assert!(!colourful(&[], None));
    assert!(colourful(&["--color", "always"], None));
    assert!(!colourful(&["--color", "never"], None));
    assert!(!colourful(&[], Some("NO_COLOR")));
    assert!(!colourful(&["--json", "--color", "always"], None));
}

#[test]
fn json_field_by_field() {
    let ran = lariat(&["check", MUTEX, "-f", EXCLUSION, "-f", STARVATION, "--json"]).exits(1);
    let answers = ran.json();
    let fields = [
        "schema",
        "model",
        "property",
        "formula",
        "verdict",
        "reason",
        "engine",
        "deadlock",
        "fairness",
        "seconds",
        "stats",
        "passes",
        "auto",
        "facts",
        "counterexample",
    ];
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
    assert_eq!(
        lasso["initial"],
        serde_json::json!({"lock": 1, "idle_1": 1, "idle_2": 1})
    );
    let prefix = lasso["prefix"].as_array().unwrap();
    let cycle = lasso["loop"].as_array().unwrap();
    let before = prefix
        .last()
        .map_or(&lasso["initial"], |step| &step["marking"]);
    assert_eq!(&cycle.last().unwrap()["marking"], before);
    assert_eq!(cycle[0]["fire"], "ask_2");

    let named = lariat(&[
        "check", MUTEX, "-f", EXCLUSION, "--json", "--engine", "explicit",
    ]);
    assert_eq!(named.exits(0).json()[0]["auto"], serde_json::json!([]));
}

/// Product and kind of automaton are chosen apart, and count the same things under the same names.
#[test]
fn kinds_of_automata() {
    let rows = [
        ("explicit", "tgba"),
        ("explicit", "ba"),
        ("explicit", "ta"),
        ("explicit", "tgta"),
        ("ta", "tgba"),
        ("sog", "tgba"),
        ("sog", "ba"),
        ("sog", "ta"),
        ("sog", "tgta"),
        ("slap", "ba"),
    ];
    for (engine, kind) in rows {
        let ran = lariat(&[
            "check",
            MUTEX,
            "-f",
            EXCLUSION,
            "-f",
            "F G !critical_1",
            "--json",
            "--engine",
            engine,
            "--automaton-kind",
            kind,
        ]);
        let answers = ran.exits(1).json();
        for (answer, verdict) in answers.iter().zip(["holds", "violated"]) {
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
    for kind in ["tgba", "ba", "ta", "tgta"] {
        let ran = lariat(&[
            "check",
            MUTEX,
            "-f",
            EXCLUSION,
            "-f",
            "F G !critical_1",
            "--json",
            "--engine",
            "explicit",
            "--automaton-kind",
            kind,
            "--whole-product",
        ]);
        for answer in ran.exits(1).json() {
            let [full, explored] = ["full_states", "product_states"].map(|name| {
                let count = answer["stats"][name].as_u64();
                count.unwrap_or_else(|| panic!("no {name} of {kind}"))
            });
            // The check of testing automata may see everything twice.
            if kind != "ta" {
                assert!(explored <= full, "{kind}: {explored} of {full}");
                assert!(answer["verdict"] != "holds" || explored == full, "{kind}");
            }
        }
    }
    let ta = ["--engine", "ta", "--emptiness", "two-pass"];
    lariat(&[&["check", MUTEX, "-f", EXCLUSION], &ta[..]].concat()).exits(0);
    for (rest, sentence) in [
        ("--engine sog --whole-product", "single states"),
        ("--engine tgta --emptiness two-pass", "--engine ta"),
        (
            "--engine slap --automaton-kind tgta",
            "`slap` reads letters",
        ),
        ("--engine sop --automaton-kind ba", "what each state"),
        ("--automaton-kind ba", "`auto` chooses"),
        ("--engine ta --emptiness couvreur", "two passes"),
        (
            "--engine sog --automaton-kind ta --published",
            "no published variant",
        ),
    ] {
        let mut args = vec!["check", MUTEX, "-f", EXCLUSION];
        args.extend(rest.split(' '));
        lariat(&args).exits(2).complains(sentence);
    }
    let ran = lariat(&[
        "check",
        MUTEX,
        "-f",
        "X critical_1",
        "--engine",
        "sog",
        "--automaton-kind",
        "ta",
    ]);
    ran.exits(3).says("stutter-invariant");
}

#[test]
fn a_stutter_step_fires_null() {
    let model = "examples/philosophers.pnml";
    let ran = lariat(&["check", model, "-f", "F G !deadlock", "--json"]).exits(1);
    let cycle = &ran.json()[0]["counterexample"]["loop"];
    assert_eq!(cycle.as_array().unwrap().len(), 1);
    assert_eq!(cycle[0]["fire"], Json::Null);
}

#[test]
fn deadlocks_may_be_ignored() {
    let model = "examples/philosophers.pnml";
    let args = [
        "check",
        model,
        "-f",
        "G !deadlock",
        "--deadlock",
        "ignore",
        "--json",
    ];
    let answer = lariat(&args).exits(0).json().remove(0);
    assert_eq!(answer["deadlock"], "ignore");
    assert!(answer.get("vacuous").is_none());
    let folder = Folder::new();
    let dead = folder.file("dead.pnml", DEAD);
    for formula in ["F q", "!F q"] {
        let args = [
            "check",
            &dead,
            "-f",
            formula,
            "--deadlock",
            "ignore",
            "--json",
        ];
        let answer = lariat(&args).exits(0).json().remove(0);
        assert_eq!(answer["verdict"], "holds");
        assert_eq!(answer["vacuous"], "no infinite run");
    }
    lariat(&["check", &dead, "-f", "F q"]).exits(0);
    lariat(&["check", &dead, "-f", "!F q"]).exits(1);
}

const DEAD: &str = r#"<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">
<page id="g"><place id="p"><initialMarking><text>1</text></initialMarking></place><place id="q"/>
<transition id="t"/><arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/>
</page></net></pnml>"#;

#[test]
fn formulas_from_files_and_stdin() {
    let input = "# comment\nfirst: G !(critical_1 & critical_2) # behind\n\nG F true\n";
    let ran = lariat_reading(
        &["check", MUTEX, "-f", STARVATION, "-F", "-", "--json"],
        input,
    );
    let ran = ran.exits(1);
    let names: Vec<Json> = ran.json().iter().map(|a| a["property"].clone()).collect();
    assert_eq!(names, ["1", "first", "3"]);
    let args = [
        "check", MUTEX, "-f", STARVATION, "-F", "-", "--select", "first", "-q",
    ];
    let ran = lariat_reading(&args, input).exits(0);
    assert_eq!(ran.out.lines().count(), 1);
    let args = ["check", MUTEX, "-f", STARVATION, "--select", "second"];
    lariat(&args).exits(2).complains("`second`");
}

#[test]
fn events_are_echoed_as_events() {
    lariat(&["check", MUTEX, "-f", "G (enter_1 -> X critical_1)"])
        .exits(0)
        .says("G(fires(enter_1) -> X(critical_1))");
}

#[test]
fn traces_are_kept_in_a_file() {
    let folder = Folder::new();
    let path = folder.file("trace.json", "old");
    let args = [
        "check", MUTEX, "-f", EXCLUSION, "-f", STARVATION, "-q", "--trace", &path,
    ];
    lariat(&args).exits(1);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 1);
    let trace: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(trace["property"], "2");
    assert_eq!(trace["counterexample"]["replayed"], true);
    let nowhere = format!("{}/no/such/folder/trace", folder.path());
    lariat(&["check", MUTEX, "-f", EXCLUSION, "--trace", &nowhere])
        .exits(2)
        .complains("cannot write");
}

#[test]
fn an_automaton_of_the_negated_property() {
    let folder = Folder::new();
    for (formula, code) in [
        ("!G(a -> Fb)", 1),
        ("F(b & c)", 0),
        ("false", 0),
        ("G(b -> true)", 1),
    ] {
        let hoa = lariat(&["translate", formula]).exits(0).out;
        let hoa = hoa
            .replace("\"a\"", "\"waiting_1\"")
            .replace("\"b\"", "\"critical_1 >= 1\"")
            .replace("\"c\"", "\"critical_2\"");
        let path = folder.file("negated.hoa", hoa);
        let ran = lariat(&["check", MUTEX, "--automaton", &path, "--json"]).exits(code);
        let answer = &ran.json()[0];
        assert_eq!(answer["property"], "1");
        assert!(answer["formula"].as_str().unwrap().contains("negated.hoa"));
        assert_eq!(answer["counterexample"].is_null(), code == 0, "{formula}");
    }
    // Engines that skip what is not observed ask the automaton whether they may.
    for (formula, code) in [
        ("!G(a -> F b)", Some(1)),
        ("F(b & c)", Some(0)),
        ("F(a & X b)", None),
    ] {
        let hoa = lariat(&["translate", formula]).out;
        let hoa = hoa
            .replace("\"a\"", "\"waiting_1\"")
            .replace("\"b\"", "\"critical_1 >= 1\"")
            .replace("\"c\"", "\"critical_2\"");
        let path = folder.file("stutter.hoa", hoa);
        for engine in ["sog", "sop", "ta", "tgta"] {
            let args = ["check", MUTEX, "--automaton", &path, "--engine", engine];
            let ran = lariat(&args).exits(code.unwrap_or(3));
            if code.is_none() {
                ran.says("stutter-invariant property");
            }
        }
    }
    let hoa = lariat(&["translate", "G F x"])
        .out
        .replace("\"x\"", "\"critical_3\"");
    let path = folder.file("unknown.hoa", hoa);
    lariat(&["check", MUTEX, "--automaton", &path])
        .exits(2)
        .complains("critical_3")
        .complains("unknown.hoa:5:")
        .complains("did you mean");
    let path = folder.file("broken.hoa", "HOA: v1\nStart: 0\nAP: x\n");
    lariat(&["check", MUTEX, "--automaton", &path])
        .exits(2)
        .complains("broken.hoa:3:5");
}

#[test]
fn states_and_info() {
    lariat(&["states", MUTEX])
        .exits(0)
        .says("states  8")
        .says("bytes per state");
    let folder = Folder::new();
    for (family, size, states, edges) in [
        ("philosophers", "2", "18", None),
        ("philosophers", "3", "76", None),
        ("kanban", "2", "4600", Some("28120")),
        ("fms", "2", "3444", None),
        ("peterson", "2", "20754", None),
        ("slotted-ring", "3", "504", None),
    ] {
        let path = format!("{}/{family}-{size}.pnml", folder.path());
        lariat(&["generate", family, size, "-o", &path]).exits(0);
        let answer = lariat(&["states", &path, "--json", "--engine", "explicit"])
            .exits(0)
            .json()
            .remove(0);
        assert_eq!(answer["states"], states, "{family} {size}");
        let symbolic = lariat(&["states", &path, "--json", "--engine", "symbolic"]).exits(0);
        for figure in ["states", "edges", "max_tokens", "deadlocks"] {
            assert_eq!(
                symbolic.json()[0][figure],
                answer[figure],
                "{family} {figure}"
            );
        }
        if let Some(edges) = edges {
            assert_eq!(answer["edges"], edges, "{family} {size}");
        }
        assert_eq!(answer["reason"], Json::Null);
        assert_eq!(answer["bounded"], true);
        let keys: Vec<&str> = answer.as_object().unwrap().keys().map(|k| &**k).collect();
        let fields = "schema model states edges max_tokens_in_place max_tokens deadlocks bounded \
                      reason engine order seconds stats";
        assert_eq!(keys, fields.split_whitespace().collect::<Vec<_>>());
    }
    lariat(&["generate", "kanban", "0"]).exits(2);
    lariat(&["generate", "kanbam", "1"]).exits(2);
    let info = lariat(&["info", MUTEX, "--json"]).exits(0).json().remove(0);
    assert_eq!(info["places"], 7);
    assert_eq!(info["transitions"], 6);
    assert_eq!(info["bounded_places"], 7);
    assert_eq!(info["bound"], 1);
    lariat(&["info", MUTEX])
        .exits(0)
        .says("places  7")
        .says("bounded by structure  7 of the places")
        .says("tokens in a place  at most 1");
}

#[test]
fn help_teaches_and_shows_only_what_there_is() {
    let help = lariat(&["check", "--help"])
        .exits(0)
        .says("Examples:")
        .says("Exit codes:");
    assert!(help.out.contains("--threads"));
    for engine in [
        "explicit", "sym", "ssp", "slap-fst", "sog", "owcty", "tgta", "hyb",
    ] {
        assert!(help.out.contains(engine), "{engine}");
    }
    lariat(&["--help"])
        .exits(0)
        .says("translate")
        .says("Exit codes:");
}

/// Symmetries are said, used for counting, and found in what engines tell.
#[test]
fn symmetries_of_a_coloured_net() {
    let clients = "campaigns/symmetry/clients-3.pnml";
    lariat(&["info", clients])
        .exits(0)
        .says("symmetries  all 3 clients interchangeable");
    let info = lariat(&["info", clients, "--json"])
        .exits(0)
        .json()
        .remove(0);
    assert_eq!(info["symmetries"][0], "all 3 clients interchangeable");
    let states = |more: &[&str]| {
        let arguments = [&["states", clients, "--json"], more].concat();
        lariat(&arguments).exits(0).json().remove(0)
    };
    let (plain, modulo) = (states(&[]), states(&["--symmetry"]));
    assert_eq!(plain["orbits"], Json::Null);
    for figure in ["states", "deadlocks", "max_tokens"] {
        assert_eq!(modulo[figure], plain[figure], "{figure}");
    }
    let number = |json: &Json| -> u64 { json.as_str().unwrap().parse().unwrap() };
    assert!(number(&modulo["orbits"]) * 3 < number(&plain["states"]));
    // A net without colours is counted as it is.
    lariat(&["states", MUTEX, "--symmetry"])
        .exits(0)
        .complains("no symmetries are known");
    for engine in ["sym", "ssp"] {
        let property = "G !\"Busy(2) >= 1\"";
        let arguments = ["check", clients, "-f", property, "--engine", engine];
        lariat(&arguments).exits(1).says("Busy(2)");
        let reduced = [&arguments[..], &["--reduce"]].concat();
        lariat(&reduced).exits(2).complains("symmetries");
    }
}

/// A coloured net is called one, with its own sizes and those of its unfolding.
#[test]
fn info_of_a_coloured_net() {
    let folder = Folder::new();
    let net = r#"<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet">
<declaration><structure><declarations>
<namedsort id="c" name="C"><cyclicenumeration><feconstant id="c1" name="1"/><feconstant id="c2" name="2"/></cyclicenumeration></namedsort>
<variabledecl id="x" name="x"><usersort declaration="c"/></variabledecl>
</declarations></structure></declaration>
<page id="g"><place id="p"><type><structure><usersort declaration="c"/></structure></type>
<hlinitialMarking><structure><all><usersort declaration="c"/></all></structure></hlinitialMarking></place>
<place id="q"><type><structure><usersort declaration="c"/></structure></type></place><transition id="t"/>
<arc id="a" source="p" target="t"><hlinscription><structure><variable refvariable="x"/></structure></hlinscription></arc>
<arc id="b" source="t" target="q"><hlinscription><structure><variable refvariable="x"/></structure></hlinscription></arc>
</page></net></pnml>"#;
    let file = folder.file("coloured.pnml", net);
    lariat(&["info", &file])
        .exits(0)
        .says("coloured Petri net")
        .says("places  2, unfolded 4")
        .says("bounded by structure  4 of the places");
    let info = lariat(&["info", &file, "--json"]).exits(0).json().remove(0);
    assert_eq!(info["coloured"]["places"], 2);
    assert_eq!(info["places"], 4);
}

/// Where a net grows for ever no state comes back: the run is told with what each of its rounds adds.
#[test]
fn covering_runs_are_told() {
    let folder = Folder::new();
    let grows = folder.file(
        "grows.pnml",
        "<pnml><net type=\"ptnet\"><page id=\"g\"><place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"t\" target=\"p\"/></page></net></pnml>",
    );
    let check = ["check", &grows, "-f", "F G !p", "--engine", "walk"];
    let told = lariat(&check).exits(1);
    assert!(
        told.out.contains("rounds of 1 step for ever"),
        "{}",
        told.out
    );
    assert!(told.out.contains("each round adds +1 p"), "{}", told.out);
    let answers = lariat(&[&check[..], &["--json"]].concat()).json();
    let run = &answers[0]["counterexample"];
    assert_eq!(run["kind"], "covering");
    assert_eq!(run["growth"], serde_json::json!({"p": 1}));
    // What grows is no reason to say more than is known.
    let check = [
        "check",
        &grows,
        "-f",
        "F \"p >= 70\"",
        "--engine",
        "walk",
        "--timeout",
        "1s",
    ];
    lariat(&check).exits(3);
}

/// What is violated whatever follows needs no loop, and a net that never comes back has none.
#[test]
fn prefixes_are_told() {
    let folder = Folder::new();
    let grows = folder.file(
        "grows.pnml",
        "<pnml><net type=\"ptnet\"><page id=\"g\"><place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"t\" target=\"p\"/></page></net></pnml>",
    );
    let formula = "G !(\"p >= 3\" & \"p <= 9\")";
    for engine in every_engine() {
        let engine = engine.as_str();
        let check = ["check", &grows, "-f", formula, "--engine", engine];
        let told = lariat(&check).exits(1);
        let told = told.says("by this run: 3 steps, whatever follows (replayed: ok)");
        told.says("✗  3  a b  +p").says("→ whatever follows");
        let answers = lariat(&[&check[..], &["--json"]].concat()).json();
        let run = &answers[0]["counterexample"];
        assert_eq!(run["kind"], "prefix", "{engine}");
        assert_eq!(run["bad"], 3, "{engine}");
        assert_eq!(run["loop"], serde_json::json!([]), "{engine}");
        assert_eq!(run["prefix"].as_array().unwrap().len(), 3, "{engine}");
    }
    // Contest mode.
    folder.file("model.pnml", std::fs::read(&grows).unwrap());
    folder.file(
        "LTLCardinality.xml",
        "<property-set><property><id>P-00</id><description>d</description><formula><all-paths><globally><integer-le><tokens-count><place>p</place></tokens-count><integer-constant>2</integer-constant></integer-le></globally></all-paths></formula></property></property-set>",
    );
    let ran = lariat(&["mcc", &folder.path(), "--examination", "LTLCardinality"]).exits(0);
    assert_eq!(ran.out, "FORMULA P-00 FALSE TECHNIQUES EXPLICIT\n");
    // A continuation has to be shown where finite runs do not count.
    let check = ["check", &grows, "-f", formula, "--deadlock", "ignore"];
    lariat(&check).exits(1).says("each round adds +1 p");
    // What grows elsewhere has no part in the way there.
    let beside = folder.file(
        "beside.pnml",
        std::fs::read_to_string(&grows).unwrap().replace(
            "</page>",
            "<place id=\"q\"><initialMarking><text>1</text></initialMarking></place><place id=\"r\"/><transition id=\"u\"/><arc id=\"b\" source=\"q\" target=\"u\"/><arc id=\"c\" source=\"u\" target=\"r\"/></page>",
        ),
    );
    let check = ["check", &beside, "-f", "G !r", "--deadlock", "ignore"];
    lariat(&check)
        .exits(1)
        .says("by this run: 1 step, then rounds of 1 step for ever");
    // Nothing but the initial state.
    let check = ["check", &grows, "-f", "p"];
    lariat(&check)
        .exits(1)
        .says("by the initial state, whatever follows");
}

/// A ring of four places with one token; `idle` never gets any.
const RING: &str = r#"<?xml version="1.0"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
  <net id="ring" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">
    <place id="a"><initialMarking><text>1</text></initialMarking></place>
    <place id="b"/><place id="c"/><place id="d"/><place id="idle"/>
    <transition id="ab"/><transition id="bc"/><transition id="cd"/><transition id="da"/><transition id="never"/>
    <arc id="1" source="a" target="ab"/><arc id="2" source="ab" target="b"/>
    <arc id="3" source="b" target="bc"/><arc id="4" source="bc" target="c"/>
    <arc id="5" source="c" target="cd"/><arc id="6" source="cd" target="d"/>
    <arc id="7" source="d" target="da"/><arc id="8" source="da" target="a"/>
    <arc id="9" source="idle" target="never"/><arc id="10" source="never" target="a"/>
  </page></net>
</pnml>
"#;

#[test]
fn reductions_are_told_and_counterexamples_are_of_the_net_as_it_was_read() {
    let folder = Folder::new();
    let ring = folder.file("ring.pnml", RING);
    let args = ["check", &ring, "-f", "F G a", "--json"];
    // Under `auto` so small a net is decided before it would be reduced.
    let reduced = ["--engine", "slap", "--reduce"];
    let answer = lariat(&[&args[..], &reduced].concat());
    let answer = answer.exits(1).json().remove(0);
    let rules: Vec<&str> = (answer["passes"].as_array().unwrap().iter())
        .map(|pass| pass["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        rules,
        ["dead-events", "constant-places", "post-agglomeration"]
    );
    assert_eq!(
        answer["counterexample"]["loop"].as_array().unwrap().len(),
        4
    );

    let told = lariat(&[&args[..4], &reduced, &["-v"]].concat()).exits(1);
    let told = told.says("reduced: dead-events: 1 transition less");
    told.says("reduced: constant-places: 1 place less");
    let unreduced = |more: &[&str]| {
        let answer = lariat(&[&args[..], more].concat())
            .exits(1)
            .json()
            .remove(0);
        assert_eq!(answer["passes"].as_array().unwrap().len(), 0, "{more:?}");
    };
    unreduced(&["--no-reduce"]);
    unreduced(&["--engine", "slap"]);
    let all = "dead-events,equal-events,constant-places,parallel-places,sink-places,post-agglomeration,pre-agglomeration";
    unreduced(&["--without", all]);
    let without = ["--engine", "slap", "--reduce", "--without", "dead-events"];
    lariat(&[&args[..], &without].concat())
        .exits(1)
        .says("post-agglomeration");
    lariat(&[&args[..], &["--engine", "slap", "--without", "dead-events"]].concat())
        .exits(2)
        .complains("see --reduce");
    // With X nothing is joined, and `deadlock` looks everywhere.
    for formula in ["X X a", "F deadlock"] {
        let answer = lariat(&["check", &ring, "-f", formula, "--json"]);
        assert!(!answer.out.contains("agglomeration"), "{formula}");
    }
}

#[test]
fn reduced_nets_are_written() {
    let folder = Folder::new();
    let ring = folder.file("ring.pnml", RING);
    let small = format!("{}/small.pnml", folder.path());
    lariat(&["reduce", &ring, "-f", "G F a", "-o", &small])
        .exits(0)
        .says("places 5 -> 2, transitions 5 -> 2");
    lariat(&["check", &small, "-f", "G F a"]).exits(0);
    lariat(&["reduce", &ring, "-o", &small])
        .exits(0)
        .says("places 5 -> 4, transitions 5 -> 4");
    lariat(&["reduce", &ring, "--without", "dead-events"])
        .exits(0)
        .says("<transition id=\"never\"/>");
    lariat(&["reduce", &ring, "-f", "G nobody"]).exits(2);
    let light = "process L { state a; init a; trans a -> a {}; } system async;";
    let program = folder.file("light.dve", light);
    lariat(&["reduce", &program])
        .exits(2)
        .complains("only nets are reduced");
}
