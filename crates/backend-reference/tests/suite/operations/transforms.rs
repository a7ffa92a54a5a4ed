//! Transforms, extensions, splits and selections of the Goldilocks protocol.

use field::Goldilocks;
use gpu_hal::{Basis, EvalOrder, StarkBackend};
use p3_dft::{Radix2Dit, TwoAdicSubgroupDft};
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_goldilocks::Goldilocks as Peer;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use crate::operations::common::{
    Backend, bit_reversed, coset, download, evaluate, evaluations, natural_points, polynomial, random,
};

const SHIFTS: [u64; 4] = [1, 3, 7, 0x0123_4567_89AB_CDEF];

#[test]
fn ntt_is_that_of_lambdaworks() {
    let backend: Backend = Backend::new();
    for log_size in 0..=9 {
        for (width, shift) in (1..).zip(SHIFTS) {
            let domain = coset(shift, log_size);
            let coefficients: Vec<Goldilocks> = random(u64::from(log_size), width << log_size);
            let natural: Vec<_> =
                coefficients.chunks_exact(1 << log_size).map(|column| evaluate(&polynomial(column), domain)).collect();
            for order in [EvalOrder::Row, EvalOrder::Storage] {
                let values = natural
                    .iter()
                    .flat_map(|column| if order == EvalOrder::Row { column.clone() } else { bit_reversed(column) })
                    .collect::<Vec<_>>();
                let mut table = backend.upload(&coefficients, width, log_size).expect("upload");
                backend
                    .ntt(table.as_mut(), Basis::Coefficients, evaluations(domain, order))
                    .expect("coefficients to evaluations");
                assert_eq!(download(&backend, &table), values, "2^{log_size}, shift {shift}, {order:?}");
                backend
                    .ntt(table.as_mut(), evaluations(domain, order), Basis::Coefficients)
                    .expect("evaluations to coefficients");
                assert_eq!(download(&backend, &table), coefficients, "2^{log_size}, shift {shift}, {order:?}");
            }
        }
    }
}

#[test]
fn ntt_is_evaluation_at_the_points() {
    let backend: Backend = Backend::new();
    for log_size in 0..=5 {
        let domain = coset(7, log_size);
        let coefficients: Vec<Goldilocks> = random(17, 1 << log_size);
        let mut table = backend.upload(&coefficients, 1, log_size).expect("upload");
        backend.ntt(table.as_mut(), Basis::Coefficients, evaluations(domain, EvalOrder::Row)).expect("ntt");
        let horner = |x: Goldilocks| coefficients.iter().rev().fold(Goldilocks::new(0), |sum, c| sum * x + *c);
        let expected: Vec<_> = natural_points(domain).into_iter().map(horner).collect();
        assert_eq!(download(&backend, &table), expected, "2^{log_size}");
    }
}

#[test]
fn lde_is_that_of_plonky3() {
    let backend: Backend = Backend::new();
    for (log_height, log_blowup, width) in [(0, 0, 1), (0, 3, 2), (1, 1, 1), (4, 2, 5), (7, 0, 3), (6, 4, 2)] {
        for shift in SHIFTS {
            let rows: Vec<Goldilocks> = random(shift, width << log_height);
            // Ours are columns, Plonky3's matrices rows.
            let matrix = (0..rows.len())
                .map(|i| Peer::from_u64(rows[((i % width) << log_height) + i / width].value()))
                .collect::<Vec<_>>();
            let extended = Radix2Dit::default()
                .coset_lde_batch(RowMajorMatrix::new(matrix, width), log_blowup, Peer::from_u64(shift))
                .to_row_major_matrix();
            let expected: Vec<Goldilocks> = (0..width)
                .flat_map(|column| {
                    let natural: Vec<_> =
                        extended.row_slices().map(|row| Goldilocks::new(row[column].as_canonical_u64())).collect();
                    bit_reversed(&natural)
                })
                .collect();

            let to = coset(shift, log_height + log_blowup as u32);
            let table = backend.upload(&rows, width, log_height).expect("upload");
            let on_trace = evaluations(coset(1, log_height), EvalOrder::Row);
            let from_rows = backend.lde(table.as_ref(), on_trace, to).expect("lde of rows");
            assert_eq!(download(&backend, &from_rows), expected, "2^{log_height} x {width}, shift {shift}");
            // The same polynomials given by their coefficients, and by values in storage order on another coset.
            let mut other = table;
            backend.ntt(other.as_mut(), on_trace, Basis::Coefficients).expect("interpolation");
            let from_coefficients = backend.lde(other.as_ref(), Basis::Coefficients, to).expect("lde");
            assert_eq!(download(&backend, &from_coefficients), expected);
            let stored = evaluations(coset(5, log_height), EvalOrder::Storage);
            backend.ntt(other.as_mut(), Basis::Coefficients, stored).expect("evaluation");
            let from_storage = backend.lde(other.as_ref(), stored, to).expect("lde");
            assert_eq!(download(&backend, &from_storage), expected);
        }
    }
}

#[test]
fn split_takes_every_so_many_and_drops_the_rest() {
    let backend: Backend = Backend::new();
    // Two extension columns of eight coefficients; the value says which column and coefficient it is.
    let data: Vec<Goldilocks> = (0..6 * 8).map(|i| Goldilocks::new(100 * (i / 8) + i % 8)).collect();
    let table = backend.upload(&data, 6, 3).expect("upload");
    for (parts, log_part) in [(1, 3), (2, 2), (2, 1), (3, 1), (8, 0), (1, 0)] {
        let split = backend.split(table.as_ref(), parts, log_part).expect("split");
        assert_eq!((split.width, split.log_height), (6 * parts, log_part));
        let expected: Vec<Goldilocks> = (0..parts as u64)
            .flat_map(|part| {
                let index = move |i| part + i * parts as u64;
                (0..6).flat_map(move |column| (0..1 << log_part).map(move |i| Goldilocks::new(100 * column + index(i))))
            })
            .collect();
        assert_eq!(download(&backend, &split), expected, "{parts} parts of 2^{log_part}");
    }
}

#[test]
fn select_copies_the_picked_columns_in_order() {
    let backend: Backend = Backend::new();
    let a: Vec<Goldilocks> = random(1, 3 * 4);
    let b: Vec<Goldilocks> = random(2, 2 * 4);
    let tables = [backend.upload(&a, 3, 2).expect("upload"), backend.upload(&b, 2, 2).expect("upload")];
    let tables = [tables[0].as_ref(), tables[1].as_ref()];
    let selected = backend.select(&tables, &[(1, 1), (0, 2), (1, 1), (0, 0)]).expect("select");
    assert_eq!((selected.width, selected.log_height), (4, 2));
    assert_eq!(download(&backend, &selected), [&b[4..8], &a[8..12], &b[4..8], &a[0..4]].concat());
}

#[test]
fn download_takes_the_given_rows_of_every_column() {
    let backend: Backend = Backend::new();
    let data: Vec<Goldilocks> = random(3, 3 * 8);
    let table = backend.upload(&data, 3, 3).expect("upload");
    let rows = backend.download(table.as_ref(), 2..5).expect("rows");
    assert_eq!(rows, [&data[2..5], &data[10..13], &data[18..21]].concat());
    assert!(backend.download(table.as_ref(), 8..8).expect("no row").is_empty());
}
