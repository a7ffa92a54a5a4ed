//! Whole proofs, byte for byte.

use std::sync::Arc;

use backend_cpu::Cpu;
use backend_reference::CpuReference;
use cairo::prove::CairoProver;
use cairo::verify::Proof;
use cairo::witness::schedule::{Live, Witness};
use cairo_air::verifier::verify_cairo;
use circle_proof::CircleOptions;
use field::M31;
use gpu_hal::{CircleStark, Columns, StarkBackend};
use prover_core::circle::{ProveError, Prover, TraceMaker};
use prover_core::{Silent, Stage};
use sha2::{Digest, Sha256};
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleChannel;

use super::vectors::Vector;

fn is_proof_of(vector: &Vector, config: &str, proof: Proof) {
    let place = format!("{} {config}", vector.name);
    for (tree, root) in
        ["preprocessed", "main", "interaction", "composition"].iter().zip(proof.stark_proof.commitments.iter())
    {
        assert_eq!(*root, vector.root(config, tree), "{place}: {tree}");
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
        let prover =
            CairoProver::new(backend.clone(), vector.input(), variant, &options, 0, preprocessed.take()).unwrap();
        is_proof_of(&vector, "low", prover.prove(&Silent).unwrap());
        preprocessed = Some(prover.preprocessed().clone());
    }
    // Not with another blowup.
    let vector = Vector::read("fib_10.small");
    let options = CircleOptions { log_blowup: 2, ..vector.options("low") };
    let other = CairoProver::new(backend, vector.input(), vector.variant(), &options, 0, preprocessed);
    assert!(matches!(other.err(), Some(cairo::prove::Error::Prove(ProveError::ForeignPreprocessed { .. }))));
}

/// Columns that are there already: those of an honest run, and what was changed.
struct Given(Vec<(usize, u32, Vec<M31>)>);

impl TraceMaker for Given {
    fn make<B: StarkBackend<P = CircleStark>, S: Stage<B>>(
        &self,
        stage: S,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        let upload = |(width, log_height, values): &(usize, u32, Vec<M31>)| {
            stage.upload(backend, Columns::new((), *width, *log_height), || Ok(values.as_slice().into()))
        };
        self.0.iter().map(upload).collect()
    }
}

/// A proof of the run of `fib_10` with one cell changed: of a component, in the given column and row.
fn forged(component: &str, column: usize, row: usize) -> ProveError {
    let vector = Vector::read("fib_10.small");
    let witness = Witness::new(vector.input(), vector.variant()).unwrap();
    let reference = CpuReference::<CircleStark>::new();
    let tables = witness.tables(&Live, &reference).unwrap();
    let download = |table: &Columns<_>| {
        let values = reference.download(table.as_ref(), 0..table.height()).unwrap();
        (table.width, table.log_height, values)
    };
    let mut given: Vec<_> = tables.iter().map(download).collect();
    let index = witness.sizes().components().iter().position(|size| size.component.name == component).unwrap();
    let (_, log_height, values) = &mut given[index];
    values[(column << *log_height) + row] += M31::new(1);
    let backend = Arc::new(Cpu::<CircleStark>::new());
    let options = vector.options("low");
    let prover = Prover::with_maker(backend, Arc::new(vector.statement()), &options, Given(given), None).unwrap();
    prover.prove_made(&Silent).unwrap_err()
}

#[test]
fn one_use_too_many_of_a_table() {
    // All constraints hold; found out before the interaction columns are committed to.
    assert!(matches!(forged("range_check_9_9", 0, 5), ProveError::ClaimedSums(_)));
}

#[test]
fn one_cell_that_the_constraints_refuse() {
    // The first of two inverses, which no lookup reads.
    let error = forged("jnz_opcode_taken", 36, 0);
    assert!(matches!(error, ProveError::Unsatisfied(_)), "{error}");
}
