//! Merkle trees and nonce search at every level of this machine: `cargo bench -p polystark-backend-cpu --bench hash`.

use std::time::Duration;

use backend_cpu::SimdLevel;
use backend_cpu::goldilocks::hash::{keccak_grind, merkle_tree};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use field::Goldilocks;
use gpu_hal::HashFn;

const LOG_ROWS: u32 = 16;

fn trees(criterion: &mut Criterion) {
    for hash in [HashFn::Keccak256, HashFn::Poseidon2] {
        for width in [8, 64] {
            let table: Vec<Goldilocks> =
                field::powers(Goldilocks::new(0x1234_5678_9ABC_DEF1)).take(width << LOG_ROWS).collect();
            let columns: Vec<&[Goldilocks]> = table.chunks_exact(1 << LOG_ROWS).collect();
            let mut group = criterion.benchmark_group(format!("merkle {hash}, 2^{LOG_ROWS} x {width}"));
            group
                .sample_size(10)
                .measurement_time(Duration::from_secs(2))
                .throughput(Throughput::Elements(1 << LOG_ROWS));
            for level in SimdLevel::available() {
                group.bench_function(BenchmarkId::from_parameter(format!("{level:?}")), |bencher| {
                    bencher.iter(|| merkle_tree(level, hash, &columns, 1 << LOG_ROWS, 1).expect("a valid shape"));
                });
            }
        }
    }
}

fn nonces(criterion: &mut Criterion) {
    // The same nonces at every level: all up to the one found.
    let mut group = criterion.benchmark_group("grind, 20 bits");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    for level in SimdLevel::available() {
        group.bench_function(BenchmarkId::from_parameter(format!("{level:?}")), |bencher| {
            bencher.iter(|| keccak_grind(level, &[7; 32], 20, 0..1 << 52).expect("20 bits are found"));
        });
    }
}

criterion_group!(benches, trees, nonces);
criterion_main!(benches);
