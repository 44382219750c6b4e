//! How a process takes part: its workers are started, and it has a word with the others.
//!
//! The same for who asks (`machines.rs`) and for who is asked (`serve.rs`): process 0 has a control connection to every other process, each of these
//! has one to process 0, and whatever happens is an [`Event`] of one queue.

use crate::cluster::Cluster;
use crate::crew::Crew;
use crate::link::{Doing, Event, Link};
use crate::meet::meet;
use crate::network::{Allocators, allocators};
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use timely::CommunicationConfig;

/// A process that takes part.
pub(crate) struct Joined {
    pub crew: Crew,
    /// Of process 0, to all others; of another one, to process 0.
    pub links: Vec<Link>,
    pub events: Receiver<Event>,
    pub doing: Doing,
}

/// This process alone, with so many workers.
pub(crate) fn alone(workers: usize) -> Result<Joined, String> {
    let config = match workers {
        0 | 1 => CommunicationConfig::Thread,
        workers => CommunicationConfig::Process(workers),
    };
    let (tell, events) = channel();
    Ok(Joined {
        crew: crew(config.try_build()?, tell)?,
        links: Vec::new(),
        events,
        doing: Doing::default(),
    })
}

/// One of the processes of a cluster, when all others have come.
pub(crate) fn join(cluster: &Cluster) -> Result<Joined, String> {
    let failed = |error: io::Error| error.to_string();
    let met = meet(cluster)?;
    let (tell, events) = channel();
    let severed = tell.clone();
    let built = allocators(cluster, met.states, move |peer| {
        let _ = severed.send(Event::Severed(peer));
    });
    let crew = crew(built.map_err(failed)?, tell.clone())?;
    let doing = Doing::default();
    let control = met.control.into_iter().enumerate();
    let links = control.filter_map(|(process, stream)| {
        stream.map(|stream| Link::open(stream, process, tell.clone(), doing.clone()))
    });
    let links: io::Result<Vec<Link>> = links.collect();
    Ok(Joined {
        crew,
        links: links.map_err(failed)?,
        events,
        doing,
    })
}

/// Workers whose reports are events.
fn crew((builders, others): Allocators, tell: Sender<Event>) -> Result<Crew, String> {
    Crew::start(builders, others, move |worker, report| {
        // Who asked may be gone.
        let _ = tell.send(Event::Done(worker, Box::new(report)));
    })
}
