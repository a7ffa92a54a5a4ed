//! Options, capabilities, limits, refusals.

use backend_cpu::{Compile, Cpu, CpuOptions, SimdLevel};
use field::{Field, Goldilocks};
use gpu_hal::{CircleStark, CosetDomain, ErrorKind, GoldilocksStark, Operation, StarkBackend};

type Backend = Cpu<GoldilocksStark>;

#[test]
fn capabilities_name_the_machine() {
    let options = CpuOptions { threads: Some(2), simd: Some(SimdLevel::Portable), ..CpuOptions::default() };
    let backend = Backend::with_options(&options).expect("two threads can be started");
    let capabilities = backend.capabilities();
    assert_eq!(capabilities.backend, "cpu");
    assert!(capabilities.device.contains("Portable") && capabilities.device.contains("2 threads"));
    assert_eq!(capabilities.operations, Operation::ALL);
    let circle = Cpu::<CircleStark>::new();
    assert_eq!(circle.capabilities().operations, Operation::ALL);
    let refused = circle.merkle(&[], gpu_hal::LeafLayout::new(1), gpu_hal::HashFn::Keccak256);
    assert_eq!(refused.map(|_| ()).expect_err("not there").kind, ErrorKind::Unsupported);
}

#[test]
fn a_device_says_whether_constraints_are_compiled() {
    let device = |options: CpuOptions| {
        let backend = Backend::with_options(&options).expect("no thread is started");
        backend.capabilities().device.clone()
    };
    let never = device(CpuOptions { compile: Compile::Never, ..CpuOptions::default() });
    assert!(never.ends_with(", constraints interpreted: as asked for"), "{never}");
    let plain =
        device(CpuOptions { compile: Compile::Always, simd: Some(SimdLevel::Portable), ..CpuOptions::default() });
    assert!(plain.ends_with(", constraints interpreted: no AVX-512"), "{plain}");
    let always = device(CpuOptions { compile: Compile::Always, ..CpuOptions::default() });
    let expected = if SimdLevel::Avx512.is_available() { ", constraints compiled" } else { "no AVX-512" };
    assert!(always.ends_with(expected) || always.contains("IFMA"), "{always}");
    assert!(!Cpu::<CircleStark>::new().capabilities().device.contains("constraints"));
}

#[test]
fn a_pool_needs_a_thread() {
    assert_eq!(Backend::with_threads(0).expect_err("no thread").kind, ErrorKind::InvalidArgument);
    assert!(Backend::with_threads(1).is_ok());
}

#[test]
fn wrong_uploads_are_refused() {
    let backend = Backend::new();
    let data = vec![Goldilocks::ONE; 8];
    let refused = |data: &[Goldilocks], width, log_height| {
        backend.upload(data, width, log_height).map(|_| ()).expect_err("refused")
    };
    assert_eq!(refused(&data, 3, 2).kind, ErrorKind::InvalidArgument);
    assert_eq!(refused(&data, 2, 80).kind, ErrorKind::InvalidArgument);
    let mut words = vec![1u64; 8];
    words[5] = u64::MAX;
    let error = refused(bytemuck::cast_slice(&words), 2, 2);
    assert_eq!(error.kind, ErrorKind::InvalidArgument);
    assert!(error.detail.contains("element 5"), "{error}");
}

#[test]
fn a_full_memory_is_an_error_and_passes() {
    let backend = Backend::with_memory_limit(1000);
    let data = vec![Goldilocks::ONE; 64];
    let table = backend.upload(&data, 1, 6).expect("512 bytes");
    let to = CosetDomain::subgroup(6);
    let error = backend.lde(table.as_ref(), gpu_hal::Basis::Coefficients, to).map(|_| ()).expect_err("1024 bytes");
    assert_eq!(error.kind, ErrorKind::OutOfMemory);
    let memory = backend.memory().expect("known");
    assert_eq!((memory.in_use, memory.available, memory.is_host), (512, Some(488), true));
    // Without a limit of its own a backend has the host's memory, where the system says it.
    let unlimited = Backend::new().memory().expect("known").available;
    assert_eq!(unlimited.is_some(), cfg!(any(target_os = "linux", target_vendor = "apple", windows)));
    drop(table);
    assert_eq!(backend.memory().expect("known").in_use, 0);
    assert!(backend.upload(&data, 1, 6).is_ok());
}
