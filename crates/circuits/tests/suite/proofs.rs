//! Proofs of circuits, from the values of the wires to the verdict of the published verifier.

use std::sync::Arc;
use std::time::Instant;

use backend_cpu::Cpu;
use circle_air::PreprocessedColumn;
use circle_proof::{CircleOptions, Suite};
use circuits::{
    Circuit, CircuitProof, CircuitProver, CircuitVerifier, Error, OptionsError, RefusedError, STARKNET_OPTIONS, Witness,
};
use field::circle::CirclePoint;
use field::{ExtensionField, M31, QM31};
use gpu_hal::{CircleStark, Digest, StarkBackend};
use hal_conformance::left_out_without_backend;
use prover_core::Silent;
use sha2::{Digest as _, Sha256};

use crate::{examples, files};

/// The smallest that a circuit can have: a table has `2^20` rows.
pub(crate) const OPTIONS: CircleOptions =
    CircleOptions { pow_bits: 5, log_blowup: 1, queries: 4, lifting: Some(21), ..STARKNET_OPTIONS };

pub(crate) struct Proven {
    circuit: Arc<Circuit>,
    pub(crate) verifier: CircuitVerifier,
    pub(crate) proofs: [CircuitProof; 2],
}

pub(crate) fn verifier(circuit: &Circuit, root: Digest, options: &CircleOptions) -> CircuitVerifier {
    CircuitVerifier::new(circuit.columns().to_vec(), circuit.outputs().len(), root, options).unwrap()
}

/// Two proofs with the same preprocessed columns.
pub(crate) fn proven() -> Proven {
    let circuit = examples::circuit();
    let backend = Arc::new(Cpu::<CircleStark>::new());
    let prover = |seed: u32, preprocessed| {
        CircuitProver::new(backend.clone(), examples::witness(&circuit, seed), &OPTIONS, preprocessed).unwrap()
    };
    let first = prover(5, None);
    assert_eq!(circuits::plan(&backend, &circuit, &OPTIONS).unwrap(), *first.plan());
    let second = prover(6, Some(first.preprocessed().clone()));
    let proofs = [&first, &second].map(|prover| prover.prove(&Silent).unwrap());
    Proven { verifier: verifier(&circuit, first.preprocessed().root(), &OPTIONS), circuit, proofs }
}

#[test]
fn the_verifier_takes_proofs_and_refuses_others() {
    let Proven { circuit, verifier: of_circuit, proofs } = proven();
    let [proof, other] = &proofs;
    assert_ne!(proof.outputs, other.outputs);
    for proof in &proofs {
        of_circuit.verify(proof).unwrap();
    }

    let changed = |change: &dyn Fn(&mut CircuitProof)| {
        let mut proof = proof.clone();
        change(&mut proof);
        of_circuit.verify(&proof).unwrap_err()
    };
    let mut wrong_root = proof.proof.commitments[0];
    wrong_root[0] ^= 1;
    let refused = verifier(&circuit, wrong_root, &OPTIONS).verify(proof).unwrap_err();
    assert!(matches!(refused, RefusedError::Root { .. }), "{refused}");
    let refused = changed(&|proof| proof.outputs.clone_from(&other.outputs));
    assert!(matches!(refused, RefusedError::InteractionWork(_)), "{refused}");
    let refused = changed(&|proof| proof.outputs.truncate(1));
    assert!(matches!(refused, RefusedError::Outputs(_)), "{refused}");
    let refused = changed(&|proof| proof.claimed_sums[3] += QM31::from(M31::new(1)));
    assert!(matches!(refused, RefusedError::Proof(_)), "{refused}");
    let refused = changed(&|proof| proof.claimed_sums.truncate(10));
    assert!(matches!(refused, RefusedError::Sums { found: 10 }), "{refused}");
    let refused = changed(&|proof| proof.proof.queried_values[1][7][0] += M31::new(1));
    assert!(matches!(refused, RefusedError::Proof(_)), "{refused}");
    let refused = changed(&|proof| proof.proof.commitments.clear());
    assert!(matches!(refused, RefusedError::Root { .. }), "{refused}");
    let refused = changed(&|proof| proof.proof.commitments.truncate(1));
    assert!(matches!(refused, RefusedError::InteractionWork(_)), "{refused}");
    let refused = changed(&|proof| proof.proof.config.queries = 5);
    assert!(matches!(refused, RefusedError::OtherOptions { .. }), "{refused}");
    let refused = changed(&|proof| proof.proof.commitments[1][3] = 0xff);
    assert!(matches!(refused, RefusedError::NotReduced), "{refused}");

    // A circuit that reads its wires in another order: all openings are right, the constraints are not.
    let mut columns = circuit.columns().to_vec();
    let place = |id: &str| circuit.columns().iter().position(|column| column.id == id).unwrap();
    columns.swap(place("qm31_ops_add_flag"), place("qm31_ops_sub_flag"));
    let root = proof.proof.commitments[0];
    let of_other = CircuitVerifier::new(columns, circuit.outputs().len(), root, &OPTIONS).unwrap();
    let refused = of_other.verify(proof).unwrap_err();
    assert!(matches!(refused, RefusedError::Reference(_)), "{refused}");
}

/// Also by a byte that is changed behind the transcript.
#[test]
fn written_proofs_are_taken_and_changed_ones_refused() {
    let Proven { verifier, proofs: [proof, other], .. } = proven();
    let written = verifier.write(&proof).unwrap();
    assert_eq!(written.len(), verifier.written_len());
    verifier.verify_written(&written, &proof.outputs).unwrap();
    let refused = |bytes: &[u8]| verifier.check_written(bytes, &proof.outputs).unwrap_err();
    let short = refused(&written[4..]);
    assert!(matches!(short, RefusedError::Length { found, expected } if found + 4 == expected), "{short}");
    let changed = |at: usize, word: u32| {
        let mut bytes = written.clone();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        refused(&bytes)
    };
    assert!(matches!(changed(8, 0x7fff_ffff), RefusedError::NotReducedAt { at: 8 }));
    assert!(matches!(changed(0, 1), RefusedError::Words { what: "salt" }));
    let word = |at: usize| u32::from_le_bytes(written[at..at + 4].try_into().unwrap());
    for at in (16..written.len()).step_by(written.len() / 300 * 4 + 4) {
        changed(at, (word(at) + 1) % 0x7fff_ffff);
    }
    let swapped = verifier.check_written(&written, &other.outputs).unwrap_err();
    assert!(matches!(swapped, RefusedError::InteractionWork(_)), "{swapped}");
}

#[test]
fn columns_that_are_not_a_circuits_are_refused() {
    let circuit = examples::circuit();
    let refused = |columns: Vec<PreprocessedColumn>| CircuitVerifier::new(columns, 2, [0; 32], &OPTIONS).unwrap_err();
    for missing in 0..circuit.columns().len() {
        let mut columns = circuit.columns().to_vec();
        let id = columns.remove(missing).id;
        assert!(matches!(refused(columns), RefusedError::NoColumn { id: found } if found == id));
    }
    let mut columns = circuit.columns().to_vec();
    columns.push(PreprocessedColumn::new("seq_17", 17));
    assert!(matches!(refused(columns), RefusedError::UnknownColumn { .. }));
    let misplaced = |change: &dyn Fn(&mut Vec<PreprocessedColumn>)| {
        let mut columns = circuit.columns().to_vec();
        change(&mut columns);
        assert!(matches!(refused(columns), RefusedError::MisplacedColumn { .. }));
    };
    misplaced(&|columns| columns.push(columns[columns.len() - 1].clone()));
    misplaced(&|columns| columns.reverse());
    misplaced(&|columns| columns[0].log_size -= 1);
}

#[test]
fn options_that_the_verifier_does_not_have_are_refused() {
    let circuit = examples::circuit();
    let refused = |options: CircleOptions| {
        let backend = Arc::new(Cpu::<CircleStark>::new());
        CircuitProver::new(backend, examples::witness(&circuit, 1), &options, None).err().unwrap()
    };
    let options = CircleOptions { suite: Suite::Blake2s, ..OPTIONS };
    assert!(matches!(refused(options), Error::Options(OptionsError::Suite(Suite::Blake2s))));
    assert!(matches!(refused(CircleOptions { lifting: None, ..OPTIONS }), Error::Options(OptionsError::NoLifting)));
    assert!(matches!(refused(CircleOptions { lifting: Some(20), ..OPTIONS }), Error::Prove(_)));
    for options in [
        CircleOptions { log_last: 1, ..OPTIONS },
        CircleOptions { pow_bits: 31, ..OPTIONS },
        CircleOptions { fold_step: 9, ..OPTIONS },
    ] {
        assert!(matches!(refused(options), Error::Options(OptionsError::Options { .. })), "{options:?}");
    }
}

/// The circuit that verifies the public Cairo proof, with Starknet's options: the bytes are the reference's, and the
/// published verifier takes them. It takes 6 GB and a minute on two cores, so it is made where `POLYSTARK_BACKEND` is
/// `cpu` or `cuda`.
#[test]
fn the_proof_of_a_public_proof_has_the_bytes_of_the_reference() {
    match std::env::var("POLYSTARK_BACKEND").unwrap_or_default().as_str() {
        "cpu" => proves_the_public_proof(Cpu::<CircleStark>::new()),
        "cuda" => proves_the_public_proof(backend_cuda::open::<CircleStark>().unwrap()),
        _ => left_out_without_backend("the proof of a circuit of 2^21 rows"),
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
    let verifier = verifier(&circuit, prover.preprocessed().root(), &STARKNET_OPTIONS);
    verifier.verify(&proof).unwrap();
    let sums: Vec<_> = vector["claimed_sums"].as_array().unwrap().iter().map(files::element).collect();
    assert_eq!(proof.claimed_sums, sums);
    assert_eq!(proof.interaction_nonce.to_string(), vector["interaction_pow_nonce"]);
    let bytes = verifier.write(&proof).unwrap();
    assert_eq!(bytes.len() as u64, vector["serialized"]["len"]);
    let roots: Vec<_> = proof.proof.commitments.iter().map(hex::encode).collect();
    let expected: Vec<_> = vector["roots"].as_array().unwrap().iter().map(|root| root.as_str().unwrap()).collect();
    assert_eq!(roots, expected);
    assert_eq!(proof.proof.proof_of_work.to_string(), vector["pow"]);
    assert_eq!(hex::encode(Sha256::digest(&bytes)), vector["serialized"]["sha256"]);
}

/// The constraints of production: Starknet's public proof, at its out-of-domain point, by our constraints.
#[test]
fn our_constraints_hold_at_the_point_of_a_public_proof() {
    let vector = files::vector("cairo_pie_10_transfers");
    let (circuit, columns) = (&vector["circuit"], files::vector("precompute_2597"));
    let columns = columns["circuit"]["preprocessed_columns"].as_array().unwrap();
    let bytes = files::read("vectors/circuits/cairo_pie_10_transfers.proof.bin");
    let words: Vec<u32> = bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    let mut felts = words[4 + 3 * 8..].chunks_exact(4).map(|felt| QM31([0, 1, 2, 3].map(|word| M31::new(felt[word]))));
    let mut next = |count: usize| felts.by_ref().take(count).collect::<Vec<_>>();
    let (sums, preprocessed, main) = (next(11), next(45), next(114));
    let drawn = |n: usize| {
        let draws = circuit["transcript"].as_array().unwrap().iter();
        let draws = draws.filter(|op| op["op"].as_str().unwrap().starts_with("draw_secure_felt"));
        draws
            .flat_map(|op| op["values"].as_array().cloned().unwrap_or_else(|| vec![op["value"].clone()]))
            .nth(n)
            .unwrap()
    };
    let [z, alpha, weight, parameter] = [0, 1, 2, 3].map(|draw| files::element(&drawn(draw)));
    let log_sizes: Vec<u32> =
        circuit["log_sizes"].as_array().unwrap().iter().map(|log_size| log_size.as_u64().unwrap() as u32).collect();
    let components = circuits::air::components(&log_sizes.try_into().unwrap(), &[z, alpha]);
    let (mut main, mut sum) = (main.into_iter(), QM31::default());
    let mut sums = sums.into_iter();
    let mut interactions = Vec::new();
    for component in &components {
        let recorded = component.record().unwrap();
        let width = recorded.width(2);
        // The last four are there at the previous point, too, behind.
        let columns: Vec<[QM31; 2]> = (0..width)
            .map(|column| if column + 4 < width { [next(1)[0]; 2] } else { next(2).try_into().unwrap() })
            .collect();
        interactions.push((recorded, columns));
    }
    let composition = next(8);
    for (recorded, interaction) in &interactions {
        let ids = recorded.preprocessed.iter();
        let place = |id: &String| columns.iter().position(|column| column[0] == id.as_str()).unwrap();
        let of_component: Vec<QM31> = ids.map(|id| preprocessed[place(id)]).collect();
        let main: Vec<QM31> = main.by_ref().take(recorded.width(1)).collect();
        let rows = QM31::from(M31::new(1 << recorded.log_size));
        let shift = sums.next().unwrap() * field::Field::inverse(rows).unwrap();
        let constraints =
            recorded.constraints.evaluate(&vec![shift; recorded.params], |group, column, offset| {
                match (group, offset) {
                    (0, 0) => of_component[column],
                    (1, 0) => main[column],
                    (2, 0) => interaction[column][0],
                    (2, -1) => interaction[column][1],
                    other => panic!("no component reads {other:?}"),
                }
            });
        sum = constraints.iter().fold(sum, |sum, constraint| sum * weight + *constraint);
    }
    let point = CirclePoint::from_parameter(parameter).unwrap();
    let doubled = |times: u32| CirclePoint::repeated_double_x(point.x, times);
    let halves: Vec<QM31> = composition
        .chunks_exact(4)
        .map(|of| (0..4).map(|i| <QM31 as ExtensionField<M31>>::basis(i) * of[i]).sum())
        .collect();
    assert_eq!(sum, (halves[0] + doubled(20) * halves[1]) * doubled(20));
}
