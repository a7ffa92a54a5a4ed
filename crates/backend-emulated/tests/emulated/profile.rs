//! The backend's report of its device's work.

use std::sync::Arc;
use std::time::Duration;

use backend_emulated::{Emulated, EmulatedDevice, NAME, Options};
use backend_placement::Sharded;
use backend_reference::CpuReference;
use field::Goldilocks;
use gpu_hal::decorate::Metered;
use gpu_hal::erased::Device;
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{Basis, CosetDomain, EvalOrder, GoldilocksStark, MapArgs, Operation, StarkBackend};

#[test]
fn a_profile_has_every_launch_with_its_time_and_every_byte() {
    let device = EmulatedDevice::new(Options::default()).expect("a C++ compiler");
    let backend = Emulated::<GoldilocksStark>::new(NAME, device).expect("a backend");
    backend.reset_profile(true);
    let data: Vec<Goldilocks> = (0..64).map(Goldilocks::new).collect();
    let table = backend.upload(&data, 2, 5).expect("memory");
    let from = Basis::Evaluations { domain: CosetDomain::subgroup(5), order: EvalOrder::Storage };
    backend.lde(table.as_ref(), from, CosetDomain::subgroup(6)).expect("a transform");
    backend.select(&[table.as_ref()], &[(0, 1)]).expect("a copy");
    backend.download(table.as_ref(), 0..32).expect("the table");
    let profile = backend.profile().expect("times");

    let names: Vec<Operation> = profile.operations.iter().map(|o| o.operation).collect();
    assert_eq!(names, [Operation::Upload, Operation::Download, Operation::Lde, Operation::Select]);
    let [upload, download, lde, select] = &profile.operations[..] else { unreachable!("four names") };
    assert_eq!((upload.calls, upload.launches, upload.transfers, upload.uploaded), (1, 0, 1, 512));
    assert_eq!((download.calls, download.launches, download.transfers, download.downloaded), (1, 0, 1, 512));
    assert_eq!((lde.calls, lde.launches), (1, 2), "an inverse pass and a forward pass");
    assert_eq!((select.copies, select.copied), (1, 256));
    assert!(lde.device_time > Duration::ZERO);
    let of_lde = profile.intervals.iter().filter(|interval| interval.operation == Operation::Lde);
    assert_eq!(of_lde.map(|interval| interval.end - interval.start).sum::<Duration>(), lde.device_time);
    assert!(profile.intervals.windows(2).all(|pair| pair[0].end <= pair[1].start), "one after the other");
    assert_eq!(profile.busy(), profile.operations.iter().map(|o| o.device_time).sum());
    assert!(profile.busy() <= profile.span());
    let rest = profile.without(&[Operation::Lde]);
    assert_eq!((rest.operations.len(), rest.intervals.len(), rest.busy()), (3, 1, select.device_time));

    backend.reset_profile(false);
    backend.select(&[table.as_ref()], &[(0, 0)]).expect("a copy");
    let profile = backend.profile().expect("counts");
    assert_eq!((profile.operations.len(), profile.operations[0].copies, profile.intervals.len()), (1, 1, 0));
}

#[test]
fn a_copy_to_a_peer_is_one_call_of_the_device_that_copies() {
    let [here, there] = [(); 2].map(|()| {
        let device = EmulatedDevice::new(Options::default()).expect("a C++ compiler");
        Emulated::<GoldilocksStark>::new(NAME, device).expect("a backend")
    });
    let data: Vec<Goldilocks> = (0..64).map(Goldilocks::new).collect();
    let table = here.upload(&data, 2, 5).expect("memory");
    here.reset_profile(false);
    let copy = here.copy_to(table.as_ref(), &there).expect("memory");
    let [profile, of_peer] = [&here, &there].map(|backend| backend.profile().expect("counts").operations);
    let counts: Vec<_> = profile.iter().map(|o| (o.operation, o.calls, o.copies, o.copied)).collect();
    assert_eq!((counts, of_peer), (vec![(Operation::CopyTo, 1, 1, 512)], vec![]));
    assert_eq!(there.download(copy.as_ref(), 0..32).expect("the copy"), data);
}

#[test]
fn a_generated_kernel_needs_nothing_beside_its_text_and_parameters() {
    let mut builder = ProgramBuilder::<GoldilocksStark>::new(vec![Group { width: 1, kind: Kind::Base }], 0);
    let value = builder.load(0, 0, 0);
    let double = builder.add(value, value);
    builder.output(double);
    let program = builder.finish().expect("a program");
    let data: Vec<Goldilocks> = (0..8).map(Goldilocks::new).collect();
    let [interpreted, generated] = [0, 100].map(|generated_operations| {
        let device = EmulatedDevice::new(Options { generated_operations, ..Options::default() });
        let backend = Emulated::<GoldilocksStark>::new(NAME, device.expect("a C++ compiler")).expect("a backend");
        let (program, table) =
            (backend.prepare(&program).expect("short"), backend.upload(&data, 1, 3).expect("memory"));
        backend.reset_profile(false);
        let args = MapArgs { program: &program, columns: &[table.as_ref()], log_height: 3, outputs: &[0] };
        let doubled = backend.map(&args).expect("a kernel");
        let uploaded = backend.profile().expect("counts").operations[0].uploaded;
        (uploaded, backend.download(doubled.as_ref(), 0..8).expect("the table"))
    });
    assert_eq!(interpreted.1, generated.1);
    // A load, a sum, a store, four words of 32 bits each; where the load reads, two of 64; one more at the end.
    assert_eq!((interpreted.0, generated.0), (3 * 16 + 16 + 8, 0));
}

/// One device is timed by its own clock, through all that stands around it; several have none in common, and the first
/// reports its own work.
#[test]
fn devices_have_a_clock_where_they_are_one() {
    let devices = |count: usize| {
        let devices = (0..count).map(|_| {
            let device = EmulatedDevice::new(Options::default()).expect("a C++ compiler");
            Emulated::<GoldilocksStark>::new(NAME, device).expect("a backend")
        });
        Device::new(Arc::new(Metered::new(Sharded::new(devices.collect()).expect("a power of two"))))
    };
    let data: Vec<Goldilocks> = (0..64).map(Goldilocks::new).collect();
    for count in [1, 2] {
        let backend = devices(count);
        let clock = backend.clock().expect("events");
        clock.reset_profile(true);
        let lap = clock.start().expect("events");
        assert_eq!(lap.is_some(), count == 1, "{count} devices");
        let table = backend.upload(&data, 2, 5).expect("memory");
        drop(backend.select(&[table.as_ref()], &[(0, 1)]).expect("a copy"));
        if let Some(lap) = lap {
            assert!(lap().expect("events") > Duration::ZERO);
        }
        let profile = clock.profile().expect("times");
        assert!(profile.operations.iter().any(|of| of.operation == Operation::Select && of.copies == 1), "{profile:?}");
        assert!(profile.busy() > Duration::ZERO);
    }
    assert!(Device::new(Arc::new(CpuReference::<GoldilocksStark>::new())).clock().is_none());
}
