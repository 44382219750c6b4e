//! `draw`, `view`, `simulate` and `check --html`.

use crate::kit::{Folder, MUTEX, STARVATION, lariat, lariat_reading};
use serde_json::Value as Json;

/// The JSON data of a page.
pub fn data(page: &str) -> Json {
    let start = "<script type=\"application/json\" id=\"data\">";
    let (_, rest) = page.split_once(start).expect("data");
    let (json, _) = rest.split_once("</script>").expect("an end");
    serde_json::from_str(json).expect("JSON")
}

fn contents(path: &str) -> String {
    std::fs::read_to_string(path).expect("a file")
}

#[test]
fn nets_processes_states_and_automata_are_drawn() {
    let folder = Folder::new();
    let drawn = |options: &str, name: &str| {
        let path = format!("{}/{name}", folder.path());
        lariat(format!("draw examples/mutex.pnml {options} -o {path}")).exits(0);
        contents(&path)
    };
    let svg = drawn("", "net.svg");
    assert!(svg.starts_with("<svg") && svg.contains(">waiting_1</text>"));
    assert!(svg.contains("<title>mutex.pnml</title>"));
    assert_eq!(svg.matches("class=\"node place\"").count(), 7);
    assert!(drawn("", "net.dot").starts_with("digraph"));
    let states = drawn("--reach", "states.svg");
    assert_eq!(states.matches("class=\"node state\"").count(), 8);
    lariat("draw examples/crossing.dve").succeeds("Controller.closed");
    lariat("translate 'G (a -> F b)' --format svg").succeeds("<svg");
    lariat("translate 'G (a -> F b)' --to tgta --format svg").succeeds("if ");
    lariat("draw examples/printers.pnml").succeeds("(who, on)");
}

#[test]
fn unsupported_drawings_are_refused() {
    lariat("draw examples/mutex.pnml -o net.png").refuses("resvg net.svg net.png");
    lariat("draw examples/mutex.pnml -o net.PDF").refuses("rsvg-convert -f pdf -o net.PDF net.svg");
    lariat("draw examples/mutex.pnml -o net.txt").refuses("ends in .svg or .dot");
    lariat("draw examples/mutex.pnml --around lokc").refuses("did you mean");
    lariat("draw examples/crossing.dve --around x").refuses("is not a net");
}

#[test]
fn large_nets_are_drawn_in_part() {
    let folder = Folder::new();
    let net = lariat("generate philosophers 30").exits(0);
    let net = folder.file("phil.pnml", net.out);
    let ran = lariat(format!("draw {net} --around Fork_7 --nodes 25")).exits(0);
    assert_eq!(ran.out.matches("class=\"node ").count(), 25);
    ran.prints(">Fork_7</text>")
        .reports("25 of 300 places and transitions");
    let ran = lariat(format!("draw {net} --reach")).exits(0);
    assert_eq!(ran.out.matches("class=\"node state").count(), 60);
    ran.reports("more states");
}

/// The page of a safety property names the position and the reason.
#[test]
fn pages_explain_safety_violations() {
    let folder = Folder::new();
    let html = format!("{}/page.html", folder.path());
    lariat(format!("check {MUTEX} -f 'G !critical_1' --html {html}")).exits(1);
    let page = contents(&html);
    assert!(page.contains("<title>mutex.pnml – lariat</title>"));
    let run = data(&page)["runs"][0].clone();
    assert_eq!(run["bad"], 2);
    assert_eq!(run["why"][0]["at"], 2);
    assert_eq!(run["why"][0]["text"], "critical_1 holds");
}

/// The layout of thousands of nodes ends with the time limit.
#[test]
fn layouts_end_in_time() {
    let folder = Folder::new();
    let net = lariat("generate philosophers 500").exits(0);
    let net = folder.file("phil.pnml", net.out);
    let ran = lariat(format!("draw {net} --nodes 5000 --timeout 2s")).exits(0);
    assert_eq!(ran.out.matches("class=\"node ").count(), 5000);
    ran.prints("simple layout: too little time for the usual one");
}

#[test]
fn view_makes_the_page_of_check_from_its_trace() {
    let folder = Folder::new();
    let file = |name: &str| format!("{}/{name}", folder.path());
    for (name, extension, violated) in [
        ("mutex", "pnml", 1),
        ("crossing", "dve", 1),
        ("alternating-bit", "dve", 2),
        ("printers", "pnml", 1),
    ] {
        let model = format!("examples/{name}.{extension}");
        let formulas = format!("examples/{name}.ltl");
        let (html, trace) = (file("page.html"), file("trace.json"));
        let check = format!("check {model} -F {formulas} --html {html} --trace {trace}");
        lariat(check).exits(1);
        let checked = data(&contents(&html));
        let runs = checked["runs"].as_array().expect("runs");
        assert!(runs.len() > violated);
        for (i, run) in runs.iter().enumerate() {
            assert_eq!(run["verdict"] == "violated", i < violated, "{model}");
        }
        lariat(format!("view {trace} -o {html}")).succeeds("page.html");
        let viewed = data(&contents(&html));
        let seen = viewed["runs"].as_array().expect("runs");
        assert_eq!(seen.len(), violated);
        for (a, b) in runs.iter().zip(seen) {
            for part in ["steps", "subs", "tokens", "why", "story", "bad"] {
                assert_eq!(a[part], b[part], "{model}: {part}");
            }
        }
    }
}

#[test]
fn pages_show_fairness_constraints() {
    let folder = Folder::new();
    let html = format!("{}/page.html", folder.path());
    let args = format!("check {MUTEX} -f '{STARVATION}' --weak-fair all --html {html}");
    lariat(args).exits(1);
    let run = data(&contents(&html))["runs"][0].clone();
    assert_eq!(run["notes"][0], "Assumed fair: weak all.");
    let constraints = run["fairness"].as_array().expect("constraints");
    let taken = constraints.iter().find(|c| c["name"] == "enter_2: taken");
    assert!(
        taken.is_some_and(|c| c["met"][0].is_u64()),
        "{constraints:?}"
    );
}

#[test]
fn pages_of_automata_show_their_atoms() {
    let folder = Folder::new();
    let hoa = lariat("translate '!G (waiting_1 -> F critical_1)'").exits(0);
    let hoa = folder.file("never.hoa", hoa.out);
    let html = format!("{}/page.html", folder.path());
    let check = format!("check examples/mutex.pnml --automaton {hoa} --html {html}");
    lariat(check).exits(1);
    let atoms = data(&contents(&html))["runs"][0]["subs"].clone();
    assert_eq!(atoms.as_array().map(Vec::len), Some(2));
}

#[test]
fn traces_with_a_missing_or_another_model() {
    let folder = Folder::new();
    let trace = format!("{}/trace.json", folder.path());
    let html = format!("{}/trace.html", folder.path());
    let check = format!("check {MUTEX} -F examples/mutex.ltl --trace {trace}");
    lariat(check).exits(1);
    let renamed = contents(&trace).replace("examples/mutex.pnml", "nowhere.pnml");
    std::fs::write(&trace, renamed).expect("a file");
    lariat(format!("view {trace}"))
        .exits(0)
        .reports("was not found");
    let steps = data(&contents(&html))["runs"][0]["steps"].clone();
    assert_eq!(steps.as_array().map(Vec::len), Some(4));
    lariat(format!("view {trace} --model examples/philosophers.pnml"))
        .refuses("no place or variable");
    let wrong = contents(&trace).replace("\"fire\":\"ask_2\"", "\"fire\":\"enter_2\"");
    std::fs::write(&trace, wrong).expect("a file");
    lariat(format!("view {trace} --model examples/mutex.pnml"))
        .exits(0)
        .reports("step 2 of the run");
    let nothing = folder.file("nothing.json", "{\"schema\": 1}");
    lariat(format!("view {nothing}")).refuses("there is no run");
    let broken = folder.file("broken.json", "{\"schema\": ");
    lariat(format!("view {broken}")).refuses("this is not a trace");
}

#[test]
fn a_simulation_session() {
    let folder = Folder::new();
    let saved = format!("{}/run.json", folder.path());
    let session = format!(
        "1\nenter_1\nenter_2\nu\nnonsense\n99\nr 5\nu 100\nuntil critical_2\ns\nl\nw {saved}\nq\n9\n"
    );
    let ran = lariat_reading("simulate examples/mutex.pnml", &session).exits(0);
    let ran = ran
        .prints("0: lock idle_1 idle_2\n    1  ask_1  −idle_1 +waiting_1")
        .prints("2: enter_1  −lock −waiting_1 +critical_1")
        .prints("`enter_2` is not enabled here")
        .prints("`nonsense` is not an event, number or command")
        .prints("there is no number 99")
        .prints("critical_2 holds after");
    assert!(!ran.out.contains("there is no number 9\n"));
    // Sessions with equal seeds take equal steps, and a saved run can be continued.
    assert_eq!(
        ran.out,
        lariat_reading("simulate examples/mutex.pnml", &session).out
    );
    let continued = format!("simulate examples/mutex.pnml --from {saved}");
    let ran = lariat_reading(continued, "l\n").exits(0);
    ran.prints("+critical_2");
    lariat(format!("view {saved}")).exits(0);
    let until = "until F critical_1\nuntil wating_1\nuntil deadlock, 7\n";
    let ran = lariat_reading("simulate examples/mutex.pnml", until).exits(0);
    ran.prints("a formula without X, F, G and U")
        .prints("did you mean")
        .prints("deadlock does not hold after 7 steps");
}

#[test]
fn pages_of_small_models_contain_the_model() {
    let folder = Folder::new();
    let html = format!("{}/live.html", folder.path());
    for model in [
        "examples/mutex.pnml",
        "examples/crossing.dve",
        "examples/printers.pnml",
    ] {
        lariat(format!("simulate {model} --html {html}")).exits(0);
        assert!(data(&contents(&html))["rules"].is_array(), "{model}");
    }
    let simulate = format!("simulate {MUTEX} -f '{STARVATION}'");
    lariat(format!("{simulate} --html {html}")).exits(0);
    assert_eq!(data(&contents(&html))["runs"][0]["subs"][0]["row"], "0");
    lariat(simulate).refuses("--html");
    let net = lariat("generate philosophers 2000").exits(0);
    let net = folder.file("large.pnml", net.out);
    lariat(format!("simulate {net} --html {html}")).refuses("too large");
}
