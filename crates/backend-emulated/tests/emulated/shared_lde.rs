//! One extension by several devices: each of them has what one would have made alone. (A device with one queue hands
//! pieces over in order; that two queues wait for each other is for a GPU to show.)

use std::sync::Arc;

use backend_emulated::{Emulated, NAME, device};
use backend_reference::{CpuReference, ReferenceProtocol};
use field::{Field, Goldilocks};
use gpu_hal::erased::Device;
use gpu_hal::{
    BaseOf, Basis, CircleDomain, CircleStark, CosetDomain, Domain, DomainOf, ErrorKind, EvalOrder, PlacementOperations,
    Protocol, StarkBackend,
};
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
    let open = |_| Emulated::<P>::new(NAME, device().expect("a C++ compiler")).expect("a backend");
    let expected: Vec<_> = blocks
        .iter()
        .map(|block| {
            let extended = reference.lde(rows.as_ref(), from, *block).expect("a table");
            reference.download(extended.as_ref(), 0..block.points().len()).expect("all rows")
        })
        .collect();
    check_on(&(0..count).map(open).collect::<Vec<_>>(), &data, from, &blocks, &expected);
    // Devices as values share as their backends do.
    let values: Vec<_> = (0..count).map(|number| Device::new(Arc::new(open(number)))).collect();
    check_on(&values, &data, from, &blocks, &expected);
}

fn check_on<B: gpu_hal::Operations>(
    devices: &[B],
    data: &[BaseOf<B::T>],
    from: Basis<DomainOf<B::T>>,
    blocks: &[DomainOf<B::T>],
    expected: &[Vec<BaseOf<B::T>>],
) {
    assert!((devices[0].placement().shares_lde)(WIDTH, LOG_ROWS), "nothing is shared here");
    let tables: Vec<_> = devices.iter().map(|on| on.upload(data, WIDTH, LOG_ROWS).expect("canonical")).collect();
    let tables: Vec<_> = tables.iter().map(|table| table.as_ref()).collect();
    let others: Vec<_> = devices[1..].iter().collect();
    let shared = devices[0].lde_shared(&others, &tables, from, blocks).expect("memory");
    for (((device, made), block), expected) in devices.iter().zip(&shared).zip(blocks).zip(expected) {
        let got = device.download(made.as_ref(), 0..made.height()).expect("all rows");
        assert!(got == *expected, "{block:?} of {} devices differs", devices.len());
    }
    let columns: Vec<_> = data.chunks(1 << LOG_ROWS).collect();
    // Some of four devices are sent none of two columns.
    for width in [WIDTH, 2] {
        assert!((devices[0].placement().shares_uploads)(width, LOG_ROWS), "nothing is shared here");
        let columns = (&columns[..width], LOG_ROWS);
        let uploaded = devices[0].upload_lde_shared(&others, columns, from, blocks, 1).expect("memory");
        for (number, (device, (rows, made))) in devices.iter().zip(&uploaded).enumerate() {
            let got = device.download(made.as_ref(), 0..made.height()).expect("all rows");
            assert!(got == expected[number][..width * made.height()], "{width} columns, device {number}");
            // The first alone keeps its rows, which have all columns.
            assert_eq!(rows.is_some(), number == 0);
            if let Some(rows) = rows {
                assert!(
                    device.download(rows.as_ref(), 0..rows.height()).expect("all rows") == data[..width << LOG_ROWS]
                );
            }
        }
    }
}

/// An element that is not canonical is refused, whichever device is sent its column, and the next upload is right.
#[test]
fn what_is_not_canonical_is_refused() {
    let devices = [(); 2].map(|()| Emulated::<Cubic>::new(NAME, device().expect("a C++ compiler")).expect("a backend"));
    let to = CosetDomain::new(Goldilocks::new(3), LOG_ROWS + 1);
    let blocks = [0, 1].map(|block| to.block(LOG_ROWS, block).expect("a block"));
    let uploaded = |wrong: Option<usize>| {
        let mut columns = vec![vec![Goldilocks::new(7); 1 << LOG_ROWS]; WIDTH];
        if let Some(wrong) = wrong {
            columns[wrong][5] = bytemuck::cast(u64::MAX);
        }
        let columns: Vec<&[Goldilocks]> = columns.iter().map(Vec::as_slice).collect();
        let uploaded =
            devices[0].upload_lde_shared(&[&devices[1]], (&columns, LOG_ROWS), Basis::Coefficients, &blocks, 0);
        uploaded.map(|uploaded| devices[1].download(uploaded[1].1.as_ref(), 0..1).expect("a row").len())
    };
    for wrong in [0, WIDTH - 1] {
        let (device, error) = uploaded(Some(wrong)).expect_err("it is not canonical");
        assert_eq!((device, error.kind), (usize::from(wrong > 0), ErrorKind::InvalidArgument), "{error}");
        // As one device says it.
        let element = (wrong << LOG_ROWS) + 5;
        assert!(error.detail.contains(&format!("element {element} ")), "{error}");
    }
    assert_eq!(uploaded(None).expect("all are canonical"), WIDTH);
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
