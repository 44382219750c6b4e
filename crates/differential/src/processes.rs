//! The distributed engine on several processes of this machine, which are started once.

use crate::subjects::{facade, on_tableau, on_translation};
use lariat::internals::Plan;
use lariat_budget::Budget;
use lariat_distributed::{Cluster, Machines, engine, hosts_here, serve};
use lariat_testkit::Subject;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// The first argument of a worker process.
pub const WORKER: &str = "worker";

/// Returns subjects that run on `n` processes of `program`, the binary of this crate: on automata
/// of the tableau and of the translation, and through the façade.
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

/// Starts `n` - 1 workers, which exit when their connection to this process breaks.
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
    let machines = Machines::connect(&cluster).expect("connected processes");
    let machines: &'static Machines = Box::leak(Box::new(machines));
    Plan::of_engine(Box::leak(Box::new(engine(machines))))
}

/// Runs a worker process with these arguments.
pub fn work(args: &[String]) -> ExitCode {
    let served = match args {
        [hosts, process] => {
            let hosts = hosts.split(',').map(str::to_owned).collect();
            let process = process.parse().unwrap_or(usize::MAX);
            Cluster::new(hosts, process).and_then(|cluster| serve(&cluster, &Budget::unlimited()))
        }
        _ => Err("worker HOSTS PROCESS".to_owned()),
    };
    // An error may mean that the process that started the campaign has ended.
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
