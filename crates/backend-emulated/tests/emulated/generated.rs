//! Traces that the kernels make: whole proofs equal the proofs of uploaded traces, here and on the reference.

use std::sync::Arc;

use air::airs;
use backend_emulated::{Emulated, EmulatedDevice, NAME, Options};
use backend_reference::CpuReference;
use golden::goldilocks::options;
use goldilocks_proof::{Seed, Suite};
use gpu_hal::{GoldilocksStark, Operation};
use prover_core::Silent;
use prover_core::goldilocks::Prover;

type P = GoldilocksStark;

#[test]
fn the_proof_of_a_generated_trace_is_that_of_the_uploaded_one() {
    let device = EmulatedDevice::new(Options { seed: 5, ..Options::default() }).expect("a C++ compiler");
    let emulated = Arc::new(Emulated::<P>::new(NAME, device).expect("a backend"));
    let reference = Arc::new(CpuReference::<P>::new());
    let names = ["fibonacci-rap", "simple-fibonacci", "fibonacci-2-columns", "periodic"];
    for (name, steps) in names.map(|name| (name, None)).into_iter().chain([2, 17, 62].map(|n| (names[0], Some(n)))) {
        for suite in Suite::ALL {
            let params = steps.map(|steps| ("steps".to_owned(), steps)).into_iter().collect();
            let air = airs::build::<P>(name, 64, &params).expect("an example");
            let options = options(suite);
            let prover = Prover::new(emulated.clone(), air.clone()).expect("a sound AIR");
            assert!(prover.generates());
            let before = emulated.launches(Operation::Recurrence);
            let generated = prover.prove_generated(&options, Seed::Default, &Silent).expect("an honest trace");
            assert!(emulated.launches(Operation::Recurrence) > before, "{name}: no kernel made the trace");
            let uploaded = prover.prove(&air.trace(), &options, Seed::Default, &Silent).expect("an honest trace");
            assert!(generated == uploaded, "{name} {steps:?} with {suite}");
            let other = Prover::new(reference.clone(), air.clone()).expect("a sound AIR");
            let expected = other.prove_generated(&options, Seed::Default, &Silent).expect("an honest trace");
            assert!(generated == expected, "{name} {steps:?} with {suite}, against the reference");
        }
    }
}
