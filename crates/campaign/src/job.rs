//! One job: a separate process under limits, and its resource usage.
//!
//! The process limits itself (`--timeout`, `--memory`) and then answers "unknown". The operating
//! system enforces slightly larger limits, in case the process does not:
//!
//! | | requested | enforced |
//! | --- | --- | --- |
//! | wall clock | c | c + 5 % + 2 s, then its process group is killed |
//! | processor | – | t (`RLIMIT_CPU`); t + 5 % + 2 s if c = t, so that the process stops first |
//! | memory | m | m + 25 % + 512 MB of address space (`RLIMIT_AS`) |
//!
//! c is t unless the campaign sets it. Address space exceeds memory, for example by reserved
//! stacks. Processor time and peak resident memory come from `wait4`. On Linux the peak includes
//! the resident memory of the *parent* before `exec`, so small processes start the jobs, see
//! [`crate::worker`].

use crate::answer::{Ended, ProcessExit, RecordedAnswer};
use crate::record::JobLimits;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group, waitid,
};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// A process to run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct JobCommand {
    pub program: PathBuf,
    pub args: Vec<String>,
    pub limits: JobLimits,
    /// Seconds of wall-clock time.
    pub clock: f64,
}

/// The process group of the running job, if any, so that another thread can kill it.
#[derive(Debug, Default)]
pub(crate) struct Running(Mutex<Group>);

#[derive(Debug, Default)]
struct Group {
    pid: Option<Pid>,
    closed: bool,
}

impl Running {
    fn lock(&self) -> MutexGuard<'_, Group> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills the running job and refuses to start another.
    pub(crate) fn close(&self) {
        let mut group = self.lock();
        group.closed = true;
        kill(group.pid);
    }
}

fn kill(group: Option<Pid>) {
    if let Some(pid) = group {
        // An error means that the group has already exited.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

/// Number and length of the lines of standard error that are kept.
const LAST_LINES: usize = 12;
const LONGEST_LINE: usize = 400;

/// Time to read the rest of the pipes after the process has exited.
const DRAIN_TIME: Duration = Duration::from_secs(5);

/// Runs a job and waits for it.
pub(crate) fn run(task: &JobCommand, running: &Running) -> io::Result<Ended> {
    let limits = &task.limits;
    let start = Instant::now();
    let (mut child, pid) = {
        let mut group = running.lock();
        if group.closed {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let child = Command::new(&task.program)
            .args(&task.args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn();
        let child = match child {
            Ok(child) => child,
            Err(error) => return Ok(not_started(task, &error)),
        };
        let pid = Pid::from_child(&child);
        group.pid = Some(pid);
        (child, pid)
    };
    limit(pid, task);
    let answer = listen(child.stdout.take(), read_answer);
    let words = listen(child.stderr.take(), |pipe| Ok(last_words(pipe)));
    let overdue = wait(pid, hard(task.clock));
    let wall = start.elapsed().as_secs_f64();
    // The process is still a zombie, so its id has not been reused.
    kill(running.lock().pid.take());
    let used = reap(&mut child)?;
    let remains = ProcessExit {
        code: used.status.code(),
        signal: used.status.signal(),
        overdue,
        answer: answer
            .recv_timeout(DRAIN_TIME)
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
            .map_err(|error| error.to_string()),
        last_words: words
            .recv_timeout(DRAIN_TIME)
            .ok()
            .and_then(Result::ok)
            .unwrap_or_default(),
        cpu: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        wall,
        peak_bytes: used.rusage.maxrss,
    };
    Ok(remains.conclude(limits))
}

/// The result of a program that cannot be started.
fn not_started(task: &JobCommand, error: &io::Error) -> Ended {
    let remains = ProcessExit {
        code: None,
        signal: None,
        overdue: false,
        answer: Err(format!("cannot run {}: {error}", task.program.display())),
        last_words: String::new(),
        cpu: 0.0,
        wall: 0.0,
        peak_bytes: 0,
    };
    remains.conclude(&task.limits)
}

fn reap(child: &mut Child) -> io::Result<wait4::ResUse> {
    loop {
        match child.wait4() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            used => return used,
        }
    }
}

/// Returns the enforced limit for a requested limit of `seconds`.
fn hard(seconds: f64) -> Duration {
    let seconds = seconds * 1.05 + 2.0;
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// Sets the limits that the operating system enforces.
#[cfg(target_os = "linux")]
fn limit(pid: Pid, task: &JobCommand) {
    let JobLimits { seconds, bytes } = task.limits;
    let limit = |resource, value: u64| {
        let limit = Rlimit {
            current: Some(value),
            // One second more of processor time: first `SIGXCPU`, then `SIGKILL`.
            maximum: Some(value.saturating_add(1)),
        };
        // Fails if the limit is already lower or the process has exited.
        let _ = rustix::process::prlimit(Some(pid), resource, limit);
    };
    let cpu = if task.clock > seconds {
        seconds.ceil().max(1.0) as u64
    } else {
        hard(seconds).as_secs().saturating_add(1)
    };
    limit(Resource::Cpu, cpu);
    limit(
        Resource::As,
        bytes.saturating_add(bytes / 4).saturating_add(512 << 20),
    );
    limit(Resource::Core, 0);
}

/// Other systems cannot limit another process; only the wall clock is enforced.
#[cfg(not(target_os = "linux"))]
fn limit(_: Pid, _: &JobCommand) {}

/// Waits until the process exits; leaves a zombie. Returns whether it was killed after `limit`.
fn wait(pid: Pid, limit: Duration) -> bool {
    let (ended, end) = mpsc::channel();
    std::thread::spawn(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
        let _ = ended.send(());
    });
    match end.recv_timeout(limit) {
        Err(RecvTimeoutError::Timeout) => {
            kill(Some(pid));
            let _ = end.recv();
            true
        }
        _ => false,
    }
}

/// Reads a pipe in a background thread, which sends the result over the returned channel.
fn listen<T: Send + 'static>(
    pipe: Option<impl Read + Send + 'static>,
    read: impl FnOnce(&mut dyn BufRead) -> io::Result<T> + Send + 'static,
) -> mpsc::Receiver<io::Result<T>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let Some(pipe) = pipe else { return };
        let mut pipe = BufReader::new(pipe);
        let result = read(&mut pipe);
        // Drain the pipe, so that the writing process never blocks.
        let _ = io::copy(&mut pipe, &mut io::sink());
        let _ = sender.send(result);
    });
    receiver
}

/// Reads the first JSON object of the output; `None` if the output is blank.
fn read_answer(pipe: &mut dyn BufRead) -> io::Result<Option<RecordedAnswer>> {
    loop {
        let ready = pipe.fill_buf()?;
        if ready.is_empty() {
            return Ok(None);
        }
        let blanks = ready.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let more = blanks == ready.len();
        pipe.consume(blanks);
        if !more {
            break;
        }
    }
    let mut answers = serde_json::Deserializer::from_reader(pipe).into_iter::<RecordedAnswer>();
    answers.next().transpose().map_err(io::Error::from)
}

/// Returns the last lines, truncated to [`LONGEST_LINE`].
fn last_words(pipe: &mut dyn BufRead) -> String {
    let mut lines: VecDeque<String> = VecDeque::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        match pipe.take(1 << 16).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                lines.push_back(text.trim_end().chars().take(LONGEST_LINE).collect());
                if lines.len() > LAST_LINES {
                    lines.pop_front();
                }
            }
        }
    }
    Vec::from(lines).join("\n")
}
