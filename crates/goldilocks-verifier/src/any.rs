//! Proofs of any format, by the format of their options.

use air::{Layout, RecordedAir};
use goldilocks_proof::{AnyOptions, OptionsError, compact as format, security};
use gpu_hal::CosetProtocol;
use proof_format::security::Rounds;

use crate::{Policy, Seed, Verified, VerifyError, compact, counts, shape_of, verify_bytes};

/// Checks that options are possible for a statement and that a proof can have so many bytes, before anything is built
/// for the statement. Recording an AIR takes memory by its columns, and a file may claim any number of them: so the
/// proof must be long enough to have as many.
///
/// # Errors
/// [`VerifyError::Options`], [`VerifyError::Decode`].
pub fn check_length<P: CosetProtocol>(
    layout: &Layout,
    log_rows: u32,
    options: &AnyOptions,
    length: usize,
) -> Result<(), VerifyError> {
    match options {
        AnyOptions::Lambdaworks(options) => {
            options.validate(log_rows, layout.composition_parts)?;
            counts(layout, log_rows, options).check_length::<P>(length)?;
        }
        AnyOptions::Compact(options) => {
            let sizes = compact::sizes(layout, log_rows);
            options.validate::<P>(&sizes)?;
            sizes.check_length(options, length)?;
        }
    }
    Ok(())
}

/// The rounds of proofs for this AIR with these options.
///
/// # Errors
/// Why the options are not possible for the AIR.
pub fn rounds<P: CosetProtocol>(air: &RecordedAir<P>, options: &AnyOptions) -> Result<Rounds, OptionsError> {
    match options {
        AnyOptions::Lambdaworks(options) => security::rounds(options, &shape_of(air)),
        AnyOptions::Compact(options) => {
            let sizes = compact::sizes(&air.layout(), air.log_trace_length());
            options.validate::<P>(&sizes)?;
            options.check_free_rows(&sizes, air.free_rows())?;
            format::security::rounds(options, &shape_of(air))
        }
    }
}

/// Decodes and verifies a proof of the format of its options.
///
/// # Errors
/// As [`verify_bytes`] or [`compact::verify_bytes`]; [`OptionsError::Seed`] for a seed where the format has none.
pub fn verify_any<P: CosetProtocol>(
    air: &RecordedAir<P>,
    options: &AnyOptions,
    seed: Seed<'_>,
    bytes: &[u8],
    policy: &Policy,
) -> Result<Verified, VerifyError> {
    match (options, seed) {
        (AnyOptions::Lambdaworks(options), seed) => verify_bytes(air, options, seed, bytes, policy),
        (AnyOptions::Compact(options), Seed::Default) => compact::verify_bytes(air, options, bytes, policy),
        (AnyOptions::Compact(_), Seed::Given(_)) => Err(OptionsError::Seed.into()),
    }
}
