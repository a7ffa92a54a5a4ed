//! The arithmetic at the edges of its ranges, where random inputs never come, against 128-bit remainders.

use super::arithmetic::{Limbs, Shifted, multiply, square};
use crate::goldilocks::registers::Register;
use crate::simd::SimdLevel;
use crate::simd::{Isa, Kernel, dispatch};

const P: u64 = 0xFFFF_FFFF_0000_0001;

/// Lazy values: any u64.
const WORDS: [u64; 16] = [
    0,
    1,
    2,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFE,
    0xFFFF_FFFF,
    0x1_0000_0000,
    0x1_0000_0001,
    0x7FFF_FFFF_8000_0001,
    0xFFFF_FFFE_FFFF_FFFF,
    0xFFFF_FFFF_0000_0000,
    P,
    0xFFFF_FFFF_0000_0002,
    0xFFFF_FFFF_FFFF_FFFE,
    0xFFFF_FFFF_FFFF_FFFF,
];

/// Limbs: within `2^61`, the most that is promised.
const LIMBS: [i64; 14] = [
    0,
    1,
    -1,
    3,
    -3,
    0xFFFF_FFFF,
    -0xFFFF_FFFF,
    0x1_0000_0000,
    -0x1_0000_0000,
    (1 << 40) - 1,
    -(1 << 40) - 1,
    (1 << 61) - 1,
    1 - (1 << 61),
    -(1 << 61) + (1 << 32),
];

/// Lane 0 of every operation on one pair of words and one of limbs.
struct Operations {
    words: (u64, u64),
    limbs: (i64, i64),
    constant: u64,
}

impl Kernel for Operations {
    type Output = [u64; 8];

    #[inline(always)]
    fn run<I: Isa>(self) -> [u64; 8] {
        let (x, y) = (I::Words::splat_raw(self.words.0), I::Words::splat_raw(self.words.1));
        let limbs = Limbs::new(
            I::Words::splat_raw(self.limbs.0.cast_unsigned()),
            I::Words::splat_raw(self.limbs.1.cast_unsigned()),
        );
        let nothing = Shifted::new(0);
        let results = [
            multiply(x, y),
            square(x),
            Limbs::product(x, y).reduce_with(nothing),
            Limbs::from_lazy(x).reduce_with(nothing),
            limbs.reduce_with(Shifted::new(self.constant)),
            limbs.half().reduce_with(nothing),
            limbs.quarter().reduce_with(nothing),
            limbs.carried().reduce_with(nothing),
        ];
        let mut out = [0; 8];
        for (out, result) in out.iter_mut().zip(results) {
            let mut lanes = [0; 8];
            // SAFETY: eight words are enough for any number of lanes.
            unsafe { result.canonical().store_raw(lanes.as_mut_ptr()) };
            *out = lanes[0];
        }
        out
    }
}

fn modulo(value: i128) -> u64 {
    value.rem_euclid(i128::from(P)) as u64
}

fn product(x: u64, y: u64) -> u64 {
    (u128::from(x) * u128::from(y) % u128::from(P)) as u64
}

#[test]
fn edges() {
    let half = P.div_ceil(2);
    for level in SimdLevel::available() {
        for (i, &x) in WORDS.iter().enumerate() {
            for (j, &y) in WORDS.iter().enumerate() {
                let (low, high) = (LIMBS[i % LIMBS.len()], LIMBS[(i + j) % LIMBS.len()]);
                let constant = y % P;
                let value = modulo(i128::from(low) + (i128::from(high) << 32));
                let expected = [
                    product(x, y),
                    product(x, x),
                    product(x, y),
                    x % P,
                    modulo(i128::from(value) + i128::from(constant)),
                    product(value, half),
                    product(product(value, half), half),
                    value,
                ];
                let found = dispatch(level, Operations { words: (x, y), limbs: (low, high), constant });
                assert_eq!(found, expected, "{level:?}: {x:#x} {y:#x}, limbs {low:#x} {high:#x}, plus {constant:#x}");
            }
        }
    }
}
