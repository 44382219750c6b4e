//! Start of a process: its worker threads and its control connections.
//!
//! Used by process 0 (`machines.rs`) and by all others (`serve.rs`). Process 0 has a control
//! connection to every other process, each of which has one to process 0. Worker threads,
//! connection readers and `timely`'s network threads all send [`ControlEvent`]s to one queue.

use crate::cluster::Cluster;
use crate::link::{ControlEvent, ControlLink, Doing};
use crate::meet::meet;
use crate::network::{Allocators, allocators};
use crate::worker_threads::WorkerThreads;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use timely::CommunicationConfig;

/// A started process.
pub(crate) struct Joined {
    pub crew: WorkerThreads,
    /// Links of process 0 to all others, or the one link of another process to process 0.
    pub links: Vec<ControlLink>,
    pub events: Receiver<ControlEvent>,
    pub doing: Doing,
}

/// Starts this process alone, with the given number of workers.
pub(crate) fn single_process(workers: usize) -> Result<Joined, String> {
    let config = if workers <= 1 {
        CommunicationConfig::Thread
    } else {
        CommunicationConfig::Process(workers)
    };
    let (sender, events) = channel();
    let (builders, guard) = config.try_build()?;
    Ok(Joined {
        crew: crew(Allocators { builders, guard }, sender)?,
        links: Vec::new(),
        events,
        doing: Doing::default(),
    })
}

/// Starts one process of a cluster, when all others have connected.
pub(crate) fn join(cluster: &Cluster) -> Result<Joined, String> {
    let failed = |error: io::Error| error.to_string();
    let met = meet(cluster)?;
    let (sender, events) = channel();
    let severed = sender.clone();
    let built = allocators(cluster, met.states, move |peer| {
        let _ = severed.send(ControlEvent::Severed(peer));
    });
    let crew = crew(built.map_err(failed)?, sender.clone())?;
    let doing = Doing::default();
    let control = met.control.into_iter().enumerate();
    let links = control.filter_map(|(process, stream)| {
        stream.map(|stream| ControlLink::open(stream, process, sender.clone(), doing.clone()))
    });
    let links: io::Result<Vec<ControlLink>> = links.collect();
    Ok(Joined {
        crew,
        links: links.map_err(failed)?,
        events,
        doing,
    })
}

/// Starts workers whose reports become events.
fn crew(allocators: Allocators, sender: Sender<ControlEvent>) -> Result<WorkerThreads, String> {
    WorkerThreads::start(allocators, move |worker, report| {
        // The listener may have ended.
        let _ = sender.send(ControlEvent::Done(worker, Box::new(report)));
    })
}
