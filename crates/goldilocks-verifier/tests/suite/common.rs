//! The golden vectors with their statements.

use air::{RecordedAir, record};
use golden::goldilocks::vector;
pub(crate) use golden::goldilocks::{BASE, Base, Cubic};
use goldilocks_proof::{Proof, decode, lambdaworks};
use goldilocks_verifier::{Policy, Seed, Verified, VerifyError, verify};
use gpu_hal::CosetProtocol;

/// A golden proof with its statement.
pub(crate) struct Case<P: CosetProtocol> {
    pub(crate) name: String,
    pub(crate) air: RecordedAir<P>,
    pub(crate) options: lambdaworks::Options,
    pub(crate) seed: Vec<u8>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) proof: Proof<P>,
}

impl<P: CosetProtocol> Case<P> {
    pub(crate) fn verify(&self, proof: &Proof<P>) -> Result<Verified, VerifyError> {
        verify(&self.air, &self.options, Seed::Given(&self.seed), proof, &Policy::ANY)
    }
}

/// A vector by its name.
pub(crate) fn case<P: CosetProtocol>(name: &str) -> Case<P> {
    let golden::goldilocks::Vector { case, proof: bytes, .. } = vector(name);
    Case {
        air: record::<P, _>(&*case.air()).expect("valid"),
        proof: decode::<P>(&bytes).expect("an encoding"),
        name: case.name,
        options: case.options,
        seed: case.seed,
        bytes,
    }
}

/// The vectors with challenges in the cubic extension.
pub(crate) const CUBIC: [&str; 11] = [
    "fibrap_fp3_n32_s16_b4_q3_c3_g1",
    "fibrap_fp3_n16_s15_b2_q5_c7_g0",
    "fibrap_fp3_n64_s40_b8_q4_c3_g8_seed",
    "fibrap_fp3_n32_s31_b4_q3_c3_g1_parts2",
    "simple-fibonacci_n16_b4_q3_c3_g1",
    "fibonacci-2-columns_n16_b4_q3_c3_g1",
    "quadratic_n16_b4_q3_c3_g1",
    "periodic_n16_b4_q3_c3_g1",
    "read-only-memory_n16_b4_q3_c3_g1",
    "read-only-memory-logup_n16_b4_q3_c3_g1",
    "bit-flags_n32_b4_q3_c3_g1",
];

/// All vectors over the cubic extension.
pub(crate) fn cubic() -> impl Iterator<Item = Case<Cubic>> {
    CUBIC.into_iter().map(case)
}
