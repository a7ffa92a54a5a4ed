//! Proofs of circuits, from the values of the wires to the verdict of the published verifier.

use std::sync::Arc;
use std::time::Instant;

use backend_cpu::Cpu;
use circle_proof::{CircleOptions, Suite};
use circuit_serialize::serialize::CircuitSerialize;
use circuits::{Circuit, CircuitProof, CircuitProver, Error, RefusedError, STARKNET_OPTIONS, Witness};
use field::{M31, QM31};
use gpu_hal::{CircleStark, Digest, StarkBackend};
use prover_core::Silent;
use sha2::{Digest as _, Sha256};

use crate::{examples, files};

/// The smallest that a circuit can have: a table has `2^20` rows.
const OPTIONS: CircleOptions =
    CircleOptions { pow_bits: 5, log_blowup: 1, queries: 4, lifting: Some(21), ..STARKNET_OPTIONS };

struct Proven {
    circuit: Arc<Circuit>,
    root: Digest,
    proofs: [CircuitProof; 2],
}

/// Two proofs with the same preprocessed columns.
fn proven() -> Proven {
    let circuit = examples::circuit();
    let backend = Arc::new(Cpu::<CircleStark>::new());
    let prover = |seed: u32, preprocessed| {
        CircuitProver::new(backend.clone(), examples::witness(&circuit, seed), &OPTIONS, preprocessed).unwrap()
    };
    let first = prover(5, None);
    let second = prover(6, Some(first.preprocessed().clone()));
    let proofs = [&first, &second].map(|prover| prover.prove(&Silent).unwrap());
    Proven { root: first.preprocessed().root(), circuit, proofs }
}

#[test]
fn the_verifier_takes_proofs_and_refuses_others() {
    let Proven { circuit, root, proofs } = proven();
    let [proof, other] = &proofs;
    assert_ne!(proof.outputs, other.outputs);
    let verdict = |proof: &CircuitProof, root: &Digest| proof.verify(&circuit, root, &OPTIONS);
    for proof in &proofs {
        verdict(proof, &root).unwrap();
    }

    let changed = |change: &dyn Fn(&mut CircuitProof)| {
        let mut proof = proof.clone();
        change(&mut proof);
        verdict(&proof, &root).unwrap_err()
    };
    let mut wrong_root = root;
    wrong_root[0] ^= 1;
    assert!(matches!(verdict(proof, &wrong_root), Err(RefusedError::Root { .. })));
    let refused = changed(&|proof| proof.outputs.clone_from(&other.outputs));
    assert!(matches!(refused, RefusedError::InteractionWork(_)), "{refused}");
    let refused = changed(&|proof| proof.outputs.truncate(1));
    assert!(matches!(refused, RefusedError::Outputs(_)), "{refused}");
    let refused = changed(&|proof| proof.claimed_sums[3] += QM31::from(M31::new(1)));
    assert!(matches!(refused, RefusedError::ClaimedSums(_)), "{refused}");
    let refused = changed(&|proof| {
        let moved = QM31::from(M31::new(1));
        proof.claimed_sums[3] += moved;
        proof.claimed_sums[4] -= moved;
    });
    assert!(matches!(refused, RefusedError::Proof(_)), "{refused}");
    let refused = changed(&|proof| proof.claimed_sums.truncate(10));
    assert!(matches!(refused, RefusedError::Sums { found: 10 }), "{refused}");
    let refused = changed(&|proof| proof.proof.queried_values[1][7][0] += M31::new(1));
    assert!(matches!(refused, RefusedError::Proof(_)), "{refused}");
    let refused = changed(&|proof| proof.proof.commitments.clear());
    assert!(matches!(refused, RefusedError::InteractionWork(_) | RefusedError::Proof(_)), "{refused}");
    let refused = changed(&|proof| proof.proof.config.queries = 5);
    assert!(matches!(refused, RefusedError::OtherOptions { .. }), "{refused}");
    let refused = changed(&|proof| proof.proof.commitments[1][3] = 0xff);
    assert!(matches!(refused, RefusedError::NotReduced), "{refused}");
}

#[test]
fn options_that_the_verifier_does_not_have_are_refused() {
    let circuit = examples::circuit();
    let refused = |options: CircleOptions| {
        let backend = Arc::new(Cpu::<CircleStark>::new());
        CircuitProver::new(backend, examples::witness(&circuit, 1), &options, None).err().unwrap()
    };
    let options = CircleOptions { suite: Suite::Blake2s, ..OPTIONS };
    assert!(matches!(refused(options), Error::Suite(Suite::Blake2s)));
    assert!(matches!(refused(CircleOptions { lifting: None, ..OPTIONS }), Error::NoLifting));
    assert!(matches!(refused(CircleOptions { lifting: Some(20), ..OPTIONS }), Error::Prove(_)));
}

/// The circuit that verifies the public Cairo proof, proven with Starknet's options: the bytes of the reference. It takes
/// 10 GB and minutes on two cores, so it is made where `POLYSTARK_BACKEND` is `cpu` or `cuda`.
#[test]
fn the_proof_of_a_public_proof_has_the_bytes_of_the_reference() {
    match std::env::var("POLYSTARK_BACKEND").unwrap_or_default().as_str() {
        "cpu" => proves_the_public_proof(Cpu::<CircleStark>::new()),
        "cuda" => proves_the_public_proof(backend_cuda::open::<CircleStark>().unwrap()),
        _ => eprintln!("left out: the proof of a circuit of 2^21 rows: POLYSTARK_BACKEND=cuda has it made on a GPU"),
    }
}

fn proves_the_public_proof(backend: impl StarkBackend<P = CircleStark>) {
    let vector = &files::vector("privacy_tx_1169")["circuit"];
    let mut context = files::of_public_proof();
    let circuit = Arc::new(Circuit::new(&mut context).unwrap());
    let witness = Witness::of(circuit.clone(), &context).unwrap();
    drop(context);
    let prover = CircuitProver::new(Arc::new(backend), witness, &STARKNET_OPTIONS, None).unwrap();
    let begun = Instant::now();
    let proof = prover.prove(&Silent).unwrap();
    eprintln!("proven in {:?}, {} bytes planned", begun.elapsed(), prover.plan().peak_bytes);
    let roots: Vec<_> = proof.proof.commitments.iter().map(hex::encode).collect();
    let expected: Vec<_> = vector["roots"].as_array().unwrap().iter().map(|root| root.as_str().unwrap()).collect();
    assert_eq!(roots, expected);
    let sums: Vec<_> = vector["claimed_sums"].as_array().unwrap().iter().map(files::element).collect();
    assert_eq!(proof.claimed_sums, sums);
    assert_eq!(proof.interaction_nonce.to_string(), vector["interaction_pow_nonce"]);
    assert_eq!(proof.proof.proof_of_work.to_string(), vector["pow"]);
    let mut bytes = Vec::new();
    proof.for_verifier(&circuit, &STARKNET_OPTIONS).unwrap().serialize(&mut bytes);
    assert_eq!(bytes.len() as u64, vector["serialized"]["len"]);
    assert_eq!(hex::encode(Sha256::digest(&bytes)), vector["serialized"]["sha256"]);
    proof.verify(&circuit, &prover.preprocessed().root(), &STARKNET_OPTIONS).unwrap();
}
