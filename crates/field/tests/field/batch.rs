//! Batch inversion, bit reversal, powers.

use field::{CM31, Field, Fp3, Goldilocks, M31, QM31, batch_inverse, bit_reverse, powers};
use proptest::prelude::*;

use crate::inputs::element;

macro_rules! batches {
    ($name:ident, $base:ty, $field:ty) => {
        proptest! {
            #[test]
            fn $name(
                mut values in proptest::collection::vec(
                    prop_oneof![1 => Just(<$field>::ZERO), 4 => element::<$base, $field>()],
                    0..70,
                ),
                base in element::<$base, $field>(),
            ) {
                let expected: Vec<$field> = values.iter().map(|value| value.inverse_or_zero()).collect();
                batch_inverse(&mut values);
                prop_assert_eq!(values, expected);

                for (exponent, power) in powers(base).take(20).enumerate() {
                    prop_assert_eq!(power, base.pow(exponent as u64));
                }
            }
        }
    };
}

batches!(goldilocks, Goldilocks, Goldilocks);
batches!(fp3, Goldilocks, Fp3);
batches!(m31, M31, M31);
batches!(cm31, M31, CM31);
batches!(qm31, M31, QM31);

#[test]
fn bit_reversal() {
    for bits in 0..12 {
        for index in 0..1_usize << bits {
            let digits: String = format!("{index:032b}").chars().rev().take(bits as usize).collect();
            let expected = usize::from_str_radix(&digits, 2).unwrap_or(0);
            assert_eq!(bit_reverse(index, bits), expected);
            assert_eq!(bit_reverse(index | 1 << 40, bits), expected, "higher bits are dropped");
        }
    }
    assert_eq!(bit_reverse(1, usize::BITS), 1 << (usize::BITS - 1));
}
