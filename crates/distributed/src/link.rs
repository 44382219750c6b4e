//! A control connection: who reads it and who writes it. What follows from what is heard, and from silence, is in `watch.rs`.

use crate::frame::{Frame, read_frame, write_frame};
use crate::report::Report;
use crate::shared::Shared;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How often everybody says that it is there.
pub(crate) const BEAT: Duration = Duration::from_millis(500);

/// What a process hears.
pub(crate) enum Event {
    /// A worker of its own is done.
    Done(usize, Box<Report>),
    /// Another process says something.
    Frame(usize, Frame),
    /// The control connection to a process has broken.
    Lost(usize),
    /// The connection for states to a process has broken.
    Severed(usize),
}

/// What the workers of this process are doing now, if anything: for who tells others how far they are.
pub(crate) type Doing = Arc<Mutex<Option<Arc<Shared>>>>;

/// The writing end of a control connection.
#[derive(Clone)]
pub(crate) struct Link(Arc<Mutex<TcpStream>>);

impl Link {
    /// Starts threads that read what `process` says and tell it that this one is there.
    pub fn open(
        stream: TcpStream,
        process: usize,
        events: Sender<Event>,
        doing: Doing,
    ) -> io::Result<Link> {
        let mut input = io::BufReader::new(stream.try_clone()?);
        let link = Link(Arc::new(Mutex::new(stream)));
        thread::Builder::new()
            .name(format!("hear {process}"))
            .spawn(move || {
                while let Ok(frame) = read_frame(&mut input) {
                    if events.send(Event::Frame(process, frame)).is_err() {
                        return;
                    }
                }
                let _ = events.send(Event::Lost(process));
            })?;
        let beating = link.clone();
        thread::Builder::new()
            .name(format!("tell {process}"))
            .spawn(move || {
                loop {
                    thread::sleep(BEAT);
                    let doing = doing.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    let gauges = doing.map_or_else(Vec::new, |shared| shared.read());
                    if beating.tell(&Frame::Pulse(gauges)).is_err() {
                        return;
                    }
                }
            })?;
        Ok(link)
    }

    pub fn tell(&self, frame: &Frame) -> io::Result<()> {
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        write_frame(&mut *stream, frame)
    }

    /// Says a last word.
    pub fn close(&self, last: &Frame) {
        let told = self.tell(last);
        if told.is_ok() {
            let stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = stream.shutdown(Shutdown::Write);
        }
    }
}
