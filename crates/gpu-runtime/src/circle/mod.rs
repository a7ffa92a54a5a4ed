//! The Circle protocol: columns of M31, two elements a word.

mod factors;

pub(crate) use factors::FactorCache;
