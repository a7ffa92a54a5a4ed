//! The measurements that `bench` makes of a protocol, where nothing else is asked for.

use circle_proof::{CircleOptions, Suite, VerifyError};
use sdk::goldilocks::lambdaworks;
use sdk::goldilocks::{AnyOptions, Contents};
use sdk::hal::CircleStark;
use sdk::{Airs, Error, Goldilocks3, ProofSystem, Proven, goldilocks, goldilocks_proof};

/// The measured proofs of a protocol.
pub(super) struct Benched<F: ProofSystem> {
    /// The AIR that is measured unless another one is named, if the program has it. Published measurements are of it.
    pub(super) air: &'static str,
    /// The options that are measured where no others are given.
    pub(super) options: F::Options,
    /// The nonce of a proof about one of the AIRs before its queries; 0 if it has none.
    pub(super) nonce: fn(&Airs<F>, &Proven<F>) -> Result<u64, Error>,
}

pub(super) const GOLDILOCKS: Benched<Goldilocks3> = Benched {
    air: "fibonacci-rap",
    options: AnyOptions::Lambdaworks(lambdaworks::Options {
        blowup: 4,
        queries: 41,
        grinding: 20,
        coset_offset: 3,
        suite: goldilocks_proof::Suite::Keccak256,
    }),
    nonce: |airs, proven| {
        let nonce = match goldilocks::decode_proof(airs, &proven.report.file)? {
            Contents::Lambdaworks(proof) => proof.nonce,
            // The last one stands before the queries.
            Contents::Compact { head, .. } if proven.report.options.grinding() > 0 => head.nonces.last().copied(),
            Contents::Compact { .. } => None,
        };
        Ok(nonce.unwrap_or(0))
    },
};

pub(super) const CIRCLE: Benched<CircleStark> = Benched {
    air: "fibonacci",
    options: CircleOptions {
        pow_bits: 20,
        log_blowup: 2,
        queries: 40,
        fold_step: 2,
        log_last: 0,
        lifting: None,
        suite: Suite::Blake2s,
    },
    nonce: |_, proven| {
        let proof = circle_proof::decode(proven.proof(), proven.report.options.suite).map_err(VerifyError::from)?;
        Ok(proof.proof_of_work)
    },
};
