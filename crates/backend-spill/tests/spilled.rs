//! Devices that are too small: the suite that any backend must pass, whole proofs, what they take, and moves that fail. The backend inside is
//! the reference, which counts every byte.

use std::sync::Arc;

use backend_reference::{CpuReference, ReferenceProtocol};
use backend_sharded::Sharded;
use backend_spill::Spilled;
use golden::goldilocks::Cubic;
use gpu_hal::{
    Budget, CircleStark, ErrorKind, Fault, Faulty, HashFn, MemoryInfo, Operation, Operations, Result, StarkBackend,
};
use hal_conformance::session;
use proof::Seed;
use prover_core::{Silent, goldilocks as coset};

type Spilling<O> = Sharded<Spilled<O>>;

fn make<O: Operations>(inner: O, parts: usize, limit: u64) -> Result<Spilling<O>> {
    let host = || Some(1 << 40);
    let parts = Spilled::parts(Arc::new(inner), parts, limit, host, &Budget::default())?;
    Ok(Sharded::of_parts(parts)?.with_least_rows(1))
}

/// Little more than the largest operations of the suite take at once.
const LIMIT: u64 = 9 << 20;

fn make_cut<P: ReferenceProtocol>(parts: usize) -> Result<Spilling<CpuReference<P>>> {
    Ok(make(CpuReference::new(), parts, LIMIT)?.with_cut_uploads())
}

mod goldilocks {
    hal_conformance::goldilocks!(
        || super::make(super::CpuReference::<super::Cubic>::new(), 1, super::LIMIT),
        "cpu-reference"
    );
}

mod goldilocks_in_parts {
    hal_conformance::goldilocks!(|| super::make_cut::<super::Cubic>(4), "cpu-reference");
}

mod circle_in_parts {
    hal_conformance::circle!(|| super::make_cut::<super::CircleStark>(2), "cpu-reference");
}

fn inner<O: Operations>(backend: &Spilling<O>) -> &O {
    backend.devices()[0].inner()
}

/// The least limit, to 1/16, with which something is planned, and one that is too small.
fn least(mut high: u64, plan: impl Fn(u64) -> Option<ErrorKind>) -> u64 {
    assert_eq!(plan(high), None, "with all the memory that it takes");
    let mut low = 0;
    while high - low > high / 16 {
        let limit = low + (high - low) / 2;
        match plan(limit) {
            None => high = limit,
            Some(kind) => {
                assert_eq!(kind, ErrorKind::OutOfMemory);
                low = limit;
            }
        }
    }
    high
}

/// Proofs of both protocols, byte for byte, with as little memory of the device as can be: there is a plan for no power of two that is less.
#[test]
fn golden_proofs_of_goldilocks() {
    for parts in [1, 2, 4] {
        let mut all = 0;
        for case in golden::goldilocks::vectors().iter().filter(|v| !v.is_base()).map(|vector| &vector.case) {
            let backend =
                (8..).map(|log| Arc::new(make(CpuReference::<Cubic>::new(), parts, 1 << log).expect("a limit")));
            let fits = |backend: &Arc<_>| {
                let prover = coset::Prover::new(Arc::clone(backend), case.air()).expect("a sound AIR");
                prover.plan(&case.options).is_ok()
            };
            let backend = { backend }.find(fits).expect("some memory is enough");
            golden::goldilocks::check(&backend, case);
            all += moved(&*backend);
        }
        assert!(all > 1 << 19, "{all} bytes moved, {parts} parts");
    }
}

fn memory<B: StarkBackend>(backend: &B) -> MemoryInfo {
    backend.memory().expect("counted")
}

fn moved<B: StarkBackend>(backend: &B) -> u64 {
    memory(backend).moved.expect("it moves tables")
}

#[test]
fn a_plan_is_what_is_taken_and_moved() {
    let options = golden::goldilocks::options(HashFn::Keccak256);
    for name in ["fibonacci-rap", "quadratic", "read-only-memory-logup"] {
        let air = golden::goldilocks::example(name, 1 << 10);
        let alone = Arc::new(CpuReference::<Cubic>::new());
        let alone = coset::Prover::new(alone, air.clone()).expect("a sound AIR");
        let whole = alone.rehearse(&options, false).expect("good options").peak_bytes;
        let expected = alone.prove(&air.trace(), &options, Seed::Default, &Silent).expect("an honest trace");
        let mut smallest = whole;
        for parts in [1, 2, 4] {
            let prover = |limit| {
                let backend = Arc::new(make(CpuReference::<Cubic>::new(), parts, limit).expect("a limit"));
                (backend.clone(), coset::Prover::new(backend, air.clone()).expect("a sound AIR"))
            };
            let limit = least(2 * whole, |limit| match prover(limit).1.plan(&options) {
                Ok(_) => None,
                Err(coset::ProveError::Hal(error)) => Some(error.kind),
                Err(other) => panic!("{other}"),
            });
            let (backend, prover) = prover(limit);
            let plan = prover.plan(&options).expect("a limit that is enough");
            let spill = plan.spill.expect("it moves tables");
            let proof = prover.prove(&air.trace(), &options, Seed::Default, &Silent).expect("an honest trace");
            assert_eq!(proof, expected, "{name} in {parts} parts");
            let what = format!("{name} in {parts} parts with {limit} of {whole} bytes: {plan:?}");
            let (peak, moved) = (memory(inner(&backend)).peak, moved(&*backend));
            assert!(peak <= spill.device_bytes && spill.device_bytes <= limit, "{what}: {peak} bytes on the device");
            assert!(moved > whole / 2 && moved <= spill.moved_bytes, "{what}: {moved} bytes moved");
            // A plan has every part open all queries, wherever they will be.
            assert!(spill.moved_bytes <= moved + whole, "{what}: {moved} bytes moved");
            assert!(spill.host_bytes + limit >= whole && limit < whole * 3 / 4, "{what}");
            assert!(memory(inner(&backend)).in_use == 0, "{what}: something is left");
            // Each part has little more than its share.
            assert!(limit <= smallest, "{what}: fewer parts take {smallest}");
            smallest = limit;
        }
    }
}

#[test]
fn golden_proofs_of_circle() {
    for parts in [1, 2] {
        let backend = Arc::new(make(CpuReference::<CircleStark>::new(), parts, 3 << 16).expect("a limit"));
        golden::circle::proofs().iter().for_each(|case| golden::circle::check(&backend, case));
        let moved = moved(&*backend);
        assert!(moved > 1 << 20, "{moved} bytes moved, {parts} parts");
    }
}

/// Wherever an operation or a move fails, the error says so, tables are valid, and nothing stays taken.
#[test]
fn moves_may_fail() {
    let make = |limit| make(Faulty::new(CpuReference::<Cubic>::new()), 2, limit).expect("a limit");
    let words = session(&make(1 << 40), 3, 4).expect("no fault").words;
    let limit = least(1 << 40, |limit| session(&make(limit), 3, 4).err().map(|error| error.kind));
    let backend = make(limit);
    let faulty = inner(&backend);
    assert_eq!(session(&backend, 3, 4).expect("no fault").words, words);
    let moves = [Operation::Upload, Operation::Download].map(|operation| faulty.seen_of(operation));
    assert!(moves.iter().all(|moves| *moves > 3), "{moves:?} moves, {limit} bytes");
    faulty.disarm();
    session(&backend, 3, 4).expect("no fault");
    for after in 0..faulty.seen() {
        faulty.arm(Fault { operation: None, after, kind: ErrorKind::OutOfMemory });
        let error = session(&backend, 3, 4).expect_err("a fault");
        assert_eq!(error.kind, ErrorKind::OutOfMemory, "{error}");
        assert!(error.detail.starts_with("injected fault"), "{error}");
        assert_eq!(memory(faulty).in_use, 0, "after {error}");
        assert_eq!(memory(&backend).in_use, 0, "after {error}");
    }
    assert_eq!(session(&backend, 3, 4).expect("no fault").words, words);
}
