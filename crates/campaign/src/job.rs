//! One job: a process of its own under limits, and what the system says it used.
//!
//! The process is asked to keep its limits itself (`--timeout`, `--memory`), and then ends with an
//! honest "unknown". The limits that the system enforces lie a little above, for the one that does not:
//!
//! | | asked | enforced |
//! | --- | --- | --- |
//! | clock | c | c + 5 % + 2 s, then its whole process group is killed |
//! | processor | – | t (`RLIMIT_CPU`); t + 5 % + 2 s where c = t, so that the process can end by itself |
//! | memory | m | m + 25 % + 512 MB of address space (`RLIMIT_AS`) |
//!
//! The clock's limit c is t, unless the campaign says otherwise. Address space is more than memory: stacks of threads, for example, are reserved and hardly used. Processor time
//! and the largest resident memory come from `wait4`, never from the process. That memory has a
//! floor, though: Linux counts what the *starting* process had resident before the new program was
//! loaded. So jobs are not started by the process that reads models and keeps results, but by small ones of their
//! own, see [`crate::worker`].

use crate::answer::{Answer, Ended, Remains};
use crate::record::Limits;
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

/// What is to be run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The limits.
    pub limits: Limits,
    /// Seconds of the clock.
    pub clock: f64,
}

/// The process group of the job that runs, if one does; so that it can be ended from outside.
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

    /// Ends the job that runs, and lets no other begin.
    pub(crate) fn close(&self) {
        let mut group = self.lock();
        group.closed = true;
        kill(group.pid);
    }
}

fn kill(group: Option<Pid>) {
    if let Some(pid) = group {
        // Nobody there is as good as killed.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

/// How much of standard error is kept.
const LAST_LINES: usize = 12;
const LONGEST_LINE: usize = 400;

/// How long the pipes of a process are listened to when it has gone.
const ECHO: Duration = Duration::from_secs(5);

/// Runs a job to its end.
pub(crate) fn run(task: &Task, running: &Running) -> io::Result<Ended> {
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
    // The first process is a zombie: its number is not anybody else's yet.
    kill(running.lock().pid.take());
    let used = reap(&mut child)?;
    let remains = Remains {
        code: used.status.code(),
        signal: used.status.signal(),
        overdue,
        answer: answer
            .recv_timeout(ECHO)
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
            .map_err(|error| error.to_string()),
        last_words: words
            .recv_timeout(ECHO)
            .ok()
            .and_then(Result::ok)
            .unwrap_or_default(),
        cpu: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        wall,
        peak_bytes: used.rusage.maxrss,
    };
    Ok(remains.conclude(limits))
}

/// A program that cannot even be started.
fn not_started(task: &Task, error: &io::Error) -> Ended {
    let remains = Remains {
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

/// The limit that is enforced where `seconds` are asked for.
fn hard(seconds: f64) -> Duration {
    let seconds = seconds * 1.05 + 2.0;
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// The limits that the system keeps.
#[cfg(target_os = "linux")]
fn limit(pid: Pid, task: &Task) {
    let Limits { seconds, bytes } = task.limits;
    let limit = |resource, value: u64| {
        let limit = Rlimit {
            current: Some(value),
            // A second more than the limit of the processor: first a signal that says why, then one that kills.
            maximum: Some(value.saturating_add(1)),
        };
        // A limit that is already lower, or a process that is already gone.
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

/// Elsewhere there is no way to limit another process; the clock has to do.
#[cfg(not(target_os = "linux"))]
fn limit(_: Pid, _: &Task) {}

/// Waits for the end of the process and leaves it a zombie. Was it overdue and killed?
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

/// Reads a pipe in a thread of its own; what was read comes by a channel.
fn listen<T: Send + 'static>(
    pipe: Option<impl Read + Send + 'static>,
    read: impl FnOnce(&mut dyn BufRead) -> io::Result<T> + Send + 'static,
) -> mpsc::Receiver<io::Result<T>> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let Some(pipe) = pipe else { return };
        let mut pipe = BufReader::new(pipe);
        let result = read(&mut pipe);
        // Whoever still writes must not be stopped by a full pipe.
        let _ = io::copy(&mut pipe, &mut io::sink());
        let _ = tell.send(result);
    });
    told
}

/// The first JSON object of the output, if there is any output.
fn read_answer(pipe: &mut dyn BufRead) -> io::Result<Option<Answer>> {
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
    let mut answers = serde_json::Deserializer::from_reader(pipe).into_iter::<Answer>();
    answers.next().transpose().map_err(io::Error::from)
}

/// The last lines, cut to a readable length.
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
