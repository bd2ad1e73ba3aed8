//! Random choices that follow from a seed.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A generator of choices. Each purpose has its own, so that an added choice does not change the others.
pub struct Dice(StdRng);

impl Dice {
    /// The generator of a purpose on a day.
    pub fn of(seed: u64, day: u32, purpose: u32) -> Self {
        let mixed = seed
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(u64::from(day) << 32 | u64::from(purpose));
        Self(StdRng::seed_from_u64(mixed))
    }

    /// A number below `end`, which is at least 1.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end)
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// # Panics
    /// If there is nothing to choose from.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
