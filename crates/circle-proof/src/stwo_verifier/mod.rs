//! The edge to stwo on the side of proofs: its verifier, proofs in its types, and its folds. No other module of this
//! crate names a type of stwo; on the side of statements `circle_air`'s module `framework` does.

mod convert;
mod extended;
mod folds;

use circle_air::{PreProcessedColumnId, Statement, TraceLocationAllocator};
use field::QM31;
use gpu_hal::Digest;
use stwo::core::air::Component;
use stwo::core::channel::{Blake2sChannelGeneric, MerkleChannel};
use stwo::core::pcs::{CommitmentSchemeVerifier, PcsConfig};
use stwo::core::vcs::blake2_hash::Blake2sHash;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleChannelGeneric;
use stwo::core::vcs_lifted::verifier::MerkleVerifierLifted;
pub use stwo::core::verifier::VerificationError;
use stwo::core::verifier::verify_ex;

pub use self::convert::{StwoHasher, from_stwo, options, to_stwo, with_hasher};
pub use self::extended::extended;
pub(crate) use self::folds::{Domain, quotients};
use crate::layout::Layout;
use crate::{Proof, Suite, VerifyError};

/// stwo's verifier, from the state after all traces are committed, whose digest is given. The proof has passed all
/// checks of [`crate::check`].
pub(crate) fn verify(
    statement: &dyn Statement,
    layout: &Layout,
    claimed_sums: &[QM31],
    elements: &[QM31],
    digest: Digest,
    proof: Proof,
) -> Result<(), VerifyError> {
    let columns = statement.preprocessed(layout.options.lifting).into_iter();
    let ids: Vec<_> = columns.map(|column| PreProcessedColumnId { id: column.id }).collect();
    let mut allocator = TraceLocationAllocator::new_with_preprocessed_columns(&ids);
    let components: Vec<Box<dyn Component>> = statement
        .components(elements)
        .iter()
        .zip(claimed_sums)
        .map(|(component, &sum)| component.verifier_component(&mut allocator, sum))
        .collect();
    let components: Vec<&dyn Component> = components.iter().map(AsRef::as_ref).collect();
    let samples_all = statement.samples_all_preprocessed();
    match layout.options.suite {
        Suite::Blake2s => by_blake2s::<false>(&components, layout, samples_all, digest, proof),
        Suite::Blake2sM31 => by_blake2s::<true>(&components, layout, samples_all, digest, proof),
        #[cfg(not(target_arch = "wasm32"))]
        Suite::Poseidon252 => {
            use stwo::core::vcs_lifted::poseidon252_merkle::{Poseidon252MerkleChannel, Poseidon252MerkleHasher};
            let mut channel = stwo::core::channel::Poseidon252Channel::default();
            let digest = Poseidon252MerkleHasher::to_stwo(&digest).expect("a transcript's digest is one");
            channel.update_digest(digest);
            by::<Poseidon252MerkleChannel>(&components, layout, samples_all, channel, proof)
        }
        #[cfg(target_arch = "wasm32")]
        Suite::Poseidon252 => Err(VerifyError::NoVerifier(Suite::Poseidon252)),
    }
}

/// `REDUCES`: words of digests are reduced.
fn by_blake2s<const REDUCES: bool>(
    components: &[&dyn Component],
    layout: &Layout,
    samples_all: bool,
    digest: Digest,
    proof: Proof,
) -> Result<(), VerifyError> {
    let mut channel = Blake2sChannelGeneric::<REDUCES>::default();
    channel.update_digest(Blake2sHash(digest));
    by::<Blake2sMerkleChannelGeneric<REDUCES>>(components, layout, samples_all, channel, proof)
}

/// stwo's verifier from this state of the transcript on.
fn by<M: MerkleChannel<H: StwoHasher>>(
    components: &[&dyn Component],
    layout: &Layout,
    samples_all: bool,
    mut channel: M::C,
    proof: Proof,
) -> Result<(), VerifyError> {
    let config = PcsConfig::from(layout.options);
    let mut commitments = CommitmentSchemeVerifier::<M>::new(config);
    let traces = &layout.trees[..layout.trees.len() - 1];
    for (tree, root) in traces.iter().zip(&proof.commitments) {
        let sizes = tree.columns.iter().map(|column| column.log_size).collect();
        let root = M::H::to_stwo(root).expect("roots are digests");
        commitments.trees.push(MerkleVerifierLifted::new(root, sizes, config.lifting_log_size));
    }
    Ok(verify_ex(components, &mut channel, &mut commitments, to_stwo(proof), samples_all)?)
}
