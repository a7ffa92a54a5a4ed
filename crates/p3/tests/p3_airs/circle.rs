//! Proofs over Mersenne31.

use circle_air::Statement;
use field::{Field, M31};
use gpu_hal::Recurrence;
use p3_air::{Air, DebugConstraintBuilder, SymbolicAirBuilder, check_all_constraints};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_mersenne_31::Mersenne31;
use polystark_p3::{P3Air, P3Error};
use prover_core::circle::ProveError;

use crate::airs::{Fibonacci, OddSelectors, Weighted, fibonacci, odd_selectors, weighted};
use crate::support::{OverMersenne, is_accepted_statement};

/// As over Goldilocks.
fn examine<A>(air: &A, matrix: &RowMajorMatrix<Mersenne31>, public: &[Mersenne31]) -> usize
where
    A: Air<SymbolicAirBuilder<Mersenne31>> + for<'a> Air<DebugConstraintBuilder<'a, Mersenne31>>,
{
    let rows = matrix.values.len() / matrix.width;
    let record = |public: &[Mersenne31]| P3Air::new("examined", air, rows, public).expect("can be recorded");
    let statement = |public: &[Mersenne31]| record(public).statement().expect("features that the protocol has");
    let prover = OverMersenne::new(record(public));
    let bytes = prover.prove(matrix).expect("an honest trace");
    assert!(is_accepted_statement(&statement(public), &bytes));
    for index in 0..public.len() {
        let mut other = public.to_vec();
        other[index] += Mersenne31::ONE;
        assert!(!is_accepted_statement(&statement(&other), &bytes), "public value {index}");
    }
    let mut refused = 0;
    for cell in 0..matrix.values.len() {
        let mut changed = matrix.clone();
        changed.values[cell] += Mersenne31::from_u8(5);
        let satisfied = check_all_constraints(air, &changed, public, None).is_ok();
        match prover.prove(&changed) {
            Ok(_) => assert!(satisfied, "a proof with cell {cell} changed"),
            Err(ProveError::Unsatisfied(_)) => {
                assert!(!satisfied, "cell {cell} is free, and there is no proof");
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    refused
}

#[test]
fn fibonacci_is_proven_and_nothing_else() {
    for rows in [4, 16] {
        let (matrix, public) = fibonacci(rows);
        assert_eq!(examine(&Fibonacci, &matrix, &public), 2 * rows);
    }
}

#[test]
fn preprocessed_periodic_and_public_values_are_bound() {
    let air = Weighted::new(8);
    let (matrix, public) = weighted(&air);
    assert_eq!(examine(&air, &matrix, &public), 16);
}

#[test]
fn selectors_in_odd_places_say_what_plonky3_says() {
    for rows in [4, 8] {
        let (matrix, public) = odd_selectors(rows);
        assert_eq!(examine(&OddSelectors, &matrix, &public), 3 * rows);
    }
}

#[test]
fn public_values_are_parameters_of_the_programs() {
    let statement = |public: [u32; 2]| {
        let air = P3Air::new("weighted", &Weighted::new(8), 8, &public.map(Mersenne31::from_u32)).expect("recorded");
        air.statement().expect("features that the protocol has")
    };
    // Values at which an expression could be simplified are no exception.
    let programs = [[2, 9], [0, 1], [1, 0]].map(|public| {
        let recorded = circle_air::RecordedStatement::new(&statement(public), None).expect("a sound statement");
        recorded.components[0].constraints.encode()
    });
    assert_eq!(programs[0], programs[1]);
    assert_eq!(programs[0], programs[2]);
    assert_ne!(statement([2, 9]).words(), statement([2, 8]).words());
}

/// The rows of a recurrence, by its definition.
fn expand(of: &Recurrence<M31>) -> Vec<M31> {
    let (rows, order) = (1 << of.log_height, of.coefficients.len());
    let mut values = vec![M31::ZERO; rows];
    for (start, initial) in of.starts() {
        for row in start..rows {
            values[row] = match initial.get(row - start) {
                Some(value) => *value,
                None => (0..order).map(|i| of.coefficients[i] * values[row - order + i]).sum(),
            };
        }
    }
    values
}

#[test]
fn columns_in_closed_form_are_the_columns() {
    let statement = |air: Result<P3Air<Mersenne31>, P3Error>| air.expect("recorded").statement().expect("provable");
    let one = Mersenne31::ONE;
    let statements = [
        (statement(P3Air::new("fibonacci", &Fibonacci, 16, &[one; 3])), 3),
        (statement(P3Air::new("odd", &OddSelectors, 8, &[one])), 3),
        // The periodic column, the weights of this row and the next, two selectors.
        (statement(P3Air::new("weighted", &Weighted::new(4), 4, &[one; 2])), 5),
    ];
    for (statement, columns) in statements {
        let program = statement.preprocessed_program(None).expect("columns that repeat");
        assert_eq!(program.len(), columns, "{}", statement.name());
        let made: Vec<Vec<M31>> = program.iter().map(expand).collect();
        assert_eq!(made, statement.preprocessed_values(None), "{}", statement.name());
    }
    let long = statement(P3Air::new("weighted", &Weighted::new(8), 8, &[one; 2]));
    assert_eq!(long.preprocessed_program(None), None);
}
