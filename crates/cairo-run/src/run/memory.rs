//! The memory of a run: each value once, in a table of small or of big values, and its id at each of its addresses.

use serde::{Deserialize, Serialize};

use crate::Felt252;
use crate::felt::{Words, from_words};
use crate::pages::Pages;

/// Addresses are below 2^29.
pub const MAX_ADDRESSES: u32 = 1 << 29;
/// Ids from here on belong to big values.
pub const BIG_ID: u32 = 1 << 30;
/// The id of a cell without a value.
pub const NO_ID: u32 = BIG_ID - 1;

/// The memory of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// Files have it; nothing here reads it.
    config: Config,
    /// The id of the value at each address: an index into the small values, or [`BIG_ID`] and an index into the big
    /// ones, or [`NO_ID`]. Address 0 has no value.
    pub address_to_id: Pages<u32>,
    /// The values of 72 bits or more, and values that the small table has no room for.
    pub f252_values: Pages<Words>,
    /// The values below 2^72.
    pub small_values: Pages<u128>,
}

/// The largest small value, and log2 of how many there may be.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Config {
    small_max: u128,
    log_small_value_capacity: u32,
}

impl Memory {
    /// A memory of these tables.
    pub fn new(
        address_to_id: impl Into<Pages<u32>>,
        f252_values: impl Into<Pages<Words>>,
        small_values: impl Into<Pages<u128>>,
    ) -> Self {
        let config = Config { small_max: (1 << 72) - 1, log_small_value_capacity: 24 };
        let (address_to_id, f252_values) = (address_to_id.into(), f252_values.into());
        Self { config, address_to_id, f252_values, small_values: small_values.into() }
    }
}

/// The value that an id of the address table names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Id {
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
pub(crate) fn decode_id(raw: u32) -> Id {
    if raw == NO_ID {
        return Id::Empty;
    }
    let index = (raw % BIG_ID) as usize;
    match raw / BIG_ID {
        0 => Id::Small(index),
        1 => Id::Big(index),
        _ => Id::Invalid,
    }
}

/// The cells of a memory. A read of a cell that is out of range or without a value is `None`.
#[derive(Clone, Copy)]
pub struct Cells<'a>(pub &'a Memory);

impl Cells<'_> {
    /// The id of a cell.
    pub fn id(&self, address: u32) -> Option<u32> {
        self.0.address_to_id.get(address as usize).copied()
    }

    /// The value of a cell.
    pub fn words(&self, address: u32) -> Option<Words> {
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
    pub fn felt(&self, address: u32) -> Option<Felt252> {
        self.words(address).map(|words| from_words(&words))
    }

    /// The value of a cell, if it is below 2^128.
    pub fn u128(&self, address: u32) -> Option<u128> {
        let words = self.words(address)?;
        let (low, high) = words.split_at(4);
        (high == [0; 4]).then(|| low.iter().rev().fold(0, |number, word| number << 32 | u128::from(*word)))
    }

    /// The value of a cell, if it is below 2^32.
    pub fn u32(&self, address: u32) -> Option<u32> {
        u32::try_from(self.u128(address)?).ok()
    }

    /// The value of a cell, if it is an address.
    pub fn address(&self, address: u32) -> Option<u32> {
        self.u32(address).filter(|value| *value < MAX_ADDRESSES)
    }
}

/// Whether a value is a small one: below 2^72.
pub(crate) fn is_small(words: &Words) -> bool {
    words[3..] == [0; 5] && words[2] < 1 << 8
}

/// Whether a value can be an operand of a small sum: in `-2^29 - 1 ..= 2^29 - 1`.
pub(crate) fn is_small_summand(words: &Words) -> bool {
    // p - 1 = 2^251 + 17 * 2^192, and p - 2^29 - 1 is 2^29 less.
    match words {
        [low, 0, 0, 0, 0, 0, 0, 0] => *low < 1 << 29,
        [0, 0, 0, 0, 0, 0, 0x11, 0x0800_0000] => true,
        [low, u32::MAX, u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0x10, 0x0800_0000] => *low >= 0xe000_0000,
        _ => false,
    }
}

/// Whether a value can be a factor of a small product: below 2^36.
pub(crate) fn is_small_factor(words: &Words) -> bool {
    words[2..] == [0; 6] && words[1] < 1 << 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::felt::to_words;

    /// The bounds, by arithmetic on felts.
    #[test]
    fn bounds_of_small_operands() {
        let bound = Felt252::from(1u64 << 29);
        let one = Felt252::ONE;
        let summand = |felt: Felt252| is_small_summand(&to_words(&felt));
        for inside in [Felt252::ZERO, one, bound - one, -one, -bound, -bound - one] {
            assert!(summand(inside), "{inside}");
        }
        for outside in [bound, -bound - one - one, Felt252::from(1u64 << 32), Felt252::TWO.pow(251u32)] {
            assert!(!summand(outside), "{outside}");
        }
        let factor = Felt252::from(1u64 << 36);
        assert!(
            is_small_factor(&to_words(&(factor - one)))
                && !is_small_factor(&to_words(&factor))
                && !is_small_factor(&to_words(&-one))
        );
        assert_eq!(from_words(&to_words(&(-bound - one))), -bound - one);
        assert!(
            is_small(&to_words(&(Felt252::TWO.pow(72u32) - one))) && !is_small(&to_words(&Felt252::TWO.pow(72u32)))
        );
    }
}
