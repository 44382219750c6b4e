//! The random numbers of the formula generator, with helpers for nets.

use lariat_ltl::Random;

pub struct Rng(pub Random);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(Random::new(seed))
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    /// A value of `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// True with a probability of `percent`.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.0.chance(percent, 100)
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
