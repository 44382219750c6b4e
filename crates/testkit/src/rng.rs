//! The random numbers of every test: splitmix64 (Steele, Lea, Flood, *Fast splittable pseudorandom
//! number generators*, 2014). Small, and the same on every machine and for ever, so that a
//! printed seed replays.

/// A stream of numbers that its seed decides.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The stream of this seed. Neighbouring seeds give unrelated streams.
    pub fn new(seed: u64) -> Rng {
        let mut rng = Rng(seed);
        // Seeds are counted up from case to case; two of the mixed outputs keep their streams from
        // being shifted copies of each other.
        let (a, b) = (rng.draw(), rng.draw());
        Rng(a ^ b.rotate_left(17))
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of `0..n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.draw() % (n.max(1) as u64)) as usize
    }

    /// One of `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// True in `percent` of a hundred draws.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items, which are not none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
