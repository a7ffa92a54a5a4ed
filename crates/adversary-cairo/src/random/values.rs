//! Random numbers: of all lengths, and at the edges where another component takes over or a limb begins.

use num_bigint::BigInt;
use rand::Rng;

use super::bits::below;
use super::writer::Writer;

/// Powers of two at which a component, a limb or a word ends.
const EDGES: [u32; 16] = [0, 1, 9, 18, 27, 28, 29, 31, 36, 63, 64, 71, 72, 128, 192, 251];

/// Bits of a coordinate's place in a felt that stands for a QM31 element.
const QM31_BITS: usize = 36;

impl Writer {
    pub(super) fn below(&mut self, bits: usize) -> BigInt {
        below(&mut self.random, bits).into()
    }

    /// A felt, perhaps as a negative number.
    pub(super) fn felt(&mut self) -> BigInt {
        let edge = BigInt::from(1) << EDGES[self.random.random_range(0..EDGES.len())];
        match self.random.random_range(0..8) {
            0 => edge,
            1 => -edge,
            2 => edge - 1,
            3 => -edge - 1,
            4 => BigInt::from(self.random.random_range(-300i64..300)),
            _ => {
                let bits = self.random.random_range(1..=251);
                self.below(bits)
            }
        }
    }

    /// A felt of four coordinates below `2^31 - 1`.
    pub(super) fn packed_qm31(&mut self) -> BigInt {
        let mut coordinate = |_| match self.random.random_range(0..4) {
            0 => self.random.random_range(0..2u32),
            1 => (1 << 31) - 2,
            _ => self.random.random_range(0..(1u32 << 31) - 1),
        };
        (0..4).map(|i| BigInt::from(coordinate(i)) << (QM31_BITS * i)).sum()
    }
}
