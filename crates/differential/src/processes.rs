//! Engines that are several processes on this machine. They are started once, by the program of this crate, and asked everything.

use crate::subjects::{facade, on_tableau, on_translation};
use lariat::internals::Plan;
use lariat_budget::Budget;
use lariat_distributed::{Cluster, Machines, engine, hosts_here, serve};
use lariat_testkit::Subject;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// What the program is called with in order to be a process that others ask.
pub const WORKER: &str = "worker";

/// Subjects that are `n` processes, `program` being the one of this crate: on both kinds of automata, and by the façade.
///
/// # Panics
///
/// If processes cannot be started.
pub fn subjects(n: usize, program: &Path) -> Vec<Subject> {
    let plan = plan(n, program);
    vec![
        on_tableau(&format!("processes-{n}"), plan),
        on_translation(&format!("processes-{n}-translated"), plan),
        facade(&format!("facade-processes-{n}"), plan.into()),
    ]
}

/// The other processes end when this one does: they are connected with it.
fn plan(n: usize, program: &Path) -> Plan {
    let hosts = hosts_here(n).expect("free ports");
    for process in 1..n {
        let mut child = Command::new(program)
            .args([WORKER, &hosts.join(","), &process.to_string()])
            .stdin(Stdio::null())
            .spawn()
            .expect("a process");
        std::thread::spawn(move || child.wait());
    }
    let cluster = Cluster::new(hosts, 0).expect("process 0");
    let machines = Machines::connect(&cluster).expect("processes that meet");
    let machines: &'static Machines = Box::leak(Box::new(machines));
    Plan::of_engine(Box::leak(Box::new(engine(machines))))
}

/// Is a process that others ask, with these arguments.
pub fn work(args: &[String]) -> ExitCode {
    let served = match args {
        [hosts, process] => {
            let hosts = hosts.split(',').map(str::to_owned).collect();
            let process = process.parse().unwrap_or(usize::MAX);
            Cluster::new(hosts, process).and_then(|cluster| serve(&cluster, &Budget::unlimited()))
        }
        _ => Err("worker HOSTS PROCESS".to_owned()),
    };
    // Who asked may just have ended.
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
