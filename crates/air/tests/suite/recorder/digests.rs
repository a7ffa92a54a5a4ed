//! The digest of an AIR, which tells AIRs apart.

use std::collections::HashSet;

use air::{AirBuilder, Column, Layout, Rows, Scan, record};
use field::{Field, Fp3, Goldilocks};
use gpu_hal::RunningKind;

use super::{Any, Define, LAYOUT, PLAIN};
use crate::common::Stark;

#[test]
fn digests_tell_everything_apart() {
    let digest = |any: Any| record(&any).expect("legal").digest();
    assert_eq!(digest(PLAIN), digest(PLAIN));
    let layout = |change: fn(&mut Layout)| {
        let mut layout = LAYOUT;
        change(&mut layout);
        Any { layout, ..PLAIN }
    };
    let defined = |define: Define| Any { define, ..PLAIN };
    let variants = [
        PLAIN,
        Any { name: "any2", ..PLAIN },
        Any { log_n: 5, ..PLAIN },
        layout(|l| l.main_columns = 3),
        layout(|l| l.frame_rows = 3),
        layout(|l| l.challenges = 2),
        layout(|l| l.composition_parts = 3),
        defined(|b| variant(b, Rows::all(), RunningKind::Sum, Scan::Inclusive)),
        defined(|b| variant(b, Rows::all(), RunningKind::Sum, Scan::Exclusive)),
        defined(|b| variant(b, Rows::all(), RunningKind::Product, Scan::Exclusive)),
        defined(|b| variant(b, Rows::all().except_last(1), RunningKind::Sum, Scan::Inclusive)),
        defined(|b| variant(b, Rows::all().except_last(2), RunningKind::Sum, Scan::Inclusive)),
        defined(|b| variant(b, Rows::all().every(2), RunningKind::Sum, Scan::Inclusive)),
        defined(|b| variant(b, Rows::all().every(2).from(1), RunningKind::Sum, Scan::Inclusive)),
        defined(|b| variant(b, Rows::all().except_every(4, 1), RunningKind::Sum, Scan::Inclusive)),
        defined(|b| variant(b, Rows::all().except_every(4, 2), RunningKind::Sum, Scan::Inclusive)),
        defined(|b| bounded(b, Column::Main(0), 0, Some(1))),
        defined(|b| bounded(b, Column::Main(0), 0, Some(2))),
        defined(|b| bounded(b, Column::Main(0), 0, None)),
        defined(|b| bounded(b, Column::Main(0), 1, Some(1))),
        defined(|b| bounded(b, Column::Main(1), 0, Some(1))),
        defined(|b| bounded(b, Column::Aux(0), 0, Some(1))),
        defined(|b| cycle(b, &[1, 2])),
        defined(|b| cycle(b, &[1, 3])),
        defined(|b| cycle(b, &[1, 2, 1, 2])),
    ];
    let digests: HashSet<[u8; 32]> = variants.iter().map(|any| digest(*any)).collect();
    assert_eq!(digests.len(), variants.len());
}

fn variant(b: &AirBuilder<Stark>, rows: Rows, kind: RunningKind, scan: Scan) {
    match kind {
        RunningKind::Sum => b.running_sum(&[(b.main(0, 0), b.main(1, 0))], scan),
        RunningKind::Product => b.running_product(b.main(0, 0), b.main(1, 0), scan),
    };
    b.transition(b.main(0, 0), rows);
}

fn bounded(b: &AirBuilder<Stark>, column: Column, row: usize, value: Option<u64>) {
    b.host_column();
    match value {
        Some(value) => b.boundary(column, row, Goldilocks::new(value)),
        None => b.boundary_with(column, row, |_| Fp3::ONE),
    }
}

fn cycle(b: &AirBuilder<Stark>, values: &[u64]) {
    b.host_column();
    let values: Vec<Goldilocks> = values.iter().copied().map(Goldilocks::new).collect();
    let column = b.periodic(&values);
    b.transition(b.periodic_at(column, 0) * b.main(0, 0), Rows::all());
}
