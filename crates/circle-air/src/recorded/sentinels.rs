//! Elements that stand for drawn ones while a statement is recorded.

use field::{M31, QM31};

/// Elements that stand for drawn ones: fixed, and without any relation that an AIR could be built on. A statement is
/// recorded with sets 0 to 2.
pub(crate) fn sentinels(set: u64, count: usize) -> Vec<QM31> {
    let mut state = set;
    // SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014).
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        M31::reduce(z ^ (z >> 31))
    };
    (0..count).map(|_| QM31(std::array::from_fn(|_| next()))).collect()
}
