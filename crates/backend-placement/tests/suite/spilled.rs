//! Devices that are too small: the suite that any backend must pass, whole proofs, what they take, and moves that fail.
//! The backend inside is the reference, which counts every byte.

use std::collections::BTreeSet;
use std::sync::Arc;

use backend_placement::{Sharded, Spilled};
use backend_reference::{CpuReference, ReferenceProtocol};
use field::circle::CirclePoint;
use field::{Goldilocks, M31, QM31};
use golden::backends::reference;
use golden::goldilocks::Cubic;
use goldilocks_proof::{Seed, Suite};
use gpu_hal::decorate::{Fault, Faulty};
use gpu_hal::erased::Device;
use gpu_hal::{
    Budget, CircleDomain, CircleStark, Columns, DeepTerm, ErrorKind, MemoryInfo, Operation, Operations, Result,
    StarkBackend,
};
use hal_conformance::session;
use prover_core::{Silent, circle, goldilocks as coset};

type Spilling<O> = Sharded<Spilled<O>>;

fn make<O: Operations>(inner: O, parts: usize, limit: u64) -> Result<Spilling<O>> {
    make_devices(vec![inner], parts, limit)
}

/// Devices of one such limit each, in parts.
fn make_devices<O: Operations>(devices: Vec<O>, parts: usize, limit: u64) -> Result<Spilling<O>> {
    let (sharers, budget) = (devices.len(), Budget::default());
    let cut = |device| Spilled::parts(Arc::new(device), limit, parts, || Some(1 << 40), sharers, &budget);
    Ok(Sharded::in_parts(devices.into_iter().map(cut).collect())?.with_least_rows(1))
}

/// References as devices.
fn references<P: ReferenceProtocol>(count: usize) -> Vec<Device<P>>
where
    CpuReference<P>: StarkBackend<P = P>,
{
    (0..count).map(|_| reference()).collect()
}

/// Little more than the largest operation of the suite takes at once: of 21 columns of 2^14 rows an extension that is
/// four times as high.
const LIMIT: u64 = 14 << 20;

fn make_cut<P: ReferenceProtocol>(parts: usize) -> Result<Spilling<Device<P>>>
where
    CpuReference<P>: StarkBackend<P = P>,
{
    Ok(make(reference(), parts, LIMIT)?.with_cut_uploads())
}

mod goldilocks {
    hal_conformance::goldilocks!(|| super::make(super::reference::<super::Cubic>(), 1, super::LIMIT), "cpu-reference");
}

mod goldilocks_in_parts {
    hal_conformance::goldilocks!(|| super::make_cut::<super::Cubic>(4), "cpu-reference");
}

mod circle_in_parts {
    hal_conformance::circle!(|| super::make_cut::<super::CircleStark>(2), "cpu-reference");
}

mod goldilocks_on_two_devices_in_parts {
    hal_conformance::goldilocks!(
        || Ok(super::make_devices(super::references::<super::Cubic>(2), 2, super::LIMIT)?.with_cut_uploads()),
        "2 x cpu-reference"
    );
}

mod circle_on_two_devices {
    hal_conformance::circle!(
        || Ok(super::make_devices(super::references::<super::CircleStark>(2), 1, super::LIMIT)?.with_cut_uploads()),
        "2 x cpu-reference"
    );
}

fn inner<O: Operations>(backend: &Spilling<O>) -> &O {
    inners(backend, 1)[0]
}

/// The real devices, of which the first parts are one each.
fn inners<O: Operations>(backend: &Spilling<O>, devices: usize) -> Vec<&O> {
    backend.devices()[..devices].iter().map(|part| part.inner()).collect()
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

/// Proofs of both protocols, byte for byte, with as little memory of the device as can be: there is a plan for no power
/// of two that is less.
#[test]
fn golden_proofs_of_goldilocks() {
    for (devices, parts) in [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2)] {
        let mut all = 0;
        for case in golden::goldilocks::vectors().iter().filter(|v| !v.is_base()).map(|vector| &vector.case) {
            let make = |log: u32| make_devices(references::<Cubic>(devices), parts, 1u64 << log).expect("a limit");
            let backend = (8..).map(|log| Arc::new(make(log)));
            let fits = |backend: &Arc<_>| {
                let prover = coset::Prover::new(Arc::clone(backend), case.air()).expect("a sound AIR");
                prover.plan(&case.options).is_ok()
            };
            let backend = { backend }.find(fits).expect("some memory is enough");
            golden::goldilocks::check(&backend, case);
            all += moved(&*backend);
        }
        assert!(all > 1 << 19, "{all} bytes moved, {devices} devices in {parts} parts");
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
    let options = golden::goldilocks::options(Suite::Keccak256);
    for name in ["fibonacci-rap", "quadratic", "read-only-memory-logup"] {
        let air = golden::goldilocks::example(name, 1 << 10);
        let alone = Arc::new(CpuReference::<Cubic>::new());
        let alone = coset::Prover::new(alone, air.clone()).expect("a sound AIR");
        let whole = alone.rehearse(&options, false).expect("good options").peak_bytes;
        let expected = alone.prove(&air.trace(), &options, Seed::Default, &Silent).expect("an honest trace");
        let mut smallest = whole;
        for (devices, parts) in [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2)] {
            let prover = |limit| {
                let backend = make_devices(references::<Cubic>(devices), parts, limit).expect("a limit");
                let backend = Arc::new(backend);
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
            let what = format!("{name} on {devices} devices in {parts} parts with {limit} of {whole} bytes: {plan:?}");
            assert_eq!(proof, expected, "{what}");
            let peaks = || inners(&backend, devices).iter().map(|device| memory(*device).peak).collect::<Vec<u64>>();
            let (of_each, moved) = (peaks(), moved(&*backend));
            let peak: u64 = of_each.iter().sum();
            assert!(of_each.iter().all(|peak| *peak <= limit), "{what}: {of_each:?} bytes on the devices");
            assert!(peak <= spill.device_bytes, "{what}: {of_each:?} bytes on the devices");
            assert!(spill.device_bytes <= peak + peak / 50, "{what}: {of_each:?} bytes on the devices");
            assert!(moved > whole / 2 && moved <= spill.moved_bytes, "{what}: {moved} bytes moved");
            // A plan has every part open all queries, wherever they will be.
            assert!(spill.moved_bytes <= moved + whole, "{what}: {moved} bytes moved");
            assert!(spill.host_bytes + devices as u64 * limit >= whole && limit < whole * 3 / 4, "{what}");
            assert!(
                inners(&backend, devices).iter().all(|device| memory(*device).in_use == 0),
                "{what}: something is left"
            );
            // The peak of a device does not depend on threads.
            for _ in 0..2 {
                prover.prove(&air.trace(), &options, Seed::Default, &Silent).expect("an honest trace");
                assert_eq!(peaks(), of_each, "{what}");
            }
            // Each part has little more than its share.
            assert!(limit <= smallest || devices > 1, "{what}: fewer parts take {smallest}");
            smallest = limit;
        }
    }
}

#[test]
fn golden_proofs_of_circle() {
    for (devices, parts) in [(1, 1), (1, 2), (2, 1)] {
        let backend = make_devices(references::<CircleStark>(devices), parts, 3 << 16).expect("a limit");
        let backend = Arc::new(backend);
        golden::circle::proofs().iter().for_each(|case| golden::circle::check(&backend, case));
        let moved = moved(&*backend);
        // Proofs that make columns again, where that costs less, move fewer bytes.
        assert!(moved > 1 << 16, "{moved} bytes moved, {devices} devices in {parts} parts");
    }
}

/// A quotient of more tables than the device has room for is made of some after the others, and is the same.
#[test]
fn a_quotient_takes_as_many_tables_as_fit() {
    const LOG: u32 = 10;
    fn quotient<B: StarkBackend<P = CircleStark>>(on: &B) -> Result<Vec<M31>> {
        let table = |number: u32| {
            let log = LOG - number % 3;
            let elements: Vec<M31> = (0..8u32 << log).map(|at| M31::new(at * 77_777 + number * 7_654_321)).collect();
            on.upload(&elements, 8, log)
        };
        let tables = (0..6).map(table).collect::<Result<Vec<_>>>()?;
        let element = |number: u32| {
            let [a, b, c, d] = [1, 2, 3, 4].map(|part| M31::new(number * 1_000 + part));
            QM31::new(a, b, c, d)
        };
        // The second term is of the last table alone, the third of none.
        let weights: Vec<_> = (0..6).map(|table| (5 - table, table, element(table as u32))).collect();
        let terms: Vec<_> = [weights, vec![(5, 7, element(9))], vec![]]
            .into_iter()
            .zip(3..)
            .map(|(weights, at)| DeepTerm {
                point: CirclePoint::from_parameter(element(at)).expect("a point"),
                weights,
                constant: element(20 + at),
                slope: element(30 + at),
            })
            .collect();
        let refs: Vec<_> = tables.iter().map(Columns::as_ref).collect();
        let made = on.deep_quotient(&refs, CircleDomain::prefix_of(LOG, LOG - 1), &terms)?;
        on.download(made.as_ref(), 0..1 << (LOG - 1))
    }
    let expected = quotient(&reference::<CircleStark>()).expect("enough memory");
    let whole = (8 * size_of::<M31>() as u64) << LOG;
    let peak = |limit: u64| {
        let backend = make(reference::<CircleStark>(), 1, limit).expect("a limit");
        assert!(quotient(&backend).expect("some tables fit") == expected, "{limit} bytes");
        memory(inner(&backend)).peak
    };
    let all = peak(1 << 40);
    assert!(all > 3 * whole, "{all} bytes");
    let limit = whole * 5 / 2;
    let least = peak(limit);
    assert!(least <= limit, "{least} bytes");
}

/// A plan of a backend as a value is that of the backend: peaks, what is moved, every operation; of one device, of
/// several, in parts.
#[test]
fn a_plan_of_a_value_is_that_of_the_backend_inside() {
    fn coset_plans<B: StarkBackend<P = Cubic>>(backend: Arc<B>, generated: bool) -> String {
        let (air, options) =
            (golden::goldilocks::example("fibonacci-rap", 1 << 10), golden::goldilocks::options(Suite::Keccak256));
        let prover = coset::Prover::new(backend, air).expect("a sound AIR");
        format!("{:?}", prover.rehearse(&options, generated).expect("good options"))
    }
    fn circle_plan<B: StarkBackend<P = CircleStark>>(backend: Arc<B>) -> String {
        let case = golden::circle::proofs().swap_remove(0);
        let prover = circle::Prover::new(backend, case.air.clone(), &case.options).expect("provable");
        format!("{:?} {:?}", prover.plan(), prover.rehearse(false).expect("provable"))
    }
    let mut all = BTreeSet::new();
    for (devices, parts, limit) in [(1, 1, 1 << 40), (2, 1, 1 << 40), (1, 2, 3 << 16), (2, 2, 3 << 16)] {
        let backend = || Arc::new(make_devices(references::<Cubic>(devices), parts, limit).expect("a limit"));
        for generated in [false, true] {
            let plan = coset_plans(backend(), generated);
            assert_eq!(coset_plans(Arc::new(Device::new(backend())), generated), plan);
            all.insert(plan);
        }
        let backend = || Arc::new(make_devices(references::<CircleStark>(devices), parts, limit).expect("a limit"));
        let plan = circle_plan(backend());
        assert_eq!(circle_plan(Arc::new(Device::new(backend()))), plan);
        all.insert(plan);
    }
    assert_eq!(all.len(), 12, "plans differ");
}

/// A device has one copy of a table for all of its parts, made from wherever that is, until one of the two is changed.
#[test]
fn a_device_needs_one_copy() {
    fn copies_of<B: StarkBackend<P = Cubic>>(here: &B, others: [&B; 2], in_use: impl Fn() -> [u64; 2]) {
        const LOG: u32 = 12;
        let elements: Vec<Goldilocks> = (0..1 << LOG).map(Goldilocks::new).collect();
        let upload = || here.upload(&elements, 1, LOG).expect("room");
        let read = |on: &B, table: &Columns<B::Buffer>| on.download(table.as_ref(), 0..1 << LOG).expect("a copy");
        let copies = |table: &Columns<B::Buffer>| others.map(|on| here.copy_to(table.as_ref(), on).expect("room"));
        let table = upload();
        let [one, mut other] = copies(&table);
        assert_eq!(in_use(), [1, 1], "both parts have the same");
        others[1].accumulate(other.as_mut(), one.as_ref()).expect("room");
        assert_eq!(in_use(), [1, 2], "it was changed: the other part has what it had");
        assert!(read(others[0], &one) == elements);
        drop((one, other));
        // Room for others: the first goes to the host, and from there to the peer.
        let more = [upload(), upload()];
        let moved = [here, others[0]].map(moved);
        let [one, other] = copies(&table);
        assert_eq!(in_use(), [2, 1]);
        assert_eq!([here, others[0]].map(self::moved), [moved[0], moved[1] + (8 << LOG)]);
        assert!(read(others[0], &one) == elements && read(others[1], &other) == elements);
        // A copy that was changed, and nobody else has, is none any more.
        drop((one, other));
        let mut changed = here.copy_to(table.as_ref(), others[0]).expect("room");
        let summand = others[0].upload(&elements, 1, LOG).expect("room");
        others[0].accumulate(changed.as_mut(), summand.as_ref()).expect("room");
        drop(summand);
        let [one, _other] = copies(&table);
        assert!(read(others[0], &one) == elements);
        // A table that was changed is another copy.
        drop(more);
        let mut table = table;
        let before = upload();
        here.accumulate(table.as_mut(), before.as_ref()).expect("room");
        let doubled: Vec<Goldilocks> = elements.iter().map(|element| *element + *element).collect();
        let [new, _too] = copies(&table);
        assert!(read(others[0], &one) == elements && read(others[0], &new) == doubled);
    }
    let backend = make_devices(references::<Cubic>(2), 2, 64 << 10).expect("a limit");
    let [here, there, _, too] = backend.devices() else { panic!("four parts") };
    copies_of(&**here, [there, too], || [here, there].map(|part| memory(part.inner()).in_use >> 15));
    assert!([here, there].iter().all(|part| memory(&***part).in_use == 0));
}

/// An error names the real device, whichever of its parts has it.
#[test]
fn a_device_that_fails_is_named() {
    let devices = (0..2).map(|_| Faulty::new(CpuReference::<Cubic>::new())).collect();
    let backend = make_devices(devices, 2, 1 << 40).expect("a limit");
    let second = inners(&backend, 2)[1];
    second.disarm();
    let words = session(&backend, 3, 4).expect("no fault").words;
    let calls = second.seen();
    assert!(calls > 20, "{calls} operations on the second device");
    for after in 0..calls {
        second.arm(Fault { operation: None, after, kind: ErrorKind::OutOfMemory });
        let error = session(&backend, 3, 4).expect_err("a fault");
        assert_eq!(error.kind, ErrorKind::OutOfMemory, "{error}");
        assert!(error.detail.starts_with("device 1 of 2: "), "{error}");
        let taken = inners(&backend, 2).iter().map(|device| memory(*device).in_use).collect::<Vec<_>>();
        assert_eq!(taken, [0, 0], "after {error}");
    }
    second.disarm();
    assert_eq!(session(&backend, 3, 4).expect("no fault").words, words);
}

#[test]
fn devices_and_parts_are_powers_of_two() {
    for (devices, parts) in [(0, 1), (3, 1), (1, 0), (2, 3)] {
        let error = make_devices(references::<Cubic>(devices), parts, 1 << 20).expect_err("no power of two");
        assert_eq!(error.kind, ErrorKind::InvalidArgument, "{devices} devices in {parts} parts");
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
