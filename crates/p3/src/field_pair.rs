//! The fields that both projects have.

use field::{M31, PrimeField};
use gpu_hal::{CircleStark, GoldilocksStark, Protocol};
use p3_field::{PrimeField32, PrimeField64};
use p3_goldilocks::Goldilocks;
use p3_mersenne_31::Mersenne31;

/// A field of Plonky3 over which a protocol of ours proves.
pub trait P3Field: PrimeField64 {
    /// The protocol, whose base field is the same.
    type Protocol: Protocol;

    /// The same element.
    fn to_base(self) -> Base<Self>;
}

/// Our form of the field.
pub(crate) type Base<F> = <<F as P3Field>::Protocol as Protocol>::Base;

impl P3Field for Goldilocks {
    type Protocol = GoldilocksStark;

    fn to_base(self) -> field::Goldilocks {
        field::Goldilocks::from_u64(self.as_canonical_u64())
    }
}

impl P3Field for Mersenne31 {
    type Protocol = CircleStark;

    fn to_base(self) -> M31 {
        M31::new(self.as_canonical_u32())
    }
}
