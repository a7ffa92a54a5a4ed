//! Whole proofs, byte for byte.

use std::sync::Arc;

use backend_cpu::Cpu;
use cairo::Proof;
use cairo::air_1_3::Air13;
use cairo::prove::CairoProver;
use cairo_air::verifier::verify_cairo;
use circle_proof::CircleOptions;
use gpu_hal::CircleStark;
use prover_core::Silent;
use prover_core::circle::{Keep, ProveError};
use sha2::{Digest, Sha256};
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleChannel;

use super::vectors::Vector;

fn is_proof_of(vector: &Vector, config: &str, proof: Proof) {
    let place = format!("{} {config}", vector.name);
    for (tree, root) in
        ["preprocessed", "main", "interaction", "composition"].iter().zip(proof.stark_proof.commitments.iter())
    {
        assert_eq!(root.0, vector.root(config, tree), "{place}: {tree}");
    }
    let expected = &vector.json["proofs"][config];
    let binary = hex::encode(Sha256::digest(bincode1::serialize(&proof).unwrap()));
    assert_eq!(expected["proof_bincode1_sha256"], binary, "{place}");
    let text = hex::encode(Sha256::digest(serde_json::to_string(&proof).unwrap()));
    assert_eq!(expected["proof_serde_json_sha256"], text, "{place}");
    verify_cairo::<Blake2sMerkleChannel>(proof).unwrap();
}

#[test]
fn proofs_are_those_of_the_vectors() {
    let backend = Arc::new(Cpu::<CircleStark>::new());
    let mut preprocessed = None;
    // The second takes the preprocessed columns of the first.
    for name in ["fib_10.small", "tiny.small"] {
        let vector = Vector::read(name);
        let (variant, options) = (vector.variant(), vector.options("low"));
        let prover = CairoProver::<Air13, _, _>::new(
            backend.clone(),
            vector.input(),
            variant,
            &options,
            0,
            false,
            preprocessed.take(),
        )
        .unwrap();
        is_proof_of(&vector, "low", prover.prove(&Silent).unwrap());
        let of_sources = prover.keeping(Keep::Sources).unwrap();
        let remade = of_sources.plan().remade.rows;
        assert!(remade > 0, "{}", of_sources.plan());
        is_proof_of(&vector, "low", of_sources.prove(&Silent).unwrap());
        let prover = of_sources.keeping(Keep::Halves).unwrap();
        assert!(prover.plan().remade.rows > remade, "{}", prover.plan());
        is_proof_of(&vector, "low", prover.prove(&Silent).unwrap());
        preprocessed = Some(prover.preprocessed().clone());
    }
    // Not with another blowup.
    let vector = Vector::read("fib_10.small");
    let options = CircleOptions { log_blowup: 2, ..vector.options("low") };
    let (input, variant) = (vector.input(), vector.variant());
    let other = CairoProver::<Air13, _, _>::new(backend, input, variant, &options, 0, false, preprocessed);
    assert!(matches!(other.err(), Some(cairo::prove::Error::Prove(ProveError::ForeignPreprocessed { .. }))));
}
