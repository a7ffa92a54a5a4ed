//! Elements that stand for drawn ones while a statement is recorded.

use field::{M31, QM31, SplitMix64};

/// Elements that stand for drawn ones: fixed, and without any relation that an AIR could be built on. A statement is
/// recorded with sets 0 to 2.
pub(crate) fn sentinels(set: u64, count: usize) -> Vec<QM31> {
    let mut random = SplitMix64::new(set);
    (0..count).map(|_| QM31(std::array::from_fn(|_| M31::reduce(random.word())))).collect()
}
