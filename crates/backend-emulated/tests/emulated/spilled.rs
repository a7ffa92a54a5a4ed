//! Devices that are too small for a statement: tables go to the host's memory in the form that kernels have them in,
//! and come back.

use std::sync::Arc;

use backend_emulated::{Emulated, NAME, device};
use backend_placement::{Sharded, Spilled};
use golden::goldilocks::{Cubic, example, options, prove};
use goldilocks_proof::{Seed, Suite};
use gpu_hal::erased::Device;
use gpu_hal::rehearsal::Spill;
use gpu_hal::{
    Budget, CircleStark, Columns, DeviceTree, ErrorKind, Footprint, HashFn, LeafLayout, MemoryInfo, OpenRequest,
    Opened, Operation, Protocol, StarkBackend,
};
use gpu_runtime::GpuProtocol;
use hal_conformance::Random;
use prover_core::goldilocks::{ProveError, Prover};
use prover_core::{Silent, circle};

type Spilling<P> = Sharded<Spilled<Emulated<P>>>;

/// `devices` devices, each in `parts` parts, with a memory limit.
fn spilling<P: GpuProtocol>(devices: usize, parts: usize, limit: u64) -> Arc<Spilling<P>> {
    spilling_as(devices, parts, limit, |inner| inner)
}

/// The same with each device as another backend.
fn spilling_as<P: GpuProtocol, O: gpu_hal::Operations>(
    devices: usize,
    parts: usize,
    limit: u64,
    as_other: impl Fn(Emulated<P>) -> O,
) -> Arc<Sharded<Spilled<O>>> {
    let budget = Budget::default();
    let open = |_| {
        let inner = Emulated::<P>::with_memory_limit(NAME, device().expect("a C++ compiler"), limit);
        let inner = Arc::new(as_other(inner.expect("a backend")));
        Spilled::parts(inner, limit, parts, || Some(1 << 40), devices, &budget)
    };
    let all = Sharded::in_parts((0..devices).map(open).collect());
    Arc::new(all.expect("powers of two").with_least_rows(1))
}

fn memory<B: StarkBackend>(backend: &B) -> MemoryInfo {
    backend.memory().expect("counted")
}

/// The memory taken and moved agrees with the plan, and the devices are empty again.
fn check<P: GpuProtocol>(backend: &Spilling<P>, devices: usize, limit: u64, spill: Spill) {
    let of_each: Vec<MemoryInfo> = backend.devices()[..devices].iter().map(|part| memory(part.inner())).collect();
    let (peak, moved): (u64, _) = (of_each.iter().map(|memory| memory.peak).sum(), memory(backend).moved);
    let what = format!("{spill:?} planned with {limit} bytes, {of_each:?}, {moved:?} moved");
    assert!(of_each.iter().all(|memory| memory.peak <= limit), "{what}");
    assert_eq!(memory(backend).in_use, 0, "{what}");
    assert!(peak <= spill.device_bytes && spill.device_bytes <= peak + peak / 50, "{what}");
    assert!(moved.is_some_and(|moved| moved > 0 && moved <= spill.moved_bytes), "{what}");
}

/// The least limit, to 1/16, with which something is planned, and the plan.
fn least<R>(mut high: u64, plan: impl Fn(u64) -> Option<R>) -> (u64, R) {
    let mut found = plan(high).expect("with all the memory that it takes");
    let mut low = 0;
    while high - low > high / 16 {
        let limit = low + (high - low) / 2;
        match plan(limit) {
            Some(plan) => (high, found) = (limit, plan),
            None => low = limit,
        }
    }
    (high, found)
}

#[test]
fn goldilocks_on_devices_in_parts() {
    let (air, options) = (example("fibonacci-rap", 1 << 9), options(Suite::Keccak256));
    let whole = Arc::new(Emulated::<Cubic>::new(NAME, device().expect("a C++ compiler")).expect("a backend"));
    let expected = prove(&whole, &air, &options, Seed::Default).expect("an honest trace");
    for (devices, parts) in [(1, 1), (2, 1), (2, 2)] {
        let prover = |limit| {
            let backend = spilling::<Cubic>(devices, parts, limit);
            (backend.clone(), Prover::new(backend, air.clone()).expect("a sound AIR"))
        };
        let plan = |limit| match prover(limit).1.plan(&options) {
            Ok(plan) => Some(plan.spill.expect("it moves tables")),
            Err(ProveError::Hal(error)) if error.kind == ErrorKind::OutOfMemory => None,
            Err(other) => panic!("{other}"),
        };
        let (limit, spill) = least(1 << 24, plan);
        let (backend, prover) = prover(limit);
        // Twice: memory that is kept is found again.
        for _ in 0..2 {
            let proof = prover.prove(&air.trace(), &options, Seed::Default, &Silent).expect("an honest trace");
            assert_eq!(
                goldilocks_proof::encode(&proof),
                expected,
                "{devices} devices in {parts} parts with {limit} bytes"
            );
        }
        check(&backend, devices, limit, Spill { moved_bytes: 2 * spill.moved_bytes, ..spill });
    }
}

#[test]
fn circle_on_two_devices() {
    // With enough rows that openings do not take most: a plan of openings assumes that all may be one device's.
    let is_plonk = |case: &golden::circle::Case| case.name.starts_with("plonk") && case.log_rows == 12;
    let case = golden::circle::digests().into_iter().find(is_plonk).expect("a digest");
    let (air, options) = (&case.air, &case.options);
    let prover = |limit| {
        let backend = spilling::<CircleStark>(2, 1, limit);
        circle::Prover::new(backend.clone(), air.clone(), options).map(|prover| (backend, prover)).ok()
    };
    let (limit, spill) = least(1 << 24, |limit| prover(limit).and_then(|(_, prover)| prover.plan().spill));
    let (backend, made) = prover(limit).expect("a limit that is enough");
    drop(made);
    golden::circle::check(&backend, &case);
    check(&backend, 2, limit, spill);
}

/// Openings are read where they are: for tables and trees in the host's memory, rows and paths equal the ones of a
/// device that has all, and nothing comes back.
fn opened_anywhere<P: GpuProtocol>(hash: HashFn, shapes: [(usize, u32); 2], layout: LeafLayout) {
    type Tables<B> = Vec<Columns<<B as StarkBackend>::Buffer>>;
    /// Columns, log2 of their rows, elements.
    type Uploaded<B> = (usize, u32, Vec<<<B as StarkBackend>::P as Protocol>::Base>);
    fn opened<B: StarkBackend>(
        backend: &B,
        tables: &[Columns<B::Buffer>],
        tree: &B::Tree,
        [rows, leaves]: [&[usize]; 2],
    ) -> Vec<Opened<<B::P as Protocol>::Base>> {
        let columns: Vec<_> = tables.iter().map(Columns::as_ref).collect();
        let all = OpenRequest { columns: &columns, tree, rows, leaves };
        let rows_alone = OpenRequest { columns: &columns[1..], tree, rows, leaves: &[] };
        backend.open(&[all, rows_alone]).expect("openings")
    }
    fn made<B: StarkBackend>(
        backend: &B,
        data: &[Uploaded<B>],
        layout: LeafLayout,
        hash: HashFn,
    ) -> (Tables<B>, B::Tree) {
        let upload = |(width, log, data): &Uploaded<B>| backend.upload(data, *width, *log).expect("room");
        let tables: Tables<B> = data.iter().map(upload).collect();
        let columns: Vec<_> = tables.iter().map(Columns::as_ref).collect();
        let tree = backend.merkle(&columns, layout, hash).expect("a tree");
        (tables, tree)
    }
    let random = &mut Random::new(11);
    let data = shapes.map(|(width, log)| (width, log, random.elements::<P::Base>(width << log)));
    let whole = Emulated::<P>::new(NAME, device().expect("a C++ compiler")).expect("a backend");
    let (tables, tree) = made(&whole, &data, layout, hash);
    let rows: Vec<usize> = (0..9).map(|_| random.below(1 << shapes[1].1)).chain([0, 0]).collect();
    let leaves: Vec<usize> = (0..11).map(|_| random.below(1 << tree.log_leaves())).chain([5, 4, 5]).collect();
    let expected = opened(&whole, &tables, &tree, [&rows, &leaves]);

    let kept = whole.footprint(&Footprint::Kept { log_domain: 0 });
    // The device as a value hands on what is stored, too.
    let backend = spilling_as(1, 1, kept + (320 << 10), |inner: Emulated<P>| Device::new(Arc::new(inner)));
    let (tables, tree) = made(&*backend, &data, layout, hash);
    let came = || {
        let inner = backend.devices()[0].inner().inner::<Emulated<P>>().expect("what was put in");
        let profile = inner.profile().expect("counted");
        let uploads = profile.operations.iter().find(|profile| profile.operation == Operation::Upload);
        uploads.map(|uploads| uploads.uploaded)
    };
    let check = |what: &str| {
        let before = came();
        assert!(opened(&*backend, &tables, &tree, [&rows, &leaves]) == expected, "{what}, {hash}");
        assert_eq!(came(), before, "{what}, {hash}: something was brought back");
    };
    check("all on the device");
    let zeros = vec![Default::default(); 64 << 10 >> size_of::<P::Base>().ilog2()];
    let log = zeros.len().ilog2();
    // One after the other leaves for others: the tables, then the tree.
    let mut others = Vec::new();
    for number in 0..5 {
        others.push(backend.upload(&zeros, 1, log).expect("room"));
        check(&format!("after {number} more"));
    }
    let live = data.iter().map(|(_, _, data)| size_of_val(data.as_slice()) as u64).sum::<u64>();
    assert!(memory(&*backend).moved.is_some_and(|moved| moved > live), "all three are in the host's memory");
    for table in &tables {
        drop(backend.select(&[table.as_ref()], &[(0, 0)]).expect("room"));
        check("one came back");
    }
}

#[test]
fn what_is_opened_is_read_where_it_is() {
    for rows_per_leaf in [1, 2] {
        for hash in [HashFn::Keccak256, HashFn::Poseidon2] {
            opened_anywhere::<Cubic>(hash, [(3, 12), (2, 12)], LeafLayout::new(rows_per_leaf));
        }
        opened_anywhere::<CircleStark>(HashFn::Blake2s, [(3, 12), (5, 12)], LeafLayout::new(rows_per_leaf));
    }
    for hash in [HashFn::Blake2s, HashFn::Poseidon252] {
        opened_anywhere::<CircleStark>(hash, [(7, 7), (5, 12)], LeafLayout::lifted(12));
    }
    // Trees that are kept whole.
    opened_anywhere::<CircleStark>(HashFn::Blake2s, [(300, 6), (200, 7)], LeafLayout::lifted(7));
    opened_anywhere::<Cubic>(HashFn::Keccak256, [(90, 6), (60, 6)], LeafLayout::new(1));
}
