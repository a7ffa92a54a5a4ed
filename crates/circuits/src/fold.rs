//! Two proofs folded into one: the proof of a circuit that verifies both. Such proofs can be folded again, so that many
//! proofs become one, level by level.

use std::sync::Arc;

use circle_air::secure;
use circuit_multiverifier::verify::{MultiverifierInput, SharedConfig, build_multiverifier_circuit};
use circuits_core::ivalue::NoValue;
use circuits_stark_verifier::proof::empty_proof;
use field::{M31, QM31};
use gpu_hal::{Digest, HashFn};
use stwo::core::fields::qm31::SecureField;
use stwo::core::pcs::PcsConfig;

use crate::circuit::{Circuit, CircuitError};
use crate::verify::{CircuitVerifier, RefusedError};
use crate::witness::{Witness, WitnessError};

/// Public outputs of a circuit whose proofs can be folded, and of a circuit that folds.
pub(crate) const OUTPUTS: usize = circuit_common::N_RESERVED;

/// Why proofs are not folded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FoldError {
    /// A circuit with another number of outputs.
    #[error("proofs of circuits with {found} outputs can't be folded, only of circuits with {OUTPUTS}")]
    Outputs {
        /// Its outputs.
        found: usize,
    },
    /// A proof with other options, or of a circuit whose columns have other names or heights.
    #[error("proof {leaf} is of another shape than the circuit verifies: the columns' heights or the options differ")]
    OtherShape {
        /// The number of the proof.
        leaf: usize,
    },
    /// A proof that is refused.
    #[error("proof {leaf}: {error}")]
    Refused {
        /// The number of the proof.
        leaf: usize,
        /// The check that failed.
        error: RefusedError,
    },
    /// The gates that verify two proofs do not hold.
    #[error("the verifier of circuits refuses one of the proofs")]
    Unsatisfied,
    /// The circuit that verifies such proofs is too large.
    #[error(transparent)]
    Circuit(#[from] CircuitError),
    /// The values of the wires are no witness, which should not happen.
    #[error(transparent)]
    Witness(#[from] WitnessError),
}

/// A proof that is to be folded.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'a> {
    /// The verifier of proofs of its circuit.
    pub verifier: &'a CircuitVerifier,
    /// The proof, as [`CircuitVerifier::write`] writes it.
    pub written: &'a [u8],
    /// The public outputs.
    pub outputs: [QM31; OUTPUTS],
}

/// The circuit that verifies two proofs of one shape: with the same options, of circuits whose columns have the same
/// heights. The circuits may be two. It hides nothing of the proofs.
///
/// The roots of the two circuits are no part of it. Its outputs are a hash of both roots and of the outputs of both
/// proofs. The verifier of a folded proof must compute that hash ([`Self::outputs`]) from roots that it trusts, at each
/// level of a tree: otherwise the proof says only that there are two proofs of some circuits.
#[derive(Clone, Debug)]
pub struct Fold {
    /// The verifier of one circuit of the shape.
    shape: CircuitVerifier,
    circuit: Arc<Circuit>,
}

impl Fold {
    /// The circuit for proofs of the shape that `leaf` verifies.
    ///
    /// # Errors
    /// [`FoldError::Outputs`], [`FoldError::Circuit`].
    pub fn new(leaf: &CircuitVerifier) -> Result<Self, FoldError> {
        if leaf.outputs != OUTPUTS {
            return Err(FoldError::Outputs { found: leaf.outputs });
        }
        let config = shared(leaf);
        let input = || MultiverifierInput::<NoValue> {
            proof: empty_proof(&config.proof_config),
            preprocessed_root: leaf.root(),
            output_values: [SecureField::default(); OUTPUTS],
        };
        let circuit = Circuit::new(&mut build_multiverifier_circuit(input(), input(), &config))?;
        Ok(Self { shape: leaf.clone(), circuit: Arc::new(circuit) })
    }

    /// The circuit.
    pub fn circuit(&self) -> &Arc<Circuit> {
        &self.circuit
    }

    /// The values of its wires that verify two proofs.
    ///
    /// # Errors
    /// [`FoldError`] if one of the proofs is of another shape, or is refused.
    pub fn witness(&self, leaves: [Leaf<'_>; 2]) -> Result<Witness, FoldError> {
        let [first, second] = [self.input(0, leaves[0])?, self.input(1, leaves[1])?];
        let mut context = build_multiverifier_circuit(first, second, &shared(&self.shape));
        if !context.is_circuit_valid() {
            return Err(FoldError::Unsatisfied);
        }
        circuit_common::finalize::finalize_context(&mut context);
        Ok(Witness::of(self.circuit.clone(), &context)?)
    }

    fn input(&self, number: usize, leaf: Leaf<'_>) -> Result<MultiverifierInput<SecureField>, FoldError> {
        let Leaf { verifier, written, outputs } = leaf;
        if verifier.columns != self.shape.columns || verifier.options != self.shape.options {
            return Err(FoldError::OtherShape { leaf: number });
        }
        let proof = verifier.checked(written, &outputs).map_err(|error| FoldError::Refused { leaf: number, error })?;
        Ok(MultiverifierInput { proof, preprocessed_root: verifier.root(), output_values: outputs.map(secure) })
    }

    /// The outputs of the circuit for two proofs, given the roots of their circuits' columns and their outputs: the
    /// hash of all of it.
    pub fn outputs(leaves: [(&Digest, [QM31; OUTPUTS]); 2]) -> [QM31; OUTPUTS] {
        let hashed = leaves.into_iter().flat_map(|(root, outputs)| {
            let outputs = outputs.into_iter().flat_map(|output| output.0);
            words(root).into_iter().chain(outputs)
        });
        let digest = words(&HashFn::Blake2sM31.leaf(hashed));
        [0, 4].map(|first| QM31([0, 1, 2, 3].map(|word| digest[first + word])))
    }
}

/// The words of a digest, which are reduced.
fn words(digest: &Digest) -> [M31; 8] {
    let (words, _) = digest.as_chunks();
    std::array::from_fn(|word| M31::new(u32::from_le_bytes(words[word])))
}

/// The shape of the proofs, as the crates of circuits know it.
fn shared(leaf: &CircuitVerifier) -> SharedConfig {
    SharedConfig {
        pcs_config: PcsConfig::from(leaf.options),
        proof_config: leaf.shape(),
        preprocessed_column_log_sizes: leaf.heights(),
    }
}
