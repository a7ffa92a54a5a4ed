//! Works of operations and of proofs, for tests.

use backend_reference::CpuReference;
use golden::runs::{rehearsed, rehearsed_circle};
use goldilocks_proof::lambdaworks;
use gpu_hal::decorate::MeterReport;
use gpu_hal::op::{self, Cost, NoTypes, Op};
use gpu_hal::rehearsal::Step;
use gpu_hal::work::Work;
use gpu_hal::{Basis, CircleStark, Columns, EvalOrder, HashFn, Leaves, Operation};

use crate::Goldilocks3;
use crate::measurable::Measurable;

/// 2^28 elements.
const ELEMENTS: f64 = (1u64 << 28) as f64;

fn work<P: Measurable, O: Op>(args: &O::Args<'_, NoTypes<P>>, levels: u32) -> Work {
    let [cost] = &O::costs(args)[..] else { panic!("one call") };
    Work::of(&P::PRICES, cost, 0, levels)
}

fn storage<P: Measurable>(log: u32) -> Basis<P::Domain> {
    Basis::Evaluations { domain: P::domain(log), order: EvalOrder::Storage }
}

pub(crate) fn ntt<P: Measurable>(width: usize, log: u32, levels: u32) -> Work {
    work::<P, op::Ntt>(&(Columns::new(&mut (), width, log), Basis::Coefficients, storage::<P>(log)), levels)
}

fn lde<P: Measurable>(width: usize, log: u32, from: Basis<P::Domain>, levels: u32) -> Work {
    work::<P, op::Lde>(&(Columns::new(&(), width, log), from, P::domain(log + 2)), levels)
}

pub(crate) fn merkle<P: Measurable>(hash: HashFn, width: usize, log_height: u32) -> Work {
    let leaves = Leaves { rows_per_leaf: 1, log_height, log_parts: 0 };
    work::<P, op::Merkle>(&(&[Columns::new(&(), width, log_height)], leaves, hash), 8)
}

pub(crate) fn fold<P: Measurable>(log: u32) -> Work {
    let domain = P::domain(log);
    let folded = gpu_hal::Domain::folded(&domain).unwrap();
    let layer = Columns::new(&(), P::DEGREE, log);
    work::<P, op::FriFold>(&(layer, domain, folded, field::Field::ONE), 8)
}

pub(crate) fn download<P: Measurable>(width: usize, log: u32) -> Work {
    work::<P, op::Download>(&(Columns::new(&(), width, log), 0..1 << log), 8)
}

#[test]
fn transforms_take_whole_passes() {
    let three = ntt::<Goldilocks3>(16, 24, 8);
    assert_eq!(three.bytes, 3.0 * 2.0 * 8.0 * ELEMENTS);
    assert_eq!(three.products, 5.0 * ELEMENTS);
    assert_eq!(ntt::<Goldilocks3>(256, 20, 8).bytes, three.bytes);
    assert_eq!(ntt::<Goldilocks3>(1, 3, 8).bytes, 2.0 * 8.0 * 8.0);
    assert_eq!(ntt::<Goldilocks3>(1, 16, 16).bytes, 2.0 * 8.0 * 65536.0);
}

#[test]
fn an_extension_reads_only_what_is_there() {
    let coefficients = lde::<Goldilocks3>(64, 20, Basis::Coefficients, 8);
    // A quarter read, all written, then two passes.
    assert_eq!(coefficients.bytes, 8.0 * ELEMENTS * (0.25 + 1.0 + 4.0));
    let values = lde::<Goldilocks3>(64, 20, Goldilocks3::rows(20), 8);
    assert_eq!(values.bytes, coefficients.bytes + 8.0 * ELEMENTS * 0.25 * 4.0);
}

#[test]
fn hashes_have_prices() {
    let leaves = 1024.0;
    let keccak = merkle::<Goldilocks3>(HashFn::Keccak256, 8, 10);
    assert_eq!((keccak.keccak, keccak.bytes), (2.0 * leaves - 1.0, 64.0 * leaves + 32.0 * (leaves / 4.0 - 1.0)));
    assert_eq!(merkle::<Goldilocks3>(HashFn::Poseidon2, 4, 0).products, 344.0 * 14.0 / 19.0);
    let search =
        |hash, nonce| Work::of(&CircleStark::PRICES, &Cost { search: Some(hash), ..Cost::default() }, nonce, 8);
    assert_eq!(search(HashFn::Keccak256, 0).keccak, 1.0);
    assert_eq!(search(HashFn::Keccak256, 1 << 33).keccak, 8589934593.0);
    assert_eq!(search(HashFn::Blake2s, (1 << 20) - 1).blake2s, f64::from(1 << 20));
    // After the last low word comes the next high one.
    assert_eq!(search(HashFn::Blake2s, 1 << 32).blake2s, f64::from((1 << 20) + 1));
}

#[test]
fn elements_of_the_circle_are_half_as_long() {
    assert_eq!(ntt::<CircleStark>(16, 24, 8).bytes, 3.0 * 2.0 * 4.0 * ELEMENTS);
    assert_eq!(ntt::<CircleStark>(16, 24, 8).products, 12.0 * ELEMENTS);
    assert_eq!(fold::<CircleStark>(10).bytes, 6.0 * 4.0 * 1024.0);
    let tree = merkle::<CircleStark>(HashFn::Blake2s, 64, 10);
    assert_eq!((tree.bytes, tree.blake2s), (256.0 * 1024.0 + 32.0 * 255.0, 5.0 * 1024.0 - 1.0));
}

/// The link carries the bytes of the works, to the device and to the host.
fn check<P: Measurable>(steps: &[Step], meter: &MeterReport, what: &str) {
    let link = |of: &[Operation]| -> f64 {
        let steps = steps.iter().filter(|step| of.contains(&step.operation));
        steps.map(|step| Work::of(&P::PRICES, &step.cost, 0, 8).link_bytes).sum()
    };
    let uploads = [Operation::Upload, Operation::UploadLde];
    let uploaded: u64 = uploads.iter().map(|operation| meter.of(*operation).uploaded).sum();
    let downloaded = meter.of(Operation::Download).downloaded;
    assert_eq!(link(&uploads), uploaded as f64, "{what}: to the device");
    assert_eq!(link(&[Operation::Download]), downloaded as f64, "{what}: to the host");
    assert_eq!(link(Operation::ALL), (uploaded + downloaded) as f64, "{what}: no other operation");
}

#[test]
fn the_works_are_those_of_a_goldilocks_proof() {
    let options = lambdaworks::Options {
        blowup: 8,
        queries: 5,
        grinding: 3,
        coset_offset: 3,
        suite: goldilocks_proof::Suite::Keccak256,
    };
    rehearsed(CpuReference::<Goldilocks3>::new, &options, |rehearsal, backend, _, what| {
        check::<Goldilocks3>(&rehearsal.steps, &backend.snapshot(), what);
    });
}

#[test]
fn the_works_are_those_of_a_circle_proof() {
    rehearsed_circle(CpuReference::<CircleStark>::new, 5, |rehearsal, backend, _, what| {
        check::<CircleStark>(&rehearsal.steps, &backend.snapshot(), what);
    });
}
