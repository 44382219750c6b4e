//! `lariat doctor`: describes this program and this machine.

use crate::{Exit, Failure, check, out};
use lariat::internals::default_memory;
use std::env;
use std::fmt::Write as _;
use std::path::PathBuf;

/// A program that is useful beside Lariat.
struct Companion {
    /// The names under which it is installed.
    names: &'static [&'static str],
    purpose: &'static str,
}

const COMPANIONS: [Companion; 6] = [
    Companion {
        names: &["dot"],
        purpose: "draws automata and nets that were written as .dot",
    },
    Companion {
        names: &["spin"],
        purpose: "reads the never claims of `lariat translate --format never`",
    },
    Companion {
        names: &["chromium", "chromium-browser", "google-chrome"],
        purpose: "shows pages; the project's tests open pages in it",
    },
    Companion {
        names: &["chromedriver"],
        purpose: "drives Chromium in the project's tests",
    },
    Companion {
        names: &["mdbook"],
        purpose: "builds the book",
    },
    Companion {
        names: &["cargo"],
        purpose: "builds Lariat",
    },
];

pub(crate) fn run() -> Result<Exit, Failure> {
    let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30));
    let commit = option_env!("LARIAT_COMMIT").map_or(String::new(), |id| format!(" ({id})"));
    let cluster = if cfg!(feature = "distributed") {
        "`lariat cluster` works"
    } else {
        "not part of this build, see `lariat cluster --help`"
    };
    let program =
        env::current_exe().map_or("unknown".to_owned(), |path| path.display().to_string());
    let mut text = format!(
        "lariat {}{commit} for {} {}\n\n",
        env!("CARGO_PKG_VERSION"),
        env::consts::ARCH,
        env::consts::OS,
    );
    let threads = check::threads(None);
    for (name, value) in [
        ("program", program),
        ("several machines", cluster.to_owned()),
        (
            "threads",
            format!("{threads}, one per processor; `check --threads N` changes it"),
        ),
        (
            "memory",
            format!(
                "at most {}, three quarters of the machine's; `--memory SIZE` changes it",
                gib(default_memory())
            ),
        ),
    ] {
        let _ = writeln!(text, "{name:<18}{value}");
    }
    text.push_str("\nOther programs (none is necessary):\n");
    for Companion { names, purpose } in COMPANIONS {
        let found = names.iter().find_map(|name| on_path(name));
        let found = found.map_or("not found".to_owned(), |path| path.display().to_string());
        let _ = writeln!(text, "{:<18}{found}: {purpose}", names[0]);
    }
    out::text(&text)?;
    Ok(Exit::Fine)
}

/// The first file of this name in the folders of PATH.
fn on_path(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", env::consts::EXE_SUFFIX);
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
}
