//! Verifier of compact proofs: `docs/protocol/goldilocks-compact.md`, section 9, of which steps and order are these.
//!
//! [`verify_bytes`] checks, and ends at the first failure:
//!
//! 1. options, for the statement; of a proof that hides its witness the rows that no constraint reads;
//! 2. the policy: bits and length;
//! 3. the length of the proof, which bounds time and memory of all that follows;
//! 4. the head, and the work of each draw (module `replay` of the crate);
//! 5. the constraints, which give the value of the first composition part;
//! 6. the openings, byte for byte;
//! 7. the trees of the rows, the DEEP quotient, the layers, the last layer (module `queries`).

mod queries;

use alloc::vec::Vec;

use air::{Column, Layout, RecordedAir};
use field::{Field, powers};
use goldilocks_proof::compact::opening::positions;
use goldilocks_proof::compact::{
    AirDigest, Head, Options, Sizes, decode_head, decode_openings, security as of_options, statement,
};
use gpu_hal::CosetProtocol;
use proof_format::Security;
use proof_format::wire::Reader;

use crate::replay::{Challenges, Messages, replay};
use crate::{Policy, Verified, VerifyError, shape_of};

/// Verifies the bytes of a proof.
///
/// # Errors
/// The check that failed. No error means that the proof convinces, to as many bits as [`Verified::security`] says, of a
/// trace that satisfies the AIR with the public inputs in `air`.
pub fn verify_bytes<P: CosetProtocol>(
    air: &RecordedAir<P>,
    options: &Options,
    bytes: &[u8],
    policy: &Policy,
) -> Result<Verified, VerifyError> {
    verify_bytes_of(air, AirDigest::OfAir, options, bytes, policy)
}

/// As [`verify_bytes`], with a digest of the AIR that a test vector gives. It is for such vectors alone: a proof must
/// bind its AIR.
///
/// # Errors
/// As [`verify_bytes`].
#[doc(hidden)]
pub fn verify_bytes_of<P: CosetProtocol>(
    air: &RecordedAir<P>,
    digest: AirDigest<'_>,
    options: &Options,
    bytes: &[u8],
    policy: &Policy,
) -> Result<Verified, VerifyError> {
    let sizes = sizes(&air.layout(), air.log_trace_length());
    options.validate::<P>(&sizes)?;
    options.check_free_rows(&sizes, air.free_rows())?;
    let security = of_options::estimate_by(options, &shape_of(air), policy.kind);
    policy.check_security(&security)?;
    policy.check_length(bytes.len())?;
    sizes.check_length(options, bytes.len())?;
    let mut reader = Reader::new(bytes);
    let head = decode_head(&mut reader, &sizes, options)?;
    let start = statement::<P>(&digest.bytes(|| air.digest()), &sizes, air.public_inputs(), options);
    let messages = Messages {
        main: &head.main_root,
        aux: head.aux_root.as_ref(),
        composition: &head.composition_root,
        out_of_domain: &head.out_of_domain,
        layers: &head.layers,
        last: &head.last,
        nonces: &head.nonces,
    };
    let refusal = |draw, nonce, bits| VerifyError::Work { draw, nonce, bits };
    let challenges = replay(air, options, &start, &messages, refusal)?;
    let parts = parts(air, &sizes, &head, &challenges)?;
    let positions = positions(options, challenges.queries.clone());
    let openings = decode_openings(reader, &sizes, options, &positions)?;
    queries::check(air, (&sizes, options), (&head, &openings), &challenges, &parts, &positions)?;
    Ok(Verified { security, queries: options.queries, trace_length: air.trace_length() as u64 })
}

/// The numbers of a statement that fix the length of its proofs: to compare with the bytes before anything is built for
/// it.
pub fn sizes(layout: &Layout, log_rows: u32) -> Sizes {
    Sizes {
        log_rows,
        main: layout.main_columns,
        aux: layout.aux_columns,
        frame_rows: layout.frame_rows,
        challenges: layout.challenges,
        parts: layout.composition_parts,
    }
}

/// The security of proofs for this AIR with these options.
pub fn security<P: CosetProtocol>(air: &RecordedAir<P>, options: &Options) -> Security {
    of_options::estimate(options, &shape_of(air))
}

/// The values of the parts at `z^P`: the first is the one with which the constraints hold, the others are sent.
fn parts<P: CosetProtocol>(
    air: &RecordedAir<P>,
    sizes: &Sizes,
    head: &Head<P::Ext>,
    challenges: &Challenges<P>,
) -> Result<Vec<P::Ext>, VerifyError> {
    let width = sizes.columns();
    let cell = |column: Column, offset: usize| {
        let column = match column {
            Column::Main(column) => column,
            Column::Aux(column) => sizes.main + column,
        };
        head.out_of_domain[offset * width + column]
    };
    let params = air.params(&challenges.air)?;
    let combination = air.combination(challenges.beta);
    let composition = air.composition_at(challenges.z, &params, &combination, cell)?;
    let sent = &head.out_of_domain[head.out_of_domain.len() - (sizes.parts - 1)..];
    let rest = sent.iter().zip(powers(challenges.z).skip(1)).fold(P::Ext::ZERO, |sum, (&part, z)| sum + part * z);
    Ok([composition - rest].into_iter().chain(sent.iter().copied()).collect())
}
