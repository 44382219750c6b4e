//! Connection setup: every process connects to those with lower numbers and accepts the others.
//!
//! A connection starts with a greeting, which is answered: version, number of processes and
//! threads, and the model must agree. Process `i` first connects to all lower ones; process 0 only
//! accepts, so no cycle of waiting processes exists. A caller without a valid greeting is ignored.
//! If a connected process disconnects, because it was refused or killed, its peers give up.

use crate::cluster::Cluster;
use crate::frame::{
    ConnectionKind, Frame, HandshakeError, Hello, VERSION, read_frame, read_hello, write_frame,
    write_hello,
};
use crate::link::BEAT;
use socket2::{SockRef, TcpKeepalive};
use std::io;
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Interval between two attempts to connect.
const AGAIN: Duration = Duration::from_millis(50);
/// Limit on the time for a greeting and its answer.
const ANSWER: Duration = Duration::from_secs(5);
/// Time without an acknowledgement after which a connection counts as broken.
const SILENCE: Duration = Duration::from_secs(6);

/// The connections of one process.
pub(crate) struct Connections {
    /// Connections for states: one to every other process, `None` for itself.
    pub states: Vec<Option<TcpStream>>,
    /// Control connections: of process 0 to every other one, of others to process 0.
    pub control: Vec<Option<TcpStream>>,
    /// The time of the last heartbeat to process 0.
    last_pulse: Instant,
}

/// Connects all processes with each other.
pub(crate) fn meet(cluster: &Cluster) -> Result<Connections, String> {
    let until = Instant::now() + cluster.patience;
    let Cluster { hosts, process, .. } = cluster;
    let listener = listen(&hosts[*process])?;
    let none = || (0..hosts.len()).map(|_| None).collect();
    let mut met = Connections {
        states: none(),
        control: none(),
        last_pulse: Instant::now(),
    };
    for other in 0..*process {
        let purposes: &[ConnectionKind] = match other {
            0 => &[ConnectionKind::States, ConnectionKind::Control],
            _ => &[ConnectionKind::States],
        };
        for purpose in purposes {
            let stream = connect(cluster, other, *purpose, &mut met, until)?;
            met.of(*purpose)[other] = Some(stream);
        }
    }
    accept_others(cluster, &listener, &mut met, until)?;
    Ok(met)
}

fn listen(host: &str) -> Result<TcpListener, String> {
    let listener = TcpListener::bind(host).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    listener.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => format!("{host}: this port is taken"),
        io::ErrorKind::AddrNotAvailable => {
            format!("{host} is not an address of this machine: is `--process` right?")
        }
        _ => format!("{host}: {error}"),
    })
}

/// Connects to a process with a lower number; repeats until it accepts, refuses, or time is up.
fn connect(
    cluster: &Cluster,
    other: usize,
    purpose: ConnectionKind,
    met: &mut Connections,
    until: Instant,
) -> Result<TcpStream, String> {
    let host = cluster.hosts[other].as_str();
    let hello = Hello::new(cluster, purpose);
    let mut was_there = false;
    loop {
        met.check_peers(cluster)?;
        let error = match attempt(host, &hello, cluster, met, until)? {
            Ok((stream, Frame::Welcome)) => return Ok(stream),
            Ok((_, Frame::Refused(why))) => return Err(format!("host {other} ({host}): {why}")),
            Ok(_) => io::ErrorKind::InvalidData.into(),
            Err(error) => error,
        };
        // A reset connection and then a refused one: the process has listened and is gone.
        was_there |= is_end(&error);
        if was_there && error.kind() == io::ErrorKind::ConnectionRefused {
            return Err(left(other, host));
        }
        if Instant::now() >= until {
            let limit = cluster.patience.as_secs();
            return Err(format!(
                "host {other} ({host}) could not be reached within {limit} s: {error}"
            ));
        }
        sleep(AGAIN);
    }
}

/// One attempt to connect, with the answer. The outer error is the loss of another process.
fn attempt(
    host: &str,
    hello: &Hello,
    cluster: &Cluster,
    met: &mut Connections,
    until: Instant,
) -> Result<io::Result<(TcpStream, Frame)>, String> {
    let mut stream = match greet(host, hello, until) {
        Ok(stream) => stream,
        Err(error) => return Ok(Err(error)),
    };
    // The other process may still be connecting to others, so its answer may be late.
    while stream.peek(&mut [0]).is_err_and(|error| is_early(&error)) {
        if Instant::now() >= until {
            return Ok(Err(io::ErrorKind::TimedOut.into()));
        }
        met.check_peers(cluster)?;
    }
    let answer = stream.set_read_timeout(Some(ANSWER));
    let answer = answer.and_then(|()| read_frame(&mut stream));
    Ok(answer.and_then(|answer| {
        stream.set_read_timeout(None)?;
        Ok((stream, answer))
    }))
}

/// Connects and sends the greeting; reads time out after [`AGAIN`].
fn greet(host: &str, hello: &Hello, until: Instant) -> io::Result<TcpStream> {
    let left = until.saturating_duration_since(Instant::now()).max(AGAIN);
    let mut failed = io::ErrorKind::NotFound.into();
    for address in host.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, left.min(ANSWER)) {
            Ok(mut stream) => {
                prepare(&stream)?;
                stream.set_read_timeout(Some(AGAIN))?;
                write_hello(&mut stream, hello, VERSION)?;
                return Ok(stream);
            }
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

fn left(process: usize, host: &str) -> String {
    format!("host {process} ({host}) disconnected before all hosts had connected")
}

/// Returns whether the error means that the other side has closed the connection.
fn is_end(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(
        error.kind(),
        BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof
    )
}

/// Returns whether the error means that no bytes have arrived yet.
fn is_early(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}

impl Connections {
    fn of(&mut self, purpose: ConnectionKind) -> &mut Vec<Option<TcpStream>> {
        match purpose {
            ConnectionKind::States => &mut self.states,
            ConnectionKind::Control => &mut self.control,
        }
    }

    /// Fails if a connected process has disconnected. Sends due heartbeats to process 0.
    fn check_peers(&mut self, cluster: &Cluster) -> Result<(), String> {
        if let (1.., Some(host)) = (cluster.process, &mut self.control[0])
            && self.last_pulse.elapsed() >= BEAT
        {
            self.last_pulse = Instant::now();
            // A failure is detected below.
            let _ = write_frame(host, &Frame::Pulse(Vec::new()));
        }
        let all = self.states.iter().zip(&self.control).enumerate();
        for (process, (states, control)) in all {
            if states.iter().chain(control).any(has_ended) {
                return Err(left(process, &cluster.hosts[process]));
            }
        }
        Ok(())
    }
}

/// Returns whether the other side has closed a connection on which it has sent nothing.
fn has_ended(stream: &TcpStream) -> bool {
    let peeked = stream.set_nonblocking(true);
    let peeked = peeked.and_then(|()| stream.peek(&mut [0]));
    let ended = match peeked {
        Ok(bytes) => bytes == 0,
        Err(error) => !is_early(&error),
    };
    ended || stream.set_nonblocking(false).is_err()
}

/// Configures a connection: no delay of small messages, and an error after silence of the network.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(SILENCE))?;
    let alive = TcpKeepalive::new()
        .with_time(Duration::from_secs(2))
        .with_interval(Duration::from_secs(1));
    let socket = SockRef::from(stream);
    socket.set_tcp_keepalive(&alive)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(SILENCE))?;
    Ok(())
}

/// Accepts the connections of all processes with higher numbers.
fn accept_others(
    cluster: &Cluster,
    listener: &TcpListener,
    met: &mut Connections,
    until: Instant,
) -> Result<(), String> {
    let Cluster { process, hosts, .. } = cluster;
    loop {
        let behind = process + 1..hosts.len();
        let missing = |other: &usize| {
            met.states[*other].is_none() || *process == 0 && met.control[*other].is_none()
        };
        let Some(missing) = behind.clone().find(missing) else {
            return Ok(());
        };
        met.check_peers(cluster)?;
        let accepted = match listener.accept() {
            Ok((stream, _)) => stream.set_nonblocking(false).map(|()| stream),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if Instant::now() >= until {
                    let limit = cluster.patience.as_secs();
                    let host = &hosts[missing];
                    return Err(format!(
                        "host {missing} ({host}) did not connect within {limit} s"
                    ));
                }
                sleep(AGAIN);
                continue;
            }
            Err(error) => Err(error),
        };
        if let Ok(stream) = accepted {
            answer_greeting(cluster, stream, met, until)?;
        }
    }
}

/// Reads a greeting and answers it. A mismatching process ends the setup; other callers do not.
fn answer_greeting(
    cluster: &Cluster,
    mut stream: TcpStream,
    met: &mut Connections,
    until: Instant,
) -> Result<(), String> {
    let left = until.saturating_duration_since(Instant::now());
    let greeting = prepare(&stream)
        .and_then(|()| stream.set_read_timeout(Some(left.clamp(AGAIN, ANSWER))))
        .map_err(|_| HandshakeError::Unknown)
        .and_then(|()| read_hello(&mut stream));
    let hello = match greeting {
        Ok(hello) => hello,
        Err(HandshakeError::Unknown) => return Ok(()),
        Err(HandshakeError::Version(theirs)) => {
            let why = format!("it runs Lariat {VERSION}, and here is Lariat {theirs}");
            let _ = write_frame(&mut stream, &Frame::Refused(why));
            return Err(format!(
                "another host runs Lariat {theirs}, and here is Lariat {VERSION}"
            ));
        }
    };
    let place = met.of(hello.purpose);
    let is_taken = place.get(hello.process).is_some_and(Option::is_some);
    if let Err(why) = check_hello(cluster, &hello, is_taken) {
        let _ = write_frame(&mut stream, &Frame::Refused(why.clone()));
        return Err(format!("host {}: {why}", hello.process));
    }
    let answered =
        write_frame(&mut stream, &Frame::Welcome).and_then(|()| stream.set_read_timeout(None));
    if answered.is_ok() {
        place[hello.process] = Some(stream);
    }
    Ok(())
}

/// Checks that the settings of a process match.
fn check_hello(cluster: &Cluster, hello: &Hello, is_taken: bool) -> Result<(), String> {
    let (ours, theirs) = (cluster.hosts.len(), hello.processes);
    if ours != theirs {
        return Err(format!(
            "the list of hosts has {ours} here and {theirs} there"
        ));
    }
    if hello.process <= cluster.process || hello.process >= ours || is_taken {
        return Err(format!("process {} is started twice", hello.process));
    }
    let (ours, theirs) = (cluster.threads, hello.threads);
    if ours != theirs {
        return Err(format!(
            "{ours} threads here and {theirs} there: all need the same number"
        ));
    }
    match (cluster.model, hello.model) {
        (Some(ours), Some(theirs)) if ours != theirs => {
            Err("the model there differs from the one here".to_owned())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts_here;
    use std::io::Write;

    /// Two hosts on this machine.
    fn two(patience: Duration) -> [Cluster; 2] {
        let hosts = hosts_here(2).unwrap();
        [0, 1].map(|process| Cluster {
            patience,
            ..Cluster::new(hosts.clone(), process).unwrap()
        })
    }

    fn both([first, second]: &[Cluster; 2]) -> [Result<(), String>; 2] {
        std::thread::scope(|scope| {
            let other = scope.spawn(|| meet(second).map(drop));
            let one = meet(first).map(drop);
            [one, other.join().unwrap()]
        })
    }

    #[track_caller]
    fn assert_left(error: &str, host: usize) {
        let start = format!("host {host} (127.0.0.1:");
        let end = "disconnected before all hosts had connected";
        assert!(error.starts_with(&start) && error.ends_with(end), "{error}");
    }

    #[test]
    fn matching_processes_connect() {
        assert_eq!(both(&two(Duration::from_secs(20))), [Ok(()), Ok(())]);
    }

    #[test]
    fn processes_that_do_not_match_are_refused() {
        let mut pair = two(Duration::from_secs(20));
        (pair[0].model, pair[1].model) = (Some(1), Some(2));
        let [one, other] = both(&pair);
        let why = "the model there differs from the one here";
        assert_eq!(one.unwrap_err(), format!("host 1: {why}"));
        assert!(other.unwrap_err().ends_with(why));

        let mut pair = two(Duration::from_secs(20));
        pair[1].threads = 2;
        let [one, other] = both(&pair);
        assert!(one.unwrap_err().contains("1 threads here and 2 there"));
        assert!(other.unwrap_err().contains("threads"));
    }

    #[test]
    fn waiting_for_a_process_is_limited() {
        let [first, second] = two(Duration::from_millis(300));
        let alone = |cluster: &Cluster, host: &str, what: &str| {
            let error = meet(cluster).map(drop).unwrap_err();
            assert!(error.contains(host) && error.contains(what), "{error}");
        };
        alone(&first, "host 1", "did not connect");
        alone(&second, "host 0", "could not be reached");
    }

    #[test]
    fn a_process_that_disconnects_ends_the_setup() {
        let hosts = [two(ANSWER)[0].hosts.clone(), two(ANSWER)[0].hosts.clone()].concat();
        let cluster = Cluster::new(hosts[..3].to_vec(), 0).unwrap();
        let error = std::thread::scope(|scope| {
            let one = scope.spawn(|| meet(&cluster).map(drop));
            let other = Cluster::new(cluster.hosts.clone(), 1).unwrap();
            let hello = Hello::new(&other, ConnectionKind::States);
            let greeted = (0..).find_map(|_| {
                sleep(AGAIN);
                greet(&cluster.hosts[0], &hello, Instant::now()).ok()
            });
            drop(greeted);
            one.join().unwrap().unwrap_err()
        });
        assert_left(&error, 1);
    }

    #[test]
    fn waiting_for_an_answer_is_limited() {
        let [_, second] = two(Duration::from_millis(300));
        // Another listener has the port, and never answers.
        let _silent = TcpListener::bind(&second.hosts[0]).unwrap();
        let start = Instant::now();
        let error = meet(&second).map(drop).unwrap_err();
        assert!(error.contains("could not be reached"), "{error}");
        assert!(start.elapsed() < ANSWER, "{:?}", start.elapsed());
    }

    #[test]
    fn a_listener_that_closes_has_disconnected() {
        let [_, second] = two(Duration::from_secs(60));
        let first = TcpListener::bind(&second.hosts[0]).unwrap();
        let error = std::thread::scope(|scope| {
            let other = scope.spawn(|| meet(&second).map(drop));
            drop(first.accept().unwrap());
            drop(first);
            other.join().unwrap().unwrap_err()
        });
        assert_left(&error, 0);
    }

    #[test]
    fn another_version_and_a_taken_port_are_named() {
        let [first, second] = two(Duration::from_secs(20));
        let hello = Hello::new(&second, ConnectionKind::States);
        let answer = std::thread::scope(|scope| {
            let one = scope.spawn(|| meet(&first).map(drop));
            let stream = (0..).find_map(|_| {
                sleep(AGAIN);
                TcpStream::connect(&first.hosts[0]).ok()
            });
            let mut stream = stream.unwrap();
            // A caller with another protocol is ignored.
            TcpStream::connect(&first.hosts[0])
                .unwrap()
                .write_all(b"GET / HTTP/1.1\r\n\r\n")
                .unwrap();
            write_hello(&mut stream, &hello, "0.0.1").unwrap();
            let answer = read_frame(&mut stream).unwrap();
            let error = one.join().unwrap().unwrap_err();
            let why = "another host runs Lariat 0.0.1";
            assert!(error.starts_with(why), "{error}");
            answer
        });
        assert!(matches!(answer, Frame::Refused(why) if why.contains("0.0.1")));

        let taken = TcpListener::bind(&second.hosts[1]).unwrap();
        let error = meet(&second).map(drop).unwrap_err();
        assert!(error.ends_with("this port is taken"), "{error}");
        drop(taken);
    }
}
