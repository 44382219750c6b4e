//! Which processes there are.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// How long processes wait for each other at the start, unless somebody says otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where [`hosts_here`] looks for free ports. Systems give ports from 32768 or 49152 on to whoever calls somebody: one of these may be gone, or be the
/// caller's own, before the process comes that was to listen there.
const PORTS: std::ops::Range<u16> = 10_240..32_768;

/// All processes that work together, and which of them this one is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cluster {
    /// `host:port` of each process.
    pub hosts: Vec<String>,
    /// The number of this process, from 0.
    pub process: usize,
    /// Workers of each process, the same for all.
    pub threads: usize,
    /// A [digest](crate::digest) of the model file that this process was given, if it was given one.
    pub model: Option<u64>,
    /// How long to wait for the others at the start.
    pub patience: Duration,
}

impl Cluster {
    /// Process `process` of these, with one worker each.
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
                patience: PATIENCE,
            }),
        }
    }
}

/// So many hosts, all of them this machine, at ports where nobody listens. One process is never given a port twice, and two seldom the same.
pub fn hosts_here(n: usize) -> io::Result<Vec<String>> {
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    let ports = PORTS.len() as u32;
    // Processes that are started one after the other have numbers in a row: far apart, they do not meet soon.
    let first = std::process::id().wrapping_mul(257);
    let free = |_| {
        let given = GIVEN.fetch_add(1, Ordering::Relaxed);
        let port = PORTS.start + (first.wrapping_add(given) % ports) as u16;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok()?;
        Some(listener.local_addr().ok()?.to_string())
    };
    let hosts: Vec<String> = (0..ports).filter_map(free).take(n).collect();
    match hosts.len() == n {
        true => Ok(hosts),
        false => Err(io::Error::from(io::ErrorKind::AddrInUse)),
    }
}

/// The hosts of a file: one `host:port` a line; empty lines and what is behind `#` do not count.
pub fn read_hosts(text: &str) -> Result<Vec<String>, String> {
    let mut hosts: Vec<String> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let port = line.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
        match port {
            Some(Ok(1..)) => {}
            _ => {
                return Err(format!(
                    "line {number}: `{line}` is not of the form host:port"
                ));
            }
        }
        if hosts.iter().any(|host| host == line) {
            return Err(format!("line {number}: `{line}` is there twice"));
        }
        hosts.push(line.to_owned());
    }
    match hosts.is_empty() {
        true => Err("no line names a host".to_owned()),
        false => Ok(hosts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_free_and_given_once() {
        let taken: Vec<TcpListener> = hosts_here(3)
            .unwrap()
            .iter()
            .map(|host| TcpListener::bind(host).unwrap())
            .collect();
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
            ("a:1\n\na:1", "line 3: `a:1` is there twice"),
        ] {
            assert_eq!(read_hosts(text), Err(expected.to_owned()));
        }
        let missing = Cluster::new(read, 2).unwrap_err();
        assert!(
            missing.starts_with("there is no process 2: 2 hosts"),
            "{missing}"
        );
    }
}
