//! Names for things that are the same on every machine: 128-bit FNV-1a hashes.
//!
//! Not a defence against anybody; enough that no two jobs of a campaign meet (Fowler, Noll, Vo).

const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// A hash in the making.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hash(u128);

impl Hash {
    pub(crate) fn new() -> Hash {
        Hash(OFFSET)
    }

    /// Takes in one part. Parts are kept apart: `ab`, `c` is not `a`, `bc`.
    pub(crate) fn with(mut self, part: impl AsRef<[u8]>) -> Hash {
        let part = part.as_ref();
        for byte in part.iter().chain(&(part.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(PRIME);
        }
        self
    }

    /// As 32 hexadecimal digits.
    pub(crate) fn hex(self) -> String {
        format!("{:032x}", self.0)
    }

    /// As a seed.
    pub(crate) fn seed(self) -> u64 {
        (self.0 >> 64) as u64 ^ self.0 as u64
    }
}

/// The shard, from 0, that a job of this id belongs to.
pub(crate) fn shard(id: &str, shards: u32) -> u32 {
    (Hash::new().with(id).seed() % u64::from(shards.max(1))) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_pinned_and_parts_kept_apart() {
        // Another value here makes every campaign start from the beginning.
        let id = Hash::new().with("ab").with("c").hex();
        assert_eq!(id, "9b05a823fdcbe5d09ec257250fab87b0");
        assert_ne!(id, Hash::new().with("a").with("bc").hex());
    }
}
