//! Adversarial inputs and tiny limits: a clear message or `unknown`, within the limits.

use crate::kit::{
    Folder, MUTEX, Ran, command, ended, every_engine, lariat, ran, shipped, signal, started,
};
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Seconds allowed after a limit: 10, because tests share a machine. `LARIAT_GRACE=1` tests the
/// documented second.
fn grace() -> Duration {
    let asked = std::env::var("LARIAT_GRACE");
    let seconds = asked.ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(10))
}

/// Runs the binary, which must end within `limit` and [`grace`].
#[track_caller]
fn in_time(args: impl AsRef<str>, limit: Duration) -> Ran {
    let args = args.as_ref();
    let start = Instant::now();
    let ran = lariat(args);
    let took = start.elapsed();
    assert!(took < limit + grace(), "{args:?}: {took:?}");
    assert!(matches!(ran.code, Some(0..=3 | 130)), "{args:?}: {ran:?}");
    assert!(!ran.err.contains("panicked"), "{args:?}: {ran:?}");
    ran
}

#[cfg(unix)]
fn fifo(folder: &Folder, name: &str) -> String {
    let path = format!("{}/{name}", folder.path());
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo runs").success());
    path
}

/// A sparse file of this size.
fn sparse(folder: &Folder, name: &str, head: &str, bytes: u64) -> String {
    let path = folder.file(name, head);
    let file = std::fs::File::options().append(true).open(&path);
    file.and_then(|file| file.set_len(bytes))
        .expect("a sparse file");
    path
}

#[cfg(unix)]
#[test]
fn a_pipe_without_a_writer_ends_in_time() {
    let folder = Folder::new();
    let pipe = fifo(&folder, "pipe");
    let limit = Duration::from_millis(300);
    let in_limit = |args: &str| in_time(format!("{args} --timeout 300ms"), limit).exits(3);
    let answers = in_limit(&format!("check {pipe} -f 'G p' -f 'F q' --json")).json();
    assert_eq!(answers.len(), 2);
    for (answer, name) in answers.iter().zip(["1", "2"]) {
        assert_eq!(answer["property"], name);
        assert_eq!(answer["verdict"], "unknown");
        assert_eq!(answer["reason"], "time");
    }
    assert_eq!(answers[1]["formula"], "F q");
    for files in ["-F", "--mcc", "--automaton"] {
        in_limit(&format!("check {MUTEX} {files} {pipe}")).reports("time");
    }
    let drawing = format!("{}/drawing.svg", folder.path());
    let page = format!("{}/page.html", folder.path());
    for command in [
        format!("reduce {pipe} -f true"),
        format!("draw {pipe} -o {drawing}"),
        format!("view {pipe} -o {page}"),
        format!("simulate {pipe}"),
        format!("simulate {MUTEX} --from {pipe}"),
    ] {
        in_limit(&command).reports("time");
    }
    for command in ["states", "info"] {
        let answer = in_limit(&format!("{command} {pipe} --json")).answer();
        assert_eq!(answer["reason"], "time");
    }
    in_limit(&format!("info {pipe}"));
}

#[cfg(unix)]
#[test]
fn signals_interrupt_reading() {
    for name in ["-INT", "-TERM"] {
        let folder = Folder::new();
        let pipe = fifo(&folder, "pipe");
        let mut command = command(format!("check {pipe} -f 'G p' --json"));
        let child = started(command.stdin(Stdio::null()));
        std::thread::sleep(Duration::from_millis(500));
        let start = Instant::now();
        signal(&child, name);
        let ended = ran(child.wait_with_output().expect("the binary ends")).exits(130);
        assert!(start.elapsed() < grace());
        assert_eq!(ended.answer()["reason"], "interrupted");
    }
}

#[cfg(unix)]
#[test]
fn devices_and_sparse_files() {
    let folder = Folder::new();
    let large = sparse(&folder, "sparse.pnml", "<pnml>", 1 << 40);
    let drawing = format!("{}/drawing.svg", folder.path());
    let page = format!("{}/page.html", folder.path());
    let short = Duration::ZERO;
    for bad in ["/dev/zero", "/dev/urandom", "/dev/null", &large] {
        for args in [
            format!("check {bad} -f true"),
            format!("check {MUTEX} -F {bad}"),
            format!("check {MUTEX} --mcc {bad}"),
            format!("check {MUTEX} --automaton {bad}"),
            format!("states {bad}"),
            format!("info {bad}"),
            format!("reduce {bad} -f true"),
            format!("draw {bad} -o {drawing}"),
            format!("view {bad} -o {page}"),
            format!("simulate {bad}"),
        ] {
            let ran = in_time(format!("{args} --memory 20M"), short).exits(2);
            assert_eq!(ran.out, "", "{args:?}");
            assert!(ran.err.len() < 4000, "{args:?}");
        }
    }
    let ran = in_time("info /dev/zero", short).exits(2);
    ran.reports("/dev/zero:1:1").reports("NUL");
}

#[test]
fn texts_beyond_the_memory_limit_are_not_read() {
    let folder = Folder::new();
    let comment = format!("<!-- {} -->", "x".repeat(30 << 20));
    let net = shipped("examples/mutex.pnml");
    let path = folder.file("large.pnml", format!("{net}{comment}"));
    let limit = Duration::from_secs(5);
    let check = format!("check {path} -f 'G lock'");
    let ran = in_time(format!("{check} --json --memory 20M"), limit).exits(3);
    assert_eq!(ran.answer()["reason"], "memory");
    in_time(format!("{check} --memory 1G"), limit).exits(1);
    let formulas = folder.file("long.ltl", format!("G lock # {}", "x".repeat(30 << 20)));
    let check = format!("check {MUTEX} -F {formulas} --memory 20M");
    in_time(check, limit).exits(3).reports("memory");
}

#[test]
fn tiny_limits() {
    for limit in [
        "--timeout 0",
        "--timeout 1ms",
        "--timeout 0.000000001s",
        "--memory 1",
        "--memory 1K",
        "--memory 1M",
    ] {
        for (command, answers) in [
            (
                "check examples/mutex.pnml -f 'G lock' -f 'F lock' --json",
                Some(2),
            ),
            ("states examples/mutex.pnml --json", Some(1)),
            ("info examples/mutex.pnml --json", Some(1)),
            ("translate 'G F a'", None),
        ] {
            let ran = in_time(format!("{command} {limit}"), Duration::ZERO);
            if let Some(answers) = answers {
                assert_eq!(ran.json().len(), answers, "{command} {limit}: {ran:?}");
            }
        }
    }
    for wrong in [
        "--timeout -1",
        "--timeout x",
        "--timeout 1e400",
        "--memory 0",
        "--memory -1",
        "--memory 1X",
    ] {
        let args = format!("check {MUTEX} -f 'G lock' {wrong}");
        let ran = in_time(args, Duration::ZERO).exits(2);
        assert_eq!(ran.out, "");
    }
}

/// The unfolding has 10^12 places: each property is reported once, as unknown.
#[test]
fn an_exhausted_unfolding_answers_every_property() {
    let folder = Folder::new();
    let net = "<pnml><net type=\"symmetricnet\"><declaration><structure><declarations>\
<namedsort id=\"a\"><finiteintrange start=\"1\" end=\"10000\"/></namedsort>\
<namedsort id=\"aaa\"><productsort><usersort declaration=\"a\"/><usersort declaration=\"a\"/><usersort declaration=\"a\"/></productsort></namedsort>\
</declarations></structure></declaration><page id=\"g\"><place id=\"p\"><type><structure><usersort declaration=\"aaa\"/></structure></type>\
<hlinitialMarking><structure><all><usersort declaration=\"aaa\"/></all></structure></hlinitialMarking></place></page></net></pnml>";
    let property = |id: &str| {
        format!(
            "<property><id>{id}</id><description>d</description><formula><all-paths><globally><integer-le><integer-constant>1</integer-constant><tokens-count><place>p</place></tokens-count></integer-le></globally></all-paths></formula></property>"
        )
    };
    let path = folder.file("model.pnml", net);
    let both = property("A") + &property("B");
    let xml = format!("<property-set>{both}</property-set>");
    let file = folder.file("LTLCardinality.xml", xml);
    let args = format!("check {path} --mcc {file} -f 'G p' --timeout 500ms --memory 100M");
    let limit = Duration::from_millis(500);
    let ran = in_time(format!("{args} --json"), limit).exits(3);
    let names: Vec<_> = ran.json().iter().map(|a| a["property"].clone()).collect();
    assert_eq!(names, ["1", "A", "B"]);
    let ran = in_time(args, limit).exits(3);
    assert_eq!(ran.out.matches("UNKNOWN").count(), 3);
    for (examination, expected) in [
        (
            "LTLCardinality",
            "FORMULA A CANNOT_COMPUTE
FORMULA B CANNOT_COMPUTE
",
        ),
        (
            "StateSpace",
            "CANNOT_COMPUTE
",
        ),
    ] {
        let args = format!("mcc {} --examination {examination}", folder.path());
        let mut contest = command(args);
        let contest = contest
            .env("BK_TIME_CONFINEMENT", "1")
            .env("BK_MEMORY_CONFINEMENT", "100");
        assert_eq!(ended(contest).exits(0).out, expected);
    }
}

/// Nets without arcs; a transition without input places is always enabled.
#[test]
fn a_net_without_places() {
    let folder = Folder::new();
    for body in [
        "<transition id=\"t\"/>",
        "",
        "<place id=\"p\"/>",
        "<transition id=\"t\"/><transition id=\"u\"/>",
        "<place id=\"p\"/><transition id=\"t\"/>",
    ] {
        let net = format!("<pnml><net type=\"ptnet\"><page id=\"g\">{body}</page></net></pnml>");
        let net = folder.file("small.pnml", net);
        let dead = !body.contains("transition");
        for engine in every_engine() {
            for (formula, holds) in [
                ("G deadlock", dead),
                ("F deadlock", dead),
                ("G !deadlock", !dead),
                ("true", true),
                ("false", false),
            ] {
                for policy in ["stutter", "ignore"] {
                    // Walks that find no violation use all their time.
                    let args = format!("--engine {engine} --deadlock {policy} --timeout 1s");
                    let args = format!("check {net} -f '{formula}' {args}");
                    let ran = in_time(&args, Duration::from_secs(1));
                    let want = holds || (dead && policy == "ignore");
                    let is_right = [Some(i32::from(!want)), Some(3)].contains(&ran.code);
                    assert!(is_right, "{args:?}: {ran:?}");
                }
            }
        }
    }
}

#[test]
fn verdicts_are_printed_when_the_trace_cannot_be_written() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let args = format!("check {MUTEX} -f 'G lock' -f 'G !lock' -q");
    let ran = lariat(format!("{args} --trace /dev/full"));
    ran.exits(2)
        .prints("VIOLATED  1")
        .prints("VIOLATED  2")
        .reports("cannot write /dev/full");
}

#[test]
fn all_wrong_formulas_are_reported() {
    let folder = Folder::new();
    let file = folder.file("f.ltl", "a: G lck\nb: G lock\nc: (lock\nb: F lock\n");
    let ran = lariat(format!("check {MUTEX} -f 'F nobody' -F {file}")).exits(2);
    assert_eq!(ran.out, "");
    for text in [
        "`nobody`",
        "f.ltl:1:6",
        "f.ltl:3:4",
        "a second property is called `b`",
    ] {
        assert!(ran.err.contains(text), "no `{text}` in {}", ran.err);
    }
    assert_eq!(ran.err.matches("error: ").count(), 4, "{}", ran.err);
    let twice = folder.file("g.ltl", "b: F lock\n");
    lariat(format!("check {MUTEX} -F {twice} -F {twice}"))
        .refuses("a second property is called `b`");
}

const PROGRAM: &str = "byte flag[2]; byte i;
process P { state a; init a; trans a -> a { guard i < 3; effect i = i + 1; }; }
system async;";

#[test]
fn atoms_without_a_value_are_not_false() {
    let folder = Folder::new();
    let model = folder.file("p.dve", PROGRAM);
    for (formula, message) in [
        ("G !\"flag[7] >= 1\"", "the index 7 is out of range"),
        ("F \"flag[0] / 0 == 0\"", "a division by 0"),
        ("G \"flag == 0\"", "`flag` is an array of 2"),
        ("G flag", "`flag` is an array of 2"),
        ("G \"P.b\"", "its states are a"),
    ] {
        let ran = lariat(format!("check {model} -f '{formula}'")).exits(2);
        assert_eq!(ran.out, "");
        ran.reports(message).reports("formula:1:");
    }
    for engine in ["auto", "explicit", "owcty", "slap", "hyb"] {
        let check = |formula: &str| {
            lariat(format!(
                "check {model} -f '{formula}' --engine {engine} --json"
            ))
        };
        // The index is out of range in states with i >= 2.
        for formula in [
            "G !\"flag[i] >= 1\"",
            "F \"flag[i] >= 1\"",
            "F \"1 / (2 - i) == 7\"",
        ] {
            let answer = check(formula).exits(3).answer();
            assert_eq!(answer["verdict"], "unknown", "{engine} {formula}");
            let reason = answer["reason"].as_str().unwrap_or_default();
            assert!(
                reason.contains("has no value") && reason.contains("i = 2"),
                "{engine} {formula}: {reason}"
            );
        }
        check("G \"i >= 2 || flag[i] == 0\"").exits(0);
        check("F \"i < 2 && flag[i] == 1\"").exits(1);
        check("F \"flag[i % 2] == 1\"").exits(1);
    }
    // The atom has a value along the counterexample, but not on other runs.
    let choice = PROGRAM.replace("; };", "; }, a -> a { guard i == 0; effect i = 0; };");
    let model = folder.file("choice.dve", choice.replace("};\n}", "}; }"));
    let ran = lariat(format!(
        "check {model} -f 'F \"flag[i] == 1\"' --engine explicit"
    ));
    assert!(matches!(ran.code, Some(1 | 3)), "{ran:?}");
}

/// A map of an ETF model that has no value in one state.
#[test]
fn labels_without_a_value() {
    let folder = Folder::new();
    let model = folder.file(
        "m.etf",
        "begin state\nx:int\nend state\nbegin edge\nend edge\nbegin init\n0\nend init\n\
begin trans\n0/1\n1/0\nend trans\nbegin map m:bool\n0 1\nend map\nbegin sort bool\n\"false\" \"true\"\nend sort\n",
    );
    let ran = lariat(format!("check {model} -f 'G m' -f 'F m' -f 'F !m' --json")).exits(3);
    for answer in ran.json() {
        assert_eq!(answer["verdict"], "unknown", "{answer}");
        assert!(
            answer["reason"]
                .as_str()
                .is_some_and(|r| r.contains("x = 1"))
        );
    }
}

#[test]
fn misspelt_examinations() {
    let ran = lariat("mcc . --examination LTLCardinalty").exits(2);
    ran.reports("did you mean `LTLCardinality`?");
    let ran = lariat("mcc . --examination everything").exits(2);
    assert_eq!(ran.out, "");
}

/// Formulas that arrive in pieces are read like a file.
#[test]
fn slow_writers_are_read_to_the_end() {
    let mut child = started(command(format!("check {MUTEX} -F - -q")).stdin(Stdio::piped()));
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    for piece in ["a: G F", " true\n", "b: F ", "false\n"] {
        stdin.write_all(piece.as_bytes()).expect("it reads");
        stdin.flush().expect("it reads");
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(stdin);
    let ended = ran(child.wait_with_output().expect("the binary ends")).exits(1);
    ended.prints("HOLDS     a").prints("VIOLATED  b");
}

/// Two tokens come to a place although the file claims, with units, that the net is safe.
const CLAIMS: &str = r#"<pnml><net type="ptnet"><page id="g">
<place id="p"><initialMarking><text>1</text></initialMarking></place>
<place id="q"><toolspecific tool="bounds" version="1"><bound max="1"/></toolspecific></place>
<transition id="t"/><arc id="a" source="p" target="t"/>
<arc id="b" source="t" target="q"><inscription><text>2</text></inscription></arc>
<toolspecific tool="nupn" version="1.1"><structure units="3" root="r" safe="true">
<unit id="r"><places/><subunits>u v</subunits></unit>
<unit id="u"><places>p</places><subunits/></unit><unit id="v"><places>q</places><subunits/></unit>
</structure></toolspecific></page></net></pnml>"#;

#[test]
fn false_claims_about_tokens_are_not_believed() {
    let folder = Folder::new();
    let net = folder.file("claims.pnml", CLAIMS);
    for engine in every_engine() {
        let args = format!("check {net} -f 'G \"q <= 1\"' --engine {engine} --json");
        let answer = lariat(args).answer();
        let (verdict, reason) = (&answer["verdict"], answer["reason"].as_str());
        assert_ne!(*verdict, "holds", "{engine}");
        assert!(
            !reason.unwrap_or("").contains("internal"),
            "{engine}: {reason:?}"
        );
    }
    lariat(format!("ask {net} bounds q"))
        .exits(0)
        .prints("q: 2");
    lariat(format!("ask {net} one-safe"))
        .exits(0)
        .prints("one-safe: no");
    lariat(format!("states {net}"))
        .exits(0)
        .prints("most tokens in a place  2");
}

/// Names with a line break, escape sequences and marks of direction.
const NAMES: &str = r#"<pnml><net id="n" type="ptnet"><page id="g">
<place id="a"><name><text>x&#10;HOLDS     1: fine&#27;[2J</text></name><initialMarking><text>1</text></initialMarking></place>
<place id="b&#10;HOLDS     1: fine"/>
<transition id="t&#27;[31m&#155;2J&#x202e;"/>
<arc id="c" source="a" target="t&#27;[31m&#155;2J&#x202e;"/>
<arc id="d" source="t&#27;[31m&#155;2J&#x202e;" target="b&#10;HOLDS     1: fine"/></page></net></pnml>"#;

#[test]
fn names_cannot_forge_output() {
    let folder = Folder::new();
    let net = folder.file("names.pnml", NAMES);
    for args in [
        "check NET -f 'F G !deadlock'",
        "check NET -f 'F G !deadlock' --ids --explain",
        "check NET -f 'F G !deadlock' --json",
        "ask NET bounds --explain",
        "ask NET live --json",
        "ask NET deadlock --ids",
        "info NET",
        "info NET --names",
        "reduce NET -f 'F G !deadlock'",
        "draw NET",
        "bogus NET",
    ] {
        let Ran { out, err, .. } = lariat(args.replace("NET", &net));
        for text in [out, err] {
            let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
            assert!(!text.contains(acts), "{args}: {text:?}");
            let forged = text
                .lines()
                .find(|line| line.starts_with("HOLDS     1: fine"));
            assert_eq!(forged, None, "{args}");
        }
    }
}
