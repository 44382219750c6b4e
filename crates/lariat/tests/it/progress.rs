//! Who listens to a run hears which engine works.

use lariat::model::generate::{Family, generate};
use lariat::model::{Names, Properties};
use lariat::{Budget, Choice, Explored, Observer, Options, Property, Schedule, Subject, Systems};
use std::sync::Mutex;

#[derive(Default)]
struct Listener(Mutex<Vec<&'static str>>);

impl Observer for Listener {
    fn engine(&self, name: &'static str) {
        self.0.lock().unwrap().push(name);
    }
}

#[test]
fn every_engine_that_auto_tries_is_named_when_it_begins() {
    let system = generate(Family::Philosophers, 5).unwrap();
    let mut properties = Properties::new();
    let names = Names::of(&system);
    let formula = r#"G ("HasLeft_1 = 1" -> F ("Thinking_1 = 1" | deadlock))"#;
    properties
        .add_formula(&names, "test", None, formula)
        .unwrap();
    // So short a first look that others have their turn.
    let schedule = Schedule {
        glance: 10,
        first_look: 10,
        ..Schedule::default()
    };
    let listener = Listener::default();
    let report = lariat::check(
        &Subject::of_system(&system, &properties.formulas, &properties.propositions),
        Property::Formula(properties.list[0].formula),
        &Options {
            choice: Choice::Auto(schedule),
            ..Options::default()
        },
        &mut Explored::new(&Systems::new()),
        &Budget::unlimited(),
        &listener,
    );
    let tried: Vec<&str> = report.trail.iter().map(|attempt| attempt.engine).collect();
    assert!(tried.len() > 1, "{tried:?}");
    assert_eq!(*listener.0.lock().unwrap(), tried);
}
