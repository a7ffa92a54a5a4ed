//! Trace programs, worked out row by row: they are the traces of the AIRs that declare them.

use crate::common::Stark;
use air::airs;
use golden::recurrence::rows;

#[test]
fn trace_programs_are_the_traces() {
    let mut seen = 0;
    for info in airs::all() {
        for (log_rows, steps) in [(2, 2), (2, 3), (3, 2), (3, 4), (3, 7), (5, 3), (5, 16), (5, 30), (5, 31)] {
            let has_steps = info.params.iter().any(|param| param.name == "steps");
            let steps = has_steps.then(|| ("steps".to_owned(), steps));
            // Not every AIR has so few rows.
            let Ok(air) = airs::build::<Stark>(info.name, 1 << log_rows, &steps.into_iter().collect()) else {
                continue;
            };
            let Some(program) = air.trace_program() else { continue };
            let trace = air.trace();
            assert_eq!(program.columns.len(), trace.width());
            for (index, column) in program.columns.iter().enumerate() {
                let starts: Vec<usize> = column.starts().map(|(row, _)| row).collect();
                assert!(starts.is_sorted_by(|a, b| a < b), "{}: {starts:?}", info.name);
                assert_eq!(rows(column), trace.column(index), "{}: 2^{log_rows} rows, column {index}", info.name);
                seen += 1;
            }
        }
    }
    assert!(seen > 40, "{seen}");
}
