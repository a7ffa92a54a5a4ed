//! The larger golden proofs, by digest, on every CPU backend.

mod common;

use std::sync::Arc;

use backend_cpu::Cpu;
use backend_reference::CpuReference;
use common::{Row, rows};
use gpu_hal::{GoldilocksStark, StarkBackend};
use proof::Seed;
use prover_core::{Prover, Silent};
use sha2::{Digest, Sha256};

fn check<B: StarkBackend<P = GoldilocksStark>>(backend: &Arc<B>, row: &Row) {
    let air = air::airs::build::<GoldilocksStark>(&row.air, row.rows, &row.params).expect("a golden statement");
    let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    let proof = prover.prove(&air.trace(), &row.options, Seed::Given(&row.seed), &Silent).expect("an honest trace");
    let bytes = proof::encode(&proof);
    assert_eq!(bytes.len(), row.proof_len, "{row:?}");
    assert_eq!(hex::encode(Sha256::digest(&bytes)), row.sha256, "{row:?}");
}

#[test]
fn every_digest_on_the_reference() {
    let backend = Arc::new(CpuReference::<GoldilocksStark>::new());
    rows().iter().for_each(|row| check(&backend, row));
}

#[test]
fn every_digest_on_one_and_two_threads() {
    for threads in [1, 2] {
        let backend = Arc::new(Cpu::<GoldilocksStark>::with_threads(threads).expect("a thread pool"));
        rows().iter().for_each(|row| check(&backend, row));
    }
}
