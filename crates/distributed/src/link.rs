//! A control connection: who reads it, who writes it, and how silence is noticed.
//!
//! Every process says twice a second that it is there. A process that is stopped keeps its connections open, so that nothing but
//! silence tells. Silence is counted in ticks of the listener's own clock: who was stopped itself has not heard
//! anything meanwhile, and has not counted either.

use crate::frame::{Frame, read_frame, write_frame};
use crate::report::Report;
use crate::shared::Shared;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often everybody says that it is there.
const BEAT: Duration = Duration::from_millis(500);

/// How often who listens looks at the clock.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// Ticks of silence after which a process is lost: six seconds, so that with all that follows the run is over in ten.
const SILENT: u32 = 60;

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

/// Counts how long others have been silent.
pub(crate) struct Silence {
    ticks: Vec<u32>,
    last: Instant,
}

impl Silence {
    pub fn new(processes: usize) -> Silence {
        Silence {
            ticks: vec![0; processes],
            last: Instant::now(),
        }
    }

    /// A process has said something.
    pub fn broken(&mut self, process: usize) {
        self.ticks[process] = 0;
    }

    /// Looks at the clock: has a process been silent for too long?
    pub fn tick(&mut self, who: impl Iterator<Item = usize>) -> Option<usize> {
        // However late this call is, it is one tick.
        if self.last.elapsed() < TICK {
            return None;
        }
        self.last = Instant::now();
        let mut lost = None;
        for process in who {
            self.ticks[process] += 1;
            if self.ticks[process] > SILENT {
                lost = Some(process);
            }
        }
        lost
    }
}
