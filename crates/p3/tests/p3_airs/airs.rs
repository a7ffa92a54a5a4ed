//! Small AIRs that use what Plonky3 has, and honest traces of them.

use std::borrow::Cow;

use p3_air::{Air, AirBuilder, BaseAir, BoundaryEnd, BoundaryPublic, WindowAccess};
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_matrix::dense::RowMajorMatrix;

/// `(a, b)` becomes `(b, a + b)`; public are the first row and the last `b`.
pub(crate) struct Fibonacci;

impl<F> BaseAir<F> for Fibonacci {
    fn width(&self) -> usize {
        2
    }

    fn num_public_values(&self) -> usize {
        3
    }
}

impl<AB: AirBuilder> Air<AB> for Fibonacci {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let (this, next) = (main.current_slice(), main.next_slice());
        let [a, b, x] = [0, 1, 2].map(|index| builder.public_values()[index]);
        builder.when_first_row().assert_eq(this[0], a);
        builder.when_first_row().assert_eq(b, this[1]);
        let mut transition = builder.when_transition();
        transition.assert_eq(this[1], next[0]);
        transition.assert_eq(this[0] + this[1], next[1]);
        builder.when_last_row().assert_eq(this[1], x);
    }
}

pub(crate) fn fibonacci<F: PrimeField64>(rows: usize) -> (RowMajorMatrix<F>, Vec<F>) {
    let mut values = vec![F::ZERO, F::ONE];
    while values.len() < 2 * rows {
        let [a, b] = [values[values.len() - 2], values[values.len() - 1]];
        values.extend([b, a + b]);
    }
    let public = vec![F::ZERO, F::ONE, values[values.len() - 1]];
    (RowMajorMatrix::new(values, 2), public)
}

/// `x' = x * weight + weight' + rate`, with a preprocessed column of weights, read on both rows, and periodic rates; a
/// second preprocessed column that nothing reads. The first `x` is public by its position; public factors make
/// `y = factor x^2 + term`.
pub(crate) struct Weighted {
    pub(crate) weights: Vec<u64>,
    pub(crate) rates: Vec<u64>,
    pub(crate) cells: Vec<BoundaryPublic>,
}

impl Weighted {
    pub(crate) fn new(rows: usize) -> Self {
        let weights = (0..rows as u64).map(|row| row * row + 3).collect();
        Self { weights, rates: vec![5, 7, 11, 13], cells: vec![BoundaryPublic::new(0, BoundaryEnd::First, 0)] }
    }
}

impl<F: PrimeField64> BaseAir<F> for Weighted {
    fn width(&self) -> usize {
        2
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        let values = self.weights.iter().flat_map(|weight| [F::from_u64(*weight), F::TWO]).collect();
        Some(RowMajorMatrix::new(values, 2))
    }

    fn preprocessed_width(&self) -> usize {
        2
    }

    fn num_periodic_columns(&self) -> usize {
        1
    }

    fn periodic_columns(&self) -> Cow<'_, [Vec<F>]> {
        Cow::Owned(vec![self.rates.iter().map(|rate| F::from_u64(*rate)).collect()])
    }

    fn num_public_values(&self) -> usize {
        3
    }

    fn public_boundary_io(&self) -> &[BoundaryPublic] {
        &self.cells
    }
}

impl<AB: AirBuilder<F: PrimeField64>> Air<AB> for Weighted {
    fn eval(&self, builder: &mut AB) {
        let (main, weights) = (builder.main(), builder.preprocessed().clone());
        let (this, next) = (main.current_slice(), main.next_slice());
        let (weight, weight_next) = (weights.current_slice()[0], weights.next_slice()[0]);
        let rate: AB::Expr = builder.periodic_values()[0].into();
        let [factor, term]: [AB::Expr; 2] = [1, 2].map(|index| builder.public_values()[index].into());
        builder.when_transition().assert_eq(this[0] * weight + weight_next + rate, next[0]);
        // On all rows, and of degree 2.
        builder.assert_eq(this[1], factor * this[0] * this[0] + term);
    }
}

pub(crate) fn weighted<F: PrimeField64>(air: &Weighted) -> (RowMajorMatrix<F>, Vec<F>) {
    let rows = air.weights.len();
    let [mut x, factor, term] = [2, 9, 31].map(F::from_u64);
    let public = vec![x, factor, term];
    let mut values = Vec::new();
    for row in 0..rows {
        values.extend([x, factor * x * x + term]);
        let weight = |row: usize| F::from_u64(air.weights[row % rows]);
        x = x * weight(row) + weight(row + 1) + F::from_u64(air.rates[row % air.rates.len()]);
    }
    (RowMajorMatrix::new(values, 2), public)
}

/// Selectors where they are seldom seen, all of them certain.
pub(crate) struct OddSelectors;

impl<F> BaseAir<F> for OddSelectors {
    fn width(&self) -> usize {
        3
    }

    fn num_public_values(&self) -> usize {
        1
    }
}

impl<AB: AirBuilder> Air<AB> for OddSelectors {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let (this, next) = (main.current_slice(), main.next_slice());
        let [x, y, z]: [AB::Expr; 3] = [0, 1, 2].map(|column| this[column].into());
        let (first, last, transition) = (builder.is_first_row(), builder.is_last_row(), builder.is_transition());
        let public: AB::Expr = builder.public_values()[0].into();
        // One assertion, another constraint on each end.
        builder.assert_zero(first.clone() * (x.clone() - AB::Expr::ONE) - last.clone() * (y.clone() - public));
        // No cell alone, so no boundary.
        builder.assert_zero(y.clone() * first.clone() * (x.clone() - AB::Expr::TWO) + first.clone() * y.clone());
        // On the last row the next one is the first.
        builder.assert_zero((next[0].into() - AB::Expr::ONE) * last.clone());
        // The selector inside, and twice.
        let step: AB::Expr = next[0] - this[0] - AB::Expr::ONE;
        builder.assert_zero(transition.clone() * (step * transition.clone()));
        builder.when_transition().when(y.clone()).assert_eq(next[1], y * AB::Expr::TWO);
        // On no row.
        builder.assert_zero(first.clone() * last.clone() * x.clone());
        // On all rows but the last one constraint, on that another.
        builder.assert_zero(transition.clone() * (z.clone() + -(x.clone() * x)) + last * (z - AB::Expr::from_u8(77)));
        // The first row's term remains of it.
        builder.assert_zero(transition.clone() - transition + first * (this[1] - AB::Expr::ONE));
    }
}

pub(crate) fn odd_selectors<F: PrimeField64>(rows: usize) -> (RowMajorMatrix<F>, Vec<F>) {
    let y = |row: usize| F::TWO.exp_u64(row as u64);
    let row = |row: usize| {
        let x = F::from_u64(row as u64 + 1);
        [x, y(row), if row + 1 < rows { x * x } else { F::from_u8(77) }]
    };
    (RowMajorMatrix::new((0..rows).flat_map(row).collect(), 3), vec![y(rows - 1)])
}
