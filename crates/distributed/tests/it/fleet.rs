//! Processes on this machine, which tests query, kill and suspend.

use lariat_automata::{Automaton, Guards, StateId, Transition};
use lariat_budget::{Budget, Quiet};
use lariat_distributed::{Cluster, Machines, hosts_here};
use lariat_emptiness::Marks;
use lariat_engines::{Account, AutomatonKind, Found, Problem, Task, Team, Variant};
use lariat_ltl::AtomId;
use lariat_model::generate::{Family, generate};
use lariat_model::{Comparison, Deadlock, Predicate, Proposition, System, VarId};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// This process as process 0, and the others.
pub struct Fleet {
    pub machines: Machines,
    pub children: Vec<Child>,
}

/// Starts process `process` with a memory limit, and with the digest of its model.
pub fn start(hosts: &[String], process: usize, megabytes: u64, model: u64) -> Child {
    Command::new(env!("CARGO_BIN_EXE_lariat-distributed-worker"))
        .args([hosts.join(","), process.to_string()])
        .args([megabytes, model].map(|number| number.to_string()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

impl Fleet {
    /// Starts `processes` in all, with this many megabytes each.
    pub fn new(processes: usize, megabytes: u64) -> Fleet {
        let hosts = hosts_here(processes).unwrap();
        let others = 1..processes;
        let children = others.map(|i| start(&hosts, i, megabytes, 7)).collect();
        let mut cluster = Cluster::new(hosts, 0).unwrap();
        cluster.model = Some(7);
        cluster.patience = Duration::from_secs(20);
        Fleet {
            machines: Machines::connect(&cluster).unwrap(),
            children,
        }
    }

    /// Returns whether all other processes end within the time.
    pub fn ends_within(&mut self, time: Duration) -> bool {
        let until = Instant::now() + time;
        let has_ended = |child: &mut Child| matches!(child.try_wait(), Ok(Some(_)));
        while !self.children.iter_mut().all(has_ended) {
            if Instant::now() > until {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        true
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The kanban line with `n` cards in each cell.
pub fn kanban(n: u32) -> System {
    generate(Family::Kanban, n).unwrap()
}

/// Runs a set of workers on an automaton over one proposition: the first variable is not 0.
pub fn decide(
    workers: &dyn Team,
    system: &System,
    automaton: &Automaton,
    budget: &Budget,
) -> (Found, Account) {
    let marked = Predicate::compare(VarId(0), Comparison::Gt, 0);
    let propositions = [Proposition::State(marked)];
    let problem = Problem::new(system, automaton, &propositions, Deadlock::Stutter);
    let mut account = Account::default();
    let found = workers.decide(&mut Task {
        problem: &problem,
        automaton: AutomatonKind::Ba,
        emptiness: None,
        variant: Variant::default(),
        budget,
        observer: &Quiet,
        account: &mut account,
    });
    (found, account)
}

/// A state: whether it is accepting, and its edges, each with the required atom value and target.
type State<'a> = (bool, &'a [(Option<bool>, u32)]);

/// A Büchi automaton over one atom.
fn automaton(states: &[State<'_>]) -> Automaton {
    let mut guards = Guards::new();
    let p = guards.atom(0);
    let not_p = guards.not(p);
    let states = states.iter().map(|(accepting, edges)| {
        let edge = |(value, to): &(Option<bool>, u32)| Transition {
            guard: match value {
                None => Guards::TRUE,
                Some(true) => p,
                Some(false) => not_p,
            },
            marks: if *accepting {
                Marks::one(0)
            } else {
                Marks::NONE
            },
            to: StateId(*to),
        };
        edges.iter().map(edge).collect()
    });
    Automaton {
        atoms: vec![AtomId(0)],
        mark_count: 1,
        initial: vec![StateId(0)],
        states: states.collect(),
        guards,
    }
}

/// The atom holds infinitely often. Not weak: cycles contain both states.
pub fn recurring() -> Automaton {
    let (no, yes) = (Some(false), Some(true));
    automaton(&[(false, &[(no, 0), (yes, 1)]), (true, &[(yes, 1), (no, 0)])])
}

/// Accepts nothing, but only a complete search shows it.
pub fn hopeless() -> Automaton {
    automaton(&[
        (false, &[(None, 0), (Some(true), 1)]),
        (true, &[(None, 2)]),
        (false, &[(None, 2)]),
    ])
}
