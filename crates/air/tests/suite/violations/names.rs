//! Names of columns and constraints, and the cells that a violated constraint reads.

use air::{Air, AirBuilder, AirError, Column, Findings, Layout, Rows, Scan, Trace, TraceError, check_trace, record};
use field::{Field, Goldilocks};

use crate::common::Stark;
use crate::violations::{E, LIMIT};

/// Column 0 counts in steps of a periodic column, column 1 is free; the sum of `1/(gamma + column 0)` is an auxiliary
/// column.
struct Counted {
    is_named: bool,
}

impl Air<Stark> for Counted {
    fn name(&self) -> &str {
        "counted"
    }

    fn log_trace_length(&self) -> u32 {
        2
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 2, aux_columns: 1, frame_rows: 2, challenges: 1, composition_parts: 2 }
    }

    fn define(&self, builder: &AirBuilder<Stark>) {
        builder.periodic(&[Goldilocks::ONE]);
        let step = builder.periodic(&[Goldilocks::ONE, Goldilocks::new(2)]);
        let count = |row| builder.main(0, row);
        let declare = || {
            builder.transition(count(1) - count(0) - builder.periodic_at(step, 0), Rows::all().except_last(1));
            builder.boundary(Column::Main(0), 0, Goldilocks::ZERO);
        };
        let denominator = builder.challenge(0) + count(0);
        let fractions = [(builder.number(1), denominator)];
        let sum = || builder.running_sum(&fractions, Scan::Exclusive);
        let sum = if self.is_named {
            builder.name_main(0, "count");
            builder.named("counter", || builder.named("steps", declare));
            builder.named("sum", sum)
        } else {
            declare();
            sum()
        };
        builder.boundary(sum, 0, Goldilocks::ZERO);
        let wrong = builder.aux(0, 0) * denominator;
        builder.named("wrong", || builder.transition(wrong - 7, Rows::all().every(4).from(1)));
    }
}

fn wrong(result: Result<(), TraceError<Stark>>) -> Findings<Stark> {
    match result {
        Err(TraceError::Wrong(findings)) => *findings,
        other => panic!("{other:?}"),
    }
}

#[test]
fn cells_are_named() {
    let column = |values: [u64; 4]| values.map(Goldilocks::new).to_vec();
    let trace = Trace::from_columns(vec![column([1, 2, 3, 4]), column([0; 4])]).expect("shape");
    let texts = |is_named: bool| {
        let air = Counted { is_named };
        let recorded = record(&air).expect("legal");
        // 1/(gamma + 1) on row 1, times gamma + 2.
        let findings = wrong(check_trace(&recorded, &air, &trace, &[E::ONE], LIMIT));
        assert_eq!(findings.violations.len(), findings.violated);
        (findings.to_string(), recorded.digest())
    };
    let (half, wrong) =
        (Goldilocks::new(2).inverse_or_zero(), Goldilocks::new(3) * Goldilocks::new(2).inverse_or_zero());
    let lines = [
        format!(
            "transition constraint 0 `counter/steps` is {} on row 1, not 0: count[1] = 2, count[2] = 3, periodic 1[1] = 2",
            -Goldilocks::ONE
        ),
        format!(
            "transition constraint 1 `wrong` is {} on row 1, not 0: count[1] = 2, sum[1] = {half}",
            wrong - Goldilocks::new(7)
        ),
        "boundary constraint 0 `counter/steps` is 1 on row 0, not 0: count[0] = 1".to_owned(),
    ];
    let (named, digest) = texts(true);
    assert_eq!(named.lines().collect::<Vec<_>>(), lines);
    let (text, same) = texts(false);
    let lines =
        lines.map(|line| line.replace(" `counter/steps`", "").replace("count[", "main 0[").replace("sum[", "aux 0["));
    assert_eq!(text.lines().collect::<Vec<_>>(), lines);
    assert_eq!(digest, same, "names are no part of an AIR");
}

/// A name for a column that is not there is a mistake like any other.
#[test]
fn names_are_of_columns_that_there_are() {
    struct Misnamed;
    impl Air<Stark> for Misnamed {
        fn name(&self) -> &str {
            "misnamed"
        }
        fn log_trace_length(&self) -> u32 {
            2
        }
        fn layout(&self) -> Layout {
            Layout { main_columns: 2, aux_columns: 0, frame_rows: 1, challenges: 0, composition_parts: 1 }
        }
        fn define(&self, builder: &AirBuilder<Stark>) {
            builder.name_main(2, "third");
            builder.boundary(Column::Main(0), 0, Goldilocks::ZERO);
        }
    }
    assert!(matches!(record(&Misnamed), Err(AirError::Column { column: 2, columns: 2, .. })));
}
