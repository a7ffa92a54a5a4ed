//! A proof of a circuit, and what the published verifier makes of it.

use std::sync::Arc;

use circle_air::{ClaimedSumError, PreProcessedColumnId, RecordedStatement, Statement, StatementError, secure};
use circle_proof::auxiliary::{AuxiliaryLayer, Nodes};
use circle_proof::layout::Layout;
use circle_proof::stwo_verifier::{StwoHasher, to_stwo};
use circle_proof::{Auxiliary, CircleOptions, Envelope, Proof, VerifyError, auxiliary};
use circuit_verifier::statement::all_circuit_components;
use circuit_verifier::verify::{CircuitConfig, CircuitPublicData, verify_circuit};
use circuits_core::blake::HashValue;
use circuits_core::ivalue::NoValue;
use circuits_stark_verifier::proof::{Proof as VerifierProof, ProofConfig};
use circuits_stark_verifier::proof_from_stark_proof::proof_from_stark_proof;
use field::{Field, QM31};
use gpu_hal::Digest;
use stwo::core::fields::qm31::SecureField;
use stwo::core::fri::{FriLayerProofAux, FriProofAux};
use stwo::core::pcs::quotients::CommitmentSchemeProofAux;
use stwo::core::pcs::{PcsConfig, TreeVec};
use stwo::core::proof::ExtendedStarkProof;
use stwo::core::vcs::blake2_hash::Blake2sHash;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sM31MerkleHasher as Hasher;
use stwo::core::vcs_lifted::verifier::MerkleDecommitmentLiftedAux;

use crate::air::COMPONENTS;
use crate::circuit::Circuit;
use crate::prove::{Error, check_options};
use crate::statement::{CircuitStatement, DRAWS, INTERACTION_POW_BITS, OutputsError};

/// A proof that there are values of a circuit's wires with these outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CircuitProof {
    /// The proof of the prover.
    pub proof: Proof,
    /// The sum of the lookups of each component, in order.
    pub claimed_sums: Vec<QM31>,
    /// The nonce of the proof of work before the elements of the lookups.
    pub interaction_nonce: u64,
    /// The public outputs.
    pub outputs: Vec<QM31>,
}

/// Why a proof of a circuit is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RefusedError {
    /// Options that proofs of circuits cannot have.
    #[error("{0}")]
    Options(String),
    /// Made with other options than asked for.
    #[error("the proof was made with other options: {found:?}")]
    OtherOptions {
        /// Those of the proof.
        found: Box<CircleOptions>,
    },
    /// The number of outputs.
    #[error(transparent)]
    Outputs(#[from] OutputsError),
    /// Another number of sums than there are components.
    #[error("{found} sums of lookups, the circuit has {COMPONENTS} components")]
    Sums {
        /// Found.
        found: usize,
    },
    /// A number that is not reduced, or a node of a tree that is no digest.
    #[error("a number of the proof is not below 2^31 - 1")]
    NotReduced,
    /// Another circuit's preprocessed columns.
    #[error(
        "the root of the preprocessed columns is {}, not {}: it is a proof of another circuit",
        circle_proof::hex(found),
        circle_proof::hex(expected)
    )]
    Root {
        /// As in the proof.
        found: Digest,
        /// The circuit's.
        expected: Digest,
    },
    /// The proof of work before the lookups.
    #[error("the nonce {0} before the lookups is no work of {INTERACTION_POW_BITS} bits")]
    InteractionWork(u64),
    /// The sums of the lookups.
    #[error(transparent)]
    ClaimedSums(#[from] ClaimedSumError),
    /// The statement.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// The proof's shape, or an opening.
    #[error(transparent)]
    Proof(#[from] VerifyError),
    /// The published verifier refuses it.
    #[error("the verifier of circuits refuses the proof: {0}")]
    Reference(String),
}

impl From<Error> for RefusedError {
    fn from(error: Error) -> Self {
        Self::Options(error.to_string())
    }
}

impl CircuitProof {
    /// Verifies the proof by the published verifier, which builds the circuit that verifies it and checks every gate.
    /// `root` is that of the circuit's preprocessed columns.
    ///
    /// # Errors
    /// The check that failed.
    pub fn verify(&self, circuit: &Arc<Circuit>, root: &Digest, options: &CircleOptions) -> Result<(), RefusedError> {
        match self.proof.commitments.first() {
            Some(found) if found != root => return Err(RefusedError::Root { found: *found, expected: *root }),
            _ => {}
        }
        let proof = self.for_verifier(circuit, options)?;
        let columns = circuit.columns().iter();
        let config = CircuitConfig {
            config: PcsConfig::from(*options),
            n_outputs: circuit.outputs().len(),
            preprocessed_column_log_sizes: columns
                .map(|column| (PreProcessedColumnId { id: column.id.clone() }, column.log_size))
                .collect(),
            preprocessed_root: HashValue::from(Blake2sHash(*root)),
        };
        let public = CircuitPublicData { output_values: self.outputs.iter().copied().map(secure).collect() };
        verify_circuit(config, proof, public).map(|_| ()).map_err(RefusedError::Reference)
    }

    /// The proof as the verifier of circuits takes it, and as it is written. Its shape, the proofs of work, the sums of
    /// the lookups and all openings are checked; the constraints are not.
    ///
    /// # Errors
    /// The check that failed.
    pub fn for_verifier(
        &self,
        circuit: &Arc<Circuit>,
        options: &CircleOptions,
    ) -> Result<VerifierProof<SecureField>, RefusedError> {
        check_options(options)?;
        if self.proof.config != *options {
            return Err(RefusedError::OtherOptions { found: Box::new(self.proof.config) });
        }
        let statement = CircuitStatement::new(circuit.clone(), self.outputs.clone())?;
        if self.claimed_sums.len() != COMPONENTS {
            return Err(RefusedError::Sums { found: self.claimed_sums.len() });
        }
        let is_canonical = self.claimed_sums.iter().chain(&self.outputs).all(Field::is_canonical);
        if !is_canonical || !self.proof.is_of(options.suite) {
            return Err(RefusedError::NotReduced);
        }
        let recorded = RecordedStatement::new(&statement, options.lifting)?;
        let layout = Layout::new(&statement, &recorded, options)?;
        // A proof without a root has the wrong shape, which is found out next.
        let root = |tree: usize| self.proof.commitments.get(tree).copied().unwrap_or_default();
        let committed = Envelope::begin(options, &statement.mixes(), root(0), root(1));
        if !committed.is_done(INTERACTION_POW_BITS, self.interaction_nonce) {
            return Err(RefusedError::InteractionWork(self.interaction_nonce));
        }
        let (envelope, drawn) = committed.draw(Some(self.interaction_nonce), DRAWS);
        statement.check_claimed_sums(&drawn, &self.claimed_sums)?;
        // Elements are drawn, so there is an interaction tree, and no error.
        let rounds = envelope.close(Some((&self.claimed_sums, root(2)))).map_err(|_| VerifyError::Degenerate)?;
        let aux = auxiliary(&layout, &self.proof, rounds)?;
        let proof = ExtendedStarkProof {
            proof: to_stwo::<Hasher>(self.proof.clone()),
            aux: stwo_auxiliary(aux).ok_or(RefusedError::NotReduced)?,
        };
        let components = all_circuit_components::<NoValue>();
        let config =
            ProofConfig::new(&components, circuit.columns().len(), &PcsConfig::from(*options), INTERACTION_POW_BITS);
        let sums = self.claimed_sums.iter().copied().map(secure).collect();
        Ok(proof_from_stark_proof(&proof, &config, sums, self.interaction_nonce, 0))
    }
}

/// The auxiliary data in stwo's types; `None` if there is no layer, or a node is no digest.
fn stwo_auxiliary(auxiliary: Auxiliary) -> Option<CommitmentSchemeProofAux<Hasher>> {
    let Auxiliary { drawn_queries, trees, layers } = auxiliary;
    let mut layers = layers.into_iter().map(layer);
    Some(CommitmentSchemeProofAux {
        unsorted_query_locations: drawn_queries,
        trace_decommitment: TreeVec(trees.into_iter().map(nodes).collect::<Option<_>>()?),
        fri: FriProofAux { first_layer: layers.next()??, inner_layers: layers.collect::<Option<_>>()? },
    })
}

fn nodes(nodes: Nodes) -> Option<MerkleDecommitmentLiftedAux<Hasher>> {
    let level = |level: std::collections::BTreeMap<usize, Digest>| {
        level.into_iter().map(|(at, digest)| Some((at, Hasher::to_stwo(&digest)?))).collect::<Option<_>>()
    };
    Some(MerkleDecommitmentLiftedAux { all_node_values: nodes.into_iter().map(level).collect::<Option<_>>()? })
}

fn layer(AuxiliaryLayer { values, nodes: of }: AuxiliaryLayer) -> Option<FriLayerProofAux<Hasher>> {
    let values = values.into_iter().map(|(at, value)| (at, secure(value))).collect();
    Some(FriLayerProofAux { all_values: vec![values], decommitment: nodes(of)? })
}
