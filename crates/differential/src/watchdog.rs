//! A watchdog for campaigns of many threads: where threads wait for each other, it shows where they
//! are, and aborts.

use std::process::{Command, abort};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time without progress after which the program is aborted, several times the limit of a case.
const LIMIT: Duration = Duration::from_secs(300);

/// Counts the progress of a campaign.
#[derive(Clone, Default)]
pub struct Watchdog(Arc<AtomicU64>);

impl Watchdog {
    /// Starts to watch.
    pub fn start() -> Watchdog {
        let watchdog = Watchdog::default();
        let watched = watchdog.clone();
        std::thread::spawn(move || {
            let (mut last, mut since) = (0, Instant::now());
            loop {
                std::thread::sleep(LIMIT / 60);
                let now = watched.0.load(Ordering::Relaxed);
                if now != last {
                    (last, since) = (now, Instant::now());
                } else if since.elapsed() >= LIMIT {
                    eprintln!(
                        "no progress for {} s: threads wait for each other",
                        LIMIT.as_secs()
                    );
                    show_threads();
                    abort();
                }
            }
        });
        watchdog
    }

    /// Reports progress.
    pub fn progress(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Prints the stacks of all threads by a debugger, if one is installed, or the state of each.
fn show_threads() {
    let process = std::process::id().to_string();
    let all = [
        "-batch",
        "-ex",
        "thread apply all backtrace",
        "-p",
        &process,
    ];
    let by_debugger = [("gdb", all.as_slice()), ("eu-stack", &["-p", &process])];
    for (debugger, arguments) in by_debugger {
        if let Ok(status) = Command::new(debugger).args(arguments).status()
            && status.success()
        {
            return;
        }
    }
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else {
        return;
    };
    for thread in threads.flatten() {
        let file = |name: &str| std::fs::read_to_string(thread.path().join(name));
        let text = |name: &str| file(name).unwrap_or_default().trim().to_owned();
        eprintln!("{}: waits in {}", text("comm"), text("wchan"));
    }
}
