//! Elements of QM31 in felts: `Σ c_j 2^(36 j)`, each coordinate below 2^31 - 1.

use field::{M31, PrimeField, QM31};

#[cfg(feature = "vm")]
use crate::Felt252;
use crate::Words;

/// Bits that a coordinate takes.
const COORDINATE_BITS: usize = 36;

/// The element in a value; `None` if it is none.
pub(crate) fn unpack(words: &Words) -> Option<QM31> {
    // 144 bits.
    if words[4] >> 16 != 0 || words[5..] != [0; 3] {
        return None;
    }
    let bits = |start: usize| {
        let word = |index: usize| u128::from(*words.get(index).unwrap_or(&0));
        let window = word(start / 32) | word(start / 32 + 1) << 32 | word(start / 32 + 2) << 64;
        (window >> (start % 32)) as u64 & ((1 << COORDINATE_BITS) - 1)
    };
    let coordinate = |index: usize| M31::from_canonical(bits(COORDINATE_BITS * index));
    Some(QM31([coordinate(0)?, coordinate(1)?, coordinate(2)?, coordinate(3)?]))
}

/// The felt that an element is packed into.
#[cfg(feature = "vm")]
pub(crate) fn pack(element: QM31) -> Felt252 {
    let [low, mid, high, top] = element.0.map(|coordinate| u128::from(coordinate.value()));
    Felt252::from(low | mid << COORDINATE_BITS)
        + Felt252::from(high | top << COORDINATE_BITS) * Felt252::from(1u128 << (2 * COORDINATE_BITS))
}
