//! Pages in a browser: keys and clicks show the states of the replay.

use crate::browser::{Browser, END, HOME, LEFT, RIGHT};
use lariat_budget::Budget;
use lariat_corpora::each_case;
use lariat_draw::page::{PageEntry, PageSubject, can_be_run, page};
use lariat_draw::run::{DrawnRun, NameIndex, RunKind, write};
use lariat_formats::{LoadedModel, ModelFormat, read};
use lariat_ltl::Formulas;
use lariat_model::{
    Action, Arc, Deadlock, Domain, Event, EventId, PropertyList, System, VarId, Variable,
};
use lariat_random::Random;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// A random run, up to the first repeated state or for `most` steps.
fn random_run(system: &System, random: &mut Random, most: usize) -> DrawnRun {
    let mut run = DrawnRun::at(random.one_of(&system.initial).clone());
    for _ in 0..most {
        let here = run.states[run.states.len() - 1].clone();
        let moves = |event| {
            let successors = system.successors(&here, event).into_iter();
            successors.map(move |to| (event, to))
        };
        let moves: Vec<_> = system.event_ids().flat_map(moves).collect();
        let (event, to) = match random.pick(&moves) {
            Some((event, to)) => (Some(*event), to.clone()),
            None => (None, here),
        };
        let back = run.states.iter().position(|state| *state == to);
        run.events.push(event);
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

/// A random model: a net, a coloured net, or a program.
fn any_model(random: &mut Random) -> LoadedModel {
    const PROGRAMS: [&[u8]; 2] = [
        include_bytes!("../../../../examples/alternating-bit.dve"),
        include_bytes!("../../../../examples/crossing.dve"),
    ];
    match random.below(4) {
        0 => LoadedModel::new(ModelFormat::Pnml, lariat_testkit::nets::random(random, 0)),
        1 => {
            let text = lariat_testkit::coloured::random(random);
            read("coloured", text.as_bytes()).expect("a coloured net")
        }
        2 => read("program", random.one_of::<&[u8]>(&PROGRAMS)).expect("a program"),
        _ => LoadedModel::new(ModelFormat::Dve, lariat_testkit::programs::any(random)),
    }
}

fn one_page(model: &LoadedModel, name: &str, properties: &[PageEntry]) -> String {
    let formulas = Formulas::new();
    let subject = PageSubject {
        name,
        model,
        formulas: &formulas,
        propositions: &[],
    };
    page(&subject, properties, &Budget::unlimited())
}

fn violated(run: &DrawnRun, system: &System) -> PageEntry {
    let report =
        json!({"property": "p", "verdict": "violated", "counterexample": write(system, run)});
    PageEntry {
        report,
        run: Some(run.clone()),
        ..PageEntry::default()
    }
}

/// A state as the page names it.
fn marking(system: &System, state: &[i64]) -> BTreeMap<String, String> {
    let value = |var: VarId, value: i64| match &system.variable(var).domain {
        Domain::Names(names) => names[value as usize].clone(),
        _ => value.to_string(),
    };
    let pairs = system.var_ids().zip(state);
    pairs
        .map(|(var, x)| (system.variable(var).name.clone(), value(var, *x)))
        .collect()
}

fn texts(json: &Json) -> BTreeMap<String, String> {
    let object = json.as_object().expect("an object").iter();
    object
        .map(|(name, value)| (name.clone(), value.as_str().unwrap_or("").to_owned()))
        .collect()
}

/// The entries that must be shown of a state: all but empty places.
fn shown(system: &System, state: &[i64]) -> BTreeMap<String, String> {
    let mut all = marking(system, state);
    for (var, value) in system.var_ids().zip(state) {
        let variable = system.variable(var);
        if *value == 0 && matches!(variable.domain, Domain::Count { .. })
            || variable.name.starts_with("(sent ")
        {
            all.remove(&variable.name);
        }
    }
    all
}

#[test]
fn stepping_shows_the_markings_of_the_replay() {
    let Some(browser) = Browser::start() else {
        return;
    };
    each_case(50, |random| {
        let model = any_model(random);
        let system = &model.system;
        if system.initial.is_empty() {
            return;
        }
        let run = random_run(system, random, 24);
        let page = one_page(&model, "m", &[violated(&run, system)]);
        browser.open("trace.html", &page);
        // Twice through the loop, by keys; records the shown state after each step.
        let count = run.events.len();
        let steps = if run.is_infinite() {
            2 * count - run.prefix
        } else {
            count
        };
        let script = format!(
            "lariat.go(0); const all = [lariat.shown()]; for (let i = 0; i < {steps}; i++) {{
               document.body.dispatchEvent(new KeyboardEvent('keydown', {{key: 'ArrowRight', bubbles: true}}));
               all.push(lariat.shown()); }} return all;"
        );
        let seen = browser.eval(&script);
        let seen = seen.as_array().expect("a list");
        assert_eq!(seen.len(), steps + 1);
        for (time, seen) in seen.iter().enumerate() {
            let position = if time < count || !run.is_infinite() {
                time
            } else {
                run.prefix + (time - run.prefix) % (count - run.prefix)
            };
            let mut seen = texts(seen);
            let want = shown(system, &run.states[position]);
            // A place that was just emptied is shown as well.
            seen.retain(|name, value| value != "0" || want.contains_key(name));
            assert_eq!(seen, want, "time {time}");
        }
        // Real key presses and clicks on buttons.
        browser.press(HOME);
        browser.press(RIGHT);
        browser.press(LEFT);
        assert_eq!(browser.eval("return lariat.time()"), 0);
        browser.press(END);
        let last = if run.is_infinite() { count - 1 } else { count };
        assert_eq!(browser.eval("return lariat.position()"), last);
        let state = texts(&browser.eval("return lariat.state()"));
        assert_eq!(state, marking(system, &run.states[last]));
        if run.is_infinite() {
            browser.click("#next");
            assert_eq!(browser.eval("return lariat.position()"), run.prefix);
        }
        assert_eq!(browser.console_messages(), Vec::<String>::new());
    });
}

#[test]
fn rounds_of_a_covering_run_add_up() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let system = net(&["p", "q"], &[1, 0], &[("t", &[(0, 1, 0), (1, 0, 2)])]);
    let index = NameIndex::new(&system);
    let run = json!({"kind": "covering", "initial": {"p": 1}, "prefix": [], "growth": {"q": 2},
                     "loop": [{"fire": "t", "marking": {"p": 1, "q": 2}}]});
    let run = index.run(&run, &Budget::unlimited()).expect("a run");
    assert_eq!(
        run.astray(&system, Deadlock::Stutter, &Budget::unlimited()),
        Ok(None)
    );
    let model = LoadedModel::new(ModelFormat::Pnml, system.clone());
    let page = one_page(&model, "m", &[violated(&run, &system)]);
    browser.open("covering.html", &page);
    for round in 0..4 {
        let mut state = texts(&browser.eval("return lariat.shown()"));
        let q = state.remove("q").unwrap_or("0".to_owned());
        assert_eq!(q, (2 * round).to_string());
        browser.press(RIGHT);
    }
    assert_eq!(browser.text("notes"), "Each round adds +2 q.");
    // A simulation continues from the current round.
    browser.press("r");
    assert_eq!(texts(&browser.eval("return lariat.shown()"))["q"], "10");
    let saved = browser.eval("return lariat.saved()");
    let saved: Json = serde_json::from_str(saved.as_str().expect("a text")).expect("JSON");
    let run = index
        .run(&saved["run"], &Budget::unlimited())
        .expect("a run");
    assert_eq!(run.events.len(), 5);
    assert_eq!(
        run.astray(&system, Deadlock::Stutter, &Budget::unlimited()),
        Ok(None)
    );
}

/// Arcs of a transition: place, need, delta.
type Arcs<'a> = &'a [(u32, i64, i64)];

/// A net with places, initial tokens and transitions.
fn net(places: &[&str], tokens: &[i64], transitions: &[(&str, Arcs<'_>)]) -> System {
    let variable = |name: &&str| Variable {
        name: (*name).to_owned(),
        domain: Domain::Count { bound: None },
    };
    let arc = |(var, need, delta): &(u32, i64, i64)| Arc {
        var: VarId(*var),
        need: *need,
        delta: *delta,
    };
    let event = |(name, arcs): &(&str, Arcs<'_>)| Event {
        name: (*name).to_owned(),
        action: Action::Net(arcs.iter().map(arc).collect()),
    };
    System {
        variables: places.iter().map(variable).collect(),
        events: transitions.iter().map(event).collect(),
        initial: vec![tokens.into()],
        ..System::default()
    }
}

#[test]
fn simulation_in_the_page_agrees_with_the_model() {
    let Some(browser) = Browser::start() else {
        return;
    };
    each_case(30, |random| {
        let model = any_model(random);
        let system = &model.system;
        if system.initial.is_empty() || system.events.is_empty() || !can_be_run(system) {
            return;
        }
        let start = DrawnRun::at(system.initial[0].clone());
        let property = PageEntry {
            run: Some(start),
            ..PageEntry::default()
        };
        browser.open("live.html", &one_page(&model, "m", &[property]));
        let index = NameIndex::new(system);
        for steps in [4, 8] {
            let script = format!(
                "for (let i = 0; i < {steps}; i++) document.getElementById('random').click(); return [lariat.saved(), lariat.enabled()];"
            );
            let answer = browser.eval(&script);
            let saved: Json =
                serde_json::from_str(answer[0].as_str().expect("a text")).expect("JSON");
            let run = index
                .run(&saved["run"], &Budget::unlimited())
                .expect("a run");
            assert_eq!(
                run.astray(system, Deadlock::Ignore, &Budget::unlimited()),
                Ok(None),
                "{run:?}"
            );
            let last = &run.states[run.states.len() - 1];
            let possible = |event: &_| system.successors(last, *event).len();
            let want: Vec<&str> = system
                .event_ids()
                .flat_map(|event| std::iter::repeat_n(&*system.event(event).name, possible(&event)))
                .collect();
            let seen = answer[1].as_array().expect("a list");
            let seen: Vec<&str> = seen.iter().filter_map(Json::as_str).collect();
            assert_eq!(seen, want);
        }
        assert_eq!(browser.console_messages(), Vec::<String>::new());
    });
}

#[test]
fn leaving_a_run_and_returning() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let text = include_bytes!("../../../../examples/mutex.pnml");
    let model = read("mutex", text).expect("a net");
    let mut properties = PropertyList::new();
    let added = properties.add_formula(&model.names(), "f", None, "G (waiting_1 -> F critical_1)");
    added.expect("a formula");
    let run = json!({"initial": {"lock": 1, "idle_1": 1, "idle_2": 1},
        "prefix": [{"fire": "ask_1", "marking": {"lock": 1, "waiting_1": 1, "idle_2": 1}}],
        "loop": [{"fire": "ask_2", "marking": {"lock": 1, "waiting_1": 1, "waiting_2": 1}},
                 {"fire": "enter_2", "marking": {"waiting_1": 1, "critical_2": 1}},
                 {"fire": "leave_2", "marking": {"lock": 1, "waiting_1": 1, "idle_2": 1}}]});
    let run = NameIndex::new(&model.system)
        .run(&run, &Budget::unlimited())
        .expect("a run");
    let formula = Some(properties.list[0].formula);
    let subject = PageSubject {
        name: "mutex",
        model: &model,
        formulas: &properties.formulas,
        propositions: &properties.propositions,
    };
    let property = PageEntry {
        formula,
        ..violated(&run, &model.system)
    };
    browser.open(
        "mutex.html",
        &page(&subject, &[property], &Budget::unlimited()),
    );
    let text = |id: &str| browser.text(id);
    assert_eq!(text("formula"), "G (waiting_1 -> F critical_1)");
    let class = |at: usize, part: &str| {
        browser.eval(&format!(
            "lariat.go({at}); return [...document.querySelectorAll('#formula span')].find(s => s.textContent === '{part}').className"
        ))
    };
    assert_eq!(class(0, "waiting_1"), "no");
    assert_eq!(class(1, "waiting_1"), "yes");
    assert_eq!(class(0, "(waiting_1 -> F critical_1)"), "yes");
    assert_eq!(class(1, "(waiting_1 -> F critical_1)"), "no");
    // The reasons are shown, and a click goes to their position.
    browser.click("#why li:last-child button");
    assert_eq!(browser.eval("return lariat.position()"), 1);
    browser.click("#enabled button[data-event=enter_1]");
    let state = texts(&browser.eval("return lariat.shown()"));
    assert_eq!(state["critical_1"], "1");
    assert_eq!(text("word"), "SIMULATION");
    browser.click("#undo");
    assert!(!texts(&browser.eval("return lariat.shown()")).contains_key("critical_1"));
    browser.click("#leave");
    assert_eq!(text("word"), "VIOLATED");
    assert_eq!(browser.console_messages(), Vec::<String>::new());
}

#[test]
fn names_are_shown_and_never_executed() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let nasty = "</script><script>window.pwned=1</script><img src=x onerror=\"window.pwned=2\">'\"&{{data}}\u{2028}é漢🦀\\";
    let place = format!("{nasty}p");
    let event = format!("{nasty}t");
    let system = net(&[&place], &[1], &[(&event, &[(0, 1, 0)])]);
    let model = LoadedModel::new(ModelFormat::Pnml, system.clone());
    let mut properties = PropertyList::new();
    let formula = format!("G F fires(\"{}\")", "x");
    let added = properties.add_formula(&model.names(), "f", None, &formula);
    assert!(added.is_err());
    let run = NameIndex::new(&system)
        .run(
            &json!({"initial": {&place: 1}, "loop": [{"fire": event, "marking": {&place: 1}}]}),
            &Budget::unlimited(),
        )
        .expect("a run");
    let report = json!({"property": nasty, "formula": nasty, "verdict": "violated", "reason": nasty, "engine": nasty,
        "facts": [{"says": nasty}], "fairness": [nasty], "counterexample": {"fair": [{"constraint": nasty, "met": nasty, "at": 0}]}});
    let property = PageEntry {
        report,
        run: Some(run),
        ..PageEntry::default()
    };
    browser.open("nasty.html", &one_page(&model, nasty, &[property]));
    let text = |id: &str| browser.text(id);
    let path = browser.eval("return document.getElementById('model').title");
    assert_eq!(path, nasty);
    assert_eq!(
        browser.eval("return document.title"),
        format!(
            "{} – lariat",
            "script><img src=x onerror=\"window.pwned=2\">'\"&{{data}}\u{2028}é漢🦀"
        )
    );
    assert_eq!(text("formula"), nasty);
    assert_eq!(texts(&browser.eval("return lariat.shown()"))[&place], "1");
    let title = browser.eval("return document.querySelector('.node.place title').textContent");
    assert_eq!(title, place);
    assert_eq!(browser.eval("return lariat.enabled()"), json!([event]));
    let harmless = "return window.pwned === undefined && document.images.length === 0";
    assert_eq!(browser.eval(harmless), true);
    assert_eq!(browser.eval("return document.scripts.length"), 2);
    assert_eq!(browser.console_messages(), Vec::<String>::new());
    // The policy of the page prevents an injected script from running.
    let injected = "const s = document.createElement('script'); s.textContent = 'window.pwned = 3'; document.body.append(s);
        const i = document.createElement('img'); i.setAttribute('onerror', 'window.pwned = 4'); i.src = 'x'; document.body.append(i);
        return new Promise(done => setTimeout(() => done(window.pwned === undefined), 200));";
    assert_eq!(browser.eval(injected), true);
}

#[test]
fn a_long_run_of_a_large_net_loads_and_steps_quickly() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let (places, steps) = (5000_u32, 2000_usize);
    let mut system = System::default();
    for i in 0..places {
        let domain = Domain::Count { bound: None };
        let name = format!("place_{i}");
        system.variables.push(Variable { name, domain });
        let arc = |var: u32, need, delta| Arc {
            var: VarId(var),
            need,
            delta,
        };
        let mut arcs = vec![arc(i, 1, -1), arc((i + 1) % places, 0, 1)];
        arcs.sort_by_key(|arc| arc.var);
        system.events.push(Event {
            name: format!("step_{i}"),
            action: Action::Net(arcs),
        });
    }
    let tokens = (0..places).map(|i| i64::from(i % 7 == 0));
    system.initial.push(tokens.collect());
    // The reference semantics would try all events at every step.
    let (mut run, mut random) = (DrawnRun::at(system.initial[0].clone()), Random::new(1));
    while run.events.len() < steps {
        let mut state = run.states[run.states.len() - 1].clone();
        let place = random.below(places);
        if state[place as usize] > 0 {
            state[place as usize] -= 1;
            state[((place + 1) % places) as usize] += 1;
            run.events.push(Some(EventId(place)));
            run.states.push(state);
        }
    }
    run.prefix = steps;
    assert_eq!(run.events.len(), steps);
    let model = LoadedModel::new(ModelFormat::Pnml, system.clone());
    let page = one_page(&model, "large", &[violated(&run, &system)]);
    // The best of several tries, because of other load on the machine.
    let milliseconds = |script: &str| browser.eval(script).as_f64().expect("milliseconds");
    let load = (0..3).map(|_| {
        browser.open("large.html", &page);
        milliseconds("const [n] = performance.getEntriesByType('navigation'); return n.loadEventEnd || performance.now()")
    });
    let load = load.fold(f64::MAX, f64::min);
    assert!(load < 3000.0, "it took {load} ms to load");
    let step = (0..10).map(|_| {
        milliseconds(
            "const start = performance.now(); for (let i = 0; i < 10; i++) document.getElementById('next').click();
             document.body.getBoundingClientRect(); return (performance.now() - start) / 10",
        )
    });
    let step = step.fold(f64::MAX, f64::min);
    assert!(step < 50.0, "a step takes {step} ms");
    browser.press(END);
    let state = texts(&browser.eval("return lariat.state()"));
    assert_eq!(state, marking(&system, &run.states[steps]));
    eprintln!("loads in {load:.0} ms, steps in {step:.1} ms");
    assert_eq!(browser.console_messages(), Vec::<String>::new());
}
