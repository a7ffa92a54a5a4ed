//! Recording, proving and verifying over both fields.

use std::sync::Arc;

use backend_cpu::Cpu;
use circle_air::LoweredAir;
use circle_proof::CircleOptions;
use gpu_hal::{CircleStark, GoldilocksStark, HashFn};
use p3_goldilocks::Goldilocks;
use p3_matrix::dense::RowMajorMatrix;
use p3_mersenne_31::Mersenne31;
use polystark_p3::P3Air;
use proof::{ProofOptions, Seed};
use prover_core::{Silent, circle, goldilocks};

/// Few queries and little work: what is tested is whether a proof is right.
pub(crate) fn options() -> ProofOptions {
    ProofOptions { blowup: 4, queries: 3, grinding: 1, coset_offset: 3, hash: HashFn::Keccak256 }
}

pub(crate) fn circle_options() -> CircleOptions {
    CircleOptions { pow_bits: 1, log_blowup: 1, queries: 3, fold_step: 1, ..CircleOptions::default() }
}

/// Numbers without a pattern: SplitMix64 of Steele, Lea, Flood (2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// A prover and what its proofs are verified against.
pub(crate) struct OverGoldilocks {
    air: Arc<P3Air<Goldilocks>>,
    prover: goldilocks::Prover<Cpu<GoldilocksStark>>,
}

impl OverGoldilocks {
    pub(crate) fn new(air: P3Air<Goldilocks>) -> Self {
        let (backend, air) = (Cpu::with_threads(2).expect("a thread pool"), Arc::new(air));
        let prover = goldilocks::Prover::new(Arc::new(backend), air.clone()).expect("a sound AIR");
        Self { air, prover }
    }

    pub(crate) fn prove(&self, matrix: &RowMajorMatrix<Goldilocks>) -> Result<Vec<u8>, goldilocks::ProveError> {
        let trace = self.air.trace(matrix).expect("a trace of the AIR's shape");
        self.prover.prove(&trace, &options(), Seed::Default, &Silent).map(|proof| proof::encode(&proof))
    }
}

pub(crate) fn is_accepted(air: &P3Air<Goldilocks>, bytes: &[u8]) -> bool {
    let recorded = air::record(air).expect("a sound AIR");
    verifier::verify_bytes(&recorded, &options(), Seed::Default, bytes, &verifier::Policy::ANY).is_ok()
}

/// The same over the other field.
pub(crate) struct OverMersenne {
    air: P3Air<Mersenne31>,
    prover: circle::Prover<Cpu<CircleStark>>,
}

impl OverMersenne {
    pub(crate) fn new(air: P3Air<Mersenne31>) -> Self {
        let backend = Arc::new(Cpu::with_threads(2).expect("a thread pool"));
        let statement = Arc::new(air.clone().statement().expect("features that the protocol has"));
        let prover = circle::Prover::new(backend, statement, &circle_options()).expect("provable");
        Self { air, prover }
    }

    pub(crate) fn prove(&self, matrix: &RowMajorMatrix<Mersenne31>) -> Result<Vec<u8>, circle::ProveError> {
        let columns = self.air.columns(matrix).expect("a trace of the AIR's shape");
        self.prover.prove(&[columns], &Silent).map(|made| circle_proof::encode(&made.proof))
    }
}

pub(crate) fn is_accepted_statement(statement: &LoweredAir, bytes: &[u8]) -> bool {
    circle_proof::verify(statement, &[], bytes, &circle_proof::Policy::ANY).is_ok()
}
