//! The shared secret of the processes: challenge and response (HMAC-SHA256, RFC 2104).
//!
//! ```text
//! caller   → listener   greeting, with a random number c
//! listener → caller     challenge, a random number l
//! caller   → listener   HMAC(secret, "caller"   ‖ l ‖ greeting)
//! listener → caller     HMAC(secret, "listener" ‖ l ‖ greeting)
//! ```
//!
//! Both sides prove that they know the secret, which is never sent, and a recorded proof is useless
//! for another connection. The rest of the connection is neither encrypted nor signed: the
//! secret keeps strangers out of a run, and does not protect it against control of the network.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::fmt;
use std::io;

/// A random number, and a proof.
pub(crate) type Bytes32 = [u8; 32];

/// Minimum length of a secret in bytes.
const SHORTEST: usize = 16;

/// A secret that all processes of a run know.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// The side of a connection that gives a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Caller,
    Listener,
}

impl Secret {
    /// The secret in the contents of a file, without surrounding blanks and line ends.
    pub fn new(contents: &[u8]) -> Result<Secret, String> {
        let secret = contents.trim_ascii();
        if secret.len() < SHORTEST {
            return Err(format!(
                "a secret of at least {SHORTEST} bytes is needed; `head -c 32 /dev/urandom | base64` makes one"
            ));
        }
        Ok(Secret(secret.to_owned()))
    }

    /// The proof of one side for a challenge and an encoded greeting.
    pub(crate) fn proof(&self, side: Side, challenge: &Bytes32, greeting: &[u8]) -> Bytes32 {
        self.mac(side, challenge, greeting)
            .finalize()
            .into_bytes()
            .into()
    }

    /// Returns whether this is the proof of that side, in time that does not depend on it.
    pub(crate) fn accepts(
        &self,
        proof: &Bytes32,
        side: Side,
        challenge: &Bytes32,
        greeting: &[u8],
    ) -> bool {
        let mac = self.mac(side, challenge, greeting);
        mac.verify_slice(proof).is_ok()
    }

    fn mac(&self, side: Side, challenge: &Bytes32, greeting: &[u8]) -> Hmac<Sha256> {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            unreachable!("HMAC accepts keys of any length");
        };
        mac.update(match side {
            Side::Caller => b"caller",
            Side::Listener => b"listener",
        });
        mac.update(challenge);
        mac.update(greeting);
        mac
    }
}

/// Random bytes of the operating system.
pub(crate) fn random() -> io::Result<Bytes32> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_proof_is_accepted() {
        let secret = Secret::new(b"a secret of many bytes\n").unwrap();
        let challenge = random().unwrap();
        assert_ne!(challenge, random().unwrap());
        let proof = secret.proof(Side::Caller, &challenge, b"hello");
        let accepts = |side, challenge: &Bytes32, greeting: &[u8]| {
            secret.accepts(&proof, side, challenge, greeting)
        };
        assert!(accepts(Side::Caller, &challenge, b"hello"));
        assert!(!accepts(Side::Listener, &challenge, b"hello"));
        assert!(!accepts(Side::Caller, &[0; 32], b"hello"));
        assert!(!accepts(Side::Caller, &challenge, b"hellp"));
        let other = Secret::new(b"another secret of many bytes").unwrap();
        assert!(!other.accepts(&proof, Side::Caller, &challenge, b"hello"));
        assert!(Secret::new(b"  too short  \n").is_err());
        assert!(!format!("{secret:?}").contains("many"));
    }
}
