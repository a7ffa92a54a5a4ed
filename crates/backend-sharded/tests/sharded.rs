//! Several devices as one: the suite that any backend must pass, whole proofs, and devices that fail. The devices are references, which
//! take blocks of all domains; a block may be as small as can be, so that small tables are cut, too.

use std::sync::Arc;

use backend_reference::{CpuReference, ReferenceProtocol};
use backend_sharded::Sharded;
use field::{Field, Fp3, Goldilocks};
use golden::goldilocks::Cubic;
use gpu_hal::{
    Basis, CircleStark, CosetDomain, ErrorKind, EvalAt, EvalOrder, Fault, Faulty, HashFn, Metered, Operation, Result,
    StarkBackend,
};
use hal_conformance::{Random, session};
use proof::Seed;
use prover_core::{Silent, goldilocks as coset};

fn make<P: ReferenceProtocol>(count: usize) -> Result<Sharded<CpuReference<P>>> {
    let devices = (0..count).map(|_| CpuReference::new()).collect();
    Ok(Sharded::new(devices)?.with_least_rows(1))
}

/// The suite uploads what it gives to operations: cut, so that these meet blocks.
fn make_cut<P: ReferenceProtocol>(count: usize) -> Result<Sharded<CpuReference<P>>> {
    Ok(make(count)?.with_cut_uploads())
}

mod goldilocks {
    hal_conformance::goldilocks!(|| super::make::<super::Cubic>(2), "2 x cpu-reference");
}

mod goldilocks_cut {
    hal_conformance::goldilocks!(|| super::make_cut::<super::Cubic>(4), "4 x cpu-reference");
}

mod circle_cut {
    hal_conformance::circle!(|| super::make_cut::<super::CircleStark>(2), "2 x cpu-reference");
}

mod circle_cut_in_four {
    hal_conformance::circle!(|| super::make_cut::<super::CircleStark>(4), "4 x cpu-reference");
}

/// Every device has had its part.
fn all_took_part<P: ReferenceProtocol>(backend: &Sharded<CpuReference<P>>) {
    let peaks = backend.devices().iter().map(|device| device.memory().expect("counted").peak);
    assert!(peaks.clone().all(|peak| peak > 0), "a device has done nothing: peaks {:?}", peaks.collect::<Vec<_>>());
}

/// With as many devices as the blowup at most, and with more, which leaves all to the first.
#[test]
fn golden_proofs_of_goldilocks() {
    for count in [2, 4, 8] {
        let backend = Arc::new(make::<Cubic>(count).expect("a power of two"));
        let vectors = golden::goldilocks::vectors();
        vectors.iter().filter(|vector| !vector.is_base()).for_each(|v| golden::goldilocks::check(&backend, &v.case));
        all_took_part(&backend);
    }
}

#[test]
fn golden_proofs_of_circle() {
    for count in [2, 4] {
        let backend = Arc::new(make::<CircleStark>(count).expect("a power of two"));
        golden::circle::proofs().iter().for_each(|case| golden::circle::check(&backend, case));
        all_took_part(&backend);
    }
}

/// The peak of the fullest device, times their number.
fn peak<P: ReferenceProtocol>(backend: &Sharded<CpuReference<P>>) -> u64 {
    let peaks = backend.devices().iter().map(|device| device.memory().expect("counted").peak);
    peaks.max().expect("devices") * backend.devices().len() as u64
}

/// A plan is what the fullest device takes, and never less: two devices with little more than half of a statement's memory each prove it.
#[test]
fn a_plan_is_of_the_fullest_device() {
    let check = |what: &str, planned: u64, taken: u64| {
        assert!(taken <= planned && planned <= taken + taken / 50, "{what}: {planned} bytes planned, {taken} taken");
    };
    for (name, count) in [("fibonacci-rap", 2), ("fibonacci-rap", 4), ("quadratic", 2), ("read-only-memory-logup", 2)] {
        let (air, options) =
            (golden::goldilocks::example(name, 1 << 10), golden::goldilocks::options(HashFn::Keccak256));
        let backend = Arc::new(make::<Cubic>(count).expect("a power of two"));
        let prover = coset::Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
        let planned = prover.rehearse(&options, false).expect("good options").peak_bytes;
        prover.prove(&air.trace(), &options, Seed::Default, &Silent).expect("an honest trace");
        check(name, planned, peak(&backend));
        let alone = coset::Prover::new(Arc::new(make::<Cubic>(1).expect("one device")), air.clone());
        let alone = alone.expect("a sound AIR").rehearse(&options, false).expect("good options").peak_bytes;
        assert!(planned < alone + alone / 8, "{name}: {planned} bytes on {count} devices, {alone} on one");
    }
}

/// A plan of counted devices is that of the devices: shapes pass a hook by.
#[test]
fn a_plan_passes_hooks_by() {
    let (air, options) =
        (golden::goldilocks::example("quadratic", 1 << 10), golden::goldilocks::options(HashFn::Keccak256));
    let devices = || make::<Cubic>(2).expect("two devices");
    let plan = coset::Prover::new(Arc::new(devices()), air.clone()).expect("a sound AIR").rehearse(&options, false);
    let metered = coset::Prover::new(Arc::new(Metered::new(Metered::new(devices()))), air).expect("a sound AIR");
    let [plan, of_metered] = [plan, metered.rehearse(&options, false)].map(|plan| plan.expect("good options"));
    assert_eq!((plan.peak_bytes, plan.live_bytes), (of_metered.peak_bytes, of_metered.live_bytes));
}

/// Wherever the second device fails, the error names it, nothing stays taken, and the next session is as ever; but a device that is lost
/// is the end of all of them.
#[test]
fn a_device_that_fails_is_named() {
    let make = || {
        let devices = (0..2).map(|_| Faulty::new(CpuReference::<Cubic>::new())).collect();
        Sharded::new(devices).expect("two devices").with_least_rows(1)
    };
    let backend = make();
    let second = &backend.devices()[1];
    second.disarm();
    let words = session(&backend, 3, 4).expect("no fault").words;
    let calls = second.seen();
    assert!(calls > 20, "{calls} operations on the second device");
    for after in 0..calls {
        second.arm(Fault { operation: None, after, kind: ErrorKind::OutOfMemory });
        let error = session(&backend, 3, 4).expect_err("a fault");
        assert_eq!(error.kind, ErrorKind::OutOfMemory, "{error}");
        assert!(error.detail.starts_with("device 1 of 2: "), "{error}");
        let taken: Vec<u64> = backend.devices().iter().map(|device| device.memory().expect("counted").in_use).collect();
        assert_eq!(taken, [0, 0], "after {error}");
    }
    assert_eq!(session(&backend, 3, 4).expect("no fault").words, words);

    second.arm(Fault { operation: None, after: 5, kind: ErrorKind::DeviceLost });
    assert_eq!(session(&backend, 3, 4).expect_err("a fault").kind, ErrorKind::DeviceLost);
    let error = backend.upload(&[], 0, 3).expect_err("a device is lost, if not the one that would have done it");
    assert_eq!((error.kind, error.op), (ErrorKind::DeviceLost, "upload"));
    assert!(error.detail.starts_with("device 1 of 2: "), "{error}");
}

/// Of an extension each device takes one of two points, with nothing sent to it; of a table that is no extension the first takes both.
#[test]
fn points_are_dealt_out() {
    let devices = (0..2).map(|_| Faulty::new(CpuReference::<Cubic>::new())).collect();
    let backend = Sharded::new(devices).expect("two devices").with_least_rows(1).with_cut_uploads();
    let (mut random, to) = (Random::new(5), CosetDomain::new(Goldilocks::new(3), 6));
    let (coefficients, noise): (Vec<Goldilocks>, Vec<Goldilocks>) = (random.elements(3 << 4), random.elements(3 << 6));
    let points = [(); 2].map(|()| Fp3(random.elements(3).try_into().expect("three coordinates")));
    let second = &backend.devices()[1];
    second.disarm();
    let from = Basis::Evaluations { domain: to.prefix(4), order: EvalOrder::Storage };
    let columns = backend.upload(&coefficients, 3, 4).expect("uploaded");
    let mut table = backend.lde(columns.as_ref(), Basis::Coefficients, to).expect("extended");
    let values = |table: &gpu_hal::Table<Sharded<Faulty<CpuReference<Cubic>>>>| {
        backend.eval_at(&[EvalAt { columns: table.as_ref(), from, points: &points }]).map(|mut values| values.remove(0))
    };
    let horner = |column: &[Goldilocks], point: Fp3| {
        column.iter().rev().fold(Fp3::ZERO, |value, coefficient| value * point + Fp3::from(*coefficient))
    };
    let expected = points.iter().map(|point| coefficients.chunks(16).map(|column| horner(column, *point)).collect());
    assert_eq!(values(&table).expect("values"), expected.collect::<Vec<Vec<_>>>());

    let fails = || second.arm(Fault { operation: Some(Operation::EvalAt), after: 0, kind: ErrorKind::OutOfMemory });
    fails();
    let error = values(&table).expect_err("the second device has a point");
    assert!(error.detail.starts_with("device 1 of 2: "), "{error}");
    // What is added to is no extension any more: its first rows count, which the first device has.
    let noise = backend.upload(&noise, 3, 6).expect("uploaded");
    backend.accumulate(table.as_mut(), noise.as_ref()).expect("added");
    fails();
    let rows = backend.download(table.as_ref(), 0..16).expect("rows");
    let alone = CpuReference::<Cubic>::new();
    let prefix = alone.upload(&rows, 3, 4).expect("uploaded");
    let alone = alone.eval_at(&[EvalAt { columns: prefix.as_ref(), from, points: &points }]).expect("values");
    assert_eq!(values(&table).expect("the first device has both points"), alone[0]);
}

#[test]
fn devices_are_a_power_of_two() {
    for count in [0, 3, 6] {
        assert_eq!(make::<Cubic>(count).expect_err("no power of two").kind, ErrorKind::InvalidArgument);
    }
}
