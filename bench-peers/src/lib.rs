//! Speed next to other projects: see the benches. Here is what they share: AIRs that Plonky3 ships.

use p3_goldilocks::{
    GOLDILOCKS_POSEIDON2_RC_8_EXTERNAL_FINAL, GOLDILOCKS_POSEIDON2_RC_8_EXTERNAL_INITIAL,
    GOLDILOCKS_POSEIDON2_RC_8_INTERNAL, GenericPoseidon2LinearLayersGoldilocks, Goldilocks,
};
use p3_mersenne_31::{
    GenericPoseidon2LinearLayersMersenne31, MERSENNE31_POSEIDON2_RC_16_EXTERNAL_FINAL,
    MERSENNE31_POSEIDON2_RC_16_EXTERNAL_INITIAL, MERSENNE31_POSEIDON2_RC_16_INTERNAL, Mersenne31,
};
use p3_poseidon2_air::{Poseidon2Air, RoundConstants};

/// Rows of a permutation of Keccak-f. The other AIRs take one.
pub const KECCAK_ROWS: usize = 24;

/// Poseidon2 of width 8 over Goldilocks.
pub type Poseidon2Goldilocks = Poseidon2Air<Goldilocks, GenericPoseidon2LinearLayersGoldilocks, 8, 7, 1, 4, 22>;
/// Poseidon2 of width 16 over Mersenne31.
pub type Poseidon2Mersenne = Poseidon2Air<Mersenne31, GenericPoseidon2LinearLayersMersenne31, 16, 5, 1, 4, 14>;

/// With Plonky3's constants.
pub fn poseidon2_goldilocks() -> Poseidon2Goldilocks {
    Poseidon2Air::new(RoundConstants::new(
        GOLDILOCKS_POSEIDON2_RC_8_EXTERNAL_INITIAL,
        GOLDILOCKS_POSEIDON2_RC_8_INTERNAL,
        GOLDILOCKS_POSEIDON2_RC_8_EXTERNAL_FINAL,
    ))
}

/// With Plonky3's constants.
pub fn poseidon2_mersenne() -> Poseidon2Mersenne {
    Poseidon2Air::new(RoundConstants::new(
        MERSENNE31_POSEIDON2_RC_16_EXTERNAL_INITIAL,
        MERSENNE31_POSEIDON2_RC_16_INTERNAL,
        MERSENNE31_POSEIDON2_RC_16_EXTERNAL_FINAL,
    ))
}
