//! Proofs by stwo-cairo's prover.

use std::sync::Arc;

use cairo_air::CairoProofForRustVerifier;
use cairo_air::verifier::verify_cairo;
use stwo::core::fri::FriConfig;
use stwo::core::pcs::PcsConfig;
use stwo::core::poly::circle::CanonicCoset;
use stwo::core::utils::MaybeOwned;
use stwo::core::vcs_lifted::blake2_merkle::{Blake2sMerkleChannel, Blake2sMerkleHasher};
use stwo::prover::CommitmentTreeProver;
use stwo::prover::backend::Column;
use stwo::prover::backend::simd::SimdBackend;
use stwo::prover::mempool::BaseColumnPool;
use stwo::prover::poly::circle::PolyOps;
use stwo::prover::poly::twiddles::TwiddleTree;
use stwo_cairo_adapter::ProverInput;
use stwo_cairo_common::preprocessed_columns::preprocessed_trace::{PreProcessedTrace, PreProcessedTraceVariant};
use stwo_cairo_prover::prover::{ChannelHash, ProverParameters, prove_cairo, prove_cairo_with_precompute};
use stwo_cairo_prover::witness::cairo::create_cairo_claim_generator;
use stwo_cairo_prover::witness::preprocessed_trace::gen_trace;

/// A proof with the hash that all proofs here use.
pub type Proof = CairoProofForRustVerifier<Blake2sMerkleHasher>;

/// Preprocessed columns by the name that our command line gives them.
pub fn variant(name: &str) -> Result<PreProcessedTraceVariant, String> {
    match name {
        "canonical" => Ok(PreProcessedTraceVariant::Canonical),
        "canonical-without-pedersen" => Ok(PreProcessedTraceVariant::CanonicalWithoutPedersen),
        "canonical-small" => Ok(PreProcessedTraceVariant::CanonicalSmall),
        _ => Err("canonical, canonical-without-pedersen or canonical-small".into()),
    }
}

/// A blowup factor of 2, folds by 2, a last polynomial of one coefficient, no lifting.
pub fn config(pow_bits: u32, queries: usize) -> PcsConfig {
    PcsConfig { pow_bits, fri_config: FriConfig::new(0, 1, queries, 1), lifting_log_size: None }
}

fn parameters(variant: PreProcessedTraceVariant, config: PcsConfig) -> ProverParameters {
    ProverParameters {
        channel_hash: ChannelHash::Blake2s,
        channel_salt: 0,
        pcs_config: config,
        preprocessed_trace: variant,
        store_polynomials_coefficients: false,
        include_all_preprocessed_columns: false,
    }
}

/// A proof as the reference's tool makes it: twiddles for the largest domain and the preprocessed tree are made for it
/// alone.
pub fn prove(input: ProverInput, variant: PreProcessedTraceVariant, config: PcsConfig) -> Result<Proof, String> {
    let proof = prove_cairo::<Blake2sMerkleChannel>(input, parameters(variant, config));
    Ok(proof.map_err(|error| error.to_string())?.into())
}

/// Whether the reference's verifier takes a proof.
pub fn verify(proof: Proof) -> Result<(), String> {
    verify_cairo::<Blake2sMerkleChannel>(proof).map_err(|error| error.to_string())
}

/// The columns of the main trace, in the order of the tree; values in the order in which they are committed.
pub fn main_columns(input: ProverInput, variant: PreProcessedTraceVariant) -> Vec<Vec<u32>> {
    let (columns, ..) = create_cairo_claim_generator(input, Arc::new(variant.to_preprocessed_trace())).write_trace();
    columns.iter().map(|column| column.values.to_cpu().iter().map(|value| value.0).collect()).collect()
}

/// Data that is made once for all proofs with a variant and a configuration.
pub struct Reference {
    variant: PreProcessedTraceVariant,
    config: PcsConfig,
    pool: BaseColumnPool<SimdBackend>,
    twiddles: TwiddleTree<SimdBackend>,
    columns: Arc<PreProcessedTrace>,
    tree: CommitmentTreeProver<SimdBackend, Blake2sMerkleChannel>,
}

impl Reference {
    /// Commits to the preprocessed columns. Domains may have up to `2^log_domain` points.
    pub fn new(variant: PreProcessedTraceVariant, config: PcsConfig, log_domain: u32) -> Self {
        let twiddles = SimdBackend::precompute_twiddles(CanonicCoset::new(log_domain).circle_domain().half_coset);
        let columns = Arc::new(variant.to_preprocessed_trace());
        let pool = BaseColumnPool::new();
        let polynomials = SimdBackend::interpolate_columns(gen_trace(columns.clone()), &twiddles);
        let blowup = config.fri_config.log_blowup_factor;
        let tree = CommitmentTreeProver::new(polynomials, blowup, &twiddles, false, config.lifting_log_size, &pool);
        Self { variant, config, pool, twiddles, columns, tree }
    }

    /// A proof of a run.
    pub fn prove(&self, input: ProverInput) -> Result<Proof, String> {
        let proof = prove_cairo_with_precompute::<Blake2sMerkleChannel>(
            &self.pool,
            &self.twiddles,
            self.columns.clone(),
            MaybeOwned::Borrowed(&self.tree),
            input,
            parameters(self.variant, self.config),
        );
        Ok(proof.map_err(|error| error.to_string())?.into())
    }
}
