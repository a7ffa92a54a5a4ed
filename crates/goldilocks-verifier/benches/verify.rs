//! Verification on one core: `cargo bench -p polystark-goldilocks-verifier`.
#![allow(missing_docs, reason = "criterion's macros define undocumented functions")]

use std::sync::Arc;

use air::airs::{ExampleAir, FibonacciRap, Wide};
use backend_cpu::Cpu;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use goldilocks_proof::{GoldilocksOptions, Seed, Suite, encode};
use goldilocks_verifier::{Policy, verify_bytes};
use gpu_hal::GoldilocksStark;
use prover_core::Silent;
use prover_core::goldilocks::Prover;

type P = GoldilocksStark;

fn bench_verify(c: &mut Criterion, name: &str, air: &Arc<dyn ExampleAir<P>>, suite: Suite) {
    let options = GoldilocksOptions { queries: 41, suite, ..GoldilocksOptions::default() };
    let id = BenchmarkId::new(name, suite.name());
    c.benchmark_group("decode and verify, blowup 4, 41 queries").bench_function(id, |b| {
        let backend = Arc::new(Cpu::<P>::new());
        let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
        let proof = prover.prove(&air.trace(), &options, Seed::Default, &Silent).expect("an honest trace");
        let bytes = encode(&proof);
        let (recorded, policy) = (prover.recorded(), Policy::ANY);
        b.iter(|| verify_bytes(recorded, &options, Seed::Default, &bytes, &policy).expect("a valid proof"));
    });
}

fn verification(c: &mut Criterion) {
    for log_rows in [12, 18] {
        let air = FibonacciRap::new(1 << log_rows, (1 << log_rows) - 1).expect("steps fit the rows");
        let air: Arc<dyn ExampleAir<P>> = Arc::new(air);
        for suite in [Suite::Keccak256, Suite::Poseidon2] {
            bench_verify(c, &format!("fibonacci-rap, log rows {log_rows}"), &air, suite);
        }
    }
    let air: Arc<dyn ExampleAir<P>> = Arc::new(Wide::new(1 << 14, 64, 3).expect("a shape that fits"));
    bench_verify(c, "wide, 64 columns, log rows 14", &air, Suite::Keccak256);
}

criterion_group!(benches, verification);
criterion_main!(benches);
