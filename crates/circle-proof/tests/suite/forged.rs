//! Proofs of other statements, made by an honest prover for a dishonest purpose.

use std::sync::Arc;

use circle_air::airs::{ShippedAir, build};
use circle_air::{AirComponent, ClaimedSumError, ConfigError, PreprocessedColumn, Statement};
use circle_proof::{CircleOptions, Policy, VerifyError, encode, verify};
use field::{M31, QM31};
use prover_core::Silent;
use prover_core::circle::{ProveError, Prover};

use golden::backends::reference;
use gpu_hal::CircleStark;

/// A statement whose selectors are all zero: every trace satisfies its constraints.
struct Blank(Arc<dyn ShippedAir>);

impl Statement for Blank {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn words(&self) -> Vec<u32> {
        self.0.words()
    }

    fn preprocessed(&self, lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        self.0.preprocessed(lifting)
    }

    fn preprocessed_values(&self, lifting: Option<u32>) -> Vec<Vec<M31>> {
        let values = self.0.preprocessed_values(lifting);
        values.into_iter().map(|column| vec![M31::new(0); column.len()]).collect()
    }

    fn draws(&self) -> usize {
        self.0.draws()
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        self.0.components(drawn)
    }

    fn check_claimed_sums(&self, drawn: &[QM31], sums: &[QM31]) -> Result<(), ClaimedSumError> {
        self.0.check_claimed_sums(drawn, sums)
    }

    fn check_config(&self, log_blowup: u32, lifting: Option<u32>) -> Result<(), ConfigError> {
        self.0.check_config(log_blowup, lifting)
    }

    fn variant(&self) -> Option<Box<dyn Statement>> {
        self.0.variant()
    }
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
    let blank = Arc::new(Blank(fibonacci()));
    let prover = Prover::new(backend.clone(), blank.clone(), &options()).unwrap();
    let made = prover.prove(&random_trace(), &Silent).unwrap();
    let bytes = encode(&made.proof);
    // A true proof of the blank statement, with the transcript and lengths of the real one.
    assert!(verify(&*blank, &[], &bytes, &Policy::ANY).is_ok());
    let error = verify(&*fibonacci(), &[], &bytes, &Policy::ANY).unwrap_err();
    assert!(matches!(error, VerifyError::Preprocessed { .. }), "{error}");
}
