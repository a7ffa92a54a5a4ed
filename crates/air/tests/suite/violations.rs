//! Every constraint of every example AIR, violated on purpose. The expected answers of `check_trace` come from
//! constraints written a second time here, over plain slices, row by row.

mod names;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::common::{Stark, base, ext, rng};
use air::{
    Air, AirBuilder, AirError, Column, ConstraintKind, ExampleAir, Layout, RecordedAir, Trace, TraceError, airs,
    build_aux, check_columns, check_trace, record,
};
use field::{Field, Fp3, Goldilocks};

type E = Fp3;

/// A cell: (column, row), auxiliary columns after the main ones.
type Cells<'a> = &'a dyn Fn(usize, usize) -> E;

/// Transitions: does it hold on this row, and its value there (X(d) is `cell(X, row + d)`).
type Transition = fn(n: usize, row: usize, challenges: &[E], cell: Cells<'_>) -> Option<E>;

/// A statement a second time.
struct Second {
    transitions: Vec<Transition>,
    /// (column, row, value)
    boundaries: Vec<(usize, usize, E)>,
}

fn number(value: u64) -> E {
    E::from(Goldilocks::new(value))
}

/// The constraint holds except on the last `end` rows.
fn but(n: usize, row: usize, end: usize, value: impl FnOnce() -> E) -> Option<E> {
    (row + end < n).then(value)
}

fn memory_sort(n: usize, row: usize, _: &[E], cell: Cells<'_>) -> Option<E> {
    but(n, row, 1, || {
        let step = cell(2, row + 1) - cell(2, row);
        step * (step - E::ONE)
    })
}

fn memory_value(n: usize, row: usize, _: &[E], cell: Cells<'_>) -> Option<E> {
    but(n, row, 1, || (cell(3, row + 1) - cell(3, row)) * (cell(2, row + 1) - cell(2, row) - E::ONE))
}

fn read_print(row: usize, c: &[E], cell: Cells<'_>) -> E {
    c[0] - (cell(0, row) + c[1] * cell(1, row))
}

fn cell_print(row: usize, c: &[E], cell: Cells<'_>) -> E {
    c[0] - (cell(2, row) + c[1] * cell(3, row))
}

fn second(name: &str, n: usize, challenges: &[E]) -> Second {
    let one = E::ONE;
    let fingerprint = |a: u64, v: u64| challenges[0] - (number(a) + challenges[1] * number(v));
    let reads_of_1 = number((0..n).filter(|i| (5 * i + 3) % (n / 4 * 3) == 0).count() as u64);
    let (transitions, boundaries): (Vec<Transition>, Vec<(usize, usize, E)>) = match name {
        // steps = n/2
        "fibonacci-rap" => (
            vec![
                |n, row, _, cell| but(n, row, n / 2 + 2, || cell(0, row + 2) - cell(0, row + 1) - cell(0, row)),
                |n, row, c, cell| {
                    but(n, row, 1, || cell(2, row + 1) * (cell(1, row) + c[0]) - cell(2, row) * (cell(0, row) + c[0]))
                },
            ],
            vec![(0, 0, one), (0, 1, one), (2, 0, one)],
        ),
        "simple-fibonacci" => (
            vec![|n, row, _, cell| but(n, row, 2, || cell(0, row + 2) - cell(0, row + 1) - cell(0, row))],
            vec![(0, 0, one), (0, 1, one)],
        ),
        "fibonacci-2-columns" => (
            vec![
                |n, row, _, cell| but(n, row, 1, || cell(0, row + 1) - cell(0, row) - cell(1, row)),
                |n, row, _, cell| but(n, row, 1, || cell(1, row + 1) - cell(1, row) - cell(0, row + 1)),
            ],
            vec![(0, 0, one), (1, 0, one)],
        ),
        "quadratic" => (
            vec![|n, row, _, cell| but(n, row, 1, || cell(0, row + 1) - cell(0, row) * cell(0, row))],
            vec![(0, 0, number(3))],
        ),
        "periodic" => (
            vec![|n, row, _, cell| {
                but(n, row, 2, || match row % 2 {
                    0 => E::ZERO,
                    _ => cell(0, row + 2) - cell(0, row + 1) - cell(0, row),
                })
            }],
            vec![(0, 0, one), (0, n - 1, number(1 << ((n - 2) / 2)))],
        ),
        "read-only-memory" => (
            vec![memory_sort, memory_value, |n, row, c, cell| {
                but(n, row, 1, || {
                    cell_print(row + 1, c, cell) * cell(4, row + 1) - read_print(row + 1, c, cell) * cell(4, row)
                })
            }],
            vec![
                (0, 0, number(4)),
                (1, 0, number(13)),
                (2, 0, number(1)),
                (3, 0, number(4)),
                (4, 0, fingerprint(4, 13) * fingerprint(1, 4).inverse_or_zero()),
                (4, n - 1, one),
            ],
        ),
        "read-only-memory-logup" => (
            vec![memory_sort, memory_value, |n, row, c, cell| {
                but(n, row, 1, || {
                    let (u, w) = (read_print(row + 1, c, cell), cell_print(row + 1, c, cell));
                    cell(5, row) * u * w + cell(4, row + 1) * u - w - cell(5, row + 1) * u * w
                })
            }],
            vec![
                (0, 0, number(4)),
                (1, 0, number(13)),
                (2, 0, number(1)),
                (3, 0, number(4)),
                (4, 0, reads_of_1),
                (5, 0, reads_of_1 * fingerprint(1, 4).inverse_or_zero() - fingerprint(4, 13).inverse_or_zero()),
                (5, n - 1, E::ZERO),
            ],
        ),
        "bit-flags" => (
            vec![
                |_, row, _, cell| {
                    let bit = cell(0, row) - number(2) * cell(0, row + 1);
                    (row % 16 != 15).then_some(bit * (bit - E::ONE))
                },
                |_, row, _, cell| (row % 16 == 0).then(|| cell(0, row + 15)),
            ],
            vec![],
        ),
        // width 3, degree 4
        "wide" => (
            vec![
                |n, row, _, cell| but(n, row, 1, || cell(0, row + 1) - cell(0, row).pow(4) - cell(1, row)),
                |n, row, _, cell| but(n, row, 1, || cell(1, row + 1) - cell(1, row).pow(4) - cell(2, row)),
                |n, row, _, cell| but(n, row, 1, || cell(2, row + 1) - cell(2, row).pow(4) - cell(0, row)),
            ],
            vec![(0, 0, number(1)), (1, 0, number(2)), (2, 0, number(3))],
        ),
        other => panic!("`{other}` is in the registry but not in this test"),
    };
    Second { transitions, boundaries }
}

/// (constraint, row, value)
type Violated = (usize, usize, E);

/// All violations, in order.
fn expected(second: &Second, n: usize, main: &Trace<Goldilocks>, aux: &[Vec<E>], c: &[E]) -> Vec<Violated> {
    let cell = |column: usize, row: usize| match column.checked_sub(main.width()) {
        None => E::from(main.get(row % n, column)),
        Some(column) => aux[column][row % n],
    };
    let transitions = second.transitions.iter().enumerate().flat_map(|(t, transition)| {
        (0..n).filter_map(move |row| transition(n, row, c, &cell).map(|value| (t, row, value)))
    });
    let boundaries = second
        .boundaries
        .iter()
        .enumerate()
        .map(|(j, &(column, row, value))| (second.transitions.len() + j, row, cell(column, row) - value));
    transitions.chain(boundaries).filter(|(_, _, value)| !value.is_zero()).collect()
}

const LIMIT: usize = 5;

/// The violations found, at most [`LIMIT`], with the number of all.
fn found(result: Result<(), TraceError<Stark>>, transitions: usize) -> (Vec<Violated>, usize) {
    match result {
        Ok(()) => (Vec::new(), 0),
        Err(TraceError::Wrong(findings)) => {
            assert_eq!(findings.lookups, None);
            for violation in &findings.violations {
                let (kind, number) = match violation.constraint.checked_sub(transitions) {
                    None => (ConstraintKind::Transition, violation.constraint),
                    Some(number) => (ConstraintKind::Boundary, number),
                };
                assert_eq!((violation.kind, violation.number), (Some(kind), number));
                assert!(violation.to_string().contains(&format!("{kind} constraint {number}")), "{violation}");
            }
            let of = |violation: &air::Violation<Stark>| (violation.constraint, violation.row, violation.value);
            (findings.violations.iter().map(of).collect(), findings.violated)
        }
        Err(TraceError::Air(error)) => panic!("{error}"),
    }
}

/// The first [`LIMIT`] of them, with the number of all.
fn first(violations: &[Violated]) -> (Vec<Violated>, usize) {
    (violations[..violations.len().min(LIMIT)].to_vec(), violations.len())
}

fn example(name: &str, n: usize) -> (Arc<dyn ExampleAir<Stark>>, RecordedAir<Stark>) {
    let params = match name {
        "fibonacci-rap" => BTreeMap::from([("steps".to_owned(), n as u64 / 2)]),
        "wide" => BTreeMap::from([("width".to_owned(), 3), ("degree".to_owned(), 4)]),
        _ => BTreeMap::new(),
    };
    let air = airs::build(name, n as u64, &params).expect("legal");
    let recorded = record(air.as_ref()).expect("records");
    (air, recorded)
}

#[test]
fn a_violation_is_named() {
    for (info, n) in airs::all().iter().flat_map(|info| [(info, 16), (info, 64)]) {
        let mut rng = rng(n as u64);
        let (air, recorded) = example(info.name, n);
        let challenges: Vec<E> = (0..recorded.layout().challenges).map(|_| ext(&mut rng)).collect();
        let second = second(info.name, n, &challenges);
        let transitions = second.transitions.len();
        assert_eq!((transitions, second.boundaries.len()), (recorded.transitions().len(), recorded.boundaries().len()));
        let honest = air.trace();
        let aux = build_aux(&recorded, air.as_ref(), &honest, &challenges).expect("fits");
        assert_eq!(expected(&second, n, &honest, &aux, &challenges), [], "{}", info.name);
        check_trace(&recorded, air.as_ref(), &honest, &challenges, LIMIT).expect("honest");

        let mut named = vec![Vec::new(); transitions + second.boundaries.len()];
        for row in 0..n {
            for column in 0..honest.width() {
                let mut main = honest.clone();
                main.set(row, column, honest.get(row, column) + base(&mut rng));
                // With the auxiliary columns of the honest trace, and with the changed one's.
                let answer = found(check_columns(&recorded, &main, &aux, &challenges, LIMIT), transitions);
                let violations = expected(&second, n, &main, &aux, &challenges);
                assert_eq!(answer, first(&violations), "{} ({row}, {column})", info.name);
                let rebuilt = build_aux(&recorded, air.as_ref(), &main, &challenges).expect("fits");
                let again = found(check_trace(&recorded, air.as_ref(), &main, &challenges, LIMIT), transitions);
                let violations = expected(&second, n, &main, &rebuilt, &challenges);
                assert_eq!(again, first(&violations), "{} ({row}, {column})", info.name);
                for (constraint, row, _) in [answer, again].iter().filter_map(|(found, _)| found.first()) {
                    named[*constraint].push(*row);
                }
            }
            for column in 0..aux.len() {
                let mut aux = aux.clone();
                aux[column][row] += ext(&mut rng);
                let answer = found(check_columns(&recorded, &honest, &aux, &challenges, LIMIT), transitions);
                let violations = expected(&second, n, &honest, &aux, &challenges);
                assert_eq!(answer, first(&violations), "{} ({row}, {column})", info.name);
                named[answer.0.first().map_or(0, |first| first.0)].extend(answer.0.first().map(|first| first.1));
            }
        }
        if info.name == "bit-flags" {
            // The prefixes of 2^15: every step is a bit, but the last prefix is 1, not 0.
            for block in (0..n).step_by(16) {
                let mut main = honest.clone();
                (0..16).for_each(|i| main.set(block + i, 0, Goldilocks::new(1 << (15 - i))));
                let answer = found(check_columns(&recorded, &main, &aux, &challenges, LIMIT), transitions);
                assert_eq!(answer, (vec![(1, block, E::ONE)], 1));
                named[1].push(block);
            }
        }
        for (constraint, rows) in named.iter().enumerate().take(transitions) {
            assert!(!rows.is_empty(), "{}: constraint {constraint} was never the first to fail", info.name);
        }
        // On every row that transition 0 holds on, and on none that it does not.
        let holds: Vec<usize> = recorded.transitions()[0].contains_all(n);
        named[0].sort_unstable();
        named[0].dedup();
        let periodic_off = |row: &usize| info.name == "periodic" && row.is_multiple_of(2);
        assert_eq!(named[0], holds.into_iter().filter(|row| !periodic_off(row)).collect::<Vec<_>>(), "{}", info.name);
    }
}

trait ContainsAll {
    fn contains_all(&self, n: usize) -> Vec<usize>;
}

impl ContainsAll for air::Rows {
    fn contains_all(&self, n: usize) -> Vec<usize> {
        (0..n).filter(|&row| self.contains(row, n)).collect()
    }
}

/// Boundaries and nothing else.
struct Fixed;

const FIXED: [(Column, usize); 4] =
    [(Column::Main(1), 0), (Column::Aux(0), 7), (Column::Main(0), 3), (Column::Main(1), 7)];

impl Air<Stark> for Fixed {
    fn name(&self) -> &str {
        "fixed"
    }

    fn log_trace_length(&self) -> u32 {
        3
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 2, aux_columns: 1, frame_rows: 1, challenges: 1, composition_parts: 1 }
    }

    fn define(&self, builder: &AirBuilder<Stark>) {
        builder.host_column();
        for (k, (column, row)) in FIXED.into_iter().enumerate() {
            match column {
                Column::Main(_) => builder.boundary(column, row, Goldilocks::new(k as u64)),
                Column::Aux(_) => builder.boundary_with(column, row, |challenges| challenges[0]),
            }
        }
    }
}

#[test]
fn every_boundary_is_named() {
    let recorded = record(&Fixed).expect("legal");
    let challenges = [number(9)];
    let mut main = Trace::new(vec![Goldilocks::ZERO; 16], 2, 3).expect("shape");
    let mut aux = vec![vec![E::ZERO; 8]];
    main.set(3, 0, Goldilocks::new(2));
    main.set(7, 1, Goldilocks::new(3));
    aux[0][7] = challenges[0];
    check_columns(&recorded, &main, &aux, &challenges, LIMIT).expect("satisfied");
    for (k, (column, row)) in FIXED.into_iter().enumerate() {
        let (mut main, mut aux) = (main.clone(), aux.clone());
        match column {
            Column::Main(j) => main.set(row, j, main.get(row, j) + Goldilocks::ONE),
            Column::Aux(j) => aux[j][row] += E::ONE,
        }
        let violation = vec![(k, row, E::ONE)];
        assert_eq!(found(check_columns(&recorded, &main, &aux, &challenges, LIMIT), 0), (violation, 1));
    }
    // A host closure that gives nothing.
    let nothing = check_trace(&recorded, &Fixed, &main, &challenges, LIMIT);
    assert!(matches!(nothing, Err(TraceError::Air(AirError::Count { .. }))));
}

#[test]
fn wrong_shapes_are_refused() {
    let (air, recorded) = example("fibonacci-rap", 16);
    let main = air.trace();
    let challenges = [number(5)];
    let small = Trace::new(main.data()[..16].to_vec(), 1, 4).expect("shape");
    let short = Trace::new(main.data()[..16].to_vec(), 2, 3).expect("shape");
    for wrong in [small, short] {
        assert!(matches!(check_trace(&recorded, air.as_ref(), &wrong, &challenges, LIMIT), Err(TraceError::Air(_))));
    }
    assert!(matches!(check_trace(&recorded, air.as_ref(), &main, &[], LIMIT), Err(TraceError::Air(_))));
    for aux in [vec![], vec![vec![E::ONE; 8]], vec![vec![E::ONE; 16]; 2]] {
        assert!(matches!(check_columns(&recorded, &main, &aux, &challenges, LIMIT), Err(TraceError::Air(_))));
    }
}
