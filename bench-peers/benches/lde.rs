//! Low-degree extension by 4 of Goldilocks columns: ours against Plonky3's `Radix2DitParallel`.
//!
//! Both start from the trace in natural order and end with evaluations in bit-reversed order, each in its own layout:
//! ours column by column, Plonky3's row by row. Both allocate their output inside the timing. After the groups of
//! criterion it prints the ratio of the medians of interleaved runs, which is what to quote: neighbours on the machine
//! slow both alike.

use std::hint::black_box;
use std::time::{Duration, Instant};

use backend_cpu::SimdLevel;
use backend_cpu::goldilocks::ntt::{self, EvalOrder, LdeInput};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use field::{Field, Goldilocks};
use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_matrix::Matrix;
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;

type Peer = p3_goldilocks::Goldilocks;

const LOG_BLOWUP: u32 = 2;
const SHAPES: [(u32, usize); 3] = [(18, 8), (16, 64), (20, 2)];

fn shift() -> Goldilocks {
    Goldilocks::new(7)
}

fn trace(log_n: u32, width: usize) -> Vec<Goldilocks> {
    field::powers(Goldilocks::new(0x1234_5678_9ABC_DEF1)).take(width << log_n).collect()
}

fn peer_trace(trace: &[Goldilocks], width: usize) -> RowMajorMatrix<Peer> {
    let n = trace.len() / width;
    let values = (0..trace.len()).map(|i| Peer::from_u64(trace[i % width * n + i / width].value())).collect();
    RowMajorMatrix::new(values, width)
}

fn ours(level: SimdLevel, trace: &[Goldilocks], log_n: u32, width: usize) -> Vec<Goldilocks> {
    let mut out: Vec<Goldilocks> = bytemuck::zeroed_vec(trace.len() << LOG_BLOWUP);
    let input = LdeInput::Evaluations(trace, EvalOrder::Natural);
    ntt::lde(level, input, width, log_n, LOG_BLOWUP, shift(), &mut out).expect("valid sizes");
    out
}

fn theirs(dft: &Radix2DitParallel<Peer>, trace: RowMajorMatrix<Peer>) -> RowMajorMatrix<Peer> {
    dft.coset_lde_batch(trace, LOG_BLOWUP as usize, Peer::from_u64(shift().value()))
        .bit_reverse_rows()
        .to_row_major_matrix()
}

/// Both libraries must compute the same thing.
fn check(found: &[Goldilocks], expected: &RowMajorMatrix<Peer>) {
    let (width, height) = (expected.width(), expected.height());
    for (i, value) in found.iter().enumerate() {
        let peer = expected.values[i % height * width + i / height];
        assert_eq!(value.value(), peer.as_canonical_u64());
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn lde(c: &mut Criterion) {
    let level = SimdLevel::detect();
    let dft = Radix2DitParallel::<Peer>::default();
    let mut summary = Vec::new();
    for (log_n, width) in SHAPES {
        let data = trace(log_n, width);
        let peer_data = peer_trace(&data, width);
        check(&ours(level, &data, log_n, width), &theirs(&dft, peer_data.clone()));

        let mut group = c.benchmark_group("lde_x4");
        group.sample_size(10);
        group.throughput(Throughput::Elements((data.len() << LOG_BLOWUP) as u64));
        let shape = format!("2^{log_n}x{width}");
        group.bench_function(BenchmarkId::new("ours", &shape), |b| {
            b.iter(|| ours(level, black_box(&data), log_n, width));
        });
        group.bench_function(BenchmarkId::new("p3", &shape), |b| {
            b.iter_batched(
                || peer_data.clone(),
                |data| theirs(&dft, black_box(data)),
                criterion::BatchSize::LargeInput,
            );
        });
        group.finish();

        let (mut our_times, mut peer_times) = (Vec::new(), Vec::new());
        for _ in 0..21 {
            let start = Instant::now();
            black_box(ours(level, black_box(&data), log_n, width));
            our_times.push(start.elapsed());
            let input = peer_data.clone();
            let start = Instant::now();
            black_box(theirs(&dft, black_box(input)));
            peer_times.push(start.elapsed());
        }
        let (our, peer) = (median(our_times), median(peer_times));
        summary.push(format!(
            "lde x4 {shape:>8}: ours {our:>9.3?} ({level:?})  p3 {peer:>9.3?}  ratio p3/ours {:.2}",
            peer.as_secs_f64() / our.as_secs_f64()
        ));
    }
    for line in summary {
        println!("{line}");
    }
}

criterion_group!(benches, lde);
criterion_main!(benches);
