//! Verification of proofs of a circuit, by the published verifier.

use circle_air::{PreProcessedColumnId, PreprocessedColumn, RecordError, RecordedComponent, secure};
use circle_proof::layout::{Column, Layout, Parts};
use circle_proof::stwo_verifier::{extended, to_stwo};
use circle_proof::{CircleOptions, Committed, Security, SecurityKind, VerifyError, auxiliary};
use circuit_verifier::statement::all_circuit_components;
use circuit_verifier::verify::{CircuitConfig, CircuitPublicData, verify_circuit};
use circuits_core::blake::HashValue;
use circuits_core::ivalue::NoValue;
use circuits_stark_verifier::order_hash_map::OrderedHashMap;
use circuits_stark_verifier::proof::{Proof as VerifierProof, ProofConfig};
use circuits_stark_verifier::proof_from_stark_proof::proof_from_stark_proof;
use field::{Field, QM31};
use gpu_hal::Digest;
use stwo::core::fields::qm31::SecureField;
use stwo::core::pcs::PcsConfig;
use stwo::core::vcs::blake2_hash::Blake2sHash;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sM31MerkleHasher as Hasher;

use crate::CircuitProof;
use crate::air::relation::TUPLE;
use crate::air::{COMPONENTS, components};
use crate::circuit::log_sizes;
use crate::options::{OptionsError, check_options};
use crate::statement::{DRAWS, INTERACTION_POW_BITS, OutputsError, mixes};

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
        /// The options of the proof.
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
    /// Written bytes of another length.
    #[error("the proof has {found} bytes, each of the circuit has {expected}")]
    Length {
        /// Found.
        found: usize,
        /// Bytes of every proof of the circuit.
        expected: usize,
    },
    /// A number in written bytes that is not reduced.
    #[error("the number at byte {at} of the proof is not below 2^31 - 1")]
    NotReducedAt {
        /// Its first byte.
        at: usize,
    },
    /// A salt, of which proofs of circuits have none, or a nonce of more than two words.
    #[error("the {what} of the proof has words that must be zero")]
    Words {
        /// The number.
        what: &'static str,
    },
    /// The proof of work before the lookups.
    #[error("the nonce {0} before the lookups is no work of {INTERACTION_POW_BITS} bits")]
    InteractionWork(u64),
    /// A column that components read is not among the circuit's.
    #[error("the circuit has no preprocessed column `{id}`")]
    NoColumn {
        /// Its name.
        id: String,
    },
    /// A column that no component reads.
    #[error("no component reads the preprocessed column `{id}`")]
    UnknownColumn {
        /// Its name.
        id: String,
    },
    /// A preprocessed column that stands twice, after a higher one, or at another height than its component.
    #[error(
        "the preprocessed column `{id}` stands twice, after a higher one, or has another height than its component"
    )]
    MisplacedColumn {
        /// The column.
        id: String,
    },
    /// Heights that no component may have.
    #[error(transparent)]
    Component(#[from] RecordError),
    /// The proof's shape, or an opening.
    #[error(transparent)]
    Proof(#[from] VerifyError),
    /// The published verifier refuses it.
    #[error("the verifier of circuits refuses the proof: {0}")]
    Reference(String),
}

impl RefusedError {
    /// Whether the proof opens a node that every verifier computes otherwise than a right prover.
    pub fn is_wide_node(&self) -> bool {
        matches!(self, Self::Proof(VerifyError::WideNode(_)))
    }
}

impl From<OptionsError> for RefusedError {
    fn from(error: OptionsError) -> Self {
        Self::Options(error.to_string())
    }
}

/// Verifies proofs of a circuit, of which it knows the names and heights of the preprocessed columns, and their root.
#[derive(Clone, Debug)]
pub struct CircuitVerifier {
    pub(crate) columns: Vec<PreprocessedColumn>,
    pub(crate) outputs: usize,
    pub(crate) root: Digest,
    pub(crate) layout: Layout,
    /// Log2 of the rows of each column, by tree: preprocessed, main, interaction.
    pub(crate) trees: [Vec<u32>; 3],
    pub(crate) options: CircleOptions,
}

impl CircuitVerifier {
    /// For proofs with these options, of the circuit with these columns ([`crate::Circuit::columns`]), as many public
    /// outputs, and this root of the columns' tree.
    ///
    /// # Errors
    /// Options that do not fit; columns that are not a circuit's.
    pub fn new(
        columns: Vec<PreprocessedColumn>,
        outputs: usize,
        root: Digest,
        options: &CircleOptions,
    ) -> Result<Self, RefusedError> {
        check_options(options)?;
        let parts = parts(&columns)?;
        let heights = |columns: &[Column]| columns.iter().map(|column| column.log_size).collect();
        let trees = [heights(&parts.preprocessed), heights(&parts.traces[0]), heights(&parts.traces[1])];
        Ok(Self { layout: Layout::of(parts, options)?, trees, columns, outputs, root, options: *options })
    }

    /// The bits of security of such proofs.
    pub fn security(&self) -> &Security {
        self.layout.security()
    }

    /// The same, with the first-order figure if that is the kind.
    pub fn security_by(&self, kind: SecurityKind) -> Security {
        self.layout.security_by(kind)
    }

    /// Verifies a proof by the published verifier, which builds the circuit that verifies it and checks every gate.
    ///
    /// # Errors
    /// The check that failed.
    pub fn verify(&self, proof: &CircuitProof) -> Result<(), RefusedError> {
        self.verify_by_reference(self.for_verifier(proof)?, &proof.outputs)
    }

    /// The verdict of the published verifier.
    pub(crate) fn verify_by_reference(
        &self,
        proof: VerifierProof<SecureField>,
        outputs: &[QM31],
    ) -> Result<(), RefusedError> {
        let config = CircuitConfig {
            config: PcsConfig::from(self.options),
            n_outputs: self.outputs,
            preprocessed_column_log_sizes: self.heights(),
            preprocessed_root: self.root(),
        };
        let public = CircuitPublicData { output_values: outputs.iter().copied().map(secure).collect() };
        verify_circuit(config, proof, public).map(|_| ()).map_err(RefusedError::Reference)
    }

    /// A proof as the verifier of circuits takes it, and as it is written. Its shape, the proofs of work, the root of
    /// the preprocessed columns and all openings are checked; constraints and the total of the lookups are not.
    ///
    /// # Errors
    /// The check that failed.
    pub fn for_verifier(&self, of: &CircuitProof) -> Result<VerifierProof<SecureField>, RefusedError> {
        let CircuitProof { proof, claimed_sums, interaction_nonce, outputs } = of;
        if proof.config != self.options {
            return Err(RefusedError::OtherOptions { found: Box::new(proof.config) });
        }
        if outputs.len() != self.outputs {
            return Err(OutputsError { given: outputs.len(), expected: self.outputs }.into());
        }
        if claimed_sums.len() != COMPONENTS {
            return Err(RefusedError::Sums { found: claimed_sums.len() });
        }
        let opened = proof.queried_values.iter().flatten().flatten();
        let sampled = proof.sampled_values.iter().flatten().flatten();
        let is_canonical = claimed_sums.iter().chain(outputs).chain(sampled).all(Field::is_canonical)
            && opened.into_iter().all(Field::is_canonical);
        if !is_canonical || !proof.is_of(self.options.suite) {
            return Err(RefusedError::NotReduced);
        }
        // A proof without a root has the wrong shape, which is found out next.
        let root = |tree: usize| proof.commitments.get(tree).copied().unwrap_or_default();
        if root(0) != self.root {
            return Err(RefusedError::Root { found: root(0), expected: self.root });
        }
        let committed = Committed::begin(&self.options, &mixes(outputs), root(0), root(1));
        if !committed.is_valid_nonce(INTERACTION_POW_BITS, *interaction_nonce) {
            return Err(RefusedError::InteractionWork(*interaction_nonce));
        }
        let (round, _) = committed.draw(Some(*interaction_nonce), DRAWS);
        // Elements are drawn, so there is an interaction tree, and no error.
        let rounds = round.commit(Some((claimed_sums, root(2)))).map_err(|_| VerifyError::Degenerate)?;
        let aux = auxiliary(&self.layout, proof, rounds)?;
        let proof = extended(to_stwo::<Hasher>(proof.clone()), aux).ok_or(RefusedError::NotReduced)?;
        let sums = claimed_sums.iter().copied().map(secure).collect();
        Ok(proof_from_stark_proof(&proof, &self.shape(), sums, *interaction_nonce, 0))
    }

    /// The names and heights of the preprocessed columns, as the crates of circuits know them.
    pub(crate) fn heights(&self) -> OrderedHashMap<PreProcessedColumnId, u32> {
        let id = |column: &PreprocessedColumn| PreProcessedColumnId { id: column.id.clone() };
        self.columns.iter().map(|column| (id(column), column.log_size)).collect()
    }

    /// The root of the preprocessed columns, as the crates of circuits know it.
    pub(crate) fn root(&self) -> HashValue<SecureField> {
        HashValue::from(Blake2sHash(self.root))
    }

    /// The shape of a proof, as the crates of circuits know it.
    pub(crate) fn shape(&self) -> ProofConfig {
        ProofConfig::new(
            &all_circuit_components::<NoValue>(),
            self.columns.len(),
            &PcsConfig::from(self.options),
            INTERACTION_POW_BITS,
        )
    }
}

/// The parts of the proofs of a circuit with these preprocessed columns, which components read all.
fn parts(columns: &[PreprocessedColumn]) -> Result<Parts, RefusedError> {
    let log_sizes = log_sizes(columns).map_err(|id| RefusedError::NoColumn { id })?;
    let components = components(&log_sizes, &[QM31::default(); DRAWS]);
    let recorded = components.iter().map(|component| component.record()).collect::<Result<Vec<_>, _>>()?;
    let ids = || recorded.iter().flat_map(|component| &component.preprocessed);
    if let Some(id) = ids().find(|id| columns.iter().all(|column| column.id != **id)) {
        return Err(RefusedError::NoColumn { id: id.clone() });
    }
    if let Some(column) = columns.iter().find(|column| ids().all(|id| *id != column.id)) {
        return Err(RefusedError::UnknownColumn { id: column.id.clone() });
    }
    for (place, column) in columns.iter().enumerate() {
        let is_new = columns[..place].iter().all(|other| other.id != column.id && other.log_size <= column.log_size);
        let mut readers = recorded.iter().filter(|component| component.preprocessed.contains(&column.id));
        if !is_new || readers.any(|component| component.log_size != column.log_size) {
            return Err(RefusedError::MisplacedColumn { id: column.id.clone() });
        }
    }
    let column = |log_size: u32, offsets: Vec<isize>| Column { log_size, offsets };
    let trace = |tree: usize| {
        let of = |component: &RecordedComponent| {
            let offsets = component.offsets[tree].clone().into_iter();
            let log_size = component.log_size;
            offsets.map(move |offsets| column(log_size, offsets)).collect::<Vec<_>>()
        };
        recorded.iter().flat_map(of).collect()
    };
    let fractions = |component: &RecordedComponent| {
        component.logup.as_ref().map_or(0, |logup| 2 * logup.batches as u64) << component.log_size
    };
    Ok(Parts {
        log_rows: log_sizes.into_iter().max().unwrap_or(0),
        preprocessed: columns.iter().map(|of| column(of.log_size, vec![0])).collect(),
        traces: vec![trace(1), trace(2)],
        constraints: recorded.iter().map(RecordedComponent::constraint_count).sum(),
        fractions: recorded.iter().map(fractions).sum(),
        relation_width: TUPLE,
        given_degree: 0,
        interaction_pow_bits: INTERACTION_POW_BITS,
    })
}
