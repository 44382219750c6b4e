//! Control connections: their reader and heartbeat threads. `watch.rs` interprets what they report.

use crate::frame::{Frame, LONGEST_ORDER, LONGEST_REPORT, read_frame, write_frame};
use crate::report::WorkerReport;
use crate::shared::Shared;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Interval of heartbeats.
pub(crate) const BEAT: Duration = Duration::from_millis(500);

/// Events in the queue of a process.
pub(crate) enum ControlEvent {
    /// A worker of this process has finished the question.
    Done(usize, Box<WorkerReport>),
    /// A frame from another process.
    Frame(usize, Frame),
    /// The control connection to a process has broken.
    Lost(usize),
    /// The connection for states to a process has broken.
    Severed(usize),
}

/// The state of the question in progress, if any; the heartbeat threads read the gauges in it.
pub(crate) type Doing = Arc<Mutex<Option<Arc<Shared>>>>;

/// The writing end of a control connection. Clones share the stream; a mutex keeps frames whole.
#[derive(Clone)]
pub(crate) struct ControlLink(Arc<Mutex<TcpStream>>);

impl ControlLink {
    /// Spawns a thread that queues the frames of `process` and one that sends heartbeats to it.
    /// Both end when the connection breaks, the reader also when the queue is dropped.
    pub fn open(
        stream: TcpStream,
        process: usize,
        events: Sender<ControlEvent>,
        doing: Doing,
    ) -> io::Result<ControlLink> {
        let longest = match process {
            0 => LONGEST_ORDER,
            _ => LONGEST_REPORT,
        };
        let mut input = io::BufReader::new(stream.try_clone()?);
        let link = ControlLink(Arc::new(Mutex::new(stream)));
        thread::Builder::new()
            .name(format!("read {process}"))
            .spawn(move || {
                while let Ok(frame) = read_frame(&mut input, longest) {
                    if events.send(ControlEvent::Frame(process, frame)).is_err() {
                        return;
                    }
                }
                let _ = events.send(ControlEvent::Lost(process));
            })?;
        let beating = link.clone();
        thread::Builder::new()
            .name(format!("beat {process}"))
            .spawn(move || {
                loop {
                    thread::sleep(BEAT);
                    let doing = doing.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    let gauges = doing.map_or_else(Vec::new, |shared| shared.read());
                    if beating.send(&Frame::Pulse(gauges)).is_err() {
                        return;
                    }
                }
            })?;
        Ok(link)
    }

    pub fn send(&self, frame: &Frame) -> io::Result<()> {
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        write_frame(&mut *stream, frame)
    }

    /// Sends a last frame and closes the writing end.
    pub fn close(&self, last: &Frame) {
        if self.send(last).is_ok() {
            let stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = stream.shutdown(Shutdown::Write);
        }
    }
}
