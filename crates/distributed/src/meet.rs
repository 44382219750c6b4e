//! Connection setup: every process connects to those with lower numbers and accepts the others.
//!
//! A connection starts with a greeting, which is answered (`handshake.rs`): version, number of
//! processes and threads, and the model must agree. Process `i` first connects to all lower ones;
//! process 0 only accepts, so no cycle of waiting processes exists. A caller without a valid
//! greeting is ignored, and one that does not match is told why; neither ends the setup, which any
//! stranger could do otherwise. If a connected process disconnects, its peers give up.

use crate::cluster::Cluster;
use crate::frame::{ConnectionKind, Frame, Hello, write_frame};
use crate::handshake::{ANSWER, Caller, Doorman, Reply, answer, greet, prepare};
use crate::link::BEAT;
use std::io;
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{Receiver, channel};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Interval between two attempts to connect.
const AGAIN: Duration = Duration::from_millis(50);
/// Interval between two looks for callers.
const LISTEN: Duration = Duration::from_millis(10);

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
    let mut was_there = false;
    loop {
        met.check_peers(cluster)?;
        let why = match attempt(host, purpose, cluster, met, until)? {
            Ok((stream, Reply::Welcome)) => return Ok(stream),
            Ok((_, Reply::Refused(why))) => return Err(format!("host {other} ({host}): {why}")),
            Ok((_, Reply::Foreign(why))) => why.to_owned(),
            Err(error) => {
                // A reset connection and then a refused one: the process has listened and is gone.
                was_there |= is_end(&error);
                if was_there && error.kind() == io::ErrorKind::ConnectionRefused {
                    return Err(left(other, host));
                }
                error.to_string()
            }
        };
        if Instant::now() >= until {
            let limit = cluster.patience.as_secs();
            return Err(format!(
                "host {other} ({host}) could not be reached within {limit} s: {why}"
            ));
        }
        sleep(AGAIN);
    }
}

/// One attempt to connect, with the answer. The outer error is the loss of another process.
fn attempt(
    host: &str,
    purpose: ConnectionKind,
    cluster: &Cluster,
    met: &mut Connections,
    until: Instant,
) -> Result<io::Result<(TcpStream, Reply)>, String> {
    let greeted = dial(host, until).and_then(|mut stream| {
        let hello = greet(&mut stream, cluster, purpose)?;
        Ok((stream, hello))
    });
    let (mut stream, hello): (TcpStream, Hello) = match greeted {
        Ok(greeted) => greeted,
        Err(error) => return Ok(Err(error)),
    };
    // The other process may still be connecting to others, so its answer may be late.
    while stream.peek(&mut [0]).is_err_and(|error| is_early(&error)) {
        if Instant::now() >= until {
            return Ok(Err(io::ErrorKind::TimedOut.into()));
        }
        met.check_peers(cluster)?;
    }
    let reply = answer(&mut stream, &hello, cluster.secret.as_ref());
    Ok(reply.map(|reply| (stream, reply)))
}

/// Connects; reads time out after [`AGAIN`].
fn dial(host: &str, until: Instant) -> io::Result<TcpStream> {
    let left = until.saturating_duration_since(Instant::now()).max(AGAIN);
    let mut failed = io::ErrorKind::NotFound.into();
    for address in host.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, left.min(ANSWER)) {
            Ok(stream) => {
                prepare(&stream)?;
                stream.set_read_timeout(Some(AGAIN))?;
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

impl Connections {
    /// Answers the callers whose greetings were read; `refused` is the last refusal.
    fn admit(
        &mut self,
        cluster: &Cluster,
        callers: &Receiver<Result<Caller, String>>,
        refused: &mut Option<String>,
    ) {
        while let Ok(caller) = callers.try_recv() {
            let caller = match caller {
                Ok(caller) => caller,
                Err(why) => {
                    *refused = Some(why);
                    continue;
                }
            };
            let (process, purpose) = (caller.hello.process, caller.hello.purpose);
            let place = self.of(purpose);
            let is_taken = place.get(process).is_some_and(Option::is_some);
            if let Err(why) = check_hello(cluster, &caller.hello, is_taken) {
                *refused = Some(format!("host {process}: {why}"));
                caller.refuse(&why);
            } else if let Ok(stream) = caller.welcome() {
                place[process] = Some(stream);
            }
        }
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

/// Accepts the connections of all processes with higher numbers.
fn accept_others(
    cluster: &Cluster,
    listener: &TcpListener,
    met: &mut Connections,
    until: Instant,
) -> Result<(), String> {
    let Cluster { process, hosts, .. } = cluster;
    let (sender, callers) = channel();
    let doorman = Doorman::new(cluster, sender);
    let mut refused = None;
    // A refusal is likely to be the cause of what follows.
    let because = |refused: &Option<String>| match refused {
        Some(why) => format!("; {why}"),
        None => String::new(),
    };
    loop {
        let behind = process + 1..hosts.len();
        let missing = |other: &usize| {
            met.states[*other].is_none() || *process == 0 && met.control[*other].is_none()
        };
        let Some(missing) = behind.clone().find(missing) else {
            return Ok(());
        };
        let peers = met.check_peers(cluster);
        peers.map_err(|error| error + &because(&refused))?;
        met.admit(cluster, &callers, &mut refused);
        if Instant::now() >= until {
            let (limit, host) = (cluster.patience.as_secs(), &hosts[missing]);
            let why = because(&refused);
            return Err(format!(
                "host {missing} ({host}) did not connect within {limit} s{why}"
            ));
        }
        match listener.accept() {
            Ok((stream, _)) if stream.set_nonblocking(false).is_ok() => doorman.receive(stream),
            Ok(_) => {}
            Err(_) => sleep(LISTEN),
        }
    }
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
    use crate::frame::{VERSION, read_answer, write_hello};
    use crate::{Secret, hosts_here};
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
        // Process 0 waits for another process until time is up.
        let patience = Duration::from_secs(1);
        let mut pair = two(patience);
        (pair[0].model, pair[1].model) = (Some(1), Some(2));
        let [one, other] = both(&pair);
        let why = "the model there differs from the one here";
        assert!(
            one.unwrap_err()
                .ends_with(&format!("within 1 s; host 1: {why}"))
        );
        assert!(other.unwrap_err().ends_with(why));

        let mut pair = two(patience);
        pair[1].threads = 2;
        let [one, other] = both(&pair);
        assert!(one.unwrap_err().contains("1 threads here and 2 there"));
        assert!(other.unwrap_err().contains("threads"));
    }

    #[test]
    fn strangers_do_not_end_the_setup() {
        let pair = two(Duration::from_secs(20));
        let [first, second] = &pair;
        let start = Instant::now();
        std::thread::scope(|scope| {
            let one = scope.spawn(|| meet(first).map(drop));
            let call = || {
                (0..)
                    .find_map(|_| {
                        sleep(AGAIN);
                        dial(&first.hosts[0], Instant::now()).ok()
                    })
                    .unwrap()
            };
            let _silent = [call(), call(), call()];
            let mut wrong = call();
            wrong.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
            let mut slow = call();
            slow.write_all(b"lariat").unwrap();
            let mut hello = Hello::new(second, ConnectionKind::States).unwrap();
            write_hello(&mut call(), &hello, "0.0.1").unwrap();
            hello.process = 7;
            let mut unknown = call();
            write_hello(&mut unknown, &hello, VERSION).unwrap();
            assert!(matches!(read_answer(&mut unknown), Ok(Frame::Refused(_))));
            assert_eq!(meet(second).map(drop), Ok(()));
            assert_eq!(one.join().unwrap(), Ok(()));
        });
        assert!(start.elapsed() < ANSWER, "{:?}", start.elapsed());
    }

    #[test]
    fn a_secret_keeps_strangers_out() {
        let secret = |text: &str| Some(Secret::new(text.as_bytes()).unwrap());
        let (right, wrong) = ("the right secret of this run", "a wrong secret of this run");
        let mut pair = two(Duration::from_secs(20));
        pair[0].secret = secret(right);
        pair[1].secret = secret(right);
        assert_eq!(both(&pair), [Ok(()), Ok(())]);

        for (one, other, why) in [
            (
                Some(right),
                Some(wrong),
                "did not prove that it knows the secret",
            ),
            (Some(right), None, "a secret is needed"),
            (None, Some(right), "only the caller has a secret"),
        ] {
            let mut pair = two(Duration::from_secs(1));
            pair[0].secret = one.and_then(secret);
            pair[1].secret = other.and_then(secret);
            for result in both(&pair) {
                let error = result.unwrap_err();
                assert!(error.contains(why), "{error}");
            }
        }
    }

    /// Answers the first caller of this address.
    fn answer_once(listener: TcpListener, reply: impl FnOnce(&mut TcpStream)) {
        let (mut stream, _) = listener.accept().unwrap();
        reply(&mut stream);
        // Later callers are not answered.
        sleep(Duration::from_millis(400));
        drop(listener);
    }

    #[test]
    fn a_listener_of_another_kind_is_named() {
        let [_, mut second] = two(Duration::from_millis(300));
        let error_with = |second: &Cluster, reply: fn(&mut TcpStream)| {
            let listener = TcpListener::bind(&second.hosts[0]).unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| answer_once(listener, reply));
                attempt_once(second).unwrap()
            })
        };
        let http = error_with(&second, |stream| {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        });
        assert!(matches!(http, Reply::Foreign(why) if why.contains("not Lariat")));
        second.secret = Some(Secret::new(b"a secret of this run only").unwrap());
        let unproved = error_with(&second, |stream| {
            let _ = write_frame(stream, &Frame::Welcome(None));
        });
        assert!(matches!(unproved, Reply::Foreign(why) if why.contains("secret")));
    }

    /// The reply to one attempt of a process to connect to the first.
    fn attempt_once(cluster: &Cluster) -> io::Result<Reply> {
        let none = || vec![None, None];
        let mut met = Connections {
            states: none(),
            control: none(),
            last_pulse: Instant::now(),
        };
        let until = Instant::now() + ANSWER;
        let states = ConnectionKind::States;
        let tried = attempt(&cluster.hosts[0], states, cluster, &mut met, until).unwrap();
        tried.map(|(_, reply)| reply)
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
            let mut stream = (0..)
                .find_map(|_| {
                    sleep(AGAIN);
                    dial(&cluster.hosts[0], Instant::now()).ok()
                })
                .unwrap();
            greet(&mut stream, &other, ConnectionKind::States).unwrap();
            let welcome = read_answer(&mut stream.try_clone().unwrap());
            drop(stream);
            assert!(welcome.is_ok());
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
        let [first, second] = two(Duration::from_secs(1));
        let hello = Hello::new(&second, ConnectionKind::States).unwrap();
        let answer = std::thread::scope(|scope| {
            let one = scope.spawn(|| meet(&first).map(drop));
            let stream = (0..).find_map(|_| {
                sleep(AGAIN);
                TcpStream::connect(&first.hosts[0]).ok()
            });
            let mut stream = stream.unwrap();
            write_hello(&mut stream, &hello, "0.0.1").unwrap();
            let answer = read_answer(&mut stream).unwrap();
            let error = one.join().unwrap().unwrap_err();
            let why = "another host runs Lariat 0.0.1";
            assert!(error.contains(why), "{error}");
            answer
        });
        assert!(matches!(answer, Frame::Refused(why) if why.contains("0.0.1")));

        let taken = TcpListener::bind(&second.hosts[1]).unwrap();
        let error = meet(&second).map(drop).unwrap_err();
        assert!(error.ends_with("this port is taken"), "{error}");
        drop(taken);
    }
}
