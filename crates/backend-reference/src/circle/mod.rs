//! The Circle protocol, on the circle over M31 and on the line of its x-coordinates.

mod fft;

use field::circle::{CirclePoint, MAX_LOG_DOMAIN};
use field::{CM31, Field, M31, QM31, batch_inverse};
use gpu_hal::{CircleDomain, CircleStark, DeepTerm, EvalOrder};

use crate::protocol::ReferenceProtocol;

impl ReferenceProtocol for CircleStark {
    const MAX_LOG_HEIGHT: u32 = MAX_LOG_DOMAIN;

    fn evaluate(columns: &mut [M31], domain: &CircleDomain, order: EvalOrder) {
        fft::evaluate(columns, domain, order);
    }

    fn interpolate(columns: &mut [M31], domain: &CircleDomain, order: EvalOrder) {
        fft::interpolate(columns, domain, order);
    }

    /// A coefficient's function is the product over the set bits of its index of `y`, `x`, `pi(x)`, ... (circle.md,
    /// section 2).
    fn value(coefficients: &[M31], point: CirclePoint<QM31>) -> QM31 {
        let mut factors = vec![point.y];
        let mut x = point.x;
        while 1 << factors.len() < coefficients.len() {
            factors.push(x);
            x = CirclePoint::double_x(x);
        }
        let product = |index: usize| {
            let set = factors.iter().enumerate().filter(|(bit, _)| index >> bit & 1 == 1);
            set.fold(QM31::ONE, |product, (_, factor)| product * *factor)
        };
        coefficients.iter().enumerate().map(|(index, c)| product(index) * *c).sum()
    }

    fn subtrahend(term: &DeepTerm<Self>, at: CirclePoint<M31>) -> QM31 {
        term.constant + term.slope * at.y
    }

    /// `1/((P.x.0 - q.x) * P.y.1 - (P.y.0 - q.y) * P.x.1)` (circle.md, section 10).
    fn inverse_denominators(term: &DeepTerm<Self>, points: &[CirclePoint<M31>]) -> Vec<QM31> {
        let CirclePoint { x, y } = term.point;
        let denominator =
            |q: &CirclePoint<M31>| (x.z0() - CM31::from(q.x)) * y.z1() - (y.z0() - CM31::from(q.y)) * x.z1();
        let mut inverses: Vec<CM31> = points.iter().map(denominator).collect();
        batch_inverse(&mut inverses);
        inverses.into_iter().map(|inverse| QM31::from_cm31(inverse, CM31::ZERO)).collect()
    }
}
