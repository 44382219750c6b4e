//! Processes that do nothing but run jobs.
//!
//! `lariat bench` reads models, draws formulas and keeps results; it may become large. What it starts
//! are workers: the same binary, small because it has done nothing yet, that reads tasks as JSON lines on
//! standard input, runs each as a process of its own (see [`crate::job`]) and says on standard
//! output how it ended. When its input ends — because the campaign is done, was interrupted, or was
//! killed with whatever signal — a worker kills the job that it runs, with all processes of it, and ends.

use crate::answer::Ended;
use crate::job::{Running, Task, run};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};

/// How a worker is started: a program and arguments with which it calls [`serve`].
#[derive(Clone, Debug)]
pub struct Runner {
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

/// What a worker does, until its input ends.
pub fn serve(input: impl BufRead + Send + 'static, mut output: impl Write) -> io::Result<()> {
    let running = Arc::new(Running::default());
    let (tell, tasks) = mpsc::channel::<Task>();
    let leash = Arc::clone(&running);
    std::thread::spawn(move || {
        for line in input.lines() {
            let task = line.and_then(|line| Ok(serde_json::from_str(&line)?));
            if task.map(|task| tell.send(task)).is_err() {
                break;
            }
        }
        leash.close();
    });
    for task in tasks {
        let reply = match run(&task, &running) {
            Ok(ended) => Reply::Ended(Box::new(ended)),
            Err(error) => Reply::Failed(error.to_string()),
        };
        let mut line = serde_json::to_string(&reply).map_err(io::Error::from)?;
        line.push('\n');
        output.write_all(line.as_bytes())?;
        output.flush()?;
    }
    Ok(())
}

/// A worker, from the other side.
pub(crate) struct Worker {
    child: Child,
    input: Leash,
    output: BufReader<ChildStdout>,
}

/// What a worker hangs on: once it is let go the worker ends.
#[derive(Clone)]
pub(crate) struct Leash(Arc<Mutex<Option<ChildStdin>>>);

impl Leash {
    pub(crate) fn let_go(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn send(&self, line: &[u8]) -> io::Result<()> {
        let mut input = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *input {
            Some(input) => input.write_all(line).and_then(|()| input.flush()),
            None => Err(io::ErrorKind::Interrupted.into()),
        }
    }
}

impl Worker {
    /// Starts one. It is in a process group of its own, so that Ctrl-C reaches only the campaign.
    pub(crate) fn start(runner: &Runner) -> io::Result<Worker> {
        let mut child = Command::new(&runner.program)
            .args(&runner.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        Ok(Worker {
            child,
            input: Leash(Arc::new(Mutex::new(Some(input)))),
            output: BufReader::new(output),
        })
    }

    pub(crate) fn leash(&self) -> Leash {
        self.input.clone()
    }

    /// Has a task done.
    pub(crate) fn run(&mut self, task: &Task) -> io::Result<Ended> {
        let mut line = serde_json::to_string(task).map_err(io::Error::from)?;
        line.push('\n');
        self.input.send(line.as_bytes())?;
        line.clear();
        if self.output.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match serde_json::from_str(&line).map_err(io::Error::from)? {
            Reply::Ended(ended) => Ok(*ended),
            Reply::Failed(message) => Err(io::Error::other(message)),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.input.let_go();
        let _ = self.child.wait();
    }
}
