//! Pseudo-random numbers: the single source for random formulas, random walks and all tests.
//!
//! [`Random`] is SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number generators*,
//! OOPSLA 2014): one word of state, no bad seeds, and the same numbers on every machine and in
//! every version. Campaign files and failing tests name seeds, so the stream must never change.

#![forbid(unsafe_code)]

/// A stream of pseudo-random numbers, fully determined by its seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns the stream of this seed. Any seed will do; adjacent seeds give unrelated streams.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number in `0..n`; 0 if the range is empty.
    pub fn below<N: Integer>(&mut self, n: N) -> N {
        N::ZERO.plus(self.scaled(n.since(N::ZERO)))
    }

    /// Returns a number in `low..=high`; `low` if the range is empty.
    pub fn between<N: Integer>(&mut self, low: N, high: N) -> N {
        low.plus(self.scaled(high.since(low).saturating_add(1)))
    }

    /// Returns true with probability `wins / of`.
    pub fn chance(&mut self, wins: usize, of: usize) -> bool {
        self.below(of) < wins
    }

    /// Returns true with a probability of `percent` per cent.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.chance(percent, 100)
    }

    /// Returns true with probability 1/2.
    pub fn coin(&mut self) -> bool {
        self.bits() >> 63 == 1
    }

    /// Returns one of the items; `None` if there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Returns one of the items of a non-empty list.
    ///
    /// # Panics
    ///
    /// If the list is empty.
    pub fn one_of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// Returns an independent stream, for a part of the work.
    pub fn split(&mut self) -> Random {
        Random(self.bits())
    }

    /// Returns a number in `0..n`, the high half of a 128-bit product, with bias below n / 2^64.
    fn scaled(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }
}

/// Integers that [`Random::below`] and [`Random::between`] draw, the same for every type.
pub trait Integer: Copy + sealed::Sealed {
    /// 0.
    const ZERO: Self;

    /// Returns `self - low`; 0 if `low` is above `self`.
    fn since(self, low: Self) -> u64;

    /// Returns `self + more`, which must not overflow.
    fn plus(self, more: u64) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! integers {
    ($($name:ty)*) => {$(
        impl sealed::Sealed for $name {}

        impl Integer for $name {
            const ZERO: Self = 0;

            fn since(self, low: Self) -> u64 {
                if low < self { self.wrapping_sub(low) as u64 & (u64::MAX >> (64 - Self::BITS)) } else { 0 }
            }

            fn plus(self, more: u64) -> Self {
                self.wrapping_add(more as Self)
            }
        }
    )*};
}

integers!(u8 u32 u64 usize i32 i64);

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference stream of the seed 1234567: seeds keep their meaning.
    #[test]
    fn the_stream_is_splitmix64() {
        let mut random = Random::new(1_234_567);
        let drawn: Vec<u64> = (0..5).map(|_| random.bits()).collect();
        let reference = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(drawn, reference);
    }

    #[test]
    fn every_number_below_is_reached() {
        let mut random = Random::new(3);
        let mut seen = [false; 5];
        for _ in 0..200 {
            seen[random.below(5_usize)] = true;
        }
        assert_eq!(seen, [true; 5]);
        assert_eq!(random.below(0_u32), 0);
        assert_eq!(random.below(-7), 0);
        assert_eq!(random.pick::<u8>(&[]), None);
    }

    #[test]
    fn exactly_the_numbers_of_a_range_are_drawn() {
        let mut random = Random::new(4);
        let drawn: Vec<i64> = (0..200).map(|_| random.between(-2, 2)).collect();
        assert_eq!(drawn.iter().min(), Some(&-2));
        assert_eq!(drawn.iter().max(), Some(&2));
        assert_eq!(random.between(5, 3), 5);
        // Differences that do not fit the type.
        let wide = (0..200).map(|_| random.between(i32::MIN, i32::MAX));
        let (low, high): (Vec<i32>, Vec<i32>) = wide.partition(|n| *n < 0);
        assert!(low.len() > 50 && high.len() > 50);
        random.between(i64::MIN, i64::MAX);
    }

    #[test]
    fn numbers_do_not_depend_on_the_type() {
        let (mut a, mut b) = (Random::new(5), Random::new(5));
        for _ in 0..100 {
            assert_eq!(u64::from(a.below(1000_u32)), b.below(1000_u64));
        }
    }

    #[test]
    fn shuffling_keeps_the_items() {
        let mut items: Vec<u32> = (0..50).collect();
        Random::new(6).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<u32>>());
    }
}
