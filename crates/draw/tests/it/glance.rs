//! Pages at a glance: they open where it matters, explain themselves, and no texts overlap.

use crate::browser::Browser;
use lariat_budget::Budget;
use lariat_draw::page::{PageEntry, PageSubject, page};
use lariat_draw::run::{DrawnRun, RunKind};
use lariat_formats::{LoadedModel, read};
use lariat_model::{PropertyList, System};
use serde_json::{Value as Json, json};

fn example(name: &str) -> LoadedModel {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    read(name, &std::fs::read(path).expect("a file")).expect("a model")
}

/// A run of the first enabled events, with a loop if a state repeats.
fn walk(system: &System, steps: usize) -> DrawnRun {
    let mut run = DrawnRun::at(system.initial[0].clone());
    for step in 0..steps {
        let here = run.states[run.states.len() - 1].clone();
        let next = |event| Some((event, system.successors(&here, event).into_iter().next()?));
        let mut moves = system.event_ids().filter_map(next);
        // Different events, so that the run visits several states.
        let first = moves.next().expect("no deadlock");
        let (event, to) = moves.nth(step % 2).unwrap_or(first);
        let back = run.states.iter().position(|state| *state == to);
        run.events.push(Some(event));
        run.states.push(to);
        run.prefix = run.events.len();
        if let Some(back) = back {
            run.prefix = back;
            run.kind = RunKind::Lasso;
            break;
        }
    }
    run
}

/// A page with one entry per formula, each with this verdict and run.
fn page_of(model: &LoadedModel, name: &str, entries: &[(&str, &str, Option<DrawnRun>)]) -> String {
    let mut properties = PropertyList::new();
    for (formula, ..) in entries {
        let added = properties.add_formula(&model.names(), "f", None, formula);
        added.expect("a formula");
    }
    let told: Vec<PageEntry> = entries
        .iter()
        .zip(&properties.list)
        .map(|((formula, verdict, run), property)| PageEntry {
            report: json!({"property": property.name, "formula": formula, "verdict": verdict,
                "engine": "explicit", "seconds": 0.01, "deadlock": "stutter"}),
            run: run.clone(),
            formula: Some(property.formula),
            ..PageEntry::default()
        })
        .collect();
    let subject = PageSubject {
        name,
        model,
        formulas: &properties.formulas,
        propositions: &properties.propositions,
    };
    page(&subject, &told, &Budget::unlimited())
}

/// The data of a page.
fn data(page: &str) -> Json {
    let (_, rest) = page.split_once("id=\"data\">").expect("data");
    let (json, _) = rest.split_once("</script>").expect("an end");
    serde_json::from_str(json).expect("JSON")
}

/// The mutex with a violated safety property, a violated liveness property, and one that holds.
fn mutex() -> String {
    let model = example("mutex.pnml");
    let mut prefix = walk(&model.system, 2);
    // ask_1, enter_1: the first process is in its critical section.
    prefix = DrawnRun {
        kind: RunKind::Prefix,
        bad: Some(2),
        ..named(&model.system, prefix, &["ask_1", "enter_1"], None)
    };
    let starving = ["ask_1", "ask_2", "enter_2", "leave_2"];
    let lasso = named(&model.system, walk(&model.system, 0), &starving, Some(1));
    let entries = [
        ("G !critical_1", "violated", Some(prefix)),
        ("G (waiting_1 -> F critical_1)", "violated", Some(lasso)),
        ("G !(critical_1 & critical_2)", "holds", None),
    ];
    page_of(&model, "some/folder/mutex.pnml", &entries)
}

/// The run of these events from the initial state; the loop starts at a position.
fn named(system: &System, run: DrawnRun, events: &[&str], cycle: Option<usize>) -> DrawnRun {
    let mut run = DrawnRun::at(run.states[0].clone());
    for name in events {
        let event = system.event_ids().find(|e| system.event(*e).name == *name);
        let event = event.expect("an event");
        let here = &run.states[run.states.len() - 1];
        let to = system.successors(here, event).remove(0);
        run.events.push(Some(event));
        run.states.push(to);
    }
    run.prefix = cycle.unwrap_or(run.events.len());
    if cycle.is_some() {
        run.kind = RunKind::Lasso;
    }
    run
}

#[test]
fn safety_violations_are_explained() {
    let page = mutex();
    assert!(page.contains("<title>mutex.pnml – lariat</title>"));
    let data = data(&page);
    assert_eq!(data["title"], "mutex.pnml");
    assert_eq!(data["model"], "some/folder/mutex.pnml");
    let why = &data["runs"][0]["why"];
    assert_eq!(*why, json!([{"at": 2, "text": "critical_1 holds"}]));
    let last = &data["runs"][2];
    assert_eq!(
        (&last["shown"], &last["story"]),
        (&json!(false), &Json::Null)
    );
}

/// A file that is called like every other one does not name the page alone.
#[test]
fn the_net_names_the_page_of_a_contest_model() {
    let mut model = example("mutex.pnml");
    model.system.name = "Mutex-PT-2".to_owned();
    let page = page_of(&model, "inputs/Mutex/model.pnml", &[]);
    assert!(page.contains("<title>Mutex-PT-2 (model.pnml) – lariat</title>"));
    assert_eq!(data(&page)["about"], "7 places, 6 transitions");
}

#[test]
fn units_have_their_names() {
    let unit = |id: &str, places: &str| {
        format!("<unit id=\"{id}\"><places>{places}</places><subunits/></unit>")
    };
    let text = format!(
        "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\">
         <place id=\"p\"><initialMarking><text>1</text></initialMarking></place><place id=\"q\"/>
         <transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"/><arc id=\"b\" source=\"t\" target=\"q\"/>
         <toolspecific tool=\"nupn\" version=\"1.1\"><structure units=\"2\" root=\"All\" safe=\"false\">
         <unit id=\"All\"><places/><subunits>Server</subunits></unit>{}</structure></toolspecific></page></net></pnml>",
        unit("Server", "p q")
    );
    let model = read("units", text.as_bytes()).expect("a net");
    let run = named(&model.system, walk(&model.system, 0), &["t"], None);
    let page = page_of(&model, "units.pnml", &[("G p", "violated", Some(run))]);
    assert_eq!(
        data(&page)["lanes"],
        json!([{"name": "Server", "places": [0, 1]}])
    );
}

/// The part of a net shows what the first property is about, however many others there are.
#[test]
fn the_first_run_is_in_the_picture() {
    let places = |i: usize| {
        format!("<place id=\"p{i}\"><initialMarking><text>1</text></initialMarking></place>")
    };
    let steps = |i: usize| {
        let to = (i + 1) % 300;
        format!(
            "<transition id=\"t{i}\"/><arc id=\"a{i}\" source=\"p{i}\" target=\"t{i}\"/><arc id=\"b{i}\" source=\"t{i}\" target=\"p{to}\"/>"
        )
    };
    let all: String = (0..300).map(|i| places(i) + &steps(i)).collect();
    let text = format!("<pnml><net type=\"ptnet\"><page id=\"g\">{all}</page></net></pnml>");
    let model = read("ring", text.as_bytes()).expect("a net");
    let run = named(
        &model.system,
        walk(&model.system, 0),
        &["t150", "t151"],
        None,
    );
    let many: Vec<String> = (0..80).map(|i| format!("G p{i}")).collect();
    let mut entries = vec![("G p10", "violated", Some(run))];
    entries.extend(many.iter().map(|f| (f.as_str(), "holds", None)));
    let page = page_of(&model, "ring.pnml", &entries);
    let (_, view) = page.split_once("class=\"view\"").expect("a view");
    let (view, _) = view.split_once("</svg>").expect("an end");
    for node in ["t150", "t151", "p151", "p10"] {
        assert!(view.contains(&format!("<title>{node}</title>")), "{node}");
    }
}

#[test]
fn a_page_opens_where_it_matters() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open("mutex.html", &mutex());
    assert_eq!(browser.eval("return lariat.position()"), 2);
    assert_eq!(browser.text("because"), "Why it is violated:");
    assert_eq!(browser.text("why"), "At position 2, critical_1 holds.");
    let legend = |browser: &Browser| {
        let items = browser.eval(
            "return [...document.querySelectorAll('#legend li')].map(item => item.textContent)",
        );
        let items = items.as_array().cloned().unwrap_or_default();
        let text = |item: &Json| item.as_str().unwrap_or_default().to_owned();
        items.iter().map(text).collect::<Vec<_>>()
    };
    let items = legend(&browser);
    assert!(
        items[0].starts_with('✗') && items.contains(&"true".to_owned()),
        "{items:?}"
    );
    browser.eval("lariat.select(1)");
    assert_eq!(browser.eval("return lariat.position()"), 1);
    let items = legend(&browser);
    assert_eq!(items[0], "the loop, repeated infinitely often");
    assert_eq!(browser.console_messages(), Vec::<String>::new());
}

#[test]
fn a_page_of_a_property_that_holds_shows_no_run() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open("mutex.html", &mutex());
    browser.eval("lariat.select(2)");
    let visible = "return document.body.innerText.toLowerCase()";
    let text = browser.eval(visible);
    let text = text.as_str().expect("a text");
    for word in ["the run", "position", "leave the run", "loop"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    let coloured = "return document.querySelectorAll('#formula .yes, #formula .no').length";
    assert_eq!(browser.eval(coloured), 0);
    // A simulation has a run; leaving it returns to the property.
    browser.click("#enabled button");
    assert_eq!(
        browser.eval("return document.getElementById('time').hidden"),
        false
    );
    browser.click("#leave");
    assert_eq!(browser.text("word"), "HOLDS");
    assert_eq!(
        browser.eval("return document.getElementById('time').hidden"),
        true
    );
    assert_eq!(browser.console_messages(), Vec::<String>::new());
}

/// A run that fits the window is shown without scrolling.
#[test]
fn a_short_run_is_visible_as_a_whole() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let model = example("crossing.dve");
    let run = walk(&model.system, 7);
    let entry = ("G !\"Gate.down\"", "violated", Some(run));
    browser.open("page.html", &page_of(&model, "crossing.dve", &[entry]));
    let hidden =
        "const s = document.getElementById('scroller'); return s.scrollWidth - s.clientWidth";
    assert_eq!(browser.eval(hidden), 0);
}

/// Pairs of texts that overlap where they are visible, and whether the page is too wide.
const CLASHES: &str = "
  const visible = element => {
    let {left, top, right, bottom} = element.getBoundingClientRect();
    for (let box = element.parentElement; box; box = box.parentElement) {
      if (box === document.body || getComputedStyle(box).overflowX === 'visible') continue;
      const r = box.getBoundingClientRect();
      [left, top, right, bottom] = [Math.max(left, r.left), Math.max(top, r.top), Math.min(right, r.right), Math.min(bottom, r.bottom)];
    }
    return [left + .6, top + .6, right - .6, bottom - .6];
  };
  const parts = '#track text, .view:not([hidden]) .name, .view:not([hidden]) .inscription text, .process text, #labels div, #legend li, #why button, #says, #formula, #story, #because, #where, #controls button, #tools button, #size, #about, h1, #choose';
  const texts = [...document.querySelectorAll(parts)].filter(e => e.textContent.trim() !== '' && e.getClientRects().length);
  const list = texts.map(e => [e.textContent, visible(e), e.closest('#board, .view, .process, #controls, #tools, header, #verdict, #legend')]);
  const bad = [];
  for (let i = 0; i < list.length; i++) for (let j = 0; j < i; j++) {
    const [a, p, x] = list[i], [b, q, y] = list[j];
    if (x === y && Math.max(p[0], q[0]) < Math.min(p[2], q[2]) && Math.max(p[1], q[1]) < Math.min(p[3], q[3])) bad.push(a + ' overlaps ' + b);
  }
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) bad.push('the page is wider than the window');
  return bad;";

/// A net of a ring of places with these names, given in XML.
fn ring(names: &[String]) -> LoadedModel {
    let node = |(i, name): (usize, &String)| {
        let to = (i + 1) % names.len();
        format!(
            "<place id=\"{name}\"><initialMarking><text>1</text></initialMarking></place><transition id=\"t {name}\"/>
             <arc id=\"a{i}\" source=\"{name}\" target=\"t {name}\"/><arc id=\"b{i}\" source=\"t {name}\" target=\"{}\"/>",
            names[to]
        )
    };
    let all: String = names.iter().enumerate().map(node).collect();
    let text = format!("<pnml><net type=\"ptnet\"><page id=\"g\">{all}</page></net></pnml>");
    read("ring", text.as_bytes()).expect("a net")
}

#[test]
fn no_texts_overlap_at_any_width() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let long: Vec<String> = (0..5)
        .map(|i| format!("{}_{i}", "a_long_name".repeat(7)))
        .collect();
    let marks = ["&lt;b&gt;", "&amp;amp;", "x &quot; y", "&lt;/script&gt;"].map(str::to_owned);
    let many: Vec<String> = (0..300).map(|i| format!("p{i}")).collect();
    let thirty: Vec<String> = (0..30).map(|i| format!("p{i}")).collect();
    let thirty = format!("G ({})", thirty.join(" & "));
    let pages = [
        (example("mutex.pnml"), "G !critical_1".to_owned()),
        (example("crossing.dve"), "G !\"Gate.down\"".to_owned()),
        (
            example("alternating-bit.dve"),
            "G !Receiver.wrong".to_owned(),
        ),
        (
            example("printers.pnml"),
            "F G \"waiting(ann) >= 1\"".to_owned(),
        ),
        (ring(&long), format!("F G \"{}\"", long[3])),
        (ring(&marks), "F G \"x \\\" y\"".to_owned()),
        (ring(&many), thirty),
    ];
    for (model, formula) in &pages {
        let run = walk(&model.system, 45);
        let page = page_of(model, "folder/model", &[(formula, "violated", Some(run))]);
        browser.open("page.html", &page);
        for (width, dark) in [(1200, false), (400, true)] {
            browser.resize((width, 900), dark);
            // Also with subformulas, and at the start.
            for script in [
                "",
                "document.getElementById('subformulas').click(); lariat.go(0);",
            ] {
                let clashes = browser.eval(&format!("{script}{CLASHES}"));
                assert_eq!(clashes, json!([]), "{formula} at {width}");
            }
        }
    }
    assert_eq!(browser.console_messages(), Vec::<String>::new());
}
