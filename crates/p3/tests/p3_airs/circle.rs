//! Statements of the Circle protocol.

use circle_air::Statement;
use field::{Field, M31};
use gpu_hal::LinearRecurrence;
use p3_field::PrimeCharacteristicRing;
use p3_mersenne_31::Mersenne31;
use polystark_p3::{P3Air, P3Error};

use crate::airs::{Fibonacci, OddSelectors, Weighted};

#[test]
fn public_values_are_parameters_of_the_programs() {
    let statement = |public: [u32; 3]| {
        let air = P3Air::new("weighted", &Weighted::new(8), 8, &public.map(Mersenne31::from_u32)).expect("recorded");
        air.statement().expect("features that the protocol has")
    };
    // Values at which an expression could be simplified are no exception.
    let programs = [[2, 9, 4], [0, 1, 3], [1, 0, 5]].map(|public| {
        let recorded = circle_air::RecordedStatement::new(&statement(public), None).expect("a sound statement");
        recorded.components[0].constraints.encode()
    });
    assert_eq!(programs[0], programs[1]);
    assert_eq!(programs[0], programs[2]);
    assert_ne!(statement([2, 9, 4]).words(), statement([2, 4, 9]).words());
}

/// The rows of a recurrence, by its definition.
fn expand(of: &LinearRecurrence<M31>) -> Vec<M31> {
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
        (statement(P3Air::new("weighted", &Weighted::new(4), 4, &[one; 3])), 5),
    ];
    for (statement, columns) in statements {
        let program = statement.preprocessed_program(None).expect("columns that repeat");
        assert_eq!(program.len(), columns, "{}", statement.name());
        let made: Vec<Vec<M31>> = program.iter().map(expand).collect();
        assert_eq!(made, statement.preprocessed_values(None), "{}", statement.name());
    }
    let long = statement(P3Air::new("weighted", &Weighted::new(8), 8, &[one; 3]));
    assert_eq!(long.preprocessed_program(None), None);
}
