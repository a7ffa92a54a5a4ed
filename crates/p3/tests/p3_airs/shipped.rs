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

use crate::evaluation::{Values, compare};
use crate::support::Tested;

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

fn ship<F: Tested, A>(name: &str, air: &A, matrix: &RowMajorMatrix<F>)
where
    A: Air<SymbolicAirBuilder<F>> + Air<Values<F>>,
{
    let compared = compare(air, rows(matrix), &[]);
    assert!(compared > 100, "{name}: {compared} values compared");
    let air = P3Air::new(name, air, rows(matrix), &[]).expect("can be recorded");
    let prove = F::prover(&air);
    assert!(F::is_accepted(&air, &prove(matrix).expect("an honest trace")), "{name}");
    for changed in changed(matrix) {
        assert_eq!(prove(&changed), None, "{name}");
    }
}

#[test]
fn keccak() {
    ship::<Goldilocks, _>("keccak", &KeccakAir {}, &KeccakAir {}.generate_random_trace_rows(1, 0));
    ship::<Mersenne31, _>("keccak", &KeccakAir {}, &KeccakAir {}.generate_random_trace_rows(2, 0));
}

#[test]
fn blake3() {
    ship::<Goldilocks, _>("blake3", &Blake3Air {}, &Blake3Air {}.generate_random_trace_rows(4, 0));
    ship::<Mersenne31, _>("blake3", &Blake3Air {}, &Blake3Air {}.generate_random_trace_rows(4, 0));
}

#[test]
fn sha256() {
    ship::<Goldilocks, _>("sha256", &Sha256Air, &Sha256Air.generate_trace_rows(4, 0));
    ship::<Mersenne31, _>("sha256", &Sha256Air, &Sha256Air.generate_trace_rows(4, 0));
}

#[test]
fn poseidon2() {
    let air = poseidon2_goldilocks();
    ship::<Goldilocks, _>("poseidon2", &air, &air.generate_random_trace_rows(16, 0));
    let air = Poseidon2Mersenne::new(mersenne_constants());
    ship::<Mersenne31, _>("poseidon2", &air, &air.generate_random_trace_rows(16, 0));
    let air = Poseidon2Pairs::new(mersenne_constants());
    ship::<Mersenne31, _>("poseidon2 in pairs", &air, &air.generate_vectorized_trace_rows(16, 0));
}
