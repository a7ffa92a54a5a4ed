//! Verification of proofs of Cairo programs: cairo-air's verifier, and what it leaves to its caller.
//!
//! `verify_cairo` has the last word. Around it stands what it does not look at:
//!
//! - it panics where an assertion fails, and where lists are not as long as it expects: all of that is checked before;
//! - each component must have one sum, there must be no other, and the total of the chunks of big memory values must be theirs;
//! - it takes any root as that of the preprocessed columns: here it must be the variant's constant, or one that the caller names;
//! - it takes any configuration: here it must be worth as many bits as the policy asks for;
//! - it takes an output that is not its segment, and a component of a builtin without a segment, whose place nothing fixes;
//! - it says nothing about what was proven: [`Stated`] does, and [`Expect`] compares.
//!
//! Time and memory are bounded by the length of the proof and by the number of columns, whatever a proof says.

mod claim;
mod elements;
mod error;
mod expect;
mod layout;
mod public;
#[cfg(test)]
pub(crate) mod tests;

use cairo_air::CairoProofForRustVerifier;
use cairo_air::claims::CairoClaim;
use cairo_air::verifier::{INTERACTION_POW_BITS, verify_cairo};
use circle_air::qm31;
use circle_proof::envelope::Rounds;
use circle_proof::layout::Layout;
use circle_proof::stwo_verifier::{from_stwo, options};
use circle_proof::{CircleOptions, Envelope, Profile, Security, SecurityKind, Suite};
use stwo::core::vcs::blake2_hash::Blake2sHash;
use stwo::core::vcs_lifted::blake2_merkle::{Blake2sMerkleChannel, Blake2sMerkleHasher};

pub use error::{ClaimError, PublicError, VerifyError};
pub(crate) use expect::ALL_BUILTINS;
pub use expect::{Expect, Mismatch, Stated};

use crate::preprocessed::{self, Variant};
use crate::statement;
use cairo_run::caught;

/// A proof of a run of a Cairo program, as stwo-cairo has it.
pub type Proof = CairoProofForRustVerifier<Blake2sMerkleHasher>;

/// The default demand on security: stwo-cairo's standard configuration claims 96 bits, and the field leaves large
/// statements less. Its provable figure is about 60.
pub const DEFAULT_PROFILE: Profile = Profile { kind: SecurityKind::Claimed, bits: 80 };

/// Bits of queries and proof of work, as stwo counts them, that are asked for unless the caller says otherwise: those of stwo-cairo's
/// standard configuration.
pub const MIN_QUERY_BITS: u32 = 96;

/// Which proofs are taken. `Default`: those of stwo-cairo's standard configuration or better ([`DEFAULT_PROFILE`], [`MIN_QUERY_BITS`]), all
/// variants, roots that are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The bits that the configuration must be worth, the length of a file, and the root of the preprocessed columns that
    /// the caller trusts.
    /// `None` stands for the constant of the variant, which is known for a blowup factor of 2 without lifting: proofs of other
    /// configurations are refused. No preprocessed column is evaluated.
    pub proof: circle_proof::Policy,
    /// The only variant of the preprocessed columns that is taken; `None`: all.
    pub variant: Option<Variant>,
}

impl Default for Policy {
    fn default() -> Self {
        let proof = circle_proof::Policy::asking(DEFAULT_PROFILE);
        Self { proof: circle_proof::Policy { min_query_bits: MIN_QUERY_BITS, ..proof }, variant: None }
    }
}

/// An accepted proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Its statement.
    pub stated: Stated,
    /// The variant of the preprocessed columns.
    pub variant: Variant,
    /// The configuration of the proof.
    pub options: CircleOptions,
    /// Its security.
    pub security: Security,
    /// Log2 of the points of the common domain.
    pub log_domain: u32,
}

/// Verifies a proof.
///
/// The checks, the cheap ones first: the configuration against the policy; numbers; claim, sums and public data; what the caller expects;
/// the root of the preprocessed columns; the security of the whole; the proof of work before the lookups; the shape of the proof; last
/// cairo-air's verifier. Nothing panics on a hostile proof.
///
/// # Errors
/// The check that failed. No error means that the proof convinces, to as many bits as [`Verified::security`] says, that the run in
/// [`Verified::stated`] exists.
pub fn verify(proof: Proof, policy: &Policy, expect: &Expect) -> Result<Verified, VerifyError> {
    let options = options(proof.stark_proof.config, Suite::Blake2s)?;
    let variant = proof.preprocessed_trace_variant;
    policy.proof.check_options(&options)?;
    if policy.variant.is_some_and(|taken| taken != variant) {
        return Err(VerifyError::Variant(variant));
    }
    let layout = layout(&proof, &options)?;
    let stated = Stated::of(&proof);
    expect.check(&stated)?;
    check_root(&proof, policy, &options)?;
    policy.proof.check_security(layout.security())?;
    let stark_proof = from_stwo(&proof.stark_proof, options.suite)
        .ok_or_else(|| VerifyError::NotReduced { what: "the proof".to_owned() })?;
    circle_proof::check(&layout, &stark_proof, traces(&proof, &options)?)?;
    let (security, log_domain) = (*layout.security(), layout.log_domain());
    reference(proof)?;
    Ok(Verified { stated, variant, options, security, log_domain })
}

/// The options of a proof, and what they are worth for its claim, whether or not it is valid.
///
/// # Errors
/// If the claim is none, or has no proofs with these options.
pub fn security(proof: &Proof) -> Result<(CircleOptions, Security), VerifyError> {
    let options = options(proof.stark_proof.config, Suite::Blake2s)?;
    Ok((options, *layout(proof, &options)?.security()))
}

/// The layout of the proof of a claim, after all checks that need nothing else than numbers, claim and sums.
fn layout(proof: &Proof, options: &CircleOptions) -> Result<Layout, VerifyError> {
    let (claim, sums, variant) = (&proof.claim, &proof.interaction_claim, proof.preprocessed_trace_variant);
    elements::check(proof.channel_salt, &proof.stark_proof)?;
    check_sums(proof)?;
    check_claim(claim, variant)?;
    Ok(Layout::of(layout::parts(claim, sums, variant)?, options)?)
}

/// Sums are those of the components, and reduced.
fn check_sums(proof: &Proof) -> Result<(), VerifyError> {
    // The only ones of which there may be more than can be listed.
    let big = proof.interaction_claim.memory_id_to_big.iter();
    let big: Vec<_> = big.flat_map(|sums| sums.big_claimed_sums.iter().chain([&sums.claimed_sum])).copied().collect();
    elements::check_sums(&big)?;
    claim::check_sums(&proof.claim, &proof.interaction_claim)?;
    elements::check_sums(&proof.interaction_claim.flatten_interaction_claim())
}

/// The root of the preprocessed columns is the one that the policy or the variant has.
fn check_root(proof: &Proof, policy: &Policy, options: &CircleOptions) -> Result<(), VerifyError> {
    let (variant, log_blowup, lifting) = (proof.preprocessed_trace_variant, options.log_blowup, options.lifting);
    let expected = policy
        .proof
        .preprocessed_root
        .map(Blake2sHash)
        .or_else(|| preprocessed::root(variant, log_blowup, lifting))
        .ok_or(VerifyError::UnknownRoot { variant, log_blowup, lifting })?;
    match proof.stark_proof.commitments.first() {
        Some(&found) if found != expected => Err(VerifyError::Root { variant, found, expected }),
        // The check of the shape finds a missing root.
        _ => Ok(()),
    }
}

/// The transcript up to the interaction trace. The proof of work in it is checked.
fn traces(proof: &Proof, options: &CircleOptions) -> Result<Rounds, VerifyError> {
    // A proof without a root has the wrong shape, which is found out next.
    let root = |tree: usize| proof.stark_proof.commitments.get(tree).map(|root| root.0).unwrap_or_default();
    let mixes = statement::mixes(&proof.claim, proof.channel_salt);
    let committed = Envelope::begin(options, &mixes, root(0), root(1));
    let (nonce, bits) = (proof.interaction_pow, INTERACTION_POW_BITS);
    if !committed.is_done(bits, nonce) {
        return Err(VerifyError::InteractionWork { nonce, bits });
    }
    let (envelope, _) = committed.draw(Some(nonce), statement::DRAWS);
    let sums = proof.interaction_claim.flatten_interaction_claim().into_iter().map(qm31).collect::<Vec<_>>();
    // Elements are drawn, so there is an interaction tree, and no error.
    envelope.close(Some((&sums, root(2)))).map_err(|_| VerifyError::Proof(circle_proof::VerifyError::Degenerate))
}

/// Everything that is checked of a claim by itself: what a prover asks before it begins.
pub(crate) fn check_claim(claim: &CairoClaim, variant: Variant) -> Result<(), VerifyError> {
    claim::check(claim, variant, public::entries(&claim.public_data))?;
    Ok(public::check(claim)?)
}

/// The reference's verifier. What could make it panic is checked before; should anything be left, the proof is refused.
fn reference(proof: Proof) -> Result<(), VerifyError> {
    match caught(|| verify_cairo::<Blake2sMerkleChannel>(proof)) {
        Ok(verdict) => Ok(verdict?),
        Err(text) if text.is_empty() => Err(VerifyError::Panicked("without a message".to_owned())),
        Err(text) => Err(VerifyError::Panicked(text)),
    }
}
