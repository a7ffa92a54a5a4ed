//! AIRs that are refused: shapes, uses of columns, rows and degrees.

use air::{AirBuilder, AirError, Column, Layout, Rows, Scan, record};
use field::{Field, Goldilocks};

use super::{Any, Define, LAYOUT, PLAIN};
use crate::common::Stark;

fn error(any: Any) -> AirError {
    record(&any).expect_err("the AIR is wrong")
}

fn error_of(define: Define) -> AirError {
    error(Any { define, ..PLAIN })
}

#[test]
fn shapes_are_checked() {
    record(&PLAIN).expect("legal");
    for log_n in [0, 1, 33, u32::MAX] {
        assert_eq!(error(Any { log_n, ..PLAIN }), AirError::TraceLength { log_trace_length: log_n });
    }
    let layout = |change: fn(&mut Layout)| {
        let mut layout = LAYOUT;
        change(&mut layout);
        error(Any { layout, ..PLAIN })
    };
    assert_eq!(layout(|l| l.main_columns = 0), AirError::NoMainColumns);
    assert_eq!(layout(|l| l.composition_parts = 0), AirError::NoParts);
    assert_eq!(layout(|l| l.frame_rows = 0), AirError::FrameRows { frame_rows: 0, rows: 16 });
    assert_eq!(layout(|l| l.frame_rows = 17), AirError::FrameRows { frame_rows: 17, rows: 16 });
    assert_eq!(layout(|l| l.frame_rows = 1), AirError::Offset { offset: 1, frame_rows: 1 });
    assert_eq!(layout(|l| l.aux_columns = 2), AirError::AuxColumns { declared: 1, layout: 2 });
    assert_eq!(layout(|l| l.main_columns = 1), AirError::Column { kind: "main", column: 1, columns: 1 });
    assert_eq!(layout(|l| l.challenges = 0), AirError::Challenge { challenge: 0, challenges: 0 });
}

#[test]
fn uses_are_checked() {
    let none = |_: &AirBuilder<Stark>| {};
    assert_eq!(error_of(none), AirError::AuxColumns { declared: 0, layout: 1 });
    assert_eq!(
        error(Any { layout: Layout { aux_columns: 0, ..LAYOUT }, define: none, ..PLAIN }),
        AirError::NoConstraints
    );
    assert_eq!(
        error_of(|b| b.transition(b.aux(1, 0), Rows::all())),
        AirError::Column { kind: "auxiliary", column: 1, columns: 1 }
    );
    assert_eq!(
        error_of(|b| b.boundary(Column::Aux(3), 0, Goldilocks::ONE)),
        AirError::Column { kind: "auxiliary", column: 3, columns: 1 }
    );
    assert_eq!(
        error_of(|b| b.boundary(Column::Main(0), 16, Goldilocks::ONE)),
        AirError::BoundaryRow { row: 16, rows: 16 }
    );
    assert_eq!(error_of(|b| b.transition(b.main(0, 2), Rows::all())), AirError::Offset { offset: 2, frame_rows: 2 });
    for (define, length) in [
        ((|b| _ = b.periodic(&[])) as Define, 0),
        (|b| _ = b.periodic(&[Goldilocks::ONE; 3]), 3),
        (|b| _ = b.periodic(&[Goldilocks::ONE; 32]), 32),
    ] {
        assert_eq!(error_of(define), AirError::PeriodicLength { length, rows: 16 });
    }
    assert_eq!(
        error_of(|b| {
            let column = b.running_product(b.main(0, 0), b.number(1), Scan::Inclusive);
            assert_eq!(column, Column::Aux(0));
            // Hidden behind two operations.
            b.running_sum(&[(b.number(1), 3 - b.aux(0, 0) * 2)], Scan::Inclusive);
        }),
        AirError::AuxInRunning { column: 1 }
    );
    assert_eq!(
        error_of(|b| {
            // The first wrong use is the one reported.
            b.challenge(4);
            b.main(9, 9);
        }),
        AirError::Challenge { challenge: 4, challenges: 1 }
    );
}

#[test]
fn rows_are_checked() {
    let rows = |define: Define| match error_of(define) {
        AirError::Rows { reason, .. } => reason,
        other => panic!("{other}"),
    };
    let bad: [(Define, &str); 8] = [
        (|b| b.transition(b.main(0, 0), Rows::all().every(0)), "period 0"),
        (|b| b.transition(b.main(0, 0), Rows::all().every(3)), "period 3"),
        (|b| b.transition(b.main(0, 0), Rows::all().every(32)), "period 32"),
        (|b| b.transition(b.main(0, 0), Rows::all().every(4).from(4)), "offset 4"),
        (|b| b.transition(b.main(0, 0), Rows::all().except_last(17)), "17 end exemptions of 16 rows"),
        (|b| b.transition(b.main(0, 0), Rows::all().every(4).except_last(5)), "5 end exemptions of 4 rows"),
        (|b| b.transition(b.main(0, 0), Rows::all().except_every(5, 0)), "exemptions period 5"),
        (|b| b.transition(b.main(0, 0), Rows::all().except_every(4, 4)), "offset 4"),
    ];
    for (define, reason) in bad {
        assert!(rows(define).contains(reason), "{reason}");
    }
}

#[test]
fn degrees_are_checked() {
    // n = 16, two parts: degrees below 32. A degree-3 constraint on all rows has 3 * 15 - 16 = 29.
    let degree = |define: Define| match record(&Any { define, ..PLAIN }) {
        Err(AirError::Degree { degree, parts: 2, bound: 32, .. }) => Some(degree),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    };
    assert_eq!(degree(|b| cube(b, Rows::all())), None);
    assert_eq!(degree(|b| cube(b, Rows::all().except_last(2))), None);
    assert_eq!(degree(|b| cube(b, Rows::all().except_last(3))), Some(32));
    assert_eq!(degree(|b| cube(b, Rows::all().every(2))), Some(37));
    assert_eq!(degree(|b| cube(b, Rows::all().except_every(4, 0))), Some(33));
    // A periodic column of period 4 has degree 12.
    assert_eq!(degree(|b| periodic_cube(b, 0)), Some(41));
    assert_eq!(degree(|b| periodic_cube(b, 1)), None);
}

fn cube(b: &AirBuilder<Stark>, rows: Rows) {
    b.host_column();
    b.transition(b.main(0, 0).pow(3) - b.main(1, 1) * 4, rows);
}

/// One of three main columns may be replaced.
fn periodic_cube(b: &AirBuilder<Stark>, replaced: usize) {
    b.host_column();
    let column = b.periodic(&[Goldilocks::ZERO, Goldilocks::ONE, Goldilocks::ZERO, Goldilocks::ZERO]);
    let x = b.main(0, 0).pow(3 - replaced as u64);
    b.transition(x * b.periodic_at(column, 1), Rows::all());
}
