//! Worker processes, which run jobs one at a time.
//!
//! `lariat bench` reads models, draws formulas and keeps results, so its memory may grow. Its
//! workers are fresh processes of the same binary, so they are small. A worker reads tasks as JSON
//! lines from standard input, runs each in a separate process (see `job.rs`) and writes one
//! JSON reply per task to standard output. At the end of its input (the campaign is done, was
//! interrupted or was killed by any signal) a worker kills the process group of its job and exits.

use crate::answer::Ended;
use crate::job::{JobCommand, Running, run};
use crate::results::write_line;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};

/// The command that starts a worker: a program and arguments with which it calls [`serve`].
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

#[derive(Serialize, Deserialize)]
enum Reply {
    Ended(Box<Ended>),
    Failed(String),
}

/// The main loop of a worker, until `input` ends.
///
/// A reader thread forwards tasks over a channel. At the end of the input it kills the running job.
pub fn serve(input: impl BufRead + Send + 'static, mut output: impl Write) -> io::Result<()> {
    let running = Arc::new(Running::default());
    let (sender, tasks) = mpsc::channel::<JobCommand>();
    let current = Arc::clone(&running);
    std::thread::spawn(move || {
        for line in input.lines() {
            let task = line.and_then(|line| Ok(serde_json::from_str(&line)?));
            if task.map(|task| sender.send(task)).is_err() {
                break;
            }
        }
        current.close();
    });
    for task in tasks {
        let reply = match run(&task, &running) {
            Ok(ended) => Reply::Ended(Box::new(ended)),
            Err(error) => Reply::Failed(error.to_string()),
        };
        write_line(&mut output, &reply)?;
    }
    Ok(())
}

/// A worker process, as seen by the campaign.
pub(crate) struct WorkerProcess {
    child: Child,
    input: Leash,
    output: BufReader<ChildStdout>,
}

/// The standard input of a worker. Closing it, from any thread, ends the worker and its job.
#[derive(Clone)]
pub(crate) struct Leash(Arc<Mutex<Option<ChildStdin>>>);

impl Leash {
    pub(crate) fn close(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn send(&self, task: &JobCommand) -> io::Result<()> {
        let mut input = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *input {
            Some(input) => write_line(input, task),
            None => Err(io::ErrorKind::Interrupted.into()),
        }
    }
}

impl WorkerProcess {
    /// Starts a worker in its own process group, so that Ctrl-C reaches only the campaign.
    pub(crate) fn start(runner: &WorkerCommand) -> io::Result<WorkerProcess> {
        let mut child = Command::new(&runner.program)
            .args(&runner.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        Ok(WorkerProcess {
            child,
            input: Leash(Arc::new(Mutex::new(Some(input)))),
            output: BufReader::new(output),
        })
    }

    pub(crate) fn leash(&self) -> Leash {
        self.input.clone()
    }

    /// Sends a task to the worker and waits for its result.
    pub(crate) fn run(&mut self, task: &JobCommand) -> io::Result<Ended> {
        self.input.send(task)?;
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match serde_json::from_str(&line).map_err(io::Error::from)? {
            Reply::Ended(ended) => Ok(*ended),
            Reply::Failed(message) => Err(io::Error::other(message)),
        }
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.input.close();
        let _ = self.child.wait();
    }
}
