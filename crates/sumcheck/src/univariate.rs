//! Polynomials of one variable.

use alloc::vec::Vec;
use core::ops::Deref;

use field::Field;

/// A polynomial by its coefficients, the constant one first. Its length is a part of a proof: two polynomials that
/// differ by zeros at the end are different messages. Zero has no coefficients, unless it is a sum of others (section
/// 3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Univariate<E>(Vec<E>);

impl<E: Field> Univariate<E> {
    /// The polynomial with these coefficients, zeros at the end dropped.
    pub fn trimmed(mut coefficients: Vec<E>) -> Self {
        while coefficients.last().is_some_and(E::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    /// The polynomial with these coefficients, as they are.
    pub const fn new(coefficients: Vec<E>) -> Self {
        Self(coefficients)
    }

    /// The value at a point.
    pub fn evaluate(&self, point: E) -> E {
        horner(&self.0, point)
    }

    /// The sum of the values at 0 and 1.
    pub fn sum(&self) -> E {
        self.evaluate(E::ZERO) + self.evaluate(E::ONE)
    }

    /// `p_0 + alpha p_1 + alpha^2 p_2 + ...`, as long as the longest of them.
    pub fn combine(polynomials: &[Self], alpha: E) -> Self {
        let length = polynomials.iter().map(|polynomial| polynomial.0.len()).max().unwrap_or(0);
        let coefficient = |at: usize| {
            polynomials
                .iter()
                .rfold(E::ZERO, |sum, polynomial| sum * alpha + polynomial.0.get(at).copied().unwrap_or(E::ZERO))
        };
        Self((0..length).map(coefficient).collect())
    }
}

impl<E> Deref for Univariate<E> {
    type Target = [E];

    fn deref(&self) -> &[E] {
        &self.0
    }
}

/// `values[0] + values[1] point + values[2] point^2 + ...`.
pub(crate) fn horner<E: Field>(values: &[E], point: E) -> E {
    values.iter().rfold(E::ZERO, |sum, value| sum * point + *value)
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use field::Goldilocks;

    use super::*;

    fn of(values: &[u64]) -> Vec<Goldilocks> {
        use field::PrimeField;
        values.iter().map(|value| Goldilocks::from_u64(*value)).collect()
    }

    #[test]
    fn a_combination_keeps_its_length() {
        let [a, b] = [Univariate::trimmed(of(&[1, 2, 0])), Univariate::trimmed(of(&[5, 1, 4]))];
        assert_eq!((a.len(), b.len()), (2, 3));
        assert_eq!(*Univariate::combine(&[a.clone(), b.clone()], of(&[3])[0]), of(&[16, 5, 12]));
        assert_eq!(*Univariate::combine(&[a, b], of(&[0])[0]), of(&[1, 2, 0]));
        assert_eq!(*Univariate::<Goldilocks>::combine(&[], of(&[3])[0]), vec![]);
    }

    #[test]
    fn values_are_those_of_the_definition() {
        let polynomial = Univariate::trimmed(of(&[7, 3, 2]));
        assert_eq!(polynomial.evaluate(of(&[5])[0]), of(&[7 + 15 + 50])[0]);
        assert_eq!(polynomial.sum(), of(&[7 + 12])[0]);
    }
}
