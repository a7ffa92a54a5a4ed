//! Circle proofs against the golden ones of the reference prover.

use backend_cpu::CpuReference;
use gpu_hal::CircleStark;

#[test]
fn golden_proofs_on_the_reference_backend() {
    let backend = CpuReference::<CircleStark>::new();
    let cases = golden::circle::proofs();
    assert_eq!(cases.len(), 16);
    // The nonce of one is beyond 2^32, which takes the reference minutes.
    for case in cases.iter().filter(|case| case.options.pow_bits <= 16) {
        golden::circle::check(&backend, case);
    }
}
