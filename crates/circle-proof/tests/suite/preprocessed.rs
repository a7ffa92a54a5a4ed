//! A statement's bounds on its preprocessed columns, and the verifier's use of them.

use circle_air::Statement;
use circle_proof::{Policy, VerifyError, verify};
use field::{Field, M31};
use golden::circle::{Vector, vector};
use golden::statements::Changed;
use gpu_hal::{EvalOrder, LinearRecurrence};

fn result(vector: &Vector, statement: &dyn Statement) -> Result<(), VerifyError> {
    verify(statement, &vector.claimed_sums(), &vector.proof, &Policy::ANY).map(drop)
}

/// The verifier evaluates the columns, whatever a program says that is not one of them by its shape.
#[test]
fn a_program_of_other_columns_counts_for_nothing() {
    let vector = vector("plonk_n5_b1_q3_f1_l0_p5");
    let inner = vector.statement();
    let columns = inner.preprocessed(None);
    let zero = |log_height| LinearRecurrence {
        coefficients: vec![M31::ONE],
        initial: vec![M31::ZERO],
        restarts: Vec::new(),
        log_height,
    };
    let program = |more: u32| columns.iter().map(|column| zero(column.log_size + more)).collect::<Vec<_>>();
    let (row, storage) = (EvalOrder::Row, EvalOrder::Storage);
    for (program, order) in [(Vec::new(), row), (program(1), row), (program(0), storage)] {
        for is_changed in [false, true] {
            let columns = program.len();
            let given = program.clone();
            let statement = Changed::new(vector.statement())
                .in_order(order)
                .with_programs(move |programs| programs.clone_from(&given))
                .with_values(move |values| values[0][3] += if is_changed { M31::ONE } else { M31::ZERO });
            let result = result(&vector, &statement);
            assert_eq!(result.is_ok(), !is_changed, "{columns} columns, {order:?}: {result:?}");
        }
    }
}

/// Something that is done to columns.
type Change = fn(&mut Vec<Vec<M31>>);

#[test]
fn a_statement_that_gives_other_columns_than_it_has_is_refused() {
    let vector = vector("plonk_n5_b1_q3_f1_l0_p5");
    let refused = |change: Change| result(&vector, &Changed::new(vector.statement()).with_values(change)).unwrap_err();
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

/// A statement whose columns have closed forms needs no values.
#[test]
fn values_of_closed_forms_are_not_asked_for() {
    let vector = vector("fibonacci_n4_b1_q3_f1_l0_p5");
    let statement = Changed::new(vector.statement()).with_values(Vec::clear).with_programs(|_| ());
    assert!(result(&vector, &statement).is_ok());
}
