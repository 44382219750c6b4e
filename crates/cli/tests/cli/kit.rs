//! Running the binary.

use serde_json::Value as Json;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// An example net.
pub const MUTEX: &str = "examples/mutex.pnml";
/// A property of [`MUTEX`] that is violated.
pub const STARVATION: &str = "G (waiting_1 -> F critical_1)";
/// A property of [`MUTEX`] that holds.
pub const EXCLUSION: &str = "G !(critical_1 & critical_2)";

/// Exit code and output of a run of the binary.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Checks the exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// Checks that the command did its work, and that stdout contains `text`.
    #[track_caller]
    pub fn succeeds(self, text: &str) -> Ran {
        self.exits(0).prints(text)
    }

    /// Checks that the command refused its input, and that stderr contains `text`.
    #[track_caller]
    pub fn refuses(self, text: &str) -> Ran {
        self.exits(2).reports(text)
    }

    /// Checks that stdout contains `text`.
    #[track_caller]
    pub fn prints(self, text: &str) -> Ran {
        assert!(self.out.contains(text), "no `{text}` in:\n{}", self.out);
        self
    }

    /// Checks that stderr contains `text` and no sign of a panic.
    #[track_caller]
    pub fn reports(self, text: &str) -> Ran {
        assert!(self.err.contains(text), "no `{text}` in:\n{}", self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }

    /// The first line of stdout as JSON.
    #[track_caller]
    pub fn answer(&self) -> Json {
        self.json().remove(0)
    }

    /// The lines of stdout, each one JSON object.
    #[track_caller]
    pub fn json(&self) -> Vec<Json> {
        let parse = |line: &str| serde_json::from_str(line).expect(line);
        self.out.lines().map(parse).collect()
    }
}

/// The words of a command line; single quotes enclose a word.
fn words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(i, part)| match i % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        })
        .collect()
}

/// A command that runs the binary with the words of `line` in the root of the workspace,
/// without variables that it reads.
pub fn command(line: impl AsRef<str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    command.current_dir(root).args(words(line.as_ref()));
    for name in [
        "NO_COLOR",
        "COLUMNS",
        "CLICOLOR_FORCE",
        "BK_EXAMINATION",
        "BK_TIME_CONFINEMENT",
        "BK_MEMORY_CONFINEMENT",
        "BK_MEM_CONFINEMENT",
    ] {
        command.env_remove(name);
    }
    command
}

/// Runs the binary to its end.
#[track_caller]
pub fn lariat(line: impl AsRef<str>) -> Ran {
    ended(command(line).stdin(Stdio::null()))
}

/// The names of all engines, as `check` lists them.
pub fn every_engine() -> Vec<String> {
    let help = lariat("check --engine ?").err;
    let (_, list) = help.split_once("[possible values: ").expect("a list");
    let (list, _) = list.split_once(']').expect("its end");
    list.split(", ").map(str::to_owned).collect()
}

/// Runs the binary with a text on stdin.
#[track_caller]
pub fn lariat_reading(line: impl AsRef<str>, input: &str) -> Ran {
    let mut child = started(command(line).stdin(Stdio::piped()));
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    // A command that fails early does not read.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    ran(child.wait_with_output().expect("the binary ends"))
}

/// Starts a prepared command, whose output is piped.
#[track_caller]
pub fn started(command: &mut Command) -> Child {
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    piped.spawn().expect("the binary starts")
}

/// Sends a signal, such as `-INT`, to a running process.
#[cfg(unix)]
#[track_caller]
pub fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([name, &id]).status();
    assert!(sent.expect("kill runs").success());
}

/// Runs a prepared command.
#[track_caller]
pub fn ended(command: &mut Command) -> Ran {
    ran(command.output().expect("the binary starts"))
}

pub fn ran(output: std::process::Output) -> Ran {
    Ran {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A temporary folder, removed on drop.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("lariat-cli-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    /// Writes a file and returns its path.
    pub fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, contents).expect("a temporary file");
        path.display().to_string()
    }

    pub fn path(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A net with several hundred million states.
pub fn large_net(folder: &Folder) -> String {
    let net = lariat("generate kanban 9").exits(0);
    folder.file("large.pnml", net.out)
}

/// The contents of a file in the root of the workspace.
pub fn shipped(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).expect(path)
}

/// A net whose only transition adds tokens to the place `p`.
pub const GROWING: &str = r#"<pnml><net type="ptnet"><page id="g"><place id="p"/>
<transition id="t"/><arc id="a" source="t" target="p"/></page></net></pnml>"#;

/// An invariant of [`large_net`]; a search must visit every state.
pub const LARGE_HOLDS: &str = "G \"tokens(cards_1, work_1, redo_1, done_1) <= 9\"";
