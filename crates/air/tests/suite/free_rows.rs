//! The rows at the end that no constraint reads.

use std::collections::BTreeMap;

use air::{Rows, Trace, airs, check_trace, record};
use field::{Field, Fp3, Goldilocks};

use crate::common::{Shapes, Stark, base, rng};

/// The rows that are read by the definition: each transition reads its row and the next one, each boundary its row.
fn by_definition(shapes: &Shapes) -> usize {
    let n = 1usize << shapes.log_n;
    let active = |rows: &Rows| (0..n).filter(|row| rows.contains(*row, n)).collect::<Vec<_>>();
    let read = shapes.rows.iter().flat_map(|rows| active(rows).into_iter().map(|row| row + 1));
    let last = read.chain(shapes.boundaries.iter().copied()).max();
    last.map_or(n, |last| n.saturating_sub(last + 1))
}

#[test]
fn free_rows_are_those_that_nothing_reads() {
    let mut seen = BTreeMap::new();
    for log_n in [2, 3, 4] {
        let n = 1usize << log_n;
        for log_period in 0..=log_n {
            let period = 1 << log_period;
            for (offset, exempt) in (0..period).flat_map(|o| (0..=n / period).map(move |exempt| (o, exempt))) {
                let rows = Rows::all().every(period).from(offset).except_last(exempt);
                let exempted = (0..=log_n).flat_map(|log| (0..1 << log).map(move |u| (1 << log, u)));
                let sets = exempted.map(|(q, u)| rows.except_every(q, u)).chain([rows]);
                for set in sets {
                    for boundary in [0, n / 2] {
                        let shapes = Shapes { boundaries: vec![boundary], ..Shapes::new(log_n, vec![set]) };
                        let expected = by_definition(&shapes);
                        let Ok(recorded) = record::<Stark, _>(&shapes) else { continue };
                        assert_eq!(recorded.free_rows(), expected, "{set:?} of {n} rows, boundary {boundary}");
                        *seen.entry(expected).or_insert(0) += 1;
                    }
                }
            }
        }
    }
    assert!(seen.len() > 10 && seen.values().sum::<usize>() > 1000, "{seen:?}");
}

#[test]
fn a_periodic_column_and_a_definition_read_no_row() {
    let air = airs::FibonacciRap::new(64, 40).expect("legal");
    assert_eq!(record::<Stark, _>(&air).expect("records").free_rows(), 0, "the product goes to the last row");
    let air = airs::build::<Stark>("periodic", 64, &BTreeMap::new()).expect("legal");
    assert_eq!(record(air.as_ref()).expect("records").free_rows(), 0, "a boundary is on the last row");
}

/// With `free` rows the AIRs that take the parameter leave as many free, and hold whatever those rows are.
#[test]
fn free_rows_of_examples_may_hold_anything() {
    let (rows, mut rng) = (64usize, rng(7));
    for info in airs::all().iter().filter(|info| info.params.contains(&airs::FREE)) {
        for free in [1, 2, 5, 17, 40] {
            let degrees: &[u64] = if info.name == "wide" { &[1, 2, 3, 8] } else { &[0] };
            for &degree in degrees {
                let all = [("steps", 20), ("width", 3), ("degree", degree), ("free", free)];
                let known = |name: &str| info.params.iter().any(|param| param.name == name);
                let params = all.into_iter().filter(|(name, _)| known(name)).map(|(name, value)| (name.into(), value));
                let air = airs::build::<Stark>(info.name, rows as u64, &params.collect()).expect("legal");
                let recorded = record(air.as_ref()).expect("records");
                assert_eq!(recorded.free_rows(), free as usize, "{}", info.name);
                let honest = air.trace();
                let columns = (0..honest.width()).map(|column| {
                    let mut column = honest.column(column).to_vec();
                    column[rows - free as usize..].iter_mut().for_each(|cell| *cell = base(&mut rng));
                    column
                });
                let masked = Trace::from_columns(columns.collect()).expect("a shape");
                let challenge = Fp3([3, 1, 4].map(Goldilocks::new));
                let challenges = vec![challenge; recorded.layout().challenges];
                check_trace(&recorded, air.as_ref(), &masked, &challenges, 1).expect("it still holds");
                let mut wrong = masked.clone();
                wrong.set(0, 0, wrong.get(0, 0) + Goldilocks::ONE);
                assert!(check_trace(&recorded, air.as_ref(), &wrong, &challenges, 1).is_err(), "{}", info.name);
            }
        }
        let params = [("steps", 2), ("width", 3), ("degree", 2), ("free", rows as u64)];
        let known = |name: &str| info.params.iter().any(|param| param.name == name);
        let params = params.into_iter().filter(|(name, _)| known(name)).map(|(name, value)| (name.to_owned(), value));
        assert!(airs::build::<Stark>(info.name, rows as u64, &params.collect()).is_err(), "{}", info.name);
    }
}
