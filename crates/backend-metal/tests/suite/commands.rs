//! The encoder's translation of calls, and of Metal's answers.

use std::time::Duration;

use crate::mock::{Faults, Mock, options};
use backend_metal::{MetalDevice, Options};
use field::Goldilocks;
use gpu_hal::{ErrorKind, GoldilocksStark, HalError, HashFn, LeafLayout, Result, StarkBackend};
use gpu_runtime::{Argument, KernelDevice, KernelSource, Launch};
use hal_conformance::session;

type P = GoldilocksStark;

fn device(options: Options, faults: Faults) -> MetalDevice<Mock> {
    MetalDevice::new(Mock::new(faults).expect("a C++ compiler"), options).expect("sound options")
}

/// b[i] = a[i] + n.
fn source() -> KernelSource {
    let dialect = include_str!("../../../../kernels/dialect.h");
    let text = format!(
        "{dialect}\nstruct AddParams {{ u64 n; }};\nKERNEL(add, IN(0, u64, a) OUT(1, u64, b), AddParams) {{\n\
         u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD; b[i] = a[i] + p.n; }}\n"
    );
    KernelSource { name: "add", text, defines: Vec::new() }
}

fn bytes(words: impl IntoIterator<Item = u64>) -> Vec<u8> {
    words.into_iter().flat_map(u64::to_ne_bytes).collect()
}

/// 64 numbers, to which `times` launches add 1 each, from one memory to the other and back.
fn add(device: &MetalDevice<Mock>, times: u32) -> Result<Vec<u8>> {
    let module = device.build(&source())?;
    let kernel = device.kernel(&module, "add")?;
    let memories = [device.alloc(512)?, device.alloc(512)?];
    device.upload(&memories[0], 0, &bytes(0..64))?;
    for time in 0..times as usize {
        let buffers = [&memories[time % 2], &memories[(time + 1) % 2]].map(|memory| Argument { memory, offset: 0 });
        let params = 1u64.to_ne_bytes();
        device.launch(&Launch { kernel: &kernel, grid: [2, 1, 1], block: 32, buffers: &buffers, params: &params })?;
    }
    let mut out = vec![0; 512];
    device.download(&memories[times as usize % 2], 0, &mut out)?;
    Ok(out)
}

#[test]
fn what_is_enqueued_is_one_command_buffer_until_the_host_wants_a_result() {
    let device = device(options(0), Faults::default());
    assert_eq!(add(&device, 100).expect("sound"), bytes(100..164));
    let summary = device.layer().summary();
    assert_eq!((summary.command_buffers, summary.dispatches, summary.copies), (1, 100, 2));
    // But a GPU does not idle while a thousand launches are enqueued.
    assert_eq!(add(&device, 1000).expect("sound"), bytes(1000..1064));
    assert_eq!(device.layer().summary().command_buffers, 3);
}

#[test]
fn large_transfers_lend_pages_and_small_ones_do_not() {
    let device = device(options(0), Faults::default());
    for (words, lent) in [(1u64 << 10, 0), (1 << 18, 1), ((1 << 18) + 3, 2)] {
        let memory = device.alloc(words * 8).expect("memory");
        let data = bytes((0..words).map(|i| i * i));
        device.upload(&memory, 0, &data).expect("room");
        let mut out = vec![0; data.len()];
        device.download(&memory, 0, &mut out).expect("as much");
        assert!(out == data, "{words} words");
        assert_eq!(device.layer().summary().lent, lent);
    }
}

#[test]
fn sessions_of_all_operations_and_uploads_beside_them() {
    let backend = crate::mock::backend::<P>(options(0), Faults::default()).expect("a C++ compiler");
    for seed in 0..2 {
        session(&backend, seed, 6).expect("in order");
    }
    assert!(backend.device().layer().summary().waits > 6);
}

/// Each is a mistake that the encoder could make; with it the layer runs what no longer gives the right result.
#[test]
fn a_wrong_index_or_size_shows() {
    let root = |faults: Faults| -> Result<_> {
        let backend = crate::mock::backend::<P>(options(0), faults)?;
        let data: Vec<Goldilocks> = (0..1 << 9).map(Goldilocks::new).collect();
        let table = backend.upload(&data, 2, 8)?;
        let tree = backend.merkle(&[table.as_ref()], LeafLayout::new(1), HashFn::Keccak256)?;
        backend.root(&tree)
    };
    let right = root(Faults::default()).expect("sound");
    let wrong = |faults: Faults| root(faults).map_or(true, |digest| digest != right);
    assert!(wrong(Faults { wrong_index: true, ..Faults::default() }), "every buffer one index too high");
    assert!(wrong(Faults { half_groups: true, ..Faults::default() }), "threadgroups of half the threads");
}

fn refused<T>(result: Result<T>) -> HalError {
    result.err().expect("an error")
}

#[test]
fn a_command_buffer_that_never_ends_is_a_lost_device() {
    let patience = Duration::from_millis(20);
    let device = device(Options { patience, ..options(0) }, Faults { hang: true, ..Faults::default() });
    let error = refused(add(&device, 1));
    assert!(error.kind == ErrorKind::DeviceLost && error.detail.contains("20ms"), "{error}");
    assert_eq!(refused(device.synchronize()).kind, ErrorKind::DeviceLost);
    assert_eq!(refused(device.record()).kind, ErrorKind::DeviceLost);
}

#[test]
fn errors_of_command_buffers_are_typed() {
    let after = |code| device(options(0), Faults { fail: Some((0, code)), ..Faults::default() });
    for code in [1, 2, 3, 4, 7, 11] {
        let device = after(code);
        let error = refused(add(&device, 3));
        assert!(error.kind == ErrorKind::DeviceLost && error.detail.contains(&format!("error {code},")), "{error}");
        assert_eq!(refused(add(&device, 1)).kind, ErrorKind::DeviceLost);
    }
    for (code, kind) in [(8, ErrorKind::OutOfMemory), (9, ErrorKind::Backend), (77, ErrorKind::Backend)] {
        let device = after(code);
        assert_eq!(refused(add(&device, 3)).kind, kind, "{code}");
        assert_eq!(add(&device, 3).expect("the device goes on"), bytes(3..67));
    }
}

#[test]
fn memory_ends_at_the_working_set() {
    let device = device(options(0), Faults { memory: Some(4 << 20), ..Faults::default() });
    assert_eq!(device.info().memory_bytes, Some(4 << 20));
    let first = device.alloc(3 << 20).expect("it fits");
    assert_eq!(device.free_memory().expect("known"), Some(1 << 20));
    let error = refused(device.alloc(2 << 20));
    assert_eq!(error.kind, ErrorKind::OutOfMemory);
    drop(first);
    assert!(device.alloc(2 << 20).is_ok());
}

#[test]
fn what_does_not_compile_and_what_cannot_be_launched_are_errors() {
    let device = device(options(0), Faults::default());
    let broken = KernelSource { text: source().text.replace("p.n", "p.m"), ..source() };
    let error = refused(device.build(&broken));
    assert!(error.kind == ErrorKind::KernelBuild && error.detail.contains("named"), "{error}");
    let module = device.build(&source()).expect("sound");
    assert_eq!(refused(device.kernel(&module, "other")).kind, ErrorKind::KernelBuild);
    let kernel = device.kernel(&module, "add").expect("the kernel");
    let memory = device.alloc(512).expect("memory");
    let launch = |block, grid, offset, params: &[u8]| {
        let buffers = [0, 1].map(|_| Argument { memory: &memory, offset });
        device.launch(&Launch { kernel: &kernel, grid, block, buffers: &buffers, params })
    };
    for (block, grid, offset, params) in
        [(512, [1; 3], 0, 8), (0, [1; 3], 0, 8), (1, [1, 0, 1], 0, 8), (1, [1; 3], 520, 8), (1, [1; 3], 0, 4104)]
    {
        assert_eq!(refused(launch(block, grid, offset, &vec![0; params])).kind, ErrorKind::Backend, "{block} {grid:?}");
    }
    assert_eq!(refused(device.upload(&memory, 8, &[0; 512])).kind, ErrorKind::Backend);
    let options = Options { product_bits: 48, ..options(0) };
    let error = MetalDevice::new(Mock::new(Faults::default()).expect("a C++ compiler"), options).err();
    assert_eq!(error.expect("32 or 64").kind, ErrorKind::InvalidArgument);
}
