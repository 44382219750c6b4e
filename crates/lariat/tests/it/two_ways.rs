//! Two-phase commit as a program and as guarded events: the same states and verdicts.

use lariat::modelling::{Checker, Model, ModelBuilder, Term};

/// Resource managers by their states, the transaction manager, and the messages sent so far.
struct Commit(usize);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    managers: Vec<Phase>,
    transaction: Phase,
    known: Vec<bool>,
    prepared: Vec<bool>,
    commit: bool,
    abort: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Phase {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Debug)]
enum Step {
    Commit,
    Abort,
    Learn(usize),
    Prepare(usize),
    GiveUp(usize),
    ObeyCommit(usize),
    ObeyAbort(usize),
}

impl Model for Commit {
    type State = State;
    type Action = Step;

    fn initial(&self) -> Vec<State> {
        vec![State {
            managers: vec![Phase::Working; self.0],
            transaction: Phase::Working,
            known: vec![false; self.0],
            prepared: vec![false; self.0],
            commit: false,
            abort: false,
        }]
    }

    fn actions(&self, _: &State, steps: &mut Vec<Step>) {
        steps.extend([Step::Commit, Step::Abort]);
        for i in 0..self.0 {
            steps.extend([Step::Learn(i), Step::Prepare(i), Step::GiveUp(i)]);
            steps.extend([Step::ObeyCommit(i), Step::ObeyAbort(i)]);
        }
    }

    fn next(&self, state: &State, step: &Step) -> Option<State> {
        let mut next = state.clone();
        let begun = state.transaction == Phase::Working;
        let enabled = match *step {
            Step::Commit => {
                (next.transaction, next.commit) = (Phase::Committed, true);
                begun && state.known.iter().all(|known| *known)
            }
            Step::Abort => {
                (next.transaction, next.abort) = (Phase::Aborted, true);
                begun
            }
            Step::Learn(i) => {
                next.known[i] = true;
                begun && state.prepared[i]
            }
            Step::Prepare(i) => {
                (next.managers[i], next.prepared[i]) = (Phase::Prepared, true);
                state.managers[i] == Phase::Working
            }
            Step::GiveUp(i) => {
                next.managers[i] = Phase::Aborted;
                state.managers[i] == Phase::Working
            }
            Step::ObeyCommit(i) => {
                next.managers[i] = Phase::Committed;
                state.commit
            }
            Step::ObeyAbort(i) => {
                next.managers[i] = Phase::Aborted;
                state.abort
            }
        };
        enabled.then_some(next)
    }
}

const PHASES: [&str; 4] = ["working", "prepared", "committed", "aborted"];

fn built(n: usize) -> lariat::Model {
    let mut model = ModelBuilder::new("two-phase commit");
    let managers = model.names("rm", n, &PHASES, "working");
    let transaction = model.name("tm", &PHASES, "working");
    let known = model.ints("known", n, 0..=1, 0);
    let prepared = model.ints("prepared", n, 0..=1, 0);
    let [commit, abort] = ["commit", "abort"].map(|name| model.int(name, 0..=1, 0));
    let begun = || transaction.is("working");
    let all_known = Term::all(known.iter().map(|known| known.eq(1)));
    let event = model.event("tm commits").when(begun() & all_known);
    event.set(&transaction, "committed").set(&commit, 1);
    let event = model.event("tm aborts").when(begun());
    event.set(&transaction, "aborted").set(&abort, 1);
    for i in 0..n {
        let rm = &managers[i];
        let event = model.event(&format!("tm learns {i}"));
        event.when(begun() & prepared[i].eq(1)).set(&known[i], 1);
        let event = model.event(&format!("{i} prepares")).when(rm.is("working"));
        event.set(rm, "prepared").set(&prepared[i], 1);
        let event = model.event(&format!("{i} gives up"));
        event.when(rm.is("working")).set(rm, "aborted");
        let event = model.event(&format!("{i} obeys commit"));
        event.when(commit.eq(1)).set(rm, "committed");
        let event = model.event(&format!("{i} obeys abort"));
        event.when(abort.eq(1)).set(rm, "aborted");
    }
    let some = |value: &str| Term::any(managers.iter().map(|rm| rm.is(value)));
    model.define("agreement", !(some("committed") & some("aborted")));
    model.build().unwrap()
}

#[test]
fn both_ways_have_the_same_states_and_verdicts() {
    for (n, states) in [(1, "12"), (2, "56"), (3, "288"), (4, "1568")] {
        let program = Checker::new(Commit(n)).count_states().unwrap();
        let model = built(n);
        let events = lariat::Checker::new(&model).count_states();
        for space in [program, events] {
            assert_eq!(space.states.unwrap().to_string(), states, "{n} managers");
        }
    }
    let has = |phase: Phase| move |state: &State| state.managers.contains(&phase);
    let program = Checker::new(Commit(3))
        .atom("agreement", move |state| {
            !(has(Phase::Committed)(state) && has(Phase::Aborted)(state))
        })
        .atom("rm[0].committed", |s: &State| {
            s.managers[0] == Phase::Committed
        })
        .atom("rm[1].aborted", |s: &State| s.managers[1] == Phase::Aborted);
    let model = built(3);
    for formula in [
        "G agreement",
        r#"F "rm[0].committed""#,
        r#"G ("rm[0].committed" -> G !"rm[1].aborted")"#,
        r#"G ("rm[1].aborted" -> F "rm[0].committed")"#,
    ] {
        let expected = program.check(formula).unwrap().holds();
        assert!(expected.is_some());
        for engine in ["auto", "explicit", "slap", "hyb", "owcty"] {
            let mut checker = lariat::Checker::new(&model);
            if let Some(preset) = lariat::internals::Preset::named(engine) {
                checker = checker.engine(preset.id);
            }
            assert_eq!(
                checker.check(formula).unwrap().holds(),
                expected,
                "{engine}: {formula}"
            );
        }
    }
}

#[test]
fn mistakes_of_a_description_are_named() {
    let mistake = |model: ModelBuilder| model.build().unwrap_err().to_string();
    let mut twice = ModelBuilder::new("m");
    twice.int("x", 0..=1, 0);
    twice.int("x", 0..=1, 0);
    assert!(mistake(twice).contains("two variables are called `x`"));
    let mut outside = ModelBuilder::new("m");
    outside.int("x", 0..=1, 2);
    assert!(mistake(outside).contains("not in its range"));
    let mut unknown = ModelBuilder::new("m");
    let x = unknown.name("x", &["a", "b"], "a");
    unknown.event("e").set(&x, "c");
    assert!(mistake(unknown).contains("`c` is not a value of `x`"));
    let mut events = ModelBuilder::new("m");
    events.event("e");
    events.event("e");
    assert!(mistake(events).contains("two events"));
}
