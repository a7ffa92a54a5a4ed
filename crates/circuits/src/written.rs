//! Proofs of circuits as they are written: words, without any lengths. The circuit and the options say how long a proof
//! is.
//!
//! [`CircuitVerifier::verify_written`] checks all that takes little time before it asks the published verifier: length,
//! numbers, both proofs of work, and each path of each opening. A byte that is changed after the proof was made does
//! not get past them.

use circle_air::qm31;
use circle_proof::positions::is_packed;
use circle_proof::{Committed, VerifyError};
use circuit_serialize::deserialize::deserialize_proof_with_config;
use circuit_serialize::serialize::CircuitSerialize;
use circuits_core::blake::HashValue;
use circuits_stark_verifier::proof::{Proof, ProofInfo};
use field::{M31, PrimeField, QM31};
use gpu_hal::Digest;
use stwo::core::fields::qm31::SecureField;

use crate::CircuitProof;
use crate::statement::{DRAWS, INTERACTION_POW_BITS, OutputsError, mixes};
use crate::verify::{CircuitVerifier, RefusedError};

/// Bytes of a word.
const WORD: usize = 4;

impl CircuitVerifier {
    /// The bytes of every proof of the circuit.
    pub fn written_len(&self) -> usize {
        ProofInfo::from_config(&self.shape()).total_bytes()
    }

    /// A proof as it is written: words of 32 bits, little-endian. Outputs and the root of the preprocessed columns are
    /// not among them. It is checked as [`Self::for_verifier`] does.
    ///
    /// # Errors
    /// The check that failed.
    pub fn write(&self, proof: &CircuitProof) -> Result<Vec<u8>, RefusedError> {
        let mut bytes = Vec::with_capacity(self.written_len());
        self.for_verifier(proof)?.serialize(&mut bytes);
        Ok(bytes)
    }

    /// Verifies a written proof that the circuit has these outputs, at last by the published verifier.
    ///
    /// # Errors
    /// The check that failed.
    pub fn verify_written(&self, bytes: &[u8], outputs: &[QM31]) -> Result<(), RefusedError> {
        self.verify_by_reference(self.checked(bytes, outputs)?, outputs)
    }

    /// Checks all of a written proof but its constraints, the total of its lookups, and its folds.
    ///
    /// # Errors
    /// The check that failed.
    pub fn check_written(&self, bytes: &[u8], outputs: &[QM31]) -> Result<(), RefusedError> {
        self.checked(bytes, outputs).map(drop)
    }

    /// The proof after these checks.
    pub(crate) fn checked(&self, bytes: &[u8], outputs: &[QM31]) -> Result<Proof<SecureField>, RefusedError> {
        let proof = self.read(bytes)?;
        self.check_openings(&proof, outputs)?;
        Ok(proof)
    }

    fn read(&self, mut bytes: &[u8]) -> Result<Proof<SecureField>, RefusedError> {
        let (found, expected) = (bytes.len(), self.written_len());
        if found != expected {
            return Err(RefusedError::Length { found, expected });
        }
        let is_reduced = |word: &[u8; WORD]| u64::from(u32::from_le_bytes(*word)) < M31::ORDER;
        if let Some(at) = bytes.as_chunks().0.iter().position(|word| !is_reduced(word)) {
            return Err(RefusedError::NotReducedAt { at: at * WORD });
        }
        // Length and numbers are right, so there is no error.
        deserialize_proof_with_config(&mut bytes, &self.shape()).map_err(|_| RefusedError::NotReduced)
    }

    fn check_openings(&self, proof: &Proof<SecureField>, outputs: &[QM31]) -> Result<(), RefusedError> {
        let (given, expected) = (outputs.len(), self.outputs);
        if given != expected {
            return Err(OutputsError { given, expected }.into());
        }
        let positions = self.positions(proof, outputs)?;
        for tree in 0..=self.trees.len() {
            self.check_tree(proof, tree, &positions)?;
        }
        let (mut log_size, mut positions) = (self.layout.log_domain(), positions);
        for (layer, step) in self.options.fold_steps(log_size).into_iter().enumerate() {
            positions.iter_mut().for_each(|position| *position >>= step);
            self.check_layer(proof, layer, (log_size, step), &positions)?;
            log_size -= step;
        }
        Ok(())
    }

    /// Follows the transcript to the positions of the queries, as they are drawn.
    fn positions(&self, proof: &Proof<SecureField>, outputs: &[QM31]) -> Result<Vec<usize>, RefusedError> {
        if qm31(proof.channel_salt) != QM31::default() {
            return Err(RefusedError::Words { what: "salt" });
        }
        let committed = Committed::begin(&self.options, &mixes(outputs), self.root, digest(&proof.trace_root));
        let nonce = nonce(proof.interaction_pow_nonce)?;
        if !committed.is_valid_nonce(INTERACTION_POW_BITS, nonce) {
            return Err(RefusedError::InteractionWork(nonce));
        }
        let (round, _) = committed.draw(Some(nonce), DRAWS);
        let interaction = (&*elements(&proof.claimed_sums), digest(&proof.interaction_root));
        // Elements are drawn, so there is an interaction tree, and no error.
        let rounds = round.commit(Some(interaction)).map_err(|_| VerifyError::Degenerate)?;
        let (sampled, _) = rounds.weight().0.point(digest(&proof.composition_polynomial_root));
        let of_interaction = proof.interaction_at_oods.iter().flat_map(|at| at.at_prev.into_iter().chain([at.at_oods]));
        let samples = proof.preprocessed_columns_at_oods.iter().chain(&proof.trace_at_oods).copied();
        let samples: Vec<_> = samples.chain(of_interaction).chain(proof.composition_eval_at_oods).collect();
        let (mut folding, _) = sampled.quotients(&elements(&samples));
        for root in &proof.fri.commit.layer_commitments {
            folding.layer(digest(root));
        }
        let work = folding.last(&elements(&proof.fri.commit.last_layer_coefs));
        let (nonce, bits) = (self::nonce(proof.pow_nonce)?, self.options.pow_bits);
        if !work.is_valid_nonce(bits, nonce) {
            return Err(VerifyError::ProofOfWork { nonce, bits }.into());
        }
        Ok(work.drawn_queries(nonce, self.layout.log_domain(), self.options.queries))
    }

    /// The opened rows of a tree lead to its root.
    fn check_tree(&self, proof: &Proof<SecureField>, tree: usize, positions: &[usize]) -> Result<(), RefusedError> {
        let hash = self.options.suite.tree();
        let roots = [&proof.trace_root, &proof.interaction_root, &proof.composition_polynomial_root];
        let root = tree.checked_sub(1).map_or(self.root, |committed| digest(roots[committed]));
        // A row is hashed in ascending order of heights; columns of the composition have one height.
        let mut columns: Vec<usize> =
            (0..self.trees.get(tree).map_or(proof.composition_eval_at_oods.len(), Vec::len)).collect();
        columns.sort_by_key(|&column| self.trees.get(tree).map(|heights| heights[column]));
        for (query, &position) in positions.iter().enumerate() {
            let value = |&column: &usize| qm31(*proof.eval_domain_samples.at(tree, column, query)).0[0];
            let leaf = hash.leaf(columns.iter().map(value));
            let path = &proof.eval_domain_auth_paths.at(tree, query).0;
            self.check_path(leaf, position, path, root).ok_or_else(|| opening(format!("tree {tree}")))?;
        }
        Ok(())
    }

    /// The opened groups of a layer of FRI lead to its root.
    fn check_layer(
        &self,
        proof: &Proof<SecureField>,
        layer: usize,
        (log_size, step): (u32, u32),
        groups: &[usize],
    ) -> Result<(), RefusedError> {
        let hash = self.options.suite.tree();
        let root = digest(&proof.fri.commit.layer_commitments[layer]);
        let in_leaf = if is_packed(log_size, step) { 4 } else { 1 };
        for (query, &group) in groups.iter().enumerate() {
            let values = &proof.fri.witness.0[layer][query];
            let words = |values: &[SecureField]| values.iter().flat_map(|value| qm31(*value).0).collect::<Vec<M31>>();
            let mut nodes: Vec<Digest> = values.chunks(in_leaf).map(|leaf| hash.leaf(words(leaf))).collect();
            let refused = || opening(format!("FRI layer {layer}"));
            while nodes.len() > 1 {
                let pairs = nodes.as_chunks().0.iter();
                nodes =
                    pairs.map(|[left, right]| hash.parent(left, right)).collect::<Option<_>>().ok_or_else(refused)?;
            }
            let path = &proof.fri.auth_paths.at(layer, query).0;
            self.check_path(nodes[0], group, path, root).ok_or_else(refused)?;
        }
        Ok(())
    }

    /// Whether a node leads to a root.
    fn check_path(&self, node: Digest, mut at: usize, path: &[HashValue<SecureField>], root: Digest) -> Option<()> {
        let hash = self.options.suite.tree();
        let found = path.iter().try_fold(node, |node, sibling| {
            let sibling = digest(sibling);
            let [left, right] = if at & 1 == 0 { [&node, &sibling] } else { [&sibling, &node] };
            at >>= 1;
            hash.parent(left, right)
        });
        found.filter(|found| *found == root).map(drop)
    }
}

fn opening(tree: String) -> RefusedError {
    VerifyError::Opening { tree }.into()
}

fn elements(values: &[SecureField]) -> Vec<QM31> {
    values.iter().copied().map(qm31).collect()
}

/// The bytes of a digest in two elements.
fn digest(HashValue(first, second): &HashValue<SecureField>) -> Digest {
    let words = [qm31(*first).0, qm31(*second).0];
    let mut bytes = Digest::default();
    bytes
        .as_chunks_mut()
        .0
        .iter_mut()
        .zip(words.as_flattened())
        .for_each(|(bytes, word)| *bytes = word.value().to_le_bytes());
    bytes
}

/// The number in an element: its low word, its high word.
fn nonce(value: SecureField) -> Result<u64, RefusedError> {
    match qm31(value).0.map(|word| u64::from(word.value())) {
        [low, high, 0, 0] => Ok(low | high << 32),
        _ => Err(RefusedError::Words { what: "nonce" }),
    }
}
