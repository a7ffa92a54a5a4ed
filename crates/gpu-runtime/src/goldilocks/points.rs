//! The divisors at a point outside the base field, without divisions in the extension.

use field::{ExtensionField, Field, Goldilocks};

/// For a point z: `1/(x - z) = adjugate(x)/norm(x)` at every x of the base field. Coefficients lowest first.
pub(super) struct PointPolynomials<E> {
    pub(super) point: E,
    /// The product of `x - z'` over the conjugates z' of z, without its highest coefficient, which is one.
    pub(super) norm: Vec<Goldilocks>,
    /// `norm(x)/(x - z)`.
    pub(super) adjugate: Vec<E>,
}

impl<E: ExtensionField<Goldilocks>> PointPolynomials<E> {
    pub(super) fn new(point: E) -> Self {
        let degree = E::DEGREE;
        let trace = |value: E| (0..degree).map(|i| (value * E::basis(i)).coordinates()[i]).sum::<Goldilocks>();
        // Newton's identities: k c_(d-k) = -(c_d p_k + ... + c_(d-k+1) p_1), c the coefficients and p_k the trace of
        // z^k.
        let mut norm = vec![Goldilocks::ZERO; degree];
        norm.push(Goldilocks::ONE);
        let mut power = E::ONE;
        let mut traces = Vec::with_capacity(degree);
        for k in 1..=degree {
            power *= point;
            traces.push(trace(power));
            let sum: Goldilocks = (0..k).map(|i| norm[degree - i] * traces[k - 1 - i]).sum();
            // A degree is no multiple of the order of the field.
            norm[degree - k] = -(sum * Goldilocks::new(k as u64).inverse_or_zero());
        }
        // The division, by Horner's scheme.
        let mut adjugate = vec![E::ONE; degree];
        for k in (1..degree).rev() {
            adjugate[k - 1] = adjugate[k] * point + norm[k];
        }
        norm.pop();
        Self { point, norm, adjugate }
    }
}

#[cfg(test)]
mod tests {
    use field::Fp3;

    use super::*;

    #[test]
    fn the_adjugate_over_the_norm_is_the_inverse() {
        let number = |k: u64| Goldilocks::new(k.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for point in [Fp3::new(number(1), number(2), number(3)), Fp3::from(number(4)), Fp3::ZERO] {
            let PointPolynomials { norm, adjugate, .. } = PointPolynomials::new(point);
            for x in [Goldilocks::ZERO, Goldilocks::ONE, number(5)] {
                let value = norm.iter().rev().fold(Goldilocks::ONE, |value, c| value * x + *c);
                let above = adjugate.iter().rev().fold(Fp3::ZERO, |value, c| value * x + *c);
                assert_eq!((Fp3::from(x) - point) * above, Fp3::from(value));
            }
        }
    }
}
