//! Verification of proofs of Cairo programs: cairo-air's verifier, and the checks that it leaves to its caller.
//!
//! The reference's verifier has the last word. The code around it handles the rest:
//!
//! - it panics where an assertion fails, and where lists are not as long as it expects: all of that is checked before;
//! - each component must have one sum, there must be no other, and the total of the chunks of big memory values must be
//!   theirs;
//! - it takes any root as that of the preprocessed columns: here it must be the variant's constant, or one that the
//!   caller names;
//! - it takes any configuration: here it must be worth as many bits as the policy asks for;
//! - it takes an output that is not its segment, and a component of a builtin without a segment, whose place nothing
//!   fixes;
//! - it says nothing about the proven statement: [`ProvenStatement`] does, and [`Expect`] compares.
//!
//! Time and memory are bounded by the length of the proof and by the number of columns, for any proof.

mod expect;
#[cfg(test)]
pub(crate) mod tests;

use circle_proof::layout::{Layout, Parts};
use circle_proof::rounds::Composition;
use circle_proof::{Auxiliary, CAIRO_PROFILE, CircleOptions, Committed, Security, Suite, wide_node};

pub use self::expect::{Expect, ProvenStatement};
use crate::checks::check_claim;
pub use crate::error::{ClaimError, PublicError, VerifyError};
pub use crate::mismatch::Mismatch;
use crate::preprocessed::Variant;
use crate::statement::mixes;
use crate::version::{AirProof, AirVersion};

/// Bits of queries and proof of work, as stwo counts them, that are asked for unless the caller says otherwise: as in
/// stwo-cairo's standard configuration.
pub const MIN_QUERY_BITS: u32 = 96;

/// The accepted proofs. `Default`: proofs of stwo-cairo's standard configuration or better ([`CAIRO_PROFILE`],
/// [`MIN_QUERY_BITS`]), all variants, roots that are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The bits that the configuration must be worth, the length of a file, and the root of the preprocessed columns
    /// that the caller trusts. `None` stands for the constant of the variant, which is known for a blowup factor of 2
    /// without lifting: proofs of other configurations are refused. No preprocessed column is evaluated.
    pub proof: circle_proof::Policy,
    /// The only variant of the preprocessed columns that is taken; `None`: all.
    pub variant: Option<Variant>,
    /// Whether proofs are taken that sample all preprocessed columns, and no others. False, as with the reference's
    /// verifier by default: proofs that sample those alone that a component reads.
    pub samples_all: bool,
}

impl Default for Policy {
    fn default() -> Self {
        let proof = circle_proof::Policy::asking(CAIRO_PROFILE);
        Self {
            proof: circle_proof::Policy { min_query_bits: MIN_QUERY_BITS, ..proof },
            variant: None,
            samples_all: false,
        }
    }
}

/// An accepted proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Its statement.
    pub stated: ProvenStatement,
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
/// The checks, the cheap ones first: the configuration against the policy; numbers; claim, sums and public data; the
/// preprocessed columns that are sampled, against the policy; the caller's expectations; the root of the preprocessed
/// columns; the security of the whole; the proof of work before the lookups; the shape of the proof; last the
/// reference's verifier. Nothing panics on a hostile proof.
///
/// # Errors
/// The check that failed. No error means that the proof convinces, to as many bits as [`Verified::security`] says, that
/// the run in [`Verified::stated`] exists.
pub fn verify<P: AirProof>(proof: P, policy: &Policy, expect: &Expect) -> Result<Verified, VerifyError> {
    let (options, variant) = (options(&proof, policy.proof.suite)?, proof.variant());
    policy.proof.check_options(&options)?;
    if policy.variant.is_some_and(|taken| taken != variant) {
        return Err(VerifyError::Variant(variant));
    }
    let parts = parts(&proof, policy.samples_all)?;
    // Where components read all columns, proofs of both kinds are the same.
    let is_of = |parts: &Parts| parts.preprocessed.iter().map(|column| !column.offsets.is_empty()).eq(proof.sampled());
    if !is_of(&parts) && is_of(&proof.layout(!policy.samples_all)?) {
        return Err(VerifyError::Samples { all: !policy.samples_all });
    }
    let layout = Layout::of(parts, &options)?;
    let stated = ProvenStatement::of(&proof);
    expect.check(&stated)?;
    check_root(&proof, policy, &options)?;
    let security = layout.security_by(policy.proof.kind);
    policy.proof.check_security(&security)?;
    let stark_proof = stark_proof(&proof, &options)?;
    let rounds = traces(&proof, &options)?;
    circle_proof::check(&layout, &stark_proof, rounds.clone())?;
    proof.verify_by_reference(options.suite, policy.samples_all).map_err(|error| {
        wide_node(&layout, &stark_proof, rounds).map_or(error, |node| VerifyError::Proof(node.into()))
    })?;
    Ok(Verified { stated, variant, options, security, log_domain: layout.log_domain() })
}

/// The auxiliary data of a proof of this suite, as the reference's prover returns it. A proof from elsewhere is
/// verified first, under a policy that bounds the time.
///
/// # Errors
/// If the proof has not the shape of one, or an opened part of a tree does not lead to its root.
pub fn auxiliary<P: AirProof>(proof: &P, suite: Suite) -> Result<Auxiliary, VerifyError> {
    let options = options(proof, suite)?;
    let layout = layout(proof, &options)?;
    let stark_proof = stark_proof(proof, &options)?;
    Ok(circle_proof::auxiliary(&layout, &stark_proof, traces(proof, &options)?)?)
}

/// The options of a proof of this suite, and their security for its claim, whether or not it is valid.
///
/// # Errors
/// If the claim is none, or has no proofs with these options.
pub fn security<P: AirProof>(proof: &P, suite: Suite) -> Result<(CircleOptions, Security), VerifyError> {
    let options = options(proof, suite)?;
    Ok((options, *layout(proof, &options)?.security()))
}

/// The options of a proof of this suite.
fn options<P: AirProof>(proof: &P, suite: Suite) -> Result<CircleOptions, VerifyError> {
    if P::Version::takes(suite) { Ok(proof.options(suite)?) } else { Err(VerifyError::Suite(suite)) }
}

fn stark_proof<P: AirProof>(proof: &P, options: &CircleOptions) -> Result<circle_proof::Proof, VerifyError> {
    proof.stark_proof(options).ok_or_else(|| VerifyError::NotReduced { what: "the proof".to_owned() })
}

/// The layout of the proof of a claim that samples as many preprocessed columns as this one.
fn layout<P: AirProof>(proof: &P, options: &CircleOptions) -> Result<Layout, VerifyError> {
    Ok(Layout::of(parts(proof, proof.samples_all())?, options)?)
}

/// The columns of the proof of a claim, after all checks that need nothing else than numbers, claim and sums.
fn parts<P: AirProof>(proof: &P, samples_all: bool) -> Result<Parts, VerifyError> {
    proof.check_numbers()?;
    check_claim::<P::Version>(proof.claim(), proof.variant())?;
    proof.layout(samples_all)
}

/// The root of the preprocessed columns is the one that the policy or the variant has.
fn check_root<P: AirProof>(proof: &P, policy: &Policy, options: &CircleOptions) -> Result<(), VerifyError> {
    let (variant, CircleOptions { suite, log_blowup, lifting, .. }) = (proof.variant(), *options);
    let expected = policy
        .proof
        .preprocessed_root
        .or_else(|| P::Version::root(variant, options))
        .ok_or(VerifyError::UnknownRoot { variant, suite, log_blowup, lifting })?;
    match proof.root(0) {
        Some(found) if found != expected => Err(VerifyError::Root { variant, found, expected }),
        // The check of the shape finds a missing root.
        _ => Ok(()),
    }
}

/// The transcript up to the interaction trace. The proof of work in it is checked.
fn traces<P: AirProof>(proof: &P, options: &CircleOptions) -> Result<Composition, VerifyError> {
    // A proof without a root has the wrong shape, which is found out next.
    let root = |tree: usize| proof.root(tree).unwrap_or_default();
    let mixes = mixes::<P::Version>(proof.claim(), proof.salt());
    let committed = Committed::begin(options, &mixes, root(0), root(1));
    let (nonce, bits) = (proof.interaction_nonce(), P::Version::INTERACTION_POW_BITS);
    if !committed.is_valid_nonce(bits, nonce) {
        return Err(VerifyError::InteractionWork { nonce, bits });
    }
    let (round, _) = committed.draw(Some(nonce), P::Version::DRAWS);
    // Elements are drawn, so there is an interaction tree, and no error.
    let closed = round.commit(Some((&proof.claimed_sums(), root(2))));
    closed.map_err(|_| VerifyError::Proof(circle_proof::VerifyError::Degenerate))
}
