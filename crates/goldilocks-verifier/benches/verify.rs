//! Verification on one core: `cargo bench -p polystark-goldilocks-verifier`.
#![allow(missing_docs, reason = "criterion's macros define undocumented functions")]

use std::sync::Arc;

use air::airs::{ExampleAir, FibonacciRap, Wide};
use backend_cpu::Cpu;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use goldilocks_proof::{FixedOptions, Seed, Suite, compact, encode, lambdaworks};
use goldilocks_verifier::{Policy, shape_of, verify_bytes};
use gpu_hal::GoldilocksStark;
use proof_format::Profile;
use prover_core::Silent;
use prover_core::goldilocks::Prover;

type P = GoldilocksStark;

fn bench_verify(c: &mut Criterion, name: &str, air: &Arc<dyn ExampleAir<P>>, suite: Suite) {
    let options = lambdaworks::Options { queries: 41, suite, ..lambdaworks::Options::default() };
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

/// Proofs of the compact format with 128 provable bits.
fn compact(c: &mut Criterion) {
    let mut group = c.benchmark_group("decode and verify, compact, provable-128, fibonacci-rap, log rows 20");
    let air = FibonacciRap::new(1 << 20, (1 << 20) - 1).expect("steps fit the rows");
    let air: Arc<dyn ExampleAir<P>> = Arc::new(air);
    let prover = Prover::new(Arc::new(Cpu::<P>::new()), air.clone()).expect("a sound AIR");
    let recorded = prover.recorded();
    let sizes = goldilocks_verifier::compact::sizes(&recorded.layout(), recorded.log_trace_length());
    for blowup in [4, 16] {
        let given = FixedOptions { blowup: Some(blowup), ..FixedOptions::default() };
        let common = lambdaworks::Options { blowup, ..lambdaworks::Options::default() };
        let base = compact::shortest(&common, &given, &sizes).expect("a shape that fits");
        let profile: Profile = "provable-128".parse().expect("a profile");
        let options = compact::cheapest(profile, &given, &base, &sizes, &shape_of(recorded)).expect("in reach");
        let proof = prover.prove(&air.trace(), &options, Default::default(), &Silent).expect("an honest trace");
        let bytes = compact::encode(&proof, &options);
        group.bench_function(BenchmarkId::from_parameter(format!("blowup {blowup}")), |b| {
            b.iter(|| {
                goldilocks_verifier::compact::verify_bytes(recorded, &options, &bytes, &Policy::ANY).expect("valid")
            });
        });
    }
}

criterion_group!(benches, verification, compact);
criterion_main!(benches);
