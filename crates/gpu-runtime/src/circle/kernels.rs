//! Calls of the protocol, and its elements as numbers.

use field::QM31;
use gpu_hal::CircleStark;

pub(super) type Call<'a, D> = crate::call::Call<'a, D, CircleStark>;

/// The coordinates of an element as numbers.
pub(super) fn numbers(value: &QM31) -> [u64; 4] {
    value.0.map(|coordinate| u64::from(coordinate.value()))
}
