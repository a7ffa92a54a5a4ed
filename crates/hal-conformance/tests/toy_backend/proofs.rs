//! Whole proofs on the toy.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use air::airs::{self, FibonacciRap};
use backend_reference::CpuReference;
use gpu_hal::{Dual, ErrorKind, GoldilocksStark, HashFn, StarkBackend};
use proof::{ProofOptions, Seed};
use prover_core::{ProveError, Prover, Silent};
use verifier::Policy;

use crate::CAPACITY;
use crate::backend::Toy;

type Stark = GoldilocksStark;

const OPTIONS: ProofOptions =
    ProofOptions { blowup: 4, queries: 3, grinding: 1, coset_offset: 3, hash: HashFn::Keccak256 };

fn fibonacci() -> FibonacciRap {
    FibonacciRap::new(32, 16).expect("16 steps fit 32 rows")
}

fn prove(backend: &Arc<impl StarkBackend<P = Stark>>, options: &ProofOptions) -> Result<Vec<u8>, ProveError> {
    let air = Arc::new(fibonacci());
    let trace = airs::ExampleAir::<Stark>::trace(&*air);
    let proof = Prover::new(backend.clone(), air)?.prove(&trace, options, Seed::Given(&[]), &Silent)?;
    Ok(proof::encode(&proof))
}

#[test]
fn a_proof_is_the_golden_one() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/goldilocks");
    let golden =
        std::fs::read(folder.join("fibrap_fp3_n32_s16_b4_q3_c3_g1.proof.bin")).expect("it is in the repository");
    assert_eq!(prove(&Arc::new(Toy::new(CAPACITY)), &OPTIONS).expect("an honest trace"), golden);
}

#[test]
fn whole_proofs_of_every_air_equal_the_references() {
    for info in airs::all() {
        let air = airs::build::<Stark>(info.name, 32, &BTreeMap::new())
            .or_else(|_| {
                let wide = [("width".to_owned(), 3), ("degree".to_owned(), 3)].into();
                airs::build::<Stark>(info.name, 32, &wide)
            })
            .unwrap_or_else(|error| panic!("{}: {error}", info.name));
        // Every operation of the proof is compared, so a difference would name the operation, not only the proof.
        let both = Arc::new(Dual::new(Toy::new(CAPACITY), CpuReference::<Stark>::new()));
        let prover = Prover::new(both.clone(), air.clone()).expect("a sound AIR");
        let proof = prover
            .prove(&air.trace(), &OPTIONS, Seed::Default, &Silent)
            .unwrap_or_else(|error| panic!("{}: {error}", info.name));
        verifier::verify(prover.recorded(), &OPTIONS, Seed::Default, &proof, &Policy::ANY)
            .unwrap_or_else(|error| panic!("{}: {error}", info.name));
    }
}

#[test]
fn what_it_does_not_have_is_an_error_and_no_other_device_steps_in() {
    let toy = Arc::new(Toy::new(CAPACITY));
    let options = ProofOptions { hash: HashFn::Poseidon2, ..OPTIONS };
    match prove(&toy, &options) {
        Err(ProveError::Hal(error)) => assert_eq!(error.kind, ErrorKind::Unsupported, "{error}"),
        other => panic!("Poseidon2 on a device without it: {other:?}"),
    }
    assert_eq!(toy.memory().expect("memory()").in_use, 0);
}

#[test]
fn a_small_device_refuses_a_proof_before_any_work() {
    let small = Arc::new(Toy::new(1000));
    assert!(matches!(prove(&small, &OPTIONS), Err(ProveError::Memory { available: 1000, .. })));
    let memory = small.memory().expect("memory()");
    assert_eq!((memory.in_use, memory.peak), (0, 0));
}

#[test]
fn memory_that_is_full_is_an_error_and_the_device_works_on() {
    let small = Toy::new(1000);
    let error = small.upload(&[field::Goldilocks::new(1); 256], 1, 8).expect_err("2048 bytes on a device of 1000");
    assert_eq!((error.kind, error.op), (ErrorKind::OutOfMemory, "upload"));
    small.upload(&[field::Goldilocks::new(1); 64], 1, 6).expect("512 bytes fit");
}

#[test]
fn a_table_of_another_device_is_refused() {
    let (here, there) = (Toy::new(CAPACITY), Toy::new(CAPACITY));
    let table = there.upload(&[field::Goldilocks::new(1); 4], 1, 2).expect("four elements");
    let error = here.download(table.as_ref(), 0..4).expect_err("it is not here");
    assert_eq!(error.kind, ErrorKind::InvalidArgument);
}
