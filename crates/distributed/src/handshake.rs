//! The first messages of a connection: greeting, proofs of a shared secret, and the answer.
//!
//! The listener reads each greeting in a thread of its own, with one deadline for all of it, so that
//! a silent, slow or foreign caller delays nothing else. The caller repeats its attempts, see
//! `meet.rs`.

use crate::cluster::Cluster;
use crate::frame::{
    ConnectionKind, Frame, HandshakeError, Hello, VERSION, read_answer, read_hello, write_frame,
    write_hello,
};
use crate::secret::{Bytes32, Secret, Side, random};
use lariat_model::visible;
use socket2::{SockRef, TcpKeepalive};
use std::io::{self, Read};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// Limit on the time for the messages of one side, once the first one has arrived.
pub(crate) const ANSWER: Duration = Duration::from_secs(5);
/// Time without an acknowledgement after which a connection counts as broken.
const SILENCE: Duration = Duration::from_secs(6);
/// Limit on the callers that are greeted at the same time.
const MOST_CALLERS: usize = 64;

/// A caller that has given a greeting, and proved that it knows the secret if there is one.
pub(crate) struct Caller {
    pub stream: TcpStream,
    pub hello: Hello,
    /// The proof of this process, for the answer.
    proof: Option<Bytes32>,
}

/// Configures a connection: no delay of small messages, and an error after silence of the network.
pub(crate) fn prepare(stream: &TcpStream) -> io::Result<()> {
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

/// A stream whose reads fail after a deadline.
struct UntilDeadline<'s> {
    stream: &'s TcpStream,
    deadline: Instant,
}

impl<'s> UntilDeadline<'s> {
    fn new(stream: &'s TcpStream) -> UntilDeadline<'s> {
        let deadline = Instant::now() + ANSWER;
        UntilDeadline { stream, deadline }
    }
}

impl Read for UntilDeadline<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        let mut stream = self.stream;
        stream.read(buffer)
    }
}

/// Callers whose greetings are read at the moment, each by a thread.
pub(crate) struct Doorman {
    cluster: Arc<Cluster>,
    open: Arc<AtomicUsize>,
    /// Receives callers, and the reasons why others were refused.
    greeted: Sender<Result<Caller, String>>,
}

impl Doorman {
    pub fn new(cluster: &Cluster, greeted: Sender<Result<Caller, String>>) -> Doorman {
        Doorman {
            cluster: Arc::new(cluster.clone()),
            open: Arc::default(),
            greeted,
        }
    }

    /// Starts a thread that reads a greeting. With too many callers, the new one is disconnected.
    pub fn receive(&self, stream: TcpStream) {
        if self.open.fetch_add(1, Ordering::Relaxed) >= MOST_CALLERS {
            self.open.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        let (cluster, open) = (Arc::clone(&self.cluster), Arc::clone(&self.open));
        let greeted = self.greeted.clone();
        let work = move || {
            match caller(stream, &cluster) {
                // The receiver is gone after the setup.
                Ok(caller) => drop(greeted.send(Ok(caller))),
                Err(Some(why)) => drop(greeted.send(Err(why))),
                Err(None) => {}
            }
            open.fetch_sub(1, Ordering::Relaxed);
        };
        let thread = std::thread::Builder::new().name("greeting".to_owned());
        if thread.spawn(work).is_err() {
            self.open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Reads the greeting of a caller. The error is the reason of a refusal, if the caller speaks this
/// protocol.
fn caller(mut stream: TcpStream, cluster: &Cluster) -> Result<Caller, Option<String>> {
    prepare(&stream).map_err(|_| None)?;
    let hello = match read_hello(&mut UntilDeadline::new(&stream)) {
        Ok(hello) => hello,
        Err(HandshakeError::Unknown) => return Err(None),
        Err(HandshakeError::Version(theirs)) => {
            let theirs = visible(theirs);
            let why = format!("it runs Lariat {VERSION}, and here is Lariat {theirs}");
            let _ = write_frame(&mut stream, &Frame::Refused(why));
            return Err(Some(format!(
                "another host runs Lariat {theirs}, and here is Lariat {VERSION}"
            )));
        }
    };
    match secure(&mut stream, &hello, cluster.secret.as_ref()) {
        Ok(proof) => Ok(Caller {
            stream,
            hello,
            proof,
        }),
        Err(why) => {
            let host = hello.process;
            let _ = write_frame(&mut stream, &Frame::Refused(why.to_owned()));
            Err(Some(format!("host {host}: {why}")))
        }
    }
}

/// Requests and checks the proof of a caller; returns the proof of this process.
fn secure(
    stream: &mut TcpStream,
    hello: &Hello,
    secret: Option<&Secret>,
) -> Result<Option<Bytes32>, &'static str> {
    const FAILED: &str = "the caller did not prove that it knows the secret";
    let secret = match (secret, hello.nonce) {
        (None, None) => return Ok(None),
        (Some(secret), Some(_)) => secret,
        (Some(_), None) => return Err("a secret is needed: all processes need --secret-file"),
        (None, Some(_)) => return Err("only the caller has a secret: all need --secret-file"),
    };
    match exchange(stream, hello, secret) {
        Ok(Some(proof)) => Ok(Some(proof)),
        Ok(None) | Err(_) => Err(FAILED),
    }
}

/// Sends a challenge; returns the proof of this process if that of the caller is right.
fn exchange(stream: &mut TcpStream, hello: &Hello, secret: &Secret) -> io::Result<Option<Bytes32>> {
    let (challenge, greeting) = (random()?, hello.encoded()?);
    write_frame(stream, &Frame::Challenge(challenge))?;
    let answer = read_answer(&mut UntilDeadline::new(stream))?;
    let is_proved = match answer {
        Frame::Proof(proof) => secret.accepts(&proof, Side::Caller, &challenge, &greeting),
        _ => false,
    };
    Ok(is_proved.then(|| secret.proof(Side::Listener, &challenge, &greeting)))
}

impl Caller {
    /// Accepts the caller; the stream is then without a limit on the time of reads.
    pub fn welcome(mut self) -> io::Result<TcpStream> {
        write_frame(&mut self.stream, &Frame::Welcome(self.proof))?;
        self.stream.set_read_timeout(None)?;
        Ok(self.stream)
    }

    /// Tells the caller why it is refused.
    pub fn refuse(mut self, why: &str) {
        let _ = write_frame(&mut self.stream, &Frame::Refused(why.to_owned()));
    }
}

/// The answer to a greeting.
#[derive(Debug)]
pub(crate) enum Reply {
    Welcome,
    /// With the reason.
    Refused(String),
    /// The listener speaks another protocol, or does not know the secret.
    Foreign(&'static str),
}

/// Sends a greeting.
pub(crate) fn greet(
    stream: &mut TcpStream,
    cluster: &Cluster,
    purpose: ConnectionKind,
) -> io::Result<Hello> {
    let hello = Hello::new(cluster, purpose)?;
    write_hello(stream, &hello, VERSION)?;
    Ok(hello)
}

/// Reads the answer to a greeting, and proves that this process knows the secret.
pub(crate) fn answer(
    stream: &mut TcpStream,
    hello: &Hello,
    secret: Option<&Secret>,
) -> io::Result<Reply> {
    const OTHER: &str = "the program that answers there is not Lariat: is the port right?";
    let read = |stream: &TcpStream| match read_answer(&mut UntilDeadline::new(stream)) {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(None),
        Err(error) if error.get_ref().is_some() => Ok(None),
        frame => frame.map(Some),
    };
    let mut expected = None;
    let mut frame = read(stream)?;
    if let (Some(Frame::Challenge(challenge)), Some(secret)) = (&frame, secret) {
        let greeting = hello.encoded()?;
        let proof = secret.proof(Side::Caller, challenge, &greeting);
        expected = Some((*challenge, greeting));
        write_frame(stream, &Frame::Proof(proof))?;
        frame = read(stream)?;
    }
    Ok(match frame {
        Some(Frame::Refused(why)) => Reply::Refused(visible(why).into_owned()),
        Some(Frame::Welcome(proof)) => {
            let is_proved = match (secret, &proof, &expected) {
                (None, _, _) => true,
                (Some(secret), Some(proof), Some((challenge, greeting))) => {
                    secret.accepts(proof, Side::Listener, challenge, greeting)
                }
                _ => false,
            };
            if is_proved {
                stream.set_read_timeout(None)?;
                Reply::Welcome
            } else {
                Reply::Foreign("the program that answers there does not know the secret")
            }
        }
        _ => Reply::Foreign(OTHER),
    })
}
