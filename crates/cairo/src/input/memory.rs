//! Reads of a ProverInput's memory that cannot fail hard.

use cairo_vm::Felt252;
use stwo_cairo_adapter::memory::{DEFAULT_ID, Memory};
use stwo_cairo_common::memory::{LARGE_MEMORY_VALUE_ID_BASE, LOG_MEMORY_ADDRESS_BOUND};

/// Addresses are below 2^29.
pub(super) const ADDRESS_BOUND: u32 = 1 << LOG_MEMORY_ADDRESS_BOUND;

/// A value as eight words of 32 bits, the least significant first.
pub(super) type Words = [u32; 8];

/// What an id of the address table names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Id {
    /// An index into the small values.
    Small(usize),
    /// An index into the big values.
    Big(usize),
    /// A cell without a value.
    Empty,
    /// No id at all.
    Invalid,
}

/// Reads an id.
pub(super) fn decode_id(raw: u32) -> Id {
    if raw == DEFAULT_ID {
        return Id::Empty;
    }
    let index = (raw % LARGE_MEMORY_VALUE_ID_BASE) as usize;
    match raw / LARGE_MEMORY_VALUE_ID_BASE {
        0 => Id::Small(index),
        1 => Id::Big(index),
        _ => Id::Invalid,
    }
}

/// The cells of a memory. A read of a cell that is out of range or without a value is `None`.
#[derive(Clone, Copy)]
pub(super) struct Cells<'a>(pub(super) &'a Memory);

impl Cells<'_> {
    /// The id of a cell.
    pub(super) fn id(&self, address: u32) -> Option<u32> {
        self.0.address_to_id.get(address as usize).map(|id| id.0)
    }

    /// The value of a cell.
    pub(super) fn words(&self, address: u32) -> Option<Words> {
        match decode_id(self.id(address)?) {
            Id::Small(index) => {
                let small = *self.0.small_values.get(index)?;
                let mut words = [0; 8];
                for (i, word) in words.iter_mut().take(4).enumerate() {
                    *word = (small >> (32 * i)) as u32;
                }
                Some(words)
            }
            Id::Big(index) => self.0.f252_values.get(index).copied(),
            Id::Empty | Id::Invalid => None,
        }
    }

    /// The value of a cell as a felt.
    pub(super) fn felt(&self, address: u32) -> Option<Felt252> {
        self.words(address).map(|words| felt(&words))
    }

    /// The value of a cell, if it is below 2^128.
    pub(super) fn u128(&self, address: u32) -> Option<u128> {
        let words = self.words(address)?;
        let (low, high) = words.split_at(4);
        (high == [0; 4]).then(|| low.iter().rev().fold(0, |number, word| number << 32 | u128::from(*word)))
    }

    /// The value of a cell, if it is below 2^32.
    pub(super) fn u32(&self, address: u32) -> Option<u32> {
        u32::try_from(self.u128(address)?).ok()
    }

    /// The value of a cell, if it is an address.
    pub(super) fn address(&self, address: u32) -> Option<u32> {
        self.u32(address).filter(|value| *value < ADDRESS_BOUND)
    }
}

/// Words as a felt (reduced).
pub(super) fn felt(words: &Words) -> Felt252 {
    let mut bytes = [0; 32];
    for (chunk, word) in bytes.chunks_exact_mut(4).zip(words) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    Felt252::from_bytes_le(&bytes)
}

/// A felt as words.
pub(super) fn words(felt: &Felt252) -> Words {
    let digits = felt.to_le_digits();
    [0, 1, 2, 3, 4, 5, 6, 7].map(|i| (digits[i / 2] >> (32 * (i % 2))) as u32)
}

/// Whether a value is a small one: below 2^72.
pub(super) fn is_small(words: &Words) -> bool {
    words[3..] == [0; 5] && words[2] < 1 << 8
}

/// Whether a value can be an operand of a small sum: in `-2^29 - 1 ..= 2^29 - 1`.
pub(super) fn is_small_summand(words: &Words) -> bool {
    // p - 1 = 2^251 + 17 * 2^192, and p - 2^29 - 1 is 2^29 less.
    match words {
        [low, 0, 0, 0, 0, 0, 0, 0] => *low < 1 << 29,
        [0, 0, 0, 0, 0, 0, 0x11, 0x0800_0000] => true,
        [low, u32::MAX, u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0x10, 0x0800_0000] => *low >= 0xe000_0000,
        _ => false,
    }
}

/// Whether a value can be a factor of a small product: below 2^36.
pub(super) fn is_small_factor(words: &Words) -> bool {
    words[2..] == [0; 6] && words[1] < 1 << 4
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bounds, by arithmetic on felts.
    #[test]
    fn bounds_of_small_operands() {
        let bound = Felt252::from(1u64 << 29);
        let one = Felt252::ONE;
        let summand = |felt: Felt252| is_small_summand(&words(&felt));
        for inside in [Felt252::ZERO, one, bound - one, -one, -bound, -bound - one] {
            assert!(summand(inside), "{inside}");
        }
        for outside in [bound, -bound - one - one, Felt252::from(1u64 << 32), Felt252::TWO.pow(251u32)] {
            assert!(!summand(outside), "{outside}");
        }
        let factor = Felt252::from(1u64 << 36);
        assert!(
            is_small_factor(&words(&(factor - one)))
                && !is_small_factor(&words(&factor))
                && !is_small_factor(&words(&-one))
        );
        assert_eq!(felt(&words(&(-bound - one))), -bound - one);
        assert!(is_small(&words(&(Felt252::TWO.pow(72u32) - one))) && !is_small(&words(&Felt252::TWO.pow(72u32))));
    }
}
