//! One extension by several devices: what each of them has is what one would have made alone. (A device with one queue hands pieces over
//! in order; that two queues wait for each other is for a GPU to show.)

use backend_emulated::{Emulated, NAME, device};
use backend_reference::{CpuReference, ReferenceProtocol};
use field::{Field, Goldilocks};
use gpu_hal::{Basis, CircleDomain, CircleStark, CosetDomain, Domain, DomainOf, EvalOrder, Protocol, StarkBackend};
use gpu_runtime::GpuProtocol;
use hal_conformance::{Random, TestProtocol};

use golden::goldilocks::Cubic;

const LOG_ROWS: u32 = 12;
const WIDTH: usize = 9;

fn check<P>(count: usize, from: P::Domain, order: EvalOrder, to: P::Domain)
where
    P: Protocol + GpuProtocol + ReferenceProtocol + TestProtocol,
{
    let mut random = Random::new(count as u64);
    let data: Vec<P::Base> = (0..WIDTH << LOG_ROWS).map(|_| random.base()).collect();
    let from: Basis<DomainOf<CpuReference<P>>> = Basis::Evaluations { domain: from, order };
    let blocks: Vec<_> =
        (0..count as u32).map(|b| to.block(to.log_size() - count.ilog2(), b).expect("a block")).collect();
    let reference = CpuReference::<P>::new();
    let rows = reference.upload(&data, WIDTH, LOG_ROWS).expect("canonical");
    let devices: Vec<_> =
        (0..count).map(|_| Emulated::<P>::new(NAME, device().expect("a C++ compiler")).expect("a backend")).collect();
    assert!(gpu_hal::Operations::shares_lde(&devices[0], WIDTH, LOG_ROWS), "nothing is shared here");
    let tables: Vec<_> = devices.iter().map(|on| on.upload(&data, WIDTH, LOG_ROWS).expect("canonical")).collect();
    let tables: Vec<_> = tables.iter().map(|table| table.as_ref()).collect();
    let others: Vec<_> = devices[1..].iter().collect();
    let shared = gpu_hal::Operations::lde_shared(&devices[0], &others, &tables, from, &blocks).expect("memory");
    for ((device, made), block) in devices.iter().zip(&shared).zip(blocks) {
        let expected = reference.lde(rows.as_ref(), from, block).expect("a table");
        let expected = reference.download(expected.as_ref(), 0..block.points().len()).expect("all rows");
        let got = device.download(made.as_ref(), 0..block.points().len()).expect("all rows");
        assert!(got == expected, "{block:?} of {count} devices differs");
    }
}

#[test]
fn columns_of_goldilocks() {
    let rows = CosetDomain::new(Goldilocks::ONE, LOG_ROWS);
    let to = CosetDomain::new(Goldilocks::new(3), LOG_ROWS + 2);
    check::<Cubic>(2, rows, EvalOrder::Row, to);
    check::<Cubic>(4, to.block(LOG_ROWS, 1).expect("a block"), EvalOrder::Storage, to);
}

#[test]
fn columns_of_the_circle() {
    let (rows, to) = (CircleDomain::canonic(LOG_ROWS), CircleDomain::canonic(LOG_ROWS + 1));
    check::<CircleStark>(2, rows, EvalOrder::Row, to);
    check::<CircleStark>(2, CircleDomain::prefix_of(LOG_ROWS + 1, LOG_ROWS), EvalOrder::Storage, to);
}
