//! The connections for states, which `timely` uses.
//!
//! `timely` panics if a connection breaks. A [`Watched`] connection instead reports the lost
//! process and parks the network thread forever. Process 0 then ends the run; there is no recovery.

use crate::cluster::Cluster;
use std::any::Any;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::zero_copy::stream::Stream;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};

/// The builders of `timely`'s workers, with a guard that keeps the network threads running.
pub(crate) struct Allocators {
    pub builders: Vec<AllocatorBuilder>,
    pub guard: Box<dyn Any + Send>,
}

/// Passes the connections to `timely`. Network threads call `lost` if one to a process breaks.
pub(crate) fn allocators(
    cluster: &Cluster,
    streams: Vec<Option<TcpStream>>,
    lost: impl Fn(usize) + Send + Sync + 'static,
) -> io::Result<Allocators> {
    let lost: Arc<dyn Fn(usize) + Send + Sync> = Arc::new(lost);
    let watched = |(peer, stream): (usize, Option<TcpStream>)| {
        stream.map(|stream| Watched {
            stream,
            peer,
            lost: lost.clone(),
        })
    };
    let watched = streams.into_iter().enumerate().map(watched).collect();
    let Cluster {
        process, threads, ..
    } = *cluster;
    let hooks = Hooks::default();
    let within = ProcessBuilder::new_typed_vector(threads, hooks.refill.clone(), None);
    let (builders, guard) =
        initialize_networking_from_sockets(within, watched, process, threads, hooks)?;
    Ok(Allocators {
        builders: builders.into_iter().map(AllocatorBuilder::Tcp).collect(),
        guard: Box::new(guard),
    })
}

/// A connection that reports when it breaks.
struct Watched {
    stream: TcpStream,
    peer: usize,
    lost: Arc<dyn Fn(usize) + Send + Sync>,
}

impl Watched {
    /// The result of a call; if the connection has broken, reports that and never returns.
    fn alive<T>(&self, mut call: impl FnMut(&TcpStream) -> io::Result<Option<T>>) -> T {
        loop {
            match call(&self.stream) {
                Ok(Some(done)) => return done,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(None) | Err(_) => {
                    (self.lost)(self.peer);
                    loop {
                        std::thread::park();
                    }
                }
            }
        }
    }
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = |mut stream: &TcpStream| stream.read(buffer).map(|n| (n > 0).then_some(n));
        Ok(self.alive(read))
    }
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(self.alive(|mut stream| stream.write(bytes).map(Some)))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.alive(|mut stream| stream.flush().map(Some));
        Ok(())
    }
}

impl Stream for Watched {
    fn try_clone(&self) -> io::Result<Watched> {
        Ok(Watched {
            stream: self.stream.try_clone()?,
            peer: self.peer,
            lost: self.lost.clone(),
        })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // The other side may have closed the connection already.
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn closing_a_reset_connection_is_no_error() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (other, _) = listener.accept().unwrap();
        stream.write_all(b"unread").unwrap();
        drop(other);
        // The other side closed the connection without reading, which resets it.
        assert!(stream.read(&mut [0]).is_err());
        assert!(stream.shutdown(Shutdown::Write).is_err());
        let watched = Watched {
            stream,
            peer: 1,
            lost: Arc::new(|_| {}),
        };
        assert!(watched.shutdown(Shutdown::Write).is_ok());
    }
}
