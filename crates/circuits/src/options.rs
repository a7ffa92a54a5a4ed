//! The options of proofs of circuits, and those that no such proof has.

use circle_proof::{CircleOptions, Suite};

/// The hash functions that the verifier of circuits has.
pub(crate) const SUITE: Suite = Suite::Blake2sM31;

/// The options of Starknet's proofs of circuits: 96 bits, as stwo counts them. The circuit's gates of a kind are
/// `2^21` at most.
pub const STARKNET_OPTIONS: CircleOptions = CircleOptions {
    pow_bits: 26,
    log_blowup: 2,
    queries: 35,
    fold_step: 4,
    log_last: 0,
    lifting: Some(23),
    suite: SUITE,
};

/// Most bits of work whose check is a circuit.
const MAX_POW_BITS: u32 = 30;
/// Longer folds cost a verifier more than they save.
const MAX_FOLD_STEP: u32 = 8;

/// Options that no proof of a circuit has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// Hash functions that the verifier does not have.
    #[error("proofs of circuits can't have the hash functions {_0}, only {SUITE}")]
    Suite(Suite),
    /// Options without a height of the trees.
    #[error("proofs of circuits need a lifting: set it to log2 of the rows plus log2 of the blowup, or more")]
    NoLifting,
    /// Options that the published verifier is not made for.
    #[error(
        "the verifier of circuits takes a last layer of one coefficient, {MAX_POW_BITS} bits of work at most and folds of \
         2^{MAX_FOLD_STEP} at most: these are 2^{log_last}, {pow_bits} and 2^{fold_step}"
    )]
    Options {
        /// Log2 of the coefficients of the last layer.
        log_last: u32,
        /// Bits of the proof of work.
        pow_bits: u32,
        /// Log2 of the number by which a layer shrinks.
        fold_step: u32,
    },
}

/// Options that proofs of circuits can have.
pub(crate) fn check_options(options: &CircleOptions) -> Result<(), OptionsError> {
    match options {
        CircleOptions { suite, .. } if *suite != SUITE => Err(OptionsError::Suite(*suite)),
        CircleOptions { lifting: None, .. } => Err(OptionsError::NoLifting),
        &CircleOptions { log_last, pow_bits, fold_step, .. }
            if log_last != 0 || pow_bits > MAX_POW_BITS || fold_step > MAX_FOLD_STEP =>
        {
            Err(OptionsError::Options { log_last, pow_bits, fold_step })
        }
        _ => Ok(()),
    }
}
