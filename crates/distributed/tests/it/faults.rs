//! Processes that are killed, suspended, starved or misconfigured: no wrong answer, no delay.

use crate::fleet::{Fleet, decide, hopeless, kanban, start};
use lariat_budget::{Budget, Stop};
use lariat_corpora::{Random, each_case};
use lariat_distributed::{Cluster, Machines, hosts_here};
use lariat_engines::Outcome;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Limit on the time from the loss of a process to the end of all others.
const SOON: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 10 });

/// Sends a signal; returns `false` if the process is gone.
fn signal(process: u32, name: &str) -> bool {
    let mut kill = Command::new("kill");
    let kill = kill
        .args([name, &process.to_string()])
        .stderr(Stdio::null());
    kill.status().is_ok_and(|status| status.success())
}

/// Asks a question while one of three processes gets a signal at a random moment.
fn fail_one(random: &mut Random, name: &'static str) {
    let mut fleet = Fleet::new(3, 4000);
    let victim = random.below(2usize);
    let moment = Duration::from_millis(random.below(400u64));
    let process = fleet.children[victim].id();
    let system = kanban(4);
    let is_over = AtomicBool::new(false);
    let (found, since, gap) = std::thread::scope(|scope| {
        let striker = scope.spawn(|| {
            std::thread::sleep(moment);
            assert!(signal(process, name), "{name}");
            let struck = Instant::now();
            (struck, longest_gap(&is_over))
        });
        let (found, _) = decide(&fleet.machines, &system, &hopeless(), &Budget::unlimited());
        is_over.store(true, Ordering::Relaxed);
        let (since, gap) = striker.join().unwrap();
        (found, since, gap)
    });
    // The search may have completed before.
    if found != Ok(Outcome::Empty) {
        let Err(Stop::Lost(lost)) = &found else {
            panic!("{found:?}");
        };
        // If this machine was suspended itself, any process may be reported lost.
        if gap < Duration::from_secs(2) {
            assert_eq!(*lost, format!("host {}", victim + 1));
            assert!(since.elapsed() < SOON, "{:?}", since.elapsed());
        }
        let (again, _) = decide(&fleet.machines, &system, &hopeless(), &Budget::unlimited());
        assert_eq!(again, found, "no further question is answered");
    }
    fleet.machines.dismiss();
    // A suspended process must continue to end.
    signal(process, "-CONT");
    assert!(fleet.ends_within(SOON), "a process is left behind");
}

/// The longest time for which this process was not scheduled.
fn longest_gap(is_over: &AtomicBool) -> Duration {
    let (mut last, mut longest) = (Instant::now(), Duration::ZERO);
    while !is_over.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(20));
        longest = longest.max(last.elapsed());
        last = Instant::now();
    }
    longest
}

#[test]
fn a_killed_process_is_lost() {
    each_case(4, |random| fail_one(random, "-KILL"));
}

#[test]
fn a_suspended_process_is_lost() {
    each_case(1, |random| fail_one(random, "-STOP"));
}

#[test]
fn a_process_without_memory_is_reported() {
    let mut fleet = Fleet::new(3, 2);
    let budget = Budget::unlimited();
    let (found, _) = decide(&fleet.machines, &kanban(4), &hopeless(), &budget);
    let Err(Stop::Lost(lost)) = &found else {
        panic!("{found:?}");
    };
    assert!(lost.ends_with(": memory"), "{lost}");
    fleet.machines.dismiss();
    assert!(fleet.ends_within(SOON));
}

#[test]
fn a_process_with_another_model_is_refused() {
    let hosts = hosts_here(2).unwrap();
    let mut child = start(&hosts, 1, 1000, 8);
    let mut cluster = Cluster::new(hosts, 0).unwrap();
    cluster.model = Some(7);
    cluster.patience = Duration::from_secs(3);
    let refused = Machines::connect(&cluster).unwrap_err();
    let why = "within 3 s; host 1: the model there differs from the one here";
    assert!(refused.ends_with(why), "{refused}");
    assert!(!child.wait().unwrap().success());
}
