//! Compact proofs of random statements, by a backend and the reference at once.

use std::sync::Arc;

use adversary::Bounds;
use adversary::goldilocks::Statement;
use air::record;
use campaign::Outcome;
use campaign::script::Script;
use goldilocks_proof::compact::{AirDigest, Options, encode};
use goldilocks_verifier::{Policy, VerifyError, compact::verify_bytes};
use gpu_hal::{GoldilocksStark, StarkBackend};
use prover_core::Silent;
use prover_core::goldilocks::{MaskSeed, ProveError, Prover};

use crate::bounds::bounds;
use crate::changed::of_no_change;

struct Case {
    seed: u64,
    statement: Statement,
    options: Options,
}

impl Case {
    /// Every other one hides its witness, if a trace of up to 2^8 rows has room for masks.
    fn draw(data: &[u8]) -> Self {
        let script = &mut Script::new(data);
        let (seed, bounds) = (script.word(), bounds(script));
        if script.below(2) == 0 {
            let long = Statement::draw(seed, &Bounds { max_log_rows: 8, ..bounds });
            if let Some((statement, options)) = long.hidden(seed) {
                return Self { seed, statement, options };
            }
        }
        let statement = Statement::draw(seed, &bounds);
        let options = statement.compact_options(seed);
        Self { seed, statement, options }
    }

    fn prove<B: StarkBackend<P = GoldilocksStark>>(
        &self,
        backend: &Arc<B>,
        statement: &Statement,
    ) -> Result<Vec<u8>, ProveError> {
        let prover = Prover::new(backend.clone(), Arc::new(statement.clone()))?;
        let masks = MaskSeed::from_bytes([self.seed as u8; 32]);
        let trace = statement.trace();
        let proof = prover.prove_masked(Some(&trace), &self.options, AirDigest::OfAir, masks, &Silent)?;
        Ok(encode(&proof, &self.options))
    }

    fn verify(&self, statement: &Statement, proof: &[u8]) -> Result<(), VerifyError> {
        verify_bytes(&record(statement).expect("an AIR"), &self.options, proof, &Policy::ANY).map(drop)
    }
}

/// The proof is taken; of the statement with one thing changed there is none, nor is the proof one of it.
pub(crate) fn compact<B: StarkBackend<P = GoldilocksStark>>(backend: &Arc<B>, data: &[u8]) -> Outcome {
    let case = Case::draw(data);
    let proof = case.prove(backend, &case.statement).unwrap_or_else(|error| panic!("no proof: {error}"));
    case.verify(&case.statement, &proof).unwrap_or_else(|error| panic!("refused: {error}"));
    let prove = |statement: &Statement| case.prove(backend, statement);
    let accepts = |statement: &Statement| case.verify(statement, &proof).is_ok();
    of_no_change(&case.statement, case.seed, prove, accepts)
}
