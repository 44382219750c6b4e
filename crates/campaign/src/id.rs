//! Identifiers that are equal on every machine: 128-bit FNV-1a hashes (Fowler, Noll, Vo).
//!
//! Not cryptographic; 128 bits make collisions between jobs of a campaign negligible.

const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// An incremental hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hash(u128);

impl Hash {
    pub(crate) fn new() -> Hash {
        Hash(OFFSET)
    }

    /// Appends one part and its length, so that `ab`, `c` differs from `a`, `bc`.
    pub(crate) fn with(mut self, part: impl AsRef<[u8]>) -> Hash {
        let part = part.as_ref();
        for byte in part.iter().chain(&(part.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(PRIME);
        }
        self
    }

    /// Returns the hash as 32 hexadecimal digits.
    pub(crate) fn hex(self) -> String {
        format!("{:032x}", self.0)
    }

    /// Folds the hash into a 64-bit seed.
    pub(crate) fn seed(self) -> u64 {
        (self.0 >> 64) as u64 ^ self.0 as u64
    }
}

/// Returns the shard, from 0, of the job with this id.
pub(crate) fn shard(id: &str, shards: u32) -> u32 {
    (Hash::new().with(id).seed() % u64::from(shards.max(1))) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_pinned_and_separate_parts() {
        // If this value changes, no campaign can be resumed.
        let id = Hash::new().with("ab").with("c").hex();
        assert_eq!(id, "9b05a823fdcbe5d09ec257250fab87b0");
        assert_ne!(id, Hash::new().with("a").with("bc").hex());
    }
}
