//! Base columns of trees: an element of the extension is as many columns as it has coordinates, numerators first.

use alloc::vec;
use alloc::vec::Vec;

use field::{ExtensionField, Field, M31, QM31};
use sumcheck::gkr::{Gate, Kind};

/// Coordinates of an element of the extension.
const DEGREE: usize = <QM31 as ExtensionField<M31>>::DEGREE;

/// The columns of a tree's gate, of the extension, numerators first, from the [`Kind::base_columns`] that its caller
/// gives.
///
/// # Panics
/// If there are fewer columns, or a column has fewer rows than the last.
pub fn columns_of_gate<C: AsRef<[M31]>>(kind: Kind, base: &[C]) -> Vec<Vec<QM31>> {
    let elements = |columns: &[C]| -> Vec<QM31> {
        (0..rows(columns)).map(|row| QM31(core::array::from_fn(|at| columns[at].as_ref()[row]))).collect()
    };
    let numerators = match kind {
        Kind::GrandProduct => None,
        Kind::LogUp => Some(elements(&base[..DEGREE])),
        Kind::LogUpMultiplicities => Some(base[0].as_ref().iter().copied().map(QM31::from).collect()),
        Kind::LogUpSingles => Some(vec![QM31::ONE; rows(base)]),
    };
    numerators.into_iter().chain([elements(rest(base))]).collect()
}

/// The first row of fractions whose denominator is 0, so that they have no sum. None of a product.
///
/// # Panics
/// As [`columns_of_gate`].
pub fn zero_denominator<C: AsRef<[M31]>>(kind: Kind, base: &[C]) -> Option<usize> {
    let columns = rest(base);
    let is_zero = |row: &usize| columns.iter().all(|column| column.as_ref()[*row] == M31::ZERO);
    (kind.gate() == Gate::LogUp).then(|| (0..rows(columns)).find(is_zero)).flatten()
}

/// The coordinates of factors or denominators.
fn rest<C>(base: &[C]) -> &[C] {
    &base[base.len() - DEGREE..]
}

fn rows<C: AsRef<[M31]>>(columns: &[C]) -> usize {
    columns[columns.len() - 1].as_ref().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_gates() {
        let base: Vec<Vec<M31>> =
            (0..8u64).map(|column| vec![M31::reduce(column + 1), M31::reduce(10 * column)]).collect();
        let element = |first: u64| QM31([0, 1, 2, 3].map(|at| M31::reduce(first + at + 1)));
        let of = |kind: Kind| -> Vec<QM31> {
            columns_of_gate(kind, &base[..kind.base_columns(DEGREE)]).iter().map(|column| column[0]).collect()
        };
        assert_eq!(of(Kind::GrandProduct), [element(0)]);
        assert_eq!(of(Kind::LogUp), [element(0), element(4)]);
        assert_eq!(of(Kind::LogUpMultiplicities), [QM31::from(M31::ONE), element(1)]);
        assert_eq!(of(Kind::LogUpSingles), [QM31::ONE, element(0)]);
    }

    #[test]
    fn a_denominator_of_zero_is_found_and_a_factor_is_not() {
        let base = vec![vec![M31::ONE, M31::ZERO]; 5];
        assert_eq!(zero_denominator(Kind::LogUpMultiplicities, &base), Some(1));
        assert_eq!(zero_denominator(Kind::GrandProduct, &base[1..]), None);
        assert_eq!(
            zero_denominator(Kind::LogUpSingles, &base[..4].iter().map(|of| &of[..1]).collect::<Vec<_>>()),
            None
        );
    }
}
