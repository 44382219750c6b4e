//! The processes of a distributed run.

use crate::secret::Secret;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Default limit on the time that processes wait for each other at the start.
const PATIENCE: Duration = Duration::from_secs(60);

/// Ports that [`hosts_here`] may choose. They lie below the ephemeral ports, which the operating
/// system could give to an outgoing connection before the process that shall listen there starts.
const PORTS: std::ops::Range<u16> = 10_240..32_768;

/// The processes of a run, and the number of this one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cluster {
    /// `host:port` of each process.
    pub hosts: Vec<String>,
    /// The number of this process, from 0.
    pub process: usize,
    /// Workers per process, equal for all.
    pub threads: usize,
    /// A [digest](crate::digest) of the model file of this process, if it has one.
    pub model: Option<u64>,
    /// A secret that callers must know.
    pub secret: Option<Secret>,
    /// Limit on the time to wait for the others at the start.
    pub patience: Duration,
}

impl Cluster {
    /// Creates the cluster for process `process`, with one worker per process.
    pub fn new(hosts: Vec<String>, process: usize) -> Result<Cluster, String> {
        match hosts.len() {
            0 => Err("no hosts are given".to_owned()),
            n if process >= n => Err(format!(
                "there is no process {process}: {n} hosts are given, and the first is process 0"
            )),
            _ => Ok(Cluster {
                hosts,
                process,
                threads: 1,
                model: None,
                secret: None,
                patience: PATIENCE,
            }),
        }
    }
}

/// Chooses `n` free ports of this machine; a process never gets the same port twice.
pub fn hosts_here(n: usize) -> io::Result<Vec<String>> {
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    let ports = PORTS.len() as u32;
    // Consecutive process ids are mapped to distant ports.
    let first = std::process::id().wrapping_mul(257);
    let free = |_| {
        let given = GIVEN.fetch_add(1, Ordering::Relaxed);
        let port = PORTS.start + (first.wrapping_add(given) % ports) as u16;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok()?;
        Some(listener.local_addr().ok()?.to_string())
    };
    let hosts: Vec<String> = (0..ports).filter_map(free).take(n).collect();
    if hosts.len() == n {
        Ok(hosts)
    } else {
        Err(io::Error::from(io::ErrorKind::AddrInUse))
    }
}

/// Parses a file of hosts: one `host:port` per line; empty lines and `#` comments are skipped.
pub fn read_hosts(text: &str) -> Result<Vec<String>, String> {
    let mut hosts: Vec<String> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let wrong = |why: &str| Err(format!("line {number}: `{line}` {why}"));
        let port = line.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
        if !matches!(port, Some(Ok(1..))) {
            return wrong("is not of the form host:port");
        }
        if hosts.iter().any(|host| host == line) {
            return wrong("occurs twice");
        }
        hosts.push(line.to_owned());
    }
    if hosts.is_empty() {
        Err("no line names a host".to_owned())
    } else {
        Ok(hosts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_free_and_given_once() {
        let hosts = hosts_here(3).unwrap();
        let taken = hosts.iter().map(|host| TcpListener::bind(host).unwrap());
        let taken: Vec<TcpListener> = taken.collect();
        let more = hosts_here(40).unwrap();
        for listener in &taken {
            let address = listener.local_addr().unwrap();
            assert!(PORTS.contains(&address.port()));
            assert!(!more.contains(&address.to_string()));
        }
    }

    #[test]
    fn hosts_are_read_and_mistakes_named() {
        let read = read_hosts("a:1 # the first\n\n# none\n  [::1]:2101\n").unwrap();
        assert_eq!(read, ["a:1", "[::1]:2101"]);
        for (text, expected) in [
            ("", "no line names a host"),
            ("a:1\nb", "line 2: `b` is not of the form host:port"),
            ("a:0", "line 1: `a:0` is not of the form host:port"),
            ("a:1\n\na:1", "line 3: `a:1` occurs twice"),
        ] {
            assert_eq!(read_hosts(text), Err(expected.to_owned()));
        }
        let error = Cluster::new(read, 2).unwrap_err();
        assert!(
            error.starts_with("there is no process 2: 2 hosts"),
            "{error}"
        );
    }
}
