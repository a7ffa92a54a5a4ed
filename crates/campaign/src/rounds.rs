//! Random statements on a backend. `PROTOCOL/rounds`: every table, root, opening and value of every round is the
//! reference's, and the transcript absorbs and gives the same as in a prover that shares no code with ours.
//! `PROTOCOL/prove`: the proof is that prover's to the byte, the verifier takes it, and of the statement with one thing
//! changed there is no proof. `goldilocks/compact`: both of compact proofs, of which every round is the reference's;
//! some hide their witness.

use std::sync::Arc;

use adversary::{Change, circle, goldilocks, liar};
use air::{Air as _, record};
use backend_reference::CpuReference;
use campaign::Outcome;
use campaign::script::Script;
use circle_air::Statement as _;
use circle_proof::{CircleOptions, Suite as CircleSuite};
use goldilocks_proof::{Seed, Suite, lambdaworks};
use goldilocks_verifier::Policy;
use gpu_hal::decorate::Dual;
use gpu_hal::{CircleStark, GoldilocksStark, StarkBackend};
use prover_core::Silent;
use prover_core::circle::{CircleProof, ProveError as CircleError, Prover as CircleProver};
use prover_core::goldilocks::{ProveError, Prover};

use crate::arguments::Arguments;
use crate::backends::with_backend;
use crate::bounds::bounds;
use crate::changed::of_no_change;
use crate::compact_rounds::compact;
use crate::run::Run;

/// The targets.
pub(crate) const NAMES: [&str; 5] =
    ["goldilocks/rounds", "goldilocks/prove", "goldilocks/compact", "circle/rounds", "circle/prove"];

type P = GoldilocksStark;

/// The function that runs a target on a backend that is opened now, if it is one of these.
pub(crate) fn open(arguments: &Arguments) -> Option<Result<Run, String>> {
    NAMES.contains(&arguments.target.as_str()).then(|| open_known(arguments))
}

fn open_known(arguments: &Arguments) -> Result<Run, String> {
    match arguments.target.as_str() {
        "goldilocks/rounds" => with_backend!(GoldilocksStark, arguments, |_name, backend, _programs| {
            let dual = Arc::new(Dual::new(backend, CpuReference::new()));
            Ok(Box::new(move |data| goldilocks_rounds(&dual, data)))
        }),
        "goldilocks/prove" => with_backend!(GoldilocksStark, arguments, |_name, backend, _programs| {
            let backend = Arc::new(backend);
            Ok(Box::new(move |data| goldilocks_prove(&backend, data)))
        }),
        "goldilocks/compact" => with_backend!(GoldilocksStark, arguments, |_name, backend, _programs| {
            let dual = Arc::new(Dual::new(backend, CpuReference::new()));
            Ok(Box::new(move |data| compact(&dual, data)))
        }),
        "circle/rounds" => with_backend!(CircleStark, arguments, |_name, backend, _programs| {
            let dual = Arc::new(Dual::new(backend, CpuReference::new()));
            Ok(Box::new(move |data| circle_rounds(&dual, data)))
        }),
        _ => with_backend!(CircleStark, arguments, |_name, backend, _programs| {
            let backend = Arc::new(backend);
            Ok(Box::new(move |data| circle_prove(&backend, data)))
        }),
    }
}

struct Goldilocks {
    seed: u64,
    statement: goldilocks::Statement,
    options: lambdaworks::Options,
}

impl Goldilocks {
    fn draw(data: &[u8]) -> Self {
        let script = &mut Script::new(data);
        let (seed, bounds) = (script.word(), bounds(script));
        let statement = goldilocks::Statement::draw(seed, &bounds);
        let parts = statement.layout().composition_parts.next_power_of_two() as u32;
        let options = lambdaworks::Options {
            blowup: parts.max(2) << script.below(2),
            queries: 1 + script.below(20) as u32,
            grinding: script.below(5) as u32,
            coset_offset: [3, 7][script.below(2)],
            suite: if script.below(4) == 0 { Suite::Poseidon2 } else { Suite::Keccak256 },
        };
        Self { seed, statement, options }
    }

    fn prove<B: StarkBackend<P = P>>(
        &self,
        backend: &Arc<B>,
        statement: &goldilocks::Statement,
    ) -> Result<Vec<u8>, ProveError> {
        let prover = Prover::new(backend.clone(), Arc::new(statement.clone()))?;
        let proof = prover.prove(&statement.trace(), &self.options, Seed::Default, &Silent)?;
        Ok(goldilocks_proof::encode(&proof))
    }

    /// The proof, which is the other prover's.
    fn proof<B: StarkBackend<P = P>>(&self, backend: &Arc<B>) -> Vec<u8> {
        let proof = self.prove(backend, &self.statement).unwrap_or_else(|error| panic!("no proof: {error}"));
        let trace = self.statement.trace();
        let other = liar::goldilocks::Liar::new(&self.statement, &trace, self.options).prove();
        same(&proof, &other.expect("nothing is forged"));
        proof
    }

    fn verify(&self, statement: &goldilocks::Statement, proof: &[u8]) -> Result<(), goldilocks_verifier::VerifyError> {
        let recorded = record(statement).expect("an AIR");
        goldilocks_verifier::verify_bytes(&recorded, &self.options, Seed::Default, proof, &Policy::ANY).map(drop)
    }
}

/// Panics with the first byte that differs.
fn same(proof: &[u8], other: &[u8]) {
    let at = proof.iter().zip(other).position(|(a, b)| a != b).unwrap_or(proof.len().min(other.len()));
    assert!(proof == other, "the proofs differ from byte {at} on, of {} and {} bytes", proof.len(), other.len());
}

fn goldilocks_rounds<B: StarkBackend<P = P>>(backend: &Arc<B>, data: &[u8]) -> Outcome {
    Goldilocks::draw(data).proof(backend);
    Outcome::Passed
}

fn goldilocks_prove<B: StarkBackend<P = P>>(backend: &Arc<B>, data: &[u8]) -> Outcome {
    let case = Goldilocks::draw(data);
    let proof = case.proof(backend);
    case.verify(&case.statement, &proof).unwrap_or_else(|error| panic!("refused: {error}"));
    let prove = |statement: &goldilocks::Statement| case.prove(backend, statement);
    let accepts = |statement: &goldilocks::Statement| case.verify(statement, &proof).is_ok();
    of_no_change(&case.statement, case.seed, prove, accepts)
}

struct Circle {
    seed: u64,
    statement: circle::Statement,
    options: CircleOptions,
}

impl Circle {
    fn draw(data: &[u8]) -> Self {
        let script = &mut Script::new(data);
        let (seed, bounds) = (script.word(), bounds(script));
        let statement = circle::Statement::draw(seed, &bounds);
        let log_blowup = 1 + script.below(2) as u32;
        // Trees of one height: a lower one opens its queries in order by luck alone.
        let has_preprocessed = !statement.preprocessed(None).is_empty();
        let options = CircleOptions {
            pow_bits: script.below(5) as u32,
            log_blowup,
            queries: 3 + script.below(18) as u32,
            fold_step: 1 + script.below(3) as u32,
            log_last: 0,
            lifting: has_preprocessed.then_some(statement.log_rows() + log_blowup),
            suite: CircleSuite::ALL[script.below(CircleSuite::ALL.len())],
        };
        Self { seed, statement, options }
    }

    fn prove<B: StarkBackend<P = CircleStark>>(
        &self,
        backend: &Arc<B>,
        statement: &circle::Statement,
    ) -> Result<CircleProof, CircleError> {
        let prover = CircleProver::new(backend.clone(), Arc::new(statement.clone()), &self.options)?;
        prover.prove(&statement.trace(), &Silent)
    }

    /// The proof, which is the other prover's, in memory and in bytes.
    fn proof<B: StarkBackend<P = CircleStark>>(&self, backend: &Arc<B>) -> (CircleProof, Vec<u8>) {
        let proof = self.prove(backend, &self.statement).unwrap_or_else(|error| panic!("no proof: {error}"));
        let trace = self.statement.trace();
        let other = liar::circle::Liar::new(&self.statement, &trace, self.options).prove();
        let other = other.expect("nothing is forged");
        assert_eq!(proof.claimed_sums, other.sums, "claimed sums");
        let bytes = circle_proof::encode(&proof.proof);
        same(&bytes, &circle_proof::encode(&other.proof));
        (proof, bytes)
    }
}

fn circle_rounds<B: StarkBackend<P = CircleStark>>(backend: &Arc<B>, data: &[u8]) -> Outcome {
    Circle::draw(data).proof(backend);
    Outcome::Passed
}

fn circle_prove<B: StarkBackend<P = CircleStark>>(backend: &Arc<B>, data: &[u8]) -> Outcome {
    let case = Circle::draw(data);
    let (proof, bytes) = case.proof(backend);
    let verify = |statement: &circle::Statement| {
        let policy = circle_proof::Policy { suite: case.options.suite, ..circle_proof::Policy::ANY };
        circle_proof::verify(statement, &proof.claimed_sums, &bytes, &policy).map(drop)
    };
    verify(&case.statement).unwrap_or_else(|error| panic!("refused: {error}"));
    let violations = case.statement.violations(case.seed);
    let Some(violation) = violations.get(case.seed as usize % violations.len().max(1)) else { return Outcome::Passed };
    match case.prove(backend, &violation.statement) {
        Err(CircleError::Unsatisfied(_) | CircleError::ClaimedSums(_)) => {}
        Ok(_) if matches!(violation.what, Change::Public { .. }) => {}
        other => panic!("{}: {:?}", violation.what, other.map(|_| "a proof")),
    }
    if !violation.what.is_of_trace() && verify(&violation.statement).is_ok() {
        return Outcome::Accepted;
    }
    Outcome::Passed
}
