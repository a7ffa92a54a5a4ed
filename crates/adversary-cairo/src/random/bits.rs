//! Random numbers of a length.

use num_bigint::BigUint;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// A number of at most `bits` bits.
pub(super) fn below(random: &mut ChaCha8Rng, bits: usize) -> BigUint {
    let words: Vec<u32> = (0..bits.div_ceil(32)).map(|_| random.random()).collect();
    BigUint::new(words) & ((BigUint::from(1u32) << bits) - 1u32)
}
