//! Whole proofs on the CPU: `cargo bench -p polystark-prover-core`.
#![allow(missing_docs, reason = "criterion's macros define undocumented functions")]

use std::sync::Arc;

use air::airs::ExampleAir;
use air::airs::{FibonacciRap, Wide};
use backend_cpu::Cpu;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use goldilocks_proof::{Seed, Suite, lambdaworks};
use gpu_hal::GoldilocksStark;
use prover_core::Silent;
use prover_core::goldilocks::Prover;

type P = GoldilocksStark;

fn options(queries: u32, suite: Suite) -> lambdaworks::Options {
    lambdaworks::Options { blowup: 4, queries, grinding: 1, coset_offset: 3, suite }
}

fn fibonacci_rap(c: &mut Criterion) {
    let mut group = c.benchmark_group("fibonacci-rap, blowup 4, 3 queries");
    group.sample_size(10);
    let backend = Arc::new(Cpu::<P>::new());
    for log_rows in [14, 16, 18] {
        for suite in [Suite::Keccak256, Suite::Poseidon2] {
            let rows = 1u64 << log_rows;
            let air = Arc::new(FibonacciRap::new(rows, rows - 1).expect("steps fit the rows"));
            let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
            let trace = ExampleAir::<P>::trace(&*air);
            let options = options(3, suite);
            group.bench_function(BenchmarkId::new(suite.name(), format!("2^{log_rows}")), |b| {
                b.iter(|| prover.prove(&trace, &options, Seed::Default, &Silent).expect("an honest trace"));
            });
        }
    }
    group.finish();
}

fn wide(c: &mut Criterion) {
    let mut group = c.benchmark_group("wide, 64 columns, degree 3, blowup 4, 41 queries");
    group.sample_size(10);
    let backend = Arc::new(Cpu::<P>::new());
    for log_rows in [12, 14] {
        let air = Arc::new(Wide::new(1 << log_rows, 64, 3).expect("a shape that fits"));
        let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
        let trace = ExampleAir::<P>::trace(&*air);
        let options = options(41, Suite::Keccak256);
        group.bench_function(format!("2^{log_rows}"), |b| {
            b.iter(|| prover.prove(&trace, &options, Seed::Default, &Silent).expect("an honest trace"));
        });
    }
    group.finish();
}

criterion_group!(benches, fibonacci_rap, wide);
criterion_main!(benches);
