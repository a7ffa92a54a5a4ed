//! The golden Circle proofs and digests: with every set of vector instructions of this machine, and with the best one
//! on one thread as well.

use std::sync::Arc;

use backend_cpu::{CpuOptions, SimdLevel};
use golden::circle::{Case, check, check_samples, digests, proofs};
use golden::slow_or_skip;
use gpu_hal::CircleStark;
use gpu_hal::erased::DeviceFrom;

fn check_all(cases: &[Case]) {
    let all = SimdLevel::available();
    // The last is the best.
    let others = if slow_or_skip("golden proofs by all but the best vector instructions") { 0 } else { all.len() - 1 };
    for (number, &simd) in all.iter().enumerate().skip(others) {
        // How the work is cut depends on no instruction.
        let is_best = number + 1 == all.len();
        for &threads in if is_best { &[1, 2][..] } else { &[2] } {
            let options = CpuOptions { threads: Some(threads), simd: Some(simd), ..CpuOptions::default() };
            let backend = Arc::new(CircleStark::device(&options).expect("two threads can be started"));
            cases.iter().for_each(|case| check(&backend, case));
        }
    }
}

#[test]
fn golden_proofs() {
    check_all(&proofs());
}

#[test]
fn samples_of_columns_that_nothing_reads() {
    check_samples(&Arc::new(CircleStark::device(&CpuOptions::default()).expect("no thread is started")));
}

#[test]
fn golden_digests() {
    check_all(&digests());
}
