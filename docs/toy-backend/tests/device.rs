//! The toy as a device: its memory has an end, and is its own.

use field::{Goldilocks, M31};
use gpu_hal::{CircleStark, ErrorKind, GoldilocksStark, Operation, StarkBackend};
use toy_backend::Toy;

#[test]
fn memory_that_is_full_is_an_error_and_the_device_works_on() {
    let small = Toy::<GoldilocksStark>::new(1000);
    let error = small.upload(&[Goldilocks::new(1); 256], 1, 8).expect_err("2048 bytes on a device of 1000");
    assert_eq!((error.kind, error.op), (ErrorKind::OutOfMemory, Operation::Upload.into()));
    small.upload(&[Goldilocks::new(1); 64], 1, 6).expect("512 bytes fit");
}

#[test]
fn a_table_of_another_device_is_refused_and_can_be_copied() {
    let (here, there) = (Toy::<CircleStark>::new(1000), Toy::<CircleStark>::new(1000));
    let elements = [1, 2, 3, 4].map(M31::new);
    let table = there.upload(&elements, 1, 2).expect("four elements");
    let error = here.download(table.as_ref(), 0..4).expect_err("it is not here");
    assert_eq!((error.kind, error.op), (ErrorKind::InvalidArgument, Operation::Download.into()));

    let copy = there.copy_to(table.as_ref(), &here).expect("room for four elements");
    drop(there);
    drop(table);
    assert_eq!(here.download(copy.as_ref(), 0..4).expect("it is here"), elements);
}
