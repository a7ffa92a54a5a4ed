//! Columns as data, worked out row by row: programs of preprocessed columns make the values that the statement gives.

use circle_air::airs::{Plonk, ShippedAir};
use field::{M31, PrimeField};
use golden::circle::air;
use golden::recurrence::rows;

#[test]
fn preprocessed_programs_are_the_columns() {
    let mut seen = 0;
    for log_rows in 1..5 {
        let airs = ["wide-fibonacci", "plonk", "poseidon2", "rpo-m31"].map(|name| air(name, log_rows, ""));
        let others = [air("fibonacci", log_rows.max(2), ""), air("range-squares", 2, &format!("table={log_rows}"))];
        for air in airs.into_iter().chain(others) {
            for lifting in [None, Some(12)] {
                let (program, values) = (air.preprocessed_program(lifting), air.preprocessed_values(lifting));
                let program = program.expect("declared");
                assert_eq!(program.len(), values.len(), "{}", air.name());
                for (index, (column, expected)) in program.iter().zip(&values).enumerate() {
                    // A device refuses others.
                    let starts: Vec<usize> = column.starts().map(|(row, _)| row).collect();
                    let last = 1usize << column.log_height;
                    assert!(starts.is_sorted_by(|a, b| a < b) && starts.iter().all(|row| *row < last), "{starts:?}");
                    assert_eq!(rows(column), *expected, "{}: 2^{log_rows} rows, column {index}", air.name());
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

/// Values that add up to the prime are zero.
#[test]
fn wires_of_plonk_are_reduced() {
    let last = M31::ORDER as u32 - 1;
    for inputs in [[last, 1], [1, last], [last, last], [2, last], [0, 0], [last, 0]] {
        let [a, b] = inputs.map(M31::new);
        let mut wires = vec![a, b];
        for gate in 0..16 {
            let (a, b) = (wires[gate], wires[gate + 1]);
            wires.push(if gate % 2 == 0 { a + b } else { a * b });
        }
        let trace = Plonk::new(4, a, b).unwrap().trace();
        for ahead in 0..3 {
            let values = |column: &[M31]| column.iter().map(|value| value.value()).collect::<Vec<_>>();
            assert_eq!(values(&trace[0][1 + ahead]), values(&wires[ahead..ahead + 16]), "{inputs:?}");
        }
    }
}
