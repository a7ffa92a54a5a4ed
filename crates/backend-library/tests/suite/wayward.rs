//! A library that misbehaves, and one program that survives it.

use std::thread;
use std::time::{Duration, Instant};

use backend_library::{Library, OpenOptions};
use backend_reference::CpuReference;
use field::M31;
use gpu_hal::erased::Device;
use gpu_hal::{
    CancelToken, CircleStark, ErrorKind, HalError, LeafLayout, Operation, PlacementOperations, StarkBackend, Table,
};

use crate::example;

fn open(device: Option<u32>) -> Result<Device<CircleStark>, HalError> {
    let library = Library::load(example("wayward")).expect("a library of this build");
    let open = library.exports().circle.expect("it has the Circle protocol");
    open(&OpenOptions { device, threads: None })
}

/// A table of two columns and 32 rows.
fn table<B: StarkBackend<P = CircleStark>>(backend: &B) -> Table<B::T> {
    let elements: Vec<M31> = (1..=64).map(M31::new).collect();
    backend.upload(&elements, 2, 5).expect("64 elements")
}

/// The root of a tree over that table.
fn root<B: StarkBackend<P = CircleStark>>(backend: &B) -> [u8; 32] {
    let table = table(backend);
    assert_eq!(backend.download(table.as_ref(), 3..5).expect("two rows"), [4, 5, 36, 37].map(M31::new));
    let hash = backend.capabilities().hashes[0];
    let tree = backend.merkle(&[table.as_ref()], LeafLayout::new(1), hash).expect("a tree");
    backend.root(&tree).expect("its root")
}

#[test]
fn it_computes_as_the_reference_does() {
    let exports = Library::load(example("wayward")).expect("a library of this build").exports();
    assert!(exports.goldilocks.is_none());
    assert_eq!((exports.devices)(), ["wayward", "haunted"]);
    let device = open(None).expect("device 0");
    assert_eq!(device.capabilities().backend, "cpu-reference");
    assert_eq!(root(&device), root(&CpuReference::<CircleStark>::new()));
}

#[test]
fn a_panic_is_an_error_and_the_device_works_on() {
    let device = open(Some(0)).expect("device 0");
    let error = device.split(table(&device).as_ref(), 2, 4).expect_err("it panics");
    assert_eq!((error.kind, error.op), (ErrorKind::Backend, Operation::Split.into()));
    assert!(error.detail.contains("panicked: 2 parts are too many;"), "{error}");
    assert_eq!(root(&device), root(&CpuReference::<CircleStark>::new()));

    let error = open(Some(1)).expect_err("it panics");
    assert_eq!((error.kind, error.op), (ErrorKind::Backend, "open".into()));
    assert!(error.detail.contains("device 1 is haunted"), "{error}");
}

#[test]
fn tables_and_trees_move_through_the_door() {
    let (device, other) = (open(None).expect("device 0"), open(Some(0)).expect("device 0"));
    let (table, root) = (table(&device), root(&device));
    let stash = device.stash(table.as_ref()).expect("memory of the host");
    let restored = device.restore(&stash, table.shape()).expect("the table");
    let copy = StarkBackend::copy_to(&device, table.as_ref(), &other).expect("the table on the other device");
    let hash = device.capabilities().hashes[0];
    for (on, table) in [(&device, restored), (&other, copy)] {
        let tree = on.merkle(&[table.as_ref()], LeafLayout::new(1), hash).expect("a tree");
        assert_eq!(on.root(&tree).expect("its root"), root);
    }
}

#[test]
fn errors_of_opening_are_the_librarys() {
    let error = open(Some(2)).expect_err("there are two");
    assert_eq!((error.kind, error.op), (ErrorKind::Unavailable, "open".into()));
    assert_eq!(error.detail, "there is no device 2: there are 2");
}

#[test]
fn an_operation_ends_when_the_programs_thread_is_told_to() {
    let (device, stop, begin) = (open(None).expect("device 0"), CancelToken::default(), Instant::now());
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            stop.stop();
        });
        let error = stop.over(|| device.sync()).expect_err("it was stopped");
        assert_eq!(error.kind, ErrorKind::Stopped, "{error}");
    });
    assert!(begin.elapsed() < Duration::from_secs(15), "the library did not see the flag, and came back by itself");
}
