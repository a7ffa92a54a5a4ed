//! Row programs: random ones, and counters that several threads count in.

use std::marker::PhantomData;

use backend_cpu::CpuOptions;
use backend_reference::{CpuReference, ReferenceProtocol};
use field::PrimeField;
use gpu_hal::erased::{Device, DeviceFrom};
use gpu_hal::ir::RowRecorder;
use gpu_hal::{CircleStark, GoldilocksStark, StarkBackend};
use hal_conformance::{HostTable, Random, RowCase, random_rows};

use crate::fast::compare::{Case, backends, compare, words};

struct Rows<P: DeviceFrom<CpuOptions>>(RowCase<P::Base>, PhantomData<P>);

impl<P: DeviceFrom<CpuOptions>> Case for Rows<P> {
    type P = P;

    fn run(&self, backend: &Device<P>) -> Vec<u64> {
        let (made, counters) = self.0.run(backend).expect("no fault");
        let tables = made.lists.iter().chain([&made.columns]).chain(&counters);
        tables.flat_map(|table| words(backend, table)).collect()
    }
}

fn check<P: DeviceFrom<CpuOptions> + ReferenceProtocol>(name: &str, cases: impl IntoIterator<Item = RowCase<P::Base>>)
where
    CpuReference<P>: StarkBackend<P = P>,
{
    let backends = backends();
    for (number, case) in cases.into_iter().enumerate() {
        compare(&format!("{name} {number}"), &Rows::<P>(case, PhantomData), &backends);
    }
}

/// Heights below a block, of one block, of several blocks and of several tasks.
fn random<F: PrimeField>() -> impl Iterator<Item = RowCase<F>> {
    (0..60).map(|seed| {
        let log_height = [0, 3, 6, 7, 8, 11][seed as usize % 6];
        random_rows(&mut Random::new(seed), log_height, if log_height > 8 { 12 } else { 60 })
    })
}

#[test]
fn random_row_programs() {
    check::<CircleStark>("circle rows", random());
    check::<GoldilocksStark>("goldilocks rows", random());
}

/// A program that counts 16 places of each of two counters, half of them the same one, in a counter of few places that
/// each thread copies and one of many that all share. All elements are the field's last before.
fn counting<F: PrimeField>(log_height: u32) -> RowCase<F> {
    let recorder = RowRecorder::new(0);
    let (few, many) = (recorder.counter(), recorder.counter());
    for k in 0..8 {
        let hash = (recorder.row() + k) * 0x9e37_79b9;
        recorder.count(few, recorder.pack(&[hash >> 27, recorder.word(7)]));
        recorder.count_if(many, recorder.pack(&[hash >> 14, recorder.word(k)]), hash & 3);
    }
    let program = recorder.finish().expect("a small program");
    let last = |width: usize, log_height: u32| HostTable {
        elements: vec![F::from_u64(F::ORDER - 1); width << log_height],
        width,
        log_height,
    };
    let counters = vec![last(2, 4), last(1, 18)];
    RowCase { program, source: Vec::new(), period: 0, tables: Vec::new(), counters, log_height }
}

#[test]
fn counters_of_all_sizes_wrap_at_the_order() {
    check::<CircleStark>("circle counters", [2, 9, 13].map(counting));
    check::<GoldilocksStark>("goldilocks counters", [2, 9, 13].map(counting));
}
