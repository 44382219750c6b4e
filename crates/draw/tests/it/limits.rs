//! Drawings and pages whose budget ends at any moment: they are complete, legible, and say so.

use crate::drawings::well_formed;
use lariat_budget::{Budget, FaultTarget, InjectedFault, Stop};
use lariat_draw::net::DrawnNet;
use lariat_draw::page::{PageEntry, PageSubject, page};
use lariat_draw::run::{DrawnRun, NameIndex, RunError, RunKind};
use lariat_draw::svg::Picture;
use lariat_draw::{NetPicture, processes, reach};
use lariat_formats::{LoadedModel, ModelFormat, read};
use lariat_model::PropertyList;
use lariat_model::generate::{Family, generate};
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

fn philosophers(n: u32) -> LoadedModel {
    let system = generate(Family::Philosophers, n).expect("a net");
    LoadedModel::new(ModelFormat::Pnml, system)
}

fn net(model: &LoadedModel) -> DrawnNet {
    DrawnNet::of(model).expect("a net")
}

/// A budget that ends at the poll with this number, and perhaps at all later ones.
fn ending_at(poll: u64, target: FaultTarget) -> Budget {
    Budget::faulty(InjectedFault::new(Stop::Time, poll, target))
}

const TARGETS: [FaultTarget; 2] = [FaultTarget::One, FaultTarget::All];

#[track_caller]
fn legible(picture: &Picture) {
    well_formed(&picture.text);
    assert_eq!(picture.clash(), None);
}

#[test]
fn a_net_is_drawn_whenever_its_budget_ends() {
    let model = philosophers(4);
    let mut simple = 0;
    for target in TARGETS {
        for poll in (0..40).chain((40..900).step_by(43)) {
            let budget = ending_at(poll, target);
            let picture = NetPicture::whole(net(&model), &budget);
            let drawn = picture.svg("a net", &budget);
            legible(&drawn);
            let says_so = drawn.text.contains("simple layout: too little time");
            assert!(says_so || picture.stop.is_none());
            simple += usize::from(says_so);
        }
    }
    assert!(simple > 0);
}

#[test]
fn a_large_net_is_drawn_in_a_small_share() {
    let model = philosophers(500);
    for share in [0, 1, 20] {
        let start = Instant::now();
        let budget = Budget::unlimited().with_deadline(Duration::from_millis(share));
        let picture = NetPicture::whole(net(&model), &budget).svg("5000 nodes", &budget);
        let took = start.elapsed();
        assert_eq!(picture.text.matches("class=\"node ").count(), 5000);
        assert!(picture.text.contains("simple layout: too little time"));
        well_formed(&picture.text);
        // The bound is loose, since other tests run at the same time.
        assert!(took < Duration::from_secs(10), "{took:?}");
        if share == 0 {
            legible(&picture);
        }
    }
}

/// The distances between all nodes of a large net are not allocated.
#[test]
fn a_layout_leases_its_memory() {
    let budget = Budget::bytes(1 << 20);
    let picture = NetPicture::whole(net(&philosophers(100)), &budget);
    assert_eq!(picture.stop, Some(Stop::Memory));
    let drawn = picture.svg("a net", &budget);
    assert!(drawn.text.contains("simple layout: too little memory"));
    assert!(budget.bytes_peak() <= 1 << 20);
}

#[test]
fn graphs_are_drawn_whenever_their_budget_ends() {
    let text = include_bytes!("../../../../examples/alternating-bit.dve");
    let model = read("bit", text).expect("a program");
    for target in TARGETS {
        for poll in (0..30).chain((30..400).step_by(37)) {
            let budget = ending_at(poll, target);
            for process in processes(&model) {
                legible(&process.graph.svg("a process", &budget));
            }
            let budget = ending_at(poll, target);
            let reached = reach(&model.system, &[], 40, &budget);
            assert_eq!(reached.stop.is_some(), reached.graph.nodes.len() < 40);
            legible(&reached.graph.svg("states", &budget));
        }
    }
}

/// The page of a violated property with a run of this many steps.
fn page_of(model: &LoadedModel, steps: usize, budget: &Budget) -> String {
    let system = &model.system;
    let mut run = DrawnRun::at(system.initial[0].clone());
    for _ in 0..steps {
        let here = run.states[run.states.len() - 1].clone();
        let next = |event| Some((event, system.successors(&here, event).into_iter().next()?));
        let (event, to) = system.event_ids().find_map(next).expect("no deadlock");
        run.events.push(Some(event));
        run.states.push(to);
    }
    run.prefix = steps;
    run.kind = RunKind::Prefix;
    let mut properties = PropertyList::new();
    let text = "G !deadlock & G (Fork_1 & X Fork_2)";
    let added = properties.add_formula(&model.names(), "f", None, text);
    added.expect("a formula");
    let entry = PageEntry {
        report: json!({"property": "f", "verdict": "violated", "counterexample": {}}),
        run: Some(run),
        formula: Some(properties.list[0].formula),
        ..PageEntry::default()
    };
    let subject = PageSubject {
        name: "philosophers",
        model,
        formulas: &properties.formulas,
        propositions: &properties.propositions,
    };
    page(&subject, &[entry], budget)
}

/// The data of a page, which must be complete.
#[track_caller]
fn data(page: &str) -> Json {
    let (_, rest) = page.split_once("id=\"data\">").expect("data");
    let (json, rest) = rest.split_once("</script>").expect("an end");
    assert!(rest.trim_end().ends_with("</html>"));
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn a_page_is_complete_whenever_its_budget_ends() {
    let model = philosophers(7);
    let mut bare = 0;
    for target in TARGETS {
        for poll in (0..20).chain((20..900).step_by(97)) {
            let page = page_of(&model, 5, &ending_at(poll, target));
            assert!(page.contains("class=\"view\""));
            let run = &data(&page)["runs"][0];
            let note = run["notes"][0].as_str().unwrap_or_default();
            let is_bare = run["steps"].as_array().is_some_and(Vec::is_empty);
            assert_eq!(is_bare, note.starts_with("The run is not shown (time)"));
            bare += usize::from(is_bare);
        }
    }
    assert!(bare > 2);
    let page = page_of(&model, 5, &Budget::unlimited());
    assert!(!page.contains("data-remark") && !page.contains("is not shown"));
}

/// A long run of a large net: neither the run nor the drawings have enough time.
#[test]
fn a_page_in_a_small_share_says_what_is_missing() {
    let model = philosophers(300);
    let budget = Budget::unlimited().with_deadline(Duration::ZERO);
    let page = page_of(&model, 300, &budget);
    assert_eq!(page.matches("data-remark=\"simple layout: ").count(), 3);
    let run = &data(&page)["runs"][0];
    assert_eq!(run["steps"], json!([]));
    let note = "The run is not shown (time): the limits left too little for this page.";
    assert_eq!(run["notes"][0], note);
    assert_eq!(run["verdict"], "violated");
}

#[test]
fn reading_a_run_polls_the_budget() {
    let model = philosophers(2);
    let step = json!({"fire": null, "marking": {"Fork_1": 1}});
    let run = json!({"initial": {}, "prefix": vec![step; 2000]});
    let read = NameIndex::new(&model.system).run(&run, &ending_at(3, FaultTarget::One));
    assert_eq!(read.err(), Some(RunError::Stop(Stop::Time)));
}
