//! Several devices as one: the suite that any backend must pass, whole proofs, and devices that fail. The devices are
//! references, which take blocks of all domains; a block may be as small as can be, so that small tables are cut, too.

mod dealt;

use std::sync::Arc;

use backend_cpu::CpuOptions;
use backend_placement::Sharded;
use backend_reference::{CpuReference, ReferenceProtocol};
use golden::backends::reference;
use golden::goldilocks::Cubic;
use goldilocks_proof::{Seed, Suite};
use gpu_hal::decorate::{Fault, Faulty, Metered};
use gpu_hal::erased::{Device, DeviceFrom};
use gpu_hal::{CircleStark, ErrorKind, Operation, Result, StarkBackend};
use hal_conformance::session;
use prover_core::{Silent, goldilocks as coset};

/// Devices as values: their operations are compiled once, for all that is a device.
fn make<P: ReferenceProtocol>(count: usize) -> Result<Sharded<Device<P>>>
where
    CpuReference<P>: StarkBackend<P = P>,
{
    let devices = (0..count).map(|_| reference()).collect();
    Ok(Sharded::new(devices)?.with_least_rows(1))
}

/// The suite uploads what it gives to operations: cut, so that these meet blocks.
fn make_cut<P: ReferenceProtocol>(count: usize) -> Result<Sharded<Device<P>>>
where
    CpuReference<P>: StarkBackend<P = P>,
{
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

/// Parts of the processor, as the command line makes them.
fn processors<P: DeviceFrom<CpuOptions>>(count: usize) -> Result<Sharded<Device<P>>> {
    let one = CpuOptions { threads: Some(1), ..CpuOptions::default() };
    let devices = (0..count).map(|_| P::device(&one)).collect::<Result<_>>()?;
    Ok(Sharded::new(devices)?.with_least_rows(1).with_cut_uploads())
}

mod goldilocks_of_processors {
    hal_conformance::goldilocks!(|| super::processors::<super::Cubic>(2), "2 x cpu");
}

mod circle_of_processors {
    hal_conformance::circle!(|| super::processors::<super::CircleStark>(4), "4 x cpu");
}

/// Devices that count what they are asked for.
fn counted<P: ReferenceProtocol>(count: usize) -> Sharded<Faulty<CpuReference<P>>> {
    let devices = (0..count).map(|_| Faulty::new(CpuReference::new())).collect();
    Sharded::new(devices).expect("a power of two").with_least_rows(1)
}

/// The same; uploads are cut.
fn watched<P: ReferenceProtocol>(count: usize) -> Sharded<Faulty<CpuReference<P>>> {
    counted(count).with_cut_uploads()
}

/// How often each device was asked for an operation since it was asked last.
fn asked<P: ReferenceProtocol>(backend: &Sharded<Faulty<CpuReference<P>>>, operation: Operation) -> Vec<u64> {
    let asked = backend.devices().iter().map(|device| device.seen_of(operation)).collect();
    backend.devices().iter().for_each(|device| device.disarm());
    asked
}

/// Every device has had its part.
fn all_took_part<P: ReferenceProtocol>(backend: &Sharded<Device<P>>) {
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
fn trees_of_gkr() {
    golden::gkr::check(&counted::<CircleStark>(2));
}

#[test]
fn golden_proofs_of_circle() {
    for count in [2, 4] {
        let backend = Arc::new(counted::<CircleStark>(count));
        golden::circle::proofs().iter().for_each(|case| golden::circle::check(&backend, case));
        // The constraints, too: components are dealt out.
        for operation in [Operation::Lde, Operation::Merkle, Operation::DeepQuotient, Operation::ConstraintEval] {
            let calls: Vec<u64> = backend.devices().iter().map(|device| device.seen_of(operation)).collect();
            assert!(calls[..2].iter().all(|calls| *calls > 0), "{operation}: {calls:?} calls");
        }
    }
}

/// The plan knows on which device a component is evaluated, of two components as well.
#[test]
fn a_plan_of_circle_proofs_is_of_the_fullest_device() {
    let options = golden::circle::CircleOptions {
        pow_bits: 3,
        log_blowup: 1,
        queries: 4,
        fold_step: 1,
        ..golden::circle::CircleOptions::default()
    };
    for (name, log_rows, params) in [("range-squares", 10, "table=9;s=2"), ("plonk", 9, "v0=1;v1=2")] {
        let air = golden::circle::air(name, log_rows, params);
        golden::circle::planned_is_measured(|| counted::<CircleStark>(2), &air, &options);
    }
}

/// The peak of the fullest device, times their number.
fn peak<P: ReferenceProtocol>(backend: &Sharded<Device<P>>) -> u64 {
    let peaks = backend.devices().iter().map(|device| device.memory().expect("counted").peak);
    peaks.max().expect("devices") * backend.devices().len() as u64
}

/// A plan is what the fullest device takes, and never less: two devices with little more than half of a statement's
/// memory each prove it.
#[test]
fn a_plan_is_of_the_fullest_device() {
    let check = |what: &str, planned: u64, taken: u64| {
        assert!(taken <= planned && planned <= taken + taken / 50, "{what}: {planned} bytes planned, {taken} taken");
    };
    for (name, count) in [("fibonacci-rap", 2), ("fibonacci-rap", 4), ("quadratic", 2), ("read-only-memory-logup", 2)] {
        let (air, options) =
            (golden::goldilocks::example(name, 1 << 10), golden::goldilocks::options(Suite::Keccak256));
        let backend = Arc::new(make::<Cubic>(count).expect("a power of two"));
        let prover = coset::Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
        let planned = prover.rehearse(&options, false).expect("good options").peak_bytes;
        prover.prove(&air.trace(), &options, Seed::Default, &Silent).expect("an honest trace");
        check(name, planned, peak(&backend));
        // The peak of a device does not depend on threads.
        let of_devices = |backend: &Sharded<Device<Cubic>>| -> Vec<u64> {
            backend.devices().iter().map(|device| device.memory().expect("counted").peak).collect()
        };
        let peaks = of_devices(&backend);
        for _ in 0..4 {
            prover.prove(&air.trace(), &options, Seed::Default, &Silent).expect("an honest trace");
            assert_eq!(of_devices(&backend), peaks, "{name}");
        }
        let alone = coset::Prover::new(Arc::new(make::<Cubic>(1).expect("one device")), air.clone());
        let alone = alone.expect("a sound AIR").rehearse(&options, false).expect("good options").peak_bytes;
        assert!(planned < alone + alone / 8, "{name}: {planned} bytes on {count} devices, {alone} on one");
    }
}

/// A plan of counted devices is that of the devices: shapes pass a hook by.
#[test]
fn a_plan_passes_hooks_by() {
    let (air, options) =
        (golden::goldilocks::example("quadratic", 1 << 10), golden::goldilocks::options(Suite::Keccak256));
    let devices = || make::<Cubic>(2).expect("two devices");
    let plan = coset::Prover::new(Arc::new(devices()), air.clone()).expect("a sound AIR").rehearse(&options, false);
    let metered = coset::Prover::new(Arc::new(Metered::new(Metered::new(devices()))), air).expect("a sound AIR");
    let [plan, of_metered] = [plan, metered.rehearse(&options, false)].map(|plan| plan.expect("good options"));
    assert_eq!((plan.peak_bytes, plan.live_bytes), (of_metered.peak_bytes, of_metered.live_bytes));
}

/// Wherever the second device fails, the error names it, nothing stays taken, and the next session is as ever; but a
/// device that is lost is the end of all of them.
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
    assert_eq!((error.kind, error.op), (ErrorKind::DeviceLost, Operation::Upload.into()));
    assert!(error.detail.starts_with("device 1 of 2: "), "{error}");
}

#[test]
fn devices_are_a_power_of_two() {
    for count in [0, 3, 6] {
        assert_eq!(make::<Cubic>(count).expect_err("no power of two").kind, ErrorKind::InvalidArgument);
    }
}
