//! A statement's bounds on its preprocessed columns, and the verifier's use of them.

use std::sync::Arc;

use circle_air::airs::ShippedAir;
use circle_air::{AirComponent, ClaimedSumError, ConfigError, PreprocessedColumn, Statement};
use circle_proof::{Policy, VerifyError, verify};
use field::circle::coset_row_to_storage;
use field::{Field, M31, QM31};
use golden::circle::{Vector, vector};
use gpu_hal::{EvalOrder, Recurrence};

fn result(vector: &Vector, statement: &dyn Statement) -> Result<(), VerifyError> {
    verify(statement, &vector.claimed_sums(), &vector.proof, &Policy::ANY).map(drop)
}

macro_rules! delegate {
    ($inner:tt) => {
        fn name(&self) -> &str {
            self.$inner.name()
        }

        fn words(&self) -> Vec<u32> {
            self.$inner.words()
        }

        fn preprocessed(&self, lifting: Option<u32>) -> Vec<PreprocessedColumn> {
            self.$inner.preprocessed(lifting)
        }

        fn draws(&self) -> usize {
            self.$inner.draws()
        }

        fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
            self.$inner.components(drawn)
        }

        fn check_claimed_sums(&self, drawn: &[QM31], sums: &[QM31]) -> Result<(), ClaimedSumError> {
            self.$inner.check_claimed_sums(drawn, sums)
        }

        fn check_config(&self, log_blowup: u32, lifting: Option<u32>) -> Result<(), ConfigError> {
            self.$inner.check_config(log_blowup, lifting)
        }

        fn variant(&self) -> Option<Box<dyn Statement>> {
            self.$inner.variant()
        }
    };
}

/// A statement with another program of its preprocessed columns, which are in storage order if that is wanted.
struct Programmed {
    inner: Arc<dyn ShippedAir>,
    program: Vec<Recurrence<M31>>,
    is_stored: bool,
    is_changed: bool,
}

impl Statement for Programmed {
    delegate!(inner);

    fn order(&self) -> EvalOrder {
        if self.is_stored { EvalOrder::Storage } else { EvalOrder::Row }
    }

    fn preprocessed_values(&self, lifting: Option<u32>) -> Vec<Vec<M31>> {
        let mut values = self.inner.preprocessed_values(lifting);
        if self.is_changed {
            values[0][3] += M31::ONE;
        }
        let stored = |column: Vec<M31>| {
            let mut stored = column.clone();
            let log_size = column.len().ilog2();
            column.iter().enumerate().for_each(|(row, value)| stored[coset_row_to_storage(row, log_size)] = *value);
            stored
        };
        if self.is_stored { values.into_iter().map(stored).collect() } else { values }
    }

    fn preprocessed_program(&self, _: Option<u32>) -> Option<Vec<Recurrence<M31>>> {
        Some(self.program.clone())
    }
}

/// The verifier evaluates the columns, whatever a program says that is not one of them by its shape.
#[test]
fn a_program_of_other_columns_counts_for_nothing() {
    let vector = vector("plonk_n5_b1_q3_f1_l0_p5");
    let inner = vector.statement();
    let columns = inner.preprocessed(None);
    let zero = |log_height| Recurrence {
        coefficients: vec![M31::ONE],
        initial: vec![M31::ZERO],
        restarts: Vec::new(),
        log_height,
    };
    let program = |more: u32| columns.iter().map(|column| zero(column.log_size + more)).collect::<Vec<_>>();
    for (program, is_stored) in [(Vec::new(), false), (program(1), false), (program(0), true)] {
        for is_changed in [false, true] {
            let statement = Programmed { inner: vector.statement(), program: program.clone(), is_stored, is_changed };
            let result = result(&vector, &statement);
            assert_eq!(result.is_ok(), !is_changed, "{} columns, stored: {is_stored}: {result:?}", program.len());
        }
    }
}

/// Something that is done to columns.
type Change = fn(&mut Vec<Vec<M31>>);

/// A statement that gives other values than it has columns.
struct Other {
    inner: Arc<dyn ShippedAir>,
    change: Change,
}

impl Statement for Other {
    delegate!(inner);

    fn preprocessed_values(&self, lifting: Option<u32>) -> Vec<Vec<M31>> {
        let mut values = self.inner.preprocessed_values(lifting);
        (self.change)(&mut values);
        values
    }
}

#[test]
fn a_statement_that_gives_other_columns_than_it_has_is_refused() {
    let vector = vector("plonk_n5_b1_q3_f1_l0_p5");
    let refused = |change| result(&vector, &Other { inner: vector.statement(), change }).unwrap_err();
    let fewer = refused(|values| drop(values.pop()));
    assert!(matches!(fewer, VerifyError::Shape(_)), "{fewer}");
    let changes: [(Change, usize); 2] =
        [(|values| values[1].truncate(31), 31), (|values| values[1].push(M31::ZERO), 33)];
    for (change, rows) in changes {
        let error = refused(change);
        let VerifyError::PreprocessedRows { column: 1, log_size: 5, found } = error else { panic!("{error}") };
        assert_eq!(found, rows);
    }
}

/// A statement whose columns have closed forms, and no values.
struct Closed(Arc<dyn ShippedAir>);

impl Statement for Closed {
    delegate!(0);

    fn preprocessed_values(&self, _: Option<u32>) -> Vec<Vec<M31>> {
        Vec::new()
    }

    fn preprocessed_program(&self, lifting: Option<u32>) -> Option<Vec<Recurrence<M31>>> {
        self.0.preprocessed_program(lifting)
    }
}

#[test]
fn values_of_closed_forms_are_not_asked_for() {
    let vector = vector("fibonacci_n4_b1_q3_f1_l0_p5");
    assert!(result(&vector, &Closed(vector.statement())).is_ok());
}
