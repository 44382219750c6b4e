//! Distributed search: `--hosts` of `check` and `states`, and `lariat cluster`.
//!
//! Process 0 runs the command, with the distributed engine. All other processes serve its requests
//! ([`lariat_distributed::serve`]) and print only errors. Without the feature `distributed`, these
//! options fail with a message on how to install it.

use crate::args::{ClusterArgs, Command, LimitArgs, TeamArgs};
use crate::{Exit, Failure};
use lariat::internals::{Plan, StateSpace, System};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;

/// The part of this process in a command: it has served process 0 and ends (`Break`), or it runs
/// the command (`Continue`), on the other processes if there is an [`ClusterClient`].
pub(crate) type Participation = ControlFlow<Exit, Option<ClusterClient>>;

#[cfg(not(feature = "distributed"))]
mod absent {
    use super::*;

    /// Uninhabited: without the feature there are no other processes.
    pub(crate) enum ClusterClient {}

    const HOW: &str = "this program was built without support for several machines; install it with\n    \
        cargo install --path crates/cli --features distributed";

    impl ClusterClient {
        pub(crate) fn plan(&self) -> Plan {
            match *self {}
        }

        pub(crate) fn dismiss(self) {
            match self {}
        }

        pub(crate) fn count(
            &self,
            _: &System,
            _: &[lariat::internals::ir::Predicate],
            _: &lariat::internals::Budget,
            _: &dyn lariat::internals::Observer,
        ) -> StateSpace {
            match *self {}
        }
    }

    pub(crate) fn take_part(
        team: &TeamArgs,
        _: Option<NonZeroUsize>,
        _: &Path,
        _: &mut LimitArgs,
    ) -> Result<Participation, Failure> {
        // The other options require this one.
        match &team.hosts {
            None => Ok(Participation::Continue(None)),
            Some(_) => Err(Failure::new(HOW)),
        }
    }

    pub(crate) fn run(
        args: ClusterArgs,
        _: fn(Command) -> Result<Exit, Failure>,
    ) -> Result<Exit, Failure> {
        let ClusterArgs { processes, command } = args;
        let command = command
            .first()
            .map_or("", |name| name.to_str().unwrap_or(""));
        Err(Failure::new(format!(
            "`{command}` by {processes} processes: {HOW}"
        )))
    }
}

#[cfg(not(feature = "distributed"))]
pub(crate) use absent::{ClusterClient, run, take_part};

#[cfg(feature = "distributed")]
mod present {
    use super::*;
    use crate::args::Cli;
    use crate::input;
    use clap::Parser as _;
    use lariat::internals::ir::Predicate;
    use lariat::internals::{Budget, Observer, Statistic, Stats};
    use lariat_campaign::units::Bytes;
    use lariat_distributed::{
        DistributedCount, Figures, Machines, RunContext, Secret, digest, engine, hosts_here,
        read_hosts, serve,
    };
    use std::ffi::OsString;
    use std::io::Read as _;
    use std::path::PathBuf;
    use std::process::{Child, Stdio};
    use std::time::{Duration, Instant};

    /// The other processes, as process 0 uses them. Dropping it ends their service.
    pub(crate) struct ClusterClient(&'static Machines);

    impl Drop for ClusterClient {
        fn drop(&mut self) {
            self.0.dismiss();
        }
    }

    impl ClusterClient {
        /// Ends the service of the other processes.
        pub(crate) fn dismiss(self) {
            drop(self);
        }

        /// The plan that decides properties.
        pub(crate) fn plan(&self) -> Plan {
            // Leaked once per process: a plan refers to a `'static` engine.
            Plan::of_engine(Box::leak(Box::new(engine(self.0))))
        }

        /// Counts the state space.
        pub(crate) fn count(
            &self,
            system: &System,
            claims: &[Predicate],
            budget: &Budget,
            observer: &dyn Observer,
        ) -> StateSpace {
            let DistributedCount {
                counted,
                workers,
                stop,
            } = self
                .0
                .count(system, claims, RunContext::new(budget, observer));
            let sum = |figure: fn(&Figures) -> u64| workers.iter().map(figure).sum::<u64>();
            let (states, edges) = (sum(|w| w.states), sum(|w| w.edges));
            let edges = edges.saturating_sub(counted.deadlocks);
            let mut stats = Stats::default();
            stats.set(Statistic::STATES_SEEN, states);
            stats.set(Statistic::EDGES_SEEN, edges);
            let bits = workers.iter().map(|w| w.packed_bits).max();
            stats.set(Statistic::PACKED_BITS, bits.unwrap_or(0));
            let complete = stop.is_none();
            let mut found = StateSpace::default();
            found.states = complete.then(|| states.into());
            found.edges = complete.then(|| edges.into());
            found.deadlocks = complete.then(|| counted.deadlocks.into());
            found.max_tokens_in_place = complete.then_some(counted.max_tokens_in_place);
            found.max_tokens = complete.then_some(counted.max_tokens);
            found.bounded = complete.then_some(true);
            found.failed = counted.failed.into_iter().map(Into::into).collect();
            found.overflow = workers
                .iter()
                .find_map(|w| w.overflow)
                .map(lariat::internals::ir::VarId);
            found.stop = stop;
            found.engine = "distributed";
            found.stats = stats;
            found.workers = workers.iter().map(Figures::stats).collect();
            found
        }
    }

    /// The reciprocal of the share of memory that is reserved for messages in transit.
    const IN_TRANSIT: u64 = 10;

    pub(crate) fn take_part(
        team: &TeamArgs,
        threads: Option<NonZeroUsize>,
        model: &Path,
        limits: &mut LimitArgs,
    ) -> Result<Participation, Failure> {
        let (Some(file), Some(process)) = (&team.hosts, team.process) else {
            return Ok(Participation::Continue(None));
        };
        let named = |why: String| Failure::new(format!("{}: {why}", file.display()));
        let text = std::fs::read_to_string(file);
        let text = text.map_err(|error| named(error.to_string()))?;
        let hosts = read_hosts(&text).map_err(named)?;
        let mut cluster = lariat_distributed::Cluster::new(hosts, process).map_err(named)?;
        cluster.threads = threads.map_or(1, NonZeroUsize::get);
        if let Some(time) = team.connect_timeout {
            cluster.patience = time.0;
        }
        cluster.secret = team.secret_file.as_deref().map(secret).transpose()?;
        // The digest is compared with that of process 0; a pipe has none.
        let own = std::fs::metadata(model).is_ok_and(|file| file.is_file());
        let own = own.then(|| std::fs::read(model).ok()).flatten();
        cluster.model = own.map(|bytes| digest(&bytes));
        let memory = input::memory(limits);
        limits.memory = Some(Bytes(memory - memory / IN_TRANSIT));
        if process > 0 {
            let budget = input::limits(limits).budget;
            return match serve(&cluster, &budget) {
                Ok(()) => Ok(Participation::Break(Exit::Fine)),
                Err(why) => {
                    crate::complain(&format!("process {process}: {why}"));
                    Ok(Participation::Break(Exit::Undecided))
                }
            };
        }
        let machines = match cluster.hosts.len() {
            1 => Machines::threads(cluster.threads),
            _ => Machines::connect(&cluster),
        };
        let machines = Box::leak(Box::new(machines.map_err(Failure::new)?));
        Ok(Participation::Continue(Some(ClusterClient(machines))))
    }

    /// Limit on the length of a file with a secret, in bytes.
    const LONGEST_SECRET: u64 = 1 << 16;

    /// Reads the secret of the processes.
    fn secret(path: &Path) -> Result<Secret, Failure> {
        let named = |why: String| Failure::new(format!("{}: {why}", path.display()));
        let mut contents = Vec::new();
        let read = std::fs::File::open(path)
            .and_then(|file| file.take(LONGEST_SECRET).read_to_end(&mut contents));
        read.map_err(|error| named(error.to_string()))?;
        Secret::new(&contents).map_err(named)
    }

    /// Time for the other processes to exit before they are killed.
    const EXIT_TIME: Duration = Duration::from_secs(5);

    /// The other processes of a cluster on this machine, and the hosts file.
    struct Others {
        file: PathBuf,
        children: Vec<Child>,
    }

    impl Drop for Others {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.file);
            let until = Instant::now() + EXIT_TIME;
            for child in &mut self.children {
                while matches!(child.try_wait(), Ok(None)) && Instant::now() < until {
                    std::thread::sleep(Duration::from_millis(10));
                }
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    }

    pub(crate) fn run(
        args: ClusterArgs,
        command: fn(Command) -> Result<Exit, Failure>,
    ) -> Result<Exit, Failure> {
        let program = OsString::from("lariat");
        let parsed = Cli::try_parse_from(std::iter::once(&program).chain(&args.command));
        let mut asked = parsed.unwrap_or_else(|error| error.exit()).command;
        let (team, limits) = match &mut asked {
            Command::Check(check) => (&mut check.team, &mut check.limits),
            Command::States(states) => (&mut states.team, &mut states.limits),
            _ => {
                return Err(Failure::new("`cluster` runs only `check` and `states`"));
            }
        };
        if team.hosts.is_some() {
            return Err(Failure::new(
                "`cluster` chooses the hosts itself; omit --hosts",
            ));
        }
        // The processes share the memory of this machine.
        let share = match limits.memory {
            Some(_) => None,
            None => Some(input::memory(limits) / args.processes.get() as u64),
        };
        limits.memory = limits.memory.or(share.map(Bytes));
        let others = start(&args, share)?;
        team.hosts = Some(others.file.clone());
        team.process = Some(0);
        let done = command(asked);
        drop(others);
        done
    }

    /// Starts all processes but the first; `share` is their memory limit if the command sets none.
    fn start(args: &ClusterArgs, share: Option<u64>) -> Result<Others, Failure> {
        let hosts = hosts_here(args.processes.get())?.join("\n");
        let name = format!("lariat-cluster-{}", std::process::id());
        let mut others = Others {
            file: std::env::temp_dir().join(name),
            children: Vec::new(),
        };
        std::fs::write(&others.file, hosts)?;
        let program = std::env::current_exe()?;
        for process in 1..args.processes.get() {
            let child = std::process::Command::new(&program)
                .args(&args.command)
                .arg("--hosts")
                .arg(&others.file)
                .args(["--process", &process.to_string()])
                .args(share.map(|bytes| format!("--memory={}K", bytes >> 10)))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .spawn()?;
            others.children.push(child);
        }
        Ok(others)
    }
}

#[cfg(feature = "distributed")]
pub(crate) use present::{ClusterClient, run, take_part};
