//! Many proofs: in a row, and of drawn statements. For every backend of the runtime.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::sync::Arc;

use air::airs::{self, ExampleAir};
use backend_cpu::Cpu;
use gpu_hal::{Dual, GoldilocksStark, HashFn, StarkBackend};
use gpu_runtime::{GpuBackend, KernelDevice};
use hal_conformance::Random;
use proof::{ProofOptions, Seed};
use prover_core::{ProveError, Prover, Silent};
use verifier::Policy;

pub(crate) type P = GoldilocksStark;

pub(crate) fn example(name: &str, rows: u64) -> Arc<dyn ExampleAir<P>> {
    let params: BTreeMap<String, u64> = match name {
        "wide" => [("width".to_owned(), 5), ("degree".to_owned(), 3)].into(),
        _ => BTreeMap::new(),
    };
    airs::build::<P>(name, rows, &params).expect("an example")
}

pub(crate) fn options(hash: HashFn) -> ProofOptions {
    ProofOptions { blowup: 4, queries: 5, grinding: 3, coset_offset: 3, hash }
}

/// A proof that the verifier accepts.
pub(crate) fn prove<B: StarkBackend<P = P>>(
    backend: &Arc<B>,
    air: &Arc<dyn ExampleAir<P>>,
    options: &ProofOptions,
) -> Result<Vec<u8>, ProveError> {
    let prover = Prover::new(backend.clone(), air.clone())?;
    let proof = prover.prove(&air.trace(), options, Seed::Default, &Silent)?;
    verifier::verify(prover.recorded(), options, Seed::Default, &proof, &Policy::ANY).expect("an honest proof");
    Ok(proof::encode(&proof))
}

/// The peak of a backend that has proven nothing yet is what the plan says, or a fiftieth less.
pub(crate) fn planned_is_measured<B: StarkBackend<P = P>>(backend: &Arc<B>, air: &Arc<dyn ExampleAir<P>>, blowup: u32) {
    let options = ProofOptions { blowup, ..options(HashFn::Keccak256) };
    let name = air.name();
    let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    // More parts than this blowup has room for.
    let Ok(plan) = prover.plan(&options) else { return };
    prover.prove(&air.trace(), &options, Seed::Default, &Silent).expect("an honest trace");
    let (peak, planned) = (backend.memory().expect("counted").peak, plan.peak_bytes);
    assert!(
        peak <= planned && (planned - peak) * 50 <= planned,
        "{name}, 2^{} rows, blowup {blowup}: {peak} bytes taken, {planned} planned ({})",
        plan.log_trace,
        plan.peak_at
    );
}

/// `count` proofs of `rows` rows, in turns with either hash function: each is the same every time, and from the second turn on no
/// memory is taken that was not there, nor given back.
pub(crate) fn repeated<D: KernelDevice>(backend: &GpuBackend<D, P>, rows: u64, count: usize) {
    let air = example("fibonacci-rap", rows);
    let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    let trace = air.trace();
    let hashes = [HashFn::Keccak256, HashFn::Poseidon2];
    let mut first = Vec::new();
    let mut memory = None;
    for number in 0..count {
        let options = options(hashes[number % hashes.len()]);
        let proof = prover.prove(&trace, &options, Seed::Default, &Silent).expect("an honest trace");
        verifier::verify(prover.recorded(), &options, Seed::Default, &proof, &Policy::ANY).expect("an honest proof");
        let bytes = proof::encode(&proof);
        match first.get(number % hashes.len()) {
            None => first.push(bytes),
            Some(first) => assert!(bytes == *first, "proof {number} is another"),
        }
        let info = backend.memory().expect("counted");
        let now = (info.in_use, info.peak, backend.kept_bytes());
        if number >= 2 * hashes.len() {
            assert_eq!(memory, Some(now), "(in use, peak, kept) changed with proof {number}");
        }
        memory = Some(now);
    }
}

/// Every example in turn, `count` statements in all, with drawn options and heights: operation by operation as on the processor.
pub(crate) fn against_the_processor<D: KernelDevice>(
    backend: GpuBackend<D, P>,
    seed: u64,
    count: usize,
    logs: std::ops::RangeInclusive<u32>,
) {
    let dual = Arc::new(Dual::new(Cpu::<P>::new(), backend));
    let random = &mut Random::new(seed);
    let (mut proven, mut tried) = (0, 0);
    while proven < count {
        let name = airs::all()[tried % airs::all().len()].name;
        tried += 1;
        let rows = 1u64 << random.between(*logs.start(), *logs.end());
        let params: BTreeMap<String, u64> = match name {
            "wide" => {
                let (width, degree) = (1 + random.below(24) as u64, 2 + random.below(3) as u64);
                [("width".to_owned(), width), ("degree".to_owned(), degree)].into()
            }
            _ => BTreeMap::new(),
        };
        let options = ProofOptions {
            blowup: 2 << random.below(4),
            queries: 1 + random.below(40) as u32,
            grinding: random.below(11) as u32,
            coset_offset: 3 + random.below(1 << 30) as u64,
            hash: [HashFn::Keccak256, HashFn::Poseidon2][random.below(2)],
        };
        let air = airs::build::<P>(name, rows, &params).expect("an example");
        match prove(&dual, &*air, &options) {
            Ok(_) => proven += 1,
            // More parts than the blowup has room for, or an offset within the domain.
            Err(ProveError::Options(_)) => {}
            Err(error) => panic!("{name} {params:?}, {rows} rows, {options:?}: {error}"),
        }
        assert!(tried < 10 * count + 100, "{proven} of {tried} statements could be proven");
    }
}
