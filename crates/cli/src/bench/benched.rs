//! The parts of a protocol that `bench` needs.

use bench::Measurable;
use circle_proof::{CircleOptions, Suite, VerifyError};
use sdk::hal::CircleStark;
use sdk::{Error, Goldilocks3, ProofOptions, Proven, circle, goldilocks, goldilocks_proof};

use crate::protocol::CommandLine;

/// A proof system whose proofs are measured.
pub(super) trait Benched: CommandLine + Measurable {
    /// The AIR that is measured unless another one is named, if the program has it. Published measurements are of it.
    const AIR: &'static str;
    /// The options that are measured where no others are given.
    const OPTIONS: Self::Options;

    /// The nonce of a proof; 0 if it has none.
    fn nonce(proven: &Proven<Self>) -> Result<u64, Error>;
}

impl Benched for Goldilocks3 {
    const AIR: &'static str = "fibonacci-rap";
    const OPTIONS: ProofOptions = ProofOptions {
        blowup: 4,
        queries: 41,
        grinding: 20,
        coset_offset: 3,
        suite: goldilocks_proof::Suite::Keccak256,
    };

    fn nonce(proven: &goldilocks::Proven) -> Result<u64, Error> {
        Ok(goldilocks_proof::decode::<Self>(proven.proof()).map_err(Error::Proof)?.nonce.unwrap_or(0))
    }
}

impl Benched for CircleStark {
    const AIR: &'static str = "fibonacci";
    const OPTIONS: CircleOptions = CircleOptions {
        pow_bits: 20,
        log_blowup: 2,
        queries: 40,
        fold_step: 2,
        log_last: 0,
        lifting: None,
        suite: Suite::Blake2s,
    };

    fn nonce(proven: &circle::Proven) -> Result<u64, Error> {
        Ok(circle_proof::decode(proven.proof(), proven.report.options.suite).map_err(VerifyError::from)?.proof_of_work)
    }
}
