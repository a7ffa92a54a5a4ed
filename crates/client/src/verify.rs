//! Verification of client proofs, by the published verifier of circuits.

use cairo_run::{Felt252, caught};
use circle_proof::{Policy, PolicyError, Security, Suite};
use circuits::{CircuitVerifier, STARKNET_OPTIONS};
use gpu_hal::Digest;
use proof_format::policy::check_length;

use crate::facts::{self, FactsError};
use crate::file::{FileError, unpack};
use crate::key::{CIRCUIT_ROOT, circuit_columns};

/// Public outputs of the circuit: the hash of the bootloader's output, in two elements.
const OUTPUTS: usize = 2;

/// Bytes before the first root of a written proof.
const SALT_BYTES: usize = 16;
/// Bytes of a root.
const DIGEST_BYTES: usize = size_of::<Digest>();

/// Why a client proof is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RefusedError {
    /// The policy does not take such proofs.
    #[error("policy: {0}")]
    Policy(#[from] PolicyError),
    /// The felts that the proof should state are no statement.
    #[error("the statement: {0}")]
    Facts(#[from] FactsError),
    /// The bytes are no client proof.
    #[error(transparent)]
    File(#[from] FileError),
    /// The proof of the circuit is refused. A proof of another statement looks the same.
    #[error("the proof does not prove these felts: {0}")]
    Circuit(#[from] circuits::RefusedError),
    /// The published verifier panicked, which should not happen.
    #[error("the proof does not prove these felts: the verifier of circuits stopped: {0}")]
    Panicked(String),
}

impl RefusedError {
    /// Whether the fault is of the input: the felts are no statement, or the bytes are no file of this version. Else
    /// the proof proves nothing.
    pub fn is_of_input(&self) -> bool {
        matches!(self, Self::Facts(_) | Self::File(FileError::Version { .. }))
    }
}

/// An accepted proof.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    /// The felts whose hash the bootloader has put out.
    pub output_preimage: Vec<Felt252>,
    /// The same as facts.
    pub facts: Vec<Felt252>,
    /// The security of the circuit's proof.
    pub security: Security,
}

/// Verifies client proofs. It knows the circuit by constants, and builds nothing ahead.
#[derive(Clone, Debug)]
pub struct ClientVerifier {
    circuits: CircuitVerifier,
    max_bytes: u64,
}

impl ClientVerifier {
    /// Takes proofs under a policy: the length of a file, and the bits that the options of client proofs must be worth.
    ///
    /// # Errors
    /// [`RefusedError::Policy`] if it takes no client proof.
    pub fn new(policy: &Policy) -> Result<Self, RefusedError> {
        let policy = Policy { suite: Suite::Blake2sM31, ..policy.clone() };
        policy.check_options(&STARKNET_OPTIONS)?;
        let circuits = CircuitVerifier::new(circuit_columns(), OUTPUTS, CIRCUIT_ROOT, &STARKNET_OPTIONS)?;
        policy.check_security(&circuits.security_by(policy.kind))?;
        Ok(Self { circuits, max_bytes: policy.max_bytes })
    }

    /// The security of the circuit's proofs. The Cairo proof inside has options of as many bits, as stwo counts them.
    pub fn security(&self) -> &Security {
        self.circuits.security()
    }

    /// Verifies that a proof states these facts.
    ///
    /// # Errors
    /// The check that failed.
    pub fn verify_facts(&self, bytes: &[u8], facts: &[Felt252]) -> Result<Verified, RefusedError> {
        self.verify(bytes, &facts::preimage(facts)?)
    }

    /// Verifies that a proof states this output preimage.
    ///
    /// # Errors
    /// The check that failed.
    pub fn verify(&self, bytes: &[u8], output_preimage: &[Felt252]) -> Result<Verified, RefusedError> {
        let outputs = facts::circuit_outputs(output_preimage)?;
        let written = self.written(bytes)?;
        // All that could make the published verifier panic is checked before; should anything be left, the proof is
        // refused.
        caught(|| self.circuits.verify_written(&written, &outputs)).map_err(RefusedError::Panicked)??;
        let facts = facts::facts(output_preimage)?;
        Ok(Verified { output_preimage: output_preimage.to_vec(), facts, security: *self.security() })
    }

    /// Checks all of a proof that takes little time: all but constraints, lookups and folds.
    ///
    /// # Errors
    /// The check that failed.
    pub fn check(&self, bytes: &[u8], output_preimage: &[Felt252]) -> Result<(), RefusedError> {
        let outputs = facts::circuit_outputs(output_preimage)?;
        Ok(self.circuits.check_written(&self.written(bytes)?, &outputs)?)
    }

    /// The roots of a written proof: of the main, the interaction and the composition tree.
    ///
    /// # Panics
    /// If the bytes are none of [`Self::written`].
    pub fn roots(written: &[u8]) -> [Digest; 3] {
        let root = |tree: usize| Digest::try_from(&written[SALT_BYTES + tree * DIGEST_BYTES..][..DIGEST_BYTES]);
        [0, 1, 2].map(|tree| root(tree).expect("a digest has its length"))
    }

    /// The written proof of the circuit in a file.
    ///
    /// # Errors
    /// [`RefusedError::File`], [`RefusedError::Policy`].
    pub fn written(&self, bytes: &[u8]) -> Result<Vec<u8>, RefusedError> {
        check_length(bytes.len(), self.max_bytes)?;
        Ok(unpack(bytes, self.circuits.written_len())?)
    }
}
