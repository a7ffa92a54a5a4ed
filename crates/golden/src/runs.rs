//! Many proofs: in a row, of drawn statements, and next to their rehearsals.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use air::airs;
use backend_cpu::Cpu;
use goldilocks_proof::{Seed, Suite, lambdaworks};
use goldilocks_verifier::Policy;
use gpu_hal::decorate::{Dual, Metered};
use gpu_hal::rehearsal::Rehearsal;
use gpu_hal::{CircleStark, StarkBackend};
use hal_conformance::Random;
use prover_core::goldilocks::{ProveError, Prover};
use prover_core::{Silent, circle};

use crate::circle::statements;
use crate::goldilocks::{Cubic, example, options, prove};

const SUITES: [Suite; 2] = [Suite::Keccak256, Suite::Poseidon2];

/// `count` proofs of `rows` rows by one prover, in turns with either hash function: each is the same every time, and
/// from the third turn on no memory is taken that was not there, nor given back. `kept` is the memory that the backend
/// keeps beside the counted one.
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
        let turn = number % SUITES.len();
        let options = options(SUITES[turn]);
        let proof = prover.prove(&trace, &options, Seed::Default, &Silent).expect("an honest trace");
        goldilocks_verifier::verify(prover.recorded(), &options, Seed::Default, &proof, &Policy::ANY)
            .expect("an honest proof");
        let bytes = goldilocks_proof::encode(&proof);
        match first.get(turn) {
            None => first.push(bytes),
            Some(first) => assert!(bytes == *first, "proof {number} is another"),
        }
        let info = backend.memory().expect("counted");
        let now = (info.in_use, info.peak, kept(backend));
        if number >= 2 * SUITES.len() {
            assert_eq!(memory, Some(now), "(in use, peak, kept) changed with proof {number}");
        }
        memory = Some(now);
    }
}

/// Every example in turn, `count` statements in all, with drawn options and heights: operation by operation as on the
/// processor.
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
        let options = lambdaworks::Options {
            blowup: 2 << random.below(4),
            queries: 1 + random.below(40) as u32,
            grinding: random.below(11) as u32,
            coset_offset: 3 + random.below(1 << 30) as u64,
            suite: SUITES[random.below(2)],
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

/// Proves every example, from a trace of the host and, where that is possible, one of the device: `check` sees the
/// rehearsal, the meter of the proof, the bytes that stay on the device, and the proof.
///
/// # Panics
/// If there is no proof.
pub fn rehearsed<B: StarkBackend<P = Cubic>>(
    make: impl Fn() -> B,
    options: &lambdaworks::Options,
    check: impl Fn(&Rehearsal, &Metered<B>, u64, &str),
) {
    for info in airs::all() {
        let params = match info.name {
            "wide" => [("width".to_owned(), 3), ("degree".to_owned(), 4)].into(),
            _ => BTreeMap::new(),
        };
        let air = airs::build::<Cubic>(info.name, 64, &params).expect("an example");
        let backend = Arc::new(Metered::new(make()));
        let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
        for generated in [false, true] {
            if generated && !prover.generates() {
                continue;
            }
            let rehearsal = prover.rehearse(options, generated).expect("good options");
            backend.reset();
            let made = match generated {
                true => prover.prove_generated(options, Seed::Default, &Silent),
                false => prover.prove(&air.trace(), options, Seed::Default, &Silent),
            };
            made.expect("an honest trace");
            check(&rehearsal, &backend, 0, &format!("{}, generated: {generated}", info.name));
        }
    }
}

/// [`rehearsed`] for the Circle protocol: every statement of this many rows, with two shapes of FRI. A proof whose
/// queries are out of order ends before its openings.
///
/// # Panics
/// If there is another reason for no proof.
pub fn rehearsed_circle<B: StarkBackend<P = CircleStark>>(
    make: impl Fn() -> B,
    log_rows: u32,
    check: impl Fn(&Rehearsal, &Metered<B>, u64, &str),
) {
    for air in statements(log_rows) {
        for (fold_step, log_last) in [(2, 0), (1, 1)] {
            let options = circle_proof::CircleOptions { fold_step, log_last, ..crate::circle::options() };
            let backend = Arc::new(Metered::new(make()));
            let prover = circle::Prover::new(backend.clone(), air.clone(), &options).expect("provable");
            for generated in [false, true] {
                if generated && !prover.generates() {
                    continue;
                }
                let rehearsal = prover.rehearse(generated).expect("provable");
                backend.reset();
                match if generated { prover.prove_generated(&Silent) } else { prover.prove(&air.trace(), &Silent) } {
                    Ok(_) | Err(circle::ProveError::Unsorted(_)) => {}
                    Err(error) => panic!("{}: {error}", air.name()),
                }
                let kept = prover.plan().kept_bytes;
                check(&rehearsal, &backend, kept, &format!("{}, generated: {generated}", air.name()));
            }
        }
    }
}
