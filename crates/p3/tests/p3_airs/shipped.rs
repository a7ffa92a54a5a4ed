//! The AIRs of Plonky3's own crates, as they come.

use p3_air::{Air, SymbolicAirBuilder};
use p3_blake3_air::Blake3Air;
use p3_goldilocks::{
    GOLDILOCKS_POSEIDON2_RC_8_EXTERNAL_FINAL, GOLDILOCKS_POSEIDON2_RC_8_EXTERNAL_INITIAL,
    GOLDILOCKS_POSEIDON2_RC_8_INTERNAL, GenericPoseidon2LinearLayersGoldilocks, Goldilocks,
};
use p3_keccak_air::KeccakAir;
use p3_matrix::dense::RowMajorMatrix;
use p3_mersenne_31::{
    GenericPoseidon2LinearLayersMersenne31, MERSENNE31_POSEIDON2_RC_16_EXTERNAL_FINAL,
    MERSENNE31_POSEIDON2_RC_16_EXTERNAL_INITIAL, MERSENNE31_POSEIDON2_RC_16_INTERNAL, Mersenne31,
};
use p3_poseidon2_air::{Poseidon2Air, RoundConstants, VectorizedPoseidon2Air};
use p3_sha256_air::Sha256Air;
use polystark_p3::{P3Air, P3Field};
use prover_core::{circle, goldilocks};

use crate::evaluation::{Values, compare};
use crate::support::{OverGoldilocks, OverMersenne, is_accepted, is_accepted_statement};

type Poseidon2Goldilocks = Poseidon2Air<Goldilocks, GenericPoseidon2LinearLayersGoldilocks, 8, 7, 1, 4, 22>;
type Poseidon2Mersenne = Poseidon2Air<Mersenne31, GenericPoseidon2LinearLayersMersenne31, 16, 5, 1, 4, 14>;
type Poseidon2Pairs = VectorizedPoseidon2Air<Mersenne31, GenericPoseidon2LinearLayersMersenne31, 16, 5, 1, 4, 14, 2>;

fn poseidon2_goldilocks() -> Poseidon2Goldilocks {
    Poseidon2Air::new(RoundConstants::new(
        GOLDILOCKS_POSEIDON2_RC_8_EXTERNAL_INITIAL,
        GOLDILOCKS_POSEIDON2_RC_8_INTERNAL,
        GOLDILOCKS_POSEIDON2_RC_8_EXTERNAL_FINAL,
    ))
}

fn mersenne_constants() -> RoundConstants<Mersenne31, 16, 4, 14> {
    RoundConstants::new(
        MERSENNE31_POSEIDON2_RC_16_EXTERNAL_INITIAL,
        MERSENNE31_POSEIDON2_RC_16_INTERNAL,
        MERSENNE31_POSEIDON2_RC_16_EXTERNAL_FINAL,
    )
}

fn rows<F: Clone + Send + Sync>(matrix: &RowMajorMatrix<F>) -> usize {
    matrix.values.len() / matrix.width
}

/// A cell of every kind of place: first, between, last.
fn changed<F: P3Field>(matrix: &RowMajorMatrix<F>) -> impl Iterator<Item = RowMajorMatrix<F>> {
    let cells = matrix.values.len();
    [0, cells / 2 + 1, cells - 1].into_iter().map(|cell| {
        let mut changed = matrix.clone();
        changed.values[cell] += F::TWO;
        changed
    })
}

fn over_goldilocks<A>(name: &str, air: &A, matrix: &RowMajorMatrix<Goldilocks>)
where
    A: Air<SymbolicAirBuilder<Goldilocks>> + Air<Values<Goldilocks>>,
{
    let compared = compare(air, rows(matrix), &[]);
    assert!(compared > 100, "{name}: {compared} values compared");
    let air = P3Air::new(name, air, rows(matrix), &[]).expect("can be recorded");
    let prover = OverGoldilocks::new(air.clone());
    let bytes = prover.prove(matrix).expect("an honest trace");
    assert!(is_accepted(&air, &bytes), "{name}");
    for changed in changed(matrix) {
        let made = prover.prove(&changed);
        assert!(matches!(made, Err(goldilocks::ProveError::Unsatisfied(_))), "{name}");
    }
}

fn over_mersenne<A>(name: &str, air: &A, matrix: &RowMajorMatrix<Mersenne31>)
where
    A: Air<SymbolicAirBuilder<Mersenne31>> + Air<Values<Mersenne31>>,
{
    let compared = compare(air, rows(matrix), &[]);
    assert!(compared > 100, "{name}: {compared} values compared");
    let air = P3Air::new(name, air, rows(matrix), &[]).expect("can be recorded");
    let prover = OverMersenne::new(air.clone());
    let bytes = prover.prove(matrix).expect("an honest trace");
    assert!(is_accepted_statement(&air.statement().expect("provable"), &bytes), "{name}");
    for changed in changed(matrix) {
        let made = prover.prove(&changed);
        assert!(matches!(made, Err(circle::ProveError::Unsatisfied(_))), "{name}");
    }
}

#[test]
fn keccak() {
    over_goldilocks("keccak", &KeccakAir {}, &KeccakAir {}.generate_random_trace_rows(1, 0));
    over_mersenne("keccak", &KeccakAir {}, &KeccakAir {}.generate_random_trace_rows(2, 0));
}

#[test]
fn blake3() {
    over_goldilocks("blake3", &Blake3Air {}, &Blake3Air {}.generate_random_trace_rows(4, 0));
    over_mersenne("blake3", &Blake3Air {}, &Blake3Air {}.generate_random_trace_rows(4, 0));
}

#[test]
fn sha256() {
    over_goldilocks("sha256", &Sha256Air, &Sha256Air.generate_trace_rows(4, 0));
    over_mersenne("sha256", &Sha256Air, &Sha256Air.generate_trace_rows(4, 0));
}

#[test]
fn poseidon2() {
    let air = poseidon2_goldilocks();
    over_goldilocks("poseidon2", &air, &air.generate_random_trace_rows(16, 0));
    let air = Poseidon2Mersenne::new(mersenne_constants());
    over_mersenne("poseidon2", &air, &air.generate_random_trace_rows(16, 0));
    let air = Poseidon2Pairs::new(mersenne_constants());
    over_mersenne("poseidon2 in pairs", &air, &air.generate_vectorized_trace_rows(16, 0));
}
