//! The differences between the two protocols, beside the geometry that [`gpu_hal::Domain`] has.

use field::circle::{CirclePoint, MAX_LOG_DOMAIN};
use field::{CM31, ExtensionField, Field, Goldilocks, M31, QM31, TwoAdicField};
use gpu_hal::{CircleStark, DeepTerm, Domain, GoldilocksStark, HashFn, Protocol};

/// A point of a domain.
pub(crate) type At<P> = <<P as Protocol>::Domain as Domain>::At;

/// A protocol that the toy proves.
pub trait ToyProtocol: Protocol {
    /// The only hash function of trees that the toy has.
    const HASH: HashFn;

    /// Log2 of the largest height of a column.
    const MAX_LOG_HEIGHT: u32;

    /// The functions `t_0, t_1, ...` at a point outside the domains: coefficient `i` belongs to the product of `t_k`
    /// over the set bits `k` of `i`.
    fn basis(point: Self::Point, count: u32) -> Vec<Self::Ext>;

    /// The value that a term of the quotient subtracts from the weighted values at a point of the domain.
    fn subtrahend(term: &DeepTerm<Self>, at: At<Self>) -> Self::Ext;

    /// The value that a term of the quotient divides by at a point of the domain.
    fn denominator(term: &DeepTerm<Self>, at: At<Self>) -> Self::Ext;
}

impl<E: ExtensionField<Goldilocks>> ToyProtocol for GoldilocksStark<E> {
    const HASH: HashFn = HashFn::Keccak256;

    const MAX_LOG_HEIGHT: u32 = Goldilocks::TWO_ADICITY;

    /// `x, x^2, x^4, ...`
    fn basis(x: E, count: u32) -> Vec<E> {
        (0..count).map(|k| x.pow_two_to(k)).collect()
    }

    fn subtrahend(term: &DeepTerm<Self>, _: Goldilocks) -> E {
        term.constant
    }

    fn denominator(term: &DeepTerm<Self>, x: Goldilocks) -> E {
        E::from(x) - term.point
    }
}

impl ToyProtocol for CircleStark {
    const HASH: HashFn = HashFn::Blake2s;

    const MAX_LOG_HEIGHT: u32 = MAX_LOG_DOMAIN;

    /// `y, x, 2x^2 - 1, ...`
    fn basis(point: CirclePoint<QM31>, count: u32) -> Vec<QM31> {
        let doubled = (0..count.saturating_sub(1)).map(|k| CirclePoint::repeated_double_x(point.x, k));
        std::iter::once(point.y).chain(doubled).take(count as usize).collect()
    }

    fn subtrahend(term: &DeepTerm<Self>, at: CirclePoint<M31>) -> QM31 {
        term.constant + term.slope * at.y
    }

    /// A value in CM31.
    fn denominator(term: &DeepTerm<Self>, at: CirclePoint<M31>) -> QM31 {
        let CirclePoint { x, y } = term.point;
        let value = (x.z0() - CM31::from(at.x)) * y.z1() - (y.z0() - CM31::from(at.y)) * x.z1();
        QM31::from_cm31(value, CM31::ZERO)
    }
}
