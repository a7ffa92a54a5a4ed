//! Many proofs: in a row, and of drawn statements. For the backends of devices.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use air::airs;
use backend_cpu::Cpu;
use gpu_hal::{Dual, HashFn, StarkBackend};
use hal_conformance::Random;
use proof::{ProofOptions, Seed};
use prover_core::Silent;
use prover_core::goldilocks::{ProveError, Prover};
use verifier::Policy;

use crate::goldilocks::{Cubic, example, options, prove};

const HASHES: [HashFn; 2] = [HashFn::Keccak256, HashFn::Poseidon2];

/// `count` proofs of `rows` rows by one prover, in turns with either hash function: each is the same every time, and from the third turn on
/// no memory is taken that was not there, nor given back. `kept` says what the backend keeps beside what it counts.
///
/// # Panics
/// If not.
pub fn repeated<B: StarkBackend<P = Cubic>>(backend: &Arc<B>, kept: impl Fn(&B) -> u64, rows: u64, count: usize) {
    let air = example("fibonacci-rap", rows);
    let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    let trace = air.trace();
    let mut first = Vec::new();
    let mut memory = None;
    for number in 0..count {
        let turn = number % HASHES.len();
        let options = options(HASHES[turn]);
        let proof = prover.prove(&trace, &options, Seed::Default, &Silent).expect("an honest trace");
        verifier::verify(prover.recorded(), &options, Seed::Default, &proof, &Policy::ANY).expect("an honest proof");
        let bytes = proof::encode(&proof);
        match first.get(turn) {
            None => first.push(bytes),
            Some(first) => assert!(bytes == *first, "proof {number} is another"),
        }
        let info = backend.memory().expect("counted");
        let now = (info.in_use, info.peak, kept(backend));
        if number >= 2 * HASHES.len() {
            assert_eq!(memory, Some(now), "(in use, peak, kept) changed with proof {number}");
        }
        memory = Some(now);
    }
}

/// Every example in turn, `count` statements in all, with drawn options and heights: operation by operation as on the processor.
///
/// # Panics
/// If an operation differs, or the verifier refuses a proof.
pub fn against_the_processor<B: StarkBackend<P = Cubic>>(
    backend: B,
    seed: u64,
    count: usize,
    logs: RangeInclusive<u32>,
) {
    let dual = Arc::new(Dual::new(Cpu::<Cubic>::new(), backend));
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
            hash: HASHES[random.below(2)],
        };
        let air = airs::build::<Cubic>(name, rows, &params).expect("an example");
        match prove(&dual, &air, &options, Seed::Default) {
            Ok(_) => proven += 1,
            // More parts than the blowup has room for, or an offset within the domain.
            Err(ProveError::Options(_)) => {}
            Err(error) => panic!("{name} {params:?}, {rows} rows, {options:?}: {error}"),
        }
        assert!(tried < 10 * count + 100, "{proven} of {tried} statements could be proven");
    }
}
