//! Whole proofs on the GPU: the golden ones, and against the CPU operation by operation. Skipped without a device,
//! unless `POLYSTARK_REQUIRE_BACKEND=cuda`.

use std::sync::Arc;

use air::airs;
use backend_cpu::Cpu;
use backend_cuda::{Cuda, NAME, open};
use field::{ExtensionField, Fp3, Goldilocks};
use golden::goldilocks::{check, check_vectors, digests, example, options, prove};
use goldilocks_proof::{Seed, Suite};
use gpu_hal::decorate::Dual;
use gpu_hal::{ErrorKind, GoldilocksStark, StarkBackend};
use hal_conformance::require_or_skip;
use prover_core::MemoryError;
use prover_core::goldilocks::ProveError;

type P = GoldilocksStark;

fn cuda<E: ExtensionField<Goldilocks>>() -> Option<Arc<Cuda<GoldilocksStark<E>>>> {
    require_or_skip(NAME, open()).map(Arc::new)
}

#[test]
fn every_vector() {
    let (Some(extension), Some(base)) = (cuda::<Fp3>(), cuda::<Goldilocks>()) else { return };
    check_vectors(&extension, &base);
}

#[test]
fn every_digest() {
    let Some(backend) = cuda::<Fp3>() else { return };
    digests().iter().for_each(|case| check(&backend, case));
}

#[test]
fn every_air_with_both_hashes_operation_by_operation() {
    let cpu = Arc::new(Cpu::<P>::new());
    for info in airs::all() {
        for (suite, rows) in
            [Suite::Keccak256, Suite::Poseidon2].into_iter().flat_map(|suite| [(suite, 64), (suite, 4096)])
        {
            let air = example(info.name, rows);
            let Some(cuda) = require_or_skip(NAME, open()) else { return };
            let dual = Arc::new(Dual::new(Cpu::<P>::new(), cuda));
            let bytes = prove(&dual, &air, &options(suite), Seed::Default);
            let bytes = bytes.unwrap_or_else(|error| panic!("{} with {suite}, {rows} rows: {error}", info.name));
            let expected = prove(&cpu, &air, &options(suite), Seed::Default);
            assert_eq!(bytes, expected.expect("an honest trace"), "{} with {suite}, {rows} rows", info.name);
        }
    }
}

#[test]
fn a_hundred_proofs_are_one_and_memory_does_not_grow() {
    let Some(backend) = cuda::<Fp3>() else { return };
    let air = example("fibonacci-rap", 1 << 10);
    let options = options(Suite::Keccak256);
    let first = prove(&backend, &air, &options, Seed::Default).expect("an honest trace");
    let memory = backend.memory().expect("counted");
    for _ in 0..100 {
        assert!(prove(&backend, &air, &options, Seed::Default).expect("an honest trace") == first);
    }
    let after = backend.memory().expect("counted");
    assert_eq!((after.in_use, after.peak), (memory.in_use, memory.peak));
}

#[test]
fn a_proof_that_does_not_fit_fails_and_a_smaller_one_works() {
    let Some(device) = require_or_skip(NAME, backend_cuda::CudaDevice::new(backend_cuda::Options::default())) else {
        return;
    };
    let backend = Arc::new(Cuda::<P>::with_memory_limit(NAME, device, 24 << 20).expect("a backend"));
    let (small, large) = (example("fibonacci-rap", 1 << 10), example("fibonacci-rap", 1 << 18));
    let options = options(Suite::Keccak256);
    let expected = prove(&Arc::new(Cpu::<P>::new()), &small, &options, Seed::Default).expect("an honest trace");
    for _ in 0..3 {
        match prove(&backend, &large, &options, Seed::Default) {
            Err(ProveError::Memory(MemoryError::Missing { .. })) => {}
            Err(ProveError::Hal(error)) => assert_eq!(error.kind, ErrorKind::OutOfMemory),
            other => panic!("the large proof: {:?}", other.map(|_| "proof")),
        }
        assert_eq!(prove(&backend, &small, &options, Seed::Default).expect("memory"), expected);
    }
}
