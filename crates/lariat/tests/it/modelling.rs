//! Models that are programs.

use lariat::modelling::{Checker, Model};
use lariat::{Deadlock, EngineId, Reason, Stop, Verdict};
use std::num::NonZeroUsize;
use std::time::Duration;

/// Processes that pass a token around a ring; each may hold it for a while.
struct Ring(usize);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Held {
    by: usize,
    uses: Vec<bool>,
}

#[derive(Clone, PartialEq, Debug)]
enum Step {
    Use(usize),
    Pass(usize),
}

impl Model for Ring {
    type State = Held;
    type Action = Step;

    fn initial(&self) -> Vec<Held> {
        vec![Held {
            by: 0,
            uses: vec![false; self.0],
        }]
    }

    fn actions(&self, state: &Held, actions: &mut Vec<Step>) {
        actions.extend([Step::Use(state.by), Step::Pass(state.by)]);
    }

    fn next(&self, state: &Held, step: &Step) -> Option<Held> {
        let mut next = state.clone();
        match step {
            Step::Use(i) => next.uses[*i] ^= true,
            Step::Pass(i) if state.uses[*i] => return None,
            Step::Pass(i) => next.by = (i + 1) % self.0,
        }
        Some(next)
    }
}

fn ring(n: usize) -> Checker<Ring> {
    Checker::new(Ring(n))
        .atom("first uses", |state: &Held| state.uses[0])
        .atom("last has", move |state: &Held| state.by == n - 1)
        .action_atom("passes", |_, step| matches!(step, Step::Pass(_)))
        .action_atom("uses", |_, step| matches!(step, Step::Use(_)))
}

const ENGINES: [EngineId; 5] = [
    EngineId::Explicit,
    EngineId::Ba,
    EngineId::Ta,
    EngineId::Tgta,
    EngineId::Walk,
];

#[test]
fn every_engine_on_single_states_checks_programs() {
    for engine in ENGINES {
        let mut checker = ring(4).engine(engine);
        if engine == EngineId::Walk {
            checker = checker.timeout(Duration::from_millis(200));
        }
        let holds = |formula: &str| checker.check(formula).unwrap().holds();
        let some = |verdict: bool| match (engine, verdict) {
            (EngineId::Walk, true) => None,
            _ => Some(verdict),
        };
        assert_eq!(
            holds(r#"G ("first uses" -> !"last has")"#),
            some(true),
            "{engine}"
        );
        assert_eq!(holds(r#"F "last has""#), some(false), "{engine}");
        if !matches!(engine, EngineId::Ta | EngineId::Tgta) {
            assert_eq!(holds("G (passes xor uses)"), some(true), "{engine}");
            assert_eq!(holds("G (passes -> X uses)"), some(false), "{engine}");
        }
    }
}

#[test]
fn a_counterexample_is_a_run_of_the_program() {
    for threads in [1, 2] {
        let checker = ring(3).threads(NonZeroUsize::new(threads).unwrap());
        let report = checker.check(r#"G F "last has""#).unwrap();
        let trace = report.trace().expect("the token may stay");
        let states: Vec<&Held> = trace.states().collect();
        assert_eq!(states[0].by, 0);
        for (step, next) in trace.steps().zip(&states[1..]) {
            let action = step.action.as_ref().expect("no deadlock");
            assert_eq!(Ring(3).next(&step.state, action).as_ref(), Some(*next));
        }
        let start = trace.loop_start().expect("liveness");
        assert_eq!(states[start], *states.last().unwrap());
        let (text, page) = (report.to_string(), report.page());
        for step in trace.steps() {
            let action = format!("{:?}", step.action.as_ref().unwrap());
            assert!(text.contains(&action) && page.contains(&action), "{text}");
        }
        assert!(text.contains("by=0 uses[0]=false"), "{text}");
        assert_eq!(report.to_json()["counterexample"]["replayed"], true);
        assert_eq!(report.to_json()["counterexample"]["initial"]["by"], "0");
    }
}

#[test]
fn fairness_of_classes_of_actions() {
    let live = r#"G F "last has""#;
    let uses = |_: &Held, step: &Step| matches!(step, Step::Use(_));
    let passes = |_: &Held, step: &Step| matches!(step, Step::Pass(_));
    for threads in [1, 2] {
        let checker = || ring(3).threads(NonZeroUsize::new(threads).unwrap());
        let verdict = |checker: Checker<Ring>| checker.check(live).unwrap().holds();
        assert_eq!(verdict(checker()), Some(false));
        // A process that uses the resource again and again disables passing infinitely often.
        assert_eq!(
            verdict(checker().weak_fairness("pass", passes)),
            Some(false)
        );
        assert_eq!(
            verdict(checker().strong_fairness("pass", passes)),
            Some(true)
        );
        assert_eq!(verdict(checker().strong_fairness("use", uses)), Some(false));
    }
    let report = ring(3).weak_fairness("pass", passes).check(live).unwrap();
    assert!(
        report.to_string().contains("fair to pass: not enabled at"),
        "{report}"
    );
    let refused = ring(3)
        .engine(EngineId::Ta)
        .weak_fairness("pass", passes)
        .check(live);
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("does not support fairness")
    );
}

/// Counts to a limit, then may stop.
struct Count(u32);

impl Model for Count {
    type State = u32;
    type Action = u32;

    fn initial(&self) -> Vec<u32> {
        vec![0, 0]
    }

    fn actions(&self, _: &u32, actions: &mut Vec<u32>) {
        actions.extend([1, 2]);
    }

    fn next(&self, state: &u32, more: &u32) -> Option<u32> {
        let next = state.checked_add(*more)?;
        (next <= self.0).then_some(next)
    }
}

#[test]
fn deadlocks_follow_the_policy() {
    let count = || Checker::new(Count(10)).atom("ten", |n| *n == 10);
    assert_eq!(count().check("F ten").unwrap().holds(), Some(true));
    assert_eq!(
        count().check("G (deadlock -> ten)").unwrap().holds(),
        Some(true)
    );
    let ignoring = count().deadlock(Deadlock::Ignore);
    let report = ignoring.check("G !ten").unwrap();
    assert_eq!(report.to_json()["vacuous"], "no infinite run");
    let report = count().check("F G !ten").unwrap();
    assert_eq!(report.trace().unwrap().steps().last().unwrap().action, None);
    assert_eq!(count().check("EF ten").unwrap().holds(), Some(true));
    assert_eq!(count().check("AG !ten").unwrap().holds(), Some(false));
    assert_eq!(
        count().count_states().unwrap().states.unwrap().to_string(),
        "11"
    );
}

#[test]
fn a_boundary_that_cuts_something_excludes_holds() {
    let endless = || Checker::new(Count(u32::MAX)).atom("odd", |n| n % 2 == 1);
    for engine in ENGINES {
        let checker = endless()
            .atom("low", |n| *n <= 9)
            .boundary(|n| *n <= 9)
            .timeout(Duration::from_secs(5))
            .engine(engine);
        let report = checker.check("G low").unwrap();
        let Verdict::Unknown(Reason::Stopped(stop)) = report.verdict() else {
            panic!("{engine}: {report}");
        };
        if engine != EngineId::Walk {
            assert!(
                matches!(stop, Stop::Bound(why) if why.contains("boundary")),
                "{report}"
            );
        }
        assert_eq!(
            checker.check("G !odd").unwrap().holds(),
            Some(false),
            "{engine}"
        );
        // The last state inside has successors, so it is no deadlock.
        assert_eq!(
            checker.check("EF deadlock").unwrap().holds(),
            None,
            "{engine}"
        );
    }
    assert!(
        endless()
            .boundary(|n| *n < 9)
            .count_states()
            .unwrap()
            .states
            .is_none()
    );
    let uncut = Checker::new(Count(5))
        .atom("low", |n| *n < 9)
        .boundary(|n| *n < 9);
    assert_eq!(uncut.check("G low").unwrap().holds(), Some(true));
    // Without a boundary, a violation nearby is found in infinitely many states.
    assert_eq!(endless().check("G !odd").unwrap().holds(), Some(false));
}

/// Workers that take tickets; each is idle, waits or works.
struct Workers(usize);

impl Model for Workers {
    type State = Vec<u8>;
    type Action = usize;

    fn initial(&self) -> Vec<Vec<u8>> {
        vec![vec![0; self.0]]
    }

    fn actions(&self, _: &Vec<u8>, actions: &mut Vec<usize>) {
        actions.extend(0..self.0);
    }

    fn next(&self, state: &Vec<u8>, worker: &usize) -> Option<Vec<u8>> {
        let mut next = state.clone();
        next[*worker] = match state[*worker] {
            1 if state.contains(&2) => return None,
            phase => (phase + 1) % 3,
        };
        Some(next)
    }
}

#[allow(clippy::ptr_arg, reason = "states are vectors")]
fn sorted(state: &Vec<u8>) -> Vec<u8> {
    let mut state = state.clone();
    state.sort_unstable();
    state
}

#[test]
fn symmetric_states_are_identified_and_runs_are_concrete() {
    let workers = || {
        Checker::new(Workers(4))
            .atom("two work", |s: &Vec<u8>| {
                s.iter().filter(|w| **w == 2).count() > 1
            })
            .atom("one works", |s: &Vec<u8>| s.contains(&2))
            .atom("all wait", |s: &Vec<u8>| s.iter().all(|w| *w == 1))
            .action_atom("enters", |s, worker| s[*worker] == 1)
    };
    let states =
        |checker: Checker<Workers>| checker.count_states().unwrap().states.unwrap().to_string();
    assert_eq!(
        (states(workers()), states(workers().symmetry(sorted))),
        ("48".into(), "9".into())
    );
    for formula in [
        r#"G !"two work""#,
        r#"G F "one works""#,
        r#"G (enters -> X "one works")"#,
        r#"F "all wait""#,
        r#"G (enters -> X X !enters)"#,
        r#"!F ("all wait" & X ("one works" & F "all wait"))"#,
    ] {
        let whole = workers().check(formula).unwrap();
        for threads in [1, 2] {
            let checker = workers()
                .symmetry(sorted)
                .threads(NonZeroUsize::new(threads).unwrap());
            let report = checker.check(formula).unwrap();
            assert!(report.holds().is_some(), "{report}");
            assert_eq!(whole.holds(), report.holds(), "{formula}");
            if let Some(trace) = report.trace() {
                for (step, next) in trace.steps().zip(trace.states().skip(1)) {
                    let action = step.action.as_ref().unwrap();
                    assert_eq!(Workers(4).next(&step.state, action).as_ref(), Some(next));
                }
            }
        }
    }
}

#[test]
fn a_wrong_symmetry_never_gives_a_verdict() {
    let first = |s: &Vec<u8>| s[0] == 2;
    let report = Checker::new(Workers(2))
        .atom("first", first)
        .symmetry(sorted);
    let report = report.check("G !first").unwrap();
    assert_eq!(report.holds(), None);
    assert!(
        report.to_string().contains("changes the value of `first`"),
        "{report}"
    );
    // Forgets a worker that waits.
    let lossy = |s: &Vec<u8>| s.iter().map(|w| if *w == 1 { 0 } else { *w }).collect();
    let report = Checker::new(Workers(2)).atom("some", |s: &Vec<u8>| s.contains(&2));
    let report = report.symmetry(lossy).check("G !some").unwrap();
    assert_eq!(report.holds(), None);
    assert!(report.to_string().contains("changes the steps"), "{report}");
    let fair = Checker::new(Workers(2))
        .symmetry(sorted)
        .weak_fairness("any", |_, _| true);
    assert!(
        fair.check("true")
            .unwrap_err()
            .to_string()
            .contains("excludes symmetry")
    );
}

#[test]
fn names_and_limits_are_checked() {
    let refused = |checker: Checker<Count>, formula: &str| {
        checker.check(formula).expect_err("refused").to_string()
    };
    let count = || Checker::new(Count(3));
    let twice = count().atom("x", |_| true).action_atom("x", |_, _| true);
    assert!(refused(twice, "x").contains("two atoms or classes are called `x`"));
    assert!(refused(count().atom("deadlock", |_| true), "F deadlock").contains("cannot be"));
    assert!(refused(count().atom("low", |_| true), "G lowe").contains("low"));
    assert!(refused(count().boundary(|_| false), "true").contains("initial state"));
    let mut many = count();
    for i in 0..13 {
        many = many.weak_fairness(&format!("c{i}"), |_, _| true);
    }
    assert!(refused(many, "true").contains("at most 12"));
    let report = count().engine(EngineId::Slap).check("true").unwrap();
    assert_eq!(report.holds(), None);
    assert!(report.to_string().contains("check programs"), "{report}");
}

/// A panic of the model reaches the caller, with any number of threads.
#[test]
fn panics_of_the_model_reach_the_caller() {
    struct Fragile;
    impl Model for Fragile {
        type State = u32;
        type Action = u32;
        fn initial(&self) -> Vec<u32> {
            vec![0]
        }
        fn actions(&self, state: &u32, actions: &mut Vec<u32>) {
            assert!(*state < 5_000, "the model is broken");
            actions.extend([1, 2, 3]);
        }
        fn next(&self, state: &u32, action: &u32) -> Option<u32> {
            Some(state + action)
        }
    }
    for threads in [1, 2, 4] {
        let checker = Checker::new(Fragile).threads(NonZeroUsize::new(threads).unwrap());
        let check = || {
            checker
                .atom("never", |_| false)
                .check("G F never | G !never")
        };
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check));
        let panic = panic.expect_err("the model panics");
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        assert_eq!(text.as_deref(), Some("the model is broken"));
    }
}

#[test]
fn limits_end_a_check() {
    let checker = Checker::new(Count(u32::MAX)).atom("end", |n| *n == u32::MAX);
    let memory = checker.memory(50_000_000).check("G !end").unwrap();
    let Verdict::Unknown(Reason::Stopped(Stop::Memory)) = memory.verdict() else {
        panic!("{memory}");
    };
    let checker = Checker::new(Count(u32::MAX)).atom("end", |n| *n == u32::MAX);
    let checker = checker.timeout(Duration::from_millis(300));
    let time = checker.check("G !end").unwrap();
    assert!(
        matches!(
            time.verdict(),
            Verdict::Unknown(Reason::Stopped(Stop::Time))
        ),
        "{time}"
    );
}

/// A failing assertion shows the counterexample and writes its page; one that holds removes it.
#[test]
fn assertions_show_counterexamples() {
    lariat::assert_holds!(ring(3), r#"G ("first uses" -> F true)"#);
    let fails = std::panic::catch_unwind(|| lariat::assert_holds!(ring(3), "G (passes -> X uses)"));
    let text = *fails.expect_err("it fails").downcast::<String>().unwrap();
    assert!(
        text.contains("VIOLATED") && text.contains("Pass(0)"),
        "{text}"
    );
    let page = text
        .lines()
        .find_map(|line| line.strip_prefix("page: "))
        .unwrap();
    assert!(
        page.ends_with("lariat/modelling-assertions_show_counterexamples.html"),
        "{page}"
    );
    assert!(std::fs::read_to_string(page).unwrap().contains("Pass(0)"));
    lariat::assert_holds!(ring(3), "G (passes xor uses)");
    assert!(!std::path::Path::new(page).exists());
    let fails = std::panic::catch_unwind(|| {
        lariat::assert_holds!(ring(9).timeout(Duration::ZERO), "F uses");
    });
    let text = *fails
        .expect_err("it is unknown")
        .downcast::<String>()
        .unwrap();
    assert!(text.contains("is not known to hold"), "{text}");
}

/// A ring whose states are packed; `loses` forgets which processes use the resource.
struct PackedRing {
    ring: Ring,
    loses: bool,
}

impl Model for PackedRing {
    type State = Held;
    type Action = Step;

    fn initial(&self) -> Vec<Held> {
        self.ring.initial()
    }

    fn actions(&self, state: &Held, actions: &mut Vec<Step>) {
        self.ring.actions(state, actions);
    }

    fn next(&self, state: &Held, step: &Step) -> Option<Held> {
        self.ring.next(state, step)
    }

    fn pack(&self, state: &Held, bytes: &mut Vec<u8>) -> bool {
        bytes.push(state.by as u8);
        bytes.extend(state.uses.iter().map(|uses| u8::from(*uses && !self.loses)));
        true
    }

    fn unpack(&self, bytes: &[u8]) -> Option<Held> {
        let (by, uses) = bytes.split_first()?;
        Some(Held {
            by: (*by).into(),
            uses: uses.iter().map(|uses| *uses == 1).collect(),
        })
    }
}

#[test]
fn packed_states_have_the_same_verdicts() {
    let packed = |loses: bool| {
        Checker::new(PackedRing {
            ring: Ring(5),
            loses,
        })
        .atom("first uses", |state: &Held| state.uses[0])
        .atom("last has", |state: &Held| state.by == 4)
    };
    let count = |space: lariat::StateSpace| space.states.unwrap().to_string();
    assert_eq!(
        count(packed(false).count_states().unwrap()),
        count(ring(5).count_states().unwrap())
    );
    for formula in [r#"G ("first uses" -> !"last has")"#, r#"G F "last has""#] {
        for threads in [1, 2] {
            let threads = NonZeroUsize::new(threads).unwrap();
            let report = packed(false).threads(threads).check(formula).unwrap();
            let whole = ring(5).check(formula).unwrap();
            assert_eq!(report.holds(), whole.holds(), "{formula}");
            let report = packed(true).threads(threads).check(formula).unwrap();
            assert_eq!(report.holds(), None, "{report}");
            assert!(report.to_string().contains("does not restore"), "{report}");
        }
    }
}

/// The order of the edges of an initial node does not change when an edge leads back to it.
#[test]
fn fair_runs_leave_initial_states_with_loops() {
    struct Rise;
    impl Model for Rise {
        type State = u8;
        type Action = u8;
        fn initial(&self) -> Vec<u8> {
            vec![0, 3]
        }
        fn actions(&self, _: &u8, actions: &mut Vec<u8>) {
            actions.extend([0, 1]);
        }
        fn next(&self, state: &u8, more: &u8) -> Option<u8> {
            Some((state + more).min(5))
        }
    }
    let checker = Checker::new(Rise).strong_fairness("up", |_, more| *more == 1);
    let report = checker.check("false").unwrap();
    assert_eq!(report.holds(), Some(false), "{report}");
}
