//! Recording, proving and verifying over both fields.

use std::sync::Arc;

use backend_cpu::Cpu;
use circle_air::Statement;
use circle_proof::CircleOptions;
use field::QM31;
use goldilocks_proof::{Seed, Suite, lambdaworks};
use gpu_hal::{CircleStark, GoldilocksStark, StarkBackend};
use p3_goldilocks::Goldilocks;
use p3_matrix::dense::RowMajorMatrix;
use p3_mersenne_31::Mersenne31;
use polystark_p3::{P3Air, P3Error, P3Field};
use prover_core::{Silent, circle, goldilocks};

/// Few queries and little work: the tests are about right proofs, not about security.
fn options() -> lambdaworks::Options {
    lambdaworks::Options { blowup: 4, queries: 3, grinding: 1, coset_offset: 3, suite: Suite::Keccak256 }
}

pub(crate) fn circle_options() -> CircleOptions {
    CircleOptions { pow_bits: 1, log_blowup: 1, queries: 3, fold_step: 1, ..CircleOptions::default() }
}

/// A proof's bytes, and the claimed sums that go beside them over Circle.
#[derive(Debug, PartialEq)]
pub(crate) struct Proof {
    pub(crate) bytes: Vec<u8>,
    pub(crate) sums: Vec<QM31>,
}

impl From<circle::CircleProof> for Proof {
    fn from(made: circle::CircleProof) -> Self {
        Self { bytes: circle_proof::encode(&made.proof), sums: made.claimed_sums }
    }
}

/// The proof of a trace, nothing if it does not satisfy the AIR.
pub(crate) type Prove<F> = Box<dyn Fn(&RowMajorMatrix<F>) -> Option<Proof>>;

pub(crate) fn is_accepted_statement(statement: &dyn Statement, proof: &Proof) -> bool {
    circle_proof::verify(statement, &proof.sums, &proof.bytes, &circle_proof::Policy::ANY).is_ok()
}

/// A field, with the prover and the verifier of its protocol.
pub(crate) trait Tested: P3Field {
    fn prover_on<B: StarkBackend<P = Self::Protocol>>(backend: B, air: &P3Air<Self>) -> Prove<Self>;

    /// On two threads of the processor.
    fn prover(air: &P3Air<Self>) -> Prove<Self>;

    fn is_accepted(air: &P3Air<Self>, proof: &Proof) -> bool;
}

impl Tested for Goldilocks {
    fn prover_on<B: StarkBackend<P = GoldilocksStark>>(backend: B, air: &P3Air<Self>) -> Prove<Self> {
        let air = Arc::new(air.clone());
        let prover = goldilocks::Prover::new(Arc::new(backend), air.clone()).expect("a sound AIR");
        Box::new(move |matrix| {
            let trace = air.trace(matrix).expect("a trace of the AIR's shape");
            match prover.prove(&trace, &options(), Seed::Default, &Silent) {
                Ok(proof) => Some(Proof { bytes: goldilocks_proof::encode(&proof), sums: Vec::new() }),
                Err(goldilocks::ProveError::Unsatisfied(_)) => None,
                Err(error) => panic!("{error}"),
            }
        })
    }

    fn prover(air: &P3Air<Self>) -> Prove<Self> {
        Self::prover_on(Cpu::<GoldilocksStark>::with_threads(2).expect("a thread pool"), air)
    }

    fn is_accepted(air: &P3Air<Self>, proof: &Proof) -> bool {
        let recorded = air::record(air).expect("a sound AIR");
        goldilocks_verifier::verify_bytes(
            &recorded,
            &options(),
            Seed::Default,
            &proof.bytes,
            &goldilocks_verifier::Policy::ANY,
        )
        .is_ok()
    }
}

/// The AIR alone.
fn statement(air: &P3Air<Mersenne31>) -> Arc<dyn Statement> {
    match air.clone().statement() {
        Ok(statement) => Arc::new(statement),
        Err(P3Error::Interactions) => Arc::new(P3Air::tables("alone", vec![air.clone()]).expect("provable")),
        Err(error) => panic!("{error}"),
    }
}

impl Tested for Mersenne31 {
    fn prover_on<B: StarkBackend<P = CircleStark>>(backend: B, air: &P3Air<Self>) -> Prove<Self> {
        let air = air.clone();
        let prover = circle::Prover::new(Arc::new(backend), statement(&air), &circle_options()).expect("provable");
        Box::new(move |matrix| {
            let columns = air.columns(matrix).expect("a trace of the AIR's shape");
            match prover.prove(&[columns], &Silent) {
                Ok(made) => Some(made.into()),
                Err(circle::ProveError::Unsatisfied(_) | circle::ProveError::ClaimedSums(_)) => None,
                Err(error) => panic!("{error}"),
            }
        })
    }

    fn prover(air: &P3Air<Self>) -> Prove<Self> {
        Self::prover_on(Cpu::<CircleStark>::with_threads(2).expect("a thread pool"), air)
    }

    fn is_accepted(air: &P3Air<Self>, proof: &Proof) -> bool {
        is_accepted_statement(&*statement(air), proof)
    }
}

/// Proves the honest trace; with each cell changed there is a proof exactly if Plonky3's own check, `is_satisfied`,
/// finds no fault. A proof is of its public values only, and of their order. Returns how many cells are bound.
pub(crate) fn examine<F: Tested>(
    record: &dyn Fn(&[F]) -> P3Air<F>,
    is_satisfied: &dyn Fn(&RowMajorMatrix<F>) -> bool,
    matrix: &RowMajorMatrix<F>,
    public: &[F],
) -> usize {
    let prove = F::prover(&record(public));
    let proof = prove(matrix).expect("an honest trace");
    assert!(F::is_accepted(&record(public), &proof));
    for index in 0..public.len() {
        let mut other = public.to_vec();
        other[index] += F::ONE;
        assert!(!F::is_accepted(&record(&other), &proof), "public value {index}");
        let mut other = public.to_vec();
        other.rotate_left(index);
        assert_eq!(F::is_accepted(&record(&other), &proof), other == public, "public values rotated by {index}");
    }
    let mut refused = 0;
    for cell in 0..matrix.values.len() {
        let mut changed = matrix.clone();
        changed.values[cell] += F::from_u8(5);
        let is_proven = prove(&changed).is_some();
        assert_eq!(is_proven, is_satisfied(&changed), "with cell {cell} changed");
        refused += usize::from(!is_proven);
    }
    refused
}
