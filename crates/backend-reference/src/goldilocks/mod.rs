//! The Goldilocks protocol, on multiplicative cosets.

mod fft;

use field::{ExtensionField, Goldilocks, TwoAdicField, batch_inverse};
use gpu_hal::{CosetDomain, DeepTerm, EvalOrder, GoldilocksStark};

use crate::protocol::ReferenceProtocol;

impl<E: ExtensionField<Goldilocks>> ReferenceProtocol for GoldilocksStark<E> {
    const MAX_LOG_HEIGHT: u32 = Goldilocks::TWO_ADICITY;

    fn evaluate(columns: &mut [Goldilocks], domain: &CosetDomain<Goldilocks>, order: EvalOrder) {
        fft::evaluate(columns, domain, order);
    }

    fn interpolate(columns: &mut [Goldilocks], domain: &CosetDomain<Goldilocks>, order: EvalOrder) {
        fft::interpolate(columns, domain, order);
    }

    /// `f(point) = c_0 + point (c_1 + point (c_2 + ...))`.
    fn value(coefficients: &[Goldilocks], point: E) -> E {
        coefficients.iter().rev().fold(E::ZERO, |sum, c| sum * point + *c)
    }

    fn subtrahend(term: &DeepTerm<Self>, _: Goldilocks) -> E {
        term.constant
    }

    /// `1/(x - point)`.
    fn inverse_denominators(term: &DeepTerm<Self>, points: &[Goldilocks]) -> Vec<E> {
        let mut inverses: Vec<E> = points.iter().map(|x| E::from(*x) - term.point).collect();
        batch_inverse(&mut inverses);
        inverses
    }
}
