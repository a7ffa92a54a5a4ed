//! Transforms and low-degree extension at every level of this machine.

use std::hint::black_box;

use backend_cpu::SimdLevel;
use backend_cpu::goldilocks::ntt::{self, EvalOrder, LdeInput};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use field::{Field, Goldilocks};

fn columns(length: usize) -> Vec<Goldilocks> {
    field::powers(Goldilocks::new(7)).take(length).collect()
}

fn benches(c: &mut Criterion) {
    let shift = Goldilocks::new(7);
    let mut group = c.benchmark_group("forward");
    group.sample_size(20);
    for (log_n, width) in [(9, 64), (12, 64), (16, 8), (18, 8), (20, 2)] {
        let mut data = columns(width << log_n);
        group.throughput(Throughput::Elements(data.len() as u64));
        for level in SimdLevel::available() {
            group.bench_function(BenchmarkId::new(format!("{level:?}"), format!("2^{log_n}x{width}")), |b| {
                b.iter(|| {
                    ntt::forward(level, black_box(&mut data), width, log_n, shift).expect("valid sizes");
                });
            });
        }
    }
    group.finish();

    let mut group = c.benchmark_group("lde_x4");
    group.sample_size(20);
    for (log_n, width) in [(16, 64), (18, 8), (20, 2)] {
        let data = columns(width << log_n);
        let mut out = vec![Goldilocks::ZERO; data.len() * 4];
        group.throughput(Throughput::Elements(out.len() as u64));
        for level in SimdLevel::available() {
            group.bench_function(BenchmarkId::new(format!("{level:?}"), format!("2^{log_n}x{width}")), |b| {
                b.iter(|| {
                    let input = LdeInput::Evaluations(black_box(&data), EvalOrder::Natural);
                    ntt::lde(level, input, width, log_n, 2, shift, black_box(&mut out)).expect("valid sizes");
                });
            });
        }
    }
    group.finish();
}

criterion_group!(ntt_benches, benches);
criterion_main!(ntt_benches);
