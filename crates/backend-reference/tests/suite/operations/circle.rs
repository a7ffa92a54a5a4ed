//! Transforms of the Circle protocol, and the backend's refusals for it.

use backend_reference::CpuReference;
use field::circle::{CirclePoint, Coset};
use field::lambdaworks::M31Field;
use field::{M31, PrimeField, bit_reverse};
use gpu_hal::{Basis, CircleDomain, CircleStark, ErrorKind, EvalOrder, StarkBackend};
use lambdaworks_math::circle::polynomial::{evaluate_cfft, interpolate_cfft};
use lambdaworks_math::field::element::FieldElement;
use lambdaworks_math::field::fields::mersenne31::field::Mersenne31Field;
use lambdaworks_math::polynomial::Polynomial;
use p3_circle::CircleEvaluations;
use p3_field::extension::ComplexExtendable;
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_mersenne_31::Mersenne31;

use crate::operations::common::{download, evaluations, random};

type Backend = CpuReference<CircleStark>;

/// The basis element of coefficient `index`: the product of the factors of its set bits.
fn basis(factors: &[M31], index: usize) -> M31 {
    factors.iter().enumerate().filter(|(bit, _)| index >> bit & 1 == 1).map(|(_, factor)| *factor).product()
}

/// `y, x, pi(x), ...` on a circle, `x, pi(x), ...` on a line.
fn factors(domain: CircleDomain, point: CirclePoint<M31>) -> Vec<M31> {
    let xs = |count| (0..count).map(|times| CirclePoint::repeated_double_x(point.x, times));
    match domain {
        CircleDomain::Circle { log_size, .. } => std::iter::once(point.y).chain(xs(log_size - 1)).collect(),
        CircleDomain::Line { log_size, .. } => xs(log_size).collect(),
    }
}

/// The point of a row or a storage index, from the definitions of the orders.
fn point(domain: CircleDomain, order: EvalOrder, index: usize) -> CirclePoint<M31> {
    match (domain, order) {
        (CircleDomain::Circle { log_size, .. }, EvalOrder::Row) => Coset::canonic(log_size).at(index),
        (CircleDomain::Circle { log_size, .. }, EvalOrder::Storage) => {
            let natural = bit_reverse(index, log_size);
            let half = 1 << (log_size - 1);
            let point = Coset::half_odds(log_size - 1).at(natural % half);
            if natural < half { point } else { point.conjugate() }
        }
        (CircleDomain::Line { log_size, .. }, EvalOrder::Row) => Coset::half_odds(log_size).at(index),
        (CircleDomain::Line { log_size, .. }, EvalOrder::Storage) => {
            Coset::half_odds(log_size).at(bit_reverse(index, log_size))
        }
    }
}

#[test]
fn ntt_is_evaluation_of_the_basis() {
    let backend: Backend = Backend::new();
    let circles = (1..=6).map(CircleDomain::canonic);
    let lines = (0..=6).map(CircleDomain::line);
    for domain in circles.chain(lines) {
        let (CircleDomain::Circle { log_size, .. } | CircleDomain::Line { log_size, .. }) = domain;
        let size = 1 << log_size;
        let coefficients: Vec<M31> = random(u64::from(log_size), 2 * size);
        for order in [EvalOrder::Row, EvalOrder::Storage] {
            let expected: Vec<M31> = coefficients
                .chunks_exact(size)
                .flat_map(|column| {
                    (0..size).map(move |index| {
                        let factors = factors(domain, point(domain, order, index));
                        column.iter().enumerate().map(|(i, c)| *c * basis(&factors, i)).sum::<M31>()
                    })
                })
                .collect();
            let mut table = backend.upload(&coefficients, 2, log_size).expect("upload");
            backend.ntt(table.as_mut(), Basis::Coefficients, evaluations(domain, order)).expect("evaluation");
            assert_eq!(download(&backend, &table), expected, "{domain:?} {order:?}");
            backend.ntt(table.as_mut(), evaluations(domain, order), Basis::Coefficients).expect("interpolation");
            assert_eq!(download(&backend, &table), coefficients, "{domain:?} {order:?}");
        }
    }
}

#[test]
fn ntt_is_that_of_lambdaworks() {
    let backend: Backend = Backend::new();
    let theirs = |values: &[M31]| -> Vec<FieldElement<Mersenne31Field>> {
        values.iter().map(|x| FieldElement::from(x.as_u64())).collect()
    };
    let ours = |values: Vec<FieldElement<Mersenne31Field>>| -> Vec<M31> {
        values.iter().map(|x| M31::from_u64(x.representative().into())).collect()
    };
    for log_size in 2..=9 {
        let rows = evaluations(CircleDomain::canonic(log_size), EvalOrder::Row);
        let values: Vec<M31> = random(40 + u64::from(log_size), 1 << log_size);
        let mut table = backend.upload(&values, 1, log_size).expect("upload");
        backend.ntt(table.as_mut(), Basis::Coefficients, rows).expect("evaluation");
        assert_eq!(download(&backend, &table), ours(evaluate_cfft(theirs(&values))), "2^{log_size}");
        let mut table = backend.upload(&values, 1, log_size).expect("upload");
        backend.ntt(table.as_mut(), rows, Basis::Coefficients).expect("interpolation");
        assert_eq!(download(&backend, &table), ours(interpolate_cfft(theirs(&values))), "2^{log_size}");
    }
}

/// For every row of Plonky3's natural order the row of ours with the same point. Both orders are `(2r + 1) g`, but
/// Plonky3's generator is another one.
fn rows_of_plonky3(log_size: u32) -> Vec<usize> {
    let generator = Mersenne31::circle_two_adic_generator(log_size as usize + 1);
    let [x, y] = [generator.real(), generator.imag()].map(|c| M31::from_u64(c.as_canonical_u64()));
    let ours: Vec<_> = Coset::canonic(log_size).points().collect();
    (0..1 << log_size)
        .map(|row: u64| {
            let point = CirclePoint { x, y } * (2 * row + 1);
            ours.iter().position(|ours| *ours == point).expect("the same points in another order")
        })
        .collect()
}

#[test]
fn lde_is_that_of_plonky3() {
    let backend = Backend::new();
    for (log_height, log_blowup) in [(2, 0), (2, 1), (3, 3), (6, 2), (8, 1)] {
        let rows: Vec<M31> = random(70, 1 << log_height);
        let log_extended = log_height + log_blowup;
        let theirs = rows_of_plonky3(log_height).into_iter().map(|row| Mersenne31::from_u64(rows[row].as_u64()));
        let standard = |log_size: u32| p3_circle::CircleDomain::standard(log_size as usize);
        let matrix = RowMajorMatrix::new_col(theirs.collect());
        let natural = CircleEvaluations::from_natural_order(standard(log_height), matrix)
            .extrapolate(standard(log_extended))
            .to_natural_order()
            .to_row_major_matrix();

        let from = evaluations(CircleDomain::canonic(log_height), EvalOrder::Row);
        let to = CircleDomain::canonic(log_extended);
        let table = backend.upload(&rows, 1, log_height).expect("upload");
        let extended = download(&backend, &backend.lde(table.as_ref(), from, to).expect("lde"));
        for (row, value) in rows_of_plonky3(log_extended).into_iter().zip(&natural.values) {
            let storage = field::circle::coset_row_to_storage(row, log_extended);
            assert_eq!(extended[storage].as_u64(), value.as_canonical_u64(), "row {row} of 2^{log_extended}");
        }
    }
}

#[test]
fn line_transform_is_a_polynomial_in_x() {
    // On a line the basis spans the polynomials of degree below the size: values there interpolate to one that takes
    // the same values at other points.
    let backend: Backend = Backend::new();
    let (small, large) = (CircleDomain::line(3), CircleDomain::line(5));
    let values: Vec<M31> = random(90, 8);
    let xs = |domain, count: usize| (0..count).map(move |i| point(domain, EvalOrder::Storage, i).x);
    let lw = |x: M31| FieldElement::<M31Field>::from(x);
    let polynomial = Polynomial::interpolate(
        &xs(small, 8).map(lw).collect::<Vec<_>>(),
        &values.iter().copied().map(lw).collect::<Vec<_>>(),
    )
    .expect("distinct points");
    let table = backend.upload(&values, 1, 3).expect("upload");
    let extended = backend.lde(table.as_ref(), evaluations(small, EvalOrder::Storage), large).expect("lde");
    let expected: Vec<M31> = xs(large, 32).map(|x| polynomial.evaluate(&lw(x)).into()).collect();
    assert_eq!(download(&backend, &extended), expected);
}

#[test]
fn split_cuts_consecutive_runs() {
    let backend: Backend = Backend::new();
    let data: Vec<M31> = (0..4 * 8).map(|i| M31::new(100 * (i / 8) + i % 8)).collect();
    let table = backend.upload(&data, 4, 3).expect("upload");
    let split = backend.split(table.as_ref(), 2, 2).expect("split");
    assert_eq!((split.width, split.log_height), (8, 2));
    let expected: Vec<M31> = (0..2)
        .flat_map(|part| (0..4).flat_map(move |column| (0..4).map(move |i| M31::new(100 * column + 4 * part + i))))
        .collect();
    assert_eq!(download(&backend, &split), expected);
}

#[test]
fn circle_and_line_do_not_mix() {
    let backend: Backend = Backend::new();
    let table = backend.upload(&random::<M31>(1, 4), 1, 2).expect("upload");
    let from = evaluations(CircleDomain::canonic(2), EvalOrder::Storage);
    let error = backend.lde(table.as_ref(), from, CircleDomain::line(3)).expect_err("another basis");
    assert_eq!(error.kind, ErrorKind::InvalidArgument);
}
