//! Proofs made here: the default seed, the default policy, the second hash function.

use std::sync::Arc;

use air::airs::{ExampleAir, FibonacciRap, ReadOnlyMemoryLogup, SimpleFibonacci};
use field::{Field, PrimeField};
use golden::backends::cpu;
use goldilocks_proof::merkle::PathError;
use goldilocks_proof::{Proof, Seed, Suite, lambdaworks};
use goldilocks_verifier::{Part, Policy, VerifyError, verify};
use prover_core::Silent;
use prover_core::goldilocks::Prover;

use crate::common::Cubic;

fn prove(air: &Arc<dyn ExampleAir<Cubic>>, options: &lambdaworks::Options, seed: Seed<'_>) -> Proof<Cubic> {
    let backend = Arc::new(cpu::<Cubic>());
    let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
    prover.prove(&air.trace(), options, seed, &Silent).expect("an honest trace")
}

fn small(suite: Suite) -> lambdaworks::Options {
    lambdaworks::Options { blowup: 8, queries: 7, grinding: 2, coset_offset: 7, suite }
}

#[test]
fn default_options_pass_the_default_policy() {
    let air: Arc<dyn ExampleAir<Cubic>> = Arc::new(FibonacciRap::new(256, 200).expect("possible"));
    let recorded = air::record::<Cubic, _>(&*air).expect("valid");
    for suite in [Suite::Keccak256, Suite::Poseidon2] {
        let options = lambdaworks::Options { grinding: 8, suite, ..lambdaworks::Options::default() };
        let proof = prove(&air, &options, Seed::Default);
        let verified = verify(&recorded, &options, Seed::Default, &proof, &Policy::default()).expect("valid");
        // 96 queries of -log2(sqrt(259/1024)) bits, less a little, and 8 of work.
        assert_eq!(verified.security.provable.bits, 103);
    }
}

#[test]
fn the_default_seed_is_not_a_given_one() {
    let other = SimpleFibonacci::new(32).expect("possible");
    let air: Arc<dyn ExampleAir<Cubic>> = Arc::new(SimpleFibonacci::new(16).expect("possible"));
    let recorded = air::record::<Cubic, _>(&*air).expect("valid");
    let options = small(Suite::Keccak256);
    let seeded = |proof, seed| verify(&recorded, &options, seed, proof, &Policy::ANY).is_ok();
    let default = prove(&air, &options, Seed::Default);
    assert!(seeded(&default, Seed::Default) && !seeded(&default, Seed::Given(b"")));
    let given = prove(&air, &options, Seed::Given(b"bytes"));
    assert!(seeded(&given, Seed::Given(b"bytes")) && !seeded(&given, Seed::Default));
    // The seed of one statement given for another: the same bytes, so it verifies; the default does not.
    let foreign = goldilocks_verifier::transcript_seed(&air::record::<Cubic, _>(&other).expect("valid"), &options);
    let stolen = prove(&air, &options, Seed::Given(&foreign));
    assert!(seeded(&stolen, Seed::Given(&foreign)) && !seeded(&stolen, Seed::Default));
}

#[test]
fn proofs_with_poseidon2() {
    let options = small(Suite::Poseidon2);
    let airs: [Arc<dyn ExampleAir<Cubic>>; 3] = [
        Arc::new(FibonacciRap::new(64, 40).expect("possible")),
        Arc::new(ReadOnlyMemoryLogup::new(16).expect("possible")),
        Arc::new(SimpleFibonacci::new(32).expect("possible")),
    ];
    for air in airs {
        let recorded = air::record::<Cubic, dyn ExampleAir<Cubic>>(&*air).expect("valid");
        let proof = prove(&air, &options, Seed::Default);
        let check = |proof: &Proof<Cubic>, options: &lambdaworks::Options, seed: Seed<'_>| {
            verify(&recorded, options, seed, proof, &Policy::ANY).map(drop)
        };
        assert_eq!(check(&proof, &options, Seed::Default), Ok(()), "{}", recorded.name());
        // The same proof taken for one with Keccak, with the seed that it was made with: only the trees differ.
        let seed = goldilocks_verifier::transcript_seed(&recorded, &options);
        assert_eq!(check(&proof, &options, Seed::Given(&seed)), Ok(()));
        let keccak = small(Suite::Keccak256);
        assert!(matches!(
            check(&proof, &keccak, Seed::Given(&seed)),
            Err(VerifyError::Path { query: _, part: Part::Main, error: PathError::Root })
        ));
        for query in 0..proof.deep_openings.len() {
            for level in 0..proof.deep_openings[query].main.path.len() {
                let mut changed = proof.clone();
                changed.deep_openings[query].main.path[level][7] ^= 1;
                assert!(check(&changed, &options, Seed::Default).is_err());
                // A digest that is no field elements, though congruent to the right one where that is possible.
                let mut changed = proof.clone();
                let word = &mut changed.deep_openings[query].main.path[level][..8];
                word.copy_from_slice(&field::Goldilocks::ORDER.to_be_bytes());
                assert!(check(&changed, &options, Seed::Default).is_err());
            }
            let mut changed = proof.clone();
            changed.deep_openings[query].main.evaluations[0] += field::Goldilocks::ONE;
            assert_eq!(check(&changed, &options, Seed::Default), Err(VerifyError::LastValue { query }));
        }
    }
}
