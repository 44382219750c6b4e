//! Programs: failing assertions, overflow, errors in traces.

use crate::kit::{Folder, lariat};

const COUNTER: &str = "byte x = 250;
process P { state a; init a; assert a: x < 253; trans a -> a { effect x = x + 1; }; }
system async;";

#[test]
fn assertions_and_overflow() {
    let folder = Folder::new();
    let model = folder.file("counter.dve", COUNTER);
    let warning = "`x` is assigned a value beyond its range";
    for engine in ["explicit", "symbolic"] {
        lariat(format!("states {model} --engine {engine}"))
            .succeeds("assertion P.a fails in 3 states")
            .reports(warning);
        let ran = lariat(format!("states {model} --engine {engine} --json")).exits(0);
        let answer = ran.answer();
        assert_eq!(answer["states"], "256");
        assert_eq!(answer["overflow"], "x");
        assert_eq!(answer["failed_assertions"]["P.a"], "3");
    }
    for engine in ["explicit", "slap", "hyb"] {
        let args = format!("check {model} -f 'F \"x == 3\"' --engine {engine}");
        let ran = lariat(format!("{args} --no-faults"));
        ran.exits(0).reports(warning);
        let ran = lariat(&args).exits(1).prints("HOLDS     1:");
        let ran = ran.prints("VIOLATED  assert P.a:").prints("(replayed)");
        let ran = ran.prints("VIOLATED  overflow:");
        ran.prints("in state 5, P:a->a assigns 256 to x, which has the range 0 to 255");
    }
    let ran = lariat(format!(
        "check {model} -f 'G \"x >= 250\"' --json --no-faults"
    ));
    let ran = ran.exits(1).reports("assertion P.a fails");
    let mistakes = &ran.answer()["mistakes"];
    assert_eq!(mistakes["failed_assertions"], serde_json::json!(["P.a"]));
    assert_eq!(mistakes["overflow"], "x");
    assert_eq!(mistakes["error_state"], serde_json::Value::Null);
    assert_eq!(ran.err.matches(warning).count(), 1, "{}", ran.err);
    lariat(format!("info {model}")).succeeds("P.a");
}

/// Findings are properties with names; assertions and errors are atoms.
#[test]
fn findings_are_properties() {
    let folder = Folder::new();
    let model = folder.file("counter.dve", COUNTER);
    // Without other properties everything is checked.
    let ran = lariat(format!("check {model} --json")).exits(1);
    let answers = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let answers: Vec<serde_json::Value> = answers.collect();
    let field = |i: usize, name: &str| answers[i][name].as_str().unwrap().to_owned();
    assert_eq!(field(0, "property"), "assert P.a");
    assert_eq!(field(1, "property"), "overflow");
    assert_eq!(answers[0]["finding"]["kind"], "assertion");
    assert_eq!(answers[0]["finding"]["line"], 2);
    assert_eq!(field(0, "verdict"), "violated");
    // Runs that end, and unfair runs, count.
    let end = "byte x; process P { state a, b; init a; assert b: x == 1; trans a -> b {}; } system async;";
    let end = folder.file("end.dve", end);
    let args = format!("check {end} -f 'G true' --deadlock ignore --weak-fair all");
    lariat(args).exits(1).prints("VIOLATED  assert P.b");
    lariat(format!("check {end} -f 'G true' --no-faults")).exits(0);
    lariat(format!("check {end} -f 'G true' --select 1")).exits(0);
    lariat(format!("check {end} --select 'assert P.b'")).exits(1);
    lariat(format!("check {end} -f 'F !\"assert(P.b)\"' --no-faults")).exits(0);
    lariat(format!("check {end} -f 'G \"assert(P.c)\"'"))
        .exits(2)
        .reports("no assertion is called `P.c`")
        .reports("did you mean `P.b`?");
    let ran = lariat(format!("ask {model} faults")).exits(0);
    let ran = ran.prints("assert P.a: assertion P.a fails, by a run of 3 steps (replayed)");
    ran.prints("overflow: a step assigns a value beyond the range");
    lariat(format!("info {model} --names")).prints("assert(P.a)");
    // Files for builds contain findings that were met late.
    let report = folder.file("report.xml", "");
    lariat(format!("check {model} -f 'G true' --junit {report}")).exits(1);
    let report = std::fs::read_to_string(&report).unwrap();
    assert!(report.contains("tests=\"3\" failures=\"2\""), "{report}");
    assert!(report.contains("name=\"overflow\""), "{report}");
    // A program without faults has nothing more to check.
    let plain = "process P { state a; init a; trans a -> a {}; } system async;";
    let plain = folder.file("plain.dve", plain);
    lariat(format!("check {plain}"))
        .exits(2)
        .reports("nothing to check");
    lariat(format!("ask {plain} faults"))
        .exits(0)
        .prints("no step can fail");
}

#[test]
fn an_error_is_a_state_of_the_trace() {
    let folder = Folder::new();
    let text = "byte a[2]; byte i;
process P { state s; init s; trans s -> s { effect a[i] = 1, i = i + 1; }; }
system async;";
    let model = folder.file("index.dve", text);
    for engine in ["explicit", "slap-fst"] {
        // The atom has the name that the trace shows.
        let args = format!("check {model} -f 'G !fault' --engine {engine} --no-faults");
        let ran = lariat(&args).exits(1);
        let ran = ran.prints("fault (an index is out of range)");
        ran.reports("the program can fail");
        let ran = lariat(format!("check {model} -f 'G true' --engine {engine}")).exits(1);
        let ran = ran.prints("VIOLATED  fault: AG(!fault)");
        ran.prints("fault (an index is out of range)");
        let ran = lariat(format!("{args} --json")).exits(1);
        let answer = ran.answer();
        assert_eq!(answer["mistakes"]["error_state"], "fault");
        let trace = &answer["counterexample"];
        assert_eq!(trace["initial"]["fault"], "no");
        assert_eq!(trace["prefix"][2]["marking"]["fault"], "yes");
        // The run ends in the error state.
        let args = format!("check {model} -f 'F G !fault' --engine {engine}");
        lariat(&args).exits(1).prints("→ nothing: error");
    }
    // A variable `fault` of the model takes precedence.
    let text = text.replace("byte i;", "byte i; byte fault;");
    let model = folder.file("named.dve", text);
    lariat(format!("check {model} -f 'G !fault' --no-faults")).exits(0);
    lariat(format!("check {model} -f 'G !fault'")).prints("VIOLATED  fault_:");
    lariat(format!("check {model} -f 'G !fault_'")).exits(1);
}

/// Counts to 30 000 three times before the first fault, which the search for faults does not reach.
const LATE: &str = "int i; byte k; byte a[2];
process P { state s, t; init s; assert t: k < 2 || i < 30000;
trans s -> t { guard i < 30000; effect i = i + 1; }, t -> s { guard i < 30000; },
t -> s { guard i == 30000 && k < 2; effect i = 0, k = k + 1; },
t -> s { guard i == 30000 && k == 2; effect a[k] = 1; }; }
system async;";

/// Engines report faults beyond the first search; an incomplete search is reported, too.
#[test]
fn faults_beyond_the_first_search() {
    let folder = Folder::new();
    let model = folder.file("late.dve", LATE);
    let assertion = "assertion P.t fails in a reachable state";
    let fault = "the program can fail";
    let more = "faults` searches all";
    for engine in ["auto", "explicit"] {
        // The product search ends early, and continues for the assertions.
        for formula in ["G \"i <= 30000\"", "F \"k == 2 && i >= 25000\""] {
            let args = format!("check {model} -f '{formula}' --engine {engine} --no-faults");
            let ran = lariat(format!("{args} --json")).exits(0);
            let mistakes = ran.answer()["mistakes"].clone();
            assert_eq!(
                mistakes["failed_assertions"],
                serde_json::json!(["P.t"]),
                "{engine} {formula}"
            );
            assert_eq!(mistakes["error_state"], "fault", "{engine} {formula}");
            assert_eq!(mistakes["complete"], true, "{engine} {formula}");
            let ran = ran.reports(assertion).reports(fault);
            assert!(!ran.err.contains(more), "{}", ran.err);
        }
        let args = format!("check {model} -f 'G \"i <= 30000\"' --engine {engine} -q");
        let ran = lariat(args).exits(1).prints("VIOLATED  assert P.t");
        ran.prints("VIOLATED  fault");
    }
    // Engines on sets check the states that they visited, in this case all.
    let counters: String = ["P x", "Q y", "R z"]
        .map(|names| {
            let (process, x) = names.split_once(' ').unwrap();
            format!("process {process} {{ state s; init s; assert s: x + y + z < 120; trans s -> s {{ guard {x} < 40; effect {x} = {x} + 1; }}; }}\n")
        })
        .concat();
    let wide = folder.file(
        "wide.dve",
        format!("byte x; byte y; byte z;\n{counters}system async;"),
    );
    let args = format!("check {wide} -f 'G \"x <= 40\"' --engine slap-fst --no-faults");
    let ran = lariat(format!("{args} --json")).exits(0);
    let mistakes = ran.answer()["mistakes"].clone();
    assert_eq!(
        mistakes["failed_assertions"],
        serde_json::json!(["P.s", "Q.s", "R.s"])
    );
    assert_eq!(mistakes["complete"], true);
    // A violation near the start ends the search: the rest is reported as not searched.
    for engine in ["auto", "walk"] {
        let args = format!("check {model} -f 'G \"i < 3\"' --engine {engine} --no-faults");
        let ran = lariat(&args).exits(1).reports(more);
        assert!(!ran.err.contains(assertion), "{}", ran.err);
        let answer = lariat(format!("{args} --json")).answer();
        assert_eq!(answer["mistakes"]["complete"], false);
        assert!(answer["mistakes"]["states"].as_u64() >= Some(50_000));
        let quiet = lariat(format!("{args} -q"));
        assert!(!quiet.err.contains(more), "{}", quiet.err);
    }
}

/// Counterexamples of programs name lines, guards and messages; channels are no arrays.
#[test]
fn runs_name_lines_guards_and_messages() {
    let folder = Folder::new();
    let text = "channel {byte} req[2];
byte x;
process P { byte n = 11; state s, t; init s;
  trans s -> t { guard x == 0; sync req!n; }; }
process Q { byte got; state s, t; init s;
  trans s -> t { sync req?got; effect x = 1; }; }
system async;
";
    let model = folder.file("message.dve", text);
    let args = format!("check {model} -f 'G \"x == 0\"'");
    let ran = lariat(&args).exits(1);
    let ran = ran.prints("P:s->t (line 4, guard x == 0, sends 11 on req)");
    let ran = ran.prints("Q:s->t (line 6, receives 11 on req)");
    assert!(!ran.out.contains("req["), "{}", ran.out);
    lariat(format!("{args} --full")).prints("req[0]=11");
    let page = folder.file("page.html", "");
    lariat(format!("{args} --html {page}")).exits(1);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(
        page.contains("[x == 0] req!n"),
        "guard and value in the picture"
    );
}

/// Processes that count by themselves, then add up.
const LOCAL: &str = "byte sum, a, b;
process P { state s, t, u, e; init s; assert e: sum < 3, u: a == 1;
  trans s -> t { effect a = 1; }, t -> u {}, u -> e { effect sum = sum + a; }; }
process Q { state s, t, u, e; init s; assert e: sum < 2, u: b == 1;
  trans s -> t { effect b = 1; }, t -> u {}, u -> e { effect sum = sum + b; }; }
system async;";

#[test]
fn orders_of_independent_steps_are_omitted() {
    let folder = Folder::new();
    let model = folder.file("local.dve", LOCAL);
    let states = |options: &str| {
        let ran = lariat(format!("check {model} --no-faults --json {options}"));
        let stats = &ran.exits(0).answer()["stats"];
        let count = |name: &str| stats[name].as_u64();
        (count("states").unwrap(), count("ample_locations"))
    };
    let all = Some(16);
    for engine in ["auto", "explicit", "ba", "explicit --threads 2"] {
        let (reduced, locations) = states(&format!("-f 'G \"sum <= 2\"' --engine {engine}"));
        assert!(
            Some(reduced) < all && locations == Some(4),
            "{engine}: {reduced}"
        );
        let options = format!("-f 'G \"sum <= 2\"' --engine {engine} --no-por");
        assert_eq!((Some(states(&options).0), states(&options).1), (all, None));
    }
    // The next step, an event, fairness, and the published variant need all orders.
    let excluded = [
        "-f 'X \"sum == 0\"'",
        "-f 'G !(\"P:s->t\" & \"sum == 2\")'",
        "-f 'F G \"sum == 2\"' --weak-fair all",
        "-f 'G \"sum <= 2\"' --published",
    ];
    for options in excluded {
        let options = format!("{options} --engine explicit");
        assert_eq!(states(&options).1, None, "{options}");
    }
    lariat(format!(
        "check {model} -f 'G \"sum <= 2\"' --no-faults --explain"
    ))
    .exits(0)
    .prints("partial-order reduction: 4 locations");
}

#[test]
fn one_search_settles_the_findings_that_are_absent() {
    let folder = Folder::new();
    let model = folder.file("local.dve", LOCAL);
    let ran = lariat(format!("check {model} --json")).exits(1);
    let lines = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let answers: Vec<serde_json::Value> = lines.collect();
    let verdict = |name: &str| {
        let answer = answers.iter().find(|answer| answer["property"] == name);
        answer.unwrap_or_else(|| panic!("{name}: {}", ran.out))
    };
    for name in ["assert P.e", "assert P.u", "assert Q.u"] {
        assert_eq!(verdict(name)["verdict"], "holds");
        // No engine was run.
        assert_eq!(
            verdict(name)["stats"]["product_states"],
            serde_json::Value::Null
        );
    }
    assert_eq!(verdict("assert Q.e")["verdict"], "violated");
    assert_eq!(verdict("assert Q.e")["counterexample"]["replayed"], true);
}
