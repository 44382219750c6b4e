//! Long calls: without the interpreter's lock, and interrupted by signals.

use lariat::Cancel;
use pyo3::prelude::*;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Time between two looks for signals.
const TICK: Duration = Duration::from_millis(50);

/// Calls a function in another thread and waits for its result. A signal whose handler raises
/// presses the switch; the exception is raised when the function has returned.
pub fn wait<T: Send>(
    py: Python<'_>,
    cancel: &Cancel,
    call: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    std::thread::scope(|scope| {
        let (done, mut ended) = channel();
        let thread = scope.spawn(move || {
            let result = call();
            // The receiver lives until the thread is joined.
            let _ = done.send(());
            result
        });
        let mut raised = None;
        loop {
            let (next, waited) = py.detach(move || {
                let waited = ended.recv_timeout(TICK);
                (ended, waited)
            });
            ended = next;
            if waited != Err(RecvTimeoutError::Timeout) {
                break;
            }
            if raised.is_none()
                && let Err(error) = py.check_signals()
            {
                cancel.press();
                raised = Some(error);
            }
        }
        let result = py.detach(|| thread.join());
        match (raised, result) {
            (_, Err(panic)) => resume_unwind(panic),
            (Some(error), Ok(_)) => Err(error),
            (None, Ok(result)) => Ok(result),
        }
    })
}
