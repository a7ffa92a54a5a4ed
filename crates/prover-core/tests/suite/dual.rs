//! Whole proofs of random statements on two backends at once, operation by operation, and accepted by the verifier.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::airs;
use golden::backends::{cpu_of, reference};
use goldilocks_proof::{Seed, Suite, lambdaworks};
use goldilocks_verifier::Policy;
use gpu_hal::GoldilocksStark;
use gpu_hal::decorate::Dual;
use proptest::prelude::*;
use prover_core::Silent;
use prover_core::goldilocks::Prover;

type P = GoldilocksStark;

#[derive(Clone, Debug)]
struct Case {
    air: &'static str,
    log_rows: u32,
    steps: u64,
    width: u64,
    degree: u64,
    options: lambdaworks::Options,
}

fn cases() -> impl Strategy<Value = Case> {
    let names: Vec<&'static str> = airs::all().iter().map(|info| info.name).collect();
    let suite = prop_oneof![Just(Suite::Keccak256), Just(Suite::Poseidon2)];
    let options = (1u32..5, 1u32..12, 0u32..6, prop_oneof![Just(3u64), Just(7), any::<u64>()], suite);
    (proptest::sample::select(names), 2u32..10, any::<u64>(), 1u64..9, 1u64..9, options).prop_map(
        |(air, log_rows, steps, width, degree, (log_blowup, queries, grinding, coset_offset, suite))| Case {
            air,
            log_rows,
            steps,
            width,
            degree,
            options: lambdaworks::Options { blowup: 1 << log_blowup, queries, grinding, coset_offset, suite },
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn both_backends_agree_and_the_verifier_accepts(case in cases()) {
        let rows = 1u64 << case.log_rows;
        let params: BTreeMap<String, u64> = match case.air {
            "fibonacci-rap" => [("steps".to_owned(), 2 + case.steps % (rows - 2))].into(),
            "wide" => [("width".to_owned(), case.width), ("degree".to_owned(), case.degree)].into(),
            _ => BTreeMap::new(),
        };
        // A frame of 16 rows needs 16 rows; other sizes are refused with an error, which is tested elsewhere.
        let Ok(air) = airs::build::<P>(case.air, rows, &params) else { return Ok(()) };
        let backend = Arc::new(Dual::new(reference::<P>(), cpu_of::<P>(2)));
        let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
        if prover.plan(&case.options).is_err() {
            return Ok(());
        }
        let proof = prover.prove(&air.trace(), &case.options, Seed::Default, &Silent);
        let proof = proof.unwrap_or_else(|error| panic!("{case:?}: {error}"));
        let bytes = goldilocks_proof::encode(&proof);
        let policy = Policy::ANY;
        goldilocks_verifier::verify_bytes(prover.recorded(), &case.options, Seed::Default, &bytes, &policy)
            .unwrap_or_else(|error| panic!("{case:?}: {error}"));
    }
}
