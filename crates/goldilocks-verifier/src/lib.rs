//! Verifier of the Goldilocks protocol: `docs/protocol/goldilocks.md`, sections 11 and 11.1.
//!
//! [`verify`] takes the statement (a recorded AIR with its public inputs, options, a transcript seed), a proof and the
//! caller's [`Policy`], and either returns the proven statement or names the check that failed. The checks, in this
//! order, so that the cheap ones come first:
//!
//! 1. options, and their security against the policy; of encoded proofs then their length, which all but fixes every
//!    other;
//! 2. the shape of the proof (module `shape`): every length, every option, every element reduced;
//! 3. the transcript is replayed (module `replay`), which gives all challenges, and the proof of work is checked;
//! 4. the constraints hold at the out-of-domain point;
//! 5. every query: the DEEP quotient at `x` and `-x`, folded down to the last value (module `queries`);
//! 6. every opened value is in its Merkle tree.
//!
//! Nothing panics on a hostile proof, and no more memory is taken than a small multiple of the proof. Time is
//! `O(queries (log^2 n + columns) + constraints)`, plus the cost that [`RecordedAir::composition_at`] tells of end
//! exemptions and periodic columns: for exemptions of half the rows that is `O(sqrt(n) log n)`, an instant even at the
//! largest n.
//!
//! Proofs of the compact format are verified by [`compact`], proofs of the format that their options say by
//! [`verify_any`].
//!
//! Without the feature `std`, which is on by default, the crate takes `core` and `alloc` alone.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod any;
pub mod compact;
mod deep;
mod error;
mod fold;
mod key;
mod policy;
mod queries;
mod replay;
mod shape;

use core::slice;

use air::{Column, Layout, RecordedAir};
use field::{Field, powers};
use goldilocks_proof::seed::default_seed;
use goldilocks_proof::{Counts, Proof, Shape, decode_exactly, lambdaworks, security};
use gpu_hal::CosetProtocol;
use proof_format::Security;

pub use any::{check_length, rounds, verify_any};
pub use error::VerifyError;
pub use goldilocks_proof::{Part, Seed};
pub use key::{Key, KeyMismatch, MAGIC as KEY_MAGIC};
pub use policy::{Policy, Verified};
pub use proof_format::{PolicyError, SecurityKind};

use replay::{Challenges, Messages};

/// Verifies a proof.
///
/// # Errors
/// The check that failed. No error means that the proof convinces, to as many bits as [`Verified::security`] says, of a
/// trace that satisfies the AIR with the public inputs in `air`.
pub fn verify<P: CosetProtocol>(
    air: &RecordedAir<P>,
    options: &lambdaworks::Options,
    seed: Seed<'_>,
    proof: &Proof<P>,
    policy: &Policy,
) -> Result<Verified, VerifyError> {
    check_proof(air, options, seed, proof, check_policy(air, options, policy)?)
}

/// Everything but options and policy.
fn check_proof<P: CosetProtocol>(
    air: &RecordedAir<P>,
    options: &lambdaworks::Options,
    seed: Seed<'_>,
    proof: &Proof<P>,
    security: Security,
) -> Result<Verified, VerifyError> {
    shape::check(air, options, proof)?;
    let seed = seed.bytes::<P>(&air.digest(), air.trace_length() as u64, air.public_inputs(), options);
    let messages = Messages {
        main: &proof.main_root,
        aux: proof.aux_root.as_ref(),
        composition: &proof.composition_root,
        out_of_domain: &proof.trace_ood.in_order(&proof.composition_ood),
        layers: &proof.fri_roots,
        last: slice::from_ref(&proof.fri_last_value),
        nonces: proof.nonce.as_slice(),
    };
    let refusal = |_, nonce, bits| VerifyError::ProofOfWork { nonce, bits };
    let challenges = replay::replay(air, options, &seed, &messages, refusal)?;
    check_composition(air, proof, &challenges)?;
    queries::check(air, options, proof, &challenges)?;
    Ok(Verified { security, queries: options.queries, trace_length: proof.trace_length })
}

/// Decodes and verifies.
///
/// # Errors
/// As [`verify`], or [`VerifyError::Decode`].
pub fn verify_bytes<P: CosetProtocol>(
    air: &RecordedAir<P>,
    options: &lambdaworks::Options,
    seed: Seed<'_>,
    bytes: &[u8],
    policy: &Policy,
) -> Result<Verified, VerifyError> {
    // A statement that is refused anyway costs no decoding.
    policy.check_length(bytes.len())?;
    let security = check_policy(air, options, policy)?;
    let proof = decode_exactly(bytes, &counts(&air.layout(), air.log_trace_length(), options))?;
    check_proof(air, options, seed, &proof, security)
}

/// The lengths of all lists of a proof: to compare with its bytes before anything is built for the statement.
pub fn counts(layout: &Layout, log_rows: u32, options: &lambdaworks::Options) -> Counts {
    Counts {
        log_rows,
        log_lde: options.log_lde(log_rows),
        main: layout.main_columns,
        aux: layout.aux_columns,
        frame_rows: layout.frame_rows,
        parts: layout.composition_parts,
        queries: options.queries as usize,
        nonce: options.grinding > 0,
    }
}

/// The default transcript seed of a statement.
pub fn transcript_seed<P: CosetProtocol>(air: &RecordedAir<P>, options: &lambdaworks::Options) -> [u8; 32] {
    default_seed::<P>(&air.digest(), air.trace_length() as u64, air.public_inputs(), options)
}

/// The security of proofs for this AIR with these options.
pub fn security<P: CosetProtocol>(air: &RecordedAir<P>, options: &lambdaworks::Options) -> Security {
    security::estimate(options, &shape_of(air))
}

/// The security inputs of proofs for this AIR, beside the options.
pub fn shape_of<P: CosetProtocol>(air: &RecordedAir<P>) -> Shape {
    let layout = air.layout();
    let degrees = air.constraints().output_degrees();
    Shape {
        log_trace: air.log_trace_length(),
        extension_degree: P::DEGREE,
        columns: layout.main_columns.saturating_add(layout.aux_columns),
        frame_rows: layout.frame_rows,
        composition_parts: layout.composition_parts,
        constraints: degrees.len(),
        max_degree: degrees.into_iter().max().unwrap_or(1),
        challenges: layout.challenges,
    }
}

fn check_policy<P: CosetProtocol>(
    air: &RecordedAir<P>,
    options: &lambdaworks::Options,
    policy: &Policy,
) -> Result<Security, VerifyError> {
    options.validate(air.log_trace_length(), air.layout().composition_parts)?;
    let security = security::estimate_by(options, &shape_of(air), policy.kind);
    policy.check_security(&security)?;
    Ok(security)
}

/// Check 3 of section 11: the constraints at z, computed from the out-of-domain values of the columns, give
/// `sum over k of z^k H_k(z^P)`.
fn check_composition<P: CosetProtocol>(
    air: &RecordedAir<P>,
    proof: &Proof<P>,
    challenges: &Challenges<P>,
) -> Result<(), VerifyError> {
    let main = air.layout().main_columns;
    let width = main + air.layout().aux_columns;
    let cell = |column: Column, offset: usize| {
        let column = match column {
            Column::Main(column) => column,
            Column::Aux(column) => main + column,
        };
        proof.trace_ood.data[offset * width + column]
    };
    let params = air.params(&challenges.air)?;
    let combination = air.combination(challenges.beta);
    let composition = air.composition_at(challenges.z, &params, &combination, cell)?;
    let claimed = proof.composition_ood.iter().zip(powers(challenges.z)).fold(P::Ext::ZERO, |sum, (&h, z)| sum + h * z);
    if composition == claimed { Ok(()) } else { Err(VerifyError::Composition) }
}
