//! Proofs by stwo-cairo's prover, with each of its channels.

use std::sync::Arc;

use cairo_air::air::PublicSegmentRanges;
use cairo_air::claims::CairoClaim;
use cairo_air::verifier::verify_cairo_ex;
use cairo_air::{CairoProof, CairoProofForRustVerifier};
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde::de::DeserializeOwned;
use stwo::core::channel::MerkleChannel;
use stwo::core::fri::FriConfig;
use stwo::core::pcs::PcsConfig;
use stwo::core::poly::circle::CanonicCoset;
use stwo::core::utils::MaybeOwned;
use stwo::core::vcs_lifted::MerkleHasherLifted;
use stwo::core::vcs_lifted::blake2_merkle::{Blake2sM31MerkleChannel, Blake2sMerkleChannel};
use stwo::core::vcs_lifted::poseidon252_merkle::Poseidon252MerkleChannel;
use stwo::prover::CommitmentTreeProver;
use stwo::prover::backend::simd::SimdBackend;
use stwo::prover::backend::{BackendForChannel, Column};
use stwo::prover::mempool::BaseColumnPool;
use stwo::prover::poly::circle::PolyOps;
use stwo::prover::poly::twiddles::TwiddleTree;
use stwo_cairo_adapter::ProverInput;
use stwo_cairo_common::preprocessed_columns::preprocessed_trace::{PreProcessedTrace, PreProcessedTraceVariant};
use stwo_cairo_prover::prover::{ChannelHash, ProverParameters, prove_cairo, prove_cairo_with_precompute};
use stwo_cairo_prover::witness::cairo::create_cairo_claim_generator;
use stwo_cairo_prover::witness::preprocessed_trace::gen_trace;
use stwo_cairo_serialize::CairoSerialize;

/// The hash functions of trees and transcript, by the names of our command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Channel {
    /// Blake2s.
    Blake2s,
    /// Blake2s with reduced words.
    Blake2sM31,
    /// Poseidon over the Stark field.
    Poseidon252,
}

impl Channel {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blake2s => "blake2s",
            Self::Blake2sM31 => "blake2s_m31",
            Self::Poseidon252 => "poseidon252",
        }
    }
}

/// Preprocessed columns by the name that our command line gives them.
pub fn variant(name: &str) -> Result<PreProcessedTraceVariant, String> {
    match name {
        "canonical" => Ok(PreProcessedTraceVariant::Canonical),
        "canonical-without-pedersen" => Ok(PreProcessedTraceVariant::CanonicalWithoutPedersen),
        "canonical-small" => Ok(PreProcessedTraceVariant::CanonicalSmall),
        _ => Err("canonical, canonical-without-pedersen or canonical-small".into()),
    }
}

/// The parameters of a proof, with the flags and defaults of our command line.
#[derive(Clone, Copy, Debug, Args)]
pub struct Parameters {
    /// The hash functions of trees and transcript.
    #[arg(long, value_enum, default_value_t = Channel::Blake2s)]
    pub channel: Channel,
    /// The number that is mixed into the transcript first.
    #[arg(long, default_value_t = 0)]
    pub channel_salt: u32,
    /// The preprocessed columns.
    #[arg(long, default_value = "canonical-small", value_parser = variant)]
    pub preprocessed: PreProcessedTraceVariant,
    /// Opens all preprocessed columns.
    #[arg(long)]
    pub all_preprocessed: bool,
    /// Bits of work before the queries.
    #[arg(long, default_value_t = 26)]
    pub pow_bits: u32,
    /// Queries.
    #[arg(long, default_value_t = 70)]
    pub queries: usize,
    /// Log2 of the blowup factor.
    #[arg(long, default_value_t = 1)]
    pub log_blowup: u32,
    /// Log2 of the number by which a layer shrinks.
    #[arg(long, default_value_t = 1)]
    pub fold_step: u32,
    /// Log2 of the coefficients of the last layer.
    #[arg(long, default_value_t = 0)]
    pub log_last: u32,
    /// Log2 of the common domain.
    #[arg(long)]
    pub lifting: Option<u32>,
}

impl Parameters {
    fn config(&self) -> PcsConfig {
        let fri_config = FriConfig::new(self.log_last, self.log_blowup, self.queries, self.fold_step);
        PcsConfig { pow_bits: self.pow_bits, fri_config, lifting_log_size: self.lifting }
    }

    fn of_reference(&self) -> ProverParameters {
        let channel_hash = match self.channel {
            Channel::Blake2s => ChannelHash::Blake2s,
            Channel::Blake2sM31 => ChannelHash::Blake2sM31,
            Channel::Poseidon252 => ChannelHash::Poseidon252,
        };
        ProverParameters {
            channel_hash,
            channel_salt: self.channel_salt,
            pcs_config: self.config(),
            preprocessed_trace: self.preprocessed,
            store_polynomials_coefficients: false,
            include_all_preprocessed_columns: self.all_preprocessed,
        }
    }
}

/// A proof in the forms of the reference, whatever its channel.
pub struct Proof {
    /// Its claim.
    pub claim: CairoClaim,
    /// The roots of its trees, as text.
    pub roots: Vec<String>,
    /// The proof for the verifier in Rust, in bincode 1.
    pub bincode: Vec<u8>,
    /// The same as JSON, without spaces.
    pub json: Vec<u8>,
    /// The proof with its auxiliary data, in bincode 1. Its maps are in an order that changes from run to run.
    pub extended: Vec<u8>,
    /// The felts for the verifier in Cairo, in hexadecimal; none if the program does not take all builtins.
    pub felts: Option<Vec<String>>,
}

impl Proof {
    fn new<H>(proof: CairoProof<H>) -> Result<Self, String>
    where
        H: MerkleHasherLifted<Hash: CairoSerialize> + Serialize,
    {
        let extended = bincode1::serialize(&proof).map_err(|error| error.to_string())?;
        let felts = takes_all(&proof.claim.public_data.public_memory.public_segments).then(|| {
            let mut felts = Vec::new();
            CairoSerialize::serialize(&proof, &mut felts);
            felts.into_iter().map(|felt| format!("{felt:#x}")).collect()
        });
        let proof = CairoProofForRustVerifier::from(proof);
        Ok(Self {
            claim: proof.claim.clone(),
            roots: proof.stark_proof.commitments.iter().map(ToString::to_string).collect(),
            bincode: bincode1::serialize(&proof).map_err(|error| error.to_string())?,
            json: serde_json::to_vec(&proof).map_err(|error| error.to_string())?,
            extended,
            felts,
        })
    }
}

/// Whether a program takes all builtins.
fn takes_all(segments: &PublicSegmentRanges) -> bool {
    let PublicSegmentRanges { output: _, pedersen, range_check_128, ecdsa, bitwise, ec_op, keccak, poseidon, .. } =
        segments;
    let PublicSegmentRanges { range_check_96, add_mod, mul_mod, .. } = segments;
    [pedersen, range_check_128, ecdsa, bitwise, ec_op, keccak, poseidon, range_check_96, add_mod, mul_mod]
        .into_iter()
        .all(Option::is_some)
}

/// The columns of the main trace, in the order of the tree; values in the order in which they are committed.
pub fn main_columns(input: ProverInput, variant: PreProcessedTraceVariant) -> Vec<Vec<u32>> {
    let (columns, ..) = create_cairo_claim_generator(input, Arc::new(variant.to_preprocessed_trace())).write_trace();
    columns.iter().map(|column| column.values.to_cpu().iter().map(|value| value.0).collect()).collect()
}

/// The reference's prover and verifier with a channel.
pub trait Reference {
    /// A proof of a run.
    ///
    /// # Errors
    /// The reference's own.
    fn prove(&self, input: ProverInput) -> Result<Proof, String>;

    /// Whether its verifier takes a proof in bincode 1.
    ///
    /// # Errors
    /// The reference's own.
    fn verify(&self, proof: &[u8]) -> Result<(), String>;
}

/// The reference for proofs with these parameters. With `log_domain`, twiddles for domains of up to `2^log_domain`
/// points and the preprocessed tree are made once, here. Without it all is as the reference's tool does it: twiddles
/// for `2^30` points and the tree are part of every proof.
pub fn reference(parameters: Parameters, log_domain: Option<u32>) -> Box<dyn Reference> {
    match parameters.channel {
        Channel::Blake2s => Box::new(Of::<Blake2sMerkleChannel>::new(parameters, log_domain)),
        Channel::Blake2sM31 => Box::new(Of::<Blake2sM31MerkleChannel>::new(parameters, log_domain)),
        Channel::Poseidon252 => Box::new(Of::<Poseidon252MerkleChannel>::new(parameters, log_domain)),
    }
}

struct Of<MC: MerkleChannel>
where
    SimdBackend: BackendForChannel<MC>,
{
    parameters: Parameters,
    prepared: Option<Prepared<MC>>,
}

/// Data that is made once for all proofs with a variant and a configuration.
struct Prepared<MC: MerkleChannel>
where
    SimdBackend: BackendForChannel<MC>,
{
    pool: BaseColumnPool<SimdBackend>,
    twiddles: TwiddleTree<SimdBackend>,
    columns: Arc<PreProcessedTrace>,
    tree: CommitmentTreeProver<SimdBackend, MC>,
}

impl<MC: MerkleChannel> Of<MC>
where
    SimdBackend: BackendForChannel<MC>,
{
    fn new(parameters: Parameters, log_domain: Option<u32>) -> Self {
        let prepared = log_domain.map(|log_domain| {
            let twiddles = SimdBackend::precompute_twiddles(CanonicCoset::new(log_domain).circle_domain().half_coset);
            let columns = Arc::new(parameters.preprocessed.to_preprocessed_trace());
            let pool = BaseColumnPool::new();
            let polynomials = SimdBackend::interpolate_columns(gen_trace(columns.clone()), &twiddles);
            let Parameters { log_blowup, lifting, .. } = parameters;
            let tree = CommitmentTreeProver::new(polynomials, log_blowup, &twiddles, false, lifting, &pool);
            Prepared { pool, twiddles, columns, tree }
        });
        Self { parameters, prepared }
    }
}

impl<MC> Reference for Of<MC>
where
    MC: MerkleChannel<H: MerkleHasherLifted<Hash: CairoSerialize> + Serialize + DeserializeOwned>,
    SimdBackend: BackendForChannel<MC>,
{
    fn prove(&self, input: ProverInput) -> Result<Proof, String> {
        let parameters = self.parameters.of_reference();
        let proof = match &self.prepared {
            None => prove_cairo::<MC>(input, parameters),
            Some(Prepared { pool, twiddles, columns, tree }) => prove_cairo_with_precompute::<MC>(
                pool,
                twiddles,
                columns.clone(),
                MaybeOwned::Borrowed(tree),
                input,
                parameters,
            ),
        };
        Proof::new(proof.map_err(|error| error.to_string())?)
    }

    fn verify(&self, proof: &[u8]) -> Result<(), String> {
        let proof = bincode1::deserialize(proof).map_err(|error| error.to_string())?;
        verify_cairo_ex::<MC>(proof, self.parameters.all_preprocessed).map_err(|error| error.to_string())
    }
}
