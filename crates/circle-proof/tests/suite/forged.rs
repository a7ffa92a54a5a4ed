//! Proofs of other statements, made by an honest prover for a dishonest purpose.

use std::sync::Arc;

use circle_air::airs::{ShippedAir, build};
use circle_proof::{CircleOptions, Policy, VerifyError, encode, verify};
use field::M31;
use prover_core::Silent;
use prover_core::circle::{ProveError, Prover};

use golden::backends::reference;
use golden::statements::Changed;
use gpu_hal::CircleStark;

/// A statement whose selectors are all zero: every trace satisfies its constraints.
fn without_selectors() -> Changed {
    Changed::new(fibonacci()).with_values(|values| values.iter_mut().for_each(|column| column.fill(M31::new(0))))
}

fn fibonacci() -> Arc<dyn ShippedAir> {
    build("fibonacci", 5, &[]).unwrap()
}

/// Numbers that satisfy nothing.
fn random_trace() -> Vec<Vec<Vec<M31>>> {
    let number = |row: u32| M31::new(row.wrapping_mul(0x9E37_79B9) ^ 0x5851_F42D);
    vec![vec![(0..32).map(number).collect()]]
}

fn options() -> CircleOptions {
    CircleOptions { pow_bits: 4, ..CircleOptions::default() }
}

#[test]
fn there_is_no_proof_of_a_random_trace() {
    let backend = Arc::new(reference::<CircleStark>());
    let air = fibonacci();
    let prover = Prover::new(backend.clone(), air.clone(), &options()).unwrap();
    let result = prover.prove(&random_trace(), &Silent);
    assert!(matches!(result, Err(ProveError::Unsatisfied(_))), "{result:?}");
}

#[test]
fn other_preprocessed_columns_are_another_statement() {
    let backend = Arc::new(reference::<CircleStark>());
    let blank = Arc::new(without_selectors());
    let prover = Prover::new(backend.clone(), blank.clone(), &options()).unwrap();
    let made = prover.prove(&random_trace(), &Silent).unwrap();
    let bytes = encode(&made.proof);
    // A true proof of the blank statement, with the transcript and lengths of the real one.
    assert!(verify(&*blank, &[], &bytes, &Policy::ANY).is_ok());
    let error = verify(&*fibonacci(), &[], &bytes, &Policy::ANY).unwrap_err();
    assert!(matches!(error, VerifyError::Preprocessed { .. }), "{error}");
}
